"""Loops over lanes from STATE or VIEW to observations: the form in which encoders are called from Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kalooki_env.core.actions import MAX_ACTIONS
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import SEATS, VIEW
from kalooki_env.core.view import make_view
from kalooki_env.observe.encoders import encode
from kalooki_env.observe.schema import PIECES, Observation

#: Size of the longest observation, all pieces at the largest table.
LONGEST = max(sum(piece.size(SEATS, kaluki) for piece in PIECES) for kaluki in (False, True))

#: What the environment of a single table keeps beside its position.
WORKSPACE = np.dtype(
    [
        ("offsets", "i8", (len(PIECES) + 1,)),
        ("scale", "f4", (LONGEST,)),
        ("legal", "i2", (MAX_ACTIONS,)),
        ("row", "u1", (LONGEST,)),
        ("view", VIEW, (1,)),
    ],
    align=True,
)


def workspace(layout: Observation) -> NDArray[np.void]:
    """A workspace for a choice of pieces: WORKSPACE (1,)."""
    work = np.zeros(1, WORKSPACE)
    work[0]["offsets"] = layout.offsets
    work[0]["scale"][: layout.size] = layout.scale
    return work


@kernel
def observe(s, r, seat, views, offsets, row):
    """Observation of a seat from a STATE record. `views`: VIEW (1,), scratch.

    Without open hands what the encoder reads of a STATE is what it would read of the seat's VIEW, so the copy is spared.
    """
    if i64(r["open_hands"]):
        make_view(s, r, seat, views[0])
        encode(views[0], views[0]["hand"][:], seat, r, offsets, row)
    else:
        encode(s, s["hands"][seat], seat, r, offsets, row)


@kernel
def observe_lanes(states, rules, lanes, seats, views, offsets, rows):
    """Observations of one seat of each listed lane, uint8 (n, size), the solver's piece aside."""
    for i in range(lanes.shape[0]):
        observe(states[lanes[i]], rules[0], i64(seats[i]), views, offsets, rows[i])


@kernel
def encode_views(views, rules, offsets, rows):
    """Observations of many VIEW records, uint8 (N, size)."""
    for lane in range(views.shape[0]):
        encode(views[lane], views[lane]["hand"][:], i64(views[lane]["observer"]), rules[0], offsets, rows[lane])


@kernel
def observe_and_mask(states, rules, lane, seat, work, n, out, mask):
    """Observation, float32 (size,), and mask, int8 (num_actions,), of a seat of one lane; legal are the first n listed in `work`.

    `work`: WORKSPACE (1,). One record instead of six arrays, since each array that crosses from Python costs a good part of the
    work here.
    """
    w = work[0]
    # Slices are of the common array type: with the fields themselves all encoders would be compiled a second time.
    row = w["row"][:]
    observe(states[lane], rules[0], seat, w["view"][:], w["offsets"][:], row)
    scale = w["scale"]
    for i in range(out.shape[0]):
        out[i] = row[i] * scale[i]
    mask[:] = 0
    legal = w["legal"]
    for i in range(n):
        mask[legal[i]] = 1
