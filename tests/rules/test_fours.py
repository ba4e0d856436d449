"""Fours, examples F1 to F28, each laid down as part of the contract of deal 2.

Left out, since no preset has the value: F15 with `run_both_aces: false`.
"""

from __future__ import annotations

import pytest

from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal

from .positions import SPADES, legal, melds_of, position, refused, shown

THREES = "4S 4H 4C + 9S 9H 9D"


def with_four(four: str) -> Game:
    """The seat to play holds a four, the rest of the contract of deal 2, and a spare card."""
    return position(deal=2, P1=f"{four} {THREES} 2C".replace("+", " "))


@pytest.mark.parametrize(
    ("four", "lies"),
    [
        pytest.param("5S 6S 7S 8S", "5S 6S 7S 8S", id="F1"),
        pytest.param("AH 2H 3H 4H", "AH 2H 3H 4H", id="F5"),
        pytest.param("JC QC KC AC", "JC QC KC AC", id="F6"),
        pytest.param("9S JK JS JK", "9S JK(TS) JS JK(QS)", id="F9"),
        pytest.param("JK 6H JK 8H", "JK(5H) 6H JK(7H) 8H", id="F11"),
        pytest.param("JK 6H 7H JK", "JK(5H) 6H 7H JK(8H)", id="F12"),
        pytest.param(SPADES, SPADES, id="F14"),
        pytest.param(f"{SPADES} AS", f"{SPADES} AS", id="F15"),
        pytest.param("JK 2C 3C 4C", "JK(AC) 2C 3C 4C", id="F16"),
        pytest.param("JH QH KH JK", "JH QH KH JK(AH)", id="F17"),
        pytest.param("JK QH KH AH", "JK(JH) QH KH AH", id="F19"),
        pytest.param("JK 2S 3S JK", "JK(AS) 2S 3S JK(4S)", id="F20"),
        pytest.param("2H 3H JK 5H JK 7H", "2H 3H JK(4H) 5H JK(6H) 7H", id="F21"),
        pytest.param("JK 5C JK 7C JK", "JK(4C) 5C JK(6C) 7C JK(8C)", id="F24"),
        pytest.param("3C 4C 5C 6C 7C 8C 9C TC", "3C 4C 5C 6C 7C 8C 9C TC", id="F27"),
    ],
)
def test_four_is_laid(four: str, lies: str) -> None:
    after = legal(with_four(four), f"lay down {THREES} + {four}")
    assert melds_of(after, "P1") == ["4S 4H 4C", "9S 9H 9D", lies]
    assert shown(after, "hand P1") == "2C"
    assert shown(after, "opened") == "P1"


@pytest.mark.parametrize(
    ("four", "reason"),
    [
        pytest.param("5S 6S 7S", Refusal.TOO_FEW_CARDS, id="F2"),
        pytest.param("5S 6S 7S 8H", Refusal.SUITS_DIFFER, id="F3"),
        pytest.param("5S 6S 8S 9S", Refusal.NOT_CONSECUTIVE, id="F4"),
        pytest.param("KD AD 2D 3D", Refusal.BEYOND_THE_ACE, id="F7"),
        pytest.param("QD KD AD 2D", Refusal.BEYOND_THE_ACE, id="F8"),
        pytest.param("9S JK JK QS", Refusal.ADJACENT_JOKERS, id="F10"),
        pytest.param("5D 5D 6D 7D", Refusal.NOT_CONSECUTIVE, id="F13"),
        pytest.param("QH KH AH JK", Refusal.BEYOND_THE_ACE, id="F18"),
        pytest.param("4D JK JK 7D 8D", Refusal.ADJACENT_JOKERS, id="F22"),
        pytest.param("JK KS AS", Refusal.TOO_FEW_CARDS, id="F23"),
        pytest.param("TD JD QD KD AD 2D", Refusal.BEYOND_THE_ACE, id="F25"),
        pytest.param("JK AC 2C 3C", Refusal.BEYOND_THE_ACE, id="F26"),
        pytest.param("JK 4H JK JK 7H", Refusal.ADJACENT_JOKERS, id="F28"),
    ],
)
def test_four_is_refused(four: str, reason: Refusal) -> None:
    refused(with_four(four), f"lay down {THREES} + {four}", reason)
