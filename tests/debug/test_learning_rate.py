"""`debug.find_learning_rate`: a suggestion between too small and too large, and everything restored."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore import Tensor, debug, mint, nn

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(64, 4)).astype(np.float32)
Y = (X @ RANDOM.normal(size=(4, 1))).astype(np.float32)
BATCHES = [(X[i : i + 16], Y[i : i + 16]) for i in range(0, 64, 16)]


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def network():
    ms.set_seed(0)
    return nn.SequentialCell(nn.Dense(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 1))


OPTIMIZERS = {
    "SGD": lambda weights: nn.SGD(weights, 0.1),
    "Adam": lambda weights: nn.Adam(weights, 0.1),
    "groups": lambda weights: nn.Momentum([{"params": weights[:2], "lr": 0.1}, {"params": weights[2:]}], 0.01, 0.9),
    "mint": lambda weights: mint.optim.AdamW(weights, lr=0.1),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_the_suggestion_and_the_restored_state(make):
    net = network()
    optimizer = make(net.trainable_params())
    held = [*net.get_parameters(), *optimizer.get_parameters()]
    before = [parameter.asnumpy().copy() for parameter in held]
    ms.set_seed(5)
    expected = ms.ops.rand((2,)).asnumpy()
    ms.set_seed(5)
    found = debug.find_learning_rate(net, nn.MSELoss(), optimizer, BATCHES, steps=60)
    np.testing.assert_array_equal(ms.ops.rand((2,)).asnumpy(), expected)
    assert 1e-4 < found.suggestion < 1
    assert len(found.rates) == len(found.losses) == len(found.smoothed) <= 60
    assert found.rates[:2] == (pytest.approx(1e-7), pytest.approx(1e-7 * 1e8 ** (1 / 59)))
    assert found.losses[-1] > min(found.losses)
    for parameter, value in zip(held, before):
        np.testing.assert_array_equal(parameter.asnumpy(), value, err_msg=parameter.name)
    assert not any(cell.training for _, cell in net.cells_and_names())
    optimizer(tuple(Tensor(np.ones(p.shape, np.float32)) for p in net.trainable_params()))  # it still works


def test_what_is_shown():
    net = network()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    found = debug.find_learning_rate(net, nn.MSELoss(), optimizer, BATCHES, start=1e-4, stop=0.3, steps=12)
    assert str(found) == repr(found)
    assert str(found).startswith("Suggested learning rate: ")
    assert str(found).endswith(" (12 steps, 0.0001 to 0.3)")
    page = found._repr_html_()
    assert page.count("<polyline") == 2
    assert "stroke-dasharray" in page


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (lambda: ds.NumpySlicesDataset((X, Y), ["x", "y"]).batch(16), 10),
        (lambda: [{"x": Tensor(X), "y": Tensor(Y)}], 10),
        (lambda: iter(BATCHES), 4),
        (lambda: (batch for batch in BATCHES[:1]), 1),
    ],
)
def test_data(data, count):
    net = network()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    found = debug.find_learning_rate(net, nn.MSELoss(), optimizer, data(), steps=10, stop=1e-3)
    assert len(found.losses) == count


def test_networks_that_return_the_loss():
    net = nn.WithLossCell(network(), nn.MSELoss())
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    assert len(debug.find_learning_rate(net, None, optimizer, BATCHES, steps=5, stop=1e-3).losses) == 5


def test_losses_that_do_not_fall_or_are_not_finite():
    net = network()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    found = debug.find_learning_rate(net, nn.MSELoss(), optimizer, [(X * np.nan, Y)])
    assert (len(found.losses), found.suggestion) == (1, None)
    assert str(found).startswith("Suggested learning rate: none, as the loss does not fall")
    assert "<svg" not in found._repr_html_()


class Raising(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 1)
        self.calls = 0

    def construct(self, x):
        if self.calls == 2:
            raise KeyError("of the program")
        self.calls += 1
        return self.dense(x)


def test_a_failure_restores_too(mode):
    if mode == ms.GRAPH_MODE:
        pytest.skip("an attribute that changes at each call")
    net = Raising()
    before = net.dense.weight.asnumpy().copy()
    with pytest.raises(KeyError, match="of the program"):
        debug.find_learning_rate(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), BATCHES, start=0.1)
    np.testing.assert_array_equal(net.dense.weight.asnumpy(), before)
    assert (net.calls, net.training) == (0, False)


NET = network()
SGD = nn.SGD(NET.trainable_params(), 0.1)


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "text"),
    [
        ((3, None, SGD, BATCHES), {}, TypeError, "'net' must be a Cell"),
        ((NET, None, 3, BATCHES), {}, TypeError, "'optimizer' must be a Cell"),
        ((NET, 3, SGD, BATCHES), {}, TypeError, "'loss_fn' must be a function or None"),
        ((NET, nn.MSELoss(), SGD, 3), {}, TypeError, "'data' must be a dataset or an iterable"),
        ((NET, nn.MSELoss(), SGD, []), {}, ValueError, "'data' must have a batch, but is empty"),
        ((NET, nn.MSELoss(), SGD, [(X,)]), {}, ValueError, "a batch must have a label"),
        ((NET, nn.MSELoss(reduction="none"), SGD, BATCHES), {}, ValueError, "the loss must be one number"),
        ((NET, nn.MSELoss(), NET, BATCHES), {}, ValueError, "must be an optimizer with a constant learning rate"),
        ((NET, nn.MSELoss(), nn.SGD(NET.trainable_params(), nn.ExponentialDecayLR(0.1, 0.9, 2)), BATCHES), {},
         ValueError, "a number instead of a schedule"),
        ((NET, nn.MSELoss(), SGD, BATCHES), {"start": 0.0}, ValueError, "'start' must be > 0"),
        ((NET, nn.MSELoss(), SGD, BATCHES), {"stop": 1e-8}, ValueError, "'stop' must be > 'start'"),
        ((NET, nn.MSELoss(), SGD, BATCHES), {"steps": 1}, ValueError, "'steps' must be >= 2"),
        ((NET, nn.MSELoss(), SGD, BATCHES), {"divergence": 1.0}, ValueError, "'divergence' must be > 1, but"),
    ],
)  # fmt: skip
def test_bad_arguments(arguments, options, kind, text):
    with pytest.raises(kind, match=f"For 'find_learning_rate', .*{text}"):
        debug.find_learning_rate(*arguments, **options)
