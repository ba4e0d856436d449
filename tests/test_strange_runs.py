"""What a run leaves for its resuming, in the hands of strangers; and that no file makes a process large or slow."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from strange_values import all_mutations

from kalooki_env.errors import CheckpointError, ConfigError
from kalooki_env.files import FileFault, read_arrays

ROOT = Path(__file__).resolve().parent.parent


# ---- arrays ----------------------------------------------------------------------------------------------------------


def npy(shape: tuple[int, ...], dtype: str = "<i8", body: bytes = b"") -> bytes:
    """An array of NumPy's format that says what it likes."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape!r}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + body


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy((10**12,)), "has 'a.npy' with"),
        (npy((2,), body=bytes(15)), "has 'a.npy' with"),
        (npy((-1,), body=bytes(8)), "has 'a.npy' with"),
        (npy((1,), "|O", bytes(8)), "has 'a.npy' with"),
        (npy((1,), "<i8", bytes(8))[:20], "is not what np.savez wrote"),
        (b"", "is not what np.savez wrote"),
        (b"\x93NUMPY\x09\x00", "version"),
        (npy((1,)).replace(b"descr", b"dscrr"), "is not what np.savez wrote"),
    ],
)
def test_arrays_that_say_more_than_they_hold_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", content)
    with pytest.raises(FileFault, match=message):
        read_arrays(path)


def test_arrays_that_are_packed_or_no_arrays_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    np.savez_compressed(path, a=np.zeros(10**6))
    with pytest.raises(FileFault, match="compressed"):
        read_arrays(path)
    np.savez(path, a=np.array([{}], object), allow_pickle=True)
    with pytest.raises(FileFault, match=r"has 'a\.npy'"):
        read_arrays(path)
    for data in (b"", b"PK\x03\x04", b"no zip", path.read_bytes()[:-30]):
        path.write_bytes(data)
        with pytest.raises(FileFault, match=r"is not what np\.savez wrote"):
            read_arrays(path)
    with pytest.raises(FileFault, match="cannot be read: No such file"):
        read_arrays(tmp_path / "none.npz")
    np.savez(path, a=np.arange(3), b=np.zeros((2, 0)))
    assert {name: one.shape for name, one in read_arrays(path).items()} == {"a": (3,), "b": (2, 0)}


# ---- the state of a run ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was stopped after its first update."""
    pytest.importorskip("torch")
    from training.config import load_config
    from training.ppo import train

    folder = tmp_path_factory.mktemp("stopped")
    config = load_config(ROOT / "configs" / "smoke.yaml", [f"output={folder}", "ppo.batch=64", "ppo.lanes=4"])
    assert not train(config, quiet=True, stop_after=1)
    return config.folder


@pytest.fixture
def run(stopped: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(stopped, tmp_path / stopped.name))


def resumed(run: Path) -> None:
    """Read the state of a run, as the trainer does before it plays on."""
    from training.checkpoint import load_resume
    from training.config import load_config
    from training.ppo import Engine, PolicyNetwork, SelfPlay, torch

    config = load_config(ROOT / "configs" / "smoke.yaml", [f"output={run.parent}", "ppo.batch=64", "ppo.lanes=4"])
    network = PolicyNetwork(config.make_observation(), config.network.hidden)
    optimizer = torch.optim.Adam(network.parameters())
    rng = np.random.default_rng(1)
    games = SelfPlay(config, Engine(config.make_rules(), config.table.players), network.observation, rng)
    games.restore(load_resume(config, network, optimizer, rng, games.saved())[0])


def test_every_value_of_the_state_of_a_run(run: Path) -> None:
    resumed(run)
    path = run / "resume" / "state.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["config"] = {"seed": told["config"]["seed"]} | told["config"]
    for name, text in all_mutations(told, 2):
        path.write_bytes(text.encode("utf-8"))
        try:
            resumed(run)
        except (CheckpointError, ConfigError) as error:
            assert "resume" in str(error), name  # noqa: PT017  (some are read)
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {str(error)[:300]}") from error


def test_other_files_of_a_run_are_refused_by_name(run: Path) -> None:
    folder = run / "resume"
    for name in ("weights.safetensors", "optimizer.safetensors", "selfplay.npz"):
        kept = (folder / name).read_bytes()
        for data in (b"", kept[:-1], kept + bytes(2 << 20), b"\xff" * 100, bytes(1000)):
            (folder / name).write_bytes(data)
            with pytest.raises(CheckpointError, match=rf"resume: {name}"):
                resumed(run)
        (folder / name).unlink()
        with pytest.raises(CheckpointError, match=f"{name} cannot be read"):
            resumed(run)
        (folder / name).write_bytes(kept)
    arrays = read_arrays(folder / "selfplay.npz")
    for change, message in (
        ({"who": arrays["who"][:2]}, "'who': found int64"),
        ({"who": arrays["who"].astype(np.int32)}, "'who': found int32"),
        ({"list_3": arrays["list_3"][:-1]}, "lists of different lengths"),
        ({"list_9": arrays["list_3"]}, "'list_9': found int64"),
    ):
        np.savez(folder / "selfplay.npz", **(arrays | change))
        with pytest.raises(CheckpointError, match=message):
            resumed(run)


def test_a_log_with_strange_lines_is_gone_on_with(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from training.logs import Logs

    path = tmp_path / "log.jsonl"
    strange = ["[1]", '{"decisions": NaN}', '{"decisions": "x"}', "[" * 10_000, '{"decisions": 1e400}', '{"deci']
    path.write_text("\n".join(['{"decisions": 1}', *strange]))
    logs = Logs(tmp_path, is_resumed=True, decisions=5)
    logs.write(2, {"loss": np.nan, "of": {"x": np.inf, "y": 1}})
    logs.close()
    assert path.read_text() == '{"decisions": 1}\n{"decisions": 2, "loss": null, "of": {"x": null, "y": 1}}\n'
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CheckpointError, match=r"log\.jsonl is not UTF-8"):
        Logs(tmp_path, is_resumed=True)
    with pytest.raises(ConfigError, match="cannot be written"):
        Logs(path / "inside", is_resumed=False)


# ---- size and time ---------------------------------------------------------------------------------------------------

#: Bytes that reading small files may add to a process, and seconds of work that all of them together may take.
ROOM, WORK = 200 << 20, 60


def large_files(folder: Path) -> None:
    """Small files that would like to be large."""
    info = json.loads((ROOT / "checkpoints" / "quickstart" / "checkpoint.json").read_text(encoding="utf-8"))
    for name, hidden in (("wide", [65_536] * 64), ("wider", [10**12, 10**12])):
        (folder / name).mkdir()
        shutil.copy(ROOT / "checkpoints" / "quickstart" / "weights.safetensors", folder / name)
        from kalooki_env.agents.checkpoint import info_digest

        told = info | {"network": info["network"] | {"hidden": hidden}}
        (folder / name / "checkpoint.json").write_text(json.dumps(told | {"info_sha256": info_digest(told)}), encoding="utf-8")
    (folder / "long").mkdir()
    shutil.copy(ROOT / "checkpoints" / "quickstart" / "checkpoint.json", folder / "long")
    with (folder / "long" / "weights.safetensors").open("wb") as file:
        file.truncate(1 << 34)  # a hole: it takes no room on the disk
    with (folder / "hole.jsonl").open("wb") as file:
        file.truncate(1 << 37)
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("kalooki_env.json", bytes(1 << 28))
    with zipfile.ZipFile(folder / "arrays.npz", "w") as archive:
        archive.writestr("a.npy", npy((10**12,)))
    (folder / "laughs.yaml").write_text(
        "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)), encoding="utf-8"
    )
    smoke = (ROOT / "configs" / "smoke.yaml").read_text(encoding="utf-8")
    (folder / "lanes.yaml").write_text(smoke.replace("lanes: 16", f"lanes: {10**12}"), encoding="utf-8")
    (folder / "deep.yaml").write_text("a: " + "[" * 10_000, encoding="utf-8")
    (folder / "block.yaml").write_text("".join(" " * i + "a:\n" for i in range(400)), encoding="utf-8")


PROGRAM = """
import resource, sys, time
from pathlib import Path
from kalooki_env import KalookiError, agents, read_record
from kalooki_env.agents.checkpoint import CheckpointAgent
from kalooki_env.files import FileFault, read_arrays
from training.config import load_config
import sb3_contrib
folder, room = Path(sys.argv[1]), int(sys.argv[2])
agents.load(sys.argv[3])  # what any reading needs is there
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + room, size + room))
before = time.process_time()
for path in sorted(folder.iterdir()):
    kind = path.suffix
    if path.is_dir():
        read, name = agents.load, path
    elif kind == ".zip":
        read, name = agents.load, f"sb3:{path}"
    else:
        read, name = {".jsonl": read_record, ".yaml": load_config, ".npz": read_arrays}[kind], path
    try:
        read(name)
    except (KalookiError, FileFault) as error:
        print(path.name, str(error)[:200])
print(time.process_time() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's way to tell the size of a process")
def test_small_files_stay_small_and_large_ones_are_not_read(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    large_files(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", PROGRAM, str(tmp_path), str(ROOM), str(ROOT / "checkpoints" / "quickstart")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, seconds = done.stdout.splitlines()
    assert {line.split()[0] for line in lines} == {path.name for path in tmp_path.iterdir()}, done.stdout
    assert float(seconds) < WORK
