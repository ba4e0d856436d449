"""Whether the melds of STATE records can be: part of checking positions from elsewhere (`sound`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import MeldKind, Phase
from kalooki_env.game.sound_records import Records

#: Places of a four or run: both ends may be the ace.
_PLACES = 14
_PARTS = ("kind", "key", "low", "len", "bits", "owner")


class _Melds(NamedTuple):
    """All melds of some records, one after the other: int64 (M,), and what they are.

    Attributes:
        rows, slots: where each lies.
        kind, key, low, length, bits, owner: as in a slot; `owner` in both games.
        begun: it is being filled.
        naturals, jokers: cards of it.
        is_three: three or set; else four or run.
    """

    rows: NDArray[np.int64]
    slots: NDArray[np.int64]
    kind: NDArray[np.int64]
    key: NDArray[np.int64]
    low: NDArray[np.int64]
    length: NDArray[np.int64]
    bits: NDArray[np.int64]
    owner: NDArray[np.int64]
    begun: NDArray[np.bool_]
    naturals: NDArray[np.int64]
    jokers: NDArray[np.int64]
    is_three: NDArray[np.bool_]


def check_melds(records: Records) -> NDArray[np.int64]:
    """Refuse records with melds that cannot be. Ranges have been checked.

    Returns:
        Cards on the table, int64 (N, 53).

    Raises:
        ConfigError: such a record.
    """
    used, begun = _slots_in_use(records)
    for part in _PARTS:
        field = f"meld_{part}"
        records.require(field, used | (records.whole(field) == 0), "0 where no meld lies")
    melds = _melds_of(records, used, begun)
    _check_now(records, melds)
    _check_shapes(records, melds)
    (_check_kaluki if records.is_kaluki else _check_contracts)(records, melds)
    _check_target(records, used & ~begun)
    return _cards_of(melds, len(used))


def _slots_in_use(records: Records) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Slots with a meld, and those whose meld is being filled: bool (N, MELDS)."""
    phase, actor, laid = (records.whole(field) for field in ("phase", "actor", "melds_laid"))
    filling = phase == Phase.FILL
    slots = np.arange(core.MELDS)
    if records.is_kaluki:
        records.require("melds_laid", ~filling | (laid < core.MELDS), f"{core.MELDS - 1} or fewer while a meld is filled")
        begun = filling[:, None] & (slots == laid[:, None])
        return (slots < laid[:, None]) | begun, begun
    meld_n = records.whole("meld_n")
    count = records.of_seat("meld_n", actor)
    records.require("meld_n", ~filling | (count < core.MELDS_PER_SEAT), "3 or fewer while a meld is filled", count)
    begun = filling[:, None] & (slots == (core.MELDS_PER_SEAT * actor + count)[:, None])
    lies = np.arange(core.MELDS_PER_SEAT) < meld_n[:, :, None]
    used = np.zeros((len(phase), core.MELDS), np.bool_)
    used[:, : core.MELDS_PER_SEAT * core.SEATS] = lies.reshape(len(phase), -1)
    return used | begun, begun


def _melds_of(records: Records, used: NDArray[np.bool_], begun: NDArray[np.bool_]) -> _Melds:
    rows, slots = np.nonzero(used)
    kind, key, low, length, bits, owner = (records.whole(f"meld_{part}")[rows, slots] for part in _PARTS)
    owner = owner if records.is_kaluki else slots // core.MELDS_PER_SEAT
    is_three = kind == MeldKind.THREE
    naturals = sum((bits >> 4 * suit & 15 for suit in range(4)), np.zeros_like(bits))
    jokers = np.where(is_three, length - naturals, sum((bits >> place & 1 for place in range(16)), np.zeros_like(bits)))
    naturals = np.where(is_three, naturals, length - jokers)
    return _Melds(rows, slots, kind, key, low, length, bits, owner, begun[rows, slots], naturals, jokers, is_three)


def _check_now(records: Records, melds: _Melds) -> None:
    """The meld that is being filled is noted twice."""
    filling = records.whole("phase") == Phase.FILL
    for part in ("kind", "key", "low"):
        field = f"meld_{part}_now"
        records.require(field, filling | (records.whole(field) == 0), "0 but while a meld is filled")
        noted = records.whole(field)[melds.rows]
        _require(records, melds, field=f"meld_{part}", fine=~melds.begun | (getattr(melds, part) == noted), allowed=f"as {field}")


def _require(records: Records, melds: _Melds, field: str, fine: NDArray[np.bool_], allowed: str) -> None:
    """As `Records.require`, for the melds one after the other."""
    if not fine.all():
        at = int(np.argmin(fine))
        records.refuse(field, (int(melds.rows[at]), int(melds.slots[at])), allowed)


def _check_shapes(records: Records, melds: _Melds) -> None:
    """Each meld by itself (J3, KL3)."""
    three, four = melds.is_three, ~melds.is_three
    kaluki = records.is_kaluki

    def require(part: str, fine: NDArray[np.bool_], allowed: str) -> None:
        _require(records, melds, f"meld_{part}", fine, allowed)

    def rule(key: str) -> NDArray[np.int64]:
        return records.rule(key)[melds.rows]

    require("kind", melds.kind > 0, "1 or 2")
    require("key", three | (melds.key < 4), "0 to 3, a suit")
    require("low", four | (melds.low == 0), "0 for a three or set")
    least = np.where(three, 3, 3 if kaluki else 4)
    require("len", melds.begun | (melds.length >= least), "as many cards as a meld has, or more")
    # What has no room for more has ended.
    full = least if not kaluki else np.where(three, 4, _PLACES - melds.low)
    require("len", ~melds.begun | (melds.length < full), "fewer cards while it is filled")
    require("len", three | (melds.low + melds.length <= _PLACES), "cards up to the ace")
    places = (1 << np.minimum(melds.low + melds.length, 16)) - (1 << melds.low)
    require("bits", three | (melds.bits & ~places == 0), "jokers among its cards")
    require("bits", four | (melds.jokers >= 0), "as many natural cards as it has cards, or fewer")
    done = ~melds.begun
    copies = np.where(three, np.max([melds.bits >> 4 * suit & 15 for suit in range(4)], axis=0, initial=0), 0)
    if kaluki:
        require("len", four | (melds.length <= 4), "4 cards of a set, or fewer (KL3.1)")
        require("bits", copies <= 1, "each suit once (KL3.1)")
        require("bits", melds.begun | (melds.naturals > 0), "a natural card (KL3.3)")
        require("low", three | (melds.low > 0) | (rule("ace_low") == 1), "1 or more: an ace is high only (KL3.2)")
        return
    require("bits", copies <= rule("packs"), "as many copies of a card as there are packs")
    wanted = np.maximum(rule("set_min_naturals"), melds.jokers - 1)
    require("bits", ~(three & done) | (melds.naturals >= wanted), "more natural cards (J3.4, J3.5)")
    require("bits", three | (melds.bits & melds.bits >> 1 == 0), "no neighbouring jokers (J3.4)")


def _check_contracts(records: Records, melds: _Melds) -> None:
    """What seats of the Jamaican game have laid (J4, J7)."""
    n = len(records.records)
    phase, actor, deal = (records.whole(field) for field in ("phase", "actor", "deal"))
    opened, meld_n = records.whole("opened") == 1, records.whole("meld_n")
    seats = np.arange(core.SEATS)
    laying = np.isin(phase, (Phase.MELD, Phase.FILL))[:, None] & (seats == actor[:, None])
    wanted = {
        MeldKind.THREE: records.rule("threes")[np.arange(n), deal - 1],
        MeldKind.FOUR: records.rule("fours")[np.arange(n), deal - 1],
    }
    size = wanted[MeldKind.THREE] + wanted[MeldKind.FOUR]
    records.require("meld_n", ~opened | (meld_n == size[:, None]), "the melds of the contract for a seat that has opened (J7.2)")
    records.require("meld_n", opened | laying | (meld_n == 0), "0 before the opening")
    going_on = laying & (meld_n < size[:, None])
    records.require("meld_n", ~laying | going_on, "fewer than the contract has, in a lay-down")
    for kind, most in wanted.items():
        of_kind = melds.kind == kind
        named = np.bincount(core.SEATS * melds.rows[of_kind] + melds.owner[of_kind], minlength=core.SEATS * n)
        named = named.reshape(n, core.SEATS)
        fine = np.where(opened, named == most[:, None], named <= most[:, None])
        rows, at = np.nonzero(~fine)
        if len(rows):
            mine = (melds.rows == rows[0]) & (melds.owner == at[0])
            slot = int(melds.slots[mine][0]) if mine.any() else core.MELDS_PER_SEAT * int(at[0])
            name = "threes" if kind == MeldKind.THREE else "fours"
            records.refuse("meld_kind", (int(rows[0]), slot), f"{most[rows[0]]} {name}, as the contract has (J7.2)")
    for kind, rule in ((MeldKind.THREE, "distinct_ranks"), (MeldKind.FOUR, "distinct_suits")):
        code = (core.SEATS * melds.rows + melds.owner) * core.CARDS + melds.key
        bound = (melds.kind == kind) & (records.rule(rule)[melds.rows] == 1)
        _, first = np.unique(code[bound], return_index=True)
        twice = np.ones(len(code), np.bool_)
        twice[~bound] = False
        twice[np.flatnonzero(bound)[first]] = False
        _require(records, melds, "meld_key", ~twice, "each rank of a three, and each suit of a four, once (J7.4)")


def _check_kaluki(records: Records, melds: _Melds) -> None:
    """Who has laid what in Kaluki (KL4)."""
    n = len(records.records)
    phase, actor = records.whole("phase"), records.whole("actor")
    opened = records.whole("opened") == 1
    done = ~melds.begun
    counts = np.bincount(core.SEATS * melds.rows[done] + melds.owner[done], minlength=core.SEATS * n).reshape(n, core.SEATS)
    records.equals("meld_n", counts, "the melds that the seat has laid")
    laying = np.isin(phase, (Phase.MELD, Phase.FILL))[:, None] & (np.arange(core.SEATS) == actor[:, None])
    records.require("opened", ~opened | (counts > 0), "0 for a seat without melds (KL4.2)")
    records.require("meld_n", opened | laying | (counts == 0), "0 before the opening")
    fine = done | (melds.owner == actor[melds.rows])
    _require(records, melds, "meld_owner", fine, "the seat to move, which fills the meld")


def _check_target(records: Records, lies: NDArray[np.bool_]) -> None:
    """The meld of a lay-off or joker move. `lies`: slots with a meld that is complete, bool (N, MELDS)."""
    rows = np.arange(len(lies))
    phase, target, high = (records.whole(field) for field in ("phase", "target", "target_high"))
    aims = np.isin(phase, (Phase.LAYOFF, Phase.MOVE))
    records.require("target", aims | (target == 0), "0 but in a lay-off or joker move")
    records.require("target_high", aims | (high == 0), "0 but in a lay-off or joker move")
    # Complete melds belong to seats that have opened: whoever is laying down does neither.
    records.require("target", ~aims | lies[rows, target], "a slot with a meld")
    is_three = records.whole("meld_kind")[rows, target] == MeldKind.THREE
    moves = phase == Phase.MOVE
    has_ends = ~is_three & ~(moves & records.is_kaluki)
    records.require("target_high", ~aims | has_ends | (high == 0), "0 for a meld without ends")
    if not records.is_kaluki:
        own = target // core.MELDS_PER_SEAT == records.whole("actor")
        fine = ~is_three & (own | (records.rule("anyone_moves_jokers") == 1))
        records.require("target", ~moves | fine, "a four whose jokers the seat may move (J9.1)")
        records.require("opened_now", ~moves | (records.whole("opened_now") == 0), "0 at a joker move (J9.1)")


def _cards_of(melds: _Melds, n: int) -> NDArray[np.int64]:
    """Cards in all melds: int64 (n, 53)."""
    counts = np.zeros((n, core.CARDS), np.int64)
    three, four = melds.is_three, ~melds.is_three
    rows, key, bits = melds.rows[three], melds.key[three], melds.bits[three]
    for suit in range(4):
        np.add.at(counts, (rows, 13 * suit + key), bits >> 4 * suit & 15)
    np.add.at(counts, (rows, np.full_like(rows, core.JOKER)), melds.jokers[three])
    rows, key, bits = melds.rows[four], melds.key[four], melds.bits[four]
    low, length = melds.low[four], melds.length[four]
    for place in range(_PLACES):
        lies = (low <= place) & (place < low + length)
        cards = np.where(bits >> place & 1, core.JOKER, 13 * key + place % 13)
        np.add.at(counts, (rows[lies], cards[lies]), 1)
    return counts
