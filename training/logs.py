"""Logs of a run: TensorBoard scalars, one line of JSON per entry, and a progress bar with the time left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm


class Logs:
    """Writes `log.jsonl` and TensorBoard files into a run's folder.

    Args:
        folder: the run's folder.
        is_resumed: go on with the logs there instead of beginning anew.
        decisions: decisions of which the logs tell already; on resuming, later entries are dropped.
    """

    def __init__(self, folder: Path, is_resumed: bool, decisions: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "log.jsonl"
        kept = []
        if is_resumed and path.exists():
            kept = [line for line in path.read_text(encoding="utf-8").splitlines() if _decisions(line) <= decisions]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        self._file = path.open("a", encoding="utf-8", buffering=1)
        if not is_resumed:
            for old in (folder / "tensorboard").glob("events.*"):
                old.unlink()
        # A purge step hides what an interrupted run wrote after its last save.
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=decisions if is_resumed else None)

    def write(self, decisions: int, values: dict[str, Any]) -> None:
        """One entry; numbers become scalars, nested mappings get names with slashes."""
        self._file.write(json.dumps({"decisions": decisions, **values}) + "\n")
        for name, value in _flat(values):
            self._board.add_scalar(name, value, decisions)

    def close(self) -> None:
        """Write everything out."""
        self._board.close()
        self._file.close()


def progress_bar(shown: bool) -> tqdm[Any]:
    """A bar over thousandths of the run."""
    bar_format = "{desc} {percentage:3.0f}%|{bar}| {elapsed} < {remaining}{postfix}"
    return tqdm(total=1000, bar_format=bar_format, disable=not shown, desc="training", smoothing=0.05)


def _decisions(line: str) -> int:
    try:
        return int(json.loads(line)["decisions"])
    except (ValueError, KeyError):  # a line cut short by an interruption
        return 2**62


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{name}/")
        elif isinstance(value, int | float):
            found.append((prefix + name, float(value)))
    return found
