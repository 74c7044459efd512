"""Descriptions of training in several processes: what MindSpore 2.10 says of the same calls."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import nn
from torchspore.parallel import Layout, _utils, get_algo_parameters, reset_algo_parameters, set_algo_parameters
from torchspore.parallel import nn as parallel_nn

GRID = Layout((2, 2, 2), ("dp", "sp", "mp"))
VIRTUAL = Layout((2, 2, 2), ("dp", "sp", "interleaved_parallel"))


@pytest.mark.parametrize(
    ("layout", "axes", "tensor_map"),
    [
        (GRID, ("dp", "mp"), (2, 0)),
        (GRID, ("None", "mp"), (-1, 0)),
        (GRID, (("dp", "sp"), "mp"), ((2, 1), 0)),
        (GRID, ("dp",), (2,)),
        (GRID, (), ()),
        (GRID, (("dp",),), ((2,),)),
        (GRID, (("None", "dp"),), ((-1, 2),)),
        (GRID, (("mp", "dp"),), ((0, 2),)),
        (VIRTUAL, (("dp", "interleaved_parallel"), "sp"), ((2, 0), 1)),
        (VIRTUAL, ("interleaved_parallel",), (0,)),
    ],
)
def test_axes_of_dimensions(layout, axes, tensor_map):
    found = layout(*axes).to_dict()
    assert found["tensor_map"] == tensor_map
    assert found["interleaved_parallel"] is (layout is VIRTUAL)


def test_the_description_of_a_layout():
    assert Layout((2, 2), ("a", "b"), [3, 1, 2, 0])("a", "None").to_dict() == {
        "device_matrix": (2, 2),
        "tensor_map": (1, -1),
        "interleaved_parallel": False,
        "alias_name": ("a", "b"),
        "rank_list": [3, 1, 2, 0],
    }
    assert Layout((2, 3), ("a", "b"))().to_dict()["rank_list"] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Layout([2, 2], ("a", "b")), TypeError, "'device_matrix' must be a tuple of int"),
        (lambda: Layout((2, 2.0), ("a", "b")), TypeError, "'device_matrix.1.' must be an int"),
        (lambda: Layout((2, 0), ("a", "b")), ValueError, "must be > 0"),
        (lambda: Layout((-2, 2), ("a", "b")), ValueError, "must be > 0"),
        (lambda: Layout((2,), ("a",), [0, -1]), ValueError, "must be >= 0"),
        (lambda: Layout((2,), ("a",), [1, 1]), ValueError, "must be unique"),
        (lambda: Layout((2, 2), ["a", "b"]), TypeError, "'alias_name' must be a tuple of str"),
        (lambda: Layout((2, 2), ("a", 1)), TypeError, "'alias_name.1.' must be a string"),
        (lambda: Layout((2, 2), ("a",)), ValueError, "one name for each axis"),
        (lambda: Layout((2, 2), ("a", "a")), ValueError, "must be different names"),
        (lambda: Layout((2, 2), ("a", "")), ValueError, "must be different names"),
        (lambda: Layout((2,), ("None",)), ValueError, "must be different names"),
        (lambda: Layout((2, 2), ("interleaved_parallel", "b")), ValueError, "is the last"),
        (lambda: Layout((2, 2), ("a", "b"), (0, 1, 2, 3)), TypeError, "'rank_list' must be a list"),
        (lambda: Layout((2, 2), ("a", "b"), [0, 1, 2, "3"]), TypeError, "rank_list.3.' must be an int"),
        (lambda: Layout((2, 2), ("a", "b"), [0, 1, 2]), ValueError, "must have a number for each device"),
        (lambda: GRID("x"), ValueError, "but got 'x'"),
        (lambda: GRID(["dp", "sp"]), ValueError, "the names of axes are"),
        (lambda: GRID("dp", ("mp", "dp")), ValueError, "'dp' is named twice"),
        (GRID.to_dict, ValueError, "Call the layout"),
    ],
)
def test_bad_layouts(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.fixture
def algorithm():
    yield
    reset_algo_parameters()


@pytest.mark.parametrize(
    ("name", "default", "value"),
    [
        ("fully_use_devices", False, True),
        ("elementwise_op_strategy_follow", False, True),
        ("enable_algo_approxi", False, True),
        ("algo_approxi_epsilon", 0.1, 1.0),
        ("tensor_slice_align_enable", False, True),
        ("tensor_slice_align_size", 16, 1024),
    ],
)
def test_algorithm_parameters(algorithm, name, default, value):
    assert get_algo_parameters(name) == default
    set_algo_parameters(**{name: value})
    assert get_algo_parameters(name) == value
    reset_algo_parameters()
    assert get_algo_parameters(name) == default


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"fully_use_devices": 1}, TypeError, "must be a bool"),
        ({"algo_approxi_epsilon": 0}, TypeError, "must be a float"),
        ({"algo_approxi_epsilon": 1.1}, ValueError, r"must be in \(0, 1\]"),
        ({"tensor_slice_align_size": 0}, ValueError, "must be > 0"),
        ({"tensor_slice_align_size": 1025}, ValueError, r"must be in \[1, 1024\]"),
        ({"foo": 1}, ValueError, "there is no setting 'foo'"),
    ],
)
def test_bad_algorithm_parameters(algorithm, given, error, message):
    with pytest.raises(error, match=message):
        set_algo_parameters(enable_algo_approxi=True, **given)
    assert get_algo_parameters("enable_algo_approxi") is False


def test_an_unknown_algorithm_parameter():
    with pytest.raises(ValueError, match=r"must be one of .*, but got 'foo'"):
        get_algo_parameters("foo")


def test_cells_have_two_names():
    assert parallel_nn.GradAccumulation is nn.GradAccumulationCell
    assert parallel_nn.Pipeline is parallel_nn.PipelineCell is nn.PipelineCell
    assert ms.Layout is Layout


# Checkpoints in several files


@pytest.fixture
def folder(tmp_path):
    for name, values in {"part0": {"a": 1.0, "b": 3.0}, "part1": {"b": 2.0}, "other": {}}.items():
        data = [{"name": key, "data": ms.Tensor([value])} for key, value in values.items()]
        if data:
            ms.save_checkpoint(data, str(tmp_path / f"{name}.ckpt"))
    (tmp_path / "notes.txt").write_text("not a checkpoint")
    return str(tmp_path)


def values(loaded):
    return {name: value.asnumpy().tolist() for name, value in loaded.items()}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"a": [1], "b": [2]}),
        ({"filter_prefix": "b"}, {"a": [1]}),
        ({"filter_prefix": ["b", "c"]}, {"a": [1]}),
        ({"specify_prefix": "b"}, {"b": [2]}),
        ({"choice_func": lambda name: name == "a"}, {"a": [1]}),
    ],
)
def test_files_of_a_folder_are_one_checkpoint(folder, options, expected):
    assert values(ms.load_segmented_checkpoints(folder, **options)) == expected


def test_a_network_gets_the_values(folder):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = ms.Parameter(ms.Tensor([9.0]), name="a")
            self.b = ms.Parameter(ms.Tensor([9.0]), name="b")

    net = Net()
    ms.load_segmented_checkpoints(folder, net)
    assert values(net.parameters_dict()) == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    ("place", "options", "error", "message"),
    [
        (3, {}, TypeError, "'ckpt_file_dir' must be a string"),
        ("nowhere", {}, ValueError, "there is no folder"),
        (None, {"specify_prefix": "x"}, ValueError, "no value in"),
    ],
)
def test_bad_folders(folder, place, options, error, message):
    with pytest.raises(error, match=message):
        ms.load_segmented_checkpoints(place or folder, **options)


def test_a_folder_without_checkpoints(tmp_path):
    with pytest.raises(ValueError, match=r"has no '\.ckpt' file"):
        ms.load_segmented_checkpoints(str(tmp_path))


def test_settings_by_their_functions():
    names = ("parallel_mode", "device_num", "global_rank", "gradients_mean", "enable_parallel_optimizer")
    ms.set_auto_parallel_context(parallel_mode="data_parallel", device_num=4, global_rank=3, gradients_mean=True)
    try:
        assert [getattr(_utils, f"_get_{name}")() for name in names] == ["data_parallel", 4, 3, True, False]
        assert _utils._is_in_data_parallel_mode()
    finally:
        ms.reset_auto_parallel_context()
    assert not _utils._is_in_data_parallel_mode()
