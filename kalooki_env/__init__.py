"""Jamaican Kalooki for reinforcement learning. Importing this compiles nothing, needs no torch and opens nothing."""

import gymnasium as _gymnasium

from kalooki_env import agents
from kalooki_env.envs.aec import env, parallel_env, raw_env
from kalooki_env.envs.seat import SeatEnv
from kalooki_env.envs.selfplay import SelfPlayEnv, make_selfplay
from kalooki_env.envs.vector import SeatVectorEnv, make_vec
from kalooki_env.errors import (
    AgentError,
    CheckpointError,
    ConfigError,
    EnvironmentStateError,
    IllegalActionError,
    KalookiError,
    NotationError,
    PositionError,
    RecordError,
    RulesError,
)
from kalooki_env.game.game import Game, Outcome
from kalooki_env.game.match import Match
from kalooki_env.game.match_score import MatchOutcome, MatchScore
from kalooki_env.game.refusals import Refusal
from kalooki_env.records import RecordWriter, read_record
from kalooki_env.rules import Rules, presets
from kalooki_env.version import __version__ as __version__

__all__ = [
    "AgentError",
    "CheckpointError",
    "ConfigError",
    "EnvironmentStateError",
    "Game",
    "IllegalActionError",
    "KalookiError",
    "Match",
    "MatchOutcome",
    "MatchScore",
    "NotationError",
    "Outcome",
    "PositionError",
    "RecordError",
    "RecordWriter",
    "Refusal",
    "Rules",
    "RulesError",
    "SeatEnv",
    "SeatVectorEnv",
    "SelfPlayEnv",
    "agents",
    "env",
    "make_selfplay",
    "make_vec",
    "parallel_env",
    "presets",
    "raw_env",
    "read_record",
]

_gymnasium.register(
    id="Kalooki-v0",
    entry_point="kalooki_env.envs.seat:SeatEnv",
    vector_entry_point="kalooki_env.envs.vector:SeatVectorEnv",
)
