"""Fills a STATE record from the lines of a position text (`ACTIONS.md`, section 6), and collects what cannot be."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.errors import NotationError, closest
from kalooki_env.game.cards import CARD_NAMES, card_number, seat_name, seat_number
from kalooki_env.game.engine import Engine
from kalooki_env.game.melds import Meld, read_meld
from kalooki_env.game.notation import SUIT_WORDS, meld_name, meld_slot
from kalooki_env.game.position import PHASE_WORDS, phase_text
from kalooki_env.rules import RANKS

#: Turns that a seat can have in a deal (J12.4), and so the most times that it can have discarded or declined a card.
_MOST_ROUNDS = 60
_PHASES = {word: phase for phase, word in PHASE_WORDS.items()}


def number_in(lines: dict[str, str], key: str, least: int, most: int) -> int:
    """A whole number from a line.

    Raises:
        NotationError: something else, or a number that is too small or too large.
    """
    value = lines.get(key, "0")
    if not value.isascii() or not value.isdecimal() or len(value) > 9 or not least <= int(value) <= most:
        raise NotationError(f"position line {key}: {value!r} is not allowed; allowed: {least} to {most}")
    return int(value)


class Reader:
    """Fills one record from the lines of a position of the Jamaican game.

    Attributes:
        faults: what cannot be.
    """

    phases = _PHASES
    #: Phases whose seat may have opened in the same turn.
    opened_now: tuple[Phase, ...] = (Phase.PLAY, Phase.LAYOFF)

    def __init__(self, lines: dict[str, str], table: Engine, deal: int) -> None:
        self.lines = lines
        self.table = table
        self.n = table.num_players
        self.deal = deal
        self.faults: list[str] = []
        self.states = np.zeros(1, core.STATE)
        self.state: Any = self.states[0]

    def read(self) -> NDArray[np.void]:
        """The record, an array of one.

        Raises:
            NotationError: a line that cannot be read.
        """
        state = self.state
        self._refuse_foreign_lines()
        state["winner"] = -1
        state["deal"] = self.deal
        state["dealer"] = seat_number(self.lines["dealer"], self.n)
        state["turns"] = number_in(self.lines, "turns", 0, self.table.rules.max_turns(self.n))
        # In each turn a stock can be renewed for the draw, and for the penalty card of a call before it.
        state["reshuffles"] = number_in(self.lines, "reshuffles", 0, 2 * self.table.rules.max_turns(self.n))
        state["rng"] = self._rng()
        self._standing()
        for seat in range(self.n):
            key = f"hand {seat_name(seat)}"
            if key not in self.lines:
                raise NotationError(f"position: the line {key!r} is missing")
        for key, value in self.lines.items():
            word, _, rest = key.partition(" ")
            if word in ("hand", "known", "discarded", "declined"):
                counts = self._counts(key, value)
                rows = state["hands" if word == "hand" else word].reshape(core.SEATS, core.CARDS)
                rows[seat_number(rest, self.n)] = counts
        state["hand_n"] = state["hands"].sum(axis=1)
        opened = self.lines.get("opened", "-")
        for name in [] if opened == "-" else opened.split(","):
            state["opened"][seat_number(name.strip(), self.n)] = 1
        self._pairs("calls", "calls_made", "calls_allowed")
        self._pairs("answers", "answers_allow", "answers_refuse")
        self._phase()
        self._melds()
        self._piles()
        exact = phase_text(self.state, self.table)
        if " ".join(self.words) != exact:
            raise NotationError(f"position line phase: {' '.join(self.words)!r} is written {exact!r} here")
        return self.states

    def _refuse_foreign_lines(self) -> None:
        if "owed" in self.lines:
            raise NotationError("position line owed: nothing is owed in this game; only Kaluki has the line")

    def _standing(self) -> None:
        if "match" not in self.lines and "totals" not in self.lines:
            return
        self.state["match_deal"] = number_in(self.lines, "match", 1, 65_535)
        value = self.lines.get("totals", "")
        pattern = ", ".join(rf"{seat_name(seat)} (-?\d{{1,9}})" for seat in range(self.n))
        match = re.fullmatch(pattern, value, re.ASCII)
        if match is None:
            raise NotationError(f"position line totals: {value!r} is not of the form P1 20, P2 -5, with all seats")
        self.state["totals"][: self.n] = [int(total) for total in match.groups()]

    def _rng(self) -> int:
        value = self.lines.get("rng", f"{0x4B616C6F6F6B6931:016x}")
        if not re.fullmatch(r"[0-9a-f]{16}", value):
            raise NotationError(f"position line rng: {value!r} is not allowed; allowed: 16 hexadecimal digits")
        return int(value, 16)

    def _list(self, key: str) -> list[str]:
        value = self.lines.get(key, "-")
        if not value:
            raise NotationError(f"position line {key}: is empty; an empty list is written -")
        return [] if value == "-" else value.split()

    def _counts(self, key: str, value: str) -> NDArray[np.uint8]:
        counts = np.zeros(core.CARDS, np.int64)
        for name in self._list(key):
            counts[card_number(name)] += 1
        if counts.max() > _MOST_ROUNDS:
            raise NotationError(f"position line {key}: more than {_MOST_ROUNDS} copies of a card")
        return counts.astype(np.uint8)

    def _pairs(self, key: str, first: str, second: str) -> None:
        value = self.lines.get(key, "-")
        for item in [] if value == "-" else value.split(","):
            match = re.fullmatch(r"\s*(P\d+) (\d{1,4})/(\d{1,4})\s*", item)
            if not match:
                raise NotationError(f"position line {key}: {item.strip()!r} is not of the form P1 2/1")
            seat = seat_number(match[1], self.n)
            if self.state[first][seat] or self.state[second][seat]:
                raise NotationError(f"position line {key}: {match[1]} stands twice")
            self.state[first][seat], self.state[second][seat] = int(match[2]), int(match[3])

    def _phase(self) -> None:
        value = self.lines["phase"]
        words = value.split()
        phase = self.phases.get(words[0]) if words else None
        if phase is None:
            hint = closest(words[0] if words else "", self.phases)
            raise NotationError(f"position line phase: {value!r} begins with no phase{hint}")
        self.state["phase"] = phase
        if not self._phase_words(phase, words[1:]):
            raise NotationError(f"position line phase: {value!r} cannot be read")
        self.words = words

    def _seat_to_move(self, phase: Phase, words: list[str]) -> tuple[int, list[str]]:
        """Note the seat that a phase begins with, and whether it opened now. Returns it and the words between."""
        state = self.state
        actor = seat_number(words[0], self.n)
        state["actor"] = state["turn"] = actor
        if phase in self.opened_now and words[-2:] == ["opened", "now"]:
            state["opened_now"] = 1
            words = words[:-2]
        return actor, words[1:]

    def _phase_words(self, phase: Phase, words: list[str]) -> bool:
        state = self.state
        if phase is Phase.OVER:
            if words != ["blocked"]:
                if len(words) != 1:
                    return False
                state["winner"] = seat_number(words[0], self.n)
            return True
        if not words:
            return False
        actor, rest = self._seat_to_move(phase, words)
        match phase, rest:
            case ((Phase.DRAW | Phase.PLAY | Phase.MELD), []):
                return True
            case Phase.DRAW, ["after", "call"]:
                state["after_call"] = 1
                return True
            case Phase.FILL, ["three", "of", rank] if len(rank) == 1 and rank in RANKS:
                state["meld_kind_now"], state["meld_key_now"] = MeldKind.THREE, RANKS.index(rank)
                return True
            case Phase.FILL, ["four", "of", suit, "from", rank] if (
                suit in SUIT_WORDS and len(rank) == 1 and rank in RANKS[: core.LOWS]
            ):
                state["meld_kind_now"], state["meld_key_now"] = MeldKind.FOUR, SUIT_WORDS.index(suit)
                state["meld_low_now"] = RANKS.index(rank)
                return True
            case Phase.LAYOFF, ["onto", meld, *end] if end in ([], ["low"], ["high"]):
                state["target"], state["target_high"] = meld_slot(meld, state, self.table), end == ["high"]
                return True
            case Phase.MOVE, ["in", meld, "to", ("low" | "high") as end]:
                state["target"], state["target_high"] = meld_slot(meld, state, self.table), end == "high"
                return True
            case Phase.CALL, ["on", seat]:
                state["turn"] = seat_number(seat, self.n)
                return True
            case Phase.ANSWER, ["to", seat]:
                state["caller"] = seat_number(seat, self.n)
                by_next = self.table.record[0]["next_player_decides"]
                state["turn"] = (actor - 1) % self.n if by_next else actor
                return True
        return False

    def _melds(self) -> None:
        state = self.state
        filling = state["phase"] == Phase.FILL
        actor = int(state["actor"])
        for key, value in self.lines.items():
            if not key.startswith("meld "):
                continue
            slot = meld_slot(key[5:], state, self.table)
            seat, number = divmod(slot, core.MELDS_PER_SEAT)
            last = number == 3 or f"meld {meld_name(slot + 1, state, self.table)}" not in self.lines
            if len(value.split()) > 20:
                raise NotationError(f"position line {key}: {len(value.split())} cards, more than a meld can have")
            if filling and seat == actor and last and len(value.split()) < (3 if state["meld_kind_now"] == MeldKind.THREE else 4):
                meld = self._begun(value)
            else:
                meld = read_meld(value)
                state["meld_n"][seat] += 1
            self._put(slot, meld)
        for seat in range(self.n):
            used = [bool(state["meld_len"][core.MELDS_PER_SEAT * seat + k]) for k in range(core.MELDS_PER_SEAT)]
            if used != sorted(used, reverse=True):
                self.faults.append(f"the melds of {seat_name(seat)} are not numbered from 1 without a gap")
        if filling:
            slot = core.MELDS_PER_SEAT * actor + int(state["meld_n"][actor])
            if int(state["meld_n"][actor]) < core.MELDS_PER_SEAT:
                state["meld_kind"][slot], state["meld_key"][slot] = state["meld_kind_now"], state["meld_key_now"]
                state["meld_low"][slot] = state["meld_low_now"]

    def _begun(self, value: str) -> Meld:
        """The meld being filled: the phase tells what it is."""
        kind, key, low = (int(self.state[f"meld_{name}_now"]) for name in ("kind", "key", "low"))
        cards = []
        for i, word in enumerate(value.split()):
            named = card_number(word[3:-1]) if word.startswith("JK(") and word.endswith(")") else card_number(word)
            wanted = 13 * key + (low + i) % 13
            fits = named == wanted if kind == MeldKind.FOUR else named == core.JOKER or named % 13 == key
            if not fits:
                self.faults.append(f"the meld being filled: {word} does not belong at its place {i + 1}")
            cards.append(core.JOKER if word.startswith("JK") else named)
        return Meld(MeldKind(kind), key, low, tuple(cards))

    def _put(self, slot: int, meld: Meld) -> None:
        state = self.state
        state["meld_kind"][slot], state["meld_key"][slot], state["meld_low"][slot] = meld.kind, meld.key, meld.low
        state["meld_len"][slot], state["meld_bits"][slot] = len(meld.cards), meld.bits & 0xFFFF
        for card in meld.cards:
            state["table_count"][card] += 1

    def _piles(self) -> None:
        state = self.state
        pile = [card_number(name) for name in self._list("pile")]
        rest = self.lines["stock"] == "rest"
        stock = [] if rest else [card_number(name) for name in self._list("stock")]
        deck = self.table.deck
        left = deck - state["hands"].sum(axis=0, dtype=np.int64) - state["table_count"]
        for card in pile + stock:
            left[card] -= 1
        for card in np.nonzero(left < 0)[0].tolist():
            self.faults.append(f"{deck[card] - left[card]} copies of {CARD_NAMES[card]}, the deck has {deck[card]}")
        if rest:
            stock = [int(card) for card in np.repeat(np.arange(core.CARDS), np.maximum(left, 0))]
        else:
            for card in np.nonzero(left > 0)[0].tolist():
                self.faults.append(f"{left[card]} of {deck[card]} copies of {CARD_NAMES[card]} lie nowhere")
        if len(stock) > core.MAX_DECK or len(pile) > core.MAX_DECK:
            return
        state["stock_n"], state["pile_n"] = len(stock), len(pile)
        state["stock"][: len(stock)] = stock[::-1]
        state["pile"][: len(pile)] = pile[::-1]
        for card in pile:
            state["pile_count"][card] += 1
