"""Profiles: what is recorded, when, and what is left on the disk."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore.profiler import (
    AicoreMetrics,
    DynamicProfilerMonitor,
    ExportType,
    HostSystem,
    Profiler,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    mstx,
    profile,
    profiling,
    schedule,
    tensorboard_trace_handler,
)
from train.batches import Batches

X = ms.Tensor(np.ones((8, 8), np.float32))


def results(folder):
    """Return (names in the trace, rows of the table, metadata) of each folder of results, by time."""
    found = []
    for path in sorted(folder.iterdir(), key=lambda path: int(path.name.rpartition("_")[2])):
        trace = json.loads((path / "trace_view.json").read_text())
        with open(path / "op_statistic.csv", newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
        metadata = json.loads((path / "profiler_metadata.json").read_text())
        found.append(({event["name"] for event in trace["traceEvents"]}, rows, metadata))
    return found


def test_a_trace_and_a_table(tmp_path):
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.NPU], on_trace_ready=tensorboard_trace_handler(str(tmp_path))
    ) as prof:
        for _ in range(3):
            ms.ops.matmul(X, X)
        prof.add_metadata("who", "me")
        prof.add_metadata_json("what", '{"a": 1}')
    ((names, rows, metadata),) = results(tmp_path)
    assert "aten::mm" in names
    assert rows["aten::mm"]["count"] == "3"
    assert 0 < float(rows["aten::mm"]["self_cpu_us"]) <= float(rows["aten::mm"]["total_cpu_us"])
    assert metadata == {"who": "me", "what": {"a": 1}}
    assert "aten::mm" in prof.table()


def test_only_the_steps_of_the_schedule(tmp_path):
    steps = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    with profile(schedule=steps, on_trace_ready=tensorboard_trace_handler(str(tmp_path), "me")) as prof:
        for number in range(12):
            X.reshape(4, 16) if number in (3, 4) else X + number
            prof.step()
    (_, first, _), (_, second, _) = results(tmp_path)
    assert first["aten::reshape"]["count"] == "2"
    assert "aten::add" not in first
    assert second["aten::add"]["count"] == "2"
    assert "aten::reshape" not in second


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"wait": 1, "active": 2}, "NONE RECORD RECORD_AND_SAVE NONE RECORD RECORD_AND_SAVE"),
        ({"wait": 0, "active": 1, "warmup": 1, "repeat": 1}, "WARMUP RECORD_AND_SAVE NONE NONE NONE NONE"),
        ({"wait": 0, "active": 1, "skip_first": 2}, "NONE NONE" + " RECORD_AND_SAVE" * 4),
    ],
)
def test_schedules(given, expected):
    steps = schedule(**given)
    assert [steps(number).name for number in range(6)] == expected.split()
    assert steps.to_dict() == {"warmup": 0, "repeat": 0, "skip_first": 0, **given}


def test_options_of_torch():
    with profile(with_stack=True, profile_memory=True, record_shapes=True) as prof:
        ms.ops.matmul(X, X)
    event = next(event for event in prof.torch_profile.events() if event.name == "aten::mm")
    assert event.input_shapes[:2] == [[8, 8], [8, 8]]
    assert event.cpu_memory_usage == 8 * 8 * 4


def test_start_and_stop():
    prof = profile(start_profile=False)
    with pytest.raises(RuntimeError, match="Call 'start'"):
        prof.table()
    for call in (prof.stop, prof.step):
        with pytest.raises(RuntimeError, match="does not record"):
            call()
    X + 1
    prof.start()
    with pytest.raises(RuntimeError, match="records already"):
        prof.start()
    ms.ops.matmul(X, X)
    prof.stop()
    first = prof.table()
    assert "aten::mm" in first
    assert "aten::add" not in first
    prof.start()
    X + 1
    prof.stop()
    assert "aten::mm" not in prof.table()


def test_marks():
    config = _ExperimentalConfig(mstx=True, mstx_domain_exclude=["noise"])
    with profile(experimental_config=config) as prof:
        outer = mstx.range_start("outer", ms.runtime.current_stream(), "mine")
        mstx.mark("here")
        assert mstx.range_start("unheard", domain="noise") == 0
        mstx.range_end(outer, "mine")
    names = [event.name for event in prof.torch_profile.events()]
    assert {"mine: outer", "here"} <= set(names)
    assert "noise: unheard" not in names
    assert not mstx.enable
    assert mstx.range_start("after") == 0
    mstx.range_end(0)


@pytest.mark.parametrize(
    ("include", "exclude", "expected"), [([], [], "ab"), (["a"], [], "a"), ([], ["a"], "b"), (["a"], ["a"], "a")]
)
def test_domains(include, exclude, expected):
    config = _ExperimentalConfig(mstx=True, mstx_domain_include=include, mstx_domain_exclude=exclude)
    assert [domain for domain in "ab" if config.includes(domain)] == list(expected)


def test_the_older_profiler(tmp_path):
    profiler = Profiler(output_path=str(tmp_path), profiler_level=ProfilerLevel.Level1, data_simplification=False)
    ms.ops.matmul(X, X)
    profiler.analyse(mode="async")
    ((names, _, _),) = results(tmp_path)
    assert "aten::mm" in names
    found = json.loads(profiler.op_analyse(["mm", "aten::mm", "conv"]))
    assert found["mm"] == found["aten::mm"]
    assert found["mm"]["count"] == 1
    assert found["conv"] is None


def test_no_results(tmp_path):
    profiler = Profiler(schedule=schedule(wait=2, active=1), output_path=str(tmp_path / "out"))
    for call in (profiler.table, lambda: profiler.export_chrome_trace(str(tmp_path / "a")), profiler.analyse):
        with pytest.raises(RuntimeError, match="there are no results"):
            call()
    assert list(tmp_path.iterdir()) == []


def test_results_are_written_once(tmp_path):
    profiler = Profiler(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "ready")), output_path=str(tmp_path))
    X + 1
    profiler.analyse()
    assert [path.name for path in tmp_path.iterdir()] == ["ready"]
    assert len(results(tmp_path / "ready")) == 1
    with pytest.raises(RuntimeError, match="already saved"):
        profiler.export_chrome_trace(str(tmp_path / "again"))


def test_a_handler_that_was_not_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Profiler(on_trace_ready=tensorboard_trace_handler):
        X + 1
    assert len(results(tmp_path / "data")) == 1


REFUSED = [
    (lambda: schedule(wait=-1, active=1), ValueError, "schedule"),
    (lambda: schedule(wait=1, active=0), ValueError, "schedule"),
    (lambda: schedule(wait=1, active=1)(-1), ValueError, "schedule"),
    (lambda: profile(hbm_ddr=True), NotImplementedError, "profile"),
    (lambda: profile(pcie=1), TypeError, "profile"),
    (lambda: profile(activities=["CPU"]), TypeError, "profile"),
    (lambda: profile(activities=[]), ValueError, "profile"),
    (lambda: profile(schedule=3), TypeError, "profile"),
    (lambda: profile(experimental_config={}), TypeError, "profile"),
    (lambda: profile(start_profile=False).add_metadata("a", 1), TypeError, "profile.add_metadata"),
    (lambda: profile(start_profile=False).add_metadata_json("a", "{"), ValueError, "add_metadata_json"),
    (lambda: Profiler(l2_cache=True), NotImplementedError, "_ExperimentalConfig"),
    (lambda: Profiler(speed=1, start_profile=False), RuntimeWarning, "Profiler"),
    (lambda: Profiler(output_path=1), TypeError, "Profiler"),
    (lambda: Profiler(start_profile=False).analyse(mode="fast"), ValueError, "Profiler.analyse"),
    (lambda: Profiler(start_profile=False).analyse(step_list=[1]), NotImplementedError, "Profiler.analyse"),
    (lambda: Profiler(start_profile=False).op_analyse(1), TypeError, "Profiler.op_analyse"),
    (lambda: tensorboard_trace_handler(1), TypeError, "tensorboard_trace_handler"),
    (lambda: _ExperimentalConfig(profiler_level=1), TypeError, "_ExperimentalConfig"),
    (lambda: _ExperimentalConfig(aic_metrics=AicoreMetrics.Memory), NotImplementedError, "_ExperimentalConfig"),
    (lambda: _ExperimentalConfig(export_type=[ExportType.Db]), NotImplementedError, "_ExperimentalConfig"),
    (lambda: _ExperimentalConfig(host_sys=[HostSystem.CPU]), NotImplementedError, "_ExperimentalConfig"),
    (lambda: mstx.mark(1), TypeError, "mstx.mark"),
    (lambda: mstx.range_start("a", 1), TypeError, "mstx.range_start"),
    (lambda: mstx.range_end("a"), TypeError, "mstx.range_end"),
    (lambda: DynamicProfilerMonitor(), TypeError, "DynamicProfilerMonitor"),
    (lambda: DynamicProfilerMonitor("folder", speed=1), TypeError, "DynamicProfilerMonitor"),
    (lambda: DynamicProfilerMonitor("folder", poll_interval=0), ValueError, "DynamicProfilerMonitor"),
]


@pytest.mark.parametrize(("call", "kind", "api"), REFUSED)
def test_refusals(call, kind, api, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=f"^For '{api}', "):
        call()
    assert torch.autograd._profiler_enabled() is False


def training(callback):
    """Train for six steps."""
    net = ms.nn.Dense(2, 1)
    model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params()))
    model.train(2, Batches(np.ones((6, 2), np.float32), np.ones((6, 1), np.float32), size=2), callbacks=callback)


@pytest.mark.parametrize(
    ("order", "steps"),
    [
        ({"start_step": 2, "stop_step": 3, "activities": ["CPU"], "profiler_level": "Level1", "analyse": True}, 2),
        ({"start_step": 5, "stop_step": 9}, 2),
        ({}, None),
        ({"start_step": 1, "stop_step": 2, "l2_cache": True}, None),
        ("no JSON", None),
    ],
)
def test_a_profile_that_a_file_orders(tmp_path, order, steps, capsys):
    monitor = DynamicProfilerMonitor(str(tmp_path / "orders"), str(tmp_path / "out"))
    file = tmp_path / "orders" / "profiler_config.json"
    assert json.loads(file.read_text()) == {"start_step": -1, "stop_step": -1}
    file.write_text(order if isinstance(order, str) else json.dumps(order))
    training(monitor)
    if steps is None:
        assert not (tmp_path / "out").exists()
        assert ("DynamicProfilerMonitor" in capsys.readouterr().err) == bool(order)
    else:
        ((_, rows, _),) = results(tmp_path / "out")
        assert int(rows["aten::mse_loss"]["count"]) == steps


@pytest.mark.parametrize("analyse", [Profiler.offline_analyse, profiling.analyse])
def test_results_are_whole(analyse, tmp_path, caplog):
    for path in (tmp_path, tmp_path / "absent"):
        assert analyse(str(path)) is None
    (tmp_path / "host_1_ascend_ms").mkdir()
    with pytest.raises(NotImplementedError, match="the raw data of Ascend cards"):
        analyse(str(tmp_path))
