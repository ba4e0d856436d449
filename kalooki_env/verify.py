"""The compiled engine against the independent referee: the same legal actions, positions and scores at every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from kalooki_env import core
from kalooki_env.agents import load
from kalooki_env.agents.play import Player
from kalooki_env.errors import KalookiError
from kalooki_env.game.cards import CARD_NAMES, deck_counts
from kalooki_env.game.engine import Engine
from kalooki_env.game.game import Game
from kalooki_env.game.position import pile_cards
from kalooki_env.referee import Referee
from kalooki_env.rules import Rules

#: Chooses one of the legal action numbers of a game.
Policy = Callable[[Game, list[int], np.random.Generator], int]


@dataclass
class Mismatch:
    """A step at which engine and referee disagree.

    Attributes:
        what: what differs, with both sides.
        position: position of the engine before the difference showed.
        history: actions since the deal.
        seed: seed of the deal and of the choices in it.
    """

    what: str
    position: str
    history: list[str]
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """The mismatch as plain values."""
        return {"what": self.what, "seed": self.seed, "position": self.position, "history": list(self.history)}

    def __str__(self) -> str:
        return f"{self.what}\nseed {self.seed}, after {len(self.history)} actions, the last: {self.history[-5:]}\n{self.position}"


@dataclass
class Report:
    """What was compared.

    Attributes:
        decisions: decisions compared.
        deals: deals played, the last one perhaps not to its end.
        actions: how often each kind of action was made.
        phases: how often each phase was met.
        endings: how often deals ended by going out, and blocked.
        policies: decisions by policy.
        tables: deals by rules, number of players and number of the deal.
        mismatches: the disagreements; a deal is given up at its first.
    """

    decisions: int = 0
    deals: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    policies: Counter[str] = field(default_factory=Counter)
    tables: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Add another report's counts."""
        self.decisions += other.decisions
        self.deals += other.deals
        self.actions += other.actions
        self.phases += other.phases
        self.endings += other.endings
        self.policies += other.policies
        self.tables += other.tables
        self.mismatches += other.mismatches

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "decisions": self.decisions,
            "deals": self.deals,
            "mismatches": [mismatch.as_dict() for mismatch in self.mismatches],
            "actions": dict(self.actions.most_common()),
            "phases": dict(self.phases.most_common()),
            "endings": dict(self.endings.most_common()),
            "policies": dict(self.policies.most_common()),
            "tables": [
                {"rules": rules, "players": players, "deal": deal, "deals": count}
                for (rules, players, deal), count in sorted(self.tables.items())
            ],
        }


def random_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Any legal action."""
    return legal[int(rng.integers(len(legal)))]


def eager_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """Random, but mostly lays down, lays off and moves jokers where that is possible, which random play seldom gets to."""
    busy = [action for action in legal if action >= core.LAY_DOWN and action != core.END_TURN]
    if busy and rng.random() < 0.8:
        return busy[int(rng.integers(len(busy)))]
    return random_policy(game, legal, rng)


@lru_cache(maxsize=64)
def _greedy(table: Engine) -> Player:
    return Player(load("greedy"), table, "greedy")


def greedy_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """The scripted agent `greedy` at all seats: deals in which somebody opens and goes out."""
    return int(_greedy(game.engine).act(game.states, np.zeros(1, np.int64), game.mask()[None], rng)[0])


def mixed_policy(game: Game, legal: list[int], rng: np.random.Generator) -> int:
    """`greedy` with one random choice in five: late play that greedy alone would end, or never get into."""
    return random_policy(game, legal, rng) if rng.random() < 0.2 else greedy_policy(game, legal, rng)


#: Policies by name, those with short deals first: so a short run has some of each.
POLICIES: Mapping[str, Policy] = {"greedy": greedy_policy, "mixed": mixed_policy, "eager": eager_policy, "random": random_policy}


def shuffled_deck(packs: int, rng: np.random.Generator) -> list[str]:
    """All cards of so many packs in random order."""
    deck = [name for name, copies in zip(CARD_NAMES, deck_counts(packs), strict=True) for _ in range(copies)]
    rng.shuffle(deck)
    return deck


def tables(rules: Sequence[Rules], players: Sequence[int], rng: np.random.Generator) -> Iterator[tuple[Rules, int, int]]:
    """Rules, number of players and number of the deal, without end: all in random order, then all again in another order."""
    kinds = [
        (one, num_players, deal)
        for one in rules
        for num_players in players
        for deal in range(1, one.num_deals + 1)
        if num_players > 2 or deal == one.num_deals
    ]
    while True:
        for kind in rng.permutation(len(kinds)):
            yield kinds[kind]


def verify(
    rules: Sequence[Rules],
    players: Sequence[int],
    decisions: int,
    seed: int = 0,
    policies: Mapping[str, Policy] = POLICIES,
    progress: Callable[[int], object] = lambda done: None,
) -> Report:
    """Play deals in engine and referee side by side until so many decisions are compared.

    Args:
        rules: rules to choose from.
        players: table sizes to choose from.
        decisions: decisions to compare in all.
        seed: seed of deals and choices; deal k uses seed + k.
        policies: who chooses, by name: in each deal the one that has made the fewest decisions so far.
        progress: called with the number of decisions made since its last call.
    """
    report = Report()
    for number, (one, num_players, deal) in enumerate(tables(rules, players, np.random.default_rng(seed))):
        if report.decisions >= decisions:
            return report
        name = min(policies, key=lambda policy: report.policies[policy])
        done = play_deal(one, num_players, deal, seed + number, policies[name], decisions - report.decisions)
        done.policies[name] = done.decisions
        done.tables[str(one), num_players, deal] = 1
        report.add(done)
        progress(done.decisions)
    raise AssertionError("unreachable: the tables have no end")


def play_deal(rules: Rules, num_players: int, deal: int, seed: int, policy: Policy, limit: int) -> Report:
    """Compare one deal, or the first `limit` decisions of it."""
    rng = np.random.default_rng(seed)
    deck = shuffled_deck(rules.packs_for(num_players), rng)
    dealer = int(rng.integers(num_players))
    game = Game(rules, num_players, deal=deal, dealer=dealer, seed=seed, deck=deck)
    order: list[str] = []  # what the engine's shuffle made of the pile
    referee = Referee(rules, num_players, deal, dealer, deck, shuffle=lambda cards: order)
    report = Report(deals=1)
    while True:
        fault = difference(game, referee)
        if fault:
            report.mismatches.append(Mismatch(fault, game.text(), game.history, seed))
            return report
        if game.to_move is None or report.decisions >= limit:
            outcome = game.outcome
            report.endings["unfinished" if outcome is None else "blocked" if outcome.is_blocked else "out"] += 1
            return report
        action = policy(game, game.legal_numbers(), rng)
        text = game.action_text(action)
        report.decisions += 1
        report.phases[game.phase.name.lower()] += 1
        report.actions[core.kind_and_operand(action, game.max_seats)[0].name.lower()] += 1
        before = game.states.copy()
        game.do(action)
        order[:] = new_stock(before[0], game.states[0])
        try:
            referee.do(text)
        except KalookiError as error:
            report.mismatches.append(Mismatch(f"the referee refuses {text!r}: {error}", game.text(), game.history, seed))
            return report


def difference(game: Game, referee: Referee) -> str | None:
    """What differs between engine and referee, None if nothing does."""
    ours, theirs = set(game.legal_actions()), referee.legal()
    if ours != theirs:
        return f"legal actions: only the engine has {sorted(ours - theirs)}, only the referee {sorted(theirs - ours)}"
    text = "".join(line for line in game.text().splitlines(keepends=True) if not line.startswith("rng"))
    if text != referee.position():
        return f"positions differ; the referee has\n{referee.position()}"
    scores = None if game.outcome is None else list(game.outcome.scores)
    if scores != referee.scores():
        return f"scores: the engine has {scores}, the referee {referee.scores()}"
    if game.to_move != referee.to_move():
        return f"to move: the engine has {game.to_move}, the referee {referee.to_move()}"
    return None


def new_stock(before: Any, after: Any) -> list[str]:
    """The renewed stock, top first, if the step from one STATE to the next renewed it; else an empty list.

    One card has been drawn from it since: the one that came into a hand and was not the called card.
    """
    if after["reshuffles"] == before["reshuffles"]:
        return []
    gained = (after["hands"].astype(int) - before["hands"]).sum(axis=0)
    if before["phase"] == core.Phase.ANSWER:
        gained[before["pile"][int(before["pile_n"]) - 1]] -= 1
    drawn = int(np.argmax(gained))
    return [CARD_NAMES[card] for card in [drawn, *pile_cards(after, "stock")]]
