"""Settings: accepted and returned values, errors, and that an error changes nothing."""

from __future__ import annotations

import os

import pytest
import torch

import torchspore as ms
from data.record_core import evaluate, recorded
from torchspore import context
from torchspore.common import device
from torchspore.engine.capture.compiling import disk_cache


@pytest.fixture(autouse=True)
def undo(monkeypatch):
    """Leave the settings as they were."""
    monkeypatch.setattr(context, "_settings", {name: option.default for name, option in context._OPTIONS.items()})
    monkeypatch.setattr(device, "_current", torch.device("cpu"))
    monkeypatch.setattr(disk_cache, "_enabled", True)
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "0")
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(("program", "expected"), recorded("context"))
def test_as_mindspore(program, expected):
    assert evaluate(ms, program) == expected


@pytest.mark.parametrize("option", context._OPTIONS)
def test_every_option(option):
    default = context._OPTIONS[option].default
    before = ms.get_context(option)
    if default not in (None, ""):
        ms.set_context(**{option: default})
    assert ms.get_context(option) == before
    with pytest.raises(TypeError, match=f"For 'set_context', '{option}' must be .*, but got "):
        ms.set_context(**{option: 1.5})


@pytest.mark.parametrize(
    ("option", "value", "read"),
    [
        *[
            ("max_device_memory", "2.5GB", 2.5),
            ("mempool_block_size", "0.5GB", 0.5),
            ("memory_optimize_level", "O1", 1),
        ],
        *[("variable_memory_max_size", "3GB", "3GB"), ("save_graphs", True, 2), ("save_graphs", False, 0)],
        *[("ascend_config", {"precision_mode": "force_fp16"}, {"precision_mode": "force_fp16"}), ("mode", 0, 0)],
        *[("pynative_synchronize", False, False), ("print_file_path", "a.txt", "a.txt"), ("enable_sparse", True, True)],
        *[("infer_boost", "on", "on"), ("disable_format_transform", True, True), ("conv_fprop_algo", "fft", "fft")],
    ],
)
def test_what_is_set_is_given_back(option, value, read):
    ms.set_context(**{option: value})
    assert ms.get_context(option) == read


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"foo": 1}, ValueError, "there is no option 'foo'. Options: aoe_config, .*, device_id, .*, mode, "),
        ({"mode": 2}, ValueError, r"'mode' must be one of \[0, 1\], but got 2"),
        ({"mode": "a"}, TypeError, r"'mode' must be one of \[0, 1\], but got 'a' \(str\)"),
        ({"deterministic": "on"}, ValueError, r"'deterministic' must be one of \['ON', 'OFF'\], but got 'on'"),
        ({"max_device_memory": "8"}, ValueError, "'max_device_memory' must be a size such as '2.5GB', but got '8'"),
        ({"max_device_memory": "0GB"}, ValueError, "must be a size such as"),
        ({"max_device_memory": "08GB"}, ValueError, "must be a size such as"),
        ({"op_timeout": -1}, ValueError, r"'op_timeout' must be in \[0, 2147483647\], but got -1"),
        ({"device_target": "TPU"}, ValueError, "'device_target' must be one of"),
        ({"device_id": "0"}, TypeError, "'device_id' must be an int"),
    ],
)
def test_a_refusal_changes_nothing(change, error, words):
    before, place = dict(context._settings), device.current()
    with pytest.raises(error, match=f"For 'set_context', .*{words}"):
        ms.set_context(**{"max_call_depth": 5, "deterministic": "ON", **change})
    assert context._settings == before
    assert device.current() == place
    assert not torch.are_deterministic_algorithms_enabled()


def test_synchronous_too_late_changes_nothing(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    with pytest.raises(RuntimeError, match="before the first use of the GPU"):
        ms.set_context(pynative_synchronize=True, mode=0, device_target="CPU")
    assert ms.get_context("mode") == 1
    assert ms.get_context("pynative_synchronize") is False
    assert os.environ["CUDA_LAUNCH_BLOCKING"] == "0"


def test_effects(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    ms.set_context(deterministic="ON", pynative_synchronize=True)
    assert torch.are_deterministic_algorithms_enabled()
    assert os.environ["CUDA_LAUNCH_BLOCKING"] == "1"
    ms.set_context(deterministic="OFF", pynative_synchronize=False)
    assert not torch.are_deterministic_algorithms_enabled()


def test_devices(monkeypatch):
    monkeypatch.setattr(device, "_current", device.current())  # which the end of the test restores
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda index: None)
    for choose in (lambda: ms.set_context(device_target="GPU", device_id=1), lambda: ms.set_device("GPU", 1)):
        ms.set_device("CPU")
        assert context.get_current_device() == ("CPU", 0)
        choose()
        assert (ms.get_context("device_target"), ms.get_context("device_id")) == ("GPU", 1)
        assert context.get_current_device() == context.DeviceInfo("GPU", 1)
    ms.set_context(device_id=0)
    assert context.get_current_device() == ("GPU", 0)
    with pytest.raises(ValueError, match=r"For 'set_device', 'device_id' must be in \[0, 2\)"):
        ms.set_device("GPU", 5)
    assert context.get_current_device() == ("GPU", 0)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("enable_ge", False), ("precision_mode", ""), ("topo_order", ""), ("dataset_broadcast_opt_level", 0)],
        *[("conv_allow_tf32", True), ("conv_fprop_algo", "normal"), ("matmul_allow_tf32", False)],
        *[("infer_boost", "off"), ("need_ckpt", False), ("jit_compile", "")],
    ],
)
def test_undocumented_options_are_read(option, value):
    assert ms.get_context(option) == value


def test_options_that_are_keys_of_another_one():
    ms.set_context(ascend_config={"precision_mode": "force_fp16"})
    assert ms.get_context("precision_mode") == "force_fp16"
    with pytest.raises(ValueError, match="For 'set_context', there is no option 'enable_ge'"):
        ms.set_context(enable_ge=True)


def test_unknown_options_are_not_read():
    with pytest.raises(ValueError, match=r"For 'get_context', there is no option 'foo'\. Options: aoe_config"):
        ms.get_context("foo")
    with pytest.raises(TypeError, match=r"'attr_key' must be a string, but got 3 \(int\)"):
        ms.get_context(3)


def test_the_store_of_compiled_graphs_can_be_left_out():
    store = disk_cache.directory()
    ms.set_context(enable_compile_cache=False)
    assert disk_cache.directory() != store
    ms.set_context(enable_compile_cache=True)
    assert disk_cache.directory() == store
