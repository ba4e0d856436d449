"""Recorded deals as text: making them, reading them, and playing them again.

A recording is a line that says how the deal was set up, the position in which it begins, one line for each decision (a hash of
position and legal actions, and the action that was made), and the position in which it ends, with the scores. A file holds the
recordings of one preset.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kalooki_env.game.game import Game
from kalooki_env.rules import Rules, presets
from kalooki_env.verify.kaluki_policies import swapper_policy
from kalooki_env.verify.play import WAYS
from kalooki_env.verify.policies import Policy, joker_policy, mixed_policy

FOLDER = Path(__file__).parent / "data"
#: Rules by the names of the files: the presets, with deals for the one that has none, and keys that no preset has.
RULES = {name: name for name in presets()} | {
    "south_african": "south_african deals=33/13,34/13,44/13,333/13,334/13,344/13,444/13",
    "kaluki_swaps": "kaluki40_british joker_total=null joker_release_requires=nothing joker_release_sets=all_missing_suits",
}
_EVERYTHING = {2: 9, 3: 2, 4: 7, 6: 5, 8: 3}
_KALUKI = {2: 1, 3: 1, 4: 1, 5: 1}
#: Table sizes and, for each, the deal that is played from its start. Two players of the Jamaican game play its last deal only.
TABLES: dict[str, dict[int, int]] = {
    **dict.fromkeys(("jamaican", "jamaican_consensus", "jamaican_club", "no_call", "open_hand", "joker25"), _EVERYTHING),
    "short7": {2: 7, 4: 2, 7: 6},
    # What these play for does not show in a deal.
    **{"best_of_3": {3: 4}, "stakes_pot": {4: 6}, "stakes_per_deal": {5: 3}},
    "south_african": {2: 7, 3: 1, 5: 4},
    "kaluki51": {2: 1, 3: 1, 4: 1, 6: 1},
    **dict.fromkeys(("kaluki40_british", "kaluki51_european", "kaluki_swaps"), _KALUKI),
}
#: Decisions recorded of a deal at most.
_LONGEST = 140
_RULE = "-" * 20


class Recording(NamedTuple):
    """One recorded deal.

    Attributes:
        setting: `seed 7, 4 players, deal 2, dealer P3`, or `table, …` for one that begins in the midst of a deal.
        start: position at the start.
        steps: hash and action of each decision.
        end: position at the end.
    """

    setting: str
    start: str
    steps: list[tuple[str, str]]
    end: str

    def text(self) -> str:
        """As it stands in a file."""
        steps = "".join(f"{digest} {action}\n" for digest, action in self.steps)
        return f"{self.setting}\n{self.start}{_RULE}\n{steps}{_RULE}\n{self.end}"


def fingerprint(game: Game) -> str:
    """Six hexadecimal digits that change with the position and with the legal actions."""
    text = game.text() + "\n".join(game.legal_actions())
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def played(game: Game, policy: Policy, setting: str, rng: np.random.Generator) -> Recording:
    """Play a deal, or the beginning of it, and record it."""
    start = game.text()
    steps = []
    while game.to_move is not None and len(steps) < _LONGEST:
        action = policy(game, game.legal_numbers(), rng)
        steps.append((fingerprint(game), game.action_text(action)))
        game.do(action)
    return Recording(setting, start, steps, game.text())


def played_again(recording: Recording) -> Recording:
    """The same actions from the same start."""
    game = Game.from_text(recording.start)
    steps = []
    for _, action in recording.steps:
        steps.append((fingerprint(game), action))
        game.do(action)
    return Recording(recording.setting, recording.start, steps, game.text())


def shuffled(preset: str, setting: str) -> Game:
    """The deal that a setting of the first kind names."""
    seed, players, deal, dealer = (word.strip().split() for word in setting.split(","))
    return Game(RULES[preset], int(players[0]), deal=int(deal[1]), dealer=int(dealer[1].removeprefix("P")) - 1, seed=int(seed[1]))


def record(preset: str) -> Iterator[Recording]:
    """New recordings of one preset: at each table a deal from its start, and one from a table set up in the midst of a deal."""
    rules = Rules.parse(RULES[preset])
    table_start = WAYS[rules.game].starts["swaps" if preset == "kaluki_swaps" else "table"][0]
    for number, (players, deal) in enumerate(TABLES[preset].items(), start=1):
        rng = np.random.default_rng([number, *preset.encode()])
        setting = f"seed {number}, {players} players, deal {deal}, dealer P{int(rng.integers(players)) + 1}"
        yield played(shuffled(preset, setting), mixed_policy, setting, rng)
        late = table_start(rules, players, deal, rng)
        while not late.text:
            late = table_start(rules, players, deal, rng)
        policy = swapper_policy if rules.game == "kaluki" else joker_policy
        yield played(Game.from_text(late.text), policy, f"table, {players} players, deal {deal}", rng)


def write(preset: str) -> Path:
    """Write the recordings of one preset anew."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{preset}.txt"
    path.write_text("\n".join(recording.text() for recording in record(preset)), encoding="utf-8")
    return path


def read(preset: str) -> list[Recording]:
    """The recordings of one preset."""
    found = []
    for part in (FOLDER / f"{preset}.txt").read_text(encoding="utf-8").split("\n\n"):
        head, steps, end = part.split(f"{_RULE}\n")
        setting, _, start = head.partition("\n")
        lines = [line.partition(" ")[::2] for line in steps.splitlines()]
        found.append(Recording(setting, start, lines, end.rstrip("\n") + "\n"))
    return found
