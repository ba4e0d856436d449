"""Made-up texts of positions and actions of Kaluki: only errors of the family, and never a silent change."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import test_fuzz_texts
from conftest import KALUKI
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kaluki_texts import in_the_midst
from test_fuzz_texts import CARD, CARDS, END, FACE, MELD, ODD, meaning
from test_kaluki_core import EAGER
from test_positions import mutilated

from kalooki_env import Game, KalookiError
from kalooki_env.rules import Rules
from kalooki_env.verify import eager_policy

RULES = (*KALUKI, *EAGER)


@lru_cache(maxsize=200)
def position_of(seed: int) -> str:
    """A position some way into a deal, of any rules, at any table, and often in a rare phase."""
    rng = np.random.default_rng(seed)
    rules = RULES[seed % len(RULES)]
    if seed % 4 == 3:
        texts = list(in_the_midst(f"{rules} joker_total=null" if rules in KALUKI[1:] else rules).values())
        return Game.from_text(texts[seed // 4 % len(texts)]).text()
    game = Game(rules, int(rng.integers(2, 1 + Rules.parse(rules).max_players)), seed=seed)
    text = game.text()
    for _ in range(int(rng.integers(120))):
        if game.to_move is None:
            break
        game.do(eager_policy(game, game.legal_numbers(), rng))
        if game.phase.name in ("FILL", "LAYOFF", "MOVE") or game.states[0]["owed_card"] or rng.random() < 0.1:
            text = game.text()
    return text


POSITIONS = st.integers(0, 199).map(position_of)
RANK = st.sampled_from("A23456789TJQK")
SUIT = st.sampled_from(["spades", "hearts", "diamonds", "clubs"])
LAID = st.one_of(
    st.builds(lambda rank, suits: " ".join(rank + suit for suit in suits), RANK, st.sets(st.sampled_from("SHDC"), min_size=3)),
    st.builds(
        lambda first, n, suit: " ".join(r + suit for r in "A23456789TJQKA"[first : first + n]),
        st.integers(0, 11),
        st.integers(3, 6),
        st.sampled_from("SHDC"),
    ),
    CARDS,
)
ACTIONS = st.one_of(
    st.sampled_from(["draw stock", "take upcard", "call", "pass", "lay down", "end turn", "end meld", "end opening"]),
    st.builds("{} {}".format, st.sampled_from(["discard", "place", "take"]), CARD),
    st.builds("set of {}".format, RANK),
    st.builds("run of {} from {}".format, SUIT, RANK),
    st.builds("lay off onto {}{}".format, MELD, END),
    st.builds("lay off {} onto {}{}".format, CARD, MELD, END),
    st.builds("swap joker in {}".format, MELD),
    st.builds("swap joker in {} with {}".format, MELD, FACE),
    st.builds("move joker in {} to{}".format, MELD, END),
    st.builds("meld {}".format, LAID),
    st.lists(LAID, min_size=1, max_size=4).map(lambda melds: "lay down " + " + ".join(melds)),
)
WORD = st.sampled_from(
    ["discard", "place", "lay", "off", "onto", "down", "swap", "joker", "in", "with", "low", "set", "run", "of", "meld"]
)
WORDS = st.lists(st.one_of(WORD, CARD, MELD, ODD))


@settings(max_examples=250, deadline=None)
@given(POSITIONS, st.one_of(ACTIONS, WORDS.map(" ".join), st.text(max_size=30)), st.sampled_from([None, None, 0, 1]))
@example(position_of(3), "lay down JK", None)
@example(position_of(3), "lay down ", None)
@example(position_of(3), "meld ", None)
@example(position_of(3), "meld JK JK JK", None)
def test_made_up_actions_are_carried_out_or_change_nothing(text: str, action: str, seat: int | None) -> None:
    check = test_fuzz_texts.test_made_up_actions_are_carried_out_or_change_nothing
    check.hypothesis.inner_test(text, action, seat)  # type: ignore[attr-defined]


@settings(max_examples=100, deadline=None)
@given(POSITIONS, st.one_of(st.text(), st.lists(st.text(max_size=20), max_size=20).map(": ".join)), st.integers(0, 20))
def test_any_text_for_a_position(text: str, noise: str, where: int) -> None:
    lines = text.splitlines()
    for mixed in ([*lines[:where], noise, *lines[where:]], [*lines[:where], noise, *lines[where + 1 :]]):
        try:
            Game.from_text("\n".join(mixed))
        except KalookiError:
            continue


PHASES = """draw P1; play P1; play P2 opened now; meld P1; fill P1 set of 8; fill P1 set of T opened now; layoff P1 onto P2/1;
fill P2 run of hearts from 5; layoff P1 onto P1/2 low; layoff P1 onto P1/1 high opened now; swap P1 in P1/1; swap P2 in P2/1;
over P1; over blocked"""
OWED = ["-", "7S", "JK", "JK JK", "TS JK", "KD", "2S"]


def changed(lines: dict[str, str], data: st.DataObject) -> None:
    """Change one thing that leaves the text readable."""
    kind = data.draw(st.sampled_from(["any", "any", "any", "phase", "owed", "meld", "rules", "opened"]))
    melds = [key for key in lines if key.startswith("meld")]
    if kind == "phase":
        lines["phase"] = data.draw(st.sampled_from(PHASES.split(";"))).strip()
    elif kind == "owed":
        lines["owed"] = data.draw(st.sampled_from(OWED))
        if data.draw(st.booleans()):
            lines["known " + lines["phase"].split()[1]] = lines["owed"]
    elif kind == "meld" and melds:
        key = data.draw(st.sampled_from(melds))
        lines[key] = data.draw(LAID) or "-"
    elif kind == "rules":
        lines["rules"] = data.draw(st.sampled_from(RULES))
    elif kind == "opened":
        lines["opened"] = data.draw(st.sampled_from(["-", "P1", "P1, P2", "P2", "P1, P2, P3"]))
    else:
        test_fuzz_texts.changed(lines, data)


def says(key: str, value: str) -> object:
    """As `meaning`; keys of rules, and what is owed, may come in any order."""
    if key == "rules":
        return Rules.parse(value)
    return Counter(value.replace("-", "").split()) if key == "owed" else meaning(key, value)


@settings(max_examples=400, deadline=None)
@given(POSITIONS, st.data())
def test_what_is_read_is_written_the_same_again_or_refused(text: str, data: st.DataObject) -> None:
    lines = dict(line.split(": ", 1) for line in text.splitlines())
    for _ in range(data.draw(st.integers(1, 2))):
        changed(lines, data)
    given_text = "\n".join(f"{key}: {value}" for key, value in lines.items())
    try:
        game = Game.from_text(given_text)
    except KalookiError:
        return
    written = dict(line.split(": ", 1) for line in game.text().splitlines())
    for key, value in lines.items():
        assert says(key, written.get(key, "-")) == says(key, value), f"{key}: {value!r} became {written.get(key)!r}"
    assert Game.from_text(game.text()).states.tobytes() == game.states.tobytes()
    for _ in range(4):
        if game.to_move is None:
            return
        game.do(data.draw(st.sampled_from(game.legal_numbers())))
        assert Game.from_text(game.text()).states.tobytes() == game.states.tobytes()


@settings(max_examples=150, deadline=None)
@given(POSITIONS, st.data())
def test_mutilated_positions_give_errors_of_our_own(text: str, data: st.DataObject) -> None:
    """Characters changed, words doubled, lines lost: an error of the family, or a sound position."""
    text = mutilated(text, data, PHASES)
    try:
        game = Game.from_text(text)
    except KalookiError:
        return
    for _ in range(4):
        assert Game.from_text(game.text()).states.tobytes() == game.states.tobytes()
        if game.to_move is None:
            return
        game.do(data.draw(st.sampled_from(game.legal_numbers())))
