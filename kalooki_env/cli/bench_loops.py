"""What `kalooki bench` times: a loop in plain Python, users' loops over the environments, and rounds of them in turn."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import kalooki_env
from kalooki_env import core
from kalooki_env.envs.selfplay import SelfPlayEnv
from kalooki_env.envs.vector import SeatVectorEnv
from kalooki_env.game.engine import engine
from kalooki_env.observe.playout import play_random
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules

#: What was counted, and the seconds that it took.
Timed = tuple[dict[str, int], float]
#: Runs for so many seconds, or a little longer.
Loop = Callable[[float], Timed]
Clock = Callable[[], float]
#: Of one part of the measurement.
Results = list[dict[str, Any]]

#: Games of the batch in compiled code.
LANES = 1024
#: Decisions of each of its lanes in one call.
_CHUNK = 50
#: Seconds between two looks at the clock.
_BETWEEN_LOOKS = 0.002
#: Decisions of a deal among four that choose at random, about.
DEAL = 700
#: Groups of games that begin together, before a measurement.
_GROUPS = 32


class NotInstalledError(Exception):
    """What a part of the measurement needs is not there."""


def repeated(once: Callable[[], Any], seconds: float, clock: Clock = time.process_time) -> tuple[int, float]:
    """Call something again and again for so many seconds. Returns the number of calls, and the seconds that they took."""
    calls = 0
    start = clock()
    while True:
        once()
        calls += 1
        elapsed = clock() - start
        if elapsed >= seconds:
            return calls, elapsed


# ---- the three loops of every run -----------------------------------------------------------------------------------


def reference_loop(seconds: float) -> Timed:
    """Iterations of a fixed loop in plain Python, and the CPU seconds that they took.

    It stands for the speed of the machine at that moment: a busy minute on a shared machine slows it and the environments down.
    """
    number = 12345
    counts: dict[int, int] = {}
    stack: list[int] = []
    iterations = 0
    start = time.process_time()
    while True:
        for _ in range(20_000):
            number = (number * 1103515245 + 12345) & 0x7FFFFFFF
            key = (number >> 8) & 63
            counts[key] = counts.get(key, 0) + 1
            if key & 1:
                stack.append(key)
            elif stack:
                stack.pop()
        iterations += 20_000
        elapsed = time.process_time() - start
        if elapsed >= seconds:
            return {"iterations": iterations}, elapsed


def aec_loop() -> Loop:
    """The loop of a user of PettingZoo.

    Whole deals, at random over the nine numbers. The last steps of agents whose deal is over take time and are no decisions.
    """
    env: Any = kalooki_env.env(skip_forced=False)
    env.reset(seed=1)
    decisions = 0

    def deal() -> None:
        nonlocal decisions
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                action = None
            else:
                legal = observation["action_mask"].nonzero()[0]
                action = legal[int(random.random() * len(legal))]
                decisions += 1
            env.step(action)

    def play(seconds: float) -> Timed:
        nonlocal decisions
        decisions = 0
        _, elapsed = repeated(deal, seconds)
        return {"decisions": decisions}, elapsed

    return play


def batch_loop(rules: str = "jamaican") -> Loop:
    """The compiled loop over many games."""
    table = engine(Rules.parse(rules), 4)
    layout = Observation.of("obs-v1", table.max_seats, table.is_kaluki)
    states = np.zeros(LANES, core.STATE)
    views = np.zeros(1, core.VIEW)
    masks = np.zeros((LANES, table.num_actions), np.int8)
    rows = np.zeros((LANES, layout.size), np.uint8)
    legal = np.empty(core.MAX_ACTIONS, np.int16)

    def some(decisions: int, lanes: Any = states) -> None:
        play_random(lanes, table.record, table.feas, layout.offsets, views, masks, rows, legal, decisions)

    core.seed_lanes(states, np.arange(LANES, dtype=np.uint64))
    for last in range(LANES // _GROUPS, LANES + 1, LANES // _GROUPS):  # as `come_apart`
        lanes = np.arange(last - LANES // _GROUPS, last)
        core.reset_lanes(states[lanes[0] : last], table.record, lanes % table.rules.num_deals + 1, lanes % table.num_players)
        some(-(-DEAL // _GROUPS), states[:last])

    def play(seconds: float) -> Timed:
        calls, elapsed = repeated(lambda: some(_CHUNK), seconds)
        return {"decisions": calls * _CHUNK * LANES}, elapsed

    return play


# ---- batched environments --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A batched environment that random actions are played in.

    Attributes:
        env: `"selfplay"` or `"vec"`: which of `make_selfplay` and `make_vec` makes it.
        num_envs: number of games.
        options: its other arguments.
        apart: steps of each game before the measurement.
        wall: measure by the wall clock, for more than one thread.
    """

    env: str
    num_envs: int
    options: Mapping[str, Any] = field(default_factory=dict)
    apart: int = 0
    wall: bool = False

    def about(self) -> dict[str, Any]:
        """What a result says of it."""
        return {
            "env": self.env,
            "num_envs": self.num_envs,
            "options": dict(self.options),
            "clock": "wall" if self.wall else "cpu",
        }

    def make(self) -> SelfPlayEnv | SeatVectorEnv:
        """The environment, before its first reset."""
        if self.env == "selfplay":  # bytes, as learners store what they see
            return kalooki_env.make_selfplay(self.num_envs, **{"observation_dtype": "uint8", **self.options})
        return kalooki_env.make_vec(self.num_envs, **self.options)

    def games(self) -> tuple[Any, ...]:
        """Equal for cases whose games go the same way."""
        shown = ("copy", "threads", "observation", "observation_dtype", "observation_form")
        options = {key: value for key, value in self.options.items() if key not in shown}
        return self.env, self.num_envs, self.apart, tuple(sorted(options.items()))


def step_some(env: SelfPlayEnv | SeatVectorEnv, calls: int) -> int:
    """Random actions in all games. Returns the number of decisions: games that only deal anew in a step make none."""
    if isinstance(env, SelfPlayEnv):
        for _ in range(calls):
            env.step(env.sample_actions())
        return calls * env.num_envs
    idle = 0
    for _ in range(calls):
        idle += int(np.count_nonzero(env.lanes.over))
        env.step(env.sample_actions())
    return calls * env.num_envs - idle


def come_apart(env: SelfPlayEnv | SeatVectorEnv, steps: int) -> None:
    """Play until the games stand at all stages of a deal, as many at one as at another.

    The stages differ in cost, and random deals are of much the same length: games that begin together stay together for
    thousands of decisions. So groups of them are dealt anew at different times.
    """
    env.reset(seed=1)
    groups = min(env.num_envs, _GROUPS)
    group_of = np.arange(env.num_envs) % groups
    for group in range(groups):
        env.lanes.reset(group_of == group)
        step_some(env, -(-steps // groups))


def env_loop(case: Case, states: dict[Any, Any]) -> Loop:
    """The loop of a learner without the learner: random legal actions, observations, masks, rewards, infos.

    Args:
        case: the environment.
        states: where games stood whose deals have come apart, by `Case.games`; added to.
    """
    env = case.make()
    key = case.games()
    if key in states:
        env.lanes.restore(states[key], str(key))
    else:
        come_apart(env, case.apart)
        states[key] = env.lanes.saved(str(key))
    clock = time.perf_counter if case.wall else time.process_time
    calls, elapsed = repeated(lambda: step_some(env, 1), 10 * _BETWEEN_LOOKS)
    calls = max(1, int(calls * _BETWEEN_LOOKS / elapsed))
    decisions = 0

    def once() -> None:
        nonlocal decisions
        decisions += step_some(env, calls)

    def play(seconds: float) -> Timed:
        nonlocal decisions
        decisions, before = 0, env.choices
        _, elapsed = repeated(once, seconds, clock)
        return {"decisions": decisions, "choices": env.choices - before}, elapsed

    return play


# ---- rounds ----------------------------------------------------------------------------------------------------------


def in_turn(loops: list[Loop], rounds: int, seconds: float, reference_seconds: float) -> Results:
    """Time loops in turn, each with the reference right before it.

    Args:
        loops: what to time.
        rounds: how often each is timed.
        seconds: how long each time.
        reference_seconds: how long the reference each time.

    Returns:
        For each loop the medians of its rates and of their ratios to the reference, and the rates of all rounds.
    """
    found: list[list[dict[str, float]]] = [[] for _ in loops]
    for _ in range(rounds):
        for loop, rates in zip(loops, found, strict=True):
            iterations, base_seconds = reference_loop(reference_seconds)
            counts, elapsed = loop(seconds)
            rates.append(
                {
                    "reference": iterations["iterations"] / base_seconds,
                    **{name: count / elapsed for name, count in counts.items()},
                }
            )
    return [summary(rates) for rates in found]


def summary(rounds: list[dict[str, float]]) -> dict[str, Any]:
    """Medians over rounds."""
    names = [name for name in rounds[0] if name != "reference"]
    rates = {f"{name}_per_second": statistics.median(one[name] for one in rounds) for name in names}
    ratios = {f"{name}_ratio": statistics.median(one[name] / one["reference"] for one in rounds) for name in names}
    return {**rates, **ratios, "rounds": rounds}
