"""What may be done in `draw`, `play`, `layoff` and `swap`, stated once more from `ACTIONS.md` 8.2 and 8.3, over brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from brute_force_tables import choices, melds_of_hand
from conftest import positions
from kaluki_texts import in_the_midst
from test_kaluki_core import KEYS

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.game import Game
from kalooki_env.game.melds import Meld, meld_in_slot
from kalooki_env.game.notation import SUIT_WORDS, meld_name
from kalooki_env.rules import JOKER, RANKS, SUITS

SMALL = {**KEYS, "deals": (6, 7), "opening_points": (1, 15, 25)}


class Table:
    """A position seen by the seat to move.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        state = game.states[0]
        self.game, self.rules, self.phase = game, game.rules, game.phase
        actor = int(state["actor"])
        self.hand = Counter(game.hand(actor))
        self.opened, opened_now = bool(state["opened"][actor]), bool(state["opened_now"])
        self.leave = int(self.rules.final_discard_required)
        self.owed = Counter({JOKER: int(state["owed_jokers"])})
        if state["owed_card"]:
            self.owed[CARD_NAMES[int(state["owed_card"]) - 1]] = 1
        self.owed = +self.owed
        self.may_lay = self.opened and (not opened_now or self.rules.extra_melds == "any_time_after_opening")
        self.may_lay_off = self.opened and (not opened_now or self.rules.layoff_in_opening_turn)
        slots = range(int(state["melds_laid"]))
        self.melds = [(meld_name(slot, state, game.engine), meld) for slot in slots if (meld := meld_in_slot(state, slot))]

    def can_settle(self, hand: Counter[str], owed: Counter[str], need: int = 0) -> bool:
        """Whether melds of so many points that hold all that is owed can be laid."""
        return any(value >= need for _, value in choices(hand, self.rules, owed, self.leave))

    def may_be_spared(self, card: str) -> bool:
        left = self.hand - Counter([card])
        if left.total() < self.leave:
            return False
        return not self.owed or (self.may_lay and self.can_settle(left, self.owed))

    def may_be_swapped(self, card: str) -> bool:
        owed = self.owed + Counter({JOKER: int(self.rules.joker_after_swap == "new_meld_this_turn")})
        return not owed or (self.may_lay and self.can_settle(self.hand - Counter([card]) + Counter([JOKER]), owed))

    def takes(self, meld: Meld, high: bool) -> list[str]:
        """Cards of the hand that fit onto a set or an end of a run and may be spared."""
        if meld.kind == MeldKind.THREE:
            there = [CARD_NAMES[card] for card in meld.cards]
            fitting = [RANKS[meld.key] + suit for suit in SUITS if RANKS[meld.key] + suit not in there]
            fitting = [*fitting, JOKER] if len(there) < 4 else []
        else:
            place = meld.low + len(meld.cards) if high else meld.low - 1
            lowest = 0 if self.rules.ace_in_run == "high_or_low" else 1
            fitting = [RANKS[place % 13] + SUITS[meld.key], JOKER] if lowest <= place <= 13 else []
        return [card for card in fitting if self.hand[card] and self.may_be_spared(card)]

    def swaps(self, meld: Meld) -> list[str]:
        """Naturals of the hand that may be swapped for a joker of a meld."""
        if core.JOKER not in meld.cards:
            return []
        if meld.kind == MeldKind.THREE:
            wanted = {RANKS[meld.key] + suit for suit in SUITS} - {CARD_NAMES[card] for card in meld.cards}
        else:
            wanted = {RANKS[(meld.low + i) % 13] + SUITS[meld.key] for i, card in enumerate(meld.cards) if card == core.JOKER}
        return [card for card in wanted if self.hand[card] and self.may_be_swapped(card)]

    def new_melds(self) -> Iterator[str]:
        """Names of melds that can be laid such that what is owed then can be settled."""
        for laid in melds_of_hand(self.hand, self.rules):
            taken = Counter(laid.cards)
            if self.can_settle(self.hand - taken, self.owed - taken):
                first = laid.text.split()[0]
                is_run = "(" in laid.text or len({card[0] for card in laid.cards if card != JOKER}) > 1
                place = first[3] if "(" in first else first[0]
                suit = (first[4] if "(" in first else first[1]) if is_run else ""
                yield f"run of {SUIT_WORDS[SUITS.index(suit)]} from {place}" if is_run else f"set of {first[0]}"

    def legal(self) -> set[str]:
        """Texts of the legal actions."""
        if self.phase is Phase.DRAW:
            return set(self._draws())
        state = self.game.states[0]
        if self.phase in (Phase.LAYOFF, Phase.MOVE):
            meld = self.melds[int(state["target"])][1]
            cards = self.takes(meld, bool(state["target_high"])) if self.phase is Phase.LAYOFF else self.swaps(meld)
            return {f"place {card}" for card in cards}
        found = set() if self.owed else {f"discard {card}" for card in self.hand}
        if not self.opened and self.can_settle(self.hand, self.owed, self.rules.opening_points or 0):
            found.add("lay down")
        if self.may_lay:
            found |= set(self.new_melds())
        for name, meld in self.melds:
            for end in (("",) if meld.kind == MeldKind.THREE else (" low", " high")) if self.may_lay_off else ():
                if self.takes(meld, end == " high"):
                    found.add(f"lay off onto {name}{end}")
            if self.opened and self.swaps(meld):
                found.add(f"swap joker in {name}")
        return found

    def _draws(self) -> Iterator[str]:
        state = self.game.states[0]
        most = self.rules.reshuffle_max
        if state["stock_n"] or (state["pile_n"] >= 2 and (most is None or state["reshuffles"] < most)):
            yield "draw stock"
        if not state["pile_n"]:
            return
        upcard = Counter([CARD_NAMES[int(state["pile"][int(state["pile_n"]) - 1])]])
        key = self.rules.upcard_after_opening if self.opened else self.rules.upcard_before_opening
        need = 0 if self.opened else self.rules.opening_points or 0
        if key == "free" or self.can_settle(self.hand + upcard, upcard, need):
            yield "take upcard"


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
        words = [f"{key}={values[rng.integers(len(values))]}" for key, values in SMALL.items()]
        game = Game(" ".join(["kaluki51", *words]), int(rng.integers(2, 5)), seed=100 * seed + number)
        for position in positions(game, rng, busy, limit=60):
            if position.phase in (Phase.DRAW, Phase.PLAY, Phase.LAYOFF, Phase.MOVE):
                legal = position.legal_actions()
                assert set(legal) == Table(position).legal(), position
                compared.update(action.split()[0] for action in legal)
    assert {"draw", "take", "discard", "lay", "set", "run", "swap"} <= set(compared)


@pytest.mark.parametrize("rules", ["kaluki51", "kaluki40_british joker_total=null"])
@pytest.mark.parametrize("name", ["layoff", "layoff-end", "swap"])
def test_cards_that_may_be_placed(name: str, rules: str) -> None:
    game = Game.from_text(in_the_midst(rules)[name])
    assert set(game.legal_actions()) == Table(game).legal()
