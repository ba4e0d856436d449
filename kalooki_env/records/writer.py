"""`RecordWriter`: a record in a file, line by line."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from kalooki_env.errors import RecordError, RulesError
from kalooki_env.game.cards import seat_name
from kalooki_env.records.lines import FORMAT, START, VERSION, write_line
from kalooki_env.records.recorder import DealRecorder, Line, clean
from kalooki_env.rules import Rules
from kalooki_env.values import check_seed, path_of, whole_number
from kalooki_env.version import __version__

try:
    import fcntl
except ImportError:  # not a POSIX system: nothing keeps two writers apart there
    fcntl = None  # type: ignore[assignment]


class RecordWriter(DealRecorder):
    """Writes a record of deals, one after the other. A file of that name is replaced.

    Each line reaches the file at once, so that a run that is cut leaves all that was played; only `close` writes the last line,
    by which a reader knows that nothing is missing. As a context manager it is closed at the end, but not by an exception:
    what was being recorded then counts as cut.

    Args:
        path: the file.
        rules: rules of all deals, or their text.
        num_players: seats at the table (of a match: at its first tables).
        seats: names of who plays, by seat.
        seed: seed of the whole, if there is one.

    Raises:
        RecordError: the file cannot be written, or somebody is writing it.
        ConfigError: something that is no path or no seed.
        RulesError: unknown rules or an impossible table.

    Example:
        >>> import os, tempfile
        >>> from kalooki_env.game.game import Game
        >>> path = os.path.join(tempfile.mkdtemp(), "deal.jsonl")
        >>> with RecordWriter(path, "jamaican", 4) as record:
        ...     record.begin(Game("jamaican", 4, deal=1, seed=7))
        ...     record.act("draw stock", value=0.25)
        ...     record.abandon("enough")
    """

    def __init__(
        self,
        path: str | Path,
        rules: Rules | str = "jamaican",
        num_players: int = 4,
        *,
        seats: Sequence[str] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(self._write)
        self.path = path_of("record", path)
        self.rules = Rules.of(rules)
        self.num_players = whole_number("num_players", num_players, error=RulesError)
        self.rules.packs_for(self.num_players)
        self._hash = START
        self._deals = 0
        self._file = _opened(self.path)
        header: Line = {
            "kind": "record",
            "format": FORMAT,
            "version": VERSION,
            "package": __version__,
            "rules": str(self.rules),
            "keys": self.rules.as_dict(),
            "players": self.num_players,
        }
        if seats is not None:
            header["seats"] = [clean(name) for name in seats]
        if seed is not None:
            header["seed"] = check_seed(seed)
        self._write(header)

    def _write(self, line: Line) -> None:
        if self._file.closed:
            raise RecordError("is closed", self.path)
        if line["kind"] == "deal":
            self._deals += 1
        text, self._hash = write_line(line, self._hash)
        try:
            self._file.write(text + "\n")
        except OSError as error:  # a full disk
            with suppress(OSError):
                self._file.close()
            raise RecordError(f"cannot be written: {error.strerror or error}", self.path) from error

    # ---- what is written beside the actions of deals -------------------------------------------------------------

    def add(self, deal: Sequence[Line]) -> None:
        """Write a whole deal that was recorded elsewhere: what a `DealRecorder` emitted.

        Raises:
            RecordError: a deal runs here, or the record is closed.
        """
        if self.game is not None:
            raise RecordError("another deal runs: it must end first", self.path)
        for line in deal:
            self._write(line)

    def match(self, totals: Sequence[int], winners: Sequence[int], places: Sequence[int] | None = None) -> None:
        """End a match, made of the deals since the last one.

        Args:
            totals: sums of the scores, by seat.
            winners: the seats that won.
            places: place of each seat, 1 for the winners.

        Raises:
            RecordError: a deal runs, or the record is closed.
        """
        self._write_end("match", totals, winners, places)

    def series(self, totals: Sequence[int], winners: Sequence[int], places: Sequence[int] | None = None) -> None:
        """End a series, made of the matches since the last one and the deals that decided it. Arguments as for `match`."""
        self._write_end("series", totals, winners, places)

    def _write_end(self, kind: str, totals: Sequence[int], winners: Sequence[int], places: Sequence[int] | None) -> None:
        if self.game is not None:
            raise RecordError(f"a {kind} ends while a deal runs", self.path)
        line: Line = {"kind": kind, "totals": [int(total) for total in totals], "winners": [seat_name(s) for s in winners]}
        if places is not None:
            line["places"] = [int(place) for place in places]
        self._write(line)

    def close(self) -> None:
        """End the record; a deal that runs is abandoned. Once is enough, twice does no harm."""
        if not self._file.closed:
            self.abandon("the record was closed")
            self._write({"kind": "close", "deals": self._deals})
            self._file.close()

    @property
    def is_closed(self) -> bool:
        """Whether nothing more can be written."""
        return bool(self._file.closed)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self._file.close()

    def __reduce__(self) -> Any:
        raise RecordError("what writes a record cannot be copied or sent to another process", self.path)


def _opened(path: Path) -> TextIO:
    """The file, empty, and nobody else's while it is open.

    Raises:
        RecordError: it cannot be written, or somebody is writing it.
    """
    try:
        # Not emptied before it is known that nobody else is writing it.
        file = path.open("a", encoding="ascii", buffering=1, newline="\n")
    except OSError as error:
        raise RecordError(f"cannot be written: {error.strerror or error}", path) from error
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # not a pipe or /dev/null
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise RecordError("cannot be written: another record is being written there", path) from error
        except OSError:
            pass  # a file system without locks
        file.truncate(0)
    return file
