"""What is legal in each phase of Kaluki (ACTIONS.md, section 8.3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kalooki_env.referee.kaluki_debts import (
    Outlook,
    can_open,
    can_settle,
    may_lay_further_melds,
    may_lay_off,
    may_swap,
    points_laid,
    upcard_can_be_taken,
)
from kalooki_env.referee.kaluki_melds import (
    Swap,
    cards_to_lay_off,
    completions,
    kinds,
    laid_off,
    leaves_no_choice,
    may_end,
    next_cards,
    opening_value,
    swaps,
)
from kalooki_env.referee.melds import HIGH, LOW, Four, Meld
from kalooki_env.referee.notation import kind_text, target_text
from kalooki_env.referee.state import State, Target

END_MELD, END_OPENING = "end meld", "end opening"


def actions(state: State) -> set[str]:
    """The texts of all legal actions; empty when the deal is over."""
    match state.phase.name:
        case "draw":
            return _draw_actions(state)
        case "play":
            return _play_actions(state)
        case "meld":
            return _meld_actions(state)
        case "fill":
            return _fill_actions(state)
        case "layoff":
            assert state.phase.target is not None
            return {f"place {card}" for card in _layoff_cards(state, state.phase.target, state.phase.end)}
        case "swap":
            assert state.phase.target is not None
            return _swap_actions(state, state.phase.target)
    return set()


# ---- phases ------------------------------------------------------------------------------------------------------------


def _draw_actions(state: State) -> set[str]:
    """KL4.1, KL5.3."""
    found = set()
    if state.stock_can_give():
        found.add("draw stock")
    if upcard_can_be_taken(state):
        found.add("take upcard")
    return found


def _play_actions(state: State) -> set[str]:
    """KL4.2 to KL4.5."""
    hand = state.hands[state.mover()]
    found = set() if state.owed.total() else {f"discard {card}" for card in hand.elements()}
    if not state.opened[state.mover()] and can_open(state, hand, state.owed, 0):
        found.add("lay down")
    if may_lay_further_melds(state):
        found |= {kind_text(meld) for meld in kinds(state.rules) if _ways_on(state, meld)}
    for target in state.order:
        for end in (LOW, HIGH) if isinstance(state.meld(target), Four) else (None,):
            if _layoff_cards(state, target, end):
                found.add(f"lay off onto {target_text(target)}" + (f" {end}" if end else ""))
        if swaps_to_make(state, target):
            found.add(f"swap joker in {target_text(target)}")
    return found


def _meld_actions(state: State) -> set[str]:
    """KL4.2."""
    assert state.rules.opening_points is not None
    found = {kind_text(meld) for meld in kinds(state.rules) if _ways_on(state, meld)}
    if points_laid(state) >= state.rules.opening_points and not state.owed.total():
        found.add(END_OPENING)
    return found


def _fill_actions(state: State) -> set[str]:
    assert state.phase.filling is not None
    ways = _ways_on(state, state.phase.filling, all_of_them=True)
    return {END_MELD if card is None else f"place {card}" for card in ways}


def _ways_on(state: State, meld: Meld, all_of_them: bool = False) -> set[str | None]:
    """The cards that may be placed next in a meld, None for ending it, such that it and all the rest can be completed.

    Args:
        state: the position.
        meld: the begun meld.
        all_of_them: whether to go on after the first one, which tells that there is a way.
    """
    seat = state.mover()
    hand = state.hands[seat]
    found: set[str | None] = set()
    if not may_end(meld) and not any(hand[card] for card in next_cards(meld)):
        return found
    for cards in completions(meld, hand):
        first = cards[0] if cards else None
        if first in found:
            continue
        placed, whole = Counter(cards), replace(meld, cards=[*meld.cards, *cards])
        if state.opened[seat]:
            target = (seat, len(state.melds[seat]))
            ends_well = can_settle(state, Outlook.of(state).after_new_meld(placed, target, whole))
        else:
            laid = points_laid(state) + opening_value(whole, state.rules)
            ends_well = can_open(state, hand - placed, state.owed - placed, laid)
        if ends_well:
            found.add(first)
            if not all_of_them:
                break
    return found


def _layoff_cards(state: State, target: Target, end: str | None) -> set[str]:
    """The cards of the hand that fit onto a meld and may be spared (KL4.2, KL4.3)."""
    if not may_lay_off(state):
        return set()
    outlook, meld = Outlook.of(state), state.meld(target)
    return {
        card
        for card in cards_to_lay_off(meld, end, state.rules)
        if outlook.hand[card] and can_settle(state, outlook.after_layoff(card, target, laid_off(meld, end, card)))
    }


def swaps_to_make(state: State, target: Target) -> list[Swap]:
    """The swaps in a meld after which all that is owed can be settled (KL4.4)."""
    if not may_swap(state):
        return []
    outlook = Outlook.of(state)
    return [
        swap
        for swap in swaps(state.meld(target), outlook.hand, state.rules)
        if can_settle(state, outlook.after_swap(target, swap, state.rules))
    ]


def _swap_actions(state: State, target: Target) -> set[str]:
    if leaves_no_choice(state.meld(target), state.rules):
        return set()
    return {f"place {swap.naturals[0]}" for swap in swaps_to_make(state, target)}
