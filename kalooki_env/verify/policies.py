"""Who chooses: play that opens, play that stalls, and play that goes where ordinary play seldom does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

import numpy as np

from kalooki_env import core
from kalooki_env.agents import load
from kalooki_env.agents.play import Player
from kalooki_env.core import Phase
from kalooki_env.game.engine import Engine
from kalooki_env.game.game import Game

#: Chooses one of the legal action numbers of a game.
Policy = Callable[[Game, list[int], np.random.Generator], int]

PLACE_JOKER = core.PLACE + core.JOKER


def one_of(actions: list[int], rng: np.random.Generator) -> int:
    """Any of these."""
    return actions[int(rng.integers(len(actions)))]


def random_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Any legal action."""
    return one_of(legal, rng)


def eager_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Random, but mostly lays down, lays off and moves jokers where that is possible, which random play seldom gets to."""
    busy = [action for action in legal if action >= core.LAY_DOWN and action != core.END_TURN]
    if busy and rng.random() < 0.8:
        return one_of(busy, rng)
    return random_policy(game, legal, rng)


@lru_cache(maxsize=64)
def _greedy(table: Engine) -> Player:
    return Player(load("greedy"), table, "greedy")


def greedy_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """The scripted agent `greedy` at all seats: deals in which somebody opens and goes out."""
    return int(_greedy(game.engine).act(game.states, np.zeros(1, np.int64), game.mask()[None], rng)[0])


def mixed_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """`greedy` with one random choice in five: late play that greedy alone would end, or never get into."""
    return random_policy(game, legal, rng) if rng.random() < 0.2 else greedy_policy(game, legal, rng)


def caller_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Calls and allows nearly everything and draws from the stock, which so runs out; opens late."""
    wanted = [action for action in (core.CALL_CARD, core.ALLOW, core.DRAW_STOCK) if action in legal]
    if wanted and rng.random() < 0.9:
        return wanted[0]
    return late_policy(game, legal, rng)


def late_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """As `eager`, but nine times in ten does not lay down where it could."""
    if core.LAY_DOWN in legal and rng.random() < 0.9:
        return one_of([action for action in legal if action != core.LAY_DOWN] or legal, rng)
    return eager_policy(game, legal, rng)


def hoarder_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Keeps its jokers and nothing else: opens with naturals, gets rid of naturals, and so is left with jokers alone."""
    if core.LAY_DOWN in legal:
        return core.LAY_DOWN
    phase = game.phase
    if phase is Phase.PLAY:
        discards = [action for action in legal if action < core.PLACE]
        if core.END_TURN in legal and rng.random() < 0.7:
            return core.END_TURN
        busy = [action for action in legal if action >= core.LAY_OFF]
        if busy and discards and rng.random() < 0.8:
            return one_of(busy, rng)
        return one_of(discards or legal, rng)
    if phase in (Phase.FILL, Phase.LAYOFF, Phase.MOVE):
        return one_of([action for action in legal if action != PLACE_JOKER] or legal, rng)
    if phase is Phase.DRAW and core.TAKE_UPCARD in legal and rng.random() < 0.5:
        return core.TAKE_UPCARD
    return random_policy(game, legal, rng)


def joker_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Moves jokers rather than laying off, lays off rather than discarding, and places jokers before naturals."""
    moves = core.LAY_OFF + 2 * core.MELDS_PER_SEAT * game.max_seats
    for first in (moves, core.LAY_OFF, core.LAY_DOWN):
        wanted = [action for action in legal if action >= first and action != core.END_TURN]
        if wanted and rng.random() < 0.9:
            return one_of(wanted, rng)
    if PLACE_JOKER in legal and rng.random() < 0.8:
        return PLACE_JOKER
    return random_policy(game, legal, rng)


#: Policies by name, those with short deals first: so a short run has some of each.
POLICIES: Mapping[str, Policy] = {
    "greedy": greedy_policy,
    "joker": joker_policy,
    "mixed": mixed_policy,
    "hoarder": hoarder_policy,
    "eager": eager_policy,
    "late": late_policy,
    "caller": caller_policy,
    "random": random_policy,
}
#: Those that need no agent.
PLAIN: Collection[str] = tuple(name for name in POLICIES if name not in ("greedy", "mixed"))
