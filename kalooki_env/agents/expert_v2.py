"""`expert-v2`: as `expert-v1`, with calls, answers to calls and discards weighed by what they were found to be worth. Frozen.

Its numbers were fitted to advantages: in deals among three `greedy` or three `expert-v1` and one of itself a decision was
played out with either of two actions, in six orders of the stock with all hands as they were, and the difference of the seat's
scores was regressed on what the seat could see. What counts is the seat's own score, as everywhere here. Where the discarder
answers, it allows many calls: who has called holds more cards than the contract takes, and does not go out as soon as he opens.
That saves the discarder points, and the caller more, so that it is wrong wherever the others' points count as well.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.agents.expert import draws_until, expert_action, finds_place, outs_of_hand, total_of, want_probability
from kalooki_env.core.actions import ALLOW, CALL_CARD, DISCARD, END_TURN, LAY_DOWN, PASS, REFUSE
from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.layout import ANSWER, CALL, CARDS, JOKER, PLAY
from kalooki_env.core.memory import stack_array
from kalooki_env.core.outs import keeping_discards, outs_after, unseen_copies
from kalooki_env.core.solver import contract_distance, distance_up_to

#: Facts about a card that may be called or is called, and points that each unit of them adds: to a call of a card that is of no
#: use to the seat, and of one that is; as the next seat, to allowing a call of the one and of the other; to allowing one as the
#: discarder.
_UPCARD = np.array(
    [
        (2.61, -3.41, 1.82, 4.21, 0.22),  # 0: 1
        (0.00, 0.00, -3.47, 3.19, 0.00),  # 1: the seat has opened
        (-0.52, -1.84, -0.34, 0.02, 0.58),  # 2: points in its hand / 50
        (0.74, -5.07, -0.06, 0.11, 0.00),  # 3: cards that it holds beyond those dealt
        (7.45, -7.70, -1.34, 2.75, 0.65),  # 4: calls that it has left, 3 at most
        (-4.37, -2.21, -0.08, 2.98, 0.00),  # 5: 1 if that is one, before opening
        (-2.52, -0.78, 0.06, 2.06, -1.78),  # 6: its contract distance, 8 at most; this and all to 13 before opening
        (-0.15, -2.63, 0.71, -7.52, -0.90),  # 7: 1 if that is one
        (0.88, 7.64, 15.08, 1.66, 1.86),  # 8: share of unseen cards that lower it
        (-0.63, 27.22, 3.44, -26.57, 1.71),  # 9: draws until one comes / 10
        (0.00, -3.41, 0.00, 1.03, 0.00),  # 10: 1 if the card lowers it
        (-0.87, 0.00, 1.08, 0.00, -3.08),  # 11: more such cards with the card / 10
        (19.73, 0.00, -23.24, 0.00, 6.57),  # 12: draws that it saves / 10
        (3.42, 0.00, -3.77, 0.00, 2.31),  # 13: 1 if there are more such cards with it
        (0.00, 0.00, 8.58, -5.62, 0.00),  # 14: 1 / cards in the hand, once opened
        (-1.70, -2.93, 1.73, 5.47, -1.17),  # 15: points of the card / 10
        (1.96, -4.30, -2.95, 6.57, -1.25),  # 16: 1 if it fits a meld on the table
        (5.06, -11.48, 0.00, 0.00, 14.47),  # 17: probability that the next seat wants it
        (-0.83, -1.21, 0.00, 0.00, 0.65),  # 18: seats from the next one to the seat
        (-1.48, 0.52, -0.72, 3.04, 1.46),  # 19: others that have opened
        (5.59, 17.55, 1.12, -22.74, -6.58),  # 20: 1 / fewest cards of these
        (-4.22, 25.91, 1.28, -20.26, 2.84),  # 21: rounds / 10
        (-9.86, 12.03, 3.89, 1.39, -0.22),  # 22: cards in the stock / 50
        (-1.14, 0.28, 0.84, -0.36, 2.18),  # 23: others not opened without further cards
        (-1.14, -0.57, -0.35, -1.29, 0.65),  # 24: further cards of others not opened / 2
        (0.00, 0.00, -0.86, 5.12, -1.53),  # 25: further cards of the caller / 2
        (0.00, 0.00, -0.97, 1.29, -1.09),  # 26: 1 if he has none
        (0.00, 0.00, -4.10, -26.61, -13.88),  # 27: probability that he wants the card
        (-3.19, 13.91, 0.64, -0.34, -4.59),  # 28: cards dealt to a seat / 10
        (7.17, 14.82, 0.00, -15.80, -0.01),  # 29: threes of the contract / 4
        (-7.37, -2.42, 0.40, 11.64, -2.86),  # 30: fours of the contract / 4
        (-0.21, 2.49, -0.41, -6.29, -1.27),  # 31: points / 50 times others that have opened, before opening
        (-0.28, -4.09, -0.80, 5.48, 0.76),  # 32: distance times others that have opened
        (0.12, -0.26, -0.35, -0.52, 0.24),  # 33: distance times others without further cards
        (0.56, 1.39, 0.82, -4.15, 1.01),  # 34: distance times fours / 4
        (1.90, 0.00, -0.89, 0.00, -5.62),  # 35: more such cards / 10, at distance one
        (0.00, 0.00, 0.87, -2.85, 0.14),  # 36: others that have opened times further cards of the caller / 2
        (0.00, 0.00, -0.21, -1.17, 0.30),  # 37: distance times further cards of the caller / 2
    ]
)  # fmt: skip
#: Facts about a discard before opening, and points that each unit of them adds: where the next seat answers calls, with a
#: contract distance after it of at most 1, and of more; and where the discarder does.
_DISCARD = np.array(
    [
        (2.15, -0.10, -0.27, 2.03),  # 0: points of the card / 10
        (8.39, 2.29, 29.70, 4.13),  # 1: unseen cards that lower the distance after it / 10
        (-19.66, -25.83, -5.34, -18.50),  # 2: draws until one comes / 10
        (-14.07, -8.98, -7.42, 0.73),  # 3: probability that the next seat wants it
        (1.23, 0.95, 2.31, 0.70),  # 4: the same of others that have opened, together
        (-0.15, -1.17, -2.11, -2.17),  # 5: the same of others that may still call, together
        (-5.39, -1.21, -3.03, 0.73),  # 6: 1 if it fits a meld on the table
        (-0.25, -0.23, -0.63, -0.29),  # 7: unseen copies of it
        (0.81, 1.56, 1.46, 0.59),  # 8: further copies in the hand
        (-0.66, -0.16, -0.71, -0.07),  # 9: further cards of its rank in the hand
        (-1.06, -1.08, -1.13, -0.58),  # 10: cards of its suit at most two ranks away in the hand
        (-0.27, -0.95, -1.99, -0.95),  # 11: 1 if it lies in the pile
        (-1.64, -0.49, 0.51, -0.35),  # 12: 1 if the next seat has discarded or declined it
        (-5.05, -4.07, 0.00, 0.00),  # 13: 1 if it fits and the next seat has opened
        (-4.70, 1.58, 1.50, 0.66),  # 14: points / 10 times rounds / 10
        (2.98, 1.29, 2.74, 1.77),  # 15: points / 10 times others that have opened
        (1.83, 0.96, 0.32, -0.83),  # 16: others that have opened, if it fits
        (4.56, 2.73, -11.85, -2.85),  # 17: probability that the next seat wants it times rounds / 10
    ]
)  # fmt: skip
UPCARD_FACTS, DISCARD_FACTS = len(_UPCARD), len(_DISCARD)
#: Columns of the tables as rows, which kernels read.
_UPCARD_WEIGHTS, _DISCARD_WEIGHTS = np.ascontiguousarray(_UPCARD.T), np.ascontiguousarray(_DISCARD.T)
#: More draws than these count as these.
_LONG = 30.0


@kernel
def expert_v2_action(v, mask, r, feas, dist, scratch):
    """The choice of `expert-v2`; arguments as for `expert_action`."""
    phase = i64(v["phase"])
    if phase == ANSWER or (phase == CALL and i64(r["next_player_decides"])):
        x = stack_array(UPCARD_FACTS, np.float64)
        useful = upcard_facts(v, r, feas, dist, scratch, x)
        row = useful
        if phase == ANSWER:
            row = 2 + useful if i64(r["next_player_decides"]) else 4
        worth = 0.0
        for i in range(UPCARD_FACTS):
            worth += x[i] * _UPCARD_WEIGHTS[row, i]
        if phase == ANSWER:
            return ALLOW if worth > 0 else REFUSE
        return CALL_CARD if worth > 0 else PASS
    if phase == PLAY and not i64(v["opened"][i64(v["observer"])]) and not mask[LAY_DOWN] and not mask[END_TURN]:
        return weigh_discards(v, mask, r, feas, dist, scratch)
    return i64(expert_action(v, mask, r, feas, dist, scratch))


@kernel
def upcard_facts(v, r, feas, dist, scratch, x):
    """What is seen of a decision about a called card, or one that may be called; see `_UPCARD`.

    Args:
        v: VIEW record of the seat to move.
        r: RULES record.
        feas, dist: the solver's tables.
        scratch: uint8 (SCRATCH, 53).
        x: float64 (UPCARD_FACTS,), written.

    Returns:
        1 if the card is of use to the seat: it lowers its distance, or can be laid off or free a joker; else 0.
    """
    x[:] = 0.0
    n = i64(r["num_players"])
    seat = i64(v["observer"])
    deal = i64(v["deal"]) - 1
    threes, fours, dealt = i64(r["threes"][deal]), i64(r["fours"][deal]), i64(r["hand_size"][deal])
    hand = v["hand"][:]
    held = i64(v["hand_n"][seat])
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    opened = i64(v["opened"][seat])
    unseen = scratch[2]
    unseen_copies(v, hand, seat, r, unseen)
    points = i64(0)
    for other in range(CARDS):
        points += i64(hand[other]) * i64(r["points"][other])
    left = min(3, i64(r["call_max"]) - i64(v["calls_allowed"][seat]))
    useful = i64(0)
    distance = 0.0
    x[0] = 1.0
    x[2], x[3], x[4] = points / 50.0, float(held - dealt), float(left)
    if opened:
        x[1], x[14] = 1.0, 1.0 / held
        useful = 1 if finds_place(v, r) else 0
    else:
        x[5] = 1.0 if left == 1 else 0.0
        useful = own_chances(hand, card, r, feas, dist, threes, fours, unseen, scratch, x)
        distance = x[6]
    x[15] = i64(r["points"][card]) / 10.0
    x[16] = 1.0 if v["fits"][card] else 0.0
    following = wrap(i64(v["turn"]) + 1, n)
    if following != seat:
        x[17] = want_probability(v, r, card, following, unseen, threes, fours)
    x[18] = float(wrap(seat - following + n, n))
    for k in range(1, n):
        other = wrap(seat + k, n)
        if i64(v["opened"][other]):
            x[19] += 1.0
            x[20] = max(x[20], 1.0 / max(1, i64(v["hand_n"][other])))
        else:
            more = i64(v["hand_n"][other]) - dealt
            x[23] += 1.0 if more <= 0 else 0.0
            x[24] += more / 2.0
    x[21], x[22] = i64(v["turns"]) / n / 10.0, i64(v["stock_n"]) / 50.0
    if i64(v["phase"]) == ANSWER:
        caller = i64(v["caller"])
        more = i64(v["hand_n"][caller]) - dealt
        x[25], x[26] = more / 2.0, 1.0 if more <= 0 else 0.0
        x[27] = want_probability(v, r, card, caller, unseen, threes, fours)
    x[28], x[29], x[30] = dealt / 10.0, threes / 4.0, fours / 4.0
    x[31] = (1.0 - x[1]) * x[2] * x[19]
    x[32], x[33], x[34] = distance * x[19], distance * x[23], distance * x[30]
    x[35] = x[11] * x[7]
    x[36], x[37] = x[19] * x[25], distance * x[25]
    return useful


@kernel
def own_chances(hand, card, r, feas, dist, threes, fours, unseen, scratch, x):
    """Facts 6 to 13 of `upcard_facts`, of a seat that has not opened; returns 1 if the card lowers its distance, else 0."""
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    x[6], x[7] = float(min(distance, 8)), 1.0 if distance == 1 else 0.0
    if distance == 0:
        return i64(0)
    total = total_of(unseen)
    before = outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, scratch[3], scratch[4])
    x[8] = before / max(1.0, float(total))
    x[9] = min(draws_until(before, total), _LONG) / 10.0
    hand[card] += 1
    lower = distance_up_to(hand, r, feas, dist, threes, fours, distance - 1, distance) < distance
    if not lower:
        after = outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, scratch[3], scratch[4])
        x[11] = (after - before) / 10.0
        x[12] = x[9] - min(draws_until(after, total), _LONG) / 10.0
        x[13] = 1.0 if after > before else 0.0
    hand[card] -= 1
    x[10] = 1.0 if lower else 0.0
    return i64(1) if lower else i64(0)


@kernel
def weigh_discards(v, mask, r, feas, dist, scratch):
    """The discard before opening, of those that keep the contract distance smallest."""
    seat = i64(v["observer"])
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = v["hand"][:]
    keeps, unseen, among = scratch[0], scratch[2], scratch[3]
    unseen_copies(v, hand, seat, r, unseen)
    after = stack_array(CARDS, np.int8)
    distance = keeping_discards(hand, r, feas, dist, threes, fours, unseen, keeps, after, among, scratch[4])
    row = (0 if distance <= 1 else 1) + (0 if i64(r["next_player_decides"]) else 2)
    y = stack_array(DISCARD_FACTS, np.float64)
    best, most = i64(-1), 0.0
    for card in range(JOKER):
        if mask[DISCARD + card] and keeps[card]:
            outs = outs_after(hand, r, feas, dist, threes, fours, unseen, among, distance, card, i64(0))
            discard_facts(v, r, card, outs, unseen, threes, fours, y)
            worth = 0.0
            for i in range(DISCARD_FACTS):
                worth += y[i] * _DISCARD_WEIGHTS[row, i]
            if best < 0 or worth > most:
                best, most = i64(card), worth
    return DISCARD + best


@kernel
def discard_facts(v, r, card, outs, unseen, threes, fours, y):
    """What is seen of a discard; see `_DISCARD`. `outs`: unseen cards that lower the distance after it."""
    n = i64(r["num_players"])
    seat = i64(v["observer"])
    hand = v["hand"][:]
    following = wrap(seat + 1, n)
    rounds = i64(v["turns"]) / n / 10.0
    y[0] = i64(r["points"][card]) / 10.0
    y[1], y[2] = outs / 10.0, total_of(unseen) / (outs + 1.0) / 10.0
    y[3] = want_probability(v, r, card, following, unseen, threes, fours)
    y[4], y[5] = 0.0, 0.0
    others = 1.0 if i64(v["opened"][following]) else 0.0
    for k in range(2, n):
        other = wrap(seat + k, n)
        wants = want_probability(v, r, card, other, unseen, threes, fours)
        if i64(v["opened"][other]):
            others += 1.0
            y[4] += wants
        elif i64(v["calls_allowed"][other]) < i64(r["call_max"]):
            y[5] += wants
    y[6] = 1.0 if v["fits"][card] else 0.0
    y[7], y[8] = float(unseen[card]), hand[card] - 1.0
    suit, rank = card // 13, card % 13
    y[9] = -1.0
    for like in range(rank, JOKER, 13):
        y[9] += hand[like]
    y[10] = 0.0
    for near in range(max(0, rank - 2), min(12, rank + 2) + 1):
        if near != rank and hand[13 * suit + near]:
            y[10] += 1.0
    y[11] = 1.0 if i64(v["pile_count"][card]) else 0.0
    at = CARDS * following + card
    y[12] = 1.0 if i64(v["declined"][at]) + i64(v["discarded"][at]) else 0.0
    y[13] = y[6] if i64(v["opened"][following]) else 0.0
    y[14], y[15], y[16], y[17] = y[0] * rounds, y[0] * others, y[6] * others, y[3] * rounds
