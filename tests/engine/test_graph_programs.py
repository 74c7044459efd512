"""Layers, optimizers, distributions and programs in GRAPH_MODE, compared with what MindSpore made of them."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

import pytest

import torchspore as ms

DATA = Path(__file__).resolve().parents[1] / "data"
sys.path.insert(0, str(DATA))
from record_graph_programs import observed, programs  # noqa: E402

RECORDED = json.loads((DATA / "graph_programs.json").read_text(encoding="utf-8"))["programs"]
PROGRAMS = programs(ms)


def agree(seen, expected):
    if isinstance(seen, float) and isinstance(expected, float):
        return seen == pytest.approx(expected, rel=2e-3, abs=2e-5, nan_ok=True)
    if isinstance(seen, dict):
        return seen.keys() == expected.keys() and all(agree(seen[key], expected[key]) for key in seen)
    if isinstance(seen, list):
        return isinstance(expected, list) and len(seen) == len(expected) and all(map(agree, seen, expected))
    return type(seen) is type(expected) and seen == expected


EAGER = {"classes_of_mutable_values": "asks for the type of a number"}  # by their warning


@pytest.mark.parametrize("name", [name for name, expected in RECORDED.items() if name != "errors"])
def test_recorded(name):
    with pytest.warns(RuntimeWarning, match=EAGER[name]) if name in EAGER else contextlib.nullcontext():
        seen = json.loads(json.dumps(observed(ms, PROGRAMS[name])))
    assert agree(seen, RECORDED[name]), seen


def test_errors_can_be_caught_as_mindspores():
    seen = observed(ms, PROGRAMS["errors"])
    for kind, classes in RECORDED["errors"].items():
        assert classes[0] in seen[kind], (kind, seen[kind])


def test_the_class_of_an_open_number_ends_the_capture():
    @ms.jit
    def scaled(x, n):
        return x * n if type(n) is float else x * 3

    with pytest.warns(RuntimeWarning, match="asks for the type of a number"):
        assert float(scaled(ms.Tensor(1.0), ms.mutable(2))) == 3


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}])
def test_floats_stay_constants_where_a_graph_cannot_have_them_as_inputs(options):
    by_type = ms.jit(lambda x, k: x * k if type(k) is float else x * 0, **options)
    by_text = ms.jit(lambda x, k: x * float(str(k)), **options)
    for k in range(8):
        assert float(by_type(ms.Tensor(1.0), k / 4)) == float(by_text(ms.Tensor(1.0), k / 4)) == k / 4
    assert (by_type.captures, by_text.captures) == (8, 8)
    assert by_type(ms.Tensor(1.0), 0.5).asnumpy() == 0.5
    assert by_type.captures == 8


def test_a_number_with_a_known_type_stays_an_input():
    @ms.jit
    def scaled(x, k):
        return x * k if isinstance(k, (int, str)) else x

    assert [float(scaled(ms.Tensor(1.0), ms.mutable(k))) for k in (2, 3, 4)] == [2, 3, 4]
    assert scaled.captures == 1
    assert float(scaled(ms.Tensor(1.0), ms.mutable(2.5))) == 1


def test_slices_of_open_numbers():
    parts = ms.jit(lambda x, n: (slice(n), {"all": slice(None)}, [slice(1, n, x)]))
    for n in (2, 3):
        assert parts(ms.Tensor(1), ms.mutable(n)) == (slice(n), {"all": slice(None)}, [slice(1, n, 1)])
    assert parts.captures == 1
