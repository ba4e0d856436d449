"""Results of `kalooki bench` as text, as a table for a page in Markdown, and read back from a file."""

from __future__ import annotations

import textwrap
from typing import Any

from kalooki_env.arena.report import columns
from kalooki_env.cli.bench_results import check
from kalooki_env.errors import ConfigError
from kalooki_env.files import FileFault, decoded, json_of, read_bytes

#: Bytes that a file of results may have.
_MOST_BYTES = 1 << 24
#: Comments around the table in a page.
FIRST, LAST = "<!-- bench -->", "<!-- end of bench -->"
_TITLES = {
    "memory": "memory, kB a game",
    "batch": "batched environments, random legal actions",
    "threads": "two threads, by the wall clock",
    "observations": "observations",
    "bots": "one learning seat against three",
    "players": "players at the table",
    "deals": "numbers of the deal",
    "games": "rules",
    "sb3": "rollouts of MaskablePPO, steps of the learning seat",
}


def load(path: str) -> dict[str, Any]:
    """Read results that `--save` wrote.

    Raises:
        ConfigError: no such file, or one with something else.
    """
    try:
        data = read_bytes(path, _MOST_BYTES)
    except FileFault as fault:
        raise ConfigError(f"{path} {fault}") from fault
    try:
        found: dict[str, Any] = json_of(decoded(data))
        check(found)
    except FileFault as fault:
        raise ConfigError(f"{path} is not a result of kalooki bench: it {fault}") from fault
    cache = {"folder": "unknown", "was_warm": False, "compile_cpu_seconds": None, **found.get("cache", {})}
    return {"skipped": {}, "parts": {}, **found, "cache": cache}


# ---- text for people -------------------------------------------------------------------------------------------------


def report_text(found: dict[str, Any]) -> str:
    """The figures for people."""
    about, cache = found["machine"], found["cache"]
    cold = cache["compile_cpu_seconds"]
    names = ("kalooki_env", "python", "numpy", "numba", "gymnasium", "pettingzoo", "sb3_contrib", "torch")
    head = [
        f"{about['cpu']}, {about['cores']} cores, {about['system']}",
        ", ".join(f"{name} {about[name]}" for name in names if name in about),
        f"cache {cache['folder']}, {'warm' if cache['was_warm'] else 'cold'} before this run; "
        + ("--cold times the compilation" if cold is None else f"compiling everything took {cold:.1f} CPU-seconds"),
        "",
        f"{found['rules']}, {found['num_players']} players, deals 1 to 9 equally often, resets included.",
        "Rates are per CPU second of one process, medians over rounds; a ratio is decisions per iteration of the reference.",
        "Choices are decisions with more than one legal action, of all seats.",
    ]
    blocks = ["\n".join(head)]
    if "aec_ratio" in found:
        blocks.append(_core_text(found))
    for name, rows in found["parts"].items():
        text = {"memory": _memory_text, "threads": _threads_text, "sb3": _sb3_text}.get(name, _rates_text)
        blocks.append(f"{_TITLES.get(name, name)}\n{text(rows)}")
    blocks += [f"{name} is skipped: {reason}" for name, reason in found["skipped"].items()]
    return "\n\n".join(blocks) + "\n"


def calls(rows: list[dict[str, Any]]) -> tuple[list[str], str]:
    """The calls that make the environments of a part, without the options that all share, and these."""
    shared = {key: value for key, value in rows[0]["options"].items() if all(row["options"].get(key) == value for row in rows)}
    texts = []
    for row in rows:
        own = [f", {key}={value!r}" for key, value in row["options"].items() if key not in (*shared, "threads")]
        texts.append(f"make_{row['env']}({row['num_envs']}{''.join(own)})")
    return texts, ", ".join(f"{key}={value!r}" for key, value in shared.items())


def _core_text(found: dict[str, Any]) -> str:
    def spread(key: str, digits: int) -> str:
        values = [one[key] for one in found["rounds"]]
        return f"{min(values):,.{digits}f} to {max(values):,.{digits}f}"

    rows = [
        ["reference", f"{found['reference_iterations_per_second']:,.0f} iterations", "1", spread("reference_per_second", 0)],
        ["aec", f"{found['aec_decisions_per_second']:,.0f} decisions", f"{found['aec_ratio']:.4f}", spread("aec_ratio", 4)],
        [
            "batch",
            f"{found['batch_decisions_per_second']:,.0f} decisions",
            f"{found['batch_ratio']:.3f}",
            spread("batch_ratio", 3),
        ],
    ]
    return columns(["", "per second", "ratio", "lowest and highest round"], rows)


def _rates_text(rows: list[dict[str, Any]]) -> str:
    names, shared = calls(rows)
    cells = []
    for name, row in zip(names, rows, strict=True):
        ratios = [one["decisions"] / one["reference"] for one in row["rounds"]]
        figures = [f"{row[f'{kind}_per_second']:,.0f}" for kind in ("decisions", "choices")]
        cost = f"{1e6 / row['decisions_per_second']:.2f}"
        spread = f"{min(ratios):.4f} to {max(ratios):.4f}"
        cells.append([name, *figures, cost, f"{row['decisions_ratio']:.4f}", spread])
    return columns([shared, "decisions", "choices", "us a decision", "ratio", "lowest and highest round"], cells)


def _threads_text(rows: list[dict[str, Any]]) -> str:
    names, shared = calls(rows)
    cells = []
    for name, one, two in zip(names[::2], rows[::2], rows[1::2], strict=True):
        cells.append([name, *(f"{row['decisions_per_second']:,.0f}" for row in (one, two)), f"{two['speed_up']:.2f}"])
    return columns([shared, "one thread", "two threads", "speed-up"], cells)


def _memory_text(rows: list[dict[str, Any]]) -> str:
    names, shared = calls(rows)
    cells = []
    for name, row in zip(names, rows, strict=True):
        cells.append([name, *(_kilobytes(row[key]) for key in ("bytes_per_game", "resident_bytes_per_game"))])
    return columns([shared, "arrays", "growth of the process"], cells)


def _kilobytes(size: float | None) -> str:
    return "unknown" if size is None else f"{size / 1000:.1f}"


def _sb3_text(rows: list[dict[str, Any]]) -> str:
    cells = []
    for row in rows:
        name = f"{row['num_envs']} x {row['n_steps']}, " + (
            "an empty environment" if row["opponents"] == "nobody" else f"three {row['opponents']}"
        )
        cells.append([name, f"{row['steps_per_second']:,.0f}", f"{row['of_empty']:.3f}"])
    return columns(["", "steps", "of the empty environment's"], cells)


# ---- a page in Markdown ----------------------------------------------------------------------------------------------


def around(page: str) -> tuple[str, str]:
    """What stands before and after the place for the results in a page.

    Raises:
        ConfigError: a page without the marks.
    """
    before, first, rest = page.partition(FIRST)
    _, last, after = rest.partition(LAST)
    if not (first and last):
        raise ConfigError(f"no place for the results: {FIRST} and {LAST} are missing")
    return before, after


def page_with(page: str, found: dict[str, Any]) -> str:
    """A page with the main figures between its marks."""
    before, after = around(page)
    return f"{before}{FIRST}\n{markdown(found)}\n{LAST}{after}"


def markdown(found: dict[str, Any]) -> str:
    """The main figures, and what they belong to."""
    blocks = [_loops(found), _sizes(found), _bots(found), _facts(found), _footer(found)]
    return "\n\n".join(block for block in blocks if block)


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def rounded(number: float) -> str:
    """Three digits that say something: 1,610,000."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _loops(found: dict[str, Any]) -> str:
    if "aec_ratio" not in found:
        return ""
    compiled = "games in compiled code: random legal actions, mask and default observation of the seat to move"
    texts = {
        "aec": "AEC loop: `agent_iter`, `last`, `step`, random legal actions, default observation",
        "batch": f"{found['lanes']:,} {compiled}",
    }
    rows = [
        [text, f"{rounded(found[f'{name}_decisions_per_second'])} decisions", f"{found[f'{name}_ratio']:#.2g}"]
        for name, text in texts.items()
    ]
    reference = "reference: a fixed loop over integers, a dict and a list in plain Python"
    rows.append([reference, f"{rounded(found['reference_iterations_per_second'])} iterations", "1"])
    return _table(["Loop", "Per CPU-second, one core", "Ratio to the reference loop"], rows)


def _sizes(found: dict[str, Any]) -> str:
    rows = {(row["env"], row["num_envs"], row["options"]["copy"]): row for row in _asking(found)}
    pairs = {(row["env"], row["num_envs"], row["options"]["copy"]): row for row in found["parts"].get("threads", [])[1::2]}

    def rate(env: str, count: int, copy: bool, key: str = "decisions") -> str:
        row = rows.get((env, count, copy))
        return "–" if row is None else rounded(row[f"{key}_per_second"])

    def speed_up(env: str, count: int) -> str:
        row = pairs.get((env, count, True))
        return "–" if row is None else f"{row['speed_up']:.2f}"

    table = [
        [
            f"{count:,}",
            rate("selfplay", count, True),
            rate("selfplay", count, False),
            rate("vec", count, True),
            rate("vec", count, False),
            speed_up("selfplay", count),
            speed_up("vec", count),
        ]
        for count in sorted({count for _, count, _ in (*rows, *pairs)})
    ]
    head = [
        "Games",
        "`make_selfplay`",
        "with `copy=False`",
        "`make_vec` against three `random`, the learning seat",
        "with `copy=False`",
        "`make_selfplay`, two threads",
        "`make_vec`, two threads",
    ]
    title = "Decisions per CPU-second on one core; and how many times as many per second two threads make on two cores:"
    return f"{title}\n\n{_table(head, table)}" if table else ""


def _asking(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of the part batch, without the one that asks about forced decisions too."""
    return [row for row in found["parts"].get("batch", []) if "skip_forced" not in row["options"]]


def _bots(found: dict[str, Any]) -> str:
    rows = found["parts"].get("bots", [])
    table = [
        [
            f"three `{row['options']['opponents']}`",
            *(f"{rounded(row[f'{key}_per_second'])} (ratio {row[f'{key}_ratio']:#.2g})" for key in ("decisions", "choices")),
        ]
        for row in rows
    ]
    head = ["Decisions per CPU-second", "of the learning seat", "of all seats"]
    return f"`make_vec` with {rows[0]['num_envs']:,} games against:\n\n{_table(head, table)}" if rows else ""


def _facts(found: dict[str, Any]) -> str:
    parts = found["parts"]
    lines = []
    for row in parts.get("batch", []):
        if "skip_forced" in row["options"]:
            share = 100 * row["choices_per_second"] / row["decisions_per_second"]
            lines.append(
                f"With `skip_forced=False` self-play makes {rounded(row['decisions_per_second'])} decisions per CPU-second; "
                f"{share:.1f} % of them have more than one legal action."
            )
    if "observations" in parts:
        base, *others = parts["observations"]
        costs = [f"{_observation(row)} {base['decisions_ratio'] / row['decisions_ratio']:.2g}" for row in others]
        lines.append(f"Time of a decision in self-play, where {_observation(base)} is 1: {', '.join(costs)}.")
    for name, of, words in (("players", "num_players", "number of players"), ("deals", "deal", "number of the deal")):
        if name in parts:
            times = ", ".join(f"{row['options'][of]}: {1e6 / row['decisions_per_second']:.2f}" for row in parts[name])
            lines.append(f"Microseconds of a decision in self-play by {words}: {times}.")
    if "games" in parts:
        rates = [
            f"`{row['options']['rules']}` {rounded(row['decisions_per_second'])} (ratio {row['decisions_ratio']:#.2g})"
            for row in parts["games"]
            if row["env"] == "selfplay"
        ]
        lines.append(f"Decisions per CPU-second in self-play by rules: {', '.join(rates)}.")
    if "memory" in parts:
        sizes = [f"{_kilobytes(row['resident_bytes_per_game'])} kB with `make_{row['env']}`" for row in parts["memory"]]
        arrays = [f"{_kilobytes(row['bytes_per_game'])} kB" for row in parts["memory"]]
        lines.append(
            f"The process grows by {' and '.join(sizes)} for each game, {' and '.join(arrays)} of it for the game itself."
        )
    if "sb3" in parts:
        shares: dict[str, list[str]] = {}
        for row in parts["sb3"]:
            if row["opponents"] != "nobody":
                shares.setdefault(row["opponents"], []).append(f"{100 * row['of_empty']:.0f}")
        games = ", ".join(str(row["num_envs"]) for row in parts["sb3"] if row["opponents"] == "nobody")
        texts = [f"{', '.join(found)} % against three `{name}`" for name, found in shares.items()]
        lines.append(
            f"MaskablePPO collects rollouts of {games} games at {' and '.join(texts)} of its speed on an "
            "environment that does nothing."
        )
    return "\n".join(_wrapped(line, "* ") for line in lines)


def _wrapped(text: str, first: str = "") -> str:
    return textwrap.fill(first + text, 128, subsequent_indent=" " * len(first), break_long_words=False, break_on_hyphens=False)


def _observation(row: dict[str, Any]) -> str:
    options = row["options"]
    return f"`{options['observation']}` {options['observation_dtype']}" + (" dict" if "observation_form" in options else "")


def _footer(found: dict[str, Any]) -> str:
    about = found["machine"]
    rounds = sorted({len(rows[0]["rounds"]) for name, rows in found["parts"].items() if name != "memory"})
    if "rounds" in found:
        rounds = sorted({*rounds, len(found["rounds"])})
    words = " or ".join(map(str, rounds))
    return _wrapped(
        f"`{found['rules']}`, {found['num_players']} players, nine deals equally often, calls on, resets included"
        + (f"; medians of {words} rounds" if rounds else "")
        + f"; {about['cpu']}, {about['cores']} cores, Python {about['python']}, code from the cache."
    )
