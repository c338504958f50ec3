"""MaskablePPO (sb3-contrib) learns on `mjsim/Solo-v0`; prints the mean score a hand before and after, on the same luck.

pip install 'mjsim[clients]'
python experiments/examples/sb3_maskable_ppo.py --steps 4096

A few thousand steps show that it runs; to play well takes millions.
"""

from __future__ import annotations

import argparse
from statistics import mean, stdev
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env

ENV = "mjsim.envs.solo:mjsim/Solo-v0"  # the part before the colon is imported, and registers the rest


def evaluate(model: MaskablePPO, hands: int, kwargs: dict[str, Any]) -> str:
    """Mean score a hand with its 95 % interval; the same hands at every call."""
    envs = make_vec_env(ENV, n_envs=8, seed=99, env_kwargs=kwargs | {"reward": "score"})
    scores, _ = evaluate_policy(model, envs, n_eval_episodes=hands, return_episode_rewards=True)
    return f"{mean(scores):+.2f} +- {1.96 * stdev(scores) / hands**0.5:.2f} tai a hand (95 %, {hands} hands)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=4096, help="decisions to learn from")
    parser.add_argument("--hands", type=int, default=100, help="hands of each evaluation")
    parser.add_argument("--rules", default="douque-american")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)  # the network is small: more threads only wait for each other

    kwargs = {"rules": args.rules, "opponents": "greedy", "seat": "random", "illegal": "raise"}
    envs = make_vec_env(ENV, n_envs=8, seed=args.seed, env_kwargs=kwargs | {"reward": "scaled"})
    model = MaskablePPO("MlpPolicy", envs, n_steps=128, batch_size=256, n_epochs=4, seed=args.seed, device="cpu")
    print("before:", evaluate(model, args.hands, kwargs))
    model.learn(args.steps)
    print("after: ", evaluate(model, args.hands, kwargs), f"({model.num_timesteps} decisions learnt from)")


if __name__ == "__main__":
    main()
