"""The referee on swaps of jokers (KL4.4; ACTIONS.md, section 8): worked positions and whole turns."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from swap_positions import EXAMPLES, IMPOSSIBLE, Example

from kalooki_env.errors import IllegalActionError, NotationError, PositionError
from kalooki_env.referee import Referee
from kalooki_env.referee.melds import card_order
from kalooki_env.referee.notation import meld_text, read_meld
from kalooki_env.referee.reading import pack_cards
from kalooki_env.rules import JOKER, Rules

BY_NAME = {example.name: example for example in EXAMPLES}


def at(name: str) -> Referee:
    """A referee at an example."""
    return Referee.from_position(BY_NAME[name].text)


def line_of(referee: Referee, key: str) -> str | None:
    found = re.search(rf"^{key}: (.*)$", referee.position(), re.MULTILINE)
    return found[1] if found else None


def do(referee: Referee, *actions: str) -> None:
    for action in actions:
        referee.do(action)


# ---- worked positions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_what_is_legal(example: Example) -> None:
    referee = Referee.from_position(example.text)
    assert referee.legal() == example.legal
    again = Referee.from_position(referee.position())
    assert again.position() == referee.position()
    assert again.legal() == example.legal


@pytest.mark.parametrize("example", IMPOSSIBLE, ids=lambda example: example.name)
def test_what_is_refused(example: Example) -> None:
    assert not example.legal
    with pytest.raises(PositionError):
        Referee.from_position(example.text)


def test_names_are_told_apart() -> None:
    names = Counter(example.name for example in [*EXAMPLES, *IMPOSSIBLE])
    assert max(names.values()) == 1


# ---- what a swap does --------------------------------------------------------------------------------------------------


def test_w1_the_joker_comes_into_the_hand() -> None:
    referee = at("W1")
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "hand P1") == "2S JK"
    assert line_of(referee, "meld P2/1") == "TH JH QH"
    assert line_of(referee, "known P1") == "JK"
    assert line_of(referee, "owed") is None


def test_w2_with_nothing_required_the_seat_stays_unopened() -> None:
    referee = at("W2-nothing-required")
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "phase") == "play P1"
    assert line_of(referee, "opened") == "P2"
    assert line_of(referee, "hand P1") == "2S JK"
    assert referee.legal() == {"discard 2S", "discard JK"}


def test_w3_all_missing_suits_go_in_together() -> None:
    referee = at("W3-all-suits")
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "phase") == "play P1"
    assert line_of(referee, "meld P2/1") == "KS KH KD KC"
    assert line_of(referee, "hand P1") == "5S JK"
    assert line_of(referee, "known P1") == "JK"
    with pytest.raises(IllegalActionError):
        at("W3-all-suits-one-missing").do("swap joker in P2/1")


def test_w6_the_last_suit_after_laying_off() -> None:
    for rules in ("any_missing_suit", "all_missing_suits"):
        text = BY_NAME["W3-all-suits"].text.replace("all_missing_suits", rules)
        referee = Referee.from_position(text)
        do(referee, "lay off onto P2/1", "place KD")
        assert line_of(referee, "meld P2/1") == "KS KH KD JK"
        assert referee.legal() == {"swap joker in P2/1", "discard KC", "discard 5S"}
        do(referee, "swap joker in P2/1")
        assert line_of(referee, "meld P2/1") == "KS KH KD KC"


@pytest.mark.parametrize(
    ("name", "hand", "meld"),
    [
        ("all-suits-of-three", "5S JK JK", "8S 8H 8D 8C"),
        ("all-suits-three-jokers", "5S JK JK JK", "8S 8H 8D 8C"),
        ("all-suits-before-opening", "JK", "KS KH KD KC"),
    ],
)
def test_all_jokers_of_a_set_come_out(name: str, hand: str, meld: str) -> None:
    referee = at(name)
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "hand P1") == hand
    assert line_of(referee, "known P1") == " ".join(card for card in hand.split() if card == JOKER)
    assert line_of(referee, "meld P2/1") == meld
    assert "swap joker in P2/1" not in referee.legal()


def test_naturals_that_go_in_are_known_no_longer() -> None:
    text = BY_NAME["W3-all-suits"].text.replace("stock:", "known P1: 5S KD\nstock:")
    referee = Referee.from_position(text)
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "known P1") == "5S JK"


def test_all_jokers_that_came_out_are_owed() -> None:
    referee = at("all-suits-owe-two-jokers")
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "owed") == "JK JK"
    # Whichever card goes with the two jokers, the other one is kept.
    assert {"set of 2", "set of 5"} <= referee.legal()
    do(referee, "set of 2")
    assert line_of(referee, "meld P1/2") == "2S JK JK"
    assert referee.legal() == {"discard 5C"}


def test_runs_are_as_ever_where_sets_need_all_suits() -> None:
    text = BY_NAME["a-run-with-two-jokers"].text.replace(
        "rules: kaluki51", "rules: kaluki51 joker_release_sets=all_missing_suits"
    )
    referee = Referee.from_position(text)
    assert referee.legal() == {"place JH", "place QH"}
    do(referee, "place QH")
    assert line_of(referee, "meld P2/1") == "TH JK(JH) QH"


# ---- whole turns -------------------------------------------------------------------------------------------------------


def test_the_second_swap_lets_the_first_joker_be_laid() -> None:
    referee = at("two-swaps-make-a-set")
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "owed") == "JK"
    assert referee.legal() == {"swap joker in P2/2"}
    do(referee, "swap joker in P2/2")
    assert line_of(referee, "owed") == "JK JK"
    assert not any(action.startswith(("discard", "lay off", "swap")) for action in referee.legal())
    do(referee, "set of 4")
    assert line_of(referee, "meld P1/2") == "4S JK JK"
    assert line_of(referee, "owed") is None
    assert referee.legal() == {"discard 9C"}


def test_the_swapped_joker_lets_the_upcard_be_laid() -> None:
    referee = at("a-joker-for-the-upcard")
    do(referee, "take upcard")
    assert line_of(referee, "owed") == "2C"
    assert referee.legal() == {"swap joker in P2/1"}
    do(referee, "swap joker in P2/1")
    assert line_of(referee, "owed") == "2C JK"
    assert referee.legal() == {"set of 2"}
    do(referee, "set of 2")
    assert line_of(referee, "meld P1/2") == "2D 2C JK"
    assert referee.legal() == {"discard 9C"}


def test_before_the_opening_upcard_and_joker_are_laid_in_it() -> None:
    referee = at("the-joker-opens-with-the-upcard")
    do(referee, "take upcard", "swap joker in P2/1", "lay down")
    assert line_of(referee, "owed") == "KC JK"
    assert referee.legal() == {"set of K", "set of T"}
    do(referee, "set of T")  # the joker is needed for the kings, so the tens go by themselves
    assert line_of(referee, "meld P1/1") == "TS TH TD"
    assert referee.legal() == {"set of K"}
    do(referee, "set of K")
    assert line_of(referee, "meld P1/2") == "KS KC JK"
    assert referee.legal() == {"end opening"}
    do(referee, "end opening")
    assert line_of(referee, "owed") is None
    assert referee.legal() == {"discard 5C"}


def test_a_meld_may_end_since_a_swap_will_lay_what_is_owed() -> None:
    referee = at("end-of-a-meld-thanks-to-a-swap")
    do(referee, "end meld")
    assert line_of(referee, "owed") == "JK"
    assert referee.legal() == {"swap joker in P2/1", "lay off onto P1/2"}
    do(referee, "swap joker in P2/1")
    assert {"set of 3", "set of 4", "set of 9"} <= referee.legal()


def test_a_joker_comes_back_from_a_meld_of_this_turn() -> None:
    referee = at("a-joker-that-comes-back-from-its-own-meld")
    do(referee, "place JK")
    assert line_of(referee, "meld P1/2") == "2S 3S JK(4S)"
    assert referee.legal() == {"swap joker in P1/2"}
    do(referee, "swap joker in P1/2", "set of 7")
    assert line_of(referee, "meld P1/3") == "7H 7D JK"
    assert referee.legal() == {"discard 9C"}


def test_the_joker_that_was_taken_is_laid_off_and_another_one_laid() -> None:
    referee = at("the-joker-upcard-laid-off-for-another")
    do(referee, "lay off onto P1/1")
    assert line_of(referee, "hand P1") == "2S 2D 7D 9C"
    assert line_of(referee, "owed") == "JK"
    assert Referee.from_position(referee.position()).legal() == referee.legal() == {"swap joker in P2/1"}
    do(referee, "swap joker in P2/1", "set of 2")
    assert line_of(referee, "owed") is None


# ---- texts -------------------------------------------------------------------------------------------------------------


def test_what_is_owed_is_read_in_any_order() -> None:
    text = BY_NAME["the-joker-is-taken"].text
    other = Referee.from_position(text.replace("owed: 2C JK", "owed: JK 2C"))
    assert line_of(other, "owed") == "2C JK"
    assert other.legal() == {"set of 2"}


@pytest.mark.parametrize("text", ["7S JK JK", "JK 7S JK", "JK JK 7S", "7S JK JK JK"])
def test_cards_of_one_rank_with_bare_jokers_are_a_set(text: str) -> None:
    meld = read_meld(text, game="kaluki")
    assert (meld.word, meld_text(meld)) == ("set", " ".join(sorted(text.split(), key=card_order)))


def test_a_run_names_the_cards_of_its_jokers() -> None:
    meld = read_meld("7S JK(8S) JK(9S)", game="kaluki")
    assert (meld.word, meld_text(meld)) == ("run", "7S JK(8S) JK(9S)")
    with pytest.raises(NotationError):
        read_meld("7S 8S JK", game="kaluki")


# ---- nothing to draw ---------------------------------------------------------------------------------------------------


def without_a_stock(hand: str, upcard: str, phase: str = "draw P1") -> str:
    """British rules, P1 with such a hand, an upcard and no stock; P2 holds all other cards."""
    lying = Counter(f"{hand} {upcard} TH JH JK AS AH AC".split())
    rest = pack_cards(Rules.preset("kaluki40_british"), 2) - lying
    return (
        f"kalooki: 1\nrules: kaluki40_british\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 9\nphase: {phase}\nhand P1: {hand}\n"
        f"hand P2: {' '.join(rest.elements())}\nmeld P2/1: TH JH JK(QH)\nmeld P1/1: AS AH AC\nopened: P1, P2\n"
        f"stock: -\npile: {upcard or '-'}\n"
    )


@pytest.mark.parametrize(("hand", "upcard"), [("QS 2D 9C", "2C"), ("QH 2D", "2C"), ("QH 2D 9C", "")])
def test_a_position_with_nothing_to_draw_is_refused_by_that_name(hand: str, upcard: str) -> None:
    with pytest.raises(PositionError, match="nothing can be drawn"):
        Referee.from_position(without_a_stock(hand, upcard))


def test_an_upcard_that_a_swap_lets_be_laid_is_something_to_draw() -> None:
    assert Referee.from_position(without_a_stock("QH 2D 9C", "2C")).legal() == {"take upcard"}


@pytest.mark.parametrize(("hand", "phase"), [("QH 2D 9C", "draw P1"), ("QS 2D 9C", "over blocked")])
def test_a_deal_goes_on_where_a_swap_lets_the_upcard_be_laid(hand: str, phase: str) -> None:
    referee = Referee.from_position(without_a_stock(hand, "", "play P2"))
    do(referee, "discard 2C")
    assert line_of(referee, "phase") == phase
