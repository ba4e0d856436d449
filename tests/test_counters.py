"""Every number that the rules admit has room in the fields of the records, and what has none is refused in words."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest

from kalooki_env import Game, Match, NotationError, Rules, RulesError, core
from kalooki_env.batch.layout import LANE, OUTSIDE
from kalooki_env.core.actions import MAX_ACTIONS
from kalooki_env.core.layout import DEALS, MELDS, NO_LIMIT
from kalooki_env.game.engine import pack_rules
from kalooki_env.game.match_course import LONGEST, SERIES, SUDDEN_DEATHS
from kalooki_env.game.match_score import MatchScore
from kalooki_env.rules import _ALLOWED, _AMOUNTS, _LIMITS, MAX_DEALS, MAX_HAND, MAX_PLAYERS, MOST, RANKS, SUITS


def allowed(key: str) -> list[int]:
    """The numbers among the values that a key may have."""
    return [value for value in _ALLOWED[key] if type(value) is int]


#: Of all values of all keys the largest: what a hand, a deal and a match can come to.
SEAT = MAX_PLAYERS - 1
PACKS = max(allowed("packs"))
JOKERS = Rules().jokers_with(PACKS)
DECK = 52 * PACKS + JOKERS
PIPS = [max(allowed(f"pip_{card}")) for card in ("joker", "black_ace", "red_ace")]
#: Of one suit, but for the ace; of all naturals; of the deck.
SUIT = sum(Rules().card_points(rank + "S") for rank in RANKS[1:])
NATURALS = PACKS * (len(SUITS) * SUIT + 2 * PIPS[1] + 2 * PIPS[2])
SCORE = NATURALS + JOKERS * PIPS[0] + max(allowed("unmet_opening_penalty"))
OUT = min(allowed("go_out_score"))
TURNS = Rules().max_turns(MAX_PLAYERS)
#: Deals of one match, ties included, and of all deals whose scores come to stand in one total.
MATCH = max(MAX_DEALS + SUDDEN_DEATHS, LONGEST + 1)
SUMMED = SERIES * MATCH + SUDDEN_DEATHS
#: Position texts may begin with so many copies of a card discarded or declined, and with so many calls.
READ_COPIES, READ_CALLS = 60, 9_999
ANY = 2**63 - 1

#: Least and largest value of each field that is seen by all.
PUBLIC: dict[str, tuple[int, int]] = {
    "scores": (OUT, SCORE),
    "totals": (OUT * SUMMED, SCORE * SUMMED),
    "match_deal": (0, MATCH),
    "turns": (0, TURNS),
    "used_ranks": (0, 2**13 - 1),
    "used_suits": (0, 2**4 - 1),
    "deal": (0, MAX_DEALS),
    "phase": (0, max(core.Phase)),
    "winner": (-1, SEAT),
    "reshuffles": (0, 2 * 2 * TURNS),  # those that a position text may have, and as many more
    "threes_left": (0, core.MELDS_PER_SEAT),
    "fours_left": (0, core.MELDS_PER_SEAT),
    "meld_kind_now": (0, max(core.MeldKind)),
    "meld_key_now": (0, 12),
    "meld_low_now": (0, 13),
    "target": (0, MELDS - 1),
    "melds_laid": (0, MELDS),
    "points_laid": (0, NATURALS + JOKERS * max(*PIPS, *allowed("joker_opening_value"))),
    "owed_card": (0, core.CARDS),
    "owed_jokers": (0, 2 * JOKERS),
    "meld_n": (0, MELDS),
    "meld_kind": (0, max(core.MeldKind)),
    "meld_key": (0, 12),
    "meld_low": (0, 13),
    "meld_len": (0, DECK),
    "meld_bits": (0, max(2**14 - 1, PACKS * 0x1111)),
    "pile_count": (0, max(PACKS, JOKERS)),
    "table_count": (0, max(PACKS, JOKERS)),
    "pile": (0, core.JOKER),
    "known": (0, READ_COPIES + JOKERS),
    "discarded": (0, READ_COPIES + TURNS // MAX_PLAYERS),
    "declined": (0, READ_COPIES + TURNS // MAX_PLAYERS),
    **dict.fromkeys(("dealer", "turn", "actor", "caller", "meld_owner"), (0, SEAT)),
    **dict.fromkeys(("after_call", "opened_now", "target_high", "opened", "fits"), (0, 1)),
    **dict.fromkeys(("stock_n", "pile_n", "hand_n"), (0, DECK)),
    **dict.fromkeys(("calls_made", "calls_allowed", "answers_allow", "answers_refuse"), (0, READ_CALLS + TURNS)),
}
BOUNDS: dict[str, tuple[np.dtype, dict[str, tuple[int, int]]]] = {
    "STATE": (
        core.STATE,
        PUBLIC
        | {"rng": (0, 2**64 - 1), "can_lay": (0, 1), "stock": (0, core.JOKER), "hands": (0, max(PACKS, JOKERS, READ_COPIES))},
    ),
    "VIEW": (core.VIEW, PUBLIC | {"observer": (0, SEAT), "hand": (0, max(PACKS, JOKERS))}),
    "RULES": (
        core.RULES,
        {
            "points": (0, max(*PIPS, 10)),
            **{key: (0, MOST) for key in _LIMITS if key in ("opening_points", "match_deals", "score_limit")},
            **{key: (0, max(MOST, NO_LIMIT)) for key in ("call_max", "reshuffle_max")},
            "go_out_score": (OUT, 0),
            "unmet_opening_penalty": (0, max(allowed("unmet_opening_penalty"))),
            "max_turns": (0, TURNS),
            "threes": (0, core.MELDS_PER_SEAT),
            "fours": (0, core.MELDS_PER_SEAT),
            "hand_size": (0, MAX_HAND),
            "cards": (0, core.CARDS),
            "num_players": (0, MAX_PLAYERS),
            "max_seats": (0, MAX_PLAYERS),
            "packs": (0, PACKS),
            "set_min_naturals": (0, max(allowed("set_min_naturals"))),
            "jokers": (0, JOKERS),
            "deals": (0, MAX_DEALS),
            "joker_value": (0, max(allowed("joker_opening_value"))),
            **dict.fromkeys(
                ("distinct_ranks", "distinct_suits", "calls_enabled", "next_player_decides", "refusal_takes"), (0, 1)
            ),
            **dict.fromkeys(("stock_only_after_call", "anyone_moves_jokers", "high_end_first", "open_hands", "kaluki"), (0, 1)),
            **dict.fromkeys(("ace_low", "owes_upcard_to_open", "owes_upcard_opened", "owes_swapped_joker"), (0, 1)),
            **dict.fromkeys(("swaps_before_opening", "swaps_whole_sets"), (0, 1)),
            **dict.fromkeys(("melds_when_opening", "lays_off_when_opening", "keeps_a_discard"), (0, 1)),
        },
    ),
    "LANE": (
        LANE,
        {
            **dict.fromkeys(("rng", "lots", "deal_seed"), (0, 2**64 - 1)),
            **dict.fromkeys(("illegal", "skipped", "choices"), (0, ANY)),  # of a whole run: more than a machine plays
            "n": (0, MAX_ACTIONS),
            "legal": (0, MAX_ACTIONS - 1),
            "waits_for": (-3, OUTSIDE + MAX_PLAYERS),
            "table": (0, MAX_PLAYERS),
            "deal": (0, MAX_DEALS),
            **dict.fromkeys(("dealer", "place", "seat", "at_table", "of_match"), (-1, SEAT)),
            **dict.fromkeys(("over", "asked", "was_illegal"), (0, 1)),
            "dealing": (0, SEAT),
        },
    ),
}
#: Numbers that are no counts.
REALS = ("potential", "owed")


@pytest.mark.parametrize("name", BOUNDS)
def test_every_field_has_room_for_what_the_rules_admit(name: str) -> None:
    record, bounds = BOUNDS[name]
    fields = {field for field in record.names or () if record[field].base.kind in "iu" and field != "zeros"}
    assert fields == set(bounds), "a field that is new, or gone: say what the rules admit in it"
    assert set(record.names or ()) - fields <= {*REALS, "zeros"}
    for field, (least, most) in bounds.items():
        room = np.iinfo(record[field].base)
        assert room.min <= least <= most <= room.max, f"{name}.{field}: {least} to {most} in {record[field].base}"


def test_records_are_as_small_as_before() -> None:
    assert core.STATE.itemsize <= 2_608
    assert MAX_DEALS == DEALS


@pytest.mark.parametrize("key", [*_LIMITS, *_AMOUNTS])
@pytest.mark.parametrize("base", ["jamaican", "kaluki51"])
def test_the_largest_value_of_each_key_is_packed_and_one_more_is_refused(key: str, base: str) -> None:
    with pytest.raises(RulesError, match=f"rules key {key}: {MOST + 1} is not allowed"):
        Rules.preset(base, **{key: MOST + 1})
    other = {"match_deals": {"score_limit": None}, "score_limit": {"match_deals": None}}.get(key, {})
    try:
        rules = Rules.preset(base, **{key: MOST, **other})
    except RulesError as error:
        assert "with game" in str(error), error  # noqa: PT017  (this game fixes the key)
        return
    record = pack_rules(rules, 4, 4)[0]
    for name in record.dtype.names:
        if record.dtype[name].base.kind == "i":
            assert np.abs(record[name].astype(int)).max() <= max(MOST, NO_LIMIT)


def rows(rules: Rules, players: int, count: int) -> list[list[int]]:
    """Scores of deals in which the last seat always has as many points as there are, and the others go out in turn."""
    most = rules.most_points(players)
    outs = islice(cycle(range(players - 1)), count)
    return [
        [rules.go_out_score if seat == out else most if seat == players - 1 else 1 for seat in range(players)] for out in outs
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("kaluki51 score_limit=null match_deals=10000", 9_999),
        ("kaluki51 score_limit=null match_deals=10000 go_out_score=-50 unmet_opening_penalty=50 pip_joker=50", 9_999),
        ("kaluki51 score_limit=10000 pip_joker=50", 10),
        ("best_of_3", 26),
        ("kaluki51 score_limit=null match_deals=700 series=best_of_3 tie_break=extra_deal", 2_099),
    ],
)
def test_the_longest_and_dearest_matches_are_dealt_on(text: str, count: int) -> None:
    """The totals come to stand in the record of the next deal, in its text, and in what is read from it."""
    rules = Rules.parse(text)
    match = Match(rules, 3, scores=rows(rules, 3, count))
    assert match.game is not None
    state = match.game.states[0]
    assert state["totals"][:3].tolist() == list(match.totals)
    assert state["match_deal"] == (match.deal.ordinal if match.deal else 0)
    again = Match.from_text(match.text())
    assert again.text() == match.text()
    assert again.do("draw stock").text() == match.do("draw stock").text()


def test_a_match_ends_though_no_total_ever_exceeds_the_limit() -> None:
    """KL6.1: where going out lowers a total, two players could go on for ever."""
    rules = Rules.parse("kaluki51 score_limit=10000 go_out_score=-50")
    scores: list[list[Any]] = [[-50, 1], [1, -50]] * (LONGEST // 2)
    before = MatchScore.of(rules, 2, scores[:-1])
    assert not before.is_over
    assert before.next_deal is not None
    assert before.next_deal.ordinal == LONGEST
    after = before.with_scores(scores[-1])
    assert after.is_over
    assert after.totals == (-49 * LONGEST // 2,) * 2


@pytest.mark.parametrize("rules", ["jamaican", "kaluki51", "kaluki51 score_limit=null match_deals=5"])
@pytest.mark.parametrize("score", [10**4, 10**12, 10**30])
def test_scores_that_no_hand_has_are_refused(rules: str, score: int) -> None:
    out = Rules.parse(rules).go_out_score
    with pytest.raises(RulesError, match=r"at most the \d+ of the whole deck"):
        Match(rules, 3, scores=[[out, 1, score]])
    text = Match(rules, 3).text().split("\nkalooki: 1")[0]
    with pytest.raises((RulesError, NotationError)):
        Match.from_text(text.replace("table:", f"scores 1: P1 {out}, P2 1, P3 {score}\ntable:"))


def test_numbers_of_position_texts_that_have_no_room() -> None:
    text = Game("jamaican", 3, seed=1).text()
    for wrong in ("totals: P1 1, P2 2, P3 9999999999", "totals: P1 1, P2 2"):
        with pytest.raises(NotationError, match="position line totals"):
            Game.from_text(text.replace("turns: 0\n", f"turns: 0\nmatch: 2\n{wrong}\n"))
    for line in ("reshuffles: 361", "turns: 181", "match: 65536"):
        key = line.split(":")[0]
        lines = [one for one in text.splitlines() if not one.startswith(f"{key}:")]
        with pytest.raises(NotationError, match=f"position line {key}"):
            Game.from_text("\n".join([*lines, line, *(["totals: P1 1, P2 1, P3 1"] if key == "match" else [])]))
    game = Game.from_text(text.replace("reshuffles: 0", "reshuffles: 360"))
    assert game.states[0]["reshuffles"] == 360
