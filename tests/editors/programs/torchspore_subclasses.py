"""Classes between `nn.Cell` and networks."""

from typing import Any

import torchspore as ts
from torchspore import Tensor, nn


class Base(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.counter = 0

    def encode(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def construct(self, x: Tensor) -> Tensor:
        self.counter += 1
        return self.encode(x)


class Net(Base):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(1, 1)
        self.register_buffer("mean", ts.Tensor([0.0]))

    def encode(self, x: Tensor) -> Tensor:
        return self.fc(x) - self.mean  # error: attr-defined, reportAttributeAccessIssue


class Declared(Net):
    mean: Tensor

    def encode(self, x: Tensor) -> Tensor:
        return self.fc(x) - self.mean


class Anything(nn.Cell):
    def __init__(self, network: nn.Cell) -> None:
        super().__init__()
        self.network = network

    def construct(self, *inputs: Any, **options: Any) -> Any:
        return self.network(*inputs, **options)


net = Anything(Declared())
print(net(1, 2, 3, a=4).anything, Declared()(ts.Tensor([1.0])).shape, Net().counter, net.network(1))
net.counter  # error: attr-defined, reportAttributeAccessIssue
