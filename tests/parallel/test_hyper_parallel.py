"""The smaller parts of the library `hyper_parallel`: files, groups, layouts, descriptions of schedules."""

from __future__ import annotations

import importlib
import json
import pathlib
from typing import Any

import numpy as np
import pytest
from torch.distributed.tensor import Partial, Replicate, Shard

import torchspore as ms
from processes import outputs_as_mindspore
from torchspore.common.names.unsupported import unsupported
from torchspore.parallel.mesh import hyper_parallel
from torchspore.parallel.mesh.batches import BatchDimSpec
from torchspore.parallel.mesh.hyper_parallel import checkpoints, platforms, resharding, schedules
from torchspore.parallel.mesh.layouts import Layout

# What the program prints; a tuple has what each process prints.
PRINTED = {
    "meshes": ([True, [1], 1, None, True, [2.0], [0, 1], [2, 1]], [True, [1], 1, [0], True, [2.0], [0, 1], [2, 1]]),
    "groups": ["2-0-1", [0, 1], True, [0, 1]],
    "redistributed": ([[[0.0], [2.0]], 2, True, [[0.0, 2.0]]], [[[1.0], [3.0]], 2, True, [[4.0, 6.0]]]),
    "layouts": [[0, -1], True, True, [4, 2]],
    "mixed": [48.0, [12.0, 16.0], False, [-5.0, -6.0]],
    "numbers": [6, True, [4, 5], 3.0],
    "saved": (
        [["of.step", "of.z", "x", "y"], [[0.0], [2.0], [4.0], [6.0]], [1.0, 2.0], 3, [0.0, 1.0]],
        [["of.step", "of.z", "x", "y"], [[1.0], [3.0], [5.0], [7.0]], [1.0, 2.0], 3, [0.0, 1.0]],
    ),
    "files": [
        {"0.bias": [4], "0.weight": [2, 2], "1.bias": [1], "1.weight": [2, 4]},
        {"0.weight": [0, -1], "1.bias": [0]},
        "Float32",
    ],
    "pipelined": (
        [[], [12.0, 24.0], 24.0, False],
        [[[[0.0, 4.0]], [[8.0, 12.0]]], [12.0, 24.0], 24.0, False],
    ),
    "cleared": [False, [[1.0, 2.0]], False, [[1.0, 2.0]]],
}


@pytest.mark.slow
def test_two_processes(tmp_path: pathlib.Path) -> None:
    program = str(pathlib.Path(__file__).with_name("hyper_parts.py"))
    for rank, out in enumerate(outputs_as_mindspore(program, str(tmp_path))):
        found = dict(map(json.loads, out.splitlines()))
        assert found == {name: each[rank] if isinstance(each, tuple) else each for name, each in PRINTED.items()}


# Modules


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("", "DTensor"), ("core.checkpoint", "save"), ("core.checkpoint", "ReshardHandler"),
        ("core.checkpoint.layout", "load_layout"), ("core.activation_checkpoint", "checkpoint"),
        ("core.activation_checkpoint", "SwapManager"), ("core.dtensor", "_build_layout"), ("platform", "get_platform"),
        ("core.pipeline_parallel.scheduler", "MetaStep"), ("core.shard.ops.parallel_sort", "SortDistributedOp"),
        ("core.random", "_PhiloxState"), ("platform.mindspore.hsdp.scheduler", "MindSporeHSDPScheduler"),
    ],
)  # fmt: skip
def test_modules_have_the_names_that_programs_import(path: str, name: str) -> None:
    names = hyper_parallel.names_of(path)
    assert names is not None
    assert name in names


def test_other_modules_do_not_exist() -> None:
    assert hyper_parallel.names_of("core.unknown") is None


def test_a_class_may_derive_from_what_is_refused() -> None:
    internals: Any = importlib.import_module("torchspore.parallel.mesh.hyper_parallel.internals")
    kind = type("Mine", (internals.DistributedOp,), {})
    with pytest.raises(NotImplementedError, match="For 'DistributedOp', it is a rule of that library"):
        kind("Mine")
    assert set(unsupported(internals.__name__.removeprefix("torchspore."))) <= set(internals.__all__)


def test_the_platform_is_that_of_mindspore(monkeypatch: pytest.MonkeyPatch) -> None:
    platform: Any = platforms.get_platform()
    assert (platform.Tensor, platform.get_rank(), platform.get_world_size()) == (ms.Tensor, 0, 1)
    assert dict(platform.parameters_dict(ms.nn.Dense(1, 1))).keys() == {"weight", "bias"}
    assert platform.tensor_to_numpy(ms.Tensor([1.0])).tolist() == [1.0]
    monkeypatch.setenv("HYPER_PARALLEL_PLATFORM", "torch")
    with pytest.raises(NotImplementedError, match="HYPER_PARALLEL_PLATFORM='torch'"):
        platforms.get_platform()


# Layouts


@pytest.mark.parametrize(
    ("placements", "dims", "tensor_map"),
    [
        ([Shard(0), Shard(1)], 2, (1, 0)),
        ([Shard(1), Shard(0)], 2, (0, 1)),
        ([Replicate(), Shard(-1)], 3, (-1, -1, 0)),
        ([Partial("max"), Shard(0)], 2, (0, -1)),
        ([Replicate(), Replicate()], 0, ()),
    ],
)
def test_placements_and_maps(placements: Any, dims: int, tensor_map: Any) -> None:
    layout = Layout((4, 2), ("dp", "mp"), init_backend=False)(*placements)
    assert layout.placement_to_tensor_map(dims) == tensor_map
    assert layout.partial == [getattr(placement, "reduce_op", None) for placement in placements]
    layout.set_placements(None)
    back = [Shard(p.dim % dims) if isinstance(p, Shard) else p for p in placements]
    assert layout.tensor_map_to_placement() == layout.placements == back


def test_layouts_of_names_and_of_meshes() -> None:
    layout = Layout((4, 2), ("dp", "mp"), range(8, 16), init_backend=False)
    made = layout(("dp", "mp"), "None")
    assert (made.tensor_map, made.alias_tensor_map) == (((1, 0), -1), (("dp", "mp"), "None"))
    assert made.placements == [Shard(0), Shard(0)]
    assert made.get_global_shape((2, 3)) == (16, 3)
    assert made.to_dict()["mesh_shape"] == (4, 2)
    assert made.mesh.rank_list == tuple(range(8, 16))
    again = Layout.from_device_mesh(made.mesh)
    assert (again.mesh is made.mesh, again.tensor_map, again == made) == (True, None, False)
    assert {again(("dp", "mp"), "None"): 1}[made] == 1
    assert layout.tensor_map is None
    with pytest.raises(RuntimeError, match="process groups not initialized"):
        made.mesh.get_group("dp")


@pytest.mark.parametrize(
    ("placements", "dims", "message"),
    [
        ([Shard(5), Replicate()], 2, "out of bounds"),
        ([Shard(0), Shard(0)], 2, "the dimension 0 has been sharded by 'dp' already"),
        ([Replicate(), Replicate()], -1, "zero or a positive int, but got -1"),
    ],
)
def test_placements_that_have_no_map(placements: Any, dims: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Layout((2, 2), ("dp", "mp"))(placements).placement_to_tensor_map(dims)


# Parts for another layout


@pytest.mark.parametrize("target", [("dp", "mp"), ("None", "dp"), (("mp", "dp"), "None"), None])
@pytest.mark.parametrize("source", [("dp", "mp"), ("None", "mp"), (("dp", "mp"), "None"), None])
def test_parts_for_another_layout(source: Any, target: Any) -> None:
    if source is target is None:
        return
    whole = np.arange(64).reshape(8, 8)
    layouts = [
        None if names is None else Layout((4, 2), ("dp", "mp"), range(8, 16))(*names) for names in (source, target)
    ]
    wanted = set() if target is None else {8, 11, 15}
    for rank in wanted or {0}:
        handler = resharding.ReshardHandler("weight", whole.shape, *layouts, rank)
        needed = handler.infer_all_tensor_offset()
        areas = handler.global_union_area_map
        pieces = {r: whole[tuple(slice(*ends) for ends in areas[r])] for r in needed}
        place = handler.to_rank_list.index(handler.to_rank_id)
        own = resharding.infer_slice_area_by_rank(handler.to_mesh_shape, handler.to_tensor_map, place, whole.shape)
        assert (handler.get_real_tensor(pieces) == whole[tuple(slice(*ends) for ends in own)]).all()
        assert sum(piece.size for piece in pieces.values()) == whole[tuple(slice(*ends) for ends in own)].size


def test_parts_that_do_not_fit() -> None:
    layout = Layout((2,), ("dp",))("dp")
    with pytest.raises(ValueError, match="one of 'from_layout' and 'to_layout' must be given"):
        resharding.ReshardHandler("weight", (4,), None, None, 0)
    with pytest.raises(ValueError, match="must be one of the ranks"):
        resharding.ReshardHandler("weight", (4,), None, layout, 2)
    with pytest.raises(ValueError, match="cannot be cut into"):
        resharding.ReshardHandler("weight", (5,), layout, None, 0).infer_all_tensor_offset()
    handler = resharding.ReshardHandler("weight", (4,), layout, None, 0)
    handler.infer_all_tensor_offset()
    with pytest.raises(ValueError, match=r"needs an array of the shape \(2,\) of process 1, but got None"):
        handler.get_real_tensor({0: np.zeros(2)})


# Schedules


def steps_of(rank: int, *steps: tuple[str, int, int]) -> dict[int, list[schedules.MetaStep]]:
    return {rank: [schedules.MetaStep(micro, schedules.MetaStepType[kind], stage) for kind, micro, stage in steps]}


FORWARD_AND_BACK = {
    **steps_of(0, ("FWD", 0, 0), ("FWD_SEND", 0, 0), ("BWD_RECV", 0, 0), ("BWD", 0, 0)),
    **steps_of(1, ("FWD_RECV", 0, 1), ("FWD", 0, 1), ("BWD", 0, 1), ("BWD_SEND", 0, 1)),
}
WAITING = {
    **steps_of(0, ("BWD_RECV", 0, 0), ("FWD_SEND", 0, 0)),
    **steps_of(1, ("FWD_RECV", 0, 1), ("BWD_SEND", 0, 1)),
}


def test_a_schedule_that_can_be_run() -> None:
    found = schedules.validate_pipeline_execution(FORWARD_AND_BACK, chunk_num=1)
    names = ["Send_Receive_(0)->(1)_micro0_1th", "Send_Receive_(1)->(0)_micro0_1th"]
    assert found["formatted_operations"] == {"0": names, "1": names}
    assert (found["has_cycle"], found["cycle_path"], found["cycle_ranks"]) == (False, None, None)


def test_a_schedule_whose_processes_wait_for_each_other() -> None:
    found = schedules.validate_pipeline_execution(WAITING, chunk_num=1)
    assert found["has_cycle"]
    assert len(found["cycle_path"]) == 3
    assert sorted(text[0] for text in found["cycle_ranks"]) == ["0", "1"]


@pytest.mark.parametrize(("style", "receiver"), [("loop", 0), ("v", 1)])
def test_where_parts_of_networks_are(style: str, receiver: int) -> None:
    order = {**steps_of(0), **steps_of(1, ("FWD_SEND", 3, 1), ("FWD_SEND", 3, 1), ("FWD_SEND", 3, 3))}
    names = [f"Send_Receive_(1)->({receiver})_micro3_{time}th" for time in (1, 2)]
    assert schedules.generate_operations(order, chunk_num=2, com_type=style) == {"1": names}  # the last part sends none


@pytest.mark.parametrize(
    ("operations", "circle", "ranks"),
    [
        ({}, None, None),
        ({"0": ["a", "b"], "1": ["b", "c"]}, None, None),
        ({"0": ["a", "b", "c", "a"]}, ["a", "b", "c", "a"], ["0 a -> b", "0 b -> c", "0 c -> a"]),
        ({"0": ["x", "a"], "1": ["a", "b"], "2": ["b", "a"]}, ["a", "b", "a"], ["1 a -> b", "2 b -> a"]),
        ({"0": ["a", "a"]}, ["a", "a"], ["0 a -> a"]),
    ],
)
def test_circles(operations: Any, circle: Any, ranks: Any) -> None:
    assert schedules.detect_cycle_in_graph(operations) == (circle, ranks)


@pytest.mark.parametrize(
    ("operations", "all_rank", "faults"),
    [
        ({"0": ["(0)->(1)"], "1": ["(0)->(1)"]}, True, []),
        ({"0": ["(0)->(1)"], "1": []}, True, ["process 0 has '(0)->(1)', but process 1 has not"]),
        ({"0": ["(0)->(1)"]}, True, ["process 0 has '(0)->(1)', but there is no process 1"]),
        ({"0": ["(0)->(1)"]}, False, []),
        ({"0": "text", "1": [1]}, True, ["process 0 must be a list of strings", "process 1 must be a list of strings"]),
        ([], True, ["'data' must be a dictionary"]),
    ],
)
def test_operations_without_a_partner(
    operations: Any, all_rank: bool, faults: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[str] = []
    monkeypatch.setattr(schedules.log, "error", logged.append)
    schedules.parse_and_validate(operations, all_rank)
    assert len(logged) == len(faults)
    assert all(fault in text for fault, text in zip(faults, logged))


def test_dimensions_of_batches() -> None:
    assert BatchDimSpec.from_dict({"x": 1}) == {"x": BatchDimSpec(1)}
    with pytest.raises(TypeError, match="'batch_dim' must be an int"):
        BatchDimSpec(1.5)  # type: ignore[arg-type]


# Gradients


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize(
    ("outputs", "sens", "gradient"),
    [
        (lambda w: ((w * 3).sum(), w * w), None, [3.0, 3.0]),  # of the first output only
        (lambda w: ((w * 3).sum(), w * w), [1.0, 10.0], [23.0, 43.0]),
        (lambda w: ((w * 3).sum(), w * w), [0.0, 10.0], [20.0, 40.0]),
        (lambda w: w * 3, None, [3.0, 3.0]),
        (lambda w: w * 3, ms.Tensor([1.0, 2.0]), [3.0, 6.0]),
    ],
)
def test_gradients_of_several_outputs(outputs: Any, sens: Any, gradient: Any, captured: bool) -> None:
    weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
    run = hyper_parallel.parallelize_value_and_grad(lambda: outputs(weight), [weight], sens)
    value, (found,) = ms.jit(run)() if captured else run()
    assert found.asnumpy().tolist() == gradient
    expected = outputs(weight)
    assert type(value) is type(expected)
    first, wanted = (value[0], expected[0]) if isinstance(expected, tuple) else (value, expected)
    assert first.asnumpy().tolist() == wanted.asnumpy().tolist()


def test_factors_fit_the_outputs() -> None:
    weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    with pytest.raises(ValueError, match="'sens' must have 2 elements, one for each output, but has 3"):
        hyper_parallel.parallelize_value_and_grad(lambda: (weight, weight), [weight], [1.0, 1.0, 1.0])()


# Files of a single process


def test_layouts_in_files(tmp_path: pathlib.Path) -> None:
    checkpoints.save_layout({"0": {"weight": {"mesh_shape": (2,)}}}, tmp_path / "0.layout")
    checkpoints.save_layout({"1": {}}, tmp_path / "1.layout")
    assert checkpoints.combine_layout(tmp_path) == {"0": {"weight": {"mesh_shape": [2]}}, "1": {}}
    checkpoints.save_layout({"1": {}}, tmp_path / "2.layout")
    with pytest.raises(ValueError, match="several files have layouts of rank 1"):
        checkpoints.combine_layout(tmp_path)
    (tmp_path / "list").write_text("[]")
    with pytest.raises(ValueError, match="the file must hold a dictionary"):
        checkpoints.load_layout(tmp_path / "list")


def test_places_of_files() -> None:
    with pytest.raises(ValueError, match="must end with the name of a file"):
        checkpoints.save_checkpoint(ms.nn.Dense(1, 1), "folder/")
    with pytest.raises(ValueError, match="must end with the name of a file"):
        checkpoints.load_checkpoint(".")
    with pytest.raises(ValueError, match="one of 'checkpoint_id' and 'storage_writer' must be given"):
        checkpoints.save({})


def test_only_recomputation_is_supported() -> None:
    with pytest.raises(NotImplementedError, match="For 'checkpoint', 'swap_inputs' is not supported"):
        platforms.checkpoint(ms.ops.relu, ms.Tensor([1.0]), swap_inputs=True)
