"""What stands where in a picture: rectangles, what is drawn in them, and rows of things that must fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

#: Face number of a card that lies face down.
BACK = -1
#: Height of a card, where its width is 1.
ASPECT = 1.4


class Box(NamedTuple):
    """A rectangle in pixels; right and bottom are the first that do not belong to it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Width in pixels."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Height in pixels."""
        return self.bottom - self.top

    def inset(self, across: int, down: int | None = None) -> Box:
        """Smaller by some pixels on each side."""
        down = across if down is None else down
        return Box(self.left + across, self.top + down, self.right - across, self.bottom - down)

    def overlaps(self, other: Box) -> bool:
        """Whether they share a pixel."""
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        """Whether the other lies wholly inside."""
        return self.left <= other.left and self.top <= other.top and other.right <= self.right and other.bottom <= self.bottom

    def split_top(self, height: int, gap: int = 0) -> tuple[Box, Box]:
        """The topmost rows, and what is below them."""
        return self._replace(bottom=self.top + height), self._replace(top=self.top + height + gap)

    def split_left(self, width: int, gap: int = 0) -> tuple[Box, Box]:
        """The leftmost columns, and what is right of them."""
        return self._replace(right=self.left + width), self._replace(left=self.left + width + gap)


class Face(NamedTuple):
    """What a card shows.

    Attributes:
        card: card number, or `BACK`.
        stands_for: of a joker in a run, the card that it stands for.
        covered: another card lies on most of it, and all that is seen is its left edge.
    """

    card: int
    stands_for: int | None = None
    covered: bool = False


class CardMark(NamedTuple):
    """A card."""

    box: Box
    face: Face


class TextMark(NamedTuple):
    """A line of text that fits its box."""

    box: Box
    text: str
    size: int
    colour: str
    bold: bool


class PaneMark(NamedTuple):
    """A rectangle with round corners, in a style of the painter."""

    box: Box
    style: str


Mark: TypeAlias = CardMark | TextMark | PaneMark


@dataclass
class Plan:
    """A whole picture before it is painted.

    Attributes:
        size: width and height.
        panels: parts of the picture, by name; they do not overlap.
        groups: parts of panels, by name; they do not overlap either. What is drawn in one group may: cards in a fan do.
        marks: what is drawn, in this order, with the name of the panel or group that it stays in.
    """

    size: tuple[int, int]
    panels: dict[str, Box] = field(default_factory=dict)
    groups: dict[str, Box] = field(default_factory=dict)
    marks: list[tuple[str, Mark]] = field(default_factory=list)

    def panel(self, name: str, box: Box, style: str | None) -> None:
        """Add a panel, drawn in a style or not at all."""
        self.panels[name] = box
        if style is not None:
            self.marks.append((name, PaneMark(box, style)))

    def group(self, name: str, box: Box, style: str | None = None) -> None:
        """Add a group, drawn in a style or not at all."""
        self.groups[name] = box
        if style is not None:
            self.marks.append((name, PaneMark(box, style)))

    def put(self, name: str, mark: Mark) -> None:
        """Draw something in a panel or group."""
        self.marks.append((name, mark))


def card_width(height: int) -> int:
    """Width of a card of some height."""
    return max(round(height / ASPECT), 1)


def fan(faces: Sequence[Face], box: Box, height: int, steps: Sequence[float]) -> list[CardMark]:
    """Cards in a row that overlap, from the upper left corner of a box.

    Args:
        faces: what they show.
        box: where they lie; in its width they always fit.
        height: of a card.
        steps: from each card on to the next, if there is room; else all are smaller in the same proportion.
    """
    width = card_width(height)
    last = len(faces) - 1
    room = sum(steps[:last]) if last > 0 else 0.0
    shrink = min(1.0, (box.width - width) / room) if room else 1.0
    found = []
    left = float(box.left)
    for i, (face, step) in enumerate(zip(faces, steps, strict=True)):
        place = Box(int(left), box.top, int(left) + width, box.top + height)
        found.append(CardMark(place, face._replace(covered=i < last and shrink * step < 0.7 * width)))
        left += shrink * step
    return found


def flow(sizes: Sequence[tuple[int, int]], box: Box, gap: int) -> list[Box] | None:
    """Rectangles in rows from the left and the top, like words in a text; None if there is no room for all."""
    found = []
    left, top, row = box.left, box.top, 0
    for width, height in sizes:
        if left > box.left and left + width > box.right:
            left, top, row = box.left, top + row + gap, 0
        if left + width > box.right or top + height > box.bottom:
            return None
        found.append(Box(left, top, left + width, top + height))
        left += width + gap
        row = max(row, height)
    return found


def centred(boxes: Sequence[Box], within: Box) -> list[Box]:
    """Boxes of a flow, each row moved into the middle."""
    found = []
    for one in boxes:
        rights = [box.right for box in boxes if box.top == one.top]
        shift = (within.right - max(rights)) // 2
        found.append(one._replace(left=one.left + shift, right=one.right + shift))
    return found


Align: TypeAlias = Literal["left", "centre", "right"]


def aligned(box: Box, width: int, height: int, align: Align) -> Box:
    """A rectangle of some size in a box: in the middle of its height, and left, right or in the middle of its width."""
    space = box.width - width
    left = box.left + {"left": 0, "centre": space // 2, "right": space}[align]
    top = box.top + (box.height - height) // 2
    return Box(left, top, left + width, top + height)
