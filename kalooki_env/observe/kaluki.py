"""Pieces of an observation that differ in Kaluki: the table, a meld being filled, and the solver's answers."""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.kaluki.cover import most_points
from kalooki_env.core.layout import CARDS, FILL, JOKER, LAYOFF, MELDS, MOVE, OVER, PLAY, THREE
from kalooki_env.core.melds import card_at, naturals_in_three

#: Parts of the solver's piece: most points, after each discard, with each card, with the upcard.
AFTER, WITH, WITH_UPCARD = 1, 54, 107
#: Its size.
KALUKI_SOLVER_SIZE = WITH_UPCARD + 1
_MOST = 250


@kernel
def write_kaluki_table(v, seat, r, out, melds_at, jokers_at):
    """Meld slots in use, the one being filled included, and the cards that swap jokers.

    `melds_at`, `jokers_at`: first indices of these two pieces, -1 for one left out.
    """
    players = i64(r["num_players"])
    for slot in range(i64(v["melds_laid"]) + (i64(v["phase"]) == FILL)):
        owner = wrap(i64(v["meld_owner"][slot]) - seat + players, players)
        key = i64(v["meld_key"][slot])
        low = i64(v["meld_low"][slot])
        length = i64(v["meld_len"][slot])
        bits = i64(v["meld_bits"][slot])
        is_set = i64(v["meld_kind"][slot]) == THREE
        jokers_from = jokers_at + (52 if owner > 0 else 0)
        jokers = i64(0)
        if is_set:
            jokers = length - naturals_in_three(bits)
            if jokers and jokers_at >= 0:
                for suit in range(4):
                    if (bits >> (4 * suit)) & 15 == 0:
                        out[jokers_from + 13 * suit + key] += 1
        elif bits:
            for place in range(low, low + length):
                if (bits >> place) & 1:
                    jokers += 1
                    if jokers_at >= 0:
                        out[jokers_from + card_at(key, place)] += 1
        if melds_at >= 0:
            at = melds_at + 9 * slot
            out[at] = is_set
            out[at + 1] = not is_set
            out[at + 2] = key + 1
            out[at + 4] = length
            out[at + 5] = jokers
            out[at + 8] = owner + 1
            if not is_set:
                out[at + 3] = low + 1
                if jokers:
                    out[at + 6] = (bits >> low) & 1
                    out[at + 7] = (bits >> (low + length - 1)) & 1


@kernel
def write_kaluki_lay_down(v, out, at):
    """The opening under construction, what is owed, the meld being filled, and the target of a lay-off or swap."""
    phase = i64(v["phase"])
    out[at] = min(i64(v["points_laid"]), _MOST)
    if i64(v["owed_card"]):
        out[at + i64(v["owed_card"])] = 1
    out[at + 53] = v["owed_jokers"]
    if phase == FILL:
        key = i64(v["meld_key_now"])
        if i64(v["meld_kind_now"]) == THREE:
            out[at + 54] = 1
            out[at + 56 + key] = 1
        else:
            out[at + 55] = 1
            out[at + 69 + key] = 1
            out[at + 73 + i64(v["meld_low_now"])] = 1
        out[at + 85] = v["meld_len"][i64(v["melds_laid"])]
    if phase == LAYOFF or phase == MOVE:
        out[at + 86 + i64(v["target"])] = 1
        out[at + 86 + MELDS] = v["target_high"]


@kernel
def encode_kaluki_solver(v, hand, seat, r, out):
    """Write the `solver` piece of a seat.

    Args:
        v: VIEW record of the seat.
        hand: uint8 (53,), the seat's own cards; changed on the way, the same again on return.
        seat: the observer.
        r: RULES record.
        out: uint8 (108,), zeros: the piece.
    """
    phase = i64(v["phase"])
    if phase == OVER:
        return
    leave = i64(r["keeps_a_discard"])
    out[0] = min(most_points(hand, r, leave), _MOST)
    if i64(v["pile_n"]) > 0:
        out[WITH_UPCARD] = _with(hand, r, i64(v["pile"][i64(v["pile_n"]) - 1]), leave)
    if not i64(v["opened"][seat]):
        for card in range(CARDS):
            if i64(hand[card]) < (i64(r["jokers"]) if card == JOKER else i64(r["packs"])):
                out[WITH + card] = _with(hand, r, i64(card), leave)
    if phase == PLAY and i64(v["actor"]) == seat:
        for card in range(CARDS):
            if hand[card]:
                hand[card] -= 1
                out[AFTER + card] = min(most_points(hand, r, i64(0)), _MOST)
                hand[card] += 1


@kernel
def _with(hand, r, card, leave):
    hand[card] += 1
    points = min(most_points(hand, r, leave), _MOST)
    hand[card] -= 1
    return points
