"""One random generator per lane.

SplitMix64 (Steele, Lea and Flood 2014), whose state is one 64-bit number of the STATE record.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.compiled import i64, kernel

#: From one state to the next.
STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel
def mix(x):
    """Scatter the bits of a 64-bit number."""
    z = np.uint64(x)
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


@kernel
def seeded(seed):
    """Generator state for a seed. Neighbouring seeds give unrelated sequences."""
    return mix(np.uint64(seed) + STEP)


@kernel
def number_below(state, n):
    """The integer from 0 to n - 1 that a generator's state stands for; n up to 2**31.

    The bias of the multiplication is below n / 2**32.
    """
    return i64(((mix(state) >> _32) * np.uint64(n)) >> _32)


@kernel
def below(s, n):
    """A random integer from 0 to n - 1, from any record with an `rng` field; n up to 2**31."""
    state = s["rng"] + STEP
    s["rng"] = state
    return number_below(state, n)


@kernel
def spawn(s):
    """Generator state for another record, from a record's generator, which moves on."""
    state = s["rng"] + STEP
    s["rng"] = state
    return seeded(mix(state))


@kernel
def shuffle(s, cards, n):
    """Shuffle the first n entries of an array in place (Fisher and Yates)."""
    for i in range(n - 1, 0, -1):
        j = below(s, i + 1)
        swap = cards[i]
        cards[i] = cards[j]
        cards[j] = swap
