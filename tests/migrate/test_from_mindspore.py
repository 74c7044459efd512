"""What `rewrite` writes for APIs of MindSpore alone computes the same in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import migrate
from torchspore.migrate.table.from_mindspore import FROM_MINDSPORE

HEAD = """
import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from functools import partial
from mindspore import nn, ops, Tensor, Parameter
from mindspore.common.initializer import (
    initializer, Zero, One, Constant, Normal, TruncatedNormal, Uniform, XavierNormal, XavierUniform, HeNormal,
    HeUniform, Orthogonal, Identity, Dirac)
x = Tensor(np.arange(12).reshape(3, 4) / 10 - 0.5, ms.float32)
y = Tensor(np.arange(12).reshape(3, 4)[::-1] / 5 - 1, ms.float32)
z = Tensor(np.arange(24).reshape(2, 3, 4) / 7 - 1, ms.float32)
i = Tensor(np.array([[0, 2], [1, 1]]), ms.int64)
n = Tensor(np.array([2, 0, 3]), ms.int32)
b = Tensor(np.arange(12).reshape(3, 4) % 2 == 0, ms.bool_)
image = Tensor(np.sin(np.arange(2 * 3 * 7 * 6)).reshape(2, 3, 7, 6), ms.float32)
"""

CASES = """
ops.absolute(x)
ops.batch_dot(z, z.swapaxes(1, 2))
ops.broadcast_to(x, (2, 3, 4))
ops.cast(x, ms.int32)
ops.clip_by_value(x, -0.2, 0.3)
ops.clip_by_value(x, clip_value_max=Tensor(0.1))
ops.div(x, y + 3)
ops.div(x, y + 3, rounding_mode="floor")
ops.expand_dims(x, 1)
ops.one_hot(n, 4, Tensor(1.0), Tensor(0.0))
ops.rank(z)
ops.reduce_mean(x)
ops.reduce_mean(x, 1)
ops.reduce_sum(x, (0, 1))
ops.reduce_max(x, 1)
ops.reduce_min(x, 0)
ops.repeat_elements(x, rep=2, axis=1)
ops.select(b, x, y)
ops.shape(z)
ops.size(z)
ops.std(x)
ops.std(x, 1, 1, True)
ops.unstack(x)
ops.unstack(x, axis=1)
ops.var(x, axis=0, keepdims=True)
ops.tensor_dot(x, y, ((1,), (1,)))
ops.logical_not(b)
ops.sequence_mask(n, 4)
x.max()
x.max(axis=1)
x.max(axis=1, keepdims=True)
x.max(1)
x.min(axis=0)
x.min()
x.std()
x.std(1)
x.std(1, keepdims=True)
x.std(0, 1)
x.var(axis=(0, 1))
x.var(axis=1, keepdims=True)
x.var(1, ddof=1)
x.mean(axis=1, keep_dims=True)
x.sum(axis=0, keepdims=True)
x.cumsum(1)
x.argmax(axis=1)
x.view_as(x)
Tensor([1.5, 2])
Tensor(np.ones(2), ms.float32)
nn.Dropout(p=0.0)(x)
nn.Dropout(p=0.3).set_train(False)(x)
nn.OneHot(depth=4)(n)
nn.SoftmaxCrossEntropyWithLogits()(x, ops.abs(y))
nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="sum")(x, Tensor([0, 1, 3], ms.int64))
mnp.arange(5)
mnp.arange(1, 5)
mnp.arange(1, 9, 2)
mnp.arange(1, 9, 2, ms.float32)
mnp.concatenate((x, y), axis=1)
mnp.expand_dims(x, 0)
mnp.ones((2, 3))
mnp.zeros((2, 3), ms.int32)
mnp.roll(x, 1, 1)
mnp.roll(x, 2)
mnp.split(x, 2, axis=1)
mnp.stack((x, y), axis=1)
mnp.tensordot(x, y.T, axes=1)
mnp.tile(x, (2, 1))
mnp.where(b, x, y)
ops.Argmax(axis=0)(x)
ops.ArgMaxWithValue(1)(x)
ops.ArgMinWithValue(axis=0, keep_dims=True)(x)
ops.BatchMatMul()(z, z.swapaxes(1, 2))
ops.BatchMatMul(transpose_b=True)(z, z)
ops.BatchMatMul(transpose_a=True)(z, z)
ops.MatMul()(x, y.T)
ops.MatMul(transpose_b=True)(x, y)
ops.MatMul(True, False)(x, y)
ops.BroadcastTo((2, 3, 4))(x)
ops.Cast()(x, ms.float16)
ops.Concat(axis=1)((x, y))
ops.Div()(x, y + 3)
ops.RealDiv()(x, y + 3)
ops.Eye()(3, 4, ms.float32)
ops.Fill()(ms.float32, (2, 3), 1.5)
ops.Flatten()(z)
ops.Gather()(x, i, 0)
ops.GeLU()(x)
ops.HSwish()(x)
ops.HSigmoid()(x)
ops.Identity()(x)
ops.L2Normalize(1)(x)
ops.LogSoftmax(axis=1)(x)
ops.LpNorm(axis=[1], p=2, keep_dims=True)(x)
ops.NotEqual()(x, y)
ops.OneHot()(n, 4, Tensor(1.0), Tensor(0.0))
ops.Ones()((2, 3), ms.float32)
ops.Zeros()((2, 3), ms.int32)
ops.OnesLike()(x)
ops.ZerosLike()(x)
ops.ReduceMax(keep_dims=True)(x, 1)
ops.ReduceMin()(x, 1)
ops.ReduceMean()(x)
ops.ReduceMean(keep_dims=True)(x, (0, 1))
ops.ReduceSum()(x, -1)
ops.Rank()(z)
ops.ResizeNearestNeighbor((9, 5))(image)
ops.Select()(b, x, y)
ops.Shape()(z)
ops.Size()(z)
ops.Softmax()(x)
ops.Sort(axis=0, descending=True)(x)
ops.Split(1, 2)(x)
ops.Squeeze()(x.expand_dims(0))
ops.Squeeze(0)(x.expand_dims(0))
ops.Stack(axis=1)((x, y))
ops.TensorScatterUpdate()(x, i, Tensor([5.0, 6.0]))
ops.TopK()(x, 2)
ops.Transpose()(z, (2, 0, 1))
ops.Unstack(axis=1)(x)
ops.ExpandDims()(x, -1)
ops.CumSum()(x, 1)
ops.Tile()(x, (2, 1))
ops.Reshape()(x, (4, 3))
ops.Pow()(ops.abs(x), 2.0)
ops.LogicalAnd()(b, b)
ops.LogicalOr()(b, b)
ops.LogicalNot()(b)
ops.Maximum()(x, y)
ops.Minimum()(x, y)
ops.Add()(x, y)
ops.Sub()(x, y)
ops.Mul()(x, y)
ops.Equal()(x, y)
ops.Greater()(x, y)
ops.GreaterEqual()(x, y)
ops.Less()(x, y)
ops.LessEqual()(x, y)
initializer("ones", (2, 3), ms.float32)
initializer(Zero(), (2, 3))
initializer(One(), (2, 3))
initializer(Constant(0.25), x.shape, x.dtype)
initializer(0.5, (2, 3))
initializer(Identity(), (3, 3))
initializer(Dirac(), (3, 2, 3))
nn.Dense(4, 3, weight_init=Constant(0.5), bias_init="ones")(x)
nn.Dense(4, 3, One(), has_bias=False)(x)
nn.Conv2d(3, 2, 3, weight_init="ones")(image)
nn.Conv2d(3, 2, (3, 2), 2, weight_init=0.1)(image)
nn.Conv2d(3, 2, (5, 3), pad_mode="same", weight_init=0.1)(image)
nn.Conv2d(3, 2, 3, stride=3, dilation=2, pad_mode="same", weight_init=0.1, has_bias=True, bias_init=1)(image)
nn.Conv2d(3, 2, 3, pad_mode="valid", weight_init=0.1)(image)
nn.Conv2d(3, 3, 3, 2, "pad", 1, 1, 3, weight_init=0.1)(image)
nn.Conv1d(3, 2, 4, stride=2, weight_init=0.1)(image[..., 0])
nn.MaxPool2d(3, 2, pad_mode="same")(image)
nn.MaxPool2d(2, 2)(image)
nn.MaxPool2d(kernel_size=3)(image)
nn.AvgPool2d(3, 2, pad_mode="same")(image)
nn.AvgPool2d(2)(image)
nn.Pad(paddings=((0, 0), (0, 0), (1, 2), (0, 3)))(image)
nn.Pad(((0, 0), (0, 0), (1, 2), (0, 3)), "REFLECT")(image)
nn.LayerNorm((4,), gamma_init=Constant(2), beta_init="ones")(x)
nn.BatchNorm2d(3, momentum=0.8, gamma_init="ones").set_train()(image)
nn.SequentialCell([nn.ReLU(), nn.Tanh()])(x)
nn.SequentialCell(nn.ReLU(), nn.Tanh())(x)
nn.GELU()(x)
Parameter(x, name="p")
partial(nn.LayerNorm, epsilon=0.5)((4,))(x)
""".strip().splitlines()
UNARY = """
    Abs Ceil Cos Cosh Erf Exp Floor Log Neg ReLU Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh
""".split()  # noqa: SIM905
CASES += [f"ops.{name}()(ops.abs(x) + 0.1)" for name in UNARY]
CASES += [f"ops.{name}()(x / 2)" for name in ("ACos", "Asin", "Atan")]
RANDOM = {
    "Normal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "HeNormal",
    "HeUniform",
    "Orthogonal",
}
WITHOUT_CASES = {"ops.Dropout": "random", "ops.standard_normal": "random"}


def value(source: str) -> Any:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["result"]


def arrays(found: Any) -> list[np.ndarray]:
    if isinstance(found, (tuple, list)):
        return [array for each in found for array in arrays(each)]
    if isinstance(found, torch.Tensor):
        return [found.detach().numpy()]
    return [found.asnumpy() if isinstance(found, ms.Tensor) else np.asarray(found)]


def pair(expression: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    source = f"{HEAD}\nresult = {expression}\n"
    rewritten = migrate.rewrite(source, reverse=True)
    assert rewritten.left == []
    assert "mindspore" not in rewritten.code
    return arrays(value(source.replace("mindspore", "torchspore"))), arrays(value(rewritten.code))


@pytest.mark.parametrize("expression", CASES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_values_are_the_same(expression):
    ours, theirs = pair(expression)
    assert [a.shape for a in ours] == [b.shape for b in theirs]
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(b.astype(a.dtype), a, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", sorted(RANDOM))
def test_random_initial_values_have_the_same_distribution(name):
    ours, theirs = pair(f"initializer({name}(), (100, 80))")
    a, b = ours[0].ravel(), theirs[0].ravel()
    error = 6 * a.std() / np.sqrt(a.size / 2)
    assert abs(a.mean() - b.mean()) <= error
    assert abs(a.std() - b.std()) <= error
    np.testing.assert_allclose(np.quantile(b, [0.1, 0.9]), np.quantile(a, [0.1, 0.9]), atol=2 * error)


@pytest.mark.parametrize("line", ["w = initializer(how, w.shape)", "w = initializer(*how)"])
def test_unknown_initial_values_are_left_as_they_are(line):
    source = f"from mindspore.common.initializer import initializer\n\n\ndef f(w, how):\n    {line}\n"
    rewritten = migrate.rewrite(source, reverse=True)
    assert [left.text for left in rewritten.left] == [line]
    assert rewritten.code == source


def test_every_row_has_a_case():
    text = "\n".join([*CASES, *(f"{name}()" for name in RANDOM)])
    names = {row.mindspore.removeprefix("mindspore.") for row in FROM_MINDSPORE}
    spelled = {
        name: name.replace("Tensor.", ".").replace("numpy.", "mnp.").rpartition("initializer.")[2] for name in names
    }
    missing = {name for name, text_of in spelled.items() if f"{text_of}(" not in text} - set(WITHOUT_CASES)
    assert missing == set()
