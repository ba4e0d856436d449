"""`kalooki replay`: a record, checked and shown: step by step in the terminal, or as one HTML page."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kalooki_env.cli.common import Verbs, add_json, add_verb, check_writable, digits, say, write_file, write_json
from kalooki_env.errors import ConfigError
from kalooki_env.game.cards import seat_name
from kalooki_env.game.game import Game
from kalooki_env.records import Record, RecordedDeal, Step, read_record
from kalooki_env.render.page import end_text, match_text, page_html
from kalooki_env.render.text import table_text, takes_colours
from kalooki_env.values import shown, whole_number

_DETAILS = """
A record is read as a whole first: each action must be legal where it stands, and cards, scores and totals must be what the engine
gives. A record that is truncated, edited, of other rules or of another version is refused with the line and the reason.

Without --check or --html, actions are stepped through: Enter or n goes forward, b back, a number to that action, q ends.
"""
_KEYS = "Enter or n forward, b back, 0 to {} jump, q quit"
#: Width of the bar of a certain action.
_BAR = 30


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "replay",
        "checks a record of games and shows it, in the terminal or as a page",
        run,
        details=_DETAILS,
        examples="kalooki replay deals.jsonl\n"
        "kalooki replay deals.jsonl --nth 2 --html deal.html\n"
        "kalooki replay deals.jsonl --check --rules jamaican_club",
    )
    parser.add_argument("file", metavar="FILE", help="the record")
    parser.add_argument(
        "--nth", type=digits, metavar="K", help="the K-th deal of the record (default: the first, or all of them with --html)"
    )
    parser.add_argument("--check", action="store_true", help="only check the record, and say what it holds")
    parser.add_argument("--html", metavar="OUT", help="write a page that shows the record in a browser, by itself")
    parser.add_argument("--rules", metavar="RULES", help="refuse a record of other rules")
    parser.add_argument("--cut", action="store_true", help="take a record that is truncated, up to where it was cut")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    check_writable(args.html)
    record = read_record(args.file, rules=args.rules, allow_cut=args.cut)
    if record.cut is not None:
        say(f"{args.file} {record.cut}")
    index = _chosen(args.nth, record)
    if args.html:
        write_file(args.html, page_html(record, None if args.nth is None else [index]))
    if args.json:
        write_json(summary_of(record))
    elif args.check or args.html or not record.deals:
        sys.stdout.write(summary_text(record) + (f"the page: {args.html}\n" if args.html else ""))
    else:
        _step_through(record, index)
    return 0


def _chosen(nth: object, record: Record) -> int:
    """Index of a deal.

    Raises:
        ConfigError: no such deal.
    """
    if nth is not None and not record.deals:
        raise ConfigError(f"nth {shown(nth)} is not allowed; allowed: none, the record holds no deals")
    return 0 if nth is None else whole_number("nth", nth, 1, len(record.deals)) - 1


# ---- summary ---------------------------------------------------------------------------------------------------------


def summary_of(record: Record) -> dict[str, Any]:
    """What a record holds, as plain values."""
    return {
        "record": str(record.path),
        "version": record.version,
        "package": record.package,
        "rules": str(record.rules),
        "num_players": record.num_players,
        "seats": list(record.seats),
        "seed": record.seed,
        "actions": record.num_actions,
        "cut": record.cut,
        "deals": [
            {
                "deal": deal.number,
                "dealer": deal.dealer,
                "seed": deal.seed,
                "lane": deal.lane,
                "match": deal.match,
                "seats": list(deal.seats),
                "actions": len(deal.steps),
                "winner": None if deal.outcome is None else deal.outcome.winner,
                "scores": None if deal.outcome is None else list(deal.outcome.scores),
                "abandoned": deal.abandoned,
            }
            for deal in record.deals
        ],
        "matches": [
            {
                "deals": match.deals,
                "totals": list(match.totals),
                "winners": list(match.winners),
                "places": None if match.places is None else list(match.places),
                "series": match.is_series,
            }
            for match in record.matches
        ],
    }


def summary_text(record: Record) -> str:
    """What a record holds, one line a deal."""
    lines = [
        f"{record.path}: {record.rules}, {record.num_players} players, {len(record.deals)} deals, {record.num_actions} actions; "
        + ("every step is as the engine plays it" if record.cut is None else "every step up to the cut is as the engine plays it")
    ]
    for number, deal in enumerate(record.deals, start=1):
        lines.append(f"{number:>4}  {_title(deal)}: {len(deal.steps)} actions, {_end(deal)}")
        lines += [f"      {match_text(match)}" for match in record.matches if match.deals == number]
    return "\n".join(lines) + "\n"


def _title(deal: RecordedDeal) -> str:
    words = [f"deal {deal.number}", f"dealer {seat_name(deal.dealer)}"]
    words += [] if deal.lane is None else [f"lane {deal.lane}"]
    words += [] if deal.seed is None else [f"seed {deal.seed}"]
    return ", ".join(words)


def _end(deal: RecordedDeal) -> str:
    words = _shown(end_text(deal))
    if deal.outcome is None:
        return words
    return words + "; " + ", ".join(f"{seat_name(seat)} {score}" for seat, score in enumerate(deal.outcome.scores))


def _shown(text: str) -> str:
    """A text of a record without what would steer a terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


# ---- step by step ----------------------------------------------------------------------------------------------------


def _step_through(record: Record, index: int) -> None:
    """Show a deal action by action, as the lines of standard input say."""
    deal = record.deals[index]
    positions = [game.copy() for game in deal.games()]
    last = len(deal.steps)
    colour = takes_colours(sys.stdout)
    names = ", ".join(f"{seat_name(seat)} {_shown(name)}" for seat, name in enumerate(deal.seats))
    sys.stdout.write(f"{_title(deal)}, number {index + 1} of {len(record.deals)}" + (f": {names}" if names else "") + "\n")
    at, shown = 0, -1
    while True:
        if at != shown:
            sys.stdout.write(f"--- {at} of {last}\n" + _before(deal, at) + _table(positions[at], colour) + _next(deal, at))
            shown = at
        if sys.stdin.isatty():
            sys.stdout.write(f"[{_KEYS.format(last)}] ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("q", "quit"):
            return
        if word in ("", "n"):
            at = min(at + 1, last)
        elif word == "b":
            at = max(at - 1, 0)
        elif word.isdecimal() and word.isascii() and int(word) <= last:
            at = int(word)
        else:
            say(f"{word!r} is not allowed; allowed: {_KEYS.format(last)}")


def _table(game: Game, colour: bool) -> str:
    return table_text(game.view(game.to_move or 0)[0], game.engine, reveal=game.states[0], colour=colour)


def _before(deal: RecordedDeal, at: int) -> str:
    """The action that led here."""
    if not at:
        return ""
    step = deal.steps[at - 1]
    words = f"{seat_name(step.seat)}: {step.action}"
    words += f" (stock renewed, {len(step.renewed)} cards)" if step.renewed else ""
    return words + (f" ({' '.join(step.drawn)})" if step.drawn else "") + "\n"


def _next(deal: RecordedDeal, at: int) -> str:
    """The action that follows, with what was thought of it, or how the deal ended."""
    if at == len(deal.steps):
        return _end(deal) + "\n"
    step = deal.steps[at]
    return f"next: {seat_name(step.seat)} {step.action}\n" + _thought(step)


def _thought(step: Step) -> str:
    lines = [] if step.value is None else [f"  value {step.value:+.3f}"]
    policy = step.policy or {}
    width = max(map(len, policy), default=0)
    for action, share in sorted(policy.items(), key=lambda pair: -pair[1]):
        mark = "*" if action == step.action else " "
        lines.append(f"{mark} {action.ljust(width)} {100 * share:5.1f} % {'#' * round(_BAR * share)}".rstrip())
    return "\n".join(lines) + "\n" if lines else ""
