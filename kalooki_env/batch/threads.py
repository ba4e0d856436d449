"""Threads that share a call: each is woken for its part and does nothing else, at a fraction of the cost of a pool."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any


class Team:
    """A calling thread and its helpers.

    Args:
        helpers: number of threads beside the caller's.
    """

    def __init__(self, helpers: int) -> None:
        self.helpers = helpers
        self._process = os.getpid()
        self._mates = [_Mate() for _ in range(helpers)]

    def run(self, parts: Sequence[Callable[[], int]]) -> int:
        """The sum of what all parts give; the first is the caller's. As many parts as there are threads.

        Raises:
            BaseException: whatever the first part that failed raised, once all have ended.
        """
        if self._process != os.getpid():  # a fork has no threads but the one that forked
            self.__init__(self.helpers)  # type: ignore[misc]
        for mate, part in zip(self._mates, parts[1:], strict=True):
            mate.give(part)
        try:
            total = parts[0]()
        finally:
            outcomes = [mate.wait() for mate in self._mates]
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            total += outcome
        return total

    def close(self) -> None:
        """End the helpers."""
        for mate in self._mates:
            mate.give(None)
        self._mates = []

    def __del__(self) -> None:
        self.close()


class _Mate:
    """One helper. Locks are the fastest signals between threads: each is released by one and acquired by the other."""

    def __init__(self) -> None:
        self._begin, self._end = threading.Lock(), threading.Lock()
        self._begin.acquire()
        self._end.acquire()
        self._box: list[Any] = [None]
        arguments = (self._begin, self._end, self._box)  # not this object: it may be forgotten without `close`
        threading.Thread(target=_work, args=arguments, daemon=True, name="kalooki_env lanes").start()

    def give(self, part: Callable[[], int] | None) -> None:
        self._box[0] = part
        self._begin.release()

    def wait(self) -> Any:
        self._end.acquire()
        outcome, self._box[0] = self._box[0], None
        return outcome


def _work(begin: threading.Lock, end: threading.Lock, box: list[Any]) -> None:
    while True:
        begin.acquire()
        part = box[0]
        if part is None:
            return
        try:
            box[0] = part()
        except BaseException as error:  # told to the caller
            box[0] = error
        del part
        end.release()
