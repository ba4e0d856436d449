"""Matches by their scores (J13, KL6): the examples X1 to X5, S7, W14 to W16, ties, series, stakes; and `Match`.

X4 with `series_early_stop`, and S7 with `total_floor`, are left out: no preset sets these keys.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from conftest import positions
from hypothesis import given, settings
from hypothesis import strategies as st

from kalooki_env import (
    ConfigError,
    EnvironmentStateError,
    Game,
    IllegalActionError,
    Match,
    MatchScore,
    NotationError,
    PositionError,
    Rules,
    RulesError,
)
from kalooki_env.core import Phase
from kalooki_env.game.match import deal_seed
from kalooki_env.game.match_score import SUDDEN_DEATHS, DealKind
from kalooki_env.game.refusals import Refusal
from kalooki_env.verify import eager_policy

#: Section "complete match" of the rule book: three players, nine deals.
COMPLETE = (
    (-50, 23, 91),
    (14, 110, -50),
    (85, -50, 8),
    (-50, 122, 105),
    (3, 19, -50),
    (-50, 138, 31),
    (97, -50, 140),
    (-50, 151, 116),
    (170, 127, -50),
)
COMPLETE_TOTALS = (
    (-50, 23, 91),
    (-36, 133, 41),
    (49, 83, 49),
    (-1, 205, 154),
    (2, 224, 104),
    (-48, 362, 135),
    (49, 312, 275),
    (-1, 463, 391),
    (169, 590, 341),
)


def nine(*totals: int) -> list[tuple[int, ...]]:
    """Nine blocked deals with these totals."""
    return [tuple(total - 8 for total in totals), *[(1,) * len(totals)] * 8]


def played(rules: str, players: int, rows: Sequence[Sequence[int | None]], first_dealer: int | None = None) -> MatchScore:
    return MatchScore.of(rules, players, rows, first_dealer)


# ---- examples of the rule book ---------------------------------------------------------------------------------------


def test_complete_match() -> None:
    score = played("jamaican_consensus", 3, ())
    for number, (row, totals) in enumerate(zip(COMPLETE, COMPLETE_TOTALS, strict=True), start=1):
        assert score.next_deal is not None
        assert (score.next_deal.number, score.next_deal.kind) == (number, DealKind.REGULAR)
        assert score.outcome is None
        score = score.with_scores(row)
        assert score.totals == totals
    assert [scored.winner for scored in score.deals] == [0, 2, 1, 0, 2, 0, 1, 0, 2]


def test_x1_lowest_total_wins() -> None:
    outcome = played("jamaican_consensus", 3, COMPLETE).outcome
    assert outcome is not None
    assert (outcome.winners, outcome.places, outcome.totals) == ((0,), (1, 3, 2), (169, 590, 341))
    assert outcome.chips == (0, 0, 0)


def test_x2_sudden_death_of_the_tied() -> None:
    score = played("jamaican_consensus", 3, nine(120, 120, 300))
    due = score.next_deal
    assert due is not None
    assert (due.kind, due.number, due.seats) == (DealKind.SUDDEN_DEATH, 9, (0, 1))
    outcome = score.with_scores((-50, 64 + 50, None)).outcome
    assert outcome is not None
    assert (outcome.winners, outcome.totals) == ((0,), (70, 234, 300))


def test_x3_tied_sudden_death_is_played_again() -> None:
    score = played("jamaican_consensus", 3, [*nine(120, 120, 300), (90, 90, None)])
    assert score.totals == (210, 210, 300)
    assert score.next_deal is not None
    assert score.next_deal.seats == (0, 1), "the tied ones, though 210 is still below 300"
    again = played("jamaican_consensus", 3, [*nine(120, 120, 125), (90, 90, None)])
    assert again.totals == (210, 210, 125)
    assert again.next_deal is not None
    assert again.next_deal.seats == (0, 1), "a sudden death decides among the tied only"


def won_by(seat: int, totals: Sequence[int]) -> list[tuple[int, ...]]:
    assert min(totals) == totals[seat]
    return nine(*totals)


def test_x4_all_three_matches_are_played() -> None:
    rows = [*won_by(0, (100, 200, 300)), *won_by(1, (250, 200, 300)), *won_by(0, (100, 200, 300))]
    outcome = played("best_of_3", 3, rows).outcome
    assert outcome is not None
    assert (outcome.winners, outcome.matches_won) == ((0,), (2, 1, 0))
    twice = played("best_of_3", 3, [*won_by(0, (100, 200, 300)), *won_by(0, (100, 200, 300))])
    assert twice.next_deal is not None
    assert (twice.next_deal.match, twice.next_deal.ordinal, twice.totals) == (3, 1, (0, 0, 0))


def test_x5_sum_of_the_totals_decides() -> None:
    rows = [*won_by(0, (200, 215, 220)), *won_by(1, (250, 205, 220)), *won_by(2, (250, 220, 215))]
    score = played("best_of_3", 3, rows)
    assert score.outcome is not None
    assert score.outcome.totals == (700, 640, 655)
    assert (score.outcome.winners, score.outcome.places, score.outcome.matches_won) == ((1,), (3, 1, 2), (1, 1, 1))


def test_s7_totals_may_be_negative() -> None:
    assert played("jamaican_consensus", 3, [(20, 30, 40), (-50, 12, 12)]).totals[0] == -30


@pytest.mark.parametrize(
    ("rules", "rows", "over"),
    [
        pytest.param("kaluki51", [(100, 62, 88)], False, id="W14"),
        pytest.param("kaluki51", [(101, 62, 88)], True, id="W15"),
        pytest.param("kaluki51", [(130, 62, 62)], True, id="W16"),
        pytest.param("kaluki51 tie_break=extra_deal", [(130, 62, 62)], False, id="W16-extra_deal"),
        pytest.param("kaluki51 score_limit=null match_deals=2", [(130, 0, 62)], False, id="KL6.1-first-of-two"),
        pytest.param("kaluki51 score_limit=null match_deals=2", [(130, 0, 62), (0, 3, 4)], True, id="KL6.1-two-deals"),
    ],
)
def test_end_of_a_kaluki_match(rules: str, rows: list[tuple[int, ...]], over: bool) -> None:
    score = played(rules, 3, rows)
    assert score.is_over is over
    assert (score.outcome is not None) is over


def test_w15_w16_winners_of_kaluki() -> None:
    outcomes = [played("kaluki51", 3, [row]).outcome for row in ((101, 62, 88), (130, 62, 62))]
    assert [outcome and (outcome.winners, outcome.places) for outcome in outcomes] == [((1,), (3, 1, 2)), ((1, 2), (3, 1, 1))]


def test_kl6_2_extra_deal_is_played_by_all_and_then_shared() -> None:
    score = played("kaluki51 tie_break=extra_deal", 3, [(130, 62, 62)])
    due = score.next_deal
    assert due is not None
    assert (due.kind, due.number, due.seats, due.dealer) == (DealKind.EXTRA_DEAL, 1, (0, 1, 2), 0)
    decided = score.with_scores((40, 0, 12)).outcome
    shared = score.with_scores((40, 20, 20)).outcome
    third = score.with_scores((0, 90, 80)).outcome
    assert [outcome and outcome.winners for outcome in (decided, shared, third)] == [(1,), (1, 2), (0,)]


# ---- deals and dealers -----------------------------------------------------------------------------------------------


def test_j13_1_the_deals_of_the_rules_once_each() -> None:
    for rules, count in (("jamaican", 9), ("short7", 7), ("south_african deals=33/13,34/13,444/12", 3)):
        score = played(rules, 4, ())
        numbers = []
        while score.next_deal is not None:
            numbers.append(score.next_deal.number)
            score = score.with_scores((10, 20, 30, 40))
        assert numbers == list(range(1, count + 1))


def test_j4_3_the_deal_passes_clockwise() -> None:
    score = played("jamaican", 4, (), first_dealer=2)
    dealers = []
    while score.next_deal is not None:
        dealers.append(score.next_deal.dealer)
        score = score.with_scores((10, 20, 30, 40))
    assert dealers == [2, 3, 0, 1, 2, 3, 0, 1, 2]


def test_j13_2_next_tied_seat_deals_the_sudden_death() -> None:
    """Two of four: the last deal was dealt by seat 2, so of the seats 1 and 2 the next clockwise is 1, and then 2."""
    rows = nine(300, 120, 120, 300)
    score = played("jamaican", 4, rows, first_dealer=2)
    dealers = []
    for _ in range(SUDDEN_DEATHS):
        assert score.next_deal is not None
        assert score.next_deal.seats == (1, 2)
        dealers.append(score.next_deal.dealer)
        score = score.with_scores((None, 77, 77, None))
    assert dealers == [1, 2, 1, 2, 1]
    assert score.outcome is not None
    assert (score.outcome.winners, score.outcome.places) == ((1, 2), (3, 1, 1, 3)), "after five they share the win"


def test_j13_2_fewer_tied_after_a_sudden_death() -> None:
    score = played("jamaican", 4, [*nine(50, 50, 50, 50), (60, 60, 70, 60)])
    assert score.next_deal is not None
    assert score.next_deal.seats == (0, 1, 3)
    score = score.with_scores((80, 80, None, -50))
    assert score.outcome is not None
    assert (score.outcome.winners, score.outcome.places) == ((3,), (2, 2, 4, 1))


def test_ties_shared_by_agreement() -> None:
    outcome = played("jamaican tie_break=shared", 3, nine(120, 120, 300)).outcome
    assert outcome is not None
    assert (outcome.winners, outcome.places) == ((0, 1), (1, 1, 3))


def test_j13_3_dealer_goes_on_and_totals_begin_anew() -> None:
    score = played("best_of_3", 3, [*nine(120, 120, 300), (-50, 64, None)], first_dealer=0)
    due = score.next_deal
    assert due is not None
    # Nine deals from seat 0 on end with seat 2; the sudden death is dealt by seat 0, and so the second match begins with seat 1.
    assert (score.deals[-1].deal.dealer, due.match, due.ordinal, due.dealer, score.totals) == (0, 2, 1, 1, (0, 0, 0))


def test_j13_3_joint_win_counts_for_each_and_the_series_has_a_sudden_death() -> None:
    shared = [*nine(100, 100, 200), *[(77, 77, None)] * SUDDEN_DEATHS]
    rows = [*shared, *nine(300, 300, 200), *nine(300, 300, 200)]
    score = played("best_of_3", 3, rows)
    assert score.outcome is not None
    assert (score.outcome.winners, score.outcome.matches_won) == ((2,), (1, 1, 2))
    score = played("best_of_3", 3, [*shared, *nine(100, 150, 200), *nine(150, 100, 200)])
    due = score.next_deal
    assert due is not None
    assert (due.match, due.ordinal, due.kind, due.seats) == (0, 1, DealKind.SUDDEN_DEATH, (0, 1))
    assert score.totals == (100 + 385 + 250, 100 + 385 + 250, 600)
    score = score.with_scores((90, -50, None))
    assert score.outcome is not None
    assert (score.outcome.winners, score.outcome.totals, score.outcome.places) == ((1,), (825, 685, 600), (2, 1, 3))


# ---- stakes ----------------------------------------------------------------------------------------------------------


def test_j13_4_pot() -> None:
    running = played("stakes_pot stake=5", 3, COMPLETE[:4])
    assert running.chips == (-5, -5, -5)
    won, shared = (
        played(f"stakes_pot stake=5 {more}", 3, rows).outcome
        for more, rows in (("", COMPLETE), ("tie_break=shared", nine(120, 120, 300)))
    )
    assert won is not None
    assert won.chips == (10, -5, -5)
    assert shared is not None
    assert shared.chips == (Fraction(5, 2), Fraction(5, 2), -5)


def test_j13_4_chips_per_deal() -> None:
    score = played("stakes_per_deal stake=2 stake_bonus=3", 4, [(-50, 12, 30, 80), (90, 30, 30, 100)])
    assert score.deals[0].chips == (15, -5, -5, -5), "2 and 3 from each other seat"
    assert score.deals[1].chips == (-2, 2, 2, -2), "blocked: the lowest scores share what all have staked, and no bonus"
    assert score.chips == (13, -3, -3, -7)
    death = played("stakes_per_deal", 4, [*nine(50, 50, 90, 90), (-50, 70, None, None)])
    assert death.deals[-1].chips == (2, -2, 0, 0)


def test_amounts_are_whole_numbers() -> None:
    assert Rules.parse("stakes_pot stake=0").stake == 0
    assert str(Rules.preset("stakes_per_deal", stake_bonus=4)) == "stakes_per_deal stake_bonus=4"
    for value in (-1, 1.5, None, True, 10_001):
        with pytest.raises(RulesError, match=r"rules key stake: .* whole number from 0"):
            Rules.preset("jamaican", stake=value)


# ---- scores that cannot be -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(-50, 20)], "deal 1: 2 scores for 3 seats"),
        ([(-50, -50, 20)], "for one seat, which went out"),
        ([(-50, 0, 20)], "1 or more for each other"),
        ([(-50, None, 20)], "is played by P1, P2, P3"),
        ([*nine(120, 120, 300), (-50, 30, 30)], "sudden death: .* is played by P1, P2, the others have None"),
        ([*COMPLETE, (-50, 1, 2)], "the match is over after 9"),
        ([(-50, 1.5, 2)], "score 1.5 is not allowed"),
    ],
    ids=str,
)
def test_scores_that_cannot_be(rows: list[tuple[int, ...]], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        played("jamaican", 3, rows)


def test_tables_that_cannot_play_a_match() -> None:
    for rules, players, message in (
        ("jamaican", 2, "2 players are not allowed in a match; allowed: 3 to 8"),
        ("kaluki51", 7, "7 players are not allowed"),
        ("south_african", 4, "must be supplied"),
    ):
        with pytest.raises(RulesError, match=message):
            played(rules, players, ())
    with pytest.raises(RulesError, match="first_dealer 3 is not allowed; allowed: 0 to 2"):
        played("jamaican", 3, (), first_dealer=3)


RULES = st.sampled_from(
    [
        "jamaican",
        "jamaican tie_break=shared",
        "jamaican tie_break=extra_deal",
        "best_of_3 stakes=pot stake=7",
        "best_of_3 deals=333/9 stakes=per_deal",
        "stakes_per_deal stake=3 stake_bonus=2 deals=333/9,444/12",
        "kaluki51 tie_break=extra_deal stakes=per_deal",
        "kaluki51 match_deals=3 score_limit=null stakes=pot",
        "kaluki51 series=best_of_3 stakes=pot",
    ]
)


@settings(max_examples=150, deadline=None)
@given(RULES, st.integers(3, 6), st.randoms(use_true_random=False))
def test_any_scores_lead_to_an_end(rules: str, players: int, random: object) -> None:
    """Few different scores, so that ties are common: totals add up, chips are only moved, dealers rotate, places are places."""
    choose = random.choice  # type: ignore[attr-defined]
    score = MatchScore.of(rules, players, (), choose(range(players)))
    out = score.rules.go_out_score
    while score.next_deal is not None:
        due = score.next_deal
        assert len(score.rows) < 200, "it ends"
        assert due.dealer in due.seats
        assert score.outcome is None
        row: list[int | None] = [None] * players
        for seat in due.seats:
            row[seat] = choose((20, 30))
        if choose((False, True, True)):
            row[choose(due.seats)] = out
        score = score.with_scores(row)
    assert score == MatchScore.of(rules, players, score.rows, score.first_dealer)
    outcome = score.outcome
    assert outcome is not None
    assert outcome.totals == tuple(sum(row[seat] or 0 for row in score.rows) for seat in range(players))
    assert sum(outcome.chips) == 0
    for scored in score.deals:
        assert sum(scored.chips) == 0
    for before, after in itertools.pairwise(scored.deal for scored in score.deals):
        passed = [(before.dealer + i) % players for i in range(1, players + 1)]
        assert after.dealer == next(seat for seat in passed if seat in after.seats)
    assert outcome.winners == tuple(seat for seat in range(players) if outcome.places[seat] == 1)
    assert all(place == 1 + sum(other < place for other in outcome.places) for place in outcome.places)
    assert 0 < len(outcome.winners) <= players
    assert score.rules.series == "best_of_3" or outcome.matches_won == tuple(int(p == 1) for p in outcome.places)
    assert score.rules.stakes != "pot" or len({outcome.chips[seat] for seat in outcome.winners}) == 1


# ---- Match -----------------------------------------------------------------------------------------------------------


def play_on(match: Match, rng: np.random.Generator) -> Match:
    while match.game is not None:
        match.do(eager_policy(match.game, match.legal_numbers(), rng))
    return match


def test_a_match_is_played_deal_by_deal(rng: np.random.Generator) -> None:
    match = Match("short7", 3, first_dealer=1, seed=5)
    for index in range(7):
        deal = match.deal
        assert deal is not None
        assert (deal.number, deal.dealer) == (index + 1, (1 + index) % 3)
        # The same deal on its own: the seed of a deal depends on the match's and its place only.
        alone = Game("short7", 3, deal=deal.number, dealer=deal.dealer, seed=deal_seed(5, index))
        assert match.game is not None
        own = [line for line in match.game.text().splitlines() if not line.startswith(("match: ", "totals: "))]
        assert own == alone.text().splitlines()
        assert match.hand(2) == alone.hand(2)
        totals = match.totals
        while match.deal == deal:
            match.do(eager_policy(match.game, match.legal_numbers(), rng))
        ended = match.finished[-1].outcome
        assert ended is not None
        assert match.totals == tuple(a + b for a, b in zip(totals, ended.scores, strict=True))
    assert match.is_over
    assert match.outcome is not None
    assert (match.game, match.to_move, match.phase, match.legal_actions(), match.table_seats) == (None, None, Phase.OVER, [], ())
    assert not match.mask().any()
    with pytest.raises(EnvironmentStateError, match="the match is over"):
        match.do("draw stock")


def test_seeds_repeat_matches_and_draw_the_first_dealer(rng: np.random.Generator) -> None:
    texts = [Match("jamaican", 4, seed=9).text() for _ in range(2)]
    assert texts[0] == texts[1]
    assert {Match("jamaican", 4, seed=seed).score.first_dealer for seed in range(30)} == {0, 1, 2, 3}
    with pytest.raises(ConfigError, match="seed -1"):
        Match(seed=-1)


def tied_match(seed: int = 3, max_seats: int | None = None) -> Match:
    """Seats 1 and 3 of four are tied after nine deals."""
    return Match("jamaican", 4, first_dealer=0, seed=seed, scores=nine(300, 120, 250, 120), max_seats=max_seats)


def test_j13_2_sudden_death_of_two_among_four(rng: np.random.Generator) -> None:
    match = tied_match()
    assert match.game is not None
    assert (match.table_seats, match.game.num_players, match.game.max_seats) == ((1, 3), 2, 4)
    assert int(match.game.states[0]["deal"]) == 9
    # The ninth deal was dealt by seat 0, so seat 1 deals now and seat 3 begins.
    assert (match.deal and match.deal.dealer, match.to_move) == (1, 3)
    assert (len(match.hand(1)), match.hand(0)) == (16, [])
    assert match.verify("draw stock", 0) is Refusal.NOT_TO_MOVE
    assert match.verify("draw stock", 1) is Refusal.NOT_TO_MOVE
    assert match.can("draw stock", 3)
    assert not match.mask(0).any()
    assert match.mask(3).sum() == 2
    with pytest.raises(IllegalActionError, match="P1 does not play this deal; playing: P2, P4"):
        match.do("draw stock", 0)
    with pytest.raises(RulesError, match="P3 does not play this deal"):
        match.view(2)
    assert int(match.view(3)[0]["observer"]) == 1
    play_on(match, rng)
    assert match.outcome is not None
    assert match.outcome.totals[0] == 300
    assert len(match.outcome.winners) == 1 or len(match.score.deals) == 9 + SUDDEN_DEATHS


def test_j13_2_packs_of_the_match() -> None:
    """Eight players have three packs, and so have the two of them that play a sudden death."""
    match = Match("jamaican", 8, seed=1, scores=nine(120, 120, *[300] * 6))
    assert match.game is not None
    assert match.game.num_players == 2
    assert int(match.game.engine.record[0]["packs"]) == 3
    assert Match.from_text(match.text()).text() == match.text()


def test_texts_read_back_and_play_on_alike(rng: np.random.Generator) -> None:
    for match in (Match("best_of_3 deals=333/9,344/11", 4, seed=2), tied_match(max_seats=6)):
        for _ in range(80):
            assert match.game is not None
            match.do(eager_policy(match.game, match.legal_numbers(), rng))
        again = Match.from_text(match.text(), match.max_seats)
        assert again.text() == match.text() == str(match)
        assert again.score == match.score
        ends = [play_on(one, np.random.default_rng(1)).text() for one in (match, again)]
        assert ends[0] == ends[1]
        assert Match.from_text(ends[0]).text() == ends[0]
        assert Match.from_text(ends[0]).outcome == match.outcome


def test_a_text_without_a_position_is_dealt_by_the_seed() -> None:
    match = tied_match()
    head = match.text().partition("\n\n")[0]
    assert Match.from_text(head).text() == match.text()


def test_texts_that_contradict_themselves() -> None:
    text = Match("jamaican", 4, first_dealer=0, seed=2, scores=[(-50, 20, 30, 40)]).text()
    for old, new, error, message in (
        ("kalooki match: 1", "kalooki match: 2", NotationError, "version '2'"),
        ("seed: 2\n", "", NotationError, "the line 'seed' is missing"),
        ("seed: 2\n", "seed: two\n", NotationError, "seed: 'two' is not allowed"),
        ("seed: 2\n", "sed: 2\n", NotationError, "did you mean 'seed'"),
        ("seed: 2\n", "seed: 2\nseed: 2\n", NotationError, "stands twice"),
        ("first dealer: P1", "first dealer: P5", NotationError, "'P5' is no seat"),
        ("players: 4\nfirst", "players: 9\nfirst", RulesError, "9 players"),
        ("scores 1:", "scores 2:", NotationError, "'scores 1' is missing before 'scores 2'"),
        ("P1 -50, P2", "P1 -50; P2", NotationError, "is not of the form P1 -50"),
        ("P1 -50, P2", "P2 -50, P2", NotationError, "P2 stands twice"),
        ("P1 -50, P2 20", "P1 -50, P2 -50", RulesError, "for one seat"),
        ("table: P1 P2 P3 P4", "table: P1 P2", PositionError, "the table is P1 P2 P3 P4 by the scores"),
        ("first dealer: P1", "first dealer: P2", PositionError, "deal 2 has dealer: P3, the position P2"),
        ("scores 1: P1 -50, P2 20, P3 30, P4 40\n", "", PositionError, "deal 1 has deal: 1, the position 2"),
        ("\nrules: jamaican\nplayers: 4\ndeal", "\nrules: joker25\nplayers: 4\ndeal", PositionError, "has rules: jamaican"),
    ):
        assert old in text, old
        with pytest.raises(error, match=message):
            Match.from_text(text.replace(old, new, 1))
    over = Match("jamaican", 3, scores=COMPLETE).text()
    with pytest.raises(PositionError, match="the match is over by its scores"):
        Match.from_text(over + "\n" + Game(num_players=3, deal=9).text())


def test_a_position_that_is_over_belongs_to_the_scores(rng: np.random.Generator) -> None:
    match = Match("jamaican", 3, first_dealer=2, seed=0)
    head = match.text().partition("\n\n")[0]
    assert match.game is not None
    game = match.game.copy()
    for _ in positions(game, rng):
        pass
    with pytest.raises(PositionError, match="its scores belong on a line 'scores 1'"):
        Match.from_text(head + "\n\n" + game.text())


def test_copies_are_independent() -> None:
    match = Match(seed=4)
    other = match.copy()
    other.do("draw stock")
    assert match.text() != other.text()
    match.do("draw stock")
    assert match.text() == other.text()


# ---- sheet -----------------------------------------------------------------------------------------------------------


def test_the_sheet_is_what_players_write() -> None:
    assert MatchScore.of("jamaican", 3, COMPLETE) == Match("jamaican", 3, first_dealer=2, scores=COMPLETE).score
    lines = Match("jamaican", 3, first_dealer=2, scores=COMPLETE).sheet(["Ann", "Bob", "Cyn"]).splitlines()
    assert lines[0] == "jamaican, 3 players; 9 deals"
    assert lines[1].split() == ["deal", "contract", "dealer", "out", "P1", "Ann", "P2", "Bob", "P3", "Cyn"]
    for line, row, totals in zip(lines[2:11], COMPLETE, COMPLETE_TOTALS, strict=True):
        assert line.split()[-6:] == [str(one) for pair in zip(row, totals, strict=True) for one in pair]
    assert "2 threes, 1 four" in lines[3]
    assert lines[12:] == ["P1 Ann wins the match", "1. P1 Ann, total 169", "2. P3 Cyn, total 341", "3. P2 Bob, total 590"]


def test_the_sheet_of_ties_series_and_stakes() -> None:
    text = tied_match().sheet()
    assert "next: sudden death among P2, P4, 4 fours, dealer P2" in text
    death = Match("jamaican", 4, scores=[*nine(300, 120, 250, 120), (None, -50, None, 80)]).sheet()
    assert "sudden death  4 fours" in death
    assert "blocked" in death
    series = Match("best_of_3 stakes=pot stake=5", 3, scores=[*nine(900, 200, 300)] * 3).sheet()
    assert "best of three matches; a pot of 15 chips" in series
    assert all(f"\nmatch {number}\n" in series for number in (1, 2, 3))
    assert "P2 wins the series\n1. P2, total 600, matches won 3, chips +10" in series
    deals = Match("stakes_per_deal", 3, scores=[(-50, 10, 20), (30, 30, 40)]).sheet()
    assert "1 chip a deal from each seat, 1 more for going out" in deals
    assert deals.splitlines()[2].split()[-9:] == ["-50", "-50", "+4", "10", "10", "-2", "20", "20", "-2"]
    assert deals.splitlines()[3].split()[-9:] == ["30", "-20", "+1/2", "30", "40", "+1/2", "40", "60", "-1"]
    kaluki = MatchScore.of("kaluki51", 3, [(130, 62, 62)])
    from kalooki_env.game.sheet import sheet_text

    assert "until a total exceeds 100" in sheet_text(kaluki)
    assert "51 points" in sheet_text(kaluki)
    assert "P2 and P3 share the match" in sheet_text(kaluki)


@pytest.mark.parametrize(("rules", "size"), [("jamaican", 219), ("kaluki51 match_deals=1 score_limit=null", 285)])
def test_masks_of_a_match_have_the_size_of_its_action_space(rules: str, size: int, rng: np.random.Generator) -> None:
    match = Match(rules, num_players=3, seed=1, scores=nine(50, 50, 90) if rules == "jamaican" else [])
    shapes = {match.mask(seat).shape for seat in (None, 0, 1, 2)}
    while match.outcome is None:
        assert match.game is not None
        match.do(eager_policy(match.game, match.legal_numbers(), rng))
        shapes |= {match.mask(seat).shape for seat in (None, 0, 1, 2)}
    shapes |= {match.mask(seat).shape for seat in (None, 0, 1, 2)}
    assert shapes == {(size,)}
