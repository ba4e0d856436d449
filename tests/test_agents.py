"""Agents: the scripted ones, the registry, and checks of what anybody's agent answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import PRESETS
from numpy.typing import NDArray

from kalooki_env import agents, core
from kalooki_env.agents import SCRIPTED, Agent
from kalooki_env.agents.play import Player
from kalooki_env.errors import AgentError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules

LANE = np.zeros(1, np.int64)


@pytest.fixture
def table() -> Engine:
    return engine(Rules(), 4)


def play_out(game: Game, player: Player, rng: np.random.Generator) -> Game:
    while game.to_move is not None:
        game.do(int(player.act(game.states, LANE, game.mask()[None], rng)[0]))
    return game


@pytest.mark.parametrize("name", SCRIPTED)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("num_players", [3, 4, 8])
def test_scripted_agents_play_whole_deals(name: str, preset: str, num_players: int) -> None:
    """`Game.do` refuses an illegal action, and `Player` another shape or type."""
    rules = Rules.preset(preset)
    player = Player(agents.load(name), engine(rules, num_players), name)
    for deal in (1, 3, 9):
        game = play_out(Game(rules, num_players, deal=deal, seed=deal), player, np.random.default_rng(0))
        assert game.outcome is not None


def test_greedy_serves_larger_spaces(table: Engine) -> None:
    """The action numbers of lay-offs move with `max_seats`; the play does not."""
    small = play_out(Game(deal=2, seed=3), Player(agents.load("greedy"), table, "greedy"), np.random.default_rng(0))
    wide = Game(deal=2, seed=3, max_seats=6)
    play_out(wide, Player(agents.load("greedy"), wide.engine, "greedy"), np.random.default_rng(0))
    assert small.history == wide.history


def test_random_choices_are_uniform_over_legal_actions() -> None:
    masks = np.zeros((6000, 10), np.int8)
    masks[:, [2, 5, 9]] = 1
    actions = agents.load("random").act(np.zeros(6000, core.VIEW), masks, np.random.default_rng(0))
    counts = np.bincount(actions, minlength=10)
    assert counts.sum() == counts[[2, 5, 9]].sum()
    assert counts[[2, 5, 9]] == pytest.approx(2000, abs=170)


@pytest.mark.parametrize("name", SCRIPTED)
def test_choices_repeat_with_the_seed(name: str, table: Engine) -> None:
    player = Player(agents.load(name), table, name)
    histories = [play_out(Game(deal=1, seed=4), player, np.random.default_rng(seed)).history for seed in (1, 1, 2)]
    assert histories[0] == histories[1]
    assert (histories[0] == histories[2]) == (name != "random")


def test_greedy_ends_deals_that_random_play_does_not(table: Engine) -> None:
    turns = {}
    for name in SCRIPTED:
        player = Player(agents.load(name), table, name)
        games = [play_out(Game(deal=5, seed=seed), player, np.random.default_rng(seed)) for seed in range(5)]
        turns[name] = sum(int(game.states[0]["turns"]) for game in games)
    assert 3 * max(turns["greedy"], turns["expert-v1"]) < turns["random"]


# ---- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gredy", "unknown agent 'gredy' \\(did you mean 'greedy'\\?\\); allowed: random, greedy, expert-v1"),
        ("no_such_package.module:Agent", "there is no module 'no_such_package', here or among the installed ones"),
        ("kalooki_env.no_such:Agent", "there is no module 'kalooki_env.no_such', here or among"),
        ("kalooki_env.agents.scripted:NoSuchAgent", "has no 'NoSuchAgent'; allowed: RandomAgent, "),
        ("kalooki_env.agents.scripted:GredyAgent", "has no 'GredyAgent' .did you mean 'GreedyAgent'"),
        (":Agent", "agent ':Agent'"),
        ("kalooki_env.rules:Rules", "Rules has no method act"),
    ],
)
def test_unknown_agents_are_named(name: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        agents.load(name)


def test_what_a_module_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_more.py").write_text("import no_such_library\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentError, match="agent 'needs_more:Agent': its module needs 'no_such_library', which is not installed"):
        agents.load("needs_more:Agent")


def test_anybodys_class_is_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: Engine) -> None:
    (tmp_path / "my_agents.py").write_text(
        "import numpy as np\n\nclass First:\n    def act(self, observations, masks, rng):\n        return masks.argmax(axis=1)\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    agent = agents.load("my_agents:First")
    game = play_out(Game(deal=1, seed=1), Player(agent, table, "first"), np.random.default_rng(0))
    assert game.outcome is not None
    del sys.modules["my_agents"]


# ---- what agents are given, and what they may answer -----------------------------------------------------------------


class Answers(Agent):
    """Answers what it was made with, and keeps what it was given."""

    def __init__(self, answer: Any, observation: Any = "obs-v1", dtype: str = "float32") -> None:
        self.answer = answer
        self.observation = observation
        self.dtype = dtype
        self.given: NDArray[Any] | None = None

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> Any:
        self.given = observations
        return self.answer(masks) if callable(self.answer) else self.answer


def first(masks: NDArray[np.int8]) -> NDArray[np.int64]:
    return masks.argmax(axis=1)


@pytest.mark.parametrize(
    ("observation", "dtype", "pieces"),
    [
        ("obs-v1", "float32", "obs-v1"),
        ("obs-v1+solver", "uint8", "obs-v1+solver"),
        (["hand", "deal"], "float32", ["hand", "deal"]),
    ],
)
def test_agents_are_given_what_they_ask_for(observation: Any, dtype: str, pieces: Any, table: Engine) -> None:
    agent = Answers(first, observation, dtype)
    game = Game(seed=1)
    Player(agent, table, "agent").act(game.states, LANE, game.mask()[None], np.random.default_rng(0))
    assert agent.given is not None
    assert agent.given.shape == (1, Observation.of(pieces, 4).size)
    assert agent.given.dtype == dtype


def test_views_are_those_of_the_seat_to_move(table: Engine) -> None:
    agent = Answers(first, None)
    game = Game(seed=1)
    Player(agent, table, "agent").act(game.states, LANE, game.mask()[None], np.random.default_rng(0))
    assert agent.given is not None
    assert agent.given.tobytes() == game.view(0).tobytes()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.array([0]), "chose action 0 in phase draw, which is illegal; legal: 106, 107"),
        (np.array([-1]), "chose action -1"),
        (np.array([10_000]), "chose action 10000"),
        (np.array([106.0]), "answered float64"),
        (np.array([106, 106]), r"answered int64 \(2,\); allowed: 1 whole numbers"),
        (None, "answered object"),
        (lambda masks: 1 // 0, "failed: ZeroDivisionError"),
    ],
)
def test_wrong_answers_are_refused(answer: Any, message: str, table: Engine) -> None:
    game = Game(seed=1)
    before = game.text()
    with pytest.raises(AgentError, match=message):
        Player(Answers(answer), table, "wrong").act(game.states, LANE, game.mask()[None], np.random.default_rng(0))
    assert game.text() == before
