"""MaskablePPO of sb3-contrib in one seat, against agents in the others. Needs stable-baselines3 and sb3-contrib.

    python -m training.sb3_ppo configs/sb3_quickstart.yaml [--set a.b=value ...] [--resume]

An example of the framework's use, and a baseline: `training.ppo` plays all seats itself and gets further.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import FloatSchedule
from stable_baselines3.common.vec_env import VecMonitor

from kalooki_env.agents.sb3 import SB3Agent
from kalooki_env.envs.sb3 import SB3VecEnv
from kalooki_env.game.engine import Engine
from training.evaluation import Evaluation, summary
from training.logs import Logs, progress_bar
from training.runs import Progress, command_line, interruption
from training.sb3_checkpoint import load_resume, save_policy, save_resume
from training.sb3_config import Sb3Config, Sb3PpoConfig, load_sb3_config


def train(config: Sb3Config, resume: bool = False, command: str = "", quiet: bool = False, stop_after: int | None = None) -> bool:
    """Train a policy as a configuration says.

    Args:
        config: the run.
        resume: go on where the run in the same folder stopped.
        command: the command line, for the policy's description.
        quiet: no progress bar.
        stop_after: stop as if interrupted after so many updates in all.

    Returns:
        Whether the run is complete. If not, its state is saved, and `resume` goes on with it.

    Raises:
        CheckpointError: nothing to resume.
        ConfigError: the run to resume has another configuration.
        AgentError: an unknown opponent.
    """
    torch.set_num_threads(1)
    env = make_env(config)
    model, progress = load_resume(config, env) if resume else (make_model(config, env), Progress())
    model.set_logger(Logger(None, []))  # it only collects: what `learn` measures goes to the logs of all trainers
    agent = SB3Agent(model, config.make_observation().pieces)
    engine = Engine(config.make_rules(), config.table.players, config.max_seats)
    on_the_way = Evaluation(config, engine, config.evaluation.deals)
    every = config.evaluation.every
    logs = Logs(config.folder, resume, progress.decisions)
    found: dict[str, Any] = {}

    def save() -> None:
        save_policy(config, model, command, progress, found)
        save_resume(config, model, env, progress)

    bar = progress_bar(not quiet)
    saved_at = clock = time.perf_counter()
    with interruption() as interrupted:
        while progress.share(config) < 1 and not interrupted and (stop_after is None or progress.updates < stop_after):
            set_schedules(model, config.ppo, progress.share(config))
            # One rollout and one update. The games go on where they were.
            model.learn(config.ppo.per_update, reset_num_timesteps=False)
            before = progress.decisions
            progress.decisions = model.num_timesteps
            progress.updates += 1
            progress.seconds += time.perf_counter() - clock
            measured = measurements(model, env)
            logs.write(progress.decisions, {"seconds": round(progress.seconds, 2), **measured})
            if every and before // every < progress.decisions // every:
                found = summary(on_the_way.run(agent))
                logs.write(progress.decisions, {"evaluation": found})
            if time.perf_counter() - saved_at > config.checkpoint_every:
                save()
                saved_at = time.perf_counter()
            bar.update(int(1000 * progress.share(config)) - bar.n)
            bar.set_postfix_str(postfix(progress, measured, found))
            clock = time.perf_counter()
        is_complete = progress.share(config) >= 1
        if is_complete:
            bar.set_postfix_str("final evaluation")
            final = Evaluation(config, engine, config.evaluation.final_deals).run(agent)
            found = summary(final)
            logs.write(progress.decisions, {"final_evaluation": found})
            report = {**final.as_dict(), "illegal_actions_in_training": env.get_attr("illegal_actions")[0]}
            (config.folder / "evaluation.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        save()
    bar.close()
    logs.close()
    env.close()
    return is_complete


def make_env(config: Sb3Config) -> VecMonitor:
    """The games. An illegal action would end its deal, and is counted: the logs show that there are none."""
    games = SB3VecEnv(
        config.ppo.num_envs,
        opponents=config.opponents,
        rules=config.make_rules(),
        num_players=config.table.players,
        max_seats=config.max_seats,
        deal=config.deal,
        observation=config.observation,
        reward=config.reward,
        shaping=config.shaping,
        on_illegal="lose",
    )
    return VecMonitor(games)


def make_model(config: Sb3Config, env: VecMonitor) -> MaskablePPO:
    """A policy that knows nothing yet."""
    ppo = config.ppo
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=ppo.n_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.n_epochs,
        learning_rate=ppo.learning_rate,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.ent_coef,
        vf_coef=ppo.vf_coef,
        max_grad_norm=ppo.max_grad_norm,
        policy_kwargs={"net_arch": list(config.network.hidden), "activation_fn": torch.nn.ReLU},
        seed=config.seed,
        device="cpu",
    )


def set_schedules(model: MaskablePPO, ppo: Sb3PpoConfig, share: float) -> None:
    """Learning rate and entropy bonus after a share of the budget.

    MaskablePPO's own schedules count the decisions of one call of `learn`, and it has none for the entropy bonus.
    """
    model.lr_schedule = FloatSchedule(ppo.learning_rate + share * (ppo.learning_rate_end - ppo.learning_rate))
    model.ent_coef = ppo.ent_coef + share * (ppo.ent_coef_end - ppo.ent_coef)


def measurements(model: MaskablePPO, env: VecMonitor) -> dict[str, float]:
    """What the last update and the last hundred deals were like, for the logs."""
    deals: list[dict[str, float]] = list(model.ep_info_buffer or ())
    # Nothing before the first deal ends.
    means = {f"rollout/{name}": float(np.mean([deal[key] for deal in deals])) for key, name in _DEALS.items() if deals}
    update = {name: float(value) for name, value in model.logger.name_to_value.items()}
    return {**means, **update, **{name: env.get_attr(name)[0] for name in ("illegal_actions", "skipped_deals")}}


#: What VecMonitor tells about a deal that ended.
_DEALS = {"r": "reward", "l": "decisions"}


def postfix(progress: Progress, measured: dict[str, float], found: dict[str, Any]) -> str:
    """What the progress bar shows beside the time."""
    words = [f"{progress.decisions / 1e6:.2f} M decisions", f"reward {measured.get('rollout/reward', np.nan):+.2f}"]
    words += [f"{result['gain']['mean']:+.1f} on {name}" for name, result in found.items() if "gain" in result]
    return ", ".join(words)


def main(arguments: list[str] | None = None) -> int:
    """The command line; see `training.runs.command_line`."""
    description = "Train a policy with MaskablePPO of sb3-contrib, in one seat against agents."
    return command_line("training.sb3_ppo", description, load_sb3_config, train, arguments)


if __name__ == "__main__":
    sys.exit(main())
