"""One call for many lanes: deal, play on to the next decision, rewards, observations. No rules here.

A lane plays what it would play alone: its generators are its own. `s` is its STATE record, `t` its LANE record, `c` the SETTINGS.
"""

from __future__ import annotations

from kalooki_env.agents.bots import bot_action
from kalooki_env.agents.expert import outs_of_hand
from kalooki_env.agents.greedy import wants_upcard
from kalooki_env.batch.layout import (
    ASK,
    ASKED,
    BEGIN,
    DEAL,
    END,
    ENDED,
    LOST,
    NOTHING,
    OUTSIDE,
    PARTS,
    RANDOM,
    RESET,
    SHOW,
    STEP,
    WAIT,
    Autoreset,
    OnIllegal,
)
from kalooki_env.batch.machine import AHEAD, prefetch_row, prefetch_state, take_number
from kalooki_env.batch.pay import note_potentials, pay
from kalooki_env.batch.tables import deal_next, seat_at_table, seat_of_lane
from kalooki_env.core.actions import PASS
from kalooki_env.core.batch import contains, write_mask
from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.deal import shuffled_deal
from kalooki_env.core.layout import CALL, OVER
from kalooki_env.core.legal import legal_actions
from kalooki_env.core.outs import unseen_copies
from kalooki_env.core.rng import STEP as RNG_STEP
from kalooki_env.core.rng import below, mix, number_below, seeded
from kalooki_env.core.solver import contract_distance
from kalooki_env.core.step import apply
from kalooki_env.core.view import make_view
from kalooki_env.observe.batch import observe
from kalooki_env.observe.solver_piece import SIZE, from_state

_SAME_STEP = int(Autoreset.SAME_STEP)
_LOSE = int(OnIllegal.LOSE)
#: Lanes that a thread takes at a time: few, since lanes with bots take unequal time.
PIECE = 32
_OFTEN = 128  # bytes at the start of a LANE record that are used in each step
_DEAL, _SEAT, _SCORE, _WINNER, _BLOCKED, _TURNS, _ILLEGAL = range(7)  # rows of infos


@kernel
def seed_lane(s, t, seed):
    """Set both generators, and forget dealer and place."""
    s["rng"] = seeded(seed)
    t["rng"] = mix(seeded(seed))
    t["lots"] = mix(t["rng"])
    t["dealer"] = -1
    t["place"] = -1


@kernel
def deal_anew(s, t, r, c, deck):
    """Draw the number of the deal, move dealer and seat on, shuffle and deal."""
    players = i64(r["num_players"])
    deal = i64(t["deal"])
    if deal == 0:
        deal = i64(c["deals"][0])
        if i64(c["thresholds"][0]) > 0:
            lot, k = below(s, PARTS), 0
            while k < i64(c["deals_n"]) - 1 and lot >= i64(c["thresholds"][k]):
                k += 1
            deal = i64(c["deals"][k])
        elif i64(c["deals_n"]) > 1:
            deal = i64(c["deals"][below(s, i64(c["deals_n"]))])
    dealer = i64(c["dealer"])
    if dealer < 0:
        dealer = below(s, players) if i64(t["dealer"]) < 0 else wrap(i64(t["dealer"]) + 1, players)
    t["dealer"] = dealer
    seat = i64(c["seat"])
    if seat < 0:
        place = below(t, players) if i64(t["place"]) < 0 else wrap(i64(t["place"]) + 1, players)
        t["place"] = place
        seat = wrap(dealer + place, players)
    t["seat"] = seat
    t["over"] = 0
    t["asked"] = 0
    t["waits_for"] = 0
    shuffled_deal(s, r, deal, dealer, deck)


@kernel
def is_useful(s, r, feas, dist, seat, views, scratch):
    """Whether the upcard would lower a seat's contract distance, or raise the number of unseen cards that do."""
    make_view(s, r, seat, views[0])
    v = views[0]
    if wants_upcard(v, r, feas, dist):
        return True
    deal = i64(v["deal"]) - 1
    threes, fours = i64(r["threes"][deal]), i64(r["fours"][deal])
    hand = v["hand"][:]
    distance = contract_distance(hand, r, feas, dist, threes, fours)
    if distance == 0:
        return False
    unseen = scratch[2]
    unseen_copies(v, hand, seat, r, unseen)
    before = outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, scratch[3], scratch[4])
    hand[i64(v["pile"][i64(v["pile_n"]) - 1])] += 1
    return outs_of_hand(hand, r, feas, dist, threes, fours, distance, unseen, scratch[3], scratch[4]) > before


@kernel
def play_on(s, t, r, feas, dist, c, views, legal, mask, scratch):
    """Play until the seat that is asked, or an outside agent, has a decision, or the deal is over.

    Returns:
        ASK, WAIT or END. `t["legal"]` and `t["n"]` list the legal actions.
    """
    while s["phase"] != OVER:
        n = legal_actions(s, r, feas, t["legal"][:])
        t["n"] = n
        t["choices"] += n > 1
        actor = i64(s["actor"])
        player = ASKED
        if not i64(c["asks_all"]) and seat_of_lane(t, actor) != i64(t["seat"]):
            seats = i64(c["seats"])
            player = i64(c["players"][wrap(seat_of_lane(t, actor) - i64(t["seat"]) + seats, seats)])
        action = i64(t["legal"][0])
        if player == ASKED:
            if n > 1 or not i64(c["skips_forced"]):
                if not (i64(c["useful_calls"]) and s["phase"] == CALL) or is_useful(s, r, feas, dist, actor, views, scratch):
                    return ASK
                action = i64(PASS)
        elif n > 1:
            if player == RANDOM:
                action = i64(t["legal"][below(t, n)])
            elif player >= OUTSIDE:
                t["waits_for"] = player - OUTSIDE + 1
                return WAIT
            else:
                make_view(s, r, actor, views[0])
                write_mask(t["legal"][:], n, mask)
                action = bot_action(player, views[0], mask, r, feas, dist, scratch)
        apply(s, r, feas, action, legal)
    t["n"] = 0
    return END


@kernel
def write_infos(s, t, r, illegal, infos, lane):
    """`infos`: int64 (7, N), column `lane` written. In a match what is said of the deal counts for nothing."""
    over = s["phase"] == OVER
    seat = i64(t["seat"])
    infos[_DEAL, lane] = s["deal"]
    infos[_SEAT, lane] = seat
    infos[_SCORE, lane] = i64(s["scores"][seat]) if over else 0
    infos[_WINNER, lane] = i64(s["winner"]) if over else -1
    infos[_BLOCKED, lane] = 1 if over and i64(s["winner"]) < 0 else 0
    infos[_TURNS, lane] = i64(s["turns"]) if over else 0
    infos[_ILLEGAL, lane] = illegal


@kernel
def write_observation(s, seat, r, feas, dist, c, views, scratch, row, lane, bytes_out, floats_out):
    """The observation of a seat at the table, as bytes or scaled; zeros for -1. `row`: uint8, scratch with room for any."""
    size = i64(c["offsets"][c["offsets"].shape[0] - 1])
    out = row[:size] if i64(c["is_float"]) else bytes_out[lane]
    if seat < 0:
        out[:] = 0
    else:
        observe(s, r, seat, views, c["offsets"][:], out)
    at = i64(c["solver_at"])
    if at >= 0 and seat >= 0:
        from_state(s, r, feas, dist, seat, views, out[at : at + SIZE], scratch)
    if i64(c["is_float"]):
        scale = c["scale"]
        for i in range(size):
            floats_out[lane, i] = out[i] * scale[i]


@kernel
def run_lanes(
    counter, jobs, actions, states, lanes, rules, feas, dist, settings, work,
    masks, bytes_out, floats_out, rewards, over, infos, final_bytes, final_floats, final_infos, final_scores,
):  # fmt: skip
    """Everything that a call does with the lanes. Threads that call this with the same counter share them, piece by piece.

    Args:
        counter: int64 (1,), pieces taken so far: 0.
        jobs: uint8 (N,): NOTHING; RESET: deal anew; STEP: carry out an action, or deal anew where the deal was over; RESUME:
            carry out an outside agent's action; SHOW: only write what is seen; DEAL: deal the next deal of a match.
        actions: int64 (N,).
        states, lanes: STATE (N,), LANE (N,), changed.
        rules: RULES (1,); in a match a record for each table.
        feas, dist: the solver's tables.
        settings, work: SETTINGS (1,), WORK (1,).
        masks: int8 (N, num_actions), written: ones where the deal is over, since policies draw from them all the same.
        bytes_out, floats_out: uint8 and float32 (N, size): one of them is written.
        rewards: float64 (N, 1) or, in self-play, (N, players): since the last call.
        over: bool (N,): the deal ended in this call.
        infos: int64 (7, N), rows as in `INFOS`.
        final_bytes, final_floats, final_infos, final_scores: as `bytes_out`, `floats_out`, `infos`, and int64 (N, players) of
            deals that ended in this call, where a new one was dealt in the same call.

    Returns:
        Number of lanes that wait for outside agents, or for what comes next in a match.
    """
    c = settings[0]
    w = work[0]
    # Slices are of the common array type: with the fields themselves everything would be compiled a second time.
    views, legal, scratch, row, deck = w["view"][:], w["legal"][:], w["scratch"][:], w["row"][:], w["deck"][:]
    mask = w["mask"][: masks.shape[1]]
    same_step, in_match = i64(c["autoreset"]) == _SAME_STEP, i64(c["in_match"]) != 0
    shows_final = same_step and not i64(c["asks_all"])
    count = states.shape[0]
    waiting = 0
    while True:
        first = PIECE * take_number(counter)
        if first >= count:
            return waiting
        for lane in range(first, min(first + PIECE, count)):
            ahead = min(lane + AHEAD, count - 1)
            if i64(jobs[ahead]) != NOTHING:
                prefetch_state(states, ahead, i64(c["seats"]))
                prefetch_row(lanes, ahead, _OFTEN)
                prefetch_row(masks, ahead, masks.shape[1])
                if i64(c["is_float"]):
                    prefetch_row(floats_out, ahead, 4 * floats_out.shape[1])
                else:
                    prefetch_row(bytes_out, ahead, bytes_out.shape[1])
            job = i64(jobs[lane])
            if job == NOTHING:
                continue
            s, t = states[lane], lanes[lane]
            r = rules[i64(t["table"])]
            lost = False
            code = ASK if job == SHOW else WAIT
            if job == RESET or job == STEP:
                rewards[lane, :] = 0.0
                over[lane] = False
                t["was_illegal"] = 0
            if job == RESET or (job == STEP and i64(t["over"])):
                if in_match:
                    t["waits_for"] = BEGIN
                    waiting += 1
                    continue
                deal_anew(s, t, r, c, deck)
            elif job == DEAL:
                deal_next(s, t, r, deck)
            elif job != SHOW:
                action = i64(actions[lane])
                t["waits_for"] = 0
                if in_match and job == STEP:
                    rewards[lane, 0] += t["owed"][0]
                    t["owed"][0] = 0.0
                if job == STEP and not contains(t["legal"], i64(t["n"]), action):
                    t["illegal"] += 1
                    t["was_illegal"] = 1
                    lost = i64(c["on_illegal"]) == _LOSE
                    action = i64(t["legal"][below(t, i64(t["n"]))])
                if not lost:
                    apply(s, r, feas, action, legal)
            while code == WAIT:
                code = END if lost else play_on(s, t, r, feas, dist, c, views, legal, mask, scratch)
                if code == ASK:
                    if c["shaping"] > 0:
                        note_potentials(s, t, r, feas, dist, c, rewards[lane])
                    t["asked"] = 1
                elif code == WAIT:
                    waiting += 1
                    break
                elif in_match:
                    is_paid = i64(t["asked"]) or i64(c["asks_all"])
                    pay(s, t, r, c, lost, rewards[lane] if is_paid else t["owed"][:], final_scores[lane])
                    if shows_final:  # whether the match is over, too, is not known here
                        write_observation(
                            s, seat_at_table(t, i64(t["seat"])), r, feas, dist, c, views, scratch, row, lane,
                            final_bytes, final_floats,
                        )  # fmt: skip
                    if same_step:
                        write_infos(s, t, r, i64(t["was_illegal"]), final_infos, lane)
                    t["waits_for"] = LOST if lost else ENDED
                    code = WAIT
                    waiting += 1
                    break
                else:
                    if i64(t["asked"]):
                        pay(s, t, r, c, lost, rewards[lane], final_scores[lane])
                        over[lane] = True
                        t["over"] = 1
                        t["n"] = 0
                        if not same_step:
                            break
                        write_infos(s, t, r, i64(t["was_illegal"]), final_infos, lane)
                        t["was_illegal"] = 0
                        if shows_final:
                            write_observation(
                                s, i64(t["seat"]), r, feas, dist, c, views, scratch, row, lane, final_bytes, final_floats
                            )
                    else:
                        t["skipped"] += 1
                    lost = False
                    deal_anew(s, t, r, c, deck)
                    code = WAIT
            if code == WAIT:
                continue
            if i64(c["asks_all"]):
                t["seat"] = seat_of_lane(t, i64(s["actor"]))
            at = seat_at_table(t, i64(t["seat"]))
            write_observation(s, at, r, feas, dist, c, views, scratch, row, lane, bytes_out, floats_out)
            write_infos(s, t, r, i64(t["was_illegal"]), infos, lane)
            if i64(t["over"]):
                masks[lane, :] = 1
            else:
                write_mask(t["legal"], i64(t["n"]), masks[lane])


@kernel
def seed_some(states, lanes, which, seeds):
    """Seed some lanes. `which`: int64 (n,); `seeds`: uint64 (n,)."""
    for i in range(which.shape[0]):
        seed_lane(states[which[i]], lanes[which[i]], seeds[i])


@kernel
def masks_of_some(lanes, which, masks):
    """Masks of the decisions that some lanes stopped at. `which`: int64 (n,); `masks`: int8 (n, num_actions), written."""
    for i in range(which.shape[0]):
        t = lanes[which[i]]
        write_mask(t["legal"], i64(t["n"]), masks[i])


@kernel
def first_illegal(lanes, jobs, actions):
    """The first lane with a decision whose action is not legal; -1 if there is none."""
    for lane in range(lanes.shape[0]):
        prefetch_row(lanes, min(lane + 4 * AHEAD, lanes.shape[0] - 1), _OFTEN)
        t = lanes[lane]
        if jobs[lane] == STEP and not i64(t["over"]) and not contains(t["legal"], i64(t["n"]), actions[lane]):
            return lane
    return -1


@kernel
def random_actions(lanes, actions):
    """A random legal action for each lane, from a generator that serves nothing else; 0 where the deal is over."""
    for lane in range(lanes.shape[0]):
        prefetch_row(lanes, min(lane + 4 * AHEAD, lanes.shape[0] - 1), _OFTEN)
        t = lanes[lane]
        n = i64(t["n"])
        actions[lane] = 0
        if n > 0:
            t["lots"] = t["lots"] + RNG_STEP
            actions[lane] = t["legal"][number_below(t["lots"], n)]
