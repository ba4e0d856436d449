"""The programs that say how much there is to win: advantages, and the plain greedy bot."""

from __future__ import annotations

import numpy as np
import pytest
from rules.positions import position

from kalooki_env import agents
from kalooki_env.agents.play import Player
from kalooki_env.game.engine import engine
from kalooki_env.rules import Rules
from tests.bench.ceiling import Table, as_text, table_text
from tests.bench.deviations import look
from tests.bench.experts import PlainGreedy


def test_who_does_the_same_has_no_advantage() -> None:
    found = Table("jamaican_club", "expert-v1").play(1, 3)
    assert (found["gain"], found["advantage"], found["deviations"]) == (0.0, 0.0, 0.0)
    assert found["decisions"] > 50


@pytest.mark.parametrize(("agent", "knows_stock"), [("greedy", False), ("cheat-all", True)])
def test_advantages_are_told_unless_the_stock_is_known(agent: str, knows_stock: bool) -> None:
    deals = [Table("jamaican", agent).play(deal, 3) for deal in (1, 2)]
    assert all((one["advantage"] is None) == knows_stock and one["deviations"] > 0 for one in deals)
    assert deals == [{**Table("jamaican", agent).play(one["deal"], 3), "seconds": one["seconds"]} for one in deals]


def test_results_are_written_a_line_a_deal() -> None:
    deals = [{**Table("jamaican", "expert-v1").play(1, 3), "deal": deal} for deal in range(1, 10)]
    text = as_text({"search:rollouts=350": deals})
    assert text.count('"deal"') == len(text.splitlines()) - 4
    assert (
        table_text("jamaican", {"search:rollouts=350": deals})
        .splitlines()[2]
        .startswith("| `search:rollouts=350` | 0 | 9 | +0.0 |")
    )


def test_the_plain_greedy_bot_drops_the_dearest_card_that_it_can_spare() -> None:
    """Kings may still come and twos hardly, but it does not count."""
    game = position("play P1", P1="4S 7S KS 4H 7H KH 4D 7D 2S 2H", pile="2D 2D 2C 2C 2S 2H")
    found = []
    for agent in (PlainGreedy(), agents.load("greedy")):
        action = Player(agent, game.engine, "bot").act(
            game.states, np.zeros(1, np.int64), game.mask()[None], np.random.default_rng(0)
        )
        found.append(game.action_text(int(action[0])))
    assert found == ["discard KS", "discard 2S"]


def test_deviations_are_found_in_whole_deals() -> None:
    deals, found = look(engine(Rules.parse("jamaican"), 4), seconds=0.01, seed=1)
    assert deals == 1
    assert all(
        one.phase in ("draw", "play", "meld", "call", "answer") and one.position.startswith("kalooki: 1\n") for one in found
    )
