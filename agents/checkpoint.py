"""`checkpoint:PATH`: a trained network as an agent, and the files of networks: safetensors with a JSON card beside them.

`NAME.safetensors` has the weights, `NAME.json` the card: what the network is for and how it was made. Every field is checked before
a weight is read, and nothing is unpickled. PATH is either file, or the folder of a training run (then its `best` network, or its
latest).
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numpy as np

from mjsim import __version__
from mjsim.actions import N_ACTIONS
from mjsim.agents.python_agent import PythonAgent
from mjsim.agents.registry import Agent
from mjsim.errors import MjsimError, UsageError
from mjsim.files import write_whole
from mjsim.ruleset import Rules, rules_at_address
from mjsim.ruleset import rules as make_rules

FORMAT = "mjsim-checkpoint/1"

#: Fields of a card and the types of their values.
CARD: dict[str, tuple[type, ...]] = {
    "format": (str,),  # FORMAT
    "mjsim": (str,),  # version that wrote it
    "rules": (str,),  # preset
    "options": (dict,),  # what differs from the preset
    "fingerprint": (str,),  # of the rules
    "observation": (str,),  # mjsim.observe.VERSION: rows and action numbers
    "actions": (int,),  # how many action numbers
    "network": (dict,),  # sizes, see `network.Shape`
    "method": (str,),  # "imitate", "improve" or "ppo"
    "steps": (int,),  # decisions it has learned from
    "updates": (int,),
    "seed": (int,),
    "parent": (str, type(None)),  # sha256 of the network it began from
    "strength": (dict, type(None)),  # {"against", "rules", "margin", "ci95", "sets"}: tai a hand, 95 % half width
    "sha256": (str,),  # of the weights file
}
#: More bytes than any network here has: a header of this length is no safetensors file.
MOST_HEADER = 1 << 20
WEIGHTS, CARDS = ".safetensors", ".json"
#: Networks of the package, one for a rule set.
SHIPPED = Path(__file__).with_name("neural")
#: What a run folder keeps for `checkpoint:FOLDER`.
POINTERS = ("best.json", "latest.json")


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def files_of(path: str | Path) -> tuple[Path, Path]:
    """(weights, card) that a path means; UsageError when there is none."""
    given = Path(path)
    if given.is_dir():
        for name in POINTERS:
            pointer = given / name
            if pointer.exists():
                try:
                    chosen = json.loads(pointer.read_text(encoding="utf-8"))["checkpoint"]
                except (OSError, ValueError, KeyError, TypeError):
                    raise MjsimError(f"checkpoint {given}: {name} names no checkpoint") from None
                if not isinstance(chosen, str):
                    raise MjsimError(f"checkpoint {given}: {name} names no checkpoint")
                return files_of(given / chosen)
        raise UsageError(f"checkpoint {given}: the folder has neither {' nor '.join(POINTERS)}; name a {WEIGHTS} file")
    if given.suffix not in (WEIGHTS, CARDS):
        raise UsageError(f"checkpoint {given}: name a {WEIGHTS} file, its {CARDS} card or a run's folder")
    weights, card = given.with_suffix(WEIGHTS), given.with_suffix(CARDS)
    for needed in (weights, card):
        if not needed.is_file():
            raise UsageError(f"checkpoint {given}: there is no file {needed}")
    return weights, card


def read_card(path: Path) -> dict[str, Any]:
    """The checked card; MjsimError names the field that is missing, of a wrong type, or of another version."""
    from mjsim.observe import VERSION

    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MjsimError(f"card {path}: not to be read as JSON ({error})") from None
    if not isinstance(card, dict):
        raise MjsimError(f"card {path}: {type(card).__name__}, but an object is needed")
    for name, kinds in CARD.items():
        if name not in card:
            raise MjsimError(f"card {path}: the field {name!r} is missing")
        value = card[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise MjsimError(f"card {path}: {name} is {value!r}, but {_words(kinds)} is needed")
    for name in set(card) - set(CARD):
        raise MjsimError(f"card {path}: unknown field {name!r}")
    wanted = {"format": FORMAT, "observation": VERSION, "actions": N_ACTIONS}
    for name, right in wanted.items():
        if card[name] != right:
            raise MjsimError(
                f"card {path}: {name} is {card[name]!r}, but this mjsim ({__version__}) plays {right!r}; "
                f"it was made by mjsim {card['mjsim']}"
            )
    try:
        made = make_rules(card["rules"], **card["options"])
    except (MjsimError, TypeError) as error:
        raise MjsimError(f"card {path}: rules: {error}") from None
    if made.fingerprint != card["fingerprint"]:
        raise MjsimError(
            f"card {path}: fingerprint is {card['fingerprint']!r}, but {made!r} of this mjsim ({__version__}) has "
            f"{made.fingerprint!r}"
        )
    return card


def _words(kinds: tuple[type, ...]) -> str:
    names = {str: "text", int: "a whole number", dict: "an object", type(None): "null"}
    return " or ".join(names[kind] for kind in kinds)


def check_rules(card: dict[str, Any], rules: Rules, path: Path | str) -> None:
    """UsageError naming the field when a card is for other rules than those of the table."""
    if card["fingerprint"] == rules.fingerprint:
        return
    if card["rules"] != rules.name:
        raise UsageError(f"checkpoint {path}: its rules are {card['rules']!r}, those of the table {rules.name!r}")
    mine = make_rules(card["rules"], **card["options"])
    for kind, ours, theirs in (("option", mine.flags, rules.flags), ("item", mine.items, rules.items)):
        for name in ours:
            if ours[name] != theirs[name]:
                raise UsageError(
                    f"checkpoint {path}: it was trained with the {kind} {name} = {ours[name]!r}, at the table it is "
                    f"{theirs[name]!r}"
                )
    raise UsageError(f"checkpoint {path}: fingerprint {card['fingerprint']!r}, the table's {rules.fingerprint!r}")


def _check_weights(path: Path, raw: bytes, expected: dict[str, tuple[int, ...]]) -> None:
    """That the bytes are a whole safetensors file of just these float32 tensors; MjsimError says what is not so."""
    if len(raw) < 8:
        raise MjsimError(f"weights {path}: {len(raw)} bytes, cut off")
    (length,) = struct.unpack("<Q", raw[:8])
    if length > MOST_HEADER or 8 + length > len(raw):
        raise MjsimError(
            f"weights {path}: a header of {length} bytes in a file of {len(raw)}: cut off, or no safetensors"
        )
    try:
        header = json.loads(raw[8 : 8 + length])
        found = {name: entry for name, entry in header.items() if name != "__metadata__"}
        shapes = {name: tuple(entry["shape"]) for name, entry in found.items()}
        kinds = {name: entry["dtype"] for name, entry in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise MjsimError(f"weights {path}: the header is no safetensors header") from None
    for name, shape in expected.items():
        if name not in shapes:
            raise MjsimError(f"weights {path}: the tensor {name!r} is missing")
        if shapes[name] != shape or kinds[name] != "F32":
            raise MjsimError(
                f"weights {path}: {name} is {kinds[name]}{list(shapes[name])}, but the card's network has F32{list(shape)}"
            )
    for name in shapes:
        if name not in expected:
            raise MjsimError(f"weights {path}: unknown tensor {name!r}")


def load(path: str | Path) -> tuple[Any, dict[str, Any]]:
    """(`network.PolicyNet` ready to play, card) of a checkpoint; MjsimError says what does not fit."""
    from mjsim.agents import network

    weights, card_path = files_of(path)
    card = read_card(card_path)
    try:
        shape = network.Shape.of(card["network"])
    except MjsimError as error:
        raise MjsimError(f"card {card_path}: {error}") from None
    try:
        raw = weights.read_bytes()
    except OSError as error:
        raise MjsimError(f"weights {weights}: {error.strerror or error}") from None
    net = network.PolicyNet(shape)
    _check_weights(weights, raw, {name: tuple(t.shape) for name, t in net.state_dict().items()})
    if _sha256(raw) != card["sha256"]:
        raise MjsimError(f"weights {weights}: altered or cut off: sha256 {_sha256(raw)[:12]}..., the card has "
                         f"{card['sha256'][:12]}...")  # fmt: skip
    tensors = _tensors(weights, raw)
    for name, tensor in tensors.items():
        if not bool(tensor.isfinite().all()):
            raise MjsimError(f"weights {weights}: {name} has values that are not finite")
    net.load_state_dict(tensors)
    net.eval()
    return net, card


def _tensors(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load as read
    except ImportError:
        raise UsageError('checkpoints need safetensors: pip install "mjsim[train]"') from None
    try:
        return read(raw)
    except SafetensorError as error:
        raise MjsimError(f"weights {path}: {error}") from None


def save(net: Any, path: Path, rules: Rules, **card: Any) -> dict[str, Any]:
    """Write `path`.safetensors, then its card, each whole; returns the card.

    Args:
        net: a `network.PolicyNet`.
        path: without suffix, or with either.
        card: the fields of CARD that are not derived from these: method, steps, updates, seed, parent, strength.
    """
    from safetensors.torch import save as to_bytes

    from mjsim.observe import VERSION

    raw = to_bytes({name: tensor.contiguous() for name, tensor in net.state_dict().items()})
    full = {
        "format": FORMAT, "mjsim": __version__, "rules": rules.name, "options": rules.options,
        "fingerprint": rules.fingerprint, "observation": VERSION, "actions": N_ACTIONS, "network": net.shape.as_dict(),
        "parent": None, "strength": None, **card, "sha256": _sha256(raw),
    }  # fmt: skip
    for name in set(CARD) ^ set(full):
        raise UsageError(f"card: {name!r} is {'missing' if name in CARD else 'no field of a card'}")
    write_whole(path.with_suffix(WEIGHTS), lambda file: file.write(raw) and None)
    text = json.dumps({name: full[name] for name in CARD}, indent=1, allow_nan=False)
    write_whole(path.with_suffix(CARDS), lambda file: file.write(text.encode()) and None)
    return full


def set_strength(path: Path, against: str, margin: float, ci95: float, sets: int, rules: str) -> dict[str, Any]:
    """Note in a card what was measured: tai a hand over three `against` on duplicate sets; returns what was noted."""
    if not all(map(math.isfinite, (margin, ci95))):
        raise UsageError(f"strength: {margin!r} ± {ci95!r} is not finite")
    card = read_card(path.with_suffix(CARDS))
    card["strength"] = {"against": against, "rules": rules, "margin": margin, "ci95": ci95, "sets": sets}
    text = json.dumps(card, indent=1, allow_nan=False)
    write_whole(path.with_suffix(CARDS), lambda file: file.write(text.encode()) and None)
    return card["strength"]


class NetworkAgent(PythonAgent):
    """A network at the table: the likeliest legal action. It draws nothing.

    `act_batch` answers many decisions at once; loops that can (`mjsim.lockstep`) use it instead of single calls.
    """

    def __init__(self, name: str, net: Any, card: dict[str, Any], path: str = "") -> None:
        super().__init__(name, self._one)
        self.net, self.card, self._path = net, card, path or name
        self.batch_key = card.get("sha256", id(net))
        self._rules: Rules | None = None  # of the table that asked last, and fit

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """int64[n] actions for int8[n, N_ROWS, 34] `observations` and int8[n, 147] `masks`, each with a legal action."""
        from mjsim.agents.network import best_actions

        return best_actions(self.net, observations, masks)

    def check_rules(self, rules: Rules) -> None:
        """UsageError when the network was trained for other rules."""
        check_rules(self.card, rules, self._path)

    def act(self, observation: Any, mask: Any, rules: str | Rules | None = None) -> int:
        """The likeliest legal action; `rules`, when given, must be those that it was trained for."""
        if rules is not None:
            self.check_rules(make_rules(rules))
        return super().act(observation, mask)

    def _one(self, observation: np.ndarray, mask: np.ndarray) -> int:
        return int(self.act_batch(observation[None], mask[None])[0])

    def _answer(self, hand: int, rules: int) -> int:
        table = rules_at_address(rules)
        if table is not self._rules:
            self.check_rules(table)
            self._rules = table
        return super()._answer(hand, rules)


def of_text(name: str, rest: str) -> Agent:
    """The agent of `checkpoint:PATH`; where PATH is a run's folder its name says which file is meant now."""
    if not rest:
        raise UsageError(f"agent {name!r}: checkpoint:PATH needs the path of a checkpoint")
    if Path(rest).is_dir():
        rest = str(files_of(rest)[0])
        name = f"checkpoint:{rest}"
    net, card = load(rest)
    return _for_this_process(NetworkAgent(name, net, card, rest))


def _for_this_process(agent: NetworkAgent) -> NetworkAgent:
    if parent_process() is not None:  # one of several workers: each has its core
        import torch

        torch.set_num_threads(1)
    return agent


def shipped(name: str) -> NetworkAgent:
    """The network that comes with the package; it plays `douque-american` alone."""
    path = SHIPPED / f"douque-american{WEIGHTS}"
    net, card = load(path)
    return _for_this_process(NetworkAgent(name, net, card, name))
