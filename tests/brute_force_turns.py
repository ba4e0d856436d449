"""What may be done in a turn of Kaluki, by trying everything: an action is legal if some way of playing on settles what is owed.

Written from the rules and `ACTIONS.md` alone: nothing here supposes in which order swaps, melds and lay-offs are best made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from brute_force_tables import choices, melds_of_hand

from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.game.notation import SUIT_WORDS, meld_name
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules

PLACES = RANKS + "A"
Cards = tuple[str, ...]


class Meld(NamedTuple):
    """A set (suit "", sorted, jokers last) or a run (from the lowest place, counted from 0)."""

    suit: str
    low: int
    cards: Cards

    @property
    def missing(self) -> Cards:
        """Of a set, the naturals that are not in it."""
        rank = self.cards[0][0]
        return tuple(rank + suit for suit in SUITS if rank + suit not in self.cards)

    @property
    def stands_for(self) -> Cards:
        """Of a run, the natural of each place."""
        return tuple(PLACES[self.low + i] + self.suit for i in range(len(self.cards)))

    @property
    def name(self) -> str:
        """The action that begins it."""
        if not self.suit:
            return f"set of {self.cards[0][0]}"
        return f"run of {SUIT_WORDS[SUITS.index(self.suit)]} from {PLACES[self.low]}"


class Turn(NamedTuple):
    """A moment in `play`: all that matters for what the seat to move can still do in this turn."""

    hand: Cards
    melds: tuple[Meld, ...]
    owed: Cards
    opened: bool
    opened_now: bool


def in_order(cards: Counter[str]) -> Cards:
    return tuple(sorted((+cards).elements(), key=CARD_NAMES.index))


def whole_melds(hand: Cards, rules: Rules) -> list[Meld]:
    """Every set and run of a hand."""
    found = []
    for laid in melds_of_hand(Counter(hand), rules):
        first = laid.text.split()[0].removeprefix("JK(")
        is_run = "(" in laid.text or len({card[0] for card in laid.cards if card != JOKER}) > 1
        found.append(Meld(first[1], RANKS.index(first[0]), laid.cards) if is_run else Meld("", 0, laid.cards))
    return found


class Turns:
    """Answers about turns under some rules; what was found out is kept."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.leave = int(rules.final_discard_required)
        self._known: dict[Turn, bool] = {}

    # ---- single moves, whether or not they can be settled -----------------------------------------------------------

    def lay_offs(self, turn: Turn, at: int) -> Iterator[tuple[str, str, Turn]]:
        """End, card and what follows of each lay-off onto a meld."""
        if not turn.opened or (turn.opened_now and not self.rules.layoff_in_opening_turn) or len(turn.hand) <= self.leave:
            return
        meld = turn.melds[at]
        lowest = 0 if self.rules.ace_in_run == "high_or_low" else 1
        ends: list[tuple[str, str, Meld]] = []
        if not meld.suit:
            if len(meld.cards) < 4:
                ends = [("", card, Meld("", 0, in_order(Counter([*meld.cards, card])))) for card in (*meld.missing, JOKER)]
        else:
            low, high = meld.low - 1, meld.low + len(meld.cards)
            if low >= lowest:
                ends += [(" low", card, Meld(meld.suit, low, (card, *meld.cards))) for card in (PLACES[low] + meld.suit, JOKER)]
            if high <= 13:
                cards = (PLACES[high] + meld.suit, JOKER)
                ends += [(" high", card, Meld(meld.suit, meld.low, (*meld.cards, card))) for card in cards]
        for end, card, after in ends:
            if card in turn.hand:
                hand = in_order(Counter(turn.hand) - Counter([card]))
                yield end, card, turn._replace(hand=hand, melds=(*turn.melds[:at], after, *turn.melds[at + 1 :]))

    def swaps(self, turn: Turn, at: int) -> Iterator[tuple[str, Turn]]:
        """Card ("" for all that a set lacks) and what follows of each swap in a meld."""
        meld = turn.melds[at]
        if JOKER not in meld.cards or not (turn.opened or self.rules.joker_release_requires == "nothing"):
            return
        if meld.suit:
            for card in dict.fromkeys(meld.stands_for):
                # The first place at which a joker stands for it.
                spots = [i for i, own in enumerate(meld.cards) if own == JOKER and meld.stands_for[i] == card]
                if spots and card in turn.hand:
                    cards = (*meld.cards[: spots[0]], card, *meld.cards[spots[0] + 1 :])
                    yield card, self._swapped(turn, at, meld._replace(cards=cards), [card], 1)
        elif self.rules.joker_release_sets == "all_missing_suits":
            if all(card in turn.hand for card in meld.missing):
                after = Meld("", 0, in_order(Counter(card for card in (*meld.cards, *meld.missing) if card != JOKER)))
                yield "", self._swapped(turn, at, after, list(meld.missing), meld.cards.count(JOKER))
        else:
            for card in meld.missing:
                if card in turn.hand:
                    after = Meld("", 0, in_order(Counter([*meld.cards, card]) - Counter([JOKER])))
                    yield card, self._swapped(turn, at, after, [card], 1)

    def _swapped(self, turn: Turn, at: int, meld: Meld, given: list[str], jokers: int) -> Turn:
        owed = jokers * (self.rules.joker_after_swap == "new_meld_this_turn")
        return turn._replace(
            hand=in_order(Counter(turn.hand) - Counter(given) + Counter({JOKER: jokers})),
            melds=(*turn.melds[:at], meld, *turn.melds[at + 1 :]),
            owed=in_order(Counter(turn.owed) + Counter({JOKER: owed})),
        )

    def may_lay(self, turn: Turn) -> bool:
        """Whether further melds may be laid in this turn."""
        return turn.opened and (not turn.opened_now or self.rules.extra_melds == "any_time_after_opening")

    def with_meld(self, turn: Turn, meld: Meld) -> Turn | None:
        """What follows a further meld, None if no card is left for the discard."""
        taken = Counter(meld.cards)
        hand = in_order(Counter(turn.hand) - taken)
        if len(hand) < self.leave:
            return None
        return turn._replace(hand=hand, melds=(*turn.melds, meld), owed=in_order(Counter(turn.owed) - taken))

    def can_open(self, turn: Turn) -> bool:
        """Whether the hand as it is can open."""
        need = self.rules.opening_points or 0
        hand, owed = Counter(turn.hand), Counter(turn.owed)
        return not turn.opened and any(value >= need for _, value in choices(hand, self.rules, owed, self.leave))

    # ---- whether all can be settled ---------------------------------------------------------------------------------

    def settles(self, turn: Turn) -> bool:
        """Whether there is a way to play on in this turn after which nothing is owed."""
        if not turn.owed:
            return True
        if turn not in self._known:
            self._known[turn] = self.can_open(turn) or any(self.settles(after) for after in self._following(turn))
        return self._known[turn]

    def _following(self, turn: Turn) -> Iterator[Turn]:
        if self.may_lay(turn):
            for meld in whole_melds(turn.hand, self.rules):
                after = self.with_meld(turn, meld)
                if after is not None:
                    yield after
        for at in range(len(turn.melds)):
            yield from (after for _, after in self.swaps(turn, at))
            yield from (after for _, _, after in self.lay_offs(turn, at))


class Table:
    """A position seen by the seat to move.

    Args:
        game: the game.
        turns: of its rules.
    """

    def __init__(self, game: Game, turns: Turns | None = None) -> None:
        state = game.states[0]
        self.game, self.rules, self.phase = game, game.rules, game.phase
        self.turns = turns or Turns(game.rules)
        actor = int(state["actor"])
        owed = Counter({JOKER: int(state["owed_jokers"])})
        if state["owed_card"]:
            owed[CARD_NAMES[int(state["owed_card"]) - 1]] = 1
        slots = range(int(state["melds_laid"]))
        self.names = [meld_name(slot, state, game.engine) for slot in slots]
        self.turn = Turn(
            in_order(Counter(game.hand(actor))),
            tuple(self._meld(slot) for slot in slots),
            in_order(owed),
            bool(state["opened"][actor]),
            bool(state["opened_now"]),
        )

    def _meld(self, slot: int) -> Meld:
        meld = meld_in_slot(self.game.states[0], slot)
        assert meld is not None
        cards = tuple(CARD_NAMES[card] for card in meld.cards)
        return Meld(SUITS[meld.key], meld.low, cards) if meld.kind == MeldKind.FOUR else Meld("", 0, cards)

    def legal(self) -> set[str]:
        """Texts of the legal actions, in all phases but those of an opening."""
        if self.phase is Phase.DRAW:
            return set(self._draws())
        turns, turn, target = self.turns, self.turn, int(self.game.states[0]["target"])
        if self.phase is Phase.LAYOFF:
            end = "" if not turn.melds[target].suit else " high" if self.game.states[0]["target_high"] else " low"
            found = turns.lay_offs(turn, target)
            return {f"place {card}" for where, card, after in found if where == end and turns.settles(after)}
        if self.phase is Phase.MOVE:
            return {f"place {card}" for card, after in turns.swaps(turn, target) if turns.settles(after)}
        return set(self._fillings() if self.phase is Phase.FILL else self._plays())

    def _draws(self) -> Iterator[str]:
        state, turn = self.game.states[0], self.turn
        most = self.rules.reshuffle_max
        if state["stock_n"] or (state["pile_n"] >= 2 and (most is None or state["reshuffles"] < most)):
            yield "draw stock"
        if not state["pile_n"]:
            return
        upcard = CARD_NAMES[int(state["pile"][int(state["pile_n"]) - 1])]
        key = self.rules.upcard_after_opening if turn.opened else self.rules.upcard_before_opening
        owed = () if key == "free" else (upcard,)
        if self.turns.settles(turn._replace(hand=in_order(Counter([*turn.hand, upcard])), owed=owed)):
            yield "take upcard"

    def _plays(self) -> Iterator[str]:
        turns, turn = self.turns, self.turn
        if not turn.owed:
            yield from (f"discard {card}" for card in turn.hand)
        if turns.can_open(turn):
            yield "lay down"
        if turns.may_lay(turn):
            for meld in whole_melds(turn.hand, self.rules):
                after = turns.with_meld(turn, meld)
                if after is not None and turns.settles(after):
                    yield meld.name
        for at, name in enumerate(self.names):
            yield from (f"lay off onto {name}{end}" for end, _, after in turns.lay_offs(turn, at) if turns.settles(after))
            yield from (f"swap joker in {name}" for _, after in turns.swaps(turn, at) if turns.settles(after))

    def _fillings(self) -> Iterator[str]:
        """Cards that go on with a further meld, and its end."""
        state, turn = self.game.states[0], self.turn
        slot = int(state["melds_laid"])
        begun = meld_in_slot(state, slot)
        placed = tuple(CARD_NAMES[card] for card in begun.cards) if begun else ()
        is_run, key = state["meld_kind_now"] == MeldKind.FOUR, int(state["meld_key_now"])
        for meld in whole_melds(in_order(Counter([*turn.hand, *placed])), self.rules):
            like = meld.suit == SUITS[key] and meld.low == state["meld_low_now"] if is_run else meld.cards[0][0] == RANKS[key]
            if not like or bool(meld.suit) != is_run or meld.cards[: len(placed)] != placed:
                continue
            more = Counter(meld.cards[len(placed) :])
            hand = in_order(Counter(turn.hand) - more)
            after = turn._replace(hand=hand, melds=(*turn.melds, meld), owed=in_order(Counter(turn.owed) - more))
            if len(hand) >= self.turns.leave and self.turns.settles(after):
                yield "end meld" if meld.cards == placed else f"place {meld.cards[len(placed)]}"
