"""Kinds of table: which rules, sizes and deals there are to play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kalooki_env.rules import Contract, Rules


class Table(NamedTuple):
    """A kind of table: the rules, the number of players and the number of the deal."""

    rules: Rules
    players: int
    deal: int

    @property
    def contract(self) -> Contract:
        """The contract of the deal."""
        return self.rules.contract(self.deal)


Condition = Callable[[Table], bool]


def always(table: Table) -> bool:
    """The condition of what any table has."""
    return True


def all_tables(rules: Iterable[Rules], players: Iterable[int]) -> list[Table]:
    """The tables of these sizes, as far as the rules seat so many; two players of the Jamaican game play its last deal only."""
    sizes = list(players)
    return [
        Table(one, size, deal)
        for one in rules
        for size in sizes
        if size <= one.max_players
        for deal in range(1, one.num_deals + 1)
        if size > 2 or deal == one.num_deals
    ]


def in_random_order(rules: Sequence[Rules], players: Iterable[int], rng: np.random.Generator) -> Iterator[Table]:
    """Tables without end: all in random order, then all again in another order."""
    kinds = all_tables(rules, players)
    while kinds:
        for kind in rng.permutation(len(kinds)):
            yield kinds[kind]
