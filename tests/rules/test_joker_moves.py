"""Moving a joker in a four, examples M1 to M21.

Left out, since no preset has the value: M11 with `run_both_aces: false`.
"""

from __future__ import annotations

import pytest

from kalooki_env.errors import NotationError
from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal

from .positions import SPADES, legal, listed, melds_of, played, position, refused, run, shown

THREES = "4H 4D 4C + TH TD TC"
M1 = "5S JK(6S) 7S 8S"
JOKER_AT_7 = SPADES.replace("7S", "JK(7S)")


def own_four(four: str, hand: str, phase: str = "play P1") -> Game:
    """P1 to play with its own four, laid down in deal 2."""
    return position(phase, deal=2, melds={"P1": f"{four} + {THREES}"}, P1=hand)


@pytest.mark.parametrize(
    ("four", "card", "low", "high"),
    [
        pytest.param(M1, "6S", "JK(4S) 5S 6S 7S 8S", "5S 6S 7S 8S JK(9S)", id="M1"),
        pytest.param(M1, "6H", Refusal.NO_JOKER_FOR_CARD, Refusal.NO_JOKER_FOR_CARD, id="M4"),
        pytest.param("JK(5S) 6S JK(7S) 8S", "7S", Refusal.ADJACENT_JOKERS, "JK(5S) 6S 7S 8S JK(9S)", id="M6"),
        pytest.param("JK(5S) 6S JK(7S) 8S", "5S", "JK(4S) 5S 6S JK(7S) 8S", "5S 6S JK(7S) 8S JK(9S)", id="M7"),
        pytest.param("JK(AH) 2H 3H 4H", "AH", Refusal.BEYOND_THE_ACE, "AH 2H 3H 4H JK(5H)", id="M8"),
        pytest.param("TC JC QC KC JK(AC)", "AC", "JK(9C) TC JC QC KC AC", Refusal.BEYOND_THE_ACE, id="M9"),
        pytest.param(f"{JOKER_AT_7} AS", "7S", Refusal.BEYOND_THE_ACE, Refusal.BEYOND_THE_ACE, id="M10"),
        pytest.param(JOKER_AT_7, "7S", Refusal.BEYOND_THE_ACE, f"{SPADES} JK(AS)", id="M11"),
        pytest.param("9S JK(TS) JS JK(QS)", "TS", "JK(8S) 9S TS JS JK(QS)", Refusal.ADJACENT_JOKERS, id="M12"),
        pytest.param("9S JK(TS) JS JK(QS)", "QS", "JK(8S) 9S JK(TS) JS QS", "9S JK(TS) JS QS JK(KS)", id="M13"),
        pytest.param("JK(5S) 6S JK(7S) 8S JK(9S)", "7S", Refusal.ADJACENT_JOKERS, Refusal.ADJACENT_JOKERS, id="M14"),
        pytest.param("JK(5S) 6S JK(7S) 8S JK(9S)", "5S", "JK(4S) 5S 6S JK(7S) 8S JK(9S)", Refusal.ADJACENT_JOKERS, id="M15"),
        pytest.param("JK(JD) QD KD AD", "JD", "JK(TD) JD QD KD AD", Refusal.BEYOND_THE_ACE, id="M16"),
        pytest.param("2C 3C 4C JK(5C)", "5C", "JK(AC) 2C 3C 4C 5C", "2C 3C 4C 5C JK(6C)", id="M17"),
        pytest.param("AH JK(2H) 3H 4H", "2H", Refusal.BEYOND_THE_ACE, "AH 2H 3H 4H JK(5H)", id="M18"),
    ],
)
def test_joker_goes_to_an_end(four: str, card: str, low: str | Refusal, high: str | Refusal) -> None:
    """Where the joker goes when it is replaced by a card from the hand: the four afterwards, or why not."""
    game = own_four(four, f"{card} 2S QD")
    for end, result in (("low", low), ("high", high)):
        move = f"move joker in P1/1 to {end} with {card}"
        if isinstance(result, Refusal):
            refused(game, move, result)
        else:
            after = legal(game, move)
            assert melds_of(after, "P1") == [result, *THREES.split(" + ")]
            assert listed(after, "hand P1") == ["2S", "QD"]
            assert shown(after, "phase") == "play P1"


@pytest.mark.parametrize("end", ["low", "high"])
def test_m2_not_in_the_turn_of_the_opening(end: str) -> None:
    refused(own_four(M1, "6S QD", "play P1 opened now"), f"move joker in P1/1 to {end} with 6S", Refusal.OPENED_THIS_TURN)


@pytest.mark.parametrize(("end", "lies"), [("low", "JK(4S) 5S 6S 7S 8S"), ("high", "5S 6S 7S 8S JK(9S)")])
def test_m3_four_of_another_seat(end: str, lies: str) -> None:
    melds = {"P1": f"{run('D', '6789')} + {THREES}", "P2": f"{M1} + 2H 2D 2C + KH KD KC"}
    move = f"move joker in P2/1 to {end} with 6S"
    refused(position(deal=2, melds=melds, P1="6S QD"), move, Refusal.NOT_THE_OWNER)
    for rules in ("jamaican_club", "jamaican_consensus joker_release=anyone_moves_to_end"):
        assert melds_of(legal(position(rules=rules, deal=2, melds=melds, P1="6S QD"), move), "P2")[0] == lies


def test_m5_jokers_in_threes_are_frozen() -> None:
    game = position(melds={"P1": "QS QH JK + 2S 2H 2D + 3S 3H 3D"}, P1="QD KD")
    for end in ("low", "high"):
        refused(game, f"move joker in P1/1 to {end} with QD", Refusal.FROZEN_IN_THREE)
    assert melds_of(legal(game, "lay off QD onto P1/1"), "P1")[0] == "QS QH QD JK"


def test_m19_same_joker_moved_twice_in_a_turn() -> None:
    once = legal(own_four(M1, "6S 9S QD"), "move joker in P1/1 to high with 6S")
    assert melds_of(legal(once, "move joker in P1/1 to low with 9S"), "P1")[0] == "JK(4S) 5S 6S 7S 8S 9S"
    assert melds_of(legal(once, "move joker in P1/1 to high with 9S"), "P1")[0] == "5S 6S 7S 8S 9S JK(TS)"


def test_m20_a_joker_stays_in_its_four() -> None:
    """There is no action that takes a joker off the table, and those that move one leave it in its meld."""
    game = own_four(M1, "6S 9S 2H QD")
    for move in ("move joker in P1/1 to P1/2 with 6S", "take joker from P1/1 with 6S"):
        with pytest.raises(NotationError):
            game.can(move)
    moves = [action for action in game.legal_actions() if action.startswith("move joker")]
    assert moves == ["move joker in P1/1 to low", "move joker in P1/1 to high"]
    for action in moves:
        after = played(game, action)
        assert melds_of(after, "P1")[0].count("JK") == 1
        assert "JK" not in listed(after, "hand P1")
        assert melds_of(after, "P1")[1:] == melds_of(game, "P1")[1:]


@pytest.mark.parametrize("end", ["low", "high"])
def test_m21_going_out_by_moving_a_joker(end: str) -> None:
    after = legal(own_four(M1, "6S"), f"move joker in P1/1 to {end} with 6S")
    assert shown(after, "phase") == "over P1"
