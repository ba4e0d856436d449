"""The policy and value network of the trainers, here so that checkpoints play without them. Needs torch.

A flat trunk reads the whole observation. Logits of actions with a card are its own output plus features of that card, each times
a weight that the trunk gives: what is known about a card acts on the logit of that very card, and need not be learned 53 times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kalooki_env import core
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules

#: Features of a card, by the observation piece that they need.
_CARD_FEATURES: dict[str, tuple[str, ...]] = {
    "hand": ("held", "points"),
    "upcard": ("is_upcard",),
    "pile": ("in_pile",),
    "table": ("on_table",),
    "fits": ("fits",),
    "known": ("known_elsewhere", "next_seat_rank", "next_seat_suit"),
    "discarded": ("next_seat_discarded_rank",),
    "declined": ("next_seat_declined_rank",),
    "solver": ("lowers", "keeps", "outs_behind", "most_outs"),
}
#: The same of the solver's piece in Kaluki.
_KALUKI_SOLVER = ("points_after", "points_with")
#: Features of the upcard, which act on the logits of these actions.
_UPCARD_FEATURES = ("lowers", "fits", "points", "held")
_UPCARD_ACTIONS = (core.TAKE_UPCARD, core.CALL_CARD, core.ALLOW)
#: Weights that make an untrained network discard, draw and call much as `greedy` does.
_START = {"keeps": 4.0, "most_outs": 1.0, "outs_behind": 1.0, "points": 1.0}
_START_UPCARD = {"lowers": 3.0, "fits": 2.0}


class PolicyNetwork(nn.Module):
    """Observation in, logits of all actions and the value of the position out.

    Args:
        observation: the choice of pieces; the piece `hand` has to be in.
        hidden: widths of the trunk's layers.
        head_start: begin with weights for the solver's features that make sense, instead of none.
    """

    scale: Tensor
    points: Tensor

    def __init__(self, observation: Observation, hidden: Sequence[int], head_start: bool = False) -> None:
        super().__init__()
        self.observation = observation
        self.hidden = tuple(hidden)
        by_piece = {**_CARD_FEATURES, "solver": _KALUKI_SOLVER} if observation.kaluki else _CARD_FEATURES
        self.features = tuple(name for piece in by_piece if piece in observation.pieces for name in by_piece[piece])
        self._where = {name: observation.slice_of(name) for name in observation.pieces}
        layers: list[nn.Module] = []
        width = observation.size
        for size in hidden:
            layers += [_linear(width, size, 2**0.5), nn.ReLU()]
            width = size
        self.trunk = nn.Sequential(*layers)
        self.logits = _linear(width, observation.num_actions, 0.01)
        self.value = _linear(width, 1, 1.0)
        # Two rows of weights: for `discard` and for `place`.
        self.card_weights = _linear(width, 2 * len(self.features), 0.01)
        self.upcard_weights = _linear(width, len(_UPCARD_ACTIONS) * len(_UPCARD_FEATURES), 0.01)
        self.register_buffer("scale", torch.from_numpy(observation.scale), persistent=False)
        self.register_buffer("points", _card_points(), persistent=False)
        if head_start:
            self._give_head_start()

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (n, num_actions), illegal actions included, and values (n,) of uint8 observations (n, size)."""
        x = rows.to(torch.float32) * self.scale
        cards = self._card_features(x)
        upcard = self._upcard_features(x)
        hidden = self.trunk(x)
        logits = self.logits(hidden)
        weights = self.card_weights(hidden).view(-1, 2, cards.shape[1])
        by_card = torch.bmm(weights.to(cards.dtype), cards)
        weights = self.upcard_weights(hidden).view(-1, len(_UPCARD_ACTIONS), len(_UPCARD_FEATURES))
        by_upcard = (weights * upcard.unsqueeze(1)).sum(2)
        extra = torch.zeros_like(logits[:, 2 * core.CARDS :])
        for i, action in enumerate(_UPCARD_ACTIONS):
            extra[:, action - 2 * core.CARDS] = by_upcard[:, i]
        total = logits.float() + torch.cat([by_card.flatten(1).float(), extra.float()], 1)
        return total, self.value(hidden).squeeze(1).float()

    def _card_features(self, x: Tensor) -> Tensor:
        """Features of each card: (n, features, 53)."""
        at = self._where
        found: dict[str, Tensor] = {"held": x[:, at["hand"]], "points": self.points.expand(len(x), core.CARDS)}
        for piece, name in (("upcard", "is_upcard"), ("pile", "in_pile"), ("table", "on_table"), ("fits", "fits")):
            if piece in at:
                found[name] = x[:, at[piece]]
        if "known" in at:
            known = x[:, at["known"]].unflatten(1, (-1, core.CARDS))
            found["known_elsewhere"] = known[:, 1:].sum(1)
            found["next_seat_rank"] = _same_rank(known[:, 1])
            found["next_seat_suit"] = _near_in_suit(known[:, 1])
        for piece in ("discarded", "declined"):
            if piece in at:
                found[f"next_seat_{piece}_rank"] = _same_rank(x[:, at[piece]].unflatten(1, (-1, core.CARDS))[:, 1])
        if "solver" in at and self.observation.kaluki:
            after, with_it = x[:, at["solver"]][:, 1:107].unflatten(1, (2, core.CARDS)).unbind(1)
            found["points_after"], found["points_with"] = after, with_it
        elif "solver" in at:
            lowers, keeps, outs = x[:, at["solver"]][:, 1:160].unflatten(1, (3, core.CARDS)).unbind(1)
            found["lowers"] = lowers
            found["keeps"] = keeps
            behind = outs - outs.max(1, keepdim=True).values
            found["outs_behind"] = 10.0 * behind * keeps
            found["most_outs"] = (behind == 0) * keeps
        return torch.stack([found[name] for name in self.features], 1)

    def _upcard_features(self, x: Tensor) -> Tensor:
        """Features of the upcard: (n, 4)."""
        at = self._where
        none = x.new_zeros(len(x))
        upcard = x[:, at["upcard"]] if "upcard" in at else none.unsqueeze(1).expand(-1, core.CARDS)
        lowers = x[:, at["solver"]][:, -1] if "solver" in at else none
        if "solver" in at and self.observation.kaluki:
            lowers = lowers - x[:, at["solver"]][:, 0]  # points that the upcard adds
        fits = (upcard * x[:, at["fits"]]).sum(1) if "fits" in at else none
        held = (_same_rank(x[:, at["hand"]]) * upcard).sum(1)
        return torch.stack([lowers, fits, (upcard * self.points).sum(1), held], 1)

    def _give_head_start(self) -> None:
        with torch.no_grad():
            for row in range(2):
                for name, weight in _START.items():
                    if name in self.features:
                        self.card_weights.bias[row * len(self.features) + self.features.index(name)] = weight
            for action in range(2):  # taking and calling the upcard
                for name, weight in _START_UPCARD.items():
                    self.upcard_weights.bias[action * len(_UPCARD_FEATURES) + _UPCARD_FEATURES.index(name)] = weight
                self.logits.bias[_UPCARD_ACTIONS[action]] = -1.5
            self.logits.bias[core.LAY_DOWN] = 6.0
            self.logits.bias[core.LAY_OFF :] = 3.0


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _card_points() -> Tensor:
    """Points of the cards, a fifteenth of them: the joker, whose points depend on the rules, is never discarded."""
    names = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    # On the processor even where a network is made of shapes alone: it is no weight, and nobody loads it.
    return torch.tensor([Rules().card_points(name) / 15 for name in names] + [0.0], device="cpu")


def _same_rank(cards: Tensor) -> Tensor:
    """For each card: how many of its rank there are, (n, 53)."""
    by_rank = cards[:, : core.JOKER].unflatten(1, (4, 13)).sum(1)
    return torch.cat([by_rank.repeat(1, 4), cards[:, core.JOKER :]], 1)


def _near_in_suit(cards: Tensor) -> Tensor:
    """For each card: how many there are of its suit at most two places away, (n, 53)."""
    suits = cards[:, : core.JOKER].unflatten(1, (4, 13))
    padded = nn.functional.pad(suits, (2, 2))
    near = sum(padded[:, :, i : i + 13] for i in range(5))
    return torch.cat([cast(Tensor, near).flatten(1), cards.new_zeros(len(cards), 1)], 1)


def legal_logits(logits: Tensor, masks: Tensor) -> Tensor:
    """Logits with illegal actions put out of reach; `masks`: bool (n, num_actions)."""
    return logits.masked_fill(~masks, -1e9)


def best_actions(network: PolicyNetwork, rows: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """The likeliest legal action for each row."""
    with torch.inference_mode():
        logits, _ = network(torch.from_numpy(rows))
        best = legal_logits(logits, torch.from_numpy(masks > 0)).argmax(1)
    return cast("NDArray[np.int64]", best.numpy())
