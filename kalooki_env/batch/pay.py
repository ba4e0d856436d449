"""Rewards of a lane: what the end of a deal pays, and potential-based shaping on the way.

`s` is its STATE record, `t` its LANE record, `c` the SETTINGS, as in `kernels`.
"""

from __future__ import annotations

from kalooki_env.batch.layout import SCALE, RewardKind
from kalooki_env.batch.tables import seat_of_lane
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.observe.solver_piece import seat_distance

_ZERO_SUM, _WIN = int(RewardKind.ZERO_SUM), int(RewardKind.WIN)


@kernel
def note_potentials(s, t, r, feas, dist, c, rewards):
    """Shaping rewards of a decision: how far each potential rose since the last one; before the first they count for nothing.

    `rewards`: float64, one per seat or one.
    """
    for seat in range(i64(r["num_players"])):
        k = seat_of_lane(t, seat)
        if not i64(c["asks_all"]):
            if k != i64(t["seat"]):
                continue
            k = 0
        potential = -c["shaping"] * seat_distance(s, r, feas, dist, seat)
        if i64(t["asked"]):
            rewards[k] += potential - t["potential"][k]
        t["potential"][k] = potential


@kernel
def pay(s, t, r, c, lost, rewards, scores):
    """Rewards of the end of a deal, or of an illegal action that ends it; potentials are 0 then.

    `scores`: int64 (seats,) in self-play, written.
    """
    players = i64(r["num_players"])
    level = 0.0
    if not lost and i64(c["reward"]) == _ZERO_SUM:
        for seat in range(players):
            level += i64(s["scores"][seat])
        level /= players
    for seat in range(players):
        k = seat_of_lane(t, seat)
        if not i64(c["asks_all"]):
            if k != i64(t["seat"]):
                continue
            k = 0
        if lost:
            reward = c["illegal_reward"] if not i64(c["asks_all"]) or seat == i64(s["actor"]) else 0.0
        elif not i64(c["pays_deals"]):
            reward = 0.0
        elif i64(c["reward"]) == _WIN:
            reward = 1.0 if i64(s["winner"]) == seat else 0.0
        else:
            reward = (level - i64(s["scores"][seat])) / SCALE
        rewards[k] += reward + ((0.0 - t["potential"][k]) if c["shaping"] > 0 else 0.0)
        t["potential"][k] = 0.0
        if i64(c["asks_all"]):
            scores[k] = 0 if lost else i64(s["scores"][seat])
