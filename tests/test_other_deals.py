"""The Jamaican game with other deals: `short7`, and `south_african`, whose deals have to be supplied."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import test_aec
import test_no_peek
from brute_force import Keys, can_meet, distance_by_drawing, within
from conftest import OTHER_DEALS, positions
from pettingzoo.test import api_test
from test_core import choose
from test_solver import fast_can_meet, fast_distances, near_contract, some_hand

import kalooki_env
from kalooki_env import Game, Refusal, Rules, RulesError, core
from kalooki_env.core import Phase
from kalooki_env.game.engine import engine
from kalooki_env.verify import mixed_policy

SOUTH_AFRICAN = OTHER_DEALS[1]
POSITION = (
    "kalooki: 1\nrules: {rules}\nplayers: 3\ndeal: {deal}\ndealer: P3\nturns: 3\nphase: play P1\nhand P1: {hand}\nhand P2: 4C\n"
    "hand P3: QC 2C\nstock: rest\npile: 5C\n"
)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Game("south_african", 4),
        lambda: Game(Rules.preset("south_african"), 4),
        lambda: Game.from_text(POSITION.format(rules="south_african", deal=1, hand="2S")),
        lambda: kalooki_env.env("south_african", 4),
        lambda: kalooki_env.raw_env("south_african", 4, deal=1),
        lambda: kalooki_env.make_vec(2, rules="south_african"),
        lambda: kalooki_env.make_selfplay(2, rules="south_african"),
        lambda: kalooki_env.SeatEnv(rules="south_african"),
        lambda: Rules.preset("south_african").packs_for(4),
        lambda: Rules.preset("south_african").contract(1),
    ],
    ids=["game", "game-of-rules", "position", "aec", "aec-deal", "vector", "self-play", "seat", "packs", "contract"],
)
def test_deals_that_no_source_gives_must_be_supplied(make: Any) -> None:
    """The error says what, and how."""
    with pytest.raises(
        RulesError, match=r"must be supplied: in a text 'south_african deals=33/13,34/13', in Python Rules\.preset"
    ):
        make()


@pytest.mark.parametrize(
    ("deals", "message"),
    [
        ("33", "'33' is not allowed; allowed: one to four melds"),
        ("43/13", "'43/13' is not allowed"),
        ("35/13", "'35/13' is not allowed"),
        ("33333/16", "'33333/16' is not allowed"),
        ("3333/11", "'3333/11' is not allowed"),
        ("33/17", "'33/17' is not allowed"),
        ("/13", "'/13' is not allowed"),
        ("33/13,", "'' is not allowed"),
        (",".join(["33/13"] * 10), "10 deals are not allowed; allowed: at most 9"),
    ],
)
def test_deals_of_a_wrong_form(deals: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules.parse(f"south_african deals={deals}")


def test_deals_of_the_short_form() -> None:
    """Point 86: deals 2 and 3, and 7 and 8, are one each, as the later of the two."""
    rules = Rules.preset("short7")
    codes = ["3" * contract.threes + "4" * contract.fours for contract in map(rules.contract, range(1, 8))]
    assert codes == ["333", "344", "444", "3333", "3334", "3444", "4444"]
    assert [rules.contract(deal).hand_size for deal in range(1, 8)] == [9, 11, 12, 12, 13, 15, 16]
    with pytest.raises(RulesError, match="deal 8 is not allowed; allowed: 1 to 7"):
        Game(rules, 4, deal=8)
    assert Game(rules, 2, deal=7).phase is Phase.DRAW  # a sudden death
    with pytest.raises(RulesError, match="only a sudden death, deal 7"):
        Game(rules, 2, deal=6)


def test_values_of_the_south_african_cards() -> None:
    rules = Rules.parse(SOUTH_AFRICAN)
    values = [rules.card_points(card) for card in ("JK", "AS", "AH", "KD", "TC", "9S", "2H")]
    assert values == [25, 11, 11, 10, 10, 9, 2]
    assert Rules.parse(str(rules)) == rules
    for players in (2, 6):
        with pytest.raises(RulesError, match="allowed"):
            Game(rules, players, deal=1)


def test_contracts_of_one_and_two_melds_are_laid() -> None:
    """Hands are larger than the contract: what is over stays in the hand, or is laid off."""
    one = "south_african deals=3/13,4/13"
    hand = "7S 7H 7D 2C 3C KS QD 9H JC 5D TS 8C AH 4D"
    opened = Game.from_text(POSITION.format(rules=one, deal=1, hand=hand)).do("lay down 7S 7H 7D")
    assert opened.hand(0) == sorted(set(hand.split()) - {"7S", "7H", "7D"}, key=opened.hand(0).index)
    four = Game.from_text(POSITION.format(rules=one, deal=2, hand="5H 6H JK 8H 9H KS QD JC TD"))
    assert four.verify("lay down 5H 6H JK") is Refusal.TOO_FEW_CARDS
    assert len(four.do("lay down 5H 6H JK 8H 9H").hand(0)) == 4
    two = Game.from_text(POSITION.format(rules=SOUTH_AFRICAN, deal=2, hand="7S 7H 7D 7C 5H 6H 7H 8H 2C KS"))
    assert two.verify("lay down 7S 7H 7D") is Refusal.PARTIAL_CONTRACT
    assert two.verify("lay down 7S 7D 7C + 7S 7H 7D") is Refusal.CARD_NOT_HELD
    assert two.copy().do("lay down 7S 7D 7C + 5H 6H 7H 8H").hand(0) == ["KS", "7H", "2C"]
    assert two.copy().do("lay down 7S 7H 7D + 5H 6H 7H 8H").hand(0) == ["KS", "2C", "7C"]


@pytest.mark.parametrize("keys", [Keys(2, 2, True, True), Keys(2, 1, False, False)], ids=str)
@pytest.mark.parametrize(("threes", "fours"), [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)])
def test_distance_of_one_and_two_melds_equals_brute_force(threes: int, fours: int, keys: Keys) -> None:
    rng = random.Random(f"{threes} {fours} {keys}")
    hands = [some_hand(rng, keys.packs, threes, fours) for _ in range(25)]
    hands += [near_contract(rng, keys.packs, threes, fours, rng.randrange(5)) for _ in range(15)]
    distances = fast_distances(hands, keys, threes, fours)[0]
    for hand, distance, meets in zip(hands, distances, fast_can_meet(hands, keys, threes, fours), strict=True):
        d = int(distance)
        assert (d == 0) == meets == can_meet(hand, keys, threes, fours), hand
        assert within(hand, keys, threes, fours, d), hand
        assert d == 0 or not within(hand, keys, threes, fours, d - 1), hand
    for hand, distance in zip(hands[-6:], distances[-6:], strict=True):
        assert min(int(distance), 2) == distance_by_drawing(hand, keys, threes, fours, 1), hand
    assert len(set(distances.tolist())) > 2


@pytest.mark.parametrize("rules", OTHER_DEALS)
def test_every_deal_is_played_with_exact_masks(rules: str, rng: np.random.Generator) -> None:
    """Cards are conserved, the mask is what `step` accepts, and texts read back, in all phases."""
    table = engine(Rules.parse(rules), 4)
    states = np.zeros(14, core.STATE)
    core.seed_lanes(states, np.arange(14).astype(np.uint64))
    core.reset_lanes(states, table.record, np.arange(14) % 7 + 1, np.arange(14) % 4)
    masks, codes = np.zeros((14, table.num_actions), np.int8), np.zeros(14, np.uint8)
    for step in range(240):
        core.mask_lanes(states, table.record, table.feas, masks)
        assert (masks.any(axis=1) == (states["phase"] != Phase.OVER)).all()
        if step % 40 == 0:
            for lane in range(14):
                for action in range(table.num_actions):
                    copy = states[lane : lane + 1].copy()
                    core.step_lanes(copy, table.record, table.feas, np.array([action]), codes[:1])
                    assert (codes[0] == core.STEPPED) == bool(masks[lane, action])
        core.step_lanes(states, table.record, table.feas, choose(masks, rng), codes)
        held = states["hands"].sum(axis=(1, 2)) + states["table_count"].sum(axis=1)
        assert (held + states["stock_n"] + states["pile_n"].astype(int) == 108).all()
    phases = set()
    for deal in range(1, 8):
        for step, position in enumerate(positions(Game(rules, 4, deal=deal, seed=deal), rng, mixed_policy)):
            if step % 11 == 0 or position.phase in (Phase.MELD, Phase.FILL, Phase.LAYOFF, Phase.MOVE):
                assert Game.from_text(position.text()).states.tobytes() == position.states.tobytes()
                phases.add(position.phase)
    assert {Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.FILL, Phase.CALL, Phase.OVER} <= phases


@pytest.mark.parametrize("rules", OTHER_DEALS)
def test_environments(rules: str, rng: np.random.Generator) -> None:
    api_test(kalooki_env.env(rules, 4), num_cycles=100)
    test_aec.test_rewards_equal_the_scores(rules, rng)
    test_no_peek.test_the_environment_gives_nothing_away(rules, rng)
    env = kalooki_env.env(rules, 4)
    env.reset(seed=1)
    seen = set()
    for _ in range(60):
        seen.add(env.infos["player_0"]["deal"])
        env.reset()
    assert seen == set(range(1, 8))
    batch = kalooki_env.make_selfplay(7, rules=rules, lane_deals=list(range(1, 8)))
    at = batch.reset(seed=1)
    for _ in range(150):
        at = batch.step(np.argmax(rng.random(at.action_mask.shape) * at.action_mask, axis=1))
    assert batch.illegal_actions == 0
