"""Whether a position that can be read is a possible one (ACTIONS.md, section 6)."""

from __future__ import annotations

from kalooki_env.referee.contract import Holding, Need, holds
from kalooki_env.referee.melds import Four, Three, is_valid_four, is_valid_three
from kalooki_env.referee.notation import meld_text, seat_text, target_text
from kalooki_env.referee.state import State


def faults_of(state: State) -> list[str]:
    """Everything that is impossible in a position whose cards are all there, one sentence each."""
    faults = []
    for seat in range(state.num_players):
        faults += _table_faults(state, seat)
        name = seat_text(seat)
        if state.known[seat] - state.hands[seat]:
            faults.append(f"{name} is known to hold cards that it does not hold")
        if state.calls[seat].second > state.calls[seat].first:
            faults.append(f"{name} had more calls allowed than it made")
    # Whatever goes on in the phase rests on the melds.
    return faults or count_faults(state) + _phase_faults(state)


def _table_faults(state: State, seat: int) -> list[str]:
    name = seat_text(seat)
    faults = []
    for number, meld in enumerate(state.melds[seat]):
        target = f"meld {target_text((seat, number))} ({meld_text(meld)})"
        if isinstance(meld, Three) and not is_valid_three(meld, state.rules.set_min_naturals):
            faults.append(f"{target} is no three")
        if isinstance(meld, Four) and not is_valid_four(meld):
            faults.append(f"{target} is no four")
    lays_down = state.phase.name in ("meld", "fill") and state.phase.seat == seat
    if state.melds[seat] and not lays_down and not state.opened[seat]:
        faults.append(f"{name} has melds but has not opened")
    need = Need.of_deal(state.rules, state.deal)
    for meld in state.table(seat):
        if not need.allows(meld):
            faults.append(f"{name} has melds that do not belong to one contract of deal {state.deal}")
            break
        need = need.after(meld)
    else:
        if state.opened[seat] and need.threes + need.fours:
            faults.append(f"{name} has opened, but its contract does not lie")
    return faults


def count_faults(state: State) -> list[str]:
    """What is wrong with the numbers of reshuffles, turns and cards, in either game."""
    faults = []
    limit = state.rules.reshuffle_max
    if limit is not None and state.reshuffles > limit:
        faults.append(f"there were {state.reshuffles} reshuffles, the rules allow {limit}")
    cap = state.rules.max_turns(state.num_players)
    if state.turns > cap or (state.turns == cap and state.phase.name != "over"):
        faults.append(f"{state.turns} turns were played; the deal is blocked after {cap}")
    for seat, hand in enumerate(state.hands):
        is_out = state.phase.name == "over" and state.phase.seat == seat
        if not hand.total() and not is_out:
            faults.append(f"{seat_text(seat)} has no card")
    return faults


def _phase_faults(state: State) -> list[str]:
    phase = state.phase
    if phase.seat is None:
        return []
    name = seat_text(phase.seat)
    opened = state.opened[phase.seat]
    match phase.name:
        case "draw" if phase.after_call:
            involved = (phase.seat, (phase.seat - 1) % state.num_players)
            others = [seat for seat in range(state.num_players) if seat not in involved]
            if not any(state.calls[seat].second and not state.opened[seat] for seat in others):
                return [f"no call on the last discard can have been allowed before {name} draws"]
        case "over":
            return [] if opened and not state.hands[phase.seat].total() else [f"{name} is not out"]
        case "play" if phase.opened_now and not opened:
            return [f"{name} has not opened"]
        case "meld" | "fill":
            return _lay_down_faults(state)
        case "layoff" | "move":
            owner, number = phase.target or (0, 0)
            if not opened:
                return [f"{name} has not opened"]
            if number >= len(state.melds[owner]):
                return [f"there is no meld {target_text((owner, number))}"]
            if isinstance(state.melds[owner][number], Four) != (phase.end is not None):
                return ["an end is named for a four, and only for a four"]
        case "call":
            discarder = phase.other or 0
            if phase.seat not in state.callers(discarder):
                return [f"{name} cannot call a discard of {seat_text(discarder)}"]
        case "answer":
            return _answer_faults(state)
    return []


def _lay_down_faults(state: State) -> list[str]:
    seat = state.phase.seat or 0
    if state.opened[seat]:
        return [f"{seat_text(seat)} has opened already"]
    need = state.need(seat)
    if state.phase.filling is None and not holds(Holding.of(+state.hands[seat]), need):
        return [f"{seat_text(seat)} cannot complete its contract"]
    return []


def _answer_faults(state: State) -> list[str]:
    decider, caller = state.phase.seat or 0, state.phase.other or 0
    discarders = [seat for seat in range(state.num_players) if state.decider(seat) == decider]
    if not any(caller in state.callers(seat) for seat in discarders):
        return [f"{seat_text(caller)} cannot have called a discard on which {seat_text(decider)} decides"]
    if not state.calls[caller].first > state.calls[caller].second:
        return [f"no call of {seat_text(caller)} is open"]
    return []
