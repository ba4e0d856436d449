"""Compiled loops of the trainers: lanes to their next real decision, sampling, advantages."""

from __future__ import annotations

import numpy as np

from kalooki_env.core import kernel, list_lane, step_listed
from kalooki_env.core.compiled import i64

# Numba's cache looks only at the file of a function: kernels here call nothing outside the package but each other.


@kernel
def advance(states, rules, feas, actions, legal, counts):
    """Carry out an action in each lane, then whatever is forced, and list the legal actions of the next decision.

    Args:
        states: STATE (N,).
        rules: RULES (1,).
        feas: the solver's feasibility table.
        actions: int64 (N,), legal ones; below 0: the lane has just been dealt.
        legal: int16 (N, MAX_ACTIONS): the lists of before, replaced by new ones.
        counts: int64 (N,): lengths of the lists, likewise; 0 where the deal is over.
    """
    for lane in range(states.shape[0]):
        if actions[lane] < 0:
            code = list_lane(states, rules, feas, lane, legal[lane])
        elif counts[lane] > 0:
            code = step_listed(states, rules, feas, lane, actions[lane], legal[lane], counts[lane])
        else:
            continue
        while code >> 8 == 1:
            code = step_listed(states, rules, feas, lane, i64(legal[lane, 0]), legal[lane], 1)
        counts[lane] = code >> 8


@kernel
def masks_of(legal, counts, lanes, masks):
    """Masks from lists of legal actions. `masks`: int8 (n, num_actions), written."""
    for i in range(lanes.shape[0]):
        masks[i, :] = 0
        for k in range(counts[lanes[i]]):
            masks[i, legal[lanes[i], k]] = 1


@kernel
def sample(logits, legal, counts, lanes, uniform, actions, logps):
    """Draw an action from the softmax over the legal logits of each row.

    Args:
        logits: float32 (n, num_actions).
        legal, counts, lanes: lists of legal actions by lane, and the lane of each row.
        uniform: float64 (n,), random numbers from [0, 1).
        actions: int64 (n,), written.
        logps: float32 (n,), written: their log-probabilities.
    """
    for i in range(lanes.shape[0]):
        options = legal[lanes[i]]
        n = counts[lanes[i]]
        top = logits[i, options[0]]
        for k in range(1, n):
            top = max(top, logits[i, options[k]])
        total = 0.0
        for k in range(n):
            total += np.exp(np.float64(logits[i, options[k]] - top))
        aim = uniform[i] * total
        # Rounding may leave a rest after the last option, which is then the choice.
        chosen = options[n - 1]
        for k in range(n):
            aim -= np.exp(np.float64(logits[i, options[k]] - top))
            if aim < 0:
                chosen = options[k]
                break
        actions[i] = chosen
        logps[i] = np.float64(logits[i, chosen] - top) - np.log(total)


@kernel
def advantages(streams, values, rewards, done, potential, gamma, lam, next_row, out):
    """Generalised advantage estimates, stream by stream.

    The decisions of all streams stand in one list, in the order in which they were made. The last decision of a stream whose deal
    goes on only lends its value to the one before.

    Args:
        streams: int64 (n,), stream of each decision.
        values, rewards, potential: float32 (n,).
        done: bool (n,): the stream ended after this decision.
        gamma, lam: discount and GAE's lambda.
        next_row: int64 (streams,), scratch.
        out: float32 (n,), written; NaN for the last decisions of streams that go on.
    """
    next_row[:] = -1
    for i in range(streams.shape[0] - 1, -1, -1):
        stream = i64(streams[i])
        after = next_row[stream]
        if done[i]:
            out[i] = rewards[i] - potential[i] - values[i]
        elif after < 0:
            out[i] = np.nan
        else:
            delta = rewards[i] + gamma * (values[after] + potential[after]) - potential[i] - values[i]
            out[i] = delta if np.isnan(out[after]) else delta + gamma * lam * out[after]
        next_row[stream] = i
