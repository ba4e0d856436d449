"""The arena: duplicate deals, statistics, and what evaluations say."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents import load
from kalooki_env.agents.play import Player
from kalooki_env.arena import Arena, DealSet, evaluate
from kalooki_env.arena.chunks import rotations_of
from kalooki_env.arena.report import deals_words, evaluation_text, percent
from kalooki_env.arena.stats import estimate, estimate_of_means, t_quantile
from kalooki_env.arena.tables import deal_lanes, play
from kalooki_env.errors import AgentError, ConfigError, RulesError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.rules import Rules


@pytest.fixture
def table() -> Engine:
    return engine(Rules(), 4)


def players_of(table: Engine, *names: str) -> tuple[list[Player], list[np.random.Generator]]:
    return [Player(load(name), table, name) for name in names], [np.random.default_rng(number) for number in range(len(names))]


def dealt(table: Engine, count: int, seed: int = 0) -> NDArray[np.void]:
    numbers = np.arange(count) % core.DEALS + 1
    return deal_lanes(table, numbers, np.arange(count) % table.num_players, np.arange(seed, seed + count, dtype=np.uint64))


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_all_tables_end_and_the_start_stays_as_it_is(table: Engine) -> None:
    states = dealt(table, 40)
    before = states.copy()
    finished: list[int] = []
    players, rngs = players_of(table, "greedy", "random")
    seats = np.tile([0, 1, 0, 1], (40, 1))
    played = play(table, states, seats, players, rngs, progress=finished.append)
    assert states.tobytes() == before.tobytes()
    assert (played.states["phase"] == core.Phase.OVER).all()
    assert (played.states["deal"] == before["deal"]).all()
    assert sum(finished) == 40
    assert (played.decisions >= played.states["turns"]).all()
    assert 0 < played.asked < played.decisions.sum()


def test_a_lane_is_what_the_agent_plays_alone(table: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are dealt to again as others end, which must not mix up the deals."""
    states = dealt(table, 30)
    seats = np.zeros((30, 4), np.int64)
    players, rngs = players_of(table, "greedy")
    wide = play(table, states, seats, players, rngs)
    monkeypatch.setattr("kalooki_env.arena.tables.LANES", 7)
    narrow = play(table, states, seats, players, rngs, skip_forced=False)
    assert wide.states.tobytes() == narrow.states.tobytes()
    assert wide.decisions.tolist() == narrow.decisions.tolist()
    assert narrow.asked == narrow.decisions.sum()
    for lane in (0, 13, 29):
        game = Game(table.rules, 4, deal=lane % 9 + 1, dealer=lane % 4, seed=lane)
        while game.to_move is not None:
            game.do(int(players[0].act(game.states, np.zeros(1, np.int64), game.mask()[None], rngs[0])[0]))
        assert game.states.tobytes() == wide.states[lane : lane + 1].tobytes()
        assert len(game.history) == wide.decisions[lane]


class Recorder:
    """Plays the first legal action and notes which seats it was asked for."""

    observation = None

    def __init__(self) -> None:
        self.seats: set[int] = set()

    def act(self, views: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        self.seats |= set(views["observer"].tolist())
        assert (views["observer"] == views["actor"]).all()
        return np.argmax(masks, axis=1)


def test_each_seat_is_played_by_its_own_agent(table: Engine) -> None:
    agents = [Recorder(), Recorder()]
    players = [Player(agent, table, "recorder") for agent in agents]  # type: ignore[arg-type]  # anything with `act`
    play(table, dealt(table, 5), np.tile([0, 0, 1, 0], (5, 1)), players, [np.random.default_rng(0)] * 2)
    assert (agents[0].seats, agents[1].seats) == ({0, 1, 3}, {2})


def test_impossible_deals_are_refused(table: Engine) -> None:
    with pytest.raises(RulesError, match="deal 10"):
        deal_lanes(table, np.array([10]), np.zeros(1, np.int64), np.zeros(1, np.uint64))


# ---- duplicate deals -------------------------------------------------------------------------------------------------


def test_more_deals_begin_with_the_same_ones(table: Engine) -> None:
    few, many = (DealSet.make(table, [1, 5], count, 3) for count in (4, 9))
    assert few.seeds[:4].tolist() == many.seeds[:4].tolist()
    assert few.seeds[4:].tolist() == many.seeds[9:13].tolist()
    assert few.numbers.tolist() == [1] * 4 + [5] * 4
    assert many.dealers[:9].tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert len(set(many.seeds.tolist())) == 18


@pytest.mark.parametrize(
    ("line_up", "rotations"), [("abcd", 4), ("aaaa", 1), ("abab", 2), ("abbb", 4), ("aab", 3), ("abcabc", 3)]
)
def test_rotations(line_up: str, rotations: int) -> None:
    assert rotations_of(line_up) == rotations


def test_rotations_seat_every_agent_everywhere_with_the_same_cards(table: Engine) -> None:
    deals = DealSet.make(table, [2], 6, 0)
    arena = Arena(table, {name: load(name) for name in ("greedy", "random")}, deals, 0)
    mixed = arena.line_up(["greedy", "random", "random", "random"])
    assert mixed.rotations == 4
    assert arena.line_up(("greedy", "random", "random", "random")) is mixed
    # Seats of all agents together are all seats: the weighted mean of scores is the mean over tables.
    alone = arena.line_up(["greedy"] * 4)
    again = Arena(table, {"greedy": load("greedy")}, deals, 99).line_up(["greedy"] * 4)
    assert alone.scores["greedy"].tolist() == again.scores["greedy"].tolist(), "greedy draws no random numbers"
    assert (mixed.went_out["greedy"] + 3 * mixed.went_out["random"] == mixed.ended_out).all()


class Renamed:
    """`greedy` as somebody else's class."""

    observation = None

    def __init__(self) -> None:
        self._agent = load("greedy")

    def begin(self, engine: Engine) -> None:
        self._agent.begin(engine)

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        return self._agent.act(observations, masks, rng)


def test_equal_play_shows_no_difference() -> None:
    """The pairing is exact: the same player under another name, rotated through all seats, has the same score in each deal."""
    found = evaluate(Renamed(), ["greedy"], deals=[1, 4], deals_per_number=8)  # type: ignore[arg-type]  # anything with `act`
    comparison = found.comparisons[0]
    assert comparison.with_agent.rotations == 4
    assert comparison.with_baseline.rotations == 1
    assert np.allclose(comparison.gains, 0)
    assert comparison.difference().half_width < 1e-9


def test_greedy_beats_random_and_loses_nothing_by_seed() -> None:
    one, other = (evaluate("greedy", ["random"], deals=[1], deals_per_number=30, seed=5) for _ in range(2))
    found, again = one.as_dict(), other.as_dict()
    assert {**found, "seconds": 0} == {**again, "seconds": 0}
    assert one.raw() == other.raw()
    difference = one.comparisons[0].difference()
    assert difference.mean - difference.half_width > 50
    assert evaluate("greedy", ["random"], deals=[1], deals_per_number=30, seed=6).raw() != one.raw()


def test_the_baseline_has_the_same_seat_against_the_same_opponents() -> None:
    found = evaluate("random", ["greedy"], baselines=["greedy", "random"], deals=[3], deals_per_number=10, self_play=False)
    by_baseline = {one.baseline: one for one in found.comparisons}
    assert by_baseline["greedy"].difference().mean < 0
    assert by_baseline["random"].difference().mean == 0
    assert by_baseline["greedy"].with_baseline.line_up == ("greedy",) * 4
    assert found.self_play is None


def test_line_up_mode_compares_all_pairs() -> None:
    found = evaluate("greedy", ["random"], line_up=["random", "greedy", "random"], deals=[1], deals_per_number=10)
    assert found.line_up is not None
    assert found.line_up.played.rotations == 2
    gains = found.line_up.differences()
    assert list(gains) == [("greedy", "random")]
    assert gains["greedy", "random"].mean > 0
    with pytest.raises(ConfigError, match="3, one per seat"):
        evaluate("greedy", ["random"], line_up=["random"], deals=[1], deals_per_number=2)


def test_results_are_json_and_text() -> None:
    found = evaluate("greedy", ["random", "greedy"], deals=[1, 5], deals_per_number=5, line_up=["random"] * 3)
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [one["opponent"] for one in data["against"]] == ["random", "greedy"]
    row = data["against"][0]["overall"]
    assert row["difference"]["low"] < row["difference"]["mean"] < row["difference"]["high"]
    assert row["tables"] == 40
    assert row["ended_by_going_out"] + row["blocked"] == pytest.approx(1)
    raw = json.loads(json.dumps(found.raw(), allow_nan=False))
    assert {tuple(one["line_up"]) for one in raw["line_ups"]} == {("greedy", *["random"] * 3), ("random",) * 4, ("greedy",) * 4}
    text = evaluation_text(found)
    assert "against three random" in text
    assert "points a deal better than random (99 % interval" in text
    assert "four copies of greedy end 100.0 % of deals 1 and 5 by going out" in text


def test_one_deal_has_no_interval() -> None:
    found = evaluate("greedy", ["random"], deals=[1], deals_per_number=1)
    assert math.isnan(found.comparisons[0].difference().half_width)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["against"][0]["overall"]["difference"]["low"] is None
    assert "interval unknown" in evaluation_text(found)


def test_two_players_play_the_sudden_death() -> None:
    found = evaluate("greedy", ["random"], num_players=2, deals_per_number=4)
    assert found.settings.deals == (9,)
    assert "against one random" in evaluation_text(found)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"deals": [0]}, RulesError, "deal 0"),
        ({"deals": []}, ConfigError, "at least one"),
        ({"deals": [1, 1]}, ConfigError, "each once"),
        ({"deals_per_number": 0}, ConfigError, "0 deals per number"),
        ({"seed": -1}, ConfigError, "seed -1"),
        ({"num_players": 9}, RulesError, "9 players"),
        ({"rules": "jamaica"}, RulesError, "did you mean 'jamaican'"),
        ({"against": ["gredy"]}, AgentError, "did you mean 'greedy'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        evaluate("greedy", **{"against": ["random"], **arguments})


# ---- statistics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "confidence", "quantile"),
    [(1, 0.99, 63.657), (2, 0.99, 9.925), (10, 0.95, 2.228), (30, 0.99, 2.750), (100, 0.99, 2.626), (1e9, 0.99, 2.576)],
)
def test_quantiles_of_student(freedom: float, confidence: float, quantile: float) -> None:
    assert t_quantile(freedom, confidence) == pytest.approx(quantile, abs=1.5e-3)


def test_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(1000):
        groups = [rng.normal(mean, spread, 12) for mean, spread in ((-5.0, 1.0), (9.0, 30.0), (2.0, 10.0))]
        found = estimate_of_means(groups)
        inside += abs(found.mean - 2.0) <= found.half_width
    assert 978 <= inside <= 1000


def test_groups_weigh_the_same_whatever_their_size() -> None:
    found = estimate_of_means([np.array([1.0, 1.0, 1.0, 1.0]), np.array([3.0, 3.0])])
    assert (found.mean, found.half_width, found.count) == (2.0, 0.0, 6)
    values = np.array([1.0, 2.0, 4.0])
    assert estimate(values).half_width == pytest.approx(t_quantile(2) * values.std(ddof=1) / math.sqrt(3))


def test_words() -> None:
    assert [deals_words(deals) for deals in ([3], [1, 5], [1, 5, 7], range(1, 10))] == [
        "deal 3",
        "deals 1 and 5",
        "deals 1, 5 and 7",
        "deals 1 to 9",
    ]
    assert [percent(share) for share in (0.0, 0.0001, 0.5, 0.99999, 1.0)] == ["0.0 %", "<0.1 %", "50.0 %", ">99.9 %", "100.0 %"]
