"""Every rule KL1.1 to KL5.3 has a test: the examples listed in `EXAMPLES_OF`, and the tests below named after rules.

KL6 is about a match. The checks at the end name a rule, or an example of the rule book, that has no test.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from types import ModuleType

import pytest

from kalooki_env.errors import RulesError
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game, Outcome
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import Rules

from . import positions, test_kaluki_melds, test_kaluki_play, test_tables
from .coverage import examples_in
from .positions import legal, listed, melds_of, played, refused, shown

position = partial(positions.position, rules="kaluki51")
BRITISH = "kaluki40_british"
OPENED = "TC JC QC KC AC"

# ---- equipment and values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "most", "size", "jokers"), [("kaluki51", 6, 108, 4), (BRITISH, 5, 106, 2), ("kaluki51_european", 5, 106, 2)]
)
def test_kl1_1_seats_and_deck(rules: str, most: int, size: int, jokers: int) -> None:
    for players in (1, most + 1):
        with pytest.raises(RulesError, match=f"{players} players are not allowed; allowed: 2 to {most}"):
            Game(rules, players)
    for players in range(2, most + 1):
        game = Game(rules, players, seed=4)
        dealt = [card for seat in range(players) for card in game.hand(seat)]
        deck = Counter([*dealt, *listed(game, "stock"), *listed(game, "pile")])
        assert deck.total() == size
        assert deck == {name: jokers if name == "JK" else 2 for name in CARD_NAMES}
        for turn in range(2 * players):
            assert game.to_move == turn % players  # clockwise
            game.do("draw stock").do(f"discard {game.hand(turn % players)[0]}")


@pytest.mark.parametrize(
    ("rules", "hand", "stocks"),
    [("kaluki51", 14, (79, 65, 51, 37, 23)), (BRITISH, 13, (79, 66, 53, 40)), ("kaluki51_european", 13, (79, 66, 53, 40))],
)
def test_kl1_2_hands_and_stock(rules: str, hand: int, stocks: tuple[int, ...]) -> None:
    for players, stock in enumerate(stocks, start=2):
        for dealer in range(players):
            game = Game(rules, players, dealer=dealer, seed=1)
            assert {len(game.hand(seat)) for seat in range(players)} == {hand}
            assert (len(listed(game, "stock")), len(listed(game, "pile"))) == (stock, 1)
            assert game.to_move == (dealer + 1) % players


def test_kl1_2_dealt_one_at_a_time_from_the_dealers_left() -> None:
    deck = random.Random(8).sample([*CARD_NAMES, *CARD_NAMES, "JK", "JK"], 108)
    game = Game("kaluki51", 4, dealer=1, deck=deck)
    for seat in range(4):
        assert Counter(game.hand(seat)) == Counter(deck[(seat - 2) % 4 : 56 : 4])
    assert listed(game, "pile") == [deck[56]]
    assert listed(game, "stock") == deck[57:]


@pytest.mark.parametrize(("rules", "ace", "joker"), [("kaluki51", 15, 25), (BRITISH, 11, 15), ("kaluki51_european", 11, 15)])
@pytest.mark.parametrize("card", CARD_NAMES)
def test_kl2_points_of_each_card_in_the_hand(card: str, rules: str, ace: int, joker: int) -> None:
    after = legal(position(rules=rules, melds={"P1": OPENED}, P1="8C", P2=card), "discard 8C")
    assert after.outcome is not None
    points = {"J": joker if card == "JK" else 10, "A": ace, "T": 10, "Q": 10, "K": 10}
    assert after.outcome.scores[1] == (points[card[0]] if card[0] in points else int(card[0]))


@pytest.mark.parametrize("card", [name for name in CARD_NAMES if name != "JK"])
def test_kl2_points_of_each_card_in_an_opening(card: str) -> None:
    """A set of three of each rank, with a joker, opens just so many points: naturals count as in the hand, a joker 15."""
    rank, other, third = card[0], *[suit for suit in "SHDC" if suit != card[1]][:2]
    points = 2 * Rules.preset("kaluki51").card_points(card) + 15
    hand = f"{card} {rank}{other} JK {'7' if rank == '3' else '3'}{third}"
    for need, opens in ((points, True), (points + 1, False)):
        assert position(rules=f"kaluki51 opening_points={need}", P1=hand).can("lay down") is opens


# ---- melds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["kaluki51", BRITISH])
def test_kl3_1_every_set(rules: str) -> None:
    """Of each rank three or four naturals of different suits."""
    for rank in "A23456789TJQK":
        suits = [rank + suit for suit in "SHDC"]
        for size in (3, 4):
            game = position(rules=rules, melds={"P1": "7S 8S 9S"}, P1=f"{' '.join(suits[:size])} 2S 3C")
            assert melds_of(legal(game, f"meld {' '.join(suits[:size])}"), "P1")[1] == " ".join(suits[:size])


@pytest.mark.parametrize(("rules", "lowest"), [("kaluki51", 0), (BRITISH, 1)])
def test_kl3_2_every_run(rules: str, lowest: int) -> None:
    """From each place on, three cards and all up to the high ace; none is longer, and none wraps."""
    places = "A23456789TJQKA"
    for low in range(12):
        for high in {low + 3, 14}:
            run = " ".join(rank + "D" for rank in places[low:high])
            game = position(rules=rules, melds={"P1": "7S 8S 9S"}, P1=f"{run} 2S 4C")
            if low < lowest:
                refused(game, f"meld {run}", Refusal.ACE_IS_HIGH)
            else:
                assert melds_of(legal(game, f"meld {run}"), "P1")[1] == run
    whole = position(melds={"P1": " ".join(rank + "D" for rank in places)}, P1="AS KD 2D JK")
    assert not [action for action in whole.legal_actions() if action.startswith("lay off")]


def test_kl3_2_ends_of_runs_at_the_ace() -> None:
    melds = {"P1": "2D 3D 4D + QH KH AH"}
    free = position(melds=melds, P1="AD KH JH 2H 9C")
    assert melds_of(legal(free, "lay off AD onto P1/1 low"), "P1")[0] == "AD 2D 3D 4D"
    refused(free, "lay off 2H onto P1/2 high", Refusal.BEYOND_THE_ACE)
    refused(legal(free, "lay off AD onto P1/1 low"), "lay off KH onto P1/1 low", Refusal.BEYOND_THE_ACE)
    high_only = position(rules=BRITISH, melds=melds, P1="AD KH JH 2H 9C")
    refused(high_only, "lay off AD onto P1/1 low", Refusal.BEYOND_THE_ACE)
    legal(high_only, "lay off JH onto P1/2 low")


def test_kl3_3_one_natural_is_enough_and_needed() -> None:
    hand = position(melds={"P1": OPENED}, P1="8D JK JK JK 2S")
    for meld, lies in (("8D JK JK JK", "8D JK JK JK"), ("JK(7D) 8D JK", "JK(7D) 8D JK(9D)"), ("JK JK JK 8D", "8D JK JK JK")):
        assert melds_of(legal(hand, f"meld {meld}"), "P1")[1] == lies
    assert melds_of(legal(hand, "meld JK(5D) JK(6D) JK(7D) 8D"), "P1")[1] == "JK(5D) JK(6D) JK(7D) 8D"
    refused(hand, "meld JK JK JK", Refusal.TOO_FEW_NATURALS)
    assert melds_of(legal(hand, "run of diamonds from 5"), "P1")[1] == "JK(5D) JK(6D) JK(7D) 8D"  # no end before the natural
    assert legal(hand, "run of diamonds from 6").legal_actions() == ["place JK", "end meld"]


def test_kl3_4_joker_of_a_set_stands_for_any_missing_suit() -> None:
    for card in ("8H", "8D", "8C"):
        game = position(melds={"P1": OPENED, "P2": "8S JK JK"}, P1=f"{card} 2S")
        assert melds_of(legal(game, f"swap joker in P2/1 with {card}"), "P2") == [f"8S {card} JK"]
        assert melds_of(legal(game, f"lay off {card} onto P2/1"), "P2") == [f"8S {card} JK JK"]


def test_kl3_4_joker_of_a_run_stands_for_its_place() -> None:
    """If jokers stand for both aces, the low one is swapped first."""
    run = "JK(AS) " + " ".join(rank + "S" for rank in "23456789TJQK") + " JK(AS)"
    game = position(melds={"P1": "8D 8H 8C", "P2": run}, P1="AS AS 2D")
    once = legal(game, "swap joker in P2/1 with AS")
    assert melds_of(once, "P2") == [run.replace("JK(AS) ", "AS ", 1)]
    assert melds_of(legal(once, "swap joker in P2/1 with AS"), "P2") == [run.replace("JK(AS)", "AS")]


# ---- the turn --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opened", [False, True])
def test_kl4_1_stock_or_upcard_without_condition(opened: bool) -> None:
    game = position("draw P1", melds={"P1": OPENED} if opened else {}, P1="2C KD", stock="9S", pile="8H 5C")
    for move, card in (("take upcard", "8H"), ("draw stock", "9S")):
        after = legal(game, move)
        assert card in listed(after, "hand P1")
        refused(after, "draw stock", Refusal.ALREADY_DRAWN)
        legal(after, f"discard {card}")
    refused(game, "take 5C", Refusal.NOT_THE_UPCARD)
    refused(game, "discard 2C", Refusal.NOT_DRAWN)


def test_kl4_1_upcard_only_to_open() -> None:
    """British rules: the upcard is owed, and the opening must hold it."""
    hand = "QS KS AS 3H 3D 9C 9D"
    game = legal(position("draw P1", rules=BRITISH, P1=hand, pile="3C 5C"), "take upcard")
    assert shown(game, "owed") == "3C"
    for card in ("3C", "9C"):
        refused(game, f"discard {card}", Refusal.MUST_LAY)
    after = legal(game, "lay down QS KS AS + 3H 3D 3C")
    assert shown(after, "owed") is None
    without = position("draw P1", rules=BRITISH, P1="QS KS AS KH KD KC 9D", pile="3C 5C")
    refused(without, "take upcard", Refusal.UPCARD_NOT_LAID)  # the hand opens, but not with 3C


def test_kl4_1_upcard_only_for_a_new_meld() -> None:
    melds = {"P1": "QS KS AS + 3H 3D 3C"}
    game = position("draw P1", rules=BRITISH, melds=melds, P1="7H 7D 2C", pile="7S 5C")
    owing = legal(game, "take upcard")
    assert shown(owing, "owed") == "7S"
    refused(owing, "discard 2C", Refusal.MUST_LAY)
    after = legal(owing, "meld 7S 7H 7D")
    assert after.legal_actions() == ["discard 2C"]
    fits = position("draw P1", rules=BRITISH, melds=melds, P1="7H 2C", pile="JS 5C")
    refused(fits, "take upcard", Refusal.UPCARD_NOT_LAID)  # JS could be laid off only
    last = position("draw P1", rules=BRITISH, melds=melds, P1="7H 7D", pile="7S 5C")
    refused(last, "take upcard", Refusal.UPCARD_NOT_LAID)  # nothing would be left to discard


def test_kl4_2_opening_is_never_compulsory_and_may_be_any_number_of_melds() -> None:
    hand = "QS KS AS 6H 6D 6C 2S 2H 2D 9C 4D"
    game = position(P1=hand)
    assert shown(legal(game, "discard 9C"), "opened") == "-"
    for melds in ("QS KS AS + 6H 6D 6C", "QS KS AS + 6H 6D 6C + 2S 2H 2D"):
        assert len(melds_of(legal(game, f"lay down {melds}"), "P1")) == melds.count("+") + 1
    begun = played(game, "lay down", "set of 6")
    refused(begun, "end opening", Refusal.NOT_ENOUGH_POINTS)
    refused(begun, "discard 9C", Refusal.NOT_IN_THIS_PHASE)
    refused(game, "lay down", Refusal.NOT_TO_MOVE, seat=1)


def test_kl4_2_a_begun_opening_can_always_be_completed() -> None:
    """The ten of spades belongs to the set: the run from there would leave too little."""
    game = legal(position(P1="TS JS QS KS TH TD 2S"), "lay down")
    assert game.legal_actions() == ["set of T", "run of spades from J"]
    refused(game, "run of spades from T", Refusal.CANNOT_BE_COMPLETED)
    begun = legal(game, "set of T")
    assert melds_of(begun, "P1") == ["TS TH TD"]
    refused(begun, "end opening", Refusal.NOT_ENOUGH_POINTS)


def test_kl4_2_nothing_more_in_the_turn_of_the_opening() -> None:
    game = position(melds={"P2": "7S 7H 7D"}, P1="QS KS AS 6H 6D 6C 2S 2H 2D 7C JS")
    after = legal(game, "lay down QS KS AS + 6H 6D 6C")
    assert [action for action in after.legal_actions() if not action.startswith("discard")] == []
    refused(after, "set of 2", Refusal.NO_MELDS_YET)
    refused(after, "lay down", Refusal.ALREADY_OPENED)
    british = position(rules=BRITISH, melds={"P2": "7S 7H 7D"}, P1="QS KS AS 6H 6D 6C 2S 2H 2D 7C JS 4D")
    played(
        british, "lay down QS KS AS + 6H 6D 6C", "meld 2S 2H 2D", "lay off 7C onto P2/1", "lay off JS onto P1/1 low", "discard 4D"
    )


def test_kl4_3_any_number_and_order_in_later_turns() -> None:
    melds = {"P1": OPENED, "P2": "7S 7H 7D"}
    moves = ("meld 2S 2H 2D", "lay off 7C onto P2/1", "lay off 9C onto P1/1 low", "meld 4D 5D 6D")
    game = position(melds=melds, P1="2S 2H 2D 7C 9C 4D 5D 6D KS")
    ends = [played(game, *order) for order in (moves, moves[::-1])]
    assert [sorted(melds_of(end, "P1")) for end in ends] == [["2S 2H 2D", "4D 5D 6D", "9C TC JC QC KC AC"]] * 2
    assert [melds_of(end, "P2") for end in ends] == [["7S 7H 7D 7C"]] * 2
    refused(ends[0], "set of K", Refusal.NO_SUCH_NEW_MELD)
    refused(ends[0], "lay off KS onto P2/1", Refusal.SET_IS_FULL)
    refused(position(melds=melds, P1="7C JK", phase="draw P1", pile="5C"), "lay off 7C onto P2/1", Refusal.NOT_DRAWN)


def test_kl4_4_swapped_joker_is_known_and_may_be_kept() -> None:
    game = position(melds={"P1": OPENED, "P2": "TH JH JK(QH)"}, P1="QH 2S 3S")
    after = played(game, "swap joker in P2/1 with QH", "discard 2S", "draw stock")
    assert listed(after, "known P1") == ["JK"]
    assert legal(game, "swap joker in P2/1 with QH").can("meld 2S 3S JK")


def test_kl4_4_several_swaps_in_a_turn() -> None:
    """Under British rules all swapped jokers must be laid in new melds."""
    melds = {"P1": OPENED, "P2": "TH JH JK(QH) + 8S 8H JK"}
    game = position(rules=BRITISH, melds=melds, P1="QH 8D 2S 3S 5H 6H 9D")
    both = played(game, "swap joker in P2/1 with QH", "swap joker in P2/2 with 8D")
    assert shown(both, "owed") == "JK JK"
    after = played(both, "meld 2S 3S JK", "meld 5H 6H JK", "discard 9D")
    assert shown(after, "owed") is None
    one = position(rules=BRITISH, melds=melds, P1="QH 8D 2S 3S 9D")
    refused(legal(one, "swap joker in P2/1 with QH"), "meld 2S 3S 4S", Refusal.CARD_NOT_HELD)
    assert played(one, "swap joker in P2/1 with QH").can("swap joker in P2/2 with 8D")  # 2S 3S with both


@pytest.mark.parametrize("card", ["KD", "JK"])
def test_kl4_5_any_card_is_discarded(card: str) -> None:
    after = legal(position(P1="KD JK 2S"), f"discard {card}")
    assert listed(after, "pile") == [card]
    assert shown(after, "phase") == "draw P2"
    assert shown(after, "turns") == "9"
    refused(after, "call", Refusal.CALLS_DISABLED)


# ---- the end ---------------------------------------------------------------------------------------------------------


def test_kl5_1_going_out_in_the_turn_of_the_opening() -> None:
    game = position(P1="QS KS AS 6H 6D 6C", pile="5C")
    after = legal(game, "lay down QS KS AS + 6H 6D 6C")
    assert shown(after, "phase") == "over P1"
    assert shown(after, "opened") == "P1"
    discarding = legal(position(P1="QS KS AS 6H 6D 6C 2D"), "lay down QS KS AS + 6H 6D 6C")
    assert shown(legal(discarding, "discard 2D"), "phase") == "over P1"


def test_kl5_1_going_out_by_a_further_meld() -> None:
    assert shown(legal(position(melds={"P1": OPENED}, P1="2S 2H 2D"), "meld 2S 2H 2D"), "phase") == "over P1"


@pytest.mark.parametrize(
    ("hand", "owed", "move", "reason"),
    [
        ("2S 2H 2D 2C", "", "meld 2S 2H 2D 2C", Refusal.CANNOT_BE_SPARED),
        ("7S 7H 7D JK 2C", "JK", "meld 7S 7H 7D", Refusal.MUST_LAY),
        ("7S JK 8S 9S 2D 3D 4C", "JK", "meld 7S 8S 9S", None),
        ("7S JK 8S 9S 5D 3D", "JK", "meld 7S 8S 9S", Refusal.MUST_LAY),
    ],
)
def test_kl4_3_the_meld_that_is_meant_or_none(hand: str, owed: str, move: str, reason: Refusal | None) -> None:
    """What must be laid or kept may leave one meld only; another one is refused, not laid in its place."""
    more = (f"owed: {owed}", f"known P1: {owed}") if owed else ()
    game = position(rules=BRITISH, melds={"P1": "QC KC AC"}, P1=hand, more=more)
    if reason:
        refused(game, move, reason)
    else:
        assert melds_of(legal(game, move), "P1")[1] == move.removeprefix("meld ")


def test_kl4_2_the_opening_that_is_meant_or_none() -> None:
    game = position(rules=BRITISH, P1="QS KS AS 3S 3H 3D 3C")
    refused(game, "lay down QS KS AS + 3S 3H 3D 3C", Refusal.CANNOT_BE_SPARED)
    assert legal(game, "lay down QS KS AS + 3S 3H 3C").hand(0) == ["3D"]


def test_kl5_1_last_card_must_be_discarded_under_british_rules() -> None:
    refused(position(rules=BRITISH, P1="QS KS AS 6H 6D 6C"), "lay down", Refusal.NOT_ENOUGH_POINTS)
    melds = {"P1": "QS KS AS + 6H 6D 6C"}
    refused(position(rules=BRITISH, melds=melds, P1="2S 2H 2D"), "set of 2", Refusal.NO_SUCH_NEW_MELD)
    refused(position(rules=BRITISH, melds=melds, P1="JS"), "lay off JS onto P1/1 low", Refusal.CANNOT_BE_SPARED)
    assert shown(legal(position(rules=BRITISH, melds=melds, P1="JS"), "discard JS"), "phase") == "over P1"
    four = legal(position(rules=BRITISH, melds=melds, P1="2S 2H 2D 2C"), "set of 2")
    assert played(four, "place 2S", "place 2H", "place 2D").legal_actions() == ["discard 2C"]


def test_kl5_2_opened_or_not() -> None:
    game = position(melds={"P1": OPENED, "P2": "7S 7H 7D"}, P1="2C", P2="KD", P3="KH", P4="KS JK")
    assert legal(game, "discard 2C").outcome == Outcome(0, (0, 10, 10, 35))


def test_kl5_3_blocked_at_the_cap() -> None:
    game = position("play P4", P1="KD", P2="QD JK", P3="2D", P4="AS 3C", turns=239, melds={"P1": OPENED})
    assert legal(game, "discard 3C").outcome == Outcome(None, (10, 35, 2, 15))


def test_kl5_3_reshuffled_again_and_again() -> None:
    again = position("draw P1", P1="2C", pile="8H 5C 6D", players=5, rest="P2 P3 P4 P5", reshuffles=7)
    after = legal(again, "draw stock")
    assert shown(after, "reshuffles") == "8"
    assert listed(after, "pile") == ["8H"]
    refused(position("draw P1", P1="2C", pile="8H", players=5, rest="P2 P3 P4 P5"), "draw stock", Refusal.STOCK_EXHAUSTED)


# ---- coverage --------------------------------------------------------------------------------------------------------

MODULES: tuple[ModuleType, ...] = (test_kaluki_melds, test_kaluki_play, test_tables)
LEFT_OUT = {"W14", "W15", "W16"}  # of a match
RULES = ["KL1.1", "KL1.2", "KL2", *(f"KL{section}.{n}" for section, last in ((3, 4), (4, 5), (5, 3)) for n in range(1, last + 1))]
EXAMPLES_OF = {
    "KL1.2": "Q5",
    "KL2": "KX8 KX11 KX12 KX13 KX14 KX15 W7 W12 W13",
    "KL3.1": "KX18 KX19 W4",
    "KL3.2": "KX16 KX20 KX21 KX30",
    "KL3.3": "KX17 KX22",
    "KL3.4": "W6",
    "KL4.1": "KX25",
    "KL4.2": "KX1 KX2 KX3 KX4 KX5 KX6 KX7 KX9 KX10 KX23",
    "KL4.3": "KX24 W6",
    "KL4.4": "W1 W2 W3 W5 W8 W9",
    "KL4.5": "W18",
    "KL5.1": "W10 W11",
    "KL5.2": "W12 W13",
    "KL5.3": "W17",
}


def test_every_example_has_a_test() -> None:
    wanted = {*(f"KX{number}" for number in range(1, 31)), *(f"W{number}" for number in range(1, 19))}
    assert {name for name in examples_in(MODULES) if name[0] != "Q"} == wanted - LEFT_OUT


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_test(rule: str) -> None:
    own = [name for name in globals() if name.startswith(f"test_{rule.lower().replace('.', '_')}_")]
    assert own
    assert set(EXAMPLES_OF.get(rule, "").split()) <= examples_in(MODULES)
