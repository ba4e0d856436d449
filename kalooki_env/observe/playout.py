"""Random play of a batch, wholly compiled: what the engine does when nobody has to think. For measurements."""

from __future__ import annotations

import numpy as np

from kalooki_env.core.batch import write_mask
from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.deal import shuffled_deal
from kalooki_env.core.layout import MAX_DECK, OVER
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.memory import stack_array
from kalooki_env.core.rng import below
from kalooki_env.core.step import apply
from kalooki_env.observe.batch import observe


@kernel
def play_random(states, rules, feas, offsets, views, masks, rows, legal, decisions):
    """Every lane makes so many random decisions, with the mask and the observation of the seat to move written before each.

    A lane whose deal is over deals the next number, after the last one the first again, with the dealer one seat further: so all
    deals are played equally often. No lane may be over at the start.

    Args:
        states: STATE (N,), changed.
        rules: RULES (1,).
        feas: the solver's feasibility table.
        offsets: int64, the observation's pieces (`Observation.offsets`), without the solver's.
        views: VIEW (1,), scratch.
        masks: int8 (N, num_actions), written.
        rows: uint8 (N, size), written.
        legal: int16 (MAX_ACTIONS,), scratch.
        decisions: decisions of each lane.

    Returns:
        Number of deals that ended.
    """
    r = rules[0]
    players = i64(r["num_players"])
    deck = stack_array(MAX_DECK, np.uint8)
    ended = 0
    for _ in range(decisions):
        for lane in range(states.shape[0]):
            s = states[lane]
            n = legal_actions(s, r, feas, legal)
            write_mask(legal, n, masks[lane])
            observe(s, r, i64(s["actor"]), views, offsets, rows[lane])
            apply(s, r, feas, i64(legal[below(s, n)]), legal)
            if s["phase"] == OVER:
                ended += 1
                shuffled_deal(s, r, i64(s["deal"]) % i64(r["deals"]) + 1, wrap(i64(s["dealer"]) + 1, players), deck)
    return ended
