"""Plays some mutants, in a process that runs the patched copy of the package: `python child.py DECISIONS NUMBER[=RULES,…] …`.

Writes one line of JSON for each number.
"""

from __future__ import annotations

import json
import sys
import time

from kalooki_env.game import engine
from kalooki_env.rules import Rules
from kalooki_env.verify import KALUKI_PLAIN, KALUKI_POLICIES, PLAIN, POLICIES, verify

SEED = 3
#: Presets of the Jamaican game that differ in what is played.
JAMAICAN = ("jamaican", "jamaican_consensus", "jamaican_club", "no_call", "open_hand", "joker25")


def main(decisions: int, wanted: list[str]) -> None:
    """Play each mutant until it is caught, or that many decisions."""
    # The other policies would have to be compiled too.
    jamaican = {name: POLICIES[name] for name in PLAIN}
    kaluki = {name: KALUKI_POLICIES[name] for name in KALUKI_PLAIN}
    for word in wanted:
        number, names = int(word.partition("=")[0]), word.partition("=")[2]
        rules = [Rules.parse(text) for text in (names.split(",") if names else JAMAICAN)]
        engine.MUTANT = number  # type: ignore[attr-defined]
        engine._engine.cache_clear()
        begun = time.monotonic()
        found = {"number": number, "seed": SEED}
        try:
            policies = kaluki if rules[0].game == "kaluki" else jamaican
            report = verify(rules, range(2, 9), decisions, SEED, policies, stop_at_mismatch=True)
        except Exception as error:  # whatever a wrong engine may do
            found |= {"decisions": None, "caught": f"{type(error).__name__}: {error}"}
        else:
            what = report.mismatches[0].what.splitlines()[0] if report.mismatches else None
            deal_seed = report.mismatches[0].seed if report.mismatches else None
            found |= {"decisions": report.decisions, "deals": report.deals, "deal_seed": deal_seed, "caught": what}
        print(json.dumps({**found, "seconds": round(time.monotonic() - begun, 2)}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
