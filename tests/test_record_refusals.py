"""Records that are truncated, edited, of other rules or of another version: each is refused, with its line and the reason."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from record_tools import lines_of, play_out, rewrite, small_record

from kalooki_env import Game, RecordError, RecordWriter, read_record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


def refused(path: Path, line: int | None, *words: str, **options: Any) -> None:
    """Reading fails at a line, and says why."""
    with pytest.raises(RecordError) as caught:
        read_record(path, **options)
    for word in words:
        assert word in str(caught.value)
    assert caught.value.line == line, str(caught.value)


# ---- truncated ---------------------------------------------------------------------------------------------


def test_every_cut_is_found(path: Path) -> None:
    whole = small_record(path).read_bytes()
    ends = [i for i, byte in enumerate(whole) if byte == ord("\n")]
    cuts = {0, *ends, *(end + 1 for end in ends[:-1]), *(end // 2 for end in ends), *range(len(whole) - 60, len(whole))}
    for cut in sorted(cuts):
        path.write_bytes(whole[:cut])
        with pytest.raises(RecordError, match=r"truncated|empty") as caught:
            read_record(path)
        lines = whole[:cut].count(b"\n")
        ends_in_line = not whole[:cut].endswith(b"\n") and cut > 0
        assert caught.value.line == lines + ends_in_line
        if lines:
            found = read_record(path, allow_cut=True)
            assert found.cut is not None
            assert found.num_actions == max(0, min(lines, len(ends) - 2) - 2)


def test_a_run_that_is_cut_leaves_what_was_played(path: Path) -> None:
    with contextlib.suppress(ZeroDivisionError), RecordWriter(path) as writer:
        writer.begin(Game("jamaican", 4, seed=3))
        writer.act("draw stock")
        raise ZeroDivisionError
    refused(path, 3, "truncated")
    record = read_record(path, allow_cut=True)
    assert record.deals[0].abandoned == "the record is cut here"
    assert [step.action for step in record.deals[0].steps] == ["draw stock"]
    with RecordWriter(path) as writer:  # the name may be used again
        pass
    assert read_record(path).deals == ()


# ---- edited ------------------------------------------------------------------------------------------------


def changed(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return value + 0.5
        case str():
            return value[:-1] + ("x" if value[-1:] != "x" else "y")
        case None:
            return "P1"
        case list():
            return [*value[:-1], changed(value[-1])] if value else ["x"]
        case dict():
            key = list(value)[-1]
            return {**value, key: changed(value[key])}
    raise AssertionError(value)


def test_every_changed_value_is_found_by_the_hash(path: Path) -> None:
    texts = small_record(path).read_text(encoding="ascii").splitlines()
    for number, text in enumerate(texts, start=1):
        values = json.loads(text)
        for key in values:
            edited = json.dumps({**values, key: changed(values[key])}, separators=(",", ":"))
            path.write_text("\n".join([*texts[: number - 1], edited, *texts[number:], ""]), encoding="ascii")
            refused(path, number)


def test_every_changed_byte_is_found(path: Path) -> None:
    whole = small_record(path).read_bytes()
    rng = np.random.default_rng(0)
    places = {*range(120), *rng.integers(len(whole), size=150).tolist(), *range(len(whole) - 30, len(whole))}
    for place in places:
        for bit in (0, 5):
            edited = bytearray(whole)
            edited[place] ^= 1 << bit
            path.write_bytes(bytes(edited))
            with pytest.raises(RecordError) as caught:
                read_record(path)
            assert caught.value.line in (whole[:place].count(b"\n") + 1, whole[:place].count(b"\n") + 2)


def test_lines_cannot_be_moved_removed_or_repeated(path: Path) -> None:
    texts = small_record(path).read_text(encoding="ascii").splitlines(keepends=True)
    for edited, line in (
        ([*texts[:4], *texts[5:]], 5),
        ([*texts[:4], texts[5], texts[4], *texts[6:]], 5),
        ([*texts[:5], *texts[4:]], 6),
        ([*texts, texts[-1]], len(texts) + 1),
        ([*texts, "\n"], len(texts) + 1),
    ):
        path.write_text("".join(edited), encoding="ascii")
        refused(path, line)


Edit = Callable[[list[dict[str, Any]]], None]


def edit(number: int, **values: Any) -> Edit:
    """Change keys of a line, counted from 1 or, below 0, from the end; None in angle brackets removes one."""

    def carry_out(lines: list[dict[str, Any]]) -> None:
        line = lines[number - (number > 0)]
        for key, value in values.items():
            if value is ...:
                del line[key]
            else:
                line[key] = value

    return carry_out


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (edit(1, format="other"), 1, "is not the beginning of a record: its format is 'other'; expected 'kalooki-record'"),
        (edit(1, version=2), 1, "is of version 2 of the format; this package reads version 1"),
        (edit(1, version=True), 1, "is of version True"),
        (edit(1, rules="jamaica"), 1, "unknown rules 'jamaica' (did you mean 'jamaican'?)"),
        (edit(1, rules="jamaican pip_joker=50"), 1, "which are written 'jamaican'"),
        (edit(1, rules="joker25"), 1, "is of other rules: it was played with pip_joker 50, and 'joker25' means 25 here"),
        (edit(1, keys={"pip_jokr": 50}), 1, "rules key 'pip_jokr', which this package does not know (did you mean 'pip_joker'?)"),
        (edit(1, keys={"pip_joker": 50.0}), 1, "is of other rules"),
        (edit(1, players=9), 1, "9 players are not allowed"),
        (edit(1, players=4, seats=...), 2, "a position of 3 players, and 4 seats"),
        (edit(1, seats=["a"]), 1, "names 1 seats; expected 3"),
        (edit(1, sets=[]), 1, "has an unknown key 'sets' (did you mean 'seats'?)"),
        (edit(1, players=...), 1, "(record) lacks players"),
        (edit(2, kind="dael"), 2, "has the kind 'dael' (did you mean 'deal'?)"),
        (edit(2, kind="close", deals=0, position=..., deal=..., dealer=..., seed=...), 3, "allowed there: nothing"),
        (edit(2, deal=2), 2, "has deal 2, and its position 1"),
        (edit(2, dealer="P1"), 2, "has dealer 'P1', and its position 'P3'"),
        (edit(2, position="kalooki: 1"), 2, "position"),
        (edit(2, sits=["P1", "P2", "P2"]), 2, "2 seats that sit at the table"),
        (edit(2, sits=["P1", "P2", "P4"]), 2, "'P4' is no seat"),
        (edit(2, totals=[0, 1]), 2, "has totals [0, 1], and the scores of the deals before add up to [0, 0, 0]"),
        (edit(3, seat="P2"), 3, "has an action of 'P2', but P1 is to move"),
        (edit(3, action="discard 7S"), 3, "has 'discard 7S' by P1, which is illegal; legal: draw stock, take upcard"),
        (edit(3, action="take 8H"), 3, "which is illegal"),
        (edit(3, action="draw  stock"), 3, "which is illegal"),
        (edit(3, action=7), 3, "(action): action 7 is not allowed; allowed: a text"),
        (edit(3, drawn=["XX"]), 3, "has drawn ['XX'], and the engine gives"),
        (edit(3, renewed=["7S"]), 3, "has renewed ['7S'], and the engine gives []"),
        (edit(3, policy={"call": 1.0}), 3, "has a policy for 'call', which is illegal"),
        (edit(3, policy={"draw stock": 0.4}), 3, "allowed: an object of probabilities that add up to 1"),
        (edit(3, policy={"draw stock": 1.5, "take upcard": -0.5}), 3, "probabilities"),
        (edit(3, value="high"), 3, "value 'high' is not allowed; allowed: a number"),
        (edit(-2, out=None), -2, "has out None, and the engine gives"),
        (edit(-2, out="P4"), -2, "has out 'P4', and the engine gives"),
        (edit(-2, scores=[0, 0, 0]), -2, "has scores [0, 0, 0], and the engine gives"),
        (edit(-2, scores=...), -2, "lacks scores"),
        (edit(-2, abandoned="x"), -2, "abandons the deal, and has scores"),
        (edit(-2, out=..., scores=..., abandoned="x"), -2, "abandons the deal, which is over"),
        (edit(-1, deals=2), -1, "counts 2 deals, and there are 1"),
        (lambda lines: lines.pop(1), 2, "is of the kind 'action' after one of the kind 'record'; allowed there: deal, close"),
        (lambda lines: lines.pop(0), 1, "is not the beginning of a record"),
        (lambda lines: lines.pop(-3), -2, "ends the deal, which is not over"),
        (lambda lines: lines.insert(-2, {"kind": "action", "seat": "P1", "action": "pass"}), -3, "but the deal is over"),
        (lambda lines: lines.insert(-1, {"kind": "match", "totals": [0, 0, 0], "winners": ["P1"]}), -2, "had no totals"),
        (lambda lines: lines.append(dict(lines[-1])), -1, "is of the kind 'close' after one of the kind 'close'"),
    ],
)
def test_a_forger_is_caught_by_the_engine(change: Edit, line: int, message: str, path: Path) -> None:
    """The hashes are right, and still the record is not."""
    lines = lines_of(small_record(path))
    change(lines)
    refused(rewrite(path, lines), line if line > 0 else len(lines) + 1 + line, message)


def test_every_action_stands_for_itself(path: Path) -> None:
    """Each action is exchanged for another legal one, with right hashes: what follows no longer fits, or the cards do not."""
    lines = lines_of(small_record(path))
    legal = [game.legal_actions() for game in read_record(path).deals[0].games()]
    found = 0
    for number in range(2, len(lines) - 2, 3):
        others = [text for text in legal[number - 2] if text != lines[number]["action"]]
        for text in others[:1]:
            edited = copy.deepcopy(lines)
            edited[number]["action"] = text
            rewrite(path, edited)
            with pytest.raises(RecordError) as caught:
                read_record(path)
            assert caught.value.line is not None
            assert caught.value.line > number
            found += 1
    assert found > 5


def test_other_rules_than_asked_for_are_refused(path: Path) -> None:
    small_record(path)
    assert read_record(path, rules="jamaican").deals
    refused(path, 1, "is of other rules: 'jamaican'; expected 'jamaican_club'", rules="jamaican_club")


def test_a_position_of_other_rules_is_refused(path: Path) -> None:
    lines = lines_of(small_record(path))
    lines[1]["position"] = lines[1]["position"].replace("rules: jamaican", "rules: joker25")
    refused(rewrite(path, lines), 2, "is of other rules: its position has 'joker25', the record 'jamaican'")


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", 0, "is empty"),
        (b"\n", 1, "is not JSON"),
        (b"hello\n", 1, "is not JSON"),
        (b"[1]\n", 1, "is list; expected an object"),
        (b'{"format":"kalooki-record"}\n', 1, "is of version None"),
        (b'{"format":"kalooki-record","version":1}\n', 1, "does not end with its hash"),
        (b'{"format":"kalooki-record","version":NaN}\n', 1, "is not allowed: version is no number"),
        (b'{"a":1,"a":2}\n', 1, "has a key twice"),
        (b"\xff\xfe\n", 1, "is not UTF-8"),
        (b"[" * 100_000 + b"\n", 1, "is not JSON: nested too deeply"),
        (b"PK\x03\x04", 1, "truncated"),
    ],
)
def test_what_is_no_record_is_refused(data: bytes, line: int, message: str, path: Path) -> None:
    path.write_bytes(data)
    refused(path, line, message)
    with pytest.raises(RecordError, match="No such file"):
        read_record(path.with_name("nothing.jsonl"))


# ---- matches ---------------------------------------------------------------------------------------------------------


def match_record(path: Path) -> tuple[int, ...]:
    """Two deals, and a sudden death between two of the three seats; the totals."""
    totals = [0, 0, 0]
    with RecordWriter(path, "jamaican", 3) as writer:
        for deal in (1, 2):
            game = play_out(writer, Game("jamaican", 3, deal=deal, seed=deal), totals=totals)
            assert game.outcome is not None
            totals = [a + b for a, b in zip(totals, game.outcome.scores, strict=True)]
        game = play_out(writer, Game("jamaican", 2, deal=9, seed=3), totals=totals, sits=[0, 2])
        assert game.outcome is not None
        for seat, score in zip((0, 2), game.outcome.scores, strict=True):
            totals[seat] += score
        winner = 0 if totals[0] < totals[2] else 2
        writer.match(totals, [winner], [1 if seat == winner else 2 for seat in range(3)])
        play_out(writer, Game("jamaican", 3, deal=1, seed=9), totals=[0, 0, 0])
    return tuple(totals)


def test_matches_read_back(path: Path) -> None:
    totals = match_record(path)
    record = read_record(path)
    (match,) = record.matches
    assert match.totals == totals
    assert match.deals == 3
    assert record.deals[2].sits == (0, 2)
    assert record.deals[3].totals == (0, 0, 0)


@pytest.mark.parametrize(
    ("kind", "key", "value", "message"),
    [
        ("deal", "totals", [1, 2, 3], "the scores of the deals before add up to"),
        ("deal", "totals", ..., "a deal of it had no totals"),
        ("match", "totals", [1, 2, 3], "the scores of the deals add up to"),
        ("match", "winners", [], "allowed: one or more seats"),
        ("match", "winners", ["P5"], "'P5' is no seat"),
        ("match", "winners", ["P1", "P1"], "allowed: one or more seats"),
        ("match", "places", [1, 1, 1], "has places [1, 1, 1], and the winners"),
        ("match", "places", [2, 2], "has places"),
    ],
)
def test_wrong_totals_are_refused(kind: str, key: str, value: Any, message: str, path: Path) -> None:
    match_record(path)
    lines = lines_of(path)
    number = [i for i, line in enumerate(lines) if line["kind"] == kind][1 if kind == "deal" else 0]
    edit(number + 1, **{key: value})(lines)
    line = number + 1 if value is not ... else next(i for i, one in enumerate(lines, 1) if one["kind"] == "match")
    refused(rewrite(path, lines), line, message)


def test_a_sudden_death_of_few_is_played_with_the_packs_of_the_match(path: Path) -> None:
    def play(rules: str) -> None:
        with RecordWriter(path, "jamaican", 8) as writer:
            play_out(writer, Game(rules, 2, deal=9, seed=3), sits=[1, 6], limit=5)
            writer.abandon("enough")

    play("jamaican packs=3")
    assert read_record(path).deals[0].sits == (1, 6)
    play("jamaican")
    refused(path, 2, "is of other rules: its position has 'jamaican', the record 'jamaican'")


def series_record(path: Path, abandon: bool = False) -> list[int]:
    """Two matches of one deal each, and a deal that decides between them; the totals of the series."""
    with RecordWriter(path, "jamaican", 3) as writer:
        if abandon:
            play_out(writer, Game("jamaican", 3, deal=1, seed=8), totals=[0, 0, 0])
            play_out(writer, Game("jamaican", 3, deal=2, seed=8), totals=lines_of(path)[-1]["scores"], limit=3)
            writer.abandon("the environment was reset")
        sums = [0, 0, 0]
        for match in (1, 2):
            game = play_out(writer, Game("jamaican", 3, deal=match, seed=match), totals=[0, 0, 0], match=match)
            assert game.outcome is not None
            writer.match(game.outcome.scores, [game.outcome.scores.index(min(game.outcome.scores))])
            sums = [a + b for a, b in zip(sums, game.outcome.scores, strict=True)]
        game = play_out(writer, Game("jamaican", 3, deal=9, seed=5), totals=sums, match=0)
        assert game.outcome is not None
        sums = [a + b for a, b in zip(sums, game.outcome.scores, strict=True)]
        writer.series(sums, [sums.index(min(sums))])
        play_out(writer, Game("jamaican", 3, deal=1, seed=6), totals=[0, 0, 0], match=1)
    return sums


@pytest.mark.parametrize("abandon", [False, True])
def test_series_read_back(abandon: bool, path: Path) -> None:
    sums = series_record(path, abandon)
    record = read_record(path)
    assert [match.is_series for match in record.matches] == [False, False, True]
    assert record.matches[-1].totals == tuple(sums)
    assert [deal.match for deal in record.deals[2 * abandon :]] == [1, 2, 0, 1]
    lines = lines_of(path)
    for kind, which, key, value, message in (
        ("deal", 2, "totals", [0, 0, 0], "has totals [0, 0, 0], and the scores of the deals before"),
        ("series", 0, "totals", [0, 0, 0], "has totals [0, 0, 0], and the scores of the deals"),
        ("deal", 2, "match", 3, "the scores of the deals before add up to [0, 0, 0]"),
        ("match", 1, "kind", "series", "ends a series in the midst of a match"),
    ):
        edited = copy.deepcopy(lines)
        number = [i for i, line in enumerate(edited) if line["kind"] == kind][which + 2 * abandon * (kind == "deal")]
        edited[number][key] = value
        refused(rewrite(path, edited), number + 1, message)


def test_a_match_may_begin_before_its_record(path: Path) -> None:
    series_record(path)
    lines = lines_of(path)
    ends = [i for i, line in enumerate(lines) if line["kind"] == "match"]
    later = [lines[0], *lines[ends[0] + 1 :]]
    later[-1]["deals"] -= 1
    assert [match.is_series for match in read_record(rewrite(path, later)).matches] == [False, True]
    later[1]["totals"] = [5, 6, 7]
    refused(rewrite(path, later), ends[1] - ends[0] + 1, "the scores of the deals add up to")
