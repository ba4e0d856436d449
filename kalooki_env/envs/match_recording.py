"""Records of matches in a lane of the batched environments: see `kalooki_env.envs.recording`, which does the same for deals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.play import Player
from kalooki_env.agents.scripted import BotAgent
from kalooki_env.batch.layout import DEAL, NOTHING, RESET, SHOW, STEP
from kalooki_env.envs.match_lanes import MatchLanes
from kalooki_env.envs.recording import Follower, check_recordable, lanes_to_record
from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine
from kalooki_env.game.game import Game
from kalooki_env.game.match import note_standing
from kalooki_env.game.match_score import MatchScore
from kalooki_env.observe.schema import Observation
from kalooki_env.records import RecordWriter, game_at
from kalooki_env.records.matches import begin_deal, note_ends
from kalooki_env.records.recorder import Policy


class RecordedMatchLanes(MatchLanes):
    """Lanes whose episodes are matches, one of which is recorded: the deals of several matches would lie across each other.

    Args:
        engine, layout, settings, count, reward, options: as for `MatchLanes`.
        path: the file.
        record_lanes: the lane.
        names: of who plays, clockwise from the seat that is asked; None in self-play.

    Raises:
        ConfigError: no such lane, or more than one.
    """

    def __init__(
        self,
        engine: Engine,
        layout: Observation,
        settings: NDArray[np.void],
        count: int,
        *,
        reward: Literal["deals", "win", "place", "stake"],
        path: str | Path,
        record_lanes: Any,
        names: Sequence[str] | None,
        **options: Any,
    ) -> None:
        chosen = lanes_to_record(record_lanes, count)
        if len(chosen) > 1:
            raise ConfigError(f"record_lanes {record_lanes!r} are not allowed with episode 'match'; allowed: one lane")
        super().__init__(engine, layout, settings, count, reward=reward, **options)
        self._chosen = chosen[0]
        self.writer = RecordWriter(path, engine.rules, engine.num_players)
        self._follower = _MatchFollower(self, self.writer, names)

    def _call(self, jobs: NDArray[np.uint8], actions: NDArray[np.int64], settings: NDArray[np.void]) -> int:
        lane = self._chosen
        before = self.states[lane : lane + 1].copy(), self.lanes[lane : lane + 1].copy()
        waiting = super()._call(jobs, actions, settings)
        if jobs[lane] not in (NOTHING, SHOW):
            after = self.states[lane], self.lanes[lane]
            self._follower.follow(int(jobs[lane]), int(actions[lane]), before, after, settings[0], self._seeds[lane])
        return waiting

    def score_of(self, lane: int) -> MatchScore:
        """Score of the match in a lane, before the deal that is played there."""
        return self._matches[lane].score

    def _check_restored(
        self, saved: dict[str, NDArray[Any]], states: NDArray[np.void], lanes: NDArray[np.void], was_reset: NDArray[np.bool_]
    ) -> Callable[[], None]:
        take = super()._check_restored(saved, states, lanes, was_reset)
        check_recordable(self, [self._chosen], states, lanes, was_reset)
        return take

    def restore(self, saved: dict[str, NDArray[Any]], name: str) -> None:
        """See `Lanes.restore`. What runs is abandoned; in the midst of a match the record goes on with the next one."""
        super().restore(saved, name)
        self._follower.restart(self.states[self._chosen], self.lanes[self._chosen], self._seeds[self._chosen])

    def note(self, lane: int, policy: Policy | None = None, value: float | None = None) -> None:
        """See `RecordedLanes.note`."""
        if lane != self._chosen:
            raise ConfigError(f"lane {lane!r} is not recorded; allowed: {self._chosen}")
        self._follower.recorder.note(policy, value)

    def close(self) -> None:
        """End the threads and the record."""
        super().close()
        if not self.writer.is_closed:
            self._follower.recorder.abandon("the environment was closed")
            self.writer.close()


class _MatchFollower(Follower):
    """Plays a lane of matches a second time: a call ends where a deal does, and the next deal begins with another call."""

    def __init__(self, lanes: RecordedMatchLanes, writer: RecordWriter, names: Sequence[str] | None) -> None:
        super().__init__(lanes, writer, None, names)
        self._lanes, self._writer = lanes, writer
        self._lane = lanes._chosen
        self._sits: tuple[int, ...] = ()
        self._waits = False  # for the next match
        self._at_tables: dict[tuple[int, int], Player] = {}

    def follow(
        self,
        job: int,
        action: int,
        before: tuple[NDArray[np.void], NDArray[np.void]],
        after: tuple[Any, Any],
        settings: Any,
        seed: int | None,
    ) -> None:
        """See `Follower.follow`."""
        lane = before[1][0]
        self._lots[0]["rng"] = lane["rng"]
        if job == RESET or (job == STEP and bool(lane["over"])):
            self.recorder.abandon("the environment was reset")
            return
        if self._waits:
            self._waits = job != DEAL or bool(self._lanes.score_of(self._lane).rows)
            if self._waits:
                return
        lost = False
        if job == DEAL:
            self._begin_next(lane)
        else:
            lost = self._carry_out(job, action)
        if not lost and not self._play_on(after[0]):
            score = self._lanes.score_of(self._lane)
            note_ends(self._writer, score, score.with_scores(score.by_seat(self._state[0]["scores"])))
        self._compare(after)

    def restart(self, state: Any, lane: Any, seed: int | None) -> None:
        """See `Follower.restart`. In a record a match has all its deals, so that one that has lost some is left out."""
        self.recorder.abandon("a saved state was restored")
        self._state[0] = state
        self._waits = bool(self._lanes.score_of(self._lane).rows)
        if not self._waits and not bool(lane["over"]) and int(state["deal"]) and state["phase"] != core.Phase.OVER:
            self._seat = int(lane["seat"])
            self._take_seats()
            self._start(game_at(self._state[0], self._lanes.table_of(self._lane)), int(lane["deal_seed"]))

    def _take_seats(self) -> None:
        deal = self._lanes.score_of(self._lane).next_deal
        assert deal is not None, "a deal is played"
        self._sits = deal.seats

    def _begin_next(self, lane: Any) -> None:
        """Deal as the lane does: its next deal is written down in it."""
        table = self._lanes.table_of(self._lane)
        seed = int(lane["deal_seed"])
        game = Game(
            table.rules,
            table.num_players,
            deal=int(lane["deal"]),
            dealer=int(lane["dealing"]),
            seed=seed,
            max_seats=table.max_seats,
        )
        note_standing(game.states[0], self._lanes.score_of(self._lane))
        self._seat = int(lane["seat"])
        self._take_seats()
        self._start(game, seed)

    def _start(self, game: Game, seed: int) -> None:
        self._state[0] = game.states[0]
        begin_deal(self._writer, game, self._lanes.score_of(self._lane), seed)

    def _player_of(self, actor: int) -> int | None:
        seat = self._sits[actor]
        return None if self._asks_all or seat == self._seat else self._players[(seat - self._seat) % len(self._players)]

    def _bot_action(self, bot: int, game: Game) -> int:
        key = bot, game.num_players
        if key not in self._at_tables:
            self._at_tables[key] = Player(BotAgent(bot), game.engine, f"bot {bot}")
        mask = game.mask()[None]
        return int(self._at_tables[key].act(game.states, np.zeros(1, np.int64), mask, np.random.default_rng(0))[0])
