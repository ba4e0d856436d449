"""What a table needs from the core beside its positions: the packed rules, the solver's table, and the size of the spaces."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.errors import RulesError
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.rules import MAX_PLAYERS, Rules
from kalooki_env.values import whole_number


def pack_rules(rules: Rules, num_players: int, max_seats: int) -> NDArray[np.void]:
    """Rules of one table as an array of one RULES record."""
    packed = np.zeros(1, core.RULES)
    record = packed[0]
    record["points"] = [rules.card_points(name) for name in CARD_NAMES]
    record["go_out_score"] = rules.go_out_score
    record["unmet_opening_penalty"] = rules.unmet_opening_penalty
    record["max_turns"] = rules.max_turns(num_players)
    record["match_deals"] = (rules.match_deals or 0) if rules.game == "kaluki" else rules.num_deals
    record["score_limit"] = rules.score_limit or 0
    record["call_max"] = core.NO_LIMIT if rules.call_max_per_deal is None else rules.call_max_per_deal
    record["reshuffle_max"] = core.NO_LIMIT if rules.reshuffle_max is None else rules.reshuffle_max
    for i, contract in enumerate(rules.contract(deal) for deal in range(1, rules.num_deals + 1)):
        record["threes"][i], record["fours"][i], record["hand_size"][i] = contract
    record["deals"] = rules.num_deals
    record["cards"] = core.CARDS
    record["num_players"] = num_players
    record["max_seats"] = max_seats
    record["packs"] = rules.packs_for(num_players)
    record["set_min_naturals"] = rules.set_min_naturals
    record["distinct_ranks"] = rules.contract_distinct_ranks
    record["distinct_suits"] = rules.contract_distinct_suits
    record["calls_enabled"] = rules.calls_enabled
    record["next_player_decides"] = rules.call_decider == "next_player"
    record["refusal_takes"] = rules.call_refusal_forces_take
    record["stock_only_after_call"] = rules.draw_after_call == "stock_only"
    record["anyone_moves_jokers"] = rules.joker_release == "anyone_moves_to_end"
    record["high_end_first"] = rules.layoff_run_order == "high_end_first"
    record["open_hands"] = rules.open_hands
    record["jokers"] = rules.jokers_with(int(record["packs"]))
    if rules.game == "kaluki":
        record["kaluki"] = 1
        record["opening_points"] = rules.opening_points
        record["joker_value"] = 0 if rules.joker_opening_value == "represented" else rules.joker_opening_value
        record["ace_low"] = rules.ace_in_run == "high_or_low"
        record["owes_upcard_to_open"] = rules.upcard_before_opening == "only_to_open"
        record["owes_upcard_opened"] = rules.upcard_after_opening == "only_for_new_meld"
        record["swaps_before_opening"] = rules.joker_release_requires == "nothing"
        record["swaps_whole_sets"] = rules.joker_release_sets == "all_missing_suits"
        record["owes_swapped_joker"] = rules.joker_after_swap == "new_meld_this_turn"
        record["melds_when_opening"] = rules.extra_melds == "any_time_after_opening"
        record["lays_off_when_opening"] = rules.layoff_in_opening_turn
        record["keeps_a_discard"] = rules.final_discard_required
    return packed


def deck_of(rules: Rules, num_players: int) -> NDArray[np.int64]:
    """Copies of each card in the deck of a table (J1.1, KL1.1): int64 (53,).

    Raises:
        RulesError: a table that the rules cannot seat.
    """
    packs = rules.packs_for(num_players)
    return np.array([packs] * (len(CARD_NAMES) - 1) + [rules.jokers_with(packs)])


class Engine:
    """The compiled engine for one set of rules and one table size. Holds no position.

    Attributes:
        rules: the rules.
        num_players: seats at the table.
        max_seats: seats that the spaces have room for.
        is_kaluki: which of the two games it is.
        num_actions: size of the action space.
        record: the packed rules, RULES (1,).
        feas: the solver's feasibility table.

    Raises:
        RulesError: a table that the rules cannot seat, or a `max_seats` that has no room for it.
    """

    def __init__(self, rules: Rules, num_players: int, max_seats: int | None = None) -> None:
        rules.packs_for(num_players)
        seats = num_players if max_seats is None else whole_number("max_seats", max_seats, error=RulesError)
        if not num_players <= seats <= MAX_PLAYERS:
            raise RulesError(
                f"max_seats {max_seats!r} is not allowed; allowed: {num_players} (the number of players) to {MAX_PLAYERS}"
            )
        core.announce_compilation()
        self.rules = rules
        self.num_players = num_players
        self.max_seats = seats
        self.is_kaluki = rules.game == "kaluki"
        self.num_actions = core.num_actions(seats, self.is_kaluki)
        self.record = pack_rules(rules, num_players, seats)
        self.feas = core.feasibility_table()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles share the engine of the table, and do not hold the solver's tables."""
        return engine, (self.rules, self.num_players, self.max_seats)

    @property
    def deck(self) -> NDArray[np.int64]:
        """Copies of each card in the deck: int64 (53,)."""
        return deck_of(self.rules, self.num_players)

    @cached_property
    def dist(self) -> NDArray[np.uint8]:
        """The solver's distance table; loaded when first asked for."""
        return core.distance_table()


def engine(rules: Rules, num_players: int, max_seats: int | None = None) -> Engine:
    """The engine of a table; tables of the same rules text and size share one."""
    players = whole_number("num_players", num_players, error=RulesError)
    seats = players if max_seats is None else whole_number("max_seats", max_seats, error=RulesError)
    return _engine(str(rules), players, seats)


@lru_cache(maxsize=64)
def _engine(rules: str, num_players: int, max_seats: int) -> Engine:
    # By text, not by `Rules`: two descriptions of the same rules are equal, but positions are written with the one that was
    # used.
    return Engine(Rules.parse(rules), num_players, max_seats)
