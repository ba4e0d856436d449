"""`kalooki`: the command line.

Exit codes: 0 fine; 1 a check failed; 2 bad input; 130 interrupted.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

import kalooki_env
from kalooki_env.cli import bench, evaluate, replay, rules, simulate, verify, warmup
from kalooki_env.cli.common import Parser, say
from kalooki_env.cli.streams import any_text, nobody_reads
from kalooki_env.errors import KalookiError

VERBS = (rules, simulate, evaluate, replay, verify, bench, warmup)


def parser() -> Parser:
    """The parser with all verbs.

    Each sets `run`, a function of the parsed arguments that returns the exit code, and `parser`, its own.
    """
    top = Parser(prog="kalooki", description="Jamaican Kalooki and Kaluki 51 for reinforcement learning.")
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
    with any_text():
        args, unknown = parser().parse_known_args(argv)
        if unknown:
            args.parser.error(f"unknown arguments: {' '.join(unknown)}; `{args.parser.prog} --help` lists all")
        try:
            code: int = args.run(args)
            sys.stdout.flush()
        except KalookiError as error:
            return failed(args.verb, args.parser.named(str(error)))
        except KeyboardInterrupt:
            return 130
        except OSError as error:
            # The reader, such as `head`, has seen enough; Windows has no name of its own for it.
            if isinstance(error, BrokenPipeError) or (error.errno == errno.EINVAL and error.filename is None):
                nobody_reads(sys.stdout)
                return 0
            nobody_reads(sys.stdout)  # a full disk, perhaps: what could not be written is not tried again
            return failed(args.verb, str(error))
        return code


def failed(verb: str, reason: str) -> int:
    """Say on standard error why a verb failed. Returns the exit code."""
    say(f"kalooki {verb}: error: {reason}")
    return 2
