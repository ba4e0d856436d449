"""A STATE record from a position text (`ACTIONS.md`, section 6). All faults of an impossible position are reported together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.errors import NotationError, PositionError, closest
from kalooki_env.files import text_of
from kalooki_env.game.cards import seat_name
from kalooki_env.game.consistency import faults_of_position
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.kaluki_reader import KalukiReader
from kalooki_env.game.reader import Reader, number_in
from kalooki_env.rules import Rules

_KEYS = (
    "kalooki",
    "rules",
    "players",
    "deal",
    "dealer",
    "turns",
    "match",
    "totals",
    "reshuffles",
    "phase",
    "opened",
    "calls",
    "answers",
    "owed",
    "stock",
    "pile",
    "rng",
    "scores",
)
_SEAT_KEYS = ("hand", "meld", "known", "discarded", "declined")
_NEEDED = ("kalooki", "rules", "players", "deal", "dealer", "turns", "phase", "stock", "pile")


def read_position(text: str, max_seats: int | None = None) -> tuple[NDArray[np.void], Engine]:
    """A position as an array of one STATE record, and the engine of its table.

    Args:
        text: the position.
        max_seats: seats that the action space has room for; default: the table's size.

    Raises:
        NotationError: a line that cannot be read, is missing, or stands twice.
        RulesError: unknown rules, or an impossible table.
        PositionError: a position that cannot be; all faults are listed.
    """
    lines = _split(text_of("position", text))
    rules = Rules.parse(lines["rules"])
    rules.contract(1)  # raises if the deals have yet to be supplied
    num_players = number_in(lines, "players", 2, core.SEATS)
    deal = number_in(lines, "deal", 1, rules.num_deals)
    rules.check_table(num_players, deal)
    table = engine(rules, num_players, max_seats)
    reader = (KalukiReader if table.is_kaluki else Reader)(lines, table, deal)
    state = reader.read()
    faults = faults_of_position(state, table, reader.faults)
    if "scores" in lines:
        faults += _score_faults(lines["scores"], state[0], num_players, bool(faults))
    if faults:
        raise PositionError(faults)
    return state, table


def _split(text: str) -> dict[str, str]:
    """Lines as a mapping; every key is known and stands once."""
    lines: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        key, colon, value = line.partition(":")
        key = key.strip()
        word = key.split(" ")[0]
        if not colon or word not in (*_KEYS, *_SEAT_KEYS) or (" " in key) != (word in _SEAT_KEYS):
            raise NotationError(
                f"position line {line!r} has no known key{closest(key, (*_KEYS, *(f'{k} P1' for k in _SEAT_KEYS)))}"
            )
        if key in lines:
            raise NotationError(f"position: the line {key!r} stands twice")
        lines[key] = value.strip()
    missing = [key for key in _NEEDED if key not in lines]
    if missing:
        raise NotationError(
            f"position: the line {missing[0]!r} is missing; needed: {', '.join(_NEEDED)}, and a hand for each seat"
        )
    if lines["kalooki"] != "1":
        raise NotationError(f"position: version {lines['kalooki']!r} is not known; known: 1")
    return lines


def _score_faults(value: str, state: Any, num_players: int, is_faulty: bool) -> list[str]:
    right = ", ".join(f"{seat_name(seat)} {state['scores'][seat]}" for seat in range(num_players))
    if state["phase"] != Phase.OVER:
        return ["scores are given, but the deal is not over"]
    # The scores of a position that cannot be are nobody's fault.
    return [] if is_faulty or value == right else [f"the scores are {right}, not {value}"]
