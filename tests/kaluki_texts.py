"""Positions of Kaluki as texts: one of each phase, and changes of single lines."""

from __future__ import annotations

from kalooki_env.core import Phase

#: P1 has opened in an earlier turn, P2 too; with {rules}, {phase}, {hand} of P1 and further lines {more}.
TABLE = (
    "kalooki: 1\nrules: {rules}\nplayers: 3\ndeal: 1\ndealer: P3\nturns: 9\nphase: {phase}\nhand P1: {hand}\n"
    "hand P2: 4S 9C\nhand P3: QC 2C\nmeld P2/1: KS KH JK\nmeld P1/1: TS JS QS KS AS\nmeld P2/2: 5D 6D JK(7D)\n"
    "meld P1/2: 6H 6D 6C\nopened: P1, P2\n{more}stock: rest\npile: 5C KD\n"
)
_OPENING = (
    "kalooki: 1\nrules: {rules}\nplayers: 3\ndeal: 1\ndealer: P3\nturns: 9\nphase: {phase}\nhand P1: {hand}\nhand P2: 4S 9C\n"
    "hand P3: QC 2C\n{meld}opened: -\nknown P1: {known}\nstock: rest\npile: 5C KD\n"
)


def table(phase: str, hand: str, rules: str = "kaluki51", more: str = "") -> str:
    """P1 to move at the table above."""
    return TABLE.format(rules=rules, phase=phase, hand=hand, more=more)


def in_the_midst(rules: str) -> dict[str, str]:
    """A position in each phase between draw and discard; the cards that the action needs are known."""
    opening = "TS TH TD QS QH QC KS KH KC"
    return {
        "meld": _OPENING.format(rules=rules, phase="meld P1", hand=f"{opening} 2S", known=opening, meld=""),
        "fill": _OPENING.format(
            rules=rules, phase="fill P1 set of T", hand=f"{opening} TC 2S", known=f"{opening} TC", meld="meld P1/1: -\n"
        ),
        "fill-run": _OPENING.format(
            rules=rules,
            phase="fill P1 run of spades from 9",
            hand="JS QS KS JK QH QC QD AS 2S",
            known="JS QS KS JK QH QC QD AS",
            meld="meld P1/1: 9S TS\n",
        ),
        "fill-later": table("fill P1 set of T", "TS TH TD TC 2S", rules, "known P1: TS TH TD TC\n").replace(
            "opened:", "meld P1/3: -\nopened:"
        ),
        "layoff": table("layoff P1 onto P2/1", "KD KC 2S", rules, "known P1: KD KC\n"),
        "layoff-end": table("layoff P1 onto P1/1 low", "9S JK 2S", rules, "known P1: 9S JK\n"),
        "swap": table("swap P1 in P2/1", "KD KC QD QH 2S", rules, "known P1: QD QH KD KC\n"),
    }


def with_line(text: str, key: str, value: str | None) -> str:
    """The text with one line replaced, added at the end, or taken out."""
    lines = text.splitlines()
    at = next((number for number, line in enumerate(lines) if line.startswith(f"{key}:")), len(lines))
    lines[at : at + 1] = [] if value is None else [f"{key}: {value}"]
    return "\n".join(lines) + "\n"


#: Phases of the texts.
PHASES = {
    "meld": Phase.MELD,
    "fill": Phase.FILL,
    "fill-run": Phase.FILL,
    "fill-later": Phase.FILL,
    "layoff": Phase.LAYOFF,
    "layoff-end": Phase.LAYOFF,
    "swap": Phase.MOVE,
}
