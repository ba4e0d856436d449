"""Texts of seats, cards, melds and actions (ACTIONS.md, sections 1, 2 and 8), and writing a position (sections 6 and 8.5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kalooki_env.errors import NotationError, closest
from kalooki_env.referee.kaluki_melds import HIGHEST_LOW, Run, Set
from kalooki_env.referee.melds import CARDS, LOWEST_PLACE, Four, Meld, Three, natural_at, sorted_cards
from kalooki_env.referee.state import Count, State
from kalooki_env.rules import JOKER, RANKS, SUITS

NOTHING = "-"
SUIT_WORDS = dict(zip(SUITS, ("spades", "hearts", "diamonds", "clubs"), strict=True))
SUIT_LETTERS = {word: letter for letter, word in SUIT_WORDS.items()}
HIGHEST_LOW_PLACE = 11

CARD = f"(?:[{RANKS}][{SUITS}]|{JOKER})"
SEAT = "P[1-8]"
_SUIT_WORD = f"(?P<suit>{'|'.join(SUIT_LETTERS)})"
_NO_MELD_ACTIONS = f"draw stock|take upcard|call|pass|allow|refuse|lay down|end turn|(?:discard|place) {CARD}"


class Grammar:
    """The texts that differ between the games: names of melds, and of actions that speak of melds.

    Attributes:
        set_class, run_class: the melds.
        meld: pattern of the name of a meld that lies.
        set_kind, run_kind: patterns of the names of melds to be laid.
        action: pattern of an action.
    """

    def __init__(
        self, set_class: type[Three], run_class: type[Four], most_melds: str, highest_low: int, other_actions: list[str]
    ) -> None:
        self.set_class, self.run_class = set_class, run_class
        self.meld = f"{SEAT}/{most_melds}"
        self.set_kind = f"{set_class.word} of (?P<rank>[{RANKS}])"
        self.run_kind = f"{run_class.word} of {_SUIT_WORD} from (?P<low>[{RANKS[:highest_low]}])"
        other_actions = [action.replace("MELD", self.meld) for action in other_actions]
        self.action = re.compile(
            "|".join((_NO_MELD_ACTIONS, self.set_kind, self.run_kind, f"lay off onto {self.meld}(?: low| high)?", *other_actions))
        )


GRAMMARS = {
    "jamaican": Grammar(Three, Four, "[1-4]", HIGHEST_LOW_PLACE, ["move joker in MELD to (?:low|high)"]),
    # The deck has cards for 36 melds.
    "kaluki": Grammar(Set, Run, "(?:[1-9]|[12][0-9]|3[0-6])", HIGHEST_LOW, ["swap joker in MELD", "end meld", "end opening"]),
}


def check_action(text: str, game: str = "jamaican") -> None:
    """Raise unless a text is an action of the game's grammar, legal or not.

    Raises:
        NotationError: it is not.
    """
    if not isinstance(text, str) or not GRAMMARS[game].action.fullmatch(text):
        raise NotationError(f"{text!r} is no action")


def check_card(text: str) -> str:
    """A card text, unchanged.

    Raises:
        NotationError: it is none.
    """
    if text not in CARDS:
        raise NotationError(f"{text!r} is no card{closest(text, CARDS)}")
    return text


def cards_text(cards: Iterable[str]) -> str:
    """Cards in the order given, `-` if there are none."""
    return " ".join(cards) or NOTHING


def read_cards(text: str) -> list[str]:
    """Cards in the order given.

    Raises:
        NotationError: a word is no card.
    """
    return [] if text == NOTHING else [check_card(word) for word in text.split()]


def seat_text(seat: int) -> str:
    """`P1` for seat 0."""
    return f"P{seat + 1}"


def read_seat(text: str, num_players: int) -> int:
    """Seat number from 0 of `P1`.

    Raises:
        NotationError: there is no such seat.
    """
    seats = [seat_text(seat) for seat in range(num_players)]
    if text not in seats:
        raise NotationError(f"{text!r} is no seat{closest(text, seats)}")
    return seats.index(text)


def target_text(target: tuple[int, int]) -> str:
    """`P2/1` for the first meld of seat 1."""
    return f"{seat_text(target[0])}/{target[1] + 1}"


def read_target(text: str, num_players: int, game: str = "jamaican") -> tuple[int, int]:
    """Seat and meld, from 0, of `P2/1`.

    Raises:
        NotationError: the text has another form, or there is no such seat.
    """
    if not re.fullmatch(GRAMMARS[game].meld, text):
        raise NotationError(f"{text!r} names no meld")
    seat, number = text.split("/")
    return read_seat(seat, num_players), int(number) - 1


def kind_text(meld: Meld) -> str:
    """How a meld to be laid is named: `three of 8`, `four of hearts from 5`, `set of 8`, `run of hearts from 5`."""
    if isinstance(meld, Three):
        return f"{meld.word} of {meld.rank}"
    return f"{meld.word} of {SUIT_WORDS[meld.suit]} from {RANKS[meld.low - 1]}"


def read_kind(text: str, game: str = "jamaican") -> Meld:
    """The empty meld that an action names.

    Raises:
        NotationError: the text has another form.
    """
    grammar = GRAMMARS[game]
    if match := re.fullmatch(grammar.set_kind, text):
        return grammar.set_class(match["rank"])
    if match := re.fullmatch(grammar.run_kind, text):
        return grammar.run_class(SUIT_LETTERS[match["suit"]], RANKS.index(match["low"]) + 1)
    raise NotationError(f"{text!r} names no meld that can be laid")


def meld_text(meld: Meld) -> str:
    """The cards of a meld; a joker in a four or run is followed by the card that it stands for. `-` if there are none yet."""
    if isinstance(meld, Three):
        return cards_text(sorted_cards(meld.cards))
    return cards_text(f"{JOKER}({meld.natural_of(index)})" if card == JOKER else card for index, card in enumerate(meld.cards))


def read_meld(text: str, kind: type[Meld] | None = None, game: str = "jamaican") -> Meld:
    """A meld from its cards.

    Args:
        text: its cards as in a position.
        kind: its class, where that is known; otherwise cards of one rank are a three or a set.
        game: the game.

    Raises:
        NotationError: a word is no card, or the cards do not say which meld this is.
    """
    words = text.split()
    cards, faces = [], []
    for word in words:
        joker = re.fullmatch(rf"{JOKER}\((.*)\)", word)
        cards.append(JOKER if joker else check_card(word))
        faces.append(check_card(joker[1]) if joker else word)
    naturals = [face for face in faces if face != JOKER]
    if not naturals:
        raise NotationError(f"meld {text!r}: no card says what it is")
    grammar = GRAMMARS[game]
    if kind is None:
        kind = grammar.set_class if cards == faces and len({card[0] for card in naturals}) == 1 else grammar.run_class
    if issubclass(kind, Three):
        if cards != faces or len({card[0] for card in naturals}) > 1:
            raise NotationError(f"meld {text!r} is no {kind.word}")
        return kind(naturals[0][0], sorted_cards(cards))
    # The first card tells the lowest place: a four or run never begins with the high ace.
    suit, low = faces[0][1], RANKS.index(faces[0][0]) + LOWEST_PLACE if faces[0] != JOKER else 0
    if faces != [natural_at(suit, low + index) for index in range(len(faces))]:
        raise NotationError(
            f"meld {text!r} is no {kind.word}: its cards, those of the jokers included, have to follow each other"
        )
    return kind(suit, low, cards)


def phase_text(state: State) -> str:
    """The value of the line `phase`."""
    phase = state.phase
    if phase.seat is None:
        return f"{phase.name} blocked"
    text = f"{phase.name} {seat_text(phase.seat)}"
    if phase.name == "draw" and phase.after_call:
        text += " after call"
    elif phase.filling is not None:
        text += f" {kind_text(phase.filling)}"
    elif phase.target is not None and phase.name == "layoff":
        text += f" onto {target_text(phase.target)}" + (f" {phase.end}" if phase.end else "")
    elif phase.target is not None:
        text += f" in {target_text(phase.target)}" + (f" to {phase.end}" if phase.end else "")
    elif phase.other is not None:
        text += f" {'on' if phase.name == 'call' else 'to'} {seat_text(phase.other)}"
    return text + (" opened now" if phase.opened_now else "")


def position_text(state: State) -> str:
    """The canonical text of a position, without the line `rng`."""
    seats = range(state.num_players)
    lines = [
        "kalooki: 1",
        f"rules: {state.rules}",
        f"players: {state.num_players}",
        f"deal: {state.deal}",
        f"dealer: {seat_text(state.dealer)}",
        f"turns: {state.turns}",
        f"reshuffles: {state.reshuffles}",
        f"phase: {phase_text(state)}",
    ]
    lines += [f"hand {seat_text(seat)}: {cards_text(sorted_cards(state.hands[seat].elements()))}" for seat in seats]
    for target, meld in state.table_in_order():
        # In Kaluki an empty line tells a meld that has no card yet from the seat's last one, which may be of the same name.
        if meld.cards or state.is_kaluki:
            lines.append(f"meld {target_text(target)}: {meld_text(meld)}")
    lines.append("opened: " + (", ".join(seat_text(seat) for seat in seats if state.opened[seat]) or NOTHING))
    lines.append(f"calls: {_counts_text(state.calls)}")
    lines.append(f"answers: {_counts_text(state.answers)}")
    for key, lists in (("known", state.known), ("discarded", state.discarded), ("declined", state.declined)):
        lines += _memory_lines(key, lists)
    if state.owed.total():
        lines.append(f"owed: {cards_text(sorted_cards(state.owed.elements()))}")
    lines.append(f"stock: {cards_text(state.stock)}")
    lines.append(f"pile: {cards_text(state.pile)}")
    scores = state.scores()
    if scores is not None:
        lines.append("scores: " + ", ".join(f"{seat_text(seat)} {score}" for seat, score in enumerate(scores)))
    return "\n".join(lines) + "\n"


def _counts_text(counts: list[Count]) -> str:
    words = [
        f"{seat_text(seat)} {count.first}/{count.second}" for seat, count in enumerate(counts) if count.first or count.second
    ]
    return ", ".join(words) or NOTHING


def _memory_lines(key: str, lists: Sequence[Counter[str]]) -> list[str]:
    return [
        f"{key} {seat_text(seat)}: {cards_text(sorted_cards(cards.elements()))}"
        for seat, cards in enumerate(lists)
        if cards.total()
    ]
