"""Scripted agents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.base import Agent
from kalooki_env.agents.bots import EXPERT, EXPERT_V2, GREEDY, SCRATCH, bot_actions
from kalooki_env.game.engine import Engine


class RandomAgent(Agent):
    """Any legal action, each with the same probability."""

    observation = None

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        """See `Agent.act`."""
        # The largest of independent uniform numbers over the legal actions is each of them with the same probability.
        lots = (1.0 + rng.random(masks.shape)) * (masks > 0)
        best: NDArray[np.int64] = np.argmax(lots, axis=1)
        return best


class BotAgent(Agent):
    """A compiled bot. What it does stands beside it.

    Args:
        bot: its number, from `kalooki_env.agents.bots`.
    """

    observation = None

    def __init__(self, bot: int) -> None:
        self.bot = bot

    def begin(self, engine: Engine) -> None:
        """See `Agent.begin`."""
        self._engine = engine
        self._scratch = np.zeros((SCRATCH, core.CARDS), np.uint8)

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        """See `Agent.act`."""
        actions = np.empty(len(observations), np.int64)
        table = self._engine
        bot_actions(self.bot, observations, masks, table.record, table.feas, table.dist, self._scratch, actions)
        return actions


class GreedyAgent(BotAgent):
    """Keeps the contract distance smallest; see `kalooki_env.agents.greedy`, and `kaluki_greedy` for Kaluki."""

    def __init__(self) -> None:
        super().__init__(GREEDY)


class ExpertAgent(BotAgent):
    """The first expert, frozen; see `kalooki_env.agents.expert`, and `kaluki_expert` for Kaluki."""

    def __init__(self) -> None:
        super().__init__(EXPERT)


class ExpertV2Agent(BotAgent):
    """The strongest bot by hand; see `kalooki_env.agents.expert_v2`. In Kaluki it plays as `ExpertAgent`."""

    def __init__(self) -> None:
        super().__init__(EXPERT_V2)
