"""Recorded deals are played again exactly: positions, legal actions, scores, and the cards that the shuffles give.

`python -m tests.playthroughs` records them anew, which is right only when a change of rules or texts is meant.
"""

from __future__ import annotations

import pytest
from playthroughs.recording import FOLDER, RULES, TABLES, fingerprint, played_again, read, shuffled

from kalooki_env.game.game import Game
from kalooki_env.referee import Referee
from kalooki_env.rules import JOKER


@pytest.mark.parametrize("preset", RULES)
def test_recorded_deals_are_played_the_same_again(preset: str) -> None:
    recordings = read(preset)
    assert len(recordings) == 2 * len(TABLES[preset])
    for recording in recordings:
        if recording.setting.startswith("seed"):
            assert shuffled(preset, recording.setting).text() == recording.start, "other cards from the same seed"
        again = played_again(recording)
        assert again.steps == recording.steps, f"{recording.setting}: {first_difference(recording.steps, again.steps)}"
        assert again.end == recording.end, recording.setting


def first_difference(recorded: list[tuple[str, str]], again: list[tuple[str, str]]) -> str:
    number = next(i for i, (one, two) in enumerate(zip(recorded, again, strict=True)) if one != two)
    return f"position or legal actions before action {number + 1}, {recorded[number][1]!r}"


def kinds_of_actions(*names: str) -> set[str]:
    return {" ".join(action.split()[:2]) for name in names for one in read(name) for _, action in one.steps}


def test_recordings_are_small_and_hold_what_is_worth_recording() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 900_000
    assert {path.stem for path in FOLDER.iterdir()} == set(RULES) == set(TABLES)
    both = {"draw stock", "take upcard", "lay down", "lay off"}
    kaluki = [name for name in RULES if name.startswith("kaluki")]
    jamaican = kinds_of_actions(*(name for name in RULES if name not in kaluki))
    assert jamaican >= both | {"three of", "four of", "move joker", "pass", "call", "refuse"}
    for name in kaluki:
        assert kinds_of_actions(name) >= both | {"set of", "run of", "swap joker", "end opening", f"place {JOKER}"}
    ends = [one.end for name in RULES for one in read(name)]
    assert sum("phase: over" in end for end in ends) > 20


@pytest.mark.parametrize("preset", ["jamaican", "short7", "kaluki51", "kaluki40_british", "kaluki51_european", "kaluki_swaps"])
def test_the_referee_plays_recorded_deals_too(preset: str) -> None:
    """Those that renew no stock: the shuffle is the engine's."""
    recordings = [one for one in read(preset) if dict(_lines(one.start))["reshuffles"] == dict(_lines(one.end))["reshuffles"]]
    assert recordings
    for recording in recordings[: 1 if preset == "jamaican" else 4]:
        game, referee = Game.from_text(recording.start), Referee.from_position(recording.start)
        for digest, action in recording.steps:
            assert fingerprint(game) == digest
            assert set(game.legal_actions()) == referee.legal()
            game.do(action)
            referee.do(action)
        assert [line for line in recording.end.splitlines() if not line.startswith("rng")] == referee.position().splitlines()


def _lines(position: str) -> list[list[str]]:
    return [line.split(": ", 1) for line in position.splitlines()]
