"""`greedy`: keeps the contract distance smallest, compiled. One decision from one VIEW."""

from __future__ import annotations

import numpy as np

from kalooki_env.core.actions import (
    ALLOW,
    CALL_CARD,
    DISCARD,
    DRAW_STOCK,
    END_TURN,
    LAY_DOWN,
    LAY_OFF,
    PASS,
    PLACE,
    REFUSE,
    TAKE_UPCARD,
)
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CALL, CARDS, DRAW, FILL, JOKER, MELD, PLAY
from kalooki_env.core.memory import stack_array
from kalooki_env.core.outs import keeping_discards, outs_after, sort_by_worth, unseen_copies
from kalooki_env.core.solver import contract_distance, distance_up_to


@kernel
def greedy_action(v, mask, r, feas, dist, scratch):
    """The greedy choice.

    Draws: the upcard if it lowers the distance, or, once opened, if it can be laid off. Lays down, lays off and moves jokers
    as soon as possible. Discards: smallest distance, then most unseen cards that would lower it, then most points; once
    opened, most points. Calls a card that lowers the distance. Answers a call by the best fixed rule: the discarder refuses;
    the next seat refuses only a card that it wants itself.

    Args:
        v: VIEW record of the seat to move.
        mask: int8 (num_actions,).
        r: RULES record.
        feas, dist: the solver's tables.
        scratch: uint8 (5, 53).
    """
    phase = i64(v["phase"])
    if phase == PLAY:
        return play(v, mask, r, feas, dist, scratch)
    if phase == MELD or phase == FILL:
        return first_legal(mask, 0)  # naturals stand before the joker, which is easier to lay off later
    if phase == DRAW:
        if not mask[TAKE_UPCARD]:
            return DRAW_STOCK
        if not mask[DRAW_STOCK] or wants_upcard(v, r, feas, dist):
            return TAKE_UPCARD
        return DRAW_STOCK
    if phase == CALL:
        return CALL_CARD if wants_upcard(v, r, feas, dist) else PASS
    if mask[ALLOW]:
        if i64(r["next_player_decides"]) and not wants_upcard(v, r, feas, dist):
            return ALLOW
        return REFUSE
    # LAYOFF, MOVE: the dearest card.
    best = -1
    for card in range(CARDS):
        if mask[PLACE + card] and (best < 0 or r["points"][card] > r["points"][best]):
            best = card
    return PLACE + best


@kernel
def first_legal(mask, first):
    """The first legal action from a number on, -1 if there is none."""
    for action in range(first, mask.shape[0]):
        if mask[action]:
            return action
    return -1


@kernel
def wants_upcard(v, r, feas, dist):
    """Whether the upcard lowers the contract distance of the observer, or can be laid off by him."""
    seat = i64(v["observer"])
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    if i64(v["opened"][seat]):
        return v["fits"][card] > 0
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = v["hand"][:]
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    if distance == 0:
        return False
    hand[card] += 1
    lower = distance_up_to(hand, r, feas, dist, threes, fours, distance - 1, distance) < distance
    hand[card] -= 1
    return lower


@kernel
def play(v, mask, r, feas, dist, scratch):
    """The choice after the draw."""
    if mask[LAY_DOWN]:
        return LAY_DOWN
    busy = first_legal(mask, LAY_OFF)
    if busy >= 0:
        return busy
    if mask[END_TURN]:
        return END_TURN
    seat = i64(v["observer"])
    if i64(v["opened"][seat]):
        best = i64(-1)
        for card in range(JOKER):
            if mask[DISCARD + card] and (best < 0 or r["points"][card] > r["points"][best]):
                best = card
        return DISCARD + best
    return DISCARD + keep_most_open(v, mask, r, feas, dist, scratch)


@kernel
def keep_most_open(v, mask, r, feas, dist, scratch):
    """The card whose discard keeps the distance smallest; of such the one that leaves most outs, then the dearest."""
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = v["hand"][:]
    keeps, unseen, among = scratch[0], scratch[2], scratch[3]
    unseen_copies(v, hand, i64(v["observer"]), r, unseen)
    after = stack_array(CARDS, np.int8)
    smallest = keeping_discards(hand, r, feas, dist, threes, fours, unseen, keeps, after, among, scratch[4])
    cards = stack_array(JOKER, np.int64)
    n = 0
    for card in range(JOKER):
        if mask[DISCARD + card] and keeps[card]:
            cards[n] = card
            n += 1
    # The dearest first: a cheaper one has to leave more outs, which hardly any can after a card that was of no use.
    sort_by_worth(cards, r["points"], n)
    best, most = i64(-1), i64(-1)
    for k in range(n):
        outs = outs_after(hand, r, feas, dist, threes, fours, unseen, among, smallest, cards[k], most + 1)
        if outs > most:
            best, most = cards[k], outs
    return best
