"""Observation schema `obs-v1`: named pieces, their shapes and meaning. Tables in the docs are generated from here.

An observation is a choice of pieces, in the order of `PIECES`, one after the other in a flat vector, or under their names in
a dict. In the batch all numbers are uint8 counts or flags, clipped at the bound of their piece; as float32 they are divided
by that bound, and so lie in [0, 1]. Seats and meld slots count from the observer, clockwise; seats beyond the table are
zeros. `M` is `max_seats`. Pieces have the same names in both games; where Kaluki differs, `kaluki` says how.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.errors import ConfigError, closest

#: Name and version of the schema; it changes with any change of meaning, never for speed.
VERSION = "obs-v1"

_CARD = [3] * 52 + [6]
_SEAT = [1, 60, 1, 4, 20, 20, 20, 20, 1, 1, 1, 1]
_KALUKI_SEAT = [1, 60, 1, 20, *_SEAT[4:]]
_MELD = [1, 1, 13, 14, 20, 10, 1, 1]
#: Most points that a hand of Kaluki can lay, as far as they are told.
_POINTS = 250


@dataclass(frozen=True)
class Piece:
    """A named part of an observation.

    Attributes:
        name: its name.
        about: what its numbers mean, in order.
        is_default: whether it belongs to the default observation.
        jamaican: largest values in the Jamaican game, for spaces of `max_seats` seats.
        kaluki: the same in Kaluki, None for the same values.
        kaluki_about: as `about`, where it is something else in Kaluki.
    """

    name: str
    about: str
    is_default: bool
    jamaican: Callable[[int], list[int]]
    kaluki: Callable[[int], list[int]] | None = None
    kaluki_about: str = ""

    def bounds(self, max_seats: int, kaluki: bool = False) -> list[int]:
        """Largest values; their number is the size of the piece."""
        return (self.kaluki if kaluki and self.kaluki else self.jamaican)(max_seats)

    def size(self, max_seats: int, kaluki: bool = False) -> int:
        """Number of values."""
        return len(self.bounds(max_seats, kaluki))


PIECES: tuple[Piece, ...] = (
    Piece("hand", "53 counts: own cards", True, lambda m: _CARD),
    Piece("upcard", "53 flags: the top card of the pile", True, lambda m: [1] * 53),
    Piece("pile", "53 counts: cards of the pile, the upcard included", True, lambda m: _CARD),
    Piece("table", "53 counts: cards on the table", True, lambda m: _CARD),
    Piece("fits", "53 flags: cards that could be laid off somewhere on the table now", True, lambda m: [1] * 53),
    Piece(
        "known",
        "M x 53 counts: cards that each seat is known to hold (whole hands if hands are open), the observer's first",
        True,
        lambda m: _CARD * m,
    ),
    Piece("discarded", "M x 53 counts: what each seat discarded since the last reshuffle", True, lambda m: [3] * 53 * m),
    Piece(
        "declined",
        "M x 53 counts: upcards that each seat left lying when it drew from the stock, since the last reshuffle",
        True,
        lambda m: [3] * 53 * m,
    ),
    Piece(
        "melds",
        "4M x 8: is a three, is a four, rank or suit number from 1, lowest place from 1, cards, jokers, joker at the low end, "
        "joker at the high end",
        True,
        lambda m: _MELD * (core.MELDS_PER_SEAT * m),
        lambda m: [*_MELD, 8] * core.MELDS,
        "36 x 9: is a set, is a run, rank or suit number from 1, lowest place from 1, cards, jokers, joker at the low end, joker "
        "at the high end, owner counted from the observer, who is 1; in the order in which they were begun",
    ),
    Piece(
        "joker_cards",
        "2 x 52 counts: cards that jokers in fours stand for, in the observer's own fours and in the others'",
        True,
        lambda m: [6] * 104,
        None,
        "2 x 52 counts: cards that swap a joker, in runs those that jokers stand for, in sets those of suits that are not there; "
        "in the observer's own melds and in the others'",
    ),
    Piece(
        "seats",
        "M x 12: is present, cards in hand, has opened, melds, calls made, calls allowed, calls it allowed, calls it refused, "
        "is to move, has the turn, is the dealer, called",
        True,
        lambda m: _SEAT * m,
        lambda m: _KALUKI_SEAT * m,
    ),
    Piece("phase", "9 flags: draw, play, meld, fill, layoff, move, call, answer, over", True, lambda m: [1] * len(core.Phase)),
    Piece(
        "deal",
        "9 flags: number of the deal; then threes, fours and hand size of its contract",
        True,
        lambda m: [1] * core.DEALS + [4, 4, 16],
    ),
    Piece(
        "progress",
        "6: cards in the stock, cards in the pile, rounds played, reshuffles, the last call was allowed, "
        "the seat with the turn opened in it",
        True,
        lambda m: [162, 162, 60, 10, 1, 1],
    ),
    Piece(
        "lay_down",
        "the lay-down under construction: threes and fours still to name; 13 and 4 flags: ranks and suits used; "
        "of the meld being filled 2 flags (three, four), 13 flags rank, 4 flags suit, 11 flags lowest place, cards placed; "
        "then the target of a lay-off or joker move: 4M flags meld, 1 flag high end",
        True,
        lambda m: [4, 4] + [1] * (13 + 4 + 2 + 13 + 4 + 11) + [4] + [1] * (core.MELDS_PER_SEAT * m + 1),
        lambda m: [_POINTS] + [1] * 52 + [6] + [1] * (2 + 13 + 4 + 12) + [14] + [1] * (core.MELDS + 1),
        "points of an opening laid so far; 52 flags and a count: the natural card and the jokers that must be laid in this turn; "
        "of the meld being filled 2 flags (set, run), 13 flags rank, 4 flags suit, 12 flags lowest place, cards placed; then the "
        "target of a lay-off or swap: 36 flags meld, 1 flag high end",
    ),
    Piece(
        "match",
        "the match: number of the deal, deals that it has (0: not known), the observer's total as 128 + total / 8; then of each "
        "seat its total less the observer's as 128 + difference / 4, and its share of the score limit, 100 for all of it",
        False,
        lambda m: [60, 60, 255] + [255, 200] * m,
    ),
    Piece(
        "solver",
        "a solver's answers about the own hand while it has not opened: contract distance; 53 flags: cards that would lower it; "
        "for the seat that is about to discard 53 flags: discards that keep the distance smallest, and 53 counts: unseen cards "
        "that would lower it after each of these; flag: the upcard would lower it",
        False,
        lambda m: [16] + [1] * 106 + [100] * 53 + [1],
        lambda m: [_POINTS] * (1 + 53 + 53 + 1),
        "a solver's answers about the own hand: the most points of melds that can be laid from it; for the seat that is about to "
        "discard 53 numbers: the most points after each discard; 53 numbers: the most points with one more card of each kind, "
        "while the seat has not opened; the most points with the upcard",
    ),
)
_BY_NAME = {piece.name: piece for piece in PIECES}
#: Names of the pieces of the default observation.
DEFAULT_PIECES: tuple[str, ...] = tuple(piece.name for piece in PIECES if piece.is_default)
#: Named choices of pieces.
CHOICES: dict[str, tuple[str, ...]] = {
    VERSION: DEFAULT_PIECES,
    f"{VERSION}+solver": (*DEFAULT_PIECES, "solver"),
    f"{VERSION}+match": (*DEFAULT_PIECES, "match"),
    f"{VERSION}+match+solver": (*DEFAULT_PIECES, "match", "solver"),
}


@dataclass(frozen=True)
class Observation:
    """A choice of pieces for spaces of a given number of seats.

    Attributes:
        pieces: names, in the order of the schema.
        max_seats: seats that the vector has room for.
        kaluki: which of the two games it is of.
    """

    pieces: tuple[str, ...]
    max_seats: int
    kaluki: bool = False

    @classmethod
    def of(cls, choice: str | Iterable[str], max_seats: int, kaluki: bool = False) -> Observation:
        """An observation from a named choice (`CHOICES`) or from names of pieces.

        Raises:
            ConfigError: an unknown name, a name given twice, or no piece at all.
        """
        if isinstance(choice, str):
            if choice not in CHOICES:
                raise ConfigError(f"unknown observation {choice!r}{closest(choice, CHOICES)}")
            choice = CHOICES[choice]
        if not isinstance(choice, Iterable):
            raise ConfigError(f"observation {choice!r} is not allowed{closest(choice, CHOICES)}, or a list of names of pieces")
        names = list(choice)
        for name in names:
            if not isinstance(name, str) or name not in _BY_NAME:
                raise ConfigError(f"unknown observation piece {name!r}{closest(name, _BY_NAME)}")
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"observation pieces {names!r}: each piece once, and at least one")
        return cls(tuple(piece.name for piece in PIECES if piece.name in names), max_seats, kaluki)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """First index of each piece of the schema in the flat vector, -1 for one left out; last, the size."""
        offsets, size = [], 0
        for piece in PIECES:
            offsets.append(size if piece.name in self.pieces else -1)
            size += piece.size(self.max_seats, self.kaluki) if piece.name in self.pieces else 0
        return np.array([*offsets, size], np.int64)

    @property
    def size(self) -> int:
        """Length of the flat vector."""
        return int(self.offsets[-1])

    def slice_of(self, name: str) -> slice:
        """Where a piece lies in the flat vector."""
        index = list(_BY_NAME).index(name)
        first = int(self.offsets[index])
        if first < 0:
            raise ConfigError(f"observation piece {name!r} is not part of this observation; parts: {', '.join(self.pieces)}")
        return slice(first, first + PIECES[index].size(self.max_seats, self.kaluki))

    @cached_property
    def bounds(self) -> NDArray[np.uint8]:
        """Largest value at each index of the flat vector, uint8 (size,)."""
        return np.array([bound for name in self.pieces for bound in _BY_NAME[name].bounds(self.max_seats, self.kaluki)], np.uint8)

    @cached_property
    def scale(self) -> NDArray[np.float32]:
        """One over the bounds, float32 (size,)."""
        return (1.0 / self.bounds).astype(np.float32)

    @property
    def num_actions(self) -> int:
        """Size of the action space that goes with it."""
        return core.num_actions(self.max_seats, self.kaluki)

    def as_info(self) -> dict[str, Any]:
        """What checkpoints say of it."""
        info = {"pieces": list(self.pieces), "max_seats": self.max_seats, "size": self.size, "schema_hash": self.schema_hash}
        return {**info, "game": "kaluki"} if self.kaluki else info

    @classmethod
    def from_info(cls, info: Mapping[str, Any]) -> Observation:
        """The observation that a checkpoint names; whether its hash is the same is not looked at.

        Raises:
            KeyError, TypeError: something is missing, or of another type.
            ConfigError: unknown pieces.
        """
        return cls.of(list(info["pieces"]), int(info["max_seats"]), info.get("game") == "kaluki")

    @property
    def has_solver(self) -> bool:
        """Whether the solver's piece is in."""
        return "solver" in self.pieces

    def space(self, dtype: Literal["float32", "uint8"] = "float32") -> spaces.Box:
        """Gymnasium space of the flat vector."""
        if dtype == "float32":
            return spaces.Box(0.0, 1.0, (self.size,), np.float32)
        return spaces.Box(np.zeros(self.size, np.uint8), self.bounds, dtype=np.uint8)

    def dict_space(self) -> spaces.Dict:
        """Gymnasium space of the dict form, float32."""
        sizes = {name: _BY_NAME[name].size(self.max_seats, self.kaluki) for name in self.pieces}
        return spaces.Dict({name: spaces.Box(0.0, 1.0, (size,), np.float32) for name, size in sizes.items()})

    @property
    def schema_hash(self) -> str:
        """Sixteen hexadecimal digits that change with the version, the pieces or any bound."""
        game = ("kaluki",) if self.kaluki else ()
        text = repr((VERSION, self.pieces, self.max_seats, self.bounds.tolist(), *game))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def table(max_seats: int = 4, kaluki: bool = False) -> str:
    """The pieces as a Markdown table, for spaces of so many seats."""
    rows = ["| Piece | Default | Size | First index | Content |", "|---|---|---|---|---|"]
    first = 0
    for piece in PIECES:
        size = piece.size(max_seats, kaluki)
        where = str(first) if piece.is_default else "-"
        first += size if piece.is_default else 0
        about = piece.kaluki_about if kaluki and piece.kaluki_about else piece.about
        rows.append(f"| `{piece.name}` | {'yes' if piece.is_default else 'no'} | {size} | {where} | {about} |")
    return "\n".join(rows) + "\n"
