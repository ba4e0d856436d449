"""Reading a position text (ACTIONS.md, sections 6 and 8.5)."""

from __future__ import annotations

import re
from collections import Counter

from kalooki_env.errors import NotationError, PositionError
from kalooki_env.files import text_of
from kalooki_env.referee.melds import CARDS, FOUR_SIZE, THREE_SIZE, Four, Meld, Three, sorted_cards
from kalooki_env.referee.notation import (
    GRAMMARS,
    NOTHING,
    SEAT,
    read_cards,
    read_kind,
    read_meld,
    read_seat,
    read_target,
)
from kalooki_env.referee.state import Count, Phase, State, Target
from kalooki_env.rules import JOKER, Rules

_REQUIRED = ("kalooki", "rules", "players", "deal", "dealer", "turns", "phase", "stock", "pile")
_OPTIONAL = ("reshuffles", "opened", "calls", "answers", "rng", "scores")
_PER_SEAT = ("hand", "known", "discarded", "declined")
_REST = "rest"
_NOW = "(?P<opened_now> opened now)?"
_PHASES = {
    "jamaican": (
        rf"(?P<name>draw) (?P<seat>{SEAT})(?P<after_call> after call)?",
        rf"(?P<name>play) (?P<seat>{SEAT}){_NOW}",
        rf"(?P<name>meld) (?P<seat>{SEAT})",
        rf"(?P<name>fill) (?P<seat>{SEAT}) (?P<kind>.*)",
        rf"(?P<name>layoff) (?P<seat>{SEAT}) onto (?P<target>MELD)(?: (?P<end>low|high))?{_NOW}",
        rf"(?P<name>move) (?P<seat>{SEAT}) in (?P<target>MELD) to (?P<end>low|high)",
        rf"(?P<name>call) (?P<seat>{SEAT}) on (?P<other>{SEAT})",
        rf"(?P<name>answer) (?P<seat>{SEAT}) to (?P<other>{SEAT})",
        rf"(?P<name>over) (?P<seat>{SEAT}|blocked)",
    ),
    "kaluki": (
        rf"(?P<name>draw|meld) (?P<seat>{SEAT})",
        rf"(?P<name>play) (?P<seat>{SEAT}){_NOW}",
        rf"(?P<name>fill) (?P<seat>{SEAT}) (?P<kind>.*?){_NOW}",
        rf"(?P<name>layoff) (?P<seat>{SEAT}) onto (?P<target>MELD)(?: (?P<end>low|high))?{_NOW}",
        rf"(?P<name>swap) (?P<seat>{SEAT}) in (?P<target>MELD){_NOW}",
        rf"(?P<name>over) (?P<seat>{SEAT}|blocked)",
    ),
}


def read_position(text: str) -> State:
    """The state that a position text describes. That it is a possible one is not looked at, except that no card is missing.

    Raises:
        NotationError: a line cannot be read, or is missing or there twice.
        PositionError: cards are missing or there too often.
        RulesError: the rules cannot be read, or do not seat this table.
    """
    lines = _lines(text_of("position", text))
    if lines["kalooki"] != "1":
        raise NotationError(f"kalooki: {lines['kalooki']!r} is no known form of a position; known: 1")
    rules = Rules.parse(lines["rules"])
    _check_names(lines, rules.game)
    players, deal = _number(lines, "players"), _number(lines, "deal")
    rules.check_table(players, deal)
    phase = _phase(lines["phase"], players, rules.game)
    order: list[Target] = []
    melds = _melds(lines, players, phase) if rules.game == "jamaican" else _melds_in_order(lines, players, phase, order)
    stock_rest = lines["stock"] == _REST
    state = State(
        rules=rules,
        num_players=players,
        deal=deal,
        dealer=read_seat(lines["dealer"], players),
        turns=_number(lines, "turns"),
        reshuffles=_number(lines, "reshuffles") if "reshuffles" in lines else 0,
        phase=phase,
        hands=_seat_cards(lines, "hand", players),
        melds=melds,
        opened=_opened(lines.get("opened", NOTHING), players),
        calls=_counts(lines.get("calls", NOTHING), players),
        answers=_counts(lines.get("answers", NOTHING), players),
        known=_seat_cards(lines, "known", players),
        discarded=_seat_cards(lines, "discarded", players),
        declined=_seat_cards(lines, "declined", players),
        order=order,
        owed=Counter(read_cards(lines.get("owed", NOTHING))),
        stock=[] if stock_rest else read_cards(lines["stock"]),
        pile=read_cards(lines["pile"]),
    )
    _place_all_cards(state, stock_rest)
    return state


def pack_cards(rules: Rules, num_players: int) -> Counter[str]:
    """All cards of the packs in use (J1.1, J1.3, KL1.1)."""
    packs = rules.packs_for(num_players)
    return Counter({card: rules.jokers_with(packs) if card == JOKER else packs for card in CARDS})


def _lines(text: str) -> dict[str, str]:
    lines: dict[str, str] = {}
    for line in text.strip().splitlines():
        key, colon, value = (part.strip() for part in line.partition(":"))
        kind, _, whose = key.partition(" ")
        is_known = not whose and key in (*_REQUIRED, *_OPTIONAL, "owed")
        is_known = is_known or (kind in _PER_SEAT and re.fullmatch(SEAT, whose) is not None)
        is_known = is_known or (kind == "meld" and any(re.fullmatch(grammar.meld, whose) for grammar in GRAMMARS.values()))
        if not is_known or not colon or not value:
            raise NotationError(f"position: {line!r} is no line of a position")
        if key in lines:
            raise NotationError(f"position: the line {key!r} is there twice")
        lines[key] = value
    missing = [key for key in _REQUIRED if key not in lines]
    if missing:
        raise NotationError(f"position: the line {missing[0]!r} is missing")
    return lines


def _number(lines: dict[str, str], key: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", lines[key]):
        raise NotationError(f"position: {key}: {lines[key]!r} is no number")
    return int(lines[key])


def _check_names(lines: dict[str, str], game: str) -> None:
    """Raise unless the lines are those of the game."""
    strangers = [key for key in lines if key.startswith("meld ") and not re.fullmatch(GRAMMARS[game].meld, key[5:])]
    if game == "jamaican" and "owed" in lines:
        strangers.append("owed")
    if strangers:
        raise NotationError(f"position: {strangers[0]!r} is no line of a position of this game")


def _phase(text: str, players: int, game: str) -> Phase:
    for form in _PHASES[game]:
        if match := re.fullmatch(form.replace("MELD", GRAMMARS[game].meld), text):
            words = match.groupdict()
            return Phase(
                name=words["name"],
                seat=None if words["seat"] == "blocked" else read_seat(words["seat"], players),
                after_call=bool(words.get("after_call")),
                opened_now=bool(words.get("opened_now")),
                filling=read_kind(words["kind"], game) if words.get("kind") else None,
                target=read_target(words["target"], players, game) if words.get("target") else None,
                end=words.get("end"),
                other=read_seat(words["other"], players) if words.get("other") else None,
            )
    raise NotationError(f"position: phase: {text!r} is no phase")


def _melds(lines: dict[str, str], players: int, phase: Phase) -> list[list[Meld]]:
    """The laid melds seat by seat; the cards of a meld that is being filled go to the phase."""
    targets = sorted(read_target(key.partition(" ")[2], players) for key in lines if key.startswith("meld "))
    melds: list[list[Meld]] = [[] for _ in range(players)]
    for seat, number in targets:
        value = lines[f"meld P{seat + 1}/{number + 1}"]
        if number != len(melds[seat]):
            raise NotationError(f"position: meld P{seat + 1}/{len(melds[seat]) + 1} is missing")
        is_last = (seat, number + 1) not in targets
        # A last meld of full size is a finished one: then the meld that is being filled has no card yet.
        full = THREE_SIZE if isinstance(phase.filling, Three) else FOUR_SIZE
        if phase.filling is not None and seat == phase.seat and is_last and len(value.split()) < full:
            phase.filling = _begun(read_meld(value, type(phase.filling)), phase.filling, value)
        else:
            melds[seat].append(read_meld(value))
    return melds


def _melds_in_order(lines: dict[str, str], players: int, phase: Phase, order: list[Target]) -> list[list[Meld]]:
    """The same for Kaluki, where the last line of all is that of the meld that is being filled; `order` gets the others."""
    melds: list[list[Meld]] = [[] for _ in range(players)]
    names = [key.partition(" ")[2] for key in lines if key.startswith("meld ")]
    for name in names:
        seat, number = read_target(name, players, "kaluki")
        value = lines[f"meld {name}"]
        if number != len(melds[seat]):
            raise NotationError(f"position: meld P{seat + 1}/{len(melds[seat]) + 1} is missing, or comes after a later one")
        if phase.filling is not None and name == names[-1] and seat == phase.seat:
            if value != NOTHING:
                phase.filling = _begun(read_meld(value, type(phase.filling), "kaluki"), phase.filling, value)
            return melds
        melds[seat].append(read_meld(value, game="kaluki"))
        order.append((seat, number))
    if phase.filling is not None:
        raise NotationError("position: the last line of the melds is not that of the meld that the phase names")
    return melds


def _begun(meld: Meld, named: Meld, text: str) -> Meld:
    """The meld that is being filled, if it is of the kind that the phase names."""
    if isinstance(meld, Three) and isinstance(named, Three) and meld.rank == named.rank:
        return meld
    if isinstance(meld, Four) and isinstance(named, Four) and (meld.suit, meld.low) == (named.suit, named.low):
        return meld
    raise NotationError(f"position: {text!r} does not begin the meld that the phase names")


def _seat_cards(lines: dict[str, str], key: str, players: int) -> list[Counter[str]]:
    seats = [f"P{seat + 1}" for seat in range(players)]
    strangers = [line for line in lines if line.startswith(f"{key} ") and line.partition(" ")[2] not in seats]
    if strangers:
        raise NotationError(f"position: {strangers[0]}: there is no such seat")
    if key == "hand":
        missing = [seat for seat in seats if f"hand {seat}" not in lines]
        if missing:
            raise NotationError(f"position: the line 'hand {missing[0]}' is missing")
    return [Counter(read_cards(lines.get(f"{key} {seat}", NOTHING))) for seat in seats]


def _opened(text: str, players: int) -> list[bool]:
    opened = [False] * players
    if text != NOTHING:
        for word in text.split(","):
            opened[read_seat(word.strip(), players)] = True
    return opened


def _counts(text: str, players: int) -> list[Count]:
    counts = [Count() for _ in range(players)]
    if text != NOTHING:
        for words in text.split(","):
            match = re.fullmatch(rf"({SEAT}) ([0-9]{{1,4}})/([0-9]{{1,4}})", words.strip())
            if not match:
                raise NotationError(f"position: {words.strip()!r} is not of the form P1 2/1")
            counts[read_seat(match[1], players)] = Count(int(match[2]), int(match[3]))
    return counts


def _place_all_cards(state: State, stock_rest: bool) -> None:
    """Fill the stock if it is `rest`; raise unless every card of the packs lies in exactly one place."""
    lying = sum(state.hands, Counter(state.stock + state.pile))
    for seat in range(state.num_players):
        for meld in state.table(seat):
            lying.update(meld.cards)
    cards = pack_cards(state.rules, state.num_players)
    faults = [f"{card} lies {lying[card]} times, the packs hold {cards[card]}" for card in lying - cards]
    if stock_rest:
        state.stock = sorted_cards((cards - lying).elements())
    else:
        faults += [f"{card} lies {lying[card]} times, the packs hold {cards[card]}" for card in cards - lying]
    if faults:
        raise PositionError(faults)
