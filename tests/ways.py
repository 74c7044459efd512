"""The ways that programs take through their branches on values, and whether two runs gave the same."""

from __future__ import annotations

import numpy as np

from torchspore import Tensor
from torchspore.common.np_dtype import standard_array
from torchspore.common.sparse_base import Sparse
from torchspore.engine.values.nested import map_tensors


def arrays(tree):
    """Return nested results with copies of the arrays in the place of the tensors; bfloat16 as float32."""
    return map_tensors(lambda tensor: standard_array(tensor).copy(), tree)


def assert_same(found, expected):
    """Check that nested results are of the same build, the same types and the same values."""
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert_same(list(found.items()), list(expected.items()))
    elif isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected):
            assert_same(ours, theirs)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7, strict=True)
    elif isinstance(expected, Sparse):
        assert_same((found.shape, found.parts), (expected.shape, expected.parts))
    else:
        assert found == expected or (found != found and str(found) == str(expected))  # nan


class Ways:
    """The ways that plain runs take: the answers to their questions about values.

    Attributes:
        seen: the different ones.
    """

    def __init__(self, monkeypatch):
        self.seen = set()
        self._answers = []
        for name in ("__bool__", "__int__", "__index__"):
            monkeypatch.setattr(Tensor, name, self._recording(getattr(Tensor, name)))

    def _recording(self, ask):
        def recorded(tensor):
            answer = ask(tensor)
            self._answers.append(answer)
            return answer

        return recorded

    def run(self, function, *args):
        """Call a function; return its result."""
        self._answers = []
        result = function(*args)
        self.seen.add(tuple(self._answers))
        return result


def mixed(inputs):
    """Return every input twice: in order, then backwards."""
    return [*inputs, *reversed(inputs)]
