"""Communication: in two processes, and in a single one."""

from __future__ import annotations

import pytest

from processes import results_of
from torchspore import Tensor, ops
from torchspore.mint import distributed
from torchspore.ops.distributed import functions as communication

# Code that both processes run, and what `result` is then in each. `x` is [1, 2] in the first and [2, 4] in the second.
ROWS = [
    ("result = [dist.get_rank(), dist.get_world_size(), dist.is_initialized()]", [0, 2, True], [1, 2, True]),
    ("result = [dist.get_backend(), dist.get_process_group_ranks()]", ["gloo", [0, 1]], ["gloo", [0, 1]]),
    ("result = dist.all_reduce(x)", None, None),
    ("dist.all_reduce(x); result = x", [3, 6], [3, 6]),
    ("handle = dist.all_reduce(x, 'max', async_op=True); handle.wait(); result = x", [2, 4], [2, 4]),
    ("dist.all_reduce(x, 'prod'); result = x", [2, 8], [2, 8]),
    ("dist.reduce(x, 1); result = x", [1, 2], [3, 6]),
    ("dist.broadcast(x, 1); result = x", [2, 4], [2, 4]),
    ("result = [zeros(2), zeros(2)]; dist.all_gather(result, x)", [[1, 2], [2, 4]], [[1, 2], [2, 4]]),
    ("result = zeros(4); dist.all_gather_into_tensor(result, x)", [1, 2, 2, 4], [1, 2, 2, 4]),
    ("result = zeros(3); dist.all_gather_into_tensor_uneven(result, x[:rank + 1], [1, 2])", [1, 2, 4], [1, 2, 4]),
    ("result = zeros(1); dist.reduce_scatter(result, [x[:1], x[1:]])", [3], [6]),
    ("result = zeros(1); dist.reduce_scatter_tensor(result, x)", [3], [6]),
    ("result = zeros(1 + rank); dist.reduce_scatter_tensor_uneven(result, Tensor([1., 2, 3]), [1, 2])", [2], [4, 6]),
    ("result = [zeros(2), zeros(2)]; dist.gather(x, result)", [[1, 2], [2, 4]], [[0, 0], [0, 0]]),
    ("result = zeros(4); communication.gather_into_tensor(result, x)", [1, 2, 2, 4], [0, 0, 0, 0]),
    ("result = zeros(1); dist.scatter(result, [x[:1], x[1:]], 1)", [2], [4]),
    ("result = zeros(1); communication.scatter_tensor(result, x, 1)", [2], [4]),
    (
        "given = [Tensor(1.), Tensor([[2, 3], [4, 5.]])] if rank == 0 else [x, Tensor([4, 5, 6, 7.])]\n"
        "result = [zeros(), zeros(2)] if rank == 0 else [zeros(2, 2), zeros(4)]\n"
        "dist.all_to_all(result, given)",
        [1, [2, 4]], [[[2, 3], [4, 5]], [4, 5, 6, 7]],
    ),
    (
        "result = zeros(3 - rank, 1)\n"
        "given = Tensor(np.arange(3 - rank, dtype=np.float32)[:, None]) + 10 * rank\n"
        "sizes = [[2, 1], [1, 1]][rank]\n"
        "dist.all_to_all_single(result, given, sizes, sizes)",
        [[0], [1], [10]], [[2], [11]],
    ),
    ("result = zeros(2); dist.all_to_all_single(result, x)", [1, 2], [2, 4]),
    (
        "result = zeros(3); communication.all_to_all_v_c(result, Tensor([0., 1, 2]) + 10 * rank, [1, 2, 2, 1])",
        [0, 10, 11], [1, 2, 12],
    ),
    ("dist.send(x, 1) if rank == 0 else dist.recv(x, 0); result = x", [1, 2], [1, 2]),
    ("(dist.isend(x, 1) if rank == 0 else dist.irecv(x, 0)).wait(); result = x", [1, 2], [1, 2]),
    (
        "result = zeros(2)\n"
        "todo = [dist.P2POp('isend', x, 1 - rank), dist.P2POp(dist.irecv, result, 1 - rank)]\n"
        "for handle in dist.batch_isend_irecv(todo): handle.wait()",
        [2, 4], [1, 2],
    ),
    ("result = zeros(2); todo = [dist.P2POp('isend', x, 1 - rank), dist.P2POp('irecv', result, 1 - rank)]\n"
     "dist.batch_isend_irecv(todo)", [2, 4], [1, 2]),
    ("result = dist.barrier()", None, None),
    ("result = [None, None]; dist.all_gather_object(result, {'rank': rank})", [{"rank": 0}, {"rank": 1}],
     [{"rank": 0}, {"rank": 1}]),
    ("result = [None, None]; dist.gather_object(rank, result)", [0, 1], [None, None]),
    ("result = [rank, 'a']; dist.broadcast_object_list(result, 1)", [1, "a"], [1, "a"]),
    ("result = [None]; dist.scatter_object_list(result, ['a', 'b'])", ["a"], ["b"]),
    ("result = [rank]; dist.send_object_list(result, 1) if rank == 0 else dist.recv_object_list(result)", [0], [0]),
    # groups; torch cannot make one again that has been taken apart, so this one stays
    ("comm.create_group('pair', [1, 0])\nresult = [comm.get_rank('pair')]\n"
     "result += [comm.get_group_rank_from_world_rank(1, 'pair'), comm.get_world_rank_from_group_rank('pair', 0)]",
     [0, 1, 0], [1, 1, 0]),
    ("comm.create_group('short', [0, 1]); comm.destroy_group('short'); result = dist.is_initialized()", True, True),
    ("result = comm.get_comm_name() == comm.get_comm_name(comm.HCCL_WORLD_COMM_GROUP)", True, True),
    ("g = dist.new_group([0, 1]); result = [dist.get_rank(g), dist.get_global_rank(g, 1), dist.get_group_rank(g, 1)]",
     [0, 1, 1], [1, 1, 1]),
    ("dist.destroy_process_group(dist.new_group([0, 1])); result = dist.is_initialized()", True, True),
    # mindspore.communication
    ("comm.init(); result = [comm.get_rank(), comm.get_group_size(), comm.GlobalComm.INITED]", [0, 2, True],
     [1, 2, True]),
    ("result = [comm.get_local_rank(), comm.get_local_rank_size(), comm.get_process_group_ranks()]", [0, 2, [0, 1]],
     [1, 2, [0, 1]]),
    ("result = func.all_reduce(x, 'max')", [[2, 4], None], [[2, 4], None]),
    ("result, handle = func.all_reduce(x, async_op=True); handle.wait()", [3, 6], [3, 6]),
    ("result = func.all_gather_into_tensor(x)[0]", [1, 2, 2, 4], [1, 2, 2, 4]),
    ("result = func.reduce_scatter_tensor(x)[0]", [3], [6]),
    ("result = [func.reduce(x, 1), x]", [[0], [1, 2]], [[3, 6], [2, 4]]),
    ("result = [func.broadcast(x, 1), x]", [[2, 4], [1, 2]], [[2, 4], [2, 4]]),
    ("result = func.gather_into_tensor(x)", [1, 2, 2, 4], [0]),
    ("result = func.scatter_tensor(x, 1)", [2], [4]),
    ("func.send(x, 1) if rank == 0 else None; result = x if rank == 0 else func.recv(x, 0)", [1, 2], [1, 2]),
    ("result = x\nif rank == 0: func.isend(x, 1).wait()\nelse:\n  result, handle = func.irecv(x, 0); handle.wait()",
     [1, 2], [1, 2]),
    ("result = func.batch_isend_irecv([func.P2POp('isend', x, 1 - rank), func.P2POp('irecv', x, 1 - rank)])",
     [0, [2, 4]], [0, [1, 2]]),
    ("result = func.all_to_all_with_output_shape([(1,), x[:1]], [x[:1], x[1:]])[0]", [[1], [2]], [[2], [4]]),
    ("result = func.all_to_all_single_with_output_shape((2,), x)[0]", [1, 2], [2, 4]),
    ("result = dist.new_group([1])", "", "group_1"),
    ("g = dist.new_group([1]); result = [dist.get_rank(g), dist.get_world_size(g)]", [-1, -1], [0, 1]),
    ("g = dist.new_group([1])\nif g: dist.all_reduce(x, group=g)\nresult = x", [1, 2], [2, 4]),
    ("result = dist.new_group()", "mccl_world_group", "mccl_world_group"),
    # primitives, and the gradients of their results weighted
    ("result = ops.AllReduce()(x), x", [[3, 6], [1, 2]], [[3, 6], [2, 4]]),
    ("result = ms.grad(lambda v: (ops.AllReduce()(v) * x).sum())(x)", [3, 6], [3, 6]),
    ("result = ms.grad(ms.grad(lambda v: (ops.AllReduce()(v) ** 2).sum() / 2))(x)", [4, 4], [4, 4]),
    ("result = ops.AllReduce('max')(x)", [2, 4], [2, 4]),
    ("result = ops.AllGather()(x)", [1, 2, 2, 4], [1, 2, 2, 4]),
    ("result = ms.grad(lambda v: (ops.AllGather()(v) * Tensor([1., 2, 3, 4])).sum())(x)", [2, 4], [6, 8]),
    ("result = ops.AllGatherV()(x[:rank + 1], [1, 2])", [1, 2, 4], [1, 2, 4]),
    ("result = ms.grad(lambda v: (ops.AllGatherV()(v, (1, 2)) ** 2).sum())(x[:rank + 1])", [4], [8, 16]),
    ("result = ops.ReduceScatter()(x)", [3], [6]),
    ("result = ms.grad(lambda v: ops.ReduceScatter()(v).sum() * (rank + 1))(x)", [1, 2], [1, 2]),
    ("result = ops.ReduceScatterV()(Tensor([1., 2, 3]), Tensor([1, 2]))", [2], [4, 6]),
    ("result = ops.Broadcast(1)((x,))", [[2, 4]], [[2, 4]]),
    ("result = ms.grad(lambda v: ops.Broadcast(1)((v,))[0].sum())(x)", [0, 0], [2, 2]),
    ("result = ops.Reduce(1)(x)", [0], [3, 6]),
    ("result = ops.CollectiveGather(1)(x)", [0], [1, 2, 2, 4]),
    ("result = ops.CollectiveScatter(1)(x)", [2], [4]),
    ("result = ops.AlltoAll(2, 0, 1)(x.reshape(2, 1))", [[1, 2]], [[2, 4]]),
    ("result = ms.grad(lambda v: (ops.AlltoAll(2, 0, 1)(v) * x).sum())(x.reshape(2, 1))", [[1], [2]], [[2], [4]]),
    ("n = [[1, 2], [2, 1]][rank]; result = ops.AlltoAllV()(Tensor([0., 1, 2]) + 3 * rank, n, n)", [0, 3, 4], [1, 2, 5]),
    ("result = ops.AlltoAllVC()(Tensor([0., 1, 2]) + 3 * rank, [1, 2, 2, 1])", [0, 3, 4], [1, 2, 5]),
    ("result = ops.AlltoAllVC()(Tensor([0., 1, 2]) + 3 * rank, Tensor([[1, 2], [2, 1]]))", [0, 3, 4], [1, 2, 5]),
    ("result = ops.Send(0, 1)(x) if rank == 0 else ops.Receive(0, 0, [2], ms.float32)(x)", [1, 2], [1, 2]),
    ("result = ops.BatchISendIRecv(('isend', 'irecv'), [1 - rank] * 2, [(2,)], (ms.float32,))((x,))",
     [0, [2, 4]], [0, [1, 2]]),
    ("result = ops.NeighborExchange([1 - rank], [1 - rank], ([2],), ([2],), ms.float32)((x,))", [[2, 4]], [[1, 2]]),
    ("n = [-1] * 4 + [1] + [-1] * 3, [0, 1, 0, 0]\nn = n if rank == 0 else ([0] + [-1] * 7, [1, 0, 0, 0])\n"
     "image = x.reshape(1, 1, 2, 1)\nresult = ops.NeighborExchangeV2(*n, *n, 'NCHW')(image).flatten()",
     [1, 2, 2], [2, 2, 4]),
    ("n = [-1] * 4 + [1] + [-1] * 3, [0, 1, 0, 0]\nn = n if rank == 0 else ([0] + [-1] * 7, [1, 0, 0, 0])\n"
     "image = x.reshape(1, 1, 2, 1)\nnet = ops.NeighborExchangeV2(*n, *n, 'NCHW')\n"
     "result = ms.grad(lambda v: (net(v) ** 2).sum())(image).flatten()", [2, 8], [8, 8]),
    ("n = [-1] * 3 + [1] + [-1] * 4, [0, 1, 0, 1]\nn = n if rank == 0 else ([-1] * 7 + [0], [1, 0, 1, 0])\n"
     "image = x.reshape(1, 1, 1, 2)\nresult = ops.NeighborExchangeV2(*n, *n, 'NCHW')(image).reshape(2, 3)",
     [[1, 2, 0], [0, 0, 2]], [[2, 0, 0], [0, 2, 4]]),
    ("result = ops.Barrier()()", None, None),
    # gradients of all processes
    ("w = ms.Parameter(x); result = ms.nn.DistributedGradReducer([w])((x,))", [[3, 6]], [[3, 6]]),
    ("w = ms.Parameter(x); result = ms.nn.DistributedGradReducer([w], True)((x,))", [[1.5, 3]], [[1.5, 3]]),
    ("w = ms.Parameter(x, layerwise_parallel=True); result = ms.nn.DistributedGradReducer([w], True)((x,))",
     [[1, 2]], [[2, 4]]),
    ("w = ms.Parameter(x); ms.set_auto_parallel_context(gradients_mean=True, device_num=4)\n"
     "result = ms.nn.DistributedGradReducer([w])((x,)); ms.reset_auto_parallel_context()",
     [[0.75, 1.5]], [[0.75, 1.5]]),
    ("ms.set_auto_parallel_context(force_fp32_communication=True); x = x.astype(ms.float16); w = ms.Parameter(x)\n"
     "found = ms.nn.DistributedGradReducer([w])((x,))[0]; ms.reset_auto_parallel_context()\n"
     "result = [found.astype(ms.float32), found.dtype == ms.float16]", [[3, 6], True], [[3, 6], True]),
    ("result = [ms.get_auto_parallel_context('device_num'), ms.get_auto_parallel_context('global_rank')]",
     [2, 0], [2, 1]),
    (
        "ms.set_auto_parallel_context(parallel_mode='data_parallel', gradients_mean=True, parameter_broadcast=True)\n"
        "net = ms.nn.Dense(2, 1, x[None], has_bias=False)\n"
        "loss = ms.nn.WithLossCell(net, lambda out, label: (out - label).sum())\n"
        "step = ms.nn.TrainOneStepCell(loss, ms.nn.SGD(net.trainable_params(), 1.0))\n"
        "step(x[None], Tensor([[0.]])); result = [net.weight.value()]; ms.reset_auto_parallel_context()",
        [[[-0.5, -1]]], [[[-0.5, -1]]],
    ),
    (
        "ms.set_auto_parallel_context(parallel_mode='data_parallel', gradients_mean=True)\n"
        "net = ms.nn.Dense(2, 1, Tensor([[1., 1]]), has_bias=False)\n"
        "loss = ms.nn.WithLossCell(net, lambda out, label: (out - label).sum())\n"
        "freeze = ms.boost.FreezeOpt(ms.nn.SGD(net.trainable_params(), 1.0))\n"
        "step = ms.boost.BoostTrainOneStepCell(loss, freeze)\n"
        "step(x[None], Tensor([[0.]])); result = [net.weight.value()]; ms.reset_auto_parallel_context()",
        [[[-0.5, -2]]], [[[-0.5, -2]]],
    ),
    # an overflow in one process is one in all: none waits for another
    (
        "ms.set_auto_parallel_context(parallel_mode='data_parallel')\n"
        "net = ms.nn.Dense(2, 1, Tensor([[1., 1]]), has_bias=False)\n"
        "loss = ms.nn.WithLossCell(net, lambda out, label: (out - label).sum())\n"
        "step = ms.nn.TrainOneStepWithLossScaleCell(loss, ms.nn.SGD(net.trainable_params(), 1.0), Tensor(4.))\n"
        "found = step(x[None] / Tensor(float(rank)), Tensor([[0.]]))\n"
        "result = [found[1], net.weight.value()]; ms.reset_auto_parallel_context()",
        [True, [[1, 1]]], [True, [[1, 1]]],
    ),
    # matrix products of the rows of all
    ("result = ops.all_gather_matmul(x[None], Tensor([[1., 3], [0, 1]]), 'hccl_world_group', 2)",
     [[[1, 5], [2, 10]], [[1, 2], [2, 4]]], [[[1, 5], [2, 10]], [[1, 2], [2, 4]]]),
    ("result = ops.all_gather_matmul(x[None], Tensor([[1., 3]]), 'hccl_world_group', 2, trans_x2=True, "
     "gather_output=False)", [[[7], [14]], []], [[[7], [14]], []]),
    ("w = Tensor([[1.], [3]])\n"
     "result = ms.grad(lambda v: ops.all_gather_matmul(v, w, 'hccl_world_group', 2)[0].sum())(x[None])",
     [[2, 6]], [[2, 6]]),
    ("result = ops.matmul_reduce_scatter(x[:, None], Tensor([[1., 10]]), 'hccl_world_group', 2)", [[3, 30]], [[6, 60]]),
    ("result = ops.matmul_reduce_scatter(x[:, None], Tensor([[1.], [10]]), 'hccl_world_group', 2, trans_x2=True)",
     [[3, 30]], [[6, 60]]),
]  # fmt: skip

# Functions of `x` whose graphs exchange data.
GRAPHS = [
    "return ops.AllReduce()(x) + 1",
    "y = x * 2; dist.all_reduce(y); return y",
    "y = x * 2; handle = dist.all_reduce(y, 'max', async_op=True); handle.wait(); return y",
    "y = x * 2; dist.broadcast(y, 1); return y",
    "y = zeros(4); dist.all_gather_into_tensor(y, x); return y",
    "y = [zeros(2), zeros(2)]; dist.all_gather(y, x); return y[0] - 2 * y[1]",
    "y = zeros(1); dist.reduce_scatter_tensor(y, x); return y",
    "y = zeros(1); dist.reduce_scatter(y, [x[:1], x[1:]]); return y",
    "y = zeros(2); dist.all_to_all_single(y, x); return y",
    "y = [zeros(1), zeros(1)]; dist.all_to_all(y, [x[:1], x[1:]]); return y[0] + y[1]",
    "return ms.grad(lambda v: (ops.AllGather()(v) ** 2).sum())(x)",
    "return ms.grad(lambda v: (ops.ReduceScatter()(v) ** 2).sum())(x)",
    "return ops.Broadcast(1)((x,))[0] * 2",
    "return ops.AlltoAll(2, 0, 1)(x.reshape(2, 1))",
    "return func.all_reduce(x)[0] - func.all_gather_into_tensor(x)[0][:2]",
]


def graph_row(code):
    """Return the row that compares two calls of a graph with a plain one."""
    return (
        f"def f(x):\n    {code}\ng = ms.jit(f)\n"
        "first, second, plain = [y.asnumpy().tolist() for y in (g(x), g(x * 3), f(x * 3))]\n"
        "result = [plain == second != first, g.captures]",
        [True, 1],
        [True, 1],
    )


EVERY = [*ROWS, *map(graph_row, GRAPHS)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(tmp_path_factory.mktemp("rows"), [code for code, *_ in EVERY])


@pytest.mark.slow
@pytest.mark.parametrize("row", range(len(EVERY)), ids=[code.replace("\n", "; ") for code, *_ in EVERY])
def test_two_processes(results, row):
    assert [results[0][row], results[1][row]] == list(EVERY[row][1:])


# Exchanges that differ in the two processes, and what each starts.
DIFFERENT = [
    ("dist.all_reduce(x[: rank + 1])", "all_reduce(1 elements of Float32, sum)",
     "all_reduce(2 elements of Float32, sum)"),
    ("dist.all_reduce(x, ['sum', 'max'][rank])", None, "all_reduce(2 elements of Float32, max)"),
    ("dist.reduce(x, rank)", None, "reduce(2 elements of Float32, sum, to 1)"),
    ("dist.broadcast(x.astype([ms.float32, ms.int64][rank]), 0)", None, "broadcast(2 elements of Int64, from 0)"),
    ("dist.barrier() if rank else dist.all_gather([zeros(2), zeros(2)], x)", None, "barrier()"),
    ("dist.gather(x, [zeros(2), zeros(2)], rank)", None, "gather(2 elements of Float32, to 1)"),
    ("dist.scatter(zeros(2), [x, x], rank)", None, "scatter(2 elements of Float32, from 1)"),
    ("dist.broadcast_object_list([0], rank)", None, "broadcast_object_list(1, from 1)"),
    ("ops.AllReduce('max' if rank else 'sum')(x)", None, "AllReduce(2 elements of Float32, max)"),
    ("ops.AllGather()(x[rank:])", None, "AllGather(1 elements of Float32)"),
    ("ops.ReduceScatter()(ops.cat([x] * (rank + 1)))", None, "ReduceScatter(4 elements of Float32, sum)"),
    ("ops.Broadcast(rank)((x,))", None, "Broadcast(2 elements of Float32, from 1)"),
    ("ops.AlltoAll(2, 0, 0)(ops.cat([x] * (rank + 1)))", None, "AlltoAll(4 elements of Float32, 0, 0)"),
    ("ops.AlltoAllVC()(x, [[1, 1], [1, 1 - rank]])", None, "AlltoAllVC(Float32, [[1, 1], [1, 0]])"),
]  # fmt: skip


@pytest.mark.slow
def test_different_exchanges_are_an_error_in_both_processes(tmp_path):
    rows = [f"try: {code}\nexcept ValueError as error: result = str(error)" for code, *_ in DIFFERENT]
    for found in results_of(tmp_path, [*rows, "dist.all_reduce(x); result = x"]):
        assert found.pop() == [3, 6]
        for (_, first, second), error in zip(DIFFERENT, found, strict=True):
            assert "all processes of a group must start the same exchange, but by rank they start 0: " in error
            assert first is None or first in error
            assert f", 1: {second}. Give all of them the same arguments" in error


@pytest.fixture
def alone():
    distributed.init_process_group()
    yield
    distributed.destroy_process_group()


def test_before_the_start():
    assert distributed.is_available()
    assert not distributed.is_initialized()
    assert (distributed.get_rank(), distributed.get_world_size()) == (0, 1)
    with pytest.raises(RuntimeError, match=r"For 'all_reduce'.*init_process_group"):
        distributed.all_reduce(Tensor([1.0]))


@pytest.mark.usefixtures("alone")
def test_a_world_of_one():
    assert distributed.is_initialized()
    x, results = Tensor([1.0, 2.0]), [Tensor([0.0, 0.0])]
    assert distributed.all_reduce(x) is None
    distributed.all_gather(results, x)
    assert results[0].asnumpy().tolist() == x.asnumpy().tolist() == [1, 2]
    assert distributed.new_group([0]) == "group_0"
    with pytest.raises(ValueError, match="For 'get_rank', there is no group 'other'"):
        distributed.get_rank("other")


_IMAGE = ops.ones((1, 1, 2, 2))


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: distributed.all_reduce(x, "mean"), ValueError),
        (lambda x: distributed.all_reduce(1.0), TypeError),
        (lambda x: distributed.all_reduce(x, group=1), TypeError),
        (lambda x: distributed.new_group([0, 0]), TypeError),
        (lambda x: distributed.new_group([0], pg_options=1), NotImplementedError),
        (lambda x: distributed.batch_isend_irecv([x]), TypeError),
        (lambda x: communication.set_comm_ops_inplace(False), NotImplementedError),
        (lambda x: communication.set_comm_ops_inplace(1), TypeError),
        (lambda x: ops.AlltoAll(2, 0, 0)(x), ValueError),
        (lambda x: ops.NeighborExchangeV2([-1] * 7, [0] * 4, [-1] * 8, [0] * 4, "NCHW"), ValueError),
        (lambda x: ops.NeighborExchangeV2([-1] * 8, [0] * 4, [-1] * 8, [0, 0, 0, -1], "NCHW"), ValueError),
        (lambda x: ops.NeighborExchangeV2([0] * 8, [0] * 4, [-1] * 8, [0] * 4, "NCHW"), ValueError),
        (lambda x: ops.NeighborExchangeV2([-1] * 8, [0] * 4, [-1] * 8, [0] * 4, "NHWC"), ValueError),
        (lambda x: ops.NeighborExchangeV2((-1,) * 8, [0] * 4, [-1] * 8, [0] * 4, "NCHW"), TypeError),
        (lambda x: ops.NeighborExchangeV2([-1] * 8, [0] * 4, [-1] * 8, [0] * 4, "NCHW")(x), ValueError),
        (lambda x: ops.NeighborExchangeV2([5] + [-1] * 7, [0] * 4, [-1] * 8, [0] * 4, "NCHW")(_IMAGE), ValueError),
        (lambda x: ops.NeighborExchangeV2([0] + [-1] * 7, [3, 0, 0, 0], [-1] * 8, [0] * 4, "NCHW")(_IMAGE), ValueError),
    ],
)
def test_wrong_arguments(function, error):
    with pytest.raises(error, match="For '"):
        function(Tensor([1.0]))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"backend": "mpi"}, ValueError),
        ({"world_size": 2}, ValueError),
        ({"pg_options": 1}, NotImplementedError),
        ({"init_method": "env://", "store": 1}, ValueError),
    ],
)
def test_wrong_worlds(arguments, error):
    with pytest.raises(error, match="For 'init_process_group'"):
        distributed.init_process_group(**arguments)


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
