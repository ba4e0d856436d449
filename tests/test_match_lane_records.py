"""Records of matches in lanes: what is written is what was played, to the last byte, and reads back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_match_env import rig

import kalooki_env
from kalooki_env.errors import ConfigError
from kalooki_env.records import read_record

SHORT = "jamaican deals=33/6,34/7"
RULES = (SHORT, "kaluki51 match_deals=2 score_limit=null", "best_of_3 deals=33/6", "stakes_per_deal deals=33/7")


def steps(env: Any, count: int, rng: np.random.Generator) -> None:
    """Random play."""
    for _ in range(count):
        masks = env.action_masks()
        env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_matches_of_a_lane(rules: str, mode: str, tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "lane.jsonl"
    env = kalooki_env.make_vec(
        3,
        rules=rules,
        num_players=3,
        opponents=["greedy", "random"],
        episode="match",
        autoreset_mode=mode,
        record=path,
        record_lanes=1,
    )
    env.reset(seed=4)
    steps(env, 260, rng)
    env.close()
    found = read_record(path)
    assert found.rules == kalooki_env.Rules.parse(rules)
    assert len(found.deals) > 2


@pytest.mark.parametrize("rules", RULES)
def test_matches_of_self_play(rules: str, tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "selfplay.jsonl"
    env = kalooki_env.make_selfplay(2, rules=rules, num_players=3, episode="match", record=path)
    env.reset(seed=8)
    steps(env, 900, rng)
    saved = env.get_state()
    steps(env, 50, rng)
    env.set_state(saved)
    steps(env, 50, rng)
    env.close()
    assert read_record(path).deals


def test_a_sudden_death_in_which_the_learner_has_no_seat(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rng: np.random.Generator
) -> None:
    rig(monkeypatch, [(50, -50, 100, -50), (0, 0, 0, 0)])
    path = tmp_path / "sudden.jsonl"
    env = kalooki_env.make_vec(1, rules=SHORT, episode="match", seat=0, opponents="random", record=path)
    env.reset(seed=1)
    steps(env, 120, rng)
    env.close()
    assert path.stat().st_size


def test_one_lane_only(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="allowed: one lane"):
        kalooki_env.make_vec(3, episode="match", record=tmp_path / "x.jsonl", record_lanes=[0, 1])
