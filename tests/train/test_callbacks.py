"""Callbacks: their arguments, and where they do otherwise than MindSpore's, of which `training.json` has the rest."""

from __future__ import annotations

import json
import os
import re
import signal
import time

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.train import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    ModelCheckpoint,
    OnRequestExit,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
)
from torchspore.train.callback.callback import CallbackList, CallbackParams
from torchspore.train.callback.checkpoint import _chg_ckpt_file_name_if_same_exist
from train.batches import Batches

RANDOM = np.random.RandomState(0)
X, Y = RANDOM.randn(12, 3).astype(np.float32), RANDOM.randn(12, 2).astype(np.float32)


def model(rate=0.1, **options):
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rate), **options)


def train(*callbacks, epochs=1, rate=0.1):
    one = model(rate)
    one.train(epochs, Batches(X, Y), callbacks=list(callbacks))
    return one


def fit(*callbacks, epochs=1, **options):
    one = model(metrics={"mae"})
    one.fit(epochs, Batches(X, Y), Batches(X, Y), callbacks=list(callbacks), **options)
    return one


def weight(one):
    return one.predict_network.weight.asnumpy().copy()


class Acts(Callback):
    """Does something after a step."""

    def __init__(self, step, act):
        self.step, self.act, self.steps = step, act, []

    def step_end(self, run_context):
        self.steps.append(run_context.original_args().cur_step_num)
        if self.steps[-1] == self.step:
            self.act()


# The base


def test_the_state_is_a_dictionary_with_attributes():
    state = CallbackParams(a=1)
    state.b = 2
    assert (state["b"], state.a, state.get("c", 3)) == (2, 1, 3)
    assert not hasattr(state, "c")
    with pytest.raises(AttributeError, match=r"There is no 'c' here now\. There are: a, b"):
        state.c  # noqa: B018


def test_callbacks_that_ignore_a_moment_are_not_called():
    class New(Callback):
        def on_train_step_end(self, run_context):
            pass

    class Old(Callback):
        def step_end(self, run_context):
            pass

    callbacks = CallbackList([Callback(), New(), Old(), LambdaCallback(on_train_step_end=print)])
    assert len(callbacks._listeners["on_train_step_end"]) == 3
    assert len(callbacks._listeners["on_eval_step_end"]) == 1
    assert callbacks._listeners["on_train_begin"] == []


def test_callbacks_are_entered_before_and_left_after_in_turn():
    told = []

    class Enters(Callback):
        def __init__(self, name, fails=False):
            self.name, self.fails = name, fails

        def __enter__(self):
            if self.fails:
                raise RuntimeError("on purpose")
            told.append(f"enter {self.name}")

        def __exit__(self, *error):
            told.append(f"leave {self.name}")

    fit(Enters(1), Enters(2))
    assert told == ["enter 1", "enter 2", "leave 2", "leave 1"]
    told.clear()
    with pytest.raises(RuntimeError, match="on purpose"):
        train(Enters(1), Enters(2, fails=True))
    assert told == ["enter 1", "leave 1"]


def test_functions_are_called_in_the_evaluations_of_fit_too():
    seen = []
    fit(LambdaCallback(on_eval_end=lambda context: seen.append(context.original_args().metrics)))
    assert [sorted(metrics) for metrics in seen] == [["mae"]]


# Arguments

BAD = [
    (lambda: RunContext(3), TypeError, "RunContext"),
    (lambda: LossMonitor("a"), TypeError, "LossMonitor"),
    (lambda: LossMonitor(True), TypeError, "LossMonitor"),
    (lambda: LossMonitor(-1), ValueError, "LossMonitor"),
    (lambda: TimeMonitor(0), ValueError, "TimeMonitor"),
    (lambda: TimeMonitor("a"), TypeError, "TimeMonitor"),
    (lambda: TimeMonitor(data_time=3), TypeError, "TimeMonitor"),
    (lambda: LambdaCallback(on_train_end=3), TypeError, "LambdaCallback"),
    (lambda: LearningRateScheduler(3), TypeError, "LearningRateScheduler"),
    (lambda: EarlyStopping(3), TypeError, "EarlyStopping"),
    (lambda: EarlyStopping(mode="x"), ValueError, "EarlyStopping"),
    (lambda: EarlyStopping(patience=-1), ValueError, "EarlyStopping"),
    (lambda: EarlyStopping(patience=1.5), TypeError, "EarlyStopping"),
    (lambda: EarlyStopping(verbose=2), TypeError, "EarlyStopping"),
    (lambda: EarlyStopping(min_delta="a"), TypeError, "EarlyStopping"),
    (lambda: EarlyStopping(baseline="a"), TypeError, "EarlyStopping"),
    (lambda: EarlyStopping(restore_best_weights=3), TypeError, "EarlyStopping"),
    (lambda: ReduceLROnPlateau(mode="x"), ValueError, "ReduceLROnPlateau"),
    (lambda: ReduceLROnPlateau(factor=1), TypeError, "ReduceLROnPlateau"),
    (lambda: ReduceLROnPlateau(factor=1.0), ValueError, "ReduceLROnPlateau"),
    (lambda: ReduceLROnPlateau(factor=0.0), ValueError, "ReduceLROnPlateau"),
    (lambda: ReduceLROnPlateau(cooldown=-1), ValueError, "ReduceLROnPlateau"),
    (lambda: ReduceLROnPlateau(min_lr="a"), TypeError, "ReduceLROnPlateau"),
    (lambda: ModelCheckpoint("a/b"), ValueError, "ModelCheckpoint"),
    (lambda: ModelCheckpoint(3), ValueError, "ModelCheckpoint"),
    (lambda: ModelCheckpoint(directory=3), TypeError, "ModelCheckpoint"),
    (lambda: ModelCheckpoint(config=3), TypeError, "ModelCheckpoint"),
    (lambda: CheckpointConfig(save_checkpoint_steps=-1), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(save_checkpoint_steps=1.5), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(save_checkpoint_seconds=-1), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(keep_checkpoint_max=-1), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(keep_checkpoint_per_n_minutes="a"), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(0, 0, 0, 0), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(None, None, None, None), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(integrated_save=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(async_save=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(async_save="later"), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(saved_network=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(append_info=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(append_info=["x"]), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(append_info=[{"a": "s"}]), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(append_info=[{1: 2}]), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(append_info=[{"a": 1}, {"b": 2}]), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(enc_key="a"), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(enc_mode="x"), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(enc_mode=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(exception_save=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(crc_check=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(remove_redundancy=True), NotImplementedError, "CheckpointConfig"),
    (lambda: CheckpointConfig(format="x"), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(format=3), TypeError, "CheckpointConfig"),
    (lambda: CheckpointConfig(format="safetensors", crc_check=True), ValueError, "CheckpointConfig"),
    (lambda: CheckpointConfig(format="safetensors", enc_key=b"0" * 16), ValueError, "CheckpointConfig"),
    (lambda: BackupAndRestore(3), TypeError, "BackupAndRestore"),
    (lambda: BackupAndRestore("a", 0), ValueError, "BackupAndRestore"),
    (lambda: BackupAndRestore("a", "step"), TypeError, "BackupAndRestore"),
    (lambda: BackupAndRestore("a", delete_checkpoint=3), TypeError, "BackupAndRestore"),
    (lambda: OnRequestExit(3, False), TypeError, "OnRequestExit"),
    (lambda: OnRequestExit(True, 3), TypeError, "OnRequestExit"),
    (lambda: OnRequestExit(True, False, 3), TypeError, "OnRequestExit"),
    (lambda: OnRequestExit(True, False, "a", 3), TypeError, "OnRequestExit"),
    (lambda: OnRequestExit(True, False, config_file=3), TypeError, "OnRequestExit"),
    (lambda: OnRequestExit(True, False, sig="a"), TypeError, "OnRequestExit"),
    (lambda: OnRequestExit(True, False, sig=signal.SIGKILL), ValueError, "OnRequestExit"),
]


@pytest.mark.parametrize(("make", "kind", "name"), BAD)
def test_bad_arguments(make, kind, name):
    with pytest.raises(kind, match=f"^For '{name}', "):
        make()


# Monitors


@pytest.mark.parametrize("rate", [1e20, 1e30])
def test_a_loss_that_is_not_finite_ends_the_training(rate, capsys):
    with pytest.raises(
        ValueError, match=r"^For 'LossMonitor', the loss must be finite, but got (inf|nan) in epoch 1, "
    ):
        train(LossMonitor(), epochs=3, rate=rate)
    assert capsys.readouterr().out.startswith("epoch: 1 step: 1, loss is 6.61")


def test_a_network_must_return_a_loss_to_be_monitored():
    class Nothing(nn.Cell):
        def construct(self, x, y):
            return None

    with pytest.raises(TypeError, match=r"^For 'LossMonitor', the network must return its loss"):
        Model(Nothing()).train(1, Batches(X, Y), callbacks=LossMonitor())


def test_times(capsys):
    slow = LambdaCallback(on_train_step_begin=lambda context: time.sleep(0.01))
    fit(TimeMonitor(data_time=True), slow, LambdaCallback(on_eval_step_begin=lambda context: time.sleep(0.1)))
    evaluation, training = capsys.readouterr().out.splitlines()
    form = r"{} epoch time: (\d+\.\d{{3}}) ms, per step time: (\d+\.\d{{3}}) ms \(data time: (\d+\.\d{{3}}) ms\)"
    evaluation = [float(part) for part in re.fullmatch(form.format("Eval"), evaluation).groups()]
    training = [float(part) for part in re.fullmatch(form.format("Train"), training).groups()]
    assert evaluation[0] >= 300
    assert 30 <= training[0] < evaluation[0]  # without the evaluation
    assert training[1] == pytest.approx(training[0] / 3, abs=0.01)
    assert training[2] < training[1]


def test_times_need_the_number_of_steps(capsys):
    class Endless(Batches):
        def get_dataset_size(self):
            return None

    with pytest.raises(ValueError, match=r"For 'TimeMonitor', .* Give 'data_size'"):
        model().train(1, Endless(X, Y), callbacks=TimeMonitor())
    model().train(1, Endless(X, Y), callbacks=TimeMonitor(3))
    assert "per step time" in capsys.readouterr().out


def test_history_can_be_written_as_json():
    history = History()
    fit(history, epochs=2)
    assert json.loads(json.dumps(history.history)) == history.history


# Learning rates and early ends


@pytest.mark.parametrize("callback", [LearningRateScheduler(lambda rate, step: rate), ReduceLROnPlateau("loss")])
@pytest.mark.parametrize("rates", [[0.1] * 10, nn.ExponentialDecayLR(0.1, 0.9, 4)])
def test_there_must_be_one_learning_rate(callback, rates):
    with pytest.raises(ValueError, match="the optimizer must have one constant learning rate"):
        train(callback, rate=rates)


@pytest.mark.parametrize("rate", [0.5, Tensor(0.5), np.float32(0.5), ms.Parameter(Tensor(0.5), name="rate")])
def test_a_learning_rate_may_be_any_number(rate):
    plain, expected = train(rate=0.1), train(LearningRateScheduler(lambda old, step: 0.5))
    assert (weight(train(LearningRateScheduler(lambda old, step: rate))) == weight(expected)).all()
    assert (weight(plain) != weight(expected)).any()


def test_a_learning_rate_must_be_a_number():
    with pytest.raises(TypeError, match=r"must return a number, but it returned 'x' .* at step 1"):
        train(LearningRateScheduler(lambda rate, step: "x"))


def test_learning_rates_reach_a_captured_step():
    results = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        one = train(LearningRateScheduler(lambda rate, step: rate * 0.1), epochs=2)
        results.append(weight(one))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_array_equal(*results)
    assert not np.array_equal(results[0], weight(train(epochs=2)))


@pytest.mark.parametrize(("patience", "epochs"), [(0, 1), (1, 2), (3, 4)])  # the first epoch is always better than none
def test_patience(patience, epochs):
    history = History()
    fit(EarlyStopping("mae", patience=patience, min_delta=100), history, epochs=6)
    assert len(history.history["mae"]) == epochs


@pytest.mark.parametrize(("patience", "best"), [(2, 0), (100, 3)])
def test_the_best_weights_come_back_if_the_training_was_ended(patience, best):
    seen = []
    look = LambdaCallback(
        on_train_epoch_end=lambda context: seen.append(context.original_args().network.weight.asnumpy().copy())
    )
    one = fit(look, EarlyStopping("mae", mode="max", patience=patience, restore_best_weights=True), epochs=4)
    np.testing.assert_array_equal(weight(one), seen[best])
    assert not np.array_equal(seen[0], seen[-1])


def test_a_baseline():
    history = History()
    fit(EarlyStopping("mae", patience=2, baseline=1.5), history, epochs=6)
    assert len(history.history["mae"]) == 2  # getting better, but not better than the baseline
    fit(EarlyStopping("mae", patience=2, baseline=2.0), history, epochs=6)
    assert len(history.history["mae"]) == 8


@pytest.mark.parametrize("kind", [EarlyStopping, ReduceLROnPlateau])
def test_a_value_that_is_not_there(kind):
    with pytest.warns(
        UserWarning, match=f"^For '{kind.__name__}', there is no 'speed' .* There are: eval_loss, loss, mae"
    ):
        fit(kind("speed"), epochs=2)
    with pytest.warns(UserWarning, match="there is no 'eval_loss'"):
        train(kind())
    fit(kind("mae"), epochs=3, valid_frequency=2)  # epochs without an evaluation are in order


@pytest.mark.parametrize("kind", [EarlyStopping, ReduceLROnPlateau])
def test_a_value_that_is_no_number(kind):
    class Pair(ms.train.MAE):
        def eval(self):
            return np.array([1.0, 2.0])

    one = model(metrics={"pair": Pair()})
    with pytest.raises(ValueError, match="'pair' must be one number"):
        one.fit(1, Batches(X, Y), Batches(X, Y), callbacks=kind("pair"))


# Files


def test_without_limits_all_files_are_kept(tmp_path):
    config = CheckpointConfig(keep_checkpoint_max=0)
    train(ModelCheckpoint("a", tmp_path, config), epochs=2)
    assert len(os.listdir(tmp_path)) == 6


def test_files_every_few_seconds(tmp_path, monkeypatch):
    from torchspore.train.callback import checkpoint

    clock = [0.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: clock[0])
    tick = LambdaCallback(on_train_step_begin=lambda context: clock.__setitem__(0, clock[0] + 10))
    config = CheckpointConfig(save_checkpoint_steps=0, save_checkpoint_seconds=15)
    train(ModelCheckpoint("a", str(tmp_path), config), tick, epochs=2)
    assert sorted(os.listdir(tmp_path)) == ["a-1_2.ckpt", "a-2_1.ckpt", "a-2_3.ckpt"]


def test_files_kept_every_few_minutes(tmp_path, monkeypatch):
    from torchspore.train.callback import checkpoint

    clock = [0.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: clock[0])
    tick = LambdaCallback(on_train_step_begin=lambda context: clock.__setitem__(0, clock[0] + 25))
    config = CheckpointConfig(keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)
    train(ModelCheckpoint("a", str(tmp_path), config), tick, epochs=3)  # at 25, 50, 75, 100, ... seconds
    assert sorted(os.listdir(tmp_path)) == ["a-1_1.ckpt", "a-2_1.ckpt", "a-3_1.ckpt", "a-3_3.ckpt"]


def test_files_hold_the_state_of_their_step(tmp_path):
    weights = {}
    look = LambdaCallback(
        on_train_step_end=lambda context: weights.update(
            {context.original_args().cur_step_num: context.original_args().network.weight.asnumpy().copy()}
        )
    )
    train(look, ModelCheckpoint("a", str(tmp_path), CheckpointConfig(async_save=True)))
    for step, expected in weights.items():
        read = ms.load_checkpoint(str(tmp_path / f"a-1_{step}.ckpt"))
        np.testing.assert_array_equal(read["weight"].asnumpy(), expected)
        assert read["global_step"].asnumpy() == [step]


def test_other_files_are_neither_counted_nor_removed(tmp_path):
    for name in ("a-note.txt", "ab-1_1.ckpt", "a-1_1.ckpt.bak"):
        (tmp_path / name).write_text("mine")
    callback = ModelCheckpoint("a", str(tmp_path), CheckpointConfig(keep_checkpoint_max=1))
    train(callback, epochs=2)
    assert sorted(os.listdir(tmp_path)) == ["a-1_1.ckpt.bak", "a-2_3.ckpt", "a-note.txt", "ab-1_1.ckpt"]
    assert callback.latest_ckpt_file_name == str(tmp_path / "a-2_3.ckpt")


def test_a_failure_before_the_first_step_writes_nothing(tmp_path):
    config = CheckpointConfig(exception_save=True)

    def fail(context):
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        train(ModelCheckpoint("a", str(tmp_path), config), LambdaCallback(on_train_epoch_begin=fail))
    assert os.listdir(tmp_path) == []


# Requests to end


def kill():
    os.kill(os.getpid(), signal.SIGTERM)


def test_a_request_ends_the_training_after_its_step_and_the_next_one_goes_on(tmp_path):
    former = signal.getsignal(signal.SIGTERM)
    acts, history = Acts(2, kill), History()
    one = train(acts, OnRequestExit(save_mindir=False, file_name="a", directory=str(tmp_path)), history, epochs=3)
    assert acts.steps == [1, 2]
    assert signal.getsignal(signal.SIGTERM) is former
    assert os.listdir(tmp_path / "rank_0") == ["a_train.ckpt"]
    look = []
    begin = LambdaCallback(on_train_begin=lambda context: look.append(weight(second)))
    second = model()
    on_request = OnRequestExit(save_mindir=False, file_name="a", directory=str(tmp_path))
    second.train(1, Batches(X, Y), callbacks=[on_request, begin])
    np.testing.assert_array_equal(look[0], weight(one))
    evaluated = model(metrics={"mae"})
    evaluated.eval(Batches(X, Y), callbacks=on_request)
    np.testing.assert_array_equal(weight(evaluated), weight(one))


def test_a_request_ends_an_evaluation(tmp_path):
    acts = Acts(2, kill)
    one = model(metrics={"mae"})
    one.eval(Batches(X, Y), callbacks=[acts, OnRequestExit(save_mindir=False, directory=str(tmp_path))])
    assert acts.steps == [1, 2]
    assert os.listdir(tmp_path / "rank_0") == ["Net_eval.ckpt"]


def test_a_request_by_a_file(tmp_path):
    path = tmp_path / "exit.json"
    path.write_text('{"GracefulExit": 0}')
    acts = Acts(2, lambda: path.write_text('{"GracefulExit": 1}'))
    options = {"save_ckpt": False, "save_mindir": False, "config_file": str(path), "directory": str(tmp_path)}
    train(acts, OnRequestExit(**options), epochs=2)
    assert acts.steps == [1, 2]
    assert os.listdir(tmp_path) == ["exit.json"]
    for text in ("[1]", "{"):
        path.write_text(text)
        with pytest.raises(ValueError, match="'config_file' must be a JSON object"):
            train(OnRequestExit(**options))
    options["config_file"] = str(tmp_path / "none.json")
    assert train(OnRequestExit(**options)) is not None


def test_a_request_saves_the_network_as_a_graph(tmp_path):
    pytest.importorskip("google.protobuf")
    one = train(Acts(2, kill), OnRequestExit(False, True, "a", str(tmp_path)))
    assert os.listdir(tmp_path / "rank_0") == ["a_train.mindir"]
    graph = nn.GraphCell(ms.load(tmp_path / "rank_0/a_train.mindir"))
    x = ms.Tensor(X[:4])
    np.testing.assert_allclose(graph(x).asnumpy(), one.predict(x).asnumpy(), rtol=1e-6)
    evaluated = model(metrics={"mae"})
    evaluated.eval(Batches(X, Y), callbacks=[Acts(1, kill), OnRequestExit(False, True, "a", str(tmp_path))])
    loss, prediction, label = nn.GraphCell(ms.load(tmp_path / "rank_0/a_eval.mindir"))(x, ms.Tensor(Y[:4]))
    np.testing.assert_allclose(loss.asnumpy(), ((prediction - label) ** 2).mean().asnumpy(), rtol=1e-6)


def test_a_request_warns_of_a_network_that_has_no_graph(tmp_path):
    pytest.importorskip("google.protobuf")

    class Reading(nn.Cell):
        def construct(self, x, y):
            return float(x.sum()) * y

    with pytest.warns(RuntimeWarning, match="'OnRequestExit', the network is not saved as MINDIR: .*was asked for"):
        Model(Reading()).train(
            1, Batches(X, Y), callbacks=[Acts(1, kill), OnRequestExit(False, directory=str(tmp_path))]
        )
    assert os.listdir(tmp_path) == []


def test_a_backup_goes_on_where_a_failed_training_ended(tmp_path):
    def fail():
        raise RuntimeError("on purpose")

    backup = BackupAndRestore(str(tmp_path / "backup"))
    with pytest.raises(RuntimeError, match="on purpose"):
        train(backup, Acts(5, fail), epochs=3)
    one = model()
    one.train(2, Batches(X, Y), callbacks=backup, initial_epoch=1)
    np.testing.assert_array_equal(weight(one), weight(train(epochs=2)))
    assert os.listdir(tmp_path / "backup") == []


def test_tensors_among_what_files_hold_beside_parameters(tmp_path):
    config = CheckpointConfig(3, append_info=[{"t": Tensor([1.0, 2.0])}])
    train(ModelCheckpoint("a", str(tmp_path), config))
    np.testing.assert_array_equal(ms.load_checkpoint(str(tmp_path / "a-1_3.ckpt"))["t"].asnumpy(), [1, 2])


@pytest.mark.parametrize(
    ("outputs", "text"),
    [
        (ms.Tensor([2.0, 3.0]), "2.5"), ((ms.Tensor([2.0, 3.0]),), "[2. 3.]"), ((ms.Tensor(2.5), 3), "2.5"),
        (np.array([1.0, 2.0]), "[1. 2.]"), ((ms.Tensor([1]),), "[1]"), (ms.Tensor(2), "2.0"),
    ],
)  # fmt: skip
def test_the_text_of_a_loss(outputs, text, capsys):
    state = CallbackParams()
    state.update(cur_epoch_num=1, cur_step_num=1, batch_num=2, net_outputs=outputs)
    ms.LossMonitor().on_train_step_end(ms.RunContext(state))
    assert capsys.readouterr().out == f"epoch: 1 step: 1, loss is {text}\n"


@pytest.mark.parametrize("kind", [AttributeError, KeyError])
def test_a_missing_key_of_the_state(kind):
    with pytest.raises(kind, match="There is no 'speed' here now"):
        CallbackParams().speed  # noqa: B018


def test_what_is_not_a_callback_in_a_list():
    with pytest.raises(TypeError, match="'callbacks\\[0\\]' must be a Callback, but got 3"):
        CallbackList([3])


def test_a_folder_for_checkpoints_exists_before_the_training(tmp_path):
    folder = tmp_path / "a" / "b"
    ModelCheckpoint("net", str(folder))
    assert folder.is_dir()
    for blank in ("", " "):
        with pytest.raises(ValueError, match="'directory' must be a path that is not blank"):
            ModelCheckpoint("net", blank)


def test_the_prefix_of_a_new_training(tmp_path):
    prefixes = []
    for name in ("net-1_2.ckpt", "net_1-3_4.ckpt", "other-1_1.ckpt"):
        prefixes.append(_chg_ckpt_file_name_if_same_exist(str(tmp_path), "net"))
        (tmp_path / name).touch()
    assert prefixes == ["net", "net_1", "net_2"]


def test_no_schedule_no_files(tmp_path):
    assert CheckpointConfig(save_checkpoint_steps=0).save_checkpoint_steps == 0
    for schedule in ({"save_checkpoint_steps": 0}, {"save_checkpoint_steps": None, "save_checkpoint_seconds": 0}):
        train(ModelCheckpoint("a", tmp_path, CheckpointConfig(**schedule)))
        assert not os.listdir(tmp_path)
