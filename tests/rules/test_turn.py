"""The turn, discards and the stock, examples U1 to U12.

Left out, since no preset has the value: U3 with `rediscard_taken_upcard: false`.
"""

from __future__ import annotations

from kalooki_env.core import Phase
from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal

from .positions import SPADES, legal, listed, played, position, refused, run, shown, without_calls

#: What P1 may have laid down in deal 1.
OPENED = "AS AH AD + 7S 7H 7D + TS TH TD"
#: Three fours of deal 4 that nothing can be laid off onto.
FULL_RUNS = " + ".join(f"{run(suit, 'A23456789TJQKA')}" for suit in "SHD")


def test_u1_no_discard_before_the_draw() -> None:
    refused(position("draw P1", P1="8H 2C", pile="5C"), "discard 8H", Refusal.NOT_DRAWN)


def test_u2_only_the_top_card_may_be_taken() -> None:
    game = position("draw P1", P1="2C", pile="8H 5C")
    refused(game, "take 5C", Refusal.NOT_THE_UPCARD)
    assert listed(legal(game, "take 8H"), "pile") == ["5C"]


def test_u3_taken_upcard_may_be_thrown_back() -> None:
    after = played(position("draw P1", P1="2C KD", pile="8H 5C"), "take 8H", "discard 8H")
    assert listed(after, "pile") == ["8H", "5C"]
    assert listed(after, "hand P1") == ["KD", "2C"]


def test_u4_joker_is_never_discarded() -> None:
    refused(position(P1="8H 2C JK"), "discard JK", Refusal.JOKER_DISCARD)
    refused(position(melds={"P1": OPENED}, P1="8H 2C JK"), "discard JK", Refusal.JOKER_DISCARD)


def test_u5_joker_stays_when_the_last_natural_is_discarded() -> None:
    after = legal(position(melds={"P1": OPENED}, P1="9S JK"), "discard 9S")
    assert listed(after, "hand P1") == ["JK"]
    assert after.phase is not Phase.OVER


def test_u6_hand_of_jokers_that_fit_nowhere() -> None:
    game = position("draw P1", deal=4, melds={"P1": FULL_RUNS}, P1="JK", stock="JK", pile="5C")
    drawn = legal(game, "draw stock")
    assert drawn.legal_actions() == ["end turn"]
    refused(drawn, "lay off JK onto P1/1 high", Refusal.BEYOND_THE_ACE)
    refused(drawn, "discard JK", Refusal.JOKER_DISCARD)
    after = legal(drawn, "end turn")
    assert shown(after, "phase") == "draw P2"
    assert listed(after, "hand P1") == ["JK", "JK"]
    assert listed(after, "pile") == ["5C"]


def test_u7_lay_off_then_last_discard() -> None:
    melds = {"P1": OPENED, "P2": "9H 9D 9C + QS QH QD + KS KH KD"}
    after = played(position("draw P1", melds=melds, P1="4C", stock="9S"), "draw stock", "lay off 9S onto P2/1", "discard 4C")
    assert shown(after, "phase") == "over P1"
    assert after.outcome is not None
    assert after.outcome.scores[0] == -50


def test_u8_stock_is_renewed_from_the_pile() -> None:
    twelve = "8H AS 2H 3D 4C 6S 7H 9D TC JS QH KD"
    after = legal(position("draw P1", P1="2C", pile=twelve, rest="P4"), "draw stock")
    assert listed(after, "pile") == ["8H"]
    assert len(listed(after, "stock")) == 10
    drawn = set(listed(after, "hand P1")) - {"2C"}
    assert {*drawn, *listed(after, "stock")} == set(twelve.split()[1:])
    assert shown(after, "reshuffles") == "1"


def test_u9_last_upcard_must_be_taken() -> None:
    game = position("draw P1", P1="2C", pile="8H", rest="P4")
    assert game.legal_actions() == ["take upcard"]
    refused(game, "draw stock", Refusal.STOCK_EXHAUSTED)
    assert listed(legal(game, "take 8H"), "hand P1") == ["8H", "2C"]


def test_u10_nothing_to_draw_blocks_the_deal() -> None:
    """Only a seat that ends its turn without a discard leaves an empty pile."""
    after = legal(position(deal=4, melds={"P1": FULL_RUNS}, P1="JK", rest="P4"), "end turn")
    assert shown(after, "phase") == "over blocked"
    assert after.outcome is not None
    assert after.outcome.is_blocked
    assert min(after.outcome.scores) >= 0


def test_u11_four_players_are_blocked_after_240_turns() -> None:
    game = Game("jamaican_consensus", 4, seed=1)
    for turn in range(1, 241):
        assert game.phase is Phase.DRAW
        game.do("draw stock")
        game.do(f"discard {game.hand((turn - 1) % 4)[0]}")
        while game.phase is Phase.CALL:
            game.do("pass")
        assert shown(game, "turns") == str(turn)
    assert shown(game, "phase") == "over blocked"


def test_u12_three_players_who_only_exchange_upcards() -> None:
    game = Game("no_call set_min_naturals=2", 3, seed=1)
    hands = [game.hand(seat) for seat in range(3)]
    for turn in range(180):
        assert shown(game, "turns") == str(turn)
        upcard = listed(game, "pile")[0]
        game.do("take upcard").do(f"discard {upcard}")
    assert shown(game, "phase") == "over blocked"
    assert [game.hand(seat) for seat in range(3)] == hands
    last = position("play P3", players=3, turns=179, P3="8H 2C")
    assert shown(without_calls(legal(position("play P3", players=3, turns=178, P3="8H 2C"), "discard 8H")), "phase") == "draw P1"
    assert shown(legal(last, "discard 8H"), "phase") == "over blocked"


def test_full_runs_are_full() -> None:
    """The melds of U6 and U10 use every place."""
    assert FULL_RUNS.startswith(f"{SPADES} AS + ")
