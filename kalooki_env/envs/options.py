"""Options that all environments share: one vocabulary, checked, with errors that name what is allowed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import numpy as np

from kalooki_env.batch.layout import PARTS
from kalooki_env.errors import ConfigError, ConfigTypeError, RulesError, RulesTypeError, closest, nearest
from kalooki_env.observe.schema import VERSION
from kalooki_env.rules import Rules
from kalooki_env.values import integer_of, number, one_of, path_of, plain, shown, truth, whole_number

T = TypeVar("T")

#: Numbers of deals, perhaps with their weights.
Deals = int | Sequence[int] | Mapping[int, float] | Literal["random"]
#: Allowed values of options that are words.
WORDS: dict[str, tuple[str, ...]] = {
    "observation_form": ("flat", "dict"),
    "observation_dtype": ("float32", "uint8"),
    "mask_in": ("observation", "infos", "both"),
    "reward": ("score", "zero_sum", "win"),
    "episode": ("deal", "match"),
    "match_reward": ("deals", "win", "place", "stake"),
    "on_illegal": ("raise", "lose", "replace"),
}


@dataclass(frozen=True)
class EnvOptions:
    """What every environment takes, under the same names, with the same defaults and meanings.

    Attributes:
        rules: `Rules`, or their text: a preset's name and changed keys, `"jamaican call_max_per_deal=3"`.
        num_players: seats at the table.
        deal: number of the deal (1 to 9), a list of numbers to draw from, a dict of numbers and weights, or `"random"`
            for all. In a match it stays `"random"`, which then stands for nothing.
        observation: a named choice (`kalooki_env.observe.schema.CHOICES`) or a list of names of pieces; default
            `"obs-v1"`, and `"obs-v1+match"`, which has the totals, in a match.
        reward: `"score"`: minus the score of the deal, divided by 100 (a seat that goes out has 0.5; losses reach below
            -3); `"zero_sum"`: the mean of all scores minus the own, divided by 100; `"win"`: 1 for going out, else 0.
        episode: `"deal"` for one deal, or `"match"` for a match, or series, as the rules say: its deals follow each other
            without a reset.
        mask_in: where the action mask stands: `"observation"`: observations are
            `{"observation": ..., "action_mask": int8}`; `"infos"`: observations stand alone, and `infos` have the mask
            under `action_mask`; `"both"`.
        on_illegal: `"raise"` an `IllegalActionError`, and nothing changes; `"lose"`: the episode ends with
            `illegal_reward` for the offender and 0 for the others; `"replace"`: a random legal action is carried out
            instead. Something that is no whole number is an `ActionTypeError` under each of them.
        record: file for a record of the deals (`RECORDS.md`), as they are played; `close` completes it.
        max_seats: seats that the spaces have room for; default `num_players`. A policy for `max_seats=6` sits at tables
            of 3 to 6.
        dealer: a seat, or `"rotate"`: at random after a seeded reset, then clockwise from deal to deal. In a match: its
            first dealer.
        observation_form: `"flat"` for one vector, `"dict"` for a dict of vectors by piece.
        observation_dtype: `"float32"`, scaled to [0, 1], or `"uint8"`, counts and flags.
        shaping: if not 0, adds potential-based shaping with potential `-shaping` times the contract distance (0 once
            opened, and at the end), which leaves the optimal policies as they are (Ng, Harada and Russell 1999).
        match_reward: of a match: `"deals"`, what each deal pays by `reward`, when it ends; or at the end of the match
            `"win"`, 1 shared by the winners, `"place"`, 1 for the first place to 0 for the last, the mean of shared
            places, or `"stake"`, the chips won (J13.4).
        illegal_reward: see `on_illegal`.
        skip_forced: play decisions with one legal action without asking.

    Raises:
        RulesError: unknown rules, an impossible table, deal or dealer.
        ConfigError: an option that does not exist, or one with a value that is not allowed. Of a wrong type also a
            TypeError.
    """

    rules: Rules | str = "jamaican"
    num_players: int = 4
    deal: Deals = "random"
    observation: str | Sequence[str] | None = None
    reward: Literal["score", "zero_sum", "win"] = "score"
    episode: Literal["deal", "match"] = "deal"
    mask_in: Literal["observation", "infos", "both"] = "infos"
    on_illegal: Literal["raise", "lose", "replace"] = "raise"
    record: str | Path | None = None
    max_seats: int | None = None
    dealer: int | Literal["rotate"] = "rotate"
    observation_form: Literal["flat", "dict"] = "flat"
    observation_dtype: Literal["float32", "uint8"] = "float32"
    shaping: float = 0.0
    match_reward: Literal["deals", "win", "place", "stake"] = "deals"
    illegal_reward: float = -4.0
    skip_forced: bool = True

    @classmethod
    def of(cls, options: Mapping[str, Any], others: Sequence[str] = ()) -> Self:
        """Options from keywords, all checked but for those that need the table.

        Args:
            options: the keywords.
            others: arguments that the environment has beside these options, for messages.
        """
        known = [field.name for field in fields(cls)]
        for key in options:
            if key not in known:
                # Python's own words: TorchRL leaves out an option of its own where it reads them.
                raise ConfigTypeError(f"unexpected keyword argument {key!r}{closest(key, [*others, *known])}")
        made = cls(**options)
        found = made._checked(options)
        return replace(made, **{"rules": Rules.of(made.rules), **found})

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options in the form in which they are used.

        Args:
            given: the keywords, by which something that was asked for can be told from a default.
        """
        found: dict[str, Any] = {name: one_of(name, getattr(self, name), allowed) for name, allowed in WORDS.items()}
        if (found["observation_form"], found["observation_dtype"]) == ("dict", "uint8"):
            raise ConfigError("observation_form 'dict' goes with observation_dtype 'float32' only")
        found["num_players"] = whole_number("num_players", self.num_players, error=RulesError)
        if self.max_seats is not None:
            found["max_seats"] = whole_number("max_seats", self.max_seats, error=RulesError)
        found["shaping"] = shaping_of(self.shaping)
        found["illegal_reward"] = number("illegal_reward", self.illegal_reward)
        found["skip_forced"] = truth("skip_forced", self.skip_forced)
        if self.record is not None:
            found["record"] = path_of("record", self.record)
        if self.observation is None:
            found["observation"] = default_observation(found["episode"])
        if found["episode"] == "match" and not (isinstance(self.deal, str) and self.deal == "random"):
            raise ConfigError(f"deal {shown(self.deal)} is not allowed with episode 'match', whose deals follow from the rules")
        return found


def default_observation(episode: str) -> str:
    """The named choice of pieces for an episode: in a match the totals are in it."""
    return f"{VERSION}+match" if episode == "match" else VERSION


def with_options(kind: type[EnvOptions], *, without: Collection[str] = (), **defaults: Any) -> Callable[[type[T]], type[T]]:
    """Show the fields of a class of options in the signature of a class that takes them as keywords.

    `help`, completion and a test of the vocabulary read it.

    Args:
        kind: the options.
        without: those that the class does not take.
        defaults: those that the class changes.
    """

    def decorate(made: type[T]) -> type[T]:
        own = [one for one in signature(made).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        names = {one.name for one in own}
        more = [
            Parameter(one.name, Parameter.KEYWORD_ONLY, default=defaults.get(one.name, one.default), annotation=one.type)
            for one in fields(kind)
            if one.name not in names and one.name not in without
        ]
        made.__signature__ = Signature([*own, *more])  # type: ignore[attr-defined]
        return made

    return decorate


def plain_options(options: EnvOptions, without: Sequence[str] = ()) -> dict[str, Any]:
    """Options as they are compared and written: the same for equal ones."""
    found = {one.name: comparable(getattr(options, one.name)) for one in fields(options) if one.name not in without}
    return found | {"rules": str(Rules.of(options.rules)), "max_seats": options.max_seats or options.num_players}


def comparable(value: Any) -> Any:
    """A value as it is compared: lists for tuples and arrays, Python's numbers for NumPy's."""
    if isinstance(value, Mapping):
        return {comparable(key): comparable(item) for key, item in value.items()}
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return [comparable(item) for item in value]
    return plain(value)


# ---- single options ------------------------------------------------------------------------------------------------


def shaping_of(value: Any) -> float:
    """A weight of shaping: a number from 0 on.

    Raises:
        ConfigError: something else.
    """
    return number("shaping", value, 0)


def reset_options(options: Any, known: Sequence[str]) -> Mapping[str, Any]:
    """The options of a reset. Keys that are not known are ignored, with a warning if they look like one that is.

    Raises:
        ConfigError: no mapping of names to values.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ConfigTypeError(f"reset options {shown(options)} are not allowed; allowed: None, or a dict with {', '.join(known)}")
    for key in options:
        near = nearest(str(key), known)
        if key not in known and near is not None:
            warnings.warn(f"reset option {key!r} is ignored; did you mean {near!r}?", stacklevel=3)
    return options


def deals_of(deal: Any, rules: Rules, num_players: int) -> tuple[int, ...]:
    """Numbers of the deals that may be drawn: from a number, a list of numbers, or "random" for all that the table may play.

    Raises:
        RulesError: a deal that does not exist or that this table cannot play, or rules whose deals have yet to be supplied.
    """
    rules.contract(1)
    allowed = f"allowed: 1 to {rules.num_deals}, a list of these, a dict of these and weights, or 'random'"
    if isinstance(deal, str):
        if deal != "random":
            raise RulesError(f"deal {deal!r} is not allowed; {allowed}")
        only_last = num_players < rules.min_players  # a sudden death
        deals: tuple[int, ...] = (rules.num_deals,) if only_last else tuple(range(1, rules.num_deals + 1))
    elif isinstance(deal, Sequence | np.ndarray) and integer_of(deal) is None:
        deals = tuple(whole_number("deal", each, error=RulesError) for each in deal)
    elif (one := integer_of(deal)) is not None:
        deals = (one,)
    else:
        raise RulesTypeError(f"deal {shown(deal)} is not allowed; {allowed}")
    if not deals:
        raise RulesError(f"deal {deal!r} is not allowed: an empty list; {allowed}")
    for each in deals:
        rules.check_table(num_players, each)
    return deals


def weighted_deals(deal: Any, rules: Rules, num_players: int) -> tuple[tuple[int, ...], list[int]]:
    """Numbers of deals, and for weighted ones their shares of `PARTS`, added up; zeros for equal weights.

    Raises:
        RulesError: see `deals_of`.
        ConfigError: a weight that is no number above 0.
    """
    if not isinstance(deal, Mapping):
        deals = deals_of(deal, rules, num_players)
        return deals, [0] * len(deals)
    deals = deals_of(list(deal), rules, num_players)
    weights = [number(f"weight of deal {key!r}", weight) for key, weight in deal.items()]
    if min(weights) <= 0:
        raise ConfigError(f"deal {deal!r} is not allowed; allowed: weights above 0")
    shares = np.cumsum(np.divide(weights, max(weights)))  # the division keeps sums finite
    shares *= PARTS / shares[-1]
    return deals, [max(1, int(share)) for share in shares]


def seat_of(name: str, value: Any, num_players: int) -> int | None:
    """A fixed seat, such as the dealer's; None for "rotate".

    Args:
        name: what it is the seat of, for messages.
        value: a seat, or "rotate".
        num_players: seats at the table.

    Raises:
        RulesError: no such seat.
    """
    if isinstance(value, str) and value == "rotate":
        return None
    seat = integer_of(value)
    if seat is None or not 0 <= seat < num_players:
        kind = RulesTypeError if seat is None and not isinstance(value, str) else RulesError
        raise kind(f"{name} {shown(value)} is not allowed; allowed: 0 to {num_players - 1}, or 'rotate'")
    return seat
