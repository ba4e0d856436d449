"""The contract solver: can a hand lay the contract, and how many cards must still come (J3, J7)?"""

from kalooki_env.core.solver.distance import (
    contract_distance,
    copies_that_lower,
    distance_up_to,
    distances_after_discard,
    lowering_cards,
)
from kalooki_env.core.solver.feasible import can_meet
from kalooki_env.core.solver.tables import distance_table, feasibility_table

__all__ = [
    "can_meet",
    "contract_distance",
    "copies_that_lower",
    "distance_table",
    "distance_up_to",
    "distances_after_discard",
    "feasibility_table",
    "lowering_cards",
]
