"""Melds and hands put together out of a pack on purpose: what stacked decks and set-up tables are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.engine import deck_of
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules

#: Places of a four: the ranks from the low ace to the high ace.
PLACES = RANKS + RANKS[0]


@dataclass
class Laid:
    """A three or a four that is put together.

    Attributes:
        key: rank of a three, suit of a four.
        low: lowest place of a four, from 0; -1 for a three.
        cards: its cards, a four's from low to high.
    """

    key: str
    low: int = -1
    cards: list[str] = field(default_factory=list)

    @property
    def is_four(self) -> bool:
        """Whether it is a four."""
        return self.low >= 0

    def natural(self, index: int) -> str:
        """The natural card of a four's card number `index`; -1 and `len(cards)` are the next ones beyond its ends."""
        return PLACES[self.low + index] + self.key

    def free_ends(self, places: range = range(len(PLACES))) -> list[int]:
        """Indices of `natural` for the places beyond the ends of a four, as far as they are among these."""
        return [index for index in (-1, len(self.cards)) if self.low + index in places]

    def text(self) -> str:
        """As in a position text."""
        if not self.is_four:
            return " ".join(sorted(self.cards, key=CARD_NAMES.index))
        return " ".join(f"JK({self.natural(i)})" if card == JOKER else card for i, card in enumerate(self.cards))


class Pool:
    """The cards that lie nowhere yet."""

    def __init__(self, rules: Rules, num_players: int, rng: np.random.Generator) -> None:
        self.rules = rules
        self.rng = rng
        counts = deck_of(rules, num_players)
        self.left = Counter({name: int(count) for name, count in zip(CARD_NAMES, counts, strict=True)})

    def take(self, cards: Iterable[str]) -> bool:
        """Take these cards out, if they are all there."""
        wanted = Counter(cards)
        if any(self.left[card] < count for card, count in wanted.items()):
            return False
        self.left -= wanted
        return True

    def put_back(self, cards: Iterable[str]) -> None:
        """Put cards back."""
        self.left.update(cards)

    def shuffled(self) -> list[str]:
        """All cards that are left, in random order."""
        cards = list(self.left.elements())
        self.rng.shuffle(cards)
        return cards

    def random_cards(self, count: int) -> list[str]:
        """So many cards at random, taken out."""
        cards = self.shuffled()[:count]
        self.take(cards)
        return cards

    def three(self, jokers: float, rank: str = "") -> Laid | None:
        """A three of three cards, each a joker with this chance, of this rank or any.

        Returns:
            None if the cards do not allow the one that was tried.
        """
        rank = rank or RANKS[self.rng.integers(len(RANKS))]
        naturals = [rank + suit for suit in SUITS for _ in range(self.left[rank + suit])]
        self.rng.shuffle(naturals)
        wild = min(int(self.rng.binomial(3, jokers)), 3 - self.rules.set_min_naturals)
        cards = [*naturals[: 3 - wild], *[JOKER] * wild]
        return Laid(rank, -1, cards) if len(cards) == 3 and self.take(cards) else None

    def four(self, jokers: float, suit: str = "") -> Laid | None:
        """As `three`, a four of four cards, of this suit or any."""
        # One in three stands at an end of the row of places, where the aces are.
        lows = [0, 10] if self.rng.random() < 0.33 else list(range(11))
        meld = Laid(suit or SUITS[self.rng.integers(4)], lows[self.rng.integers(len(lows))])
        for index in range(4):
            wild = meld.cards[-1:] != [JOKER] and self.rng.random() < jokers
            meld.cards.append(JOKER if wild else meld.natural(index))
        return meld if self.take(meld.cards) else None

    def contract(self, deal: int, jokers: float) -> list[Laid] | None:
        """The melds of a contract, or None if they have not been found in a number of tries."""
        wanted = self.rules.contract(deal)
        melds: list[Laid] = []
        for _ in range(60):
            fours = sum(meld.is_four for meld in melds)
            if len(melds) == wanted.threes + wanted.fours:
                return melds
            meld = self.four(jokers) if fours < wanted.fours else self.three(jokers)
            if meld is None:
                continue
            distinct = self.rules.contract_distinct_suits if meld.is_four else self.rules.contract_distinct_ranks
            if distinct and any(other.key == meld.key and other.is_four == meld.is_four for other in melds):
                self.put_back(meld.cards)
            else:
                melds.append(meld)
        for meld in melds:
            self.put_back(meld.cards)
        return None

    def lengthen(self, meld: Laid, jokers: float, places: range = range(len(PLACES))) -> bool:
        """Add one card to a meld, a joker with this chance, to a four at one of these places.

        Returns:
            False if that card does not fit or is not left.
        """
        wild = self.rng.random() < jokers
        if not meld.is_four:
            naturals = [meld.key + suit for suit in SUITS if self.left[meld.key + suit]]
            card = JOKER if wild else naturals[self.rng.integers(len(naturals))] if naturals else ""
            fits = bool(card) and (card != JOKER or 2 * meld.cards.count(JOKER) < len(meld.cards) + 1)
            if not fits or not self.take([card]):
                return False
            meld.cards.append(card)
            return True
        ends = meld.free_ends(places)
        if not ends:
            return False
        end = ends[self.rng.integers(len(ends))]
        if wild and meld.cards[0 if end < 0 else -1] == JOKER:
            return False
        card = JOKER if wild else meld.natural(end)
        if not self.take([card]):
            return False
        meld.cards.insert(0 if end < 0 else len(meld.cards), card)
        if end < 0:
            meld.low -= 1
        return True
