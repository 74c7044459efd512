"""Calls by keyword that are right in MindSpore are right here."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path

import pytest

RECORDED = json.loads((Path(__file__).parent / "data" / "parameter_names.json").read_text(encoding="utf-8"))
# Calls that are not the same, with the reasons.
_PYTHON = "Python's own operation, without names of parameters"
_REFUSES = "refuses to be used"
GAPS = {
    "ops.shape_mul": _PYTHON,
    **{f"ops.{name}()": _REFUSES for name in ("DtypeToEnum", "GeSwitch", "Reshard", "_Grad", "_Vmap")},
    "ops.DynamicShape": "the data type of a shape's numbers; ours has none",
    "ops.make_row_tensor": "the class, whose constructor says `shape`",
    "ops.make_sparse_tensor": "the class, whose constructor says `shape`",
}


def _refused(path, name):
    member = getattr(importlib.import_module(f"torchspore.{path}"), name.removesuffix("()"), None)
    if member is None:
        return None
    if name.endswith("()"):
        member = member.__call__
    text = RECORDED[path][name].split()
    try:
        signature = inspect.signature(member)
    except (TypeError, ValueError):
        return None
    before = [None] * name.endswith("()")
    for names in (text, [part for part in text if not part.endswith("?")]):
        try:
            signature.bind(*before, **{part.rstrip("?"): None for part in names})
        except TypeError as error:
            return str(error)
    return None


@pytest.mark.parametrize("path", RECORDED)
def test_every_parameter_is_known_by_its_name(path):
    refused = {f"{path}.{name}": _refused(path, name) for name in RECORDED[path]}
    assert {name: error for name, error in refused.items() if error and name not in GAPS} == {}


@pytest.mark.parametrize("name", GAPS)
def test_gaps_are_true(name):
    path, _, member = name.rpartition(".")
    assert _refused(path, member)
