"""`SeatVectorEnv`: a lane is a `SeatEnv`, and Gymnasium's own vector of `SeatEnv`s gives the same in every autoreset mode."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from batch_tools import (
    arrays_of,
    assert_same,
    digest,
    engine_masks,
    permute_hidden,
    random_legal,
    rows_of,
)
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, NormalizeReward, RecordEpisodeStatistics
from numpy.testing import assert_array_equal
from test_batch import reference as play_others

import kalooki_env
from kalooki_env import agents, core
from kalooki_env.agents.play import Player
from kalooki_env.batch.layout import RESUME
from kalooki_env.game.game import Game
from kalooki_env.game.position import position_text

MODES = ("next_step", "same_step", "disabled")
ROOT = Path(__file__).resolve().parent.parent


def singles(mode: str, tables: list[dict[str, Any]]) -> SyncVectorEnv:
    """Gymnasium's vector of single seats."""
    makers: list[Callable[[], gymnasium.Env]] = [lambda table=table: kalooki_env.SeatEnv(**table) for table in tables]
    return SyncVectorEnv(makers, autoreset_mode=AutoresetMode[mode.upper()])


def compare(env: Any, reference: SyncVectorEnv, steps: int, rng: np.random.Generator, illegal: float = 0.0) -> int:
    """Play the same actions in both, some illegal, and compare everything they give; number of deals that ended."""
    mode = env.metadata["autoreset_mode"]
    assert mode is reference.metadata["autoreset_mode"]
    ours = env.reset(seed=17)
    assert_same(ours, reference.reset(seed=17))
    ended = 0
    for step in range(steps):
        masks = ours[-1]["action_mask"]
        actions = random_legal(masks, rng)
        wrong = rng.random(env.num_envs) < illegal
        actions[wrong] = rng.integers(masks.shape[1], size=wrong.sum())
        ours = env.step(actions)
        assert_same(ours, reference.step(actions), f"step {step}")
        over = ours[2]
        ended += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            ours = env.reset(options={"reset_mask": over})
            theirs = reference.reset(options={"reset_mask": over})
            assert_same(ours[0], theirs[0])
            # Gymnasium fills in only the rows that were reset.
            assert_same(rows_of(ours[1], over), rows_of(theirs[1], over))
            assert_array_equal(ours[1]["action_mask"], engine_masks(env.lanes))
    return ended


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6, 7, 8])
def test_lanes_are_single_seats_in_every_deal(num_players: int, mode: str, rng: np.random.Generator) -> None:
    deals = [9, 9] if num_players == 2 else list(range(1, 10))
    env = kalooki_env.make_vec(len(deals), num_players=num_players, lane_deals=deals, autoreset_mode=mode)
    reference = singles(mode, [{"num_players": num_players, "deal": deal} for deal in deals])
    assert compare(env, reference, 100, rng) >= 3


OPTIONS: list[dict[str, Any]] = [
    {"opponents": "random", "rules": "jamaican_club"},
    {"opponents": ["expert", "random", "greedy"], "seat": 2},
    {"opponents": "expert", "reward": "zero_sum", "shaping": 0.1},
    {"observation_form": "dict", "mask_in": "both", "reward": "win", "skip_forced": False},
    {"observation_dtype": "uint8", "mask_in": "both", "num_players": 3, "max_seats": 6},
    {"observation_form": "dict", "observation": "obs-v1+solver", "dealer": 1, "deal": {1: 1, 5: 2}},
    {"on_illegal": "lose", "illegal_reward": -2.5, "shaping": 0.1},
    {"on_illegal": "replace", "opponents": ["random", "greedy", "random"]},
    {"call_windows": "useful", "rules": "jamaican_club", "opponents": "random", "deal": [2, 3]},
    {"opponents": "outside"},
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_lanes_are_single_seats_with_all_options(options: dict[str, Any], mode: str, rng: np.random.Generator) -> None:
    if options.get("opponents") == "outside":
        greedy = agents.load("greedy")
        options = {"opponents": [greedy, "expert", greedy]}
    env = kalooki_env.make_vec(7, autoreset_mode=mode, **options)
    ended = compare(env, singles(mode, [options] * 7), 100, rng, illegal=0.1 if "on_illegal" in options else 0.0)
    assert ended or "random" in str(options)
    assert env.illegal_actions == 0 or "on_illegal" in options


@pytest.mark.parametrize("mode", MODES)
def test_a_lane_is_a_single_seat_with_outside_agents_that_draw_lots(mode: str, rng: np.random.Generator) -> None:
    """Lots are drawn from one generator for all lanes, so only a lane of its own repeats."""
    options = {"opponents": [agents.load("random"), "random", agents.load("random")], "rules": "jamaican_club"}
    compare(kalooki_env.make_vec(1, autoreset_mode=mode, **options), singles(mode, [options]), 100, rng)


def test_opponents_from_a_checkpoint_folder(rng: np.random.Generator) -> None:
    pytest.importorskip("torch")
    options = {"opponents": [str(ROOT / "checkpoints" / "quickstart"), "greedy", "random"], "deal": [1, 5]}
    assert compare(kalooki_env.make_vec(3, **options), singles("next_step", [options] * 3), 40, rng)
    with pytest.raises(kalooki_env.KalookiError, match="trained with max_seats=4 and 235 actions"):
        kalooki_env.make_vec(3, num_players=5, opponents=options["opponents"][0])


@pytest.mark.parametrize("mode", MODES)
def test_threads_make_no_difference(mode: str) -> None:
    options: dict[str, Any] = {"opponents": ["random", agents.load("greedy"), "expert"], "on_illegal": "replace"}
    found = set()
    for threads in (1, 2, 3, 50):
        env = kalooki_env.make_vec(5, autoreset_mode=mode, threads=threads, **options)
        env.reset(seed=4)
        found.add(digest(env, 60))
        env.close()
    assert len(found) == 1


def test_neighbours_make_no_difference(rng: np.random.Generator) -> None:
    """Other seeds, other actions, illegal ones, resets, another number of lanes: a lane goes on as if it were alone."""
    options = {"opponents": ["random", "greedy", "random"], "on_illegal": "replace", "rules": "jamaican_club"}
    one = kalooki_env.make_vec(1, **options)
    many = kalooki_env.make_vec(6, **options, threads=2)
    ours = many.reset(seed=[5, None, 77, 1, 2, None])
    alone = one.reset(seed=77)
    for step in range(250):
        assert_same(rows_of(ours, slice(2, 3)), alone)
        masks = ours[-1]["action_mask"]
        actions = random_legal(masks, rng)
        actions[[0, 1, 3]] = rng.integers(-9, masks.shape[1] + 9, 3)
        if step % 50 == 7:
            many.reset(seed=int(rng.integers(1000)), options={"reset_mask": np.array([1, 0, 0, 0, 1, 1], bool), "deal": 9})
        ours, alone = many.step(actions), one.step(actions[2:3])
    assert many.illegal_actions > 100
    assert one.illegal_actions == 0


# ---- masks, arrays, rewards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_mask_is_of_its_row_and_never_empty(mode: str, rng: np.random.Generator) -> None:
    """The mask of row i is what the engine allows to the seat of lane i; ones where the deal is over."""
    env = kalooki_env.make_vec(12, autoreset_mode=mode, mask_in="both", rules="jamaican_club")
    observations, infos = env.reset(seed=1)
    ended = 0
    for step in range(120):
        over = env.lanes.lanes["over"] > 0
        ended += over.sum()
        masks = env.action_masks()
        assert masks.dtype == np.int8
        assert masks.any(axis=1).all()
        assert_array_equal(infos["action_mask"], masks)
        assert_array_equal(observations["action_mask"], masks)
        assert_array_equal(masks[~over], engine_masks(env.lanes)[~over])
        assert masks[over].all()
        if step % 20 == 0:
            for lane in np.flatnonzero(~over):
                game = Game.from_text(position_text(env.lanes.states[lane], env.lanes.engine))
                assert game.to_move == infos["seat"][lane]
                assert_array_equal(game.mask(int(infos["seat"][lane])), masks[lane])
        if mode == "disabled" and over.any():
            observations, infos = env.reset(options={"reset_mask": over})
            continue
        observations, _, terminations, _, infos = env.step(random_legal(masks, rng))
        if "final_info" in infos:
            ended += terminations.sum()
            assert infos["final_info"]["action_mask"][terminations].all()
            assert all(final["action_mask"].all() for final in infos["final_obs"][terminations])
    assert ended


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [{}, {"observation_form": "dict", "mask_in": "both"}], ids=str)
def test_arrays_handed_out_never_change_later(options: dict[str, Any], mode: str, rng: np.random.Generator) -> None:
    env = kalooki_env.make_vec(6, autoreset_mode=mode, **options)
    given: list[Any] = [env.reset(seed=2)]
    kept = []
    for _ in range(100):
        masks = env.action_masks()
        actions = env.sample_actions()
        for array in arrays_of((*given, masks, actions, env.get_state())):
            kept.append((array, array.copy()))
        given = [env.step(random_legal(masks, rng))]
        if mode == "disabled" and given[0][2].any():
            given.append(env.reset(options={"reset_mask": given[0][2]}))
    for array, then in kept:
        assert_same(array, then)


def test_without_copies_arrays_are_buffers(rng: np.random.Generator) -> None:
    """`copy=False`: the next call overwrites what the last one gave, and both give the same numbers as copies do."""
    env = kalooki_env.make_vec(4, copy=False, autoreset_mode="same_step")
    twin = kalooki_env.make_vec(4, autoreset_mode="same_step")
    first, infos = env.reset(seed=3)
    assert_same((first, infos), twin.reset(seed=3))
    for _ in range(60):
        actions = random_legal(twin.action_masks(), rng)
        ours = env.step(actions)
        assert ours[0] is first
        assert np.shares_memory(ours[4]["action_mask"], infos["action_mask"])
        assert np.shares_memory(env.action_masks(), infos["action_mask"])
        assert_same(ours, twin.step(actions))


SIZES = [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("decisions", SIZES)
@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_random_play_pays_the_scores(opponents: str, decisions: int, rng: np.random.Generator) -> None:
    """No mask allows an illegal action, and what a seat is paid in a deal is what the engine's scores say."""
    count = 50
    total = 0
    for reward in ("score", "zero_sum", "win"):
        env = kalooki_env.make_vec(count, opponents=opponents, reward=reward)
        _, infos = env.reset(seed=8)
        paid = np.zeros(count)
        ended = 0
        for _ in range(decisions // count // 3):
            _, rewards, over, truncations, infos = env.step(random_legal(infos["action_mask"], rng))
            paid += rewards
            assert not truncations.any()
            assert (rewards[~over] == 0).all()
            rows = np.flatnonzero(over)
            scores = env.lanes.states["scores"][rows, :4].astype(float)
            seats = infos["seat"][rows]
            own = scores[np.arange(len(rows)), seats]
            winners = env.lanes.states["winner"][rows]
            expected = {"score": -own / 100, "zero_sum": (scores.mean(axis=1) - own) / 100, "win": winners == seats}[reward]
            np.testing.assert_allclose(paid[rows], expected, rtol=0, atol=1e-9)
            assert_array_equal(infos["score"][rows], own)
            assert_array_equal(infos["winner"][rows], winners)
            assert_array_equal(infos["blocked"][rows], winners < 0)
            assert not infos["score"][~over].any()
            paid[rows] = 0
            ended += len(rows)
        assert ended > 20
        assert env.illegal_actions == 0
        total += env.choices
    assert total > decisions


# ---- saving -------------------------------------------------------------------------------------------------------------

RESTORED = """
import sys
sys.path.insert(0, {tests!r})
import numpy as np
from batch_tools import digest
from test_vector_env import SAVED
for number, make in enumerate(SAVED):
    env = make()
    with np.load(f"{folder}/{{number}}.npz", allow_pickle=False) as state:
        env.set_state(state)
    print(digest(env, 60))
"""
_MIXED: dict[str, Any] = {"opponents": ["random", "greedy", "expert"], "on_illegal": "replace", "shaping": 0.1}
#: Environments of all forms, with outside agents that draw lots among them.
SAVED: list[Callable[[], Any]] = [
    lambda: kalooki_env.make_vec(5, **_MIXED, deal={1: 1, 4: 2}),
    lambda: kalooki_env.make_vec(5, **_MIXED, autoreset_mode="same_step", threads=2),
    lambda: kalooki_env.make_vec(5, **_MIXED, autoreset_mode="disabled", lane_deals=[1, 2, 3, 4, 5], seat=1),
    lambda: kalooki_env.make_vec(5, opponents=agents.load("random"), rules="jamaican_club", num_players=5),
    lambda: kalooki_env.make_selfplay(5, shaping=0.1, on_illegal="lose"),
    lambda: kalooki_env.SeatEnv(**_MIXED, observation_form="dict"),
]


def test_saved_states_go_on_in_another_process(tmp_path: Path) -> None:
    expected = []
    for number, make in enumerate(SAVED):
        env = make()
        env.reset(seed=21)
        digest(env, 45)
        np.savez(tmp_path / f"{number}.npz", **env.get_state())
        expected.append(digest(env, 60))
    program = RESTORED.format(tests=str(Path(__file__).parent), folder=tmp_path)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == expected


@pytest.mark.parametrize("number", range(len(SAVED)))
def test_copies_and_pickles_go_on_alike_and_alone(number: int) -> None:
    env = SAVED[number]()
    env.reset(seed=22)
    digest(env, 25)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    before = digest(copy.deepcopy(env), 40)
    digest(twins[0], 10)
    assert digest(env, 40) == before
    assert digest(twins[1], 40) == before
    for one in (env, *twins):
        one.close()


def test_a_restored_state_shows_what_was_shown(rng: np.random.Generator) -> None:
    """Observations, masks and infos of the moment, also of lanes whose deal is over, and whatever was played meanwhile."""
    env = kalooki_env.make_vec(9, opponents="expert", on_illegal="lose")
    env.reset(seed=30)
    seen = 0
    for _ in range(60):
        ours = env.step(random_legal(env.action_masks(), rng))
        seen += ours[2].sum()
        state = env.get_state()
        env.step(random_legal(env.action_masks(), rng))
        assert_same(env.set_state(state), (ours[0], ours[4]))
    assert seen


def test_states_of_something_else_are_refused() -> None:
    env = kalooki_env.make_vec(3)
    env.reset(seed=1)
    state, before = env.get_state(), env.get_state()
    others: list[Any] = [
        kalooki_env.make_vec(4),
        kalooki_env.make_vec(3, opponents="expert"),
        kalooki_env.make_vec(3, autoreset_mode="same_step"),
        kalooki_env.make_vec(3, seat=1),
        kalooki_env.make_vec(3, rules="jamaican pip_joker=25"),
        kalooki_env.make_vec(3, skip_forced=False),
        kalooki_env.make_vec(3, call_windows="useful"),
        kalooki_env.make_selfplay(3),
        kalooki_env.SeatEnv(),
    ]
    for other in others:
        with pytest.raises(kalooki_env.ConfigError, match="of another environment or version"):
            other.set_state(state)
    about = json.loads(state["about"].tobytes())

    def changed(**values: Any) -> dict[str, Any]:
        return {**state, "about": np.frombuffer(json.dumps({**about, **values}).encode(), np.uint8)}

    refused: list[tuple[Any, str]] = [
        (changed(schema="0123"), "of another environment or version"),
        ({}, "not a state that an environment saved"),
        ({**state, "about": np.frombuffer(b"\xff\xfe", np.uint8)}, "not a state that an environment saved"),
        ({**state, "about": np.frombuffer(b"[1, 2]", np.uint8)}, "not a state that an environment saved"),
        ({key: value for key, value in state.items() if key != "lanes"}, "not a state that an environment saved"),
        ({**state, "states": state["states"][:2]}, r"states uint8 \(2, \d+\); allowed: uint8 \(3, "),
        ({**state, "lanes": state["lanes"].astype(np.int64)}, "lanes int64"),
        (7, "state int is not allowed"),
        ([state], "state list is not allowed"),
    ]
    for garbage, message in refused:
        with pytest.raises(kalooki_env.ConfigError, match=message):
            env.set_state(garbage)
    assert_same(env.get_state(), before)


def test_equal_options_in_other_words_are_equal() -> None:
    env = kalooki_env.make_vec(3, deal=[1, 2], max_seats=4, observation=["hand", "phase"], seat=np.int64(2), shaping=0)
    same = {"deal": np.array([1, 2]), "observation": ("hand", "phase"), "seat": 2, "shaping": 0.0}
    twin = kalooki_env.make_vec(3, **same, threads=2, copy=False)
    env.reset(seed=1)
    assert_same(twin.set_state(env.get_state()), env.set_state(env.get_state()))


# ---- illegal actions and other misuse -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_illegal_actions_raise_and_change_nothing(mode: str, rng: np.random.Generator) -> None:
    env = kalooki_env.make_vec(4, seat=0, dealer=3, autoreset_mode=mode)
    _, infos = env.reset(seed=[3, 4, 5, 6])
    before = env.get_state()
    actions = random_legal(infos["action_mask"], rng)
    for wrong in (core.LAY_DOWN, core.DISCARD, -1, 10_000):
        actions[2] = wrong
        with pytest.raises(kalooki_env.IllegalActionError, match=r"^lane 2: .* by P1 .*legal: draw stock, take upcard") as caught:
            env.step(actions)
        assert caught.value.seed == 5
        assert caught.value.position == position_text(env.lanes.states[2], env.lanes.engine)
        assert "hand P2" not in str(caught.value)
        assert_same(env.get_state(), before)
    assert env.illegal_actions == 0
    actions[2] = core.DRAW_STOCK
    env.step(actions)


@pytest.mark.parametrize("mode", MODES)
def test_illegal_actions_lose_if_asked_to(mode: str, rng: np.random.Generator) -> None:
    env = kalooki_env.make_vec(3, autoreset_mode=mode, on_illegal="lose", illegal_reward=-7.0, dealer=0, seat=2)
    observations, infos = env.reset(seed=9)
    actions = random_legal(infos["action_mask"], rng)
    actions[1] = core.LAY_DOWN
    after, rewards, over, _, infos = env.step(actions)
    assert_array_equal(over, [False, True, False])
    assert_array_equal(rewards, [0, -7, 0])
    assert env.illegal_actions == 1
    final = infos["final_info"] if mode == "same_step" else infos
    assert {name: final[name][1] for name in ("illegal", "winner", "blocked", "score", "turns", "seat")} == {
        "illegal": 1, "winner": -1, "blocked": 0, "score": 0, "turns": 0, "seat": 2,
    }  # fmt: skip
    # The position has not changed, and is the last that the seat sees of this deal.
    last = infos["final_obs"][1] if mode == "same_step" else after[1]
    assert_array_equal(last, observations[1])
    if mode == "same_step":
        assert_array_equal(infos["illegal"], [0, 0, 0])
    elif mode == "next_step":
        _, rewards, over, _, infos = env.step(random_legal(infos["action_mask"], rng))
        assert not over[1]
        assert rewards[1] == 0
    else:
        _, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert_array_equal(infos["illegal"], [0, 0, 0])
    assert_array_equal(infos["action_mask"], engine_masks(env.lanes))


def test_illegal_actions_are_replaced_if_asked_to(rng: np.random.Generator) -> None:
    """Deals go on with a legal action, and illegal ones are told and counted."""
    env = kalooki_env.make_vec(20, on_illegal="replace", opponents="random")
    _, infos = env.reset(seed=9)
    count = 0
    for _ in range(100):
        over = env.lanes.lanes["over"] > 0
        actions = rng.integers(-3, infos["action_mask"].shape[1] + 3, env.num_envs)
        legal = engine_masks(env.lanes)
        inside = (actions >= 0) & (actions < legal.shape[1])
        wrong = ~over & ~(inside & (legal[np.arange(20), np.where(inside, actions, 0)] > 0))
        _, _, _, _, infos = env.step(actions)
        assert_array_equal(infos["illegal"], wrong)
        count += wrong.sum()
        assert env.illegal_actions == count
    assert count > 1000


def test_replacements_are_any_legal_actions() -> None:
    """Of the two at the start of a deal, each in half of the lanes."""
    count = 2000
    env = kalooki_env.make_vec(count, on_illegal="replace", seat=0, dealer=3, observation=["phase"], opponents="random")
    env.reset(seed=1)
    piles = env.lanes.states["pile_n"].copy()
    env.step(np.full(count, -1))
    taken = (env.lanes.states["pile_n"] < piles).mean()
    assert abs(taken - 0.5) < 0.045  # 4 standard deviations


def test_only_shuffles_draw_from_the_generator_of_the_cards(rng: np.random.Generator) -> None:
    """Not random bots, nor replaced or sampled actions: the next deal does not depend on them."""
    env = kalooki_env.make_vec(50, opponents="random", on_illegal="replace", autoreset_mode="disabled")
    env.reset(seed=0)
    before = env.lanes.states["rng"].copy()
    for _ in range(15):
        env.step(np.where(rng.random(50) < 0.5, env.sample_actions(), -1))
    assert (env.lanes.states["reshuffles"] == 0).all()
    assert_array_equal(env.lanes.states["rng"], before)


def test_generators_of_lanes_are_unrelated() -> None:
    """Those of the cards and those of random bots, of all lanes: no two are equal."""
    env = kalooki_env.make_vec(500)
    env.reset(seed=0)
    generators = np.concatenate([env.lanes.states["rng"], env.lanes.lanes["rng"]])
    assert len(np.unique(generators)) == 1000


def test_steps_out_of_time() -> None:
    env = kalooki_env.make_vec(3, autoreset_mode="disabled", on_illegal="lose")
    with pytest.raises(kalooki_env.EnvironmentStateError, match=r"step before reset.*: call reset\(\) first"):
        env.step([0, 0, 0])
    env.reset(options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(kalooki_env.EnvironmentStateError, match="lane 1, which was never reset"):
        env.step([0, 0, 0])
    env.reset(seed=1)
    actions = env.sample_actions()
    actions[1] = -1
    env.step(actions)
    before = env.get_state()
    with pytest.raises(kalooki_env.EnvironmentStateError, match=r"lane 1, whose deal is over.*reset_mask"):
        env.step(random_legal(env.action_masks(), np.random.default_rng(0)))
    assert_same(env.get_state(), before)


@pytest.mark.parametrize(
    "actions",
    [
        [0.0, 0.0, 0.0],
        np.zeros(3, np.float32),
        [0, 0],
        [[0], [0], [0]],
        0,
        None,
        ["a", "b", "c"],
        [True, True, True],
        [0, None, 0],
    ],
    ids=repr,
)
def test_actions_of_wrong_shapes_and_dtypes(actions: Any) -> None:
    env = kalooki_env.make_vec(3, on_illegal="replace")
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(kalooki_env.KalookiError, match=r"actions .* are not allowed; allowed: 3 whole numbers") as caught:
        env.step(actions)
    is_whole = np.asarray(actions).dtype.kind in "iu"
    assert isinstance(caught.value, kalooki_env.ConfigError if is_whole else kalooki_env.ActionTypeError)
    assert_same(env.get_state(), before)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_actions_of_any_whole_dtype(dtype: type) -> None:
    env = kalooki_env.make_vec(3)
    env.reset(seed=1)
    env.step(env.sample_actions().astype(dtype))
    env.step(tuple(map(int, env.sample_actions())))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"opponent": "greedy"}, kalooki_env.ConfigError, "unexpected keyword argument 'opponent' .did you mean 'opponents'"),
        ({"treads": 2}, kalooki_env.ConfigError, "did you mean 'threads'"),
        ({"threads": 0}, kalooki_env.ConfigError, "threads 0 is not allowed; allowed: a whole number from 1 to"),
        ({"num_envs": 0}, kalooki_env.ConfigError, "num_envs 0 is not allowed"),
        ({"num_envs": 1.0}, kalooki_env.ConfigTypeError, "num_envs 1.0 is not allowed"),
        ({"opponents": "gredy"}, kalooki_env.AgentError, "did you mean 'greedy'"),
        ({"opponents": ["greedy"]}, kalooki_env.ConfigError, "1 opponents are not allowed; allowed: one, or 3 of them"),
        ({"opponents": None}, kalooki_env.ConfigError, "opponent None is not allowed"),
        ({"opponents": agents.Agent}, kalooki_env.ConfigError, "opponent .*Agent.* is not allowed"),
        ({"opponents": "cheat-hands"}, kalooki_env.AgentError, "sees hidden cards"),
        ({"seat": 4}, kalooki_env.RulesError, "seat 4 is not allowed; allowed: 0 to 3, or 'rotate'"),
        ({"seat": "rotat"}, kalooki_env.RulesError, "seat 'rotat' is not allowed"),
        ({"dealer": -1}, kalooki_env.RulesError, "dealer -1 is not allowed; allowed: 0 to 3, or 'rotate'"),
        ({"autoreset_mode": "nextstep"}, kalooki_env.ConfigError, "did you mean 'next_step'"),
        ({"autoreset_mode": None}, kalooki_env.ConfigError, "autoreset_mode None is not allowed"),
        ({"deal": {1: 0, 2: 1}}, kalooki_env.ConfigError, "weights above 0"),
        ({"deal": {1: "x"}}, kalooki_env.ConfigError, "weight of deal 1 'x' is not allowed"),
        ({"deal": {}}, kalooki_env.RulesError, "an empty list"),
        ({"deal": {10: 1.0}}, kalooki_env.RulesError, "deal 10 is not allowed"),
        ({"deal": [1] * 10}, kalooki_env.RulesError, "use weights"),
        ({"lane_deals": [1, 2]}, kalooki_env.ConfigError, r"lane_deals \[1, 2\] are not allowed; allowed: one for each of 3"),
        ({"lane_deals": 3}, kalooki_env.ConfigError, "lane_deals 3 are not allowed"),
        ({"lane_deals": [1, 2, 10]}, kalooki_env.RulesError, "deal 10 is not allowed"),
        ({"observation_form": "dct"}, kalooki_env.ConfigError, "did you mean 'dict'"),
        ({"observation_dtype": "int8"}, kalooki_env.ConfigError, "did you mean 'uint8'"),
        ({"observation_form": "dict", "observation_dtype": "uint8"}, kalooki_env.ConfigError, "'float32' only"),
        ({"observation": "obs"}, kalooki_env.ConfigError, "did you mean 'obs-v1'"),
        ({"reward": "scores"}, kalooki_env.ConfigError, "did you mean 'score'"),
        ({"shaping": -0.1}, kalooki_env.ConfigError, "shaping -0.1 is not allowed"),
        ({"shaping": float("nan")}, kalooki_env.ConfigError, "shaping nan is not allowed"),
        ({"on_illegal": "ignore"}, kalooki_env.ConfigError, "allowed: raise, lose, replace"),
        ({"illegal_reward": "-4"}, kalooki_env.ConfigError, "illegal_reward '-4' is not allowed"),
        ({"call_windows": "usefull"}, kalooki_env.ConfigError, "did you mean 'useful'"),
        ({"num_players": 9}, kalooki_env.RulesError, "9 players are not allowed"),
        ({"num_players": 2, "deal": 3}, kalooki_env.RulesError, "only a sudden death"),
        ({"max_seats": 3}, kalooki_env.RulesError, "max_seats 3 is not allowed"),
        ({"rules": "jamacan"}, kalooki_env.RulesError, "did you mean 'jamaican'"),
    ],
    ids=str,
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kalooki_env.make_vec(**{"num_envs": 3, **arguments})


# ---- seeds, deals, seats ------------------------------------------------------------------------------------------------


def test_seeds() -> None:
    env = kalooki_env.make_vec(3, opponents="random")
    by_number, _ = env.reset(seed=10)
    by_list, _ = env.reset(seed=[10, 11, 12])
    assert_array_equal(by_number, by_list)
    env.reset(seed=[10, 11, 12])
    expected, _ = env.reset()
    env.reset(seed=10)
    mixed, _ = env.reset(seed=[None, np.int64(11), None])  # lanes 0 and 2 go on
    assert_array_equal(mixed[[0, 2]], expected[[0, 2]])
    assert_array_equal(mixed[1], by_number[1])
    env.reset(seed=10)
    part, _ = env.reset(seed=10, options={"reset_mask": np.array([False, True, False])})  # only what is reset is seeded
    assert_array_equal(part, by_number)
    again, _ = env.reset()
    assert_array_equal(again[[0, 2]], expected[[0, 2]])


@pytest.mark.parametrize("seed", [-1, 2**63 - 2, 1.5, True, [1, 2], [1, 2, -3], [1, 2, 3.0], "abc"], ids=repr)
def test_bad_seeds(seed: Any) -> None:
    env = kalooki_env.make_vec(3)
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(kalooki_env.KalookiError, match=r"seed.* not allowed"):
        env.reset(seed=seed)
    assert_same(env.get_state(), before)


def test_reset_options() -> None:
    env = kalooki_env.make_vec(4, deal=[1, 2])
    for _ in range(5):
        _, infos = env.reset(options={"deal": 7, "dealer": 2, "seat": 1})
        assert_array_equal(infos["deal"], 7)
        assert_array_equal(infos["seat"], 1)
        assert_array_equal(env.lanes.states["dealer"], 2)
    _, infos = env.reset()
    assert set(infos["deal"]) <= {1, 2}
    assert_array_equal(env.lanes.states["dealer"], 3)
    mask = np.array([False, True, False, True])
    before = env.lanes.states.copy()
    env.reset(options={"reset_mask": mask, "deal": {8: 1}})
    assert_array_equal(env.lanes.states["deal"][mask], 8)
    assert_array_equal(env.lanes.states[~mask], before[~mask])
    with pytest.warns(UserWarning, match="'reset_masks' is ignored; did you mean 'reset_mask'"):
        env.reset(options={"reset_masks": mask, "something else": 1})
    for key, value in (("deal", 0), ("deal", {1: -1}), ("dealer", 4), ("seat", 4), ("seat", None)):
        before_bytes = env.lanes.states.tobytes()
        with pytest.raises(kalooki_env.KalookiError, match=f"^{key} .* is not allowed"):
            env.reset(seed=1, options={key: value})
        assert env.lanes.states.tobytes() == before_bytes
    for wrong in ([True] * 4, np.ones(4), np.ones(3, bool), np.zeros(4, bool), None):
        with pytest.raises(kalooki_env.ConfigError, match=r"reset_mask .* is not allowed; allowed: bool"):
            env.reset(options={"reset_mask": wrong})
    with pytest.raises(kalooki_env.ConfigError, match="lane_deals"):
        kalooki_env.make_vec(2, lane_deals=[1, 2]).reset(options={"deal": 3})


def test_deals_are_drawn_by_their_weights() -> None:
    count = 6000
    env = kalooki_env.make_vec(count, deal={1: 6, 4: 3, 9: 1}, observation=["phase"], opponents="random")
    _, infos = env.reset(seed=0)
    found = np.bincount(infos["deal"], minlength=10)
    assert found.sum() == found[[1, 4, 9]].sum() == count
    assert np.abs(found[[1, 4, 9]] / count - [0.6, 0.3, 0.1]).max() < 0.025  # 4 standard deviations
    env = kalooki_env.make_vec(count, deal=[2, 2, 3], observation=["phase"], opponents="random")
    _, infos = env.reset(seed=0)
    assert abs((infos["deal"] == 2).mean() - 2 / 3) < 0.025
    env = kalooki_env.make_vec(count, observation=["phase"], opponents="random")
    _, infos = env.reset(seed=0)
    found = np.bincount(infos["deal"], minlength=10)
    assert found[0] == 0
    assert np.abs(found[1:] / count - 1 / 9).max() < 0.017
    huge = kalooki_env.make_vec(500, deal={1: 1e308, 2: 1e308, 3: 1e-300}, observation=["phase"])
    assert set(huge.reset(seed=0)[1]["deal"]) == {1, 2}


def test_lane_deals(rng: np.random.Generator) -> None:
    env = kalooki_env.make_vec(4, lane_deals=np.array([3, 9, 1, 3]), autoreset_mode="same_step")
    _, infos = env.reset(seed=0)
    for _ in range(80):
        assert_array_equal(infos["deal"], [3, 9, 1, 3])
        infos = env.step(random_legal(infos["action_mask"], rng))[4]


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_seat_rotates_through_all_places_behind_the_dealer(num_players: int) -> None:
    env = kalooki_env.make_vec(200, num_players=num_players, deal=9, observation=["phase"])
    places = []
    for step in range(2 * num_players):
        _, infos = env.reset(seed=5 if step == 0 else None)
        places.append((infos["seat"] - env.lanes.states["dealer"]) % num_players)
    assert set(places[0]) == set(range(num_players))
    skipped = env.skipped_deals
    for before, after in itertools.pairwise(places):
        assert ((after - before) % num_players == 1).all() or skipped
    assert skipped == 0
    fixed = kalooki_env.make_vec(20, num_players=num_players, deal=9, seat=1)
    for _ in range(5):
        _, infos = fixed.reset()
        assert_array_equal(infos["seat"], 1)


def test_opponents_sit_clockwise_from_the_learning_seat(rng: np.random.Generator) -> None:
    class Noting:
        """Greedy, and notes which seats it is asked for."""

        observation = None

        def __init__(self) -> None:
            self.greedy = agents.load("greedy")
            self.seats: set[int] = set()

        def begin(self, engine: Any) -> None:
            self.greedy.begin(engine)

        def act(self, views: Any, masks: Any, rng: Any) -> Any:
            self.seats |= set(map(int, views["observer"]))
            return self.greedy.act(views, masks, rng)

    for seat in range(4):
        given: list[Any] = [Noting(), "random", Noting()]
        env = kalooki_env.make_vec(3, opponents=given, seat=seat)
        _, infos = env.reset(seed=1)
        for _ in range(30):
            infos = env.step(random_legal(infos["action_mask"], rng))[4]
        assert (given[0].seats, given[2].seats) == ({(seat + 1) % 4}, {(seat + 3) % 4})


_ABOUT_TO_GO_OUT = (
    "kalooki: 1\nrules: jamaican\nplayers: 3\ndeal: 2\ndealer: P3\nturns: 9\nphase: play P1\nhand P1: 9C\nhand P2: 4C 9S\n"
    "hand P3: QC 2C\nmeld P1/1: 8S 8H 8D\nmeld P1/2: TS TH TD\nmeld P1/3: 5D JK(6D) 7D JK(8D)\nopened: P1\n"
    "stock: rest\npile: 5C KD\n"
)


@pytest.mark.parametrize("mode", MODES)
def test_deals_that_end_before_the_seat_decides_are_not_shown(mode: str) -> None:
    """Put at a position of a deal in which it was not asked yet, and where somebody goes out."""
    env = kalooki_env.make_vec(2, num_players=3, seat=1, autoreset_mode=mode, deal=4)
    env.reset(seed=0)
    other = env.lanes.states[1].tobytes()
    dealer = int(env.lanes.lanes["dealer"][0])
    game = Game.from_text(_ABOUT_TO_GO_OUT)
    env.lanes.states[0] = game.states[0]
    env.lanes.lanes["asked"][0] = 0
    discard = game.legal_numbers()
    assert len(discard) == 1
    env.lanes._run(np.array([RESUME, 0], np.uint8), np.array([discard[0], 0]), env.lanes.settings)
    assert env.skipped_deals == 1
    assert not env.lanes.over.any()
    assert_array_equal(env.lanes.rewards, 0)
    assert_array_equal(env.lanes.infos[0], [4, 4])
    assert env.lanes.lanes["dealer"][0] == (dealer + 1) % 3
    assert_array_equal(env.action_masks(), engine_masks(env.lanes))
    assert env.lanes.states[1].tobytes() == other
    env.step(env.sample_actions())


@pytest.mark.parametrize("mode", MODES)
def test_deals_that_are_not_shown_come_up_in_play(mode: str, rng: np.random.Generator) -> None:
    """One deal in a thousand of these: the first player goes out in the first turn. Illegal actions bring many deals."""
    options: dict[str, Any] = {"num_players": 3, "deal": 2, "on_illegal": "lose", "observation": ["hand", "seats"]}
    env = kalooki_env.make_vec(50, autoreset_mode=mode, **options)
    reference = singles(mode, [options] * 50)
    assert compare(env, reference, 100, rng, illegal=0.9) > 1000
    assert env.skipped_deals == sum(single._vector.skipped_deals for single in reference.envs) > 0


def test_a_deal_that_is_not_shown_is_one_that_others_end(rng: np.random.Generator) -> None:
    """Against the AEC environment: the seat is asked first in the next deal."""
    options: dict[str, Any] = {"num_players": 3, "deal": 2}
    env = kalooki_env.make_vec(4000, seat=0, **options)
    observations, infos = env.reset(seed=0)
    skipped = np.flatnonzero(env.lanes.lanes["skipped"])
    assert len(skipped) == env.skipped_deals > 0
    for lane in (*skipped, 0, 1, 2):
        table = kalooki_env.raw_env(**options, skip_forced=True)
        players = {seat: Player(agents.load("greedy"), table._engine, "greedy") for seat in (1, 2)}
        table.reset(seed=int(lane))
        if lane in skipped:
            assert not play_others(table, players, rng, "player_0")
            table.reset()
        assert play_others(table, players, rng, "player_0")
        seen = table.observe("player_0")
        assert_array_equal(observations[lane], seen["observation"])
        assert_array_equal(infos["action_mask"][lane], seen["action_mask"])


# ---- decisions that are not asked for -----------------------------------------------------------------------------------


class Reduced:
    """One lane that is asked everything, played so that only some decisions are passed on: what an option should do."""

    def __init__(self, forced: bool, useless: bool, **options: Any) -> None:
        self.env = kalooki_env.make_vec(1, skip_forced=False, autoreset_mode="disabled", **options)
        self.forced, self.useless = forced, useless
        self.counts = {"forced": 0, "useless": 0, "useful": 0}

    def answer(self, mask: np.ndarray) -> int | None:
        """The action of a decision that is not passed on."""
        legal = np.flatnonzero(mask)
        if self.forced and len(legal) == 1:
            self.counts["forced"] += 1
            return int(legal[0])
        if self.useless and self.env.lanes.states[0]["phase"] == core.Phase.CALL:
            useful = is_useful(self.env)
            self.counts["useful" if useful else "useless"] += 1
            return None if useful else core.PASS
        return None

    def deal(self, seed: int | None = None) -> np.ndarray:
        """The first decision of the next deal that has one."""
        while True:
            observations, infos = self.env.reset(seed=seed)
            seed = None
            action = self.answer(infos["action_mask"][0])
            if action is None:
                return observations
            observations, _, over = self.go_on(action)
            if not over:
                return observations

    def go_on(self, action: int) -> tuple[np.ndarray, float, bool]:
        total = 0.0
        while True:
            observations, rewards, over, _, infos = self.env.step(np.array([action]))
            total += rewards[0]
            following = None if over[0] else self.answer(infos["action_mask"][0])
            if following is None:
                return observations, total, bool(over[0])
            action = following


def distance(lanes: Any, seat: int, hand: np.ndarray) -> int:
    """The contract distance of a seat with some hand, from a changed copy of the position."""
    from kalooki_env.observe.solver_piece import distances_of_lane

    states, table = lanes.states.copy(), lanes.engine
    states["hands"][0, seat] = hand
    states["hand_n"][0, seat] = hand.sum()
    found = np.zeros(table.num_players, np.int64)
    distances_of_lane(states, table.record, table.feas, table.dist, 0, found)
    return int(found[seat])


def is_useful(env: Any) -> bool:
    """Slowly: whether the upcard lowers the distance, or else raises the number of unseen cards that do."""
    lanes = env.lanes
    table, seat = lanes.engine, int(lanes.states[0]["actor"])
    view = np.zeros(1, core.VIEW)
    core.views_of_lanes(lanes.states, table.record, np.zeros(1, np.int64), np.array([seat]), view)
    seen = view[0]
    hand = seen["hand"].astype(np.int64)
    upcard = int(seen["pile"][seen["pile_n"] - 1])
    copies = np.full(core.CARDS, table.record[0]["packs"], np.int64)
    copies[core.JOKER] *= 2
    known = seen["known"].reshape(core.SEATS, core.CARDS).astype(np.int64)
    others = sum(known[other] for other in range(table.num_players) if other != seat)
    unseen = copies - hand - seen["pile_count"] - seen["table_count"] - others
    assert (unseen >= 0).all()

    def with_card(cards: np.ndarray, card: int) -> np.ndarray:
        more = cards.copy()
        more[card] += 1
        return more

    def outs(cards: np.ndarray, now: int) -> int:
        return sum(int(unseen[c]) for c in range(core.CARDS) if unseen[c] and distance(lanes, seat, with_card(cards, c)) < now)

    now, taken = distance(lanes, seat, hand), with_card(hand, upcard)
    after = distance(lanes, seat, taken)
    return after < now or (now > 0 and outs(taken, now) > outs(hand, now))


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ({"call_windows": "useful", "skip_forced": False}, {"opponents": "greedy"}),
        ({"call_windows": "useful", "skip_forced": True}, {"opponents": "random", "rules": "jamaican_club", "num_players": 5}),
        ({"skip_forced": True}, {"opponents": "random", "rules": "jamaican_club"}),
        ({"skip_forced": True}, {"opponents": "greedy", "num_players": 3}),
    ],
    ids=str,
)
def test_decisions_are_left_out_and_nothing_else(
    option: dict[str, Any], options: dict[str, Any], rng: np.random.Generator
) -> None:
    """Against the same table that is asked everything, where the decisions in question are answered by hand.

    What is offered is exactly what the slow computation finds useful, in the same positions with the same cards.
    """
    reduced = Reduced(option["skip_forced"], "call_windows" in option, **options)
    env = kalooki_env.make_vec(1, autoreset_mode="disabled", **option, **options)
    ended = 0
    ours, infos = env.reset(seed=6)
    theirs = reduced.deal(seed=6)
    for _ in range(600):
        assert_array_equal(ours, theirs)
        action = int(random_legal(infos["action_mask"], rng)[0])
        ours, rewards, over, _, infos = env.step([action])
        theirs, reward, is_over = reduced.go_on(action)
        assert (rewards[0], over[0]) == (reward, is_over)
        if is_over:
            ended += 1
            assert_array_equal(ours, theirs)
            ours, infos = env.reset()
            theirs = reduced.deal()
    assert ended
    assert env.choices == reduced.env.choices
    if "call_windows" in option:
        assert reduced.counts["useful"] > 5
        assert reduced.counts["useless"] > 5
    if option["skip_forced"]:
        assert reduced.counts["forced"] or options.get("rules") is None


def test_with_forced_decisions_skipped_every_mask_has_a_choice(rng: np.random.Generator) -> None:
    env = kalooki_env.make_vec(50, rules="jamaican_club", opponents="random")
    _, infos = env.reset(seed=0)
    for _ in range(100):
        assert (infos["action_mask"].sum(axis=1) > 1).all()
        infos = env.step(random_legal(infos["action_mask"], rng))[4]


# ---- hidden cards -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"rules": "jamaican_club", "num_players": 5}, {"rules": "open_hand"}], ids=str)
def test_hidden_cards_do_not_show(options: dict[str, Any], rng: np.random.Generator) -> None:
    """Cards that the seat cannot see are permuted: its row, mask and infos stay the same, at the end of a deal too."""
    options = {"observation": "obs-v1+solver", "mask_in": "both", "skip_forced": False, **options}
    env, twin = kalooki_env.make_vec(9, **options), kalooki_env.make_vec(9, **options)
    ours = env.reset(seed=2)
    source = np.zeros(1, core.STATE)
    source["rng"] = 99
    changed = ended = 0
    for _ in range(60):
        for _ in range(3):
            result = env.step(random_legal(env.action_masks(), rng))
            ours = (result[0], result[4])
        ended += result[2].sum()
        twin.set_state(env.get_state())
        changed += permute_hidden(twin.lanes, ours[1]["seat"], source)
        assert_same((twin.observations(), twin._infos()), ours)
    assert changed > 300
    assert ended


# ---- Gymnasium ----------------------------------------------------------------------------------------------------------


def test_spaces(rng: np.random.Generator) -> None:
    for options in (
        {},
        {"observation_dtype": "uint8", "num_players": 3, "max_seats": 8},
        {"observation_form": "dict", "mask_in": "both"},
        {"observation_dtype": "uint8", "mask_in": "both", "observation": "obs-v1+solver"},
    ):
        env = kalooki_env.make_vec(3, **options, autoreset_mode="same_step")
        observations, infos = env.reset(seed=1)
        for _ in range(40):
            assert env.observation_space.contains(observations)
            actions = random_legal(infos["action_mask"], rng)
            assert env.action_space.contains(actions)
            observations, rewards, terminations, truncations, infos = env.step(actions)
            assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, np.bool_, np.bool_)
            for final in infos.get("final_obs", [])[terminations] if terminations.any() else []:
                assert env.single_observation_space.contains(final)
        assert env.single_action_space.n == core.num_actions(options.get("max_seats") or 4)


@pytest.mark.parametrize("mode", [*MODES, *AutoresetMode], ids=str)
def test_modes_by_all_their_names(mode: Any) -> None:
    env = kalooki_env.make_vec(2, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is env.autoreset_mode
    assert isinstance(env.autoreset_mode, AutoresetMode)
    value = mode.value if isinstance(mode, AutoresetMode) else mode
    assert kalooki_env.make_vec(2, autoreset_mode=value).autoreset_mode is env.autoreset_mode


def test_gymnasium_makes_it(rng: np.random.Generator) -> None:
    options = {"opponents": "random", "num_players": 3}
    native = gymnasium.make_vec("Kalooki-v0", num_envs=4, vectorization_mode="vector_entry_point", **options)
    assert isinstance(native.unwrapped, kalooki_env.SeatVectorEnv)
    assert native.num_envs == 4
    sync = gymnasium.make_vec("Kalooki-v0", num_envs=4, vectorization_mode="sync", **options)
    compare(native, sync, 30, rng)
    same_step = gymnasium.make_vec(
        "Kalooki-v0", num_envs=2, vectorization_mode="vector_entry_point", autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert same_step.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    for env in (native, sync, same_step):
        env.close()


@pytest.mark.parametrize("mode", MODES)
def test_gymnasium_wrappers(mode: str, rng: np.random.Generator) -> None:
    inner = kalooki_env.make_vec(5, autoreset_mode=mode, deal=1)
    statistics = RecordEpisodeStatistics(inner, buffer_length=1000)
    env = DictInfoToList(NormalizeReward(statistics)) if mode == "next_step" else NormalizeReward(statistics)
    env.reset(seed=3)
    returns: list[float] = []
    lengths = np.zeros(5, int)
    for _ in range(150):
        was_over = inner.lanes.lanes["over"] > 0
        _, rewards, over, _, infos = env.step(random_legal(inner.action_masks(), rng))
        lengths += ~was_over
        assert np.isfinite(rewards).all()
        returns += list(inner.lanes.rewards[over, 0])
        if over.any():
            if mode != "next_step":
                assert_array_equal(infos["episode"]["l"][over], lengths[over])
            lengths[over] = 0
            if mode == "disabled":
                env.reset(options={"reset_mask": over})
    assert len(returns) > 5
    np.testing.assert_allclose(list(statistics.return_queue), returns)
