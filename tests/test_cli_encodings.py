"""Streams of the command line: any encoding, any name, readers that leave, terminals and files. Nothing is lost by a print."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kalooki_env import SeatEnv, env, read_record
from kalooki_env.cli.common import finish, json_text, progress, say
from kalooki_env.cli.main import main
from kalooki_env.cli.streams import PLAIN, any_text
from kalooki_env.errors import ConfigError

ROOT = Path(__file__).resolve().parent.parent
ENCODINGS = ("ascii", "latin-1", "cp1252", "gbk", "utf-8")
#: Letters of several alphabets, some of which each encoding has.
NAME = "größe_é_中_ж"
AGENT = f"{NAME}:Größe"
SMALL = ["--against", "random", "--deal", "1", "--deals", "2", "--no-self-play"]


class Streams:
    """Standard streams of an encoding that refuse whatever it lacks, as those of a file do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, encoding: str, typed: bytes = b"") -> None:
        self.encoding = encoding
        self.files = {name: io.BytesIO() for name in ("stdout", "stderr")}
        for name, file in self.files.items():
            monkeypatch.setattr(sys, name, io.TextIOWrapper(file, encoding=encoding, errors="strict", write_through=True))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed), encoding=encoding, errors="strict"))

    def __getitem__(self, name: str) -> str:
        return self.files[name].getvalue().decode(self.encoding)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a name of many alphabets, and an agent with another."""
    folder = tmp_path / NAME
    folder.mkdir()
    code = "from kalooki_env.agents.scripted import GreedyAgent\n\n\nclass Größe(GreedyAgent):\n    pass\n"
    (folder / f"{NAME}.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    yield folder  # type: ignore[misc]
    sys.modules.pop(NAME, None)


def shown(text: str, encoding: str) -> str:
    """A text as a stream of an encoding shows it, letters that it lacks as escapes."""
    return text.encode(encoding, "backslashreplace").decode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_verb_in_every_encoding(encoding: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, page = here / "deal é中.jsonl", here / "page ж.html"
    calls: dict[str, tuple[list[str], str]] = {
        "rules": (["rules"], "…" if encoding in ("cp1252", "gbk", "utf-8") else "..."),
        "rules as JSON": (["rules", "--json"], '"jamaican"'),
        "simulate": (["simulate", "--show", "--agents", AGENT, "--deal", "1", "--record", str(record)], "draw stock"),
        "a match": (["simulate", "--match", "--rules", "jamaican deals=333/9", "--agents", AGENT], "seed 0"),
        "replay": (["replay", str(record), "--check"], shown(str(record), encoding)),
        "a page": (["replay", str(record), "--html", str(page)], shown(str(page), encoding)),
        "steps": (["replay", str(record)], shown(AGENT, encoding)),
        "verify": (["verify", "--decisions", "20", "--preset", "no_call", "--players", "3"], "0 mismatches"),
        "evaluate": (["evaluate", AGENT, *SMALL], "+-" if encoding == "ascii" else "±"),
        "bench": (["bench", "--from", str(ROOT / "tests/bench/results/bench.json")], "decisions"),
        "warmup": (["warmup"], "ready in"),
    }
    for name, (words, expected) in calls.items():
        streams = Streams(monkeypatch, encoding)
        assert main(words) == 0, name
        assert expected in streams["stdout"], name
        assert streams["stderr"] == "", name
    assert AGENT in page.read_text(encoding="utf-8") or json.dumps(AGENT)[1:-1] in page.read_text(encoding="utf-8")
    assert read_record(record).seats == (AGENT,) * 4


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_errors_in_every_encoding(encoding: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (
        ["rules", "jamaïcan"],
        ["simulate", "--agents", "greedy_中"],
        ["evaluate", "ж:Größe"],
        ["evaluate", "greedy", "--save", "é/中.json"],
        ["replay", "中.jsonl"],
        ["verify", "--preset", "±"],
        ["bench", "--only", "ж"],
        ["bench", "--from", "\udce9.json"],
    ):
        streams = Streams(monkeypatch, encoding)
        assert main(words) == 2
        assert re.fullmatch(rf"kalooki {words[0]}: error: .+\n", streams["stderr"])
        assert streams["stdout"] == ""
    streams = Streams(monkeypatch, encoding)
    with pytest.raises(SystemExit):
        main(["simulate", "--größe"])
    assert shown("unknown option --größe", encoding) in streams["stderr"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_json_is_the_same_in_every_encoding(encoding: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = here / "result é中.json"
    streams = Streams(monkeypatch, encoding)
    assert main(["evaluate", AGENT, *SMALL, "--json", "--save", str(saved), "--raw", str(here / "raw ж.json")]) == 0
    # A reader takes JSON for UTF-8, whatever the locale of the writer was.
    printed = json.loads(streams.files["stdout"].getvalue().decode("utf-8"))
    assert printed["agent"] == AGENT
    assert json.loads(saved.read_text(encoding="utf-8")) == printed
    assert AGENT in saved.read_text(encoding="utf-8"), "files are UTF-8"
    assert json.loads((here / "raw ж.json").read_text(encoding="utf-8"))["agent"] == AGENT


def test_names_that_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes of a file's name that are no UTF-8 reach Python as half a surrogate."""
    name = os.fsdecode(os.fsencode(str(tmp_path)) + b"/r\xe9cord.jsonl")
    for encoding in ENCODINGS:
        streams = Streams(monkeypatch, encoding)
        assert main(["simulate", "--agents", "random", "--deal", "1", "--deals", "1", "--record", name]) == 0
        assert main(["replay", name, "--check"]) == 0
        assert r"r\xe9cord.jsonl" in streams["stdout"]
    streams = Streams(monkeypatch, "utf-8")
    assert main(["replay", name, "--json"]) == 0
    assert json.loads(streams["stdout"])["record"] == name
    assert json.loads(json_text({"name": name})) == {"name": name}


def test_what_a_suite_prints(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "page.md").write_text("<!-- suite-v1-kaluki51 -->\n<!-- end of suite-v1-kaluki51 -->\n", encoding="utf-8")
    words = ["evaluate", "--suite", "v1-kaluki51", AGENT, "--deals", "4", "--readme", "page.md", "--plot", "é.png"]
    for encoding in ("ascii", "gbk"):
        streams = Streams(monkeypatch, encoding)
        assert main(words) == 0
        assert ("+-" if encoding == "ascii" else "±") in streams["stdout"]
    page = (here / "page.md").read_text(encoding="utf-8")
    assert AGENT in page
    assert " ± " in page
    streams = Streams(monkeypatch, "ascii")
    assert main([*words, "--name", "n\udce9", "--json"]) == 0
    assert json.loads(streams["stdout"])["name"] == "n?"


def test_what_is_typed_may_be_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = str(tmp_path / "deal.jsonl")
    Streams(monkeypatch, "ascii")
    assert main(["simulate", "--deal", "1", "--deals", "1", "--record", record]) == 0
    for encoding in ENCODINGS:
        streams = Streams(monkeypatch, encoding, typed=b"\xff\xfe\n3\n\xe4\xb8\xad\nq\n")
        assert main(["replay", record]) == 0
        assert "--- 3 of " in streams["stdout"]
        assert streams["stderr"].count("is not allowed; allowed: Enter or n forward") == 2


def test_what_stands_for_what() -> None:
    for char, plain in PLAIN.items():
        assert plain.isascii()
        assert not char.isascii()
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    before, sys.stdout = sys.stdout, stream
    try:
        with any_text():
            sys.stdout.write("3 ± 1 – 2 × 4 … “é” 中 \udcff\n")
            sys.stdout.flush()
        assert stream.errors == "strict", "the stream is as it was"
        assert stream.buffer.getvalue() == b'3 +- 1 - 2 x 4 ... "\\xe9" \\u4e2d \\xff\n'  # type: ignore[attr-defined]
    finally:
        sys.stdout = before


# ---- readers that leave, and disks that are full -----------------------------------------------------------------------


class Failing(io.RawIOBase):
    """A stream that takes so many bytes."""

    def __init__(self, error: OSError, room: int = 0) -> None:
        self._error, self._room = error, room

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._room -= len(data)
        if self._room < 0:
            raise self._error
        return len(data)


def failing(error: OSError, room: int = 0) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(Failing(error, room)), encoding="utf-8", write_through=True)


GONE = BrokenPipeError(errno.EPIPE, "Broken pipe")
FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(("error", "code"), [(GONE, 0), (FULL, 2)])
def test_an_evaluation_outlives_its_reader(error: OSError, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch, "utf-8")
    monkeypatch.setattr(sys, "stdout", failing(error))
    assert main(["evaluate", "greedy", *SMALL, "--save", str(tmp_path / "a.json"), "--raw", str(tmp_path / "b.json")]) == code
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["agent"] == "greedy"
    assert (tmp_path / "b.json").exists()
    assert streams["stderr"] == ("" if code == 0 else f"kalooki evaluate: error: {FULL}\n")


def test_shown_deals_end_with_their_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch, "utf-8")
    monkeypatch.setattr(sys, "stdout", failing(GONE, 20_000))
    assert main(["simulate", "--show", "--deals", "1000"]) == 0
    assert streams["stderr"] == ""


def test_nobody_needs_to_hear_of_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(monkeypatch, "utf-8")
    monkeypatch.setattr(sys, "stderr", failing(GONE))
    monkeypatch.setattr("kalooki_env.cli.common.LINE_SECONDS", -1.0)
    assert main(["evaluate", "greedy", *SMALL]) == 0
    assert "against three random" in streams["stdout"]
    assert main(["evaluate", "gredy"]) == 2


def test_missing_streams_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert main(["evaluate", "greedy", *SMALL, "--save", str(tmp_path / "a.json")]) == 0
    assert main(["evaluate", "gredy"]) == 2
    assert (tmp_path / "a.json").exists()


def test_a_file_that_fails_loses_neither_the_others_nor_the_print(capsys: pytest.CaptureFixture[str]) -> None:
    done: list[str] = []

    def fail(error: Exception) -> None:
        raise error

    first, second = ConfigError("a.json cannot be written"), OSError("no")
    with pytest.raises(ConfigError, match=r"a\.json"):
        finish(lambda: fail(first), lambda: done.append("b"), lambda: fail(second), lambda: done.append("print"))
    assert done == ["b", "print"]


def run(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A command line of a shell, in which `kalooki` is the command."""
    others = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    script = f'kalooki() {{ "{sys.executable}" -m kalooki_env "$@"; }}\n{command}'
    return subprocess.run(["bash", "-c", script], capture_output=True, env=others, check=False)


def test_a_real_pipe_ends_quietly() -> None:
    done = run("kalooki rules | head -n 1; echo ${PIPESTATUS[0]}; kalooki rules --json >/dev/full; echo $?")
    assert done.stdout.splitlines()[1:] == [b"0", b"2"]
    assert done.stderr == b"kalooki rules: error: [Errno 28] No space left on device\n"


def test_a_real_locale_of_letters_from_a_to_z(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    path = tmp_path / "é中.json"
    done = run(f'kalooki evaluate greedy {" ".join(SMALL)} --save "{path}"', **plain)
    assert done.returncode == 0
    assert b"+- is the 99 % interval" in done.stdout
    assert done.stdout.isascii()
    assert json.loads(path.read_text(encoding="utf-8"))["agent"] == "greedy"


# ---- colours -----------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "environment", "coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "3", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_are_for_terminals(
    terminal: bool, environment: dict[str, str], coloured: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    record = str(tmp_path / "deal.jsonl")

    def printed(call: Any) -> str:
        stream = Terminal() if terminal else io.StringIO()
        monkeypatch.setattr(sys, "stdout", stream)
        call()
        return stream.getvalue()

    monkeypatch.setattr(sys, "stdin", io.StringIO("n\nq\n"))
    for words in (["simulate", "--show", "--deal", "1", "--record", record], ["replay", record]):
        assert ("\x1b[" in printed(lambda words=words: main(words))) is coloured, words
    for plain in (["rules"], ["rules", "--list"], ["evaluate", "greedy", *SMALL], ["replay", record, "--check"]):
        assert "\x1b" not in printed(lambda words=plain: main(words)), plain
    table, seat = env(render_mode="human"), SeatEnv(render_mode="human")
    for one in (table, seat):
        one.reset(seed=1)
        assert ("\x1b[" in printed(one.render)) is coloured


def test_help_has_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    assert "\x1b" not in stream.getvalue()


def test_progress_has_no_bar_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("größen", 3) as note:
        note(3)
        say("done ±")
    assert capsys.readouterr().err == "done ±\n"


# ---- training ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_trainers_print_in_every_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = pytest.importorskip("training.runs")
    result = Path("runs") / NAME
    for error, code in ((None, 0), (ConfigError(f"{NAME} ±"), 1)):

        def train(*arguments: Any, error: Exception | None = error) -> bool:
            if error is not None:
                raise error
            return True

        streams = Streams(monkeypatch, encoding)
        words = [f"{NAME}.yaml", "--quiet"]
        assert runs.command_line("training.ppo", "", lambda *_: SimpleNamespace(result=result), train, words) == code
        assert shown(NAME, encoding) in streams["stdout" if code == 0 else "stderr"]
