"""The start of a deal (J4.2), the stock and its renewal (J12), and the end of a deal with its scores (J11)."""

from __future__ import annotations

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CARDS, DRAW, JOKER, MELDS, OVER, PLAY, SEATS
from kalooki_env.core.rng import shuffle


@kernel
def deal_deck(s, r, deal, dealer, deck):
    """Set up a deal from a deck in a given order, top first; the generator is left as it is, and so is the match."""
    n = i64(r["num_players"])
    size = 52 * i64(r["packs"]) + i64(r["jokers"])
    hand_size = i64(r["hand_size"][deal - 1])
    clear(s)
    s["deal"] = deal
    s["dealer"] = dealer
    top = 0
    for _ in range(hand_size):
        for i in range(1, n + 1):
            s["hands"][(dealer + i) % n, deck[top]] += 1
            top += 1
    for seat in range(n):
        s["hand_n"][seat] = hand_size
    upcard = i64(deck[top])
    s["pile"][0] = upcard
    s["pile_n"] = 1
    s["pile_count"][upcard] = 1
    stock_n = size - top - 1
    for i in range(stock_n):
        s["stock"][i] = deck[size - 1 - i]
    s["stock_n"] = stock_n
    s["turn"] = (dealer + 1) % n
    s["actor"] = s["turn"]
    s["phase"] = DRAW


@kernel
def clear(s):
    """Empty a record, its generator and what belongs to the match aside."""
    s["scores"][:] = 0
    s["turns"] = 0
    s["used_ranks"] = 0
    s["used_suits"] = 0
    s["after_call"] = 0
    s["opened_now"] = 0
    s["reshuffles"] = 0
    s["threes_left"] = 0
    s["fours_left"] = 0
    s["meld_kind_now"] = 0
    s["meld_key_now"] = 0
    s["meld_low_now"] = 0
    s["target"] = 0
    s["target_high"] = 0
    s["caller"] = 0
    s["winner"] = -1
    s["can_lay"] = 0
    s["melds_laid"] = 0
    s["points_laid"] = 0
    s["owed_card"] = 0
    s["owed_jokers"] = 0
    s["stock_n"] = 0
    s["pile_n"] = 0
    for seat in range(SEATS):
        s["hand_n"][seat] = 0
        s["opened"][seat] = 0
        s["meld_n"][seat] = 0
        s["calls_made"][seat] = 0
        s["calls_allowed"][seat] = 0
        s["answers_allow"][seat] = 0
        s["answers_refuse"][seat] = 0
        for card in range(CARDS):
            s["hands"][seat, card] = 0
    s["known"][:] = 0
    s["discarded"][:] = 0
    s["declined"][:] = 0
    for slot in range(MELDS):
        s["meld_kind"][slot] = 0
        s["meld_key"][slot] = 0
        s["meld_low"][slot] = 0
        s["meld_len"][slot] = 0
        s["meld_bits"][slot] = 0
        s["meld_owner"][slot] = 0
    for card in range(CARDS):
        s["pile_count"][card] = 0
        s["table_count"][card] = 0
        s["fits"][card] = 0
    # Cards beyond the ends of stock and pile have no meaning, but a record must be the same bytes for the same position.
    s["stock"][:] = 0
    s["pile"][:] = 0


@kernel
def shuffled_deal(s, r, deal, dealer, deck):
    """Shuffle with the lane's generator and deal. `deck` is scratch space for a whole deck."""
    packs = i64(r["packs"])
    size = 0
    for card in range(CARDS):
        for _ in range(i64(r["jokers"]) if card == JOKER else packs):
            deck[size] = card
            size += 1
    shuffle(s, deck, size)
    deal_deck(s, r, deal, dealer, deck)


@kernel
def can_renew(s, r):
    """Whether an empty stock could be renewed from the pile (J12.1)."""
    return i64(s["pile_n"]) >= 2 and i64(s["reshuffles"]) < i64(r["reshuffle_max"])


@kernel
def stock_can_give(s, r):
    """Whether a card can be drawn from the stock, renewed if need be (J12.1)."""
    return i64(s["stock_n"]) > 0 or can_renew(s, r)


@kernel
def renew_stock(s):
    """Shuffle the pile below the upcard into the empty stock (J12.1); what was noted of discards is forgotten."""
    n = i64(s["pile_n"]) - 1
    top = s["pile"][n]
    for i in range(n):
        s["stock"][i] = s["pile"][i]
        s["pile"][i] = 0
    s["pile"][n] = 0
    s["stock_n"] = n
    shuffle(s, s["stock"], n)
    s["pile"][0] = top
    s["pile_n"] = 1
    s["pile_count"][:] = 0
    s["pile_count"][top] = 1
    s["discarded"][:] = 0
    s["declined"][:] = 0
    s["reshuffles"] += 1


@kernel
def draw_from_stock(s, seat):
    """Move the top card of the stock, renewed if it is empty, into a hand."""
    if i64(s["stock_n"]) == 0:
        renew_stock(s)
    n = i64(s["stock_n"]) - 1
    card = i64(s["stock"][n])
    s["stock"][n] = 0
    s["stock_n"] = n
    s["hands"][seat, card] += 1
    s["hand_n"][seat] += 1


@kernel
def take_upcard(s, seat):
    """Move the upcard into a hand, where everybody knows it to be."""
    n = i64(s["pile_n"]) - 1
    card = i64(s["pile"][n])
    s["pile"][n] = 0
    s["pile_n"] = n
    s["pile_count"][card] -= 1
    s["hands"][seat, card] += 1
    s["hand_n"][seat] += 1
    s["known"][CARDS * seat + card] += 1


@kernel
def play_from_hand(s, seat, card):
    """Take a card out of a hand; of two like cards the known one counts as played first."""
    s["hands"][seat, card] -= 1
    s["hand_n"][seat] -= 1
    if i64(s["known"][CARDS * seat + card]) > 0:
        s["known"][CARDS * seat + card] -= 1


@kernel
def hand_points(s, r, seat):
    """Points of the cards in a hand (J2.2)."""
    total = 0
    for card in range(CARDS):
        total += i64(s["hands"][seat, card]) * i64(r["points"][card])
    return total


@kernel
def back_to_play(s, r, seat):
    """On with the turn, or out if the hand is empty (J10.2, KL5.1)."""
    s["phase"] = PLAY
    if i64(s["hand_n"][seat]) == 0:
        end_deal(s, r, seat)


@kernel
def end_deal(s, r, winner):
    """Close the deal and score it (J11, J12.5); winner -1 for a blocked deal."""
    for seat in range(i64(r["num_players"])):
        if seat == winner:
            s["scores"][seat] = r["go_out_score"]
        else:
            unmet = 0 if i64(s["opened"][seat]) else i64(r["unmet_opening_penalty"])
            s["scores"][seat] = hand_points(s, r, seat) + unmet
    s["winner"] = winner
    s["phase"] = OVER
    # Nobody is to move: one and the same bytes for the same position.
    s["turn"] = 0
    s["actor"] = 0
    s["can_lay"] = 0
    s["opened_now"] = 0
    s["after_call"] = 0
