"""Recorded deals are played again exactly: positions, legal actions, scores, and the cards that the shuffles give.

`python -m tests.playthroughs` records them anew, which is right only when a change of rules or texts is meant.
"""

from __future__ import annotations

import pytest
from conftest import PRESETS
from playthroughs.recording import FOLDER, TABLES, fingerprint, played_again, read, shuffled

from kalooki_env.game.game import Game
from kalooki_env.referee import Referee


@pytest.mark.parametrize("preset", PRESETS)
def test_recorded_deals_are_played_the_same_again(preset: str) -> None:
    recordings = read(preset)
    assert len(recordings) == 2 * len(TABLES)
    for recording in recordings:
        if recording.setting.startswith("seed"):
            assert shuffled(preset, recording.setting).text() == recording.start, "other cards from the same seed"
        again = played_again(recording)
        assert again.steps == recording.steps, f"{recording.setting}: {first_difference(recording.steps, again.steps)}"
        assert again.end == recording.end, recording.setting


def first_difference(recorded: list[tuple[str, str]], again: list[tuple[str, str]]) -> str:
    number = next(i for i, (one, two) in enumerate(zip(recorded, again, strict=True)) if one != two)
    return f"position or legal actions before action {number + 1}, {recorded[number][1]!r}"


def test_recordings_are_small_and_hold_what_is_worth_recording() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 600_000
    kinds = {" ".join(action.split()[:2]) for preset in PRESETS for one in read(preset) for _, action in one.steps}
    assert kinds >= {
        "draw stock",
        "take upcard",
        "lay down",
        "three of",
        "four of",
        "lay off",
        "move joker",
        "pass",
        "call",
        "refuse",
    }
    ends = [one.end for preset in PRESETS for one in read(preset)]
    assert sum("phase: over" in end for end in ends) > 10


def test_the_referee_plays_a_recorded_deal_too() -> None:
    """One that renews no stock: the shuffle is the engine's."""
    recording = next(one for one in read("jamaican") if one.setting.startswith("seed") and "reshuffles: 0\n" in one.end)
    game, referee = Game.from_text(recording.start), Referee.from_position(recording.start)
    for digest, action in recording.steps:
        assert fingerprint(game) == digest
        assert set(game.legal_actions()) == referee.legal()
        game.do(action)
        referee.do(action)
    assert [line for line in recording.end.splitlines() if not line.startswith("rng")] == referee.position().splitlines()
