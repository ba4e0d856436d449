"""Action texts, both directions (`ACTIONS.md`, sections 2 and 3)."""

from __future__ import annotations

from typing import Any

from kalooki_env import core
from kalooki_env.core import ActionKind, MeldKind
from kalooki_env.errors import NotationError, closest
from kalooki_env.game.cards import CARD_NAMES, card_number, seat_name, seat_number
from kalooki_env.rules import RANKS

SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
_SIMPLE = {
    "draw stock": core.DRAW_STOCK,
    "take upcard": core.TAKE_UPCARD,
    "call": core.CALL_CARD,
    "pass": core.PASS,
    "allow": core.ALLOW,
    "refuse": core.REFUSE,
    "lay down": core.LAY_DOWN,
    "end turn": core.END_TURN,
}
_SIMPLE_TEXT = {action: text for text, action in _SIMPLE.items()}
#: How each kind of action is written, for error messages.
FORMS = (
    *_SIMPLE,
    "discard 7S",
    "place 7S",
    "three of 8",
    "four of hearts from 5",
    "lay off onto P2/1",
    "lay off onto P2/1 low",
    "move joker in P1/2 to high",
)


def meld_name(slot: int) -> str:
    """`P2/1` for the first meld slot of seat 1 (absolute slots)."""
    return f"{seat_name(slot // core.MELDS_PER_SEAT)}/{slot % core.MELDS_PER_SEAT + 1}"


def meld_slot(text: str, num_players: int) -> int:
    """Absolute meld slot of `P2/1`.

    Raises:
        NotationError: no such slot at this table.
    """
    seat, slash, number = text.partition("/")
    if not slash or number not in ("1", "2", "3", "4"):
        raise NotationError(
            f"{text!r} is no meld; melds are written P2/1: a seat, and the meld's number, 1 to {core.MELDS_PER_SEAT}"
        )
    return core.MELDS_PER_SEAT * seat_number(seat, num_players) + int(number) - 1


def action_text(action: int, state: Any, num_players: int, max_seats: int) -> str:
    """Text of an action number in a position.

    Args:
        action: 0 to `num_actions(max_seats)` - 1, legal or not.
        state: STATE record; the seat to move and the kind of the named meld are read.

    Raises:
        NotationError: a number outside the action space, or a meld of a seat that is not at the table.
    """
    if not 0 <= action < core.num_actions(max_seats):
        raise NotationError(f"action {action} is not allowed; allowed: 0 to {core.num_actions(max_seats) - 1}")
    if action in _SIMPLE_TEXT:
        return _SIMPLE_TEXT[action]
    kind, operand = core.kind_and_operand(action, max_seats)
    if kind is ActionKind.DISCARD:
        return f"discard {CARD_NAMES[operand]}"
    if kind is ActionKind.PLACE:
        return f"place {CARD_NAMES[operand]}"
    if kind is ActionKind.THREE_OF:
        return f"three of {RANKS[operand]}"
    if kind is ActionKind.FOUR_OF:
        return four_text(operand // core.LOWS, operand % core.LOWS)
    relative, high = divmod(operand, 2)
    if relative >= core.MELDS_PER_SEAT * num_players:
        raise NotationError(f"action {action} names a meld of seat {relative // core.MELDS_PER_SEAT + 1} of {num_players}")
    slot = core.absolute_slot(relative, int(state["actor"]), num_players)
    end = ("low", "high")[high]
    if kind is ActionKind.MOVE_JOKER:
        return f"move joker in {meld_name(slot)} to {end}"
    # The high end of a three does not exist; its number still needs a text of its own.
    plain = state["meld_kind"][slot] != MeldKind.FOUR and not high
    return f"lay off onto {meld_name(slot)}" + ("" if plain else f" {end}")


def four_text(suit: int, low: int) -> str:
    """`four of hearts from 5` for suit 1 and lowest place 4."""
    return f"four of {SUIT_WORDS[suit]} from {RANKS[low]}"


def action_number(text: str, state: Any, num_players: int, max_seats: int) -> int:
    """Number of an action text in a position. The text must be exactly as `action_text` writes it.

    Raises:
        NotationError: no action is written like this, or it names a card, seat or meld that does not exist.
    """
    if text in _SIMPLE:
        return _SIMPLE[text]
    words = text.split(" ")
    action = _from_words(text, words, state, num_players, max_seats)
    if action is None:
        raise NotationError(f"{text!r} is no action{closest(text, FORMS)}")
    exact = action_text(action, state, num_players, max_seats)
    if exact != text:
        raise NotationError(f"{text!r} is written {exact!r} here")
    return action


def _from_words(text: str, words: list[str], state: Any, num_players: int, max_seats: int) -> int | None:
    first = {section.kind: section.first for section in core.sections(max_seats)}
    match words:
        case ["discard", card]:
            return first[ActionKind.DISCARD] + card_number(card)
        case ["place", card]:
            return first[ActionKind.PLACE] + card_number(card)
        case ["three", "of", rank] if rank in RANKS and rank:
            return first[ActionKind.THREE_OF] + RANKS.index(rank)
        case ["four", "of", suit, "from", rank] if suit in SUIT_WORDS and rank in RANKS[: core.LOWS] and rank:
            return first[ActionKind.FOUR_OF] + core.LOWS * SUIT_WORDS.index(suit) + RANKS.index(rank)
        case ["lay", "off", "onto", meld, *end] if end in ([], ["low"], ["high"]):
            return first[ActionKind.LAY_OFF] + _slot_operand(meld, end == ["high"], state, num_players)
        case ["move", "joker", "in", meld, "to", ("low" | "high") as end]:
            return first[ActionKind.MOVE_JOKER] + _slot_operand(meld, end == "high", state, num_players)
    return None


def _slot_operand(meld: str, high: bool, state: Any, num_players: int) -> int:
    return 2 * int(core.relative_slot(meld_slot(meld, num_players), int(state["actor"]), num_players)) + high
