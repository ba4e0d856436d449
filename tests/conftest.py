"""Shared helpers: all presets and table sizes, and random play that can be repeated from its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from kalooki_env.game.game import Game
from kalooki_env.rules import presets

PRESETS = tuple(presets())
Chooser = Callable[[list[int], np.random.Generator], int]


def any_of(legal: list[int], rng: np.random.Generator) -> int:
    """A random legal action."""
    return legal[int(rng.integers(len(legal)))]


def eager(legal: list[int], rng: np.random.Generator) -> int:
    """A random legal action, mostly a lay-down, lay-off or joker move where there is one."""
    busy = [action for action in legal if action >= 112 and action != 113]
    return any_of(busy if busy and rng.random() < 0.8 else legal, rng)


def positions(game: Game, rng: np.random.Generator, choose: Chooser = eager, limit: int = 10_000) -> Iterator[Game]:
    """The game after each random action until it is over; always the same object."""
    for _ in range(limit):
        yield game
        if game.to_move is None:
            return
        game.do(choose(game.legal_numbers(), rng))


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed."""
    return np.random.default_rng(20261)
