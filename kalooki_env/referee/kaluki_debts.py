"""What is owed in Kaluki, and whether the rest of a turn can settle it (ACTIONS.md, section 8.2; KL4.1, KL4.4, KL5.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kalooki_env.referee.kaluki_melds import Swap, opening_value, swaps
from kalooki_env.referee.melds import Meld
from kalooki_env.referee.opening import search_of
from kalooki_env.referee.state import State, Target
from kalooki_env.rules import JOKER, Rules


@dataclass(frozen=True)
class Outlook:
    """What the seat to move would have before it in phase `play`, after an action.

    Attributes:
        hand: its hand.
        owed: what it would owe.
        table: the melds of all seats by their names.
    """

    hand: Counter[str]
    owed: Counter[str]
    table: dict[Target, Meld]

    @classmethod
    def of(cls, state: State) -> Outlook:
        """The outlook as it is now; a meld that is being filled does not count."""
        hand = state.hands[state.mover()]
        return cls(hand, state.owed, {target: state.meld(target) for target in state.order})

    def with_card(self, card: str) -> Outlook:
        """The outlook with one more card, which is owed."""
        return Outlook(self.hand + Counter([card]), self.owed + Counter([card]), self.table)

    def after_layoff(self, card: str, target: Target, meld: Meld) -> Outlook:
        """The outlook once a card has gone onto a meld, which settles nothing."""
        return Outlook(self.hand - Counter([card]), self.owed, {**self.table, target: meld})

    def after_new_meld(self, placed: Counter[str], target: Target, meld: Meld) -> Outlook:
        """The outlook once cards have gone into a new meld, which settles what is owed of them."""
        return Outlook(self.hand - placed, self.owed - placed, {**self.table, target: meld})

    def after_swap(self, target: Target, swap: Swap, rules: Rules) -> Outlook:
        """The outlook once naturals and jokers have changed places."""
        jokers = Counter({JOKER: swap.jokers})
        owed = self.owed + jokers if rules.joker_after_swap == "new_meld_this_turn" else self.owed
        return Outlook(self.hand - Counter(swap.naturals) + jokers, owed, {**self.table, target: swap.meld})

    def after_any_swap(self, rules: Rules) -> Iterator[Outlook]:
        """The outlooks after each swap that the hand allows."""
        for target, meld in self.table.items():
            for swap in swaps(meld, self.hand, rules):
                yield self.after_swap(target, swap, rules)


# ---- what a seat may do ------------------------------------------------------------------------------------------------


def upcard_would_be_owed(state: State, seat: int) -> bool:
    """Whether a seat that takes the upcard must lay it in a new meld (KL4.1)."""
    if state.opened[seat]:
        return state.rules.upcard_after_opening == "only_for_new_meld"
    return state.rules.upcard_before_opening == "only_to_open"


def upcard_can_be_taken(state: State) -> bool:
    """Whether the seat that draws may take the upcard (KL4.1)."""
    if not state.pile:
        return False
    return not upcard_would_be_owed(state, state.mover()) or can_settle(state, Outlook.of(state).with_card(state.pile[0]))


def may_lay_further_melds(state: State) -> bool:
    """Whether a seat lays melds after its opening in this turn (KL4.3)."""
    in_time = not state.phase.opened_now or state.rules.extra_melds == "any_time_after_opening"
    return state.opened[state.mover()] and in_time


def may_lay_off(state: State) -> bool:
    """Whether a seat lays off in this turn (KL4.2, KL4.3)."""
    return state.opened[state.mover()] and (not state.phase.opened_now or state.rules.layoff_in_opening_turn)


def may_swap(state: State) -> bool:
    """Whether a seat swaps jokers in this turn (KL4.4)."""
    return state.opened[state.mover()] or state.rules.joker_release_requires == "nothing"


# ---- what can still be laid --------------------------------------------------------------------------------------------


def points_laid(state: State) -> int:
    """Opening value of the melds that a seat has finished in its opening (KL4.2)."""
    return sum(opening_value(meld, state.rules) for meld in state.melds[state.mover()])


def can_open(state: State, hand: Counter[str], owed: Counter[str], laid: int) -> bool:
    """Whether melds of the hand, as it is, complete an opening that holds all that is owed (KL4.2).

    Args:
        state: the position.
        hand: what the seat would have in hand.
        owed: what it would owe.
        laid: opening value of what would lie of its opening.
    """
    assert state.rules.opening_points is not None
    need = state.rules.opening_points - laid
    return search_of(state.rules).can_lay(hand, need, owed, state.rules.final_discard_required)


def can_settle(state: State, outlook: Outlook) -> bool:
    """Whether the seat to move can go on from phase `play` such that nothing is owed in the end (section 8.2).

    It may swap jokers, lay off, and lay new melds, or open if it has not, in any order. Tried are only some swaps of jokers that
    lie now, and after them melds of the hand as it then is; everything else comes down to that. A card that is laid off settles
    nothing, and would do no harm in the hand. A joker that the seat lays or lays off, and swaps off later, might as well have
    stayed in the hand, with the natural put in its place at once. And swaps need none of the new melds, while these may need the
    jokers.
    """
    rules = state.rules
    if not outlook.owed.total():
        return outlook.hand.total() > 0 or not rules.final_discard_required  # KL5.1
    waiting, seen = [outlook], set()
    while waiting:
        now = waiting.pop()
        # What lies tells what was swapped, so it stands for the hand as well.
        lying = tuple(tuple(meld.cards) for meld in now.table.values())
        if lying in seen:
            continue
        seen.add(lying)
        if _settles_without_swaps(state, now):
            return True
        if may_swap(state):
            waiting += now.after_any_swap(rules)
    return False


def _settles_without_swaps(state: State, outlook: Outlook) -> bool:
    if not state.opened[state.mover()]:
        return can_open(state, outlook.hand, outlook.owed, points_laid(state))
    keep = state.rules.final_discard_required
    return may_lay_further_melds(state) and search_of(state.rules).can_lay(outlook.hand, 0, outlook.owed, keep)
