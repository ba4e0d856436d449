"""Action texts, both directions (`ACTIONS.md`, sections 2, 3 and 8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kalooki_env import core
from kalooki_env.core import ActionKind, MeldKind
from kalooki_env.errors import NotationError, closest
from kalooki_env.game.cards import CARD_NAMES, card_number, seat_name, seat_number
from kalooki_env.game.engine import Engine
from kalooki_env.game.spelling import canonical
from kalooki_env.rules import RANKS

SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
_SIMPLE = {
    ActionKind.DRAW_STOCK: "draw stock",
    ActionKind.TAKE_UPCARD: "take upcard",
    ActionKind.CALL: "call",
    ActionKind.PASS: "pass",
    ActionKind.ALLOW: "allow",
    ActionKind.REFUSE: "refuse",
    ActionKind.LAY_DOWN: "lay down",
    ActionKind.END_TURN: "end turn",
    ActionKind.END_MELD: "end meld",
    ActionKind.END_OPENING: "end opening",
}
#: How each kind of action is written, for error messages.
_FORMS = {
    **_SIMPLE,
    ActionKind.DISCARD: "discard 7S",
    ActionKind.PLACE: "place 7S",
    ActionKind.THREE_OF: "three of 8",
    ActionKind.FOUR_OF: "four of hearts from 5",
    ActionKind.LAY_OFF: "lay off onto P2/1",
    ActionKind.MOVE_JOKER: "move joker in P1/2 to high",
    ActionKind.SET_OF: "set of 8",
    ActionKind.RUN_OF: "run of hearts from 5",
    ActionKind.LAY_OFF_ONTO: "lay off onto P2/1",
    ActionKind.SWAP_JOKER: "swap joker in P1/2",
}


def meld_name(slot: int, state: Any, table: Engine) -> str:
    """`P2/1` for the first meld of seat 1.

    Args:
        slot: meld slot (absolute).
        state: STATE or VIEW record.
        table: engine of the table.
    """
    if not table.is_kaluki:
        return f"{seat_name(slot // core.MELDS_PER_SEAT)}/{slot % core.MELDS_PER_SEAT + 1}"
    owner = int(state["meld_owner"][slot])
    return f"{seat_name(owner)}/{np.count_nonzero(state['meld_owner'][:slot] == owner) + 1}"


def meld_slot(text: str, state: Any, table: Engine) -> int:
    """Absolute meld slot of `P2/1`.

    Raises:
        NotationError: no such slot at this table.
    """
    seat, slash, number = text.partition("/")
    most = core.MELDS if table.is_kaluki else core.MELDS_PER_SEAT
    is_number = number.isascii() and number.isdecimal() and len(number) < 3 and number[0] != "0"
    if not slash or not is_number or not 1 <= int(number) <= most:
        raise NotationError(f"{text!r} is no meld; melds are written P2/1: a seat, and the meld's number, 1 to {most}")
    owner = seat_number(seat, table.num_players)
    if not table.is_kaluki:
        return core.MELDS_PER_SEAT * owner + int(number) - 1
    slots = np.flatnonzero(state["meld_owner"][: int(state["melds_laid"])] == owner)
    if int(number) > len(slots):
        raise NotationError(f"there is no meld {text}; {seat} has laid {len(slots)}")
    return int(slots[int(number) - 1])


def slots_of(seat: int, state: Any, table: Engine) -> list[int]:
    """Meld slots of a seat, the one being filled included; in the Jamaican game empty ones as well."""
    if not table.is_kaluki:
        return list(range(core.MELDS_PER_SEAT * seat, core.MELDS_PER_SEAT * (seat + 1)))
    begun = state["phase"] == core.Phase.FILL
    return np.flatnonzero(state["meld_owner"][: int(state["melds_laid"]) + begun] == seat).tolist()


def action_text(action: int, state: Any, table: Engine) -> str:
    """Text of an action number in a position.

    Args:
        action: 0 to `table.num_actions` - 1, legal or not.
        state: STATE record; the seat to move and the kind of the named meld are read.
        table: engine of the table.

    Raises:
        NotationError: a number outside the action space, or a meld that does not exist.
    """
    if not 0 <= action < table.num_actions:
        raise NotationError(f"action {action} is not allowed; allowed: 0 to {table.num_actions - 1}")
    kind, operand = core.kind_and_operand(action, table.max_seats, table.is_kaluki)
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    match kind:
        case ActionKind.DISCARD:
            return f"discard {CARD_NAMES[operand]}"
        case ActionKind.PLACE:
            return f"place {CARD_NAMES[operand]}"
        case ActionKind.THREE_OF | ActionKind.SET_OF:
            return meld_text(MeldKind.THREE, operand, 0, table)
        case ActionKind.FOUR_OF:
            return meld_text(MeldKind.FOUR, operand // core.LOWS, operand % core.LOWS, table)
        case ActionKind.RUN_OF:
            return meld_text(MeldKind.FOUR, operand // core.RUN_LOWS, operand % core.RUN_LOWS, table)
        case ActionKind.SWAP_JOKER:
            return f"swap joker in {_named_meld(action, operand, state, table)}"
    high = operand % 2
    slot = slot_of(operand // 2, action, state, table)
    end = ("low", "high")[high]
    name = meld_name(slot, state, table)
    if kind is ActionKind.MOVE_JOKER:
        return f"move joker in {name} to {end}"
    # The high end of a three does not exist; its number still needs a text of its own.
    plain = state["meld_kind"][slot] != MeldKind.FOUR and not high
    return f"lay off onto {name}" + ("" if plain else f" {end}")


def slot_of(number: int, action: int, state: Any, table: Engine) -> int:
    """Absolute slot of the meld that an action names by a number.

    Raises:
        NotationError: a seat that is not at the table, or in Kaluki a meld that does not lie there.
    """
    if table.is_kaluki:
        if number >= int(state["melds_laid"]):
            raise NotationError(f"action {action} names meld {number + 1} of {state['melds_laid']} on the table")
        return number
    if number >= core.MELDS_PER_SEAT * table.num_players:
        raise NotationError(f"action {action} names a meld of seat {number // core.MELDS_PER_SEAT + 1} of {table.num_players}")
    return int(core.absolute_slot(number, int(state["actor"]), table.num_players))


def _named_meld(action: int, number: int, state: Any, table: Engine) -> str:
    return meld_name(slot_of(number, action, state, table), state, table)


def meld_text(kind: int, key: int, low: int, table: Engine) -> str:
    """`three of 8`, or `four of hearts from 5` for suit 1 and lowest place 4; `set` and `run` in Kaluki."""
    if kind == MeldKind.THREE:
        return f"{'set' if table.is_kaluki else 'three'} of {RANKS[key]}"
    return f"{'run' if table.is_kaluki else 'four'} of {SUIT_WORDS[key]} from {RANKS[low]}"


def action_number(text: str, state: Any, table: Engine) -> int:
    """Number of an action text in a position: as `action_text` writes it, or as people type it (`spelling.canonical`).

    Raises:
        NotationError: no action is written like this, or it names a card, seat or meld that does not exist.
    """
    given, text = text, canonical(text)
    first = {section.kind: section.first for section in core.sections(table.max_seats, table.is_kaluki)}
    for kind, word in _SIMPLE.items():
        if text == word and kind in first:
            return first[kind]
    action = _from_words(text.split(" "), first, state, table)
    if action is None:
        raise NotationError(f"{given!r} is no action{closest(text, [_FORMS[kind] for kind in first])}")
    exact = action_text(action, state, table)
    if exact != text:
        if exact.startswith(f"{text} "):
            check_end(given, text.split()[-1], None, state, table)
        raise NotationError(f"{given!r} is written {exact!r} here")
    return action


def check_end(text: str, meld: str, end: str | None, state: Any, table: Engine) -> None:
    """Refuse a lay-off that names an end of a meld that has none, or no end of one that has two.

    Args:
        text: the action or move, for the message.
        meld: the meld that it names.
        end: `low`, `high` or None.
        state: STATE record.
        table: engine of the table.

    Raises:
        NotationError: such a text, or there is no such meld.
    """
    kind = state["meld_kind"][meld_slot(meld, state, table)]
    if kind == MeldKind.FOUR and end is None:
        raise NotationError(f"{text!r} names no end of {meld}, a {'run' if table.is_kaluki else 'four'}; allowed: low, high")
    if kind == MeldKind.THREE and end is not None:
        word = "set" if table.is_kaluki else "three"
        raise NotationError(f"{text!r} names an end of {meld}, a {word}, which has none")


def _from_words(words: list[str], first: dict[ActionKind, int], state: Any, table: Engine) -> int | None:
    match words:
        case ["discard", card]:
            return first[ActionKind.DISCARD] + card_number(card)
        case ["place", card]:
            return first[ActionKind.PLACE] + card_number(card)
        case ["lay", "off", "onto", meld, *end] if end in ([], ["low"], ["high"]):
            kind = ActionKind.LAY_OFF_ONTO if table.is_kaluki else ActionKind.LAY_OFF
            return first[kind] + 2 * _number_of(meld, state, table) + (end == ["high"])
    if table.is_kaluki:
        match words:
            case ["set", "of", rank] if rank in RANKS and rank:
                return first[ActionKind.SET_OF] + RANKS.index(rank)
            case ["run", "of", suit, "from", rank] if suit in SUIT_WORDS and rank in RANKS[: core.RUN_LOWS] and rank:
                return first[ActionKind.RUN_OF] + core.RUN_LOWS * SUIT_WORDS.index(suit) + RANKS.index(rank)
            case ["swap", "joker", "in", meld]:
                return first[ActionKind.SWAP_JOKER] + _number_of(meld, state, table)
        return None
    match words:
        case ["three", "of", rank] if rank in RANKS and rank:
            return first[ActionKind.THREE_OF] + RANKS.index(rank)
        case ["four", "of", suit, "from", rank] if suit in SUIT_WORDS and rank in RANKS[: core.LOWS] and rank:
            return first[ActionKind.FOUR_OF] + core.LOWS * SUIT_WORDS.index(suit) + RANKS.index(rank)
        case ["move", "joker", "in", meld, "to", ("low" | "high") as to]:
            return first[ActionKind.MOVE_JOKER] + 2 * _number_of(meld, state, table) + (to == "high")
    return None


def _number_of(meld: str, state: Any, table: Engine) -> int:
    """The number by which actions of the seat to move name a meld."""
    slot = meld_slot(meld, state, table)
    return slot if table.is_kaluki else int(core.relative_slot(slot, int(state["actor"]), table.num_players))
