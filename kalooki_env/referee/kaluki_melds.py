"""The melds of Kaluki (KL2, KL3; ACTIONS.md, section 8.1): sets, runs, what fits onto them and what replaces jokers in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

from kalooki_env.referee.melds import HIGH, HIGHEST_PLACE, LOW, Four, Meld, Three, card_order, natural_at, sorted_cards
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules

#: Fewest cards of a meld, and most cards of a set, one of each suit (KL3.1, KL3.2).
MELD_SIZE, SET_SIZE = 3, 4
#: Highest place at which a run can begin: queen, king, ace.
HIGHEST_LOW = HIGHEST_PLACE - MELD_SIZE + 1


class Set(Three):
    """Cards of one rank and of different suits (KL3.1); while it is being filled also fewer than three."""

    word: ClassVar[str] = "set"


class Run(Four):
    """Cards of one suit on neighbouring places (KL3.2); while it is being filled also fewer than three."""

    word: ClassVar[str] = "run"


KalukiMeld = Set | Run


def lowest_place(rules: Rules) -> int:
    """The lowest place that a card of a run can have (KL3.2)."""
    return 1 if rules.ace_in_run == "high_or_low" else 2


def kinds(rules: Rules) -> list[KalukiMeld]:
    """All melds that can be named, empty."""
    sets: list[KalukiMeld] = [Set(rank) for rank in RANKS]
    return sets + [Run(suit, low) for suit in SUITS for low in range(lowest_place(rules), HIGHEST_LOW + 1)]


def naturals_of(meld: Meld) -> list[str]:
    """The natural cards of a meld."""
    return [card for card in meld.cards if card != JOKER]


def is_full(meld: Meld) -> bool:
    """Whether a meld has no room above its last card (KL3.1, KL3.2). What a run may get at its low end does not matter here."""
    return len(meld.cards) == SET_SIZE if isinstance(meld, Three) else meld.high == HIGHEST_PLACE


def may_end(meld: Meld) -> bool:
    """Whether a meld that is being filled is one already (KL3.1 to KL3.3)."""
    return len(meld.cards) >= MELD_SIZE and bool(naturals_of(meld))


def is_valid(meld: Meld, rules: Rules) -> bool:
    """Whether a meld may lie on the table (KL3)."""
    naturals = naturals_of(meld)
    if not may_end(meld):
        return False
    if isinstance(meld, Three):
        suits = {card[1] for card in naturals}
        return len(meld.cards) <= SET_SIZE and len(suits) == len(naturals) and all(card[0] == meld.rank for card in naturals)
    return (
        meld.low >= lowest_place(rules)
        and meld.high <= HIGHEST_PLACE
        and all(card in (JOKER, meld.natural_of(index)) for index, card in enumerate(meld.cards))
    )


def missing_suits(meld: Three) -> set[str]:
    """The naturals of a set's rank whose suits are not there (KL3.4)."""
    return {meld.rank + suit for suit in SUITS} - set(meld.cards)


def next_cards(meld: Meld) -> set[str]:
    """The cards that may be placed next in a meld that is being filled, if only that meld is looked at.

    In a set the naturals come in card order and the jokers last; a run is filled upwards.
    """
    if is_full(meld):
        return set()
    if isinstance(meld, Four):
        return {natural_at(meld.suit, meld.high + 1), JOKER}
    if not meld.cards:
        return {*missing_suits(meld), JOKER}
    last = card_order(meld.cards[-1])
    return {card for card in missing_suits(meld) if card_order(card) > last} | {JOKER}


def completions(meld: Meld, hand: Counter[str]) -> Iterator[list[str]]:
    """All ways to fill a begun meld from a hand: the cards in the order in which they are placed, none if it ends as it is."""
    if may_end(meld):
        yield []
    for card in next_cards(meld):
        if hand[card]:
            for others in completions(replace(meld, cards=[*meld.cards, card]), hand - Counter([card])):
                yield [card, *others]


def cards_to_lay_off(meld: Meld, end: str | None, rules: Rules) -> set[str]:
    """The cards that fit onto a meld, at one end of it if it is a run (KL4.3).

    Args:
        meld: a meld on the table.
        end: `low` or `high` for a run, None for a set.
        rules: the rules.
    """
    if isinstance(meld, Three):
        return set() if is_full(meld) else {*missing_suits(meld), JOKER}
    place = meld.low - 1 if end == LOW else meld.high + 1
    return {natural_at(meld.suit, place), JOKER} if lowest_place(rules) <= place <= HIGHEST_PLACE else set()


def laid_off(meld: Meld, end: str | None, card: str) -> Meld:
    """The meld with a card laid off onto it, at the named end if it is a run (KL4.3)."""
    longer = replace(meld, cards=list(meld.cards))
    if isinstance(longer, Three):
        longer.add(card)
    else:
        longer.add_at(end or HIGH, card)
    return longer


class Swap(NamedTuple):
    """Naturals that go into a meld together, and the jokers that come out for them (KL4.4).

    Attributes:
        naturals: the naturals.
        jokers: number of the jokers.
        meld: the meld afterwards.
    """

    naturals: tuple[str, ...]
    jokers: int
    meld: Meld


def leaves_no_choice(meld: Meld, rules: Rules) -> bool:
    """Whether a swap in this meld takes certain naturals, so that nobody has to name them (KL4.4)."""
    return isinstance(meld, Three) and rules.joker_release_sets == "all_missing_suits"


def swaps(meld: Meld, hand: Counter[str], rules: Rules) -> list[Swap]:
    """All swaps in a meld for which a hand has the naturals (KL4.4)."""
    found: list[Swap] = []
    jokers = [index for index, card in enumerate(meld.cards) if card == JOKER]
    if jokers and isinstance(meld, Three):
        missing = sorted_cards(missing_suits(meld))
        lots = [(missing, len(jokers))] if leaves_no_choice(meld, rules) else [([card], 1) for card in missing]
        for naturals, freed in lots:
            lying = [*naturals_of(meld), *naturals, *[JOKER] * (len(jokers) - freed)]
            found.append(Swap(tuple(naturals), freed, replace(meld, cards=sorted_cards(lying))))
    elif isinstance(meld, Four):
        for index in jokers:
            natural = meld.natural_of(index)
            # Both aces of a run are the same card: the low one counts, which comes first.
            if all(natural not in swap.naturals for swap in found):
                cards = [*meld.cards[:index], natural, *meld.cards[index + 1 :]]
                found.append(Swap((natural,), 1, replace(meld, cards=cards)))
    return [swap for swap in found if Counter(swap.naturals) <= hand]


def opening_value(meld: Meld, rules: Rules) -> int:
    """What a meld is worth in an opening (KL2)."""
    total = 0
    for index, card in enumerate(meld.cards):
        if card != JOKER:
            total += rules.card_points(card)
        elif rules.joker_opening_value != "represented":
            total += rules.joker_opening_value
        else:
            # A joker in a set stands for no certain suit; aces could differ: the ace of spades counts.
            total += rules.card_points(meld.rank + SUITS[0] if isinstance(meld, Three) else meld.natural_of(index))
    return total
