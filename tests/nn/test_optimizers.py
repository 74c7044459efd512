"""Optimizers: ten steps as recorded from MindSpore 2.10, their parts, errors, and what a step must not change."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import torchspore as ms
from data import record_optimizers as record
from torchspore import Parameter, Tensor, nn, ops
from torchspore.nn.optim import fused
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates import tensor_lists

RECORD = json.loads((Path(__file__).parent.parent / "data" / "optimizers.json").read_text(encoding="utf-8"))

# Where MindSpore fails by a bug, TorchSpore raises an error that explains it.
OTHER_ERRORS = {
    "nn.Momentum([w], 'a', 0.9)": "TypeError",
    "nn.Momentum([w], [0.1, 'a'], 0.9)": "TypeError",
    "nn.Momentum([w], [], 0.9)": "ValueError",
    "nn.Momentum([{'params': [w], 'lr': 'x'}], 0.1, 0.9)": "TypeError",
}
WARNINGS = {"nn.Adam([w], use_amsgrad=True, use_nesterov=True)": "'use_nesterov' has no effect with 'use_amsgrad'"}

MAKERS = {
    "sgd": lambda params: nn.SGD(params, 0.1),
    "sgd with momentum": lambda params: nn.SGD(params, 0.1, 0.9, 0.5),
    "momentum": lambda params: nn.Momentum(params, 0.1, 0.9, 0.1, 2.0),
    "nesterov": lambda params: nn.Momentum(params, 0.1, 0.9, use_nesterov=True),
    "adam": lambda params: nn.Adam(params, 0.1, weight_decay=0.1),
    "adam nesterov": lambda params: nn.Adam(params, 0.1, use_nesterov=True),
    "amsgrad": lambda params: nn.Adam(params, nn.CosineDecayLR(0.01, 0.1, 5), use_amsgrad=True),
    "adam weight decay": lambda params: nn.AdamWeightDecay(params, [0.1] * 99, weight_decay=0.1),
    "adamax": lambda params: nn.AdaMax(params, 0.1, weight_decay=0.1),
    "adadelta": lambda params: nn.Adadelta(params, 0.5, epsilon=0.1),
    "adafactor": lambda params: nn.AdaFactor(params, weight_decay=0.1),
    "adafactor with a rate": lambda params: nn.AdaFactor(params, [0.1] * 99, beta1=None, relative_step=False),
    "adagrad": lambda params: nn.Adagrad(params, learning_rate=nn.CosineDecayLR(0.01, 0.1, 5)),
    "proximal adagrad": lambda params: nn.ProximalAdagrad(params, 0.5, 0.3, 0.1, 0.2),
    "asgd": lambda params: nn.ASGD(params, 0.1, 0.1, t0=1.0),
    "ftrl": lambda params: nn.FTRL(params, 0.5, 0.3, l1=0.1, l2=0.2),
    "lamb": lambda params: nn.Lamb(params, 0.1, weight_decay=0.1),
    "lazy adam": lambda params: nn.LazyAdam(params, 0.1),
    "adam offload": lambda params: nn.AdamOffload(params, 0.1),
    "rmsprop": lambda params: nn.RMSProp(params, 0.1, momentum=0.5, weight_decay=0.1),
    "rmsprop centered": lambda params: nn.RMSProp(params, 0.1, epsilon=0.1, centered=True),
    "rprop": lambda params: nn.Rprop(params, [0.1] * 99),
    "groups": lambda params: nn.Momentum([{"params": params[:1], "lr": 0.01}, {"params": params[1:]}], 0.1, 0.9),
}
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def make_parameters():
    return [Parameter(Tensor(record.start(shape)), name=name) for name, shape in record.PARAMETERS.items()]


def gradients_of(optimizer, step=0):
    values = [parameter.asnumpy() for parameter in optimizer.parameters]
    return tuple(Tensor(gradient) for gradient in record.gradients(values, step))


def state_of(optimizer):
    return {parameter.name: parameter.asnumpy().copy() for parameter in optimizer.get_parameters()}


def assert_same(found, expected, tolerance=0.0):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("devices", [("cpu", "cuda"), ()], ids=["fused", "unfused"])
@pytest.mark.parametrize("expression", RECORD["trajectories"])
def test_trajectory(expression, devices, monkeypatch):
    monkeypatch.setattr(tensor_lists, "_FUSED_DEVICES", devices)
    found, expected = record.trajectory(ms, expression), RECORD["trajectories"][expression]
    for ours, theirs in zip(found["steps"], expected["steps"], strict=True):
        assert_same(ours, theirs, 1e-5)
    assert_same(found["state"], expected["state"], 1e-5)


@pytest.mark.parametrize("expression", [e for e in RECORD["trajectories"] if e.startswith("nn.")])
def test_trajectory_without_reading(expression, monkeypatch):
    """As on a device: the values of tensors are not read but where somebody else wrote them."""
    monkeypatch.setattr(fused, "_reads_at_once", lambda value: False)
    reads = []
    item = torch.Tensor.item
    monkeypatch.setattr(torch.Tensor, "item", lambda value: reads.append(value) or item(value))
    optimizer = eval(expression, record.names(ms))
    expected = RECORD["trajectories"][expression]
    for step, values in enumerate(expected["steps"]):
        given = [gradient * optimizer.loss_scale for gradient in gradients_of(optimizer, step)]
        reads.clear()
        optimizer(given)
        assert step == 0 or not reads
        assert_same({p.name: np.ravel(p.asnumpy()) for p in optimizer.parameters}, values, 2e-5)


@pytest.mark.parametrize("expression", RECORD["constructions"])
def test_construction(expression):
    warning = WARNINGS.get(expression)
    with pytest.warns(RuntimeWarning, match=warning) if warning else contextlib.nullcontext():
        found, expected = record.construction(ms, expression), RECORD["constructions"][expression]
    if "error" in expected or expression in OTHER_ERRORS:
        assert found == {"error": OTHER_ERRORS.get(expression, expected.get("error"))}
        return
    assert found.keys() == expected.keys()
    for fact, value in expected.items():
        if fact in ("learning_rate", "weight_decay"):
            np.testing.assert_allclose(np.ravel(found[fact]), np.ravel(value), rtol=1e-6)
        else:
            assert found[fact] == value, fact
    assert list(found["parameters"]) == list(expected["parameters"])


@pytest.mark.parametrize("expression", [e for e, facts in RECORD["constructions"].items() if "error" in facts])
def test_error_message(expression):
    with pytest.raises((TypeError, ValueError, KeyError, RuntimeError)) as caught:
        eval(expression, record.names(ms))
    assert str(caught.value).strip("\"'").startswith("For '")


# Closed forms, where MindSpore 2.10 leaves the option out of account on the CPU


@pytest.mark.parametrize("devices", [("cpu", "cuda"), ()], ids=["fused", "unfused"])
def test_nesterov_momentum(devices, monkeypatch):
    monkeypatch.setattr(tensor_lists, "_FUSED_DEVICES", devices)
    weight = Parameter(Tensor([1.0, -2.0]), name="weight")
    optimizer = nn.Momentum([weight], 0.1, 0.9, use_nesterov=True)
    value, moment = np.array([1.0, -2.0]), np.zeros(2)
    for step in range(5):
        gradient = np.array([step - 1.5, 0.5 * step])
        moment = 0.9 * moment + gradient
        value = value - 0.1 * (gradient + 0.9 * moment)
        optimizer((Tensor(gradient, ms.float32),))
        np.testing.assert_allclose(weight.asnumpy(), value, rtol=1e-5)
        np.testing.assert_allclose(optimizer.moments[0].asnumpy(), moment, rtol=1e-5)


@pytest.mark.parametrize("shape", [(2, 16), (3, 32, 2), (2, 16, 1, 3), (2, 3), (16,)])
def test_centralization(shape):
    weight = Parameter(Tensor(np.zeros(shape, np.float32)), name="weight")
    optimizer = nn.SGD([{"params": [weight], "grad_centralization": True}], 1.0)
    gradient = np.arange(weight.size, dtype=np.float32).reshape(shape)
    wide = len(shape) > 1 and shape[1] % 16 == 0
    expected = gradient - gradient.mean(axis=tuple(range(1, len(shape))), keepdims=True) if wide else gradient
    np.testing.assert_allclose(optimizer.gradients_centralization((Tensor(gradient),))[0].asnumpy(), expected)
    optimizer((Tensor(gradient),))
    np.testing.assert_allclose(weight.asnumpy(), -expected)


def test_centralization_comes_after_the_decay():
    values = np.arange(32, dtype=np.float32).reshape(2, 16)
    weight = Parameter(Tensor(values), name="weight")
    group = {"params": [weight], "grad_centralization": True, "weight_decay": 0.5}
    nn.SGD([group], 1.0, loss_scale=2.0)((Tensor(2 * np.ones_like(values)),))
    gradient = 1 + 0.5 * values
    np.testing.assert_allclose(weight.asnumpy(), values - (gradient - gradient.mean(1, keepdims=True)), rtol=1e-6)


@pytest.mark.parametrize(
    "make",
    [lambda p: nn.AdamWeightDecay(p, 0.1), lambda p: nn.AdaFactor(p), lambda p: nn.AdamOffload(p, 0.1)],
    ids=["AdamWeightDecay", "AdaFactor", "AdamOffload"],
)
def test_optimizers_without_centralization(make):
    results = []
    for centralizes in (False, True):
        weight = Parameter(Tensor(np.arange(32, dtype=np.float32).reshape(2, 16)), name="weight")
        make([{"params": [weight], "grad_centralization": centralizes}])((weight * weight,))
        results.append(weight.asnumpy())
    np.testing.assert_array_equal(*results)


def test_adafactor_has_one_decay():
    results = []
    for decay, groups in ((0.5, False), (0.5, True), (0.0, True)):
        weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        given = [{"params": [weight], "weight_decay": decay}] if groups else [weight]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nn.AdaFactor(given, weight_decay=0.5)((Tensor([3.0, -3.0]),))
        assert len(caught) == (decay != 0.5)
        results.append(weight.asnumpy())
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


# A step


@each_maker
def test_output(make):
    optimizer = make(make_parameters())
    output = True if type(optimizer).__name__ in ("ASGD", "Rprop") else (True, True, True)
    assert optimizer(gradients_of(optimizer)) == output
    assert optimizer(list(gradients_of(optimizer))) == output


BAD_GRADIENTS = {
    "one missing": (lambda given: given[:2], ValueError, "one gradient for each of the 3 parameters, but got 2"),
    "one too many": (lambda given: given + given[:1], ValueError, "but got 4"),
    "another shape": (
        lambda given: (*given[:2], Tensor([1.0])),
        ValueError,
        r"'norm.gamma' must have its shape, \(2,\)",
    ),
    "transposed": (lambda given: (Tensor(np.ones((3, 2))), *given[1:]), ValueError, "'fc.weight' must have its shape"),
    "an array": (lambda given: (given[0].asnumpy(), *given[1:]), TypeError, "must be Tensors, but at 0 got numpy"),
    "none": (lambda given: None, TypeError, "a tuple or list of Tensors, but got None"),
    "a tensor": (lambda given: given[0], TypeError, "a tuple or list of Tensors"),
}


@each_maker
@pytest.mark.parametrize(("spoil", "error", "words"), BAD_GRADIENTS.values(), ids=BAD_GRADIENTS)
def test_failed_step_changes_nothing(make, spoil, error, words):
    optimizer = make(make_parameters())
    optimizer(gradients_of(optimizer))
    before = state_of(optimizer)
    with pytest.raises(error, match=words) as caught:
        optimizer(spoil(gradients_of(optimizer)))
    assert str(caught.value).startswith(f"For '{type(optimizer).__name__}', ")
    assert_same(state_of(optimizer), before)
    assert torch.is_grad_enabled()


@each_maker
def test_gradients_of_other_layouts_and_types(make):
    first, second = make(make_parameters()), make(make_parameters())
    for step in range(3):
        given = gradients_of(first, step)
        first(given)
        strided = [Tensor(g._t.t().contiguous().t()) if g.ndim == 2 else Tensor(g._t.double()) for g in given]
        second(tuple(strided))
    assert_same(state_of(second), state_of(first), 1e-6)


def test_expanded_gradient():
    weight = Parameter(Tensor(np.zeros((2, 3), np.float32)), name="weight")
    gradient = ms.grad(lambda: weight.sum(), None, weight)()
    nn.SGD([weight], 1.0)((gradient,))
    np.testing.assert_array_equal(weight.asnumpy(), -np.ones((2, 3)))


@each_maker
def test_gradients_are_left_alone(make):
    optimizer = make(make_parameters())
    given = gradients_of(optimizer)
    before = [gradient.asnumpy().copy() for gradient in given]
    for _ in range(2):
        optimizer(given)
    for gradient, value in zip(given, before):
        np.testing.assert_array_equal(gradient.asnumpy(), value)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64])
@each_maker
def test_data_types(make, dtype):
    wide = make(make_parameters())
    parameters = [Parameter(Tensor(p.asnumpy()).astype(dtype), name=p.name) for p in make_parameters()]
    optimizer = make(parameters)
    for step in range(3):
        given = gradients_of(wide, step)
        wide(given)
        optimizer(given)
    for parameter, expected in zip(optimizer.parameters, wide.parameters):
        assert parameter.dtype is dtype
        found = parameter.astype(ms.float32).asnumpy()
        np.testing.assert_allclose(found, expected.asnumpy(), atol=0.05 if dtype is not ms.float64 else 1e-5)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("make", [nn.Momentum, nn.SGD, ms.experimental.optim.SGD, ms.mint.optim.SGD])
def test_gradient_descent_in_half_precision(make, momentum, dtype):
    """Torch's fused kernel for these types is wrong on a CPU, for as many elements as a vector register holds."""
    start, gradient = np.linspace(-1, 1, 70, dtype=np.float32), np.linspace(1, 3, 70, dtype=np.float32)
    wide, narrow = (Parameter(Tensor(start).astype(kind), name="w") for kind in (ms.float32, dtype))
    for weight in (wide, narrow):
        optimizer = make([weight], 0.1, momentum)
        for _ in range(3):
            optimizer((Tensor(gradient).astype(weight.dtype),))
    np.testing.assert_allclose(narrow.astype(ms.float32).asnumpy(), wide.asnumpy(), atol=0.03)


def test_parameters_of_several_types():
    weights = [Parameter(Tensor([1.0, 2.0], dtype), name=str(dtype)) for dtype in (ms.float32, ms.float64, ms.float16)]
    nn.Momentum(weights, 0.5, 0.9)(tuple(Tensor([1.0, 1.0], weight.dtype) for weight in weights))
    for weight in weights:
        np.testing.assert_array_equal(weight.asnumpy(), [0.5, 1.5])


def test_parameters_without_a_floating_type():
    optimizer = nn.Momentum([Parameter(Tensor([1, 2]), name="counts")], 0.1, 0.9)
    with pytest.raises(TypeError, match=r"For 'Momentum', 'counts' must be of floats"):
        optimizer((Tensor([1, 1]),))


def test_channels_last_parameter():
    value = torch.arange(48.0).reshape(2, 3, 2, 4).to(memory_format=torch.channels_last)
    plain, last = [
        Parameter(Tensor(value.clone(memory_format=m)), name="w")
        for m in (torch.contiguous_format, torch.preserve_format)
    ]
    gradient = Tensor(value.contiguous().flip(0))
    optimizers = [nn.Momentum([weight], 0.1, 0.9) for weight in (plain, last)]
    for optimizer in optimizers:
        for _ in range(2):
            optimizer((gradient,))
    assert last._t.is_contiguous(memory_format=torch.channels_last)
    assert_same(state_of(optimizers[1]), state_of(optimizers[0]))


def test_parameter_of_another_shape():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    optimizer = nn.Momentum([weight], 0.1, 0.9)
    optimizer((Tensor([1.0, 1.0]),))
    weight.set_data(Tensor([1.0, 2.0, 3.0]), slice_shape=True)
    with pytest.raises(ValueError, match=r"'moments.weight' has the shape \(2,\), but 'weight' now has \(3,\)"):
        optimizer((Tensor([1.0, 1.0, 1.0]),))
    plain = nn.SGD([weight], 1.0)
    plain((Tensor([1.0, 1.0, 1.0]),))
    np.testing.assert_array_equal(weight.asnumpy(), [0.0, 1.0, 2.0])


# Settings that change


def test_learning_rate_is_a_parameter():
    weight = Parameter(Tensor([0.0]), name="weight")
    optimizer = nn.Momentum([weight], 1.0, 0.0)
    one = (Tensor([1.0]),)
    optimizer(one)
    ops.assign(optimizer.learning_rate, 0.5)
    optimizer(one)
    optimizer.learning_rate.set_data(Tensor(0.25))
    optimizer(one)
    optimizer.learning_rate = Tensor(0.125)
    optimizer(one)
    assert weight.asnumpy() == -1.875
    assert optimizer.get_lr() is optimizer.learning_rate


def test_momentum_and_decay_can_be_set():
    weight = Parameter(Tensor([1.0]), name="weight")
    optimizer = nn.Momentum([weight], 1.0, 0.0, 0.5)
    zero = (Tensor([0.0]),)
    optimizer(zero)
    assert weight.asnumpy() == 0.5
    optimizer.weight_decay = Tensor(1.0)
    optimizer(zero)
    assert weight.asnumpy() == 0.0
    optimizer.momentum.set_data(Tensor(1.0))
    optimizer(zero)
    assert weight.asnumpy() == -0.5


def test_schedule_can_be_replaced():
    weight = Parameter(Tensor([0.0]), name="weight")
    optimizer = nn.SGD([weight], nn.WarmUpLR(1.0, 1))
    optimizer((Tensor([1.0]),))
    assert weight.asnumpy() == 0.0
    optimizer.learning_rate = nn.CosineDecayLR(0.0, 0.5, 1000)
    optimizer((Tensor([1.0]),))
    np.testing.assert_allclose(weight.asnumpy(), [-0.5], atol=1e-3)


def test_list_of_learning_rates_ends():
    weight = Parameter(Tensor([0.0]), name="weight")
    optimizer = nn.Momentum([weight], [1.0, 2.0], 0.9)
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    before = state_of(optimizer)
    with pytest.raises(
        RuntimeError, match=r"For 'Momentum', the learning rates end after 2 steps, and this is step 3\."
    ):
        optimizer((Tensor([1.0]),))
    assert_same(state_of(optimizer), before)
    with pytest.raises(RuntimeError, match="learning rates end"):
        optimizer.get_lr()
    step = ms.jit(lambda gradient: optimizer((gradient,)))
    optimizer.global_step.set_data(Tensor([0], ms.int32))
    for _ in range(2):
        step(Tensor([1.0]))
    before = state_of(optimizer)
    with pytest.raises(
        RuntimeError, match=r"For 'Momentum', the learning rates end after 2 steps, and this is step 3\."
    ):
        step(Tensor([1.0]))
    assert_same(state_of(optimizer), before)


def test_schedule_that_fails_changes_nothing():
    class Failing(nn.learning_rate_schedule.LearningRateSchedule):
        def construct(self, global_step):
            raise ArithmeticError

    optimizer = nn.Adam(make_parameters(), Failing())
    before = state_of(optimizer)
    with pytest.raises(ArithmeticError):
        optimizer(gradients_of(optimizer))
    assert_same(state_of(optimizer), before)


def test_first_step_of_single_elements():
    weight = Parameter(Tensor([0.0, 0.0]), name="weight")
    optimizer = nn.SGD([weight], 1.0, 0.9, 0.5)
    optimizer.stat[0].set_data(Tensor([1.0, 0.0]))
    optimizer.accum[0].set_data(Tensor([10.0, 20.0]))
    optimizer((Tensor([1.0, 1.0]),))
    np.testing.assert_allclose(optimizer.accum[0].asnumpy(), [1.0, 18.5])
    optimizer((Tensor([1.0, 1.0]),))
    np.testing.assert_allclose(optimizer.accum[0].asnumpy(), [1.4, 17.15], rtol=1e-6)
    optimizer.stat[0].set_data(Tensor([1.0, 1.0]))  # as a checkpoint of a new optimizer does
    optimizer((Tensor([1.0, 1.0]),))
    np.testing.assert_allclose(optimizer.accum[0].asnumpy(), [1.0, 1.0])


# The optimizer as a cell


@each_maker
def test_state_is_among_the_parameters(make):
    optimizer = make(make_parameters())
    optimizer(gradients_of(optimizer))
    named = optimizer.parameters_dict()
    states = [state for name in optimizer._state_names for state in getattr(optimizer, name)]
    assert all(named[state.name] is state for state in states)
    assert all(named[parameter.name] is parameter for parameter in optimizer.parameters)
    assert named["global_step"].asnumpy() == 1


DUPLICATES = {"deepcopy": copy.deepcopy, "pickle": lambda optimizer: pickle.loads(pickle.dumps(optimizer))}


@each_maker
@pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)
def test_copies_are_independent(make, duplicate):
    original = make(make_parameters())
    original(gradients_of(original))
    twin = duplicate(original)
    assert_same(state_of(twin), state_of(original))
    given = gradients_of(original, 1)
    original(given)
    assert not np.array_equal(twin.parameters[0].asnumpy(), original.parameters[0].asnumpy())
    twin(given)
    assert_same(state_of(twin), state_of(original))


@each_maker
def test_states_can_be_loaded(make):
    optimizer, other = make(make_parameters()), make(make_parameters())
    for step in range(2):
        optimizer(gradients_of(optimizer, step))
    for name, parameter in optimizer.parameters_dict().items():
        other.parameters_dict()[name].set_data(parameter)
    given = gradients_of(optimizer, 2)
    for each in (optimizer, other):
        each(given)
    assert_same(state_of(other), state_of(optimizer), 1e-7)


@each_maker
def test_step_inside_a_differentiated_function(make):
    inside, outside = make(make_parameters()), make(make_parameters())
    x = Tensor([2.0])

    def function(x):
        inside(gradients_of(inside))
        return x * x * inside.parameters[1].sum()

    gradient = ms.grad(function)(x)
    outside(gradients_of(outside))
    assert_same(state_of(inside), state_of(outside), 1e-7)
    np.testing.assert_allclose(gradient.asnumpy(), 4 * outside.parameters[1].asnumpy().sum(), rtol=1e-6)
    for optimizer in (inside, outside):  # and the steps after it
        optimizer(gradients_of(optimizer, 1))
    assert_same(state_of(inside), state_of(outside), 1e-7)


def test_step_on_differentiated_parameters():
    weight = Parameter(Tensor([2.0]), name="weight")
    optimizer = nn.Momentum([weight], 0.5, 0.9)

    def function():
        loss = weight * weight
        optimizer((Tensor([1.0]),))
        return loss

    gradient = ms.grad(function, None, weight)()
    assert gradient.asnumpy() == 4.0
    assert weight.asnumpy() == 1.5
    assert not weight._t.requires_grad

    def failing():
        optimizer((Tensor([1.0]),))
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        ms.grad(failing, None, weight)()
    assert weight.asnumpy() == 1.5
    assert optimizer.moments[0].asnumpy() == 1.0


@pytest.mark.slow
@each_maker
def test_recorded_graph(make):
    from torch.fx.experimental.proxy_tensor import make_fx

    eager, traced = make(make_parameters()), make(make_parameters())

    def step(*values):
        traced(tuple(map(Tensor, values)))
        return values[0] + 0

    given = [gradient._t for gradient in gradients_of(eager)]
    saved = [(parameter, parameter._t.clone()) for parameter in traced.get_parameters()]
    graph = make_fx(step, tracing_mode="fake", _allow_non_fake_inputs=True)(*given)
    for parameter, value in saved:
        parameter._t.copy_(value)
    for count in range(4):
        gradients = gradients_of(eager, count)
        eager(gradients)
        if count % 2:
            traced(gradients)
        else:
            graph(*[gradient._t for gradient in gradients])
    assert_same(state_of(traced), state_of(eager), 2e-5)


# The base


def test_custom_optimizer():
    class MomentumOpt(nn.Optimizer):
        def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0):
            super().__init__(learning_rate, params, weight_decay, loss_scale)
            self.moments = self.parameters.clone(prefix="moments", init="zeros")
            self.opt = ops.ApplyMomentum()
            self.momentum = momentum

        def construct(self, gradients):
            success = None
            for param, mom, grad in zip(self.parameters, self.moments, gradients):
                success = self.opt(param, mom, self.learning_rate, grad, self.momentum)
            return success

    custom, reference = MomentumOpt(make_parameters(), 0.1, 0.9), nn.Momentum(make_parameters(), 0.1, 0.9)
    for step in range(3):
        given = gradients_of(reference, step)
        reference(given)
        custom(given)
    for name in ("parameters", "moments"):
        for ours, theirs in zip(getattr(custom, name), getattr(reference, name)):
            assert ours.name == theirs.name
            np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-6)


def test_base_has_no_rule():
    optimizer = nn.Optimizer(0.1, make_parameters())
    with pytest.raises((NotImplementedError, AttributeError)):
        optimizer(gradients_of(optimizer))


def test_settings_of_the_base():
    optimizer = nn.Momentum(make_parameters(), 0.1, 0.9)
    assert optimizer.target == "CPU"
    optimizer.target = "CPU"
    with pytest.raises(NotImplementedError, match="For 'Momentum', 'target' can only be the device in use"):
        optimizer.target = "Ascend"
    assert optimizer.unique is True
    optimizer.unique = False
    assert optimizer.unique is False
    with pytest.raises(TypeError, match=r"For 'Momentum\.unique', 'unique' must be a bool"):
        optimizer.unique = 1
    assert optimizer.flatten_gradients((1, 2)) == (1, 2)


def test_get_lr_parameter():
    schedule = nn.WarmUpLR(0.1, 4)
    weight, bias, gamma = make_parameters()
    groups = [{"params": [weight], "lr": schedule}, {"params": [bias], "lr": [0.1, 0.2]}, {"params": [gamma]}]
    optimizer = nn.Momentum(groups, 0.3, 0.9)
    assert optimizer.get_lr_parameter(weight) is schedule
    assert [holder.name for holder in optimizer.get_lr_parameter([bias, gamma])] == [
        "learning_rate_group_1",
        "learning_rate",
    ]
    assert optimizer.get_lr_parameter(bias).shape == (2,)
    assert optimizer.get_lr_parameter([]) == []
    for wrong in (1, "fc.weight", (weight,), [1]):
        with pytest.raises(TypeError, match="For 'get_lr_parameter', 'param' must be a Parameter"):
            optimizer.get_lr_parameter(wrong)
    with pytest.raises(ValueError, match="For 'get_lr_parameter', the optimizer does not have the parameter 'other'"):
        optimizer.get_lr_parameter(Parameter(Tensor([1.0]), name="other"))


def test_order_given_twice():
    weight = make_parameters()[0]
    with pytest.raises(ValueError, match="'order_params' is given twice"):
        nn.SGD([{"params": [weight]}, {"order_params": [weight]}, {"order_params": [weight]}])


def test_arguments_are_kept():
    weight = make_parameters()[0]
    schedule = nn.WarmUpLR(0.1, 4)
    optimizer = nn.Momentum(iter([weight]), schedule, 0.9, use_nesterov=True)
    assert optimizer.init_params == {"params": [weight]}
    assert optimizer.init_learning_rate is schedule
    assert optimizer.init_args == {"momentum": 0.9, "weight_decay": 0.0, "loss_scale": 1.0, "use_nesterov": True}
    assert list(optimizer.name_cells()) == ["learning_rate"]

    class Plain(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params, learning_rate=0.1):
            super().__init__(learning_rate, params)

    assert Plain([weight]).init_learning_rate == 0.1


def test_offload_on_another_device(monkeypatch):
    monkeypatch.setattr(nn.Adam, "target", "GPU")
    with pytest.warns(RuntimeWarning, match="For 'Adam', the states are kept on the GPU"):
        nn.Adam(make_parameters(), use_offload=True)


# Primitives


def scalar(value):
    return Tensor(value, ms.float32)


def parameter(*values, name="x"):
    return Parameter(Tensor(values, ms.float32), name=name)


@pytest.mark.parametrize("as_given", [float, scalar], ids=["numbers", "tensors"])
def test_apply_momentum(as_given):
    variable, moment = parameter(1.0, 2.0), parameter(0.5, 0.0)
    result = ops.ApplyMomentum()(variable, moment, as_given(0.1), Tensor([1.0, 2.0]), as_given(0.9))
    np.testing.assert_allclose(moment.asnumpy(), [1.45, 2.0], rtol=1e-6)
    np.testing.assert_allclose(variable.asnumpy(), [0.855, 1.8], rtol=1e-6)
    np.testing.assert_array_equal(result.asnumpy(), variable.asnumpy())
    ops.ApplyMomentum(use_nesterov=True)(variable, moment, 0.1, Tensor([1.0, 2.0], ms.float16), 0.9)
    np.testing.assert_allclose(
        variable.asnumpy(), [0.855 - 0.1 * (1 + 0.9 * 2.305), 1.8 - 0.1 * (2 + 0.9 * 3.8)], rtol=1e-6
    )


def test_sgd_primitive():
    variable, accum, stat = parameter(1.0, 1.0), parameter(10.0, 10.0), parameter(1.0, 0.0)
    result = ops.SGD(dampening=0.5, weight_decay=0.1)(variable, Tensor([1.0, 1.0]), 0.1, accum, scalar(0.9), stat)
    np.testing.assert_allclose(accum.asnumpy(), [1.1, 9.55], rtol=1e-6)
    np.testing.assert_array_equal(stat.asnumpy(), [0.0, 0.0])
    np.testing.assert_allclose(result.asnumpy(), [0.89, 0.045], rtol=1e-5)
    ops.SGD(nesterov=True)(variable, Tensor([1.0, 1.0]), 0.1, accum, 0.9, stat)
    np.testing.assert_allclose(variable.asnumpy()[0], 0.89 - 0.1 * (1 + 0.9 * 1.99), rtol=1e-5)


@pytest.mark.parametrize("nesterov", [False, True])
def test_adam_primitive(nesterov):
    reference = nn.Adam([parameter(1.0, 2.0)], 0.1, 0.8, 0.9, 0.1, use_nesterov=nesterov)
    var, m, v = parameter(1.0, 2.0), parameter(0.0, 0.0), parameter(0.0, 0.0)
    for step in (1, 2):
        given = Tensor([1.0, -step])
        reference((given,))
        result = ops.Adam(use_nesterov=nesterov)(var, m, v, 0.8**step, 0.9**step, 0.1, 0.8, 0.9, scalar(0.1), given)
        np.testing.assert_allclose(var.asnumpy(), reference.parameters[0].asnumpy(), rtol=1e-5)
    assert [value.asnumpy().tolist() for value in result] == [value.asnumpy().tolist() for value in (var, m, v)]


def test_adam_weight_decay_primitive():
    reference = nn.AdamWeightDecay([parameter(1.0, 2.0)], 0.1, 0.8, 0.9, 0.1, 0.1)
    var, m, v = parameter(1.0, 2.0), parameter(0.0, 0.0), parameter(0.0, 0.0)
    for step in (1, 2):
        given = Tensor([1.0, -step])
        reference((given,))
        ops.AdamWeightDecay()(var, m, v, 0.1, 0.8, 0.9, 0.1, 0.1, given)
        np.testing.assert_allclose(var.asnumpy(), reference.parameters[0].asnumpy(), rtol=1e-5)


def test_primitive_inside_a_differentiated_function():
    variable, moment = parameter(1.0), parameter(0.0)

    def function(x):
        ops.ApplyMomentum()(variable, moment, 0.5, x, 0.9)
        return x * x

    assert ms.grad(function)(Tensor([1.0])).asnumpy() == 2.0
    assert variable.asnumpy() == 0.5


def test_gradient_scale():
    variable, moment = parameter(1.0), parameter(0.5)
    ops.ApplyMomentum(gradient_scale=2.0)(variable, moment, 0.1, Tensor([1.0]), 0.9)
    np.testing.assert_allclose([variable.asnumpy()[0], moment.asnumpy()[0]], [0.755, 2.45], rtol=1e-6)


ONE = Tensor([1.0, 1.0])
PRIMITIVE_ERRORS = {
    "flag": (lambda: ops.ApplyMomentum(use_nesterov=1), TypeError, "'use_nesterov' must be a bool"),
    "scale type": (lambda: ops.ApplyMomentum(gradient_scale="a"), TypeError, "'gradient_scale' must be a number"),
    "accumulation": (
        lambda: ops.ApplyMomentum()(parameter(1.0, 1.0), parameter(1.0), 0.1, ONE, 0.9),
        ValueError,
        r"'accumulation' must have the shape of 'variable', \(2,\), but got \(1,\)",
    ),
    "gradient": (
        lambda: ops.ApplyMomentum()(parameter(1.0, 1.0), parameter(1.0, 1.0), 0.1, Tensor([1.0]), 0.9),
        ValueError,
        "'gradient' must have the shape",
    ),
    "no gradient": (
        lambda: ops.ApplyMomentum()(parameter(1.0, 1.0), parameter(1.0, 1.0), 0.1, None, 0.9),
        TypeError,
        "'gradient' must be a Tensor",
    ),
    "rate": (
        lambda: ops.ApplyMomentum()(parameter(1.0, 1.0), parameter(1.0, 1.0), "a", ONE, 0.9),
        TypeError,
        "'learning_rate' must be a number",
    ),
    "rates": (
        lambda: ops.ApplyMomentum()(parameter(1.0, 1.0), parameter(1.0, 1.0), ONE, ONE, 0.9),
        TypeError,
        "'learning_rate' must be a number",
    ),
    "damped nesterov": (lambda: ops.SGD(0.5, nesterov=True), ValueError, "'dampening' must be 0"),
    "dampening": (lambda: ops.SGD("a"), TypeError, "'dampening' must be a number"),
    "nesterov": (lambda: ops.SGD(nesterov=1), TypeError, "'nesterov' must be a bool"),
    "locking": (lambda: ops.Adam(1), TypeError, "'use_locking' must be a bool"),
    "decay locking": (lambda: ops.AdamWeightDecay(1), TypeError, "'use_locking' must be a bool"),
}


@pytest.mark.parametrize(("call", "error", "words"), PRIMITIVE_ERRORS.values(), ids=PRIMITIVE_ERRORS)
def test_primitive_error(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_an_optimizer_without_construct():
    with pytest.raises(NotImplementedError, match="For 'Optimizer', the method 'construct' is not defined"):
        nn.Optimizer(0.1, [Parameter(Tensor([1.0]), name="weight")])((Tensor([1.0]),))
