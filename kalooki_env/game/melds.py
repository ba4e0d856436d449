"""Melds of a record as texts, and melds from texts, with every fault named (J3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from kalooki_env import core
from kalooki_env.core import MeldKind
from kalooki_env.errors import NotationError
from kalooki_env.game.cards import CARD_NAMES, card_number
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import RANKS, SUITS, Rules


class NotAMeldError(NotationError):
    """Cards that are no meld, whatever the rules.

    Attributes:
        refusal: the reason code.
    """

    def __init__(self, text: str, refusal: Refusal) -> None:
        super().__init__(f"meld {text!r}: {refusal.value}")
        self.refusal = refusal


class Fault(NamedTuple):
    """What the rules have against a meld."""

    refusal: Refusal
    text: str


class Meld(NamedTuple):
    """A meld by value. What is called three and four here are sets and runs in Kaluki.

    Attributes:
        kind: three or four.
        key: rank of a three (0 to 12), suit of a four (0 to 3).
        low: lowest place of a four (0 to 13), 0 for a three.
        cards: card numbers; a four's from low to high, a three's sorted.
    """

    kind: MeldKind
    key: int
    low: int
    cards: tuple[int, ...]

    @property
    def bits(self) -> int:
        """As in a meld slot of a STATE record."""
        if self.kind == MeldKind.FOUR:
            return sum(1 << (self.low + i) for i, card in enumerate(self.cards) if card == core.JOKER)
        return sum(1 << (4 * (card // 13)) for card in self.cards if card != core.JOKER)

    def text(self) -> str:
        """`7S 7H JK`, or `5S JK(6S) 7S 8S`."""
        if self.kind == MeldKind.THREE:
            return " ".join(CARD_NAMES[card] for card in self.cards)
        names = []
        for place, card in enumerate(self.cards, start=self.low):
            natural = CARD_NAMES[13 * self.key + place % 13]
            names.append(f"JK({natural})" if card == core.JOKER else natural)
        return " ".join(names)


def meld_in_slot(state: Any, slot: int) -> Meld | None:
    """The meld of a slot of a STATE or VIEW record, or None if no card lies there."""
    kind, length = MeldKind(int(state["meld_kind"][slot])), int(state["meld_len"][slot])
    if kind == MeldKind.NONE or length == 0:
        return None
    key, low, bits = int(state["meld_key"][slot]), int(state["meld_low"][slot]), int(state["meld_bits"][slot])
    if kind == MeldKind.FOUR:
        places = range(low, low + length)
        cards = tuple(core.JOKER if bits >> place & 1 else 13 * key + place % 13 for place in places)
        return Meld(kind, key, low, cards)
    naturals = [13 * suit + key for suit in range(4) for _ in range(bits >> 4 * suit & 15)]
    return Meld(kind, key, 0, (*naturals, *[core.JOKER] * (length - len(naturals))))


def missing_from(meld: Meld) -> list[int]:
    """The naturals that are not in a set, ascending."""
    return [card for suit in range(4) if (card := 13 * suit + meld.key) not in meld.cards]


def read_meld(text: str) -> Meld:
    """A meld from its text; whether the rules allow it is not looked at, see `faults_of`.

    A four is written from low to high. A joker may be written with the card that it stands for, and must be where no natural
    card of the four tells its place.

    Raises:
        NotationError: a word that is no card.
        NotAMeldError: cards that can be no meld.
    """
    words = text.split()
    cards, stands_for = [], []
    for word in words:
        if word.startswith("JK(") and word.endswith(")"):
            cards.append(core.JOKER)
            stands_for.append(card_number(word[3:-1]))
        else:
            cards.append(card_number(word))
            stands_for.append(cards[-1])
    named = [card for card in stands_for if card != core.JOKER]
    if not named:
        raise NotAMeldError(text, Refusal.TOO_FEW_NATURALS if words else Refusal.TOO_FEW_CARDS)
    ranks, suits = {card % 13 for card in named}, {card // 13 for card in named}
    looks_like_four = len(ranks) >= len(suits) and (len(ranks) > 1 or "(" in text)
    if not looks_like_four:
        if len(ranks) > 1:
            raise NotAMeldError(text, Refusal.RANKS_DIFFER)
        if "(" in text:
            raise NotationError(f"meld {text!r}: beside cards of one rank a joker stands for no certain card; it is written JK")
        return Meld(MeldKind.THREE, named[0] % 13, 0, tuple(sorted(cards)))
    if len(suits) > 1:
        raise NotAMeldError(text, Refusal.SUITS_DIFFER)
    lows = _possible_lows(stands_for, range(14 - len(stands_for) + 1))
    if not lows:
        beyond = _possible_lows(stands_for, range(-14, 28))
        raise NotAMeldError(text, Refusal.BEYOND_THE_ACE if beyond else Refusal.NOT_CONSECUTIVE)
    return Meld(MeldKind.FOUR, named[0] // 13, lows[0], tuple(cards))


def _possible_lows(stands_for: list[int], lows: range) -> list[int]:
    """Lowest places at which a row of cards, jokers for any, is consecutive; places go round at the ace."""
    return [
        low for low in lows if all(card in (core.JOKER, 13 * (card // 13) + (low + i) % 13) for i, card in enumerate(stands_for))
    ]


def as_a_run(text: str, rules: Rules) -> str:
    """How the run is written that a text of Kaluki could mean which is read as a set; "" if it can mean none.

    One natural card and jokers that do not say what they stand for, `7S JK JK`, are a set.

    Raises:
        NotationError: a word that is no card.
    """
    cards = [card_number(word) for word in text.split() if "(" not in word]
    naturals = [card for card in cards if card != core.JOKER]
    if len(cards) < max(3, len(text.split())) or len(naturals) != 1:
        return ""
    lowest = 0 if rules.ace_in_run == "high_or_low" else 1
    lows = _possible_lows(cards, range(lowest, 14 - len(cards) + 1))
    return Meld(MeldKind.FOUR, naturals[0] // 13, lows[0], tuple(cards)).text() if lows else ""


def faults_of(meld: Meld, rules: Rules, complete: bool = True) -> list[Fault]:
    """What the rules have against a meld. An incomplete meld may still lack cards (and naturals)."""
    if rules.game == "kaluki":
        return _faults_in_kaluki(meld, rules, complete)
    faults = []
    jokers = meld.cards.count(core.JOKER)
    naturals = len(meld.cards) - jokers
    name = (
        f"three of {RANKS[meld.key]}" if meld.kind == MeldKind.THREE else f"four of {SUITS[meld.key]} from {RANKS[meld.low % 13]}"
    )
    if complete and len(meld.cards) < (3 if meld.kind == MeldKind.THREE else 4):
        faults.append(Fault(Refusal.TOO_FEW_CARDS, f"{name}: {len(meld.cards)} cards"))
    if meld.kind == MeldKind.THREE:
        if complete and naturals < rules.set_min_naturals:
            faults.append(
                Fault(
                    Refusal.TOO_FEW_NATURALS,
                    f"{name}: {naturals} natural cards, the rules ask for {rules.set_min_naturals} (J3.5)",
                )
            )
        if complete and jokers > naturals + 1:
            faults.append(
                Fault(Refusal.TOO_MANY_JOKERS, f"{name}: {jokers} jokers cannot be kept apart by {naturals} natural cards (J3.4)")
            )
    elif any(a == b == core.JOKER for a, b in zip(meld.cards, meld.cards[1:], strict=False)):
        faults.append(Fault(Refusal.ADJACENT_JOKERS, f"{name}: neighbouring jokers (J3.4)"))
    return faults


def _faults_in_kaluki(meld: Meld, rules: Rules, complete: bool) -> list[Fault]:
    """What the rules of Kaluki have against a meld (KL3)."""
    faults = []
    is_set = meld.kind == MeldKind.THREE
    naturals = [card for card in meld.cards if card != core.JOKER]
    name = f"set of {RANKS[meld.key]}" if is_set else f"run of {SUITS[meld.key]} from {RANKS[meld.low % 13]}"
    if complete and len(meld.cards) < 3:
        faults.append(Fault(Refusal.TOO_FEW_CARDS, f"{name}: {len(meld.cards)} cards"))
    if complete and not naturals:
        faults.append(Fault(Refusal.TOO_FEW_NATURALS, f"{name}: no natural card (KL3.3)"))
    if is_set and len(meld.cards) > 4:
        faults.append(Fault(Refusal.TOO_MANY_CARDS, f"{name}: {len(meld.cards)} cards, at most 4 (KL3.1)"))
    if is_set and len(set(naturals)) < len(naturals):
        faults.append(Fault(Refusal.SUIT_TWICE, f"{name}: a suit twice (KL3.1)"))
    if not is_set and meld.low == 0 and rules.ace_in_run == "high_only":
        faults.append(Fault(Refusal.ACE_IS_HIGH, f"{name}: an ace is high only (KL3.2)"))
    return faults
