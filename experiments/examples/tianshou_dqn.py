"""Tianshou's DQN learns on `mjsim/Solo-v0` with its mask; prints the mean score a hand before and after.

pip install 'mjsim[clients]'
python experiments/examples/tianshou_dqn.py --steps 3000

A few thousand steps show that it runs; to play well takes millions.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

ENV = "mjsim.envs.solo:mjsim/Solo-v0"  # the part before the colon is imported, and registers the rest


class MaskInObservation(gymnasium.Wrapper):
    """Tianshou reads the mask from the observation: {"obs": ..., "mask": ...}."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        mask = spaces.Box(0, 1, (env.action_space.n,), np.int8)
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **kwargs: Any) -> tuple[dict, dict]:
        observation, info = self.env.reset(**kwargs)
        return {"obs": observation, "mask": info["action_mask"]}, {}

    def step(self, action: Any) -> tuple[dict, float, bool, bool, dict]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        return {"obs": observation, "mask": info["action_mask"]}, reward, terminated, truncated, {}


def make_envs(n: int, seed: int, rules: str) -> DummyVectorEnv:
    def one() -> gymnasium.Env:
        env = gymnasium.make(ENV, rules=rules, opponents="greedy", seat="random", reward="scaled", illegal="raise")
        return MaskInObservation(env)

    envs = DummyVectorEnv([one] * n)
    envs.seed(seed)
    return envs


def evaluate(policy: DiscreteQLearningPolicy, hands: int, rules: str) -> str:
    """Mean score a hand with its 95 % interval, on fresh hands of one seed."""
    collector = Collector(policy, make_envs(8, 99, rules))
    collector.reset()
    scores = 16 * collector.collect(n_episode=hands).returns  # "scaled" rewards are tai / 16
    return f"{scores.mean():+.2f} +- {1.96 * scores.std(ddof=1) / hands**0.5:.2f} tai a hand (95 %, {hands} hands)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3000, help="decisions to learn from")
    parser.add_argument("--hands", type=int, default=64, help="hands of each evaluation")
    parser.add_argument("--rules", default="douque-american")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    np.random.seed(args.seed)  # Tianshou explores with numpy's global generator
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # the network is small: more threads only wait for each other

    one = gymnasium.make(ENV)
    network = Net(state_shape=one.observation_space.shape, action_shape=one.action_space.n, hidden_sizes=(128, 128))
    policy = DiscreteQLearningPolicy(model=network, action_space=one.action_space, eps_training=0.1, eps_inference=0.0)
    envs = make_envs(8, args.seed, args.rules)
    algorithm = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=3e-4), gamma=0.99, n_step_return_horizon=5, target_update_freq=200
    )
    print("before:", evaluate(policy, args.hands, args.rules))
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, 8), exploration_noise=True)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=args.steps,
            collection_step_num_env_steps=80,
            update_step_num_gradient_steps_per_sample=0.125,
            batch_size=128,
            test_step_num_episodes=0,
            show_progress=False,
        )
    )
    print("after: ", evaluate(policy, args.hands, args.rules))


if __name__ == "__main__":
    main()
