"""Options of environments: checked, with errors that name what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from kalooki_env.errors import ConfigError, RulesError, closest
from kalooki_env.rules import Rules

T = TypeVar("T")


def one_of(name: str, value: T, allowed: Sequence[Any]) -> T:
    """The value, if it is one of the allowed ones.

    Raises:
        ConfigError: if not.
    """
    if value not in allowed:
        raise ConfigError(f"{name} {value!r} is not allowed{closest(value, allowed)}")
    return value


def deals_of(deal: Any, rules: Rules, num_players: int) -> tuple[int, ...]:
    """Numbers of the deals that may be drawn: from a number, a list of numbers, or "random" for all that the table may play.

    Raises:
        RulesError: a deal that does not exist or that this table cannot play.
    """
    if isinstance(deal, str):
        if deal != "random":
            raise RulesError(f"deal {deal!r} is not allowed; allowed: 1 to {rules.num_deals}, a list of these, or 'random'")
        deals = (rules.num_deals,) if num_players == 2 else tuple(range(1, rules.num_deals + 1))
    elif isinstance(deal, Sequence):
        deals = tuple(deal)
    else:
        deals = (deal,)
    if not deals:
        raise RulesError(
            f"deal {deal!r} is not allowed: an empty list; allowed: 1 to {rules.num_deals}, a list of these, or 'random'"
        )
    for number in deals:
        rules.check_table(num_players, number)
    return deals


def dealer_of(dealer: Any, num_players: int) -> int | None:
    """The seat of a fixed dealer, None for "rotate".

    Raises:
        RulesError: no such seat.
    """
    if isinstance(dealer, str) and dealer == "rotate":
        return None
    if type(dealer) is not int or not 0 <= dealer < num_players:
        raise RulesError(f"dealer {dealer!r} is not allowed; allowed: 0 to {num_players - 1}, or 'rotate'")
    return dealer
