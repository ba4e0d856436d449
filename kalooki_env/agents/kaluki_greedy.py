"""`greedy` in Kaluki: opens and lays whatever it can at once, and keeps cards that go together, compiled."""

from __future__ import annotations

from kalooki_env.core.actions import DISCARD, DRAW_STOCK, LAY_DOWN, PLACE, TAKE_UPCARD
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.kaluki.actions import KALUKI_ACTIONS, SET_OF
from kalooki_env.core.kaluki.cover import can_lay_points, most_points
from kalooki_env.core.layout import CARDS, DRAW, JOKER, LAYOFF, MOVE, PLAY
from kalooki_env.core.melds import card_at
from kalooki_env.core.outs import unseen_copies

#: What a card is worth that lies in a whole meld of naturals, in unseen cards that would complete one.
_IN_MELD = 1000


@kernel
def kaluki_greedy_action(v, mask, r, scratch):
    """The greedy choice.

    Draws: the upcard if it adds to the points that can be laid, or, once opened, if it can be laid off. Opens, lays melds, lays
    off and swaps jokers as soon as possible. Discards: the card with which fewest unseen cards would complete a meld, the dearest
    of such; once opened, the dearest. Keeps jokers.

    Args:
        v: VIEW record of the seat to move.
        mask: int8 (num_actions,).
        r: RULES record.
        scratch: uint8 (5, 53).
    """
    phase = i64(v["phase"])
    if phase == DRAW:
        if not mask[TAKE_UPCARD]:
            return i64(DRAW_STOCK)
        if not mask[DRAW_STOCK] or wants_upcard_in_kaluki(v, r):
            return i64(TAKE_UPCARD)
        return i64(DRAW_STOCK)
    if phase == PLAY:
        busy = lay_something(mask)
        if busy >= 0:
            return busy
        return DISCARD + worst_card(v, mask, r, scratch)
    if phase == LAYOFF or phase == MOVE:
        return PLACE + dearest(mask, r, PLACE)
    # An opening or a meld: naturals stand before the joker, and cards before the end.
    return first_from(mask, 0)


@kernel
def first_from(mask, first):
    """The first legal action from a number on, -1 if there is none."""
    for action in range(first, KALUKI_ACTIONS):
        if mask[action]:
            return i64(action)
    return i64(-1)


@kernel
def lay_something(mask):
    """An opening, a meld, a lay-off or a swap, if there is one, else -1."""
    return i64(LAY_DOWN) if mask[LAY_DOWN] else first_from(mask, SET_OF)


@kernel
def dearest(mask, r, first):
    """Of the natural cards with a legal action from `first` on the one with most points; the joker if there is no other."""
    best = i64(-1)
    for card in range(JOKER):
        if mask[first + card] and (best < 0 or r["points"][card] > r["points"][best]):
            best = i64(card)
    return best if best >= 0 else i64(JOKER)


@kernel
def wants_upcard_in_kaluki(v, r):
    """Whether the upcard adds to what the observer can lay."""
    card = i64(v["pile"][i64(v["pile_n"]) - 1])
    hand = v["hand"][:]
    leave = i64(r["keeps_a_discard"])
    none = i64(0)
    if card == JOKER:
        return True
    if i64(v["opened"][i64(v["observer"])]):
        if v["fits"][card]:
            return True
        hand[card] += 1
        wanted = can_lay_points(hand, r, none, card + 1, none, leave)
        hand[card] -= 1
        return wanted
    before = most_points(hand, r, leave)
    hand[card] += 1
    after = most_points(hand, r, leave)
    hand[card] -= 1
    return after > before


@kernel
def worst_card(v, mask, r, scratch):
    """The card to discard."""
    if i64(v["opened"][i64(v["observer"])]):
        return dearest(mask, r, DISCARD)
    hand = v["hand"][:]
    unseen = scratch[0]
    unseen_copies(v, hand, i64(v["observer"]), r, unseen)
    best, least = i64(JOKER), i64(1 << 40)
    for card in range(JOKER):
        if mask[DISCARD + card]:
            worth = 100 * links(hand, r, unseen, card) - i64(r["points"][card])
            if worth < least:
                best, least = i64(card), worth
    return best


@kernel
def links(hand, r, unseen, card):
    """Unseen naturals that would complete a meld with a card of the hand and one other; many if it lies in a whole meld."""
    suit, rank = card // 13, card % 13
    # A second copy of the card has the same partners, which serve one of them only.
    if i64(hand[card]) > 1:
        return i64(0)
    total = i64(0)
    others = i64(0)
    for other in range(4):
        if other != suit and hand[13 * other + rank]:
            others += 1
    if others >= 2:
        return i64(_IN_MELD)
    if others == 1:
        for other in range(4):
            if other != suit and not hand[13 * other + rank]:
                total += i64(unseen[13 * other + rank])
    lowest = 0 if i64(r["ace_low"]) else 1
    for place in range(rank if rank else 0, 14, 13 if rank == 0 else 14):
        # The ace stands at both ends.
        for low in range(max(lowest, place - 2), min(place, 11) + 1):
            held = 0
            missing = 0
            for at in range(low, low + 3):
                there = card_at(suit, at)
                if hand[there]:
                    held += 1
                else:
                    missing = there
            if held == 3:
                return i64(_IN_MELD)
            if held == 2:
                total += i64(unseen[missing])
    return total


assert CARDS == JOKER + 1
