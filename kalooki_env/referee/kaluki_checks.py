"""Whether a position of Kaluki that can be read is a possible one (ACTIONS.md, section 8.5)."""

from __future__ import annotations

from collections import Counter

from kalooki_env.referee.checks import count_faults
from kalooki_env.referee.kaluki_debts import Outlook, can_settle, may_swap
from kalooki_env.referee.kaluki_melds import is_full, is_valid, leaves_no_choice, lowest_place
from kalooki_env.referee.melds import Four
from kalooki_env.referee.notation import meld_text, seat_text, target_text
from kalooki_env.referee.state import State
from kalooki_env.rules import JOKER


def faults_of(state: State) -> list[str]:
    """Everything that is impossible in a position whose cards are all there, one sentence each."""
    faults = []
    for target in state.order:
        if not is_valid(state.meld(target), state.rules):
            faults.append(f"meld {target_text(target)} ({meld_text(state.meld(target))}) is no set and no run")
    for seat in range(state.num_players):
        name = seat_text(seat)
        if state.known[seat] - state.hands[seat]:
            faults.append(f"{name} is known to hold cards that it does not hold")
        if state.calls[seat].first or state.answers[seat].first or state.answers[seat].second:
            faults.append(f"{name} made or answered calls, which there are not")
        opens = state.phase.name in ("meld", "fill") and state.phase.seat == seat
        if state.melds[seat] and not opens and not state.opened[seat]:
            faults.append(f"{name} has melds but has not opened")
        if state.opened[seat] and not state.melds[seat]:
            faults.append(f"{name} has opened, but has no meld")
    # Whatever goes on in the phase rests on the melds.
    return faults or count_faults(state) + _debt_faults(state) + _phase_faults(state)


def _debt_faults(state: State) -> list[str]:
    """What is owed, and whether there is a rule that asks for it (section 8.2)."""
    if not state.owed.total():
        return []
    if state.phase.name in ("draw", "over"):
        return ["something is owed, but nothing came into a hand in this turn"]
    rules, seat = state.rules, state.mover()
    name = seat_text(seat)
    # A seat that opened in this turn has settled for its upcard already.
    upcard_rule = rules.upcard_after_opening == "only_for_new_meld" and not state.phase.opened_now
    jokers_in_any_number = rules.joker_after_swap == "new_meld_this_turn" and may_swap(state)
    if not state.opened[seat]:
        upcard_rule = rules.upcard_before_opening == "only_to_open"
    possible = state.owed.total() - (state.owed[JOKER] if jokers_in_any_number else 0) <= int(upcard_rule)
    if not possible:
        return [f"{name} owes more than the rules can make it owe"]
    missing = state.owed - state.hands[seat]
    if state.opened[seat] and rules.joker_after_swap == "free":
        del missing[JOKER]  # the joker that it took may have been laid off, if it can swap another one into its hand
    if missing:
        return [f"{name} owes cards that it does not hold"]
    if state.phase.name == "play" and not can_settle(state, Outlook.of(state)):
        return [f"{name} cannot settle what it owes"]
    return []


def _phase_faults(state: State) -> list[str]:
    phase = state.phase
    if phase.seat is None:
        return []
    name = seat_text(phase.seat)
    opened = state.opened[phase.seat]
    if phase.opened_now and not opened:
        return [f"{name} has not opened"]
    match phase.name:
        case "over":
            return [] if opened and not state.hands[phase.seat].total() else [f"{name} is not out"]
        case "meld" if opened:
            return [f"{name} has opened already"]
        case "fill":
            return _filling_faults(state)
        case "layoff" | "swap":
            return _target_faults(state)
    return []


def _filling_faults(state: State) -> list[str]:
    meld, seat = state.phase.filling, state.mover()
    assert meld is not None
    if state.opened[seat] and state.phase.opened_now and state.rules.extra_melds != "any_time_after_opening":
        return [f"{seat_text(seat)} may lay no further meld in this turn"]
    naturals = Counter(card for card in meld.cards if card != JOKER)
    repeated = any(number > 1 for number in naturals.values()) and not isinstance(meld, Four)
    wrong = [
        card for index, card in enumerate(meld.cards) if isinstance(meld, Four) and card not in (JOKER, meld.natural_of(index))
    ]
    if repeated or wrong or is_full(meld) or (isinstance(meld, Four) and meld.low < lowest_place(state.rules)):
        return [f"a meld {meld_text(meld)} cannot be under way"]
    return []


def _target_faults(state: State) -> list[str]:
    phase = state.phase
    owner, number = phase.target or (0, 0)
    if not (may_swap(state) if phase.name == "swap" else state.opened[state.mover()]):
        return [f"{seat_text(state.mover())} has not opened"]
    if number >= len(state.melds[owner]):
        return [f"there is no meld {target_text((owner, number))}"]
    if phase.name == "layoff" and isinstance(state.melds[owner][number], Four) != (phase.end is not None):
        return ["an end is named for a run, and only for a run"]
    if phase.name == "swap" and leaves_no_choice(state.meld((owner, number)), state.rules):
        return ["a swap in a set leaves nothing to choose: its naturals would lie already"]
    return []
