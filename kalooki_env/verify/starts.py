"""Where the compared deals begin: shuffled decks, stacked decks, and tables on which the rare rules are near.

A stacked deck is dealt by engine and referee alike, and a table set up as a position text is read by both, so all that is done
here is open to the comparison too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.engine import deck_of
from kalooki_env.rules import JOKER, Rules
from kalooki_env.verify.stacking import Laid, Pool


class Beginning(NamedTuple):
    """How a deal begins: by a deck and its dealer, or by a position text.

    Attributes:
        deck: all cards, top first, before the deal; empty if there is a text.
        dealer: seat of the dealer.
        text: a position.
    """

    deck: list[str]
    dealer: int
    text: str = ""


#: Sets up a deal for these rules, this number of players, and this number of the deal.
Start = Callable[[Rules, int, int, np.random.Generator], Beginning]


def shuffled_deck(rules: Rules, num_players: int, rng: np.random.Generator) -> list[str]:
    """All cards of the deck in random order."""
    deck = [name for name, copies in zip(CARD_NAMES, deck_of(rules, num_players), strict=True) for _ in range(copies)]
    rng.shuffle(deck)
    return deck


def shuffled_start(rules: Rules, num_players: int, deal: int, rng: np.random.Generator) -> Beginning:
    """An ordinary deal."""
    return Beginning(shuffled_deck(rules, num_players, rng), int(rng.integers(num_players)))


def stacked_start(rules: Rules, num_players: int, deal: int, rng: np.random.Generator) -> Beginning:
    """A stacked deck: most hands hold the contract but for a card or two, often with many jokers; useful cards come soon."""
    pool = Pool(rules, num_players, rng)
    size = rules.contract(deal).hand_size
    # Some hands hold most of the contract of the deal before, which is no good here.
    deals = [max(1, deal - int(rng.random() < 0.15)) for _ in range(num_players)]
    hands = [_near_contract(pool, wanted, size) if rng.random() < 0.7 else [] for wanted in deals]
    upcard = [JOKER] if rng.random() < 0.2 and pool.take([JOKER]) else []
    hands = [[*hand, *pool.random_cards(size - len(hand))] for hand in hands]
    return deck_of_hands(hands, upcard, pool, rng)


def deck_of_hands(hands: list[list[str]], upcard: list[str], pool: Pool, rng: np.random.Generator) -> Beginning:
    """A deck that deals these hands, all of one size, then these cards and what the pool has left."""
    for hand in hands:
        rng.shuffle(hand)
    num_players = len(hands)
    dealer = int(rng.integers(num_players))
    order = [(dealer + 1 + step) % num_players for step in range(num_players)]
    dealt = [hands[seat][number] for number in range(len(hands[0])) for seat in order]
    return Beginning([*dealt, *upcard, *pool.shuffled()], dealer)


def _near_contract(pool: Pool, deal: int, size: int, lacking: Sequence[int] = (0, 1, 1, 2)) -> list[str]:
    """Cards of a contract, but for none to two of them; empty if the pool does not give any."""
    melds = pool.contract(deal, jokers=float(pool.rng.choice([0.03, 0.1, 0.3])))
    if melds is None:
        return []
    cards = [card for meld in melds for card in meld.cards]
    pool.rng.shuffle(cards)
    spare = max(0, len(cards) - size) + int(pool.rng.choice(lacking))
    pool.put_back(cards[:spare])
    return cards[spare:]


# ---- tables in the midst of a deal -----------------------------------------------------------------------------------


def table_start(rules: Rules, num_players: int, deal: int, rng: np.random.Generator) -> Beginning:
    """A table at which somebody has opened: long melds, jokers in them, and hands that fit; the stock is often nearly empty."""
    pool = Pool(rules, num_players, rng)
    kept = [JOKER] * int(rng.integers(1, 3)) if rng.random() < 0.35 else []
    pool.take(kept)
    jokers = float(rng.choice([0.05, 0.25, 0.4]))
    melds: dict[int, list[Laid]] = {}
    for seat in rng.permutation(num_players).tolist():
        contract = pool.contract(deal, jokers) if not melds or rng.random() < 0.5 else None
        if contract is not None:
            melds[seat] = contract
    laid = [meld for contract in melds.values() for meld in contract]
    for _ in range(int(rng.choice([0, 2, 10, 40])) if laid else 0):
        pool.lengthen(laid[int(rng.integers(len(laid)))], jokers / 2)
    if laid and rng.random() < 0.25:
        # Where a four ends with the two and the king, the ace fits both ends.
        places = range(14) if rng.random() < 0.5 else range(1, 13)
        for _ in range(16):
            pool.lengthen(laid[0], 0.0, places)
    order = sorted(range(num_players), key=lambda seat: seat not in melds)
    hands = {seat: _hand(pool, melds.get(seat), laid, deal) for seat in order}
    first = None
    if kept and melds:
        first = order[0]
        pool.put_back(hands[first])
        hands[first] = kept
    elif len(melds) > 1 and rng.random() < 0.3:
        first = _guest(pool, melds, hands)
    if not melds or not all(hands.values()) or pool.left.total() < 4:
        return stacked_start(rules, num_players, deal, rng)  # too few cards for such a table
    return Beginning([], 0, _Table(pool, deal, melds, hands, first).text())


def _hand(pool: Pool, own: list[Laid] | None, laid: list[Laid], deal: int) -> list[str]:
    rng = pool.rng
    size = pool.rules.contract(deal).hand_size
    if own is None:
        hand = _near_contract(pool, deal, size, lacking=(0, 0, 1, 2)) if rng.random() < 0.7 else []
        hand += pool.random_cards(size - len(hand))
        if rng.random() < 0.3:
            hand += _surplus(pool, hand)
        return hand
    # A few cards, most of which fit somewhere.
    hand = []
    useful = [card for meld in own * 2 + laid for card in _useful(meld)]
    for _ in range(int(rng.integers(1, 6))):
        if useful and rng.random() < 0.75:
            card = useful[int(rng.integers(len(useful)))]
            hand += [card] if pool.take([card]) else []
        else:
            hand += pool.random_cards(1)
    return hand or pool.random_cards(1)


def _guest(pool: Pool, melds: dict[int, list[Laid]], hands: dict[int, list[str]]) -> int:
    """Give one seat a joker and another the cards for which that joker would stand in its fours.

    Returns:
        The seat with the joker.
    """
    owner, guest = list(melds)[:2]
    for meld in melds[owner]:
        for end in meld.free_ends() if meld.is_four else ():
            card = meld.natural(end)
            hands[owner] += [card] if card not in hands[owner] and pool.take([card]) else []
    hands[guest] += [JOKER] if pool.take([JOKER]) else []
    return guest


def _surplus(pool: Pool, hand: list[str]) -> list[str]:
    """One meld more than the contract asks for, often of a rank or suit that a meld in the hand has already."""
    naturals = [card for card in hand if card != JOKER]
    like = naturals[int(pool.rng.integers(len(naturals)))] if naturals and pool.rng.random() < 0.7 else None
    key = [like[0], like[1]] if like else ["", ""]
    meld = pool.three(0.0, key[0]) if pool.rng.random() < 0.5 else pool.four(0.0, key[1])
    return meld.cards if meld else []


def _useful(meld: Laid) -> list[str]:
    """Cards that a meld would take, the naturals of its jokers twice: two of those in hand make a joker move a choice."""
    if not meld.is_four:
        jokers = meld.cards.count(JOKER)
        last = 2 * jokers == len(meld.cards)  # one joker more, and the three is full of them
        return [JOKER] * (4 if last else 1) + [meld.key + suit for suit in "SH"]
    naturals = [meld.natural(i) for i, card in enumerate(meld.cards) if card == JOKER]
    return [*naturals, *naturals, *(meld.natural(end) for end in meld.free_ends()), JOKER]


class _Table:
    """Writes a set-up table as a position text."""

    def __init__(
        self, pool: Pool, deal: int, melds: dict[int, list[Laid]], hands: dict[int, list[str]], first: int | None
    ) -> None:
        self.pool, self.deal, self.melds, self.hands, self.first = pool, deal, melds, hands, first
        self.rules, self.rng = pool.rules, pool.rng
        self.n = len(hands)

    def text(self) -> str:
        rng, n = self.rng, self.n
        seat = int(rng.choice([*range(n), *self.melds]))
        draws = bool(rng.random() < 0.6)
        if self.first is not None and rng.random() < 0.7:
            seat, draws = self.first, False
        jokers_only = not draws and set(self.hands[seat]) == {JOKER}
        stock, pile = self._piles(seat, draws, jokers_only)
        allowed, calls, answers = self._calls()
        callers = [one for one in range(n) if one not in (seat, (seat - 1) % n, *self.melds)]
        phase = self._phase(seat, draws, stock, may_follow_call=any(allowed[one] for one in callers))
        cap = self.rules.max_turns(n)
        near_cap = rng.random() < (0.3 if jokers_only else 0.12)
        limit = self.rules.reshuffle_max
        lines = [
            "kalooki: 1",
            f"rules: {self.rules}",
            f"players: {n}",
            f"deal: {self.deal}",
            f"dealer: {seat_name(int(rng.integers(n)))}",
            f"turns: {cap - 1 - int(rng.integers(1 if jokers_only else 3)) if near_cap else int(rng.integers(n, cap // 2))}",
            f"reshuffles: {int(rng.integers(3 if limit is None else limit + 1))}",
            f"phase: {phase}",
            *(f"hand {seat_name(one)}: {' '.join(hand)}" for one, hand in self.hands.items()),
            *(
                f"meld {seat_name(one)}/{number}: {meld.text()}"
                for one, melds in self.melds.items()
                for number, meld in enumerate(melds, start=1)
            ),
            f"opened: {', '.join(seat_name(one) for one in self.melds)}",
            f"calls: {calls or '-'}",
            f"answers: {answers or '-'}",
            f"stock: {' '.join(stock) or '-'}",
            f"pile: {' '.join(pile) or '-'}",
            f"rng: {int(rng.integers(2**63)):016x}",
        ]
        return "\n".join(lines) + "\n"

    def _phase(self, seat: int, draws: bool, stock: list[str], may_follow_call: bool) -> str:
        """The value of the line `phase`; a seat that is to play has drawn, if it matters."""
        rng, name = self.rng, seat_name(seat)
        if draws:
            return f"draw {name}" + (" after call" if may_follow_call and stock and rng.random() < 0.3 else "")
        if seat in self.melds:
            return f"play {name}" + (" opened now" if rng.random() < 0.2 else "")
        # Without the card drawn the hand may hold the contract and no more, which lays down and is out.
        if stock and rng.random() < 0.5:
            self.hands[seat].append(stock.pop(0))
        return f"play {name}"

    def _piles(self, seat: int, draws: bool, jokers_only: bool) -> tuple[list[str], list[str]]:
        """Stock and pile, each of them often tiny or empty; what is over then lies in another hand."""
        rng = self.rng
        cards = self.pool.shuffled()
        naturals = [card for card in cards if card != JOKER]
        wild = [card for card in cards if card == JOKER]
        if rng.random() < (0.5 if jokers_only else 0.35) and len(naturals) > 6:
            in_stock = int(rng.integers(4))
            if rng.random() < 0.5:
                return [*wild, *naturals[:in_stock]], naturals[in_stock:]
            in_pile = int(rng.integers(1 if draws else 0, 4))
            if not draws and rng.random() < (0.8 if jokers_only else 0.2):
                in_stock = in_pile = 0
            others = [one for one in self.melds if one != seat] or [one for one in self.hands if one != seat]
            self.hands[others[int(rng.integers(len(others)))]] += naturals[in_stock + in_pile :] + wild
            return naturals[:in_stock], naturals[in_stock : in_stock + in_pile]
        in_pile = min(int(rng.integers(1, 12)), len(naturals))
        stock = naturals[in_pile:] + wild
        rng.shuffle(stock)
        return stock, naturals[:in_pile]

    def _calls(self) -> tuple[list[int], str, str]:
        """How many calls each seat was allowed so far, up to the limit, and the lines about calls and answers."""
        limit = self.rules.call_max_per_deal
        if not self.rules.calls_enabled or limit == 0 or self.n < 3 or self.rng.random() < 0.4:
            return [0] * self.n, "", ""
        most = 3 if limit is None else limit
        allowed = [int(self.rng.integers(most + 1)) for _ in range(self.n)]
        refused = int(self.rng.integers(3))
        calls = ", ".join(
            f"{seat_name(seat)} {count + (refused if seat == 0 else 0)}/{count}" for seat, count in enumerate(allowed)
        )
        return allowed, calls, f"{seat_name(self.n - 1)} {sum(allowed)}/{refused}"


#: Kinds of start by name, and the share of all decisions that each shall have.
STARTS: Mapping[str, tuple[Start, float]] = {
    "table": (table_start, 0.45),
    "stacked": (stacked_start, 0.35),
    "shuffled": (shuffled_start, 0.2),
}
