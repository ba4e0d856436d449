"""Names of cards and seats: text to number and back (`ACTIONS.md`, section 1)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kalooki_env.errors import NotationError
from kalooki_env.rules import JOKER, RANKS, SUITS

#: Card texts in card order; the number of a card is its index.
CARD_NAMES: tuple[str, ...] = (*(rank + suit for suit in SUITS for rank in RANKS), JOKER)
_NUMBERS = {name: number for number, name in enumerate(CARD_NAMES)}


def card_number(text: str) -> int:
    """Number of a card, 0 to 52.

    Raises:
        NotationError: no such card.
    """
    try:
        return _NUMBERS[text]
    except (KeyError, TypeError):  # TypeError: a list or the like
        raise NotationError(f"{text!r} is no card; cards are written 7S: a rank of {RANKS}, a suit of {SUITS}, or JK") from None


def cards_text(numbers: Iterable[int]) -> str:
    """Card texts with spaces between, in the given order; `-` for none."""
    return " ".join(CARD_NAMES[number] for number in numbers) or "-"


def counts_text(counts: NDArray[np.uint8]) -> str:
    """Card texts of a count vector, uint8 (53,), sorted; `-` for none."""
    # From one step to the next most hands stay as they are.
    return _counts_text(counts.tobytes())


@lru_cache(maxsize=4096)
def _counts_text(counts: bytes) -> str:
    return cards_text(card for card, count in enumerate(counts) for _ in range(count))


def seat_name(seat: int) -> str:
    """`P1` for seat 0."""
    return f"P{seat + 1}"


def seat_number(text: str, num_players: int) -> int:
    """0 for `P1`.

    Raises:
        NotationError: no such seat at this table.
    """
    if (
        text[:1] == "P"
        and text[1:].isdecimal()
        and len(text) < 4
        and str(int(text[1:])) == text[1:]
        and 1 <= int(text[1:]) <= num_players
    ):
        return int(text[1:]) - 1
    raise NotationError(f"{text!r} is no seat; allowed: P1 to P{num_players}")
