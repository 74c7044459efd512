"""Every row of the table runs on both sides: the same values and gradients."""

from __future__ import annotations

import importlib
import pathlib

import libcst as cst
import numpy as np
import pytest

from migrate.cases.differences import DIFFERENT, NO_GRADIENTS, RANDOM, WITHOUT_CASES
from migrate.table_runs import gradients_of, run_mindspore, run_torch
from torchspore.migrate.table import Row, all_rows

pytestmark = pytest.mark.slow

FILES = sorted((pathlib.Path(__file__).parent / "cases").glob("*.py"))
MODULES = [importlib.import_module(f"migrate.cases.{file.stem}") for file in FILES]
CASES: dict[str, str] = {name: case for module in MODULES for name, case in getattr(module, "CASES", {}).items()}


def case_of(row: Row) -> str | None:
    """Return the expression for a row, or None if it has none."""
    if row.mindspore_form == "{input}.shape[{dim}]":
        return "a.size(1)"
    return CASES.get(f"{row.torch} {row.mindspore}") or case_of_name(row.torch)


def case_of_name(name: str) -> str | None:
    """Return the expression for a name; methods' expressions follow from functions."""
    if name in CASES or not name.startswith("torch.Tensor."):
        return CASES.get(name)
    last = name.rpartition(".")[2]
    function = CASES.get(f"torch.{last}")
    if function is not None:
        return as_method(function, last)
    plain = case_of_name(name[:-1]) if last.endswith("_") else None
    return as_in_place(plain) if plain else None


def as_method(case: str, name: str) -> str | None:
    """Return "x.f(y)" for "torch.f(x, y)"; None if the call is another one."""
    call = cst.parse_expression(case)
    if not isinstance(call, cst.Call) or cst.Module([]).code_for_node(call.func) != f"torch.{name}" or not call.args:
        return None
    first, *rest = (
        cst.Module([]).code_for_node(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for arg in call.args
    )
    return f"{first}.{name}({', '.join(rest)})"


def as_in_place(case: str) -> str:
    """Return "x.clone().f_(y)" for "x.f(y)"."""
    tensor, _, call = case.partition(".")
    name, _, arguments = call.partition("(")
    return f"{tensor}.clone().{name}_({arguments}"


RUNS = [(row, case) for row in all_rows() if row.mindspore and (case := case_of(row))]
NAMES = {f"{row.torch} {row.mindspore}" for row, _ in RUNS}


def assert_equal(found, expected, rtol, atol):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        if isinstance(theirs, (str, type(None))):
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol, atol)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("row", "case"), RUNS, ids=[f"{row.torch}-{row.mindspore}" for row, _ in RUNS])
def test_both_sides_agree(row, case):
    names = {row.torch, f"{row.torch} {row.mindspore}"}
    results, gradients, made = run_torch(case)
    found, derived = run_mindspore(case, row, made)
    if names & set(RANDOM.split()):
        assert [np.shape(ours) for ours in found] == [np.shape(theirs) for theirs in results]
    elif names & set(DIFFERENT):
        with pytest.raises((AssertionError, ValueError, TypeError)):
            assert_equal(found, results, 1e-4, 1e-5)
    else:
        assert_equal(found, results, 1e-4, 1e-5)
        if gradients and not names & set(NO_GRADIENTS):
            assert_equal(gradients_of(derived), gradients, 1e-3, 1e-4)


def test_every_row_has_a_case_or_a_reason():
    without = {row.torch for row in all_rows() if row.mindspore and not case_of(row)}
    listed = {name for names in WITHOUT_CASES.values() for name in names.split()}
    assert sorted(name for name in without if name not in listed and name.rpartition(".")[0] + ".*" not in listed) == []
    assert sorted(name for name in listed if not name.endswith("*") and name not in without) == []


def test_differences_are_of_rows():
    known = NAMES | {row.torch for row, _ in RUNS}
    assert sorted(name for name in {*RANDOM.split(), *DIFFERENT, *NO_GRADIENTS} if name not in known) == []
