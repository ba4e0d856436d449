"""Laying off, examples O1 to O24.

Left out, since no preset has the value: O14 with `run_both_aces: false`, O23 with `final_discard_required: true`.
"""

from __future__ import annotations

import pytest

from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal

from .positions import SPADES, cards, legal, melds_of, played, position, refused, run, shown

CONSENSUS, CLUB = "jamaican_consensus", "jamaican_club"
HEARTS_FROM_2 = run("H", "23456789TJQK")
#: A four lies in deal 2, with two threes; a three lies in deal 1, with two more.
THREES_BESIDE = {1: "2S 2H 2D + 3S 3H 3D", 2: "4H 4D 4C + 9H 9D 9C"}


def beside(meld: str, hand: str, rules: str = CONSENSUS, owner: str = "P1", phase: str = "play P1") -> Game:
    """P1 to play, with a meld on the table that `owner` laid down."""
    three = len({card[0] for card in cards(meld)} - {"J"}) == 1
    deal = 1 if three else 2
    return position(phase, rules=rules, deal=deal, melds={owner: f"{meld} + {THREES_BESIDE[deal]}"}, P1=hand)


@pytest.mark.parametrize(
    ("meld", "card", "end", "lies", "rules"),
    [
        pytest.param("7S 7H 7D", "7C", "", "7S 7H 7D 7C", CONSENSUS, id="O1"),
        pytest.param("5S 6S 7S 8S", "9S", " high", "5S 6S 7S 8S 9S", CONSENSUS, id="O3"),
        pytest.param("5S 6S 7S 8S", "4S", " low", "4S 5S 6S 7S 8S", CONSENSUS, id="O4"),
        pytest.param("5S 6S 7S 8S", "JK", " high", "5S 6S 7S 8S JK(9S)", CONSENSUS, id="O7"),
        pytest.param("5S 6S 7S 8S", "JK", " low", "JK(4S) 5S 6S 7S 8S", CONSENSUS, id="O7-low"),
        pytest.param("5S 6S 7S JK(8S)", "JK", " low", "JK(4S) 5S 6S 7S JK(8S)", CONSENSUS, id="O9"),
        pytest.param("5S 6S 7S JK(8S)", "9S", " high", "5S 6S 7S JK(8S) 9S", CONSENSUS, id="O10"),
        pytest.param("JC QC KC AC", "TC", " low", "TC JC QC KC AC", CONSENSUS, id="O12"),
        pytest.param(SPADES, "AS", " high", f"{SPADES} AS", CONSENSUS, id="O14"),
        pytest.param("KS KH JK", "JK", "", "KS KH JK JK", CONSENSUS, id="O16"),
        pytest.param("TC JC QC KC AC", "9C", " low", "9C TC JC QC KC AC", CLUB, id="O18"),
        pytest.param(HEARTS_FROM_2, "AH", " low", f"AH {HEARTS_FROM_2}", CONSENSUS, id="O20"),
        pytest.param(HEARTS_FROM_2, "AH", " high", f"{HEARTS_FROM_2} AH", CONSENSUS, id="O20-high"),
    ],
)
def test_card_is_laid_off(meld: str, card: str, end: str, lies: str, rules: str) -> None:
    after = legal(beside(meld, f"{card} QD", rules), f"lay off {card} onto P1/1{end}")
    assert melds_of(after, "P1")[0] == lies
    assert shown(after, "hand P1") == "QD"
    assert shown(after, "phase") == "play P1"


@pytest.mark.parametrize(
    ("meld", "card", "end", "reason", "rules"),
    [
        pytest.param("5S 6S 7S 8S", "4S", " low", Refusal.HIGH_END_FIRST, CLUB, id="O4-club"),
        pytest.param("5S 6S 7S 8S", "TS", " high", Refusal.DOES_NOT_FIT, CONSENSUS, id="O5"),
        pytest.param("5S 6S 7S 8S", "TS", " low", Refusal.DOES_NOT_FIT, CONSENSUS, id="O5-low"),
        pytest.param("5S 6S 7S 8S", "9H", " high", Refusal.DOES_NOT_FIT, CONSENSUS, id="O6"),
        pytest.param("5S 6S 7S JK(8S)", "JK", " high", Refusal.ADJACENT_JOKERS, CONSENSUS, id="O8"),
        pytest.param("JC QC KC AC", "2C", " high", Refusal.BEYOND_THE_ACE, CONSENSUS, id="O11"),
        pytest.param("AD 2D 3D 4D", "KD", " low", Refusal.BEYOND_THE_ACE, CONSENSUS, id="O13"),
        pytest.param(f"{SPADES} AS", "JK", " low", Refusal.BEYOND_THE_ACE, CONSENSUS, id="O15"),
        pytest.param(f"{SPADES} AS", "JK", " high", Refusal.BEYOND_THE_ACE, CONSENSUS, id="O15-high"),
        pytest.param("KS KH JK JK JK", "JK", "", Refusal.TOO_MANY_JOKERS, CONSENSUS, id="O17"),
        pytest.param("5S 6S 7S JK(8S)", "8S", " high", Refusal.PLACE_TAKEN, CONSENSUS, id="O19"),
        pytest.param("5S 6S 7S JK(8S)", "8S", " low", Refusal.PLACE_TAKEN, CONSENSUS, id="O19-low"),
    ],
)
def test_card_is_refused(meld: str, card: str, end: str, reason: Refusal, rules: str) -> None:
    """The reason is that of the card, whether or not the hand holds other cards that fit somewhere."""
    move = f"lay off {card} onto P1/1{end}"
    refused(beside(meld, f"{card} QD", rules), move, reason)
    if cards(f"{meld} {card}").count("JK") < 4:
        refused(beside(meld, f"{card} JK 4S 9S QD", rules), move, reason)


def test_o2_not_by_a_player_who_has_not_opened() -> None:
    refused(beside("7S 7H 7D", "7C QD", owner="P2"), "lay off 7C onto P2/1", Refusal.NOT_OPENED)


def test_o21_onto_a_meld_of_an_opponent() -> None:
    melds = {"P1": f"7S 7H 7D + {THREES_BESIDE[1]}", "P2": "9H 9D 9C + TS TH TD + QS QH QD"}
    after = legal(position(melds=melds, P1="9S KD"), "lay off 9S onto P2/1")
    assert melds_of(after, "P2")[0] == "9S 9H 9D 9C"
    assert melds_of(after, "P1") == melds_of(position(melds=melds, P1="9S KD"), "P1")


def test_o22_in_the_turn_of_the_opening() -> None:
    after = legal(beside("7S 7H 7D", "7C QD", phase="play P1 opened now"), "lay off 7C onto P1/1")
    assert melds_of(after, "P1")[0] == "7S 7H 7D 7C"
    assert shown(after, "phase") == "play P1 opened now"
    opened = legal(position(P1=f"7S 7H 7D 7C QD {THREES_BESIDE[1]}".replace("+", "")), f"lay down 7S 7H 7D + {THREES_BESIDE[1]}")
    legal(opened, "lay off 7C onto P1/1")


def test_o23_last_card_ends_the_deal() -> None:
    after = legal(beside("7S 7H 7D", "7C"), "lay off 7C onto P1/1")
    assert shown(after, "phase") == "over P1"
    assert after.outcome is not None
    assert after.outcome.scores[0] == -50


def test_o24_two_cards_one_after_the_other() -> None:
    game = beside("5S 6S 7S 8S", "9S TS QD")
    after = played(game, "lay off 9S onto P1/1 high", "lay off TS onto P1/1 high")
    assert melds_of(after, "P1")[0] == "5S 6S 7S 8S 9S TS"
    refused(game, "lay off TS onto P1/1 high", Refusal.DOES_NOT_FIT)
