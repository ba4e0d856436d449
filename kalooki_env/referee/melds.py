"""Cards and melds (J2.1, J3), and what may be laid off onto a meld or moved in it (J8, J9).

A card is its text, `7S` or `JK`. A hand is a `Counter` of cards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from kalooki_env.rules import JOKER, RANKS, SUITS

#: All card texts in card order: spades from ace to king, hearts, diamonds, clubs, the joker.
CARDS = [rank + suit for suit in SUITS for rank in RANKS] + [JOKER]
_ORDER = {card: number for number, card in enumerate(CARDS)}

LOW, HIGH = "low", "high"
LOWEST_PLACE, HIGHEST_PLACE = 1, 14  # J2.1: the ace low and the ace high
THREE_SIZE, FOUR_SIZE = 3, 4


def card_order(card: str) -> int:
    """Number of a card in card order."""
    return _ORDER[card]


def sorted_cards(cards: Iterable[str]) -> list[str]:
    """The cards in card order, copies repeated."""
    return sorted(cards, key=card_order)


def natural_at(suit: str, place: int) -> str:
    """The natural card of a place of a four; the ace stands at places 1 and 14 (J2.1)."""
    return RANKS[(place - 1) % len(RANKS)] + suit


@dataclass
class Three:
    """Cards of one rank (J3.1); while it is being filled also fewer than three.

    Attributes:
        word: how it is called in texts.
        rank: rank of its naturals.
        cards: its cards in card order.
    """

    word: ClassVar[str] = "three"

    rank: str
    cards: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether it has the cards that a contract asks for (J3.1)."""
        return len(self.cards) >= THREE_SIZE

    def add(self, card: str) -> None:
        """Put one card to the others."""
        self.cards = sorted_cards([*self.cards, card])


@dataclass
class Four:
    """Cards of one suit in consecutive places (J3.2); while it is being filled also fewer than four.

    Attributes:
        word: how it is called in texts.
        suit: suit letter.
        low: its lowest place, 1 to 11 when laid.
        cards: its cards from the lowest place upwards, jokers as `JK`.
    """

    word: ClassVar[str] = "four"

    suit: str
    low: int
    cards: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether it has the cards that a contract asks for (J3.2)."""
        return len(self.cards) >= FOUR_SIZE

    @property
    def high(self) -> int:
        """Its highest place."""
        return self.low + len(self.cards) - 1

    def natural_of(self, index: int) -> str:
        """The natural card that belongs where its card number `index` lies (J3.3)."""
        return natural_at(self.suit, self.low + index)

    def add_at(self, end: str, card: str) -> None:
        """Put one card to the named end."""
        if end == LOW:
            self.cards.insert(0, card)
            self.low -= 1
        else:
            self.cards.append(card)


Meld = Three | Four


def jokers_fit_in_three(naturals: int, jokers: int) -> bool:
    """J3.4: the cards can be arranged so that no two jokers touch."""
    return jokers <= naturals + 1


def jokers_touch(row: list[str]) -> bool:
    """J3.4: two neighbours in an ordered row are jokers."""
    return any(left == right == JOKER for left, right in pairwise(row))


def is_valid_three(three: Three, min_naturals: int) -> bool:
    """Whether a three may lie on the table (J3.1, J3.4, J3.5)."""
    naturals = [card for card in three.cards if card != JOKER]
    jokers = len(three.cards) - len(naturals)
    return (
        three.complete
        and all(card[0] == three.rank for card in naturals)
        and len(naturals) >= min_naturals
        and jokers_fit_in_three(len(naturals), jokers)
    )


def is_valid_four(four: Four) -> bool:
    """Whether a four may lie on the table (J2.1, J3.2, J3.4, J3.6, J3.7)."""
    return (
        four.complete
        and four.low >= LOWEST_PLACE
        and four.high <= HIGHEST_PLACE
        and all(card in (JOKER, four.natural_of(index)) for index, card in enumerate(four.cards))
        and not jokers_touch(four.cards)
    )


def end_is_free(four: Four, end: str) -> bool:
    """Whether there is a place beyond this end (J8.4)."""
    return four.low > LOWEST_PLACE if end == LOW else four.high < HIGHEST_PLACE


def cards_to_lay_off(meld: Meld, end: str | None, high_end_first: bool) -> set[str]:
    """The cards that may be laid off onto a meld, at one end of it if it is a four (J8.3, J8.4).

    Args:
        meld: a meld on the table.
        end: `low` or `high` for a four, None for a three.
        high_end_first: a four takes nothing at its low end before it reaches the ace (key `layoff_run_order`).
    """
    if isinstance(meld, Three):
        jokers = meld.cards.count(JOKER)
        cards = {meld.rank + suit for suit in SUITS}  # J8.3
        if jokers_fit_in_three(len(meld.cards) - jokers, jokers + 1):
            cards.add(JOKER)
        return cards
    if not end_is_free(meld, LOW if end == LOW else HIGH):
        return set()
    if end == LOW:
        if high_end_first and meld.high != HIGHEST_PLACE:
            return set()
        place, neighbour = meld.low - 1, meld.cards[0]
    else:
        place, neighbour = meld.high + 1, meld.cards[-1]
    cards = {natural_at(meld.suit, place)}
    if neighbour != JOKER:  # J3.4
        cards.add(JOKER)
    return cards


def joker_replaced_by(four: Four, card: str, end: str) -> int | None:
    """Where in a four a natural card would free a joker for the named end (J9.1 to J9.3).

    Returns:
        The index of that joker, or None if the move is not allowed.
    """
    if card == JOKER or not end_is_free(four, end):
        return None  # J9.2: the end must exist
    for index, lying in enumerate(four.cards):
        if lying == JOKER and four.natural_of(index) == card:
            replaced = [*four.cards[:index], card, *four.cards[index + 1 :]]
            neighbour = replaced[0] if end == LOW else replaced[-1]
            # Only an ace can match twice, and a four with both aces has no free end: the first match is the only one.
            return None if neighbour == JOKER else index  # J9.2
    return None
