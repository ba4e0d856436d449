"""Sets, runs and hands of Kaluki put together out of a pack on purpose."""

from __future__ import annotations

import numpy as np

from kalooki_env.rules import JOKER, RANKS, SUITS, Rules
from kalooki_env.verify.stacking import PLACES, Laid, Pool


class KalukiPool(Pool):
    """The cards that lie nowhere yet, and the melds of Kaluki that can be made of them."""

    def __init__(self, rules: Rules, num_players: int, rng: np.random.Generator) -> None:
        super().__init__(rules, num_players, rng)
        self.lowest = 0 if rules.ace_in_run == "high_or_low" else 1

    def set_of(self, jokers: float, rank: str = "") -> Laid | None:
        """A set of three or four cards, each a joker with this chance, of this rank or any.

        Returns:
            None if the cards do not allow the one that was tried.
        """
        rank = rank or self._any(RANKS)
        size = int(self.rng.choice([3, 3, 3, 4]))
        wild = min(int(self.rng.binomial(size, jokers)), size - 1)
        naturals = [rank + suit for suit in SUITS if self.left[rank + suit]]
        self.rng.shuffle(naturals)
        cards = [*naturals[: size - wild], *[JOKER] * wild]
        return Laid(rank, -1, cards) if len(cards) == size and self.take(cards) else None

    def run(self, jokers: float, suit: str = "", length: int = 0) -> Laid | None:
        """As `set_of`, a run of this length, or one of three to eight cards; one in three begins or ends where the aces are."""
        length = length or int(self.rng.choice([3, 3, 3, 4, 5, 6, 8]))
        ends = [self.lowest, len(PLACES) - length]
        lows = ends if self.rng.random() < 0.33 else list(range(self.lowest, ends[1] + 1))
        meld = Laid(suit or self._any(SUITS), lows[self.rng.integers(len(lows))])
        for index in range(length):
            meld.cards.append(JOKER if self.rng.random() < jokers else meld.natural(index))
        return meld if meld.cards.count(JOKER) < length and self.take(meld.cards) else None

    def meld(self, jokers: float, like: str = "") -> Laid | None:
        """A set or a run, of the rank or suit of a card if one is named."""
        if self.rng.random() < 0.5:
            return self.set_of(jokers, like[:1])
        return self.run(jokers, like[1:])

    def value(self, meld: Laid) -> int:
        """Points of a meld in an opening (KL2)."""
        total = 0
        for index, card in enumerate(meld.cards):
            worth = self.rules.joker_opening_value
            natural = meld.natural(index) if meld.is_four else meld.key + SUITS[0]
            total += int(worth) if card == JOKER and worth != "represented" else self.rules.card_points(natural)
        return total

    def opening(self, jokers: float, exact: bool = False) -> list[Laid]:
        """Melds that open, worth just the points that open if that is asked for; empty if none were found in some tries."""
        need = self.rules.opening_points or 0
        for _ in range(60):
            melds: list[Laid] = []
            total = 0
            for _ in range(8):
                meld = self.meld(jokers)
                if meld is not None:
                    melds.append(meld)
                    total += self.value(meld)
                if total >= need:
                    break
            if total == need or (total > need and not exact):
                return melds
            for meld in melds:
                self.put_back(meld.cards)
        return []

    def whole_hand(self, size: int) -> list[str]:
        """A hand that consists of melds; empty if none was found in some tries."""
        for _ in range(20):
            cards: list[str] = []
            while len(cards) < size:
                meld = self.meld(0.1)
                cards += meld.cards if meld else []
            if len(cards) == size:
                return cards
            self.put_back(cards)
        return []

    def lengthen(self, meld: Laid, jokers: float, places: range = range(len(PLACES))) -> bool:
        """Add one card to a meld, a joker with this chance, to a run at one of these places.

        Returns:
            False if that card does not fit or is not left.
        """
        wild = self.rng.random() < jokers
        if not meld.is_four:
            suits = [meld.key + suit for suit in SUITS if self.left[meld.key + suit] and meld.key + suit not in meld.cards]
            card = JOKER if wild else self._any(suits) if suits else ""
            if not card or len(meld.cards) == 4 or not self.take([card]):
                return False
            meld.cards.append(card)
            return True
        ends = meld.free_ends(range(max(self.lowest, places.start), places.stop))
        if not ends:
            return False
        end = ends[self.rng.integers(len(ends))]
        card = JOKER if wild else meld.natural(end)
        if not self.take([card]):
            return False
        meld.cards.insert(0 if end < 0 else len(meld.cards), card)
        meld.low -= end < 0
        return True

    def long_run(self) -> Laid | None:
        """A run over nearly all places, often with jokers where its ends are aces."""
        whole = self.rng.random() < 0.4
        low = self.lowest if whole else int(self.rng.integers(self.lowest, 3))
        length = len(PLACES) - low - (0 if whole else int(self.rng.integers(3)))
        meld = Laid(self._any(SUITS), low)
        meld.cards = [meld.natural(index) for index in range(length)]
        for index in (0, length - 1):
            if self.rng.random() < 0.6 and meld.cards.count(JOKER) < self.left[JOKER]:
                meld.cards[index] = JOKER
        return meld if self.take(meld.cards) else None

    def rows(self) -> list[Laid]:
        """Runs as long as the naturals that are left allow, some of them cut short: a table on which nearly all cards lie."""
        found = []
        for suit in SUITS * 2:
            there = [place for place in range(1, len(PLACES)) if self.left[PLACES[place] + suit]]
            while there:
                low = length = 0
                for place in there:
                    low, length = (low, length + 1) if place == low + length else (place, 1)
                    if length >= 3 and (place + 1 not in there):
                        break
                if length < 3:
                    break
                cut = int(self.rng.integers(3)) if length > 5 else 0
                meld = Laid(suit, low, [PLACES[place] + suit for place in range(low, low + length - cut)])
                self.take(meld.cards)
                found.append(meld)
                there = [place for place in there if not low <= place < low + length]
        return found

    def _any(self, names: str | list[str]) -> str:
        return names[int(self.rng.integers(len(names)))]
