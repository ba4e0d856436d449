"""Shared helpers: all presets and table sizes, and random play that can be repeated from its seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kalooki_env.game.game import Game
from kalooki_env.rules import presets
from kalooki_env.verify import Policy, eager_policy

PRESETS = tuple(presets())


def positions(game: Game, rng: np.random.Generator, policy: Policy = eager_policy, limit: int = 10_000) -> Iterator[Game]:
    """The game before each action until it is over, and then; always the same object."""
    for _ in range(limit):
        yield game
        if game.to_move is None:
            return
        game.do(policy(game, game.legal_numbers(), rng))


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed."""
    return np.random.default_rng(20261)
