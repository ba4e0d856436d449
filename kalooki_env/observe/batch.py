"""Loops over lanes from STATE or VIEW to observations: the form in which encoders are called from Python."""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.view import make_view
from kalooki_env.observe.encoders import encode, to_float


@kernel
def observe(s, r, seat, views, offsets, row):
    """Observation of a seat from a STATE record. `views`: VIEW (1,), scratch.

    Without open hands what the encoder reads of a STATE is what it would read of the seat's VIEW, so the copy is spared.
    """
    if i64(r["open_hands"]):
        make_view(s, r, seat, views[0])
        encode(views[0], views[0]["hand"], seat, r, offsets, row)
    else:
        encode(s, s["hands"][seat], seat, r, offsets, row)


@kernel
def observe_lane(states, rules, lane, seat, views, offsets, row):
    """Observation of a seat of one lane into `row`, uint8 (size,). `views`: VIEW (1,), scratch."""
    observe(states[lane], rules[0], seat, views, offsets, row)


@kernel
def observe_lane_float(states, rules, lane, seat, views, offsets, row, scale, out):
    """As `observe_lane`, scaled to float32 (size,) in `out`; `row` is scratch."""
    observe(states[lane], rules[0], seat, views, offsets, row)
    to_float(row, scale, out)


@kernel
def encode_views(views, rules, offsets, rows):
    """Observations of many VIEW records, uint8 (N, size)."""
    for lane in range(views.shape[0]):
        encode(views[lane], views[lane]["hand"], i64(views[lane]["observer"]), rules[0], offsets, rows[lane])


@kernel
def observe_and_mask(states, rules, lane, seat, views, offsets, row, scale, out, legal, n, mask):
    """`observe_lane_float`, and the seat's mask, int8 (num_actions,), from the first n legal actions of a list."""
    observe(states[lane], rules[0], seat, views, offsets, row)
    to_float(row, scale, out)
    mask[:] = 0
    for i in range(n):
        mask[legal[i]] = 1
