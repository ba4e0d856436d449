"""The architecture: who may import whom, how long files may be, and what importing the package costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "kalooki_env"

#: What each layer may import of the package; every layer may import itself, `rules`, `values`, `errors`, `files` and `fields`.
LAYERS: dict[str, set[str]] = {
    "errors": set(),
    "files": set(),
    "fields": set(),
    "version": set(),
    "presets": set(),
    "values": set(),
    "rules": {"presets"},
    "core": set(),
    "game": {"core"},
    "observe": {"core", "game"},
    "records": {"core", "game", "version"},
    "render": {"core", "game", "records"},
    "referee": set(),
    "agents": {"core", "game", "observe"},
    "batch": {"core", "game", "observe", "agents"},
    "envs": {"core", "game", "observe", "records", "render", "agents", "batch"},
    "arena": {"core", "game", "observe", "records", "agents", "render"},
    "verify": {"core", "game", "referee", "agents", "observe"},
    "cli": {"core", "game", "observe", "records", "render", "referee", "agents", "batch", "envs", "arena", "verify"},
}
#: Packages of the extras `train` and `render`.
TRAINING_ONLY = {
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "pydantic",
    "yaml",
    "safetensors",
    "tensorboard",
    "matplotlib",
    "tqdm",
    "PIL",
}

FILES = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "kalooki_env"


def imports(path: Path) -> list[tuple[str, bool]]:
    """Modules that a file imports, and whether at the top of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = set(map(id, tree.body))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "kalooki_env" else [node.module]
            found += [(name, id(node) in top) for name in names]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    layer = parts[0]
    if layer in ("__init__", "__main__", "kalooki_v0"):
        return
    for module, _ in imports(path):
        assert module.split(".")[0] != "training"
        if module.startswith("kalooki_env"):
            below = layer_of(module)
            if below not in LAYERS:  # a public name of the package itself
                assert layer == "cli", module
                continue
            assert below in LAYERS[layer] | {layer, "rules", "values", "errors", "files", "fields"}, f"{layer} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_package_stands_without_the_training_packages(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] == "core":
        assert not [module for module, _ in imports(path) if module.split(".")[0] in ("gymnasium", "pettingzoo")]
    needed = [module for module, at_top in imports(path) if at_top and module.split(".")[0] in TRAINING_ONLY]
    # These modules are imported by those who ask for a network or a picture only.
    asked_for = ("network.py", "checkpoint.py", "models.py", "sb3.py", "faces.py", "labels.py", "paint.py")
    assert not needed or path.name in asked_for, needed


def test_the_referee_is_independent() -> None:
    for path in (PACKAGE / "referee").rglob("*.py"):
        for module, _ in imports(path):
            assert not module.startswith(("numpy", "numba"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_stay_short(path: Path) -> None:
    """The budget is 400 lines, the hard stop 600."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


def test_importing_compiles_nothing_opens_nothing_and_needs_no_torch(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "made = []\n"
        "def watch(event, args):\n"
        "    if event == 'os.mkdir' or (event == 'open' and 'w' in str(args[1])):\n"
        "        made.append(str(args[0]))\n"
        "sys.addaudithook(watch)\n"
        "import kalooki_env\n"
        "from kalooki_env.core import rng\n"
        "assert not rng.mix.signatures\n"
        f"bad = [name for name in {sorted(TRAINING_ONLY - {'yaml'})!r} if name in sys.modules]\n"  # Numba looks for PyYAML itself
        "assert not bad, bad\n"
        "assert not made, made\n"
    )
    environment = {"HOME": str(tmp_path), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(PACKAGE.parent)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert not list(tmp_path.iterdir())
