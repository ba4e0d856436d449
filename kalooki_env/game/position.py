"""A position as text (`ACTIONS.md`, section 6), from a STATE record."""

from __future__ import annotations

from typing import Any

import numpy as np

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import cards_text, counts_text, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.game.notation import meld_name, meld_text

#: Words of the phases in texts.
PHASE_WORDS = {phase: phase.name.lower() for phase in Phase}


def phase_text(state: Any, table: Engine) -> str:
    """The value of the line `phase`, from a STATE or VIEW record."""
    phase = Phase(int(state["phase"]))
    seat = seat_name(int(state["actor"]))
    opened_now = " opened now" if state["opened_now"] else ""
    match phase:
        case Phase.DRAW:
            return f"draw {seat}" + (" after call" if state["after_call"] else "")
        case Phase.PLAY:
            return f"play {seat}{opened_now}"
        case Phase.MELD:
            return f"meld {seat}"
        case Phase.FILL:
            kind, key, low = (int(state[f"meld_{part}_now"]) for part in ("kind", "key", "low"))
            return f"fill {seat} {meld_text(kind, key, low, table)}{opened_now}"
        case Phase.LAYOFF:
            slot = int(state["target"])
            three = state["meld_kind"][slot] != MeldKind.FOUR
            return f"layoff {seat} onto {meld_name(slot, state, table)}" + ("" if three else _end(state)) + opened_now
        case Phase.MOVE:
            name = meld_name(int(state["target"]), state, table)
            return f"swap {seat} in {name}{opened_now}" if table.is_kaluki else f"move {seat} in {name} to{_end(state)}"
        case Phase.CALL:
            return f"call {seat} on {seat_name(int(state['turn']))}"
        case Phase.ANSWER:
            return f"answer {seat} to {seat_name(int(state['caller']))}"
        case Phase.OVER:
            winner = int(state["winner"])
            return f"over {'blocked' if winner < 0 else seat_name(winner)}"


def position_text(state: Any, engine: Engine) -> str:
    """The whole position, hidden cards and the generator included, as lines that end with a line break."""
    n = engine.num_players
    seats = range(n)
    lines = [
        "kalooki: 1",
        f"rules: {engine.rules}",
        f"players: {n}",
        f"deal: {state['deal']}",
        f"dealer: {seat_name(int(state['dealer']))}",
        f"turns: {state['turns']}",
        *_standing(state, n),
        f"reshuffles: {state['reshuffles']}",
        f"phase: {phase_text(state, engine)}",
    ]
    lines += [f"hand {seat_name(seat)}: {counts_text(state['hands'][seat])}" for seat in seats]
    lines += [f"meld {meld_name(slot, state, engine)}: {text}" for slot, text in _melds(state, engine)]
    lines.append("opened: " + (", ".join(seat_name(seat) for seat in seats if state["opened"][seat]) or "-"))
    for key, first, second in (("calls", "calls_made", "calls_allowed"), ("answers", "answers_allow", "answers_refuse")):
        pairs = [(seat_name(seat), int(state[first][seat]), int(state[second][seat])) for seat in seats]
        lines.append(f"{key}: " + (", ".join(f"{name} {a}/{b}" for name, a, b in pairs if a or b) or "-"))
    for key in ("known", "discarded", "declined"):
        rows = state[key].reshape(core.SEATS, core.CARDS)
        lines += [f"{key} {seat_name(seat)}: {counts_text(rows[seat])}" for seat in np.flatnonzero(rows.any(axis=1)).tolist()]
    owed = [int(state["owed_card"]) - 1] * bool(state["owed_card"]) + [core.JOKER] * int(state["owed_jokers"])
    if owed:
        lines.append(f"owed: {cards_text(owed)}")
    lines.append("stock: " + _pile_text(state, "stock"))
    lines.append("pile: " + _pile_text(state, "pile"))
    lines.append(f"rng: {int(state['rng']):016x}")
    if state["phase"] == Phase.OVER:
        lines.append("scores: " + ", ".join(f"{seat_name(seat)} {state['scores'][seat]}" for seat in seats))
    return "\n".join(lines) + "\n"


def _standing(state: Any, num_players: int) -> list[str]:
    """Lines of a deal in a match: which it is, and the totals before it."""
    if not state["match_deal"]:
        return []
    totals = ", ".join(f"{seat_name(seat)} {state['totals'][seat]}" for seat in range(num_players))
    return [f"match: {state['match_deal']}", f"totals: {totals}"]


def _melds(state: Any, engine: Engine) -> list[tuple[int, str]]:
    """Slots and texts of the melds; in Kaluki one that is being filled is written even without cards."""
    if engine.is_kaluki:
        slots = list(range(int(state["melds_laid"]) + (state["phase"] == Phase.FILL)))
    else:
        slots = np.flatnonzero(state["meld_len"]).tolist()
    return [(slot, meld.text() if (meld := meld_in_slot(state, slot)) else "-") for slot in slots]


def pile_cards(state: Any, key: str) -> list[int]:
    """Card numbers of the stock or the pile, top first."""
    return [int(card) for card in state[key][: int(state[f"{key}_n"])][::-1]]


def _pile_text(state: Any, key: str) -> str:
    return cards_text(pile_cards(state, key))


def _end(state: Any) -> str:
    return " high" if state["target_high"] else " low"
