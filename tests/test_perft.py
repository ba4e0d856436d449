"""How many sequences of so many actions there are from a position, counted by the engine and by the referee.

The numbers are recorded, as chess programs do: one action too many or too few anywhere below the position changes them.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import pytest
from rules.positions import position

from kalooki_env.game.game import Game
from kalooki_env.referee import Referee


def by_engine(game: Game, depth: int) -> int:
    """Sequences of exactly `depth` actions."""
    legal = game.legal_numbers()
    return len(legal) if depth == 1 else sum(by_engine(game.copy().do(action), depth - 1) for action in legal)


def by_referee(referee: Referee, depth: int) -> int:
    """As `by_engine`."""
    legal = referee.legal()
    if depth == 1:
        return len(legal)
    total = 0
    for action in legal:
        below = copy.deepcopy(referee)
        below.do(action)
        total += by_referee(below, depth - 1)
    return total


class Case(NamedTuple):
    """A position and the numbers of sequences of 1, 2, 3, … actions from it."""

    game: Game
    counts: tuple[int, ...]


def kaluki(rules: str, phase: str, hand: str, *melds: str, pile: str = "9D") -> Game:
    """A table of two at Kaluki in its third round; P2 has opened and holds one card."""
    opened = sorted({meld[:2] for meld in melds})
    lines = [f"kalooki: 1\nrules: {rules}\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 4\nphase: {phase}", f"hand P1: {hand}"]
    lines += ["hand P2: 4D", *(f"meld {meld}" for meld in melds), f"opened: {', '.join(opened)}", "stock: rest", f"pile: {pile}"]
    return Game.from_text("\n".join(lines))


RUN = {"P2": "4S JK 6S 7S + 9H JK JH QH + 2D 3D 4D JK"}
CASES = {
    "a lay-down of three threes with jokers": Case(
        position("play P1", rules="jamaican", players=3, P1="7S 7S 7H QS QH QD 9C 9D JK 2H", pile="KC"),
        (9, 19, 38, 134, 390, 768, 2288),
    ),
    "a lay-down with a choice of fours": Case(
        position("play P1", rules="jamaican", players=3, deal=3, P1="5S 6S 7S 8S 9S 3H 4H JK 6H KS KD KC", pile="KC"),
        (12, 26, 54, 229, 719, 1390),
    ),
    "the same ranks and suits only": Case(
        position("meld P1", players=3, deal=4, P1="5S 6S 7S 8S 9S 3H 4H JK 6H TC JC QC KC", pile="KC"), (4, 10, 12, 24, 0)
    ),
    "lay-offs and joker moves": Case(
        position("play P2", rules="jamaican", players=3, deal=4, melds=RUN, P2="5S TH 5D 3S KC JK", pile="KC"), (16, 132, 769)
    ),
    "anybody moves jokers, and the high end comes first": Case(
        position(
            "play P1",
            rules="jamaican_club",
            players=3,
            deal=4,
            melds={**RUN, "P1": "8C 9C TC JC + TD JD QD KD + 5H 6H 7H 8H"},
            P1="5S TH 5D 3S KC AD",
            pile="KC",
        ),
        (13, 86, 412, 1438),
    ),
    "calls of five players": Case(
        position("play P1", rules="jamaican", players=5, P1="7S 7H", pile="KC 2D 3D"), (2, 4, 8, 16, 64, 176, 384)
    ),
    "the next seat decides, and a refusal takes the card": Case(
        position("play P1", rules="jamaican_club", players=4, P1="7S 7H", pile="KC 2D 3D"), (2, 4, 8, 22, 74, 156, 357)
    ),
    "two cards before the end": Case(
        position("draw P2", rules="jamaican", players=3, deal=4, melds=RUN, P2="JK", pile="5S 7C", stock="8S"),
        (2, 14, 37, 21, 73, 203, 1377),
    ),
    "no stock, and little to take": Case(
        position("draw P2", rules="jamaican", players=3, deal=4, melds=RUN, P1="KS", P2="JK", pile="5S", rest="P3"),
        (1, 8, 24, 53, 96, 1956),
    ),
    "Kaluki: openings of just 51 points and more, with two jokers": Case(
        kaluki("kaluki51", "play P1", "7S TS 7H TH 7D TD JC JK JK", "P2/1: 3C 4C 5C"), (9, 40, 66, 112, 679, 2233)
    ),
    "Kaluki: an upcard and jokers that must be laid, and a card to keep": Case(
        kaluki(
            "kaluki40_british",
            "draw P1",
            "6S 7S 8S QD QC 5H KC",
            "P2/1: 4H JK(5H) 6H",
            "P1/1: QS QH JK",
            pile="8S 9H 9D",
        ),
        (2, 16, 48, 159, 540, 1799),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers_of_sequences(name: str) -> None:
    game, counts = CASES[name]
    depths = range(1, len(counts) + 1)
    assert tuple(by_engine(game, depth) for depth in depths) == counts
    referee = Referee.from_position(game.text())
    assert tuple(by_referee(referee, depth) for depth in depths) == counts
