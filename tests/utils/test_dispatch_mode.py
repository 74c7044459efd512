"""`MsDispatchMode`: which method sees which operation, in the order that MindSpore 2.10 has."""

from __future__ import annotations

import pytest

import torchspore as ms

X, Y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])


class Log(ms.MsDispatchMode):
    """Notes the names of operations."""

    def __init__(self, seen, mark=""):
        super().__init__()
        self.seen, self.mark = seen, mark

    def __ms_dispatch__(self, func, args, kwargs=None):
        self.seen.append(self.mark + func.name)
        return func(*args)


def test_operations_and_results():
    seen = []
    with Log(seen):
        total, scaled = X + Y, X * 2
    assert seen == ["add", "mul"]
    assert (total.asnumpy().tolist(), scaled.asnumpy().tolist()) == ([4, 6], [2, 4])
    assert (X - Y).asnumpy().tolist() == [-2, -2]
    assert seen == ["add", "mul"]


def test_blocks_in_blocks():
    seen = []
    with Log(seen, "outer "):
        X * 2
        with Log(seen, "inner "):
            X + Y
        X - Y
    assert seen == ["outer mul", "inner add", "outer add", "outer sub"]


def test_one_object_in_several_blocks_and_as_a_decorator():
    seen = []
    log = Log(seen)

    @log
    def function(x):
        return x + 1

    with log, log:
        X * 2
    assert seen == ["mul", "mul"]
    assert function(X).asnumpy().tolist() == [2, 3]
    assert seen[2:] == ["add"]


def test_the_backward_pass_is_seen():
    seen = []
    with Log(seen):
        gradient = ms.grad(lambda x: (x * x).sum())(X)
    assert gradient.asnumpy().tolist() == [2, 4]
    assert {"mul", "sum"} <= set(seen)
    assert seen.count("mul") == 3


def test_keyword_arguments_are_not_lost():
    with Log([]):
        found = ms.ops.zeros((2,), ms.int32), X.sum(dtype=ms.float64), ms.mint.add(X, Y, alpha=2)
    assert [part.dtype for part in found] == [ms.int32, ms.float64, ms.float32]
    assert found[2].asnumpy().tolist() == [7, 10]


def test_several_results_and_writes():
    z = ms.Tensor([1.0, 5.0, 3.0])
    with Log([]):
        values, places = ms.ops.topk(z, 2)
        z[0] = 7
        z += 1
    assert (values.asnumpy().tolist(), places.asnumpy().tolist()) == ([5, 3], [1, 2])
    assert z.asnumpy().tolist() == [8, 6, 4]


def test_another_result():
    class Zero(ms.MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            return func(*args) * 0 if func.name == "add" else func(*args)

    with Zero():
        assert (X + Y).asnumpy().tolist() == [0, 0]


def test_errors_end_the_block():
    class Fails(ms.MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            raise KeyError(func.name)

    with pytest.raises(KeyError, match="add"), Fails():
        X + Y
    assert (X + Y).asnumpy().tolist() == [4, 6]


def test_without_a_method():
    with pytest.raises(NotImplementedError, match="'__ms_dispatch__' must be defined"), ms.MsDispatchMode():
        X + Y


def test_names_of_operations_are_shown():
    class Shows(ms.MsDispatchMode):
        def __ms_dispatch__(self, func, args, kwargs=None):
            assert repr(func) == f"<operation {func.name}>"
            return func(*args)

    with Shows():
        X + Y


def test_a_captured_function():
    seen = []
    double = ms.jit(lambda x: x * 2 + 1)
    double(X)
    with Log(seen):
        assert double(X).asnumpy().tolist() == [3, 5]
    assert [name for name in seen if name != "detach"] == ["mul", "add"]
