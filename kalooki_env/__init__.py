"""Jamaican Kalooki for reinforcement learning. Importing this compiles nothing, needs no torch and opens nothing."""

from kalooki_env import agents
from kalooki_env.envs.aec import env, parallel_env, raw_env
from kalooki_env.errors import (
    AgentError,
    CheckpointError,
    ConfigError,
    EnvironmentStateError,
    IllegalActionError,
    KalookiError,
    NotationError,
    PositionError,
    RulesError,
)
from kalooki_env.game.game import Game, Outcome
from kalooki_env.game.refusals import Refusal
from kalooki_env.rules import Rules, presets

__version__ = "0.1.0"

__all__ = [
    "AgentError",
    "CheckpointError",
    "ConfigError",
    "EnvironmentStateError",
    "Game",
    "IllegalActionError",
    "KalookiError",
    "NotationError",
    "Outcome",
    "PositionError",
    "Refusal",
    "Rules",
    "RulesError",
    "agents",
    "env",
    "parallel_env",
    "presets",
    "raw_env",
]
