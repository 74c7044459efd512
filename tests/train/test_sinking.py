"""Datasets that feed functions and cells, and models for THOR."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import DatasetHelper, Tensor, connect_network_with_dataset, data_sink, nn
from train.batches import Batches

X = np.arange(12, dtype=np.float32)[:, None]


def total(x):
    return x.sum()


class Total(nn.Cell):
    def construct(self, x):
        return x.sum()


def test_a_helper_gives_epochs():
    data = Batches(X)
    helper = DatasetHelper(data, dataset_sink_mode=False, epoch_num=2)
    for _ in range(2):
        assert [float(x.sum().asnumpy()) for (x,) in helper] == [6, 22, 38]
    assert helper.sink_size() == 3
    helper.release()
    assert data.open == 0


def test_what_a_helper_knows_of_its_data():
    data = ms.dataset.NumpySlicesDataset({"x": X}, shuffle=False).batch(4)
    helper = DatasetHelper(data, sink_size=2)
    assert helper.sink_size() == 2
    assert helper.types_shapes() == helper.get_data_info() == (data.output_types(), data.output_shapes())
    helper.continue_send()
    helper.stop_send()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("size", "expected"), [(-1, [38, 38]), (2, [22, 6])])
def test_a_connected_cell_takes_the_batches_of_an_epoch(mode, size, expected):
    ms.set_context(mode=mode)
    helper = DatasetHelper(Batches(X), sink_size=size, epoch_num=2)
    net = connect_network_with_dataset(Total(), helper)
    results = [float(net(*inputs).asnumpy()) for _ in range(2) for inputs in helper]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert results == expected


@pytest.mark.parametrize("options", [{}, {"jit_config": ms.JitConfig()}, {"input_signature": Tensor(X[:4])}])
def test_a_function_gets_the_next_batches(options):
    one, two = data_sink(total, Batches(X), **options), data_sink(Total(), Batches(X), 2, **options)
    assert [float(one().asnumpy()) for _ in range(4)] == [6, 22, 38, 6]
    assert [float(two().asnumpy()) for _ in range(3)] == [22, 6, 38]


BAD = [
    (lambda: DatasetHelper(3), TypeError, "DatasetHelper"),
    (lambda: DatasetHelper(Batches(X), 3), TypeError, "DatasetHelper"),
    (lambda: DatasetHelper(Batches(X), True, 0), ValueError, "DatasetHelper"),
    (lambda: DatasetHelper(Batches(X), True, -2), ValueError, "DatasetHelper"),
    (lambda: DatasetHelper(Batches(X), True, 1, 0), ValueError, "DatasetHelper"),
    (lambda: DatasetHelper(Batches(X[:0])), ValueError, "DatasetHelper"),
    (lambda: connect_network_with_dataset(3, DatasetHelper(Batches(X))), TypeError, "connect_network_with_dataset"),
    (lambda: connect_network_with_dataset(Total(), 3), TypeError, "connect_network_with_dataset"),
    (
        lambda: connect_network_with_dataset(Total(), DatasetHelper(Batches(X), False)),
        RuntimeError,
        "connect_network_with_dataset",
    ),
    (lambda: data_sink(3, Batches(X)), TypeError, "data_sink"),
    (lambda: data_sink(total, 3), TypeError, "data_sink"),
    (lambda: data_sink(total, Batches(X), 0), ValueError, "data_sink"),
    (lambda: data_sink(total, Batches(X), jit_config=3), TypeError, "data_sink"),
    (lambda: data_sink(total, Batches(X), input_signature=3), TypeError, "data_sink"),
    (lambda: data_sink(total, Batches(X), input_signature=[Tensor(X)])(), TypeError, "data_sink"),
    (
        lambda: ms.train.ConvertModelUtils.convert_to_thor_model(3, Total()),
        TypeError,
        "ConvertModelUtils.convert_to_thor_model",
    ),
]


@pytest.mark.parametrize(("call", "kind", "name"), BAD)
def test_bad_arguments(call, kind, name):
    with pytest.raises(kind, match=f"^For '{name}', "):
        call()


def test_models_for_thor():
    net = nn.SequentialCell(nn.Dense(1, 1, weight_init="zeros"))
    loss, damping = nn.MSELoss(), Tensor(0.04)
    optimizer = nn.thor(net, Tensor(0.1), damping=damping, momentum=0.9, batch_size=4, frequency=2)
    convert = ms.train.ConvertModelUtils.convert_to_thor_model
    model = ms.Model(net, loss, optimizer)
    converted = convert(model, net, loss, optimizer, {"loss"})
    assert converted is not model
    data = Batches(X / 12, X / 12)
    before = converted.eval(data)["loss"]
    converted.train(5, data)
    assert converted.eval(data)["loss"] < before
    other = ms.Model(net, loss, nn.SGD(net.trainable_params(), 0.1))
    assert convert(other, net, loss, nn.SGD(net.trainable_params(), 0.1)) is other
