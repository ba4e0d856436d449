"""Evaluation in several processes: the same results, errors that come back, and nothing left behind when it is stopped."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kalooki_env.agents.scripted import GreedyAgent
from kalooki_env.arena import Arena, DealSet, evaluate
from kalooki_env.arena.chunks import chunks_of
from kalooki_env.errors import AgentError, ConfigError, IllegalActionError, PositionError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.rules import Rules

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def table() -> Engine:
    return engine(Rules(), 4)


class Unlucky(GreedyAgent):
    """An agent with chance that other processes know as a pickle only."""

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        chosen = super().act(observations, masks, rng)
        return np.where(rng.random(len(chosen)) < 0.1, np.argmax(masks, axis=1), chosen)


def test_any_number_of_processes_gives_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalooki_env.arena.chunks.TABLES", 20)
    finished: list[int] = []

    class Bar:
        def __enter__(self) -> Any:
            return finished.append

        def __exit__(self, *error: object) -> None:
            pass

    one, two = (evaluate(Unlucky(), ["random"], deal=[1, 5], deals=5, jobs=jobs, bar=lambda tables: Bar()) for jobs in (1, 2))
    assert one.raw() == two.raw()
    assert sum(finished) == 2 * sum(len(found.turns) * found.rotations for found in one.line_ups)


def test_more_deals_leave_full_chunks_as_they_are(table: Engine) -> None:
    few, many = (
        chunks_of(table, ("greedy", *["random"] * 3), DealSet.make(table, range(1, 10), count, 3), 7) for count in (10, 24)
    )
    assert [len(few), len(many)] == [1, 3]
    assert [chunk.tables for chunk in many] == [360, 360, 144]
    assert few[0].deals.seeds.tolist() == many[0].deals.seeds.tolist()
    assert few[0].seeds == many[0].seeds != many[1].seeds
    assert sorted(np.concatenate([chunk.rows for chunk in many]).tolist()) == list(range(216))


def test_line_ups_of_one_call_are_those_of_several(table: Engine) -> None:
    deals = DealSet.make(table, [1, 2], 3, 0)
    line_ups = [("a", "b", "b", "b"), ("b",) * 4]
    one, other = (Arena(table, {"a": "greedy", "b": "random"}, deals, 0) for _ in range(2))
    one.play(line_ups)
    for line_up in reversed(line_ups):
        assert one.line_up(line_up).raw() == other.line_up(line_up).raw()


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_agents_that_cannot_be_sent_and_wrong_jobs_are_refused() -> None:
    class Local(GreedyAgent):
        pass

    with pytest.raises(ConfigError, match="'Local' cannot be sent to other processes"):
        evaluate(Local(), ["random"], deal=[1], deals=1, jobs=2)
    for jobs in (0, -1, 1.5, True):
        with pytest.raises(ConfigError, match=r"jobs .* is not allowed; allowed: a whole number from 1 to"):
            evaluate("greedy", ["random"], deal=[1], deals=1, jobs=jobs)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(AgentError, match="did you mean 'greedy'"):
        evaluate("gredy", ["random"], deal=[1], deals=1, jobs=2)


BAD_AGENTS = """
import os
import numpy as np
class Cheat:
    observation = None
    def act(self, views, masks, rng):
        return np.argmin(masks, axis=1)
class Leaver(Cheat):
    def act(self, views, masks, rng):
        os._exit(3)
class Sleeper(Cheat):
    def act(self, views, masks, rng):
        import pathlib, time
        pathlib.Path(f"asleep{os.getpid()}").touch()
        time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bad_agents.py").write_text(BAD_AGENTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_errors_of_agents_come_back(folder: Path) -> None:
    with pytest.raises(AgentError, match="'bad_agents:Cheat' chose action") as caught:
        evaluate("bad_agents:Cheat", ["random"], deal=[1], deals=2, jobs=2)
    assert caught.value.position is not None
    with pytest.raises(AgentError, match="a process that played ended by itself"):
        evaluate("bad_agents:Leaver", ["random"], deal=[1], deals=2, jobs=2)


def test_errors_survive_pickling() -> None:
    for error in (IllegalActionError("no", "kalooki: 1", 7), PositionError(["one", "two"]), AgentError("no", "kalooki: 1")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("how", ["ctrl-c", "kill"])
def test_stopping_leaves_no_process_behind(folder: Path, how: str) -> None:
    command = [sys.executable, "-m", "kalooki_env", "evaluate", "bad_agents:Sleeper", "--against", "random", "--deal", "1"]
    with subprocess.Popen(
        [*command, "--deals", "2", "--jobs", "2"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whoever runs the tests in the background may have switched it off, which children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as started:
        wait_for(lambda: len(list(folder.glob("asleep*"))) == 2)
        if how == "ctrl-c":
            os.killpg(started.pid, signal.SIGINT)  # as a terminal does: to all of them
            _, err = started.communicate(timeout=20)
            assert started.returncode == 130
            assert "Traceback" not in err
        else:
            started.kill()
        wait_for(lambda: not [pid for path in folder.glob("asleep*") if alive(pid := int(path.name.removeprefix("asleep")))])


def wait_for(condition: Any) -> None:
    """Wait until something is so."""
    until = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < until, "waited for too long"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


SCRIPT = """
from kalooki_env.arena import evaluate

{guard}
    found = evaluate("greedy", ["random"], deal=1, deals=4, jobs=2, self_play=False)
    print(found.comparisons[0].difference().count)
"""


@pytest.mark.parametrize("guard", ["if True:", 'if __name__ == "__main__":'])
def test_a_script_without_a_guard_is_told_to_have_one(guard: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(guard=guard), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment, check=False)
    if "__main__" in guard:
        assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "")
    else:
        assert done.returncode == 1
        assert "ConfigError: none of 2 jobs could start" in done.stderr
        assert 'under `if __name__ == "__main__":`' in done.stderr
        assert done.stderr.count("Traceback") == 1
        assert "bootstrapping" not in done.stderr
        assert "BrokenProcessPool" not in done.stderr


def test_standard_input_is_no_script_to_be_imported() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    text = SCRIPT.format(guard='if __name__ == "__main__":')
    done = subprocess.run([sys.executable, "-"], input=text, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert "must be a file" in done.stderr
