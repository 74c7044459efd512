"""Containers of cells."""

from collections import OrderedDict

import torchspore as ts
from torchspore import nn

named = nn.SequentialCell(OrderedDict([("conv", nn.Conv2d(1, 2, 3)), ("act", nn.ReLU())]))
cells = nn.CellList([nn.Dense(1, 2), nn.Dense(2, 3)])
heads = nn.CellDict({"a": nn.Dense(2, 3)})
x = ts.ops.ones((1, 1))
for cell in cells:
    x = cell(x)
print(named.conv.weight.shape, cells[0].weight, heads["a"](x), len(named), named[0], cells[-1].bias)
cells.append(nn.Dense(3, 3))
cells.push(nn.Dense(3, 3))  # error: attr-defined, reportAttributeAccessIssue
cells.append()  # error: call-arg, reportCallIssue
