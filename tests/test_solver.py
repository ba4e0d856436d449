"""The contract solver against the rule book's examples and against brute force."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from brute_force import Keys, parse_hand
from brute_force import can_meet as slow_can_meet
from numpy.typing import NDArray

from kalooki_env.core.compiled import kernel
from kalooki_env.core.layout import RULES
from kalooki_env.core.solver import can_meet, feasibility_table

CONTRACTS = ((3, 0), (2, 1), (1, 2), (0, 3), (4, 0), (3, 1), (2, 2), (1, 3), (0, 4))
PARTIAL = tuple((t, f) for t in range(5) for f in range(5 - t))
ALL_KEYS = tuple(Keys(*values) for values in product((2, 3), (1, 2), (False, True), (False, True)))


def rules_of(keys: Keys) -> NDArray[Any]:
    """One RULES record with these keys."""
    rules = np.zeros(1, RULES)
    rules["packs"] = keys.packs
    rules["set_min_naturals"] = keys.min_naturals
    rules["distinct_ranks"] = keys.distinct_ranks
    rules["distinct_suits"] = keys.distinct_suits
    return rules


@kernel
def many_can_meet(hands: Any, rules: Any, feas: Any, threes: int, fours: int, used_ranks: int, used_suits: int, out: Any) -> None:
    """`can_meet` of each row of uint8[n, 53]."""
    for i in range(hands.shape[0]):
        out[i] = can_meet(hands[i], rules[0], feas, threes, fours, used_ranks, used_suits)


def fast_can_meet(hands: list[list[int]], keys: Keys, t: int, f: int, used_ranks: int = 0, used_suits: int = 0) -> list[bool]:
    """Answers of the compiled solver."""
    out = np.zeros(len(hands), np.bool_)
    many_can_meet(np.array(hands, np.uint8), rules_of(keys), feasibility_table(), t, f, used_ranks, used_suits, out)
    return [bool(x) for x in out]


# ---- hands ------------------------------------------------------------------------------------------------------------


def put(hand: list[int], card: int, packs: int) -> None:
    """Add a card if a copy is left."""
    if hand[card] < (2 * packs if card == 52 else packs):
        hand[card] += 1


def random_hand(rng: random.Random, packs: int, size: int, cards: list[int] | None = None) -> list[int]:
    """Cards drawn without replacement, of all kinds or of some."""
    deck = [card for card in (cards or list(range(53))) for _ in range(2 * packs if card == 52 else packs)]
    hand = [0] * 53
    for card in rng.sample(deck, min(size, len(deck))):
        hand[card] += 1
    return hand


def near_contract(rng: random.Random, packs: int, t: int, f: int, changes: int) -> list[int]:
    """A contract with cards turned into jokers, taken away and added; melds crowd in few ranks and suits at times."""
    hand = [0] * 53
    ranks = rng.choices(range(13), k=rng.choice((1, 2, 13)))
    suits = rng.choices(range(4), k=rng.choice((1, 2, 4)))
    for _ in range(t):
        rank = rng.choice(ranks)
        for _ in range(3):
            put(hand, 13 * rng.randrange(4) + rank, packs)
    base = rng.randrange(11)
    for _ in range(f):
        suit = rng.choice(suits)
        low = rng.choice((rng.randrange(11), min(10, base + rng.randrange(3))))
        for i in range(4):
            put(hand, 13 * suit + (low + i) % 13, packs)
    for _ in range(changes):
        held = [card for card in range(53) if hand[card]]
        if held and rng.random() < 0.7:
            hand[rng.choice(held)] -= 1
        put(hand, rng.choice((52, rng.randrange(53), 13 * rng.choice(suits) + rng.randrange(13))), packs)
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        put(hand, rng.randrange(53), packs)
    return hand


def some_hand(rng: random.Random, packs: int, t: int, f: int) -> list[int]:
    """A hand of one of the kinds that have shown faults before."""
    kind = rng.randrange(8)
    size = 3 * t + 4 * f
    if kind <= 2:
        return near_contract(rng, packs, t, f, rng.randrange(7))
    if kind == 3:
        return random_hand(rng, packs, rng.randrange(min(40, 2 * size + 8)))
    if kind == 4:  # few ranks
        ranks = rng.sample(range(13), rng.randrange(1, 5))
        hand = random_hand(rng, packs, rng.randrange(size + 6), [13 * s + r for s in range(4) for r in ranks])
    elif kind == 5:  # few suits
        suits = rng.sample(range(4), rng.randrange(1, 3))
        hand = random_hand(rng, packs, rng.randrange(size + 10), [13 * s + r for s in suits for r in range(13)])
    elif kind == 6:  # up to five fours' worth of one suit, in part of its places
        suit, low, span = rng.randrange(4), rng.randrange(9), rng.randrange(4, 14)
        hand = random_hand(rng, packs, rng.randrange(8, 21), [13 * suit + (low + i) % 13 for i in range(span)])
        for _ in range(rng.randrange(4)):
            put(hand, rng.randrange(52), packs)
    else:  # three or four threes of one rank
        rank = rng.randrange(13)
        hand = random_hand(rng, packs, rng.randrange(5, 13), [13 * s + rank for s in range(4)])
        for _ in range(rng.randrange(2 + 4 * f)):
            put(hand, rng.randrange(52), packs)
    for _ in range(rng.choice((0, 1, 2, 2 * packs))):
        put(hand, 52, packs)
    return hand


# ---- feasibility ------------------------------------------------------------------------------------------------------


def check_can_meet(keys: Keys, seed: int, per_contract: int) -> int:
    """Compare with brute force on all whole and partial contracts; returns the number of hands."""
    rng = random.Random(f"{seed} {keys}")
    checked = 0
    for t, f in PARTIAL:
        for round_ in range(2):
            used_ranks = round_ * sum(1 << r for r in rng.sample(range(13), min(4 - t - f, 3)))
            used_suits = round_ * sum(1 << s for s in rng.sample(range(4), min(4 - t - f, 3)))
            hands = [some_hand(rng, keys.packs, t, f) for _ in range(per_contract)]
            answers = fast_can_meet(hands, keys, t, f, used_ranks, used_suits)
            for hand, answer in zip(hands, answers, strict=True):
                assert answer == slow_can_meet(hand, keys, t, f, used_ranks, used_suits), (keys, t, f, used_ranks, used_suits, hand)
            checked += len(hands)
    return checked


@pytest.mark.parametrize("keys", ALL_KEYS, ids=str)
def test_can_meet_equals_brute_force(keys: Keys) -> None:
    """J3, J7: exact for whole and partial contracts under each combination of keys."""
    check_can_meet(keys, seed=1, per_contract=20)
