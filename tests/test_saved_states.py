"""Saved states: real ones are taken, whatever they are of; changed ones are refused, or do no harm."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_tools import Mixed, assert_same, random_legal
from conftest import OTHER_DEALS
from test_match_env import rig

import kalooki_env
from kalooki_env import ConfigError, Game, RecordError, core
from kalooki_env.batch import sound as lane_sound
from kalooki_env.batch.layout import LANE
from kalooki_env.core import Phase
from kalooki_env.game import sound
from kalooki_env.game.engine import Engine
from kalooki_env.game.saved import seal
from kalooki_env.game.sound import check_positions
from kalooki_env.game.sound_records import Records, lane_name
from kalooki_env.records import game_at
from kalooki_env.rules import Rules, presets
from kalooki_env.verify.play import WAYS
from kalooki_env.verify.tables import all_tables
from training.config import load_config
from training.selfplay import SelfPlay

RULES = [name for name in presets() if name != "south_african"] + list(OTHER_DEALS[1:])
RULES += [
    "kaluki51 joker_release_requires=nothing",
    "kaluki40_british joker_release_requires=nothing joker_release_sets=all_missing_suits",
]
RULES += ["kaluki51_european joker_release_sets=all_missing_suits"]
#: Single changes that a byte is given; those that leave it as it is are left out.
WAYS_TO_CHANGE: dict[str, Callable[[int, np.random.Generator], int]] = {
    "zero": lambda byte, rng: 0,
    "all bits": lambda byte, rng: 255,
    "one more": lambda byte, rng: (byte + 1) % 256,
    "a bit": lambda byte, rng: byte ^ 1 << int(rng.integers(8)),
}


def course(text: str, rng: np.random.Generator, number: int) -> tuple[Game, np.ndarray, bool]:
    """All positions of a deal, or of the play after a table that was set up: STATE (N,), and whether it was dealt."""
    rules = Rules.parse(text)
    tables = all_tables([rules], range(2, 9))
    table = tables[int(rng.integers(len(tables)))]
    ways = WAYS[rules.game]
    policies, starts = list(ways.policies), list(ways.starts)
    policy = ways.policies[policies[number % len(policies)]]
    name = starts[number % len(starts)]
    beginning = ways.starts[name][0](rules, table.players, table.deal, rng)
    if beginning.text:
        game = Game.from_text(beginning.text)
    else:
        game = Game(rules, table.players, deal=table.deal, dealer=beginning.dealer, seed=number, deck=beginning.deck)
    found = [game.states.copy()]
    while game.to_move is not None and len(found) < (2500 if not beginning.text else 120):
        game.do(policy(game, game.legal_numbers(), rng))
        found.append(game.states.copy())
    return game, np.concatenate(found), not beginning.text


@pytest.mark.parametrize("rules", RULES)
def test_positions_of_real_deals_are_taken(rules: str, rng: np.random.Generator) -> None:
    count, phases = 0, set()
    for number in range(18):
        game, states, is_dealt = course(rules, rng, number)
        choices = check_positions(states, game.engine.record, game.engine.feas, is_dealt=is_dealt)
        count += len(states)
        phases |= set(states["phase"].tolist())
        assert choices.counts[-1] == len(game.legal_numbers())
        assert choices.legal[-1, : choices.counts[-1]].tolist() == game.legal_numbers()
    assert count > 900
    assert {Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.FILL, Phase.OVER} <= phases


def test_every_field_is_looked_at() -> None:
    game = Game()
    records = Records(game.states, game.engine.record, lane_name)
    looked_at = {*sound.limits(records), *sound.DERIVED, *sound.FREE}
    assert set(core.STATE.names or ()) - {"zeros"} == looked_at
    settings = kalooki_env.make_vec(1).lanes.settings[0]
    looked_at = {*lane_sound.limits(4, settings), *lane_sound.FREE, *lane_sound.TOLD}
    assert set(LANE.names or ()) - {"zeros"} == looked_at | {"legal", "potential", "owed"}


# ---- environments --------------------------------------------------------------------------------------------------------

MATCH: dict[str, Any] = {"episode": "match", "rules": "jamaican deals=333/9,334/10"}
VECTOR: list[dict[str, Any]] = [
    {"on_illegal": "lose", "shaping": 0.1, "opponents": "expert"},
    {"on_illegal": "replace", "autoreset_mode": "same_step", "lane_deals": [1, 4, 9]},
    {"on_illegal": "lose", "autoreset_mode": "disabled", "skip_forced": False, "seat": 1, "rules": "jamaican_club"},
    {"rules": "kaluki40_british", "num_players": 3, "shaping": 0.2, "on_illegal": "replace"},
    {"max_episode_steps": 9, "autoreset_mode": "same_step"},
    {**MATCH, "on_illegal": "lose", "shaping": 0.1, "num_players": 3},
    {**MATCH, "autoreset_mode": "same_step", "on_illegal": "replace", "match_reward": "place"},
    {"episode": "match", "rules": "kaluki51 score_limit=120", "num_players": 2, "autoreset_mode": "disabled"},
]
SELFPLAY: list[dict[str, Any]] = [
    {"shaping": 0.1, "on_illegal": "lose"},
    {"rules": "kaluki51", "on_illegal": "replace", "shaping": 0.1},
    {**MATCH, "shaping": 0.1, "on_illegal": "lose", "num_players": 3},
    {"episode": "match", "rules": "best_of_3 deals=333/9", "num_players": 3},
]


ALL = [("vector", options) for options in VECTOR] + [("selfplay", options) for options in SELFPLAY]


@pytest.mark.parametrize(("form", "options"), ALL, ids=str)
def test_states_of_environments_are_taken_at_every_step(form: str, options: dict[str, Any], rng: np.random.Generator) -> None:
    make: Any = kalooki_env.make_vec if form == "vector" else kalooki_env.make_selfplay
    env, twin = (make(3, **options) for _ in range(2))
    twin.set_state(env.get_state())
    assert_same(twin.get_state(), env.get_state())
    env.reset(seed=5)
    ended = 0
    in_match = "episode" in options
    for step in range(2500 if in_match else 250):
        if step % 8 == 0 or not in_match:
            state = env.get_state()
            twin.set_state(state)
            assert_same(twin.get_state(), state)
        over = env.lanes.lanes["over"] > 0
        if options.get("autoreset_mode") == "disabled" and over.any():
            env.reset(options={"reset_mask": over})
        elif "on_illegal" in options and rng.random() < 0.02 / (1 + 20 * in_match):
            env.step([-1] * 3)
        else:
            env.step(env.sample_actions())
        ended += int(env.lanes.over.sum())
    assert ended


#: Fields of which some other values could be, and do no harm: generators, counters, and what somebody remembers.
LOOSE = {"rng", "lots", "illegal", "skipped", "choices", "place", "was_illegal", "potential"}
LOOSE |= {"reshuffles", "known", "discarded", "declined", "turns", "owed"}


class Door:
    """Something that takes saved states, with one lane.

    Args:
        env: the environment.
    """

    def __init__(self, env: Any) -> None:
        self.env = env

    def lanes(self) -> Any:
        return (self.env._vector if isinstance(self.env, kalooki_env.SeatEnv) else self.env).lanes

    def memory(self) -> bytes:
        """All that play depends on."""
        lanes = self.lanes()
        return bytes(lanes.states.tobytes() + lanes.lanes.tobytes() + lanes.masks.tobytes() + lanes.observations.tobytes())

    def play_on(self, rng: np.random.Generator) -> None:
        """Random legal actions to the end of the deal, and somewhat into the next."""
        lanes = self.lanes()
        left = 3000
        for _ in range(left):
            if not lanes._was_reset.all() or lanes.lanes["over"].all():
                self.env.reset()
                return
            action = random_legal(lanes.masks, rng)
            self.env.step(int(action[0]) if isinstance(self.env, kalooki_env.SeatEnv) else action)
            if lanes.over.any():
                return
        raise AssertionError("the deal does not end")


def changes(row: np.ndarray, which: range, rng: np.random.Generator) -> Iterator[tuple[str, int, int]]:
    """Single changes of some bytes: the way, the byte, its new value."""
    for at in which:
        values = {way: change(int(row[at]), rng) for way, change in WAYS_TO_CHANGE.items()}
        for way, value in values.items():
            if value != row[at] and list(values.values()).index(value) == list(values).index(way):
                yield way, at, value


def field_of(key: str, at: int) -> str:
    """The field that a byte belongs to."""
    fields = {"states": core.STATE, "lanes": LANE}[key].fields or {}
    return next(name for name, (dtype, first, *_) in fields.items() if first <= at < first + dtype.itemsize)


def try_all(door: Door, state: dict[str, Any], key: str, which: range, rng: np.random.Generator, named: str) -> tuple[int, int]:
    """Change single bytes of an array of a state, sealed anew. Returns how many changes were refused, and taken."""
    door.env.set_state(state)
    before = door.memory()
    refused = taken = 0
    flat = state[key].reshape(-1).view(np.uint8)
    for way, at, value in changes(flat, which, rng):
        changed = flat.copy()
        changed[at] = value
        torn = changed.view(state[key].dtype).reshape(state[key].shape)
        message = refusal(door.env, seal({**state, key: torn}))
        where = f"{key}[{at}] {way}: {message}"
        if message is not None:
            assert named in message, where
            assert "allowed" in message or not named, where
            assert door.memory() == before, where
            refused += 1
        else:
            assert key not in ("states", "lanes") or field_of(key, at) in LOOSE, f"{where}, {field_of(key, at)} is taken"
            taken += 1
            door.play_on(rng)
            door.env.set_state(state)
            assert door.memory() == before
    return refused, taken


def refusal(env: Any, state: dict[str, Any]) -> str | None:
    """Why a state is refused."""
    try:
        env.set_state(state)
    except ConfigError as error:
        return str(error)
    return None


def at_phase(env: Any, phase: Phase, rng: np.random.Generator) -> dict[str, Any]:
    """The state of a self-play environment at a phase."""
    at = env.reset(seed=int(rng.integers(1000)))
    choose = Mixed(env, rng)
    for _ in range(20_000):
        if env.lanes.states[0]["phase"] == phase:
            return dict(env.get_state())
        at = env.step(choose(at.action_mask))
    raise AssertionError(f"no phase {phase.name}")


PHASES = [("jamaican", phase) for phase in Phase if phase not in (Phase.OVER, Phase.MOVE)]
PHASES += [("kaluki51", phase) for phase in (Phase.DRAW, Phase.PLAY, Phase.MELD, Phase.FILL, Phase.LAYOFF)]
PHASES += [("kaluki40_british", Phase.PLAY)]


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "phase"), PHASES, ids=str)
def test_changed_bytes_are_refused_or_do_no_harm(rules: str, phase: Phase, rng: np.random.Generator) -> None:
    """One byte of a state changed, and its digest computed anew: fields are checked whatever the digest says."""
    env = kalooki_env.make_selfplay(1, rules=rules, on_illegal="replace")
    state = at_phase(env, phase, rng)
    door = Door(env)
    # All bytes at two phases, every fifth at the others, each time other ones.
    whole = (rules, phase) in (("jamaican", Phase.PLAY), ("kaluki51", Phase.FILL))
    step, first = (1, 0) if whole else (5, PHASES.index((rules, phase)) % 5)
    for key in ("states", "lanes"):
        assert try_all(door, state, key, range(first, state[key].size, step), rng, "lane 0: ")[0] > 300
    assert try_all(door, state, "was_reset", range(1), rng, "lane 0: ")[1] == 0
    unsealed = {**state, "states": state["states"] ^ np.uint8(1)}
    with pytest.raises(ConfigError, match="lane 0: "):
        env.set_state(unsealed)
    at = core.STATE.fields["rng"][1]  # type: ignore[index]
    unsealed["states"] = state["states"].copy()
    unsealed["states"][0, at] ^= 1
    with pytest.raises(ConfigError, match="digest"):
        env.set_state(unsealed)


FORMS: dict[str, Callable[[], Any]] = {
    "seat": lambda: kalooki_env.SeatEnv(on_illegal="lose", shaping=0.1),
    "vector": lambda: kalooki_env.make_vec(1, opponents="expert", rules="kaluki51", autoreset_mode="same_step"),
    "match": lambda: kalooki_env.make_vec(1, **MATCH, num_players=3),
    "sudden death": lambda: kalooki_env.make_selfplay(1, rules="jamaican deals=333/9", episode="match", num_players=3),
    "before a reset": lambda: kalooki_env.make_vec(1),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_changed_bytes_of_all_forms(form: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    if form == "sudden death":
        rig(monkeypatch, [(20, 90, 20)])
    env = FORMS[form]()
    door = Door(env)
    if form != "before a reset":
        env.reset(seed=3)
        for _ in range(40):
            action = random_legal(door.lanes().masks, rng)
            env.step(int(action[0]) if form == "seat" else action)
            if door.lanes().lanes["over"][0]:
                env.reset()
    while form == "sudden death" and not env.lanes.lanes[0]["table"]:
        env.step(env.sample_actions())
    state = env.get_state()
    first = list(FORMS).index(form)
    for key in ("states", "lanes"):
        assert try_all(door, state, key, range(first, state[key].size, 5), rng, "lane 0: ")[0] > 300
    texts = [key for key in ("about", "matches") if key in state]
    for key in texts:
        assert try_all(door, state, key, range(first, state[key].size, 3), rng, "")[0]


def test_other_cards_that_can_be_are_taken(rng: np.random.Generator) -> None:
    """The checks look for what cannot be, and not for what was: a card of a hand and one of the stock change places."""
    env = kalooki_env.make_selfplay(1, rules="jamaican")
    state = at_phase(env, Phase.DRAW, rng)
    door = Door(env)
    for _ in range(20):
        states = np.frombuffer(state["states"].tobytes(), core.STATE).copy()
        one = states[0]
        seat = int(rng.integers(4))
        held = int(rng.choice(np.flatnonzero(one["hands"][seat] > one["known"].reshape(core.SEATS, core.CARDS)[seat])))
        at = int(rng.integers(one["stock_n"]))
        drawn = int(one["stock"][at])
        one["hands"][seat, held] -= 1
        one["hands"][seat, drawn] += 1
        one["stock"][at] = held
        env.set_state(seal({**state, "states": states.view(np.uint8).reshape(1, -1)}))
        door.play_on(rng)


def test_the_lane_and_the_field_are_named() -> None:
    env = kalooki_env.make_selfplay(5)
    env.reset(seed=1)
    state = env.get_state()
    cases: list[tuple[str, Any, str]] = [
        ("meld_n", 255, r"lane 3: meld_n\[0\] 255 is not allowed; allowed: 0 to 4"),
        ("stock_n", 200, r"lane 3: stock_n 200 is not allowed; allowed: 0 to 108"),
        ("deal", 17, r"lane 3: deal 17 is not allowed; allowed: 1 to 9"),
        ("phase", 11, r"lane 3: phase 11 is not allowed; allowed: 0 to 8"),
        ("phase", 5, "lane 3: target 0 is not allowed; allowed: a slot with a meld"),
        ("can_lay", 1, "lane 3: can_lay 1 is not allowed; allowed: 0, what follows from the position"),
        ("turns", 3, r"lane 3: turn \d is not allowed; allowed: the seat that is due after so many turns"),
    ]
    for field, value, message in cases:
        states = np.frombuffer(state["states"].tobytes(), core.STATE).copy()
        states[field][3] = value
        with pytest.raises(ConfigError, match=message):
            env.set_state(seal({**state, "states": states.view(np.uint8).reshape(5, -1)}))
    for field, value, message in (
        ("table", 7, "lane 2: table 7 is not allowed; allowed: 0 to 3"),
        ("n", 300, "lane 2: n 300 is not allowed; allowed: 0 to 299"),
        ("legal", 5, r"lane 2: legal\[0\] 5 is not allowed; allowed: 106, what is legal in the position"),
        ("seat", 7, "lane 2: seat 7 is not allowed; allowed: 0 to 3"),
    ):
        lanes = np.frombuffer(state["lanes"].tobytes(), LANE).copy()
        lanes[field][2] = value
        with pytest.raises(ConfigError, match=message):
            env.set_state(seal({**state, "lanes": lanes.view(np.uint8).reshape(5, -1)}))
    assert_same(env.get_state(), state)


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [[10**30, 1, -50]]},
        {"scores": [[20, 1, -50]], "first_dealer": 7},
        {"turns": -1},
        {"turns": 10**40},
        {"seed": -3},
        {"seed": "4"},
        {"scores": 5},
        {"scores": [[1, 2]]},
        {"turns": float("nan")},
    ],
    ids=str,
)
def test_matches_that_cannot_be(change: dict[str, Any]) -> None:
    env = kalooki_env.make_selfplay(1, **MATCH, num_players=3)
    env.reset(seed=1)
    state = env.get_state()
    (match,) = json.loads(state["matches"].tobytes())
    wrong = np.frombuffer(json.dumps([{**match, **change}]).encode(), np.uint8)
    with pytest.raises(ConfigError, match="not a state that an environment saved"):
        env.set_state(seal({**state, "matches": wrong}))
    assert_same(env.get_state(), state)


def test_a_recorded_lane_is_left_alone_by_a_state_that_is_refused(tmp_path: Path) -> None:
    env = kalooki_env.make_selfplay(2, record=tmp_path / "record.jsonl")
    env.reset(seed=1)
    state = env.get_state()
    torn = {**state, "lanes": state["lanes"] ^ np.uint8(255)}
    for _ in range(30):
        with pytest.raises(ConfigError, match="lane 0: "):
            env.set_state(seal(torn))
        env.step(env.sample_actions())
    env.close()
    text = (tmp_path / "record.jsonl").read_text(encoding="utf-8")
    assert "restored" not in text


def test_a_record_begins_with_what_its_text_says() -> None:
    game = Game(seed=1)
    state = game.states.copy()
    assert game_at(state[0], game.engine).text() == game.text()
    state["used_ranks"] = 5
    with pytest.raises(RecordError, match="not what its text says"):
        game_at(state[0], game.engine)


# ---- training ------------------------------------------------------------------------------------------------------------


def test_self_play_of_a_trainer_takes_what_can_be_and_nothing_else(rng: np.random.Generator) -> None:
    smoke = Path(__file__).resolve().parent.parent / "configs" / "smoke.yaml"
    config = load_config(smoke, ["ppo.lanes=4", "ppo.batch=64", "ppo.minibatch=64", "opponents.share=0.5"])
    table = Engine(config.make_rules(), config.table.players, config.max_seats)

    def made() -> SelfPlay:
        return SelfPlay(config, table, config.make_observation(), np.random.default_rng(1))

    def policy(rows: np.ndarray) -> Any:
        return np.zeros((len(rows), table.num_actions), np.float32), np.zeros(len(rows), np.float32)

    games, other = made(), made()
    games.begin()
    games.collect(policy)
    state = games.saved()
    other.restore(state)
    assert_same(other.saved(), state)
    other.rng = copy.deepcopy(games.rng)
    assert_same(vars(games.collect(policy)), vars(other.collect(policy)))
    games.restore(state)

    def refused(key: str, value: Any) -> str:
        message = None
        try:
            games.restore(seal({**state, key: value}))
        except ConfigError as error:
            message = str(error)
        assert_same(games.saved(), state)
        assert message is not None, key
        return message

    for key, array in state.items():
        if key in ("about", "digest") or not array.size:
            continue
        assert "allowed" in refused(key, array[:-1]), key
        if key != "list_0":
            flat = array.reshape(-1).view(np.uint8)
            for way, at, value in changes(flat, range(int(rng.integers(40)), flat.size, 40), rng):
                torn = flat.copy()
                torn[at] = value
                try:
                    games.restore(seal({**state, key: torn.view(array.dtype).reshape(array.shape)}))
                except ConfigError as error:
                    message = str(error)
                    assert key != "states" or message.startswith("lane "), message
                    assert_same(games.saved(), state)
                else:
                    assert key in ("states", "who", "list_1", "list_4", "list_5", "list_6"), f"{key}[{at}] {way}"
                    games.collect(policy)
                    games.restore(state)
    assert "decisions that wait" in refused("list_0", np.zeros((10**6, 1), np.uint8))
    with pytest.raises(ConfigError, match="digest"):
        games.restore({**state, "list_0": state["list_0"] ^ np.uint8(1)})
    with pytest.raises(ConfigError, match="not a state"):
        games.restore({})
