"""Public fields and one hand to observation vectors (`schema.py`), compiled.

The kernels take a VIEW, or a STATE in its place: they read only fields that a VIEW has, or they would not compile for one.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.actions import relative_slot
from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.layout import ANSWER, CARDS, DEALS, FILL, LAYOFF, MELDS_PER_SEAT, MOVE, OVER, THREE
from kalooki_env.core.melds import card_at, naturals_in_three
from kalooki_env.observe.kaluki import write_kaluki_lay_down, write_kaluki_table

# Indices of the pieces in `schema.PIECES`.
(
    HAND,
    UPCARD,
    PILE,
    TABLE,
    FITS,
    KNOWN,
    DISCARDED,
    DECLINED,
    MELDS,
    JOKER_CARDS,
    SEATS,
    PHASE,
    DEAL,
    PROGRESS,
    LAY_DOWN,
    MATCH,
    SOLVER,
) = range(17)
_THREE = np.uint8(3)  # not a plain 3, which would widen the loops over uint8 arrays


@kernel
def copy(source, first, count, out, at):
    """Copy counts. Unsigned indices cannot be negative ones, which count from the end: so the loop runs 32 bytes at a time."""
    a = np.uint64(first)
    b = np.uint64(at)
    for i in range(np.uint64(count)):
        out[b + i] = source[a + i]


@kernel
def copy_clipped(source, first, count, out, at):
    """As `copy`, with 3 for what is more."""
    a = np.uint64(first)
    b = np.uint64(at)
    for i in range(np.uint64(count)):
        out[b + i] = min(source[a + i], _THREE)


@kernel
def encode(v, hand, seat, r, offsets, out):
    """Write the observation of a seat, the solver's piece aside.

    Args:
        v: VIEW record of the seat, or STATE record if hands are not open.
        hand: uint8 (53,), the seat's own cards.
        seat: the observer.
        r: RULES record.
        offsets: int64 (pieces + 1,): first index of each piece, -1 for one left out; last, the size.
        out: uint8 (size,).
    """
    for i in range(offsets[SOLVER] if offsets[SOLVER] >= 0 else offsets[SOLVER + 1]):
        out[i] = 0
    players = i64(r["num_players"])
    # Read, not written as 53: loops of a small constant length are unrolled into single bytes, others run 32 at a time.
    cards = i64(r["cards"])
    if offsets[HAND] >= 0:
        copy(hand, 0, cards, out, offsets[HAND])
    if offsets[UPCARD] >= 0 and i64(v["pile_n"]) > 0:
        out[offsets[UPCARD] + i64(v["pile"][i64(v["pile_n"]) - 1])] = 1
    if offsets[PILE] >= 0:
        copy(v["pile_count"], 0, cards, out, offsets[PILE])
    if offsets[TABLE] >= 0:
        copy(v["table_count"], 0, cards, out, offsets[TABLE])
    # Rows from the observer's to the last seat's, then those of the seats before the observer.
    first = CARDS * seat
    after = CARDS * (players - seat)
    if offsets[KNOWN] >= 0:
        copy(v["known"], first, after, out, offsets[KNOWN])
        copy(v["known"], 0, first, out, offsets[KNOWN] + after)
    if offsets[DISCARDED] >= 0:
        copy_clipped(v["discarded"], first, after, out, offsets[DISCARDED])
        copy_clipped(v["discarded"], 0, first, out, offsets[DISCARDED] + after)
    if offsets[DECLINED] >= 0:
        copy_clipped(v["declined"], first, after, out, offsets[DECLINED])
        copy_clipped(v["declined"], 0, first, out, offsets[DECLINED] + after)
    if offsets[FITS] >= 0:
        copy(v["fits"], 0, cards, out, offsets[FITS])
    if offsets[MELDS] >= 0 or offsets[JOKER_CARDS] >= 0:
        if i64(r["kaluki"]):
            write_kaluki_table(v, seat, r, out, offsets[MELDS], offsets[JOKER_CARDS])
        else:
            write_table(v, seat, r, out, offsets[MELDS], offsets[JOKER_CARDS])
    if offsets[SEATS] >= 0:
        write_seats(v, seat, r, out, offsets[SEATS])
    if offsets[PHASE] >= 0:
        out[offsets[PHASE] + i64(v["phase"])] = 1
    if offsets[DEAL] >= 0:
        at = offsets[DEAL]
        deal = i64(v["deal"]) - 1
        out[at + deal] = 1
        out[at + DEALS] = r["threes"][deal]
        out[at + DEALS + 1] = r["fours"][deal]
        out[at + DEALS + 2] = r["hand_size"][deal]
    if offsets[PROGRESS] >= 0:
        at = offsets[PROGRESS]
        out[at] = v["stock_n"]
        out[at + 1] = v["pile_n"]
        out[at + 2] = i64(v["turns"]) // players
        out[at + 3] = min(i64(v["reshuffles"]), 10)
        out[at + 4] = v["after_call"]
        out[at + 5] = v["opened_now"]
    if offsets[LAY_DOWN] >= 0:
        if i64(r["kaluki"]):
            write_kaluki_lay_down(v, out, offsets[LAY_DOWN])
        else:
            write_lay_down(v, seat, r, out, offsets[LAY_DOWN])
    if offsets[MATCH] >= 0:
        write_match(v, seat, r, out, offsets[MATCH])


@kernel
def write_table(v, seat, r, out, melds_at, jokers_at):
    """Meld slots in use, the one under construction included, and the cards that jokers in fours stand for.

    `melds_at`, `jokers_at`: first indices of these two pieces, -1 for one left out.
    """
    players = i64(r["num_players"])
    filling = i64(v["actor"]) if i64(v["phase"]) == FILL else -1
    for i in range(players):
        owner = wrap(seat + i, players)
        for k in range(i64(v["meld_n"][owner]) + (owner == filling)):
            slot = MELDS_PER_SEAT * owner + k
            key = i64(v["meld_key"][slot])
            low = i64(v["meld_low"][slot])
            length = i64(v["meld_len"][slot])
            bits = i64(v["meld_bits"][slot])
            three = i64(v["meld_kind"][slot]) == THREE
            jokers = 0
            if three:
                jokers = length - naturals_in_three(bits)
            elif bits:
                for place in range(low, low + length):
                    if (bits >> place) & 1:
                        jokers += 1
                        if jokers_at >= 0:
                            out[jokers_at + (52 if i > 0 else 0) + card_at(key, place)] += 1
            if melds_at >= 0:
                at = melds_at + 8 * (MELDS_PER_SEAT * i + k)
                out[at] = three
                out[at + 1] = not three
                out[at + 2] = key + 1
                out[at + 4] = min(length, 20)
                out[at + 5] = min(jokers, 10)
                if not three:
                    out[at + 3] = low + 1
                    if jokers:
                        out[at + 6] = (bits >> low) & 1
                        out[at + 7] = (bits >> (low + length - 1)) & 1


@kernel
def write_seats(v, seat, r, out, at):
    """What is public of each seat."""
    players = i64(r["num_players"])
    for i in range(players):
        other = wrap(seat + i, players)
        first = at + 12 * i
        out[first] = 1
        out[first + 1] = min(i64(v["hand_n"][other]), 60)
        out[first + 2] = v["opened"][other]
        out[first + 3] = min(i64(v["meld_n"][other]), 20)
        out[first + 4] = min(i64(v["calls_made"][other]), 20)
        out[first + 5] = min(i64(v["calls_allowed"][other]), 20)
        out[first + 6] = min(i64(v["answers_allow"][other]), 20)
        out[first + 7] = min(i64(v["answers_refuse"][other]), 20)
    back = players - seat
    phase = i64(v["phase"])
    if phase != OVER:
        out[at + 12 * wrap(i64(v["actor"]) + back, players) + 8] = 1
        out[at + 12 * wrap(i64(v["turn"]) + back, players) + 9] = 1
    out[at + 12 * wrap(i64(v["dealer"]) + back, players) + 10] = 1
    if phase == ANSWER:
        out[at + 12 * wrap(i64(v["caller"]) + back, players) + 11] = 1


@kernel
def write_lay_down(v, seat, r, out, at):
    """The lay-down under construction, and the target of a lay-off or joker move."""
    phase = i64(v["phase"])
    out[at] = v["threes_left"]
    out[at + 1] = v["fours_left"]
    ranks = i64(v["used_ranks"])
    suits = i64(v["used_suits"])
    if ranks | suits:
        for rank in range(13):
            out[at + 2 + rank] = (ranks >> rank) & 1
        for suit in range(4):
            out[at + 15 + suit] = (suits >> suit) & 1
    if phase == FILL:
        key = i64(v["meld_key_now"])
        if i64(v["meld_kind_now"]) == THREE:
            out[at + 19] = 1
            out[at + 21 + key] = 1
        else:
            out[at + 20] = 1
            out[at + 34 + key] = 1
            out[at + 38 + i64(v["meld_low_now"])] = 1
        actor = i64(v["actor"])
        out[at + 49] = v["meld_len"][MELDS_PER_SEAT * actor + i64(v["meld_n"][actor])]
    if phase == LAYOFF or phase == MOVE:
        out[at + 50 + relative_slot(i64(v["target"]), seat, i64(r["num_players"]))] = 1
        out[at + 50 + MELDS_PER_SEAT * i64(r["max_seats"])] = v["target_high"]


@kernel
def write_match(v, seat, r, out, at):
    """Totals of the match so far."""
    players = i64(r["num_players"])
    own = i64(v["totals"][seat])
    out[at] = min(i64(v["match_deal"]), 60)
    out[at + 1] = min(i64(r["match_deals"]), 60)
    out[at + 2] = min(max(128 + own // 8, 0), 255)
    limit = i64(r["score_limit"])
    for i in range(players):
        total = i64(v["totals"][wrap(seat + i, players)])
        out[at + 3 + 2 * i] = min(max(128 + (total - own) // 4, 0), 255)
        if limit:
            out[at + 4 + 2 * i] = min(max(100 * total // limit, 0), 200)
