"""Carrying out an action: the phase machine of a deal (J5 to J12). Legality is the business of `legal.py`."""

from __future__ import annotations

from kalooki_env.core.actions import (
    ALLOW,
    CALL_CARD,
    DISCARD,
    DRAW_STOCK,
    END_TURN,
    FOUR_OF,
    LAY_DOWN,
    LAY_OFF,
    LOWS,
    PASS,
    PLACE,
    REFUSE,
    TAKE_UPCARD,
    THREE_OF,
    absolute_slot,
)
from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.deal import back_to_play, draw_from_stock, end_deal, play_from_hand, stock_can_give, take_upcard
from kalooki_env.core.kaluki.legal import can_take_upcard
from kalooki_env.core.kaluki.step import begin_kaluki_play, kaluki_apply, owe_upcard
from kalooki_env.core.layout import ANSWER, CALL, CARDS, DRAW, FILL, FOUR, JOKER, LAYOFF, MELD, MELDS_PER_SEAT, MOVE, PLAY, THREE
from kalooki_env.core.legal import draw_actions, place_actions
from kalooki_env.core.melds import add_to_four, add_to_three, lay_off_place, move_joker, note_fits
from kalooki_env.core.solver import can_meet


@kernel
def apply(s, r, feas, action, scratch):
    """Carry out a legal action, then whatever has no choice in it (auto-fill, the next seat to ask).

    Args:
        s: STATE record.
        r: RULES record.
        feas: the solver's feasibility table.
        action: a legal action's number.
        scratch: int16 array with room for all actions.
    """
    seat = i64(s["actor"])
    if action < PLACE:
        discard(s, r, seat, action - DISCARD)
    elif i64(r["kaluki"]) and action != DRAW_STOCK and action != TAKE_UPCARD:
        kaluki_apply(s, r, action, scratch)
    elif action < DRAW_STOCK:
        place(s, r, seat, action - PLACE)
        auto_fill(s, r, feas, scratch)
    elif action == DRAW_STOCK:
        # Whether the upcard could have been laid, which Kaluki may ask for, is the seat's secret.
        if i64(s["pile_n"]) > 0 if i64(r["kaluki"]) else draw_actions(s, r, scratch) == 2:
            upcard = s["pile"][i64(s["pile_n"]) - 1]
            draw_from_stock(s, seat)
            s["declined"][CARDS * seat + upcard] += 1
        else:
            draw_from_stock(s, seat)
        begin_play(s, r, feas, seat)
    elif action == TAKE_UPCARD:
        if i64(r["kaluki"]):
            owe_upcard(s, r, seat, i64(s["pile"][i64(s["pile_n"]) - 1]))
        take_upcard(s, seat)
        begin_play(s, r, feas, seat)
    elif action == CALL_CARD:
        s["calls_made"][seat] += 1
        s["caller"] = seat
        s["actor"] = next_seat(s, r) if i64(r["next_player_decides"]) else s["turn"]
        s["phase"] = ANSWER
    elif action == PASS:
        players = i64(r["num_players"])
        ask_next(s, r, wrap(seat - i64(s["turn"]) + players, players) + 1)
    elif action == ALLOW:
        caller = i64(s["caller"])
        s["answers_allow"][seat] += 1
        s["calls_allowed"][caller] += 1
        take_upcard(s, caller)
        draw_from_stock(s, caller)
        begin_draw(s, r, 1)
    elif action == REFUSE:
        s["answers_refuse"][seat] += 1
        if i64(r["refusal_takes"]):
            begin_draw(s, r, 0)
            take_upcard(s, seat)
            begin_play(s, r, feas, seat)
        else:
            begin_draw(s, r, 0)
    elif action == LAY_DOWN:
        deal = i64(s["deal"]) - 1
        s["threes_left"] = r["threes"][deal]
        s["fours_left"] = r["fours"][deal]
        s["used_ranks"] = 0
        s["used_suits"] = 0
        s["can_lay"] = 0
        s["phase"] = MELD
    elif action == END_TURN:
        s["known"][CARDS * seat + JOKER] = s["hand_n"][seat]  # J10.3: with any other card the seat would have had to discard it
        end_turn(s, r, 0)
    elif action < LAY_OFF:
        begin_meld(s, seat, action)
        auto_fill(s, r, feas, scratch)
    else:
        relative = action - LAY_OFF
        s["phase"] = LAYOFF
        if relative >= 2 * MELDS_PER_SEAT * i64(r["max_seats"]):
            relative -= 2 * MELDS_PER_SEAT * i64(r["max_seats"])
            s["phase"] = MOVE
        s["target"] = absolute_slot(relative // 2, seat, i64(r["num_players"]))
        s["target_high"] = relative % 2
        auto_fill(s, r, feas, scratch)


@kernel
def next_seat(s, r):
    """The seat whose turn comes next."""
    return wrap(i64(s["turn"]) + 1, i64(r["num_players"]))


@kernel
def begin_draw(s, r, after_call):
    """Give the turn to the next seat, or block the deal if it could draw nothing (J12.3, KL4.1)."""
    seat = next_seat(s, r)
    s["turn"] = seat
    s["actor"] = seat
    s["caller"] = 0
    s["opened_now"] = 0
    s["after_call"] = after_call
    s["phase"] = DRAW
    if not stock_can_give(s, r):
        if i64(s["pile_n"]) == 0 or (i64(r["kaluki"]) and not can_take_upcard(s, r)):
            end_deal(s, r, -1)


@kernel
def begin_play(s, r, feas, seat):
    """After the draw."""
    s["phase"] = PLAY
    s["after_call"] = 0
    if i64(r["kaluki"]):
        begin_kaluki_play(s, r, seat)
        return
    deal = i64(s["deal"]) - 1
    s["can_lay"] = i64(s["opened"][seat]) == 0 and can_meet(
        s["hands"][seat], r, feas, i64(r["threes"][deal]), i64(r["fours"][deal]), i64(0), i64(0)
    )


@kernel
def begin_meld(s, seat, action):
    """Name the next meld of a lay-down."""
    if action < FOUR_OF:
        kind, key, low = THREE, action - THREE_OF, 0
        s["threes_left"] -= 1
        s["used_ranks"] = i64(s["used_ranks"]) | (1 << key)
    else:
        kind, key, low = FOUR, (action - FOUR_OF) // LOWS, (action - FOUR_OF) % LOWS
        s["fours_left"] -= 1
        s["used_suits"] = i64(s["used_suits"]) | (1 << key)
    slot = MELDS_PER_SEAT * seat + i64(s["meld_n"][seat])
    s["meld_kind"][slot] = kind
    s["meld_key"][slot] = key
    s["meld_low"][slot] = low
    s["meld_kind_now"] = kind
    s["meld_key_now"] = key
    s["meld_low_now"] = low
    s["phase"] = FILL


@kernel
def auto_fill(s, r, feas, scratch):
    """Place cards as long as there is exactly one that may be placed (`ACTIONS.md`, section 2.5)."""
    while s["phase"] == FILL or s["phase"] == LAYOFF or s["phase"] == MOVE:
        if place_actions(s, r, feas, scratch) != 1:
            return
        place(s, r, i64(s["actor"]), i64(scratch[0]) - PLACE)


@kernel
def place(s, r, seat, card):
    """Put a card from the hand where the phase says."""
    phase = i64(s["phase"])
    play_from_hand(s, seat, card)
    if phase == FILL:
        slot = MELDS_PER_SEAT * seat + i64(s["meld_n"][seat])
        if i64(s["meld_kind_now"]) == THREE:
            add_to_three(s, slot, card)
            full = i64(s["meld_len"][slot]) == 3
        else:
            add_to_four(s, slot, i64(s["meld_low"][slot]) + i64(s["meld_len"][slot]), card)
            full = i64(s["meld_len"][slot]) == 4
        if full:
            end_meld(s, r, seat)
        return
    slot = i64(s["target"])
    high = i64(s["target_high"])
    if phase == MOVE:
        move_joker(s, slot, high, card)
    elif i64(s["meld_kind"][slot]) == THREE:
        add_to_three(s, slot, card)
    else:
        add_to_four(s, slot, lay_off_place(s, r, slot, high), card)
    s["target"] = 0
    s["target_high"] = 0
    note_fits(s, r)
    back_to_play(s, r, seat)


@kernel
def end_meld(s, r, seat):
    """A meld of the contract lies; with the last one the seat has opened (J7)."""
    s["meld_n"][seat] += 1
    s["meld_kind_now"] = 0
    s["meld_key_now"] = 0
    s["meld_low_now"] = 0
    if i64(s["threes_left"]) + i64(s["fours_left"]) > 0:
        s["phase"] = MELD
        return
    s["used_ranks"] = 0
    s["used_suits"] = 0
    s["opened"][seat] = 1
    s["opened_now"] = 1
    note_fits(s, r)
    back_to_play(s, r, seat)


@kernel
def discard(s, r, seat, card):
    """Discard, which ends the turn or the deal (J10)."""
    play_from_hand(s, seat, card)
    n = i64(s["pile_n"])
    s["pile"][n] = card
    s["pile_n"] = n + 1
    s["pile_count"][card] += 1
    s["discarded"][CARDS * seat + card] += 1
    if i64(s["hand_n"][seat]) == 0 and i64(s["opened"][seat]):
        end_deal(s, r, seat)
    else:
        end_turn(s, r, 1)


@kernel
def end_turn(s, r, discarded):
    """Count the turn; then the cap, the call window, or the next draw (J6.1, J10.3, J12.4)."""
    s["turns"] += 1
    s["can_lay"] = 0
    s["opened_now"] = 0
    if i64(s["turns"]) >= i64(r["max_turns"]):
        end_deal(s, r, -1)
    elif discarded and call_possible(s, r):
        ask_next(s, r, 2)
    else:
        begin_draw(s, r, 0)


@kernel
def call_possible(s, r):
    """Whether the stock allows a call: a penalty card, and then a card for the next seat (J6.2e, J12.2)."""
    if not i64(r["calls_enabled"]):
        return False
    stock = i64(s["stock_n"])
    pile = i64(s["pile_n"])
    if stock > 0:
        return stock + pile >= 3
    return pile >= 3 and i64(s["reshuffles"]) < i64(r["reshuffle_max"])


@kernel
def ask_next(s, r, first):
    """Ask the next seat that may call, `first` seats or more after the discarder.

    If there is none, the next seat draws (J6.3).
    """
    players = i64(r["num_players"])
    turn = i64(s["turn"])
    for i in range(first, players):
        seat = wrap(turn + i, players)
        if i64(s["opened"][seat]) == 0 and i64(s["calls_allowed"][seat]) < i64(r["call_max"]):
            s["actor"] = seat
            s["phase"] = CALL
            return
    begin_draw(s, r, 0)
