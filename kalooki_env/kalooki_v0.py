"""The environment under the name that PettingZoo gives its own: `from kalooki_env import kalooki_v0`."""

from kalooki_env.envs.aec import env, raw_env
from kalooki_env.envs.parallel import parallel_env

__all__ = ["env", "parallel_env", "raw_env"]
