"""What `render` gives, in all environments: the table as one seat sees it, as text or as a picture."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.batch.lanes import Lanes
from kalooki_env.envs.match_lanes import MatchLanes
from kalooki_env.errors import EnvironmentStateError
from kalooki_env.game.engine import Engine
from kalooki_env.game.notation import action_text
from kalooki_env.render.picture import picture_size, require_pillow, table_picture
from kalooki_env.render.text import table_text
from kalooki_env.values import one_of

RenderMode: TypeAlias = Literal["ansi", "human", "rgb_array"]
#: Modes of an environment with one table; one with many tables prints nothing.
ONE_TABLE: tuple[RenderMode, ...] = ("ansi", "human", "rgb_array")
MANY_TABLES: tuple[RenderMode, ...] = ("ansi", "rgb_array")


def render_mode_of(mode: Any, modes: Sequence[RenderMode]) -> RenderMode | None:
    """A render mode that an environment has, or None.

    Raises:
        ConfigError: no such mode, or one that needs a package which is not there.
    """
    found: RenderMode | None = one_of("render_mode", mode, (None, *modes))
    if found == "rgb_array":
        require_pillow()
    return found


def require_mode(mode: Any, modes: Sequence[RenderMode]) -> RenderMode:
    """The mode of an environment that is asked to render.

    Raises:
        EnvironmentStateError: it has none.
        ConfigError: its attribute was set to something that is no mode.
    """
    if mode is None:
        names = " or ".join(f"render_mode={name!r}" for name in modes)
        raise EnvironmentStateError(f"render without a mode: make the environment with {names}")
    found: RenderMode = one_of("render_mode", mode, modes)
    return found


def rendered(
    mode: RenderMode,
    view: Any,
    table: Engine,
    *,
    legal: Sequence[str],
    reveal: Any = None,
    heading: str = "",
    seats: int | None = None,
) -> str | NDArray[np.uint8] | None:
    """The table in a mode.

    Args:
        mode: the mode.
        view: VIEW record of the observer.
        table: engine of the table.
        legal: texts of the legal actions.
        reveal: STATE record, if all hands are to be shown.
        heading: a line about the match.
        seats: seats of the environment, where the table may be a smaller one: pictures are all of one size.

    Returns:
        A text in mode `ansi`; uint8 (height, width, 3) in mode `rgb_array`; None in mode `human`, which prints.
    """
    if mode == "rgb_array":
        size = picture_size(table.num_players if seats is None else seats)
        return table_picture(view, table, legal=legal, reveal=reveal, heading=heading, size=size)
    text = heading + table_text(view, table, legal=legal, reveal=reveal)
    if mode == "ansi":
        return text
    sys.stdout.write(text + "\n")
    return None


def rendered_lane(mode: RenderMode, lanes: Lanes, lane: int, reveal: bool) -> str | NDArray[np.uint8] | None:
    """The table of a lane as the seat that is asked there sees it. Results as for `rendered`.

    Raises:
        EnvironmentStateError: before `reset`.
    """
    table, state, own = lanes.table_of(lane), lanes.states[lane], lanes.lanes[lane]
    if not state["deal"]:
        raise EnvironmentStateError("render before reset: call reset() first")
    views = np.zeros(1, core.VIEW)
    seat = int(own["at_table"][own["seat"]] if own["table"] else own["seat"])
    if seat < 0:  # a match that has ended without it
        seat = int(state["actor"])
    core.views_of_lanes(lanes.states, table.record, np.array([lane]), np.array([seat]), views)
    return rendered(
        mode,
        views[0],
        table,
        legal=[action_text(int(action), state, table) for action in own["legal"][: own["n"]]],
        reveal=state if reveal else None,
        heading=lanes.heading(lane) if isinstance(lanes, MatchLanes) else "",
        seats=lanes.engine.num_players,
    )
