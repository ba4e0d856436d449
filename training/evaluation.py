"""Evaluation of a policy while it is trained, in the arena."""

from __future__ import annotations

import time
from typing import Any

from kalooki_env import agents, arena
from kalooki_env.agents.base import Agent
from kalooki_env.arena import Arena, Comparison, DealSet, Estimate, LineUp
from kalooki_env.arena.evaluation import Settings
from kalooki_env.game.engine import Engine
from training.config import RunConfig

#: Name of the policy in line-ups.
POLICY = "policy"


class Evaluation:
    """Compares the policy with agents in their own seats, on one set of duplicate deals.

    Args:
        config: the run.
        engine: engine of the table.
        per_number: deals of each number.
    """

    def __init__(self, config: RunConfig, engine: Engine, per_number: int) -> None:
        self._engine = engine
        self._seed = config.evaluation.seed
        numbers = tuple(config.deal)
        self._settings = Settings(str(engine.rules), engine.num_players, numbers, per_number, self._seed)
        self._deals = DealSet.make(engine, numbers, per_number, self._seed)
        self._agents = {name: agents.load(name) for name in config.evaluation.against}
        # Line-ups without the policy stay the same, and are played once.
        self._baselines = Arena(engine, self._agents, self._deals, self._seed)

    def run(self, policy: Agent) -> arena.Evaluation:
        """The policy in one seat against each of the agents, and copies of it in all seats."""
        began = time.monotonic()
        tables = Arena(self._engine, {**self._agents, POLICY: policy}, self._deals, self._seed)
        players = self._engine.num_players
        comparisons = []
        for name in self._agents:
            others = [name] * (players - 1)
            with_policy, with_agent = tables.line_up([POLICY, *others]), self._baselines.line_up([name, *others])
            comparisons.append(Comparison(POLICY, name, name, with_policy, with_agent))
        copies = LineUp(tables.line_up([POLICY] * players))
        return arena.Evaluation(POLICY, self._settings, tuple(comparisons), copies, None, time.monotonic() - began)


def summary(found: arena.Evaluation) -> dict[str, Any]:
    """An evaluation for the logs: points gained per deal on each opponent, with 99 % intervals, and how copies end deals."""
    short: dict[str, Any] = {}
    for compared in found.comparisons:
        played = compared.with_agent
        short[compared.opponent] = {
            "gain": _plain(compared.difference()),
            **{f"gain_deal_{number}": _plain(compared.difference(number)) for number in played.numbers},
            "score": round(played.estimate(played.scores[POLICY]).mean, 2),
        }
    if found.self_play is not None:
        copies = found.self_play.played
        ends = {f"out_deal_{number}": round(copies.estimate(copies.ended_out, number).mean, 4) for number in copies.numbers}
        short["copies"] = ends
    return short


def _plain(estimate: Estimate) -> dict[str, float | int | None]:
    known = estimate.as_dict()
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in known.items()}
