"""`kalooki replay`: checks, steps in the terminal, and the page, which holds everything and nothing from elsewhere."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from record_tools import lines_of, play_out, rewrite, small_record

from kalooki_env import Game, RecordWriter, read_record
from kalooki_env.cli.main import main
from kalooki_env.render.page import page_html

ROOT = Path(__file__).resolve().parent.parent
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script> \" ' & &lt; \\u003c",
    "@DATA@ \u2028 \u2029 \x1b[31m \udcff \U0001f0cf",
    "]]> onload=alert(1)",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record of three deals with notes."""
    found = tmp_path / "deals.jsonl"
    with RecordWriter(found, "jamaican", 4, seats=["a", "b", "c", "d"], seed=1) as writer:
        for deal in (1, 5):
            play_out(writer, Game("jamaican", 4, deal=deal, seed=deal), notes=True, seed=deal)
        play_out(writer, Game("jamaican", 4, deal=9, seed=9), agent="random", seed=9, lane=2, limit=30)
        writer.abandon("enough")
    return found


def replay(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> tuple[str, str]:
    """Standard output and standard error of the command."""
    assert main(["replay", *map(str, words)]) == code
    captured = capsys.readouterr()
    return captured.out, captured.err


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def shown(out: str) -> list[int]:
    """Numbers of the actions after which the table was shown."""
    return [int(number) for number in re.findall(r"^--- (\d+) of \d+$", out, re.MULTILINE)]


# ---- checking --------------------------------------------------------------------------------------------------------


def test_check_says_what_a_record_holds(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = read_record(path)
    out, err = replay(capsys, path, "--check")
    assert f"jamaican, 4 players, 3 deals, {record.num_actions} actions; every step is as the engine plays it" in out
    assert out.count("went out; P1") == 2
    assert "deal 9, dealer P4, lane 2, seed 9: 30 actions, not played to its end: enough" in out
    assert err == ""
    data = json.loads(replay(capsys, path, "--check", "--json")[0])
    assert [deal["actions"] for deal in data["deals"]] == [len(deal.steps) for deal in record.deals]
    assert data["deals"][0]["scores"] == list(record.deals[0].outcome.scores)  # type: ignore[union-attr]


def test_a_record_that_is_not_right_is_one_clear_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:5000])
    out, err = replay(capsys, path, "--check", code=2)
    assert out == ""
    assert re.fullmatch(rf"kalooki replay: error: record {path}, line \d+ is truncated: .*\n", err)
    out, err = replay(capsys, path, "--check", "--cut")
    assert "1 deals" in out
    assert "not played to its end: the record is cut here" in out
    assert "is truncated" in err
    path.write_bytes(whole.replace(b"discard", b"disCard", 1))
    assert re.search(r"line \d+ has been edited", replay(capsys, path, "--check", code=2)[1])
    path.write_bytes(whole)
    _, err = replay(capsys, path, "--check", "--rules", "joker25", code=2)
    assert "line 1 is of other rules: 'jamaican'; expected 'joker25'" in err
    assert "No such file" in replay(capsys, path.with_name("none"), code=2)[1]
    for words, message in (
        (["--nth", "4"], "--nth 4 is not allowed; allowed: a whole number from 1 to 3"),
        (["--nth", "0"], "--nth 0 is not allowed"),
        (["--html", "/no/such/page.html"], "no such folder"),
    ):
        assert message in replay(capsys, path, *words, code=2)[1]


def test_an_empty_record_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RecordWriter(tmp_path / "empty.jsonl"):
        pass
    assert "0 deals, 0 actions" in replay(capsys, tmp_path / "empty.jsonl")[0]
    replay(capsys, tmp_path / "empty.jsonl", "--html", tmp_path / "empty.html")
    assert Page((tmp_path / "empty.html").read_text(encoding="utf-8")).data["deals"] == []
    assert "allowed: none" in replay(capsys, tmp_path / "empty.jsonl", "--nth", "1", code=2)[1]


# ---- the terminal ----------------------------------------------------------------------------------------------------


def test_steps_go_forward_back_and_anywhere(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    last = len(read_record(path).deals[0].steps)
    typed(monkeypatch, f"\nn\nN\nb\n0\nb\n{last}\nn\n{last + 1}\nwhat\n7\nq\n5\n")
    out, err = replay(capsys, path)
    assert shown(out) == [0, 1, 2, 3, 2, 0, last, 7]
    assert err.count("is not allowed; allowed: Enter or n forward, b back") == 2
    assert f"'{last + 1}'" in err
    typed(monkeypatch, "n\n")
    assert shown(replay(capsys, path)[0]) == [0, 1], "the end of the input ends it"


def test_each_step_shows_the_table_and_what_was_thought(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = read_record(path).deals[1]
    typed(monkeypatch, "n\n" * len(deal.steps))
    out, _ = replay(capsys, path, "--nth", "2")
    assert "deal 5, dealer P4, seed 5, number 2 of 3: P1 a, P2 b, P3 c, P4 d" in out
    assert "\x1b" not in out, "colours are for terminals"
    blocks = re.split(r"^--- \d+ of \d+\n", out, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(deal.steps) + 1
    for number, (block, game) in enumerate(zip(blocks, deal.games(), strict=True)):
        for seat in range(4):
            assert " ".join(game.hand(seat)) in block
        if number:
            assert block.startswith(f"P{deal.steps[number - 1].seat + 1}: {deal.steps[number - 1].action}")
        if number < len(deal.steps):
            step = deal.steps[number]
            assert f"next: P{step.seat + 1} {step.action}\n  value +0.250\n" in block
            assert re.search(rf"^\* {re.escape(step.action)} +[\d.]+ % #", block, re.MULTILINE)
    assert "went out; P1" in blocks[-1]


def test_renewed_stocks_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.jsonl"
    with RecordWriter(path) as writer:
        play_out(writer, Game("jamaican", 4, deal=4, seed=2), agent="random")
    number = next(i for i, step in enumerate(read_record(path).deals[0].steps, 1) if step.renewed)
    typed(monkeypatch, f"{number}\n")
    assert "(stock renewed, " in replay(capsys, path)[0]


def test_it_works_through_a_pipe(path: Path) -> None:
    command = [sys.executable, "-m", "kalooki_env", "replay", str(path)]
    done = subprocess.run(command, input="n\nb\nq\n", capture_output=True, text=True, check=True)
    assert shown(done.stdout) == [0, 1, 0]
    assert done.stderr == ""


def test_names_do_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    with RecordWriter(path, seats=HOSTILE) as writer:
        writer.begin(Game("jamaican", 4, seed=1))
        writer.abandon("\x1b]0;title\x07")
    for words in ((), ("--check",)):
        typed(monkeypatch, "")
        out, _ = replay(capsys, path, *words)
        assert "\x1b" not in out
        assert "\\x1b" in out
    json.loads(replay(capsys, path, "--json")[0])


# ---- the page --------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The elements of a page, and the data in it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.title = ""
        self._text = ""
        self.scripts: list[str] = []
        self.feed(text)
        self.close()
        self.data: Any = json.loads(self.scripts[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._text = ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self.scripts.append(self._text)
        if tag == "title":
            self.title = self._text


def page_of(path: Path, capsys: pytest.CaptureFixture[str], *words: object) -> tuple[str, Page]:
    target = path.with_suffix(".html")
    out, _ = replay(capsys, path, "--html", target, *words)
    assert f"the page: {target}" in out
    text = target.read_text(encoding="utf-8")
    return text, Page(text)


def whole_frames(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Positions from what changes between them."""
    found: list[dict[str, Any]] = []
    for frame in frames:
        found.append({**(found[-1] if found else {}), **frame})
    return found


def test_the_page_holds_everything(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = read_record(path)
    _, page = page_of(path, capsys)
    assert page.title == page.data["title"] == path.name
    assert page.data["rules"] == "jamaican"
    assert len(page.data["deals"]) == 3
    for told, deal in zip(page.data["deals"], record.deals, strict=True):
        assert told["names"] == ["a", "b", "c", "d"]
        assert told["seed"] == str(deal.seed)
        assert [(one["seat"], one["action"]) for one in told["steps"]] == [(step.seat, step.action) for step in deal.steps]
        assert [one.get("value") for one in told["steps"]] == [step.value for step in deal.steps]
        assert [dict(one.get("policy", ())) for one in told["steps"]] == [step.policy or {} for step in deal.steps]
        assert [one.get("drawn", "").split() for one in told["steps"]] == [list(step.drawn) for step in deal.steps]
        assert told["scores"] == (None if deal.outcome is None else list(deal.outcome.scores))
        for frame, game in zip(whole_frames(told["frames"]), deal.games(), strict=True):
            text = game.text()
            for seat in range(4):
                assert frame[f"hand{seat}"].split() == game.hand(seat)
            assert [f"meld {name}: {cards}" for name, cards in frame["melds"]] == re.findall(r"^meld .*$", text, re.MULTILINE)
            assert f"pile: {frame['pile'] or '-'}\n" in text
            assert f"phase: {frame['phase']}\n" in text
            assert frame["move"] == game.to_move
            assert frame["stock"] == int(game.states[0]["stock_n"])


def test_the_page_needs_nothing_else(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, page = page_of(path, capsys)
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bsrc=|\bhref=|import\(|fetch\(|XMLHttp|innerHTML|document\.write", text)
    assert {tag for tag, _ in page.tags}.isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form"})
    assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)


def test_one_deal_of_the_record(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, page = page_of(path, capsys, "--nth", "2")
    assert [(deal["index"], deal["deal"]) for deal in page.data["deals"]] == [(2, 5)]


def test_hostile_names_stay_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "<img src=x onerror=alert(1)> @DATA@ & '\".jsonl"
    with RecordWriter(path, seats=HOSTILE) as writer:
        writer.begin(Game("jamaican", 4, seed=1))
        writer.abandon(HOSTILE[0])
    text, page = page_of(path, capsys)
    assert len(page.scripts) == 2, "the data, and the page's own script"
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "img" not in {tag for tag, _ in page.tags}
    assert page.title == page.data["title"] == path.name
    assert page.data["deals"][0]["names"] == [name.replace("\udcff", "?") for name in HOSTILE]
    assert "<script>alert" not in text
    assert "<img" not in text


def test_halves_of_characters_are_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = small_record(tmp_path / "a.jsonl")
    lines = lines_of(path)
    lines[0]["seats"] = ["\ud800", "b", "c"]
    assert "line 1 has half of a surrogate pair" in replay(capsys, rewrite(path, lines), code=2)[1]


def test_matches_are_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.jsonl"
    with RecordWriter(path, "jamaican", 3) as writer:
        game = play_out(writer, Game("jamaican", 3, deal=1, seed=1), totals=[0, 0, 0])
        assert game.outcome is not None
        assert game.outcome.winner is not None
        writer.match(game.outcome.scores, [game.outcome.winner])
    page = Page(page_html(read_record(path)))
    words = f"match over: P{game.outcome.winner + 1} won; totals P1 {game.outcome.scores[0]}, P2"
    assert page.data["matches"][0]["deals"] == 1
    assert page.data["matches"][0]["text"].startswith(words)
    assert words in replay(capsys, path, "--check")[0]
    assert json.loads(replay(capsys, path, "--json")[0])["matches"][0]["winners"] == [game.outcome.winner]


# ---- the page in README ----------------------------------------------------------------------------------------------


def test_the_commands_in_the_readme_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text[text.index("## Records and replays") :].split("\n## ")[0]
    commands = [shlex.split(line, comments=True)[1:] for line in section.splitlines() if line.startswith("kalooki ")]
    assert len(commands) >= 3
    monkeypatch.chdir(tmp_path)
    for words in commands:
        typed(monkeypatch, "n\nq\n")
        assert main(words) == 0, words
    capsys.readouterr()
    assert list(tmp_path.glob("*.html"))
