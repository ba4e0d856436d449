"""A record as one HTML page that needs nothing else: the table as cards, the actions, and what agents thought of them.

The page is `page.html`, with the deals as JSON in it. Positions are told by what changes from one to the next.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np

from kalooki_env.game.cards import CARD_NAMES, cards_text, seat_name
from kalooki_env.game.game import Game
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.game.notation import meld_name
from kalooki_env.game.position import phase_text, pile_cards
from kalooki_env.records.recorded import Record, RecordedDeal


def page_html(record: Record, chosen: Sequence[int] | None = None) -> str:
    """The page.

    Args:
        record: the record.
        chosen: indices of its deals; default: all.
    """
    indices = range(len(record.deals)) if chosen is None else chosen
    data = {
        "title": record.path.name,
        "rules": str(record.rules),
        "package": record.package,
        "seed": None if record.seed is None else str(record.seed),
        "cut": record.cut,
        "deals": [deal_data(record, index) for index in indices],
        "matches": [{"deals": match.deals, "text": match_text(match.totals, match.winners)} for match in record.matches],
    }
    page = resources.files("kalooki_env.render").joinpath("page.html").read_text(encoding="utf-8")
    # Split before anything is filled in: what a record says may look like the marks.
    before, _, rest = page.partition("@TITLE@")
    between, _, after = rest.partition("@DATA@")
    title = html.escape(record.path.name.encode("utf-8", "replace").decode("utf-8"))
    return before + title + between + embedded(data) + after


def embedded(data: Any) -> str:
    """JSON for a script element: nothing in it ends the element, or means anything else to a reader of HTML."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)  # ASCII, so the line separators of JavaScript are escaped
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def match_text(totals: Sequence[int], winners: Sequence[int]) -> str:
    """How a match ended, in words."""
    sums = ", ".join(f"{seat_name(seat)} {total}" for seat, total in enumerate(totals))
    return f"match over: {' and '.join(map(seat_name, winners))} won; totals {sums}"


def deal_data(record: Record, index: int) -> dict[str, Any]:
    """A deal as plain values."""
    deal = record.deals[index]
    frames: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    contract = record.rules.contract(deal.number)
    for game in deal.games():
        whole = frame_of(game)
        frames.append({key: value for key, value in whole.items() if last.get(key) != value})
        last = whole
    return {
        "index": index + 1,
        "deal": deal.number,
        "contract": f"{contract.threes} threes, {contract.fours} fours",
        "dealer": deal.dealer,
        "players": len(deal.sits),
        "names": list(deal.seats),
        "sits": [seat_name(seat) for seat in deal.sits],
        "seed": None if deal.seed is None else str(deal.seed),
        "lane": deal.lane,
        "totals": None if deal.totals is None else list(deal.totals),
        "end": end_text(deal),
        "scores": None if deal.outcome is None else list(deal.outcome.scores),
        "out": None if deal.outcome is None else deal.outcome.winner,
        "frames": frames,
        "steps": [step_data(step) for step in deal.steps],
    }


def end_text(deal: RecordedDeal) -> str:
    """How a deal ended, in words."""
    if deal.outcome is None:
        return f"not played to its end: {deal.abandoned}"
    return "blocked: nobody went out" if deal.outcome.winner is None else f"{seat_name(deal.outcome.winner)} went out"


def step_data(step: Any) -> dict[str, Any]:
    """An action as plain values."""
    found = {"seat": step.seat, "action": step.action}
    if step.drawn:
        found["drawn"] = " ".join(step.drawn)
    if step.renewed:
        found["renewed"] = len(step.renewed)
    if step.policy is not None:
        found["policy"] = sorted(step.policy.items(), key=lambda pair: -pair[1])
    if step.value is not None:
        found["value"] = step.value
    return found


def frame_of(game: Game) -> dict[str, Any]:
    """A position as plain values; cards as texts with spaces between."""
    state = game.states[0]
    frame: dict[str, Any] = {f"hand{seat}": " ".join(game.hand(seat)) for seat in range(game.num_players)}
    frame["opened"] = [seat for seat in range(game.num_players) if state["opened"][seat]]
    melds = [(meld_name(slot), meld_in_slot(state, slot)) for slot in np.flatnonzero(state["meld_len"]).tolist()]
    frame["melds"] = [[name, meld.text()] for name, meld in melds if meld is not None]
    stock, pile = pile_cards(state, "stock"), pile_cards(state, "pile")
    frame["stock"] = len(stock)
    frame["next"] = CARD_NAMES[stock[0]] if stock else ""
    frame["pile"] = cards_text(pile) if pile else ""
    frame["turn"] = int(state["turns"]) + 1
    frame["phase"] = phase_text(state)
    frame["move"] = game.to_move
    return frame
