"""`expert` in Kaluki. Placeholder of the first slice: as `greedy`."""

from __future__ import annotations

from kalooki_env.agents.kaluki_greedy import kaluki_greedy_action
from kalooki_env.core.compiled import kernel


@kernel
def kaluki_expert_action(v, mask, r, scratch):
    """The expert's choice."""
    return kaluki_greedy_action(v, mask, r, scratch)
