"""The comparison of engine and referee at Kaluki; what both games share is tested in `test_verify`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import KALUKI, OTHER_DEALS

from kalooki_env import Game, Refusal, RulesError
from kalooki_env.cli.main import main
from kalooki_env.core import ActionKind, Phase
from kalooki_env.game.engine import deck_of
from kalooki_env.referee import Referee
from kalooki_env.rules import JOKER, Rules
from kalooki_env.verify import (
    KALUKI_POLICIES,
    KALUKI_STARTS,
    Report,
    by_rule_number,
    kinds_of,
    never_met_under,
    not_met,
    play_deal,
    strangers,
    verify,
)
from kalooki_env.verify.kaluki_kinds import KALUKI_KINDS
from kalooki_env.verify.kaluki_starts import stacked_start, table_start
from kalooki_env.verify.kinds import KINDS

ALL = [Rules.preset(name) for name in KALUKI]
#: Values that no preset has.
SWAP_KEYS = "joker_release_requires=nothing joker_release_sets=all_missing_suits"


@pytest.fixture(scope="module")
def report() -> Report:
    """A run of some size over all presets and table sizes."""
    return verify(ALL, range(2, 9), 6_000, seed=5)


def test_nothing_differs_and_the_rare_rules_come_up(report: Report) -> None:
    assert not report.mismatches, report.mismatches[0]
    assert report.share_after_lay_down >= 0.2
    missed = not_met(report, ALL, range(2, 9))
    assert len(missed) < 0.1 * sum(map(len, KALUKI_KINDS.values())), [str(one) for one in missed]
    assert not strangers(report, ALL, range(2, 9))
    assert {players for _, players, _ in report.tables} == {2, 3, 4, 5, 6}, "as many as the rules seat"


def test_what_is_counted_adds_up(report: Report) -> None:
    assert report.decisions == sum(report.phases.values()) == sum(report.actions.values())
    assert report.decisions == sum(report.starts.values()) == sum(report.policies.values())
    assert report.deals == sum(report.tables.values()) == sum(report.endings.values())
    numbers = by_rule_number(report, "kaluki")
    assert sum(row["at_work"] for row in numbers.values()) == sum(report.rules.values())
    assert {f"KL{number}" for number in ("1.1", "1.2", "2", "3.1", "3.2", "3.3", "3.4", "4.1", "4.2", "4.3", "4.4", "4.5")} < set(
        numbers
    )
    assert {"KL5.1", "KL5.2", "KL5.3"} < set(numbers)
    assert numbers["KL4.4"]["refused"] >= report.refusals["no_joker_to_swap"] > 0
    outs = {name: count for name, count in report.endings.items() if name.startswith("out")}
    assert sum(outs.values()) == sum(count for name, count in report.rules.items() if name.startswith("KL5.1 out"))
    json.dumps(report.as_dict(), allow_nan=False)


def test_the_same_seed_gives_the_same_report() -> None:
    first, again = (verify(ALL, [3, 5], 400, seed=8).as_dict() for _ in range(2))
    assert first == again
    assert first != verify(ALL, [3, 5], 400, seed=9).as_dict()


def test_the_games_are_verified_one_at_a_time() -> None:
    for rules, players in (([Rules(), ALL[0]], [4]), ([], [4]), (ALL, [7, 8])):
        with pytest.raises(RulesError, match="of one game"):
            verify(rules, players, 10)


@pytest.mark.parametrize("text", OTHER_DEALS)
def test_other_deals_of_the_jamaican_game(text: str) -> None:
    rules = [Rules.parse(text)]
    report = verify(rules, range(2, 9), 1_500, seed=3)
    assert not report.mismatches, report.mismatches[0]
    assert not strangers(report, rules, range(2, 9))
    assert {deal for _, players, deal in report.tables if players > 2} == set(range(1, 8))
    assert {deal for _, players, deal in report.tables if players == 2} <= {7}


@pytest.mark.parametrize("name", KALUKI_POLICIES)
def test_every_policy_plays_from_every_start(name: str) -> None:
    for start, _ in KALUKI_STARTS.values():
        for rules in ALL:
            done = play_deal(rules, 3, 1, 4, KALUKI_POLICIES[name], 40, start)
            assert not done.mismatches, done.mismatches[0]
            assert done.decisions


@pytest.mark.parametrize("preset", KALUKI)
def test_every_start_can_be_read_by_both_sides(preset: str, rng: np.random.Generator) -> None:
    rules = Rules.preset(preset)
    phases = Counter[str]()
    jokers = 0
    for players in range(2, rules.max_players + 1):
        for _ in range(12):
            text = table_start(rules, players, 1, rng).text
            if text:
                assert Referee.from_position(text).legal() == set(Game.from_text(text).legal_actions())
                phases[Game.from_text(text).phase.name] += 1
                jokers += sum(JOKER in line for line in text.splitlines() if line.startswith("meld "))
        deck = stacked_start(rules, players, 1, rng).deck
        assert Counter(deck).total() == deck_of(rules, players).sum()
        Game(rules, players, deal=1, deck=deck)
    assert min(phases["DRAW"], phases["PLAY"]) > 10
    assert jokers > 10


def test_stacked_decks_are_near_the_opening(rng: np.random.Generator) -> None:
    ready = 0
    for _ in range(8):
        beginning = stacked_start(ALL[0], 5, 1, rng)
        game = Game(ALL[0], 5, deal=1, dealer=beginning.dealer, deck=beginning.deck)
        for _ in range(5):
            game.do("draw stock")
            ready += "lay down" in game.legal_actions()
            game.do(next(action for action in game.legal_actions() if action.startswith("discard")))
    assert ready >= 8


# ---- kinds -----------------------------------------------------------------------------------------------------------


def test_all_phases_actions_and_reasons_are_kinds_of_a_game() -> None:
    phases = {phase.name.lower() for phase in Phase} - {"over", "call", "answer", "move"} | {"swap"}
    assert set(KALUKI_KINDS["phases"]) == phases
    actions = {kind.name.lower() for kind in ActionKind}
    assert set(KALUKI_KINDS["actions"]) | set(KINDS["actions"]) == actions
    assert set(KALUKI_KINDS["actions"]) & set(KINDS["actions"]) == {
        *("discard", "place", "draw_stock", "take_upcard", "lay_down"),
    }
    left_out = {"no_such_action", "no_such_cards"}
    both = set(KALUKI_KINDS["refusals"]) | set(KINDS["refusals"])
    assert both == {refusal.code for refusal in Refusal} - left_out | {"not_written_so"}
    assert kinds_of(ALL) is KALUKI_KINDS
    assert kinds_of([Rules()]) is KINDS


def never(text: str) -> set[str]:
    """Names of all kinds that some rules do not have."""
    return {one.name for one in never_met_under([Rules.parse(text)], range(2, 7))}


def test_kinds_that_some_rules_do_not_have() -> None:
    default, british = never("kaluki51"), never("kaluki40_british")
    assert british == never("kaluki51_european")
    assert {"must_lay", "upcard_not_laid", "cannot_be_spared", "ace_is_high", "blocked without cards"} < default
    assert {"KL4.4 swapped joker owed", "KL5.1 last card that fits kept for the discard"} < default
    assert {"no_melds_yet", "no_lay_off_yet", "out by a lay-off", "KL3.2 run with both aces"} < british
    assert {"KL3.3 set with three jokers laid", "KL4.5 upcard just taken discarded"} < british
    # What no preset has, these keys have.
    other = never(f"kaluki40_british {SWAP_KEYS}")
    assert "all_missing_suits" in default & british
    assert "KL4.4 one of two missing suits swapped" in other
    assert not default & british & other
    assert "KL5.3 stock renewed again" in never("kaluki51 reshuffle_max=1")


@pytest.mark.parametrize(
    "text",
    [
        "kaluki51 upcard_before_opening=only_to_open",
        "kaluki51 upcard_after_opening=only_for_new_meld reshuffle_max=0",
        "kaluki51 joker_after_swap=new_meld_this_turn",
        "kaluki51 joker_opening_value=represented ace_in_run=high_only joker_total=2 reshuffle_max=1",
        "kaluki51 final_discard_required=true layoff_in_opening_turn=true deals=10",
        "kaluki40_british final_discard_required=false extra_melds=later_turns",
        "kaluki40_british opening_points=1",
        "kaluki40_british pip_red_ace=15",
        "kaluki51 opening_points=100",
        "kaluki51 joker_release_requires=nothing",
        "kaluki51 joker_release_sets=all_missing_suits joker_after_swap=new_meld_this_turn",
        "kaluki40_british joker_release_requires=nothing upcard_after_opening=free",
        "kaluki40_british joker_release_requires=nothing joker_release_sets=all_missing_suits joker_total=null",
    ],
)
def test_no_rules_show_what_they_do_not_have(text: str) -> None:
    rules = [Rules.parse(text)]
    done = verify(rules, (2, 4), 700, seed=1)
    assert not done.mismatches, done.mismatches[0]
    assert not strangers(done, rules, (2, 4))


def test_both_games_in_one_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["verify", "--decisions", "80", "--preset", "no_call", "--preset", "kaluki51", "--players", "3"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "never met (no failure below 400,000 decisions):\n" in text
    assert "never met (no failure below 100,000 decisions):\n" in text
    monkeypatch.setattr("kalooki_env.verify.kinds.KALUKI_ENOUGH", 40)
    assert main([*words, "--json"]) == 1, "a kind of one game was not met in enough decisions"
    found = json.loads(capsys.readouterr().out)
    assert (found["decisions"], found["mismatches"]) == (80, [])
    assert set(found["games"]) == {"jamaican", "kaluki"}
    assert "actions: call" in found["games"]["jamaican"]["cannot_be_met"]
    assert "KL4.4" in found["games"]["kaluki"]["by_rule_number"]


# ---- mismatches ------------------------------------------------------------------------------------------------------


def test_a_mismatch_can_be_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Referee, "legal", lambda self, legal=Referee.legal: legal(self) - {"end opening", f"discard {JOKER}"})
    for name in KALUKI_STARTS:
        done = verify(ALL[:1], [4], 3_000, 2, starts={name: KALUKI_STARTS[name]}, stop_at_mismatch=True)
        mismatch = done.mismatches[0]
        game = Game.from_text(mismatch.start)
        for action in mismatch.history:
            game.do(action)
        assert game.text() == mismatch.position


@pytest.mark.parametrize("wrong", [None, Refusal.CARD_NOT_HELD])
def test_wrong_answers_about_texts_are_noticed(wrong: Refusal | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that lets everything pass when asked, and one that lets nothing pass."""
    monkeypatch.setattr(Game, "verify", lambda self, move, seat=None: wrong)
    done = verify(ALL[:1], [4], 300, 2, stop_at_mismatch=True)
    assert "the engine says " + ("legal" if wrong is None else "illegal (card_not_held)") in done.mismatches[0].what


# ---- the recorded runs -----------------------------------------------------------------------------------------------


def test_the_recorded_runs_have_met_every_kind() -> None:
    """`kalooki verify --preset RULES --decisions N --json` for each of them, without its list of tables.

    The series and the stakes, which are played alike, share one run.
    """
    path = Path(__file__).parent / "bench" / "results" / "verify-kaluki.json"
    runs = json.loads(path.read_text(encoding="utf-8"))
    found = {rules for run in runs for rules in run["rules"]}
    assert found == {
        *KALUKI,
        *OTHER_DEALS,
        "best_of_3",
        "stakes_pot",
        "stakes_per_deal",
    }
    for run in runs:
        kaluki = 300_000 if run["rules"][0] in ("kaluki40_british", "kaluki51_european") else 100_000
        assert run["decisions"] >= (kaluki if run["rules"][0].startswith("kaluki") else 30_000)
        assert run["mismatches"] == run["met_against_the_table"] == []
        assert run["share_after_lay_down"] >= 0.2
        if run["rules"][0].startswith("kaluki"):
            assert run["not_met"] == []
            impossible = {name.partition(": ")[2] for name in run["cannot_be_met"]}
            for group, kinds in KALUKI_KINDS.items():
                counts = run["rules_at_work" if group == "rules" else group]
                assert set(kinds) <= set(counts) | impossible, "kinds were added: run it again"
