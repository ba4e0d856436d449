"""The `solver` piece of an observation.

A solver's answers about the own hand. Dearer than all other pieces together, and optional.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.kaluki.cover import most_points
from kalooki_env.core.layout import CARDS, FILL, MELD, OVER, PLAY
from kalooki_env.core.memory import stack_array
from kalooki_env.core.outs import best_discards, unseen_copies
from kalooki_env.core.solver import contract_distance, lowering_cards
from kalooki_env.core.view import make_view
from kalooki_env.observe.kaluki import KALUKI_SOLVER_SIZE, encode_kaluki_solver

#: Rows of scratch space, uint8 (SCRATCH, 53).
SCRATCH = 5

# Parts of the piece: distance, cards that lower it, discards that keep it smallest, what those leave open, the upcard lowers
# it.
LOWERS, KEEPS, OUTS, UPCARD_LOWERS = 1, 54, 107, 160
#: Its size.
SIZE = UPCARD_LOWERS + 1


@kernel
def encode_solver(v, hand, seat, r, feas, dist, out, scratch):
    """Write the `solver` piece of a seat; zeros once it has opened or is laying down, and when the deal is over.

    What discards leave open is computed only for the seat that is about to discard.

    Args:
        v: VIEW record of the seat.
        hand: uint8 (53,), the seat's own cards; changed on the way, the same again on return.
        seat: the observer.
        r: RULES record.
        feas, dist: the solver's tables.
        out: uint8 (161,), the piece; in Kaluki (108,).
        scratch: uint8 (SCRATCH, 53).
    """
    out[:] = 0
    if i64(r["kaluki"]):
        encode_kaluki_solver(v, hand, seat, r, out)
        return
    phase = i64(v["phase"])
    mine = i64(v["actor"]) == seat
    if i64(v["opened"][seat]) or phase == OVER or (mine and (phase == MELD or phase == FILL)):
        return
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    out[0] = distance
    lowering, everything = scratch[0], scratch[1]
    everything[:] = 1
    lowering_cards(hand, r, feas, dist, threes, fours, distance, everything, lowering)
    for card in range(CARDS):
        out[LOWERS + card] = lowering[card]
    if i64(v["pile_n"]) > 0:
        out[UPCARD_LOWERS] = lowering[i64(v["pile"][i64(v["pile_n"]) - 1])]
    if mine and phase == PLAY:
        unseen_copies(v, hand, seat, r, scratch[1])
        after = stack_array(CARDS, np.int8)
        keeps, outs = out[KEEPS : KEEPS + CARDS], out[OUTS : OUTS + CARDS]
        best_discards(hand, r, feas, dist, threes, fours, scratch[1], keeps, outs, after, scratch[2], scratch[3])


@kernel
def from_state(s, r, feas, dist, seat, views, out, scratch):
    """`encode_solver` from a STATE record, by way of the seat's VIEW. `views`: VIEW (1,), scratch."""
    make_view(s, r, seat, views[0])
    encode_solver(views[0], views[0]["hand"][:], seat, r, feas, dist, out, scratch)


@kernel
def solve_lanes(states, rules, feas, dist, lanes, seats, views, rows, first, scratch):
    """The solver's piece for `observe_lanes`, into `rows[:, first:]`."""
    for i in range(lanes.shape[0]):
        piece = rows[i][first : first + (KALUKI_SOLVER_SIZE if i64(rules[0]["kaluki"]) else SIZE)]
        from_state(states[lanes[i]], rules[0], feas, dist, i64(seats[i]), views, piece, scratch)


@kernel
def seat_distance(s, r, feas, dist, seat):
    """Contract distance of a hand, 0 once opened or while laying down; in Kaluki tens of points that are missing to open."""
    if i64(r["kaluki"]):
        if i64(s["opened"][seat]) or (seat == i64(s["actor"]) and (s["phase"] == MELD or s["phase"] == FILL)):
            return i64(0)
        return max(i64(0), i64(r["opening_points"]) + 9 - most_points(s["hands"][seat], r, i64(r["keeps_a_discard"]))) // 10
    # A seat that is laying down has the rest of its contract in hand; the solver would count the whole contract.
    if i64(s["opened"][seat]) or (seat == i64(s["actor"]) and (s["phase"] == MELD or s["phase"] == FILL)):
        return i64(0)
    deal = i64(s["deal"]) - 1
    return contract_distance(s["hands"][seat], r, feas, dist, i64(r["threes"][deal]), i64(r["fours"][deal]))


@kernel
def distances_of_lane(states, rules, feas, dist, lane, out):
    """`seat_distance` of every seat. `out`: int64 (num_players,), written."""
    for seat in range(out.shape[0]):
        out[seat] = seat_distance(states[lane], rules[0], feas, dist, seat)
