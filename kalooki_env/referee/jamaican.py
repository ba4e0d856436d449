"""The course of a Jamaican deal: the phases, and what each action does (ACTIONS.md, section 2; J5 to J12)."""

from __future__ import annotations

from collections import Counter

from kalooki_env.referee.checks import faults_of
from kalooki_env.referee.course import Course
from kalooki_env.referee.legal import actions, cards_to_place
from kalooki_env.referee.melds import HIGH, Four, Meld, Three, joker_replaced_by
from kalooki_env.referee.notation import read_kind, read_target
from kalooki_env.referee.state import Phase
from kalooki_env.rules import JOKER


class JamaicanCourse(Course):
    """A Jamaican deal under way."""

    def legal(self) -> set[str]:
        """See `Course`."""
        return actions(self._state)

    def faults(self) -> list[str]:
        """See `Course`."""
        return faults_of(self._state)

    def carry_out(self, action: str) -> None:
        """See `Course`."""
        match self._state.phase.name:
            case "draw":
                self._do_draw(action)
            case "play":
                self._do_play(action)
            case "meld":
                self._state.phase = Phase("fill", self._seat, filling=read_kind(action))
            case "fill" | "layoff" | "move":
                self._place(action.removeprefix("place "))
            case "call":
                self._do_call(action)
            case "answer":
                self._do_answer(action)
        self._fill_automatically()

    def upcard_can_be_taken(self) -> bool:
        """See `Course`."""
        return self._state.upcard_can_be_taken()

    def upcard_counts_as_declined(self) -> bool:
        """See `Course`."""
        return self._state.upcard_can_be_taken()

    @property
    def _other(self) -> int:
        other = self._state.phase.other
        assert other is not None
        return other

    # ---- play ----------------------------------------------------------------------------------------------------

    def _do_play(self, action: str) -> None:
        state, seat = self._state, self._seat
        words = action.split()
        match words:
            case ["lay", "down"]:
                state.phase = Phase("meld", seat)
            case ["lay", "off", "onto", target, *end]:
                state.phase = Phase(
                    "layoff",
                    seat,
                    opened_now=state.phase.opened_now,
                    target=read_target(target, state.num_players),
                    end=end[0] if end else None,
                )
            case ["move", "joker", "in", target, "to", end]:
                state.phase = Phase("move", seat, target=read_target(target, state.num_players), end=end)
            case ["discard", card]:
                self._discard(card)
            case ["end", "turn"]:
                state.known[seat] = Counter(state.hands[seat])  # jokers only, as everybody can tell (J10.3)
                if not self._turn_is_last():
                    self._begin_turn(state.next_seat(seat))  # J10.3: no call window

    def _discard(self, card: str) -> None:
        """J10.1."""
        state, seat = self._state, self._seat
        self._lose(card)
        state.pile.insert(0, card)
        state.discarded[seat][card] += 1
        if not self._goes_out() and not self._turn_is_last():
            self._ask(seat, state.callers(seat))

    # ---- placing cards -------------------------------------------------------------------------------------------

    def _place(self, card: str) -> None:
        """Put a card of the hand where the phase says."""
        phase = self._state.phase
        self._lose(card)
        if phase.filling is not None:
            self._place_in_contract(phase.filling, card)
            return
        assert phase.target is not None
        meld = self._state.meld(phase.target)
        if isinstance(meld, Three):
            meld.add(card)
        elif phase.name == "layoff":
            meld.add_at(phase.end or HIGH, card)
        else:
            self._move_joker(meld, card, phase.end or HIGH)
        if not self._goes_out():
            self._state.phase = Phase("play", self._seat, opened_now=phase.opened_now)

    def _place_in_contract(self, meld: Meld, card: str) -> None:
        """J7."""
        state, seat = self._state, self._seat
        if isinstance(meld, Three):
            meld.add(card)
        else:
            meld.cards.append(card)
        if not meld.complete:
            return
        state.melds[seat].append(meld)
        state.phase = Phase("meld", seat)
        need = state.need(seat)
        if need.threes == need.fours == 0:
            state.opened[seat] = True
            if not self._goes_out():
                state.phase = Phase("play", seat, opened_now=True)

    def _move_joker(self, four: Four, card: str, end: str) -> None:
        """The natural takes the place of the joker, and the joker goes to the end (J9.1, J9.2)."""
        index = joker_replaced_by(four, card, end)
        assert index is not None
        four.cards[index] = card
        four.add_at(end, JOKER)

    def _fill_automatically(self) -> None:
        """Where only one card can be placed, place it (ACTIONS.md, section 2.5)."""
        while self._state.phase.name in ("fill", "layoff", "move"):
            cards = cards_to_place(self._state)
            if len(cards) > 1:
                return
            self._place(cards.pop())

    # ---- calls ---------------------------------------------------------------------------------------------------

    def _ask(self, discarder: int, seats: list[int]) -> None:
        """Ask the first of these seats whether it calls; if there is none, the next seat draws (J6.3, J6.7)."""
        if seats:
            self._state.phase = Phase("call", seats[0], other=discarder)
        else:
            self._begin_turn(self._state.next_seat(discarder))

    def _do_call(self, action: str) -> None:
        state, seat, discarder = self._state, self._seat, self._other
        if action == "call":
            state.calls[seat].first += 1
            state.phase = Phase("answer", state.decider(discarder), other=seat)  # J6.4
        else:
            seats = state.callers(discarder)
            self._ask(discarder, seats[seats.index(seat) + 1 :])

    def _do_answer(self, action: str) -> None:
        state, decider, caller = self._state, self._seat, self._other
        next_seat = state.next_seat(decider) if state.rules.call_decider == "discarder" else decider
        if action == "allow":
            # J12.2: the called card leaves the pile first; asked before anything is changed, in case there is no shuffle.
            order = None if state.stock else self._new_order(state.pile[2:])
            self._take_upcard(caller)  # J6.5
            if order is not None:
                self._renew_stock(order)
            self._draw_from_stock(caller)
            state.calls[caller].second += 1
            state.answers[decider].first += 1
            self._begin_turn(next_seat, after_call=True)
            return
        state.answers[decider].second += 1
        if state.rules.call_refusal_forces_take:
            self._take_upcard(next_seat)
            state.phase = Phase("play", next_seat)
        else:
            self._begin_turn(next_seat)  # J6.6
