"""Deals printed turn by turn, all hands open."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.game import Game
from kalooki_env.render.text import table_text, takes_colours


def table_now(game: Game) -> str:
    """The table with all hands open; coloured on a terminal."""
    return table_text(game.view(game.to_move or 0)[0], game.engine, reveal=game.states[0], colour=takes_colours(sys.stdout))


def drawn(before: Any, after: Any, seat: int) -> str:
    """The card that a draw has added to a hand, in brackets."""
    gained = after["hands"][seat].astype(int) - before["hands"][seat]
    return f" ({CARD_NAMES[int(np.argmax(gained))]})" if gained.any() else ""


class Turns:
    """Prints one line per turn: the seats and what they did, calls included."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._turn = 0
        self._seat = -1
        self._words = ""

    def line(self, text: str) -> None:
        """Print a line."""
        if not self._quiet:
            sys.stdout.write(text + "\n")

    def add(self, turn: int, seat: int, text: str) -> None:
        """Note an action."""
        # A discard ends the turn in the count, and its call window belongs to it: a new line begins with a draw.
        if text.startswith(("draw", "take")) or not self._words:
            self.flush()
            self._turn, self._seat, self._words = turn, seat, f"{seat_name(seat)}: {text}"
        elif seat == self._seat:
            self._words += f", {text}"
        else:
            self._seat = seat
            self._words += f"; {seat_name(seat)}: {text}"

    def flush(self) -> None:
        """Print the turn noted so far."""
        if self._words:
            self.line(f"{self._turn:>4}  {self._words}")
        self._words = ""
