"""`Model`: numbers, networks, data, arguments."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.common import device
from torchspore.train import Accuracy, Callback, History, LossMonitor, Model
from torchspore.train.loop import sinks
from train.batches import Batches

RANDOM = np.random.RandomState(0)
X, Y = RANDOM.randn(12, 3).astype(np.float32), RANDOM.randn(12, 2).astype(np.float32)
IMAGES, CLASSES = RANDOM.randn(8, 1, 8, 8).astype(np.float32), RANDOM.randint(0, 4, 8).astype(np.int32)


@pytest.fixture(autouse=True)
def pynative():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def dense(weight=1.0):
    return nn.Dense(3, 2, weight_init=Tensor(np.full((2, 3), weight, np.float32)), bias_init="zeros")


def model(rate=0.1, **options):
    net = dense()
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rate), **options)


def convolutional():
    ms.set_seed(3)
    return nn.SequentialCell(
        nn.Conv2d(1, 3, 3, weight_init="normal"), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Dropout(p=0.3),
        nn.Dense(192, 4, weight_init="normal"),
    )  # fmt: skip


class Computes(nn.Cell):
    """A network of all columns that returns the loss, and other things."""

    def __init__(self, more=False):
        super().__init__()
        self.dense = dense()
        self.more = more

    def construct(self, x, y, weight):
        loss = ((self.dense(x) - y) ** 2 * weight).mean()
        return (loss, x) if self.more else loss


def weights(net):
    return [parameter.asnumpy().copy() for parameter in net.get_parameters()]


# Numbers


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("optimizer", [nn.Momentum, nn.Adam])
def test_training_is_the_loop_by_hand_to_the_last_bit(mode, optimizer):
    ms.set_context(mode=mode)
    arguments = (0.01, 0.9) if optimizer is nn.Momentum else (0.01,)
    loss = nn.CrossEntropyLoss()
    data = Batches(IMAGES, CLASSES)

    by_hand = convolutional()
    update = optimizer(by_hand.trainable_params(), *arguments)
    by_hand.set_train()
    step = ms.value_and_grad(lambda x, y: loss(by_hand(x), y), None, update.parameters)
    ms.set_seed(5)
    losses = []
    for _ in range(3):
        for x, y in data.create_tuple_iterator(num_epochs=1):
            value, gradients = step(x, y)
            update(gradients)
            losses.append(float(value.asnumpy()))

    network = convolutional()
    ms.set_seed(5)
    history = Recorded()
    Model(network, loss, optimizer(network.trainable_params(), *arguments)).train(3, data, callbacks=history)
    assert history.losses == losses
    for ours, expected in zip(weights(network), weights(by_hand)):
        np.testing.assert_array_equal(ours, expected)


class Recorded(Callback):
    """The losses of all steps."""

    def __init__(self):
        self.losses = []
        self.steps = []

    def on_train_step_end(self, run_context):
        state = run_context.original_args()
        self.losses.append(float(state.net_outputs.asnumpy()))
        self.steps.append((state.cur_epoch_num, state.cur_step_num))


def test_both_modes_give_the_same():
    results = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        one = model(metrics={"mae", "loss"})
        one.fit(2, Batches(X, Y), Batches(X, Y))
        results.append((one.eval(Batches(X, Y)), one.predict(Tensor(X)).asnumpy().tolist()))
    assert results[0] == results[1]


def test_a_graph_holds_the_whole_step_and_is_captured_once():
    ms.set_context(mode=ms.GRAPH_MODE)
    one = model(metrics={"mae"})
    one.fit(3, Batches(X, Y), Batches(X, Y))
    assert one.train_network._captured.captures == 1
    assert one.eval_network._captured.captures == 1


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"amp_level": "O0"}, "TrainOneStepCell"),
        ({"amp_level": "O2"}, "TrainOneStepWithLossScaleCell"),
        ({"amp_level": "O2", "loss_scale_manager": None}, "TrainOneStepCell"),
        ({"amp_level": "O3", "keep_batchnorm_fp32": True}, "TrainOneStepCell"),
        ({"amp_level": "auto"}, "TrainOneStepCell"),
        ({"loss_scale_manager": ms.FixedLossScaleManager(8.0, False)}, "TrainOneStepCell"),
        ({"loss_scale_manager": ms.DynamicLossScaleManager(8.0)}, "TrainOneStepWithLossScaleCell"),
    ],
)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_mixed_precision_and_loss_scales(options, name, mode):
    ms.set_context(mode=mode)
    net = dense()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=8.0 if "FixedLoss" in str(options) else 1.0)
    one = Model(net, nn.MSELoss(), optimizer, metrics={"mse"}, **options)
    assert type(one.train_network).__name__ == name
    before = one.eval(Batches(X, Y))["mse"]
    one.train(12, Batches(X, Y))  # the first steps with the default loss scale overflow
    assert one.eval(Batches(X, Y))["mse"] < 0.5 * before
    assert one.predict(Tensor(X)).dtype in (ms.float32, ms.float16)


# Networks


def test_networks_of_a_model():
    one = model()
    assert one.predict_network is one.train_network.network.backbone_network
    assert one.eval_network is None
    assert type(model(metrics={"mae"}).eval_network).__name__ == "WithEvalCell"
    alone = dense()
    assert Model(alone).train_network is alone
    assert Model(alone, eval_network=alone).eval_network is alone


@pytest.mark.parametrize("more", [False, True])
def test_a_network_that_returns_its_loss_takes_all_columns(more):
    net = Computes(more)
    history = History()
    data = Batches(X, Y, np.ones((12, 1), np.float32))
    Model(net, None, nn.SGD(net.trainable_params(), 0.1)).train(2, data, callbacks=history)
    expected = History()
    model().train(2, Batches(X, Y), callbacks=expected)
    assert history.history["net_output"] == pytest.approx(expected.history["net_output"])


def test_a_network_may_update_itself():
    class Counts(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = ms.Parameter(Tensor(0.0))

        def construct(self, x):
            self.count += 1
            return x.sum()

    net = Counts()
    Model(net).train(2, Batches(X))
    assert net.count.asnumpy() == 6


def test_a_network_whose_construct_is_captured():
    class Captured(nn.Cell):
        @ms.jit
        def construct(self, x, y):
            return (x.sum() - y.sum()) ** 2

    one = Model(Captured())
    one.train(1, Batches(X, Y))
    with pytest.raises(ValueError, match=r"has 1 columns, .*inputs \(x, y\)"):
        one.train(1, Batches(X))


def test_an_evaluation_without_a_loss():
    class Pair(nn.Cell):
        def construct(self, x, y):
            return {"x": x}, y

    class Counts(ms.train.Metric):
        def clear(self):
            self.count = 0

        def update(self, *inputs):
            self.count += 1

        def eval(self):
            return self.count

    seen = []
    show = ms.LambdaCallback(on_train_epoch_end=lambda context: seen.append(context.original_args().eval_results))
    net = dense()
    one = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), {"n": Counts()}, Pair())
    one.fit(1, Batches(X, Y), Batches(X, Y), callbacks=show)
    assert seen == [{"n": 3}]


def test_a_loss_without_an_optimizer_trains_nothing_and_says_so():
    with pytest.warns(UserWarning, match="no 'optimizer', so nothing is trained"):
        Model(dense(), nn.MSELoss()).train(1, Batches(X, Y))


class Outputs(nn.Cell):
    """An evaluation that returns the label, the prediction and the loss."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, y):
        output = self.net(x)
        return y, output, ((output - y) ** 2).mean()


def test_what_metrics_take_of_the_outputs_of_an_evaluation():
    net = dense()
    data = Batches(X, Y)
    expected = Model(net, nn.MSELoss(), metrics={"mae", "loss"}).eval(data)
    chosen = Model(net, eval_network=Outputs(net), metrics={"mae", "loss"}, eval_indexes=[2, 1, 0])
    assert chosen.eval(data) == pytest.approx(expected)
    own = {"mae": ms.train.MAE().set_indexes([1, 0]), "loss": ms.train.Loss().set_indexes([2])}
    assert Model(net, eval_network=Outputs(net), metrics=own).eval(data) == pytest.approx(expected)
    with pytest.raises(ValueError, match="'eval_indexes' are \\[2, 1, 3\\], but the network returns 3 outputs"):
        Model(net, eval_network=Outputs(net), metrics={"mae"}, eval_indexes=[2, 1, 3]).eval(data)


def test_results_are_numbers_of_python():
    results = Model(dense(), nn.MSELoss(), metrics={"mae", "loss"}).eval(Batches(X, Y))
    assert {type(value) for value in results.values()} == {float}


def test_eval_loss_is_that_of_the_last_batch():
    seen, losses = [], []
    show = ms.LambdaCallback(
        on_train_epoch_end=lambda context: seen.append(context.original_args().eval_results),
        on_eval_step_end=lambda context: losses.append(context.original_args().net_outputs[0].item()),
    )
    one = model(metrics={"loss": ms.train.Loss()})
    one.fit(1, Batches(X, Y), Batches(X, Y), callbacks=show)
    assert seen[0]["eval_loss"] == pytest.approx(losses[-1])
    assert seen[0]["loss"] == pytest.approx(np.mean(losses))


class Rewound(Batches):
    """A dataset whose only iterator starts again after `reset`, as in some test suites."""

    def __init__(self, *columns, rewinds):
        super().__init__(*columns)
        self.rewinds, self.resets, self.done = rewinds, 0, False

    def create_tuple_iterator(self, num_epochs=-1, do_copy=True):
        return self

    def __iter__(self):
        batches = [] if self.done else list(super().create_tuple_iterator(num_epochs=1))
        self.done = True
        return iter(batches)

    def reset(self):
        self.resets += 1
        self.done = not self.rewinds


def test_datasets_are_reset_after_an_epoch():
    one, history, data = model(metrics={"mae"}), History(), Rewound(X, Y, rewinds=True)
    one.fit(3, data, Rewound(X, Y, rewinds=True), callbacks=history)
    assert data.resets == 3
    assert len(set(history.history["mae"])) == 3
    with pytest.warns(UserWarning, match="'train_dataset' has no batches.* It had some in an earlier epoch"):
        one.train(2, Rewound(X, Y, rewinds=False))


def test_evaluation_and_prediction_infer_and_training_trains():
    one, modes = model(metrics={"mae"}), []

    class Evaluates(Callback):
        def on_train_step_begin(self, run_context):
            modes.append(one.predict_network.training)
            one.eval(Batches(X, Y))
            modes.append(one.predict_network.training)

        def on_train_step_end(self, run_context):
            modes.append(one.predict_network.training)

    one.train(1, Batches(X, Y, size=12), callbacks=Evaluates())
    assert modes == [True, False, True]
    one.predict(Tensor(X))
    assert not one.predict_network.training


# Data


@pytest.mark.parametrize(("frequency", "training"), [(1, False), (2, True)])
def test_a_network_is_left_as_its_last_pass_was(frequency, training):
    trainer = model(metrics={"mse"})
    trainer.fit(3, Batches(X, Y), Batches(X, Y), valid_frequency=frequency)
    assert trainer.predict_network.training is training


def test_errors_add_up_in_float64():
    metric = ms.train.MSE()
    for _ in range(2):
        metric.update(Tensor([1e4], ms.float32), Tensor([0.0], ms.float32))
        metric.update(Tensor([1.0], ms.float32), Tensor([0.0], ms.float32))
    assert metric.eval() * 4 == 2e8 + 2


def test_iterators_are_ended():
    data, valid = Batches(X, Y), Batches(X, Y)
    one = model(metrics={"mae"})
    one.fit(2, data, valid)
    one.eval(valid)
    stop = ms.LambdaCallback(on_train_step_end=lambda context: context.request_stop())
    one.train(2, data, callbacks=stop)
    with pytest.raises(ValueError, match="finite"):
        model(1e30).train(2, data, callbacks=LossMonitor())
    assert data.open == valid.open == 0


def test_sunk_epochs_have_their_own_size_and_go_on_where_the_last_has_ended():
    recorded, expected = Recorded(), Recorded()
    model().train(3, Batches(X, Y), callbacks=recorded, dataset_sink_mode=True, sink_size=2)
    model().train(2, Batches(X, Y), callbacks=expected)
    assert recorded.steps == [(1, 1), (1, 2), (2, 3), (2, 4), (3, 5), (3, 6)]
    assert recorded.losses == expected.losses


def test_datasets_of_the_package():
    def data(*columns):
        return ms.dataset.NumpySlicesDataset(columns, ["x", "y"], shuffle=False).batch(4)

    results = []
    for make in (Batches, data):
        one, history = model(metrics={"mae"}), History()
        one.fit(2, make(X, Y), make(X, Y), callbacks=history)
        one.train(3, make(X, Y), callbacks=history, dataset_sink_mode=True, sink_size=2)
        results.append(history.history)
    assert results[0] == results[1]
    with pytest.raises(ValueError, match="'train_dataset' has no batches"):
        model().train(1, data(X, Y).filter(lambda x, y: False))


def test_the_loop_costs_little():
    class Nothing(nn.Cell):
        def construct(self, x, y):
            return x

    one, steps = Model(Nothing()), 1000
    batch = [Tensor(X), Tensor(Y)]
    data = Batches(np.zeros(4 * steps))
    data.create_tuple_iterator = lambda num_epochs: [batch] * steps
    costs = []
    for _ in range(5):
        began = time.process_time()
        for x, y in [batch] * steps:
            one.train_network(x, y)
        between = time.process_time()
        one.train(1, data, callbacks=[History(), ms.TimeMonitor(), ms.train.ProgressBar()])
        costs.append((time.process_time() - between - (between - began)) / steps)
    assert min(costs) < 50e-6


class Resumes(Callback):
    """Begins a training elsewhere than at its beginning, in epochs of three steps."""

    def __init__(self, epoch, done):
        self.epoch, self.done = epoch, done

    def on_train_begin(self, run_context):
        state = run_context.original_args()
        state.update(resume_at=(self.epoch, self.done), cur_step_num=3 * (self.epoch - 1) + self.done)
        state.train_iterator.done = self.done


@pytest.mark.parametrize(
    ("epoch", "done", "steps"),
    [(2, 1, [(2, 5), (2, 6), (3, 7), (3, 8), (3, 9)]), (3, 3, []), (3, 0, [(3, 7), (3, 8), (3, 9)]), (4, 0, [])],
)
def test_a_callback_may_continue_a_training(epoch, done, steps, tmp_path):
    recorded = Recorded()
    checkpoints = ms.ModelCheckpoint("a", str(tmp_path), ms.CheckpointConfig(2, keep_checkpoint_max=9))
    epochs = []
    end = ms.LambdaCallback(on_train_epoch_end=lambda context: epochs.append(context.original_args().epoch_step_num))
    model().train(3, Batches(X, Y), callbacks=[Resumes(epoch, done), recorded, checkpoints, end])
    assert recorded.steps == steps
    assert epochs == [3] * (4 - epoch)
    assert len(list(tmp_path.iterdir())) == -(-len(steps) // 2)


def test_without_sink_mode_the_sink_size_means_nothing():
    recorded = Recorded()
    model().train(1, Batches(X, Y), callbacks=recorded, sink_size=2)
    assert len(recorded.steps) == 3


def test_a_sunk_epoch_is_one_step_for_callbacks(monkeypatch, capsys):
    monkeypatch.setattr("torchspore.train.model.sinks", lambda wanted: wanted)
    recorded = Recorded()
    model().train(2, Batches(X, Y), callbacks=[recorded, LossMonitor()], dataset_sink_mode=True)
    assert recorded.steps == [(1, 3), (2, 6)]
    assert re.findall(r"epoch: \d step: \d", capsys.readouterr().out) == ["epoch: 1 step: 3", "epoch: 2 step: 3"]


@pytest.mark.parametrize(
    ("mode", "kind", "wanted", "expected"),
    [
        (ms.GRAPH_MODE, "cuda", True, True), (ms.GRAPH_MODE, "cuda", False, False),
        (ms.GRAPH_MODE, "cpu", True, False), (ms.PYNATIVE_MODE, "cuda", True, False),
    ],
)  # fmt: skip
def test_epochs_sink_in_graphs_on_other_devices_than_the_cpu(mode, kind, wanted, expected, monkeypatch):
    ms.set_context(mode=mode)
    monkeypatch.setattr(device, "current", lambda: torch.device(kind))
    assert sinks(wanted) is expected


BAD_DATA = [
    (lambda: Batches(X[:0], Y[:0]), ValueError, "'train_dataset' has no batches"),
    (lambda: Untrue(X[:0], Y[:0]), ValueError, "'train_dataset' has no batches"),
    (lambda: Batches(X), ValueError, "must have 2 columns, the data and the label, but it has 1"),
    (lambda: Batches(X, Y, Y), ValueError, "but it has 3"),
    (lambda: None, TypeError, "must be a dataset, .* but got None"),
    (lambda: [X, Y], TypeError, "must be a dataset"),
]


class Untrue(Batches):
    """An empty dataset of unknown size."""

    def get_dataset_size(self):
        return 3


@pytest.mark.parametrize(("data", "kind", "text"), BAD_DATA)
def test_bad_data(data, kind, text):
    with pytest.raises(kind, match=f"For 'Model.train', .*{text}"):
        model().train(1, data())
    with pytest.raises(kind, match=f"For 'Model.eval', .*{text}".replace("train_", "valid_")):
        model(metrics={"mae"}).eval(data())


def test_columns_that_do_not_fit_the_network():
    net = Computes()
    with pytest.raises(ValueError, match=r"'train_dataset' has 2 columns, .*inputs \(x, y, weight\)"):
        Model(net, None, nn.SGD(net.trainable_params(), 0.1)).train(1, Batches(X, Y))
    with pytest.raises(ValueError, match=r"'valid_dataset' has 3 columns, .*inputs \(x, y\)"):
        Model(net, eval_network=Outputs(dense()), metrics={"mae"}).eval(Batches(X, Y, Y))


# Arguments

NET, LOSS = dense(), nn.MSELoss()
SGD = nn.SGD(NET.trainable_params(), 0.1)
BAD_MODELS = [
    (lambda: Model(1), TypeError, "'network' must be a Cell"),
    (lambda: Model(NET, 3), TypeError, "'loss_fn' must be"),
    (lambda: Model(NET, LOSS, 3), TypeError, "'optimizer' must be"),
    (lambda: Model(NET, LOSS, metrics=["acc"]), TypeError, "For 'Model'"),
    (lambda: Model(NET, LOSS, metrics={"acc": 3}), TypeError, "For 'Model'"),
    (lambda: Model(NET, LOSS, metrics={"nothing"}), KeyError, "nothing"),
    (lambda: Model(NET, metrics={"acc"}), ValueError, "'metrics' need a 'loss_fn' or an 'eval_network'"),
    (lambda: Model(NET, eval_network=3), TypeError, "'eval_network' must be"),
    (lambda: Model(NET, eval_network=NET, eval_indexes=[0, 1]), ValueError, "must have 3 elements"),
    (lambda: Model(NET, eval_network=NET, eval_indexes=3), ValueError, "must be a list of 3 ints"),
    (lambda: Model(NET, LOSS, eval_indexes=[0, 1, 2]), ValueError, "outputs of an 'eval_network'"),
    (lambda: Model(NET, LOSS, SGD, amp_level="O7"), ValueError, "'amp_level' must be one of"),
    (lambda: Model(NET, LOSS, SGD, amp_level=2), TypeError, "'amp_level' must be one of"),
    (lambda: Model(NET, LOSS, amp_level="O2"), ValueError, "there is none"),
    (lambda: Model(NET, LOSS, SGD, boost_level="O9"), ValueError, "'boost_level' must be"),
    (lambda: Model(NET, LOSS, SGD, acc_level="O9"), ValueError, "'acc_level' must be"),
    (lambda: Model(NET, LOSS, SGD, boost_config_dict=3), TypeError, "'boost_config_dict' must be a dict"),
    (lambda: Model(NET, LOSS, SGD, speed=3), ValueError, "no argument 'speed'"),
    (lambda: Model(NET, LOSS, SGD, loss_scale_manager=3), TypeError, "'loss_scale_manager' must be"),
    (lambda: Model(NET, LOSS, loss_scale_manager=None), ValueError, "need an 'optimizer'"),
    (lambda: Model(NET, LOSS, SGD, keep_batchnorm_fp32=3), TypeError, "'keep_batchnorm_fp32' must be a bool"),
]


@pytest.mark.parametrize(("make", "kind", "text"), BAD_MODELS)
def test_bad_models(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


class Older(Callback):
    def step_end(self, run_context):
        pass


class OlderMonitor(LossMonitor, Older):
    pass


DATA = Batches(X, Y)
BAD_CALLS = [
    ("train", ("a", DATA), {}, TypeError, "'epoch' must be an int"),
    ("train", (True, DATA), {}, TypeError, "'epoch' must be an int"),
    ("train", (0, DATA), {}, ValueError, "'epoch' must be > 0"),
    ("train", (1, DATA), {"callbacks": 3}, TypeError, "'callbacks' must be a Callback, a tuple or a list"),
    ("train", (1, DATA), {"callbacks": [3]}, TypeError, "'callbacks\\[0\\]' must be a Callback"),
    ("train", (1, DATA), {"dataset_sink_mode": 3}, TypeError, "'dataset_sink_mode' must be a bool"),
    ("train", (1, DATA), {"sink_size": 0}, ValueError, "'sink_size' must be -1 or > 0"),
    ("train", (1, DATA), {"sink_size": -2}, ValueError, "'sink_size' must be -1 or > 0"),
    ("train", (1, DATA), {"sink_size": "a"}, TypeError, "'sink_size' must be an int"),
    (
        "train",
        (1, DATA),
        {"initial_epoch": 1},
        ValueError,
        "must be > 'initial_epoch', but got epoch=1",
    ),
    ("train", (1, DATA), {"initial_epoch": -1}, ValueError, "'initial_epoch' must be >= 0"),
    ("fit", (1, DATA, DATA), {"valid_frequency": 0}, ValueError, "'valid_frequency' must be > 0"),
    ("fit", (1, DATA, DATA), {"valid_frequency": "a"}, TypeError, "'valid_frequency' must be"),
    ("fit", (1, DATA, DATA), {"valid_frequency": ["a"]}, TypeError, "'valid_frequency\\[0\\]' must be"),
    ("fit", (1, DATA, DATA), {"valid_frequency": True}, TypeError, "'valid_frequency' must be"),
    ("fit", (1, DATA, DATA), {"valid_dataset_sink_mode": 3}, TypeError, "'valid_dataset_sink_mode' must be"),
    ("fit", (1, DATA, 3), {}, TypeError, "'valid_dataset' must be a dataset"),
    ("fit", (1, DATA), {"callbacks": Older()}, ValueError, "Older has step_end"),
    ("fit", (1, DATA), {"callbacks": [OlderMonitor()]}, ValueError, "OlderMonitor has step_end"),
    ("eval", (3,), {}, TypeError, "'valid_dataset' must be a dataset"),
    ("eval", (DATA,), {"dataset_sink_mode": 3}, TypeError, "'dataset_sink_mode' must be a bool"),
    ("predict", (X,), {}, TypeError, "numpy.ndarray.* Convert it to a Tensor"),
    ("predict", ([Tensor(X), {"a": X}],), {}, TypeError, "numpy.ndarray"),
    ("predict", (Tensor(X),), {"backend": "lite"}, NotImplementedError, "MindSpore Lite is not supported"),
    ("predict", (Tensor(X),), {"backend": "else"}, ValueError, "'backend' must be 'lite' or None"),
    ("predict", (Tensor(X),), {"config": {}}, NotImplementedError, "MindSpore Lite is not supported"),
    ("build", (3,), {}, TypeError, "'train_dataset' must be a dataset"),
    ("infer_predict_layout", (Tensor(X),), {}, NotImplementedError, "automatic parallel"),
    ("infer_train_layout", (DATA,), {}, NotImplementedError, "automatic parallel"),
]


@pytest.mark.parametrize(("method", "arguments", "options", "kind", "text"), BAD_CALLS)
def test_bad_arguments(method, arguments, options, kind, text):
    with pytest.raises(kind, match=f"For 'Model.{method}', .*{text}"):
        getattr(model(metrics={"mae"}), method)(*arguments, **options)
    assert DATA.open == 0


@pytest.mark.parametrize("metrics", [None, set(), {}])
def test_evaluations_need_metrics(metrics):
    for call in (lambda one: one.eval(DATA), lambda one: one.fit(1, DATA, DATA)):
        with pytest.raises(ValueError, match="the Model must have 'metrics' to evaluate"):
            call(model(metrics=metrics))
    model(metrics=metrics).fit(1, DATA)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_prediction_takes_what_the_network_takes(mode):
    class Several(nn.Cell):
        def construct(self, pair, table, scale=2):
            return (pair[0] + table["x"]) * scale

    ms.set_context(mode=mode)
    x = Tensor([1.0])
    one = Model(Several())
    assert one.predict((x, x), {"x": x}).asnumpy() == [4.0]
    assert one.predict([x, x], {"x": x}, 3).asnumpy() == [6.0]


def test_build_captures_ahead_and_changes_nothing():
    ms.set_context(mode=ms.GRAPH_MODE)
    one = model(metrics={"mae"})
    before = weights(one.train_network)
    one.build(Batches(X, Y), Batches(X, Y), epoch=2)
    for value, expected in zip(weights(one.train_network), before):
        np.testing.assert_array_equal(value, expected)
    captured = one.train_network._captured.captures, one.eval_network._captured.captures
    one.fit(1, Batches(X, Y), Batches(X, Y))
    assert captured == (one.train_network._captured.captures, one.eval_network._captured.captures) == (1, 1)


def test_metrics_by_their_own_names():
    net = convolutional()
    one = Model(net, nn.CrossEntropyLoss(), metrics={"right": Accuracy()})
    assert 0 <= one.eval(Batches(IMAGES, CLASSES))["right"] <= 1
