"""Playing deals in engine and referee side by side, and what differs between the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.errors import KalookiError, NotationError, RulesError
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.engine import Engine
from kalooki_env.game.game import Game
from kalooki_env.game.position import pile_cards
from kalooki_env.referee import Referee
from kalooki_env.rules import Rules
from kalooki_env.verify.events import Watch
from kalooki_env.verify.kaluki_events import KalukiWatch
from kalooki_env.verify.kaluki_policies import KALUKI_POLICIES
from kalooki_env.verify.kaluki_probes import kaluki_probes
from kalooki_env.verify.kaluki_starts import KALUKI_STARTS
from kalooki_env.verify.policies import POLICIES, Policy
from kalooki_env.verify.probes import NOT_WRITTEN_SO, Probe, probes
from kalooki_env.verify.report import Mismatch, Report
from kalooki_env.verify.starts import STARTS, Beginning, Start, shuffled_start
from kalooki_env.verify.steps import Step, Watching, ending, phase_name
from kalooki_env.verify.tables import all_tables, in_random_order

#: Decisions after which a deal from a stacked deck or a set-up table is broken off: what it was set up for is over by then.
_LONGEST = 100
#: Mismatches after which the comparison ends: what differs in every deal would make no progress.
_MOST_MISMATCHES = 100


class Ways(NamedTuple):
    """How the deals of a game are compared.

    Attributes:
        policies: who chooses, by name.
        starts: where deals begin, by name, and the share of the decisions that each shall have.
        watch: names the rules at work in a deal.
        probes: texts to ask about in a position.
    """

    policies: Mapping[str, Policy]
    starts: Mapping[str, tuple[Start, float]]
    watch: Callable[[Engine], Watching]
    probes: Callable[[Game, Referee, set[str], np.random.Generator], Iterator[Probe]]


#: By game.
WAYS: Mapping[str, Ways] = {
    "jamaican": Ways(POLICIES, STARTS, Watch, probes),
    "kaluki": Ways(KALUKI_POLICIES, KALUKI_STARTS, KalukiWatch, kaluki_probes),
}


def verify(
    rules: Sequence[Rules],
    players: Sequence[int],
    decisions: int,
    seed: int = 0,
    policies: Mapping[str, Policy] | None = None,
    progress: Callable[[int], object] = lambda done: None,
    starts: Mapping[str, tuple[Start, float]] | None = None,
    stop_at_mismatch: bool = False,
) -> Report:
    """Play deals in engine and referee side by side until so many decisions are compared.

    Args:
        rules: rules to choose from, all of one game.
        players: table sizes to choose from; rules that do not seat so many leave those out.
        decisions: decisions to compare in all.
        seed: seed of deals and choices; deal k uses seed + k.
        policies: who chooses, by name: in each deal the one that has made the fewest decisions so far. None: all of the game.
        progress: called with the number of decisions made since its last call.
        starts: where deals begin, by name, and the share of the decisions that each shall have. None: all of the game.
        stop_at_mismatch: end with the first disagreement.

    Raises:
        RulesError: rules of both games, or none that seat so many players.
    """
    if len({one.game for one in rules}) != 1 or not all_tables(rules, players):
        raise RulesError("the rules to verify must be of one game, and seat one of the numbers of players at least")
    ways = WAYS[rules[0].game]
    policies, starts = policies or ways.policies, starts or ways.starts
    report = Report()
    for number, (one, num_players, deal) in enumerate(in_random_order(rules, players, np.random.default_rng(seed))):
        if report.decisions >= decisions or len(report.mismatches) >= (1 if stop_at_mismatch else _MOST_MISMATCHES):
            return report
        start = min(starts, key=lambda name: report.starts[name] / starts[name][1])
        name = min(policies, key=lambda policy: report.policies[policy])
        limit = decisions - report.decisions
        if starts[start][0] is not shuffled_start:
            limit = min(limit, _LONGEST)
        done = play_deal(one, num_players, deal, seed + number, policies[name], limit, starts[start][0])
        done.policies[name] = done.starts[start] = done.decisions
        done.tables[str(one), num_players, deal] = 1
        report.add(done)
        progress(done.decisions)
    raise AssertionError("unreachable: the tables have no end")


def play_deal(
    rules: Rules, num_players: int, deal: int, seed: int, policy: Policy, limit: int, start: Start = shuffled_start
) -> Report:
    """Compare one deal, or the first `limit` decisions of it."""
    rng = np.random.default_rng(seed)
    beginning = start(rules, num_players, deal, rng)
    try:
        comparison = _Comparison(rules, num_players, deal, seed, rng, beginning)
    except KalookiError as error:
        text = beginning.text or " ".join(beginning.deck)
        return Report(deals=1, mismatches=[Mismatch(f"the start is refused: {error}", text, text, [], seed)])
    return comparison.play(policy, limit)


class _Comparison:
    """One deal in engine and referee."""

    def __init__(
        self, rules: Rules, num_players: int, deal: int, seed: int, rng: np.random.Generator, beginning: Beginning
    ) -> None:
        self.seed, self.rng = seed, rng
        self.ways = WAYS[rules.game]
        self.report = Report(deals=1)
        self.order: list[str] = []  # what the engine's shuffle made of the pile
        self.began = beginning.text
        if beginning.text:
            self.game = Game.from_text(beginning.text)
            self.referee = Referee.from_position(beginning.text, shuffle=lambda cards: self.order)
            return
        deck, dealer = beginning.deck, beginning.dealer
        self.game = Game(rules, num_players, deal=deal, dealer=dealer, seed=seed, deck=deck)
        self.referee = Referee(rules, num_players, deal, dealer, deck, shuffle=lambda cards: self.order)
        self.began = self.game.text()

    def play(self, policy: Policy, limit: int) -> Report:
        """Play until the deal is over, the limit is reached, or something differs."""
        report, game = self.report, self.game
        watch = self.ways.watch(game.engine)
        report.rules.update(watch.begins(game.states[0]))
        while True:
            numbers = game.legal_numbers()
            texts = {game.action_text(number): number for number in numbers}
            legal = self.referee.legal()
            fault = _difference(game, self.referee, set(texts), legal) or self._ask(legal)
            if fault:
                return self._mismatch(fault)
            if not numbers or report.decisions >= limit:
                if numbers:
                    report.endings["unfinished"] += 1
                return report
            action = policy(game, numbers, self.rng)
            fault = self._step(watch, action, numbers)
            if fault:
                return self._mismatch(fault)

    def _mismatch(self, fault: str) -> Report:
        self.report.mismatches.append(Mismatch(fault, self.game.text(), self.began, self.game.history, self.seed))
        return self.report

    def _ask(self, legal: set[str]) -> str | None:
        """What differs in the answers to some texts that nobody plays."""
        game = self.game
        asked = self.ways.probes(game, self.referee, legal, self.rng) if legal else [Probe("draw stock", None, False)]
        for probe in asked:
            try:
                refusal = game.verify(probe.text, probe.seat)
                code = None if refusal is None else refusal.code
            except NotationError:  # an end of a three, say: written like an action, but none at this table
                code = NOT_WRITTEN_SO
            self.report.probes += 1
            if code is not None:
                self.report.refusals[code] += 1
            if (code is None) != probe.is_legal:
                by = "" if probe.seat is None else f" by P{probe.seat + 1}"
                answer = "legal" if code is None else f"illegal ({code})"
                return f"{probe.text!r}{by}: the engine says {answer}, the referee says the opposite"
        return None

    def _step(self, watch: Watching, action: int, legal: list[int]) -> str | None:
        """Carry out an action on both sides."""
        report, game = self.report, self.game
        text = game.action_text(action)
        phase = game.phase
        kind, operand = core.kind_and_operand(action, game.max_seats, game.engine.is_kaluki)
        before = game.states.copy()
        report.decisions += 1
        report.phases[phase_name(phase, game.engine.is_kaluki)] += 1
        report.actions[kind.name.lower()] += 1
        report.after_lay_down += phase in (Phase.MELD, Phase.FILL) or bool(before[0]["opened"].any())
        try:
            game.do(action)
            self.order[:] = new_stock(before[0], game.states[0])
            self.referee.do(text)
        except KalookiError as error:
            return f"{text!r} is refused: {error}"
        step = Step(before[0], game.states[0], kind, operand, legal, game.engine)
        report.rules.update(watch.step(step))
        if game.phase is Phase.OVER:
            report.endings[ending(step)] += 1
        return None


def difference(game: Game, referee: Referee) -> str | None:
    """What differs between engine and referee, None if nothing does."""
    return _difference(game, referee, set(game.legal_actions()), referee.legal())


def _difference(game: Game, referee: Referee, ours: set[str], theirs: set[str]) -> str | None:
    if ours != theirs:
        return f"legal actions: only the engine has {sorted(ours - theirs)}, only the referee {sorted(theirs - ours)}"
    head, _, tail = game.text().partition("rng: ")
    if head + tail.partition("\n")[2] != referee.position():
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
    if before["phase"] == Phase.ANSWER:
        gained[before["pile"][int(before["pile_n"]) - 1]] -= 1
    drawn = int(np.argmax(gained))
    return [CARD_NAMES[card] for card in [drawn, *pile_cards(after, "stock")]]
