"""Calls, examples C1 to C22: four seats, P1 is about to discard 8H, P2 is next."""

from __future__ import annotations

from typing import Any

from kalooki_env.core import Phase
from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal

from .positions import legal, listed, played, position, refused, shown, without_calls

P1_HAND = "6S JS 3H 8H KH 4D 9D 2C 5C QC"
#: What a seat that has opened may have laid down in deal 1.
OPENED = "AS AH AD + 7S 7H 7D + TS TH TD"


def before_discard(**changes: Any) -> Game:
    """P1 is about to discard; nobody has opened."""
    return position(**{"P1": P1_HAND, "stock": "9S", "pile": "5C", **changes})


def after_discard(**changes: Any) -> Game:
    """P1 has discarded 8H."""
    return legal(before_discard(**changes), "discard 8H")


def test_c1_allowed() -> None:
    asked = after_discard()
    assert shown(asked, "phase") == "call P3 on P1"
    called = legal(asked, "call")
    assert shown(called, "phase") == "answer P1 to P3"
    after = legal(called, "allow")
    assert sorted(listed(after, "hand P3")) == sorted([*listed(asked, "hand P3"), "8H", "9S"])
    assert listed(after, "known P3") == ["8H"]
    assert listed(after, "stock") == listed(asked, "stock")[1:]
    assert listed(after, "pile") == ["5C"]
    assert shown(after, "phase") == "draw P2 after call"
    assert shown(after, "calls") == "P3 1/1"
    assert shown(after, "answers") == "P1 1/0"
    assert after.legal_actions() == ["draw stock", "take upcard"]


def test_c2_refused_and_taken_by_the_next_seat() -> None:
    after = played(after_discard(), "call", "refuse", "take 8H")
    assert shown(after, "phase") == "play P2"
    assert "8H" in listed(after, "hand P2")
    assert listed(after, "pile") == ["5C"]
    refused(after, "draw stock", Refusal.ALREADY_DRAWN)


def test_c3_no_second_call_after_the_next_seat_has_drawn() -> None:
    refusal = played(after_discard(), "call", "refuse")
    refused(refusal, "call", Refusal.CALL_HEARD, seat=3)
    after = legal(refusal, "draw stock")
    refused(after, "call", Refusal.CALL_CLOSED, seat=3)
    assert listed(after, "pile") == ["8H", "5C"]


def test_c4_not_for_a_seat_that_has_opened() -> None:
    after = after_discard(melds={"P3": OPENED})
    assert shown(after, "phase") == "call P4 on P1"
    refused(after, "call", Refusal.CALL_OPENED, seat=2)


def test_c5_not_for_the_next_seat() -> None:
    asked = after_discard()
    refused(asked, "call", Refusal.CALL_NEXT_SEAT, seat=1)
    legal(without_calls(asked), "take 8H")


def test_c6_not_for_the_discarder() -> None:
    asked = after_discard()
    refused(asked, "call", Refusal.CALL_OWN_DISCARD, seat=0)
    refused(without_calls(asked), "call", Refusal.CALL_OWN_DISCARD, seat=0)


def test_c7_first_seat_clockwise_is_asked_first() -> None:
    asked = after_discard()
    assert asked.to_move == 2
    refused(asked, "call", Refusal.NOT_TO_MOVE, seat=3)
    called = legal(asked, "call")
    refused(called, "call", Refusal.CALL_HEARD, seat=3)
    assert shown(legal(asked, "pass"), "phase") == "call P4 on P1"


def test_c8_one_call_is_heard() -> None:
    after = played(after_discard(), "call", "refuse")
    assert shown(after, "phase") == "draw P2"
    assert shown(after, "calls") == "P3 1/0"
    assert shown(after, "answers") == "P1 0/1"
    refused(after, "call", Refusal.CALL_HEARD, seat=3)


def test_c9_first_upcard_cannot_be_called() -> None:
    first = position("draw P1", turns=0, pile="8H")
    assert first.legal_actions() == ["draw stock", "take upcard"]
    for seat in range(4):
        refused(first, "call", Refusal.CALL_FIRST_UPCARD, seat=seat)


def test_c10_card_uncovered_by_a_call() -> None:
    called = played(after_discard(), "call", "allow")
    refused(called, "call", Refusal.CALL_UNCOVERED_CARD, seat=3)
    assert "5C" in listed(legal(called, "take 5C"), "hand P2")


def test_c10_stock_only() -> None:
    called = played(after_discard(rules="jamaican_consensus draw_after_call=stock_only"), "call", "allow")
    refused(called, "take upcard", Refusal.STOCK_ONLY_AFTER_CALL)
    refused(called, "take 5C", Refusal.STOCK_ONLY_AFTER_CALL)
    assert shown(legal(called, "draw stock"), "phase") == "play P2"


def test_c11_limit_of_three_allowed_calls() -> None:
    memory = {"calls": "P3 3/3", "answers": "P1 3/0"}
    limited = after_discard(**memory)
    assert shown(limited, "phase") == "call P4 on P1"
    refused(limited, "call", Refusal.CALL_LIMIT, seat=2)
    for rules in ("jamaican", "jamaican_consensus call_max_per_deal=null"):
        assert shown(after_discard(rules=rules, **memory), "phase") == "call P3 on P1"


def test_c12_refused_calls_do_not_count() -> None:
    asked = after_discard(calls="P3 6/2", answers="P1 2/4")
    assert shown(asked, "phase") == "call P3 on P1"
    assert shown(played(asked, "call", "allow"), "calls") == "P3 7/3"


def test_c13_opening_in_an_earlier_deal() -> None:
    before = after_discard(P1="8H", melds={"P1": "QS QH QD + 3S 3H 3D + 9S 9H 9D", "P3": OPENED}, stock="")
    assert shown(before, "phase") == "over P1"
    game = Game("jamaican_consensus", 4, deal=2, dealer=3, seed=5)
    game.do("draw stock").do(f"discard {game.hand(0)[0]}")
    assert shown(game, "phase") == "call P3 on P1"


def test_c14_penalty_card_from_a_renewed_stock() -> None:
    nine = "5C AS 2H 3D 4C 6S 7H 9D TC"
    asked = after_discard(stock="", pile=nine, P2="JS", P3="KS KH", rest="P4")
    after = played(asked, "call", "allow")
    assert listed(after, "pile") == ["5C"]
    assert len(listed(after, "stock")) == 7
    penalty = set(listed(after, "hand P3")) - {"KS", "KH", "8H"}
    assert {*penalty, *listed(after, "stock")} == set(nine.split()[1:])
    assert shown(after, "reshuffles") == "1"


def test_c15_no_call_without_a_penalty_card() -> None:
    after = after_discard(stock="", pile="5C", P2="JS", P3="KS KH", rest="P4")
    assert shown(after, "phase") == "draw P2"
    refused(after, "call", Refusal.CALL_NO_PENALTY_CARD, seat=2)


def test_c16_last_card_ends_the_deal() -> None:
    after = after_discard(P1="8H", melds={"P1": OPENED})
    assert shown(after, "phase") == "over P1"
    refused(after, "call", Refusal.DEAL_OVER, seat=2)


def test_c17_caller_opens_in_his_own_turn_only() -> None:
    hand = "4S 4H 4D 9S 9H 9D 8S 8D 2D"
    called = played(after_discard(P1="8H 3C", P2="KS", P3=hand, stock="2S 2H 2C"), "call", "allow")
    refused(called, "lay down", Refusal.NOT_TO_MOVE, seat=2)
    refused(called, "discard 2D", Refusal.NOT_TO_MOVE, seat=2)
    his_turn = legal(without_calls(played(called, "draw stock", "discard KS")), "draw stock")
    assert shown(his_turn, "phase") == "play P3"
    legal(his_turn, "lay down 4S 4H 4D + 9S 9H 9D + 8S 8H 8D")


def test_c18_hand_after_two_calls() -> None:
    game = Game("jamaican_consensus", 4, deal=2, dealer=3, seed=3)
    simple = {Phase.DRAW: "draw stock", Phase.ANSWER: "allow"}
    for _ in range(100):
        if game.phase is Phase.DRAW and shown(game, "calls") == "P3 2/2":
            break
        actor = game.to_move or 0
        if game.phase is Phase.CALL:
            game.do("call" if actor == 2 else "pass")
        else:
            game.do(simple.get(game.phase) or f"discard {game.hand(actor)[0]}")
    assert shown(game, "calls") == "P3 2/2"
    assert [len(game.hand(seat)) for seat in range(4)] == [10, 10, 14, 10]


def test_c19_two_players_never_call() -> None:
    game = Game("jamaican_consensus", 2, deal=9, seed=2)
    game.do("draw stock").do(f"discard {game.hand(0)[0]}")
    assert shown(game, "phase") == "draw P2"
    refused(game, "call", Refusal.CALL_OWN_DISCARD, seat=0)
    refused(game, "call", Refusal.CALL_NEXT_SEAT, seat=1)


def test_c20_next_player_refuses_and_takes() -> None:
    for rules in ("jamaican_club", "jamaican_consensus call_decider=next_player call_refusal_forces_take=true"):
        called = legal(after_discard(rules=rules), "call")
        assert shown(called, "phase") == "answer P2 to P3"
        after = legal(called, "refuse")
        assert shown(after, "phase") == "play P2"
        assert "8H" in listed(after, "hand P2")
        refused(after, "draw stock", Refusal.ALREADY_DRAWN)
        allowed = legal(called, "allow")
        assert "8H" in listed(allowed, "hand P3")
        assert shown(allowed, "phase") == "draw P2 after call"


def test_c21_game_without_calls() -> None:
    after = after_discard(rules="no_call")
    assert shown(after, "phase") == "draw P2"
    refused(after, "call", Refusal.CALLS_DISABLED, seat=2)


def test_c22_joker_is_not_discarded_for_a_call() -> None:
    refused(before_discard(P1=f"{P1_HAND} JK"), "discard JK", Refusal.JOKER_DISCARD)
