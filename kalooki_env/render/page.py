"""A record as one HTML page that needs nothing else: the table as cards, the actions, and what agents thought of them.

The page is `page.html`, with the deals as JSON in it. Positions are told by what changes from one to the next.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from kalooki_env.game.cards import seat_name
from kalooki_env.game.game import Game
from kalooki_env.records.recorded import MatchEnd, Record, RecordedDeal, Step
from kalooki_env.rules import Rules


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
        "matches": [{"deals": match.deals, "text": match_text(match)} for match in record.matches],
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


def match_text(match: MatchEnd) -> str:
    """How a match or series ended, in words."""
    sums = ", ".join(f"{seat_name(seat)} {total}" for seat, total in enumerate(match.totals))
    kind = "series" if match.is_series else "match"
    return f"{kind} over: {' and '.join(map(seat_name, match.winners))} won; totals {sums}"


def asked_text(rules: Rules, number: int) -> str:
    """What a deal asks for, in words."""
    contract = rules.contract(number)
    return f"{contract.threes} threes, {contract.fours} fours" if contract.threes or contract.fours else ""


def deal_data(record: Record, index: int) -> dict[str, Any]:
    """A deal as plain values."""
    deal = record.deals[index]
    frames: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    for game in deal.games():
        whole = frame_of(game)
        frames.append({key: value for key, value in whole.items() if last.get(key) != value})
        last = whole
    return {
        "index": index + 1,
        "deal": deal.number,
        "contract": asked_text(record.rules, deal.number),
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


def step_data(step: Step) -> dict[str, Any]:
    """An action as plain values."""
    found: dict[str, Any] = {"seat": step.seat, "action": step.action}
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
    """A position as plain values, from its text: cards as texts with spaces between."""
    frame: dict[str, Any] = {"move": game.to_move, "melds": [], "owed": ""}
    for line in game.text().splitlines():
        key, _, value = line.partition(": ")
        value = "" if value == "-" else value
        if key.startswith("hand P"):
            frame[f"hand{int(key[6:]) - 1}"] = value
        elif key.startswith("meld P"):
            frame["melds"].append([key[5:], value])
        elif key == "opened":
            frame["opened"] = [int(name[1:]) - 1 for name in value.split(", ") if name]
        elif key == "stock":
            cards = value.split()
            frame["stock"], frame["next"] = len(cards), cards[0] if cards else ""
        elif key == "turns":
            frame["turn"] = int(value) + 1
        elif key in ("pile", "phase", "owed"):
            frame[key] = value
    return frame
