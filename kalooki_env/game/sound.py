"""Whether STATE records from elsewhere are positions: every field is looked at before compiled code sees any of them.

Compiled code trusts positions. A record that contradicts itself would have it read and write beyond arrays, or never return. So
ranges come first, then what fields say of each other, and only then the engine is asked what follows from the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.errors import ConfigError
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.sound_melds import check_melds
from kalooki_env.game.sound_records import Records, lane_name

#: Fields that follow from the others, and are compared with what the engine makes of these.
DERIVED = ("scores", "used_ranks", "used_suits", "threes_left", "fours_left", "points_laid", "fits", "can_lay")
#: Fields that may hold any number.
FREE = ("rng",)
#: Records that are looked at together: arrays in which a field is spread out stay small.
_BLOCK = 1024
#: Most copies of a card that a seat can have discarded or declined: one in each of its turns (J12.4).
_MOST_ROUNDS = 61
#: Most cards of a hand that was set up for an exercise in Kaluki: the exact search takes too long for larger ones, which are
#: nearly twice as large as any that is dealt.
MOST_HELD = 30
#: More calls than this a text cannot give to a seat.
_MOST_CALLS = 9_999
#: Phases in which a seat has drawn and its turn goes on.
_IN_TURN = (Phase.PLAY, Phase.MELD, Phase.FILL, Phase.LAYOFF, Phase.MOVE)


class Choices(NamedTuple):
    """The legal actions of some positions.

    Attributes:
        legal: int16 (N, MAX_ACTIONS), ascending; zeros behind the last.
        counts: how many there are, int64 (N,).
    """

    legal: NDArray[np.int16]
    counts: NDArray[np.int64]


def check_positions(
    states: NDArray[np.void],
    rules: NDArray[np.void],
    feas: NDArray[Any],
    *,
    which: NDArray[np.int64] | None = None,
    is_dealt: bool = True,
    name: Callable[[int], str] = lane_name,
) -> Choices:
    """Refuse records that are no positions; nothing is changed.

    Args:
        states: STATE (N,).
        rules: RULES of the tables, of one game; from `Engine.record`, and trusted.
        feas: the solver's feasibility table.
        which: index into `rules` of each record, int64 (N,); default: all 0.
        is_dealt: the positions came about by play from a deal. Those that were set up from texts may have other numbers of cards
            in the hands, and of turns.
        name: what a record is called in messages, by its index.

    Returns:
        Their legal actions, which had to be listed for the check.

    Raises:
        ConfigError: a record that cannot be; it names the record, the field, what was found and what is allowed.
    """
    if states.dtype != core.STATE or states.ndim != 1:
        raise ConfigError(f"positions {states.dtype.itemsize} bytes {states.shape} are not allowed; allowed: STATE (N,)")
    which = np.zeros(len(states), np.int64) if which is None else which
    found = Choices(np.zeros((len(states), core.MAX_ACTIONS), np.int16), np.zeros(len(states), np.int64))
    for first in range(0, len(states), _BLOCK):
        part = slice(first, first + _BLOCK)
        records = Records(states[part], rules[which[part]], partial(_name_in_block, name, first))
        _check_ranges(records)
        table_count = check_melds(records)
        _check_cards(records, table_count)
        _check_phases(records)
        _check_calls(records)
        _check_memory(records)
        if is_dealt:
            _check_course(records)
        elif records.is_kaluki:
            records.between("hand_n", 0, MOST_HELD)
        found.legal[part], found.counts[part] = _ask_engine(records, rules, feas, which[part])
    return found


def _name_in_block(name: Callable[[int], str], first: int, index: int) -> str:
    return name(first + index)


# ---- each field by itself ------------------------------------------------------------------------------------------------


def _check_ranges(records: Records) -> None:
    for field, (least, most) in limits(records).items():
        records.between(field, least, most)
    records.zeros()
    players = records.rule("num_players")
    sits = np.arange(core.SEATS) < players[:, None]
    for field in records.names:
        shape = records.records.dtype[field].shape
        if shape in ((core.SEATS,), (core.SEATS, core.CARDS), (core.SEATS * core.CARDS,)):
            values = records.records[field]
            there = sits if shape == (core.SEATS,) else np.repeat(sits, core.CARDS, axis=1).reshape(values.shape)
            records.require(field, there | (values == 0), "0 for a seat that is not there")


def limits(records: Records) -> Mapping[str, tuple[Any, Any]]:
    """The least and the largest value of each field that has a range of its own; arrays are by record."""
    rule = records.rule
    players, deck = rule("num_players"), records.deck
    size = deck.sum(axis=1)
    seats, jokers = players - 1, deck[:, core.JOKER]
    kaluki = int(records.is_kaluki)
    copies = deck.max(axis=1)
    no_end = np.iinfo(np.int64).max
    lows = core.RUN_LOWS if kaluki else core.LOWS
    melds = core.MELDS if kaluki else core.MELDS_PER_SEAT
    return {
        "totals": (-no_end, no_end),
        "match_deal": (0, no_end),
        "turns": (0, rule("max_turns")),
        "deal": (1, rule("deals")),
        "dealer": (0, seats),
        "phase": (0, max(Phase)),
        "turn": (0, seats),
        "actor": (0, seats),
        "caller": (0, seats),
        "winner": (-1, seats),
        "after_call": (0, 1),
        "opened_now": (0, 1),
        "reshuffles": (0, rule("reshuffle_max")),
        "meld_kind_now": (0, 2),
        "meld_key_now": (0, 12),
        "meld_low_now": (0, lows - 1),
        "target": (0, core.MELDS - 1),
        "target_high": (0, 1),
        "stock_n": (0, size),
        "pile_n": (0, size),
        "melds_laid": (0, core.MELDS * kaluki),
        "owed_card": (0, core.JOKER * kaluki),
        "owed_jokers": (0, jokers * kaluki),
        "hand_n": (0, size),
        "opened": (0, 1),
        "meld_n": (0, melds),
        "calls_made": (0, _MOST_CALLS),
        "calls_allowed": (0, np.minimum(rule("call_max"), _MOST_CALLS)),
        "answers_allow": (0, _MOST_CALLS),
        "answers_refuse": (0, _MOST_CALLS),
        "meld_kind": (0, 2),
        "meld_key": (0, 12),
        "meld_low": (0, 13),
        "meld_len": (0, size),
        "meld_bits": (0, 0xFFFF),
        "meld_owner": (0, seats * kaluki),
        "pile_count": (0, deck),
        "table_count": (0, deck),
        "pile": (0, core.JOKER),
        "known": (0, np.maximum(copies, jokers)),
        "discarded": (0, _MOST_ROUNDS),
        "declined": (0, _MOST_ROUNDS),
        "stock": (0, core.JOKER),
        "hands": (0, deck[:, None, :]),
    }


# ---- what fields say of each other ---------------------------------------------------------------------------------------


def _check_cards(records: Records, table_count: NDArray[np.int64]) -> None:
    """Every card of the deck lies in one place, and all counts are those of the cards."""
    states = records.records
    records.equals("table_count", table_count, "the cards of the melds")
    hands = states["hands"].astype(np.int64)
    records.equals("hand_n", hands.sum(axis=2), "the cards of the hand")
    counted = hands.sum(axis=1) + table_count
    places = np.arange(core.MAX_DECK)
    for field in ("pile", "stock"):
        cards, size = records.whole(field), records.whole(f"{field}_n")
        lies = places < size[:, None]
        records.require(field, lies | (cards == 0), "0 behind the last card")
        rows, at = np.nonzero(lies)
        counts = np.bincount(core.CARDS * rows + cards[rows, at], minlength=core.CARDS * len(cards)).reshape(-1, core.CARDS)
        if field == "pile":
            records.equals("pile_count", counts, "the cards of the pile")
        counted += counts
    wrong = counted != records.deck
    if wrong.any():
        lane, card = (int(at) for at in np.argwhere(wrong)[0])
        raise ConfigError(
            f"{records.name(lane)}: hands, stock, pile and table_count hold {counted[lane, card]} of {CARD_NAMES[card]}; "
            f"allowed: {records.deck[lane, card]}"
        )


def _check_phases(records: Records) -> None:
    """What each phase needs, and what only some phases have."""
    phase, actor, turn = (records.whole(field) for field in ("phase", "actor", "turn"))
    opened, hand_n = records.of_seat("opened", actor) == 1, records.whole("hand_n")
    is_over = phase == Phase.OVER

    def during(*phases: Phase) -> NDArray[np.bool_]:
        return np.isin(phase, phases)

    calling = during(Phase.CALL, Phase.ANSWER)
    has_calls = records.rule("calls_enabled") == 1
    records.require("phase", ~calling | has_calls, "no calls under these rules")
    records.require("turn", calling | (turn == actor), "the seat to move")
    records.require("actor", ~is_over | (actor == 0), "0 once the deal is over")
    records.require("winner", is_over | (records.whole("winner") == -1), "-1 while the deal runs")
    records.require("caller", during(Phase.ANSWER) | (records.whole("caller") == 0), "0 but in the phase answer")
    turns = records.whole("turns")
    records.require("turns", is_over | (turns < records.rule("max_turns")), "fewer while the deal runs (J12.4)")
    after_call = records.whole("after_call") == 1
    some_call = records.whole("calls_allowed").any(axis=1)
    records.require("after_call", ~after_call | (during(Phase.DRAW) & some_call), "1 only at a draw after an allowed call")
    opened_now = records.whole("opened_now") == 1
    if records.is_kaluki:
        allowed = during(Phase.PLAY, Phase.MOVE)
        allowed |= during(Phase.FILL) & (records.rule("melds_when_opening") == 1)
        allowed |= during(Phase.LAYOFF) & (records.rule("lays_off_when_opening") == 1)
    else:
        allowed = during(Phase.PLAY, Phase.LAYOFF)
    records.require("opened_now", ~opened_now | (allowed & opened), "1 only in the turn of a seat that has opened")
    laying = during(Phase.MELD) if records.is_kaluki else during(Phase.MELD, Phase.FILL)
    records.require("phase", ~laying | ~opened, "no lay-down by a seat that has opened (J7.1)")
    records.require("phase", ~during(Phase.LAYOFF) | opened, "no lay-off before the opening (J8.1)")
    swaps = records.rule("swaps_before_opening") == 1
    records.require("phase", ~during(Phase.MOVE) | opened | swaps, "no joker move or swap before the opening (J9.1, KL4.4)")
    # Who has opened and holds no card has gone out (J10.2).
    winner = records.whole("winner")
    is_winner = np.arange(core.SEATS) == winner[:, None]
    gone_out = (records.whole("opened") == 1) & (hand_n == 0)
    records.require("hand_n", gone_out == is_winner, "0 for the seat that went out, and for no other that has opened", hand_n)
    to_play = during(*_IN_TURN)
    records.require("hand_n", ~to_play | (records.of_seat("hand_n", actor) > 0), "1 or more for the seat to play")
    owed = records.whole("owed_card")
    debts = (owed > 0) | (records.whole("owed_jokers") > 0)
    records.require("owed_card", ~debts | to_play, "nothing owed but by a seat that plays")
    if records.is_kaluki:
        rules = ("owes_upcard_to_open", "owes_upcard_opened", "owes_swapped_joker")
        upcard = (records.rule(rules[0]) == 1) | (records.rule(rules[1]) == 1)
        rows = np.arange(len(actor))
        held = records.records["hands"][rows, actor]
        holds = held[rows, np.maximum(owed - 1, 0)] > 0
        records.require("owed_card", (owed == 0) | (upcard & holds), "a card that the seat to play took and holds")
        most = np.where(upcard | (records.rule(rules[2]) == 1), held[:, core.JOKER].astype(np.int64), 0)
        records.between("owed_jokers", 0, most)


def _check_calls(records: Records) -> None:
    """Calls and their answers (J6)."""
    phase, actor, turn = (records.whole(field) for field in ("phase", "actor", "turn"))
    players = records.rule("num_players")
    made, allowed = records.whole("calls_made"), records.whole("calls_allowed")
    answers = records.whole("answers_allow"), records.whole("answers_refuse")
    is_open = phase == Phase.ANSWER
    records.require("calls_allowed", allowed <= made, "as many as were made, or fewer")
    records.require("answers_allow", answers[0].sum(axis=1) == allowed.sum(axis=1), "one for each allowed call", answers[0])
    answered = answers[0].sum(axis=1) + answers[1].sum(axis=1)
    records.require("calls_made", made.sum(axis=1) == answered + is_open, "one for each answer, and the open one", made)
    if not records.is_kaluki:
        has_calls = records.rule("calls_enabled") == 1
        records.require("calls_made", has_calls | (made.sum(axis=1) == 0), "0 under rules without calls", made)
    at_call = is_open | (phase == Phase.CALL)
    after = (turn + 1) % players
    caller = np.where(is_open, records.whole("caller"), actor)
    may = (caller != turn) & (caller != after) & (records.of_seat("opened", caller) == 0)
    may &= records.of_seat("calls_allowed", caller) < records.rule("call_max")
    records.require("caller", ~is_open | may, "a seat that may call (J6.2)")
    records.require("actor", ~at_call | is_open | may, "a seat that may call (J6.2)")
    decider = np.where(records.rule("next_player_decides") == 1, after, turn)
    records.require("actor", ~is_open | (actor == decider), "the seat that answers calls (J6.4)")
    records.require("turns", ~at_call | (records.whole("turns") > 0), "1 or more at a call")
    stock, pile = records.whole("stock_n"), records.whole("pile_n")
    renewable = (stock > 0) | (records.whole("reshuffles") < records.rule("reshuffle_max"))
    possible = (pile > 0) & (stock + pile >= 3) & renewable
    records.require("stock_n", ~at_call | possible, "a penalty card, and one for the next seat, at a call (J6.2e)")
    upcard = records.whole("pile")[np.arange(len(pile)), np.maximum(pile - 1, 0)]
    records.require("pile", ~at_call | (upcard != core.JOKER), "no joker on top at a call (J10.1)", upcard)


def _check_memory(records: Records) -> None:
    """What everybody knows of the hands and has seen."""
    states = records.records
    shape = len(states), core.SEATS, core.CARDS
    known = states["known"].reshape(shape)
    fine = (known <= states["hands"]).reshape(len(states), -1)
    records.require("known", fine, "as many as the seat holds, or fewer")
    records.require("totals", (records.whole("match_deal") > 0)[:, None] | (states["totals"] == 0), "0 without a match")


def _check_course(records: Records) -> None:
    """What holds of positions that came about by play: whose turn it is, and how many cards are in the hands."""
    rule, whole = records.rule, records.whole
    phase, turn, actor, turns = (whole(field) for field in ("phase", "turn", "actor", "turns"))
    players = rule("num_players")
    is_over = phase == Phase.OVER
    finished = np.isin(phase, (Phase.CALL, Phase.ANSWER))  # the turn has been counted, and the next one not begun
    due = (whole("dealer") + 1 + turns - finished) % players
    records.require("turn", is_over | (turn == due), "the seat that is due after so many turns")
    _check_discards(records)
    draws = turns + 1 + whole("calls_allowed").sum(axis=1)
    records.require("reshuffles", whole("reshuffles") <= draws, "as many as cards were drawn, or fewer")
    records.require("calls_made", whole("calls_made").sum(axis=1) <= turns, "one in each turn", whole("calls_made"))
    rows = np.arange(len(phase))
    # Who has drawn in this turn: the seat that plays, or that has just gone out.
    drawer = np.where(np.isin(phase, _IN_TURN), actor, whole("winner"))
    plays = np.arange(core.SEATS) == drawer[:, None]
    deal = whole("deal") - 1
    dealt = states_rule(records, "hand_size", deal)
    had = dealt[:, None] + 2 * whole("calls_allowed") + plays
    opened: NDArray[np.bool_] = whole("opened") == 1
    hand_n = whole("hand_n")
    laid = np.zeros_like(hand_n)
    lengths, slots = whole("meld_len"), np.arange(core.MELDS)
    owners = whole("meld_owner") if records.is_kaluki else np.minimum(slots // core.MELDS_PER_SEAT, core.SEATS - 1)
    np.add.at(laid, (rows[:, None], np.broadcast_to(owners, lengths.shape)), lengths)
    sits = np.arange(core.SEATS) < players[:, None]
    # A joker of a set may cost several naturals.
    loses = (rule("swaps_before_opening") & rule("swaps_whole_sets") == 1)[:, None] & (hand_n < had - laid)
    all_held = loses | (hand_n == had - laid)
    records.require("hand_n", opened | ~sits | all_held, "all cards that were dealt and drawn, before the opening")
    if records.is_kaluki:
        most = had - 3 * whole("meld_n")
    else:
        melds = 3 * states_rule(records, "threes", deal) + 4 * states_rule(records, "fours", deal)
        # A seat with jokers alone keeps what it draws (J10.3).
        most = np.maximum(had - melds[:, None], records.deck[:, core.JOKER, None] + plays)
    records.require("hand_n", ~opened | (hand_n <= most), "what an opening leaves, or less")


def _check_discards(records: Records) -> None:
    """What seats discarded and declined since the stock was renewed, of positions that came about by play."""
    whole = records.whole
    players, phase = records.rule("num_players")[:, None], whole("phase")[:, None]
    seats = np.arange(core.SEATS)
    places = (seats - whole("dealer")[:, None] - 1) % players  # in the order of the turns
    ended = np.where(seats < players, (whole("turns")[:, None] + players - 1 - places) // players, 0)
    playing = (seats == whole("actor")[:, None]) & np.isin(phase, _IN_TURN)
    # The discard that goes out, or the draw of a turn that somebody has gone out in, is not counted among the turns.
    last = (seats == whole("winner")[:, None]) & (phase == Phase.OVER)
    counts = {field: records.records[field].reshape(-1, core.SEATS, core.CARDS) for field in ("discarded", "declined")}
    sums = {field: cards.sum(axis=2, dtype=np.int64) for field, cards in counts.items()}
    records.require("declined", sums["declined"] <= ended + (playing | last), "one card in each turn of a seat", sums["declined"])
    discarded = sums["discarded"]
    records.require("discarded", discarded <= ended + last, "one card in each turn of a seat", discarded)
    # With jokers alone a seat of the Jamaican game that has opened discards nothing (J10.3).
    is_whole = (whole("reshuffles")[:, None] == 0) & (records.is_kaluki | (whole("opened") == 0))
    records.require("discarded", ~is_whole | (discarded >= ended), "a card in each turn of a seat", discarded)
    if not records.is_kaluki:
        jokers = counts["discarded"][:, :, core.JOKER]
        records.require("discarded", jokers == 0, "no joker (J10.1)", jokers)
        deeper = np.arange(core.MAX_DECK) > 0
        records.require("pile", ~deeper | (records.records["pile"] != core.JOKER), "no joker on a discard (J10.1)")


def states_rule(records: Records, key: str, deal: NDArray[np.int64]) -> NDArray[np.int64]:
    """A rule that is a row of numbers by deal: int64 (N,)."""
    return np.asarray(records.rules[key][np.arange(len(deal)), deal], np.int64)


# ---- what the engine makes of it -----------------------------------------------------------------------------------------


def _ask_engine(
    records: Records, rules: NDArray[np.void], feas: NDArray[Any], which: NDArray[np.int64]
) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Compare the fields that follow from others, and list what is legal."""
    states = np.ascontiguousarray(records.records)
    again = states.copy()
    for field in DERIVED:
        again[field] = 0
    tables = [rules[k : k + 1] for k in range(len(rules))]
    for lane, table in enumerate(which.tolist()):
        core.complete_lane(again, tables[table], feas, lane)
    for field in DERIVED:
        records.equals(field, again[field].astype(np.int64), "what follows from the position")
    legal = np.zeros((len(states), core.MAX_ACTIONS), np.int16)
    counts = np.zeros(len(states), np.int64)
    for lane, table in enumerate(which.tolist()):
        counts[lane] = core.list_lane(states, tables[table], feas, lane, legal[lane]) >> 8
    legal[np.arange(core.MAX_ACTIONS) >= counts[:, None]] = 0
    phase = records.whole("phase")
    # Auto-fill leaves no decision with a single card to place.
    least = np.where(phase == Phase.OVER, 0, 1 + np.isin(phase, (Phase.FILL, Phase.LAYOFF, Phase.MOVE)))
    records.require("phase", counts >= least, "a phase in which there is something to decide")
    return legal, counts
