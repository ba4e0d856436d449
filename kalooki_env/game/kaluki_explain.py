"""The reason why an action is illegal in Kaluki (`ACTIONS.md`, 8.3). Legality itself is the core's."""

from __future__ import annotations

from typing import Any

from kalooki_env import core
from kalooki_env.core import ActionKind, MeldKind, Phase
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import Meld, meld_in_slot, missing_from
from kalooki_env.game.refusals import Refusal

_FOR_CALLS = (ActionKind.CALL, ActionKind.PASS, ActionKind.ALLOW, ActionKind.REFUSE)


def why_illegal_in_kaluki(state: Any, action: int, table: Engine) -> Refusal:
    """The reason code of an action that the core refuses to the seat to move.

    Args:
        state: STATE record of a deal that is not over.
        action: an illegal action's number.
        table: engine of the table.
    """
    phase = Phase(int(state["phase"]))
    kind, operand = core.kind_and_operand(action, table.max_seats, True)
    if kind in _FOR_CALLS:
        return Refusal.CALLS_DISABLED
    if kind in (ActionKind.DRAW_STOCK, ActionKind.TAKE_UPCARD):
        if phase is not Phase.DRAW:
            return Refusal.ALREADY_DRAWN
        if kind is ActionKind.DRAW_STOCK:
            return Refusal.STOCK_EXHAUSTED
        return Refusal.UPCARD_NOT_LAID if state["pile_n"] else Refusal.PILE_EMPTY
    if kind is ActionKind.PLACE:
        return _why_no_placement(state, action, operand, phase, table)
    if kind is ActionKind.END_MELD:
        return Refusal.MELD_INCOMPLETE if phase is Phase.FILL else Refusal.NOT_LAYING_A_MELD
    if kind is ActionKind.END_OPENING:
        if phase is not Phase.MELD:
            return Refusal.NOT_LAYING_DOWN
        reached = state["points_laid"] >= table.record[0]["opening_points"]
        return Refusal.MUST_LAY if reached else Refusal.NOT_ENOUGH_POINTS
    if phase is Phase.DRAW:
        return Refusal.NOT_DRAWN
    if kind in (ActionKind.SET_OF, ActionKind.RUN_OF):
        return _why_no_meld(state, kind, operand, phase, table)
    if phase is not Phase.PLAY:
        return Refusal.NOT_IN_THIS_PHASE
    match kind:
        case ActionKind.DISCARD:
            held = state["hands"][state["actor"], operand]
            return Refusal.MUST_LAY if held else Refusal.CARD_NOT_HELD
        case ActionKind.END_TURN:
            return Refusal.MUST_DISCARD
        case ActionKind.LAY_DOWN:
            return Refusal.ALREADY_OPENED if state["opened"][state["actor"]] else Refusal.NOT_ENOUGH_POINTS
        case ActionKind.LAY_OFF_ONTO:
            return _why_no_lay_off(state, operand // 2, bool(operand % 2), table, None)
    return _why_no_swap(state, operand, table, None)


def why_not_with_card(state: Any, action: int, card: int, table: Engine) -> Refusal:
    """The reason why a lay-off or a swap of the seat to move, in `play`, cannot be made with this card."""
    kind, operand = core.kind_and_operand(action, table.max_seats, True)
    if kind is ActionKind.LAY_OFF_ONTO:
        return _why_no_lay_off(state, operand // 2, bool(operand % 2), table, card)
    return _why_no_swap(state, operand, table, card)


def _why_no_meld(state: Any, kind: ActionKind, operand: int, phase: Phase, table: Engine) -> Refusal:
    if phase not in (Phase.PLAY, Phase.MELD):
        return Refusal.NOT_IN_THIS_PHASE
    if kind is ActionKind.RUN_OF and operand % core.RUN_LOWS == 0 and table.rules.ace_in_run == "high_only":
        return Refusal.ACE_IS_HIGH
    if phase is Phase.MELD:
        return Refusal.CANNOT_BE_COMPLETED
    if not state["opened"][state["actor"]]:
        return Refusal.NOT_LAYING_DOWN
    if state["opened_now"] and not table.record[0]["melds_when_opening"]:
        return Refusal.NO_MELDS_YET
    return Refusal.NO_SUCH_NEW_MELD


def _why_no_placement(state: Any, action: int, card: int, phase: Phase, table: Engine) -> Refusal:
    if phase not in (Phase.FILL, Phase.LAYOFF, Phase.MOVE):
        return Refusal.NOT_IN_THIS_PHASE
    if not state["hands"][state["actor"], card]:
        return Refusal.CARD_NOT_HELD
    if phase is Phase.LAYOFF:
        return _why_no_lay_off(state, int(state["target"]), bool(state["target_high"]), table, card)
    if phase is Phase.MOVE:
        return _why_no_swap(state, int(state["target"]), table, card)
    key, low = int(state["meld_key_now"]), int(state["meld_low_now"])
    begun = meld_in_slot(state, int(state["melds_laid"]))
    cards = begun.cards if begun else ()
    if state["meld_kind_now"] == MeldKind.THREE:
        if card != core.JOKER and card % 13 != key:
            return Refusal.RANKS_DIFFER
        if card != core.JOKER and card in cards:
            return Refusal.SUIT_TWICE
        return Refusal.OUT_OF_ORDER if cards and card < cards[-1] else Refusal.CANNOT_BE_COMPLETED
    if card != core.JOKER and card // 13 != key:
        return Refusal.SUITS_DIFFER
    fits = card == core.JOKER or card % 13 == (low + len(cards)) % 13
    return Refusal.CANNOT_BE_COMPLETED if fits else Refusal.NOT_CONSECUTIVE


def _why_no_lay_off(state: Any, slot: int, high: bool, table: Engine, card: int | None) -> Refusal:
    """Why nothing, or not this card, can be laid off there (KL4.3)."""
    if not state["opened"][state["actor"]]:
        return Refusal.NOT_OPENED
    meld = meld_in_slot(state, slot) if slot < state["melds_laid"] else None
    if meld is None or (meld.kind == MeldKind.THREE and high):
        return Refusal.NO_SUCH_MELD
    if state["opened_now"] and not table.record[0]["lays_off_when_opening"]:
        return Refusal.NO_LAY_OFF_YET
    fitting = _fitting(meld, high, table)
    if not fitting:
        return Refusal.SET_IS_FULL if meld.kind == MeldKind.THREE else Refusal.BEYOND_THE_ACE
    if card is None:
        held = any(state["hands"][state["actor"], c] for c in fitting)
        return Refusal.CANNOT_BE_SPARED if held else Refusal.NOTHING_FITS
    if card in fitting:
        return Refusal.CANNOT_BE_SPARED
    if meld.kind == MeldKind.THREE:
        return Refusal.SUIT_PRESENT if card % 13 == meld.key else Refusal.DOES_NOT_FIT
    top = meld.low + len(meld.cards)
    inside = card // 13 == meld.key and (meld.low <= card % 13 < top or (card % 13 == 0 and top == 14))
    return Refusal.PLACE_TAKEN if inside else Refusal.DOES_NOT_FIT


def _fitting(meld: Meld, high: bool, table: Engine) -> list[int]:
    """Cards that fit onto a set or an end of a run."""
    if meld.kind == MeldKind.THREE:
        if len(meld.cards) == 4:
            return []
        return [*missing_from(meld), core.JOKER]
    place = meld.low + len(meld.cards) if high else meld.low - 1
    lowest = 0 if table.rules.ace_in_run == "high_or_low" else 1
    return [13 * meld.key + place % 13, core.JOKER] if lowest <= place <= 13 else []


def _why_no_swap(state: Any, slot: int, table: Engine, card: int | None) -> Refusal:
    """Why no joker, or not for this card, can be swapped there (KL4.4)."""
    actor = int(state["actor"])
    if not state["opened"][actor] and not table.record[0]["swaps_before_opening"]:
        return Refusal.NOT_OPENED
    meld = meld_in_slot(state, slot) if slot < state["melds_laid"] else None
    if meld is None:
        return Refusal.NO_SUCH_MELD
    held = [card] if card is not None else [c for c in range(core.JOKER) if state["hands"][actor, c]]
    if meld.kind == MeldKind.THREE and card is not None and core.JOKER in meld.cards and card in meld.cards:
        return Refusal.SUIT_PRESENT
    if meld.kind == MeldKind.THREE and core.JOKER in meld.cards and table.record[0]["swaps_whole_sets"]:
        held_all = all(state["hands"][actor, one] for one in missing_from(meld))
        return Refusal.CANNOT_BE_SPARED if held_all else Refusal.ALL_MISSING_SUITS
    return Refusal.CANNOT_BE_SPARED if any(_replaces(meld, c) for c in held) else Refusal.NO_JOKER_TO_SWAP


def _replaces(meld: Meld, card: int) -> bool:
    """Whether a natural can take the place of a joker of a meld."""
    if core.JOKER not in meld.cards:
        return False
    if meld.kind == MeldKind.THREE:
        return card in missing_from(meld)
    jokers = [(meld.low + i) % 13 for i, c in enumerate(meld.cards) if c == core.JOKER]
    return card // 13 == meld.key and card % 13 in jokers
