"""Batched environments when something goes wrong around them: closing, failing opponents, damaged states; and small pickles."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from batch_tools import assert_same, digest, random_legal

import kalooki_env
from kalooki_env import agents


def test_closed_environments_move_all_lanes_on_or_none() -> None:
    """After `close`, a step with threads moved the first chunk of the lanes and left the rest as it was."""
    env, twin = kalooki_env.make_vec(6, threads=3), kalooki_env.make_vec(6)
    env.reset(seed=1)
    twin.reset(seed=1)
    env.close()
    assert digest(env, 20) == digest(twin, 20)


class FailsAt:
    """Greedy, and fails at one of its decisions."""

    observation = None

    def __init__(self, call: int) -> None:
        self.greedy, self.left = agents.load("greedy"), call

    def begin(self, engine: Any) -> None:
        self.greedy.begin(engine)

    def act(self, views: Any, masks: Any, rng: Any) -> Any:
        self.left -= 1
        if self.left == 0:
            raise OSError("server is gone")
        return self.greedy.act(views, masks, rng)


def test_after_an_opponent_failed_lanes_are_to_be_reset() -> None:
    """A lane that still waits for an opponent took the next action of the learner for the opponent's."""
    env = kalooki_env.make_vec(3, opponents=FailsAt(9))
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(0)

    def play_on() -> None:
        mask = infos["action_mask"]
        while True:
            mask = env.step(random_legal(mask, rng))[4]["action_mask"]

    with pytest.raises(kalooki_env.AgentError, match="server is gone"):
        play_on()
    with pytest.raises(kalooki_env.EnvironmentStateError, match=r"call reset\(\)"):
        env.step(env.sample_actions())
    fresh = kalooki_env.make_vec(3, opponents=agents.load("greedy"))
    assert_same(env.reset(seed=4), fresh.reset(seed=4))
    assert digest(env, 30) == digest(fresh, 30)


@pytest.mark.parametrize("change", [{"rng": {}}, {"rng": 3}, {"seeds": 3}, {"seeds": [1]}, {"seeds": ["a", None, 2.5]}], ids=str)
def test_damaged_states_are_refused_before_anything_changes(change: dict[str, Any]) -> None:
    """`rng` raised ValueError or TypeError after positions were overwritten; `seeds` were taken as they are."""
    env, other = kalooki_env.make_vec(3), kalooki_env.make_vec(3)
    env.reset(seed=1)
    other.reset(seed=2)
    state, before = other.get_state(), env.get_state()
    about = {**json.loads(state["about"].tobytes()), **change}
    state["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with pytest.raises(kalooki_env.ConfigError, match=r"not a state that an environment saved|1 seeds"):
        env.set_state(state)
    assert_same(env.get_state(), before)


def test_a_restored_state_brings_no_rewards_of_another_moment() -> None:
    """`set_state` and `decisions` gave rewards and ends that belong to what was played before."""
    env = kalooki_env.make_selfplay(3, on_illegal="lose")
    env.reset(seed=1)
    state = env.get_state()
    at = env.step([-1, -1, -1])
    assert at.deal_over.all()
    at = env.set_state(state)
    assert not at.deal_over.any()
    assert not at.rewards.any()
    assert len(env.finished()["lane"]) == 0


def test_sampling_actions_leaves_the_table_alone() -> None:
    """Sampled actions came from the generator of random bots: the same actions led to other deals."""
    env, twin = kalooki_env.make_vec(4, opponents="random"), kalooki_env.make_vec(4, opponents="random")
    ours, theirs = env.reset(seed=1), twin.reset(seed=1)
    for _ in range(50):
        actions = env.sample_actions()
        ours, theirs = env.step(actions), twin.step(actions)
        assert_same(ours, theirs)


@pytest.mark.parametrize("make", [kalooki_env.make_vec, kalooki_env.make_selfplay])
def test_nothing_to_sample_before_reset(make: Any) -> None:
    """It gave zeros, which are an action (discard)."""
    env = make(2)
    with pytest.raises(kalooki_env.EnvironmentStateError, match=r"call reset\(\) first"):
        env.sample_actions()


def test_pickles_are_small() -> None:
    """Each held the solver's tables, 13 MB; copies share them now."""
    env = kalooki_env.SeatEnv()
    env.reset(seed=1)
    assert len(pickle.dumps(env)) < 200_000
    assert pickle.loads(pickle.dumps(env))._vector.lanes.engine is env._vector.lanes.engine
