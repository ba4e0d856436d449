"""Does any opening exist in this hand? Examples V1 to V12, through `lay down` and its completion."""

from __future__ import annotations

from collections import Counter

import pytest

from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import Rules

from .positions import after_lay_down, cards, listed, melds_of, position, refused

CONSENSUS, JAMAICAN = "jamaican_consensus", "jamaican"


@pytest.mark.parametrize(
    ("deal", "rules", "hand", "melds"),
    [
        pytest.param(2, CONSENSUS, "AS AH AD 2S 2H 2D 2C 3C 4C 5C KC", "AS AH AD + 2S 2H 2D + 2C 3C 4C 5C", id="V1"),
        pytest.param(2, CONSENSUS, "JS JH JD KS KH 2S 3S 4S 5S JC QC AC KC", "KS KH KC + 2S 3S 4S 5S", id="V3"),
        pytest.param(2, CONSENSUS, "JS JH JD 2S 2H 2D 2C TC JC QC KC", "JS JH JD + TC JC QC KC", id="V4"),
        pytest.param(2, CONSENSUS, "TS TH JD 2S 2H 2D 2C 9C TC JC QC AC KC", "TS TH TC + JC QC KC AC", id="V5"),
        pytest.param(2, CONSENSUS, "5S 5H JK 9C 9D 9S 3H 4H JK 6H KD", "5S 5H JK + 9S 9D 9C + 3H 4H JK(5H) 6H", id="V6"),
        pytest.param(
            9, JAMAICAN, "2S 3S 4S 5S 6S 7S 8S 9S 4H 5H 6H 7H 8D 9D TD JD KC", "4H 5H 6H 7H + 8D 9D TD JD", id="V8-jamaican"
        ),
        pytest.param(1, JAMAICAN, "7S 7S 7H 7H 7D 7D QS QH QC 2D", "QS QH QC", id="V9-jamaican"),
        pytest.param(1, CONSENSUS, "3S 3H JK 4S 4H JK 5S 5H JK 9D", "3S 3H JK + 4S 4H JK + 5S 5H JK", id="V11"),
        pytest.param(1, JAMAICAN, "6S JK JK 8C 8D 8H TS TH TD KC", "6S JK JK + 8H 8D 8C + TS TH TD", id="V12-jamaican"),
    ],
)
def test_opening_exists(deal: int, rules: str, hand: str, melds: str) -> None:
    """`melds` are those that every opening with these cards contains."""
    after = after_lay_down(position(rules=rules, deal=deal, P1=hand))
    laid = melds_of(after, "P1")
    contract = Rules().contract(deal)
    assert len(laid) == contract.threes + contract.fours
    assert set(melds.split(" + ")) <= set(laid)
    assert Counter(cards(" ".join(laid)) + listed(after, "hand P1")) == Counter(cards(hand))


@pytest.mark.parametrize(
    ("deal", "rules", "hand"),
    [
        pytest.param(2, CONSENSUS, "AS AH 2S 2H 2D 2C 9C TC QC AC KC", id="V2"),
        pytest.param(2, JAMAICAN, "AS AH 2S 2H 2D 2C 9C TC QC AC KC", id="V2-jamaican"),
        pytest.param(2, CONSENSUS, "5S 5H JK 9C 9D 2C 3H 4H JK 6H KD", id="V7"),
        pytest.param(2, JAMAICAN, "5S 5H JK 9C 9D 2C 3H 4H JK 6H KD", id="V7-jamaican"),
        pytest.param(9, CONSENSUS, "2S 3S 4S 5S 6S 7S 8S 9S 4H 5H 6H 7H 8D 9D TD JD KC", id="V8"),
        pytest.param(1, CONSENSUS, "7S 7S 7H 7H 7D 7D QS QH QC 2D", id="V9"),
        pytest.param(3, CONSENSUS, "7S 7H 7D 4S 5S 6S 8H 9H TH JH KD 2C", id="V10"),
        pytest.param(3, JAMAICAN, "7S 7H 7D 4S 5S 6S 8H 9H TH JH KD 2C", id="V10-jamaican"),
        pytest.param(1, CONSENSUS, "6S JK JK 8C 8D 8H TS TH TD KC", id="V12"),
    ],
)
def test_no_opening_exists(deal: int, rules: str, hand: str) -> None:
    refused(position(rules=rules, deal=deal, P1=hand), "lay down", Refusal.NO_CONTRACT_IN_HAND)
