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

from kalooki_env.errors import RulesError, closest

RANKS = "A23456789TJQK"
SUITS = "SHDC"
JOKER = "JK"

#: Most seats that a table may have (J1.2), and so the most that a record has room for.
MAX_PLAYERS = 8


class Contract(NamedTuple):
    """What a deal asks for (J4): numbers of threes and fours, and the cards dealt to each seat."""

    threes: int
    fours: int
    hand_size: int


#: J4: the nine deals of the Jamaican game, deal 1 first.
JAMAICAN_DEALS = (
    Contract(3, 0, 9),
    Contract(2, 1, 10),
    Contract(1, 2, 11),
    Contract(0, 3, 12),
    Contract(4, 0, 12),
    Contract(3, 1, 13),
    Contract(2, 2, 14),
    Contract(1, 3, 15),
    Contract(0, 4, 16),
)

_ALLOWED: dict[str, tuple[Any, ...]] = {
    "packs": ("auto", 2, 3),
    "set_min_naturals": (1, 2),
    "contract_distinct_ranks": (False, True),
    "contract_distinct_suits": (False, True),
    "calls_enabled": (False, True),
    "call_decider": ("discarder", "next_player"),
    "call_refusal_forces_take": (False, True),
    "draw_after_call": ("either", "stock_only"),
    "joker_release": ("owner_moves_to_end", "anyone_moves_to_end"),
    "layoff_run_order": ("either_end", "high_end_first"),
    "pip_joker": (50, 25),
    "open_hands": (False, True),
}
#: Keys that take a whole number from 0 on, or None for no limit.
_LIMITS = ("call_max_per_deal", "reshuffle_max")


@dataclass(frozen=True)
class Rules:
    """Every choice that a table has to make before it plays. Values are checked when the object is made.

    Attributes:
        base: name of the preset that these rules are described by; no part of the comparison.
        packs: 54-card packs, or "auto" for the fewest that serve every deal (J1.3).
        set_min_naturals: fewest natural cards in a three (J3.5).
        contract_distinct_ranks: the threes of a contract must differ in rank (J7.4).
        contract_distinct_suits: the fours of a contract must differ in suit (J7.4).
        calls_enabled: whether discards can be called at all (J6).
        call_decider: who allows or refuses a call (J6.4).
        call_max_per_deal: calls that a seat may have allowed in one deal, None for no limit (J6.2d).
        call_refusal_forces_take: a refusal is the refuser's own draw of the card; only with `next_player`.
        draw_after_call: what the next seat may draw after an allowed call (J6.5).
        joker_release: who may move a joker in a four (J9.1).
        layoff_run_order: whether a four must be built up to the ace before its low end is open (J8.4).
        reshuffle_max: reshuffles in one deal, None for no limit (J12.1).
        pip_joker: points of a joker left in hand (J2.2).
        open_hands: all hands are visible to all seats.

    Raises:
        RulesError: a value that is not allowed, or two values that exclude each other.
    """

    base: str = field(default="jamaican", compare=False)
    packs: Literal["auto", 2, 3] = "auto"
    set_min_naturals: Literal[1, 2] = 1
    contract_distinct_ranks: bool = False
    contract_distinct_suits: bool = False
    calls_enabled: bool = True
    call_decider: Literal["discarder", "next_player"] = "discarder"
    call_max_per_deal: int | None = None
    call_refusal_forces_take: bool = False
    draw_after_call: Literal["either", "stock_only"] = "either"
    joker_release: Literal["owner_moves_to_end", "anyone_moves_to_end"] = "owner_moves_to_end"
    layoff_run_order: Literal["either_end", "high_end_first"] = "either_end"
    reshuffle_max: int | None = None
    pip_joker: Literal[50, 25] = 50
    open_hands: bool = False

    def __post_init__(self) -> None:
        if self.base not in _PRESETS:
            raise RulesError(f"unknown rules {self.base!r}{closest(self.base, _PRESETS)}")
        for key, allowed in _ALLOWED.items():
            value = getattr(self, key)
            # `True == 1`: compare types too, so that a number never passes for a yes.
            if not any(value == item and type(value) is type(item) for item in allowed):
                raise RulesError(f"rules key {key}: {value!r} is not allowed{closest(value, allowed)}")
        for key in _LIMITS:
            value = getattr(self, key)
            if value is not None and (type(value) is not int or not 0 <= value <= 100):
                raise RulesError(f"rules key {key}: {value!r} is not allowed; allowed: null, or a whole number from 0 to 100")
        if self.call_refusal_forces_take and self.call_decider != "next_player":
            raise RulesError("rules key call_refusal_forces_take: true needs call_decider: next_player")

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
        if not isinstance(name, str) or name not in _PRESETS:
            raise RulesError(f"unknown rules {name!r}{closest(name, _PRESETS)}")
        return cls(base=name, **{**_PRESETS[name].values, **_checked_keys(overrides)})

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
            is_number = value.isascii() and value.isdecimal() and len(value) < 10
            overrides[key] = _VALUE_WORDS.get(value, int(value) if is_number else value)
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
        raise RulesError(f"rules {value!r} are not allowed; allowed: a Rules object, or a text such as 'jamaican pip_joker=25'")

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> Rules:
        """Rules from a mapping: `{"preset": name, key: value, ...}`; without `preset`, from `jamaican`.

        Raises:
            RulesError: unknown name, key or value.
        """
        values = dict(data)
        name = values.pop("preset", "jamaican")
        if not isinstance(name, str):
            raise RulesError(f"rules key preset: {name!r} is not allowed{closest(name, _PRESETS)}")
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
        try:
            import yaml
        except ImportError as error:
            raise RulesError("reading rules from YAML needs PyYAML: pip install 'kalooki_env[train]'") from error
        try:
            data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise RulesError(f"rules file {path}: {error}") from error
        if not isinstance(data, dict):
            raise RulesError(f"rules file {path}: expected a mapping of keys to values, found {type(data).__name__}")
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
        base = {**{f.name: f.default for f in dataclasses.fields(Rules)}, **_PRESETS[self.base].values}
        words = [f"{key}={_word(value)}" for key, value in self.as_dict().items() if value != base[key]]
        return " ".join([self.base, *words])

    # ---- what follows from the keys ------------------------------------------------------------------------------

    @property
    def num_deals(self) -> int:
        """Number of deals in a match, nine (J4)."""
        return len(JAMAICAN_DEALS)

    def contract(self, deal: int) -> Contract:
        """Contract and hand size of deal number 1 to `num_deals` (J4).

        Raises:
            RulesError: no such deal.
        """
        if type(deal) is not int or not 1 <= deal <= self.num_deals:
            raise RulesError(f"deal {deal!r} is not allowed; allowed: 1 to {self.num_deals}")
        return JAMAICAN_DEALS[deal - 1]

    def card_points(self, card: str) -> int:
        """Points of a card left in hand (J2.2), for a card text such as `7S` or `JK`."""
        if card == JOKER:
            return self.pip_joker
        rank, suit = card[0], card[1]
        if rank == "A":
            return 15 if suit in "SC" else 1
        return 10 if rank in "TJQK" else int(rank)

    @property
    def go_out_score(self) -> int:
        """Score of the seat that goes out (J11.1)."""
        return -50

    @property
    def unmet_opening_penalty(self) -> int:
        """Added to the score of a seat that has not opened (J11.3)."""
        return 50

    def max_turns(self, num_players: int) -> int:
        """Turns after which a deal is blocked (J12.4)."""
        return 60 * num_players

    def packs_for(self, num_players: int) -> int:
        """Packs in use at a table of this size (J1.3).

        With "auto" the fewest packs, 2 or 3, with which every deal leaves at least one card per player in the stock.

        Raises:
            RulesError: the table cannot be seated: a wrong number of players, or too few packs for some deals.
        """
        if type(num_players) is not int or not 2 <= num_players <= MAX_PLAYERS:
            raise RulesError(
                f"{num_players!r} players are not allowed; allowed: 3 to {MAX_PLAYERS}, "
                f"and 2 in a sudden death (deal {self.num_deals})"
            )
        for packs in (2, 3) if self.packs == "auto" else (self.packs,):
            short = [
                number
                for number, contract in enumerate(JAMAICAN_DEALS, start=1)
                if 54 * packs - num_players * contract.hand_size - 1 < num_players
            ]
            if not short:
                return packs
        raise RulesError(
            f"{num_players} players cannot play with {self.packs} packs: deal {', '.join(map(str, short))} would leave fewer "
            f"than {num_players} cards in the stock; use packs: auto"
        )

    def check_table(self, num_players: int, deal: int) -> None:
        """Raise unless this deal can be played by this many players.

        Two players meet only in a sudden death, which is played with the last contract (J13.2).

        Raises:
            RulesError: the table cannot be seated, or there is no such deal.
        """
        self.contract(deal)
        self.packs_for(num_players)
        if num_players == 2 and deal != self.num_deals:
            raise RulesError(
                f"2 players may play only a sudden death, deal {self.num_deals}, not deal {deal}; "
                f"allowed: 3 to {MAX_PLAYERS} players"
            )


class Preset(NamedTuple):
    """A named set of rules: one line about it, and the values that differ from `jamaican`."""

    about: str
    values: dict[str, Any]


_CONSENSUS = {
    "set_min_naturals": 2,
    "contract_distinct_ranks": True,
    "contract_distinct_suits": True,
    "call_max_per_deal": 3,
}
_PRESETS: dict[str, Preset] = {
    "jamaican": Preset("Jamaican Kalooki with no restriction that the source rules do not state (the default)", {}),
    "jamaican_consensus": Preset(
        "jamaican with what most descriptions add: two naturals in a three, different ranks and suits, three calls a deal "
        "(J3.5, J6.2d, J7.4)",
        _CONSENSUS,
    ),
    "jamaican_club": Preset(
        "jamaican_consensus as played in clubs: the next seat answers a call and takes the card if it refuses, stock only after "
        "a call, anyone moves jokers, fours grow up to the ace first, one reshuffle (J6.4, J6.5, J6.6, J8.4, J9.1, J12.1)",
        {
            **_CONSENSUS,
            "call_decider": "next_player",
            "call_refusal_forces_take": True,
            "draw_after_call": "stock_only",
            "joker_release": "anyone_moves_to_end",
            "layoff_run_order": "high_end_first",
            "reshuffle_max": 1,
        },
    ),
    "no_call": Preset("jamaican without calls (J6)", {"calls_enabled": False}),
    "open_hand": Preset("jamaican with all hands visible to all seats", {"open_hands": True}),
    "joker25": Preset("jamaican with 25 points instead of 50 for a joker left in hand (J2.2)", {"pip_joker": 25}),
}

#: Names of all keys, in the order in which texts list them.
RULE_KEYS: tuple[str, ...] = tuple(f.name for f in dataclasses.fields(Rules) if f.name != "base")
_VALUE_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


def presets() -> Mapping[str, str]:
    """Names of the shipped presets and one line about each; the default, `jamaican`, comes first."""
    return MappingProxyType({name: preset.about for name, preset in _PRESETS.items()})


def _word(value: object) -> str:
    return next((word for word, known in _VALUE_WORDS.items() if value is known), str(value))


def _checked_keys(overrides: Mapping[str, Any]) -> dict[str, Any]:
    for key in overrides:
        if key not in RULE_KEYS:
            raise RulesError(f"unknown rules key {key!r}{closest(key, RULE_KEYS)}")
    return dict(overrides)
