"""The cache of compiled code reacts to an edit in any file that may hold kernels."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from kalooki_env import core
from kalooki_env.agents import rollouts
from kalooki_env.batch import layout
from kalooki_env.core.compiled import KERNEL_FOLDERS, sources_hash
from kalooki_env.observe.batch import WORKSPACE

PACKAGE = Path(__file__).resolve().parent.parent / "kalooki_env"


def copy_package(to: Path) -> Path:
    shutil.copytree(PACKAGE, to / "kalooki_env", ignore=shutil.ignore_patterns("__pycache__"))
    return to / "kalooki_env"


def test_every_edit_changes_the_name_of_the_cache(tmp_path: Path) -> None:
    package = copy_package(tmp_path)
    before = sources_hash(package)
    assert before == sources_hash(PACKAGE)
    seen = {before}
    files = [path for folder in KERNEL_FOLDERS for path in sorted((package / folder).rglob("*.py"))]
    assert len(files) > 15
    for path in files:
        path.write_text(path.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
        seen.add(sources_hash(package))
    assert len(seen) == len(files) + 1


def test_no_kernel_stands_outside_those_folders() -> None:
    for path in PACKAGE.rglob("*.py"):
        if "@kernel" in path.read_text(encoding="utf-8"):
            assert path.relative_to(PACKAGE).parts[0] in KERNEL_FOLDERS, path


def test_a_caller_sees_the_edit_of_what_it_calls(tmp_path: Path) -> None:
    """`relative_slot` calls `wrap` of another file: without the remedy it would go on with the old one."""
    package = copy_package(tmp_path)
    environment = {**os.environ, "KALOOKI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    program = "from kalooki_env.core.actions import relative_slot as f; print(f(5, 2, 4), sum(f.stats.cache_hits.values()))"

    def run() -> list[str]:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert run() == ["13", "0"]
    assert run() == ["13", "1"], "the second start should find compiled code"
    compiled = package / "core" / "compiled.py"
    text = compiled.read_text(encoding="utf-8")
    assert text.count("else seat\n") == 1
    compiled.write_text(text.replace("else seat\n", "else seat + 20\n"), encoding="utf-8")
    assert run() == ["93", "0"]


def test_no_record_type_begins_like_another() -> None:
    """Numba passes such a record where the other is meant, in silence, and it depends on the order of calls."""
    records = [core.STATE, core.VIEW, core.RULES, layout.SETTINGS, layout.LANE, layout.WORK, WORKSPACE, rollouts.WORK]
    fields = [[(name, dtype, offset) for name, (dtype, offset, *_) in record.fields.items()] for record in records]
    for one, other in itertools.permutations(fields, 2):
        assert one[: len(other)] != other
