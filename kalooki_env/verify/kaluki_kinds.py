"""What can be met in Kaluki under which of its rules; the rest about kinds stands in `kinds`."""

from __future__ import annotations

from collections.abc import Mapping

from kalooki_env.core import ActionKind
from kalooki_env.verify.probes import NOT_WRITTEN_SO
from kalooki_env.verify.tables import Condition, Table, always

#: Decisions from which on a kind that could be met and was not is a failure.
KALUKI_ENOUGH = 100_000


def _low_ace(table: Table) -> bool:
    return table.rules.ace_in_run == "high_or_low"


def _high_only(table: Table) -> bool:
    return not _low_ace(table)


def _many_jokers(table: Table) -> bool:
    return table.rules.jokers_with(2) > 2


def _two_jokers(table: Table) -> bool:
    return not _many_jokers(table)


def _free_to_open(table: Table) -> bool:
    return table.rules.upcard_before_opening == "free"


def _free_when_opened(table: Table) -> bool:
    return table.rules.upcard_after_opening == "free"


def _owed_to_open(table: Table) -> bool:
    return not _free_to_open(table)


def _owed_when_opened(table: Table) -> bool:
    return not _free_when_opened(table)


def _owed(table: Table) -> bool:
    return _owed_to_open(table) or _owed_when_opened(table)


def _free(table: Table) -> bool:
    return _free_to_open(table) or _free_when_opened(table)


def _joker_owed(table: Table) -> bool:
    return table.rules.joker_after_swap == "new_meld_this_turn"


def _joker_free(table: Table) -> bool:
    return not _joker_owed(table)


def _debts(table: Table) -> bool:
    return _owed(table) or _joker_owed(table)


def _lays_off_at_once(table: Table) -> bool:
    return table.rules.layoff_in_opening_turn


def _lays_off_later(table: Table) -> bool:
    return not _lays_off_at_once(table)


def _melds_at_once(table: Table) -> bool:
    return table.rules.extra_melds == "any_time_after_opening"


def _melds_later(table: Table) -> bool:
    return not _melds_at_once(table)


def _keeps(table: Table) -> bool:
    return table.rules.final_discard_required


def _last_card_free(table: Table) -> bool:
    return not _keeps(table)


def _renews_again(table: Table) -> bool:
    return table.rules.reshuffle_max is None or table.rules.reshuffle_max > 1


def _swap_when_opening(table: Table) -> bool:
    """A seat that may lay no further meld could not settle for the joker."""
    return _joker_free(table) or _melds_at_once(table)


def _swaps_early(table: Table) -> bool:
    return table.rules.joker_release_requires == "nothing"


def _whole_sets(table: Table) -> bool:
    return table.rules.joker_release_sets == "all_missing_suits"


def _single_suits(table: Table) -> bool:
    return not _whole_sets(table)


def _owed_with_swaps(table: Table) -> bool:
    """Whether an upcard can be owed by a seat that may swap."""
    return _owed_when_opened(table) or (_owed_to_open(table) and _swaps_early(table))


def _swaps_early_owed(table: Table) -> bool:
    return _owed_to_open(table) and _swaps_early(table)


def _settled_later(table: Table) -> bool:
    """Whether a seat that has opened can owe something and settle it by swaps."""
    return _owed_when_opened(table) or _joker_owed(table)


_PHASES: Mapping[str, Condition] = dict.fromkeys(("draw", "play", "meld", "fill", "layoff", "swap"), always)

_ACTIONS: Mapping[str, Condition] = {
    kind.name.lower(): always for kind in ActionKind if kind < ActionKind.CALL or kind >= ActionKind.SET_OF
} | {"lay_down": always}

_ENDINGS: Mapping[str, Condition] = {
    "out by a discard": always,
    **dict.fromkeys(("out by a lay-off", "out by a further meld", "out by an opening"), _last_card_free),
    "blocked by the turn cap": always,
    "blocked without cards": _owed,
}

#: Reasons of refusal that the Jamaican game does not have.
ONLY_IN_KALUKI: Mapping[str, Condition] = {
    **dict.fromkeys(("too_many_cards", "suit_twice", "not_enough_points", "no_such_new_meld", "not_laying_a_meld"), always),
    **dict.fromkeys(("meld_incomplete", "set_is_full", "suit_present", "no_joker_to_swap"), always),
    "ace_is_high": _high_only,
    "all_missing_suits": _whole_sets,
    "no_melds_yet": _melds_later,
    "no_lay_off_yet": _lays_off_later,
    "must_lay": _debts,
    "cannot_be_spared": lambda table: _debts(table) or _keeps(table),
    "upcard_not_laid": _owed,
}
_REFUSALS: Mapping[str, Condition] = {
    **ONLY_IN_KALUKI,
    NOT_WRITTEN_SO: always,
    **dict.fromkeys(("deal_over", "not_to_move", "not_in_this_phase", "not_drawn", "already_drawn", "calls_disabled"), always),
    **dict.fromkeys(("stock_exhausted", "pile_empty", "not_the_upcard", "card_not_held", "must_discard"), always),
    **dict.fromkeys(("too_few_cards", "ranks_differ", "suits_differ", "not_consecutive", "beyond_the_ace"), always),
    **dict.fromkeys(("too_few_naturals", "already_opened", "surplus_meld", "not_laying_down", "cannot_be_completed"), always),
    **dict.fromkeys(("out_of_order", "not_opened", "no_such_meld", "does_not_fit", "nothing_fits", "place_taken"), always),
}

_RULES: Mapping[str, Condition] = {
    "KL1.1 2 jokers": _two_jokers,
    "KL1.1 4 jokers": _many_jokers,
    "KL1.2 card turned up by the deal taken": always,
    "KL1.2 joker turned up by the deal": always,
    "KL2 ace counted in an opening": always,
    "KL2 ace left in hand": always,
    "KL2 joker counted in an opening": always,
    "KL2 joker left in hand": always,
    "KL3.1 set of four laid": always,
    "KL3.1 set of three laid": always,
    "KL3.2 ace laid as high ace": always,
    "KL3.2 ace laid as low ace": _low_ace,
    "KL3.2 joker laid as high ace": always,
    "KL3.2 joker laid as low ace": _low_ace,
    "KL3.2 joker laid off as high ace": always,
    "KL3.2 joker laid off as low ace": _low_ace,
    "KL3.2 natural laid off as high ace": always,
    "KL3.2 natural laid off as low ace": _low_ace,
    "KL3.2 run of seven cards or more laid": always,
    "KL3.2 run of thirteen cards": always,
    "KL3.2 run with both aces": _low_ace,
    "KL3.3 joker laid off beside a joker": always,
    "KL3.3 neighbouring jokers laid": always,
    "KL3.3 run with one natural laid": always,
    "KL3.3 set with three jokers laid": _many_jokers,
    "KL3.3 set with two jokers laid": always,
    "KL3.4 joker laid in a run": always,
    "KL3.4 joker laid in a set": always,
    "KL3.4 joker laid off onto a set with a joker": always,
    "KL3.4 natural laid off onto a set with a joker": always,
    "KL4.1 joker taken as upcard": _free,
    "KL4.1 joker to be laid taken as upcard": _owed,
    "KL4.1 owed upcard laid in a further meld": _owed_when_opened,
    "KL4.1 owed upcard laid in the opening": _owed_to_open,
    "KL4.1 stock drawn by a seat that has not opened": always,
    "KL4.1 stock drawn by a seat that has opened": always,
    "KL4.1 upcard barred for a seat that has not opened": _owed_to_open,
    "KL4.1 upcard barred for a seat that has opened": _owed_when_opened,
    "KL4.1 upcard that only a swap lets be laid taken by a seat that has not opened": _swaps_early_owed,
    "KL4.1 upcard that only a swap lets be laid taken by a seat that has opened": _owed_when_opened,
    "KL4.1 upcard taken by a seat that has not opened": _free_to_open,
    "KL4.1 upcard taken by a seat that has opened": _free_when_opened,
    "KL4.1 upcard to be laid taken by a seat that has not opened": _owed_to_open,
    "KL4.1 upcard to be laid taken by a seat that has opened": _owed_when_opened,
    "KL4.2 further meld in the turn of the opening": _melds_at_once,
    "KL4.2 lay-off in the turn of the opening": _lays_off_at_once,
    "KL4.2 no further meld in the turn of the opening": _melds_later,
    "KL4.2 nothing laid off in the turn of the opening": _lays_off_later,
    "KL4.2 opening in the first round": always,
    "KL4.2 opening of one meld": always,
    "KL4.2 opening of several melds": always,
    "KL4.2 opening put off": always,
    "KL4.2 opening with just the points": always,
    "KL4.2 opening with more points": always,
    "KL4.3 further meld and lay-off in one turn": always,
    "KL4.3 further meld in a later turn": always,
    "KL4.3 joker laid off onto a set": always,
    "KL4.3 joker laid off onto the high end": always,
    "KL4.3 joker laid off onto the low end": always,
    "KL4.3 lay-off onto a meld of another seat": always,
    "KL4.3 lay-off onto an own meld": always,
    "KL4.3 natural laid off onto a set": always,
    "KL4.3 natural laid off onto the high end": always,
    "KL4.3 natural laid off onto the low end": always,
    "KL4.3 second further meld in a turn": always,
    "KL4.3 second lay-off in a turn": always,
    "KL4.4 all jokers of a set swapped for one natural": _whole_sets,
    "KL4.4 all jokers of a set swapped for 2 naturals": _whole_sets,
    "KL4.4 all jokers of a set swapped for 3 naturals": _whole_sets,
    "KL4.4 card laid off before the swap that lets all be laid": _settled_later,
    "KL4.4 further meld laid before the swap that lets all be laid": _settled_later,
    "KL4.4 joker at an end of a run swapped": always,
    "KL4.4 joker swapped before the swap that lets all be laid": lambda table: _joker_owed(table) or _owed_with_swaps(table),
    "KL4.4 joker swapped by a seat that has not opened": _swaps_early,
    "KL4.4 joker swapped in a meld of another seat": always,
    "KL4.4 joker swapped in a run": always,
    "KL4.4 joker swapped in a set": always,
    "KL4.4 joker swapped in a set with several": always,
    "KL4.4 joker swapped in an own meld": always,
    "KL4.4 joker swapped in the turn of the opening": _swap_when_opening,
    "KL4.4 low one of two jokers for an ace swapped": _low_ace,
    "KL4.4 more naturals swapped than jokers": _whole_sets,
    "KL4.4 one of two missing suits swapped": _single_suits,
    "KL4.4 owed joker laid in a further meld": lambda table: _joker_owed(table) or _owed_when_opened(table),
    "KL4.4 owed joker laid in the opening": lambda table: _owed_to_open(table) or (_joker_owed(table) and _swaps_early(table)),
    "KL4.4 second joker swapped in a turn": always,
    "KL4.4 swap barred, the joker could not be laid": _joker_owed,
    "KL4.4 swapped joker discarded": _joker_free,
    "KL4.4 swapped joker kept": _joker_free,
    "KL4.4 swapped joker laid in a further meld": always,
    "KL4.4 swapped joker laid in the opening": _swaps_early,
    "KL4.4 swapped joker laid off": _joker_free,
    "KL4.4 swapped joker owed": _joker_owed,
    "KL4.5 joker discarded": always,
    "KL4.5 natural discarded": always,
    "KL4.5 upcard just taken discarded": _free,
    "KL5.1 last card that fits kept for the discard": _keeps,
    "KL5.1 out by a discard": always,
    "KL5.1 out by a further meld": _last_card_free,
    "KL5.1 out by a lay-off": _last_card_free,
    "KL5.1 out by an opening": _last_card_free,
    "KL5.2 nothing for going out": always,
    "KL5.2 seat that has not opened pays its cards": always,
    "KL5.2 seat that has opened pays its cards": always,
    "KL5.2 seat without a turn pays": always,
    "KL5.3 blocked, the turns have run out": always,
    "KL5.3 blocked, the upcard would be owed": _owed,
    "KL5.3 seat that has not opened scored in a blocked deal": always,
    "KL5.3 seat that has opened scored in a blocked deal": always,
    "KL5.3 stock drawn beside an empty pile": always,
    "KL5.3 stock renewed": lambda table: table.rules.reshuffle_max != 0,
    "KL5.3 stock renewed again": _renews_again,
    "KL5.3 upcard forced": always,
}

#: All kinds, by the counters of a `Report`.
KALUKI_KINDS: Mapping[str, Mapping[str, Condition]] = {
    "phases": _PHASES,
    "actions": _ACTIONS,
    "refusals": _REFUSALS,
    "endings": _ENDINGS,
    "rules": _RULES,
}
