"""`expert-v1`: the strongest bot by hand, compiled. One decision from one VIEW. Frozen: a stronger one gets another name.

Its numbers were fitted to played-out decisions: positions of self-play were continued many times with one action and with
another, everybody playing on as before, and the mean difference of the seat's score was regressed on what the seat could see.
"""

from __future__ import annotations

import numpy as np
from numba import from_dtype

from kalooki_env.agents.greedy import greedy_action, wants_upcard
from kalooki_env.core.actions import (
    ALLOW,
    CALL_CARD,
    DISCARD,
    DRAW_STOCK,
    END_TURN,
    FOUR_OF,
    LAY_DOWN,
    LAY_OFF,
    LOWS,
    MAX_ACTIONS,
    PASS,
    REFUSE,
    TAKE_UPCARD,
    THREE_OF,
)
from kalooki_env.core.batch import write_mask
from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.deal import hand_points
from kalooki_env.core.layout import (
    ANSWER,
    CALL,
    CARDS,
    DRAW,
    FOUR,
    JOKER,
    MAX_DECK,
    MELD,
    MELDS_PER_SEAT,
    OVER,
    PLAY,
    STATE,
    VIEW,
)
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.melds import card_at, replaceable
from kalooki_env.core.memory import stack_array, stack_zeros
from kalooki_env.core.outs import keeping_discards, outs_after, sort_by_worth, unseen_copies
from kalooki_env.core.solver import contract_distance, lowering_cards
from kalooki_env.core.step import apply
from kalooki_env.core.view import guess_hidden, make_view

_STATE, _VIEW = from_dtype(STATE), from_dtype(VIEW)

#: Rows of scratch space, uint8 (SCRATCH, 53).
SCRATCH = 5

#: Values that differ by less may be equal but for roundings.
_ROUNDING = 1e-9
#: Added to the number of cards that help, so that none of them is a long wait and not an endless one.
_HARDLY_ANY = 0.3
#: What a card that the next seat wants costs, in draws.
_DRAWS_FOR_GIFT = 1.0
#: Draws to be saved by taking an upcard that does not lower the distance: the draw itself, and more, since later draws may
#: better the hand as well. And what a point left in hand costs, in draws; with a distance of 3 or more, when the deal may well be
#: over before the seat opens, more. Each where the next seat answers calls, and where the discarder does: refusing is free then,
#: so that hardly any call succeeds, whoever opens goes out, and all others pay for whole hands.
_DRAWS_FOR_UPCARD = (2.0, 4.0)
_DRAWS_FOR_POINT = (0.02, 0.1)
_DRAWS_FOR_POINT_FAR = (0.02, 0.2)
#: What a card left in hand after the lay-down costs, in points.
_POINTS_PER_CARD = 5.0
#: Points of the score that an unneeded call gains: to begin with, and by what it depends on.
_CALL_BASE, _CALL_PER_OUT, _CALL_PER_OUT_BEFORE, _CALL_PER_POINT = 3.0, 0.54, -0.06, -0.22
_CALL_SECOND, _CALL_LAST, _CALL_FAR, _CALL_PER_FOUR = -3.0, -8.0, -2.0, -3.0


@kernel
def expert_action(v, mask, r, feas, dist, scratch):
    """The expert's choice.

    As `greedy_action`, and beyond it: takes an upcard that leaves the distance as it is if it shortens the wait for the next card
    by more than the draw that it costs, or can be laid off once the seat lays down; calls cards that it does not need, for the
    two cards that a call brings, while calls are left for those that it will need; weighs in each discard how soon the hand will
    improve, whether the next seat wants the card, and its points; lays down the melds after which least is left in the hand; once
    opened, takes cards that take a joker's place.

    Args:
        v: VIEW record of the seat to move.
        mask: int8 (num_actions,).
        r: RULES record.
        feas, dist: the solver's tables.
        scratch: uint8 (SCRATCH, 53).
    """
    phase = i64(v["phase"])
    opened = i64(v["opened"][i64(v["observer"])])
    if phase == PLAY and not opened and not mask[LAY_DOWN] and not mask[END_TURN]:
        return choose_discard(v, mask, r, feas, dist, scratch)
    if phase == MELD:
        return choose_meld(v, mask, r, feas, dist, scratch)
    if phase == DRAW and opened and mask[TAKE_UPCARD] and mask[DRAW_STOCK]:
        return TAKE_UPCARD if finds_place(v, r) else DRAW_STOCK
    if phase == ANSWER and i64(r["next_player_decides"]):
        if opened:
            wanted = finds_place(v, r)
        else:
            wanted = wants_upcard(v, r, feas, dist) or lays_along(v, mask, r, feas, dist, scratch)
        return REFUSE if wanted else ALLOW
    if phase == CALL:
        wanted = wants_upcard(v, r, feas, dist) or gains_by_call(v, r, feas, dist, scratch)
        return CALL_CARD if wanted else PASS
    if phase == DRAW and not opened and mask[TAKE_UPCARD] and mask[DRAW_STOCK]:
        wanted = wants_upcard(v, r, feas, dist) or shortens_wait(v, r, feas, dist, scratch)
        return TAKE_UPCARD if wanted or lays_along(v, mask, r, feas, dist, scratch) else DRAW_STOCK
    return greedy_action(v, mask, r, feas, dist, scratch)


@kernel
def total_of(counts):
    """Sum of card counts."""
    total = 0
    for card in range(CARDS):
        total += i64(counts[card])
    return total


@kernel
def outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, among, lowering):
    """Unseen cards that would lower the distance of a hand. `among`, `lowering`: uint8 (53,), scratch."""
    for card in range(CARDS):
        among[card] = unseen[card] > 0
    lowering_cards(hand, r, feas, dist, threes, fours, distance, among, lowering)
    total = 0
    for card in range(CARDS):
        if lowering[card]:
            total += i64(unseen[card])
    return total


@kernel
def draws_until(outs, unseen):
    """Draws until one of so many cards comes, on average."""
    return unseen / (outs + _HARDLY_ANY)


@kernel
def outs_for(draws, unseen):
    """Outs with which the next of them comes in so many draws on average, or one or two fewer: roundings are not to matter."""
    return max(i64(0), i64(min(unseen / draws, 1000.0) - _HARDLY_ANY) - 1)


@kernel
def shortens_wait(v, r, feas, dist, scratch):
    """Whether an upcard that does not lower the distance makes up for the draw by more cards that will lower it."""
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = v["hand"][:]
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    if distance == 0:
        return False
    keeps, unseen, among = scratch[0], scratch[2], scratch[3]
    unseen_copies(v, hand, i64(v["observer"]), r, unseen)
    total = total_of(unseen)
    now = outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, among, scratch[4])
    free = 0 if i64(r["next_player_decides"]) else 1  # index into pairs of numbers
    room = draws_until(now, total) - _DRAWS_FOR_UPCARD[free]
    if room <= 0:
        return False
    least = outs_for(room, total)
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    after = stack_array(CARDS, np.int8)
    hand[card] += 1
    smallest = keeping_discards(hand, r, feas, dist, threes, fours, unseen, keeps, after, among, scratch[4])
    found = False
    for other in range(JOKER):
        if keeps[other] and not found:
            outs = outs_after(hand, r, feas, dist, threes, fours, unseen, among, smallest, other, least)
            found = outs >= 0 and _DRAWS_FOR_UPCARD[free] + draws_until(outs, total) < draws_until(now, total)
    hand[card] -= 1
    return found


@kernel
def gains_by_call(v, r, feas, dist, scratch):
    """Whether calling a card that does not lower the distance is expected to pay: two cards more for the points of two."""
    seat = i64(v["observer"])
    left = i64(r["call_max"]) - i64(v["calls_allowed"][seat])
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = v["hand"][:]
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    if distance == 0 or (left == 1 and distance > 1):
        return False  # the last call is for a card that is needed
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    gain = _CALL_BASE + _CALL_PER_POINT * i64(r["points"][card]) + (_CALL_FAR if distance >= 4 else 0.0)
    gain += _CALL_LAST if left == 1 else _CALL_SECOND if left == 2 else 0.0
    gain += _CALL_PER_FOUR * max(0, fours - threes) if distance > 1 or left == 1 else 0.0
    if gain + 20 * _CALL_PER_OUT < 0:
        return False  # no card opens up that many chances
    unseen = scratch[2]
    unseen_copies(v, hand, seat, r, unseen)
    before = outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, scratch[3], scratch[4])
    hand[card] += 1
    after = outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, scratch[3], scratch[4])
    hand[card] -= 1
    return gain + _CALL_PER_OUT * (after - before) + _CALL_PER_OUT_BEFORE * before > 0


@kernel
def choose_discard(v, mask, r, feas, dist, scratch):
    """The discard before opening: among those that keep the distance smallest, a short wait, no gift, few points kept."""
    seat = i64(v["observer"])
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = v["hand"][:]
    keeps, unseen, among = scratch[0], scratch[2], scratch[3]
    unseen_copies(v, hand, seat, r, unseen)
    after = stack_array(CARDS, np.int8)
    distance = keeping_discards(hand, r, feas, dist, threes, fours, unseen, keeps, after, among, scratch[4])
    free = 0 if i64(r["next_player_decides"]) else 1  # index into pairs of numbers
    point = _DRAWS_FOR_POINT_FAR[free] if distance >= 3 else _DRAWS_FOR_POINT[free]
    total = total_of(unseen)
    other = wrap(seat + 1, i64(r["num_players"]))
    cards = stack_array(JOKER, np.int64)
    gifts = stack_array(JOKER, np.float64)
    worth = stack_array(JOKER, np.float64)  # but for the wait
    n = 0
    for card in range(JOKER):
        if mask[DISCARD + card] and keeps[card]:
            cards[n] = card
            n += 1
            gifts[card] = _DRAWS_FOR_GIFT * want_probability(v, r, card, other, unseen, threes, fours)
            worth[card] = point * i64(r["points"][card]) - gifts[card]
    sort_by_worth(cards, worth, n)
    best, most = i64(-1), 0.0
    for k in range(n):
        card = cards[k]
        least = i64(0)
        if best >= 0:
            # Only as many outs matter as make the card the best so far.
            if worth[card] - most < -_ROUNDING:
                break
            least = outs_for(max(worth[card] - most, _ROUNDING), total)
        outs = outs_after(hand, r, feas, dist, threes, fours, unseen, among, distance, card, least)
        value = point * i64(r["points"][card]) - draws_until(outs, total) - gifts[card]
        if outs >= 0 and (best < 0 or value > most or (value == most and card < best)):
            best, most = card, value
    return DISCARD + best


@kernel
def frees_card(v, r, seat, card):
    """Whether a seat that has opened could put a card in the place of a joker on the table, which moves to an end (J9)."""
    for owner in range(i64(r["num_players"])):
        if i64(v["opened"][owner]) == 0 or (owner != seat and not i64(r["anyone_moves_jokers"])):
            continue
        for k in range(i64(v["meld_n"][owner])):
            slot = MELDS_PER_SEAT * owner + k
            if i64(v["meld_kind"][slot]) != FOUR or i64(v["meld_key"][slot]) != card // 13:
                continue
            low = i64(v["meld_low"][slot])
            for place in range(low, low + i64(v["meld_len"][slot])):
                if place % 13 == card % 13 and (replaceable(v, slot, 0, place) or replaceable(v, slot, 1, place)):
                    return True
    return False


@kernel
def finds_place(v, r):
    """Whether the upcard could be laid off, or take a joker's place, by a seat that has opened."""
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    return v["fits"][card] > 0 or frees_card(v, r, i64(v["observer"]), card)


@kernel
def want_probability(v, r, card, other, unseen, threes, fours):
    """Probability that another seat wants a card, from what is known of it: a logistic regression.

    Args:
        v: VIEW record.
        r: RULES record.
        card: a natural card.
        other: the other seat.
        unseen: uint8 (53,), unseen copies of each card.
        threes, fours: the contract.
    """
    if i64(v["opened"][other]):
        return 1.0 if v["fits"][card] or frees_card(v, r, other, card) else 0.0
    at = CARDS * other
    if i64(v["discarded"][at + card]) + i64(v["declined"][at + card]) > 0:
        return 0.02
    suit, rank = card // 13, card % 13
    alike = known_alike = refused_alike = 0
    for other_suit in range(4):
        like = 13 * other_suit + rank
        alike += i64(unseen[like])
        known_alike += i64(v["known"][at + like])
        refused_alike += i64(v["discarded"][at + like]) + i64(v["declined"][at + like])
    near = known_near = refused_near = 0
    for place in range(max(0, rank - 3), min(13, rank + 3) + 1):
        if place != rank:
            like = card_at(suit, place)
            near += unseen[like] > 0
            known_near += i64(v["known"][at + like])
            refused_near += i64(v["discarded"][at + like]) + i64(v["declined"][at + like])
    share = threes / (threes + fours)
    z = -2.4 - 0.8 * share + share * (0.36 * alike + 0.6 * known_alike - (1.7 if refused_alike else 0.0))
    z += (1.0 - share) * (0.23 * near + 0.65 * known_near - 0.28 * refused_near)
    return 1.0 / (1.0 + np.exp(-z))


@kernel
def richest_meld(v, mask, r):
    """The next meld that takes the most points out of the hand, what can be laid off on it included."""
    hand = v["hand"][:]
    points = r["points"]
    best, most = i64(-1), i64(-1)
    for action in range(THREE_OF, LAY_OFF):
        if not mask[action]:
            continue
        value = i64(0)
        if action < FOUR_OF:
            for suit in range(4):
                card = 13 * suit + action - THREE_OF
                value += i64(hand[card]) * i64(points[card])
        else:
            suit, low = (action - FOUR_OF) // LOWS, (action - FOUR_OF) % LOWS
            first, last = low, low + 3
            while first > 0 and hand[card_at(suit, first - 1)]:
                first -= 1
            while last < 13 and hand[card_at(suit, last + 1)]:
                last += 1
            for place in range(first, last + 1):
                card = card_at(suit, place)
                value += i64(points[card]) if hand[card] else 0
        if value > most:
            best, most = i64(action), value
    return best


@kernel
def lay_all(s, r, feas, dist, seat, seen, legal, allowed, scratch):
    """Complete a lay-down and lay off whatever fits; points left in the hand, cards counted too, -1 if none is left.

    `s`: STATE record of the seat's turn, changed in place. `seen`: VIEW (1,), and `legal`, `allowed`, `scratch`: scratch.
    """
    while s["phase"] != OVER:
        n = legal_actions(s, r, feas, legal)
        if s["phase"] == PLAY and (n == 0 or legal[n - 1] < LAY_OFF):
            return _POINTS_PER_CARD * i64(s["hand_n"][seat]) + hand_points(s, r, seat)
        make_view(s, r, seat, seen[0])
        write_mask(legal, n, allowed)
        if s["phase"] == MELD:
            apply(s, r, feas, richest_meld(seen[0], allowed, r), legal)
        else:
            apply(s, r, feas, i64(greedy_action(seen[0], allowed, r, feas, dist, scratch)), legal)
    return -1.0


@kernel
def choose_meld(v, mask, r, feas, dist, scratch):
    """The next meld of a lay-down: the one after which least is left in the hand, once all is laid off that can be."""
    best, least = i64(-1), 0.0
    positions = stack_zeros(2, _STATE)  # as the seat sees it, and with a meld laid; hidden cards do not matter here
    seen = stack_zeros(1, _VIEW)
    pool = stack_array(MAX_DECK, np.uint8)
    legal = stack_array(MAX_ACTIONS, np.int16)
    allowed = stack_zeros(MAX_ACTIONS, np.int8)[: mask.shape[0]]
    seat = i64(v["observer"])
    guess_hidden(v, r, positions[1], pool, positions[0])
    for action in range(THREE_OF, LAY_OFF):
        if mask[action]:
            positions[1] = positions[0]
            apply(positions[1], r, feas, action, legal)
            left = lay_all(positions[1], r, feas, dist, seat, seen, legal, allowed, scratch)
            if best < 0 or left < least:
                best, least = i64(action), left
    return best


@kernel
def lays_along(v, mask, r, feas, dist, scratch):
    """Whether the hand can open already, and with the upcard would be left with no more once all is laid that can be."""
    seat = i64(v["observer"])
    deal = i64(v["deal"]) - 1
    if contract_distance(v["hand"][:], r, feas, dist, i64(r["threes"][deal]), i64(r["fours"][deal])) > 0:
        return False
    positions = stack_zeros(2, _STATE)
    seen = stack_zeros(1, _VIEW)
    pool = stack_array(MAX_DECK, np.uint8)
    legal = stack_array(MAX_ACTIONS, np.int16)
    allowed = stack_zeros(MAX_ACTIONS, np.int8)[: mask.shape[0]]
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    guess_hidden(v, r, positions[1], pool, positions[0])
    without = 0.0
    for taken in range(2):
        positions[1] = positions[0]
        s = positions[1]
        s["phase"] = PLAY
        s["turn"] = seat
        s["actor"] = seat
        s["hands"][seat, card] += taken
        s["hand_n"][seat] += taken
        apply(s, r, feas, LAY_DOWN, legal)
        left = lay_all(s, r, feas, dist, seat, seen, legal, allowed, scratch)
        if taken:
            return left <= without
        without = left
    return False
