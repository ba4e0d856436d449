"""Texts of Kaluki that nobody plays, asked of engine and referee: mostly illegal ones, of all kinds. See `probes`."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game
from kalooki_env.game.melds import Meld, meld_in_slot
from kalooki_env.game.notation import SUIT_WORDS, meld_name
from kalooki_env.referee import Referee
from kalooki_env.rules import JOKER, RANKS, SUITS
from kalooki_env.verify.kaluki_events import replaceable
from kalooki_env.verify.probes import Probe, in_two_steps, line, takes_upcard
from kalooki_env.verify.stacking import PLACES, Laid


def kaluki_probes(game: Game, referee: Referee, legal: set[str], rng: np.random.Generator) -> Iterator[Probe]:
    """A few texts to ask about in this position.

    Args:
        game: the engine's side.
        referee: the other side, in the same position.
        legal: what the referee counts as legal.
        rng: chooses the texts.
    """
    phase, state = game.phase, game.states[0]
    if phase is Phase.PLAY and rng.random() < 0.3:
        yield from _laying(game, referee, legal, rng)
    if phase in (Phase.FILL, Phase.LAYOFF, Phase.MOVE):  # so rare that all are asked about
        for text in [*(f"place {card}" for card in sorted(set(game.hand(game.to_move or 0)))), "end meld"]:
            yield Probe(text, None, text in legal)
    if phase is Phase.DRAW and len(legal) == 1:
        yield Probe("draw stock", None, "draw stock" in legal)
        yield Probe("take upcard", None, "take upcard" in legal)
    if phase is Phase.PLAY and state["owed_card"] + state["owed_jokers"]:
        texts = _likely(game, phase, rng)
        yield from (Probe(text, None, _is_legal(text, legal, referee)) for text in texts)
    if rng.random() < 0.4:
        return
    lot = rng.random()
    if lot < 0.25:
        numbers = core.LAY_OFF_ONTO + 2 * int(state["melds_laid"])
        text = game.action_text(int(rng.integers(numbers)))
        yield Probe(text, None, text in legal)
        return
    if lot < 0.33:
        seat = int(rng.integers(game.num_players))
        text = "call" if rng.random() < 0.2 else "draw stock"
        yield Probe(text, seat, seat == game.to_move and text in legal)
        return
    texts = _likely(game, phase, rng)
    text = texts[int(rng.integers(len(texts)))]
    yield Probe(text, None, _is_legal(text, legal, referee))


def _likely(game: Game, phase: Phase, rng: np.random.Generator) -> list[str]:
    """Texts that somebody might try in this phase."""
    card = CARD_NAMES[int(rng.integers(len(CARD_NAMES)))]
    pile = game.states[0]["pile"][: int(game.states[0]["pile_n"])]
    if phase is Phase.DRAW:
        top = f"take {CARD_NAMES[pile[-1]]}" if len(pile) else "take upcard"
        return ["draw stock", "take upcard", "take upcard", f"take {card}", top, top, f"discard {card}", "lay down", "end meld"]
    held = game.hand(game.to_move or 0)
    own = held[int(rng.integers(len(held)))] if held else card
    suit = int(rng.integers(4))
    run = f"run of {SUIT_WORDS[suit]} from {RANKS[int(rng.integers(core.RUN_LOWS))]}"
    low_run, named = f"run of {SUIT_WORDS[suit]} from A", f"set of {own[0] if own != JOKER else card[0].replace('J', 'K')}"
    texts = [f"discard {own}", f"place {own}", f"place {card}", "end turn", "lay down", "draw stock", "call"]
    texts += ["end meld", "end opening", run, low_run, named]
    if phase is not Phase.PLAY:
        return texts
    laid = int(game.states[0]["melds_laid"])
    if not laid:
        return [*texts, "lay off onto P1/1", f"lay off {own} onto P1/1", "swap joker in P1/1"]
    for _ in range(3):
        slot = int(rng.integers(laid))
        texts += _at_meld(game, slot, own, rng)
    return texts


def _at_meld(game: Game, slot: int, own: str, rng: np.random.Generator) -> list[str]:
    """Lay-offs onto a meld, and swaps in it, with and without cards."""
    state = game.states[0]
    meld = meld_in_slot(state, slot)
    assert meld is not None
    name = meld_name(slot, state, game.engine)
    end = " low" if rng.random() < 0.5 else " high"
    target = name if meld.kind == MeldKind.THREE else name + end
    texts = [
        f"lay off onto {target}",
        f"lay off {own} onto {target}",
        f"lay off {JOKER} onto {target}",
        f"lay off onto {name}{end}",
    ]
    like = [card for card in game.hand(game.to_move or 0) if _is_like(card, meld)]
    texts += [f"lay off {card} onto {target}" for card in like[:2]]
    texts += [f"swap joker in {name}", f"swap joker in {name} with {own}"]
    naturals = [CARD_NAMES[card] for card in replaceable(meld)]
    texts += [f"swap joker in {name} with {card}" for card in naturals[:3]]
    if meld.kind == MeldKind.THREE and game.engine.record[0]["swaps_whole_sets"] and naturals:
        texts += [f"swap joker in {name} with {' '.join(naturals)}"] * 2
    texts += [f"swap joker in {name} with {card}" for card in like[:2]]
    return texts


def _is_like(card: str, meld: Meld) -> bool:
    return card != JOKER and (card[0] == RANKS[meld.key] if meld.kind == MeldKind.THREE else card[1] == SUITS[meld.key])


def _is_legal(text: str, legal: set[str], referee: Referee) -> bool:
    """Whether the referee lets this action or compound move pass."""
    words = text.split()
    if words[0] == "take" and words[1] != "upcard":
        return takes_upcard(words[1], legal, referee)
    if words[:2] == ["lay", "off"] and words[2] != "onto":
        return in_two_steps(f"lay off onto {' '.join(words[4:])}", words[2], legal, referee)
    if words[0] == "swap" and len(words) > 4:
        return in_two_steps(" ".join(words[:4]), " ".join(words[5:]), legal, referee)
    return text in legal


# ---- whole melds and openings ----------------------------------------------------------------------------------------


def _laying(game: Game, referee: Referee, legal: set[str], rng: np.random.Generator) -> Iterator[Probe]:
    """Melds of the hand, or of hardly any hand, in one text: openings and further melds."""
    hand = game.hand(game.to_move or 0)
    melds = [meld for _ in range(3) if (meld := _some_meld(hand, rng)) is not None]
    for meld in melds[:1]:
        yield Probe(f"meld {meld.text()}", None, _can_lay([meld], referee))
    if len(melds) > 1:
        text = " + ".join(meld.text() for meld in melds)
        if rng.random() < 0.3:
            yield Probe(f"meld {text}", None, False)
        yield Probe(f"lay down {text}", None, _can_open(melds, referee))
    if "lay down" in legal and rng.random() < 0.3:
        yield from _whole_opening(referee, rng)
    if rng.random() < 0.3:
        wrong = _WRONG[int(rng.integers(len(_WRONG)))]
        yield Probe(f"{'meld' if rng.random() < 0.5 else 'lay down'} {wrong}", None, False)


#: Melds that no rules allow.
_WRONG = (
    "7S 7H",
    "7S 7H 7S",
    "7S 7H 7D 7C JK",
    "JK JK JK",
    "5S 5H 6D",
    "5S 6H 7D",
    "5S 6S 8S",
    "QS KS AS 2S",
    "KS AS 2S",
    "5S JK(6S) JK(8S)",
)


def _some_meld(hand: list[str], rng: np.random.Generator) -> Laid | None:
    """A meld about a natural of the hand; where the hand lacks a card, mostly a joker stands for it."""
    naturals = [card for card in hand if card != JOKER]
    if not naturals:
        return None
    chosen = naturals[int(rng.integers(len(naturals)))]
    rank, suit = chosen[0], chosen[1]
    size = int(rng.choice([3, 3, 4, 5]))
    if rng.random() < 0.5:
        there = [rank + other for other in SUITS if rank + other in hand]
        cards = there[: min(size, 4)]
        return Laid(rank, -1, cards + [JOKER] * (3 - len(cards)))
    at = RANKS.index(rank) if rank != "A" or rng.random() < 0.5 else 13
    low = int(np.clip(at - rng.integers(size), 0, len(PLACES) - size))
    meld = Laid(suit, low)
    for index in range(size):
        natural = meld.natural(index)
        meld.cards.append(natural if natural in hand and rng.random() < 0.9 else JOKER)
    return meld if meld.cards.count(JOKER) < size else None


def _can_lay(melds: list[Laid], referee: Referee) -> bool:
    """Whether the referee lets these melds be laid just as they are written, one after the other, and nothing else."""
    trial = copy.deepcopy(referee)
    return all(_lays(meld, trial) for meld in melds)


def _can_open(melds: list[Laid], referee: Referee) -> bool:
    trial = copy.deepcopy(referee)
    if "lay down" not in trial.legal():
        return False
    trial.do("lay down")
    if not all(_lays(meld, trial) for meld in melds):
        return False
    return not _phase(trial).startswith("meld") or "end opening" in trial.legal()


def _lays(meld: Laid, trial: Referee) -> bool:
    name = f"run of {SUIT_WORDS[SUITS.index(meld.key)]} from {PLACES[meld.low]}" if meld.is_four else f"set of {meld.key}"
    if name not in trial.legal():
        return False
    number = len(_lying(trial))
    trial.do(name)
    while _phase(trial).startswith("fill"):
        lying = _lying(trial)[number]
        placed = 0 if lying == "-" else len(lying.split())
        action = f"place {meld.cards[placed]}" if placed < len(meld.cards) else "end meld"
        if action not in trial.legal():
            return False
        trial.do(action)
    return _lying(trial)[number] == meld.text()


def _whole_opening(referee: Referee, rng: np.random.Generator) -> Iterator[Probe]:
    """An opening of the hand in one text, and the same text without its first meld or with that one twice."""
    trial = copy.deepcopy(referee)
    before = len(_lying(trial))
    trial.do("lay down")
    while _phase(trial).split()[0] in ("meld", "fill"):
        choices = sorted(trial.legal())
        trial.do(choices[int(rng.integers(len(choices)))])
    melds = _lying(trial)[before:]
    yield Probe(f"lay down {' + '.join(melds)}", None, True)
    yield Probe(f"lay down {' + '.join([*melds, melds[0], melds[0]])}", None, False)


def _lying(referee: Referee) -> list[str]:
    """The melds of the referee's position, in the order in which they were begun."""
    return [text.partition(": ")[2] for text in referee.position().splitlines() if text.startswith("meld ")]


def _phase(referee: Referee) -> str:
    return line(referee, "phase")
