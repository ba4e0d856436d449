"""Hidden cards reach nothing that a seat is given.

All cards that it cannot see are permuted, and all that it is given stays the same.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from conftest import PRESETS, positions

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
    reached = {Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.OVER} | (set() if preset == "no_call" else {Phase.CALL})
    assert reached <= {phase for phase, count in phases.items() if count}


@pytest.mark.parametrize("preset", PRESETS)
def test_the_environment_gives_nothing_away(preset: str, rng: np.random.Generator) -> None:
    """The same through the AEC environment: observations, masks, infos, rewards and rendered text of every agent."""
    env = kalooki_env.raw_env(preset, 4, observation="obs-v1+solver", render_mode="ansi", mask_in_info=True)
    env.reset(seed=11)
    source, trial = np.zeros(1, core.STATE), np.zeros(1, core.STATE)
    for step in range(300):
        if env.terminations[env.agent_selection]:
            env.reset()
        if step % 5 == 0:
            for seat, agent in enumerate(env.possible_agents):
                before = env._states.copy()
                observed, text, info = env.observe(agent), env.render(), env.infos[agent]
                if core.resample_lane(env._states, env._record, env._feas, 0, seat, source, trial, 50):
                    again = env.observe(agent)
                    assert all(observed[key].tobytes() == again[key].tobytes() for key in observed)
                    assert str(info) == str(env.infos[agent])
                    if agent == env.agent_selection:
                        assert text == env.render()
                env._states[:] = before
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(rng.choice(legal)))


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
