"""`experimental.optim.Lion` and `Muon`: formulas, torch, graphs, groups, checkpoints, and errors."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

import torchspore as ms
from fuzz import inputs
from torchspore import Parameter, Tensor, nn, ops
from torchspore.experimental import optim
from torchspore.ops.updates import rules, tensor_lists

SHAPES = ((3, 2), (2, 5), (4, 4))
MAKERS = {
    "lion": lambda params: optim.Lion(params, 0.1),
    "lion, decay": lambda params: optim.Lion(params, Tensor(0.1), (0.5, 0.9), 0.2, maximize=True),
    "muon": lambda params: optim.Muon(params, 0.1),
    "muon, options": lambda params: optim.Muon(params, 0.1, 0.0, 0.5, False, adjust_lr_fn="match_rms_adamw"),
}
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def values(seed, shapes=SHAPES):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def parameters(seed=0, dtype=ms.float32, shapes=SHAPES):
    return [Parameter(Tensor(value, dtype), name=f"w{i}") for i, value in enumerate(values(seed, shapes))]


def gradients(step, dtype=ms.float32, shapes=SHAPES):
    return tuple(Tensor(value, dtype) for value in values(step + 100, shapes))


def assert_alike(found, expected, tolerance=1e-6):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=tolerance, atol=tolerance, err_msg=ours.name)


@pytest.mark.parametrize(("devices", "piece"), [(("cpu",), 1 << 16), ((), 2)], ids=["whole", "in pieces"])
@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_lion_is_its_formula(decay, maximize, devices, piece, monkeypatch):
    monkeypatch.setattr(tensor_lists, "_FUSED_DEVICES", devices)
    monkeypatch.setattr(tensor_lists, "_PIECE", piece)
    shapes = ((7,), (2, 3, 2), ())
    ours, expected = parameters(shapes=shapes), [value.astype(np.float64) for value in values(0, shapes)]
    means = [np.zeros_like(value) for value in expected]
    optimizer = optim.Lion(ours, 0.1, (0.8, 0.9), decay, maximize=maximize)
    for step in range(6):
        optimizer(gradients(step, shapes=shapes))
        for i, gradient in enumerate(values(step + 100, shapes)):
            g = -gradient if maximize else gradient
            direction = np.sign(0.8 * means[i] + 0.2 * g)
            expected[i] = expected[i] - 0.1 * (direction + decay * expected[i])
            means[i] = 0.9 * means[i] + 0.1 * g
    for found, value, state, mean in zip(ours, expected, optimizer.exp_avg, means):
        np.testing.assert_allclose(found.asnumpy(), value, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(state.asnumpy(), mean, rtol=1e-5, atol=1e-6)


MUON_OPTIONS = [
    {},
    {"nesterov": False, "weight_decay": 0.0},
    {"momentum": 0.5, "adjust_lr_fn": "match_rms_adamw"},
    {"ns_coefficients": (2.0, -1.5, 0.5), "ns_steps": 8, "adjust_lr_fn": "original"},
    {"ns_steps": 0, "eps": 10.0},
]


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="this torch has no Muon")
@pytest.mark.parametrize("options", MUON_OPTIONS, ids=str)
def test_muon_is_that_of_torch(options):
    ours, theirs = parameters(), [torch.nn.Parameter(torch.from_numpy(value)) for value in values(0)]
    first, second = optim.Muon(ours, 0.1, **options), torch.optim.Muon(theirs, 0.1, **options)
    for step in range(6):
        first(gradients(step))
        for parameter, gradient in zip(theirs, values(step + 100)):
            parameter.grad = torch.from_numpy(gradient)
        second.step()
    for found, expected in zip(ours, theirs):
        np.testing.assert_allclose(found.asnumpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_the_updates_of_muon_are_orthogonal():
    """The coefficients of the exact iteration make all singular values 1; bfloat16 has an error of about 1 percent."""
    rng = np.random.default_rng(0)
    for _ in range(inputs(20)):
        shape = rng.integers(1, 9, 2)
        matrix = rng.standard_normal(shape).astype(np.float32)
        u, sizes, v = np.linalg.svd(matrix, full_matrices=False)
        if sizes[-1] < 0.05 * sizes[0]:  # needs more iterations
            continue
        found = rules.orthogonalized(torch.from_numpy(matrix), (2.0, -1.5, 0.5), 25, 1e-7)
        np.testing.assert_allclose(found.float().numpy(), u @ v, atol=0.05)


@pytest.mark.parametrize("shape", [(6, 2), (2, 6), (3, 3), (1, 4)], ids=str)
@pytest.mark.parametrize("convention", ["original", "match_rms_adamw"])
def test_the_scale_of_muon(shape, convention):
    rows, columns = shape
    scale = max(1, rows / columns) ** 0.5 if convention == "original" else 0.2 * max(shape) ** 0.5
    gradient = np.eye(rows, columns, dtype=np.float32)
    weight = Parameter(ops.zeros(shape), name="weight")
    exact = {"ns_coefficients": (2.0, -1.5, 0.5), "ns_steps": 12}
    optim.Muon([weight], 0.5, adjust_lr_fn=convention, **exact)((Tensor(gradient),))
    np.testing.assert_allclose(weight.asnumpy(), -0.5 * scale * gradient, atol=0.02)


@each_maker
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64], ids=str)
def test_other_data_types(make, dtype):
    ours, plain = parameters(dtype=dtype), parameters()
    first, second = make(ours), make(plain)
    for step in range(2):
        given = gradients(step, dtype)
        before = [gradient.float().asnumpy() for gradient in given]
        first(given)
        second(gradients(step))
        for gradient, value in zip(given, before):
            np.testing.assert_array_equal(gradient.float().asnumpy(), value)
    assert all(parameter.dtype == dtype for parameter in optim_state(first))
    for found, expected in zip(ours, plain):
        np.testing.assert_allclose(found.float().asnumpy(), expected.asnumpy(), atol=0.05)


def optim_state(optimizer):
    return [p for p in optimizer.get_parameters() if not p.name.startswith("learning_rate")]


@each_maker
def test_steps_in_a_graph(make):
    eager, other = make(parameters()), make(parameters())
    step = ms.jit(lambda *given: other(given), fullgraph=True)
    for count in range(5):
        eager(gradients(count))
        step(*gradients(count))
        if count == 2:
            for optimizer in (eager, other):
                ops.assign(optimizer.param_groups[0]["lr"], 0.05)
    assert_alike(other.get_parameters(), eager.get_parameters(), 2e-5)


@each_maker
def test_groups(make):
    whole, grown = make(parameters()), make(parameters()[:2])
    grown.add_param_group({"params": parameters()[2:]})
    slow = make([{"params": parameters()[:1]}, {"params": parameters()[1:], "lr": 0.0}])
    for step in range(3):
        for optimizer in (whole, grown, slow):
            optimizer(gradients(step))
    assert_alike(grown.parameters, whole.parameters)
    assert_alike(slow.parameters, [whole.parameters[0], *parameters()[1:]])


@each_maker
def test_states_of_checkpoints(make, tmp_path):
    optimizer, other = make(parameters()), make(parameters(7))
    for step in range(3):
        optimizer(gradients(step))
    path = str(tmp_path / "optimizer.ckpt")
    ms.save_checkpoint(optimizer, path)
    assert ms.load_param_into_net(other, ms.load_checkpoint(path)) == ([], [])
    twin = copy.deepcopy(optimizer)
    for each in (optimizer, other, twin):
        each(gradients(3))
    assert_alike(other.get_parameters(), optimizer.get_parameters(), 0)
    assert_alike(twin.get_parameters(), optimizer.get_parameters(), 0)


def test_muon_and_adamw_train_a_network():
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(4, 16), nn.Tanh(), nn.Dense(16, 1))
    data = ops.randn(64, 4)
    target = data.sin().sum(-1, keepdims=True)
    matrices = [p for p in net.trainable_params() if p.ndim == 2]
    others = [p for p in net.trainable_params() if p.ndim != 2]
    optimizers = optim.Muon(matrices, 0.02), optim.AdamW(others, 0.02)
    step = ms.value_and_grad(lambda: ((net(data) - target) ** 2).mean(), None, (*matrices, *others))
    losses = []
    for _ in range(100):
        loss, found = step()
        optimizers[0](found[: len(matrices)])
        optimizers[1](found[len(matrices) :])
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 10


def vector():
    return Parameter(Tensor([1.0, 2.0]), name="net.bias")


ERRORS = {
    "vector": (lambda w: optim.Muon([w, vector()]), ValueError, "AdamW.*'net.bias' of shape .2,"),
    "group": (lambda w: optim.Muon([w]).add_param_group({"params": [vector()]}), ValueError, "'net.bias'"),
    "convention": (lambda w: optim.Muon([w], adjust_lr_fn="none"), ValueError, "'adjust_lr_fn'"),
    "convention type": (lambda w: optim.Muon([w], adjust_lr_fn=[]), TypeError, "'adjust_lr_fn'"),
    "coefficients": (lambda w: optim.Muon([w], ns_coefficients=(1.0, 2.0)), ValueError, "'ns_coefficients'"),
    "coefficient": (lambda w: optim.Muon([w], ns_coefficients=(1.0, 2.0, "a")), TypeError, r"'ns_coefficients\[2\]'"),
    "steps": (lambda w: optim.Muon([w], ns_steps=-1), ValueError, "'ns_steps'"),
    "steps type": (lambda w: optim.Muon([w], ns_steps=2.5), TypeError, "'ns_steps'"),
    "momentum": (lambda w: optim.Muon([w], momentum=1.5), ValueError, "'momentum'"),
    "nesterov": (lambda w: optim.Muon([w], nesterov=1), TypeError, "'nesterov'"),
    "eps": (lambda w: optim.Muon([w], eps=-1.0), ValueError, "'eps'"),
    "betas": (lambda w: optim.Lion([w], betas=(0.9, 1.0)), ValueError, "'betas'"),
    "decay": (lambda w: optim.Lion([w], weight_decay=-1.0), ValueError, "'weight_decay'"),
    "maximize": (lambda w: optim.Lion([w], maximize=1), TypeError, "'maximize'"),
    "shape": (lambda w: optim.Lion([w])((Tensor([1.0]),)), ValueError, "gradient of 'w0'"),
    "complex": (lambda w: optim.Muon([w])((ops.zeros((3, 2), ms.complex64),)), TypeError, "real numbers"),
}


@pytest.mark.parametrize(("make", "error", "said"), ERRORS.values(), ids=ERRORS)
def test_errors(make, error, said):
    with pytest.raises(error, match=f"^For '(Lion|Muon)', .*{said}"):
        make(parameters()[0])
