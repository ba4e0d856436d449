"""Kaluki: swaps of jokers, lay-offs and the end of a deal, examples W1 to W13, W17 and W18. W14 to W16 are about a match."""

from __future__ import annotations

from functools import partial

import pytest

from kalooki_env.game.game import Game, Outcome
from kalooki_env.game.refusals import Refusal

from . import positions
from .positions import legal, listed, melds_of, played, refused, shown

position = partial(positions.position, rules="kaluki51")

P1_OPENED = "TC JC QC KC AC"
RUN, SET = "TH JH JK(QH)", "KS KH JK"
SWAP_AND_LAY = "kaluki51 joker_after_swap=new_meld_this_turn"
WHOLE = "joker_release_sets=all_missing_suits"
EARLY = "joker_release_requires=nothing"


def against(meld: str, hand: str, phase: str = "play P1", **changes: str) -> Game:
    """P1 to play, opened in an earlier turn; P2 has laid this meld and one more."""
    return position(phase, melds={"P1": P1_OPENED, "P2": f"{meld} + 9S 9H 9D"}, P1=hand, **changes)  # type: ignore[arg-type]


def test_w1_joker_of_a_run() -> None:
    game = against(RUN, "QH 2D 3D")
    after = legal(game, "swap joker in P2/1 with QH")
    assert melds_of(after, "P2")[0] == "TH JH QH"
    assert listed(after, "hand P1") == ["2D", "3D", "JK"]
    assert listed(after, "known P1") == ["JK"]
    assert shown(after, "phase") == "play P1"
    assert shown(after, "owed") is None


def test_w1_in_the_turn_of_the_opening() -> None:
    """KL4.4: legal as well, but the joker can only be kept."""
    after = legal(against(RUN, "QH 2D 3D", "play P1 opened now"), "swap joker in P2/1 with QH")
    assert after.legal_actions() == ["discard 2D", "discard 3D", "discard JK"]


def test_w2_not_opened() -> None:
    game = position(melds={"P2": f"{RUN} + 9S 9H 9D"}, P1="QH 2D 3D")
    refused(game, "swap joker in P2/1 with QH", Refusal.NOT_OPENED)
    refused(game, "swap joker in P2/1", Refusal.NOT_OPENED)


def test_w2_nothing_required() -> None:
    """With `joker_release_requires: nothing` it is legal, and whether the hand opens is found out anew."""
    hand = "QH KS KD KC 8H 8D 2C"
    game = position(rules=f"kaluki51 {EARLY}", melds={"P2": f"{RUN} + 9S 9H 9D"}, P1=hand)
    assert not game.can("lay down")
    after = legal(game, "swap joker in P2/1 with QH")
    assert listed(after, "hand P1") == ["KS", "8H", "8D", "KD", "2C", "KC", "JK"]
    assert shown(after, "opened") == "P2"
    assert shown(after, "owed") is None
    assert melds_of(legal(after, "lay down KS KD KC + 8H 8D JK"), "P1") == ["KS KD KC", "8H 8D JK"]
    assert legal(after, "discard JK").to_move == 1


def test_a_joker_swapped_before_the_opening_must_open() -> None:
    """KL4.4: with `new_meld_this_turn` too, and a second swap may be what opens."""
    rules = f"kaluki40_british {EARLY}"
    melds = {"P2": f"{RUN} + KS KH JK"}
    refused(position(rules=rules, melds=melds, P1="QH 7S 7D 2C 3C"), "swap joker in P2/1 with QH", Refusal.CANNOT_BE_SPARED)
    game = position(rules=rules, melds=melds, P1="QH KD 9S 9H TS TD 2C")
    first = legal(game, "swap joker in P2/1 with QH")
    assert first.legal_actions() == ["swap joker in P2/2"], "two jokers are needed for 57 points"
    second = legal(first, "swap joker in P2/2 with KD")
    assert shown(second, "owed") == "JK JK"
    assert second.legal_actions() == ["lay down"]
    after = legal(second, "lay down 9S 9H JK + TS TD JK")
    assert shown(after, "owed") is None
    assert shown(after, "phase") == "play P1 opened now"


@pytest.mark.parametrize(
    ("meld", "card", "lies"),
    [
        pytest.param(SET, "KD", "KS KH KD", id="W3"),
        pytest.param(SET, "KC", "KS KH KC", id="W3-clubs"),
        pytest.param("KS KH KD JK", "KC", "KS KH KD KC", id="W5"),
        pytest.param("KS JK JK", "KH", "KS KH JK", id="W3-two-jokers"),
    ],
)
def test_joker_of_a_set(meld: str, card: str, lies: str) -> None:
    after = legal(against(meld, f"{card} 2D 3D"), f"swap joker in P2/1 with {card}")
    assert melds_of(after, "P2")[0] == lies
    assert listed(after, "hand P1") == ["2D", "3D", "JK"]


@pytest.mark.parametrize(
    ("meld", "cards", "lies", "jokers"),
    [
        pytest.param(SET, "KD KC", "KS KH KD KC", 1, id="W3-all"),
        pytest.param("8S JK JK", "8C 8H 8D", "8S 8H 8D 8C", 2, id="W3-all-two-jokers"),
        pytest.param("KS KH KD JK", "KC", "KS KH KD KC", 1, id="W5-all"),
        pytest.param("KS KH JK JK", "KC KD", "KS KH KD KC", 2, id="W5-all-two-jokers"),
    ],
)
def test_all_jokers_of_a_set(meld: str, cards: str, lies: str, jokers: int) -> None:
    """With `joker_release_sets: all_missing_suits` the action names no card: all go in together."""
    game = against(meld, f"{cards} 2D 3D", rules=f"kaluki51 {WHOLE}")
    one = cards.split()[0]
    after = legal(game, "swap joker in P2/1")
    assert melds_of(after, "P2")[0] == lies
    assert listed(after, "hand P1") == ["2D", "3D", *["JK"] * jokers]
    assert listed(after, "known P1") == ["JK"] * jokers
    assert shown(after, "phase") == "play P1"
    assert legal(game, f"swap joker in P2/1 with {cards}").text() == after.text()
    lacking = against(meld, f"{cards.removeprefix(one) or '9D'} 2D 3D", rules=f"kaluki51 {WHOLE}")
    refused(lacking, "swap joker in P2/1", Refusal.ALL_MISSING_SUITS)
    refused(game, "swap joker in P2/1 with 2D", Refusal.ALL_MISSING_SUITS)
    refused(game, f"swap joker in P2/1 with {cards} 2D", Refusal.ALL_MISSING_SUITS)
    if " " in cards:
        refused(game, f"swap joker in P2/1 with {one}", Refusal.ALL_MISSING_SUITS)


def test_runs_give_their_jokers_one_by_one_whatever_sets_do() -> None:
    game = against("TH JK(JH) JK(QH) KH", "JH QH 2D", rules=f"kaluki51 {WHOLE}")
    after = legal(game, "swap joker in P2/1 with QH")
    assert melds_of(after, "P2")[0] == "TH JK(JH) QH KH"
    assert melds_of(legal(after, "swap joker in P2/1 with JH"), "P2")[0] == "TH JH QH KH"


def test_every_joker_of_a_set_is_owed_and_a_card_is_kept() -> None:
    """KL4.4, KL5.1: two jokers for three naturals, both to be laid at once; the hand may become too small for the discard."""
    hand = "8H 8D 8C 2H 3H 5C 6C"
    rules = f"kaluki40_british {WHOLE}"
    kept = legal(against("8S JK JK", f"{hand} KD", rules=rules), "swap joker in P2/1")
    assert shown(kept, "owed") == "JK JK"
    assert melds_of(played(kept, "meld 2H 3H JK", "meld 5C 6C JK"), "P1")[1:] == ["2H 3H JK(4H)", "5C 6C JK(7C)"]
    refused(against("8S JK JK", "8H 8D 8C KD", rules=rules), "swap joker in P2/1", Refusal.CANNOT_BE_SPARED)
    legal(against("8S JK JK", "8H 8D 8C KD 4C", rules=rules), "swap joker in P2/1")


# ---- sequences in one turn -------------------------------------------------------------------------------------------


def test_an_upcard_that_a_swapped_joker_lets_be_laid() -> None:
    """KL4.1: `8S 8H` and the joker for the queen of hearts make the set of eights."""
    for hand, can in (("QH 8H 2D 4C", True), ("QD 8H 2D 4C", False), ("QH 9H 2D 4C", False), ("QH 8H", False)):
        game = against(RUN, hand, "draw P1", rules="kaluki40_british", pile="8S")
        if not can:
            refused(game, "take upcard", Refusal.UPCARD_NOT_LAID)
            continue
        taken = legal(game, "take upcard")
        assert taken.legal_actions() == ["swap joker in P2/1"]
        swapped = legal(taken, "swap joker in P2/1")
        assert shown(swapped, "owed") == "8S JK"
        assert melds_of(legal(swapped, "meld 8S 8H JK"), "P1")[1] == "8S 8H JK"


def test_an_upcard_that_a_swap_lets_open() -> None:
    """KL4.1: before the opening only where swaps are allowed there."""
    melds, hand = {"P2": f"{RUN} + 9S 9H 9D"}, "QH TS 4S 4H 4D 7C 2C"
    refused(
        position("draw P1", rules="kaluki40_british", melds=melds, P1=hand, pile="TD"), "take upcard", Refusal.UPCARD_NOT_LAID
    )
    game = position("draw P1", rules=f"kaluki40_british {EARLY}", melds=melds, P1=hand, pile="TD")
    after = played(game, "take upcard", "swap joker in P2/1 with QH", "lay down 4S 4H 4D + TS TD JK")
    assert shown(after, "phase") == "play P1 opened now"


def test_a_second_swap_lets_the_first_joker_be_laid() -> None:
    game = position(rules="kaluki40_british", melds={"P1": P1_OPENED, "P2": f"{RUN} + KS KH JK"}, P1="QH KD 5C 2D")
    first = legal(game, "swap joker in P2/1")
    assert first.legal_actions() == ["swap joker in P2/2"]
    second = legal(first, "swap joker in P2/2")
    assert shown(second, "owed") == "JK JK"
    assert melds_of(legal(second, "meld JK(4C) 5C JK(6C)"), "P1")[1] == "JK(4C) 5C JK(6C)"
    alone = position(rules="kaluki40_british", melds={"P1": P1_OPENED, "P2": f"{RUN} + KS KH JK"}, P1="QH 5C 2D")
    refused(alone, "swap joker in P2/1", Refusal.CANNOT_BE_SPARED)


def test_cards_that_a_later_swap_lets_be_spared() -> None:
    """A lay-off and a meld before the swap; a card that the swap needs stays."""
    melds = {"P1": P1_OPENED, "P2": f"{RUN} + 9S 9H 9D + QS QD QC"}
    game = position("draw P1", rules="kaluki40_british", melds=melds, P1="QH 8H 9C 2S 2H 2D 4C", pile="8S")
    taken = legal(game, "take upcard")
    laid_off = legal(taken, "lay off 9C onto P2/2")
    melded = legal(laid_off, "meld 2S 2H 2D")
    refused(melded, "lay off QH onto P2/3", Refusal.CANNOT_BE_SPARED)
    after = played(melded, "swap joker in P2/1", "meld 8S 8H JK")
    assert shown(after, "owed") is None
    assert listed(after, "hand P1") == ["4C"]


def test_a_joker_laid_in_this_turn_is_swapped_off_again() -> None:
    """In its order a meld has begun with a joker; the natural for it, held too, brings the joker back for the upcard."""
    melds = {"P1": P1_OPENED, "P2": "9S 9H 9D"}
    game = position("draw P1", rules="kaluki40_british", melds=melds, P1="JK 3H 4H 5H 8H 2C", pile="8S")
    begun = played(game, "take upcard", "run of hearts from 3")
    assert begun.legal_actions() == ["place 3H", "place JK"]
    after = legal(begun, "place JK")
    assert melds_of(after, "P1")[1] == "JK(3H) 4H 5H"
    swapped = legal(after, "swap joker in P1/2 with 3H")
    assert shown(swapped, "owed") == "8S JK"
    assert shown(legal(swapped, "meld 8S 8H JK"), "owed") is None


def test_w4_suit_that_is_there() -> None:
    refused(against(SET, "KS 2D 3D"), "swap joker in P2/1 with KS", Refusal.SUIT_PRESENT)
    refused(against("KS KH KD JK", "KD 2D 3D"), "swap joker in P2/1 with KD", Refusal.SUIT_PRESENT)


def test_w6_laid_off_instead() -> None:
    after = legal(against(SET, "KD 2D 3D"), "lay off KD onto P2/1")
    assert melds_of(after, "P2")[0] == "KS KH KD JK"
    refused(after, "swap joker in P2/1 with KD", Refusal.CARD_NOT_HELD)
    full = legal(against(SET, "KD KC KD 2D"), "lay off KD onto P2/1")
    refused(full, "swap joker in P2/1 with KD", Refusal.SUIT_PRESENT)
    assert melds_of(legal(full, "swap joker in P2/1 with KC"), "P2")[0] == "KS KH KD KC"


def test_w7_joker_kept_in_the_hand() -> None:
    game = against(RUN, "QH 2D 3D", P2="9C", stock="4C")
    after = played(game, "swap joker in P2/1 with QH", "discard 2D", "draw stock", "lay off 9C onto P2/2", "discard 4C")
    assert listed(after, "hand P1") == ["3D", "JK"]
    assert shown(after, "phase") == "over P2"
    assert (after.outcome or Outcome(None, ())).scores[:2] == (28, 0)


def test_w8_joker_laid_off_at_once() -> None:
    game = position(melds={"P1": P1_OPENED, "P2": f"{RUN} + 4S 5S 6S"}, P1="QH 2D 3D")
    after = played(game, "swap joker in P2/1 with QH", "lay off JK onto P2/2 high")
    assert melds_of(after, "P2") == ["TH JH QH", "4S 5S 6S JK(7S)"]
    assert listed(after, "hand P1") == ["2D", "3D"]


def test_w8_new_meld_this_turn() -> None:
    """Without a new meld the swap is refused; with one the joker can go nowhere else."""
    melds = {"P1": P1_OPENED, "P2": f"{RUN} + 4S 5S 6S"}
    nothing = position(rules=SWAP_AND_LAY, melds=melds, P1="QH 2D 6C")
    refused(nothing, "swap joker in P2/1 with QH", Refusal.CANNOT_BE_SPARED)
    refused(nothing, "swap joker in P2/1", Refusal.CANNOT_BE_SPARED)
    owing = legal(position(rules=SWAP_AND_LAY, melds=melds, P1="QH 2D 3D 9C"), "swap joker in P2/1 with QH")
    assert shown(owing, "owed") == "JK"
    refused(owing, "lay off JK onto P2/2 high", Refusal.CANNOT_BE_SPARED)
    for card in ("9C", "JK", "2D"):
        refused(owing, f"discard {card}", Refusal.MUST_LAY)
    after = legal(owing, "meld 2D 3D JK")
    assert shown(after, "owed") is None
    assert melds_of(after, "P1")[1] == "2D 3D JK(4D)"


def test_w9_own_meld() -> None:
    game = position(melds={"P1": f"{P1_OPENED} + 8C JK(9C) TC"}, P1="9C 2D 3D")
    after = legal(game, "swap joker in P1/2 with 9C")
    assert melds_of(after, "P1")[1] == "8C 9C TC"
    assert listed(after, "hand P1") == ["2D", "3D", "JK"]


def test_w10_last_card_laid_off() -> None:
    after = legal(position(melds={"P1": P1_OPENED}, P1="9C", pile="2D"), "lay off 9C onto P1/1 low")
    assert shown(after, "phase") == "over P1"
    assert listed(after, "pile") == ["2D"]
    assert after.outcome is not None
    assert after.outcome.scores[0] == 0


def test_w11_last_card_discarded() -> None:
    after = legal(position(melds={"P1": P1_OPENED}, P1="2C", pile="2D"), "discard 2C")
    assert shown(after, "phase") == "over P1"
    assert listed(after, "pile") == ["2C", "2D"]


def test_w12_scores() -> None:
    game = position(melds={"P1": P1_OPENED}, P1="2C", P2="AS KD 7H JK", P3="QS JC TD 9H 2S", P4="AH AD 4C")
    assert legal(game, "discard 2C").outcome == Outcome(0, (0, 57, 41, 34))
    opened = position(
        melds={"P1": P1_OPENED, "P2": "KH KS KC + 7S 7H 7D"}, P1="2C", P2="AS KD 7H JK", P3="QS JC TD 9H 2S", P4="AH AD 4C"
    )
    assert legal(opened, "discard 2C").outcome == Outcome(0, (0, 57, 41, 34))


def test_w13_nothing_more_for_not_having_opened() -> None:
    game = position(melds={"P1": P1_OPENED}, P1="2C", P2="JK JK 3D")
    assert (legal(game, "discard 2C").outcome or Outcome(None, ())).scores[1] == 53


def test_w17_empty_stock() -> None:
    pile = "5H 2S 4S 6S 8S 2H 4H 6H 8H TD QD KD 9C JC 3C 7D 3H 4C 5D AC"
    game = position("draw P1", P1="9D", pile=pile, rest="P2 P3 P4", reshuffles=1)
    after = legal(game, "draw stock")
    assert listed(after, "pile") == ["5H"]
    assert len(listed(after, "stock")) == 18
    assert sorted([*listed(after, "stock"), *listed(after, "hand P1")]) == sorted(["9D", *pile.split()[1:]])
    assert shown(after, "reshuffles") == "2"


@pytest.mark.parametrize("opened", [False, True])
def test_w18_joker_discarded(opened: bool) -> None:
    after = legal(position(melds={"P1": P1_OPENED} if opened else {}, P1="JK 2D"), "discard JK")
    assert listed(after, "pile") == ["JK"]
    assert listed(legal(after, "take upcard"), "known P2") == ["JK"]
    refused(position(rules="jamaican", P1="JK 2D"), "discard JK", Refusal.JOKER_DISCARD)
