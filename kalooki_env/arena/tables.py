"""Many deals at once, in lockstep: each round every table makes one decision, and each agent is asked once for all of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.play import Player
from kalooki_env.arena.recording import TableRecorder
from kalooki_env.game.engine import Engine

#: Called now and then with the number of tables that have finished since its last call.
Progress = Callable[[int], object]

#: Tables played at the same time: many enough for a network to work in large batches, few enough for a processor's cache.
#: What agents with chance play depends on it, so another number gives other (equally good) samples.
LANES = 1024


def quiet(finished: int) -> None:
    """Progress that nobody wants to see."""


@dataclass(frozen=True)
class Played:
    """Deals played to their ends, one per lane.

    Attributes:
        states: the final positions, STATE (N,).
        decisions: decisions in each deal, int64 (N,); forced ones count.
        asked: decisions that an agent was asked for, over all lanes.
    """

    states: NDArray[np.void]
    decisions: NDArray[np.int64]
    asked: int


def deal_lanes(
    engine: Engine, deals: NDArray[np.int64], dealers: NDArray[np.int64], seeds: NDArray[np.uint64]
) -> NDArray[np.void]:
    """Shuffle and deal, one lane per entry: equal entries give equal cards, reshuffles included.

    Args:
        engine: engine of the tables.
        deals: numbers of the deals, int64 (N,).
        dealers: their dealers, int64 (N,).
        seeds: seeds of their shuffles, uint64 (N,).

    Returns:
        STATE (N,).

    Raises:
        RulesError: a deal that this table cannot play.
    """
    for deal in np.unique(deals):
        engine.rules.check_table(engine.num_players, int(deal))
    states = np.zeros(len(deals), core.STATE)
    core.seed_lanes(states, seeds)
    core.reset_lanes(states, engine.record, deals, dealers)
    return states


def play(
    engine: Engine,
    states: NDArray[np.void],
    seats: NDArray[np.int64],
    players: Sequence[Player],
    rngs: Sequence[np.random.Generator],
    *,
    skip_forced: bool = True,
    progress: Progress = quiet,
    recorder: TableRecorder | None = None,
) -> Played:
    """Play deals to their ends.

    The same arguments give the same play. Agents without chance play each lane as they would play it alone; what others draw from
    their generators depends on the other lanes.

    Args:
        engine: engine of all lanes.
        states: STATE (N,), deals that are not over; they stay as they are.
        seats: who plays: index into `players` by lane and seat, int64 (N, num_players).
        players: agents at this kind of table.
        rngs: one generator per player, advanced.
        skip_forced: make decisions with one legal action without asking anybody.
        progress: called with the number of lanes that have finished since its last call.
        recorder: records some of the lanes; what is played is the same with and without it.

    Raises:
        AgentError: an agent that fails or chooses an illegal action.
    """
    total = len(states)
    done = np.zeros(total, core.STATE)
    decisions = np.zeros(total, np.int64)
    lanes = np.arange(min(LANES, total))  # the deals at the running tables
    running = states[: len(lanes)].copy()
    waiting = len(lanes)  # the next deal that has no table yet
    asked = 0
    while len(lanes):
        masks = np.empty((len(lanes), engine.num_actions), np.int8)
        core.mask_lanes(running, engine.record, engine.feas, masks)
        actions = np.argmax(masks, axis=1).astype(np.int64)  # right already where there is no choice
        is_open = masks.sum(axis=1, dtype=np.int64) > 1 if skip_forced else np.ones(len(lanes), np.bool_)
        asked += int(is_open.sum())
        to_move = seats[lanes, running["actor"]]
        for number, player in enumerate(players):
            rows = np.flatnonzero(is_open & (to_move == number))
            if len(rows):
                actions[rows] = player.act(running, rows, masks[rows], rngs[number])
                if recorder is not None:
                    recorder.asked(player, lanes[rows])
        if recorder is not None:
            recorder.acted(lanes, actions)
        codes = np.empty(len(lanes), np.uint8)
        core.step_lanes(running, engine.record, engine.feas, actions, codes)
        assert not codes.any(), "Player.act lets only legal actions through"
        decisions[lanes] += 1
        over = np.flatnonzero(running["phase"] == core.Phase.OVER)
        if not len(over):
            continue
        done[lanes[over]] = running[over]
        # Tables are dealt to again as long as deals wait, so that batches stay large; after that they drop out.
        fresh = over[: total - waiting]
        lanes[fresh] = np.arange(waiting, waiting + len(fresh))
        running[fresh] = states[lanes[fresh]]
        waiting += len(fresh)
        if len(fresh) < len(over):
            keep = np.ones(len(lanes), np.bool_)
            keep[over[len(fresh) :]] = False
            lanes, running = lanes[keep], running[keep]
        progress(len(over))
    return Played(done, decisions, asked)
