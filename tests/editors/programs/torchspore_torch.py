"""Torch's tensors and modules beside TorchSpore's."""

import torch

import torchspore as ts
from torchspore import nn

x = ts.Tensor(torch.ones(2, 3))
print(x.torch.numpy(), torch.nn.functional.relu(x.torch).shape, x.asnumpy().shape)
cell = nn.Dense(3, 4)
print(cell(x).torch.shape, x.numpy().mean(), x.dim(), x.numel(), x.device)
x.cudaa()  # error: attr-defined, reportAttributeAccessIssue
