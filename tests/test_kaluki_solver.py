"""The search for openings and the masks of lay-downs in Kaluki, against brute force."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import brute_force_kaluki
import numpy as np
import pytest
from brute_force_tables import most_points, tables

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.core.compiled import kernel
from kalooki_env.core.kaluki.cover import ALL, can_complete, can_lay_points, search
from kalooki_env.core.kaluki.cover import most_points as fast_most_points
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.engine import pack_rules
from kalooki_env.game.game import Game
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules

VARIANTS = [
    f"kaluki51 joker_opening_value={value} ace_in_run={ace}"
    for value, ace in product((15, "represented"), ("high_or_low", "high_only"))
]
#: The order of `joker_opening_value` and `ace_in_run` has no bearing; aces of 11, and red ones dearer than black ones, have.
ACES = ["kaluki40_british", "kaluki51 joker_opening_value=represented pip_black_ace=11"]


@kernel
def search_hands(hands: Any, rules: Any, needs: Any, owed: Any, leaves: Any, out: Any) -> None:
    """Of each row of uint8[n, 53]: most points with what is owed, without it, and whether `needs` can be laid with it."""
    none, most = np.int64(0), np.int64(ALL)
    for i in range(hands.shape[0]):
        out[i, 0] = search(hands[i], rules[0], none, none, none, none, none, most, owed[i, 0], owed[i, 1], leaves[i], none)
        out[i, 1] = fast_most_points(hands[i], rules[0], leaves[i])
        out[i, 2] = can_lay_points(hands[i], rules[0], needs[i], owed[i, 0], owed[i, 1], leaves[i])


def counts(hand: Counter[str]) -> list[int]:
    return [hand[name] for name in CARD_NAMES]


def some_hand(rng: random.Random, size: int, jokers: int) -> Counter[str]:
    """Cards that crowd in a few ranks and a stretch of one or two suits, with copies of both packs, aces rather often."""
    suits, low = rng.sample(SUITS, rng.choice((1, 2, 2, 4))), rng.randrange(13)
    ranks = [RANKS[(low + i) % 13] for i in range(rng.choice((3, 5, 7)))] + rng.sample(RANKS, 2) + ["A"] * rng.randrange(2)
    deck = [rank + suit for rank in dict.fromkeys(ranks) for suit in suits for _ in range(2)] + [
        rank + suit for rank in ranks[-2:] for suit in SUITS
    ]
    hand = Counter(rng.sample(deck, min(size - jokers, len(deck))))
    for card in hand:
        hand[card] = min(hand[card], 2)
    hand[JOKER] += jokers
    return +hand


def some_owed(rng: random.Random, hand: Counter[str]) -> Counter[str]:
    """Nothing, a natural of the hand, jokers of it, or both."""
    naturals = sorted(card for card in hand if card != JOKER)
    owed: Counter[str] = Counter()
    if naturals and rng.random() < 0.3:
        owed[rng.choice(naturals)] += 1
    if hand[JOKER] and rng.random() < 0.4:
        owed[JOKER] += rng.randint(1, hand[JOKER])
    return owed


@pytest.mark.parametrize("rules", [*VARIANTS, *ACES])
def test_search_equals_brute_force(rules: str) -> None:
    """Most points, with what is owed and what must stay; and whether just so many, or one more, can be laid."""
    table = Rules.parse(rules)
    rng = random.Random(rules)
    hands = [some_hand(rng, rng.randint(5, 10 - jokers), jokers) for jokers in (0, 0, 1, 1, 2, 2, 3, 4) for _ in range(15)]
    owed = [some_owed(rng, hand) for hand in hands]
    leaves = [rng.choice((0, 0, 1)) for _ in hands]
    expected = [most_points(hand, table, debt, leave) for hand, debt, leave in zip(hands, owed, leaves, strict=True)]
    free = [most_points(hand, table, None, leave) for hand, leave in zip(hands, leaves, strict=True)]
    needs = [max(0, most) + rng.choice((0, 0, 1)) for most in expected]
    debts = [[max((CARD_NAMES.index(card) + 1 for card in debt if card != JOKER), default=0), debt[JOKER]] for debt in owed]
    out = np.zeros((len(hands), 3), np.int64)
    record = pack_rules(table, 4, 4)
    search_hands(
        np.array([counts(hand) for hand in hands], np.uint8), record, np.array(needs), np.array(debts), np.array(leaves), out
    )
    for row, hand, debt, leave, most, without, need in zip(out, hands, owed, leaves, expected, free, needs, strict=True):
        where = f"{sorted(hand.elements())}, owed {dict(debt)}, leave {leave}, {rules}"
        assert row[0] == most, where
        assert row[1] == max(0, without), where
        assert bool(row[2]) == (most >= need), where
    assert len({most for most in expected if most > 0}) > 10
    assert any(most < 0 for most in expected)


def test_the_two_brute_forces_agree() -> None:
    rng = random.Random(3)
    table = Rules.preset("kaluki51")
    for jokers in (0, 1, 2) * 4:
        hand = some_hand(rng, rng.randint(5, 8), jokers)
        owed = some_owed(rng, hand)
        assert most_points(hand, table, owed, 1) == brute_force_kaluki.most_points(hand, table, owed, 1)


@kernel
def complete_melds(hands: Any, rules: Any, melds: Any, needs: Any, leave: int, out: Any) -> None:
    """`can_complete` of each row of uint8[n, 53] for melds (kind, key, place, length, naturals)."""
    none = np.int64(0)
    for i in range(hands.shape[0]):
        kind, key, place, length, naturals = melds[i]
        out[i] = can_complete(hands[i], rules[0], kind, key, place, length, naturals, needs[i], none, none, leave)


def test_a_meld_is_completed_first() -> None:
    """What a named meld and the best of the rest are worth together."""
    record = pack_rules(Rules.preset("kaluki51"), 4, 4)
    hand = counts(Counter(["TS", "JS", "QS", "KS", "AS", "TH", "TD", "2C"]))
    cases = [
        (core.MeldKind.FOUR, 0, 9, 55),  # run of spades from T
        (core.MeldKind.FOUR, 0, 10, 75),  # from J, and the set of T
        (core.MeldKind.THREE, 9, 0, 75),  # the same the other way round
        (core.MeldKind.FOUR, 0, 12, -1),  # there is no run from K
    ]
    out = np.zeros(4, np.int64)
    hands = np.array([hand] * 4, np.uint8)
    melds = np.array([(kind, key, place, 0, 0) for kind, key, place, _ in cases], np.int64)
    for more in (0, 1):
        complete_melds(hands, record, melds, np.array([max(0, points) + more for *_, points in cases]), 0, out)
        assert out.tolist() == [points >= 0 and not more for *_, points in cases]


# ---- masks ------------------------------------------------------------------------------------------------------------------


def laid_tables(game: Game) -> set[tuple[str, ...]]:
    """Melds laid, sorted, at all ends of what the seat to move can lay by single actions, lay-offs and swaps aside."""
    table = game.engine
    before = int(game.states[0]["melds_laid"])
    found, seen = set(), set()
    todo = [game.states.copy()]
    legal = np.empty(core.MAX_ACTIONS, np.int16)
    opening = not game.states[0]["opened"][game.to_move]
    while todo:
        states = todo.pop()
        state = states[0]
        phase = Phase(int(state["phase"]))
        count = core.list_lane(states, table.record, table.feas, 0, legal) >> 8
        actions = legal[:count].copy()
        assert count or phase is Phase.OVER, "a beginning that has no end"
        at_rest = phase is Phase.OVER or (phase is Phase.PLAY and actions[0] < core.PLACE)
        if at_rest and (state["opened"][game.to_move] or not opening):
            melds = [meld_in_slot(state, slot) for slot in range(before, int(state["melds_laid"]))]
            found.add(tuple(sorted(meld.text() for meld in melds if meld)))
        for action in actions:
            lays = core.PLACE <= action < core.DRAW_STOCK or core.LAY_DOWN <= action < core.LAY_OFF_ONTO
            if not lays or (opening and phase is Phase.PLAY and action != core.LAY_DOWN):
                continue
            after = states.copy()
            core.step_listed(after, table.record, table.feas, 0, int(action), legal_copy(actions), count)
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                todo.append(after)
    return found


def legal_copy(actions: np.ndarray) -> np.ndarray:
    out = np.empty(core.MAX_ACTIONS, np.int16)
    out[: len(actions)] = actions
    return out


def text_of(hand: Counter[str], rules: str, owed: Counter[str], opened: bool, opened_now: bool) -> str:
    """P1 to play with this hand; other seats hold nothing that matters."""
    cards = sorted(hand.elements(), key=CARD_NAMES.index)
    debts = " ".join(sorted(owed.elements(), key=CARD_NAMES.index))
    lines = [f"owed: {debts}", f"known P1: {debts}"] if debts else []
    free = next(rank for rank in RANKS if not any(hand[rank + suit] for suit in SUITS))
    melds = [f"meld P1/1: {free}S {free}H {free}D", "opened: P1"] if opened else []
    now = " opened now" if opened_now else ""
    lines += ["kalooki: 1", f"rules: {rules}", "players: 2", "deal: 1", "dealer: P2", "turns: 4", f"phase: play P1{now}"]
    return "\n".join([*lines, f"hand P1: {' '.join(cards)}", f"hand P2: {free}C", *melds, "stock: rest", "pile: -"])


RULES = ("kaluki51 opening_points=25", "kaluki40_british opening_points=20", "kaluki51", "kaluki40_british")


@pytest.mark.parametrize("rules", RULES)
def test_openings_that_can_be_laid(rules: str) -> None:
    """KL4.2: by single actions one gets to just those tables that brute force finds, and never into a dead end."""
    table = Rules.parse(rules)
    rng = random.Random(rules)
    met = many = debts = 0
    for number in range(60):
        jokers = rng.choice((0, 0, 1, 1, 2))
        hand = some_hand(rng, rng.randint(6, 9 - jokers), jokers)
        owed: Counter[str] = Counter()
        if table.upcard_before_opening == "only_to_open" and number % 2:
            owed[rng.choice(sorted(hand))] += 1
        expected = tables(hand, table, table.opening_points or 0, owed, int(table.final_discard_required))
        if owed and not expected:
            continue  # no such position: the upcard could not have been taken
        game = Game.from_text(text_of(hand, rules, owed, False, False))
        assert game.can("lay down") == bool(expected), game
        assert laid_tables(game) == expected, game
        met += bool(expected)
        many += len(expected) > 5
        debts += bool(owed and expected)
    assert met > 8
    assert many or "=" not in rules
    assert debts > 3 or "british" not in rules


@pytest.mark.parametrize("rules", ["kaluki51", "kaluki40_british"])
def test_further_melds_that_can_be_laid(rules: str) -> None:
    """KL4.3, with an upcard and jokers that are owed; in the turn of the opening only where the rules allow it."""
    table = Rules.parse(rules)
    rng = random.Random(rules)
    most = 2 if table.joker_total is None else 1
    met = debts = 0
    for number in range(60):
        jokers = rng.choice((0, 1, most, most))
        hand = some_hand(rng, rng.randint(4, 8 - jokers), jokers)
        opened_now = number % 4 == 0
        owed: Counter[str] = Counter()
        if table.joker_after_swap == "new_meld_this_turn":
            owed = some_owed(rng, hand)
            if opened_now:
                del owed[next((card for card in owed if card != JOKER), "")]
        expected = tables(hand, table, 0, owed, int(table.final_discard_required))
        if opened_now and table.extra_melds == "later_turns":
            expected = {()}
        if not expected:
            continue
        game = Game.from_text(text_of(hand, rules, owed, True, opened_now))
        assert laid_tables(game) == expected, game
        met += len(expected) > 1
        debts += bool(owed)
    assert met > 15
    assert debts > 5 or "british" not in rules
