"""Records of games: written action by action, read with every step checked. The format stands in `RECORDS.md`."""

from kalooki_env.records.lines import FORMAT, VERSION
from kalooki_env.records.reader import read_record
from kalooki_env.records.recorded import MatchEnd, Record, RecordedDeal, Step
from kalooki_env.records.recorder import DealRecorder, game_at
from kalooki_env.records.writer import RecordWriter

__all__ = [
    "FORMAT",
    "VERSION",
    "DealRecorder",
    "MatchEnd",
    "Record",
    "RecordWriter",
    "RecordedDeal",
    "Step",
    "game_at",
    "read_record",
]
