"""`kalooki warmup`: compiles everything that users call, once."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kalooki_env
from kalooki_env import agents, core
from kalooki_env.agents.play import Player
from kalooki_env.cli.common import Verbs, add_json, add_verb, say, write_json
from kalooki_env.fields import Fields
from kalooki_env.files import FileFault, read_json
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.playout import play_random
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules

#: Name of a file beside the compiled code: what it cost.
NOTE = "warmup.json"


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "warmup",
        "compiles the engine into the cache, so that nothing else has to wait for it",
        run,
        details="The cache lies in $KALOOKI_CACHE_DIR, or in the user's cache folder. It is keyed by the sources: after an\n"
        "upgrade, run this again.",
        examples="kalooki warmup\nKALOOKI_CACHE_DIR=/tmp/kalooki kalooki warmup",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    was_warm = core.is_warm()
    began, cpu_began = time.perf_counter(), time.process_time()
    seconds = {}
    for name, part in PARTS.items():
        start = time.perf_counter()
        part(engine(Rules(), 4))
        seconds[name] = time.perf_counter() - start
        if not args.json and seconds[name] > 2:
            say(f"{name}: {seconds[name]:.1f} s")
    total = time.perf_counter() - began
    folder = core.cache_dir()
    if folder is not None and not was_warm and core.is_warm():
        note = json.dumps({"cpu_seconds": time.process_time() - cpu_began})
        (folder / NOTE).write_text(note, encoding="utf-8")
    if args.json:
        found = {"cache": None if folder is None else str(folder), "was_warm": was_warm, "seconds": total, "parts": seconds}
        write_json({**found, "compile_cpu_seconds": compile_cpu_seconds()})
    else:
        where = "nothing is kept" if folder is None else f"compiled code lies in {folder}"
        sys.stdout.write(f"ready in {total:.1f} s; {where}\n")
    return 0


def compile_cpu_seconds() -> float | None:
    """CPU seconds that compiling everything took when the cache was filled; None if something else than a warm-up filled it."""
    folder = core.cache_dir()
    if folder is None:
        return None
    try:
        return Fields(read_json(folder / NOTE)).number("cpu_seconds")
    except FileFault:
        return None


def _game(table: Engine) -> None:
    """Single tables: deal, view, explain, read."""
    game = Game(table.rules, table.num_players, seed=1)
    game.verify("call", seat=3)
    game.do("draw stock").do(game.legal_numbers()[0])
    game.view(0)
    Game.from_text(game.text())
    states, source = game.states, game.states.copy()
    core.resample_lane(states, table.record, table.feas, 0, 0, source, np.zeros(1, core.STATE), 1)
    core.set_next_draw(states, 0, int(states[0]["stock"][0]))
    core.random_below(states, 0, 2)
    core.call_possible_in_lane(states, table.record, 0)
    core.complete_lane(states, table.record, table.feas, 0)
    deck = np.repeat(np.arange(core.CARDS, dtype=np.uint8), table.deck)
    core.reset_with_deck(states, table.record, 0, 1, 0, deck)


def _batch(table: Engine) -> None:
    """Many lanes: deal, masks, steps, views, observations, random play."""
    count = 2
    states = _dealt(table, count)
    lanes = np.arange(count)
    masks = np.zeros((count, table.num_actions), np.int8)
    core.mask_lanes(states, table.record, table.feas, masks)
    core.step_lanes(states, table.record, table.feas, np.full(count, -1), np.zeros(count, np.uint8))
    views = np.zeros(count, core.VIEW)
    core.views_of_lanes(states, table.record, lanes, np.zeros(count, np.int64), views)
    for choice in ("obs-v1", "obs-v1+solver"):
        observer = Observer(table, Observation.of(choice, table.max_seats, table.is_kaluki))
        rows = observer.rows(states, lanes, np.zeros(count, np.int64))
    layout = Observation.of("obs-v1", table.max_seats, table.is_kaluki)
    rows = rows[:, : layout.size].copy()
    legal = np.empty(core.MAX_ACTIONS, np.int16)
    play_random(states, table.record, table.feas, layout.offsets, views[:1], masks, rows, legal, 1)


def _agents(table: Engine) -> None:
    """Scripted agents, and a search."""
    states = _dealt(table, 2)
    masks = np.zeros((2, table.num_actions), np.int8)
    core.mask_lanes(states, table.record, table.feas, masks)
    for name in [*agents.SCRIPTED, "search:rollouts=1,lessons=2"]:
        Player(agents.load(name), table, name).act(states, np.arange(2), masks, np.random.default_rng(0))


def _environments(table: Engine) -> None:
    """PettingZoo's interface, with its options that reach other kernels."""
    options: list[dict[str, Any]] = [{}, {"shaping": 0.1, "observation": "obs-v1+solver"}]
    for chosen in options:
        env = kalooki_env.env(deal=1, **chosen)
        env.reset(seed=1)
        env.step(core.DRAW_STOCK)
        env.last()
        env.close()


def _many(table: Engine) -> None:
    """Batched environments, with agents inside compiled code and outside of it."""
    play = kalooki_env.make_selfplay(2)
    seat = kalooki_env.make_vec(2, opponents=["greedy", "random", agents.load("random")])
    match = kalooki_env.make_vec(2, episode="match")
    for env in (play, seat, match):
        env.reset(seed=1)
        env.step(env.sample_actions())
        env.close()


#: What is compiled, in order: each part calls kernels with the argument types that users call them with.
PARTS: dict[str, Callable[[Engine], None]] = {
    "game": _game,
    "batch": _batch,
    "agents": _agents,
    "environments": _environments,
    "batched environments": _many,
}


def _dealt(table: Engine, count: int) -> Any:
    states = np.zeros(count, core.STATE)
    core.seed_lanes(states, np.arange(count, dtype=np.uint64))
    core.reset_lanes(states, table.record, np.ones(count, np.int64), np.zeros(count, np.int64))
    return states
