"""`Solo`: one learner at a table of agents, as a Gymnasium environment (`mjsim/Solo-v0`).

Owns the episode as one seat lives it: what an unseeded reset begins, rewards, illegal actions. The opponents are played inside
compiled code (`kernels.play_solo`).
"""

from __future__ import annotations

import logging
import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from mjsim import view
from mjsim.actions import BEGIN, CHOW_PARTNERS, N_ACTIONS, format_action
from mjsim.agents.registry import make
from mjsim.envs.common import EPISODES, Inside, check_episode, check_reward, engine_array, observe_calls
from mjsim.envs.kernels import play_solo
from mjsim.envs.registration import register
from mjsim.errors import IllegalAction, UsageError
from mjsim.hand_record import CLAIM, HAND
from mjsim.observe import N_ROWS
from mjsim.ruleset import Rules
from mjsim.ruleset import rules as make_rules

#: Tai lost by an illegal action where it ends the episode: more than any hand or match is expected to cost, so that
#: breaking the rules is never a way out.
ILLEGAL_PENALTY = 100
ILLEGAL = ("end", "raise")

_OPTIONS = ("match", "seat")
_log = logging.getLogger("mjsim")


class Solo(gymnasium.Env):
    """One learner against three agents.

    Args:
        rules: a `Rules` or a name.
        opponents: one agent for all three, or three: the next player, the opposite, the previous.
        seat: where the learner sits, 0-3, or "random", drawn from `np_random` at each reset.
        episode: "hand" (dealer and wind drawn anew) or "match" (from seat 0 as dealer, carried on for `match_hands` hands).
        reward: "score" in tai, or "scaled" (score / 16).
        derived: fill the derived observation rows (shanten, ukeire).
        illegal: what an action that is not legal here does: "end" ends the episode (terminated) with a reward of
            -`ILLEGAL_PENALTY` tai, `info["illegal_action"]` and, once, a logged warning; "raise" raises `mjsim.IllegalAction`.
            Gymnasium asks that `step` takes every member of the action space, and an algorithm without masks needs an answer;
            with masks it never comes up, and "raise" shows a mistake at once. The engine itself accepts none, either way.
        render_mode: None, "ansi" or "rgb_array".

    Observation: `Box` int8[N_ROWS, 34], what the seat may see (rows: docs/observation.md). Action: `Discrete(147)`
    (`mjsim.actions`). Legal ones: `action_masks()`, bool[147], and `info["action_mask"]`, int8[147]; all false at the end.
    The observation, the mask and `info` are new objects at every call, yours to keep.

    Reward of a step: the learner's score of every hand that ended between this decision and its next one; 0 otherwise. So
    the rewards of an episode sum to its score, but for hands that end before the learner's first decision (an opponent wins at
    once; under rules with the exchange everybody decides first). No step could carry them. An episode without any decision
    is skipped by `reset`, which goes on to the next match; `info["skipped_hands"]` and `info["skipped_score"]` (tai) of
    `reset` tell of all hands before the first decision. No policy can change them, so that two policies compare without;
    an unbiased mean score of a hand counts them: (sum of scores + skipped scores) / (hands + skipped hands).

    Info: "action_mask", "seat"; when a hand ended "hands_ended" (in this step) and "scores" (int64[4], tai by
    seat, of the last one), and "end" ("win", "draw", "flower") when the episode is over; at reset "match" and the two above.

    `reset(seed=s)` begins match 0 of seed s (that of `mjsim.Hand(seed=s)` and `VectorEnv`), `reset()` the next match; without any
    seed the luck is drawn from the system. `options={"match": m, "seat": k}` picks a match of the seed, or a seat, to play
    the same luck from other seats or with other policies. Episodes end by `terminated`, never by `truncated`.

    `copy.deepcopy` and `pickle` in the midst of a hand keep its future.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 (gymnasium's own form)

    def __init__(
        self,
        rules: str | Rules = "douque-american",
        opponents: Any = "greedy",
        *,
        seat: int | str = 0,
        episode: str = "hand",
        match_hands: int = 16,
        reward: str = "score",
        derived: bool = True,
        illegal: str = "end",
        render_mode: str | None = None,
    ) -> None:
        self._episode = check_episode(episode, match_hands)
        self._factor = check_reward(reward)
        if illegal not in ILLEGAL:
            raise UsageError(f"illegal: {illegal!r} is not one of {', '.join(ILLEGAL)}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UsageError(f"render_mode: {render_mode!r} is not one of {', '.join(self.metadata['render_modes'])}")
        if seat != "random":
            seat = _check_seat(seat)
        self.rules = make_rules(rules)
        self.opponents = _three(opponents)
        self.seat_option = seat
        self.match_hands = int(match_hands)
        self.derived = bool(derived)
        self.illegal = illegal
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 127, (N_ROWS, 34), np.int8)
        self.action_space = spaces.Discrete(N_ACTIONS)
        self._table = np.zeros(1, dtype=HAND)
        self._seed: int | None = None
        self._match = -1
        self._seat = 0 if seat == "random" else seat
        self._asked = False
        self._warned = False
        self._bind()

    def _bind(self) -> None:
        """All that holds only in this process: compiled code and addresses."""
        self.rules.ready()
        self._engine = engine_array()
        self._observe, _, self._legal_mask = observe_calls()
        self._rewards = np.zeros(4, dtype=np.float32)
        self._scores = np.zeros(4, dtype=np.int32)
        self._address = self._table.ctypes.data
        self._sit(self._seat)

    def _sit(self, seat: int) -> None:
        self._seat = seat
        self._inside = Inside({(seat + 1 + i) % 4: agent for i, agent in enumerate(self.opponents)})

    @property
    def seat(self) -> int:
        """The learner's seat, 0-3."""
        return self._seat

    @property
    def record(self) -> np.void:
        """The HAND record of the table, hidden tiles and all (see `mjsim.hand_record`)."""
        return self._table[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode and go on to the learner's first decision."""
        super().reset(seed=seed)
        options = options or {}
        for key in options:
            if key not in _OPTIONS:
                raise UsageError(f"options: {key!r} is not one of {', '.join(_OPTIONS)}")
        if seed is not None:
            if seed >= 2**62:
                raise UsageError(f"seed: {seed!r} is no whole number of 0 to 2**62 - 1")
            self._seed, self._match = int(seed), -1
        elif self._seed is None:
            self._seed = int(self.np_random.integers(2**62))
        match = _check_match(options.get("match", self._match + 1))
        drawn = int(self.np_random.integers(4)) if self.seat_option == "random" else self.seat_option
        seat = _check_seat(options.get("seat", drawn))
        if seat != self._seat:
            self._sit(seat)
        skipped_hands, skipped_score = 0, 0
        while True:
            self._match = match
            over, hands = self._play(BEGIN)
            skipped_hands += hands
            skipped_score += int(self._rewards[self._seat])
            if not over:
                break
            match += 1
        self._asked = True
        observation, info = self._show()
        info |= {"match": self._match, "skipped_hands": skipped_hands, "skipped_score": skipped_score}
        return observation, info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Make the learner's decision and go on to its next one, or to the end of the episode."""
        if not self._asked:
            raise ResetNeeded("no decision is asked of the learner: call reset() first")
        number = _check_action(action)
        if not 0 <= number < N_ACTIONS:
            raise IllegalAction(f"action {action!r} is none of 0-{N_ACTIONS - 1} (legal: {self._legal_text()})")
        result = self._play(number)
        if result is None:
            text = "a chow" if number in CHOW_PARTNERS else format_action(number)
            what = f"action {number} ({text}) is not legal for seat {self._seat} here (legal: {self._legal_text()})"
            if self.illegal == "raise":
                raise IllegalAction(what)
            return self._end_for_illegal(what)
        over, hands = result
        self._asked = not over
        observation, info = self._show()
        if hands:
            info["hands_ended"] = hands
            info["scores"] = self._scores.astype(np.int64)
        if over:
            info["end"] = view.end_text(self._table[0])
        return observation, float(self._rewards[self._seat]) * self._factor, over, False, info

    def action_masks(self) -> np.ndarray:
        """bool[147]: the legal actions (the name that sb3-contrib looks for)."""
        return self._mask().view(np.bool_)

    def render(self) -> Any:
        """The table from the learner's chair: text for "ansi", uint8[height, width, 3] for "rgb_array"."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                'render() without a render mode; make the environment with render_mode="ansi" or "rgb_array"'
            )
            return None
        from mjsim.envs import render

        draw = render.ansi if self.render_mode == "ansi" else render.picture
        return draw(self._table, self.rules, self._seat)

    def close(self) -> None:
        """Nothing is held open."""

    def _play(self, action: int) -> tuple[bool, int] | None:
        """Whether the episode is over, and the hands that ended; None when the action was illegal."""
        number = 0 if action == BEGIN else int(self._table["hand"][0])
        code = play_solo(
            self._table, self.rules.array, self._engine, self._inside.policies, self._inside.parameters, self._seed,
            self._match, action, self._episode, self.match_hands, self._rewards, self._scores,
        )  # fmt: skip
        if code == -1:
            return None
        if code < 0:
            agent = self._inside.agents[int(self._table["seat"][0])]
            raise agent.complaint(f"agent {agent.name!r} answered an illegal action")
        over = code == 1
        if self._episode == EPISODES["hand"]:
            return over, int(over)
        return over, int(self._table["hand"][0]) - number + over

    def _mask(self) -> np.ndarray:
        mask = np.zeros(N_ACTIONS, dtype=np.int8)
        if self._asked:
            self._legal_mask(self._address, self._seat, mask.ctypes.data)
        return mask

    def _show(self) -> tuple[np.ndarray, dict[str, Any]]:
        observation = np.empty((N_ROWS, 34), dtype=np.int8)
        self._observe(self._address, self.rules.address, self._seat, observation.ctypes.data, int(self.derived))
        return observation, {"action_mask": self._mask(), "seat": self._seat}

    def _end_for_illegal(self, what: str) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if not self._warned:
            self._warned = True
            _log.warning(
                "Solo: %s; the episode ends with reward %g. Use action_masks() or info['action_mask'], "
                "or illegal='raise'. Said once.",
                what,
                -ILLEGAL_PENALTY * self._factor,
            )
        self._asked = False
        observation, info = self._show()
        info["illegal_action"] = what
        return observation, -ILLEGAL_PENALTY * self._factor, True, False, info

    def _legal_text(self) -> str:
        """Every legal action as `number text`."""
        claimed = int(self._table["claim_tile"][0]) if self._table["phase"][0] == CLAIM else None
        return ", ".join(f"{a} {format_action(int(a), claimed)}" for a in np.flatnonzero(self._mask()))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for key in ("_engine", "_observe", "_legal_mask", "_rewards", "_scores", "_address", "_inside", "_table"):
            del state[key]
        state["record"] = self._table.tobytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        record = np.frombuffer(state.pop("record"), dtype=np.uint8)
        self._table = record.copy().view(HAND)  # copied as bytes: copies of records leave the padding undefined
        self.__dict__.update(state)
        self._bind()


def _check_seat(seat: Any) -> int:
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat <= 3:
        raise UsageError(f'seat: {seat!r} is none of 0, 1, 2, 3, "random"')
    return int(seat)


def _check_match(match: Any) -> int:
    if isinstance(match, bool) or not isinstance(match, (int, np.integer)) or not 0 <= match < 2**62:
        raise UsageError(f"options: match {match!r} is no whole number of 0 to 2**62 - 1")
    return int(match)


def _check_action(action: Any) -> int:
    try:
        return operator.index(action)
    except TypeError:
        raise IllegalAction(f"action {action!r} is no whole number of 0-{N_ACTIONS - 1}") from None


def _three(opponents: Any) -> list[Any]:
    """Three agents, checked: (next, opposite, previous)."""
    listed = [opponents] if isinstance(opponents, str) or not hasattr(opponents, "__len__") else list(opponents)
    if len(listed) == 1:
        listed = listed * 3
    if len(listed) != 3:
        raise UsageError(
            f"opponents: {len(listed)} of them, but one for all or three (next, opposite, previous) are needed"
        )
    for agent in listed:
        make(agent)
    return listed


register()
