"""The parts of `kalooki bench`: what is timed in each."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kalooki_env.cli.bench_loops import (
    DEAL,
    LANES,
    Case,
    NotInstalledError,
    Results,
    aec_loop,
    batch_loop,
    come_apart,
    env_loop,
    in_turn,
    reference_loop,
    step_some,
    summary,
)
from kalooki_env.cli.bench_sb3 import rollouts_of
from kalooki_env.cli.common import say
from kalooki_env.rules import MAX_PLAYERS, Rules


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        core_rounds, core_seconds: rounds of the first three loops, and seconds of each in a round.
        rounds, seconds, reference_seconds: the same of all others.
        num_envs: numbers of games.
        many: number of games where there is only one.
        memory: number of games whose memory is measured.
        num_players, deals: numbers of players and of deals.
        apart: decisions of a deal before a measurement.
        rollouts: games, and steps of each, of rollouts of Stable-Baselines3.
    """

    core_rounds: int = 9
    core_seconds: float = 1.0
    rounds: int = 5
    seconds: float = 0.3
    reference_seconds: float = 0.1
    num_envs: tuple[int, ...] = (1, 4, 16, 64, 256, 1024, 4096)
    many: int = 1024
    memory: int = 16384
    num_players: tuple[int, ...] = tuple(range(3, MAX_PLAYERS + 1))
    deals: tuple[int, ...] = tuple(range(1, 10))
    apart: int = DEAL
    rollouts: tuple[tuple[int, int], ...] = ((64, 32), (256, 32), (1024, 32))


FULL = Sizes()
#: For a look, and for tests.
QUICK = Sizes(
    core_rounds=3,
    core_seconds=0.2,
    rounds=3,
    seconds=0.03,
    reference_seconds=0.02,
    num_envs=(1, 64, 1024),
    many=256,
    memory=2048,
    num_players=(3, 8),
    deals=(1, 9),
    apart=200,
    rollouts=((8, 16),),
)


def measure(names: Sequence[str], sizes: Sizes) -> dict[str, Any]:
    """Measure some parts, in their order.

    Returns:
        What `core` found under names of its own, results of the others by part under `parts`, and reasons under `skipped`.
    """
    found: dict[str, Any] = {}
    if CORE in names:
        say("core ...")
        found = core(sizes.core_rounds, sizes.core_seconds)
    found |= {"rules": str(Rules()), "num_players": 4, "parts": {}, "skipped": {}}
    for name, part in PARTS.items():
        if name not in names:
            continue
        say(f"{name} ...")
        try:
            found["parts"][name] = part(sizes)
        except NotInstalledError as reason:
            say(f"{name} is skipped: {reason}")
            found["skipped"][name] = str(reason)
    return found


# ---- the parts -------------------------------------------------------------------------------------------------------


def core(rounds: int, seconds: float) -> dict[str, Any]:
    """Time the reference, the AEC environment and the compiled batch in turn.

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
    rates: list[dict[str, float]] = []
    for _ in range(rounds):
        rates.append({})
        for name, loop in loops.items():
            counts, elapsed = loop(seconds)
            rates[-1][name] = sum(counts.values()) / elapsed
    medians = summary(rates)
    return {
        "aec_ratio": medians["aec_ratio"],
        "batch_ratio": medians["batch_ratio"],
        "aec_decisions_per_second": medians["aec_per_second"],
        "batch_decisions_per_second": medians["batch_per_second"],
        "reference_iterations_per_second": statistics.median(one["reference"] for one in rates),
        "lanes": LANES,
        "load_seconds": load,
        "rounds": [
            {
                **{f"{name}_per_second": rate for name, rate in one.items()},
                **{f"{name}_ratio": one[name] / one["reference"] for name in ("aec", "batch")},
            }
            for one in rates
        ],
    }


def timed(cases: Sequence[Case], sizes: Sizes) -> Results:
    """Rates of batched environments."""
    states: dict[Any, Any] = {}
    loops = [env_loop(case, states) for case in cases]
    states.clear()
    found = in_turn(loops, sizes.rounds, sizes.seconds, sizes.reference_seconds)
    return [{**case.about(), **one} for case, one in zip(cases, found, strict=True)]


def selfplay(count: int, sizes: Sizes, **options: Any) -> Case:
    """Self-play, by random actions in all seats."""
    return Case("selfplay", count, options, sizes.apart * options.get("num_players", 4) // 4)


def vec(count: int, sizes: Sizes, **options: Any) -> Case:
    """One learning seat a game. Scripted agents end a deal in a quarter of the decisions that random ones need."""
    quick = options["opponents"] != "random"
    return Case("vec", count, options, sizes.apart // 4 // (4 if quick else 1))


def batch(sizes: Sizes) -> Results:
    """Both environments with all numbers of games."""
    cases = []
    for count in sizes.num_envs:
        for copy in (False, True):
            cases += [selfplay(count, sizes, copy=copy), vec(count, sizes, opponents="random", copy=copy)]
    return timed([*cases, selfplay(sizes.many, sizes, copy=False, skip_forced=False)], sizes)


def threads(sizes: Sizes) -> Results:
    """Two threads beside one, by the wall clock."""
    cases = []
    for count in sizes.num_envs[1:]:
        for copy in (False, True):
            for case in (selfplay(count, sizes, copy=copy), vec(count, sizes, opponents="random", copy=copy)):
                for number in (1, 2):
                    cases.append(replace(case, options={**case.options, "threads": number}, wall=True))
    found = timed(cases, sizes)
    for one, two in zip(found[::2], found[1::2], strict=True):
        pairs = zip(one["rounds"], two["rounds"], strict=True)
        two["speed_up"] = statistics.median(b["decisions"] / a["decisions"] for a, b in pairs)
    return found


def observations(sizes: Sizes) -> Results:
    """All forms of observations, with and without the solver's piece."""
    forms: list[dict[str, Any]] = [
        {"observation_dtype": "uint8"},
        {"observation_dtype": "float32"},
        {"observation_dtype": "float32", "observation_form": "dict"},
    ]
    return timed(
        [
            selfplay(sizes.many, sizes, observation=choice, **form, copy=False)
            for choice in ("obs-v1", "obs-v1+solver")
            for form in forms
        ],
        sizes,
    )


def bots(sizes: Sizes) -> Results:
    """One learning seat against three of each scripted agent."""
    return timed([vec(sizes.many, sizes, opponents=name, copy=False) for name in ("random", "greedy", "expert-v1")], sizes)


def players(sizes: Sizes) -> Results:
    """Tables of all sizes."""
    return timed([selfplay(sizes.many, sizes, num_players=count, copy=False) for count in sizes.num_players], sizes)


def deals(sizes: Sizes) -> Results:
    """One number of the deal at a time."""
    return timed([selfplay(sizes.many, sizes, deal=deal, copy=False) for deal in sizes.deals], sizes)


def memory(sizes: Sizes) -> Results:
    """Bytes of a game: those of the arrays, and those by which the process grows."""
    found = []
    for case in (selfplay(sizes.memory, sizes, copy=False), vec(sizes.memory, sizes, opponents="random", copy=False)):
        come_apart(replace(case, num_envs=2).make(), 10)  # loads what is loaded once
        before = resident_bytes()
        env = case.make()
        env.reset(seed=1)
        step_some(env, 10)
        after = resident_bytes()
        grown = None if before is None or after is None else (after - before) / env.num_envs
        found.append({**case.about(), "bytes_per_game": env.lanes.nbytes() / env.num_envs, "resident_bytes_per_game": grown})
    return found


def rollouts(sizes: Sizes) -> Results:
    """Rollouts of MaskablePPO, beside those on an environment that does nothing."""
    found = []
    for games, steps in sizes.rollouts:
        found += rollouts_of(games, steps, sizes.rounds, 2 * sizes.seconds, sizes.reference_seconds)
    return found


def resident_bytes() -> int | None:
    """Memory of this process that is in use; None where Linux does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


#: In the order in which they are measured: memory before others have used any, and PyTorch is loaded last.
PARTS: dict[str, Callable[[Sizes], Results]] = {
    "memory": memory,
    "batch": batch,
    "threads": threads,
    "observations": observations,
    "bots": bots,
    "players": players,
    "deals": deals,
    "sb3": rollouts,
}
#: The first part has results of another form.
CORE = "core"
NAMES = (CORE, *PARTS)
