"""Helpers of the tests of batched environments: comparing, choosing actions, playing on from where an environment stands."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal

import kalooki_env
from kalooki_env import agents, core
from kalooki_env.agents.play import Player


def assert_same(ours: Any, theirs: Any, where: str = "") -> None:
    """Arrays of equal shapes and numbers, in dicts and tuples of equal keys and lengths; dtypes may differ."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), where
        for key in ours:
            assert_same(ours[key], theirs[key], f"{where}/{key}")
    elif isinstance(ours, tuple):
        assert len(ours) == len(theirs), where
        for k, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(one, other, f"{where}/{k}")
    elif isinstance(ours, np.ndarray) and ours.dtype == object:
        assert_same(tuple(ours), tuple(theirs), where)
    elif ours is None or theirs is None:
        assert ours is theirs, where
    else:
        assert_array_equal(ours, theirs, where, strict=False)
        assert np.shape(ours) == np.shape(theirs), where


def rows_of(value: Any, rows: Any) -> Any:
    """Some rows of all arrays."""
    if isinstance(value, dict):
        return {key: rows_of(part, rows) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(rows_of(part, rows) for part in value)
    return value[rows]


def arrays_of(value: Any) -> list[np.ndarray]:
    """All arrays in dicts, tuples and arrays of objects; numbers as arrays."""
    if isinstance(value, dict):
        return [array for key in sorted(value) for array in arrays_of(value[key])]
    if isinstance(value, tuple):
        return [array for part in value for array in arrays_of(part)]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [value, *(array for part in value if part is not None for array in arrays_of(part))]
    return [np.asarray(value)]


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random action of each mask."""
    return np.argmax(rng.random(masks.shape, np.float32) * masks, axis=1)


class Mixed:
    """Greedy play with some random choices, which gets to the ends of deals and to most of what happens before.

    Args:
        env: a self-play environment.
        rng: for the random choices.
    """

    def __init__(self, env: kalooki_env.SelfPlayEnv, rng: np.random.Generator) -> None:
        self.states = env.lanes.states
        self.player = Player(agents.load("greedy"), env.lanes.engine, "greedy")
        self.rng = rng

    def __call__(self, masks: np.ndarray) -> np.ndarray:
        """Actions of all lanes."""
        greedy = self.player.act(self.states, np.arange(len(masks)), masks, self.rng)
        return np.where(self.rng.random(len(masks)) < 0.2, random_legal(masks, self.rng), greedy)


def engine_masks(lanes: Any) -> np.ndarray:
    """Legal actions by the engine, from the positions alone."""
    masks = np.zeros_like(lanes.masks)
    core.mask_lanes(lanes.states.copy(), lanes.engine.record, lanes.engine.feas, masks)
    return masks


def permute_hidden(lanes: Any, seats: np.ndarray, source: np.ndarray) -> int:
    """Replace what a seat of each lane cannot see by other cards that fit, and write anew what the lanes show.

    Returns:
        In how many lanes the position has changed.
    """
    table, changed = lanes.engine, 0
    trial, legal = np.zeros(1, core.STATE), np.zeros(core.MAX_ACTIONS, np.int16)
    for lane, seat in enumerate(seats):
        before = lanes.states[lane].tobytes()
        core.resample_lane(lanes.states, table.record, table.feas, lane, int(seat), source, trial, 50)
        changed += lanes.states[lane].tobytes() != before
        if not lanes.lanes[lane]["over"]:
            count = core.list_lane(lanes.states, table.record, table.feas, lane, legal) >> 8
            lanes.lanes[lane]["n"] = count
            lanes.lanes[lane]["legal"][:count] = legal[:count]
    lanes.show()
    return changed


def fixed_choices(masks: np.ndarray, step: int) -> np.ndarray:
    """Legal actions that depend on nothing but the masks and the number of the step."""
    return np.array([legal[(7919 * step + 31 * lane) % len(legal)] for lane, legal in enumerate(map(np.flatnonzero, masks))])


def digest(env: Any, steps: int) -> str:
    """A digest of everything that an environment of any form gives in so many steps from where it stands."""
    found = hashlib.sha256()
    for step in range(steps):
        if isinstance(env, kalooki_env.SeatEnv):
            masks = env.action_masks()
            given: Any = env.step(int(fixed_choices(masks[None], step)[0]))
            if given[2]:
                given = (given, env.reset())
        elif isinstance(env, kalooki_env.SelfPlayEnv):
            given = (tuple(env.step(fixed_choices(env.decisions().action_mask, step))), env.finished())
        else:
            given = env.step(fixed_choices(env.action_masks(), step))
            if env.lanes.lanes["over"].any() and env.metadata["autoreset_mode"].name == "DISABLED":
                given = (given, env.reset(options={"reset_mask": env.lanes.lanes["over"] > 0}))
        for array in arrays_of(given):
            if array.dtype != object:
                found.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
        found.update(bytes(str(env.illegal_actions), "ascii"))
    return found.hexdigest()
