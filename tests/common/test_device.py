"""Devices: names, selection, errors where there is none; fake modules of torch simulate GPUs and NPUs."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest
import torch

import torchspore as ms
from torchspore.common import device


@pytest.fixture(autouse=True)
def undo(monkeypatch):
    """Leave the device in use, and torch's settings, as they were; let each test see the warning about Ascend cards."""
    before, current = os.environ.get("CUDA_LAUNCH_BLOCKING"), device._current
    monkeypatch.setattr(device, "_replaced_before", False)
    yield
    device._current = current
    torch.use_deterministic_algorithms(False)
    if before is None:
        os.environ.pop("CUDA_LAUNCH_BLOCKING", None)
    else:
        os.environ["CUDA_LAUNCH_BLOCKING"] = before


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", None)


@pytest.fixture
def two_gpus(monkeypatch):
    """Play two GPUs; return the list of those that were made current."""
    chosen: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    return chosen


@pytest.fixture
def one_npu(monkeypatch):
    chosen: list[int] = []
    monkeypatch.setitem(sys.modules, "torch_npu", SimpleNamespace())
    npu = SimpleNamespace(device_count=lambda: 1, set_device=chosen.append)
    monkeypatch.setattr(torch, "npu", npu, raising=False)
    return chosen


def test_the_first_device_in_use(monkeypatch):
    monkeypatch.setattr(device, "_current", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device.current() == torch.device("cuda", 0)
    monkeypatch.setattr(device, "_current", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device.current() == torch.device("cpu")
    assert (device.target(), device.index()) == ("CPU", 0)


@pytest.mark.parametrize(
    ("variables", "index", "has_its_own"),
    [
        ({}, 0, True),
        ({"LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}, 1, True),
        ({"DEVICE_ID": "1"}, 1, True),
        ({"LOCAL_RANK": "2", "LOCAL_WORLD_SIZE": "3"}, 0, False),
        ({"LOCAL_RANK": "x", "LOCAL_WORLD_SIZE": "x"}, 0, True),
    ],
)
def test_processes_of_a_launcher_have_a_gpu_each(two_gpus, monkeypatch, variables, index, has_its_own):
    for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "DEVICE_ID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(device, "_current", None)
    assert device.current() == torch.device("cuda", index)
    assert device.choose("GPU", None, "Api") == torch.device("cuda", index)
    assert device.choose("GPU", 0, "Api") == torch.device("cuda", 0)
    assert device.has_gpu_for_each_process() == has_its_own


class TestFind:
    @pytest.mark.parametrize(("index", "expected"), [(None, 0), (0, 0), (1, 1)])
    def test_gpus(self, two_gpus, index, expected):
        found = device.find("GPU", index, "Api")
        assert found == torch.device("cuda", expected)
        assert two_gpus == []
        device.use(found)
        assert two_gpus == [expected]
        assert (device.target(), device.index(), device.current()) == ("GPU", expected, found)

    def test_an_npu(self, one_npu, monkeypatch):
        asked = []
        monkeypatch.setattr(torch, "device", lambda *given: asked.append(given))
        device.find("Ascend", None, "Api")
        assert asked == [("npu", 0)]

    @pytest.mark.parametrize("index", [None, 0, 3])
    def test_a_cpu_takes_any_number(self, index):
        assert device.find("CPU", index, "Api") == torch.device("cpu")

    @pytest.mark.parametrize(
        ("target", "index", "error", "words"),
        [
            ("TPU", None, ValueError, "'device_target' must be one of 'CPU', 'GPU', 'Ascend', but got 'TPU'"),
            ("gpu", None, ValueError, "but got 'gpu'"),
            (1, None, TypeError, "'device_target' must be a string, but got 1"),
            (None, None, TypeError, "'device_target' must be a string, but got None"),
            ("CPU", "0", TypeError, "'device_id' must be an int, but got '0'"),
            ("GPU", True, TypeError, "'device_id' must be an int, but got True"),
            ("CPU", -1, ValueError, "'device_id' must be >= 0, but got -1"),
            ("GPU", 2, ValueError, r"'device_id' must be in \[0, 2\) on this machine, but got 2"),
            ("GPU", -1, ValueError, r"'device_id' must be in \[0, 2\)"),
        ],
    )
    def test_errors_say_what_is_wrong(self, two_gpus, target, index, error, words):
        with pytest.raises(error, match=f"For 'Api', .*{words}"):
            device.find(target, index, "Api")

    def test_without_a_gpu(self, no_gpu, monkeypatch):
        with pytest.raises(RuntimeError, match=r"For 'Api', .* has no CUDA support\. Install a CUDA build of PyTorch"):
            device.find("GPU", None, "Api")
        monkeypatch.setattr(torch.version, "cuda", "13.0")
        with pytest.raises(RuntimeError, match="finds no usable GPU"):
            device.find("GPU", None, "Api")

    def test_without_torch_npu(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch_npu", None)
        with pytest.raises(RuntimeError, match=r"needs the package 'torch_npu', which cannot be imported: \w"):
            device.find("Ascend", None, "Api")


class TestAscendWithoutACard:
    """A request for an Ascend card selects the first available kind of device, with one warning."""

    @pytest.fixture(autouse=True)
    def no_torch_npu(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch_npu", None)

    @pytest.mark.parametrize(
        ("api", "run"),
        [
            ("set_device", lambda: ms.set_device("Ascend", 3)),
            ("set_context", lambda: ms.set_context(device_target="Ascend")),
            ("Tensor.to", lambda: ms.Tensor([1]).to("Ascend")),
            ("Tensor.to", lambda: ms.Tensor([1]).to("npu:1")),
            ("Tensor.move_to", lambda: ms.Tensor([1]).move_to("Ascend")),
            ("Tensor", lambda: ms.Tensor([1], device="Ascend")),
            ("empty", lambda: ms.mint.empty(2, device="Ascend")),
            ("Cell.to", lambda: ms.nn.Dense(1, 1).to(device="Ascend")),
        ],
    )
    def test_the_cpu_serves(self, no_gpu, monkeypatch, api, run):
        monkeypatch.setattr(device, "_current", None)
        words = f"For '{api}', device_target='Ascend' was asked for, and the CPU is used.*'torch_npu'"
        with pytest.warns(RuntimeWarning, match=words) as caught:
            result = run()
        assert [(given.filename, given.lineno) for given in caught] == [(__file__, run.__code__.co_firstlineno)]
        assert (ms.get_context("device_target"), ms.get_context("device_id")) == ("CPU", 0)
        assert not isinstance(result, ms.Tensor) or result.device == "CPU"
        run()  # a second warning would be an error

    def test_a_gpu_serves(self, two_gpus, monkeypatch):
        monkeypatch.setattr(device, "_current", torch.device("cpu"))
        with pytest.warns(RuntimeWarning, match="and the GPU is used"):
            ms.set_device("Ascend", 1)
        assert (device.target(), device.index(), two_gpus) == ("GPU", 1, [1])
        assert device.parse("Ascend", "Api") == torch.device("cuda", 1)
        with pytest.raises(ValueError, match=r"For 'set_device', 'device_id' must be in \[0, 2\) on this machine"):
            ms.set_device("Ascend", 7)

    def test_it_is_not_available(self):
        assert not ms.hal.is_available("Ascend")

    def test_a_card_that_is_there_is_used(self, one_npu, monkeypatch):
        asked = []
        monkeypatch.setattr(torch, "device", lambda *given: asked.append(given))
        device.choose("Ascend", None, "Api")
        assert asked == [("npu", 0)]


class TestNames:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("CPU", "cpu"),
            ("cpu", "cpu"),
            ("CPU:0", "cpu"),
            ("GPU", "cuda:0"),
            ("GPU:1", "cuda:1"),
            ("cuda:1", "cuda:1"),
            ("meta", "meta"),
        ],
    )
    def test_parse(self, two_gpus, name, expected):
        assert device.parse(name, "Api") == torch.device(expected)

    def test_without_a_number_it_is_the_device_in_use(self, two_gpus):
        device.use(torch.device("cuda", 1))
        assert device.parse("GPU", "Api") == torch.device("cuda", 1)
        assert device.parse("CPU", "Api") == torch.device("cpu")

    @pytest.mark.parametrize("name", ["TPU", "", "GPU:", "GPU:x", "GPU:-1", 3, None, "U"])
    def test_what_is_no_device(self, two_gpus, name):
        with pytest.raises(ValueError, match="For 'Api', the device must be like 'CPU', 'GPU' or 'GPU:0', or 'meta'"):
            device.parse(name, "Api")

    def test_a_device_that_is_not_there(self, two_gpus):
        with pytest.raises(ValueError, match=r"must be in \[0, 2\)"):
            device.parse("GPU:2", "Api")

    def test_a_kind_that_is_not_there(self, no_gpu):
        with pytest.raises(RuntimeError, match="has no CUDA support"):
            device.parse("GPU", "Api")

    @pytest.mark.parametrize(
        ("torchs", "ours"), [("cpu", "CPU"), ("cuda", "GPU"), ("cuda:3", "GPU:3"), ("meta", "meta"), ("xpu:1", "xpu:1")]
    )
    def test_describe(self, torchs, ours):
        assert device.describe(torch.device(torchs)) == ours


class TestSettings:
    def test_deterministic(self):
        device.set_deterministic(True)
        assert torch.are_deterministic_algorithms_enabled()
        assert torch.is_deterministic_algorithms_warn_only_enabled()
        device.set_deterministic(False)
        assert not torch.are_deterministic_algorithms_enabled()

    def test_synchronous(self, two_gpus, monkeypatch):
        device.set_synchronous(True)
        assert os.environ["CUDA_LAUNCH_BLOCKING"] == "1"
        device.set_synchronous(False)
        assert os.environ["CUDA_LAUNCH_BLOCKING"] == "0"
        monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
        with pytest.raises(RuntimeError, match="pynative_synchronize=True before the first use of the GPU"):
            device.set_synchronous(True)
        assert os.environ["CUDA_LAUNCH_BLOCKING"] == "0"
