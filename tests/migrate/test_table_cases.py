"""Every row of the table runs on both sides: the same values and gradients."""

from __future__ import annotations

import importlib
import pathlib

import numpy as np
import pytest

from migrate.table_runs import gradients_of, run_mindspore, run_torch
from torchspore.migrate.table import ROWS, Row

FILES = sorted((pathlib.Path(__file__).parent / "cases").glob("*.py"))
MODULES = [
    importlib.import_module(f"migrate.cases.{file.stem}") for file in FILES if file.stem not in ("__init__", "inputs")
]
CASES: dict[str, str] = {name: case for module in MODULES for name, case in module.CASES.items()}


def case_of(row: Row) -> str | None:
    return CASES.get(f"{row.torch} {row.mindspore}", CASES.get(row.torch))


RUNS = [(row, case_of(row)) for row in ROWS if row.mindspore and case_of(row)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("row", "case"), RUNS, ids=[f"{row.torch}-{row.mindspore}" for row, _ in RUNS])
def test_both_sides_agree(row, case):
    results, gradients, made = run_torch(case, train=True)
    found, parts = run_mindspore(case, row, made, train=True)
    assert len(found) == len(results)
    for ours, theirs in zip(found, results):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5) if not isinstance(theirs, str) else (
            ours == theirs
        )
    if gradients:
        for ours, theirs in zip(gradients_of(parts), gradients, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
