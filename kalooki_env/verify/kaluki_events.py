"""Which rules of Kaluki a step has brought into play, read off the records before and after it: `events` for the second game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kalooki_env import core
from kalooki_env.core import ActionKind, MeldKind, Phase
from kalooki_env.game.engine import Engine
from kalooki_env.game.kaluki_moves import opening_value
from kalooki_env.game.melds import Meld, meld_in_slot, missing_from
from kalooki_env.verify.steps import Step, ending

_SETTLED = (int(Phase.PLAY), int(Phase.OVER))


class KalukiWatch:
    """Follows one deal and names the rules at work in each of its steps."""

    def __init__(self, table: Engine) -> None:
        self._table, self._record = table, table.record[0]
        self._new_turn()

    def _new_turn(self) -> None:
        self._taken = -1  # upcard taken
        self._melds = self._layoffs = self._swaps = 0  # of a seat that has opened

    def begins(self, state: Any) -> Iterator[str]:
        """What the start of the deal shows."""
        yield f"KL1.1 {self._record['jokers']} jokers"
        if state["turns"] == 0 and state["pile_n"] == 1 and state["pile"][0] == core.JOKER:
            yield "KL1.2 joker turned up by the deal"

    def step(self, step: Step) -> Iterator[str]:
        """What a step shows."""
        before, after, seat = step.before, step.after, step.seat
        phase = int(before["phase"])
        if phase == Phase.DRAW:
            yield from self._draw(step)
        elif step.kind is ActionKind.DISCARD:
            yield from self._discard(step)
        elif step.kind is ActionKind.LAY_DOWN and before["turns"] < self._table.num_players:
            yield "KL4.2 opening in the first round"
        if before["owed_card"] and not after["owed_card"]:
            yield f"KL4.1 owed upcard laid in {'a further meld' if before['opened'][seat] else 'the opening'}"
        if before["owed_jokers"] > after["owed_jokers"]:
            yield f"KL4.4 owed joker laid in {'a further meld' if before['opened'][seat] else 'the opening'}"
        if after["melds_laid"] > before["melds_laid"]:
            meld = meld_in_slot(after, int(before["melds_laid"]))
            assert meld is not None
            yield from _laid(meld)
            if before["opened"][seat]:
                yield from self._further_meld(step, meld)
        if after["opened"][seat] and not before["opened"][seat]:
            yield from self._opening(step)
        if after["phase"] in _SETTLED:
            if step.kind is ActionKind.LAY_OFF_ONTO or phase == Phase.LAYOFF:
                yield from self._lay_off(step)
            elif step.kind is ActionKind.SWAP_JOKER or phase == Phase.MOVE:
                yield from self._swap(step)
            if phase != Phase.DRAW and _hangs_on_a_swap(after, self._table):
                yield f"KL4.4 {_what_was_done(step)} before the swap that lets all be laid"
        if after["phase"] == Phase.OVER:
            yield from self._over(step)

    # ---- draw and discard --------------------------------------------------------------------------------------------

    def _draw(self, step: Step) -> Iterator[str]:
        before, after = step.before, step.after
        self._new_turn()
        opened = bool(before["opened"][step.seat])
        who = f"a seat that has {'' if opened else 'not '}opened"
        owes = self._record["owes_upcard_opened" if opened else "owes_upcard_to_open"]
        if step.kind is ActionKind.TAKE_UPCARD:
            card = int(before["pile"][int(before["pile_n"]) - 1])
            self._taken = -1 if owes else card
            yield f"KL4.1 upcard {'to be laid ' if owes else ''}taken by {who}"
            if card == core.JOKER:
                yield f"KL4.1 joker {'to be laid ' if owes else ''}taken as upcard"
            if before["turns"] == 0:
                yield "KL1.2 card turned up by the deal taken"
            if core.DRAW_STOCK not in step.legal:
                yield "KL5.3 upcard forced"
            if _hangs_on_a_swap(after, self._table):
                yield f"KL4.1 upcard that only a swap lets be laid taken by {who}"
            return
        yield f"KL4.1 stock drawn by {who}"
        if core.TAKE_UPCARD not in step.legal:
            yield f"KL4.1 upcard barred for {who}" if before["pile_n"] else "KL5.3 stock drawn beside an empty pile"
        if after["reshuffles"] > before["reshuffles"]:
            yield "KL5.3 stock renewed"
            if before["reshuffles"]:
                yield "KL5.3 stock renewed again"

    def _discard(self, step: Step) -> Iterator[str]:
        before, seat = step.before, step.seat
        hand = before["hands"][seat]
        yield f"KL4.5 {'joker' if step.operand == core.JOKER else 'natural'} discarded"
        if step.operand == self._taken:
            yield "KL4.5 upcard just taken discarded"
        if core.LAY_DOWN in step.legal:
            yield "KL4.2 opening put off"
        if self._swaps and hand[core.JOKER] and not self._record["owes_swapped_joker"]:
            yield f"KL4.4 swapped joker {'discarded' if step.operand == core.JOKER else 'kept'}"
        if not before["opened"][seat]:
            return
        fits = bool(((hand > 0) & (before["fits"] > 0)).any())
        if before["opened_now"]:
            if fits and not self._record["lays_off_when_opening"]:
                yield "KL4.2 nothing laid off in the turn of the opening"
            if not self._record["melds_when_opening"] and _holds_a_meld(hand, not self._record["ace_low"]):
                yield "KL4.2 no further meld in the turn of the opening"
        if fits and self._record["keeps_a_discard"] and hand.sum() == 1:
            yield "KL5.1 last card that fits kept for the discard"
        if self._record["owes_swapped_joker"] and self._barred_swap(step):
            yield "KL4.4 swap barred, the joker could not be laid"

    def _barred_swap(self, step: Step) -> bool:
        state, hand = step.before, step.before["hands"][step.seat]
        for slot in range(int(state["melds_laid"])):
            meld = meld_in_slot(state, slot)
            if meld is not None and core.SWAP_IN + slot not in step.legal:
                whole = meld.kind == MeldKind.THREE and self._record["swaps_whole_sets"]
                wanted = [bool(hand[card]) for card in replaceable(meld)]
                return bool(wanted) and (all(wanted) if whole else any(wanted))
        return False

    # ---- melds -------------------------------------------------------------------------------------------------------

    def _further_meld(self, step: Step, meld: Meld) -> Iterator[str]:
        self._melds += 1
        now = step.before["opened_now"]
        yield "KL4.2 further meld in the turn of the opening" if now else "KL4.3 further meld in a later turn"
        if self._melds == 2:
            yield "KL4.3 second further meld in a turn"
        if self._melds == 1 and self._layoffs:
            yield "KL4.3 further meld and lay-off in one turn"
        if self._swaps and core.JOKER in meld.cards:
            yield "KL4.4 swapped joker laid in a further meld"

    def _opening(self, step: Step) -> Iterator[str]:
        after, seat = step.after, step.seat
        slots = [slot for slot in range(int(after["melds_laid"])) if after["meld_owner"][slot] == seat]
        melds = [meld for meld in (meld_in_slot(after, slot) for slot in slots) if meld is not None]
        points = sum(opening_value(meld, self._table) for meld in melds)
        yield f"KL4.2 opening with {'just the' if points == self._record['opening_points'] else 'more'} points"
        yield f"KL4.2 opening of {'one meld' if len(melds) == 1 else 'several melds'}"
        cards = [card for meld in melds for card in meld.cards]
        if core.JOKER in cards:
            yield "KL2 joker counted in an opening"
            if self._swaps:
                yield "KL4.4 swapped joker laid in the opening"
        if any(card % 13 == 0 for card in cards if card != core.JOKER):
            yield "KL2 ace counted in an opening"

    def _target(self, step: Step) -> tuple[int, bool]:
        """Slot and end of a lay-off or swap."""
        if step.kind is ActionKind.PLACE:
            return int(step.before["target"]), bool(step.before["target_high"])
        return (step.operand, False) if step.kind is ActionKind.SWAP_JOKER else (step.operand // 2, bool(step.operand % 2))

    def _lay_off(self, step: Step) -> Iterator[str]:
        slot, high = self._target(step)
        old, new = meld_in_slot(step.before, slot), meld_in_slot(step.after, slot)
        assert old is not None
        assert new is not None
        self._layoffs += 1
        joker = new.cards.count(core.JOKER) > old.cards.count(core.JOKER)
        what = "joker" if joker else "natural"
        if step.before["opened_now"]:
            yield "KL4.2 lay-off in the turn of the opening"
        yield f"KL4.3 lay-off onto {'an own meld' if step.before['meld_owner'][slot] == step.seat else 'a meld of another seat'}"
        if self._layoffs == 2:
            yield "KL4.3 second lay-off in a turn"
        if self._layoffs == 1 and self._melds:
            yield "KL4.3 further meld and lay-off in one turn"
        if self._swaps and joker and not self._record["owes_swapped_joker"]:
            yield "KL4.4 swapped joker laid off"
        if new.kind == MeldKind.THREE:
            yield f"KL4.3 {what} laid off onto a set"
            if core.JOKER in old.cards:
                yield f"KL3.4 {what} laid off onto a set with a joker"
            return
        yield f"KL4.3 {what} laid off onto the {'high' if high else 'low'} end"
        if joker and old.cards[-1 if high else 0] == core.JOKER:
            yield "KL3.3 joker laid off beside a joker"
        if high and new.low + len(new.cards) == 14:
            yield f"KL3.2 {what} laid off as high ace"
        if not high and new.low == 0:
            yield f"KL3.2 {what} laid off as low ace"
        if len(new.cards) >= 13:
            yield "KL3.2 run with both aces" if len(new.cards) == 14 else "KL3.2 run of thirteen cards"

    def _swap(self, step: Step) -> Iterator[str]:
        slot, _ = self._target(step)
        old, new = meld_in_slot(step.before, slot), meld_in_slot(step.after, slot)
        assert old is not None
        assert new is not None
        self._swaps += 1
        is_set = old.kind == MeldKind.THREE
        yield f"KL4.4 joker swapped in a {'set' if is_set else 'run'}"
        own = step.before["meld_owner"][slot] == step.seat
        yield f"KL4.4 joker swapped in {'an own meld' if own else 'a meld of another seat'}"
        if step.before["opened_now"]:
            yield "KL4.4 joker swapped in the turn of the opening"
        if not step.before["opened"][step.seat]:
            yield "KL4.4 joker swapped by a seat that has not opened"
        if self._swaps == 2:
            yield "KL4.4 second joker swapped in a turn"
        if step.after["owed_jokers"] > step.before["owed_jokers"]:
            yield "KL4.4 swapped joker owed"
        if is_set and self._record["swaps_whole_sets"]:
            given, jokers = len(missing_from(old)), old.cards.count(core.JOKER)
            yield f"KL4.4 all jokers of a set swapped for {'one natural' if given == 1 else f'{given} naturals'}"
            if given > jokers:
                yield "KL4.4 more naturals swapped than jokers"
        if is_set:
            if len(old.cards) == 3 and not self._record["swaps_whole_sets"]:
                yield "KL4.4 one of two missing suits swapped"
            if old.cards.count(core.JOKER) > 1:
                yield "KL4.4 joker swapped in a set with several"
            return
        place = next(i for i, card in enumerate(old.cards) if card == core.JOKER and new.cards[i] != core.JOKER)
        if place in (0, len(old.cards) - 1):
            yield "KL4.4 joker at an end of a run swapped"
        if len(old.cards) == 14 and old.cards[0] == old.cards[13] == core.JOKER and place == 0:
            yield "KL4.4 low one of two jokers for an ace swapped"

    # ---- the end -----------------------------------------------------------------------------------------------------

    def _over(self, step: Step) -> Iterator[str]:
        after, record = step.after, self._record
        winner = int(after["winner"])
        losers = [seat for seat in range(self._table.num_players) if seat != winner]
        if winner < 0:
            capped = after["turns"] >= record["max_turns"]
            yield "KL5.3 blocked, the turns have run out" if capped else "KL5.3 blocked, the upcard would be owed"
            for seat in losers:
                yield f"KL5.3 seat that has {'' if after['opened'][seat] else 'not '}opened scored in a blocked deal"
        else:
            yield f"KL5.1 {ending(step)}"
            yield "KL5.2 nothing for going out"
            for seat in losers:
                yield f"KL5.2 seat that has {'' if after['opened'][seat] else 'not '}opened pays its cards"
            if int(after["turns"]) + 1 < self._table.num_players:
                yield "KL5.2 seat without a turn pays"
        if any(after["hands"][seat, core.JOKER] for seat in losers):
            yield "KL2 joker left in hand"
        if any(after["hands"][seat, np.arange(0, core.JOKER, 13)].any() for seat in losers):
            yield "KL2 ace left in hand"


def replaceable(meld: Meld) -> list[int]:
    """The naturals that can be swapped for a joker of a meld."""
    if core.JOKER not in meld.cards:
        return []
    if meld.kind == MeldKind.THREE:
        return missing_from(meld)
    return [13 * meld.key + (meld.low + i) % 13 for i, card in enumerate(meld.cards) if card == core.JOKER]


def _hangs_on_a_swap(state: Any, table: Engine) -> bool:
    """Whether a seat in `play` owes something that it could not lay or open with if nothing could be swapped."""
    if state["phase"] != Phase.PLAY or not state["owed_card"] + state["owed_jokers"]:
        return False
    states = np.array([state])
    for slot in range(int(state["melds_laid"])):  # as if naturals lay in all places
        is_set = state["meld_kind"][slot] == MeldKind.THREE
        states[0]["meld_bits"][slot] = 0x1111 if is_set else 0
        states[0]["meld_len"][slot] = 4 if is_set else state["meld_len"][slot]
    legal = np.empty(core.MAX_ACTIONS, np.int16)
    return not core.list_lane(states, table.record, table.feas, 0, legal) >> 8


def _what_was_done(step: Step) -> str:
    """What a step has done on the table, in words."""
    if step.kind is ActionKind.LAY_OFF_ONTO or step.before["phase"] == Phase.LAYOFF:
        return "card laid off"
    if step.kind is ActionKind.SWAP_JOKER or step.before["phase"] == Phase.MOVE:
        return "joker swapped"
    return "further meld laid"


def _holds_a_meld(hand: Any, high_only: bool) -> bool:
    """Whether a hand holds any meld."""
    jokers = int(hand[core.JOKER])
    there = (hand[: core.JOKER] > 0).reshape(4, 13)
    if (there.sum(axis=0) >= max(1, 3 - jokers)).any():
        return True
    row = np.concatenate([there, there[:, :1]], axis=1)[:, int(high_only) :].astype(int)
    windows = row[:, :-2] + row[:, 1:-1] + row[:, 2:]
    return bool((windows >= max(1, 3 - jokers)).any())


def _laid(meld: Meld) -> Iterator[str]:
    """What a new meld shows."""
    jokers = meld.cards.count(core.JOKER)
    naturals = len(meld.cards) - jokers
    if meld.kind == MeldKind.THREE:
        yield f"KL3.1 set of {'three' if len(meld.cards) == 3 else 'four'} laid"
        if jokers:
            yield "KL3.4 joker laid in a set"
        if jokers > 1:
            yield f"KL3.3 set with {'two' if jokers == 2 else 'three'} jokers laid"
        return
    if len(meld.cards) >= 7:
        yield "KL3.2 run of seven cards or more laid"
    if meld.low == 0:
        yield "KL3.2 " + ("joker" if meld.cards[0] == core.JOKER else "ace") + " laid as low ace"
    if meld.low + len(meld.cards) == 14:
        yield "KL3.2 " + ("joker" if meld.cards[-1] == core.JOKER else "ace") + " laid as high ace"
    if jokers:
        yield "KL3.4 joker laid in a run"
    if any(a == b == core.JOKER for a, b in zip(meld.cards, meld.cards[1:], strict=False)):
        yield "KL3.3 neighbouring jokers laid"
    if naturals == 1:
        yield "KL3.3 run with one natural laid"
