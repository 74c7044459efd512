"""Settings of training in several processes and of parameter servers: what MindSpore gives back, and its refusals."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore.common import mode
from torchspore.context import reset_ps_context

AUTO = {"mode": "auto", "config": None}
INDEX = {"mode": "index", "config": [1, 2]}
# What is set, and what is read afterwards.
ROWS = [
    ({}, {"device_num": 1, "global_rank": 0, "gradients_mean": False, "gradient_fp32_sync": True}),
    ({}, {"parallel_mode": "stand_alone", "parameter_broadcast": False, "pipeline_stages": 1}),
    ({}, {"search_mode": "recursive_programming", "dataset_strategy": "data_parallel", "full_batch": False}),
    ({}, {"comm_fusion": {"openstate": True, "allreduce": AUTO, "allgather": AUTO, "reducescatter": AUTO}}),
    ({}, {"strategy_ckpt_config": {"load_file": "", "save_file": "", "only_trainable_params": True}}),
    ({}, {"pipeline_scheduler": "1f1b", "pipeline_interleave": False, "grad_accumulation_step": 1}),
    ({"device_num": 4097, "global_rank": 4095}, {"device_num": 4097, "global_rank": 4095}),
    ({"parallel_mode": "data_parallel", "gradients_mean": True}, {"parallel_mode": "data_parallel"}),
    ({"parallel_mode": "hybrid_parallel"}, {"parallel_mode": "hybrid_parallel"}),
    ({"search_mode": "sharding_propagation"}, {"auto_parallel_search_mode": "sharding_propagation"}),
    ({"auto_parallel_search_mode": "dynamic_programming"}, {"search_mode": "dynamic_programming"}),
    ({"full_batch": True}, {"dataset_strategy": "full_batch"}),
    ({"dataset_strategy": "full_batch"}, {"full_batch": True}),
    ({"dataset_strategy": ((1, 8), (1, 8))}, {"dataset_strategy": [[1, 8], [1, 8]], "full_batch": False}),
    ({"strategy_ckpt_load_file": "a"}, {"strategy_ckpt_load_file": "a"}),
    ({"strategy_ckpt_config": {"load_file": "q"}}, {"strategy_ckpt_load_file": "q", "strategy_ckpt_save_file": ""}),
    ({"strategy_ckpt_save_file": "b"},
     {"strategy_ckpt_config": {"load_file": "", "save_file": "b", "only_trainable_params": True}}),
    ({"all_reduce_fusion_config": [3, 5]}, {"all_reduce_fusion_config": [3, 5]}),
    ({"comm_fusion": {"allreduce": INDEX}},
     {"comm_fusion": {"openstate": True, "allreduce": INDEX, "allgather": AUTO, "reducescatter": AUTO},
      "all_reduce_fusion_config": [1, 2]}),
    ({"comm_fusion": {"openstate": False}},
     {"comm_fusion": {"openstate": False, "allreduce": AUTO, "allgather": AUTO, "reducescatter": AUTO}}),
    ({"pipeline_config": {"pipeline_interleave": True, "pipeline_scheduler": "gpipe"}},
     {"pipeline_interleave": True, "pipeline_scheduler": "gpipe"}),
    ({"optimizer_weight_shard_size": -3}, {"optimizer_weight_shard_size": -1}),
    ({"optimizer_weight_shard_size": 2}, {"optimizer_weight_shard_size": 2}),
    ({"parallel_optimizer_config": {"gradient_accumulation_shard": True, "optimizer_level": "level2"}}, {}),
    ({"pipeline_stages": 1, "enable_parallel_optimizer": False, "grad_accumulation_step": 1}, {"pipeline_stages": 1}),
    ({"communi_parallel_mode": "no_group_parallel"}, {"communi_parallel_mode": "no_group_parallel"}),
    ({"group_ckpt_save_file": "g"}, {}),
]  # fmt: skip
# MindSpore's compiler would split the network: whole in a single process, refused in several.
SPLITS = [
    (
        {"parallel_mode": "semi_auto_parallel", "device_num": 8},
        {"device_num": 8, "parallel_mode": "semi_auto_parallel"},
    ),
    ({"parallel_mode": "auto_parallel"}, {"parallel_mode": "auto_parallel"}),
    ({"pipeline_stages": 2}, {"pipeline_stages": 2}),
    ({"enable_parallel_optimizer": True}, {"enable_parallel_optimizer": True}),
]
ERRORS = [
    ({"device_num": 0}, ValueError, r"'device_num' must be in \[1"),
    ({"device_num": "8"}, TypeError, "'device_num' must be an int, but got '8'"),
    ({"global_rank": 4096}, ValueError, r"'global_rank' must be in \[0, 4095\]"),
    ({"gradients_mean": 1}, TypeError, "'gradients_mean' must be a bool"),
    ({"parallel_mode": "foo"}, ValueError, "'parallel_mode' must be one of"),
    ({"pipeline_stages": 0}, ValueError, "'pipeline_stages' must be in"),
    ({"dump_local_norm": True}, NotImplementedError, "Compute 'ops.norm'"),
    ({"search_mode": "x"}, ValueError, "'auto_parallel_search_mode' must be one of"),
    ({"full_batch": 1}, TypeError, "'full_batch' must be a bool"),
    ({"dataset_strategy": "x"}, ValueError, "'dataset_strategy' must be one of"),
    ({"dataset_strategy": [1]}, TypeError, "'dataset_strategy' must be one of"),
    ({"dataset_strategy": ((1, "a"),)}, TypeError, "a string or tuples of ints"),
    ({"all_reduce_fusion_config": (8, 9)}, TypeError, "must be a list of ints"),
    ({"all_reduce_fusion_config": [8, "a"]}, TypeError, "must be an int"),
    ({"all_reduce_fusion_config": [8, 7]}, ValueError, "strictly increasing"),
    ({"comm_fusion": 1}, TypeError, "'comm_fusion' must be a dict"),
    ({"comm_fusion": {"x": 1}}, ValueError, "the keys of 'comm_fusion'"),
    ({"comm_fusion": {"openstate": 1}}, TypeError, "must be a bool"),
    ({"comm_fusion": {"allreduce": {"mode": "size"}}}, ValueError, "'mode' and 'config'"),
    ({"comm_fusion": {"allreduce": {"mode": "size", "config": "a"}}}, TypeError, "must be an int"),
    ({"comm_fusion": {"allgather": INDEX}}, ValueError, "must be one of"),
    ({"strategy_ckpt_config": {"x": 1}}, ValueError, "the keys of 'strategy_ckpt_config'"),
    ({"strategy_ckpt_config": {"only_trainable_params": 1}}, TypeError, "must be a bool"),
    ({"pipeline_config": {"pipeline_scheduler": "x"}}, ValueError, "'pipeline_scheduler' must be one of"),
    ({"pipeline_interleave": True}, ValueError, "there is no setting 'pipeline_interleave'"),
    ({"parallel_optimizer_config": {"parallel_optimizer_threshold": -1}}, ValueError, "must be >= 0"),
    ({"parallel_optimizer_config": {"optimizer_weight_shard_size": 0}}, ValueError, "must be > 0"),
    ({"parallel_optimizer_config": {"optimizer_level": "x"}}, ValueError, "must be one of"),
    ({"parallel_optimizer_config": {"optimizer_level": "level3", "gradient_accumulation_shard": True}}, ValueError,
     "Give one of them"),
    ({"grad_accumulation_step": 2}, ValueError, "Use 'nn.GradAccumulationCell'"),
    ({"group_ckpt_save_file": 1}, TypeError, "must be a string"),
    ({"foo": 1}, ValueError, "there is no setting 'foo'"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def defaults():
    yield
    ms.reset_auto_parallel_context()
    reset_ps_context()


def test_stages_that_do_not_divide_the_processes(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(mode, "meshes", False)  # which no program resets
    with pytest.raises(ValueError, match="the number of stages must divide the number of processes, 2, but got 3"):
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=3)
    assert ms.get_auto_parallel_context("pipeline_stages") == 1


@pytest.mark.parametrize(("given", "expected"), ROWS + SPLITS)
def test_what_is_set_is_given_back(given, expected):
    ms.set_auto_parallel_context(**given)
    assert {name: ms.get_auto_parallel_context(name) for name in expected} == expected


@pytest.mark.parametrize(("given", "error", "message"), ERRORS)
def test_errors_change_nothing(given, error, message):
    with pytest.raises(error, match=message):
        ms.set_auto_parallel_context(**{"gradients_mean": True, **given})
    assert ms.get_auto_parallel_context("gradients_mean") is False


def test_reset():
    ms.set_auto_parallel_context(device_num=8, full_batch=True)
    ms.reset_auto_parallel_context()
    assert (ms.get_auto_parallel_context("device_num"), ms.get_auto_parallel_context("full_batch")) == (1, False)


@pytest.mark.parametrize("name", ["foo", 1, "pipeline_config", "parallel_optimizer_config", "group_ckpt_save_file"])
def test_names_that_cannot_be_read(name):
    with pytest.raises(ValueError, match="there is no setting"):
        ms.get_auto_parallel_context(name)


def test_training_steps_reduce_gradients_in_the_modes_that_say_so():
    net = ms.nn.Dense(2, 1)
    step = ms.nn.TrainOneStepCell(net, ms.nn.SGD(net.trainable_params()))
    assert not step.reducer_flag
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    step = ms.nn.TrainOneStepCell(net, ms.nn.SGD(net.trainable_params()))
    assert step.reducer_flag
    assert isinstance(step.grad_reducer, ms.nn.DistributedGradReducer)


def test_parameter_servers():
    assert [ms.get_ps_context(name) for name in ("enable_ps", "enable_ssl", "config_file_path")] == [False, False, ""]
    ms.set_ps_context(enable_ps=True, client_password="a", server_password="b")
    assert ms.get_ps_context("enable_ps")
    reset_ps_context()
    assert not ms.get_ps_context("enable_ps")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ms.set_ps_context(enable_ps=1), TypeError, "'enable_ps' must be a bool"),
        (lambda: ms.set_ps_context(client_password=1), TypeError, "'client_password' must be a string"),
        (lambda: ms.set_ps_context(foo=1), ValueError, "there is no setting 'foo'"),
        (lambda: ms.get_ps_context("client_password"), ValueError, "there is no setting 'client_password'"),
    ],
)
def test_errors_of_parameter_servers(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_settings_that_packages_only_read():
    expected = {
        "full_batch_is_set": False,
        "dump_local_norm_path": "",
    }
    ms.reset_auto_parallel_context()
    assert {name: ms.get_auto_parallel_context(name) for name in expected} == expected
