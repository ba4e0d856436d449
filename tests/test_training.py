"""Training: a run of seconds, its checkpoint, exact resume, and errors that say what was wrong."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, save_file

from kalooki_env import agents
from kalooki_env.agents.checkpoint import CheckpointAgent, info_digest
from kalooki_env.agents.network import PolicyNetwork
from kalooki_env.arena import evaluate
from kalooki_env.errors import AgentError, CheckpointError, ConfigError
from kalooki_env.game.engine import Engine
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules
from training.config import Config, load_config, make_config
from training.kernels import advantages, sample
from training.ppo import main, train
from training.selfplay import Batch, SelfPlay

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "configs" / "smoke.yaml"


def smoke(folder: Path, *overrides: str) -> Config:
    return load_config(SMOKE, [f"output={folder}", *overrides])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of one complete smoke run."""
    folder = tmp_path_factory.mktemp("run")
    assert main([str(SMOKE), "--quiet", "--set", f"output={folder}"]) == 0
    return folder / "smoke"


@pytest.fixture
def checkpoint(run: Path, tmp_path: Path) -> Path:
    """A copy of its checkpoint, to be damaged."""
    return Path(shutil.copytree(run / "checkpoint", tmp_path / "checkpoint"))


# ---- a run -------------------------------------------------------------------------------------------------------


def test_a_run_leaves_checkpoint_logs_and_resume_state(run: Path) -> None:
    info = json.loads((run / "checkpoint" / "checkpoint.json").read_text())
    assert info["decisions"] >= 2_000
    assert info["rules"] == "jamaican"
    assert info["config"]["network"]["hidden"] == [32]
    assert info["evaluation"]["greedy"]["gain"]["count"] == 8
    assert {"python", "numpy", "torch", "kalooki_env"} <= set(info["versions"])
    entries = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    assert "loss/policy" in entries[0]
    assert "final_evaluation" in entries[-1]
    assert list((run / "tensorboard").glob("events.*"))
    assert sorted(path.name for path in run.iterdir()) == ["checkpoint", "log.jsonl", "resume", "tensorboard"]


def test_a_checkpoint_plays(run: Path) -> None:
    found = evaluate(str(run / "checkpoint"), ["random"], deal=[1], deals=2, self_play=False)
    assert found.comparisons[0].with_agent.rotations == 4


def test_a_checkpoint_plays_by_sampling(run: Path) -> None:
    agent = CheckpointAgent.load(run / "checkpoint", sample=True)
    first, second = (evaluate(agent, ["greedy"], deal=[1], deals=2, seed=seed, self_play=False).comparisons[0] for seed in (3, 3))
    assert (first.gains == second.gains).all()


def test_a_checkpoint_refuses_tables_of_other_spaces(run: Path) -> None:
    agent = CheckpointAgent.load(run / "checkpoint")
    agent.begin(Engine(Rules(), 3, 4))
    with pytest.raises(AgentError, match="max_seats=4"):
        agent.begin(Engine(Rules(), 4, 5))


def test_the_same_seed_gives_the_same_run(run: Path, tmp_path: Path) -> None:
    train(smoke(tmp_path), quiet=True)
    assert weights(tmp_path / "smoke") == weights(run)
    train(smoke(tmp_path, "seed=5"), quiet=True)
    assert weights(tmp_path / "smoke") != weights(run)


def test_resuming_is_exact(run: Path, tmp_path: Path) -> None:
    config = smoke(tmp_path)
    assert not train(config, quiet=True, stop_after=1)
    assert weights(tmp_path / "smoke") != weights(run)
    assert not train(config, resume=True, quiet=True, stop_after=3)
    assert train(config, resume=True, quiet=True)
    assert weights(tmp_path / "smoke") == weights(run)
    for name in ("optimizer.safetensors", "selfplay.npz"):
        assert (tmp_path / "smoke" / "resume" / name).read_bytes() == (run / "resume" / name).read_bytes()
    logs = [
        [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()] for folder in (tmp_path / "smoke", run)
    ]
    assert [without_time(entry) for entry in logs[0]] == [without_time(entry) for entry in logs[1]]


def test_ctrl_c_saves_and_the_run_can_be_resumed(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collect = SelfPlay.collect

    def interrupted(*args: Any) -> Batch:
        signal.raise_signal(signal.SIGINT)
        return collect(*args)

    arguments = [str(SMOKE), "--quiet", "--set", f"output={tmp_path}"]
    with monkeypatch.context() as patch:
        patch.setattr(SelfPlay, "collect", interrupted)
        assert main(arguments) == 130
    assert main([*arguments, "--resume"]) == 0
    assert weights(tmp_path / "smoke") == weights(run)


def test_resuming_needs_a_run_of_the_same_configuration(run: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="resume"):
        train(smoke(tmp_path), resume=True, quiet=True)
    with pytest.raises(ConfigError, match="ppo"):
        train(smoke(run.parent, "ppo.clip=0.1"), resume=True, quiet=True)


def test_shaping_and_other_tables_train(tmp_path: Path) -> None:
    overrides = ["ppo.shaping=0.1", "ppo.bfloat16=true", "network.head_start=true", "table.players=3", "table.max_seats=5"]
    config = smoke(tmp_path, *overrides, "rules=jamaican_club", "observation=obs-v1+solver", "budget.decisions=500")
    assert train(config, quiet=True)
    assert json.loads((config.folder / "checkpoint" / "checkpoint.json").read_text())["observation"]["max_seats"] == 5


@pytest.mark.parametrize("game", ["rules=kaluki51", "rules=jamaican"])
def test_two_players_train(game: str, tmp_path: Path) -> None:
    """A game of Kaluki, and the Jamaican game's sudden death."""
    deals = "deal={1: 1.0}" if "kaluki" in game else "deal={9: 1.0}"
    config = smoke(
        tmp_path, game, deals, "table.players=2", "budget.decisions=500", "opponents.agents={greedy: 1.0, random: 1.0}"
    )
    assert train(config, quiet=True)
    path = config.folder / "checkpoint"
    assert json.loads((path / "checkpoint.json").read_text())["num_players"] == 2
    found = evaluate(path, ["random"], rules=game.partition("=")[2], num_players=2, deals=2, self_play=True)
    assert found.comparisons[0].with_agent.rotations == 2


def weights(folder: Path) -> bytes:
    return (folder / "checkpoint" / "weights.safetensors").read_bytes()


def without_time(entry: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if key != "seconds"}


# ---- configurations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    sorted(set((ROOT / "configs").glob("*.yaml")) - set((ROOT / "configs").glob("sb3_*.yaml"))),
    ids=lambda path: path.name,
)
def test_shipped_configurations_are_valid(path: Path) -> None:
    load_config(path)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("ppo.clp=0.1", r"unknown key ppo\.clp \(did you mean 'clip'\?\)"),
        ("bugdet.seconds=3", r"unknown key bugdet \(did you mean 'budget'\?\)"),
        ("rules=jamaica", r"unknown rules 'jamaica' \(did you mean 'jamaican'\?\)"),
        ("observation=[hnd]", r"unknown observation piece 'hnd' \(did you mean 'hand'\?\)"),
        ("ppo.clip=much", r"ppo\.clip: .*'much'"),
        ("deal.10=1", r"deal\.10"),
        ("deals.1=1", r"unknown key deals \(did you mean 'deal'\?\)"),
        ("budget.decisions=null", "give decisions, seconds, or both"),
        ("observation=[upcard]", "needs the piece hand"),
        ("table.players=2", r"table\.players 2 with deal\.1: 2 players may play only a sudden death, deal 9, not deal 1"),
        ("table.players=9", r"table\.players: .*, found 9"),
        ("network.head_start=1", r"network\.head_start: .*boolean, found 1"),
        ("ppo.lanes=true", r"ppo\.lanes: expected a number, found True"),
        ("nonsense", "not of the form key=value"),
        ("name.a=1", "name is no section"),
    ],
)
def test_errors_name_the_key(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(SMOKE, [override])


def test_overrides_reach_every_level() -> None:
    overrides = ["seed=7", "ppo.epochs=3", "deal.4=0.5", "rules={preset: jamaican_consensus, pip_joker: 25}"]
    config = load_config(SMOKE, overrides)
    assert (config.seed, config.ppo.epochs, config.deal[4]) == (7, 3, 0.5)
    assert config.make_rules() == Rules.preset("jamaican_consensus", pip_joker=25)
    assert make_config(config.model_dump(mode="json"), "again") == config


def test_the_command_line_reports_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.yaml")]) == 1
    assert "none.yaml" in capsys.readouterr().err


# ---- damaged, edited and foreign checkpoints ---------------------------------------------------------------------


def test_truncated_weights_are_refused(checkpoint: Path) -> None:
    path = checkpoint / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(CheckpointError, match="truncated"):
        agents.load(str(checkpoint))


def test_edited_weights_are_refused(checkpoint: Path) -> None:
    path = checkpoint / "weights.safetensors"
    tensors = load_file(path)
    save_file({name: value + 1 for name, value in tensors.items()}, path)
    with pytest.raises(CheckpointError, match="edited"):
        CheckpointAgent.load(checkpoint)


def test_missing_files_are_named(checkpoint: Path, tmp_path: Path) -> None:
    (checkpoint / "weights.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"weights\.safetensors cannot be read"):
        CheckpointAgent.load(checkpoint)
    with pytest.raises(CheckpointError, match=r"checkpoint\.json cannot be read"):
        CheckpointAgent.load(tmp_path)


def test_a_truncated_description_is_refused(checkpoint: Path) -> None:
    path = checkpoint / "checkpoint.json"
    path.write_text(path.read_text()[:-30])
    with pytest.raises(CheckpointError, match="truncated"):
        CheckpointAgent.load(checkpoint)


def rewritten(checkpoint: Path, changes: dict[str, object], *, with_digest: bool) -> None:
    path = checkpoint / "checkpoint.json"
    info = {**json.loads(path.read_text()), **changes}
    if with_digest:
        info["info_sha256"] = info_digest(info)
    path.write_text(json.dumps(info))


def test_an_edited_description_is_refused(checkpoint: Path) -> None:
    rewritten(checkpoint, {"decisions": 10**9}, with_digest=False)
    with pytest.raises(CheckpointError, match="edited"):
        CheckpointAgent.load(checkpoint)


def test_foreign_descriptions_are_refused(checkpoint: Path) -> None:
    info = json.loads((checkpoint / "checkpoint.json").read_text())
    changes: list[tuple[dict[str, object], str]] = [
        ({"format": "other"}, "format 'other'"),
        ({"observation": {**info["observation"], "schema_hash": "0" * 16}}, "another observation schema"),
        ({"observation": {**info["observation"], "pieces": ["hands"]}}, "did you mean 'hand'"),
        ({"num_actions": 100}, "it has 100 actions"),
        ({"network": {**info["network"], "hidden": [64]}}, r"'trunk\.0\.weight': found \(32, \d+\) float32, needed \(64, \d+\)"),
        ({"network": {**info["network"], "features": ["held"]}}, r"network\.features are \['held'\]; this version has"),
        ({"network": {"hidden": [64]}}, r"key network\.features is missing"),
        ({"network": None}, r"network: Input should be .*, found None"),
        ({"observation": None}, r"observation: Input should be .*, found None"),
        ({"decisins": 1}, r"unknown key decisins \(did you mean 'decisions'\?\)"),
    ]
    for change, message in changes:
        rewritten(checkpoint, {**info, **change}, with_digest=True)
        with pytest.raises(CheckpointError, match=message):
            CheckpointAgent.load(checkpoint)


# ---- SB3 policies ------------------------------------------------------------------------------------------------


def test_sb3_policies_are_loaded_only_by_their_prefix(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="sb3:PATH"):
        agents.load(str(tmp_path / "policy.zip"))
    pytest.importorskip("sb3_contrib")
    with pytest.raises(AgentError, match="cannot be loaded"):
        agents.load(f"sb3:{tmp_path / 'policy.zip'}")


class _Spaces(gymnasium.Env[Any, Any]):
    """Nothing but the spaces of a table of four, and a mask."""

    def __init__(self) -> None:
        self.observation_space = Observation.of("obs-v1", 4).space()
        self.action_space = gymnasium.spaces.Discrete(235)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self.observation_space.low, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.observation_space.low, 0.0, True, False, {}

    def action_masks(self) -> Any:
        return np.ones(235, np.bool_)


def test_sb3_policies_play(tmp_path: Path) -> None:
    contrib = pytest.importorskip("sb3_contrib")
    contrib.MaskablePPO("MlpPolicy", _Spaces(), policy_kwargs={"net_arch": [8]}, device="cpu").save(tmp_path / "policy.zip")
    name = f"sb3:{tmp_path / 'policy.zip'}"
    found = evaluate(name, ["greedy"], deal=[1], deals=2, self_play=False)
    assert found.comparisons[0].with_agent.rotations == 4
    with pytest.raises(AgentError, match="max_seats and observation"):
        agents.load(name).begin(Engine(Rules(), 4, 5))


# ---- parts -------------------------------------------------------------------------------------------------------


def test_advantages_follow_their_streams() -> None:
    # Two streams; the first ends in this batch, the second goes on.
    streams = np.array([0, 1, 0, 1, 0], np.int64)
    values = np.array([0.5, 0.1, 0.4, 0.3, 0.2], np.float32)
    rewards = np.array([0, 0, 0, 0, 1], np.float32)
    done = np.array([False, False, False, False, True])
    found = np.zeros(5, np.float32)
    advantages(streams, values, rewards, done, np.zeros(5, np.float32), 1.0, 0.5, np.zeros(2, np.int64), found)
    last = 1 - 0.2
    middle = 0.2 - 0.4 + 0.5 * last
    first = 0.4 - 0.5 + 0.5 * middle
    np.testing.assert_allclose(found[[0, 2, 4]], [first, middle, last], atol=1e-6)
    np.testing.assert_allclose(found[1], 0.3 - 0.1, rtol=1e-5)
    assert np.isnan(found[3])


def test_shaping_adds_up_to_the_first_potential() -> None:
    # With a value of 0 and lambda 1 the first advantage is the sum of all rewards: shaping leaves only the starting potential.
    potential = np.array([-0.3, -0.2, -0.1], np.float32)
    zeros = np.zeros(3, np.float32)
    rewards = np.array([0, 0, 2], np.float32)
    found = np.zeros(3, np.float32)
    done = np.array([False, False, True])
    advantages(np.zeros(3, np.int64), zeros, rewards, done, potential, 1.0, 1.0, np.zeros(1, np.int64), found)
    np.testing.assert_allclose(found[0], 2 + 0.3, rtol=1e-6)


def test_samples_have_the_policys_chances(rng: np.random.Generator) -> None:
    n = 20_000
    logits = np.tile(np.array([0.0, 5.0, 1.0, -1.0], np.float32), (n, 1))
    legal = np.tile(np.array([0, 2, 3], np.int16), (n, 1))  # action 1 is illegal
    actions, logps = np.zeros(n, np.int64), np.zeros(n, np.float32)
    sample(logits, legal, np.full(n, 3), np.arange(n), rng.random(n), actions, logps)
    chances = np.exp([0.0, 1.0, -1.0]) / np.exp([0.0, 1.0, -1.0]).sum()
    for action, chance in zip((0, 2, 3), chances, strict=True):
        assert abs((actions == action).mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / n)
        np.testing.assert_allclose(np.exp(logps[actions == action]), chance, rtol=1e-5)


@pytest.mark.parametrize("pieces", [("hand",), ("hand", "solver"), ("hand", "upcard", "fits", "known", "declined")])
def test_networks_take_any_pieces_with_the_hand(pieces: tuple[str, ...]) -> None:
    observation = Observation.of(pieces, 4)
    network = PolicyNetwork(observation, [16], head_start=True)
    rows = torch.zeros((3, observation.size), dtype=torch.uint8)
    logits, values = network(rows)
    assert logits.shape == (3, 235)
    assert values.shape == (3,)


def test_card_features_act_on_their_card() -> None:
    observation = Observation.of(["hand", "solver"], 4)
    network = PolicyNetwork(observation, [16], head_start=True)
    rows = torch.zeros((2, observation.size), dtype=torch.uint8)
    rows[1, observation.slice_of("solver").start + 54 + 17] = 1  # discarding card 17 keeps the distance
    logits = network(rows)[0].detach().numpy()
    change = logits[1, :52] - logits[0, :52]
    assert change.argmax() == 17
    assert change[17] > 3
