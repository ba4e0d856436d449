"""Actions as people type them, turned into the one form in which they are written (`ACTIONS.md`, section 7)."""

from __future__ import annotations

import re
from functools import lru_cache

_RANK = "(?:10|[A2-9TJQK])"
_CARD = re.compile(rf"{_RANK}[SHDC]|JK|JK\({_RANK}[SHDC]\)|{_RANK}", re.IGNORECASE)
_PLACE = re.compile(r"P\d+(?:/\d+)?", re.IGNORECASE)
_WORD = re.compile(
    "draw|stock|take|upcard|call|pass|allow|refuse|lay|down|end|turn|meld|opening|discard|place|three|four|set|run|of|from|"
    "spades|hearts|diamonds|clubs|off|onto|low|high|move|joker|in|to|with|swap",
    re.IGNORECASE,
)
#: Marks within a move, and how they are written.
_MARKS = {"+": " + ", "(": "(", ")": ") ", "/": "/"}
#: Moves that may name an end of a meld: what comes before it, and after it.
_ENDED = re.compile(r"(lay off(?: \S+)? onto P\d+/\d+|move joker in P\d+/\d+ to)(?: low| high)?( with \S+)?")


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """An action or move as it is written, from a text with other blanks, capital or small letters, and `10` for the rank T.

    A text that is no action stays one that is none. What is written already is left as it is, so no two actions
    can be taken for each other.
    """
    if not text.isascii():  # letters such as the long s turn into ASCII ones, and nobody types them for cards
        return text
    for mark, written in _MARKS.items():
        text = re.sub(rf"\s*{re.escape(mark)}\s*", written, text)
    return " ".join(map(_word, text.split()))


def _word(word: str) -> str:
    if _CARD.fullmatch(word):
        return word.upper().replace("10", "T")
    if _PLACE.fullmatch(word):
        return word.upper()
    return word.lower() if _WORD.fullmatch(word) else word


def other_ends(text: str) -> list[str]:
    """Moves that differ from one, in its canonical form, only in the end of a meld that they name."""
    match = _ENDED.fullmatch(text)
    if match is None:
        return []
    before, after = match[1], match[2] or ""
    ends = (" low", " high") if before.startswith("move") else ("", " low", " high")
    return [other for end in ends if (other := f"{before}{end}{after}") != text]
