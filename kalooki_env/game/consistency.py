"""Faults of a position that can be read, but not be. Part of reading a text; positions made by the engine have none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import ActionKind, MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.kaluki_consistency import kaluki_faults
from kalooki_env.game.melds import faults_of, meld_in_slot
from kalooki_env.game.notation import meld_name
from kalooki_env.game.sound import MOST_HELD


def faults_of_position(states: NDArray[np.void], table: Engine, found: list[str]) -> list[str]:
    """Everything that is wrong with a position, one sentence each; fills in what follows from the rest (`can_lay`, scores).

    Hand sizes are not looked at, so that exercises with few cards can be set up; but see `MOST_HELD`.

    Args:
        states: the position, an array of one STATE record.
        table: engine of its table.
        found: faults that are known already. With any, the engine is not asked about the position.
    """
    state = states[0]
    melds = kaluki_faults(state, table) if table.is_kaluki else _meld_faults(state, table)
    faults = found + melds + _memory_faults(state, table) + _phase_faults(states, table)
    if faults:
        return faults
    core.complete_lane(states, table.record, table.feas, 0)
    return _choice_faults(states, table)


def _meld_faults(state: Any, table: Engine) -> list[str]:
    faults = []
    contract = table.rules.contract(int(state["deal"]))
    in_lay_down = state["phase"] in (Phase.MELD, Phase.FILL)
    for seat in range(table.num_players):
        slots = range(core.MELDS_PER_SEAT * seat, core.MELDS_PER_SEAT * (seat + 1))
        melds = {slot: meld for slot in slots if (meld := meld_in_slot(state, slot)) is not None}
        begun = slots[0] + int(state["meld_n"][seat])
        for slot, meld in melds.items():
            faults += [
                f"meld {meld_name(slot, state, table)}: {fault.text}"
                for fault in faults_of(meld, table.rules, complete=slot != begun)
            ]
        kinds = [meld.kind for meld in melds.values()]
        threes, fours = kinds.count(MeldKind.THREE), kinds.count(MeldKind.FOUR)
        name = seat_name(seat)
        laying = in_lay_down and seat == state["actor"]
        laid = f"{threes} threes and {fours} fours"
        wanted = f"the contract is {contract.threes} and {contract.fours}"
        if state["opened"][seat] and (threes, fours) != (contract.threes, contract.fours):
            faults.append(f"{name} has opened with {laid}; {wanted} (J7.2)")
        if laying:
            # The meld being filled counts, with or without cards.
            if state["phase"] == Phase.FILL and slots[0] + int(state["meld_n"][seat]) not in melds:
                kinds.append(MeldKind(int(state["meld_kind_now"])))
            named = kinds.count(MeldKind.THREE), kinds.count(MeldKind.FOUR)
            still = state["phase"] == Phase.MELD
            if named[0] > contract.threes or named[1] > contract.fours or sum(named) + still > contract.threes + contract.fours:
                faults.append(f"{name} is laying down, but has named {named[0]} threes and {named[1]} fours; {wanted}")
        if melds and not state["opened"][seat] and not laying:
            faults.append(f"{name} has melds but has not opened")
        for kind, distinct, what in (
            (MeldKind.THREE, table.rules.contract_distinct_ranks, "threes of one rank"),
            (MeldKind.FOUR, table.rules.contract_distinct_suits, "fours of one suit"),
        ):
            keys = [meld.key for meld in melds.values() if meld.kind == kind]
            if distinct and len(set(keys)) < len(keys):
                faults.append(f"{name} has two {what} (J7.4)")
    return faults


def _memory_faults(state: Any, table: Engine) -> list[str]:
    faults = []
    for seat in range(table.num_players):
        name = seat_name(seat)
        if table.is_kaluki and state["hand_n"][seat] > MOST_HELD:
            faults.append(f"{name} holds {state['hand_n'][seat]} cards; {MOST_HELD} at most can be looked through")
        known = state["known"].reshape(core.SEATS, core.CARDS)[seat]
        for card in np.nonzero(known > state["hands"][seat])[0]:
            faults.append(f"{name} is known to hold {CARD_NAMES[card]}, but does not")
        made, allowed = int(state["calls_made"][seat]), int(state["calls_allowed"][seat])
        if allowed > made:
            faults.append(f"{name} made {made} calls, but {allowed} were allowed")
        if allowed > table.record[0]["call_max"]:
            faults.append(f"{name} had {allowed} calls allowed; the rules allow {table.rules.call_max_per_deal} (J6.2d)")
    answers = int(state["answers_allow"].sum()), int(state["answers_refuse"].sum())
    if answers[0] != state["calls_allowed"].sum():
        faults.append(f"{state['calls_allowed'].sum()} calls were allowed to callers, but {answers[0]} by those who answer")
    open_call = state["phase"] == Phase.ANSWER
    if state["calls_made"].sum() != sum(answers) + open_call:
        faults.append(f"{state['calls_made'].sum()} calls were made, but {sum(answers)} answered")
    if not table.rules.calls_enabled and state["calls_made"].any():
        faults.append("calls were made, but the rules have none")
    if state["reshuffles"] > table.record[0]["reshuffle_max"]:
        faults.append(f"{state['reshuffles']} reshuffles; the rules allow {table.rules.reshuffle_max} (J12.1)")
    return faults


def _phase_faults(states: NDArray[np.void], table: Engine) -> list[str]:
    state = states[0]
    phase = Phase(int(state["phase"]))
    actor = int(state["actor"])
    name = seat_name(actor)
    faults = []
    if phase != Phase.OVER and state["turns"] >= table.record[0]["max_turns"]:
        faults.append(f"{state['turns']} turns: the deal would be blocked (J12.4)")
    if phase in ((Phase.MELD,) if table.is_kaluki else (Phase.MELD, Phase.FILL)) and state["opened"][actor]:
        faults.append(f"{name} is laying down, but has opened already (J7.1)")
    if phase == Phase.OVER and state["winner"] >= 0:
        winner = int(state["winner"])
        if state["hand_n"][winner] or not state["opened"][winner]:
            faults.append(f"{seat_name(winner)} cannot have gone out: not opened, or with cards in hand (J10.2)")
    if phase in (Phase.PLAY, Phase.MELD, Phase.LAYOFF, Phase.MOVE) and state["hand_n"][actor] == 0:
        faults.append(f"{name} is to play with an empty hand")
    if phase != Phase.OVER:
        empty = [seat for seat in range(table.num_players) if state["opened"][seat] and not state["hand_n"][seat]]
        faults += [f"{seat_name(seat)} has opened and holds no card: the deal would be over (J10.2)" for seat in empty]
    if state["opened_now"] and not state["opened"][actor]:
        faults.append(f"{name} opened now, but has not opened")
    if phase in (Phase.LAYOFF, Phase.MOVE):
        may_swap = phase == Phase.MOVE and table.record[0]["swaps_before_opening"]
        if not state["opened"][actor] and not may_swap:
            faults.append(f"{name} has not opened and can neither lay off nor move jokers (J8.1, J9.1)")
        if meld_in_slot(state, int(state["target"])) is None:
            faults.append(f"there is no meld {meld_name(int(state['target']), state, table)}")
    if phase == Phase.DRAW and state["after_call"]:
        discarder = (actor - 1) % table.num_players
        others = [seat for seat in range(table.num_players) if seat not in (actor, discarder)]
        if not any(state["calls_allowed"][seat] and not state["opened"][seat] for seat in others):
            faults.append(f"{name} draws after an allowed call, but nobody can have called (J6.2, J6.4)")
    if phase in (Phase.CALL, Phase.ANSWER):
        caller = actor if phase == Phase.CALL else int(state["caller"])
        faults += _call_faults(states, table, caller)
    return faults


def _call_faults(states: NDArray[np.void], table: Engine, caller: int) -> list[str]:
    state = states[0]
    turn = int(state["turn"])
    faults = []
    name = seat_name(caller)
    if not state["turns"]:
        faults.append("a call before any discard (J5.1)")
    if caller in (turn, (turn + 1) % table.num_players):
        faults.append(f"{name} is the discarder or the next seat and cannot call (J6.2)")
    if state["opened"][caller]:
        faults.append(f"{name} has opened and cannot call (J6.2c)")
    if state["calls_allowed"][caller] >= table.record[0]["call_max"]:
        faults.append(f"{name} has had all the calls that the rules allow (J6.2d)")
    if not state["pile_n"] or not core.call_possible_in_lane(states, table.record, 0):
        faults.append("no call is possible on this discard (J6.2e)")
    elif state["pile"][int(state["pile_n"]) - 1] == core.JOKER:
        faults.append("a call on a joker, which nobody can have discarded (J10.1)")
    return faults


def _choice_faults(states: NDArray[np.void], table: Engine) -> list[str]:
    """A seat must have something to do, a real choice where auto-fill would act otherwise, and come from a legal action."""
    choices = len(_legal(states, table))
    phase = Phase(int(states[0]["phase"]))
    name = seat_name(int(states[0]["actor"]))
    if phase in (Phase.FILL, Phase.LAYOFF, Phase.MOVE):
        faults = [] if _comes_about(states, table, phase) else [f"{name} cannot have got here: what it has begun is not legal"]
        if choices < 2:
            faults.append(f"{name} has {choices} cards to place; with fewer than two the engine does not ask")
        return faults
    if phase == Phase.DRAW and choices == 0:
        return [f"{name} has nothing to draw: {_why_no_draw(states[0], table)}"]
    if phase != Phase.OVER and choices == 0:
        return [f"{name} has nothing to do"]
    return []


def _why_no_draw(state: Any, table: Engine) -> str:
    """Why there is neither a card in the stock nor an upcard to take."""
    if state["pile_n"] < 2:
        stock = "the stock is empty, and no card lies below the upcard to renew it"
    else:
        stock = f"the stock is empty, and the rules allow {table.rules.reshuffle_max} reshuffles"
    upcard = "could not be laid in this turn (KL4.1)" if state["pile_n"] else "is missing"
    return f"{stock} (J12.1), and the upcard {upcard}: the deal would be blocked (J12.3, KL5.3)"


def _legal(states: NDArray[np.void], table: Engine) -> list[int]:
    legal = np.empty(core.MAX_ACTIONS, np.int16)
    count = core.list_lane(states, table.record, table.feas, 0, legal) >> 8
    return [int(action) for action in legal[:count]]


def _comes_about(states: NDArray[np.void], table: Engine, phase: Phase) -> bool:
    """Whether a position in the midst of a meld, lay-off or joker move comes about by legal actions from the one before."""
    before = states.copy()
    state = before[0]
    actor = int(state["actor"])
    if phase != Phase.FILL:
        action = _action_before(state, phase, table)
        state["phase"] = Phase.PLAY
        return action in _legal(before, table)
    slot = int(state["melds_laid"]) if table.is_kaluki else core.MELDS_PER_SEAT * actor + int(state["meld_n"][actor])
    begun = meld_in_slot(state, slot)
    kind, key, low = (int(state[f"meld_{part}_now"]) for part in ("kind", "key", "low"))
    placed = begun.cards if begun else ()
    for card in placed:
        state["hands"][actor, card] += 1
        state["table_count"][card] -= 1
    state["hand_n"][actor] += len(placed)
    for part in ("kind", "key", "low", "len", "bits"):
        state[f"meld_{part}"][slot] = 0
    state["phase"] = Phase.PLAY if state["opened"][actor] else Phase.MELD
    state["used_ranks"], state["used_suits"], state["meld_owner"][slot] = 0, 0, 0
    core.complete_lane(before, table.record, table.feas, 0)
    if table.is_kaluki:
        actions = [core.SET_OF + key if kind == MeldKind.THREE else core.RUN_OF + core.RUN_LOWS * key + low]
    else:
        actions = [core.THREE_OF + key if kind == MeldKind.THREE else core.FOUR_OF + core.LOWS * key + low]
    actions += [core.PLACE + card for card in placed]
    for number, action in enumerate(actions):
        if int(state["meld_len"][slot]) >= number and number:
            continue  # auto-fill has placed this card
        legal = np.empty(core.MAX_ACTIONS, np.int16)
        count = core.list_lane(before, table.record, table.feas, 0, legal) >> 8
        if core.step_listed(before, table.record, table.feas, 0, action, legal, count) < 0:
            return False
    return _phase_and_melds(before[0]) == _phase_and_melds(states[0])


def _action_before(state: Any, phase: Phase, table: Engine) -> int:
    """The action that led to a lay-off or a joker move."""
    first = {section.kind: section.first for section in core.sections(table.max_seats, table.is_kaluki)}
    target, high = int(state["target"]), int(state["target_high"])
    if table.is_kaluki:
        return (
            first[ActionKind.LAY_OFF_ONTO] + 2 * target + high if phase == Phase.LAYOFF else first[ActionKind.SWAP_JOKER] + target
        )
    operand = 2 * int(core.relative_slot(target, int(state["actor"]), table.num_players)) + high
    return first[ActionKind.LAY_OFF if phase == Phase.LAYOFF else ActionKind.MOVE_JOKER] + operand


def _phase_and_melds(state: Any) -> tuple[bytes, ...]:
    """What a lay-down has led to."""
    parts = [state[f"meld_{part}"].tobytes() for part in ("kind", "key", "low", "len", "bits", "n")]
    return (*parts, bytes([state["phase"]]))
