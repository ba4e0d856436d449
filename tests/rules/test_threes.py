"""Threes, examples T1 to T14, each laid down as part of the contract of deal 1.

Left out, since no preset has the value: T10 with `set_joker_spacing: ignore`.
"""

from __future__ import annotations

import pytest

from kalooki_env.errors import PositionError
from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal

from .positions import in_order, legal, melds_of, position, refused, shown

OTHERS = "2S 2H 2D + 3S 3H 3D"


def with_three(three: str, rules: str = "jamaican_consensus", players: int = 4) -> Game:
    """The seat to play holds a three, the rest of the contract, and a spare card."""
    return position(rules=rules, players=players, P1=f"{three} {OTHERS} 4C".replace("+", " "))


@pytest.mark.parametrize(
    ("three", "rules"),
    [
        pytest.param("7S 7H 7D", "jamaican_consensus", id="T1"),
        pytest.param("7S 7H 7D 7C 7S", "jamaican_consensus", id="T2"),
        pytest.param("KH KH KD", "jamaican_consensus", id="T3"),
        pytest.param("QS QH JK", "jamaican_consensus", id="T6"),
        pytest.param("QS JK JK", "jamaican", id="T7-jamaican"),
        pytest.param("QS QH JK JK", "jamaican_consensus", id="T8"),
        pytest.param("QS QH JK JK JK", "jamaican_consensus", id="T9"),
        pytest.param("AS AS AH AH AD AD AC AC", "jamaican_consensus", id="T12"),
        pytest.param("5D 5H 5S JK 5D", "jamaican_consensus", id="T14"),
    ],
)
def test_three_is_laid(three: str, rules: str) -> None:
    after = legal(with_three(three, rules), f"lay down {three} + {OTHERS}")
    assert melds_of(after, "P1") == [in_order(three), "2S 2H 2D", "3S 3H 3D"]
    assert shown(after, "hand P1") == "4C"
    assert shown(after, "opened") == "P1"
    assert shown(after, "phase") == "play P1 opened now"


@pytest.mark.parametrize(
    ("three", "rules", "reason"),
    [
        pytest.param("7S 7H", "jamaican_consensus", Refusal.TOO_FEW_CARDS, id="T4"),
        pytest.param("7S 7H 8D", "jamaican_consensus", Refusal.RANKS_DIFFER, id="T5"),
        pytest.param("QS JK JK", "jamaican_consensus", Refusal.TOO_FEW_NATURALS, id="T7"),
        pytest.param("QS QH JK JK JK JK", "jamaican_consensus", Refusal.TOO_MANY_JOKERS, id="T10"),
        pytest.param("QS QH JK JK JK JK", "jamaican", Refusal.TOO_MANY_JOKERS, id="T10-jamaican"),
        pytest.param("QS JK JK JK", "jamaican", Refusal.TOO_MANY_JOKERS, id="T10-one-natural-jamaican"),
        pytest.param("JK JK JK", "jamaican_consensus", Refusal.TOO_FEW_NATURALS, id="T11"),
        pytest.param("JK JK JK", "jamaican", Refusal.TOO_FEW_NATURALS, id="T11-jamaican"),
    ],
)
def test_three_is_refused(three: str, rules: str, reason: Refusal) -> None:
    refused(with_three(three, rules), f"lay down {three} + {OTHERS}", reason)


def test_t13_third_copy_does_not_exist() -> None:
    """Two packs have two nines of clubs: such a position cannot be. Seven players use three packs."""
    with pytest.raises(PositionError, match="3 copies of 9C"):
        with_three("9C 9C 9C")
    after = legal(with_three("9C 9C 9C", players=7), f"lay down 9C 9C 9C + {OTHERS}")
    assert melds_of(after, "P1")[0] == "9C 9C 9C"
