"""Positions of Kaluki from their texts (`ACTIONS.md`, 8.5)."""

from __future__ import annotations

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.errors import NotationError
from kalooki_env.game.cards import card_number, seat_number
from kalooki_env.game.melds import read_meld
from kalooki_env.game.notation import SUIT_WORDS, meld_slot
from kalooki_env.game.reader import Reader
from kalooki_env.rules import RANKS


class KalukiReader(Reader):
    """Fills one record from the lines of a position of Kaluki."""

    phases = {  # noqa: RUF012
        ("swap" if phase is Phase.MOVE else phase.name.lower()): phase
        for phase in Phase
        if phase not in (Phase.CALL, Phase.ANSWER)
    }
    opened_now = (Phase.PLAY, Phase.FILL, Phase.LAYOFF, Phase.MOVE)

    def _refuse_foreign_lines(self) -> None:
        """All lines may stand."""

    def _phase(self) -> None:
        self._target = ""
        super()._phase()
        self._owed()

    def _owed(self) -> None:
        owed = [card_number(name) for name in self._list("owed")]
        naturals = [card for card in owed if card != core.JOKER]
        if len(naturals) > 1 or len(owed) > 9:
            raise NotationError(
                f"position line owed: {self.lines['owed']!r} is not allowed; allowed: one natural card, and jokers"
            )
        self.state["owed_card"] = naturals[0] + 1 if naturals else 0
        self.state["owed_jokers"] = len(owed) - len(naturals)

    def _phase_words(self, phase: Phase, words: list[str]) -> bool:
        state = self.state
        if phase is Phase.OVER or not words:
            return super()._phase_words(phase, words)
        _, rest = self._seat_to_move(phase, words)
        match phase, rest:
            case ((Phase.DRAW | Phase.PLAY | Phase.MELD), []):
                return True
            case Phase.FILL, ["set", "of", rank] if len(rank) == 1 and rank in RANKS:
                state["meld_kind_now"], state["meld_key_now"] = MeldKind.THREE, RANKS.index(rank)
                return True
            case Phase.FILL, ["run", "of", suit, "from", rank] if (
                suit in SUIT_WORDS and len(rank) == 1 and rank in RANKS[: core.RUN_LOWS]
            ):
                state["meld_kind_now"], state["meld_key_now"] = MeldKind.FOUR, SUIT_WORDS.index(suit)
                state["meld_low_now"] = RANKS.index(rank)
                return True
            case Phase.LAYOFF, ["onto", meld, *end] if end in ([], ["low"], ["high"]):
                self._target, state["target_high"] = meld, end == ["high"]
                return True
            case Phase.MOVE, ["in", meld]:
                self._target = meld
                return True
        return False

    def _melds(self) -> None:
        """Lines come in the order in which the melds were begun; one that is being filled has the last."""
        state = self.state
        lines = [(key[5:], value) for key, value in self.lines.items() if key.startswith("meld ")]
        if len(lines) > core.MELDS:
            raise NotationError(f"position: {len(lines)} melds, more than there can be")
        filling = state["phase"] == Phase.FILL
        if filling and not lines:
            raise NotationError("position: the line of the meld that is being filled is missing; without cards it is written -")
        for slot, (name, value) in enumerate(lines):
            last = filling and slot == len(lines) - 1
            seat, _, number = name.partition("/")
            owner = seat_number(seat, self.n)
            count = int(state["meld_n"][owner]) + 1
            if number != str(count):
                raise NotationError(f"position line meld {name}: the next meld of {seat} is {seat}/{count}")
            if len(value.split()) > 14:
                raise NotationError(f"position line meld {name}: {len(value.split())} cards, more than a meld can have")
            state["meld_owner"][slot] = owner
            if last:
                if owner != state["actor"]:
                    raise NotationError(f"position line meld {name}: the meld that is being filled belongs to the seat to move")
                self._put(slot, self._begun("" if value == "-" else value))
            else:
                self._put(slot, read_meld(value))
                state["meld_n"][owner] += 1
                state["melds_laid"] += 1
        if self._target:
            state["target"] = meld_slot(self._target, state, self.table)
