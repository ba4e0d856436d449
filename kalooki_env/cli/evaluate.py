"""`kalooki evaluate`: an agent against opponents on duplicate deals."""

from __future__ import annotations

import argparse
import sys

from kalooki_env.arena.evaluation import DEALS_IN_ALL, evaluate
from kalooki_env.arena.report import evaluation_text
from kalooki_env.cli import suite
from kalooki_env.cli.common import (
    AGENTS,
    Step,
    Verbs,
    add_deals,
    add_json,
    add_table,
    add_verb,
    check_writable,
    digits,
    finish,
    progress,
    write_json,
)
from kalooki_env.errors import ConfigError

_DETAILS = f"""
The agent takes one seat and copies of an opponent the others. Each deal is played once for every rotation of the seats, and
once more with a baseline in the agent's seat: the same cards, the same dealer. The difference of their scores, averaged over the
rotations, is one number per deal, and the interval is about these.

{AGENTS}
AGENT comes first, or anywhere as --agent AGENT.

With --suite, deals, rules and opponents are those of a frozen suite. Its parts (rules and opponent) are kept as they are
finished, so that a run can be stopped and resumed; --deals plays the first deals of each number only. Speed is measured by
`kalooki bench`.
"""
_DEFAULTS = {"against": ("random", "greedy"), "self_play": True, "reveal": False, "rules": "jamaican", "players": 4, "seed": 0}


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "evaluate",
        "measures how well an agent plays, on duplicate deals with intervals",
        run,
        details=_DETAILS,
        examples="kalooki evaluate greedy --against random --deal 1 5 --deals 500\n"
        "kalooki evaluate runs/quickstart/checkpoint --against random greedy --deal 1 5 --save result.json\n"
        "kalooki evaluate my_package.my_module:MyAgent --against greedy --rules jamaican_club\n"
        "kalooki evaluate greedy --against random --line-up random random greedy --jobs 2\n"
        "kalooki evaluate --suite v1 --agent my_package.my_module:MyAgent --jobs 2 --readme README.md",
    )
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("agent", nargs="?", metavar="AGENT", help="the agent")
    who.add_argument("--agent", dest="agent_option", metavar="AGENT", help="the same as an option")
    parser.add_argument("--against", nargs="+", metavar="AGENT", help="opponents (default: random greedy)")
    parser.add_argument(
        "--baseline",
        nargs="+",
        metavar="AGENT",
        help="who is put into the agent's seat for comparison (default: one more copy of the opponent)",
    )
    parser.add_argument(
        "--line-up",
        nargs="+",
        metavar="AGENT",
        help="also one table with these agents in the other seats, in which every pair is compared",
    )
    parser.add_argument(
        "--self-play",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="also copies of the agent in all seats (default: yes)",
    )
    add_deals(parser, f"{DEALS_IN_ALL} in all; with --suite all that it has")
    add_table(parser)
    # None for options that were not given: a suite takes none of them.
    parser.set_defaults(**dict.fromkeys(_DEFAULTS))
    parser.add_argument(
        "--jobs", type=digits, default=1, metavar="N", help="processes; results are the same with any number of them (default: 1)"
    )
    parser.add_argument(
        "--reveal", action="store_true", default=None, help="let agents play that see hidden cards: cheat-hands, cheat-all"
    )
    add_json(parser)
    parser.add_argument("--save", metavar="FILE", help="write the result as JSON to a file")
    parser.add_argument("--raw", metavar="FILE", help="write the results of every single deal as JSON")
    parser.add_argument("--record", metavar="FILE", help="write a record of deals, action by action, for kalooki replay")
    parser.add_argument(
        "--record-deals",
        type=digits,
        metavar="N",
        help="deals of each number that are recorded, each in all line-ups and rotations (default: 1)",
    )
    suite.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    args.agent = args.agent or args.agent_option
    suite.check_options(args)
    if args.suite is not None:
        return suite.run(args)
    vars(args).update({name: value for name, value in _DEFAULTS.items() if getattr(args, name) is None})
    if args.record_deals is not None and args.record is None:
        raise ConfigError("--record-deals: allowed with --record only")
    for path in (args.save, args.raw):
        check_writable(path)
    found = evaluate(
        args.agent,
        args.against,
        baselines=args.baseline,
        line_up=args.line_up,
        self_play=args.self_play,
        rules=args.rules,
        num_players=args.players,
        deal=args.deal,
        deals=args.deals,
        seed=args.seed,
        reveal=args.reveal,
        jobs=args.jobs,
        record=args.record,
        record_deals=1 if args.record_deals is None else args.record_deals,
        bar=lambda tables: progress("tables", tables),
    )

    def show() -> None:
        if args.json:
            write_json(found.as_dict())
        else:
            sys.stdout.write(evaluation_text(found))

    steps: list[Step] = []
    if args.raw:
        steps.append(lambda: write_json(found.raw(), args.raw))
    if args.save:
        steps.append(lambda: write_json(found.as_dict(), args.save))
    finish(*steps, show)
    return 0
