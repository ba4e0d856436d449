"""Action numbers (`ACTIONS.md`, section 3). Everything that names an action number stands here."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from kalooki_env.core.compiled import kernel, wrap
from kalooki_env.core.kaluki.actions import KALUKI_ACTIONS, RUN_LOWS
from kalooki_env.core.layout import CARDS, MELDS, MELDS_PER_SEAT, SEATS

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
MAX_ACTIONS = max(LAY_OFF + 4 * MELDS_PER_SEAT * SEATS, KALUKI_ACTIONS)


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
    # Kaluki
    SET_OF = 14  # rank
    RUN_OF = 15  # RUN_LOWS * suit + lowest place
    END_MELD = 16
    END_OPENING = 17
    LAY_OFF_ONTO = 18  # 2 * slot, + 1 for the high end; slots count from the oldest meld
    SWAP_JOKER = 19  # slot


class Section(NamedTuple):
    """A run of action numbers of one kind."""

    kind: ActionKind
    first: int
    size: int


@lru_cache(maxsize=16)
def sections(max_seats: int, kaluki: bool = False) -> tuple[Section, ...]:
    """All action numbers for spaces of this many seats, in order, without a gap."""
    slots = 2 * MELDS_PER_SEAT * max_seats
    counts = dict.fromkeys(list(ActionKind)[: ActionKind.THREE_OF], 1) | {ActionKind.DISCARD: 53, ActionKind.PLACE: 53}
    if kaluki:
        counts |= {
            ActionKind.SET_OF: 13,
            ActionKind.RUN_OF: 4 * RUN_LOWS,
            ActionKind.END_MELD: 1,
            ActionKind.END_OPENING: 1,
            ActionKind.LAY_OFF_ONTO: 2 * MELDS,
            ActionKind.SWAP_JOKER: MELDS,
        }
    else:
        counts |= {
            ActionKind.THREE_OF: 13,
            ActionKind.FOUR_OF: 4 * LOWS,
            ActionKind.LAY_OFF: slots,
            ActionKind.MOVE_JOKER: slots,
        }
    found = []
    first = 0
    for kind, count in counts.items():
        found.append(Section(kind, first, count))
        first += count
    return tuple(found)


def num_actions(max_seats: int, kaluki: bool = False) -> int:
    """Size of the action space for spaces of this many seats: 171 + 16 * max_seats, in Kaluki 285."""
    return KALUKI_ACTIONS if kaluki else LAY_OFF + 4 * MELDS_PER_SEAT * max_seats


def kind_and_operand(action: int, max_seats: int, kaluki: bool = False) -> tuple[ActionKind, int]:
    """Kind and operand of an action number.

    Raises:
        IndexError: no such number.
    """
    for section in sections(max_seats, kaluki):
        if section.first <= action < section.first + section.size:
            return section.kind, action - section.first
    raise IndexError(f"action {action} is outside 0 to {num_actions(max_seats, kaluki) - 1}")


@kernel
def relative_slot(slot, seat, num_players):
    """Meld slot counted from a seat."""
    owner = slot // MELDS_PER_SEAT
    return wrap(owner - seat + num_players, num_players) * MELDS_PER_SEAT + slot % MELDS_PER_SEAT


@kernel
def absolute_slot(slot, seat, num_players):
    """The inverse of `relative_slot`."""
    return wrap(slot // MELDS_PER_SEAT + seat, num_players) * MELDS_PER_SEAT + slot % MELDS_PER_SEAT


assert sections(SEATS)[12].first == LAY_OFF and num_actions(SEATS) <= MAX_ACTIONS and CARDS == PLACE
assert sum(section.size for section in sections(SEATS, True)) == KALUKI_ACTIONS
