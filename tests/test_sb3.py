"""Stable-Baselines3: the adapter is the vector environment, its masks reach MaskablePPO, and a run of the trainer."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecCheckNan, VecEnv, VecFrameStack, VecMonitor, VecNormalize, is_vecenv_wrapped

import kalooki_env
from kalooki_env import agents, read_record
from kalooki_env.arena import evaluate
from kalooki_env.envs.sb3 import SB3VecEnv
from kalooki_env.errors import AgentError, CheckpointError, ConfigError, EnvironmentStateError, IllegalActionError, RulesError
from training.sb3_config import Sb3Config, load_sb3_config
from training.sb3_ppo import main, train

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = ROOT / "configs" / "sb3_quickstart.yaml"
NUM_ACTIONS = 235
#: Short deals, so that some end within a few dozen steps.
SHORT: dict[str, Any] = {"deal": [1, 5], "observation": ["hand", "upcard", "phase", "solver"], "reward": "zero_sum"}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def legal(masks: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each row."""
    return np.argmax(rng.random(masks.shape) * (masks > 0), axis=1)


def stacked(env: VecEnv) -> NDArray[np.int8]:
    """The masks of all lanes as MaskablePPO gets them: it reshapes what comes out of `np.stack`."""
    masks: NDArray[np.int8] = get_action_masks(env).reshape(env.num_envs, NUM_ACTIONS)
    return masks


# ---- the adapter -------------------------------------------------------------------------------------------------


def test_it_is_the_vector_environment_in_same_step_mode(rng: np.random.Generator) -> None:
    plain = kalooki_env.SeatVectorEnv(6, autoreset_mode="same_step", **SHORT)
    env = SB3VecEnv(6, **SHORT)
    assert env.seed(17) == list(range(17, 23))
    expected, told = plain.reset(seed=17)
    observations = env.reset()
    assert [one["deal"] for one in env.reset_infos] == told["deal"].tolist()
    ended = 0
    for _ in range(120):
        np.testing.assert_array_equal(observations, expected)
        np.testing.assert_array_equal(stacked(env), plain.action_masks())
        actions = legal(plain.action_masks(), rng)
        expected, rewards, over, _, told = plain.step(actions)
        observations, found, dones, infos = env.step(actions)
        np.testing.assert_array_equal(found, rewards.astype(np.float32))
        np.testing.assert_array_equal(dones, over)
        assert (observations.dtype, found.dtype, dones.dtype) == (np.float32, np.float32, np.bool_)
        for lane, info in enumerate(infos):
            if not over[lane]:
                assert info == {}
                continue
            ended += 1
            np.testing.assert_array_equal(info.pop("terminal_observation"), told["final_obs"][lane])
            assert info.pop("TimeLimit.truncated") is False
            names = ("deal", "seat", "score", "winner", "blocked", "turns", "illegal")
            assert info == {name: int(told["final_info"][name][lane]) for name in names}
    assert ended > 6


def test_what_it_hands_out_stays_as_it_was(rng: np.random.Generator) -> None:
    env = SB3VecEnv(4, **SHORT)
    env.seed(1)
    kept, before = [], []
    arrays = [env.reset()]
    for _ in range(100):
        kept += arrays
        before += [array.copy() for array in arrays]
        masks = np.stack(env.env_method("action_masks"))
        observations, rewards, dones, infos = env.step(legal(masks, rng))
        arrays = [masks, observations, rewards, dones, *(info["terminal_observation"] for info in infos if info)]
    env.reset()
    for array, same in zip(kept, before, strict=True):
        np.testing.assert_array_equal(array, same)
    assert len(kept) > 400


def test_observations_may_be_dicts(rng: np.random.Generator) -> None:
    env = SB3VecEnv(3, **SHORT, observation_form="dict")
    env.seed(4)
    first = env.reset()
    before = copy.deepcopy(first)
    infos: list[dict[str, Any]] = [{}]
    while not any(infos):
        observations, _, _, infos = env.step(legal(stacked(env), rng))
        assert observations["solver"].shape == (3, 161)
    ended = next(info for info in infos if info)
    assert set(ended["terminal_observation"]) == {"hand", "upcard", "phase", "solver"}
    np.testing.assert_array_equal(first["hand"], before["hand"])
    model = MaskablePPO("MultiInputPolicy", env, n_steps=4, batch_size=6, n_epochs=1, device="cpu")
    model.learn(12)


def test_masks_come_lane_by_lane_through_wrappers(rng: np.random.Generator) -> None:
    inner = SB3VecEnv(5, **SHORT)
    env = VecNormalize(VecMonitor(VecCheckNan(inner, raise_exception=True)))
    env.seed(3)
    env.reset()
    assert is_masking_supported(env)
    assert env.has_attr("action_masks")
    assert not env.has_attr("no_such_attribute")
    assert is_vecenv_wrapped(env, VecMonitor)
    assert env.env_is_wrapped(Monitor) == [False] * 5
    assert env.env_is_wrapped(Monitor, indices=[1, 2]) == [False, False]
    masks = env.env_method("action_masks")
    assert [mask.shape for mask in masks] == [(NUM_ACTIONS,)] * 5
    np.testing.assert_array_equal(masks, inner.vector.action_masks())
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[3, 1]), [masks[3], masks[1]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=2), [masks[2]])
    returns = []
    for _ in range(150):
        _, _, _, infos = env.step(legal(stacked(env), rng))
        returns += [info["episode"]["r"] for info in infos if "episode" in info]
    assert len(returns) > 5
    assert env.get_attr("illegal_actions") == [0] * 5


def test_frames_can_be_stacked(rng: np.random.Generator) -> None:
    env = VecFrameStack(SB3VecEnv(2, **SHORT), 3)
    env.seed(3)
    assert env.reset().shape == (2, *env.observation_space.shape)
    infos: list[dict[str, Any]] = [{}]
    while not any(infos):
        _, _, _, infos = env.step(legal(stacked(env), rng))
    assert next(info for info in infos if info)["terminal_observation"].shape == env.observation_space.shape


def test_seeds_and_options_are_used_once() -> None:
    env = SB3VecEnv(3, deal="random", observation=["hand"])
    env.seed(11)
    env.set_options({"deal": 7})
    first = env.reset()
    assert [info["deal"] for info in env.reset_infos] == [7, 7, 7]
    second = env.reset()
    assert (first != second).any()
    env.seed(11)
    env.set_options({"deal": 7})
    np.testing.assert_array_equal(env.reset(), first)
    env.seed(11)
    env.set_options([{"deal": 7}, {"deal": 2, "seat": 1}, {"deal": 7}])
    mixed = env.reset()
    assert [info["deal"] for info in env.reset_infos] == [7, 2, 7]
    assert env.reset_infos[1]["seat"] == 1
    np.testing.assert_array_equal(mixed[[0, 2]], first[[0, 2]])


def test_attributes_and_methods_are_those_of_all_lanes() -> None:
    env = SB3VecEnv(3, **SHORT)
    env.reset()
    assert env.render_mode is None
    assert env.get_attr("render_mode", indices=[0, 2]) == [None, None]
    assert env.get_attr("illegal_actions", indices=1) == [0]
    assert len(env.env_method("sample_actions")[0]) == 3
    env.set_attr("note", "mine")
    assert env.get_attr("note") == ["mine"] * 3
    env.set_attr("autoreset_mode", env.get_attr("autoreset_mode")[0], indices=range(3))
    assert "autoreset_mode" not in vars(env)
    with pytest.raises(AttributeError):
        env.get_attr("no_such_attribute")
    with pytest.raises(ConfigError, match=r"lanes \[0\] is not allowed; allowed: for all 3"):
        env.set_attr("note", "mine", indices=[0])
    env.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_alike_and_alone(copied: Any, rng: np.random.Generator) -> None:
    env = SB3VecEnv(4, threads=2, **SHORT)
    env.seed(9)
    env.reset()
    env.step(legal(stacked(env), rng))
    other = copied(env)
    for _ in range(50):
        masks = stacked(env)
        np.testing.assert_array_equal(stacked(other), masks)
        actions = legal(masks, rng)
        found, expected = other.step(actions), env.step(actions)
        for one, two in zip(found[:3], expected[:3], strict=True):
            np.testing.assert_array_equal(one, two)
    env.close()
    other.close()


def test_errors_say_what_is_allowed() -> None:
    with pytest.raises(ConfigError, match="unexpected keyword argument 'copy': Stable"):
        SB3VecEnv(2, copy=False)
    with pytest.raises(ConfigError, match="unexpected keyword argument 'autoreset_mode': Stable"):
        SB3VecEnv(2, autoreset_mode="next_step")
    with pytest.raises(ConfigError, match="did you mean 'observation'"):
        SB3VecEnv(2, obsrvation="obs-v1")
    with pytest.raises(AgentError, match="did you mean 'greedy'"):
        SB3VecEnv(2, opponents="gredy")
    env = SB3VecEnv(2)
    with pytest.raises(EnvironmentStateError, match="step before reset"):
        env.step(np.zeros(2, np.int64))
    env.reset()
    with pytest.raises(EnvironmentStateError, match="step_wait without actions"):
        env.step_wait()
    with pytest.raises(ConfigError, match="allowed: 2 whole numbers"):
        env.step(np.zeros(3, np.int64))
    with pytest.raises(IllegalActionError, match="lane 0"):
        env.step(np.argmin(stacked(env), axis=1))
    env.set_options({"deal": 10})
    with pytest.raises(RulesError, match="10"):
        env.reset()


# ---- MaskablePPO -------------------------------------------------------------------------------------------------


def test_maskable_ppo_learns_and_is_evaluated(tmp_path: Path) -> None:
    env = VecMonitor(SB3VecEnv(8, on_illegal="lose", **SHORT))
    judge = VecMonitor(SB3VecEnv(4, on_illegal="lose", **SHORT))
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, policy_kwargs={"net_arch": [16]}, seed=1, device="cpu"
    )
    callback = MaskableEvalCallback(
        judge, n_eval_episodes=4, eval_freq=16, log_path=str(tmp_path), best_model_save_path=str(tmp_path), verbose=0
    )
    before = [weights.clone() for weights in model.policy.parameters()]
    model.learn(256, callback=callback)
    assert any((one != two).any() for one, two in zip(before, model.policy.parameters(), strict=True))
    with np.load(tmp_path / "evaluations.npz") as found:
        assert found["results"].shape == (2, 4)
    assert (tmp_path / "best_model.zip").exists()
    rewards, lengths = evaluate_policy(model, judge, n_eval_episodes=6, return_episode_rewards=True)
    assert len(rewards) == len(lengths) == 6
    assert env.get_attr("illegal_actions")[0] == judge.get_attr("illegal_actions")[0] == 0


def test_it_learns_under_normalisation() -> None:
    env = VecNormalize(VecMonitor(SB3VecEnv(4, **SHORT)))
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=32, n_epochs=1, device="cpu")
    model.learn(64)
    assert all(torch.isfinite(weights).all() for weights in model.policy.parameters())


def test_the_single_seat_passes_the_frameworks_check() -> None:
    check_env(kalooki_env.SeatEnv(on_illegal="replace"))
    check_env(kalooki_env.SeatEnv(on_illegal="lose"))


# ---- the trainer -------------------------------------------------------------------------------------------------

#: A run of seconds.
SMOKE = [
    "network.hidden=[16]",
    "ppo={num_envs: 16, n_steps: 32, batch_size: 256, n_epochs: 1}",
    "budget.decisions=2_000",
    "evaluation={against: [random], every: 1_024, deals: 2, final_deals: 4}",
]


def smoke(folder: Path, *overrides: str) -> Sb3Config:
    return load_sb3_config(QUICKSTART, [*SMOKE, f"output={folder}", *overrides])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of one complete smoke run."""
    folder = tmp_path_factory.mktemp("run")
    arguments = [part for override in (*SMOKE, f"output={folder}") for part in ("--set", override)]
    assert main([str(QUICKSTART), "--quiet", *arguments]) == 0
    return folder / "sb3_quickstart"


def entries(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def weights(folder: Path) -> list[bytes]:
    parameters = MaskablePPO.load(folder / "policy.zip", device="cpu").policy.state_dict()
    return [value.numpy().tobytes() for value in parameters.values()]


def test_a_run_leaves_policy_logs_and_evaluation(run: Path) -> None:
    names = ["evaluation.json", "log.jsonl", "policy.zip", "resume", "tensorboard"]
    assert sorted(path.name for path in run.iterdir()) == names
    log = entries(run)
    updates = [entry for entry in log if "train/loss" in entry]
    assert [entry["decisions"] for entry in updates] == [512, 1024, 1536, 2048]
    assert [entry["decisions"] for entry in log if "evaluation" in entry] == [1024, 2048]
    assert all(entry["illegal_actions"] == 0 for entry in updates)
    assert "final_evaluation" in log[-1]
    found = json.loads((run / "evaluation.json").read_text())
    assert (found["deals"], found["deals_per_number"], found["confidence"]) == ([1, 5], 4, 0.99)
    assert found["illegal_actions_in_training"] == 0
    assert found["against"][0]["rotations"] == 4
    assert [row["deal"] for row in found["against"][0]["by_deal"]] == [1, 5]
    assert set(found["against"][0]["overall"]["difference"]) == {"mean", "low", "high", "count"}


def test_a_policy_says_what_it_looks_at(run: Path) -> None:
    with zipfile.ZipFile(run / "policy.zip") as archive:
        info = json.loads(archive.read("kalooki_env.json"))
    assert info["observation"]["max_seats"] == 4
    assert info["observation"]["pieces"][0] == "hand"
    assert info["decisions"] == 2048
    assert info["config"]["ppo"]["num_envs"] == 16
    assert {"stable_baselines3", "sb3_contrib", "torch", "kalooki_env"} <= set(info["versions"])
    assert "random" in info["evaluation"]


def test_a_policy_plays_by_what_it_says(run: Path, tmp_path: Path) -> None:
    assert agents.load(f"sb3:{run / 'policy'}").observation == load_sb3_config(QUICKSTART).make_observation().pieces
    found = evaluate(f"sb3:{run / 'policy.zip'}", ["greedy"], deal=[1], deals=2, self_play=False)
    assert found.comparisons[0].with_agent.rotations == 4
    with zipfile.ZipFile(run / "policy.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(members["kalooki_env.json"])
    for change, message in (
        ({"schema_hash": "0" * 16}, "another observation schema"),
        ({"pieces": ["hnd"]}, "did you mean 'hand'"),
    ):
        members["kalooki_env.json"] = json.dumps({**told, "observation": told["observation"] | change}).encode()
        with zipfile.ZipFile(tmp_path / "policy.zip", "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        with pytest.raises(AgentError, match=message):
            agents.load(f"sb3:{tmp_path / 'policy.zip'}")


def test_resuming_is_exact(run: Path, tmp_path: Path) -> None:
    config = smoke(tmp_path)
    assert not train(config, quiet=True, stop_after=1)
    assert weights(tmp_path / "sb3_quickstart") != weights(run)
    assert not train(config, resume=True, quiet=True, stop_after=3)
    assert train(config, resume=True, quiet=True)
    assert weights(tmp_path / "sb3_quickstart") == weights(run)
    found, expected = ([without_time(entry) for entry in entries(folder)] for folder in (tmp_path / "sb3_quickstart", run))
    assert found == expected


def without_time(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "seconds"}


def test_resuming_needs_a_run_of_the_same_configuration(run: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="resume"):
        train(smoke(tmp_path), resume=True, quiet=True)
    with pytest.raises(ConfigError, match="ppo"):
        train(smoke(run.parent, "ppo.clip_range=0.1"), resume=True, quiet=True)


def test_a_policy_for_the_default_observation_plays(tmp_path: Path) -> None:
    overrides = ("observation=obs-v1", "opponents=random", "reward=score", "shaping=0.1", "budget.decisions=500")
    assert train(smoke(tmp_path, *overrides), quiet=True)
    name = f"sb3:{tmp_path / 'sb3_quickstart' / 'policy.zip'}"
    agents.load(name)
    found = evaluate(name, ["greedy"], deal=[1], deals=2, self_play=False)
    assert found.comparisons[0].with_agent.rotations == 4


def test_other_tables_train(tmp_path: Path) -> None:
    overrides = ["table.players=3", "table.max_seats=5", "opponents=[greedy, random]", "rules=jamaican_club"]
    config = smoke(tmp_path, *overrides, "budget.decisions=500")
    assert train(config, quiet=True)
    assert MaskablePPO.load(config.result, device="cpu").action_space.n == 171 + 16 * 5  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("sb3_*.yaml")), ids=lambda path: path.name)
def test_shipped_configurations_are_valid(path: Path) -> None:
    load_sb3_config(path)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("ppo.batch=64", r"unknown key ppo\.batch \(did you mean 'batch_size'\?\)"),
        ("oponents=greedy", r"unknown key oponents \(did you mean 'opponents'\?\)"),
        ("ppo.batch_size=100", "no divisor of num_envs"),
        ("reward=points", r"reward: .*'points'"),
        ("observation=[hnd]", r"unknown observation piece 'hnd' \(did you mean 'hand'\?\)"),
        ("table.max_seats=3", "has no room for 4 players"),
    ],
)
def test_errors_name_the_key(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_sb3_config(QUICKSTART, [override])


def test_the_command_line_reports_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(QUICKSTART), "--quiet", "--set", f"output={tmp_path}", "--set", "opponents=[greedy]"]) == 1
    assert "1 opponents are not allowed" in capsys.readouterr().err


def test_a_record_of_a_lane(tmp_path: Path) -> None:
    env = SB3VecEnv(2, opponents="random", deal=1, record=tmp_path / "lane.jsonl", record_lanes=1)
    env.reset()
    for _ in range(20):
        env.step(env.vector.sample_actions())
    env.close()
    assert read_record(tmp_path / "lane.jsonl").num_actions > 20


def test_the_environment_by_its_id() -> None:
    """Both ask Gymnasium for an environment that draws pictures."""
    envs = make_vec_env("Kalooki-v0", n_envs=2, env_kwargs={"opponents": "random", "deal": 1})
    assert is_masking_supported(envs)
    envs.reset()
    masks = get_action_masks(envs)
    assert masks.shape == (2, NUM_ACTIONS)
    envs.step(np.argmax(masks, axis=1))
    envs.close()
    model = MaskablePPO("MlpPolicy", "Kalooki-v0", n_steps=16, batch_size=16, n_epochs=1, device="cpu", seed=1)
    model.learn(32)
    assert model.get_env().get_attr("illegal_actions") == [0]
