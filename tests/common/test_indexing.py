"""Indexing and slice assignment, compared with MindSpore 2.10 and NumPy."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import torchspore as ms
from torchspore.common.indexing import get, put

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "indexing.json").read_text())
CASES = [(kind, case) for kind in ("get", "set") for case in RECORDED[kind]]


class Box:
    """Stands in for the Tensor class: a slot with a torch tensor, and the operators that the recorded lines use."""

    __slots__ = ("_t",)

    def __init__(self, t: torch.Tensor) -> None:
        self._t = t

    def __repr__(self) -> str:
        return f"Box({self._t.tolist()})"  # the name of a test is the same in each process

    def __getitem__(self, index: Any) -> Box:
        return Box(get(self._t, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        put(self._t, index, value)

    def __gt__(self, other: float) -> Box:
        return Box(self._t > other)

    def __eq__(self, other: object) -> Box:  # type: ignore[override]
        return Box(self._t == other)

    def __mod__(self, other: float) -> Box:
        return Box(self._t % other)

    def __mul__(self, other: float) -> Box:
        return Box(self._t * other)


def box(data: Any, dtype: str) -> Box:
    return Box(torch.from_numpy(np.array(data, dtype)))


def names(make: Any) -> dict[str, Any]:
    """Return the names that the recorded lines use, with tensors made by `make(data, dtype)`."""
    tensors = {
        name: make(np.arange(int(np.prod(shape))).reshape(shape), dtype)
        for name, (dtype, shape) in RECORDED["tensors"].items()
    }
    return tensors | {"T": make, "np": np}


def run(kind: str, line: str, scope: dict[str, Any]) -> Any:
    """Run a recorded line and return what it read, or the tensor it wrote to."""
    if kind == "get":
        return eval(line, scope)
    exec(line, scope)
    return scope[line[0]]


def assert_equal(found: torch.Tensor, expected: np.ndarray) -> None:
    assert tuple(found.shape) == expected.shape
    assert found.numpy().dtype == expected.dtype
    np.testing.assert_array_equal(found.numpy(), expected)


# Where TorchSpore does not do as recorded: the reason, and per line what it does instead: raise an error, or as NumPy
# does with that line ("") or with a different one.
DIFFERENCES: list[tuple[str, dict[str, type[Exception] | str]]] = [
    (
        "An index out of range, or one too many, is always an IndexError; MindSpore's error varies, or it aborts.",
        dict.fromkeys(
            [
                "s[0]",
                "s[-1]",
                "s[:]",
                "s[[0]]",
                's[T([0], "int64")]',
                'x[T(5, "int64")]',
                'x[T([0, 2], "int64")]',
                'x[T([-3], "int64")]',
                'x[:, T([3], "int64")]',
                'x[T([0, 2], "int64"), T([0, 0], "int64")]',
                "x[2**70]",
                "s[0] = 1",
                'x[T(5, "int64")] = 3',
                'x[T([0, 2], "int64")] = 3',
                'x[T([-3], "int64")] = 3',
            ],
            IndexError,
        ),
    ),
    (
        "MindSpore reads outside the tensor, loses the rows, or fails, when a slice steps backwards.",
        dict.fromkeys(
            [
                "v[10:2:-2]",
                "v[10:-10:-4]",
                "m[::-1, [0, 2]]",
                "m[[0, 2], ::-1]",
                "x[[1, 0], 1:, ::-1]",
                "v[::-1] = [1, 2, 3, 4, 5, 6]",
                "v[::-1] = 3",
                "v[::-1] = v",
                'v[::T(-1, "int64")] = [1, 2, 3, 4, 5, 6]',
                "x[:, ::-1] = [[1], [2], [3]]",
                "m[::-1, ::-2] = [[1, 2], [3, 4], [5, 6]]",
                "m[::-1, [0, 2]] = [[1, 2], [3, 4], [5, 6]]",
                "m[[0, 2], ::-1] = [1, 2, 3, 4]",
            ],
            "",
        ),
    ),
    (
        "MindSpore refuses NumPy's arrays and numbers, and ranges, though what they mean is clear.",
        dict.fromkeys(
            [
                "x[np.int64(1)]",
                "x[np.int32(1), 0]",
                "x[0, np.int64(1)]",
                "x[np.bool_(True)]",
                "x[np.int64(0):np.int64(1)]",
                "x[np.array([0, 1])]",
                "x[np.array(1)]",
                "x[np.array([True, False])]",
                "x[np.array([[0, 1], [1, 0]])]",
                "x[0, np.array([0, 1])]",
                "x[:, np.array([0, 1]), 1]",
                'x[np.array([0, 1], "int32")]',
                "x[[np.int64(0), np.int64(1)]]",
                "x[range(2)]",
                "x[0, range(2)]",
                "x[:, None] = np.arange(8).reshape(2, 1, 1, 4)",
                "x[0] = np.float32(3)",
                "x[0] = np.int64(3)",
                "x[0] = np.array([1, 2, 3, 4])",
                "x[0] = np.array([1.5, 2.5, 3.5, 4.5])",
                "x[np.int64(1)] = 1",
                "x[0, np.int64(1)] = 1",
                "x[np.bool_(True)] = 1",
                "x[np.array([0, 1])] = 1",
                "x[np.array([True, False])] = 1",
                "x[0, np.array([0, 1])] = [[1], [2]]",
                "x[range(2)] = 1",
                "x[0, range(2)] = 1",
            ],
            "",
        )
        | {
            "x[[np.array([0, 1]), np.array([1, 2])]]": "x[np.array([0, 1]), np.array([1, 2])]",
            "x[[range(2)]]": "x[[0, 1]]",
            "x[0] = np.zeros((5,))": ValueError,
        },
    ),
    (
        "A slice bound that is not an int is a TypeError; MindSpore's error is another, or it takes another bound.",
        dict.fromkeys(
            [
                "x[1.0:]",
                "x[:1.5]",
                'x["a":]',
                'x[T(1.0, "float32"):]',
                'x[T(True, "bool"):]',
                "x[1.0:] = 1",
            ],
            TypeError,
        ),
    ),
    (
        "A bool index of the wrong shape is a ValueError, list or Tensor; MindSpore lets a short one pass.",
        dict.fromkeys(
            [
                "x[[True, True, False]]",
                "x[[True]]",
                'x[:, T([True, False], "bool")]',
                "x[[[True, False], [True, True]]]",
                "x[[True, False, True]] = 3",
            ],
            ValueError,
        ),
    ),
    (
        "MindSpore's kernels lack these; nothing in the request is wrong.",
        dict.fromkeys(
            [
                "x[[False, False]]",
                'x[T([0, 1], "int8")]',
                'x[T(1, "int8")]',
                'x[T([[True, False, True], [False, True, True]], "bool"), [0, 1, 2, 3]]',
                'x[T(True, "bool")]',
                "m[m > 5, None]",
                "s[s > 1]",
                "x[:2**70]",
                "x[None, None, None, None, None, None]",
                "v[1:] = v[:-1]",
                "v[:-1] = v[1:]",
                'x[T([], "int64")] = 3',
                'x[T([True, False], "bool")] = [1, 2, 3, 4]',
                "x[x > 20] = [1, 2, 3]",
                'x[T([[True, False, True], [False, True, True]], "bool")] = [1, 2, 3, 4]',
            ],
            "",
        ),
    ),
    (
        "A value may have more leading dimensions of size 1; MindSpore allows it in one of these forms only.",
        {
            "x[0] = [[[1, 2, 3, 4]]]": "x[0] = [1, 2, 3, 4]",
            'x[0] = T([[[1, 2, 3, 4]]], "float32")': "",
            "x[0, 0, 0] = [3]": "x[0, 0, 0] = 3",
            'x[0, 0, 0] = T([[3]], "float32")': "x[0, 0, 0] = 3",
        },
    ),
    (
        "A value or list not made of the right numbers is a TypeError; MindSpore blames the index, or rounds.",
        dict.fromkeys(
            [
                "x[0, (1.0,)]",
                'x[0] = "a"',
                "x[0] = {}",
                "x[0] = 1j",
                "x[0] = range(4)",
                "x[x > 20] = 1j",
                "v[0] = 2**70",
            ],
            TypeError,
        ),
    ),
    ("An empty part has a shape like any other.", {"z[:] = [1, 2]": ValueError}),
]
DIFFERENT = {line: expected for _, lines in DIFFERENCES for line, expected in lines.items()}


def test_differences_are_recorded_lines() -> None:
    assert set(DIFFERENT) <= {case["case"] for _, case in CASES}
    assert len(DIFFERENT) == sum(len(lines) for _, lines in DIFFERENCES)


@pytest.mark.parametrize(("kind", "case"), CASES, ids=[case["case"] for _, case in CASES])
def test_line(kind: str, case: dict[str, Any]) -> None:
    line = case["case"]
    scope = names(box)
    before = scope[line[0]]._t.clone()
    expected = DIFFERENT.get(line)
    recorded = "error" not in case and np.array(case["values"], case["dtype"]).reshape(case["shape"])
    if isinstance(expected, str):
        result = np.asarray(run(kind, expected or line, names(np.array)))
        assert_equal(run(kind, line, scope)._t, result)
        assert recorded is False or recorded.tolist() != result.tolist(), "MindSpore does the same: drop the difference"
    elif expected or recorded is False:
        error = expected.__name__ if expected else case["error"]
        with pytest.raises(Exception, match=f"For 'Tensor.__{kind}item__', ") as raised:
            run(kind, line, scope)
        assert type(raised.value).__name__ == error
        assert case.get("error") != error or not expected, "MindSpore does the same: drop the difference"
        assert torch.equal(scope[line[0]]._t, before)
    else:
        assert_equal(run(kind, line, scope)._t, recorded)


ITEMS = [1, -2, slice(None), slice(1, None), slice(None, None, -2), None, [0, 2, -1], [[1], [0]], [True, False, True]]


@pytest.mark.parametrize("items", list(itertools.product(ITEMS, repeat=3)), ids=str)
def test_mixtures_are_as_numpys(items: tuple[Any, ...]) -> None:
    array = np.arange(108.0, dtype=np.float32).reshape(3, 3, 3, 4)
    as_numpy = tuple(np.array(item) if isinstance(item, list) else item for item in items)
    as_tensors = tuple(Box(torch.tensor(item)) if isinstance(item, list) else item for item in items)
    try:
        expected = array[as_numpy]
    except IndexError:  # index arrays that do not broadcast together
        with pytest.raises(ValueError, match="the index arrays must broadcast together"):
            get(torch.from_numpy(array), as_tensors)
        return
    t = torch.from_numpy(array.copy())
    assert_equal(get(t, as_tensors), expected)
    assert_equal(get(t, items), expected)
    value = -np.arange(expected.size, dtype=np.float32).reshape(expected.shape)
    array[as_numpy] = value
    put(t, as_tensors, value)
    assert_equal(t, array)


@pytest.mark.parametrize("index", [0, (0, 1), slice(1, 3), (slice(None), None, 1), None, ..., (), (..., 0)], ids=str)
def test_basic_indices_share_memory(index: Any) -> None:
    t = torch.zeros(3, 4)
    get(t, index).fill_(1)
    assert t.any()


@pytest.mark.parametrize("index", [[0], slice(None, None, -1), Box(torch.tensor(0)), Box(torch.ones(3, 4) > 0)])
def test_other_indices_copy(index: Any) -> None:
    t = torch.zeros(3, 4)
    get(t, index).fill_(1)
    assert not t.any()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "x[2]",
            r"index 2 is out of range for dimension 0 of size 2 of the tensor of shape \(2, 3, 4\). Use -2 to 1\.",
        ),
        ("x[0, -4]", r"index -4 is out of range for dimension 1 of size 3"),
        ("z[0]", r"index 0 is out of range for dimension 0 of size 0 .* It has no elements\."),
        ('x[:, [0, 1], T([0, 7], "int32")]', r"index 7 is out of range for dimension 2 of size 4"),
        ("x[0, :, [4]]", r"index 4 is out of range for dimension 2 of size 4"),
        ("x[0, 0, 0, 0]", r"too many items: it takes 4 dimension\(s\) .* shape \(2, 3, 4\), which has 3\. Remove 1"),
        ("x[..., ...]", r"may hold one Ellipsis, but got 2"),
        ("x[False]", r"the index False selects nothing"),
        ("x[[]]", r"the index list must not be empty"),
        ("x['a']", r"an index must be an int, .* but got 'a' of type 'str'"),
        ("x[0, 1.5]", r"an index must be an int, .* but got 1\.5 of type 'float'"),
        ("x[[1.5]]", r"must hold ints or bools, but got float64 in \[1\.5\]"),
        ("x[0, [[1], [1, 2]]]", r"an index list must be rectangular, but got \[\[1\], \[1, 2\]\]"),
        ('x[T([1], "uint8")]', r"must have dtype bool, .* but got uint8 with shape \(1,\)\. Cast it first"),
        ("x[0, [T([1.0], 'float32')]]", r"must have dtype bool, .* but got float32"),
        ("v[::0]", r"the step of a slice must not be 0"),
        (
            'x[T([1], "int64"):]',
            r"bounds and step of a slice must be ints, .* a Tensor of shape \(1,\) and dtype int64",
        ),
        ("x[:, [True]]", r"bool index must have the shape .* \(3,\) at dimension 1 .* but got \(1,\)"),
        ("x[[0, 1], [0, 1, 2]]", r"the index arrays must broadcast together, .* shapes \(2,\), \(3,\)"),
        ("x[0] = [1, 2, 3]", r"the value of shape \(3,\) does not broadcast to the part of shape \(3, 4\)"),
        ("x[[0, 1], 1:] = [1, 2]", r"the value of shape \(2,\) does not broadcast to the part of shape \(2, 2, 4\)"),
        ("x[x > 20] = [1, 2]", r"the value of shape \(2,\) does not broadcast to the part of shape \(3,\)"),
        ("x[0] = None", r"the value must be a number, .* but got None of type 'NoneType'"),
        ("x[0, 0] = ['a', 1, 2, 3]", r"the value must hold numbers of at most 64 bits"),
        ("x[0] = [[1], [2, 3]]", r"the value must be rectangular"),
    ],
)
def test_error_says_what_is_wrong(line: str, message: str) -> None:
    kind = "set" if " = " in line else "get"
    with pytest.raises((IndexError, TypeError, ValueError), match=f"^For 'Tensor.__{kind}item__', .*{message}"):
        run(kind, line, names(box))


@pytest.mark.parametrize("index", [[0, 1, 5], Box(torch.tensor([0, 1, 5])), (Box(torch.tensor([0, 1, 5])), slice(1))])
def test_out_of_range_assignment_writes_nothing(index: Any) -> None:
    t = torch.zeros(3, 4)
    with pytest.raises(IndexError, match="index 5 is out of range"):
        put(t, index, 1.0)
    assert not t.any()


def test_assignment_between_overlapping_parts() -> None:
    array = np.arange(12).reshape(3, 4)
    t = torch.from_numpy(array.copy())
    array[:, 1:] = array[:, :-1].copy()
    put(t, (slice(None), slice(1, None)), t[:, :-1])
    assert_equal(t, array)
    order = torch.tensor([2, 0, 1])
    put(order, Box(order), Box(order))
    assert order.tolist() == [0, 1, 2]


def test_complex_values_keep_their_real_part_only_in_real_tensors() -> None:
    t = torch.zeros(2, dtype=torch.complex64)
    put(t, 0, 1j)
    put(t, [1], [2 + 1j])
    assert t.tolist() == [1j, 2 + 1j]
    real = torch.zeros(2)
    put(real, slice(None), Box(t))
    assert real.tolist() == [0, 2]


DISTINCT = [0, None, (slice(None), 1), slice(None, None, -1), Box(torch.tensor(1)), Box(torch.arange(3) > 0)]


@pytest.mark.parametrize("index", [*DISTINCT, [0, 0, 2], (0, slice(None), Box(torch.tensor([1, 1])))], ids=str)
def test_gradient_of_reading(index: Any) -> None:
    t = torch.arange(12.0).reshape(3, 2, 2).requires_grad_()
    read = get(t, index)
    weights = torch.arange(1.0, read.numel() + 1).reshape(read.shape)
    (grad,) = torch.autograd.grad((read * weights).sum(), t)
    places = get(torch.arange(12).reshape(3, 2, 2), index)
    assert torch.equal(grad.flatten(), torch.zeros(12).index_add_(0, places.flatten(), weights.flatten()))


@pytest.mark.parametrize("index", [*DISTINCT, [0, 2], (0, slice(None), Box(torch.tensor([1, 0])))], ids=str)
def test_gradient_of_writing(index: Any) -> None:
    t = torch.arange(12.0).reshape(3, 2, 2).requires_grad_()
    value = torch.ones((), requires_grad=True)
    written = t * 2
    put(written, index, value)
    to_tensor, to_value = torch.autograd.grad(written.sum(), (t, value))
    places = get(torch.arange(12).reshape(3, 2, 2), index)
    assert torch.equal(to_tensor.flatten(), torch.full((12,), 2.0).index_fill_(0, places.flatten(), 0.0))
    assert to_value == places.numel()


def test_gradient_reaches_tensors_in_a_list() -> None:
    a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    t = torch.zeros(2, 3, dtype=torch.float64)
    put(t, 1, [Box(a), 5, Box(b * 2)])
    assert t[1].tolist() == [1, 5, 2]
    assert [grad.item() for grad in torch.autograd.grad(t.sum(), (a, b))] == [1, 2]


def test_list_index_of_tensors() -> None:
    t = torch.arange(12).reshape(3, 4)
    rows = [Box(torch.tensor(2, dtype=torch.int32)), 0]
    assert get(t, (rows, slice(1, 2))).tolist() == [[9], [1]]


def test_index_values_are_not_read_while_tracing() -> None:
    def step(t: torch.Tensor, row: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        t = t * 1
        put(t, Box(row), 5.0)
        put(t, Box(rows), [[1.0], [2.0]])
        return get(t, (Box(row), slice(1, None))) + get(t, Box(row))[1:]

    arguments = (torch.arange(12.0).reshape(3, 4), torch.tensor(1), torch.tensor([0, 2]))
    graph = make_fx(step, tracing_mode="fake", _allow_non_fake_inputs=True)(*arguments)
    assert torch.equal(graph(*arguments), torch.full((3,), 10.0))
    other = (arguments[0], torch.tensor(2), torch.tensor([0, 2]))
    assert torch.equal(graph(*other), torch.full((3,), 4.0))


def test_under_vmap() -> None:
    t, rows = torch.arange(12.0).reshape(2, 3, 2), torch.tensor([[0, 2], [1, 1]])

    def step(t: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        t = t.clone()
        put(t, Box(rows[0]), 0.0)
        return get(t, Box(rows))

    expected = torch.tensor([[[0.0, 0.0], [4.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert torch.equal(torch.vmap(step)(t, rows), expected)


def test_lists_are_checked_on_the_host_for_other_devices() -> None:
    t = torch.empty(3, 4, device="meta")
    assert get(t, [0, 2]).shape == (2, 4)
    with pytest.raises(IndexError, match="index 3 is out of range for dimension 0 of size 3"):
        get(t, [0, 3])
    with pytest.raises(IndexError, match="index 4 is out of range for dimension 1 of size 4"):
        put(t, (slice(None), [0, 4]), 1.0)


# Recorded with MindSpore 2.10: the elements share memory, and the last value written to it counts.
@pytest.mark.parametrize(
    ("base", "index", "value", "expected"),
    [
        ([[0.0, 1, 2]], np.s_[:, :2], [[10.0, 11], [20, 21]], [[20, 21, 2], [20, 21, 2]]),
        ([[0.0, 1, 2]], np.s_[:, :2], 5.0, [[5, 5, 2], [5, 5, 2]]),
        ([[0.0, 1, 2]], np.s_[:], 7, [[7, 7, 7], [7, 7, 7]]),
        ([[0.0], [1]], np.s_[:, 1:], [[1.0, 2], [3, 4]], [[2, 2, 2], [4, 4, 4]]),
    ],
)
@pytest.mark.parametrize("in_scope", [False, True])
def test_writing_to_broadcast_tensors(base, index, value, expected, in_scope):
    def write(x):
        wide = (x * 1).broadcast_to((2, 3))
        wide[index] = ms.Tensor(value) if isinstance(value, list) else value
        return wide

    result = ms.value_and_grad(write)(ms.Tensor(base))[0] if in_scope else write(ms.Tensor(base))
    assert result.asnumpy().tolist() == expected


def test_writing_to_a_broadcast_tensor_from_before_a_scope():
    base = ms.Tensor([[0.0, 1.0, 2.0]])
    wide = base.broadcast_to((2, 3))

    def write(x):
        wide[:, :2] = ms.Tensor([[10.0, 11.0], [20.0, 21.0]])
        return (wide * x).sum()

    assert ms.grad(write)(ms.Tensor(1.0)).asnumpy() == 86
    assert wide.asnumpy().tolist() == [[20, 21, 2], [20, 21, 2]]
    assert base.asnumpy().tolist() == [[20, 21, 2]]


@pytest.mark.parametrize(("value", "kind"), [("a", IndexError), ({}, IndexError), ([None], RuntimeError)])
def test_a_wrong_value_is_also_an_error_of_mindspores_class(value: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as found:
        put(torch.zeros(3), 0, value)
    assert isinstance(found.value, TypeError)
