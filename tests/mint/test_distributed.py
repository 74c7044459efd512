"""`mint.distributed` in the one process that there is."""

from __future__ import annotations

import pytest

from torchspore import Tensor
from torchspore.mint import distributed

ALONE = {"P2POp", "barrier", "get_rank", "get_world_size", "is_available", "is_initialized"}


def test_one_process():
    assert not distributed.is_available()
    assert not distributed.is_initialized()
    assert distributed.get_rank() == 0
    assert distributed.get_world_size() == 1
    assert distributed.barrier() is None


@pytest.mark.parametrize("name", ["get_rank", "get_world_size", "barrier"])
def test_groups_are_refused(name):
    with pytest.raises(NotImplementedError, match=f"For '{name}'"):
        getattr(distributed, name)("group")


@pytest.mark.parametrize("name", sorted(set(distributed.__all__) - ALONE))
def test_what_needs_several_processes_says_what_to_use(name):
    with pytest.raises(NotImplementedError, match=f"For '{name}', a program of TorchSpore is one process.*torchrun"):
        getattr(distributed, name)(Tensor([1.0]), 0)


@pytest.mark.parametrize("op", ["isend", distributed.irecv])
def test_point_to_point_operations_are_noted(op):
    x = Tensor([1.0])
    noted = distributed.P2POp(op, x, 1)
    assert noted.tensor is x
    assert (noted.op, noted.peer) == (op if isinstance(op, str) else "irecv", 1)


@pytest.mark.parametrize("args", [("a", Tensor(1.0), 1), ("isend", 1.0, 1), ("isend", Tensor(1.0), "a")])
def test_wrong_operations(args):
    with pytest.raises(TypeError, match="For 'P2POp'"):
        distributed.P2POp(*args)
