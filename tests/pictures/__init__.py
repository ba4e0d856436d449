"""The picture of the README: a position, and its drawing in `table.png`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.game.game import Game
from kalooki_env.render.picture import table_picture

PATH = Path(__file__).parent / "table.png"
#: P1, who has opened, is to play; P3 is known to hold two cards that it took from the pile.
POSITION = """kalooki: 1
rules: jamaican
players: 4
deal: 2
dealer: P4
turns: 21
phase: play P1
hand P1: 4S 9S QH 6D 9D KC
hand P2: 3S 5C 6C
hand P3: 2H 3H 4H 7C 9D JD KS KH AH
hand P4: 5S 5S 9H TC
meld P1/1: 2S 2H 2D
meld P1/2: AS AS AC
meld P1/3: 7D 8D JK(9D) TD
meld P2/1: 7S 7H JK
meld P2/2: QS QD QC
meld P2/3: 5H JK(6H) 7H 8H 9H
meld P4/1: KS KD JK
meld P4/2: 4C 4D 4D 4H
meld P4/3: TC JC QC KC AC
opened: P1, P2, P4
calls: P1 2/1, P3 1/1
answers: P2 1/0, P4 1/1
known P3: 7C KS
discarded P1: 8H JD
stock: rest
pile: 8C KH TS 3D 8H JD
"""


def drawn(position: str = POSITION, **options: Any) -> NDArray[np.uint8]:
    """The picture of a position, as the seat to move sees it."""
    game = Game.from_text(position)
    assert game.to_move is not None
    return table_picture(game.view(game.to_move)[0], game.engine, legal=game.legal_actions(), **options)
