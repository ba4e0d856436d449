"""`expert-v1` in Kaluki: the strongest bot by hand, compiled. Frozen: a stronger one gets another name.

Its numbers were tuned by playing many deals with one of them changed, in one seat against three of `greedy`, and against one.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.agents.kaluki_greedy import dearest, first_from, wants_upcard_in_kaluki
from kalooki_env.core.actions import DISCARD, DRAW_STOCK, LAY_DOWN, PLACE, TAKE_UPCARD
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.kaluki.actions import END_MELD, RUN_LOWS, RUN_OF, SET_OF
from kalooki_env.core.kaluki.cover import can_complete, can_lay_points, most_points, most_points_after
from kalooki_env.core.kaluki.legal import joker_worth
from kalooki_env.core.layout import CARDS, DRAW, FILL, FOUR, JOKER, LAYOFF, MELD, MOVE, PLAY, THREE
from kalooki_env.core.melds import card_at, joker_at, naturals_in_three
from kalooki_env.core.memory import stack_array
from kalooki_env.core.outs import unseen_copies

# What a card is worth beside the others of a hand, in unseen cards that complete a set of two cards.
#: In a whole meld of naturals; and a second copy, which has the same partners.
_IN_MELD, _SECOND_COPY = 100.0, -0.5
#: An unseen card that completes a run of two cards, one that makes a pair or a run of two, and a joker for either.
_FOR_RUN, _FOR_PAIR, _FOR_JOKER = 0.5, 0.1, 0.5
#: What a point in the hand costs while nobody else has opened; once somebody has, and in addition divided by the fewest cards
#: that such a seat holds; and once the seat itself has opened.
_POINT, _POINT_LATE, _POINT_NEAR_END, _POINT_OPENED = 0.1, 0.05, 2.0, 1.0
#: A card that can be laid off in a later turn, once the seat has opened.
_FITS = 5.0
#: An upcard that is worth more is taken.
_WORTH_A_DRAW = 12.0
#: An unseen card that opens the hand; looked for if so many points can be laid, after discards that are so little worse.
_FOR_OPENING, _POINTS_IN_SIGHT, _NEARLY_AS_GOOD = 1.0, 15, 15.0
#: Of ways to a run of three by two more cards, so many count.
_MOST_WAYS = 4.0


@kernel
def kaluki_expert_action(v, mask, r, scratch):
    """The expert's choice.

    As `kaluki_greedy_action`, and beyond it: lays melds so that most points are laid in all; takes upcards that go well with the
    hand, or take a joker's place; weighs in each discard what may still become a meld, which cards would open the hand, how soon
    the deal may end, and what can be laid off later.

    Args:
        v: VIEW record of the seat to move.
        mask: int8 (num_actions,).
        r: RULES record.
        scratch: uint8 (SCRATCH, 53).
    """
    phase = i64(v["phase"])
    if phase == DRAW:
        return _draw(v, mask, r, scratch[0])
    if phase == PLAY:
        if mask[LAY_DOWN]:
            return i64(LAY_DOWN)
        meld = _fullest_meld(v, mask, r)
        if meld >= 0:
            return meld
        busy = first_from(mask, SET_OF)
        return busy if busy >= 0 else DISCARD + _worst_card(v, mask, r, scratch[0])
    if phase == MELD:
        meld = _fullest_meld(v, mask, r)
        return meld if meld >= 0 else first_from(mask, 0)
    if phase == FILL:
        return _fullest_filling(v, mask, r)
    if phase == LAYOFF or phase == MOVE:
        return PLACE + dearest(mask, r, PLACE)
    return first_from(mask, 0)


@kernel
def _draw(v, mask, r, unseen):
    """Stock or upcard."""
    if not mask[TAKE_UPCARD]:
        return i64(DRAW_STOCK)
    if not mask[DRAW_STOCK] or wants_upcard_in_kaluki(v, r):
        return i64(TAKE_UPCARD)
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    seat = i64(v["observer"])
    if i64(v["opened"][seat]):
        return i64(TAKE_UPCARD) if _takes_a_jokers_place(v, card) else i64(DRAW_STOCK)
    hand = v["hand"][:]
    if hand[card]:
        return i64(DRAW_STOCK)
    unseen_copies(v, hand, seat, r, unseen)
    hand[card] += 1
    worth = _worth(hand, r, unseen, card)
    hand[card] -= 1
    return i64(TAKE_UPCARD) if worth > _WORTH_A_DRAW else i64(DRAW_STOCK)


@kernel
def _takes_a_jokers_place(v, card):
    """Whether a natural can be swapped for a joker on the table."""
    for slot in range(i64(v["melds_laid"])):
        key, bits = i64(v["meld_key"][slot]), i64(v["meld_bits"][slot])
        if i64(v["meld_kind"][slot]) == THREE:
            if card % 13 == key and naturals_in_three(bits) < i64(v["meld_len"][slot]) and (bits >> (4 * (card // 13))) & 15 == 0:
                return True
        elif bits and card // 13 == key and (joker_at(bits, card % 13) or (card % 13 == 0 and joker_at(bits, 13))):
            return True
    return False


@kernel
def _fullest_meld(v, mask, r):
    """Of the melds that may be named the first with which most points are laid in all, -1 if there is none."""
    if first_from(mask, SET_OF) < 0 or first_from(mask, SET_OF) >= END_MELD:
        return i64(-1)
    hand = v["hand"][:]
    leave = i64(r["keeps_a_discard"])
    most = most_points(hand, r, leave)
    none = i64(0)
    for action in range(SET_OF, END_MELD):
        if not mask[action]:
            continue
        if action < RUN_OF:
            kind, key, place = i64(THREE), i64(action - SET_OF), none
        else:
            kind, key, place = i64(FOUR), i64((action - RUN_OF) // RUN_LOWS), i64((action - RUN_OF) % RUN_LOWS)
        if can_complete(hand, r, kind, key, place, none, none, most, none, none, leave):
            return i64(action)
    return i64(-1)


@kernel
def _fullest_filling(v, mask, r):
    """The card to place in a meld, or its end, with which most points are laid in all."""
    hand = v["hand"][:]
    leave = i64(r["keeps_a_discard"])
    slot = i64(v["melds_laid"])
    kind, key = i64(v["meld_kind_now"]), i64(v["meld_key_now"])
    length, bits = i64(v["meld_len"][slot]), i64(v["meld_bits"][slot])
    place = i64(v["meld_low_now"]) + length
    naturals = naturals_in_three(bits)
    if kind != THREE:
        naturals = length
        for at in range(place - length, place):
            naturals -= joker_at(bits, at)
    best, most = i64(-1), i64(-1)
    for card in range(CARDS):
        if not mask[PLACE + card]:
            continue
        joker = card == JOKER
        if kind == THREE:
            after, stands_for = i64(4) if joker else i64(card // 13 + 1), key
        else:
            after, stands_for = place + 1, card_at(key, place)
        value = joker_worth(r, stands_for) if joker else i64(r["points"][card])
        hand[card] -= 1
        points = most_points_after(hand, r, kind, key, after, length + 1, i64(naturals > 0 or not joker), leave)
        hand[card] += 1
        if points >= 0 and points + value > most:
            best, most = i64(PLACE + card), points + value
    if mask[END_MELD] and most_points(hand, r, leave) > most:
        return i64(END_MELD)
    return best if best >= 0 else first_from(mask, 0)


@kernel
def _worst_card(v, mask, r, unseen):
    """The card to discard; a joker only if there is nothing else."""
    hand = v["hand"][:]
    seat = i64(v["observer"])
    opened = i64(v["opened"][seat])
    unseen_copies(v, hand, seat, r, unseen)
    point = _point(v, r, seat)
    worths = stack_array(JOKER, np.float64)
    least = np.inf
    for card in range(JOKER):
        worths[card] = np.inf
        if mask[DISCARD + card]:
            worths[card] = _worth(hand, r, unseen, card) - point * i64(r["points"][card])
            if opened and v["fits"][card]:
                worths[card] += _FITS
            least = min(least, worths[card])
    if not opened and most_points(hand, r, i64(0)) >= _POINTS_IN_SIGHT:
        for card in range(JOKER):
            if worths[card] <= least + _NEARLY_AS_GOOD:
                worths[card] -= _FOR_OPENING * _cards_that_open(hand, r, unseen, card)
    best, least = i64(JOKER), np.inf
    for card in range(JOKER):
        if worths[card] < least:
            best, least = i64(card), worths[card]
    return best


@kernel
def _point(v, r, seat):
    """What a point in the hand costs: more as the end comes near."""
    if i64(v["opened"][seat]):
        return _POINT_OPENED
    fewest = i64(CARDS)
    for other in range(i64(r["num_players"])):
        if other != seat and v["opened"][other]:
            fewest = min(fewest, i64(v["hand_n"][other]))
    return _POINT if fewest == CARDS else _POINT_LATE + _POINT_NEAR_END / max(i64(1), fewest)


@kernel
def _cards_that_open(hand, r, unseen, gone):
    """Unseen cards with which the hand can open once a card is gone."""
    none = i64(0)
    total = i64(0)
    hand[gone] -= 1
    for card in range(CARDS):
        if unseen[card]:
            hand[card] += 1
            if can_lay_points(hand, r, i64(r["opening_points"]), none, none, i64(r["keeps_a_discard"])):
                total += i64(unseen[card])
            hand[card] -= 1
    hand[gone] += 1
    return total


@kernel
def _worth(hand, r, unseen, card):
    """How much a card of the hand may still become."""
    if hand[card] > 1:
        return _SECOND_COPY
    suit, rank = card // 13, card % 13
    jokers = _FOR_JOKER * unseen[JOKER]
    partners, free = 0, 0.0
    for other in range(4):
        if other != suit:
            if hand[13 * other + rank]:
                partners += 1
            else:
                free += unseen[13 * other + rank]
    total = _FOR_PAIR * free
    if partners == 1:
        total = free + jokers
    elif partners > 1:
        total = _IN_MELD
    lowest = 0 if i64(r["ace_low"]) else 1
    # The ace stands at both ends.
    for place in range(rank, 14, 13 if rank == 0 else 14):
        for low in range(max(lowest, place - 2), min(place, 11) + 1):
            held, missing, ways = 0, 0.0, 1.0
            for at in range(low, low + 3):
                there = card_at(suit, at)
                if hand[there]:
                    held += 1
                else:
                    missing += unseen[there]
                    ways *= unseen[there]
            if held == 3:
                total += _IN_MELD
            elif held == 2:
                total += _FOR_RUN * (missing + jokers)
            else:
                total += 0.5 * _FOR_PAIR * min(ways, _MOST_WAYS)
    return total
