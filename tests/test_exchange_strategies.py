"""Strategies of the exchange: gifts against plain Python, lots, the dealer's decision, what is searched."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest

import mjsim
from mjsim.actions import EXCHANGE, GIVE, START
from mjsim.agents import exchange, registry
from mjsim.agents.exchange import make
from mjsim.agents.python_agent import PythonAgent
from mjsim.agents.search import PARAMETERS
from mjsim.batch import Players, play_one_match
from mjsim.hand_record import HAND
from mjsim.play import DECISION, MAX_DECISIONS
from mjsim.tiles import FULL_SET
from tests import plain_exchange
from tests.test_agents import copied, hidden_shuffled


def ask(agent: registry.Agent, hand: mjsim.Hand) -> int:
    return agent.policy.python()(hand._array.ctypes.data, hand.rules.address, agent.parameters_address)


def gift_of(agent: registry.Agent, hand: mjsim.Hand) -> tuple[int, ...]:
    """The three tiles that the seat asked gives, in order; the hand goes on."""
    given = []
    for _ in range(3):
        action = ask(agent, hand)
        given.append(action - GIVE)
        hand.apply(action)
    return tuple(given)


def asked_to_give(seed: int, seat: int = 0, second: bool = False) -> mjsim.Hand:
    """A hand in which the seat `seat` from the dealer on is asked for its first tile."""
    hand = mjsim.Hand(seed=seed)
    others = make("random")
    for _ in range(4 if second else 0):
        gift_of(others, hand)
    if second:
        hand.apply("exchange")
    for _ in range(seat):
        gift_of(others, hand)
    assert hand.phase == "give"
    return hand


# ---- gifts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize(
    "way",
    ["shanten", "shanten+ukeire", "honors+shanten", "suit", "honors", "terminals+ukeire", "pungs", "pungs+suit+honors",
     "random", "suit+terminals+shanten+ukeire+pungs+honors"],
)  # fmt: skip
def test_a_gift_is_one_of_the_best_sets_of_three(way, second):
    """Of the dealer's 17 tiles and others' 16: all sets, worth and ties as plain Python finds them."""
    agent = make(way)
    for seed in range(3):
        hand = asked_to_give(seed, seed % 4, second)
        counts = hand.record["counts"][hand.seat].copy()
        best = plain_exchange.best_gifts(way, counts)
        assert gift_of(agent, hand) in best


def test_ukeire_alone_looks_at_no_shanten():
    """It leaves more accepting tiles than the sets of fewest shanten, further off."""
    hand = asked_to_give(1, 1)
    counts = tuple(int(n) for n in hand.record["counts"][hand.seat])
    gift = gift_of(make("ukeire"), hand)
    near = plain_exchange.best_gifts("shanten+ukeire", counts)[0]
    assert plain_exchange.value("ukeire", counts, gift) > plain_exchange.value("ukeire", counts, near)
    assert plain_exchange.value("shanten", counts, gift) < plain_exchange.value("shanten", counts, near)


def test_special_hands_count_where_the_rules_have_them():
    """Six pairs and five single tiles: for seven pairs and a triplet the pairs stay whole, for melds alone they need not."""
    rules = mjsim.rules("four-winds", exchange=True)
    single = [2, 3, 14, 15, 22]
    tiles = [27, 27, 28, 28, 29, 29, 30, 30, 31, 31, 32, 32, *single]  # the dealer's
    rest = [k for k in FULL_SET.tolist() if k < 34]
    for k in tiles:
        rest.remove(k)
    flowers = list(range(34, 42))
    wall = _dealt(tiles, rest[:48]) + flowers + rest[48:]
    hand = mjsim.Hand(rules, wall=wall, dice=[1, 2, 4], pairings=[[1, 0, 3, 2], [2, 3, 1, 0]])
    assert hand.record["counts"][0].sum() == 17
    given = gift_of(make("shanten"), hand)
    assert set(given) <= set(single), "pairs stay whole for seven pairs"
    plain = mjsim.Hand(mjsim.rules("four-winds", exchange=True, seven_pairs=False), wall=wall, dice=[1, 2, 4],
                       pairings=[[1, 0, 3, 2], [2, 3, 1, 0]])  # fmt: skip
    melds_only = {gift_of(make("shanten"), with_stream(plain.copy(), 0, n)) for n in range(60)}
    assert any(not set(gift) <= set(single) for gift in melds_only), "without them pairs are given too"


def _dealt(dealer: list[int], others: list[int]) -> list[int]:
    """The wall's first 65 tiles, so that seat 0 is dealt `dealer` and the others `others`."""
    wall = []
    mine, theirs = iter(dealer), iter(others)
    for _ in range(4):
        wall += [next(mine) for _ in range(4)]
        wall += [next(theirs) for _ in range(12)]
    return [*wall, next(mine)]


def with_stream(hand: mjsim.Hand, seat: int, number: int) -> mjsim.Hand:
    """The hand with another stream of a seat."""
    hand.record["rng"][seat] = 0x9E37_79B9 * (number + 1)
    return hand


@pytest.mark.parametrize("way", ["pungs", "honors"])
def test_each_of_the_best_sets_has_the_same_chance(way):
    """The lot falls tile by tile, yet over many streams every best set comes as often as another."""
    hand = next(
        hand
        for hand in (asked_to_give(seed, 1) for seed in range(200))
        if 3 <= len(plain_exchange.best_gifts(way, hand.record["counts"][hand.seat])) <= 60
    )
    best = plain_exchange.best_gifts(way, hand.record["counts"][hand.seat])
    agent = make(way)
    n = 200 * len(best)
    drawn = Counter(gift_of(agent, with_stream(hand.copy(), hand.seat, i)) for i in range(n))
    assert set(drawn) == set(best)
    spread = sum((drawn[gift] - 200) ** 2 / 200 for gift in best)
    assert spread < len(best) + 4 * (2 * len(best)) ** 0.5  # chi-square, its mean and four standard deviations


def test_gifts_of_agents_are_theirs():
    for name in exchange.OWN_WAYS:
        agent, own = make(name), registry.make(name)
        for seed in range(6):
            assert gift_of(agent, asked_to_give(seed, seed % 4)) == gift_of(own, asked_to_give(seed, seed % 4))


def test_what_follows_the_exchange_is_the_base_agents():
    agent, greedy = make("random", "exchange", "greedy"), registry.make("greedy")
    hand = mjsim.Hand(seed=4)
    while hand.phase in ("give", "choice"):
        hand.apply(ask(agent, hand))
    asked = 0
    while not hand.over:
        action = ask(agent, hand)
        assert action == ask(greedy, hand)
        hand.apply(action)
        asked += 1
    assert asked > 20


@pytest.mark.parametrize(
    ("dealer", "expected"),
    [
        ("start", lambda shanten: START),
        ("exchange", lambda shanten: EXCHANGE),
        ("shanten>=4", lambda shanten: EXCHANGE if shanten >= 4 else START),
    ],
)
def test_the_dealers_decision(dealer, expected):
    agent = make("random", dealer)
    seen = set()
    for seed in range(30):
        hand = mjsim.Hand(seed=seed)
        while hand.phase == "give":
            hand.apply(ask(agent, hand))
        shanten = mjsim.shanten(hand.record["counts"][hand.seat].copy())
        assert ask(agent, hand) == expected(shanten)
        seen.add(expected(shanten))
    assert len(seen) == (2 if ">" in dealer else 1)


# ---- what strategies see -----------------------------------------------------------------------------------------------

STRATEGIES = [
    ("shanten+ukeire", "shanten>=3"),
    ("pungs+honors", "start"),
    ("suit+terminals", "exchange"),
    ("heuristic", "start"),
    ("search", "search"),
]


@cache
def questions() -> list[tuple[mjsim.Hand, list[np.ndarray]]]:
    """Questions of the exchange in hands played at random, each with records that look the same to the seat asked."""
    rng = random.Random(7)
    found = []
    for seed in range(12):
        hand = mjsim.Hand(seed=seed)
        while hand.phase in ("give", "choice"):
            if hand.phase == "choice" or rng.random() < 0.4:
                found.append((hand.copy(), [hidden_shuffled(hand, hand.seat, rng) for _ in range(3)]))
            hand.apply("exchange" if hand.phase == "choice" else rng.choice(hand.legal()))
    assert len(found) > 100
    return found


@pytest.mark.parametrize(("way", "dealer"), STRATEGIES)
def test_strategies_see_only_their_own(way, dealer):
    for hand, others in questions():
        wanted = ask(make(way, dealer, rollouts=1), hand.copy())
        for record in others:
            agent = make(way, dealer, rollouts=1)  # a new one, with no searched gift in mind
            assert agent.policy.python()(record.ctypes.data, hand.rules.address, agent.parameters_address) == wanted


@pytest.mark.parametrize(("way", "dealer"), STRATEGIES)
def test_strategies_change_nothing(way, dealer):
    """Not even their own stream: what a seat draws later does not depend on how it gives."""
    agent = make(way, dealer, rollouts=1)
    for hand, _ in questions():
        array = copied(hand)
        action = agent.policy.python()(array.ctypes.data, hand.rules.address, agent.parameters_address)
        assert hand.legal_mask()[action] == 1
        assert array.tobytes() == hand._array.tobytes()


# ---- the search --------------------------------------------------------------------------------------------------------


def test_a_searched_gift_is_that_of_the_agent_search():
    """In both exchanges, tile by tile; it is told how the others give, repeats itself, and is not `heuristic`'s every time."""
    own = 0
    for field, others in (("heuristic", 1), ("shanten+ukeire", 0), ("greedy", 0)):
        agent = make("search", rollouts=2, field=field)
        assert agent.giver.values["others"] == others
        text = f"search:rollouts=2:turn=0:claim=0:choice=0:others={others}"
        for seed in range(6):
            hands = [asked_to_give(seed, seed % 4, second) for second in (False, True)]
            for hand in hands:
                given = gift_of(agent, hand.copy())
                assert given == gift_of(registry.make(text), hand.copy()) == gift_of(agent, hand.copy())
                own += given != gift_of(registry.make("heuristic"), hand.copy())
    assert own > 5


def test_a_searched_decision_is_that_of_the_agent_search():
    """It exchanges and it starts; the gifts and the rest of the hand are not searched."""
    agent = make("shanten+ukeire", "search", rollouts=2, field="heuristic")
    own = registry.make("search:rollouts=2:turn=0:claim=0:exchange=0:others=1")
    assert agent.giver is None and agent.decider.values == own.values
    plain = make("shanten+ukeire", "start")
    seen = set()
    for seed in range(30):
        hand = mjsim.Hand(seed=seed)
        while hand.phase == "give":
            action = ask(agent, hand)
            assert action == ask(plain, hand)
            hand.apply(action)
        seen.add(ask(agent, hand))
        assert ask(agent, hand) == ask(own, hand)
    assert seen == {START, EXCHANGE}


def test_worlds_of_a_choice_are_those_of_the_agent_search():
    """What the study says of it: so many worlds for each of its rollouts."""
    assert PARAMETERS["exchange"] == PARAMETERS["choice"] == exchange.WORLDS


# ---- the base agent ----------------------------------------------------------------------------------------------------


def test_the_base_agent_is_told_of_the_end():
    """Whoever plays on in Python hears of each hand's end, as at any table; what it raises then is not lost."""
    asked, told = [], []
    rules = mjsim.rules("douque-american").ready()

    def act(observation, mask):
        asked.append(1)
        return int(np.flatnonzero(mask)[0])

    def play(end):
        four = [make("shanten", "start", PythonAgent("first", act, end)), *(registry.make("greedy") for _ in range(3))]
        players = Players(four)
        hands = np.zeros(3, HAND)
        play_one_match(rules, players, 5, 0, hands, 0, False, np.zeros((0, MAX_DECISIONS), DECISION))
        players.take_faults()
        return hands["scores"].tolist()

    assert play(told.append) == told and len(asked) > 10
    assert make("shanten").end_address == 0
    with pytest.raises(mjsim.MjsimError, match="agent 'first': ZeroDivisionError"):
        play(lambda scores: 1 // 0)


# ---- texts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shantan",), "unknown word 'shantan'; did you mean 'shanten'"),
        (("shanten+random",), "'random' stands alone"),
        (("honors+search",), "'search' stands alone"),
        (("honors+suit+honors",), "a word stands twice"),
        (("",), "unknown word ''"),
        (("shanten", "stop"), "dealer: 'stop' is none of start, exchange, shanten>=K"),
        (("shanten", "shanten>=9"), "dealer: 'shanten>=9'"),
        (("shanten", "start", "gredy"), "did you mean 'greedy'"),
        (("search", "start", "random"), "rollouts 2e\\+06 is outside 0-1000000"),
    ],
)
def test_a_wrong_text_is_refused_in_one_line(arguments, message):
    with pytest.raises(mjsim.UsageError, match=message) as error:
        make(*arguments, rollouts=2_000_000)
    assert "\n" not in str(error.value)


def test_strategies_can_be_evaluated_as_agents():
    from mjsim.experiments import evaluate

    assert exchange.resolve("honors+shanten/start").name == "honors+shanten/start/greedy"
    with pytest.raises(mjsim.UsageError, match="at most three parts"):
        exchange.resolve("honors/start/greedy/more")
    result = evaluate.run(["shanten+ukeire", "random"], sets=400, seed=2, resolver="mjsim.agents.exchange:resolve")
    assert result["aa"]["passed"] and result["advantage"]["lower"] > 0.5
