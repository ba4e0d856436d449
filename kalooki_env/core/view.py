"""STATE to VIEW for one seat: the only place that decides who sees what. And its counterpart: other hidden cards that fit the view.

Seats and meld slots of a VIEW count from the observer, clockwise.
"""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CARDS, FILL, LAYOFF, MELD, MELDS_PER_SEAT, MOVE, OVER, PLAY
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.rng import below
from kalooki_env.core.solver import can_meet


@kernel
def make_view(s, r, seat, v):
    """Fill a VIEW record with what a seat may know (`ACTIONS.md`, section 5). Rows of absent seats are zeros.

    Not in it: the stock's cards, other hands beyond their known cards (unless hands are open), the generator, and whether the
    seat whose turn it is could lay down.
    """
    n = i64(r["num_players"])
    deal = i64(s["deal"])
    v["num_players"] = n
    v["packs"] = r["packs"]
    v["deal"] = deal
    v["contract_threes"] = r["threes"][deal - 1]
    v["contract_fours"] = r["fours"][deal - 1]
    v["hand_size"] = r["hand_size"][deal - 1]
    v["turns"] = s["turns"]
    v["used_ranks"] = s["used_ranks"]
    v["used_suits"] = s["used_suits"]
    v["phase"] = s["phase"]
    v["after_call"] = s["after_call"]
    v["opened_now"] = s["opened_now"]
    v["reshuffles"] = s["reshuffles"]
    v["threes_left"] = s["threes_left"]
    v["fours_left"] = s["fours_left"]
    v["meld_kind_now"] = s["meld_kind_now"]
    v["meld_key_now"] = s["meld_key_now"]
    v["meld_low_now"] = s["meld_low_now"]
    v["target_high"] = s["target_high"]
    v["stock_n"] = s["stock_n"]
    v["pile_n"] = s["pile_n"]
    v["dealer"] = (i64(s["dealer"]) - seat + n) % n
    v["turn"] = (i64(s["turn"]) - seat + n) % n
    v["actor"] = (i64(s["actor"]) - seat + n) % n
    v["caller"] = (i64(s["caller"]) - seat + n) % n
    v["winner"] = (i64(s["winner"]) - seat + n) % n if i64(s["winner"]) >= 0 else -1
    target = i64(s["target"])
    v["target"] = (target // MELDS_PER_SEAT - seat + n) % n * MELDS_PER_SEAT + target % MELDS_PER_SEAT
    for card in range(CARDS):
        v["hand"][card] = s["hands"][seat, card]
        v["pile_count"][card] = s["pile_count"][card]
        v["table_count"][card] = s["table_count"][card]
    for i in range(i64(s["pile_n"])):
        v["pile"][i] = s["pile"][i]
    open_hands = i64(r["open_hands"])
    for i in range(n):
        other = seat + i if seat + i < n else seat + i - n
        v["scores"][i] = s["scores"][other]
        v["hand_n"][i] = s["hand_n"][other]
        v["opened"][i] = s["opened"][other]
        v["meld_n"][i] = s["meld_n"][other]
        v["calls_made"][i] = s["calls_made"][other]
        v["calls_allowed"][i] = s["calls_allowed"][other]
        v["answers_allow"][i] = s["answers_allow"][other]
        v["answers_refuse"][i] = s["answers_refuse"][other]
        for k in range(MELDS_PER_SEAT):
            to = MELDS_PER_SEAT * i + k
            slot = MELDS_PER_SEAT * other + k
            v["meld_kind"][to] = s["meld_kind"][slot]
            v["meld_key"][to] = s["meld_key"][slot]
            v["meld_low"][to] = s["meld_low"][slot]
            v["meld_len"][to] = s["meld_len"][slot]
            v["meld_bits"][to] = s["meld_bits"][slot]
        for card in range(CARDS):
            v["known"][i, card] = s["hands"][other, card] if open_hands else s["known"][other, card]
        for card in range(CARDS):
            v["discarded"][i, card] = s["discarded"][other, card]
        for card in range(CARDS):
            v["declined"][i, card] = s["declined"][other, card]


@kernel
def clear_view(v):
    """Zero the parts of a VIEW that `make_view` fills only as far as the position reaches."""
    v["pile"][:] = 0
    v["scores"][:] = 0
    v["hand_n"][:] = 0
    v["opened"][:] = 0
    v["meld_n"][:] = 0
    v["calls_made"][:] = 0
    v["calls_allowed"][:] = 0
    v["answers_allow"][:] = 0
    v["answers_refuse"][:] = 0
    v["meld_kind"][:] = 0
    v["meld_key"][:] = 0
    v["meld_low"][:] = 0
    v["meld_len"][:] = 0
    v["meld_bits"][:] = 0
    v["known"][:, :] = 0
    v["discarded"][:, :] = 0
    v["declined"][:, :] = 0


@kernel
def permute_hidden(s, r, seat, source, pool):
    """Deal the cards that a seat cannot see anew, at random: the stock's, and those of other hands that are not known.

    Hand sizes and the number of cards in the stock stay. Nothing visible to the seat changes.

    Args:
        s: STATE record, changed in place.
        r: RULES record.
        seat: the observer.
        source: record with the generator to use.
        pool: uint8 scratch for a whole deck.
    """
    n = i64(r["num_players"])
    size = 0
    open_hands = i64(r["open_hands"])
    for other in range(n):
        if other != seat and not open_hands:
            for card in range(CARDS):
                for _ in range(i64(s["hands"][other, card]) - i64(s["known"][other, card])):
                    pool[size] = card
                    size += 1
    for i in range(i64(s["stock_n"])):
        pool[size] = s["stock"][i]
        size += 1
    for i in range(size - 1, 0, -1):
        j = below(source, i + 1)
        swap = pool[i]
        pool[i] = pool[j]
        pool[j] = swap
    for other in range(n):
        if other != seat and not open_hands:
            for card in range(CARDS):
                unknown = i64(s["hands"][other, card]) - i64(s["known"][other, card])
                s["hands"][other, card] -= unknown
            held = 0
            for card in range(CARDS):
                held += i64(s["hands"][other, card])
            for _ in range(i64(s["hand_n"][other]) - held):
                size -= 1
                s["hands"][other, pool[size]] += 1
    for i in range(i64(s["stock_n"])):
        size -= 1
        s["stock"][i] = pool[size]


@kernel
def agrees(s, r, feas, seat, scratch):
    """After `permute_hidden`: whether the new hand of the seat to move allows what it has begun; brings `can_lay` up to date.

    In the midst of a lay-down the contract must be possible; in FILL, LAYOFF and MOVE auto-fill leaves only real choices open.
    """
    actor = i64(s["actor"])
    phase = i64(s["phase"])
    if actor == seat or phase == OVER:
        return True
    if phase == PLAY:
        deal = i64(s["deal"]) - 1
        s["can_lay"] = i64(s["opened"][actor]) == 0 and can_meet(
            s["hands"][actor], r, feas, i64(r["threes"][deal]), i64(r["fours"][deal]), 0, 0
        )
        return True
    if phase == MELD:
        return legal_actions(s, r, feas, scratch) >= 1
    if phase == FILL or phase == LAYOFF or phase == MOVE:
        return legal_actions(s, r, feas, scratch) >= 2
    return True


@kernel
def put_on_top(s, card):
    """Bring a card of the stock to its top, so that it is drawn next; False if the stock does not hold it."""
    n = i64(s["stock_n"])
    for i in range(n - 1, -1, -1):
        if s["stock"][i] == card:
            s["stock"][i] = s["stock"][n - 1]
            s["stock"][n - 1] = card
            return True
    return False
