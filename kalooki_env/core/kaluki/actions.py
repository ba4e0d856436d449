"""Action numbers of Kaluki beyond those of the Jamaican game (`ACTIONS.md`, 8.4), which has the same up to 126."""

from __future__ import annotations

from kalooki_env.core.layout import MELDS

SET_OF = 114
RUN_OF = 127
#: Lowest places that a run of three cards can have, 0 to 11.
RUN_LOWS = 12
END_MELD = RUN_OF + 4 * RUN_LOWS
END_OPENING = END_MELD + 1
LAY_OFF_ONTO = END_OPENING + 1
SWAP_IN = LAY_OFF_ONTO + 2 * MELDS
KALUKI_ACTIONS = SWAP_IN + MELDS
