"""Lists among the arguments of captured functions: MindSpore's graphs change copies of them, and dicts themselves."""

import pytest

import torchspore as ms
from torchspore import Tensor, jit, nn


def _append(values):
    values.append(3)
    return values


def _assign(values):
    values[0] = 9
    return values, values[1:]


def _nested(values):
    values[1][0] = 7
    return {"all": values, "inner": values[1]}


def _tuples(values):
    values[0].append(values[1])
    return (values[0],), values


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (_append, [1, 2], [1, 2, 3]),
        (_assign, [1, 2], ([9, 2], [2])),
        (_nested, [1, [2]], {"all": [1, [7]], "inner": [7]}),
        (_tuples, ([1], 2), (([1, 2],), ([1, 2], 2))),
    ],
)
def test_changed_lists_are_copies(function, argument, expected):
    before = repr(argument)
    captured = jit(function)
    for _ in range(3):
        assert captured(argument) == expected
        assert repr(argument) == before


def test_unchanged_lists_are_the_same_objects():
    values = [Tensor([1.0]), [2]]
    first, second = jit(lambda x: (x, x[1]))(values)
    assert first is values
    assert second is values[1]


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
def test_dicts_are_changed():
    values = {"a": 1}

    @jit
    def function(values):
        values["b"] = 2
        return values

    assert function(values) == values == {"a": 1, "b": 2}


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda values: values.extend([7]), [1, 2, 7]),
        (lambda values: values.insert(0, 7), [7, 1, 2]),
        (lambda values: values.pop(), [1]),
        (lambda values: values.reverse(), [2, 1]),
    ],
)
def test_some_methods_change_the_list_itself(change, expected):
    values = [1, 2]
    jit(change)(values)
    assert values == expected


def test_lists_of_a_cell_in_graph_mode():
    class Net(nn.Cell):
        def construct(self, values):
            values.append(values[0] * 2)
            return values[-1]

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        values = [Tensor([1.0])]
        assert [float(Net()(values)) for _ in range(2)] == [2.0, 2.0]
        assert len(values) == 1
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_list_is_restored_when_the_function_fails():
    values = [1]

    @jit
    def function(values):
        values.append(2)
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        function(values)
    assert values == [1]


@pytest.mark.parametrize("kind", [TypeError, RuntimeError])
def test_a_missing_argument_is_also_a_runtime_error(kind):
    with pytest.raises(kind, match="missing 1 required"):
        jit(lambda x: x)()


@pytest.mark.parametrize("kind", [KeyError, ValueError])
def test_a_missing_key_is_also_a_value_error(kind):
    with pytest.raises(kind, match="b"):
        jit(lambda x: x["b"])({"a": 1})


def test_what_the_program_raises_stays_the_same_object():
    error = KeyError("mine")

    @jit
    def function(x):
        raise error

    with pytest.raises(KeyError) as found:
        function(1)
    assert found.value is error
