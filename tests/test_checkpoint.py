"""Checkpoints: what is refused and how, and a network as an agent at every table."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import mjsim
from mjsim.errors import MjsimError, UsageError

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from mjsim.agents import network  # noqa: E402
from mjsim.agents.checkpoint import CARD, SHIPPED, NetworkAgent, files_of, load, save, set_strength  # noqa: E402
from mjsim.experiments import evaluate  # noqa: E402
from mjsim.observe import N_ROWS  # noqa: E402

SHAPE = network.Shape(8, 1, 8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Weights file of a small network with a card."""
    torch.manual_seed(1)
    file = tmp_path / "net.safetensors"
    save(network.PolicyNet(SHAPE), file, mjsim.rules("douque-american"), method="imitate", steps=10, updates=1, seed=1)
    return file


def change(path: Path, **fields) -> None:
    card = json.loads(path.with_suffix(".json").read_text())
    for name, value in fields.items():
        if value is ...:
            del card[name]
        else:
            card[name] = value
    path.with_suffix(".json").write_text(json.dumps(card))


def refused(path: Path, *words: str, kind: type = MjsimError) -> None:
    with pytest.raises(kind) as error:
        load(path)
    text = str(error.value)
    assert "\n" not in text
    for word in words:
        assert word in text, text


def test_what_is_saved_is_loaded_bit_for_bit(path):
    torch.manual_seed(1)
    net = network.PolicyNet(SHAPE)
    for name in (path, path.with_suffix(".json")):
        loaded, card = load(name)
        for key, tensor in net.state_dict().items():
            assert torch.equal(tensor, loaded.state_dict()[key])
        assert set(card) == set(CARD) and card["steps"] == 10 and card["strength"] is None


@pytest.mark.parametrize("name", CARD)
def test_a_card_without_a_field_is_refused_by_its_name(path, name):
    change(path, **{name: ...})
    refused(path, f"the field {name!r} is missing")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": "many"}, ["steps is 'many'", "a whole number is needed"]),
        ({"seed": True}, ["seed is True"]),
        ({"format": "mjsim-checkpoint/0"}, ["format", "mjsim-checkpoint/0", "mjsim-checkpoint/1"]),
        ({"observation": "000000000000"}, ["observation is '000000000000'"]),
        ({"actions": 146}, ["actions is 146", "147"]),
        ({"rules": "riichi"}, ["rules", "unknown rules 'riichi'"]),
        ({"options": {"min_tai": -4}}, ["min_tai"]),
        ({"fingerprint": "abc"}, ["fingerprint is 'abc'"]),
        ({"rules": "house16"}, ["fingerprint"]),
        ({"network": {"channels": 8, "blocks": 1}}, ["'pooled' is missing"]),
        ({"network": {"channels": 8, "blocks": 0, "pooled": 8}}, ["blocks 0"]),
        ({"network": {"channels": 16, "blocks": 1, "pooled": 8}}, ["the card's network has"]),
        ({"network": {"channels": 8, "blocks": 2, "pooled": 8}}, ["is missing", "trunk.blocks.1"]),
        ({"sha256": "0" * 64}, ["altered or cut off"]),
        ({"colour": 3}, ["unknown field 'colour'"]),
    ],
)
def test_a_card_that_does_not_fit_is_refused_with_the_field(path, fields, words):
    change(path, **fields)
    refused(path, *words)


def test_altered_and_cut_off_weights_are_refused(path):
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[-5] ^= 1
    path.write_bytes(flipped)
    refused(path, "altered or cut off")
    for size in (0, 5, 100, len(whole) - 4):
        path.write_bytes(whole[:size])
        refused(path, "cut off")
    path.write_bytes(struct.pack("<Q", 1 << 40) + whole[8:])
    refused(path, "cut off, or no safetensors")
    path.write_bytes(struct.pack("<Q", 4) + b"true" + whole)
    refused(path, "no safetensors header")
    path.write_bytes(whole)
    path.with_suffix(".json").write_text("{")
    refused(path, "not to be read as JSON")


def test_values_that_are_not_finite_are_refused(tmp_path):
    net = network.PolicyNet(SHAPE)
    with torch.no_grad():
        net.value.bias[0] = float("nan")
    save(net, tmp_path / "net", mjsim.rules("hk16"), method="ppo", steps=0, updates=0, seed=0)
    refused(tmp_path / "net.json", "value.bias has values that are not finite")


def test_a_path_that_is_no_checkpoint_says_what_one_is(path, tmp_path):
    refused(tmp_path / "none.safetensors", "there is no file", kind=UsageError)
    refused(tmp_path / "net.pt", ".safetensors file", kind=UsageError)
    refused(tmp_path, "best.json", "latest.json", kind=UsageError)
    path.with_suffix(".json").unlink()
    refused(path, "there is no file", "net.json", kind=UsageError)
    (tmp_path / "latest.json").write_text("[]")
    refused(tmp_path, "latest.json names no checkpoint")
    with pytest.raises(UsageError, match="needs the path"):
        mjsim.agents.make("checkpoint:")


def test_a_folder_means_its_best_then_its_latest(path, tmp_path):
    (tmp_path / "latest.json").write_text('{"checkpoint": "net.safetensors"}')
    assert load(tmp_path)[1]["steps"] == 10
    (tmp_path / "best.json").write_text('{"checkpoint": "other.safetensors"}')
    refused(tmp_path, "other.safetensors", kind=UsageError)


def test_strength_is_noted_in_the_card(path):
    set_strength(path, "heuristic", 0.25, 0.1, 1000, "douque-american")
    assert load(path)[1]["strength"]["margin"] == 0.25
    with pytest.raises(UsageError, match="not finite"):
        set_strength(path, "heuristic", float("nan"), 0.1, 1000, "douque-american")


@pytest.mark.parametrize(
    ("rules", "options", "told"),
    [
        ("house16", {}, "its rules are 'douque-american', those of the table 'house16'"),
        ("douque-american", {"min_tai": 2}, "the option min_tai = "),
        ("douque-american", {"items": {"dragon_pung": 7}}, "the item dragon_pung = "),
    ],
)
def test_other_rules_are_refused_in_evaluation_simulation_and_at_a_table(path, rules, options, told):
    from mjsim.envs import VectorEnv
    from mjsim.experiments import evaluate

    table = mjsim.rules(rules, **options)
    text = f"checkpoint:{path}"
    with pytest.raises(UsageError, match=told):
        evaluate.run([text, "random"], table, sets=2)
    with pytest.raises(UsageError, match=told):
        mjsim.simulate(table, text, hands=2)
    with pytest.raises(UsageError, match=told):
        env = VectorEnv(1, table, agents={0: text, 1: text, 2: text})
        for _ in range(20):
            env.step(env.masks.argmax(1))
    with pytest.raises(UsageError, match=told):
        mjsim.agents.make(text).act(np.zeros((N_ROWS, 34), np.int8), np.ones(147, np.int8), table)


def played(agent: NetworkAgent, hands: int) -> list[int]:
    """Its actions at seat 0 of some hands of VectorEnv, asked one at a time; each must be what a batch of all gives."""
    from mjsim.envs import VectorEnv

    env = VectorEnv(1, seed=3, agents={1: "random", 2: "random", 3: "random"})
    actions, seen, masks, done = [], [], [], 0
    while done < hands:
        seen.append(env.observations[0].copy())
        masks.append(env.masks[0].copy())
        actions.append(agent.act(seen[-1], masks[-1]))
        env.step(np.array(actions[-1:]))
        done += int(env.hands_done[0])
    assert agent.act_batch(np.stack(seen), np.stack(masks)).tolist() == actions
    return actions


def test_batched_and_single_answers_agree_and_are_legal(path):
    agent = mjsim.agents.make(f"checkpoint:{path}")
    assert isinstance(agent, NetworkAgent)
    assert len(played(agent, 3)) > 20


def test_it_plays_in_every_environment(path):
    from mjsim.envs import VectorEnv, aec

    text = f"checkpoint:{path}"
    env = VectorEnv(2, seed=1, agents={1: text, 2: text, 3: "random"})
    done = 0
    while done < 2:
        env.step(env.masks.argmax(1))
        done += int(env.hands_done.sum())
    table = aec("douque-american")
    table.reset(seed=1)
    agent = mjsim.agents.make(text)
    for _ in table.agent_iter():
        observation, _, over, _, _ = table.last()
        table.step(None if over else agent.act(observation["observation"], observation["action_mask"]))
    assert sum(table.scores) == 0
    solo = pytest.importorskip("gymnasium").make("mjsim:mjsim/Solo-v0", opponents=text, seat=0)
    observation, info = solo.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = solo.step(int(np.asarray(info["action_mask"]).argmax()))


def test_no_tile_tells_another_across_the_end_of_a_suit():
    torch.manual_seed(0)
    block = network._Block(4)
    with torch.no_grad():
        block.own.weight.normal_()
        block.whole.weight.zero_()  # the table as a whole tells everybody
    x = torch.randn(1, 34, 4).abs()
    told = block(x)
    for kind in range(34):
        changed = x.clone()
        changed[0, kind] += 1.0
        differs = {int(k) for k in (block(changed) - told)[0].abs().sum(1).nonzero()}
        neighbours = {k for k in (kind - 1, kind + 1) if 0 <= k < 27 and kind < 27 and k // 9 == kind // 9}
        assert differs <= {kind} | neighbours, kind
        assert kind in differs and (not neighbours or differs & neighbours)


def test_every_action_has_its_own_logit_and_illegal_ones_none():
    torch.manual_seed(0)
    net = network.PolicyNet(SHAPE)
    seen = torch.randint(0, 2, (5, N_ROWS, 34), dtype=torch.int8)
    mask = torch.zeros(5, 147, dtype=torch.int8)
    mask[:, [3, 40, 146]] = 1
    logits, value = net(seen, mask)
    assert logits.shape == (5, 147) and value.shape == (5,)
    assert ((logits > network.MASKED / 2) == (mask == 1)).all()
    assert set(network.best_actions(net, seen.numpy(), mask.numpy()).tolist()) <= {3, 40, 146}
    # A kind's numbers reach that kind's discard, ready, kong and give: moving all tiles by one moves the logits.
    everything = net(seen, torch.ones(5, 147))[0]
    assert len({round(float(v), 6) for v in everything[0].detach()}) > 140


def test_the_critic_sees_each_draw_to_come():
    torch.manual_seed(0)
    critic = network.Critic(SHAPE)
    with torch.no_grad():
        critic.value.weight.normal_()
    seen = torch.zeros(1, N_ROWS, 34, dtype=torch.int8)
    hidden = torch.zeros(1, 8, 34, dtype=torch.int8)
    base = critic(seen, hidden)
    for at, kind in ((3, 1), (3, 34), (33, 20)):
        changed = hidden.clone()
        changed[0, 7, at] = kind
        assert not torch.equal(critic(seen, changed), base)
    flower = hidden.clone()
    flower[0, 7, 3] = 36  # a flower is drawn: no plane of its own
    assert torch.equal(critic(seen, flower), base)


# ---- the network of the package ----------------------------------------------------------------------------------------


def test_the_shipped_network_is_small_and_says_how_strong_it_is():
    weights, card_path = files_of(SHIPPED / "douque-american.json")
    assert weights.stat().st_size + card_path.stat().st_size < 5_000_000
    agent = mjsim.agents.make("neural")
    card = agent.card
    assert card["rules"] == "douque-american" and card["options"] == {} and card["parent"]
    assert card["strength"]["against"] == "heuristic" and card["strength"]["sets"] >= 1000


def test_the_shipped_network_plays_its_own_rules_alone():
    frame = mjsim.simulate("douque-american", ["neural", "greedy", "greedy", "greedy"], hands=8, seed=1)
    assert len(frame) == 8
    with pytest.raises(UsageError, match="its rules are 'douque-american', those of the table 'hk16'"):
        mjsim.simulate("hk16", ["neural", "greedy", "greedy", "greedy"], hands=8, seed=1)
    with pytest.raises(UsageError, match="unknown parameter 'depth'"):
        mjsim.agents.make("neural:depth=3")


def test_the_shipped_network_beats_random_by_far():
    """That its weights are those of a player; how strong it is takes thousands of sets (README)."""
    result = evaluate.run(["neural", "random"], sets=100, seed=4)
    assert result["advantage"]["lower"] > 5.0
