"""Texts of positions and actions of Kaluki, both ways, and what happens to texts that are wrong."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from conftest import KALUKI, positions
from kaluki_texts import PHASES, in_the_midst, table, with_line
from test_kaluki_core import EAGER

from kalooki_env import Game, IllegalActionError, NotationError, PositionError, Rules, core
from kalooki_env.core import ActionKind, Phase
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.engine import deck_of
from kalooki_env.verify import eager_policy, mixed_policy
from kalooki_env.verify.kaluki_policies import swapper_policy
from kalooki_env.verify.kaluki_starts import swap_start


def short(value: object) -> str:
    """A name for a case; whole positions have none."""
    return str(value) if "\n" not in str(value) else "position"


#: Swaps before the opening, of single suits and of whole sets, owed or not.
SWAPS = tuple(
    f"kaluki40_british opening_points=10 joker_total=null joker_release_requires=nothing {keys}"
    for keys in ("joker_release_sets=all_missing_suits", "joker_after_swap=free upcard_before_opening=free")
)
FOUR_JOKERS = [f"{rules} joker_total=null" if "_" in rules else rules for rules in KALUKI]


@pytest.mark.parametrize("rules", [*KALUKI, *EAGER])
def test_every_position_reads_back_to_the_same_bytes(rules: str, rng: np.random.Generator) -> None:
    """And to the same legal actions, whose texts read back to their numbers."""
    phases: Counter[Phase] = Counter()
    for seed in range(20 if rules in EAGER else 4):
        game = Game(rules, 2 + seed % 4, seed=seed)
        for step, position in enumerate(positions(game, rng, mixed_policy if seed % 4 == 3 else eager_policy)):
            if step % 6 and position.phase in (Phase.DRAW, Phase.PLAY):
                continue
            again = Game.from_text(position.text())
            assert again.states.tobytes() == position.states.tobytes(), position
            assert again.text() == position.text()
            assert again.legal_numbers() == position.legal_numbers()
            for action in again.legal_numbers():
                assert again.action_number(again.action_text(action)) == action
            phases[position.phase] += 1
    assert {Phase.DRAW, Phase.PLAY, Phase.OVER} <= set(phases)
    assert rules not in EAGER or {Phase.MELD, Phase.FILL} <= set(phases)


@pytest.mark.parametrize("rules", SWAPS)
def test_positions_around_swaps_read_back_to_the_same_bytes(rules: str, rng: np.random.Generator) -> None:
    """Also in the midst of a swap by a seat that has not opened; every illegal action has a reason."""
    phases: Counter[tuple[Phase, bool]] = Counter()
    for number in range(60):
        start = swap_start(Rules.parse(rules), 2 + number % 3, 1, rng)
        if not start.text:
            continue
        for position in positions(Game.from_text(start.text), rng, swapper_policy, limit=12):
            again = Game.from_text(position.text())
            assert again.states.tobytes() == position.states.tobytes(), position
            assert again.text() == position.text()
            legal = again.legal_numbers()
            assert legal == position.legal_numbers()
            if position.to_move is not None:
                phases[position.phase, bool(position.states[0]["opened"][position.to_move])] += 1
                for slot in range(int(position.states[0]["melds_laid"])):
                    assert (position.verify(core.SWAP_IN + slot) is None) == (core.SWAP_IN + slot in legal)
    assert phases[Phase.MOVE, True] > 0 or "all_missing" in rules
    assert phases[Phase.MOVE, False] > 0 or "all_missing" in rules, phases


#: Nothing to draw but the upcard; all cards that lie nowhere else are with the others, who are not to move.
NO_STOCK = (
    "kalooki: 1\nrules: {rules}\nplayers: 5\ndeal: 1\ndealer: P5\nturns: 9\nphase: draw P1\nhand P1: 2H 9S\n{rest}\n"
    "opened: -\nstock: -\npile: {pile}\n"
)


@pytest.mark.parametrize(
    ("rules", "pile", "reason"),
    [
        (
            "kaluki51",
            "-",
            "no card lies below the upcard to renew it (J12.1), and the upcard is missing: the deal would be blocked",
        ),
        ("kaluki40_british", "5C", "to renew it (J12.1), and the upcard could not be laid in this turn (KL4.1): the deal"),
        ("kaluki40_british reshuffle_max=0", "5C KD", "the rules allow 0 reshuffles (J12.1), and the upcard could not be laid"),
        (
            "jamaican",
            "-",
            "no card lies below the upcard to renew it (J12.1), and the upcard is missing: the deal would be blocked",
        ),
    ],
)
def test_a_position_with_nothing_to_draw_is_refused_with_its_reason(rules: str, pile: str, reason: str) -> None:
    deck = Counter({name: int(count) for name, count in zip(CARD_NAMES, deck_of(Rules.parse(rules), 5), strict=True)})
    left = list((deck - Counter(["2H", "9S", *(pile.split() if pile != "-" else [])])).elements())
    rest = "\n".join(f"hand P{seat}: {' '.join(left[seat - 2 :: 4])}" for seat in range(2, 6))
    with pytest.raises(PositionError) as caught:
        Game.from_text(NO_STOCK.format(rules=rules, pile=pile, rest=rest))
    assert [fault for fault in caught.value.faults if fault.startswith("P1 has nothing to draw: ") and reason in fault]


@pytest.mark.parametrize(
    ("move", "readings"),
    [
        ("meld 7S JK JK", ["7S JK JK is read as a set; the run is written 7S JK(8S) JK(9S)"]),
        ("meld JK 7S JK", ["JK 7S JK is read as a set; the run is written JK(6S) 7S JK(8S)"]),
        ("meld QS JK JK", ["QS JK JK is read as a set; the run is written QS JK(KS) JK(AS)"]),
        ("meld KS JK JK", []),
        ("meld 7S 7H JK", []),
        ("meld 7S JK(8S) JK", []),
        ("meld 7S JK", []),
        ("lay off 7S onto P2/2 low", []),
        (
            "lay down AS JK JK + JK JK 9D",
            [
                "AS JK JK is read as a set; the run is written AS JK(2S) JK(3S)",
                "JK JK 9D is read as a set; the run is written JK(7D)",
            ],
        ),
    ],
)
def test_the_error_names_both_readings_of_a_meld(move: str, readings: list[str]) -> None:
    """`ACTIONS.md`, 8.6: one natural card and jokers are read as a set."""
    with pytest.raises(IllegalActionError) as caught:
        Game.from_text(table("play P1", "2H 2S")).do(move)
    assert str(caught.value).count("is read as a set") == len(readings)
    assert all(reading in str(caught.value) for reading in readings), caught.value
    if "AS" in move:
        with pytest.raises(IllegalActionError) as caught:
            Game.from_text(table("play P1", "2H 2S", "kaluki40_british")).do(move)
        assert "AS JK JK is read" not in str(caught.value), "an ace is not low there"


@pytest.mark.parametrize("rules", FOUR_JOKERS)
@pytest.mark.parametrize("name", PHASES)
def test_positions_in_the_midst_of_an_action(name: str, rules: str, rng: np.random.Generator) -> None:
    """They read back to the same bytes, and come about as they say."""
    game = Game.from_text(in_the_midst(rules)[name])
    assert game.phase is PHASES[name]
    for _ in range(20):
        copy = game.copy()
        for position in positions(copy, rng, limit=6):
            assert Game.from_text(position.text()).states.tobytes() == position.states.tobytes()


def test_all_action_numbers_have_texts_of_their_own() -> None:
    """Numbers of melds that do not lie there have none (8.4)."""
    game = Game.from_text(table("play P1", "2S"))
    texts = {}
    for action in range(game.engine.num_actions):
        kind, operand = core.kind_and_operand(action, game.max_seats, True)
        slot = operand // 2 if kind is ActionKind.LAY_OFF_ONTO else operand if kind is ActionKind.SWAP_JOKER else 0
        if slot >= 4:
            with pytest.raises(NotationError, match=f"names meld {slot + 1} of 4 on the table"):
                game.action_text(action)
            continue
        texts[action] = game.action_text(action)
        assert game.action_number(texts[action]) == action
    assert len(set(texts.values())) == len(texts) == 285 - 3 * 32
    assert game.engine.num_actions == 285
    assert [texts[number] for number in (52, 126, 127, 174, 175, 176, 177, 180, 181, 250)] == [
        "discard JK",
        "set of K",
        "run of spades from A",
        "run of clubs from Q",
        "end meld",
        "end opening",
        "lay off onto P2/1",
        "lay off onto P1/1 high",
        "lay off onto P2/2 low",
        "swap joker in P1/1",
    ]
    with pytest.raises(NotationError, match="allowed: 0 to 284"):
        game.action_text(285)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("three of 8", "is no action"),
        ("four of hearts from 5", "is no action"),
        ("run of hearts from K", "is no action"),
        ("run of hearts", "is no action"),
        ("set of 1", "is no action"),
        ("set of ", "is no action"),
        ("end melds", "did you mean 'end meld'"),
        ("swap joker in P9/1", "'P9' is no seat; allowed: P1 to P3"),
        ("swap joker in P3/1", "there is no meld P3/1; P3 has laid 0"),
        ("swap joker in P2/3", "there is no meld P2/3; P2 has laid 2"),
        ("swap joker in P2/37", "'P2/37' is no meld"),
        ("swap joker in P2/01", "'P2/01' is no meld"),
        ("swap joker in P2/1 with 7X", "'7X' is no card"),
        ("move joker in P2/1 to high", "is no action"),
        ("move joker in P2/1 to high with KD", "is no action"),
        ("lay off onto P2/1 low", "names an end of P2/1, a set, which has none"),
        ("lay off onto P1/1", "names no end of P1/1, a run; allowed: low, high"),
        ("lay off 7S onto", "is no action"),
        ("meld 4S 4H 4X", "'4X' is no card"),
        ("meld", "is no action"),
        ("lay down 4S 4H 4X", "'4X' is no card"),
        ("sets of 8", "is no action (did you mean 'set of 8'?)"),
    ],
)
def test_action_texts_that_cannot_be_read(text: str, message: str) -> None:
    game = Game.from_text(table("play P1", "KD 2S"))
    before = game.text()
    for call in (game.verify, game.can, game.do):
        with pytest.raises(NotationError, match=re.escape(message)):
            call(text)
    assert game.text() == before


PLAY = table("play P1", "KD 7S JK 2S")
FILL = in_the_midst("kaluki51")["fill-later"]
BRITISH = "kaluki40_british joker_total=null"


@pytest.mark.parametrize(
    ("text", "key", "value", "message"),
    [
        (PLAY, "owed", "7S KD", "'7S KD' is not allowed; allowed: one natural card, and jokers"),
        (PLAY, "owed", "JK JK JK JK JK JK JK JK JK JK", "allowed: one natural card, and jokers"),
        (PLAY, "owed", "7X", "'7X' is no card"),
        (PLAY, "owed", "", "an empty list is written -"),
        (PLAY, "phase", "call P2 on P1", "begins with no phase"),
        (PLAY, "phase", "answer P1 to P2", "begins with no phase"),
        (PLAY, "phase", "move P1 in P2/1 to low", "begins with no phase"),
        (PLAY, "phase", "draw P1 after call", "cannot be read"),
        (PLAY, "phase", "fill P1 set of 1", "cannot be read"),
        (PLAY, "phase", "fill P1 three of 8", "cannot be read"),
        (PLAY, "phase", "fill P1 run of hearts from K", "cannot be read"),
        (PLAY, "phase", "swap P1 in P2/1 high", "cannot be read"),
        (PLAY, "phase", "meld P1 opened now", "cannot be read"),
        (PLAY, "phase", "layoff P1 onto P2/1 high", "is written 'layoff P1 onto P2/1' here"),
        (PLAY, "phase", "layoff P1 onto P2/3", "there is no meld P2/3; P2 has laid 2"),
        (PLAY, "phase", "swap P1 in P3/1", "there is no meld P3/1; P3 has laid 0"),
        (PLAY, "meld P2/4", "9S 9H 9D", "the next meld of P2 is P2/3"),
        (PLAY, "meld P4/1", "9S 9H 9D", "'P4' is no seat"),
        (PLAY, "meld P1/3", "9S 9H TD", "of one rank"),
        (PLAY, "meld P1/3", "9S 9H " * 8, "16 cards, more than a meld can have"),
        (PLAY, "meld P1/3", "-", "'-' is no card"),
        (PLAY, "phase", "fill P2 set of 8", "the meld that is being filled belongs to the seat to move"),
        (FILL, "meld P1/3", "TS TH TX", "'TX' is no card"),
        (with_line(in_the_midst("kaluki51")["meld"], "phase", "fill P1 set of T"), "calls", "-", "without cards it is written -"),
    ],
    ids=short,
)
def test_position_texts_that_cannot_be_read(text: str, key: str, value: str, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)):
        Game.from_text(with_line(text, key, value.strip()))


def test_more_melds_than_there_can_be() -> None:
    lines = "".join(f"meld P1/{number}: 9S 9H 9D\n" for number in range(3, 38))
    with pytest.raises(NotationError, match="39 melds, more than there can be"):
        Game.from_text(PLAY.replace("opened:", f"{lines}opened:"))


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (PLAY, {"meld P1/2": "6H 6H 6C"}, "meld P1/2: set of 6: a suit twice (KL3.1)"),
        (PLAY, {"meld P1/2": "6H 6D 6C 6S JK"}, "meld P1/2: set of 6: 5 cards, at most 4 (KL3.1)"),
        (PLAY, {"meld P1/2": "6H 6D"}, "meld P1/2: set of 6: 2 cards"),
        (PLAY, {"meld P1/2": "JK(5H) JK(6H) JK(7H)"}, "meld P1/2: run of H from 5: no natural card (KL3.3)"),
        (PLAY.replace("kaluki51", BRITISH), {"meld P1/2": "AH 2H 3H"}, "meld P1/2: run of H from A: an ace is high only (KL3.2)"),
        (PLAY, {"opened": "P1"}, "P2 has the meld P2/1 but has not opened"),
        (PLAY, {"opened": "P1, P2, P3"}, "P3 has opened without a meld (KL4.2)"),
        (
            PLAY,
            {"owed": "7S", "known P1": "7S"},
            "P1 owes what it need not lay under these rules (KL4.1, KL4.4)",
        ),
        (PLAY, {"owed": "JK", "known P1": "JK"}, "P1 owes what it need not lay under these rules"),
        (
            PLAY.replace("kaluki51", BRITISH),
            {"hand P1": "7S 7H 7D 2S", "owed": "7S", "phase": "play P1 opened now"},
            "P1 owes what it need not lay",
        ),
        (
            PLAY.replace("kaluki51", "kaluki51 joker_after_swap=new_meld_this_turn"),
            {"hand P3": "QC JK QD QH KC KD AC AD AH", "phase": "play P3", "owed": "JK"},
            "P3 owes what it need not lay",
        ),
        (
            PLAY.replace("kaluki51", BRITISH),
            {"hand P3": "QC JK QD QH KC KD AC AD AH", "phase": "play P3", "owed": "QC JK"},
            "P3 owes what it need not lay",
        ),
        (PLAY.replace("kaluki51", BRITISH), {"owed": "9D"}, "P1 owes 9D, but does not hold it"),
        (PLAY.replace("kaluki51", BRITISH), {"owed": "JK JK", "known P1": "JK"}, "P1 owes 2 jokers, but holds 1"),
        (PLAY.replace("kaluki51", BRITISH), {"hand P1": "7S JK 2S", "owed": "7S", "known P1": "7S"}, "P1 has nothing to do"),
        (PLAY.replace("kaluki51", BRITISH), {"owed": "7S", "phase": "draw P1"}, "something is owed, but nobody is to play"),
        (PLAY, {"calls": "P1 1/0", "answers": "P2 0/1"}, "calls were made, but the rules have none"),
        (PLAY, {"meld P1/2": "6H 6D 6C", "phase": "meld P1"}, "P1 is laying down, but has opened already"),
        (PLAY, {"phase": "play P3 opened now"}, "P3 opened now, but has not opened"),
        (PLAY, {"phase": "layoff P3 onto P2/1"}, "P3 has not opened and can neither lay off nor move jokers"),
        (
            PLAY,
            {"phase": "layoff P1 onto P2/2 low", "hand P1": "KD 2S"},
            "P1 cannot have got here: what it has begun is not legal",
        ),
        (PLAY, {"phase": "swap P1 in P2/1"}, "P1 has 1 cards to place; with fewer than two the engine does not ask"),
        (PLAY, {"phase": "swap P1 in P1/1"}, "P1 cannot have got here"),
        (
            table("swap P1 in P2/1", "KD KC 2S", "kaluki51 joker_release_sets=all_missing_suits"),
            {},
            "P1 has 0 cards to place; with fewer than two the engine does not ask",
        ),
        (PLAY, {"phase": "swap P3 in P2/1", "hand P3": "KD KC"}, "P3 has not opened and can neither lay off nor move jokers"),
        (PLAY, {"phase": "layoff P1 onto P2/1 opened now"}, "P1 cannot have got here"),
        (PLAY, {"phase": "over P1"}, "P1 cannot have gone out"),
        (PLAY, {"hand P2": "-"}, "P2 has opened and holds no card"),
        (PLAY, {"known P1": "9C"}, "P1 is known to hold 9C, but does not"),
        (PLAY, {"pile": "5C 5C 5C"}, "3 copies of 5C, the deck has 2"),
        (PLAY, {"stock": "5C"}, "lie nowhere"),
        (PLAY, {"turns": "180"}, "180 turns: the deal would be blocked"),
        (PLAY, {"phase": "over blocked", "scores": "P1 1, P2 2, P3 3"}, "the scores are P1 "),
        (FILL, {"meld P1/3": "TS TD 9S"}, "the meld being filled: 9S does not belong at its place 3"),
        (FILL, {"meld P1/3": "TD TS", "hand P1": "TH TC 2S", "known P1": "TH"}, "P1 cannot have got here"),
        (FILL, {"phase": "fill P1 set of T opened now"}, "P1 cannot have got here"),
        (in_the_midst("kaluki51")["meld"], {"hand P1": "-", "known P1": "-"}, "P1 is to play with an empty hand"),
        (in_the_midst("kaluki51")["meld"], {"hand P1": "TS TH TD QS QH 2S", "known P1": "TS"}, "P1 has nothing to do"),
        (in_the_midst("kaluki51")["fill-run"], {"meld P1/1": "9S JS"}, "JS does not belong at its place 2"),
    ],
    ids=short,
)
def test_impossible_positions(text: str, changes: dict[str, str], message: str) -> None:
    for key, value in changes.items():
        text = with_line(text, key, value)
    with pytest.raises(PositionError) as caught:
        Game.from_text(text)
    assert any(message in fault for fault in caught.value.faults), caught.value.faults


@pytest.mark.parametrize("rules", EAGER)
def test_every_illegal_action_has_a_reason(rules: str, rng: np.random.Generator) -> None:
    """`verify` says None exactly for the legal actions, over whole deals and all numbers of melds that lie there."""
    for seed in range(3):
        for step, position in enumerate(positions(Game(rules, 3, seed=seed), rng)):
            if step % 9 == 0 or position.phase not in (Phase.DRAW, Phase.PLAY):
                legal, laid = set(position.legal_numbers()), int(position.states[0]["melds_laid"])
                for action in range(position.engine.num_actions):
                    kind, operand = core.kind_and_operand(action, position.max_seats, True)
                    slot = operand // 2 if kind is ActionKind.LAY_OFF_ONTO else operand if kind is ActionKind.SWAP_JOKER else -1
                    if slot < laid:
                        assert (position.verify(action) is None) == (action in legal)


@pytest.mark.parametrize(
    ("hand", "pile", "moves", "owed"),
    [
        ("7S 7H 7D 2C", "7S KD", ("take upcard", "lay off 7S onto P1/1 high"), "7S"),
        ("QH JK 2C 2D 8C", "7S KD", ("draw stock", "swap joker in P2/1 with QH", "lay off JK onto P1/1 high"), "JK"),
    ],
)
def test_a_card_that_is_owed_need_not_be_known(hand: str, pile: str, moves: tuple[str, ...], owed: str) -> None:
    """Of two like cards the known one counts as laid off, though the other one is owed now."""
    game = Game.from_text(
        "kalooki: 1\nrules: kaluki40_british\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 4\nphase: draw P1\n"
        f"hand P1: {hand}\nhand P2: 9C\nmeld P1/1: 4S 5S 6S\nmeld P2/1: TH JH JK(QH)\nopened: P1, P2\nstock: rest\npile: {pile}\n"
    )
    for move in moves:
        game.do(move)
    assert f"owed: {owed}\n" in game.text()
    assert "known" not in game.text()
    assert Game.from_text(game.text()).states.tobytes() == game.states.tobytes()


def test_hands_that_take_too_long_to_look_through() -> None:
    """The search for what can be laid ran for minutes."""
    deck = [name for name in CARD_NAMES[:52] for _ in range(2)] + ["JK"] * 4
    lines = ["kalooki: 1", "rules: kaluki51", "players: 2", "deal: 1", "dealer: P2", "turns: 0", "phase: play P1", "stock: rest"]
    for count in (30, 31, 100):
        text = "\n".join([*lines, f"hand P1: {' '.join(deck[:count])}", "hand P2: JK", f"pile: {deck[104]}"]) + "\n"
        if count == 30:
            assert len(Game.from_text(text).hand(0)) == 30
        else:
            with pytest.raises(PositionError, match=f"P1 holds {count} cards; 30 at most can be looked through"):
                Game.from_text(text)
