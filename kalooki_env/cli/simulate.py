"""`kalooki simulate`: deals between named agents, as a summary or step by step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from kalooki_env import agents as registry
from kalooki_env import core
from kalooki_env.agents.play import Player
from kalooki_env.arena.chunks import DealSet
from kalooki_env.arena.evaluation import playable
from kalooki_env.arena.recording import TableRecorder, opinions_of, watched
from kalooki_env.arena.report import columns, deals_words, percent
from kalooki_env.arena.tables import deal_lanes, play
from kalooki_env.cli.common import AGENTS, Verbs, add_deals, add_json, add_table, add_verb, progress, write_json
from kalooki_env.cli.match import check_seats, run_match
from kalooki_env.cli.turns import Turns, drawn, table_now
from kalooki_env.game.cards import seat_name
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.records import RecordWriter
from kalooki_env.rules import Rules


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "simulate",
        "plays deals, or a match, between agents and prints how they went",
        run,
        details=AGENTS,
        examples="kalooki simulate\n"
        "kalooki simulate --agents greedy random random random --deal 1 5 --deals 500\n"
        "kalooki simulate --show --deal 2 --deals 1 --seed 7\n"
        "kalooki simulate --agents greedy random random --players 3 --deals 1 --record deals.jsonl\n"
        "kalooki simulate --match --agents expert greedy greedy random",
    )
    add_table(parser)
    parser.add_argument(
        "--agents", nargs="+", default=["greedy"], metavar="AGENT", help="one for all seats, or one per seat (default: greedy)"
    )
    add_deals(parser, "100, or 1 with --show")
    parser.add_argument("--show", action="store_true", help="print every deal, turn by turn, all hands open")
    parser.add_argument("--record", metavar="FILE", help="write a record of all deals, action by action, for kalooki replay")
    parser.add_argument("--match", action="store_true", help="play one match, or series, and print its score sheet")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    rules = Rules.parse(args.rules)
    table = engine(rules, args.players)  # refuses numbers of players before so many names are made
    names = args.agents * args.players if len(args.agents) == 1 else args.agents
    if args.match:
        return run_match(args, rules, names)
    check_seats(names, args.players)
    loaded = {name: registry.load(name) for name in dict.fromkeys(names)}
    players = [Player(watched(agent) if args.record else agent, table, name) for name, agent in loaded.items()]
    seats = [list(loaded).index(name) for name in names]
    numbers = args.deal or playable(rules, args.players)
    per_number = (1 if args.show else 100) if args.deals is None else args.deals
    deals = DealSet.make(table, numbers, per_number, args.seed)
    rngs = [np.random.default_rng([args.seed, number]) for number in range(len(players))]
    writer = RecordWriter(args.record, rules, args.players, seats=names, seed=args.seed) if args.record else None
    with writer or nullcontext():
        if args.show:
            records = [
                show(table, deals, i, seats, players, rngs, names, quiet=args.json, writer=writer)
                for i in range(len(deals.numbers))
            ]
        else:
            records = batch(table, deals, seats, players, rngs, writer)
    summary = [summary_of(records, number, names) for number in numbers]
    if args.json:
        settings = {"rules": str(rules), "num_players": args.players, "agents": names, "seed": args.seed}
        write_json({**settings, "by_deal": summary, "deals": records})
    else:
        sys.stdout.write(
            f"{rules}, {args.players} players: {', '.join(names)}\n"
            f"{deals_words(numbers)}, {per_number} of each, seed {args.seed}\n{summary_text(summary)}"
        )
    return 0


def record_of(state: Any, deals: DealSet, index: int, num_players: int, decisions: int) -> dict[str, Any]:
    """One finished deal as plain values."""
    winner = int(state["winner"])
    return {
        "deal": int(deals.numbers[index]),
        "dealer": int(deals.dealers[index]),
        "seed": int(deals.seeds[index]),
        "winner": winner if winner >= 0 else None,
        "scores": [int(score) for score in state["scores"][:num_players]],
        "opened": [bool(opened) for opened in state["opened"][:num_players]],
        "turns": int(state["turns"]),
        "decisions": decisions,
    }


def batch(
    table: Engine,
    deals: DealSet,
    seats: Sequence[int],
    players: Sequence[Player],
    rngs: Sequence[np.random.Generator],
    writer: RecordWriter | None,
) -> list[dict[str, Any]]:
    """Play all deals in lockstep; what they came to."""
    count = len(deals.numbers)
    dealt = deal_lanes(table, deals.numbers, deals.dealers, deals.seeds)
    recorder = None if writer is None else TableRecorder(table, dealt, deals.seeds, dict.fromkeys(range(count)))
    with progress("deals", count) as note:
        chairs = np.tile(np.array(seats, np.int64), (count, 1))
        played = play(table, dealt, chairs, players, rngs, progress=note, recorder=recorder)
    if writer is not None and recorder is not None:
        for lines in recorder.deals.values():
            writer.add(lines)
    return [record_of(played.states[i], deals, i, table.num_players, int(played.decisions[i])) for i in range(count)]


def show(
    table: Engine,
    deals: DealSet,
    index: int,
    seats: Sequence[int],
    players: Sequence[Player],
    rngs: Sequence[np.random.Generator],
    names: Sequence[str],
    quiet: bool,
    writer: RecordWriter | None,
) -> dict[str, Any]:
    """Play one deal and print it unless `quiet`; what it came to, with its actions."""
    number, dealer = int(deals.numbers[index]), int(deals.dealers[index])
    seed = int(deals.seeds[index])
    game = Game(table.rules, table.num_players, deal=number, dealer=dealer, seed=seed)
    out = Turns(quiet)
    out.line(f"--- seed {seed}: " + ", ".join(f"{seat_name(seat)} {name}" for seat, name in enumerate(names)))
    out.line(table_now(game))
    if writer is not None:
        writer.begin(game, seed=seed)
    lane = np.zeros(1, np.int64)
    actions = []
    while game.to_move is not None:
        mover = seats[game.to_move]
        action = int(players[mover].act(game.states, lane, game.mask()[None], rngs[mover])[0])
        if writer is not None:
            writer.act(action, *(opinions_of(players[mover], lane)[0] or ()))
        before, turn = game.states[0].copy(), int(game.states[0]["turns"]) + 1
        seat, text = game.to_move, game.action_text(action)
        actions.append(f"{seat_name(seat)} {text}")
        game.do(action)
        out.add(turn, seat, text + drawn(before, game.states[0], seat) if action == core.DRAW_STOCK else text)
    out.flush()
    out.line(table_now(game))
    record = record_of(game.states[0], deals, index, table.num_players, len(actions))
    return {**record, "actions": actions}


def summary_of(records: Sequence[dict[str, Any]], number: int, names: Sequence[str]) -> dict[str, Any]:
    """Means over the deals of one number, as plain values."""
    chosen = [record for record in records if record["deal"] == number]
    scores = np.array([record["scores"] for record in chosen])
    opened = np.array([record["opened"] for record in chosen])
    out = float(np.mean([record["winner"] is not None for record in chosen]))
    by_agent = {}
    for name in dict.fromkeys(names):
        held = np.array([one == name for one in names])
        by_agent[name] = {"score": float(scores[:, held].mean()), "opened": float(opened[:, held].mean())}
    return {
        "deal": number,
        "count": len(chosen),
        "ended_by_going_out": out,
        "blocked": 1 - out,
        "turns": float(np.mean([record["turns"] for record in chosen])),
        "decisions": float(np.mean([record["decisions"] for record in chosen])),
        "agents": by_agent,
    }


def summary_text(summary: Sequence[dict[str, Any]]) -> str:
    """The means by deal number as a table."""
    names = list(summary[0]["agents"])
    head = ["deal", "deals", "ended out", "blocked", "turns", "decisions"]
    head += [word for name in names for word in (f"{name} scores", "opens")]
    rows = []
    for one in summary:
        row = [str(one["deal"]), str(one["count"]), percent(one["ended_by_going_out"]), percent(one["blocked"])]
        row += [f"{one['turns']:.1f}", f"{one['decisions']:.0f}"]
        row += [
            word for name in names for word in (f"{one['agents'][name]['score']:.1f}", percent(one["agents"][name]["opened"]))
        ]
        rows.append(row)
    return columns(head, rows) + "\n"
