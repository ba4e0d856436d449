"""What the pieces of an observation of Kaluki say, read back and held against the position and against brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from brute_force_tables import most_points
from conftest import positions
from kaluki_texts import PHASES, in_the_midst
from test_kaluki_masks import SMALL, busy

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game
from kalooki_env.game.melds import Meld, meld_in_slot
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.schema import Observation

LANE = np.zeros(1, np.int64)


def pieces_of(game: Game, seat: int, choice: str) -> dict[str, np.ndarray]:
    layout = Observation.of(choice, game.max_seats, kaluki=True)
    row = Observer(game.engine, layout).rows(game.states, LANE, np.array([seat]))[0]
    return {name: row[layout.slice_of(name)].astype(int) for name in layout.pieces}


def melds_on_table(game: Game) -> list[tuple[int, Meld | None]]:
    """Owners and melds, the one being filled included."""
    state = game.states[0]
    slots = range(int(state["melds_laid"]) + (game.phase is Phase.FILL))
    return [(int(state["meld_owner"][slot]), meld_in_slot(state, slot)) for slot in slots]


def check_table(game: Game, seat: int, pieces: dict[str, np.ndarray]) -> None:
    """`melds` and `joker_cards`."""
    rows = pieces["melds"].reshape(core.MELDS, 9)
    jokers = np.zeros(104, int)
    laid = melds_on_table(game)
    for row, (owner, meld) in zip(rows, laid, strict=False):
        from_observer = (owner - seat) % game.num_players
        assert row[8] == from_observer + 1
        if meld is None:
            assert not row[4:8].any()
            continue
        is_set, at = meld.kind == MeldKind.THREE, [i for i, card in enumerate(meld.cards) if card == core.JOKER]
        ends = [0, 0] if is_set else [int(i in at) for i in (0, len(meld.cards) - 1)]
        expected = [is_set, not is_set, meld.key + 1, 0 if is_set else meld.low + 1, len(meld.cards), len(at), *ends]
        assert row[:8].tolist() == [int(value) for value in expected]
        first = 52 if from_observer else 0
        if is_set and at:
            jokers[[first + card for card in range(meld.key, 52, 13) if card not in meld.cards]] += 1
        elif not is_set:
            np.add.at(jokers, [first + 13 * meld.key + (meld.low + i) % 13 for i in at], 1)
    assert not rows[len(laid) :].any()
    assert pieces["joker_cards"].tolist() == jokers.tolist()


def check_lay_down(game: Game, pieces: dict[str, np.ndarray]) -> None:
    """`lay_down`: points, what is owed, the meld being filled, and the target."""
    state, piece = game.states[0], pieces["lay_down"]
    assert piece[0] == min(250, int(state["points_laid"]))
    owed = np.zeros(53, int)
    if state["owed_card"]:
        owed[int(state["owed_card"]) - 1] = 1
    owed[core.JOKER] = state["owed_jokers"]
    assert piece[1:54].tolist() == owed.tolist()
    words = np.flatnonzero(piece[54:85]).tolist()
    if game.phase is Phase.FILL:
        key = int(state["meld_key_now"])
        is_set = state["meld_kind_now"] == MeldKind.THREE
        assert words == ([0, 2 + key] if is_set else [1, 15 + key, 19 + int(state["meld_low_now"])])
        meld = melds_on_table(game)[-1][1]
        assert piece[85] == (len(meld.cards) if meld else 0)
    else:
        assert not words
    targeted = game.phase in (Phase.LAYOFF, Phase.MOVE)
    assert np.flatnonzero(piece[86:122]).tolist() == ([int(state["target"])] if targeted else [])
    assert piece[122] == (targeted and state["target_high"])


def check_solver(game: Game, seat: int, pieces: dict[str, np.ndarray]) -> None:
    """`solver`: the most points of the hand, after each discard, with each card, and with the upcard."""
    rules, state, piece = game.rules, game.states[0], pieces["solver"]
    hand = Counter(game.hand(seat))
    leave = int(rules.final_discard_required)
    if game.phase is Phase.OVER:
        assert not piece.any()
        return

    def points(cards: Counter[str], leave: int = leave) -> int:
        return min(250, max(0, most_points(cards, rules, None, leave)))

    assert piece[0] == points(hand)
    discards = game.phase is Phase.PLAY and game.to_move == seat
    for card, name in enumerate(CARD_NAMES):
        after = points(hand - Counter([name]), 0) if discards and hand[name] else 0
        assert piece[1 + card] == after
        left = game.engine.deck[card] > hand[name]
        more = points(hand + Counter([name])) if left and not state["opened"][seat] else 0
        assert piece[54 + card] == more, name
    if state["pile_n"]:
        upcard = CARD_NAMES[int(state["pile"][int(state["pile_n"]) - 1])]
        assert piece[107] == points(hand + Counter([upcard]))
    else:
        assert piece[107] == 0


@pytest.mark.parametrize("seed", range(4))
def test_pieces_along_a_deal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(4):
        words = [f"{key}={values[rng.integers(len(values))]}" for key, values in SMALL.items()]
        game = Game(" ".join(["kaluki51", *words]), int(rng.integers(2, 5)), seed=10 * seed + number)
        for step, position in enumerate(positions(game, rng, busy, limit=50)):
            seat = step % position.num_players
            pieces = pieces_of(position, seat, "obs-v1+solver" if step % 8 == 0 else "obs-v1")
            check_table(position, seat, pieces)
            check_lay_down(position, pieces)
            if "solver" in pieces:
                check_solver(position, seat, pieces)


@pytest.mark.parametrize("rules", ["kaluki51", "kaluki40_british joker_total=null"])
@pytest.mark.parametrize("name", PHASES)
def test_pieces_in_the_midst_of_an_action(name: str, rules: str) -> None:
    game = Game.from_text(in_the_midst(rules)[name])
    for seat in range(3):
        pieces = pieces_of(game, seat, "obs-v1")
        check_table(game, seat, pieces)
        check_lay_down(game, pieces)


def test_totals_of_a_match() -> None:
    """Number of the deal, deals, the own total; of each seat the difference, and the share of the limit."""
    game = Game("kaluki51", 3, seed=1, max_seats=4)
    game.states[0]["match_deal"] = 5
    game.states[0]["totals"][:3] = (40, 64, -8)
    piece = pieces_of(game, 1, "obs-v1+match")["match"]
    assert piece.tolist() == [5, 0, 128 + 8, 128, 64, 128 - 18, 0, 128 - 6, 40, 0, 0]
    fixed = Game("kaluki51 match_deals=7 score_limit=null", 3, seed=1)
    fixed.states[0]["totals"][:3] = (4000, -4000, 0)
    assert pieces_of(fixed, 0, "obs-v1+match")["match"].tolist() == [0, 7, 255, 128, 0, 0, 0, 0, 0]
