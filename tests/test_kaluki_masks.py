"""What may be done in a turn, against trying everything (`brute_force_turns`): over deals, and around jokers to be swapped."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from brute_force_turns import Table, Turn, Turns
from conftest import positions
from kaluki_texts import in_the_midst
from test_kaluki_core import KEYS

from kalooki_env import PositionError, core
from kalooki_env.core import Phase
from kalooki_env.game.game import Game
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules
from kalooki_env.verify.kaluki_starts import swap_start
from kalooki_env.verify.stacking import PLACES

SMALL = {**KEYS, "deals": (6, 7), "opening_points": (1, 15, 25)}
#: With debts most of the time.
OWING = {
    **SMALL,
    "deals": (5, 6),
    "upcard_before_opening": ("only_to_open", "only_to_open", "free"),
    "upcard_after_opening": ("only_for_new_meld", "only_for_new_meld", "free"),
    "extra_melds": ("any_time_after_opening", "any_time_after_opening", "later_turns"),
    "joker_after_swap": ("new_meld_this_turn", "new_meld_this_turn", "free"),
}


class WithoutSwaps(Turns):
    """As if no joker could be swapped later in the turn."""

    def _following(self, turn: Turn) -> Iterator[Turn]:
        return (after for after in super()._following(turn) if after.hand.count(JOKER) <= turn.hand.count(JOKER))


def some_rules(keys: dict[str, tuple[object, ...]], rng: np.random.Generator) -> str:
    """A random combination of keys."""
    return " ".join(["kaluki51", *(f"{key}={values[rng.integers(len(values))]}" for key, values in keys.items())])


def compared_phase(game: Game) -> bool:
    """Whether `Table` knows what is legal: in an opening nobody swaps, see `test_kaluki_solver`."""
    opened = bool(game.states[0]["opened"][game.states[0]["actor"]])
    return game.phase in (Phase.DRAW, Phase.PLAY, Phase.LAYOFF, Phase.MOVE) or (game.phase is Phase.FILL and opened)


def busy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Random, but mostly takes the upcard, lays, lays off and swaps where it can."""
    wanted = [action for action in legal if action >= core.LAY_DOWN or action == core.TAKE_UPCARD]
    return int(rng.choice(wanted if wanted and rng.random() < 0.7 else legal))


@pytest.mark.parametrize("seed", range(8))
def test_what_is_legal_is_what_the_rules_say(seed: int) -> None:
    """Over random combinations of keys and whole deals of small hands."""
    rng = np.random.default_rng(seed)
    compared: Counter[str] = Counter()
    for number in range(40):
        game = Game(some_rules(SMALL, rng), int(rng.integers(2, 5)), seed=100 * seed + number)
        turns = Turns(game.rules)
        for position in positions(game, rng, busy, limit=60):
            if compared_phase(position):
                legal = position.legal_actions()
                assert set(legal) == Table(position, turns).legal(), position
                compared.update(action.split()[0] for action in legal)
    assert {"draw", "take", "discard", "lay", "set", "run", "swap"} <= set(compared)


@pytest.mark.parametrize("seed", range(4))
def test_swaps_that_come_later_in_the_turn(seed: int) -> None:
    """Tables with jokers that the hand can swap; what can be owed, settled and opened then hangs on the order of the turn."""
    rng = np.random.default_rng(seed)
    phases: Counter[str] = Counter()
    for _ in range(250):
        text = swap_start(Rules.parse(some_rules(OWING, rng)), int(rng.integers(2, 4)), 1, rng).text
        game = Game.from_text(text) if text else None
        mover = None if game is None else game.to_move
        if game is None or mover is None or len(game.hand(mover)) > 6:
            continue  # too many ways to try
        turns, plain = Turns(game.rules), WithoutSwaps(game.rules)
        while game.to_move == mover:
            if compared_phase(game):
                legal = set(game.legal_actions())
                assert legal == Table(game, turns).legal(), game
                phases[game.phase.name] += 1
                phases[f"{game.phase.name} by swaps"] += legal != Table(game, plain).legal()
            game.do(busy(game, game.legal_numbers(), rng))
    assert min(phases[f"{name} by swaps"] for name in ("DRAW", "PLAY", "MOVE")) > 0, phases


def owing(rng: random.Random) -> str | None:
    """A seat that has opened and owes something, with part of a set, jokers, a piece of a run, and jokers on the table."""
    words = [f"{key}={rng.choice(values)}" for key, values in OWING.items() if key not in ("deals", "joker_total")]
    words += ["extra_melds=any_time_after_opening", "upcard_after_opening=only_for_new_meld"]
    keys = dict(word.split("=") for word in words)
    left = Counter({rank + suit: 2 for rank in RANKS for suit in SUITS} | {JOKER: 4})
    hand: list[str] = []
    melds: list[str] = []

    def taken(cards: list[str]) -> list[str]:
        if any(left[card] < count for card, count in Counter(cards).items()):
            return []
        left.subtract(cards)
        return cards

    rank = rng.choice(RANKS)
    for suit in rng.sample(SUITS, rng.choice((1, 2, 2, 3, 4))):
        hand += taken([rank + suit])
    hand += taken([JOKER] * rng.choice((0, 1, 1, 2)))
    for _ in range(rng.choice((1, 1, 2))):
        if rng.random() < 0.5:
            other, suits = rng.choice(RANKS), rng.sample(SUITS, 4)
            naturals, jokers = rng.choice(((1, 2), (1, 3), (2, 1), (2, 2), (3, 1)))
            meld = taken([other + suit for suit in suits[:naturals]] + [JOKER] * jokers)
            names = meld
            goes_in = [other + suit for suit in suits[naturals:]]
        else:
            low, length, suit = rng.randrange(1, 11), rng.choice((3, 4)), rng.choice(SUITS)
            row = [place + suit for place in PLACES[low : low + length]]
            at = rng.randrange(len(row))
            meld = taken([*row[:at], *row[at + 1 :], JOKER])
            names = [f"JK({card})" if i == at else card for i, card in enumerate(row)]
            goes_in = [row[at]]
        if meld:
            melds.append(" ".join(names))
            hand += [card for card in goes_in if rng.random() < 0.65 and taken([card])]
    low, suit = rng.randrange(1, 11), rng.choice(SUITS)
    hand += taken([PLACES[low] + suit, PLACES[low + rng.choice((1, 2))] + suit]) if rng.random() < 0.7 else []
    naturals_held = [card for card in hand if card != JOKER]
    owed = [rng.choice(naturals_held)] if naturals_held and rng.random() < 0.6 else []
    jokers_held = hand.count(JOKER)
    if jokers_held and (keys["joker_after_swap"] == "new_meld_this_turn" or not owed):
        owed += [JOKER] * (rng.randint(0, jokers_held) if keys["joker_after_swap"] == "new_meld_this_turn" else 1)
    if not owed or not melds or len(hand) > 8:
        return None
    lines = ["kalooki: 1", " ".join(["rules: kaluki51", *(f"{key}={value}" for key, value in keys.items())]), "players: 2"]
    lines += ["deal: 1", "dealer: P2", "turns: 4", "phase: play P1", f"hand P1: {' '.join(hand)}", f"hand P2: {min(+left)}"]
    lines += [f"meld P1/{number}: {meld}" for number, meld in enumerate(melds, start=1)]
    return "\n".join([*lines, "opened: P1", f"owed: {' '.join(owed)}", "stock: rest", "pile: -"])


@pytest.mark.parametrize("seed", range(4))
def test_melds_in_the_making_and_swaps_after_them(seed: int) -> None:
    """All ways through the turn of a seat that owes something: of a meld in its order, jokers in it may be swapped off again."""
    rng = random.Random(seed)
    phases: Counter[str] = Counter()
    for _ in range(70):
        text = owing(rng)
        if text is None:
            continue
        try:
            todo = [Game.from_text(text)]
        except PositionError:
            phases["nothing that can be settled"] += 1
            continue
        turns, plain = Turns(todo[0].rules), WithoutSwaps(todo[0].rules)
        seen: set[str] = set()
        while todo and len(seen) < 60:
            game = todo.pop()
            state = game.states[0]
            if game.to_move != 0 or game.phase is Phase.DRAW or game.text() in seen:
                continue
            seen.add(game.text())
            legal = game.legal_actions()
            assert set(legal) == Table(game, turns).legal(), game
            phases[game.phase.name] += 1
            phases[f"{game.phase.name} by swaps"] += set(legal) != Table(game, plain).legal()
            if game.phase is not Phase.PLAY or state["owed_card"] or state["owed_jokers"]:
                # Melds last, so that they are followed first.
                legal.sort(key=lambda action: action.split()[0] in ("set", "run", "place"))
                todo += [game.copy().do(action) for action in legal if not action.startswith("discard")]
    assert min(phases[f"{name} by swaps"] for name in ("PLAY", "FILL", "LAYOFF")) > 0, phases


@pytest.mark.parametrize("rules", ["kaluki51", "kaluki40_british joker_total=null"])
@pytest.mark.parametrize("name", ["layoff", "layoff-end", "swap"])
def test_cards_that_may_be_placed(name: str, rules: str) -> None:
    game = Game.from_text(in_the_midst(rules)[name])
    assert set(game.legal_actions()) == Table(game).legal()
