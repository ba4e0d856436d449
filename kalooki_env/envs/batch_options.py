"""Options of the batched environments: checked, and packed for compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kalooki_env.agents import SCRIPTED, load, name_of
from kalooki_env.agents.base import Agent
from kalooki_env.agents.bots import EXPERT, EXPERT_V2, GREEDY
from kalooki_env.agents.play import Player
from kalooki_env.batch.lanes import Lanes
from kalooki_env.batch.layout import OUTSIDE, RANDOM, SETTINGS, Autoreset, OnIllegal, RewardKind
from kalooki_env.envs.match import match_of
from kalooki_env.envs.match_lanes import MatchLanes
from kalooki_env.envs.match_recording import RecordedMatchLanes
from kalooki_env.envs.options import EnvOptions, comparable, deals_of, plain_options, seat_of, weighted_deals
from kalooki_env.envs.recording import RecordedLanes
from kalooki_env.errors import ConfigError, ConfigTypeError, RulesError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules
from kalooki_env.values import MAX_SEED, check_seed, integer_of, one_of, shown, truth, whole_number

#: Opponents that play inside compiled code.
COMPILED: dict[str, int] = {
    "random": RANDOM,
    "greedy": GREEDY,
    "expert-v1": EXPERT,
    "expert-v2": EXPERT_V2,
    "expert": EXPERT_V2,
}
assert set(COMPILED) == set(SCRIPTED)
#: An agent, or the name or folder of one, and those of all other seats.
Opponent = str | Path | Agent
Opponents = Opponent | Sequence[Opponent]
#: Most lanes of an environment: their positions alone take some 3 kB each.
MAX_ENVS = 2**24
#: Most threads that share the lanes.
MAX_THREADS = 1024
#: Options that play does not depend on.
_NO_MATTER = ("threads", "copy", "record", "record_lanes")


@dataclass(frozen=True)
class BatchOptions(EnvOptions):
    """What the batched environments take, beside what all environments do.

    Attributes:
        lane_deals: one number for each lane, which then deals nothing else; not in matches.
        call_windows: `"all"`, or `"useful"`: pass without asking where the card would neither lower the contract distance
            nor raise the number of unseen cards that do. Name it in results that used it.
        threads: threads that share the lanes; the results are the same with any number.
        copy: hand out new arrays. Without it the arrays belong to the environment, and the next call overwrites them.
        record_lanes: the lanes that are recorded: a number, or a list of them; of lanes that play matches one. These are
            slower, the others are not.

    Raises:
        RulesError: unknown rules, an impossible table, deal or dealer.
        ConfigError: an unknown option, or one with a value that is not allowed.
    """

    lane_deals: Sequence[int] | None = None
    call_windows: Literal["all", "useful"] = "all"
    threads: int = 1
    copy: bool = True
    record_lanes: int | Sequence[int] = 0

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        found = {
            **super()._checked(given),
            "call_windows": one_of("call_windows", self.call_windows, ("all", "useful")),
            "threads": whole_number("threads", self.threads, 1, MAX_THREADS),
            "copy": truth("copy", self.copy),
        }
        if self.record is None and "record_lanes" in given:
            raise ConfigError(f"record_lanes {self.record_lanes!r} without a record: record=PATH says where it is written")
        if found["episode"] == "match" and self.lane_deals is not None:
            raise ConfigError("lane_deals are not allowed with episode 'match', whose deals follow from the rules")
        return found

    def text(self, **others: Any) -> str:
        """All options that play depends on, for comparing: threads, copies and records make no difference."""
        mine = plain_options(self, without=_NO_MATTER) | {key: comparable(value) for key, value in others.items()}
        return ", ".join(f"{key}={value!r}" for key, value in mine.items())


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
    record["skips_forced"] = options.skip_forced
    record["useful_calls"] = options.call_windows == "useful"
    record["asks_all"] = asks_all
    record["seats"] = table.num_players
    record["in_match"] = options.episode == "match"
    record["pays_deals"] = options.episode == "deal" or options.match_reward == "deals"
    record["is_float"] = options.observation_dtype == "float32"
    return settings


def set_deals(settings: NDArray[np.void], deal: Any, table: Engine) -> None:
    """Put the deals to draw from into a SETTINGS record."""
    deals, thresholds = weighted_deals(deal, table.rules, table.num_players)
    if len(deals) > settings[0]["deals"].shape[0]:
        raise RulesError(f"deal {deal!r} is not allowed: more than {settings[0]['deals'].shape[0]} numbers; use weights")
    settings[0]["deals"][: len(deals)] = deals
    settings[0]["thresholds"][:] = 0
    settings[0]["thresholds"][: len(deals)] = thresholds
    settings[0]["deals_n"] = len(deals)


def opponents_of(opponents: Any, num_players: int) -> list[Opponent]:
    """Who plays the other seats, clockwise from the one that is asked.

    Raises:
        ConfigError: neither one opponent nor one for each of those seats, or something that is no agent.
    """
    others = num_players - 1
    given = list(opponents) if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents] * others
    given = [name_of(agent) for agent in given]
    if len(given) != others:
        raise ConfigError(f"{len(given)} opponents are not allowed; allowed: one, or {others} of them, clockwise")
    for agent in given:
        if not isinstance(agent, str) and (isinstance(agent, type) or not callable(getattr(agent, "act", None))):
            raise ConfigTypeError(
                f"opponent {shown(agent)} is not allowed; allowed: a name, a path, or an object with "
                "act(observations, masks, rng)"
            )
    return given


def agent_name(agent: Opponent) -> str:
    """How an opponent is called in messages."""
    return str(agent) if isinstance(agent, str | Path) else type(agent).__name__


def players_of(opponents: Sequence[Opponent], table: Engine) -> tuple[list[int], list[Player]]:
    """Opponents as numbers by place, the first unused, and those that play outside of compiled code."""
    numbers = [0]
    known: list[Opponent] = []
    for agent in opponents:
        if isinstance(agent, str) and agent in COMPILED:
            numbers.append(COMPILED[agent])
            continue
        if not any(agent is one or agent == one for one in known):
            known.append(agent)
        numbers.append(OUTSIDE + next(i for i, one in enumerate(known) if agent is one or agent == one))
    return numbers, [
        Player(load(str(agent)) if isinstance(agent, str | Path) else agent, table, agent_name(agent)) for agent in known
    ]


def lanes_of(
    options: BatchOptions,
    count: int,
    *,
    autoreset: Autoreset,
    asks_all: bool = False,
    seat: int | str = 0,
    opponents: Opponents = "greedy",
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
    count = whole_number("num_envs", count, 1, MAX_ENVS)
    table = engine(Rules.of(options.rules), options.num_players, options.max_seats)
    # Raises where there can be no match.
    match_of(options.episode, options.match_reward, table.rules, table.num_players, table.max_seats)
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
    if options.mask_in != "infos":
        masks = spaces.Box(0, 1, (lanes.engine.num_actions,), np.int8)
        return spaces.Dict({"observation": space, "action_mask": masks})
    return space


def formed(options: BatchOptions, lanes: Lanes, rows: NDArray[Any], masks: NDArray[np.int8]) -> Any:
    """Observations as they are handed out: vectors, or dicts of vectors."""
    found: Any = rows
    if options.observation_form == "dict":
        found = {name: rows[..., lanes.layout.slice_of(name)] for name in lanes.layout.pieces}
    return {"observation": found, "action_mask": masks} if options.mask_in != "infos" else found


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """A seed for each lane: consecutive ones from a number, or those of a list, None for lanes whose generators go on.

    Raises:
        ConfigError: a seed that is not allowed, or a list of the wrong length.
    """
    if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str) and integer_of(seed) is None:
        if len(seed) != count:
            raise ConfigError(f"{len(seed)} seeds are not allowed; allowed: one, or {count}")
        return [None if one is None else check_seed(one) for one in seed]
    first = whole_number("seed", seed, 0, MAX_SEED - count + 1)
    return [first + lane for lane in range(count)]


def mask_of(mask: Any, count: int) -> NDArray[np.bool_]:
    """The lanes to reset, bool (N,).

    Raises:
        ConfigError: not one truth value for each lane, or none of them True.
    """
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (count,) or not mask.any():
        given = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else shown(mask)
        raise ConfigError(f"reset_mask {given} is not allowed; allowed: bool ({count},), True at least once")
    return mask


def settings_for(options: BatchOptions, lanes: Lanes, given: Mapping[str, Any], seats: Sequence[str]) -> NDArray[np.void] | None:
    """Settings for one reset, None if its options change nothing.

    Args:
        options: of the environment.
        lanes: its lanes.
        given: options of the reset.
        seats: names of those that are seats, or "rotate".

    Raises:
        RulesError: a deal or a seat that is not allowed.
        ConfigError: a deal where each lane has its own.
    """
    if not {"deal", *seats} & set(given):
        return None
    settings = lanes.settings.copy()
    if "deal" in given:
        if options.episode == "match":
            raise RulesError("reset option 'deal' is not allowed in a match, whose deals follow from the rules")
        if options.lane_deals is not None:
            raise ConfigError(
                f"reset option deal {shown(given['deal'])} is not allowed: each lane has a deal of its own (lane_deals)"
            )
        set_deals(settings, given["deal"], lanes.engine)
    for key in seats:
        if key in given:
            seat = seat_of(key, given[key], lanes.engine.num_players)
            settings[0][key] = -1 if seat is None else seat
    return settings
