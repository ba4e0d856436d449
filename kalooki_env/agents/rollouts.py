"""What a search is made of, compiled: hidden cards that might be, deals played out by a bot, and the sums over both."""

from __future__ import annotations

import numpy as np

from kalooki_env.agents.bots import SCRATCH, bot_action
from kalooki_env.agents.expert import outs_of_hand, total_of
from kalooki_env.core.actions import MAX_ACTIONS
from kalooki_env.core.batch import write_mask
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.deal import hand_points
from kalooki_env.core.layout import CARDS, DRAW, FILL, JOKER, LAYOFF, MAX_DECK, MOVE, OVER, PLAY, STATE, VIEW
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.memory import stack_array
from kalooki_env.core.outs import unseen_copies
from kalooki_env.core.rng import below, shuffle, spawn
from kalooki_env.core.solver import contract_distance, distance_up_to, distances_after_discard, lowering_cards
from kalooki_env.core.step import apply, begin_play
from kalooki_env.core.view import guess_hidden, make_view

#: What is known of the hidden cards: nothing; how near to their contracts hands are after so many turns; that, and that nobody
#: wants what he discarded or declined; all hands; all hands and the stock.
UNIFORM, PACED, READ, HANDS, ALL = 0, 1, 2, 3, 4
#: Turns of a seat, and contract distances, that paces tell apart.
ROUNDS, DISTANCES = 24, 17
#: Numbers that the outcome for a seat is estimated from.
FEATURES = 36

#: Most cards of a hand that are changed.
_SWAPS = 8
#: Times that a hand which contradicts its seat's play is dealt again.
_TRIES = 4

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
def bot_step(s, r, feas, dist, bot, legal, mask, views, scratch):
    """One decision of a bot for the seat to move. `legal`, `mask`, `views`, `scratch`: scratch."""
    n = legal_actions(s, r, feas, legal)
    action = i64(legal[0])
    if n > 1:
        make_view(s, r, i64(s["actor"]), views[0])
        write_mask(legal, n, mask)
        action = bot_action(bot, views[0], mask, r, feas, dist, scratch)
    apply(s, r, feas, action, legal)


@kernel
def play_on(s, r, feas, dist, bot, seat, turns, legal, mask, views, scratch):
    """Play on, a bot at all seats, until the deal ends or a seat is about to draw with so many more turns of its own behind it.

    Args:
        s: STATE record.
        r: RULES record.
        feas, dist: the solver's tables.
        bot: GREEDY, EXPERT or EXPERT_V2.
        seat: the seat.
        turns: how often it may come to its draw before this stops; 0 for never.
        legal, mask, views, scratch: scratch.
    """
    drawing = s["phase"] == DRAW and i64(s["turn"]) == seat
    while s["phase"] != OVER:
        if s["phase"] == DRAW and i64(s["turn"]) == seat:
            if not drawing and turns > 0:
                turns -= 1
                if turns == 0:
                    return
            drawing = True
        else:
            drawing = False
        bot_step(s, r, feas, dist, bot, legal, mask, views, scratch)


@kernel
def write_features(s, r, feas, dist, seat, scratch, x):
    """What the outcome of a deal for a seat, at the start of its turn, is estimated from: the position with all its hands.

    Args:
        s: STATE record.
        r: RULES record.
        feas, dist: the solver's tables.
        seat: the seat.
        scratch: uint8 (SCRATCH, 53).
        x: float64 (FEATURES,), written.
    """
    n = i64(r["num_players"])
    deal = i64(s["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = s["hands"][seat]
    x[:] = 0.0
    # Others: how many have opened and how few cards they hold, how near the rest are.
    opened, fewest, near, ready = 0.0, 0.0, 0.0, 0.0
    for k in range(1, n):
        other = (seat + k) % n
        if i64(s["opened"][other]):
            opened += 1.0
            fewest = max(fewest, 1.0 / max(1, i64(s["hand_n"][other])))
        else:
            distance = contract_distance(s["hands"][other], r, feas, dist, threes, fours)
            near += np.exp(-float(distance))
            ready += 1.0 if distance <= 1 else 0.0
    points, jokers = float(hand_points(s, r, seat)), float(hand[JOKER])
    held = float(s["hand_n"][seat])
    x[0] = 1.0
    x[1], x[2], x[3], x[4] = opened, fewest, near, ready
    x[5], x[6], x[7] = points / 50.0, jokers, held / 10.0
    x[8] = i64(s["stock_n"]) / 50.0
    x[9] = i64(s["turns"]) / n / 10.0
    if i64(s["opened"][seat]):
        x[10] = 1.0 if held == 1.0 else 0.0
        x[11] = 1.0 if held == 2.0 else 0.0
        x[12] = 1.0 / held
        x[13], x[14], x[15] = fewest * held / 10.0, near * held / 10.0, opened * held / 10.0
        fit = 0.0
        for card in range(CARDS):
            fit += 1.0 if s["fits"][card] else 0.0
        x[16], x[17] = fit / 20.0, fit / 20.0 / held
        return
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    unseen = scratch[2]
    unseen_copies(s, hand, seat, r, unseen)
    total = float(total_of(unseen))
    outs = outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, scratch[3], scratch[4])
    chance = outs / max(1.0, total)
    calls = 0.0
    if i64(r["calls_enabled"]):
        calls = float(min(3, i64(r["call_max"]) - i64(s["calls_allowed"][seat])))
    far = float(min(distance, 8))
    x[18] = 1.0 if distance == 0 else 0.0
    x[19] = 1.0 if distance == 1 else 0.0
    x[20] = 1.0 if distance == 2 else 0.0
    x[21] = 1.0 if distance == 3 else 0.0
    x[22] = far
    x[23] = chance
    x[24], x[25] = chance * x[19], chance * x[20]
    x[26] = x[19] / (1.0 + outs)
    x[27], x[28], x[29] = calls, calls * x[19], calls * far
    x[30], x[31], x[32], x[33] = opened * far, fewest * far, near * far, chance * far
    x[34] = x[9] * far
    x[35] = (opened + 3.0 * near) * x[19]


@kernel
def note_self_play(states, rules, feas, dist, bot, mask, work, counts, features, outcomes):
    """Play deals out, and note what a search wants to know: how near hands are, and how positions end.

    Args:
        states: STATE (n,), played to their ends.
        bot: GREEDY, EXPERT or EXPERT_V2, at all seats.
        mask: int8 (num_actions,), scratch.
        work: WORK (1,), scratch.
        counts: int64 (ROUNDS, DISTANCES), added to: distances of seats that have not opened, at starts of their turns; a round
            is a turn of each seat.
        features: float64 (m, FEATURES), written: positions at starts of turns, for the seat whose turn it is.
        outcomes: float64 (m,), written: its score in the end.

    Returns:
        Number of rows written; no more than there is room for.
    """
    r = rules[0]
    n = i64(r["num_players"])
    w = work[0]
    views, scratch, legal = w["view"][:], w["scratch"][:], w["legal"][:]
    rows = 0
    for lane in range(states.shape[0]):
        s = states[lane]
        deal = i64(s["deal"]) - 1
        threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
        first = rows
        noted = i64(-1)
        while s["phase"] != OVER:
            turns, seat = i64(s["turns"]), i64(s["turn"])
            if s["phase"] == DRAW and turns != noted and rows < features.shape[0]:
                noted = turns
                if i64(s["opened"][seat]) == 0:
                    distance = contract_distance(s["hands"][seat], r, feas, dist, threes, fours)
                    counts[min(turns // n, ROUNDS - 1), distance] += 1
                write_features(s, r, feas, dist, seat, scratch, features[rows])
                outcomes[rows] = seat  # until the score is known
                rows += 1
            bot_step(s, r, feas, dist, bot, legal, mask, views, scratch)
        for row in range(first, rows):
            outcomes[row] = float(s["scores"][i64(outcomes[row])])
    return rows


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
    after = stack_array(CARDS, np.int8)
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
def deal_again(s, seat, source):
    """Change the cards of a hand that nobody knows for cards of the stock, at random."""
    hand = s["hands"][seat]
    stock = s["stock"]
    size = i64(s["stock_n"])
    for card in range(CARDS):
        for _ in range(i64(hand[card]) - i64(s["known"][CARDS * seat + card])):
            place = below(source, size + 1)
            if place < size:
                other = stock[place]
                stock[place] = card
                hand[card] -= 1
                hand[other] += 1


@kernel
def contradictions(s, r, feas, dist, seat):
    """Cards that a seat has discarded or declined since the last reshuffle, and that its hand would want."""
    deal = i64(s["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = s["hands"][seat]
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    found = 0
    for card in range(JOKER):
        at = CARDS * seat + card
        if distance > 0 and i64(s["discarded"][at]) + i64(s["declined"][at]) > 0:
            hand[card] += 1
            found += distance_up_to(hand, r, feas, dist, threes, fours, distance - 1, distance) < distance
            hand[card] -= 1
    return found


@kernel
def imagine(positions, views, i, r, feas, dist, knows, paces, worlds, pool, scratch):
    """Write to `worlds[0]` a position that the seat to move cannot tell from the real one by what it knows.

    Args:
        positions: STATE (n,), the real positions; read only if `knows` says so.
        views: VIEW (n,), of the seats to move.
        i: which of them.
        r: RULES record.
        feas, dist: the solver's tables.
        knows: UNIFORM, PACED, READ, HANDS or ALL.
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
    if knows == PACED or knows == READ:
        pace = min(i64(s["turns"]) // n, ROUNDS - 1)
        for other in range(n):
            if other != seat and i64(s["opened"][other]) == 0:
                target = i64(paces[pace, below(source, paces.shape[1])])
                quicken(s, r, feas, dist, other, target, source, scratch)
                if knows == READ:
                    for _ in range(_TRIES):
                        if contradictions(s, r, feas, dist, other) == 0:
                            break
                        deal_again(s, other, source)
                        quicken(s, r, feas, dist, other, target, source, scratch)
    if s["phase"] == PLAY:
        begin_play(s, r, feas, seat)


@kernel
def list_candidates(views, masks, i, prior, rules, feas, dist, work, actions):
    """List the actions of a decision that are worth playing out; the first is that of an expert.

    Laying down and laying off as soon as possible is nearly always right, and playing that out would cost most of the time.
    Before opening, only discards that keep the contract distance smallest are listed.

    Args:
        views: VIEW (n,).
        masks: int8 (n, num_actions).
        i: which of them.
        prior: EXPERT or EXPERT_V2.
        work: WORK (1,), scratch.
        actions: int64 (MAX_ACTIONS,), written.

    Returns:
        How many.
    """
    r = rules[0]
    v = views[i]
    mask = masks[i]
    scratch = work[0]["scratch"][:]
    actions[0] = bot_action(prior, v, mask, r, feas, dist, scratch)
    phase = i64(v["phase"])
    if phase == FILL or phase == LAYOFF or phase == MOVE or (phase == PLAY and actions[0] > JOKER):
        return 1
    narrow = phase == PLAY and i64(v["opened"][i64(v["observer"])]) == 0
    n = 1
    for action in range(mask.shape[0]):
        # After an expert's choice the first row of its scratch space tells which discards keep the distance smallest.
        if mask[action] and action != actions[0] and (not narrow or (action < JOKER and scratch[0, action])):
            actions[n] = action
            n += 1
    return n


@kernel
def judge(positions, views, i, rules, feas, dist, knows, bot, paces, turns, weights, actions, alive, sums, count, mask, work):
    """Play the candidates of one decision out in so many imagined positions, the same for all of them.

    Args:
        positions, views, i, feas, dist, knows, paces: as for `imagine`.
        rules: RULES (1,).
        bot: GREEDY, EXPERT or EXPERT_V2: who plays on at all seats.
        turns: how many turns of the seat are played before its score is estimated; 0 for playing deals to their ends.
        weights: float64 (2, FEATURES), of that estimate: for a seat that has not opened, and for one that has.
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
    x = stack_array(FEATURES, np.float64)
    for _ in range(count):
        imagine(positions, views, i, r, feas, dist, knows, paces, worlds, pool, scratch)
        first = 0.0
        for k in range(actions.shape[0]):
            if alive[k]:
                worlds[1] = worlds[0]
                apply(worlds[1], r, feas, actions[k], legal)
                play_on(worlds[1], r, feas, dist, bot, seat, turns, legal, mask, seen, scratch)
                if worlds[1]["phase"] == OVER:
                    score = float(worlds[1]["scores"][seat])
                else:
                    write_features(worlds[1], r, feas, dist, seat, scratch, x)
                    row = 1 if i64(worlds[1]["opened"][seat]) else 0
                    score = 0.0
                    for f in range(FEATURES):
                        score += x[f] * weights[row, f]
                if k == 0:
                    first = score
                gain = first - score
                sums[k, 0] += gain
                sums[k, 1] += gain * gain
