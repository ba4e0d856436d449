"""The arena: agents against each other on duplicate deals, with confidence intervals."""

from kalooki_env.arena.chunks import DealSet
from kalooki_env.arena.duplicate import Arena, Duplicates
from kalooki_env.arena.evaluation import Comparison, Evaluation, LineUp, evaluate
from kalooki_env.arena.stats import Estimate

__all__ = ["Arena", "Comparison", "DealSet", "Duplicates", "Estimate", "Evaluation", "LineUp", "evaluate"]
