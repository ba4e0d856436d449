"""Lines of text as images, in the font that Pillow brings along, so that they are the same on every machine."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

#: Everything is drawn this many times as large, and then made smaller: edges are smooth, and distances between letters even.
FINE = 4
#: The smallest size of text; what does not fit then is cut.
LEAST = 8
_CUT = "…"


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    """The font in a size, in pixels.

    Raises:
        ImportError: a Pillow without FreeType.
    """
    found = ImageFont.load_default(size)
    if not isinstance(found, ImageFont.FreeTypeFont):
        raise ImportError("this Pillow was built without FreeType", name="PIL")
    # The other layout engine is there on some machines only, and places letters otherwise.
    return found.font_variant(layout_engine=ImageFont.Layout.BASIC)


def height_of(size: int) -> int:
    """Height of a line."""
    return round(1.25 * size)


@lru_cache(maxsize=8192)
def width_of(text: str, size: int, bold: bool = False) -> int:
    """Width of a line, rounded up."""
    return -int(-(font(FINE * size).getlength(text) + 2 * bold) // FINE) + 1


def fitted(text: str, size: int, width: int, bold: bool = False) -> tuple[str, int]:
    """A text and its size, so that it is no wider than it may be: first it gets smaller, then its end is cut off."""
    while size > LEAST and width_of(text, size, bold) > width:
        size -= 1
    if width_of(text, size, bold) <= width:
        return text, size
    while text and width_of(text + _CUT, size, bold) > width:
        text = text[:-1].rstrip()
    return (text + _CUT if text else ""), size


@lru_cache(maxsize=4096)
def mask(text: str, size: int, bold: bool) -> Image.Image:
    """A line as an image of its opacity, mode L, `width_of` by `height_of`."""
    width, height = FINE * width_of(text, size, bold), FINE * height_of(size)
    image = Image.new("L", (width, height), 0)
    base = round(0.98 * FINE * size)
    ImageDraw.Draw(image).text((int(bold), base), text, 255, font(FINE * size), anchor="ls", stroke_width=int(bold))
    return image.reduce(FINE)
