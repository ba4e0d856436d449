"""The error family. Every error of the package is a `KalookiError`, and so a `ValueError`.

Where Python has a closer name for the mistake, the error is of that type as well: `TypeError` for a value of a wrong
type or an unknown option, `KeyError` for an agent that is not at the table, `RuntimeError` for a call out of turn.
Each can be made from a message alone, as `gymnasium.make` does, and from another one of its kind, as Gymnasium does with
errors of its worker processes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

#: How much of two names must agree, of 1. At 0.5 the answer to `replace` would be `raise`.
_NEAR = 0.7
#: Letters from which on the beginning of a name stands for all of it.
_FEWEST_LETTERS = 3
#: Nobody misspells a name to such a length, and long texts take long to compare.
_LONGEST_TYPO = 60


class KalookiError(ValueError):
    """Base of all errors raised on purpose by this package."""


class RulesError(KalookiError):
    """Unknown rules name or key, a value that is not allowed, or a table that the rules cannot seat."""


class RulesTypeError(RulesError, TypeError):
    """A value of rules or of a table that is of a wrong type."""


class NotationError(KalookiError):
    """A card, action, move or position text that cannot be read."""


class NotationTypeError(NotationError, TypeError):
    """Something that is to be read as a text, and is none."""


class PositionError(KalookiError):
    """A position text that can be read but describes no possible position.

    Attributes:
        faults: every fault that was found, one sentence each.
    """

    def __init__(self, faults: Any) -> None:
        if isinstance(faults, PositionError):
            faults = faults.faults
        self.faults: list[str] = [faults] if isinstance(faults, str) else list(faults)
        super().__init__("impossible position:\n" + "\n".join(f"  - {fault}" for fault in self.faults))

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors of other processes arrive as pickles, and exceptions are made anew with their message as the only argument.
        return type(self), (self.faults,)


class IllegalActionError(KalookiError):
    """An action that the rules do not allow here. The state is unchanged.

    The message shows nothing that the seat to move may not know. The attributes do: they are for bug reports.

    Attributes:
        position: the whole position as text, hidden cards included; empty in an error made from its message.
        seed: the seed that the game was reset with, or None.
    """

    def __init__(self, message: Any, position: str = "", seed: int | None = None) -> None:
        if isinstance(message, IllegalActionError):
            message, position, seed = str(message), message.position, message.seed
        super().__init__(message)
        self.position = position
        self.seed = seed

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.position, self.seed)


class ActionTypeError(KalookiError, TypeError):
    """Something given as an action that is no whole number. Nothing has changed."""


class EnvironmentStateError(KalookiError, RuntimeError):
    """A call that makes no sense now, such as a step before reset or after the end."""


class ConfigError(KalookiError):
    """A configuration file or option that cannot be used."""


class ConfigTypeError(ConfigError, TypeError):
    """An option of a wrong type, or one that does not exist."""


class UnknownAgentIDError(ConfigError, KeyError):
    """An agent, such as `"player_9"`, that is not in the environment."""

    __str__ = Exception.__str__  # a KeyError shows the message in quotation marks


class AgentError(KalookiError):
    """An agent that cannot be found or loaded, or that gave an unusable answer.

    Attributes:
        position: the whole position as text, hidden cards included, where an answer was illegal in it; else None.
    """

    def __init__(self, message: Any, position: str | None = None) -> None:
        if isinstance(message, AgentError):
            message, position = str(message), message.position
        super().__init__(message)
        self.position = position


class CheckpointError(KalookiError):
    """A checkpoint that is damaged, incomplete, edited, or of another schema."""


class RecordError(KalookiError):
    """A record of games that cannot be read or written: truncated, edited, of other rules or of another version.

    Attributes:
        reason: what is wrong.
        path: the file, None if it does not matter.
        line: number of the line, from 1 on; None if it is about the whole file.
    """

    def __init__(self, reason: Any, path: Any = None, line: int | None = None) -> None:
        if isinstance(reason, RecordError):
            reason, path, line = reason.reason, reason.path, reason.line
        self.reason: str = reason
        self.path = path
        self.line = line
        where = "record" if path is None else f"record {path}"
        where += "" if line is None else f", line {line}"
        super().__init__(f"{where}{'' if reason.startswith(':') else ': ' if path is None else ' '}{reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.path, self.line)


def closest(name: object, allowed: Iterable[object]) -> str:
    """End of an error message: the allowed name that was meant, if one is near enough, and all allowed names."""
    names = [str(item) for item in allowed]
    near = nearest(str(name), names)
    hint = "" if near is None else f" (did you mean {near!r}?)"
    return f"{hint}; allowed: {', '.join(names)}"


def nearest(name: str, names: Sequence[str]) -> str | None:
    """The name that was probably meant: a misspelt or unfinished one. None if that would be a guess."""
    if len(name) > _LONGEST_TYPO:
        return None
    folded = {_folded(known): known for known in reversed(names)}
    word = _folded(name)
    found = difflib.get_close_matches(word, folded, n=1, cutoff=_NEAR)
    if not found and len(word) >= _FEWEST_LETTERS:
        found = [known for known in map(_folded, names) if known.startswith(word)]
    return folded[found[0]] if found else None


def _folded(name: str) -> str:
    """A name without what people leave out or mix up: `Next-Step` and `nextstep` are `next_step`."""
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")
