"""What a picture says in words: the deal, who does what, what is marked at a seat, and what the seat to move may do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kalooki_env.core import JOKER, MeldKind, Phase
from kalooki_env.game.cards import cards_text, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.notation import meld_name, meld_text

#: Styles of small labels: told about, and told about first.
PLAIN, GOLD = "tag", "tag_gold"


def count_text(number: int, word: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{number} {word}" + ("" if number == 1 else "s")


def deal_title(view: Any, table: Engine) -> str:
    """The deal, and what it asks for."""
    if table.is_kaluki:
        return f"Kaluki: {table.rules.opening_points} points to open"
    contract = table.rules.contract(int(view["deal"]))
    asked = [count_text(number, word) for number, word in ((contract.threes, "three"), (contract.fours, "four")) if number]
    return f"Kalooki, deal {view['deal']}: {' and '.join(asked)}"


def turn_text(view: Any, table: Engine) -> str:
    """Which turn it is, and how often the stock was renewed."""
    most = table.rules.max_turns(table.num_players)
    renewed = int(view["reshuffles"])
    return f"turn {min(int(view['turns']) + 1, most)} of {most}" + (f", stock renewed {renewed}x" if renewed else "")


def status(view: Any, table: Engine) -> tuple[str, str]:
    """The phase in words: a line, and one with details, which may be empty."""
    phase = Phase(int(view["phase"]))
    actor = seat_name(int(view["actor"]))
    details = "just opened" if view["opened_now"] else ""
    match phase:
        case Phase.DRAW:
            line, details = f"{actor} draws", "after a call that was allowed" if view["after_call"] else ""
        case Phase.PLAY:
            line = f"{actor} plays"
        case Phase.MELD:
            line, details = f"{actor} opens: which meld next?", _opening(view, table)
        case Phase.FILL:
            kind, key, low = (int(view[f"meld_{part}_now"]) for part in ("kind", "key", "low"))
            line = f"{actor} lays a {meld_text(kind, key, low, table)}"
            if not view["opened"][int(view["actor"])]:
                details = _opening(view, table)
        case Phase.LAYOFF:
            slot = int(view["target"])
            end = "" if view["meld_kind"][slot] != MeldKind.FOUR else f", {_end(view)} end"
            line = f"{actor} lays off onto {meld_name(slot, view, table)}{end}"
        case Phase.MOVE:
            name = meld_name(int(view["target"]), view, table)
            line = f"{actor} swaps a joker in {name}" if table.is_kaluki else f"{actor} moves a joker in {name}"
            if not table.is_kaluki:
                details = f"to the {_end(view)} end"
        case Phase.CALL:
            line, details = f"{actor} is asked: call the discard?", f"{seat_name(int(view['turn']))} discarded it"
        case Phase.ANSWER:
            line = f"{seat_name(int(view['caller']))} calls, {actor} decides"
            details = "allow or refuse?"
        case Phase.OVER:
            winner = int(view["winner"])
            line, details = f"{seat_name(winner)} went out" if winner >= 0 else "Blocked: nobody went out", "the deal is over"
    owed = [int(view["owed_card"]) - 1] * bool(view["owed_card"]) + [JOKER] * int(view["owed_jokers"])
    if owed and phase is not Phase.OVER:
        must = f"must lay {cards_text(owed)} in a new meld"
        details = f"{details}; {must}" if details else must
    return line, details


def _opening(view: Any, table: Engine) -> str:
    """What an opening under construction lacks."""
    if table.is_kaluki:
        return f"{view['points_laid']} of {table.rules.opening_points} points lie"
    left = [count_text(int(view[key]), word) for key, word in (("threes_left", "three"), ("fours_left", "four")) if view[key]]
    if not left:
        return "the last meld"
    return ("after this " if view["phase"] == Phase.FILL else "to lay: ") + " and ".join(left)


def _end(view: Any) -> str:
    return "high" if view["target_high"] else "low"


def seat_tags(view: Any, seat: int) -> list[tuple[str, str]]:
    """Small labels at a seat, with their styles."""
    phase = Phase(int(view["phase"]))
    found = []
    if phase is Phase.OVER:
        if seat == int(view["winner"]):
            found.append(("went out", GOLD))
        found.append((f"score {view['scores'][seat]}", GOLD))
    elif phase in (Phase.CALL, Phase.ANSWER):
        if seat == int(view["turn"]):
            found.append(("discarded", PLAIN))
        if phase is Phase.ANSWER and seat == int(view["caller"]):
            found.append(("calls", GOLD))
        if seat == int(view["actor"]):
            found.append(("asked" if phase is Phase.CALL else "decides", GOLD))
    elif seat == int(view["turn"]):
        found.append(("turn", GOLD))
    if view["opened"][seat]:
        found.append(("opened", PLAIN))
    if seat == int(view["dealer"]):
        found.append(("dealer", PLAIN))
    made, allowed = int(view["calls_made"][seat]), int(view["calls_allowed"][seat])
    if made:
        found.append((f"called {made}x, {allowed} allowed", PLAIN))
    return found


def seat_facts(view: Any, seat: int) -> list[str]:
    """Numbers at a seat: cards in the hand, and in a match its total."""
    found = [count_text(int(view["hand_n"][seat]), "card")]
    if view["match_deal"]:
        found.append(f"total {_total(view, seat)}")
    return found


def _total(view: Any, seat: int) -> int:
    """The total of a seat in a match: before this deal, and once that is over, after it."""
    return int(view["totals"][seat]) + (int(view["scores"][seat]) if view["phase"] == Phase.OVER else 0)


def short_actions(legal: Iterable[str]) -> list[str]:
    """Texts of legal actions, all discards in one word: they are the cards of the hand."""
    texts = list(legal)
    discards = [text for text in texts if text.startswith("discard ")]
    if len(discards) < 2:
        return texts
    return ["discard a card", *(text for text in texts if not text.startswith("discard "))]


def score_tags(view: Any, table: Engine) -> list[tuple[str, str]]:
    """Scores of a deal that is over, in a match with the totals after it."""
    found = []
    for seat in range(table.num_players):
        total = f", total {_total(view, seat)}" if view["match_deal"] else ""
        found.append((f"{seat_name(seat)}: {view['scores'][seat]}{total}", GOLD if seat == int(view["winner"]) else PLAIN))
    return found
