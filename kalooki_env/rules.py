"""The rules of a game as one frozen, validated value, and the named presets.

A key exists only if a shipped preset gives it a value of its own. What the engine needs beyond the keys (contracts, hand sizes,
scores) is answered by methods, so that no rule is written down twice. Rule numbers refer to `RULES.md`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from kalooki_env.errors import RulesError, RulesTypeError, closest
from kalooki_env.files import FileFault, read_yaml
from kalooki_env.presets import NINE_DEALS, PRESETS
from kalooki_env.values import path_of, plain, shown

RANKS = "A23456789TJQK"
SUITS = "SHDC"
JOKER = "JK"

#: Most seats that a table may have (J1.2), and so the most that a record has room for.
MAX_PLAYERS = 8


class Contract(NamedTuple):
    """What a deal asks for (J4): numbers of threes and fours, and the cards dealt to each seat. Kaluki has no melds in it."""

    threes: int
    fours: int
    hand_size: int

    @classmethod
    def parse(cls, text: str, game: str = "jamaican") -> Contract:
        """A contract from its text: `344/11`, or in Kaluki, which asks for points and no melds, `14`.

        Raises:
            RulesError: a text of another form, no melds or more than four, or a hand that does not hold them.
        """
        melds, _, hand = text.rpartition("/")
        threes, fours = melds.count("3"), melds.count("4")
        fitting = melds == "3" * threes + "4" * fours and hand.isascii() and hand.isdecimal() and len(hand) < 3
        if game == "jamaican":
            fitting = fitting and 1 <= len(melds) <= 4 and 3 * threes + 4 * fours <= int(hand) <= MAX_HAND
        else:
            fitting = fitting and text == hand and 1 <= int(hand) <= MAX_HAND
        if not fitting:
            form = (
                "one to four melds, threes first, and as many cards or more, as 344/11" if game == "jamaican" else "cards, as 14"
            )
            raise RulesError(f"rules key deals: {shown(text)} is not allowed; allowed: {form}, {MAX_HAND} cards at most")
        return cls(threes, fours, int(hand))


#: Most deals that a match has different contracts for, and most cards of a hand that is dealt.
MAX_DEALS, MAX_HAND = 9, 16
#: Largest value of keys that are limits.
MOST = 10_000

_ALLOWED: dict[str, tuple[Any, ...]] = {
    "game": ("jamaican", "kaluki"),
    "min_players": (2, 3),
    "max_players": (5, 6, 8),
    "packs": ("auto", 2, 3),
    "joker_total": (None, 2),
    "set_min_naturals": (1, 2),
    "ace_in_run": ("high_or_low", "high_only"),
    "contract_distinct_ranks": (False, True),
    "contract_distinct_suits": (False, True),
    "joker_opening_value": (15, "represented"),
    "upcard_before_opening": ("free", "only_to_open"),
    "upcard_after_opening": ("free", "only_for_new_meld"),
    "extra_melds": ("never", "later_turns", "any_time_after_opening"),
    "layoff_in_opening_turn": (True, False),
    "final_discard_required": (False, True),
    "calls_enabled": (False, True),
    "call_decider": ("discarder", "next_player"),
    "call_refusal_forces_take": (False, True),
    "draw_after_call": ("either", "stock_only"),
    "joker_release": ("owner_moves_to_end", "anyone_moves_to_end", "swap_to_hand"),
    "joker_release_requires": ("opened_earlier_turn", "opened", "nothing"),
    "joker_release_sets": ("never", "any_missing_suit", "all_missing_suits"),
    "joker_after_swap": ("free", "new_meld_this_turn"),
    "layoff_run_order": ("either_end", "high_end_first"),
    "pip_joker": (50, 25, 15),
    "pip_black_ace": (15, 11),
    "pip_red_ace": (1, 15, 11),
    "go_out_score": (-50, 0),
    "unmet_opening_penalty": (50, 0),
    "tie_break": ("sudden_death", "shared", "extra_deal"),
    "series": ("single", "best_of_3"),
    "stakes": ("none", "pot", "per_deal"),
    "open_hands": (False, True),
}
#: Keys that take a whole number, or None for "no limit" and the like, with the least number.
_LIMITS = {"opening_points": 1, "call_max_per_deal": 0, "reshuffle_max": 0, "match_deals": 1, "score_limit": 1}
#: Keys that take a whole number, from 0 on: no source gives these amounts.
_AMOUNTS = ("stake", "stake_bonus")
#: Keys that have no meaning in one of the games, and the values that they have there.
_FIXED: dict[str, dict[str, tuple[Any, ...]]] = {
    "jamaican": {
        "opening_points": (None,),
        "joker_total": (None,),
        "ace_in_run": ("high_or_low",),
        "joker_opening_value": (15,),
        "upcard_before_opening": ("free",),
        "upcard_after_opening": ("free",),
        "extra_melds": ("never",),
        "layoff_in_opening_turn": (True,),
        "final_discard_required": (False,),
        "joker_release": ("owner_moves_to_end", "anyone_moves_to_end"),
        "joker_release_requires": ("opened_earlier_turn",),
        "joker_release_sets": ("never",),
        "joker_after_swap": ("free",),
        "match_deals": (None,),
        "score_limit": (None,),
    },
    "kaluki": {
        "packs": (2,),
        "set_min_naturals": (1,),
        "contract_distinct_ranks": (False,),
        "contract_distinct_suits": (False,),
        "extra_melds": ("later_turns", "any_time_after_opening"),
        "calls_enabled": (False,),
        "call_decider": ("discarder",),
        "call_max_per_deal": (None,),
        "call_refusal_forces_take": (False,),
        "draw_after_call": ("either",),
        "joker_release": ("swap_to_hand",),
        "joker_release_requires": ("opened", "nothing"),
        "joker_release_sets": ("any_missing_suit", "all_missing_suits"),
        "layoff_run_order": ("either_end",),
        "tie_break": ("shared", "extra_deal"),
    },
}


@dataclass(frozen=True)
class Rules:
    """Every choice that a table has to make before it plays. Values are checked when the object is made.

    Attributes:
        base: name of the preset that these rules are described by; no part of the comparison.
        game: `jamaican`, contracts of threes and fours (J1 to J13), or `kaluki`, points in sets and runs (KL1 to KL6).
        min_players, max_players: seats (J1.2, KL1.1).
        packs: 54-card packs, or "auto" for the fewest that serve every deal (J1.3).
        joker_total: jokers in the deck, None for two a pack.
        deals: the deals of a match, texts of `Contract` (J4); of `kaluki`, one that serves all.
        set_min_naturals: fewest natural cards in a three (J3.5).
        ace_in_run: whether an ace may be low in a run of `kaluki` (KL3.2).
        contract_distinct_ranks: the threes of a contract must differ in rank (J7.4).
        contract_distinct_suits: the fours of a contract must differ in suit (J7.4).
        opening_points: points that open in `kaluki` (KL4.2).
        joker_opening_value: points of a joker in an opening, or those of the card that it stands for (KL2).
        upcard_before_opening: whether a seat that has not opened must open with an upcard that it takes (KL4.1).
        upcard_after_opening: whether a seat that has opened must lay such an upcard in a new meld (KL4.1).
        extra_melds: when a seat that has opened may lay further melds (J7.7, KL4.3).
        layoff_in_opening_turn: whether it may lay off in the turn in which it opened (J8.1, KL4.2).
        final_discard_required: whether the last card has to be discarded (KL5.1).
        calls_enabled: whether discards can be called at all (J6).
        call_decider: who allows or refuses a call (J6.4).
        call_max_per_deal: calls that a seat may have allowed in one deal, None for no limit (J6.2d).
        call_refusal_forces_take: a refusal is the refuser's own draw of the card; only with `next_player`.
        draw_after_call: what the next seat may draw after an allowed call (J6.5).
        joker_release: who may move a joker in a four (J9.1), or that any seat that has opened swaps jokers into its hand (KL4.4).
        joker_release_requires: what a seat must have done to move or swap a joker: opened in an earlier turn (J9.1), opened, or
            nothing (KL4.4).
        joker_release_sets: when a joker leaves a three (J9.1) or set (KL4.4): never, for a natural of any suit that is not
            there, or for naturals of all of them, which go in together, and all its jokers leave.
        joker_after_swap: whether a joker that was swapped must be laid in a new meld in the same turn (KL4.4).
        layoff_run_order: whether a four must be built up to the ace before its low end is open (J8.4).
        reshuffle_max: reshuffles in one deal, None for no limit (J12.1, KL5.3).
        pip_joker, pip_black_ace, pip_red_ace: points of these cards left in hand (J2.2, KL2).
        go_out_score: score of the seat that goes out (J11.1, KL5.2).
        unmet_opening_penalty: added to the score of a seat that has not opened (J11.3, KL5.2).
        match_deals: deals of a match of `kaluki`, None for a limit instead (KL6.1).
        score_limit: the total above which a match of `kaluki` ends, None for a number of deals (KL6.1).
        tie_break: what decides between equal totals: deals among the tied (J13.2), one deal of all (KL6.2), or nothing.
        series: one match, or the best of three (J13.3).
        stakes: chips that a match is played for; they never change play (J13.4).
        stake: chips that each seat pays into the pot, of the match or of each deal.
        stake_bonus: chips that each other seat pays to the seat that goes out; only with stakes per deal.
        open_hands: all hands are visible to all seats.

    Raises:
        RulesError: a value that is not allowed, or two values that exclude each other.
    """

    base: str = field(default="jamaican", compare=False)
    game: Literal["jamaican", "kaluki"] = "jamaican"
    min_players: int = 3
    max_players: int = 8
    packs: Literal["auto", 2, 3] = "auto"
    joker_total: int | None = None
    deals: tuple[str, ...] = NINE_DEALS
    set_min_naturals: Literal[1, 2] = 1
    ace_in_run: Literal["high_or_low", "high_only"] = "high_or_low"
    contract_distinct_ranks: bool = False
    contract_distinct_suits: bool = False
    opening_points: int | None = None
    joker_opening_value: Literal[15, "represented"] = 15
    upcard_before_opening: Literal["free", "only_to_open"] = "free"
    upcard_after_opening: Literal["free", "only_for_new_meld"] = "free"
    extra_melds: Literal["never", "later_turns", "any_time_after_opening"] = "never"
    layoff_in_opening_turn: bool = True
    final_discard_required: bool = False
    calls_enabled: bool = True
    call_decider: Literal["discarder", "next_player"] = "discarder"
    call_max_per_deal: int | None = None
    call_refusal_forces_take: bool = False
    draw_after_call: Literal["either", "stock_only"] = "either"
    joker_release: Literal["owner_moves_to_end", "anyone_moves_to_end", "swap_to_hand"] = "owner_moves_to_end"
    joker_release_requires: Literal["opened_earlier_turn", "opened", "nothing"] = "opened_earlier_turn"
    joker_release_sets: Literal["never", "any_missing_suit", "all_missing_suits"] = "never"
    joker_after_swap: Literal["free", "new_meld_this_turn"] = "free"
    layoff_run_order: Literal["either_end", "high_end_first"] = "either_end"
    reshuffle_max: int | None = None
    pip_joker: Literal[50, 25, 15] = 50
    pip_black_ace: Literal[15, 11] = 15
    pip_red_ace: Literal[1, 15, 11] = 1
    go_out_score: int = -50
    unmet_opening_penalty: int = 50
    match_deals: int | None = None
    score_limit: int | None = None
    tie_break: Literal["sudden_death", "shared", "extra_deal"] = "sudden_death"
    series: Literal["single", "best_of_3"] = "single"
    stakes: Literal["none", "pot", "per_deal"] = "none"
    stake: int = 1
    stake_bonus: int = 1
    open_hands: bool = False

    def __post_init__(self) -> None:
        for key in RULE_KEYS:
            object.__setattr__(self, key, plain(getattr(self, key)))
        if not isinstance(self.base, str) or self.base not in PRESETS:
            raise RulesError(f"unknown rules {shown(self.base)}{closest(self.base, PRESETS)}")
        self._check_deals()
        for key, allowed in _ALLOWED.items():
            self._check_value(key, allowed)
        for key, least in _LIMITS.items():
            value = getattr(self, key)
            if value is not None and (type(value) is not int or not least <= value <= MOST):
                kind = RulesError if type(value) is int else RulesTypeError
                raise kind(
                    f"rules key {key}: {shown(value)} is not allowed; allowed: null, or a whole number from {least} to {MOST}"
                )
        for key in _AMOUNTS:
            value = getattr(self, key)
            if type(value) is not int or not 0 <= value <= MOST:
                kind = RulesError if type(value) is int else RulesTypeError
                raise kind(f"rules key {key}: {shown(value)} is not allowed; allowed: a whole number from 0 to {MOST}")
        for key, allowed in _FIXED[self.game].items():
            self._check_value(key, allowed, f" with game: {self.game}")
        if self.call_refusal_forces_take and self.call_decider != "next_player":
            raise RulesError("rules key call_refusal_forces_take: true needs call_decider: next_player")
        if self.game == "kaluki":
            if self.opening_points is None:
                raise RulesError(f"rules key opening_points: null is not allowed with game: kaluki; allowed: 1 to {MOST}")
            if (self.match_deals is None) == (self.score_limit is None):
                raise RulesError(
                    f"rules keys match_deals: {word(self.match_deals)} and score_limit: {word(self.score_limit)} are not "
                    "allowed together; allowed: one of the two, the other null"
                )

    def _check_value(self, key: str, allowed: tuple[Any, ...], where: str = "") -> None:
        value = getattr(self, key)
        # `True == 1`: compare types too, so that a number never passes for a yes.
        if not any(value == item and type(value) is type(item) for item in allowed):
            kind = RulesError if type(value) in map(type, allowed) else RulesTypeError
            raise kind(f"rules key {key}: {shown(value)} is not allowed{where}{closest(value, allowed)}")

    def _check_deals(self) -> None:
        if not isinstance(self.game, str) or self.game not in _FIXED:
            return  # reported with the other values
        if not isinstance(self.deals, tuple) or not all(isinstance(deal, str) for deal in self.deals):
            raise RulesTypeError(
                f"rules key deals: {shown(self.deals)} is not allowed; allowed: a list of texts such as '344/11'"
            )
        most = MAX_DEALS if self.game == "jamaican" else 1
        if len(self.deals) > most:
            raise RulesError(f"rules key deals: {len(self.deals)} deals are not allowed; allowed: at most {most}")
        for deal in self.deals:
            Contract.parse(deal, self.game)

    # ---- making rules --------------------------------------------------------------------------------------------

    @classmethod
    def preset(cls, name: str = "jamaican", /, **overrides: Any) -> Rules:
        """Rules of a named preset, with some keys changed.

        Args:
            name: one of `presets()`.
            **overrides: keys of this class.

        Raises:
            RulesError: unknown name, key or value; the message gives the closest known one.
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise RulesError(f"unknown rules {shown(name)}{closest(name, PRESETS)}")
        return cls(base=name, **{**PRESETS[name].values, **_checked_keys(overrides)})

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Rules from their text, a preset's name and `key=value` words: `jamaican call_max_per_deal=3`.

        Raises:
            RulesError: unknown name, key or value, or a word of another form.
        """
        name, *words = text.split() or [""]
        overrides: dict[str, Any] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals:
                raise RulesError(f"rules text {text!r}: {word!r} is not of the form key=value")
            if key in overrides:
                raise RulesError(f"rules text {text!r}: the key {key!r} stands twice")
            overrides[key] = _value(key, value)
        return cls.preset(name, **overrides)

    @classmethod
    def of(cls, value: Rules | str) -> Rules:
        """Rules from themselves or from their text.

        Raises:
            RulesError: neither of these, or a text that names no rules.
        """
        if isinstance(value, Rules):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        raise RulesTypeError(
            f"rules {shown(value)} are not allowed; allowed: a Rules object, or a text such as 'jamaican pip_joker=25'"
        )

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> Rules:
        """Rules from a mapping: `{"preset": name, key: value, ...}`; without `preset`, from `jamaican`.

        Raises:
            RulesError: unknown name, key or value.
        """
        values = dict(data)
        name = values.pop("preset", "jamaican")
        if not isinstance(name, str):
            raise RulesError(f"rules key preset: {shown(name)} is not allowed{closest(name, PRESETS)}")
        bad = [key for key in values if not isinstance(key, str)]
        if bad:
            raise RulesError(f"unknown rules key {bad[0]!r}{closest(bad[0], RULE_KEYS)}")
        return cls.preset(name, **values)

    @classmethod
    def from_yaml(cls, path: str | Path) -> Rules:
        """Rules from a YAML file that holds a mapping as for `from_mapping`. Needs the package PyYAML.

        Raises:
            RulesError: the file cannot be read, is no mapping, or holds unknown names or values.
        """
        path = path_of("path", path)
        try:
            data = read_yaml(path)
        except ImportError as error:
            raise RulesError("reading rules from YAML needs PyYAML: pip install 'kalooki_env[train]'") from error
        except FileFault as fault:
            raise RulesError(f"rules file {path} {fault}") from fault
        if not isinstance(data, dict):
            raise RulesError(f"rules file {path}: expected a mapping of keys to values, found {shown(data)}")
        try:
            return cls.from_mapping(data)
        except RulesError as error:
            raise RulesError(f"rules file {path}: {error}") from error

    def replace(self, **overrides: Any) -> Rules:
        """These rules with some keys changed."""
        return dataclasses.replace(self, **_checked_keys(overrides))

    def as_dict(self) -> dict[str, Any]:
        """All keys and their values, the base aside."""
        return {key: getattr(self, key) for key in RULE_KEYS}

    def __str__(self) -> str:
        """The text that `parse` reads: the preset's name and the keys that differ from it."""
        base = {**{f.name: f.default for f in dataclasses.fields(Rules)}, **PRESETS[self.base].values}
        words = [f"{key}={word(value)}" for key, value in self.as_dict().items() if value != base[key]]
        return " ".join([self.base, *words])

    # ---- what follows from the keys ------------------------------------------------------------------------------

    @property
    def num_deals(self) -> int:
        """Deals that differ: nine in a Jamaican match (J4), one in Kaluki (KL1.2)."""
        return len(self.deals)

    def contract(self, deal: int) -> Contract:
        """Contract and hand size of deal number 1 to `num_deals` (J4).

        Raises:
            RulesError: no such deal, or rules whose deals have yet to be supplied.
        """
        if not self.deals:
            raise RulesError(
                f"rules {self.base!r}: no source gives the contracts of its deals, so they must be supplied: in a text "
                f"'{self.base} deals=33/13,34/13', in Python Rules.preset('{self.base}', deals=['33/13', '34/13']): threes, "
                "fours, and the cards of a hand"
            )
        if type(deal) is not int or not 1 <= deal <= self.num_deals:
            raise RulesError(f"deal {deal!r} is not allowed; allowed: 1 to {self.num_deals}")
        return Contract.parse(self.deals[deal - 1], self.game)

    def card_points(self, card: str) -> int:
        """Points of a card left in hand (J2.2, KL2), for a card text such as `7S` or `JK`."""
        if card == JOKER:
            return self.pip_joker
        rank, suit = card[0], card[1]
        if rank == "A":
            return self.pip_black_ace if suit in "SC" else self.pip_red_ace
        return 10 if rank in "TJQK" else int(rank)

    def most_points(self, num_players: int) -> int:
        """More points than a seat can have in a deal: those of the whole deck, and for not having opened (J11, KL5.2)."""
        packs = self.packs_for(num_players)
        naturals = sum(self.card_points(rank + suit) for rank in RANKS for suit in SUITS)
        return packs * naturals + self.jokers_with(packs) * self.pip_joker + self.unmet_opening_penalty

    def max_turns(self, num_players: int) -> int:
        """Turns after which a deal is blocked (J12.4)."""
        return 60 * num_players

    def jokers_with(self, packs: int) -> int:
        """Jokers in a deck of so many packs (J1.1, KL1.1)."""
        return 2 * packs if self.joker_total is None else self.joker_total

    def packs_for(self, num_players: int) -> int:
        """Packs in use at a table of this size (J1.3).

        With "auto" the fewest packs, 2 or 3, with which every deal leaves at least one card per player in the stock.

        Raises:
            RulesError: the table cannot be seated: a wrong number of players, or too few packs for some deals.
        """
        self.contract(1)
        if type(num_players) is not int or not 2 <= num_players <= self.max_players:
            sudden_death = f", and 2 in a sudden death (deal {self.num_deals})" if self.min_players > 2 else ""
            raise RulesError(
                f"{num_players!r} players are not allowed; allowed: {self.min_players} to {self.max_players}{sudden_death}"
            )
        least = num_players if self.game == "jamaican" else 1
        for packs in (2, 3) if self.packs == "auto" else (self.packs,):
            size = 52 * packs + self.jokers_with(packs)
            short = [
                number
                for number in range(1, self.num_deals + 1)
                if size - num_players * self.contract(number).hand_size - 1 < least
            ]
            if not short:
                return packs
        raise RulesError(
            f"{num_players} players cannot play with {self.packs} packs: deal {', '.join(map(str, short))} would leave fewer "
            f"than {least} cards in the stock; use packs: auto"
        )

    def check_table(self, num_players: int, deal: int) -> None:
        """Raise unless this deal can be played by this many players.

        Two players of the Jamaican game meet only in a sudden death, which is played with the last contract (J13.2).

        Raises:
            RulesError: the table cannot be seated, or there is no such deal.
        """
        self.contract(deal)
        self.packs_for(num_players)
        if num_players < self.min_players and deal != self.num_deals:
            raise RulesError(
                f"2 players may play only a sudden death, deal {self.num_deals}, not deal {deal}; "
                f"allowed: {self.min_players} to {self.max_players} players"
            )


#: Names of all keys, in the order in which texts list them.
RULE_KEYS: tuple[str, ...] = tuple(f.name for f in dataclasses.fields(Rules) if f.name != "base")
_VALUE_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


def presets() -> Mapping[str, str]:
    """Names of the shipped presets and one line about each; the default, `jamaican`, comes first."""
    return MappingProxyType({name: preset.about for name, preset in PRESETS.items()})


def _value(key: str, word: str) -> Any:
    """A value from its word in a text."""
    if key == "deals":
        return tuple(word.split(",")) if word else ()
    number = word.removeprefix("-")
    is_number = number.isascii() and number.isdecimal() and len(number) < 10
    return _VALUE_WORDS.get(word, int(word) if is_number else word)


def word(value: object) -> str:
    """A value as texts write it."""
    if isinstance(value, tuple):
        return ",".join(value)
    return next((word for word, known in _VALUE_WORDS.items() if value is known), str(value))


def _checked_keys(overrides: Mapping[str, Any]) -> dict[str, Any]:
    for key in overrides:
        if key not in RULE_KEYS:
            raise RulesError(f"unknown rules key {key!r}{closest(key, RULE_KEYS)}")
    checked = dict(overrides)
    if isinstance(checked.get("deals"), list):  # as YAML and JSON write it
        checked["deals"] = tuple(checked["deals"])
    return checked
