"""Agents: scripted ones, checkpoints, and anybody's own."""

from kalooki_env.agents.base import Agent
from kalooki_env.agents.registry import SCRIPTED, AgentLike, load, name_of

__all__ = ["SCRIPTED", "Agent", "AgentLike", "load", "name_of"]
