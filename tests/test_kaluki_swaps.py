"""The engine at the worked positions of swaps, whose legal actions were written down by hand."""

from __future__ import annotations

import pytest
from swap_positions import EXAMPLES, IMPOSSIBLE, Example

from kalooki_env import Game, KalookiError


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_what_is_legal(example: Example) -> None:
    game = Game.from_text(example.text)
    assert set(game.legal_actions()) == set(example.legal)
    assert Game.from_text(game.text()).text() == game.text()
    for action in example.legal:  # and each can be carried out, with something legal after it
        after = game.copy().do(action)
        assert after.to_move is None or after.legal_actions()


@pytest.mark.parametrize("example", IMPOSSIBLE, ids=lambda example: example.name)
def test_what_is_refused(example: Example) -> None:
    with pytest.raises(KalookiError):
        Game.from_text(example.text)
