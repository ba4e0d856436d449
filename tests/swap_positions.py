"""Positions in which swaps of jokers decide what is legal, each with all its legal actions, and positions that are impossible.

P1 is to move; it has opened if it has a meld. Where two examples differ in one card, the second is named for what it lacks. Names
such as W3 are those of the examples in the rule book.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Words of the tables. Each example has a line `name | rules | phase | hand of P1 | melds`, which may go on with `owed …` and
#: `upcard …`, and indented lines with all legal actions; `discards` is a discard of each card of the hand.
WORDS = {
    "KALUKI": "kaluki51",
    "BRITISH": "kaluki40_british",
    "NOTHING": "joker_release_requires=nothing",
    "ALL": "joker_release_sets=all_missing_suits",
    "BOUND": "joker_after_swap=new_meld_this_turn",
    "LAID": "upcard_after_opening=only_for_new_meld",
    "TO_OPEN": "upcard_before_opening=only_to_open",
    "KEEP": "final_discard_required=true",
    "OWN": "P1/1: AS AH AC",
    "QUEEN": "P2/1: TH JH JK(QH)",
    "HEARTS": "P2/1: TH JH QH",
    "SEVEN": "P2/2: 5D 6D JK(7D)",
    "DIAMONDS": "P2/1: 5D 6D JK(7D)",
    "KINGS": "P2/1: KS KH JK",
    "EIGHTS": "P2/1: 8S JK JK",
}


@dataclass(frozen=True)
class Example:
    """A position with P1 to move, and what is legal there.

    Attributes:
        name: what it shows.
        text: the position.
        legal: the texts of all legal actions; none where the position is refused.
    """

    name: str
    text: str
    legal: frozenset[str]


def _example(row: str, legal: str) -> Example:
    """The example of a row and of the lines that belong to it."""
    row = re.sub(r"[A-Z_]{3,}", lambda word: WORDS[word[0]], row)
    name, rules, phase, hand, table, *more = row.split(" | ")
    melds = table.split("; ")
    opened = sorted({meld[:2] for meld in melds} - ({"P1"} if phase.startswith("meld") else set()))
    owed = [line.replace("owed", "owed:") for line in more if line.startswith("owed")]
    upcard = next((line.removeprefix("upcard ") for line in more if line.startswith("upcard")), "9D")
    lines = [
        "kalooki: 1",
        f"rules: {rules}",
        "players: 3",
        "deal: 1",
        "dealer: P3",
        "turns: 9",
        f"phase: {phase}",
        f"hand P1: {hand}",
        "hand P2: 4H",
        "hand P3: 3C",
        *(f"meld {meld}" for meld in melds),
        f"opened: {', '.join(opened)}",
        *owed,
        "stock: rest",
        f"pile: {upcard}",
    ]
    actions = set(legal.split("; ")) if legal else set()
    if "discards" in actions:
        actions = actions - {"discards"} | {f"discard {card}" for card in hand.split()}
    return Example(name, "\n".join(lines) + "\n", frozenset(actions))


def _table(text: str) -> list[Example]:
    """The examples of a table."""
    examples = re.findall(r"^(\S.*)\n((?: .*\n)*)", text, re.MULTILINE)
    return [_example(row, " ".join(legal.split())) for row, legal in examples]


#: The swap itself: who may, and which naturals it takes.
SWAPS = _table("""
W1 | KALUKI | play P1 | QH 2S | QUEEN; OWN
    swap joker in P2/1; discards
W1-in-the-opening-turn | KALUKI | play P1 opened now | QH 2S | QUEEN; OWN
    swap joker in P2/1; discards
W2 | KALUKI | play P1 | QH 2S | QUEEN
    discards
W2-nothing-required | KALUKI NOTHING | play P1 | QH 2S | QUEEN
    swap joker in P2/1; discards
W2-nothing-required-wrong-card | KALUKI NOTHING | play P1 | QS 2S | QUEEN
    discards
W3 | KALUKI | play P1 | KD 5S | KINGS; OWN
    lay off onto P2/1; swap joker in P2/1; discards
W3-all-suits | KALUKI ALL | play P1 | KD KC 5S | KINGS; OWN
    lay off onto P2/1; swap joker in P2/1; discards
W3-all-suits-one-missing | KALUKI ALL | play P1 | KD 5S | KINGS; OWN
    lay off onto P2/1; discards
W3-all-suits-copies | KALUKI ALL | play P1 | KD KD 5S | KINGS; OWN
    lay off onto P2/1; discards
W4 | KALUKI | play P1 | KS 5S | KINGS; OWN
    discards
W4-all-suits | KALUKI ALL | play P1 | KS KD 5S | KINGS; OWN
    lay off onto P2/1; discards
W5 | KALUKI | play P1 | KC 5S | P2/1: KS KH KD JK; OWN
    swap joker in P2/1; discards
W5-all-suits | KALUKI ALL | play P1 | KC 5S | P2/1: KS KH KD JK; OWN
    swap joker in P2/1; discards
W9 | KALUKI | play P1 | 9C 5S | P1/1: 8C JK(9C) TC
    swap joker in P1/1; discards
W9-all-suits | KALUKI ALL | play P1 | 9C 5S | P1/1: 8C JK(9C) TC
    swap joker in P1/1; discards
a-run-with-two-jokers | KALUKI | swap P1 in P2/1 | JH QH 5S | P2/1: TH JK(JH) JK(QH); OWN
    place JH; place QH
a-choice-of-suits | KALUKI | swap P1 in P2/1 | KD KC 5S | KINGS; OWN
    place KD; place KC
a-choice-of-suits-before-opening | KALUKI NOTHING | swap P1 in P2/1 | KD KC 5S | KINGS
    place KD; place KC
all-suits-of-three | KALUKI ALL | play P1 | 8H 8D 8C 5S | EIGHTS; OWN
    set of 8; lay off onto P2/1; swap joker in P2/1; discards
all-suits-of-three-two-held | KALUKI ALL | play P1 | 8H 8D 5S | EIGHTS; OWN
    lay off onto P2/1; discards
all-suits-three-jokers | KALUKI ALL | play P1 | 8H 8D 8C 5S | P2/1: 8S JK JK JK; OWN
    set of 8; swap joker in P2/1; discards
all-suits-before-opening | KALUKI ALL NOTHING | play P1 | KD KC | KINGS
    swap joker in P2/1; discards
no-swap-in-the-midst-of-an-opening | BRITISH NOTHING | meld P1 | KS KC TS TD TH 7D JK | HEARTS; SEVEN | owed JK
    set of K; set of T
""")

#: Every joker that came into the hand is owed; later swaps help to lay it.
OWED_JOKERS = _table("""
W8-bound | KALUKI BOUND | play P1 | QH 2C | QUEEN; P1/1: 4S 5S 6S
    discards
W8-bound-with-a-meld | KALUKI BOUND | play P1 | QH 2C 2D | QUEEN; P1/1: 4S 5S 6S
    swap joker in P2/1; discards
a-pair-takes-the-joker | BRITISH | play P1 | QH 2D 2C 9S | QUEEN; OWN
    swap joker in P2/1; discards
a-pair-and-no-card-kept | BRITISH | play P1 | QH 2D 2C | QUEEN; OWN
    discards
no-pair | BRITISH | play P1 | QH 2D 3C 9S | QUEEN; OWN
    discards
in-the-opening-turn | BRITISH | play P1 opened now | QH 2D 2C 9S | QUEEN; OWN
    swap joker in P2/1; discards
in-the-opening-turn-without-further-melds | BRITISH extra_melds=later_turns | play P1 opened now | QH 2D 2C 9S | QUEEN; OWN
    discards
two-swaps-make-a-set | BRITISH | play P1 | QH 4S 7D 9C | QUEEN; SEVEN; OWN
    swap joker in P2/1; swap joker in P2/2; discards
two-swaps-one-missing | BRITISH | play P1 | QH 4S 8D 9C | QUEEN; SEVEN; OWN
    lay off onto P2/2 high; discards
two-swaps-and-no-card-kept | BRITISH | play P1 | QH 4S 7D | QUEEN; SEVEN; OWN
    discards
after-the-first-of-two-swaps | BRITISH | play P1 | 4S 7D 9C JK | HEARTS; SEVEN; OWN | owed JK
    swap joker in P2/2
after-both-swaps | BRITISH | play P1 | 4S 9C JK JK | HEARTS; P2/2: 5D 6D 7D; OWN | owed JK JK
    set of 4; set of 9; run of spades from 2; run of spades from 3; run of spades from 4; run of clubs from 7;
    run of clubs from 8; run of clubs from 9
any-two-of-three-swaps | KALUKI BOUND KEEP | play P1 | QH 7D 9S 2C | P1/1: TH JH JK(QH); P1/2: 5D 6D JK(7D); P2/1: 8S JK(9S) TS
    swap joker in P1/1; swap joker in P1/2; swap joker in P2/1; discards
a-swap-from-a-meld-of-this-turn | BRITISH | play P1 opened now | 8D 2S 2D 9C | OWN; P1/2: 8S 8H JK
    swap joker in P1/2; lay off onto P1/2; discards
a-choice-of-suits-thanks-to-a-second-swap | BRITISH | swap P1 in P2/1 | KD KC QD 7D 9S | KINGS; SEVEN; OWN
    place KD; place KC
all-suits-leave-a-card | BRITISH ALL | play P1 | KD KC 3S 3D 5C | KINGS; OWN
    lay off onto P2/1; swap joker in P2/1; discards
all-suits-leave-no-card | BRITISH ALL | play P1 | KD KC 3S 3D | KINGS; OWN
    lay off onto P2/1; discards
one-suit-leaves-a-card | BRITISH | play P1 | KD KC 3S 3D | KINGS; OWN
    lay off onto P2/1; swap joker in P2/1; discards
all-suits-owe-two-jokers | BRITISH ALL | play P1 | 8H 8D 8C 2S 5C | EIGHTS; OWN
    set of 8; lay off onto P2/1; swap joker in P2/1; discards
all-suits-owe-two-jokers-and-leave-no-card | BRITISH ALL | play P1 | 8H 8D 8C 2S | EIGHTS; OWN
    set of 8; lay off onto P2/1; discards
end-of-a-meld-thanks-to-a-swap | BRITISH | fill P1 set of 3 | 3C JK 4S 7D 9C | DIAMONDS; OWN; P1/2: 3S 3H 3D | owed JK
    place 3C; place JK; end meld
end-of-a-run-thanks-to-a-swap | BRITISH | fill P1 run of hearts from 5 | 8H JK 4S 7D 9C | DIAMONDS; OWN; P1/2: 5H 6H 7H | owed JK
    place 8H; place JK; end meld
end-of-a-run-without-the-swap | BRITISH | fill P1 run of hearts from 5 | 8H JK 4S TD 9C | DIAMONDS; OWN; P1/2: 5H 6H 7H | owed JK
    place 8H; place JK
""")

#: The upcard is owed; swaps help to lay it, or must not stand in its way.
OWED_UPCARDS = _table("""
a-joker-for-the-upcard | BRITISH | draw P1 | QH 2D 9C | QUEEN; OWN | upcard 2C
    draw stock; take upcard
no-joker-for-the-upcard | BRITISH | draw P1 | QS 2D 9C | QUEEN; OWN | upcard 2C
    draw stock
no-card-kept-beside-the-upcard | BRITISH | draw P1 | QH 2D | QUEEN; OWN | upcard 2C
    draw stock
the-upcard-is-taken | BRITISH | play P1 | QH 2D 2C 9C | QUEEN; OWN | owed 2C
    swap joker in P2/1
the-joker-is-taken | BRITISH | play P1 | 2D 2C 9C JK | HEARTS; OWN | owed 2C JK
    set of 2
two-jokers-for-the-upcard | BRITISH | draw P1 | QH 7D 9C | QUEEN; SEVEN; OWN | upcard 4S
    draw stock; take upcard
two-jokers-for-the-upcard-one-missing | BRITISH | draw P1 | QH 7C 9C | QUEEN; SEVEN; OWN | upcard 4S
    draw stock
a-swapped-upcard-is-not-laid | BRITISH | draw P1 | 2S 2D 9C | QUEEN; OWN | upcard QH
    draw stock
all-suits-for-the-upcard | BRITISH ALL | draw P1 | KD KC 2D 9C | KINGS; OWN | upcard 2C
    draw stock; take upcard
all-suits-for-the-upcard-one-missing | BRITISH ALL | draw P1 | KD QC 2D 9C | KINGS; OWN | upcard 2C
    draw stock
a-free-joker-for-the-upcard | KALUKI LAID | draw P1 | QH 7S | QUEEN; OWN | upcard 7H
    draw stock; take upcard
a-free-joker-for-what-is-owed | KALUKI LAID | play P1 | QH 7S 7H | QUEEN; OWN | owed 7S
    swap joker in P2/1
an-owed-card-is-not-swapped | KALUKI LAID | play P1 | 7S 7H 7D 2C | P2/1: 5S 6S JK(7S); OWN | owed 7S
    set of 7
a-second-copy-is-swapped | KALUKI LAID | play P1 | 7S 7S 7H 7D 2C | P2/1: 5S 6S JK(7S); OWN | owed 7S
    set of 7; swap joker in P2/1
the-joker-does-as-well | KALUKI LAID | play P1 | 7S 7H 7D | DIAMONDS; OWN | owed 7S
    set of 7; swap joker in P2/1
one-joker-for-two-kings | KALUKI LAID ALL | play P1 | KS KD KC 9H | KINGS; OWN | owed KS
    set of K
one-joker-for-two-kings-beside-the-queen | KALUKI LAID ALL | play P1 | QS KS KD KC | KINGS; OWN | owed KS
    set of K; lay off onto P2/1; swap joker in P2/1
all-suits-need-what-is-owed | BRITISH ALL | play P1 | KS QD KD KC 9C | KINGS; OWN | owed KD
    set of K
all-suits-and-a-second-copy | BRITISH ALL | play P1 | KS QD KD KD KC 9C | KINGS; OWN | owed KD
    set of K; lay off onto P2/1; swap joker in P2/1
another-meld-thanks-to-a-swap | BRITISH | play P1 | 2S 3S 4S QH 2D 2C 9C | QUEEN; OWN | owed 2C
    set of 2; run of spades from 2; swap joker in P2/1
another-meld-without-the-swap | BRITISH | play P1 | 2S 3S 4S QS 2D 2C 9C | QUEEN; OWN | owed 2C
    set of 2
a-layoff-thanks-to-a-swap | BRITISH | play P1 | 2S QH 2D 2C 9C | QUEEN; P1/1: 3S 4S 5S | owed 2C
    set of 2; lay off onto P1/1 low; swap joker in P2/1
a-layoff-without-the-swap | BRITISH | play P1 | 2S QS 2D 2C 9C | QUEEN; P1/1: 3S 4S 5S | owed 2C
    set of 2
a-joker-laid-off-thanks-to-a-swap | BRITISH | play P1 | QH 2D KD 2C 9C JK | QUEEN; P1/1: KS KH KC | owed 2C
    set of 2; lay off onto P1/1; lay off onto P2/1 low; lay off onto P2/1 high; swap joker in P2/1
a-joker-placed-and-swapped-back | BRITISH | layoff P1 onto P2/1 | 2D KD 2C 9C JK | KINGS; OWN | owed 2C
    place KD; place JK
a-joker-placed-and-swapped-back-with-all-suits | BRITISH ALL | layoff P1 onto P2/1 | 2D KD 2C 9C KC JK | KINGS; OWN | owed 2C
    place KD; place KC; place JK
a-joker-laid-off-without-the-swap | BRITISH | play P1 | QS 2D KD 2C 9C JK | QUEEN; P1/1: KS KH KC | owed 2C
    set of 2; lay off onto P1/1
a-joker-that-comes-back-from-its-own-meld | BRITISH | fill P1 run of spades from 2 | 4S 7H 7D 9C JK | OWN; P1/2: 2S 3S | owed 7H
    place 4S; place JK
the-joker-upcard-laid-off-for-another | KALUKI LAID | play P1 | 2S 2D 7D 9C JK | DIAMONDS; OWN | owed JK
    set of 2; lay off onto P1/1; lay off onto P2/1 low; lay off onto P2/1 high; swap joker in P2/1
the-joker-upcard-and-no-other | KALUKI LAID | play P1 | 2S 2D 9C KC JK | DIAMONDS; OWN | owed JK
    set of 2
a-joker-is-owed-and-none-held | KALUKI LAID | play P1 | 2S 2D 7D 9C | DIAMONDS; P1/1: AS AH AC JK | owed JK
    swap joker in P2/1
""")

#: Before the opening: swaps come before it, and all that is owed lies in it.
BEFORE_OPENING = _table("""
the-joker-opens | BRITISH NOTHING | play P1 | TS KS TH QH TD KC 5C | QUEEN
    swap joker in P2/1; discards
the-joker-does-not-open | BRITISH NOTHING | play P1 | TS KS 8H QH TD KC 5C | QUEEN
    discards
the-joker-opens-and-opening-is-required | BRITISH | play P1 | TS KS TH QH TD KC 5C | QUEEN
    discards
a-free-joker-need-not-open | BRITISH NOTHING joker_after_swap=free | play P1 | TS KS 8H QH TD KC 5C | QUEEN
    swap joker in P2/1; discards
opening-as-it-is-or-after-a-swap | BRITISH NOTHING | play P1 | TS KS TH QH TD KD KC 5C | QUEEN
    lay down; swap joker in P2/1; discards
the-joker-must-be-in-the-opening | BRITISH NOTHING | play P1 | TS KS TH TD KC 5C JK | HEARTS | owed JK
    lay down
two-swaps-open | BRITISH NOTHING | play P1 | 9S KS 9H QH 7D 9D 5C | QUEEN; SEVEN
    swap joker in P2/1; swap joker in P2/2; discards
two-swaps-open-one-missing | BRITISH NOTHING | play P1 | 9S KS 9H QH 8D 9D 5C | QUEEN; SEVEN
    discards
two-swaps-open-after-the-first | BRITISH NOTHING | play P1 | 9S KS 9H 7D 9D 5C JK | HEARTS; SEVEN | owed JK
    swap joker in P2/2
the-joker-opens-with-the-upcard | BRITISH NOTHING | draw P1 | TS KS TH QH TD 5C | QUEEN | upcard KC
    draw stock; take upcard
the-joker-does-not-open-with-the-upcard | BRITISH NOTHING | draw P1 | TS KS TH QS TD 5C | QUEEN | upcard KC
    draw stock
opening-is-required-with-the-upcard | BRITISH | draw P1 | TS KS TH QH TD 5C | QUEEN | upcard KC
    draw stock
with-the-upcard-in-hand | BRITISH NOTHING | play P1 | TS KS TH QH TD KC 5C | QUEEN | owed KC
    swap joker in P2/1
with-upcard-and-joker-in-hand | BRITISH NOTHING | play P1 | TS KS TH TD KC 5C JK | HEARTS | owed KC JK
    lay down
with-upcard-and-joker-in-the-opening | BRITISH NOTHING | meld P1 | TS KS TH TD KC 5C JK | HEARTS | owed KC JK
    set of K; set of T
a-free-swap-may-not-spoil-the-opening | KALUKI NOTHING ALL TO_OPEN | play P1 | TS TH TD KD KC KS | KINGS | owed KS
    lay down
a-free-swap-that-keeps-the-opening | KALUKI NOTHING ALL TO_OPEN | play P1 | QS TH TD TC KD KC KS | KINGS | owed KS
    lay down; swap joker in P2/1
""")

EXAMPLES = [*SWAPS, *OWED_JOKERS, *OWED_UPCARDS, *BEFORE_OPENING]

#: Positions that are refused.
IMPOSSIBLE = _table("""
a-choice-in-a-set-of-all-suits | KALUKI ALL | swap P1 in P2/1 | KD KC 5S | KINGS; OWN
a-choice-before-opening | KALUKI | swap P1 in P2/1 | KD KC 5S | KINGS
one-natural-to-swap | BRITISH | swap P1 in P2/1 | KD KC QD 8D 9S | KINGS; SEVEN; OWN
a-joker-owed-before-opening | KALUKI BOUND | play P1 | TS KS TH TD KC 5C JK | HEARTS | owed JK
a-joker-owed-and-opening-out-of-reach | BRITISH NOTHING | play P1 | 9S KS 9H 8D 9D 5C JK | HEARTS; SEVEN | owed JK
a-joker-owed-and-a-swap-missing | BRITISH | play P1 | 4S 8D 9C JK | HEARTS; SEVEN; OWN | owed JK
an-upcard-owed-and-a-swap-missing | BRITISH | play P1 | QS 2D 2C 9C | QUEEN; OWN | owed 2C
two-jokers-owed-and-one-held | BRITISH | play P1 | 2D 2C 7D 9C JK | HEARTS; SEVEN; OWN | owed JK JK
a-joker-owed-before-opening-and-none-held | KALUKI NOTHING TO_OPEN | play P1 | TS TH TD KS KC QH | QUEEN | owed JK
one-card-to-place-without-the-swap | BRITISH | fill P1 set of 3 | 3C JK 4S 8D 9C | DIAMONDS; OWN; P1/2: 3S 3H 3D | owed JK
one-card-to-lay-off-where-all-suits-are-needed | BRITISH ALL | layoff P1 onto P2/1 | 2D KD 2C 9C JK | KINGS; OWN | owed 2C
two-jokers-owed-before-opening | BRITISH | play P1 | KS JK JK TS TH TD 5C | P2/1: AS AH AC | owed JK JK
""")
