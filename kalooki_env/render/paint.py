"""Paints a plan: felt, panels, cards and words, from images that are made once."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from kalooki_env.render.boxes import CardMark, PaneMark, Plan
from kalooki_env.render.faces import card_image
from kalooki_env.render.labels import FINE, mask

_FELT_LIGHT, _FELT_DARK = (42, 126, 94), (24, 82, 60)


class _Style(NamedTuple):
    """How a rectangle looks: colours with their opacity, width of the outline, and radius of the corners."""

    fill: tuple[int, int, int, int]
    outline: tuple[int, int, int, int]
    line: int
    radius: int


_GOLD = (240, 199, 94)
_STYLES = {
    "bar": _Style((16, 48, 36, 255), (16, 48, 36, 255), 0, 0),
    "seat": _Style((8, 40, 28, 110), (255, 255, 255, 40), 1, 10),
    "seat_now": _Style((4, 28, 20, 150), (*_GOLD, 255), 2, 10),
    "meld": _Style((255, 255, 255, 28), (255, 255, 255, 0), 0, 6),
    "meld_now": _Style((*_GOLD, 70), (*_GOLD, 255), 1, 6),
    "tag": _Style((255, 255, 255, 40), (255, 255, 255, 0), 0, 8),
    "tag_gold": _Style((*_GOLD, 255), (*_GOLD, 255), 0, 8),
    "called": _Style((*_GOLD, 255), (*_GOLD, 255), 0, 8),
    "empty": _Style((255, 255, 255, 14), (255, 255, 255, 90), 1, 8),
}


def paint(plan: Plan) -> NDArray[np.uint8]:
    """The picture, uint8 (height, width, 3)."""
    image = _felt(plan.size).copy()
    for _, mark in plan.marks:
        box = mark.box
        if isinstance(mark, CardMark):
            card = card_image(mark.face, box.width, box.height)
            image.paste(card.image, box[:2], card.mask)
        elif isinstance(mark, PaneMark):
            pane = _pane(box.width, box.height, mark.style)
            image.paste(pane, box[:2], pane)
        else:
            image.paste(mark.colour, box, mask(mark.text, mark.size, mark.bold))
    return np.array(image)


@lru_cache(maxsize=8)
def _felt(size: tuple[int, int]) -> Image.Image:
    """Green, lighter in the middle."""
    width, height = size
    across = (np.arange(width) - 0.5 * width) / (0.62 * width)
    down = (np.arange(height) - 0.42 * height) / (0.62 * height)
    share = np.clip(np.sqrt(across[None, :] ** 2 + down[:, None] ** 2), 0, 1)[..., None]
    colours = np.array(_FELT_LIGHT) * (1 - share) + np.array(_FELT_DARK) * share
    return Image.fromarray(colours.round().astype(np.uint8))


@lru_cache(maxsize=1024)
def _pane(width: int, height: int, style: str) -> Image.Image:
    """A rectangle with round corners, mode RGBA."""
    look = _STYLES[style]
    size = FINE * width, FINE * height
    edge = Image.new("L", size, 0)
    inner = Image.new("L", size, 0)
    line, radius = FINE * look.line, min(FINE * look.radius, min(size) // 2)
    ImageDraw.Draw(edge).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius, 255)
    box = (line, line, size[0] - 1 - line, size[1] - 1 - line)
    ImageDraw.Draw(inner).rounded_rectangle(box, max(radius - line, 0), 255)
    outer, inside = (np.asarray(part.reduce(FINE), np.float64)[..., None] / 255 for part in (edge, inner))
    ring = outer - inside
    fill, outline = np.array(look.fill, np.float64), np.array(look.outline, np.float64)
    opacity = inside * fill[3] + ring * outline[3]
    colour = (inside * fill[3] * fill[:3] + ring * outline[3] * outline[:3]) / np.maximum(opacity, 1e-9)
    return Image.fromarray(np.concatenate([colour, opacity], axis=2).round().astype(np.uint8))
