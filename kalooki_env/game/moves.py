"""Moves: compound forms that stand for a sequence of actions (`ACTIONS.md`, sections 7 and 8.6).

A move is turned into actions with the position in hand, action by action, since auto-fill may already have placed a card.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.cards import CARD_NAMES, card_number
from kalooki_env.game.engine import Engine
from kalooki_env.game.explain import why_not_with
from kalooki_env.game.kaluki_moves import Do, lay_down_in_kaluki, lay_further_meld, swap_in_set
from kalooki_env.game.melds import Meld, NotAMeldError, faults_of, read_meld
from kalooki_env.game.notation import action_number, check_end, meld_name, meld_text
from kalooki_env.game.refusals import Refusal
from kalooki_env.game.spelling import canonical

_LAY_OFF = re.compile(r"lay off(?: (\S+))? onto (P\d/\d+)(?: (low|high))?")
_MOVE = re.compile(r"move joker in (P\d/\d) to (low|high) with (\S+)")
_SWAP = re.compile(r"(swap joker in P\d/\d+) with (\S+(?: \S+)*)")
#: What an action is refused for that names no card: with a card there may be a better reason.
_WITHOUT_CARD = (Refusal.NOTHING_FITS, Refusal.NO_JOKER_IN_FOUR, Refusal.NO_JOKER_TO_SWAP, Refusal.CANNOT_BE_SPARED)


def play_move(text: str, state: Any, table: Engine, do: Do) -> Refusal | None:
    """Play a move, or a single action, through `do`; stops at the first refusal.

    Args:
        text: the move; see `spelling.canonical`.
        state: STATE record of the position, which `do` changes.
        table: engine of the table.
        do: carries out one action.

    Raises:
        NotationError: a text of no known form.
    """
    given, text = text, canonical(text)
    if text.startswith("lay down "):
        lay = lay_down_in_kaluki if table.is_kaluki else _lay_down
        return lay(text.removeprefix("lay down "), state, table, do)
    if text.startswith("meld ") and table.is_kaluki:
        return lay_further_meld(text.removeprefix("meld "), state, table, do)
    if (match := _SWAP.fullmatch(text)) and table.is_kaluki:
        slot = action_number(match[1], state, table) - core.SWAP_IN
        if table.record[0]["swaps_whole_sets"] and state["meld_kind"][slot] == MeldKind.THREE:
            return swap_in_set(match[1], slot, match[2].split(), state, do)
        return _in_two_steps(match[1], match[2], state, table, do)
    if match := _LAY_OFF.fullmatch(text):
        card, meld, end = match[1], match[2], match[3]
        # The high end of a set does not exist, but its action has a number and so a text of its own, which is illegal.
        if card or end != "high":
            check_end(given, meld, end, state, table)
        action = f"lay off onto {meld}" + (f" {end}" if end else "")
        return _in_two_steps(action, card, state, table, do) if card else do(action)
    if (match := _MOVE.fullmatch(text)) and not table.is_kaluki:
        return _in_two_steps(f"move joker in {match[1]} to {match[2]}", match[3], state, table, do)
    if text.startswith("take ") and text != "take upcard":
        wanted = card_number(text.removeprefix("take "))
        top = int(state["pile"][int(state["pile_n"]) - 1]) if state["pile_n"] else None
        if state["phase"] == Phase.DRAW and top is not None and top != wanted:
            return Refusal.NOT_THE_UPCARD
        return do("take upcard")
    return do(given)


def _in_two_steps(action: str, card_text: str, state: Any, table: Engine, do: Do) -> Refusal | None:
    """Name a target, then place the card, unless auto-fill has placed the only card that fits."""
    card = card_number(card_text)
    actor = int(state["actor"])
    phase = int(state["phase"])
    held = int(state["hands"][actor, card])
    if phase == Phase.PLAY and not held:
        return Refusal.CARD_NOT_HELD
    before = state.copy()
    refusal = do(action)
    if refusal in _WITHOUT_CARD:
        return why_not_with(before, action_number(action, before, table), card, table)
    if refusal is not None:
        return refusal
    if state["phase"] in (Phase.LAYOFF, Phase.MOVE):
        return do(f"place {card_text}")
    if int(state["hands"][actor, card]) >= held:  # auto-fill took another card: this one does not fit
        return why_not_with(before, action_number(action, before, table), card, table)
    return None


def _lay_down(text: str, state: Any, table: Engine, do: Do) -> Refusal | None:
    """A whole lay-down: the contract at its minimum, then what is over laid off."""
    try:
        melds = [read_meld(part) for part in text.split("+")]
    except NotAMeldError as error:
        return error.refusal
    actor = int(state["actor"])
    if state["phase"] == Phase.PLAY:
        refusal = _why_not_this_contract(melds, state, actor, table)
        if refusal is not None:
            return refusal
    refusal = do("lay down")
    for number, meld in enumerate(melds):
        refusal = refusal or _lay_meld(meld, core.MELDS_PER_SEAT * actor + number, state, table, do)
    for number, meld in enumerate(melds):
        refusal = refusal or _lengthen(meld, meld_name(core.MELDS_PER_SEAT * actor + number, state, table), state, table, do)
    return refusal


def _why_not_this_contract(melds: list[Meld], state: Any, actor: int, table: Engine) -> Refusal | None:
    rules = table.rules
    if state["opened"][actor]:
        return Refusal.ALREADY_OPENED
    for meld in melds:
        for fault in faults_of(meld, rules):
            return fault.refusal
    needed = Counter(card for meld in melds for card in meld.cards)
    if any(count > state["hands"][actor, card] for card, count in needed.items()):
        return Refusal.CARD_NOT_HELD
    contract = rules.contract(int(state["deal"]))
    threes = [meld.key for meld in melds if meld.kind == MeldKind.THREE]
    fours = [meld.key for meld in melds if meld.kind == MeldKind.FOUR]
    if len(threes) <= contract.threes and len(fours) <= contract.fours and len(melds) < contract.threes + contract.fours:
        return Refusal.PARTIAL_CONTRACT
    if len(threes) >= contract.threes and len(fours) >= contract.fours and len(melds) > contract.threes + contract.fours:
        return Refusal.SURPLUS_MELD
    if (len(threes), len(fours)) != (contract.threes, contract.fours):
        return Refusal.WRONG_CONTRACT
    if rules.contract_distinct_ranks and len(set(threes)) < len(threes):
        return Refusal.SAME_RANK
    if rules.contract_distinct_suits and len(set(fours)) < len(fours):
        return Refusal.SAME_SUIT
    return None


def _lay_meld(meld: Meld, slot: int, state: Any, table: Engine, do: Do) -> Refusal | None:
    """The first three or four cards of a meld."""
    three = meld.kind == MeldKind.THREE
    refusal = do(meld_text(meld.kind, meld.key, meld.low, table))
    if refusal is not None:
        return refusal
    cards = meld.cards[: 3 if three else 4]
    # Auto-fill may go on by itself; what it places is the only possibility, and so the card that was meant.
    first_slot = slot - slot % core.MELDS_PER_SEAT
    while state["phase"] == Phase.FILL and first_slot + int(state["meld_n"][state["actor"]]) == slot:
        refusal = do(f"place {CARD_NAMES[cards[int(state['meld_len'][slot])]]}")
        if refusal is not None:
            return refusal
    return None


def _lengthen(meld: Meld, name: str, state: Any, table: Engine, do: Do) -> Refusal | None:
    """Lay off the cards of a meld beyond its minimum."""
    three = meld.kind == MeldKind.THREE
    for card in meld.cards[3 if three else 4 :]:
        refusal = _in_two_steps(f"lay off onto {name}" + ("" if three else " high"), CARD_NAMES[card], state, table, do)
        if refusal is not None:
            return refusal
    return None
