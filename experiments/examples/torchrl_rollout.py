"""TorchRL rolls `mjsim.envs.aec` out with its mask: random legal play of all four seats.

pip install 'mjsim[clients]'
python experiments/examples/torchrl_rollout.py --steps 600
"""

from __future__ import annotations

import argparse

import torch
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType, check_env_specs

import mjsim


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=600, help="decisions to roll out")
    parser.add_argument("--rules", default="douque-american")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    env = PettingZooWrapper(
        mjsim.envs.aec(rules=args.rules),
        use_mask=True,  # a seat that is not asked is masked out
        return_state=True,
        group_map=MarlGroupMapType.ALL_IN_ONE_GROUP,
        done_on_any=False,
        seed=args.seed,
    )
    check_env_specs(env, seed=args.seed)

    # Without a policy rollout() draws from the action spec, which holds the mask of the seat that is asked.
    rollout = env.rollout(args.steps, break_when_any_done=False)
    seats = rollout["agents"]  # [steps, 4, ...]
    legal = seats["action_mask"].gather(-1, seats["action"].unsqueeze(-1)).squeeze(-1)
    assert (seats["mask"].sum(-1) == 1).all(), "one seat is asked at a time"
    assert legal[seats["mask"]].all(), "an illegal action was drawn"
    rewards = rollout["next", "agents", "reward"].squeeze(-1)
    assert (rewards.sum(-1) == 0).all(), "rewards are zero-sum"
    hands = int(rollout["next", "done"].sum())
    print(
        f"{len(rollout)} decisions, {hands} hands, scores {rewards.sum(0).tolist()}, observations and state as tensors:"
    )
    print(seats["observation", "observation"].shape, rollout["state"].shape)


if __name__ == "__main__":
    main()
