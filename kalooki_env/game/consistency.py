"""Faults of a position that can be read, but not be. Part of reading a text; positions made by the engine have none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import faults_of, meld_in_slot
from kalooki_env.game.notation import meld_name


def faults_of_position(states: NDArray[np.void], table: Engine) -> list[str]:
    """Everything that is wrong with a position, one sentence each; fills in what follows from the rest (`can_lay`, scores).

    Hand sizes are not looked at, so that exercises with few cards can be set up.
    """
    state = states[0]
    faults = _meld_faults(state, table) + _memory_faults(state, table) + _phase_faults(state, table)
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
            faults += [f"meld {meld_name(slot)}: {fault.text}" for fault in faults_of(meld, table.rules, complete=slot != begun)]
        kinds = [meld.kind for meld in melds.values()]
        threes, fours = kinds.count(MeldKind.THREE), kinds.count(MeldKind.FOUR)
        name = seat_name(seat)
        laid = f"{threes} threes and {fours} fours"
        wanted = f"the contract is {contract.threes} and {contract.fours}"
        if state["opened"][seat] and (threes, fours) != (contract.threes, contract.fours):
            faults.append(f"{name} has opened with {laid}; {wanted} (J7.2)")
        laying = in_lay_down and seat == state["actor"]
        left = contract.threes + contract.fours - len(melds) - (state["phase"] == Phase.MELD)
        if laying and (threes > contract.threes or fours > contract.fours or left < 0):
            faults.append(f"{name} is laying down, but has {laid} already; {wanted}")
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


def _phase_faults(state: Any, table: Engine) -> list[str]:
    phase = Phase(int(state["phase"]))
    actor, turn = int(state["actor"]), int(state["turn"])
    name = seat_name(actor)
    faults = []
    if phase != Phase.OVER and state["turns"] >= table.record[0]["max_turns"]:
        faults.append(f"{state['turns']} turns: the deal would be blocked (J12.4)")
    if phase in (Phase.MELD, Phase.FILL) and state["opened"][actor]:
        faults.append(f"{name} is laying down, but has opened already (J7.1)")
    if phase == Phase.OVER and state["winner"] >= 0:
        winner = int(state["winner"])
        if state["hand_n"][winner] or not state["opened"][winner]:
            faults.append(f"{seat_name(winner)} cannot have gone out: not opened, or with cards in hand (J10.2)")
    if phase in (Phase.PLAY, Phase.LAYOFF, Phase.MOVE) and state["hand_n"][actor] == 0:
        faults.append(f"{name} is to play with an empty hand")
    if state["opened_now"] and not state["opened"][actor]:
        faults.append(f"{name} opened now, but has not opened")
    if phase in (Phase.LAYOFF, Phase.MOVE):
        if not state["opened"][actor]:
            faults.append(f"{name} has not opened and can neither lay off nor move jokers (J8.1, J9.1)")
        if meld_in_slot(state, int(state["target"])) is None:
            faults.append(f"there is no meld {meld_name(int(state['target']))}")
    if phase in (Phase.CALL, Phase.ANSWER):
        caller = actor if phase == Phase.CALL else int(state["caller"])
        faults += _call_faults(state, table, caller, turn)
    return faults


def _call_faults(state: Any, table: Engine, caller: int, turn: int) -> list[str]:
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
    stock, pile = int(state["stock_n"]), int(state["pile_n"])
    renewable = state["reshuffles"] < table.record[0]["reshuffle_max"]
    if not table.rules.calls_enabled or not (stock + pile >= 3 if stock else pile >= 3 and renewable) or not pile:
        faults.append("no call is possible on this discard (J6.2e)")
    return faults


def _choice_faults(states: NDArray[np.void], table: Engine) -> list[str]:
    """A seat must have something to do, and a real choice where auto-fill would act otherwise."""
    legal = np.empty(core.MAX_ACTIONS, np.int16)
    choices = core.list_lane(states, table.record, table.feas, 0, legal) >> 8
    phase = Phase(int(states[0]["phase"]))
    name = seat_name(int(states[0]["actor"]))
    if phase in (Phase.FILL, Phase.LAYOFF, Phase.MOVE) and choices < 2:
        return [f"{name} has {choices} cards to place; with fewer than two the engine does not ask"]
    if phase != Phase.OVER and choices == 0:
        return [f"{name} has nothing to do"]
    return []
