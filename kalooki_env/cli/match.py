"""`kalooki simulate --match`: a whole match between named agents, as the score sheet that players would write."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from fractions import Fraction
from typing import Any

import numpy as np

from kalooki_env.agents.play import Player
from kalooki_env.arena.chunks import Cast
from kalooki_env.arena.recording import opinions_of
from kalooki_env.cli.common import progress, write_json
from kalooki_env.cli.turns import Turns, drawn, table_now
from kalooki_env.core import DRAW_STOCK
from kalooki_env.errors import ConfigError
from kalooki_env.game.cards import seat_name
from kalooki_env.game.match import Match, deal_seed
from kalooki_env.game.match_score import SERIES, MatchScore, ScoredDeal, deal_name
from kalooki_env.records import RecordWriter
from kalooki_env.records.matches import begin_deal, note_ends
from kalooki_env.rules import Rules


def check_seats(names: Sequence[str], num_players: int) -> None:
    """Refuse a wrong number of agents.

    Raises:
        ConfigError: neither one agent nor one per seat.
    """
    if len(names) != num_players:
        raise ConfigError(f"{len(names)} agents for {num_players} seats; allowed: one for all, or one per seat")


def run_match(args: argparse.Namespace, rules: Rules, names: Sequence[str]) -> int:
    """Carry out the verb for a match.

    Args:
        args: the arguments of the verb.
        rules: the rules.
        names: names of the agents, seat by seat.

    Raises:
        ConfigError: options that do not go with a match.
    """
    for option, value in (("--deal", args.deal), ("--deals", args.deals)):
        if value is not None:
            raise ConfigError(f"{option} is not allowed with --match, whose deals follow from the rules")
    match = Match(rules, args.players, seed=args.seed)
    check_seats(names, args.players)
    writer = RecordWriter(args.record, rules, args.players, seats=names, seed=args.seed) if args.record else None
    with writer or nullcontext():
        records = play_match(match, names, args.seed, show=args.show and not args.json, writer=writer)
    if args.json:
        write_json(match_record(match.score, names, args.seed, records))
    else:
        sys.stdout.write(match.sheet(names) + f"seed {args.seed}\n")
    return 0


def play_match(
    match: Match, names: Sequence[str], seed: int, show: bool, writer: RecordWriter | None = None
) -> list[dict[str, Any]]:
    """Play a match to its end; turns, decisions and actions of its deals.

    Agents are loaded anew for each kind of table, so that one that prepares itself for a table can also play a sudden death.

    Args:
        match: the match, which is played on.
        names: names of the agents, seat by seat.
        seed: seed of their choices.
        show: print every deal, turn by turn.
        writer: record of the match, if there is to be one.
    """
    cast = Cast({name: name for name in names})
    rngs = {name: np.random.default_rng([seed, number]) for number, name in enumerate(dict.fromkeys(names))}
    records = []
    matches = SERIES if match.rules.series == "best_of_3" else 1
    with progress("deals", matches * (match.score.regular_deals or 1)) as note:
        while match.game is not None:
            sitting = [names[seat] for seat in match.table_seats]
            players = [cast.player(match.game.engine, name, False, writer is not None) for name in sitting]
            before = match.score
            if writer is not None:
                begin_deal(writer, match.game, before, deal_seed(seed, len(before.rows)))
            records.append(_play_deal(match, players, [rngs[name] for name in sitting], show, writer))
            if writer is not None:
                note_ends(writer, before, match.score)
            note(1)
    return records


def _play_deal(
    match: Match,
    players: Sequence[Player],
    rngs: Sequence[np.random.Generator],
    show: bool,
    writer: RecordWriter | None,
) -> dict[str, Any]:
    """Play one deal of a match; its turns, decisions and actions."""
    game, deal = match.game, match.deal
    assert game is not None, "the match goes on"
    assert deal is not None, "the match goes on"
    out = Turns(not show)
    sitting = [f"{seat_name(at)} {player.name}" for at, player in enumerate(players)]
    if len(sitting) < match.num_players:  # a table of its own, where seats have other numbers
        sitting = [f"{words} ({seat_name(seat)} of the match)" for words, seat in zip(sitting, deal.seats, strict=True)]
    out.line(f"--- {deal_name(deal)}: " + ", ".join(sitting))
    if show:
        out.line(table_now(game))
    lane = np.zeros(1, np.int64)
    actions = []
    while game.to_move is not None:
        seat = game.to_move
        action = int(players[seat].act(game.states, lane, game.mask()[None], rngs[seat])[0])
        text = game.action_text(action)
        if writer is not None:
            writer.act(action, *(opinions_of(players[seat], lane)[0] or ()))
        before, turn = game.states[0].copy(), int(game.states[0]["turns"]) + 1
        actions.append(f"{seat_name(seat)} {text}")
        match.do(action)
        out.add(turn, seat, text + drawn(before, game.states[0], seat) if action == DRAW_STOCK else text)
    out.flush()
    if show:
        out.line(table_now(game))
    return {"turns": int(game.states[0]["turns"]), "decisions": len(actions), "actions": actions}


def match_record(score: MatchScore, names: Sequence[str], seed: int, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A finished match as plain values."""
    outcome = score.outcome
    assert outcome is not None, "the match is over"
    return {
        "rules": str(score.rules),
        "num_players": score.num_players,
        "agents": list(names),
        "seed": seed,
        "first_dealer": score.first_dealer,
        "deals": [
            {**_deal_record(scored, score.rules), "seed": deal_seed(seed, index), **record}
            for index, (scored, record) in enumerate(zip(score.deals, records, strict=True))
        ],
        "winners": list(outcome.winners),
        "places": list(outcome.places),
        "totals": list(outcome.totals),
        "matches_won": list(outcome.matches_won),
        "chips": [_number(chips) for chips in outcome.chips],
    }


def _deal_record(scored: ScoredDeal, rules: Rules) -> dict[str, Any]:
    deal = scored.deal
    return {
        "match": deal.match,
        "match_deal": deal.ordinal,
        "kind": deal.kind.value,
        "deal": deal.number,
        "contract": rules.deals[deal.number - 1],
        "seats": list(deal.seats),
        "dealer": deal.dealer,
        "winner": scored.winner,
        "scores": list(scored.scores),
        "totals": list(scored.totals),
        "chips": [_number(chips) for chips in scored.chips],
    }


def _number(chips: Fraction) -> int | float:
    """Chips as JSON writes them: a fraction as the nearest decimal number."""
    return int(chips) if chips.denominator == 1 else float(chips)
