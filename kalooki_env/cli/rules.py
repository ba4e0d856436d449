"""`kalooki rules`: the rule book and the presets."""

from __future__ import annotations

import argparse
import sys
from importlib import resources
from typing import Any

from kalooki_env.cli.common import Verbs, add_json, add_verb, write_json
from kalooki_env.rules import RULE_KEYS, Rules, presets, word


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "rules",
        "prints the rule book, or the keys of a preset",
        run,
        examples="kalooki rules\nkalooki rules --list\nkalooki rules jamaican_club\nkalooki rules jamaican pip_joker=25 --json",
    )
    parser.add_argument(
        "preset", nargs="*", metavar="PRESET", help="a preset, and keys that differ from it; none: print the rule book"
    )
    parser.add_argument("--list", action="store_true", help="list the presets")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Carry out the verb."""
    if args.preset:
        rules = Rules.parse(" ".join(args.preset))
        if args.json:
            write_json(as_dict(rules))
        else:
            sys.stdout.write(preset_text(rules))
    elif args.json:
        write_json({name: as_dict(Rules.preset(name)) for name in presets()})
    elif args.list:
        width = max(map(len, presets()))
        sys.stdout.write("".join(f"{name.ljust(width)}  {about}\n" for name, about in presets().items()))
    else:
        sys.stdout.write(resources.files("kalooki_env").joinpath("RULES.md").read_text(encoding="utf-8"))
    return 0


def as_dict(rules: Rules) -> dict[str, Any]:
    """Rules as plain values: their text, what the preset is, and all keys."""
    return {"rules": str(rules), "about": presets()[rules.base], "keys": rules.as_dict()}


def preset_text(rules: Rules) -> str:
    """All keys of some rules; those that differ from the default preset are marked with its value."""
    usual = Rules().as_dict()
    lines = [f"{rules}: {presets()[rules.base]}", ""]
    for key, value in rules.as_dict().items():
        line = f"  {key.ljust(max(map(len, RULE_KEYS)))}  {word(value)}"
        lines.append(line if value == usual[key] else f"{line.ljust(52)}  (jamaican: {word(usual[key])})")
    return "\n".join(lines) + "\n"
