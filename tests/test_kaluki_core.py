"""Kaluki over many lanes: invariants at every step, and a lane of a batch equals a game alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from conftest import KALUKI, positions
from test_core import batch, check_cards

from kalooki_env import core
from kalooki_env.core import ActionKind, Phase
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.game.melds import faults_of, meld_in_slot
from kalooki_env.game.position import position_text
from kalooki_env.rules import Rules
from kalooki_env.verify import eager_policy, mixed_policy

#: Rules under which all that Kaluki has is common: openings are cheap.
EAGER = ("kaluki51 opening_points=20", "kaluki40_british opening_points=10 joker_total=null")


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action per lane, mostly one that plays cards where there is one; -1 where the deal is over."""
    weights = rng.random(masks.shape) * (masks > 0)
    weights[:, core.TAKE_UPCARD] *= 3
    weights[:, core.LAY_DOWN :] *= 5
    actions = weights.argmax(axis=1)
    actions[~masks.any(axis=1)] = -1
    return actions


def check_invariants(states: np.ndarray, table: Engine, masks: np.ndarray) -> None:
    """What must hold in every position."""
    n, record = table.num_players, table.record[0]
    check_cards(states, n, table.deck, masks)
    over = states["phase"] == Phase.OVER
    actor = np.arange(core.SEATS) == states["actor"][:, None]
    opened, seats = states["opened"] > 0, np.arange(core.SEATS) < n
    laying = np.isin(states["phase"], (Phase.MELD, Phase.FILL))[:, None] & actor
    assert (((states["meld_n"] > 0) == opened) | laying).all(), "opened with a meld, and only then"
    # Between turns a seat that has not opened holds the cards dealt, in its own turn one more after the draw; but more
    # naturals than jokers may have gone in a swap.
    drawn = actor & np.isin(states["phase"], (Phase.PLAY, Phase.MOVE))[:, None]
    between = ~opened & seats & ~laying & ~over[:, None]
    most = (int(record["hand_size"][0]) + drawn)[between]
    shrinks = record["swaps_before_opening"] and record["swaps_whole_sets"]
    assert ((states["hand_n"][between] <= most) if shrinks else (states["hand_n"][between] == most)).all()
    # A seat that has opened holds at least one card, except in the midst of an action of its own.
    assert (states["hand_n"][opened & ~over[:, None] & ~laying] > 0).all()
    assert not (states["owed_card"] + states["owed_jokers"])[~np.isin(states["phase"], range(1, 6))].any()
    assert not states["calls_made"].any()
    on_table = np.zeros((len(states), core.CARDS), int)
    for lane, state in enumerate(states):
        for slot in range(core.MELDS):
            meld = meld_in_slot(state, slot)
            if meld is not None:
                np.add.at(on_table[lane], list(meld.cards), 1)
                if slot < state["melds_laid"]:
                    assert not faults_of(meld, table.rules), meld.text()
                else:
                    assert (state["phase"], slot) == (Phase.FILL, state["melds_laid"])
        owners = Counter(state["meld_owner"][: int(state["melds_laid"])].tolist())
        assert [owners[seat] for seat in range(core.SEATS)] == state["meld_n"].tolist()
    assert (on_table == states["table_count"]).all()


def check_scores(states: np.ndarray, table: Engine) -> None:
    """KL5.2 and KL5.3, computed again from the hands."""
    points = table.record[0]["points"].astype(int)
    for state in states[states["phase"] == Phase.OVER]:
        for seat in range(table.num_players):
            assert state["scores"][seat] == (0 if seat == state["winner"] else int((state["hands"][seat] * points).sum()))
        if state["winner"] >= 0:
            assert not state["hand_n"][state["winner"]]
            assert state["opened"][state["winner"]]
        else:
            assert state["turns"] == table.record[0]["max_turns"] or not state["stock_n"]


@pytest.mark.parametrize("rules", [*KALUKI, *EAGER])
@pytest.mark.parametrize(("num_players", "lanes"), [(2, 12), (5, 12)])
def test_invariants_at_every_step(rules: str, num_players: int, lanes: int, rng: np.random.Generator) -> None:
    """Over all parameters more than 100,000 decisions; all phases and all kinds of actions are met where openings are cheap."""
    table = engine(Rules.parse(rules), num_players)
    states = batch(table, lanes, seed=num_players)
    masks = np.zeros((lanes, table.num_actions), np.int8)
    codes = np.zeros(lanes, np.uint8)
    phases: set[int] = set()
    met = np.zeros(table.num_actions, bool)
    steps = 2500 if rules in EAGER else 1500
    for step in range(steps):
        core.mask_lanes(states, table.record, table.feas, masks)
        if step % 25 < 2:
            check_invariants(states, table, masks)
        met |= masks.any(axis=0)
        core.step_lanes(states, table.record, table.feas, choose(masks, rng), codes)
        assert not codes.any()
        phases |= set(states["phase"].tolist())
        over = np.flatnonzero(states["phase"] == Phase.OVER)
        if len(over):
            check_scores(states[over], table)
            for lane in over:
                core.reset_lane(states, table.record, int(lane), 1, step % num_players)
    if rules in EAGER:
        rare = {Phase.LAYOFF} if num_players == 2 else set()  # two cards that fit the same end
        assert phases | rare == set(Phase) - {Phase.CALL, Phase.ANSWER}
        kinds = {core.kind_and_operand(int(action), table.max_seats, True)[0] for action in np.flatnonzero(met)}
        calls = {ActionKind.CALL, ActionKind.PASS, ActionKind.ALLOW, ActionKind.REFUSE, ActionKind.END_TURN}
        assert kinds == {section.kind for section in core.sections(table.max_seats, True)} - calls


@pytest.mark.parametrize("rules", KALUKI)
def test_deals_end_at_the_cap_at_the_latest(rules: str, rng: np.random.Generator) -> None:
    """KL5.3: everybody scores the hand when the cap of turns is reached."""
    table = engine(Rules.parse(rules), 2)
    states = batch(table, 6, seed=5)
    masks = np.zeros((6, table.num_actions), np.int8)
    codes = np.zeros(6, np.uint8)
    for _ in range(2 * 60 * 4):
        core.mask_lanes(states, table.record, table.feas, masks)
        masks[:, core.LAY_DOWN] = 0
        masks[:, core.TAKE_UPCARD] = 0
        core.step_lanes(states, table.record, table.feas, choose(masks, rng), codes)
    assert (states["phase"] == Phase.OVER).all()
    assert (states["winner"] == -1).all()
    assert (states["turns"] == 120).all()
    assert (states["reshuffles"] > 0).any()
    check_scores(states, table)


@pytest.mark.parametrize(("rules", "num_players"), [("kaluki51", 4), ("kaluki40_british", 5), (EAGER[1], 2)])
def test_a_lane_equals_a_game_alone(rules: str, num_players: int) -> None:
    """State bytes, mask and legality, whatever the neighbours do."""
    table = engine(Rules.parse(rules), num_players)
    for neighbours in (1, 7):
        rng, own = np.random.default_rng(neighbours), np.random.default_rng(42)
        states = batch(table, neighbours + 1, seed=900)
        lane = neighbours
        core.seed_lanes(states[lane:], np.array([77], np.uint64))
        core.reset_lane(states, table.record, lane, 1, 1)
        game = Game(rules, num_players, dealer=1, seed=77)
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


@pytest.mark.parametrize("rules", EAGER)
def test_the_mask_is_exactly_what_step_accepts(rules: str, rng: np.random.Generator) -> None:
    table = engine(Rules.parse(rules), 3)
    states = batch(table, 6, seed=31)
    masks = np.zeros((6, table.num_actions), np.int8)
    codes = np.zeros(6, np.uint8)
    for step in range(300):
        core.mask_lanes(states, table.record, table.feas, masks)
        if step % 20 == 0:
            for lane in range(6):
                for action in range(table.num_actions):
                    copy = states[lane : lane + 1].copy()
                    core.step_lanes(copy, table.record, table.feas, np.array([action]), codes[:1])
                    assert (codes[0] == core.STEPPED) == bool(masks[lane, action])
        core.step_lanes(states, table.record, table.feas, choose(masks, rng), codes)


@pytest.mark.parametrize("rules", EAGER)
def test_the_cards_that_fit_are_kept_up_to_date(rules: str, rng: np.random.Generator) -> None:
    """`fits` of every position, computed again from the melds of seats that have opened."""
    lowest = 0 if Rules.parse(rules).ace_in_run == "high_or_low" else 1
    most = 0
    for seed in range(12):
        for position in positions(Game(rules, 2 + seed % 4, seed=seed), rng, mixed_policy if seed % 2 else eager_policy):
            state = position.states[0]
            fits = np.zeros(core.CARDS, int)
            for slot in range(int(state["melds_laid"])):
                meld = meld_in_slot(state, slot)
                if meld is None or not state["opened"][state["meld_owner"][slot]]:
                    continue
                if meld.kind == core.MeldKind.THREE:
                    if len(meld.cards) < 4:
                        fits[[card for card in range(meld.key, 52, 13) if card not in meld.cards] + [core.JOKER]] = 1
                    continue
                for place in (meld.low - 1, meld.low + len(meld.cards)):
                    if lowest <= place <= 13:
                        fits[[13 * meld.key + place % 13, core.JOKER]] = 1
            assert (fits == state["fits"]).all(), position
            most = max(most, int(fits.sum()))
    assert most > 10


NO_MORE_CARDS = (
    "kalooki: 1\nrules: {rules}\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 9\nphase: play P1\nhand P1: {hand}\nhand P2: {other}\n"
    "meld P1/1: QS KS AS\nopened: P1\nstock: {stock}\npile: {pile}\n"
)


@pytest.mark.parametrize(
    ("rules", "blocked"), [("kaluki40_british reshuffle_max=0", True), ("kaluki51 joker_total=2 reshuffle_max=0", False)]
)
def test_a_deal_is_blocked_if_neither_stock_nor_upcard_can_be_taken(rules: str, blocked: bool) -> None:
    """KL5.3, `ACTIONS.md` 2.1: P2 has not opened and cannot open with the upcard, and the stock is not renewed."""
    everything = Counter({name: int(number) for name, number in zip(CARD_NAMES, engine(Rules.parse(rules), 2).deck, strict=True)})
    used = Counter(["QS", "KS", "AS", "2C", "3D", "4S", "7H", "9D", "JC"])
    text = NO_MORE_CARDS.format(
        rules=rules, hand="2C 3D", other="4S 7H 9D JC", stock="-", pile=" ".join((everything - used).elements())
    )
    game = Game.from_text(text).do("discard 2C")
    if blocked:
        assert game.phase is Phase.OVER
        assert game.outcome is not None
        assert game.outcome.is_blocked
        assert game.outcome.scores == (3, 4 + 7 + 9 + 10)
    else:
        assert game.legal_actions() == ["take upcard"]


def test_an_opening_may_be_worth_more_than_a_byte_holds() -> None:
    """Only in positions set up by hand: six sets of 280 points, of which the rules need all, or 51."""
    sets = " + ".join(" ".join(rank + suit for suit in "SHDC") for rank in "AAKKQQ")
    hand = sets.replace(" +", "")
    text = (
        "kalooki: 1\nrules: kaluki51 opening_points={need}\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 4\nphase: play P1\n"
        f"hand P1: {hand} 2C\nhand P2: 9C\nopened: -\nstock: rest\npile: 9D\n"
    )
    for need in (280, 51):
        game = Game.from_text(text.format(need=need)).do("lay down")
        for rank in "AAKKQQ":
            assert game.can("end opening") is (int(game.states[0]["points_laid"]) >= need)
            game.do(f"set of {rank}")
            while game.phase is Phase.FILL:
                game.do(game.legal_actions()[0])
            again = Game.from_text(game.text())
            assert again.states.tobytes() == game.states.tobytes()
        assert game.states[0]["points_laid"] == 280
        assert game.legal_actions() == ["end opening"]
        assert game.do("end opening").hand(0) == ["2C"]
    assert not Game.from_text(text.format(need=281)).can("lay down")


#: Keys and values whose combinations no preset has.
KEYS: dict[str, tuple[object, ...]] = {
    "joker_total": ("null", 2),
    "ace_in_run": ("high_or_low", "high_only"),
    "joker_opening_value": (15, "represented"),
    "upcard_before_opening": ("free", "only_to_open"),
    "upcard_after_opening": ("free", "only_for_new_meld"),
    "extra_melds": ("later_turns", "any_time_after_opening"),
    "layoff_in_opening_turn": ("true", "false"),
    "final_discard_required": ("true", "false"),
    "joker_release_requires": ("opened", "nothing"),
    "joker_release_sets": ("any_missing_suit", "all_missing_suits"),
    "joker_after_swap": ("free", "new_meld_this_turn"),
    "reshuffle_max": ("null", 0, 1),
    "opening_points": (1, 10, 20, 40),
    "deals": (5, 9, 14),
    "pip_black_ace": (15, 11),
    "pip_red_ace": (1, 15, 11),
}


@pytest.mark.parametrize("seed", range(10))
def test_any_rules_are_played(seed: int) -> None:
    """Random combinations of keys: invariants, and texts that read back to the same bytes and legal actions."""
    rng = np.random.default_rng(seed)
    words = [f"{key}={values[rng.integers(len(values))]}" for key, values in KEYS.items()]
    table = engine(Rules.parse(" ".join(["kaluki51", *words])), int(rng.integers(2, 7)))
    lanes = 6
    states = batch(table, lanes, seed=seed)
    masks, codes = np.zeros((lanes, table.num_actions), np.int8), np.zeros(lanes, np.uint8)
    for step in range(400):
        core.mask_lanes(states, table.record, table.feas, masks)
        assert (masks.any(axis=1) == (states["phase"] != Phase.OVER)).all()
        if step % 20 == 0:
            check_invariants(states, table, masks)
            lane = step // 20 % lanes
            game = Game.from_text(position_text(states[lane], table))
            assert game.states.tobytes() == states[lane : lane + 1].tobytes()
            assert game.legal_numbers() == np.flatnonzero(masks[lane]).tolist()
        core.step_lanes(states, table.record, table.feas, choose(masks, rng), codes)
        for over in np.flatnonzero(states["phase"] == Phase.OVER):
            core.reset_lane(states, table.record, int(over), 1, step % table.num_players)


def test_draws_can_be_set_and_copies_play_on_the_same(rng: np.random.Generator) -> None:
    game = Game("kaluki51", 4, seed=8)
    card = int(game.states[0]["stock"][10])
    assert core.set_next_draw(game.states, 0, card)
    held = int(game.states[0]["hands"][0, card])
    game.do("draw stock")
    assert game.states[0]["hands"][0, card] == held + 1
    other, twin = Game.from_text(game.text()), game.copy()
    for _ in range(300):
        if game.to_move is None:
            break
        action = int(rng.choice(game.legal_numbers()))
        for one in (game, other, twin):
            one.do(action)
        assert game.states.tobytes() == other.states.tobytes() == twin.states.tobytes()
