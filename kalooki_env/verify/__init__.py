"""The compiled engine against the independent referee, at every step, in play that gets to the rare rules.

`starts` says from where deals are played, `policies` who chooses, `probes` what illegal texts are asked about, `events` which
rule a step has brought into play, and `kinds` what can be met under which rules, so that what was never met is noticed. The
modules whose names begin with `kaluki_` do so for the second game.
"""

from kalooki_env.verify.kaluki_kinds import KALUKI_ENOUGH
from kalooki_env.verify.kaluki_policies import KALUKI_PLAIN, KALUKI_POLICIES
from kalooki_env.verify.kaluki_starts import KALUKI_STARTS
from kalooki_env.verify.kinds import ENOUGH, Missed, by_rule_number, enough, kinds_of, never_met_under, not_met, strangers
from kalooki_env.verify.play import difference, new_stock, play_deal, verify
from kalooki_env.verify.policies import PLAIN, POLICIES, Policy, eager_policy, greedy_policy, mixed_policy, random_policy
from kalooki_env.verify.report import Mismatch, Report
from kalooki_env.verify.starts import STARTS, Start, shuffled_deck
from kalooki_env.verify.tables import all_tables

__all__ = [
    "ENOUGH",
    "KALUKI_ENOUGH",
    "KALUKI_PLAIN",
    "KALUKI_POLICIES",
    "KALUKI_STARTS",
    "PLAIN",
    "POLICIES",
    "STARTS",
    "Mismatch",
    "Missed",
    "Policy",
    "Report",
    "Start",
    "all_tables",
    "by_rule_number",
    "difference",
    "eager_policy",
    "enough",
    "greedy_policy",
    "kinds_of",
    "mixed_policy",
    "never_met_under",
    "new_stock",
    "not_met",
    "play_deal",
    "random_policy",
    "shuffled_deck",
    "strangers",
    "verify",
]
