"""What the lanes of matches need of compiled code: who sits at a smaller table, and how the next deal is dealt.

Seats of a lane are those of its match. In a sudden death some of them play at a table of their own, with seats of its own; `t` is
the LANE record that says which.
"""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.deal import shuffled_deal
from kalooki_env.core.rng import below, seeded


@kernel
def seat_of_lane(t, seat):
    """Seat of the lane of a seat at its table."""
    return i64(t["of_match"][seat]) if i64(t["table"]) else seat


@kernel
def seat_at_table(t, seat):
    """Seat at the table of a seat of the lane, -1 if it does not play."""
    return i64(t["at_table"][seat]) if i64(t["table"]) else seat


@kernel
def deal_next(s, t, r, deck):
    """Shuffle and deal the deal that comes next in a match."""
    t["waits_for"] = 0
    s["rng"] = seeded(t["deal_seed"])
    shuffled_deal(s, r, i64(t["deal"]), i64(t["dealing"]), deck)


@kernel
def draw_place(lanes, lane, seats):
    """A place behind the dealer, from the generator of a lane."""
    return below(lanes[lane], seats)
