"""`MatchLanes`: lanes whose episodes are whole matches. Compiled code plays the deals; what follows one is decided here.

A lane stops where a deal ends. `MatchEpisode`, as in the AEC environment, enters the scores and says what comes next; the lane is
told the next deal, its table and who sits there, and goes on in the same call.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.play import Player
from kalooki_env.batch.lanes import Lanes
from kalooki_env.batch.layout import BEGIN, DEAL, LOST, SHOW, Autoreset
from kalooki_env.batch.tables import draw_place
from kalooki_env.envs.match import MatchEpisode
from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.match import note_standing
from kalooki_env.game.match_score import table_rules
from kalooki_env.game.saved import UNREADABLE, not_saved
from kalooki_env.observe.schema import Observation


class MatchLanes(Lanes):
    """Lanes whose episodes are matches.

    Seats are those of the match, also where a smaller table plays a sudden death. A match that ends before the seat that is asked
    had a decision is not shown. Rewards of deals before its first decision are given with those of that decision.

    Args:
        engine, layout, settings, count, options: as for `Lanes`; the engine is that of the table of all seats.
        reward: what is paid, and when; `match_reward` of `raw_env`.

    Attributes:
        standing: where the matches stand, names as in `MatchEpisode.standing`: (N,) or (N, seats).
        final_standing: the same, of matches that ended in the last call, where others have begun since.
    """

    def __init__(
        self,
        engine: Engine,
        layout: Observation,
        settings: NDArray[np.void],
        count: int,
        *,
        reward: Literal["deals", "win", "place", "stake"],
        **options: Any,
    ) -> None:
        super().__init__(engine, layout, settings, count, **options)
        rules, seats = engine.rules, engine.num_players
        self._pays_end = reward != "deals"
        self._asks_all = bool(settings[0]["asks_all"])
        self._same_step = bool(settings[0]["autoreset"] == Autoreset.SAME_STEP)
        self._matches = [MatchEpisode(rules, seats, engine.max_seats, reward) for _ in range(count)]
        self._new_seeds: list[int | None] = [None] * count  # of seeded lanes, until their first match begins
        self._tables = _tables(engine)
        self._rules = np.concatenate([self._tables.get(size, engine).record for size in range(seats)])
        self._players: dict[tuple[int, int], Player] = {}
        self.standing = {
            name: np.zeros((count, *np.shape(value)), np.float64 if name == "chips" else np.int64)
            for name, value in self._matches[0].standing().items()
        }
        self.final_standing = {name: np.zeros_like(values) for name, values in self.standing.items()}

    # ---- what follows a deal -------------------------------------------------------------------------------------

    def seed(self, seeds: Any) -> None:
        """See `Lanes.seed`. The seed is that of the first match that follows, too."""
        super().seed(seeds)
        self._new_seeds = [old if new is None else new for old, new in zip(self._new_seeds, seeds, strict=True)]

    def _go_on(self, settings: NDArray[np.void]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        jobs, actions = super()._go_on(settings)
        waits = self.lanes["waits_for"]
        due = np.flatnonzero(waits < 0)
        if len(due):
            dealer, seat = int(settings[0]["dealer"]), int(settings[0]["seat"])
            for lane, code in zip(due.tolist(), waits[due].tolist(), strict=True):
                jobs[lane] = self._begin(lane, dealer, seat) if code == BEGIN else self._after(lane, code == LOST, dealer, seat)
        return jobs, actions

    def _begin(self, lane: int, dealer: int, seat: int) -> int:
        """Begin a match. Dealer and seat: those of the settings, -1 for ones that move on. Returns the lane's job."""
        own, seats = self.lanes, self.engine.num_players
        before = int(own["dealer"][lane])
        first = dealer if dealer >= 0 else None if before < 0 else (before + 1) % seats
        seed, self._new_seeds[lane] = self._new_seeds[lane], None
        if seed is None:
            seed = int(core.random_below(self.states, lane, 2**31))
        first = self._matches[lane].begin(seed, first)
        own["dealer"][lane] = first
        if not self._asks_all:
            if seat < 0:
                place = int(own["place"][lane])
                place = int(draw_place(own, lane, seats)) if place < 0 else (place + 1) % seats
                own["place"][lane] = place
                seat = (first + place) % seats
            own["seat"][lane] = seat
        for name in ("over", "asked", "potential", "owed"):
            own[name][lane] = 0
        return self._deal(lane)

    def _deal(self, lane: int) -> int:
        """Tell the lane which deal comes next, and who plays it."""
        own, match = self.lanes, self._matches[lane]
        deal = match.deal
        own["table"][lane] = 0
        if len(deal.seats) < self.engine.num_players:
            own["table"][lane] = len(deal.seats)
            own["of_match"][lane, : len(deal.seats)] = deal.seats
            own["at_table"][lane] = -1
            own["at_table"][lane, list(deal.seats)] = range(len(deal.seats))
        own["deal"][lane] = deal.number
        own["dealing"][lane] = deal.seats.index(deal.dealer)
        own["deal_seed"][lane] = match.deal_seed
        note_standing(self.states[lane], match.score)
        self._note(lane)
        return DEAL

    def _after(self, lane: int, lost: bool, dealer: int, seat: int) -> int:
        """What follows the end of a deal: the next one, or the end of the match; so does an illegal action that loses."""
        own, match = self.lanes, self._matches[lane]
        paid: list[float] = []
        if not lost:
            paid = match.add(self.states[lane], [])
            if not match.is_over:
                return self._deal(lane)
        if not own["asked"][lane]:
            own["skipped"][lane] += 1
            return self._begin(lane, dealer, seat)
        if paid and self._pays_end:
            self.rewards[lane] += paid if self._asks_all else paid[int(own["seat"][lane])]
        own["over"][lane], own["n"][lane], own["waits_for"][lane] = 1, 0, 0
        self.over[lane] = True
        self._note(lane)
        if not self._same_step:
            return SHOW
        for name, values in self.standing.items():
            self.final_standing[name][lane] = values[lane]
        own["was_illegal"][lane] = 0
        return self._begin(lane, dealer, seat)

    def _note(self, lane: int) -> None:
        for name, value in self._matches[lane].standing().items():
            self.standing[name][lane] = value

    def _ask(self, number: int, which: NDArray[np.int64], masks: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        tables = self.lanes["table"][which]
        for size in np.unique(tables).tolist():
            some = tables == size
            lanes = which[some]
            actions[lanes] = self._player(number, size).act(self.states, lanes, masks[some], self._rng)

    def _player(self, number: int, size: int) -> Player:
        """An outside agent at a table: a copy for each smaller one, since agents prepare themselves for a table."""
        player = self._outside[number]
        if not size:
            return player
        if (number, size) not in self._players:
            self._players[number, size] = Player(copy.copy(player.agent), self._tables[size], player.name)
        return self._players[number, size]

    def engine_of(self, size: int) -> Engine:
        """See `Lanes.engine_of`."""
        return self._tables.get(size, self.engine)

    # ---- what is told --------------------------------------------------------------------------------------------

    def told(self) -> dict[str, NDArray[Any]]:
        """See `Lanes.told`: as the infos of the AEC environment, of the seat that is asked; in self-play of all, (N, seats)."""
        return self._told(super().told(), self.standing, np.arange(self.count))

    def last_told(self, ended: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """See `Lanes.last_told`."""
        return self._told(super().last_told(ended), self.final_standing, ended)

    def _told(
        self, found: dict[str, NDArray[Any]], standing: dict[str, NDArray[Any]], rows: NDArray[np.int64]
    ) -> dict[str, NDArray[Any]]:
        by_seat = {"score": "scores", "total": "totals", "place": "places", "chips": "chips"}
        seats = slice(None) if self._asks_all else found["seat"]
        picked = {name: standing[many][rows, seats] for name, many in by_seat.items()}
        for name in ("deal", "winner", "blocked", "turns", "match", "match_deal"):
            found[name] = standing[name][rows]
        totals = standing["totals"][rows]
        return found | {"score": picked["score"], "total": picked["total"], "totals": totals, **picked}

    def heading(self, lane: int) -> str:
        """A line for pictures of the table; see `MatchEpisode.heading`."""
        return self._matches[lane].heading()

    # ---- saving --------------------------------------------------------------------------------------------------

    def _saved_more(self) -> dict[str, NDArray[Any]]:
        matches = json.dumps([match.saved() for match in self._matches])
        return {"matches": np.frombuffer(matches.encode(), np.uint8).copy()}

    def _check_restored(
        self, saved: dict[str, NDArray[Any]], states: NDArray[np.void], lanes: NDArray[np.void], was_reset: NDArray[np.bool_]
    ) -> Callable[[], None]:
        try:
            parts = json.loads(np.asarray(saved["matches"], np.uint8).tobytes())
            matches = [copy.copy(self._matches[0]) for _ in parts]
            for match, part in zip(matches, parts, strict=True):
                match.restore(part)
        except UNREADABLE as error:
            raise not_saved(error) from error
        if len(matches) != self.count:
            raise ConfigError(f"{len(matches)} matches in a state for {self.count} lanes")
        told, standing = _told_by(matches, self.engine.num_players)
        is_over = np.array([match.is_over for match in matches])
        self._check_lanes(states, lanes, was_reset, told, standing, is_over)

        def take() -> None:
            self._matches = matches
            for lane in range(self.count):
                self._note(lane)
            self._new_seeds = [None] * self.count

        return take


def _told_by(matches: Sequence[MatchEpisode], seats: int) -> tuple[dict[str, NDArray[np.int64]], dict[str, NDArray[np.int64]]]:
    """What matches say of their lanes: what fields of LANE and of STATE must be; see `batch.sound.check_lanes`."""
    count = len(matches)
    told = {name: np.zeros(count, np.int64) for name in ("dealer", "table", "deal", "dealing", "deal_seed")}
    told |= {name: np.zeros((count, core.SEATS), np.int64) for name in ("at_table", "of_match")}
    standing = {"match_deal": np.zeros(count, np.int64), "totals": np.zeros((count, core.SEATS), np.int64)}
    for lane, match in enumerate(matches):
        deal, before = match.on_table()
        told["dealer"][lane] = before.first_dealer
        told["deal"][lane] = deal.number
        told["dealing"][lane] = deal.seats.index(deal.dealer)
        told["deal_seed"][lane] = match.deal_seed_after(len(before.rows))
        if len(deal.seats) < seats:
            told["table"][lane] = len(deal.seats)
            told["of_match"][lane, : len(deal.seats)] = deal.seats
            told["at_table"][lane] = -1
            told["at_table"][lane, list(deal.seats)] = range(len(deal.seats))
        standing["match_deal"][lane] = deal.ordinal
        standing["totals"][lane, : len(deal.seats)] = [before.totals[seat] for seat in deal.seats]
    return told, standing


def _tables(table: Engine) -> dict[int, Engine]:
    """Engines of the tables of fewer seats, by their number, that sudden deaths may be played at (J13.2)."""
    rules, seats = table.rules, table.num_players
    sizes = range(2, seats) if rules.tie_break == "sudden_death" else ()
    return {size: engine(table_rules(rules, seats, size), size, table.max_seats) for size in sizes}
