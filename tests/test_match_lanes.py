"""Lanes with `episode="match"` are the AEC environment, through deals, sudden deaths and series; and what else they promise."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from batch_tools import assert_same, digest, random_legal, rows_of
from gymnasium.utils.env_checker import check_env
from numpy.testing import assert_array_equal
from test_match_env import SHORT, rig

import kalooki_env
from kalooki_env import ConfigError, RulesError, agents
from kalooki_env.agents.play import Player
from kalooki_env.envs.match import MatchEpisode

pytestmark = pytest.mark.filterwarnings("ignore:.*Box observation space.*")

#: All matches of these seats: 1 and 3 are tied after two deals.
TIED = [(40, 20, 50, 20), (10, 10, 30, 10)]
BY_SEAT = {"scores": "score", "totals": "total", "place": "place", "chips": "chips"}
OPTIONS: list[dict[str, Any]] = [
    {"rules": SHORT, "shaping": 0.1, "observation": "obs-v1+match+solver"},
    {"rules": "short7", "num_players": 3, "max_seats": 5, "dealer": 1, "reward": "win"},
    {"rules": "best_of_3 deals=333/9", "num_players": 3, "match_reward": "win", "shaping": 0.05},
    {"rules": "stakes_per_deal deals=333/9,334/10", "match_reward": "stake", "reward": "zero_sum"},
    {"rules": "kaluki51 score_limit=null match_deals=3", "num_players": 3, "shaping": 0.1, "reward": "zero_sum"},
    {"rules": "kaluki51 score_limit=90", "match_reward": "place", "observation_dtype": "uint8"},
    {"rules": f"{SHORT} stakes=pot stake=2", "on_illegal": "lose", "match_reward": "stake", "skip_forced": False},
]


def selfplay(count: int, **options: Any) -> kalooki_env.SelfPlayEnv:
    return kalooki_env.make_selfplay(count, episode="match", **options)


def aec(**options: Any) -> Any:
    """The same table as an AEC environment."""
    return kalooki_env.env(episode="match", **{"skip_forced": True, **options})


def assert_lanes_are_aec(count: int, ends: int, illegal: float = 0.0, **options: Any) -> kalooki_env.SelfPlayEnv:
    """Play random matches in lanes and tables side by side: observations, masks, rewards and infos are the same."""
    batch = selfplay(count, **{"observation_dtype": "float32", **options})
    tables = [aec(**options) for _ in range(count)]
    at = batch.reset(seed=5)
    for lane, env in enumerate(tables):
        env.reset(seed=5 + lane)
    rng = np.random.default_rng(3)
    ended = 0
    while ended < ends:
        actions = random_legal(at.action_mask, rng)
        if rng.random() < illegal:
            actions[0] = -1
        after, standing = batch.step(actions), batch.standing()
        finished = batch.finished()
        for lane, env in enumerate(tables):
            agent = env.agent_selection
            assert env.possible_agents.index(agent) == at.acting_seat[lane]
            seen = env.observe(agent)
            assert_array_equal(at.observation[lane], seen["observation"])
            assert_array_equal(at.action_mask[lane], seen["action_mask"])
            env.step(int(actions[lane]))
            assert after.rewards[lane].tolist() == list(env.rewards.values())
            assert after.deal_over[lane] == env.terminations["player_0"]
            if after.deal_over[lane]:
                ended += 1
                row = list(finished["lane"]).index(lane)
                infos = list(env.infos.values())
                for name, values in finished.items():
                    if name in BY_SEAT:
                        assert values[row].tolist() == [info[BY_SEAT[name]] for info in infos]
                    elif name == "illegal":
                        assert values[row] == sum(info[name] for info in infos)
                    elif name != "lane":
                        assert values[row] == infos[0][name], name
                env.reset()
            info = env.infos["player_0"]
            for name in ("match", "match_deal", "deal"):
                assert standing[name][lane] == info[name]
            assert standing["totals"][lane].tolist() == list(info["totals"])
        at = after
    return batch


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_self_play_lane_is_the_aec_environment(options: dict[str, Any]) -> None:
    illegal = 0.002 if "on_illegal" in options else 0.0
    batch = assert_lanes_are_aec(3, 5, illegal, **options)
    assert (batch.illegal_actions > 0) == (illegal > 0)


@pytest.mark.parametrize(
    ("players", "rows", "sizes"),
    [
        (4, TIED, {2}),
        (3, [(40, 20, 20), (10, 10, 10)], {2}),
        (4, [(20, 20, 50, 20), (10, 10, 30, 10), (10, 90, 10)], {2, 3}),
    ],
    ids=str,
)
@pytest.mark.parametrize("options", [{}, {"shaping": 0.1, "reward": "zero_sum", "max_seats": 6}], ids=str)
def test_sudden_deaths_are_those_of_the_aec_environment(
    monkeypatch: pytest.MonkeyPatch, players: int, rows: list[Any], sizes: set[int], options: dict[str, Any]
) -> None:
    rig(monkeypatch, rows)
    tables = set()
    real = MatchEpisode.add

    def add(self: MatchEpisode, state: Any, final: list[float]) -> list[float]:
        tables.add(len(self.deal.seats))
        return real(self, state, final)

    monkeypatch.setattr(MatchEpisode, "add", add)
    assert_lanes_are_aec(2, 3, rules=SHORT, num_players=players, **options)
    assert tables >= sizes


class Table:
    """An AEC environment in which greedy agents play all seats but one."""

    def __init__(self, seat: int, **options: Any) -> None:
        self.env, self.me = aec(**options), f"player_{seat}"
        self.players: dict[int, Player] = {}

    def reset(self, seed: int | None = None) -> None:
        self.env.reset(seed=seed)
        self.play_on()

    def step(self, action: int) -> tuple[float, bool]:
        """What the seat is paid until its next decision, and whether the match is over."""
        self.paid = 0.0
        self._step(action)
        self.play_on()
        return self.paid, bool(self.env.terminations[self.me])

    def _step(self, action: int) -> None:
        self.env.step(action)
        self.paid += self.env.rewards[self.me]

    def play_on(self) -> None:
        env = self.env
        self.paid = getattr(self, "paid", 0.0)
        while env.agent_selection != self.me and not env.terminations[self.me]:
            table = env._engine
            player = self.players.setdefault(id(table), Player(agents.load("greedy"), table, "greedy"))
            mask = env.observe(env.agent_selection)["action_mask"][None]
            self._step(int(player.act(env._states, np.zeros(1, np.int64), mask, np.random.default_rng(0))[0]))

    def assert_told(self, info: dict[str, Any], lane: int) -> None:
        for name, value in self.env.infos[self.me].items():
            if name == "totals":
                assert info[name][lane].tolist() == list(value)
            elif name != "action_mask":
                assert info[name][lane] == value, name


SEAT_OPTIONS: list[dict[str, Any]] = [
    {"rules": SHORT},
    {"rules": "kaluki51 score_limit=null match_deals=3", "num_players": 3, "match_reward": "place"},
    {"rules": "best_of_3 deals=333/9 stakes=pot stake=3", "match_reward": "stake", "num_players": 3, "max_seats": 4},
]


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("options", [*SEAT_OPTIONS, {"rules": SHORT, "tied": True}], ids=str)
def test_a_lane_of_one_seat_is_the_aec_environment(mode: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """With greedy opponents, who draw no lots; in tied matches the seat does not play the sudden deaths."""
    options = dict(options)
    is_tied = options.pop("tied", False)
    if is_tied:
        rig(monkeypatch, TIED)
    count = 2
    batch = kalooki_env.make_vec(count, episode="match", seat=2, opponents="greedy", autoreset_mode=mode, **options)
    tables = [Table(2, **options) for _ in range(count)]
    seen, infos = batch.reset(seed=7)
    for lane, table in enumerate(tables):
        table.reset(7 + lane)
    rng = np.random.default_rng(1)
    ended = 0
    while ended < 3:
        masks, was_over = batch.action_masks(), batch.lanes.lanes["over"] > 0
        for lane, table in enumerate(tables):
            there = table.env.observe(table.me)
            assert_array_equal(seen[lane], there["observation"])
            assert_array_equal(masks[lane], 1 if was_over[lane] else there["action_mask"])
            assert infos["seat"][lane] == 2
            assert (infos["place"][lane] > 0) == was_over[lane]
            table.assert_told(infos, lane)
        actions = random_legal(masks, rng)
        seen, rewards, over, _, infos = batch.step(actions)
        for lane, table in enumerate(tables):
            if was_over[lane]:
                table.reset()
                assert (rewards[lane], over[lane]) == (0, False)
            else:
                paid, is_over = table.step(int(actions[lane]))
                assert rewards[lane] == pytest.approx(paid, abs=1e-12)
                assert over[lane] == is_over
        ended += int(over.sum())
        for lane in np.flatnonzero(over):
            if mode == "same_step":
                last = infos["final_obs"][lane]
                assert_array_equal(last, tables[lane].env.observe("player_2")["observation"])
                assert last.any() != is_tied
                tables[lane].assert_told(infos["final_info"], lane)
            if mode != "next_step":
                tables[lane].reset()
        if mode == "disabled" and over.any():
            seen, infos = batch.reset(options={"reset_mask": over})


def test_shaping_of_one_seat_adds_up(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """From its first decision to the end shaping adds minus the potential of the first; deals without the seat add nothing."""
    rig(monkeypatch, TIED)
    plain, shaped = (
        kalooki_env.make_vec(3, episode="match", rules=SHORT, seat=0, shaping=weight, autoreset_mode="same_step")
        for weight in (0.0, 0.1)
    )
    plain.reset(seed=1)
    shaped.reset(seed=1)
    first = shaped.lanes.lanes["potential"][:, 0].copy()
    assert (first < 0).all()
    total, is_over = np.zeros(3), np.zeros(3, np.bool_)
    while not is_over.all():
        actions = random_legal(plain.action_masks(), rng)
        one, other = plain.step(actions), shaped.step(actions)
        total += np.where(is_over, 0, other[1] - one[1])
        is_over |= one[2]
    np.testing.assert_allclose(total, -first, atol=1e-12)


def test_threads_and_neighbours_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rig(monkeypatch, TIED)
    found = set()
    for threads in (1, 3):
        env = selfplay(5, rules=SHORT, threads=threads, on_illegal="replace", shaping=0.1)
        env.reset(seed=4)
        found.add(digest(env, 2500))
        env.close()
    assert len(found) == 1
    one, many = selfplay(1, rules=SHORT), selfplay(4, rules=SHORT, threads=2)
    ours, alone = many.reset(seed=[5, 6, 77, 1]), one.reset(seed=[77])
    rng = np.random.default_rng(2)
    ended = 0
    for _ in range(3000):
        assert_same(rows_of(tuple(ours), slice(2, 3)), tuple(alone))
        actions = random_legal(ours.action_mask, rng)
        ours, alone = many.step(actions), one.step(actions[2:3])
        ended += alone.deal_over.sum()
    assert ended


@pytest.mark.parametrize("form", ["selfplay", "vector"])
def test_saved_states_copies_and_pickles_go_on_alike(form: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    rig(monkeypatch, TIED)

    def make() -> Any:
        if form == "selfplay":
            return selfplay(3, rules=SHORT, on_illegal="replace", shaping=0.1)
        return kalooki_env.make_vec(3, episode="match", rules=SHORT, on_illegal="replace", match_reward="place")

    env = make()
    env.reset(seed=4)
    while not (env.lanes.lanes["table"] == 2).any():
        env.step(env.sample_actions())
    np.savez(tmp_path / "state.npz", **env.get_state())
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    other = make()
    other.reset(seed=99)
    other.set_state(np.load(tmp_path / "state.npz"))
    assert_same(other.standing(), env.standing())
    assert len({digest(one, 2000) for one in (env, other, *copies)}) == 1
    wrong = env.get_state()
    wrong["matches"] = wrong["matches"][:-9]
    with pytest.raises(ConfigError, match="not a state that an environment saved"):
        make().set_state(wrong)
    with pytest.raises(ConfigError, match="of another environment"):
        selfplay(3, rules=SHORT).set_state(env.get_state())


def test_outside_agents_play_as_compiled_ones_at_all_tables(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    rig(monkeypatch, [(20, 20, 50, 20), (10, 10, 30, 10), (10, 90, 10)])
    ours, theirs = (
        kalooki_env.make_vec(2, episode="match", rules=SHORT, seat=1, opponents=opponents)
        for opponents in ("greedy", ["greedy", agents.load("greedy"), agents.load("greedy")])
    )
    assert_same(ours.reset(seed=1), theirs.reset(seed=1))
    ended = 0
    while ended < 3:
        actions = random_legal(ours.action_masks(), rng)
        one, other = ours.step(actions), theirs.step(actions)
        assert_same(one, other)
        ended += one[2].sum()
    assert theirs.lanes._players


def test_dealer_and_seat_move_on_from_match_to_match(rng: np.random.Generator) -> None:
    env = kalooki_env.make_vec(1, episode="match", rules="jamaican deals=333/9", num_players=3, autoreset_mode="same_step")
    env.reset(seed=1)
    places = []
    for _ in range(4):
        first = env.lanes._matches[0].score.first_dealer
        places.append((first, (int(env.lanes.lanes["seat"][0]) - first) % 3))
        while not env.step(random_legal(env.action_masks(), rng))[2][0]:
            pass
    assert places == [((places[0][0] + i) % 3, (places[0][1] + i) % 3) for i in range(4)]
    env.reset(options={"dealer": 2, "seat": 1})
    assert env.lanes._matches[0].score.first_dealer == 2
    assert env.lanes.lanes["seat"][0] == 1


def test_a_new_match_in_the_midst_of_one(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """A seeded reset begins anew, whatever was played before."""
    rig(monkeypatch, TIED)
    env = selfplay(2, rules=SHORT, shaping=0.1)
    digests = set()
    for _ in range(2):
        at = env.reset(seed=3)
        assert not env.standing()["totals"].any()
        digests.add(at.observation.tobytes())
        while not (env.lanes.lanes["table"] == 2).any():
            at = env.step(random_legal(at.action_mask, rng))
    assert len(digests) == 1


def test_stable_baselines_sees_matches(rng: np.random.Generator) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import VecMonitor

    from kalooki_env.envs.sb3 import SB3VecEnv

    inner = SB3VecEnv(3, episode="match", rules=SHORT, opponents="random")
    inner.seed(3)
    env = VecMonitor(inner)
    env.reset()
    assert inner.reset_infos[0]["match_deal"] == 1
    lengths, paid, ended = np.zeros(3, int), np.zeros(3), 0
    while ended < 4:
        _, rewards, dones, infos = env.step(random_legal(np.stack(inner.env_method("action_masks")), rng))
        lengths += 1
        paid += rewards
        for lane in np.flatnonzero(dones):
            ended += 1
            info = infos[lane]
            assert info["episode"]["l"] == lengths[lane]
            assert info["episode"]["r"] == pytest.approx(paid[lane], abs=1e-4)
            assert paid[lane] == pytest.approx(-info["total"] / 100, abs=1e-4)
            assert info["total"] == info["totals"][info["seat"]]
            assert info["match_deal"] >= 2
            lengths[lane] = paid[lane] = 0


def test_gymnasium_accepts_it_and_pictures_name_the_deal(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    rig(monkeypatch, TIED)
    options: dict[str, Any] = {"episode": "match", "rules": SHORT, "seat": 0, "opponents": "random"}
    check_env(kalooki_env.SeatEnv(on_illegal="replace", **options), skip_render_check=True)
    env = kalooki_env.SeatEnv(render_mode="ansi", **options)
    _, info = env.reset(seed=1)
    headings, over = set(), False
    while not over:
        headings.add(env.render().splitlines()[0])
        seen, _, over, _, info = env.step(int(random_legal(env.action_masks()[None], rng)[0]))
    assert {"deal 1; totals: P1 0, P2 0, P3 0, P4 0", "deal 2; totals: P1 40, P2 20, P3 50, P4 20"} == headings
    assert "sudden death of P2 and P4" in env.render()
    assert not seen.any(), "it does not play the sudden death"
    assert (info["place"], info["total"], info["totals"][0], info["chips"]) == (3, 50, 50, 0.0)
    assert isinstance(info["place"], int)
    again = env.get_state()
    assert env.set_state(again)[1]["place"] == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"episode": "game"}, ConfigError, "episode 'game' is not allowed; allowed: deal, match"),
        ({"match_reward": "score"}, ConfigError, "match_reward 'score' is not allowed"),
        ({"episode": "match", "match_reward": "stake"}, ConfigError, "rules key stakes: none"),
        ({"episode": "match", "deal": 3}, ConfigError, "deal 3 is not allowed with episode 'match'"),
        ({"episode": "match", "lane_deals": [3]}, ConfigError, "lane_deals are not allowed with episode 'match'"),
        ({"episode": "match", "num_players": 2}, RulesError, "2 players are not allowed in a match"),
    ],
    ids=str,
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    for make in (kalooki_env.make_vec, kalooki_env.make_selfplay):
        with pytest.raises(error, match=message):
            make(1, **options)


def test_what_is_for_matches_only() -> None:
    env = kalooki_env.make_vec(1, episode="match")
    with pytest.raises(RulesError, match="not allowed in a match"):
        env.reset(options={"deal": 2})
    single = kalooki_env.make_vec(1)
    _, infos = single.reset(seed=1)
    assert "totals" not in infos
    with pytest.raises(ConfigError, match="standing without a match"):
        single.standing()
    assert env.lanes.layout.pieces == (*single.lanes.layout.pieces, "match")
