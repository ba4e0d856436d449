"""Exact search: which points can be laid from a hand in sets and runs, under what is owed (KL3, KL4; `ACTIONS.md`, 8.2)?

Depth first over a stack of positions in the making. Naturals are looked at suit by suit, aces first: a card is left in the
hand, or begins a set with suits that come later, or is the lowest natural of a run. Where the end jokers of a run stand does
not matter beyond their value, so they are counted when the run is closed.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CARDS, JOKER, THREE
from kalooki_env.core.melds import card_at
from kalooki_env.core.memory import stack_array

#: Columns of a position in the making.
_LOW, _HIGH, _MODE, _AT, _KEY, _FIRST, _PLACE, _LENGTH, _JOKERS, _POINTS, _REST, _OWED, _OWED_JOKERS, _HELD = range(14)
_COLUMNS = 14
#: What comes next: another meld; the meld at hand, in the search's own way; or the one that a seat is filling, in its order.
_NEXT, _RUN, _SET, _FILL_RUN, _FILL_SET = range(5)
#: A position has at most 16 followers, and a hand of 16 cards fewer than 40 steps.
_ROOM = 640
_CELLS = _ROOM * _COLUMNS
#: Card counts of two suits in a word, two bits each.
_HALF = 26
_TOP_PLACE = 13
#: More points than any hand has.
ALL = 100_000


@kernel
def can_lay_points(hand, r, need, owed, owed_jokers, leave):
    """Whether disjoint melds of so many points can be laid from a hand.

    Args:
        hand: uint8[53], copies of each card.
        r: RULES record.
        need: points.
        owed: card number + 1 of a natural that must be in one of them, 0 for none.
        owed_jokers: jokers that must be in them.
        leave: cards that must stay in the hand.
    """
    none = i64(0)
    return search(hand, r, _NEXT, none, none, none, none, need, owed, owed_jokers, leave, none) >= need


@kernel
def most_points(hand, r, leave):
    """The most points that disjoint melds of a hand have, if so many cards stay in it."""
    none = i64(0)
    return max(none, search(hand, r, _NEXT, none, none, none, none, i64(ALL), none, none, leave, none))


@kernel
def can_complete(hand, r, kind, key, place, length, naturals, need, owed, owed_jokers, leave):
    """As `can_lay_points`, if a meld that has been begun is completed as well.

    Args:
        hand: the cards that are not placed yet.
        kind: THREE for a set, else a run.
        key: rank of a set, suit of a run.
        place: of a run the next place, of a set the next suit that may follow, 4 after a joker.
        length: cards placed so far.
        naturals: whether there is a natural card among them.
        need: points that are missing, what is placed not counted.
    """
    mode = _FILL_SET if kind == THREE else _FILL_RUN
    return search(hand, r, mode, key, place, length, naturals, need, owed, owed_jokers, leave, i64(0)) >= need


@kernel
def can_complete_and_swap(hand, r, kind, key, place, length, naturals, owed, owed_jokers, leave, swapped):
    """As `can_complete`, whatever the melds are worth, if jokers are swapped into the hand once the begun meld is complete.

    Args:
        hand: the cards that are not placed yet, without those that are given for the jokers.
        swapped: how many jokers.
    """
    mode = _FILL_SET if kind == THREE else _FILL_RUN
    return search(hand, r, mode, key, place, length, naturals, i64(0), owed, owed_jokers, leave, swapped) >= 0


@kernel
def most_points_after(hand, r, kind, key, place, length, naturals, leave):
    """As `most_points`, with a meld that has been begun; its placed cards do not count. -1 if it cannot be completed.

    Args: see `can_complete`.
    """
    none = i64(0)
    mode = _FILL_SET if kind == THREE else _FILL_RUN
    return search(hand, r, mode, key, place, length, naturals, i64(ALL), none, none, leave, none)


@kernel
def search(hand, r, mode, key, place, length, naturals, need, owed, owed_jokers, leave, swapped):
    """The most points that can be laid; looks no further than `need`. -1 if what is owed cannot be settled.

    `swapped`: jokers that come into the hand once the meld that a seat is filling is complete.
    """
    jokers = i64(hand[JOKER])
    worth = i64(r["joker_value"])  # 0: what a joker stands for
    dearest = worth if worth else max(i64(r["points"][0]), i64(r["points"][13]))  # black and red aces may differ
    low, high, rest, held = i64(0), i64(0), i64(0), jokers
    live = _live_cards(hand, r, jokers) if mode == _NEXT and owed == 0 else i64(-1)
    for card in range(JOKER):
        count = i64(hand[card])
        held += count
        if count and (live >> card) & 1:
            rest += count * i64(r["points"][card])
            if card < _HALF:
                low |= count << (2 * card)
            else:
                high |= count << (2 * (card - _HALF))
    best = i64(-1)
    if mode == _NEXT and held < leave:
        return best
    if mode == _NEXT and owed == 0 and owed_jokers <= 0:
        best = i64(0)
    target = need if need < ALL else i64(0)
    if best >= need or rest + dearest * (jokers + swapped) < target:
        return best
    bottom = i64(0) if i64(r["ace_low"]) else i64(1)
    stack = stack_array(_CELLS, np.int64)
    stack[_LOW] = low
    stack[_HIGH] = high
    stack[_MODE] = mode
    stack[_AT] = 0
    stack[_KEY] = key
    stack[_FIRST] = 0
    stack[_PLACE] = place
    stack[_LENGTH] = length
    stack[_JOKERS] = jokers
    stack[_POINTS] = 0
    stack[_REST] = rest
    stack[_OWED] = owed
    stack[_OWED_JOKERS] = owed_jokers
    stack[_HELD] = held
    now = stack_array(_COLUMNS, np.int64)
    top = i64(1)
    has_natural = naturals
    while top > 0:
        top -= 1
        for i in range(_COLUMNS):
            now[i] = stack[_COLUMNS * top + i]
        points, jokers = now[_POINTS], now[_JOKERS]
        mode = now[_MODE]
        if mode == _NEXT and now[_OWED] == 0 and now[_OWED_JOKERS] <= 0 and points > best:
            best = points
            if best >= need:
                return best
        bound = points + now[_REST] + dearest * (jokers + swapped)
        if bound <= best or bound < target or now[_OWED_JOKERS] > jokers + swapped:
            continue
        length = now[_LENGTH]
        key = now[_KEY]
        if mode == _NEXT:
            card = _next_card(now)
            if card < 0:
                continue
            top = _leave(stack, top, now, r, card)
            rank = card % 13
            if rank or bottom == 0:
                top = _take(stack, top, now, r, card, _RUN, card // 13, rank, rank, i64(0), worth)
            if rank == 0:
                top = _take(stack, top, now, r, card, _RUN, card // 13, i64(_TOP_PLACE), i64(_TOP_PLACE), i64(0), worth)
            top = _take(stack, top, now, r, card, _SET, rank, i64(0), card // 13 + 1, i64(0), worth)
        elif mode == _RUN:
            begin, end = now[_FIRST], now[_PLACE]
            above, below = _TOP_PLACE - end, begin - bottom
            for more in range(max(0, 3 - length), min(jokers, above + below) + 1):
                value = more * worth if worth else _best_ends(r, key, begin, end, above, below, more)
                top = _close(stack, top, now, more, value, leave)
            for gap in range(min(jokers, above - 1) + 1):
                card = card_at(key, end + 1 + gap)
                if _count(now, card):
                    value = gap * worth
                    if worth == 0:
                        for between in range(end + 1, end + 1 + gap):
                            value += i64(r["points"][card_at(key, between)])
                    top = _take(stack, top, now, r, card, _RUN, key, begin, end + 1 + gap, gap, value)
        elif mode == _SET:
            for more in range(max(0, 3 - length), min(jokers, 4 - length) + 1):
                top = _close(stack, top, now, more, more * (worth if worth else i64(r["points"][key])), leave)
            if length < 4:
                for suit in range(now[_PLACE], 4):
                    if _count(now, 13 * suit + key):
                        top = _take(stack, top, now, r, 13 * suit + key, _SET, key, i64(0), suit + 1, i64(0), i64(0))
        else:
            # The meld that a seat is filling. `_FIRST` says whether a natural has been placed in the search.
            if length >= 3 and (has_natural or now[_FIRST]):
                top = _end_filling(stack, top, now, r, leave, swapped)
            if mode == _FILL_RUN:
                place = now[_PLACE]
                if place <= _TOP_PLACE:
                    card = card_at(key, place)
                    if jokers:
                        value = worth if worth else i64(r["points"][card])
                        top = _add_joker(stack, top, now, place + 1, value)
                    if _count(now, card):
                        top = _take(stack, top, now, r, card, _FILL_RUN, key, i64(1), place + 1, i64(0), i64(0))
            elif length < 4:
                if jokers:
                    top = _add_joker(stack, top, now, i64(4), worth if worth else i64(r["points"][key]))
                for suit in range(now[_PLACE], 4):
                    if _count(now, 13 * suit + key):
                        top = _take(stack, top, now, r, 13 * suit + key, _FILL_SET, key, i64(1), suit + 1, i64(0), i64(0))
    return best


@kernel
def _live_cards(hand, r, jokers):
    """Bits of the naturals that can be in a meld at all, with so many jokers."""
    if jokers >= 2:
        return i64(-1)
    live = i64(0)
    ranks = i64(0)  # suits of each rank, three bits
    for suit in range(4):
        row = i64(0)
        for rank in range(13):
            there = i64(hand[13 * suit + rank] > 0)
            row |= there << rank
            ranks += there << (4 * rank)
        row |= (row & 1) << _TOP_PLACE
        if i64(r["ace_low"]) == 0:
            row &= ~1
        one, two = row >> 1, row >> 2
        # Windows of three places with two or three naturals.
        windows = row & one & two if jokers == 0 else (row & one) | (row & two) | (one & two)
        windows &= (1 << 12) - 1
        inside = row & (windows | windows << 1 | windows << 2)
        live |= ((inside | inside >> _TOP_PLACE) & 0x1FFF) << (13 * suit)
    for rank in range(13):
        if (ranks >> (4 * rank) & 7) >= 3 - jokers:
            live |= i64(0x0000008004002001) << rank
    return live


@kernel
def _count(now, card):
    """Copies of a natural that are free."""
    return now[_LOW] >> (2 * card) & 3 if card < _HALF else now[_HIGH] >> (2 * (card - _HALF)) & 3


@kernel
def _next_card(now):
    """The next natural to decide on, -1 if there is none."""
    for card in range(now[_AT], JOKER):
        if _count(now, card):
            return i64(card)
    return i64(-1)


@kernel
def _copy(now, row):
    """Put a copy of the position at hand on the stack."""
    for i in range(_COLUMNS):
        row[i] = now[i]


@kernel
def _leave(stack, top, now, r, card):
    """Leave all copies of a card in the hand. An ace may still be the high end of a run of its suit."""
    if now[_OWED] == card + 1 and card % 13:
        return top
    row = stack[_COLUMNS * top : _COLUMNS * (top + 1)]
    _copy(now, row)
    row[_AT] = card + 1
    if card % 13:
        count = _count(now, card)
        row[_REST] -= count * i64(r["points"][card])
        if card < _HALF:
            row[_LOW] &= ~(i64(3) << (2 * card))
        else:
            row[_HIGH] &= ~(i64(3) << (2 * (card - _HALF)))
    return top + 1


@kernel
def _take(stack, top, now, r, card, mode, key, first, place, gap, value):
    """Put a natural into the meld at hand, after so many jokers that are worth `value`."""
    row = stack[_COLUMNS * top : _COLUMNS * (top + 1)]
    _copy(now, row)
    if card < _HALF:
        row[_LOW] -= i64(1) << (2 * card)
    else:
        row[_HIGH] -= i64(1) << (2 * (card - _HALF))
    points = i64(r["points"][card])
    if now[_MODE] == _NEXT:
        row[_AT] = card
        row[_LENGTH] = 1
    else:
        row[_LENGTH] += 1 + gap
    row[_MODE] = mode
    row[_KEY] = key
    row[_FIRST] = first
    row[_PLACE] = place
    row[_REST] -= points
    row[_HELD] -= 1 + gap
    row[_POINTS] += points + (value if gap else 0)
    row[_JOKERS] -= gap
    row[_OWED_JOKERS] -= gap
    if row[_OWED] == card + 1:
        row[_OWED] = 0
    return top + 1


@kernel
def _add_joker(stack, top, now, place, value):
    """Put a joker into the meld that a seat is filling."""
    row = stack[_COLUMNS * top : _COLUMNS * (top + 1)]
    _copy(now, row)
    row[_PLACE] = place
    row[_LENGTH] += 1
    row[_HELD] -= 1
    row[_POINTS] += value
    row[_JOKERS] -= 1
    row[_OWED_JOKERS] -= 1
    return top + 1


@kernel
def _close(stack, top, now, more, value, leave):
    """End the meld at hand, with so many more jokers."""
    if now[_HELD] - more < leave:
        return top
    row = stack[_COLUMNS * top : _COLUMNS * (top + 1)]
    _copy(now, row)
    row[_MODE] = _NEXT
    row[_HELD] -= more
    row[_POINTS] += value
    row[_JOKERS] -= more
    row[_OWED_JOKERS] -= more
    return top + 1


@kernel
def _end_filling(stack, top, now, r, leave, swapped):
    """End the meld that a seat is filling; then it swaps for so many jokers."""
    if now[_HELD] + swapped < leave:
        return top
    row = stack[_COLUMNS * top : _COLUMNS * (top + 1)]
    _copy(now, row)
    row[_MODE] = _NEXT
    row[_HELD] += swapped
    row[_JOKERS] += swapped
    # More jokers laid than were owed settle nothing that comes to be owed later.
    row[_OWED_JOKERS] = max(i64(0), now[_OWED_JOKERS]) + swapped * i64(r["owes_swapped_joker"])
    return top + 1


@kernel
def _best_ends(r, suit, begin, end, above, below, more):
    """The most that so many jokers at the ends of a run can stand for."""
    best = i64(0)
    for high in range(max(0, more - below), min(more, above) + 1):
        value = i64(0)
        for place in range(end + 1, end + 1 + high):
            value += i64(r["points"][card_at(suit, place)])
        for place in range(begin - (more - high), begin):
            value += i64(r["points"][card_at(suit, place)])
        best = max(best, value)
    return best


assert CARDS == 53
