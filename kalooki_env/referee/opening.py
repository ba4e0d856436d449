"""The search of Kaluki: which melds a hand holds at the same time (KL4.2; ACTIONS.md, section 8.2).

One question is answered: whether disjoint melds can be formed from a hand that are worth so many points in an opening, contain
certain cards, and leave a card in the hand where the rules ask for one. An opening asks for the points, a debt for the cards.

Cards are taken in card order. The first of them is either left in the hand or lies in one of the melds that contain it; all of
these are tried, with what is left afterwards. Two bounds make this quick: cards that fit into no meld at all are put aside, and
nothing is tried where all cards and jokers together are worth too little.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from kalooki_env.referee.kaluki_melds import HIGHEST_LOW, MELD_SIZE, SET_SIZE, lowest_place
from kalooki_env.referee.melds import CARDS, HIGHEST_PLACE, card_order
from kalooki_env.rules import JOKER, RANKS, Rules

#: Answers that are kept at most; then all are forgotten.
_MEMORY = 300_000

Cards = tuple[int, ...]  # naturals by their numbers in card order, sorted, copies repeated


class Choice(NamedTuple):
    """A meld as the search sees it: its naturals, its jokers, and the most that it can be worth in an opening."""

    naturals: Cards
    jokers: int
    value: int


class Holding(NamedTuple):
    """A hand, or a part of it: its naturals and its jokers."""

    cards: Cards
    jokers: int

    @classmethod
    def of(cls, hand: Counter[str]) -> Holding:
        """The holding of a hand."""
        return cls(tuple(sorted(card_order(card) for card in hand.elements() if card != JOKER)), hand[JOKER])


def _minus(cards: Cards, others: Cards) -> Cards:
    """Cards without some of them, one copy for each."""
    left = list(cards)
    for card in others:
        left.remove(card)
    return tuple(left)


def _less(cards: Cards, others: Cards) -> Cards:
    """Cards without some others, as far as these are there."""
    return tuple((Counter(cards) - Counter(others)).elements()) if cards else cards


class MeldSearch:
    """The search under one set of values, with all answers so far."""

    def __init__(self, points: tuple[int, ...], joker_value: int | None, lowest: int) -> None:
        """Nothing is known yet.

        Args:
            points: what each natural is worth in an opening, in card order.
            joker_value: what a joker is worth, None for as much as the card that it stands for.
            lowest: the lowest place of a run.
        """
        self._points = points
        self._joker_value = joker_value
        self._most_for_joker = max(points) if joker_value is None else joker_value
        self._lowest = lowest
        self._answers: dict[tuple[Cards, int, int, Cards, int], bool] = {}
        self._runs: dict[tuple[Cards, int, int], list[Choice]] = {}
        self._sets: dict[tuple[int, Cards, int], list[Choice]] = {}

    def can_lay(self, hand: Counter[str], need: int, owed: Counter[str], keep: bool) -> bool:
        """Whether disjoint melds can be formed from a hand that are worth enough and contain all cards that are owed.

        Args:
            hand: the hand.
            need: points that the melds must be worth in an opening, nought or less for a seat that has opened.
            owed: cards that must be in the melds.
            keep: a card must be left in the hand.
        """
        holding, debt = Holding.of(hand), Holding.of(owed)
        if not keep:
            return self._holds(*holding, max(need, 0), *debt)
        # Whichever card is left over: the others must do.
        cards, jokers = holding
        left_over = [Holding(_minus(cards, (card,)), jokers) for card in dict.fromkeys(cards)]
        left_over += [Holding(cards, jokers - 1)] if jokers else []
        return any(self._holds(*rest, max(need, 0), *debt) for rest in left_over)

    def _holds(self, cards: Cards, jokers: int, need: int, owed: Cards, owed_jokers: int) -> bool:
        """`can_lay` without the card to keep."""
        if need <= 0 and not owed and not owed_jokers:
            return True
        if owed_jokers > jokers:
            return False
        cards = self._fitting(cards, jokers)
        if need > sum(self._points[card] for card in cards) + jokers * self._most_for_joker:
            return False
        if not cards or not set(owed) <= set(cards):
            return False  # every meld has a natural
        key = (cards, jokers, max(need, 0), owed, owed_jokers)
        if key not in self._answers:
            if len(self._answers) >= _MEMORY:
                self._answers.clear()
            self._answers[key] = self._search(*key)
        return self._answers[key]

    def _search(self, cards: Cards, jokers: int, need: int, owed: Cards, owed_jokers: int) -> bool:
        first = cards[0]
        for meld in self._melds_with(first, cards, jokers):
            rest = _minus(cards, meld.naturals)
            debt = _less(owed, meld.naturals)
            if self._holds(rest, jokers - meld.jokers, need - meld.value, debt, max(owed_jokers - meld.jokers, 0)):
                return True
        if first in owed:
            return False
        # Its copies are left as well: one of them in a meld is the same as the first one in that meld.
        others = tuple(card for card in cards if card != first)
        return self._holds(others, jokers, need, owed, owed_jokers)

    def _fitting(self, cards: Cards, jokers: int) -> Cards:
        """The cards that are in some meld by themselves (KL3)."""
        if jokers >= MELD_SIZE - 1:
            return cards  # a card and two jokers are a set
        there = set(cards)
        near = 3 if jokers else 2  # how far from each other two cards of a run of three can be, and one more
        fitting = []
        for card in cards:
            rank = card % len(RANKS)
            kin = sum(1 for other in range(rank, len(CARDS) - 1, len(RANKS)) if other in there)
            if kin + jokers >= MELD_SIZE:
                fitting.append(card)
                continue
            base = card - rank
            places = [rank + 1, HIGHEST_PLACE] if rank == 0 else [rank + 1]
            for place in (place for place in places if place >= self._lowest):
                taken = [
                    self._lowest <= place + step <= HIGHEST_PLACE and base + (place + step - 1) % len(RANKS) in there
                    for step in (-2, -1, 1, 2)
                ]
                two_below, below, above, two_above = taken
                if any(taken) if near == 3 else (two_below and below) or (below and above) or (above and two_above):
                    fitting.append(card)
                    break
        return tuple(fitting)

    def _melds_with(self, first: int, cards: Cards, jokers: int) -> list[Choice]:
        """All melds that contain the first of the cards, those that are worth most first."""
        suit, rank = divmod(first, len(RANKS))
        same_suit = tuple(card for card in cards if card // len(RANKS) == suit)
        same_rank = tuple(sorted({card for card in cards if card % len(RANKS) == rank and card != first}))
        if (same_suit, jokers, first) not in self._runs:
            self._runs[same_suit, jokers, first] = self._runs_with(first, same_suit, jokers)
        if (first, same_rank, jokers) not in self._sets:
            self._sets[first, same_rank, jokers] = self._sets_with(first, same_rank, jokers)
        melds = self._runs[same_suit, jokers, first] + self._sets[first, same_rank, jokers]
        return sorted(melds, key=lambda meld: -meld.value)

    def _sets_with(self, first: int, others: Cards, jokers: int) -> list[Choice]:
        """KL3.1: the first card, any of the others, which differ in suit, and jokers for suits that are not there."""
        joker_value = self._points[first % len(RANKS)] if self._joker_value is None else self._joker_value
        found = []
        for number in range(len(others) + 1):
            for chosen in combinations(others, number):
                naturals = (first, *chosen)
                points = sum(self._points[card] for card in naturals)
                for used in range(max(0, MELD_SIZE - len(naturals)), min(jokers, SET_SIZE - len(naturals)) + 1):
                    found.append(Choice(naturals, used, points + used * joker_value))
        return found

    def _runs_with(self, first: int, cards: Cards, jokers: int) -> list[Choice]:
        """KL3.2: all runs of cards of one suit that contain the first of them."""
        best: dict[tuple[Cards, int], int] = {}
        suit = first - first % len(RANKS)

        def grow(place: int, left: Cards, naturals: Cards, used: int, value: int) -> None:
            """Note the run up to the place before this one, and go on with the natural of this place and with a joker."""
            if first in naturals and len(naturals) + used >= MELD_SIZE:
                key = (tuple(sorted(naturals)), used)
                best[key] = max(value, best.get(key, 0))
            if place > HIGHEST_PLACE:
                return
            card = suit + (place - 1) % len(RANKS)
            if card in left:
                grow(place + 1, _minus(left, (card,)), (*naturals, card), used, value + self._points[card])
            if used < jokers:
                worth = self._points[card] if self._joker_value is None else self._joker_value
                grow(place + 1, left, naturals, used + 1, value + worth)

        for low in range(self._lowest, HIGHEST_LOW + 1):
            grow(low, cards, (), 0, 0)
        return [Choice(naturals, used, value) for (naturals, used), value in best.items()]


@lru_cache(maxsize=16)
def _search_for(points: tuple[int, ...], joker_value: int | None, lowest: int) -> MeldSearch:
    return MeldSearch(points, joker_value, lowest)


@lru_cache(maxsize=64)
def search_of(rules: Rules) -> MeldSearch:
    """The search under these rules."""
    points = tuple(rules.card_points(card) for card in CARDS if card != JOKER)
    joker_value = None if rules.joker_opening_value == "represented" else rules.joker_opening_value
    return _search_for(points, joker_value, lowest_place(rules))
