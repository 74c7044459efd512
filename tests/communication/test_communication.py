"""`communication` in a single process, and its errors; two processes are in `tests/mint`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import torchspore as ms
from torchspore import Tensor, communication, mint, ops
from torchspore.communication import comm_func


@pytest.fixture
def world():
    communication.init()
    yield
    communication.release()


def test_a_world_of_one(world):
    communication.init("hccl")
    assert communication.GlobalComm.INITED
    assert communication.GlobalComm.WORLD_COMM_GROUP == "hccl_world_group"
    assert (communication.get_rank(), communication.get_group_size()) == (0, 1)
    assert (communication.get_local_rank(), communication.get_local_rank_size()) == (0, 1)
    assert communication.get_comm_name()
    communication.create_group("own", [0])
    assert communication.get_group_size("own") == 1
    communication.destroy_group("own")
    result, handle = comm_func.all_reduce(Tensor([1.0, 2.0]))
    assert (result.asnumpy().tolist(), handle) == ([1, 2], None)


def test_release():
    communication.init()
    communication.release()
    assert not communication.GlobalComm.INITED


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: communication.init(3), TypeError, "'backend_name' must be a string"),
        (lambda: communication.init("gloo"), ValueError, "'backend_name' must be 'hccl', 'nccl' or 'mccl'"),
        (lambda: communication.get_rank(3), TypeError, "'group' must be the name of a group"),
        (lambda: communication.get_rank("none"), ValueError, "there is no group 'none'"),
        (lambda: communication.get_world_rank_from_group_rank("hccl_world_group", "a"), TypeError, "must be an int"),
        (lambda: communication.create_group("a", [0], object()), NotImplementedError, "'options' is not supported"),
        (lambda: communication.create_group(3, [0]), TypeError, "'group' must be a string"),
        (lambda: communication.create_group("a", 0), TypeError, "'rank_ids' must be a list of ints"),
        (lambda: communication.create_group("a", ["0"]), TypeError, r"'rank_ids\[0\]' must be an int"),
        (lambda: communication.create_group("a", []), ValueError, "a list that names each member once"),
        (lambda: communication.create_group("a", [0, 0]), ValueError, "a list that names each member once"),
        (lambda: communication.create_group("a", [1]), ValueError, "only members create a group"),
        (lambda: communication.create_group("hccl_world_group", [0]), ValueError, "exists already"),
        (lambda: communication.destroy_group("hccl_world_group"), ValueError, "Use 'release'"),
        (lambda: communication.destroy_group("none"), ValueError, "there is no group 'none'"),
        (lambda: comm_func.P2POp("irecv", (2,), 0), TypeError, "'recv_dtype' must be a data type"),
        (lambda: comm_func.P2POp("irecv", 2, 0, recv_dtype=ms.float32), TypeError, "'tensor' must be a Tensor"),
    ],
)
def test_errors(world, call, error, message):
    with pytest.raises(error, match=message):
        call()


TENSOR = Tensor([1.0, 2.0])
TO_NOBODY = {
    "send": lambda rank: mint.distributed.send(TENSOR, rank),
    "recv": lambda rank: mint.distributed.recv(TENSOR, rank),
    "isend": lambda rank: mint.distributed.isend(TENSOR, rank),
    "irecv": lambda rank: mint.distributed.irecv(TENSOR, rank),
    "send_object_list": lambda rank: mint.distributed.send_object_list([1], rank),
    "recv_object_list": lambda rank: mint.distributed.recv_object_list([1], rank),
    "batch_isend_irecv": lambda rank: mint.distributed.batch_isend_irecv(
        [mint.distributed.P2POp("isend", TENSOR, rank)]
    ),
    "Send": lambda rank: ops.Send(0, rank)(TENSOR),
    "Receive": lambda rank: ops.Receive(0, rank, (2,), ms.float32)(TENSOR),
    "BatchISendIRecv": lambda rank: ops.BatchISendIRecv(["isend"], [rank])((TENSOR,)),
}


@pytest.mark.parametrize("rank", [0, 1, -1], ids=["itself", "unknown", "negative"])
@pytest.mark.parametrize("name", TO_NOBODY)
def test_sending_to_nobody_is_an_error_at_once(world, name, rank):
    with pytest.raises(ValueError, match=rf"For '{name}', .* must be .*, but got {rank}\."):
        TO_NOBODY[name](rank)


def test_a_single_process_need_not_connect():
    asked = ("get_rank", "get_group_size", "get_local_rank", "get_local_rank_size")
    assert [getattr(communication, name)() for name in asked] == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("variables", "numbers"),
    [
        ({"WORLD_SIZE": "4", "RANK": "3", "LOCAL_WORLD_SIZE": "2", "LOCAL_RANK": "1"}, [3, 4, 1, 2]),
        ({"RANK_SIZE": "2", "RANK_ID": "1"}, [1, 2, 0, 1]),
    ],
)
def test_programs_may_ask_before_they_connect(variables, numbers, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    asked = ("get_rank", "get_group_size", "get_local_rank", "get_local_rank_size")
    assert [getattr(communication, name)() for name in asked] == numbers


@pytest.mark.parametrize(("name", "arguments"), [("release", ()), ("get_rank", ("other",)), ("get_comm_name", ())])
def test_several_processes_must_connect(name, arguments, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(RuntimeError, match=f"For '{name}', the processes are not connected"):
        getattr(communication, name)(*arguments)


LEAVES_BY_ITSELF = """
import atexit
import torch.distributed
from torchspore import communication
atexit.register(lambda: print(torch.distributed.is_initialized()))
communication.init()
communication.create_group("alone", [0])
"""


@pytest.mark.slow
def test_a_program_leaves_its_groups_when_it_ends():
    ran = subprocess.run([sys.executable, "-W", "error", "-c", LEAVES_BY_ITSELF], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("False\n", "", 0)
