"""A whole match as one episode of the AEC environment: the score between deals, what policies see of it, and what it pays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from kalooki_env.envs.options import one_of
from kalooki_env.errors import ConfigError
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.match import deal_seed, drawn_dealer
from kalooki_env.game.match_score import MatchDeal, MatchScore, check_match_table, deal_name
from kalooki_env.rules import Rules

#: Totals are divided by this in observations, and cut at -1 and 1.
TOTAL_SCALE = 500.0


class MatchEpisode:
    """The match of an environment.

    Seats are those of the match. A deal has a table of its own, where some of them sit: all, or the tied ones in a sudden death.

    Args:
        rules: the rules.
        num_players: seats of the match.
        max_seats: seats that the spaces have room for.
        reward: what is paid, and when; `match_reward` of `raw_env`.

    Attributes:
        space: of the entry `match` of an observation.
        score: the score so far.
        vectors: the standing as each agent sees it, the entry `match` of its observation: float32 (max_seats + 1,). The totals
            before the present deal, its own first, then clockwise, each divided by `TOTAL_SCALE` and cut to [-1, 1], zeros for
            absent seats; at the end the share of the regular deals that has been played, 0 where a score limit ends the match.

    Raises:
        RulesError: a table that cannot play a match.
        ConfigError: an unknown reward, or stakes as reward where the rules have none.
    """

    def __init__(self, rules: Rules, num_players: int, max_seats: int, reward: Literal["deals", "win", "place", "stake"]) -> None:
        check_match_table(rules, num_players)
        self._reward = one_of("match_reward", reward, ("deals", "win", "place", "stake"))
        if reward == "stake" and rules.stakes == "none":
            raise ConfigError("match_reward 'stake' is not allowed with rules key stakes: none; allowed with pot and per_deal")
        self._max_seats = max_seats
        self.space = spaces.Box(-1.0, 1.0, (max_seats + 1,), np.float32)
        self._seed = 0
        self._turns = 0
        self._note(MatchScore.of(rules, num_players))

    def begin(self, seed: int, first_dealer: int | None) -> int:
        """Begin a match.

        Args:
            seed: its seed; the same seed deals the same cards as a `Match`.
            first_dealer: seat that deals first, None to draw lots.

        Returns:
            The first dealer.
        """
        players = self.score.num_players
        dealer = drawn_dealer(seed, players) if first_dealer is None else first_dealer
        self._seed, self._turns = seed, 0
        self._note(MatchScore.of(self.score.rules, players, (), dealer))
        return dealer

    @property
    def deal(self) -> MatchDeal:
        """The deal that is played, or was played last."""
        return self.score.next_deal or self.score.deals[-1].deal

    @property
    def is_over(self) -> bool:
        """Whether the last deal is over."""
        return self.score.is_over

    def table(self) -> tuple[Engine, int, int]:
        """Table of the present deal: its engine, its dealer by the seats there, and the seed of its shuffles."""
        deal = self.deal
        found = engine(self.score.table_rules, len(deal.seats), self._max_seats)
        return found, deal.seats.index(deal.dealer), deal_seed(self._seed, len(self.score.rows))

    def add(self, state: Any, final: list[float]) -> list[float]:
        """Enter the scores of the deal that has ended.

        Args:
            state: STATE record at its end.
            final: what its end would pay as an episode of its own, by seat of the match.

        Returns:
            What it pays to all seats of the match.
        """
        row: list[int | None] = [None] * self.score.num_players
        for at, seat in enumerate(self.deal.seats):
            row[seat] = int(state["scores"][at])
        self._turns = int(state["turns"])
        self._note(self.score.with_scores(row))
        if self._reward == "deals":
            return final
        outcome = self.score.outcome
        if outcome is None:
            return [0.0] * self.score.num_players
        if self._reward == "stake":
            return [float(chips) for chips in outcome.chips]
        if self._reward == "win":
            return [1 / len(outcome.winners) if seat in outcome.winners else 0.0 for seat in range(len(row))]
        # Seats that share a place share the rewards of the places that they take up.
        last = len(row) - 1
        shared = [outcome.places.count(place) for place in outcome.places]
        return [1 - (place - 1 + (count - 1) / 2) / last for place, count in zip(outcome.places, shared, strict=True)]

    def _note(self, score: MatchScore) -> None:
        """Take over a score, and write down what all see of it: the same at every step of a deal."""
        self.score = score
        players, most = score.num_players, score.regular_deals
        totals = np.clip(np.array(score.totals) / TOTAL_SCALE, -1, 1)
        self.vectors = {f"player_{seat}": np.zeros(self._max_seats + 1, np.float32) for seat in range(players)}
        for seat, vector in enumerate(self.vectors.values()):
            vector[:players] = np.roll(totals, -seat)
            if most is not None:
                # Deals that decide ties and series come after all of them.
                vector[-1] = 1.0 if self.is_over or not self.deal.match else min(1.0, (self.deal.ordinal - 1) / most)

    def info(self, seat: int) -> dict[str, Any]:
        """What `infos` say to a seat: where the match stands, and how its last deal ended."""
        score, deal = self.score, self.deal
        last = score.deals[-1] if score.deals else None
        return {
            "deal": deal.number,
            "score": (last.scores[seat] or 0) if last else 0,
            "winner": -1 if last is None or last.winner is None else last.winner,
            "blocked": int(last is not None and last.winner is None),
            "turns": self._turns,
            "illegal": 0,
            "match": deal.match,
            "match_deal": deal.ordinal,
            "total": score.totals[seat],
            "totals": score.totals,
            "place": score.outcome.places[seat] if score.outcome else 0,
            "chips": float(score.chips[seat]),
        }

    def heading(self) -> str:
        """A line for pictures of the table: the deal, who plays it, and the totals."""
        deal = self.deal
        names = [f"P{seat + 1}" for seat in range(self.score.num_players)]
        totals = ", ".join(f"{name} {total}" for name, total in zip(names, self.score.totals, strict=True))
        playing = "" if len(deal.seats) == len(names) else f" of {' and '.join(names[seat] for seat in deal.seats)}"
        return f"{deal_name(deal)}{playing}; totals: {totals}\n"


def match_of(episode: Any, reward: Any, deal: Any, rules: Rules, num_players: int, max_seats: int) -> MatchEpisode | None:
    """The match of an environment, None where episodes are single deals.

    Raises:
        RulesError: a table that cannot play a match.
        ConfigError: an option with a value that is not allowed.
    """
    if one_of("episode", episode, ("deal", "match")) == "deal":
        one_of("match_reward", reward, ("deals", "win", "place", "stake"))
        return None
    if not (isinstance(deal, str) and deal == "random"):
        raise ConfigError(f"deal {deal!r} is not allowed with episode 'match', whose deals follow from the rules")
    return MatchEpisode(rules, num_players, max_seats, reward)
