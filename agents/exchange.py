"""Strategies of the Three-Tile Exchange as agents: how to give, and the dealer's decision; a base agent plays the rest.

A way to give is a text: criteria joined by + (`shanten+ukeire`, `honors+shanten`), each deciding between sets of three that are
equal by those before and the lot between what is equal by all; `random` (no criterion); `greedy` or `heuristic` (that agent's
own way); or `search`. The dealer's decision is `start`, `exchange`, `shanten>=K` or `search`. What is searched is searched by the
agent of that name, which is told (`others`) how the others of the field give.

Strategies read only what their seat may see, and leave the seat's stream as it was.
"""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from numba import carray

from mjsim.actions import EXCHANGE, GIVE, START
from mjsim.agents import registry
from mjsim.agents.exchange_gifts import CRITERIA, HELD, MAX_CRITERIA, PLACES, next_gift
from mjsim.agents.registry import Agent
from mjsim.errors import UsageError
from mjsim.flow.engine import POLICY
from mjsim.flow.lacking import lack_of
from mjsim.hand_record import CHOICE
from mjsim.hand_record import GIVE as GIVE_PHASE
from mjsim.jit import address_as_pointer, call, pointer

RANDOM, SEARCH, HEURISTIC = "random", "search", "heuristic"
#: Agents whose own way to give can be named.
OWN_WAYS = ("greedy", HEURISTIC)
#: Words of a way to give, each with what it prefers.
WORDS = CRITERIA | {
    RANDOM: "three tiles by lot",
    **{name: f"what the agent {name} gives" for name in OWN_WAYS},
    SEARCH: "the best mean of hands played out",
}
DEFAULT_DEALER = "shanten>=2"
DEFAULT_FIELD = "shanten+ukeire"
MAX_SHANTEN = 8
#: Worlds of a searched choice for each of its rollouts: the parameters `exchange` and `choice` of the agent `search`.
WORLDS = 8
DEFAULT_ROLLOUTS = 16

#: What the policy reads: whole numbers and addresses, int64.
(
    GIVES_BY, N_CRITERIA, FIRST_CRITERION, DECIDES_BY, THRESHOLD, PLAY, PLAY_PARAMETERS, GIVER, GIVER_PARAMETERS,
    DECIDER, DECIDER_PARAMETERS, PLAY_END, N_VALUES,
) = (0, 1, 2, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)  # fmt: skip
BY_CRITERIA, BY_AGENT = range(2)
ALWAYS_START, ALWAYS_EXCHANGE, BY_SHANTEN, DECIDED_BY_AGENT = range(4)
assert FIRST_CRITERION + MAX_CRITERIA <= DECIDES_BY


@pointer(POLICY)
def policy(h, r, parameters):
    """Gives and decides by the strategy, and plays as the base agent."""
    values = carray(address_as_pointer(parameters), N_VALUES).view(np.int64)
    s = np.int64(h.seat)
    if h.phase == GIVE_PHASE:
        if values[GIVES_BY] == BY_AGENT:
            return call(values[GIVER], (h, r, values[GIVER_PARAMETERS]))
        criteria = values[FIRST_CRITERION : FIRST_CRITERION + values[N_CRITERIA]]
        return GIVE + next_gift(h, r, s, criteria, np.empty(1, HELD), np.empty(1, PLACES))
    if h.phase == CHOICE:
        if values[DECIDES_BY] == DECIDED_BY_AGENT:
            return call(values[DECIDER], (h, r, values[DECIDER_PARAMETERS]))
        if values[DECIDES_BY] == ALWAYS_START:
            return START
        if values[DECIDES_BY] == ALWAYS_EXCHANGE:
            return EXCHANGE
        return EXCHANGE if lack_of(h, r, s) - 1 >= values[THRESHOLD] else START
    return call(values[PLAY], (h, r, values[PLAY_PARAMETERS]))


@pointer(POLICY)
def ended(h, r, parameters):
    """Tells the base agent that the hand is over."""
    values = carray(address_as_pointer(parameters), N_VALUES).view(np.int64)
    return call(values[PLAY_END], (h, r, values[PLAY_PARAMETERS]))


class ExchangeAgent(Agent):
    """An agent of a way to give, a dealer's decision and a base agent (see `make`).

    Attributes:
        play: the base agent.
        giver, decider: the agents that give and decide; None where a rule does.
    """

    def __init__(self, name: str, values: np.ndarray, play: Agent, giver: Agent | None, decider: Agent | None) -> None:
        super().__init__(name, policy)
        self.play, self.giver, self.decider = play, giver, decider  # kept: their addresses stand in `values`
        self.parameters = values.view(np.float64)
        self.end_address = ended.address if play.end_address else 0
        self.piece = min(agent.piece for agent in (play, giver, decider) if agent is not None)

    def complaint(self, what: str) -> BaseException:
        return self.play.complaint(what)

    def take_faults(self) -> list[dict[str, Any]]:
        return self.play.take_faults()

    def close(self) -> None:
        self.play.close()


def check_way(text: str) -> str:
    """A way to give in its plain form; UsageError names the bad word."""
    words = [word.strip() for word in str(text).split("+")]
    for word in words:
        if word not in WORDS:
            near = difflib.get_close_matches(word, WORDS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"strategy {text!r}: unknown word {word!r}{hint} (known: {', '.join(WORDS)})")
        if len(words) > 1 and word not in CRITERIA:
            raise UsageError(f"strategy {text!r}: {word!r} stands alone (to be joined are: {', '.join(CRITERIA)})")
    if len(set(words)) < len(words):
        raise UsageError(f"strategy {text!r}: a word stands twice")
    return "+".join(words)


def check_dealer(text: str) -> str:
    """A dealer's decision in its plain form; UsageError says what there is."""
    plain = str(text).replace(" ", "")
    if plain in ("start", "exchange", SEARCH):
        return plain
    name, found, k = plain.partition(">=")
    if name == "shanten" and found and k.isdecimal() and int(k) <= MAX_SHANTEN:
        return f"shanten>={int(k)}"
    raise UsageError(f"dealer: {text!r} is none of start, exchange, shanten>=K (K of 0-{MAX_SHANTEN}), search")


def searcher(gifts: bool, rollouts: int = DEFAULT_ROLLOUTS, field: str = DEFAULT_FIELD) -> str:
    """The text of the agent that searches gifts, else the dealer's decision, in WORLDS x `rollouts` worlds on average.

    It supposes that the others give as `heuristic`, which keeps honors, where `field` is that, and else by shanten and ukeire.
    """
    part = "choice=0" if gifts else "exchange=0"
    return f"search:rollouts={rollouts}:turn=0:claim=0:{part}:others={int(field == HEURISTIC)}"


def make(
    way: str,
    dealer: str = DEFAULT_DEALER,
    play: str = "greedy",
    *,
    rollouts: int = DEFAULT_ROLLOUTS,
    field: str = DEFAULT_FIELD,
) -> ExchangeAgent:
    """The agent that gives in this way, decides so as dealer, and plays the rest as the agent `play`.

    `rollouts` and `field`, the way in which the other seats give, are for the words that search (see `searcher`). Raises
    UsageError for unknown words.
    """
    way, dealer = check_way(way), check_dealer(dealer)
    base = registry.make(play)
    values = np.zeros(N_VALUES, np.int64)
    values[PLAY], values[PLAY_PARAMETERS], values[PLAY_END] = base.address, base.parameters_address, base.end_address
    giver = decider = None
    if way == SEARCH or way in OWN_WAYS:
        giver = registry.make(searcher(True, rollouts, field) if way == SEARCH else way)
        values[GIVES_BY], values[GIVER], values[GIVER_PARAMETERS] = BY_AGENT, giver.address, giver.parameters_address
    elif way != RANDOM:
        listed = [list(CRITERIA).index(word) for word in way.split("+")]
        values[N_CRITERIA] = len(listed)
        values[FIRST_CRITERION : FIRST_CRITERION + len(listed)] = listed
    if dealer == SEARCH:
        decider = registry.make(searcher(False, rollouts, field))
        values[DECIDES_BY] = DECIDED_BY_AGENT
        values[DECIDER], values[DECIDER_PARAMETERS] = decider.address, decider.parameters_address
    elif dealer in ("start", "exchange"):
        values[DECIDES_BY] = ALWAYS_START if dealer == "start" else ALWAYS_EXCHANGE
    else:
        values[DECIDES_BY], values[THRESHOLD] = BY_SHANTEN, int(dealer.partition(">=")[2])
    return ExchangeAgent(f"{way}/{dealer}/{base.name}", values, base, giver, decider)


def resolve(text: str) -> Agent:
    """The agent of a text `WAY/DEALER/PLAY`, such as `honors+shanten/start/greedy`; later parts may be left out.

    A resolver for `evaluate`: `resolver="mjsim.agents.exchange:resolve"`.
    """
    parts = [part.strip() for part in str(text).split("/")]
    if len(parts) > 3:
        raise UsageError(f"strategy {text!r}: at most three parts, way/dealer/play")
    return make(*parts)
