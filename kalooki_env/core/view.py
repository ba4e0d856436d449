"""STATE to VIEW for one seat.

The only place that decides who sees what. And its counterpart: other hidden cards that fit the view.
"""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CARDS, FILL, JOKER, LAYOFF, MELD, MOVE, OVER, PLAY
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.memory import copy_shared_fields
from kalooki_env.core.rng import shuffle, spawn
from kalooki_env.core.step import begin_play


@kernel
def make_view(s, r, seat, v):
    """Fill a VIEW record with what a seat may know (`ACTIONS.md`, section 5).

    Not in it: the stock's cards, other hands beyond their known cards (unless hands are open), the generator, and whether the
    seat whose turn it is could lay down.
    """
    v["observer"] = seat
    for card in range(CARDS):
        v["hand"][card] = s["hands"][seat, card]
    copy_shared_fields(s, v)
    if i64(r["open_hands"]):
        for other in range(i64(r["num_players"])):
            for card in range(CARDS):
                v["known"][CARDS * other + card] = s["hands"][other, card]


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
                for _ in range(i64(s["hands"][other, card]) - i64(s["known"][CARDS * other + card])):
                    pool[size] = card
                    size += 1
    for i in range(i64(s["stock_n"])):
        pool[size] = s["stock"][i]
        size += 1
    shuffle(source, pool, size)
    for other in range(n):
        if other != seat and not open_hands:
            for card in range(CARDS):
                unknown = i64(s["hands"][other, card]) - i64(s["known"][CARDS * other + card])
                s["hands"][other, card] -= unknown
    deal_pool(s, n, seat, pool, size)


@kernel
def deal_pool(s, n, seat, pool, size):
    """Fill the hands of the others to their sizes, and the stock, with the first `size` cards of a pool, the last first."""
    for other in range(n):
        if other != seat:
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
def guess_hidden(v, r, source, pool, s):
    """Fill a STATE record from a seat's VIEW: all that it sees, and the cards that it cannot see dealt at random.

    Args:
        v: VIEW record of the seat to move.
        r: RULES record.
        source: record with the generator to use; the new position's own one comes from it.
        pool: uint8 scratch for a whole deck.
        s: STATE record, written.
    """
    seat = i64(v["observer"])
    n = i64(r["num_players"])
    packs = i64(r["packs"])
    copy_shared_fields(v, s)
    s["can_lay"] = 0
    size = 0
    for card in range(CARDS):
        left = (i64(r["jokers"]) if card == JOKER else packs) - i64(v["pile_count"][card]) - i64(v["table_count"][card])
        for other in range(n):
            held = i64(v["hand"][card] if other == seat else v["known"][CARDS * other + card])
            s["hands"][other, card] = held
            left -= held
        for _ in range(left):
            pool[size] = card
            size += 1
    shuffle(source, pool, size)
    deal_pool(s, n, seat, pool, size)
    s["rng"] = spawn(source)


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
        begin_play(s, r, feas, actor)
        return i64(r["kaluki"]) == 0 or legal_actions(s, r, feas, scratch) >= 1  # what is owed can be laid
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
