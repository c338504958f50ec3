"""PettingZoo's turn-based door to the engine: four seats, one table, `observation` and `action_mask`.

Owns what PettingZoo asks of an environment: agents, rewards, infos, spaces, seeds, copies. The rules stay in the flow, what a
seat may see in `mjsim.observe`.
"""

from __future__ import annotations

import copy
import ctypes
import operator
import secrets
import sys
import types
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from mjsim import view
from mjsim.actions import BEGIN, N_ACTIONS, OTHER
from mjsim.envs.common import check_episode, check_reward, engine_array, observe_calls
from mjsim.envs.kernels import HAND_EPISODE, play_solo
from mjsim.envs.render import ansi, picture
from mjsim.errors import IllegalAction, UsageError
from mjsim.hand import engine_calls
from mjsim.hand_record import CLAIM, DECLARE, HAND, OVER
from mjsim.observe import N_PRIVILEGED, N_ROWS
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules

AGENTS = ("seat_0", "seat_1", "seat_2", "seat_3")
_SEAT = {agent: seat for seat, agent in enumerate(AGENTS)}

#: What the wrapped environment's player of an illegal action gets, in tai.
ILLEGAL_REWARD = -1.0

#: Rows of `state()`: seat 0's observation, what is hidden from it, and one row of single values.
N_STATE_ROWS = N_ROWS + N_PRIVILEGED + 1
STATE_VALUES = (
    "0-3 which seat is asked; 4-10 what: give, choice, turn, claim, rob, flower, over (none of them: Original Call); "
    "11 kind of the tile drawn last + 1 (0 none); 12-15 by seat: answer to a claim that is not resolved yet, "
    "action - 135 (0 none); 16-24 tiles that seats 1, 2, 3 gave in the first exchange, kind + 1 (0 none); "
    "25-33 in the second"
)

#: Attributes that belong to one process: addresses, C functions, memory that they fill.
_OF_PROCESS = frozenset(
    {
        "_apply", "_lay", "_observe", "_hidden", "_legal", "_engine", "_array", "_address", "_rules_address", "_asked",
        "_seen", "_seen_address", "_mask", "_mask_address", "_state", "_state_address",
    }
)  # fmt: skip

_NOBODY = np.zeros(4, dtype=np.int64)
_NO_MASK = np.zeros(N_ACTIONS, dtype=np.int8)


def _check_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**62:
        raise UsageError(f"seed: {seed!r} is no whole number of 0 to 2**62 - 1")
    return int(seed)


class AEC(AECEnv):
    """The raw environment; see `aec` for its arguments.

    Attributes beside PettingZoo's: `rules`; `record` (HAND, the hand in play); `scores`, list of 4, of the hand that ended last;
    `hands_done`, hands ended in this episode; `seed`, `match`: where the luck of this episode comes from.
    """

    metadata = {  # noqa: RUF012
        "name": "mjsim_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: str | Rules = "douque-american",
        episode: str = "hand",
        match_hands: int = 16,
        reward: str = "score",
        render_mode: str | None = None,
        derived: bool = True,
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self.rules = make_rules(rules)
        self.episode = check_episode(episode, match_hands)
        self.match_hands = int(match_hands)
        self.factor = check_reward(reward)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            known = ", ".join(self.metadata["render_modes"])
            raise UsageError(f"render_mode: {render_mode!r} is not one of {known}, or None")
        self.render_mode = render_mode
        self.derived = int(bool(derived))
        self.seed: int | None = None if seed is None else _check_seed(seed)
        self.match = -1
        self.hands_done = 0
        self.scores = [0, 0, 0, 0]
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.agent_selection = AGENTS[0]
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._paid = False
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 127, (N_ROWS, 34), np.int8),
                    "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(N_ACTIONS) for agent in AGENTS}
        self.state_space = spaces.Box(0, 127, (N_STATE_ROWS, 34), np.int8)
        self._bind(np.zeros(1, dtype=HAND))

    def _bind(self, array: np.ndarray) -> None:
        """Look up the C functions and addresses of this process once; `array` is HAND[1], this table's own."""
        self._apply, self._lay = engine_calls()
        self._observe, self._hidden, self._legal = observe_calls()
        self._engine = engine_array()
        self._array = array
        self._address = array.ctypes.data
        self._rules_address = self.rules.address
        self._asked = ctypes.c_int8.from_address(self._address + HAND.fields["seat"][1])
        self._seen = np.zeros((N_ROWS, 34), dtype=np.int8)
        self._seen_address = self._seen.ctypes.data
        self._mask = np.zeros(N_ACTIONS, dtype=np.int8)
        self._mask_address = self._mask.ctypes.data
        self._state = np.zeros((N_STATE_ROWS, 34), dtype=np.int8)
        self._state_address = self._state.ctypes.data

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    @property
    def record(self) -> np.void:
        """The HAND record of the hand in play (see `mjsim.hand_record`): reading it is safe."""
        return self._array[0]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: begins with match 0 of this seed. Without one the next match of the last seed is played; an environment that
                never got a seed draws one.
            options: not used.

        A hand that ends on the deal (such as Heavenly Hand) asks nobody anything: as an episode of its own it is passed over, in a
        match its scores are among the first rewards.
        """
        if seed is not None:
            self.seed, self.match = _check_seed(seed), -1
        elif self.seed is None:
            self.seed = secrets.randbits(62)
        rewards, scores = np.zeros(4, dtype=np.float32), np.zeros(4, dtype=np.int32)
        over = 1
        while over:
            self.match += 1
            over = play_solo(
                self._array, self.rules.array, self._engine, _NOBODY, _NOBODY, self.seed, self.match, BEGIN, self.episode,
                self.match_hands, rewards, scores,
            )  # fmt: skip
        self.hands_done = 0 if self.episode == HAND_EPISODE else int(self._array["hand"][0])
        self.scores = scores.tolist()
        self.agents = list(AGENTS)
        self.rewards = {agent: paid * self.factor for agent, paid in zip(AGENTS, rewards.tolist(), strict=True)}
        self._paid = bool(rewards.any())
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {"action_mask": _NO_MASK.copy()} for agent in AGENTS}
        self._skip_agent_selection = None
        self._ask(self._asked.value)
        if self.render_mode == "human":
            self.render()

    def _ask(self, seat: int) -> None:
        """Select a seat and put its mask where the wrappers look for it."""
        agent = AGENTS[seat]
        self.agent_selection = agent
        self._legal(self._address, seat, self._mask_address)
        self.infos[agent] = {"action_mask": self._mask.copy()}

    def step(self, action: int | None) -> None:
        """Make the decision of `agent_selection` and go on to the next decision of anybody.

        Raises IllegalAction, with nothing changed, for an action that is not legal here.
        """
        agent = self.agent_selection
        try:
            gone = self.terminations[agent] or self.truncations[agent]
        except KeyError:
            raise UsageError("step: the episode is over, or has not begun; call reset()") from None
        if gone:
            self._was_dead_step(action)
            return
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        # A negative number is no action to the engine but the order to begin.
        if number < 0 or self._apply(self._address, self._rules_address, number) != 0:
            legal = ", ".join(self.legal())
            raise IllegalAction(f"action {action!r} is not legal for {agent} here (legal: {legal})")
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self.rewards = dict.fromkeys(AGENTS, 0.0)
            self._paid = False
        seat = self._asked.value
        if seat < 0:
            seat = self._end_hand()
        self.infos[agent] = {"action_mask": _NO_MASK.copy()}
        if seat >= 0:
            self._ask(seat)
        if self.render_mode == "human":
            self.render()

    def _end_hand(self) -> int:
        """Pay for a finished hand and begin the next one of a match; the seat that is asked, -1 at the end of the episode."""
        record = self._array[0]
        total = [0, 0, 0, 0]
        seat = -1
        while seat < 0:
            self.scores = record["scores"].tolist()
            total = [a + b for a, b in zip(total, self.scores, strict=True)]
            self.hands_done += 1
            hand = int(record["hand"]) + 1
            if self.episode == HAND_EPISODE or record["match_over"] or hand >= self.match_hands:
                self.terminations = dict.fromkeys(AGENTS, True)
                self.agent_selection = AGENTS[0]
                break
            for name in ("dealer", "streak", "prevailing", "pool"):
                record[name] = record[f"next_{name}"]
            self._lay(self._address, self._rules_address, self.seed, self.match, hand)
            self._apply(self._address, self._rules_address, BEGIN)
            seat = self._asked.value
        for agent, score in zip(AGENTS, total, strict=True):
            reward = score * self.factor
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
        self._paid = True
        return seat

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What a seat sees now, whoever is asked, also after the end.

        Returns:
            observation: int8[N_ROWS, 34] (rows: docs/observation.md).
            action_mask: int8[147], 1 for each legal action; all zero unless the seat is asked.
        """
        if self.match < 0:
            raise UsageError("observe: the episode has not begun; call reset()")
        self._observe(self._address, self._rules_address, _SEAT[agent], self._seen_address, self.derived)
        info = self.infos.get(agent)
        mask = _NO_MASK if info is None or self.terminations[agent] else info["action_mask"]
        return {"observation": self._seen.copy(), "action_mask": mask.copy()}

    def state(self) -> np.ndarray:
        """Everything, for central critics: int8[N_ROWS + N_PRIVILEGED + 1, 34].

        Seat 0's observation, the privileged rows of what seat 0 may not see, and one row of STATE_VALUES (docs/observation.md).
        """
        if self.match < 0:
            raise UsageError("state: the episode has not begun; call reset()")
        out, at, record = self._state, self._state_address, self._array[0]
        self._observe(self._address, self._rules_address, 0, at, self.derived)
        self._hidden(self._address, self._rules_address, 0, at + N_ROWS * 34)
        row = out[-1]
        row[:] = 0
        phase = int(record["phase"])
        if phase != OVER:
            row[int(record["seat"])] = 1
        if phase != DECLARE:
            row[10 if phase == OVER else 4 + phase] = 1
        row[11] = record["drawn"] + 1
        if phase == CLAIM:
            answers = record["answers"]
            row[12:16] = np.where(answers >= OTHER, answers - (OTHER - 1), 0)
        row[16:34] = record["gives"][:, 1:].reshape(-1) + 1
        return out.copy()

    def legal(self) -> list[str]:
        """Legal actions of `agent_selection` as FORMATS texts, sorted; empty after the end."""
        record = self._array[0]
        return view.legal_texts(record["legal"].tolist(), int(record["claim_tile"]) if record["phase"] == CLAIM else -1)

    def render(self) -> str | np.ndarray | None:
        """The table with all tiles open: text for "ansi", uint8[h, w, 3] for "rgb_array"; "human" prints the text."""
        if self.render_mode is None:
            logger.warn('render() without a render mode: make the environment with render_mode="ansi" or "rgb_array"')
            return None
        if self.match < 0:
            raise UsageError("render: the episode has not begun; call reset()")
        if self.render_mode == "rgb_array":
            return picture(self._array[0], self.rules)
        text = ansi(self._array[0], self.rules)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing to let go of."""

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in _OF_PROCESS}
        state["record"] = self._array.tobytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        array = np.frombuffer(state.pop("record"), dtype=HAND).copy()
        self.__dict__.update(state)
        self._bind(array)

    def __deepcopy__(self, memo: dict) -> AEC:
        other = object.__new__(type(self))
        memo[id(self)] = other
        state = self.__getstate__()
        rules = state.pop("rules")
        other.__setstate__({"rules": rules, **copy.deepcopy(state, memo)})
        return other


def aec(
    rules: str | Rules = "douque-american",
    episode: str = "hand",
    match_hands: int = 16,
    reward: str = "score",
    render_mode: str | None = None,
    derived: bool = True,
    seed: int | None = None,
) -> AEC:
    """The raw PettingZoo environment: complete by itself, an illegal action raises `mjsim.IllegalAction`.

    Args:
        rules: a `Rules` or the name of a rule set.
        episode: "hand" (one hand; dealer and prevailing wind drawn anew, streak 0) or "match" (`match_hands` hands; dealer,
            streak and winds carried on).
        reward: "score" in tai, or "scaled" (score / 16). Rewards are zero-sum and come from settlements alone.
        render_mode: "ansi", "rgb_array", "human" (prints after every step) or None.
        derived: fill the derived observation rows (shanten, ukeire).
        seed: of the first `reset()` that brings none.

    Agents are seat_0 to seat_3, alive until the episode ends for all. Observations: see `AEC.observe`. Each seat's own
    transitions go from one of its observations to the next, with the rewards in between summed (`last()`).
    """
    return AEC(rules, episode, match_hands, reward, render_mode, derived, seed)


def raw_env(**arguments: Any) -> AEC:
    """`aec` under PettingZoo's name for it; the same arguments."""
    return aec(**arguments)


def env(**arguments: Any) -> AECEnv:
    """`aec` behind PettingZoo's usual wrappers; the same arguments.

    An illegal action ends the episode for all, with a reward of -1 for its player; an action outside 0-146 fails an assertion;
    calls before `reset()` are refused.
    """
    wrapped = wrappers.TerminateIllegalWrapper(aec(**arguments), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class _CallableModule(types.ModuleType):
    """Importing this module puts it at `mjsim.envs.aec`, where users call the function of that name."""

    def __call__(self, *args: Any, **arguments: Any) -> AEC:
        return aec(*args, **arguments)


sys.modules[__name__].__class__ = _CallableModule
