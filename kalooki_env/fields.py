"""What a mapping from a file holds, taken key by key, for readers that have to do without pydantic."""

from __future__ import annotations

from typing import Any

from kalooki_env.errors import closest
from kalooki_env.files import FileFault
from kalooki_env.values import integer_of, shown


class Fields:
    """A mapping that was read. Each method takes one key; what it gives is of the kind that its name says.

    Args:
        data: what was read.
        where: the keys that lead to it, with dots between them.

    Raises:
        FileFault: no mapping; and in all methods a key that is missing, or a value that is not allowed.
    """

    def __init__(self, data: Any, where: str = "") -> None:
        self._where = where
        if not isinstance(data, dict):
            raise self._fault(where, data, "a mapping of keys to values")
        self._data = data

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def names(self) -> list[str]:
        """The keys that there are."""
        return list(self._data)

    def is_null(self, key: str) -> bool:
        """Whether a key stands for nothing."""
        return self._value(key) is None

    def text(self, key: str) -> str:
        """A text."""
        value = self._value(key)
        if isinstance(value, str):
            return value
        raise self._fault(self._path(key), value, "a text")

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        """One of some texts."""
        value = self.text(key)
        if value in allowed:
            return value
        raise FileFault(f"is not allowed: {self._path(key)} {shown(value)}{closest(value, allowed)}")

    def truth(self, key: str) -> bool:
        """True or false."""
        value = self._value(key)
        if isinstance(value, bool):
            return value
        raise self._fault(self._path(key), value, "true or false")

    def whole(self, key: str, least: int, most: int) -> int:
        """A whole number within bounds."""
        value = self._value(key)
        found = integer_of(value)
        if found is not None and least <= found <= most:
            return found
        raise self._fault(self._path(key), value, f"a whole number from {least} to {most}")

    def number(self, key: str, least: float = 0.0) -> float:
        """A number from some other one on."""
        value = self._value(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= 1e300:
            return float(value)
        raise self._fault(self._path(key), value, f"a number from {least:g} on")

    def inside(self, key: str) -> Fields:
        """A mapping."""
        return Fields(self._value(key), self._path(key))

    def each(self, key: str) -> list[Fields]:
        """A list of mappings."""
        return [Fields(one, f"{self._path(key)}.{number}") for number, one in enumerate(self._list(key))]

    def wholes(self, key: str, count: int, most: int) -> list[int]:
        """A list of so many whole numbers, none of them farther from 0 than `most`."""
        values = self._list(key)
        if len(values) == count and all(type(one) is int and abs(one) <= most for one in values):
            return values
        raise self._fault(self._path(key), values, f"a list of {count} whole numbers from {-most} to {most}")

    def _list(self, key: str) -> list[Any]:
        value = self._value(key)
        if isinstance(value, list):
            return value
        raise self._fault(self._path(key), value, "a list")

    def _value(self, key: str) -> Any:
        if key not in self._data:
            raise FileFault(f"is not allowed: key {self._path(key)} is missing")
        return self._data[key]

    def _path(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    @staticmethod
    def _fault(path: str, value: Any, allowed: str) -> FileFault:
        return FileFault(f"is not allowed: {path + ' ' if path else ''}{shown(value)}; allowed: {allowed}")
