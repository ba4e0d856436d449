"""Melds on the table: what fits where (J3, J8, J9). The mask and the step use these same predicates.

A meld slot keeps kind, key (rank of a three, suit of a four), lowest place and length of a four, and `bits`: of a four the
places that hold jokers, of a three the number of naturals of each suit, four bits a suit.
"""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import FOUR, JOKER, MELDS_PER_SEAT, THREE


@kernel
def naturals_in_three(bits):
    """Number of natural cards in a three."""
    return (bits & 15) + ((bits >> 4) & 15) + ((bits >> 8) & 15) + ((bits >> 12) & 15)


@kernel
def end_place(s, slot, high):
    """Place that a card laid off onto this end of a four would take, -1 if there is none (J8.4)."""
    low = i64(s["meld_low"][slot])
    place = low + i64(s["meld_len"][slot]) if high else low - 1
    return place if place <= 13 else -1


@kernel
def card_at(suit, place):
    """The natural card of a place in a four; places 0 and 13 are both the ace."""
    return 13 * suit + place % 13


@kernel
def joker_at(bits, place):
    """Whether a joker stands at a place of a four."""
    return (bits >> place) & 1 == 1


@kernel
def takes_joker(s, slot, high):
    """Whether a joker may be laid off onto a three, or onto this end of a four that has a free place there."""
    bits = i64(s["meld_bits"][slot])
    length = i64(s["meld_len"][slot])
    if i64(s["meld_kind"][slot]) == THREE:
        naturals = naturals_in_three(bits)
        return length - naturals + 1 <= naturals + 1  # J3.4: they can be arranged with no two jokers touching
    low = i64(s["meld_low"][slot])
    return not joker_at(bits, low + length - 1 if high else low)


@kernel
def lay_off_place(s, r, slot, high):
    """As `end_place`, and -1 too where the rules keep the low end closed until the four reaches the ace (J8.4)."""
    if i64(r["high_end_first"]) and not high and i64(s["meld_low"][slot]) + i64(s["meld_len"][slot]) != 14:
        return -1
    return end_place(s, slot, high)


@kernel
def can_lay_off(s, r, hand, slot, high):
    """Whether a hand holds a card that fits onto this three (high = 0) or this end of a four (J8)."""
    key = i64(s["meld_key"][slot])
    if i64(s["meld_kind"][slot]) == THREE:
        if high:
            return False
        if i64(hand[key]) + i64(hand[13 + key]) + i64(hand[26 + key]) + i64(hand[39 + key]) > 0:
            return True
    else:
        place = lay_off_place(s, r, slot, high)
        if place < 0:
            return False
        if i64(hand[card_at(key, place)]) > 0:
            return True
    return i64(hand[JOKER]) > 0 and takes_joker(s, slot, high)


@kernel
def note_fits(s, r):
    """Bring up to date which cards could be laid off onto melds of seats that have opened (J8)."""
    fits = s["fits"]
    fits[:] = 0
    for owner in range(i64(r["num_players"])):
        if i64(s["opened"][owner]) == 0:
            continue
        for k in range(i64(s["meld_n"][owner])):
            slot = MELDS_PER_SEAT * owner + k
            key = i64(s["meld_key"][slot])
            if i64(s["meld_kind"][slot]) == THREE:
                for suit in range(4):
                    fits[13 * suit + key] = 1
                if takes_joker(s, slot, 0):
                    fits[JOKER] = 1
                continue
            for high in range(2):
                place = lay_off_place(s, r, slot, high)
                if place >= 0:
                    fits[card_at(key, place)] = 1
                    if takes_joker(s, slot, high):
                        fits[JOKER] = 1


@kernel
def replaceable(s, slot, high, place):
    """Whether the joker at a place of a four may move to this end once a natural has taken its place (J9.2, J9.3)."""
    bits = i64(s["meld_bits"][slot])
    if not joker_at(bits, place) or end_place(s, slot, high) < 0:
        return False
    low = i64(s["meld_low"][slot])
    end = low + i64(s["meld_len"][slot]) - 1 if high else low
    return end == place or not joker_at(bits, end)


@kernel
def can_move_joker(s, r, seat, slot, high):
    """Whether the hand holds a natural for a joker of this four that may move to this end (J9)."""
    if i64(s["meld_kind"][slot]) != FOUR or i64(s["meld_bits"][slot]) == 0:
        return False
    if not i64(r["anyone_moves_jokers"]) and slot // MELDS_PER_SEAT != seat:
        return False
    suit = i64(s["meld_key"][slot])
    low = i64(s["meld_low"][slot])
    for place in range(low, low + i64(s["meld_len"][slot])):
        if i64(s["hands"][seat, card_at(suit, place)]) > 0 and replaceable(s, slot, high, place):
            return True
    return False


@kernel
def add_to_three(s, slot, card):
    """Put a card into a three."""
    if card != JOKER:
        s["meld_bits"][slot] = i64(s["meld_bits"][slot]) + (1 << (4 * (card // 13)))
    s["meld_len"][slot] += 1
    s["table_count"][card] += 1


@kernel
def add_to_four(s, slot, place, card):
    """Put a card at the place below, at or above a four; a four without cards begins at its lowest place."""
    if card == JOKER:
        s["meld_bits"][slot] = i64(s["meld_bits"][slot]) | (1 << place)
    if place < i64(s["meld_low"][slot]):
        s["meld_low"][slot] = place
    s["meld_len"][slot] += 1
    s["table_count"][card] += 1


@kernel
def move_joker(s, slot, high, card):
    """Put a natural card in the place of the joker that stands for it, and the joker at an end (J9.2)."""
    place = card % 13
    bits = i64(s["meld_bits"][slot])
    if not joker_at(bits, place):
        place = 13  # an ace that is not at the low end
    s["meld_bits"][slot] = bits & ~(1 << place)
    s["table_count"][card] += 1
    s["table_count"][JOKER] -= 1
    add_to_four(s, slot, end_place(s, slot, high), JOKER)
