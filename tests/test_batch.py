"""A lane of a batch plays what a table of its own would play: against the AEC environment, which shares no loop with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import kalooki_env
from kalooki_env import agents
from kalooki_env.agents.play import Player

OPTIONS: list[dict[str, Any]] = [
    {},
    {"skip_forced": False},
    {"rules": "jamaican_club", "num_players": 5, "reward": "zero_sum"},
    {"rules": "open_hand", "num_players": 3, "max_seats": 6, "reward": "win"},
    {"rules": "jamaican_consensus", "num_players": 8, "observation_dtype": "uint8"},
    {"shaping": 0.1, "observation": "obs-v1+solver"},
    {"dealer": 2, "deal": [1, 9], "observation": ["hand", "seats", "phase"]},
    {"num_players": 2, "deal": 9},
]
COUNT = 9


def aec(options: dict[str, Any]) -> Any:
    """The same table as an AEC environment."""
    return kalooki_env.env(**{"skip_forced": True, **options})


def observed(env: Any, agent: str) -> tuple[np.ndarray, np.ndarray]:
    seen = env.observe(agent)
    return seen["observation"], seen["action_mask"]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_self_play_lane_is_the_aec_environment(options: dict[str, Any]) -> None:
    batch = kalooki_env.make_selfplay(COUNT, **{"observation_dtype": "float32", **options})
    at = batch.reset(seed=5)
    tables = [aec(options) for _ in range(COUNT)]
    for lane, env in enumerate(tables):
        env.reset(seed=5 + lane)
    rng = np.random.default_rng(3)
    ended = 0
    for _ in range(600):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in at.action_mask])
        after = batch.step(actions)
        finished = batch.finished()
        for lane, env in enumerate(tables):
            agent = env.agent_selection
            assert env.possible_agents.index(agent) == at.acting_seat[lane]
            observation, mask = observed(env, agent)
            assert_array_equal(at.observation[lane], observation)
            assert_array_equal(at.action_mask[lane], mask)
            env.step(int(actions[lane]))
            np.testing.assert_allclose(after.rewards[lane], list(env.rewards.values()), rtol=0, atol=1e-12)
            over = env.terminations[env.possible_agents[0]]
            assert after.deal_over[lane] == over
            if over:
                ended += 1
                row = list(finished["lane"]).index(lane)
                infos = list(env.infos.values())
                assert_array_equal(finished["scores"][row], [info["score"] for info in infos])
                for name in ("deal", "winner", "blocked", "turns"):
                    assert finished[name][row] == infos[0][name]
                env.reset()
        at = after
    assert ended or options.get("num_players") == 8


def reference(env: Any, opponents: dict[int, Player], rng: np.random.Generator, agent: str) -> bool:
    """Play the others until an agent has a decision; whether the deal goes on."""
    table = env.unwrapped
    while env.agent_selection != agent and not env.terminations[agent]:
        seat = env.possible_agents.index(env.agent_selection)
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(opponents[seat].act(table._states, np.zeros(1, np.int64), mask[None], rng)[0]))
    return not env.terminations[agent]


@pytest.mark.parametrize("opponents", ["greedy", "expert", ["expert", "greedy", "greedy"], "outside"], ids=str)
@pytest.mark.parametrize("rules", ["jamaican", "jamaican_club"])
def test_a_seat_lane_is_the_aec_environment_with_bots(opponents: Any, rules: str) -> None:
    names = (
        ["greedy", "expert", "expert"] if opponents == "outside" else [opponents] * 3 if isinstance(opponents, str) else opponents
    )
    if opponents == "outside":
        one = agents.load("expert")
        given: Any = [agents.load("greedy"), one, one]
    else:
        given = opponents
    batch = kalooki_env.make_vec(COUNT, rules=rules, opponents=given, seat=1, autoreset_mode="same_step", shaping=0.05)
    observations, infos = batch.reset(seed=11)
    tables = [aec({"rules": rules, "shaping": 0.05}) for _ in range(COUNT)]
    players = [{(2 + k) % 4: Player(agents.load(name), env._engine, name) for k, name in enumerate(names)} for env in tables]
    rng = np.random.default_rng(0)
    for lane, env in enumerate(tables):
        env.reset(seed=11 + lane)
        while not reference(env, players[lane], rng, "player_1"):
            env.reset()
    ended = 0
    for _ in range(150):
        actions = batch.sample_actions()
        after, rewards, over, cut, infos_after = batch.step(actions)
        assert not cut.any()
        for lane, env in enumerate(tables):
            observation, mask = observed(env, "player_1")
            assert_array_equal(observations[lane], observation)
            assert_array_equal(infos["action_mask"][lane], mask)
            env.step(int(actions[lane]))
            goes_on = reference(env, players[lane], rng, "player_1")
            # `last` of the learner: everything that it was given since its last decision.
            assert rewards[lane] == pytest.approx(env._cumulative_rewards["player_1"], abs=1e-12)
            assert over[lane] == (not goes_on)
            if not goes_on:
                ended += 1
                final = infos_after["final_info"]
                expected = env.infos["player_1"]
                assert {key: final[key][lane] for key in expected} == expected
                assert_array_equal(infos_after["final_obs"][lane], observed(env, "player_1")[0])
                env.reset()
                while not reference(env, players[lane], rng, "player_1"):
                    env.reset()
        observations, infos = after, infos_after
    assert ended > COUNT
