"""Hands as suit words and rank words (`tables`), and the threes, which have a closed form."""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.solver.tables import IMPOSSIBLE, RANK_BITS, RANK_PAIR_THREES, RANK_THREES, SUIT_ONES

# Fields side by side are joined two by two, all pairs at once: of 4 bits to 8, to 16, to 32.
_LOW_4, _LOW_8, _LOW_16, _LOW_32 = 0x0F0F0F0F0F0F0F, 0xFF00FF00FF00FF, 0xFFFF0000FFFF, 0xFFFFFFFF


@kernel
def suit_word(hand, suit):
    """Copies of each place of a suit, four bits a place."""
    word = i64(0)
    # A sum of independent terms: a number built up digit by digit would wait for each digit in turn.
    for rank in range(13):
        word += i64(hand[13 * suit + rank]) << 4 * rank
    return word | (word & 15) << 52


@kernel
def base3(word):
    """Number of a suit's count vector in the tables, where copies beyond the second do not count."""
    x = word & RANK_BITS
    x -= x & x >> 1 & SUIT_ONES  # 3 becomes 2
    x = (x & _LOW_4) + 3 * (x >> 4 & _LOW_4)
    x = (x & _LOW_8) + 9 * (x >> 8 & _LOW_8)
    x = (x & _LOW_16) + 81 * (x >> 16 & _LOW_16)
    return (x & _LOW_32) + 6561 * (x >> 32)


@kernel
def ranks_present(word):
    """One bit for each rank of a suit word that has a card."""
    x = (word | word >> 1) & SUIT_ONES & RANK_BITS
    x = (x | x >> 3) & 0x03030303030303
    x = (x | x >> 6) & 0x0F000F000F000F
    x = (x | x >> 12) & 0xFF000000FF
    return (x | x >> 24) & 0x1FFF


@kernel
def window(word, low):
    """Pattern of the places of the four from `low` whose natural is there."""
    # A count of 1 to 3 has one of the two low bits; the product moves the four bits side by side.
    return (((word | word >> 1) & SUIT_ONES) >> 4 * low & 0x1111) * 0x1248 >> 12 & 15


@kernel
def third_copies(word):
    """The lowest bit of each place of a suit word that has three copies."""
    return word & word >> 1 & SUIT_ONES


@kernel
def key_of(rules):
    """First index into `RANK_THREES` under these rules."""
    return 32 * i64(rules["distinct_ranks"]) + 16 * (i64(rules["set_min_naturals"]) - 1)


@kernel
def threes_on_offer(ranks, key):
    """The threes that all ranks of a rank word offer, as counts of `KINDS_OF_THREE`, eight bits each."""
    offer = 0
    first = key << 4
    for pair in range(0, 52, 8):
        offer += RANK_PAIR_THREES[first + (ranks >> pair & 255)]
    return offer - RANK_THREES[key]  # there is no fourteenth rank


@kernel
def jokers_for_threes(offer, threes):
    """Fewest jokers for so many threes without a further natural card; IMPOSSIBLE or more if there are too few."""
    left = threes - (offer & 255)
    if left <= 0:
        return 0
    jokers = 0
    for kind, price in ((1, 1), (2, 2), (4, 3)):
        count = min(left, offer >> 8 * kind & 255)
        jokers += price * count
        left -= count
    return jokers if left == 0 else IMPOSSIBLE


@kernel
def cards_to_come(offer, threes, key, missing, stuck, jokers):
    """Fewest cards still to come for so many threes and fours that are chosen already.

    Cards are missing, jokers fill some of the gaps, and some gaps are stuck: no joker may fill them. So the number to come is
    max(missing - jokers, stuck), each summed over the threes and the fours.

    Args:
        offer: `threes_on_offer`.
        threes: how many threes.
        key: `key_of`.
        missing: cards missing in the fours.
        stuck: of these, gaps that no joker may fill.
        jokers: jokers in the hand and not in the fours.

    Returns:
        256 * (fewest cards missing, jokers not counted) + the number of cards to come.
    """
    left = max(0, threes - (offer & 255))
    count = min(left, offer >> 8 & 255)
    missing += count
    left -= count
    count = min(left, offer >> 16 & 255)
    missing += 2 * count
    left -= count
    lone = min(left, offer >> 24 & 255)  # (2, 1)
    missing += 2 * lone
    stuck += lone
    left -= lone
    doubles = offer >> 32 & 255  # (3, 0)
    count = min(left, doubles)
    doubles -= count
    missing += 3 * count
    left -= count
    count = min(left, offer >> 40 & 255)  # (3, 1)
    missing += 3 * count
    stuck += count
    left -= count
    missing += 3 * left
    stuck += left * (2 if key & 16 else 1)
    least = missing
    # (2, 1) and (3, 0), the only two kinds of which neither is the cheaper one in both respects, change places while that helps.
    while lone > 0 and doubles > 0 and stuck > missing - jokers:
        lone -= 1
        doubles -= 1
        missing += 1
        stuck -= 1
    return least << 8 | max(missing - jokers, stuck)
