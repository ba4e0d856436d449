"""Logs of a run: TensorBoard scalars, one line of JSON per entry, and a progress bar with the time left."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from kalooki_env.errors import CheckpointError, ConfigError
from kalooki_env.files import FileFault, json_of, read_text

#: Bytes that a log may have: years of training.
_MOST_BYTES = 1 << 30
_UNREADABLE = 2**62


class Logs:
    """Writes `log.jsonl` and TensorBoard files into a run's folder.

    Args:
        folder: the run's folder.
        is_resumed: go on with the logs there instead of beginning anew.
        decisions: decisions of which the logs tell already; on resuming, later entries are dropped.

    Raises:
        ConfigError: nothing can be written there.
        CheckpointError: the logs to go on with are no text.
    """

    def __init__(self, folder: Path, is_resumed: bool, decisions: int = 0) -> None:
        path = folder / "log.jsonl"
        kept = []
        if is_resumed and path.exists():
            try:
                text = read_text(path, _MOST_BYTES)
            except FileFault as fault:
                raise CheckpointError(f"log {path} {fault}") from fault
            kept = [line for line in text.splitlines() if _decisions(line) <= decisions]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
            self._file = path.open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            raise ConfigError(f"output: {path} cannot be written: {error.strerror or error}") from error
        if not is_resumed:
            for old in (folder / "tensorboard").glob("events.*"):
                old.unlink()
        # A purge step hides what an interrupted run wrote after its last save.
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=decisions if is_resumed else None)

    def write(self, decisions: int, values: dict[str, Any]) -> None:
        """One entry; numbers become scalars, nested mappings get names with slashes. JSON has null for numbers that are none."""
        self._file.write(json.dumps({"decisions": decisions, **_finite(values)}, allow_nan=False) + "\n")
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
    """Decisions of which an entry tells; more than there can be for one that cannot be read."""
    try:
        entry = json_of(line)
    except FileFault:  # a line cut short by an interruption
        return _UNREADABLE
    found = entry.get("decisions") if isinstance(entry, dict) else None
    return found if isinstance(found, int) else _UNREADABLE


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        is_none = isinstance(value, float) and not math.isfinite(value)
        found[name] = _finite(value) if isinstance(value, dict) else None if is_none else value
    return found


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{name}/")
        elif isinstance(value, int | float):
            found.append((prefix + name, float(value)))
    return found
