"""Builds one patched copy of the package that holds all mutants, and has them played in another process.

All mutants are compiled together, once: which one is switched on is a field of the records.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .mutant import Edit
from .patches import MUTANTS, SWITCH

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "kalooki_env"
#: Decisions after which a mutant counts as not caught.
DECISIONS = 20_000


class PatchError(Exception):
    """An edit whose old text does not stand exactly once where it should."""


def patched_copy(to: Path) -> Path:
    """Copy the package into a folder, with the edits of all mutants.

    Raises:
        PatchError: the sources have moved on and an edit no longer fits.
    """
    package = to / "kalooki_env"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new in SWITCH:
        apply_edit(package, (file, old, new), "the switch")
    for number, mutant in enumerate(MUTANTS, start=1):
        for file, old, new in mutant.edits:
            apply_edit(package, (file, old, new.replace("@", str(number))), f"mutant {number} ({mutant.what})")
    return package


def _words(number: int) -> list[str]:
    if not number:
        return ["0", "0=kaluki51,kaluki40_british"]
    names = MUTANTS[number - 1].presets
    return [f"{number}={','.join(names)}" if names else str(number)]


def apply_edit(package: Path, edit: Edit, who: str) -> None:
    """Carry out one edit in a copy of the package.

    Raises:
        PatchError: its old text does not stand there exactly once.
    """
    file, old, new = edit
    path = package / file
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise PatchError(f"{who}: {old!r} stands {text.count(old)} times in {file}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def played(folder: Path, numbers: Sequence[int], decisions: int = DECISIONS) -> Iterator[dict[str, Any]]:
    """Play mutants by their numbers, 0 for the engine as it is, at both games, in one process.

    Args:
        folder: an empty folder for the copy and its compiled code.
        numbers: which.
        decisions: most decisions for each.

    Yields:
        What was found, in the order of the numbers.
    """
    patched_copy(folder)
    cache = folder / "cache"
    cache.mkdir()
    child = Path(__file__).with_name("child.py")
    environment = {**os.environ, "PYTHONPATH": str(folder), "KALOOKI_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(child), str(decisions), *(word for number in numbers for word in _words(number))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        raise RuntimeError(f"the process that plays the mutants ended with {process.returncode}")
