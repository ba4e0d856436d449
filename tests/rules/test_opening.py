"""Laying down the contract, examples L1 to L23. Hands are those after the draw.

Left out, since no preset has the value: L2 with `contract_longer_melds: false`, L13 with `full_suit_for_444: true`, L23 with
`extra_melds: later_turns`.
"""

from __future__ import annotations

import pytest

from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import RANKS

from .positions import cards, in_order, legal, listed, melds_of, played, position, refused, run, shown

CONSENSUS, JAMAICAN = "jamaican_consensus", "jamaican"


@pytest.mark.parametrize(
    ("deal", "rules", "melds", "left"),
    [
        pytest.param(1, CONSENSUS, "4S 4H 4D + 9H 9D 9C + KS KH KC", "2D", id="L1"),
        pytest.param(1, JAMAICAN, "7S 7H 7D + 7S 7H 7C + QS QH QD", "2D", id="L4-jamaican"),
        pytest.param(1, CONSENSUS, "4S 4H 4D + 9H 9D 9C + KS KH KC", "5C 6C 7C 8C 2D", id="L5-contract-alone"),
        pytest.param(2, CONSENSUS, "6S 6H 6D + QH QD QC + 3C 4C 5C 6C", "JK", id="L6"),
        pytest.param(3, CONSENSUS, "6S 6H 6D + 3C 4C 5C 6C + 8H 9H TH JH", "2S", id="L8"),
        pytest.param(3, CONSENSUS, "7S 7H 7D + 4S 5S 6S 7S + 8H 9H TH JH", "2C", id="L10"),
        pytest.param(4, CONSENSUS, "AS 2S 3S 4S + 6H 7H JK(8H) 9H + TC JC QC KC", "5D", id="L11"),
        pytest.param(4, JAMAICAN, "2S 3S 4S 5S + 8S 9S TS JS + 4H 5H 6H 7H", "KD", id="L12-jamaican"),
        pytest.param(5, CONSENSUS, "2S 2H 2D + 5D 5C JK + 8S 8H 8H + AH AD AC", "KD", id="L14"),
        pytest.param(6, CONSENSUS, "3S 3H 3D + TS TD TC + KH KD JK + 6H JK(7H) 8H 9H", "4C", id="L15"),
        pytest.param(7, CONSENSUS, "5S 5H 5D + JH JD JC + AC 2C 3C 4C + TD JD QD KD", "9S", id="L16"),
        pytest.param(8, CONSENSUS, "9S 9H 9C + 2S 3S 4S 5S + 6D 7D 8D 9D + JH QH KH AH", "2C", id="L17"),
        pytest.param(9, CONSENSUS, "2S 3S 4S 5S + 7H JK(8H) 9H TH + AD 2D 3D 4D + JK(TC) JC QC KC", "8S", id="L18"),
    ],
)
def test_contract_is_laid(deal: int, rules: str, melds: str, left: str) -> None:
    game = position(rules=rules, deal=deal, P1=" ".join(cards(melds) + cards(left)))
    after = legal(game, f"lay down {melds}")
    assert melds_of(after, "P1") == melds.split(" + ")
    assert shown(after, "hand P1") == in_order(left)
    assert shown(after, "phase") == "play P1 opened now"


@pytest.mark.parametrize(
    ("deal", "hand", "melds", "reason"),
    [
        pytest.param(1, "4S 4H 4D 9C 9D 9H KS KH 2D 3D", "4S 4H 4D + 9C 9D 9H", Refusal.PARTIAL_CONTRACT, id="L3"),
        pytest.param(1, "7S 7H 7D 7C 7S 7H QS QH QD 2D", "7S 7H 7D + 7C 7S 7H + QS QH QD", Refusal.SAME_RANK, id="L4"),
        pytest.param(
            1,
            "4S 4H 4D 9C 9D 9H KS KH KC 5C 6C 7C 8C 2D",
            "4S 4H 4D + 9C 9D 9H + KS KH KC + 5C 6C 7C 8C",
            Refusal.SURPLUS_MELD,
            id="L5",
        ),
        pytest.param(
            2, "6S 6H 6D 3C 4C 5C 6C 8H 9H TH JH", "6S 6H 6D + 3C 4C 5C 6C + 8H 9H TH JH", Refusal.WRONG_CONTRACT, id="L7"
        ),
        pytest.param(
            3, "7S 7H 7D 4S 5S 6S 8H 9H TH JH KD 2C", "7S 7H 7D + 4S 5S 6S 7S + 8H 9H TH JH", Refusal.CARD_NOT_HELD, id="L9"
        ),
        pytest.param(
            4, "2S 3S 4S 5S 8S 9S TS JS 4H 5H 6H 7H KD", "2S 3S 4S 5S + 8S 9S TS JS + 4H 5H 6H 7H", Refusal.SAME_SUIT, id="L12"
        ),
        pytest.param(4, run("D", RANKS), run("D", RANKS), Refusal.PARTIAL_CONTRACT, id="L13"),
        pytest.param(
            9,
            "2S 3S 4S 5S 7H 8H 9H TH AD 2D 3D 4D 9S 9H 9D 9C KC",
            "2S 3S 4S 5S + 7H 8H 9H TH + AD 2D 3D 4D + 9S 9H 9D",
            Refusal.WRONG_CONTRACT,
            id="L19",
        ),
        pytest.param(
            9,
            "2S 3S 4S 5S 7H 8H 9H TH AD 2D 3D 4D TC JK JK KC 8S",
            "2S 3S 4S 5S + 7H 8H 9H TH + AD 2D 3D 4D + TC JK JK KC",
            Refusal.ADJACENT_JOKERS,
            id="L20",
        ),
        pytest.param(2, "6S 6H 6D QC QD QH 3C 4C 5C 8C KD", "6S 6H 6D + QC QD QH", Refusal.PARTIAL_CONTRACT, id="L21"),
    ],
)
def test_melds_are_refused(deal: int, hand: str, melds: str, reason: Refusal) -> None:
    refused(position(deal=deal, P1=hand), f"lay down {melds}", reason)


def test_l1_last_card_discarded_goes_out() -> None:
    after = played(position(P1="4S 4H 4D 9C 9D 9H KS KH KC 2D"), "lay down 4S 4H 4D + 9C 9D 9H + KS KH KC", "discard 2D")
    assert shown(after, "phase") == "over P1"
    assert after.outcome is not None
    assert after.outcome.winner == 0


def test_l2_longer_meld_goes_out_without_discard() -> None:
    game = position(P1="4S 4H 4D 4C 9C 9D 9H KS KH KC", pile="2D")
    after = legal(game, "lay down 4S 4H 4D 4C + 9C 9D 9H + KS KH KC")
    assert melds_of(after, "P1") == ["4S 4H 4D 4C", "9H 9D 9C", "KS KH KC"]
    assert shown(after, "phase") == "over P1"
    assert listed(after, "pile") == ["2D"]


def test_l6_joker_left_is_laid_off_at_once() -> None:
    game = position(deal=2, P1="6S 6H 6D QC QD QH 3C 4C 5C 6C JK")
    opened = legal(game, "lay down 6S 6H 6D + QC QD QH + 3C 4C 5C 6C")
    refused(opened, "discard JK", Refusal.JOKER_DISCARD)
    after = legal(opened, "lay off JK onto P1/1")
    assert melds_of(after, "P1")[0] == "6S 6H 6D JK"
    assert shown(after, "phase") == "over P1"


@pytest.mark.parametrize(
    ("rules", "exists"),
    [pytest.param("jamaican_consensus", False, id="L13-exists"), pytest.param("jamaican", True, id="L13-exists-jamaican")],
)
def test_long_run_can_be_cut_into_three_fours(rules: str, exists: bool) -> None:
    assert position(rules=rules, deal=4, P1=run("D", RANKS)).can("lay down") is exists


def test_l22_not_before_drawing() -> None:
    game = position("draw P1", P1="4S 4H 4D 9C 9D 9H KS KH KC", pile="2D")
    refused(game, "lay down", Refusal.NOT_DRAWN)
    refused(game, "lay down 4S 4H 4D + 9C 9D 9H + KS KH KC", Refusal.NOT_DRAWN)
    legal(legal(game, "take upcard"), "lay down 4S 4H 4D + 9C 9D 9H + KS KH KC")


def test_l23_no_new_meld_later() -> None:
    game = position(melds={"P1": "4S 4H 4D + 9H 9D 9C + KS KH KC"}, P1="5S 5H 5D 2C")
    refused(game, "lay down 5S 5H 5D", Refusal.ALREADY_OPENED)
    refused(game, "lay down", Refusal.ALREADY_OPENED)
