"""Masked PPO by self-play, in one process and one thread.

    python -m training.ppo configs/quickstart.yaml [--set a.b=value ...] [--resume]

The policy plays all seats, or shares the table with agents. Each seat of each game is a stream of its own, rewarded at the end of
the deal with its points below the table's mean. What is not the algorithm stands in the other files of this folder.
"""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kalooki_env.agents.checkpoint import CheckpointAgent
from kalooki_env.agents.network import PolicyNetwork, legal_logits
from kalooki_env.errors import CheckpointError, ConfigError
from kalooki_env.game.engine import Engine
from training.checkpoint import load_resume, recover_folder, save_checkpoint, save_resume
from training.config import Config, PpoConfig, load_config
from training.evaluation import Evaluation, summary
from training.logs import Logs, progress_bar
from training.runs import Progress, command_line, interruption
from training.selfplay import Batch, SelfPlay


def train(config: Config, resume: bool = False, command: str = "", quiet: bool = False, stop_after: int | None = None) -> bool:
    """Train a policy as a configuration says.

    Args:
        config: the run.
        resume: go on where the run in the same folder stopped.
        command: the command line, for the checkpoint.
        quiet: no progress bar.
        stop_after: stop as if interrupted after so many updates in all.

    Returns:
        Whether the run is complete. If not, its state is saved, and `resume` goes on with it.

    Raises:
        CheckpointError: nothing to resume.
        ConfigError: the run to resume has another configuration.
    """
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    rng = np.random.default_rng(config.seed)
    engine = Engine(config.make_rules(), config.table.players, config.max_seats)
    network = PolicyNetwork(config.make_observation(), config.network.hidden, config.network.head_start)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.ppo.learning_rate, eps=1e-5)
    games = SelfPlay(config, engine, network.observation, rng)
    games.compile()
    progress = Progress()
    recover_folder(config.folder / "checkpoint")
    if resume:
        arrays, saved = load_resume(config, network, optimizer, rng, games.saved())
        try:
            games.restore(arrays)
        except ConfigError as error:
            raise CheckpointError(f"resume state {config.folder / 'resume'}: selfplay.npz: {error}") from error
        progress = Progress(**saved)
    else:
        games.begin()
    logs = Logs(config.folder, resume, progress.decisions)
    on_the_way = Evaluation(config, engine, config.evaluation.deals)
    every = config.evaluation.every
    found: dict[str, Any] = {}

    def evaluated(evaluation: Evaluation) -> dict[str, Any]:
        found = summary(evaluation.run(CheckpointAgent(network, {})))
        network.train()
        return found

    def save() -> None:
        save_checkpoint(config, network, command, asdict(progress), found)
        save_resume(config, network, optimizer, games.saved(), rng, asdict(progress))

    bar = progress_bar(not quiet)
    saved_at = clock = time.perf_counter()
    with interruption() as interrupted:
        while progress.share(config) < 1 and not interrupted and (stop_after is None or progress.updates < stop_after):
            share = progress.share(config)
            batch = games.collect(partial(answers, network), shaping_weight(config.ppo, share))
            measured = update(network, optimizer, batch, config.ppo, share, rng)
            before = progress.decisions
            progress.decisions += len(batch.actions)
            progress.updates += 1
            progress.seconds += time.perf_counter() - clock
            logs.write(progress.decisions, {"seconds": round(progress.seconds, 2), **measured, **games.summary()})
            if every and before // every < progress.decisions // every:
                found = evaluated(on_the_way)
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
            found = evaluated(Evaluation(config, engine, config.evaluation.final_deals))
            logs.write(progress.decisions, {"final_evaluation": found})
        save()
    bar.close()
    logs.close()
    return is_complete


def answers(network: PolicyNetwork, rows: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits and values of observations."""
    with torch.inference_mode():
        logits, values = network(torch.from_numpy(rows))
    return logits.numpy(), values.numpy()


def shaping_weight(ppo: PpoConfig, share: float) -> float:
    """Weight of the shaping potential after a share of the budget."""
    return ppo.shaping * max(0.0, 1 - share / ppo.shaping_until)


def update(
    network: PolicyNetwork,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    ppo: PpoConfig,
    share: float,
    rng: np.random.Generator,
) -> dict[str, float]:
    """PPO's update from one batch of decisions.

    Args:
        network: what is trained.
        optimizer: its optimizer.
        batch: the decisions.
        ppo: the algorithm's numbers.
        share: share of the budget used, for the schedules.
        rng: for the order of the decisions.

    Returns:
        Losses and the like, means over the gradient steps, for the logs.
    """
    learning_rate = ppo.learning_rate + share * (ppo.learning_rate_end - ppo.learning_rate)
    entropy_weight = ppo.entropy + share * (ppo.entropy_end - ppo.entropy)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    rows, masks, actions = torch.from_numpy(batch.rows), torch.from_numpy(batch.masks), torch.from_numpy(batch.actions)
    old_logps, old_values = torch.from_numpy(batch.logps), torch.from_numpy(batch.values)
    advantages = torch.from_numpy(batch.advantages)
    returns = advantages + old_values
    explained = 1 - float((returns - old_values).var() / (returns.var() + 1e-8))
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    sums = np.zeros(5)
    steps = 0
    for _ in range(ppo.epochs):
        order = rng.permutation(len(actions))
        for first in range(0, len(order), ppo.minibatch):
            part = torch.from_numpy(order[first : first + ppo.minibatch])
            with torch.autocast("cpu", torch.bfloat16) if ppo.bfloat16 else nullcontext():
                logits, values = network(rows[part])
            logps = legal_logits(logits, masks[part] > 0).log_softmax(1)
            log_ratio = logps.gather(1, actions[part].unsqueeze(1)).squeeze(1) - old_logps[part]
            ratio = log_ratio.exp()
            advantage = advantages[part]
            clipped = ratio.clamp(1 - ppo.clip, 1 + ppo.clip)
            policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            value_loss = 0.5 * (values - returns[part]).square().mean()
            entropy = -(logps.exp() * logps).sum(1).mean()
            loss = policy_loss + ppo.value_weight * value_loss - entropy_weight * entropy
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), ppo.max_grad_norm)
            optimizer.step()
            steps += 1
            with torch.no_grad():
                kl = (ratio - 1 - log_ratio).mean()
                share_clipped = (clipped != ratio).float().mean()
                sums += torch.stack([policy_loss, value_loss, entropy, kl, share_clipped]).numpy()
    names = ("loss/policy", "loss/value", "policy/entropy", "policy/kl", "policy/clipped")
    means = dict(zip(names, (sums / steps).tolist(), strict=True))
    schedules = {"schedule/learning_rate": learning_rate, "schedule/entropy": entropy_weight}
    return {**means, "value/explained": explained, **schedules}


def postfix(progress: Progress, measured: dict[str, float], found: dict[str, Any]) -> str:
    """What the progress bar shows beside the time."""
    words = [f"{progress.decisions / 1e6:.2f} M decisions", f"entropy {measured['policy/entropy']:.2f}"]
    words += [f"{result['gain']['mean']:+.1f} on {name}" for name, result in found.items() if "gain" in result]
    return ", ".join(words)


def main(arguments: list[str] | None = None) -> int:
    """The command line; see `training.runs.command_line`."""
    return command_line("training.ppo", "Train a policy by self-play with masked PPO.", load_config, train, arguments)


if __name__ == "__main__":
    sys.exit(main())
