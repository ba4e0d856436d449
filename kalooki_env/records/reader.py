"""Reading a record. Every line is played in the engine: what is not as the engine plays it is refused, with its line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kalooki_env.errors import KalookiError, RecordError, closest
from kalooki_env.files import FileFault, decoded
from kalooki_env.game.cards import seat_name, seat_number
from kalooki_env.game.game import Game, Outcome
from kalooki_env.records.lines import FORMAT, START, VERSION, check_hash, check_keys, read_line
from kalooki_env.records.recorded import MatchEnd, Record, RecordedDeal, Step
from kalooki_env.records.recorder import chance_of
from kalooki_env.rules import Rules
from kalooki_env.values import path_of

#: Bytes that a line may have: a hundred times as many as one with a position or a policy.
_MOST_BYTES = 1 << 20
#: Kinds of lines that may follow each kind.
_FOLLOWS = {
    "": ("record",),
    "record": ("deal", "close"),
    "deal": ("action", "end"),
    "action": ("action", "end"),
    "end": ("deal", "match", "series", "close"),
    "match": ("deal", "series", "close"),
    "series": ("deal", "close"),
    "close": (),
}


def read_record(path: str | Path, *, rules: Rules | str | None = None, allow_cut: bool = False) -> Record:
    """Read a record and check all of it.

    Args:
        path: the file.
        rules: rules that it must be of; default: whatever it says.
        allow_cut: also read a record that is truncated, up to where it was cut; `Record.cut` tells why it counts as such.

    Raises:
        RecordError: no such file; a record that is truncated, edited, of other rules or of another version; or a step that the
            engine does not play like this. It names the line and the reason.
    """
    path = path_of("path", path)
    reader = _Reader(None if rules is None else Rules.of(rules))
    number, rest = 0, b""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(partial(file.readline, _MOST_BYTES), b""), start=1):
                if line.endswith(b"\n"):
                    reader.take(line[:-1], number)
                elif len(line) == _MOST_BYTES:
                    raise FileFault(f"is longer than the {_MOST_BYTES:,} bytes that a line may have")
                else:
                    rest = line
    except OSError as error:
        raise RecordError(f"cannot be read: {error.strerror or error}", path) from error
    except FileFault as fault:
        raise RecordError(str(fault), path, number) from None
    except KalookiError as error:
        raise RecordError(f": {error}", path, number) from error
    lines = number - bool(rest)
    cut = _cut_of(rest, reader.kind, lines)
    if cut is not None and (not allow_cut or not lines):
        raise RecordError(cut, path, number)
    return reader.record(path, cut)


def _cut_of(rest: bytes, kind: str, lines: int) -> str | None:
    """Why a record counts as truncated, None if it does not."""
    if rest:
        return "is truncated: it has no line break at its end"
    if not lines:
        return "is empty: a record begins with a line of the kind 'record'"
    return None if kind == "close" else "is the last: the record is truncated, its line of the kind 'close' is missing"


class _Reader:
    """Takes line after line."""

    def __init__(self, wanted: Rules | None) -> None:
        self._wanted = wanted
        self.kind = ""
        self._hash = START
        self._header: dict[str, Any] = {}
        self._rules = Rules()
        self._players = 0
        self._deals: list[RecordedDeal] = []
        self._matches: list[MatchEnd] = []
        self._game: Game | None = None
        self._line: dict[str, Any] = {}
        self._begun_at = 0
        self._sits: tuple[int, ...] = ()
        self._steps: list[Step] = []
        self._sums: list[int] = []  # of the match
        self._series: list[int] = []  # of its matches that are over, and of the deals that decide it
        self._has_totals = True  # all deals since the last match
        self._began_before = False  # matches of the series before the record, whose totals are not known

    def take(self, data: bytes, number: int) -> None:
        """The next line.

        Raises:
            FileFault, KalookiError: something is wrong with it.
        """
        # Editors of other systems end lines with a carriage return too, and begin a file with a mark.
        text = decoded(data.removesuffix(b"\r"), may_begin=number == 1)
        values = read_line(text)
        if number == 1:
            self._check_version(values)
        self._hash = check_hash(text, values, self._hash)
        kind = check_keys(values)
        if kind not in _FOLLOWS[self.kind]:
            after = f"after one of the kind {self.kind!r}" if self.kind else "at the beginning"
            allowed = ", ".join(_FOLLOWS[self.kind]) or "nothing"
            raise FileFault(f"is of the kind {kind!r} {after}; allowed there: {allowed}")
        self.kind = kind
        getattr(self, "_series_end" if kind == "series" else f"_{kind}")(values, number)

    # ---- the kinds of lines --------------------------------------------------------------------------------------

    def _check_version(self, values: dict[str, Any]) -> None:
        """Before anything else, so that a record of another version is called that and not edited."""
        if values.get("format") != FORMAT:
            raise FileFault(f"is not the beginning of a record: its format is {values.get('format')!r}; expected {FORMAT!r}")
        if values.get("version") != VERSION or isinstance(values.get("version"), bool):
            raise FileFault(f"is of version {values.get('version')!r} of the format; this package reads version {VERSION}")

    def _record(self, values: dict[str, Any], _: int) -> None:
        self._rules = Rules.parse(values["rules"])
        if str(self._rules) != values["rules"]:
            raise FileFault(f"has the rules {values['rules']!r}, which are written {str(self._rules)!r}")
        meant = json.loads(json.dumps(self._rules.as_dict()))  # lists for tuples
        for key, value in values["keys"].items():
            if key not in meant:
                raise FileFault(f"has the rules key {key!r}, which this package does not know{closest(key, meant)}")
            if meant[key] != value or type(meant[key]) is not type(value):
                raise FileFault(
                    f"is of other rules: it was played with {key} {value!r}, and {values['rules']!r} means {meant[key]!r} here"
                )
        if self._wanted is not None and self._rules != self._wanted:
            raise FileFault(f"is of other rules: {values['rules']!r}; expected {str(self._wanted)!r}")
        self._players = values["players"]
        self._rules.packs_for(self._players)
        self._check_names(values, self._players)
        self._header = values
        self._begin_series()

    def _deal(self, values: dict[str, Any], number: int) -> None:
        game = Game.from_text(values["position"])
        if game.text() != values["position"]:
            raise FileFault("has a position that is not written as positions are")
        sits = tuple(seat_number(seat, self._players) for seat in values.get("sits", map(seat_name, range(self._players))))
        if game.rules != self._rules_for(sits):
            raise FileFault(f"is of other rules: its position has {str(game.rules)!r}, the record {self._header['rules']!r}")
        state = game.states[0]
        if game.to_move is None:
            raise FileFault("has a position in which the deal is over")
        for key, found in (("deal", int(state["deal"])), ("dealer", seat_name(int(state["dealer"])))):
            if values[key] != found:
                raise FileFault(f"has {key} {values[key]!r}, and its position {found!r}")
        if len(set(sits)) != game.num_players:
            raise FileFault(f"has a position of {game.num_players} players, and {len(set(sits))} seats that sit at the table")
        if len(set(sits)) < len(sits):
            raise FileFault(f"has sits {values['sits']}, a seat twice")
        self._check_names(values, game.num_players)
        is_decider = values.get("match") == 0
        sums = self._series if is_decider else self._sums
        if len(values.get("totals", ())) == self._players and (not self._deals or (self._began_before and is_decider)):
            sums[:] = values["totals"]  # of what was played before the record, which cannot be checked
            self._began_before = values.get("match", 1) > 1
        if "totals" in values and values["totals"] != sums:
            raise FileFault(f"has totals {values['totals']}, and the scores of the deals before add up to {sums}")
        self._has_totals &= "totals" in values
        self._game, self._line, self._begun_at, self._sits, self._steps = game, values, number, sits, []

    def _action(self, values: dict[str, Any], number: int) -> None:
        game = self._running()
        seat = game.to_move
        if seat is None:
            raise FileFault("is an action, but the deal is over")
        if values["seat"] != seat_name(seat):
            raise FileFault(f"has an action of {values['seat']!r}, but {seat_name(seat)} is to move")
        legal = game.legal_actions()
        text = values["action"]
        if text not in legal:
            raise FileFault(f"has {text!r} by {seat_name(seat)}, which is illegal; legal: {', '.join(legal)}")
        unknown = [one for one in values.get("policy", ()) if one not in legal]
        if unknown:
            raise FileFault(f"has a policy for {unknown[0]!r}, which is illegal; legal: {', '.join(legal)}")
        before = game.states[0].copy()
        game.do(text)
        drawn, renewed = chance_of(before, game.states[0])
        for key, found in (("drawn", drawn), ("renewed", renewed)):
            if values.get(key, []) != found:
                raise FileFault(f"has {key} {values.get(key, [])}, and the engine gives {found}")
        self._steps.append(Step(seat, text, tuple(drawn), tuple(renewed), values.get("policy"), values.get("value"), number))

    def _end(self, values: dict[str, Any], _: int) -> None:
        game = self._running()
        outcome = game.outcome
        if "abandoned" in values:
            if len(values) != 3:
                raise FileFault("abandons the deal, and has scores")
            if outcome is not None:
                raise FileFault("abandons the deal, which is over")
            self._begin_series()
        else:
            self._check_outcome(values, outcome)
            assert outcome is not None
            sums = self._series if self._line.get("match") == 0 else self._sums
            for seat, score in zip(self._sits, outcome.scores, strict=True):
                sums[seat] += score
        self._finish(values.get("abandoned"))

    def _check_outcome(self, values: dict[str, Any], outcome: Outcome | None) -> None:
        missing = [key for key in ("out", "scores") if key not in values]
        if missing:
            raise FileFault(f"(end) lacks {', '.join(missing)}, or the key 'abandoned'")
        if outcome is None:
            raise FileFault("ends the deal, which is not over")
        out = None if outcome.winner is None else seat_name(outcome.winner)
        for key, found in (("out", out), ("scores", list(outcome.scores))):
            if values[key] != found:
                raise FileFault(f"has {key} {values[key]!r}, and the engine gives {found!r}")

    def _match(self, values: dict[str, Any], _: int) -> None:
        self._note_end(values, self._sums, is_series=False)
        self._series = [a + b for a, b in zip(self._series, self._sums, strict=True)]
        self._sums = [0] * self._players
        self._has_totals = True

    def _series_end(self, values: dict[str, Any], _: int) -> None:
        if any(self._sums):
            raise FileFault("ends a series in the midst of a match")
        if self._began_before and len(values["totals"]) == self._players:
            self._series = values["totals"]
        self._note_end(values, self._series, is_series=True)
        self._begin_series()

    def _note_end(self, values: dict[str, Any], sums: list[int], is_series: bool) -> None:
        kind = values["kind"]
        if not self._has_totals:
            raise FileFault(f"ends a {kind}, but a deal of it had no totals")
        if values["totals"] != sums:
            raise FileFault(f"has totals {values['totals']}, and the scores of the deals add up to {sums}")
        winners = tuple(seat_number(seat, self._players) for seat in values["winners"])
        places = values.get("places")
        if not winners or len(set(winners)) != len(winners):
            raise FileFault(f"has winners {values['winners']}; allowed: one or more seats")
        if places is not None and [seat for seat, place in enumerate(places) if place == 1] != sorted(winners):
            raise FileFault(f"has places {places}, and the winners {', '.join(values['winners'])}")
        if places is not None and len(places) != self._players:
            raise FileFault(f"has {len(places)} places for {self._players} seats")
        told = None if places is None else tuple(places)
        self._matches.append(MatchEnd(len(self._deals), tuple(sums), winners, told, is_series))

    def _close(self, values: dict[str, Any], _: int) -> None:
        if values["deals"] != len(self._deals):
            raise FileFault(f"counts {values['deals']} deals, and there are {len(self._deals)}")

    # ---- details -------------------------------------------------------------------------------------------------

    def _running(self) -> Game:
        assert self._game is not None  # by what may follow what
        return self._game

    def _begin_series(self) -> None:
        """Totals begin anew: at the beginning, after a series, and after a deal that was abandoned, and its match with it."""
        self._sums, self._series = [0] * self._players, [0] * self._players
        self._has_totals, self._began_before = True, False

    def _rules_for(self, sits: Sequence[int]) -> Rules:
        """Rules of a table of the match: where few sit, it has as many packs as the match (J13.2)."""
        packs = self._rules.packs_for(self._players)
        return self._rules if self._rules.packs_for(len(sits)) == packs else self._rules.replace(packs=packs)

    def _check_names(self, values: dict[str, Any], players: int) -> None:
        if "seats" in values and len(values["seats"]) != players:
            raise FileFault(f"names {len(values['seats'])} seats; expected {players}")

    def _finish(self, abandoned: str | None) -> None:
        line, game = self._line, self._running()
        names: Sequence[str] = line.get("seats", [])
        if not names and self._header.get("seats"):
            names = [self._header["seats"][seat] for seat in self._sits]
        totals = line.get("totals")
        self._deals.append(
            RecordedDeal(
                number=line["deal"],
                dealer=seat_number(line["dealer"], game.num_players),
                position=line["position"],
                seats=tuple(names),
                seed=line.get("seed"),
                lane=line.get("lane"),
                match=line.get("match"),
                sits=self._sits,
                totals=None if totals is None else tuple(totals),
                steps=tuple(self._steps),
                outcome=game.outcome if abandoned is None else None,
                abandoned=abandoned,
                line=self._begun_at,
            )
        )
        self._game = None

    def record(self, path: Path, cut: str | None) -> Record:
        """What was read."""
        if self._game is not None:
            self._finish("the record is cut here")
        header = self._header
        return Record(
            path=path,
            version=header["version"],
            package=header["package"],
            rules=self._rules,
            num_players=self._players,
            seats=tuple(header.get("seats", ())),
            seed=header.get("seed"),
            deals=tuple(self._deals),
            matches=tuple(self._matches),
            cut=cut,
        )
