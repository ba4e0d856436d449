"""Records of a batch: what all lanes share, what a lane keeps beside its position, and scratch memory."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from kalooki_env.agents.bots import SCRATCH
from kalooki_env.core.actions import MAX_ACTIONS
from kalooki_env.core.layout import CARDS, DEALS, MAX_DECK, SEATS, VIEW
from kalooki_env.observe.batch import LONGEST
from kalooki_env.observe.schema import PIECES


class RewardKind(IntEnum):
    """What the end of a deal pays."""

    SCORE = 0
    ZERO_SUM = 1
    WIN = 2


class OnIllegal(IntEnum):
    """What becomes of an illegal action. Under RAISE none reaches compiled code."""

    RAISE = 0
    LOSE = 1
    REPLACE = 2


class Autoreset(IntEnum):
    """When a lane whose deal is over deals anew: in the next step, in the same one, or when it is told to."""

    NEXT_STEP = 0
    SAME_STEP = 1
    DISABLED = 2


#: Who plays a seat, beside the numbers of bots (0 and up): random legal actions; the seat that is asked. Agents outside of
#: compiled code have the numbers from OUTSIDE on.
RANDOM, ASKED, OUTSIDE = -1, -2, 16
#: What a lane has to do in a call.
NOTHING, RESET, STEP, RESUME, SHOW, DEAL = range(6)
#: Why a lane stopped: its seat has a decision, an outside agent has, or the deal is over.
ASK, WAIT, END = range(3)
#: What a lane in a match waits for, where no outside agent is asked: that a match is begun, or what follows a deal that has
#: ended, or one that an illegal action has ended.
BEGIN, ENDED, LOST = -1, -2, -3

#: Names of the numbers told about each lane, in the order of their rows.
INFOS = ("deal", "seat", "score", "winner", "blocked", "turns", "illegal")

#: Points per unit of reward.
SCALE = 100.0
#: Of so many parts are the shares of weighted deals.
PARTS = 2**31

#: The same for all lanes.
SETTINGS = np.dtype(
    [
        ("offsets", "i8", (len(PIECES) + 1,)),  # of the observation
        ("shaping", "f8"),
        ("illegal_reward", "f8"),
        ("solver_at", "i8"),  # first index of the solver's piece, -1 without it
        ("deals", "i8", (DEALS,)),  # numbers to draw from
        ("thresholds", "i8", (DEALS,)),  # for weighted draws: shares of PARTS, added up; zeros: equal weights
        ("deals_n", "i8"),
        ("dealer", "i8"),  # a seat, or -1: clockwise from deal to deal
        ("seat", "i8"),  # the seat that is asked, or -1: one place further behind the dealer from deal to deal
        ("players", "i8", (SEATS,)),  # who plays, clockwise from the seat that is asked; the first is unused
        ("scale", "f4", (LONGEST,)),
        ("reward", "u1"),
        ("on_illegal", "u1"),
        ("autoreset", "u1"),
        ("skips_forced", "u1"),
        ("useful_calls", "u1"),  # pass for the seat that is asked where a called card would be of no use
        ("asks_all", "u1"),  # self-play: whoever is to move is asked
        ("is_float", "u1"),
        ("seats", "u1"),  # of a lane; at a table of a match there may be fewer
        ("in_match", "u1"),  # an episode is a match
        ("pays_deals", "u1"),  # the end of a deal pays; in a match its end may pay instead
    ],
    align=True,
)

#: Beside the position of a lane.
LANE = np.dtype(
    [
        ("rng", "u8"),  # of whatever is not dealt: places, random bots, replaced actions
        ("lots", "u8"),  # of sampled actions alone: who samples plays the same deals as who does not
        ("illegal", "i8"),  # illegal actions so far
        ("skipped", "i8"),  # deals so far that ended before the seat had a decision
        ("choices", "i8"),  # decisions with more than one legal action so far, of all seats
        ("n", "i2"),  # number of legal actions; 0 where the deal is over
        ("dealer", "i1"),  # of the last deal; -1 before the first
        ("place", "i1"),  # seats behind the dealer of the seat that is asked; -1 before the first deal
        ("seat", "i1"),  # the seat that is asked
        ("waits_for", "i1"),  # number of an outside agent; 0 for none; below 0: of a match, see BEGIN
        ("table", "u1"),  # which RULES record: 0 for the table of all seats, else the number of seats at a smaller one
        ("deal", "u1"),  # the only number that this lane deals, 0 for any; in a match the number of the next deal
        ("over", "u1"),  # the deal is over, and the lane deals anew at its next step, or when told to
        ("asked", "u1"),  # the seat has had a decision in this episode
        ("was_illegal", "u1"),  # the last action
        ("dealing", "u1"),  # in a match: who deals the next deal, by the seats at its table
        ("legal", "i2", (MAX_ACTIONS,)),  # legal actions of the decision that the lane stopped at
        ("zeros", "u1", (8 - (12 + 2 * MAX_ACTIONS) % 8,)),
        ("potential", "f8", (SEATS,)),  # at the last decision, of shaping; by seat, or that of the seat that is asked, first
        ("owed", "f8", (1,)),  # in a match: reward of deals that ended before the seat had its first decision
        ("deal_seed", "u8"),  # in a match: of the shuffles of the next deal
        ("at_table", "i1", (SEATS,)),  # of each seat of the lane its seat at a smaller table, -1 for none
        ("of_match", "i1", (SEATS,)),  # of each seat at a smaller table its seat in the lane
    ],
    align=True,
)
assert LANE.itemsize == sum(LANE[name].itemsize for name in LANE.names or ()), "no gaps: bytes in gaps are not copied"

#: Scratch memory of one thread.
WORK = np.dtype(
    [
        ("view", VIEW, (1,)),
        ("legal", "i2", (MAX_ACTIONS,)),
        ("mask", "i1", (MAX_ACTIONS,)),
        ("scratch", "u1", (SCRATCH, CARDS)),
        ("row", "u1", (LONGEST,)),
        ("deck", "u1", (MAX_DECK,)),
    ],
    align=True,
)
assert SEATS < OUTSIDE
