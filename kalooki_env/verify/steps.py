"""One decision of a compared deal, and how a deal ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from kalooki_env.core import ActionKind, Phase
from kalooki_env.game.engine import Engine


class Step(NamedTuple):
    """One decision and what it has led to.

    Attributes:
        before: STATE record in which it was made.
        after: STATE record afterwards.
        kind: kind of the action.
        operand: its operand.
        legal: numbers of all actions that were legal.
        table: the engine.
    """

    before: Any
    after: Any
    kind: ActionKind
    operand: int
    legal: list[int]
    table: Engine

    @property
    def seat(self) -> int:
        """The seat that made it."""
        return int(self.before["actor"])

    def may_call(self, state: Any, first: int) -> list[int]:
        """Seats from the one `first` places after the discarder on that J6.2 a to d do not bar from calling."""
        n = self.table.num_players
        most = int(self.table.record[0]["call_max"])
        seats = [(int(state["turn"]) + i) % n for i in range(first, n)]
        return [seat for seat in seats if not state["opened"][seat] and state["calls_allowed"][seat] < most]


class Watching(Protocol):
    """Follows one deal and names the rules at work in it."""

    def begins(self, state: Any) -> Iterator[str]:
        """What the start of the deal shows."""

    def step(self, step: Step) -> Iterator[str]:
        """What a step shows."""


def ending(step: Step) -> str:
    """How a deal has ended with this step: by which last card, or blocked for which reason."""
    phase = Phase(int(step.before["phase"]))
    if int(step.after["winner"]) < 0:
        capped = step.after["turns"] >= step.table.record[0]["max_turns"]
        return "blocked by the turn cap" if capped else "blocked without cards"
    if step.kind is ActionKind.DISCARD:
        return "out by a discard"
    if step.table.is_kaluki:
        if not step.before["opened"][step.seat]:
            return "out by an opening"
        return f"out by a {'lay-off' if step.kind is ActionKind.LAY_OFF_ONTO or phase is Phase.LAYOFF else 'further meld'}"
    if phase in (Phase.MELD, Phase.FILL):
        return "out by a lay-down"
    return f"out by a {'joker move' if step.kind is ActionKind.MOVE_JOKER or phase is Phase.MOVE else 'lay-off'}"


def phase_name(phase: Phase, is_kaluki: bool) -> str:
    """Name of a phase as in position texts."""
    return "swap" if is_kaluki and phase is Phase.MOVE else phase.name.lower()
