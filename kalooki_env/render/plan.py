"""From a VIEW to a plan of the picture: the observer's seat below, the others clockwise around, stock and pile in the middle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import Meld, meld_in_slot
from kalooki_env.game.notation import meld_name, slots_of
from kalooki_env.game.position import pile_cards
from kalooki_env.render import words
from kalooki_env.render.boxes import (
    ASPECT,
    BACK,
    Align,
    Box,
    CardMark,
    Face,
    PaneMark,
    Plan,
    TextMark,
    aligned,
    card_width,
    centred,
    fan,
    flow,
)
from kalooki_env.render.labels import LEAST, fitted, height_of, width_of

WHITE, SOFT, GOLD_INK, DARK_INK = "#ffffff", "#c4dccf", "#f0c75e", "#332600"
#: Colours of the words in labels, by style.
_TAG_INK = {words.PLAIN: WHITE, words.GOLD: DARK_INK}
_MARGIN = 8
_PAD = 8
_BAR = 44
_HEADER = 21
#: Width of what is seen of a card in a fan whose next card covers it, of its whole width.
_SEEN = 0.46
#: Largest heights of a card in a meld and in a hand of few cards that lie side by side.
_MOST_MELD, _HAND = 78, 104
#: Height that the middle takes up at most.
_MOST_CENTRE = 320
#: Most cards of the pile that are shown; the others lie under them.
_PILE_SHOWN = 6


def plan_table(
    view: Any, table: Engine, size: tuple[int, int], *, legal: Iterable[str] = (), reveal: Any = None, heading: str = ""
) -> Plan:
    """The picture of a table, before it is painted. Arguments as for `table_picture`."""
    n = table.num_players
    observer = int(view["observer"])
    plan = Plan(size)
    bar, own, centre, others = regions(n, size)
    _plan_bar(plan, bar, view, table, heading)
    legal = list(legal)
    for i, box in enumerate(others, start=1):
        seat = (observer + i) % n
        _plan_seat(plan, box, seat, view, table, reveal)
    _plan_centre(plan, centre, view, table, legal)
    _plan_own(plan, own, view, table, reveal, {text.removeprefix("place ") for text in legal if text.startswith("place ")})
    return plan


def regions(num_players: int, size: tuple[int, int]) -> tuple[Box, Box, Box, list[Box]]:
    """Parts of the picture: the bar on top, the observer's seat, the middle, and the other seats, clockwise."""
    width, height = size
    bar = Box(0, 0, width, _BAR)
    own_height = round(0.27 * height)
    own = Box(_MARGIN, height - _MARGIN - own_height, width - _MARGIN, height - _MARGIN)
    area = Box(_MARGIN, _BAR + _MARGIN, width - _MARGIN, own.top - _MARGIN)
    on_a_side, above = divmod(num_players - 1, 2)
    side = round(0.325 * area.width) if on_a_side else -_MARGIN  # with none, the middle takes up their margins too
    left, rest = area.split_left(side, _MARGIN)
    middle, right = rest.split_left(rest.width - side - _MARGIN, _MARGIN)
    others = _column(left, on_a_side)[::-1]
    if above:
        top, middle = middle.split_top(round(0.46 * middle.height), _MARGIN)
        others.append(top)
    return bar, own, middle, others + _column(right, on_a_side)


def _column(box: Box, count: int, gap: int = _MARGIN) -> list[Box]:
    """Boxes of equal height from top to bottom."""
    found = []
    for i in range(count):
        height = (box.height - gap * (count - 1)) // count
        top = box.top + i * (height + gap)
        found.append(Box(box.left, top, box.right, top + height))
    return found


# ---- parts of the picture ----------------------------------------------------------------------------------------


def _plan_bar(plan: Plan, box: Box, view: Any, table: Engine, heading: str) -> None:
    plan.panel("bar", box, "bar")
    left, right = box.inset(12, 3).split_left(round(0.68 * box.width), 10)
    above, below = left.split_top(22)
    _line(plan, "deal", above, words.deal_title(view, table), 16, WHITE, "left", bold=True)
    _line(plan, "heading", below, heading.strip() or f"dealer {seat_name(int(view['dealer']))}", 12, SOFT, "left")
    above, below = right.split_top(22)
    _line(plan, "turns", above, words.turn_text(view, table), 14, WHITE, "right")
    _line(plan, "rules", below, str(table.rules), 12, SOFT, "right")


def _plan_seat(plan: Plan, box: Box, seat: int, view: Any, table: Engine, reveal: Any) -> None:
    """Another seat: its name, what is known of its hand, and its melds."""
    name = seat_name(seat)
    plan.panel(name, box, _seat_style(view, seat))
    header, rest = box.inset(_PAD, 6).split_top(_HEADER, 4)
    _plan_tags(plan, f"{name} tags", header, [(name, None), *words.seat_tags(view, seat)], 12, LEAST, in_header=True)
    strip, rest = rest.split_top(min(max(round(0.2 * box.height), 26), 58), 5)
    facts = words.seat_facts(view, seat)
    width = max(width_of(fact, 12) for fact in facts)
    hand, side = strip.split_left(strip.width - width - 8, 8)
    for i, (fact, line) in enumerate(zip(facts, _column(side, len(facts), 0), strict=True)):
        _line(plan, f"{name} fact {i}", line, fact, 12, SOFT, "right")
    _plan_strip(plan, f"{name} hand", hand, _hand_of(seat, view, reveal))
    _plan_melds(plan, rest, seat, view, table)


def _plan_own(plan: Plan, box: Box, view: Any, table: Engine, reveal: Any, placeable: set[str]) -> None:
    """The observer's seat: all of its hand, large, and beside it its melds once there are any."""
    seat = int(view["observer"])
    name = seat_name(seat)
    plan.panel(name, box, _seat_style(view, seat))
    header, rest = box.inset(_PAD, 6).split_top(_HEADER, 6)
    facts = ", ".join(words.seat_facts(view, seat))
    left, right = header.split_left(header.width - width_of(facts, 12) - 10, 10)
    own_name = name + (" (you)" if reveal is None else "")
    _plan_tags(plan, f"{name} tags", left, [(own_name, None), *words.seat_tags(view, seat)], 12, LEAST, in_header=True)
    _line(plan, f"{name} facts", right, facts, 12, SOFT, "right")
    if any(meld_in_slot(view, slot) for slot in slots_of(seat, view, table)):
        wanted = int(view["hand_n"][seat]) * (card_width(_HAND) + 5)
        rest, melds = rest.split_left(min(wanted, round(0.5 * rest.width)), 2 * _PAD)
        _plan_melds(plan, melds, seat, view, table)
    _plan_hand(plan, f"{name} hand", rest, _cards(view["hand"]), {CARD_NAMES.index(card) for card in placeable})


def _plan_centre(plan: Plan, box: Box, view: Any, table: Engine, legal: Sequence[str]) -> None:
    """Whose turn it is, stock and pile, and below what may be done, or how the deal ended."""
    plan.panel("centre", box, None)
    spare = max(box.height - _MOST_CENTRE, 0) // 2
    above, rest = box.inset(4, 2 + spare).split_top(44)
    line, details = words.status(view, table)
    first, second = above.split_top(25 if details else above.height)
    _line(plan, "status", first, line, 18, GOLD_INK, "centre", bold=True)
    if details:
        _line(plan, "details", second, details, 13, SOFT, "centre")
    middle, below = rest.split_top(rest.height - min(max(round(0.27 * box.height), 44), 110), 4)
    _plan_stacks(plan, middle, view)
    if view["phase"] == Phase.OVER:
        _plan_tags(plan, "scores", below, words.score_tags(view, table), 13, 10)
    else:
        _plan_tags(plan, "actions", below, [(text, words.PLAIN) for text in words.short_actions(legal)], 12, 10)


def _plan_stacks(plan: Plan, box: Box, view: Any) -> None:
    """The stock, and the topmost cards of the pile in a fan that ends with the upcard."""
    cards, labels = box.split_top(box.height - 17)
    height = min(cards.height - 6, 112)
    width = card_width(height)
    gap = max(width // 2, 20)
    step = min(round(_SEEN * width), (cards.width - 2 * width - gap - 14) // (_PILE_SHOWN - 1))
    whole = aligned(cards, 2 * width + gap + 14 + (_PILE_SHOWN - 1) * step, height + 6, "centre")
    stock, pile = whole.split_left(width + 6, gap)
    under = labels._replace(top=whole.bottom + 1, bottom=whole.bottom + 17)
    half = max(stock.width // 2, 35)
    middle = (stock.left + stock.right) // 2
    plan.group("stock", stock)
    for i in range(min(int(view["stock_n"]), 3)):
        left, top = stock.left + 2 * i, stock.top + 4 - 2 * i
        plan.put("stock", CardMark(Box(left, top, left + width, top + height), Face(BACK)))
    if not view["stock_n"]:
        plan.put("stock", PaneMark(stock.inset(2), "empty"))
    label = under._replace(left=max(middle - half, under.left), right=middle + half)
    _line(plan, "stock count", label, f"stock {view['stock_n']}", 12, SOFT, "centre")
    shown = pile_cards(view, "pile")[:_PILE_SHOWN][::-1]
    asked = view["phase"] in (Phase.CALL, Phase.ANSWER)
    plan.group("pile", pile)
    upcard = Box(pile.right - 4 - width, pile.top + 3, pile.right - 4, pile.top + 3 + height)
    for i, card in enumerate(shown):
        below = len(shown) - 1 - i
        place = upcard._replace(left=upcard.left - below * step, right=upcard.right - below * step)
        if asked and not below:
            plan.put("pile", PaneMark(place.inset(-3), "called"))
        plan.put("pile", CardMark(place, Face(card, covered=below > 0)))
    if not shown:
        plan.put("pile", PaneMark(upcard, "empty"))
    label = under._replace(left=pile.left, right=pile.right)
    _line(plan, "pile count", label, f"pile {view['pile_n']}", 12, SOFT, "right")


# ---- hands and melds ---------------------------------------------------------------------------------------------


def _cards(counts: NDArray[np.uint8]) -> list[int]:
    """Cards of a count vector, sorted."""
    return np.repeat(np.arange(core.CARDS), counts).tolist()


def _hand_of(seat: int, view: Any, reveal: Any) -> list[Face]:
    """A hand as the observer sees it: known cards first, then backs."""
    if reveal is not None:
        return [Face(card) for card in _cards(reveal["hands"][seat])]
    known = _cards(view["known"].reshape(core.SEATS, core.CARDS)[seat])
    return [Face(card) for card in known] + [Face(BACK)] * (int(view["hand_n"][seat]) - len(known))


def _plan_strip(plan: Plan, name: str, box: Box, faces: Sequence[Face]) -> None:
    """A hand in one row: backs lie closer together than faces."""
    plan.group(name, box)
    width = card_width(box.height)
    for mark in fan(faces, box, box.height, [0.5 * width if face.card != BACK else 0.3 * width for face in faces]):
        plan.put(name, mark)


def _plan_hand(plan: Plan, name: str, box: Box, cards: Sequence[int], raised: set[int]) -> None:
    """The own hand, as large as it fits: in more rows if the cards would cover each other too much."""
    plan.group(name, box)
    if not cards:
        return
    for rows in range(1, 5):
        height = (box.height - 6 * rows) // rows
        in_a_row = -(-len(cards) // rows)
        side_by_side = round(ASPECT * ((box.width + 5) / in_a_row - 5))
        height = min(height, max(side_by_side, _HAND))
        width = card_width(height)
        if in_a_row < 2 or (box.width - width) / (in_a_row - 1) >= 0.26 * width:
            break
    for row in range(rows):
        some = cards[row * in_a_row : (row + 1) * in_a_row]
        place = box._replace(top=box.top + (box.height - rows * (height + 6)) // 2 + 6 + row * (height + 6))
        for mark in fan([Face(card) for card in some], place, height, [width + 5.0] * len(some)):
            up = 6 if mark.face.card in raised else 0
            plan.put(name, mark._replace(box=mark.box._replace(top=mark.box.top - up, bottom=mark.box.bottom - up)))


def _faces(meld: Meld) -> list[Face]:
    """Cards of a meld as they lie; a joker in a run with the card that it stands for."""
    if meld.kind != MeldKind.FOUR:
        return [Face(card) for card in meld.cards]
    places = enumerate(meld.cards, start=meld.low)
    return [Face(card, 13 * meld.key + place % 13 if card == core.JOKER else None) for place, card in places]


def _plan_melds(plan: Plan, box: Box, seat: int, view: Any, table: Engine) -> None:
    """The melds of a seat, in rows, all of the largest size in which they fit."""
    slots = slots_of(seat, view, table)
    melds = [(slot, meld) for slot in slots if (meld := meld_in_slot(view, slot)) is not None]
    if not melds:
        return
    names = [meld_name(slot, view, table) for slot, _ in melds]
    for height in range(min(_MOST_MELD, box.height - 16), 5, -1):
        label = 9 if height < 30 else 11
        sizes = [
            _meld_size(len(meld.cards), height, label, name, box.width) for name, (_, meld) in zip(names, melds, strict=True)
        ]
        boxes = flow(sizes, box, 5 if height >= 24 else 2)
        if boxes is not None:
            break
    assert boxes is not None, f"no room for {len(melds)} melds in {box}"
    for name, (slot, meld), place in zip(names, melds, boxes, strict=True):
        group = f"meld {name}"
        plan.group(group, place, "meld_now" if slot == _slot_now(view, table) else "meld")
        above, cards = place.inset(_meld_pad(height), 1).split_top(height_of(label))
        _text(plan, group, above, name, label, SOFT, "left")
        step = max(_SEEN * card_width(height), 2)
        for mark in fan(_faces(meld), cards, height, [step] * len(meld.cards)):
            plan.put(group, mark)


def _meld_pad(height: int) -> int:
    return 4 if height >= 24 else 1


def _meld_size(count: int, height: int, label: int, name: str, most: int) -> tuple[int, int]:
    """Width and height that a meld takes up."""
    width = card_width(height)
    cards = width + int((count - 1) * max(_SEEN * width, 2))
    wide = max(cards, width_of(name, label)) + 2 * _meld_pad(height)
    return min(wide, most), height + height_of(label) + 2 + _meld_pad(height)


def _slot_now(view: Any, table: Engine) -> int:
    """The meld that is being filled, or that a card is about to be put onto; -1 for none."""
    phase = view["phase"]
    if phase in (Phase.LAYOFF, Phase.MOVE):
        return int(view["target"])
    if phase != Phase.FILL:
        return -1
    if table.is_kaluki:
        return int(view["melds_laid"])
    actor = int(view["actor"])
    return core.MELDS_PER_SEAT * actor + int(view["meld_n"][actor])


# ---- words -------------------------------------------------------------------------------------------------------


def _seat_style(view: Any, seat: int) -> str:
    """A seat that is to move, or that went out, stands out."""
    over = view["phase"] == Phase.OVER
    return "seat_now" if seat == int(view["winner"] if over else view["actor"]) else "seat"


def _line(plan: Plan, name: str, box: Box, text: str, size: int, colour: str, align: Align, bold: bool = False) -> None:
    """A line as a group of its own."""
    plan.group(name, box)
    _text(plan, name, box, text, size, colour, align, bold)


def _text(plan: Plan, name: str, box: Box, text: str, size: int, colour: str, align: Align, bold: bool = False) -> None:
    text, size = fitted(text, size, box.width, bold)
    place = aligned(box, width_of(text, size, bold), height_of(size), align)
    plan.put(name, TextMark(place, text, size, colour, bold))


def _plan_tags(
    plan: Plan, name: str, box: Box, tags: Sequence[tuple[str, str | None]], size: int, least: int, in_header: bool = False
) -> None:
    """Small labels: in a header from the left, else in the middle. Those without a style are written larger, and without a frame.

    They are smaller if there are many. If there is no room even for the least size, a last label says how many are left out.
    """
    plan.group(name, box)
    while True:
        sizes = [_tag_size(text, style, size) for text, style in tags]
        places = flow(sizes, box, 4)
        if places is not None or size == least:
            break
        size -= 1
    shown = list(tags)
    while places is None:
        shown = shown[:-1]
        more = f"+ {len(tags) - len(shown)} more", words.PLAIN
        places = flow([*sizes[: len(shown)], _tag_size(*more, size)], box, 4)
        if places is not None:
            shown.append(more)
    for (text, style), place in zip(shown, places if in_header else centred(places, box), strict=True):
        if style is None:
            _text(plan, name, place, text, size + 3, WHITE, "left", bold=True)
        else:
            plan.put(name, PaneMark(place, style))
            _text(plan, name, place, text, size, _TAG_INK[style], "centre")


def _tag_size(text: str, style: str | None, size: int) -> tuple[int, int]:
    """Width and height of a label."""
    if style is None:
        return width_of(text, size + 3, bold=True) + 4, height_of(size) + 5
    return width_of(text, size) + 12, height_of(size) + 5
