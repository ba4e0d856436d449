"""The referee's masks over sequences of swaps against trying every sequence of steps of a turn (ACTIONS.md, section 8.2)."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from brute_force_swaps import BruteForce, Lying, read_node, with_card
from swap_positions import EXAMPLES, Example

from kalooki_env.errors import PositionError
from kalooki_env.referee import Referee
from kalooki_env.referee.melds import CARDS, card_order
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules


def line_of(text: str, key: str) -> str:
    """The value of a line of a position, nothing if it is not there."""
    found = re.search(rf"^{key}: (.*)$", text, re.MULTILINE)
    return found[1] if found else ""


VARIANTS = [
    "kaluki40_british",
    "kaluki40_british joker_release_sets=all_missing_suits joker_total=null",
    "kaluki40_british joker_release_requires=nothing joker_total=null opening_points=24",
    "kaluki40_british joker_release_requires=nothing joker_release_sets=all_missing_suits joker_total=null opening_points=24",
    "kaluki51 joker_after_swap=new_meld_this_turn upcard_after_opening=only_for_new_meld",
    "kaluki51 upcard_after_opening=only_for_new_meld upcard_before_opening=only_to_open joker_release_requires=nothing "
    "opening_points=24",
    "kaluki51 upcard_after_opening=only_for_new_meld upcard_before_opening=only_to_open joker_release_requires=nothing "
    "joker_release_sets=all_missing_suits final_discard_required=true opening_points=24",
    "kaluki40_british extra_melds=later_turns layoff_in_opening_turn=false",
]


def upcard_may_be_taken(text: str, brute: BruteForce) -> bool:
    """Whether the upcard may be taken in a position of phase `draw`, by trying everything."""
    node, rules = read_node(text, brute.rules), brute.rules
    if (rules.upcard_after_opening if node.opened else rules.upcard_before_opening) == "free":
        return True
    upcard = line_of(text, "pile").split()[0]
    return brute.ends_well(replace(node, hand=with_card(node.hand, upcard), owed=(upcard,)))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_worked_positions_agree_with_brute_force(example: Example) -> None:
    rules = Rules.parse(line_of(example.text, "rules"))
    legal = set(example.legal)
    if "phase: draw" in example.text:
        assert ("take upcard" in legal) is upcard_may_be_taken(example.text, BruteForce(rules))
    else:
        assert BruteForce(rules).legal(read_node(example.text, rules)) == legal


class Tables:
    """Tables with jokers on them, and hands that have to do with them."""

    def __init__(self, seed: int, rules: Rules) -> None:
        self.rng = random.Random(seed)
        self.rules = rules

    def meld(self, jokers: int) -> Lying:
        """A meld of three cards with so many jokers."""
        at = self.rng.sample(range(3), jokers)
        if self.rng.random() < 0.5:
            rank = self.rng.choice(RANKS)
            suits = self.rng.sample(SUITS, 3 - jokers)
            return Lying(rank, None, tuple(sorted([rank + suit for suit in suits], key=card_order)) + (JOKER,) * jokers)
        run = Lying(self.rng.choice(SUITS), self.rng.randint(2, 12))
        assert run.low is not None
        cards = tuple(JOKER if index in at else run.at(run.low + index) for index in range(3))
        return Lying(run.kind, run.low, cards)

    def text(self, size: int) -> str:
        """A position with P1 to move; it may be impossible."""
        rng, most = self.rng, self.rules.jokers_with(2)
        numbers = rng.choices((1, 1, 2), k=rng.randint(1, 3))
        while sum(numbers) > most:
            numbers.pop()
        melds = [self.meld(number) for number in numbers]
        naturals = [card for meld in melds for swap in meld.swaps(all_suits=False) for card in swap[0]]
        ranks, suits = rng.sample(RANKS, 4), rng.sample(SUITS, 3)
        pool = [rank + suit for rank in ranks for suit in suits]
        hand = [card for card in naturals if rng.random() < 0.6][: size - 1]
        hand += [JOKER] * rng.randint(0, min(1, most - sum(numbers)))
        hand += rng.sample(pool, max(0, size - len(hand)))
        opened = rng.random() < 0.7
        owners = ["P2"] * len(melds)
        if opened:
            melds, owners = [*melds, Lying("A", None, ("AS", "AH", "AC"))], [*owners, "P1"]
        phase = rng.choice(["draw P1", "play P1", "play P1", "play P1 opened now" if opened else "play P1"])
        owed = [] if phase.startswith("draw") or rng.random() < 0.2 else [rng.choice(hand)]
        return self._lines(sorted(hand, key=card_order), list(zip(owners, melds, strict=True)), opened, phase, owed)

    def _lines(self, hand: list[str], table: list[tuple[str, Lying]], opened: bool, phase: str, owed: list[str]) -> str:
        spare = [card for card in CARDS[:-1] if card not in hand and not any(card in meld.cards for _, meld in table)]
        numbers = Counter[str]()
        melds = ""
        for owner, meld in table:
            numbers[owner] += 1
            cards = [
                f"JK({meld.at(meld.low + index)})" if card == JOKER and meld.low is not None else card
                for index, card in enumerate(meld.cards)
            ]
            melds += f"meld {owner}/{numbers[owner]}: {' '.join(cards)}\n"
        seats = [seat for seat, there in (("P1", opened), ("P2", numbers["P2"])) if there]
        upcard = self.rng.choice([self.rng.choice(spare), self.rng.choice([card for card in hand if card != JOKER])])
        return (
            f"kalooki: 1\nrules: {self.rules}\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 9\nphase: {phase}\n"
            f"hand P1: {' '.join(hand)}\nhand P2: {spare[0]}\n{melds}opened: {', '.join(seats) or '-'}\n"
            + (f"owed: {' '.join(owed)}\n" if owed else "")
            + f"stock: rest\npile: {upcard}\n"
        )


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_every_decision_of_a_turn_agrees_with_brute_force(number: int) -> None:
    rules = Rules.parse(VARIANTS[number])
    tables = Tables(number, rules)
    seen = Counter[str]()
    for _ in range(60):
        text = tables.text(tables.rng.randint(3, 6))
        brute = BruteForce(rules)
        try:
            referee = Referee.from_position(text)
        except PositionError as error:
            if "settle" in str(error):
                assert not brute.ends_well(read_node(text, rules)), text
                seen["refused"] += 1
            continue
        seen += follow_turn(referee, brute, tables.rng)
    assert seen["swap joker"] >= 15, seen
    assert seen["owed, and only a swap is legal"] > 0, seen
    assert seen["refused"] > 0, seen


def follow_turn(referee: Referee, brute: BruteForce, rng: random.Random) -> Counter[str]:
    """Play a turn of P1 at random, and compare what is legal with what can end well."""
    seen = Counter[str]()
    while referee.to_move() == 0:
        text, legal = referee.position(), referee.legal()
        if "phase: draw" in text:
            assert ("take upcard" in legal) is upcard_may_be_taken(text, brute), text
            referee.do("take upcard" if "take upcard" in legal else "draw stock")
            seen["take upcard"] += "take upcard" in legal
            continue
        node = read_node(text, brute.rules)
        assert legal == brute.legal(node), text
        seen["owed, and only a swap is legal"] += bool(node.owed) and all(action.startswith("swap") for action in legal)
        actions = sorted(legal)
        good = [action for action in actions if not action.startswith("discard")]
        action = rng.choice(good if good and rng.random() < 0.9 else actions)
        seen[" ".join(action.split()[:2])] += 1
        referee.do(action)
    return seen
