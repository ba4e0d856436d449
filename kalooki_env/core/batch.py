"""Loops over lanes: the form in which compiled code is called from Python. No rules here.

A batch is an array of STATE records; one RULES record (an array of one) serves all lanes. Lane i plays exactly what it would play
alone. All arrays must be C-contiguous and of the dtypes named, or Numba compiles everything once more.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.actions import MAX_ACTIONS
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.deal import deal_deck, end_deal, shuffled_deal
from kalooki_env.core.kaluki.step import complete_kaluki
from kalooki_env.core.layout import FILL, MAX_DECK, MELD, MELDS_PER_SEAT, OVER, PLAY, THREE
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.melds import note_fits
from kalooki_env.core.memory import stack_array
from kalooki_env.core.rng import below, seeded
from kalooki_env.core.step import apply, begin_play, call_possible
from kalooki_env.core.view import agrees, make_view, permute_hidden, put_on_top

#: Answers of `step`.
STEPPED, ILLEGAL, WAS_OVER = 0, 1, 2


@kernel
def seed_lanes(states, seeds):
    """Set the generators. `seeds`: uint64 (N,)."""
    for lane in range(states.shape[0]):
        states[lane]["rng"] = seeded(seeds[lane])


@kernel
def reset_lanes(states, rules, deals, dealers):
    """Shuffle and deal every lane with its own generator. `deals` (1 to 9) and `dealers`: int64 (N,)."""
    deck = stack_array(MAX_DECK, np.uint8)
    for lane in range(states.shape[0]):
        shuffled_deal(states[lane], rules[0], deals[lane], dealers[lane], deck)


@kernel
def reset_lane(states, rules, lane, deal, dealer):
    """As `reset_lanes`, for one lane."""
    deck = stack_array(MAX_DECK, np.uint8)
    shuffled_deal(states[lane], rules[0], deal, dealer, deck)


@kernel
def reset_with_deck(states, rules, lane, deal, dealer, deck):
    """Deal one lane from a given deck, top first: uint8, all cards."""
    deal_deck(states[lane], rules[0], deal, dealer, deck)


@kernel
def contains(legal, n, action):
    """Whether the first n entries of an array hold an action."""
    for i in range(n):
        if legal[i] == action:
            return True
    return False


@kernel
def step_lanes(states, rules, feas, actions, codes):
    """Carry out an action in every lane, if it is legal; one below 0 leaves its lane alone.

    Args:
        states: STATE (N,).
        rules: RULES (1,).
        feas: the solver's feasibility table.
        actions: int64 (N,).
        codes: uint8 (N,), written: STEPPED, ILLEGAL or WAS_OVER.
    """
    legal = stack_array(MAX_ACTIONS, np.int16)
    for lane in range(states.shape[0]):
        codes[lane] = STEPPED
        if actions[lane] < 0:
            continue
        s = states[lane]
        if s["phase"] == OVER:
            codes[lane] = WAS_OVER
        elif contains(legal, legal_actions(s, rules[0], feas, legal), actions[lane]):
            apply(s, rules[0], feas, actions[lane], legal)
        else:
            codes[lane] = ILLEGAL


@kernel
def write_mask(legal, n, mask):
    """Write a list of legal actions as an int8 mask."""
    mask[:] = 0
    for i in range(n):
        mask[legal[i]] = 1


@kernel
def mask_lanes(states, rules, feas, masks):
    """Masks of the seats to move. `masks`: int8 (N, num_actions); all zeros where the deal is over."""
    legal = stack_array(MAX_ACTIONS, np.int16)
    for lane in range(states.shape[0]):
        n = legal_actions(states[lane], rules[0], feas, legal)
        write_mask(legal, n, masks[lane])


@kernel
def views_of_lanes(states, rules, lanes, seats, views):
    """Views of one seat of each listed lane. `views`: VIEW (n,), written."""
    for i in range(lanes.shape[0]):
        make_view(states[lanes[i]], rules[0], i64(seats[i]), views[i])


@kernel
def resample_lane(states, rules, feas, lane, seat, source, trial, tries):
    """Replace the cards that a seat cannot see by others that agree with its view, uniformly at random.

    Which placements of a lay-down were made by auto-fill, and so had no alternative, is not taken into account.

    Args:
        states: STATE (N,); only `states[lane]` is changed, and only on success.
        seat: the observer.
        source: STATE (1,), whose generator is used.
        trial: STATE (1,), scratch.
        tries: most draws. One is enough except in the midst of another seat's lay-down, lay-off or joker move.

    Returns:
        True on success.
    """
    pool = stack_array(MAX_DECK, np.uint8)
    legal = stack_array(MAX_ACTIONS, np.int16)
    for _ in range(tries):
        trial[0] = states[lane]
        permute_hidden(trial[0], rules[0], seat, source[0], pool)
        if agrees(trial[0], rules[0], feas, seat, legal):
            states[lane] = trial[0]
            return True
    return False


@kernel
def set_next_draw(states, lane, card):
    """Make a card of the stock the next to be drawn; False if the stock does not hold it."""
    return put_on_top(states[lane], card)


@kernel
def complete_lane(states, rules, feas, lane):
    """Fill in what follows from the rest of a record set up by hand: `fits`, `can_lay`, the state of a lay-down, scores."""
    s = states[lane]
    r = rules[0]
    if i64(r["kaluki"]):
        complete_kaluki(s, r)
        return
    note_fits(s, r)
    phase = i64(s["phase"])
    seat = i64(s["actor"])
    deal = i64(s["deal"]) - 1
    if phase == PLAY:
        begin_play(s, r, feas, seat)
    elif phase == OVER:
        end_deal(s, r, i64(s["winner"]))
    elif phase == MELD or phase == FILL:
        s["threes_left"] = r["threes"][deal]
        s["fours_left"] = r["fours"][deal]
        for k in range(i64(s["meld_n"][seat]) + (phase == FILL)):
            slot = MELDS_PER_SEAT * seat + k
            key = i64(s["meld_key"][slot])
            if i64(s["meld_kind"][slot]) == THREE:
                s["threes_left"] -= 1
                s["used_ranks"] = i64(s["used_ranks"]) | (1 << key)
            else:
                s["fours_left"] -= 1
                s["used_suits"] = i64(s["used_suits"]) | (1 << key)


@kernel
def call_possible_in_lane(states, rules, lane):
    """Whether the stock allows a call on the upcard (J6.2e)."""
    return call_possible(states[lane], rules[0])


@kernel
def random_below(states, lane, n):
    """A random integer from 0 to n - 1 from a lane's generator."""
    return below(states[lane], n)


@kernel
def list_lane(states, rules, feas, lane, legal):
    """List the legal actions of a lane's seat to move.

    Args:
        legal: int16 (MAX_ACTIONS,), written: the actions, ascending.

    Returns:
        256 * (number of legal actions) + 16 * phase + seat to move.
    """
    s = states[lane]
    n = legal_actions(s, rules[0], feas, legal)
    return 256 * n + 16 * i64(s["phase"]) + i64(s["actor"])


@kernel
def step_listed(states, rules, feas, lane, action, legal, n):
    """Carry out an action if it is among the `n` legal ones listed in `legal`, then list anew as `list_lane` does.

    Returns:
        As `list_lane`; -1 if the action is not in the list: nothing has changed.
    """
    if not contains(legal, n, action):
        return -1
    apply(states[lane], rules[0], feas, action, legal)
    return list_lane(states, rules, feas, lane, legal)
