"""A picture of speed over the number of games, with other projects' environments for comparison."""

from __future__ import annotations

import textwrap
from typing import Any

from kalooki_env.arena.scoreboard import drawing
from kalooki_env.errors import ConfigError

#: Decisions per CPU second on one core: random legal actions, mask and observation included, by number of games. The nearest
#: games that were found, with hands of cards or tiles.
PEERS: dict[str, dict[int, float]] = {
    "Pgx 2.6.0 bridge_bidding": {1: 33_190, 64: 136_242, 1024: 157_215, 4096: 146_683},
    "Pgx 2.6.0 sparrow_mahjong": {1: 37_093, 64: 103_575, 1024: 84_793, 4096: 78_125},
    "EnvPool 1.2.5 SparrowMahjong-v1": {1: 11_967, 64: 54_989, 1024: 55_313, 4096: 52_912},
    "OpenSpiel 2.0.2 gin_rummy, Python, games from clones": {1: 107_576},
    "OpenSpiel 2.0.2 gin_rummy, Python, observation in a buffer": {1: 45_015},
    "RLCard 1.2.0 gin-rummy": {1: 17_329},
    "PettingZoo 1.26.1 gin_rummy_v4, AEC": {1: 5_042},
}
#: Iterations a second of the reference loop, where they were measured.
PEERS_REFERENCE = 5_200_000


def lines_of(found: dict[str, Any]) -> dict[str, dict[int, float]]:
    """What is drawn of the results: decisions per CPU second by number of games.

    Of `make_vec` those of the learning seat: nobody sees an observation of the others.
    """
    names = {"selfplay": "make_selfplay", "vec": "make_vec, the learning seat against three random"}
    lines: dict[str, dict[int, float]] = {}
    for row in found["parts"].get("batch", []):
        if "skip_forced" not in row["options"]:
            name = names[row["env"]] + ("" if row["options"]["copy"] else ", copy=False")
            lines.setdefault(name, {})[row["num_envs"]] = row["decisions_per_second"]
    return lines


def plot(found: dict[str, Any], path: str) -> None:
    """Draw rates over numbers of games.

    Raises:
        ConfigError: no matplotlib, no rates to draw, or a file that cannot be written.
    """
    figures = drawing(path)
    lines = lines_of(found)
    figure = figures.Figure(figsize=(12, 7), layout="constrained")
    axes = figure.subplots()
    for name, points in sorted(lines.items()):
        style, color = "--" if "copy=False" in name else "-", "C0" if "selfplay" in name else "C1"
        axes.plot(list(points), list(points.values()), style, color=color, marker="o", linewidth=2, label=name)
    if "aec_decisions_per_second" in found:
        label = "kalooki_env.env(), AEC: one game at a time"
        axes.axhline(found["aec_decisions_per_second"], color="C2", linewidth=2, label=label)
    for name, points in PEERS.items():
        *_, last = points.values()
        if len(points) > 1:
            axes.plot(list(points), list(points.values()), ":", color="0.3", marker=".")
        else:
            axes.axhline(last, color="0.7", linewidth=0.8)
        place = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8, "color": "0.3"}
        axes.annotate(f"{name}: {max(points.values()):,.0f}", (1.01, last), annotation_clip=False, **place)
    games = sorted({count for points in lines.values() for count in points})
    axes.set(xscale="log", yscale="log", xlabel="games in a batch", ylabel="decisions per CPU second, one core")
    axes.set_xticks(games, [f"{count:,}" for count in games])
    axes.set_xticks([], minor=True)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, handlelength=4)
    figure.suptitle("Random legal actions, with the mask and the observation of the seat to move; resets included")
    figure.supxlabel(caption(found), fontsize=8)
    try:
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be drawn: {error}") from error


def caption(found: dict[str, Any]) -> str:
    """What has to be known for comparing."""
    about = found["machine"]
    here = f"kalooki_env {about['kalooki_env']} on {about['cpu']}, Python {about['python']}"
    if "reference_iterations_per_second" in found:
        millions = found["reference_iterations_per_second"] / 1e6
        here += f", where the plain-Python reference loop makes {millions:.1f} million iterations per CPU second"
    text = (
        f"{here}. The other projects' nearest games, in grey with their best rates, were measured on another two-core server, "
        f"each in the version named; there the same reference loop made {PEERS_REFERENCE / 1e6:.1f} million. They are other "
        "games, and simpler ones run faster. Lines without dots: one game at a time."
    )
    return "\n".join(textwrap.wrap(text, 150))
