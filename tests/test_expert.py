"""The experts: frozen, and each of their rules in a position where a plainer bot does otherwise."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from rules.positions import position, shown

import kalooki_env
from kalooki_env import agents, core
from kalooki_env.agents.play import Player
from kalooki_env.core import Phase
from kalooki_env.game.game import Game

#: What decides how the expert plays, the rules and the exact solver aside.
SOURCES = ("agents/expert.py", "agents/greedy.py", "core/outs.py")
V2_SOURCES = ("agents/expert_v2.py", *SOURCES)
KALUKI_SOURCES = ("agents/kaluki_expert.py", "agents/kaluki_greedy.py", "core/outs.py")
FROZEN = "645744121ea175ee"
V2_FROZEN = "3631c156136918e1"
KALUKI_FROZEN = "f37d7a42fd515df6"


def choice(game: Game, name: str) -> str:
    player = Player(agents.load(name), game.engine, name)
    action = player.act(game.states, np.zeros(1, np.int64), game.mask()[None], np.random.default_rng(0))
    return game.action_text(int(action[0]))


def choices(game: Game) -> tuple[str, str]:
    """What greedy and expert do."""
    return choice(game, "greedy"), choice(game, "expert-v1")


@pytest.mark.parametrize(
    ("sources", "frozen"),
    [(SOURCES, FROZEN), (V2_SOURCES, V2_FROZEN), (KALUKI_SOURCES, KALUKI_FROZEN)],
    ids=["v1", "v2", "kaluki"],
)
def test_an_expert_is_frozen(sources: tuple[str, ...], frozen: str) -> None:
    package = Path(kalooki_env.__file__).parent
    digest = hashlib.sha256(b"".join((package / source).read_bytes() for source in sources)).hexdigest()[:16]
    assert digest == frozen, "an expert never changes: a stronger one stands beside it, with a name of its own"


def test_it_takes_an_upcard_that_shortens_the_wait() -> None:
    """All other sevens are gone, so that only jokers complete the third three; a second king makes it jokers or kings."""
    sevens = "7S 7H 7D 7D 7C 7C"
    game = position("draw P1", P1="4S 9S 4H 7S 7H 9H 4D 9D KD", pile=f"KC {sevens}")
    assert choices(game) == ("draw stock", "take upcard")
    assert choice(position("draw P1", P1="4S 9S 4H 7S 7H 9H 4D 9D KD", pile="KC"), "expert-v1") == "draw stock"


def test_it_calls_a_card_that_it_does_not_need_while_it_has_calls_to_spare() -> None:
    hand = "4S 7S 9S 4H 7H 9H 4D QD KD"
    assert choices(position("call P1 on P3", rules="jamaican_club", P1=hand, pile="KC")) == ("pass", "call")
    last = position("call P1 on P3", rules="jamaican_club", P1=f"2S {hand} 2C JC QC", pile="KC", calls="P1 2/2", answers="P2 2/0")
    assert choice(last, "expert-v1") == "pass"


def test_of_two_discards_that_leave_the_same_it_chooses_the_one_that_the_next_seat_does_not_want() -> None:
    game = position("play P1", P1="4S 7S 9S 4H 7H 9H 4D 9D QD KD", pile="5C KC QC")
    text = game.text()
    assert choices(game) == ("discard QD", "discard QD")
    noted = Game.from_text(text.replace("\nstock: ", "\ndiscarded P2: KC\nstock: "))
    assert choices(noted) == ("discard QD", "discard KD")


def left_after_lay_down(game: Game, name: str) -> str | None:
    """The hand once the contract lies and all is laid off that can be."""
    game = game.copy()
    while game.phase is not Phase.PLAY or any(action >= core.LAY_DOWN for action in game.legal_numbers()):
        game.do(choice(game, name))
    return shown(game, "hand P1")


def test_it_lays_down_the_melds_that_leave_least() -> None:
    hand = "2S 4S QS KS 2H 4H QH KH 2D 4D QD KD 5C 9C"
    game = position("play P1", rules="jamaican_club", P1=hand, calls="P1 2/2", answers="P2 2/0", pile="6C")
    assert left_after_lay_down(game, "greedy") == "KS KH KD 5C 9C"
    assert left_after_lay_down(game, "expert-v1") == "2S 2H 2D 5C 9C"


def test_ready_to_open_it_takes_a_card_that_it_can_lay_off() -> None:
    """With a fourth king nothing but the discard is left: it goes out."""
    hand = "4S 7S KS 4H 7H KH 4D 7D KD"
    assert choices(position("draw P1", P1=hand, pile="KC")) == ("draw stock", "take upcard")
    assert choice(position("draw P1", P1=hand, pile="QC"), "expert-v1") == "draw stock"


def test_once_opened_it_takes_a_card_that_takes_a_jokers_place() -> None:
    """The joker moves to the end of the four, the last card is discarded, and the seat is out."""
    melds = {"P1": "9S 9H 9D + QS QD QC + 5H 6H JK 8H"}
    game = position("draw P1", rules="jamaican_club", deal=2, melds=melds, P1="KC", pile="7H")
    assert choices(game) == ("draw stock", "take upcard")


# ---- expert-v2 -------------------------------------------------------------------------------------------------------


def experts(game: Game) -> tuple[str, str]:
    """What the two experts do."""
    return choice(game, "expert-v1"), choice(game, "expert-v2")


def test_v2_allows_calls_as_the_discarder() -> None:
    """Who has called holds more than the contract takes, and does not go out as soon as he opens."""
    hand = "4S 7S 9S 4H 7H 9H 4D QD KD"
    assert experts(position("answer P1 to P3", P1=hand, pile="KC", calls="P3 1/0")) == ("refuse", "allow")


def test_v2_lets_a_needed_card_pass_early_in_a_deal_of_fours() -> None:
    """A call brings two cards, one of them useless, and there are only three."""
    hand = "4S 4S 5S 8S TS 2H 3H 7H 6D QD 9C JK"
    assert experts(position("call P1 on P3", rules="jamaican_club", deal=4, P1=hand, pile="JC", turns=4)) == ("call", "pass")
    near = "4S 5S 6S 7S 2H 3H 4H 5H 9D TD QD 2C"
    assert choice(position("call P1 on P3", rules="jamaican_club", deal=4, P1=near, pile="JD"), "expert-v2") == "call"


@pytest.mark.parametrize("preset", ["jamaican", "jamaican_club", "no_call", "kaluki51"])
def test_v2_does_otherwise_only_in_calls_answers_and_discards_before_opening(preset: str) -> None:
    met = set()
    for seed in range(4 if preset == "kaluki51" else 9):
        game = Game(preset, 4, deal=1 if preset == "kaluki51" else seed + 1, seed=seed)
        while game.to_move is not None:
            first, second = experts(game)
            if first != second:
                assert not game.states[0]["opened"][game.to_move] or game.phase is Phase.ANSWER
                assert game.phase in (Phase.CALL, Phase.ANSWER) or (first.split()[0], second.split()[0]) == ("discard",) * 2
                met.add(game.phase)
            game.do(second)
    calls = {"jamaican": {Phase.ANSWER}, "jamaican_club": {Phase.CALL, Phase.ANSWER}}.get(preset, set())
    assert met == (set() if preset == "kaluki51" else calls | {Phase.PLAY})
