"""Some records from elsewhere, and the refusal of the first whose field is not as it must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.errors import ConfigError


def lane_name(index: int) -> str:
    """What a record of a batch is called in messages."""
    return f"lane {index}"


class Records:
    """Records of one type, and the rules that each belongs to.

    Args:
        records: the records, (N,).
        rules: RULES (N,), of one game.
        name: what a record is called in messages, by its index.

    Attributes:
        records, rules, name: the arguments.
        names: names of the fields.
        is_kaluki: the game.
        deck: copies of each card in the deck, int64 (N, 53).
    """

    def __init__(self, records: NDArray[np.void], rules: NDArray[np.void], name: Callable[[int], str]) -> None:
        self.records, self.rules, self.name = records, rules, name
        assert records.dtype.names is not None
        self.names = records.dtype.names
        self.is_kaluki = bool(len(rules) and rules[0]["kaluki"])
        self.deck = np.repeat(self.rule("packs")[:, None], core.CARDS, axis=1)
        self.deck[:, core.JOKER] = self.rule("jokers")
        self._read: dict[str, NDArray[np.int64]] = {}

    def rule(self, key: str) -> NDArray[np.int64]:
        """A rule of each record's table: int64 (N, ...)."""
        return np.asarray(self.rules[key], np.int64)

    def whole(self, field: str) -> NDArray[np.int64]:
        """A field of all records as whole numbers: int64 (N, ...). Not to be written to."""
        if field not in self._read:
            self._read[field] = np.asarray(self.records[field], np.int64)
        return self._read[field]

    def of_seat(self, field: str, seats: NDArray[np.int64]) -> NDArray[np.int64]:
        """The value that a field by seat has for one seat of each record: int64 (N,)."""
        return self.whole(field)[np.arange(len(seats)), seats]

    def require(self, field: str, fine: NDArray[np.bool_], allowed: str, found: NDArray[Any] | None = None) -> None:
        """Refuse the first record that is not fine.

        Args:
            field: the field that is looked at.
            fine: bool (N,), or (N, ...) for the entries of the field.
            allowed: what is allowed, for the message.
            found: shown instead of the field, (N, ...).

        Raises:
            ConfigError: a record, or an entry, that is not fine.
        """
        assert fine.dtype == np.bool_
        if not fine.all():
            at = tuple(int(index) for index in np.argwhere(~fine)[0])
            self.refuse(field, at, allowed, found)

    def refuse(self, field: str, at: tuple[int, ...], allowed: str, found: NDArray[Any] | None = None) -> None:
        """Refuse a record, or the entry of a field of it: `at` is its index, and then that of the entry."""
        shown = (self.records[field] if found is None else found)[at]
        index = "".join(f"[{one}]" for one in at[1:])
        text = " ".join(map(str, shown.ravel())) if np.ndim(shown) else str(shown)
        raise ConfigError(f"{self.name(at[0])}: {field}{index} {text} is not allowed; allowed: {allowed}")

    def between(self, field: str, least: Any, most: Any) -> None:
        """Refuse numbers out of a range. `least` and `most`: numbers, or arrays by record or by entry."""
        values = self.records[field]
        low, high = (self._spread(limit, values.ndim) for limit in (least, most))
        fine = (values >= low) & (values <= high)
        if not fine.all():
            at = tuple(int(index) for index in np.argwhere(~fine)[0])
            low, high = (np.broadcast_to(limit, values.shape)[at] for limit in (low, high))
            self.refuse(field, at, f"{low} to {high}" if low < high else str(low))

    def equals(self, field: str, wanted: NDArray[np.int64], what: str) -> None:
        """Refuse a field that is not what it must be. `what`: what that is, for the message."""
        wrong = self.whole(field) != wanted
        if wrong.any():
            at = tuple(int(index) for index in np.argwhere(wrong)[0])
            self.refuse(field, at, f"{wanted[at]}, {what}")

    def zeros(self) -> None:
        """Refuse records whose end, which only fills them up, is not zeros."""
        if "zeros" in self.names:
            self.require("zeros", self.records["zeros"] == 0, "0")

    @staticmethod
    def _spread(limit: Any, ndim: int) -> NDArray[np.int64]:
        """A limit by record or by entry, to compare with an array of so many dimensions."""
        numbers: NDArray[np.int64] = np.asarray(limit, np.int64)
        if 0 < numbers.ndim < ndim:
            numbers = numbers.reshape(numbers.shape + (1,) * (ndim - numbers.ndim))
        return numbers
