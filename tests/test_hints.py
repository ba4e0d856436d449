"""Hints of error messages: what was probably meant, and nothing where that would be a guess."""

from __future__ import annotations

import time

import pytest

from kalooki_env import agents
from kalooki_env.arena.suite import SPECS
from kalooki_env.cli.bench_parts import NAMES
from kalooki_env.errors import closest, nearest
from kalooki_env.observe.schema import CHOICES
from kalooki_env.rules import RULE_KEYS, presets

AGENTS = [*agents.SCRIPTED, "search", "cheat-hands", "cheat-all"]
ACTIONS = ["draw stock", "take upcard", "discard 7S", "place 7S", "lay down", "lay off onto P2/1", "three of 8", "end turn"]
OPTIONS = ["num_players", "deal", "dealer", "opponents", "on_illegal", "autoreset_mode", "threads", "copy", "reward"]
ILLEGAL = ["raise", "lose"]


@pytest.mark.parametrize(
    ("name", "allowed", "meant"),
    [
        # Misspelt
        ("gredy", AGENTS, "greedy"),
        ("expret", AGENTS, "expert"),
        ("expert-v3", AGENTS, "expert-v2"),
        ("serach", AGENTS, "search"),
        ("jamaica", list(presets()), "jamaican"),
        ("kaluki", list(presets()), "kaluki51"),
        ("no_calls", list(presets()), "no_call"),
        ("pip_jokr", list(RULE_KEYS), "pip_joker"),
        ("obs-v2", list(CHOICES), "obs-v1"),
        ("bacth", NAMES, "batch"),
        ("discad 7S", ACTIONS, "discard 7S"),
        ("treads", OPTIONS, "threads"),
        ("opponent", OPTIONS, "opponents"),
        ("flt", ["flat", "dict"], "flat"),
        ("int8", ["float32", "uint8"], "uint8"),
        # Other letters, other separators
        ("Greedy", AGENTS, "greedy"),
        ("RANDOM", AGENTS, "random"),
        ("expert_v1", AGENTS, "expert-v1"),
        ("Next-Step", ["next_step", "same_step"], "next_step"),
        ("nextstep", ["next_step", "same_step", "NextStep"], "next_step"),
        # Unfinished
        ("rand", AGENTS, "random"),
        ("zero", ["score", "zero_sum"], "zero_sum"),
        ("call_max", list(RULE_KEYS), "call_max_per_deal"),
        ("draw", ACTIONS, "draw stock"),
        ("obs", list(CHOICES), "obs-v1"),
        # Something else
        ("replace", ILLEGAL, None),
        ("raise", ["replace", "lose"], None),
        ("ignore", ILLEGAL, None),
        ("v2", list(SPECS), None),
        ("alphazero", AGENTS, None),
        ("dqn", AGENTS, None),
        ("mcts", AGENTS, None),
        ("human", AGENTS, None),
        ("none", ["numpy", "torch"], None),
        ("throw 7S", ACTIONS, None),
        ("knock", ACTIONS, None),
        ("gin", list(presets()), None),
        ("win", ["score", "zero_sum"], None),
        ("", AGENTS, None),
        ("e", AGENTS, None),
        ("7S", ["P1", "P2"], None),
    ],
)
def test_what_was_meant(name: str, allowed: list[str], meant: str | None) -> None:
    assert nearest(name, allowed) == meant
    hint = f" (did you mean {meant!r}?)" if meant else ""
    assert closest(name, allowed) == f"{hint}; allowed: {', '.join(allowed)}"


def test_a_long_text_is_no_typo_and_costs_no_time() -> None:
    began = time.process_time()
    assert nearest("jamaican" * 100_000, list(RULE_KEYS)) is None
    assert time.process_time() - began < 0.1
