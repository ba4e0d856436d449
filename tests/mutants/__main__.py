"""`python -m tests.mutants`: the table of all mutants, with the decisions that it took to catch each."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .patches import MUTANTS
from .runner import DECISIONS, played


def main() -> int:
    """Print the table; exit code 1 if one was not caught."""
    missed = 0
    print(f"{'no.':>4} {'decisions':>9} {'deals':>6} {'deal seed':>9}  {'rule':<6} mutant")
    with tempfile.TemporaryDirectory() as folder:
        for found in played(Path(folder), range(1, len(MUTANTS) + 1)):
            mutant = MUTANTS[found["number"] - 1]
            missed += found["caught"] is None
            count = f"{found['decisions'] or '-':>9} {found.get('deals', '-'):>6} {found.get('deal_seed') or '-':>9}"
            fate = f" [{found['caught'][:80]}]" if found["caught"] else f"   NOT CAUGHT in {DECISIONS:,} decisions"
            print(f"{found['number']:>4} {count}  {mutant.rule:<6} {mutant.what}{fate}", flush=True)
    print(f"{len(MUTANTS) - missed} of {len(MUTANTS)} mutants caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
