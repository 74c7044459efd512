"""Rules of optimizers that MindSpore 2.10 does not run on the CPU, or not as it documents: against closed forms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from data import record_optimizers as record
from torchspore import Parameter, Tensor, nn, ops
from torchspore.ops.updates import tensor_lists

RECORD = json.loads((Path(__file__).parent.parent / "data" / "optimizers.json").read_text(encoding="utf-8"))
PIECEWISE = ("ASGD", "AdaMax", "Adadelta", "Adagrad", "FTRL", "ProximalAdagrad", "RMSProp", "Rprop")
STEPS = 5
GRADIENTS = [np.array([0.3 * step - 0.5, 1.0 - 0.7 * step, 0.0]) for step in range(STEPS)]
START = np.array([0.8, -0.5, 0.3])


def run(make, name="weight", gradients=GRADIENTS, scale=1.0):
    """Return the parameter after each step."""
    weight = Parameter(Tensor(START, ms.float32), name=name)
    optimizer = make([weight])
    found = []
    for gradient in gradients:
        optimizer((Tensor(gradient * scale, ms.float32),))
        found.append(weight.asnumpy().copy())
    return found


def assert_steps(make, rule, **options):
    """Compare with a rule that takes a parameter, a gradient and the number of the step, from 1 on."""
    value, expected = START.copy(), []
    for step, gradient in enumerate(GRADIENTS, 1):
        value = rule(value, gradient, step)
        expected.append(value)
    np.testing.assert_allclose(run(make, **options), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "expression", [e for e in RECORD["trajectories"] if e.split(".")[1].split("(")[0] in PIECEWISE]
)
def test_small_pieces(expression, monkeypatch):
    """The result does not depend on how the parameters are divided."""
    monkeypatch.setattr(tensor_lists, "_PIECE", 2)
    found, expected = record.trajectory(ms, expression), RECORD["trajectories"][expression]
    for ours, theirs in zip(found["steps"], expected["steps"], strict=True):
        for name, value in theirs.items():
            np.testing.assert_allclose(ours[name], value, rtol=1e-5, atol=1e-5)


def test_pieces_cover_everything_once(monkeypatch):
    monkeypatch.setattr(tensor_lists, "_PIECE", 4)
    import torch

    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    shapes = [(2,), (2,), (3, 3), (1, 2, 3), (), (5,)]
    tensors = [torch.zeros(shape) for shape in shapes]
    tensors[3] = torch.zeros(1, 3, 2).transpose(1, 2)
    tensors.append(torch.zeros(4, 4)[:, :2])  # not dense: in one piece
    pieces = tensor_lists.Pieces(tensors)
    groups = pieces.of(tensors)
    for group in groups:
        assert sum(value.numel() for value in group) <= 4 or len(group) == 1
        for value in group:
            value.add_(1)
    assert len(groups) > len(tensors) / 2
    for tensor in tensors:
        assert (tensor == 1).all()


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_lamb(decay):
    m, v = np.zeros(3), np.zeros(3)

    def rule(value, gradient, step):
        m[:] = 0.9 * m + 0.1 * gradient
        v[:] = 0.99 * v + 0.01 * gradient**2
        update = m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.99**step)) + 1e-3) + decay * value
        return value - 0.1 * np.linalg.norm(value) / np.linalg.norm(update) * update

    assert_steps(lambda p: nn.Lamb(p, 0.1, beta2=0.99, eps=1e-3, weight_decay=decay), rule)


def test_lamb_of_nothing():
    for start, gradient in (([0.0, 0.0], [1.0, 1.0]), ([1.0, 1.0], [0.0, 0.0])):
        weight = Parameter(Tensor(start), name="weight")
        nn.Lamb([weight], 0.5)((Tensor(gradient),))
        np.testing.assert_allclose(weight.asnumpy(), np.array(start) - 0.5 * np.array(gradient), rtol=1e-5)


def lars_scale(value, gradient, decay, rate=None):
    size = np.linalg.norm(value)
    scale = 0.02 * size / (np.linalg.norm(gradient) + decay * size + 1e-3)
    return scale if rate is None else min(scale / rate, 1.0)


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("rates", [0.01, [0.01 * (i + 1) for i in range(STEPS)]])
def test_lars(clip, rates):
    moment = np.zeros(3)

    def rule(value, gradient, step):
        rate = rates if isinstance(rates, float) else rates[step - 1]
        scale = lars_scale(value, gradient, 0.1, rate if clip else None)
        moment[:] = 0.9 * moment + scale * (gradient + 0.1 * value)
        return value - rate * moment

    def make(parameters):
        return nn.LARS(nn.Momentum(parameters, rates, 0.9, 0.1, 4.0), 1e-3, 0.02, clip)

    assert_steps(make, rule, scale=4.0)


@pytest.mark.parametrize("name", ["fc.bias", "LayerNorm.weight"])
def test_lars_leaves_others_alone(name):
    assert_steps(lambda p: nn.LARS(nn.SGD(p, 0.1, weight_decay=0.1)), lambda v, g, step: v - 0.1 * g, name=name)


def test_lars_with_groups():
    weights = [Parameter(Tensor(START, ms.float32), name=name) for name in ("a", "b")]
    groups = [{"params": weights[:1], "lr": 0.5, "weight_decay": 0.2}, {"params": weights[1:]}]
    optimizer = nn.LARS(nn.SGD(groups, 0.1), 1e-3, 0.02, lars_filter=lambda parameter: True)
    assert optimizer.parameters[0] is weights[0]
    assert optimizer.get_lr()[0].item() == 0.5
    gradient = GRADIENTS[0]
    assert optimizer((Tensor(gradient, ms.float32),) * 2) == (True, True)
    for weight, rate, decay in zip(weights, (0.5, 0.1), (0.2, 0.0)):
        expected = START - rate * lars_scale(START, gradient, decay) * (gradient + decay * START)
        np.testing.assert_allclose(weight.asnumpy(), expected, rtol=1e-5)
    assert optimizer.global_step.item() == 1


def test_lars_in_a_graph():
    def make(weight):
        return nn.LARS(nn.Momentum([weight], 0.1, 0.9, 0.1), coefficient=0.02)

    weights = [Parameter(Tensor(START, ms.float32), name="w") for _ in range(2)]
    eager, other = map(make, weights)
    step = ms.jit(lambda gradient: other((gradient,)), fullgraph=True)
    for gradient in GRADIENTS:
        eager((Tensor(gradient, ms.float32),))
        step(Tensor(gradient, ms.float32))
    np.testing.assert_allclose(weights[1].asnumpy(), weights[0].asnumpy(), rtol=1e-5)


def test_lars_takes_an_optimizer():
    with pytest.raises(TypeError, match=r"For 'LARS', 'optimizer' must be an Optimizer, but got 5"):
        nn.LARS(5)


def test_adagrad_without_new_sums():
    """MindSpore's CPU adds to the sums all the same."""
    assert_steps(lambda p: nn.Adagrad(p, 0.25, 0.1, False), lambda v, g, step: v - 0.1 * g / 0.5)


@pytest.mark.parametrize(("power", "l1", "l2"), [(-0.5, 0.1, 0.0), (-0.3, 0.2, 0.1), (0.0, 0.1, 0.2)])
def test_ftrl_with_l1(power, l1, l2):
    """MindSpore's CPU gives l1 the wrong sign below 0."""
    squares, linear = np.full(3, 0.1), np.zeros(3)

    def rule(value, gradient, step):
        total = squares + gradient**2
        linear[:] += gradient - (total**-power - squares**-power) / 0.5 * value
        squares[:] = total
        found = (np.sign(linear) * l1 - linear) / (total**-power / 0.5 + 2 * l2)
        return np.where(np.abs(linear) > l1, found, 0.0)

    assert_steps(lambda p: nn.FTRL(p, 0.1, 0.5, power, l1, l2), rule)


@pytest.mark.parametrize("beta1", [None, 0.9])
def test_adafactor_divides_by_the_loss_scale(beta1):
    options = {"eps": (0.1, 0.1), "beta1": beta1}
    found = run(lambda p: nn.AdaFactor(p, loss_scale=4.0, **options), scale=4.0)
    np.testing.assert_allclose(found, run(lambda p: nn.AdaFactor(p, **options)), rtol=1e-5)


def test_adafactor_compressed():
    found = run(lambda p: nn.AdaFactor(p, compression=True, eps=(0.1, 1e-3)))
    np.testing.assert_allclose(found, run(lambda p: nn.AdaFactor(p, eps=(0.1, 1e-3))), atol=1e-4)


def test_adafactor_with_a_decay_of_a_group():
    def make(parameters):
        group = {"params": parameters, "weight_decay": 0.1}
        with pytest.warns(UserWarning, match="For 'AdaFactor', the 'weight_decay' of a group has no effect"):
            return nn.AdaFactor([group], 0.1, (0.1, 1e-3), 1.0, 0.8, None, 0.5, False, False)

    still = [np.zeros(3)] * STEPS
    np.testing.assert_allclose(run(make, gradients=still)[-1], START * 0.95**STEPS, rtol=1e-5)


REFUSED = {
    "AdaSumByGradWrapCell": lambda net: nn.AdaSumByGradWrapCell(nn.SGD(net.trainable_params())),
    "AdaSumByDeltaWeightWrapCell": lambda net: nn.AdaSumByDeltaWeightWrapCell(nn.SGD(net.trainable_params())),
    "OptTFTWrapper": lambda net: nn.OptTFTWrapper(nn.SGD(net.trainable_params())),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    with pytest.raises(NotImplementedError, match=rf"For '{name}', it .*\. (Use|Average) "):
        REFUSED[name](nn.Dense(2, 2))


def test_offload_on_another_device(monkeypatch):
    monkeypatch.setattr(nn.AdamOffload, "target", "GPU")
    with pytest.warns(RuntimeWarning, match="For 'AdamOffload', the states are kept on the GPU"):
        run(nn.AdamOffload)


@pytest.mark.parametrize("devices", [("cpu", "cuda"), ()], ids=["fused", "unfused"])
def test_lazy_adam_is_adam(devices, monkeypatch):
    monkeypatch.setattr(tensor_lists, "_FUSED_DEVICES", devices)
    np.testing.assert_array_equal(run(lambda p: nn.LazyAdam(p, 0.1)), run(lambda p: nn.Adam(p, 0.1)))


_COMPLEX = ms.Tensor(np.array([1 + 2j, 3 - 1j], np.complex64))
_OPTIMIZERS = [
    (module, name)
    for module in (nn, ms.experimental.optim, ms.mint.optim)
    for name in module.__all__
    if isinstance(getattr(module, name), type)
    and issubclass(getattr(module, name), (nn.Optimizer, ms.experimental.optim.Optimizer))
    and name not in ("Optimizer", "LARS", "thor", "LBFGS")
]


@pytest.mark.parametrize(("module", "name"), _OPTIMIZERS, ids=[f"{m.__name__}.{n}" for m, n in _OPTIMIZERS])
def test_complex_gradients_are_refused(module, name):
    shape = (1, 2) if name == "Muon" else (2,)  # only of matrices
    weight = ms.Parameter(ms.Tensor([1.0, 2.0]).reshape(shape), name="w")
    settings = {"momentum": 0.9} if name == "Momentum" else {}
    if name != "AdaFactor":
        settings["learning_rate" if module is nn else "lr"] = 0.1
    optimizer = getattr(module, name)([weight], **settings)
    with pytest.raises(TypeError, match=f"For '{name}', 'gradient' must hold real numbers, but got"):
        optimizer((_COMPLEX.reshape(shape),))
    np.testing.assert_array_equal(weight.asnumpy(), np.reshape([1.0, 2.0], shape))
    optimizer((ms.Tensor([1, 2]).reshape(shape),))  # ints are converted, as in MindSpore
    assert (weight.asnumpy() != [1.0, 2.0]).all()


@pytest.mark.parametrize(
    "step",
    [
        lambda w: ops.ApplyGradientDescent()(w, 0.1, _COMPLEX),
        lambda w: ops.ApplyAdagrad()(w, w.clone(), 0.1, _COMPLEX),
        lambda w: ops.ApplyMomentum()(w, w.clone(), 0.1, _COMPLEX, 0.9),
        lambda w: ops.Adam()(w, w.clone(), w.clone(), 0.9, 0.9, 0.1, 0.9, 0.99, 1e-8, _COMPLEX),
        lambda w: ops.AdamWeightDecay()(w, w.clone(), w.clone(), 0.1, 0.9, 0.99, 1e-8, 0.0, _COMPLEX),
        lambda w: ops.SparseApplyAdagrad(0.1)(w, w.clone(), _COMPLEX, ms.Tensor([0, 1])),
        lambda w: ops.auto_generate.AdamW()(w, w, w, w, _COMPLEX, 1.0, 0.1, 0.9, 0.99, 0.0, 1e-8),
        lambda w: ops.scatter_update(w, ms.Tensor([0, 1]), _COMPLEX),
        lambda w: ops.assign_add(w, _COMPLEX),
    ],
)
def test_updates_refuse_complex_numbers(step):
    weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    with pytest.raises(TypeError, match=r"For '\w+', .*[cC]omplex"):
        step(weight)
    np.testing.assert_array_equal(weight.asnumpy(), [1.0, 2.0])


def test_learning_rates_of_steps_have_the_shape_of_the_step() -> None:
    """Callbacks of mindcv take the first element of `learning_rate(global_step)`."""
    optimizer = nn.Momentum([Parameter(Tensor([1.0]), name="w")], [0.1, 0.2], 0.9)
    assert optimizer.learning_rate(optimizer.global_step).shape == (1,)
    assert optimizer.learning_rate(Tensor(1, ms.int32)).shape == ()
    assert optimizer.get_lr().shape == ()
