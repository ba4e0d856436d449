"""Duplicate deals: the same cards and dealer once for every rotation of a line-up, so that the luck of the deal cancels out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.agents.base import Agent
from kalooki_env.agents.play import Player
from kalooki_env.arena.stats import Estimate, estimate, estimate_of_means
from kalooki_env.arena.tables import Progress, deal_lanes, play, quiet
from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine
from kalooki_env.game.game import check_seed


@dataclass(frozen=True)
class DealSet:
    """Deals to be played by several line-ups.

    Attributes:
        numbers: number of each deal, int64 (D,).
        dealers: its dealer, int64 (D,).
        seeds: seed of its shuffles, uint64 (D,).
    """

    numbers: NDArray[np.int64]
    dealers: NDArray[np.int64]
    seeds: NDArray[np.uint64]

    @classmethod
    def make(cls, engine: Engine, deals: Sequence[int], per_number: int, seed: int) -> DealSet:
        """So many deals of each number, dealt by each seat in turn. More deals of the same seed begin with the same ones.

        Raises:
            RulesError: a deal that the table cannot play, or a negative seed.
            ConfigError: no deals, or a number twice.
        """
        check_seed(seed)
        for deal in deals:
            engine.rules.check_table(engine.num_players, deal)
        if not deals or len(set(deals)) < len(deals):
            raise ConfigError(f"deals {list(deals)} are not allowed; allowed: at least one number, and each once")
        if type(per_number) is not int or per_number < 1:
            raise ConfigError(f"{per_number!r} deals per number are not allowed; allowed: a whole number from 1 on")
        shuffles = [np.random.default_rng([seed, deal]).integers(2**63, size=per_number, dtype=np.uint64) for deal in deals]
        dealers = np.arange(per_number, dtype=np.int64) % engine.num_players
        return cls(np.repeat(np.array(deals, np.int64), per_number), np.tile(dealers, len(deals)), np.concatenate(shuffles))


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
        asked: decisions that agents were asked for, over all tables.
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
    asked: int

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
        agents: agents by name.
        deal_set: the deals.
        seed: seed of the agents' generators.
        skip_forced: see `kalooki_env.arena.tables.play`.
        progress: called with the number of tables that have finished since its last call.
    """

    def __init__(
        self,
        engine: Engine,
        agents: Mapping[str, Agent],
        deal_set: DealSet,
        seed: int,
        *,
        skip_forced: bool = True,
        progress: Progress = quiet,
    ) -> None:
        self.engine = engine
        self.deal_set = deal_set
        self._players = {name: Player(agent, engine, name) for name, agent in agents.items()}
        self._seed = seed
        self._skip_forced = skip_forced
        self.progress = progress
        self._played: dict[tuple[str, ...], Duplicates] = {}

    def line_up(self, names: Sequence[str]) -> Duplicates:
        """Results of one agent per seat in all rotations.

        Raises:
            ConfigError: not one name per seat.
            AgentError: an agent that fails.
        """
        key = tuple(names)
        if len(key) != self.engine.num_players:
            seats = self.engine.num_players
            raise ConfigError(f"a line-up of {len(key)} agents: {', '.join(key)}; allowed: {seats}, one per seat")
        if key not in self._played:
            self._played[key] = self._play(key)
        return self._played[key]

    def tables_of(self, line_ups: Sequence[Sequence[str]]) -> int:
        """Tables that these line-ups take, for a progress bar."""
        return sum(rotations_of(line_up) for line_up in dict.fromkeys(map(tuple, line_ups))) * len(self.deal_set.numbers)

    def _play(self, line_up: tuple[str, ...]) -> Duplicates:
        table, deals = self.engine, self.deal_set
        n, rotations = table.num_players, rotations_of(line_up)
        names = list(dict.fromkeys(line_up))
        # Lane `rotations * d + k` is deal d in rotation k, in which the line-up has moved k seats on.
        dealt = deal_lanes(
            table,
            np.repeat(deals.numbers, rotations),
            np.repeat(deals.dealers, rotations),
            np.repeat(deals.seeds, rotations),
        )
        by_rotation = np.array([[names.index(line_up[(seat - k) % n]) for seat in range(n)] for k in range(rotations)], np.int64)
        seats = np.tile(by_rotation, (len(deals.numbers), 1))
        rngs = [np.random.default_rng([self._seed, number]) for number in range(len(names))]
        players = [self._players[name] for name in names]
        played = play(table, dealt, seats, players, rngs, skip_forced=self._skip_forced, progress=self.progress)
        end = played.states

        def per_deal(values: NDArray[Any]) -> NDArray[np.float64]:
            means: NDArray[np.float64] = values.reshape(len(deals.numbers), -1).mean(axis=1, dtype=np.float64)
            return means

        def per_agent(values: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
            by_deal = values.astype(np.float64).reshape(len(deals.numbers), -1)
            held = seats.reshape(len(deals.numbers), -1)
            # In every deal an agent holds equally many seats, so rows keep one length.
            return {
                name: by_deal[held == number].reshape(len(deals.numbers), -1).mean(axis=1) for number, name in enumerate(names)
            }

        return Duplicates(
            line_up=line_up,
            rotations=rotations,
            deal_set=deals,
            scores=per_agent(end["scores"][:, :n]),
            opened=per_agent(end["opened"][:, :n]),
            went_out=per_agent(end["winner"][:, None] == np.arange(n)),
            ended_out=per_deal(end["winner"] >= 0),
            turns=per_deal(end["turns"]),
            decisions=per_deal(played.decisions),
            asked=played.asked,
        )


def rotations_of(line_up: Sequence[str]) -> int:
    """Rotations of a line-up that differ: four copies of one agent need only one table per deal, since all seats are the same."""
    names = list(line_up)
    return next(k for k in range(1, len(names) + 1) if names[k:] + names[:k] == names)
