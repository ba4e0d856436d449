"""Duplicate deals: the same cards and dealer once for every rotation of a line-up, so that the luck of the deal cancels out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.agents import AgentLike
from kalooki_env.arena.chunks import DealSet, Ends, chunks_of, rotations_of, seats_of
from kalooki_env.arena.processes import play_chunks
from kalooki_env.arena.stats import Estimate, estimate, estimate_of_means
from kalooki_env.arena.tables import Progress, quiet
from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine
from kalooki_env.records.recorder import Line


@dataclass(frozen=True)
class Duplicates:
    """Results of a line-up on a set of deals: means over the rotations, and over the seats of an agent that has several.

    Attributes:
        line_up: names of the agents, seat by seat, before rotation.
        rotations: times that each deal was played.
        deal_set: the deals.
        scores: by agent, mean score in each deal, float64 (D,).
        opened: by agent, share of its seats that opened, float64 (D,).
        went_out: by agent, share of its seats that went out, float64 (D,).
        ended_out: share of tables that ended by somebody going out, the others blocked, float64 (D,).
        turns: turns of a table, float64 (D,).
        decisions: decisions of a table, forced ones included, float64 (D,).
    """

    line_up: tuple[str, ...]
    rotations: int
    deal_set: DealSet
    scores: Mapping[str, NDArray[np.float64]]
    opened: Mapping[str, NDArray[np.float64]]
    went_out: Mapping[str, NDArray[np.float64]]
    ended_out: NDArray[np.float64]
    turns: NDArray[np.float64]
    decisions: NDArray[np.float64]

    @classmethod
    def of(cls, line_up: tuple[str, ...], deal_set: DealSet, ends: Ends) -> Duplicates:
        """The means of how the tables of a line-up ended."""
        names = list(dict.fromkeys(line_up))
        seats = seats_of(line_up, names)
        went_out = ends.winner[:, :, None] == np.arange(len(line_up))

        def by_agent(values: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
            return {name: values[:, seats == number].mean(axis=1, dtype=np.float64) for number, name in enumerate(names)}

        return cls(
            line_up=line_up,
            rotations=len(seats),
            deal_set=deal_set,
            scores=by_agent(ends.scores),
            opened=by_agent(ends.opened),
            went_out=by_agent(went_out),
            ended_out=(ends.winner >= 0).mean(axis=1),
            turns=ends.turns.mean(axis=1),
            decisions=ends.decisions.mean(axis=1),
        )

    @property
    def numbers(self) -> list[int]:
        """Numbers of the deals that were played."""
        return [int(number) for number in dict.fromkeys(self.deal_set.numbers.tolist())]

    @property
    def total_decisions(self) -> int:
        """Decisions at all tables."""
        return round(float(self.decisions.sum()) * self.rotations)

    def estimate(self, values: NDArray[np.float64], number: int | None = None) -> Estimate:
        """Mean of one value per deal, with its interval, over the deals of one number, or over all numbers with equal weight.

        Args:
            values: float64 (D,).
            number: number of the deal, None for all.
        """
        if number is not None:
            return estimate(values[self.deal_set.numbers == number])
        return estimate_of_means([values[self.deal_set.numbers == one] for one in self.numbers])

    def table_facts(self, number: int | None = None) -> dict[str, Any]:
        """What does not depend on an agent, as plain values: tables, decisions, turns, and shares of the endings."""
        chosen = slice(None) if number is None else self.deal_set.numbers == number
        out = self.estimate(self.ended_out, number)
        return {
            "tables": len(self.ended_out[chosen]) * self.rotations,
            "decisions": round(float(self.decisions[chosen].sum()) * self.rotations),
            "turns": self.estimate(self.turns, number).mean,
            "ended_by_going_out": out.mean,
            "ended_by_going_out_interval": out.as_dict(),
            "blocked": 1 - out.mean,
        }

    def agent_facts(self, name: str, number: int | None = None) -> dict[str, Any]:
        """What an agent did, as plain values."""
        return {
            "score": self.estimate(self.scores[name], number).as_dict(),
            "opened": self.estimate(self.opened[name], number).mean,
            "went_out": self.estimate(self.went_out[name], number).mean,
        }

    def raw(self) -> dict[str, Any]:
        """Everything by deal, as plain lists."""
        by_agent = {
            name: {
                "score": self.scores[name].tolist(),
                "opened": self.opened[name].tolist(),
                "went_out": self.went_out[name].tolist(),
            }
            for name in self.scores
        }
        return {
            "line_up": list(self.line_up),
            "rotations": self.rotations,
            "deal": self.deal_set.numbers.tolist(),
            "dealer": self.deal_set.dealers.tolist(),
            "seed": self.deal_set.seeds.tolist(),
            "ended_by_going_out": self.ended_out.tolist(),
            "turns": self.turns.tolist(),
            "decisions": self.decisions.tolist(),
            "agents": by_agent,
        }


class Arena:
    """Plays line-ups of named agents on one set of deals, and each line-up only once.

    Args:
        engine: engine of the tables.
        agents: agents by name, or names to load them by.
        deal_set: the deals.
        seed: seed of the agents' generators.
        skip_forced: see `kalooki_env.arena.tables.play`.
        reveal: whether agents that see hidden cards may play.
        jobs: processes; the results are the same with any number of them. With more than one, a script needs the usual
            `if __name__ == "__main__":`, and agents that are not given by name are pickled.
        record_deals: deals of each number that are recorded, the first ones, in all rotations.
        progress: called with the number of tables that have finished since its last call.
    """

    def __init__(
        self,
        engine: Engine,
        agents: Mapping[str, AgentLike],
        deal_set: DealSet,
        seed: int,
        *,
        skip_forced: bool = True,
        reveal: bool = False,
        jobs: int = 1,
        record_deals: int = 0,
        progress: Progress = quiet,
    ) -> None:
        self.engine = engine
        self.deal_set = deal_set
        self._agents = agents
        self._seed = seed
        self._skip_forced = skip_forced
        self._reveal = reveal
        self._jobs = jobs
        self._record_deals = record_deals
        self._recorded: list[list[Line]] = []
        self.progress = progress
        self._played: dict[tuple[str, ...], Duplicates] = {}

    def line_up(self, names: Sequence[str]) -> Duplicates:
        """Results of one agent per seat in all rotations.

        Raises:
            ConfigError: not one name per seat.
            AgentError: an agent that fails.
        """
        key = tuple(names)
        self.play([key])
        return self._played[key]

    def play(self, line_ups: Sequence[Sequence[str]]) -> None:
        """Play line-ups that have not been played, all of them at the same time if there are processes for it.

        Raises:
            ConfigError: not one name per seat.
            AgentError: an agent that fails.
        """
        seats = self.engine.num_players
        missing = [key for key in dict.fromkeys(map(tuple, line_ups)) if key not in self._played]
        for key in missing:
            if len(key) != seats:
                raise ConfigError(f"a line-up of {len(key)} agents: {', '.join(key)}; allowed: {seats}, one per seat")
        chunks = [
            chunk
            for key in missing
            for chunk in chunks_of(
                self.engine, key, self.deal_set, self._seed, self._skip_forced, self._reveal, self._record_deals
            )
        ]
        ends = {key: Ends.blank(len(self.deal_set.numbers), rotations_of(key), seats) for key in missing}
        with closing(play_chunks(chunks, self._agents, self._jobs, self.progress)) as played:
            for number, part in played:
                ends[chunks[number].line_up].fill(chunks[number].rows, part)
        self._played |= {key: Duplicates.of(key, self.deal_set, found) for key, found in ends.items()}
        for found in ends.values():
            self._recorded += [lines for _, lines in sorted(found.recorded.items(), key=itemgetter(0))]

    @property
    def recorded(self) -> list[list[Line]]:
        """Lines of the recorded deals, by line-up, deal and rotation."""
        return self._recorded

    def tables_of(self, line_ups: Sequence[Sequence[str]]) -> int:
        """Tables that these line-ups take, for a progress bar."""
        return sum(rotations_of(line_up) for line_up in dict.fromkeys(map(tuple, line_ups))) * len(self.deal_set.numbers)
