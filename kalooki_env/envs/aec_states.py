"""Copies and saved states of the AEC environment."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.envs.aec_views import OVER, AgentID, AgentViews
from kalooki_env.envs.match import MatchEpisode
from kalooki_env.envs.options import EnvOptions, plain_options
from kalooki_env.envs.rewards import Rewards
from kalooki_env.errors import ConfigError, KalookiError
from kalooki_env.game.engine import Engine
from kalooki_env.game.saved import UNREADABLE, arrays_of, check_digest, not_saved, pack, record_bytes, records_of, unpack
from kalooki_env.game.sound import check_positions
from kalooki_env.observe.observer import Observer
from kalooki_env.records import RecordWriter, game_at
from kalooki_env.rules import Rules
from kalooki_env.values import check_seed, whole_number

#: Attributes that a step writes into; other ones are replaced by it, or never change.
_MUTABLE = ("rewards", "_cumulative_rewards", "terminations", "truncations", "agents")
_RECORDS = ("_states", "_views", "_work", "_lanes")


class AgentStates(AgentViews):
    """The third of the environment that is copied and saved."""

    rules: Rules
    recorder: RecordWriter | None
    agents: list[AgentID]
    possible_agents: list[AgentID]
    _rewards: Rewards
    _cumulative_rewards: dict[AgentID, float]
    _numbers: dict[AgentID, dict[str, Any]]
    _dealer: int | None
    _options: EnvOptions
    _lanes: NDArray[np.void]
    _offender: AgentID | None
    illegal_actions: int
    _feas: NDArray[np.uint8]
    _seed: int | None
    _pays_between: bool
    _skip_agent_selection: AgentID | None

    def copy(self) -> Self:
        """An independent environment that goes on identically: for searches, many times faster than `copy.deepcopy`.

        A copy of an environment with a record plays without one. Spaces, which draw samples, are the same objects.
        """
        other = object.__new__(type(self))
        made = other.__dict__
        made.update(self.__dict__)
        for name in _RECORDS:
            made[name] = made[name].view(np.uint8).copy().view(made[name].dtype)
        for name in _MUTABLE:
            made[name] = made[name].copy()
        made["_numbers"] = numbers = {agent: info.copy() for agent, info in self._numbers.items()}
        is_same = self.infos is self._numbers
        made["infos"] = numbers if is_same else {agent: info.copy() for agent, info in self.infos.items()}
        made["_observer"] = Observer(self._engine, self._layout)
        made["_rewards"] = copy.copy(self._rewards)
        made["_match"] = copy.copy(self._match)
        made["recorder"], made["_carry_out"] = None, core.step_listed
        made["_legal"] = made["_work"][0]["legal"]
        return other

    # ---- saving --------------------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Everything that what follows depends on, as plain arrays: `np.savez(path, **env.get_state())`."""
        is_over = self._phase == OVER
        states = self._states.copy()
        if not self._is_reset:
            rng = int(states[0]["rng"])
            states[:] = 0
            states["rng"] = rng
        about = {
            "name": self._kind(),
            "schema": _schema(),
            "is_reset": self._is_reset,
            "seed": self._seed,
            "dealer": self._dealer,
            "selection": self._number(self.agent_selection) if self._is_reset else None,
            "skipped": self._number(self._skip_agent_selection) if self._is_reset else None,
            "pays_between": self._pays_between,
            "lost": bool(self._is_reset and is_over and states[0]["phase"] != OVER),
            "illegal": [self._number(agent) for agent, info in self.infos.items() if info["illegal"]],
            "illegal_actions": self.illegal_actions,
            "lots": int(self._lanes[0]["rng"]),
            "match": None if self._match is None else self._match.saved(),
        }
        agents = self.possible_agents
        return pack(
            about,
            {
                "state": record_bytes(states),
                "agents": np.array([agent in self.agents for agent in agents]),
                "rewards": np.array([self.rewards.get(agent, 0.0) for agent in agents]),
                "cumulative": np.array([self._cumulative_rewards.get(agent, 0.0) for agent in agents]),
            },
        )

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a saved state, in an environment with the same options. A record goes on with the deal that stands there.

        Raises:
            ConfigError: not such a state, or one of an environment with other options or of another version; or a position that
                cannot be: it names the field, what was found and what is allowed. Also in the midst of a match that is recorded.
                Nothing has changed.
        """
        saved = arrays_of(state)
        count = len(self.possible_agents)
        numbers = np.zeros(count)
        forms = {"state": record_bytes(self._states), "agents": np.zeros(count, np.bool_)}
        about, arrays = unpack(saved, self._kind(), _schema(), forms | {"rewards": numbers, "cumulative": numbers})
        found = _Saved(about, arrays, self)
        check_digest(saved)
        self._take(found)

    def _take(self, found: _Saved) -> None:
        """Go on from what was checked."""
        self._match = found.match
        self._use_table(found.table)
        self._states[:] = found.states
        self._seed, self._dealer, self._is_reset = found.seed, found.dealer, found.is_reset
        self.agents = [agent for agent, is_there in zip(self.possible_agents, found.there, strict=True) if is_there]
        for name, values in (("rewards", found.rewards), ("_cumulative_rewards", found.cumulative)):
            by_agent = dict(zip(self.possible_agents, values.tolist(), strict=True))
            setattr(self, name, {agent: by_agent[agent] for agent in self.agents})
        self._legal_count, self._phase, self._actor = 0, OVER, int(self._states[0]["actor"])
        self.terminations = dict.fromkeys(self.agents, found.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.illegal_actions = found.illegal_actions
        self._lanes["rng"] = found.lots
        self._note_numbers(self.possible_agents[found.illegal[0]] if found.illegal else None)
        self.infos = {}
        self._skip_agent_selection = None
        self._pays_between = found.pays_between
        if self.recorder is not None:
            self.recorder.abandon("a saved state was restored")
        if not found.is_reset:
            return
        if not found.is_over:
            self._after(core.list_lane(self._states, self._record, self._feas, 0, self._legal))
            self._rewards.begin(self._states)
            self._record_deal()
        self._select()
        if found.selection is not None:
            self.agent_selection = self.possible_agents[found.selection]
        self._skip_agent_selection = None if found.skipped is None else self.possible_agents[found.skipped]

    def _number(self, agent: AgentID | None) -> int | None:
        return None if agent is None else self.possible_agents.index(agent)

    def _kind(self) -> str:
        """All options that play depends on, as a text."""
        options = plain_options(self._options, without=("record", "render_mode", "reveal"))
        return ", ".join(f"{key}={value!r}" for key, value in options.items())

    # What follows stands in `raw_env`.

    def _use_table(self, table: Engine) -> None:
        raise NotImplementedError

    def _after(self, code: int) -> None:
        raise NotImplementedError

    def _note_numbers(self, offender: AgentID | None) -> None:
        raise NotImplementedError

    def _select(self) -> None:
        raise NotImplementedError

    def _record_deal(self) -> None:
        raise NotImplementedError


class _Saved:
    """A saved state that has been checked, except for its digest.

    Args:
        about: what is no array.
        arrays: the arrays, of the right shapes.
        env: where it will be restored; nothing there is changed.

    Raises:
        ConfigError: something that cannot be.
    """

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], env: AgentStates) -> None:
        seats = len(env.possible_agents)
        self.match: MatchEpisode | None = copy.copy(env._match)
        try:
            self.is_reset, self.lost, self.pays_between = (_flag(about, key) for key in ("is_reset", "lost", "pays_between"))
            self.seed = None if about["seed"] is None else check_seed(about["seed"])
            self.dealer, self.selection, self.skipped = (
                None if about[key] is None else _seat(key, about[key], seats) for key in ("dealer", "selection", "skipped")
            )
            self.illegal = [_seat("illegal", seat, seats) for seat in about["illegal"]]
            self.illegal_actions = whole_number("illegal_actions", about["illegal_actions"], 0)
            self.lots = whole_number("lots", about["lots"], 0, 2**64 - 1)
            if self.match is not None:
                self.match.restore(about["match"])
        except UNREADABLE as error:
            raise not_saved(error) from error
        self.there: NDArray[np.bool_] = arrays["agents"].view(np.uint8) != 0
        self.rewards, self.cumulative = arrays["rewards"], arrays["cumulative"]
        for name in ("rewards", "cumulative"):
            if not np.isfinite(arrays[name]).all():
                raise ConfigError(f"{name} {arrays[name]} are not allowed; allowed: numbers")
        self.states = records_of(arrays["state"], core.STATE)
        self.table = env._engine if self.match is None else self.match.table()[0]
        self._check_position()
        self.is_over = self.lost or bool(self.states[0]["phase"] == OVER)
        self._check_agents(env)
        if env.recorder is not None:
            self._check_recordable()

    def _check_position(self) -> None:
        state, table = self.states[0], self.table
        if not self.is_reset:
            wrong = [name for name in self.states.dtype.names or () if name != "rng" and np.any(state[name])]
            if wrong or self.lost:
                raise ConfigError(f"position: {(wrong or ['lost'])[0]} is not 0; allowed: 0 before the first reset")
            return
        check_positions(self.states, table.record, table.feas, name=lambda _: "position")
        wanted = {"match_deal": 0, "dealer": self.dealer}
        if self.match is not None:
            deal, before = self.match.on_table()
            totals = [before.totals[seat] for seat in deal.seats]
            wanted = {"match_deal": deal.ordinal, "dealer": deal.seats.index(deal.dealer), "deal": deal.number}
            wanted |= {"first_dealer": before.first_dealer}
            if state["totals"][: len(totals)].tolist() != totals:
                raise ConfigError(f"position: totals {state['totals']} are not allowed; allowed: {totals}, as in the match")
        for name, value in wanted.items():
            found = self.dealer if name == "first_dealer" else int(state[name])
            if found != value:
                raise ConfigError(f"position: {name} {found} is not allowed; allowed: {value}")
        over = state["phase"] == OVER
        if self.match is not None and not self.lost and self.match.is_over != over:
            raise ConfigError(f"position: phase {state['phase']} is not allowed; allowed: {OVER} at the end of the match only")

    def _check_agents(self, env: AgentStates) -> None:
        there = np.flatnonzero(self.there).tolist()
        seats = range(len(env.possible_agents)) if self.match is None else self.match.deal.seats
        mover = seats[int(self.states[0]["actor"])] if self.is_reset else None
        fine = {"skipped": self.skipped is None, "selection": self.selection == mover}
        if not self.is_reset:
            fine["there"] = not there
        elif self.is_over:  # agents leave one after the other
            fine = {"selection": self.selection is not None and (self.selection in there or not there)}
        else:
            fine["there"] = len(there) == len(self.there)
        on_illegal = env._options.on_illegal
        fine["lost"] = not self.lost or (on_illegal == "lose" and self.states[0]["phase"] != OVER)
        replaced = on_illegal == "replace" and len(self.illegal) == 1 and self.illegal[0] in there
        fine["illegal"] = not self.illegal or replaced or (self.lost and self.illegal == [mover] and mover in there)
        for name, is_fine in fine.items():
            if not is_fine:
                raise ConfigError(f"{name} {getattr(self, name)!r} is not allowed; allowed: what goes with the position")

    def _check_recordable(self) -> None:
        if self.match is not None and self.is_reset:
            raise ConfigError("a state of a match is not allowed where the match is recorded: its record would not be whole")
        if self.is_reset and not self.is_over:
            try:
                game_at(self.states[0], self.table)
            except KalookiError as error:
                raise ConfigError(f"the position cannot be recorded: {error}") from error


def _flag(about: Mapping[str, Any], key: str) -> bool:
    if not isinstance(about[key], bool):
        raise TypeError(f"{key} {about[key]!r} is neither true nor false")
    return bool(about[key])


def _seat(name: str, seat: Any, seats: int) -> int:
    return whole_number(name, seat, 0, seats - 1)


@cache
def _schema() -> str:
    return core.schema_hash(core.STATE)
