"""Faults that were found once, each under a name that tells the story."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import kalooki_env
from kalooki_env import (
    AgentError,
    ConfigError,
    EnvironmentStateError,
    Game,
    KalookiError,
    NotationError,
    PositionError,
    Refusal,
    RulesError,
)
from kalooki_env.agents.play import Player
from kalooki_env.game.engine import engine
from kalooki_env.rules import Rules
from kalooki_env.verify import play_deal


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copied_environment_had_a_mask_of_its_own(duplicate: Any, rng: np.random.Generator) -> None:
    env = kalooki_env.env(deal=1)
    env.reset(seed=4)
    twin = duplicate(env)
    for _ in range(120):
        if env.terminations[env.agent_selection]:
            break
        ours, theirs = env.last(), twin.last()
        assert all((ours[0][key] == theirs[0][key]).all() for key in ours[0])
        assert ours[1:] == theirs[1:]
        action = int(rng.choice(np.flatnonzero(theirs[0]["action_mask"])))
        env.step(action)
        twin.step(action)


RUN = "meld P2/1: 7S 7H 7D\nmeld P2/2: QS QH QD\n"


def in_deal_2(phase: str, run: str, hand: str, rules: str = "jamaican") -> str:
    """P1 and P2 have opened; the run is P2's third meld."""
    return (
        f"kalooki: 1\nrules: {rules}\nplayers: 3\ndeal: 2\ndealer: P3\nturns: 9\nphase: {phase}\nhand P1: {hand}\nhand P2: 4C\n"
        f"hand P3: 4D\nmeld P1/1: 8S 8H 8D\nmeld P1/2: TS TH TD\nmeld P1/3: 2D 3D JK(4D) 5D\n{RUN}meld P2/3: {run}\n"
        "opened: P1, P2\nstock: rest\npile: 5C\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        in_deal_2("layoff P1 onto P2/3 low", "AC 2C 3C 4C", "KC JK 9H"),
        in_deal_2("layoff P1 onto P2/3 high", "JC QC KC AC", "2C JK 9H"),
        in_deal_2("layoff P1 onto P2/3 low", "5C 6C 7C 8C", "4C JK 9H", "jamaican_club"),
        in_deal_2("move P1 in P2/3 to high", "JK(5C) 6C JK(7C) 8C", "5C 7C 9H"),
    ],
)
def test_positions_that_no_action_leads_to_corrupted_the_table(text: str) -> None:
    with pytest.raises(PositionError, match="cannot have got here"):
        Game.from_text(text)


def test_a_three_has_no_high_end() -> None:
    with pytest.raises(NotationError, match="is written 'layoff P1 onto P2/1' here"):
        Game.from_text(in_deal_2("layoff P1 onto P2/1 high", "5C 6C 7C 8C", "7C JK 9H"))


def test_the_meld_being_filled_counts_for_the_contract() -> None:
    text = (
        "kalooki: 1\nrules: jamaican_consensus\nplayers: 3\ndeal: 1\ndealer: P3\nturns: 9\nphase: fill P1 three of 7\n"
        "hand P1: 7S 7H 7C 8S 8H 8D 9H\nhand P2: 4C\nhand P3: 4D\nmeld P1/1: 7S 7H 7D\nstock: rest\npile: 5C\n"
    )
    with pytest.raises(PositionError, match="cannot have got here"):
        Game.from_text(text)
    with pytest.raises(PositionError, match="has named 0 threes and 1 fours"):
        Game.from_text(text.replace("fill P1 three of 7", "fill P1 four of hearts from 5"))


def test_reshuffles_were_counted_to_255_only() -> None:
    """Eight players who call and allow everything renew the stock hundreds of times; engine and referee agree all the way."""

    def feverish(game: Game, legal: list[int], rng: np.random.Generator) -> int:
        wanted = [action for action in legal if game.action_text(action) in ("call", "allow", "draw stock")]
        return wanted[0] if wanted else legal[int(rng.integers(len(legal)))]

    report = play_deal(Rules(), 8, 9, 5, feverish, 10_000)
    assert not report.mismatches, report.mismatches[0]
    game = Game("jamaican", 8, deal=9, seed=5)
    rng = np.random.default_rng(5)
    while game.to_move is not None:
        game.do(feverish(game, game.legal_numbers(), rng))
    assert game.states[0]["reshuffles"] > 255
    assert Game.from_text(game.text()).states.tobytes() == game.states.tobytes()


def test_two_descriptions_of_the_same_rules_shared_one_text() -> None:
    assert "rules: joker25\n" in Game("joker25").text()
    assert "rules: jamaican pip_joker=25\n" in Game("jamaican pip_joker=25").text()


def test_losing_by_an_illegal_action_ends_the_potential_too() -> None:
    env = kalooki_env.env(deal=1, shaping=0.1, on_illegal="lose", illegal_reward=-4.0)
    env.reset(seed=3)
    first = env._rewards._potential.copy()
    env.step(112)
    offender = env.possible_agents.index(next(agent for agent in env.possible_agents if env.infos[agent]["illegal"]))
    expected = [-4.0 if seat == offender else 0.0 for seat in range(4)]
    assert np.allclose(list(env.rewards.values()), expected - first)


def test_an_agent_that_writes_into_the_masks_is_still_checked() -> None:
    class Forger:
        observation = None

        def act(self, observations: Any, masks: Any, rng: Any) -> Any:
            masks[:] = 1
            return np.zeros(len(masks), int)

    game = Game(seed=1)
    masks = game.mask()[None]
    with pytest.raises(AgentError, match="chose action 0") as caught:
        Player(Forger(), engine(Rules(), 4), "forger").act(  # type: ignore[arg-type]
            game.states, np.zeros(1, int), masks, np.random.default_rng(0)
        )
    assert "hand P2" not in str(caught.value), "hidden cards do not belong in a message"
    assert caught.value.position == game.text()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda env: env.step(np.array([106.0])), kalooki_env.ActionTypeError),
        (lambda env: env.step(2**63), kalooki_env.IllegalActionError),
        (lambda env: env.observe("player_9"), kalooki_env.UnknownAgentIDError),
        (lambda env: kalooki_env.env().last(), EnvironmentStateError),
        (lambda env: kalooki_env.env().agent_iter(), EnvironmentStateError),
        (lambda env: kalooki_env.env(rules=None), RulesError),
        (lambda env: kalooki_env.env(rules={"preset": "jamaican"}), RulesError),
        (lambda env: kalooki_env.env(observation=5), ConfigError),
        (lambda env: kalooki_env.env(observation=[[]]), ConfigError),
        (lambda env: kalooki_env.env(illegal_reward="x"), ConfigError),
        (lambda env: kalooki_env.env(illegal_reward=float("nan")), ConfigError),
        (lambda env: Game(dealer=1.5), RulesError),
        (lambda env: Game(dealer="P1"), RulesError),
        (lambda env: Game().verify(1.0), kalooki_env.ActionTypeError),
        (lambda env: Game().verify(None), kalooki_env.ActionTypeError),
        (lambda env: Game().verify("call", seat="P2"), RulesError),
        (lambda env: Game().hand(-1), RulesError),
        (lambda env: Game().mask(99), RulesError),
        (lambda env: Game.from_text(Game().text() + "meld P1/1: " + "7S " * 300), NotationError),
        (lambda env: Game.from_text(Game().text().replace("turns: 0", "turns: " + "1" * 5000)), NotationError),
        (lambda env: Game().do("three of " + "1" * 5000), NotationError),
        (lambda env: Game().do("lay off onto P" + "1" * 5000 + "/1"), NotationError),
        (lambda env: Rules.parse("jamaican pip_joker=" + "1" * 5000), RulesError),
        (lambda env: Rules.parse("jamaican pip_joker=25 pip_joker=50"), RulesError),
        (lambda env: Rules.preset([]), RulesError),
        (lambda env: kalooki_env.agents.load("json:loads"), AgentError),
        (lambda env: kalooki_env.agents.load(""), AgentError),
    ],
)
def test_other_exceptions_than_our_own(call: Any, error: type[KalookiError]) -> None:
    env = kalooki_env.env(deal=1)
    env.reset(seed=1)
    with pytest.raises(error):
        call(env)


def test_numpy_integers_are_whole_numbers() -> None:
    env = kalooki_env.env(num_players=np.int64(5), deal=np.arange(1, 10), dealer=np.int32(2))
    env.reset(seed=np.int64(3), options={"deal": np.int64(4)})
    assert env.infos["player_0"]["deal"] == 4
    assert Game(num_players=np.int64(3), deal=np.int8(2)).num_players == 3


def test_a_misspelt_reset_option_was_ignored_in_silence() -> None:
    env = kalooki_env.env()
    with pytest.warns(UserWarning, match="did you mean 'deal'"):
        env.reset(seed=1, options={"deel": 3})


def test_a_user_class_in_the_current_folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_agent.py").write_text(
        "class First:\n    def act(self, observations, masks, rng):\n        return masks.argmax(axis=1)\n"
    )
    monkeypatch.chdir(tmp_path)
    assert kalooki_env.agents.load("my_own_agent:First").act(None, np.array([[0, 1]], np.int8), np.random.default_rng(0)) == [1]


def test_faults_of_all_kinds_are_listed_together() -> None:
    text = Game("jamaican", 4, deal=1, dealer=3, seed=1).text().replace("opened: -", "opened: P2")
    lines = [line if not line.startswith("hand P1") else "hand P1: 7S 7S 7S" for line in text.splitlines()]
    with pytest.raises(PositionError) as caught:
        Game.from_text("\n".join(lines))
    assert any("copies of 7S" in fault for fault in caught.value.faults)
    assert any("P2 has opened with 0 threes" in fault for fault in caught.value.faults)


def test_ending_a_turn_without_a_discard_tells_that_all_cards_are_jokers() -> None:
    text = in_deal_2("play P1", "JK(5C) 6C 7C JK(8C)", "JK").replace("JK(4D)", "4D").replace("hand P3: 4D", "hand P3: KC")
    game = Game.from_text(text)
    game.do("end turn")
    assert "known P1: JK\n" in game.text()


def test_a_meld_of_kaluki_was_laid_longer_than_written() -> None:
    """The joker is owed and must go with the run: that is not what the text says."""
    game = Game.from_text(
        "kalooki: 1\nrules: kaluki40_british\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 4\nphase: play P1\n"
        "hand P1: 5S 6S 7S 9D JK\nhand P2: 4D\nmeld P1/1: TH TD TC\nopened: P1\nowed: JK\nstock: rest\npile: 9D\n"
    )
    assert game.verify("meld 5S 6S 7S") is Refusal.MUST_LAY
    assert game.verify("meld 5S 6S 7S JK") is None


def test_a_joker_was_swapped_with_a_joker() -> None:
    """The queen of diamonds, the only card that fits, went by itself, and a joker came into the hand instead of leaving it."""
    game = Game.from_text(
        "kalooki: 1\nrules: kaluki51\nplayers: 2\ndeal: 1\ndealer: P2\nturns: 4\nphase: play P1\n"
        "hand P1: QD JK\nhand P2: 4D\nmeld P1/1: 9D TD JD JK(QD)\nopened: P1\nstock: rest\npile: 9C\n"
    )
    assert game.verify("swap joker in P1/1 with JK") is Refusal.NO_JOKER_TO_SWAP
    assert game.verify("swap joker in P1/1 with QD") is None


def test_a_joker_of_a_three_stands_for_no_certain_card() -> None:
    """What it was said to stand for used to be dropped without a word."""
    text = Game(deal=1, seed=1).text()
    for rules, meld in (("jamaican", "QS QH JK(QD)"), ("kaluki51", "QS QH QC JK(QD)")):
        with pytest.raises(NotationError, match=r"a joker stands for no certain card; it is written JK"):
            Game.from_text(Game(rules, seed=1).text() + f"\nmeld P1/1: {meld}")
    with pytest.raises(NotationError, match="no certain card"):
        Game.from_text(text).verify("lay down QS QH JK(QD) + 5S 5H 5D + 6S 6H 6D")
