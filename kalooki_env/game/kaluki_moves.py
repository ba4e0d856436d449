"""Openings and further melds of Kaluki as one move each (`ACTIONS.md`, 8.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES, card_number
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import Meld, NotAMeldError, as_a_run, faults_of, meld_in_slot, missing_from, read_meld
from kalooki_env.game.notation import meld_text
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import Rules

#: Carries out one action text; returns the reason if it is refused.
Do = Callable[[str], Refusal | None]


def lay_down_in_kaluki(text: str, state: Any, table: Engine, do: Do) -> Refusal | None:
    """A whole opening, melds at full length."""
    melds = _melds(text)
    if isinstance(melds, Refusal):
        return melds
    if state["phase"] == Phase.PLAY:
        if state["opened"][state["actor"]]:
            return Refusal.ALREADY_OPENED
        refusal = _why_not_from_hand(melds, state, table)
        if refusal is None and sum(opening_value(meld, table) for meld in melds) < table.record[0]["opening_points"]:
            refusal = Refusal.NOT_ENOUGH_POINTS
        if refusal is not None:
            return refusal
    refusal = do("lay down")
    for meld in melds:
        refusal = refusal or _lay(meld, state, table, do)
    if refusal is None and state["phase"] == Phase.MELD:
        refusal = do("end opening")
    return refusal


def lay_further_meld(text: str, state: Any, table: Engine, do: Do) -> Refusal | None:
    """A meld of a seat that has opened."""
    melds = _melds(text)
    if isinstance(melds, Refusal):
        return melds
    if state["phase"] == Phase.PLAY and state["opened"][state["actor"]]:
        refusal = _why_not_from_hand(melds, state, table)
        if refusal is not None:
            return refusal
    return _lay(melds[0], state, table, do) if len(melds) == 1 else Refusal.SURPLUS_MELD


def swap_in_set(action: str, slot: int, names: list[str], state: Any, do: Do) -> Refusal | None:
    """A swap in a set that gives its jokers only for all naturals that it lacks: just these must be named.

    Args:
        action: the swap without its cards.
        slot: the set's.
        names: the cards.
        state: STATE record of the position, which `do` changes.
        do: carries out one action.

    Raises:
        NotationError: a name of no card.
    """
    cards = sorted(card_number(name) for name in names)
    if state["phase"] == Phase.PLAY and any(not state["hands"][state["actor"], card] for card in cards):
        return Refusal.CARD_NOT_HELD
    meld = meld_in_slot(state, slot)
    refusal = do(action)
    return Refusal.ALL_MISSING_SUITS if refusal is None and meld and cards != missing_from(meld) else refusal


def two_readings(move: str, rules: Rules) -> list[str]:
    """Of each meld of a move that could be a set or a run, how it is read and how the other one is written."""
    kind = next((word for word in ("meld ", "lay down ") if move.startswith(word)), None)
    if kind is None or rules.game != "kaluki":
        return []
    parts = [part.strip() for part in move.removeprefix(kind).split("+")]
    runs = {part: as_a_run(part, rules) for part in parts}
    return [f"{part} is read as a set; the run is written {run}" for part, run in runs.items() if run]


def opening_value(meld: Meld, table: Engine) -> int:
    """Points of a meld in an opening (KL2)."""
    points, joker = table.record[0]["points"], int(table.record[0]["joker_value"])
    total = 0
    for i, card in enumerate(meld.cards):
        stands_for = meld.key if meld.kind == MeldKind.THREE else 13 * meld.key + (meld.low + i) % 13
        total += (joker or int(points[stands_for])) if card == core.JOKER else int(points[card])
    return total


def _melds(text: str) -> list[Meld] | Refusal:
    try:
        return [read_meld(part) for part in text.split("+")]
    except NotAMeldError as error:
        return error.refusal


def _why_not_from_hand(melds: list[Meld], state: Any, table: Engine) -> Refusal | None:
    for meld in melds:
        for fault in faults_of(meld, table.rules):
            return fault.refusal
    needed = Counter(card for meld in melds for card in meld.cards)
    held = state["hands"][state["actor"]]
    return Refusal.CARD_NOT_HELD if any(count > held[card] for card, count in needed.items()) else None


def _lay(meld: Meld, state: Any, table: Engine, do: Do) -> Refusal | None:
    """Name a meld and place its cards. Auto-fill may place others, the only ones possible: what was meant is refused then."""
    slot = int(state["melds_laid"])
    refusal = do(meld_text(meld.kind, meld.key, meld.low, table))
    while refusal is None and state["phase"] == Phase.FILL and state["melds_laid"] == slot:
        placed = int(state["meld_len"][slot])
        refusal = do(f"place {CARD_NAMES[meld.cards[placed]]}" if placed < len(meld.cards) else "end meld")
    laid = None if refusal is not None else meld_in_slot(state, slot)
    if laid is None or laid.cards == meld.cards:
        return refusal
    return Refusal.MUST_LAY if len(laid.cards) > len(meld.cards) else Refusal.CANNOT_BE_SPARED
