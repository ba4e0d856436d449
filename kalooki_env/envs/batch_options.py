"""Options of the batched environments: checked, and packed for compiled code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kalooki_env.agents import SCRIPTED, load
from kalooki_env.agents.base import Agent
from kalooki_env.agents.bots import EXPERT, EXPERT_V2, GREEDY
from kalooki_env.agents.play import Player
from kalooki_env.batch.lanes import Lanes
from kalooki_env.batch.layout import OUTSIDE, PARTS, RANDOM, SETTINGS, Autoreset, OnIllegal, RewardKind
from kalooki_env.envs.match import default_observation, match_of
from kalooki_env.envs.match_lanes import MatchLanes
from kalooki_env.envs.match_recording import RecordedMatchLanes
from kalooki_env.envs.options import check_observation, deals_of, number, one_of, seat_of, shaping_of
from kalooki_env.envs.recording import RecordedLanes
from kalooki_env.errors import ConfigError, RulesError, closest
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import check_seed, whole_number
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules

#: Opponents that play inside compiled code.
COMPILED: dict[str, int] = {
    "random": RANDOM,
    "greedy": GREEDY,
    "expert-v1": EXPERT,
    "expert-v2": EXPERT_V2,
    "expert": EXPERT_V2,
}
assert set(COMPILED) == set(SCRIPTED)
#: Numbers of deals with their weights.
Deals = int | Sequence[int] | Mapping[int, float] | Literal["random"]


T = TypeVar("T")


@dataclass(frozen=True)
class BatchOptions:
    """What the batched environments have in common.

    Attributes:
        rules: `Rules`, or their text, as for `kalooki_env.env`.
        num_players: seats at the table.
        max_seats: seats that the spaces have room for; default `num_players`.
        deal: number of the deal (1 to 9), a list of numbers to draw from, a dict of numbers and weights, or `"random"` for all.
        lane_deals: one number for each lane, which then deals nothing else.
        dealer: a seat, or `"rotate"`: at random after a seeded reset, then clockwise from deal to deal. In a match: the first
            dealer, from match to match.
        observation: a named choice (`kalooki_env.observe.schema.CHOICES`) or a list of names of pieces; default `"obs-v1"`, and
            `"obs-v1+match"` in a match.
        observation_form: `"flat"` for one vector, `"dict"` for a dict of vectors by piece.
        observation_dtype: `"float32"`, scaled to [0, 1], or `"uint8"`, counts and flags.
        mask_in_observation: `{"observation": ..., "action_mask": ...}` in place of the observation alone.
        reward, shaping: as for `kalooki_env.env`.
        episode: `"deal"`, or `"match"`: an episode is a match, or series, as the rules say, and its deals follow each other; then
            `deal` and `lane_deals` are left as they are, and one lane can be recorded.
        match_reward: of a match, as for `kalooki_env.env`.
        on_illegal: `"raise"`, and no lane changes; `"lose"`: the episode ends with `illegal_reward`; `"replace"`: a random legal
            action is carried out instead. Illegal actions are counted.
        illegal_reward: see `on_illegal`.
        skip_forced: play decisions with one legal action without asking.
        call_windows: `"all"`, or `"useful"`: pass without asking where the card would neither lower the contract distance
            nor raise the number of unseen cards that do. Name it in results that used it.
        threads: threads that share the lanes; the results are the same with any number.
        copy: hand out new arrays. Without it the arrays belong to the environment, and the next call overwrites them.
        record: file for a record of the deals (`RECORDS.md`), as they are played; `close` completes it.
        record_lanes: the lanes that are recorded: a number, or a list of them. These are slower, the others are not.

    Raises:
        RulesError: unknown rules, an impossible table, deal or dealer.
        ConfigError: an unknown option, or one with a value that is not allowed.
    """

    rules: Rules | str = "jamaican"
    num_players: int = 4
    max_seats: int | None = None
    deal: Deals = "random"
    lane_deals: Sequence[int] | None = None
    dealer: int | Literal["rotate"] = "rotate"
    observation: str | Sequence[str] | None = None
    observation_form: Literal["flat", "dict"] = "flat"
    observation_dtype: Literal["float32", "uint8"] = "float32"
    mask_in_observation: bool = False
    reward: Literal["score", "zero_sum", "win"] = "score"
    shaping: float = 0.0
    episode: Literal["deal", "match"] = "deal"
    match_reward: Literal["deals", "win", "place", "stake"] = "deals"
    on_illegal: Literal["raise", "lose", "replace"] = "raise"
    illegal_reward: float = -4.0
    skip_forced: bool = True
    call_windows: Literal["all", "useful"] = "all"
    threads: int = 1
    copy: bool = True
    record: str | Path | None = None
    record_lanes: int | Sequence[int] = 0

    @classmethod
    def of(cls, options: Mapping[str, Any], others: Sequence[str] = ()) -> BatchOptions:
        """Options from keywords, all checked.

        Args:
            options: the keywords.
            others: arguments that the environment has beside these options, for messages.
        """
        known = [field.name for field in fields(cls)]
        for key in options:
            if key not in known:
                raise ConfigError(f"unknown option {key!r}{closest(key, [*others, *known])}")
        made = cls(**options)
        check_observation(made.observation_form, made.observation_dtype)
        one_of("reward", made.reward, ("score", "zero_sum", "win"))
        one_of("on_illegal", made.on_illegal, ("raise", "lose", "replace"))
        one_of("episode", made.episode, ("deal", "match"))
        one_of("call_windows", made.call_windows, ("all", "useful"))
        number("illegal_reward", made.illegal_reward)
        shaping_of(made.shaping)
        if whole_number("threads", made.threads) < 1:
            raise ConfigError(f"threads {made.threads!r} is not allowed; allowed: 1 or more")
        if made.record is None and "record_lanes" in options:
            raise ConfigError(f"record_lanes {made.record_lanes!r} without a record: record=PATH says where it is written")
        if made.episode == "match" and made.lane_deals is not None:
            raise ConfigError("lane_deals are not allowed with episode 'match', whose deals follow from the rules")
        return replace(made, observation=default_observation(made.episode)) if made.observation is None else made

    def text(self, **others: Any) -> str:
        """All options that play depends on, for comparing: threads, copies and records make no difference."""
        no_matter = ("threads", "copy", "record", "record_lanes")
        mine = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in no_matter}
        mine |= {"rules": str(Rules.of(self.rules)), "max_seats": self.max_seats or self.num_players, **others}
        mine |= {"shaping": float(self.shaping), "illegal_reward": float(self.illegal_reward)}
        return ", ".join(f"{key}={_plain(value)!r}" for key, value in mine.items())


def _plain(value: Any) -> Any:
    """The same for equal options: lists for tuples and arrays, Python's numbers for NumPy's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def with_options(**defaults: Any) -> Callable[[type[T]], type[T]]:
    """Show the fields of `BatchOptions` in the signature of a class that takes them as keywords: for `help` and completion.

    Args:
        defaults: those that the class changes.
    """

    def decorate(made: type[T]) -> type[T]:
        own = [one for one in signature(made).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        more = [
            Parameter(one.name, Parameter.KEYWORD_ONLY, default=defaults.get(one.name, one.default), annotation=one.type)
            for one in fields(BatchOptions)
        ]
        made.__signature__ = Signature([*own, *more])  # type: ignore[attr-defined]
        return made

    return decorate


def checked_deals(deal: Any, rules: Rules, num_players: int) -> tuple[tuple[int, ...], list[int]]:
    """Numbers of deals, and for weighted ones their shares of `PARTS`, added up; zeros for equal weights."""
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


def settings_of(
    options: BatchOptions,
    table: Engine,
    layout: Observation,
    *,
    autoreset: Autoreset,
    asks_all: bool,
    seat: int,
    players: Sequence[int],
) -> NDArray[np.void]:
    """The SETTINGS record, as an array of one."""
    settings = np.zeros(1, SETTINGS)
    record = settings[0]
    record["offsets"] = layout.offsets
    record["scale"][: layout.size] = layout.scale
    record["solver_at"] = layout.slice_of("solver").start if layout.has_solver else -1
    set_deals(settings, options.deal, table)
    dealer = seat_of("dealer", options.dealer, table.num_players)
    record["dealer"] = -1 if dealer is None else dealer
    record["seat"] = seat
    record["players"][: len(players)] = players
    record["shaping"] = options.shaping
    record["illegal_reward"] = options.illegal_reward
    record["reward"] = RewardKind[options.reward.upper()]
    record["on_illegal"] = OnIllegal[options.on_illegal.upper()]
    record["autoreset"] = autoreset
    record["skips_forced"] = bool(options.skip_forced)
    record["useful_calls"] = options.call_windows == "useful"
    record["asks_all"] = asks_all
    record["seats"] = table.num_players
    record["in_match"] = options.episode == "match"
    record["pays_deals"] = options.episode == "deal" or options.match_reward == "deals"
    record["is_float"] = options.observation_dtype == "float32"
    return settings


def set_deals(settings: NDArray[np.void], deal: Any, table: Engine) -> None:
    """Put the deals to draw from into a SETTINGS record."""
    deals, thresholds = checked_deals(deal, table.rules, table.num_players)
    if len(deals) > settings[0]["deals"].shape[0]:
        raise RulesError(f"deal {deal!r} is not allowed: more than {settings[0]['deals'].shape[0]} numbers; use weights")
    settings[0]["deals"][: len(deals)] = deals
    settings[0]["thresholds"][:] = 0
    settings[0]["thresholds"][: len(deals)] = thresholds
    settings[0]["deals_n"] = len(deals)


def opponents_of(opponents: Any, num_players: int) -> list[str | Agent]:
    """Who plays the other seats, clockwise from the one that is asked.

    Raises:
        ConfigError: neither one opponent nor one for each of those seats, or something that is no agent.
    """
    others = num_players - 1
    given = list(opponents) if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents] * others
    if len(given) != others:
        raise ConfigError(f"{len(given)} opponents are not allowed; allowed: one, or {others} of them, clockwise")
    for agent in given:
        if not isinstance(agent, str) and (isinstance(agent, type) or not callable(getattr(agent, "act", None))):
            raise ConfigError(
                f"opponent {agent!r} is not allowed; allowed: a name, or an object with act(observations, masks, rng)"
            )
    return given


def agent_name(agent: str | Agent) -> str:
    """How an opponent is called in messages."""
    return agent if isinstance(agent, str) else type(agent).__name__


def players_of(opponents: Sequence[str | Agent], table: Engine) -> tuple[list[int], list[Player]]:
    """Opponents as numbers by place, the first unused, and those that play outside of compiled code."""
    numbers = [0]
    known: list[str | Agent] = []
    for agent in opponents:
        if isinstance(agent, str) and agent in COMPILED:
            numbers.append(COMPILED[agent])
            continue
        if not any(agent is one or agent == one for one in known):
            known.append(agent)
        numbers.append(OUTSIDE + next(i for i, one in enumerate(known) if agent is one or agent == one))
    return numbers, [Player(load(agent) if isinstance(agent, str) else agent, table, agent_name(agent)) for agent in known]


def lanes_of(
    options: BatchOptions,
    count: int,
    *,
    autoreset: Autoreset,
    asks_all: bool = False,
    seat: int | str = 0,
    opponents: str | Agent | Sequence[str | Agent] = "greedy",
) -> Lanes:
    """The lanes of an environment.

    Args:
        options: what it has in common with others.
        count: number of lanes.
        autoreset: its mode.
        asks_all: self-play: whoever is to move is asked.
        seat: the seat that is asked otherwise, or `"rotate"`.
        opponents: who plays the other seats then.
    """
    count = whole_number("number of environments", count)
    if count < 1:
        raise ConfigError(f"{count} environments are not allowed; allowed: 1 or more")
    table = engine(Rules.of(options.rules), whole_number("num_players", options.num_players), options.max_seats)
    # Raises where there can be no match.
    match_of(options.episode, options.match_reward, options.deal, table.rules, table.num_players, table.max_seats)
    assert options.observation is not None, "`of` has put the default in"
    layout = Observation.of(options.observation, table.max_seats, table.is_kaluki)
    asked = seat_of("seat", seat, table.num_players)
    given = [] if asks_all else opponents_of(opponents, table.num_players)
    numbers, outside = players_of(given, table)
    settings = settings_of(
        options, table, layout, autoreset=autoreset, asks_all=asks_all, seat=-1 if asked is None else asked, players=numbers
    )
    lane_deals = None
    if options.lane_deals is not None:
        lane_deals = np.array(deals_of(options.lane_deals, table.rules, table.num_players), np.int64)
        if len(lane_deals) != count or not isinstance(options.lane_deals, Sequence | np.ndarray):
            raise ConfigError(f"lane_deals {options.lane_deals!r} are not allowed; allowed: one for each of {count} lanes")
    more: dict[str, Any] = {"lane_deals": lane_deals, "outside": outside, "threads": options.threads, "fresh": options.copy}
    names = None if asks_all else ["learner", *map(agent_name, given)]
    record: dict[str, Any] = {"path": options.record, "record_lanes": options.record_lanes, "names": names}
    if options.episode == "match":
        more["reward"] = options.match_reward
        if options.record is None:
            return MatchLanes(table, layout, settings, count, **more)
        return RecordedMatchLanes(table, layout, settings, count, **record, **more)
    if options.record is None:
        return Lanes(table, layout, settings, count, **more)
    return RecordedLanes(table, layout, settings, count, **record, **more)


def observation_space(options: BatchOptions, lanes: Lanes) -> spaces.Space[Any]:
    """Space of one lane's observation."""
    space: spaces.Space[Any] = (
        lanes.layout.dict_space() if options.observation_form == "dict" else lanes.layout.space(options.observation_dtype)
    )
    if options.mask_in_observation:
        masks = spaces.Box(0, 1, (lanes.engine.num_actions,), np.int8)
        return spaces.Dict({"observation": space, "action_mask": masks})
    return space


def formed(options: BatchOptions, lanes: Lanes, rows: NDArray[Any], masks: NDArray[np.int8]) -> Any:
    """Observations as they are handed out: vectors, or dicts of vectors."""
    found: Any = rows
    if options.observation_form == "dict":
        found = {name: rows[..., lanes.layout.slice_of(name)] for name in lanes.layout.pieces}
    return {"observation": found, "action_mask": masks} if options.mask_in_observation else found


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """A seed for each lane: consecutive ones from a number, or those of a list, None for lanes whose generators go on.

    Raises:
        RulesError: a seed that is not allowed.
        ConfigError: a list of the wrong length.
    """
    if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
        if len(seed) != count:
            raise ConfigError(f"{len(seed)} seeds are not allowed; allowed: one, or {count}")
        return [None if one is None else check_seed(one) for one in seed]
    first = check_seed(seed)
    check_seed(first + count - 1)
    return [first + lane for lane in range(count)]
