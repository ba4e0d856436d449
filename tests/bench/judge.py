"""Judging the actions of a decision by playing them on among `expert-v1`, for the programs beside this one."""

from __future__ import annotations

import numpy as np

from kalooki_env import core
from kalooki_env.agents import bots, rollouts
from kalooki_env.agents.search import NOTHING_LEARNED, SearchAgent, estimates
from kalooki_env.game.engine import Engine


class Judge:
    """What a search does with the actions of a decision, without choosing one.

    Args:
        table: engine of the table.
        seed: seed of the imagined positions.
    """

    def __init__(self, table: Engine, seed: int = 0) -> None:
        self.table = table
        self._search = SearchAgent(rollouts=1)
        self._search.begin(table)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Begin a new sequence of imagined positions."""
        core.seed_lanes(self._search.work["worlds"][0, 2:], np.array([seed], np.uint64))

    def candidates(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The actions that a search would compare, the expert's first."""
        listed = np.empty(core.MAX_ACTIONS, np.int64)
        table, work = self.table, self._search.work
        n = rollouts.list_candidates(views, masks, 0, bots.EXPERT, table.record, table.feas, table.dist, work, listed)
        return listed[:n].copy()

    def imagined(self, states: np.ndarray, views: np.ndarray, actions: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Gains over the first action and their standard errors, two turns on in positions that fit what the seat sees."""
        learned = self._search.learn(int(views[0]["deal"]))
        return self._play_on(states, views, actions, count, rollouts.READ, 2, learned)

    def real(self, states: np.ndarray, views: np.ndarray, actions: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The same, with all hands as they are and the stock in so many orders, to the end of the deal."""
        return self._play_on(states, views, actions, count, rollouts.HANDS, 0, NOTHING_LEARNED)

    def _play_on(self, states, views, actions, count, knows, turns, learned):
        table, search = self.table, self._search
        sums = np.zeros((len(actions), 2))
        rollouts.judge(
            states, views, 0, table.record, table.feas, table.dist, knows, bots.EXPERT, learned.paces, turns,
            learned.weights, actions, np.ones(len(actions), np.uint8), sums, count, search.mask, search.work,
        )  # fmt: skip
        return estimates(sums, count)
