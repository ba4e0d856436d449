"""One deal of either game, played by action texts: dealing, asking, doing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kalooki_env.errors import IllegalActionError, PositionError, RulesError
from kalooki_env.referee.course import Course, Shuffle
from kalooki_env.referee.jamaican import JamaicanCourse
from kalooki_env.referee.kaluki import KalukiCourse
from kalooki_env.referee.notation import check_action, check_card, position_text
from kalooki_env.referee.reading import pack_cards, read_position
from kalooki_env.referee.state import Phase, State
from kalooki_env.rules import Rules


def _course(state: State, shuffle: Shuffle | None) -> Course:
    """The course of a deal of the game that the rules name."""
    return KalukiCourse(state, shuffle) if state.is_kaluki else JamaicanCourse(state, shuffle)


class Referee:
    """One deal, played by action texts (ACTIONS.md). Seats are numbers from 0 here, `P1` and so on in texts."""

    def __init__(
        self, rules: Rules, num_players: int, deal: int, dealer: int, deck: Sequence[str], shuffle: Shuffle | None = None
    ) -> None:
        """Deal the cards (J4.2; ACTIONS.md, section 4).

        Args:
            rules: the rules.
            num_players: number of seats.
            deal: number of the contract (J4); 1 in Kaluki.
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
        self._course = _course(self._state, shuffle)
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
        referee._course = _course(referee._state, shuffle)
        referee._legal = None
        faults = referee._course.faults()
        if not faults:
            number = len(referee.legal())
            if number == 0 and referee._state.phase.name == "draw":
                faults = ["nothing can be drawn: the deal would be blocked"]
            elif number == 0 and referee._state.phase.name != "over":
                faults = ["the seat to move has no legal action"]
            elif number == 1 and referee._state.phase.name in ("fill", "layoff", "move", "swap"):
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
            self._legal = self._course.legal()
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
        check_action(action, self.rules.game)
        if action not in self.legal():
            raise IllegalActionError(f"{action!r} is not legal here", self.position(), None)
        self._course.carry_out(action)
        self._legal = None
