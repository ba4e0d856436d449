"""The reason why an action is illegal. Legality itself is the core's; this only names the rule that an illegal action breaks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import ActionKind, MeldKind, Phase
from kalooki_env.errors import IllegalActionError
from kalooki_env.game.cards import seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.kaluki_explain import why_illegal_in_kaluki, why_not_with_card
from kalooki_env.game.kaluki_moves import two_readings
from kalooki_env.game.melds import Meld, meld_in_slot
from kalooki_env.game.position import position_text
from kalooki_env.game.refusals import Refusal


def why_illegal(states: NDArray[np.void], action: int, table: Engine) -> Refusal:
    """The reason code of an action that the core refuses to the seat to move.

    Args:
        states: array of one STATE record.
        action: an illegal action's number.
        table: engine of the table.
    """
    state = states[0]
    phase = Phase(int(state["phase"]))
    if phase is Phase.OVER:
        return Refusal.DEAL_OVER
    if table.is_kaluki:
        return why_illegal_in_kaluki(state, action, table)
    kind, operand = core.kind_and_operand(action, table.max_seats)
    match kind:
        case ActionKind.DRAW_STOCK | ActionKind.TAKE_UPCARD:
            return _why_no_draw(state, kind, phase, table)
        case ActionKind.CALL | ActionKind.PASS:
            return why_no_call(states, int(state["actor"]), table) if kind is ActionKind.CALL else Refusal.NOT_IN_THIS_PHASE
        case ActionKind.ALLOW | ActionKind.REFUSE:
            return Refusal.NOT_IN_THIS_PHASE
        case ActionKind.THREE_OF | ActionKind.FOUR_OF:
            return _why_no_meld(state, kind, operand, phase, table)
        case ActionKind.PLACE:
            return _why_no_placement(state, operand, phase, table)
    if phase is Phase.DRAW:
        return Refusal.NOT_DRAWN
    if phase is not Phase.PLAY:
        return Refusal.NOT_IN_THIS_PHASE
    match kind:
        case ActionKind.DISCARD:
            return Refusal.JOKER_DISCARD if operand == core.JOKER else Refusal.CARD_NOT_HELD
        case ActionKind.END_TURN:
            return Refusal.MUST_DISCARD
        case ActionKind.LAY_DOWN:
            return Refusal.ALREADY_OPENED if state["opened"][state["actor"]] else Refusal.NO_CONTRACT_IN_HAND
        case ActionKind.LAY_OFF:
            return _why_no_target(state, operand, table, card=None)
    return _why_no_joker_move(state, operand, table, card=None)


def illegal_action_error(
    states: NDArray[np.void],
    action: str,
    refusal: Refusal,
    who: int | None,
    legal: list[str] | None,
    table: Engine,
    seed: int | None,
    hint: str = "",
) -> IllegalActionError:
    """The error for a refused action. Its message shows nothing that the seat to move may not know.

    Args:
        states: array of one STATE record.
        action: the action's text.
        refusal: why it is refused.
        who: the seat that tried it.
        legal: texts of the legal actions, None where the seat must not learn them: they depend on another hand.
        table: engine of the table.
        seed: seed of the deal, if known.
        hint: what may have been meant; it must tell the seat nothing new either.
    """
    by = "" if who is None else f" by {seat_name(who)}"
    also = "".join(f"; {reading}" for reading in two_readings(action, table.rules))
    choices = "" if legal is None else f"; legal: {', '.join(legal) or 'nothing'}"
    reason = f"{refusal.value}{also}{hint}{choices}"
    return IllegalActionError(f"{action!r}{by} is illegal: {reason}", position_text(states[0], table), seed)


def why_no_call(states: NDArray[np.void], seat: int, table: Engine) -> Refusal:
    """The reason why a seat, to move or not, cannot call now (J6.2)."""
    state = states[0]
    phase = Phase(int(state["phase"]))
    turn = int(state["turn"])
    if phase is Phase.OVER:
        return Refusal.DEAL_OVER
    if not table.rules.calls_enabled:
        return Refusal.CALLS_DISABLED
    if state["turns"] == 0:
        return Refusal.CALL_FIRST_UPCARD
    # `turn` is the discarder while a call is asked or answered, and the seat after it once that is over.
    open_window = phase in (Phase.CALL, Phase.ANSWER)
    discarder = turn if open_window else (turn - 1) % table.num_players
    if phase is Phase.DRAW and state["after_call"]:
        return Refusal.CALL_UNCOVERED_CARD
    if seat == discarder:
        return Refusal.CALL_OWN_DISCARD
    if seat == (discarder + 1) % table.num_players:
        return Refusal.CALL_NEXT_SEAT
    if state["opened"][seat]:
        return Refusal.CALL_OPENED
    if state["calls_allowed"][seat] >= table.record[0]["call_max"]:
        return Refusal.CALL_LIMIT
    if phase is Phase.ANSWER:
        return Refusal.CALL_HEARD
    if phase is Phase.CALL:
        return Refusal.NOT_TO_MOVE
    if phase is Phase.DRAW:
        possible = core.call_possible_in_lane(states, table.record, 0)
        return Refusal.CALL_HEARD if possible else Refusal.CALL_NO_PENALTY_CARD
    return Refusal.CALL_CLOSED


def why_not_with(state: Any, action: int, card: int, table: Engine) -> Refusal:
    """The reason why a lay-off or a joker move of the seat to move, in `play`, cannot be made with this card."""
    if table.is_kaluki:
        return why_not_with_card(state, action, card, table)
    kind, operand = core.kind_and_operand(action, table.max_seats)
    why = _why_no_target if kind is ActionKind.LAY_OFF else _why_no_joker_move
    return why(state, operand, table, card)


def _why_no_draw(state: Any, kind: ActionKind, phase: Phase, table: Engine) -> Refusal:
    if phase in (Phase.CALL, Phase.ANSWER):
        return Refusal.NOT_IN_THIS_PHASE
    if phase is not Phase.DRAW:
        return Refusal.ALREADY_DRAWN
    if kind is ActionKind.DRAW_STOCK:
        return Refusal.STOCK_EXHAUSTED
    return Refusal.STOCK_ONLY_AFTER_CALL if state["pile_n"] else Refusal.PILE_EMPTY


def _why_no_meld(state: Any, kind: ActionKind, operand: int, phase: Phase, table: Engine) -> Refusal:
    if phase is not Phase.MELD:
        return Refusal.NOT_LAYING_DOWN
    three = kind is ActionKind.THREE_OF
    if not state["threes_left" if three else "fours_left"]:
        return Refusal.MELD_NOT_NEEDED
    if three and table.rules.contract_distinct_ranks and int(state["used_ranks"]) >> operand & 1:
        return Refusal.SAME_RANK
    if not three and table.rules.contract_distinct_suits and int(state["used_suits"]) >> (operand // core.LOWS) & 1:
        return Refusal.SAME_SUIT
    return Refusal.CANNOT_BE_COMPLETED


def _why_no_placement(state: Any, card: int, phase: Phase, table: Engine) -> Refusal:
    if phase not in (Phase.FILL, Phase.LAYOFF, Phase.MOVE):
        return Refusal.NOT_IN_THIS_PHASE
    actor = int(state["actor"])
    if not state["hands"][actor, card]:
        return Refusal.CARD_NOT_HELD
    if phase is Phase.FILL:
        return _why_no_fill(state, card, actor)
    operand = 2 * int(core.relative_slot(int(state["target"]), actor, table.num_players)) + int(state["target_high"])
    if phase is Phase.LAYOFF:
        return _why_no_target(state, operand, table, card)
    return _why_no_joker_move(state, operand, table, card)


def _why_no_fill(state: Any, card: int, actor: int) -> Refusal:
    key, low = int(state["meld_key_now"]), int(state["meld_low_now"])
    begun = meld_in_slot(state, core.MELDS_PER_SEAT * actor + int(state["meld_n"][actor]))
    cards = begun.cards if begun else ()
    if state["meld_kind_now"] == MeldKind.THREE:
        if card != core.JOKER and card % 13 != key:
            return Refusal.RANKS_DIFFER
        return Refusal.OUT_OF_ORDER if cards and card < cards[-1] else Refusal.CANNOT_BE_COMPLETED
    if card == core.JOKER:
        return Refusal.ADJACENT_JOKERS if cards and cards[-1] == core.JOKER else Refusal.CANNOT_BE_COMPLETED
    if card // 13 != key:
        return Refusal.SUITS_DIFFER
    return Refusal.CANNOT_BE_COMPLETED if card % 13 == (low + len(cards)) % 13 else Refusal.NOT_CONSECUTIVE


def _target(state: Any, operand: int, table: Engine) -> tuple[int, int, Meld | None]:
    relative, high = divmod(operand, 2)
    if relative >= core.MELDS_PER_SEAT * table.num_players:
        return 0, high, None
    slot = int(core.absolute_slot(relative, int(state["actor"]), table.num_players))
    return slot, high, meld_in_slot(state, slot)


def _why_no_target(state: Any, operand: int, table: Engine, card: int | None) -> Refusal:
    """Why nothing, or not this card, can be laid off there (J8)."""
    _, high, meld = _target(state, operand, table)
    if not state["opened"][state["actor"]]:
        return Refusal.NOT_OPENED
    if meld is None or (meld.kind == MeldKind.THREE and high):
        return Refusal.NO_SUCH_MELD
    return why_no_lay_off(meld, bool(high), card, table)


def why_no_lay_off(meld: Meld, high: bool, card: int | None, table: Engine) -> Refusal:
    """Why a card (None: any of the hand) cannot be laid off onto a three or an end of a four (J8.3, J8.4)."""
    if meld.kind == MeldKind.THREE:
        if card == core.JOKER:
            return Refusal.TOO_MANY_JOKERS
        return Refusal.NOTHING_FITS if card is None else Refusal.DOES_NOT_FIT
    top = meld.low + len(meld.cards)
    if (top > 13) if high else (meld.low == 0):
        return Refusal.BEYOND_THE_ACE
    if not high and top != 14 and table.rules.layoff_run_order == "high_end_first":
        return Refusal.HIGH_END_FIRST
    if card == core.JOKER:
        return Refusal.ADJACENT_JOKERS
    if card is None:
        return Refusal.NOTHING_FITS
    inside = card // 13 == meld.key and (meld.low <= card % 13 < top or (card % 13 == 0 and top == 14))
    return Refusal.PLACE_TAKEN if inside else Refusal.DOES_NOT_FIT


def _why_no_joker_move(state: Any, operand: int, table: Engine, card: int | None) -> Refusal:
    """Why no joker, or not the one that stands for this card, can be moved there (J9)."""
    slot, high, meld = _target(state, operand, table)
    actor = int(state["actor"])
    if not state["opened"][actor]:
        return Refusal.NOT_OPENED
    if meld is None:
        return Refusal.NO_SUCH_MELD
    if meld.kind == MeldKind.THREE:
        return Refusal.FROZEN_IN_THREE
    if state["opened_now"]:
        return Refusal.OPENED_THIS_TURN
    if slot // core.MELDS_PER_SEAT != actor and table.rules.joker_release == "owner_moves_to_end":
        return Refusal.NOT_THE_OWNER
    held = [card] if card is not None else [c for c in range(core.JOKER) if state["hands"][actor, c]]
    reasons = [why_no_move(meld, bool(high), c) for c in held]
    nothing = Refusal.NO_JOKER_IN_FOUR if card is None else Refusal.NO_JOKER_FOR_CARD
    return next((reason for reason in reasons if reason is not Refusal.NO_JOKER_FOR_CARD), nothing)


def why_no_move(meld: Meld, high: bool, card: int) -> Refusal:
    """Why the joker that stands for a card cannot go to an end of its four (J9.1, J9.2)."""
    jokers = [meld.low + i for i, c in enumerate(meld.cards) if c == core.JOKER]
    if card // 13 != meld.key or card % 13 not in (place % 13 for place in jokers):
        return Refusal.NO_JOKER_FOR_CARD
    top = meld.low + len(meld.cards)
    if (top > 13) if high else (meld.low == 0):
        return Refusal.BEYOND_THE_ACE
    return Refusal.ADJACENT_JOKERS
