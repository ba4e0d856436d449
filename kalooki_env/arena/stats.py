"""Means with confidence intervals (Student's t). The unit is the deal: what belongs to one deal is averaged beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Confidence of all intervals.
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Estimate:
    """A mean and its uncertainty.

    Attributes:
        mean: the mean.
        half_width: half the width of the confidence interval around it; NaN if it cannot be told from the data.
        count: numbers that it is the mean of.
    """

    mean: float
    half_width: float
    count: int

    def as_dict(self) -> dict[str, Any]:
        """Mean, interval and count as plain values; None for what is unknown."""
        known = math.isfinite(self.half_width)
        return {
            "mean": self.mean,
            "low": self.mean - self.half_width if known else None,
            "high": self.mean + self.half_width if known else None,
            "count": self.count,
        }


def estimate(values: NDArray[np.floating[Any]]) -> Estimate:
    """Mean of independent values, (n,), n at least 1."""
    return estimate_of_means([values])


def estimate_of_means(groups: Sequence[NDArray[np.floating[Any]]]) -> Estimate:
    """Mean of the means of independent groups, each with the same weight whatever its size.

    The standard error comes from the groups' own variances, so that differences between groups do not count as noise; the degrees
    of freedom are those of Welch and Satterthwaite.
    """
    mean = float(np.mean([group.mean() for group in groups]))
    count = sum(len(group) for group in groups)
    if min(len(group) for group in groups) < 2:
        return Estimate(mean, math.nan, count)
    # Variances of the groups' means, as they enter the variance of the whole.
    parts = np.array([group.var(ddof=1) / len(group) for group in groups]) / len(groups) ** 2
    variance = float(parts.sum())
    if variance == 0:
        return Estimate(mean, 0.0, count)
    freedom = variance**2 / sum(part**2 / (len(group) - 1) for part, group in zip(parts, groups, strict=True))
    return Estimate(mean, t_quantile(freedom) * math.sqrt(variance), count)


def t_quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """How many standard errors a two-sided interval reaches, by Student's t distribution.

    With t = sqrt(freedom) tan(a) the density is proportional to cos(a) ** (freedom - 1) on a finite interval, which is summed
    numerically: right to four digits, without SciPy.

    Args:
        freedom: degrees of freedom, 1 or more.
        confidence: probability of the interval.
    """
    freedom = min(freedom, 1e4)  # from here on the quantile moves by less than 0.001
    angles = np.linspace(0.0, math.pi / 2, 20_001)
    density = np.cos(angles) ** (freedom - 1)
    weights = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    angle = float(np.interp(confidence * weights[-1], weights, angles))
    return math.sqrt(freedom) * math.tan(angle)
