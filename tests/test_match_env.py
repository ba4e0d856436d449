"""The AEC environment with `episode="match"`: deals follow each other, sudden deaths, standings, rewards, PettingZoo's tests."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

import kalooki_env
from kalooki_env import ConfigError, Match, RulesError, UnknownAgentIDError
from kalooki_env.envs.match import MatchEpisode

# Agents that sit out a sudden death observe zeros, of which PettingZoo's api_test warns.
pytestmark = pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros")

#: Two deals, to be quick.
SHORT = "jamaican deals=333/9,334/10"


def make(rules: str = SHORT, num_players: int = 4, **options: Any) -> Any:
    return kalooki_env.env(rules, num_players, episode="match", **options)


def steps(env: Any, rng: np.random.Generator, seed: int | None = None) -> Iterator[tuple[str, Any]]:
    """Play a match at random: the agent that moved and its observation, after each step."""
    env.reset(seed=seed)
    while not env.terminations[env.agent_selection]:
        agent = env.agent_selection
        observation = env.last()[0]
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        yield agent, observation


def rig(monkeypatch: pytest.MonkeyPatch, rows: list[tuple[int, ...]]) -> None:
    """Have the first deals of every match end with these scores."""
    real = MatchEpisode.add

    def add(self: MatchEpisode, state: Any, final: list[float]) -> list[float]:
        index = len(self.score.rows)
        return real(self, {"scores": rows[index], "turns": 9} if index < len(rows) else state, final)

    monkeypatch.setattr(MatchEpisode, "add", add)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"observation_form": "dict", "max_seats": 6},
        {"observation_dtype": "uint8", "skip_forced": True},
        {"observation": "obs-v1+solver", "shaping": 0.1},
        {"match_reward": "place", "mask_in": "both", "idle_mask": "ones"},
        {"rules": "best_of_3 deals=333/9", "match_reward": "win"},
        {"rules": "stakes_per_deal deals=333/9", "match_reward": "stake", "num_players": 8},
    ],
    ids=str,
)
def test_pettingzoo_api(options: dict[str, Any]) -> None:
    api_test(make(**options), num_cycles=800)


def test_pettingzoo_seed_and_parallel() -> None:
    seed_test(make, num_cycles=300)
    parallel_api_test(kalooki_env.parallel_env(SHORT, 3, episode="match", on_illegal="lose"), num_cycles=50)


def test_pettingzoo_api_through_sudden_deaths(monkeypatch: pytest.MonkeyPatch) -> None:
    rig(monkeypatch, [(40, 20, 50, 20), (10, 10, 30, 10)])
    for options in ({}, {"shaping": 0.1, "mask_in": "both"}, {"observation_form": "dict"}):
        api_test(make(**options), num_cycles=1500)
    seed_test(make, num_cycles=1000)


def test_the_same_match_as_match(rng: np.random.Generator) -> None:
    """A seeded reset deals what `Match` deals with this seed, whatever is played; so scores and totals are the same."""
    env, match = make("short7", 3, skip_forced=False), Match("short7", 3, seed=11)
    env.reset(seed=11)
    before = match.totals
    while match.game is not None:
        assert env.agent_selection == f"player_{match.to_move}"
        assert match.game.states.tobytes() == env._states.tobytes()
        legal = match.legal_numbers()
        assert np.flatnonzero(env.last()[0]["action_mask"]).tolist() == legal
        action = int(rng.choice(legal))
        match.do(action)
        env.step(action)
        for seat, agent in enumerate(env.possible_agents):
            info = env.infos[agent]
            assert (info["total"], info["totals"]) == (match.totals[seat], match.totals)
            assert match.deal is None or (info["deal"], info["match_deal"]) == (match.deal.number, match.deal.ordinal)
        if match.totals != before:
            ended, before = match.score.deals[-1], match.totals
            for seat, agent in enumerate(env.possible_agents):
                assert env.rewards[agent] == -(ended.scores[seat] or 0) / 100
                assert env.infos[agent]["score"] == ended.scores[seat]
                assert env.infos[agent]["winner"] == (-1 if ended.winner is None else ended.winner)
        else:
            assert not any(env.rewards.values())
    assert match.outcome is not None
    assert all(env.terminations.values())
    assert tuple(env.infos[agent]["place"] for agent in env.possible_agents) == match.outcome.places


def test_rewards_of_deals_add_up_to_the_totals(rng: np.random.Generator) -> None:
    env = make()
    total = dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=3)
    for agent in env.agent_iter():
        observation, reward, over, _, info = env.last()
        total[agent] += reward
        if over:
            assert total[agent] == pytest.approx(-info["total"] / 100)
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    assert env.agents == []


def test_shaping_goes_on_from_deal_to_deal(rng: np.random.Generator) -> None:
    """Over the whole match shaping adds minus the potential of its first position, whatever is played."""
    env = make(shaping=0.1)
    env.reset(seed=5)
    first = np.array(env._rewards._potential)
    total = np.zeros(4)
    for _ in steps(env, rng, 5):
        total += list(env.rewards.values())
    totals = np.array(env.infos["player_0"]["totals"])
    assert (first < 0).all()
    assert np.allclose(total, -totals / 100 - first)


@pytest.mark.parametrize(
    ("kind", "rules", "rewards"),
    [
        ("win", SHORT, (0, 1, 0, 0)),
        ("place", SHORT, (1 / 3, 1, 2 / 3, 0)),
        ("win", f"{SHORT} tie_break=shared", (0, 1, 0, 0)),
        ("stake", f"{SHORT} stakes=pot stake=2", (-2, 6, -2, -2)),
    ],
)
def test_rewards_of_matches(
    kind: str, rules: str, rewards: tuple[float, ...], monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    rig(monkeypatch, [(50, 20, 30, 70), (40, 20, 30, 70)])
    env = make(rules, match_reward=kind)
    for _ in steps(env, rng, 1):
        if not env.terminations["player_0"]:
            assert not any(env.rewards.values())
    assert list(env.rewards.values()) == pytest.approx(rewards)


def test_shared_wins_and_places(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    rig(monkeypatch, [(50, 20, 20, 70), (40, 20, 20, 70)])
    for kind, rewards in (("win", (0, 0.5, 0.5, 0)), ("place", (1 / 3, 5 / 6, 5 / 6, 0))):
        env = make(f"{SHORT} tie_break=shared", match_reward=kind)
        assert len(list(steps(env, rng, 1))) > 10
        assert list(env.rewards.values()) == pytest.approx(rewards)


def test_j13_2_sudden_death_of_two_among_four(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    rig(monkeypatch, [(40, 20, 50, 20), (10, 10, 30, 10)])
    env = make(max_seats=5, mask_in="both", shaping=0.05)
    space = env.observation_space("player_0")
    moved = set()
    for _, observation in steps(env, rng, 2):
        assert space.contains(observation)
        if env.infos["player_0"]["match_deal"] < 3 or env.terminations["player_0"]:
            continue
        assert not moved or env.rewards["player_0"] == env.rewards["player_2"] == 0
        moved.add(env.agent_selection)
        assert env.agents == env.possible_agents, "all stay until the end"
        assert set(env.rewards) == set(env.possible_agents)
        for absent in ("player_0", "player_2"):
            seen = env.observe(absent)
            assert space.contains(seen)
            assert not seen["observation"].any()
            assert not seen["action_mask"].any()
            assert not env.infos[absent]["action_mask"].any()
        assert env.observe("player_3")["observation"].any()
        assert env.state_space.contains(env.state())
        hands = env.state()[: 53 * 5].reshape(5, 53)
        assert [bool(row.any()) for row in hands] == [False, True, False, True, False]
    assert moved == {"player_1", "player_3"}
    score = env.unwrapped._match.score
    assert [scored.deal.seats for scored in score.deals[2:]] == [(1, 3)] * (len(score.deals) - 2)
    assert env.infos["player_0"]["totals"][0] == 50
    env.reset()
    assert env.infos["player_0"]["totals"] == (0, 0, 0, 0)
    assert len(env._seats) == 4, "the next match is one of four again"


def test_the_standing_as_each_agent_sees_it(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    rig(monkeypatch, [(-50, 125, 250, 600)])
    env = make(max_seats=5, observation=["match"], observation_dtype="uint8")
    env.reset(seed=1)
    assert env.observe("player_2")["observation"].tolist() == [1, 2, 128, *[128, 0] * 4, 0, 0]
    for _ in steps(env, rng, 1):
        if env.infos["player_0"]["match_deal"] == 2:
            break
    seen = env.observe("player_1")["observation"]
    assert seen.tolist() == [2, 2, 128 + 125 // 8, 128, 0, 128 + 125 // 4, 0, 128 + 475 // 4, 0, 128 - 175 // 4 - 1, 0, 0, 0]
    seen[:] = 7
    assert env.observe("player_1")["observation"][0] == 2, "a new array each time"
    assert env.infos["player_1"]["total"] == 125


def test_dealers_rotate_in_matches_and_from_match_to_match(rng: np.random.Generator) -> None:
    env = make(num_players=3, dealer=1)
    dealers = [int(env._states[0]["dealer"]) for _ in steps(env, rng, 1) if env.infos["player_0"]["turns"] == 0]
    assert set(dealers) == {1}
    assert [scored.deal.dealer for scored in env.unwrapped._match.score.deals][:2] == [1, 2]
    rotating = make(num_players=3)
    first = []
    for number in range(4):
        rotating.reset(seed=6 if number == 0 else None)
        first.append(rotating.unwrapped._match.score.first_dealer)
    assert first == [(first[0] + i) % 3 for i in range(4)]
    rotating.reset(options={"dealer": 2})
    assert rotating.unwrapped._match.score.first_dealer == 2


def test_resets_without_a_seed_are_new_matches_that_repeat(rng: np.random.Generator) -> None:
    runs = []
    for _ in range(2):
        env = make()
        env.reset(seed=8)
        texts = []
        for _ in range(3):
            env.reset()
            texts.append(env._states.tobytes())
        runs.append(texts)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3


def test_copies_and_pickles_go_on_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rig(monkeypatch, [(40, 20, 50, 20), (10, 10, 30, 10)])
    env = make()
    for _ in steps(env, np.random.default_rng(3), 4):
        if env.infos["player_0"]["match_deal"] == 3:
            break
    ends = []
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        rng = np.random.default_rng(1)
        while not other.terminations[other.agent_selection]:
            other.step(int(rng.choice(np.flatnonzero(other.last()[0]["action_mask"]))))
        ends.append((other.infos, other.rewards))
    assert ends[0] == ends[1]
    assert env.infos["player_0"]["match_deal"] == 3


def test_an_illegal_action_loses_the_whole_match(monkeypatch: pytest.MonkeyPatch) -> None:
    rig(monkeypatch, [(40, 20, 50, 20), (10, 10, 30, 10)])
    env = make(on_illegal="lose", shaping=0.1)
    for _ in steps(env, np.random.default_rng(3), 4):
        if env.infos["player_0"]["match_deal"] == 3:
            break
    offender = env.agent_selection
    env.step(-1)
    assert all(env.terminations.values())
    assert env.infos[offender]["illegal"] == 1
    assert env.rewards[offender] < -3
    assert env.rewards["player_0"] == 0


def test_pictures_name_the_deal_and_the_totals(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    rig(monkeypatch, [(40, 20, 50, 20), (10, 10, 30, 10)])
    env = make(render_mode="ansi")
    seen = set()
    for _ in steps(env, rng, 2):
        seen.add(env.render().splitlines()[0])
    assert {"deal 1; totals: P1 0, P2 0, P3 0, P4 0", "deal 2; totals: P1 40, P2 20, P3 50, P4 20"} <= seen
    assert "sudden death of P2 and P4; totals: P1 50, P2 30, P3 80, P4 30" in seen


def test_single_deals_are_as_before() -> None:
    env = kalooki_env.env()
    env.reset(seed=1)
    assert set(env.observe("player_0")) == {"observation", "action_mask"}
    assert "totals" not in env.infos["player_0"]
    with pytest.raises(UnknownAgentIDError, match="no agent 'player_9'"):
        env.observe("player_9")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"episode": "game"}, ConfigError, "episode 'game' is not allowed; allowed: deal, match"),
        ({"match_reward": "score"}, ConfigError, "match_reward 'score' is not allowed"),
        ({"episode": "match", "match_reward": "score"}, ConfigError, "match_reward 'score' is not allowed"),
        ({"episode": "match", "match_reward": "stake"}, ConfigError, "rules key stakes: none"),
        ({"episode": "match", "deal": 3}, ConfigError, "deal 3 is not allowed with episode 'match'"),
        ({"episode": "match", "num_players": 2}, RulesError, "2 players are not allowed in a match"),
    ],
    ids=str,
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kalooki_env.env(**arguments)


def test_deals_of_a_match_cannot_be_chosen() -> None:
    with pytest.raises(RulesError, match="not allowed in a match"):
        make().reset(options={"deal": 2})
