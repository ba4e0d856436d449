"""The core over many lanes: invariants at every step, and a lane of a batch equals a game alone."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import PRESETS, positions

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.rules import Rules


def batch(table: Engine, lanes: int, seed: int) -> np.ndarray:
    """Lanes with all deals in turn and all dealers, each with its own generator."""
    states = np.zeros(lanes, core.STATE)
    core.seed_lanes(states, np.arange(seed, seed + lanes).astype(np.uint64))
    numbers = np.arange(lanes)
    core.reset_lanes(states, table.record, numbers % table.rules.num_deals + 1, numbers % table.num_players)
    return states


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action per lane, mostly a lay-down, lay-off or joker move where there is one; -1 where the deal is over."""
    weights = rng.random(masks.shape) * (masks > 0)
    weights[:, core.LAY_DOWN] *= 5
    weights[:, core.THREE_OF :] *= 5
    actions = weights.argmax(axis=1)
    actions[~masks.any(axis=1)] = -1
    return actions


def check_cards(states: np.ndarray, num_players: int, deck: np.ndarray, masks: np.ndarray) -> None:
    """What must hold in every position of either game: all cards of the deck are there, and something to do."""
    stock_count = np.zeros((len(states), core.CARDS), int)
    pile_count = np.zeros((len(states), core.CARDS), int)
    for counts, key in ((stock_count, "stock"), (pile_count, "pile")):
        for place in range(core.MAX_DECK):
            lanes = np.flatnonzero(states[f"{key}_n"] > place)
            np.add.at(counts, (lanes, states[key][lanes, place]), 1)
    hands = states["hands"].astype(int)
    assert (hands.sum(axis=1) + stock_count + pile_count + states["table_count"] == deck).all(), "a card is lost or doubled"
    assert (pile_count == states["pile_count"]).all()
    assert (hands.sum(axis=2) == states["hand_n"]).all()
    known = states["known"].reshape(-1, core.SEATS, core.CARDS)
    assert (known <= hands).all()
    assert not hands[:, num_players:].any()
    over = states["phase"] == Phase.OVER
    assert (masks.any(axis=1) == ~over).all(), "a running deal without a legal action, or a finished one with one"
    assert not states["scores"][~over].any()


def check_invariants(states: np.ndarray, table: Engine, masks: np.ndarray) -> None:
    """What must hold in every position."""
    n, packs = table.num_players, int(table.record[0]["packs"])
    check_cards(states, n, np.array([packs] * 52 + [2 * packs]), masks)
    over = states["phase"] == Phase.OVER
    contract = (table.record[0]["threes"].astype(int) + table.record[0]["fours"])[states["deal"] - 1]
    laying = (states["phase"] == Phase.MELD) | (states["phase"] == Phase.FILL)
    actor = np.arange(core.SEATS) == states["actor"][:, None]
    opened = states["opened"] > 0
    assert (np.where(opened, states["meld_n"] == contract[:, None], (states["meld_n"] == 0) | (actor & laying[:, None]))).all()
    # J5: between turns a seat that has not opened holds the cards dealt and two for each allowed call; in its own turn one
    # more after the draw.
    dealt = table.record[0]["hand_size"][states["deal"] - 1].astype(int)
    drawn = actor & np.isin(states["phase"], (Phase.PLAY,))[:, None]
    expected = dealt[:, None] + 2 * states["calls_allowed"].astype(int) + drawn
    seats = np.arange(core.SEATS) < n
    between = ~opened & seats & ~(actor & laying[:, None]) & ~over[:, None]
    assert (states["hand_n"][between] == expected[between]).all()
    assert (states["calls_allowed"].sum(axis=1) == states["answers_allow"].sum(axis=1)).all()


def check_scores(states: np.ndarray, table: Engine) -> None:
    """J11 and J12.5, computed again from the hands."""
    points = table.record[0]["points"].astype(int)
    for state in states[states["phase"] == Phase.OVER]:
        for seat in range(table.num_players):
            by_hand = int((state["hands"][seat] * points).sum()) + (0 if state["opened"][seat] else 50)
            assert state["scores"][seat] == (-50 if seat == state["winner"] else by_hand)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("num_players", "lanes"), [(3, 36), (4, 45), (6, 54), (8, 45)])
def test_invariants_at_every_step(preset: str, num_players: int, lanes: int, rng: np.random.Generator) -> None:
    """Over all parameters more than 150,000 decisions."""
    table = engine(Rules.preset(preset), num_players)
    states = batch(table, lanes, seed=num_players)
    masks = np.zeros((lanes, table.num_actions), np.int8)
    codes = np.zeros(lanes, np.uint8)
    decisions = 0
    for step in range(160):
        core.mask_lanes(states, table.record, table.feas, masks)
        if step % 2 == 0:
            check_invariants(states, table, masks)
        actions = choose(masks, rng)
        core.step_lanes(states, table.record, table.feas, actions, codes)
        assert not codes.any()
        decisions += int((actions >= 0).sum())
    check_scores(states, table)
    assert decisions > 0.8 * 160 * lanes


def test_deals_end_at_the_cap_at_the_latest(rng: np.random.Generator) -> None:
    table = engine(Rules.preset("no_call"), 3)
    states = batch(table, 9, seed=5)
    masks = np.zeros((9, table.num_actions), np.int8)
    codes = np.zeros(9, np.uint8)
    for _ in range(3 * 60 * 30):
        core.mask_lanes(states, table.record, table.feas, masks)
        core.step_lanes(states, table.record, table.feas, choose(masks, rng), codes)
    assert (states["phase"] == Phase.OVER).all()
    check_scores(states, table)


@pytest.mark.parametrize(
    ("preset", "num_players"), [("jamaican", 4), ("jamaican_club", 3), ("jamaican_consensus", 8), ("open_hand", 6)]
)
def test_a_lane_equals_a_game_alone(preset: str, num_players: int) -> None:
    """State bytes, mask and legality, whatever the neighbours do."""
    table = engine(Rules.preset(preset), num_players)
    for neighbours in (1, 7):
        rng = np.random.default_rng(neighbours)
        own = np.random.default_rng(42)
        states = batch(table, neighbours + 1, seed=900)
        lane = neighbours
        core.seed_lanes(states[lane:], np.array([77], np.uint64))
        core.reset_lane(states, table.record, lane, 6, 1)
        game = Game(preset, num_players, deal=6, dealer=1, seed=77)
        masks = np.zeros((len(states), table.num_actions), np.int8)
        codes = np.zeros(len(states), np.uint8)
        while game.to_move is not None:
            core.mask_lanes(states, table.record, table.feas, masks)
            assert states[lane : lane + 1].tobytes() == game.states.tobytes()
            assert (masks[lane] == game.mask()).all()
            actions = choose(masks, rng)
            actions[lane] = choose(masks[lane : lane + 1], own)[0]
            game.do(int(actions[lane]))
            core.step_lanes(states, table.record, table.feas, actions, codes)
        assert states[lane : lane + 1].tobytes() == game.states.tobytes()


def test_an_illegal_action_leaves_its_lane_and_the_others_alone() -> None:
    table = engine(Rules(), 4)
    states = batch(table, 3, seed=1)
    before = states.copy()
    codes = np.zeros(3, np.uint8)
    core.step_lanes(states, table.record, table.feas, np.array([core.LAY_DOWN, core.DRAW_STOCK, -1]), codes)
    assert codes.tolist() == [core.ILLEGAL, core.STEPPED, core.STEPPED]
    assert states[0].tobytes() == before[0].tobytes()
    assert states[2].tobytes() == before[2].tobytes()
    assert states[1].tobytes() != before[1].tobytes()


def test_the_mask_is_exactly_what_step_accepts(rng: np.random.Generator) -> None:
    for preset in ("jamaican", "jamaican_club"):
        table = engine(Rules.preset(preset), 4)
        states = batch(table, 18, seed=31)
        masks = np.zeros((18, table.num_actions), np.int8)
        codes = np.zeros(18, np.uint8)
        for step in range(150):
            core.mask_lanes(states, table.record, table.feas, masks)
            if step % 10 == 0:
                for lane in range(18):
                    for action in range(table.num_actions):
                        copy = states[lane : lane + 1].copy()
                        core.step_lanes(copy, table.record, table.feas, np.array([action]), codes[:1])
                        assert (codes[0] == core.STEPPED) == bool(masks[lane, action])
            core.step_lanes(states, table.record, table.feas, choose(masks, rng), codes)


def test_a_copied_state_plays_on_the_same(rng: np.random.Generator) -> None:
    game = Game(num_players=4, deal=3, seed=8)
    for _ in range(60):
        game.do(int(rng.choice(game.legal_numbers())))
    other = Game.from_text(game.text())
    twin = game.copy()
    for _ in range(200):
        if game.to_move is None:
            break
        action = int(rng.choice(game.legal_numbers()))
        for one in (game, other, twin):
            one.do(action)
        assert game.states.tobytes() == other.states.tobytes() == twin.states.tobytes()


def test_draws_can_be_set() -> None:
    game = Game(num_players=4, deal=1, seed=8)
    card = int(game.states[0]["stock"][10])
    assert core.set_next_draw(game.states, 0, card)
    held = int(game.states[0]["hands"][0, card])
    game.do("draw stock")
    assert game.states[0]["hands"][0, card] == held + 1
    absent = int(np.flatnonzero(np.bincount(game.states[0]["stock"][: game.states[0]["stock_n"]], minlength=53) == 0)[0])
    assert not core.set_next_draw(game.states, 0, absent)


def test_shuffles_are_uniform() -> None:
    """Each kind of card is the upcard as often as its copies say: a chi-square test over 20,000 deals."""
    table = engine(Rules(), 4)
    states = np.zeros(20_000, core.STATE)
    core.seed_lanes(states, np.arange(len(states)).astype(np.uint64))
    core.reset_lanes(states, table.record, np.full(len(states), 9), np.zeros(len(states), np.int64))
    counts = np.bincount(states["pile"][:, 0], minlength=core.CARDS)
    expected = len(states) * np.array([2] * 52 + [4]) / 108
    # 52 degrees of freedom: above 93 with a probability of 0.0004.
    assert ((counts - expected) ** 2 / expected).sum() < 93
    assert (states["hands"].sum(axis=0)[:4].std() / states["hands"].sum(axis=0)[:4].mean()) < 0.2


@pytest.mark.parametrize("preset", ["jamaican", "jamaican_club"])
def test_the_cards_that_fit_are_kept_up_to_date(preset: str, rng: np.random.Generator) -> None:
    """`fits` of every position, computed again from the melds."""
    most = 0
    for deal in (1, 2, 3, 4):
        for position in positions(Game(preset, 4, deal=deal, seed=deal), rng):
            state = position.states[0]
            fits = np.zeros(core.CARDS, int)
            for slot in range(core.MELDS_PER_SEAT * 4):
                meld = meld_in_slot(state, slot)
                if meld is None or not state["opened"][slot // core.MELDS_PER_SEAT]:
                    continue
                jokers = meld.cards.count(core.JOKER)
                if meld.kind == core.MeldKind.THREE:
                    fits[meld.key : 52 : 13] = 1
                    fits[core.JOKER] |= jokers < len(meld.cards) - jokers + 1
                    continue
                top = meld.low + len(meld.cards)
                low_is_open = meld.low > 0 and (preset == "jamaican" or top == 14)
                for place, end, is_open in ((meld.low - 1, meld.cards[0], low_is_open), (top, meld.cards[-1], top < 14)):
                    if is_open:
                        fits[13 * meld.key + place % 13] = 1
                        fits[core.JOKER] |= end != core.JOKER
            assert (fits == state["fits"]).all(), position
            most = max(most, int(fits.sum()))
    assert most > 15
