"""Brute force for Kaluki: every meld of a hand, and the best choice of disjoint ones. Slow, and written without the solver."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations

from kalooki_env.rules import RANKS, SUITS, Rules

#: A meld as its naturals, sorted, its jokers, and its opening value.
Cards = tuple[tuple[str, ...], int, int]


def opening_value(card: str, rules: Rules) -> int:
    """Points of a natural in an opening (KL2)."""
    return rules.card_points(card)


def joker_value(card: str, rules: Rules) -> int:
    """Points of a joker that stands for a card (KL2)."""
    return rules.card_points(card) if rules.joker_opening_value == "represented" else int(rules.joker_opening_value)


@lru_cache(maxsize=8)
def all_melds(rules: Rules, most_jokers: int) -> tuple[Cards, ...]:
    """Every set and run of naturals and jokers (KL3), as cards and value."""
    melds: set[Cards] = set()
    for rank in RANKS:
        for size in (3, 4):
            for naturals in range(1, size + 1):
                jokers = size - naturals
                if jokers > most_jokers:
                    continue
                for suits in combinations(SUITS, naturals):
                    cards = tuple(rank + suit for suit in suits)
                    value = sum(opening_value(card, rules) for card in cards) + jokers * joker_value(rank + "S", rules)
                    melds.add((tuple(sorted(cards)), jokers, value))
    lowest = 0 if rules.ace_in_run == "high_or_low" else 1
    for suit in SUITS:
        places = [rank + suit for rank in RANKS] + ["A" + suit]
        for low in range(lowest, 12):
            for length in range(3, 14 - low + 1):
                row = places[low : low + length]
                for jokers in range(min(most_jokers, length - 1) + 1):
                    for at in combinations(range(length), jokers):
                        cards = tuple(card for i, card in enumerate(row) if i not in at)
                        value = sum(opening_value(card, rules) for card in cards) + sum(joker_value(row[i], rules) for i in at)
                        melds.add((tuple(sorted(cards)), jokers, value))
    return tuple(melds)


def most_points(hand: Counter[str], rules: Rules, owed: Counter[str], leave: int = 0) -> int:
    """The most points of disjoint melds that hold all that is owed, with so many cards left; -1 if there are none."""
    jokers = hand["JK"]
    fitting = [
        (Counter(cards), used, value)
        for cards, used, value in all_melds(rules, 4)
        if used <= jokers and all(hand[card] >= count for card, count in Counter(cards).items())
    ]

    def best(left: Counter[str], start: int, owed: Counter[str], held: int) -> int:
        found = 0 if not +owed and held >= leave else -1
        for i in range(start, len(fitting)):
            cards, used, value = fitting[i]
            if used <= left["JK"] and all(left[card] >= count for card, count in cards.items()):
                taken = Counter(cards)
                taken["JK"] += used
                rest = best(left - taken, i, owed - taken, held - sum(taken.values()))
                if rest >= 0:
                    found = max(found, value + rest)
        return found

    return best(Counter(hand), 0, +owed, sum(hand.values()))
