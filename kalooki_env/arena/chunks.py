"""Chunks: the pieces of an evaluation that are played on their own, one after the other or in several processes.

How deals are cut does not depend on who plays the chunks, and each chunk has generators of its own, seeded by its number. So
the results are the same with any number of processes, for agents with chance too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import agents as registry
from kalooki_env.agents import AgentLike
from kalooki_env.agents.play import Player
from kalooki_env.arena.recording import TableRecorder, watched
from kalooki_env.arena.tables import Progress, deal_lanes, play
from kalooki_env.errors import ConfigError, RulesError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.records.recorder import Line
from kalooki_env.rules import Rules
from kalooki_env.values import check_seed, whole_number

#: Tables of a chunk, or a little less. All nine deals in four rotations: 10 of each number. Chunks of 900 would save scripted
#: agents 3 % of their time and a small network 20 %, but leave slow agents with few deals nothing to share out. What agents with
#: chance draw depends on it, so another number gives other (equally good) samples, and wants a new version of the suite.
TABLES = 360
#: Deals of each number; the 99 % interval of a difference over so many reaches half a point.
MOST_DEALS = 100_000


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
    def make(cls, engine: Engine, numbers: Sequence[int], per_number: int, seed: int) -> DealSet:
        """So many deals of each number, dealt by each seat in turn. More deals of the same seed begin with the same ones.

        Raises:
            RulesError: a deal that the table cannot play.
            ConfigError: no deals or too many, a number twice, or a seed that is none.
        """
        seed, deals = check_seed(seed), [whole_number("deal", number, error=RulesError) for number in numbers]
        for deal in deals:
            engine.rules.check_table(engine.num_players, deal)
        if not deals or len(set(deals)) < len(deals):
            raise ConfigError(f"deal {deals} is not allowed; allowed: at least one number, and each once")
        per_number = whole_number("deals", per_number, 1, MOST_DEALS)
        shuffles = [np.random.default_rng([seed, deal]).integers(2**63, size=per_number, dtype=np.uint64) for deal in deals]
        dealers = np.arange(per_number, dtype=np.int64) % engine.num_players
        return cls(np.repeat(np.array(deals, np.int64), per_number), np.tile(dealers, len(deals)), np.concatenate(shuffles))

    def of(self, rows: NDArray[np.int64]) -> DealSet:
        """Some of the deals."""
        return DealSet(self.numbers[rows], self.dealers[rows], self.seeds[rows])


@dataclass(frozen=True)
class Chunk:
    """Some deals of a line-up, each in all rotations.

    Attributes:
        rules: text of the rules.
        num_players: seats at the table.
        max_seats: seats that the spaces have room for.
        line_up: names of the agents, seat by seat, before rotation.
        deals: the deals.
        rows: where they stand among all deals of the line-up, int64 (D,).
        seeds: of the agents' generators: the seed of the whole, and the number of the chunk.
        skip_forced: see `kalooki_env.arena.tables.play`.
        reveal: whether agents that see hidden cards may play.
        recorded: which of the deals are recorded, int64 (K,).
    """

    rules: str
    num_players: int
    max_seats: int
    line_up: tuple[str, ...]
    deals: DealSet
    rows: NDArray[np.int64]
    seeds: tuple[int, int]
    skip_forced: bool
    reveal: bool
    recorded: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def tables(self) -> int:
        """Tables to be played."""
        return len(self.rows) * rotations_of(self.line_up)


@dataclass(frozen=True)
class Ends:
    """How the tables of a chunk, or of a whole line-up, ended; axes: deals, rotations, seats.

    Attributes:
        scores: int64 (D, R, n).
        opened: bool (D, R, n).
        winner: seat that went out, -1 for none, int64 (D, R).
        turns: int64 (D, R).
        decisions: forced ones included, int64 (D, R).
        recorded: lines of the deals that were recorded, by deal and rotation.
    """

    scores: NDArray[np.int64]
    opened: NDArray[np.bool_]
    winner: NDArray[np.int64]
    turns: NDArray[np.int64]
    decisions: NDArray[np.int64]
    recorded: dict[tuple[int, int], list[Line]] = field(default_factory=dict)

    @classmethod
    def blank(cls, deals: int, rotations: int, seats: int) -> Ends:
        """Zeros, to be filled chunk by chunk."""
        flat = (deals, rotations)
        return cls(
            np.zeros((*flat, seats), np.int64),
            np.zeros((*flat, seats), np.bool_),
            np.zeros(flat, np.int64),
            np.zeros(flat, np.int64),
            np.zeros(flat, np.int64),
        )

    def fill(self, rows: NDArray[np.int64], part: Ends) -> None:
        """Put in the deals of a chunk."""
        for name, values in vars(part).items():
            if name != "recorded":
                getattr(self, name)[rows] = values
        self.recorded.update({(int(rows[deal]), rotation): lines for (deal, rotation), lines in part.recorded.items()})


class Cast:
    """Agents by name, at the tables that they are asked for.

    Args:
        agents: agents, or names to load them by. Those given by name are loaded anew for each kind of table.
    """

    def __init__(self, agents: Mapping[str, AgentLike]) -> None:
        self._agents = agents
        self._players: dict[tuple[str, int, int, str, bool], Player] = {}

    def player(self, table: Engine, name: str, reveal: bool, is_watched: bool = False) -> Player:
        """An agent at a kind of table; for a record, one that is `watched`.

        Raises:
            AgentError: an agent that cannot be loaded, or cannot play there.
            CheckpointError: a checkpoint that cannot be used.
        """
        key = (str(table.rules), table.num_players, table.max_seats, name, is_watched)
        if key not in self._players:
            agent = self._agents[name]
            loaded = registry.load(agent) if isinstance(agent, str | os.PathLike) else agent
            self._players[key] = Player(watched(loaded) if is_watched else loaded, table, name, reveal=reveal)
        return self._players[key]


def rotations_of(line_up: Sequence[str]) -> int:
    """Rotations of a line-up that differ: four copies of one agent need only one table per deal, since all seats are the same."""
    names = list(line_up)
    return next(k for k in range(1, len(names) + 1) if names[k:] + names[:k] == names)


def seats_of(line_up: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
    """Who sits where: index into `names` by rotation and seat. In rotation k the line-up has moved k seats on."""
    n = len(line_up)
    return np.array([[names.index(line_up[(seat - k) % n]) for seat in range(n)] for k in range(rotations_of(line_up))], np.int64)


def chunks_of(
    table: Engine,
    line_up: tuple[str, ...],
    deals: DealSet,
    seed: int,
    skip_forced: bool = True,
    reveal: bool = False,
    record_deals: int = 0,
) -> list[Chunk]:
    """Cut the deals of a line-up into chunks of equally many deals of each number, the first of each number first.

    More deals of each number leave full chunks as they are. The first `record_deals` of each number are recorded.
    """
    kinds = np.unique(deals.numbers)
    size = max(1, TABLES // (rotations_of(line_up) * len(kinds)))
    rank = np.empty(len(deals.numbers), np.int64)
    for kind in kinds:
        rows = np.flatnonzero(deals.numbers == kind)
        rank[rows] = np.arange(len(rows))
    found = []
    order = np.argsort(rank // size, kind="stable")
    ends = np.cumsum(np.bincount(rank // size))
    for number, rows in enumerate(np.split(order, ends[:-1])):
        found.append(
            Chunk(
                rules=str(table.rules),
                num_players=table.num_players,
                max_seats=table.max_seats,
                line_up=line_up,
                deals=deals.of(rows),
                rows=rows,
                seeds=(seed, number),
                skip_forced=skip_forced,
                reveal=reveal,
                recorded=np.flatnonzero(rank[rows] < record_deals),
            )
        )
    return found


def play_chunk(chunk: Chunk, cast: Cast, progress: Progress) -> Ends:
    """Play a chunk.

    Raises:
        AgentError: an agent that fails.
    """
    table = engine(Rules.parse(chunk.rules), chunk.num_players, chunk.max_seats)
    deals, rotations = chunk.deals, rotations_of(chunk.line_up)
    # Lane `rotations * d + k` is deal d in rotation k.
    lanes = deals.of(np.repeat(np.arange(len(deals.numbers)), rotations))
    dealt = deal_lanes(table, lanes.numbers, lanes.dealers, lanes.seeds)
    names = list(dict.fromkeys(chunk.line_up))
    seats = np.tile(seats_of(chunk.line_up, names), (len(deals.numbers), 1))
    players = [cast.player(table, name, chunk.reveal, len(chunk.recorded) > 0) for name in names]
    rngs = [np.random.default_rng([*chunk.seeds, number]) for number in range(len(names))]
    recorder = None
    if len(chunk.recorded):
        wanted = [rotations * int(deal) + rotation for deal in chunk.recorded for rotation in range(rotations)]
        recorder = TableRecorder(table, dealt, lanes.seeds, {lane: [names[who] for who in seats[lane]] for lane in wanted})
    played = play(table, dealt, seats, players, rngs, skip_forced=chunk.skip_forced, progress=progress, recorder=recorder)

    def by_deal(values: NDArray[Any], kind: Any = np.int64) -> NDArray[Any]:
        return values.astype(kind).reshape(len(deals.numbers), rotations, *values.shape[1:])

    end, n = played.states, chunk.num_players
    return Ends(
        scores=by_deal(end["scores"][:, :n]),
        opened=by_deal(end["opened"][:, :n], np.bool_),
        winner=by_deal(end["winner"]),
        turns=by_deal(end["turns"]),
        decisions=by_deal(played.decisions),
        recorded={} if recorder is None else {divmod(lane, rotations): lines for lane, lines in recorder.deals.items()},
    )
