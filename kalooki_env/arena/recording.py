"""Records of deals between agents, with what an agent thinks of its decisions where it has numbers for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kalooki_env.agents.base import Agent
from kalooki_env.agents.play import Player
from kalooki_env.errors import AgentError
from kalooki_env.game.engine import Engine
from kalooki_env.records import DealRecorder, game_at
from kalooki_env.records.recorder import Line


class Opinion(NamedTuple):
    """What an agent thinks of a decision.

    Attributes:
        policy: probabilities over all action numbers.
        value: an estimate for the seat to move, None if it has none.
    """

    policy: NDArray[Any]
    value: float | None


class _Watched(Agent):
    """An agent that keeps what it was asked last, so that it can be asked for its opinions of the same decisions."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.observation = getattr(agent, "observation", "obs-v1")
        self.dtype = getattr(agent, "dtype", "float32")
        self._seen: tuple[NDArray[Any], NDArray[np.int8]] | None = None

    def begin(self, engine: Engine) -> None:
        begin = getattr(self._agent, "begin", None)
        if begin is not None:
            begin(engine)

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        self._seen = observations.copy(), masks.copy()
        return self._agent.act(observations, masks, rng)

    def last(self, rows: NDArray[np.int64], name: str) -> list[Opinion | None]:
        """Opinions of some rows of what it was asked last."""
        assert self._seen is not None
        observations, masks = self._seen
        try:
            found = self._agent.opinions(observations[rows], masks[rows])
        except Exception as error:
            raise AgentError(f"agent {name!r} failed to give its opinions: {type(error).__name__}: {error}") from error
        if found is None:
            return [None] * len(rows)
        policy, values = found
        return [Opinion(policy[i], None if values is None else float(values[i])) for i in range(len(rows))]


def watched(agent: Agent) -> Agent:
    """An agent for `opinions_of`: the same one if it has no opinions to tell."""
    opinions = getattr(agent, "opinions", None)
    is_silent = opinions is None or getattr(opinions, "__func__", None) is Agent.opinions
    return agent if is_silent or hasattr(agent, "act_on_positions") else _Watched(agent)


def opinions_of(player: Player, rows: NDArray[np.int64]) -> list[Opinion | None]:
    """What a player that was made of a `watched` agent thinks of the decisions that it was asked for last.

    Args:
        player: the player.
        rows: which of those decisions.

    Raises:
        AgentError: an agent that fails.
    """
    agent = player.agent
    return agent.last(rows, player.name) if isinstance(agent, _Watched) and len(rows) else [None] * len(rows)


class TableRecorder:
    """Records some of the tables that are played in lockstep.

    Args:
        table: engine of all tables.
        states: the deals before the first decision, STATE (N,).
        seeds: seeds of their shuffles, uint64 (N,).
        names: names of who plays, by seat, of each table that is recorded, by its lane; None where the record tells them.
    """

    def __init__(
        self, table: Engine, states: NDArray[np.void], seeds: NDArray[np.uint64], names: Mapping[int, Sequence[str] | None]
    ) -> None:
        #: Lines of each deal by its lane.
        self.deals: dict[int, list[Line]] = {}
        self._recorders: dict[int, DealRecorder] = {}
        self._is_recorded = np.zeros(len(states), np.bool_)
        self._is_recorded[list(names)] = True
        for lane, seats in names.items():
            lines: list[Line] = []
            self.deals[lane] = lines
            self._recorders[lane] = DealRecorder(lines.append)
            self._recorders[lane].begin(game_at(states[lane], table), seats=seats, seed=int(seeds[lane]))

    def asked(self, player: Player, lanes: NDArray[np.int64]) -> None:
        """A player has just answered for the seats to move of these lanes; the actions have not been carried out."""
        rows = np.flatnonzero(self._is_recorded[lanes])
        for row, opinion in zip(rows, opinions_of(player, rows), strict=True):
            if opinion is not None:
                self._recorders[int(lanes[row])].note(*opinion)

    def acted(self, lanes: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """These actions are carried out now in these lanes."""
        for row in np.flatnonzero(self._is_recorded[lanes]):
            self._recorders[int(lanes[row])].act(int(actions[row]))
