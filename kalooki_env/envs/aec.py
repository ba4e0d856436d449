"""PettingZoo AEC environment of one deal, or of a match. Facts, options and endings stand in the docstring of `raw_env`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import numpy as np
from pettingzoo.utils.env import AECIterable

from kalooki_env import core
from kalooki_env.batch.kernels import seed_some
from kalooki_env.batch.layout import LANE, PARTS
from kalooki_env.batch.tables import draw_place
from kalooki_env.envs.aec_states import AgentStates
from kalooki_env.envs.aec_views import OVER, AgentID
from kalooki_env.envs.match import match_of
from kalooki_env.envs.options import EnvOptions, reset_options, seat_of, weighted_deals, with_options
from kalooki_env.envs.rendering import ONE_TABLE, RenderMode, render_mode_of
from kalooki_env.envs.rewards import Rewards
from kalooki_env.errors import EnvironmentStateError, RulesError
from kalooki_env.game.cards import seat_name
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.explain import illegal_action_error, why_illegal
from kalooki_env.game.match import note_standing
from kalooki_env.game.refusals import Refusal
from kalooki_env.observe.batch import workspace
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.schema import Observation
from kalooki_env.records import RecordWriter, game_at
from kalooki_env.records.matches import begin_deal, note_ends
from kalooki_env.rules import Rules
from kalooki_env.values import action_of, check_seed, one_of, truth

_LANE = np.zeros(1, np.int64)


@dataclass(frozen=True)
class TableOptions(EnvOptions):
    """What the environments of one table take that show all its agents: `raw_env` and `parallel_env`.

    Attributes:
        idle_mask: mask of agents that are not to move: all `"zeros"`, or all `"ones"` for frameworks that sample for everybody.
        render_mode: `"ansi"` for a string, `"human"` to print after each step, `"rgb_array"` for a picture, which needs
            Pillow, None.
        reveal: show all hands when rendering.
    """

    idle_mask: Literal["zeros", "ones"] = "zeros"
    render_mode: RenderMode | None = None
    reveal: bool = False

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **super()._checked(given),
            "idle_mask": one_of("idle_mask", self.idle_mask, ("zeros", "ones")),
            "render_mode": render_mode_of(self.render_mode, ONE_TABLE),
            "reveal": truth("reveal", self.reveal),
        }


@with_options(TableOptions, mask_in="observation")
class raw_env(AgentStates):  # noqa: N801  (PettingZoo's name)
    """One deal of Jamaican Kalooki or of Kaluki, or a whole match, as a PettingZoo AEC environment.

    | Fact | Value |
    |---|---|
    | Agents | `player_0` to `player_{n-1}`, seats clockwise; as many as the rules seat |
    | Actions | `Discrete(171 + 16 * max_seats)`, in Kaluki `Discrete(285)`, see `ACTIONS.md`; masked |
    | Observations | `{"observation": ..., "action_mask": int8}`; the pieces stand in `kalooki_env.observe.schema` |
    | Rewards | at the end of the deal, for every seat; see `reward` |
    | End | all agents terminate in the same step: somebody went out (J10.2), or the deal is blocked (J12) |
    | Match | with `episode="match"`: deals follow each other without reset until the match, or series, is decided (J13) |

    Several decisions of one agent may follow each other, and agents are asked out of turn about calls: always act for
    `agent_selection`. Arrays and infos handed out are new ones and never change later. The checks that PettingZoo's
    wrappers make are built in.

    In a match all agents stay until its end. In a sudden death only the tied ones are selected; the others observe zeros, and
    action texts number the seats of its table, P1 for the first of the tied. Observations have a third entry, `"match"`, float32
    `(max_seats + 1,)`: the totals before the deal, the own first, then clockwise, each divided by 500 and cut to [-1, 1], and the
    share of the match's deals that has been played (0 where a score limit ends it). `infos` hold the same as `total`, `totals`
    (by seat), `match` (of a series) and `match_deal`; of the last deal that ended `score`, `winner`, `blocked` and `turns`; the
    `chips` won so far, and the `place`, 0 until the end. A seeded reset deals what `kalooki_env.Match` with that seed deals.

    Args:
        rules: a preset's name, perhaps with changed keys, or `Rules`.
        num_players: seats at the table.
        deal: number of the deal, a list, a dict of weights, or `"random"`.
        observation: a named choice of pieces, or their names.
        reward: what the end of a deal pays: `"score"`, `"zero_sum"`, `"win"`.
        episode: `"deal"` or `"match"`.
        mask_in: where the mask stands: `"observation"`, the default here, `"infos"`, `"both"`.
        on_illegal: what becomes of an illegal action: `"raise"`, `"lose"`, `"replace"`.
        render_mode: `"ansi"`, `"human"`, `"rgb_array"`, None.
        record: file for a record of the deals.
        options: beside these everyday ones, of the table `max_seats` and `dealer`; of what is seen `observation_form`,
            `observation_dtype` and `idle_mask`; of what is paid `shaping`, `match_reward` and `illegal_reward`; of what
            is asked `skip_forced`; of pictures `reveal`. All are explained in `kalooki_env.envs.options.EnvOptions`
            and `kalooki_env.envs.aec.TableOptions`.

    Attributes:
        recorder: the record's writer, whose `note` takes policy and value of the decision that is due; None without a record.
        illegal_actions: illegal actions so far.

    Raises:
        RulesError: unknown rules, an impossible table, deal or dealer.
        ConfigError: an option that does not exist, or one with a value that is not allowed.
        RecordError: a record that cannot be written.

    Version history: `kalooki_v0`, the first.
    """

    metadata = {  # noqa: RUF012  (PettingZoo's form)
        "name": "kalooki_v0",
        "render_modes": list(ONE_TABLE),
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(self, rules: Rules | str = "jamaican", num_players: int = 4, **options: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        chosen = TableOptions.of({"rules": rules, "num_players": num_players, "mask_in": "observation", **options})
        self.rules, num_players = Rules.of(chosen.rules), chosen.num_players
        self._options = chosen
        self._deals, self._shares = weighted_deals(chosen.deal, self.rules, num_players)
        self._fixed_dealer = seat_of("dealer", chosen.dealer, num_players)
        self._engine = engine(self.rules, num_players, chosen.max_seats)
        assert chosen.observation is not None, "`of` has put the default in"
        self._layout = Observation.of(chosen.observation, self._engine.max_seats, self._engine.is_kaluki)
        self._form, self._dtype = chosen.observation_form, chosen.observation_dtype
        self._rewards = Rewards(chosen.reward, chosen.shaping, self._engine)
        self._match = match_of(chosen.episode, chosen.match_reward, self.rules, num_players, self._engine.max_seats)
        self._pays_between = bool(self._rewards.shaping)  # whether the next step changes rewards though no deal ends
        self._on_illegal = chosen.on_illegal
        self._illegal_reward = chosen.illegal_reward
        self._skip_forced = chosen.skip_forced
        self._mask_in_observation = chosen.mask_in != "infos"
        self._mask_in_infos = chosen.mask_in != "observation"
        self._idle_ones = chosen.idle_mask == "ones"
        self.render_mode = chosen.render_mode
        self._reveal = chosen.reveal

        self.possible_agents: list[AgentID] = [f"player_{seat}" for seat in range(num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._sitting = self.possible_agents  # agents by seat
        self._make_spaces()
        self._states = np.zeros(1, core.STATE)
        self._views = np.zeros(1, core.VIEW)
        self._observer = Observer(self._engine, self._layout)
        self._size = self._layout.size
        self._num_actions = self._engine.num_actions
        self._record = self._engine.record
        self._feas = self._engine.feas
        self._is_plain = self._form == "flat" and self._dtype == "float32" and not self._layout.has_solver and not self._idle_ones
        self._work = workspace(self._layout)
        self._legal = self._work[0]["legal"]
        self._legal_count = 0
        self._phase = OVER
        self._actor = 0
        self._dealer: int | None = None
        self._seed: int | None = None
        self.agents: list[AgentID] = []
        self.rewards: dict[AgentID, float] = {}
        self._cumulative_rewards: dict[AgentID, float] = {}
        self.terminations: dict[AgentID, bool] = {}
        self.truncations: dict[AgentID, bool] = {}
        self.infos: dict[AgentID, dict[str, Any]] = {}
        self._numbers: dict[AgentID, dict[str, Any]] = {}  # infos without masks
        self._offender: AgentID | None = None  # whose last action was illegal, where the deal went on
        self.illegal_actions = 0
        self._lanes = np.zeros(1, LANE)  # for its generator of all that is not dealt, as in a batch
        self._is_reset = False
        path = chosen.record
        self.recorder = None if path is None else RecordWriter(path, self.rules, num_players, seats=self.possible_agents)
        # Without a record the engine itself, so that a step costs nothing more.
        self._carry_out: Callable[..., int] = core.step_listed if self.recorder is None else self._carry_out_recorded
        seed_some(self._states, self._lanes, _LANE, np.random.SeedSequence().generate_state(1, np.uint64))

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: the list of legal actions must be a view of the workspace again; tables are shared."""
        return {key: value for key, value in self.__dict__.items() if key not in ("_legal", "_record", "_feas", "_carry_out")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._legal = self._work[0]["legal"]
        self._record, self._feas = self._engine.record, self._engine.feas
        self._carry_out = core.step_listed

    # ---- play ----------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal anew, or begin a new match.

        Args:
            seed: from 0 on; fixes everything that follows. None goes on with the present generator; errors then name the last
                seed that was given, and the position text holds the generator.
            options: `"deal"` and `"dealer"` override the constructor's for this deal; other keys are ignored, with a warning if
                they look like one of these.

        Raises:
            RulesError: a deal or dealer that is not allowed.
            ConfigError: a seed that is no whole number from 0 on, or options that are no dict.
        """
        options = reset_options(options, ("deal", "dealer"))
        if self._match is not None and "deal" in options:
            raise RulesError("reset option 'deal' is not allowed in a match, whose deals follow from the rules")
        players = len(self.possible_agents)
        deals, shares = self._deals, self._shares
        if "deal" in options:
            deals, shares = weighted_deals(options["deal"], self.rules, players)
        fixed = seat_of("dealer", options["dealer"], players) if "dealer" in options else self._fixed_dealer
        if seed is not None:
            self._seed = check_seed(seed)
            seed_some(self._states, self._lanes, _LANE, np.array([self._seed], np.uint64))
            self._dealer = None
        states = self._states
        if self._match is not None:
            first = fixed if fixed is not None or self._dealer is None else (self._dealer + 1) % players
            lot = int(core.random_below(states, 0, 2**31)) if seed is None else check_seed(seed)
            self._dealer = self._match.begin(lot, first)
            self._sit_down()
        else:
            deal = self._drawn(deals, shares)
            if fixed is not None:
                self._dealer = fixed
            elif self._dealer is None:
                self._dealer = int(core.random_below(states, 0, players))
            else:
                self._dealer = (self._dealer + 1) % players
            core.reset_lane(states, self._record, 0, deal, self._dealer)

        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._offender = None
        self._numbers = {agent: self._info(agent) for agent in self.agents}
        self._skip_agent_selection = None
        self._is_reset = True
        self._after(core.list_lane(states, self._record, self._feas, 0, self._legal))
        if self.recorder is not None:
            self.recorder.abandon("the environment was reset")
        self._record_deal()
        self._play_forced()
        self._rewards.begin(states)
        self._select()
        if self.render_mode == "human":
            self.render()

    def _drawn(self, deals: Sequence[int], shares: Sequence[int]) -> int:
        """One of the deals, drawn as in a batch."""
        if shares[0]:
            lot = int(core.random_below(self._states, 0, PARTS))
            return next((deal for deal, share in zip(deals[:-1], shares, strict=False) if lot < share), deals[-1])
        return deals[core.random_below(self._states, 0, len(deals))] if len(deals) > 1 else deals[0]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[AgentID, dict[str, Any], Any]:
        """The agents to move, one after the other, until all are done.

        Raises:
            EnvironmentStateError: before `reset`.
        """
        if not self._is_reset:
            raise EnvironmentStateError("agent_iter before reset: call reset() first")
        return AECIterable(self, max_iter)

    def step(self, action: Any) -> None:
        """Make the move of `agent_selection`; `None` for an agent whose deal is over.

        Args:
            action: a whole number: of Python or NumPy, or an array or tensor that holds one.

        Raises:
            IllegalActionError: an illegal action under `on_illegal="raise"`; nothing has changed.
            ActionTypeError: something that is no whole number; nothing has changed.
            EnvironmentStateError: before `reset`, or after all agents have been stepped out.
        """
        if self._phase == OVER:
            self._step_when_over(action)
            return
        kind = type(action)  # the usual ones without a call: this is a twelfth of a step
        given = action if kind is int else action.item() if kind is np.int64 else action_of(action)
        chosen = given if 0 <= given < self._num_actions else -1
        code = self._carry_out(self._states, self._record, self._feas, 0, chosen, self._legal, self._legal_count)
        offender = None
        if code < 0:
            if self._on_illegal == "raise":
                self._raise_illegal(given, chosen)
            offender = self.agent_selection
            self.illegal_actions += 1
            chosen = int(self._legal[draw_place(self._lanes, 0, self._legal_count)])
            if self._on_illegal == "lose":
                self._lose(offender)
                return
            code = self._carry_out(self._states, self._record, self._feas, 0, chosen, self._legal, self._legal_count)
        self._after(code)
        if self._legal_count == 1:
            self._play_forced()
        self._cumulative_rewards[self.agent_selection] = 0.0
        if self._phase == OVER:
            self._deal_over()
            self._note_numbers(offender)
        else:
            if offender is not self._offender:
                self._note_numbers(offender)
            if self._pays_between:
                self._add_rewards(self._shaped(False))
                self._pays_between = bool(self._rewards.shaping)
        self._select()
        if self.render_mode == "human":
            self.render()

    def _carry_out_recorded(self, *args: Any) -> int:
        """As `core.step_listed`, whose fifth argument is the action."""
        code = int(core.step_listed(*args))
        if code >= 0 and self.recorder is not None:
            self.recorder.act(args[4])
        return code

    def _after(self, code: int) -> None:
        self._legal_count = code >> 8
        self._phase = code >> 4 & 15
        self._actor = code & 15

    def _play_forced(self) -> None:
        while self._skip_forced and self._legal_count == 1:
            action = int(self._legal[0])
            self._after(self._carry_out(self._states, self._record, self._feas, 0, action, self._legal, 1))

    def _sit_down(self) -> None:
        """Deal the next deal of the match, at its table: in a sudden death not all agents have a seat there (J13.2)."""
        assert self._match is not None
        table, dealer, seed = self._match.table()
        self._use_table(table)
        core.seed_lanes(self._states, np.array([seed], np.uint64))
        core.reset_lane(self._states, self._record, 0, self._match.deal.number, dealer)
        note_standing(self._states[0], self._match.score)

    def _use_table(self, table: Engine) -> None:
        """Play at a table: in a match, that of its present deal."""
        if table is not self._engine:
            self._engine, self._record, self._feas = table, table.record, table.feas
            self._observer = Observer(table, self._layout)
            self._rewards = Rewards(self._rewards.kind, self._rewards.shaping, table)
        if self._match is not None:
            self._sitting = [self.possible_agents[seat] for seat in self._match.deal.seats]
            self._seats = {agent: seat for seat, agent in enumerate(self._sitting)}

    def _deal_over(self) -> None:
        """Pay for the deal that has ended; then all ends, or the next deal of the match begins."""
        final = self._for_all(self._rewards.final(self._states[0]))
        if self._match is not None:
            before = self._match.score
            final = self._match.add(self._states[0], final)
            if self.recorder is not None:
                note_ends(self.recorder, before, self._match.score)
        if self._match is None or self._match.is_over:
            self._end(final)
            return
        shaped = self._shaped(True)
        self._sit_down()
        self._after(core.list_lane(self._states, self._record, self._feas, 0, self._legal))
        self._record_deal()
        self._play_forced()
        first = self._shaped(False)  # the potential goes on from deal to deal
        self._add_rewards([sum(parts) for parts in zip(final, shaped, first, strict=True)])
        self._pays_between = True  # what this step paid must not stand there after the next one

    def _record_deal(self) -> None:
        """Begin the record of a deal, if there is one."""
        if self.recorder is None:
            return
        game = game_at(self._states[0], self._engine)
        if self._match is None:
            self.recorder.begin(game, seed=self._seed)
        else:
            begin_deal(self.recorder, game, self._match.score, self._match.table()[2])

    def _for_all(self, values: list[float]) -> list[float]:
        """Values of the seats at the table as values of all agents: 0 for those that sit out a sudden death."""
        if len(values) == len(self.possible_agents):
            return values
        found = dict(zip(self._sitting, values, strict=True))
        return [found.get(agent, 0.0) for agent in self.possible_agents]

    def _shaped(self, over: bool) -> list[float]:
        """The shaping rewards of all agents for the last step."""
        if not self._rewards.shaping:
            return [0.0] * len(self.possible_agents)
        return self._for_all(self._rewards.shaped(self._states, over))

    def _note_numbers(self, offender: AgentID | None) -> None:
        """Infos anew, in dicts of their own: those that were handed out stay as they are."""
        self._offender = offender
        self._numbers = {agent: self._info(agent) for agent in self.agents}
        if offender is not None:
            self._numbers[offender]["illegal"] = 1

    def _select(self) -> None:
        self.agent_selection = self._sitting[self._actor]
        if self._mask_in_infos:
            self.infos = {
                agent: {**numbers, "action_mask": self._mask(self._seats.get(agent, -1))}
                for agent, numbers in self._numbers.items()
            }
        elif self.infos is not self._numbers:
            self.infos = self._numbers

    def _add_rewards(self, rewards: Sequence[float]) -> None:
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward

    def _end(self, final: list[float]) -> None:
        """All agents terminate together, with what the end pays to each."""
        self._add_rewards([a + b for a, b in zip(final, self._shaped(True), strict=True)])  # the potential is 0 at every end
        self.terminations = dict.fromkeys(self.agents, True)

    def _raise_illegal(self, given: int, chosen: int) -> None:
        inside = chosen >= 0
        text = self._text(chosen) if inside else str(given)
        refusal = why_illegal(self._states, chosen, self._engine) if inside else Refusal.NO_SUCH_ACTION
        legal = [self._text(int(legal)) for legal in self._legal[: self._legal_count]]
        raise illegal_action_error(self._states, text, refusal, self._actor, legal, self._engine, self._seed)

    def _lose(self, offender: AgentID) -> None:
        """An illegal action ends the episode for all."""
        if self.recorder is not None:
            self.recorder.abandon(f"an illegal action by {seat_name(self._actor)}")
        self._legal_count = 0
        self._phase = OVER
        self._cumulative_rewards[offender] = 0.0
        self._end([self._illegal_reward if agent == offender else 0.0 for agent in self.possible_agents])
        self._note_numbers(offender)
        self._select()

    def _step_when_over(self, action: int | None) -> None:
        if not self._is_reset:
            raise EnvironmentStateError("step before reset: call reset() first")
        if not self.agents:
            raise EnvironmentStateError("step after the end: all agents are done; call reset() for a new deal")
        if action is not None:
            raise EnvironmentStateError(f"{self.agent_selection} is done: its only action is None, not {action!r}")
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._was_dead_step(action)

    def last(self, observe: bool = True) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last step, termination, truncation and info of `agent_selection`."""
        if not self.agents:
            raise EnvironmentStateError(
                "last after the end: call reset() for a new deal" if self._is_reset else "last before reset: call reset() first"
            )
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def close(self) -> None:
        """Complete the record, if there is one."""
        if self.recorder is not None:
            self.recorder.close()


def env(*args: Any, **kwargs: Any) -> raw_env:
    """The environment, as PettingZoo names it.

    The checks of its usual wrappers are built in, so there are none. Arguments as for `raw_env`.
    """
    return raw_env(*args, **kwargs)


env.__signature__ = signature(raw_env)  # type: ignore[attr-defined]
