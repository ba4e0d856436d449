"""What a comparison has found: disagreements, and what was met on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass
class Mismatch:
    """A step at which engine and referee disagree.

    Attributes:
        what: what differs, with both sides.
        position: position of the engine before the difference showed.
        start: position in which the deal began; the actions of `history` lead from there to the difference.
        history: actions since the start.
        seed: seed of the deal and of the choices in it.
    """

    what: str
    position: str
    start: str
    history: list[str]
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """The mismatch as plain values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __str__(self) -> str:
        return (
            f"{self.what}\nseed {self.seed}, after {len(self.history)} actions, the last: {self.history[-5:]}\n{self.position}"
            f"\nhistory: {' | '.join(self.history)}\nfrom\n{self.start}"
        )


@dataclass
class Report:
    """What was compared.

    Attributes:
        decisions: decisions compared.
        after_lay_down: of these, the ones made while somebody was laying down or had opened.
        probes: texts that both sides were asked about and that nobody played.
        deals: deals played, the last one perhaps not to its end.
        phases: how often each phase was met.
        actions: how often each kind of action was made.
        refusals: how often an illegal text was refused, by reason code.
        endings: how often deals ended by each kind of last action, blocked, and broken off.
        rules: how often each rule was seen at work, by number and words.
        starts: decisions by kind of start.
        policies: decisions by policy.
        tables: deals by rules, number of players and number of the deal.
        mismatches: the disagreements; a deal is given up at its first.
    """

    decisions: int = 0
    after_lay_down: int = 0
    probes: int = 0
    deals: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)
    policies: Counter[str] = field(default_factory=Counter)
    tables: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Add another report's counts."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    @property
    def share_after_lay_down(self) -> float:
        """Share of the decisions made while somebody was laying down or had opened."""
        return self.after_lay_down / max(1, self.decisions)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "decisions": self.decisions,
            "after_lay_down": self.after_lay_down,
            "share_after_lay_down": round(self.share_after_lay_down, 4),
            "probes": self.probes,
            "deals": self.deals,
            "mismatches": [mismatch.as_dict() for mismatch in self.mismatches],
            **{name: dict(getattr(self, name).most_common()) for name in ("phases", "actions", "refusals", "endings")},
            "rules_at_work": dict(sorted(self.rules.items(), key=lambda item: rule_order(item[0]))),
            **{name: dict(getattr(self, name).most_common()) for name in ("starts", "policies")},
            "tables": [
                {"rules": rules, "players": players, "deal": deal, "deals": count}
                for (rules, players, deal), count in sorted(self.tables.items())
            ],
        }


def rule_order(text: str) -> tuple[bool, int, int, str]:
    """Sorts `J6.2 …` before `J12.1 …`, and those before `KL1.1 …`."""
    number = text.split(" ")[0]
    section, _, rest = number.removeprefix("J").removeprefix("KL").partition(".")
    return number.startswith("K"), int(section), int("".join(letter for letter in rest if letter.isdecimal()) or 0), text
