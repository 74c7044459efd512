"""Programs that MindSpore 1.10, 2.0 and 2.10 export: control flow, indices, states, data types."""

# ruff: noqa: E501
from __future__ import annotations

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from networks import numbers


class Cell(nn.Cell):
    """A cell with a parameter and a layer."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones(3), ms.float32), name="w")
        self.fc = nn.Dense(3, 3)


class IfElif(Cell):
    def construct(self, x, n):
        if n > 2:
            y = self.fc(x)
        elif n > 0:
            y = x * self.w
        else:
            y = x - 1
        return y + 1


class WhileBreak(Cell):
    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            x = x * 2 + self.w
            if x.sum() > 50:
                break
            i = i + 1
        return x, i


class Continue(Cell):
    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        total = ops.ZerosLike()(x)
        while i < n:
            i = i + 1
            if i == 2:
                continue
            total = total + x * i
        return total


class ForTensors(Cell):
    def construct(self, x):
        total = ops.ZerosLike()(x[0])
        for row in x:
            total = total + row * row.sum()
        return total


class Nested(Cell):
    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            j = Tensor(0, ms.int32)
            while j < i:
                if x.sum() > 10:
                    x = x - self.w
                else:
                    x = x + self.w * j
                j = j + 1
            i = i + 1
        return x


class EarlyReturn(Cell):
    def construct(self, x):
        if x.max() > 3:
            return x
        x = self.fc(x)
        if x.min() < 0:
            return -x
        return x * 2


class Choice(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.ReLU(), nn.Tanh(), nn.Dense(3, 3)])

    def construct(self, i, x):
        return self.layers[i](x)


class Compared(Cell):
    def construct(self, x, y):
        a = x > y
        b = ops.LogicalAnd()(a, x > 0)
        if b.any() and not (x == y).all():
            x = x + y
        return a, b, ops.LogicalNot()(a), ops.LogicalOr()(a, b), x, ops.Equal()(x, y), ops.NotEqual()(x, y), x <= y


class ListsIn(nn.Cell):
    def construct(self, pair, more):
        return pair[0] + pair[1], [more[0], (more[1], pair[0])]


class DictOut(nn.Cell):
    def construct(self, x, y):
        return {"sum": x + y, "parts": (x, [y, x * 2]), "n": 3}


class Mixed(nn.Cell):
    def construct(self, x):
        return x, 2, 1.5, "text", True, (x.shape, x.dtype == ms.float32)


class Scalars(nn.Cell):
    def construct(self, x, n, f):
        return x * n + f


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)
        self.state = Parameter(Tensor(np.zeros(3), ms.float32), name="state")
        self.assign, self.add = ops.Assign(), ops.AssignAdd()

    def construct(self, x):
        before = self.state + 0
        self.add(self.count, 1)
        self.assign(self.state, x * self.count)
        self.state -= 1
        return before, self.state + 0, self.count + 0


class CounterInLoop(nn.Cell):
    def __init__(self):
        super().__init__()
        self.state = Parameter(Tensor(np.zeros(3), ms.float32), name="state")

    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            self.state = self.state + x
            i = i + 1
            if self.state.sum() > 20:
                self.state = self.state * 0
        return self.state * 2


class Shared(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(3, 3), nn.Dense(3, 3)
        self.b.weight = self.a.weight

    def construct(self, x):
        return self.b(self.a(x))


class Random(nn.Cell):
    def __init__(self):
        super().__init__()
        self.normal, self.uniform = ops.StandardNormal(seed=3), ops.UniformReal(seed=2)
        self.ints = ops.UniformInt(seed=4)

    def construct(self, x):
        low, high = Tensor(1, ms.int32), Tensor(5, ms.int32)
        return self.normal((20, 30)) * 1, self.uniform((20, 30)), self.ints((20, 30), low, high), x


class Dropout(nn.Cell):
    def __init__(self):
        super().__init__()
        self.drop = ops.Dropout(keep_prob=0.75)

    def construct(self, x):
        return self.drop(x)


class Types(nn.Cell):
    def __init__(self):
        super().__init__()
        self.half = Parameter(Tensor(np.ones((3, 3)), ms.float16), name="half")
        self.double = Parameter(Tensor(np.ones(3), ms.float64), name="double")
        self.byte = Tensor(np.array([1, 2, 3]), ms.int8)

    def construct(self, x):
        h = ops.MatMul()(ops.Cast()(x, ms.float16), self.half)
        d = ops.Cast()(x, ms.float64) * self.double
        i = ops.Cast()(x, ms.int32)
        return (h, d, i // 2, i % 3, ops.Cast()(i, ms.uint8), ops.Cast()(x, ms.bool_), ops.Cast()(self.byte, ms.int64),
                ops.Cast()(i, ms.int16), h.astype(ms.float32) + x)  # fmt: skip


class Quantized(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(
            Tensor(np.arange(9).reshape(3, 3) * 13 % 127, ms.int8), name="weight", requires_grad=False
        )
        self.scale = Tensor(np.array([0.5, 0.25, 0.125]), ms.float32)

    def construct(self, x):
        return ops.MatMul()(x, ops.Cast()(self.weight, ms.float32) * self.scale)


class Complex(nn.Cell):
    def construct(self, x, y):
        z = ops.Complex()(x, y)
        return ops.Real()(z * z), ops.Imag()(z + z), ops.ComplexAbs()(z), z


class Indexing(nn.Cell):
    def construct(self, x, i):
        y = x[i]
        z = x[:, 1:3, None]
        m = x * 1
        m[0, 1] = 5.0
        m[:, 2] = x[:, 0]
        return y, z, x[::2], x[..., -1], m, x[i, i], x[1]


class Slices(nn.Cell):
    def construct(self, x):
        a, b = ops.Split(1, 2)(x)
        parts = ops.Unstack(axis=0)(x)
        return (a, b, parts, ops.Slice()(x, (0, 1), (2, 2)), ops.StridedSlice()(x, (0, 0), (3, 4), (2, 3)), ops.Stack(1)(parts),
                ops.ReverseV2([1])(x), ops.Pad(((1, 0), (0, 2)))(x), ops.BroadcastTo((2, 3, 4))(x), ops.Transpose()(x, (1, 0)),
                ops.Meshgrid()((x[0], x[1])), ops.Tile()(x, (2, 1)), ops.GatherD()(x, 1, ops.Argmax()(x).reshape(3, 1).astype(ms.int32)))  # fmt: skip


class Sorting(nn.Cell):
    def construct(self, x):
        values, places = ops.TopK(sorted=True)(x, 2)
        ordered, order = ops.Sort(axis=1, descending=True)(x)
        return (values, places, ordered, order, ops.Argmax(axis=1)(x), ops.Argmin(axis=0)(x), ops.CumSum()(x, 1),
                ops.CumProd()(x, 0), ops.ArgMinWithValue(1, True)(x), ops.ReduceAny()(x > 1, 1), ops.ReduceAll()(x > -9, 0),
                ops.ReduceProd()(x, 1), ops.ReduceMin()(x, 0))  # fmt: skip


class Boxes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.iou, self.nms = ops.IOU(), ops.NMSWithMask(0.5)

    def construct(self, boxes, scores):
        rows = ops.Concat(1)((boxes, scores))
        return self.iou(boxes, boxes[:2]), self.nms(rows)


class Elementwise(nn.Cell):
    def construct(self, x, y):
        p = ops.Abs()(x) + 0.5
        return (ops.Exp()(x), ops.Log()(p), ops.Sqrt()(p), ops.Rsqrt()(p), ops.Pow()(p, 1.5), ops.Tanh()(x), ops.Erf()(x),
                ops.Sin()(x), ops.Cos()(x), ops.Floor()(x), ops.Ceil()(x), ops.Round()(x), ops.Sign()(x), ops.Neg()(x),
                ops.Reciprocal()(p), ops.Square()(x), ops.Maximum()(x, y), ops.Minimum()(x, 0.5), ops.FloorDiv()(x, p),
                ops.Mod()(x, p), ops.FloorMod()(x, p), ops.SquaredDifference()(x, y), ops.RealDiv()(x, p), ops.Atan2()(x, y),
                ops.Xlogy()(x, p), ops.Erfc()(x), ops.Expm1()(x), ops.Log1p()(p), ops.IsNan()(x), ops.Sinh()(x), ops.Asin()(x / 3),
                ops.AddN()((x, y)), ops.Lerp()(x, y, 0.25), ops.BitwiseAnd()(ops.Cast()(p, ms.int32), 3))  # fmt: skip


class Activations(nn.Cell):
    def construct(self, x):
        return (ops.ReLU()(x), ops.ReLU6()(x), ops.Sigmoid()(x), ops.Softplus()(x), ops.Softsign()(x), ops.Elu()(x), ops.GeLU()(x),
                ops.Mish()(x), ops.SeLU()(x), ops.HSwish()(x), ops.HSigmoid()(x), ops.LogSoftmax()(x), ops.FastGeLU()(x),
                ops.HShrink()(x), ops.SoftShrink()(x), nn.Hardtanh()(x) if hasattr(nn, "Hardtanh") else x)  # fmt: skip


class LinearAlgebra(nn.Cell):
    def construct(self, x):
        s = ops.MatMul()(x, ops.Transpose()(x, (1, 0))) + ops.Eye()(3, 3, ms.float32)
        return (
            ops.MatrixInverse()(s),
            ops.MatrixDeterminant()(s),
            ops.Cholesky()(s),
            ops.MatrixBandPart()(s, Tensor(0, ms.int64), Tensor(1, ms.int64)),
        )


class Functional(nn.Cell):
    """Functions, which are other primitives in every version."""

    def construct(self, x, y):
        return (ops.clip_by_value(x, -1.0, 1.0), ops.softmax(x, 0), x.mean(0), x.sum(1), ops.abs(x), x.max(axis=1), x.std(),
                ops.concat((x, y), 0) if hasattr(ops, "concat") else x, ops.stack((x, y)), x.swapaxes(0, 1), x.flatten(), x.var(0),
                x.argmax(1), ops.matmul(x, y.T), x, ops.tile(x, (1, 2)), ops.masked_fill(x, x > 0, 2.0),
                ops.where(x > 0, x, y) if hasattr(ops, "where") else x, ops.expand_dims(x, 1), x.squeeze())  # fmt: skip


class Optimizing(nn.Cell):
    """Steps of optimizers write their states."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones(3), ms.float32), name="w")
        self.m = Parameter(Tensor(np.zeros(3), ms.float32), name="m", requires_grad=False)
        self.v = Parameter(Tensor(np.zeros(3), ms.float32), name="v", requires_grad=False)
        self.momentum, self.adam = ops.ApplyMomentum(), ops.Adam()

    def construct(self, g):
        first = self.momentum(self.w, self.m, 0.1, g, 0.9)
        self.adam(self.w, self.m, self.v, 0.9, 0.99, 0.1, 0.9, 0.99, 1e-7, g)
        return first, self.w + 0


class ScatterWrites(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = Parameter(Tensor(np.zeros((4, 3)), ms.float32), name="table")
        self.add, self.update = ops.ScatterAdd(), ops.ScatterUpdate()

    def construct(self, i, x):
        self.add(self.table, i, x)
        self.update(self.table, i[:1] * 0 + 3, x[:1] * 2)
        return self.table * 1


class PositionDict(nn.Cell):
    """Sequences changed in loops of Python."""

    def construct(self, x):
        parts = []
        for i in range(4):
            parts.append(x * i)
        parts[1] = x
        table = {"a": x}
        table["b"] = parts[2]
        total = x
        for name in table:
            total = total + table[name]
        return total, parts


class Grad(Cell):
    """The gradient of a network as a graph."""

    def construct(self, x):
        return ops.GradOperation()(self.loss)(x)

    def loss(self, x):
        return (self.fc(x) ** 2).sum() + ops.Tanh()(x * self.w).sum()


class Fft(nn.Cell):
    def construct(self, x):
        y = ops.rfft(x)
        return ops.Real()(y), ops.irfft(y, 4), ops.fft(x)


class Einsum(nn.Cell):
    def construct(self, x, y):
        return ops.einsum("ij,kj->ik", x, y), ops.bmm(x[None], y[None].swapaxes(1, 2)), ops.outer(x[0], y[0])


class NewNames(nn.Cell):
    """Names of 2.x."""

    def __init__(self):
        super().__init__()
        self.up = nn.PixelShuffle(2)

    def construct(self, x):
        y = ops.interpolate(x, size=(5, 6), mode="bilinear", align_corners=True)
        return (y, ops.pad(x, (1, 1), mode="constant"), ops.silu(x), ops.cat((x, x), 1), ops.topk(x, 2), ops.sort(x), x.split(1, 1),
                ops.grid_sample(x, ops.ones((1, 2, 2, 2), ms.float32) * 0.5), ops.unbind(x, 1), ops.roll(x, 1, 0),
                ops.layer_norm(x, (4,), ops.ones(4, ms.float32), ops.zeros(4, ms.float32)), ops.arange(0, 5), ops.gelu(x),
                ops.nonzero(x), ops.one_hot(ops.arange(3), 4, Tensor(1.0), Tensor(0.0)), ops.logsumexp(x, 1), ops.var_mean(x))  # fmt: skip


class Bfloat16(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones(3), ms.float32).astype(ms.bfloat16), name="w")

    def construct(self, x):
        return (x.astype(ms.bfloat16) * self.w).astype(ms.float32)


class Mint(nn.Cell):
    def construct(self, x, y):
        m = ms.mint
        return (
            m.add(x, y, alpha=2),
            m.matmul(x, y.T),
            m.nn.functional.softmax(x, -1),
            m.sum(x, 1),
            m.where(x > 0, x, y),
            m.cat([x, y]),
        )


V2 = ("2.0", "2.10")
PROGRAMS = {
    "if_elif_high": (IfElif, [numbers(2, 3), np.int32(3)]),
    "if_elif_low": (IfElif, [numbers(2, 3), np.int32(1)]),
    "while_break": (WhileBreak, [numbers(3), np.int32(9)]),
    "continue": (Continue, [numbers(3), np.int32(4)]),
    "for_tensors": (ForTensors, [numbers(4, 3)]),
    "nested": (Nested, [numbers(3), np.int32(5)]),
    "early_return": (EarlyReturn, [numbers(2, 3)]),
    "choice": (Choice, [np.int32(2), numbers(2, 3)]),
    "compared": (Compared, [numbers(2, 3), numbers(2, 3)[::-1].copy()]),
    "lists_in": (ListsIn, [(numbers(3), numbers(3) * 2), [numbers(2), numbers(1)]]),
    "dict_out": (DictOut, [numbers(3), numbers(3)]),
    "mixed": (Mixed, [numbers(2, 3)]),
    "scalars": (Scalars, [numbers(2, 3), 3, 0.5]),
    "counter": (Counter, [numbers(3)]),
    "counter_in_loop": (CounterInLoop, [numbers(3), np.int32(6)]),
    "shared": (Shared, [numbers(2, 3)]),
    "random": (Random, [numbers(2)]),
    "dropout": (Dropout, [np.ones((40, 50), np.float32)]),
    "types": (Types, [numbers(2, 3)]),
    "quantized": (Quantized, [numbers(2, 3)]),
    "complex": (Complex, [numbers(2, 3), numbers(2, 3)]),
    "indexing": (Indexing, [numbers(3, 4), np.array([2, 0], np.int32)]),
    "slices": (Slices, [numbers(3, 4)]),
    "sorting": (Sorting, [numbers(3, 4)]),
    "boxes": (Boxes, [np.array([[0, 0, 4, 4], [1, 1, 5, 5], [6, 6, 9, 8]], np.float32), np.array([[0.9], [0.8], [0.7]], np.float32)]),
    "elementwise": (Elementwise, [numbers(2, 3), numbers(2, 3)[::-1].copy()]),
    "activations": (Activations, [numbers(2, 3)]),
    "linear_algebra": (LinearAlgebra, [numbers(3, 4)]),
    "functional": (Functional, [numbers(2, 3), numbers(2, 3)[::-1].copy()]),
    "optimizing": (Optimizing, [numbers(3)]),
    "scatter_writes": (ScatterWrites, [np.array([1, 1, 2], np.int32), numbers(3, 3)]),
    "python_sequences": (PositionDict, [numbers(3)]),
    "grad": (Grad, [numbers(2, 3)]),
    "fft": (Fft, [numbers(2, 4)], None, ("2.10",)),
    "einsum": (Einsum, [numbers(2, 3), numbers(2, 3)], None, ("2.0",)),
    "new_names": (NewNames, [numbers(1, 4, 4, 4)], None, V2),
    "bfloat16": (Bfloat16, [numbers(2, 3)], None, ("2.10",)),
    "mint": (Mint, [numbers(2, 3), numbers(2, 3)], None, ("2.10",)),
}  # fmt: skip
