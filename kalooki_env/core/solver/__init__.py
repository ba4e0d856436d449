"""The contract solver: can a hand lay the contract, and how many cards must still come (J3, J7)?"""

from kalooki_env.core.solver.feasible import can_meet
from kalooki_env.core.solver.tables import feasibility_table

__all__ = ["can_meet", "feasibility_table"]
