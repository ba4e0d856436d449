"""Where compared deals of Kaluki begin: shuffled decks, decks stacked for openings, tables on which the rare rules are near."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kalooki_env.game.cards import seat_name
from kalooki_env.rules import JOKER, SUITS, Rules
from kalooki_env.verify.kaluki_stacking import KalukiPool
from kalooki_env.verify.stacking import Laid
from kalooki_env.verify.starts import Beginning, Start, deck_of_hands, shuffled_start


def stacked_start(rules: Rules, num_players: int, deal: int, rng: np.random.Generator) -> Beginning:
    """A stacked deck: most hands hold an opening but for a card or two, often one of just enough points, and many jokers."""
    pool = KalukiPool(rules, num_players, rng)
    size = rules.contract(deal).hand_size
    upcard = [JOKER] if rng.random() < 0.2 and pool.take([JOKER]) else []
    hands = [pool.whole_hand(size)] if rng.random() < 0.2 else []
    hands += [_near_opening(pool, size) if rng.random() < 0.75 else _hoard(pool) for _ in range(num_players - len(hands))]
    hands = [[*hand, *pool.random_cards(size - len(hand))] for hand in hands]
    return deck_of_hands(hands, upcard, pool, rng)


def _hoard(pool: KalukiPool) -> list[str]:
    """As many jokers as there are, or a few."""
    jokers = [JOKER] * int(pool.rng.integers(5))
    return jokers if pool.take(jokers) else []


def _near_opening(pool: KalukiPool, size: int, lacking: tuple[int, ...] = (0, 1, 1, 2)) -> list[str]:
    """Cards of an opening, but for none to two of them; empty if the pool does not give any."""
    melds = pool.opening(float(pool.rng.choice([0.03, 0.15, 0.4])), exact=bool(pool.rng.random() < 0.4))
    cards = [card for meld in melds for card in meld.cards]
    pool.rng.shuffle(cards)
    spare = max(0, len(cards) - size) + int(pool.rng.choice(lacking))
    pool.put_back(cards[:spare])
    return cards[spare:]


# ---- tables in the midst of a deal -----------------------------------------------------------------------------------


def table_start(rules: Rules, num_players: int, deal: int, rng: np.random.Generator) -> Beginning:
    """A table at which somebody has opened: long melds, jokers in them, and hands that fit; the stock is often nearly empty."""
    return _Table(KalukiPool(rules, num_players, rng), num_players, deal).beginning()


class _Table:
    """A table that is set up, and its position text."""

    def __init__(self, pool: KalukiPool, num_players: int, deal: int) -> None:
        self.pool, self.rules, self.rng, self.n, self.deal = pool, pool.rules, pool.rng, num_players, deal
        rng = self.rng
        self.jokers = float(rng.choice([0.03, 0.2, 0.45]))
        self.crowded = bool(rng.random() < 0.35)
        seats = rng.permutation(num_players).tolist()
        self.opened: list[int] = seats[: int(rng.integers(1, num_players + 1))]
        self.melds: list[tuple[int, Laid]] = []
        self.hands: dict[int, list[str]] = {}

    def beginning(self) -> Beginning:
        """The position as a beginning."""
        rng = self.rng
        kept = [JOKER] * int(rng.integers(1, 3)) if rng.random() < 0.35 else []
        kept = kept if self.pool.take(kept) else []
        self._lay()
        for seat in range(self.n):
            self.hands[seat] = self._hand_of_opened() if seat in self.opened else self._hand_of_other()
        mover = int(rng.choice([*range(self.n), *self.opened * 2]))
        self.hands[mover] += kept
        if self.crowded:
            self._crowd(mover)
        for seat in range(self.n):
            self.hands[seat] = self.hands[seat] or self.pool.random_cards(1)
        if not all(self.hands.values()) or self.pool.left.total() < 1:
            return stacked_start(self.rules, self.n, self.deal, rng)
        return Beginning([], 0, self._text(mover))

    def _lay(self) -> None:
        """Melds of those who have opened, in any order."""
        pool, rng = self.pool, self.rng
        melds: list[Laid | None] = [pool.long_run()] if rng.random() < 0.25 else []
        melds += [pool.meld(self.jokers) for _ in range(len(self.opened) * int(rng.integers(1, 4)))]
        found = [meld for meld in melds if meld is not None]
        while len(found) < len(self.opened):
            meld = pool.meld(self.jokers / 2)
            found += [] if meld is None else [meld]
        for _ in range(int(rng.choice([0, 2, 8, 30]))):
            pool.lengthen(found[int(rng.integers(len(found)))], self.jokers / 2)
        owners = [*self.opened, *rng.choice(self.opened, len(found) - len(self.opened)).tolist()]
        self.melds = [(int(owners[i]), found[i]) for i in rng.permutation(len(found))]

    def _hand_of_opened(self) -> list[str]:
        """A few cards, most of which fit somewhere, and perhaps a further meld or most of one."""
        rng, pool = self.rng, self.pool
        hand: list[str] = []
        useful = [card for _, meld in self.melds for card in self._useful(meld)]
        for _ in range(int(rng.integers(1, 6))):
            if useful and rng.random() < 0.75:
                card = useful[int(rng.integers(len(useful)))]
                hand += [card] if pool.take([card]) else []
            else:
                hand += pool.random_cards(1)
        meld = pool.meld(self.jokers, hand[0] if hand and hand[0] != JOKER else "") if rng.random() < 0.5 else None
        if meld is not None:
            if rng.random() < 0.4:  # the meld and hardly another card
                pool.put_back(hand[1:])
                hand = hand[:1]
            hand += meld.cards
            if rng.random() < 0.3:
                pool.put_back([hand.pop()])
        return hand

    def _useful(self, meld: Laid) -> list[str]:
        """Cards that a meld would take, or that replace its jokers."""
        if not meld.is_four:
            missing = [meld.key + suit for suit in SUITS if meld.key + suit not in meld.cards]
            return [*missing * (1 + (JOKER in meld.cards)), JOKER] if len(meld.cards) < 4 or JOKER in meld.cards else []
        naturals = [meld.natural(i) for i, card in enumerate(meld.cards) if card == JOKER]
        return [*naturals * 3, *(meld.natural(end) for end in meld.free_ends()), JOKER]

    def _hand_of_other(self) -> list[str]:
        """An opening, or nearly one, often with more cards."""
        size = self.rules.contract(self.deal).hand_size
        hand = _near_opening(self.pool, size, lacking=(0, 0, 1, 2)) if self.rng.random() < 0.75 else _hoard(self.pool)
        return hand if hand and self.rng.random() < 0.3 else [*hand, *self.pool.random_cards(size - len(hand))]

    def _crowd(self, mover: int) -> None:
        """Lay nearly all that is left; what is over goes into other hands, so that hardly a card is left to draw."""
        rng, pool = self.rng, self.pool
        self.melds += [(int(rng.choice(self.opened)), meld) for meld in pool.rows()]
        others = [seat for seat in range(self.n) if seat != mover]
        wanted = int(rng.integers(4))
        for seat in others * 14:
            if pool.left.total() > max(1, wanted) and len(self.hands[seat]) < 14:
                self.hands[seat] += pool.random_cards(1)

    def _text(self, mover: int) -> str:
        rng, n = self.rng, self.n
        limit = self.rules.reshuffle_max
        reshuffles = int(rng.integers(3 if limit is None else limit + 1))
        stock, pile, draws = self._piles(mover, may_renew=limit is None or reshuffles < limit)
        cap = self.rules.max_turns(n)
        near_cap = rng.random() < 0.12
        now = mover in self.opened and rng.random() < 0.25
        names: dict[int, int] = dict.fromkeys(range(n), 0)
        lines = []
        for seat, meld in self.melds:
            names[seat] += 1
            lines.append(f"meld {seat_name(seat)}/{names[seat]}: {meld.text()}")
        lines = [
            "kalooki: 1",
            f"rules: {self.rules}",
            f"players: {n}",
            f"deal: {self.deal}",
            f"dealer: {seat_name(int(rng.integers(n)))}",
            f"turns: {cap - 1 - int(rng.integers(3)) if near_cap else int(rng.integers(n, cap // 2))}",
            f"reshuffles: {reshuffles}",
            f"phase: {'draw' if draws else 'play'} {seat_name(mover)}" + (" opened now" if now and not draws else ""),
            *(f"hand {seat_name(seat)}: {' '.join(self.hands[seat])}" for seat in range(n)),
            *lines,
            f"opened: {', '.join(seat_name(seat) for seat in sorted(self.opened))}",
            "calls: -",
            "answers: -",
            f"stock: {' '.join(stock) or '-'}",
            f"pile: {' '.join(pile) or '-'}",
            f"rng: {int(rng.integers(2**63)):016x}",
        ]
        return "\n".join(lines) + "\n"

    def _piles(self, mover: int, may_renew: bool) -> tuple[list[str], list[str], bool]:
        """Stock, pile, and whether the mover is to draw."""
        rng = self.rng
        cards = self.pool.shuffled()
        draws = bool(rng.random() < 0.6)
        if self.crowded and len(cards) < 8:
            in_stock = int(rng.choice([0, int(rng.integers(len(cards) + 1)), len(cards)], p=[0.5, 0.3, 0.2]))
            if not in_stock and (len(cards) < 2 or not may_renew):
                draws = False  # the upcard alone could not be taken by everybody
            if not draws and not in_stock and rng.random() < 0.85:
                # Nothing at all to draw: the discard will be the only card.
                self.hands[mover] += cards
                cards = []
        else:
            in_stock = len(cards) - min(int(rng.integers(1, 12)), len(cards) - 1)
        return cards[:in_stock], cards[in_stock:], draws


# ---- tables on which swaps decide what can be laid -------------------------------------------------------------------


def swap_start(rules: Rules, num_players: int, deal: int, rng: np.random.Generator) -> Beginning:
    """A table with nearly all jokers in its melds, and a hand that holds their naturals and melds that lack a joker.

    Whether the upcard can be laid, one joker be swapped, or a meld be begun, then often hangs on a swap that comes later.
    """
    return _SwapTable(KalukiPool(rules, num_players, rng), num_players, deal).beginning()


class _SwapTable(_Table):
    """As `_Table`, around jokers that the mover can swap."""

    def beginning(self) -> Beginning:
        rng, pool = self.rng, self.pool
        before_opening = self.rules.joker_release_requires == "nothing" and rng.random() < 0.4
        if before_opening and len(self.opened) == self.n:
            self.opened = self.opened[1:]
        mover = next(seat for seat in range(self.n) if seat not in self.opened) if before_opening else self.opened[0]
        self._lay()
        hand = self._naturals_for_jokers()
        self.upcard = ""
        if before_opening:
            hand += _near_opening(pool, self.rules.contract(self.deal).hand_size, lacking=(0, 1, 1, 2))
        else:
            for _ in range(int(rng.integers(1, 4))):
                hand += self._meld_that_lacks_a_card()
        if hand and rng.random() < 0.8:
            self.upcard = hand.pop()
        self.hands = {seat: pool.random_cards(int(rng.integers(1, 4))) for seat in range(self.n)}
        self.hands[mover] += hand
        if not all(self.hands.values()) or pool.left.total() < 2:
            return stacked_start(self.rules, self.n, self.deal, rng)
        return Beginning([], 0, self._text(mover))

    def _lay(self) -> None:
        """Melds of those who have opened: of most jokers one each, and some without."""
        pool, rng = self.pool, self.rng
        found: list[Laid] = []
        for _ in range(40):
            wanted = pool.left[JOKER] > 0 and rng.random() < 0.9
            meld = pool.meld(0.4 if wanted else 0.0)
            if meld is None:
                continue
            if wanted and JOKER not in meld.cards:
                pool.put_back(meld.cards)
                continue
            found.append(meld)
            if len(found) >= len(self.opened) and not (wanted and pool.left[JOKER]):
                break
        while len(found) < len(self.opened):
            meld = pool.meld(0.0)
            found += [] if meld is None else [meld]
        owners = [*self.opened, *rng.choice(self.opened, len(found) - len(self.opened)).tolist()]
        self.melds = [(int(owners[i]), found[i]) for i in rng.permutation(len(found))]

    def _naturals_for_jokers(self) -> list[str]:
        """Most of the naturals that bring a joker of the table into the hand."""
        hand = []
        for _, meld in self.melds:
            if JOKER not in meld.cards:
                continue
            if meld.is_four:
                naturals = [meld.natural(i) for i, card in enumerate(meld.cards) if card == JOKER]
            else:
                naturals = [meld.key + suit for suit in SUITS if meld.key + suit not in meld.cards]
            hand += [card for card in naturals if self.rng.random() < 0.8 and self.pool.take([card])]
        return hand

    def _meld_that_lacks_a_card(self) -> list[str]:
        """Cards of a meld but for one or two."""
        meld = self.pool.meld(0.05)
        if meld is None:
            return []
        cards = list(meld.cards)
        self.rng.shuffle(cards)
        gone = int(self.rng.choice([0, 1, 1, 1, 2])) if len(cards) > 2 else 0
        self.pool.put_back(cards[:gone])
        return cards[gone:]

    def _piles(self, mover: int, may_renew: bool) -> tuple[list[str], list[str], bool]:
        cards = self.pool.shuffled()
        return (cards, [self.upcard], True) if self.upcard else (cards[1:], cards[:1], False)


#: Kinds of start by name, and the share of all decisions that each shall have.
KALUKI_STARTS: Mapping[str, tuple[Start, float]] = {
    "table": (table_start, 0.4),
    "stacked": (stacked_start, 0.3),
    "swaps": (swap_start, 0.2),
    "shuffled": (shuffled_start, 0.1),
}
