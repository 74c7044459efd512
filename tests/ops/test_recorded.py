"""Every case of `tests/cases` gives what MindSpore 2.10 gave: values, dtypes, gradients, errors."""

from __future__ import annotations

import contextlib
import importlib
import json
import pathlib

import numpy as np
import pytest

import cases
import torch_versions
import torchspore

GAPS = torch_versions.gaps()
TESTS = pathlib.Path(__file__).parent.parent
FAMILIES = sorted(path.stem for path in (TESTS / "cases").glob("*.py") if path.stem not in ("__init__", "differences"))


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family):
    recorded = json.loads((TESTS / "data" / f"{family}.json").read_text())
    module = importlib.import_module(f"cases.{family}")
    # Where ours differs on purpose: expression -> (reason, our result in the recorded form).
    differences = getattr(module, "DIFFERENCES", {})
    warned = getattr(module, "WARNINGS", {})  # expression -> words of our warning
    failed = {}
    for expression in module.CASES:
        expected = differences[expression][1] if expression in differences else recorded[expression]
        np.random.seed(0)
        try:
            _check(expression, expected, warned.get(expression))
        except (Exception, pytest.fail.Exception) as error:
            failed[expression] = f"{type(error).__name__}: {error}"
    gaps = {expression for expression in module.CASES if f"{family}: {expression}" in GAPS}
    assert {expression: why for expression, why in failed.items() if expression not in gaps} == {}
    assert gaps <= failed.keys()


def _check(expression, expected, warning):
    with pytest.warns(RuntimeWarning, match=warning) if warning else contextlib.nullcontext():
        found = cases.evaluate(torchspore, expression)
    if "error" in expected:
        assert found.get("error") == expected["error"]
        return
    assert "error" not in found, found
    _compare(found["results"], expected["results"])
    if expected.get("gradients"):
        assert found["gradients"] is not None
        _compare(list(found["gradients"].values()), list(expected["gradients"].values()))


def _compare(found, expected):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        if "python" in theirs:
            assert ours == theirs
            continue
        assert ours["shape"] == theirs["shape"]
        assert ours["dtype"] == theirs["dtype"]
        tolerance = 2e-3 if theirs["dtype"] in ("Float16", "BFloat16") else 2e-5
        np.testing.assert_allclose(ours["values"], theirs["values"], rtol=tolerance, atol=tolerance)
