"""Carrying out the actions in which Kaluki differs: openings, further melds, lay-offs and swaps (KL4)."""

from __future__ import annotations

from kalooki_env.core.actions import LAY_DOWN, PLACE
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.deal import back_to_play, end_deal, play_from_hand
from kalooki_env.core.kaluki.actions import END_MELD, END_OPENING, LAY_OFF_ONTO, RUN_LOWS, RUN_OF, SET_OF, SWAP_IN
from kalooki_env.core.kaluki.legal import can_open, joker_worth, kaluki_actions, run_end
from kalooki_env.core.kaluki.swaps import ALL_SUITS, jokers_in, leaves_as_a_whole, replace_joker
from kalooki_env.core.layout import CARDS, FILL, FOUR, JOKER, LAYOFF, MELD, MOVE, OVER, PLAY, THREE
from kalooki_env.core.melds import add_to_four, add_to_three, card_at, joker_at, naturals_in_three

_TOP_PLACE = 13


@kernel
def kaluki_apply(s, r, action, scratch):
    """Carry out a legal action from `place` on that is not a draw, and what follows without a choice.

    Args:
        s: STATE record.
        r: RULES record.
        action: its number.
        scratch: int16 array with room for all actions.
    """
    seat = i64(s["actor"])
    if action == LAY_DOWN:
        s["can_lay"] = 0
        s["points_laid"] = 0
        s["phase"] = MELD
    elif action == END_MELD:
        _end_meld(s, r, seat)
    elif action == END_OPENING:
        _end_opening(s, r, seat)
    elif action >= SWAP_IN:
        if leaves_as_a_whole(s, r, action - SWAP_IN):
            _swap_set(s, r, seat, action - SWAP_IN)
            return
        s["target"] = action - SWAP_IN
        s["can_lay"] = 0  # found out anew when the card lies
        s["phase"] = MOVE
    elif action >= LAY_OFF_ONTO:
        s["target"] = (action - LAY_OFF_ONTO) // 2
        s["target_high"] = (action - LAY_OFF_ONTO) % 2
        s["phase"] = LAYOFF
    elif action >= SET_OF:
        _begin_meld(s, seat, action)
    else:
        _place(s, r, seat, action - PLACE)
    # `ACTIONS.md`, 2.5 and 8.3: what has no alternative is done at once.
    while s["phase"] == FILL or s["phase"] == LAYOFF or s["phase"] == MOVE:
        if kaluki_actions(s, r, scratch) != 1:
            return
        if i64(scratch[0]) == END_MELD:
            _end_meld(s, r, seat)
        else:
            _place(s, r, seat, i64(scratch[0]) - PLACE)


@kernel
def begin_kaluki_play(s, r, seat):
    """After the draw, or a swap: whether the hand can open."""
    s["can_lay"] = i64(s["opened"][seat]) == 0 and can_open(s, r, seat)


@kernel
def owe_upcard(s, r, seat, card):
    """Note what is owed for an upcard that was taken (KL4.1)."""
    if i64(r["owes_upcard_opened"] if i64(s["opened"][seat]) else r["owes_upcard_to_open"]):
        if card == JOKER:
            s["owed_jokers"] += 1
        else:
            s["owed_card"] = card + 1


@kernel
def note_kaluki_fits(s, r):
    """Bring up to date which cards could be laid off onto melds of seats that have opened (KL4.3)."""
    fits = s["fits"]
    fits[:] = 0
    for slot in range(i64(s["melds_laid"])):
        if i64(s["opened"][i64(s["meld_owner"][slot])]) == 0:
            continue
        key = i64(s["meld_key"][slot])
        if i64(s["meld_kind"][slot]) == THREE:
            if i64(s["meld_len"][slot]) < 4:
                fits[JOKER] = 1
                for suit in range(4):
                    if (i64(s["meld_bits"][slot]) >> (4 * suit)) & 15 == 0:
                        fits[13 * suit + key] = 1
            continue
        for high in range(2):
            place = run_end(s, r, slot, high)
            if place >= 0:
                fits[JOKER] = 1
                fits[card_at(key, place)] = 1


@kernel
def complete_kaluki(s, r):
    """Fill in what follows from the rest of a record set up by hand: `fits`, `can_lay`, the points of an opening, scores."""
    note_kaluki_fits(s, r)
    s["points_laid"] = 0
    phase = i64(s["phase"])
    seat = i64(s["actor"])
    if phase == PLAY:
        begin_kaluki_play(s, r, seat)
    elif phase == OVER:
        end_deal(s, r, i64(s["winner"]))
    elif phase == MELD or (phase == FILL and i64(s["opened"][seat]) == 0):
        for slot in range(i64(s["melds_laid"]) + (phase == FILL)):
            if i64(s["meld_owner"][slot]) == seat:
                s["points_laid"] += meld_points(s, r, slot)


@kernel
def meld_points(s, r, slot):
    """Opening value of a meld (KL2)."""
    key, bits = i64(s["meld_key"][slot]), i64(s["meld_bits"][slot])
    low, length = i64(s["meld_low"][slot]), i64(s["meld_len"][slot])
    points = i64(0)
    if i64(s["meld_kind"][slot]) == THREE:
        for suit in range(4):
            points += ((bits >> (4 * suit)) & 15) * i64(r["points"][13 * suit + key])
        return points + (length - naturals_in_three(bits)) * joker_worth(r, key)
    for place in range(low, low + length):
        card = card_at(key, place)
        points += joker_worth(r, card) if joker_at(bits, place) else i64(r["points"][card])
    return points


@kernel
def _begin_meld(s, seat, action):
    if action < RUN_OF:
        kind, key, low = THREE, action - SET_OF, 0
    else:
        kind, key, low = FOUR, (action - RUN_OF) // RUN_LOWS, (action - RUN_OF) % RUN_LOWS
    slot = i64(s["melds_laid"])
    s["meld_owner"][slot] = seat
    s["meld_kind"][slot] = kind
    s["meld_key"][slot] = key
    s["meld_low"][slot] = low
    s["meld_kind_now"] = kind
    s["meld_key_now"] = key
    s["meld_low_now"] = low
    s["phase"] = FILL


@kernel
def _place(s, r, seat, card):
    """Put a card from the hand where the phase says."""
    phase = i64(s["phase"])
    play_from_hand(s, seat, card)
    if phase == FILL:
        _fill(s, r, seat, card)
        return
    slot = i64(s["target"])
    if phase == MOVE:
        replace_joker(s, slot, card)
        s["table_count"][card] += 1
        _take_jokers(s, r, seat, 1)
    elif i64(s["meld_kind"][slot]) == THREE:
        add_to_three(s, slot, card)
    else:
        add_to_four(s, slot, run_end(s, r, slot, i64(s["target_high"])), card)
    s["target"] = 0
    s["target_high"] = 0
    _after_the_table_changed(s, r, seat)


@kernel
def _fill(s, r, seat, card):
    """Put a card into the meld that is being filled; one that is full or takes the last card ends."""
    slot = i64(s["melds_laid"])
    key = i64(s["meld_key_now"])
    stands_for = card
    if i64(s["meld_kind_now"]) == THREE:
        add_to_three(s, slot, card)
        if card == JOKER:
            stands_for = key
        full = i64(s["meld_len"][slot]) == 4
    else:
        place = i64(s["meld_low"][slot]) + i64(s["meld_len"][slot])
        add_to_four(s, slot, place, card)
        if card == JOKER:
            stands_for = card_at(key, place)
        full = place == _TOP_PLACE
    if i64(s["opened"][seat]) == 0:
        s["points_laid"] += joker_worth(r, stands_for) if card == JOKER else i64(r["points"][card])
    if card == JOKER:
        s["owed_jokers"] = max(i64(0), i64(s["owed_jokers"]) - 1)
    elif i64(s["owed_card"]) == card + 1:
        s["owed_card"] = 0
    if full:
        _end_meld(s, r, seat)


@kernel
def _end_meld(s, r, seat):
    """A meld lies; with an empty hand the opening and the deal end too."""
    s["melds_laid"] += 1
    s["meld_n"][seat] += 1
    s["meld_kind_now"] = 0
    s["meld_key_now"] = 0
    s["meld_low_now"] = 0
    if i64(s["opened"][seat]):
        note_kaluki_fits(s, r)
        back_to_play(s, r, seat)
    elif i64(s["hand_n"][seat]) == 0:
        _end_opening(s, r, seat)
    else:
        s["phase"] = MELD


@kernel
def _end_opening(s, r, seat):
    s["opened"][seat] = 1
    s["opened_now"] = 1
    s["points_laid"] = 0
    note_kaluki_fits(s, r)
    back_to_play(s, r, seat)


@kernel
def _swap_set(s, r, seat, slot):
    """Put naturals of all missing suits into a set, whose jokers all come into the hand (KL4.4)."""
    key, bits = i64(s["meld_key"][slot]), i64(s["meld_bits"][slot])
    jokers = jokers_in(s, slot)
    for suit in range(4):
        if (bits >> (4 * suit)) & 15 == 0:
            play_from_hand(s, seat, 13 * suit + key)
            s["table_count"][13 * suit + key] += 1
    s["meld_bits"][slot] = ALL_SUITS
    s["meld_len"][slot] = 4
    _take_jokers(s, r, seat, jokers)
    _after_the_table_changed(s, r, seat)


@kernel
def _take_jokers(s, r, seat, jokers):
    """Take jokers that have been replaced on the table into the hand, where everybody knows them to be."""
    s["table_count"][JOKER] -= jokers
    s["hands"][seat, JOKER] += jokers
    s["hand_n"][seat] += jokers
    s["known"][CARDS * seat + JOKER] += jokers
    s["owed_jokers"] += jokers * i64(r["owes_swapped_joker"])


@kernel
def _after_the_table_changed(s, r, seat):
    """On with the turn after a lay-off or a swap."""
    note_kaluki_fits(s, r)
    back_to_play(s, r, seat)
    if i64(s["opened"][seat]) == 0:
        begin_kaluki_play(s, r, seat)
