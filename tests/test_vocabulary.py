"""One vocabulary for all environments: names, defaults, choices, errors, and what counts as a value."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import kalooki_env
from kalooki_env import core, kalooki_v0
from kalooki_env.envs.aec import TableOptions
from kalooki_env.envs.batch_options import BatchOptions
from kalooki_env.envs.options import WORDS, EnvOptions
from kalooki_env.envs.sb3 import SB3VecEnv
from kalooki_env.values import integer_of

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")

#: All doors, and the classes whose docstrings explain their options.
DOORS: dict[str, tuple[Callable[..., Any], Any]] = {
    "env": (kalooki_env.env, kalooki_env.raw_env),
    "raw_env": (kalooki_env.raw_env, kalooki_env.raw_env),
    "parallel_env": (kalooki_env.parallel_env, kalooki_env.raw_env),
    "SeatVectorEnv": (kalooki_env.SeatVectorEnv, kalooki_env.SeatVectorEnv),
    "make_vec": (kalooki_env.make_vec, kalooki_env.SeatVectorEnv),
    "SelfPlayEnv": (kalooki_env.SelfPlayEnv, kalooki_env.SelfPlayEnv),
    "make_selfplay": (kalooki_env.make_selfplay, kalooki_env.SelfPlayEnv),
    "SeatEnv": (kalooki_env.SeatEnv, kalooki_env.SeatEnv),
    "SB3VecEnv": (SB3VecEnv, kalooki_env.SeatVectorEnv),
}
TABLES = {"env", "raw_env", "parallel_env"}
BATCHES = {"SeatVectorEnv", "make_vec", "SelfPlayEnv", "make_selfplay", "SeatEnv", "SB3VecEnv"}
SEATS = BATCHES - {"SelfPlayEnv", "make_selfplay"}

#: Options that are not everywhere: where they are, and why not elsewhere.
ONLY: dict[str, tuple[set[str], str]] = {
    "idle_mask": (TABLES, "elsewhere only the seat to move is shown"),
    "render_mode": (TABLES | {"SeatEnv", "SeatVectorEnv", "make_vec"}, "self-play and SB3's batches show no table"),
    "reveal": (TABLES | {"SeatEnv", "SeatVectorEnv", "make_vec"}, "goes with render_mode"),
    "opponents": (SEATS, "elsewhere all seats are asked"),
    "seat": (SEATS, "elsewhere all seats are asked"),
    "num_envs": (BATCHES - {"SeatEnv"}, "one table needs no number"),
    "autoreset_mode": ({"SeatVectorEnv", "make_vec"}, "single tables never reset themselves; SB3 and self-play know one mode"),
    "max_episode_steps": (
        {"SeatVectorEnv", "make_vec"},
        "Gymnasium wraps single tables; elsewhere episodes are played to their end",
    ),
    "lane_deals": (BATCHES, "one lane has `deal`"),
    "call_windows": (BATCHES, "the environments of one table show every decision that the rules know"),
    "threads": (BATCHES, "one table has nothing to share"),
    "copy": (BATCHES - {"SB3VecEnv"}, "one table always hands out new arrays, and SB3 keeps them"),
    "record_lanes": (BATCHES, "one table has one lane"),
}
#: Defaults that differ, and why.
DEFAULTS: dict[str, dict[str, Any]] = {
    # PettingZoo's learners look for the mask in the observation, Gymnasium's want an array and read infos.
    "mask_in": dict.fromkeys(TABLES, "observation"),
    # Learners under the parallel API sample for every agent, and from an empty mask nobody can.
    "idle_mask": {"parallel_env": "ones"},
}


def options_of(door: str) -> dict[str, Any]:
    """Names and defaults in a signature."""
    parameters = inspect.signature(DOORS[door][0]).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is not inspect.Parameter.VAR_KEYWORD}


def cases(*names: str) -> Iterator[Any]:
    for door in DOORS:
        if door in names or not names:
            yield pytest.param(door, id=door)


@pytest.mark.parametrize("door", DOORS)
def test_names_and_defaults_are_the_same_everywhere(door: str) -> None:
    found = options_of(door)
    shared = {field: EnvOptions.__dataclass_fields__[field].default for field in EnvOptions.__dataclass_fields__}
    assert set(shared) <= set(found)
    for name, default in shared.items():
        assert found[name] == DEFAULTS.get(name, {}).get(door, default), name
    for name in set(found) - set(shared):
        assert door in ONLY[name][0], name
    assert {name for name, (where, _) in ONLY.items() if door in where} <= set(found)
    defaults = {"render_mode": None, "reveal": False, "idle_mask": "zeros", "opponents": "greedy", "seat": "rotate"}
    for name in set(defaults) & set(found):
        assert found[name] == DEFAULTS.get(name, {}).get(door, defaults[name]), name


@pytest.mark.parametrize("door", DOORS)
def test_docstrings_begin_with_ten_everyday_options_and_name_all(door: str) -> None:
    text = inspect.getdoc(DOORS[door][1]) or ""
    arguments = text[text.index("Args:") : text.index("Raises:")]
    named = re.findall(r"^    ([a-z_, ]+):", arguments.partition("Attributes:")[0], re.MULTILINE)
    everyday = [name for entry in named for name in entry.split(", ") if name != "options"]
    assert len(everyday) <= 10
    explained = "".join(inspect.getdoc(kind) or "" for kind in (EnvOptions, BatchOptions, TableOptions)) + text
    for name in options_of(door):
        assert f"{name}:" in explained or f"{name}, " in explained or f"`{name}`" in explained, name
        assert f"`{name}`" in README or name == "num_envs", name


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("door", DOORS)
def test_choices_are_the_same_everywhere(door: str, name: str) -> None:
    """Each allowed word is taken at each door, as Python's string or NumPy's; the message for others lists them all."""
    make = DOORS[door][0]
    more = {"num_envs": 2} if "num_envs" in options_of(door) else {}
    for word in WORDS[name]:
        options = {name: word} | ({"episode": "match"} if name == "match_reward" else {})
        rules = {"rules": "stakes_pot"} if word == "stake" else {}
        make(**more, **options, **rules).close()
        make(**more, **{key: np.str_(value) for key, value in options.items()}, **rules).close()
    with pytest.raises(kalooki_env.ConfigError, match=f"allowed: {', '.join(WORDS[name])}"):
        make(**more, **{name: "something"})
    with pytest.raises(kalooki_env.ConfigTypeError, match=f"{name} 5 is not allowed"):
        make(**more, **{name: 5})


WRONG: list[tuple[dict[str, Any], type[Exception], type[Exception]]] = [
    ({"ruels": "jamaican"}, kalooki_env.ConfigTypeError, TypeError),
    ({"mask_in_info": True}, kalooki_env.ConfigTypeError, TypeError),
    ({"rules": "jamaica"}, kalooki_env.RulesError, ValueError),
    ({"rules": 5}, kalooki_env.RulesTypeError, TypeError),
    ({"num_players": 9}, kalooki_env.RulesError, ValueError),
    ({"num_players": "4"}, kalooki_env.RulesTypeError, TypeError),
    ({"num_players": True}, kalooki_env.RulesTypeError, TypeError),
    ({"num_players": 4.0}, kalooki_env.RulesTypeError, TypeError),
    ({"num_players": 10**400}, kalooki_env.RulesError, ValueError),
    ({"max_seats": 3}, kalooki_env.RulesError, ValueError),
    ({"max_seats": [6]}, kalooki_env.RulesTypeError, TypeError),
    ({"deal": 10}, kalooki_env.RulesError, ValueError),
    ({"deal": 1.5}, kalooki_env.RulesTypeError, TypeError),
    ({"deal": []}, kalooki_env.RulesError, ValueError),
    ({"deal": {1: -1}}, kalooki_env.ConfigError, ValueError),
    ({"deal": {1: "a"}}, kalooki_env.ConfigTypeError, TypeError),
    ({"dealer": 4}, kalooki_env.RulesError, ValueError),
    ({"dealer": None}, kalooki_env.RulesTypeError, TypeError),
    ({"observation": "obs-v2"}, kalooki_env.ConfigError, ValueError),
    ({"shaping": -1}, kalooki_env.ConfigError, ValueError),
    ({"shaping": "1"}, kalooki_env.ConfigTypeError, TypeError),
    ({"illegal_reward": float("nan")}, kalooki_env.ConfigError, ValueError),
    ({"skip_forced": "False"}, kalooki_env.ConfigTypeError, TypeError),
    ({"skip_forced": 1}, kalooki_env.ConfigTypeError, TypeError),
    ({"record": 5}, kalooki_env.ConfigTypeError, TypeError),
    ({"episode": "match", "deal": 3}, kalooki_env.ConfigError, ValueError),
    ({"episode": "match", "match_reward": "stake"}, kalooki_env.ConfigError, ValueError),
    ({"observation_form": "dict", "observation_dtype": "uint8"}, kalooki_env.ConfigError, ValueError),
]


@pytest.mark.parametrize(("options", "kind", "builtin"), WRONG, ids=lambda value: str(value)[:60])
def test_the_same_mistake_is_the_same_error_at_every_door(
    options: dict[str, Any], kind: type[Exception], builtin: type[Exception]
) -> None:
    messages = set()
    for door, (make, _) in DOORS.items():
        more = {"num_envs": 2} if "num_envs" in options_of(door) else {}
        with pytest.raises(kind) as caught:
            make(**more, **options)
        assert isinstance(caught.value, builtin | kalooki_env.KalookiError)
        assert isinstance(caught.value, TypeError) == (builtin is TypeError)
        messages.add(str(caught.value).partition("; allowed")[0].partition(" (did")[0])
    assert len(messages) == 1


def test_truth_values_are_truth_values() -> None:
    for name, door in [("skip_forced", "env"), ("reveal", "env"), ("copy", "make_vec"), ("reveal", "SeatEnv")]:
        make = DOORS[door][0]
        more = {"num_envs": 1} if "num_envs" in options_of(door) else {}
        make(**more, **{name: np.bool_(True)}).close()
        for wrong in ("False", 0, 1.0, None, np.array([True])):
            with pytest.raises(kalooki_env.ConfigTypeError, match=f"{name} .* allowed: True or False"):
                make(**more, **{name: wrong})


def test_numpy_values_are_taken_as_pythons() -> None:
    rules = kalooki_env.Rules.preset("jamaican", pip_joker=np.int64(25), calls_enabled=np.bool_(False), series=np.str_("single"))
    assert rules == kalooki_env.Rules.preset("jamaican", pip_joker=25, calls_enabled=False)
    assert str(rules) == "jamaican calls_enabled=false pip_joker=25"
    env = kalooki_env.env(np.str_("jamaican"), np.int8(3), max_seats=np.uint8(4), deal=np.int32(2), dealer=np.int16(1))
    env.reset(seed=np.uint64(3), options={"deal": np.array(4), "dealer": np.int64(2)})
    assert env.infos["player_0"]["deal"] == 4
    game = kalooki_env.Game("jamaican", np.int64(3), deal=np.int32(2), dealer=np.uint8(1), seed=np.array([7]))
    assert game.text() == kalooki_env.Game("jamaican", 3, deal=2, dealer=1, seed=7).text()


# ---- actions and seeds -------------------------------------------------------------------------------------------------

#: The same number in all forms that count as one whole number.
FORMS: list[Callable[[int], Any]] = [
    int, np.int8, np.uint8, np.int64, np.array, lambda n: np.array([n]), lambda n: np.array([[n]], np.uint16), torch.tensor,
    lambda n: torch.tensor([n]), lambda n: torch.tensor(n, dtype=torch.int32),
]  # fmt: skip
NO_ACTIONS: list[Any] = [
    None, 106.0, "106", np.array([106, 106]), np.array([]), np.float64(106), torch.tensor(106.0), torch.tensor(True), True,
    np.bool_(False), [106], (106,), {}, object(), np.array("106"), 1 + 0j, b"106",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_whole_numbers_of_any_kind_are_actions_and_seeds(form: Callable[[int], Any]) -> None:
    assert integer_of(form(106)) == 106
    first = kalooki_env.Game(seed=form(7))
    assert first.text() == kalooki_env.Game(seed=7).text()
    assert first.do(form(core.DRAW_STOCK)).phase is core.Phase.PLAY
    for make in (kalooki_env.env, kalooki_env.parallel_env, lambda **more: kalooki_env.SeatEnv(seat=0, dealer=3, **more)):
        env: Any = make(num_players=4)
        env.reset(seed=form(7))
        if isinstance(env, kalooki_env.parallel_env):
            env.step({env.aec_env.agent_selection: form(core.DRAW_STOCK)})
        else:
            env.step(form(core.DRAW_STOCK))


@pytest.mark.parametrize("wrong", NO_ACTIONS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("on_illegal", WORDS["on_illegal"])
def test_what_is_no_whole_number_is_no_action_and_changes_nothing(wrong: Any, on_illegal: Any) -> None:
    assert integer_of(wrong) is None
    env = kalooki_env.env(on_illegal=on_illegal, dealer=3)
    env.reset(seed=1)
    before = env._states.tobytes()
    for seat in (env, kalooki_env.SeatEnv(on_illegal=on_illegal)):
        seat.reset(seed=1)
        with pytest.raises(kalooki_env.ActionTypeError, match="allowed: a whole number") as caught:
            seat.step(wrong)
        assert isinstance(caught.value, TypeError)
    assert env._states.tobytes() == before
    assert not any(env.terminations.values())
    assert env.agent_selection == "player_0"
    view = kalooki_env.parallel_env(on_illegal=on_illegal, dealer=3)
    view.reset(seed=1)
    with pytest.raises(kalooki_env.ActionTypeError):
        view.step({"player_0": wrong})
    assert view.aec_env._states.tobytes() == before
    game = kalooki_env.Game(seed=1)
    if not isinstance(wrong, str):
        with pytest.raises(kalooki_env.ActionTypeError):
            game.do(wrong)
    assert game.history == []


@pytest.mark.parametrize("wrong", [1.0, "1", True, None, [1], object(), -1, 2**63, 10**400], ids=lambda value: repr(value)[:9])
def test_seeds_that_are_none(wrong: Any) -> None:
    doors: list[Callable[[Any], Any]] = [lambda seed: kalooki_env.Game(seed=seed), lambda seed: kalooki_env.Match(seed=seed)]
    if wrong is not None:  # for a reset: go on
        doors += [kalooki_env.env().reset, kalooki_env.parallel_env().reset]
        seats = [kalooki_env.SeatEnv(), kalooki_env.make_vec(1), kalooki_env.make_selfplay(1)]
        if not isinstance(wrong, list):  # one seed for each lane
            doors += [lambda seed, env=env: env.reset(seed=seed) for env in seats]
    for door in doors:
        with pytest.raises(kalooki_env.ConfigError, match=r"seed .* is not allowed") as caught:
            door(wrong)
        assert isinstance(caught.value, TypeError) == (not isinstance(wrong, int) or isinstance(wrong, bool))


# ---- what becomes of illegal actions -----------------------------------------------------------------------------------


def test_replaced_actions_are_those_of_a_lane() -> None:
    """The environment of one table draws what a lane of self-play draws, and plays on."""
    options: dict[str, Any] = {"on_illegal": "replace", "num_players": 3}
    env, lanes = kalooki_env.env(**options), kalooki_env.make_selfplay(1, **options)
    env.reset(seed=5)
    at = lanes.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        if env.terminations[env.agent_selection]:
            break
        assert env._states.tobytes() == lanes.lanes.states.tobytes()
        action = int(rng.integers(at.action_mask.shape[1]))
        agent, is_legal = env.agent_selection, bool(at.action_mask[0, action])
        env.step(action)
        at = lanes.step([action])
        assert env.infos[agent]["illegal"] == int(not is_legal)
        assert sum(info["illegal"] for info in env.infos.values()) == int(not is_legal)
        assert env.illegal_actions == lanes.illegal_actions
    assert at.deal_over[0]
    assert list(env.rewards.values()) == at.rewards[0].tolist()


def test_weighted_deals_are_drawn_as_in_a_lane() -> None:
    weights = {2: 5.0, 7: 1, 9: 0.5}
    env, lanes = kalooki_env.env(deal=weights), kalooki_env.make_selfplay(1, deal=weights)
    found = []
    for seed in range(60):
        env.reset(seed=seed)
        lanes.reset(seed=seed)
        assert env._states.tobytes() == lanes.lanes.states.tobytes()
        found.append(env.infos["player_0"]["deal"])
    assert set(found) == {2, 7, 9}
    assert found.count(2) > found.count(7) > 0
    env.reset(options={"deal": {3: 1.0}})
    assert env.infos["player_0"]["deal"] == 3


# ---- where the mask stands -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", WORDS["mask_in"])
@pytest.mark.parametrize("form", ["flat", "dict"])
def test_the_mask_stands_where_it_was_asked_for(where: Any, form: Any) -> None:
    tables = [kalooki_env.env, kalooki_env.parallel_env]
    for make in tables:
        env: Any = make(mask_in=where, observation_form=form)
        env.reset(seed=1)
        table = env.aec_env if isinstance(env, kalooki_env.parallel_env) else env
        for agent in env.possible_agents:
            seen, info = table.observe(agent), table.infos[agent]
            assert env.observation_space(agent).contains(seen)
            assert ("action_mask" in info) == (where != "observation")
            assert (isinstance(seen, dict) and "action_mask" in seen) == (where != "infos")
            if where == "both":
                np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
    for vector in (kalooki_env.make_vec(2, mask_in=where, observation_form=form), kalooki_env.SeatEnv(mask_in=where)):
        seen, info = vector.reset(seed=1)
        assert ("action_mask" in info) == (where != "observation")
        assert (isinstance(seen, dict) and "action_mask" in seen) == (where != "infos")
        assert vector.observation_space.contains(seen)
    play = kalooki_env.make_selfplay(2, mask_in=where, observation_form=form)
    at = play.reset(seed=1)
    assert play.observation_space.contains(at.observation)
    assert at.action_mask.any()


# ---- what was handed out never changes ---------------------------------------------------------------------------------


HANDED_OUT: list[dict[str, Any]] = [
    {},
    {"on_illegal": "replace"},
    {"on_illegal": "lose"},
    {"episode": "match", "rules": "short7"},
]


@pytest.mark.parametrize("options", HANDED_OUT, ids=str)
def test_infos_that_were_handed_out_never_change(options: dict[str, Any]) -> None:
    import copy

    rng = np.random.default_rng(3)
    env = kalooki_env.env(mask_in="both", **options)
    env.reset(seed=2)
    handed: list[tuple[Any, Any]] = []
    for step, agent in enumerate(env.agent_iter(3000)):
        seen, _, termination, _, info = env.last()
        for one in (
            seen,
            info,
            env.infos[agent],
            env.observe("player_0"),
            env.infos.get("player_0", {}),
        ):
            handed.append((one, copy.deepcopy(one)))
        mask = info["action_mask"]
        wrong = options.get("on_illegal") and step % 50 == 49
        legal = np.flatnonzero(mask)
        env.step(None if termination else (int(np.argmin(mask)) if wrong else int(rng.choice(legal))))
    assert len(handed) > 200
    for one, before in handed:
        for key in before:
            np.testing.assert_equal(one[key], before[key])


def test_the_parallel_view_hands_out_new_infos_with_numbers_only() -> None:
    env = kalooki_env.parallel_env(idle_mask="ones", mask_in="both")
    seen, infos = env.reset(seed=2)
    handed = []
    rng = np.random.default_rng(3)
    while True:
        keys = {name for info in infos.values() for name in info}
        assert "active_agent" in keys
        assert all(isinstance(value, int | np.ndarray) for info in infos.values() for value in info.values())
        handed.append((infos, {agent: dict(info) for agent, info in infos.items()}, env.agents and env.aec_env._actor))
        if not env.agents:
            break
        active = {info["active_agent"] for info in infos.values()}
        assert active == {env.possible_agents.index(env.aec_env.agent_selection)}
        seen, _, _, _, infos = env.step({agent: rng.choice(np.flatnonzero(row["action_mask"])) for agent, row in seen.items()})
    for one, before, _ in handed:
        assert one == before or all(np.array_equal(one[a][k], before[a][k]) for a in before for k in before[a])
    assert {info["active_agent"] for info in infos.values()} == {-1}


# ---- misuse --------------------------------------------------------------------------------------------------------------


def test_misuse_of_the_parallel_view() -> None:
    env = kalooki_env.parallel_env(dealer=3)
    with pytest.raises(kalooki_env.EnvironmentStateError, match="step before reset"):
        env.step({"player_0": 106})
    env.reset(seed=1)
    before = env.aec_env._states.tobytes()
    for wrong in (None, [106], 106, "player_0"):
        with pytest.raises(kalooki_env.ConfigTypeError, match="allowed: a dict"):
            env.step(wrong)  # type: ignore[arg-type]
    with pytest.raises(kalooki_env.ConfigError, match="without player_0, the agent to move"):
        env.step({"player_1": 106})
    with pytest.raises(kalooki_env.UnknownAgentIDError, match="no agent 'P9'") as caught:
        env.step({"player_0": 106, "P9": 3})
    assert isinstance(caught.value, KeyError)
    assert env.aec_env._states.tobytes() == before
    while env.agents:
        mover = env.aec_env.agent_selection
        env.step({mover: np.flatnonzero(env.aec_env.observe(mover)["action_mask"])[0]})
    with pytest.raises(kalooki_env.EnvironmentStateError, match="step after the end"):
        env.step({"player_0": 106})


@pytest.mark.parametrize("make", [kalooki_env.env, kalooki_env.parallel_env])
@pytest.mark.parametrize("agent", ["P9", "player_4", 0, None, ["player_0"]])
def test_agents_that_are_not_at_the_table(make: Any, agent: Any) -> None:
    env = make()
    for ask in (env.observation_space, env.action_space):
        with pytest.raises(kalooki_env.UnknownAgentIDError, match="no agent"):
            ask(agent)
    if isinstance(env, kalooki_env.raw_env):
        env.reset(seed=1)
        with pytest.raises(kalooki_env.UnknownAgentIDError, match=r"no agent .*allowed: player_0"):
            env.observe(agent)


@pytest.mark.parametrize("options", [5, "deal", [("deal", 1)], {1}])
def test_reset_options_are_a_dict(options: Any) -> None:
    for env in (
        kalooki_env.env(),
        kalooki_env.parallel_env(),
        kalooki_env.SeatEnv(),
        kalooki_env.make_vec(1),
        kalooki_env.make_selfplay(1),
    ):
        with pytest.raises(kalooki_env.ConfigTypeError, match=r"reset options .* are not allowed"):
            env.reset(options=options)


def test_self_play_takes_options_of_a_reset() -> None:
    env = kalooki_env.make_selfplay(3)
    env.reset(seed=1)
    before = env.lanes.states[[0, 2]].tobytes()
    env.reset(options={"reset_mask": np.array([False, True, False]), "deal": 4, "dealer": 2})
    assert env.lanes.states[[0, 2]].tobytes() == before
    assert (env.lanes.states[1]["deal"], env.lanes.states[1]["dealer"]) == (4, 2)
    with pytest.raises(kalooki_env.RulesError, match="deal 11"):
        env.reset(options={"deal": 11})
    with pytest.warns(UserWarning, match="did you mean 'dealer'"):
        env.reset(options={"dealr": 1})


# ---- habits of Gymnasium and PettingZoo ----------------------------------------------------------------------------------


def test_the_module_of_pettingzoo() -> None:
    assert (kalooki_v0.env, kalooki_v0.raw_env) == (kalooki_env.env, kalooki_env.raw_env)
    assert kalooki_v0.parallel_env is kalooki_env.parallel_env


@pytest.mark.parametrize(("name", "sizes"), [("Kalooki", range(3, 9)), ("Kaluki51", range(2, 7))])
def test_ids_of_both_games_and_all_tables(name: str, sizes: range) -> None:
    for size in sizes:
        env = gymnasium.make(f"{name}-{size}p-v0", opponents="random")
        table = env.unwrapped._vector.lanes.engine
        assert (table.num_players, table.is_kaluki) == (size, name == "Kaluki51")
    with pytest.raises(gymnasium.error.NameNotFound):
        gymnasium.make(f"{name}-{sizes.stop}p-v0")
    assert gymnasium.make(f"{name}-v0").unwrapped._vector.lanes.engine.num_players == 4


def test_spaces_and_metadata_of_self_play() -> None:
    env = kalooki_env.make_selfplay(3)
    at = env.reset(seed=1)
    assert env.observation_space.contains(at.observation)
    assert env.action_space.contains(env.sample_actions())
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    assert env.render_mode is None


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_episodes_are_truncated_after_so_many_steps(mode: str) -> None:
    made = gymnasium.make_vec(
        "Kalooki-v0",
        num_envs=6,
        vectorization_mode="vector_entry_point",
        max_episode_steps=25,
        deal=1,
        opponents="greedy",
        autoreset_mode=mode,
    )
    _, infos = made.reset(seed=1)
    taken = np.zeros(6, int)
    began = np.zeros(6, bool)
    cut = ended = 0
    for _ in range(300):
        mask = infos["action_mask"]
        actions = np.array([np.random.default_rng(0).choice(np.flatnonzero(row)) for row in mask])
        _, rewards, over, truncated, infos = made.step(actions)
        taken = np.where(began, 0, taken + 1)
        assert not (over & truncated).any()
        np.testing.assert_array_equal(truncated, (taken >= 25) & ~over)
        assert not rewards[truncated].any()
        done = over | truncated
        cut, ended = cut + int(truncated.sum()), ended + int(over.sum())
        if mode == "same_step":
            if done.any():
                np.testing.assert_array_equal(infos["_final_obs"], done)
                for lane in np.flatnonzero(done):
                    assert made.single_observation_space.contains(infos["final_obs"][lane])
                    assert infos["final_info"]["turns"][lane] >= 0
                np.testing.assert_array_equal(infos["final_info"]["winner"][truncated], -1)
            taken[done] = 0
        elif mode == "next_step":
            began = done
        elif done.any():
            with pytest.raises(kalooki_env.EnvironmentStateError):
                made.step(actions)
            _, infos = made.reset(options={"reset_mask": done})
            taken[done] = 0
    assert cut > 20
    assert ended > 0


def test_a_truncated_lane_deals_what_a_reset_deals() -> None:
    """And its neighbours do not notice."""
    options: dict[str, Any] = {"opponents": "random", "autoreset_mode": "same_step"}
    cut, free = kalooki_env.make_vec(2, max_episode_steps=3, **options), kalooki_env.make_vec(2, **options)
    cut.reset(seed=4)
    free.reset(seed=4)
    for step in range(1, 4):
        actions = free.sample_actions()
        seen, *_ = cut.step(actions)
        other, *_ = free.step(actions)
        if step < 3:
            np.testing.assert_array_equal(seen, other)
    mask = ~free.lanes.over
    reset, _ = free.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(seen[mask], reset[mask])
    saved = cut.get_state()
    cut.step(cut.sample_actions())
    seen, _ = cut.set_state(saved)
    assert (cut._taken == saved["taken"]).all()
    with pytest.raises(kalooki_env.ConfigError, match="taken"):
        cut.set_state({**saved, "taken": np.array([9, 9])})
