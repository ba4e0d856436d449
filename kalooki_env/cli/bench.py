"""`kalooki bench`: speed, as multiples of a plain-Python loop that is timed in the same run."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import kalooki_env
from kalooki_env.cli import bench_plot, bench_table
from kalooki_env.cli.bench_loops import LANES
from kalooki_env.cli.bench_parts import FULL, NAMES, QUICK, measure
from kalooki_env.cli.common import Verbs, add_json, add_verb, check_writable, read_page, say, write_json
from kalooki_env.errors import ConfigError, KalookiError, closest

_DETAILS = f"""
Each figure is the median over rounds. A ratio is decisions of the environment per iteration of a reference, a fixed loop over
integers, a dict and a list in plain Python: how fast the machine is at this moment. It is timed next to each loop, both in CPU
seconds of one process, which is fresh and loads the compiled code from the cache. Actions are random legal ones, resets are
included, and the games of a batch are at all stages of a deal when a measurement begins. The parts:
  core          kalooki_env.env(), agent_iter, last and step, forced decisions too; and {LANES:,} games in compiled code, with
                mask and default observation of the seat to move
  memory        bytes of a game
  batch         make_selfplay (uint8) and make_vec, 1 to 4,096 games, with copies of the arrays and without; with forced decisions
  threads       two threads next to one, by the wall clock
  observations  uint8, float32 and dict, with the solver's piece and without
  bots          make_vec against three random, greedy or expert
  players       3 to 8 players
  deals         deals 1 to 9
  sb3           rollouts of sb3-contrib's MaskablePPO, next to those on an environment that does nothing
Nothing else should run on the machine: two threads need both cores.
"""


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "bench",
        "measures speed against a plain-Python loop in the same run",
        run,
        details=_DETAILS,
        examples="kalooki bench\n"
        "kalooki bench --quick --json\n"
        "kalooki bench --only core batch --plot speed.png\n"
        "kalooki bench --cold --save bench.json\n"
        "kalooki bench --from bench.json --readme README.md --plot speed.png",
    )
    parser.add_argument("--only", nargs="+", metavar="PART", help=f"measure these parts only: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="about twenty seconds instead of four minutes, and rougher")
    parser.add_argument(
        "--cold", action="store_true", help="also time the compilation, in a temporary cache: a minute and a half"
    )
    parser.add_argument("--from", dest="source", metavar="FILE", help="measure nothing, and take the results that --save wrote")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    add_json(parser)
    parser.add_argument("--save", metavar="FILE", help="write the results as JSON to a file")
    parser.add_argument("--plot", metavar="FILE", help="draw decisions per second over the number of games; needs matplotlib")
    parser.add_argument(
        "--readme",
        metavar="FILE",
        help=f"put the main figures between {bench_table.FIRST} and {bench_table.LAST} in a page, such as README.md",
    )


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    parts = parts_of(args.only)
    if args.worker:
        write_json(measure(parts, QUICK if args.quick else FULL))
        return 0
    check_options(args, parts)
    found = bench_table.load(args.source) if args.source else measured(args, parts)
    if args.save:
        write_json(found, args.save)
    if args.plot:
        bench_plot.plot(found, args.plot)
    if args.readme:
        # Read again: somebody may have written to it in the meantime.
        Path(args.readme).write_text(bench_table.page_with(read_page(args.readme), found), encoding="utf-8")
    if args.json:
        write_json(found)
    else:
        sys.stdout.write(bench_table.report_text(found))
    return 0


def parts_of(names: list[str] | None) -> list[str]:
    """The parts to measure, all by default.

    Raises:
        ConfigError: an unknown one.
    """
    for name in names or ():
        if name not in NAMES:
            raise ConfigError(f"unknown part {name!r}{closest(name, NAMES)}")
    return [name for name in NAMES if names is None or name in names]


def check_options(args: argparse.Namespace, parts: list[str]) -> None:
    """Refuse what cannot work before the work of minutes.

    Raises:
        ConfigError: options that exclude each other, or files that cannot be written.
    """
    if args.source:
        given = {"--only": args.only, "--quick": args.quick, "--cold": args.cold}
        for option in (option for option, value in given.items() if value):
            raise ConfigError(f"{option} is not allowed with --from, which measures nothing")
    for path in (args.save, args.plot):
        check_writable(path)
    if args.plot:
        bench_plot.drawing()
        if not args.source and "batch" not in parts:
            raise ConfigError("--plot needs the part batch")
    if args.readme:
        bench_table.around(read_page(args.readme))


def measured(args: argparse.Namespace, parts: list[str]) -> dict[str, Any]:
    """Everything that was measured, with what it belongs to."""
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"other programs keep {load:.1f} cores busy: measure again when nothing else runs")
    say("warming up ...")
    warm = json.loads(_kalooki("warmup", "--json"))
    words = ["bench", "--worker", *(["--quick"] if args.quick else []), "--only", *parts]
    found: dict[str, Any] = json.loads(_kalooki(*words))
    compile_seconds = cold() if args.cold else warm["compile_cpu_seconds"]
    return {
        **found,
        "quick": args.quick,
        "machine": {**machine(), "load_before": load},
        "cache": {"folder": warm["cache"], "was_warm": warm["was_warm"], "compile_cpu_seconds": compile_seconds},
    }


def _kalooki(*words: str, cache: str | None = None) -> str:
    """Standard output of a `kalooki` command in a process of its own."""
    environment = dict(os.environ)
    # The worker must import this very package, installed or not.
    package = str(Path(kalooki_env.__file__).resolve().parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [package, environment.get("PYTHONPATH")]))
    if cache is not None:
        environment["KALOOKI_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-m", "kalooki_env", *words], env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise KalookiError(f"kalooki {' '.join(words)} ended with exit code {done.returncode}")
    return done.stdout


def cold() -> float:
    """CPU seconds that compiling everything takes, in an empty cache."""
    say("compiling everything once more, in a temporary cache ...")
    with tempfile.TemporaryDirectory() as folder:
        seconds: float = json.loads(_kalooki("warmup", "--json", cache=folder))["compile_cpu_seconds"]
    return seconds


def machine() -> dict[str, Any]:
    """The machine and the versions that the figures belong to."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), cpu)
    except OSError:
        pass  # not Linux
    versions = {}
    for name in ("numpy", "numba", "gymnasium", "pettingzoo", "sb3_contrib", "torch"):
        with suppress(PackageNotFoundError):  # those for training may be missing
            versions[name] = version(name)
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "kalooki_env": kalooki_env.__version__,
        **versions,
    }
