"""Slow and plain solvers of the contract, written from the rule book alone, to hold the compiled solver against.

A hand is a list of 53 counts in card order. Nothing here is clever on purpose: fours and threes are tried one by one in all ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise, product

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


def all_fours() -> list[tuple[int, dict[int, int]]]:
    """Every four of exactly four cards, as (suit, number of each card). J3.2 to J3.6."""
    result = []
    for suit in range(4):
        for low in range(11):
            for jokers in product((False, True), repeat=4):
                if not any(a and b for a, b in pairwise(jokers)):
                    cards = [52 if joker else 13 * suit + (low + i) % 13 for i, joker in enumerate(jokers)]
                    result.append((suit, dict(Counter(cards))))
    return result


def all_threes(min_naturals: int) -> list[tuple[int, dict[int, int]]]:
    """Every three of exactly three cards, as (rank, number of each card). J3.1, J3.4, J3.5."""
    result = []
    for rank in range(13):
        for cards in combinations_with_replacement([*(13 * suit + rank for suit in range(4)), 52], 3):
            jokers = cards.count(52)
            naturals = 3 - jokers
            if naturals >= min_naturals and jokers <= naturals + 1:
                result.append((rank, dict(Counter(cards))))
    return result


FOURS = all_fours()
THREES = {fewest: all_threes(fewest) for fewest in (1, 2)}


def can_meet(hand: list[int], keys: Keys, t: int, f: int, used_ranks: int = 0, used_suits: int = 0) -> bool:
    """Whether `t` threes and `f` fours can be laid at once: fours first, then threes, each kind in the order of its list."""
    threes = THREES[keys.min_naturals]
    fours = [four for four in FOURS if all(hand[card] >= number for card, number in four[1].items())]
    failed: set[tuple[object, ...]] = set()

    def lay(left: list[int], t: int, f: int, start: int, ranks: int, suits: int) -> bool:
        if t == 0 and f == 0:
            return True
        state = (tuple(left), t, f, start, ranks, suits)
        if sum(left) < 3 * t + 4 * f or state in failed:
            return False
        ways = fours if f else threes
        for number in range(start, len(ways)):
            key, cards = ways[number]
            if (f and keys.distinct_suits and suits >> key & 1) or (not f and keys.distinct_ranks and ranks >> key & 1):
                continue
            if all(left[card] >= count for card, count in cards.items()):
                after = list(left)
                for card, count in cards.items():
                    after[card] -= count
                if f:
                    done = lay(after, t, f - 1, number if f > 1 else 0, ranks, suits | 1 << key)
                else:
                    done = lay(after, t - 1, 0, number, ranks | 1 << key, suits)
                if done:
                    return True
        failed.add(state)
        return False

    return lay(list(hand), t, f, 0, used_ranks, used_suits)


def copies(card: int, keys: Keys) -> int:
    """How many of a card there are (J1.1)."""
    return (2 if card == 52 else 1) * keys.packs


def draws(hand: list[int], keys: Keys, count: int) -> Iterator[list[int]]:
    """All hands that `count` more cards can make of a hand."""
    for cards in combinations_with_replacement(range(53), count):
        after = list(hand)
        for card in cards:
            after[card] += 1
        if all(after[card] <= copies(card, keys) for card in cards):
            yield after


def distance_by_drawing(hand: list[int], keys: Keys, t: int, f: int, most: int) -> int:
    """Distance as the rule book would have it: try all draws of 0, 1, ... cards; `most` + 1 if it is larger than `most`."""
    for count in range(most + 1):
        if any(can_meet(after, keys, t, f) for after in draws(hand, keys, count)):
            return count
    return most + 1


def within(hand: list[int], keys: Keys, t: int, f: int, budget: int) -> bool:
    """Whether at most `budget` cards must come: each place is filled from the hand or by a card to come, in all ways.

    Fours are laid first, in order of suit and lowest place, then threes in order of rank. Branches end where the melds left,
    taken one by one from what is left of the hand, lack more cards than may still come.
    """
    failed: set[tuple[object, ...]] = set()

    def lacking(left: list[int], t: int, f: int) -> int:
        need = 0
        if f:
            by_suit = [min(sum(left[13 * s + (low + i) % 13] == 0 for i in range(4)) for low in range(11)) for s in range(4)]
            need += sum(sorted(by_suit)[:f]) if keys.distinct_suits else f * min(by_suit)
        if t:
            steps = []
            for rank in range(13):
                held = sum(left[13 * s + rank] for s in range(4))
                steps += [min(3, max(0, 3 * (k + 1) - held)) for k in range(1 if keys.distinct_ranks else t)]
            need += sum(sorted(steps)[:t])
        return max(0, need - left[52])

    def fill_four(
        cards: list[int], left: list[int], free: list[int], budget: int, joker: bool
    ) -> Iterator[tuple[list[int], list[int], int]]:
        """All ways to fill the places with these naturals or jokers: (cards left, cards that may still come, budget left)."""
        if not cards:
            yield list(left), list(free), budget
            return
        for card in (cards[0],) if joker else (cards[0], 52):
            for source, cost in ((left, 0), (free, 1)):
                if source[card] and budget >= cost:
                    source[card] -= 1
                    yield from fill_four(cards[1:], left, free, budget - cost, card == 52)
                    source[card] += 1

    def fill_three(
        cards: list[int], start: int, count: int, left: list[int], free: list[int], budget: int, jokers: int
    ) -> Iterator[tuple[list[int], list[int], int]]:
        """All ways to take `count` more of these cards, from number `start` on, the hand's own numbered before those to come."""
        if count == 0:
            yield list(left), list(free), budget
            return
        for number in range(start, 2 * len(cards)):
            card = cards[number % len(cards)]
            source, cost = (left, 0) if number < len(cards) else (free, 1)
            new_jokers = jokers + (card == 52)
            if source[card] and budget >= cost and new_jokers <= 3 - keys.min_naturals:
                source[card] -= 1
                yield from fill_three(cards, number, count - 1, left, free, budget - cost, new_jokers)
                source[card] += 1

    def lay(left: list[int], free: list[int], t: int, f: int, start: int, budget: int) -> bool:
        if t == 0 and f == 0:
            return True
        if lacking(left, t, f) > budget:
            return False
        state = (tuple(left), tuple(free), t, f, start, budget)
        if state in failed:
            return False
        if f:
            for at in range(start, 44):
                suit, low = divmod(at, 11)
                after = 11 * (suit + 1) if keys.distinct_suits else at
                cards = [13 * suit + (low + i) % 13 for i in range(4)]
                for new_left, new_free, rest in fill_four(cards, left, free, budget, False):
                    if lay(new_left, new_free, t, f - 1, after if f > 1 else 0, rest):
                        return True
        else:
            for rank in range(start, 13):
                cards = [*(13 * s + rank for s in range(4)), 52]
                for new_left, new_free, rest in fill_three(cards, 0, 3, left, free, budget, 0):
                    if lay(new_left, new_free, t - 1, 0, rank + keys.distinct_ranks, rest):
                        return True
        failed.add(state)
        return False

    return lay(list(hand), [copies(card, keys) - hand[card] for card in range(53)], t, f, 0, budget)
