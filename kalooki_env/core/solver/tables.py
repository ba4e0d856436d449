"""Tables of the solver: small constants, and the big tables that are built at first use and kept on disk.

How cards are packed inside the solver. A *suit word* holds the number of copies of the card of each place of a suit, four bits a
place, place 0 (low ace) lowest. Place 13 (high ace) repeats place 0, and whoever takes the ace takes it from both. A *rank word*
holds the number of naturals of each rank, four bits a rank. Both fit into an int64: the search copies one number, not arrays.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.core.cache import cache_root
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.memory import stack_array, stack_zeros

#: Bits of a rank word; a suit word has four more, for the high ace.
RANK_BITS = (1 << 52) - 1
#: The lowest bit of each of the 14 places.
SUIT_ONES = ((1 << 56) - 1) // 15
#: Lowest places that a four may have (J2.1), 0 to 10.
LOWS = 11
#: A number of jokers that nobody has.
IMPOSSIBLE = 99
#: Number of count vectors of a suit with at most two copies of each card, read as numbers of base 3, aces last.
VECTORS = 3**13

#: The places of a four that jokers may take without being neighbours (J3.4), fewest first.
JOKER_MASKS = np.array([0b0000, 0b0001, 0b0010, 0b0100, 0b1000, 0b0101, 0b1001, 0b1010], np.int64)
#: Set bits of each pattern of four places.
ONES = np.array([mask.bit_count() for mask in range(16)], np.int64)
#: `TAKE[16 * low + pattern]`: what a suit word loses if the naturals of these places of the four from `low` are taken.
TAKE = np.array(
    [
        sum((1 << 4 * (low + i)) | ((1 | 1 << 52) if low + i in (0, 13) else 0) for i in range(4) if pattern >> i & 1)
        for low in range(LOWS)
        for pattern in range(16)
    ],
    np.int64,
)

#: `STUCK[pattern]`: of the missing places of a four, how many cannot be jokers because jokers may not be neighbours (J3.4).
STUCK = np.array(
    [min(missing.bit_count() - (missing & int(m)).bit_count() for m in JOKER_MASKS) for missing in range(16)], np.int64
)
#: Set bits of each byte.
BYTE_ONES = np.array([byte.bit_count() for byte in range(256)], np.int64)

#: Kinds of threes by (cards missing, of these cards that cannot be jokers), cheapest first. What is dearer comes in any number.
KINDS_OF_THREE = ((0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1))


def _threes_of_rank(naturals: int, fewest: int, distinct: bool) -> int:
    """The threes that a rank with so many naturals in the hand offers, as counts of `KINDS_OF_THREE`, eight bits each.

    `k` threes of one rank lack `3k - naturals` cards, of which at most `3 - fewest` a three may be jokers (J3.4, J3.5: with three
    cards the second bound follows from the first). Each further three costs at least as much as the one before in both respects,
    so a rank's threes can be listed one by one, and the cheapest of all ranks taken in any order.
    """
    counts = 0
    before = (0, 0)
    for k in range(1, 2 if distinct else 5):
        missing = max(0, 3 * k - naturals)
        total = (missing, max(0, missing - (3 - fewest) * k))
        kind = (total[0] - before[0], total[1] - before[1])
        if kind in KINDS_OF_THREE:
            counts += 1 << 8 * KINDS_OF_THREE.index(kind)
        before = total
    return counts


#: `RANK_THREES[32 * distinct_ranks + 16 * (set_min_naturals - 1) + naturals]`: see `_threes_of_rank`.
RANK_THREES = np.array(
    [_threes_of_rank(n, fewest, distinct) for distinct in (False, True) for fewest in (1, 2) for n in range(16)], np.int64
)


#: The same for two ranks at once, whose naturals are the low and the high four bits of the last eight bits of the index.
RANK_PAIR_THREES = np.array(
    [
        RANK_THREES[16 * rules + low] + RANK_THREES[16 * rules + high]
        for rules in range(4)
        for high in range(16)
        for low in range(16)
    ],
    np.int64,
)


def _spreads(most: int) -> list[list[int]]:
    """For 0 to 4 fours: how many of them each suit may hold, four bits a suit, no suit more than `most`."""
    return [
        [sum(k << 4 * suit for suit, k in enumerate(ks)) for ks in product(range(most + 1), repeat=4) if sum(ks) == fours]
        for fours in range(5)
    ]


_ALL_SPREADS = _spreads(4) + _spreads(1)
#: All spreads in a row, and where those of `fours + 5 * distinct_suits` begin.
SPREADS = np.array([spread for spreads in _ALL_SPREADS for spread in spreads], np.int64)
SPREADS_FROM = np.array([sum(map(len, _ALL_SPREADS[:i])) for i in range(11)], np.int64)

# ---- the table of feasibility -----------------------------------------------------------------------------------------

#: `feas[mask]`: fewest jokers for one four out of the ranks of a 13-bit mask.
ONE_FOUR = 0
#: `feas[FOURS + 4 * v + k - 1]`: fewest jokers for k = 1 to 4 fours out of the count vector v (at most two copies each).
FOURS = 1 << 13
_FEASIBILITY_SIZE = FOURS + 4 * VECTORS


@kernel
def _build_feasibility(table):
    # Taking naturals makes a vector's number smaller, so one pass upwards finds all that it needs already done.
    powers = stack_array(14, np.int64)
    for place in range(14):
        powers[place] = 3 ** (place % 13)
    table[:] = IMPOSSIBLE
    for v in range(VECTORS):
        present = 0
        rest = v
        for rank in range(13):
            if rest % 3:
                present |= 1 << rank
            rest //= 3
        present |= (present & 1) << 13
        at = FOURS + 4 * v
        for low in range(LOWS):
            missing = 15 & ~(present >> low)
            for mask in JOKER_MASKS:
                if missing & ~mask:
                    continue
                jokers = ONES[mask]
                after = v
                for i in range(4):
                    if not mask >> i & 1:
                        after -= powers[low + i]
                table[at] = min(i64(table[at]), jokers)
                for k in range(1, 4):
                    table[at + k] = min(i64(table[at + k]), jokers + i64(table[FOURS + 4 * after + k - 1]))
    for mask in range(1 << 13):
        v = 0
        for rank in range(13):
            if mask >> rank & 1:
                v += powers[rank]
        table[ONE_FOUR + mask] = table[FOURS + 4 * v]


# ---- the table of distances -------------------------------------------------------------------------------------------

#: Most jokers that there are, two a pack (J1.1, J1.3).
MAX_JOKERS = 6
#: `dist[CURVES + 2 * i]`, `dist[CURVES + 2 * i + 1]`: curve number i. A *curve* is the most cards, jokers included, that k
#: fours in one suit can take from a hand with 0, 1, ... jokers, places left open for cards to come. The first byte is its value
#: without jokers; bit j - 1 of the second tells whether joker number j adds one. There are only 96 different curves.
CURVES = 0
#: `dist[ONE_CURVE + mask]`: number of the curve of one four out of the ranks of a 13-bit mask.
ONE_CURVE = 512
#: `dist[FOUR_CURVES + 4 * v + k - 1]`: number of the curve of k fours out of the count vector v.
FOUR_CURVES = ONE_CURVE + (1 << 13)
_DISTANCE_SIZE = FOUR_CURVES + 4 * VECTORS


@kernel
def _build_distances(table):
    powers = stack_array(14, np.int64)
    for place in range(14):
        powers[place] = 3 ** (place % 13)
    # While the table is built a curve is its values, one a byte, in one number; below 128, all can be compared at once.
    ones = (1 << 8 * (MAX_JOKERS + 1)) // 255
    curves = 0
    values = stack_zeros(256, np.int64)
    numbers = stack_zeros(1 << 13, np.int64)  # by first byte << 8 | second byte; 0 for a curve not met yet, else number + 1
    for v in range(VECTORS):
        present = 0
        rest = v
        for rank in range(13):
            if rest % 3:
                present |= 1 << rank
            rest //= 3
        present |= (present & 1) << 13
        at = FOUR_CURVES + 4 * v
        for k in range(4):
            best = 0
            seen = False
            for low in range(LOWS):
                there = present >> low & 15
                if there == 0:
                    # Nothing but jokers: all such windows are alike.
                    if seen:
                        continue
                    seen = True
                for mask in JOKER_MASKS:
                    taken = there & ~mask
                    after = v
                    for i in range(4):
                        if taken >> i & 1:
                            after -= powers[low + i]
                    curve = (ONES[taken] + ONES[mask]) * ones
                    if k:
                        curve += values[table[FOUR_CURVES + 4 * after + k - 1]]
                    curve = curve << 8 * ONES[mask] & 127 * ones
                    larger = (((curve | ones << 7) - best) >> 7 & ones) * 255
                    best = curve & larger | best & ~larger
            code = (best & 127) << 8
            for j in range(MAX_JOKERS):
                code |= ((best >> 8 * (j + 1) & 127) - (best >> 8 * j & 127)) << j
            if numbers[code] == 0:
                table[CURVES + 2 * curves] = code >> 8
                table[CURVES + 2 * curves + 1] = code & 255
                values[curves] = best
                curves += 1
                numbers[code] = curves
            table[at + k] = numbers[code] - 1
    for mask in range(1 << 13):
        v = 0
        for rank in range(13):
            if mask >> rank & 1:
                v += powers[rank]
        table[ONE_CURVE + mask] = table[FOUR_CURVES + 4 * v]


# ---- keeping tables on disk -------------------------------------------------------------------------------------------

_loaded: dict[str, NDArray[np.uint8]] = {}


def _path(name: str) -> Path | None:
    root = cache_root()
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    return None if root is None else root / f"{name}-{digest}.npy"


def _checksum(body: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.frombuffer(zlib.crc32(body.data).to_bytes(4, "little"), np.uint8)


def _read(path: Path, size: int) -> NDArray[np.uint8] | None:
    """The table in a file, or None if the file is missing or damaged."""
    try:
        stored: Any = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    if not isinstance(stored, np.ndarray) or stored.dtype != np.uint8 or stored.shape != (size + 4,):
        return None
    return stored if np.array_equal(_checksum(stored[:size]), stored[size:]) else None


def _write(path: Path, table: NDArray[np.uint8]) -> None:
    """Store a table so that no other process ever sees half of it. A folder that cannot be written only costs time."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem)
        try:
            with os.fdopen(handle, "wb") as file:
                np.save(file, table)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError:
        pass


def _table(name: str, size: int, build: Callable[[NDArray[np.uint8]], None]) -> NDArray[np.uint8]:
    if name not in _loaded:
        path = _path(name)
        table = None if path is None else _read(path, size)
        if table is None:
            table = np.zeros(size + 4, np.uint8)  # four more for the checksum
            build(table[:size])
            table[size:] = _checksum(table[:size])
            if path is not None:
                _write(path, table)
        _loaded[name] = table
    return _loaded[name]


def feasibility_table() -> NDArray[np.uint8]:
    """The table that `can_meet` needs: flat uint8, laid out as `ONE_FOUR` and `FOURS` say, about 6.4 MB.

    Built at the first use on a machine (a fraction of a second), stored under `cache_root()`, shared by all callers in a process.
    """
    return _table("fours", _FEASIBILITY_SIZE, _build_feasibility)


def distance_table() -> NDArray[np.uint8]:
    """The table that distances need: flat uint8, laid out as `CURVES`, `ONE_CURVE` and `FOUR_CURVES` say, about 6.4 MB.

    Built at the first use on a machine (a few seconds), stored and shared as `feasibility_table` is.
    """
    return _table("curves", _DISTANCE_SIZE, _build_distances)
