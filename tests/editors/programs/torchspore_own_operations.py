"""Custom gradients, hooks and primitives."""

import torchspore as ts
from torchspore import Tensor, nn, ops


class Clip(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x

    def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
        return (ops.clamp(dout, -1, 1),)


class Double(ops.Primitive):
    def __init__(self) -> None:
        super().__init__("Double")

    def __call__(self, x: Tensor) -> Tensor:
        return x * 2


x = ts.Tensor([1.0])
clip = Clip()
handle = clip.register_forward_hook(lambda cell, inputs, output: output)
handle.remove()
print(clip(x).shape, Double()(x).shape, ops.ReLU()(x).shape, ops.MatMul(transpose_b=True)(x, x))
Clip()(1.0)  # error: arg-type, reportArgumentType
Double()("x")  # error: arg-type, reportArgumentType
ops.ReLU()()  # error: call-arg, reportCallIssue
ops.MatMul(transpose=True)  # error: call-arg, reportCallIssue
