"""What a search is made of, compiled: hidden cards that might be, deals played out by a bot, and the sums over both."""

from __future__ import annotations

import numpy as np

from kalooki_env.agents.expert import SCRATCH, expert_action
from kalooki_env.agents.greedy import greedy_action
from kalooki_env.core.actions import MAX_ACTIONS
from kalooki_env.core.batch import write_mask
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CARDS, FILL, JOKER, LAYOFF, MAX_DECK, MOVE, OVER, PLAY, STATE, VIEW
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.rng import below, shuffle, spawn
from kalooki_env.core.solver import can_meet, contract_distance, distances_after_discard, lowering_cards
from kalooki_env.core.step import apply
from kalooki_env.core.view import guess_hidden, make_view

#: Who plays a deal out.
GREEDY, EXPERT = 0, 1
#: What is known of the hidden cards: nothing; that the other seats play on since the deal; all hands; all hands and the stock.
UNIFORM, PACED, HANDS, ALL = 0, 1, 2, 3
#: Turns of a seat, and contract distances, that paces tell apart.
ROUNDS, DISTANCES = 24, 17

#: Most cards of a hand that are changed.
_SWAPS = 8

#: Scratch memory of a search: the imagined position, the one that is played out, and a record with the generator; the view of
#: the seat to move; what bots and the core need.
WORK = np.dtype(
    [
        ("worlds", STATE, (3,)),
        ("view", VIEW, (1,)),
        ("legal", "i2", (MAX_ACTIONS,)),
        ("scratch", "u1", (SCRATCH, CARDS)),
        ("pool", "u1", (MAX_DECK,)),
    ],
    align=True,
)


@kernel
def bot_action(bot, v, mask, r, feas, dist, scratch):
    """The choice of a bot by its number."""
    if bot == GREEDY:
        return i64(greedy_action(v, mask, r, feas, dist, scratch))
    return i64(expert_action(v, mask, r, feas, dist, scratch))


@kernel
def play_out(s, r, feas, dist, bot, legal, mask, views, scratch):
    """Play a deal to its end, a bot at all seats. `legal`, `mask`, `views`, `scratch`: scratch."""
    while s["phase"] != OVER:
        n = legal_actions(s, r, feas, legal)
        action = i64(legal[0])
        if n > 1:
            make_view(s, r, i64(s["actor"]), views[0])
            write_mask(legal, n, mask)
            action = bot_action(bot, views[0], mask, r, feas, dist, scratch)
        apply(s, r, feas, action, legal)


@kernel
def note_paces(states, rules, feas, dist, bot, mask, work, counts):
    """Play deals out and count the distances of the seats that have not opened, by round.

    Args:
        work: WORK (1,), scratch.
        counts: int64 (ROUNDS, DISTANCES), added to; a round is a turn of each seat.
    """
    r = rules[0]
    n = i64(r["num_players"])
    w = work[0]
    views, scratch, legal = w["view"][:], w["scratch"][:], w["legal"][:]
    for lane in range(states.shape[0]):
        s = states[lane]
        deal = i64(s["deal"]) - 1
        threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
        noted = i64(-1)
        while s["phase"] != OVER:
            turns = i64(s["turns"])
            if turns != noted:
                noted = turns
                # Once a turn, of the seat that has just ended its own: all seats in their rounds, at a quarter of the price.
                seat = (i64(s["turn"]) + n - 1) % n
                if i64(s["opened"][seat]) == 0:
                    distance = contract_distance(s["hands"][seat], r, feas, dist, threes, fours)
                    counts[min(turns // n, ROUNDS - 1), distance] += 1
            k = legal_actions(s, r, feas, legal)
            action = i64(legal[0])
            if k > 1:
                make_view(s, r, i64(s["actor"]), views[0])
                write_mask(legal, k, mask)
                action = bot_action(bot, views[0], mask, r, feas, dist, scratch)
            apply(s, r, feas, action, legal)


@kernel
def quicken(s, r, feas, dist, seat, target, source, scratch):
    """Change cards of a hand for cards of the stock, at random, until its contract distance is as small as it should be.

    A hand dealt at random is farther from its contract than one that has been played for some turns.

    Args:
        s: STATE record, changed in place.
        seat: whose hand; cards that it is known to hold stay.
        target: the distance.
        source: record with the generator to use.
        scratch: uint8 (SCRATCH, 53).
    """
    deal = i64(s["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = s["hands"][seat]
    stock = s["stock"]
    size = i64(s["stock_n"])
    among, lowering = scratch[0], scratch[1]
    after = np.empty(CARDS, np.int8)
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    for _ in range(_SWAPS):
        if distance <= target or size == 0:
            return
        among[:] = 0
        for i in range(size):
            among[stock[i]] = 1
        lowering_cards(hand, r, feas, dist, threes, fours, distance, among, lowering)
        found = i64(-1)
        start = below(source, size)
        for i in range(size):
            place = start + i if start + i < size else start + i - size
            if lowering[stock[place]]:
                found = i64(place)
                break
        if found < 0:
            return
        card = i64(stock[found])
        hand[card] += 1
        distances_after_discard(hand, r, feas, dist, threes, fours, after)
        out = i64(-1)
        start = below(source, JOKER)
        for i in range(JOKER):
            other = start + i if start + i < JOKER else start + i - JOKER
            if after[other] == distance - 1 and i64(hand[other]) > i64(s["known"][CARDS * seat + other]):
                out = i64(other)
                break
        if out < 0:
            hand[card] -= 1
            return
        hand[out] -= 1
        stock[found] = out
        distance -= 1


@kernel
def imagine(positions, views, i, r, feas, dist, knows, paces, worlds, pool, scratch):
    """Write to `worlds[0]` a position that the seat to move cannot tell from the real one by what it knows.

    Args:
        positions: STATE (n,), the real positions; read only if `knows` says so.
        views: VIEW (n,), of the seats to move.
        i: which of them.
        r: RULES record.
        feas, dist: the solver's tables.
        knows: UNIFORM, PACED, HANDS or ALL.
        paces: int64 (ROUNDS, k): distances of a seat that has not opened, equally likely, by round.
        worlds: STATE (3,); the last has the generator to use.
        pool: uint8 scratch for a whole deck.
        scratch: uint8 (SCRATCH, 53).
    """
    s, source = worlds[0], worlds[2]
    if knows >= HANDS:
        worlds[0] = positions[i]
        if knows == HANDS:
            shuffle(source, s["stock"], i64(s["stock_n"]))
        s["rng"] = spawn(source)
        return
    v = views[i]
    guess_hidden(v, r, source, pool, s)
    seat = i64(v["observer"])
    n = i64(r["num_players"])
    if knows == PACED:
        pace = min(i64(s["turns"]) // n, ROUNDS - 1)
        for other in range(n):
            if other != seat and i64(s["opened"][other]) == 0:
                target = i64(paces[pace, below(source, paces.shape[1])])
                quicken(s, r, feas, dist, other, target, source, scratch)
    if s["phase"] == PLAY:
        deal = i64(s["deal"]) - 1
        s["can_lay"] = i64(s["opened"][seat]) == 0 and can_meet(
            s["hands"][seat], r, feas, i64(r["threes"][deal]), i64(r["fours"][deal]), i64(0), i64(0)
        )


@kernel
def list_candidates(views, masks, i, rules, feas, dist, work, actions):
    """List the actions of a decision that are worth playing out; the first is the expert's.

    Laying down and laying off as soon as possible is nearly always right, and playing that out would cost most of the time.
    Before opening, only discards that keep the contract distance smallest are listed.

    Args:
        views: VIEW (n,).
        masks: int8 (n, num_actions).
        i: which of them.
        work: WORK (1,), scratch.
        actions: int64 (MAX_ACTIONS,), written.

    Returns:
        How many.
    """
    r = rules[0]
    v = views[i]
    mask = masks[i]
    scratch = work[0]["scratch"][:]
    actions[0] = i64(expert_action(v, mask, r, feas, dist, scratch))
    phase = i64(v["phase"])
    if phase == FILL or phase == LAYOFF or phase == MOVE or (phase == PLAY and actions[0] > JOKER):
        return 1
    narrow = phase == PLAY and i64(v["opened"][i64(v["observer"])]) == 0
    n = 1
    for action in range(mask.shape[0]):
        # After `expert_action` the first row of its scratch space tells which discards keep the distance smallest.
        if mask[action] and action != actions[0] and (not narrow or (action < JOKER and scratch[0, action])):
            actions[n] = action
            n += 1
    return n


@kernel
def judge(positions, views, i, rules, feas, dist, knows, bot, paces, actions, alive, sums, count, mask, work):
    """Play the candidates of one decision out in so many imagined positions, the same for all of them.

    Args:
        positions, views, i, feas, dist, knows, paces: as for `imagine`.
        rules: RULES (1,).
        bot: GREEDY or EXPERT: who plays on at all seats.
        actions: int64 (n,), the candidates; the first is the one to compare with.
        alive: uint8 (n,), 1 for those to be played out, the first among them.
        sums: float64 (n, 2), added to: points by which the seat does better than with the first, and their squares.
        count: positions to imagine.
        mask: int8 (num_actions,), scratch.
        work: WORK (1,), scratch, and the generator.
    """
    r = rules[0]
    w = work[0]
    # Slices are of the common array type: with the fields themselves everything would be compiled a second time.
    worlds, seen, scratch, pool, legal = w["worlds"][:], w["view"][:], w["scratch"][:], w["pool"][:], w["legal"][:]
    seat = i64(views[i]["observer"])
    for _ in range(count):
        imagine(positions, views, i, r, feas, dist, knows, paces, worlds, pool, scratch)
        first = 0.0
        for k in range(actions.shape[0]):
            if alive[k]:
                worlds[1] = worlds[0]
                apply(worlds[1], r, feas, actions[k], legal)
                play_out(worlds[1], r, feas, dist, bot, legal, mask, seen, scratch)
                score = float(worlds[1]["scores"][seat])
                if k == 0:
                    first = score
                gain = first - score
                sums[k, 0] += gain
                sums[k, 1] += gain * gain
