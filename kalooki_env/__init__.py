"""Jamaican Kalooki and Kaluki 51 for reinforcement learning. Importing this compiles nothing and needs no torch."""

import gymnasium as _gymnasium

from kalooki_env import agents
from kalooki_env.envs.aec import env, raw_env
from kalooki_env.envs.parallel import parallel_env
from kalooki_env.envs.seat import SeatEnv
from kalooki_env.envs.selfplay import SelfPlayEnv, make_selfplay
from kalooki_env.envs.vector import SeatVectorEnv, make_vec
from kalooki_env.errors import (
    ActionTypeError,
    AgentError,
    CheckpointError,
    ConfigError,
    ConfigTypeError,
    EnvironmentStateError,
    IllegalActionError,
    KalookiError,
    NotationError,
    NotationTypeError,
    PositionError,
    RecordError,
    RulesError,
    RulesTypeError,
    UnknownAgentIDError,
)
from kalooki_env.game.game import Game, Outcome
from kalooki_env.game.match import Match
from kalooki_env.game.match_score import MatchOutcome, MatchScore
from kalooki_env.game.refusals import Refusal
from kalooki_env.records import RecordWriter, read_record
from kalooki_env.rules import Rules, presets
from kalooki_env.version import __version__ as __version__

__all__ = [
    "ActionTypeError",
    "AgentError",
    "CheckpointError",
    "ConfigError",
    "ConfigTypeError",
    "EnvironmentStateError",
    "Game",
    "IllegalActionError",
    "KalookiError",
    "Match",
    "MatchOutcome",
    "MatchScore",
    "NotationError",
    "NotationTypeError",
    "Outcome",
    "PositionError",
    "RecordError",
    "RecordWriter",
    "Refusal",
    "Rules",
    "RulesError",
    "RulesTypeError",
    "SeatEnv",
    "SeatVectorEnv",
    "SelfPlayEnv",
    "UnknownAgentIDError",
    "agents",
    "env",
    "make_selfplay",
    "make_vec",
    "parallel_env",
    "presets",
    "raw_env",
    "read_record",
]


def _register(name: str, **table: object) -> None:
    """A Gymnasium id for one table."""
    _gymnasium.register(
        id=f"{name}-v0",
        entry_point="kalooki_env.envs.seat:SeatEnv",
        vector_entry_point="kalooki_env.envs.vector:SeatVectorEnv",
        kwargs=table,
    )


# `Kalooki-v0` and `Kaluki51-v0` are tables of four; `Kalooki-6p-v0` is one of six.
for _name, _rules, _sizes in (("Kalooki", "jamaican", range(3, 9)), ("Kaluki51", "kaluki51", range(2, 7))):
    _register(_name, rules=_rules)
    for _size in _sizes:
        _register(f"{_name}-{_size}p", rules=_rules, num_players=_size)
del _name, _rules, _sizes, _size
