"""Which tables can be seated, examples Q1 to Q5."""

from __future__ import annotations

import pytest

from kalooki_env.errors import RulesError
from kalooki_env.game.game import Game
from kalooki_env.rules import Rules

from .positions import listed


@pytest.mark.parametrize(("players", "short"), [pytest.param(8, "deal .*7", id="Q1"), pytest.param(7, "deal .*9", id="Q2")])
def test_two_packs_are_too_few(players: int, short: str) -> None:
    rules = Rules.preset("jamaican_consensus", packs=2)
    with pytest.raises(RulesError, match=f"{players} players .* 2 packs: {short}"):
        rules.packs_for(players)
    with pytest.raises(RulesError, match=short):
        Game(rules, players)


@pytest.mark.parametrize(
    ("players", "size", "jokers", "stock"), [pytest.param(6, 108, 4, 11, id="Q3"), pytest.param(8, 162, 6, 33, id="Q4")]
)
def test_packs_are_added_by_themselves(players: int, size: int, jokers: int, stock: int) -> None:
    game = Game("jamaican_consensus", players, deal=9, seed=1)
    dealt = [card for seat in range(players) for card in game.hand(seat)]
    deck = [*dealt, *listed(game, "stock"), *listed(game, "pile")]
    assert len(deck) == size
    assert deck.count("JK") == jokers
    assert len(listed(game, "stock")) == stock


@pytest.mark.parametrize(("players", "stock"), [pytest.param(6, 23, id="Q5")])
def test_kaluki_at_a_full_table(players: int, stock: int) -> None:
    game = Game("kaluki51", players, seed=1)
    assert sum(len(game.hand(seat)) for seat in range(players)) == 84
    assert len(listed(game, "stock")) == stock
