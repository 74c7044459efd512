"""Dumps, assertions, summaries, Python functions as primitives, and names that are refused."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import ops
from torchspore.ops.compat import unsupported
from torchspore.ops.control import summaries

X = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("name", sorted(unsupported.UNSUPPORTED))
def test_what_is_not_supported_says_what_to_use_instead(name):
    thing = getattr(ops, name)
    with pytest.raises(NotImplementedError, match=rf"^For '{name}', .*(Use|use|Keep|Test|Write|Iterate|Start|does)"):
        (thing() if isinstance(thing, type) else thing)()
    assert thing.__doc__.startswith("Not supported: ")
    assert "{" not in thing.__doc__


def test_names_of_reductions():
    assert (ops.ReduceOp.SUM, ops.ReduceOp.MAX, ops.ReduceOp.MIN, ops.ReduceOp.PROD) == ("sum", "max", "min", "prod")


def test_tensors_in_files(tmp_path):
    ops.tensordump(str(tmp_path / "x.npy"), X)
    ops.TensorDump()(str(tmp_path / "x"), X * 2)
    ops.TensorDump("in")(str(tmp_path / "x"), X.astype(ms.bfloat16))
    np.testing.assert_array_equal(np.load(tmp_path / "x_float32_0.npy"), X.asnumpy())
    np.testing.assert_array_equal(np.load(tmp_path / "x_float32_1.npy"), X.asnumpy() * 2)
    np.testing.assert_array_equal(np.load(tmp_path / "x_in_bfloat16_0.npy"), X.asnumpy())
    for call, kind in (
        (lambda: ops.tensordump(1, X), TypeError),
        (lambda: ops.tensordump("x", 1), TypeError),
        (lambda: ops.tensordump("x", X, "all"), ValueError),
        (lambda: ops.TensorDump("all"), ValueError),
    ):
        with pytest.raises(kind, match=r"^For '"):
            call()


def test_gradients_in_files(tmp_path):
    path = str(tmp_path / "dout.npy")
    dump = ops.DumpGradient()
    gradient = ms.grad(lambda x: (dump(path, x * 2, "out") ** 2).sum())(X)
    np.testing.assert_array_equal(np.load(path), 4 * X.asnumpy())
    np.testing.assert_array_equal(gradient.asnumpy(), 8 * X.asnumpy())


def test_assertions():
    check = ops.Assert(3)
    assert check(X.sum() > 0, [X]) is None
    assert check(True, (X,)) is None
    with pytest.raises(RuntimeError, match=r"condition is false.\ninput data: \[1. 2. 3.\]\ninput data: \[7\]"):
        check(X.sum() < 0, [X, ms.Tensor([7])])
    for arguments in ((1, [X]), (True, X)):
        with pytest.raises(TypeError, match="For 'Assert'"):
            check(*arguments)
    with pytest.raises(TypeError, match="For 'Assert'"):
        ops.Assert("3")


def test_assertions_in_graphs():
    check = ops.Assert()

    def checked(x):
        check(x.sum() > 0, [x])
        return x * 2

    run = ms.jit(checked)
    np.testing.assert_array_equal(run(X).asnumpy(), 2 * X.asnumpy())
    with pytest.raises(RuntimeError, match="condition is false"):
        run(-X)


def test_summaries_reach_what_records():
    seen = []
    summaries.RECORDERS.append(lambda kind, name, array: seen.append((kind, name, array.shape)))
    try:
        ops.ScalarSummary()("a", X.sum())
        ops.TensorSummary()("b", X)
        ops.HistogramSummary()("c", X[0])
        ops.ImageSummary()("d", ops.ones((1, 3, 2, 2)))
    finally:
        summaries.RECORDERS.clear()
    ops.ScalarSummary()("e", X.sum())
    assert seen == [
        ("scalar", "a", ()), ("tensor", "b", (2, 2)), ("histogram", "c", (2,)), ("image", "d", (1, 3, 2, 2)),
    ]  # fmt: skip
    for call, kind in (
        (lambda: ops.ScalarSummary()(1, X), TypeError),
        (lambda: ops.ScalarSummary()("", X.sum()), ValueError),
        (lambda: ops.ScalarSummary()("a", X), ValueError),
        (lambda: ops.ImageSummary()("a", X), ValueError),
        (lambda: ops.TensorSummary()("a", 1.0), TypeError),
    ):
        with pytest.raises(kind, match="Summary', 'name' must"):
            call()


def test_functions_of_arrays():
    both = ops.PyFunc(lambda a, b: (a + b, a > b), [ms.float32] * 2, [(2, 2)] * 2, [ms.float32, ms.bool_], [(2, 2)] * 2)
    total, greater = both((X, X * 2 - 2))
    np.testing.assert_array_equal(total.asnumpy(), 3 * X.asnumpy() - 2)
    assert greater.asnumpy().tolist() == [[True, False], [False, False]]
    with pytest.raises(TypeError, match="tuple of 2 Tensors"):
        both((X,))
    with pytest.raises(TypeError, match="one type per shape"):
        ops.PyFunc(np.add, [ms.float32], [], [], [])
    with pytest.raises(TypeError, match="must return 1 results"):
        ops.PyFunc(np.divmod, [ms.float32] * 2, [()] * 2, [ms.float32], [()])((X, X))


def test_custom_functions():
    product = ops.Custom(np.multiply, bprop=lambda x, y, out, dout: (y * dout, x * dout * 10))
    first, second = ms.grad(lambda x, y: product(x, y).sum(), (0, 1))(X, X + 1)
    np.testing.assert_array_equal(first.asnumpy(), X.asnumpy() + 1)
    np.testing.assert_array_equal(second.asnumpy(), 10 * X.asnumpy())
    halves = ops.Custom(lambda x: (x / 2, x // 2), lambda x: (x, x), lambda dtype: (dtype, ms.int32))
    one, other = halves(X)
    assert (one.dtype, other.dtype) == (ms.float32, ms.int32)
    assert not ms.grad(lambda x: ops.stop_gradient(halves(x)[0]).sum())(X).any()
    with pytest.raises(RuntimeError, match="a gradient needs 'bprop'"):
        ms.grad(lambda x: halves(x)[0].sum())(X)
    with pytest.raises(NotImplementedError, match=r"torch\.library"):
        ops.Custom("kernel", func_type="tbe")(X)
    with pytest.raises(ValueError, match=r"'func_type' must be one of .*, but got 'cuda'"):
        ops.Custom("kernel.so:add", func_type="cuda")
    with pytest.raises(TypeError, match="'func'"):
        ops.Custom("add")


def test_morph():
    weight = ms.Parameter(X + 0)

    def scaled(x):
        return x * weight * 100

    assert ms.grad(ops.Morph(scaled, scaled, scaled))(X).asnumpy().tolist() == (weight * 100).asnumpy().tolist()
    bent = ops.Morph(scaled, scaled, scaled, lambda x, out, dout: dout * 7)
    assert ms.grad(bent)(X).asnumpy().tolist() == [[7, 7], [7, 7]]
    with pytest.raises(TypeError, match="'infer_shape'"):
        ops.Morph(scaled, None, scaled)


def test_what_does_nothing_here():
    assert ops.Reusing()(X) is X
    assert ops.MoveTo()(X, "CPU").device == X.device
    with pytest.raises(TypeError, match="For 'MoveTo'"):
        ops.MoveTo()(1)

    class Scaled(ops.Primitive):
        @ops.prim_arg_register
        def __init__(self, factor=2):
            pass

    assert Scaled(3).factor == 3
