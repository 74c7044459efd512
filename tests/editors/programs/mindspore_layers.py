"""A network of layers."""

import mindspore as ms
from mindspore import Tensor, nn


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 4)
        self.relu = nn.ReLU()

    def construct(self, x: Tensor) -> Tensor:
        return self.relu(self.fc(x))


net = Net()
x = ms.Tensor([[1.0, 2.0, 3.0]], ms.float32)
print(net(x).shape, net.fc.weight.name, net.fc.in_channels)
net.fc.wieght  # error: attr-defined, reportAttributeAccessIssue
net.fcc  # error: attr-defined, reportAttributeAccessIssue
net(3)  # error: arg-type, reportArgumentType
net()  # error: call-arg, reportCallIssue
net(x, x)  # error: call-arg, reportCallIssue
