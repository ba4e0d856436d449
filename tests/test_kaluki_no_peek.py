"""Kaluki: hidden cards reach nothing that a seat is given. As in `test_no_peek.py`, and what only Kaluki could give away."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from conftest import KALUKI, positions
from kaluki_texts import PHASES, in_the_midst
from test_kaluki_core import EAGER
from test_no_peek import given, permuted

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.game.game import Game
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.schema import Observation
from kalooki_env.verify import mixed_policy

FOUR_JOKERS = [f"{rules} joker_total=null" if "_" in rules else rules for rules in KALUKI]
EVERYTHING = "obs-v1+match+solver"


def observer_of(game: Game) -> Observer:
    return Observer(game.engine, Observation.of(EVERYTHING, game.max_seats, kaluki=True))


@pytest.mark.parametrize("rules", [*KALUKI, EAGER[1]])
@pytest.mark.parametrize("num_players", [2, 4, 5])
def test_hidden_cards_do_not_show(rules: str, num_players: int, rng: np.random.Generator) -> None:
    source = np.zeros(1, core.STATE)
    phases: Counter[Phase] = Counter()
    for seed in range(3):
        game = Game(rules, num_players, seed=100 * seed + num_players)
        game.states[0]["match_deal"] = 2
        game.states[0]["totals"][:num_players] = rng.integers(0, 90, num_players)
        observer = observer_of(game)
        for step, position in enumerate(positions(game, rng, mixed_policy, limit=600)):
            if step % 7 and position.phase in (Phase.DRAW, Phase.PLAY):
                continue
            for seat in range(num_players):
                other = permuted(position, seat, source, tries=20)
                if other is None:
                    # The seat to move owes a card, or is in the midst of something, that few other hands can lay.
                    assert position.phase not in (Phase.DRAW, Phase.OVER)
                    continue
                phases[position.phase] += other.text() != position.text()
                assert given(other, seat, observer) == given(position, seat, observer), f"seat {seat} in\n{position}"
                assert other.hand(seat) == position.hand(seat)
                assert (other.to_move is None) or other.legal_numbers()
    assert {Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.OVER} <= {phase for phase, count in phases.items() if count}


@pytest.mark.parametrize("rules", FOUR_JOKERS)
@pytest.mark.parametrize("name", PHASES)
def test_hidden_cards_do_not_show_in_the_midst_of_an_action(name: str, rules: str) -> None:
    game = Game.from_text(in_the_midst(rules)[name])
    observer = observer_of(game)
    source = np.zeros(1, core.STATE)
    for seat in range(3):
        changed = 0
        for _ in range(10):
            other = permuted(game, seat, source, tries=200)
            assert other is not None
            changed += other.text() != game.text()
            assert given(other, seat, observer) == given(game, seat, observer)
        assert changed


BEFORE_THE_DRAW = (
    "kalooki: 1\nrules: {rules}\nplayers: 3\ndeal: 1\ndealer: P3\nturns: 4\nphase: draw P2\nhand P1: 4S 9C\nhand P2: {hand}\n"
    "hand P3: QC 2C\n{more}stock: {stock}\npile: 7S 5C KD\n"
)
#: Hands of P2 that can take 7S under British rules, and hands that cannot.
HANDS = [
    ("", "7H 7D TS JS QS KS AS 9H", "7H 8D TS JS QS KS AS 9H"),
    ("opened: P2\nmeld P2/1: 6H 6D 6C\n", "8S 9S 2H", "8S TS 2H"),
]


@pytest.mark.parametrize("rules", ["kaluki40_british", "kaluki51_european"])
@pytest.mark.parametrize(("more", "takes", "leaves"), HANDS, ids=["not-opened", "opened"])
def test_whether_the_upcard_could_be_laid_stays_a_secret(rules: str, more: str, takes: str, leaves: str) -> None:
    """KL4.1, `ACTIONS.md` 8.5: before the draw, after it, and after the discard that follows."""
    games = []
    for hand in (takes, leaves):
        first = ["4D", "4H", *(set(takes.split()) - set(hand.split())), *(set(leaves.split()) - set(hand.split()))]
        rest = Game.from_text(BEFORE_THE_DRAW.format(rules=rules, more=more, hand=hand, stock="rest"))
        stock = next(line for line in rest.text().splitlines() if line.startswith("stock:")).split()[1:]
        for card in first:
            stock.remove(card)
        games.append(Game.from_text(BEFORE_THE_DRAW.format(rules=rules, more=more, hand=hand, stock=" ".join(first + stock))))
    assert [game.can("take upcard") for game in games] == [True, False]
    observer = observer_of(games[0])
    for move in (None, "draw stock", "discard 4D", "draw stock", "discard 4H"):
        for game in games:
            if move is not None:
                game.do(move)
        for seat in (0, 2):
            if move != "draw stock" or games[0].to_move != seat:
                assert len({given(game, seat, observer) for game in games}) == 1, (move, seat)
    assert "declined P2: 7S" in games[0].text()
    assert "declined P2: 7S" in games[1].text()


def test_refusals_to_other_seats_do_not_depend_on_the_hand() -> None:
    """Neither does the list of what is legal stand in the message."""
    messages = set()
    for more, takes, leaves in HANDS:
        for hand in (takes, leaves):
            game = Game.from_text(BEFORE_THE_DRAW.format(rules="kaluki40_british", more=more, hand=hand, stock="rest"))
            for seat in (0, 2):
                with pytest.raises(Exception, match="is illegal") as caught:
                    game.do("take upcard", seat)
                assert "hand P" not in str(caught.value)
                messages.add(str(caught.value).replace("P3", "P1"))
    assert len(messages) == 1


@pytest.mark.parametrize("known", ["7H 7D TS JS", "7H 7D"])
def test_other_hidden_cards_leave_the_seat_to_draw_something_to_do(known: str) -> None:
    """P2 must take the upcard, since the stock cannot be renewed: all hands that it may have can lay it."""
    hand = "7H 7D TS JS QS KS AS 9H"
    text = (
        "kalooki: 1\nrules: kaluki40_british reshuffle_max=0\nplayers: 3\ndeal: 1\ndealer: P3\nturns: 4\nphase: draw P2\n"
        "hand P1: 4S 9C\nhand P2: {hand}\nhand P3: QC 2C 3C 4C 5C 6C 8C\n{known}stock: -\npile: {pile}\n"
    )
    used = Counter([*hand.split(), "7S", "4S", "9C", *(rank + "C" for rank in "Q234568")])
    everything = Counter(rank + suit for rank in "A23456789TJQK" for suit in "SHDC" for _ in range(2)) + Counter(JK=2)
    pile = " ".join(["7S", *(everything - used).elements()])
    game = Game.from_text(text.format(hand=hand, known=f"known P2: {known}\n", pile=pile))
    assert game.legal_actions() == ["take upcard"]
    source, found = np.zeros(1, core.STATE), 0
    for _ in range(200):
        changed = permuted(game, 2, source, tries=50)
        if changed is not None:
            found += changed.text() != game.text()
            assert changed.legal_actions() == ["take upcard"]
    assert found
