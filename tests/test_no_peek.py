"""Hidden cards reach nothing that a seat is given.

All cards that it cannot see are permuted, and all that it is given stays the same.
"""

from __future__ import annotations

import copy
from collections import Counter

import numpy as np
import pytest
from conftest import KALUKI, PRESETS, positions

import kalooki_env
from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.game.game import Game
from kalooki_env.observe.batch import encode_views
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.schema import Observation
from kalooki_env.render.text import table_text
from kalooki_env.verify import mixed_policy

LANE = np.zeros(1, np.int64)


def permuted(game: Game, seat: int, source: np.ndarray, tries: int = 5) -> Game | None:
    """The game with other hidden cards for a seat, None if none were found that fit the view (in another seat's lay-down)."""
    other = game.copy()
    table = game.engine
    trial = np.zeros(1, core.STATE)
    found = core.resample_lane(other.states, table.record, table.feas, 0, seat, source, trial, tries)
    return other if found else None


def given(game: Game, seat: int, observer: Observer) -> tuple[bytes, ...]:
    """Everything that a seat is given, as bytes."""
    view = game.view(seat)
    row = observer.rows(game.states, LANE, np.array([seat]))
    from_view = np.empty_like(row)
    encode_views(view, game.engine.record, observer.layout.offsets, from_view)
    same = slice(0, observer.layout.slice_of("solver").start)
    assert (row[:, same] == from_view[:, same]).all(), (
        "an observation made from the STATE differs from the one made from the VIEW"
    )
    return view.tobytes(), row.tobytes(), table_text(view[0], game.engine, colour=True).encode(), game.mask(seat).tobytes()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("num_players", [3, 4, 6, 8])
def test_hidden_cards_do_not_show(preset: str, num_players: int, rng: np.random.Generator) -> None:
    """In every phase that the preset has: greedy play with some random choices gets to all of them."""
    source = np.zeros(1, core.STATE)
    phases: Counter[Phase] = Counter()
    for deal in (1, 2, 3, 5):
        game = Game(preset, num_players, deal=deal, seed=100 * deal + num_players)
        observer = Observer(game.engine, Observation.of("obs-v1+solver", num_players))
        for step, position in enumerate(positions(game, rng, mixed_policy, limit=800)):
            if step % 11 and position.phase in (Phase.DRAW, Phase.PLAY, Phase.CALL, Phase.ANSWER):
                continue
            for seat in range(num_players):
                other = permuted(position, seat, source)
                if other is None:
                    assert position.phase in (Phase.MELD, Phase.FILL, Phase.LAYOFF, Phase.MOVE)
                    continue
                phases[position.phase] += other.text() != position.text()
                assert given(other, seat, observer) == given(position, seat, observer), f"seat {seat} in\n{position}"
                assert other.hand(seat) == position.hand(seat)
    # Greedy discarders refuse every call, but they are asked; the phases in the midst of an action have a test of their own.
    reached = {Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.OVER} | (set() if preset == "no_call" else {Phase.CALL, Phase.ANSWER})
    assert reached <= {phase for phase, count in phases.items() if count}


_OPENED = (
    "kalooki: 1\nrules: {rules}\nplayers: 3\ndeal: 2\ndealer: P3\nturns: 9\nphase: {phase}\nhand P1: {hand}\nhand P2: 4C 9S\n"
    "hand P3: QC 2C\nmeld P1/1: 8S 8H 8D\nmeld P1/2: TS TH TD\nmeld P1/3: 5D JK(6D) 7D JK(8D)\nopened: P1\nknown P1: {known}\n"
    "stock: rest\npile: 5C KD\n"
)
#: Phases in the midst of an action. The cards that the action needs are known, so that other hidden cards fit easily.
IN_THE_MIDST = {
    Phase.FILL: "kalooki: 1\nrules: {rules}\nplayers: 3\ndeal: 1\ndealer: P3\nturns: 9\nphase: fill P1 three of 7\n"
    "hand P1: 7S 7H 7D 7C 8S 8H 8D 9S 9H 9D KC 2H\nhand P2: 4C 9C\nhand P3: QC 2C\n"
    "known P1: 7S 7H 7D 7C 8S 8H 8D 9S 9H 9D\nstock: rest\npile: 5C KD\n",
    Phase.LAYOFF: _OPENED.format(rules="{rules}", phase="layoff P1 onto P1/1", hand="8C JK KC 3H", known="8C JK"),
    Phase.MOVE: _OPENED.format(rules="{rules}", phase="move P1 in P1/3 to low", hand="6D 8D KC 3H", known="6D 8D"),
}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("phase", IN_THE_MIDST)
def test_hidden_cards_do_not_show_in_the_midst_of_an_action(preset: str, phase: Phase) -> None:
    game = Game.from_text(IN_THE_MIDST[phase].format(rules=preset))
    assert game.phase is phase
    observer = Observer(game.engine, Observation.of("obs-v1+solver", 3))
    source = np.zeros(1, core.STATE)
    for seat in range(3):
        changed = 0
        for _ in range(10):
            other = permuted(game, seat, source, tries=200)
            assert other is not None
            changed += other.text() != game.text()
            assert given(other, seat, observer) == given(game, seat, observer)
        assert changed


@pytest.mark.parametrize("preset", [*PRESETS, *KALUKI])
def test_the_environment_gives_nothing_away(preset: str, rng: np.random.Generator) -> None:
    """The same through the AEC environment: observations, masks, infos, rewards and rendered text of every agent."""
    env = kalooki_env.raw_env(preset, 4, observation="obs-v1+solver", render_mode="ansi", mask_in="both")
    env.reset(seed=11)
    source, trial = np.zeros(1, core.STATE), np.zeros(1, core.STATE)
    source["rng"] = 5
    compared = 0
    for step in range(300):
        if env.terminations[env.agent_selection]:
            env.reset()
        if step % 5 == 0:
            for seat, agent in enumerate(env.possible_agents):
                twin = copy.deepcopy(env)
                if not core.resample_lane(twin._states, twin._record, twin._feas, 0, seat, source, trial, 50):
                    continue
                compared += twin._states.tobytes() != env._states.tobytes()
                ours, theirs = env.observe(agent), twin.observe(agent)
                assert all(ours[key].tobytes() == theirs[key].tobytes() for key in ours)
                # Made anew from the other state, not copied with the environment.
                assert twin._info(agent) == env._info(agent)
                assert twin._rewards.final(twin._states[0]) == env._rewards.final(env._states[0])
                if agent == env.agent_selection:
                    assert twin.render() == env.render()
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(rng.choice(legal)))
    assert compared > 150


def test_open_hands_show_all_hands_and_nothing_else(rng: np.random.Generator) -> None:
    game = Game("open_hand", 4, deal=2, seed=5)
    for position in positions(game, rng, limit=40):
        for seat in range(4):
            known = position.view(seat)[0]["known"].reshape(core.SEATS, core.CARDS)
            assert (known == position.states[0]["hands"]).all()


def test_a_view_has_no_field_that_could_hold_hidden_cards() -> None:
    padding = {"zeros"}
    state, view = set(core.STATE.names or ()) - padding, set(core.VIEW.names or ()) - padding
    assert state - view == {"rng", "can_lay", "stock", "hands"}
    assert view - state == {"observer", "hand"}


def test_the_error_of_an_illegal_action_shows_no_hidden_card() -> None:
    env = kalooki_env.raw_env(num_players=4, deal=1)
    env.reset(seed=3)
    with pytest.raises(kalooki_env.IllegalActionError) as caught:
        env.step(core.LAY_DOWN)
    message = str(caught.value)
    assert "hand P" not in message
    assert "stock:" not in message
    assert "hand P2" in caught.value.position
    assert caught.value.seed == 3


def test_resampled_cards_are_uniform() -> None:
    """Each unseen card is as likely to lie in the next hand as anywhere else unseen: a chi-square test over the 53 kinds."""
    game = Game(num_players=3, deal=1, seed=1)
    source = np.zeros(1, core.STATE)
    counts = np.zeros(core.CARDS)
    draws = 3_000
    for _ in range(draws):
        other = permuted(game, 0, source)
        assert other is not None
        counts += other.states[0]["hands"][1]
    unseen = np.array([2] * 52 + [4]) - game.states[0]["hands"][0] - game.states[0]["pile_count"]
    expected = draws * 9 * unseen / unseen.sum()
    seen = expected > 0
    statistic = float((((counts - expected) ** 2)[seen] / expected[seen]).sum())
    # 52 degrees of freedom: above 105 with a probability of 0.00002; draws without replacement vary less.
    assert statistic < 105
    assert (counts[~seen] == 0).all()
