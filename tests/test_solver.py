"""The contract solver against the rule book's examples and against brute force."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import Keys, distance_by_drawing, parse_hand, within
from brute_force import can_meet as slow_can_meet
from numpy.typing import NDArray

from kalooki_env.core.compiled import kernel
from kalooki_env.core.layout import RULES
from kalooki_env.core.memory import stack_array
from kalooki_env.core.solver import (
    can_meet,
    contract_distance,
    distance_table,
    distance_up_to,
    distances_after_discard,
    feasibility_table,
    lowering_cards,
    tables,
)
from kalooki_env.rules import Rules

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


@kernel
def many_distances(
    hands: Any, rules: Any, feas: Any, dist: Any, threes: int, fours: int, out: Any, discards: Any, lowering: Any
) -> None:
    """`contract_distance`, `distances_after_discard` and `lowering_cards` of each row of uint8[n, 53]."""
    everything = stack_array(53, np.uint8)
    everything[:] = 1
    for i in range(hands.shape[0]):
        out[i, 0] = contract_distance(hands[i], rules[0], feas, dist, threes, fours)
        out[i, 1] = distances_after_discard(hands[i], rules[0], feas, dist, threes, fours, discards[i])
        lowering_cards(hands[i], rules[0], feas, dist, threes, fours, out[i, 0], everything, lowering[i])


def fast_distances(hands: list[list[int]], keys: Keys, t: int, f: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Distances, distances after discards and lowering cards by the compiled solver."""
    count = len(hands)
    out, discards, lowering = np.zeros((count, 2), np.int64), np.zeros((count, 53), np.int8), np.zeros((count, 53), np.uint8)
    array = np.array(hands, np.uint8)
    many_distances(array, rules_of(keys), feasibility_table(), distance_table(), t, f, out, discards, lowering)
    assert (out[:, 0] == out[:, 1]).all()
    return out[:, 0], discards, lowering


@kernel
def many_bounded(hands: Any, rules: Any, feas: Any, dist: Any, threes: int, fours: int, stop: int, bound: int, out: Any) -> None:
    """`distance_up_to` of each row of uint8[n, 53]."""
    for i in range(hands.shape[0]):
        out[i] = distance_up_to(hands[i], rules[0], feas, dist, threes, fours, stop, bound)


def plain_distances(hands: list[list[int]], keys: Keys, t: int, f: int, stop: int = 0, bound: int = 16) -> NDArray[Any]:
    """Distances alone."""
    out = np.zeros(len(hands), np.int64)
    many_bounded(np.array(hands, np.uint8), rules_of(keys), feasibility_table(), distance_table(), t, f, stop, bound, out)
    return out


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


@pytest.mark.parametrize("keys", ALL_KEYS, ids=str)
def test_can_meet_equals_brute_force(keys: Keys) -> None:
    """J3, J7: exact for whole and partial contracts under each combination of keys."""
    rng = random.Random(f"feasibility {keys}")
    for t, f in PARTIAL:
        for begun in (False, True):
            used_ranks = begun * sum(1 << r for r in rng.sample(range(13), min(4 - t - f, 3)))
            used_suits = begun * sum(1 << s for s in rng.sample(range(4), min(4 - t - f, 3)))
            hands = [some_hand(rng, keys.packs, t, f) for _ in range(10)]
            for hand, answer in zip(hands, fast_can_meet(hands, keys, t, f, used_ranks, used_suits), strict=True):
                assert answer == slow_can_meet(hand, keys, t, f, used_ranks, used_suits), (t, f, used_ranks, used_suits, hand)


#: Rule book, section 5.3: deal, hand, whether it opens under `jamaican_consensus`, and under `jamaican`.
OPENINGS = {
    "V1": (2, "AS AH AD 2S 2H 2D 2C 3C 4C 5C KC", True, True),
    "V2": (2, "AS AH 2S 2H 2D 2C 9C TC QC AC KC", False, False),
    "V3": (2, "JS JH JD KS KH 2S 3S 4S 5S JC QC AC KC", True, True),
    "V4": (2, "JS JH JD 2S 2H 2D 2C TC JC QC KC", True, True),
    "V5": (2, "TS TH JD 2S 2H 2D 2C 9C TC JC QC AC KC", True, True),
    "V6": (2, "5S 5H JK 9C 9D 9S 3H 4H JK 6H KD", True, True),
    "V7": (2, "5S 5H JK 9C 9D 2C 3H 4H JK 6H KD", False, False),
    "V8": (9, "2S 3S 4S 5S 6S 7S 8S 9S 4H 5H 6H 7H 8D 9D TD JD KC", False, True),
    "V9": (1, "7S 7S 7H 7H 7D 7D QS QH QC 2D", False, True),
    "V10": (3, "7S 7H 7D 4S 5S 6S 8H 9H TH JH KD 2C", False, False),
    "V11": (1, "3S 3H JK 4S 4H JK 5S 5H JK 9D", True, True),
    "V12": (1, "6S JK JK 8C 8D 8H TS TH TD KC", False, True),
}


@pytest.mark.parametrize("name", OPENINGS)
def test_openings_of_the_rule_book(name: str) -> None:
    """V1 to V12."""
    deal, text, consensus, jamaican = OPENINGS[name]
    hand = parse_hand(text)
    contract = Rules.preset().contract(deal)
    for preset, expected in (("jamaican_consensus", consensus), ("jamaican", jamaican)):
        rules = Rules.preset(preset)
        keys = Keys(2, rules.set_min_naturals, rules.contract_distinct_ranks, rules.contract_distinct_suits)
        assert fast_can_meet([hand], keys, contract.threes, contract.fours) == [expected]
        assert (fast_distances([hand], keys, contract.threes, contract.fours)[0][0] == 0) == expected
        assert slow_can_meet(hand, keys, contract.threes, contract.fours) == expected


def test_used_ranks_and_suits_count_only_where_they_must_differ() -> None:
    """J7.4."""
    hand = parse_hand("7S 7H 7D 2C 3C 4C 5C")
    clubs, sevens = 1 << 3, 1 << 6
    for distinct in (False, True):
        keys = Keys(2, 2, distinct, distinct)
        assert fast_can_meet([hand], keys, 1, 1, 0, 0) == [True]
        assert fast_can_meet([hand], keys, 1, 1, sevens, 0) == [not distinct]
        assert fast_can_meet([hand], keys, 1, 1, 0, clubs) == [not distinct]


def test_naturals_may_have_to_stay_out_of_a_four() -> None:
    """Regressions: a joker stands where a natural could, since that natural is needed in another meld."""
    two_fours = "JS JK KS AS JK QS KS AS 2H 2C 2C"
    assert fast_can_meet([parse_hand(two_fours)], Keys(2, 1, False, False), 1, 2) == [True]
    full_three = "4S 5S 6S JK 7S JK JK QS QH QD QC QS QH"
    assert fast_can_meet([parse_hand(full_three)], Keys(2, 1, False, False), 3, 1) == [True]


# ---- distance ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", ALL_KEYS, ids=str)
def test_distance_equals_structural_brute_force(keys: Keys) -> None:
    """No way to fill the contract with fewer cards to come, and a way with as many; up to 5 cards, where it is fast enough."""
    rng = random.Random(f"structure {keys}")
    for t, f in CONTRACTS:
        hands = [some_hand(rng, keys.packs, t, f) for _ in range(9)]
        feasible = fast_can_meet(hands, keys, t, f)
        for hand, distance, now in zip(hands, fast_distances(hands, keys, t, f)[0], feasible, strict=True):
            d = int(distance)
            assert (d == 0) == now, (t, f, hand)
            if d <= 5 - (f >= 3):
                assert within(hand, keys, t, f, d), (t, f, d, hand)
                assert d == 0 or not within(hand, keys, t, f, d - 1), (t, f, d, hand)


@pytest.mark.parametrize("keys", ALL_KEYS, ids=str)
def test_distance_equals_draws_by_brute_force(keys: Keys) -> None:
    """Distance 0, 1 or more by drawing each card in turn; for one hand a contract at distance 2 all pairs of cards."""
    rng = random.Random(f"draws {keys}")
    for t, f in CONTRACTS:
        hands = [near_contract(rng, keys.packs, t, f, rng.randrange(5)) for _ in range(4)]
        pairs_left = 1
        for hand, distance in zip(hands, fast_distances(hands, keys, t, f)[0], strict=True):
            d = int(distance)
            most = 1
            if d == 2 and pairs_left and t + f == 3:
                pairs_left, most = 0, 2
            assert min(d, most + 1) == distance_by_drawing(hand, keys, t, f, most), (t, f, d, hand)


@pytest.mark.parametrize("keys", ALL_KEYS, ids=str)
def test_distances_after_one_card(keys: Keys) -> None:
    """Discards and lowering cards are what the distance of the changed hand says, and the bounded distance agrees."""
    rng = random.Random(f"changes {keys}")
    for t, f in CONTRACTS:
        hands = [some_hand(rng, keys.packs, t, f) for _ in range(30)]
        distances, discards, lowering = fast_distances(hands, keys, t, f)
        changed, where = [], []
        for i, hand in enumerate(hands):
            for card in range(53):
                for step in (-1, 1):
                    if 0 <= hand[card] + step <= (2 if card == 52 else 1) * keys.packs:
                        changed.append([n + step * (c == card) for c, n in enumerate(hand)])
                        where.append((i, card, step))
        expected_discards, expected_lowering = np.full_like(discards, -1), np.zeros_like(lowering)
        for (i, card, step), distance in zip(where, plain_distances(changed, keys, t, f), strict=True):
            assert 0 <= step * (distances[i] - distance) <= 1
            if step < 0 and card != 52:
                expected_discards[i, card] = distance
            elif step > 0:
                expected_lowering[i, card] = distance < distances[i]
        assert np.array_equal(discards, expected_discards)
        assert np.array_equal(lowering, expected_lowering)
        for stop in range(4):
            bounded = plain_distances(hands, keys, t, f, stop, stop + 1)
            assert np.array_equal(bounded <= stop, distances <= stop)
            assert (bounded <= stop + 1).all()


# ---- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [feasibility_table, distance_table])
def test_tables_are_kept_and_rebuilt_when_damaged(
    table: Callable[[], NDArray[np.uint8]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = table()
    assert expected.dtype == np.uint8
    assert expected.flags.writeable  # a read-only array would be another type to Numba
    assert table() is expected
    monkeypatch.setenv("KALOOKI_CACHE_DIR", str(tmp_path))

    def reload() -> NDArray[np.uint8]:
        monkeypatch.setattr(tables, "_loaded", {})
        return table()

    assert np.array_equal(reload(), expected)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[:5000], whole[:-1000] + b"x" + whole[-999:], whole):
        file.write_bytes(damaged)
        assert np.array_equal(reload(), expected)
        assert file.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [file]
