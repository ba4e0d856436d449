"""Brute force for a turn of Kaluki: every sequence of its actions is tried. Slow, and written without the referee's search.

A step is what the rules of single cards and melds allow, without a thought for what comes afterwards. A step is legal if some
sequence of further steps ends with nothing owed (ACTIONS.md, section 8.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kalooki_env.rules import JOKER, RANKS, SUITS, Rules

SUIT_WORDS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
Cards = tuple[str, ...]


def order(card: str) -> int:
    """Number of a card in card order."""
    return 99 if card == JOKER else SUITS.index(card[1]) * 13 + RANKS.index(card[0])


def with_card(cards: Cards, card: str, number: int = 1) -> Cards:
    """Some cards and one more, sorted."""
    return tuple(sorted((*cards, *[card] * number), key=order))


def without(cards: Cards, card: str) -> Cards:
    """Some cards less one, if it is there."""
    at = cards.index(card) if card in cards else len(cards)
    return cards[:at] + cards[at + 1 :]


@dataclass(frozen=True)
class Lying:
    """A meld: a set has a rank and no place, a run a suit and the place of its first card."""

    kind: str
    low: int | None
    cards: Cards = ()

    @property
    def name(self) -> str:
        """How it is called when it is laid."""
        return f"set of {self.kind}" if self.low is None else f"run of {SUIT_WORDS[self.kind]} from {RANKS[self.low - 1]}"

    def at(self, place: int) -> str:
        """The natural of a place of a run."""
        return RANKS[(place - 1) % 13] + self.kind

    def missing(self) -> list[str]:
        """The naturals that a set has not."""
        return [self.kind + suit for suit in SUITS if self.kind + suit not in self.cards]

    def ways_to_go_on(self) -> list[str]:
        """The cards that may be placed next while it is laid."""
        if self.low is not None:
            place = self.low + len(self.cards)
            return [self.at(place), JOKER] if place <= 14 else []
        last = order(self.cards[-1]) if self.cards else -1
        return [card for card in [*self.missing(), JOKER] if order(card) >= last and len(self.cards) < 4]

    def is_meld(self) -> bool:
        """Whether it may end."""
        return len(self.cards) >= 3 and set(self.cards) != {JOKER}

    def value(self, rules: Rules) -> int:
        """Its value in an opening."""
        total = 0
        for index, card in enumerate(self.cards):
            stands_for = card if card != JOKER else self.kind + "S" if self.low is None else self.at(self.low + index)
            worth = rules.card_points(stands_for)
            total += worth if card != JOKER or rules.joker_opening_value == "represented" else int(rules.joker_opening_value)
        return total

    def layoffs(self, end: str, lowest: int) -> dict[str, Lying]:
        """What may be laid off at an end, no end for a set, and what then lies."""
        if self.low is None:
            fitting = [*self.missing(), JOKER] if not end and len(self.cards) < 4 else []
            return {card: replace(self, cards=with_card(self.cards, card)) for card in fitting}
        place = self.low - 1 if end == "low" else self.low + len(self.cards)
        if not end or not lowest <= place <= 14:
            return {}
        cards = (self.at(place), JOKER)
        if end == "low":
            return {card: replace(self, low=place, cards=(card, *self.cards)) for card in cards}
        return {card: replace(self, cards=(*self.cards, card)) for card in cards}

    def swaps(self, all_suits: bool) -> Iterator[tuple[Cards, int, Lying]]:
        """The naturals of each swap, the jokers that come out, and what then lies."""
        if JOKER not in self.cards:
            return
        if self.low is None:
            naturals = tuple(card for card in self.cards if card != JOKER)
            jokers = len(self.cards) - len(naturals)
            if all_suits:
                yield tuple(self.missing()), jokers, replace(self, cards=tuple(sorted((*naturals, *self.missing()), key=order)))
                return
            for card in self.missing():
                yield (card,), 1, replace(self, cards=with_card(without(self.cards, JOKER), card))
            return
        seen = set()
        for index, card in enumerate(self.cards):
            natural = self.at(self.low + index)
            if card == JOKER and natural not in seen:
                seen.add(natural)
                yield (natural,), 1, replace(self, cards=(*self.cards[:index], natural, *self.cards[index + 1 :]))


@dataclass(frozen=True)
class Node:
    """A decision of P1 after its draw.

    Attributes:
        hand, owed: its cards, sorted.
        table: the melds with their names, in the order in which they were begun.
        opened, now: whether it has opened, and in this turn.
        laid: in an opening: points so far; None in no opening.
        begun: the meld that is being filled.
        target: where a card is to be placed: kind of action, number in the table, end.
    """

    hand: Cards
    owed: Cards
    table: tuple[tuple[str, Lying], ...]
    opened: bool
    now: bool
    laid: int | None = None
    begun: Lying | None = None
    target: tuple[str, int, str] | None = None

    def settled(self, card: str) -> Node:
        """After a card has been placed in a new meld."""
        return replace(self, hand=without(self.hand, card), owed=without(self.owed, card))

    def lying(self, number: int, meld: Lying) -> Node:
        """With another meld at a place of the table."""
        return replace(self, table=(*self.table[:number], (self.table[number][0], meld), *self.table[number + 1 :]), target=None)


class BruteForce:
    """All sequences of steps under one set of rules."""

    def __init__(self, rules: Rules) -> None:
        """Nothing has been tried yet."""
        self.rules = rules
        self.lowest = 1 if rules.ace_in_run == "high_or_low" else 2
        self.all_suits = rules.joker_release_sets == "all_missing_suits"
        self.answers: dict[Node, bool] = {}

    def legal(self, node: Node) -> set[str]:
        """The texts of all legal actions."""
        found = {text for text, after in self.steps(node) if self.ends_well(after)}
        if node.laid is None and node.begun is None and node.target is None and not node.owed:
            found |= {f"discard {card}" for card in node.hand}
        return found

    def ends_well(self, node: Node) -> bool:
        """Whether nothing is owed, or some sequence of steps leads there."""
        if node.laid is None and node.begun is None and node.target is None and not node.owed:
            return bool(node.hand) or not self.rules.final_discard_required
        if node not in self.answers:
            self.answers[node] = any(self.ends_well(after) for _, after in self.steps(node))
        return self.answers[node]

    def steps(self, node: Node) -> Iterator[tuple[str, Node]]:
        """What may be done next, if only single cards and melds are looked at."""
        if node.begun is not None:
            yield from self._filling(node, node.begun)
        elif node.target is not None:
            yield from self._placing(node, *node.target)
        elif node.laid is not None:
            yield from self._naming(node)
            if node.laid >= (self.rules.opening_points or 0) and not node.owed:
                yield "end opening", replace(node, laid=None, opened=True, now=True)
        else:
            yield from self._playing(node)

    def _naming(self, node: Node) -> Iterator[tuple[str, Node]]:
        kinds = [Lying(rank, None) for rank in RANKS]
        kinds += [Lying(suit, low) for suit in SUITS for low in range(self.lowest, 13)]
        for kind in kinds:
            yield kind.name, replace(node, begun=kind)

    def _filling(self, node: Node, begun: Lying) -> Iterator[tuple[str, Node]]:
        for card in begun.ways_to_go_on():
            if card in node.hand:
                yield f"place {card}", replace(node.settled(card), begun=replace(begun, cards=(*begun.cards, card)))
        if begun.is_meld():
            number = sum(name.startswith("P1/") for name, _ in node.table) + 1
            laid = None if node.laid is None else node.laid + begun.value(self.rules)
            yield "end meld", replace(node, begun=None, laid=laid, table=(*node.table, (f"P1/{number}", begun)))

    def _placing(self, node: Node, kind: str, number: int, end: str) -> Iterator[tuple[str, Node]]:
        meld = node.table[number][1]
        if kind == "layoff":
            for card, after in meld.layoffs(end, self.lowest).items():
                if card in node.hand:
                    yield f"place {card}", replace(node.lying(number, after), hand=without(node.hand, card))
            return
        for naturals, jokers, after in meld.swaps(self.all_suits):
            if len(naturals) == 1 and naturals[0] in node.hand:
                yield f"place {naturals[0]}", self._swapped(node, number, naturals, jokers, after)

    def _swapped(self, node: Node, number: int, naturals: Cards, jokers: int, meld: Lying) -> Node:
        hand = node.hand
        for card in naturals:
            hand = without(hand, card)
        owed = with_card(node.owed, JOKER, jokers if self.rules.joker_after_swap == "new_meld_this_turn" else 0)
        return replace(node.lying(number, meld), hand=with_card(hand, JOKER, jokers), owed=owed)

    def _playing(self, node: Node) -> Iterator[tuple[str, Node]]:
        if not node.opened:
            yield "lay down", replace(node, laid=0)
        elif not node.now or self.rules.extra_melds == "any_time_after_opening":
            yield from self._naming(node)
        for number, (name, meld) in enumerate(node.table):
            if node.opened and (not node.now or self.rules.layoff_in_opening_turn):
                for end in ("",) if meld.low is None else ("low", "high"):
                    yield f"lay off onto {name} {end}".strip(), replace(node, target=("layoff", number, end))
            if not node.opened and self.rules.joker_release_requires == "opened":
                continue
            if self.all_suits and meld.low is None:
                for naturals, jokers, after in meld.swaps(True):
                    if set(naturals) <= set(node.hand):
                        yield f"swap joker in {name}", self._swapped(node, number, naturals, jokers, after)
            else:
                yield f"swap joker in {name}", replace(node, target=("swap", number, ""))


def read_meld(text: str) -> Lying:
    """A meld from its text in a position."""
    words = text.split()
    cards = tuple(word[:2] for word in words)
    faces = [word[3:5] if "(" in word else word for word in words]
    ranks = {face[0] for face in faces if face != JOKER}
    if len(ranks) == 1 and "(" not in text:
        return Lying(ranks.pop(), None, cards)
    return Lying(faces[0][1], RANKS.index(faces[0][0]) + 1, cards)


def read_node(text: str, rules: Rules) -> Node:
    """The decision of P1 in a position text, in any phase between its draw and its discard."""
    lines = [line.split(": ", 1) for line in text.splitlines()]
    values = dict(lines)
    phase = values["phase"]
    table = [(key[5:], value) for key, value in lines if key.startswith("meld ")]
    begun = None
    if match := re.match(r"fill P1 (set of (?P<rank>.)|run of (?P<suit>.*) from (?P<low>.))", phase):
        cards = tuple(word[:2] for word in table.pop()[1].split() if word != "-")
        if match["rank"]:
            begun = Lying(match["rank"], None, cards)
        else:
            begun = Lying(match["suit"][0].upper(), RANKS.index(match["low"]) + 1, cards)
    melds = tuple((name, read_meld(value)) for name, value in table)
    opened = "P1" in values["opened"]
    in_opening = not opened and phase.startswith(("meld", "fill"))
    target = None
    if match := re.match(r"(layoff|swap) P1 (?:onto|in) (\S+)(?: (low|high))?", phase):
        target = (match[1], [name for name, _ in melds].index(match[2]), match[3] or "")
    return Node(
        hand=tuple(sorted(values["hand P1"].replace("-", "").split(), key=order)),
        owed=tuple(sorted(values.get("owed", "").split(), key=order)),
        table=melds,
        opened=opened,
        now="opened now" in phase,
        laid=sum(meld.value(rules) for name, meld in melds if name.startswith("P1/")) if in_opening else None,
        begun=begun,
        target=target,
    )
