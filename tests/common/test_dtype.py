"""Data types: names, conversions between MindSpore's, NumPy's, Python's and torch's, pickling."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import torch

import torchspore as ms
from data.record_core import evaluate, recorded
from torchspore.common import dtype as mstype

NOT_IN_TENSORS = [
    *[ms.int_, mstype.uint, ms.float_, ms.number, ms.string, ms.list_, ms.tuple_, ms.type_none, mstype.type_type],
    *[mstype.function, ms.tensor_type],
]


@pytest.mark.parametrize(("program", "expected"), recorded("dtype"))
def test_as_mindspore(program, expected):
    assert evaluate(ms, program) == expected


@pytest.mark.parametrize("dtype", [*mstype.all_types, *NOT_IN_TENSORS, mstype.TensorType(ms.float16)])
def test_a_copy_is_the_type_itself(dtype):
    assert copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    again = pickle.loads(pickle.dumps(dtype))
    assert again == dtype
    assert hash(again) == hash(dtype)
    assert again is dtype or isinstance(dtype, mstype.TensorType)


@pytest.mark.parametrize("dtype", mstype.FROM_TORCH.values())
def test_counterparts(dtype):
    assert mstype.FROM_TORCH[dtype.torch] is dtype
    assert mstype.to_torch(dtype) is mstype.to_torch(dtype.name) is mstype.to_torch(str(dtype)) is dtype.torch
    assert mstype.to_torch(dtype.torch) is dtype.torch
    assert mstype.type_size_in_bytes(dtype) == torch.empty(0, dtype=dtype.torch).itemsize
    assert ms.Tensor(1, dtype).dtype is dtype
    if dtype.numpy is not None:
        assert mstype.to_torch(dtype.numpy) is mstype.to_torch(dtype.numpy.type) is dtype.torch
        assert ms.dtype_to_nptype(dtype) is dtype.numpy.type
        assert ms.pytype_to_dtype(dtype.numpy.type) is dtype


def test_families():
    assert mstype.bfloat16 in mstype.float_type
    assert set(mstype.float_type) >= {mstype.float8_e4m3fn, mstype.float8_e5m2, ms.hifloat8}
    assert set(mstype.number_type) == set(mstype.all_types) - {mstype.bool_}
    assert set(mstype.signed_type) == set(mstype.number_type) - set(mstype.uint_type)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *[("float", ms.float32), ("int", ms.int32), ("half", ms.float16), ("double", ms.float64), ("long", ms.int64)],
        *[("bool_", ms.bool_), ("BFloat16", ms.bfloat16)],
        *[(bool, ms.bool_), (int, ms.int64), (float, ms.float32), (complex, ms.complex128)],
        *[(np.ulonglong, ms.uint64), (np.dtype(">f4").newbyteorder("="), ms.float32), ("uint16", ms.uint16)],
    ],
)
def test_other_names(name, dtype):
    assert mstype.to_torch(name) is dtype.torch


@pytest.mark.parametrize("wrong", [None, "foo", 3, ms.string, ms.number, str, list, [ms.float32], np.str_, object])
def test_what_is_no_type_of_tensors(wrong):
    with pytest.raises(
        TypeError, match=r"For 'Api', 'dtype' must be a data type .*, but got .*\. Accepted: bool, int8"
    ):
        mstype.to_torch(wrong, "Api")


@pytest.mark.parametrize(
    ("convert", "error", "words"),
    [
        (
            lambda: ms.dtype_to_nptype(ms.float8_e5m2),
            TypeError,
            "no counterpart of torchspore.float8_e5m2. Convert to float32",
        ),
        (lambda: ms.dtype_to_nptype(ms.string), TypeError, "no counterpart of torchspore.string_.$"),
        (lambda: ms.dtype_to_nptype("float32"), TypeError, "no counterpart of 'float32'.$"),
        (lambda: ms.dtype_to_pytype(mstype.function), TypeError, "torchspore.function has no Python counterpart"),
        (lambda: ms.dtype_to_pytype(ms.tensor_type), TypeError, "torchspore.tensor has no Python counterpart"),
        (lambda: ms.dtype_to_pytype([1]), TypeError, r"\[1\] has no Python counterpart"),
        (
            lambda: ms.pytype_to_dtype("float32"),
            TypeError,
            r"'obj' must be a type such as int, but got 'float32'. Give type",
        ),
        (lambda: ms.pytype_to_dtype(dict), NotImplementedError, "no data type stands for <class 'dict'>"),
        (lambda: ms.pytype_to_dtype(np.datetime64), NotImplementedError, "no data type stands for"),
        (lambda: ms.get_py_obj_dtype({}), NotImplementedError, "no data type stands for"),
        (lambda: mstype.type_size_in_bytes(ms.string), TypeError, "For 'type_size_in_bytes'"),
    ],
)
def test_errors_say_what_is_wrong(convert, error, words):
    with pytest.raises(error, match=words):
        convert()


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        *[(ms.string, str), (ms.list_, list), (ms.tuple_, tuple), (ms.type_none, type(None)), (mstype.uint, int)],
        *[(ms.bfloat16, float), (mstype.float8_e5m2, float), (ms.number, float), (ms.int_, int), (ms.float_, float)],
    ],
)
def test_python_types(dtype, kind):
    assert ms.dtype_to_pytype(dtype) is kind


def test_tensor_types_are_equal_by_element():
    of_float = mstype.TensorType(ms.float32)
    assert {of_float: 1}[ms.get_py_obj_dtype(ms.Tensor(1.0))] == 1
    assert of_float != ms.tensor_type
    assert of_float != ms.float32
    assert mstype.TensorType() == ms.tensor_type


@pytest.mark.parametrize(
    ("name", "is_complex", "is_signed", "real", "wide"),
    [  # as in MindSpore 2.10
        ("float16", False, True, "float16", None),
        ("float32", False, True, "float32", "complex64"),
        ("float64", False, True, "float64", "complex128"),
        ("bfloat16", False, True, "bfloat16", "complex64"),
        ("float8_e5m2", False, True, "float8_e5m2", None),
        ("int8", False, True, "int8", None),
        ("uint8", False, False, "uint8", None),
        ("bool_", False, False, "bool_", None),
        ("complex64", True, True, "float32", "complex64"),
        ("complex128", True, True, "float64", "complex128"),
    ],
)
def test_complex_and_real_types(name, is_complex, is_signed, real, wide):
    dtype = getattr(mstype, name)
    assert (dtype.is_complex, dtype.is_signed, dtype.to_real()) == (is_complex, is_signed, getattr(mstype, real))
    if wide is not None:
        assert dtype.to_complex() is getattr(mstype, wide)
    else:
        with pytest.raises(TypeError, match="For 'to_complex', no complex type has parts of"):
            dtype.to_complex()


def test_types_without_numbers_have_no_real_part():
    with pytest.raises(TypeError, match=r"For 'to_real', .* but it is number"):
        mstype.number.to_real()


@pytest.mark.parametrize(
    ("dtype", "number", "byte"),
    [  # the bytes of MindSpore 2.10
        *[(ms.float8_e4m3fn, 449, 0x7E), (ms.float8_e4m3fn, 464, 0x7E), (ms.float8_e4m3fn, 465, 0x7F)],
        *[(ms.float8_e4m3fn, -500, 0xFF), (ms.float8_e4m3fn, np.inf, 0x7F), (ms.float8_e4m3fn, 2**-10 * 1.01, 1)],
        *[(ms.float8_e5m2, 61439, 0x7B), (ms.float8_e5m2, 61440, 0x7C), (ms.float8_e5m2, -1e9, 0xFC)],
    ],
)
def test_floats_of_8_bits(dtype, number, byte):
    made = [ms.Tensor(number, dtype), ms.Tensor(np.float32(number)).astype(dtype), ms.ops.full((), number, dtype=dtype)]
    found = [value.get_bytes()[0] for value in made]
    assert found == [byte] * 3 or {*found, byte} == {0x7F, 0xFF}  # the sign of nan


def test_hifloat8_holds_numbers_as_mindspore_rounds_them():
    numbers = [0, -1.5, 0.1, 500, 1e6, -math.inf, math.nan, 1e-5, 1e-9, 3.3, -17, 33000, 2**-22, 2**-15, 9.3]
    x = ms.Tensor(numbers, ms.hifloat8)
    assert list(x.get_bytes()) == [0, 140, 82, 97, 111, 239, 128, 6, 0, 21, 192, 111, 1, 126, 41]
    assert (x.dtype, x.itemsize, x[1].item(), x[-1:].tolist()) == (ms.hifloat8, 1, -1.5, [9.0])
    assert repr(x[1:4]) == "Tensor(shape=[3], dtype=HiFloat8, value= [   -1.5, 0.09375,     384])"
    assert repr(pickle.loads(pickle.dumps(x))) == repr(ms.Parameter(x).value())
    assert x[1:3].astype(ms.float16).asnumpy().tolist() == [-1.5, 0.09375]
    captured = ms.jit(lambda x: (x * 2).astype(ms.hifloat8).astype(ms.float32) + 1, dynamic=1)
    assert captured(ms.Tensor([1.0, 3.3])).tolist() == [3.0, 7.5]
    with pytest.raises(TypeError, match="not implemented for 'Bits8'"):
        x + x
