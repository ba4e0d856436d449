"""What the course of a deal has in common in both games (J4.2, J5, J10, J12): drawing, discarding, the stock, the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence

from kalooki_env.errors import EnvironmentStateError
from kalooki_env.referee.melds import sorted_cards
from kalooki_env.referee.state import Phase, State

Shuffle = Callable[[list[str]], Sequence[str]]


class Course(ABC):
    """A deal under way: its state, and what the actions do to it. Whether an action is legal is not looked at here."""

    def __init__(self, state: State, shuffle: Shuffle | None) -> None:
        """Go on from a state.

        Args:
            state: the position, changed by what is carried out.
            shuffle: see `Referee`.
        """
        self._state = state
        self._shuffle = shuffle

    @abstractmethod
    def legal(self) -> set[str]:
        """The texts of all legal actions; empty when the deal is over."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Everything that is impossible in the position, one sentence each."""

    @abstractmethod
    def carry_out(self, action: str) -> None:
        """Do what a legal action says, and then what the engine does by itself (ACTIONS.md, section 2.5)."""

    @abstractmethod
    def upcard_can_be_taken(self) -> bool:
        """Whether the seat that draws may take the upcard."""

    @abstractmethod
    def upcard_counts_as_declined(self) -> bool:
        """Whether a draw from the stock leaves an upcard lying that all know to have been refused."""

    @property
    def _seat(self) -> int:
        return self._state.mover()

    @property
    def _hand(self) -> Counter[str]:
        return self._state.hands[self._seat]

    # ---- draw ----------------------------------------------------------------------------------------------------

    def _begin_turn(self, seat: int, after_call: bool = False) -> None:
        """The seat's draw is due; if it can draw nothing, the deal is blocked (J12.3)."""
        state = self._state
        state.phase = Phase("draw", seat, after_call=after_call)
        if not state.stock_can_give() and not self.upcard_can_be_taken():
            state.phase = Phase("over", None)

    def _do_draw(self, action: str) -> None:
        state, seat = self._state, self._seat
        if action == "take upcard":
            self._take_upcard(seat)
        else:
            left_lying = self.upcard_counts_as_declined()
            self._draw_from_stock(seat)
            if left_lying:
                state.declined[seat][state.pile[0]] += 1  # noted after the memory was emptied by a reshuffle
        state.phase = Phase("play", seat)

    def _take_upcard(self, seat: int) -> None:
        card = self._state.pile.pop(0)
        self._state.hands[seat][card] += 1
        self._state.known[seat][card] += 1

    def _draw_from_stock(self, seat: int) -> None:
        if not self._state.stock:
            self._renew_stock(self._new_order(self._state.pile[1:]))
        self._state.hands[seat][self._state.stock.pop(0)] += 1

    def _new_order(self, cards: list[str]) -> list[str]:
        """The order of the cards that become the stock (J12.1). The state is not touched."""
        if self._shuffle is None:
            raise EnvironmentStateError("the stock has to be renewed, but there is no shuffle")
        order = list(self._shuffle(sorted_cards(cards)))
        if Counter(order) != Counter(cards):
            raise EnvironmentStateError("the shuffle has not returned the cards that it was given")
        return order

    def _renew_stock(self, order: list[str]) -> None:
        """All cards of the pile except its top card become the stock (J12.1)."""
        state = self._state
        state.stock, state.pile = order, state.pile[:1]
        state.reshuffles += 1
        for seat in range(state.num_players):
            state.discarded[seat].clear()
            state.declined[seat].clear()

    # ---- play ----------------------------------------------------------------------------------------------------

    def _lose(self, card: str) -> None:
        """A card leaves the hand; if one like it is known, the known one has left."""
        known = self._state.known[self._seat]
        self._hand[card] -= 1
        if known[card]:
            known[card] -= 1

    def _goes_out(self) -> bool:
        """End the deal if the seat has opened and its hand is empty (J10.2, J10.4)."""
        if self._state.opened[self._seat] and not self._hand.total():
            self._state.phase = Phase("over", self._seat)
            return True
        return False

    def _turn_is_last(self) -> bool:
        """Count the turn that ends; after the last one the deal is blocked (J12.4)."""
        state = self._state
        state.turns += 1
        if state.turns >= state.rules.max_turns(state.num_players):
            state.phase = Phase("over", None)
            return True
        return False
