"""Writes of captured functions to tensors, lists and dicts: what Python means, as in PYNATIVE_MODE."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops

DATA = Path(__file__).resolve().parents[1] / "data"
sys.path.insert(0, str(DATA))
from record_graph_writes import names_of, observed, programs  # noqa: E402

PROGRAMS = names_of(programs(ms, "graph"))
RECORDED = json.loads((DATA / "list_writes.json").read_text())
DIFFERENCES = {
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
REASONS = {name: reason for reason, names in DIFFERENCES.items() for name in names.split()}


def plain(name, kind, monkeypatch):
    """Return what a program does as plain Python."""
    with monkeypatch.context() as patches:
        patches.setattr(ms, "jit", lambda function: function)
        patches.setattr(ms, "GRAPH_MODE", ms.PYNATIVE_MODE)
        return observed(ms, name, kind)


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize("name", PROGRAMS)
def test_tensors_are_written_as_in_pynative_mode(name, monkeypatch):
    assert observed(ms, name, "graph") == plain(name, "graph", monkeypatch)


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize("name", [name for name, runs in RECORDED.items() if runs is not None])
def test_lists_and_dicts_beside_mindspore(name):
    seen = json.loads(json.dumps(observed(ms, name, "list")))
    assert (seen == RECORDED[name]) is (name not in REASONS), seen


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize("name", RECORDED)
def test_lists_and_dicts_change_as_in_pynative_mode(name, monkeypatch):
    graphs = observed(ms, name, "list")
    assert (graphs == plain(name, "list", monkeypatch)) is (name not in COPIED_ARGUMENTS.split()), graphs


def first(x, y):
    x[0] = y[1]
    y[0] += 3
    return x + y


class Written(nn.Cell):
    def construct(self, x, i, value=5.0):
        x[i] = value
        return x


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"dynamic": 1}])
def test_arguments_are_written_in_every_call(options):
    captured = ms.jit(first, **options)
    for _ in range(3):
        x, y = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 1.0, 1.0])
        assert captured(x, y).asnumpy().tolist() == [5, 3, 4]
        assert (x.asnumpy().tolist(), y.asnumpy().tolist()) == ([1, 2, 3], [4, 1, 1])
        assert captured(x, x).asnumpy().tolist() == [10, 4, 6]
        assert x.asnumpy().tolist() == [5, 2, 3]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_cell_writes_to_its_argument_in_both_modes(mode):
    ms.set_context(mode=mode)
    try:
        x = Tensor([1.0, 2.0])
        assert Written()(x, 0).asnumpy().tolist() == [5, 2]
        assert Written()(x, i=1, value=3.0).asnumpy().tolist() == [5, 3]
        assert x.asnumpy().tolist() == [5, 3]
        assert ms.grad(Written())(x, 0).asnumpy().tolist() == [0, 1]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_parameter_is_written():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    assert ms.jit(Written().construct)(weight, 0).asnumpy().tolist() == [5, 2]
    assert weight.asnumpy().tolist() == [5, 2]


def test_gradients_through_writes():
    gradient = ms.grad(ms.jit(first), (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert [value.asnumpy().tolist() for value in gradient] == [[0, 1], [1, 2]]


def test_gradients_of_rows_that_a_loop_writes():
    def product(x):
        rows, result = x * 1, x.sum()
        for row in rows:
            result = result * 0.5 + row
            rows[0] = result
        return (rows * x).sum()

    x = Tensor([1.0, 2.0])
    value, gradient = ms.jit(ms.value_and_grad(product), fullgraph=True)(x)
    # rows are ((x0 + x1) / 2 + x0) / 2 + x1 = 3 x0 / 4 + 5 x1 / 4, and x1
    assert value.item() == 0.75 + 2.5 + 4
    assert gradient.asnumpy().tolist() == [1.5 + 2.5, 1.25 + 4]


def test_a_tensor_is_written_without_a_copy():
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


@pytest.mark.parametrize("captured", [False, True])
def test_augmented_assignments_make_new_tensors(captured):
    def added(x, y):
        z = x
        x += y
        return x, z

    x = Tensor([1.0])
    results = (ms.jit(added) if captured else added)(x, Tensor([1.0, 2.0]))
    assert [each.asnumpy().tolist() for each in (*results, x)] == [[2, 3], [1], [1]]
