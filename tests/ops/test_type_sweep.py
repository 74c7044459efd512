"""Recorded expressions with inputs of other data types give what MindSpore 2.10 gave."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import torchspore
import type_sweep

RECORDED = json.loads((pathlib.Path(__file__).parent.parent / "data" / "type_sweep.json").read_text())
# Relative and absolute: the kernels of 16 bits round in different places.
TOLERANCES = {
    "Float16": 4e-3,
    "BFloat16": 3e-2,
    "Float32": 1e-4,
    "Float64": 1e-4,
    "Complex64": 1e-4,
    "Complex128": 1e-4,
}

_FLOAT64 = "float64 stays float64"
# Where ours differs on purpose: (expression, data types, reason).
DIFFERENCES = [
    ("ops.max_pool2d(img, 2)", "uint32", "the maximum of unsigned elements that are all 0 is 1 there"),
    ("ops.LayerNorm(-1, 1)(z, m, m)", "float64", _FLOAT64),
    ("mnp.divide(d, i)", "bool", _FLOAT64),
    ("mnp.divide(x, v)", "float64", _FLOAT64),
    ("mnp.divide(i, 2)", "float64", _FLOAT64),
    ("mnp.polyint(v, k=3)", "float64", _FLOAT64),
    ("mint.divide(x, y, rounding_mode='trunc')", "int64", "integers divided by 0"),
    ("mnp.fmod(q, y)", "bool", "integers divided by 0"),
    ("mnp.var(i)", "int32", "exact, as the variance of other types"),
    ("mnp.linspace(v, x, 4)", "float16", "computed in float32"),
    ("mnp.norm(z)", "float16", "computed in float32"),
    ("mnp.array([s, 2])", "uint32", "the type that both promote to"),
    ("ops.argmin(s)", "bool", "the dtype of other shapes"),
]


def _differs(expression, dtype):
    return any(expression == other and dtype in dtypes.split() for other, dtypes, _ in DIFFERENCES)


@pytest.mark.parametrize(
    ("expression", "kind", "dtype", "expected"),
    [row for row in RECORDED if not _differs(row[0], row[2])],
    ids=[" ".join(row[:3]) for row in RECORDED if not _differs(row[0], row[2])],
)
def test_answer(expression, kind, dtype, expected):
    found = type_sweep.answer(torchspore, expression, kind, dtype)
    assert not isinstance(found, str), found
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        if "python" in theirs:
            assert ours == theirs
            continue
        assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
        tolerance = TOLERANCES.get(theirs["dtype"], 0)
        np.testing.assert_allclose(ours["values"], theirs["values"], rtol=tolerance, atol=tolerance)


def test_differences_are_in_the_sample():
    rows = [(row[0], row[2]) for row in RECORDED]
    assert [row for row in DIFFERENCES if not any((row[0], dtype) in rows for dtype in row[1].split())] == []
