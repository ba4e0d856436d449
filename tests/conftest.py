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

#: Files of tests that are not run a second time with checked indices, and why: every other one has the mark `kernels`.
NO_KERNELS: dict[str, str] = {
    "test_bench.py": "measures speed",
    "test_checkpoints.py": "plays what test_arena.py plays, with networks",
    "test_cli.py": "plays little, by what others play",
    "test_compiled.py": "compiles in processes and folders of its own",
    "test_commands.py": "plays nothing",
    "test_docs.py": "plays little, by what others play",
    "test_encodings.py": "plays little, by what others play",
    "test_layers.py": "plays nothing",
    "test_mutants.py": "compiles a copy of its own",
    "test_picture.py": "plays little, by what others play",
    "test_processes.py": "plays in other processes",
    "test_record_refusals.py": "plays the same deal hundreds of times",
    "test_referee_alone.py": "plays in plain Python",
    "test_referee_kaluki.py": "plays in plain Python",
    "test_referee_swap_search.py": "plays in plain Python",
    "test_referee_swaps.py": "plays in plain Python",
    "test_rendering.py": "plays little, by what others play",
    "test_replay.py": "plays little, by what others play",
    "test_sb3.py": "plays what test_vector_env.py plays, with networks",
    "test_seat_env.py": "plays what test_vector_env.py plays, for long",
    "test_strange_files.py": "plays little, by what others play",
    "test_strange_runs.py": "plays little, by what others play",
    "test_wheel.py": "plays nothing",
    "test_yardsticks.py": "plays what test_search.py and test_expert.py play, for long",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are run once more with checked indices."""
    for item in items:
        if item.path.name not in NO_KERNELS:
            item.add_marker("kernels")


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
