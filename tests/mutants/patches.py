"""The mutants: what is wrong, which rule it breaks, and the edits of the engine's sources that make it so.

An edit is (file of the package, old text, new text). The old text must stand there exactly once, so that a mutant that no longer
applies is noticed. `@` in a new text stands for the mutant's number; which of them is switched on is a field of the records.
"""

from __future__ import annotations

from .kaluki_patches import KALUKI_MUTANTS
from .mutant import Edit, Mutant
from .mutant import one_edit as _one

DEAL, LEGAL, MELDS, STEP = "core/deal.py", "core/legal.py", "core/melds.py", "core/step.py"
FEASIBLE, ENGINE = "core/solver/feasible.py", "game/engine.py"

#: The field that switches the mutants, in rules and positions.
SWITCH: tuple[Edit, ...] = (
    ("core/layout.py", '        ("open_hands", "u1"),\n', '        ("open_hands", "u1"),\n        ("mutant", "u1"),\n'),
    ("core/layout.py", '    ("pile_n", "u1"),\n', '    ("pile_n", "u1"),\n    ("mutant", "u1"),\n'),
    (DEAL, '    s["dealer"] = dealer\n', '    s["dealer"] = dealer\n    s["mutant"] = r["mutant"]\n'),
    (
        "game/reader.py",
        '        state["deal"] = self.deal\n',
        '        state["deal"] = self.deal\n        state["mutant"] = self.table.record[0]["mutant"]\n',
    ),
    (ENGINE, "\n\nclass Engine:", "\n\nMUTANT = 0\n\n\nclass Engine:"),
    (ENGINE, '    record["cards"] = core.CARDS\n', '    record["cards"] = core.CARDS\n    record["mutant"] = MUTANT\n'),
)


#: J7.4 asks for different ranks and suits under these.
DISTINCT = ("jamaican_consensus", "jamaican_club")
#: Rules that no other preset has.
CLUB = ("jamaican_club",)


JAMAICAN_MUTANTS: tuple[Mutant, ...] = (
    # ---- cards and points ----
    _one(
        "J2.2",
        "a red ace counts as much as a black one",
        ENGINE,
        '    record["go_out_score"] = rules.go_out_score\n',
        '    record["go_out_score"] = rules.go_out_score\n    if MUTANT == @:\n        record["points"][13] = 15\n',
    ),
    _one("J11.1", "going out is not rewarded", DEAL, 's["scores"][seat] = r["go_out_score"]',
         's["scores"][seat] = 0 if i64(r["mutant"]) == @ else i64(r["go_out_score"])'),
    _one("J11.3", "not having opened costs nothing", DEAL, 'unmet = 0 if i64(s["opened"][seat]) else',
         'unmet = 0 if i64(s["opened"][seat]) or i64(r["mutant"]) == @ else'),
    _one("J12.5", "in a blocked deal not having opened costs nothing", DEAL, ' else i64(r["unmet_opening_penalty"])',
         ' else i64(r["unmet_opening_penalty"]) * (winner >= 0 or i64(r["mutant"]) != @)'),
    # ---- the deal, draws and the stock ----
    _one("J4.2", "the dealer begins", DEAL, '    s["turn"] = (dealer + 1) % n\n',
         '    s["turn"] = dealer if i64(r["mutant"]) == @ else (dealer + 1) % n\n'),
    _one("J12.1", "the upcard is shuffled into the renewed stock", DEAL, '    s["reshuffles"] += 1\n',
         '    s["reshuffles"] += 1\n    if i64(s["mutant"]) == @:\n        s["stock"][n] = top\n        s["stock_n"] = n + 1\n'
         '        s["pile"][0] = 0\n        s["pile_n"] = 0\n        s["pile_count"][top] = 0\n'),
    _one("J12.1", "the lowest card of the pile stays when the stock is renewed", DEAL,
         '    n = i64(s["pile_n"]) - 1\n    top = s["pile"][n]\n    for i in range(n):\n',
         '    n = i64(s["pile_n"]) - 1\n    if i64(s["mutant"]) == @:\n        lowest = s["pile"][0]\n'
         '        s["pile"][0] = s["pile"][n]\n        s["pile"][n] = lowest\n'
         '    top = s["pile"][n]\n    for i in range(n):\n'),
    _one("J12.1", "a pile of two cards does not renew the stock", DEAL, 'return i64(s["pile_n"]) >= 2 and',
         'return i64(s["pile_n"]) >= 2 + (i64(r["mutant"]) == @) and'),
    _one("J12.1", "the stock is renewed once too often", DEAL, ' and i64(s["reshuffles"]) < i64(r["reshuffle_max"])',
         ' and i64(s["reshuffles"]) < i64(r["reshuffle_max"]) + (i64(r["mutant"]) == @)'),
    Mutant("J12.2", "the stock is renewed for a penalty card before the called card is taken",
           ((STEP, "import back_to_play, draw_from_stock,", "import back_to_play, draw_from_stock, renew_stock,"),
            (STEP, "        take_upcard(s, caller)\n        draw",
             '        if i64(r["mutant"]) == @ and i64(s["stock_n"]) == 0:\n            renew_stock(s)\n'
             "        take_upcard(s, caller)\n        draw"))),
    _one("J12.4", "a turn too many before the deal is blocked", STEP, 'if i64(s["turns"]) >= i64(r["max_turns"])',
         'if i64(s["turns"]) >= i64(r["max_turns"]) + (i64(r["mutant"]) == @)'),
    _one("J5.2", "what was taken from the pile is forgotten", DEAL, '    s["known"][CARDS * seat + card] += 1\n',
         '    s["known"][CARDS * seat + card] += i64(s["mutant"]) != @\n'),
    _one("J6.5", "stock only after a call, under all rules", LEGAL, ' and i64(r["stock_only_after_call"])\n',
         ' and (i64(r["stock_only_after_call"]) or i64(r["mutant"]) == @)\n'),
    _one("J6.5", "stock only after a call is not asked for", LEGAL, '    barred = stock and i64(s["after_call"])',
         '    barred = stock and i64(s["after_call"]) and i64(r["mutant"]) != @'),
    _one("J12.3", "after a call the upcard is barred even if the stock has no card", LEGAL,
         '    if i64(s["pile_n"]) > 0 and not barred:',
         '    if i64(r["mutant"]) == @ and i64(s["after_call"]) and i64(r["stock_only_after_call"]):\n        barred = True\n'
         '    if i64(s["pile_n"]) > 0 and not barred:', CLUB),
    # ---- calls ----
    _one("J6.2b", "a call is offered to the next player", STEP, "        ask_next(s, r, 2)\n",
         '        ask_next(s, r, 1 if i64(r["mutant"]) == @ else 2)\n'),
    _one("J6.2c", "players who have opened may call", STEP, '        if i64(s["opened"][seat]) == 0 and',
         '        if (i64(s["opened"][seat]) == 0 or i64(r["mutant"]) == @) and'),
    _one("J6.2d", "the limit of calls is off by one", STEP, 'i64(s["calls_allowed"][seat]) < i64(r["call_max"])',
         'i64(s["calls_allowed"][seat]) < i64(r["call_max"]) + (i64(r["mutant"]) == @)'),
    _one("J6.6", "a refused call counts for the limit", STEP, '        s["answers_refuse"][seat] += 1\n',
         '        s["answers_refuse"][seat] += 1\n        if i64(r["mutant"]) == @:\n'
         '            s["calls_allowed"][i64(s["caller"])] += 1\n'),
    _one("J6.2e", "a call leaves no card for the next player", STEP, "        return stock + pile >= 3\n",
         '        return stock + pile >= 3 - (i64(r["mutant"]) == @)\n'),
    _one("J6.2e", "no call with an empty stock", STEP, "    return pile >= 3 and",
         '    return pile >= 3 and i64(r["mutant"]) != @ and'),
    _one("J6.4", "the next player always decides", STEP, 'i64(r["next_player_decides"]) else',
         'i64(r["next_player_decides"]) or i64(r["mutant"]) == @ else'),
    _one("J6.5", "no penalty card", STEP, "        draw_from_stock(s, caller)\n        begin_draw(s, r, 1)\n",
         '        if i64(r["mutant"]) != @:\n            draw_from_stock(s, caller)\n        begin_draw(s, r, 1)\n'),
    _one("J6.5", "the card uncovered by a call can be called", STEP, "begin_draw(s, r, 1)\n",
         'begin_draw(s, r, 1)\n        if i64(r["mutant"]) == @ and i64(s["phase"]) == DRAW:\n            ask_next(s, r, 3)\n'),
    _one("J6.6", "a refusal never takes the card", STEP, '        if i64(r["refusal_takes"]):\n',
         '        if i64(r["refusal_takes"]) and i64(r["mutant"]) != @:\n'),
    _one("J10.3", "calls are heard after a turn without a discard", STEP, "    elif discarded and call_possible(s, r):\n",
         '    elif (discarded or i64(r["mutant"]) == @) and call_possible(s, r):\n'),
    # ---- the opening ----
    _one("J7.2", "a contract that lacks a card may be laid", FEASIBLE, "    if in_threes + in_fours > jokers:\n",
         '    if in_threes + in_fours > jokers + (i64(rules["mutant"]) == @):\n'),
    _one("J7.4", "two fours of one suit where they must differ", FEASIBLE,
         '    distinct_suits = i64(rules["distinct_suits"])\n',
         '    distinct_suits = i64(rules["distinct_suits"]) * (i64(rules["mutant"]) != @)\n', DISTINCT),
    _one("J7.4", "a second three of the same rank can be named", LEGAL, 'open_ = threes > 0 and not (i64(r["distinct_ranks"])',
         'open_ = threes > 0 and not (i64(r["distinct_ranks"]) and i64(r["mutant"]) != @', DISTINCT),
    _one("J3.5", "a three is filled with one natural where two are asked for", LEGAL, "if 3 - jokers < fewest or",
         'if 3 - jokers < (1 if i64(r["mutant"]) == @ else fewest) or'),
    # ---- lay-offs ----
    _one("J3.4", "a joker is laid off beside a joker", MELDS,
         "    return not joker_at(bits, low + length - 1 if high else low)\n",
         '    return not joker_at(bits, low + length - 1 if high else low) or i64(s["mutant"]) == @\n'),
    _one("J8.3", "a three takes no more jokers than naturals", MELDS, "return length - naturals + 1 <= naturals + 1",
         'return length - naturals + 1 <= naturals + (i64(s["mutant"]) != @)'),
    _one("J8.3", "a three takes one joker too many", MELDS, "        naturals = naturals_in_three(bits)\n        return",
         '        naturals = naturals_in_three(bits) + (i64(s["mutant"]) == @)\n        return'),
    _one("J8.1", "no lay-off in the turn of the opening", LEGAL, "    if something_fits:\n",
         '    if something_fits and not (i64(r["mutant"]) == @ and i64(s["opened_now"])):\n'),
    _one("J8.2", "lay-offs onto own melds only", LEGAL, "        for owner in range(players):\n",
         '        for owner in range(1 if i64(r["mutant"]) == @ else players):\n'),
    _one("J8.4", "either end of a four is open under all rules", MELDS, '    if i64(r["high_end_first"]) and not high and',
         '    if i64(r["high_end_first"]) and i64(r["mutant"]) != @ and not high and'),
    _one("J2.1", "a four runs on through the ace", MELDS, "    return place if place <= 13 else -1\n",
         '    return place if place <= 13 + (i64(s["mutant"]) == @) else -1\n'),
    _one("J2.1", "no low ace", MELDS, "if high else low - 1\n", 'if high else low - 1 - (low == 1 and i64(s["mutant"]) == @)\n'),
    # ---- joker moves ----
    _one("J9.1", "jokers are moved in the turn of the opening", LEGAL, '    if i64(s["opened_now"]) == 0:  # J9.1',
         '    if i64(s["opened_now"]) == 0 or i64(r["mutant"]) == @:  # J9.1'),
    _one("J9.1", "nobody moves jokers of others under any rules", LEGAL, 'range(players if i64(r["anyone_moves_jokers"]) else 1)',
         'range(players if i64(r["anyone_moves_jokers"]) and i64(r["mutant"]) != @ else 1)'),
    Mutant("J9.1", "anybody moves jokers under all rules",
           ((LEGAL, "        for owner in range(players if", '        for owner in range(players if i64(r["mutant"]) == @ or'),
            (MELDS, '    if not i64(r["anyone_moves_jokers"]) and',
             '    if not i64(r["anyone_moves_jokers"]) and i64(r["mutant"]) != @ and'))),
    _one("J9.2", "a joker goes to the wrong end, if that is free", MELDS, "end_place(s, slot, high), JOKER)",
         'end_place(s, slot, 1 - high if i64(s["mutant"]) == @ and end_place(s, slot, 1 - high) >= 0 else high), JOKER)'),
    _one("J9.2", "a joker moves beside a joker", MELDS, " or not joker_at(bits, end)\n",
         ' or not joker_at(bits, end) or i64(s["mutant"]) == @\n'),
    _one("J9.3", "a joker at an end does not go beyond that end", MELDS, "    return end == place or",
         '    return (end == place and i64(s["mutant"]) != @) or'),
    # ---- discards, the end ----
    _one("J10.1", "a joker may be discarded", LEGAL, "    for card in range(JOKER):  # J10.1",
         '    for card in range(JOKER + (i64(r["mutant"]) == @)):  # J10.1'),
    _one("J10.3", "a turn may end without a discard though there is one", LEGAL, "    if n == 0:\n        out[n] = END_TURN",
         '    if n == 0 or i64(r["mutant"]) == @:\n        out[n] = END_TURN'),
    _one("J10.2", "nobody goes out without a discard", DEAL, '    if i64(s["hand_n"][seat]) == 0:\n',
         '    if i64(s["hand_n"][seat]) == 0 and i64(s["mutant"]) != @:\n'),
    _one("J10.3", "a turn without a discard does not show that only jokers are left", STEP,
         '= s["hand_n"][seat]  # J10.3', '= s["hand_n"][seat] * (i64(s["mutant"]) != @)  # J10.3'),
)  # fmt: skip

#: Mutant number 1 is the first one; number 0 is the engine as it is.
MUTANTS: tuple[Mutant, ...] = JAMAICAN_MUTANTS + KALUKI_MUTANTS
