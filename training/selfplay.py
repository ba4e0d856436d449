"""Rollouts: many games side by side, the policy in all seats or in some, one stream of decisions for each seat of each lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import agents, core
from kalooki_env.agents.play import Player
from kalooki_env.batch.layout import SCALE
from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine
from kalooki_env.game.saved import check_digest, pack, record_bytes, records_of, unpack
from kalooki_env.game.sound import check_positions
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.schema import Observation
from training.config import Config
from training.kernels import advance, advantages, masks_of, sample

#: Gives logits float32 (n, num_actions) and values float32 (n,) for observations uint8 (n, size).
Policy = Callable[[NDArray[np.uint8]], tuple[NDArray[np.float32], NDArray[np.float32]]]


@dataclass
class Batch:
    """Decisions in the order in which they were made. All arrays have the same length."""

    rows: NDArray[np.uint8]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    logps: NDArray[np.float32]
    values: NDArray[np.float32]
    advantages: NDArray[np.float32]


@dataclass
class DealStats:
    """What happened in the deals that ended, by deal number; deals among copies of the policy alone, and the others' results."""

    deals: dict[int, int] = field(default_factory=dict)
    out: dict[int, int] = field(default_factory=dict)
    turns: int = 0
    calls: int = 0
    calls_allowed: int = 0
    opened: int = 0
    score: float = 0.0
    mixed: int = 0
    margin: float = 0.0

    def note(self, state: np.void, players: int, agent_seats: NDArray[np.bool_]) -> None:
        """Count a deal that has ended."""
        scores = state["scores"][:players].astype(float)
        if agent_seats.any():
            self.mixed += 1
            self.margin += float(scores[agent_seats].mean() - scores[~agent_seats].mean())
            return
        deal = int(state["deal"])
        self.deals[deal] = self.deals.get(deal, 0) + 1
        self.out[deal] = self.out.get(deal, 0) + int(state["winner"] >= 0)
        self.turns += int(state["turns"])
        self.calls += int(state["calls_made"].sum())
        self.calls_allowed += int(state["calls_allowed"].sum())
        self.opened += int(state["opened"].sum())
        self.score += float(scores.mean())

    def summary(self) -> dict[str, float]:
        """Means over the deals noted, under names for the logs."""
        found: dict[str, float] = {}
        for deal, count in sorted(self.deals.items()):
            found[f"deals/{deal}/out"] = self.out[deal] / count
            found[f"deals/{deal}/blocked"] = 1 - self.out[deal] / count
        total = sum(self.deals.values())
        if total:
            for name in ("turns", "calls", "calls_allowed", "opened", "score"):
                found[f"selfplay/{name}"] = getattr(self, name) / total
        if self.mixed:
            found["selfplay/margin_to_agents"] = self.margin / self.mixed
        return found


class SelfPlay:
    """Games in progress and the decisions of the policy in them.

    Args:
        config: the run.
        engine: engine of the table.
        observation: what the policy is given.
        rng: the source of all randomness.
    """

    def __init__(self, config: Config, engine: Engine, observation: Observation, rng: np.random.Generator) -> None:
        self.engine = engine
        self.rng = rng
        self._ppo = config.ppo
        self._share = config.opponents.share
        names = list(config.opponents.agents) if self._share else []
        weights = np.array([config.opponents.agents[name] for name in names])
        self._players = [Player(agents.load(name), engine, name) for name in names]
        self._agent_chances = weights / weights.sum() if names else weights
        self._deals = np.array(list(config.deal), np.int64)
        deal_weights = np.array(list(config.deal.values()))
        self._deal_chances = deal_weights / deal_weights.sum()
        self._observer = Observer(engine, observation)
        self._distance = observation.slice_of("solver").start if observation.has_solver else -1
        self.stats = DealStats()

        lanes = config.ppo.lanes
        seats = engine.num_players
        capacity = config.ppo.batch + lanes * (seats + 1)
        self.states = np.zeros(lanes, core.STATE)
        self._legal = np.zeros((lanes, core.MAX_ACTIONS), np.int16)
        self._counts = np.zeros(lanes, np.int64)
        self._who = np.zeros((lanes, seats), np.int64)  # 0: the policy, i: agent i
        self._last = np.full((lanes, seats), -1, np.int64)  # row of each stream's last decision
        self._n = 0
        self._rows = np.zeros((capacity, observation.size), np.uint8)
        self._masks = np.zeros((capacity, engine.num_actions), np.int8)
        self._actions = np.zeros(capacity, np.int64)
        self._streams = np.zeros(capacity, np.int64)
        self._logps = np.zeros(capacity, np.float32)
        self._values = np.zeros(capacity, np.float32)
        self._rewards = np.zeros(capacity, np.float32)
        self._done = np.zeros(capacity, np.bool_)

    def compile(self) -> None:
        """Have all kernels compiled, by calls without work, before time is taken."""
        none = np.zeros(0, np.int64)
        self._observer.rows(self.states, none, none)
        self._masks_of(none)
        logits = np.zeros((0, self.engine.num_actions), np.float32)
        sample(logits, self._legal, self._counts, none, np.zeros(0), none, self._logps[:0])
        numbers = self._values[:0]
        advantages(none, numbers, numbers, self._done[:0], numbers, 1.0, 1.0, none, numbers)
        for player in self._players:
            player.act(self.states, none, self._masks[:0], self.rng)

    def begin(self) -> None:
        """Deal all lanes."""
        core.seed_lanes(self.states, self.rng.integers(0, 2**63, len(self.states), np.uint64))
        self._deal(np.arange(len(self.states)))

    def collect(self, policy: Policy, shaping: float = 0.0) -> Batch:
        """Play until there are enough decisions of the policy for a batch, and estimate their advantages.

        The last decision of each stream whose deal goes on waits for the next batch; here its value stands for what is to come.

        Args:
            policy: the policy.
            shaping: weight of the contract distance in the shaping potential.
        """
        while self._n < self._ppo.batch:
            self._step(policy)
        n = self._n
        found = np.empty(n, np.float32)
        potential = np.zeros(n, np.float32)
        if shaping:
            potential -= np.float32(shaping) * self._rows[:n, self._distance]
        ppo = self._ppo
        next_row = np.empty(self._last.size, np.int64)
        lists = (self._streams[:n], self._values[:n], self._rewards[:n], self._done[:n], potential)
        advantages(*lists, ppo.gamma, ppo.lam, next_row, found)
        waiting = np.isnan(found)
        ready = np.flatnonzero(~waiting)
        batch = Batch(
            self._rows[ready],
            self._masks[ready],
            self._actions[ready],
            self._logps[ready],
            self._values[ready],
            found[ready],
        )
        self._keep(np.flatnonzero(waiting))
        return batch

    def summary(self) -> dict[str, float]:
        """Means over the deals that ended since the last call."""
        stats, self.stats = self.stats, DealStats()
        return stats.summary()

    def _step(self, policy: Policy) -> None:
        """One decision in every lane, and what is forced after it."""
        states = self.states
        seats = states["actor"].astype(np.int64)
        who = self._who[np.arange(len(states)), seats]
        actions = np.empty(len(states), np.int64)
        for i, player in enumerate(self._players, start=1):
            lanes = np.flatnonzero(who == i)
            if len(lanes):
                actions[lanes] = player.act(states, lanes, self._masks_of(lanes), self.rng)
        lanes = np.flatnonzero(who == 0)
        if len(lanes):
            actions[lanes] = self._decide(policy, lanes, seats[lanes])
        table = self.engine
        advance(states, table.record, table.feas, actions, self._legal, self._counts)
        over = np.flatnonzero(self._counts == 0)
        while len(over):
            self._close(over)
            over = self._deal(over)

    def _decide(self, policy: Policy, lanes: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """The policy's actions in some lanes, noted as decisions."""
        n, end = self._n, self._n + len(lanes)
        rows = self._observer.rows(self.states, lanes, seats)
        logits, values = policy(rows)
        self._rows[n:end] = rows
        masks_of(self._legal, self._counts, lanes, self._masks[n:end])
        actions = self._actions[n:end]
        sample(logits, self._legal, self._counts, lanes, self.rng.random(len(lanes)), actions, self._logps[n:end])
        self._values[n:end] = values
        self._rewards[n:end] = 0
        self._done[n:end] = False
        self._streams[n:end] = lanes * self._last.shape[1] + seats
        self._last[lanes, seats] = np.arange(n, end)
        self._n = end
        return actions

    def _close(self, lanes: NDArray[np.int64]) -> None:
        """Rewards at the end of deals: points below the table's mean. All streams of the lanes end."""
        players = self.engine.num_players
        for lane in lanes:
            self.stats.note(self.states[lane], players, self._who[lane] > 0)
        scores = self.states["scores"][lanes, :players].astype(np.float32)
        rewards = (scores.mean(1, keepdims=True) - scores) / np.float32(SCALE)
        last = self._last[lanes]
        acted = last >= 0
        self._rewards[last[acted]] = rewards[acted]
        self._done[last[acted]] = True
        self._last[lanes] = -1

    def _deal(self, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Deal some lanes anew and choose who plays there. Returns those whose deal ended by forced decisions alone."""
        table = self.engine
        seats = table.num_players
        deals = self.rng.choice(self._deals, len(lanes), p=self._deal_chances)
        dealers = self.rng.integers(0, seats, len(lanes))
        for lane, deal, dealer in zip(lanes, deals, dealers, strict=True):
            core.reset_lane(self.states, table.record, lane, deal, dealer)
            self._who[lane] = 0
            if self._share and self.rng.random() < self._share:
                agent = 1 + self.rng.choice(len(self._players), p=self._agent_chances)
                self._who[lane, self.rng.permutation(seats)[: self.rng.integers(1, seats)]] = agent
        fresh = np.zeros(len(self.states), np.int64)
        fresh[lanes] = -1
        # Other lanes keep the decision that they wait at: a length of 0 makes `advance` pass them by.
        counts = np.zeros_like(self._counts)
        advance(self.states, table.record, table.feas, fresh, self._legal, counts)
        self._counts[lanes] = counts[lanes]
        return np.asarray(lanes[counts[lanes] == 0])

    def _masks_of(self, lanes: NDArray[np.int64]) -> NDArray[np.int8]:
        masks = np.empty((len(lanes), self.engine.num_actions), np.int8)
        masks_of(self._legal, self._counts, lanes, masks)
        return masks

    def _keep(self, waiting: NDArray[np.int64]) -> None:
        """Move decisions to the front of the lists, where the next batch begins."""
        kept = len(waiting)
        for array in self._lists():
            array[:kept] = array[waiting]
        self._n = kept
        self._last[:] = -1
        self._last.reshape(-1)[self._streams[:kept]] = np.arange(kept)

    def _lists(self) -> tuple[NDArray[Any], ...]:
        return (self._rows, self._masks, self._actions, self._streams, self._logps, self._values, self._rewards, self._done)

    # ---- saving --------------------------------------------------------------------------------------------------

    def saved(self) -> dict[str, NDArray[Any]]:
        """Everything that the next batch depends on, the generator aside."""
        lists = {f"list_{i}": array[: self._n].copy() for i, array in enumerate(self._lists())}
        legal = np.where(np.arange(core.MAX_ACTIONS) < self._counts[:, None], self._legal, np.int16(0))
        arrays = {"states": record_bytes(self.states).copy(), "legal": legal, "counts": self._counts.copy()}
        return pack(self._about(), arrays | {"who": self._who.copy(), "last": self._last.copy()} | lists)

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """The inverse of `saved`.

        Raises:
            ConfigError: something else, or what cannot be: it names the lane or the decision, and the field. Nothing has changed.
        """
        lists = self._lists()
        forms: dict[str, NDArray[Any]] = {"states": record_bytes(self.states), "legal": self._legal, "counts": self._counts}
        forms |= {"who": self._who, "last": self._last}
        first = np.asarray(saved.get("list_0", ()))
        n = len(first) if first.ndim else 0
        if n > len(self._rows):
            raise ConfigError(f"{n} decisions that wait; allowed: 0 to {len(self._rows)}")
        forms |= {f"list_{i}": array[:n] for i, array in enumerate(lists)}
        _, arrays = unpack(saved, **self._about(), forms=forms)
        states = records_of(arrays["states"], core.STATE)
        table = self.engine
        legal, counts = check_positions(states, table.record, table.feas)
        for lane in np.flatnonzero((counts != arrays["counts"]) | (legal != arrays["legal"]).any(axis=1))[:1]:
            raise ConfigError(f"lane {lane}: legal and counts are not those of the position; allowed: {counts[lane]} actions")
        for lane in np.flatnonzero(counts < 2)[:1]:
            raise ConfigError(f"lane {lane}: counts {counts[lane]} is not allowed; allowed: 2 or more, a decision")
        _check_numbers("who", arrays["who"], 0, len(self._players))
        self._check_decisions([arrays[f"list_{i}"] for i in range(len(lists))], arrays["last"])
        check_digest(saved)
        self.states[:] = states
        self._legal[:], self._counts[:], self._who[:], self._last[:] = (
            arrays[name] for name in ("legal", "counts", "who", "last")
        )
        self._n = n
        for i, array in enumerate(lists):
            array[:n] = arrays[f"list_{i}"]

    def _about(self) -> dict[str, str]:
        table = self.engine
        name = f"self-play of {table.rules}, {table.num_players} players, {table.max_seats} seats, {len(self.states)} lanes"
        return {"name": name, "schema": core.schema_hash(core.STATE)}

    def _check_decisions(self, lists: list[NDArray[Any]], last: NDArray[np.int64]) -> None:
        """Refuse decisions that the policy cannot have made."""
        _, masks, actions, streams, logps, values, rewards, done = lists
        n = len(actions)
        _check_numbers("masks", masks, 0, 1)
        _check_numbers("actions", actions, 0, masks.shape[1] - 1)
        _check_numbers("streams", streams, 0, last.size - 1)
        rows = np.arange(n)
        _check_numbers("masks of the actions", masks[rows, actions], 1, 1)
        for name, numbers in (("logps", logps), ("values", values), ("rewards", rewards)):
            if not np.isfinite(numbers).all():
                row = int(np.argmin(np.isfinite(numbers)))
                raise ConfigError(f"decision {row}: {name} {numbers[row]} is not allowed; allowed: a number")
        _check_numbers("done", done.view(np.uint8), 0, 1)
        wanted = np.full(last.size, -1, np.int64)
        wanted[streams] = rows  # the last one of each stream stays
        wanted[streams[done]] = np.where(wanted[streams[done]] == rows[done], -1, wanted[streams[done]])
        wrong = np.flatnonzero(last.ravel() != wanted)
        if len(wrong):
            lane, seat = divmod(int(wrong[0]), last.shape[1])
            raise ConfigError(
                f"lane {lane}: last[{seat}] {last[lane, seat]} is not allowed; allowed: {wanted[wrong[0]]}, its last decision"
            )


def _check_numbers(name: str, numbers: NDArray[Any], least: int, most: int) -> None:
    """Refuse arrays with a number out of a range."""
    wrong = np.argwhere((numbers < least) | (numbers > most))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        index = "".join(f"[{one}]" for one in at)
        raise ConfigError(f"{name}{index} {numbers[at]} is not allowed; allowed: {least} to {most}")
