"""Standard streams that take any text, and outlive whoever reads them.

What a stream can show depends on its encoding, which differs from one machine to the next. This is the one
place that knows: whoever prints writes what he means, `±` and names of any alphabet.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, cast

#: What stands for characters that a stream lacks; all others are written as escapes, `\\xe9`.
PLAIN = {
    "±": "+-", "×": "x", "÷": "/", "−": "-", "–": "-", "—": "-", "\u2010": "-", "\u2011": "-",
    "…": "...", "·": "*", "•": "*", "◦": "o", "→": "->", "←": "<-", "≥": ">=", "≤": "<=", "≠": "!=", "≈": "~",
    "\u2018": "'", "\u2019": "'", "“": '"', "”": '"', "«": '"', "»": '"', "\u00a0": " ", "\u202f": " ",
    "♠": "S", "♥": "H", "♦": "D", "♣": "C",
}  # fmt: skip
#: Name of the error handler.
_HANDLER = "kalooki_plain"


def _plain(error: UnicodeError) -> tuple[str, int]:
    """An error handler: ASCII in place of what cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_in_ascii, error.object[error.start : error.end])), error.end


def _in_ascii(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte of a file's name that is no text in the encoding of file names
        return f"\\x{ord(char) - 0xDC00:02x}"
    return PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode("ascii")


codecs.register_error(_HANDLER, _plain)


class _Unbreakable:
    """Standard error whose reader may leave: what is said in the midst of long work must not end it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, if anybody still reads."""
        try:
            self._stream.write(text)
        except OSError:
            nobody_reads(self._stream)
        return len(text)

    def flush(self) -> None:
        """Flush, if anybody still reads."""
        try:
            self._stream.flush()
        except OSError:
            nobody_reads(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def any_text() -> Iterator[None]:
    """Have the standard streams of this process take any text; they are as they were at the end.

    Standard output writes ASCII for what its encoding lacks, and so does standard error, which falls silent
    once its reader is gone. Standard input reads any bytes. Streams that are missing lead nowhere.
    """
    before: tuple[Any, Any, Any] = sys.stdin, sys.stdout, sys.stderr
    errors = [getattr(stream, "errors", None) for stream in before]
    with ExitStack() as opened:
        stdin, stdout, stderr = (
            opened.enter_context(open(os.devnull, mode, encoding="utf-8")) if stream is None else stream
            for stream, mode in zip(before, "rww", strict=True)
        )
        try:
            for stream, handler in ((stdin, "backslashreplace"), (stdout, _HANDLER), (stderr, _HANDLER)):
                _handle_by(stream, handler)
            sys.stdin, sys.stdout = stdin, stdout
            sys.stderr = cast(Any, _Unbreakable(stderr))  # as much of a stream as anybody uses
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
            for stream, known in zip(before, errors, strict=True):
                _handle_by(stream, known)


def _handle_by(stream: Any, errors: str | None) -> None:
    """Set the error handler of a stream that has one."""
    if isinstance(stream, io.TextIOWrapper):
        with suppress(OSError, ValueError):  # one that is closed, or that nobody reads any more
            stream.reconfigure(errors=errors)


def nobody_reads(stream: Any) -> None:
    """Send what is still to be written to nowhere. Without it, Python complains once more when it closes the stream."""
    with suppress(OSError, ValueError, AttributeError):
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
