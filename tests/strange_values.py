"""Values that nobody means, put into the places of those that a file has."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

DEEP = 10_000
#: Values as JSON writes them, some of which no Python value is written as.
STRANGE: dict[str, str] = {
    "null": "null",
    "true": "true",
    "zero": "0",
    "negative": "-1",
    "a fraction": "0.5",
    "too large for a count": str(10**12),
    "too large for 64 bits": str(10**30),
    "thousands of digits": "9" * 5000,
    "infinite when read": "1e400",
    "the largest": "1e308",
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "nothing": '""',
    "long": '"' + "x" * 5000 + '"',
    "a null byte": '"a\\u0000b"',
    "half a pair": '"\\ud800"',
    "another word": '"7S"',
    "an empty list": "[]",
    "a list": '[1, "a", null]',
    "an empty mapping": "{}",
    "a mapping": '{"a": {"b": [1]}}',
    "deep lists": "[" * DEEP + "]" * DEEP,
    "deep mappings": '{"a":' * DEEP + "1" + "}" * DEEP,
}
_PLACE = "@@ a strange value @@"

Path = tuple[str | int, ...]


def places_in(data: Any, depth: int = 9) -> Iterator[Path]:
    """The keys that lead to every value; of a list, to its first element."""
    if depth and isinstance(data, dict | list) and data:
        keys = list(data) if isinstance(data, dict) else [0]
        for key in keys:
            yield (key,)
            yield from ((key, *rest) for rest in places_in(data[key], depth - 1))


def mutations(data: Any, place: Path) -> Iterator[tuple[str, str]]:
    """The data as JSON, with each of the strange values in a place, and without the key; and what was done."""
    changed = copy.deepcopy(data)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = _PLACE
    text = json.dumps(changed)
    for name, value in STRANGE.items():
        yield f"{'.'.join(map(str, place))}: {name}", text.replace(json.dumps(_PLACE), value)
    del inner[place[-1]]
    yield f"{'.'.join(map(str, place))}: missing", json.dumps(changed)
    if isinstance(inner, dict):
        inner[f"{place[-1]}x"] = 1
        yield f"{'.'.join(map(str, place))}: misspelt", json.dumps(changed)


def all_mutations(data: Any, depth: int = 9) -> Iterator[tuple[str, str]]:
    """Every mutation in every place, and of the whole."""
    for name, value in STRANGE.items():
        yield f"the whole: {name}", value
    for place in places_in(data, depth):
        yield from mutations(data, place)
