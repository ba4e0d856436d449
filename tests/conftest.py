"""Shared helpers: the presets by kind, and random play that can be repeated from its seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kalooki_env.game.game import Game
from kalooki_env.rules import Rules, presets
from kalooki_env.verify import Policy, eager_policy

#: Presets of the Jamaican game that differ in what is played in its nine deals, not only in the match.
PRESETS = ("jamaican", "jamaican_consensus", "jamaican_club", "no_call", "open_hand", "joker25")
#: The Jamaican game with other deals.
OTHER_DEALS = ("short7", "south_african deals=33/13,34/13,44/13,333/13,334/13,344/13,444/13")
#: Kaluki.
KALUKI = tuple(name for name in presets() if Rules.preset(name).game == "kaluki")


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
