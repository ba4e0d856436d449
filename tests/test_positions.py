"""Texts of positions and actions, both ways, and what happens to texts that are wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest
from conftest import PRESETS, positions
from hypothesis import given, settings
from hypothesis import strategies as st

import kalooki_env
from kalooki_env import Game, NotationError, PositionError, RulesError
from kalooki_env.core import Phase
from kalooki_env.verify import mixed_policy


def some_text() -> str:
    """A position in the middle of a deal."""
    rng = np.random.default_rng(5)
    game = Game("jamaican", 4, deal=2, seed=4)
    for _ in range(120):
        game.do(int(rng.choice(game.legal_numbers())))
    return game.text()


TEXT = some_text()


def with_line(key: str, value: str | None, text: str = TEXT) -> str:
    """The text with one line replaced, added (before the stock) or taken out."""
    lines = [line for line in text.splitlines() if not line.startswith(f"{key}:")]
    if value is not None:
        lines.append(f"{key}: {value}")
    return "\n".join(lines) + "\n"


def faults(text: str) -> list[str]:
    with pytest.raises(PositionError) as caught:
        Game.from_text(text)
    assert len(str(caught.value).splitlines()) == len(caught.value.faults) + 1
    return caught.value.faults


@pytest.mark.parametrize("preset", PRESETS)
def test_every_position_reads_back_to_the_same_bytes(preset: str, rng: np.random.Generator) -> None:
    phases = set()
    for number, deal in enumerate((1, 3, 6, 8)):
        game = Game(preset, 3 + number, deal=deal, seed=deal)
        for step, position in enumerate(positions(game, rng)):
            if step % 5 == 0 or position.phase not in (Phase.DRAW, Phase.PLAY, Phase.CALL, Phase.ANSWER):
                again = Game.from_text(position.text())
                assert again.states.tobytes() == position.states.tobytes()
                assert again.text() == position.text()
                phases.add(position.phase)
    assert {Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.OVER} <= phases


def test_every_action_reads_back_to_its_number(rng: np.random.Generator) -> None:
    for deal in (2, 7):
        for position in positions(Game("jamaican_club", 4, deal=deal, seed=deal, max_seats=6), rng):
            for action in position.legal_numbers():
                assert position.action_number(position.action_text(action)) == action


def test_all_action_numbers_have_texts_of_their_own() -> None:
    game = Game(num_players=8, deal=1)
    texts = [game.action_text(action) for action in range(game.engine.num_actions)]
    assert len(set(texts)) == len(texts) == 299
    with pytest.raises(NotationError, match="allowed: 0 to 298"):
        game.action_text(299)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("discard 1S", "'1S' is no card"),
        ("discard", "is no action"),
        ("draw", "did you mean 'draw stock'"),
        ("three of 1", "is no action"),
        ("four of heart from 5", "is no action"),
        ("four of hearts from Q", "is no action"),
        ("lay off onto P9/1", "'P9' is no seat; allowed: P1 to P4"),
        ("lay off onto P2/5", "'P2/5' is no meld"),
        ("move joker in P1/1 to top", "is no action"),
        ("drawstock", "is no action"),
        ("", "is no action"),
        ("lay off 7S onto", "is no action"),
        ("take 9X", "'9X' is no card"),
        ("lay down 4S 4H 4X", "'4X' is no card"),
    ],
)
def test_action_texts_that_cannot_be_read(text: str, message: str) -> None:
    game = Game.from_text(TEXT)
    before = game.text()
    for call in (game.verify, game.can, game.do):
        with pytest.raises(NotationError, match=re.escape(message)):
            call(text)
    assert game.text() == before


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("kalooki", "2", "version '2' is not known"),
        ("players", "four", "'four' is not allowed; allowed: 2 to 8"),
        ("players", "9", "allowed: 2 to 8"),
        ("deal", "0", "allowed: 1 to 9"),
        ("dealer", "P5", "'P5' is no seat"),
        ("turns", "-1", "'-1' is not allowed"),
        ("turns", "100000", "allowed: 0 to 240"),
        ("phase", "drew P1", "did you mean 'draw'"),
        ("phase", "draw", "cannot be read"),
        ("phase", "draw P1 soon", "cannot be read"),
        ("phase", "fill P1 three of 1", "cannot be read"),
        ("phase", "", "begins with no phase"),
        ("hand P1", "7S 7X", "'7X' is no card"),
        ("hand P1", "", "an empty list is written -"),
        ("hand P1", None, "the line 'hand P1' is missing"),
        ("pile", None, "the line 'pile' is missing"),
        ("calls", "P1 2", "not of the form P1 2/1"),
        ("rng", "xyz", "16 hexadecimal digits"),
        ("opened", "P7", "'P7' is no seat"),
        ("meld P1/7", "7S 7H 7D", "'P1/7' is no meld"),
        ("meld P1/1", "7S 8H 9D", "one suit"),
        ("hands P1", "7S", "did you mean 'hand"),
        ("colour", "red", "no known key"),
    ],
)
def test_position_texts_that_cannot_be_read(key: str, value: str | None, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)):
        Game.from_text(with_line(key, value))


def test_a_line_that_stands_twice() -> None:
    with pytest.raises(NotationError, match="'deal' stands twice"):
        Game.from_text(TEXT + "deal: 3\n")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("rules", "jamaica", "did you mean 'jamaican'"),
        ("rules", "jamaican call_max=3", "did you mean 'call_max_per_deal'"),
        ("rules", "jamaican packs=2 pip_joker=30", "pip_joker: 30 is not allowed"),
        ("players", "2", "only a sudden death"),
    ],
)
def test_positions_with_impossible_rules(key: str, value: str, message: str) -> None:
    with pytest.raises(RulesError, match=re.escape(message)):
        Game.from_text(with_line(key, value))


def test_all_faults_are_listed() -> None:
    """Too many copies, missing cards, a false memory, calls that do not add up: each is named."""
    game = Game("jamaican_consensus", 4, deal=1, dealer=3, seed=1)
    text = game.text()
    hand = next(line for line in text.splitlines() if line.startswith("hand P1"))
    first, second = hand.split()[2], hand.split()[-1]
    found = faults(with_line("hand P1", hand.removeprefix("hand P1: ").replace(first, second, 1), text))
    assert len(found) == 2
    assert any(f"copies of {first} lie nowhere" in fault for fault in found)
    assert any(f"copies of {second}, the deck has 2" in fault for fault in found)

    text = with_line("known P1", "AS AS KC KC QH QH", text)
    text = with_line("calls", "P1 1/2, P2 5/4", text)
    text = with_line("reshuffles", "2", text)
    found = faults(text)
    for part in (
        "P1 is known to hold",
        "P1 made 1 calls, but 2 were allowed",
        "P2 had 4 calls allowed; the rules allow 3",
        "6 calls were allowed to callers, but 0 by those who answer",
    ):
        assert any(part in fault for fault in found), part


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"opened": "P1"}, "P1 has opened with 0 threes and 0 fours; the contract is 3 and 0"),
        ({"phase": "call P3 on P1"}, "a call before any discard"),
        ({"phase": "call P2 on P1", "turns": "1"}, "is the discarder or the next seat"),
        ({"phase": "answer P1 to P4", "turns": "1"}, "0 calls were made, but 0 answered"),
        ({"phase": "layoff P1 onto P2/1"}, "has not opened and can neither lay off nor move jokers"),
        ({"phase": "meld P1"}, "P1 has nothing to do"),
        ({"phase": "draw P1 after call", "turns": "4"}, "draws after an allowed call, but nobody can have called"),
        ({"phase": "over P2"}, "P2 cannot have gone out"),
        ({"turns": "240"}, "240 turns: the deal would be blocked"),
        ({"phase": "play P1 opened now"}, "P1 opened now, but has not opened"),
        ({"phase": "over blocked", "scores": "P1 1, P2 2, P3 3, P4 4"}, "the scores are"),
    ],
    ids=str,
)
def test_impossible_positions(changes: dict[str, str], message: str) -> None:
    text = Game("jamaican", 4, deal=1, dealer=3, seed=1).text()
    for key, value in changes.items():
        text = with_line(key, value, text)
    assert any(message in fault for fault in faults(text)), faults(text)


def test_lines_may_be_left_out_and_stand_in_any_order() -> None:
    text = "pile: 8H\nstock: rest\nhand P3: -\nhand P2: 5H\nhand P1: 7S JK\nphase: draw P1\nturns: 3\n"
    text += "dealer: P3\ndeal: 1\nplayers: 3\nrules: jamaican\nkalooki: 1\n"
    game = Game.from_text(text)
    assert game.hand(0) == ["7S", "JK"]
    assert game.states[0]["stock_n"] == 108 - 4
    assert game.text().startswith("kalooki: 1\nrules: jamaican\nplayers: 3\n")


def texts_of_all_phases() -> list[str]:
    """Positions of several deals, a few of each phase that play gets to."""
    rng = np.random.default_rng(8)
    found: dict[Phase, list[str]] = {}
    for deal in (1, 2, 3, 8):
        for position in positions(Game("jamaican", 3, deal=deal, seed=deal), rng, mixed_policy):
            found.setdefault(position.phase, []).append(position.text())
    return [text for texts in found.values() for text in texts[:: max(1, len(texts) // 4)]]


TEXTS = texts_of_all_phases()
PHASE_VALUES = """draw P1 after call; play P2; play P1 opened now; meld P1; fill P1 three of 8; fill P2 four of hearts from 5;
layoff P1 onto P2/1; layoff P3 onto P1/3 low; move P1 in P1/3 to high; call P3 on P1; answer P1 to P3; over P1; over blocked"""


def mutilated(text: str, data: st.DataObject, phases: str) -> str:
    """A position text with characters changed, words doubled, lines lost, or another phase of those between semicolons."""
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        kind = data.draw(st.sampled_from(["cut", "change", "double", "phase"]))
        if kind == "cut":
            text = text[:place] + text[place + data.draw(st.integers(1, 30)) :]
        elif kind == "change":
            text = text[:place] + data.draw(st.sampled_from("AKP19:- \nJSHx/")) + text[place + 1 :]
        elif kind == "double":
            text = text[:place] + text[place : place + 12] + text[place:]
        else:
            text = re.sub("phase: .*", f"phase: {data.draw(st.sampled_from(phases.split(';'))).strip()}", text)
    return text


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutilated_positions_give_errors_of_our_own(data: st.DataObject) -> None:
    """Characters changed, words doubled, lines lost, phases exchanged: an error of the family, or a sound position."""
    text = data.draw(st.sampled_from(TEXTS))
    text = mutilated(text, data, PHASE_VALUES)
    try:
        game = Game.from_text(text)
    except kalooki_env.KalookiError:
        return
    for _ in range(4):
        assert Game.from_text(game.text()).states.tobytes() == game.states.tobytes()
        if game.to_move is None:
            return
        game.do(data.draw(st.sampled_from(game.legal_numbers())))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed -1 is not allowed"),
        ({"dealer": 4}, "dealer 4 is not allowed; allowed: 0 to 3"),
        ({"deal": 11}, "deal 11 is not allowed; allowed: 1 to 9"),
        ({"num_players": 1}, "1 players are not allowed"),
        ({"max_seats": 9}, "max_seats 9 is not allowed; allowed: 4"),
        ({"deck": ["7S"] * 108}, "these are not the 108 cards of the deck: 0 of 2 AS"),
        ({"rules": ""}, "unknown rules ''"),
    ],
    ids=str,
)
def test_impossible_games(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(kalooki_env.ConfigError if "seed" in arguments else RulesError, match=re.escape(message)):
        Game(**arguments)  # type: ignore[arg-type]


def test_moves_after_the_end_and_of_other_seats() -> None:
    rng = np.random.default_rng(1)
    game = Game(num_players=3, deal=1, seed=2)
    assert game.verify("draw stock", seat=1) is kalooki_env.Refusal.NOT_TO_MOVE
    with pytest.raises(kalooki_env.IllegalActionError) as caught:
        game.do("draw stock", seat=1)
    assert "legal" not in str(caught.value).replace("illegal", "")
    with pytest.raises(RulesError, match="seat 3 is not allowed"):
        game.can("draw stock", seat=3)
    while game.to_move is not None:
        game.do(int(rng.choice(game.legal_numbers())))
    before = game.text()
    for move in ("draw stock", "lay down", "call"):
        assert game.verify(move) is kalooki_env.Refusal.DEAL_OVER
        with pytest.raises(kalooki_env.IllegalActionError, match="deal is over"):
            game.do(move)
    assert game.text() == before
    assert game.outcome is not None
    assert len(game.outcome.scores) == 3


def test_every_illegal_action_has_a_reason(rng: np.random.Generator) -> None:
    """`verify` says None exactly for the legal actions, over whole deals and all action numbers."""
    for preset, deal in (("jamaican", 2), ("jamaican_club", 3)):
        for step, position in enumerate(positions(Game(preset, 4, deal=deal, seed=deal), rng)):
            if step % 9 == 0 or position.phase not in (Phase.DRAW, Phase.PLAY, Phase.CALL, Phase.ANSWER):
                legal = set(position.legal_numbers())
                for action in range(0, position.engine.num_actions, 1 if step % 90 == 0 else 7):
                    assert (position.verify(action) is None) == (action in legal)


def test_nobody_calls_for_a_joker() -> None:
    """`expert` read beyond an array, at a call on a card that nobody can have discarded (J10.1)."""
    game = Game(num_players=3, seed=3)
    while game.phase is not Phase.CALL:
        game.do(game.legal_numbers()[0])
    (pile,) = re.findall(r"^pile: (\S+)", game.text(), re.MULTILINE)
    text = re.sub(r"^stock: (.*?)JK", rf"stock: \g<1>{pile}", game.text(), count=1, flags=re.MULTILINE)
    text = re.sub(r"^pile: \S+", "pile: JK", text, flags=re.MULTILINE)
    with pytest.raises(PositionError, match=r"a call on a joker, which nobody can have discarded \(J10.1\)"):
        Game.from_text(text)
