"""`SelfPlayEnv`: whoever is to move is asked. Streams by seat, ends of deals, and the rest of its promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch_tools import Mixed, arrays_of, assert_same, digest, engine_masks, permute_hidden, random_legal, rows_of
from numpy.testing import assert_array_equal
from test_vector_env import SIZES, is_useful

import kalooki_env
from kalooki_env import core
from kalooki_env.game.game import Game
from kalooki_env.game.position import position_text


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6, 7, 8])
def test_streams_are_those_of_the_aec_environment(num_players: int, rng: np.random.Generator) -> None:
    """In every deal: what a seat was given since its last decision is what `last` of the AEC environment gives."""
    deals = [9] if num_players == 2 else list(range(1, 10))
    options: dict[str, Any] = {"num_players": num_players, "reward": "zero_sum", "shaping": 0.1}
    batch = kalooki_env.make_selfplay(len(deals), lane_deals=deals, observation_dtype="float32", **options)
    tables = [kalooki_env.env(deal=deal, skip_forced=True, **options) for deal in deals]
    at = batch.reset(seed=40)
    for lane, env in enumerate(tables):
        env.reset(seed=40 + lane)
    since = np.zeros((len(deals), num_players))  # rewards since the last decision of each seat
    lanes = np.arange(len(deals))
    ended = 0
    choose = Mixed(batch, rng)
    for _ in range(500):
        actions = choose(at.action_mask)
        for lane, env in enumerate(tables):
            observation, reward, termination, _, _ = env.last()
            assert not termination
            assert env.agent_selection == f"player_{at.acting_seat[lane]}"
            assert_array_equal(at.observation[lane], observation["observation"])
            assert_array_equal(at.action_mask[lane], observation["action_mask"])
            assert since[lane, at.acting_seat[lane]] == pytest.approx(reward, abs=1e-9)
            env.step(int(actions[lane]))
        since[lanes, at.acting_seat] = 0
        at = batch.step(actions)
        since += at.rewards
        for lane in np.flatnonzero(at.deal_over):
            ended += 1
            env = tables[lane]
            given = []
            for _ in env.agent_iter():
                given.append(env.last()[1])
                env.step(None)
            np.testing.assert_allclose(np.sort(since[lane]), np.sort(given), rtol=0, atol=1e-9)
            since[lane] = 0
            env.reset()
    assert ended >= 3


@pytest.mark.parametrize("options", [{}, {"shaping": 0.1, "rules": "jamaican_club"}], ids=str)
def test_illegal_actions_lose_as_in_the_aec_environment(options: dict[str, Any], rng: np.random.Generator) -> None:
    options = {"on_illegal": "lose", "illegal_reward": -3.0, **options}
    batch = kalooki_env.make_selfplay(3, **options)
    tables = [kalooki_env.env(skip_forced=True, **options) for _ in range(3)]
    at = batch.reset(seed=2)
    for lane, env in enumerate(tables):
        env.reset(seed=2 + lane)
    count = 0
    for _ in range(200):
        actions = random_legal(at.action_mask, rng)
        wrong = rng.random(3) < 0.05
        actions[wrong] = rng.integers(-5, 300, wrong.sum())
        at = batch.step(actions)
        finished = batch.finished()
        for lane, env in enumerate(tables):
            env.step(int(actions[lane]))
            np.testing.assert_allclose(at.rewards[lane], list(env.rewards.values()), rtol=0, atol=1e-12)
            assert at.deal_over[lane] == env.terminations["player_0"]
            if at.deal_over[lane]:
                row = list(finished["lane"]).index(lane)
                illegal = sum(info["illegal"] for info in env.infos.values())
                assert finished["illegal"][row] == illegal
                if illegal:
                    count += 1
                    assert_array_equal(finished["scores"][row], 0)
                    assert finished["winner"][row] == -1
                    assert finished["blocked"][row] == finished["turns"][row] == 0
                env.reset()
    assert count > 10
    assert batch.illegal_actions == count


def test_threads_make_no_difference() -> None:
    found = set()
    for threads in (1, 2, 3, 50):
        env = kalooki_env.make_selfplay(5, threads=threads, on_illegal="replace", shaping=0.1)
        env.reset(seed=4)
        found.add(digest(env, 150))
        env.close()
    assert len(found) == 1


def test_neighbours_make_no_difference(rng: np.random.Generator) -> None:
    one, many = kalooki_env.make_selfplay(1, on_illegal="replace"), kalooki_env.make_selfplay(6, on_illegal="replace", threads=2)
    ours, alone = many.reset(seed=[5, 6, 77, 1, 2, 3]), one.reset(seed=[77])
    for _ in range(400):
        assert_same(rows_of(tuple(ours), slice(2, 3)), tuple(alone))
        actions = random_legal(ours.action_mask, rng)
        actions[[0, 1, 3]] = rng.integers(-9, 300, 3)
        ours, alone = many.step(actions), one.step(actions[2:3])
    assert many.illegal_actions > 100
    assert one.illegal_actions == 0


def test_a_mask_is_of_its_row_and_never_empty(rng: np.random.Generator) -> None:
    env = kalooki_env.make_selfplay(10, rules="jamaican_club", num_players=5)
    at = env.reset(seed=1)
    for step in range(600):
        assert at.action_mask.any(axis=1).all()
        assert (at.action_mask.sum(axis=1) > 1).all()
        assert_array_equal(at.action_mask, engine_masks(env.lanes))
        assert_array_equal(at.acting_seat, env.lanes.states["actor"])
        if step % 60 == 0:
            for lane in range(10):
                game = Game.from_text(position_text(env.lanes.states[lane], env.lanes.engine))
                assert game.to_move == at.acting_seat[lane]
                assert_array_equal(game.mask(int(at.acting_seat[lane])), at.action_mask[lane])
        at = env.step(random_legal(at.action_mask, rng))


@pytest.mark.parametrize("decisions", SIZES)
def test_random_play_pays_the_scores(decisions: int, rng: np.random.Generator) -> None:
    """No mask allows an illegal action; rewards of a deal add up to what the scores say, zero-sum ones to zero.

    A part of the lanes is played greedily, so that there are winners too.
    """
    count = 50
    for reward in ("score", "zero_sum", "win"):
        env = kalooki_env.make_selfplay(count, reward=reward, deal=[1, 2, 9], num_players=3)
        at = env.reset(seed=8)
        mixed = Mixed(env, rng)
        paid = np.zeros((count, 3))
        ended = won = 0
        for _ in range(decisions // count // 3):
            actions = random_legal(at.action_mask, rng)
            actions[:20] = mixed(at.action_mask)[:20]
            at = env.step(actions)
            paid += at.rewards
            assert (at.rewards[~at.deal_over] == 0).all()
            finished = env.finished()
            rows = finished["lane"]
            assert_array_equal(rows, np.flatnonzero(at.deal_over))
            scores, winners = finished["scores"].astype(float), finished["winner"]
            level = scores.mean(axis=1, keepdims=True)
            expected = {
                "score": -scores / 100,
                "zero_sum": (level - scores) / 100,
                "win": winners[:, None] == np.arange(3),
            }[reward]
            np.testing.assert_allclose(paid[rows], expected, rtol=0, atol=1e-9)
            if reward == "zero_sum":
                np.testing.assert_allclose(paid[rows].sum(axis=1), 0, rtol=0, atol=1e-9)
            assert_array_equal(finished["blocked"], winners < 0)
            assert (scores[np.arange(len(rows)), winners][winners >= 0] == -50).all()
            won += (winners >= 0).sum()
            assert not finished["illegal"].any()
            assert (finished["turns"][winners < 0] > 0).all()
            paid[rows] = 0
            ended += len(rows)
        assert ended > 50
        assert won > 20
        assert env.illegal_actions == 0


def test_choices_are_decisions_with_more_than_one_action(rng: np.random.Generator) -> None:
    env, skipping = (kalooki_env.make_selfplay(9, skip_forced=skip, rules="jamaican_club") for skip in (False, True))
    at = env.reset(seed=0)
    counted = forced = 0
    for _ in range(300):
        counts = at.action_mask.sum(axis=1)
        counted += (counts > 1).sum()
        forced += (counts == 1).sum()
        assert env.choices == counted
        at = env.step(random_legal(at.action_mask, rng))
    assert forced > 5
    at = skipping.reset(seed=0)
    for step in range(1, 100):
        assert skipping.choices == 9 * step
        at = skipping.step(random_legal(at.action_mask, rng))


def test_finished_tells_the_ends_of_the_last_step_only(rng: np.random.Generator) -> None:
    env = kalooki_env.make_selfplay(6, num_players=3, deal=1)
    at = env.reset(seed=0)
    assert len(env.finished()["lane"]) == 0
    choose = Mixed(env, rng)
    while not at.deal_over.any():
        at = env.step(choose(at.action_mask))
    finished = env.finished()
    assert {name: (len(value), value.dtype) for name, value in finished.items()} == {
        name: (at.deal_over.sum(), np.int64) for name in ("lane", "deal", "winner", "blocked", "turns", "illegal", "scores")
    }
    assert finished["scores"].shape == (at.deal_over.sum(), 3)
    env.reset()
    assert len(env.finished()["lane"]) == 0


@pytest.mark.parametrize("options", [{}, {"observation_form": "dict", "observation_dtype": "float32"}], ids=str)
def test_arrays_handed_out_never_change_later(options: dict[str, Any], rng: np.random.Generator) -> None:
    env = kalooki_env.make_selfplay(6, num_players=3, deal=1, **options)
    at = env.reset(seed=2)
    kept = []
    choose = Mixed(env, rng)
    for _ in range(200):
        for array in arrays_of((tuple(at), env.finished(), env.get_state(), tuple(env.decisions()), env.sample_actions())):
            kept.append((array, array.copy()))
        at = env.step(choose(at.action_mask))
    for array, then in kept:
        assert_array_equal(array, then)


def test_without_copies_arrays_are_buffers(rng: np.random.Generator) -> None:
    env, twin = kalooki_env.make_selfplay(4, copy=False), kalooki_env.make_selfplay(4)
    first = env.reset(seed=3)
    ours: Any = twin.reset(seed=3)
    for _ in range(100):
        assert_same(tuple(first), tuple(ours))
        actions = random_legal(ours.action_mask, rng)
        again, ours = env.step(actions), twin.step(actions)
        assert all(np.shares_memory(one, other) for one, other in zip(first, again, strict=True))


def test_bytes_times_scale_are_the_floats(rng: np.random.Generator) -> None:
    """With the scale bytes are the floats of the other form, bit for bit."""
    env = kalooki_env.make_selfplay(5, observation="obs-v1+solver", max_seats=6, observation_dtype="uint8")
    floats = kalooki_env.make_selfplay(5, observation="obs-v1+solver", max_seats=6)
    pieces = kalooki_env.make_selfplay(5, observation="obs-v1+solver", max_seats=6, observation_form="dict")
    at, as_floats, by_piece = env.reset(seed=1), floats.reset(seed=1), pieces.reset(seed=1)
    for _ in range(100):
        assert at.observation.dtype == np.uint8
        assert_array_equal(at.observation * env.observation_scale, as_floats.observation)
        pieces_in_line = np.concatenate([by_piece.observation[name] for name in env.lanes.layout.pieces], axis=1)
        assert_array_equal(pieces_in_line, as_floats.observation)
        assert all(env.single_observation_space.contains(row) for row in at.observation)
        assert all(floats.single_observation_space.contains(row) for row in as_floats.observation)
        assert pieces.single_observation_space.contains(rows_of(by_piece.observation, 0))
        actions = random_legal(at.action_mask, rng)
        at, as_floats, by_piece = env.step(actions), floats.step(actions), pieces.step(actions)
    assert env.single_action_space.n == core.num_actions(6) == at.action_mask.shape[1]
    assert (at.action_mask.dtype, at.acting_seat.dtype, at.rewards.dtype, at.deal_over.dtype) == (
        np.int8, np.int64, np.float64, np.bool_,
    )  # fmt: skip


@pytest.mark.parametrize("rules", ["jamaican", "jamaican_club"])
def test_useless_call_windows_are_left_out_and_nothing_else(rules: str, rng: np.random.Generator) -> None:
    """Against the same table with all windows, where the useless ones are passed by hand."""
    env = kalooki_env.make_selfplay(1, rules=rules, call_windows="useful")
    every = kalooki_env.make_selfplay(1, rules=rules)
    at, there = env.reset(seed=7), every.reset(seed=7)
    useless = useful = 0
    for _ in range(1000):
        rewards, over = there.rewards, there.deal_over
        while every.lanes.states[0]["phase"] == core.Phase.CALL and not is_useful(every):
            there = every.step([core.PASS])
            rewards, over = rewards + there.rewards, over | there.deal_over
            useless += 1
        useful += every.lanes.states[0]["phase"] == core.Phase.CALL
        assert_same(tuple(at), tuple(there._replace(rewards=rewards, deal_over=over)))
        assert env.choices == every.choices
        action = random_legal(at.action_mask, rng)
        at, there = env.step(action), every.step(action)
    assert useless > 20
    assert useful > 20


@pytest.mark.parametrize("options", [{}, {"rules": "jamaican_club", "num_players": 5}, {"rules": "open_hand"}], ids=str)
def test_hidden_cards_do_not_show(options: dict[str, Any], rng: np.random.Generator) -> None:
    options = {"observation": "obs-v1+solver", **options}
    env, twin = kalooki_env.make_selfplay(9, **options), kalooki_env.make_selfplay(9, **options)
    at = env.reset(seed=2)
    source = np.zeros(1, core.STATE)
    source["rng"] = 99
    choose = Mixed(env, rng)
    changed = 0
    for _ in range(60):
        for _ in range(5):
            at = env.step(choose(at.action_mask))
        twin.set_state(env.get_state())
        changed += permute_hidden(twin.lanes, at.acting_seat, source)
        after = twin.decisions()
        for name in ("observation", "action_mask", "acting_seat"):
            assert_array_equal(getattr(after, name), getattr(at, name))
    assert changed > 300


def test_illegal_actions_raise_and_change_nothing() -> None:
    env = kalooki_env.make_selfplay(3, dealer=3)
    env.reset(seed=[3, 4, 5])
    before = env.get_state()
    for wrong in (core.LAY_DOWN, -1, 10_000):
        with pytest.raises(kalooki_env.IllegalActionError, match=r"^lane 1: .* by P1 .*legal: draw stock, take upcard") as caught:
            env.step([core.DRAW_STOCK, wrong, core.DRAW_STOCK])
        assert caught.value.seed == 4
        assert_same(env.get_state(), before)
    for actions, error in (
        ([0.0, 0.0, 0.0], kalooki_env.ActionTypeError),
        (None, kalooki_env.ActionTypeError),
        ([0, 0], kalooki_env.ConfigError),
    ):
        with pytest.raises(error, match="allowed: 3 whole numbers"):
            env.step(actions)
        assert_same(env.get_state(), before)
    assert env.illegal_actions == 0


def test_steps_before_reset() -> None:
    with pytest.raises(kalooki_env.EnvironmentStateError, match=r"call reset\(\) first"):
        kalooki_env.make_selfplay(2).step([0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mask_in": "info"}, "mask_in 'info' is not allowed .did you mean 'infos'"),
        ({"opponents": "greedy"}, "unexpected keyword argument 'opponents'"),
        ({"deals": 1}, "unexpected keyword argument 'deals' .did you mean 'deal'"),
        ({"num_envs": 0}, "num_envs 0 is not allowed"),
        ({"observation_form": "dict", "observation_dtype": "uint8"}, "'float32' only"),
    ],
    ids=str,
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(kalooki_env.ConfigError, match=message):
        kalooki_env.make_selfplay(**{"num_envs": 3, **arguments})


@pytest.mark.parametrize("seed", [-1, 2**63 - 2, 1.5, True, [1, 2], [1, 2, "3"], "abc"], ids=repr)
def test_bad_seeds(seed: Any) -> None:
    env = kalooki_env.make_selfplay(3)
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(kalooki_env.KalookiError, match=r"seed.* not allowed"):
        env.reset(seed=seed)
    assert_same(env.get_state(), before)


def test_seeds_and_dealers() -> None:
    env = kalooki_env.make_selfplay(3)
    first = env.reset(seed=10)
    following = env.reset()
    assert_same(tuple(env.reset(seed=[10, 11, 12])), tuple(first))
    mixed = env.reset(seed=[None, 11, None])  # lanes 0 and 2 go on
    assert_same(rows_of(tuple(mixed), [0, 2]), rows_of(tuple(following), [0, 2]))
    assert_same(rows_of(tuple(mixed), 1), rows_of(tuple(first), 1))
    dealers = env.lanes.states["dealer"].copy()
    env.reset()
    assert_array_equal(env.lanes.states["dealer"], (dealers + 1) % 4)
    assert_array_equal(kalooki_env.make_selfplay(3, dealer=2).reset().acting_seat, 3)
