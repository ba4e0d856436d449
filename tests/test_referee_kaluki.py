"""The referee at Kaluki, by itself: worked examples of the rule book, the search against brute force, random deals.

Names such as KX8 and W3 are those of the examples; W14 to W16 are about matches, which the referee does not know.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations, product

import pytest

from kalooki_env.errors import EnvironmentStateError, IllegalActionError, NotationError, PositionError
from kalooki_env.referee import Referee
from kalooki_env.referee.kaluki_melds import Run, Set, is_valid, opening_value
from kalooki_env.referee.melds import CARDS, Meld, Three, card_order, natural_at
from kalooki_env.referee.notation import kind_text, read_meld
from kalooki_env.referee.opening import search_of
from kalooki_env.referee.reading import pack_cards
from kalooki_env.rules import JOKER, RANKS, SUITS, Rules

DEFAULT = Rules.preset("kaluki51")
BRITISH = Rules.preset("kaluki40_british")
REPRESENTED = Rules.parse("kaluki51 joker_opening_value=represented")


def position(rules: str = "kaluki51", players: int = 3, phase: str = "play P1", **lines: str) -> str:
    """A position text. Hands that are not given hold a card that few examples use; melds are written `P1/1: 7S 7H 7D; …`."""
    values = {"stock": "rest", "pile": "9D", **lines}
    text = f"kalooki: 1\nrules: {rules}\nplayers: {players}\ndeal: 1\ndealer: P{players}\nturns: {values.pop('turns', '0')}\n"
    text += f"phase: {phase}\n"
    for seat in range(1, players + 1):
        text += f"hand P{seat}: {values.pop(f'P{seat}', '9H' if seat == 2 else '4D')}\n"
    melds = values.pop("melds", "")
    text += "".join(f"meld {meld}\n" for meld in melds.split("; ") if meld)
    opened = sorted({meld[:2] for meld in melds.split("; ") if meld and not (meld[:2] in phase and "meld" in phase)})
    text += f"opened: {values.pop('opened', ', '.join(opened) or '-')}\n"
    return text + "".join(f"{key.replace('_', ' ')}: {value}\n" for key, value in values.items())


def table(*args: str, **lines: str) -> Referee:
    """A referee at such a position."""
    return Referee.from_position(position(*args, **lines))  # type: ignore[arg-type]


def meld_lines(referee: Referee) -> list[str]:
    return re.findall(r"^meld \S+: (.*)$", referee.position(), re.MULTILINE)


def phase_of(referee: Referee) -> str:
    found = re.search(r"^phase: (.*)$", referee.position(), re.MULTILINE)
    assert found
    return found[1]


def line_of(referee: Referee, key: str) -> str | None:
    found = re.search(rf"^{key}: (.*)$", referee.position(), re.MULTILINE)
    return found[1] if found else None


def lay(referee: Referee, text: str) -> None:
    """Lay a meld: name it, and place its cards as far as they do not go by themselves."""
    meld = read_meld(text, game="kaluki")
    number = len(meld_lines(referee))
    referee.do(kind_text(meld))
    while phase_of(referee).startswith("fill"):
        lying = meld_lines(referee)[number]
        placed = 0 if lying == "-" else len(lying.split())
        referee.do(f"place {meld.cards[placed]}" if placed < len(meld.cards) else "end meld")
    assert meld_lines(referee)[number] == text


# ---- melds and openings (KX1 to KX30) ----------------------------------------------------------------------------------

OPENINGS = [
    ("KX1", "kaluki51", "5C 6C 7C; JS JH JD", 48, False),
    ("KX2", "kaluki51", "5C 6C 7C; JS JH JD; AC 2C 3C", 68, True),
    ("KX3", "kaluki51", "7S 7H 7D; TS TH TC", 51, True),
    ("KX4", "kaluki51", "KS KH KC; 5S 5H 5D 5C", 50, False),
    ("KX5", "kaluki51", "KS KH KC; 7S 7H 7D", 51, True),
    ("KX6", "kaluki51", "TS JS QS KS AS", 55, True),
    ("KX7", "kaluki51", "9S TS JS QS KS", 49, False),
    ("KX8", "kaluki51", "9S TS JS QS KS JK(AS)", 64, True),
    ("KX9", "kaluki51", "AS AH AD", 45, False),
    ("KX10", "kaluki51", "AS AH AD AC", 60, True),
    ("KX11", "kaluki51", "AS AH JK", 45, False),
    ("KX12", "kaluki51", "KS KH JK; 4C 5C 6C", 50, False),
    ("KX13", "kaluki51", "KS KH JK; 5C 6C 7C", 53, True),
    ("KX13-represented", "kaluki51 joker_opening_value=represented", "KS KH JK; 5C 6C 7C", 48, False),
    ("KX14", "kaluki51", "2S 3S JK(4S); KS KH KD", 50, False),
    ("KX14-represented", "kaluki51 joker_opening_value=represented", "2S 3S JK(4S); KS KH KD", 39, False),
    ("KX15", "kaluki51", "2S 3S JK(4S); QS QH QD; 2H 2D 2C", 56, True),
    ("KX16", "kaluki51", "QS KS AS; 6H 6D 6C", 53, True),
    ("KX17", "kaluki51", "5H JK(6H) JK(7H); 6S 7S JK(8S)", 63, True),
    ("KX17-represented", "kaluki51 joker_opening_value=represented", "5H JK(6H) JK(7H); 6S 7S JK(8S)", 39, False),
    ("KX26", "kaluki40_british", "QS KS AS; 3H 3D 3C", 40, True),
    ("KX27", "kaluki40_british", "QS KS AS; 2H 2D 2C", 37, False),
    ("KX28", "kaluki40_british", "TS TH JK; 3C 4C JK(5C)", 42, True),
    ("KX29", "kaluki40_british", "KS KH KC; 3S 3D 3C", 39, False),
]


@pytest.mark.parametrize(("rules", "melds", "points", "opens"), [e[1:] for e in OPENINGS], ids=[e[0] for e in OPENINGS])
def test_openings(rules: str, melds: str, points: int, opens: bool) -> None:
    texts = melds.split("; ")
    read = [read_meld(text, game="kaluki") for text in texts]
    assert all(is_valid(meld, Rules.parse(rules)) for meld in read)
    assert sum(opening_value(meld, Rules.parse(rules)) for meld in read) == points
    hand = " ".join(card for meld in read for card in meld.cards)
    # One card more than the opening needs: it may not go out under `final_discard_required`.
    referee = table(rules, P1=f"{hand} 9H")
    assert ("lay down" in referee.legal()) is opens
    if opens:
        referee.do("lay down")
        for text in texts:
            lay(referee, text)
        referee.do("end opening")
        assert meld_lines(referee) == texts
        assert line_of(referee, "opened") == "P1"
        assert phase_of(referee) == "play P1 opened now"


def test_kx15_represented_a_joker_is_worth_more_as_the_ace() -> None:
    melds = [read_meld(text, game="kaluki") for text in ("2S 3S JK(4S)", "QS QH QD", "2H 2D 2C")]
    assert sum(opening_value(meld, REPRESENTED) for meld in melds) == 45
    referee = table(str(REPRESENTED), P1="2S 3S JK QS QH QD 2H 2D 2C 9H")
    referee.do("lay down")
    assert referee.legal() == {"run of spades from A", "set of Q", "set of 2"}
    lay(referee, "JK(AS) 2S 3S")
    assert "end opening" not in referee.legal()


@pytest.mark.parametrize(
    ("rules", "meld", "valid"),
    [
        pytest.param("kaluki51", "8S 8H 8S", False, id="KX18"),
        pytest.param("kaluki51", "8S 8H 8D 8C JK", False, id="KX19"),
        pytest.param("kaluki51", "5H 6H 7H", True, id="KX20"),
        pytest.param("kaluki51", "KH AH 2H", False, id="KX21"),
        pytest.param("kaluki51", "5H JK(6H) JK(7H) 8H", True, id="KX22"),
        pytest.param("kaluki40_british", "AH 2H 3H", False, id="KX30"),
        pytest.param("kaluki51", "AH 2H 3H", True, id="ace-low"),
        pytest.param("kaluki40_british", "QH KH AH", True, id="ace-high"),
        pytest.param("kaluki51", "8S JK JK", True, id="one-natural"),
        pytest.param("kaluki51", "8S JK JK JK", True, id="one-natural-of-four"),
        pytest.param("kaluki51", "JK(AS) JK(2S) 3S", True, id="jokers-first"),
        pytest.param("kaluki51", "JK(QS) KS JK(AS)", True, id="joker-as-high-ace"),
        pytest.param("kaluki51", "5H 6H", False, id="two-cards"),
        pytest.param("kaluki51", "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", True, id="both-aces"),
    ],
)
def test_melds(rules: str, meld: str, valid: bool) -> None:
    text = position(rules, P1="9H", pile="9S", melds=f"P2/1: {meld}")
    if valid:
        assert f"meld P2/1: {meld}\n" in Referee.from_position(text).position()
    else:
        with pytest.raises(PositionError, match="no set and no run"):
            Referee.from_position(text)


def test_melds_of_jokers_only_cannot_be_read() -> None:
    with pytest.raises(NotationError):
        table(melds="P2/1: JK JK JK")


# ---- the turn (KX23 to KX25, W1 to W18) --------------------------------------------------------------------------------

KINGS = "P2/1: KS KH KC"


@pytest.mark.parametrize(
    ("rules", "may"),
    [("kaluki51", False), ("kaluki51 layoff_in_opening_turn=true", True), ("kaluki40_british", True)],
    ids=["KX23", "KX23-allowed", "KX23-british"],
)
def test_nothing_is_laid_off_in_the_turn_of_the_opening(rules: str, may: bool) -> None:
    referee = table(rules, P1="QS KS AS 6H 6D 6C KD 2D", melds=KINGS)
    referee.do("lay down")
    for meld in ("QS KS AS", "6H 6D 6C"):
        lay(referee, meld)
    referee.do("end opening")
    assert {"discard KD", "discard 2D"} <= referee.legal()
    assert ("lay off onto P2/1" in referee.legal()) is may
    if may:
        referee.do("lay off onto P2/1")
        assert phase_of(referee) == "play P1 opened now"
        assert "KS KH KD KC" in meld_lines(referee)
    referee.do("discard 2D")
    later = table(rules, P1="KD 2D", melds=KINGS + "; P1/1: QS KS AS")
    assert "lay off onto P2/1" in later.legal()


def test_kx24_further_melds_have_no_minimum() -> None:
    referee = table(P1="2H 2D 2C 5S", melds="P1/1: QS KS AS")
    assert referee.legal() == {"set of 2", "discard 2H", "discard 2D", "discard 2C", "discard 5S"}
    lay(referee, "2H 2D 2C")
    assert phase_of(referee) == "play P1"
    assert referee.legal() == {"discard 5S"}


@pytest.mark.parametrize(
    ("rules", "further", "layoff"),
    [
        ("kaluki51", False, False),
        ("kaluki51 extra_melds=any_time_after_opening", True, False),
        ("kaluki51 layoff_in_opening_turn=true", False, True),
        ("kaluki40_british", True, True),
    ],
)
def test_what_is_allowed_in_the_turn_of_the_opening(rules: str, further: bool, layoff: bool) -> None:
    referee = table(rules, phase="play P1 opened now", P1="2H 2D 2C AH 5S", melds="P1/1: AS AD AC")
    legal = referee.legal()
    assert ("set of 2" in legal) is further
    assert ("lay off onto P1/1" in legal) is layoff
    if further:
        lay(referee, "2H 2D 2C")
        assert phase_of(referee) == "play P1 opened now"


def test_kx25_keeping_the_upcard() -> None:
    free = table(phase="draw P1", P1="2S 5D", pile="KH")
    assert free.legal() == {"draw stock", "take upcard"}
    free.do("take upcard")
    assert free.legal() == {"discard 2S", "discard 5D", "discard KH"}
    assert line_of(free, "known P1") == "KH"
    assert table("kaluki51 upcard_before_opening=only_to_open", phase="draw P1", P1="2S 5D", pile="KH").legal() == {"draw stock"}


def test_taking_the_upcard_to_open() -> None:
    rules = "kaluki51 upcard_before_opening=only_to_open"
    # KH is needed. Without it the aces would open, but then KH would not be in a new meld.
    hand = "KS KD 7S 7H 7D 2C"
    referee = table(rules, phase="draw P1", P1=hand, pile="KH")
    referee.do("take upcard")
    assert line_of(referee, "owed") == "KH"
    assert referee.legal() == {"lay down"}
    referee.do("lay down")
    assert referee.legal() == {"set of K", "set of 7"}
    lay(referee, "7S 7H 7D")
    assert line_of(referee, "owed") == "KH"
    assert referee.legal() == {"set of K"}
    lay(referee, "KS KH KD")
    assert line_of(referee, "owed") is None
    assert referee.legal() == {"end opening"}
    assert table(rules, phase="draw P1", P1="AS AH AD AC KS 2C", pile="KH").legal() == {"draw stock"}
    # Any copy settles the debt: of two kings of hearts one may stay.
    twice = table(rules, phase="play P1", P1="KS KH KH KD 7S 7H 7D", owed="KH")
    twice.do("lay down")
    assert twice.legal() == {"set of K", "set of 7"}


def test_a_debt_can_outlive_what_is_known() -> None:
    referee = table("kaluki40_british", phase="draw P1", P1="7S 7H 7D 2C 5D", pile="7S", melds="P1/1: 4S 5S 6S")
    referee.do("take upcard")
    referee.do("lay off onto P1/1 high")  # of two like cards the known one has left, and one of them is still owed
    assert line_of(referee, "known P1") is None
    assert line_of(referee, "owed") == "7S"
    again = Referee.from_position(referee.position())
    assert again.legal() == referee.legal()
    assert "set of 7" in again.legal()


@pytest.mark.parametrize(
    ("hand", "upcard", "may"),
    [
        ("2H 2D 5S", "2C", True),
        ("2H 3D 5S", "2C", False),
        ("2H 2D", "2C", False),
        ("KD 2D", "KH", False),
        ("2H JK 9S", "2C", True),
    ],
)
def test_upcard_for_a_new_meld_only(hand: str, upcard: str, may: bool) -> None:
    # In the third case no card would be left to discard; in the fourth, laying off is no new meld.
    referee = table("kaluki40_british", phase="draw P1", P1=hand, pile=upcard, melds="P1/1: KS KD KC; P1/2: TS JS QS KS")
    assert ("take upcard" in referee.legal()) is may
    if may:
        referee.do("take upcard")
        assert line_of(referee, "owed") == upcard
        assert not any(action.startswith("discard") for action in referee.legal())


JACKS = "P2/1: TH JH JK(QH)"


def test_w1_swap_in_a_run_of_another_seat() -> None:
    for phase, after in (("play P1", "play P1"), ("play P1 opened now", "play P1 opened now")):
        referee = table(phase=phase, P1="QH 2S", melds=f"{JACKS}; P1/1: AS AH AC")
        referee.do("swap joker in P2/1")
        assert line_of(referee, "hand P1") == "2S JK"
        assert meld_lines(referee) == ["TH JH QH", "AS AH AC"]
        assert line_of(referee, "known P1") == "JK"
        assert phase_of(referee) == after
        assert line_of(referee, "owed") is None


def test_w2_no_swap_before_opening() -> None:
    assert table(P1="QH 2S", melds=JACKS).legal() == {"discard QH", "discard 2S"}
    nothing = table("kaluki51 joker_release_requires=nothing", P1="QH 2S", melds=JACKS)
    assert nothing.legal() == {"swap joker in P2/1", "discard QH", "discard 2S"}


@pytest.mark.parametrize(
    ("meld", "hand", "after"),
    [
        pytest.param("KS KH JK", "KD", "KS KH KD", id="W3"),
        pytest.param("KS KH JK", "KS", None, id="W4"),
        pytest.param("KS KH KD JK", "KC", "KS KH KD KC", id="W5"),
        pytest.param("8C JK(9C) TC", "9C", "8C 9C TC", id="W9"),
        pytest.param("8C JK(9C) TC", "9S", None, id="another-suit"),
        pytest.param("KS JK JK", "KC", "KS KC JK", id="one-joker-of-two"),
        pytest.param(
            "JK(AD) 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD JK(AD)",
            "AD",
            "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD JK(AD)",
            id="low-ace-first",
        ),
    ],
)
def test_swaps(meld: str, hand: str, after: str | None) -> None:
    referee = table(P1=f"{hand} 5S", pile="9S", melds=f"P1/1: {meld}")
    assert ("swap joker in P1/1" in referee.legal()) is (after is not None)
    if after is not None:
        referee.do("swap joker in P1/1")
        assert meld_lines(referee) == [after]
        assert line_of(referee, "hand P1") == "5S JK"


def test_w3_w6_swap_with_a_choice_and_laying_off_instead() -> None:
    referee = table(P1="KD KC 5S", melds="P1/1: KS KH JK")
    referee.do("swap joker in P1/1")
    assert phase_of(referee) == "swap P1 in P1/1"
    assert referee.legal() == {"place KD", "place KC"}
    referee.do("place KC")
    assert meld_lines(referee) == ["KS KH KC"]
    other = table(P1="KD 5S", melds="P1/1: KS KH JK")
    other.do("lay off onto P1/1")
    assert meld_lines(other) == ["KS KH KD JK"]
    together = table("kaluki51 joker_release_sets=all_missing_suits", P1="KD KC 5S", melds="P1/1: KS KH JK")
    together.do("swap joker in P1/1")
    assert meld_lines(together) == ["KS KH KD KC"]
    assert line_of(together, "hand P1") == "5S JK"


def test_w7_a_joker_that_was_kept_costs_25() -> None:
    referee = table(players=2, P1="QH 2S", P2="3D", melds=f"{JACKS}; P1/1: AS AH AC")
    for action in ("swap joker in P2/1", "discard 2S", "draw stock"):
        referee.do(action)
    end = position(players=2, phase="play P2", P1="JK", P2="3D", melds=f"{JACKS}; P1/1: AS AH AC")
    referee = Referee.from_position(end)
    referee.do("discard 3D")
    assert referee.scores() == [25, 0]


def test_w8_a_joker_that_was_swapped_may_be_laid_off() -> None:
    melds = f"{JACKS}; P1/1: 4S 5S 6S"
    referee = table(P1="QH 2C", melds=melds)
    referee.do("swap joker in P2/1")
    referee.do("lay off onto P1/1 high")
    assert "4S 5S 6S JK(7S)" in meld_lines(referee)
    # It must be laid in a new meld: there is none, so there is no swap.
    bound = "kaluki51 joker_after_swap=new_meld_this_turn"
    assert "swap joker in P2/1" not in table(bound, P1="QH 2C", melds=melds).legal()
    referee = table(bound, P1="QH 2C 2D 7S", melds=melds)
    referee.do("swap joker in P2/1")
    assert line_of(referee, "owed") == "JK"
    assert referee.legal() == {"set of 2", "lay off onto P1/1 high"}  # 7S may be spared, the joker may not
    referee.do("lay off onto P1/1 high")
    assert "4S 5S 6S 7S" in meld_lines(referee)
    lay(referee, "2D 2C JK")
    assert phase_of(referee) == "over P1"
    # In the turn of the opening no further melds are laid: nothing can be settled.
    now = table(bound, phase="play P1 opened now", P1="QH 2C 2D 7S", melds=melds)
    assert "swap joker in P2/1" not in now.legal()


def test_w10_going_out_by_laying_off() -> None:
    referee = table(P1="7S", melds="P1/1: 4S 5S 6S")
    referee.do("lay off onto P1/1 high")
    assert phase_of(referee) == "over P1"
    assert referee.scores() == [0, 9, 4]
    bound = table("kaluki51 final_discard_required=true", P1="7S", melds="P1/1: 4S 5S 6S")
    assert bound.legal() == {"discard 7S"}


def test_w11_going_out_by_discarding() -> None:
    referee = table(P1="7S", melds="P1/1: 4H 5H 6H")
    referee.do("discard 7S")
    assert phase_of(referee) == "over P1"
    assert line_of(referee, "pile") == "7S 9D"


def test_going_out_with_the_opening_and_with_a_further_meld() -> None:
    referee = table(P1="KS KH KC 7S 7H 7D")
    referee.do("lay down")
    lay(referee, "KS KH KC")
    lay(referee, "7S 7H 7D")
    assert phase_of(referee) == "over P1"
    assert line_of(referee, "opened") == "P1"
    bound = table("kaluki40_british", P1="KS KH KC TS TH TC").legal()
    assert bound == {"discard KS", "discard KH", "discard KC", "discard TS", "discard TH", "discard TC"}
    further = table(P1="2H 2D 2C", melds="P1/1: AS AH AC")
    lay(further, "2H 2D 2C")
    assert phase_of(further) == "over P1"
    assert "set of 2" not in table("kaluki40_british", P1="2H 2D 2C", melds="P1/1: AS AH AC").legal()


FIVES = "P1/1: 5H 6H 7H"
OTHER_SCORES = "kaluki51 unmet_opening_penalty=50 go_out_score=-50"


@pytest.mark.parametrize(
    ("rules", "hands", "melds", "scores"),
    [
        pytest.param("kaluki51", ["9C", "AS KD 7H JK", "QS JC TD 9H 2S", "AH AD 4C"], FIVES, [0, 57, 41, 34], id="W12"),
        pytest.param("kaluki51", ["9C", "JK JK 3D", "2C", "2D"], FIVES, [0, 53, 2, 2], id="W13"),
        pytest.param(OTHER_SCORES, ["9C", "3D", "2C", "2D"], FIVES + "; P3/1: AS AH AD", [-50, 53, 2, 52], id="keys"),
        pytest.param("kaluki40_british", ["9C", "JK AS", "AH KC", "2D"], FIVES, [0, 26, 21, 2], id="british"),
    ],
)
def test_scores(rules: str, hands: list[str], melds: str, scores: list[int]) -> None:
    referee = table(rules, players=4, **{f"P{seat}": hand for seat, hand in enumerate(hands, 1)}, melds=melds)
    referee.do("discard 9C")
    assert referee.scores() == scores


def all_but(rules: Rules, players: int, *places: str) -> str:
    """All cards of the deck that lie in none of these places."""
    return " ".join((pack_cards(rules, players) - Counter(" ".join(places).split())).elements())


def test_w17_renewing_the_stock() -> None:
    pile = " ".join(f"{rank}{suit}" for suit in "SH" for rank in RANKS[2:12])
    rest = all_but(DEFAULT, 3, "2C", "3C", pile)
    lines = {"phase": "draw P1", "P1": "2C", "P2": "3C", "P3": rest, "stock": "-", "pile": pile, "declined_P2": "4C"}
    without = table(**lines)
    with pytest.raises(EnvironmentStateError):
        without.do("draw stock")
    referee = Referee.from_position(position(**lines), lambda cards: cards[::-1])  # type: ignore[arg-type]
    referee.do("draw stock")
    assert line_of(referee, "pile") == "3S"
    assert len((line_of(referee, "stock") or "").split()) == 18
    assert line_of(referee, "hand P1") == "QH 2C"
    assert line_of(referee, "declined P1") == "3S"
    assert line_of(referee, "declined P2") is None
    assert line_of(referee, "reshuffles") == "1"


def test_w18_jokers_may_be_discarded() -> None:
    referee = table(P1="JK 2S")
    referee.do("discard JK")
    assert phase_of(referee) == "draw P2"
    assert line_of(referee, "pile") == "JK 9D"
    assert line_of(referee, "discarded P1") == "JK"


def test_the_deal_is_blocked_where_nothing_may_be_drawn() -> None:
    rules = "kaluki51 upcard_before_opening=only_to_open reshuffle_max=0"
    rest = all_but(Rules.parse(rules), 3, "2C 4C", "3C", "9D")
    referee = table(rules, P1="2C 4C", P2="3C", P3=rest, stock="-", pile="9D")
    referee.do("discard 4C")
    assert phase_of(referee) == "over blocked"
    assert referee.scores() == [2, 3, sum(DEFAULT.card_points(card) for card in rest.split())]
    # P2 has opened, and the upcard would have to be laid in a new meld.
    bound = "kaluki51 upcard_after_opening=only_for_new_meld reshuffle_max=0"
    rest = all_but(Rules.parse(bound), 3, "2C 4C", "3C", "9D", "AS AH AD")
    referee = table(bound, P1="2C 4C", P2="3C", P3=rest, stock="-", pile="9D", melds="P2/1: AS AH AD")
    referee.do("discard 4C")
    assert phase_of(referee) == "over blocked"
    last = table(turns="179", P1="2C 4C")
    last.do("discard 4C")
    assert phase_of(last) == "over blocked"


def test_an_upcard_that_may_not_be_taken_counts_as_declined() -> None:
    referee = table("kaluki40_british", phase="draw P1", P1="2S 5D", pile="KH")
    assert referee.legal() == {"draw stock"}
    referee.do("draw stock")
    assert line_of(referee, "declined P1") == "KH"


def test_ends_of_runs() -> None:
    melds = "P1/1: 2S 3S 4S; P1/2: JC QC KC AC; P1/3: AH 2H 3H"
    low = table(P1="AS 5S AC 9C JK", melds=melds).legal()
    assert {action for action in low if action.startswith("lay off")} == {
        "lay off onto P1/1 low",
        "lay off onto P1/1 high",
        "lay off onto P1/2 low",
        "lay off onto P1/3 high",
    }
    high = table("kaluki51 ace_in_run=high_only", P1="AS 5S AC 9C JK", melds=melds.partition("; P1/3")[0]).legal()
    assert {action for action in high if action.startswith("lay off")} == {"lay off onto P1/1 high", "lay off onto P1/2 low"}


def test_a_set_of_four_takes_nothing() -> None:
    assert table(P1="7S JK 2D", melds="P1/1: 7S 7H 7D JK").legal() == {"discard 7S", "discard JK", "discard 2D"}


# ---- filling -----------------------------------------------------------------------------------------------------------


def test_filling_a_run_with_jokers() -> None:
    referee = table(P1="5H 6H JK JK 2S", melds="P1/1: AS AH AC")
    runs = {action for action in referee.legal() if action.startswith("run of hearts")}
    assert runs == {f"run of hearts from {rank}" for rank in "3456"}
    referee.do("run of hearts from 5")
    assert meld_lines(referee) == ["AS AH AC", "-"]
    assert phase_of(referee) == "fill P1 run of hearts from 5"
    assert referee.legal() == {"place 5H", "place JK"}
    other = Referee.from_position(referee.position())
    referee.do("place JK")
    # 6H and JK go by themselves, and since nothing fits behind them, so does the end of the meld.
    assert meld_lines(referee)[1] == "JK(5H) 6H JK(7H)"
    assert phase_of(referee) == "play P1"
    other.do("place 5H")
    assert other.legal() == {"place 6H", "place JK"}
    other.do("place JK")
    assert meld_lines(other)[1] == "5H JK(6H) JK(7H)"


def test_ending_a_meld_is_a_choice() -> None:
    referee = table(P1="5H 6H 7H 8H 2S", melds="P1/1: AS AH AC")
    referee.do("run of hearts from 5")
    assert meld_lines(referee)[1] == "5H 6H 7H"
    assert referee.legal() == {"place 8H", "end meld"}
    text = referee.position()
    referee.do("end meld")
    assert phase_of(referee) == "play P1"
    again = Referee.from_position(text)
    again.do("place 8H")
    assert phase_of(again) == "play P1"
    assert meld_lines(again)[1] == "5H 6H 7H 8H"


def test_a_card_is_kept_for_the_discard() -> None:
    referee = table("kaluki40_british", P1="5H 6H 7H 8H", melds="P1/1: AS AH AC")
    referee.do("run of hearts from 5")
    assert meld_lines(referee)[1] == "5H 6H 7H"
    assert referee.legal() == {"discard 8H"}


def test_a_meld_under_way_is_told_from_a_finished_one_of_the_same_name() -> None:
    started = table(P1="8S 8H 8D 8S 8H 8C 2S", melds="P1/1: AS AH AC")
    started.do("set of 8")
    for action in ("place 8S", "place 8H", "place 8D"):
        started.do(action)
    assert started.legal() == {"place 8C", "end meld"}
    assert meld_lines(started) == ["AS AH AC", "8S 8H 8D"]
    second = table(P1="8S 8H 8C JK 2S", melds="P1/1: AS AH AC; P1/2: 8S 8H 8D")
    second.do("set of 8")
    assert meld_lines(second) == ["AS AH AC", "8S 8H 8D", "-"]
    for referee in (started, second):
        again = Referee.from_position(referee.position())
        assert again.position() == referee.position()
        assert again.legal() == referee.legal()


def test_melds_are_listed_in_the_order_in_which_they_were_begun() -> None:
    referee = table(P1="2H 2D 2C 5S", melds="P3/1: AS AH AC; P1/1: QS KS AS; P3/2: 3S 3H 3D")
    lay(referee, "2H 2D 2C")
    text = referee.position()
    assert re.findall(r"^meld (\S+):", text, re.MULTILINE) == ["P3/1", "P1/1", "P3/2", "P1/2"]
    assert Referee.from_position(text).position() == text


# ---- the search against brute force ------------------------------------------------------------------------------------

VARIANTS = [DEFAULT, BRITISH, REPRESENTED, Rules.parse("kaluki51 ace_in_run=high_only final_discard_required=true")]


def arrangements(cards: list[str], rules: Rules) -> list[Meld]:
    """All melds that consist of just these cards, by trying every name and every order."""
    naturals = [card for card in cards if card != JOKER]
    found: list[Meld] = []
    if naturals and len(cards) <= 4:
        found.append(Set(naturals[0][0], sorted(cards, key=card_order)))
    if naturals:
        suit = naturals[0][1]
        for low in range(1, 15 - len(cards) + 1):
            row = [natural_at(suit, low + index) for index in range(len(cards))]
            filled = [card if card in naturals else JOKER for card in row]
            if Counter(filled) == Counter(cards):
                found.append(Run(suit, low, filled))
    return [meld for meld in found if is_valid(meld, rules)]


class Exhaustive:
    """Every packing of every meld in a hand; subsets of the hand are bit masks."""

    def __init__(self, hand: list[str], rules: Rules) -> None:
        self.hand, self.rules = hand, rules
        self.melds: list[tuple[int, Meld]] = []
        for size in range(3, len(hand) + 1):
            for chosen in combinations(range(len(hand)), size):
                for meld in arrangements([hand[index] for index in chosen], rules):
                    self.melds.append((sum(1 << index for index in chosen), meld))
        #: The most that the melds of a packing are worth, by the cards that it takes.
        self.packings = {0: 0}
        for mask, meld in self.melds:
            value = opening_value(meld, rules)
            for used, worth in list(self.packings.items()):
                if not used & mask:
                    self.packings[used | mask] = max(worth + value, self.packings.get(used | mask, 0))

    def can_lay(self, need: int, owed: Counter[str], keep: bool, without: int = 0) -> bool:
        """The question of the search, for the cards outside a mask."""
        for used, worth in self.packings.items():
            cards = Counter(self.hand[index] for index in range(len(self.hand)) if used >> index & 1)
            left = (1 << len(self.hand)) - 1 & ~used & ~without
            if not used & without and worth >= need and not owed - cards and (left or not keep):
                return True
        return False


def rich_hand(rng: random.Random, naturals: int, jokers: int) -> list[str]:
    """Cards that go together well."""
    suits, ranks = rng.sample(SUITS, rng.choice((1, 2, 4))), rng.sample(RANKS, rng.choice((4, 7, 13)))
    pool = [rank + suit for rank, suit in product(ranks, suits)] * 2
    pool += [card for card in CARDS[:-1] if card not in pool and rng.random() < 0.3]
    return sorted(rng.sample(pool, min(naturals, len(pool))), key=card_order) + [JOKER] * jokers


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_search_agrees_with_brute_force(number: int) -> None:
    rng = random.Random(number)
    rules = VARIANTS[number]
    search = search_of(rules)
    found = Counter[bool]()
    for _ in range(45):
        jokers = rng.choice((0, 0, 1, 2, 3, 4))
        hand = rich_hand(rng, rng.randint(3, 9 - jokers // 2), jokers)
        exhaustive = Exhaustive(hand, rules)
        best = max(exhaustive.packings.values())
        for need in {0, 1, best - 1, best, best + 1, 40, 51}:
            for owed in (Counter[str](), Counter(rng.sample(hand, 1)), Counter(rng.sample(hand, 2)), Counter([hand[-1]])):
                for keep in (False, True):
                    answer = search.can_lay(Counter(hand), need, owed, keep)
                    assert answer is exhaustive.can_lay(need, owed, keep), (hand, need, owed, keep)
                    found[answer] += 1
    assert found[True] > 100
    assert found[False] > 100


def expected_names(exhaustive: Exhaustive, owed: Counter[str], points: int) -> dict[str, set[str]]:
    """The melds that an opening can begin with, and the first cards of each."""
    names: dict[str, set[str]] = {}
    for mask, meld in exhaustive.melds:
        rest = owed - Counter(meld.cards)
        need = points - opening_value(meld, exhaustive.rules)
        if exhaustive.can_lay(need, rest, exhaustive.rules.final_discard_required, without=mask):
            names.setdefault(kind_text(meld), set()).add(meld.cards[0])
    return names


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_the_first_choices_of_an_opening_agree_with_brute_force(number: int) -> None:
    rng = random.Random(100 + number)
    points = 30  # so that small hands open
    rules = VARIANTS[number].replace(opening_points=points)
    opened = 0
    for _ in range(40):
        jokers = rng.choice((0, 1, 1, 2))
        hand = rich_hand(rng, 8 - jokers, jokers)
        exhaustive = Exhaustive(hand, rules)
        spare = [card for card in CARDS if card not in hand]
        referee = table(str(rules), P1=" ".join(hand), P2=spare[0], P3=spare[1], pile=spare[2])
        names = expected_names(exhaustive, Counter(), points)
        assert ("lay down" in referee.legal()) is bool(names)
        if not names:
            continue
        opened += 1
        referee.do("lay down")
        assert referee.legal() == set(names), referee.position()
        for name, cards in names.items():
            again = Referee.from_position(referee.position())
            again.do(name)
            if phase_of(again).startswith("fill") and meld_lines(again)[0] == "-":
                assert again.legal() == {f"place {card}" for card in cards}
            else:
                assert len(cards) == 1
    assert opened > 10


class Naive:
    """The lay-down of a turn without any foresight: what can be done next, and by trying everything, whether that ends well."""

    def __init__(self, rules: Rules, opened: bool) -> None:
        self.rules = rules
        self.opened = opened
        self.answers: dict[object, bool] = {}

    def actions(self, hand: tuple[str, ...], begun: Meld | None, laid: int, owed: tuple[str, ...]) -> dict[str, bool]:
        """What the rules of single melds allow, and whether all that is due can then be completed."""
        if begun is None:
            found = {kind_text(meld): self.ends_well(hand, meld, laid, owed) for meld in self.names()}
            if not self.opened and laid >= (self.rules.opening_points or 0) and not owed and (hand or not self.keep):
                found["end opening"] = True
            return found
        found = {}
        if len(begun.cards) >= 3 and set(begun.cards) != {JOKER}:
            found["end meld"] = self.ends_well(hand, None, laid + opening_value(begun, self.rules), owed)
        for card in set(hand) & self.fitting(begun):
            rest, debt = list(hand), list(owed)
            rest.remove(card)
            if card in debt:
                debt.remove(card)
            longer = type(begun)(**{**vars(begun), "cards": [*begun.cards, card]})
            found[f"place {card}"] = self.ends_well(tuple(rest), longer, laid, tuple(debt))
        return found

    @property
    def keep(self) -> bool:
        return self.rules.final_discard_required

    def names(self) -> list[Meld]:
        lowest = 2 if self.rules.ace_in_run == "high_only" else 1
        return [*map(Set, RANKS), *(Run(suit, low) for suit in SUITS for low in range(lowest, 13))]

    def fitting(self, begun: Meld) -> set[str]:
        if isinstance(begun, Run):
            return {natural_at(begun.suit, begun.low + len(begun.cards)), JOKER} if begun.low + len(begun.cards) <= 14 else set()
        assert isinstance(begun, Set)
        last = max((card_order(card) for card in begun.cards), default=-1)
        naturals = {begun.rank + suit for suit in SUITS if card_order(begun.rank + suit) > last}
        return naturals | {JOKER} if len(begun.cards) < 4 else set()

    def ends_well(self, hand: tuple[str, ...], begun: Meld | None, laid: int, owed: tuple[str, ...]) -> bool:
        done = self.opened or laid >= (self.rules.opening_points or 0)
        if begun is None and done and not owed and (hand or not self.keep):
            return True
        key = (hand, str(begun), laid, owed)
        if key not in self.answers:
            self.answers[key] = any(self.actions(hand, begun, laid, owed).values())
        return self.answers[key]


def compare_with_naive(referee: Referee, naive: Naive, rng: random.Random) -> Counter[str]:
    """Lay melds at random, and compare what is legal with what ends well."""
    seen: Counter[str] = Counter()
    while phase_of(referee).split()[0] in ("play", "meld", "fill"):
        phase, legal = phase_of(referee), referee.legal()
        melds = meld_lines(referee)[1:] if naive.opened else meld_lines(referee)
        hand, owed = line_of(referee, "hand P1") or "", line_of(referee, "owed") or ""
        begun: Meld | None = None
        if phase.startswith("fill"):
            begun = next(meld for meld in naive.names() if kind_text(meld) in phase)
            begun.cards = [] if melds[-1] == "-" else [card[:2] for card in melds.pop().split()]
            melds = [meld for meld in melds if meld != "-"]
        laid = sum(opening_value(read_meld(meld, game="kaluki"), naive.rules) for meld in melds)
        expected = naive.actions(tuple(hand.split()), begun, laid, tuple(owed.split()))
        ours = {action for action in legal if action.split()[0] in ("set", "run", "place", "end")}
        if phase.startswith("play") and not naive.opened:
            return seen
        assert ours == {action for action, well in expected.items() if well}, referee.position()
        seen[phase.split()[0]] += 1
        if not ours:
            return seen
        referee.do(rng.choice(sorted(ours)))
    return seen


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_every_prefix_of_a_lay_down_agrees_with_trying_everything(number: int) -> None:
    rng = random.Random(200 + number)
    rules = VARIANTS[number].replace(
        opening_points=24, upcard_before_opening="only_to_open", joker_after_swap="new_meld_this_turn", joker_total=None
    )
    seen: Counter[str] = Counter()
    for turn in range(250):
        jokers = rng.choice((0, 1, 2, 3))
        hand = rich_hand(rng, 8 - jokers, jokers)
        spare = [card for card in CARDS[:-1] if card not in hand]
        lines = {"P1": " ".join(hand), "P2": spare[0], "P3": spare[1], "pile": spare[2]}
        opened = turn % 2 == 1
        if opened:
            lines["melds"] = f"P1/1: {' '.join(rank + suit for rank, suit in zip(spare[3][0] * 3, 'SHD', strict=True))}"
            lines["owed"] = " ".join(hand[-min(jokers, rng.randint(0, 2)) :] if jokers else [])
        else:
            lines["owed"] = rng.choice(["", hand[0], hand[-1]])
        lines = {key: value for key, value in lines.items() if value}
        try:
            referee = table(str(rules), **lines)
        except PositionError:
            continue  # what is owed cannot be settled, or the cards of the meld are in the hand
        if not opened:
            if "lay down" not in referee.legal():
                continue
            referee.do("lay down")
        seen += compare_with_naive(referee, Naive(rules, opened), rng)
    assert min(seen[phase] for phase in ("play", "meld", "fill")) > 20


# ---- whole deals -------------------------------------------------------------------------------------------------------

TABLES = [
    ("kaluki51", 2),
    ("kaluki51", 3),
    ("kaluki51", 4),
    ("kaluki51", 5),
    ("kaluki51", 6),
    ("kaluki40_british", 2),
    ("kaluki40_british", 3),
    ("kaluki40_british", 5),
    ("kaluki51_european", 2),
    ("kaluki51_european", 4),
    ("kaluki51 joker_after_swap=new_meld_this_turn opening_points=30", 3),
    ("kaluki51 extra_melds=any_time_after_opening final_discard_required=true joker_opening_value=represented", 4),
    ("kaluki40_british joker_total=null extra_melds=later_turns upcard_before_opening=free", 3),
    ("kaluki51 upcard_after_opening=only_for_new_meld reshuffle_max=1", 2),
    ("kaluki51 opening_points=1 go_out_score=-50 unmet_opening_penalty=50", 6),
    ("kaluki51 joker_release_requires=nothing joker_release_sets=all_missing_suits", 4),
    ("kaluki40_british joker_release_requires=nothing joker_release_sets=all_missing_suits joker_total=null", 3),
]


def rich_deck(rng: random.Random, rules: Rules, players: int) -> list[str]:
    """A deck whose first cards, so its hands, have many jokers and half of the ranks."""
    deck = list(pack_cards(rules, players).elements())
    ranks = set(rng.sample(RANKS, 7))
    return sorted(deck, key=lambda card: (card != JOKER and card[0] not in ranks) + 1.2 * rng.random())


def lying_cards(text: str) -> Counter[str]:
    """All cards of a position text."""
    cards: Counter[str] = Counter()
    for line in text.splitlines():
        key, _, value = line.partition(": ")
        if key.partition(" ")[0] in ("hand", "meld", "stock", "pile"):
            cards.update(re.findall(r"JK(?=\b)|\b[A2-9TJQK][SHDC]\b(?!\))", value))
    return cards


def choose(rng: random.Random, legal: set[str]) -> str:
    """A random action, with a liking for those that bring a deal on."""
    actions = sorted(legal)
    good = [action for action in actions if action.split()[0] not in ("discard", "draw", "end")]
    return rng.choice(good if good and rng.random() < 0.7 else actions)


@pytest.mark.parametrize("rich", [False, True], ids=["shuffled", "rich"])
@pytest.mark.parametrize(("text", "players"), TABLES)
def test_random_deals_end_and_conserve_the_cards(text: str, players: int, rich: bool) -> None:
    rng = random.Random(f"{text} {players} {rich}")
    rules = Rules.parse(text)
    packs = pack_cards(rules, players)
    assert packs.total() == 104 + (rules.joker_total or 4)
    for _ in range(2):
        deck = rich_deck(rng, rules, players) if rich else rng.sample(list(packs.elements()), packs.total())
        play_out(
            Referee(rules, players, 1, rng.randrange(players), deck, lambda cards: rng.sample(cards, len(cards))), rng, packs
        )


def play_out(referee: Referee, rng: random.Random, packs: Counter[str]) -> None:
    """Play a deal to its end, with a look at every position."""
    steps = 0
    while referee.to_move() is not None:
        steps += 1
        assert steps < 5000
        legal = referee.legal()
        assert legal, referee.position()
        text = referee.position()
        phase = phase_of(referee)
        if steps % 20 == 0 or not phase.startswith(("draw", "play")) or line_of(referee, "owed"):
            assert lying_cards(text) == packs
            again = Referee.from_position(text)
            assert again.position() == text
            assert again.legal() == legal
        if phase.startswith(("fill", "layoff", "swap")):
            assert len(legal) >= 2
        if line_of(referee, "owed"):
            assert not any(action.startswith("discard") or action == "end opening" for action in legal)
        referee.do(choose(rng, legal))
    text = referee.position()
    assert lying_cards(text) == packs
    assert Referee.from_position(text).position() == text
    check_scores(referee)


def check_scores(referee: Referee) -> None:
    rules = referee.rules
    scores = referee.scores()
    assert scores is not None
    opened = line_of(referee, "opened") or ""
    for seat, score in enumerate(scores, 1):
        hand = line_of(referee, f"hand P{seat}")
        if phase_of(referee) == f"over P{seat}":
            assert hand == "-"
            assert score == rules.go_out_score
            continue
        points = sum(rules.card_points(card) for card in (hand or "").split())
        assert score == points + (0 if f"P{seat}" in opened else rules.unmet_opening_penalty)


def test_dealing() -> None:
    deck = sorted(pack_cards(DEFAULT, 6).elements(), key=card_order)
    text = Referee(DEFAULT, 6, 1, 5, deck).position()
    assert len(deck) == 108
    assert text.startswith(
        "kalooki: 1\nrules: kaluki51\nplayers: 6\ndeal: 1\ndealer: P6\nturns: 0\nreshuffles: 0\nphase: draw P1\n"
    )
    assert "hand P1: AS 4S 7S TS KS 3H 6H 9H QH 2D 5D 8D JD AC\n" in text
    assert f"stock: {' '.join(deck[85:])}\npile: {deck[84]}\n" in text
    assert "calls: -\nanswers: -\n" in text
    assert pack_cards(BRITISH, 3)[JOKER] == 2


# ---- faults ------------------------------------------------------------------------------------------------------------


def test_actions_that_are_none_and_actions_that_are_not_legal() -> None:
    referee = table(P1="8H 9H JK", melds="P1/1: 4S 5S 6S; P2/1: AS AH AC")
    before = referee.position()
    no_actions = [
        "",
        "discard",
        "three of 8",
        "run of spades from K",
        "lay off onto P2",
        "lay off onto P2/37",
        "swap joker in P2/0",
    ]
    for text in [*no_actions, "move joker in P1/1 to low", "end meld ", "lay off onto P9/1"]:
        with pytest.raises(NotationError):
            referee.do(text)
    for text in (
        "discard 7S",
        "draw stock",
        "lay down",
        "set of 8",
        "end meld",
        "end opening",
        "end turn",
        "call",
        "swap joker in P3/1",
    ):
        with pytest.raises(IllegalActionError):
            referee.do(text)
    assert referee.position() == before
    for other in ("rules: jamaican", "rules: jamaican\nowed: JK"):
        with pytest.raises((NotationError, PositionError)):
            Referee.from_position(re.sub("rules: .*", other, before))


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("phase: play P1", "phase: layoff P1 onto P2/1"),
        ("phase: play P1", "phase: swap P1 in P1/1"),
        ("phase: play P1", "phase: layoff P1 onto P1/1"),
        ("phase: play P1", "phase: over P1"),
        ("phase: play P1", "phase: meld P1"),
        ("phase: play P1", "phase: play P2 opened now"),
        ("pile: 9D", "pile: 9D\nknown P1: AS"),
        ("pile: 9D", "pile: 9D\nowed: 8H"),
        ("pile: 9D", "pile: 9D\ncalls: P2 1/0"),
        ("opened: P1", "opened: -"),
        ("opened: P1", "opened: P1, P2"),
        ("stock: rest", "stock: -"),
        ("turns: 0", "turns: 180"),
        ("meld P1/1: 4S 5S 6S", "meld P1/1: 4S 5S 7S"),
        ("meld P1/1: 4S 5S 6S", "meld P1/1: 4S 4S 4H"),
    ],
)
def test_impossible_positions(line: str, other: str) -> None:
    text = position(P1="8H 9H JK", melds="P1/1: 4S 5S 6S")
    assert line in text
    Referee.from_position(text)
    with pytest.raises((PositionError, NotationError)):
        Referee.from_position(text.replace(line, other))


@pytest.mark.parametrize(
    ("rules", "phase", "lines"),
    [
        ("kaluki40_british", "play P1", {"P1": "2H 2D 5S", "owed": "2H"}),
        ("kaluki40_british", "play P1", {"P1": "2H 2D 2C 5S", "owed": "2H 2D"}),
        ("kaluki40_british", "play P1 opened now", {"P1": "2H 2D 2C 5S", "owed": "2H"}),
        ("kaluki40_british", "play P1", {"P1": "2H 2D 2C 5S", "owed": "2S"}),
        ("kaluki40_british", "play P2", {"P2": "JK 2D 2C 5S", "owed": "2D JK"}),
        ("kaluki40_british", "draw P1", {"P1": "2H 2D 2C 5S", "owed": "2H"}),
        ("kaluki51", "fill P1 set of 2 opened now", {"P1": "2H 2D 2C 2S", "melds": "P1/1: 4S 5S 6S; P1/2: -"}),
        ("kaluki51", "fill P1 set of 2", {"P1": "5H", "melds": "P1/1: 4S 5S 6S; P1/2: 2S 2H"}),
        ("kaluki51", "fill P1 set of 2", {"P1": "5H 2D", "melds": "P1/1: 4S 5S 6S; P1/2: 2S 2H"}),
        ("kaluki51", "fill P1 set of 2", {"P1": "5H 2D JK", "melds": "P1/1: 4S 5S 6S; P1/2: 2H 2H"}),
    ],
)
def test_impossible_debts_and_melds_under_way(rules: str, phase: str, lines: dict[str, str]) -> None:
    with pytest.raises(PositionError):
        table(rules, phase=phase, **{"melds": "P1/1: 4S 5S 6S", "opened": "P1", **lines})


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("phase: play P1", "phase: draw P1 after call"),
        ("phase: play P1", "phase: call P3 on P1"),
        ("phase: play P1", "phase: fill P1 three of 8"),
        ("phase: play P1", "phase: fill P1 set of 8"),
        ("phase: play P1", "phase: move P1 in P1/1 to low"),
        ("meld P1/1: 4S 5S 6S", "meld P1/2: 4S 5S 6S"),
        ("meld P1/1: 4S 5S 6S", "meld P1/37: 4S 5S 6S"),
        ("meld P1/1: 4S 5S 6S", "meld P1/1: 4S 6S 7S"),
        ("meld P1/1: 4S 5S 6S", "meld P1/2: 4S 5S 6S\nmeld P1/1: 7S 7H 7D"),
    ],
)
def test_positions_that_cannot_be_read(line: str, other: str) -> None:
    text = position(P1="8H 9H JK", melds="P1/1: 4S 5S 6S")
    assert line in text
    with pytest.raises(NotationError):
        Referee.from_position(text.replace(line, other))


def test_threes_are_no_sets() -> None:
    assert Three("8") != Set("8")
