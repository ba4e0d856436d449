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


def pack_rules(rules: Rules, num_players: int, max_seats: int) -> NDArray[np.void]:
    """Rules of one table as an array of one RULES record."""
    packed = np.zeros(1, core.RULES)
    record = packed[0]
    record["points"] = [rules.card_points(name) for name in CARD_NAMES]
    record["go_out_score"] = rules.go_out_score
    record["unmet_opening_penalty"] = rules.unmet_opening_penalty
    record["max_turns"] = rules.max_turns(num_players)
    record["call_max"] = core.NO_LIMIT if rules.call_max_per_deal is None else rules.call_max_per_deal
    record["reshuffle_max"] = core.NO_LIMIT if rules.reshuffle_max is None else rules.reshuffle_max
    contracts = [rules.contract(deal) for deal in range(1, rules.num_deals + 1)]
    # Deals that rules with fewer than nine do not have stay zeros.
    record["threes"][: len(contracts)] = [contract.threes for contract in contracts]
    record["fours"][: len(contracts)] = [contract.fours for contract in contracts]
    record["hand_size"][: len(contracts)] = [contract.hand_size for contract in contracts]
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
    return packed


class Engine:
    """The compiled engine for one set of rules and one table size. Holds no position.

    Attributes:
        rules: the rules.
        num_players: seats at the table.
        max_seats: seats that the spaces have room for.
        num_actions: size of the action space.
        record: the packed rules, RULES (1,).
        feas: the solver's feasibility table.

    Raises:
        RulesError: a table that the rules cannot seat, or a `max_seats` that has no room for it.
    """

    def __init__(self, rules: Rules, num_players: int, max_seats: int | None = None) -> None:
        rules.packs_for(num_players)
        seats = num_players if max_seats is None else int(max_seats)
        if type(seats) is not int or not num_players <= seats <= MAX_PLAYERS:
            raise RulesError(
                f"max_seats {max_seats!r} is not allowed; allowed: {num_players} (the number of players) to {MAX_PLAYERS}"
            )
        core.announce_compilation()
        self.rules = rules
        self.num_players = num_players
        self.max_seats = seats
        self.num_actions = core.num_actions(seats)
        self.record = pack_rules(rules, num_players, seats)
        self.feas = core.feasibility_table()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles share the engine of the table, and do not hold the solver's tables."""
        return engine, (self.rules, self.num_players, self.max_seats)

    @cached_property
    def dist(self) -> NDArray[np.uint8]:
        """The solver's distance table; loaded when first asked for."""
        return core.distance_table()


def engine(rules: Rules, num_players: int, max_seats: int | None = None) -> Engine:
    """The engine of a table; tables of the same rules text and size share one."""
    return _engine(str(rules), num_players, num_players if max_seats is None else max_seats)


@lru_cache(maxsize=64)
def _engine(rules: str, num_players: int, max_seats: int) -> Engine:
    # By text, not by `Rules`: two descriptions of the same rules are equal, but positions are written with the one that was
    # used.
    return Engine(Rules.parse(rules), num_players, max_seats)
