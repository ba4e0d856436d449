"""`kalooki verify`: the compiled engine against the independent referee."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from typing import Any

from kalooki_env.cli.common import Verbs, add_json, add_seed, add_verb, progress, write_json
from kalooki_env.errors import ConfigError
from kalooki_env.rules import MAX_PLAYERS, Rules, presets
from kalooki_env.values import check_seed
from kalooki_env.verify import (
    ENOUGH,
    KALUKI_ENOUGH,
    KALUKI_POLICIES,
    POLICIES,
    Report,
    by_rule_number,
    enough,
    never_met_under,
    not_met,
    strangers,
    verify,
)

_DETAILS = f"""
Plays deals in the engine and in a second implementation of the rules in plain Python, and compares legal actions, positions,
scores and the seat to move at every step. Both are asked about illegal actions as well, and must refuse the same.

Deals begin with a shuffled deck, with a stacked deck that deals hands which nearly hold the contract, or at a table set up in the
midst of a deal, with long melds, jokers in them, and often hardly a card to draw. Who chooses changes from deal to deal:
{", ".join(POLICIES)};
in Kaluki {", ".join(KALUKI_POLICIES)}.

Each game is played by itself; if the rules belong to both, each gets half of the decisions. Counted are phases, kinds of action,
reasons of refusal, endings, and the rules that were seen at work. A kind that can come up under the rules and at the tables
chosen, and did not, is listed; from {ENOUGH:,} decisions on, in Kaluki {KALUKI_ENOUGH:,}, it is a failure.
Exit code 1 if the two sides ever disagree, with the position, the actions that led to it, and the seed, and for such a failure.
"""
#: Seeds of one process; more deals than anybody plays.
_SEEDS_PER_JOB = 10**9


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "verify",
        "plays the compiled engine against the referee and compares them at every step",
        run,
        details=_DETAILS,
        examples="kalooki verify\n"
        "kalooki verify --preset jamaican_club --players 4 --decisions 20000\n"
        "kalooki verify --decisions 1000000 --jobs 2 --json",
    )
    parser.add_argument(
        "--preset",
        action="append",
        metavar="RULES",
        help="rules to verify, may be repeated (default: all presets that say what their deals are)",
    )
    parser.add_argument(
        "--players",
        nargs="+",
        metavar="N",
        help="table sizes, such as 4 or 3-8; two players of the Jamaican game play its last deal only (default: all)",
    )
    parser.add_argument("--decisions", type=int, default=20_000, metavar="N", help="decisions to compare (default: 20000)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    add_seed(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    players = sizes(args.players or ["2-8"])
    rules = _seated(
        [Rules.parse(text) for text in args.preset or _playable()], players, strict=bool(args.preset and args.players)
    )
    check_seed(args.seed)
    if args.decisions < 1 or args.jobs < 1:
        raise ConfigError(f"--decisions {args.decisions} --jobs {args.jobs}: allowed are whole numbers from 1 on")
    games = [[one for one in rules if one.game == game] for game in sorted({one.game for one in rules})]
    found = []
    with progress("decisions", args.decisions) as note:
        for number, part in enumerate(games):
            decisions = args.decisions // len(games) + (number < args.decisions % len(games))
            if args.jobs == 1:
                report = verify(part, players, decisions, args.seed, progress=note)
            else:
                report = in_processes(part, players, decisions, args.seed, args.jobs, note)
            found.append(Finding(part, players, report))
    if args.json:
        settings = {"rules": [str(one) for one in rules], "players": players, "seed": args.seed, "jobs": args.jobs}
        parts = {finding.game: finding.as_dict() for finding in found}
        write_json({**settings, **(_together(parts) if len(parts) > 1 else found[0].as_dict())})
    else:
        sys.stdout.write("\n".join(str(finding) for finding in found))
    return 1 if any(finding.fails for finding in found) else 0


def _playable() -> list[str]:
    return [name for name in presets() if Rules.preset(name).deals]


def _seated(rules: Sequence[Rules], players: Sequence[int], strict: bool) -> list[Rules]:
    """The rules that seat one of these sizes at least, or all of them.

    Raises:
        RulesError: rules that do not seat a size that they should.
    """
    for one in rules:
        for size in players:
            if strict or size <= one.max_players:
                one.packs_for(size)
    fitting = [one for one in rules if min(players) <= one.max_players]
    if not fitting:
        rules[0].packs_for(players[0])
    return fitting


class Finding:
    """What was found about the rules of one game.

    Attributes:
        rules: the rules.
        game: the game.
        report: what was compared.
        needed: decisions from which on a kind that was never met is a failure.
        missed, strange, impossible: kinds that were never met, that were met where they cannot be, and that cannot be met.
    """

    def __init__(self, rules: Sequence[Rules], players: Sequence[int], report: Report) -> None:
        self.rules, self.report, self.game = rules, report, str(rules[0].game)
        self.missed, self.strange = not_met(report, rules, players), strangers(report, rules, players)
        self.impossible = never_met_under(rules, players)
        self.needed = enough(rules)

    @property
    def fails(self) -> bool:
        """Whether anything is not as it should be."""
        return bool(self.report.mismatches or self.strange or (self.missed and self.report.decisions >= self.needed))

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        kinds = {"not_met": self.missed, "met_against_the_table": self.strange, "cannot_be_met": self.impossible}
        lists = {name: list(map(str, found)) for name, found in kinds.items()}
        return {**self.report.as_dict(), "by_rule_number": by_rule_number(self.report, self.game), **lists}

    def __str__(self) -> str:
        return report_text(self)


def _together(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Both games: what both come to, and each by itself."""
    mismatches = [mismatch for part in parts.values() for mismatch in part["mismatches"]]
    totals = {key: sum(part[key] for part in parts.values()) for key in ("decisions", "deals", "probes")}
    return {**totals, "mismatches": mismatches, "games": parts}


def sizes(words: Sequence[str]) -> list[int]:
    """Table sizes from words such as `4` and `3-8`.

    Raises:
        ConfigError: a word of another form, or sizes that nobody can seat.
    """
    found: list[int] = []
    for word in words:
        first, dash, last = word.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ConfigError(f"--players {word!r} is not allowed; allowed: a number such as 4, or a range such as 3-8")
        found += range(int(first), int(last or first) + 1)
    if not found or not all(2 <= size <= MAX_PLAYERS for size in found):
        raise ConfigError(
            f"--players {' '.join(words)} is not allowed; allowed: 3 to {MAX_PLAYERS}, and 2 for the sudden death (deal 9)"
        )
    return sorted(set(found))


def report_text(finding: Finding) -> str:
    """What was compared, what was met and what was not, and the disagreements in full."""
    report, game, needed = finding.report, finding.game, finding.needed

    def counts(title: str, counter: dict[str, int]) -> str:
        return f"{title}: " + ", ".join(f"{name} {count:,}" for name, count in counter.items()) + "\n"

    found = report.as_dict()
    kinds = len(report.tables)
    text = "Kaluki\n" if game == "kaluki" else ""
    text += f"{report.decisions:,} decisions in {report.deals:,} deals at {kinds:,} kinds of table (rules, players, deal)\n"
    text += f"{100 * report.share_after_lay_down:.1f} % of them while somebody was laying down or had opened\n"
    text += f"{report.probes:,} other texts asked about\n"
    text += "".join(counts(title, found[title]) for title in ("phases", "actions", "refusals", "endings", "starts", "policies"))
    text += "rules at work:\n" + "".join(f"  {name}: {count:,}\n" for name, count in found["rules_at_work"].items())
    text += "by rule number, seen at work / reason of a refusal: "
    text += (
        ", ".join(f"{number} {row['at_work']:,}/{row['refused']:,}" for number, row in by_rule_number(report, game).items())
        + "\n"
    )
    for number, mismatch in enumerate(report.mismatches, start=1):
        text += f"\nmismatch {number}: {mismatch}\n"
    if finding.missed:
        note = "" if report.decisions >= needed else f" (no failure below {needed:,} decisions)"
        text += f"never met{note}:\n" + "".join(f"  {one}\n" for one in finding.missed)
    if finding.impossible:
        text += "cannot come up at these tables: " + ", ".join(map(str, finding.impossible)) + "\n"
    if finding.strange:
        text += "met, though it cannot be under these rules:\n" + "".join(f"  {one}\n" for one in finding.strange)
    return text + f"{len(report.mismatches)} mismatches\n"


# ---- several processes -----------------------------------------------------------------------------------------------

_done: Any = None


def _begin(done: Any) -> None:
    global _done
    _done = done


def _note(more: int) -> None:
    with _done.get_lock():
        _done.value += more


def _job(rules: Sequence[Rules], players: Sequence[int], decisions: int, seed: int) -> Report:
    return verify(rules, players, decisions, seed, progress=_note)


def in_processes(
    rules: Sequence[Rules], players: Sequence[int], decisions: int, seed: int, jobs: int, note: Callable[[int], object]
) -> Report:
    """As `kalooki_env.verify.verify`, split over processes with seeds of their own."""
    context = multiprocessing.get_context("spawn")  # a fork would copy whatever threads and locks the parent happens to have
    done = context.Value("q", 0)
    shares = [decisions // jobs + (job < decisions % jobs) for job in range(jobs)]
    report = Report()
    with ProcessPoolExecutor(jobs, context, _begin, (done,)) as pool:
        running = {pool.submit(_job, rules, players, share, seed + job * _SEEDS_PER_JOB) for job, share in enumerate(shares)}
        seen = 0
        while running:
            finished, running = wait(running, timeout=0.5)
            now = done.value
            note(now - seen)
            seen = now
            for future in finished:
                report.add(future.result())
    return report
