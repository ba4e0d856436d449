"""`suite-v1`: what is frozen, what is kept, and the table that it fills."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kalooki_env.agents import load as load_agent
from kalooki_env.arena import Arena, evaluate, scoreboard
from kalooki_env.arena.chunks import deal_lanes
from kalooki_env.arena.suite import SPECS, Results, Spec, digest_of, play_suite
from kalooki_env.cli.main import main
from kalooki_env.errors import ConfigError

ROOT = Path(__file__).resolve().parent.parent
COMMITTED = sorted((ROOT / "tests" / "bench" / "results" / "suite-v1").glob("*.json.gz"))
V1, KALUKI = SPECS["v1"], SPECS["v1-kaluki51"]


@pytest.fixture
def suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Plays the first deal of each number."""

    def play(*words: str, code: int = 0) -> str:
        assert main(["evaluate", "--suite", "v1", "--out", str(tmp_path), "--deals", "1", *words]) == code
        out, err = capsys.readouterr()
        return out if code == 0 else err

    return play


# ---- frozen: if one of these fails, it is a change of the suite, and wants a new version ------------------------------


def digest(*arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in arrays)).hexdigest()[:16]


def test_the_specification_is_frozen() -> None:
    assert {name: spec.digest for name, spec in SPECS.items()} == {"v1": "80567feaac870c96", "v1-kaluki51": "cf78afe36ba8defe"}


@pytest.mark.parametrize(
    ("spec", "preset", "frozen"),
    [
        (V1, "jamaican", "b217b7b9d6a56c8c"),
        (V1, "jamaican_club", "b217b7b9d6a56c8c"),
        (KALUKI, "kaluki51", "d18dfe78656e0336"),
    ],
)
def test_the_cards_are_frozen(spec: Spec, preset: str, frozen: str) -> None:
    """All cards in hands, stock and pile, and the generators that the reshuffles come from."""
    deals = spec.deal_set(preset, spec.deals_per_number)
    states = deal_lanes(spec.table(preset), deals.numbers, deals.dealers, deals.seeds)
    fields = ("deal", "dealer", "hands", "stock", "stock_n", "pile", "pile_n", "rng")
    assert digest(*(states[field] for field in fields)) == frozen


#: Digests of scores of four copies.
PLAY = {
    ("jamaican", "random"): "883705c80d53e9d3",
    ("jamaican", "greedy"): "739649795163fe94",
    ("jamaican", "expert-v1"): "e605ab9857e03a97",
    ("jamaican_club", "random"): "f01b05bf59b79bc8",
    ("jamaican_club", "greedy"): "fcc49b5c4e8ab8a2",
    ("jamaican_club", "expert-v1"): "2a728465b4de9fe2",
    ("kaluki51", "random"): "2ca234870b44b595",
    ("kaluki51", "greedy"): "68cca745e36aa6f4",
    ("kaluki51", "expert-v1"): "03c9a27c7fdefece",
}


@pytest.mark.parametrize(("spec", "preset", "opponent"), [(spec, *part) for spec in SPECS.values() for part in spec.parts])
def test_the_play_of_the_opponents_is_frozen(spec: Spec, preset: str, opponent: str) -> None:
    """It shows a change of an opponent or of the rules."""
    arena = Arena(
        spec.table(preset), {opponent: load_agent(opponent)}, spec.deal_set(preset, 20 if spec is V1 else 100), spec.seed
    )
    scores = arena.line_up((opponent,) * 4).scores[opponent]
    assert digest(np.rint(scores * 4).astype(np.int64)) == PLAY.get((preset, opponent), "not written down yet")


# ---- results ---------------------------------------------------------------------------------------------------------


def test_a_part_is_what_an_evaluation_says() -> None:
    results = Results(V1, "greedy", "greedy", None, 2)
    play_suite(results)
    for preset in V1.presets:
        found = evaluate("greedy", ["random"], rules=preset, deals=2, seed=V1.seed, self_play=False).comparisons[0]
        part = results.parts[preset, "random"]
        assert part.difference().as_dict() == pytest.approx(found.difference().as_dict())
        assert part.difference(4).as_dict() == pytest.approx(found.difference(4).as_dict())
        row, theirs = part.row(), found.row()
        assert all(row[key] == pytest.approx(theirs[key]) for key in ("score", "baseline_score", "went_out", "opened"))
        itself = results.parts[preset, "greedy"]
        assert itself.points == itself.baseline_points


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path, whole = (tmp_path / f"{name}.json.gz" for name in ("random", "whole"))

    def stop(results: Results) -> None:
        scoreboard.save(results, path)
        if len(results.parts) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_suite(Results(V1, "random", "random", None, 1), keep=stop)
    results = scoreboard.resumed(Results(V1, "random", "random", None, 1), path)
    assert results.missing == V1.parts[2:]
    kept: list[int] = []
    play_suite(results, keep=lambda found: kept.append(len(found.parts)))
    assert kept == [3, 4, 5, 6]
    scoreboard.save(results, path)
    again = Results(V1, "random", "random", None, 1)
    play_suite(again)
    scoreboard.save(again, whole)
    assert path.read_bytes() == whole.read_bytes()


def test_results_of_something_else_are_not_overwritten(suite: Callable[..., str], tmp_path: Path) -> None:
    suite("random", "--name", "x")
    first = (tmp_path / "x.json.gz").read_bytes()
    assert "holds other results (agent ('random', None), not ('greedy', None))" in suite("greedy", "--name", "x", code=2)
    assert "deals per number 1, not 2" in suite("random", "--name", "x", "--deals", "2", code=2)
    data = json.loads(gzip.decompress(first))
    (tmp_path / "x.json.gz").write_bytes(gzip.compress(json.dumps({**data, "spec_digest": "0"}).encode()))
    assert "is of another suite (0)" in suite("random", "--name", "x", code=2)
    (tmp_path / "x.json.gz").write_bytes(first[:100])
    assert "is not a file of results" in suite("random", "--name", "x", code=2)
    suite("random", "--name", "x", "--fresh")
    assert (tmp_path / "x.json.gz").read_bytes() == first


def test_digests_tell_weights_and_code_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "checkpoint"
    shutil.copytree(ROOT / "checkpoints" / "quickstart", folder)
    agent = load_agent("greedy")
    before = digest_of(str(folder), agent)
    (folder / "evaluation.json").write_text("")
    assert digest_of(str(folder), agent) == before
    (folder / "weights.safetensors").write_bytes(b"others")
    assert digest_of(str(folder), agent) != before
    monkeypatch.chdir(tmp_path)
    module = tmp_path / "some_agent.py"
    module.write_text("from kalooki_env.agents.scripted import GreedyAgent\nclass Mine(GreedyAgent):\n    pass\n")
    mine = load_agent("some_agent:Mine")
    before = digest_of("some_agent:Mine", mine)
    module.write_text(module.read_text() + "# changed\n")
    assert digest_of("some_agent:Mine", mine) not in (before, None)
    assert digest_of("greedy", agent) is None


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.name)
def test_committed_results_are_rows_of_the_readme(path: Path) -> None:
    results = scoreboard.load(path, V1)
    assert not results.missing
    assert scoreboard.path_of(path.parent, results.name) == path
    assert path.stat().st_size < 300_000
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text == scoreboard.table_with(text, V1, scoreboard.row_text(results)), f"put {path.name} into README.md with --readme"


def test_rows_of_the_readme_have_results() -> None:
    first, last = scoreboard.marks(V1)
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition(first)[2].partition(last)[0]
    assert re.findall(r"^\| `(.*?)`", table, re.MULTILINE) == sorted(
        (scoreboard.load(path, V1).name for path in COMMITTED), key=lambda name: table.index(f"| `{name}`")
    )


# ---- the table -------------------------------------------------------------------------------------------------------


def test_rows_are_replaced_and_ordered() -> None:
    first, last = scoreboard.marks(V1)
    page = f"before\n{first}\n{last}\nafter\n"
    rows = {
        name: f"| `{name}` | 9,000 | +1.0 ± 0.1 | +1.0 | {one} | +1.0 ± 0.1 | +1.0 ± 0.1 | {other} |"
        for name, one, other in (
            ("worse", "-9.0 ± 0.5", "+1.0 ± 0.5"),
            ("expert-v1", "itself", "itself"),
            ("best", "+3.0 ± 0.5", "-1.0 ± 0.5"),
        )
    }
    for row in (*rows.values(), rows["worse"]):
        page = scoreboard.table_with(page, V1, row)
    assert page.startswith(f"before\n{first}\n| Agent | Deals | `jamaican`: `random` |")
    assert page.endswith(f"{rows['best']}\n{rows['expert-v1']}\n{rows['worse']}\n{last}\nafter\n")
    better = rows["worse"].replace("-9.0", "+9.0")
    page = scoreboard.table_with(page, V1, better)
    assert page.count("`worse`") == 1
    assert page.index(better) < page.index(rows["best"])
    with pytest.raises(ConfigError, match="are missing"):
        scoreboard.table_with("no table", V1, better)
    with pytest.raises(ConfigError, match="cannot be read"):
        scoreboard.table_with(page, V1, "| `x` | 9,000 | ? | ? | ? | ? | ? | ? |")


def test_files_are_named_after_agents() -> None:
    assert scoreboard.path_of("a", "checkpoints/quickstart").name == "checkpoints-quickstart.json.gz"
    assert scoreboard.path_of("a", "../my agent").name == "my-agent.json.gz"
    for name in ("a|b", "", "`", "...", "a\nb", "x" * 61):
        with pytest.raises(ConfigError, match="--name"):
            scoreboard.check_name(name)


# ---- the command -----------------------------------------------------------------------------------------------------


def test_the_example_of_the_readme(
    suite: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- agent: (my_agent.py) -->\n```python\n(.*?)```", text, re.DOTALL)
    assert found
    (tmp_path / found[1]).write_text(found[2])
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = ["--agent", "my_agent:MyAgent", "--name", "my agent", "--readme", "README.md"]
    out = suite(*words)
    row = next(line for line in out.splitlines() if line.startswith("| `my agent` | 9 | "))
    assert out.count("\n   all ") == 2
    assert f"\n{row}\n" in (tmp_path / "README.md").read_text(encoding="utf-8")
    # Once more, nothing is played, and the page stays as it is.
    page = (tmp_path / "README.md").read_bytes()
    monkeypatch.setattr("kalooki_env.arena.processes.play_chunk", None)
    data = json.loads(suite(*words, "--json"))
    assert (tmp_path / "README.md").read_bytes() == page
    assert len(data["parts"]) == 6
    assert data["spec_digest"] == V1.digest
    (tmp_path / found[1]).write_text(found[2] + "# changed\n")
    assert "holds other results" in suite(*words, code=2)
    del sys.modules["my_agent"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--suite", "v2", "greedy"], "unknown suite 'v2'; allowed: v1, v1-kaluki51"),
        (["--suite", "v1", "greedy", "--rules", "jamaican", "--seed", "0"], "--rules, --seed: not allowed with --suite"),
        (["--suite", "v1", "greedy", "--against", "random"], "--against: not allowed"),
        (["--suite", "v1", "greedy", "--players", "4", "--deal", "1"], "--players, --deal: not allowed"),
        (["--suite", "v1", "greedy", "--no-self-play", "--raw", "x"], "--self-play, --raw: not allowed"),
        (["--suite", "v1", "greedy", "--deals", "1001"], "--deals 1001 is not allowed; allowed: a whole number from 1 to 1000"),
        (["--suite", "v1", "greedy", "--jobs", "0"], "--jobs 0 is not allowed"),
        (["--suite", "v1", "gredy"], "did you mean 'greedy'"),
        (["--suite", "v1", "greedy", "--readme", "/no/such/page.md"], "cannot be read"),
        (["--suite", "v1", "greedy", "--plot", "/no/such/folder/x.png"], "no such folder"),
        (["greedy", "--name", "x", "--fresh"], "--name, --fresh: allowed with --suite only"),
    ],
)
def test_wrong_options_are_one_clear_line(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith("kalooki evaluate: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["random", "--agent", "greedy"], ["--suite", "v1"]])
def test_exactly_one_agent(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *words])
    assert ended.value.code == 2


def test_a_picture(suite: Callable[..., str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    suite("random", "--plot", str(tmp_path / "random.png"))
    assert (tmp_path / "random.png").read_bytes().startswith(b"\x89PNG")
