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
from torchspore.common.printing import to_repr, to_str

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
