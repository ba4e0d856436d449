"""Agents by name."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from kalooki_env.agents.base import Agent
from kalooki_env.agents.scripted import ExpertAgent, ExpertV2Agent, GreedyAgent, RandomAgent
from kalooki_env.agents.search import CheatAll, CheatHands, SearchAgent
from kalooki_env.errors import AgentError, closest

#: Scripted agents and what makes them. The name `expert` is that of the newest expert.
SCRIPTED: dict[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "expert-v1": ExpertAgent,
    "expert-v2": ExpertV2Agent,
    "expert": ExpertV2Agent,
}
#: Agents that take options, as in `search:ms=1000,bot=greedy`, and what makes them. Those whose names begin with `cheat` see
#: hidden cards.
SEARCHES: dict[str, Callable[..., Agent]] = {"search": SearchAgent, "cheat-hands": CheatHands, "cheat-all": CheatAll}


def load(name: str) -> Agent:
    """An agent from its name.

    Args:
        name: a scripted agent (`random`, `greedy`, `expert-v1`, `expert-v2`), `search` with or without options
            (`search:ms=1000`; the Jamaican game only), a checkpoint folder, `sb3:PATH` for a zip file of sb3-contrib's
            MaskablePPO, trained with the observation that the file tells or else with `obs-v1`, or `package.module:Class` for a
            class of anybody's that can be made without arguments. Loading a checkpoint folder runs no code of its maker. The
            last two do: SB3 files hold pickles, and a module is imported.

    Raises:
        AgentError: no such agent; the message gives the closest name.
        CheckpointError: a checkpoint that is damaged, edited, or of another schema.
    """
    if name in SCRIPTED:
        return SCRIPTED[name]()
    kind, _, options = name.partition(":")
    if kind in SEARCHES:
        return _search(name, SEARCHES[kind], options)
    if name and Path(name).is_dir():
        try:
            from kalooki_env.agents.checkpoint import CheckpointAgent
        except ModuleNotFoundError as error:  # torch, which the scripted agents do without
            raise AgentError(f"agent {name!r}: a checkpoint needs {error.name}: pip install 'kalooki_env[train]'") from error
        return CheckpointAgent.load(Path(name))
    module, colon, attribute = name.partition(":")
    if module == "sb3" and colon:
        from kalooki_env.agents.sb3 import SB3Agent

        return SB3Agent.load(attribute)
    if not colon:
        known = f"{closest(name, [*SCRIPTED, *SEARCHES])}, a checkpoint folder, sb3:PATH, or package.module:Class"
        raise AgentError(f"unknown agent {name!r}{known}")
    return _from_module(name, module, attribute)


def _search(name: str, make: Callable[..., Agent], options: str) -> Agent:
    """A search from its options, `key=value` with commas between them."""
    values: dict[str, object] = {}
    allowed = inspect.signature(make).parameters
    for option in filter(None, options.split(",")):
        key, equals, value = option.partition("=")
        if not equals or key not in allowed:
            raise AgentError(f"agent {name!r}: unknown option {option!r}{closest(key, allowed)}")
        values[key] = _number(value)
    return make(**values)


def _number(text: str) -> int | float | str:
    """A number from its digits; any other text stays as it is."""
    if re.fullmatch(r"-?[0-9]{1,30}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]{0,30}\.?[0-9]{1,30}", text) else text


def _from_module(name: str, module: str, attribute: str) -> Agent:
    """An agent of anybody's class; its module is looked for in the current folder too, as Python itself would."""
    here = os.getcwd()
    path = sys.path.copy()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = importlib.import_module(module)
        if not hasattr(found, attribute):
            named = [known for known, value in vars(found).items() if isinstance(value, type) and value.__module__ == module]
            raise AgentError(f"agent {name!r}: module {module!r} has no {attribute!r}{closest(attribute, named)}")
        made = getattr(found, attribute)
        agent: Agent = made() if isinstance(made, type) else made
    except AgentError:
        raise
    except ModuleNotFoundError as error:
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise AgentError(f"agent {name!r}: there is no module {error.name!r}, here or among the installed ones") from error
        raise AgentError(f"agent {name!r}: its module needs {error.name!r}, which is not installed") from error
    except Exception as error:
        raise AgentError(f"agent {name!r}: {type(error).__name__}: {error}") from error
    finally:
        sys.path[:] = path
    if not callable(getattr(agent, "act", None)):
        raise AgentError(f"agent {name!r}: {type(agent).__name__} has no method act(observations, masks, rng)")
    return agent
