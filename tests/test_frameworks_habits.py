"""What frameworks do with environments beyond the interfaces: habits of theirs that need no framework to be shown."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec, turn_based_aec_to_parallel

import kalooki_env
from kalooki_env import agents, errors

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.KalookiError)]


@pytest.mark.parametrize(
    "make",
    [
        lambda **options: gymnasium.make("Kalooki-v0", **options),
        lambda **options: gymnasium.make_vec("Kalooki-v0", num_envs=2, **options),
        kalooki_env.env,
        kalooki_env.parallel_env,
    ],
    ids=["make", "make_vec", "env", "parallel_env"],
)
def test_an_unknown_option_is_told_in_pythons_words(make: Callable[..., Any]) -> None:
    """TorchRL asks for `frameskip`, and leaves it out if that error says so."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        make(frameskip=1)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_errors_can_be_made_anew(kind: Any) -> None:
    """`gymnasium.make` makes them from a message, Gymnasium's worker processes from another error, and pickles from both."""
    first = kind("what is wrong")
    assert "what is wrong" in str(first)
    for other in (kind(first), pickle.loads(pickle.dumps(first)), pickle.loads(pickle.dumps(kind(first)))):
        assert str(other) == str(first)
        assert vars(other) == vars(first)


@pytest.mark.filterwarnings("ignore:.*(ERROR|Calling `close`)")  # Gymnasium tells of it as well
def test_an_illegal_action_in_a_worker_process_is_told_as_such() -> None:
    envs = AsyncVectorEnv([lambda: gymnasium.make("Kalooki-v0", opponents="random")])
    envs.reset(seed=1)
    with pytest.raises(kalooki_env.IllegalActionError, match="no action number of this table") as caught:
        envs.step(np.array([-1]))
    assert "rules: jamaican" in caught.value.position
    assert caught.value.seed == 1
    envs.close(terminate=True)


# ---- PettingZoo's wrappers and conversions -------------------------------------------------------------------------

TABLE: dict[str, Any] = {"num_players": 3, "deal": 1}


def played(env: Any, seed: int) -> tuple[int, dict[str, float]]:
    """Decisions and rewards of a deal between greedy agents, who are seated at the environment as it is wrapped."""
    seated = agents.seat("greedy", env)
    env.reset(seed=seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    decisions = 0
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        total[agent] += reward
        is_done = termination or truncation
        decisions += not is_done
        env.step(None if is_done else seated.choose())
    assert not env.agents
    return decisions, total


def played_at_once(env: Any, seed: int) -> tuple[int, dict[str, float]]:
    """The same under the parallel API: all agents give the action of the one to move."""
    seated = agents.seat("greedy", env)
    env.reset(seed=seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    decisions = 0
    while env.agents:
        _, rewards, _, _, _ = env.step(dict.fromkeys(env.agents, seated.choose()))
        decisions += 1
        for agent, reward in rewards.items():
            total[agent] += reward
    return decisions, total


@pytest.mark.parametrize("mask_in", ["observation", "infos", "both"])
def test_wrapped_environments_play_the_same_deals(mask_in: str) -> None:
    def table() -> Any:
        return kalooki_env.env(mask_in=mask_in, **TABLE)

    def parallel() -> Any:
        return kalooki_env.parallel_env(mask_in=mask_in, **TABLE)

    one_by_one = [
        wrappers.BaseWrapper(table()),
        wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(table(), -1))),
    ]
    at_once = [parallel(), turn_based_aec_to_parallel(table()), aec_to_parallel(parallel_to_aec(parallel()))]
    for seed in range(3):
        plain = played(table(), seed)
        assert sum(plain[1].values()) != 0
        assert [played(env, seed) for env in one_by_one] == [plain] * len(one_by_one)
        assert [played_at_once(env, seed) for env in at_once] == [plain] * len(at_once)
        asked_in_turn = played(parallel_to_aec(parallel()), seed)
        assert asked_in_turn == (3 * plain[0], plain[1])


@pytest.mark.parametrize("mask_in", ["observation", "infos", "both"])
def test_several_episodes_in_one(mask_in: str) -> None:
    deals = [played(kalooki_env.env(mask_in=mask_in, **TABLE), seed) for seed in (5, 6)]
    decisions, total = played_at_once(wrappers.MultiEpisodeParallelEnv(kalooki_env.parallel_env(mask_in=mask_in, **TABLE), 2), 5)
    assert decisions == sum(each for each, _ in deals)
    assert total == pytest.approx({agent: sum(paid[agent] for _, paid in deals) for agent in total})
    env = wrappers.MultiEpisodeEnv(kalooki_env.env(mask_in=mask_in, **TABLE), 2)
    assert played(env, 5) == (decisions, pytest.approx(total))


def test_an_illegal_move_ends_the_deal_under_pettingzoos_wrapper_and_leaves_nothing_behind() -> None:
    plain = played(kalooki_env.env(**TABLE), 5)
    env = wrappers.TerminateIllegalWrapper(kalooki_env.env(**TABLE), -1)
    env.reset(seed=5)
    offender = env.agent_selection
    env.step(int(np.argmin(env.last()[0]["action_mask"])))
    seen = {}
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        seen[agent] = (reward, termination or truncation)
        env.step(None)
    assert seen == {agent: (-1.0 if agent == offender else 0.0, True) for agent in env.possible_agents}
    assert played(env, 5) == plain
