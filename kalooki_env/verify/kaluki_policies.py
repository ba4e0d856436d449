"""Who chooses in compared deals of Kaluki. Those that serve both games stand in `policies`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.game.game import Game
from kalooki_env.verify.policies import (
    PLACE_JOKER,
    Policy,
    eager_policy,
    greedy_policy,
    late_policy,
    mixed_policy,
    one_of,
    random_policy,
)


def swapper_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Swaps jokers before all else, lays further melds before laying off, and places jokers before naturals."""
    melds = [action for action in legal if core.SET_OF <= action < core.END_MELD]
    for wanted in ([action for action in legal if action >= core.SWAP_IN], melds, [core.LAY_DOWN]):
        wanted = [action for action in wanted if action in legal]
        if wanted and rng.random() < 0.9:
            return one_of(wanted, rng)
    if PLACE_JOKER in legal and rng.random() < 0.7:
        return PLACE_JOKER
    return eager_policy(game, legal, rng)


def long_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Opens with all it has, ends a meld only where it must, lays jokers off first, and takes what it can from the pile."""
    busy = [action for action in legal if core.SET_OF <= action < core.END_MELD]
    places = [action for action in legal if core.PLACE <= action < core.DRAW_STOCK]
    for wanted in (places, busy, [core.TAKE_UPCARD, core.LAY_DOWN]):
        wanted = [action for action in wanted if action in legal]
        if wanted and rng.random() < 0.9:
            return PLACE_JOKER if PLACE_JOKER in wanted and rng.random() < 0.3 else one_of(wanted, rng)
    return eager_policy(game, legal, rng)


def short_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Ends melds and openings as soon as it may, opens with naturals, and keeps its jokers."""
    for action in (core.END_MELD, core.END_OPENING, core.LAY_DOWN):
        if action in legal and rng.random() < 0.9:
            return action
    rest = [action for action in legal if action not in (PLACE_JOKER, core.JOKER)] or legal
    return eager_policy(game, rest, rng) if game.phase is not Phase.PLAY or rng.random() < 0.7 else one_of(rest, rng)


def thrower_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Discards jokers, takes what others discard, and else lays what it can."""
    if game.phase is Phase.DRAW:
        return core.TAKE_UPCARD if core.TAKE_UPCARD in legal and rng.random() < 0.7 else one_of(legal, rng)
    if core.JOKER in legal and rng.random() < 0.5:
        return core.JOKER
    return eager_policy(game, legal, rng)


#: Policies by name, those with short deals first: so a short run has some of each.
KALUKI_POLICIES: Mapping[str, Policy] = {
    "greedy": greedy_policy,
    "swapper": swapper_policy,
    "mixed": mixed_policy,
    "long": long_policy,
    "eager": eager_policy,
    "short": short_policy,
    "thrower": thrower_policy,
    "late": late_policy,
    "random": random_policy,
}
#: Those that need no agent.
KALUKI_PLAIN: Collection[str] = tuple(name for name in KALUKI_POLICIES if name not in ("greedy", "mixed"))
