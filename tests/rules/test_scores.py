"""Scores of complete deals, examples S1 to S8.

Left out: S5 needs `one_turn_out_multiplier` and S6 with `no_score` needs `blocked_deal_score`, which no preset sets; S7 is about
the running total of a match.
"""

from __future__ import annotations

import pytest

from kalooki_env.game.game import Game, Outcome

from .positions import legal, position

DEAL_2 = {"P1": "4S 4H 4D + 6S 6H 6D + 8C 9C TC JC", "P2": "7S 7H 7D + QS QH QC + 2D 3D 4D 5D"}


def outcome(game: Game, move: str) -> Outcome:
    """How the deal ends with a legal move."""
    after = legal(game, move)
    assert after.outcome is not None
    return after.outcome


def test_s1_out_opened_and_not_opened() -> None:
    game = position(deal=2, melds=DEAL_2, P1="KS", P2="KH 5D", P3="AS AH 9C JK", P4="2S 3H TD AC")
    assert outcome(game, "discard KS") == Outcome(0, (-50, 15, 125, 80))


@pytest.mark.parametrize(
    ("rules", "score"),
    [pytest.param("jamaican_consensus", 178, id="S2"), pytest.param("jamaican_consensus pip_joker=25", 153, id="S2-joker25")],
)
def test_every_kind_of_card(rules: str, score: int) -> None:
    game = position(rules=rules, deal=2, melds={"P1": DEAL_2["P1"]}, P1="KS", P2="2C 4D 7H 9S TS JC QD KH AC AD JK")
    assert outcome(game, "discard KS").scores[1] == score


def test_s2_preset_with_cheap_jokers() -> None:
    game = position(rules="joker25", deal=2, melds={"P1": DEAL_2["P1"]}, P1="KS", P2="2C 4D 7H 9S TS JC QD KH AC AD JK")
    assert outcome(game, "discard KS").scores[1] == 153


def test_s3_red_aces() -> None:
    assert outcome(position(deal=2, melds=DEAL_2, P1="KS", P2="AH AD 2C"), "discard KS").scores[1] == 4


def test_s4_all_jokers_and_black_aces() -> None:
    fours = "2S 3S 4S 5S + 6H 7H 8H 9H + AD 2D 3D 4D + 7C 8C 9C TC"
    hand = "JK JK JK JK AS AS AC AC KS KH 5H 5H 5D 5D 5C 5C"
    assert outcome(position(deal=9, melds={"P1": fours}, P1="KD", P2=hand), "discard KD").scores[1] == 360


def test_s6_blocked_deal() -> None:
    melds = {"P1": "AS AH AD + 4S 4H 4D + 6S 6H 6D", "P3": "2S 2H 2D + TS TH TD + JS JH JD"}
    game = position("play P3", players=3, turns=179, melds=melds, P1="5D", P2="KS QH 9D 8C 3S", P3="JK 7H 2C")
    assert outcome(game, "discard 2C") == Outcome(None, (5, 90, 57))


def test_s8_seat_that_never_had_a_turn() -> None:
    game = position(turns=0, P1="4S 4H 4D 4C 9C 9D 9H KS KH KC", P4="KD QD TD 2S 2D 2C 3C AH AD", pile="5C")
    assert outcome(game, "lay down 4S 4H 4D 4C + 9C 9D 9H + KS KH KC").scores[3] == 91
