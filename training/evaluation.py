"""Evaluation of a policy while it is trained, in the arena."""

from __future__ import annotations

from typing import Any

from kalooki_env import agents
from kalooki_env.agents.base import Agent
from kalooki_env.arena import Arena, Comparison, DealSet, Estimate
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
        self._deals = DealSet.make(engine, list(config.deals), per_number, self._seed)
        self._agents = {name: agents.load(name) for name in config.evaluation.against}
        # Line-ups without the policy stay the same, and are played once.
        self._baselines = Arena(engine, self._agents, self._deals, self._seed)

    def run(self, policy: Agent) -> dict[str, Any]:
        """Results by opponent, and of copies of the policy, as plain values: points gained per deal with 99 % intervals."""
        arena = Arena(self._engine, {**self._agents, POLICY: policy}, self._deals, self._seed)
        players = self._engine.num_players
        found: dict[str, Any] = {}
        for name in self._agents:
            others = [name] * (players - 1)
            compared = Comparison(POLICY, name, name, arena.line_up([POLICY, *others]), self._baselines.line_up([name, *others]))
            numbers = compared.with_agent.numbers
            found[name] = {
                "gain": _plain(compared.difference()),
                **{f"gain_deal_{number}": _plain(compared.difference(number)) for number in numbers},
                "score": round(compared.with_agent.estimate(compared.with_agent.scores[POLICY]).mean, 2),
            }
        copies = arena.line_up([POLICY] * players)
        found["copies"] = {
            f"out_deal_{number}": round(copies.estimate(copies.ended_out, number).mean, 4) for number in copies.numbers
        }
        return found


def _plain(estimate: Estimate) -> dict[str, float | int | None]:
    known = estimate.as_dict()
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in known.items()}
