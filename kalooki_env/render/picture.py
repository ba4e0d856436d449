"""A table as a picture, from a VIEW: what one seat may see. Hidden cards only with an explicit `reveal`. Needs Pillow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine


def picture_size(num_players: int) -> tuple[int, int]:
    """Width and height of the picture of a table, in pixels: the smallest that has room for everything."""
    return (960, 640) if num_players <= 4 else (1280, 800)


def require_pillow() -> None:
    """Refuse to go on without Pillow.

    Raises:
        ConfigError: it is not there.
    """
    try:
        from kalooki_env.render import paint  # noqa: F401
    except ImportError as error:
        raise ConfigError("render_mode 'rgb_array' needs Pillow: pip install 'kalooki_env[render]'") from error


def table_picture(
    view: Any,
    table: Engine,
    *,
    legal: Iterable[str] = (),
    reveal: Any = None,
    heading: str = "",
    size: tuple[int, int] | None = None,
) -> NDArray[np.uint8]:
    """What a seat sees of its table.

    The same arguments give the same bytes, whatever was drawn before.

    Args:
        view: VIEW record of the observer.
        table: engine of the table.
        legal: texts of the observer's legal actions, if they are to be shown.
        reveal: STATE record; if given, all hands are shown.
        heading: a line about the match.
        size: width and height in pixels, at least `picture_size` of the table, which is the default.

    Returns:
        uint8 (height, width, 3).

    Raises:
        ConfigError: no Pillow, or a picture that is too small.
    """
    require_pillow()
    from kalooki_env.render.paint import paint
    from kalooki_env.render.plan import plan_table

    least = picture_size(table.num_players)
    width, height = least if size is None else size
    if width < least[0] or height < least[1]:
        raise ConfigError(
            f"a picture of {width} by {height} is not allowed for {table.num_players} players; "
            f"allowed: {least[0]} by {least[1]} or more"
        )
    return paint(plan_table(view, table, (width, height), legal=legal, reveal=reveal, heading=heading))
