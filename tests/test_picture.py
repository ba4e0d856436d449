"""The picture of a table: what stands in it, where, that nothing overlaps, and that nothing hidden gets into it."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from conftest import KALUKI, OTHER_DEALS, PRESETS, positions
from kaluki_texts import in_the_midst
from pictures import PATH, POSITION, drawn
from PIL import Image
from test_no_peek import IN_THE_MIDST, permuted

import kalooki_env
from kalooki_env import core
from kalooki_env.core import JOKER, Phase
from kalooki_env.game.game import Game
from kalooki_env.game.melds import meld_in_slot
from kalooki_env.render import faces
from kalooki_env.render.boxes import BACK, Box, CardMark, Face, PaneMark, Plan, TextMark
from kalooki_env.render.picture import picture_size, table_picture
from kalooki_env.render.plan import plan_table
from kalooki_env.verify import eager_policy, mixed_policy


def plan_of(game: Game, seat: int, size: tuple[int, int] | None = None, **options: object) -> Plan:
    legal = game.legal_actions() if game.to_move == seat else []
    shape = picture_size(game.num_players) if size is None else size
    return plan_table(game.view(seat)[0], game.engine, shape, legal=legal, **options)  # type: ignore[arg-type]


def picture_of(game: Game, seat: int, **options: object) -> np.ndarray:
    legal = game.legal_actions() if game.to_move == seat else []
    return table_picture(game.view(seat)[0], game.engine, legal=legal, **options)  # type: ignore[arg-type]


def check_places(plan: Plan) -> None:
    """Panels lie in the picture, groups in panels, and all that is drawn in its group; none of them overlap."""
    whole = Box(0, 0, *plan.size)
    for one, other in itertools.combinations(plan.panels.items(), 2):
        assert not one[1].overlaps(other[1]), (one, other)
    for one, other in itertools.combinations(plan.groups.items(), 2):
        assert not one[1].overlaps(other[1]), (one, other)
    for name, panel in plan.panels.items():
        assert whole.holds(panel), name
    for name, group in plan.groups.items():
        assert sum(panel.holds(group) for panel in plan.panels.values()) == 1, (name, group)
    for name, mark in plan.marks:
        box = plan.groups.get(name) or plan.panels[name]
        assert box.holds(mark.box), (name, mark)
        assert mark.box.width > 0, (name, mark)
        assert mark.box.height > 0, (name, mark)


def cards(plan: Plan, group: str) -> list[Face]:
    """Faces of the cards in a group, without what only says how they lie."""
    marks = [mark for name, mark in plan.marks if name == group and isinstance(mark, CardMark)]
    return [mark.face._replace(covered=False) for mark in marks]


def texts(plan: Plan) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, mark in plan.marks:
        if isinstance(mark, TextMark):
            found.setdefault(name, []).append(mark.text)
    return found


def sizes_of(rules: str) -> list[int]:
    parsed = kalooki_env.Rules.parse(rules)
    return list(range(2, parsed.max_players + 1))


def played(rules: str, num_players: int, rng: np.random.Generator, limit: int = 900) -> Iterator[Game]:
    last = kalooki_env.Rules.parse(rules).num_deals
    deal = last if num_players == 2 else int(rng.integers(1, last + 1))
    game = Game(rules, num_players, deal=deal, seed=int(rng.integers(1000)))
    return positions(game, rng, mixed_policy if rng.random() < 0.5 else eager_policy, limit=limit)


# ---- where things stand ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PRESETS, *OTHER_DEALS, *KALUKI])
def test_nothing_overlaps_or_leaves_the_picture(rules: str, rng: np.random.Generator) -> None:
    """At all tables, in all phases, for all seats; with hands shown and without."""
    phases: set[Phase] = set()
    for num_players in sizes_of(rules):
        for step, game in enumerate(played(rules, num_players, rng)):
            new = game.phase not in phases
            if new or step % 23 == 0 or game.to_move is None:
                phases.add(game.phase)
                for seat in range(num_players):
                    reveal = game.states[0] if rng.random() < 0.3 else None
                    check_places(plan_of(game, seat, reveal=reveal))
    assert {Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.OVER} <= phases


@pytest.mark.parametrize("num_players", range(3, 9))
def test_there_is_room_for_the_longest_melds(num_players: int) -> None:
    """Four melds of 18 cards at each seat, more than all packs have; and hands of 40 cards."""
    game = Game("jamaican packs=3", num_players, deal=1, seed=1)
    view = game.view(0)[0]
    view["meld_kind"][: 4 * num_players] = 1
    view["meld_len"][: 4 * num_players] = 18
    view["meld_bits"][: 4 * num_players] = 0x3333
    view["meld_key"][: 4 * num_players] = np.arange(4 * num_players) % 13
    view["hand_n"] = 40
    view["hand"][:40] = 1
    for size in (picture_size(num_players), picture_size(8)):
        check_places(plan_table(view, game.engine, size))


@pytest.mark.parametrize("num_players", range(2, 7))
@pytest.mark.parametrize(("count", "length"), [(36, 3), (27, 4), (7, 14)])
def test_there_is_room_for_all_cards_in_melds_of_one_seat(num_players: int, count: int, length: int) -> None:
    game = Game("kaluki51", num_players, seed=1)
    for owner in range(num_players):
        view = game.view(0)[0]
        view["meld_kind"][:count] = 1 if length == 3 else 2
        view["meld_len"][:count] = length
        view["meld_bits"][:count] = 0x0111 if length == 3 else 0
        view["meld_owner"][:count] = owner
        view["melds_laid"] = count
        plan = plan_table(view, game.engine, picture_size(num_players))
        check_places(plan)
        assert sum(len(cards(plan, name)) for name in plan.groups if name.startswith("meld ")) == count * length


@pytest.mark.parametrize("size", [(960, 640), (1200, 675), (1280, 1280), (1920, 1080), (2560, 640)])
def test_larger_pictures(size: tuple[int, int], rng: np.random.Generator) -> None:
    for step, game in enumerate(played("jamaican", 4, rng, limit=300)):
        if step % 20 == 0:
            check_places(plan_of(game, 0, size))
    assert picture_of(game, 0, size=size).shape == (size[1], size[0], 3)


def test_long_words_are_cut_and_many_labels_left_out() -> None:
    game = Game("jamaican call_max_per_deal=3 pip_joker=25 go_out_score=0 unmet_opening_penalty=0 set_min_naturals=2", seed=1)
    view = game.view(0)[0]
    view["totals"], view["match_deal"] = -32000, 1
    view["calls_made"], view["calls_allowed"] = 65535, 65535
    view["phase"], view["winner"], view["opened"], view["dealer"], view["scores"] = Phase.OVER, 1, 1, 1, -30000
    plan = plan_table(view, game.engine, picture_size(4), legal=[], heading="deal " + "9" * 300)
    check_places(plan)
    assert texts(plan)["heading"][0].endswith("…")
    view["phase"] = Phase.PLAY
    plan = plan_table(view, game.engine, picture_size(4), legal=[f"lay off onto P{i}/1 low" for i in range(1, 90)])
    check_places(plan)
    shown = texts(plan)["actions"]
    assert shown[-1] == f"+ {90 - len(shown)} more"


def test_every_frame_of_a_deal_has_the_same_shape(rng: np.random.Generator) -> None:
    for rules, num_players, shape in (
        ("jamaican", 4, (640, 960, 3)),
        ("jamaican_club", 7, (800, 1280, 3)),
        ("kaluki51", 2, (640, 960, 3)),
    ):
        for step, game in enumerate(played(rules, num_players, rng)):
            if step % 40 == 0 or game.to_move is None:
                picture = picture_of(game, 0)
                assert picture.shape == shape
                assert picture.dtype == np.uint8
                assert picture.flags.writeable


# ---- what is shown -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["jamaican", "open_hand", "kaluki51"])
def test_the_picture_shows_what_the_view_holds(rules: str, rng: np.random.Generator) -> None:
    for step, game in enumerate(played(rules, 4, rng)):
        if step % 15:
            continue
        seat = int(rng.integers(4))
        plan, view = plan_of(game, seat), game.view(seat)[0]
        pile = [Face(int(card)) for card in view["pile"][: int(view["pile_n"])]]
        assert cards(plan, "pile") == pile[-6:]
        assert cards(plan, "stock") == [Face(BACK)] * min(int(view["stock_n"]), 3)
        said = texts(plan)
        assert said["stock count"] == [f"stock {view['stock_n']}"]
        assert said["pile count"] == [f"pile {view['pile_n']}"]
        for other in range(4):
            hand = Counter(face.card for face in cards(plan, f"P{other + 1} hand"))
            seen = view["hand"] if other == seat else view["known"].reshape(core.SEATS, core.CARDS)[other]
            assert {card: count for card, count in hand.items() if card != BACK} == {c: n for c, n in enumerate(seen) if n}
            assert hand.total() == view["hand_n"][other]
        melds = sum(meld_in_slot(view, slot) is not None for slot in range(core.MELDS))
        assert sum(name.startswith("meld ") for name in plan.groups) == melds
        assert sum(len(cards(plan, name)) for name in plan.groups if name.startswith("meld ")) == view["table_count"].sum()


def test_jokers_in_runs_show_what_they_stand_for() -> None:
    game = Game.from_text(POSITION)
    plan = plan_of(game, 0)
    assert cards(plan, "meld P2/3") == [Face(17), Face(JOKER, 18), Face(19), Face(20), Face(21)]
    assert cards(plan, "meld P2/1") == [Face(6), Face(19), Face(JOKER)]
    low = Game.from_text(
        POSITION.replace("7D 8D JK(9D) TD", "JK(AD) 2D 3D JK(4D)")
        .replace("JK(6H)", "6H")
        .replace("TC JC QC KC AC", "TC JC QC KC")
    )
    assert cards(plan_of(low, 0), "meld P1/3") == [Face(JOKER, 26), Face(27), Face(28), Face(JOKER, 29)]


def test_reveal_shows_all_hands_and_nothing_else_does() -> None:
    game = Game.from_text(POSITION)
    plan = plan_of(game, 0, reveal=game.states[0])
    for seat in range(4):
        assert [face.card for face in cards(plan, f"P{seat + 1} hand")] == np.repeat(
            np.arange(53), game.states[0]["hands"][seat]
        ).tolist()
    assert [face.card for face in cards(plan_of(game, 0), "P3 hand")] == [12, 45, *[BACK] * 7]
    assert (drawn() != drawn(reveal=game.states[0])).any()


def test_a_call_shows_who_calls_and_who_decides() -> None:
    asked = POSITION.replace("phase: play P1", "phase: call P3 on P1").replace("hand P1: 4S", "hand P1: 4S")
    said = texts(plan_of(Game.from_text(asked), 2))
    assert said["status"] == ["P3 is asked: call the discard?"]
    assert said["actions"] == ["call", "pass"]
    assert said["P1 tags"] == ["P1", "discarded", "opened", "called 2x, 1 allowed"]
    assert said["P3 tags"][:2] == ["P3 (you)", "asked"]
    answer = POSITION.replace("phase: play P1", "phase: answer P1 to P3").replace("P4 1/1", "P4 1/0")
    answer = answer.replace("calls: P1 2/1, P3 1/1", "calls: P1 1/0, P3 2/0").replace("answers: P2 1/0", "answers: P2 0/1")
    answer = answer.replace("P4 1/0", "P4 0/1")
    said = texts(plan_of(Game.from_text(answer), 0))
    assert said["status"] == ["P3 calls, P1 decides"]
    assert "calls" in said["P3 tags"]
    assert said["P1 tags"][:3] == ["P1 (you)", "discarded", "decides"]


def test_the_phases_in_words() -> None:
    """And the meld that an action is about stands out."""
    said: dict[str, tuple[str, list[str], set[str]]] = {}
    jamaican = {phase.name.lower(): text.format(rules="jamaican") for phase, text in IN_THE_MIDST.items()}
    for name, text in {**jamaican, **{f"kaluki {name}": text for name, text in in_the_midst("kaluki51").items()}}.items():
        plan = plan_of(Game.from_text(text), 0)
        check_places(plan)
        words = texts(plan)
        marked = {group for group, mark in plan.marks if isinstance(mark, PaneMark) and mark.style == "meld_now"}
        said[name] = words["status"][0], words.get("details", []), marked
    assert said == {
        "fill": ("P1 lays a three of 7", ["after this 2 threes"], set()),
        "layoff": ("P1 lays off onto P1/1", [], {"meld P1/1"}),
        "move": ("P1 moves a joker in P1/3", ["to the low end"], {"meld P1/3"}),
        "kaluki meld": ("P1 opens: which meld next?", ["0 of 51 points lie"], set()),
        "kaluki fill": ("P1 lays a set of T", ["0 of 51 points lie"], set()),
        "kaluki fill-run": ("P1 lays a run of spades from 9", ["19 of 51 points lie"], {"meld P1/1"}),
        "kaluki fill-later": ("P1 lays a set of T", [], set()),
        "kaluki layoff": ("P1 lays off onto P2/1", [], {"meld P2/1"}),
        "kaluki layoff-end": ("P1 lays off onto P1/1, low end", [], {"meld P1/1"}),
        "kaluki swap": ("P1 swaps a joker in P2/1", [], {"meld P2/1"}),
    }
    swap = Game.from_text(in_the_midst("kaluki51")["swap"])
    swap.states[0]["owed_card"], swap.states[0]["owed_jokers"] = 7, 1
    assert texts(plan_of(swap, 0))["details"] == ["must lay 7S JK in a new meld"]


@pytest.mark.parametrize("rules", ["jamaican", "kaluki51"])
def test_the_end_of_a_deal_shows_its_scores(rules: str, rng: np.random.Generator) -> None:
    *_, game = played(rules, 3, rng, limit=5000)
    assert game.outcome is not None
    said = texts(plan_of(game, 0))
    assert said["scores"] == [f"P{seat + 1}: {score}" for seat, score in enumerate(game.outcome.scores)]
    winner = game.outcome.winner
    assert said["status"] == ["Blocked: nobody went out" if winner is None else f"P{winner + 1} went out"]
    assert all(f"score {score}" in said[f"P{seat + 1} tags"] for seat, score in enumerate(game.outcome.scores))
    game.states[0]["match_deal"], game.states[0]["totals"] = 3, 7
    said = texts(plan_of(game, 0))
    assert said["scores"] == [f"P{seat + 1}: {score}, total {score + 7}" for seat, score in enumerate(game.outcome.scores)]
    assert said["P2 fact 1"] == [f"total {game.outcome.scores[1] + 7}"]
    game.states[0]["phase"] = Phase.DRAW
    assert texts(plan_of(game, 0))["P2 fact 1"] == ["total 7"]


def test_no_two_cards_look_alike() -> None:
    every = [*(Face(card) for card in range(53)), *(Face(JOKER, card) for card in range(52)), Face(BACK)]
    for width in (9, 14, 20, 33, 55, 80):
        for covered in (False, True):
            images = [faces.card_image(face._replace(covered=covered), width, round(1.4 * width)) for face in every]
            pixels = [image.image.tobytes() for image in images]
            assert len(set(pixels)) == len(every), width


def test_hearts_and_diamonds_are_red() -> None:
    for card in range(52):
        image = np.asarray(faces.card_image(Face(card), 40, 56).image).astype(int)[4:-4, 4:-4]
        red = ((image[..., 0] > 150) & (image[..., 1] < 90)).sum()
        black = (image.max(axis=2) < 60).sum()
        assert (red > 50, black > 50) == ((True, False) if card // 13 in (1, 2) else (False, True)), card


# ---- the same for the same view ----------------------------------------------------------------------------------


def test_the_same_view_gives_the_same_bytes() -> None:
    first = drawn().tobytes()
    drawn(size=(1280, 800))
    assert drawn().tobytes() == first
    for cached in (faces.card_image, faces._glyph, faces._outlines, faces._lower_half):
        cached.cache_clear()
    again = drawn()
    assert again.tobytes() == first
    again[:] = 0  # the picture is the caller's
    assert drawn().tobytes() == first


@pytest.mark.parametrize("rules", [*PRESETS, *KALUKI])
def test_hidden_cards_do_not_get_into_the_picture(rules: str, rng: np.random.Generator) -> None:
    """All cards that a seat cannot see are permuted: what is drawn stays the same, to the byte."""
    source = np.zeros(1, core.STATE)
    compared: Counter[Phase] = Counter()
    for num_players in (3, 5):
        for step, game in enumerate(played(rules, num_players, rng)):
            if step % 7 and game.to_move is not None:
                continue
            for seat in range(num_players):
                other = permuted(game, seat, source)
                if other is None or other.text() == game.text():
                    continue
                legal = game.legal_actions() if game.to_move == seat else []
                assert plan_of(other, seat) == plan_of(game, seat), f"seat {seat} in\n{game}"
                if not compared[game.phase]:
                    mine, theirs = (table_picture(one.view(seat)[0], one.engine, legal=legal) for one in (game, other))
                    assert mine.tobytes() == theirs.tobytes()
                    if not kalooki_env.Rules.parse(rules).open_hands:
                        assert (mine != picture_of(game, seat, reveal=game.states[0])).any()
                compared[game.phase] += 1
    assert {Phase.DRAW, Phase.PLAY, Phase.OVER} <= set(compared)


@pytest.mark.parametrize("phase", IN_THE_MIDST)
def test_hidden_cards_do_not_get_into_the_picture_in_the_midst_of_an_action(phase: Phase) -> None:
    game = Game.from_text(IN_THE_MIDST[phase].format(rules="jamaican"))
    source = np.zeros(1, core.STATE)
    for seat in range(3):
        check_places(plan_of(game, seat))
        other = permuted(game, seat, source, tries=200)
        assert other is not None
        assert picture_of(other, seat).tobytes() == picture_of(game, seat).tobytes()


def test_the_kept_picture_is_what_is_drawn() -> None:
    """Within what other versions of Pillow, which draws letters, may change."""
    kept = np.asarray(Image.open(PATH)).astype(int)
    now = drawn().astype(int)
    assert kept.shape == now.shape
    different = np.abs(kept - now).max(axis=2)
    assert (different > 32).mean() < 0.01, "python -m tests.pictures draws it anew"
    assert PATH.stat().st_size < 150_000


# ---- errors ------------------------------------------------------------------------------------------------------


def test_without_pillow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(seed=1)
    monkeypatch.setitem(sys.modules, "PIL", None)
    for name in ("paint", "faces", "labels", "plan"):
        monkeypatch.delitem(sys.modules, f"kalooki_env.render.{name}", raising=False)
        monkeypatch.delattr(f"kalooki_env.render.{name}", raising=False)
    with pytest.raises(kalooki_env.ConfigError, match=r"pip install 'kalooki_env\[render\]'"):
        picture_of(game, 0)


@pytest.mark.parametrize("size", [(959, 640), (960, 639), (0, 0)])
def test_pictures_that_are_too_small_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(kalooki_env.ConfigError, match="allowed: 960 by 640 or more"):
        drawn(size=size)
