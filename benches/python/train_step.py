"""Training steps of the `small` preset's network in PyTorch, for comparison.

Prints positions per second, one number a line, for as many rounds as asked:
    python train_step.py ROUNDS STEPS BATCH
"""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

PLANES, CHANNELS, BLOCKS, SQUEEZE, MOVES = 18, 64, 6, 16, 48


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.conv2 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.down = nn.Linear(CHANNELS, SQUEEZE)
        self.up = nn.Linear(SQUEEZE, CHANNELS)

    def forward(self, x):
        y = self.conv2(F.relu(self.conv1(x)))
        scale = torch.sigmoid(self.up(F.relu(self.down(y.mean((2, 3))))))
        return F.relu(x + y * scale[:, :, None, None])


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(PLANES, CHANNELS, 3, padding=1)
        self.tower = nn.Sequential(*[Block() for _ in range(BLOCKS)])
        self.policy1 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.policy2 = nn.Conv2d(CHANNELS, 73, 1)
        self.value = nn.Conv2d(CHANNELS, 32, 1)
        self.dense1 = nn.Linear(32 * 64, 128)
        self.dense2 = nn.Linear(128, 3)

    def forward(self, x):
        x = self.tower(F.relu(self.stem(x)))
        policy = self.policy2(F.relu(self.policy1(x))).flatten(1)
        value = F.relu(self.dense1(F.relu(self.value(x)).flatten(1)))
        return policy, self.dense2(value)


def main():
    rounds, steps, batch = map(int, sys.argv[1:4])
    torch.manual_seed(1)
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    planes = (torch.rand(batch, PLANES, 8, 8) < 0.1).float()
    moves = torch.randint(0, 4672, (batch, MOVES))
    policy_target = torch.softmax(torch.rand(batch, MOVES), 1)
    value_target = torch.softmax(torch.rand(batch, 3), 1)

    def step():
        policy, value = network(planes)
        policy_loss = F.cross_entropy(policy.gather(1, moves), policy_target)
        loss = policy_loss + F.cross_entropy(value, value_target)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 10.0)
        optimizer.step()
        return loss.item()

    for _ in range(3):
        step()
    print("ready", flush=True)
    for _ in range(rounds):
        # One round at a time, when asked, so that both sides take turns.
        if not sys.stdin.readline():
            return
        began = time.perf_counter()
        for _ in range(steps):
            step()
        print(steps * batch / (time.perf_counter() - began), flush=True)


main()
