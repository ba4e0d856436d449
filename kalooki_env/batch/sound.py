"""Whether saved lanes can be: what stands beside positions (LANE), checked before compiled code sees any of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.batch.layout import Autoreset, OnIllegal
from kalooki_env.core import Phase
from kalooki_env.game.engine import Engine
from kalooki_env.game.sound import Choices, check_positions
from kalooki_env.game.sound_records import Records, lane_name
from kalooki_env.observe.solver_piece import distances_of_lane

#: Fields that may hold any number: of generators.
FREE = ("rng", "lots")
#: Beside generators, what a lane keeps that has to be reset.
KEPT = ("rng", "lots", "illegal", "skipped", "choices", "dealer", "place", "deal")
#: Fields whose value is known from elsewhere: of the environment, or of its match.
TOLD = ("dealer", "table", "deal", "dealing", "deal_seed", "at_table", "of_match")
#: Reward that a seat can be owed at most: thousands of points.
_MOST_OWED = 1e6


def tidy(states: NDArray[np.void], lanes: NDArray[np.void], was_reset: NDArray[np.bool_]) -> None:
    """Clear, in place, what nobody reads any more, so that saved states are the same bytes for the same lanes.

    Args:
        states, lanes: STATE (N,) and LANE (N,).
        was_reset: bool (N,): the other lanes wait for a reset, and keep what it looks at.
    """
    for records, kept in ((states, ("rng",)), (lanes, KEPT)):
        cleared = np.zeros(int((~was_reset).sum()), records.dtype)
        for field in kept:
            cleared[field] = records[field][~was_reset]
        records[~was_reset] = cleared
    lanes["legal"][np.arange(core.MAX_ACTIONS) >= lanes["n"][:, None]] = 0
    for field in ("at_table", "of_match"):
        lanes[field][lanes["table"] == 0] = 0
    lanes["of_match"][np.arange(core.SEATS) >= lanes["table"][:, None]] = 0


def check_lanes(
    states: NDArray[np.void],
    lanes: NDArray[np.void],
    was_reset: NDArray[np.bool_],
    *,
    table: Engine,
    rules: NDArray[np.void],
    engine_of: Callable[[int], Engine],
    settings: Any,
    told: Mapping[str, NDArray[np.int64]],
    standing: Mapping[str, NDArray[np.int64]],
    is_over: NDArray[np.bool_] | None,
) -> None:
    """Refuse lanes that cannot be; nothing is changed.

    Args:
        states: STATE (N,).
        lanes: LANE (N,).
        was_reset: bool (N,): the others wait for a reset; all are cleared as by `tidy`.
        table: engine of the table of all seats.
        rules: RULES, by `LANE["table"]`.
        engine_of: the engine of each of these tables.
        settings: SETTINGS record.
        told: what fields of LANE must be: those of `TOLD`, of which some may be left out: int64 (N, ...).
        standing: what fields of STATE must be that belong to a match: int64 (N, ...).
        is_over: in matches: which are over, bool (N,).

    Raises:
        ConfigError: a lane that cannot be; it names the lane, the field, what was found and what is allowed.
    """

    def some(records: NDArray[np.void], rows: NDArray[np.int64], each: NDArray[np.void] = table.record) -> Records:
        return Records(records[rows], np.broadcast_to(each, len(rows)), lambda at: lane_name(rows[at]))

    _check_ranges(some(lanes, np.arange(len(lanes))), settings)
    idle, rows = np.flatnonzero(~was_reset), np.flatnonzero(was_reset)
    if len(idle):
        _check_blank(some(states, idle), ("rng",))
        _check_blank(some(lanes, idle), KEPT)
        some(lanes, idle).equals("deal", told["deal"][idle] * (is_over is None), "the deal of the lane")
    own = some(lanes, rows)
    source = "as in this environment" if is_over is None else "as in the match"
    for field in TOLD:
        if field in told:
            own.equals(field, told[field][rows], source)
    which = own.whole("table")
    choices = check_positions(states[rows], rules, table.feas, which=which, name=lambda at: lane_name(rows[at]))
    played = some(states, rows, rules[which])
    for field, values in standing.items():
        played.equals(field, values[rows], source)
    _check_decisions(own, played, choices, settings, None if is_over is None else is_over[rows])
    _check_rewards(own, played, settings, engine_of)


def limits(seats: int, settings: Any) -> Mapping[str, tuple[int, int]]:
    """The least and the largest value of each field that has a range of its own."""
    replaces = settings["on_illegal"] != OnIllegal.RAISE
    count = 2**62
    return {
        "illegal": (0, count),
        "skipped": (0, count),
        "choices": (0, count),
        "n": (0, core.MAX_ACTIONS),
        "dealer": (-1, seats - 1),
        "place": (-1, seats - 1),
        "seat": (0, seats - 1),
        "waits_for": (0, 0),
        "table": (0, seats - 1),
        "deal": (0, core.DEALS),
        "over": (0, int(settings["autoreset"] != Autoreset.SAME_STEP)),
        "asked": (0, 1),
        "was_illegal": (0, int(replaces)),
        "dealing": (0, seats - 1),
        "at_table": (-1, seats - 1),
        "of_match": (0, seats - 1),
    }


def _check_ranges(lanes: Records, settings: Any) -> None:
    for field, (least, most) in limits(int(settings["seats"]), settings).items():
        lanes.between(field, least, most)
    lanes.zeros()
    potential, owed = lanes.records["potential"], lanes.records["owed"]
    lanes.require("potential", np.isfinite(potential), "a number")
    lanes.require("owed", np.abs(owed) <= _MOST_OWED, f"-{_MOST_OWED:.0f} to {_MOST_OWED:.0f}")
    if not settings["in_match"]:
        lanes.require("owed", owed == 0, "0 without a match")


def _check_blank(records: Records, kept: tuple[str, ...]) -> None:
    for field in records.names:
        if field not in kept:
            records.require(field, records.records[field] == 0, "0 before the first reset")


def _check_decisions(own: Records, played: Records, choices: Choices, settings: Any, is_over: NDArray[np.bool_] | None) -> None:
    """That each lane stands at a decision of the seat that is asked, with its legal actions, or is over."""
    over, asked = own.whole("over") == 1, own.whole("asked")
    phase = played.whole("phase")
    loses = settings["on_illegal"] == OnIllegal.LOSE
    was_illegal = own.whole("was_illegal") == 1
    own.require("asked", asked == 1, "1 after a reset")
    own.require("over", over | (phase != Phase.OVER), "1 once the deal is over")
    lost = over & was_illegal & loses & (phase != Phase.OVER)
    own.require("over", ~over | lost | (phase == Phase.OVER), "0 while the deal runs")
    if loses:
        own.require("was_illegal", over | ~was_illegal, "0 while the deal runs")
    if is_over is not None:
        own.require("over", is_over == (over & ~lost), "as in the match")
    counts = np.where(over, 0, choices.counts)
    own.equals("n", counts, "the number of legal actions")
    own.equals("legal", np.where(over[:, None], 0, choices.legal), "what is legal in the position")
    if settings["skips_forced"]:
        own.require("n", over | (counts > 1), "2 or more, where forced decisions are skipped")
    # The seat to move is the one that is asked.
    actor = played.whole("actor")
    seat = np.where(own.whole("table") > 0, own.of_seat("of_match", actor), actor)
    own.require("seat", over | (own.whole("seat") == seat), "the seat to move")
    if is_over is None:
        own.equals("dealer", played.whole("dealer"), "the dealer of the deal")
        deal = own.whole("deal")
        own.require("deal", (deal == 0) | (deal == played.whole("deal")), "the deal that is played")


def _check_rewards(own: Records, played: Records, settings: Any, engine_of: Callable[[int], Engine]) -> None:
    """Potentials of shaping are those of the position; what is owed is paid with the next step."""
    over = own.whole("over") == 1
    own.require("owed", ~over[:, None] | (own.records["owed"] == 0), "0 once all is over")
    wanted = np.zeros((len(over), core.SEATS))
    shaping = float(settings["shaping"])
    states = np.ascontiguousarray(played.records)
    for row in np.flatnonzero(~over).tolist() if shaping else ():
        size = int(own.whole("table")[row])
        table = engine_of(size)
        distances = np.zeros(table.num_players, np.int64)
        distances_of_lane(states, table.record, table.feas, table.dist, row, distances)
        seats = own.whole("of_match")[row, :size] if size else np.arange(table.num_players)
        if settings["asks_all"]:
            wanted[row, seats] = -shaping * distances
        else:
            wanted[row, 0] = -shaping * distances[seats == own.whole("seat")[row]][0]
    own.require("potential", own.records["potential"] == wanted, "that of the position")
