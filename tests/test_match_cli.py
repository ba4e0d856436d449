"""`kalooki simulate --match`: sheets for people, everything as JSON, the same seed the same match."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kalooki_env.cli.main import main
from kalooki_env.game.game import Game
from kalooki_env.game.match import Match
from kalooki_env.game.match_score import MatchScore
from kalooki_env.rules import Rules


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Standard output of `kalooki simulate --match`."""
    assert main(["simulate", "--match", *words]) == 0
    return capsys.readouterr().out


def loaded(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(run(capsys, *words, "--json"))


def test_json_holds_everything(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agents", "greedy", "random", "greedy", "--players", "3", "--rules", "short7", "--seed", "4"]
    data = loaded(capsys, *words)
    assert data == loaded(capsys, *words), "the same seed, the same match"
    assert data != loaded(capsys, *words[:-1], "5")
    score = MatchScore.of(data["rules"], 3, [deal["scores"] for deal in data["deals"]], data["first_dealer"])
    assert score.outcome is not None
    assert (data["winners"], data["places"], data["totals"]) == tuple(list(part) for part in score.outcome[:3])
    for deal in data["deals"]:
        game = Game(data["rules"], 3, deal=deal["deal"], dealer=deal["dealer"], seed=deal["seed"])
        for action in deal["actions"]:
            game.do(action.partition(" ")[2])
        assert game.outcome is not None
        assert list(game.outcome.scores) == deal["scores"]
    assert Match("short7", 3, seed=4).score.first_dealer == data["first_dealer"]


def test_the_sheet_names_agents_and_winners(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--players", "3", "--agents", "greedy", "random", "random", "--rules", "short7"]
    data, text = loaded(capsys, *words), run(capsys, *words)
    assert all(name in text for name in ("P1 greedy", "P2 random", "P3 random", "4 fours", "wins the match"))
    assert (
        text == Match("short7", 3, seed=0, scores=[deal["scores"] for deal in data["deals"]]).sheet(data["agents"]) + "seed 0\n"
    )


def test_a_tie_is_played_out(capsys: pytest.CaptureFixture[str]) -> None:
    """A match of one deal, to have it cheap; with this seed it is blocked and tied."""
    data = loaded(capsys, "--agents", "random", "--rules", "jamaican deals=333/9", "--seed", "118")
    assert [deal["kind"] for deal in data["deals"]] == ["deal", "sudden death"]
    assert data["deals"][1]["seats"] == [1, 3]
    assert data["deals"][1]["scores"][0] is None
    assert len(data["winners"]) == 1
    text = run(capsys, "--show", "--agents", "random", "--rules", "jamaican deals=333/9", "--seed", "118")
    assert "--- sudden death: P1 random (P2 of the match), P2 random (P4 of the match)\n" in text
    assert "sudden death  3 threes" in text


def test_best_of_three_for_a_pot(capsys: pytest.CaptureFixture[str]) -> None:
    rules = Rules.preset("best_of_3", stakes="pot", stake=5, deals=("333/9", "444/12"))
    words = ["--rules", str(rules), "--players", "3"]
    data = loaded(capsys, *words)
    assert [deal["match"] for deal in data["deals"] if deal["kind"] == "deal"] == [1, 1, 2, 2, 3, 3]
    assert sum(data["matches_won"]) >= 3
    assert sum(data["chips"]) == pytest.approx(0)
    assert "wins the series" in run(capsys, *words)


def test_stakes_per_deal(capsys: pytest.CaptureFixture[str]) -> None:
    data = loaded(capsys, "--rules", "stakes_per_deal deals=333/9,3333/12", "--players", "3")
    assert [sum(deal["chips"]) for deal in data["deals"]] == [0, 0]
    assert sorted(data["deals"][0]["chips"]) == [-2, -2, 4]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--deal", "3"], "--deal is not allowed with --match"),
        (["--deals", "3"], "--deals is not allowed with --match"),
        (["--agents", "greedy", "random"], "2 agents for 4 seats"),
        (["--players", "2"], "2 players are not allowed in a match"),
        (["--rules", "south_african"], "must be supplied"),
        (["--rules", "stakes_pot stake=-1"], "rules key stake"),
    ],
    ids=str,
)
def test_bad_input_is_one_clear_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--match", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kalooki simulate: error: ")
    assert message in err
