"""`kalooki`: the command line.

Exit codes: 0 fine; 1 a check failed; 2 bad input; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import kalooki_env
from kalooki_env.cli import bench, evaluate, replay, rules, simulate, verify, warmup
from kalooki_env.errors import KalookiError

VERBS = (rules, simulate, evaluate, replay, verify, bench, warmup)


def parser() -> argparse.ArgumentParser:
    """The parser with all verbs; each sets `run`, a function of the parsed arguments that returns the exit code."""
    top = argparse.ArgumentParser(prog="kalooki", description="Jamaican Kalooki and Kaluki 51 for reinforcement learning.")
    top.add_argument("--version", action="version", version=f"kalooki_env {kalooki_env.__version__}")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in VERBS:
        verb.add(verbs)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: arguments; default: those of the process.

    Returns:
        The exit code.
    """
    args = parser().parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except KalookiError as error:
        print(f"kalooki {args.verb}: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; without this, Python complains once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code
