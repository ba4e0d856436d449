"""The compiled bots by number: for scripted agents, for play-outs, and for seats that are played inside a batch."""

from __future__ import annotations

from kalooki_env.agents.expert import SCRATCH, expert_action
from kalooki_env.agents.expert_v2 import expert_v2_action
from kalooki_env.agents.greedy import greedy_action
from kalooki_env.agents.kaluki_expert import kaluki_expert_action
from kalooki_env.agents.kaluki_greedy import kaluki_greedy_action
from kalooki_env.core.compiled import i64, kernel

#: Who decides. In Kaluki both experts are one.
GREEDY, EXPERT, EXPERT_V2 = 0, 1, 2

__all__ = ["EXPERT", "EXPERT_V2", "GREEDY", "SCRATCH", "bot_action", "bot_actions"]


@kernel
def bot_action(bot, v, mask, r, feas, dist, scratch):
    """The choice of a bot by its number.

    Args:
        bot: GREEDY, EXPERT or EXPERT_V2.
        v: VIEW record of the seat to move.
        mask: int8 (num_actions,).
        r: RULES record.
        feas, dist: the solver's tables.
        scratch: uint8 (SCRATCH, 53).
    """
    if i64(r["kaluki"]):
        if bot == GREEDY:
            return kaluki_greedy_action(v, mask, r, scratch)
        return kaluki_expert_action(v, mask, r, scratch)
    if bot == GREEDY:
        return i64(greedy_action(v, mask, r, feas, dist, scratch))
    if bot == EXPERT:
        return i64(expert_action(v, mask, r, feas, dist, scratch))
    return i64(expert_v2_action(v, mask, r, feas, dist, scratch))


@kernel
def bot_actions(bot, views, masks, rules, feas, dist, scratch, actions):
    """`bot_action` for many views. `actions`: int64 (n,), written."""
    for i in range(views.shape[0]):
        actions[i] = bot_action(bot, views[i], masks[i], rules[0], feas, dist, scratch)
