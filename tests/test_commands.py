"""Commands that are written down in several places are the same in all of them."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import NO_KERNELS

ROOT = Path(__file__).resolve().parent.parent


def recipe(target: str) -> list[str]:
    """The commands of a target of the Makefile, as somebody would type them."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    assert found is not None, target
    values = {"BIN": ".venv/bin", "WORKERS": "2", "RUN": "runs/quickstart"}
    lines = [re.sub(r"\$\((\w+)\)", lambda name: values[name[1]], line.strip()) for line in found[1].splitlines()]
    return [line for line in lines if not line.startswith("@")]


def commands(page: str) -> list[str]:
    """Lines of the blocks of a page that hold commands; a backslash joins two."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", "")
    return [line.strip() for block in re.findall(r"```bash\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


def test_the_readme_has_the_commands_of_the_makefile() -> None:
    written = commands("README.md")
    assert len(recipe("test")) > 5
    assert not [line for target in ("test", "quickstart") for line in recipe(target) if line not in written]


def test_commands_name_files_that_exist() -> None:
    for page in ("README.md", "training/README.md", "checkpoints/README.md"):
        for line in commands(page):
            for name in re.findall(r"(?<![\w/])(?:configs|checkpoints|tests)/[\w./-]+", line):
                if re.search("[A-Z]{3}", name):  # stands for one of many
                    continue
                assert (ROOT / name).exists(), f"{page}: {line}"


def test_files_without_the_mark_exist_and_say_why() -> None:
    there = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert not [name for name, why in NO_KERNELS.items() if name not in there or not why]


def test_most_tests_run_compiled_code() -> None:
    there = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert {"test_core.py", "test_batch.py", "test_kaluki_core.py", "test_training.py", "test_calls.py"} <= set(there) - set(
        NO_KERNELS
    )
