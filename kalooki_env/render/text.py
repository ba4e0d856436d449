"""A table as coloured text, from a VIEW: what one seat may see. Hidden cards only with an explicit `reveal`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.game.notation import meld_name, slots_of
from kalooki_env.game.position import phase_text

_SUIT_COLOURS = {"S": "37", "H": "31", "D": "33", "C": "32"}
_JOKER_COLOUR = "35"
_BOLD, _DIM = "1", "2"


def table_text(
    view: Any, engine: Engine, *, legal: Iterable[str] | None = None, reveal: Any = None, colour: bool | None = None
) -> str:
    """What a seat sees of its table.

    Args:
        view: VIEW record of the observer.
        engine: engine of the table.
        legal: texts of the observer's legal actions, if they are to be listed.
        reveal: STATE record; if given, all hands are shown.
        colour: ANSI colours; default: unless the environment variable NO_COLOR is set.
    """
    paint = _Paint(not os.environ.get("NO_COLOR") if colour is None else colour)
    n = engine.num_players
    observer = int(view["observer"])
    contract = engine.rules.contract(int(view["deal"]))
    most = engine.rules.max_turns(n)
    asked = f"{engine.rules.opening_points} points" if engine.is_kaluki else f"{contract.threes} threes, {contract.fours} fours"
    lines = [
        paint(f"{engine.rules}, deal {view['deal']}", _BOLD)
        + f": {asked}; turn {min(int(view['turns']) + 1, most)} of {most}; "
        + f"dealer {seat_name(int(view['dealer']))}; {phase_text(view, engine)}"
    ]
    known = view["known"].reshape(core.SEATS, core.CARDS)
    for seat in range(n):
        name = seat_name(seat) + (" (you)" if seat == observer and reveal is None else "")
        opened = ", opened" if view["opened"][seat] else ""
        line = f"{name:<10} {view['hand_n'][seat]:>2} cards{opened}"
        if reveal is not None:
            line += ": " + paint.counts(reveal["hands"][seat])
        elif seat == observer:
            line += ": " + paint.counts(view["hand"])
        elif known[seat].any():
            line += paint(", known: ", _DIM) + paint.counts(known[seat])
        lines.append(line)
        for slot in slots_of(seat, view, engine):
            meld = meld_in_slot(view, slot)
            if meld is not None:
                lines.append(
                    f"    {meld_name(slot, view, engine)}  " + " ".join(paint.card(word) for word in meld.text().split())
                )
    pile_n = int(view["pile_n"])
    top = paint.card(CARD_NAMES[int(view["pile"][pile_n - 1])]) if pile_n else "-"
    lines.append(f"stock {view['stock_n']} cards, pile {pile_n} cards, upcard {top}")
    if view["phase"] == Phase.OVER:
        scores = ", ".join(f"{seat_name(seat)} {view['scores'][seat]}" for seat in range(n))
        lines.append(paint(f"scores: {scores}", _BOLD))
    elif legal is not None:
        lines.append(f"{seat_name(int(view['actor']))} may: {', '.join(legal)}")
    return "\n".join(lines) + "\n"


def takes_colours(stream: Any) -> bool:
    """Whether a stream is to get ANSI colours: a terminal is, unless the user wants otherwise (NO_COLOR, FORCE_COLOR)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and bool(stream.isatty())


class _Paint:
    """ANSI colours, or none."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def card(self, text: str) -> str:
        return self(text, _JOKER_COLOUR if text.startswith("JK") else _SUIT_COLOURS[text[1]])

    def counts(self, counts: NDArray[np.uint8]) -> str:
        return " ".join(self.card(CARD_NAMES[card]) for card in np.repeat(np.arange(core.CARDS), counts)) or "-"
