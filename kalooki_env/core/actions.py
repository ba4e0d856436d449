"""Action numbers (`ACTIONS.md`, section 3). Everything that names an action number stands here."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from kalooki_env.core.compiled import kernel, wrap
from kalooki_env.core.layout import CARDS, MELDS_PER_SEAT, SEATS

DISCARD = 0
PLACE = 53
DRAW_STOCK = 106
TAKE_UPCARD = 107
CALL_CARD = 108
PASS = 109
ALLOW = 110
REFUSE = 111
LAY_DOWN = 112
END_TURN = 113
THREE_OF = 114
FOUR_OF = 127
LAY_OFF = 171

#: Lowest places that a four of four cards can have, 0 to 10.
LOWS = 11
#: Most actions of any table size.
MAX_ACTIONS = LAY_OFF + 4 * MELDS_PER_SEAT * SEATS


class ActionKind(IntEnum):
    """What an action does; the operand is named in brackets."""

    DISCARD = 0  # card
    PLACE = 1  # card
    DRAW_STOCK = 2
    TAKE_UPCARD = 3
    CALL = 4
    PASS = 5
    ALLOW = 6
    REFUSE = 7
    LAY_DOWN = 8
    END_TURN = 9
    THREE_OF = 10  # rank
    FOUR_OF = 11  # LOWS * suit + lowest place
    LAY_OFF = 12  # 2 * slot, + 1 for the high end; slots count from the seat to move
    MOVE_JOKER = 13  # as LAY_OFF


class Section(NamedTuple):
    """A run of action numbers of one kind."""

    kind: ActionKind
    first: int
    size: int


@lru_cache(maxsize=8)
def sections(max_seats: int) -> tuple[Section, ...]:
    """All action numbers for spaces of this many seats, in order, without a gap."""
    counts = [53, 53, 1, 1, 1, 1, 1, 1, 1, 1, 13, 4 * LOWS, 2 * MELDS_PER_SEAT * max_seats, 2 * MELDS_PER_SEAT * max_seats]
    found = []
    first = 0
    for kind, count in zip(ActionKind, counts, strict=True):
        found.append(Section(kind, first, count))
        first += count
    return tuple(found)


def num_actions(max_seats: int) -> int:
    """Size of the action space for spaces of this many seats: 171 + 16 * max_seats."""
    return LAY_OFF + 4 * MELDS_PER_SEAT * max_seats


def kind_and_operand(action: int, max_seats: int) -> tuple[ActionKind, int]:
    """Kind and operand of an action number.

    Raises:
        IndexError: no such number.
    """
    for section in sections(max_seats):
        if section.first <= action < section.first + section.size:
            return section.kind, action - section.first
    raise IndexError(f"action {action} is outside 0 to {num_actions(max_seats) - 1}")


@kernel
def relative_slot(slot, seat, num_players):
    """Meld slot counted from a seat."""
    owner = slot // MELDS_PER_SEAT
    return wrap(owner - seat + num_players, num_players) * MELDS_PER_SEAT + slot % MELDS_PER_SEAT


@kernel
def absolute_slot(slot, seat, num_players):
    """The inverse of `relative_slot`."""
    return wrap(slot // MELDS_PER_SEAT + seat, num_players) * MELDS_PER_SEAT + slot % MELDS_PER_SEAT


assert sections(SEATS)[12].first == LAY_OFF and num_actions(SEATS) == MAX_ACTIONS and CARDS == PLACE
