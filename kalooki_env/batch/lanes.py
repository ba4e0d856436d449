"""`Lanes`: the buffers of a batch, and the calls into compiled code, over threads and around outside agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.play import Player
from kalooki_env.batch.kernels import first_illegal, masks_of_some, random_actions, run_lanes, seed_some
from kalooki_env.batch.layout import INFOS, LANE, NOTHING, RESET, RESUME, SHOW, STEP, WORK, Autoreset, OnIllegal
from kalooki_env.batch.sound import check_lanes, tidy
from kalooki_env.batch.threads import Team
from kalooki_env.errors import ConfigError, EnvironmentStateError
from kalooki_env.game.engine import Engine
from kalooki_env.game.explain import illegal_action_error, why_illegal
from kalooki_env.game.notation import action_text
from kalooki_env.game.refusals import Refusal
from kalooki_env.game.saved import UNREADABLE, check_digest, not_saved, pack, record_bytes, records_of, unpack
from kalooki_env.observe.schema import Observation
from kalooki_env.values import actions_of, check_seed


class Lanes:
    """N tables of one kind, each at a decision of the seat that is asked, and everything that is told about them.

    The arrays are written in place by `reset`, `step` and `show`, unless these make new ones.

    Args:
        engine: engine of the tables.
        layout: the observation.
        settings: SETTINGS (1,).
        count: number of tables.
        lane_deals: the only number that each lane deals, int64 (N,); None for what the settings say.
        outside: agents with the numbers from `OUTSIDE` on.
        threads: threads that share the lanes; the results are the same with any number.
        fresh: write what is told into new arrays in each call, and so never change those of before.

    Attributes:
        states: the positions, STATE (N,).
        masks: int8 (N, num_actions).
        observations: uint8 or float32 (N, size).
        rewards: float64 (N, 1), in self-play (N, players).
        over: bool (N,): an episode ended in the last call.
        infos: int64 (7, N), rows as in `INFOS`.
        final_observations, final_infos, final_scores: of the episodes that ended, where others have begun since.
    """

    def __init__(
        self,
        engine: Engine,
        layout: Observation,
        settings: NDArray[np.void],
        count: int,
        *,
        lane_deals: NDArray[np.int64] | None = None,
        outside: Sequence[Player] = (),
        threads: int = 1,
        fresh: bool = False,
    ) -> None:
        self.engine = engine
        self._rules = engine.record
        self.layout = layout
        self.settings = settings
        self.count = count
        self._outside = list(outside)
        self._rng = np.random.default_rng()
        self._threads = min(threads, count)
        self._fresh = fresh
        self._team = Team(self._threads - 1) if self._threads > 1 else None
        self._works = [np.zeros(1, WORK) for _ in range(self._threads)]
        self._counter = np.zeros(1, np.int64)
        selfplay = bool(settings[0]["asks_all"])
        players = engine.num_players
        same_step = settings[0]["autoreset"] == Autoreset.SAME_STEP
        # Fields of a record are slow to read from Python.
        self._needs_resets = bool(settings[0]["autoreset"] == Autoreset.DISABLED)
        self._raises = bool(settings[0]["on_illegal"] == OnIllegal.RAISE)
        finals = count if same_step and not selfplay else 0
        is_float = bool(settings[0]["is_float"])
        size = layout.size
        self.states = np.zeros(count, core.STATE)
        self.lanes = np.zeros(count, LANE)
        self._deals = np.zeros(count, np.int64) if lane_deals is None else lane_deals
        self.lanes["deal"] = self._deals
        self.masks = np.ones((count, engine.num_actions), np.int8)
        bytes_out = np.zeros((0 if is_float else count, size), np.uint8)
        floats_out = np.zeros((count if is_float else 0, size), np.float32)
        final_bytes = np.zeros((0 if is_float else finals, size), np.uint8)
        final_floats = np.zeros((finals if is_float else 0, size), np.float32)
        self._is_float = is_float
        self._no_rows = bytes_out if is_float else floats_out
        self.observations: NDArray[Any] = floats_out if is_float else bytes_out
        self.final_observations: NDArray[Any] = final_floats if is_float else final_bytes
        self._finals = (final_bytes, final_floats)
        self.rewards = np.zeros((count, players if selfplay else 1))
        self.over = np.zeros(count, np.bool_)
        self.infos = np.zeros((len(INFOS), count), np.int64)
        self.final_infos = np.zeros((len(INFOS), count if same_step else 0), np.int64)
        self.final_scores = np.zeros((count, players if selfplay else 0), np.int64)
        self._jobs = np.zeros(count, np.uint8)
        self._steps = np.full(count, STEP, np.uint8)
        self._no_actions = np.zeros(count, np.int64)
        self._seeds: list[int | None] = [None] * count
        self._was_reset = np.zeros(count, np.bool_)
        seeds = np.random.SeedSequence().generate_state(count, np.uint64)
        seed_some(self.states, self.lanes, np.arange(count), seeds)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: threads are made anew."""
        return {**self.__dict__, "_team": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._team = Team(self._threads - 1) if self._threads > 1 else None

    def _outputs(self) -> tuple[NDArray[Any], ...]:
        """Where compiled code writes to."""
        rows = (self._no_rows, self.observations) if self._is_float else (self.observations, self._no_rows)
        told = (self.masks, *rows, self.rewards, self.over, self.infos)
        return (*told, *self._finals, self.final_infos, self.final_scores)

    def _renew(self, keep: bool) -> None:
        """New arrays for what is told, with the numbers of the old ones where not all lanes are written to."""
        if self._fresh:
            make = np.copy if keep else np.empty_like
            self.observations, self.masks = make(self.observations), make(self.masks)
            self.rewards, self.over, self.infos = make(self.rewards), make(self.over), make(self.infos)

    # ---- play ----------------------------------------------------------------------------------------------------

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Set the generators of lanes, None for those that stay as they are; outside agents draw from what the first gives."""
        which = np.array([lane for lane, seed in enumerate(seeds) if seed is not None], np.int64)
        if not len(which):
            return
        given = np.array([seed for seed in seeds if seed is not None], np.uint64)
        seed_some(self.states, self.lanes, which, given)
        for lane in which:
            self._seeds[lane] = seeds[lane]
        self._rng = np.random.default_rng(int(given[0]))

    def reset(self, which: NDArray[np.bool_] | None = None, settings: NDArray[np.void] | None = None) -> None:
        """Deal some lanes anew, or all; with other settings this once, if given."""
        if which is None:
            self._jobs[:] = RESET
        else:
            self._jobs[:] = np.where(which, RESET, NOTHING)
        self._was_reset |= self._jobs == RESET
        self._renew(which is not None)
        self._run(self._jobs, self._no_actions, self.settings if settings is None else settings)

    def step(self, actions: Any, dealing: NDArray[np.bool_] | None = None) -> None:
        """Carry out an action in each lane.

        Args:
            actions: int (N,).
            dealing: bool (N,): lanes that deal anew instead, whether their deal is over or not.

        Raises:
            EnvironmentStateError: before the first reset, or, without autoreset, in a lane whose deal is over.
            ActionTypeError: actions that are no whole numbers.
            ConfigError: not one for each lane.
            IllegalActionError: an illegal action, where that is an error; no lane has changed.
        """
        given = actions_of(actions, self.count)
        self.require_reset("step")
        if self._needs_resets and self.lanes["over"].any():
            lane = int(np.argmax(self.lanes["over"]))
            raise EnvironmentStateError(
                f"step in lane {lane}, whose deal is over, and autoreset is disabled: call "
                'reset(options={"reset_mask": mask}) with True for such lanes'
            )
        jobs = self._steps
        if dealing is not None and dealing.any():
            jobs = np.where(dealing, RESET, STEP).astype(np.uint8)
        if self._raises:
            lane = first_illegal(self.lanes, jobs, given)
            if lane >= 0:
                self._raise_illegal(int(lane), int(given[lane]))
        self._renew(False)
        self._run(jobs, given, self.settings)

    def show(self) -> None:
        """Write observations, masks and infos anew, of the positions and legal actions as they are noted."""
        self._jobs[:] = np.where(self._was_reset, SHOW, NOTHING)
        self._renew(True)
        self._run(self._jobs, self._no_actions, self.settings)

    def random_actions(self) -> NDArray[np.int64]:
        """A random legal action for each lane, from the lanes' own generators; 0 where a deal is over: int64 (N,).

        Raises:
            EnvironmentStateError: before the first reset.
        """
        self.require_reset("sample_actions")
        actions = np.empty(self.count, np.int64)
        random_actions(self.lanes, actions)
        return actions

    def _run(self, jobs: NDArray[np.uint8], actions: NDArray[np.int64], settings: NDArray[np.void]) -> None:
        waiting = self._call(jobs, actions, settings)
        while waiting:
            try:
                jobs, actions = self._go_on(settings)
            except BaseException:
                # Lanes in the midst of a call have no decision for the seat that is asked: they are of no use before a reset.
                self._was_reset &= self.lanes["waits_for"] == 0
                raise
            waiting = self._call(jobs, actions, settings)

    def _call(self, jobs: NDArray[np.uint8], actions: NDArray[np.int64], settings: NDArray[np.void]) -> int:
        """Run all lanes, in all threads. Returns how many wait for outside agents."""
        table = self.engine
        self._counter[0] = 0
        lists = (self._counter, jobs, actions, self.states, self.lanes, self._rules, table.feas, table.dist, settings)
        outputs = self._outputs()
        if self._team is None:
            return int(run_lanes(*lists, self._works[0], *outputs))
        return self._team.run([partial(run_lanes, *lists, work, *outputs) for work in self._works])

    def _go_on(self, settings: NDArray[np.void]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Jobs and actions of the lanes that wait: those of outside agents."""
        jobs = np.zeros(self.count, np.uint8)
        actions = np.zeros(self.count, np.int64)
        for number in range(len(self._outside)):
            which = np.flatnonzero(self.lanes["waits_for"] == number + 1)
            if len(which):
                masks = np.empty((len(which), self.engine.num_actions), np.int8)
                masks_of_some(self.lanes, which, masks)
                self._ask(number, which, masks, actions)
                jobs[which] = RESUME
        return jobs, actions

    def _ask(self, number: int, which: NDArray[np.int64], masks: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        """Write the actions of an outside agent in some lanes."""
        actions[which] = self._outside[number].act(self.states, which, masks, self._rng)

    # ---- what is told --------------------------------------------------------------------------------------------

    def told(self) -> dict[str, NDArray[Any]]:
        """What is told about each lane, by name: int64 (N,)."""
        return dict(zip(INFOS, self.infos, strict=True))

    def last_told(self, ended: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The same of episodes that ended in the last call, where others have begun since: int64 (n,), new arrays."""
        return dict(zip(INFOS, self.final_infos[:, ended], strict=True))

    def engine_of(self, size: int) -> Engine:
        """Engine of a table, by `LANE["table"]`."""
        return self.engine

    def table_of(self, lane: int) -> Engine:
        """Engine of the table that a lane plays at."""
        return self.engine_of(int(self.lanes["table"][lane]))

    # ---- errors --------------------------------------------------------------------------------------------------

    def require_reset(self, what: str) -> None:
        """Refuse something in lanes that have no deal.

        Raises:
            EnvironmentStateError: a lane was never reset, or an opponent failed there.
        """
        if self._was_reset.all():
            return
        if not self._was_reset.any():
            raise EnvironmentStateError(f"{what} before reset: call reset() first")
        lane = int(np.argmin(self._was_reset))
        raise EnvironmentStateError(f"{what} in lane {lane}, which was never reset or whose opponent failed: call reset() first")

    def _raise_illegal(self, lane: int, action: int) -> None:
        state, table = self.states[lane : lane + 1], self.table_of(lane)
        lists = self.lanes[lane]

        def text(number: int) -> str:
            try:
                return action_text(number, state[0], table)
            except ValueError:
                return f"action {number}"

        inside = 0 <= action < self.engine.num_actions
        refusal = why_illegal(state, action, table) if inside else Refusal.NO_SUCH_ACTION
        legal = [text(int(number)) for number in lists["legal"][: lists["n"]]]
        shown = text(action) if inside else str(action)
        error = illegal_action_error(state, shown, refusal, int(state[0]["actor"]), legal, table, self._seeds[lane])
        raise type(error)(f"lane {lane}: {error}" if self.count > 1 else str(error), error.position, error.seed)

    # ---- saving --------------------------------------------------------------------------------------------------

    def saved(self, name: str) -> dict[str, NDArray[Any]]:
        """Everything that what follows depends on, as plain arrays.

        Args:
            name: what it belongs to: all options.
        """
        about = {"name": name, "schema": _schema(), "rng": self._rng.bit_generator.state, "seeds": self._seeds}
        states, lanes = self.states.copy(), self.lanes.copy()
        tidy(states, lanes, self._was_reset)
        arrays = {"states": record_bytes(states), "lanes": record_bytes(lanes), "was_reset": self._was_reset.copy()}
        return pack(about, arrays | self._saved_more())

    def _saved_more(self) -> dict[str, NDArray[Any]]:
        """What there is to save beside positions."""
        return {}

    def restore(self, saved: dict[str, NDArray[Any]], name: str) -> None:
        """The inverse of `saved`.

        Raises:
            ConfigError: something else than `saved` gave, or of an environment with other options, or of another version; or
                with a lane that cannot be. Nothing has changed.
        """
        forms = {"states": record_bytes(self.states), "lanes": record_bytes(self.lanes), "was_reset": self._was_reset}
        about, arrays = unpack(saved, name, _schema(), forms)
        try:
            rng, seeds = np.random.default_rng(), [None if seed is None else check_seed(seed) for seed in about["seeds"]]
            rng.bit_generator.state = about["rng"]
        except UNREADABLE as error:
            raise not_saved(error) from error
        if len(seeds) != self.count:
            raise ConfigError(f"{len(seeds)} seeds in a state for {self.count} lanes")
        states, lanes = records_of(arrays["states"], core.STATE), records_of(arrays["lanes"], LANE)
        was_reset = arrays["was_reset"].view(np.uint8)
        if was_reset.max() > 1:
            lane = int(was_reset.argmax())
            raise ConfigError(f"lane {lane}: was_reset {was_reset[lane]} is not allowed; allowed: 0 to 1")
        take_more = self._check_restored(saved, states, lanes, was_reset == 1)
        check_digest(saved)
        self.states[:], self.lanes[:], self._was_reset[:] = states, lanes, was_reset
        self._rng = rng
        self._seeds = seeds
        take_more()
        self.show()
        for array in (self.rewards, self.over, self.final_infos, self.final_scores):
            array[:] = 0
        idle = ~self._was_reset
        self.masks[idle], self.observations[idle], self.infos[:, idle] = 1, 0, 0

    def _check_restored(
        self, saved: dict[str, NDArray[Any]], states: NDArray[np.void], lanes: NDArray[np.void], was_reset: NDArray[np.bool_]
    ) -> Callable[[], None]:
        """Refuse lanes that cannot be. Returns what takes over whatever there is beside them.

        Raises:
            ConfigError: such lanes; nothing has changed.
        """
        nothing = np.zeros(self.count, np.int64)
        told = {"table": nothing, "deal": self._deals, "dealing": nothing, "deal_seed": nothing}
        by_seat = np.zeros((self.count, core.SEATS), np.int64)
        standing = {"match_deal": nothing, "totals": by_seat}
        told |= {"at_table": by_seat, "of_match": by_seat}
        self._check_lanes(states, lanes, was_reset, told, standing, None)
        return lambda: None

    def _check_lanes(
        self,
        states: NDArray[np.void],
        lanes: NDArray[np.void],
        was_reset: NDArray[np.bool_],
        told: dict[str, NDArray[np.int64]],
        standing: dict[str, NDArray[np.int64]],
        is_over: NDArray[np.bool_] | None,
    ) -> None:
        """See `batch.sound.check_lanes`."""
        check_lanes(
            states,
            lanes,
            was_reset,
            table=self.engine,
            rules=self._rules,
            engine_of=self.engine_of,
            settings=self.settings[0],
            told=told,
            standing=standing,
            is_over=is_over,
        )

    def nbytes(self) -> int:
        """Bytes of memory that the lanes and what is told about them take."""
        arrays = (self.states, self.lanes, self._jobs, self._steps, self._no_actions, *self._outputs())
        return sum(array.nbytes for array in arrays)

    def close(self) -> None:
        """End the threads."""
        if self._team is not None:
            self._team.close()
            self._team = None


@cache
def _schema() -> str:
    return core.schema_hash(core.STATE, LANE)
