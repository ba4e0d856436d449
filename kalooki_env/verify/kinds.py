"""What can be met under which rules. What could be met and never was, in a run that was long enough, is a fault of the run.

The one place where it says that some kinds cannot occur at some tables: no calls under `no_call`, no threes in deal 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kalooki_env.core import ActionKind, Phase
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import Rules
from kalooki_env.verify.kaluki_kinds import KALUKI_ENOUGH, KALUKI_KINDS, ONLY_IN_KALUKI
from kalooki_env.verify.probes import NOT_WRITTEN_SO
from kalooki_env.verify.report import Report, rule_order
from kalooki_env.verify.tables import Condition, Table, all_tables, always

#: Decisions from which on a kind that could be met and was not is a failure. The rarest come up once in some twenty thousand.
ENOUGH = 400_000


class Missed(NamedTuple):
    """A kind that was not met, or was met where it cannot be.

    Attributes:
        group: the counter of a `Report`.
        name: its name there.
    """

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.group}: {self.name}"


def _threes(table: Table) -> bool:
    return table.contract.threes > 0


def _fours(table: Table) -> bool:
    return table.contract.fours > 0


def _no_card_to_spare(table: Table) -> bool:
    """Hands are as large as the contract, so that tables are set up at which a hand is the contract and no more."""
    contract = table.contract
    return 3 * contract.threes + 4 * contract.fours == contract.hand_size


def _calls(table: Table) -> bool:
    return table.rules.calls_enabled and table.players > 2 and table.rules.call_max_per_deal != 0


def _several_callers(table: Table) -> bool:
    return _calls(table) and table.players > 3


def _limit(table: Table) -> bool:
    return _calls(table) and table.rules.call_max_per_deal is not None


def _plain_refusal(table: Table) -> bool:
    return _calls(table) and not table.rules.call_refusal_forces_take


def _either_draw(table: Table) -> bool:
    return _calls(table) and table.rules.draw_after_call == "either"


def _stock_only(table: Table) -> bool:
    return _calls(table) and table.rules.draw_after_call == "stock_only"


def _renews(table: Table) -> bool:
    return table.rules.reshuffle_max != 0


def _high_end_first(table: Table) -> bool:
    return _fours(table) and table.rules.layoff_run_order == "high_end_first"


def _either_end(table: Table) -> bool:
    return _fours(table) and table.rules.layoff_run_order == "either_end"


def _anyone_moves(table: Table) -> bool:
    return _fours(table) and table.rules.joker_release == "anyone_moves_to_end"


def _discarder_decides(table: Table) -> bool:
    return _calls(table) and table.rules.call_decider == "discarder"


_PHASES: Mapping[str, Condition] = {
    **{phase.name.lower(): always for phase in Phase if phase is not Phase.OVER},
    "call": _calls,
    "answer": _calls,
    "move": _fours,
}

_ACTIONS: Mapping[str, Condition] = {
    **{kind.name.lower(): always for kind in ActionKind if kind < ActionKind.SET_OF},
    **dict.fromkeys(("call", "pass", "allow", "refuse"), _calls),
    "three_of": _threes,
    "four_of": _fours,
    "move_joker": _fours,
}

_ENDINGS: Mapping[str, Condition] = {
    **dict.fromkeys(("out by a discard", "out by a lay-off"), always),
    "out by a lay-down": _no_card_to_spare,
    **dict.fromkeys(("blocked by the turn cap", "blocked without cards"), always),
    "out by a joker move": _fours,
}

_REFUSALS: Mapping[str, Condition] = {
    **{refusal.code: always for refusal in Refusal if refusal.code not in ONLY_IN_KALUKI},
    NOT_WRITTEN_SO: always,
    "calls_disabled": lambda table: not table.rules.calls_enabled,
    **dict.fromkeys(("call_first_upcard", "call_own_discard", "call_next_seat"), lambda table: table.rules.calls_enabled),
    "call_opened": lambda table: table.rules.calls_enabled and table.players > 2,
    "call_limit": lambda table: table.rules.calls_enabled and table.players > 2 and table.rules.call_max_per_deal is not None,
    **dict.fromkeys(("call_no_penalty_card", "call_uncovered_card", "call_heard", "call_closed"), _calls),
    "stock_only_after_call": _stock_only,
    "same_rank": lambda table: table.rules.contract_distinct_ranks and table.contract.threes > 1,
    "same_suit": lambda table: table.rules.contract_distinct_suits and table.contract.fours > 1,
    "high_end_first": _high_end_first,
    "not_the_owner": lambda table: _fours(table) and not _anyone_moves(table),
    **dict.fromkeys(("out_of_order", "too_many_jokers", "frozen_in_three"), _threes),
    **dict.fromkeys(("beyond_the_ace", "place_taken", "opened_this_turn", "no_joker_in_four", "no_joker_for_card"), _fours),
}
#: Reasons that no text asked here leads to: for action numbers, and for positions that cannot be.
_NEVER_ASKED = ("no_such_action", "no_such_cards")

_RULES: Mapping[str, Condition] = {
    "J1.3 three packs": lambda table: table.rules.packs_for(table.players) == 3,
    "J2.1 ace laid as high ace": _fours,
    "J2.1 ace laid as low ace": _fours,
    "J2.1 joker laid as high ace": _fours,
    "J2.1 joker laid as low ace": _fours,
    "J2.1 joker laid off as high ace": _fours,
    "J2.1 joker laid off as low ace": _fours,
    "J2.1 natural laid off as high ace": _fours,
    "J2.1 natural laid off as low ace": _fours,
    "J2.2 joker left in hand": always,
    "J3.1 like cards in a three": _threes,
    "J3.2 four of thirteen cards": _fours,
    "J3.3 joker for a card all copies of which are in sight": _fours,
    "J3.3 joker laid in a four": _fours,
    "J3.3 joker laid in a three": _threes,
    "J3.4 four with two jokers apart": _fours,
    "J3.4 three full of jokers": _threes,
    "J3.5 three with one natural": lambda table: _threes(table) and table.rules.set_min_naturals == 1,
    "J3.7 four with both aces": _fours,
    "J3.8 four laid with a joker at an end": _fours,
    "J4.2 joker taken as upcard": always,
    "J4.2 joker turned up by the deal": always,
    "J5.1 card turned up by the deal taken": always,
    "J5.2 stock drawn beside an empty pile": always,
    "J5.2 stock drawn by a seat that has not opened": always,
    "J5.2 stock drawn by a seat that has opened": always,
    "J5.2 upcard taken by a seat that has not opened": always,
    "J5.2 upcard taken by a seat that has opened": always,
    "J5.3 joker move and lay-off in one turn": _fours,
    "J5.4 card just taken discarded": always,
    "J6.1 discard of going out not open to calls": _calls,
    "J6.1 no call window without a discard": _calls,
    "J6.2 nobody can call at a table of two": lambda table: table.rules.calls_enabled and table.players == 2,
    "J6.2c seat that has opened not asked": _several_callers,
    "J6.2d last call that the limit allows": _limit,
    "J6.2d seat at its limit of calls not asked": lambda table: _limit(table) and table.players > 3,
    "J6.2e call possible with an empty stock": lambda table: _calls(table) and _renews(table),
    "J6.2e no call, the stock cannot be renewed": lambda table: _calls(table) and table.rules.reshuffle_max is not None,
    "J6.2e no call, too few cards": _calls,
    "J6.3 a call bars the seats after it": _several_callers,
    "J6.3 next seat asked": _several_callers,
    "J6.4 the discarder decides": _discarder_decides,
    "J6.4 the next seat decides": lambda table: _calls(table) and not _discarder_decides(table),
    "J6.5 call allowed": _calls,
    "J6.5 penalty card is the last of the stock": _calls,
    "J6.5 stock drawn after a call": _either_draw,
    "J6.5 stock only after a call": _stock_only,
    "J6.5 uncovered upcard taken after a call": _either_draw,
    "J6.6 call refused": _plain_refusal,
    "J6.6 refusal takes the card": lambda table: _calls(table) and not _plain_refusal(table),
    "J6.6 refused card left lying": _plain_refusal,
    "J6.6 refused card taken by the next seat": _plain_refusal,
    "J6.7 nobody calls": _calls,
    "J7.1 lay-down in the first round": always,
    "J7.1 lay-down put off": always,
    "J7.2 contract laid": always,
    "J7.3 own meld lengthened in the turn of the opening": always,
    "J7.4 fours of one suit in a contract": lambda table: (
        table.contract.fours > 1 and not table.rules.contract_distinct_suits
    ),
    "J7.4 threes of one rank in a contract": lambda table: (
        table.contract.threes > 1 and not table.rules.contract_distinct_ranks
    ),
    "J8.1 lay-off in a later turn": always,
    "J8.1 lay-off in the turn of the opening": always,
    "J8.2 lay-off onto a meld of another seat": always,
    "J8.2 lay-off onto an own meld": always,
    "J8.2 second lay-off in a turn": always,
    "J8.3 joker laid off onto a three": _threes,
    "J8.3 natural laid off onto a three": _threes,
    "J8.4 high end first": _high_end_first,
    "J8.4 joker laid off onto the high end": _fours,
    "J8.4 joker laid off onto the low end": _fours,
    "J8.4 low end once the four reaches the ace": _high_end_first,
    "J8.4 natural laid off onto the high end": _fours,
    "J8.4 natural laid off onto the low end": _fours,
    "J8.5 ace fits both ends": _either_end,
    "J8.5 joker fits both ends": _either_end,
    "J9.1 joker moved in a four of another seat": _anyone_moves,
    "J9.1 joker moved in an own four": _fours,
    "J9.2 joker moved to stand for the high ace": _fours,
    "J9.2 joker moved to stand for the low ace": _fours,
    "J9.2 joker moved to the high end": _fours,
    "J9.2 joker moved to the low end": _fours,
    "J9.2 only one end will do": _fours,
    "J9.3 joker at an end moved to the other end": _fours,
    "J9.3 joker at an end moved to the same end": _fours,
    "J9.5 joker moved that another seat laid off": _fours,
    "J9.5 second joker moved in a turn": _fours,
    "J10.1 natural discarded": always,
    "J10.2 out by a discard": always,
    "J10.2 out by a joker move": _fours,
    "J10.2 out by a lay-off": always,
    "J10.2 out by the lay-down": _no_card_to_spare,
    "J10.3 turn ended without a discard": always,
    "J11.1 50 points for going out": always,
    "J11.2 opened seat pays its cards": always,
    "J11.3 seat that has not opened pays 50 more": always,
    "J11.3 seat without a turn pays": always,
    "J12.1 stock renewed again": lambda table: table.rules.reshuffle_max is None or table.rules.reshuffle_max > 1,
    "J12.1 stock renewed for a draw": _renews,
    "J12.2 stock renewed for a penalty card": lambda table: _calls(table) and _renews(table),
    "J12.3 blocked, there is no card to draw": always,
    "J12.3 upcard forced": always,
    "J12.3 upcard forced after a call": _calls,
    "J12.4 blocked, the turns have run out": always,
    "J12.4 last discard not open to calls": _calls,
    "J12.4 last turn ended without a discard": always,
    "J12.5 seat that has not opened scored in a blocked deal": always,
    "J12.5 seat that has opened scored in a blocked deal": always,
    "J13.2 sudden death of two": lambda table: table.players == 2,
}  # fmt: skip

#: All kinds, by the counters of a `Report`.
KINDS: Mapping[str, Mapping[str, Condition]] = {
    "phases": _PHASES,
    "actions": _ACTIONS,
    "refusals": {name: condition for name, condition in _REFUSALS.items() if name not in _NEVER_ASKED},
    "endings": _ENDINGS,
    "rules": _RULES,
}


def enough(rules: Sequence[Rules]) -> int:
    """Decisions from which on a kind of these rules that could be met and was not is a failure."""
    return KALUKI_ENOUGH if rules[0].game == "kaluki" else ENOUGH


def kinds_of(rules: Sequence[Rules]) -> Mapping[str, Mapping[str, Condition]]:
    """All kinds of the game to which these rules belong."""
    return KALUKI_KINDS if rules[0].game == "kaluki" else KINDS


def _split(rules: Sequence[Rules], players: Iterable[int]) -> Iterator[tuple[str, str, bool]]:
    """Group and name of every kind, and whether it can be met at one of the tables at least."""
    found = all_tables(rules, players)
    for group, kinds in kinds_of(rules).items():
        for name, condition in kinds.items():
            yield group, name, any(condition(table) for table in found)


def not_met(report: Report, rules: Sequence[Rules], players: Iterable[int]) -> list[Missed]:
    """The kinds that could have been met at these tables and were not. The rules are of one game, here and below."""
    return [
        Missed(group, name) for group, name, possible in _split(rules, players) if possible and not getattr(report, group)[name]
    ]


def never_met_under(rules: Sequence[Rules], players: Iterable[int]) -> list[Missed]:
    """The kinds that cannot be met at these tables."""
    return [Missed(group, name) for group, name, possible in _split(rules, players) if not possible]


def strangers(report: Report, rules: Sequence[Rules], players: Iterable[int]) -> list[Missed]:
    """Kinds that were met although the tables of this module say that they cannot be."""
    possible = {(group, name) for group, name, can_be in _split(rules, players) if can_be}
    groups = kinds_of(rules)
    found = [Missed(group, name) for group in groups for name in getattr(report, group) if (group, name) not in possible]
    return [kind for kind in found if kind.name != "unfinished"]


def by_rule_number(report: Report, game: str = "jamaican") -> dict[str, dict[str, int]]:
    """How often each rule was seen at work, its events added up, and how often it was the reason of a refusal."""
    totals: dict[str, dict[str, int]] = {}

    def add(number: str, how: str, count: int) -> None:
        row = totals.setdefault(number, {"at_work": 0, "refused": 0})
        row[how] += count

    for name, count in report.rules.items():
        add(name.split(" ")[0], "at_work", count)
    for refusal in Refusal:
        numbers = re.findall(r"\bJ\d+\.\d+[a-e]?", refusal.value)
        if game == "kaluki":  # what both games have is called by the number of the Jamaican one
            numbers = re.findall(r"KL\d+(?:\.\d+)?", refusal.value) or numbers
        for number in numbers:
            add(number, "refused", report.refusals[refusal.code])
    return {number: row for number, row in sorted(totals.items(), key=lambda item: rule_order(item[0])) if any(row.values())}
