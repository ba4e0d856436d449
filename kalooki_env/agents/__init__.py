"""Agents: scripted ones, checkpoints, and anybody's own."""

from kalooki_env.agents.base import Agent
from kalooki_env.agents.registry import SCRIPTED, AgentLike, load, name_of
from kalooki_env.agents.seating import SeatedAgent, seat

__all__ = ["SCRIPTED", "Agent", "AgentLike", "SeatedAgent", "load", "name_of", "seat"]
