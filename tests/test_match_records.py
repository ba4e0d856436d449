"""Records of matches and series, from the environment and the command line."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalooki_env
from kalooki_env import RecordWriter, read_record
from kalooki_env.agents.play import Player
from kalooki_env.cli.main import main
from kalooki_env.game.match import Match, deal_seed
from kalooki_env.records.matches import begin_deal, note_ends

LANE = np.zeros(1, np.int64)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.jsonl"


def played(env: Any, seed: int | None) -> dict[str, Any]:
    """Play a match with greedy at all seats; the last infos of an agent."""
    env.reset(seed=seed)
    rng, info = np.random.default_rng(1), {}
    players: dict[int, Player] = {}
    for _agent in env.agent_iter():
        observation, _, termination, _, info = env.last()
        if termination:
            env.step(None)
            continue
        table = env._engine
        player = players.setdefault(id(table), Player(kalooki_env.agents.load("greedy"), table, "greedy"))
        env.step(int(player.act(env._states, LANE, observation["action_mask"][None], rng)[0]))
    return info


@pytest.mark.parametrize(("rules", "players"), [("jamaican", 3), ("best_of_3", 3)])
def test_the_environment_records_matches(rules: str, players: int, path: Path) -> None:
    env = kalooki_env.env(rules, players, episode="match", record=path)
    infos = [played(env, 5), played(env, None)]
    env.reset()
    env.step(106)
    env.close()
    record = read_record(path)
    ends = [match for match in record.matches if match.is_series or rules == "jamaican"]
    assert [list(end.totals) for end in ends] == [list(info["totals"]) for info in infos]
    assert len(record.matches) == (2 if rules == "jamaican" else 2 * 4)
    assert record.deals[-1].abandoned == "the record was closed"
    assert [deal.number for deal in record.deals[:9]] == list(range(1, 10))
    assert record.deals[1].totals == (record.deals[0].outcome.scores if record.deals[0].outcome else None)
    dealers = [deal.dealer for deal in record.deals[:9]]
    assert [(b - a) % players for a, b in itertools.pairwise(dealers)] == [1] * 8


def test_a_sudden_death_is_recorded_at_a_table_of_its_own(path: Path) -> None:
    match = Match("jamaican", 3, seed=1, scores=[[20, 90, 20]] * 9)
    with RecordWriter(path, "jamaican", 3, seats=["a", "b", "c"]) as writer:
        while match.game is not None:
            before = match.score
            begin_deal(writer, match.game, before, deal_seed(1, len(before.rows)))
            player = Player(kalooki_env.agents.load("greedy"), match.game.engine, "greedy")
            while match.score is before:
                game = match.game
                action = int(player.act(game.states, LANE, game.mask()[None], np.random.default_rng(0))[0])
                writer.act(action)
                match.do(action)
            note_ends(writer, before, match.score)
    record = read_record(path)
    assert record.deals[0].totals == (180, 810, 180)
    assert record.deals[0].sits == (0, 2)
    assert record.deals[0].seats == ("a", "c")
    assert match.outcome is not None
    assert record.matches[-1].winners == match.outcome.winners
    assert record.matches[-1].totals == match.outcome.totals


def test_simulate_records_a_match(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "--match", "--agents", "greedy", "expert", "greedy", "--players", "3", "--seed", "3", "--json"]
    assert main([*words, "--record", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == told, "a record changes nothing"
    record = read_record(path)
    assert record.matches[-1].totals == tuple(told["totals"])
    assert record.matches[-1].winners == tuple(told["winners"])
    assert record.matches[-1].places == tuple(told["places"])
    assert [deal.seed for deal in record.deals] == [deal["seed"] for deal in told["deals"]]
    for deal, other in zip(record.deals, told["deals"], strict=True):
        assert [f"P{step.seat + 1} {step.action}" for step in deal.steps] == other["actions"]
    assert main(["replay", str(path), "--check"]) == 0
    assert "match over: " in capsys.readouterr().out
