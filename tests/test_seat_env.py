"""`SeatEnv`: Gymnasium's and SB3's checkers, and one seat's deals from reset to end."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from batch_tools import arrays_of, assert_same, engine_masks, permute_hidden, random_legal
from gymnasium.utils.env_checker import check_env
from numpy.testing import assert_array_equal
from test_vector_env import SIZES

import kalooki_env
from kalooki_env import agents, core
from kalooki_env.agents.play import Player
from kalooki_env.game.position import position_text


def choose(env: kalooki_env.SeatEnv, rng: np.random.Generator) -> int:
    return int(random_legal(env.action_masks()[None], rng)[0])


CHECKED: list[dict[str, Any]] = [
    {},
    {"observation_form": "dict", "mask_in": "both"},
    {"observation_dtype": "uint8", "num_players": 3, "max_seats": 6},
    {"render_mode": "ansi", "opponents": ["expert", "random", "greedy"], "shaping": 0.1},
]


@pytest.mark.parametrize("on_illegal", ["replace", "lose"])
@pytest.mark.parametrize("options", CHECKED, ids=str)
def test_gymnasium_checker(options: dict[str, Any], on_illegal: Any) -> None:
    made = gymnasium.make("Kalooki-v0", on_illegal=on_illegal, **options)
    check_env(made.unwrapped, skip_render_check="render_mode" in options)
    made.close()


def test_gymnasium_checker_with_pictures() -> None:
    for mode in (None, "ansi", "rgb_array"):
        check_env(gymnasium.make("Kalooki-v0", on_illegal="replace", render_mode=mode).unwrapped)


@pytest.mark.parametrize("on_illegal", ["replace", "lose"])
@pytest.mark.parametrize("options", [{}, {"observation_dtype": "uint8"}, {"mask_in": "both"}], ids=str)
def test_stable_baselines_checker(options: dict[str, Any], on_illegal: Any) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(kalooki_env.SeatEnv(on_illegal=on_illegal, **options), warn=True)


def test_gymnasium_makes_it(rng: np.random.Generator) -> None:
    env = gymnasium.make("Kalooki-v0", opponents="random", num_players=3, deal=1)
    assert isinstance(env.unwrapped, kalooki_env.SeatEnv)
    _, info = env.reset(seed=5)
    over = False
    while not over:
        action = int(random_legal(info["action_mask"][None], rng)[0])
        _, reward, over, _, info = env.step(action)
    assert reward == -info["score"] / 100
    with pytest.raises(kalooki_env.ConfigError, match="unexpected keyword argument 'opponent'"):
        gymnasium.make("Kalooki-v0", opponent="random")


@pytest.mark.parametrize("rules", ["jamaican", "jamaican_club"])
def test_it_is_the_aec_environment_with_bots(rules: str, rng: np.random.Generator) -> None:
    """All infos that both know, from reset to end, with a dealer and a seat that stay."""
    env = kalooki_env.SeatEnv(rules=rules, seat=2, opponents=["greedy", "expert", "greedy"], skip_forced=False)
    table = kalooki_env.raw_env(rules, skip_forced=False)
    bots = {3: "greedy", 0: "expert", 1: "greedy"}
    players = {seat: Player(agents.load(name), table._engine, name) for seat, name in bots.items()}
    seed: int | None = 4
    ended = 0
    for _ in range(6):
        observation, info = env.reset(seed=seed)
        table.reset(seed=seed)
        seed = None
        over = False
        while not over:
            while table.agent_selection != "player_2" and not table.terminations["player_2"]:
                seat = table.possible_agents.index(table.agent_selection)
                mask = table.observe(table.agent_selection)["action_mask"][None]
                table.step(int(players[seat].act(table._states, np.zeros(1, np.int64), mask, rng)[0]))
            theirs = table.observe("player_2")
            assert_array_equal(observation, theirs["observation"])
            assert_array_equal(info["action_mask"], theirs["action_mask"])
            action = choose(env, rng)
            observation, reward, over, truncated, info = env.step(action)
            assert (type(reward), type(over), truncated) == (float, bool, False)
            table.step(action)
        while not table.terminations["player_2"]:
            seat = table.possible_agents.index(table.agent_selection)
            mask = table.observe(table.agent_selection)["action_mask"][None]
            table.step(int(players[seat].act(table._states, np.zeros(1, np.int64), mask, rng)[0]))
        ended += 1
        assert reward == table.rewards["player_2"]
        assert {name: info[name] for name in table.infos["player_2"]} == table.infos["player_2"]
        assert info["action_mask"].all()
        assert_array_equal(observation, table.observe("player_2")["observation"])
    assert ended == 6


def test_infos_are_numbers_under_constant_names(rng: np.random.Generator) -> None:
    env = kalooki_env.SeatEnv(seat=3)
    _, info = env.reset(seed=1)
    over = False
    while True:
        assert list(info) == ["action_mask", "deal", "seat", "score", "winner", "blocked", "turns", "illegal"]
        assert all(type(value) is int for name, value in info.items() if name != "action_mask")
        assert info["action_mask"].dtype == np.int8
        assert info["seat"] == 3
        assert_array_equal(info["action_mask"], env.action_masks())
        if over:
            break
        assert (info["score"], info["winner"], info["blocked"], info["turns"]) == (0, -1, 0, 0)
        _, _, over, _, info = env.step(choose(env, rng))
    assert info["turns"] > 0


@pytest.mark.parametrize("decisions", [SIZES[0] // 5, *SIZES[1:]])
def test_random_play_pays_the_scores(decisions: int, rng: np.random.Generator) -> None:
    ended = 0
    for reward in ("score", "zero_sum", "win"):
        env = kalooki_env.SeatEnv(reward=reward, opponents=["random", "greedy", "greedy"])
        env.reset(seed=3)
        paid = 0.0
        for _ in range(decisions // 3):
            _, given, over, _, info = env.step(choose(env, rng))
            paid += given
            if over:
                scores = env._vector.lanes.states[0]["scores"][:4].astype(float)
                own = scores[info["seat"]]
                assert own == info["score"]
                won = float(info["winner"] == info["seat"])
                expected = {"score": -own / 100, "zero_sum": (scores.mean() - own) / 100, "win": won}
                assert paid == pytest.approx(expected[reward], abs=1e-9)
                paid = 0.0
                ended += 1
                env.reset()
        assert env.illegal_actions == 0
    assert ended > 50


@pytest.mark.parametrize("options", [{}, {"observation_form": "dict", "mask_in": "both"}], ids=str)
def test_arrays_handed_out_never_change_later(options: dict[str, Any], rng: np.random.Generator) -> None:
    env = kalooki_env.SeatEnv(**options)
    given: tuple[Any, ...] = env.reset(seed=2)
    kept = []
    for _ in range(150):
        for array in arrays_of((given, env.action_masks(), env.get_state())):
            kept.append((array, array.copy()))
        given = env.step(choose(env, rng))
        if given[2]:
            given = (given, env.reset())
    for array, then in kept:
        assert_array_equal(array, then)


def test_masks_are_the_engines(rng: np.random.Generator) -> None:
    env = kalooki_env.SeatEnv(rules="jamaican_club", opponents="random", deal=9)
    env.reset(seed=0)
    over = False
    for _ in range(300):
        mask = env.action_masks()
        assert mask.any()
        assert_array_equal(mask, 1 if over else engine_masks(env._vector.lanes)[0])
        if over:
            env.reset()
            over = False
        else:
            over = env.step(choose(env, rng))[2]


def test_illegal_actions_raise_and_change_nothing() -> None:
    env = kalooki_env.SeatEnv(dealer=3, seat=0)
    env.reset(seed=12)
    before = env.get_state()
    for wrong in (core.LAY_DOWN, core.DISCARD, -1, 10_000, np.int64(70)):
        with pytest.raises(kalooki_env.IllegalActionError, match=r"by P1 .*legal: draw stock, take upcard") as caught:
            env.step(wrong)
        assert not str(caught.value).startswith("lane")
        assert caught.value.seed == 12
        assert caught.value.position == position_text(env._vector.lanes.states[0], env._vector.lanes.engine)
    for wrong in (0.0, None, "draw stock", [0, 0], [], True, np.float32(0), [None]):
        with pytest.raises(kalooki_env.ActionTypeError, match=r"action .* is not allowed; allowed: a whole number"):
            env.step(wrong)
    assert_same(env.get_state(), before)
    assert env.illegal_actions == 0
    env.step(np.array([core.DRAW_STOCK]))


@pytest.mark.parametrize("on_illegal", ["lose", "replace"])
def test_after_an_illegal_action_a_seeded_reset_is_as_ever(on_illegal: Any, rng: np.random.Generator) -> None:
    env, fresh = kalooki_env.SeatEnv(on_illegal=on_illegal), kalooki_env.SeatEnv(on_illegal=on_illegal)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(core.LAY_DOWN)
    assert info["illegal"] == 1
    assert (reward, over) == ((-4.0, True) if on_illegal == "lose" else (0.0, False))
    assert env.illegal_actions == 1
    assert_same(env.reset(seed=8), fresh.reset(seed=8))
    for _ in range(10):
        action = choose(env, rng)
        assert_same(env.step(action), fresh.step(action))


def test_steps_out_of_time(rng: np.random.Generator) -> None:
    env = kalooki_env.SeatEnv(render_mode="ansi", deal=1)
    for call in (lambda: env.step(0), env.render):
        with pytest.raises(kalooki_env.EnvironmentStateError, match=r"call reset\(\) first"):
            call()
    env.reset(seed=1)
    while not env.step(choose(env, rng))[2]:
        pass
    with pytest.raises(kalooki_env.EnvironmentStateError, match="after the end of the deal"):
        env.step(0)
    with pytest.raises(kalooki_env.EnvironmentStateError, match="render_mode='ansi'"):
        kalooki_env.SeatEnv().render()


def test_seeds_and_reset_options() -> None:
    env = kalooki_env.SeatEnv()
    first = env.reset(seed=7)
    following = env.reset()
    assert_same(env.reset(seed=np.int64(7)), first)
    assert_same(env.reset(), following)
    env.reset(seed=2**62)
    assert env.np_random_seed == 2**62
    for seed in (-1, 2**63, 1.5, "7", True, [7]):
        before = env.get_state()
        with pytest.raises(kalooki_env.ConfigError, match=r"seed .* is not allowed"):
            env.reset(seed=seed)  # type: ignore[arg-type]
        assert_same(env.get_state(), before)
    _, info = env.reset(options={"deal": 4, "dealer": 1, "seat": 2, "something else": None})
    assert (info["deal"], info["seat"], int(env._vector.lanes.states[0]["dealer"])) == (4, 2, 1)
    with pytest.warns(UserWarning, match="did you mean 'dealer'"):
        env.reset(options={"dealr": 1})


def test_saved_states_at_every_moment(rng: np.random.Generator) -> None:
    """Before the first reset, in a deal, and after its end; another environment stands there just as well."""
    env, twin = kalooki_env.SeatEnv(deal=1), kalooki_env.SeatEnv(deal=1)
    twin.reset(seed=5)
    twin.set_state(env.get_state())
    with pytest.raises(kalooki_env.EnvironmentStateError):
        twin.step(0)
    env.reset(seed=5)
    over = False
    while not over:
        twin.set_state(env.get_state())
        action = choose(env, rng)
        ours = env.step(action)
        assert_same(twin.step(action), ours)
        over = ours[2]
    twin.reset()
    assert_same(twin.set_state(env.get_state()), (ours[0], ours[4]))
    with pytest.raises(kalooki_env.EnvironmentStateError, match="after the end"):
        twin.step(0)
    assert_same(twin.reset(), env.reset())
    for wrong in ({}, 3, kalooki_env.make_vec(2).get_state()):
        with pytest.raises(kalooki_env.ConfigError, match="state"):
            env.set_state(wrong)


def test_rendered_text(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rng: np.random.Generator) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    env = kalooki_env.SeatEnv(render_mode="ansi", seat=1, dealer=0)
    env.reset(seed=2)
    text = env.render()
    assert "P2 (you)" in text
    assert text.count("cards: ") == 1
    revealed = kalooki_env.SeatEnv(render_mode="ansi", seat=1, dealer=0, reveal=True)
    revealed.reset(seed=2)
    assert revealed.render().count("cards: ") == 4
    human = kalooki_env.SeatEnv(render_mode="human", seat=1, dealer=0)
    human.reset(seed=2)
    assert capsys.readouterr().out == text + "\n"
    human.step(choose(human, rng))
    assert "P2 (you)" in capsys.readouterr().out
    with pytest.raises(kalooki_env.ConfigError, match="did you mean 'rgb_array'"):
        kalooki_env.SeatEnv(render_mode="rgb")  # type: ignore[arg-type]


def test_hidden_cards_do_not_show(rng: np.random.Generator) -> None:
    """Observation, mask, infos and text, also of a deal that is over."""
    env, twin = (kalooki_env.SeatEnv(observation="obs-v1+solver", render_mode="ansi") for _ in range(2))
    env.reset(seed=2)
    source = np.zeros(1, core.STATE)
    source["rng"] = 3
    changed = ended = 0
    for _ in range(150):
        observation, _, over, _, info = env.step(choose(env, rng))
        twin.set_state(env.get_state())
        lanes = twin._vector.lanes
        changed += permute_hidden(lanes, np.array([info["seat"]]), source)
        assert_array_equal(lanes.observations[0], observation)
        assert_array_equal(twin.action_masks(), info["action_mask"])
        assert_array_equal(lanes.infos[:, 0], list(info.values())[1:])
        assert twin.render() == env.render()
        if over:
            ended += 1
            env.reset()
    assert changed > 100
    assert ended
