"""The command line: every verb's help, results for programs, and clear words about bad input."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kalooki_env.cli.main import VERBS, main, parser
from kalooki_env.cli.suite import check_options
from kalooki_env.cli.verify import sizes
from kalooki_env.errors import ConfigError
from kalooki_env.game.game import Game
from kalooki_env.referee import Referee
from kalooki_env.rules import Rules, presets
from kalooki_env.verify import Report, verify

ROOT = Path(__file__).resolve().parent.parent
NAMES = [verb.__name__.rpartition(".")[2] for verb in VERBS]


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """Standard output of a command."""
    assert main(words) == code
    return capsys.readouterr().out


def loaded(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    return json.loads(run(capsys, *words, code=code))


@pytest.mark.parametrize("name", NAMES)
def test_help_has_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert f"examples:\n  kalooki {name}" in text
    assert "--json" in text
    assert max(map(len, text.splitlines())) <= 130


@pytest.mark.parametrize("name", NAMES)
def test_examples_of_the_help_are_understood(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([name, "--help"])
    text = capsys.readouterr().out
    for line in text.partition("examples:\n")[2].strip().splitlines():
        args = parser().parse_args(shlex.split(line.rpartition("kalooki ")[2]))
        if name == "simulate":
            assert len(args.agents) in (1, args.players)
        if name == "evaluate":
            check_options(args)


@pytest.mark.parametrize("path", ["README.md", "training/README.md", "checkpoints/README.md", "tests/README.md", "Makefile"])
def test_commands_of_the_documents_are_understood(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / path).read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.findall(rf"kalooki ((?:{'|'.join(NAMES)}) (?:(?!   )[^`#\n])*)", text)
    for line in found:
        try:
            parser().parse_args(shlex.split(line))
        except SystemExit:
            # Help, or options in a sentence, without the agent that they are about.
            assert "--help" in line or capsys.readouterr().err.endswith("one of the arguments AGENT --agent is required\n"), line
    assert found


def test_the_module_is_the_command() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "kalooki_env", "rules", "jamaica"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("kalooki rules: error: unknown rules 'jamaica' (did you mean 'jamaican'?)")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rules", "jamaican", "pip_jokr=25"], "did you mean 'pip_joker'"),
        (["simulate", "--rules", "no_calls"], "did you mean 'no_call'"),
        (["simulate", "--players", "9"], "9 players are not allowed"),
        (["simulate", "--deal", "10"], "deal 10 is not allowed"),
        (["simulate", "--deals", "0"], "--deals 0 is not allowed; allowed: a whole number from 1 to 100000"),
        (["simulate", "--agents", "greedy", "random"], "2 agents for 4 seats"),
        (["simulate", "--agents", "gredy"], "did you mean 'greedy'"),
        (["simulate", "--seed", "-1"], "seed -1 is not allowed"),
        (["evaluate", "gredy"], "did you mean 'greedy'"),
        (["evaluate", "greedy", "--deal", "1", "1"], "each once"),
        (["evaluate", "greedy", "--deals", "0"], "--deals 0 is not allowed"),
        (["evaluate", "greedy", "--raw", "/no/such/folder/raw.json"], "no such folder"),
        (["evaluate", "greedy", "--save", "/"], "it is a folder"),
        (["evaluate", "greedy", "--line-up", "random"], "3, one per seat beside 'greedy'"),
        (["verify", "--preset", "jamaica"], "did you mean 'jamaican'"),
        (["verify", "--players", "3-9"], "--players '3-9' is not allowed"),
        (["verify", "--players", "four"], "'four' is not allowed"),
        (["verify", "--decisions", "0"], "--decisions 0"),
        (["verify", "--preset", "jamaican packs=2", "--players", "8"], "cannot play with 2 packs"),
        (["verify", "--preset", "kaluki51", "--players", "2-8"], "7 players are not allowed; allowed: 2 to 6"),
        (["verify", "--preset", "south_african"], "deals=33/13,34/13"),
    ],
)
def test_bad_input_is_one_clear_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"kalooki {words[0]}: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evalute"], "kalooki: error: unknown verb 'evalute' (did you mean 'evaluate'?); allowed: rules, simulate, "),
        ([], "kalooki: error: the following arguments are required: VERB"),
        (["evaluate"], "kalooki evaluate: error: one of the arguments AGENT --agent is required"),
        (["simulate", "--deel", "1"], "kalooki simulate: error: unknown option --deel (did you mean --deal?)"),
        (["simulate", "--dea", "1"], "unknown option --dea (did you mean --deal?)"),
        (["simulate", "--frobnicate"], "unknown option --frobnicate; `kalooki simulate --help` lists all"),
        (["evaluate", "greedy", "--deals-per-number", "5"], "unknown option --deals-per-number (did you mean --deals?)"),
        (["evaluate", "greedy", "--bench", "v1"], "unknown option --bench (did you mean --suite?)"),
        (["evaluate", "--bench=v1", "--agent", "greedy"], "unknown option --bench (did you mean --suite?)"),
        (["bench", "--bench", "v1"], "unknown option --bench; "),
        (["simulate", "--num-players", "4"], "unknown option --num-players (did you mean --players?)"),
        (["rules", "--json=1"], "ignored explicit argument '1'"),
        (["simulate", "greedy"], "kalooki simulate: error: unknown arguments: greedy; `kalooki simulate --help`"),
    ],
)
def test_unknown_verbs_and_options_are_one_clear_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


# ---- rules -----------------------------------------------------------------------------------------------------------


def test_rules_are_the_rule_book(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "rules") == (ROOT / "kalooki_env" / "RULES.md").read_text(encoding="utf-8")


def test_rules_list_and_presets(capsys: pytest.CaptureFixture[str]) -> None:
    assert [line.split()[0] for line in run(capsys, "rules", "--list").splitlines()] == list(presets())
    rows = [line.split() for line in run(capsys, "rules", "jamaican_club", "pip_joker=25").splitlines()]
    assert ["reshuffle_max", "1", "(jamaican:", "null)"] in rows
    assert ["calls_enabled", "true"] in rows
    data = loaded(capsys, "rules", "jamaican_club", "pip_joker=25", "--json")
    assert Rules.preset("jamaican", **data["keys"]) == Rules.preset("jamaican_club", pip_joker=25)
    assert list(loaded(capsys, "rules", "--json")) == list(presets())


# ---- simulate --------------------------------------------------------------------------------------------------------


def test_simulate_sums_up(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "--agents", "greedy", "random", "random", "--players", "3", "--deal", "1", "5", "--deals", "4"]
    data = loaded(capsys, *words, "--json")
    assert [one["deal"] for one in data["by_deal"]] == [1, 5]
    assert len(data["deals"]) == 8
    assert data == loaded(capsys, *words, "--json"), "the same seed, the same deals"
    text = run(capsys, *words)
    assert "deals 1 and 5, 4 of each" in text
    assert "ended out" in text


def test_simulate_shows_deals_that_can_be_played_again(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "--show", "--deal", "2", "--deals", "2", "--seed", "3", "--rules", "jamaican_club"]
    text = run(capsys, *words)
    assert text.count("draw stock (") > 5
    assert "\x1b" not in text, "colours are for terminals"
    for deal in loaded(capsys, *words, "--json")["deals"]:
        game = Game("jamaican_club", deal=deal["deal"], dealer=deal["dealer"], seed=deal["seed"])
        for action in deal["actions"]:
            seat, _, move = action.partition(" ")
            game.do(move, seat=int(seat[1:]) - 1)
        assert game.outcome is not None
        assert list(game.outcome.scores) == deal["scores"]


# ---- evaluate --------------------------------------------------------------------------------------------------------


def test_evaluate_as_the_makefile_calls_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    raw, result = tmp_path / "raw.json", tmp_path / "result.json"
    words = ["evaluate", "greedy", "--against", "random", "greedy", "--deal", "1", "5", "--deals", "4"]
    text = run(capsys, *words, "--raw", str(raw), "--save", str(result))
    assert "four copies of greedy end 100.0 % of deals 1 and 5 by going out" in text
    written = json.loads(result.read_text(encoding="utf-8"))
    assert {**written, "seconds": 0} == {**loaded(capsys, *words, "--json"), "seconds": 0}
    assert len(json.loads(raw.read_text(encoding="utf-8"))["line_ups"]) == 3


def test_evaluate_takes_anybodys_class(capsys: pytest.CaptureFixture[str]) -> None:
    name = "kalooki_env.agents.scripted:GreedyAgent"
    data = loaded(capsys, "evaluate", name, "--against", "greedy", "--deal", "1", "--deals", "2", "--no-self-play", "--json")
    assert data["agent"] == name
    assert data["self_play"] is None
    assert data["against"][0]["overall"]["difference"]["mean"] == 0


# ---- verify ----------------------------------------------------------------------------------------------------------


def test_verify_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    data = loaded(capsys, "verify", "--decisions", "1501", "--seed", "11", "--json")
    assert data["mismatches"] == []
    assert data["decisions"] == 1501
    assert [part["decisions"] for part in data["games"].values()] == [751, 750]
    for part in data["games"].values():
        assert part["decisions"] == sum(part["actions"].values()) == sum(part["policies"].values())
        assert set(part["policies"]) >= {"greedy", "mixed", "eager"}
    assert data["rules"] == [name for name in presets() if name != "south_african"], "its deals must be supplied"
    assert "0 mismatches" in run(capsys, "verify", "--decisions", "50", "--preset", "no_call", "--players", "3")


def test_verify_in_two_processes(capsys: pytest.CaptureFixture[str]) -> None:
    data = loaded(capsys, "verify", "--decisions", "101", "--jobs", "2", "--players", "3", "--json")
    assert (data["decisions"], data["mismatches"]) == (101, [])


def test_verify_reports_a_mismatch(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A referee that forbids calls must be caught, with what is needed to see it again."""
    monkeypatch.setattr(Referee, "legal", lambda self, legal=Referee.legal: legal(self) - {"call"})
    words = ["verify", "--decisions", "300", "--preset", "jamaican", "--players", "4", "--seed", "2"]
    text = run(capsys, *words, code=1)
    assert "only the engine has ['call']" in text
    assert "kalooki: 1\nrules: jamaican" in text
    found = loaded(capsys, *words, "--json", code=1)["mismatches"][0]
    assert found["history"]
    assert Game.from_text(found["position"]).phase.name == "CALL"


def test_table_sizes() -> None:
    assert sizes(["3-5", "8", "4"]) == [3, 4, 5, 8]
    for words in (["1"], ["5-3"], ["3-"], ["-4"], ["x"]):
        with pytest.raises(ConfigError):
            sizes(words)


def test_reports_add_up() -> None:
    total = Report()
    for seed in (1, 2):
        total.add(verify([Rules()], [3], 40, seed))
    assert total.decisions == 80 == sum(total.phases.values())


# ---- warmup ----------------------------------------------------------------------------------------------------------


def test_warmup_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    from kalooki_env import core

    data = loaded(capsys, "warmup", "--json")
    assert data["cache"] == str(core.cache_dir())
    assert str(core.cache_dir()) in run(capsys, "warmup")
