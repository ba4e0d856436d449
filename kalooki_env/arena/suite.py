"""Suites: fixed deals, rules and opponents, so that results of different people and times can be compared.

A suite never changes. Other deals, rules, opponents or statistics are a new version with a new name; the tests hold hashes of
the specification, of the dealt cards and of the opponents' play.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.agents.base import Agent
from kalooki_env.arena.chunks import DealSet, Ends, chunks_of, rotations_of
from kalooki_env.arena.duplicate import Duplicates
from kalooki_env.arena.evaluation import Bar, no_bar
from kalooki_env.arena.processes import play_chunks
from kalooki_env.arena.stats import CONFIDENCE, Estimate, estimate, estimate_of_means
from kalooki_env.errors import ConfigError, closest
from kalooki_env.files import is_folder
from kalooki_env.game.engine import Engine, engine
from kalooki_env.rules import Rules
from kalooki_env.values import whole_number


@dataclass(frozen=True)
class Spec:
    """What a suite plays.

    The agent sits in one seat and copies of an opponent in the others, each deal once in all rotations of the seats; and the same
    deals once more with a further copy of the opponent in the agent's seat. The difference of the two scores, averaged over the
    rotations, is one number per deal. Estimates are means over deals with 99 % intervals, in which each deal number has the same
    weight.

    Attributes:
        version: its name.
        presets: names of the rules.
        opponents: names of the agents in the other seats.
        num_players: seats at the table.
        deals: numbers of the deals.
        deals_per_number: deals of each number; fewer are the first ones.
        seed: seed of the deals, and of agents with chance.
    """

    version: str
    presets: tuple[str, ...]
    opponents: tuple[str, ...]
    num_players: int
    deals: tuple[int, ...]
    deals_per_number: int
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """The specification as plain values."""
        return {
            "version": self.version,
            "presets": list(self.presets),
            "opponents": list(self.opponents),
            "num_players": self.num_players,
            "deals": list(self.deals),
            "deals_per_number": self.deals_per_number,
            "seed": self.seed,
            "confidence": CONFIDENCE,
        }

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with anything in the specification."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Preset and opponent of each part."""
        return [(preset, opponent) for preset in self.presets for opponent in self.opponents]

    def table(self, preset: str) -> Engine:
        """The engine of one preset."""
        return engine(Rules.parse(preset), self.num_players)

    def deal_set(self, preset: str, per_number: int) -> DealSet:
        """The first deals of each number."""
        return DealSet.make(self.table(preset), self.deals, per_number, self.seed)


#: With 1,000 deals of each number the interval of the overall difference between scripted agents reaches 0.4 to 1.3 points.
SPECS = {
    "v1": Spec(
        version="v1",
        presets=("jamaican", "jamaican_club"),
        opponents=("random", "greedy", "expert-v1"),
        num_players=4,
        deals=tuple(range(1, 10)),
        deals_per_number=1000,
        seed=510_901,
    ),
    "v1-kaluki51": Spec(
        version="v1-kaluki51",
        presets=("kaluki51",),
        opponents=("random", "greedy", "expert-v1"),
        num_players=4,
        deals=(1,),
        deals_per_number=4000,
        seed=510_902,
    ),
}


def spec_of(version: str) -> Spec:
    """A suite by its version.

    Raises:
        ConfigError: no such version.
    """
    if version not in SPECS:
        raise ConfigError(f"unknown suite {version!r}{closest(version, SPECS)}")
    return SPECS[version]


def check_deals(deals: object, spec: Spec) -> int:
    """How many deals of each number are played.

    Raises:
        ConfigError: not a whole number from 1 to all that a suite has.
    """
    return whole_number("deals", deals, 1, spec.deals_per_number)


@dataclass(frozen=True)
class Part:
    """Results under one preset against one opponent; all lists by deal, and sums over the four seats that a deal was played in.

    Attributes:
        preset: name of the rules.
        opponent: name of the opponent.
        numbers: number of each deal.
        points: points of the agent.
        baseline_points: points of the opponent in the same seats.
        went_out: seats in which the agent went out.
        opened: seats in which the agent opened.
        package: version of the package that played it.
    """

    preset: str
    opponent: str
    numbers: list[int]
    points: list[int]
    baseline_points: list[int]
    went_out: list[int]
    opened: list[int]
    package: str

    def difference(self, number: int | None = None) -> Estimate:
        """Points a deal by which the agent is better than the opponent in its seat; over one number or over all."""
        return self._estimate(np.array(self.baseline_points) - self.points, number)

    def row(self, number: int | None = None) -> dict[str, Any]:
        """The results of one deal number, or of all, as plain values."""
        return {
            "deal": "all" if number is None else number,
            "difference": self.difference(number).as_dict(),
            "score": self._estimate(np.array(self.points), number).as_dict(),
            "baseline_score": self._estimate(np.array(self.baseline_points), number).as_dict(),
            "went_out": self._estimate(np.array(self.went_out), number).mean,
            "opened": self._estimate(np.array(self.opened), number).mean,
        }

    def as_dict(self) -> dict[str, Any]:
        """The estimates as plain values."""
        numbers = list(dict.fromkeys(self.numbers))
        return {
            "preset": self.preset,
            "opponent": self.opponent,
            "package": self.package,
            "overall": self.row(),
            "by_deal": [self.row(number) for number in numbers],
        }

    def _estimate(self, sums: NDArray[Any], number: int | None) -> Estimate:
        means, numbers = sums / _SEATS, np.array(self.numbers)
        if number is not None:
            return estimate(means[numbers == number])
        return estimate_of_means([means[numbers == one] for one in np.unique(numbers)])


#: Seats that an agent has in a deal, all rotations together. All versions have tables of four.
_SEATS = 4


@dataclass
class Results:
    """What an agent has achieved in a suite so far.

    Attributes:
        spec: the suite.
        agent: text that the agent is loaded by.
        name: what it is called.
        digest: of the files that it is made of, None for a scripted agent of the package; see `digest_of`.
        deals_per_number: deals of each number.
        parts: finished parts by preset and opponent.
    """

    spec: Spec
    agent: str
    name: str
    digest: str | None
    deals_per_number: int
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Parts that have not been played."""
        return [part for part in self.spec.parts if part not in self.parts]

    @property
    def deals(self) -> int:
        """Deals of each part."""
        return self.deals_per_number * len(self.spec.deals)

    def as_dict(self) -> dict[str, Any]:
        """The results as plain values, without those of single deals."""
        return {
            "suite": self.spec.version,
            "spec": self.spec.as_dict(),
            "spec_digest": self.spec.digest,
            "agent": self.agent,
            "name": self.name,
            "digest": self.digest,
            "deals_per_number": self.deals_per_number,
            "parts": [self.parts[part].as_dict() for part in self.spec.parts if part in self.parts],
        }


def play_suite(
    results: Results,
    *,
    package: str = "",
    jobs: int = 1,
    bar: Bar = no_bar,
    keep: Callable[[Results], object] = lambda results: None,
) -> None:
    """Play the parts that are missing.

    Args:
        results: what is there; parts are added to it.
        package: version of the package, to be noted in the results.
        jobs: processes; the results are the same with any number of them.
        bar: makes a progress callback for a number of tables.
        keep: called after each part.

    Raises:
        AgentError: an agent that cannot be loaded, or fails.
        ConfigError: a number of deals that the suite does not have, or wrong jobs.
    """
    spec = results.spec
    check_deals(results.deals_per_number, spec)
    runs = [_Run(results, preset, opponent) for preset, opponent in results.missing]
    owners = [(run, chunk) for run in runs for chunk in run.chunks]
    chunks = [chunk for _, chunk in owners]
    agents = {name: name for name in (results.agent, *spec.opponents)}
    with (
        bar(sum(chunk.tables for chunk in chunks)) as progress,
        closing(play_chunks(chunks, agents, jobs, progress)) as played,
    ):
        for number, ends in played:
            run, chunk = owners[number]
            run.ends[chunk.line_up].fill(chunk.rows, ends)
            run.waiting -= 1
            if not run.waiting:
                results.parts[run.preset, run.opponent] = run.part(package)
                keep(results)


class _Run:
    """A part that is being played."""

    def __init__(self, results: Results, preset: str, opponent: str) -> None:
        spec = results.spec
        self.preset, self.opponent, self.agent = preset, opponent, results.agent
        self.deals = spec.deal_set(preset, results.deals_per_number)
        self.line_ups = [(results.agent, *[opponent] * (spec.num_players - 1)), (opponent,) * spec.num_players]
        self.ends = {
            line_up: Ends.blank(len(self.deals.numbers), rotations_of(line_up), spec.num_players) for line_up in self.line_ups
        }
        self.chunks = [chunk for line_up in self.ends for chunk in chunks_of(spec.table(preset), line_up, self.deals, spec.seed)]
        self.waiting = len(self.chunks)

    def part(self, package: str) -> Part:
        """The results, once all chunks are there."""
        mine, theirs = (Duplicates.of(line_up, self.deals, self.ends[line_up]) for line_up in self.line_ups)

        def sums(means: NDArray[np.float64]) -> list[int]:
            found: list[int] = np.rint(means * _SEATS).astype(np.int64).tolist()
            return found

        return Part(
            preset=self.preset,
            opponent=self.opponent,
            numbers=self.deals.numbers.tolist(),
            points=sums(mine.scores[self.agent]),
            baseline_points=sums(theirs.scores[self.opponent]),
            went_out=sums(mine.went_out[self.agent]),
            opened=sums(mine.opened[self.agent]),
            package=package,
        )


def digest_of(name: str, agent: Agent) -> str | None:
    """Digest of what an agent is made of: a checkpoint's files, a file of SB3, or the module of somebody's class.

    It tells that weights or code under the same name have changed, as far as these files hold them.

    Args:
        name: text that the agent was loaded by.
        agent: the agent.

    Returns:
        Sixteen hexadecimal digits, or None for a scripted agent of this package.
    """
    kind, colon, path = name.partition(":")
    files: Sequence[Path]
    if is_folder(name):
        files = sorted([*Path(name).glob("*.safetensors"), Path(name, "checkpoint.json")])
    elif colon and kind == "sb3":
        from kalooki_env.agents.sb3 import file_of

        files = [file_of(path)]
    elif colon:
        source = getattr(sys.modules.get(type(agent).__module__), "__file__", None)
        files = [Path(source)] if source else []
    else:
        return None
    digest = hashlib.sha256()
    for file in files:
        data = file.read_bytes() if file.is_file() else b""
        digest.update(f"{file.name} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:16]
