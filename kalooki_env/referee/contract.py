"""The search: whether a hand holds the contract, or what is left of it (J3, J7).

Everything is asked for melds of the least size: a longer meld always contains one of the least size (J7.3), so a hand holds the
contract if and only if it holds it in threes of three and fours of four cards.

The search counts jokers. Taken for themselves, the threes and the fours each have a fewest number of jokers with which the hand
holds them, and both are easy to find: threes do not ask for suits, fours of different suits share no natural. Where a contract
asks for both, the fours are tried one by one, and the two numbers tell when it is no use to go on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from kalooki_env.referee.melds import (
    FOUR_SIZE,
    HIGHEST_PLACE,
    LOWEST_PLACE,
    THREE_SIZE,
    Four,
    Meld,
    Three,
    card_order,
    is_valid_three,
    jokers_touch,
    natural_at,
)
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules

_NEVER = 1000  # more jokers than there are
LOWEST_PLACES = range(LOWEST_PLACE, HIGHEST_PLACE - FOUR_SIZE + 2)

Suit = tuple[int, ...]  # how many of each rank, ace first


class Holding(NamedTuple):
    """A hand as the search sees it: the naturals suit by suit, and the number of jokers."""

    suits: tuple[Suit, ...]
    jokers: int

    @classmethod
    def of(cls, hand: Counter[str]) -> Holding:
        """The holding of a hand."""
        return cls(tuple(tuple(hand[rank + suit] for rank in RANKS) for suit in SUITS), hand[JOKER])

    def minus(self, cards: Iterable[str]) -> Holding | None:
        """The holding without some cards, or None if they are not all there."""
        suits, jokers = list(self.suits), self.jokers
        for card in cards:
            if card == JOKER:
                jokers -= 1
                if jokers < 0:
                    return None
                continue
            index, rank = SUITS.index(card[1]), RANKS.index(card[0])
            suit = suits[index]
            if not suit[rank]:
                return None
            suits[index] = (*suit[:rank], suit[rank] - 1, *suit[rank + 1 :])
        return Holding(tuple(suits), jokers)


@dataclass(frozen=True)
class Need:
    """What is still to be laid, and under which rules.

    Attributes:
        threes: threes still to be laid.
        fours: fours still to be laid.
        min_naturals: fewest naturals in a three (J3.5).
        distinct_ranks: the threes must differ in rank (J7.4).
        distinct_suits: the fours must differ in suit (J7.4).
        barred_ranks: ranks that no further three may have.
        barred_suits: suits that no further four may have.
    """

    threes: int
    fours: int
    min_naturals: int
    distinct_ranks: bool
    distinct_suits: bool
    barred_ranks: frozenset[str] = frozenset()
    barred_suits: frozenset[str] = frozenset()

    @classmethod
    def of_deal(cls, rules: Rules, deal: int) -> Need:
        """The whole contract of a deal (J4)."""
        contract = rules.contract(deal)
        return cls(
            contract.threes,
            contract.fours,
            rules.set_min_naturals,
            rules.contract_distinct_ranks,
            rules.contract_distinct_suits,
        )

    def allows(self, meld: Meld) -> bool:
        """Whether a meld of this kind and rank or suit may come next (J7.2, J7.4)."""
        if isinstance(meld, Three):
            return self.threes > 0 and meld.rank not in self.barred_ranks
        return self.fours > 0 and meld.suit not in self.barred_suits

    def after(self, meld: Meld) -> Need:
        """What is left to be laid once this meld lies."""
        if isinstance(meld, Three):
            barred = self.barred_ranks | {meld.rank} if self.distinct_ranks else self.barred_ranks
            return replace(self, threes=self.threes - 1, barred_ranks=barred)
        return self.after_four(meld.suit)

    def after_four(self, suit: str) -> Need:
        """What is left to be laid once a four of this suit lies."""
        barred = self.barred_suits | {suit} if self.distinct_suits else self.barred_suits
        return replace(self, fours=self.fours - 1, barred_suits=barred)


class Row(NamedTuple):
    """A four of one suit as a choice: the ranks of its naturals, and how many jokers fill the other places."""

    naturals: tuple[int, ...]
    jokers: int

    def taken_from(self, suit: Suit) -> Suit | None:
        """What is left of a suit without these naturals, or None if they are not all there."""
        if not all(suit[rank] for rank in self.naturals):
            return None
        # No rank comes twice: four places in a row hold only one of the two aces.
        return tuple(number - (rank in self.naturals) for rank, number in enumerate(suit))


def _rows() -> list[Row]:
    """All fours of a suit (J2.1, J3.2, J3.4), those with few jokers first."""
    rows = []
    for low in LOWEST_PLACES:
        for kinds in product(("natural", JOKER), repeat=FOUR_SIZE):
            if not jokers_touch(list(kinds)):
                ranks = tuple((low + i - 1) % len(RANKS) for i, kind in enumerate(kinds) if kind != JOKER)
                rows.append(Row(ranks, FOUR_SIZE - len(ranks)))
    return sorted(rows, key=lambda row: row.jokers)


_ROWS = _rows()


def _cheapest_share(costs: Iterable[list[int]], count: int) -> int:
    """Fewest jokers for `count` melds shared out among groups; `costs` has, group by group, the jokers for 0, 1, 2, … melds."""
    best = [0] + [_NEVER] * count
    for group in costs:
        best = [
            min(best[number - here] + jokers for here, jokers in enumerate(group) if here <= number)
            for number in range(count + 1)
        ]
    return best[count]


def _jokers_for_threes(holding: Holding, need: Need) -> int:
    """Fewest jokers with which the holding has the threes, if it need not have the fours."""
    costs = []
    for index, rank in enumerate(RANKS):
        if rank not in need.barred_ranks:
            naturals = sum(suit[index] for suit in holding.suits)
            most = 1 if need.distinct_ranks else need.threes
            # `min_naturals` in each of the threes (J3.5), and jokers for what lacks to three cards each. J3.4 holds by itself:
            # one natural separates two jokers, and no three has more.
            possible = [n for n in range(most + 1) if naturals >= need.min_naturals * n]
            costs.append([max(0, THREE_SIZE * n - naturals) for n in possible])
    return _cheapest_share(costs, need.threes)


def _jokers_for_fours(holding: Holding, need: Need) -> int:
    """Fewest jokers with which the holding has the fours, if it need not have the threes."""
    most = min(1, need.fours) if need.distinct_suits else need.fours
    costs = [
        [_jokers_in_suit(holding.suits[index], number) for number in range(most + 1)]
        for index, suit in enumerate(SUITS)
        if suit not in need.barred_suits
    ]
    return _cheapest_share(costs, need.fours)


@lru_cache(maxsize=50_000)
def _jokers_in_suit(suit: Suit, fours: int) -> int:
    """Fewest jokers for this many fours of one suit."""
    return _cheapest_rows(suit, fours, 0, _NEVER)


def _cheapest_rows(suit: Suit, fours: int, first: int, limit: int) -> int:
    """Fewest jokers for fours that come at or after number `first` of `_ROWS`, as far as they are fewer than `limit`."""
    if fours == 0:
        return 0
    naturals = sum(suit)
    # Each four has at least two naturals, and whatever the naturals do not fill is filled by jokers.
    fewest = max(0, FOUR_SIZE * fours - naturals)
    if naturals < 2 * fours or fewest >= limit:
        return _NEVER
    best = limit
    for number in range(first, len(_ROWS)):
        row = _ROWS[number]
        if row.jokers * fours >= best:
            break  # all rows to come have at least as many jokers
        rest = row.taken_from(suit)
        if rest is not None:
            best = min(best, row.jokers + _cheapest_rows(rest, fours - 1, number, best - row.jokers))
            if best == fewest:
                break
    return best if best < limit else _NEVER


@lru_cache(maxsize=20_000)
def holds(holding: Holding, need: Need) -> bool:
    """Whether all melds that are needed can be laid from a holding at the same time (J7.2, J7.4, J7.5)."""
    if _jokers_for_threes(holding, need) + _jokers_for_fours(holding, need) > holding.jokers:
        return False
    choices = [
        (index, row)
        for row in _ROWS
        for index, suit in enumerate(SUITS)
        if need.fours and need.threes and suit not in need.barred_suits and row.taken_from(holding.suits[index]) is not None
    ]
    return _holds(holding, need, choices, 0)


def _holds(holding: Holding, need: Need, choices: list[tuple[int, Row]], first: int) -> bool:
    """`holds` with the fours taken from the choices from number `first` on."""
    if _jokers_for_threes(holding, need) + _jokers_for_fours(holding, need) > holding.jokers:
        return False
    if need.threes == 0 or need.fours == 0:
        return True  # then one of the two numbers is nought and the other one is exact
    for number in range(first, len(choices)):
        index, row = choices[number]
        if SUITS[index] in need.barred_suits or row.jokers > holding.jokers:
            continue
        rest = row.taken_from(holding.suits[index])
        if rest is not None:
            suits = (*holding.suits[:index], rest, *holding.suits[index + 1 :])
            if _holds(Holding(suits, holding.jokers - row.jokers), need.after_four(SUITS[index]), choices, number):
                return True
    return False


def completions(meld: Meld, need: Need) -> tuple[list[str], ...]:
    """All ways to bring a begun meld to its least size, in the order in which its cards are placed; the hand is not looked at."""
    key, low = (meld.rank, None) if isinstance(meld, Three) else (meld.suit, meld.low)
    return _completions(key, low, tuple(meld.cards), need.min_naturals)


@lru_cache(maxsize=10_000)
def _completions(key: str, low: int | None, cards: tuple[str, ...], min_naturals: int) -> tuple[list[str], ...]:
    """`completions` of a three of rank `key`, or of a four of suit `key` from a lowest place on."""
    return tuple(_ways(Three(key, [*cards]) if low is None else Four(key, low, [*cards]), min_naturals))


def _ways(meld: Meld, min_naturals: int) -> Iterator[list[str]]:
    if isinstance(meld, Three):
        if len(meld.cards) == THREE_SIZE:
            if is_valid_three(meld, min_naturals):
                yield []
            return
        # The cards come in card order, the joker last.
        for card in [*(meld.rank + suit for suit in SUITS), JOKER]:
            if not meld.cards or card_order(card) >= card_order(meld.cards[-1]):
                for rest in _ways(Three(meld.rank, [*meld.cards, card]), min_naturals):
                    yield [card, *rest]
        return
    if len(meld.cards) == FOUR_SIZE:
        yield []
        return
    for card in (natural_at(meld.suit, meld.high + 1), JOKER):
        row = [*meld.cards, card]
        if not jokers_touch(row):
            for rest in _ways(Four(meld.suit, meld.low, row), min_naturals):
                yield [card, *rest]


def can_complete(holding: Holding, meld: Meld, need: Need) -> bool:
    """Whether a begun meld can be filled from a holding and what is needed besides can be laid from the rest (J7.2).

    Args:
        holding: the hand without the cards that the meld has already.
        meld: the begun meld; it may have no card yet.
        need: what is needed besides this meld.
    """
    for cards in completions(meld, need):
        rest = holding.minus(cards)
        if rest is not None and holds(rest, need):
            return True
    return False


def next_melds(hand: Counter[str], need: Need) -> list[Meld]:
    """The melds that may be named next in a lay-down, empty: those with which the whole contract can be completed."""
    holding = Holding.of(hand)
    melds: list[Meld] = [Three(rank) for rank in RANKS]
    melds += [Four(suit, low) for suit in SUITS for low in LOWEST_PLACES]
    return [meld for meld in melds if need.allows(meld) and can_complete(holding, meld, need.after(meld))]


def next_cards(hand: Counter[str], meld: Meld, need: Need) -> set[str]:
    """The cards that may be placed next in a begun meld: those with which meld and contract can be completed.

    Args:
        hand: the hand without the cards that the meld has already.
        meld: the begun meld.
        need: what is needed besides this meld.
    """
    found: set[str] = set()
    holding = Holding.of(hand)
    for card, *others in completions(meld, need):
        if card not in found:
            rest = holding.minus([card, *others])
            if rest is not None and holds(rest, need):
                found.add(card)
    return found
