"""The named rules: what each differs in from its base, by keys of `Rules`. Data only; rule numbers refer to `RULES.md`."""

from __future__ import annotations

from typing import Any, NamedTuple

#: J4: the nine deals of the Jamaican game, deal 1 first, as texts of `Contract`: melds, then cards in a hand.
NINE_DEALS = ("333/9", "334/10", "344/11", "444/12", "3333/12", "3334/13", "3344/14", "3444/15", "4444/16")


class Preset(NamedTuple):
    """A named set of rules.

    Attributes:
        about: one line: where it differs from its base, by rule numbers, and what no source says.
        values: values of keys that differ from `jamaican`.
    """

    about: str
    values: dict[str, Any]


_CONSENSUS: dict[str, Any] = {
    "set_min_naturals": 2,
    "contract_distinct_ranks": True,
    "contract_distinct_suits": True,
    "call_max_per_deal": 3,
}
_KALUKI51: dict[str, Any] = {
    "game": "kaluki",
    "min_players": 2,
    "max_players": 6,
    "packs": 2,
    "deals": ("14",),
    "opening_points": 51,
    "extra_melds": "later_turns",
    "layoff_in_opening_turn": False,
    "calls_enabled": False,
    "joker_release": "swap_to_hand",
    "joker_release_requires": "opened",
    "joker_release_sets": "any_missing_suit",
    "pip_joker": 25,
    "pip_red_ace": 15,
    "go_out_score": 0,
    "unmet_opening_penalty": 0,
    "tie_break": "shared",
    "score_limit": 100,
}
_BRITISH: dict[str, Any] = {
    **_KALUKI51,
    "max_players": 5,
    "joker_total": 2,
    "deals": ("13",),
    "ace_in_run": "high_only",
    "opening_points": 40,
    "joker_opening_value": "represented",
    "upcard_before_opening": "only_to_open",
    "upcard_after_opening": "only_for_new_meld",
    "extra_melds": "any_time_after_opening",
    "layoff_in_opening_turn": True,
    "final_discard_required": True,
    "joker_after_swap": "new_meld_this_turn",
    "pip_joker": 15,
    "pip_black_ace": 11,
    "pip_red_ace": 11,
    "score_limit": 150,
}

PRESETS: dict[str, Preset] = {
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
    "short7": Preset(
        "jamaican in seven deals: deals 2 and 3, and 7 and 8, are one each (J4, J13.1); which contract and hand they have is not "
        "known, here those of the later deal",
        {"deals": tuple(deal for i, deal in enumerate(NINE_DEALS, start=1) if i not in (2, 7))},
    ),
    "best_of_3": Preset("jamaican as the best of three matches, 27 deals in all (J13.3)", {"series": "best_of_3"}),
    "stakes_pot": Preset(
        "jamaican for a pot that all pay into and the winner of the match takes (J13.4); the amount is not known, here 1 chip",
        {"stakes": "pot"},
    ),
    "stakes_per_deal": Preset(
        "jamaican for chips each deal, with as many again for going out (J13.4); amounts and who pays are not known, here 1 chip "
        "from each other seat",
        {"stakes": "per_deal"},
    ),
    "south_african": Preset(
        "jamaican_consensus for 3 to 5 players, 25 points for a joker and 11 for an ace, with a kitty (J2.2, J4, J13.4); no "
        "source gives the contracts of its seven rounds: they must be supplied, as in deals=33/13,34/13",
        {
            **_CONSENSUS,
            "max_players": 5,
            "deals": (),
            "pip_joker": 25,
            "pip_black_ace": 11,
            "pip_red_ace": 11,
            "stakes": "pot",
        },
    ),
    "kaluki51": Preset(
        "Kaluki 51: open with 51 points in sets and runs, melds of free length, jokers swapped into the hand (KL1 to KL6)",
        _KALUKI51,
    ),
    "kaluki40_british": Preset(
        "kaluki51 with 40 points, two jokers, 13 cards for 2 to 5 players, jokers worth what they stand for, ace high only and "
        "11, upcard only for new melds, everything allowed once opened, last card discarded, limit 150 (KL1.2, KL2, KL3.2, KL4.1 "
        "to KL5.1, KL6.1); elimination and buy-ins are left out, and whether it lays off when opening is not known",
        _BRITISH,
    ),
    "kaluki51_european": Preset("kaluki40_british with 51 points to open (KL4.2)", {**_BRITISH, "opening_points": 51}),
}
