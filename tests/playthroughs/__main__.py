"""`python -m tests.playthroughs`: records all deals anew. To be done only when a change of the rules is meant."""

from __future__ import annotations

from .recording import RULES, write

if __name__ == "__main__":
    for preset in RULES:
        path = write(preset)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
