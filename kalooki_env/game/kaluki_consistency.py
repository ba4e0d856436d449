"""Faults of melds, and of what is owed, in a position of Kaluki. Part of reading a text."""

from __future__ import annotations

from typing import Any

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import faults_of, meld_in_slot
from kalooki_env.game.notation import meld_name


def kaluki_faults(state: Any, table: Engine) -> list[str]:
    """What is wrong with melds and debts of a STATE record (KL3, KL4)."""
    faults = []
    phase, actor = Phase(int(state["phase"])), int(state["actor"])
    laid = int(state["melds_laid"])
    begun = phase == Phase.FILL
    for slot in range(laid + begun):
        meld = meld_in_slot(state, slot)
        name = meld_name(slot, state, table)
        if meld is not None:
            faults += [f"meld {name}: {fault.text}" for fault in faults_of(meld, table.rules, complete=slot < laid)]
        owner = int(state["meld_owner"][slot])
        if not state["opened"][owner] and not (owner == actor and phase in (Phase.MELD, Phase.FILL)):
            faults.append(f"{seat_name(owner)} has the meld {name} but has not opened")
    for seat in range(table.num_players):
        if state["opened"][seat] and not state["meld_n"][seat]:
            faults.append(f"{seat_name(seat)} has opened without a meld (KL4.2)")
    return faults + _debts(state, table, phase, actor)


def _debts(state: Any, table: Engine, phase: Phase, actor: int) -> list[str]:
    card, jokers = int(state["owed_card"]) - 1, int(state["owed_jokers"])
    if card < 0 and not jokers:
        return []
    name, record = seat_name(actor), table.record[0]
    if phase in (Phase.DRAW, Phase.OVER):
        return ["something is owed, but nobody is to play"]
    faults = []
    # An upcard is one card, and what opened the seat has been laid; all else that is owed are jokers that it swapped.
    opened = bool(state["opened"][actor])
    from_upcard = bool(record["owes_upcard_opened" if opened else "owes_upcard_to_open"]) and not state["opened_now"]
    from_swaps = (opened or record["swaps_before_opening"]) and bool(record["owes_swapped_joker"])
    if (card >= 0) + (0 if from_swaps else jokers) > from_upcard:
        faults.append(f"{name} owes what it need not lay under these rules (KL4.1, KL4.4)")
    # Held, but not always known: a card like it that was laid off counts as the known one.
    held = state["hands"][actor]
    if card >= 0 and not held[card]:
        faults.append(f"{name} owes {CARD_NAMES[card]}, but does not hold it")
    # A joker that was taken as the upcard may have been laid off, where another one can be swapped for it and laid.
    may_be_gone = opened and not record["owes_swapped_joker"]
    if jokers > held[core.JOKER] and not may_be_gone:
        faults.append(f"{name} owes {jokers} jokers, but holds {held[core.JOKER]}")
    return faults
