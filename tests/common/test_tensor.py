"""Tensors: construction, memory, attributes, Python's protocols, copies, delayed initialisation."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import sys

import numpy as np
import pytest
import torch

import torchspore as ms
from data.record_core import evaluate, recorded
from torchspore import Tensor
from torchspore.common import dtype as mstype
from torchspore.common import np_dtype
from torchspore.common.dtype import dtype_to_nptype
from torchspore.common.initializer import One, initializer
from torchspore.common.np_dtype import bfloat16_type, standard_array
from torchspore.common.tensor import from_dlpack, to_dlpack
from torchspore.train.callback.callback import first_output

FLOAT8 = [mstype.float8_e4m3fn, mstype.float8_e5m2]
WITHOUT_NUMPY = [mstype.bfloat16, *FLOAT8]


def lazy(*shape: int) -> Tensor:
    return initializer("ones", shape or (2,), ms.float32)


class Tagged(Tensor):
    """A subclass, as programs define them."""


@pytest.mark.slow
@pytest.mark.parametrize(("program", "expected"), [*recorded("tensor"), *recorded("protocols")])
def test_as_mindspore(program, expected):
    assert evaluate(ms, program) == expected


class TestConstruction:
    @pytest.mark.parametrize(
        ("make", "error", "words"),
        [
            (lambda: Tensor("abc"), TypeError, "For 'Tensor', 'input_data' must be a number, .* but got str"),
            (lambda: Tensor({1}), TypeError, "but got set"),
            (lambda: Tensor([[1, 2], [3]]), TypeError, r"equal lengths, but got \[\[1, 2\], \[3\]\]"),
            (lambda: Tensor([1, None]), TypeError, "numbers in nested lists"),
            (lambda: Tensor([Tensor([1.0]), Tensor([1.0, 2.0])]), TypeError, "equal lengths"),
            (lambda: Tensor(2**64), TypeError, "numbers in nested lists"),
            (lambda: Tensor(np.array(["2026"], "M8[Y]")), TypeError, "must hold numbers or bools, but got dtype"),
            (lambda: Tensor(1, "float33"), TypeError, "'dtype' must be a data type such as float32, but got 'float33'"),
            (lambda: Tensor(1, ms.string), TypeError, "but got torchspore.string_. Accepted: bool, int8"),
            (lambda: Tensor(), TypeError, "give 'input_data' .* or 'shape' and 'dtype', but got None"),
            (lambda: Tensor(init=One(), dtype=ms.int8), TypeError, "or 'shape' and 'dtype', but got None"),
            (lambda: Tensor(1, init=One()), ValueError, "give 'input_data' alone"),
            (lambda: Tensor(1, shape=()), ValueError, "give 'input_data' alone"),
            (
                lambda: Tensor(shape=1, dtype=ms.int8, init=[1]),
                TypeError,
                "'init' must be an Initializer, its name or a number, but got list",
            ),
            (lambda: Tensor(shape=(-3,), dtype=ms.int8), ValueError, "every dimension of 'shape' must be >= 0"),
            (lambda: Tensor(shape=1.5, dtype=ms.int8), TypeError, "'shape' must be an int or a tuple of ints"),
            (lambda: Tensor(1, const_arg=1), TypeError, "'const_arg' must be a bool, but got int"),
            (lambda: Tensor(1, device="TPU"), ValueError, "like 'CPU', 'GPU' or 'GPU:0', or 'meta', but got 'TPU'"),
            (lambda: ms.from_numpy([1]), TypeError, "'array' must be a NumPy array, but got list"),
            (lambda: ms.from_numpy(np.array(["a"])), TypeError, "must hold numbers or bools"),
            (lambda: from_dlpack(3), TypeError, "'external' must have '__dlpack__' or be a capsule, but got int"),
            (lambda: to_dlpack(3), TypeError, "'tensor' must be a Tensor, but got int"),
        ],
    )
    def test_errors_say_what_is_wrong(self, make, error, words):
        with pytest.raises(error, match=words):
            make()

    @pytest.mark.parametrize("dtype", ["float32", "Float32", np.float32, np.dtype("float32"), float, torch.float32])
    def test_types_by_other_names(self, dtype):
        assert Tensor([1], dtype).dtype is ms.float32

    @pytest.mark.parametrize("dtype", WITHOUT_NUMPY)
    def test_types_that_numpy_lacks(self, dtype):
        x = Tensor([1.5, -2.0], dtype)
        assert (x.dtype, x.tolist(), x.itemsize) == (dtype, [1.5, -2.0], 2 if dtype is mstype.bfloat16 else 1)
        assert x.asnumpy().dtype == ((dtype is mstype.bfloat16 and bfloat16_type()) or np.float32)
        assert x.asnumpy().tolist() == [1.5, -2.0]
        assert Tensor(x, ms.float32).tolist() == [1.5, -2.0]
        assert float(x[0]) == 1.5
        assert x.is_floating_point()

    def test_values_are_not_rounded_on_the_way(self):
        assert Tensor([0.1], ms.float64).tolist() == [0.1]
        assert Tensor(0.1 + 0.2j, ms.complex128).item() == 0.1 + 0.2j
        assert Tensor(2**62 + 1).item() == 2**62 + 1

    def test_a_range(self):
        assert Tensor(range(3)).tolist() == [0, 1, 2]

    def test_numpy_arrays_that_torch_does_not_take_as_they_are(self):
        for array in (np.arange(4)[::-1], np.broadcast_to(np.int64(1), 3), np.ones(2, ">f4"), np.ones(2, "ulonglong")):
            assert Tensor(array).tolist() == array.tolist()
            assert ms.from_numpy(array).tolist() == array.tolist()

    def test_on_a_device(self):
        assert Tensor(1, device="cpu").device == Tensor(shape=(2,), dtype=ms.int8, device="CPU").device == "CPU"


class TestMemory:
    def test_torch_tensors_are_shared_both_ways(self):
        inner = torch.tensor([1.0, 2.0])
        x = Tensor(inner)
        assert x.torch is inner
        x[0] = 5
        assert inner.tolist() == [5, 2]

    def test_converted_tensors_are_copies(self):
        inner = torch.tensor([1.0, 2.0])
        Tensor(inner, ms.float16)[0] = 5
        assert inner.tolist() == [1, 2]

    def test_dlpack(self):
        x = Tensor([1.0, 2.0])
        for other in (from_dlpack(to_dlpack(x)), from_dlpack(x), from_dlpack(torch.from_dlpack(x)), ms.from_dlpack(x)):
            other[0] = other[0] + 1
        assert np.from_dlpack(x)[0] == x[0].item() == 5
        assert x.__dlpack_device__()[0] == 1

    def test_asnumpy_takes_part_in_no_gradient(self):
        seen = []

        def f(x):
            seen.append(x.asnumpy())
            return x * x

        assert ms.grad(f)(Tensor([3.0])).tolist() == [6]
        assert seen[0].tolist() == [3]

    def test_conjugates_are_resolved(self):
        x = Tensor(torch.tensor([1 + 2j]).conj())
        assert x.asnumpy().tolist() == [1 - 2j]
        assert pickle.loads(pickle.dumps(x)).tolist() == [1 - 2j]
        assert Tensor.convert_bytes_to_tensor(x.get_bytes(), 1, x.dtype).tolist() == [1 - 2j]

    def test_array_protocol(self):
        x = Tensor([1.0, 2.0])
        x.__array__()[0] = 5
        assert x.tolist() == [5, 2]
        for changed in (x.__array__(copy=True), x.__array__(np.float64)):
            changed[0] = 7
        assert x.tolist() == [5, 2]
        assert x.__array__(np.float32, copy=False).tolist() == [5, 2]
        for wrong in (lambda: x.__array__(np.int8, copy=False), lambda: x.astype(ms.bfloat16).__array__(copy=False)):
            with pytest.raises(ValueError, match="copy=False is not possible"):
                wrong()

    def test_data_of_another_tensor(self):
        x, y = Tensor([1.0]), Tensor([2, 3])
        x.data = y
        y[0] = 5
        assert (x.tolist(), x.dtype) == ([5, 3], ms.int64)
        with pytest.raises(TypeError, match="must be a Tensor, but got int"):
            x.data = 3
        with pytest.raises(TypeError, match="must be a Tensor, but got list"):
            x.assign_value([1])

    def test_methods_of_a_subclass_with_a_data_of_its_own(self):
        class Own(Tensor):
            @property
            def data(self):
                return self

        x = Own([1.0])
        x.assign_value(Tensor([2.0]))
        x.set_dtype(ms.int32)
        x.move_to("CPU")
        assert (x.tolist(), x.dtype, x.data is x) == ([2], ms.int32, True)
        assert x.set_().shape == (0,)

    def test_data_of_a_lazy_tensor_stays_lazy(self):
        x = Tensor([0.0, 0.0])
        x.data = lazy()
        assert x.has_init
        assert str(x) == "[1. 1.]"
        x = lazy()
        x.data = Tensor([5.0])
        assert x.tolist() == x.asnumpy().tolist() == [5]

    @pytest.mark.parametrize("dtype", mstype.FROM_TORCH.values())
    def test_bytes(self, dtype):
        x = Tensor([[1, 0], [1, 1]], dtype)
        again = Tensor.convert_bytes_to_tensor(x.get_bytes(), (2, 2), dtype)
        assert (again.tolist(), again.dtype) == (x.tolist(), dtype)
        assert Tensor.convert_bytes_to_tensor(b"", (0, 2), dtype).shape == (0, 2)
        with pytest.raises(ValueError, match=rf"shape \(3,\) and dtype {dtype} has \d+ bytes, but got 1"):
            Tensor.convert_bytes_to_tensor(b"1", 3, dtype)


class TestProtocols:
    @pytest.mark.parametrize(
        ("use", "words"),
        [
            (lambda: operator.index(Tensor([1, 2])), r"serve as an index, but its shape is \(2,\)"),
            (lambda: [1, 2][Tensor(1.0)], "its dtype Float32. Use int"),
            (lambda: operator.index(Tensor(1j)), "its dtype Complex128"),
            (lambda: len(Tensor(1)), "without dimensions has no length"),
            (lambda: iter(Tensor(1)), "without dimensions cannot be iterated over"),
            (lambda: int(Tensor(1j)), "must be real, but its dtype is Complex128"),
            (lambda: float(Tensor(1j)), "must be real"),
            (lambda: format(Tensor([1.0, 2.0]), ".2f"), r"format such as '.2f', but its shape is \(2,\)"),
        ],
    )
    def test_type_errors(self, use, words):
        with pytest.raises(TypeError, match=words):
            use()

    @pytest.mark.parametrize(
        ("use", "words"),
        [
            (lambda: bool(Tensor([1, 2])), r"shape is \(2,\). Use x.any\(\) or x.all\(\)"),
            (lambda: bool(Tensor([])), "must have one element"),
            (lambda: int(Tensor([1, 2])), "For 'int"),
            (lambda: float(Tensor([1, 2])), "For 'float"),
            (lambda: complex(Tensor([1, 2])), "For 'complex"),
            (lambda: Tensor([1, 2]).item(), "For 'Tensor.item', the tensor must have one element"),
        ],
    )
    def test_value_errors(self, use, words):
        with pytest.raises(ValueError, match=words):
            use()

    @pytest.mark.parametrize(
        ("value", "form", "text"),
        [
            (1.25, ".1f", "1.2"),
            (3, "5d", "    3"),
            (True, "", "True"),
            ([2.5], ".2f", "2.50"),
            ([1.0, 2.0], "", "[1. 2.]"),
        ],
    )
    def test_format(self, value, form, text):
        assert format(Tensor(value), form) == text

    def test_complex(self):
        assert complex(Tensor([1 + 2j])) == 1 + 2j
        assert complex(Tensor(2)) == 2

    def test_rows_share_memory(self):
        x = Tensor([[1, 2], [3, 4]])
        for row in x:
            row[0] = 0
        assert x.tolist() == [[0, 2], [0, 4]]

    def test_contains(self):
        x = Tensor([[1, 2], [3, 4]])
        assert 3 in x
        assert 5 not in x
        assert 1.0 in x
        assert "a" not in x
        assert None not in x
        assert Tensor([1, 9]) in x
        assert 1 not in Tensor(np.ones((0, 3)))

    def test_hooks(self):
        x = Tensor([3.0])
        seen = []
        handle = x.register_hook(lambda g: seen.append(g.tolist()))
        assert ms.grad(lambda x: x * x)(x).tolist() == [6]
        handle.remove()
        handle.remove()
        assert ms.grad(lambda x: x * x)(x).tolist() == [6]
        assert seen == [[6]]
        assert x.hooks() == []

    def test_a_hook_inside_the_function_replaces_the_gradient(self):
        def f(x):
            y = x * x
            y.register_hook(lambda g: g * 10)
            return y

        assert ms.grad(f)(Tensor([3.0])).tolist() == [60]


class TestCopies:
    @pytest.mark.parametrize("dtype", [*mstype.FROM_TORCH.values()][:-1])  # hifloat8 is read only
    @pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_every_type(self, dtype, duplicate):
        x = Tensor([[1, 0]], dtype)
        y = duplicate(x)
        y[0, 0] = 0
        assert (x.tolist(), y.tolist()) == ([[1, 0]], [[0, 0]])
        assert (y.dtype, type(y)) == (dtype, Tensor)

    @pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_attributes_come_along_but_hooks(self, duplicate):
        x = Tagged([1.0])
        x.note = [1]
        x.register_hook(lambda g: g)
        y = duplicate(x)
        assert (type(y), y.note, y.hooks()) == (Tagged, [1], [])
        assert (y.note is x.note) is (duplicate is copy.copy)

    def test_one_tensor_seen_twice(self):
        x = Tensor([1.0])
        x.me = x
        y, z = copy.deepcopy([x, x])
        assert y is z
        assert y.me is y

    def test_a_lazy_copy_is_lazy(self):
        for duplicate in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
            x = lazy()
            y = duplicate(x)
            assert x.has_init
            assert y.has_init
            assert y.init_data().tolist() == [1, 1]

    def test_within_a_gradient_copies_are_constants(self):
        assert ms.grad(lambda x: x * copy.copy(x) * copy.deepcopy(x))(Tensor([3.0])).tolist() == [9]


class TestDelayedInitialisation:
    def test_zeros_until_then(self):
        x = lazy()
        assert (x * 1).tolist() == (x + 0).tolist() == x.value().tolist() == [0, 0]
        assert x.has_init

    @pytest.mark.parametrize("use", [lambda x: x.asnumpy(), np.array, lambda x: x.numpy()])
    def test_arrays_initialise(self, use):
        x = lazy()
        use(x)
        assert not x.has_init
        assert x.tolist() == [1, 1]
        with pytest.raises(TypeError, match="can be initialised once"):
            x.init_data()

    def test_formatting_one_element_initialises(self):
        assert f"{lazy(1):.2f}" == "1.00"

    @pytest.mark.parametrize(("init", "expected"), [("ones", 1), ("ZEROS", 0), (2, 2), (0.5, 0.5), (One(), 1)])
    def test_names_and_numbers_as_initializers(self, init, expected):
        x = Tensor(shape=(2, 3), dtype=ms.float32, init=init)
        assert (x.has_init, x.shape) == (True, (2, 3))
        assert np.array_equal(x.init_data().asnumpy(), np.full((2, 3), expected, np.float32))

    def test_a_name_of_random_values(self):
        assert np.abs(Tensor(shape=(50, 50), dtype=ms.float32, init="normal").init_data().asnumpy()).max() > 0

    def test_an_unknown_name(self):
        with pytest.raises(ValueError, match=r"'init' must be one of .*but got 'bogus'"):
            Tensor(shape=1, dtype=ms.float32, init="bogus")

    def test_init_data_returns_the_tensor_once(self):
        x = lazy()
        assert x.init_data() is x
        with pytest.raises(TypeError, match="no initializer, or was initialised before"):
            x.init_data()
        with pytest.raises(TypeError, match=r"For 'Tensor\.init_data'"):
            Tensor(1).init_data()

    def test_what_is_written_stays(self):
        x = lazy(3)
        x[0] = 5
        assert not x.has_init
        assert str(x) == "[5. 1. 1.]"

    def test_parts_of_tensors(self):
        part = lazy().init_data(slice_index=1, shape=[2, 1], opt_shard_group="group")
        assert (part.shape, part.tolist()) == ((2, 1), [[1], [1]])
        with pytest.raises(TypeError, match="'slice_index' must be of type int"):
            lazy().init_data(slice_index="a")

    @pytest.mark.parametrize("dtype", [ms.bfloat16, *FLOAT8, ms.int8, ms.bool_, ms.complex64])
    def test_every_type(self, dtype):
        assert Tensor(shape=(2,), dtype=dtype, init=One()).init_data().tolist() == [1, 1]


class TestInPlaceConversion:
    def test_set_dtype(self):
        x = Tensor([1.5, -2.0])
        assert x.set_dtype("int32") is ms.int32
        assert x.tolist() == [1, -2]
        with pytest.raises(TypeError, match=r"For 'Tensor\.set_dtype'"):
            x.set_dtype(None)

    def test_complex_to_real_keeps_real_parts_silently(self):
        assert Tensor([1 + 2j, 3j], ms.float32).tolist() == [1, 0]
        assert Tensor([1 + 2j, 0j, 3j], ms.bool_).tolist() == [True, False, True]

    def test_move_to(self):
        x = Tensor([1.0])
        x.move_to("CPU")[0] = 2
        assert x.move_to("CPU", blocking=False).tolist() == [2]
        with pytest.raises(ValueError, match=r"For 'Tensor\.move_to'"):
            x.move_to("nowhere")

    def test_math_of_one_element(self):
        assert math.sqrt(Tensor([4.0])) == 2
        assert round(float(Tensor(1.7))) == 2


def test_bfloat16_in_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    tensor = ms.Tensor([[1.5, 2.25], [3, 4]], ms.bfloat16)
    array = tensor.asnumpy()
    assert array.dtype == ml_dtypes.bfloat16
    assert array.tolist() == [[1.5, 2.25], [3, 4]]
    array[0, 0] = 7
    assert tensor[0, 0].item() == 7  # the memory is shared
    assert ms.Tensor(array).dtype is ms.Tensor([array, array]).dtype is ms.bfloat16
    assert ms.Tensor(array.T[::-1], ms.float32).tolist() == [[2.25, 4], [7, 3]]
    assert np_dtype.bfloat16 is ml_dtypes.bfloat16
    assert np_dtype.np_dtype_valid(True)
    assert dtype_to_nptype(ms.bfloat16) is ml_dtypes.bfloat16


def test_bfloat16_without_ml_dtypes(monkeypatch):
    monkeypatch.setattr(sys.modules["torchspore.common.tensor"], "bfloat16_type", lambda: None)
    assert ms.Tensor([1.5], ms.bfloat16).asnumpy().dtype == "float32"


def test_bfloat16_is_read_as_float32_by_metrics_and_callbacks():
    scores = ms.Tensor([[0.25, 0.75], [0.5, 0.125]], ms.bfloat16)
    accuracy = ms.train.Accuracy()
    accuracy.update(scores, ms.Tensor([1, 0], ms.int32))
    assert accuracy.eval() == 1.0
    assert isinstance(first_output(scores.sum()), np.floating)
    assert standard_array(scores).dtype == np.float32


@pytest.mark.parametrize(
    "other", ["a", None, object(), {}, {1}, ms.float32, [1, 2], [1, 2, 3], (1, 2, 4), np.ones(3), []]
)
@pytest.mark.filterwarnings("ignore:A Tensor")
def test_a_tensor_equals_only_tensors_and_numbers(other):
    x = ms.Tensor([1, 2, 3])
    assert (x == other) is False
    assert (x != other) is True


def test_tensors_among_other_objects():
    objects = ["a", ms.Tensor(1), ms.Tensor([1, 2])]
    assert ms.Tensor([1, 2]) not in ["a", None, ("b",)]
    assert objects.count("a") == 1
    assert objects.index("a") == 0
    assert "b" not in objects
    assert (ms.Tensor([1, 2]) == np.float32(2)).tolist() == [False, True]


@pytest.mark.parametrize("other", [[1, 2], (1.5, 2), np.ones(2)])
def test_a_comparison_with_a_list_warns(other):
    with pytest.warns(UserWarning, match=r"Use ops.equal\(x, Tensor\(other\)\)"):
        assert (ms.Tensor([1, 2]) == other) is False


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod"])
def test_assigning_operators(name):
    x = ms.Tensor([5.0, 7.0])
    result = getattr(x, f"__i{name}__")(2)
    assert result.tolist() == getattr(operator, name)(x, 2).tolist()
    assert x.tolist() == [5, 7]


@pytest.mark.parametrize("dtype", [ms.uint16, ms.uint32, ms.uint64])
def test_writing_unsigned_integers(dtype):
    x = ms.Tensor(np.arange(12).reshape(3, 4), dtype)
    x[0] = 1
    x[:, 1] = ms.Tensor([7, 8, 9], dtype)
    x[ms.Tensor([2])] = 5
    x[x > 7] = 0
    x[ms.Tensor([0]), ms.Tensor([1])] = -1
    x[[1], ::-2] = x[[1], :2]
    top = 2 ** (8 * x.itemsize) - 1
    assert x.astype(ms.int64).tolist() == [[1, top if dtype is not ms.uint64 else -1, 1, 1], [4, 0, 6, 4], [5, 5, 5, 5]]


@pytest.mark.parametrize("dtype", [None, ms.string])
def test_tensors_of_strings(dtype):
    x = ms.Tensor(np.array(["a", "bcd"]), dtype)
    assert isinstance(x, ms.Tensor)
    assert (x.shape, x.dtype, x.ndim, x.size, x.itemsize) == ((2,), ms.string, 1, 2, 12)
    assert (str(x), repr(x)) == ("['a' 'bcd']", "Tensor(shape=[2], dtype=String, value= ['a', 'bcd'])")
    assert x.asnumpy().tolist() == x.tolist() == copy.deepcopy(x).tolist() == ["a", "bcd"]
    assert pickle.loads(pickle.dumps(x)).tolist() == ["a", "bcd"]
    assert ms.Tensor(np.array(b"a")).item() == b"a"


def test_tensors_of_strings_are_not_computed_with():
    x = ms.Tensor(np.array(["a", "bcd"]))
    for compute in (lambda: x + x, lambda: x.reshape((2, 1)), lambda: ms.ops.abs(x), lambda: x.astype(ms.int32)):
        with pytest.raises((TypeError, AttributeError)):
            compute()
    with pytest.raises(TypeError, match="must be mindspore"):
        ms.Tensor(np.array(["1"]), ms.int32)
