"""The course of a deal: the phases, and what each action does (ACTIONS.md, section 2; J5 to J12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from kalooki_env.errors import EnvironmentStateError, IllegalActionError, PositionError, RulesError
from kalooki_env.referee.checks import faults_of
from kalooki_env.referee.legal import actions, cards_to_place
from kalooki_env.referee.melds import HIGH, Four, Meld, Three, joker_replaced_by, sorted_cards
from kalooki_env.referee.notation import check_action, check_card, position_text, read_kind, read_target
from kalooki_env.referee.reading import pack_cards, read_position
from kalooki_env.referee.state import Phase, State
from kalooki_env.rules import JOKER, Rules

Shuffle = Callable[[list[str]], Sequence[str]]


class Referee:
    """One deal, played by action texts (ACTIONS.md). Seats are numbers from 0 here, `P1` and so on in texts."""

    def __init__(
        self, rules: Rules, num_players: int, deal: int, dealer: int, deck: Sequence[str], shuffle: Shuffle | None = None
    ) -> None:
        """Deal the cards (J4.2; ACTIONS.md, section 4).

        Args:
            rules: the rules.
            num_players: number of seats.
            deal: number of the contract, 1 to 9.
            dealer: seat of the dealer, from 0.
            deck: all cards of the packs, top first, before the deal.
            shuffle: asked when the stock is renewed (J12.1): it gets the cards in card order and returns their new order, top
                first. None: renewing the stock is an error.

        Raises:
            RulesError: this table cannot be seated, or there is no such dealer.
            NotationError: a text in the deck is no card.
            PositionError: the deck is not exactly the cards of the packs.
        """
        rules.check_table(num_players, deal)
        if dealer not in range(num_players):
            raise RulesError(f"dealer {dealer!r} is not allowed; allowed: 0 to {num_players - 1}")
        cards = [check_card(card) for card in deck]
        if Counter(cards) != pack_cards(rules, num_players):
            raise PositionError([f"the deck is not {rules.packs_for(num_players)} packs"])
        first = (dealer + 1) % num_players
        hands: list[Counter[str]] = [Counter() for _ in range(num_players)]
        dealt = num_players * rules.contract(deal).hand_size
        for number, card in enumerate(cards[:dealt]):
            hands[(first + number) % num_players][card] += 1
        self._state = State(
            rules=rules,
            num_players=num_players,
            deal=deal,
            dealer=dealer,
            phase=Phase("draw", first),  # J5.1
            hands=hands,
            stock=cards[dealt + 1 :],
            pile=[cards[dealt]],
        )
        self._shuffle = shuffle
        self._legal: set[str] | None = None

    @classmethod
    def from_position(cls, text: str, shuffle: Shuffle | None = None) -> Referee:
        """A deal that goes on from a position text (ACTIONS.md, section 6). The line `rng` is ignored.

        Args:
            text: the position.
            shuffle: as for a new deal.

        Raises:
            NotationError: the text cannot be read.
            PositionError: it describes no possible position.
            RulesError: its rules cannot be read, or do not seat its table.
        """
        referee = cls.__new__(cls)
        referee._state = read_position(text)
        referee._shuffle = shuffle
        referee._legal = None
        faults = faults_of(referee._state)
        if not faults:
            number = len(referee.legal())
            if number == 0 and referee._state.phase.name != "over":
                faults = ["the seat to move has no legal action"]
            elif number == 1 and referee._state.phase.name in ("fill", "layoff", "move"):
                faults = ["only one card can be placed: it would lie already"]
        if faults:
            raise PositionError(faults)
        return referee

    # ---- what can be asked ---------------------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self._state.rules

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return self._state.num_players

    @property
    def deal(self) -> int:
        """Number of the contract (J4)."""
        return self._state.deal

    @property
    def dealer(self) -> int:
        """Seat of the dealer, from 0."""
        return self._state.dealer

    def to_move(self) -> int | None:
        """The seat to move, from 0; None when the deal is over."""
        return None if self._state.phase.name == "over" else self._state.phase.seat

    def legal(self) -> set[str]:
        """The texts of all legal actions; empty when the deal is over."""
        if self._legal is None:
            self._legal = actions(self._state)
        return set(self._legal)

    def position(self) -> str:
        """The canonical text of the position, without the line `rng` (ACTIONS.md, section 6)."""
        return position_text(self._state)

    def scores(self) -> list[int] | None:
        """The scores of all seats, None until the deal is over (J11, J12.5)."""
        return self._state.scores()

    def do(self, action: str) -> None:
        """Carry out an action.

        Raises:
            NotationError: the text is no action.
            IllegalActionError: the action is not legal here; the state is unchanged.
            EnvironmentStateError: the stock has to be renewed and nobody can shuffle it; the state is unchanged.
        """
        check_action(action)
        if action not in self.legal():
            raise IllegalActionError(f"{action!r} is not legal here", self.position(), None)
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
        self._legal = None
        self._fill_automatically()

    @property
    def _seat(self) -> int:
        return self._state.mover()

    @property
    def _hand(self) -> Counter[str]:
        return self._state.hands[self._seat]

    @property
    def _other(self) -> int:
        other = self._state.phase.other
        assert other is not None
        return other

    # ---- draw ----------------------------------------------------------------------------------------------------

    def _begin_turn(self, seat: int, after_call: bool = False) -> None:
        """The seat's draw is due; if it can draw nothing, the deal is blocked (J12.3)."""
        state = self._state
        state.phase = Phase("draw", seat, after_call=after_call)
        if not state.stock_can_give() and not state.upcard_can_be_taken():
            state.phase = Phase("over", None)

    def _do_draw(self, action: str) -> None:
        state, seat = self._state, self._seat
        if action == "take upcard":
            self._take_upcard(seat)
        else:
            left_lying = state.upcard_can_be_taken()
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
