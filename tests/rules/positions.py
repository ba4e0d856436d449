"""Positions for the tests of the rule book, and the ways in which they ask about a move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from kalooki_env.core import Phase
from kalooki_env.errors import IllegalActionError
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import JOKER, RANKS, Rules


def run(suit: str, places: str) -> str:
    """Cards of one suit: `run("S", "A23")` is `AS 2S 3S`."""
    return " ".join(rank + suit for rank in places)


#: The thirteen spades from the ace to the king.
SPADES = run("S", RANKS)


def cards(text: str) -> list[str]:
    """The physical cards of a hand, or of melds separated by `+`: `JK(6H)` is a joker."""
    return [JOKER if word.startswith(JOKER) else word for word in text.replace("+", " ").split()]


def in_order(text: str) -> str:
    """Cards in card order, as hands and threes are written; `-` for none."""
    return " ".join(sorted(cards(text), key=CARD_NAMES.index)) or "-"


def position(
    phase: str = "play P1",
    *,
    rules: str = "jamaican_consensus",
    players: int = 4,
    deal: int = 1,
    dealer: str | None = None,
    turns: int | None = None,
    reshuffles: int = 0,
    melds: Mapping[str, str] | None = None,
    calls: str = "-",
    answers: str = "-",
    stock: str = "",
    pile: str = "",
    rest: str = "stock",
    more: tuple[str, ...] = (),
    **hands: str,
) -> Game:
    """A game at a position in which every card lies somewhere.

    Args:
        phase: line `phase` of the position text.
        rules: line `rules`.
        players: number of seats.
        deal: number of the deal.
        dealer: default: the last seat.
        turns: turns ended; default: two rounds.
        reshuffles: renewals of the stock so far.
        melds: melds of each seat that has opened: `{"P2": "7S 7H 7D + QS QD QC + 5H JK 7H 8H"}`.
        calls: line `calls`.
        answers: line `answers`.
        stock: cards on top of the stock, top first.
        pile: cards of the pile, top first.
        rest: `stock`, or the seats whose hands take all cards not named, `P3 P4`, so that the stock holds `stock` and no more.
        more: further lines of the position text.
        **hands: hand of each seat, `P2="4S JK"`. A seat not named gets as many cards as it was dealt, or one if it has opened.
    """
    melds = melds or {}
    table = Rules.parse(rules)
    packs = table.packs_for(players)
    left = Counter({name: table.jokers_with(packs) if name == JOKER else packs for name in CARD_NAMES})
    for text in (*hands.values(), *melds.values(), stock, pile):
        left.subtract(cards(text))
    others = list((+left).elements())  # a card named too often is left for the reader to refuse
    held = {f"P{number}": hands.get(f"P{number}") for number in range(1, players + 1)}
    if rest != "stock":
        takers = rest.split()
        for i, seat in enumerate(takers):
            held[seat] = " ".join([held[seat] or "", *others[i :: len(takers)]])
        others = []
    for seat, hand in held.items():
        if hand is None:
            size = 1 if seat in melds else table.contract(deal).hand_size
            held[seat], others = " ".join(others[:size]), others[size:]
    lines = [
        "kalooki: 1",
        f"rules: {rules}",
        f"players: {players}",
        f"deal: {deal}",
        f"dealer: {dealer or f'P{players}'}",
        f"turns: {2 * players if turns is None else turns}",
        f"reshuffles: {reshuffles}",
        f"phase: {phase}",
        *(f"hand {seat}: {hand or '-'}" for seat, hand in held.items()),
        *(
            f"meld {seat}/{number}: {meld.strip()}"
            for seat, text in melds.items()
            for number, meld in enumerate(text.split("+"), start=1)
        ),
        f"opened: {', '.join(melds) or '-'}",
        f"calls: {calls}",
        f"answers: {answers}",
        *more,
        f"stock: {' '.join([*stock.split(), *others]) or '-'}",
        f"pile: {pile or '-'}",
    ]
    return Game.from_text("\n".join(lines))


def shown(game: Game, key: str) -> str | None:
    """Value of a line of the position text, None if there is no such line."""
    lines = dict(line.split(": ", 1) for line in game.text().splitlines())
    return lines.get(key)


def listed(game: Game, key: str) -> list[str]:
    """Cards in a line of the position text: a hand, the stock or the pile, in its order."""
    value = shown(game, key)
    return [] if value in (None, "-") else str(value).split()


def melds_of(game: Game, seat: str) -> list[str]:
    """Texts of the melds of a seat."""
    lines = (shown(game, f"meld {seat}/{number}") for number in range(1, 10))
    return [line for line in lines if line is not None]


def legal(game: Game, move: str, seat: int | None = None) -> Game:
    """The game after a move that must be legal. The given game stays as it is."""
    before = game.text()
    assert game.verify(move, seat) is None
    assert game.can(move, seat)
    assert game.text() == before, "asking about a move changed the position"
    after = game.copy().do(move, seat)
    assert after.text() != before
    assert Game.from_text(after.text()).text() == after.text()
    return after


def refused(game: Game, move: str, reason: Refusal, seat: int | None = None) -> None:
    """Check that a move is refused for this reason, and that nothing changes."""
    before = game.text()
    assert game.verify(move, seat) is reason
    assert not game.can(move, seat)
    with pytest.raises(IllegalActionError) as caught:
        game.do(move, seat)
    assert reason.value in str(caught.value)
    assert game.text() == before


def played(game: Game, *moves: str) -> Game:
    """The game after moves that must all be legal. The given game stays as it is."""
    for move in moves:
        game = legal(game, move)
    return game


def after_lay_down(game: Game) -> Game:
    """The game after `lay down`, completed with the first legal action each time."""
    game = legal(game, "lay down")
    while game.phase in (Phase.MELD, Phase.FILL):
        game.do(game.legal_actions()[0])
    return game


def without_calls(game: Game) -> Game:
    """The game after everybody has passed on the last discard."""
    while game.phase is Phase.CALL:
        game = legal(game, "pass")
    return game
