"""What is legal in each phase of Kaluki (ACTIONS.md, section 8.3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kalooki_env.referee.kaluki_melds import (
    cards_to_lay_off,
    completions,
    kinds,
    may_end,
    next_cards,
    opening_value,
    replaceable,
)
from kalooki_env.referee.melds import HIGH, LOW, Four, Meld
from kalooki_env.referee.notation import kind_text, target_text
from kalooki_env.referee.opening import search_of
from kalooki_env.referee.state import State, Target
from kalooki_env.rules import JOKER

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
            return {f"place {card}" for card in _swap_cards(state, state.phase.target)}
    return set()


# ---- obligations (section 8.2) -----------------------------------------------------------------------------------------


def upcard_would_be_owed(state: State, seat: int) -> bool:
    """Whether a seat that takes the upcard must lay it in a new meld (KL4.1)."""
    if state.opened[seat]:
        return state.rules.upcard_after_opening == "only_for_new_meld"
    return state.rules.upcard_before_opening == "only_to_open"


def upcard_can_be_taken(state: State) -> bool:
    """Whether the seat that draws may take the upcard (KL4.1)."""
    seat = state.mover()
    if not state.pile:
        return False
    if not upcard_would_be_owed(state, seat):
        return True
    upcard = Counter(state.pile[:1])
    return can_settle(state, state.hands[seat] + upcard, upcard)


def may_lay_further_melds(state: State) -> bool:
    """Whether a seat that has opened may lay melds in this turn (KL4.3)."""
    return not state.phase.opened_now or state.rules.extra_melds == "any_time_after_opening"


def points_laid(state: State) -> int:
    """Opening value of the melds that a seat has finished in its opening (KL4.2)."""
    return sum(opening_value(meld, state.rules) for meld in state.melds[state.mover()])


def can_settle(state: State, hand: Counter[str], owed: Counter[str], laid: int | None = None) -> bool:
    """Whether the seat to move can go on with such a hand: settle what is owed, and if it has not opened, open with it.

    Args:
        state: the position.
        hand: what the seat would have in hand.
        owed: what it would owe.
        laid: opening value of what would lie of its opening; None for that of its finished melds.
    """
    seat, rules = state.mover(), state.rules
    keep = rules.final_discard_required  # KL5.1
    if state.opened[seat]:
        if not owed.total():
            return not keep or hand.total() > 0
        return may_lay_further_melds(state) and search_of(rules).can_lay(hand, 0, owed, keep)
    assert rules.opening_points is not None
    need = rules.opening_points - (points_laid(state) if laid is None else laid)
    if need <= 0 and not owed.total():
        return not keep or hand.total() > 0
    return search_of(rules).can_lay(hand, need, owed, keep)


def _may_spare(state: State, card: str) -> bool:
    """Whether a card of the hand may go where it settles nothing."""
    return can_settle(state, state.hands[state.mover()] - Counter([card]), state.owed)


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
    seat = state.mover()
    hand = state.hands[seat]
    found = set() if state.owed.total() else {f"discard {card}" for card in hand.elements()}
    if not state.opened[seat]:
        return found | ({"lay down"} if can_settle(state, hand, state.owed) else set())
    if may_lay_further_melds(state):
        found |= {kind_text(meld) for meld in kinds(state.rules) if _ways_on(state, meld)}
    for target in state.order:
        for end in (LOW, HIGH) if isinstance(state.meld(target), Four) else (None,):
            if _layoff_cards(state, target, end):
                found.add(f"lay off onto {target_text(target)}" + (f" {end}" if end else ""))
        if _swap_cards(state, target):
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
    laid = None if state.opened[seat] else points_laid(state)
    for cards in completions(meld, hand):
        first = cards[0] if cards else None
        if first in found:
            continue
        worth = None
        if laid is not None:
            worth = laid + opening_value(replace(meld, cards=[*meld.cards, *cards]), state.rules)
        placed = Counter(cards)
        if can_settle(state, hand - placed, state.owed - placed, worth):
            found.add(first)
            if not all_of_them:
                break
    return found


def _layoff_cards(state: State, target: Target, end: str | None) -> set[str]:
    """The cards of the hand that fit onto a meld and may be spared (KL4.2, KL4.3)."""
    if state.phase.opened_now and not state.rules.layoff_in_opening_turn:
        return set()
    hand = state.hands[state.mover()]
    fitting = cards_to_lay_off(state.meld(target), end, state.rules)
    return {card for card in fitting if hand[card] and _may_spare(state, card)}


def _swap_cards(state: State, target: Target) -> set[str]:
    """The naturals of the hand that replace a joker in a meld (KL4.4)."""
    hand = state.hands[state.mover()]
    found = set()
    joker = Counter([JOKER])
    owed = state.owed + joker if state.rules.joker_after_swap == "new_meld_this_turn" else state.owed
    for card in replaceable(state.meld(target)):
        if hand[card] and can_settle(state, hand - Counter([card]) + joker, owed):
            found.add(card)
    return found
