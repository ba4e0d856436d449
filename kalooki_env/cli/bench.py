"""`kalooki bench`: speed, as multiples of a plain-Python loop that is timed in the same run."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import kalooki_env
from kalooki_env import core
from kalooki_env.arena.report import columns
from kalooki_env.cli.common import Verbs, add_json, add_verb, say, write_json
from kalooki_env.errors import KalookiError
from kalooki_env.game.engine import engine
from kalooki_env.observe.playout import play_random
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules

#: Games of the batch.
LANES = 1024
#: Decisions of each lane in one call.
_CHUNK = 50
_DETAILS = f"""
Times three loops in turn, several rounds, each in CPU seconds of one process:
  reference  a fixed loop over integers, a dict and a list in plain Python: how fast the machine is at this moment
  aec        kalooki_env.env() with its defaults, agent_iter, last and step, random legal actions, resets included
  batch      {LANES:,} games in compiled code: random legal actions, mask and default observation of the mover, resets included
A ratio is decisions of the environment per iteration of the reference, both per CPU second, the median over rounds. The loops
run in a fresh process that loads the compiled code from the cache.
"""


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "bench",
        "measures speed against a plain-Python loop in the same run",
        run,
        details=_DETAILS,
        examples="kalooki bench\nkalooki bench --quick --json\nkalooki bench --cold",
    )
    parser.add_argument("--quick", action="store_true", help="about ten seconds instead of about a minute")
    parser.add_argument("--cold", action="store_true", help="also time the compilation, in a temporary cache: about a minute")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    rounds, seconds = (5, 0.5) if args.quick else (9, 2.0)
    if args.worker:
        write_json(measure(rounds, seconds))
        return 0
    say("warming up ...")
    warm = json.loads(_kalooki("warmup", "--json"))
    say(f"measuring: {rounds} rounds, about {3 * rounds * seconds:.0f} s ...")
    found = json.loads(_kalooki("bench", "--worker", *(["--quick"] if args.quick else [])))
    found["machine"] = machine()
    compile_seconds = cold() if args.cold else warm["compile_cpu_seconds"]
    found["cache"] = {"folder": warm["cache"], "was_warm": warm["was_warm"], "compile_cpu_seconds": compile_seconds}
    if args.json:
        write_json(found)
    else:
        sys.stdout.write(report_text(found))
    return 0


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
    names = ("numpy", "numba", "gymnasium", "pettingzoo")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "kalooki_env": kalooki_env.__version__,
        **{name: version(name) for name in names},
    }


# ---- the three loops -------------------------------------------------------------------------------------------------


def reference_loop(seconds: float) -> tuple[int, float]:
    """Iterations of a fixed loop in plain Python, and the CPU seconds that they took.

    It stands for the speed of the machine at that moment: a busy minute on a shared machine slows it and the environments down.
    """
    number = 12345
    counts: dict[int, int] = {}
    stack: list[int] = []
    iterations = 0
    start = time.process_time()
    while True:
        for _ in range(20_000):
            number = (number * 1103515245 + 12345) & 0x7FFFFFFF
            key = (number >> 8) & 63
            counts[key] = counts.get(key, 0) + 1
            if key & 1:
                stack.append(key)
            elif stack:
                stack.pop()
        iterations += 20_000
        elapsed = time.process_time() - start
        if elapsed >= seconds:
            return iterations, elapsed


def aec_loop() -> Callable[[float], tuple[int, float]]:
    """The loop of a user of PettingZoo: decisions, and the CPU seconds that they took.

    Whole deals, at random over the nine numbers. The last steps of agents whose deal is over take time and are no decisions.
    """
    env: Any = kalooki_env.env()
    env.reset(seed=1)

    def play(seconds: float) -> tuple[int, float]:
        decisions = 0
        start = time.process_time()
        while True:
            env.reset()
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    action = None
                else:
                    legal = observation["action_mask"].nonzero()[0]
                    action = legal[int(random.random() * len(legal))]
                    decisions += 1
                env.step(action)
            elapsed = time.process_time() - start
            if elapsed >= seconds:
                return decisions, elapsed

    return play


def batch_loop() -> Callable[[float], tuple[int, float]]:
    """The compiled loop over many games: decisions, and the CPU seconds that they took."""
    table = engine(Rules(), 4)
    layout = Observation.of("obs-v1", table.max_seats)
    states = np.zeros(LANES, core.STATE)
    core.seed_lanes(states, np.arange(LANES, dtype=np.uint64))
    core.reset_lanes(states, table.record, np.arange(LANES) % core.DEALS + 1, np.arange(LANES) % table.num_players)
    views = np.zeros(1, core.VIEW)
    masks = np.zeros((LANES, table.num_actions), np.int8)
    rows = np.zeros((LANES, layout.size), np.uint8)
    legal = np.empty(core.MAX_ACTIONS, np.int16)

    def some(decisions: int) -> None:
        play_random(states, table.record, table.feas, layout.offsets, views, masks, rows, legal, decisions)

    # All lanes begin at the first turn, where decisions are cheaper than on average: play until the deals have come apart.
    some(2000)

    def play(seconds: float) -> tuple[int, float]:
        decisions = 0
        start = time.process_time()
        while True:
            some(_CHUNK)
            decisions += LANES * _CHUNK
            elapsed = time.process_time() - start
            if elapsed >= seconds:
                return decisions, elapsed

    return play


def measure(rounds: int, seconds: float) -> dict[str, Any]:
    """Time the three loops in turn.

    Args:
        rounds: how often each is timed.
        seconds: CPU seconds each time.

    Returns:
        Medians and all rounds: rates per CPU second, and ratios to the reference of the same round.
    """
    start = time.process_time()
    random.seed(1)
    loops = {"reference": reference_loop, "aec": aec_loop(), "batch": batch_loop()}
    loops["aec"](0.01)  # loads what is loaded at the first step
    load = time.process_time() - start
    rates: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(rounds):
        for name, loop in loops.items():
            count, elapsed = loop(seconds)
            rates[name].append(count / elapsed)
    ratios = {
        name: [rate / base for rate, base in zip(rates[name], rates["reference"], strict=True)] for name in ("aec", "batch")
    }
    return {
        "aec_ratio": statistics.median(ratios["aec"]),
        "batch_ratio": statistics.median(ratios["batch"]),
        "aec_decisions_per_second": statistics.median(rates["aec"]),
        "batch_decisions_per_second": statistics.median(rates["batch"]),
        "reference_iterations_per_second": statistics.median(rates["reference"]),
        "lanes": LANES,
        "rules": str(Rules()),
        "num_players": 4,
        "load_seconds": load,
        "rounds": [
            {
                **{f"{name}_per_second": rates[name][i] for name in rates},
                **{f"{name}_ratio": ratios[name][i] for name in ratios},
            }
            for i in range(rounds)
        ],
    }


def report_text(found: dict[str, Any]) -> str:
    """The figures for people."""
    about = found["machine"]
    cold_seconds = found["cache"]["compile_cpu_seconds"]
    lines = [
        f"{about['cpu']}, {about['cores']} cores, {about['system']}",
        ", ".join(f"{name} {about[name]}" for name in ("kalooki_env", "python", "numpy", "numba", "gymnasium", "pettingzoo")),
        f"cache {found['cache']['folder']}, {'warm' if found['cache']['was_warm'] else 'cold'} before this run; "
        + (
            f"compiling everything took {cold_seconds:.1f} CPU-seconds"
            if cold_seconds is not None
            else "--cold times the compilation"
        ),
        "",
        f"{found['rules']}, {found['num_players']} players, nine deals; per CPU second of one process, "
        f"medians of {len(found['rounds'])} rounds",
    ]
    rows = [
        [
            "reference",
            f"{found['reference_iterations_per_second']:,.0f} iterations",
            "1",
            _spread(found, "reference_per_second", 0),
        ],
        [
            "aec",
            f"{found['aec_decisions_per_second']:,.0f} decisions",
            f"{found['aec_ratio']:.4f}",
            _spread(found, "aec_ratio", 4),
        ],
        [
            "batch",
            f"{found['batch_decisions_per_second']:,.0f} decisions",
            f"{found['batch_ratio']:.3f}",
            _spread(found, "batch_ratio", 3),
        ],
    ]
    return "\n".join([*lines, columns(["", "per second", "ratio", "lowest and highest round"], rows)]) + "\n"


def _spread(found: dict[str, Any], key: str, digits: int) -> str:
    values = [one[key] for one in found["rounds"]]
    return f"{min(values):,.{digits}f} to {max(values):,.{digits}f}"
