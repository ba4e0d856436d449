"""What the trainers have in common: how far a run is, Ctrl-C, and the command line."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kalooki_env.cli.streams import any_text, nobody_reads
from kalooki_env.errors import KalookiError
from training.config import AnyConfig, RunConfig


@dataclass
class Progress:
    """How far a run is. Evaluations do not count as seconds of training."""

    decisions: int = 0
    updates: int = 0
    seconds: float = 0.0

    def share(self, config: RunConfig) -> float:
        """Share of the budget that is used, 0 to 1."""
        decisions, seconds = config.budget.decisions, config.budget.seconds
        used = [self.decisions / decisions if decisions else 0.0, self.seconds / seconds if seconds else 0.0]
        return min(1.0, max(used))


@contextmanager
def interruption() -> Iterator[list[int]]:
    """A list that gets an entry at Ctrl-C, which then does not interrupt at once; a second Ctrl-C does."""
    caught: list[int] = []

    def note(number: int, frame: Any) -> None:
        caught.append(number)
        signal.signal(signal.SIGINT, before)
        print("\nsaving after this update; Ctrl-C again stops at once", file=sys.stderr, flush=True)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield caught
    finally:
        signal.signal(signal.SIGINT, before)


def command_line(
    module: str,
    description: str,
    load: Callable[[Path, list[str]], AnyConfig],
    train: Callable[[AnyConfig, bool, str, bool], bool],
    arguments: list[str] | None,
) -> int:
    """The command line of a trainer.

    Args:
        module: its module, for `python -m`.
        description: what it does.
        load: reads a configuration, with overrides.
        train: the trainer: configuration, whether to resume, the command, whether to be quiet; returns whether the run is
            complete.
        arguments: None for those of the process.

    Returns:
        The exit status: 0 for a complete run, 130 for an interrupted one, 1 for an error.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("config", type=Path, help="YAML file, see configs/")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change a value, e.g. seed=2; may be repeated"
    )
    parser.add_argument("--resume", action="store_true", help="go on where the run of this name stopped")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    with any_text():
        options = parser.parse_args(arguments)
        command = shlex.join(["python", "-m", module, *(sys.argv[1:] if arguments is None else arguments)])
        try:
            config = load(options.config, options.set)
            is_complete = train(config, options.resume, command, options.quiet)
        except KalookiError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        try:
            print(f"{'done' if is_complete else 'stopped, go on with --resume'}: {config.result}", flush=True)
        except OSError:  # nobody reads; the run lies in its folder
            nobody_reads(sys.stdout)
        return 0 if is_complete else 130
