"""Every mutant of the rules is caught by the comparison with the referee, and the engine as it is is not.

`python -m tests.mutants` prints the table: what each of them does, and how many decisions it took.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from mutants.patches import MUTANTS
from mutants.runner import PatchError, apply_edit, played


@pytest.mark.slow
def test_all_mutants_are_caught(tmp_path: Path) -> None:
    results = list(played(tmp_path, range(len(MUTANTS) + 1)))
    assert len(MUTANTS) >= 60
    as_it_is = [one["caught"] for one in results if not one["number"]]
    assert as_it_is == [None, None], "with no mutant switched on the patched copy is the engine as it is, at both games"
    found = {one["number"]: one for one in results}
    missed = [f"{mutant.rule} {mutant.what}" for number, mutant in enumerate(MUTANTS, 1) if not found[number]["caught"]]
    assert not missed


def test_an_edit_that_no_longer_fits_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "step.py").write_text("a = 1\na = 1\n")
    for old in ("a = 1", "b"):
        with pytest.raises(PatchError, match=r"times in step\.py"):
            apply_edit(tmp_path, ("step.py", old, "c"), "a mutant")
