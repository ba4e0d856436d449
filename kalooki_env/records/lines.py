"""Lines of a record: their kinds and keys, and the running hash that ties them together (`RECORDS.md`)."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from kalooki_env.errors import closest
from kalooki_env.files import FileFault, json_of
from kalooki_env.values import shown

FORMAT = "kalooki-record"
VERSION = 1
#: Hash before the first line.
START = "0" * 16
_END = ',"hash":"{}"}}'
_END_LENGTH = len(_END.format(START))


class Key(NamedTuple):
    """A key of a line.

    Attributes:
        is_needed: whether every line of its kind has it.
        allowed: what its value may be, in words.
        fits: whether a value is allowed.
    """

    is_needed: bool
    allowed: str
    fits: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_policy(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(_is_number(one) and 0 <= one <= 1 for one in value.values())
        and abs(sum(value.values()) - 1) < 0.01
    )


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


_TEXT = ("a text", _is_text)
_WHOLE = ("a whole number", _is_whole)
_TEXTS = ("a list of texts", _list_of(_is_text))
_WHOLES = ("a list of whole numbers", _list_of(_is_whole))

#: Keys by kind of line, in the order in which they are written.
KEYS: dict[str, dict[str, Key]] = {
    "record": {
        "format": Key(True, *_TEXT),
        "version": Key(True, *_WHOLE),
        "package": Key(True, *_TEXT),
        "rules": Key(True, *_TEXT),
        "keys": Key(True, "an object", lambda value: isinstance(value, dict)),
        "players": Key(True, *_WHOLE),
        "seats": Key(False, *_TEXTS),
        "seed": Key(False, *_WHOLE),
    },
    "deal": {
        "deal": Key(True, *_WHOLE),
        "dealer": Key(True, *_TEXT),
        "seats": Key(False, *_TEXTS),
        "seed": Key(False, *_WHOLE),
        "lane": Key(False, *_WHOLE),
        "match": Key(False, *_WHOLE),
        "sits": Key(False, *_TEXTS),
        "totals": Key(False, *_WHOLES),
        "position": Key(True, *_TEXT),
    },
    "action": {
        "seat": Key(True, *_TEXT),
        "action": Key(True, *_TEXT),
        "drawn": Key(False, *_TEXTS),
        "renewed": Key(False, *_TEXTS),
        "policy": Key(False, "an object of probabilities that add up to 1", _is_policy),
        "value": Key(False, "a number", _is_number),
    },
    "end": {
        "out": Key(False, "a seat, or null", lambda value: value is None or _is_text(value)),
        "scores": Key(False, *_WHOLES),
        "abandoned": Key(False, *_TEXT),
    },
    "match": {
        "totals": Key(True, *_WHOLES),
        "winners": Key(True, *_TEXTS),
        "places": Key(False, *_WHOLES),
    },
    "series": {
        "totals": Key(True, *_WHOLES),
        "winners": Key(True, *_TEXTS),
        "places": Key(False, *_WHOLES),
    },
    "close": {"deals": Key(True, *_WHOLE)},
}


def write_line(values: Mapping[str, Any], before: str) -> tuple[str, str]:
    """A line without its line break, and its hash.

    Args:
        values: its keys, `kind` first.
        before: hash of the line before.
    """
    body = json.dumps(values, separators=(",", ":"), allow_nan=False)
    digest = _digest(before, body)
    return body[:-1] + _END.format(digest), digest


def read_line(text: str) -> dict[str, Any]:
    """The keys of a line, the hash not looked at.

    Raises:
        FileFault: no object in JSON.
    """
    values = json_of(text)
    if not isinstance(values, dict):
        raise FileFault(f"is {type(values).__name__}; expected an object")
    return values


def check_hash(text: str, values: Mapping[str, Any], before: str) -> str:
    """The hash of a line, which must be that of its text and of all lines before it.

    Raises:
        FileFault: it is not.
    """
    found = values.get("hash")
    body = text[:-_END_LENGTH] + "}"
    if not isinstance(found, str) or text[-_END_LENGTH:] != _END.format(found):
        raise FileFault('does not end with its hash, "hash":"<16 hexadecimal digits>"')
    if found != _digest(before, body):
        raise FileFault(
            "has been edited, or lines before it were added, removed or exchanged: "
            f"its hash is {found}, its text and the lines before give {_digest(before, body)}"
        )
    return found


def check_keys(values: Mapping[str, Any]) -> str:
    """The kind of a line, whose keys and kinds of values are right.

    Raises:
        FileFault: an unknown kind or key, a key that is missing, or a value of the wrong kind.
    """
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in KEYS:
        raise FileFault(f"has the kind {kind!r}{closest(kind, KEYS)}")
    keys = KEYS[kind]
    for name, value in values.items():
        if name in ("kind", "hash"):
            continue
        if name not in keys:
            raise FileFault(f"({kind}) has an unknown key {name!r}{closest(name, keys)}")
        if not keys[name].fits(value):
            raise FileFault(f"({kind}): {name} {shown(value)} is not allowed; allowed: {keys[name].allowed}")
    missing = [name for name, key in keys.items() if key.is_needed and name not in values]
    if missing:
        raise FileFault(f"({kind}) lacks {', '.join(missing)}")
    return kind


def _digest(before: str, body: str) -> str:
    return hashlib.sha256(f"{before}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
