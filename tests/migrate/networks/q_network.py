"""A dueling Q network and the loss of double Q-learning with a frozen copy."""

import copy

import torch
import torch.nn as nn


class Dueling(nn.Module):
    def __init__(self, states=4, actions=3, hidden=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(states, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.ReLU())
        self.value = nn.Linear(hidden, 1)
        self.advantage = nn.Linear(hidden, actions)

    def forward(self, states):
        features = self.body(states)
        advantage = self.advantage(features)
        return self.value(features) + advantage - advantage.mean(dim=-1, keepdim=True)


class Agent(nn.Module):
    def __init__(self, gamma=0.9):
        super().__init__()
        self.online = Dueling()
        self.target = copy.deepcopy(self.online)
        for parameter in self.target.parameters():
            parameter.requires_grad = False
        self.gamma = gamma

    def forward(self, states, actions, rewards, following):
        chosen = self.online(states).gather(1, actions.unsqueeze(-1)).squeeze(-1)
        with torch.no_grad():
            best = self.online(following).argmax(dim=1, keepdim=True)
            later = self.target(following).gather(1, best).squeeze(1)
        return chosen - (rewards + self.gamma * later)


def network():
    return Agent()


def inputs():
    return torch.randn(6, 4), torch.randint(0, 3, (6,)), torch.rand(6), torch.randn(6, 4)


def loss(errors):
    return nn.SmoothL1Loss()(errors, torch.zeros_like(errors))
