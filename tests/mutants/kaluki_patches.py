"""The mutants of Kaluki; see `patches`."""

from __future__ import annotations

from .mutant import Mutant
from .mutant import one_edit as _one

DEAL, STEP, ENGINE = "core/deal.py", "core/step.py", "game/engine.py"
COVER, LEGAL, KSTEP, SWAPS = "core/kaluki/cover.py", "core/kaluki/legal.py", "core/kaluki/step.py", "core/kaluki/swaps.py"

#: The default rules, and those that ask for what is taken to be laid.
K51, BRITISH = ("kaluki51",), ("kaluki40_british",)
#: As `BRITISH`, with swaps before the opening, and with sets that give their jokers only as a whole.
EARLY = ("kaluki40_british joker_release_requires=nothing",)
WHOLE = ("kaluki40_british joker_release_sets=all_missing_suits",)


def _in_rules(rule: str, what: str, line: str, presets: tuple[str, ...] = K51) -> Mutant:
    """A value that reaches the core wrong."""
    old = '        record["keeps_a_discard"] = rules.final_discard_required\n'
    return _one(rule, what, ENGINE, old, f"{old}        if MUTANT == @:\n            record{line}\n", presets)


KALUKI_MUTANTS: tuple[Mutant, ...] = (
    # ---- points ----
    _in_rules("KL4.2", "50 points open", '["opening_points"] -= 1'),
    _in_rules("KL4.2", "51 points do not open", '["opening_points"] += 1'),
    _in_rules("KL2", "a joker left in hand counts 15", '["points"][52] = 15'),
    _in_rules("KL2", "a joker counts 15 in an opening, whatever it stands for", '["joker_value"] = 15', BRITISH),
    _in_rules("KL5.2", "not having opened costs 50 more", '["unmet_opening_penalty"] = 50'),
    _in_rules("KL5.2", "going out is worth 50", '["go_out_score"] = -50'),
    _one("KL2", "the low ace of an opening is worth 1", KSTEP,
         'if card == JOKER else i64(r["points"][card])\n    if card == JOKER:\n',
         'if card == JOKER else i64(r["points"][card])\n        if i64(s["mutant"]) == @ and card % 13 == 0 and '
         'i64(s["meld_kind_now"]) == FOUR and i64(s["meld_low"][slot]) == 0 and i64(s["meld_len"][slot]) == 1:\n'
         '            s["points_laid"] -= 14\n    if card == JOKER:\n', K51),
    # ---- melds ----
    Mutant("KL3.1", "a set of five cards may be laid",
           ((LEGAL, "(i < next_suit and not joker) or length == 4:",
         '(i < next_suit and not joker) or length == 4 + (i64(r["mutant"]) == @):'),
            (KSTEP, '        full = i64(s["meld_len"][slot]) == 4\n',
         '        full = i64(s["meld_len"][slot]) == 4 + (i64(r["mutant"]) == @)\n')), K51),
    _one("KL3.1", "a set of four takes a joker", LEGAL, '        if high or i64(s["meld_len"][slot]) == 4:\n',
         '        if high or i64(s["meld_len"][slot]) == 4 + (i64(r["mutant"]) == @):\n', K51),
    _one("KL3.1", "a suit may be twice in a set", LEGAL, "                next_suit = suit + 1\n",
         '                next_suit = suit + (i64(r["mutant"]) != @)\n', K51),
    _one("KL3.2", "a run runs on through the ace", LEGAL, "    if place > _TOP_PLACE or (place == 0 and",
         '    if place > _TOP_PLACE + (i64(r["mutant"]) == @) or (place == 0 and', K51),
    _one("KL3.2", "a run has one ace only", LEGAL, "        return i64(-1)\n    return place\n",
         '        return i64(-1)\n    if i64(r["mutant"]) == @ and i64(s["meld_len"][slot]) == 13:\n'
         "        return i64(-1)\n    return place\n", K51),
    _in_rules("KL3.2", "an ace may be low under all rules", '["ace_low"] = 1', BRITISH),
    _one("KL3.3", "jokers may not be neighbours in a run", LEGAL,
         "            continue\n        hand[card] -= 1\n        debt,",
         '            continue\n        if i64(r["mutant"]) == @ and joker and kind != THREE and length and '
         "joker_at(bits, place - 1):\n            continue\n        hand[card] -= 1\n        debt,", K51),
    Mutant("KL3.3", "a meld needs no natural",
           ((LEGAL, "    if length >= 3 and naturals > 0:\n",
         '    if length >= 3 and (naturals > 0 or i64(r["mutant"]) == @):\n'),
            (COVER, "            if length >= 3 and (has_natural or now[_FIRST]):\n",
         '            if length >= 3 and (has_natural or now[_FIRST] or i64(r["mutant"]) == @):\n')), K51),
    # ---- the search for an opening ----
    _one("KL3.3", "no joker between two naturals of a run is thought of", COVER,
         "for gap in range(min(jokers, above - 1) + 1):",
         'for gap in range((0 if i64(r["mutant"]) == @ else min(jokers, above - 1)) + 1):', K51),
    _one("KL3.2", "no run up to the high ace is thought of", COVER, "above, below = _TOP_PLACE - end,",
         'above, below = _TOP_PLACE - (i64(r["mutant"]) == @) - end,', K51),
    _one("KL2", "jokers beside a run stand as low as they can", COVER, "min(more, above) + 1):\n        value = i64(0)\n",
         'min(more, max(0, more - below) if i64(r["mutant"]) == @ else above) + 1):\n        value = i64(0)\n', BRITISH),
    # ---- draw and debts ----
    _in_rules("KL4.1", "the upcard is free to those who have not opened", '["owes_upcard_to_open"] = 0', BRITISH),
    _in_rules("KL4.1", "the upcard is free to those who have opened", '["owes_upcard_opened"] = 0', BRITISH),
    _one("KL4.1", "that the upcard must be laid is forgotten", KSTEP, '            s["owed_card"] = card + 1\n',
         '            s["owed_card"] = (card + 1) * (i64(s["mutant"]) != @)\n', BRITISH),
    _one("KL4.4", "that a swapped joker must be laid is forgotten", KSTEP,
         '    s["owed_jokers"] += jokers * i64(r["owes_swapped_joker"])\n',
         '    s["owed_jokers"] += jokers * i64(r["owes_swapped_joker"]) * (i64(r["mutant"]) != @)\n', BRITISH),
    _one("KL4.1", "an upcard that could not be laid counts as not declined", STEP,
         'if i64(s["pile_n"]) > 0 if i64(r["kaluki"]) else',
         'if (i64(s["pile_n"]) > 0 and (i64(r["mutant"]) != @ or draw_actions(s, r, scratch) == 2)) if i64(r["kaluki"]) else',
             BRITISH),
    _one("KL5.3", "a deal goes on though the upcard would be owed and nothing else can be drawn", STEP,
         "not can_take_upcard(s, r))", 'not can_take_upcard(s, r) and i64(r["mutant"]) != @)', BRITISH),
    _one("KL5.3", "the upcard is shuffled into the renewed stock", DEAL, '    s["reshuffles"] += 1\n',
         '    s["reshuffles"] += 1\n    if i64(s["mutant"]) == @:\n        s["stock"][n] = top\n        s["stock_n"] = n + 1\n'
         '        s["pile"][0] = 0\n        s["pile_n"] = 0\n        s["pile_count"][top] = 0\n', K51),
    # ---- the turn ----
    _in_rules("KL4.2", "cards are laid off in the turn of the opening", '["lays_off_when_opening"] = 1'),
    _in_rules("KL4.2", "further melds are laid in the turn of the opening", '["melds_when_opening"] = 1'),
    _in_rules("KL4.2", "no card is laid off in the turn of the opening", '["lays_off_when_opening"] = 0', BRITISH),
    _one("KL4.3", "lay-offs onto own melds only", LEGAL,
         "                for high in range(2):\n                    if _list_lay_offs(",
         '                for high in range(2):\n                    if i64(r["mutant"]) == @ and '
         'i64(s["meld_owner"][slot]) != seat:\n                        continue\n                    if _list_lay_offs(', K51),
    _in_rules("KL4.4", "jokers are swapped by those who have not opened", '["swaps_before_opening"] = 1'),
    _in_rules("KL4.4", "nobody swaps who has not opened, whatever the rules say", '["swaps_before_opening"] = 0', EARLY),
    _in_rules("KL4.4", "naturals of all missing suits go into a set under all rules", '["swaps_whole_sets"] = 1'),
    _in_rules("KL4.4", "one missing suit will do under all rules", '["swaps_whole_sets"] = 0', WHOLE),
    _one("KL4.4", "of the jokers of a set only one comes into the hand", KSTEP,
         "    _take_jokers(s, r, seat, jokers)\n    _after_the_table_changed(",
         '    _take_jokers(s, r, seat, 1 if i64(s["mutant"]) == @ else jokers)\n    _after_the_table_changed(', WHOLE),
    _one("KL4.4", "a set gives its jokers though a suit is missing from the hand", LEGAL,
         "        if (bits >> (4 * suit)) & 15 == 0 and hand[13 * suit + key] == 0:\n            return False\n",
         "        if (bits >> (4 * suit)) & 15 == 0 and hand[13 * suit + key] == 0 and (i64(r[\"mutant\"]) != @ or suit < 3):\n"
         "            return False\n", WHOLE),
    _one("KL4.4", "a joker is swapped for a suit that is there", LEGAL,
         "            if (bits >> (4 * suit)) & 15 == 0:\n                n = _add_if_swapped(",
         '            if (bits >> (4 * suit)) & 15 == 0 or i64(r["mutant"]) == @:\n                n = _add_if_swapped(', K51),
    _one("KL4.4", "of two jokers for one ace the high one is swapped", SWAPS, "    elif joker_at(bits, card % 13):\n",
         '    elif joker_at(bits, card % 13) and not (i64(s["mutant"]) == @ and joker_at(bits, card % 13 + _TOP_PLACE)):\n', K51),
    Mutant("KL4.4", "a swapped joker is lost",
           ((KSTEP, '    s["hands"][seat, JOKER] += jokers\n',
         '    s["hands"][seat, JOKER] += jokers * (i64(s["mutant"]) != @)\n'),
            (KSTEP, '    s["hand_n"][seat] += jokers\n', '    s["hand_n"][seat] += jokers * (i64(s["mutant"]) != @)\n')), K51),
    _one("KL4.4", "nobody knows who holds a swapped joker", KSTEP, '    s["known"][CARDS * seat + JOKER] += jokers\n',
         '    s["known"][CARDS * seat + JOKER] += jokers * (i64(s["mutant"]) != @)\n', K51),
    _one("KL4.2", "whether a hand opens is not found out anew after a swap", KSTEP,
         '    if i64(s["opened"][seat]) == 0:\n        begin_kaluki_play(s, r, seat)\n',
         '    if i64(s["opened"][seat]) == 0 and i64(s["mutant"]) != @:\n        begin_kaluki_play(s, r, seat)\n',
         ("kaluki51 joker_release_requires=nothing",)),
    # ---- sequences of swaps ----
    _one("KL4.1", "swaps to come are not thought of", SWAPS,
         "    for chosen in range(1, 1 << n):\n        taken, jokers = _give(hand, exchanges, n, chosen)\n        if jokers:\n",
         "    for chosen in range(1, 1 << n):\n        taken, jokers = _give(hand, exchanges, n, chosen)\n"
         '        if jokers and i64(r["mutant"]) != @:\n', BRITISH),
    _one("KL4.4", "of swaps to come only one is thought of", SWAPS,
         "            hand[JOKER] -= jokers\n        else:\n",
         '            hand[JOKER] -= jokers\n            if i64(r["mutant"]) == @ and chosen & (chosen - 1):\n'
         "                found = False\n        else:\n", BRITISH),
    _one("KL4.4", "swaps to come after a meld are not thought of", SWAPS,
         "        found = jokers > 0 and can_complete_and_swap(\n",
         '        found = jokers > 0 and i64(r["mutant"]) != @ and can_complete_and_swap(\n', BRITISH),
    _one("KL4.4", "swaps in a set that is being filled are not thought of", SWAPS,
         "    for suits in range(0, 16, 1 << next_suit):\n",
         '    for suits in range(0, i64(0) if i64(r["mutant"]) == @ else i64(16), 1 << next_suit):\n',
         ("kaluki40_british joker_total=null",)),
    _one("KL4.4", "a set gives more jokers than it has", SWAPS, "i64(1) << suit, i64(1), slot, jokers)",
         'i64(1) << suit, i64(1), slot, jokers + (i64(r["mutant"]) == @))', BRITISH),
    _one("KL4.4", "a joker swapped later would not be owed", SWAPS,
         "need, owed, owed_jokers + jokers * i64(r[\"owes_swapped_joker\"]), leave)",
         "need, owed, owed_jokers + jokers * i64(r[\"owes_swapped_joker\"]) * (i64(r[\"mutant\"]) != @), leave)", BRITISH),
    _one("KL4.5", "jokers are not discarded", LEGAL, '        for card in range(i64(r["cards"])):\n            out[n] = DISCARD',
         '        for card in range(i64(r["cards"]) - (i64(r["mutant"]) == @)):\n            out[n] = DISCARD', K51),
    # ---- going out ----
    Mutant("KL5.1", "the last card is laid off where it must be discarded",
           ((LEGAL, ' or held <= i64(r["keeps_a_discard"]):\n',
         ' or held <= i64(r["keeps_a_discard"]) * (i64(r["mutant"]) != @):\n'),
            (LEGAL, 'if something_fits and held > i64(r["keeps_a_discard"]):',
         'if something_fits and held > i64(r["keeps_a_discard"]) * (i64(r["mutant"]) != @):')), BRITISH),
    _in_rules("KL5.1", "nobody has to discard the last card", '["keeps_a_discard"] = 0', BRITISH),
    _one("KL5.1", "an opening of the whole hand has to be ended", KSTEP, '    elif i64(s["hand_n"][seat]) == 0:\n        _end',
         '    elif i64(s["hand_n"][seat]) == 0 and i64(r["mutant"]) != @:\n        _end', K51),
)  # fmt: skip
