"""Graphs."""

import mindspore as ms
from mindspore import Tensor, jit, nn


@jit
def double(x: Tensor, times: int = 2) -> Tensor:
    return x * times


@jit(capture_mode="trace", jit_level="O0")
def triple(x: Tensor) -> Tensor:
    return x * 3


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(2, 2)

    @jit
    def construct(self, x: Tensor, scale: float = 1.0) -> Tensor:
        return self.fc(x) * scale


@ms.jit_class
class Settings:
    rate = 0.1


x = ms.Tensor([[1.0, 2.0]])
print(double(x).shape, triple(x).shape, Net()(x, 2.0).shape, Settings().rate)
ms.set_context(mode=ms.GRAPH_MODE)
double("x")  # error: arg-type, reportArgumentType
triple(x, 3)  # error: call-arg, reportCallIssue
Net()(x, "2")  # error: arg-type, reportArgumentType
Settings().rat  # error: attr-defined, reportAttributeAccessIssue
