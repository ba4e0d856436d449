"""Helpers of the tests of records: small records, and edits that keep or break the hashes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from kalooki_env import Game, RecordWriter, agents
from kalooki_env.agents.play import Player
from kalooki_env.records.lines import START, write_line

LANE = np.zeros(1, np.int64)


def play_out(
    writer: RecordWriter, game: Game, agent: str = "greedy", notes: bool = False, limit: int = 10_000, **about: Any
) -> Game:
    """Record a deal that one agent plays at all seats."""
    player = Player(agents.load(agent), game.engine, agent)
    rng = np.random.default_rng(7)
    game = game.copy()
    writer.begin(game, **about)
    for _ in range(limit):
        if game.to_move is None:
            break
        action = int(player.act(game.states, LANE, game.mask()[None], rng)[0])
        policy = game.mask() / game.mask().sum() if notes else None
        writer.act(action, policy, 0.25 if notes else None)
        game.do(action)
    return game


def small_record(path: Path, **about: Any) -> Path:
    """A record of one short deal with notes."""
    with RecordWriter(path, "jamaican", 3, seats=["a", "b", "c"], seed=5) as writer:
        play_out(writer, Game("jamaican", 3, deal=1, seed=11), notes=True, seed=11, **about)
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a record, without their hashes."""
    found = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    for values in found:
        del values["hash"]
    return found


def rewrite(path: Path, lines: list[dict[str, Any]]) -> Path:
    """Write lines with hashes that are right: what a forger would do."""
    digest, texts = START, []
    for values in lines:
        text, digest = write_line(values, digest)
        texts.append(text + "\n")
    path.write_text("".join(texts), encoding="ascii")
    return path
