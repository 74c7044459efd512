"""`hal` and `runtime`: MindSpore's recorded answers on a CPU, and GPUs that doubles of torch's module play."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import torchspore as ms
from data.record_hal import LINES, answer
from torchspore import context
from torchspore.common import device
from torchspore.runtime import affinity

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "hal.json").read_text(encoding="utf-8"))["cpu"]

# Where we differ on purpose: what we answer, and why.
DIFFERENCES = {
    "ms.runtime.current_stream()": "Stream(device_name=CPU, device_id:0, stream id:0)",  # None until one was made
    "ms.runtime.default_stream()": "Stream(device_name=CPU, device_id:0, stream id:0)",
    "ms.runtime.Stream().record_event(1)": "!TypeError",  # as on cards
    "ms.get_context('max_device_memory')": "10.0",  # what `set_memory` was given just before
    "ms.hal.is_available(1)": "!TypeError",  # which is a ValueError, too
    "ms.runtime.PluggableAllocator('missing.so', 'a', 'b')": "!RuntimeError",  # it is for GPUs
}


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    """Use a CPU where torch reaches no GPU, and leave settings as they were."""
    monkeypatch.setattr(device, "_current", torch.device("cpu"))
    monkeypatch.setattr(context, "_settings", dict(context._settings))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "0")
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("line", LINES)
def test_as_mindspore(line):
    if line == "ms.get_context('max_device_memory')":
        ms.runtime.set_memory("1GB", "1GB", "10GB", "O1")
    if line == "ms.get_context('deterministic')":
        ms.set_deterministic(True)
    assert answer(ms, line) == DIFFERENCES.get(line, RECORDED[line])


def test_differences_are_recorded_lines():
    assert {line: RECORDED[line] for line in DIFFERENCES if RECORDED[line] == DIFFERENCES[line]} == {}
    assert set(RECORDED) == set(LINES)


def test_events_measure_time():
    start, end = (ms.runtime.Event(enable_timing=True) for _ in range(2))
    start.record()
    time.sleep(0.02)
    ms.runtime.current_stream().record_event(end)
    assert 20 <= start.elapsed_time(end) < 20_000
    with pytest.raises(RuntimeError, match="enable_timing=True"):
        ms.runtime.Event().elapsed_time(end)


def test_deterministic():
    ms.set_deterministic(True)
    assert torch.are_deterministic_algorithms_enabled()
    ms.set_deterministic(False)
    assert not torch.are_deterministic_algorithms_enabled()


def test_the_same_seed_gives_the_same_training():
    def train():
        ms.set_seed(3)
        net = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.Dropout(p=0.5), ms.nn.Dense(8, 1)).set_train()
        data = ms.ops.standard_normal((16, 4))
        step = ms.nn.TrainOneStepCell(net, ms.nn.Adam(net.trainable_params()))
        return [step(data).asnumpy() for _ in range(3)]

    ms.set_deterministic(True)
    first, second = train(), train()
    assert all(np.array_equal(one, other) for one, other in zip(first, second))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux binds processes to processors")
class TestAffinity:
    @pytest.fixture(autouse=True)
    def undo(self):
        before, threads = os.sched_getaffinity(0), torch.get_num_threads()
        yield
        affinity._bind(before)
        affinity._before = None
        torch.set_num_threads(threads)

    @pytest.mark.parametrize("by", ["list", "dict"])
    def test_bound_and_free_again(self, by):
        before = os.sched_getaffinity(0)
        first = min(before)
        if by == "list":
            ms.runtime.set_cpu_affinity(True, {})
            ms.runtime.set_cpu_affinity(True, {"device0": [f"{first}-{first}"]})
            ms.runtime.set_cpu_affinity(True, [f"{first}-{first}"])
        else:
            ms.runtime.set_cpu_affinity(True, module_to_cpu_dict={"main": [first]})
        assert {tuple(os.sched_getaffinity(int(thread))) for thread in os.listdir("/proc/self/task")} == {(first,)}
        assert torch.get_num_threads() == 1
        ms.runtime.set_cpu_affinity(False)
        assert os.sched_getaffinity(0) == before

    @pytest.mark.parametrize(
        ("arguments", "kind"),
        [
            ((1,), TypeError),
            ((True, [5]), TypeError),
            ((True, ["a"]), ValueError),
            ((True, ["3-1"]), ValueError),
            ((True, ["100000-100001"]), RuntimeError),
            ((True, None, 5), TypeError),
            ((True, None, {"main": 5}), TypeError),
            ((True, None, {"main": [-1]}), ValueError),
            ((True, None, {"other": [0]}), ValueError),
            ((True, None, {"minddata": [0]}), NotImplementedError),
            ((True, None, None, "file.json"), NotImplementedError),
        ],
    )
    def test_refusals(self, arguments, kind):
        before = os.sched_getaffinity(0)
        with pytest.raises(kind, match=r"^For 'set_cpu_affinity', "):
            ms.runtime.set_cpu_affinity(*arguments)
        assert os.sched_getaffinity(0) == before


class _Stream:
    """Plays torch.cuda.Stream."""

    made = 0

    def __init__(self, where=None, priority=0):
        _Stream.made += 1
        self.stream_id, self.device, self.priority = _Stream.made, torch.device("cuda", 0), priority

    def synchronize(self):
        self.waited = True

    def query(self):
        return False


class _Event:
    """Plays torch.cuda.Event; notes what it is asked."""

    def __init__(self, **options):
        self.calls = [options]

    def record(self, *streams):
        self.calls.append(("record", *streams))

    def wait(self, *streams):
        self.calls.append(("wait", *streams))

    def elapsed_time(self, other):
        return 7.0


@pytest.fixture
def gpu(monkeypatch):
    """Play a GPU of 16 GiB."""
    default = _Stream()
    default.stream_id = 0
    figures = {
        "reserved_bytes.all.current": 300 * 2**20,
        "allocated_bytes.all.current": 1000,
        "reserved_bytes.all.peak": 2**33,
        "allocated_bytes.all.peak": 5000,
    }
    segment = {"address": 64, "stream": 0, "total_size": 2**21, "device": 0}
    played = SimpleNamespace(
        Stream=_Stream, Event=_Event, current=default, calls=[], device_count=lambda: 1,
        current_stream=lambda where: played.current, default_stream=lambda where: default,
        set_stream=lambda stream: setattr(played, "current", stream),
        synchronize=lambda: played.calls.append("synchronize"),
        memory_stats=lambda where: figures, memory_snapshot=lambda: [segment, {**segment, "device": 1}],
        reset_peak_memory_stats=lambda where: played.calls.append(("reset", where)),
        empty_cache=lambda: played.calls.append("empty"),
        get_device_properties=lambda where: SimpleNamespace(name="Card", total_memory=16 * 2**30),
        get_device_name=lambda where: "Card", is_initialized=lambda: True,
        set_per_process_memory_fraction=lambda *given: played.calls.append(given),
    )  # fmt: skip
    module = torch.get_device_module
    monkeypatch.setattr(torch, "get_device_module", lambda where: played if "cuda" in str(where) else module(where))
    monkeypatch.setattr(device, "_current", torch.device("cuda", 0))
    monkeypatch.setattr(device, "_backend", lambda target, api: played)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda where: (9, 0))
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_80", "sm_90"])
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    return played


def test_streams_of_a_gpu(gpu):
    stream = ms.runtime.Stream(priority=-1)
    assert (stream.device_name, stream._own.priority, stream.query()) == ("GPU", -1, False)
    assert stream != ms.runtime.Stream()
    assert ms.runtime.current_stream() == ms.runtime.default_stream() != stream
    with ms.runtime.StreamCtx(stream):
        assert ms.runtime.current_stream() == stream
        with ms.runtime.StreamCtx(None):
            assert ms.runtime.current_stream() == stream
    assert ms.runtime.current_stream() == ms.runtime.default_stream()
    ms.runtime.synchronize()
    stream.synchronize()
    assert gpu.calls == ["synchronize"]
    assert stream._own.waited
    with pytest.raises(NotImplementedError, match="communication_stream"):
        ms.runtime.communication_stream()


def test_events_of_a_gpu(gpu):
    stream, other = ms.runtime.Stream(), ms.runtime.Stream()
    event = ms.runtime.Event(enable_timing=True, blocking=True)
    stream.record_event(event)
    other.wait_event(event)
    event.record()
    assert event._own.calls == [
        {"enable_timing": True, "blocking": True}, ("record", stream._own), ("wait", other._own), ("record",),
    ]  # fmt: skip
    assert event.elapsed_time(event) == 7.0


def test_memory_of_a_gpu(gpu):
    stats = ms.runtime.memory_stats()
    assert stats["total_idle_memory"] == 300 * 2**20 - 1000
    assert stats["common_mem_pool_stats"]["blocks_info"] == {64: {"block_stream_id": 0, "block_memory_size": 2**21}}
    assert (ms.hal.memory_allocated("GPU"), ms.hal.max_memory_allocated(), ms.hal.memory_allocated("CPU")) == (
        1000, 5000, 0,
    )  # fmt: skip
    assert (ms.runtime.memory_reserved(), ms.runtime.max_memory_reserved()) == (300 * 2**20, 2**33)
    summary = ms.runtime.memory_summary()
    rows = [line.split("|") for line in summary.splitlines()]
    assert [row[2].strip() for row in rows if len(row) == 4 and "memory " in row[1]] == [
        "300 MB", "1000 B", "299 MB", "0 B", "8192 MB", "5000 B",
    ]  # fmt: skip
    ms.hal.reset_max_memory_reserved()
    ms.hal.empty_cache()
    ms.runtime.set_memory(max_size="4GB")
    ms.runtime.set_memory(max_size="64GB")
    where = torch.device("cuda", 0)
    assert gpu.calls == [("reset", where), "empty", (0.25, where), (1.0, where)]


def test_properties_of_a_gpu(gpu):
    assert ms.hal.is_available("GPU")
    assert ms.hal.is_initialized("GPU")
    assert ms.hal.device_count("GPU") == 1
    assert ms.hal.get_device_name(0) == ms.hal.get_device_properties(0).name == "Card"
    assert ms.hal.get_device_capability(0, "GPU") == (9, 0)
    assert ms.hal.get_device_capability(0, "CPU") is None
    assert ms.hal.get_arch_list() == "sm_80 sm_90"
    with pytest.raises(ValueError, match="'device_id'"):
        ms.hal.get_device_name(1)


def test_blocking_launches_of_a_gpu(gpu, monkeypatch):
    ms.runtime.launch_blocking()
    assert os.environ["CUDA_LAUNCH_BLOCKING"] == "1"
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    with pytest.raises(RuntimeError, match=r"^For 'launch_blocking', call it before"):
        ms.runtime.launch_blocking()


@pytest.mark.parametrize(
    ("call", "kind", "api"),
    [
        (lambda: ms.runtime.Stream(name="a"), RuntimeWarning, "Stream"),
        (lambda: ms.runtime.StreamCtx(1), TypeError, "StreamCtx"),
        (lambda: ms.runtime.set_cur_stream(1), TypeError, "set_cur_stream"),
        (lambda: ms.runtime.Stream().wait_event(1), TypeError, "Stream.wait_event"),
        (lambda: ms.runtime.Stream().wait_stream(1), TypeError, "Stream.wait_stream"),
        (lambda: ms.runtime.MemPool(1), TypeError, "MemPool"),
        (lambda: ms.runtime.use_mem_pool(1).__enter__(), TypeError, "use_mem_pool"),
        (lambda: ms.runtime.StreamLimitCtx(1), TypeError, "StreamLimitCtx"),
        (lambda: ms.runtime.set_device_limit(0, -2), ValueError, "set_device_limit"),
        (lambda: ms.runtime.set_kernel_launch_capture(True, "matmul"), TypeError, "set_kernel_launch_capture"),
        (lambda: ms.runtime.set_memory(huge_page_reserve_size="a"), ValueError, "set_memory"),
        (lambda: ms.runtime.memory_replay("log"), NotImplementedError, "memory_replay"),
    ],
)  # fmt: skip
def test_refusals(call, kind, api):
    with pytest.raises(kind, match=f"^For '{api}', "):
        call()


def test_names_at_the_top():
    assert [name for name in ms.runtime.__all__ if getattr(ms, name) is not getattr(ms.runtime, name)] == []
    shared = ("Event", "Stream", "StreamCtx", "current_stream", "synchronize", "empty_cache")
    assert [name for name in shared if getattr(ms.hal, name) is not getattr(ms.runtime, name)] == []


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_real_gpu(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(device, "_current", torch.device("cuda", 0))
    before = ms.runtime.memory_allocated()
    x = ms.ops.ones((1024, 1024), ms.float32)
    assert ms.runtime.memory_allocated() - before == 4 * 2**20
    assert ms.runtime.max_memory_allocated() >= ms.runtime.memory_allocated()
    start, end = (ms.runtime.Event(enable_timing=True) for _ in range(2))
    stream = ms.runtime.Stream()
    stream.wait_stream(ms.runtime.current_stream())
    with ms.runtime.StreamCtx(stream):
        start.record()
        y = ms.ops.matmul(x, x)
        end.record()
    ms.runtime.current_stream().wait_event(end)
    assert (y == 1024).all()
    ms.runtime.synchronize()
    assert stream.query()
    assert start.elapsed_time(end) > 0
    assert ms.hal.device_count("GPU") == torch.cuda.device_count()
