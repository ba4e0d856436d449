"""Agents by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from kalooki_env.agents.base import Agent
from kalooki_env.agents.scripted import GreedyAgent, RandomAgent
from kalooki_env.errors import AgentError, closest

#: Scripted agents and what makes them.
SCRIPTED: dict[str, Callable[[], Agent]] = {"random": RandomAgent, "greedy": GreedyAgent}


def load(name: str) -> Agent:
    """An agent from its name.

    Args:
        name: a scripted agent (`random`, `greedy`), a checkpoint folder, `sb3:PATH` for a zip file of sb3-contrib's MaskablePPO
            with observation `obs-v1`, or `package.module:Class` for a class of anybody's that can be made without arguments.
            Loading a checkpoint folder runs no code of its maker. The last two do: SB3 files hold pickles, and a module is
            imported.

    Raises:
        AgentError: no such agent; the message gives the closest name.
        CheckpointError: a checkpoint that is damaged, edited, or of another schema.
    """
    if name in SCRIPTED:
        return SCRIPTED[name]()
    if name and Path(name).is_dir():
        # Needs torch, which the scripted agents do without.
        from kalooki_env.agents.checkpoint import CheckpointAgent

        return CheckpointAgent.load(Path(name))
    module, colon, attribute = name.partition(":")
    if module == "sb3" and colon:
        from kalooki_env.agents.sb3 import SB3Agent

        return SB3Agent.load(attribute)
    if not colon:
        known = f"{closest(name, SCRIPTED)}, a checkpoint folder, sb3:PATH, or package.module:Class"
        raise AgentError(f"unknown agent {name!r}{known}")
    return _from_module(name, module, attribute)


def _from_module(name: str, module: str, attribute: str) -> Agent:
    try:
        made = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise AgentError(f"agent {name!r}: {error}") from error
    agent = made() if callable(made) else made
    if not callable(getattr(agent, "act", None)):
        raise AgentError(f"agent {name!r}: {type(agent).__name__} has no method act(observations, masks, rng)")
    found: Agent = agent
    return found
