"""Records: everything that plays writes them, and they read back exactly. What is refused: `test_record_refusals.py`."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from batch_tools import random_legal
from record_tools import play_out, small_record

import kalooki_env
from kalooki_env import ConfigError, Game, RecordError, RecordWriter, agents, read_record
from kalooki_env.arena import evaluate
from kalooki_env.arena.evaluation import Evaluation
from kalooki_env.cli.main import main
from kalooki_env.records import DealRecorder
from kalooki_env.records.lines import KEYS

PAGE = Path(kalooki_env.__file__).parent / "RECORDS.md"
CHECKPOINT = str(Path(__file__).resolve().parent.parent / "checkpoints" / "quickstart")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


def same_play(deal: Any) -> None:
    """A recorded deal ends as its scores say when it is played again from its position, without its generator."""
    game = Game.from_text(deal.position)
    for step in deal.steps:
        assert game.to_move == step.seat
        game.do(step.action, seat=step.seat)
    assert game.outcome == deal.outcome


# ---- round trips -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deal", range(1, 10))
def test_all_deals_read_back(deal: int, path: Path) -> None:
    with RecordWriter(path, "jamaican_club", 4) as writer:
        game = play_out(writer, Game("jamaican_club", 4, deal=deal, seed=deal), seed=deal)
    record = read_record(path)
    (found,) = record.deals
    assert (found.number, found.seed, found.dealer, found.abandoned) == (deal, deal, 3, None)
    assert found.outcome == game.outcome
    assert [step.action for step in found.steps] == game.history
    same_play(found)


@pytest.mark.parametrize(("rules", "players"), [("jamaican", 2), ("joker25", 3), ("no_call", 6), ("open_hand pip_joker=25", 8)])
def test_all_tables_read_back(rules: str, players: int, path: Path) -> None:
    with RecordWriter(path, rules, players) as writer:
        play_out(writer, Game(rules, players, deal=9, seed=4), agent="random")
    record = read_record(path, rules=rules)
    assert (str(record.rules), record.num_players) == (rules, players)
    same_play(record.deals[0])


def test_renewed_stocks_are_told(path: Path) -> None:
    """Without the generator, the cards follow from `drawn` and `renewed` alone."""
    with RecordWriter(path, "jamaican", 4) as writer:
        play_out(writer, Game("jamaican", 4, deal=4, seed=2), agent="random")
    (deal,) = read_record(path).deals
    renewed = [step for step in deal.steps if step.renewed]
    assert renewed
    assert all(step.drawn == step.renewed[:1] for step in renewed)
    assert any(step.action == "allow" and step.drawn for step in deal.steps)
    stock = next(line for line in deal.position.splitlines() if line.startswith("stock")).split()[1:]
    for step in deal.steps:
        if step.renewed:
            stock = list(step.renewed)
        for card in step.drawn:
            assert stock.pop(0) == card


def test_what_was_thought_reads_back(path: Path) -> None:
    record = read_record(small_record(path))
    for step, game in zip(record.deals[0].steps, record.deals[0].games(), strict=False):
        assert step.policy is not None
        assert set(step.policy) == set(game.legal_actions())
        assert step.value == 0.25
    assert record.deals[0].who(1) == "b"


def test_a_record_may_begin_anywhere_in_a_deal(path: Path) -> None:
    with RecordWriter(path, "jamaican", 4) as writer:
        game = Game("jamaican", 4, deal=2, seed=3)
        game.do("draw stock").do(game.legal_numbers()[0])
        writer.begin(game)
        writer.act(game.legal_actions()[0])
        assert game.history[1:] == game.history[1:2], "the game itself is left alone"
        writer.abandon("enough")
    (deal,) = read_record(path).deals
    assert (len(deal.steps), deal.outcome, deal.abandoned) == (1, None, "enough")


# ---- environments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"skip_forced": True, "max_seats": 6, "deal": [1, 5], "num_players": 3}])
def test_aec_records(options: dict[str, Any], path: Path) -> None:
    env = kalooki_env.env(record=path, **options)
    rng, scores = np.random.default_rng(1), []
    for seed in (7, None):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, _, termination, _, info = env.last()
            action = None if termination else int(rng.choice(np.flatnonzero(observation["action_mask"])))
            if action is None and agent == "player_0":
                scores.append(info["score"])
            elif action is not None:
                env.recorder.note(policy=observation["action_mask"] / observation["action_mask"].sum(), value=0.5)
            env.step(action)
    env.reset()
    env.close()
    env.close()
    record = read_record(path)
    assert [deal.outcome and deal.outcome.scores[0] for deal in record.deals] == [*scores, None]
    assert record.deals[2].abandoned == "the record was closed"
    assert record.seats == tuple(env.possible_agents)
    assert [deal.seed for deal in record.deals] == [7, 7, 7]
    assert record.deals[0].steps[0].value == 0.5
    for deal in record.deals[:2]:
        same_play(deal)


def test_aec_records_what_ended_a_deal_early(path: Path) -> None:
    env = kalooki_env.env(record=path, on_illegal="lose")
    env.reset(seed=1)
    env.step(0)
    env.reset(seed=2)
    env.step(106)
    env.reset(seed=2)
    env.close()
    mover = "P1234"[int(read_record(path).deals[0].dealer + 1) % 4 + 1]
    ends = [deal.abandoned for deal in read_record(path).deals]
    assert ends == [f"an illegal action by P{mover}", "the environment was reset", "the record was closed"]
    with pytest.raises(RecordError, match="is closed"):
        env.reset()


def test_recording_changes_nothing(path: Path) -> None:
    def texts(**options: Any) -> Iterator[bytes]:
        env = kalooki_env.env(deal=3, **options)
        env.reset(seed=4)
        rng = np.random.default_rng(0)
        while env.agents and not env.terminations[env.agent_selection]:
            observation = env.observe(env.agent_selection)
            yield observation["observation"].tobytes()
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        env.close()

    assert list(texts()) == list(texts(record=path))


def played_vec(env: Any, steps: int, seed: int, wrong: float = 0.0) -> list[int]:
    """Scores of lane 0's deals, from its infos."""
    rng, scores = np.random.default_rng(seed), []
    env.reset(seed=seed)
    for step in range(steps):
        actions = random_legal(env.action_masks(), rng)
        if rng.random() < wrong:
            actions[:] = rng.integers(200)
        _, _, over, _, infos = env.step(actions)
        if over[0]:
            told = infos.get("final_info", infos)
            if not told["illegal"][0] or env._options.on_illegal == "replace":
                scores.append(int(told["score"][0]))
        if over.any() and env.autoreset_mode is gymnasium.vector.AutoresetMode.DISABLED:
            env.reset(options={"reset_mask": over})
        if step == steps // 2:
            env.reset(seed=seed + 1)
    env.close()
    return scores


MIXED = ["greedy", "random", "expert"]
OUTSIDE = ["greedy", agents.load("random"), "random"]


@pytest.mark.parametrize(
    ("opponents", "options"),
    [
        ("random", {"autoreset_mode": "next_step"}),
        (MIXED, {"autoreset_mode": "same_step", "skip_forced": False}),
        (MIXED, {"autoreset_mode": "disabled", "call_windows": "useful", "threads": 2}),
        (OUTSIDE, {"autoreset_mode": "same_step", "call_windows": "useful", "deal": {1: 1, 5: 3.5}}),
        (OUTSIDE, {"autoreset_mode": "next_step", "on_illegal": "replace", "seat": 1, "observation": "obs-v1+solver"}),
        (MIXED, {"autoreset_mode": "next_step", "on_illegal": "lose", "dealer": 2, "shaping": 0.1, "copy": False}),
        (MIXED, {"autoreset_mode": "same_step", "on_illegal": "lose", "lane_deals": [1, 2, 5], "max_seats": 6}),
    ],
)
def test_lanes_record_what_they_play(opponents: Any, options: dict[str, Any], path: Path) -> None:
    """That the positions are the same after every call is checked in the environment itself."""
    wrong = 0.02 if "on_illegal" in options else 0.0
    env = kalooki_env.make_vec(3, opponents=opponents, record=path, **options)
    scores = played_vec(env, 160, 3, wrong)
    record = read_record(path)
    learner = [deal.seats.index("learner") for deal in record.deals]
    # Deals that ended before the seat had a decision are in the record, but not shown.
    shown = [
        deal.outcome.scores[seat]
        for deal, seat in zip(record.deals, learner, strict=True)
        if deal.outcome is not None and any(step.seat == seat for step in deal.steps)
    ]
    assert shown == scores or env.skipped_deals
    if isinstance(opponents, list) and opponents is MIXED:
        assert record.deals[0].seats[(learner[0] + 1) % 4] == "greedy"
    assert record.num_actions > 160
    assert all(deal.lane is None for deal in record.deals)
    for deal in record.deals:
        if deal.outcome is not None:
            same_play(deal)


def test_several_lanes_lie_one_after_the_other(path: Path) -> None:
    env = kalooki_env.make_vec(4, opponents="greedy", deal=1, record=path, record_lanes=[1, 3], autoreset_mode="same_step")
    alone = path.with_name("alone.jsonl")
    played_vec(env, 120, 5)
    played_vec(
        kalooki_env.make_vec(4, opponents="greedy", deal=1, record=alone, record_lanes=3, autoreset_mode="same_step"), 120, 5
    )
    record = read_record(path)
    assert {deal.lane for deal in record.deals} == {1, 3}
    mine = [[step.action for step in deal.steps] for deal in record.deals if deal.lane == 3]
    assert mine == [[step.action for step in deal.steps] for deal in read_record(alone).deals]


def test_selfplay_records(path: Path) -> None:
    env = kalooki_env.make_selfplay(3, num_players=5, deal=[1, 5], record=path, record_lanes=1)
    at = env.reset(seed=2)
    rng, scores = np.random.default_rng(3), []
    for _ in range(1500):
        mask = at.action_mask[1]
        env.note(1, policy=mask / mask.sum())
        at = env.step(random_legal(at.action_mask, rng))
        ended = env.finished()
        scores += ended["scores"][ended["lane"] == 1].tolist()
    env.close()
    record = read_record(path)
    assert [list(deal.outcome.scores) for deal in record.deals if deal.outcome] == scores
    assert scores
    noted = [step for deal in record.deals for step in deal.steps if step.policy]
    assert len(noted) == 1500
    with pytest.raises(ConfigError, match="lane 0 is not recorded; allowed: 1"):
        env.note(0, value=1.0)
    with pytest.raises(ConfigError, match="record=PATH"):
        kalooki_env.make_selfplay(1).note(0, value=1.0)


def test_a_lane_that_is_restored_goes_on(path: Path) -> None:
    env = kalooki_env.make_vec(2, opponents=MIXED, record=path, deal=5)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(30):
        env.step(random_legal(env.action_masks(), rng))
    state = env.get_state()
    for _ in range(9):
        env.step(random_legal(env.action_masks(), rng))
    env.set_state(state)
    for _ in range(30):
        env.step(random_legal(env.action_masks(), rng))
    env.close()
    ends = [deal.abandoned for deal in read_record(path).deals]
    assert "a saved state was restored" in ends
    unrecorded = kalooki_env.make_vec(2, opponents=MIXED, deal=5)
    unrecorded.set_state(state)  # a record makes no difference to what a state belongs to


def test_the_seat_environment_records(path: Path) -> None:
    env = gymnasium.make("Kalooki-v0", opponents=MIXED, seat=2, deal=1, record=path)
    rng, last = np.random.default_rng(2), {}
    for seed in (1, None):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            env.unwrapped.note(value=-0.125)
            _, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        last = info
    env.close()
    record = read_record(path)
    assert record.deals[-1].outcome is not None
    assert record.deals[-1].outcome.scores[2] == last["score"]
    assert record.deals[0].seats == ("random", "expert", "learner", "greedy")
    asked = [step for deal in record.deals for step in deal.steps if step.value is not None]
    assert {step.seat for step in asked} == {2}


def test_recorded_environments_refuse_copies_and_wrong_lanes(path: Path) -> None:
    for make in (kalooki_env.env, partial(kalooki_env.make_vec, 2)):
        env = make(record=path)
        with pytest.raises(RecordError, match="cannot be copied"):
            copy.deepcopy(env)
        with pytest.raises(RecordError, match="cannot be copied"):
            pickle.dumps(env)
        with pytest.raises(RecordError, match="another record is being written"):
            kalooki_env.env(record=path)
        env.close()
    for lanes in (2, -1, [0, 0], [], "0", 0.5, True):
        with pytest.raises((ConfigError, kalooki_env.RulesError), match="record_lanes"):
            kalooki_env.make_vec(2, record=path, record_lanes=lanes)
    with pytest.raises(ConfigError, match="without a record"):
        kalooki_env.make_vec(2, record_lanes=[0])
    with pytest.raises(RecordError, match="cannot be written"):
        kalooki_env.env(record=path / "no" / "such")


def test_the_parallel_environment_records(path: Path) -> None:
    env = kalooki_env.parallel_env(record=path, deal=1, num_players=3, idle_mask="ones", skip_forced=False)
    observations, _ = env.reset(seed=3)
    rng, steps = np.random.default_rng(1), 0
    while env.agents and steps < 40:
        actions = {agent: int(rng.choice(np.flatnonzero(seen["action_mask"]))) for agent, seen in observations.items()}
        observations, *_ = env.step(actions)
        steps += 1
    env.close()
    assert read_record(path).num_actions == steps


# ---- arena -----------------------------------------------------------------------------------------------------------


def small_evaluation(**options: Any) -> Evaluation:
    return evaluate("greedy", ["random"], deals=[1, 2], deals_per_number=3, num_players=3, **options)


def test_the_arena_records(path: Path) -> None:
    found = small_evaluation(record=path, record_deals=2)
    assert found.as_dict()["against"] == small_evaluation().as_dict()["against"]
    record = read_record(path)
    tables = [(deal.number, deal.seed, deal.seats) for deal in record.deals]
    assert len(set(tables)) == len(tables) == 2 * 2 * (3 + 1 + 1)
    raw = {tuple(one.line_up): one for one in found.line_ups}[("greedy", "random", "random")]
    own = [deal for deal in record.deals if sorted(deal.seats) == ["greedy", "random", "random"] and deal.seed == tables[0][1]]
    mean = np.mean([deal.outcome.scores[deal.seats.index("greedy")] for deal in own if deal.outcome])
    assert mean == raw.scores["greedy"][0]


@pytest.mark.slow
def test_processes_make_no_difference(path: Path) -> None:
    other = path.with_name("two.jsonl")
    small_evaluation(record=path)
    small_evaluation(record=other, jobs=2)
    assert path.read_bytes() == other.read_bytes()


def test_checkpoints_tell_what_they_think(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "--agents", CHECKPOINT, "greedy", "random", "greedy", "--deal", "1", "--deals", "1", "--json"]
    assert main([*words, "--record", str(path)]) == 0
    shown = path.with_name("shown.jsonl")
    assert main([*words, "--show", "--record", str(shown)]) == 0
    assert main(words) == 0
    capsys.readouterr()
    record = read_record(path)
    mine = [step for step in record.deals[0].steps if step.seat == 0]
    told = [step for step in mine if step.policy]
    assert told
    for step in told:
        assert step.policy is not None
        assert step.action == max(step.policy, key=lambda text: step.policy[text])  # type: ignore[index]
        assert step.value is not None
    # Where agents are asked about forced decisions too, these have a policy as well: a certain one.
    others = read_record(shown).deals[0].steps
    assert [(a.seat, a.action) for a in others] == [(b.seat, b.action) for b in record.deals[0].steps]
    assert all(step.policy for step in others if step.seat == 0)
    assert not [step for step in record.deals[0].steps if step.policy and step.seat != 0]


def test_opinions_of_agents_by_name_only() -> None:
    assert agents.load("random").opinions(np.zeros((1, 1)), np.ones((1, 3), np.int8)) is None


def test_recording_options_of_the_command_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["evaluate", "greedy", "--record-deals", "2"], "--record-deals: allowed with --record only"),
        (["evaluate", "greedy", "--record", str(path), "--record-deals", "0"], "0 recorded deals"),
        (["evaluate", "greedy", "--bench", "v1", "--record", str(path)], "--record: not allowed with --bench"),
        (["evaluate", "greedy", "--record", "/no/such/file"], "cannot be written: No such file"),
        (["simulate", "--record", "/"], "cannot be written: Is a directory"),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err
    words = ["evaluate", "greedy", "--against", "random", "--deals", "1", "--deals-per-number", "2"]
    assert main([*words, "--no-self-play", "--record", str(path)]) == 0
    assert len(read_record(path).deals) == 5  # four rotations, and the baseline's only one


# ---- the writer ------------------------------------------------------------------------------------------------------


def test_the_writer_lets_nothing_wrong_through(path: Path) -> None:
    game = Game("jamaican", 4, seed=1)
    with RecordWriter(path) as writer:
        with pytest.raises(RecordError, match="no deal runs"):
            writer.act("draw stock")
        writer.begin(game)
        for move, kind in (("call", kalooki_env.IllegalActionError), ("jump", kalooki_env.NotationError)):
            with pytest.raises(kind):
                writer.act(move)
        for policy, message in (
            ({"draw stock": 0.5}, "adds up to 0.5"),
            ({"call": 1.0}, "'call', which is not legal here; legal: draw stock, take upcard"),
            ({"draw stock": float("nan"), "take upcard": 1.0}, "adds up to nan"),
            (np.zeros(3), "policy (3,) is not allowed"),
        ):
            with pytest.raises(RecordError, match=message.replace("(", r"\(").replace(")", r"\)")):
                writer.act("draw stock", policy)
        with pytest.raises(RecordError, match="value nan"):
            writer.act("draw stock", value=float("nan"))
        with pytest.raises(RecordError, match="before the one before it has ended"):
            writer.begin(game)
        with pytest.raises(RecordError, match="another deal runs"):
            writer.add([])
        with pytest.raises(RecordError, match="while a deal runs"):
            writer.match([0] * 4, [0])
        writer.act("draw stock")
    assert [step.action for step in read_record(path).deals[0].steps] == ["draw stock"]
    with pytest.raises(RecordError, match=r"record\.jsonl is closed"):
        writer.begin(game)
    over = Game("jamaican", 4, deal=1, seed=1)
    while over.to_move is not None:
        over.do(over.legal_numbers()[0])
    with pytest.raises(RecordError, match="that is over cannot begin"):
        DealRecorder(list[Any]().append).begin(over)


def test_a_record_can_be_thrown_away() -> None:
    with RecordWriter("/dev/null") as writer:
        play_out(writer, Game("jamaican", 4, seed=1), limit=5)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full disk to write to")
def test_a_full_disk_is_told() -> None:
    with pytest.raises(RecordError, match="record /dev/full cannot be written: No space left"):
        RecordWriter("/dev/full")


def test_errors_travel_between_processes() -> None:
    error = RecordError("is closed", "a.jsonl", 3)
    other = pickle.loads(pickle.dumps(error))
    assert (str(other), other.line, other.path) == ("record a.jsonl, line 3 is closed", 3, "a.jsonl")


def test_the_page_names_every_kind_and_key() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert not [name for kind, keys in KEYS.items() for name in (kind, *keys) if f"`{name}`" not in text]
