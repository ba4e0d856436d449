"""Numbers on the command line: whatever stands for one, the answer is a clear line, and the same as in Python."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kalooki_env import KalookiError, make_vec
from kalooki_env.arena import evaluate
from kalooki_env.arena.chunks import MOST_DEALS, DealSet, chunks_of
from kalooki_env.cli.common import digits
from kalooki_env.cli.main import main, parser
from kalooki_env.game.engine import engine
from kalooki_env.game.game import Game
from kalooki_env.rules import Rules

HUGE = "1" + 22 * "0"
WORDS = (
    "nan",
    "inf",
    "-inf",
    "1.5",
    "1e3",
    "1_000",
    "0x10",
    "",
    " 5",
    "+5",
    "four",
    "True",
    "None",
    "\u0663",
    "\uff15",
    "5" * 5000,
)
NUMBERS = (HUGE, f"-{HUGE}", "-1", "0", str(2**63), str(2**64))
#: Zero is a seed like any other.
FINE = {("--seed", "0")}


def verbs() -> dict[str, argparse.ArgumentParser]:
    action = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(action.choices)


def numeric() -> Iterator[tuple[str, str]]:
    """Verb and option of each number that the command line takes."""
    for verb, one in verbs().items():
        for action in one._actions:
            if action.type is digits or (verb, action.option_strings) == ("verify", ["--players"]):
                yield verb, action.option_strings[0]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("numbers") / "deal.jsonl"
    assert main(["simulate", "--deal", "1", "--deals", "1", "--record", str(path)]) == 0
    return str(path)


def test_all_numbers_are_known_to_this_test() -> None:
    """Nothing else is converted, so nothing else can fail in a way of its own."""
    assert {action.type for one in verbs().values() for action in one._actions} == {None, digits}
    assert set(numeric()) == {
        *(("simulate", option) for option in ("--players", "--seed", "--deal", "--deals")),
        *(("evaluate", option) for option in ("--players", "--seed", "--deal", "--deals", "--jobs", "--record-deals")),
        *(("verify", option) for option in ("--players", "--seed", "--decisions", "--jobs")),
        ("replay", "--nth"),
    }


@pytest.mark.parametrize(("verb", "option"), list(numeric()))
def test_numbers_beyond_reason_are_one_clear_line(
    verb: str, option: str, record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cases = {
        "simulate": [["simulate"], ["simulate", "--show"], ["simulate", "--match"]],
        "evaluate": [["evaluate", "greedy", "--record", "x.jsonl"]],
        "verify": [["verify"]],
        "replay": [["replay", record]],
    }[verb]
    if option in ("--deals", "--jobs"):
        cases += [["evaluate", "--suite", "v1", "greedy"]] if verb == "evaluate" else []
    for words in cases:
        for value in (*WORDS, *NUMBERS):
            if (option, value) in FINE or ("--match" in words and option in ("--deal", "--deals")):
                continue
            assert main([*words, f"{option}={value}"]) == 2, value
            out, err = capsys.readouterr()
            assert out == ""
            assert err.count("\n") == 1
            assert err.startswith(f"kalooki {verb}: error: "), err
            assert option in err or f"{option.strip('-')} are not allowed" in err or f" {option.strip('-')} " in err, err
            assert "not allowed; allowed: " in err
            assert value[:100] in err
            assert len(err) < 400
    assert not list(tmp_path.iterdir()), "nothing was begun"


@pytest.mark.parametrize("words", [["simulate", "--deal"], ["simulate", "--seed", "--json"], ["verify", "--jobs", "-1e5"]])
def test_an_option_without_its_number_is_named(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith(f"kalooki {words[0]}: error: ")
    assert words[1] in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", ["3-100000000000000000000000", "100000000000000000000000-3", "3-1_0", "3-", "-3", "3--5"])
def test_ranges_of_players(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", f"--players={words}"]) == 2
    assert f"--players {words!r} is not allowed; allowed: " in capsys.readouterr().err


@pytest.mark.parametrize("key", ["pip_joker", "call_max_per_deal", "score_limit", "packs", "deals"])
@pytest.mark.parametrize("value", [HUGE, "-1", "nan", "1_000", "9" * 5000, "\u0663"])
def test_numbers_in_rules(key: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "jamaican", f"{key}={value}"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("kalooki rules: error: ")
    assert key in err
    assert err.count("\n") == 1
    assert len(err) < 1000


@pytest.mark.parametrize("value", [HUGE, "-1", "nan", "inf", "1e400", "1_000", "five"])
@pytest.mark.parametrize("key", ["ms", "rollouts", "z", "turns", "lessons"])
def test_numbers_in_names_of_agents(key: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", f"search:{key}={value}"]) == 2
    err = capsys.readouterr().err
    assert re.search(rf"search with {key}=.* is not allowed; allowed: a (whole )?number from 0 to ", err)
    assert err.count("\n") == 1


# ---- the same from Python ---------------------------------------------------------------------------------------------


def said(call: Any) -> str:
    with pytest.raises(KalookiError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("value", [-1, 10**22, "four", "1_000", "nan"])
@pytest.mark.parametrize("name", ["deals", "jobs", "seed", "deal", "record_deals"])
def test_the_same_mistake_is_told_in_the_same_words(name: str, value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    option = f"--{name.replace('_', '-')}"
    in_python = said(lambda: evaluate("greedy", **{name: value}))
    assert main(["evaluate", "greedy", "--record", "/dev/null", f"{option}={value}"]) == 2
    assert capsys.readouterr().err == f"kalooki evaluate: error: {in_python.replace(name, option, 1)}\n"


@pytest.mark.parametrize("value", [1, 9, 10**22, -1, "four"])
def test_wrong_numbers_of_players_are_told_in_the_same_words(value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    in_python = {said(lambda: evaluate("greedy", num_players=value)), said(lambda: Game(num_players=value))}
    in_python.add(said(lambda: make_vec(1, num_players=value)))
    for words in (["simulate"], ["evaluate", "greedy"], ["simulate", "--match"]):
        assert main([*words, f"--players={value}"]) == 2
        in_python.add(capsys.readouterr().err.partition("error: ")[2].strip().replace("--players", "num_players"))
    assert len(in_python) == 1


@pytest.mark.parametrize("value", [0, 10, 10**22, "one"])
def test_wrong_deals_are_told_in_the_same_words(value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    in_python = said(lambda: Game(deal=value))
    assert said(lambda: evaluate("greedy", deal=value)) == said(lambda: evaluate("greedy", deal=[value])) == in_python
    assert main(["simulate", "--deal", str(value)]) == 2
    assert capsys.readouterr().err.strip() == f"kalooki simulate: error: --{in_python}"


def test_the_most_deals_are_cut_into_chunks_at_once() -> None:
    table = engine(Rules(), 4)
    deals = DealSet.make(table, range(1, 10), MOST_DEALS, 0)
    chunks = chunks_of(table, ("greedy",) * 4, deals, 0)
    assert sum(len(chunk.rows) for chunk in chunks) == 9 * MOST_DEALS
    assert all((chunk.rows[1:] > chunk.rows[:-1]).all() for chunk in chunks)
