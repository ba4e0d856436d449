"""What a seat can tell from the solver and from the cards it sees.

Unseen copies, and the discards that keep the most chances open.
"""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CARDS, JOKER
from kalooki_env.core.solver import copies_that_lower, distances_after_discard, lowering_cards

#: More outs than these count as these.
MOST_OUTS = 100


@kernel
def unseen_copies(v, hand, seat, r, out):
    """Copies of each card that a seat does not see: not in its hand, the pile, the table, or another hand's known cards.

    Args:
        v: VIEW record of the seat: under open hands, it alone has all cards of other hands among the known.
        hand: uint8 (53,), the seat's own cards.
        seat: the observer.
        r: RULES record.
        out: uint8 (53,), written.
    """
    packs = i64(r["packs"])
    for card in range(CARDS):
        copies = i64(r["jokers"]) if card == JOKER else packs
        out[card] = copies - i64(hand[card]) - i64(v["pile_count"][card]) - i64(v["table_count"][card])
    for other in range(i64(r["num_players"])):
        if other != seat:
            for card in range(CARDS):
                out[card] -= v["known"][CARDS * other + card]


@kernel
def keeping_discards(hand, r, feas, dist, threes, fours, unseen, keeps, after, among, lowering):
    """The discards after which the contract distance is smallest.

    Args:
        hand: uint8 (53,), changed on the way, the same again on return.
        r: RULES record.
        feas, dist: the solver's tables.
        threes, fours: the contract.
        unseen: uint8 (53,), unseen copies of each card.
        keeps: uint8 (53,), written: 1 for the discards with the smallest distance.
        after: int8 (53,), scratch.
        among: uint8 (53,), written: 1 for unseen cards that may lower the distance after one of these.
        lowering: uint8 (53,), scratch.

    Returns:
        The smallest distance after a discard; -1 if the hand has no natural card.
    """
    distance = distances_after_discard(hand, r, feas, dist, threes, fours, after)
    smallest = i64(-1)  # a plain -1 would have the solver compiled once more for it
    for card in range(JOKER):
        if after[card] >= 0 and (smallest < 0 or after[card] < smallest):
            smallest = i64(after[card])
    for card in range(CARDS):
        keeps[card] = card < JOKER and smallest >= 0 and after[card] == smallest
        among[card] = unseen[card] > 0
    if smallest == distance and smallest > 0:
        # What lowers the distance of a smaller hand lowers that of the larger one of the same distance: no others need be tried.
        lowering_cards(hand, r, feas, dist, threes, fours, distance, among, lowering)
        for card in range(CARDS):
            among[card] = lowering[card]
    return smallest


@kernel
def outs_after(hand, r, feas, dist, threes, fours, unseen, among, smallest, card, least):
    """Unseen cards that lower the distance after one of the discards of `keeping_discards`.

    Args:
        hand, r, feas, dist, threes, fours, unseen, among: as there.
        smallest: the distance after the discard.
        card: the discard.
        least: fewer are not worth counting.

    Returns:
        Their number, at most `MOST_OUTS`; -1 for fewer than `least`.
    """
    if smallest <= 0:
        return i64(0) if least <= 0 else i64(-1)
    hand[card] -= 1
    found = copies_that_lower(hand, r, feas, dist, threes, fours, smallest, among, unseen, card, least)
    hand[card] += 1
    return min(found, MOST_OUTS)


@kernel
def sort_by_worth(cards, worth, n):
    """Sort the first n cards, the greatest `worth[card]` first, equal ones as they stood."""
    for i in range(1, n):
        card = cards[i]
        k = i
        while k > 0 and worth[cards[k - 1]] < worth[card]:
            cards[k] = cards[k - 1]
            k -= 1
        cards[k] = card


@kernel
def best_discards(hand, r, feas, dist, threes, fours, unseen, keeps, outs, after, among, lowering):
    """`keeping_discards`, and what each of them leaves open: `outs`, uint8 (53,), written. Returns the smallest distance."""
    smallest = keeping_discards(hand, r, feas, dist, threes, fours, unseen, keeps, after, among, lowering)
    for card in range(CARDS):
        outs[card] = 0
        if keeps[card]:
            outs[card] = outs_after(hand, r, feas, dist, threes, fours, unseen, among, smallest, card, i64(0))
    return smallest
