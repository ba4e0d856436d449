"""What a file of results of `kalooki bench` has to hold, so that it can be shown."""

from __future__ import annotations

from kalooki_env.fields import Fields
from kalooki_env.files import FileFault

#: Figures of a row, by part; `speed_up` stands in every second row of the part threads.
_RATES = ("decisions_per_second", "choices_per_second", "decisions_ratio", "choices_ratio")
_FIGURES = {"memory": ("bytes_per_game",), "sb3": ("steps_per_second", "of_empty")}
#: The option by which the rows of a part differ, where a text names it: whether it is a text.
_OPTIONS = {
    "bots": {"opponents": True},
    "observations": {"observation": True, "observation_dtype": True},
    "players": {"num_players": False},
    "deals": {"deal": False},
    "games": {"rules": True},
}
#: The loops that are measured in any case.
_LOOPS = ("aec_ratio", "batch_ratio", "aec_decisions_per_second", "batch_decisions_per_second", "reference_iterations_per_second")
#: No rate and no ratio is smaller: what is divided by must not be 0.
_LEAST = 1e-9
_MOST = 10**9


def check(found: object) -> None:
    """Refuse what cannot be shown.

    Raises:
        FileFault: the key that is missing, or whose value is not allowed.
    """
    told = Fields(found)
    told.text("rules")
    told.whole("num_players", 2, 8)
    machine = told.inside("machine")
    for key in ("cpu", "system", "python", "kalooki_env"):
        machine.text(key)
    machine.whole("cores", 1, _MOST)
    if "aec_ratio" in told:
        told.whole("lanes", 1, _MOST)
        for key in _LOOPS:
            told.number(key, _LEAST)
        for one in _some(told, "rounds"):
            for key in ("reference_per_second", "aec_ratio", "batch_ratio"):
                one.number(key, _LEAST)
    elif "parts" not in told:
        raise FileFault("is not allowed: no results in it")
    if "parts" in told:
        parts = told.inside("parts")
        for part in parts.names():
            _check_part(part, parts)
    if "skipped" in told:
        skipped = told.inside("skipped")
        for part in skipped.names():
            skipped.text(part)
    if "cache" in told:
        cache = told.inside("cache")
        if "folder" in cache and not cache.is_null("folder"):
            cache.text("folder")
        if "was_warm" in cache:
            cache.truth("was_warm")
        if "compile_cpu_seconds" in cache and not cache.is_null("compile_cpu_seconds"):
            cache.number("compile_cpu_seconds")


def _check_part(part: str, parts: Fields) -> None:
    rows = _some(parts, part)
    if part == "threads" and len(rows) % 2:
        raise FileFault("is not allowed: parts.threads has rows without a second one")
    for number, row in enumerate(rows):
        row.one_of("env", ("sb3",) if part == "sb3" else ("selfplay", "vec"))
        row.whole("num_envs", 1, _MOST)
        for key in _FIGURES.get(part, _RATES):
            row.number(key, _LEAST)
        if part == "memory" and not row.is_null("resident_bytes_per_game"):
            row.number("resident_bytes_per_game", -1e12)  # a process can shrink
        if part == "threads" and number % 2:
            row.number("speed_up", _LEAST)
        if part == "sb3":
            row.whole("n_steps", 1, _MOST)
            row.text("opponents")
        else:
            options = row.inside("options")
            options.truth("copy")
            for key, is_text in _OPTIONS.get(part, {}).items():
                if is_text:
                    options.text(key)
                else:
                    options.whole(key, 1, 9)
        if part != "memory":
            for one in _some(row, "rounds"):
                for key in ("reference", "steps" if part == "sb3" else "decisions"):
                    one.number(key, _LEAST)


def _some(told: Fields, key: str) -> list[Fields]:
    """A list of mappings that is not empty.

    Raises:
        FileFault: something else.
    """
    found = told.each(key)
    if not found:
        raise FileFault(f"is not allowed: {key} is empty")
    return found
