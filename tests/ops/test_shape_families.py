"""Shapes, indices and in-place methods against NumPy, where MindSpore 2.10 refuses, and what a table cannot say."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import torchspore as ms
from torchspore import ops

# Our expression and NumPy's, over the inputs of `tests/cases`.
EQUAL = [
    # MindSpore 2.10 has no kernel for the CPU
    ("x.clone()", "x"),
    ("x.repeat(2, 1)", "np.tile(x, (2, 1))"),
    ("x.repeat((2, 2))", "np.tile(x, (2, 2))"),
    ("x.repeat([2, 2])", "np.tile(x, (2, 2))"),
    ("v.repeat(2, 2)", "np.tile(v, (2, 2))"),
    ("x.repeat(2, 3, 2)", "np.tile(x, (2, 3, 2))"),
    ("x.repeat_interleave(0)", "np.repeat(x, 0)"),
    ("x.repeat_interleave(2, 0, output_size=4)", "np.repeat(x, 2, 0)"),
    ("x.repeat_interleave(Tensor([1, 2]), 0, output_size=3)", "np.repeat(x, [1, 2], 0)"),
    ("ops.roll(x, 1)", "np.roll(x, 1)"),
    ("ops.roll(x, 1, 0)", "np.roll(x, 1, 0)"),
    ("ops.roll(x, (1, 2), (0, 1))", "np.roll(x, (1, 2), (0, 1))"),
    ("x.roll(-1, 1)", "np.roll(x, -1, 1)"),
    ("x.roll(shifts=(1, 1), dims=(0, 1))", "np.roll(x, (1, 1), (0, 1))"),
    ("ops.Roll(1, 0)(x)", "np.roll(x, 1, 0)"),
    ("ops.Roll((1, 1), (0, 1))(x)", "np.roll(x, (1, 1), (0, 1))"),
    ("m.diag(1)", "np.diag(m, 1)"),
    ("m.diag(diagonal=-1)", "np.diag(m, -1)"),
    ("v.diag(1)", "np.diag(v, 1)"),
    ("ops.take(x, Tensor([0, 5, 3]))", "np.take(x, [0, 5, 3])"),
    ("x.take(Tensor([0, -1]), 1, 'raise')", "np.take(x, [0, -1], 1)"),
    ("Tensor([2, -1]).choose([x[0, :2], x[1, :2]], 'wrap')", "np.choose([2, -1], [x[0, :2], x[1, :2]], mode='wrap')"),
    ("ops.nonzero(i, as_tuple=True)", "np.nonzero(i)"),
    ("ops.nonzero(s)", "np.zeros((1, 0), np.int64)"),
    ("x.scatter_add(1, Tensor([[0], [2]]), y[:, :1])", "put(x, ([0, 1], [0, 2]), x[[0, 1], [0, 2]] + y[:, 0])"),
    ("x.scatter_add(dim=0, index=Tensor([[1]]), src=y)", "put(x, (1, 0), x[1, 0] + y[0, 0])"),
    ("x.index_add(0, Tensor([1, 1]), y)", "put(x, 1, x[1] + y[0] + y[1])"),
    ("x.index_add(dim=0, index=Tensor([1]), source=y[:1], alpha=2)", "put(x, 1, x[1] + 2 * y[0])"),
    ("ops.inplace_add(x, y[:1], 1)", "put(x, 1, x[1] + y[0])"),
    ("ops.InplaceSub((1, 0))(x, y)", "x - y[::-1]"),
    ("ops.inplace_update(x, y, (1, 0))", "y[::-1]"),
    ("ops.InplaceUpdate(1)(x, y[:1])", "put(x, 1, y[0])"),
    ("x.itemset(4, 9)", "put(x, (1, 1), 9)"),
    ("x.itemset((0, 1), 9)", "put(x, (0, 1), 9)"),
    ("v.itemset(1, 9)", "put(v, 1, 9)"),
    ("s.itemset(9)", "np.asarray(9, np.float32)"),
    ("ops.searchsorted(v, x, side='right', out_int32=True)", "np.searchsorted(v, x, 'right').astype(np.int32)"),
    ("ops.SearchSorted(ms.int32, True)(v, v)", "np.searchsorted(v, v, 'right').astype(np.int32)"),
    ("v.searchsorted(x)", "np.searchsorted(v, x).astype(np.int32)"),
    ("v.searchsorted(0.5, 'right')", "np.searchsorted(v, 0.5, 'right').astype(np.int32)"),
    ("ops.searchsorted(k, Tensor([0, 1]), sorter=Tensor([1, 2, 0]))", "np.searchsorted([0, 1, 2], [0, 1])"),
    ("ops.bucketize(x, [-1.0, 0.0, 1.0])", "np.digitize(x, [-1.0, 0.0, 1.0], True).astype(np.int32)"),
    ("ops.bucketize(i, [0, 3, 5], right=True)", "np.digitize(i, [0, 3, 5]).astype(np.int32)"),
    ("i.unique(return_inverse=True, return_counts=True)", "np.unique(i, return_inverse=True, return_counts=True)"),
    ("i.unique(dim=1)", "np.unique(i, axis=1)"),
    # it refuses what is clear
    ("ops.reshape(z, -1)", "z.reshape(-1)"),
    ("ops.flip(x, 0)", "np.flip(x, 0)"),
    ("x.flip(-1)", "np.flip(x, -1)"),
    ("ops.tile(x, 2)", "np.tile(x, 2)"),
    ("ops.tile(x, [2, 2])", "np.tile(x, [2, 2])"),
    ("ops.narrow(x, 1, -2, 2)", "x[:, -2:]"),
    ("x.narrow(dim=1, start=1, length=2)", "x[:, 1:]"),
    ("ops.narrow(x, 1, 3, 0)", "x[:, 3:]"),
    ("ops.concat((i, h))", "np.concatenate((i.astype(np.float16), h))"),
    ("ops.stack((k, k.int()))", "np.stack((k, k))"),
    ("ops.one_hot(u[1], 7)", "np.eye(7, dtype=np.int64)[u[1]]"),
    ("ops.one_hot(labels, 5, 1.5)", "np.eye(5, dtype=np.float32)[labels] * np.float32(1.5)"),
    ("ops.sort(s)", "(s, np.asarray(0, np.int32))"),
    # its gradients are wrong
    ("ops.tile(x, (0, 2))", "np.tile(x, (0, 2))"),
    ("ops.gather(x, Tensor([-1]), 1)", "x[:, [-1]]"),
    ("ops.strided_slice(z, (1, 0, 3), (2, 3, 0), (1, 1, -1))", "z[1:2, 0:3, 3:0:-1]"),
    ("ops.strided_slice(z, (0, 1, 0), (2, 2, 4), (1, 1, 1), begin_mask=2)", "z[0:2, :2, 0:4]"),
    ("ops.strided_slice(z, (0, 0, 0), (1, 1, 1), (1, 1, 1), end_mask=6)", "z[0:1, 0:, 0:]"),
    ("ops.strided_slice(z, (1, 0), (2, 2), (1, 1), ellipsis_mask=1)", "z[..., 0:2]"),
    ("ops.strided_slice(z, (1, 1), (2, 2), (1, 1), new_axis_mask=1)", "z[None, 1:2]"),
]  # fmt: skip


def put(array, index, value):
    result = array.copy()
    result[index] = value
    return result


@pytest.mark.parametrize(("ours", "numpys"), EQUAL)
def test_equals_numpy(ours, numpys):
    found = eval(ours, cases.namespace(ms))
    expected = eval(numpys, {**cases.INPUTS, "np": np, "put": put})
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for one, other in pairs:
        other = np.asarray(other)
        assert one.asnumpy().dtype == other.dtype
        np.testing.assert_array_equal(one.asnumpy().reshape(other.shape) if one.shape == () else one.asnumpy(), other)


@pytest.mark.parametrize(("ours", "numpys"), [row for row in EQUAL if row[0].startswith(("ops.strided", "ops.gather"))])
def test_gradients_are_one_where_elements_are_taken(ours, numpys):
    name = ours.split("(")[1][0]
    gradient = ms.grad(lambda value: eval(ours, {**cases.namespace(ms), name: value}).sum())(
        ms.Tensor(cases.INPUTS[name])
    )
    places = np.arange(cases.INPUTS[name].size).reshape(cases.INPUTS[name].shape)
    taken = eval(numpys, {name: places, "np": np})
    np.testing.assert_array_equal(gradient.asnumpy(), np.isin(places, taken).astype(np.float32))


ERRORS = [
    ("x.repeat(2)", ValueError),
    ("x.repeat(-1, 1)", ValueError),
    ("x.repeat('a')", TypeError),
    ("x.repeat_interleave(2, 0, output_size=5)", ValueError),
    ("ops.roll(x, (1, 2))", ValueError),
    ("ops.roll(x, (1, 2), 0)", ValueError),
    ("ops.rot90(x, 1, (0, 0))", ValueError),
    ("ops.rot90(x, 1, (0, 2))", ValueError),
    ("ops.pad(x, 'a')", TypeError),
    ("x.split(2, dim=0, axis=0)", TypeError),
    ("x.take(Tensor([3]), 1, 'raise')", ValueError),
    ("(x * 1j).choose([x, x])", TypeError),
    ("Tensor([2]).choose([1, 2], 'raise')", ValueError),
    ("x.itemset(9)", ValueError),
    ("x.itemset((5, 5), 9)", IndexError),
    ("ops.DiagPart()(m)", ValueError),
    ("ops.one_hot(labels, 5, axis=2)", ValueError),
    ("ops.sequence_mask(x)", TypeError),
    ("ops.unique_with_pad(i, 0)", ValueError),
    ("ops.SearchSorted(ms.float32)", ValueError),
    ("ops.space_to_batch_nd(img, 5, [[0, 0], [0, 0]])", ValueError),
    ("ops.space_to_batch_nd(img, 0, [[0, 0], [0, 0]])", ValueError),
    ("ops.space_to_batch_nd(img, 2, [[0, 0], [0, -1]])", ValueError),
    ("ops.space_to_batch_nd(img, 2, 'a')", ValueError),
    ("ops.batch_to_space_nd(img, 2, [[0, 0], [0, 0]])", ValueError),
    ("ops.SpaceToDepth(2.0)", TypeError),
    ("ops.MirrorPad()(x, Tensor([[1, 1]]))", ValueError),
    ("ops.MirrorPad()(x, Tensor([[2, 2], [0, 0]]))", ValueError),
    ("ops.MirrorPad()(x, Tensor([[-1, 1], [0, 0]]))", ValueError),
    ("ops.pad(img, (1, 1), 'circular')", ValueError),
    ("ops.index_select(x, 0, Tensor(1))", ValueError),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "error"), ERRORS)
def test_error(expression, error):
    with pytest.raises(error, match=r"^For '"):
        eval(expression, cases.namespace(ms))


IN_PLACE = [
    ("t.masked_fill_(b, 9.0)", "put(x, b, 9)"),
    ("t.masked_fill_(b, s)", "put(x, b, s)"),
    ("t.masked_scatter_(b, y)", "put(x, b, y.ravel()[:3])"),
    ("t.index_fill_(1, Tensor([0, 2]), 9.0)", "put(x, np.s_[:, [0, 2]], 9)"),
    ("t.index_copy_(1, Tensor([2, 0], ms.int32), y[:, :2])", "put(x, np.s_[:, [2, 0]], y[:, :2])"),
    ("t.index_add_(0, Tensor([1]), y[:1], alpha=2)", "put(x, 1, x[1] + 2 * y[0])"),
    ("t.index_put_((Tensor([0, 1]), Tensor([1, 2])), v[:2])", "put(x, ([0, 1], [1, 2]), v[:2])"),
    ("t.index_put_([Tensor([0, 0])], y, True)", "put(x, 0, x[0] + y[0] + y[1])"),
    ("t.put_(Tensor([0, 5]), v[:2])", "put(x, ([0, 1], [0, 2]), v[:2])"),
    ("t.scatter_(1, Tensor([[0], [2]]), y[:, :1])", "put(x, ([0, 1], [0, 2]), y[:, 0])"),
    ("t.scatter_(0, Tensor([[1, 0, 1]]), value=9)", "put(x, ([1, 0, 1], [0, 1, 2]), 9)"),
    ("t.scatter_(0, Tensor([[0]]), y, reduce='add')", "put(x, (0, 0), x[0, 0] + y[0, 0])"),
    ("t.scatter_(0, Tensor([[0]]), 3.0, reduce='multiply')", "put(x, (0, 0), x[0, 0] * 3)"),
    ("t.scatter_add_(0, Tensor([[0]]), y)", "put(x, (0, 0), x[0, 0] + y[0, 0])"),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "numpys"), IN_PLACE)
def test_in_place(ours, numpys):
    names = cases.namespace(ms)
    names["t"] = names["x"].copy()
    memory = names["t"].asnumpy()
    assert eval(ours, names) is names["t"]
    expected = eval(numpys, {**cases.INPUTS, "np": np, "put": put})
    np.testing.assert_allclose(names["t"].asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(memory, expected, rtol=1e-6)


@pytest.mark.parametrize(("ours", "numpys"), IN_PLACE)
def test_in_place_in_a_differentiated_function(ours, numpys):
    names = cases.namespace(ms)
    x = cases.INPUTS["x"]

    def loss(value):
        written = value + 0.0
        squares = written * written  # saved for the backward pass before the write
        return squares.sum() + eval(ours, {**names, "t": written}).sum()

    gradient = ms.grad(loss)(names["x"]).asnumpy()
    shifted, plain = (eval(numpys, {**cases.INPUTS, "x": value, "np": np, "put": put}) for value in (x + 1, x))
    np.testing.assert_allclose(gradient, 2 * x + (shifted - plain), rtol=1e-5, atol=1e-5)  # the writes are linear
    np.testing.assert_array_equal(names["x"].asnumpy(), x)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("x.masked_fill_(i, 1.0)", TypeError),
        ("x.masked_fill_(1, 1.0)", TypeError),
        ("x.masked_fill_(b, v)", ValueError),
        ("x.index_fill_(0, x, 1.0)", TypeError),
        ("x.index_fill_(0, 1, 1.0)", TypeError),
        ("x.index_fill_(5, Tensor([0]), 1.0)", ValueError),
        ("x.index_put_('a', v)", TypeError),
        ("x.index_put_((Tensor([5]),), v)", ValueError),
        ("x.scatter_(0, Tensor([[0]]))", TypeError),
        ("x.scatter_(0, Tensor([[0]]), 1.0, reduce='foo')", ValueError),
        ("x.scatter_(2, Tensor([[0]]), 1.0)", ValueError),
        ("x.put_(Tensor([9]), v[:1])", ValueError),
    ],
)
def test_in_place_error(expression, error):
    with pytest.raises(error, match=r"^For '"):
        eval(expression, cases.namespace(ms))


@pytest.mark.parametrize(
    "view",
    [
        "x.reshape(3, 2)", "x.view(6)", "x.T", "x.transpose(1, 0)", "ops.squeeze(x)", "x.expand_dims(0)",
        "x.swapaxes(0, 1)", "ops.split(x, 1)[0]", "ops.unstack(x)[0]", "x.narrow(1, 0, 2)",
        "x.diagonal()", "x.float()", "x.contiguous()",
    ],
)  # fmt: skip
def test_a_view_shares_memory(view):
    x = ms.Tensor(cases.INPUTS["x"])
    part = eval(view, {"x": x, "ops": ops})
    part[...] = 7.0
    assert x[0, 0].item() == 7.0


@pytest.mark.parametrize(
    "copy", ["x.copy()", "x.clone()", "ops.deepcopy(x)", "ops.Identity()(x)", "x.resize(2, 3)", "x.flip(())"]
)
def test_a_copy_does_not(copy):
    x = ms.Tensor(cases.INPUTS["x"])
    eval(copy, {"x": x, "ops": ops})[...] = 7.0
    np.testing.assert_array_equal(x.asnumpy(), cases.INPUTS["x"])


def test_index_add_changes_a_parameter():
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    result = ops.index_add(w, ms.Tensor([1]), ms.Tensor([5.0]), 0)
    np.testing.assert_array_equal(w.asnumpy(), [1, 7])
    np.testing.assert_array_equal(result.asnumpy(), [1, 7])
    ops.inplace_index_add(w, ms.Tensor([0]), ms.Tensor([5.0]), 0)
    np.testing.assert_array_equal(w.asnumpy(), [6, 7])


def test_cast_of_a_complex_tensor_warns_nobody():
    assert ms.Tensor([1 + 2j]).float().asnumpy().tolist() == [1.0]


@pytest.mark.parametrize("expression", ["h * 1j", "1j + h", "h - 1j", "1j * h", "h / 1j", "ops.mul(c, h)", "h * c"])
def test_halves_and_complex_numbers(expression):
    names = {"ops": ops, "h": ms.Tensor([1.0, 2.0], ms.float16), "c": ms.Tensor(2j, ms.complex64)}
    result = eval(expression, names)
    assert result.dtype == ms.complex64
    wide = eval(expression, {**names, "h": ms.Tensor([1.0, 2.0])})
    assert result.asnumpy().tolist() == wide.asnumpy().tolist()


def test_to_copies_when_asked():
    x = ms.Tensor([1.0])
    assert x.to(ms.float32).data_ptr() == x.data_ptr()
    assert x.to(ms.float32, copy=True).data_ptr() != x.data_ptr()


def test_the_gradient_flows_through_a_cast():
    assert ms.grad(lambda x: (x.astype(ms.float16) * 3).sum())(ms.Tensor([1.0])).asnumpy().tolist() == [3.0]


@pytest.mark.parametrize(
    "write", ["ops.scatter_add(w, one, step)", "ops.ScatterNdAdd()(w, pair, step)", "ops.scatter_nd_add(w, pair, step)"]
)
def test_scatter_writes_change_the_parameter(write):
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    names = {"w": w, "ops": ops, "one": ms.Tensor([1]), "pair": ms.Tensor([[1]]), "step": ms.Tensor([5.0])}
    assert eval(write, names).asnumpy().tolist() == [1, 7]
    assert w.asnumpy().tolist() == [1, 7]
    weight = ms.grad(lambda step: eval(write, {**names, "step": step}).sum())(ms.Tensor([5.0]))
    assert weight.asnumpy().tolist() == [1]
    assert w.asnumpy().tolist() == [1, 12]
