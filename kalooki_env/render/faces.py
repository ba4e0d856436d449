"""Cards as images: suits are drawn as shapes, since fonts may lack them. Every face of a size is drawn once."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from kalooki_env.core import JOKER
from kalooki_env.render.boxes import BACK, Face
from kalooki_env.render.labels import FINE, font
from kalooki_env.rules import RANKS

Point = tuple[float, float]

PAPER, EDGE = "#fffdf7", "#7d786a"
BLACK, RED, PURPLE = "#16191b", "#c01530", "#6a2c91"
COURT = "#fbf1d3"
BACK_COLOUR, BACK_LINES = "#2b4a86", "#5d7cb8"
_SUIT_COLOURS = (BLACK, RED, RED, BLACK)
_COURT_LINES = ("#8d8f90", "#dd8c98", "#dd8c98", "#8d8f90")
#: Cards from this width on show as many pips as they have points; smaller ones a single large one.
_PIPS_FROM = 60
#: Where pips stand, by rank 2 to 10: columns and rows, from 0 to 1; those below the middle are upside down.
_LEFT, _MIDDLE, _RIGHT = 0.0, 0.5, 1.0
_CORNERS = [(_LEFT, 0.0), (_RIGHT, 0.0), (_LEFT, 1.0), (_RIGHT, 1.0)]
_SIDES = [(_LEFT, 0.5), (_RIGHT, 0.5)]
_EIGHT = [*_CORNERS, (_LEFT, 1 / 3), (_RIGHT, 1 / 3), (_LEFT, 2 / 3), (_RIGHT, 2 / 3)]
_PIPS: dict[int, list[Point]] = {
    2: [(_MIDDLE, 0.0), (_MIDDLE, 1.0)],
    3: [(_MIDDLE, 0.0), (_MIDDLE, 0.5), (_MIDDLE, 1.0)],
    4: _CORNERS,
    5: [*_CORNERS, (_MIDDLE, 0.5)],
    6: [*_CORNERS, *_SIDES],
    7: [*_CORNERS, *_SIDES, (_MIDDLE, 0.25)],
    8: [*_CORNERS, *_SIDES, (_MIDDLE, 0.25), (_MIDDLE, 0.75)],
    9: [*_EIGHT, (_MIDDLE, 0.5)],
    10: [*_EIGHT, (_MIDDLE, 1 / 6), (_MIDDLE, 5 / 6)],
}


class CardImage(NamedTuple):
    """A card of some size: its colours, mode RGB, and its outline, mode L."""

    image: Image.Image
    mask: Image.Image


@lru_cache(maxsize=2048)
def card_image(face: Face, width: int, height: int) -> CardImage:
    """A card."""
    size = FINE * width, FINE * height
    radius = round(0.09 * size[0])
    image = Image.new("RGB", size, EDGE)
    draw = ImageDraw.Draw(image)
    edge = FINE if width >= 24 else FINE // 2 + 1
    inner = edge, edge, size[0] - 1 - edge, size[1] - 1 - edge
    draw.rounded_rectangle(inner, max(radius - edge, 1), PAPER)
    if face.card == BACK:
        _draw_back(image, edge)
    elif face.card == JOKER:
        _draw_joker(draw, size, face, large=width >= _PIPS_FROM and face.stands_for is None)
    else:
        _draw_natural(image, face, large=width >= _PIPS_FROM)
    mask = Image.new("L", size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius, 255)
    return CardImage(image.reduce(FINE), mask.reduce(FINE))


def _draw_back(image: Image.Image, edge: int) -> None:
    """A lattice within a white rim."""
    draw = ImageDraw.Draw(image)
    width, height = image.size
    rim = edge + max(round(0.06 * width), 2)
    draw.rounded_rectangle((rim, rim, width - 1 - rim, height - 1 - rim), 0.05 * width, BACK_COLOUR)
    lattice = Image.new("L", image.size, 0)
    lines = ImageDraw.Draw(lattice)
    step, thick = max(width / 6, 6), max(round(width / 70), 1)
    for i in range(-int(height / step) - 1, int((width + height) / step) + 2):
        lines.line((i * step, 0, i * step + height, height), 255, thick)
        lines.line((i * step, 0, i * step - height, height), 255, thick)
    window = Image.new("L", image.size, 0)
    frame = rim + max(round(0.04 * width), 1)
    ImageDraw.Draw(window).rectangle((frame, frame, width - 1 - frame, height - 1 - frame), 255)
    black = Image.new("L", image.size, 0)
    image.paste(BACK_LINES, (0, 0, width, height), Image.composite(lattice, black, window))


def _draw_natural(image: Image.Image, face: Face, large: bool) -> None:
    draw = ImageDraw.Draw(image)
    width, height = image.size
    suit, rank = divmod(face.card, 13)
    colour = _SUIT_COLOURS[suit]
    if not large:
        _draw_glyph(draw, _name(rank), (0.21 * width, 0.17 * height), 0.19 * height, 0.28 * width, colour)
        _draw_suit(draw, suit, (0.21 * width, 0.39 * height), 0.25 * width)
        if not face.covered:
            _draw_suit(draw, suit, (0.71 * width, 0.7 * height), 0.44 * width)
        return
    _draw_glyph(draw, _name(rank), (0.135 * width, 0.115 * height), 0.13 * height, 0.17 * width, colour)
    _draw_suit(draw, suit, (0.135 * width, 0.255 * height), 0.15 * width)
    if face.covered:
        return
    # The lower half of the index is the upper one turned round.
    image.paste(image.rotate(180), (0, 0), _lower_half(image.size))
    pips = _PIPS.get(rank + 1)
    if pips is not None:
        for across, down in pips:
            middle = width * (0.35 + 0.3 * across), height * (0.16 + 0.68 * down)
            _draw_suit(draw, suit, middle, 0.2 * width, upside_down=down > 0.5)
    elif rank == 0:
        _draw_suit(draw, suit, (0.5 * width, 0.5 * height), 0.46 * width)
    else:
        frame = tuple(round(share * side) for share, side in zip((0.25, 0.1, 0.75, 0.9), (width, height) * 2, strict=True))
        draw.rounded_rectangle(frame, 0.05 * width, COURT, _COURT_LINES[suit], max(width // 80, 1))
        _draw_glyph(draw, _name(rank), (0.5 * width, 0.38 * height), 0.26 * height, 0.36 * width, colour)
        _draw_suit(draw, suit, (0.5 * width, 0.68 * height), 0.28 * width)


def _name(rank: int) -> str:
    """A rank as cards show it."""
    return "10" if RANKS[rank] == "T" else RANKS[rank]


@lru_cache(maxsize=16)
def _lower_half(size: tuple[int, int]) -> Image.Image:
    mask = Image.new("L", size, 0)
    ImageDraw.Draw(mask).rectangle((0, size[1] // 2, *size), 255)
    return mask


def _draw_joker(draw: ImageDraw.ImageDraw, size: tuple[int, int], face: Face, large: bool) -> None:
    """A star; in a run with the card that it stands for beneath."""
    width, height = size
    if large:
        _draw_star(draw, (0.14 * width, 0.1 * height), 0.1 * width)
        for i, letter in enumerate("JOKER"):
            _draw_glyph(draw, letter, (0.14 * width, (0.22 + 0.095 * i) * height), 0.07 * height, 0.12 * width, PURPLE)
        if not face.covered:
            _draw_star(draw, (0.56 * width, 0.5 * height), 0.3 * width)
        return
    _draw_star(draw, (0.22 * width, 0.15 * height), 0.17 * width)
    if not face.covered:
        _draw_star(draw, (0.71 * width, 0.7 * height), 0.23 * width)
    if face.stands_for is None:
        _draw_glyph(draw, "J", (0.21 * width, 0.36 * height), 0.12 * height, 0.2 * width, PURPLE)
        _draw_glyph(draw, "K", (0.21 * width, 0.53 * height), 0.12 * height, 0.2 * width, PURPLE)
    else:
        suit, rank = divmod(face.stands_for, 13)
        _draw_glyph(draw, _name(rank), (0.21 * width, 0.4 * height), 0.17 * height, 0.28 * width, _SUIT_COLOURS[suit])
        _draw_suit(draw, suit, (0.21 * width, 0.6 * height), 0.22 * width)


# ---- shapes ------------------------------------------------------------------------------------------------------


def _draw_glyph(draw: ImageDraw.ImageDraw, text: str, middle: Point, height: float, most: float, colour: str) -> None:
    """A rank with capitals of just this height, narrower if it would be too wide."""
    glyph = _glyph(text)
    tall = max(round(height), 1)
    wide = max(round(min(glyph.width * tall / glyph.height, most)), 1)
    left, top = round(middle[0] - wide / 2), round(middle[1] - tall / 2)
    draw.bitmap((left, top), glyph.resize((wide, tall), Image.Resampling.LANCZOS), colour)


@lru_cache(maxsize=32)
def _glyph(text: str) -> Image.Image:
    """A text, large, without anything around it."""
    size = 160
    image = Image.new("L", (3 * size, 2 * size), 0)
    ImageDraw.Draw(image).text((size // 2, size // 2), text, 255, font(size), stroke_width=5)
    box = image.getbbox()
    assert box is not None
    return image.crop(box)


def _draw_suit(draw: ImageDraw.ImageDraw, suit: int, middle: Point, size: float, upside_down: bool = False) -> None:
    """A suit that is as high and nearly as wide as its size."""
    sign = -size if upside_down else size

    def at(point: Point) -> Point:
        return middle[0] + sign * point[0], middle[1] + sign * point[1]

    colour = _SUIT_COLOURS[suit]
    for outline in _outlines(suit):
        draw.polygon([at(point) for point in outline], colour)


@lru_cache(maxsize=4)
def _outlines(suit: int) -> list[list[Point]]:
    """Polygons of a suit, the middle at 0, from -0.5 to 0.5."""
    stem = [(0.0, 0.05), (0.05, 0.3), (0.2, 0.5), (-0.2, 0.5), (-0.05, 0.3)]
    if suit == 0:
        return [[(x, 0.42 * 2 * -y - 0.08) for x, y in _heart()], stem]
    if suit == 1:
        return [_heart()]
    if suit == 2:
        return [[(0.0, -0.52), (0.19, -0.23), (0.4, 0.0), (0.19, 0.23), (0.0, 0.52), (-0.19, 0.23), (-0.4, 0.0), (-0.19, -0.23)]]
    return [_circle(0.0, -0.26), _circle(-0.25, 0.08), _circle(0.25, 0.08), _circle(0.0, 0.0, 0.12), stem]


def _heart() -> list[Point]:
    found = []
    for i in range(60):
        t = 2 * math.pi * i / 60
        x = 16 * math.sin(t) ** 3
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        found.append((x / 34, -(y + 2.5) / 29))
    return found


def _circle(x: float, y: float, radius: float = 0.235) -> list[Point]:
    turns = [2 * math.pi * i / 40 for i in range(40)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def _draw_star(draw: ImageDraw.ImageDraw, middle: Point, radius: float) -> None:
    points = []
    for i in range(10):
        length = radius if i % 2 == 0 else 0.42 * radius
        turn = math.pi * i / 5
        points.append((middle[0] + length * math.sin(turn), middle[1] - length * math.cos(turn)))
    draw.polygon(points, PURPLE)
