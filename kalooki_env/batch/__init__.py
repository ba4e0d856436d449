"""Many tables in one compiled call: each lane runs to the next decision of the seat that is asked, and bots play the others."""

from kalooki_env.batch.lanes import Lanes
from kalooki_env.batch.layout import INFOS, Autoreset, OnIllegal, RewardKind

__all__ = ["INFOS", "Autoreset", "Lanes", "OnIllegal", "RewardKind"]
