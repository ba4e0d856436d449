"""Files and texts in other encodings, with other ends of lines and marks at the beginning; and paths of every kind."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pytest
from record_tools import small_record

import kalooki_env
from kalooki_env import (
    AgentError,
    CheckpointError,
    ConfigError,
    Game,
    KalookiError,
    Match,
    NotationError,
    NotationTypeError,
    RecordError,
    RecordWriter,
    Rules,
    RulesError,
    agents,
    read_record,
)
from kalooki_env.arena import evaluate
from kalooki_env.cli.common import read_page
from kalooki_env.referee import Referee

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = ROOT / "checkpoints" / "quickstart"
BOM = "\ufeff"


def load_config(path: Any) -> object:
    from training.config import load_config

    return load_config(path)


#: What reads a text file, what it may hold, and the error.
READERS: dict[str, tuple[Callable[[Any], object], str, type[KalookiError]]] = {
    "rules": (Rules.from_yaml, "preset: jamaican\npip_joker: 25\n", RulesError),
    "configuration": (load_config, (ROOT / "configs" / "smoke.yaml").read_text(encoding="utf-8"), ConfigError),
    "page": (read_page, "# A page\n", ConfigError),
}


# ---- encodings of files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", READERS)
def test_texts_in_utf_8_are_read_with_marks_and_carriage_returns(name: str, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    read, text, _ = READERS[name]
    path = tmp_path / "file"
    path.write_bytes(text.encode("utf-8"))
    plain = read(path)
    for data in (BOM + text, text.replace("\n", "\r\n"), BOM + text.replace("\n", "\r\n"), "# Zoë, 卡片\n" + text):
        path.write_bytes(data.encode("utf-8"))
        found = read(path)
        assert found == plain or name == "page"


@pytest.mark.parametrize("name", READERS)
def test_texts_in_other_encodings_are_refused_by_name(name: str, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    read, text, kind = READERS[name]
    path = tmp_path / "file"
    for encoding, message in (
        ("latin-1", "is not UTF-8: .* 0xeb at offset 4; other encodings, such as Latin-1, are not read"),
        ("cp1252", "is not UTF-8"),
        ("utf-16", "is not UTF-8: it begins with the byte order mark of UTF-16"),
        ("utf-16-be", "is not UTF-8"),
        ("utf-32", "is not UTF-8: it begins with the byte order mark of UTF-32"),
    ):
        path.write_bytes(("# Zoë\n" + text).encode(encoding))
        with pytest.raises(kind, match=f"file {message}"):
            read(path)


def test_records_are_read_with_marks_and_carriage_returns(tmp_path: Path) -> None:
    path = small_record(tmp_path / "record.jsonl")
    whole = path.read_bytes()
    plain = read_record(path)
    mark = BOM.encode("utf-8")
    for data in (whole.replace(b"\n", b"\r\n"), mark + whole, mark + whole.replace(b"\n", b"\r\n")):
        path.write_bytes(data)
        assert read_record(path) == plain
    for data, line, message in (
        (whole.replace(b"\n", b"\r\r\n", 1), 1, "does not end with its hash"),
        (whole.replace(b"\n", b"\n" + mark, 1), 2, "BOM"),
        (whole.decode("ascii").encode("utf-16"), 1, "is not UTF-8: it begins with the byte order mark of UTF-16"),
        (whole.decode("ascii").encode("utf-16-le"), 1, "is not UTF-8"),
        (whole.replace(b'"a"', b'"\xeb"'), 1, "is not UTF-8: .* 0xeb"),
        (whole.replace(b"\n", b"\r"), 1, "truncated"),
    ):
        path.write_bytes(data)
        with pytest.raises(RecordError, match=message) as caught:
            read_record(path)
        assert caught.value.line == line


def test_a_line_without_end_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_bytes(b" " * (3 << 20))
    with pytest.raises(RecordError, match="line 1 is longer than the"):
        read_record(path)


# ---- positions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["jamaican", "kaluki51"])
def test_positions_are_read_with_marks_and_carriage_returns(rules: str) -> None:
    text, match = Game(rules, seed=3).text(), Match(rules, seed=3).text()
    for change in (
        lambda text: BOM + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: BOM + text.replace("\n", "\r\n"),
    ):
        assert Game.from_text(change(text)).text() == text
        assert Referee.from_position(change(text)).position() == Referee.from_position(text).position()
        assert Match.from_text(change(match)).text() == match
    for read in (Game.from_text, Referee.from_position):
        with pytest.raises(NotationError):
            read(text.replace("\n", "\n" + BOM, 1))


@pytest.mark.parametrize(
    "value", [5, None, b"kalooki: 1", bytearray(b"x"), ["kalooki: 1"], {}, 1.5, np.int64(3), Path("x"), object]
)
def test_positions_that_are_no_texts_are_refused(value: Any) -> None:
    for read in (Game.from_text, Match.from_text, Referee.from_position):
        with pytest.raises(NotationTypeError, match="allowed: a text") as caught:
            read(value)
        assert isinstance(caught.value, TypeError)
        assert ("decoded" in str(caught.value)) == isinstance(value, bytes | bytearray)
    assert Game.from_text(np.str_(Game(seed=1).text())).text() == Game(seed=1).text()


@pytest.mark.parametrize("rules", ["jamaican", "kaluki51"])
def test_numbers_of_thousands_of_digits_in_positions(rules: str) -> None:
    long = "9" * 5000
    lines = Game(rules, seed=3).text().splitlines()
    extra = [f"calls: P1 {long}/1", f"match: {long}", f"totals: P1 {long}", f"answers: P1 1/{long}", f"meld P1/{long}: 7S 7H 7D"]
    cases = [[*lines[:place], f"{line.partition(':')[0]}: {long}", *lines[place + 1 :]] for place, line in enumerate(lines)]
    cases += [[*lines, line] for line in extra]
    for case in cases:
        # The referee has no use for the state of a generator.
        for read in (Game.from_text, Referee.from_position)[: 1 if f"rng: {long}" in case else 2]:
            with pytest.raises(KalookiError):
                read("\n".join(case))
    game = Game(rules, seed=3).do("draw stock")
    with pytest.raises(KalookiError):
        game.do(f"lay off onto P1/{long}")


# ---- paths -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plain", "mit Leerzeichen", "Zoë 卡片 🂡", "a.b", "x" * 200])
def test_paths_of_every_kind_lead_to_the_same(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = tmp_path / name
    folder.mkdir()
    checkpoint = Path(shutil.copytree(QUICKSTART, folder / "checkpoint"))
    for path in (checkpoint, str(checkpoint)):
        assert agents.load(path).observation == agents.load(QUICKSTART).observation
    with RecordWriter(folder / "record.jsonl") as writer:
        writer.begin(Game(seed=1))
        writer.abandon("enough")
    assert read_record(folder / "record.jsonl").path == read_record(str(folder / "record.jsonl")).path
    (folder / "rules.yaml").write_text("preset: joker25\n", encoding="utf-8")
    assert Rules.from_yaml(folder / "rules.yaml") == Rules.from_yaml(str(folder / "rules.yaml")) == Rules.preset("joker25")
    shutil.copy(ROOT / "configs" / "smoke.yaml", folder)
    assert load_config(folder / "smoke.yaml") == load_config(str(folder / "smoke.yaml"))


def test_agents_are_given_by_their_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    found = evaluate(QUICKSTART, ["greedy"], baselines=[QUICKSTART], deal=[1], deals=1, self_play=False)
    assert found.agent == str(QUICKSTART)
    for opponents in (QUICKSTART, [QUICKSTART, "greedy", Path(QUICKSTART)]):
        env = kalooki_env.make_vec(2, opponents=opponents, deal=1)
        env.reset(seed=1)
        env.step(env.sample_actions())
        env.close()
    # A folder may be called like an agent.
    monkeypatch.chdir(tmp_path)
    shutil.copytree(QUICKSTART, "greedy")
    assert agents.load(Path("greedy")).observation == agents.load(QUICKSTART).observation
    assert agents.load("greedy").observation != agents.load(QUICKSTART).observation
    assert agents.name_of(Path("greedy")) == "./greedy"
    assert agents.name_of("greedy") == "greedy"


def test_configurations_take_paths(tmp_path: Path) -> None:
    pytest.importorskip("pydantic")
    from training.config import make_config

    told: dict[str, Any] = {"name": "a", "deal": {1: 1.0}, "budget": {"decisions": 1}}
    config = make_config(
        {**told, "output": tmp_path, "opponents": {"agents": {QUICKSTART: 1.0}}, "evaluation": {"against": [QUICKSTART]}}, "here"
    )
    assert config.output == str(tmp_path)
    assert config.evaluation.against == [str(QUICKSTART)] == list(config.opponents.agents)
    for key, value in (("seed", True), ("network", {"head_start": 1}), ("ppo", {"clip": True}), ("table", {"players": True})):
        with pytest.raises(ConfigError, match=f"{key}.*(number|boolean|bool)"):
            make_config({**told, key: value}, "here")


@pytest.mark.parametrize("value", [5, None, b"x", ["x"], 1.5, "", "a\0b"])
def test_what_is_no_path_is_refused(value: Any) -> None:
    pytest.importorskip("torch")
    from kalooki_env.agents.checkpoint import CheckpointAgent
    from kalooki_env.agents.sb3 import SB3Agent

    for read in (read_record, RecordWriter, Rules.from_yaml, CheckpointAgent.load, SB3Agent.load, load_config):
        with pytest.raises(ConfigError, match="allowed: a path"):
            read(value)
    with pytest.raises(AgentError):
        agents.load(value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("C:\\runs\\ck", "there is no such folder"),
        ("C:ck", "there is no such folder"),
        ("runs/none/checkpoint", "there is no such folder"),
        ("..\\ck", "there is no such folder"),
        (PurePath("none"), "there is no such folder"),
        (Path("/no/such/folder"), "there is no such folder"),
        ("/" + "x" * 5000, "there is no such folder"),
        (str(ROOT / "README.md"), "is a file; allowed: a checkpoint folder, or sb3:PATH"),
        ("sb3:" + "x" * 5000, "cannot be loaded: it cannot be read: File name too long"),
        ("sb3:none", "cannot be loaded: it cannot be read: No such file"),
        ("gredy", "did you mean 'greedy'"),
        ("x" * 5000, "unknown agent"),
        ("é", "unknown agent"),
        ("", "unknown agent"),
        ("q:Thing", "there is no such folder"),
        ("no_such_module:Thing", "there is no module 'no_such_module'"),
    ],
)
def test_names_of_agents_that_are_none(name: Any, message: str) -> None:
    with pytest.raises(AgentError, match=message) as caught:
        agents.load(name)
    assert len(str(caught.value)) < 1000


def test_a_module_with_one_letter_is_no_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.py").write_text("from kalooki_env.agents.scripted import GreedyAgent as Mine\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert type(agents.load("m:Mine")).__name__ == "GreedyAgent"


def test_a_folder_that_is_no_checkpoint(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(CheckpointError, match=r"checkpoint\.json cannot be read: No such file"):
        agents.load(tmp_path)
