"""Unsigned integers of 64 bits, for which torch has few kernels: as NumPy, also from 2**63 on."""

from __future__ import annotations

import numpy as np
import pytest

from torchspore import Parameter, Tensor, mint, ops
from torchspore import numpy as mnp

BIG = np.array([[2**63, 2**64 - 1, 5], [7, 2**63 - 1, 2**63 + 1]], np.uint64)
OTHER = np.array([[6, 2**64 - 1, 3], [2**64 - 2, 9, 2**63 + 2]], np.uint64)

# expression -> the same of NumPy; `x` and `y` are BIG and OTHER
RESULTS = {
    "x + y": "x + y",
    "x - y": "x - y",
    "x * y": "x * y",
    "-x": "-x",
    "x // y": "x // y",
    "x % y": "x % y",
    "x // 3": "x // np.uint64(3)",
    "x % 7": "x % np.uint64(7)",
    "x + 3": "x + np.uint64(3)",
    "x.add(y, alpha=2)": "x + y + y",
    "x.sub(y)": "x - y",
    "ops.subtract(x, y)": "x - y",
    "x.cumsum(1)": "x.cumsum(1)",
    "ops.floor_div(x, y)": "x // y",
    "ops.square(x)": "x * x",
    "x > y": "x > y",
    "x >= y": "x >= y",
    "x < y": "x < y",
    "x <= y": "x <= y",
    "x == y": "x == y",
    "x > 5": "x > 5",
    "ops.maximum(x, y)": "np.maximum(x, y)",
    "ops.minimum(x, y)": "np.minimum(x, y)",
    "mnp.maximum(x, y)": "np.maximum(x, y)",
    "mnp.subtract(x, y)": "x - y",
    "mnp.negative(x)": "-x",
    "ops.clamp(x, 6, 2**62)": "np.clip(x, 6, 2**62)",
    "ops.clamp(x, y, y)": "y",
    "x.max()": "x.max()",
    "x.min()": "x.min()",
    "x.max(axis=1)": "x.max(1)",
    "mint.max(x, 0)[0]": "x.max(0)",
    "ops.amax(x, 0)": "x.max(0)",
    "ops.amin(x, 0)": "x.min(0)",
    "ops.ReduceMax()(x, 1)": "x.max(1)",
    "ops.argmax(x, 1).astype('int64')": "x.argmax(1)",
    "x.argmin().astype('int64')": "np.int64(x.argmin())",
    "ops.topk(x, 2)[0]": "np.sort(x, 1)[:, :0:-1]",
    "ops.sum(x, 1)": "x.sum(1)",
    "ops.ReduceSum()(x, 1)": "x.sum(1)",
    "ops.cumsum(x, 1)": "x.cumsum(1)",
    "ops.addn((x, y))": "x + y",
    "ops.nonzero(x)": "np.argwhere(x)",
    "ops.sort(x, 1)[0]": "np.sort(x, 1)",
}


@pytest.mark.parametrize(("expression", "expected"), RESULTS.items(), ids=RESULTS)
def test_result(expression, expected):
    names = {"ops": ops, "mint": mint, "mnp": mnp, "np": np}
    found = eval(expression, names, {"x": Tensor(BIG), "y": Tensor(OTHER)}).asnumpy()
    wanted = np.asarray(eval(expected, names, {"x": BIG, "y": OTHER}))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("make", [Tensor, lambda value: Parameter(Tensor(value))], ids=["Tensor", "Parameter"])
def test_in_place(make):
    x = make(BIG)
    result = x.add_(Tensor(OTHER))
    np.testing.assert_array_equal(result.asnumpy(), x.asnumpy())
    np.testing.assert_array_equal(x.asnumpy(), BIG + OTHER)
    x.sub_(Tensor(OTHER)).clamp_(6, 2**63)
    np.testing.assert_array_equal(x.asnumpy(), np.clip(BIG, 6, 2**63))


def test_division_by_zero_and_limits():
    x = Tensor(np.array([0, 5, 2**64 - 1], np.uint64))
    assert (x // (x * 0)).asnumpy().tolist() == [0, 2**64 - 1, 2**64 - 1]
    assert (x % (x * 0)).asnumpy().tolist() == [0, 0, 0]
    ids = Tensor([1, 1, 1])
    assert ops.unsorted_segment_min(x, ids, 2).asnumpy().tolist() == [2**64 - 1, 0]
    assert ops.unsorted_segment_max(x, ids, 2).asnumpy().tolist() == [0, 2**64 - 1]


def test_what_does_not_fit_into_int64_is_refused():
    with pytest.raises(TypeError, match=r"^For 'matmul'"):
        ops.matmul(Tensor(BIG), Tensor(BIG.T.copy()))


@pytest.mark.parametrize("operation", [ops.add, ops.cumsum, ops.amax, mint.topk, ops.less, mnp.add, ops.div])
def test_its_name_decides_nothing(operation, monkeypatch):
    arguments = {ops.cumsum: (1,), ops.amax: (1,), mint.topk: (2,)}.get(operation, (Tensor(OTHER),))
    before = operation(Tensor(BIG), *arguments)
    for attribute in ("__name__", "__qualname__", "__module__"):
        monkeypatch.setattr(operation.body, attribute, "other")
    after = operation(Tensor(BIG), *arguments)
    np.testing.assert_array_equal(*[x.asnumpy() if isinstance(x, Tensor) else x[0].asnumpy() for x in (before, after)])
