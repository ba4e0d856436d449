"""Texts that nobody plays, asked of engine and referee: mostly illegal ones, of all kinds.

The engine must refuse exactly what the referee does not count among the legal actions. Compound moves (ACTIONS.md, section 7)
are no actions of the referee's: it is asked for the actions that they stand for.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.game.notation import meld_name, meld_text
from kalooki_env.referee import Referee
from kalooki_env.rules import JOKER, RANKS, SUITS

#: Reason code of a text that the engine does not even read.
NOT_WRITTEN_SO = "not_written_so"


class Probe(NamedTuple):
    """A text, who is said to want it (None: the seat to move), and whether the referee has it among the legal actions."""

    text: str
    seat: int | None
    is_legal: bool


def probes(game: Game, referee: Referee, legal: set[str], rng: np.random.Generator) -> Iterator[Probe]:
    """A few texts to ask about in this position.

    Args:
        game: the engine's side.
        referee: the other side, in the same position.
        legal: what the referee counts as legal.
        rng: chooses the texts.
    """
    phase = game.phase
    if "lay down" in legal and rng.random() < 0.15:  # the referee takes its time over those
        yield from _lay_downs(referee, rng)
    if phase in (Phase.FILL, Phase.LAYOFF, Phase.MOVE):  # so rare that all are asked about
        for text in _placements(game):
            yield Probe(text, None, text in legal)
    if rng.random() < 0.4:
        return
    lot = rng.random()
    if lot < 0.25:
        text = game.action_text(int(rng.integers(game.engine.num_actions)))
        yield Probe(text, None, text in legal)
        return
    if lot < 0.35:
        seat = int(rng.integers(game.num_players))
        text = "call" if rng.random() < 0.8 else "draw stock"
        yield Probe(text, seat, seat == game.to_move and text in legal)
        return
    if phase is Phase.PLAY and lot < 0.4:
        text = _other_contract(game, rng)
        if text:
            yield Probe(text, None, False)
        return
    texts = _likely(game, phase, rng)
    text = texts[int(rng.integers(len(texts)))]
    yield Probe(text, None, _is_legal(text, legal, referee))


def _likely(game: Game, phase: Phase, rng: np.random.Generator) -> list[str]:
    """Texts that somebody might try in this phase."""
    card = CARD_NAMES[int(rng.integers(len(CARD_NAMES)))]
    if phase is Phase.DRAW:
        return ["draw stock", "take upcard", f"take {card}", _upcard(game), f"discard {card}", "lay down", "call"]
    if phase in (Phase.CALL, Phase.ANSWER):
        return ["draw stock", "take upcard", "call", "allow", f"discard {card}", f"place {card}", "lay down", "end turn"]
    held = game.hand(game.to_move or 0)
    own = held[int(rng.integers(len(held)))] if held else card
    if phase is not Phase.PLAY:
        rank, suit = RANKS[int(rng.integers(13))], rng.choice(["spades", "hearts", "diamonds", "clubs"])
        four = f"four of {suit} from {RANKS[int(rng.integers(core.LOWS))]}"
        if phase is Phase.MELD:
            laid = own[0] if own != JOKER else rank
            return [f"three of {rank}", f"three of {laid}", *_named_before(game), four, "lay down"]
        return [f"place {own}", f"place {card}", "lay down", f"discard {own}", "end turn"]
    texts = [f"discard {JOKER}", "end turn", "lay down", "call", "allow", "draw stock", f"place {own}", f"three of {own[0]}"]
    slots = [slot for slot in range(core.MELDS_PER_SEAT * game.num_players) if game.states[0]["meld_kind"][slot]]
    if not slots:
        return [*texts, "lay off onto P1/1", f"lay off {own} onto P1/1", "move joker in P1/1 to low"]
    jokers = [slot for slot in slots if JOKER in _meld(game, slot)]
    for _ in range(4):
        slot = slots[int(rng.integers(len(slots)))]
        end = " low" if rng.random() < 0.5 else " high"
        plain = game.states[0]["meld_kind"][slot] == MeldKind.THREE
        target = meld_name(slot, game.states[0], game.engine) + ("" if plain else end)
        texts += [f"lay off onto {target}", f"lay off {own} onto {target}", f"lay off {JOKER} onto {target}"]
        if plain:
            texts.append(f"lay off onto {target}{end}")
        slot = jokers[int(rng.integers(len(jokers)))] if jokers else slot
        move = f"move joker in {meld_name(slot, game.states[0], game.engine)} to{end}"
        texts += [move, f"{move} with {own}", f"{move} with {own}"]
    return texts


def _named_before(game: Game) -> list[str]:
    """Melds like those that the seat to move has laid already."""
    first = core.MELDS_PER_SEAT * (game.to_move or 0)
    melds = [meld_in_slot(game.states[0], slot) for slot in range(first, first + core.MELDS_PER_SEAT)]
    return [meld_text(meld.kind, meld.key, meld.low, game.engine) for meld in melds if meld is not None]


def _placements(game: Game) -> list[str]:
    """Cards of the hand that at least belong to the rank or suit in question."""
    state = game.states[0]
    if game.phase is not Phase.FILL:
        slot = int(state["target"])
        kind, key = state["meld_kind"][slot], int(state["meld_key"][slot])
    else:
        kind, key = state["meld_kind_now"], int(state["meld_key_now"])
    word = RANKS[key] if kind == MeldKind.THREE else SUITS[key]
    return [f"place {card}" for card in sorted(set(game.hand(int(state["actor"])))) if card == JOKER or word in card]


def _meld(game: Game, slot: int) -> list[str]:
    meld = meld_in_slot(game.states[0], slot)
    return [] if meld is None else [CARD_NAMES[card] for card in meld.cards]


def _upcard(game: Game) -> str:
    state = game.states[0]
    count = int(state["pile_n"])
    return f"take {CARD_NAMES[state['pile'][count - 1]]}" if count else "take upcard"


def _is_legal(text: str, legal: set[str], referee: Referee) -> bool:
    """Whether the referee lets this action or compound move pass."""
    words = text.split()
    if words[0] == "take" and words[1] != "upcard":
        return takes_upcard(words[1], legal, referee)
    if words[:2] == ["lay", "off"] and words[2] != "onto":
        return in_two_steps(f"lay off onto {' '.join(words[4:])}", words[2], legal, referee)
    if words[0] == "move" and words[-2] == "with":
        return in_two_steps(" ".join(words[:-2]), words[-1], legal, referee)
    return text in legal


def takes_upcard(card: str, legal: set[str], referee: Referee) -> bool:
    """Whether the referee lets this card be taken from the pile."""
    return "take upcard" in legal and line(referee, "pile").split()[0] == card


def in_two_steps(action: str, cards: str, legal: set[str], referee: Referee) -> bool:
    """Whether the referee lets a target be named and then this card placed there, or these cards go there by themselves."""
    if action not in legal:
        return False
    trial = copy.deepcopy(referee)
    hand = f"hand P{(referee.to_move() or 0) + 1}"
    before = Counter(line(trial, hand).split())
    trial.do(action)
    # Where only one card fits, it lies already.
    return f"place {cards}" in trial.legal() or before - Counter(line(trial, hand).split()) == Counter(cards.split())


def line(referee: Referee, key: str) -> str:
    """The value of a line of the referee's position."""
    return next(line for line in referee.position().splitlines() if line.startswith(f"{key}: ")).partition(": ")[2]


# ---- whole lay-downs -------------------------------------------------------------------------------------------------


def _lay_downs(referee: Referee, rng: np.random.Generator) -> Iterator[Probe]:
    """A contract of the hand in one text, and the same text with faults."""
    trial = copy.deepcopy(referee)
    seat = f"P{(referee.to_move() or 0) + 1}"
    trial.do("lay down")
    kinds = []
    while trial.position().split("phase: ")[1].split()[0] in ("meld", "fill"):
        choices = sorted(trial.legal())
        choice = choices[int(rng.integers(len(choices)))]
        kinds += [] if choice.startswith("place") else [choice]
        trial.do(choice)
    melds = [line(trial, f"meld {seat}/{number}").split() for number in range(1, len(kinds) + 1)]
    yield Probe(_written(melds), None, True)
    wrong = _with_faults(melds)
    yield Probe(wrong[int(rng.integers(len(wrong)))], None, False)
    for meld in _melds_in(line(trial, f"hand {seat}").replace("-", "").split(), rng)[:1]:
        yield Probe(_written([*melds, meld]), None, False)


def _written(melds: list[list[str]]) -> str:
    return "lay down " + " + ".join(" ".join(meld) for meld in melds)


def _melds_in(cards: Iterable[str], rng: np.random.Generator) -> list[list[str]]:
    """Some melds without jokers that lie side by side in these cards, found in random order."""
    held = Counter(card for card in cards if card != JOKER)
    melds: list[list[str]] = []
    rows = [[rank + suit for suit in SUITS] for rank in RANKS]
    rows += [[rank + suit for rank in RANKS[low : low + 4]] for suit in SUITS for low in range(10)]
    for number in rng.permutation(len(rows)).tolist():
        row = rows[number]
        meld = list((held & Counter(dict.fromkeys(row, 3))).elements())[:3] if number < 13 else row
        if len(meld) == (3 if number < 13 else 4) and not Counter(meld) - held:
            melds.append(meld)
            held -= Counter(meld)
    return melds


def _other_contract(game: Game, rng: np.random.Generator) -> str:
    """A lay-down of melds that the hand holds, in other numbers than the contract asks for; empty if it holds none."""
    melds = _melds_in(game.hand(game.to_move or 0), rng)
    fours = sum(len(meld) == 4 for meld in melds)
    contract = game.rules.contract(int(game.states[0]["deal"]))
    return _written(melds) if melds and (len(melds) - fours, fours) != (contract.threes, contract.fours) else ""


def _with_faults(melds: list[list[str]]) -> list[str]:
    """Lay-downs that no hand may make: melds missing, in surplus or of the wrong kind, and melds that are none."""
    first, rest = melds[0], melds[1:]
    rank = next(card[0] for card in first if not card.startswith(JOKER))
    other = RANKS[(RANKS.index(rank) + 1) % 13]
    return [
        _written(rest),
        _written([*melds, first]),
        *(
            _written([meld, *rest])
            for meld in (
                first[:2],
                [JOKER] * 3,
                [rank + "S", *[JOKER] * 3],
                [rank + "S", other + "H", JOKER],
                ["5S", "6S", "7H", "8S"],
                ["5S", "6S", "8S", "9S"],
                ["5S", JOKER, JOKER, "8S"],
                ["JS", "QS", "KS", "AS", "2S"],
            )
        ),
    ]
