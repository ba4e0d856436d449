"""Everything that a position consists of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from kalooki_env.referee.contract import Need
from kalooki_env.referee.melds import Meld
from kalooki_env.rules import Rules

Target = tuple[int, int]  # seat and meld, both from 0


@dataclass
class Phase:
    """The decision that is due (ACTIONS.md, section 2).

    Attributes:
        name: `draw`, `play`, `meld`, `fill`, `layoff`, `move`, `call`, `answer` or `over`; in Kaluki `swap` too.
        seat: the seat to move, from 0; in `over` the seat that went out, None in a blocked deal.
        after_call: in `draw`: the call on the last discard was allowed.
        opened_now: the seat opened in this very turn; in `play` and `layoff`, in Kaluki in `fill` and `swap` too.
        filling: in `fill`: the meld that is being filled.
        target: in `layoff`, `move` and `swap`: the meld.
        end: in `layoff` and `move`: the end of a four, `low` or `high`.
        other: in `call` the discarder, in `answer` the caller.
    """

    name: str
    seat: int | None
    after_call: bool = False
    opened_now: bool = False
    filling: Meld | None = None
    target: Target | None = None
    end: str | None = None
    other: int | None = None


@dataclass
class Count:
    """How often something was tried and granted: calls made and allowed. For answers: allowed and refused."""

    first: int = 0
    second: int = 0


@dataclass
class State:
    """A position: the table, the phase, and what is remembered (ACTIONS.md, sections 5 and 6). Seats count from 0.

    Attributes:
        stock: cards of the stock, top first.
        pile: cards of the pile, top first.
        melds: the laid melds of each seat; a meld that is being filled is in the phase instead.
        calls: calls made and allowed, for each seat.
        answers: calls allowed and refused, for each seat.
        known, discarded, declined: see ACTIONS.md, section 5.
        order: in Kaluki all laid melds in the order in which they were begun (ACTIONS.md, section 8.5).
        owed: in Kaluki the cards that the seat to move still has to lay in new melds (ACTIONS.md, section 8.2).
    """

    rules: Rules
    num_players: int
    deal: int
    dealer: int
    phase: Phase
    hands: list[Counter[str]]
    stock: list[str]
    pile: list[str]
    turns: int = 0
    reshuffles: int = 0
    melds: list[list[Meld]] = field(default_factory=list)
    opened: list[bool] = field(default_factory=list)
    calls: list[Count] = field(default_factory=list)
    answers: list[Count] = field(default_factory=list)
    known: list[Counter[str]] = field(default_factory=list)
    discarded: list[Counter[str]] = field(default_factory=list)
    declined: list[Counter[str]] = field(default_factory=list)
    order: list[Target] = field(default_factory=list)
    owed: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        seats = range(self.num_players)
        self.melds = self.melds or [[] for _ in seats]
        self.opened = self.opened or [False for _ in seats]
        self.calls = self.calls or [Count() for _ in seats]
        self.answers = self.answers or [Count() for _ in seats]
        self.known = self.known or [Counter() for _ in seats]
        self.discarded = self.discarded or [Counter() for _ in seats]
        self.declined = self.declined or [Counter() for _ in seats]

    @property
    def is_kaluki(self) -> bool:
        """Whether the game is Kaluki."""
        return self.rules.game == "kaluki"

    def mover(self) -> int:
        """The seat to move; not to be asked when the deal is over."""
        assert self.phase.seat is not None
        return self.phase.seat

    def meld(self, target: Target) -> Meld:
        """A laid meld."""
        return self.melds[target[0]][target[1]]

    def next_seat(self, seat: int) -> int:
        """The next seat clockwise (J1.2)."""
        return (seat + 1) % self.num_players

    def can_renew_stock(self, pile_size: int) -> bool:
        """Whether a pile of this size can be made the stock (J12.1, J12.2)."""
        limit = self.rules.reshuffle_max
        return pile_size >= 2 and (limit is None or self.reshuffles < limit)

    def stock_can_give(self) -> bool:
        """Whether a card can be drawn from the stock, renewed if need be (J12.1)."""
        return bool(self.stock) or self.can_renew_stock(len(self.pile))

    def upcard_can_be_taken(self) -> bool:
        """Whether the seat that draws may take the upcard (J5.2, J6.5, J12.3)."""
        if self.phase.after_call and self.rules.draw_after_call == "stock_only" and self.stock_can_give():
            return False
        return bool(self.pile)

    def callers(self, discarder: int) -> list[int]:
        """The seats that may call the upcard, in the order in which they are asked (J6.2, J6.3)."""
        stock, pile = len(self.stock), len(self.pile)
        # J6.2e: there is a penalty card, and after it a card for the next seat to draw.
        enough = stock + pile >= 3 if stock else pile >= 3 and self.can_renew_stock(pile - 1)
        if not self.rules.calls_enabled or not enough:
            return []
        limit = self.rules.call_max_per_deal
        seats = [(discarder + step) % self.num_players for step in range(2, self.num_players)]  # J6.2a, J6.2b
        return [
            seat
            for seat in seats
            if not self.opened[seat] and (limit is None or self.calls[seat].second < limit)  # J6.2c, J6.2d
        ]

    def decider(self, discarder: int) -> int:
        """The seat that allows or refuses a call on the last discard (J6.4)."""
        return discarder if self.rules.call_decider == "discarder" else self.next_seat(discarder)

    def need(self, seat: int) -> Need:
        """What this seat still has to lay, besides the meld that it is filling (J7.2)."""
        need = Need.of_deal(self.rules, self.deal)
        for meld in self.table(seat):
            need = need.after(meld)
        return need

    def table(self, seat: int) -> list[Meld]:
        """The melds of a seat, with the one that it is filling, even if that has no card yet."""
        filling = self.phase.filling if self.phase.seat == seat else None
        return self.melds[seat] + ([filling] if filling else [])

    def table_in_order(self) -> list[tuple[Target, Meld]]:
        """All melds with their names as a position lists them; the one that is being filled may have no card yet."""
        if not self.is_kaluki:
            return [((seat, number), meld) for seat in range(self.num_players) for number, meld in enumerate(self.table(seat))]
        melds = [(target, self.meld(target)) for target in self.order]
        if self.phase.filling is not None:
            melds.append(((self.mover(), len(self.melds[self.mover()])), self.phase.filling))
        return melds

    def scores(self) -> list[int] | None:
        """The scores of the deal (J11, J12.5), None while it is played."""
        if self.phase.name != "over":
            return None
        scores: list[int] = []
        for seat, hand in enumerate(self.hands):
            if seat == self.phase.seat:
                scores.append(self.rules.go_out_score)  # J11.1
            else:
                points = sum(self.rules.card_points(card) * number for card, number in hand.items())  # J11.2
                scores.append(points + (0 if self.opened[seat] else self.rules.unmet_opening_penalty))  # J11.3
        return scores
