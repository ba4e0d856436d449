"""`kalooki evaluate --suite`: a frozen suite of deals and opponents, which measures strength. The verb `bench` measures speed."""

from __future__ import annotations

import argparse
import sys

from kalooki_env import __version__, agents
from kalooki_env.agents.play import Player
from kalooki_env.arena import scoreboard
from kalooki_env.arena.processes import check_jobs
from kalooki_env.arena.suite import SPECS, Results, check_deals, digest_of, play_suite, spec_of
from kalooki_env.cli.common import Step, check_writable, finish, progress, read_page, say, write_file, write_json
from kalooki_env.errors import ConfigError
from kalooki_env.records.recorder import clean

#: Options of `kalooki evaluate` that a suite settles, with the attributes that hold them.
_SETTLED = {
    "--rules": "rules",
    "--players": "players",
    "--deal": "deal",
    "--against": "against",
    "--baseline": "baseline",
    "--line-up": "line_up",
    "--self-play": "self_play",
    "--seed": "seed",
    "--reveal": "reveal",
    "--save": "save",
    "--raw": "raw",
    "--record": "record",
    "--record-deals": "record_deals",
}
#: Options that mean something with a suite only.
_OWN = {"--name": "name", "--out": "out", "--fresh": "fresh", "--readme": "readme", "--plot": "plot"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of suites."""
    group = parser.add_argument_group("suite")
    group.add_argument("--suite", metavar="VERSION", help=f"play a frozen suite: {', '.join(SPECS)}")
    group.add_argument("--name", metavar="NAME", help="what the agent is called in the results (default: AGENT)")
    group.add_argument("--out", metavar="FOLDER", help="folder for the raw results, NAME.json.gz (default: suite-VERSION)")
    group.add_argument(
        "--fresh", action="store_true", default=None, help="play all of it anew, whatever the folder holds of the agent"
    )
    group.add_argument("--readme", metavar="FILE", help="put the row into the table of a page, such as README.md")
    group.add_argument("--plot", metavar="FILE", help="draw the differences by deal number; needs matplotlib")


def check_options(args: argparse.Namespace) -> None:
    """Refuse options that do not go with `--suite`, or without it.

    Raises:
        ConfigError: such an option.
    """
    refused = _OWN if args.suite is None else _SETTLED
    given = [option for option, name in refused.items() if getattr(args, name) is not None]
    if given and args.suite is None:
        raise ConfigError(f"{', '.join(given)}: allowed with --suite only")
    if given:
        raise ConfigError(f"{', '.join(given)}: not allowed with --suite, which settles what is played and where it is written")


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    spec = spec_of(args.suite)
    name = scoreboard.check_name(clean(args.name or args.agent.rstrip("/")))
    check_writable(args.plot)
    if args.plot:
        scoreboard.drawing(args.plot)
    # Whatever can fail by itself fails before the work of minutes or hours.
    page = None if args.readme is None else read_page(args.readme)
    if page is not None:
        scoreboard.table_with(page, spec, "| `x` | 0" + " | +0.0" * len(spec.parts) + " |")
    agent = agents.load(args.agent)
    for preset in spec.presets:
        Player(agent, spec.table(preset), args.agent)
    check_jobs(args.jobs)
    per_number = spec.deals_per_number if args.deals is None else check_deals(args.deals, spec)
    results = Results(spec, args.agent, name, digest_of(args.agent, agent), per_number)
    path = scoreboard.path_of(args.out or f"suite-{spec.version}", name)
    if not args.fresh:
        results = scoreboard.resumed(results, path)
    if len(results.parts) < len(spec.parts) and results.parts:
        say(f"{path} holds {len(results.parts)} of {len(spec.parts)} parts, which are not played again")
    try:
        play_suite(
            results,
            package=__version__,
            jobs=args.jobs,
            bar=lambda tables: progress("tables", tables),
            keep=lambda found: scoreboard.save(found, path),
        )
    except KeyboardInterrupt:
        say(f"stopped; {path} holds {len(results.parts)} of {len(spec.parts)} parts, and the same command plays the others")
        raise

    def to_page() -> None:
        # Read again: somebody may have written to it in the meantime.
        write_file(args.readme, scoreboard.table_with(read_page(args.readme), spec, scoreboard.row_text(results)))

    def show() -> None:
        if args.json:
            write_json(results.as_dict())
        else:
            sys.stdout.write(scoreboard.suite_text(results) + f"\nresults of every deal: {path}\n")

    steps: list[Step] = []
    if args.readme is not None:
        steps.append(to_page)
    if args.plot:
        steps.append(lambda: scoreboard.plot(results, args.plot))
    finish(*steps, show)
    return 0
