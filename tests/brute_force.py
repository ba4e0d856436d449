"""Slow and plain solvers of the contract, written from the rule book alone, to hold the compiled solver against.

A hand is a list of 53 counts in card order. Nothing here is clever on purpose: fours and threes are tried one by one in all ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product

RANKS = "A23456789TJQK"
SUITS = "SHDC"


@dataclass(frozen=True)
class Keys:
    """The rules keys that bear on contracts."""

    packs: int
    min_naturals: int
    distinct_ranks: bool
    distinct_suits: bool


def parse_hand(text: str) -> list[int]:
    """Counts of a hand written as `4S 4H JK`."""
    hand = [0] * 53
    for card in text.split():
        hand[52 if card == "JK" else 13 * SUITS.index(card[1]) + RANKS.index(card[0])] += 1
    return hand


def fours(hand: list[int]) -> Iterator[tuple[int, int, list[int]]]:
    """All ways to lay one four of exactly four cards: (suit, lowest place, cards). J3.2 to J3.6."""
    for suit in range(4):
        for low in range(11):
            for jokers in product((False, True), repeat=4):
                if any(a and b for a, b in zip(jokers, jokers[1:], strict=False)):
                    continue
                cards = [52 if joker else 13 * suit + (low + i) % 13 for i, joker in enumerate(jokers)]
                if all(hand[card] >= cards.count(card) for card in cards):
                    yield suit, low, cards


def threes(hand: list[int], keys: Keys) -> Iterator[tuple[int, tuple[int, ...]]]:
    """All ways to lay one three of exactly three cards: (rank, cards). J3.1, J3.4, J3.5."""
    for rank in range(13):
        kinds = [13 * suit + rank for suit in range(4)] + [52]
        for cards in combinations_with_replacement(kinds, 3):
            jokers = cards.count(52)
            naturals = 3 - jokers
            if naturals < keys.min_naturals or jokers > naturals + 1:
                continue
            if all(hand[card] >= cards.count(card) for card in cards):
                yield rank, cards


def can_meet(hand: list[int], keys: Keys, t: int, f: int, used_ranks: int = 0, used_suits: int = 0) -> bool:
    """Whether `t` threes and `f` fours can be laid at once."""
    seen: set[tuple[object, ...]] = set()

    def lay(left: list[int], t: int, f: int, ranks: int, suits: int) -> bool:
        if t == 0 and f == 0:
            return True
        state = (tuple(left), t, f, ranks, suits)
        if sum(left) < 3 * t + 4 * f or state in seen:
            return False
        seen.add(state)
        ways: Iterator[tuple[int, int, int, list[int]]]
        if f:
            ways = ((s, 0, 1 << s, cards) for s, _, cards in fours(left) if not (keys.distinct_suits and suits >> s & 1))
        else:
            ways = ((r, 1 << r, 0, list(cards)) for r, cards in threes(left, keys) if not (keys.distinct_ranks and ranks >> r & 1))
        for _, rank_bit, suit_bit, cards in ways:
            after = list(left)
            for card in cards:
                after[card] -= 1
            new_ranks = ranks | rank_bit if keys.distinct_ranks else 0
            new_suits = suits | suit_bit if keys.distinct_suits else 0
            if lay(after, t - (not f), f - bool(f), new_ranks, new_suits):
                return True
        return False

    return lay(list(hand), t, f, used_ranks if keys.distinct_ranks else 0, used_suits if keys.distinct_suits else 0)
