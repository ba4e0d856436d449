"""`search`: plays the candidates of a decision out in positions that might be; and two relatives that see what nobody sees."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.base import Agent
from kalooki_env.agents.bots import EXPERT, EXPERT_V2, GREEDY
from kalooki_env.agents.rollouts import (
    ALL,
    DISTANCES,
    FEATURES,
    HANDS,
    PACED,
    READ,
    ROUNDS,
    UNIFORM,
    WORK,
    judge,
    list_candidates,
    note_self_play,
)
from kalooki_env.errors import AgentError, closest
from kalooki_env.game.engine import Engine
from kalooki_env.values import integer_of, plain, shown

#: Equally likely contract distances that a search notes of its own play.
PACE_QUANTILES = 64
#: A feature that is above 0 for seats that have opened, and only for them.
_HELD_BY_OPENED = 12
#: Milliseconds a decision, if nothing else is asked for.
MS = 100.0
#: Positions that are imagined between two looks at the clock.
_SLICE = 8
#: Positions before the first candidate may be given up early, and standard errors by which it has to be worse than the first.
_FEWEST, _SURE = 24, 2.5
#: Values from 0 to these are taken; an hour for a decision, and gigabytes for lessons, are too much for anybody.
_MOST = {"ms": 3_600_000, "rollouts": 1_000_000, "z": 1_000, "turns": 1_000, "lessons": 10_000}
_WHOLE = ("rollouts", "turns", "lessons")
_BOTS: Mapping[str, int] = {"expert-v1": EXPERT, "expert-v2": EXPERT_V2, "greedy": GREEDY}
_HIDDEN: Mapping[str, int] = {"read": READ, "paced": PACED, "uniform": UNIFORM}


class Learned(NamedTuple):
    """What a search learns from self-play.

    Attributes:
        paces: contract distances of seats that have not opened, equally likely, by round: int64 (ROUNDS, PACE_QUANTILES).
        weights: float64 (2, FEATURES), see `kalooki_env.agents.rollouts.judge`.
    """

    paces: NDArray[np.int64]
    weights: NDArray[np.float64]


class SearchAgent(Agent):
    """Determinised Monte Carlo with an expert as a prior.

    Hidden cards are dealt at random, and a bot plays each candidate to the end of the deal. The same imagined cards serve all
    candidates of a decision, and of these the worse half is given up after each part of the budget (sequential halving: Karnin,
    Koren and Somekh 2013). What the expert would do is always among them, and another action is chosen only if it is better by
    more than chance explains: the highest of many means is mostly luck.

    Args:
        ms: milliseconds a decision (default 100). What is chosen then depends on the machine's speed.
        rollouts: deals played out for a decision, instead of a time: the same on any machine.
        z: standard errors by which another action has to be better than the expert's.
        bot: who plays deals out: `expert-v1`, `expert-v2` or `greedy`. The prior is the same expert, or `expert-v1`.
        hidden: what hands of others are imagined to be: `uniform`, any cards; `paced`, as near to their contracts as hands are
            after so many turns; `read`, such hands as do not want what their seats have discarded and declined.
        turns: turns of the seat that are played out before the rest is estimated; 0 for playing deals to their ends.
        lessons: deals that the bot plays against itself before the first decision in a deal of that number: to their ends the
            estimate is fitted, and how near hands are to their contracts is counted.

    Attributes:
        mask: room for a mask, int8 (num_actions,), once the table is known.
        work: room for what `kalooki_env.agents.rollouts` computes, WORK (1,), likewise.

    Raises:
        AgentError: a value that is not allowed.
    """

    observation = None
    #: What it sees of the hidden cards, against the rules of the game; None for nothing.
    sees: int | None = None

    def __init__(
        self,
        ms: float | None = None,
        rollouts: int | None = None,
        z: float = 1.5,
        bot: str = "expert-v1",
        hidden: str = "read",
        turns: int = 2,
        lessons: int = 1000,
    ) -> None:
        if ms is not None and rollouts is not None:
            raise AgentError(f"search with ms={ms} and rollouts={rollouts} is not allowed; allowed: one of the two")
        self._rollouts = None if rollouts is None else int(_checked("rollouts", rollouts))
        self._seconds = (MS if ms is None else _checked("ms", ms)) / 1000
        self._z = _checked("z", z)
        self._turns = int(_checked("turns", turns))
        self._lessons = int(_checked("lessons", lessons))
        self._bot = _choice("bot", bot, _BOTS)
        self._prior = EXPERT_V2 if self._bot == EXPERT_V2 else EXPERT
        self._knows = _choice("hidden", hidden, _HIDDEN) if self.sees is None else self.sees

    def begin(self, engine: Engine) -> None:
        """See `Agent.begin`."""
        if engine.is_kaluki:
            raise AgentError(
                f"search plays the Jamaican game only, not {engine.rules}: its estimates rest on contract distances; "
                "greedy and expert-v1 play Kaluki"
            )
        self._engine = engine
        self.mask = np.zeros(engine.num_actions, np.int8)
        self.work = np.zeros(1, WORK)
        self._learned: dict[int, Learned] = {}

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        """See `Agent.act`."""
        return self._choose(observations, np.zeros(1, core.STATE), masks, rng)

    def _choose(
        self, views: NDArray[np.void], positions: NDArray[np.void], masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        table = self._engine
        chosen = np.empty(len(views), np.int64)
        core.seed_lanes(self.work["worlds"][0, 2:], rng.integers(2**63, size=1, dtype=np.uint64))
        listed = np.empty(core.MAX_ACTIONS, np.int64)
        for i in range(len(views)):
            n = list_candidates(views, masks, i, self._prior, table.record, table.feas, table.dist, self.work, listed)
            actions = listed[:n].copy()
            chosen[i] = actions[self._best(positions, views, i, actions)] if n > 1 else actions[0]
        return chosen

    def _best(self, positions: NDArray[np.void], views: NDArray[np.void], i: int, actions: NDArray[np.int64]) -> int:
        """Index of the best candidate."""
        table = self._engine
        learned = self.learn(int(views[i]["deal"])) if self._knows in (PACED, READ) or self._turns else NOTHING_LEARNED
        alive = np.ones(len(actions), np.uint8)
        sums = np.zeros((len(actions), 2))
        rounds = max(1, int(np.ceil(np.log2(len(actions)))))
        seen = 0
        began = time.perf_counter()
        for number in range(1, rounds + 1):
            left = max(1, int((self._rollouts or 0) / rounds / alive.sum()))
            while left > 0:
                count = min(left, _SLICE)
                judge(
                    positions, views, i, table.record, table.feas, table.dist, self._knows, self._bot, learned.paces, self._turns,
                    learned.weights, actions, alive, sums, count, self.mask, self.work,
                )  # fmt: skip
                seen += count
                mean, error = estimates(sums, seen)
                if seen >= _FEWEST:
                    # What chance can hardly make better than the first any more.
                    alive[1:] &= mean[1:] + _SURE * error[1:] > 0
                    if alive.sum() == 1 or (alive.sum() == 2 and (mean - 1.4 * _SURE * error)[alive > 0][1] > 0):
                        return int(np.flatnonzero(alive)[-1])
                if self._rollouts is not None:
                    left -= count
                elif time.perf_counter() - began >= self._seconds * number / rounds:
                    break
            # The better half, and the first, which all others are compared with.
            order = [k for k in np.argsort(-mean) if alive[k] and k]
            alive[order[max(1, (len(order) + 1) // 2) :]] = 0
        best = max(np.flatnonzero(alive), key=lambda k: mean[k])
        return int(best) if mean[best] > self._z * error[best] else 0

    def learn(self, deal: int) -> Learned:
        """What self-play of the bot teaches about a deal of this number."""
        if deal not in self._learned:
            table = self._engine
            deals = self._lessons
            states = np.zeros(deals, core.STATE)
            core.seed_lanes(states, np.arange(deals, dtype=np.uint64))
            core.reset_lanes(states, table.record, np.full(deals, deal), np.arange(deals) % table.num_players)
            counts = np.zeros((ROUNDS, DISTANCES), np.int64)
            features = np.zeros((deals * table.rules.max_turns(table.num_players), FEATURES))
            outcomes = np.zeros(len(features))
            n = note_self_play(
                states, table.record, table.feas, table.dist, self._bot, self.mask, self.work, counts, features, outcomes
            )
            self._learned[deal] = Learned(_quantiles(counts), _weights(features[:n], outcomes[:n]))
        return self._learned[deal]


class CheatHands(SearchAgent):
    """A search that sees all hands, for an upper bound: what perfect guesses about the other hands would be worth."""

    sees = HANDS

    def act_on_positions(
        self, positions: NDArray[np.void], views: NDArray[np.void], masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """As `Agent.act`, with the real positions. Asked by `Player` only where hidden cards may be revealed."""
        return self._choose(views, positions, masks, rng)


class CheatAll(CheatHands):
    """A search that sees all hands and the order of the stock: no play of this kind can be better."""

    sees = ALL

    def __init__(self, bot: str = "expert-v1") -> None:
        # With nothing left to chance each candidate has one outcome.
        super().__init__(rollouts=1, z=0.0, bot=bot, turns=0)


#: What a search has learned that needs no lessons: it looks at hands as they are, or plays deals to their ends.
NOTHING_LEARNED = Learned(np.zeros((1, 1), np.int64), np.zeros((2, FEATURES)))


def _weights(features: NDArray[np.float64], outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that estimate outcomes, for seats that have not opened and for those that have: float64 (2, FEATURES)."""
    found = np.zeros((2, FEATURES))
    has_opened = features[:, _HELD_BY_OPENED] > 0
    for row, chosen in enumerate((~has_opened, has_opened)):
        x, y = features[chosen], outcomes[chosen]
        # A little of ridge regression, for features that are never anything but 0 here.
        found[row] = np.linalg.solve(x.T @ x + np.eye(FEATURES), x.T @ y)
    return found


def estimates(sums: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and their standard errors, from sums of `count` numbers and of their squares, (n, 2)."""
    mean = sums[:, 0] / count
    error = np.sqrt(np.maximum(sums[:, 1] / count - mean**2, 0.0) / max(1, count - 1))
    return mean, error


def _quantiles(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Equally likely values of each row of counts; a row without counts is like the one before."""
    found = np.ones((len(counts), PACE_QUANTILES), np.int64)
    marks = (np.arange(PACE_QUANTILES) + 0.5) / PACE_QUANTILES
    for row, count in enumerate(counts):
        if count.sum():
            found[row] = np.searchsorted(np.cumsum(count) / count.sum(), marks)
        elif row:
            found[row] = found[row - 1]
    return found


def _checked(key: str, value: object) -> float:
    """A number, whole where it counts something.

    Raises:
        AgentError: none, or one beyond reason: it would take all time or memory.
    """
    most, whole = _MOST[key], key in _WHOLE
    found = integer_of(value) if whole else plain(value)
    if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found <= most:
        return found
    kind = "a whole number" if whole else "a number"
    raise AgentError(f"search with {key}={shown(value)} is not allowed; allowed: {kind} from 0 to {most}")


def _choice(key: str, value: str, allowed: Mapping[str, int]) -> int:
    if value not in allowed:
        raise AgentError(f"search with {key}={value!r} is not allowed{closest(value, allowed)}")
    return allowed[value]
