"""The AEC environment: PettingZoo's own tests, rewards, seeds, options, and arrays that never change later."""

from __future__ import annotations

import hashlib
import itertools
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import PRESETS
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test

import kalooki_env
from kalooki_env import core
from kalooki_env.observe.schema import Observation


def play(env: Any, rng: np.random.Generator, resets: int = 1, seed: int | None = None) -> dict[str, float]:
    """Play deals at random; returns the rewards that each agent collected through `last`."""
    total = dict.fromkeys(env.possible_agents, 0.0)
    for number in range(resets):
        env.reset(seed=seed if number == 0 else None)
        for agent in env.agent_iter(max_iter=100_000):
            observation, reward, termination, truncation, _ = env.last()
            total[agent] += reward
            if termination or truncation:
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return total


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("num_players", [3, 5, 8])
def test_pettingzoo_api(preset: str, num_players: int) -> None:
    for _ in range(3):
        api_test(kalooki_env.env(preset, num_players), num_cycles=200)


@pytest.mark.parametrize(
    "options",
    [
        {"observation_form": "dict"},
        {"observation_dtype": "uint8"},
        {"observation": "obs-v1+solver"},
        {"observation": ["hand", "upcard"], "max_seats": 6},
        {"reward": "zero_sum", "shaping": 0.1},
        {"reward": "win", "skip_forced": True},
        {"mask_in": "both"},
    ],
    ids=str,
)
def test_pettingzoo_api_with_options(options: dict[str, Any]) -> None:
    for deal in (1, 9):
        api_test(kalooki_env.env(deal=deal, **options), num_cycles=200)


def test_pettingzoo_seed_and_render() -> None:
    seed_test(kalooki_env.env, num_cycles=500)
    seed_test(kalooki_env.raw_env, num_cycles=500)


def test_pettingzoo_render(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(kalooki_env.env)
    assert "upcard" in capsys.readouterr().out


def test_parallel_view() -> None:
    env = kalooki_env.parallel_env(num_players=4, idle_mask="ones")
    observations, _ = env.reset(seed=4)
    assert set(observations) == set(env.possible_agents)


def test_parallel_api() -> None:
    parallel_api_test(kalooki_env.parallel_env(num_players=3, on_illegal="lose"), num_cycles=50)


@pytest.mark.parametrize("preset", PRESETS)
def test_rewards_equal_the_scores(preset: str, rng: np.random.Generator) -> None:
    for reward in ("score", "zero_sum", "win"):
        env = kalooki_env.env(preset, 4, reward=reward)
        for seed in range(12):
            env.reset(seed=seed)
            per_step = dict.fromkeys(env.possible_agents, 0.0)
            from_last = dict.fromkeys(env.possible_agents, 0.0)
            for agent in env.agent_iter():
                observation, last_reward, termination, _, info = env.last()
                from_last[agent] += last_reward
                if termination:
                    assert info["score"] == env._states[0]["scores"][env._seats[agent]]
                    env.step(None)
                    continue
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
                for name, value in env.rewards.items():
                    per_step[name] += value
            scores = env._states[0]["scores"][:4].astype(float)
            winner = int(env._states[0]["winner"])
            expected = {
                "score": -scores / 100,
                "zero_sum": (scores.mean() - scores) / 100,
                "win": np.array([seat == winner for seat in range(4)], float),
            }[reward]
            assert np.allclose(list(per_step.values()), expected)
            assert np.allclose(list(from_last.values()), expected)


def test_shaping_adds_up_to_the_first_potential(rng: np.random.Generator) -> None:
    """Potential-based: over a deal it adds the potential at the end, 0, minus that at the start, whatever is played."""
    for deal in (1, 4):
        env = kalooki_env.env(deal=deal, dealer=0, shaping=0.1)
        env.reset(seed=5)
        distances = np.zeros(4)
        for seat in range(4):
            distances[seat] = env.unwrapped._rewards._potential[seat] / -0.1
        assert (distances > 0).all()
        total = play(env, rng, seed=5)
        scores = env._states[0]["scores"][:4]
        assert np.allclose(list(total.values()), -scores / 100 + 0.1 * distances)


def test_same_seed_same_bytes_in_another_process() -> None:
    program = (
        "import hashlib, numpy as np, kalooki_env\n"
        "env = kalooki_env.env('jamaican_club', 5)\n"
        "env.reset(seed=99)\n"
        "digest = hashlib.sha256()\n"
        "for step in range(3000):\n"
        "    if not env.agents:\n"
        "        env.reset()\n"
        "    observation, reward, over, _, _ = env.last()\n"
        "    digest.update(observation['observation'].tobytes() + observation['action_mask'].tobytes() + str(reward).encode())\n"
        "    legal = np.flatnonzero(observation['action_mask'])\n"
        "    env.step(None if over else int(legal[step * 7919 % len(legal)]))\n"
        "print(digest.hexdigest())\n"
    )
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(runs[0].strip()) == hashlib.sha256().digest_size * 2


def test_arrays_handed_out_never_change_later(rng: np.random.Generator) -> None:
    env = kalooki_env.env(mask_in="both")
    env.reset(seed=8)
    kept = []
    for _ in range(300):
        if not env.agents:
            env.reset()
        observation, _, over, _, info = env.last()
        arrays = (observation["observation"], observation["action_mask"], info["action_mask"], env.state())
        kept.append([(array, array.copy()) for array in arrays])
        for agent in env.agents:
            other = env.observe(agent)
            kept.append([(array, array.copy()) for array in other.values()])
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    assert all((array == copy).all() for arrays in kept for array, copy in arrays)


def test_observing_changes_nothing(rng: np.random.Generator) -> None:
    env = kalooki_env.env()
    env.reset(seed=2)
    for _ in range(200):
        before = env._states.tobytes()
        for agent in env.agents:
            env.observe(agent)
        env.state()
        assert env._states.tobytes() == before
        if env.terminations[env.agent_selection]:
            break
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))


def test_values_stay_in_their_bounds(rng: np.random.Generator) -> None:
    for preset in PRESETS:
        env = kalooki_env.env(preset, 5, observation="obs-v1+solver", observation_dtype="uint8")
        space = env.observation_space("player_0")["observation"]
        env.reset(seed=1)
        for _ in range(400):
            if not env.agents:
                env.reset()
            observation, _, over, _, _ = env.last()
            outside = np.flatnonzero((observation["observation"] > space.high) | (observation["observation"] < space.low))
            assert not len(outside), f"{preset}: indices {outside}"
            env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def test_dict_form_and_pieces() -> None:
    flat = kalooki_env.env(observation="obs-v1+solver")
    by_name = kalooki_env.env(observation="obs-v1+solver", observation_form="dict")
    for env in (flat, by_name):
        env.reset(seed=6)
    layout = Observation.of("obs-v1+solver", 4)
    vector, pieces = flat.observe("player_2")["observation"], by_name.observe("player_2")["observation"]
    assert list(pieces) == list(layout.pieces)
    for name, values in pieces.items():
        assert (vector[layout.slice_of(name)] == values).all()
    assert by_name.observation_space("player_0")["observation"].contains(pieces)


def test_all_agents_end_together_with_python_bools(rng: np.random.Generator) -> None:
    env = kalooki_env.env(deal=1)
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        assert not any(env.terminations.values())
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    assert all(value is True for value in env.terminations.values())
    assert all(value is False for value in env.truncations.values())
    assert env.infos["player_0"].keys() == {"deal", "score", "winner", "blocked", "turns", "illegal"}


def test_deal_and_dealer() -> None:
    env = kalooki_env.env(deal=[2, 7], dealer="rotate")
    env.reset(seed=3)
    seen, dealers = set(), []
    for _ in range(40):
        seen.add(env.infos["player_0"]["deal"])
        dealers.append(int(env._states[0]["dealer"]))
        env.reset()
    assert seen == {2, 7}
    assert all((b - a) % 4 == 1 for a, b in itertools.pairwise(dealers))
    env.reset(options={"deal": 5, "dealer": 2, "something else": 1})
    assert (env.infos["player_0"]["deal"], int(env._states[0]["dealer"])) == (5, 2)
    every = kalooki_env.env()
    every.reset(seed=0)
    counts = np.zeros(10, int)
    for _ in range(900):
        counts[every.infos["player_0"]["deal"]] += 1
        every.reset()
    assert counts[0] == 0
    assert counts[1:].min() > 60


def test_skip_forced_never_asks_for_the_only_action(rng: np.random.Generator) -> None:
    env = kalooki_env.env("jamaican_club", skip_forced=True)
    for seed in range(10):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            assert len(legal) >= 2
            env.step(int(rng.choice(legal)))


def test_a_larger_space_holds_a_smaller_table(rng: np.random.Generator) -> None:
    """The pieces of absent seats are zeros, and the actions mean the same as without them."""
    small = kalooki_env.env(num_players=3)
    large = kalooki_env.env(num_players=3, max_seats=6)
    small.reset(seed=4)
    large.reset(seed=4)
    assert large.action_space("player_0").n == core.num_actions(6)
    layout_3, layout_6 = Observation.of("obs-v1", 3), Observation.of("obs-v1", 6)
    for _ in range(300):
        if small.terminations[small.agent_selection]:
            break
        a, b = small.observe(small.agent_selection), large.observe(large.agent_selection)
        for name, width in (("hand", 53), ("known", 53 * 3), ("seats", 12 * 3), ("phase", 9)):
            rows_6 = b["observation"][layout_6.slice_of(name)]
            assert (rows_6[:width] == a["observation"][layout_3.slice_of(name)]).all()
            assert not rows_6[width:].any()
        texts = []
        for env, observation in ((small, a), (large, b)):
            texts.append([env.unwrapped._text(int(action)) for action in np.flatnonzero(observation["action_mask"])])
        assert texts[0] == texts[1]
        choice = int(rng.integers(len(texts[0])))
        small.step(int(np.flatnonzero(a["action_mask"])[choice]))
        large.step(int(np.flatnonzero(b["action_mask"])[choice]))


def test_illegal_actions_raise_and_change_nothing() -> None:
    env = kalooki_env.env(deal=1, dealer=3)
    env.reset(seed=12)
    before = env._states.tobytes()
    for action in (core.DISCARD, core.LAY_DOWN, 10_000, -1, 10**30):
        with pytest.raises(kalooki_env.IllegalActionError, match=r"legal: draw stock, take upcard") as caught:
            env.step(action)
        assert caught.value.seed == 12
        assert caught.value.position == kalooki_env.Game.from_text(caught.value.position).text()
        assert env._states.tobytes() == before
        assert env.agent_selection == "player_0"
    env.step(np.int32(core.DRAW_STOCK))


def test_illegal_actions_lose_if_asked_to() -> None:
    env = kalooki_env.env(on_illegal="lose", illegal_reward=-5.0)
    env.reset(seed=12)
    offender = env.agent_selection
    env.step(core.LAY_DOWN)
    assert all(env.terminations.values())
    assert env.rewards == {agent: -5.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert env.infos[offender]["illegal"] == 1
    for _ in range(4):
        env.step(None)
    assert env.agents == []


def test_steps_out_of_time() -> None:
    env = kalooki_env.env(deal=1)
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.state):
        with pytest.raises(kalooki_env.EnvironmentStateError, match="reset"):
            call()
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    play(env, rng, seed=1)
    with pytest.raises(kalooki_env.EnvironmentStateError, match="after the end"):
        env.step(None)
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    with pytest.raises(kalooki_env.EnvironmentStateError, match="only action is None"):
        env.step(3)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": "jamacan"}, kalooki_env.RulesError, "did you mean 'jamaican'"),
        ({"num_players": 9}, kalooki_env.RulesError, "9 players are not allowed"),
        ({"rules": "jamaican packs=2", "num_players": 8}, kalooki_env.RulesError, "8 players cannot play with 2 packs"),
        ({"num_players": 2, "deal": 3}, kalooki_env.RulesError, "only a sudden death"),
        ({"deal": 10}, kalooki_env.RulesError, "deal 10 is not allowed"),
        ({"deal": []}, kalooki_env.RulesError, "an empty list"),
        ({"deal": "all"}, kalooki_env.RulesError, "deal 'all' is not allowed"),
        ({"dealer": 4}, kalooki_env.RulesError, "dealer 4 is not allowed; allowed: 0 to 3"),
        ({"max_seats": 3}, kalooki_env.RulesError, "max_seats 3 is not allowed; allowed: 4"),
        ({"observation": "obs-v2"}, kalooki_env.ConfigError, "did you mean 'obs-v1'"),
        ({"observation": ["hand", "hands"]}, kalooki_env.ConfigError, "did you mean 'hand'"),
        ({"observation": ["hand", "hand"]}, kalooki_env.ConfigError, "each piece once"),
        ({"observation_form": "flt"}, kalooki_env.ConfigError, "did you mean 'flat'"),
        ({"reward": "points"}, kalooki_env.ConfigError, "reward 'points' is not allowed"),
        ({"shaping": -1}, kalooki_env.ConfigError, "shaping -1 is not allowed"),
        ({"on_illegal": "ignore"}, kalooki_env.ConfigError, "allowed: raise, lose"),
        ({"render_mode": "rgb"}, kalooki_env.ConfigError, "did you mean 'rgb_array'"),
    ],
    ids=str,
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kalooki_env.env(**arguments)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True])
def test_bad_seeds(seed: Any) -> None:
    env = kalooki_env.env()
    with pytest.raises(kalooki_env.ConfigError, match=r"seed .* is not allowed"):
        env.reset(seed=seed)


def test_sudden_death_of_two() -> None:
    env = kalooki_env.env(num_players=2, max_seats=4)
    play(env, np.random.default_rng(1), seed=1)
    assert env.infos == {}
    env.reset(seed=1)
    assert env.infos["player_1"]["deal"] == 9


def test_rendered_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    env = kalooki_env.env(deal=1, dealer=3, render_mode="ansi")
    env.reset(seed=2)
    text = env.render()
    assert "P1 (you)" in text
    assert text.count("cards: ") == 1
    revealed = kalooki_env.env(deal=1, dealer=3, render_mode="ansi", reveal=True)
    revealed.reset(seed=2)
    assert revealed.render().count("cards: ") == 4
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[" in env.render()
    with pytest.raises(kalooki_env.EnvironmentStateError, match="render_mode"):
        kalooki_env.env().render()
