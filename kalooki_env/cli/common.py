"""What verbs share: options, progress on standard error, results on standard output or in files."""

from __future__ import annotations

import argparse
import codecs
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from kalooki_env.errors import ConfigError, KalookiError, closest, nearest
from kalooki_env.files import FileFault, read_text

#: What `add_subparsers` returns.
Verbs = Any
#: Writes a result to a file, or prints it.
Step: TypeAlias = Callable[[], object]
#: Seconds between two lines of progress where no bar can be drawn.
LINE_SECONDS = 10.0
#: Names that were chosen for other things, or that other programs use, and what is meant.
_MEANT = {"--deals-per-number": "--deals", "--bench": "--suite", "--num-players": "--players"}
#: What names an agent, for help.
AGENTS = """An agent is a scripted one (random, greedy, expert-v1, expert-v2), a search (search, or with options as
search:ms=1000; it plays the Jamaican game only), a checkpoint folder, sb3:PATH for a zip file of sb3-contrib, or
package.module:Class, which is looked for in the current folder too."""
#: Arguments in Python whose options are not called the same.
_CALLED = {"num_players": "--players"}


class Parser(argparse.ArgumentParser):
    """A parser of one verb, or of all. What is wrong is said in one line; options are written in full.

    Help has no colours: where they are wanted, Python 3.14 writes them to files and pipes too.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if sys.version_info >= (3, 14):
            kwargs["color"] = False
        super().__init__(*args, **{"allow_abbrev": False, **kwargs})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and end the program with 2."""
        self.exit(2, f"{self.prog}: error: {message}\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse does, but unknown options of a verb are refused first: others would be blamed for them."""
        if args is not None and self._subparsers is None:
            for word in args[: args.index("--")] if "--" in args else args:
                option = word.partition("=")[0]
                if option.startswith("--") and option not in self._option_string_actions:
                    meant = _MEANT.get(option) or nearest(option, list(self._option_string_actions))
                    hint = f" (did you mean {meant}?)" if meant in self._option_string_actions else ""
                    self.error(f"unknown option {option}{hint}; `{self.prog} --help` lists all")
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:  # verbs: nothing else has choices
            raise argparse.ArgumentError(None, f"unknown verb {value!r}{closest(value, action.choices)}")

    def named(self, message: str) -> str:
        """A message about an argument in Python as one about the option, where it begins with the argument's name."""
        name, _, rest = message.partition(" ")
        option = _CALLED.get(name, f"--{name.replace('_', '-')}")
        is_about_it = option in self._option_string_actions and " is not allowed; allowed: " in rest
        return f"{option} {rest}" if is_about_it else message


def digits(text: str) -> int | str:
    """A whole number from its digits, for `argparse`. Any other text stays as it is.

    Whoever is given it refuses it, by the same words from the command line and from Python.
    """
    return int(text) if re.fullmatch("-?[0-9]{1,30}", text) else text


def add_verb(
    verbs: Verbs, name: str, about: str, run: Callable[[argparse.Namespace], int], *, details: str = "", examples: str
) -> Parser:
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
    parser: Parser = verbs.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}." + (f"\n\n{details.strip()}" if details else ""),
        epilog=f"examples:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
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
        "--players", type=digits, default=4, metavar="N", help="seats at the table, as many as the rules allow (default: 4)"
    )
    add_seed(parser)


def add_deals(parser: argparse.ArgumentParser, default: str) -> None:
    """The options `--deal` and `--deals`.

    Args:
        parser: the verb's.
        default: how many deals are played by default, in words.
    """
    parser.add_argument("--deal", nargs="+", type=digits, metavar="N", help="numbers of the deals to play, 1 to 9 (default: all)")
    parser.add_argument(
        "--deals", type=digits, metavar="N", help=f"how many deals of each number are played (default: {default})"
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """The option `--seed`."""
    parser.add_argument(
        "--seed",
        type=digits,
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
