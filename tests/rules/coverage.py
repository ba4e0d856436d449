"""Which examples of the rule book have a test."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import ModuleType


def examples_in(modules: Iterable[ModuleType]) -> set[str]:
    """Examples that a test function is named after, or one of its parameter sets: `test_c1_allowed`, `T7-jamaican`."""
    found = set()
    for module in modules:
        for name, function in vars(module).items():
            if not name.startswith("test_"):
                continue
            marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
            ids = [str(getattr(case, "id", "")) for mark in marks for case in mark.args[1]]
            names = [*ids, name.removeprefix("test_").upper().replace("_", "-")]
            found |= {match[0] for text in names if (match := re.match(r"[A-Z]+\d+(?=-|$)", text))}
    return found
