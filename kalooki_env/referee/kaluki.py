"""The course of a deal of Kaluki: what each action does (ACTIONS.md, section 8.3; KL4, KL5)."""

from __future__ import annotations

from kalooki_env.referee.course import Course
from kalooki_env.referee.kaluki_checks import faults_of
from kalooki_env.referee.kaluki_debts import upcard_can_be_taken, upcard_would_be_owed
from kalooki_env.referee.kaluki_legal import END_MELD, END_OPENING, actions, swaps_to_make
from kalooki_env.referee.kaluki_melds import Swap, is_full, laid_off, leaves_no_choice, may_end
from kalooki_env.referee.melds import HIGH, Meld, Three
from kalooki_env.referee.notation import read_kind, read_target
from kalooki_env.referee.state import Phase, Target
from kalooki_env.rules import JOKER


class KalukiCourse(Course):
    """A deal of Kaluki under way."""

    def legal(self) -> set[str]:
        """See `Course`."""
        return actions(self._state)

    def faults(self) -> list[str]:
        """See `Course`."""
        return faults_of(self._state)

    def carry_out(self, action: str) -> None:
        """See `Course`."""
        self._do(action)
        while self._state.phase.name in ("fill", "layoff", "swap"):
            legal = self.legal()
            if len(legal) > 1:
                return
            self._do(legal.pop())

    def upcard_can_be_taken(self) -> bool:
        """See `Course`."""
        return upcard_can_be_taken(self._state)

    def upcard_counts_as_declined(self) -> bool:
        """Any upcard (ACTIONS.md, section 8.5): whether the seat could have taken it is nobody's business."""
        return bool(self._state.pile)

    def _do(self, action: str) -> None:
        match self._state.phase.name:
            case "draw":
                owed = action == "take upcard" and upcard_would_be_owed(self._state, self._seat)
                upcard = self._state.pile[:1]
                self._do_draw(action)
                self._state.owed.update(upcard if owed else [])
            case "play":
                self._do_play(action)
            case "meld" if action == END_OPENING:
                self._open()
            case "meld":
                self._begin(action)
            case "fill" if action == END_MELD:
                self._end_meld()
            case "fill":
                self._fill(action.removeprefix("place "))
            case "layoff":
                self._lay_off(action.removeprefix("place "))
            case "swap":
                natural = action.removeprefix("place ")
                self._swap(next(swap for swap in self._swaps() if swap.naturals == (natural,)))

    def _do_play(self, action: str) -> None:
        state, seat = self._state, self._seat
        now = state.phase.opened_now
        match action.split():
            case ["lay", "down"]:
                state.phase = Phase("meld", seat)
            case ["lay", "off", "onto", name, *end]:
                target = read_target(name, state.num_players, "kaluki")
                state.phase = Phase("layoff", seat, opened_now=now, target=target, end=end[0] if end else None)
            case ["swap", "joker", "in", name]:
                target = read_target(name, state.num_players, "kaluki")
                state.phase = Phase("swap", seat, opened_now=now, target=target)
                if leaves_no_choice(state.meld(target), state.rules):
                    self._swap(self._swaps()[0])
            case ["discard", card]:
                self._discard(card)
            case _:
                self._begin(action)

    def _discard(self, card: str) -> None:
        """KL4.5."""
        state, seat = self._state, self._seat
        self._lose(card)
        state.pile.insert(0, card)
        state.discarded[seat][card] += 1
        if not self._goes_out() and not self._turn_is_last():
            self._begin_turn(state.next_seat(seat))

    # ---- new melds -----------------------------------------------------------------------------------------------

    def _begin(self, action: str) -> None:
        self._state.phase = Phase(
            "fill", self._seat, opened_now=self._state.phase.opened_now, filling=read_kind(action, "kaluki")
        )

    @property
    def _filling(self) -> Meld:
        filling = self._state.phase.filling
        assert filling is not None
        return filling

    def _fill(self, card: str) -> None:
        """Place a card in the meld; it ends by itself if it can take no more, or the hand is empty."""
        state, meld = self._state, self._filling
        self._lose(card)
        state.owed[card] -= 1
        state.owed = +state.owed
        if isinstance(meld, Three):
            meld.add(card)
        else:
            meld.add_at(HIGH, card)
        if may_end(meld) and (is_full(meld) or not self._hand.total()):
            self._end_meld()

    def _end_meld(self) -> None:
        state, seat, now = self._state, self._seat, self._state.phase.opened_now
        state.order.append((seat, len(state.melds[seat])))
        state.melds[seat].append(self._filling)
        if state.opened[seat]:
            self._play_on(now)
            return
        state.phase = Phase("meld", seat)
        if not self._hand.total():
            self._open()  # its value was looked at before the last card could be placed

    def _open(self) -> None:
        """KL4.2."""
        self._state.opened[self._seat] = True
        self._play_on(True)

    def _play_on(self, opened_now: bool) -> None:
        if not self._goes_out():
            self._state.phase = Phase("play", self._seat, opened_now=opened_now)

    # ---- melds that lie ------------------------------------------------------------------------------------------

    @property
    def _target(self) -> Target:
        target = self._state.phase.target
        assert target is not None
        return target

    def _put(self, meld: Meld) -> None:
        """Let a meld lie where the target lay."""
        seat, number = self._target
        self._state.melds[seat][number] = meld

    def _lay_off(self, card: str) -> None:
        """KL4.3."""
        phase = self._state.phase
        self._lose(card)
        self._put(laid_off(self._state.meld(self._target), phase.end, card))
        self._play_on(phase.opened_now)

    def _swaps(self) -> list[Swap]:
        return swaps_to_make(self._state, self._target)

    def _swap(self, swap: Swap) -> None:
        """KL4.4."""
        state, seat = self._state, self._seat
        for card in swap.naturals:
            self._lose(card)
        self._put(swap.meld)
        state.hands[seat][JOKER] += swap.jokers
        state.known[seat][JOKER] += swap.jokers
        if state.rules.joker_after_swap == "new_meld_this_turn":
            state.owed[JOKER] += swap.jokers
        state.phase = Phase("play", seat, opened_now=state.phase.opened_now)
