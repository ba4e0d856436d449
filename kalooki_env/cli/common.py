"""What verbs share: options, progress on standard error, results on standard output or in files."""

from __future__ import annotations

import argparse
import codecs
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from kalooki_env.errors import ConfigError, KalookiError

#: What `add_subparsers` returns.
Verbs = Any
#: Writes a result to a file, or prints it.
Step: TypeAlias = Callable[[], object]
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
    if path == "-":
        sys.stdout.write(json_text(data, getattr(sys.stdout, "encoding", None) or "utf-8"))
    else:
        write_file(path, json_text(data))


def json_text(data: Any, encoding: str = "utf-8") -> str:
    """Data as JSON for a file or stream: as it is where everything is UTF-8, else escaped, so that nothing is lost."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    if codecs.lookup(encoding).name == "utf-8":
        with suppress(UnicodeEncodeError):  # bytes of a file's name that are no text
            text.encode("utf-8")
            return text + "\n"
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def write_file(path: str, text: str) -> None:
    """Write a text file, always in UTF-8.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error


def finish(*steps: Step) -> None:
    """Write a result to its files, then print it: a step that fails keeps none of the others from being made.

    Raises:
        KalookiError, OSError: the first of the steps that failed.
    """
    failures: list[Exception] = []
    for step in steps:
        try:
            step()
        except (KalookiError, OSError) as error:
            failures.append(error)
    if failures:
        raise failures[0]


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
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


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
