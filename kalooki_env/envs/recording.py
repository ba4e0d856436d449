"""Records of the batched environments: which actions compiled code played in a lane, found out beside it.

A call into compiled code plays many actions of a lane: bots, forced decisions, whole deals that are not shown. None of them is
told. But each follows from what the lane was before the call: its position and its generators. So a recorded lane is played a
second time, action by action, by `Game` and by the same bots as agents; after each call the two must be the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.play import Player
from kalooki_env.agents.scripted import BotAgent
from kalooki_env.batch.lanes import Lanes
from kalooki_env.batch.layout import NOTHING, OUTSIDE, RANDOM, RESET, SHOW, STEP, Autoreset, OnIllegal
from kalooki_env.errors import ConfigError, KalookiError
from kalooki_env.game.cards import seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.game import Game
from kalooki_env.observe.schema import Observation
from kalooki_env.records import DealRecorder, RecordWriter, game_at
from kalooki_env.records.recorder import Line, Policy
from kalooki_env.values import whole_number

_OVER = int(core.Phase.OVER)
_LANE = np.zeros(1, np.int64)


def lanes_to_record(chosen: Any, count: int) -> tuple[int, ...]:
    """The lanes that are recorded.

    Raises:
        ConfigError: no such lane, or one twice.
    """
    given = list(chosen) if isinstance(chosen, Sequence | np.ndarray) and not isinstance(chosen, str) else [chosen]
    lanes = tuple(whole_number("record_lanes", lane) for lane in given)
    if not lanes or len(set(lanes)) < len(lanes) or not all(0 <= lane < count for lane in lanes):
        raise ConfigError(f"record_lanes {chosen!r} are not allowed; allowed: numbers from 0 to {count - 1}, each once")
    return lanes


def check_recordable(
    lanes: Lanes, chosen: Sequence[int], states: NDArray[np.void], own: NDArray[np.void], was_reset: NDArray[np.bool_]
) -> None:
    """Refuse positions that a record cannot begin with.

    Args:
        lanes: where they will be restored.
        chosen: the lanes that are recorded.
        states, own, was_reset: STATE (N,), LANE (N,), bool (N,).

    Raises:
        ConfigError: such a position.
    """
    for lane in chosen:
        if was_reset[lane] and not own["over"][lane]:
            try:
                game_at(states[lane], lanes.engine_of(int(own["table"][lane])))
            except KalookiError as error:
                raise ConfigError(f"lane {lane}: its position cannot be recorded: {error}") from error


class RecordedLanes(Lanes):
    """Lanes, some of which are recorded.

    Args:
        engine, layout, settings, count, options: as for `Lanes`.
        path: the file.
        record_lanes: the lanes.
        names: of who plays, clockwise from the seat that is asked; None in self-play.
    """

    def __init__(
        self,
        engine: Engine,
        layout: Observation,
        settings: NDArray[np.void],
        count: int,
        *,
        path: str | Path,
        record_lanes: Any,
        names: Sequence[str] | None,
        **options: Any,
    ) -> None:
        chosen = lanes_to_record(record_lanes, count)
        super().__init__(engine, layout, settings, count, **options)
        self._chosen = np.array(chosen)
        self.writer = RecordWriter(path, engine.rules, engine.num_players)
        # One lane is written action by action. Deals of several would lie across each other: each is written when it has ended.
        is_alone = len(chosen) == 1
        self._followers = [
            Follower(self, self.writer if is_alone else _Kept(self.writer), None if is_alone else lane, names) for lane in chosen
        ]

    def _call(self, jobs: NDArray[np.uint8], actions: NDArray[np.int64], settings: NDArray[np.void]) -> int:
        states, lanes = self.states[self._chosen], self.lanes[self._chosen]
        waiting = super()._call(jobs, actions, settings)
        for k, lane in enumerate(self._chosen):
            if jobs[lane] not in (NOTHING, SHOW):
                before, after = (states[k : k + 1], lanes[k : k + 1]), (self.states[lane], self.lanes[lane])
                self._followers[k].follow(int(jobs[lane]), int(actions[lane]), before, after, settings[0], self._seeds[lane])
        return waiting

    def _check_restored(
        self, saved: dict[str, NDArray[Any]], states: NDArray[np.void], lanes: NDArray[np.void], was_reset: NDArray[np.bool_]
    ) -> Callable[[], None]:
        take = super()._check_restored(saved, states, lanes, was_reset)
        check_recordable(self, self._chosen.tolist(), states, lanes, was_reset)
        return take

    def restore(self, saved: dict[str, NDArray[Any]], name: str) -> None:
        """See `Lanes.restore`. What runs is abandoned, and the record goes on from where the restored lanes stand."""
        super().restore(saved, name)
        for follower, lane in zip(self._followers, self._chosen, strict=True):
            follower.restart(self.states[lane], self.lanes[lane], self._seeds[lane])

    def note(self, lane: int, policy: Policy | None = None, value: float | None = None) -> None:
        """Say what the learner thought of the decision that a recorded lane stands at: written with its action.

        Args:
            lane: a recorded lane.
            policy: probabilities of the legal actions: by text, or an array over all action numbers.
            value: an estimate for the seat.

        Raises:
            ConfigError: a lane that is not recorded.
            RecordError: no deal runs there, or something that is no such number.
        """
        found = np.flatnonzero(self._chosen == lane)
        if not len(found):
            raise ConfigError(f"lane {lane!r} is not recorded; allowed: {', '.join(map(str, self._chosen))}")
        self._followers[int(found[0])].recorder.note(policy, value)

    def close(self) -> None:
        """End the threads and the record."""
        super().close()
        if not self.writer.is_closed:
            for follower in self._followers:
                follower.recorder.abandon("the environment was closed")
            self.writer.close()


class _Kept(DealRecorder):
    """Keeps the lines of a deal until it ends."""

    def __init__(self, writer: RecordWriter) -> None:
        self._lines: list[Line] = []
        self._writer = writer
        super().__init__(self._keep)

    def _keep(self, line: Line) -> None:
        self._lines.append(line)
        if line["kind"] == "end":
            self._writer.add(self._lines)
            self._lines = []


class Follower:
    """Plays one lane a second time.

    Args:
        lanes: the lanes.
        recorder: where actions go.
        number: number of the lane, for the record; None if it is the only one.
        names: of who plays, clockwise from the seat that is asked.
    """

    def __init__(self, lanes: Lanes, recorder: DealRecorder, number: int | None, names: Sequence[str] | None) -> None:
        self.recorder = recorder
        self._table = table = lanes.engine
        settings = lanes.settings
        self._number = number
        self._names = names
        own = settings[0]
        self._asks_all = bool(own["asks_all"])
        self._skips_forced = bool(own["skips_forced"])
        self._useful_calls = bool(own["useful_calls"])
        self._same_step = bool(own["autoreset"] == Autoreset.SAME_STEP)
        self._loses = bool(own["on_illegal"] == OnIllegal.LOSE)
        self._players = [int(player) for player in own["players"][: table.num_players]]
        bots = {player for player in self._players[1:] if 0 <= player < OUTSIDE}
        self._bots = {} if self._asks_all else {bot: Player(BotAgent(bot), table, f"bot {bot}") for bot in bots}
        # A lane of its own that deals: in self-play nothing else is played in a reset.
        self._settings = settings.copy()
        self._dealing = Lanes(table, lanes.layout, _for_dealing(settings), 1)
        self._lots = np.zeros(1, core.STATE)  # draws from the lane's own generator
        self._state = np.zeros(1, core.STATE)  # the position, over or not
        self._asked = False
        self._is_over = True
        self._seat = 0
        self._seed: int | None = None

    # ---- what a call did -----------------------------------------------------------------------------------------

    def follow(
        self,
        job: int,
        action: int,
        before: tuple[NDArray[np.void], NDArray[np.void]],
        after: tuple[Any, Any],
        settings: Any,
        seed: int | None,
    ) -> None:
        """Play what a call into compiled code has played.

        Args:
            job: RESET, STEP or RESUME.
            action: the action that the lane was given, if any.
            before: STATE (1,) and LANE (1,) before the call; the second is changed here.
            after: STATE and LANE after the call.
            settings: SETTINGS of the call.
            seed: seed that the lane was last given.
        """
        lane = before[1]
        self._seed = seed
        self._lots[0]["rng"] = lane[0]["rng"]
        lost = False
        if job == RESET or (job == STEP and self._is_over):
            self.recorder.abandon("the environment was reset")
            self._state[0] = before[0][0]
            self._deal(lane, settings)
        else:
            lost = self._carry_out(job, action)
        while True:
            if not lost and self._play_on(after[0]):
                break
            if self._asked:
                self._is_over = True
                if not self._same_step:
                    break
            lost = False
            self._deal(lane, settings)
        self._compare(after)

    def _carry_out(self, job: int, action: int) -> bool:
        """The action that the lane was given, or what became of it. Returns whether it was illegal and the deal is lost by it."""
        legal = self._running().legal_numbers()
        lost = False
        if job == STEP and action not in legal:
            action = legal[self._lot(len(legal))]
            lost = self._loses
        if lost:
            self.recorder.abandon(f"an illegal action by {seat_name(int(self._running().states[0]['actor']))}")
        else:
            self._act(action)
        return lost

    def _compare(self, after: tuple[Any, Any]) -> None:
        assert self._state[0].tobytes() == after[0].tobytes(), "the record is what the lane played"
        assert self._lots[0]["rng"] == after[1]["rng"], "the record draws what the lane drew"

    def restart(self, state: Any, lane: Any, seed: int | None) -> None:
        """Go on from a lane that was restored."""
        self.recorder.abandon("a saved state was restored")
        self._seed = seed
        self._state[0] = state
        self._asked, self._seat = bool(lane["asked"]), int(lane["seat"])
        self._is_over = bool(lane["over"]) or not int(state["deal"])
        if not self._is_over:
            self._begin()

    # ---- the rules of play of a lane -----------------------------------------------------------------------------

    def _play_on(self, after: Any) -> bool:
        """Play until the lane stopped (True) or the deal is over (False)."""
        while self._state[0]["phase"] != _OVER:
            game = self._running()
            legal = game.legal_numbers()
            player = self._player_of(int(self._state[0]["actor"]))
            action = legal[0]
            if player is None:
                if len(legal) > 1 or not self._skips_forced:
                    # A window that was not offered was passed; play never comes back to the same position.
                    is_window = self._useful_calls and game.phase is core.Phase.CALL
                    if not is_window or self._state[0].tobytes() == after.tobytes():
                        self._asked = True
                        return True
                    action = core.PASS
            elif len(legal) > 1:
                if player == RANDOM:
                    action = legal[self._lot(len(legal))]
                elif player >= OUTSIDE:
                    return True
                else:
                    action = self._bot_action(player, game)
            self._act(action)
        return False

    def _player_of(self, actor: int) -> int | None:
        """Who plays a seat, None for the one that is asked."""
        if self._asks_all or actor == self._seat:
            return None
        return self._players[(actor - self._seat) % self._table.num_players]

    def _bot_action(self, bot: int, game: Game) -> int:
        # Bots draw nothing: the generator is not asked.
        return int(self._bots[bot].act(game.states, _LANE, game.mask()[None], np.random.default_rng(0))[0])

    def _lot(self, n: int) -> int:
        return int(core.random_below(self._lots, 0, n))

    def _running(self) -> Game:
        assert self.recorder.game is not None
        return self.recorder.game

    def _act(self, action: int) -> None:
        game = self._running()
        self.recorder.act(action)
        self._state[0] = game.states[0]

    def _deal(self, lane: NDArray[np.void], settings: Any) -> None:
        """Deal as the lane does, from the generators of its position and its own."""
        dealing = self._dealing
        lane[0]["rng"] = self._lots[0]["rng"]
        dealing.states[0], dealing.lanes[0] = self._state[0], lane[0]
        once = self._settings
        once[0] = settings
        dealing.reset(None, _for_dealing(once))
        self._state[0], lane[0] = dealing.states[0], dealing.lanes[0]
        self._lots[0]["rng"] = lane[0]["rng"]
        seat = int(settings["seat"])
        self._seat = seat if seat >= 0 else (int(lane[0]["dealer"]) + int(lane[0]["place"])) % self._table.num_players
        self._asked = self._is_over = False
        self._begin()

    def _begin(self) -> None:
        n, names = self._table.num_players, self._names
        seats = None if names is None else [names[(seat - self._seat) % n] for seat in range(n)]
        self.recorder.begin(game_at(self._state[0], self._table), seats=seats, seed=self._seed, lane=self._number)


def _for_dealing(settings: NDArray[np.void]) -> NDArray[np.void]:
    """Settings of self-play in which every decision is asked for, and which deal as these do."""
    made = settings.copy()
    for key, value in (("asks_all", 1), ("skips_forced", 0), ("useful_calls", 0), ("shaping", 0), ("is_float", 0)):
        made[0][key] = value
    made[0]["autoreset"] = Autoreset.NEXT_STEP
    made[0]["solver_at"] = -1
    return made
