"""The cache of compiled code: which edits it reacts to, who shares it, and which folders it trusts."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kalooki_env import core
from kalooki_env.agents import rollouts
from kalooki_env.batch import layout
from kalooki_env.core import cache
from kalooki_env.core.cache import sources_hash, sources_of_kernels
from kalooki_env.observe.batch import WORKSPACE

PACKAGE = Path(__file__).resolve().parent.parent / "kalooki_env"


def copy_package(to: Path) -> Path:
    shutil.copytree(PACKAGE, to / "kalooki_env", ignore=shutil.ignore_patterns("__pycache__"))
    return to / "kalooki_env"


def test_an_edit_of_what_is_compiled_changes_the_name_of_the_cache_and_no_other(tmp_path: Path) -> None:
    package = copy_package(tmp_path)
    seen = {sources_hash(package)}
    assert seen == {sources_hash(PACKAGE)}
    compiled = set(sources_of_kernels(package))
    assert len(compiled) > 30
    for path in sorted(package.rglob("*.py")):
        before = path.read_text(encoding="utf-8")
        path.write_text(before + "# edited\n", encoding="utf-8")
        edited = sources_hash(package)
        assert (edited in seen) == (path not in compiled), path
        seen.add(edited)
        path.write_text(before, encoding="utf-8")


def test_the_sources_of_kernels_are_what_kernels_and_their_imports_stand_in() -> None:
    found = {path.relative_to(PACKAGE).as_posix() for path in sources_of_kernels()}
    kernels = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if "\n@kernel\n" in path.read_text("utf-8")}
    assert kernels <= found
    # Constants that kernels use stand in files without kernels.
    assert {"core/layout.py", "core/memory.py", "core/kaluki/actions.py", "batch/layout.py", "observe/schema.py"} <= found
    assert not {"errors.py", "rules.py", "agents/registry.py", "batch/lanes.py", "envs/aec.py"} & found


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


# ---- folders -----------------------------------------------------------------------------------------------------------


RELATIVE_SLOT = "from kalooki_env.core.actions import relative_slot as f; print(f(5, 2, 4), sum(f.stats.cache_hits.values()))"


def started(folder: Path, program: str = RELATIVE_SLOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """A new process that uses the package in a folder."""
    given = {key: value for key, value in os.environ.items() if key not in ("KALOOKI_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR")}
    given |= {"PYTHONPATH": str(folder), **environment}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=given, cwd=folder)


def test_the_same_sources_at_another_place_share_compiled_code(tmp_path: Path) -> None:
    for name in ("one", "two"):
        copy_package(tmp_path / name)
        (tmp_path / name / "kalooki_env" / "errors.py").touch()
    cached = {"KALOOKI_CACHE_DIR": str(tmp_path / "cache")}
    assert started(tmp_path / "one", **cached).stdout.split() == ["13", "0"]
    assert started(tmp_path / "two", **cached).stdout.split() == ["13", "1"]


def test_folders_for_compiled_code_are_closed_to_others(tmp_path: Path) -> None:
    program = f"import os; os.umask(0o002); {RELATIVE_SLOT}"
    done = started(PACKAGE.parent, program, KALOOKI_CACHE_DIR=str(tmp_path / "made" / "cache"))
    assert (done.returncode, done.stderr) == (0, "")
    root = tmp_path / "made" / "cache"
    assert root.stat().st_mode & 0o777 == 0o700
    assert [folder.stat().st_mode & 0o077 for folder in root.iterdir() if folder.is_dir()] == [0]


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path, mode: int) -> None:
    home, temporary = tmp_path / "home" / "kalooki_env", tmp_path / "tmp"
    home.mkdir(parents=True)
    temporary.mkdir()
    home.chmod(mode)
    done = started(PACKAGE.parent, XDG_CACHE_HOME=str(home.parent), TMPDIR=str(temporary))
    assert done.stdout.split() == ["13", "0"]
    assert f"{home} is not used for compiled code: others can write to it" in done.stderr
    assert not list(home.iterdir())
    private = list(temporary.iterdir())  # the next best folder
    assert [folder.stat().st_mode & 0o777 for folder in private] == [0o700]


@pytest.mark.parametrize("name", ["KALOOKI_CACHE_DIR", "TMPDIR"])
def test_without_a_folder_to_trust_nothing_is_stored(tmp_path: Path, name: str) -> None:
    open_one = tmp_path / "open"
    (open_one / f"kalooki_env-{os.getuid()}").mkdir(parents=True)
    (open_one / f"kalooki_env-{os.getuid()}").chmod(0o777)
    open_one.chmod(0o777)
    (tmp_path / "file").touch()
    done = started(PACKAGE.parent, **{"XDG_CACHE_HOME": str(tmp_path / "file"), name: str(open_one)})
    assert done.stdout.split() == ["13", "0"]
    assert done.stderr.count("others can write to it") == 1
    assert "every process compiles anew" in done.stderr
    assert [path for path in open_one.rglob("*") if path.is_file()] == []


def test_links_and_foreign_folders_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(real)
    assert cache.why_not_private(tmp_path / "link") == "it is a symbolic link"
    assert cache.why_not_private(real) is None
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert cache.why_not_private(real) == "it belongs to another user"
