"""`to_str` and `to_repr` against the texts that MindSpore 2.10 printed (tests/data/record_printing.py)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.showing.printing import to_repr, to_str
from torchspore.common.tensor import from_numpy

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "printing.json").read_text(encoding="utf-8")
)


def number(value: Any, dtype: torch.dtype) -> Any:
    if not isinstance(value, str):
        return value
    return complex(value) if dtype.is_complex else float(value)


def tensor(case: dict[str, Any]) -> torch.Tensor:
    dtype, shape = getattr(torch, case["dtype"]), case["shape"]
    if "ramp" in case:
        start, step = case["ramp"]
        array = start + step * np.arange(math.prod(shape))
    else:
        wide = "float64" if dtype.is_floating_point else case["dtype"]
        array = np.array([number(value, dtype) for value in case["values"]], wide)
    known = FROM_TORCH[dtype].numpy
    return torch.from_numpy(array.astype("float32" if known is None else known).reshape(shape)).to(dtype)


def name(case: dict[str, Any]) -> str:
    return " ".join(str(value) for key, value in case.items() if key not in ("str", "repr"))[:80]


@pytest.mark.parametrize("case", CASES, ids=name)
def test_texts_equal_mindspores(case: dict[str, Any]) -> None:
    made = tensor(case)
    with np.printoptions(**case.get("options", {})):
        assert to_repr(made) == case["repr"]
        if "str" in case:
            assert to_str(made) == case["str"]


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_str_of_float8_looks_like_bfloat16s(dtype: torch.dtype) -> None:
    assert to_str(torch.tensor([1.0, -2.5]).to(dtype)) == "[1.000000 -2.500000]"
    assert to_str(torch.tensor(1.5).to(dtype)) == "1.500000"


def test_the_sign_of_nan_is_kept_where_it_means_something() -> None:
    nan = torch.tensor([math.nan] * 16)
    assert "-nan" not in to_repr(nan)
    assert to_repr(-nan).count("-nan") == 16
    assert "-nan" not in to_repr(nan.bfloat16()) + to_repr(-nan.bfloat16()) + to_str(-nan.bfloat16())


def test_tensors_that_require_grad_and_lazy_views() -> None:
    leaf = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert to_str((leaf * 2).T) == "[[2. 6.]\n [4. 8.]]"
    assert to_repr(leaf[:, 1]) == "Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  4.00000000e+00])"
    conjugate = torch.tensor([1 + 2j]).conj()
    assert conjugate.is_conj()
    assert to_str(conjugate) == "[1.-2.j]"
    assert to_repr(conjugate.imag) == "Tensor(shape=[1], dtype=Float32, value= [-2.00000000e+00])"


def test_printing_leaves_numpys_options_alone() -> None:
    before = np.get_printoptions()
    to_str(torch.ones(2))
    assert np.get_printoptions() == before


def test_a_legacy_mode_that_the_user_chose_stays() -> None:
    with np.printoptions(legacy="1.13"):
        assert to_str(torch.tensor([1.0, 2.0])) == "[ 1.  2.]"


# The values that MindSpore 2.10 showed of tensors that NumPy arrays hold.
OF_ARRAYS = [
    (np.array([1, 2.5], np.float16), " [1. , 2.5]"),
    (np.array([1.5, 1e-3], np.float32), " [1.5e+00, 1.0e-03]"),
    (np.array([1e10, 1.0]), " [1.e+10, 1.e+00]"),
    (np.array([math.nan, -math.nan, math.inf]), " [nan, nan, inf]"),
    (np.array([1 + 2j]), " [1.+2.j]"),
    (np.array([True, False]), " [ True, False]"),
    (np.array([1, -20]), " [  1, -20]"),
    (np.array(2.0), " 2."),
    (np.array(1e-5, np.float32), " 1.e-05"),
    (np.zeros(0), " []"),
    (np.zeros((2, 0)), "\n[]"),
    (np.arange(8).reshape(1, 8), "\n[[0, 1, 2, 3, 4, 5, 6, 7]]"),
    (np.arange(8).reshape(2, 2, 2), "\n[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]"),
    (np.arange(1001), " [   0,    1,    2, ...,  998,  999, 1000]"),
    (np.arange(6.0).reshape(2, 3).T, "\n[[0., 3.],\n [1., 4.],\n [2., 5.]]"),
]


@pytest.mark.parametrize(("array", "values"), OF_ARRAYS)
def test_tensors_that_hold_arrays_print_as_numpy_does(array: np.ndarray[Any, Any], values: str) -> None:
    assert repr(from_numpy(array)).partition("value=")[2] == f"{values})"


def test_results_of_operations_print_in_mindspores_layout() -> None:
    held = from_numpy(np.array([1.0, 2.0]))
    own = "Tensor(shape=[2], dtype=Float64, value= [ 1.00000000e+00,  2.00000000e+00])"
    assert [repr(each) for each in (held * 1, held.copy(), held[:])] == [own] * 3
    held[0] = 5
    assert repr(held) == "Tensor(shape=[2], dtype=Float64, value= [5., 2.])"
