"""Names that packages with a training loop, an optimizer or an initializer of their own import from MindSpore."""

from __future__ import annotations

import json

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore import nn
from torchspore.common.initializer import (
    _INITIALIZER_ALIAS,
    Initializer,
    _assignment,
    _init_random_normal,
    _init_random_uniform,
    _register,
    initializer,
)
from torchspore.dataset import transforms, vision
from torchspore.nn.layer.activation import _activation
from torchspore.nn.layer.normalization import _BatchNorm
from torchspore.nn.loss.loss import _Loss
from torchspore.parallel._utils import _device_number_check, _get_parameter_broadcast
from torchspore.train import Callback, RunContext
from torchspore.train._utils import _make_directory
from torchspore.train.callback.callback import _CallbackManager, _InternalCallbackParam
from torchspore.train.model import _transfer_tensor_to_tuple

PLACES = {
    "common.initializer": "_register _assignment _INITIALIZER_ALIAS _init_random_uniform _init_random_normal",
    "dataset.transforms.transforms": "PyTensorOperation",
    "nn.layer.activation": "_activation",
    "nn.layer.normalization": "_BatchNorm",
    "nn.loss.loss": "_Loss",
    "parallel._utils": "_device_number_check _get_parameter_broadcast",
    "train._utils": "_make_directory",
    "train.callback": "_InternalCallbackParam _CallbackManager",
    "train.callback._callback": "InternalCallbackParam CallbackManager",
    "train.model": "_StepSync _transfer_tensor_to_tuple",
}

PROCESS = """
import importlib, json, sys
import torchspore.as_mindspore, mindspore
places = json.loads(sys.argv[1])
found = {f"{path}.{name}": getattr(importlib.import_module(f"mindspore.{path}"), name)
         for path, names in places.items() for name in names.split()}
print(json.dumps([name for name, value in found.items() if "For 'mindspore." in str(getattr(value, "__doc__", ""))]))
"""


@pytest.mark.slow
def test_modules_have_them_and_they_work():
    assert json.loads(preloaded.output_of(PROCESS, arguments=("-c", json.dumps(PLACES)), ignored=("",))) == []


class Noting(Callback):
    def __init__(self, notes):
        self.notes = notes

    def on_train_begin(self, run_context):
        self.notes.append(("begin", run_context.original_args().epoch_num))

    def step_end(self, run_context):
        self.notes.append(("step", run_context.original_args().epoch_num))

    def __exit__(self, *error):
        self.notes.append("exit")


def test_a_manager_calls_its_callbacks_in_order():
    notes, state = [], _InternalCallbackParam()
    state.epoch_num = 3
    with _CallbackManager([Noting(notes), Noting(notes)]) as callbacks:
        callbacks.on_train_begin(RunContext(state))
        callbacks.on_train_step_end(RunContext(state))  # by the older name
    assert notes == [("begin", 3)] * 2 + [("step", 3)] * 2 + ["exit"] * 2


def test_values_of_a_step_are_a_tuple():
    x = ms.Tensor([1])
    assert _transfer_tensor_to_tuple(x) == (x,)
    assert _transfer_tensor_to_tuple([x]) == [x]


def test_directories_are_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert _make_directory("a/b") == str(tmp_path / "a" / "b")
    assert _make_directory("a/b") == str(tmp_path / "a" / "b")
    with pytest.raises(ValueError, match="blank"):
        _make_directory(" ")
    with pytest.raises(TypeError, match="must be a str"):
        _make_directory(3)


def test_devices_are_counted():
    assert _get_parameter_broadcast() is False
    _device_number_check("stand_alone", 1)
    _device_number_check("data_parallel", 2)
    with pytest.raises(ValueError, match="device_num"):
        _device_number_check("stand_alone", 2)


def test_a_registered_initializer_is_known_by_its_names(monkeypatch):
    for name in ("ramp", "slope"):
        monkeypatch.delitem(_INITIALIZER_ALIAS, name, raising=False)

    @_register("slope")
    class Ramp(Initializer):
        def _initialize(self, arr):
            _assignment(arr, np.arange(arr.size).reshape(arr.shape))

    assert _INITIALIZER_ALIAS["ramp"] is Ramp
    for name in ("ramp", "slope", "RAMP"):
        assert initializer(name, (2, 2)).init_data().asnumpy().tolist() == [[0, 1], [2, 3]]
    for name in ("ramp", "slope"):
        monkeypatch.delitem(_INITIALIZER_ALIAS, name)


def test_random_arrays():
    uniform, normal = _init_random_uniform(2.0, 3.0, (50,)), _init_random_normal(5.0, 0.1, (50,))
    assert uniform.dtype == normal.dtype == np.float32
    assert 2 <= uniform.min() < uniform.max() <= 3
    assert abs(normal.mean() - 5) < 0.2


def test_classes_by_their_private_names():
    assert _activation["relu"] is nn.ReLU
    assert issubclass(_Loss, nn.LossBase)
    assert isinstance(nn.BatchNorm2d(2), _BatchNorm)
    assert not isinstance(nn.LayerNorm([2]), _BatchNorm)
    assert isinstance(vision.Resize(3), transforms.PyTensorOperation)


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("rate", [0.1, {"lr": 0.2}])
def test_a_subclass_of_adam_applies_its_own_moments(rate, nesterov):
    def weights():
        return [ms.Parameter(ms.Tensor([1.0, -2.0]), name="a"), ms.Parameter(ms.Tensor([[3.0]]), name="b")]

    class Own(nn.Adam):
        def construct(self, gradients):
            rates = self.get_lr()
            self.beta1_power *= self.beta1
            self.beta2_power *= self.beta2
            powers, moments = (self.beta1_power, self.beta2_power), (self.moment1, self.moment2)
            return self._apply_adam(self._parameters, *powers, *moments, rates, gradients)

    gradients = (ms.Tensor([0.5, 0.25]), ms.Tensor([[-1.0]]))
    results = []
    for cls in (nn.Adam, Own):
        params = weights()
        groups = [{"params": params[:1], **rate}, {"params": params[1:]}] if isinstance(rate, dict) else params
        optimizer = cls(groups, 0.1, use_nesterov=nesterov)
        for _ in range(3):
            done = optimizer(gradients)
        assert len(done) == 2
        results.append([param.asnumpy() for param in params])
    for own, expected in zip(*results):
        np.testing.assert_allclose(own, expected, rtol=2e-4)  # powers of float32


def test_a_checkpoint_schedule_warns_of_names_that_it_does_not_know():
    with pytest.warns(UserWarning, match="save_checkpoint_epochs"):
        config = ms.train.CheckpointConfig(save_checkpoint_epochs=3)
    assert config.save_checkpoint_steps == 1
