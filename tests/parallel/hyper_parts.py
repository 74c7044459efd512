"""A program with the smaller parts of MindSpore's library `hyper_parallel`, which `test_hyper_parallel` starts."""

import json
import pathlib
import sys

import mindspore as ms
import numpy as np
from hyper_parallel import (
    BatchDimSpec,
    DeviceMesh,
    DTensor,
    Layout,
    PipelineStage,
    Replicate,
    ScheduleGPipe,
    Shard,
    ShardingPlan,
    get_platform,
    get_process_group_ranks,
    hsdp,
    init_device_mesh,
    shard_module,
    split_group,
)
from hyper_parallel.core.checkpoint import get_global_layout, load, load_checkpoint, save, save_checkpoint
from hyper_parallel.core.dtensor import distribute_tensor
from mindspore import Tensor, mint, nn, ops

FOLDER = pathlib.Path(sys.argv[1])
MESH = init_device_mesh("npu", (2,), mesh_dim_names=("dp",))  # which connects the processes
PLATFORM = get_platform()
RANK = PLATFORM.get_rank()


def of_numbers(*shape):
    return distribute_tensor(Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape)), MESH, (Shard(0),))


def local(tensor):
    return tensor.to_local().asnumpy().tolist()


def meshes():
    alone = init_device_mesh("npu", (1, 1), ("dp", "tp"))  # one of each process
    other = init_device_mesh("npu", (1,), rank_list=(1,))  # in which the first process is not
    group = ops.AllReduce(group=MESH.get_group("dp"))(Tensor([1.0]))
    found = DeviceMesh.from_group(split_group(split_ranks=[[0, 1]]), "npu", mesh_dim_names=("tp",))
    return [
        alone.rank_list == (RANK,), alone["tp"].mesh_shape, alone.flatten().size(), other.get_coordinate(),
        alone["tp"].root_mesh is alone, group.asnumpy().tolist(), found["tp"].rank_list,
        DeviceMesh("npu", Tensor([[0], [1]]), mesh_dim_names=("a", "b")).mesh_shape,
    ]  # fmt: skip


def groups():
    name = PLATFORM.create_group([0, 1])
    found = [None, None]
    PLATFORM.all_gather_object(found, RANK)
    return [name, get_process_group_ranks(name), PLATFORM.create_group([0, 1]) == name, found]


def redistributed():
    grid = init_device_mesh("npu", (1, 2), ("dp", "tp"))
    x = of_numbers(2, 2)
    there = x.redistribute(grid, (Replicate(), Shard(1)))
    gradient = ms.grad(lambda x: (x.redistribute(grid, (Replicate(), Shard(1))) ** 2).sum())(x)
    return [local(there), there.device_mesh.ndim, gradient.placements == (Shard(0),), local(gradient)]


def layouts():
    x = of_numbers(4, 2)
    made = Layout((2,), ("dp",))("None", "dp")
    y = DTensor.from_local(Tensor(np.ones((4, 1), np.float32)), made.mesh, made.placements)
    return [x.layout.tensor_map, x.layout.mesh == MESH, y.layout == made, made.get_global_shape((4, 1))]


def mixed():
    """Return what comes of a DTensor with a Tensor and a Parameter that do not lie on the mesh."""
    weight = ms.Parameter(Tensor([1.0, 2.0]), name="weight")
    x = of_numbers(4, 2)
    value, (gradient,) = ms.value_and_grad(
        lambda x: (x * weight * Tensor([1.0]) + Tensor([1.0, 0.0])).sum(), None, [weight]
    )(x)
    nn.SGD([weight], 0.5)((gradient,))
    return [float(value), gradient.asnumpy().tolist(), isinstance(gradient, DTensor), weight.asnumpy().tolist()]


def numbers():
    """Return numbers of tensors of which each process has only a part: all processes see the same."""
    x = of_numbers(4)
    ids = distribute_tensor(Tensor([1, 0, 0, 4], ms.int64), MESH, (Shard(0), Replicate()))  # more than dimensions
    return [int(x.sum()), bool((x > 2.5).any()), mint.nn.functional.one_hot(ids).shape, ops.max(x)[0].item()]


def saved():
    """Return a state that was cut along the rows when it was written, and lies in other ways when it is read."""
    state = {"x": of_numbers(4, 2), "y": Tensor([1.0, 2.0]), "of": {"step": 3, "z": of_numbers(2)}}
    metadata = save(state, checkpoint_id=FOLDER / "parts")
    x = DTensor.from_local(Tensor(np.zeros((4, 1), np.float32)), MESH, (Shard(1),))
    z = distribute_tensor(Tensor([0.0, 0.0]), MESH, (Replicate(),))
    found = {"x": x, "y": Tensor([0.0, 0.0]), "of": {"step": 0, "z": z}}
    load(found, checkpoint_id=FOLDER / "parts")
    names = sorted(metadata.state_dict_metadata)
    return [names, local(found["x"]), found["y"].asnumpy().tolist(), found["of"]["step"], local(found["of"]["z"])]


def files():
    net = nn.SequentialCell(nn.Dense(2, 4), nn.Dense(4, 2))
    # The first cell with a parameter of the name, and one by its path
    shard_module(net, MESH, ShardingPlan({"weight": (Shard(0),), "1.bias": (Shard(0),)}))
    save_checkpoint(net, FOLDER / f"new/{RANK}.safetensors")
    found = load_checkpoint(FOLDER / f"new/{RANK}.safetensors")
    of_first = get_global_layout(net)["0"]
    shapes = {name: parameter.shape for name, parameter in sorted(found.items())}
    return [shapes, {name: layout["tensor_map"] for name, layout in of_first.items()}, of_first["0.weight"]["type"]]


def pipelined():
    """Return the outputs for the halves of a batch along the second dimension, and gradients that are added up."""

    class Scale(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = ms.Parameter(Tensor([2.0]))

        def construct(self, x):
            return x * self.weight

    net = Scale()
    stage = PipelineStage(net, RANK, 2)
    schedule = ScheduleGPipe(stage, 2, args_batch_dim=[BatchDimSpec(1)])
    x = Tensor(np.arange(4, dtype=np.float32).reshape(1, 4))
    outputs, sums = [], []
    for _ in range(2):
        outputs = schedule.run(x) if RANK == 0 else schedule.run()
        sums.append(float(net.weight.grad))
    taken = float(stage.gradients()[0])
    return [[output.asnumpy().tolist() for output in outputs], sums, taken, hasattr(net.weight, "grad")]


def cleared():
    """Return what is left of gradients that a schedule has added up in a cell that lies on both processes."""
    net = hsdp(nn.Dense(2, 2, "ones", has_bias=False))
    schedule = ScheduleGPipe(PipelineStage(net, 0, 1, group=PLATFORM.create_group([RANK])), 1)
    found = []
    for _ in range(2):
        net.zero_grads()
        found.append(hasattr(net.weight, "grad"))
        schedule.run(Tensor([[RANK, 1.0]]))
        found.append(local(net.weight.grad))
    return found


for case in (meshes, groups, redistributed, layouts, mixed, numbers, saved, files, pipelined, cleared):
    print(json.dumps([case.__name__, case()]), flush=True)
mint.distributed.destroy_process_group()
