"""All environments over Kaluki: the checkers of others, lanes against tables of their own, random play."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
import test_aec
import test_batch
import test_seat_env
from batch_tools import Mixed, engine_masks, random_legal
from conftest import KALUKI
from gymnasium.utils.env_checker import check_env
from numpy.testing import assert_array_equal
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from test_kaluki_core import EAGER
from test_vector_env import MODES, compare, singles

import kalooki_env
from kalooki_env import core
from kalooki_env.observe.schema import Observation

TABLES = [(rules, players) for rules in ("kaluki51", "kaluki40_british") for players in (2, 4, 5)]
EVERYTHING = "obs-v1+match+solver"


@pytest.mark.parametrize(("rules", "num_players"), TABLES)
def test_pettingzoo_checks(rules: str, num_players: int, capsys: pytest.CaptureFixture[str]) -> None:
    make = partial(kalooki_env.env, rules, num_players)
    api_test(make(), num_cycles=150)
    api_test(make(observation=EVERYTHING, observation_form="dict", reward="zero_sum", skip_forced=True), num_cycles=50)
    seed_test(make, num_cycles=150)
    seed_test(partial(kalooki_env.raw_env, rules, num_players), num_cycles=150)
    render_test(make)
    assert "upcard" in capsys.readouterr().out
    parallel_api_test(kalooki_env.parallel_env(rules=rules, num_players=num_players, on_illegal="lose"), num_cycles=40)


@pytest.mark.parametrize("rules", KALUKI)
def test_rewards_equal_the_scores(rules: str, rng: np.random.Generator) -> None:
    test_aec.test_rewards_equal_the_scores(rules, rng)


@pytest.mark.parametrize("rules", [*KALUKI, *EAGER])
def test_values_stay_in_their_bounds(rules: str, rng: np.random.Generator) -> None:
    """Those of the match too, whatever the totals; and all but the padding can be other than 0."""
    env = kalooki_env.env(rules, 3, observation=EVERYTHING, observation_dtype="uint8")
    space = env.observation_space("player_0")["observation"]
    env.reset(seed=1)
    most = np.zeros(space.shape, np.uint8)
    for step in range(1500):
        if not env.agents:
            env.reset()
            env._states[0]["match_deal"] = step
            env._states[0]["totals"][:3] = rng.integers(-900, 900, 3)
        seen, _, over, _, _ = env.last()
        outside = np.flatnonzero((seen["observation"] > space.high) | (seen["observation"] < space.low))
        assert not len(outside), f"{rules}: indices {outside}"
        most = np.maximum(most, seen["observation"])
        env.step(None if over else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    layout = Observation.of(EVERYTHING, 3, kaluki=True)
    for piece in layout.pieces:
        assert most[layout.slice_of(piece)].any(), piece


def test_illegal_actions_raise_and_change_nothing() -> None:
    """Numbers of melds that do not lie there among them."""
    env = kalooki_env.env("kaluki51", 3, dealer=2)
    env.reset(seed=12)
    before = env._states.tobytes()
    for action in (core.DISCARD, core.LAY_DOWN, core.LAY_OFF_ONTO + 20, core.SWAP_IN + 35, core.CALL_CARD, 285, -1, 10**20):
        with pytest.raises(kalooki_env.IllegalActionError, match=r"legal: draw stock, take upcard"):
            env.step(action)
        assert env._states.tobytes() == before
    env.step(np.int64(core.DRAW_STOCK))


def test_a_larger_space_holds_a_smaller_table(rng: np.random.Generator) -> None:
    """Actions have the same numbers at every table (8.4), and pieces of absent seats are zeros."""
    small, large = kalooki_env.env(EAGER[0], 3), kalooki_env.env(EAGER[0], 3, max_seats=6)
    layout_3, layout_6 = Observation.of("obs-v1", 3, kaluki=True), Observation.of("obs-v1", 6, kaluki=True)
    small.reset(seed=4)
    large.reset(seed=4)
    for _ in range(400):
        if small.terminations[small.agent_selection]:
            break
        a, b = small.observe(small.agent_selection), large.observe(large.agent_selection)
        assert_array_equal(a["action_mask"], b["action_mask"])
        for name in layout_3.pieces:
            wide, narrow = b["observation"][layout_6.slice_of(name)], a["observation"][layout_3.slice_of(name)]
            assert_array_equal(wide[: len(narrow)], narrow)
            assert not wide[len(narrow) :].any()
        action = int(rng.choice(np.flatnonzero(a["action_mask"])))
        small.step(action)
        large.step(action)


# ---- batches ----------------------------------------------------------------------------------------------------------------

BATCHES: list[dict[str, Any]] = [
    {"rules": "kaluki51", "observation": EVERYTHING},
    {"rules": "kaluki40_british", "num_players": 5, "reward": "zero_sum", "skip_forced": False},
    {"rules": EAGER[1], "num_players": 2, "max_seats": 4, "reward": "win", "observation_dtype": "uint8"},
]


@pytest.mark.parametrize("options", BATCHES, ids=str)
def test_a_self_play_lane_is_the_aec_environment(options: dict[str, Any]) -> None:
    test_batch.test_a_self_play_lane_is_the_aec_environment(options)


VECTORS: list[dict[str, Any]] = [
    {"rules": "kaluki51", "opponents": "random", "num_players": 2},
    {"rules": "kaluki40_british", "opponents": ["greedy", "random", "greedy"], "reward": "zero_sum"},
    {"rules": EAGER[0], "opponents": "greedy", "observation": EVERYTHING, "mask_in": "both", "num_players": 3},
    {"rules": EAGER[1], "opponents": "random", "on_illegal": "replace", "observation_dtype": "uint8", "num_players": 2},
    {"rules": "kaluki51", "opponents": "greedy", "on_illegal": "lose", "seat": 1, "num_players": 3},
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", VECTORS, ids=str)
def test_lanes_are_single_seats(options: dict[str, Any], mode: Any, rng: np.random.Generator) -> None:
    env = kalooki_env.make_vec(5, autoreset_mode=mode, **options)
    ended = compare(env, singles(mode, [options] * 5), 60, rng, illegal=0.1 if "on_illegal" in options else 0.0)
    assert ended or "on_illegal" not in options
    assert env.illegal_actions == 0 or "on_illegal" in options


@pytest.mark.parametrize("rules", ["kaluki51", "kaluki40_british"])
def test_a_seat_is_the_aec_environment_with_bots(rules: str, rng: np.random.Generator) -> None:
    test_seat_env.test_it_is_the_aec_environment_with_bots(rules, rng)


@pytest.mark.parametrize("rules", [*KALUKI, *EAGER])
def test_self_play_pays_the_scores(rules: str, rng: np.random.Generator) -> None:
    """Masks are the engine's, no action of them is illegal, and rewards of a deal add up to what the scores say."""
    count = 30
    env = kalooki_env.make_selfplay(count, rules=rules, num_players=3)
    at = env.reset(seed=8)
    mixed = Mixed(env, rng)
    paid, ended = np.zeros((count, 3)), 0
    for step in range(400):
        if step % 10 == 0:
            assert_array_equal(at.action_mask, engine_masks(env.lanes))
            assert_array_equal(at.acting_seat, env.lanes.states["actor"])
            assert (at.action_mask.sum(axis=1) > 1).all()
        actions = random_legal(at.action_mask, rng)
        actions[:20] = mixed(at.action_mask)[:20]
        at = env.step(actions)
        paid += at.rewards
        finished = env.finished()
        rows = finished["lane"]
        np.testing.assert_allclose(paid[rows], -finished["scores"][:, :3] / 100, rtol=0, atol=1e-9)
        assert_array_equal(finished["blocked"], finished["winner"] < 0)
        paid[rows] = 0
        ended += len(rows)
    assert env.illegal_actions == 0
    assert ended >= 3


@pytest.mark.parametrize("on_illegal", ["replace", "lose"])
@pytest.mark.parametrize("rules", ["kaluki51", "kaluki40_british"])
def test_checkers_of_a_seat(rules: str, on_illegal: Any) -> None:
    made = gymnasium.make("Kalooki-v0", rules=rules, num_players=3, on_illegal=on_illegal, observation=EVERYTHING)
    check_env(made.unwrapped)
    made.close()
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(kalooki_env.SeatEnv(rules=rules, num_players=3, on_illegal=on_illegal), warn=True)


def test_stable_baselines_vector(rng: np.random.Generator) -> None:
    pytest.importorskip("stable_baselines3")
    from kalooki_env.envs.sb3 import SB3VecEnv

    options: dict[str, Any] = {"rules": EAGER[0], "num_players": 2, "opponents": "greedy"}
    plain = kalooki_env.SeatVectorEnv(4, autoreset_mode="same_step", **options)
    env = SB3VecEnv(4, **options)
    env.seed(17)
    expected, _ = plain.reset(seed=17)
    observations = env.reset()
    ended = 0
    for _ in range(100):
        assert_array_equal(observations, expected)
        assert_array_equal(np.stack(env.env_method("action_masks")), plain.action_masks())
        actions = random_legal(plain.action_masks(), rng)
        expected, rewards, over, _, told = plain.step(actions)
        observations, found, dones, infos = env.step(actions)
        assert_array_equal(found, rewards.astype(np.float32))
        assert_array_equal(dones, over)
        for lane in np.flatnonzero(over):
            ended += 1
            assert infos[lane]["score"] == told["final_info"]["score"][lane]
    assert ended
