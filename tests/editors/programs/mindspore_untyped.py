"""A program without annotations, as most are."""

import mindspore as ms
from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self, channels, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, stride, has_bias=False)
        self.bn = nn.BatchNorm2d(channels)
        self.act = nn.ReLU()

    def construct(self, x):
        return self.act(self.bn(self.conv(x)) + x)


class Net(nn.Cell):
    def __init__(self, depth):
        super().__init__()
        self.blocks = nn.CellList([Block(8) for _ in range(depth)])
        self.pool = ops.ReduceMean(keep_dims=True)
        self.head = nn.Dense(8, 10)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        x = self.pool(x, (2, 3))
        x = ops.flatten(x)
        return self.head(x)


net = Net(2)
y = net(ms.ops.ones((1, 8, 4, 4), ms.float32))
print(y.shape, y.argmax(1), net.head.weight, net.blocks[0].conv.weight)
for name, cell in net.cells_and_names():
    if isinstance(cell, nn.Dense):
        print(name, cell.weight.shape)
net.haed  # error: attr-defined, reportAttributeAccessIssue
