"""Copies and saved states of the AEC environment: the continuation is the same, and what cannot be is refused."""

from __future__ import annotations

import copy
import io
import json
import timeit
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_tools import assert_same
from test_match_env import rig
from test_saved_states import changes, field_of, refusal

import kalooki_env
from kalooki_env import ConfigError, EnvironmentStateError, Game
from kalooki_env.game.saved import seal
from kalooki_env.records import read_record

OPTIONS: list[dict[str, Any]] = [
    {},
    {"shaping": 0.1, "on_illegal": "lose", "mask_in": "both", "deal": 1},
    {"on_illegal": "replace", "mask_in": "infos", "deal": {1: 1, 3: 2}, "skip_forced": False},
    {"rules": "kaluki40_british", "observation_form": "dict", "reward": "zero_sum"},
    {"episode": "match", "rules": "best_of_3 deals=333/9", "shaping": 0.1, "num_players": 3},
    {"episode": "match", "rules": "kaluki51 score_limit=90", "skip_forced": False, "idle_mask": "ones"},
    {"episode": "match", "rules": "jamaican deals=333/9,334/10", "on_illegal": "lose", "match_reward": "place"},
]


def plain(value: Any) -> Any:
    """Arrays as bytes, for comparing."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value.tobytes() if isinstance(value, np.ndarray) else value


def played(env: Any, steps: int, seed: int) -> list[Any]:
    """All that an environment tells in so many random steps, some of them illegal where that loses."""
    rng = np.random.default_rng(seed)
    told = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        observation, reward, over, _, _ = env.last()
        told.append((env.agent_selection, reward, over, plain(observation), env.rewards, env.agents, env.terminations))
        told[-1] = copy.deepcopy((*told[-1], plain(env.infos), env._cumulative_rewards))
        if over:
            env.step(None)
        elif env._on_illegal != "raise" and rng.random() < 0.01:
            env.step(-1)
        else:
            env.step(int(env._legal[rng.integers(env._legal_count)]))
    return told


def kept(env: Any) -> Any:
    """The state, by way of a file."""
    file = io.BytesIO()
    np.savez(file, **env.get_state())
    file.seek(0)
    return np.load(file, allow_pickle=False)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_copies_and_restored_states_go_on_alike(
    options: dict[str, Any], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    if options.get("match_reward") == "place":
        rig(monkeypatch, [(20, 20, 50, 60), (10, 10, 30, 40)])  # and a sudden death of two
    env, twin = kalooki_env.env(**options), kalooki_env.env(**options)
    env.reset(seed=3)
    twin.reset(seed=99)
    for number in range(30):
        played(env, int(rng.integers(1, 70)), number)
        other = env.copy()
        twin.set_state(kept(env))
        assert_same(twin.get_state(), env.get_state())
        assert_same(other.get_state(), env.get_state())
        ahead = played(other, 60, number)
        assert played(twin, 60, number) == ahead
        assert played(env.copy(), 60, number) == ahead
        assert played(env, 60, number) == ahead


def test_a_copy_is_alone(rng: np.random.Generator) -> None:
    env = kalooki_env.env(shaping=0.1, mask_in="both", observation="obs-v1+solver")
    env.reset(seed=1)
    played(env, 20, 1)
    told = played(env.copy(), 100, 2)
    other = env.copy()
    other.infos["player_0"]["score"] = 7
    other.agents.clear()
    other.rewards.clear()
    other._states["hands"] = 0
    other._work[0]["legal"][:] = 0
    other._observer._scratch[:] = 9
    assert played(env, 100, 2) == told


def test_a_copy_costs_little() -> None:
    env, game = kalooki_env.env(), Game(seed=1)
    env.reset(seed=1)
    ours, theirs = (min(timeit.repeat(made.copy, number=300, repeat=15)) for made in (env, game))
    assert ours < 3 * theirs


def test_before_the_first_reset_and_after_the_end() -> None:
    env, twin = kalooki_env.env(deal=1), kalooki_env.env(deal=1)
    twin.reset(seed=4)
    twin.set_state(env.get_state())
    for call in (twin.last, lambda: twin.step(0)):
        with pytest.raises(EnvironmentStateError, match="before reset"):
            call()
    assert (twin.agents, twin.rewards, twin.infos) == ([], {}, {})
    env.reset()
    twin.reset()
    assert played(twin, 100, 1) == played(env, 100, 1)
    while env.agents:
        twin.set_state(env.get_state())
        assert played(twin, 1, 2) == played(env, 1, 2)
    twin.set_state(env.get_state())
    for call in (twin.last, lambda: twin.step(None)):
        with pytest.raises(EnvironmentStateError, match="after the end"):
            call()


def test_states_of_other_environments_are_refused() -> None:
    env = kalooki_env.env()
    env.reset(seed=1)
    state = env.get_state()
    for options in ({"rules": "joker25"}, {"num_players": 5}, {"max_seats": 6}, {"shaping": 0.1}, {"skip_forced": False}):
        assert "another environment" in (refusal(kalooki_env.env(**options), state) or "")
    other = kalooki_env.env(episode="match")
    assert "another environment" in (refusal(other, state) or "")
    for wrong in (3, {}, kalooki_env.make_vec(1).get_state()):
        assert "state" in (refusal(env, wrong) or "")  # type: ignore[arg-type]
    assert_same(env.get_state(), state)


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"selection": 2}, "selection 2"),
    ({"selection": 9}, "not a state"),
    ({"selection": None}, "selection None"),
    ({"skipped": 1}, "skipped 1"),
    ({"dealer": 0}, "dealer"),
    ({"dealer": True}, "not a state"),
    ({"is_reset": False}, "position"),
    ({"is_reset": 1}, "not a state"),
    ({"lost": True}, "lost True"),
    ({"illegal": [0]}, "illegal"),
    ({"illegal": 5}, "not a state"),
    ({"seed": -1}, "not a state"),
    ({"match": {}}, "not a state"),
    ({"pays_between": None}, "not a state"),
    ({"name": "x"}, "another environment"),
]


@pytest.mark.parametrize(
    ("episode", "change", "message"),
    [(episode, *case) for episode in ("deal", "match") for case in CHANGES if episode == "match" or "match" not in case[0]],
    ids=str,
)
def test_what_cannot_be_is_refused(episode: Any, change: dict[str, Any], message: str) -> None:
    env = kalooki_env.env(episode=episode)
    env.reset(seed=1)
    played(env, 8, 1)
    env.set_state(env.get_state())
    state = env.get_state()
    about = {**json.loads(state["about"].tobytes()), **change}
    if change == {"selection": 2}:
        about["selection"] = 2 if env.agent_selection != "player_2" else 1
        message = message.replace("2", str(about["selection"]))
    torn = {**state, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    assert message in (refusal(env, seal(torn)) or "")
    for key, value in (("agents", [True, False, True, True]), ("rewards", [np.nan] * 4), ("cumulative", [np.inf] * 4)):
        assert "allowed" in (refusal(env, seal({**state, key: np.array(value)})) or "")
    assert "digest" in (refusal(env, torn | {"about": state["about"], "digest": state["digest"] ^ np.uint8(1)}) or "")
    assert_same(env.get_state(), state)


LOOSE = {"rng", "reshuffles", "known", "discarded", "declined", "turns", "opened_now"}


@pytest.mark.slow
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_changed_bytes_are_refused_or_do_no_harm(episode: Any, rng: np.random.Generator) -> None:
    env = kalooki_env.env(episode=episode, rules="kaluki51" if episode == "match" else "jamaican")
    env.reset(seed=2)
    played(env, 55, 1)
    state = env.get_state()
    before = env._states.tobytes()
    refused = 0
    for key in ("state", "about", "agents"):
        flat = state[key].reshape(-1).view(np.uint8)
        for way, at, value in changes(flat, range(0, flat.size, 4), rng):
            torn = flat.copy()
            torn[at] = value
            message = refusal(env, seal({**state, key: torn.view(state[key].dtype).reshape(state[key].shape)}))
            where = f"{key}[{at}] {way}: {message}"
            if message is None:
                assert key != "state" or field_of("states", at) in LOOSE, f"{where}, {field_of('states', at)} is taken"
                played(env, 150, at)
                env.set_state(state)
            else:
                assert key != "state" or message.startswith("position: "), where
                refused += 1
            assert env._states.tobytes() == before, where
    assert refused > 1000


def test_a_record_goes_on_with_what_was_restored(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    env = kalooki_env.env(record=path, deal=1)
    env.reset(seed=1)
    played(env, 10, 1)
    state = env.get_state()
    told = played(env.copy(), 50, 2)
    played(env, 10, 3)
    env.set_state(state)
    assert played(env, 50, 2) == told
    env.close()
    assert [deal.abandoned for deal in read_record(path).deals] == ["a saved state was restored", "the record was closed"]


def test_a_copy_writes_no_record(tmp_path: Path) -> None:
    env = kalooki_env.env(record=tmp_path / "record.jsonl", deal=1)
    env.reset(seed=1)
    other = env.copy()
    assert other.recorder is None
    played(other, 30, 1)
    other.close()
    played(env, 3, 1)
    env.close()
    assert len(read_record(tmp_path / "record.jsonl").deals[0].steps) == 3


def test_a_match_that_is_recorded_takes_no_state(tmp_path: Path) -> None:
    env = kalooki_env.env(record=tmp_path / "record.jsonl", episode="match")
    env.reset(seed=1)
    state = env.get_state()
    with pytest.raises(ConfigError, match="its record would not be whole"):
        env.set_state(state)
    assert_same(env.get_state(), state)
    env.close()
