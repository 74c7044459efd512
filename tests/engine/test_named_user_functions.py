"""Errors in functions that the user passed name these, not what runs them."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import nn, ops

X = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])


class Run(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, x):
        return self.function(x)


@pytest.mark.parametrize(
    "run",
    [
        lambda function: ops.Map()(function, (X,)),
        lambda function: ops.HyperMap()(function, (X,)),
        lambda function: ops.Partial()(function, X)(),
        lambda function: ops.ForiLoop()(0, 1, lambda i, x: function(x), X),
        lambda function: ops.PyFunc(lambda x: function(X).asnumpy(), [ms.float32], [(2, 2)], [ms.float32], [(7,)])(
            (X,)
        ),
        lambda function: nn.SequentialCell(Run(function))(X),
    ],
)
def test_the_function_is_named(run):
    with pytest.raises(ValueError, match=r"^For 'reshape', "):
        run(lambda x: ops.reshape(x, (7,)))


def test_a_library_function_is_named():
    with pytest.raises(ValueError, match=r"^For 'reshape', "):
        ops.Map()(ops.reshape, (X,), ((7,),))


def test_einsum_takes_a_list():
    for operands in ([X, X], (X, X)):
        assert (ops.einsum("ij,jk->ik", operands).asnumpy() == (X @ X).asnumpy()).all()


@pytest.mark.parametrize("source", [[(None,)], ((None,),)])
def test_a_source_is_named(source):
    with pytest.raises(RuntimeError, match=rf"^For 'GeneratorDataset', the {type(source).__name__} that is read holds"):
        list(ms.dataset.GeneratorDataset(source, ["a"]))
