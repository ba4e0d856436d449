"""What is legal in each phase (ACTIONS.md, section 2)."""

from __future__ import annotations

from kalooki_env.referee.contract import Holding, holds, next_cards, next_melds
from kalooki_env.referee.melds import HIGH, LOW, Four, cards_to_lay_off, joker_replaced_by
from kalooki_env.referee.notation import kind_text, target_text
from kalooki_env.referee.state import State, Target
from kalooki_env.rules import JOKER


def actions(state: State) -> set[str]:
    """The texts of all legal actions; empty when the deal is over."""
    match state.phase.name:
        case "draw":
            return _draw_actions(state)
        case "play":
            return _play_actions(state)
        case "meld":
            seat = state.mover()
            return {kind_text(meld) for meld in next_melds(state.hands[seat], state.need(seat))}
        case "fill" | "layoff" | "move":
            return {f"place {card}" for card in cards_to_place(state)}
        case "call":
            return {"call", "pass"}  # J6.3
        case "answer":
            return {"allow", "refuse"}  # J6.4
    return set()


def _draw_actions(state: State) -> set[str]:
    """J5.2, J12."""
    found = set()
    if state.stock_can_give():
        found.add("draw stock")
    if state.upcard_can_be_taken():
        found.add("take upcard")
    return found


def _play_actions(state: State) -> set[str]:
    """J5.3, J5.4."""
    seat = state.mover()
    hand = state.hands[seat]
    found = {f"discard {card}" for card in hand.elements() if card != JOKER}  # J10.1
    if not found and hand.total():
        found.add("end turn")  # J10.3
    if state.opened[seat]:
        return found | _layoffs_and_moves(state)
    if holds(Holding.of(hand), state.need(seat)):
        found.add("lay down")  # J7.1, J7.2
    return found


def _layoffs_and_moves(state: State) -> set[str]:
    """J8, J9."""
    found = set()
    for owner in range(state.num_players):
        for number, meld in enumerate(state.melds[owner]):
            target = (owner, number)
            for end in (LOW, HIGH) if isinstance(meld, Four) else (None,):
                if _layoff_cards(state, target, end):
                    found.add(f"lay off onto {target_text(target)}" + (f" {end}" if end else ""))
                if end and _move_cards(state, target, end):
                    found.add(f"move joker in {target_text(target)} to {end}")
    return found


def cards_to_place(state: State) -> set[str]:
    """The cards that may be placed in `fill`, `layoff` and `move`."""
    phase, seat = state.phase, state.mover()
    if phase.filling is not None:
        return next_cards(state.hands[seat], phase.filling, state.need(seat))
    assert phase.target is not None
    if phase.name == "layoff":
        return _layoff_cards(state, phase.target, phase.end)
    assert phase.end is not None
    return _move_cards(state, phase.target, phase.end)


def _layoff_cards(state: State, target: Target, end: str | None) -> set[str]:
    """The cards of the hand that fit onto a meld (J8.2)."""
    high_end_first = state.rules.layoff_run_order == "high_end_first"
    hand = state.hands[state.mover()]
    return {card for card in cards_to_lay_off(state.meld(target), end, high_end_first) if hand[card]}


def _move_cards(state: State, target: Target, end: str) -> set[str]:
    """The naturals of the hand that free a joker of a four for the named end (J9)."""
    seat = state.mover()
    four, hand = state.meld(target), state.hands[seat]
    may_move = target[0] == seat or state.rules.joker_release == "anyone_moves_to_end"
    # J9.1: not in the turn in which the seat opened.
    if not isinstance(four, Four) or not may_move or state.phase.opened_now:
        return set()
    return {card for card in hand if hand[card] and joker_replaced_by(four, card, end) is not None}
