"""Every rule J1.1 to J12.5 has a test: the examples listed in `EXAMPLES_OF`, and the tests below named after rules.

The checks at the end name a rule, or an example of the rule book, that has none.
"""

from __future__ import annotations

import random
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from kalooki_env.core import Phase
from kalooki_env.errors import IllegalActionError, RulesError
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import Rules

from . import (
    test_calls,
    test_fours,
    test_joker_moves,
    test_lay_off,
    test_opening,
    test_scores,
    test_solver_examples,
    test_tables,
    test_threes,
    test_turn,
)
from .coverage import examples_in
from .positions import legal, listed, melds_of, played, position, refused, shown, without_calls

#: What a seat may have laid down in deal 1, and in deal 2.
OPENED_1 = "AS AH AD + 7S 7H 7D + TS TH TD"
OPENED_2 = "AS AH AD + TS TH TD + 5C 6C 7C 8C"

# ---- equipment, values, deals --------------------------------------------------------------------------------------------


def test_j1_2_three_to_eight_players() -> None:
    for players in (1, 2, 9):
        with pytest.raises(RulesError):
            Game("jamaican_consensus", players)
    for players in range(3, 9):
        game = Game("jamaican_consensus", players, seed=4)
        for turn in range(2 * players):
            assert game.to_move == turn % players  # clockwise
            game.do("draw stock").do(f"discard {game.hand(turn % players)[0]}")
            game = without_calls(game)


@pytest.mark.parametrize("card", CARD_NAMES)
def test_j2_2_points_of_each_card(card: str) -> None:
    points = {"J": 50 if card == "JK" else 10, "A": 15 if card[1] in "SC" else 1, "T": 10, "Q": 10, "K": 10}
    melds = {"P1": "8S 8H 8D + 7S 7H 7D + TS TH TD", "P2": "9S 9H 9D + JS JH JD + QS QH QD"}
    after = legal(position(melds=melds, P1="8C", P2=card), "discard 8C")
    assert after.outcome is not None
    assert after.outcome.scores[1] == (points[card[0]] if card[0] in points else int(card[0]))


def test_j3_8_the_player_declares_the_places() -> None:
    game = position(deal=2, P1="6S 7S 8S JK AS AH AD TS TH TD 2C")
    low, high = (legal(game, f"lay down AS AH AD + TS TH TD + {four}") for four in ("JK 6S 7S 8S", "6S 7S 8S JK"))
    assert melds_of(low, "P1")[2] == "JK(5S) 6S 7S 8S"
    assert melds_of(high, "P1")[2] == "6S 7S 8S JK(9S)"
    begun = played(game, "lay down", "three of A", "three of T")
    assert begun.legal_actions() == ["four of spades from 5", "four of spades from 6"]


@pytest.mark.parametrize("deal", range(1, 10))
def test_j4_1_hand_equals_the_smallest_contract(deal: int) -> None:
    contract = Rules().contract(deal)
    codes = ("333", "334", "344", "444", "3333", "3334", "3344", "3444", "4444")
    assert "3" * contract.threes + "4" * contract.fours == codes[deal - 1]
    assert contract.hand_size == sum(int(digit) for digit in codes[deal - 1])
    game = Game("jamaican_consensus", 4, deal=deal, seed=1)
    assert {len(game.hand(seat)) for seat in range(4)} == {contract.hand_size}


def test_j4_2_dealt_one_at_a_time_from_the_dealers_left() -> None:
    deck = random.Random(8).sample([*CARD_NAMES, *CARD_NAMES, "JK", "JK"], 108)
    game = Game("jamaican_consensus", 4, deal=1, dealer=1, deck=deck)
    for seat in range(4):
        assert Counter(game.hand(seat)) == Counter(deck[(seat - 2) % 4 : 36 : 4])
    assert listed(game, "pile") == [deck[36]]
    assert listed(game, "stock") == deck[37:]
    assert shown(game, "phase") == "draw P3"


@pytest.mark.parametrize("dealer", range(4))
def test_j4_3_seat_after_the_dealer_begins(dealer: int) -> None:
    """Who deals is the caller's choice: drawing lots and passing the deal on belong to the match."""
    assert Game("jamaican_consensus", 4, dealer=dealer).to_move == (dealer + 1) % 4


@pytest.mark.parametrize(
    ("players", "stocks"),
    [
        (3, (80, 77, 74, 71, 71, 68, 65, 62, 59)),
        (4, (71, 67, 63, 59, 59, 55, 51, 47, 43)),
        (5, (62, 57, 52, 47, 47, 42, 37, 32, 27)),
        (6, (53, 47, 41, 35, 35, 29, 23, 17, 11)),
        (7, (98, 91, 84, 77, 77, 70, 63, 56, 49)),
        (8, (89, 81, 73, 65, 65, 57, 49, 41, 33)),
    ],
)
def test_j4_4_stock_after_the_deal(players: int, stocks: tuple[int, ...]) -> None:
    for deal, size in enumerate(stocks, start=1):
        assert len(listed(Game("jamaican_consensus", players, deal=deal, seed=1), "stock")) == size


# ---- course of a deal ----------------------------------------------------------------------------------------------------


def test_j5_1_no_window_before_the_first_discard() -> None:
    game = Game("jamaican_consensus", 4, seed=1)
    assert shown(game, "phase") == "draw P1"
    for move in ("draw stock", "take upcard"):
        after = legal(game, move)
        assert shown(after, "phase") == "play P1"
        assert shown(legal(after, f"discard {after.hand(0)[0]}"), "phase") == "call P3 on P1"


@pytest.mark.parametrize("melds", [{}, {"P1": OPENED_1}], ids=["not-opened", "opened"])
def test_j5_2_upcard_is_free_to_everyone(melds: dict[str, str]) -> None:
    game = position("draw P1", melds=melds, P1="2C KD", stock="9S", pile="8H 5C")
    taken, drawn = legal(game, "take upcard"), legal(game, "draw stock")
    assert listed(taken, "hand P1") == ["8H", "KD", "2C"]
    assert listed(drawn, "hand P1") == ["9S", "KD", "2C"]
    for after in (taken, drawn):
        refused(after, "draw stock", Refusal.ALREADY_DRAWN)
        refused(after, "take upcard", Refusal.ALREADY_DRAWN)
        legal(after, "discard 2C")  # no need to use the card drawn


def test_j5_3_plays_only_after_the_draw_and_in_any_order() -> None:
    melds = {"P1": "AS AH AD + TS TH TD + 5C JK(6C) 7C 8C"}
    moves = ("lay off AC onto P1/1", "move joker in P1/3 to low with 6C", "lay off TC onto P1/2")
    before = position("draw P1", deal=2, melds=melds, P1="AC 6C TC 2D", pile="8H")
    for move in moves:
        refused(before, move, Refusal.NOT_DRAWN)
    drawn = legal(before, "draw stock")
    ends = [played(drawn, *order) for order in (moves, moves[::-1], (moves[1], moves[0], moves[2]))]
    assert len({end.text() for end in ends}) == 1
    assert melds_of(ends[0], "P1") == ["AS AH AD AC", "TS TH TD TC", "JK(4C) 5C 6C 7C 8C"]


def test_j5_4_discard_ends_the_turn() -> None:
    game = position(melds={"P1": OPENED_1}, P1="AC 2D 3D")
    after = legal(game, "discard 2D")
    assert listed(after, "pile") == ["2D"]
    assert shown(after, "turns") == str(int(shown(game, "turns") or 0) + 1)
    refused(after, "lay off AC onto P1/1", Refusal.NOT_TO_MOVE, seat=0)
    assert without_calls(after).to_move == 1


@pytest.mark.parametrize(("players", "deal"), [(3, 1), (4, 2), (5, 5), (8, 9)])
def test_j5_invariants_of_hands_and_cards(players: int, deal: int) -> None:
    """Cards are conserved; between turns a seat that has not opened holds what it was dealt and two for each call allowed."""
    game = Game("jamaican", players, deal=deal, seed=11)
    rng = random.Random(deal)
    deck = Counter({name: game.rules.packs_for(players) * (2 if name == "JK" else 1) for name in CARD_NAMES})
    while game.phase is not Phase.OVER:
        game.do(rng.choice(game.legal_numbers()))
        state: Any = game.states[0]
        held = Counter(card for seat in range(players) for card in game.hand(seat))
        on_table = Counter({name: int(state["table_count"][number]) for number, name in enumerate(CARD_NAMES)})
        assert held + on_table + Counter(listed(game, "stock")) + Counter(listed(game, "pile")) == deck
        for seat in range(players):
            if not state["opened"][seat] and (seat != game.to_move or game.phase in (Phase.DRAW, Phase.CALL, Phase.ANSWER)):
                assert len(game.hand(seat)) == Rules().contract(deal).hand_size + 2 * int(state["calls_allowed"][seat])


# ---- calls ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stock", "pile", "possible"),
    [("9S", "", False), ("9S 9H", "", True), ("9S", "5C", True), ("", "5C", False), ("", "5C 6C", True)],
    ids=["one-and-none", "two-and-none", "one-and-one", "none-and-one", "none-and-two"],
)
def test_j6_2_penalty_card_and_a_card_for_the_next_seat(stock: str, pile: str, possible: bool) -> None:
    """Cards in the stock, and in the pile below the discard."""
    after = legal(position(P1="8H 2C", P2="3C", P3="4C", stock=stock, pile=pile, rest="P4"), "discard 8H")
    assert shown(after, "phase") == ("call P3 on P1" if possible else "draw P2")
    if possible:
        assert played(after, "call", "allow").legal_actions()
    else:
        refused(after, "call", Refusal.CALL_NO_PENALTY_CARD, seat=2)


def test_j6_4_only_the_discarder_answers() -> None:
    called = played(position(P1="8H 2C"), "discard 8H", "call")
    assert called.legal_actions() == ["allow", "refuse"]
    for seat in (1, 2, 3):
        refused(called, "allow", Refusal.NOT_TO_MOVE, seat=seat)


def test_j6_7_without_a_call_the_next_seat_may_take_the_card() -> None:
    after = played(position(P1="8H 2C", P2="3C", stock="9S"), "discard 8H", "pass", "pass")
    assert shown(after, "phase") == "draw P2"
    assert listed(legal(after, "take upcard"), "hand P2") == ["8H", "3C"]
    assert listed(legal(after, "draw stock"), "hand P2") == ["9S", "3C"]


def test_j6_8_opening_ends_the_right_to_call() -> None:
    """P3 lays down in its turn and is not asked afterwards."""
    hand = "4S 4H 4D 9S 9H 9D 8S 8H 8D 2D 3D"
    game = legal(position("play P3", P3=hand, P1="KS QC", stock="2S 2H 2C"), "lay down 4S 4H 4D + 9S 9H 9D + 8S 8H 8D")
    his = without_calls(legal(game, "discard 2D"))
    others = without_calls(played(his, "draw stock", f"discard {his.hand(3)[0]}"))
    assert shown(others, "phase") == "draw P1"
    after = played(others, "draw stock", "discard QC")
    assert shown(after, "phase") == "call P4 on P1"
    refused(after, "call", Refusal.CALL_OPENED, seat=2)


# ---- opening, lay-offs, joker moves --------------------------------------------------------------------------------------


def test_j7_1_opening_is_never_compulsory() -> None:
    game = position(P1="4S 4H 4D 9C 9D 9H KS KH KC 2D")
    assert game.can("lay down")
    assert shown(legal(game, "discard 2D"), "opened") == "-"


def test_j7_6_melds_are_not_merged_split_or_taken_back() -> None:
    """A four that has grown up to another one of its suit stays by itself, and so do threes of one rank."""
    melds = {"P1": "AS AH AD + TS TH TD + 5C 6C 7C 8C", "P2": "AS AC AD + KS KH KD + TC JC QC KC"}
    game = position(deal=2, melds=melds, P1="9C AH 2D")
    after = played(game, "lay off 9C onto P1/3 high", "lay off AH onto P2/1")
    assert melds_of(after, "P1") == ["AS AH AD", "TS TH TD", "5C 6C 7C 8C 9C"]
    assert melds_of(after, "P2") == ["AS AH AD AC", "KS KH KD", "TC JC QC KC"]
    assert [action for action in after.legal_actions() if not action.startswith("discard")] == []


def test_j8_1_not_before_the_whole_contract_lies() -> None:
    game = played(position(P1=f"AS AH AD AC {OPENED_1[10:].replace('+', '')} 2D"), "lay down", "three of 7")
    refused(game, "lay off AC onto P1/1", Refusal.NOT_IN_THIS_PHASE)


def test_j8_5_player_chooses_the_end() -> None:
    game = position(deal=2, melds={"P1": OPENED_2}, P1="JK 4C 9C 2D")
    ends = {end: legal(game, f"lay off onto P1/3 {end}").legal_actions() for end in ("low", "high")}
    assert ends == {"low": ["place 4C", "place JK"], "high": ["place 9C", "place JK"]}


def test_j9_5_joker_of_another_seat_in_the_own_four() -> None:
    """P1 lays a joker off onto the four of P2, who moves it in its own turn."""
    melds = {"P1": "2S 2H 2D + 3S 3H 3D + 6H 7H 8H 9H", "P2": OPENED_2}
    game = position(deal=2, melds=melds, P1="JK 2D KS", P2="9C 4H")
    laid = without_calls(played(game, "lay off JK onto P2/3 high", "discard 2D"))
    refused(laid, "move joker in P2/3 to high with 9C", Refusal.NOT_DRAWN)
    after = played(laid, "draw stock", "move joker in P2/3 to high with 9C")
    assert melds_of(after, "P2")[2] == "5C 6C 7C 8C 9C JK(TC)"


# ---- going out, scores, stock --------------------------------------------------------------------------------------------


def test_j10_3_end_of_the_turn_without_a_discard() -> None:
    """Only with jokers alone, and by choice: the joker might be laid off."""
    refused(position(melds={"P1": OPENED_1}, P1="JK 2C"), "end turn", Refusal.MUST_DISCARD)
    jokers = position(melds={"P1": OPENED_1}, P1="JK JK", pile="5C")
    assert jokers.legal_actions() == ["end turn", "lay off onto P1/1", "lay off onto P1/2", "lay off onto P1/3"]
    after = legal(jokers, "end turn")
    assert shown(after, "phase") == "draw P2"
    assert shown(after, "turns") == "9"
    refused(after, "call", Refusal.CALL_NEXT_SEAT, seat=1)


def test_j10_4_nobody_lays_off_after_the_end() -> None:
    melds = {"P1": OPENED_1, "P2": "9S 9H 9D + JS JH JD + QS QH QD"}
    after = legal(position(melds=melds, P1="8C", P2="AC 9C"), "discard 8C")
    assert after.to_move is None
    assert after.legal_actions() == []
    for seat in range(4):
        refused(after, "lay off AC onto P1/1", Refusal.DEAL_OVER, seat=seat)
        assert not after.mask(seat).any()


def test_j12_1_stock_is_renewed_again_and_again() -> None:
    again: dict[str, Any] = {"phase": "draw P1", "P1": "2C", "pile": "8H 5C 6D", "rest": "P4", "reshuffles": 1}
    after = legal(position(**again), "draw stock")
    assert shown(after, "reshuffles") == "2"
    assert listed(after, "pile") == ["8H"]
    club = position(**again, rules="jamaican_club")  # one reshuffle in a deal
    assert club.legal_actions() == ["take upcard"]
    refused(club, "draw stock", Refusal.STOCK_EXHAUSTED)


def test_j12_1_stock_is_renewed_only_when_a_card_is_needed() -> None:
    after = played(position("draw P1", P1="2C", stock="9S", pile="8H 5C 6D", rest="P4"), "draw stock")
    assert listed(after, "stock") == []
    assert listed(after, "pile") == ["8H", "5C", "6D"]
    assert shown(after, "reshuffles") == "0"


def test_j12_4_last_discard_opens_no_window() -> None:
    last, before = (legal(position("play P4", P4="8H 2C", turns=turns), "discard 8H") for turns in (239, 238))
    assert shown(last, "phase") == "over blocked"
    assert shown(before, "phase") == "call P2 on P4"


# ---- every illegal action of a position ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_j5_every_action_number_is_legal_or_refused(seed: int) -> None:
    """Along a random deal: the mask is exact, and each refusal has a reason and changes nothing."""
    rng = random.Random(seed)
    game = Game("jamaican", 3, deal=rng.choice((1, 2, 3)), seed=seed)
    for _ in range(60):
        if game.phase is Phase.OVER:
            break
        allowed = set(game.legal_numbers())
        before = game.text()
        for action in range(game.engine.num_actions):
            assert game.can(action) is (action in allowed)
        wrong = rng.choice([action for action in range(game.engine.num_actions) if action not in allowed])
        with pytest.raises(IllegalActionError):
            game.do(wrong)
        assert game.text() == before
        game.do(rng.choice(sorted(allowed)))


# ---- coverage ------------------------------------------------------------------------------------------------------------

MODULES: tuple[ModuleType, ...] = (
    test_threes,
    test_fours,
    test_opening,
    test_solver_examples,
    test_lay_off,
    test_joker_moves,
    test_calls,
    test_turn,
    test_tables,
    test_scores,
)
#: Examples of the rule book by letter, and how many there are.
EXAMPLES = {"T": 14, "F": 28, "L": 23, "V": 12, "O": 24, "M": 21, "C": 22, "U": 12, "Q": 5, "S": 8}
LEFT_OUT = {
    "S5": "no preset sets one_turn_out_multiplier",
    "S7": "the running total belongs to the match",
}
#: Rules that say nothing about one deal by itself.
OF_THE_MATCH = {"J11.4": "adding deal scores up"}
#: The last number in each of the sections J1 to J12.
LAST_NUMBERS = (3, 2, 8, 4, 4, 8, 7, 5, 5, 4, 4, 5)
RULES = [f"J{section}.{number}" for section, last in enumerate(LAST_NUMBERS, start=1) for number in range(1, last + 1)]
EXAMPLES_OF = {
    "J1.1": "T13 Q3",
    "J1.3": "Q3 Q4",
    "J2.1": "F5 F6 F7 F8 F18 F25 F26 O11 O13",
    "J2.2": "S2 S3 S4",
    "J3.1": "T1 T2 T3 T4 T5 T12 T14",
    "J3.2": "F1 F2 F3 F4 F23 F27",
    "J3.3": "T6 F9 F11",
    "J3.4": "T8 T9 T10 F9 F10 F22 F24 F28 L20 O8 O16 O17",
    "J3.5": "T6 T7 T11 V12",
    "J3.6": "F13",
    "J3.7": "F14 F15 O14",
    "J3.8": "F18 F19 F26",
    "J4.1": "C18",
    "J4.4": "Q1 Q2 Q3 Q4",
    "J5.1": "C9",
    "J5.2": "U1 U2 U3 C5",
    "J6.1": "C1 C16",
    "J6.2": "C4 C5 C6 C11 C15 C19",
    "J6.3": "C7 C8",
    "J6.4": "C1 C2",
    "J6.5": "C1 C10 C17",
    "J6.6": "C2 C3 C8 C12",
    "J6.8": "C4 C13",
    "J7.1": "L22 L23",
    "J7.2": "L3 L5 L7 L13 L19 L21",
    "J7.3": "L2 T2 F27",
    "J7.4": "L4 L12 V8 V9",
    "J7.5": "L9 L10 L16 V1 V10",
    "J7.7": "L5 L23",
    "J8.1": "L6 O2 O22",
    "J8.2": "O21 O24",
    "J8.3": "O1 O16 O17",
    "J8.4": "O3 O4 O5 O6 O9 O10 O12 O15 O19",
    "J8.5": "O7 O20",
    "J9.1": "M1 M2 M3 M4",
    "J9.2": "M6 M8 M10 M11 M12 M14 M15 M18",
    "J9.3": "M7 M9 M13 M16 M17",
    "J9.4": "M5 M20",
    "J9.5": "M19",
    "J10.1": "U4 U5 C22",
    "J10.2": "L1 L2 O23 M21 U7",
    "J10.3": "U6",
    "J10.4": "C16",
    "J11.1": "S1 U7",
    "J11.2": "S1 S3 S8",
    "J11.3": "S1 S2 S4 S8",
    "J12.1": "U8",
    "J12.2": "C14 C15",
    "J12.3": "U9 U10",
    "J12.4": "U11 U12",
    "J12.5": "S6",
}


def test_every_example_has_a_test() -> None:
    wanted = {f"{letter}{number}" for letter, count in EXAMPLES.items() for number in range(1, count + 1)}
    assert examples_in(MODULES) == wanted - set(LEFT_OUT)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_test(rule: str) -> None:
    own = [name for name in globals() if name.startswith(f"test_{rule.lower().replace('.', '_')}_")]
    examples = EXAMPLES_OF.get(rule, "").split()
    assert set(examples) <= examples_in(MODULES)
    assert bool(own or examples) is (rule not in OF_THE_MATCH)
