"""How good is an agent? Against opponents, compared with a baseline on the same deals; among copies of itself; in a line-up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import agents as registry
from kalooki_env.agents import Agent, AgentLike
from kalooki_env.agents.play import Player
from kalooki_env.arena.chunks import MOST_DEALS, DealSet
from kalooki_env.arena.duplicate import Arena, Duplicates
from kalooki_env.arena.processes import check_jobs
from kalooki_env.arena.stats import CONFIDENCE, Estimate
from kalooki_env.arena.tables import Progress, quiet
from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.records import RecordWriter
from kalooki_env.rules import Rules
from kalooki_env.values import check_seed, whole_number

#: Deals in all, unless asked otherwise. Paired differences between scripted agents have a standard deviation of about 50
#: points, so the 99 % interval over all deals reaches about 3 points to either side.
DEALS_IN_ALL = 2000
#: Makes a progress callback for so many tables.
Bar = Callable[[int], AbstractContextManager[Progress]]


def no_bar(tables: int) -> AbstractContextManager[Progress]:
    """Progress that nobody wants to see."""
    return nullcontext(quiet)


@dataclass(frozen=True)
class Settings:
    """What was played.

    Attributes:
        rules: text of the rules.
        num_players: seats at the table.
        deals: numbers of the deals.
        deals_per_number: deals of each number; each is played in all rotations of the line-up.
        seed: seed of deals and agents.
    """

    rules: str
    num_players: int
    deals: tuple[int, ...]
    deals_per_number: int
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain values."""
        return {
            "rules": self.rules,
            "num_players": self.num_players,
            "deals": list(self.deals),
            "deals_per_number": self.deals_per_number,
            "seed": self.seed,
            "confidence": CONFIDENCE,
        }


@dataclass(frozen=True)
class Comparison:
    """An agent in one seat and copies of an opponent in the others, against a baseline in that same seat on the same deals.

    Attributes:
        agent: its name.
        opponent: name of the opponent in all other seats.
        baseline: who else had the agent's seat.
        with_agent: results with the agent in the seat, in all rotations.
        with_baseline: results with the baseline in the seat.
    """

    agent: str
    opponent: str
    baseline: str
    with_agent: Duplicates
    with_baseline: Duplicates

    @property
    def gains(self) -> NDArray[np.float64]:
        """Points by which the agent is better in each deal, float64 (D,): few points are good."""
        return self.with_baseline.scores[self.baseline] - self.with_agent.scores[self.agent]

    def difference(self, number: int | None = None) -> Estimate:
        """Points a deal by which the agent is better than the baseline, paired by deal; over one number or over all."""
        return self.with_agent.estimate(self.gains, number)

    def row(self, number: int | None = None) -> dict[str, Any]:
        """The results of one deal number, or of all, as plain values."""
        baseline = self.with_baseline.estimate(self.with_baseline.scores[self.baseline], number)
        return {
            "deal": "all" if number is None else number,
            **self.with_agent.agent_facts(self.agent, number),
            "baseline_score": baseline.as_dict(),
            "difference": self.difference(number).as_dict(),
            **self.with_agent.table_facts(number),
        }

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return {
            "agent": self.agent,
            "opponent": self.opponent,
            "baseline": self.baseline,
            "rotations": self.with_agent.rotations,
            "by_deal": [self.row(number) for number in self.with_agent.numbers],
            "overall": self.row(),
        }


@dataclass(frozen=True)
class LineUp:
    """One agent per seat, in all rotations. Copies of one agent at all seats are self-play.

    Attributes:
        played: the results.
    """

    played: Duplicates

    def differences(self, number: int | None = None) -> dict[tuple[str, str], Estimate]:
        """Points a deal by which the first of two agents is better than the second at the same tables."""
        scores = self.played.scores
        names = list(scores)
        return {
            (one, other): self.played.estimate(scores[other] - scores[one], number)
            for i, one in enumerate(names)
            for other in names[i + 1 :]
        }

    def row(self, number: int | None = None) -> dict[str, Any]:
        """The results of one deal number, or of all, as plain values."""
        return {
            "deal": "all" if number is None else number,
            "agents": {name: self.played.agent_facts(name, number) for name in self.played.scores},
            "differences": [
                {"agent": one, "other": other, **found.as_dict()} for (one, other), found in self.differences(number).items()
            ],
            **self.played.table_facts(number),
        }

    def as_dict(self) -> dict[str, Any]:
        """The results as plain values."""
        return {
            "line_up": list(self.played.line_up),
            "rotations": self.played.rotations,
            "by_deal": [self.row(number) for number in self.played.numbers],
            "overall": self.row(),
        }


@dataclass(frozen=True)
class Evaluation:
    """Everything that `evaluate` found.

    Attributes:
        agent: name of the agent.
        settings: what was played.
        comparisons: one per opponent and baseline.
        self_play: copies of the agent at all seats, if asked for.
        line_up: the agent in a line-up, if asked for.
        seconds: time that it took.
    """

    agent: str
    settings: Settings
    comparisons: tuple[Comparison, ...]
    self_play: LineUp | None
    line_up: LineUp | None
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The evaluation as plain values, for JSON. Differences are points a deal, positive where the agent is better."""
        return {
            "agent": self.agent,
            **self.settings.as_dict(),
            "against": [comparison.as_dict() for comparison in self.comparisons],
            "self_play": None if self.self_play is None else self.self_play.as_dict(),
            "line_up": None if self.line_up is None else self.line_up.as_dict(),
            "seconds": round(self.seconds, 2),
        }

    def raw(self) -> dict[str, Any]:
        """Results deal by deal, for JSON: one entry per line-up that was played."""
        return {
            "agent": self.agent,
            **self.settings.as_dict(),
            "line_ups": [one.raw() for one in self.line_ups],
        }

    @property
    def line_ups(self) -> list[Duplicates]:
        """All line-ups that were played, each once."""
        found = [one for comparison in self.comparisons for one in (comparison.with_agent, comparison.with_baseline)]
        found += [one.played for one in (self.self_play, self.line_up) if one is not None]
        return list({one.line_up: one for one in found}.values())


def evaluate(
    agent: AgentLike,
    against: Sequence[AgentLike] = ("random", "greedy"),
    *,
    baselines: Sequence[AgentLike] | None = None,
    line_up: Sequence[AgentLike] | None = None,
    self_play: bool = True,
    rules: Rules | str = "jamaican",
    num_players: int = 4,
    deal: int | Sequence[int] | None = None,
    deals: int | None = None,
    seed: int = 0,
    skip_forced: bool = True,
    reveal: bool = False,
    jobs: int = 1,
    record: str | Path | None = None,
    record_deals: int = 1,
    bar: Bar = no_bar,
) -> Evaluation:
    """Evaluate an agent on duplicate deals.

    Args:
        agent: the agent, or its name, or the path of its folder.
        against: opponents; each in turn holds all other seats.
        baselines: who else is put into the agent's seat for comparison; default: a further copy of the opponent.
        line_up: agents of the other seats for one more table, in which every pair of agents is compared.
        self_play: also play copies of the agent at all seats.
        rules: rules, or their text.
        num_players: seats at the table.
        deal: number of the deal, or several; default: all.
        deals: how many deals of each number are played; default: so many that there are `DEALS_IN_ALL` or a few more.
        seed: seed of deals and agents; the same seed gives the same result.
        skip_forced: do not ask agents where there is no choice.
        reveal: let agents play that see hidden cards, for bounds on what there is to win.
        jobs: processes to play in; the result is the same with any number of them. With more than one, a script needs the usual
            `if __name__ == "__main__":`, and agents that are not given by name are pickled.
        record: file for a record of deals (`RECORDS.md`), with policies and values of agents that tell them.
        record_deals: how many deals of each number are recorded, each in all line-ups and rotations.
        bar: makes a progress callback for a number of tables.

    Raises:
        AgentError: an agent that cannot be loaded, or that fails.
        CheckpointError: a checkpoint that cannot be used.
        ConfigError: wrong numbers of deals, agents or processes, or an agent that cannot be sent to other processes.
        RulesError: wrong rules or an impossible table.
        RecordError: a record that cannot be written.

    Example:
        >>> found = evaluate("greedy", ["random"], deal=1, deals=20)
        >>> found.comparisons[0].difference().mean > 0
        True
    """
    began = time.monotonic()
    jobs = check_jobs(jobs)
    rules = Rules.of(rules)
    table = engine(rules, num_players)
    num_players = table.num_players
    chosen = numbers_of(deal, rules, num_players)
    if deals is None:
        deals = -(-DEALS_IN_ALL // max(1, len(chosen)))
    deal_set = DealSet.make(table, chosen, deals, seed)
    numbers = tuple(int(number) for number in dict.fromkeys(deal_set.numbers.tolist()))
    names = _Names(table, reveal, jobs > 1)
    subject = names.add(agent)
    opponents = [names.add(one) for one in against]
    fixed = None if baselines is None else [names.add(one) for one in baselines]
    pairs = [(opponent, baseline) for opponent in opponents for baseline in (fixed or [opponent])]
    others = num_players - 1
    tables: list[tuple[str, ...]] = []
    for opponent, baseline in pairs:
        tables += [(subject, *[opponent] * others), (baseline, *[opponent] * others)]
    own = (subject,) * num_players
    full = None if line_up is None else (subject, *[names.add(one) for one in line_up])
    if full is not None and len(full) != num_players:
        raise ConfigError(f"the line-up has {len(full) - 1} other agents; allowed: {others}, one per seat beside {subject!r}")
    tables += ([own] if self_play else []) + ([] if full is None else [full])

    record_deals = whole_number("record_deals", record_deals, 1, MOST_DEALS)
    # Opened first, so that a file that cannot be written is found out before the work.
    writer = None if record is None else RecordWriter(record, rules, num_players, seed=seed)
    arena = Arena(
        table,
        names.agents,
        deal_set,
        seed,
        skip_forced=skip_forced,
        reveal=reveal,
        jobs=jobs,
        record_deals=0 if writer is None else record_deals,
    )
    with writer or nullcontext(), bar(arena.tables_of(tables)) as progress:
        arena.progress = progress
        arena.play(tables)
        for lines in arena.recorded:
            assert writer is not None
            writer.add(lines)
    comparisons = tuple(
        Comparison(
            subject,
            opponent,
            baseline,
            arena.line_up((subject, *[opponent] * others)),
            arena.line_up((baseline, *[opponent] * others)),
        )
        for opponent, baseline in pairs
    )
    return Evaluation(
        agent=subject,
        settings=Settings(str(rules), num_players, numbers, len(deal_set.numbers) // len(numbers), check_seed(seed)),
        comparisons=comparisons,
        self_play=LineUp(arena.line_up(own)) if self_play else None,
        line_up=None if full is None else LineUp(arena.line_up(full)),
        seconds=time.monotonic() - began,
    )


def numbers_of(deal: Any, rules: Rules, num_players: int) -> Sequence[Any]:
    """Numbers of the deals to play: those given, one or several, or all that a table plays."""
    if deal is None:
        return playable(rules, num_players)
    return list(deal) if isinstance(deal, Sequence | np.ndarray) and not isinstance(deal, str) and np.ndim(deal) else [deal]


def playable(rules: Rules, num_players: int) -> tuple[int, ...]:
    """Numbers of the deals that a table plays: all, or the last one in a sudden death (J13.2)."""
    return (rules.num_deals,) if num_players == 2 else tuple(range(1, rules.num_deals + 1))


class _Names:
    """Agents by distinct names. Each is seated once: what cannot play is found out before anything is played.

    Args:
        table: engine of the tables.
        reveal: whether agents that see hidden cards may play.
        by_name: keep names instead of the agents that were loaded by them, for other processes to load them too.
    """

    def __init__(self, table: Engine, reveal: bool, by_name: bool) -> None:
        self.agents: dict[str, AgentLike] = {}
        self._table, self._reveal, self._by_name = table, reveal, by_name

    def add(self, agent: AgentLike) -> str:
        """The name of an agent: its text, or the name of its class, numbered if another object has that name."""
        given: Agent | str = registry.name_of(agent)
        if isinstance(given, str):
            if given not in self.agents:
                loaded = registry.load(given)  # whoever plays it: errors come before anything is played
                Player(loaded, self._table, given, reveal=self._reveal)
                self.agents[given] = given if self._by_name else loaded
            return given
        for name, known in self.agents.items():
            if known is given:
                return name
        base = type(given).__name__
        taken = sum(name.partition("#")[0] == base for name in self.agents)
        name = base if not taken else f"{base}#{taken + 1}"
        Player(given, self._table, name, reveal=self._reveal)
        self.agents[name] = given
        return name
