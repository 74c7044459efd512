"""Programs that write tensors while they are differentiated: bodies of `construct(self, x)`.

`x` is [0.5, 1, 2]; `self.p` is a parameter [1, 2, 3], `self.h` one that is not trained, `self.c` a tensor
[4, 5, 6].
"""

from __future__ import annotations

import textwrap

__all__ = ["DIFFERENCES", "PARAMETER_PROGRAMS", "PROGRAMS", "cells"]

PROGRAMS = r"""
y = ops.exp(x); y[0] = 0; return y.sum()
y = ops.exp(x); y[0] = 0; return (y * y).sum()
y = ops.relu(x); y[1] = 7; return (y * x).sum()
y = ops.sigmoid(x); y[0] = 1; return y.sum()
y = ops.tanh(x); y[0] = x[1]; return y.sum()
y = ops.softmax(x); y[0] = 0; return (y * x).sum()
y = ops.sqrt(x); y[2] = 0; return y.sum()
y = x * x; y[0] = 0; return y.sum()
y = x * 2; z = y * y; y[0] = 0; return z.sum()
y = x * 2; z = y * y; y[0] = 0; return (z * y).sum()
y = x / (x + 1); y[0] = 0; return y.sum()
y = x + 1; z = x / y; y[0] = 9; return z.sum()
y = x ** 3; y[0] = 0; return y.sum()
y = x + 0; z = y ** 3; y[1] = 5; return z.sum() + y.sum()
y = ops.exp(x); y[y > 2] = 0; return y.sum()
y = ops.exp(x); y[y > 2] = x[0]; return y.sum()
y = ops.exp(x); y[0] = ops.sin(x[1]); return y.sum()
y = ops.exp(x); y[1:] = x[:2]; return (y * y).sum()
y = ops.exp(x); y[ops.arange(2)] = x[1:]; return (y * y).sum()
y = ops.exp(x); y[:] = 3; return (y * x).sum()
y = ops.exp(x); y[...] = x; return (y * x).sum()
y = ops.exp(x); y[0] += x[1]; return (y * y).sum()
y = ops.exp(x); y[0] *= x[1]; return (y * y).sum()
y = ops.exp(x); y += x; return (y * y).sum()
y = ops.exp(x); y *= x; return y.sum()
y = ops.exp(x); y -= x; return (y * y).sum()
y = ops.exp(x); y /= x; return y.sum()
y = ops.exp(x); y **= 2; return y.sum()
x[1] = ops.sin(x[0]); return x.sum()
x[1] = ops.sin(x[0]); return (x * x).sum()
x[0] = 0; return (x * x).sum()
z = x * x; x[0] = 0; return z.sum()
z = x * x; x[0] = 0; return (z * x).sum()
x[x > 0.7] = 0; return (x * x).sum()
x += 1; return (x * x).sum()
x *= x; return (x * x).sum()
y = x.copy(); y[0] = 9; return (x * y).sum()
y = x; y[0] = 9; return (x * y).sum()
y = x * 1; y[0] = 9; return (x * y).sum()
y = ops.exp(x); z = y; z[0] = 0; return y.sum()
y = ops.exp(x); z = y; z[0] = 0; return (y * z).sum()
y = ops.exp(x); z = y; z += x; return (y * x).sum()
y = ops.exp(x); z = y; y = y + x; z[0] = 0; return (y * z).sum()
y = ops.exp(x); v = y[1:]; y[1] = 0; return (v * v).sum()
y = ops.exp(x); v = y[1:]; v[0] = 0; return (y * y).sum()
y = ops.exp(x); v = y[1:]; v[0] = 0; return (v * v).sum()
y = ops.exp(x); v = y[0]; y[0] = 5; return v * v + y.sum()
y = ops.exp(x); v = y[1:]; v[0] = x[2]; return (y * x).sum()
y = ops.exp(x); v = y[1:]; v += x[1:]; return (y * y).sum()
y = ops.exp(x); v = y.view(-1); y[0] = 0; return (v * v).sum()
y = ops.exp(x); v = y.view(3, 1); v[0] = 0; return (y * y).sum()
y = ops.exp(x); v = y.reshape(3, 1); v[0] = 0; return (y * y).sum()
y = ops.exp(x); v = y.reshape(3, 1); y[0] = 0; return (v * v).sum()
y = ops.exp(x).reshape(1, 3); v = y.T; v[0] = 0; return (y * y).sum()
y = ops.exp(x).reshape(1, 3); v = y.transpose(1, 0); y[0, 0] = 0; return (v * v).sum()
y = ops.exp(x); v = y.expand_dims(0); v[0, 0] = 0; return (y * y).sum()
y = ops.exp(x); v = ops.reshape(y, (1, 3)); v[0, 0] = 0; return (y * y).sum()
y = ops.exp(x); v = ops.split(y, 1); v[0][0] = 7; return (y * y).sum()
y = ops.exp(x); v = y.broadcast_to((2, 3)); y[0] = 7; return (v * v).sum()
y = ops.exp(x); v = y.astype(ms.float32); v[0] = 7; return (y * v).sum()
y = ops.exp(x); v = ops.stop_gradient(y); v[0] = 7; return (y * v).sum()
y = ops.exp(x); v = ops.stop_gradient(y); y[0] = 7; return (y * v).sum()
y = ops.exp(x); v = y.value(); v[0] = 7; return (y * v).sum()
y = ops.exp(x); v = ops.identity(y); v[0] = 7; return (y * v).sum()
y = ops.exp(x); v = ops.depend(y, x); v[0] = 7; return (y * v).sum()
v = x[1:]; v[0] = 7; return (x * x).sum()
v = x[0]; x[0] = 7; return v * v + x.sum()
v = x.view(3, 1); v[0] = 7; return (x * x).sum()
v = x.reshape(3, 1); v[0] = 7; return (x * x).sum()
v = x[1:]; x[1] = 7; return (v * v).sum()
y = ops.exp(x); v = y[1:]; y = y + 1; v[0] = 0; return (y * v.sum()).sum()
y = ops.exp(x); v = y[1:]; z = v * v; y[1] = 0; return (z * v).sum()
y = ops.exp(x); a = [y, y * 2]; a[0][0] = 0; return (a[0] * a[1]).sum()
y = ops.exp(x)\nfor i in range(3):\n    y[i] = y[i] * y[i]\nreturn y.sum()
y = ops.exp(x)\nfor i in range(2):\n    y[i + 1] = y[i] * x[i + 1]\nreturn (y * y).sum()
y = ops.zeros_like(x)\nfor i in range(3):\n    y[i] = x[i] * x[i]\nreturn (y * y).sum()
y = ops.zeros((3,), ms.float32)\ny[0] = x[0] * x[1]\ny[2] = y[0] * x[2]\nreturn (y * y).sum()
y = ops.ones((3,), ms.float32); z = x * y; y[0] = 0; return z.sum()
y = ops.ones((3,), ms.float32); z = x * y; y[0] = x[1]; return (z * y).sum()
y = Tensor([1.0, 1.0, 1.0]); z = x * y; y[0] = 0; return z.sum() + (x * y).sum()
y = ops.exp(x)\nif y[0] > 1:\n    y[0] = 0\nelse:\n    y[1] = 0\nreturn (y * y).sum()
z = x * self.c; self.c[0] = 0; return z.sum()
z = x * self.c; self.c[0] = 0; return (z * self.c).sum()
self.c[0] = x[1]; return (x * self.c).sum()
self.c += x; return (x * self.c).sum()
self.c = x * x; return (x * self.c).sum()
y = ops.exp(x); y.add_(x); return (y * y).sum()
y = ops.exp(x); y.add_(1); return (y * y).sum()
y = ops.exp(x); y.sub_(x); return (y * y).sum()
y = ops.exp(x); y.mul_(x); return y.sum()
y = ops.exp(x); y.mul_(y); return y.sum()
y = ops.exp(x); y.div_(x); return y.sum()
y = ops.exp(x); y.fill_(2); return (y * x).sum()
y = ops.exp(x); y.zero_(); return (y * x).sum() + y.sum()
y = ops.exp(x); y.copy_(x); return (y * y).sum()
y = ops.exp(x); y.exp_(); return y.sum()
y = ops.exp(x); y.log_(); return (y * y).sum()
y = ops.exp(x); y.tanh_(); return y.sum()
y = ops.exp(x); y.sigmoid_(); return y.sum()
y = ops.exp(x); y.clamp_(1.7, 3.0); return (y * x).sum()
y = ops.exp(x); y.masked_fill_(y > 2, 0.5); return (y * y).sum()
y = ops.exp(x); y.masked_fill_(x > 0.7, 0.5); return (y * y).sum()
y = ops.exp(x); y.index_add_(0, Tensor([0, 2]), x[:2]); return (y * y).sum()
y = ops.exp(x); y.index_fill_(0, Tensor([0, 2]), 3.0); return (y * y).sum()
y = ops.exp(x); y.scatter_(0, Tensor([0, 2]), x[:2]); return (y * y).sum()
y = ops.exp(x); y.scatter_add_(0, Tensor([0, 2]), x[:2]); return (y * y).sum()
y = ops.exp(x); y.index_copy_(0, Tensor([0, 2]), x[:2]); return (y * y).sum()
y = ops.exp(x); y.put_(Tensor([0, 2]), x[:2]); return (y * y).sum()
y = ops.exp(x); y.masked_scatter_(x > 0.7, x); return (y * y).sum()
y = ops.exp(x); y.floor_(); return (y * x).sum()
y = ops.exp(x); z = y; z.add_(x); return (y * y).sum()
y = ops.exp(x); v = y[1:]; v.add_(x[1:]); return (y * y).sum()
y = ops.exp(x); v = y[1:]; y.mul_(x); return (v * v).sum()
y = ops.exp(x); v = y.view(3, 1); v.mul_(2); return (y * y).sum()
z = x * x; x.add_(1); return (z * x).sum()
x.mul_(2); return (x * x).sum()
x.zero_(); return (x * x).sum() + x.sum()
z = x * self.c; self.c.add_(x); return (z * self.c).sum()
y = ops.exp(x); ops.assign(y, x * 2); return (y * y).sum()
y = ops.exp(x); ops.assign_add(y, x); return (y * y).sum()
ops.assign(x, x * 2); return (x * x).sum()
y = ops.exp(x); y = ops.tensor_scatter_update(y, Tensor([[0]]), x[1:2]); return (y * y).sum()
y = ops.exp(x); z = ops.relu(y); z[0] = 0; y[1] = 0; return (y * z).sum()
y = ops.exp(x); w = y * y; y[0] = 0; w[1] = 0; return (w * y).sum()
y = ops.stack([x, x]); v = y[0]; v[0] = 0; return (y * y).sum()
y = ops.cat([x, x]); y[0] = 0; y[5] = x[0]; return (y * y).sum()
y = ops.matmul(x.reshape(3, 1), x.reshape(1, 3)); y[0] = 0; y[:, 1] = x; return (y * y).sum()
y = ops.matmul(x.reshape(3, 1), x.reshape(1, 3)); y[0][1] = 9; return (y * y).sum()
y = ops.matmul(x.reshape(3, 1), x.reshape(1, 3)); y[0, 1:] = x[1:]; y[y > 3] = 1; return (y * y).sum()
y = ops.cumsum(x, 0); y[0] = 0; return (y * y).sum()
y = ops.maximum(x, 1.0); y[0] = 0; return (y * y).sum()
y = ops.where(x > 0.7, x, x * 2); y[0] = 0; return (y * y).sum()
a, b = ops.split(ops.exp(ops.cat([x, x])), 3); a[0] = 0; return (a * b).sum()
a, b = ops.chunk(ops.exp(ops.cat([x, x])), 2); a[0] = 0; return (a * b).sum()
""".strip().splitlines()

PARAMETER_PROGRAMS = r"""
ops.assign(self.p, x * 2); return (self.p * 3).sum()
ops.assign(self.p, x * 2); return (self.p * self.p).sum()
y = self.p * self.p; ops.assign(self.p, x * 2); return (y * self.p).sum()
ops.assign(self.p, self.p * 2); return (self.p * self.p * x).sum()
ops.assign_add(self.p, x); return (self.p * self.p).sum()
ops.assign_add(self.p, self.p); return (self.p * x).sum()
ops.assign_sub(self.p, x * x); return (self.p * self.p).sum()
y = ops.assign(self.p, x * 2); return (y * y).sum()
y = ops.assign_add(self.p, x); return (y * y).sum()
y = ops.assign_add(self.p, x); return (y * self.p).sum()
self.p[0] = 9; return (self.p * self.p * x).sum()
self.p[0] = x[1]; return (self.p * self.p).sum()
y = self.p * self.p; self.p[0] = x[1]; return (y * self.p).sum()
self.p[:] = x; return (self.p * self.p).sum()
self.p += x; return (self.p * self.p).sum()
self.p *= x; return (self.p * self.p).sum()
self.p -= x; return (self.p * x).sum()
self.p = x * 2; return (self.p * self.p).sum()
self.p = self.p * 2; return (self.p * self.p * x).sum()
self.p.set_data(x * 2); return (self.p * self.p).sum()
self.p.set_data(self.p * 2); return (self.p * self.p * x).sum()
self.p.add_(x); return (self.p * self.p).sum()
self.p.mul_(x); return (self.p * self.p).sum()
self.p.mul_(2); return (self.p * self.p * x).sum()
self.p.zero_(); return (self.p * x).sum() + self.p.sum()
self.p.copy_(x); return (self.p * self.p).sum()
self.p.fill_(2); return (self.p * self.p * x).sum()
self.p.clamp_(1.5, 2.5); return (self.p * self.p * x).sum()
ops.assign(self.p, ops.clip_by_value(self.p, 1.5, 2.5)); return (self.p * self.p * x).sum()
ops.assign(self.p, self.p / ops.norm(self.p)); return (self.p * self.p * x).sum()
self.p[self.p > 2] = 0; return (self.p * self.p * x).sum()
v = self.p[1:]; v[0] = 9; return (self.p * self.p * x).sum()
v = self.p[1:]; self.p[1] = 9; return (v * v).sum() + (self.p * x).sum()
v = self.p.view(3, 1); v[0] = 9; return (self.p * self.p * x).sum()
v = self.p * 1; v[0] = 9; return (self.p * v * x).sum()
v = self.p.value(); ops.assign(self.p, x); return (self.p * v).sum()
q = self.p; ops.assign(q, x); return (self.p * self.p).sum()
y = (self.p * x).sum(); ops.assign(self.p, x); return y
y = (self.p * self.p * x).sum(); ops.assign(self.p, x * 5); return y
ops.assign(self.p, x); ops.assign(self.p, x * 2); return (self.p * self.p).sum()
ops.assign_add(self.p, x); ops.assign_add(self.p, x); return (self.p * self.p).sum()
for i in range(3):\n    ops.assign_add(self.p, x)\nreturn (self.p * self.p).sum()
for i in range(3):\n    self.p[i] = self.p[i] * x[i]\nreturn (self.p * self.p).sum()
ops.assign(self.h, x * 2); return (self.h * self.h).sum()
y = self.h * x; ops.assign(self.h, x * 2); return (y * self.h).sum()
self.h = x * 2; return (self.h * self.p * x).sum()
self.h = self.h * x; return (self.h * self.p).sum()
self.h += x; return (self.h * self.h).sum()
self.h[0] = x[1]; return (self.h * self.h).sum()
self.h[0] = 9; return (self.h * x).sum()
self.h.set_data(x * x); return (self.h * x).sum()
ops.assign_add(self.h, x); return (self.h * self.h).sum()
self.h.add_(x); return (self.h * self.h).sum()
y = ops.assign_add(self.h, x); return (y * y).sum()
ops.assign(self.h, self.p * x); return (self.h * self.p).sum()
ops.assign(self.p, self.h * x); return (self.h * self.p).sum()
ops.scatter_update(self.p, Tensor([0]), x[1:2]); return (self.p * self.p).sum()
ops.scatter_add(self.p, Tensor([0]), x[1:2]); return (self.p * self.p).sum()
ops.assign(self.p, x * 2); y = self.p * 3; ops.assign(self.p, x * 5); return (y * self.p).sum()
""".strip().splitlines()

# Of PyNative mode.
DIFFERENCES = {
    **dict.fromkeys(
        (
            "y = self.p * self.p; ops.assign(self.p, x * 2); return (y * self.p).sum()",
            "y = (self.p * x).sum(); ops.assign(self.p, x); return y",
            "y = (self.p * self.p * x).sum(); ops.assign(self.p, x * 5); return y",
            "y = self.h * x; ops.assign(self.h, x * 2); return (y * self.h).sum()",
        ),
        "MindSpore's backward pass of what was computed before the write reads the values from after it",
    ),
    "v = self.p.view(3, 1); v[0] = 9; return (self.p * self.p * x).sum()": (
        "MindSpore's view is a copy under grad, and a view without; here it is a view"
    ),
}

_CELL = """
class Program{number}(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([1.0, 2.0, 3.0]), name="p")
        self.h = Parameter(Tensor([1.0, 2.0, 3.0]), name="h", requires_grad=False)
        self.c = Tensor([4.0, 5.0, 6.0])

    def construct(self, x):
{body}
"""


def cells(package: str, programs: list[str]) -> str:
    """Return the text of a module that has the programs as cells: `Program0`, `Program1`, ...

    Args:
        package: "mindspore" or "torchspore".
        programs: the bodies; "; " or a written newline ends a line.
    """
    begin = f"import {package} as ms\nfrom {package} import nn, ops, Parameter, Tensor\n"
    bodies = [program.replace("\\n", "\n").replace("; ", "\n") for program in programs]
    return begin + "".join(
        _CELL.format(number=number, body=textwrap.indent(body, " " * 8)) for number, body in enumerate(bodies)
    )
