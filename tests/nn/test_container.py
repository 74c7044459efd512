"""Containers: names of cells and parameters, indexing, changes, and errors."""

from __future__ import annotations

import copy
import re
from collections import OrderedDict

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn


def _dense(inputs, outputs):
    return nn.Dense(inputs, outputs, has_bias=False)


def _names(cell):
    return [parameter.name for parameter in cell.get_parameters()]


class _Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seq = nn.SequentialCell(_dense(2, 3), nn.ReLU(), _dense(3, 4), _dense(4, 5))
        self.list = nn.CellList([_dense(2, 3), nn.ReLU(), _dense(3, 4)])
        self.dict = nn.CellDict({"a": _dense(2, 3), "b": _dense(3, 4)})


def _changed(action):
    net = _Net()
    action(net)
    return net


_CHANGES = [  # what happens, the child that it happens to, its keys and the names of its parameters afterwards
    (lambda n: None, "seq", "0123", ["seq.0", "seq.2", "seq.3"]),
    (lambda n: n.seq.append(_dense(5, 6)), "seq", "01234", ["seq.0", "seq.2", "seq.3", "seq.4"]),
    (lambda n: n.seq.__setitem__(2, _dense(3, 7)), "seq", "0123", ["seq.0", "seq.2", "seq.3"]),
    (lambda n: n.seq.__setitem__(-1, nn.ReLU()), "seq", "0123", ["seq.0", "seq.2"]),
    (lambda n: n.seq.__delitem__(0), "seq", "012", ["seq.1", "seq.2"]),
    (lambda n: n.seq.__delitem__(-1), "seq", "012", ["seq.0", "seq.2"]),
    (lambda n: n.seq.__delitem__(slice(1, None)), "seq", "0", ["seq.0"]),
    (lambda n: n.seq.__delitem__(slice(0, 4, 3)), "seq", "01", ["seq.1"]),
    (lambda n: n.seq._insert(1, _dense(1, 1)), "seq", "01234", ["seq.0", "seq.1", "seq.3", "seq.4"]),
    (lambda n: n.seq._insert(-1, _dense(1, 1)), "seq", "01234", ["seq.0", "seq.2", "seq.3", "seq.4"]),
    (lambda n: n.seq._insert(4, _dense(1, 1)), "seq", "01234", ["seq.0", "seq.2", "seq.3", "seq.4"]),
    (lambda n: n.list.append(_dense(4, 5)), "list", "0123", ["list.0", "list.2", "list.3"]),
    (lambda n: n.list.extend([_dense(4, 5), nn.ReLU()]), "list", "01234", ["list.0", "list.2", "list.3"]),
    (lambda n: n.list.__iadd__([_dense(4, 5)]), "list", "0123", ["list.0", "list.2", "list.3"]),
    (lambda n: n.list.insert(0, _dense(1, 1)), "list", "0123", ["list.0", "list.1", "list.3"]),
    (lambda n: n.list.__setitem__(-2, _dense(1, 1)), "list", "012", ["list.0", "list.1", "list.2"]),
    (lambda n: n.list.__delitem__(0), "list", "01", ["list.1"]),
    (lambda n: n.list.__delitem__(slice(2)), "list", "0", ["list.0"]),
    (lambda n: n.dict.__setitem__("c", _dense(1, 1)), "dict", "abc", ["dict.a", "dict.b", "dict.c"]),
    (lambda n: n.dict.update([("a", _dense(9, 9))]), "dict", "ab", ["dict.a", "dict.b"]),
    (lambda n: n.dict.update(nn.CellDict({"c": _dense(9, 9)})), "dict", "abc", ["dict.a", "dict.b", "dict.c"]),
    (lambda n: n.dict.pop("a"), "dict", "b", ["dict.b"]),
    (lambda n: n.dict.__delitem__("b"), "dict", "a", ["dict.a"]),
    (lambda n: n.dict.clear(), "dict", "", []),
]


@pytest.mark.parametrize(("action", "child", "keys", "names"), _CHANGES)
def test_names_after_changes(action, child, keys, names):
    container = _changed(action).get_sub_cell(child)
    assert list(container.name_cells()) == list(keys)
    assert _names(container) == [f"{name}.weight" for name in names]
    assert all(getattr(container, key) is cell for key, cell in container.name_cells().items())


def test_construction():
    for net in (nn.SequentialCell(nn.ReLU(), nn.Tanh()), nn.SequentialCell([nn.ReLU(), nn.Tanh()])):
        assert repr(net) == "SequentialCell(\n  (0): ReLU()\n  (1): Tanh()\n)"
        assert [type(cell).__name__ for cell in net] == ["ReLU", "Tanh"]
        assert len(net) == 2
    assert len(nn.SequentialCell(nn.ReLU())) == 1
    assert not nn.SequentialCell()
    assert not nn.CellList()
    assert nn.CellDict()
    assert len(nn.CellDict()) == 0
    assert str(type(nn.SequentialCell())) == "<class 'torchspore.nn.layer.container.SequentialCell'>"
    assert nn.SequentialCell(nn.ReLU(), nn.Tanh())[True].cls_name == "Tanh"


def test_names_of_an_ordered_dict():
    net = nn.SequentialCell(OrderedDict([("x", _dense(1, 2)), ("y", _dense(2, 3))]))
    assert _names(net) == ["x.weight", "y.weight"]
    net.append(_dense(3, 4))
    assert _names(net) == ["x.weight", "y.weight", "2.weight"]
    del net[0]
    assert _names(net) == ["y.weight", "1.weight"]
    net._insert(0, _dense(2, 2))
    assert list(net.name_cells()) == ["0", "y", "2"]
    assert net(ms.ops.ones((1, 2))).shape == (1, 4)


def test_slices():
    net = _Net()
    part = net.seq[1:3]
    assert type(part) is nn.SequentialCell
    assert list(part.name_cells()) == ["1", "2"]
    assert part[1] is net.seq[2]
    assert _names(net.seq) == ["seq.0.weight", "2.weight", "seq.3.weight"]  # a slice takes its cells' names over
    part.append(nn.Tanh())
    assert [type(cell).__name__ for cell in part] == ["ReLU", "Dense", "Tanh"]
    part = net.list[::2]
    assert type(part) is nn.CellList
    assert _names(part) == ["0.weight", "1.weight"]

    class Block(nn.SequentialCell):
        def __init__(self, size):
            super().__init__(_dense(size, size), nn.ReLU())

    assert type(Block(2)[:1]) is nn.SequentialCell

    class Stack(nn.SequentialCell):
        pass

    assert type(Stack(nn.ReLU(), nn.Tanh())[:1]) is Stack


def test_running():
    x = ms.Tensor([[-1.0, 2.0]])
    net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
    np.testing.assert_allclose(net(x).asnumpy(), np.tanh([[0.0, 2.0]]), rtol=1e-6)
    setattr(net, "1", nn.Identity())  # replaces the cell that runs
    assert net(x).asnumpy().tolist() == [[0.0, 2.0]]
    net.insert_child_to_cell("0", nn.Identity())
    assert net(x).asnumpy().tolist() == [[-1.0, 2.0]]
    net.extra = nn.ReLU()  # a separate attribute, which does not run
    assert net(x).asnumpy().tolist() == [[-1.0, 2.0]]
    net[0] = nn.ReLU()
    assert net(x).asnumpy().tolist() == [[0.0, 2.0]]
    assert net.cell_list[0] is net[0]


def test_shared_cells_run_each_time():
    twice = _dense(2, 2)
    net = nn.SequentialCell(twice, nn.ReLU(), twice)
    assert _names(net) == ["2.weight"]
    assert len(net.trainable_params()) == 1
    x = ms.ops.ones((1, 2))
    expected = twice(nn.ReLU()(twice(x))).asnumpy()
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-6)


def test_a_copy_is_independent():
    net = nn.SequentialCell(_dense(2, 2), nn.ReLU())
    other = copy.deepcopy(net)
    assert other.cell_list[0] is other[0]
    assert other[0] is not net[0]
    other[0].weight.set_data(ms.ops.zeros((2, 2)))
    assert (net[0].weight.asnumpy() != 0).any()


def test_lists_and_dictionaries():
    net = _Net()
    assert [cell.cls_name for cell in net.list] == ["Dense", "ReLU", "Dense"]
    assert net.list[1] in net.list
    assert net.list[-1] is net.list[2]
    cells = net.dict
    assert list(cells) == ["a", "b"]
    assert "b" in cells
    assert "c" not in cells
    assert cells.a is cells["a"]
    assert str(cells.keys()) == "odict_keys(['a', 'b'])"
    assert [key for key, _ in cells.items()] == ["a", "b"]
    assert next(iter(cells.values())) is cells["a"]
    assert _names(nn.CellList([_dense(1, 1)], auto_prefix=False)) == ["weight"]
    assert _names(nn.CellDict({"a": _dense(1, 1)}, auto_prefix=False)) == ["weight"]
    assert repr(nn.CellList([nn.CellList([nn.ReLU()])])) == "CellList(\n  (0): CellList(\n    (0): ReLU()\n  )\n)"


def test_modes_reach_the_cells():
    net = _Net().set_train()
    assert all(cell.training for _, cell in net.cells_and_names())


_WRONG = [
    ("nn.SequentialCell(1)", TypeError, "For 'SequentialCell', a single argument must be a Cell, a list or"),
    ("nn.SequentialCell((nn.ReLU(),))", TypeError, "a single argument"),
    ("nn.SequentialCell({'a': nn.ReLU()})", TypeError, "a single argument"),
    ("nn.SequentialCell(None)", TypeError, "a single argument"),
    ("nn.SequentialCell(nn.ReLU(), 2)", TypeError, "For 'SequentialCell', 'element' must be a Cell, but got 2"),
    ("nn.SequentialCell([None])", TypeError, "'element' must be a Cell"),
    ("nn.SequentialCell(OrderedDict(a=3))", TypeError, "'element' must be a Cell"),
    ("nn.SequentialCell(OrderedDict([('a.b', nn.ReLU())]))", KeyError, "without dots"),
    ("n.seq['a']", TypeError, "For 'SequentialCell', 'index' must be an int"),
    ("n.seq[9]", IndexError, "For 'SequentialCell', 'index' must be in [-4, 4), but got 9"),
    ("n.seq.__setitem__(0, 1)", TypeError, "'element' must be a Cell"),
    ("n.seq.__setitem__(-5, nn.ReLU())", IndexError, "must be in [-4, 4)"),
    ("n.seq.__delitem__('a')", TypeError, "'index' must be an int"),
    ("n.seq.__delitem__(9)", IndexError, "must be in [-4, 4)"),
    ("n.seq.append(1)", TypeError, "'element' must be a Cell"),
    ("n.seq._insert('a', nn.ReLU())", TypeError, "'index' must be an int"),
    ("n.seq._insert(9, nn.ReLU())", IndexError, "must be in [-4, 5)"),
    ("n.seq._insert(0, 3)", TypeError, "'element' must be a Cell"),
    ("nn.CellList([1])", TypeError, "For 'CellList', 'element' must be a Cell"),
    ("nn.CellList(1)", TypeError, "For 'CellList', the cells must be given as a list"),
    ("nn.CellList(nn.ReLU())", TypeError, "must be given as a list"),
    ("nn.CellList([nn.ReLU()], [nn.ReLU()])", TypeError, "give the cells as one list"),
    ("nn.CellList([nn.CellDict()])", TypeError, "cannot be a CellDict"),
    ("nn.CellList([], names=3)", TypeError, "names"),
    ("n.list['a']", TypeError, "'index' must be an int"),
    ("n.list[9]", IndexError, "must be in [-3, 3)"),
    ("n.list(1)", NotImplementedError, "For 'CellList', a list of cells cannot be called"),
    ("n.list.extend((nn.ReLU(),))", TypeError, "must be given as a list"),
    ("n.list.insert(9, nn.ReLU())", IndexError, "must be in [-3, 4)"),
    ("n.list.__setitem__('a', nn.ReLU())", TypeError, "'index' must be an int"),
    ("nn.CellDict(1)", TypeError, "For 'CellDict', the cells must be a mapping or an iterable of pairs"),
    ("nn.CellDict([1])", TypeError, "each element must be a pair"),
    ("nn.CellDict([('a',)])", ValueError, "each element must be a pair"),
    ("nn.CellDict({}, {})", TypeError, "give the cells as one mapping"),
    ("nn.CellDict({1: nn.ReLU()})", TypeError, "a key must be a string"),
    ("nn.CellDict({'a.b': nn.ReLU()})", KeyError, "a key must not be empty"),
    ("nn.CellDict({'': nn.ReLU()})", KeyError, "a key must not be empty"),
    ("nn.CellDict({'construct': nn.ReLU()})", KeyError, "a key must not be empty"),
    ("nn.CellDict({'a': None})", TypeError, "'a' must be a Cell that is not a container"),
    ("nn.CellDict({'a': nn.SequentialCell()})", TypeError, "'a' must be a Cell that is not a container"),
    ("n.dict['c']", KeyError, "c"),
    ("n.dict.pop('c')", KeyError, "c"),
    ("n.dict.__delitem__('training')", KeyError, "training"),
    ("n.dict(1)", NotImplementedError, "For 'CellDict', a dictionary of cells cannot be called"),
]


@pytest.mark.parametrize(("expression", "error", "message"), _WRONG, ids=[row[0] for row in _WRONG])
def test_errors(expression, error, message):
    with pytest.raises(error, match=re.escape(message)):
        eval(expression, {"nn": nn, "n": _Net(), "OrderedDict": OrderedDict})


class _Pair(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cells_in = nn.CellList([nn.SequentialCell([_dense(1, 1)]), nn.SequentialCell([_dense(1, 1)])])


def _filled(outer, fill):
    """Return a cell with a container that has its name before it is filled."""
    net = nn.Cell()
    net.outer = outer
    fill(net.outer)
    return net


@pytest.mark.parametrize(
    ("net", "expected"),
    [  # the first names of the second child, as MindSpore gives them
        (lambda: _filled(nn.CellList(), lambda c: [c.append(_dense(1, 1)) for _ in range(2)]), ["1.weight"]),
        (
            lambda: _filled(nn.CellList(), lambda c: [c.append(_Pair()) for _ in range(2)]),
            ["0.cells_in.0.1.cells_in.0.0.weight", "0.cells_in.0.1.cells_in.1.0.weight"],
        ),
        (
            lambda: _filled(nn.SequentialCell(), lambda c: [c.append(_Pair()) for _ in range(2)]),
            ["0.cells_in.0.1.cells_in.0.0.weight", "0.cells_in.0.1.cells_in.1.0.weight"],
        ),
        (
            lambda: _filled(nn.CellList([_dense(1, 1)]), lambda c: c.extend([_Pair()])),
            ["outer.1.cells_in.0.0.weight", "outer.1.cells_in.1.0.weight"],
        ),
    ],
)
def test_names_in_lists_that_are_filled_later(net, expected):
    assert _names(net().outer[1]) == expected


class Same(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p, self.q = ms.Parameter(ms.Tensor(1.0), name="w"), ms.Parameter(ms.Tensor(2.0), name="w")

    def construct(self, x):
        return x * self.p * self.q


class Outer(nn.Cell):
    def __init__(self):
        super().__init__(auto_prefix=False)
        self.inner, self.extra = Same(), ms.Parameter(ms.Tensor(1.0), name="extra")

    def construct(self, x):
        return self.inner(x) * self.extra


class TestNamesAtTheFirstCall:
    """As in MindSpore: if two parameters have the same name, all get their attributes' values."""

    def test_call(self):
        net = Same()
        net(ms.Tensor(1.0))
        assert _names(net) == list(net.parameters_dict()) == ["p", "q"]

    def test_grad_and_hooks(self):
        net = Same()
        net.register_forward_hook(lambda *_: None)
        ms.grad(net)(ms.Tensor(1.0))
        assert _names(net) == ["p", "q"]

    def test_later_names_stay(self):
        net = Same()
        net.q.name = "v"
        net(ms.Tensor(1.0))
        net.q.name = "w"
        net(ms.Tensor(1.0))
        assert _names(net) == ["w", "w"]

    def test_construct_alone(self):
        net = Same()
        net.construct(ms.Tensor(1.0))
        assert _names(net) == ["w", "w"]

    def test_without_prefix(self):
        net = Outer()
        assert _names(net) == ["extra", "w", "w"]
        net(ms.Tensor(1.0))
        assert _names(net) == ["extra", "inner.p", "inner.q"]
