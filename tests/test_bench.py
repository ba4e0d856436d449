"""`kalooki bench`: what is counted, what is reported, and that the page shows what was measured."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalooki_env
from kalooki_env.cli import bench, bench_plot, bench_table
from kalooki_env.cli.bench_loops import Case, come_apart, env_loop, step_some, summary
from kalooki_env.cli.bench_parts import NAMES, QUICK, measure
from kalooki_env.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
COMMITTED = ROOT / "tests" / "bench" / "results" / "bench.json"
TINY = replace(
    QUICK,
    core_rounds=2,
    core_seconds=0.02,
    rounds=2,
    seconds=0.002,
    reference_seconds=0.002,
    num_envs=(1, 4),
    many=4,
    memory=64,
    apart=16,
    rollouts=((2, 4),),
)
PAGE = f"before\n{bench_table.FIRST}\nold\n{bench_table.LAST}\nafter\n"


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """A little of everything."""
    cache = {"folder": "x", "was_warm": True, "compile_cpu_seconds": None}
    return {**measure(NAMES, TINY), "machine": bench.machine(), "cache": cache}


@pytest.fixture
def saved(found: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(found, allow_nan=False), encoding="utf-8")
    return path


# ---- loops -----------------------------------------------------------------------------------------------------------


def test_in_self_play_all_decisions_count() -> None:
    env = Case("selfplay", 5).make()
    env.reset(seed=1)
    before = env.choices  # the decisions that the games stand at are among them
    assert step_some(env, 7) == 35 == env.choices - before


def test_of_a_seat_only_its_decisions_count() -> None:
    env, same = (kalooki_env.make_vec(8, opponents="greedy") for _ in range(2))
    for one in (env, same):
        one.reset(seed=1)
    asked, over = 0, np.zeros(8, np.bool_)
    for _ in range(150):
        asked += 8 - over.sum()
        over = same.step(same.sample_actions())[2]
    assert step_some(env, 150) == asked < 8 * 150


@pytest.mark.parametrize(("kind", "steps"), [("selfplay", 700), ("vec", 175)])
def test_games_come_apart(kind: str, steps: int) -> None:
    """Some are at the beginning of a deal, some near its end, and no stage is missing."""
    env = Case(kind, 64, {} if kind == "selfplay" else {"opponents": "random"}).make()
    env.reset(seed=1)
    step_some(env, steps // 2)
    assert np.quantile(env.lanes.states["turns"], 0.1) > 60, "together"
    come_apart(env, steps)
    turns = np.sort(env.lanes.states["turns"])
    assert (turns < 15).sum() >= 3
    assert (turns > 100).sum() >= 10
    assert np.diff(turns[:-10]).max() < 25


def test_cases_with_the_same_games_begin_at_the_same_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(Case, "make", lambda case, make=Case.make: made.append(make(case)) or made[-1])
    monkeypatch.setattr("kalooki_env.cli.bench_loops.repeated", lambda once, seconds, clock=None: (1, 1.0))
    states: dict[Any, Any] = {}
    forms = [{}, {"copy": False, "threads": 2}, {"observation": "obs-v1+solver", "observation_dtype": "float32"}]
    for options in forms:
        env_loop(Case("selfplay", 3, options, apart=50), states)
    assert len(states) == 1
    for env in made[1:]:
        assert env.lanes.states.tobytes() == made[0].lanes.states.tobytes()
        assert env.decisions().action_mask.tobytes() == made[0].decisions().action_mask.tobytes()
        env.close()


def test_medians_are_of_rates_and_of_ratios() -> None:
    rounds = [{"reference": 10.0, "decisions": 1.0}, {"reference": 1.0, "decisions": 3.0}, {"reference": 4.0, "decisions": 2.0}]
    one = summary(rounds)
    assert (one["decisions_per_second"], one["decisions_ratio"], one["rounds"]) == (2, 0.5, rounds)


# ---- results ---------------------------------------------------------------------------------------------------------


def test_the_core_has_names_of_its_own(found: dict[str, Any]) -> None:
    assert found["aec_ratio"] > 0
    assert found["batch_ratio"] > 0
    assert found["lanes"] == 1024
    names = ("aec_decisions_per_second", "batch_decisions_per_second", "reference_iterations_per_second", "load_seconds")
    assert all(found[name] > 0 for name in names)
    ratios = {"aec_ratio", "batch_ratio"}
    assert [set(one) for one in found["rounds"]] == [{"reference_per_second", "aec_per_second", "batch_per_second", *ratios}] * 2


def test_all_parts_have_rates(found: dict[str, Any]) -> None:
    assert {"core", *found["parts"], *found["skipped"]} == set(NAMES)
    counts = {"memory": 2, "batch": 9, "threads": 8, "observations": 6, "bots": 3, "players": 2, "deals": 2, "games": 5, "sb3": 3}
    assert {name: len(rows) for name, rows in found["parts"].items()}.items() <= counts.items()
    for name, rows in found["parts"].items():
        unit = "bytes_per_game" if name == "memory" else "steps_per_second" if name == "sb3" else "decisions_per_second"
        assert all(row[unit] > 0 for row in rows)
        assert {row["clock"] for row in rows} == {"wall" if name == "threads" else "cpu"}
    assert [row["options"]["threads"] for row in found["parts"]["threads"][:2]] == [1, 2]
    assert [row["options"]["opponents"] for row in found["parts"]["bots"]] == ["random", "greedy", "expert-v1"]


def test_without_stable_baselines_a_part_is_skipped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    only = measure(["sb3"], TINY)
    assert only["parts"] == {}
    assert "pip install" in only["skipped"]["sb3"]
    assert "sb3 is skipped: it needs sb3-contrib" in capsys.readouterr().err
    machine, cache = bench.machine(), {"folder": "x", "was_warm": True, "compile_cpu_seconds": 1.0}
    assert "sb3 is skipped" in bench_table.report_text({**only, "machine": machine, "cache": cache})


def test_the_report_names_every_call(found: dict[str, Any]) -> None:
    text = bench_table.report_text(found)
    for call in ("make_selfplay(4, copy=False)", "make_vec(4, opponents='greedy')", "make_selfplay(4, num_players=8)"):
        assert call in text
    assert "speed-up" in text
    assert "--cold" in text


# ---- the command -----------------------------------------------------------------------------------------------------


def test_a_part_in_a_process_of_its_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    assert main(["bench", "--quick", "--only", "memory", "--json", "--save", str(path)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data == json.loads(path.read_text(encoding="utf-8"))
    assert list(data["parts"]) == ["memory"]
    assert data["quick"] is True
    assert data["machine"]["kalooki_env"] == kalooki_env.__version__
    assert main(["bench", "--from", str(path)]) == 0
    assert "memory, kB a game" in capsys.readouterr().out


def test_a_page_from_saved_results(
    saved: Path, found: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    words = ["bench", "--from", str(saved), "--readme", str(page), "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["parts"] == found["parts"]
    text = page.read_text(encoding="utf-8")
    assert text == bench_table.page_with(PAGE, found)
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert "three `greedy`" in text
    assert main(words) == 0
    assert page.read_text(encoding="utf-8") == text, "the same again"


def test_a_page_of_some_parts(found: dict[str, Any]) -> None:
    for part in found["parts"]:
        few = {**{key: found[key] for key in ("machine", "rules", "num_players")}, "parts": {part: found["parts"][part]}}
        assert "nine deals equally often" in bench_table.markdown(few)


def test_the_readme_shows_the_results_that_are_kept() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command = f"kalooki bench --from {COMMITTED.relative_to(ROOT)} --readme README.md"
    assert text == bench_table.page_with(text, bench_table.load(str(COMMITTED))), f"run {command}"


def test_a_picture(saved: Path, found: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert main(["bench", "--from", str(saved), "--plot", str(tmp_path / "speed.png")]) == 0
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")
    assert len(bench_plot.lines_of(found)) == 4
    assert all(list(points) == [1, 4] for points in bench_plot.lines_of(found).values())
    assert "another two-core server" in bench_plot.caption(found).replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "core", "bacth"], "unknown part 'bacth' (did you mean 'batch'?)"),
        (["--from", "no_such_file.json"], "no_such_file.json cannot be read"),
        (["--from", "page.md"], "page.md is not a result of kalooki bench"),
        (["--from", "other.json"], "other.json is not a result of kalooki bench: it is not allowed: key rules is missing"),
        (["--from", "nothing.json"], "nothing.json is not a result of kalooki bench: it is not allowed: key rules is missing"),
        (["--from", "bench.json", "--quick"], "--quick is not allowed with --from"),
        (["--from", "bench.json", "--only", "core"], "--only is not allowed with --from"),
        (["--readme", "no_such_page.md"], "no_such_page.md cannot be read"),
        (["--readme", "other.json"], "no place for the results: <!-- bench -->"),
        (["--only", "core", "--plot", "speed.png"], "--plot needs the part batch"),
        (["--from", "core.json", "--plot", "speed.png"], "--plot needs the part batch"),
        (["--from", "bench.json", "--plot", "speed.xyz"], "speed.xyz cannot be drawn"),
        (["--save", "/no/such/folder/bench.json"], "no such folder"),
    ],
)
def test_bad_input_is_one_clear_line_before_anything_is_measured(
    words: list[str], message: str, saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--plot" in words:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(saved.parent)
    (saved.parent / "page.md").write_text(PAGE, encoding="utf-8")
    (saved.parent / "other.json").write_text("{}", encoding="utf-8")
    (saved.parent / "nothing.json").write_text('{"machine": {}}', encoding="utf-8")
    (saved.parent / "core.json").write_text(COMMITTED.read_text(encoding="utf-8").replace('"parts"', '"no"'), encoding="utf-8")
    assert main(["bench", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kalooki bench: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert not list(saved.parent.glob("*.png"))
