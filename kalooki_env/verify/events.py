"""Which rules of the rule book a step has brought into play, read off the records before and after it.

Nothing here judges: that the step is right is for the referee to say. Here it is counted that the occasion came up at all. An
event is a rule's number and words; `kinds` knows under which rules each of them can come up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kalooki_env import core
from kalooki_env.core import ActionKind, MeldKind, Phase
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import Meld, meld_in_slot
from kalooki_env.verify.steps import Step

_DRAW, _PLAY, _MELD, _FILL, _LAYOFF, _MOVE, _CALL, _ANSWER, _OVER = (int(phase) for phase in Phase)


class Watch:
    """Follows one deal and names the rules at work in each of its steps."""

    def __init__(self, table: Engine) -> None:
        self._table = table
        self._taken = -1  # upcard taken in this turn
        self._refused = False  # the call on the upcard was refused
        self._moves = 0  # jokers moved in this turn
        self._layoffs = 0  # cards laid off in this turn
        self._guests: set[tuple[int, int]] = set()  # slots and places of jokers that were laid off onto fours of others

    def begins(self, state: Any) -> Iterator[str]:
        """What the start of the deal shows."""
        if self._table.record[0]["packs"] == 3:
            yield "J1.3 three packs"
        if self._table.num_players == 2:
            yield "J13.2 sudden death of two"
        if state["turns"] == 0 and state["pile_n"] == 1 and state["pile"][0] == core.JOKER:
            yield "J4.2 joker turned up by the deal"

    def step(self, step: Step) -> Iterator[str]:
        """What a step shows."""
        phase = int(step.before["phase"])
        if phase == _DRAW:
            yield from self._draw(step)
        elif phase in (_CALL, _ANSWER):
            yield from self._call(step)
        elif phase == _PLAY and step.kind in (ActionKind.DISCARD, ActionKind.END_TURN):
            yield from self._end_of_turn(step)
        elif phase in (_MELD, _FILL):
            if step.after["opened"][step.seat]:
                yield from _opening(step)
        elif step.kind is not ActionKind.LAY_DOWN and step.after["phase"] in (_PLAY, _OVER):
            yield from self._placement(step)
        elif step.kind is ActionKind.LAY_DOWN and step.before["turns"] < self._table.num_players:
            yield "J7.1 lay-down in the first round"
        if step.after["phase"] == _OVER:
            yield from _over(step)

    # ---- draw --------------------------------------------------------------------------------------------------------

    def _draw(self, step: Step) -> Iterator[str]:
        before, after, seat = step.before, step.after, step.seat
        refused, self._refused = self._refused, False
        self._moves = self._layoffs = 0
        self._taken = -1
        after_call = bool(before["after_call"])
        if step.kind is ActionKind.TAKE_UPCARD:
            card = int(before["pile"][int(before["pile_n"]) - 1])
            self._taken = card
            yield f"J5.2 upcard taken by a seat that has {'' if before['opened'][seat] else 'not '}opened"
            if card == core.JOKER:
                yield "J4.2 joker taken as upcard"
            if before["turns"] == 0:
                yield "J5.1 card turned up by the deal taken"
            if core.DRAW_STOCK not in step.legal:
                yield "J12.3 upcard forced"
                if after_call:
                    yield "J12.3 upcard forced after a call"
            elif after_call:
                yield "J6.5 uncovered upcard taken after a call"
            if refused:
                yield "J6.6 refused card taken by the next seat"
            return
        yield f"J5.2 stock drawn by a seat that has {'' if before['opened'][seat] else 'not '}opened"
        if core.TAKE_UPCARD not in step.legal:
            yield "J6.5 stock only after a call" if before["pile_n"] else "J5.2 stock drawn beside an empty pile"
        elif after_call:
            yield "J6.5 stock drawn after a call"
        if refused:
            yield "J6.6 refused card left lying"
        if after["reshuffles"] > before["reshuffles"]:
            yield "J12.1 stock renewed for a draw"
            if before["reshuffles"]:
                yield "J12.1 stock renewed again"

    # ---- the end of a turn, and calls --------------------------------------------------------------------------------

    def _end_of_turn(self, step: Step) -> Iterator[str]:
        before, after = step.before, step.after
        turn_ends = int(after["turns"]) > int(before["turns"])
        if core.LAY_DOWN in step.legal:
            yield "J7.1 lay-down put off"
        if step.kind is ActionKind.END_TURN:
            yield "J10.3 turn ended without a discard"
            if self._may_be_asked(step) and after["phase"] != _OVER:
                yield "J6.1 no call window without a discard"
            return
        yield "J10.1 natural discarded"
        if step.operand == self._taken:
            yield "J5.4 card just taken discarded"
        if after["phase"] == _OVER:
            if self._may_be_asked(step):
                yield "J12.4 last discard not open to calls" if turn_ends else "J6.1 discard of going out not open to calls"
            return
        if self._table.num_players == 2 and self._table.record[0]["calls_enabled"]:
            yield "J6.2 nobody can call at a table of two"
        if after["phase"] == _CALL:
            yield from self._window(step)
        elif self._may_be_asked(step):
            short = int(after["stock_n"]) + int(after["pile_n"]) < 3
            yield f"J6.2e no call, {'too few cards' if short else 'the stock cannot be renewed'}"

    def _may_be_asked(self, step: Step) -> bool:
        return bool(self._table.record[0]["calls_enabled"] and step.may_call(step.before, 2))

    def _window(self, step: Step) -> Iterator[str]:
        before, after = step.before, step.after
        n = self._table.num_players
        most = int(self._table.record[0]["call_max"])
        others = [(int(before["turn"]) + i) % n for i in range(2, n)]
        if any(after["opened"][seat] for seat in others):
            yield "J6.2c seat that has opened not asked"
        if any(not after["opened"][seat] and after["calls_allowed"][seat] >= most for seat in others):
            yield "J6.2d seat at its limit of calls not asked"
        if after["stock_n"] == 0:
            yield "J6.2e call possible with an empty stock"

    def _call(self, step: Step) -> Iterator[str]:
        before, after = step.before, step.after
        match step.kind:
            case ActionKind.PASS:
                yield "J6.3 next seat asked" if after["phase"] == _CALL else "J6.7 nobody calls"
            case ActionKind.CALL:
                place = (step.seat - int(before["turn"])) % self._table.num_players
                if step.may_call(before, place + 1):
                    yield "J6.3 a call bars the seats after it"
                yield f"J6.4 the {'discarder' if after['actor'] == before['turn'] else 'next seat'} decides"
            case ActionKind.ALLOW:
                yield "J6.5 call allowed"
                caller = int(before["caller"])
                if after["calls_allowed"][caller] == self._table.record[0]["call_max"]:
                    yield "J6.2d last call that the limit allows"
                if after["reshuffles"] > before["reshuffles"]:
                    yield "J12.2 stock renewed for a penalty card"
                elif after["stock_n"] == 0:
                    yield "J6.5 penalty card is the last of the stock"
            case ActionKind.REFUSE if after["phase"] == _PLAY:
                yield "J6.6 refusal takes the card"
                self._taken = int(before["pile"][int(before["pile_n"]) - 1])
                self._moves = self._layoffs = 0
            case ActionKind.REFUSE:
                self._refused = True
                yield "J6.6 call refused"

    # ---- lay-offs and joker moves ------------------------------------------------------------------------------------

    def _placement(self, step: Step) -> Iterator[str]:
        before, after, seat = step.before, step.after, step.seat
        if step.kind is ActionKind.PLACE:
            slot, high, moves = int(before["target"]), bool(before["target_high"]), before["phase"] == _MOVE
        else:
            relative, odd = divmod(step.operand, 2)
            slot = int(core.absolute_slot(relative, seat, self._table.num_players))
            high, moves = bool(odd), step.kind is ActionKind.MOVE_JOKER
        old, new = meld_in_slot(before, slot), meld_in_slot(after, slot)
        assert old is not None
        assert new is not None
        own = slot // core.MELDS_PER_SEAT == seat
        if moves:
            self._moves += 1
            yield from _joker_move(step, old, new, high, own)
            if self._moves == 2:
                yield "J9.5 second joker moved in a turn"
            left = (slot, old.low + _vacated(old, new))
            if left in self._guests:
                yield "J9.5 joker moved that another seat laid off"
                self._guests -= {left}
                self._guests.add((slot, _end(new, high)))
        else:
            self._layoffs += 1
            if new.kind == MeldKind.FOUR and _is_joker(new, high) and not own:
                self._guests.add((slot, _end(new, high)))
            if own and before["opened_now"]:
                yield "J7.3 own meld lengthened in the turn of the opening"
            yield f"J8.1 lay-off in {'the turn of the opening' if before['opened_now'] else 'a later turn'}"
            yield f"J8.2 lay-off onto {'an own meld' if own else 'a meld of another seat'}"
            if self._layoffs == 2:
                yield "J8.2 second lay-off in a turn"
            yield from self._layoff(step, old, new, high)
        if self._moves + self._layoffs == 2 and self._moves == 1:
            yield "J5.3 joker move and lay-off in one turn"
        if new.kind == MeldKind.FOUR and _is_joker(new, high):
            yield from stands_for_a_visible_card(step, new, -1 if high else 0)
        yield from long_four(new)
        if after["phase"] == _OVER:
            yield f"J10.2 out by a {'joker move' if moves else 'lay-off'}"

    def _layoff(self, step: Step, old: Meld, new: Meld, high: bool) -> Iterator[str]:
        joker = new.cards.count(core.JOKER) > old.cards.count(core.JOKER)
        what = "joker" if joker else "natural"
        if new.kind == MeldKind.THREE:
            yield f"J8.3 {what} laid off onto a three"
            jokers = new.cards.count(core.JOKER)
            if joker and jokers == len(new.cards) - jokers + 1:
                yield "J3.4 three full of jokers"
            return
        yield f"J8.4 {what} laid off onto the {'high' if high else 'low'} end"
        if new.low == 0 and not high:
            yield f"J2.1 {what} laid off as low ace"
        if new.low + len(new.cards) == 14 and high:
            yield f"J2.1 {what} laid off as high ace"
        if self._table.record[0]["high_end_first"]:
            yield "J8.4 high end first" if high else "J8.4 low end once the four reaches the ace"
        elif joker and old.low > 0 and old.low + len(old.cards) < 14 and core.JOKER not in (old.cards[0], old.cards[-1]):
            yield "J8.5 joker fits both ends"
        elif not joker and old.low == 1 and old.low + len(old.cards) == 13:
            yield "J8.5 ace fits both ends"


def _joker_move(step: Step, old: Meld, new: Meld, high: bool, own: bool) -> Iterator[str]:
    yield f"J9.1 joker moved in {'an own four' if own else 'a four of another seat'}"
    yield f"J9.2 joker moved to the {'high' if high else 'low'} end"
    first = {section.kind: section.first for section in core.sections(step.table.max_seats)}[ActionKind.MOVE_JOKER]
    if step.kind is ActionKind.MOVE_JOKER and first + (step.operand ^ 1) not in step.legal:
        yield "J9.2 only one end will do"
    if new.low + len(new.cards) == 14 and high:
        yield "J9.2 joker moved to stand for the high ace"
    if new.low == 0 and not high:
        yield "J9.2 joker moved to stand for the low ace"
    at_end = {0: False, len(old.cards) - 1: True}.get(_vacated(old, new))
    if at_end is not None:
        yield f"J9.3 joker at an end moved to the {'same' if at_end == high else 'other'} end"


def _vacated(old: Meld, new: Meld) -> int:
    """Which card of the four was the joker that has moved."""
    shift = old.low - new.low
    return next(i for i, card in enumerate(old.cards) if card == core.JOKER and new.cards[i + shift] != core.JOKER)


def _end(four: Meld, high: bool) -> int:
    """The place at an end of a four."""
    return four.low + len(four.cards) - 1 if high else four.low


def _is_joker(four: Meld, high: bool) -> bool:
    return four.cards[-1 if high else 0] == core.JOKER


def stands_for_a_visible_card(step: Step, four: Meld, number: int) -> Iterator[str]:
    """A joker of a four, all copies of whose card lie on the table or in the pile."""
    card = 13 * four.key + (four.low + number % len(four.cards)) % 13
    seen = int(step.after["table_count"][card]) + int(step.after["pile_count"][card])
    if seen == int(step.table.record[0]["packs"]):
        yield "J3.3 joker for a card all copies of which are in sight"


def long_four(meld: Meld) -> Iterator[str]:
    """A four of thirteen or fourteen cards."""
    if meld.kind == MeldKind.FOUR and len(meld.cards) >= 13:
        yield "J3.7 four with both aces" if len(meld.cards) == 14 else "J3.2 four of thirteen cards"


# ---- the opening, the end --------------------------------------------------------------------------------------------


def _opening(step: Step) -> Iterator[str]:
    yield "J7.2 contract laid"
    after, seat = step.after, step.seat
    slots = range(core.MELDS_PER_SEAT * seat, core.MELDS_PER_SEAT * seat + int(after["meld_n"][seat]))
    melds = [meld for meld in (meld_in_slot(after, slot) for slot in slots) if meld is not None]
    for kind, what in ((MeldKind.THREE, "threes of one rank"), (MeldKind.FOUR, "fours of one suit")):
        keys = [meld.key for meld in melds if meld.kind == kind]
        if len(set(keys)) < len(keys):
            yield f"J7.4 {what} in a contract"
    for meld in melds:
        yield from _opened_with(meld)
    if after["phase"] == _OVER:
        yield "J10.2 out by the lay-down"


def _opened_with(meld: Meld) -> Iterator[str]:
    jokers = meld.cards.count(core.JOKER)
    if meld.kind == MeldKind.THREE:
        naturals = [card for card in meld.cards if card != core.JOKER]
        if len(set(naturals)) < len(naturals):
            yield "J3.1 like cards in a three"
        if jokers:
            yield "J3.3 joker laid in a three"
        if jokers > len(naturals):
            yield "J3.4 three full of jokers"
        if len(naturals) == 1:
            yield "J3.5 three with one natural"
        return
    if jokers:
        yield "J3.3 joker laid in a four"
    if jokers == 2:
        yield "J3.4 four with two jokers apart"
    if core.JOKER in (meld.cards[0], meld.cards[-1]):
        yield "J3.8 four laid with a joker at an end"
    if meld.low == 0:
        yield "J2.1 " + ("joker" if meld.cards[0] == core.JOKER else "ace") + " laid as low ace"
    if meld.low == 10:
        yield "J2.1 " + ("joker" if meld.cards[-1] == core.JOKER else "ace") + " laid as high ace"


def _over(step: Step) -> Iterator[str]:
    after = step.after
    n = step.table.num_players
    winner = int(after["winner"])
    losers = [seat for seat in range(n) if seat != winner]
    if winner < 0:
        capped = after["turns"] >= step.table.record[0]["max_turns"]
        yield f"{'J12.4 blocked, the turns have run out' if capped else 'J12.3 blocked, there is no card to draw'}"
        if capped and step.kind is ActionKind.END_TURN:
            yield "J12.4 last turn ended without a discard"
        for seat in losers:
            yield f"J12.5 seat that has {'' if after['opened'][seat] else 'not '}opened scored in a blocked deal"
    else:
        yield "J11.1 50 points for going out"
        if step.kind is ActionKind.DISCARD:
            yield "J10.2 out by a discard"
        for seat in losers:
            yield "J11.2 opened seat pays its cards" if after["opened"][seat] else "J11.3 seat that has not opened pays 50 more"
        if int(after["turns"]) + 1 < n:
            yield "J11.3 seat without a turn pays"
    if any(after["hands"][seat, core.JOKER] for seat in losers):
        yield "J2.2 joker left in hand"
