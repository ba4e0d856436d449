"""Actions as people type them: blanks, letters and `10` do not matter, and an error names the end of a meld that fits."""

from __future__ import annotations

import re

import numpy as np
import pytest
from conftest import KALUKI, positions
from kaluki_texts import table
from rules.positions import position

from kalooki_env import Game, IllegalActionError, NotationError, Refusal
from kalooki_env.game.match import Match
from kalooki_env.game.spelling import canonical

#: Of deal 2: in each seat two threes, and a four that grows at both ends.
MELDS = {"P1": "8H 8D 8C + 5S 6S 7S 8S + 3H 3D 3C", "P2": "KS KH KD + 9H TH JH QH + 7H 7D 7C"}


def spellings(text: str) -> list[str]:
    """Other ways to type a text."""
    tens = re.sub(r"T(?=[SHDC])", "10", re.sub(r"\b(of|from) T$", r"\1 10", text))
    return [text.upper(), text.lower(), f"  {text.replace(' ', '   ')}\t", tens, tens.title(), text.replace(" + ", "+")]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("Discard  7s", "discard 7S"),
        ("take 10h", "take TH"),
        ("PLACE jk", "place JK"),
        (" draw\tstock\n", "draw stock"),
        ("three of 10", "three of T"),
        ("Four of Hearts from a", "four of hearts from A"),
        ("set of q", "set of Q"),
        ("lay off 10s onto p2/1 High", "lay off TS onto P2/1 high"),
        ("lay off 9S onto P2 / 1 low", "lay off 9S onto P2/1 low"),
        ("Move Joker in p1/2 to LOW with 6s", "move joker in P1/2 to low with 6S"),
        ("lay down 4s 4h 4d+5h jk( 6h ) 7h 10h", "lay down 4S 4H 4D + 5H JK(6H) 7H TH"),
        ("lay down 4S 4H 4D+jk", "lay down 4S 4H 4D + JK"),
    ],
)
def test_what_is_typed_is_read_as_it_is_written(typed: str, written: str) -> None:
    assert canonical(typed) == written


@pytest.mark.parametrize("rules", ["jamaican_club", *KALUKI])
def test_every_action_in_every_spelling(rules: str, rng: np.random.Generator) -> None:
    """What is written stays as it is, so no two actions meet in one spelling."""
    for game in positions(Game(rules, 4, seed=3), rng):
        for action in game.legal_numbers():
            text = game.action_text(action)
            assert canonical(text) == text
            assert {game.action_number(typed) for typed in spellings(text)} == {action}


def test_all_texts_of_a_table_stay_apart() -> None:
    game = Game(num_players=8)
    texts = [game.action_text(action) for action in range(game.engine.num_actions)]
    assert [canonical(text) for text in texts] == texts
    assert len({canonical(text.upper()) for text in texts}) == len(texts)


def test_a_game_keeps_what_is_written() -> None:
    game = Game(seed=7).do("Draw  STOCK")
    discard = next(text for text in game.legal_actions() if text.startswith("discard"))
    assert game.can(discard.upper())
    assert game.verify(f" {discard.lower()} ") is None
    game.do(discard.swapcase())
    assert game.history == ["draw stock", discard]
    assert game.can("CALL", seat=(game.to_move or 0) + 1) in (True, False)
    assert Match(seed=1).do("DRAW stock").game.history == ["draw stock"]  # type: ignore[union-attr]


def test_whole_moves_in_other_spellings() -> None:
    ready = position(deal=2, P1="4H 4D 4C 6S 6H 6C 9D TD JD QD 2S")
    done = ready.copy().do("lay down 4H 4D 4C + 6S 6H 6C + 9D TD JD QD")
    assert ready.copy().do("Lay Down 4h 4d 4c+6S  6h 6C +9d 10D jd QD").text() == done.text()
    taking = position("draw P1", pile="TH 2C")
    assert taking.copy().do("take 10h").text() == taking.copy().do("take upcard").text()


@pytest.mark.parametrize("text", ["discard 7\u017f", "discard \uff17S", "discard \u0667S", "draw\u2009stoc\u212a", "pa\u017fs"])
def test_letters_that_only_look_alike_are_none(text: str) -> None:
    game = Game(seed=7).do("draw stock")
    with pytest.raises(NotationError):
        game.verify(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("discard 1S", "'1S' is no card"),
        ("Discard 110S", "is no card"),
        ("Discard 7 S", "'Discard 7 S' is no action (did you mean 'discard 7S'?)"),
        ("discard10H", "is no action"),
        ("Three of 1", "'Three of 1' is no action"),
        ("lay off 9S onto P2/01", "'P2/01' is no meld"),
        ("Draw stok", "'Draw stok' is no action (did you mean 'draw stock'?)"),
    ],
)
def test_what_is_something_else_stays_refused(text: str, message: str) -> None:
    game = Game(seed=7).do("draw stock")
    with pytest.raises(NotationError, match=re.escape(message)):
        game.verify(text)


# ---- ends of melds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("lay off 9S onto P1/2", "names no end of P1/2, a four; allowed: low, high; legal here: 'lay off 9S onto P1/2 high'"),
        ("lay off 4S onto P1/2", "legal here: 'lay off 4S onto P1/2 low'"),
        ("lay off 8H onto P2/2", "legal here: 'lay off 8H onto P2/2 low'"),
        ("lay off JK onto P1/2", "legal here: 'lay off JK onto P1/2 low' and 'lay off JK onto P1/2 high'"),
        ("lay off onto P1/2", "legal here: 'lay off onto P1/2 low' and 'lay off onto P1/2 high'"),
        ("Lay off 9s onto p1/2", "'Lay off 9s onto p1/2' names no end of P1/2"),
        ("lay off KC onto P2/1 low", "names an end of P2/1, a three, which has none; legal here: 'lay off KC onto P2/1'"),
        ("lay off KC onto P2/1 high", "names an end of P2/1, a three, which has none; legal here: 'lay off KC onto P2/1'"),
    ],
)
def test_a_lay_off_without_an_end_is_told_the_one_that_fits(move: str, message: str) -> None:
    game = position(deal=2, melds=MELDS, P1="9S 4S 8H KC JK 2D")
    for ask in (game.verify, game.do):
        with pytest.raises(NotationError, match=re.escape(message)):
            ask(move)
    assert game.history == []


def test_every_text_of_an_action_is_judged_as_its_number() -> None:
    """Also that of the high end of a three, which does not exist."""
    game = position(deal=2, melds=MELDS, P1="9S 4S 8H KC JK 2D")
    for action in range(game.engine.num_actions):
        text = game.action_text(action)
        assert game.action_number(text) == action
        assert game.verify(text) is game.verify(action), text
    assert game.verify("lay off onto P2/1 high") is Refusal.NO_SUCH_MELD


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (
            "lay off 9S onto P1/2 low",
            "the card does not fit there (J8.3, J8.4); legal here: 'lay off 9S onto P1/2 high'; legal: ",
        ),
        ("lay off 4S onto P1/2 HIGH", "; legal here: 'lay off 4S onto P1/2 low'"),
    ],
)
def test_a_lay_off_at_the_wrong_end_is_told_the_right_one(move: str, message: str) -> None:
    game = position(deal=2, melds=MELDS, P1="9S 4S 2D 3D")
    with pytest.raises(IllegalActionError, match=re.escape(message)):
        game.do(move)


def test_a_card_that_fits_nowhere_is_told_nothing() -> None:
    game = position(deal=2, melds=MELDS, P1="2D 3D 4C")
    with pytest.raises(NotationError, match=r"allowed: low, high$"):
        game.do("lay off 2D onto P1/2")
    with pytest.raises(IllegalActionError) as caught:
        game.do("lay off 2D onto P1/2 low")
    assert "legal here" not in str(caught.value)


def test_the_other_end_of_a_joker_move() -> None:
    game = position(deal=2, melds={"P1": "JK(AH) 2H 3H 4H + TH TD TC + 9S 9D 9C"}, P1="AH 2S QD")
    with pytest.raises(IllegalActionError, match="legal here: 'move joker in P1/1 to high with AH'"):
        game.do("move joker in P1/1 to low with AH")


def test_nobody_learns_of_other_hands_by_a_hint() -> None:
    game = position("play P1", deal=2, melds=MELDS, P1="2D 3D 4C", P2="9S 4S")
    with pytest.raises(IllegalActionError) as caught:
        game.do("lay off 9S onto P1/2 low", seat=1)
    assert "legal" not in str(caught.value).replace("illegal", "")


def test_runs_of_kaluki_too() -> None:
    game = Game.from_text(table("play P1", "9S 8D 2S"))
    with pytest.raises(NotationError, match="a run; allowed: low, high; legal here: 'lay off 9S onto P1/1 low'"):
        game.do("lay off 9S onto P1/1")
    with pytest.raises(NotationError, match="a set, which has none"):
        game.do("lay off 9S onto P2/1 high")
    with pytest.raises(IllegalActionError, match="legal here: 'lay off 8D onto P2/2 high'"):
        game.do("lay off 8D onto P2/2 low")
