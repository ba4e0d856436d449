"""What a mutant is."""

from __future__ import annotations

from typing import NamedTuple

#: File of the package, old text, new text.
Edit = tuple[str, str, str]


class Mutant(NamedTuple):
    """A wrong rule.

    Attributes:
        rule: the rule that it breaks.
        what: what it does.
        edits: how.
        presets: the presets, or texts of rules, in which it makes a difference, if those are few and the occasion is rare.
    """

    rule: str
    what: str
    edits: tuple[Edit, ...]
    presets: tuple[str, ...] = ()


def one_edit(rule: str, what: str, file: str, old: str, new: str, presets: tuple[str, ...] = ()) -> Mutant:
    """A mutant of a single edit."""
    return Mutant(rule, what, ((file, old, new),), presets)
