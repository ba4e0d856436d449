"""A match as text: head lines with the scores of its deals, then the position of the deal that is being played.

    kalooki match: 1
    rules: jamaican
    players: 4
    first dealer: P2
    seed: 7
    scores 1: P1 -50, P2 23, P3 91, P4 15
    table: P1 P2 P3 P4

    kalooki: 1
    ...

`scores 1` to `scores N` are the deals in the order in which they were played, all matches of a series together; in a sudden
death only its seats are listed. `table` names the seats that play the present deal: P1 of the position is the first of them.
When the match is over, `table: -` and no position follow.
"""

from __future__ import annotations

import re

from kalooki_env.errors import NotationError, PositionError, closest
from kalooki_env.files import text_of
from kalooki_env.game.cards import seat_name, seat_number
from kalooki_env.game.game import Game
from kalooki_env.game.match_score import MatchDeal, MatchScore, Row, deal_name
from kalooki_env.rules import MAX_PLAYERS, Rules
from kalooki_env.values import check_seed

_KEYS = ("kalooki match", "rules", "players", "first dealer", "seed", "table")
_SCORES = re.compile(r"scores ([1-9]\d{0,5})")
_SCORE = re.compile(r"(P\d+) (-?\d{1,6})")


def match_text(score: MatchScore, seed: int, game: Game | None) -> str:
    """The whole match, hidden cards of the present deal included, as lines that end with a line break.

    Args:
        score: the score so far.
        seed: seed of the match.
        game: the deal that is being played, None when the match is over.
    """
    lines = [
        "kalooki match: 1",
        f"rules: {score.rules}",
        f"players: {score.num_players}",
        f"first dealer: {seat_name(score.first_dealer)}",
        f"seed: {seed}",
    ]
    for number, row in enumerate(score.rows, start=1):
        named = (f"{seat_name(seat)} {one}" for seat, one in enumerate(row) if one is not None)
        lines.append(f"scores {number}: {', '.join(named)}")
    lines.append("table: " + (" ".join(seat_name(seat) for seat in _table(score)) or "-"))
    return "\n".join(lines) + "\n" + ("" if game is None else "\n" + game.text())


def read_match(text: str, max_seats: int | None = None) -> tuple[MatchScore, int, Game | None]:
    """The score of a match, its seed, and the deal that is being played, if its position is given, from a text.

    Args:
        text: the text.
        max_seats: seats that the action numbers have room for; default: those of the match.

    Raises:
        NotationError: a line that cannot be read, is missing, or stands twice.
        RulesError: unknown rules, an impossible table, or scores that cannot be.
        PositionError: a position that cannot be, or that is not of the deal which comes next by the scores.
    """
    head, position = _parts(text_of("match", text))
    lines, scores = _split(head)
    rules = Rules.parse(lines["rules"])
    if not re.fullmatch(r"[1-9]", lines["players"]):
        raise NotationError(f"match line players: {lines['players']!r} is not allowed; allowed: 2 to {MAX_PLAYERS}")
    num_players = int(lines["players"])
    first_dealer = seat_number(lines["first dealer"], num_players)
    if not re.fullmatch(r"\d{1,19}", lines["seed"]):
        raise NotationError(f"match line seed: {lines['seed']!r} is not allowed; allowed: a whole number from 0 on")
    rows = [_row(number, value, num_players) for number, value in enumerate(scores, start=1)]
    score = MatchScore.of(rules, num_players, rows, first_dealer)
    table = " ".join(seat_name(seat) for seat in _table(score)) or "-"
    if lines.get("table", table) != table:
        raise PositionError([f"the table is {table} by the scores, not {lines['table']}"])
    seed = check_seed(int(lines["seed"]))
    if not position:
        return score, seed, None
    if score.next_deal is None:
        raise PositionError(["the match is over by its scores, but a position follows"])
    game = Game.from_text(position, num_players if max_seats is None else max_seats)
    faults = _faults(game, score, score.next_deal)
    if faults:
        raise PositionError(faults)
    return score, seed, game


def _table(score: MatchScore) -> tuple[int, ...]:
    """Seats that play the present deal."""
    return () if score.next_deal is None else score.next_deal.seats


def _parts(text: str) -> tuple[list[str], str]:
    """The head lines, and the position that follows, if any."""
    lines = text.splitlines(keepends=True)
    start = next((i for i, line in enumerate(lines) if line.partition(":")[0].strip() == "kalooki"), len(lines))
    return [line.strip() for line in lines[:start] if line.strip()], "".join(lines[start:])


def _split(head: list[str]) -> tuple[dict[str, str], list[str]]:
    """Lines by key, and the values of `scores 1`, `scores 2` and so on."""
    lines: dict[str, str] = {}
    scores: list[str] = []
    for line in head:
        key, colon, value = line.partition(":")
        key = key.strip()
        found = _SCORES.fullmatch(key)
        if not colon or (key not in _KEYS and not found):
            raise NotationError(f"match line {line!r} has no known key{closest(key, (*_KEYS, 'scores 1'))}")
        if key in lines or (found and int(found[1]) <= len(scores)):
            raise NotationError(f"match: the line {key!r} stands twice")
        if found:
            if int(found[1]) != len(scores) + 1:
                raise NotationError(f"match: the line 'scores {len(scores) + 1}' is missing before {key!r}")
            scores.append(value.strip())
        else:
            lines[key] = value.strip()
    missing = [key for key in _KEYS[:-1] if key not in lines]
    if missing:
        raise NotationError(f"match: the line {missing[0]!r} is missing; needed: {', '.join(_KEYS[:-1])}")
    if lines["kalooki match"] != "1":
        raise NotationError(f"match: version {lines['kalooki match']!r} is not known; known: 1")
    return lines, scores


def _row(number: int, value: str, num_players: int) -> Row:
    row: list[int | None] = [None] * num_players
    for item in value.split(","):
        found = _SCORE.fullmatch(item.strip())
        if not found:
            raise NotationError(f"match line scores {number}: {item.strip()!r} is not of the form P1 -50")
        seat = seat_number(found[1], num_players)
        if row[seat] is not None:
            raise NotationError(f"match line scores {number}: {found[1]} stands twice")
        row[seat] = int(found[2])
    return tuple(row)


def _faults(game: Game, score: MatchScore, due: MatchDeal) -> list[str]:
    """Where a position is not of the deal that comes next."""
    name = deal_name(due)
    dealer = due.seats.index(due.dealer)
    wanted = {
        "rules": (score.table_rules, game.rules),
        "players": (len(due.seats), game.num_players),
        "deal": (due.number, int(game.states[0]["deal"])),
        "dealer": (seat_name(dealer), seat_name(int(game.states[0]["dealer"]))),
        "match": (due.ordinal, int(game.states[0]["match_deal"])),
        "totals": (
            tuple(score.totals[seat] for seat in due.seats),
            tuple(int(total) for total in game.states[0]["totals"][: len(due.seats)]),
        ),
    }
    faults = [f"{name} has {key}: {right}, the position {found}" for key, (right, found) in wanted.items() if right != found]
    if game.to_move is None:
        faults.append(f"{name} is over in the position: its scores belong on a line 'scores {len(score.rows) + 1}'")
    return faults
