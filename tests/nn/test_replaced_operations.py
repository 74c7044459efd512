"""An operation that MindSpore's layer computes by takes effect when a program replaces it, or cannot be replaced."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops
from torchspore.nn.probability import distribution as msd


class Twice(nn.Cell):
    def construct(self, x, *others):
        return x * 2


class Unused(nn.MAELoss):
    def __init__(self, **operations):
        super().__init__()
        for name, operation in operations.items():
            setattr(self, name, operation)


class Own(Unused):
    def construct(self, logits, labels):
        return self.mul(logits, labels)


class Calling(Unused):
    def construct(self, logits, labels):
        return super().construct(logits, labels)


@pytest.mark.parametrize(
    ("make", "name", "operation"),
    [
        (nn.MAELoss, "mul", Twice()), (nn.MAELoss, "mul", ops.Add()), (Unused, "mul", Twice()),
        (Calling, "mul", Twice()), (lambda: nn.Norm(), "squeeze", ops.Squeeze(5)),
        (lambda: nn.L1Regularizer(0.1), "reduce_sum", ops.ReduceSum(keep_dims=True)),
        (lambda: msd.Normal(0.0, 1.0), "exp_base", Twice()), (lambda: msd.Cauchy(0.0, 1.0), "log", ops.exp),
        (lambda: nn.LSTM(2, 3), "rnn", Twice()), (lambda: nn.RMSELoss(), "MSELoss", nn.L1Loss()),
        (lambda: nn.FocalLoss(), "logsoftmax", Twice()), (lambda: ms.mint.nn.BCELoss(), "bce_loss", Twice()),
    ],
)  # fmt: skip
def test_an_operation_that_would_not_count_is_refused(make, name, operation):
    layer = make()
    before = dict(vars(layer))
    words = f"For '{type(layer).__name__}', '{name}' cannot be replaced.*Override 'construct'"
    with pytest.raises(NotImplementedError, match=words):
        setattr(layer, name, operation)
    assert vars(layer).keys() == before.keys()
    assert name not in layer.name_cells()


@pytest.mark.parametrize(
    ("make", "name", "operation"),
    [
        (nn.MAELoss, "mul", ops.Mul()), (Unused, "abs", ops.Abs()), (Calling, "cast", ops.Cast()),
        (Own, "mul", ops.Add()), (Own, "reduce_sum", Twice()), (nn.L1Loss, "mul", Twice()),
        (nn.MAELoss, "another", Twice()), (lambda: msd.Cauchy(0.0, 1.0), "log", ops.log),
        (lambda: msd.Distribution(0, ms.float32, "x", {}), "log", ops.Exp()),
    ],
)  # fmt: skip
def test_an_operation_of_a_program_is_kept(make, name, operation):
    layer = make()
    setattr(layer, name, operation)
    assert getattr(layer, name) is operation


@pytest.mark.parametrize(("reduction", "expected"), [("mean", 4.5), ("sum", 9.0), ("none", [4.0, 5.0])])
def test_get_loss_computes_by_the_operations_of_a_subclass(reduction, expected):
    class Loss(nn.LossBase):
        def __init__(self):
            super().__init__(reduction)
            self.mul = ops.Add()

        def construct(self, x):
            return self.get_loss(x, 3.0)

    x = ms.Tensor([1.0, 2.0], ms.float16)
    for loss in (Loss(), ms.jit(Loss())):
        assert loss(x).dtype == ms.float16
        np.testing.assert_array_equal(loss(x).asnumpy(), expected)


def test_the_values_of_one_hot_vectors_count():
    layer, ids = nn.Embedding(3, 2, True), ms.Tensor([0, 2])
    table = layer.embedding_table.asnumpy()
    layer.on_value, layer.off_value = ms.Tensor(3.0), ms.Tensor(0.5)
    expected = (np.eye(3, dtype=np.float32) * 2.5 + 0.5)[[0, 2]] @ table
    np.testing.assert_allclose(layer(ids).asnumpy(), expected, rtol=1e-5)
    layer.gather = Twice()  # from now on it computes by its operations
    np.testing.assert_allclose(layer(ids).asnumpy(), expected, rtol=1e-5)
