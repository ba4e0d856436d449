"""Agents by a public call: `agents.seat(agent, place).choose()` at every kind of place."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import kalooki_env
from kalooki_env import Game, Match, agents, core
from kalooki_env.envs.sb3 import SB3VecEnv

PLACES: list[tuple[str, Any]] = [
    ("game", lambda: Game(seed=1)),
    ("kaluki game", lambda: Game("kaluki51", seed=1)),
    ("match", lambda: Match("short7", 3, seed=1)),
    ("env", lambda: reset(kalooki_env.env())),
    ("env of a match", lambda: reset(kalooki_env.env("short7", 3, episode="match"))),
    ("wrapped env", lambda: reset(OrderEnforcingWrapper(kalooki_env.env()))),
    ("parallel", lambda: reset(kalooki_env.parallel_env())),
    ("seat", lambda: reset(kalooki_env.SeatEnv(opponents="random"))),
    ("wrapped seat", lambda: reset(gymnasium.make("Kaluki51-3p-v0", opponents="random"))),
]
BATCHES: list[tuple[str, Any]] = [
    ("self-play", lambda: reset(kalooki_env.make_selfplay(5))),
    ("self-play of matches", lambda: reset(kalooki_env.make_selfplay(3, rules="short7", num_players=3, episode="match"))),
    ("vector", lambda: reset(kalooki_env.make_vec(5, opponents="random"))),
]


def reset(env: Any) -> Any:
    env.reset(seed=1)
    return env


def carry_out(place: Any, action: int) -> bool:
    """Carry out an action. Returns whether all is over."""
    if isinstance(place, Game | Match):
        place.do(action)
        return place.to_move is None
    if isinstance(place, kalooki_env.parallel_env):
        place.step({place.aec_env.agent_selection: action})
        return not place.agents
    if isinstance(place, gymnasium.Env):
        return bool(place.step(action)[2])
    place.step(action)
    return all(place.terminations.values())


@pytest.mark.parametrize(("name", "make"), PLACES, ids=[name for name, _ in PLACES])
def test_an_agent_plays_to_the_end(name: str, make: Any) -> None:
    place = make()
    greedy = agents.seat("greedy", place)
    for _ in range(20_000):
        action = greedy.choose()
        assert type(action) is int
        if carry_out(place, action):
            break
    with pytest.raises(kalooki_env.EnvironmentStateError, match="agent 'greedy': nobody is to move"):
        greedy.choose()


@pytest.mark.parametrize(("name", "make"), BATCHES, ids=[name for name, _ in BATCHES])
def test_an_agent_answers_for_all_lanes(name: str, make: Any) -> None:
    env = make()
    greedy = agents.seat("greedy", env)
    ended = 0
    for _ in range(600):
        actions = greedy.choose()
        assert actions.shape == (env.num_envs,)
        env.step(actions)
        ended += int(env.lanes.over.sum())
    assert env.illegal_actions == 0
    assert ended > 0 or "match" in name


def test_choices_are_those_of_the_compiled_bot() -> None:
    """The same deals between four greedy players, asked seat by seat or played inside the batch."""
    for rules in ("jamaican_club", "kaluki51"):
        env = kalooki_env.SeatEnv(rules=rules, opponents="greedy", dealer=0, seat=1)
        table = kalooki_env.env(rules, dealer=0)
        one, four = agents.seat("greedy", env), agents.seat("greedy", table)
        for seed in range(3):
            env.reset(seed=seed)
            table.reset(seed=seed)
            over = False
            while not over:
                _, _, over, _, info = env.step(one.choose())
            while not table.terminations[table.agent_selection]:
                table.step(four.choose())
            assert table.infos["player_1"]["score"] == info["score"]


def test_seeds_repeat_choices() -> None:
    def played(seed: int) -> list[str]:
        game = Game(seed=3)
        agent = agents.seat("random", game, seed=seed)
        for _ in range(50):
            game.do(agent.choose())
        return game.history

    assert played(1) == played(1) != played(2)


class First:
    """Takes the first legal action, and notes what it was shown."""

    shown: Any = None

    def act(self, observations: Any, masks: Any, rng: Any) -> Any:
        self.shown = observations
        return np.argmax(masks, axis=1)


def test_anybodys_agent_sees_what_the_seat_sees() -> None:
    env = reset(kalooki_env.env())
    first = First()
    seated = agents.seat(first, env)
    for _ in range(40):
        action = seated.choose()
        seen = env.observe(env.agent_selection)
        np.testing.assert_array_equal(first.shown[0], seen["observation"])
        assert action == int(np.argmax(seen["action_mask"]))
        env.step(action)


def test_a_search_and_stable_baselines_batch() -> None:
    game = Game("jamaican_club", seed=1)
    search = agents.seat("search:rollouts=8,lessons=4", game, seed=1)
    for _ in range(4):
        game.do(search.choose())
    env = SB3VecEnv(3, opponents="random")
    env.reset()
    env.step(agents.seat("expert", env).choose())


@pytest.mark.parametrize("wrong", [None, 5, "jamaican", Game, object()])
def test_places_that_are_none(wrong: Any) -> None:
    with pytest.raises(kalooki_env.ConfigTypeError, match=r"place .* allowed: a Game, a Match, or an environment"):
        agents.seat("greedy", wrong)


def test_agents_that_cannot_play() -> None:
    game = Game(seed=1)
    with pytest.raises(kalooki_env.AgentError, match="did you mean 'greedy'"):
        agents.seat("gredy", game)
    for wrong in (5, object(), First):
        with pytest.raises(kalooki_env.ConfigTypeError, match="an object with act"):
            agents.seat(wrong, game)  # type: ignore[arg-type]
    with pytest.raises(kalooki_env.AgentError, match="sees hidden cards"):
        agents.seat("cheat-all", game).choose()
    with pytest.raises(kalooki_env.AgentError, match="Jamaican game only"):
        agents.seat("search", Game("kaluki51", seed=1)).choose()
    with pytest.raises(kalooki_env.EnvironmentStateError, match="nobody is to move"):
        agents.seat("greedy", kalooki_env.env()).choose()
    game.do(core.DRAW_STOCK)
    assert game.mask()[agents.seat("greedy", game).choose()] == 1
