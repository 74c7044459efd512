"""Event files, read by TensorBoard's reader."""

from __future__ import annotations

import importlib.util
import io
import math

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore.ops.control.summaries import RECORDERS
from torchspore.train.summary import events
from train.batches import Batches

pytest.importorskip("tensorboard")

from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def read(folder):
    """Return the reader of a folder's only event file."""
    (file,) = (path for path in folder.iterdir() if "tfevents" in path.name)
    return EventAccumulator(str(file), size_guidance={"tensors": 0, "scalars": 0}).Reload()


def text(reader, tag):
    return reader.Tensors(f"{tag}/text_summary")[-1].tensor_proto.string_val[0].decode()


def test_values_of_all_kinds(tmp_path):
    values = np.array([[-1.0, 0.0, 2.0], [2.0, math.nan, 2.0]], np.float32)
    with ms.SummaryRecord(str(tmp_path / "new"), "run", "_a") as record:
        record.add_value("scalar", "loss", ms.Tensor(0.5))
        record.add_value("scalar", "loss", ms.Tensor([0.25]))
        record.add_value("histogram", "weights", ms.Tensor(values))
        record.add_value("tensor", "whole", ms.Tensor(values))
        record.add_value("custom_lineage_data", "table", {"a|b": 3})
        assert record.record(4)
        record.add_value("scalar", "loss", ms.Tensor(0.125, ms.bfloat16))
        assert record.record(5)
        assert record.log_dir.endswith("_a")
    reader = read(tmp_path / "new")
    assert [(event.step, event.value) for event in reader.Scalars("loss")] == [(4, 0.25), (5, 0.125)]
    histogram = reader.Histograms("weights")[0].histogram_value
    assert (histogram.num, histogram.min, histogram.max, histogram.sum) == (5, -1, 2, 5)
    assert sum(count for limit, count in zip(histogram.bucket_limit, histogram.bucket) if limit > 1) == 3
    stored = reader.Tensors("whole")[0].tensor_proto
    np.testing.assert_array_equal(np.array(stored.float_val, np.float32).reshape(2, 3), values)
    assert text(reader, "table") == "| name | value |\n| --- | --- |\n| a\\|b | 3 |"


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (np.array([0, 7, 255], np.uint8), [0, 7, 255]),
        (np.array([0.0, 1.0, 2.0], np.float32), [0, 127, 255]),
        (np.array([-2.0, 0.0, 1.0], np.float32), [0, 127, 191]),
        (np.array([0, 0, 0], np.int64), [0, 0, 0]),
    ],
)
def test_images(tmp_path, image, expected):
    with ms.SummaryRecord(str(tmp_path)) as record:
        record.add_value("image", "picture", ms.Tensor(image.reshape(1, 1, 1, 3)))
        record.record(1)
    (shown,) = read(tmp_path).Images("picture")
    pixels = np.asarray(Image.open(io.BytesIO(shown.encoded_image_string)).convert("RGB"))
    assert pixels.tolist() == [[[value] * 3 for value in expected]]


class Net(ms.nn.Cell):
    """A layer that records its inputs."""

    def __init__(self):
        super().__init__()
        self.layer = ms.nn.Dense(2, 1, "ones", "zeros")
        self.scalar = ms.ops.ScalarSummary()
        self.tensor = ms.ops.TensorSummary()

    def construct(self, x):
        self.scalar("mean", x.mean())
        self.tensor("input", x)
        return self.layer(x)


@pytest.mark.parametrize("graph", [False, True])
def test_operations_record_where_a_record_is_open(tmp_path, graph):
    net = Net()
    run = ms.jit(net) if graph else net
    run(ms.Tensor([[9.0, 9.0]]))  # captured while nothing records
    with ms.SummaryRecord(str(tmp_path)) as record:
        run(ms.Tensor([[0.0, 1.0]]))
        record.record(1, plugin_filter=lambda kind: kind == "scalar")
        run(ms.Tensor([[0.0, 2.0]]))
        record.record(2)
    run(ms.Tensor([[7.0, 7.0]]))
    reader = read(tmp_path)
    assert [(event.step, event.value) for event in reader.Scalars("mean")] == [(1, 0.5), (2, 1.0)]
    assert [event.step for event in reader.Tensors("input")] == [2]


def test_the_structure_is_written_once(tmp_path):
    with ms.SummaryRecord(str(tmp_path), network=ms.nn.Dense(2, 3)) as record:
        record.set_mode("eval")
        record.record(1)
        record.set_mode("train")
        record.record(2)
        record.record(3, train_network=ms.nn.ReLU())
    reader = read(tmp_path)
    assert [event.step for event in reader.Tensors("network/text_summary")] == [2]
    assert "Dense(input_channels=2, output_channels=3" in text(reader, "network")


def test_files_of_tensors(tmp_path):
    values = np.arange(3, dtype=np.int64)
    with ms.SummaryRecord(str(tmp_path), export_options={"tensor_format": "npy"}) as record:
        record.add_value("tensor", "a/b", ms.Tensor(values))
        record.add_value("scalar", "c", ms.Tensor(1))
        record.record(7)
    (file,) = (tmp_path / "export" / "tensor").iterdir()
    assert file.name == "a_b_7.npy"
    np.testing.assert_array_equal(np.load(file), values)


def test_the_maximum_size(tmp_path, capsys):
    with ms.SummaryRecord(str(tmp_path), max_file_size=300) as record:
        for step in range(50):
            record.add_value("scalar", "loss", ms.Tensor(float(step)))
            assert record.record(step)
    reader = read(tmp_path)
    assert 2 < len(reader.Scalars("loss")) < 10
    assert [event.step for event in reader.Scalars("loss")] == list(range(len(reader.Scalars("loss"))))
    assert capsys.readouterr().err.count("maximum size") == 1
    assert next(tmp_path.iterdir()).stat().st_size <= 300


def test_nothing_is_written_when_nothing_is_recorded(tmp_path):
    with ms.SummaryRecord(str(tmp_path)) as record:
        assert record.record(1)
        record.flush()
    assert list(tmp_path.iterdir()) == []


def test_a_closed_record(tmp_path, capsys):
    record = ms.SummaryRecord(str(tmp_path))
    record.close()
    record.close()
    record.flush()
    record.add_value("scalar", "loss", ms.Tensor(1.0))
    assert record.record(1) is False
    assert "is closed" in capsys.readouterr().err
    with pytest.raises(ValueError, match="is closed"):
        record.__enter__()
    ms.ops.ScalarSummary()("x", ms.Tensor(1.0))  # nobody listens
    assert RECORDERS == []


def test_failures_to_write(tmp_path, capsys):
    for raises in (False, True):
        record = ms.SummaryRecord(str(tmp_path), raise_exception=raises)
        record._file.path = str(tmp_path / "missing" / "file")
        record.add_value("scalar", "loss", ms.Tensor(1.0))
        if raises:
            with pytest.raises(FileNotFoundError):
                record.record(1)
        else:
            assert record.record(1) is False
            assert record.record(2) is True
            record.add_value("scalar", "loss", ms.Tensor(1.0))
            assert record.record(3) is False
            assert capsys.readouterr().err.count("could not be written") == 1
            with pytest.raises(FileNotFoundError, match="For 'SummaryRecord', recorded values are missing"):
                record.close()
        record.close()
    assert RECORDERS == []


FULL = """
import resource, signal, sys
import numpy as np
import torchspore as ms

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
folder, options = sys.argv[1], eval(sys.argv[2])
value = ms.Tensor(np.ones(3000, np.float32))
try:
    with ms.SummaryRecord(folder, **options) as record:
        for step in range(4):
            record.add_value("tensor", "x", value)
            record.record(step)
        print("recorded")
except OSError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"raise_exception": True}])
def test_a_full_disk(options, tmp_path):
    """A limit on file sizes simulates it: the error comes at the end, and the file has what was written whole."""
    output = preloaded.output_of(FULL, arguments=("-c", str(tmp_path), repr(options)))
    assert ("recorded" in output) is not bool(options)
    assert ("recorded values are missing" in output) is not bool(options)
    assert f"File too large: '{tmp_path}/events" in output
    assert [event.step for event in read(tmp_path).Tensors("x")] == [0]


def add(plugin, name, value):
    """Return a function that adds a value to a record."""

    def call(folder):
        with ms.SummaryRecord(folder) as record:
            record.add_value(plugin, name, value)

    return call


REFUSED = [
    (lambda folder: ms.SummaryRecord(1), TypeError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(""), ValueError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, 1), TypeError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, ""), ValueError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, "a/b"), ValueError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, file_suffix="a/b"), ValueError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, num_process="a"), TypeError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, network=1), TypeError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, max_file_size=0), ValueError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, raise_exception=1), TypeError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, export_options=1), TypeError, "SummaryRecord"),
    (lambda folder: ms.SummaryRecord(folder, export_options={"tensor_format": "x"}), ValueError, "SummaryRecord"),
    (add("scalar", "loss", 0.5), TypeError, "SummaryRecord.add_value"),
    (add("scalar", "loss", ms.Tensor([1.0, 2.0])), ValueError, "SummaryRecord.add_value"),
    (add("scalar", "", ms.Tensor(1.0)), ValueError, "SummaryRecord.add_value"),
    (add("scalar", 1, ms.Tensor(1.0)), ValueError, "SummaryRecord.add_value"),
    (add("image", "a", ms.ops.ones((3, 4, 4), ms.float32)), ValueError, "SummaryRecord.add_value"),
    (add("image", "a", ms.ops.ones((1, 2, 4, 4), ms.float32)), ValueError, "SummaryRecord.add_value"),
    (add("histogram", "a", ms.Tensor(1.0)), ValueError, "SummaryRecord.add_value"),
    (add("tensor", "a", ms.Tensor(1.0)), ValueError, "SummaryRecord.add_value"),
    (add("graph", "a", "text"), TypeError, "SummaryRecord.add_value"),
    (add("eval_lineage", "a", "text"), TypeError, "SummaryRecord.add_value"),
    (add("landscape", "a", "text"), NotImplementedError, "SummaryRecord.add_value"),
    (add("video", "a", ms.Tensor(1.0)), ValueError, "SummaryRecord.add_value"),
    (lambda folder: ms.SummaryRecord(folder).set_mode("test"), ValueError, "SummaryRecord.set_mode"),
    (lambda folder: ms.SummaryRecord(folder).record("1"), TypeError, "SummaryRecord.record"),
    (lambda folder: ms.SummaryRecord(folder).record(1, 5), TypeError, "SummaryRecord.record"),
    (lambda folder: ms.SummaryCollector(1), TypeError, "SummaryCollector"),
    (lambda folder: ms.SummaryCollector(folder, 0), ValueError, "SummaryCollector"),
    (lambda folder: ms.SummaryCollector(folder, collect_tensor_freq=0), ValueError, "SummaryCollector"),
    (lambda folder: ms.SummaryCollector(folder, keep_default_action=1), TypeError, "SummaryCollector"),
    (lambda folder: ms.SummaryCollector(folder, collect_specified_data=1), TypeError, "SummaryCollector"),
    (lambda folder: ms.SummaryCollector(folder, custom_lineage_data={1: 1}), TypeError, "SummaryCollector"),
    (lambda folder: ms.SummaryCollector(folder, custom_lineage_data={"a": [1]}), TypeError, "SummaryCollector"),
    (lambda folder: ms.SummaryCollector(folder, custom_lineage_data=1), TypeError, "SummaryCollector"),
    *[
        (
            lambda folder, chosen=chosen: ms.SummaryCollector(folder, collect_specified_data=chosen),
            kind, "SummaryCollector",
        )
        for chosen, kind in [
            ({"other": 1}, ValueError), ({"collect_metric": 1}, TypeError), ({"histogram_regular": 1}, TypeError),
            ({"histogram_regular": "("}, ValueError), ({"collect_landscape": 1}, TypeError),
            ({"collect_landscape": {"unit": "step"}}, NotImplementedError),
            ({"collect_dataset_graph": True}, NotImplementedError),
        ]
    ],
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "api"), REFUSED)
def test_refusals(call, kind, api, tmp_path):
    with pytest.raises(kind, match=f"^For '{api}', "):
        call(str(tmp_path))
    for record in [recorder.__self__ for recorder in RECORDERS]:
        record.close()


def test_without_tensorboard(monkeypatch, tmp_path):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for make in (ms.SummaryRecord, ms.SummaryCollector):
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'torchspore\[tensorboard\]'"):
            make(str(tmp_path))


class Flat(ms.nn.Cell):
    """A layer for small images."""

    def __init__(self):
        super().__init__()
        self.layer = ms.nn.Dense(4, 1)

    def construct(self, x):
        return self.layer(x.reshape((-1, 4)))


def trained(folder, evaluates=True, net=None, shape=(12, 1, 2, 2), **options):
    """Train with a collector, for 2 epochs of 6 steps, and return the reader of its file."""
    net = net or Flat()
    model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.125), metrics={"mae"})
    data = Batches(np.ones(shape, np.float32), np.ones((12, 1), np.float32), size=2)
    collector = ms.SummaryCollector(str(folder), **options)
    if evaluates:
        model.fit(2, data, data, callbacks=collector)
    else:
        model.train(2, data, callbacks=collector)
    return read(folder)


def test_a_training(tmp_path):
    reader = trained(tmp_path, collect_freq=4, custom_lineage_data={"note": "hello"})
    assert [event.step for event in reader.Scalars("loss/auto")] == [1, 4, 8, 12]
    assert [event.step for event in reader.Scalars("eval/mae")] == [6, 12]
    assert [event.step for event in reader.Images("input_data/auto")] == [1, 4, 8, 12]
    assert reader.Tags()["histograms"] == ["layer.weight/auto", "layer.bias/auto"]
    assert "Dense(" in text(reader, "network")
    assert "| optimizer | SGD |" in text(reader, "train_lineage")
    assert "| parameters | 5 |" in text(reader, "train_lineage")
    assert "| mae |" in text(reader, "eval_lineage")
    assert "| note | hello |" in text(reader, "custom_lineage_data")


@pytest.mark.parametrize(
    ("chosen", "default", "expected"),
    [
        ({"collect_metric": True}, False, {"loss/auto"}),
        ({"histogram_regular": "layer.b"}, False, {"layer.bias/auto"}),
        ({"histogram_regular": None}, False, {"layer.weight/auto", "layer.bias/auto"}),
        ({"collect_input_data": True}, False, {"input_data/auto"}),
        ({"collect_graph": True}, False, {"network/text_summary"}),
        (
            {"collect_graph": False, "collect_metric": False, "histogram_regular": "other"}, True,
            {"input_data/auto", "train_lineage/text_summary"},
        ),
    ],
)  # fmt: skip
def test_what_is_chosen(tmp_path, chosen, default, expected):
    reader = trained(tmp_path, evaluates=False, collect_specified_data=chosen, keep_default_action=default)
    tags = reader.Tags()
    assert {tag for kind in ("scalars", "images", "histograms", "tensors") for tag in tags[kind]} == expected


@pytest.mark.parametrize(("freq", "expected"), [(None, [1, 2, 4, 6, 8, 10, 12]), (5, [1, 5, 10])])
def test_operations_in_a_training(tmp_path, monkeypatch, freq, expected):
    monkeypatch.setattr("torchspore.train.callback.summary_collector._TENSOR_RECORDS", 6)
    reader = trained(tmp_path, net=Net(), shape=(12, 2), collect_freq=1, collect_tensor_freq=freq)
    assert [event.step for event in reader.Tensors("input")] == expected
    assert [event.step for event in reader.Scalars("mean")] == list(range(1, 13))


def test_an_evaluation(tmp_path):
    net = Flat()
    model = ms.Model(net, ms.nn.MSELoss(), metrics={"mae"})
    data = Batches(np.ones((4, 4), np.float32), np.ones((4, 1), np.float32), size=2)
    model.eval(data, callbacks=ms.SummaryCollector(str(tmp_path)))
    assert "| mae |" in text(read(tmp_path), "eval_lineage")


def test_two_files_in_one_second(tmp_path):
    names = {events.EventFile(str(tmp_path), "a", "b", None).path for _ in range(3)}
    assert len(names) == 3
