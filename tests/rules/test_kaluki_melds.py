"""Kaluki: melds, their points and openings, examples KX1 to KX30. Hands are those after the draw.

Points of an opening other than 51 and 40 are not among the examples, and neither are other values of an ace.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest
from brute_force_kaluki import most_points

from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import Rules

from . import positions
from .positions import cards, in_order, legal, listed, melds_of, refused, shown

position = partial(positions.position, rules="kaluki51")

K51, REPRESENTED = "kaluki51", "kaluki51 joker_opening_value=represented"
BRITISH = "kaluki40_british"
#: What other seats may have opened with.
OPENED = {"P1": "TS JS QS KS AS", "P2": "KH KD KC + 7H 7D 7C"}


def with_hand(hand: str, rules: str = K51) -> Game:
    """P1 to play, not opened, with these cards and one that nothing can be made of."""
    return position(rules=rules, P1=f"{hand} 9D", pile="5H")


@pytest.mark.parametrize(
    ("rules", "melds"),
    [
        pytest.param(K51, "5C 6C 7C + JS JH JD + AC 2C 3C", id="KX2"),
        pytest.param(K51, "7S 7H 7D + TS TH TC", id="KX3"),
        pytest.param(K51, "KS KH KC + 7S 7H 7D", id="KX5"),
        pytest.param(K51, "TS JS QS KS AS", id="KX6"),
        pytest.param(K51, "9S TS JS QS KS JK(AS)", id="KX8"),
        pytest.param(K51, "AS AH AD AC", id="KX10"),
        pytest.param(K51, "KS KH JK + 5C 6C 7C", id="KX13"),
        pytest.param(K51, "2S 3S JK(4S) + QS QH QD + 2H 2D 2C", id="KX15"),
        pytest.param(K51, "QS KS AS + 6H 6D 6C", id="KX16"),
        pytest.param(K51, "5H JK(6H) JK(7H) + 6S 7S JK(8S)", id="KX17"),
        pytest.param(BRITISH, "QS KS AS + 3H 3D 3C", id="KX26"),
        pytest.param(BRITISH, "TS TH JK + 3C 4C JK(5C)", id="KX28"),
    ],
)
def test_opening(rules: str, melds: str) -> None:
    """The melds lie as written, in any order of them, and one card is left."""
    game = with_hand(" ".join(cards(melds)), rules)
    after = legal(game, f"lay down {melds}")
    assert melds_of(after, "P1") == melds.split(" + ")
    assert shown(after, "phase") == "play P1 opened now"
    assert shown(after, "opened") == "P1"
    assert listed(after, "hand P1") == ["9D"]
    other = legal(game, f"lay down {' + '.join(reversed(melds.split(' + ')))}")
    assert sorted(melds_of(other, "P1")) == sorted(melds.split(" + "))


@pytest.mark.parametrize(
    ("rules", "melds"),
    [
        pytest.param(K51, "5C 6C 7C + JS JH JD", id="KX1"),
        pytest.param(K51, "KS KH KC + 5S 5H 5D 5C", id="KX4"),
        pytest.param(K51, "9S TS JS QS KS", id="KX7"),
        pytest.param(K51, "AS AH AD", id="KX9"),
        pytest.param(K51, "AS AH JK", id="KX11"),
        pytest.param(K51, "KS KH JK + 4C 5C 6C", id="KX12"),
        pytest.param(REPRESENTED, "KS KH JK + 5C 6C 7C", id="KX13-represented"),
        pytest.param(K51, "2S 3S JK(4S) + KS KH KD", id="KX14"),
        pytest.param(REPRESENTED, "2S 3S JK(4S) + KS KH KD", id="KX14-represented"),
        pytest.param(REPRESENTED, "2S 3S JK(4S) + QS QH QD + 2H 2D 2C", id="KX15-represented"),
        pytest.param(REPRESENTED, "5H JK(6H) JK(7H) + 6S 7S JK(8S)", id="KX17-represented"),
        pytest.param(BRITISH, "QS KS AS + 2H 2D 2C", id="KX27"),
        pytest.param(BRITISH, "KH KC KS + 3D 3S 3C", id="KX29"),
    ],
)
def test_too_few_points(rules: str, melds: str) -> None:
    """These melds do not open; whether others of the same cards would, brute force says (KX15: the joker as an ace)."""
    game = with_hand(" ".join(cards(melds)), rules)
    refused(game, f"lay down {melds}", Refusal.NOT_ENOUGH_POINTS)
    table = Rules.parse(rules)
    others = most_points(Counter(game.hand(0)), table, Counter(), int(table.final_discard_required)) >= (
        table.opening_points or 0
    )
    assert others is (melds[:2] == "2S" and "QS" in melds)
    assert game.can("lay down") is others


@pytest.mark.parametrize(
    ("rules", "meld", "reason"),
    [
        pytest.param(K51, "8S 8H 8S", Refusal.SUIT_TWICE, id="KX18"),
        pytest.param(K51, "8S 8H 8D 8C JK", Refusal.TOO_MANY_CARDS, id="KX19"),
        pytest.param(K51, "KH AH 2H", Refusal.BEYOND_THE_ACE, id="KX21"),
        pytest.param(BRITISH, "AH 2H 3H", Refusal.ACE_IS_HIGH, id="KX30"),
    ],
)
def test_no_melds(rules: str, meld: str, reason: Refusal) -> None:
    """Neither in an opening nor later."""
    refused(position(rules=rules, P1=f"{meld} QS QH QC JS JH JC 2D"), f"lay down {meld} + QS QH QC + JS JH JC", reason)
    refused(position(rules=rules, melds=OPENED, P1=f"{meld} 2D"), f"meld {meld}", reason)


@pytest.mark.parametrize(
    ("meld", "lies"),
    [pytest.param("5H 6H 7H", "5H 6H 7H", id="KX20"), pytest.param("5H JK JK 8H", "5H JK(6H) JK(7H) 8H", id="KX22")],
)
def test_further_melds(meld: str, lies: str) -> None:
    after = legal(position(melds=OPENED, P1=f"{meld} 2D"), f"meld {meld}")
    assert melds_of(after, "P1") == ["TS JS QS KS AS", lies]
    assert shown(after, "hand P1") == "2D"


def test_kx18_naturals_of_one_suit_are_not_placed_twice() -> None:
    """The second eight of spades stays in the hand, whatever else is laid."""
    game = legal(position(melds=OPENED, P1="8S 8S 8H 8D 8C 2D"), "set of 8")
    assert "8S" in listed(game, "hand P1")
    after = legal(position(melds=OPENED, P1="8S 8S 8H 8D 8C 2D"), "meld 8S 8H 8D 8C")
    assert shown(after, "hand P1") == in_order("8S 2D")


def test_kx23_no_lay_off_in_the_turn_of_the_opening() -> None:
    game = position(melds={"P2": OPENED["P2"]}, P1="QS KS AS 6H 6D 6C KS 2D")
    after = legal(game, "lay down QS KS AS + 6H 6D 6C")
    refused(after, "lay off KS onto P2/1", Refusal.NO_LAY_OFF_YET)
    refused(after, "lay off onto P2/1", Refusal.NO_LAY_OFF_YET)
    later = position(melds={"P1": "QS KS AS + 6H 6D 6C", **{"P2": OPENED["P2"]}}, P1="KS 2D")
    assert melds_of(legal(later, "lay off KS onto P2/1"), "P2")[0] == "KS KH KD KC"


def test_kx24_no_fewest_points_after_the_opening() -> None:
    game = position(melds={"P1": OPENED["P1"]}, P1="2H 2D 2C 9D")
    assert melds_of(legal(game, "meld 2H 2D 2C"), "P1")[1] == "2H 2D 2C"
    refused(position("play P1 opened now", melds={"P1": OPENED["P1"]}, P1="2H 2D 2C 9D"), "meld 2H 2D 2C", Refusal.NO_MELDS_YET)


@pytest.mark.parametrize("rules", [pytest.param(K51, id="KX25")])
def test_upcard_is_free_before_the_opening(rules: str) -> None:
    hand = "2S 4S 6S 8S 2H 4H 6H 8H TD QD KD 9C JC 3C"
    game = position("draw P1", rules=rules, P1=hand, pile="5H")
    after = legal(game, "take upcard")
    assert "5H" in listed(after, "hand P1")
    assert shown(after, "owed") is None
    legal(after, "discard 2S")
    owing = position("draw P1", rules=f"{rules} upcard_before_opening=only_to_open", P1=hand, pile="5H")
    assert owing.legal_actions() == ["draw stock"]
    refused(owing, "take upcard", Refusal.UPCARD_NOT_LAID)
