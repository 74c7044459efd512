"""Two layers of graph convolution on a graph given as its adjacency matrix."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.weight = Parameter(torch.empty(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.empty(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.weight.size(1))
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, nodes, adjacency):
        support = torch.mm(nodes, self.weight)
        output = adjacency @ support
        if self.bias is not None:
            return output + self.bias
        return output


class GCN(nn.Module):
    def __init__(self, features=6, hidden=8, classes=3):
        super().__init__()
        self.gc1 = GraphConvolution(features, hidden)
        self.gc2 = GraphConvolution(hidden, classes, bias=False)
        self.dropout = nn.Dropout(p=0.0)

    def forward(self, nodes, adjacency):
        nodes = F.relu(self.gc1(nodes, adjacency))
        nodes = self.dropout(nodes)
        return F.log_softmax(self.gc2(nodes, adjacency), dim=1)


def network():
    return GCN()


def inputs():
    adjacency = (torch.rand(9, 9) > 0.6).float() + torch.eye(9)
    return torch.randn(9, 6), adjacency / adjacency.sum(dim=1, keepdim=True)


def loss(scores):
    return F.nll_loss(scores, torch.arange(9) % 3)
