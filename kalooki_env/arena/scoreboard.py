"""Results of a suite as files, as text, and as rows of a table in Markdown."""

from __future__ import annotations

import gzip
import json
import os
import re
import warnings
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

from kalooki_env.arena.report import columns, estimate_text
from kalooki_env.arena.suite import Part, Results, Spec
from kalooki_env.errors import ConfigError
from kalooki_env.fields import Fields
from kalooki_env.files import FileFault, decoded, json_of, read_at_most
from kalooki_env.values import shown

#: Fields of `Part` that are lists by deal; those of the deals' numbers follow from the specification.
_LISTS = ("points", "baseline_points", "went_out", "opened")
#: Bytes that results may have when they are unpacked: seventy times as many as all that there are.
_MOST_BYTES = 1 << 26
#: Points, beyond all that seats can have in a deal.
_MOST_POINTS = 1_000_000
#: What stands in a cell where an agent would be compared with itself.
ITSELF = "itself"


# ---- files -----------------------------------------------------------------------------------------------------------


def path_of(folder: str | Path, name: str) -> Path:
    """File for the results of an agent."""
    return Path(folder) / (re.sub(r"[^\w.-]+", "-", name).strip("-.") + ".json.gz")


def save(results: Results, path: Path) -> None:
    """Write results, those of single deals included; the same results give the same bytes.

    Raises:
        ConfigError: the file cannot be written.
    """
    data = results.as_dict()
    for part in data["parts"]:
        played = results.parts[part["preset"], part["opponent"]]
        part["by_single_deal"] = {name: getattr(played, name) for name in _LISTS}
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)
    half = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(packed)
        os.replace(half, path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error


def load(path: Path, spec: Spec) -> Results:
    """Read results.

    Raises:
        ConfigError: not a file of results, or one of another suite.
    """
    try:
        with gzip.open(path) as file:
            data = Fields(json_of(decoded(read_at_most(file, _MOST_BYTES))))
        known = data.text("spec_digest")
        if known != spec.digest:
            raise ConfigError(f"{path} is of another suite ({shown(known)[1:-1]}) than suite-{spec.version} ({spec.digest})")
        per_number = data.whole("deals_per_number", 1, spec.deals_per_number)
        digest = None if data.is_null("digest") else data.text("digest")
        results = Results(spec, data.text("agent"), data.text("name"), digest, per_number)
        for part in data.each("parts"):
            played = _part(part, results)
            results.parts[played.preset, played.opponent] = played
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigError(f"{path} is not a file of results: {error}") from error
    except FileFault as fault:
        raise ConfigError(f"{path} is not a file of results: it {fault}") from fault
    return results


def _part(told: Fields, results: Results) -> Part:
    """A part of results.

    Raises:
        FileFault: it is of something else, or lacks deals.
    """
    spec = results.spec
    numbers = [number for number in spec.deals for _ in range(results.deals_per_number)]
    single = told.inside("by_single_deal")
    return Part(
        told.one_of("preset", spec.presets),
        told.one_of("opponent", spec.opponents),
        numbers,
        **{name: single.wholes(name, len(numbers), _MOST_POINTS) for name in _LISTS},
        package=told.text("package"),
    )


def resumed(fresh: Results, path: Path) -> Results:
    """What a file holds of the results that are wanted, which are `fresh` if there is no such file.

    Raises:
        ConfigError: the file holds something else, which would be lost.
    """
    if not path.exists():
        return fresh
    found = load(path, fresh.spec)
    same_agent = found.digest == fresh.digest and (fresh.digest is not None or found.agent == fresh.agent)
    differences = [
        f"{what} {old!r}, not {new!r}"
        for what, old, new, same in (
            ("name", found.name, fresh.name, found.name == fresh.name),
            ("agent", (found.agent, found.digest), (fresh.agent, fresh.digest), same_agent),
            (
                "deals per number",
                found.deals_per_number,
                fresh.deals_per_number,
                found.deals_per_number == fresh.deals_per_number,
            ),
        )
        if not same
    ]
    if differences:
        raise ConfigError(
            f"{path} holds other results ({'; '.join(differences)}): --fresh replaces them, --name or --out keeps them"
        )
    return found


# ---- text ------------------------------------------------------------------------------------------------------------


def suite_text(results: Results) -> str:
    """Differences by deal number, and the row of the table."""
    spec = results.spec
    blocks = [
        f"suite-{spec.version} ({spec.digest}): {results.name}, {results.deals:,} deals a part, in all {spec.num_players} seats\n"
        "Points a deal by which the agent is better than one more copy of the opponent in the same seat with the same cards;\n"
        "± is the 99 % interval over deals."
    ]
    for preset in spec.presets:
        parts = [results.parts[preset, opponent] for opponent in spec.opponents]
        rows = [
            ["all" if number is None else str(number), *(_cell(results, part, number) for part in parts)]
            for number in [*spec.deals, None]
        ]
        blocks.append(f"{preset}\n{columns(['deal', *(f'three {name}' for name in spec.opponents)], rows)}")
    return "\n\n".join([*blocks, row_text(results)]) + "\n"


def row_text(results: Results) -> str:
    """One row of the table."""
    figures = [_cell(results, results.parts[part]) for part in results.spec.parts]
    return f"| {' | '.join([f'`{results.name}`', f'{results.deals:,}', *figures])} |"


def _cell(results: Results, part: Part, number: int | None = None) -> str:
    return ITSELF if part.opponent == results.agent else estimate_text(part.difference(number))


# ---- the table -------------------------------------------------------------------------------------------------------


def check_name(name: str) -> str:
    """A name that can stand in a table and in the name of a file.

    Raises:
        ConfigError: it cannot.
    """
    if not re.search(r"\w", name) or re.search(r"[`|\n]", name) or len(name) > 60:
        allowed = "up to 60 characters, at least one letter or digit, no backtick, bar or new line"
        raise ConfigError(f"name {name!r} is not allowed; allowed: {allowed}; --name gives another one")
    return name


def table_with(text: str, spec: Spec, row: str) -> str:
    """A page in Markdown with one more row in the table between the marks of a suite.

    A row of the same agent is replaced. Best first: the order is by the difference to the last opponent, averaged over presets.

    Raises:
        ConfigError: a page without the marks, or a row that cannot be read.
    """
    first, last = marks(spec)
    before, found, rest = text.partition(first)
    inside, end, after = rest.partition(last)
    if not (found and end):
        raise ConfigError(f"no table for the results: {first} and {last} are missing")
    rows = {_cells(line)[0]: line for line in inside.splitlines() if line.startswith("| `")}
    rows[_cells(row)[0]] = row
    ordered = sorted(rows.values(), key=lambda line: (-_strength(line, spec), line))
    return f"{before}{first}\n{_head(spec)}\n" + "".join(f"{line}\n" for line in ordered) + last + after


def marks(spec: Spec) -> tuple[str, str]:
    """Comments before and after the table of a suite."""
    return f"<!-- suite-{spec.version} -->", f"<!-- end of suite-{spec.version} -->"


def _head(spec: Spec) -> str:
    titles = ["Agent", "Deals", *(f"`{preset}`: `{opponent}`" for preset, opponent in spec.parts)]
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _strength(row: str, spec: Spec) -> float:
    cells = _cells(row)[2:]
    chosen = [cell for cell, (_, opponent) in zip(cells, spec.parts, strict=False) if opponent == spec.opponents[-1]]
    try:
        return sum(0.0 if cell == ITSELF else float(cell.split()[0]) for cell in chosen) / len(chosen)
    except (ValueError, IndexError, ZeroDivisionError) as error:
        raise ConfigError(f"a row of the table cannot be read: {row}") from error


# ---- a picture -------------------------------------------------------------------------------------------------------


def drawing(path: str) -> Any:
    """The module that draws.

    Raises:
        ConfigError: no matplotlib, or a file whose name is that of no picture.
    """
    try:
        figures = import_module("matplotlib.figure")
    except ImportError as error:
        raise ConfigError("--plot needs matplotlib: pip install 'kalooki_env[train]'") from error
    kinds = figures.Figure().canvas.get_supported_filetypes()
    ending = Path(path).suffix.lstrip(".").lower()
    if ending and ending not in kinds:
        raise ConfigError(f"{path} cannot be drawn: .{ending} is no kind of picture; allowed: {', '.join(sorted(kinds))}")
    return figures


def plot(results: Results, path: str) -> None:
    """Draw the differences by deal number as bars with intervals. Needs matplotlib.

    Raises:
        ConfigError: no matplotlib, or a file that it cannot write.
    """
    figures, spec = drawing(path), results.spec
    figure = figures.Figure(figsize=(11, 3.2 * len(spec.presets)), layout="constrained")
    for axes, preset in zip(figure.subplots(len(spec.presets), squeeze=False)[:, 0], spec.presets, strict=True):
        for number, opponent in enumerate(spec.opponents):
            found = [results.parts[preset, opponent].difference(deal) for deal in spec.deals]
            places = [deal + (number - (len(spec.opponents) - 1) / 2) * 0.27 for deal in spec.deals]
            axes.bar(places, [one.mean for one in found], 0.25, yerr=[one.half_width for one in found], label=f"three {opponent}")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(title=f"{results.name}, {preset}", xlabel="deal", ylabel="points better", xticks=list(spec.deals))
        axes.legend()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing")  # a letter of the name that the font lacks
            figure.savefig(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be drawn: {error}") from error
