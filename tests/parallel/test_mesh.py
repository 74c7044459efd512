"""Networks on meshes compute what a single process does, and each process holds its part."""

from __future__ import annotations

import json
import pathlib

import pytest

from processes import outputs_as_mindspore, outputs_of

PROGRAM = str(pathlib.Path(__file__).with_name("mesh_networks.py"))
DEVICES = "('cpu', 'npu', 'ascend', 'gpu', 'cuda')"
CELLS = "['up', 'down', 'head', 'norm']"
REFUSED = {
    "world": "ValueError: For 'init_device_mesh', 'mesh_shape' must multiply to the number of processes, 2, but got "
    "(3,).",
    "names": "ValueError: For 'init_device_mesh', 'mesh_dim_names' must hold 1 different names, as 'mesh_shape' is "
    "(2,), but got ('dp', 'tp').",
    "device": f"ValueError: For 'init_device_mesh', 'device_type' must be one of {DEVICES}, but got 'tpu' (str).",
    "dimension": "KeyError: \"For 'DeviceMesh', there is no mesh of the dimensions ('tp',): the dimensions are "
    "('dp',).\"",
    "cut dimension": "ValueError: For 'distribute_tensor', S(2) cuts a dimension that is not there: the tensor has 2 "
    "dimensions.",
    "number": "ValueError: For 'distribute_tensor', there must be a placement for each of the 2 dimensions of the "
    "mesh, but got (Shard(dim=0),).",
    "no placement": "TypeError: For 'distribute_tensor', 'placements' must hold placements, but has 0 (int).",
    "no name": "ValueError: For 'DTensor', the mesh has no dimension 'tp'; its dimensions are ('dp',).",
    "no Tensor": "TypeError: For 'DTensor', 'local_tensor' must be a Tensor, but got numpy.ndarray(shape=(8, "
    "16), dtype=float32).",
    "no cell": "TypeError: For 'fully_shard', 'module' must be a Cell or a list of cells, but got an object of type "
    "function.",
    "no mesh": "TypeError: For 'fully_shard', 'mesh' must be a DeviceMesh, but got 2 (int).",
    "grid": "ValueError: For 'parallelize_module', 'device_mesh' must have one dimension, but has 2: ('dp', 'tp'). "
    "Take one of them, as in mesh['tp'].",
    "path": f"ValueError: For 'parallelize_module', there is no cell at 'upper'. The cells are {CELLS}.",
    "style": "TypeError: For 'parallelize_module', the plan must hold styles, but has 'columns' (str) for 'up'.",
    "layer": "NotImplementedError: For 'ColwiseParallel', a BatchNorm1d is not supported. ColwiseParallel currently "
    "only support nn.Linear and nn.Embedding!",
    "parameter": "ValueError: For 'shard_module', there is no parameter at 'up.weights'. The cells are ['', 'down', "
    "'head', 'norm', 'up'].",
    "again": "ValueError: For 'fully_shard', it has been applied to the Mlp already.",
    "cut already": "ValueError: For 'ColwiseParallel', the parameter 'up.weight' lies on a mesh already. Cut layers "
    "once, and before 'fully_shard'.",
    "written": "RuntimeError: For 'Counting', 'construct' has written to the parameter 'count', of which each process "
    "keeps only a part. Name it in 'ignored_params'.",
    "second": "NotImplementedError: For 'fully_shard', gradients of gradients are not supported.",
    "copied": "NotImplementedError: For 'copy.deepcopy', a Mlp of 'fully_shard' cannot be copied: torch gathers the "
    "parameters of this one only. Copy the cell before 'fully_shard', and apply that to both.",
    "stages": "NotImplementedError: For 'set_auto_parallel_context', stages are not supported in a program that has "
    "tensors on meshes (DTensor, fully_shard). Use 'parallel.PipelineStage' and its schedules for the stages instead.",
    "not cut": "AttributeError: For 'Tensor.placements', the tensor does not lie on a mesh. Make it a DTensor by "
    "'distribute_tensor'.",
}
OTHERS = {
    "held": [0.5, 0.5, 0.5, 0.5],  # of parameters, gradients and both moments
    "after an error": [["(Shard(dim=0),)"], [8, 4]],
    "precise": ["Float32", ["BFloat16"], ["Float32"]],
    "tensors": [
        [8, 2], [4, 2], [4, 2], True, False, False, "(Shard(dim=0),)", 0.0, [True, [2.0, 2.0]], 120.0, 240.0,
        [14.0, 15.0],
    ],
    "plan": [0.0, "(Shard(dim=0),)", "(Replicate(),)"],
    **{f"refused {name}": text for name, text in REFUSED.items()},
}  # fmt: skip


@pytest.mark.slow
def test_two_processes() -> None:
    for out in outputs_of(PROGRAM):
        found = dict(map(json.loads, out.splitlines()))
        assert {name: found.pop(name) for name in OTHERS} == OTHERS
        assert len(found) > 12
        assert {name: value for name, value in found.items() if value > 1e-5} == {}


@pytest.mark.slow
def test_four_processes() -> None:
    names = ("held", "mlp by both", "gpt by both", "copies", "mlp sharded", "hsdp", "level3")
    for out in outputs_of(PROGRAM, *names, count=4):
        found = dict(map(json.loads, out.splitlines()))
        assert found.pop("held") == [0.25] * 4
        for name, parts in (("hsdp on", 4), ("copies on", 2), ("level3 on", 4)):
            assert found.pop(f"{name} the grid") == [True, parts]
        assert len(found) == 5
        assert {name: value for name, value in found.items() if value > 1e-5} == {}


@pytest.mark.slow
def test_a_program_of_the_library() -> None:
    program = str(pathlib.Path(__file__).with_name("hyper_program.py"))
    # A single process has the same loss: each step of Adam takes about 0.01 from weights and biases.
    assert outputs_as_mindspore(program) == ["933.714\n(Shard(dim=1),) [4.0, 8.0]\n"] * 2
