"""Writes of captured functions: to tensors by name, as in MindSpore's graphs; to lists and dicts as in Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops

DATA = Path(__file__).resolve().parents[1] / "data"
sys.path.insert(0, str(DATA))
from record_graph_writes import observed  # noqa: E402

RECORDED = {kind: json.loads((DATA / f"{kind}_writes.json").read_text()) for kind in ("graph", "list")}
LIST_DIFFERENCES = {
    "MindSpore changes the list or dict for one of its names": """
        append_to_a_second_name append_to_the_first_name clear_a_second_name set_an_item_of_a_second_name
        add_to_a_second_name append_tensors_to_a_second_name append_before_and_after
        set_a_tensor_of_a_second_name append_in_a_condition_to_a_second_name
        append_to_an_element_with_a_name append_to_a_list_that_is_an_element set_an_item_of_an_element_with_a_name
        append_to_elements_in_a_loop an_element_is_the_same_list_twice set_a_key_of_a_second_name
        set_an_old_key_of_a_second_name update_a_second_name clear_a_dict set_a_key_of_a_dict_with_a_name_in_a_list
        a_function_appends a_function_appends_and_returns a_function_sets_an_item a_function_sets_a_key
        a_function_adds an_inner_function_appends append_to_a_second_name_of_an_argument
        a_function_appends_to_an_argument""",
    "MindSpore changes a literal, and the next call starts with what the previous one left": """
        extend_a_second_name insert_into_a_second_name pop_from_a_second_name reverse_a_second_name insert_only
        extend_only pop_with_an_index CollectsInAnAttribute""",
    "MindSpore drops the change": """
        remove_from_a_second_name sort_a_second_name set_a_default set_a_default_in_an_argument AppendToAnAttribute
        AppendToASecondNameOfAnAttribute ClearAnAttribute AppendATensorToAnAttribute UpdateAnAttribute
        AppendInAConditionToAnAttribute""",
    "MindSpore's change ends with the call; ours stays, and a warning names the container or the line": """
        update_an_argument append_to_a_global append_to_a_second_name_of_a_global set_an_item_of_a_global
        append_a_tensor_to_a_global set_a_tensor_of_a_global append_to_a_nested_global update_a_global
        SetAnItemOfAnAttribute AddToAnAttribute SetATensorOfAnAttribute AppendToANestedAttribute""",
    "MindSpore returns the values of a dict in a list as a list": "set_a_key_of_a_dict_in_a_list",
}
COPIED_ARGUMENTS = """
    append_to_an_argument append_to_a_second_name_of_an_argument clear_an_argument set_an_item_of_an_argument
    set_an_item_of_an_argument_unreturned add_to_an_argument delete_from_an_argument append_a_tensor_to_an_argument
    append_a_tensor_to_an_argument_unreturned set_a_tensor_of_an_argument append_to_a_nested_argument
    set_an_item_of_a_nested_argument append_to_a_list_in_a_tuple_argument a_function_appends_to_an_argument
    append_to_an_argument_in_a_condition append_to_an_argument_in_a_loop
"""
DIFFERENCES = {
    "of_a_parameter": "as an argument that is differentiated it is a plain tensor",
    "plus_cast": "a cast to the same dtype is a new tensor",
    "plus_global": "MindSpore folds the global's value before the write into its result, not into its gradients",
    "TensorPlus": "MindSpore's gradient through a tensor that is set as an attribute is zero",
    **{name: reason for reason, names in LIST_DIFFERENCES.items() for name in names.split()},
}


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind, rows in RECORDED.items() for name, runs in rows.items() if runs is not None],
)
def test_recorded(kind, name):
    seen = json.loads(json.dumps(observed(ms, name, kind)))
    assert (seen == RECORDED[kind][name]) is (name not in DIFFERENCES), seen


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize("name", RECORDED["list"])
def test_lists_and_dicts_change_as_in_pynative_mode(name, monkeypatch):
    graphs = observed(ms, name, "list")
    monkeypatch.setattr(ms, "jit", lambda function: function)
    monkeypatch.setattr(ms, "GRAPH_MODE", ms.PYNATIVE_MODE)
    plain = observed(ms, name, "list")
    assert (graphs == plain) is (name not in COPIED_ARGUMENTS.split()), graphs


def first(x, y):
    x[0] = y[1]
    y[0] += 3
    return x + y


def by_name(x, *, y):
    x[0], y[0:2] = y[1], 7
    return x + y


class Written(nn.Cell):
    def construct(self, x, i, value=5.0):
        x[i] = value
        return x


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"dynamic": 1}])
def test_the_tensors_of_the_caller_stay(options):
    captured = ms.jit(first, **options)
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 1.0, 1.0])
    for _ in range(3):
        assert captured(x, y).asnumpy().tolist() == [5, 3, 4]
        assert captured(x, x).asnumpy().tolist() == [6, 4, 6]
        assert (x.asnumpy().tolist(), y.asnumpy().tolist()) == ([1, 2, 3], [1, 1, 1])
    assert ms.jit(by_name, **options)(x, y=y).asnumpy().tolist() == [8, 9, 4]
    assert (x.asnumpy().tolist(), y.asnumpy().tolist()) == ([1, 2, 3], [1, 1, 1])


def test_a_cell_writes_to_its_argument_in_pynative_mode_only():
    x = Tensor([1.0, 2.0])
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for _ in range(2):
            assert Written()(x, 0).asnumpy().tolist() == [5, 2]
            assert Written()(x, i=1, value=3.0).asnumpy().tolist() == [1, 3]
            assert x.asnumpy().tolist() == [1, 2]
        assert ms.grad(Written())(x, 0).asnumpy().tolist() == [0, 1]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert Written()(x, 0) is x
    assert x.asnumpy().tolist() == [5, 2]


def test_a_parameter_is_written():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    assert ms.jit(Written().construct)(weight, 0).asnumpy().tolist() == [5, 2]
    assert weight.asnumpy().tolist() == [5, 2]


def test_gradients_through_the_copy():
    gradient = ms.grad(ms.jit(first), (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert [value.asnumpy().tolist() for value in gradient] == [[0, 1], [1, 2]]


def test_a_tensor_with_one_name_is_not_copied():
    @ms.jit
    def filled(x):
        table = ops.zeros_like(x)
        for i in range(3):
            table[i] = x[i] * 2
            table += 1
        return table

    x = Tensor([1.0, 2.0, 3.0])
    assert filled(x).asnumpy().tolist() == [5, 6, 7]
    text = filled.graph(x)
    assert "aten.clone" not in text
    assert text.count("copy_") == 3  # the assignments
    assert ms.grad(filled)(x).asnumpy().tolist() == [2, 2, 2]


def test_where_only_mindspore_refuses_the_name_gets_another_tensor():
    @ms.jit
    def broadcast(x, y):
        x += y
        return x

    x, mask = Tensor([1.0]), Tensor([True, False])
    assert broadcast(x, Tensor([1.0, 2.0])).asnumpy().tolist() == [2, 3]
    assert broadcast(mask, True).asnumpy().tolist() == [True, True]
    assert (x.asnumpy().tolist(), mask.asnumpy().tolist()) == ([1], [True, False])


def test_plain_code_makes_new_tensors():
    x = y = Tensor([1.0])
    x += 1
    assert (x.asnumpy().tolist(), y.asnumpy().tolist()) == ([2], [1])


_WITHOUT_SOURCE = {}
exec("def write(x, y):\n    y = x\n    y[0] = 9\n    x[1:] *= 5\n    return x, y", _WITHOUT_SOURCE)
exec("def construct(self, x, i):\n    x[i] = 5\n    return x", _WITHOUT_SOURCE)


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}])
def test_functions_without_source_write_by_name(options):
    captured = ms.jit(_WITHOUT_SOURCE["write"], **options)
    x = Tensor([1.0, 2.0])
    for _ in range(2):
        assert [each.asnumpy().tolist() for each in captured(x, x)] == [[1, 10], [9, 2]]
        assert x.asnumpy().tolist() == [1, 2]
    generated = type("Generated", (nn.Cell,), {"construct": _WITHOUT_SOURCE["construct"]})()
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert generated(x, 0).asnumpy().tolist() == [5, 2]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert x.asnumpy().tolist() == [1, 2]
