"""Searches: what they imagine, what they may see, and that they repeat."""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from conftest import PRESETS

import kalooki_env
from kalooki_env import agents, core
from kalooki_env.agents import rollouts
from kalooki_env.agents.play import Player
from kalooki_env.agents.search import CheatHands, SearchAgent
from kalooki_env.arena import evaluate
from kalooki_env.cli.main import main
from kalooki_env.core.solver import contract_distance
from kalooki_env.errors import AgentError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.rules import Rules
from kalooki_env.verify import mixed_policy

LANE = np.zeros(1, np.int64)


def some_positions(preset: str, num_players: int, count: int) -> list[Game]:
    """Positions with a choice in games with some random play."""
    rng = np.random.default_rng(5)
    found = []
    for deal in (1, 3, 9):
        game = Game(preset, num_players, deal=deal, seed=deal)
        while game.to_move is not None and len(found) < count * deal:
            legal = game.legal_numbers()
            if len(legal) > 1 and rng.random() < 0.15:
                found.append(game.copy())
            game.do(mixed_policy(game, legal, rng))
    return found


def imagined(game: Game, knows: int, seed: int = 1) -> np.ndarray:
    """Another position that the seat to move might be in."""
    table, seat = game.engine, game.to_move
    assert seat is not None
    worlds = np.zeros(3, core.STATE)
    core.seed_lanes(worlds[2:], np.array([seed], np.uint64))
    paces = np.ones((rollouts.ROUNDS, 1), np.int64)
    pool, scratch = np.zeros(core.MAX_DECK, np.uint8), np.zeros((5, core.CARDS), np.uint8)
    imagine_lane(game.states, game.view(seat), table.record, table.feas, table.dist, knows, paces, worlds, pool, scratch)
    return worlds[:1]


@core.kernel
def imagine_lane(states, views, rules, feas, dist, knows, paces, worlds, pool, scratch):
    rollouts.imagine(states, views, 0, rules[0], feas, dist, knows, paces, worlds, pool, scratch)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("num_players", [3, 4, 8])
def test_an_imagined_position_looks_the_same_to_the_seat(preset: str, num_players: int) -> None:
    """And it is a possible one: the same seat may do the same, and no card is lost."""
    for game in some_positions(preset, num_players, 4):
        seat = game.to_move
        assert seat is not None
        for knows in (rollouts.UNIFORM, rollouts.PACED):
            state = imagined(game, knows)
            other = Game(preset, num_players, deal=int(game.states[0]["deal"]))
            other.states[:] = state
            other = Game.from_text(other.text())  # reads what is possible only, and counts cards
            assert other.legal_actions() == game.legal_actions()
            assert other.view(seat).tobytes() == game.view(seat).tobytes()


def test_imagined_hands_are_as_near_as_hands_are(table: Engine) -> None:
    """Dealt at random they are too far from their contracts; what they are known to hold stays."""
    far: dict[int, list[int]] = {rollouts.UNIFORM: [], rollouts.PACED: []}
    for game in some_positions("jamaican", 4, 8):
        for knows, distances in far.items():
            state = imagined(game, knows)[0]
            deal = Rules().contract(int(state["deal"]))
            for seat in set(range(4)) - {game.to_move}:
                hand = state["hands"][seat]
                known = state["known"][core.CARDS * seat : core.CARDS * (seat + 1)]
                assert (hand >= known).all()
                if not state["opened"][seat]:
                    hand = np.ascontiguousarray(hand)
                    distances.append(
                        int(contract_distance(hand, table.record[0], table.feas, table.dist, deal.threes, deal.fours))
                    )
    assert np.mean(far[rollouts.PACED]) < 1.6 < 3 < np.mean(far[rollouts.UNIFORM])


@pytest.fixture
def table() -> Engine:
    return engine(Rules(), 4)


def test_a_search_with_rollouts_repeats(table: Engine) -> None:
    games = some_positions("jamaican", 4, 3)
    answers = []
    for _ in range(2):
        player = Player(agents.load("search:rollouts=20"), table, "search")
        rng = np.random.default_rng(3)
        answers.append([int(player.act(game.states, LANE, game.mask()[None], rng)[0]) for game in games])
    assert answers[0] == answers[1]


def test_a_search_keeps_its_time(table: Engine) -> None:
    """Not as a measure of speed: it comes back, and with an answer, whatever time it has."""
    game = some_positions("jamaican", 4, 1)[0]
    for agent in (SearchAgent(ms=0), SearchAgent(ms=20, bot="greedy", hidden="uniform", turns=0)):
        player = Player(agent, table, "search")
        assert player.act(game.states, LANE, game.mask()[None], np.random.default_rng(0))[0] in game.legal_numbers()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("search:speed=1", r"unknown option 'speed=1'.*allowed: ms, rollouts, z, bot, hidden, turns, lessons"),
        ("search:ms=1,rollouts=1", "ms=1 and rollouts=1 is not allowed; allowed: one of the two"),
        ("search:rollouts=-1", "rollouts=-1 is not allowed; allowed: a whole number from 0 to 1000000"),
        ("search:ms=soon", "ms='soon' is not allowed; allowed: a number from 0 to 3600000"),
        ("search:ms=1e400", "ms='1e400' is not allowed"),
        ("search:ms=nan", "ms='nan' is not allowed"),
        ("search:ms=10000000000000000000000", "ms=10000000000000000000000 is not allowed"),
        ("search:rollouts=1_000", "rollouts='1_000' is not allowed"),
        ("search:rollouts=2.5", "rollouts=2.5 is not allowed; allowed: a whole number"),
        ("search:lessons=1000000000", "lessons=1000000000 is not allowed; allowed: a whole number from 0 to 10000"),
        ("search:turns=-1", "turns=-1 is not allowed"),
        ("search:bot=gredy", r"bot='gredy' is not allowed \(did you mean 'greedy'\?\)"),
        ("cheat", "unknown agent 'cheat'"),
    ],
)
def test_wrong_options_are_named(name: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agents.load(name)


def test_searches_can_be_sent_to_other_processes() -> None:
    assert isinstance(pickle.loads(pickle.dumps(agents.load("search:ms=5"))), SearchAgent)


# ---- agents that see hidden cards ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cheat-hands", "cheat-all"])
def test_cheats_play_only_where_hidden_cards_may_be_revealed(name: str, table: Engine) -> None:
    with pytest.raises(AgentError, match=f"agent '{name}' sees hidden cards"):
        Player(agents.load(name), table, name)
    with pytest.raises(AgentError, match="sees hidden cards"):
        evaluate(name, ["greedy"], deal=[1], deals=1)


def test_who_sees_everything_wins() -> None:
    found = evaluate("cheat-all", ["greedy"], deal=[1], deals=5, reveal=True, self_play=False)
    assert found.comparisons[0].difference().mean > 50


def test_a_cheat_is_given_the_real_positions(table: Engine) -> None:
    class Looks(CheatHands):
        def act_on_positions(self, positions, views, masks, rng):  # type: ignore[no-untyped-def]
            self.seen = positions
            return masks.argmax(axis=1)

    game = Game(deal=1, seed=2)
    agent = Looks(rollouts=1)
    Player(agent, table, "looks", reveal=True).act(game.states, LANE, game.mask()[None], np.random.default_rng(0))
    assert agent.seen.tobytes() == game.states.tobytes()


# ---- Kaluki ----------------------------------------------------------------------------------------------------------


def test_a_search_says_that_it_does_not_play_kaluki(capsys: pytest.CaptureFixture[str]) -> None:
    """At every door, and before anything is played."""
    words = "search plays the Jamaican game only, not kaluki51: .* greedy and expert-v1 play Kaluki"
    played: list[int] = []

    def bar(tables: int) -> Any:
        played.append(tables)
        return nullcontext(lambda finished: None)

    for make in (
        lambda: evaluate("greedy", ["random", "search"], rules="kaluki51", deals=2, bar=bar),
        lambda: evaluate("greedy", ["random"], line_up=["random", "random", SearchAgent()], rules="kaluki51", deals=2, bar=bar),
        lambda: kalooki_env.make_vec(2, rules="kaluki51", opponents="search"),
        lambda: Player(agents.load("search"), engine(Rules.preset("kaluki51"), 4), "search"),
    ):
        with pytest.raises(AgentError, match=words):
            make()
    assert played == []
    game = Game("kaluki51")
    with pytest.raises(AgentError, match=words):
        agents.seat("search", game).choose()
    for verb in (
        ["simulate", "--rules", "kaluki51", "--agents", "search"],
        ["simulate", "--match", "--rules", "kaluki51", "--agents", "search"],
        ["evaluate", "search", "--rules", "kaluki51"],
        ["evaluate", "--suite", "v1-kaluki51", "search"],
    ):
        assert main(verb) == 2
        assert "the Jamaican game only" in capsys.readouterr().err
    assert "Jamaican game only" in (agents.load.__doc__ or "")
