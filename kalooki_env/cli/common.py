"""What verbs share: options, progress on standard error, results on standard output or in files."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kalooki_env.errors import ConfigError
from kalooki_env.files import FileFault, read_text

#: What `add_subparsers` returns.
Verbs = Any
#: Seconds between two lines of progress where no bar can be drawn.
LINE_SECONDS = 10.0


def add_verb(
    verbs: Verbs, name: str, about: str, run: Callable[[argparse.Namespace], int], *, details: str = "", examples: str
) -> argparse.ArgumentParser:
    """Add a verb.

    Args:
        verbs: what `add_subparsers` returned.
        name: its name.
        about: one line for the list of verbs.
        run: what it does; returns the exit code.
        details: more for its own help.
        examples: command lines, one a line.
    """
    lines = "\n".join(f"  {line}" for line in examples.strip().splitlines())
    parser: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}." + (f"\n\n{details.strip()}" if details else ""),
        epilog=f"examples:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_table(parser: argparse.ArgumentParser) -> None:
    """Options for a table: `--rules`, `--players`, `--seed`."""
    parser.add_argument(
        "--rules",
        default="jamaican",
        metavar="RULES",
        help="a preset, or a quoted text such as 'jamaican pip_joker=25' (default: jamaican)",
    )
    parser.add_argument(
        "--players", type=int, default=4, metavar="N", help="seats at the table, as many as the rules allow (default: 4)"
    )
    add_seed(parser)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """The option `--seed`."""
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of deals and choices; the same seed gives the same result (default: 0)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option `--json`."""
    parser.add_argument("--json", action="store_true", help="write the result as JSON to standard output, and nothing else there")


def write_json(data: Any, path: str = "-") -> None:
    """Write JSON to standard output ("-") or to a file.

    Raises:
        ConfigError: the file cannot be written.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error


def check_writable(path: str | None) -> None:
    """Refuse a file that cannot be written, before the work of hours.

    Raises:
        ConfigError: its folder does not exist, or it is a folder itself.
    """
    if path is None or path == "-":
        return
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise ConfigError(f"{path} cannot be written: {'it is a folder' if target.is_dir() else 'no such folder'}")


def read_page(path: str) -> str:
    """The text of a page that results are put into.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return read_text(path)
    except FileFault as fault:
        raise ConfigError(f"page {path} {fault}") from fault


def say(text: str) -> None:
    """A line for people on standard error."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def progress(unit: str, total: int) -> Iterator[Callable[[int], object]]:
    """Progress on standard error: a bar of tqdm on a terminal, where tqdm is installed; a line now and then elsewhere.

    Args:
        unit: what is counted, in the plural.
        total: how many there will be.

    Yields:
        What is called with the number of units done since its last call.
    """
    if sys.stderr.isatty():
        try:
            from tqdm import tqdm
        except ImportError:
            pass
        else:
            with tqdm(total=total, unit=f" {unit}", leave=False, file=sys.stderr) as bar:
                yield bar.update
            return
    done = 0
    last = time.monotonic()

    def note(more: int) -> None:
        nonlocal done, last
        done += more
        if time.monotonic() - last > LINE_SECONDS:
            last = time.monotonic()
            say(f"{done:,} of {total:,} {unit}")

    yield note
