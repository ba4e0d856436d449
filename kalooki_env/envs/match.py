"""A whole match as one episode of an environment: the score between deals, what policies see of it, and what it pays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from kalooki_env.errors import ConfigError, RulesError
from kalooki_env.game.cards import CARD_NAMES
from kalooki_env.game.engine import Engine, deck_of, engine
from kalooki_env.game.match import deal_seed, drawn_dealer
from kalooki_env.game.match_score import MatchDeal, MatchScore, check_match_table, deal_name
from kalooki_env.rules import Rules
from kalooki_env.values import check_seed, whole_number


class MatchEpisode:
    """The match of an environment.

    Seats are those of the match. A deal has a table of its own, where some of them sit: all, or the tied ones in a sudden death.

    Args:
        rules: the rules.
        num_players: seats of the match.
        max_seats: seats that the spaces have room for.
        reward: what is paid, and when; `match_reward` of `raw_env`.

    Attributes:
        reward: what is paid, and when.
        score: the score so far.

    Raises:
        RulesError: a table that cannot play a match.
        ConfigError: stakes as reward where the rules have none.
    """

    def __init__(self, rules: Rules, num_players: int, max_seats: int, reward: Literal["deals", "win", "place", "stake"]) -> None:
        check_match_table(rules, num_players)
        self.reward = reward
        if reward == "stake" and rules.stakes == "none":
            raise ConfigError("match_reward 'stake' is not allowed with rules key stakes: none; allowed with pot and per_deal")
        self._max_seats = max_seats
        self._seed = 0
        self._turns = 0
        self.score = MatchScore.of(rules, num_players)

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
        self.score = MatchScore.of(self.score.rules, players, (), dealer)
        return dealer

    @property
    def deal(self) -> MatchDeal:
        """The deal that is played, or was played last."""
        return self.score.next_deal or self.score.deals[-1].deal

    def on_table(self) -> tuple[MatchDeal, MatchScore]:
        """The deal that lies on the table, after the end the last one, and the score before it."""
        return self.deal, self.score.before_last() if self.is_over else self.score

    @property
    def is_over(self) -> bool:
        """Whether the last deal is over."""
        return self.score.is_over

    def table(self) -> tuple[Engine, int, int]:
        """Table of the present deal: its engine, its dealer by the seats there, and the seed of its shuffles."""
        deal, before = self.on_table()
        found = engine(before.table_rules, len(deal.seats), self._max_seats)
        return found, deal.seats.index(deal.dealer), self.deal_seed

    @property
    def deal_seed(self) -> int:
        """Seed of the shuffles of the present deal."""
        return self.deal_seed_after(len(self.score.rows))

    def deal_seed_after(self, deals: int) -> int:
        """Seed of the shuffles of the deal that follows so many others."""
        return deal_seed(self._seed, deals)

    def add(self, state: Any, final: list[float]) -> list[float]:
        """Enter the scores of the deal that has ended.

        Args:
            state: STATE record at its end.
            final: what its end would pay as an episode of its own, by seat of the match.

        Returns:
            What it pays to all seats of the match.
        """
        row = self.score.by_seat(state["scores"])
        self._turns = int(state["turns"])
        self.score = self.score.with_scores(row)
        if self.reward == "deals":
            return final
        outcome = self.score.outcome
        if outcome is None:
            return [0.0] * self.score.num_players
        if self.reward == "stake":
            return [float(chips) for chips in outcome.chips]
        if self.reward == "win":
            return [1 / len(outcome.winners) if seat in outcome.winners else 0.0 for seat in range(len(row))]
        # Seats that share a place share the rewards of the places that they take up.
        last = len(row) - 1
        shared = [outcome.places.count(place) for place in outcome.places]
        return [1 - (place - 1 + (count - 1) / 2) / last for place, count in zip(outcome.places, shared, strict=True)]

    def standing(self) -> dict[str, Any]:
        """Where the match stands, and how its last deal ended: numbers, and by seat tuples of them."""
        score, deal = self.score, self.deal
        last = score.deals[-1] if score.deals else None
        nothing = (0,) * score.num_players
        return {
            "deal": deal.number,
            "scores": tuple(one or 0 for one in last.scores) if last else nothing,
            "winner": -1 if last is None or last.winner is None else last.winner,
            "blocked": int(last is not None and last.winner is None),
            "turns": self._turns,
            "match": deal.match,
            "match_deal": deal.ordinal,
            "totals": score.totals,
            "places": score.outcome.places if score.outcome else nothing,
            "chips": tuple(float(chips) for chips in score.chips),
        }

    def info(self, seat: int) -> dict[str, Any]:
        """What `infos` say to a seat."""
        found = self.standing()
        return {
            "deal": found["deal"],
            "score": found["scores"][seat],
            "winner": found["winner"],
            "blocked": found["blocked"],
            "turns": found["turns"],
            "illegal": 0,
            "match": found["match"],
            "match_deal": found["match_deal"],
            "total": found["totals"][seat],
            "totals": found["totals"],
            "place": found["places"][seat],
            "chips": found["chips"][seat],
        }

    def saved(self) -> dict[str, Any]:
        """What `restore` needs, as plain values."""
        return {"seed": self._seed, "turns": self._turns, "first_dealer": self.score.first_dealer, "scores": self.score.rows}

    def restore(self, saved: Any) -> None:
        """Go on from where another one stood.

        Args:
            saved: what `saved` gave.

        Raises:
            RulesError: scores that cannot be, or numbers that are not allowed; nothing has changed.
            KeyError, TypeError: something else; likewise.
        """
        rules, players = self.score.rules, self.score.num_players
        rows = [tuple(row) for row in saved["scores"]]
        score = MatchScore.of(rules, players, rows, saved["first_dealer"])
        most = _most_points(rules, players)
        wrong = [one for row in rows for one in row if one is not None and one > most]
        if wrong:
            raise RulesError(f"score {wrong[0]} is not allowed; allowed: {most} at most, all cards of the deck")
        turns, most_turns = whole_number("turns", saved["turns"], error=RulesError), rules.max_turns(players)
        if not 0 <= turns <= most_turns:
            raise RulesError(f"turns {turns} is not allowed; allowed: 0 to {most_turns}")
        self._seed, self._turns, self.score = check_seed(saved["seed"]), turns, score

    def heading(self) -> str:
        """A line for pictures of the table: the deal, who plays it, and the totals."""
        deal = self.deal
        names = [f"P{seat + 1}" for seat in range(self.score.num_players)]
        totals = ", ".join(f"{name} {total}" for name, total in zip(names, self.score.totals, strict=True))
        playing = "" if len(deal.seats) == len(names) else f" of {' and '.join(names[seat] for seat in deal.seats)}"
        return f"{deal_name(deal)}{playing}; totals: {totals}\n"


def _most_points(rules: Rules, num_players: int) -> int:
    """More than a seat can score in a deal: all cards of the deck, and the penalty."""
    points = [rules.card_points(name) for name in CARD_NAMES]
    return int(deck_of(rules, num_players) @ np.array(points)) + rules.unmet_opening_penalty


def match_of(
    episode: Literal["deal", "match"],
    reward: Literal["deals", "win", "place", "stake"],
    rules: Rules,
    num_players: int,
    max_seats: int,
) -> MatchEpisode | None:
    """The match of an environment, None where episodes are single deals.

    Raises:
        RulesError: a table that cannot play a match.
        ConfigError: stakes as reward where the rules have none.
    """
    return MatchEpisode(rules, num_players, max_seats, reward) if episode == "match" else None
