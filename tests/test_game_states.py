"""`Game` away from its position: undo and redo, saved states, and other cards that a seat cannot see."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import KALUKI, PRESETS, positions
from test_saved_states import changes, field_of, refusal

from kalooki_env import ConfigError, EnvironmentStateError, Game, IllegalActionError, RulesError, core
from kalooki_env.core import Phase
from kalooki_env.errors import ConfigTypeError
from kalooki_env.game.saved import seal
from kalooki_env.game.sound import check_positions
from kalooki_env.verify.policies import caller_policy, eager_policy, joker_policy

# ---- undo and redo -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["jamaican", "kaluki51"])
def test_moves_are_taken_back_one_by_one_and_made_again(rules: str, rng: np.random.Generator) -> None:
    game = Game(rules, 4, seed=3)
    texts, histories = [], []
    for position in positions(game, rng, limit=400):
        texts.append(position.text())
        histories.append(list(position.history))
    count = len(game.history) - len(histories[-1])  # the last move was made after the last look
    last = game.text(), list(game.history)
    if count:
        texts.append(last[0])
        histories.append(last[1])
    assert len(texts) > 100
    for text, history in zip(texts[-2::-1], histories[-2::-1], strict=True):
        assert game.undo() is game
        assert (game.text(), game.history) == (text, history)
    with pytest.raises(EnvironmentStateError, match="undo: there is no move to take back"):
        game.undo()
    for text, history in zip(texts[1:], histories[1:], strict=True):
        assert game.redo() is game
        assert (game.text(), game.history) == (text, history)
    with pytest.raises(EnvironmentStateError, match="redo: there is no move that was taken back"):
        game.redo()


def test_a_compound_move_is_one_move() -> None:
    lines = ["kalooki: 1", "rules: jamaican", "players: 3", "deal: 1", "dealer: P3", "turns: 3", "phase: play P1"]
    lines += ["hand P1: 2S 2H 2D 3S 3H 3D 4S 4H 4D KS", "hand P2: 9S", "hand P3: 8S", "stock: rest", "pile: 7S"]
    game = Game.from_text("\n".join(lines) + "\n")
    before = game.text()
    game.do("lay down 2S 2H 2D + 3S 3H 3D + 4S 4H 4D")
    after, history = game.text(), list(game.history)
    assert len(history) > 1
    assert game.undo().text() == before
    assert game.history == []
    assert game.redo().text() == after
    assert game.history == history


def test_another_move_forgets_those_that_were_taken_back() -> None:
    game = Game(seed=1)
    game.do("draw stock").undo().do("take upcard")
    with pytest.raises(EnvironmentStateError, match="redo"):
        game.redo()
    assert game.undo().history == []
    assert game.redo().history == ["take upcard"]


def test_a_refused_move_is_nothing_to_undo() -> None:
    game = Game(seed=1).do("draw stock")
    with pytest.raises(IllegalActionError):
        game.do("draw stock")
    assert game.undo().history == []
    with pytest.raises(IllegalActionError):
        game.do("lay down 2S 2H 2D + 3S 3H 3D + 4S 4H 4D")
    assert game.redo().history == ["draw stock"]


def test_copies_go_back_and_forth_by_themselves(rng: np.random.Generator) -> None:
    game = Game(seed=1)
    for _ in range(30):
        game.do(int(rng.choice(game.legal_numbers())))
    game.undo()
    text = game.text()
    for other in (game.copy(), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        other.undo().undo()
        assert game.text() == text
        assert other.redo().redo().text() == text
        other.redo()
        other.undo().do(other.legal_numbers()[0])
        assert len(game.history) == 29
    assert game.redo().history[:29] == game.undo().history


def test_forgotten_moves_stay_made() -> None:
    game = Game(seed=1).do("draw stock").forget()
    assert game.history == ["draw stock"]
    with pytest.raises(EnvironmentStateError, match="undo"):
        game.undo()


# ---- saved states --------------------------------------------------------------------------------------------------------

JOKER_MOVE = """kalooki: 1
rules: jamaican
players: 3
deal: 2
dealer: P3
turns: 30
phase: move P1 in P1/1 to high
hand P1: 6S 8S QD KD
hand P2: AS 2S 3S 4S 5S 6S 7S 8S 9S TS
hand P3: AH 2H 3H 4H 5H 6H 7H 8H 9H TH
meld P1/1: 5S JK(6S) 7S JK(8S) 9S
meld P1/2: 2H 2D 2C
meld P1/3: 3H 3D 3C
opened: P1
stock: rest
pile: 7D 8D
"""
SWAP = """kalooki: 1
rules: kaluki51
players: 3
deal: 1
dealer: P3
turns: 30
phase: swap P1 in P2/1
hand P1: 2D 2C QD KD
hand P2: AS 3S 4S 5S 6S 7S 8S 9S
hand P3: AH 2H 3H 4H 5H 6H 7H 8H 9H TH
meld P1/1: TS TH TD
meld P1/2: JS JH JD
meld P2/1: 2S 2H JK
opened: P1, P2
stock: rest
pile: 7D 8D
"""


def dealt(rules: str, phase: Phase, rng: np.random.Generator) -> Game:
    """A game at a phase."""
    for seed in range(500):
        game = Game(rules, 4, seed=seed)
        for position in positions(game, rng, caller_policy if seed % 2 and rules == "jamaican" else eager_policy, 3000):
            if position.phase is phase:
                return position
    raise AssertionError(f"no {phase.name}")


def test_saved_games_go_on_alike(tmp_path: Path, rng: np.random.Generator) -> None:
    for text in (JOKER_MOVE, SWAP, Game("kaluki40_british", 3, seed=5).text(), Game(seed=9).text()):
        game = Game.from_text(text)
        for _ in range(40):
            np.savez(tmp_path / "game.npz", **game.get_state())
            other = Game(game.rules, game.num_players)
            assert other.set_state(np.load(tmp_path / "game.npz")) is other
            assert (other.text(), other.history, other.seed) == (game.text(), game.history, game.seed)
            with pytest.raises(EnvironmentStateError, match="undo"):
                other.undo()
            if game.to_move is None:
                break
            game.do(int(rng.choice(game.legal_numbers())))


def test_states_of_other_games_are_refused() -> None:
    game = Game(seed=1)
    state, text = game.get_state(), game.text()
    for other in (Game("joker25"), Game(num_players=5), Game(max_seats=5), Game("kaluki51")):
        assert "another environment or version" in (refusal(other, state) or "")
    assert "state int is not allowed" in (refusal(game, 3) or "")  # type: ignore[arg-type]
    assert "not a state" in (refusal(game, {}) or "")
    assert "digest" in (refusal(game, {**state, "digest": state["digest"] ^ np.uint8(1)}) or "")
    torn = np.frombuffer(bytes(state["about"]).replace(b'"seed": 1', b'"seed": -1'), np.uint8)
    assert "not a state" in (refusal(game, seal({**state, "about": torn})) or "")
    assert game.text() == text


#: Fields of a position that was set up which may have other values as well.
LOOSE = {"rng", "dealer", "turns", "reshuffles", "known", "discarded", "declined", "match_deal", "totals"}
LOOSE |= {"target_high", "owed_jokers"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["joker move", "swap", "call", "answer", "fill", "opening"])
def test_changed_bytes_are_refused_or_do_no_harm(name: str, rng: np.random.Generator) -> None:
    if name in ("joker move", "swap"):
        game = Game.from_text(JOKER_MOVE if name == "joker move" else SWAP)
        assert game.phase is Phase.MOVE
    else:
        phase = {"call": Phase.CALL, "answer": Phase.ANSWER, "fill": Phase.FILL, "opening": Phase.FILL}[name]
        game = dealt("kaluki40_british" if name == "opening" else "jamaican", phase, rng)
    state: dict[str, Any] = game.get_state()
    before = game.text()
    flat = state["state"].reshape(-1)
    refused = 0
    for way, at, value in changes(flat, range(len(name) % 4, flat.size, 4), rng):
        torn = flat.copy()
        torn[at] = value
        message = refusal(game, seal({**state, "state": torn.reshape(1, -1)}))
        where = f"state[{at}] {way}: {message}"
        if message is None:
            assert field_of("states", at) in LOOSE, f"{where}, {field_of('states', at)} is taken"
            other = game.copy()
            for _ in positions(other, rng, limit=400):
                pass
            game.set_state(state)
        else:
            assert message.startswith("position: "), where
            assert "allowed" in message, where
            refused += 1
        assert game.text() == before
    assert refused > 500


# ---- other hidden cards --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PRESETS, *KALUKI])
def test_resampled_games_look_the_same_to_the_seat(rules: str, rng: np.random.Generator) -> None:
    policy = joker_policy if rules in PRESETS else eager_policy
    game = Game(rules, 4, seed=7)
    changed, phases = 0, set()
    for step, position in enumerate(positions(game, rng, policy, 2000)):
        if position.to_move is None or (step % 9 and position.phase in (Phase.DRAW, Phase.PLAY)):
            continue
        phases.add(position.phase)
        before = position.text()
        for seat in range(4):
            other = position.resample(seat, rng)
            assert position.text() == before
            assert other.view(seat).tobytes() == position.view(seat).tobytes()
            assert other.history == position.history
            check_positions(other.states, other.engine.record, other.engine.feas)
            if seat == position.to_move:
                assert other.legal_numbers() == position.legal_numbers()
            changed += other.text() != before
            assert other.states[0]["rng"] != position.states[0]["rng"]
    assert changed > 20
    assert {Phase.DRAW, Phase.PLAY} <= phases


def test_a_seed_says_all() -> None:
    game = Game(seed=1)
    assert game.resample(0, 5).text() == game.resample(0, 5).text() == game.resample(0, np.random.default_rng(5)).text()
    assert game.resample(0, 5).text() != game.resample(0, 6).text()
    assert game.resample(0, 5).seed is None


def test_every_hidden_card_is_as_likely_as_any_other(rng: np.random.Generator) -> None:
    """The first card of the stock, seen from one seat: all cards that are hidden from it, by their numbers."""
    game = Game(num_players=3, deal=1, seed=4)
    hidden = game.engine.deck - game.states[0]["hands"][0] - game.states[0]["pile_count"]
    draws = 6000
    found = np.zeros(core.CARDS)
    for _ in range(draws):
        state = game.resample(0, rng).states[0]
        found[state["stock"][state["stock_n"] - 1]] += 1
    expected = draws * hidden / hidden.sum()
    assert not found[hidden == 0].any()
    square = ((found - expected)[hidden > 0] ** 2 / expected[hidden > 0]).sum()
    assert square < 95, "chi-square with some 50 degrees of freedom"


def test_what_cannot_be_resampled() -> None:
    game = Game(seed=1)
    for seat in (-1, 4, "P1", 1.0):
        with pytest.raises(RulesError, match="seat"):
            game.resample(seat, 1)  # type: ignore[arg-type]
    for rng in ("a", None, 1.5, True):
        with pytest.raises(ConfigTypeError, match="a NumPy generator, or a seed"):
            game.resample(0, rng)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="seed -1 is not allowed"):
        game.resample(0, -1)
    for _ in positions(game, np.random.default_rng(0)):
        pass
    with pytest.raises(EnvironmentStateError, match="the deal is over"):
        game.resample(0, 1)


def test_draws_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalooki_env.core.resample_lane", lambda *args: False)
    with pytest.raises(EnvironmentStateError, match=r"resample for P2: none of 10000 draws agrees .* P1 .* phase draw"):
        Game(seed=1).resample(1, 1)
