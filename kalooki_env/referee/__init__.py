"""A second, slow implementation of the game that serves as referee.

It is written from the rule book and from ACTIONS.md alone, in plain Python and without a thought for speed, and shares no code
with the engine but `Rules` and the error types. Whatever the engine does can be checked against it step by step.
"""

from kalooki_env.referee.referee import Referee

__all__ = ["Referee"]
