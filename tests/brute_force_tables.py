"""Brute force for what Kaluki may lay: all melds of a hand with their joker places, and all choices of disjoint ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from brute_force_kaluki import joker_value, opening_value

from kalooki_env.rules import JOKER, RANKS, SUITS, Rules


class Laid(NamedTuple):
    """A meld: how it is written, its cards, and its opening value."""

    text: str
    cards: tuple[str, ...]
    value: int


def melds_of_hand(hand: Counter[str], rules: Rules) -> list[Laid]:
    """Every set and run that a hand holds (KL3), one for each choice of places of jokers."""
    return [*_sets(hand, rules), *_runs(hand, rules)]


def _sets(hand: Counter[str], rules: Rules) -> Iterator[Laid]:
    for rank in RANKS:
        held = [rank + suit for suit in SUITS if hand[rank + suit]]
        for size in (3, 4):
            for naturals in range(max(1, size - hand[JOKER]), min(size, len(held)) + 1):
                for cards in combinations(held, naturals):
                    jokers = size - naturals
                    value = sum(opening_value(card, rules) for card in cards) + jokers * joker_value(rank + "S", rules)
                    yield Laid(" ".join([*cards, *[JOKER] * jokers]), (*cards, *[JOKER] * jokers), value)


def _runs(hand: Counter[str], rules: Rules) -> Iterator[Laid]:
    for suit in SUITS:
        places = [rank + suit for rank in RANKS] + ["A" + suit]
        for low in range(0 if rules.ace_in_run == "high_or_low" else 1, 12):
            rows: list[tuple[str, ...]] = [()]
            for place in range(low, 14):
                natural = places[place]
                rows = [(*row, card) for row in rows for card in (natural, JOKER) if (*row, card).count(card) <= hand[card]]
                for row in rows:
                    if len(row) >= 3 and set(row) != {JOKER}:
                        stands_for = places[low : low + len(row)]
                        words = [card if card != JOKER else f"JK({other})" for card, other in zip(row, stands_for, strict=True)]
                        value = sum(
                            opening_value(card, rules) if card != JOKER else joker_value(other, rules)
                            for card, other in zip(row, stands_for, strict=True)
                        )
                        yield Laid(" ".join(words), row, value)


def tables(
    hand: Counter[str], rules: Rules, need: int = 0, owed: Counter[str] | None = None, leave: int = 0
) -> set[tuple[str, ...]]:
    """All choices of disjoint melds of so many points that hold all that is owed and leave so many cards, as sorted texts."""
    return {melds for melds, value in choices(hand, rules, owed, leave) if value >= need}


def most_points(hand: Counter[str], rules: Rules, owed: Counter[str] | None = None, leave: int = 0) -> int:
    """The most points of such a choice, -1 if there is none."""
    return max((value for _, value in choices(hand, rules, owed, leave)), default=-1)


def choices(hand: Counter[str], rules: Rules, owed: Counter[str] | None, leave: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """All choices of disjoint melds, none at all among them, and their values."""
    melds = melds_of_hand(hand, rules)

    def choose(left: Counter[str], start: int, chosen: tuple[str, ...], value: int) -> Iterator[tuple[tuple[str, ...], int]]:
        if left.total() >= leave and hand - left >= (owed or Counter()):
            yield tuple(sorted(chosen)), value
        for number in range(start, len(melds)):
            taken = Counter(melds[number].cards)
            if taken <= left:
                yield from choose(left - taken, number, (*chosen, melds[number].text), value + melds[number].value)

    yield from choose(+hand, 0, (), 0)
