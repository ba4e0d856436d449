"""Agents by name."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from kalooki_env.agents.base import Agent
from kalooki_env.agents.scripted import ExpertAgent, ExpertV2Agent, GreedyAgent, RandomAgent
from kalooki_env.agents.search import CheatAll, CheatHands, SearchAgent
from kalooki_env.errors import AgentError, closest
from kalooki_env.files import is_file, is_folder
from kalooki_env.values import shown

#: An agent, or a name or path that `load` takes.
AgentLike: TypeAlias = Agent | str | os.PathLike[str]
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


def load(name: str | os.PathLike[str]) -> Agent:
    """An agent from its name.

    Args:
        name: a scripted agent (`random`, `greedy`, `expert-v1`, `expert-v2`), `search` with or without options
            (`search:ms=1000`; the Jamaican game only), a checkpoint folder, `sb3:PATH` for a zip file of sb3-contrib's
            MaskablePPO, trained with the observation that the file tells or else with `obs-v1`, or `package.module:Class` for a
            class of anybody's that can be made without arguments. Loading a checkpoint folder runs no code of its maker. The
            last two do: SB3 files hold pickles, and a module is imported. A name with a slash or backslash, and a
            `pathlib.Path`, is a checkpoint folder.

    Raises:
        AgentError: no such agent or folder; the message gives the closest name.
        CheckpointError: a checkpoint that is damaged, edited, or of another schema.
    """
    name = name_of(name)
    if not isinstance(name, str):
        raise AgentError(f"agent {shown(name)} is not allowed; allowed: the name of an agent, or the path of a checkpoint folder")
    if name in SCRIPTED:
        return SCRIPTED[name]()
    kind, colon, rest = name.partition(":")
    if kind in SEARCHES:
        return _search(name, SEARCHES[kind], rest)
    if kind == "sb3" and colon:
        from kalooki_env.agents.sb3 import SB3Agent

        return SB3Agent.load(rest)
    if name and is_folder(name):
        try:
            from kalooki_env.agents.checkpoint import CheckpointAgent
        except ModuleNotFoundError as error:  # torch, which the scripted agents do without
            raise AgentError(f"agent {name!r}: a checkpoint needs {error.name}: pip install 'kalooki_env[train]'") from error
        return CheckpointAgent.load(Path(name))
    if _is_path(name):
        fault = "is a file" if is_file(name) else "there is no such folder"
        raise AgentError(f"agent {shown(name)}: {fault}; allowed: a checkpoint folder, or sb3:PATH for a zip file of SB3")
    if not colon:
        known = f"{closest(name, [*SCRIPTED, *SEARCHES])}, a checkpoint folder, sb3:PATH, or package.module:Class"
        raise AgentError(f"unknown agent {shown(name)}{known}")
    return _from_module(name, kind, rest)


def name_of(agent: Any) -> Any:
    """The name that `load` takes of an agent that is given by the path of its folder; anything else as it is."""
    if not isinstance(agent, os.PathLike):
        return agent
    path = os.fspath(agent)
    # A folder may be called like an agent.
    return path if not isinstance(path, str) or _is_path(path) else os.path.join(os.curdir, path)


def _is_path(name: str) -> bool:
    """Whether a name can only be that of a file or folder: with a slash, a backslash, or the letter of a drive."""
    drive, colon, _ = name.partition(":")
    return "/" in name or "\\" in name or bool(colon and _is_drive(drive))


def _is_drive(name: str) -> bool:
    """Whether a name is that of a drive, and not of a module with one letter."""
    is_module = importlib.util.find_spec(name) or is_file(f"{name}.py") if len(name) == 1 and name.isalpha() else True
    return not is_module


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
