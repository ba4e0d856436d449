"""Writes the tables of `OBSERVATIONS.md` from the schema: `python -m kalooki_env.observe.docs`."""

from __future__ import annotations

from pathlib import Path

from kalooki_env.observe.schema import DEFAULT_PIECES, VERSION, Observation, table

PATH = Path(__file__).resolve().parent.parent / "OBSERVATIONS.md"

_TEXT = f"""# Observations

Schema `{VERSION}`. This page is made from `kalooki_env/observe/schema.py`.

An observation is a choice of named pieces, in the order of the table, one after the other in a flat vector, or under their
names in a dict. The numbers are counts and flags. As `uint8` they are given as they are, clipped at the bound of their index; as
`float32` they are divided by that bound and lie in [0, 1]. `M` is `max_seats`. Seats count clockwise from the observer, whose
seat is the first; meld slots follow the seats, four a seat. Seats that the table does not have are zeros. Cards are in card
order, spades A to K, hearts, diamonds, clubs, joker (`ACTIONS.md`, section 1).

Everything in an observation is public or the observer's own hand. What is remembered of past events is said in `ACTIONS.md`,
section 5.

* `"{VERSION}"`: the default, {{default}} numbers for four seats.
* `"{VERSION}+solver"`: with the piece `solver`, {{with_solver}} numbers for four seats. It costs more time than all the rest, and
  teaches much.
* `"{VERSION}+match"`, `"{VERSION}+match+solver"`: with the piece `match` too, for whole matches.
* A list of names chooses pieces freely: `kalooki_env.env(observation=["hand", "upcard", "solver"])`.

## The Jamaican game

Sizes and first indices for `max_seats = 4`:

{{jamaican}}
## Kaluki

Meld slots are in the order in which melds were begun, whoever laid them; the default has {{kaluki_default}}
numbers for four seats. Sizes and first indices for `max_seats = 4`:

{{kaluki}}"""


def text() -> str:
    """The page as the schema has it now."""
    default = Observation.of(DEFAULT_PIECES, 4).size
    with_solver = Observation.of(f"{VERSION}+solver", 4).size
    return _TEXT.format(
        default=default,
        with_solver=with_solver,
        jamaican=table(4),
        kaluki=table(4, kaluki=True),
        kaluki_default=Observation.of(DEFAULT_PIECES, 4, kaluki=True).size,
    )


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
