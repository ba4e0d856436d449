"""Records: STATE (a position), RULES (what a table plays by) and VIEW (what one seat may know), and their constants.

One record type serves all tables, at the largest size; loops are bounded by the RULES record. Cards are numbers 0 to 52 in card
order (`ACTIONS.md`, section 1): 13 * suit + rank, suits S H D C, ranks A to K; 52 is the joker. Places in a four are 0 (low
ace) to 13 (high ace). Seats are 0 to 7, clockwise.
"""

from __future__ import annotations

import hashlib
from enum import IntEnum
from typing import Any

import numpy as np

CARDS = 53
JOKER = 52
SEATS = 8
DEALS = 9
#: A contract has at most four melds, and after it there are only lay-offs (J7.7).
MELDS_PER_SEAT = 4
#: Meld slots: in Kaluki 108 cards make 36 melds at most, numbered as they are laid; else 32 for four melds of each seat.
MELDS = 36
#: Three packs of 54.
MAX_DECK = 162
#: "No limit" in a RULES record.
NO_LIMIT = 30_000


class Phase(IntEnum):
    """Kinds of decision (`ACTIONS.md`, section 2)."""

    DRAW = 0
    PLAY = 1
    MELD = 2
    FILL = 3
    LAYOFF = 4
    MOVE = 5
    CALL = 6
    ANSWER = 7
    OVER = 8


class MeldKind(IntEnum):
    """What lies in a meld slot. A set of Kaluki is kept as a three, a run as a four."""

    NONE = 0
    THREE = 1
    FOUR = 2


def _record(fields: list[tuple[Any, ...]]) -> np.dtype:
    """An aligned record type without gaps, since bytes in gaps are not copied: wide fields first, zeros at the end."""
    ordered = sorted(fields, key=lambda item: -np.dtype(item[1]).itemsize)
    size = np.dtype(ordered).itemsize
    widest = np.dtype(ordered[0][1]).itemsize
    if size % widest:
        ordered.append(("zeros", "u1", (widest - size % widest,)))
    return np.dtype(ordered, align=True)


# The members as plain integers, for kernels.
DRAW, PLAY, MELD, FILL, LAYOFF, MOVE, CALL, ANSWER, OVER = (int(phase) for phase in Phase)
THREE, FOUR = int(MeldKind.THREE), int(MeldKind.FOUR)

RULES = _record(
    [
        ("points", "i2", (CARDS,)),
        ("opening_points", "i2"),
        ("match_deals", "i2"),  # of a whole match; 0: not known
        ("score_limit", "i2"),  # that ends a match; 0: none
        ("go_out_score", "i2"),
        ("unmet_opening_penalty", "i2"),
        ("max_turns", "i2"),
        ("call_max", "i2"),
        ("reshuffle_max", "i2"),
        ("threes", "u1", (DEALS,)),
        ("fours", "u1", (DEALS,)),
        ("hand_size", "u1", (DEALS,)),
        ("cards", "u1"),  # kinds of cards, 53
        ("num_players", "u1"),
        ("max_seats", "u1"),
        ("packs", "u1"),
        ("set_min_naturals", "u1"),
        ("distinct_ranks", "u1"),
        ("distinct_suits", "u1"),
        ("calls_enabled", "u1"),
        ("next_player_decides", "u1"),
        ("refusal_takes", "u1"),
        ("stock_only_after_call", "u1"),
        ("anyone_moves_jokers", "u1"),
        ("high_end_first", "u1"),
        ("open_hands", "u1"),
        ("jokers", "u1"),  # in the whole deck
        ("deals", "u1"),  # how many differ
        ("kaluki", "u1"),  # the game; all that follows is for Kaluki only
        ("joker_value", "u1"),  # of a joker in an opening; 0: what it stands for
        ("ace_low", "u1"),
        ("owes_upcard_to_open", "u1"),
        ("owes_upcard_opened", "u1"),
        ("swaps_before_opening", "u1"),
        ("swaps_whole_sets", "u1"),  # a joker leaves a set only for naturals of all suits that are not in it
        ("owes_swapped_joker", "u1"),
        ("melds_when_opening", "u1"),  # further melds in the turn of the opening
        ("lays_off_when_opening", "u1"),
        ("keeps_a_discard", "u1"),
    ]
)

#: What all seats see. A STATE has these fields and hidden ones, a VIEW these and the observer's hand: code that reads public
#: fields serves both record types, and compiled for a VIEW it cannot read anything hidden.
_PUBLIC_SCALARS = [
    ("scores", "i2", (SEATS,)),
    ("totals", "i4", (SEATS,)),  # of the match before this deal; zeros if it is not in a match
    ("match_deal", "u2"),  # number of the deal in its match, from 1; 0: not in a match
    ("turns", "u2"),
    ("used_ranks", "u2"),  # bits of the ranks of this lay-down's threes, the one being filled included
    ("used_suits", "u1"),
    ("deal", "u1"),
    ("dealer", "u1"),
    ("phase", "u1"),
    ("turn", "u1"),  # seat whose turn it is; the discarder until the next seat draws
    ("actor", "u1"),  # seat to move
    ("caller", "u1"),  # ANSWER: who called
    ("winner", "i1"),  # seat that went out, -1 for none
    ("after_call", "u1"),  # DRAW: the call on the last discard was allowed
    ("opened_now", "u1"),  # the seat whose turn it is opened in this turn
    ("reshuffles", "u2"),  # at a full table of callers every other turn renews the stock
    ("threes_left", "u1"),  # of the lay-down, the meld being filled not counted
    ("fours_left", "u1"),
    ("meld_kind_now", "u1"),  # FILL: the meld being filled
    ("meld_key_now", "u1"),  # rank of a three, suit of a four
    ("meld_low_now", "u1"),
    ("target", "u1"),  # LAYOFF, MOVE: meld slot
    ("target_high", "u1"),  # LAYOFF, MOVE: high end
    ("stock_n", "u1"),
    ("pile_n", "u1"),
    # Kaluki
    ("melds_laid", "u1"),  # slots in use, the meld being filled not counted
    ("points_laid", "u2"),  # of an opening under construction; more than 255 in set-up hands
    ("owed_card", "u1"),  # card number + 1 of a natural that must be laid in a new meld in this turn, 0 for none
    ("owed_jokers", "u1"),
]
_SEATS = [
    ("hand_n", "u1", (SEATS,)),
    ("opened", "u1", (SEATS,)),
    ("meld_n", "u1", (SEATS,)),
    ("calls_made", "u2", (SEATS,)),
    ("calls_allowed", "u2", (SEATS,)),
    ("answers_allow", "u2", (SEATS,)),
    ("answers_refuse", "u2", (SEATS,)),
]
#: Parallel arrays over meld slots; slot = MELDS_PER_SEAT * seat + number of the meld - 1; in Kaluki slots are numbered in the
#: order in which melds are begun. bits: of a four, one bit for each
#: place that holds a joker; of a three, the number of naturals of suit s in bits 4s to 4s + 3.
_MELDS = [
    ("meld_kind", "u1", (MELDS,)),
    ("meld_key", "u1", (MELDS,)),
    ("meld_low", "u1", (MELDS,)),
    ("meld_len", "u1", (MELDS,)),
    ("meld_bits", "u2", (MELDS,)),
    ("meld_owner", "u1", (MELDS,)),  # Kaluki
]
#: Card counts by seat (`ACTIONS.md`, section 5), index CARDS * seat + card: one long loop copies them five times faster than
#: a loop a seat.
_MEMORY = [
    ("known", "u1", (SEATS * CARDS,)),
    ("discarded", "u1", (SEATS * CARDS,)),
    ("declined", "u1", (SEATS * CARDS,)),
]

_PUBLIC = [
    *_PUBLIC_SCALARS,
    *_SEATS,
    *_MELDS,
    ("pile_count", "u1", (CARDS,)),
    ("table_count", "u1", (CARDS,)),
    ("fits", "u1", (CARDS,)),  # 1: the card could be laid off somewhere; kept up to date, since it is read at each decision
    ("pile", "u1", (MAX_DECK,)),  # top last
    *_MEMORY,
]

STATE = _record(
    [
        *_PUBLIC,
        ("rng", "u8"),
        ("can_lay", "u1"),  # PLAY: the hand of the seat whose turn it is can open; computed at the draw and after swaps
        ("stock", "u1", (MAX_DECK,)),  # top last
        ("hands", "u1", (SEATS, CARDS)),
    ]
)

VIEW = _record(
    [
        *_PUBLIC,  # `known`: whole hands if hands are open
        ("observer", "u1"),  # the seat whose view this is
        ("hand", "u1", (CARDS,)),  # the observer's own cards
    ]
)


def offset_of(record: np.dtype, name: str) -> int:
    """First byte of a field."""
    assert record.fields is not None
    return int(record.fields[name][1])


def schema_hash(*dtypes: np.dtype) -> str:
    """Sixteen hexadecimal digits that change with any field of these record types."""
    text = "\n".join(repr((dtype.descr, dtype.itemsize)) for dtype in dtypes)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
