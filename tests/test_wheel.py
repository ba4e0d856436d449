"""The wheel: what it holds, and that it works by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
IGNORED = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the repository, built from a copy, since building leaves folders behind."""
    pytest.importorskip("setuptools")
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("kalooki_env", "training", "configs", "checkpoints"):
        shutil.copytree(ROOT / name, source / name, ignore=IGNORED)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    words = ["pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--quiet", "--wheel-dir", str(out), str(source)]
    subprocess.run([sys.executable, "-m", *words], check=True)
    (found,) = out.iterdir()
    return found


def test_the_wheel_holds_the_package_alone_and_all_of_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top.partition("-")[0] for top in tops} == {"kalooki_env"}, tops
    held = {name for name in names if name.startswith("kalooki_env/")}
    package = ROOT / "kalooki_env"
    there = {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert held == {path.relative_to(ROOT).as_posix() for path in there}


def test_the_wheel_works_away_from_the_repository(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    for words, text in (
        (["-m", "kalooki_env", "rules"], "J13.2"),
        (["-c", "import kalooki_env; print(kalooki_env.__file__)"], str(tmp_path / "site")),
        (["-c", "import kalooki_env.render.page as page; print(page.page_html)"], "page_html"),
    ):
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr
        assert text in done.stdout + done.stderr


def test_trainers_run_from_the_root_of_the_repository() -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-m", "training.ppo", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert "configs/" in done.stdout
