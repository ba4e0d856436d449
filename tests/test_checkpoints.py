"""Every checkpoint that is committed loads, and plays as well as its recorded evaluation says, within what chance allows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kalooki_env.arena.evaluation import evaluate

FOLDER = Path(__file__).resolve().parent.parent / "checkpoints"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/checkpoint.json"))


def test_there_are_checkpoints_and_each_is_described() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert NAMES
    assert not [name for name in NAMES if f"## {name}\n" not in text]


@pytest.mark.parametrize("name", NAMES)
def test_a_checkpoint_repeats_its_recorded_result(name: str) -> None:
    recorded = json.loads((FOLDER / name / "evaluation.json").read_text(encoding="utf-8"))
    found = evaluate(
        str(FOLDER / name),
        ["random"],
        self_play=False,
        rules=recorded["rules"],
        num_players=recorded["num_players"],
        deal=recorded["deals"],
        deals=60,
        seed=4242,
    ).as_dict()

    ours, theirs = (result["against"][0]["overall"]["difference"] for result in (found, recorded))
    assert ours["low"] < theirs["high"]
    assert theirs["low"] < ours["high"]
