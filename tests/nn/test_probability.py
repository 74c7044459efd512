"""Distributions and bijectors: against torch's, samples by their statistics, graphs, gradients, subclasses."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import distributions as td

import preloaded
import torchspore as ms
from torchspore import nn
from torchspore.nn.probability import bijector as msb
from torchspore.nn.probability import distribution as msd

A, B = np.array([0.4, 1.5, 2.5], np.float32), np.array([[1.3], [0.8]], np.float32)
P = np.array([0.2, 0.5, 0.7], np.float32)

# The distribution, torch's for the same parameters, the parameters, and values.
PAIRS = {
    "Normal": (msd.Normal, td.Normal, (A, B), A),
    "Uniform": (msd.Uniform, td.Uniform, (-A, B), -A / 2),
    "Laplace": (msd.Laplace, td.Laplace, (A, B), A + 0.3),
    "HalfNormal": (msd.HalfNormal, lambda mean, sd: td.HalfNormal(sd), (0 * A, B), A),
    "StudentT": (msd.StudentT, td.StudentT, (A + 2, A, B), A + 1),
    "Cauchy": (msd.Cauchy, td.Cauchy, (A, B), A + 1),
    "Logistic": (msd.Logistic, None, (A, B), A + 1),
    "Exponential": (msd.Exponential, td.Exponential, (A,), A),
    "Gamma": (msd.Gamma, td.Gamma, (A, B), A),
    "Beta": (msd.Beta, td.Beta, (A, B), P),
    "LogNormal": (msd.LogNormal, td.LogNormal, (A / 4, B / 3), A),
    "Gumbel": (msd.Gumbel, td.Gumbel, (A, B), A),
    "Bernoulli": (msd.Bernoulli, td.Bernoulli, (P,), np.array([0.0, 1.0, 1.0], np.float32)),
    "Geometric": (msd.Geometric, td.Geometric, (P,), np.array([0.0, 1.0, 3.0], np.float32)),
    "Poisson": (msd.Poisson, td.Poisson, (A,), np.array([0.0, 1.0, 3.0], np.float32)),
    "Categorical": (msd.Categorical, td.Categorical, (np.array([0.2, 0.5, 0.3], np.float32),), np.array([0, 2, 1])),
}
CONTINUOUS = [*PAIRS][:12]


def _ours(name):
    family, _, parameters, values = PAIRS[name]
    return family(*map(ms.Tensor, parameters)), ms.Tensor(values)


def _close(found, expected, tolerance=2e-5):
    np.testing.assert_allclose(found.asnumpy(), np.asarray(expected), tolerance, tolerance)


@pytest.mark.parametrize("name", [name for name in PAIRS if PAIRS[name][1]])
def test_agrees_with_torch(name):
    ours, value = _ours(name)
    theirs = PAIRS[name][1](*map(torch.from_numpy, PAIRS[name][2]))
    _close(ours.log_prob(value), theirs.log_prob(value.torch.cpu()))
    moments = {"mean": "mean", "var": "variance", "mode": "mode"}
    for function, attribute in moments.items():
        if name in ("Uniform", "Cauchy", "Categorical") or (name, function) in (
            ("Bernoulli", "mode"),
            ("Beta", "mode"),
        ):
            continue
        expected = getattr(theirs, attribute).numpy()
        if (name, function) == ("Gamma", "mode"):
            expected = np.where(A > 1, expected, np.nan)  # the density has no top
        _close(getattr(ours, function)(), np.broadcast_to(expected, ours.broadcast_shape))
    if name != "Poisson":
        _close(ours.entropy(), np.broadcast_to(theirs.entropy(), ours.entropy().shape))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_cdf_is_the_integral_of_prob(name):
    ours, value = _ours(name)
    density = ms.grad(lambda x: ours.cdf(x).sum())(value.broadcast_to((2, 3)))
    _close(density.broadcast_to((2, 3)), ours.prob(value.broadcast_to((2, 3))).asnumpy(), 1e-4)
    _close(ours.cdf(value) + ours.survival_function(value), 1.0)
    _close(ours.log_cdf(value), np.log(ours.cdf(value).asnumpy()))
    _close(ours.log_survival(value), np.log(ours.survival_function(value).asnumpy()))


@pytest.mark.parametrize(
    "name", ["Normal", "Laplace", "Exponential", "Gamma", "Beta", "Bernoulli", "Poisson", "Gumbel"]
)
def test_divergences_agree_with_torch(name):
    ours, _ = _ours(name)
    parameters = [torch.from_numpy(parameter) for parameter in PAIRS[name][2]]
    others = [parameter * 0.9 for parameter in parameters]
    expected = td.kl_divergence(PAIRS[name][1](*parameters), PAIRS[name][1](*others))
    _close(ours.kl_loss(name, *map(ms.Tensor, others)), expected)
    if name != "Poisson":
        _close(ours.cross_entropy(name, *map(ms.Tensor, others)), expected + ours.entropy().torch.cpu())


@pytest.mark.parametrize("name", PAIRS)
def test_samples_follow_the_distribution(name):
    """The share of samples up to a value is the cdf there, within five standard deviations."""
    ms.set_seed(7)
    ours, value = _ours(name)
    count = 20_000
    samples = ours.sample((count,))
    assert samples.shape == (count, *ours.broadcast_shape)
    assert samples.dtype == ours.dtype
    by_value = samples.asnumpy()[:, None] if name == "Categorical" else samples.asnumpy()
    share = (by_value <= value.asnumpy()).mean(0)
    cdf = ours.cdf(value).asnumpy()
    assert np.all(np.abs(share - cdf) <= 5 * np.sqrt(cdf * (1 - cdf) / count) + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_graph(name):
    """In a graph: construction outside and inside, every function, and parameters of the call."""
    ours, value = _ours(name)
    tensors = [ms.Tensor(parameter) for parameter in PAIRS[name][2]]
    family = PAIRS[name][0]

    def program(value, *parameters):
        inside = family(*parameters)
        return ours.log_prob(value, *parameters), inside.prob(value), ours("cdf", value), ours.sample((2,)).shape

    captured = ms.jit(program, fullgraph=True)
    for found, expected in zip(captured(value, *tensors), program(value, *tensors)):
        if isinstance(found, ms.Tensor):
            _close(found, expected.asnumpy())
        else:
            assert found == expected


@pytest.mark.parametrize("name", ["Normal", "Gamma", "Beta", "LogNormal", "StudentT", "Categorical"])
def test_vmap(name):
    ours, value = _ours(name)
    parameters = [ms.Tensor(parameter) for parameter in PAIRS[name][2]]
    stacked = ms.ops.stack([value, value.flip((0,))])
    found = ms.vmap(lambda x: ours.log_prob(x, *parameters))(stacked)
    for row, x in zip(found, stacked):
        _close(row, ours.log_prob(x).asnumpy())


@pytest.mark.parametrize("name", ["Normal", "Gamma", "Beta", "Laplace", "Logistic", "Gumbel", "LogNormal", "StudentT"])
def test_samples_have_gradients(name):
    """A sample moves with its parameters: the mean of many has about the gradient of the mean."""
    ms.set_seed(3)
    ours, _ = _ours(name)
    parameters = [ms.Tensor(parameter) for parameter in PAIRS[name][2]]
    positions = tuple(range(len(parameters)))
    found = ms.grad(lambda *values: ours.sample((4000,), *values).mean(0).sum(), positions)(*parameters)
    expected = ms.grad(lambda *values: ours.mean(*values).sum(), positions)(*parameters)
    for ours_part, exact in zip(found, expected):
        np.testing.assert_allclose(ours_part.asnumpy(), exact.asnumpy(), atol=0.35)


def test_seeds():
    def draw(seed):
        ms.set_seed(1)
        return msd.Normal(0.0, 1.0, seed=seed).sample((4,)).asnumpy()

    assert np.array_equal(draw(5), draw(5))
    assert not np.array_equal(draw(5), draw(6))
    assert np.array_equal(draw(None), draw(0))
    transformed = msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0, seed=4), seed=5)
    ms.set_seed(1)
    np.testing.assert_allclose(np.log(transformed.sample((4,)).asnumpy()), draw(5), rtol=1e-5, atol=1e-6)
    assert transformed.seed == 5
    assert transformed.parameters["distribution"].seed == 4


def test_training():
    """Parameters are trained: a variational fit finds the mean and the standard deviation."""
    ms.set_seed(2)

    class Fit(nn.Cell):
        def __init__(self):
            super().__init__()
            self.normal = msd.Normal(ms.Parameter(ms.Tensor(0.0), name="mean"), ms.Parameter(ms.Tensor(1.0), name="sd"))

        def construct(self, x):
            return -self.normal.log_prob(x).mean()

    net = Fit()
    assert [parameter.name for parameter in net.trainable_params()] == ["normal._mean_value", "normal._sd_value"]
    data = ms.Tensor(np.random.default_rng(0).normal(2.0, 0.5, 500).astype(np.float32))
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.05))
    for _ in range(200):
        step(data)
    _close(net.normal.mean(), data.asnumpy().mean(), 1e-2)
    _close(net.normal.sd(), data.asnumpy().std(), 1e-2)


class Triangle(msd.Distribution):
    """A distribution of a user: `_prob` and `_survival_function` alone."""

    def __init__(self, width=None, seed=None, dtype=ms.float32, name="Triangle"):
        param = dict(locals())
        param["param_dict"] = {"width": width}
        super().__init__(seed, dtype, name, param)
        self._width = self._add_parameter(width, "width")

    def _prob(self, value, width=None):
        value = self._check_value(value, "value")
        width = self._check_param_type(width)
        return ms.ops.relu(1 - abs(value) / width) / width

    def _survival_function(self, value, width=None):
        width = self._check_param_type(width)
        return 0.5 * (1 - value / width) ** 2


def test_a_subclass_defines_a_part():
    triangle, value = Triangle(2.0), ms.Tensor([0.0, 1.0])
    _close(triangle.prob(value), [0.5, 0.25])
    _close(triangle.log_prob(value), np.log([0.5, 0.25]))
    _close(triangle.cdf(value), [0.5, 0.875])
    _close(triangle.log_survival(value, ms.Tensor(4.0)), np.log([0.5, 0.28125]))
    _close(triangle("prob", value, ms.Tensor([1.0, 4.0])), [1.0, 0.1875])
    assert triangle.parameter_names == ["width"]
    assert "self" not in triangle.parameters
    for function in ("mean", "sd", "var", "entropy", "mode", "sample", "get_dist_args", "get_dist_type"):
        with pytest.raises(NotImplementedError, match=f"'{function}'"):
            getattr(triangle, function)()


@pytest.mark.parametrize(
    "bijector",
    [msb.Exp(), msb.PowerTransform(0.5), msb.PowerTransform(), msb.ScalarAffine([-2.0, 3.0, 0.5], 1.0),
     msb.Softplus(2.0), msb.Softplus([-1.0, 0.5, 3.0]), msb.GumbelCDF(1.0, 2.0), msb.Invert(msb.Softplus())],
    ids=str,
)  # fmt: skip
def test_bijectors_are_consistent(bijector):
    """The inverse inverts, and the logarithms are the derivatives'."""
    x = ms.Tensor([0.3, 0.9, 2.0])
    y = bijector.forward(x)
    _close(bijector.inverse(y), x.asnumpy(), 1e-4)
    slope = ms.grad(lambda x: bijector.forward(x).sum())(x)
    _close(bijector.forward_log_jacobian(x).broadcast_to((3,)), np.log(np.abs(slope.asnumpy())), 1e-4)
    back = ms.grad(lambda y: bijector.inverse(y).sum())(y)
    _close(bijector.inverse_log_jacobian(y).broadcast_to((3,)), np.log(np.abs(back.asnumpy())), 1e-4)
    graph = ms.jit(lambda x: bijector.forward(x), fullgraph=True)
    _close(graph(x), y.asnumpy())


def test_transformed_distributions():
    """Falling transformations exchange the cdf and the survival function, and every place has its own sample."""
    falling = msd.TransformedDistribution(msb.Invert(msb.ScalarAffine(-0.5, 0.5)), msd.Normal(0.0, 1.0))
    normal, value = msd.Normal(1.0, 2.0), ms.Tensor([-1.0, 0.5, 4.0])
    for function in ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival"):
        _close(getattr(falling, function)(value), getattr(normal, function)(value).asnumpy())
    several = msd.TransformedDistribution(msb.ScalarAffine([1.0, 1.0], 0.0), msd.Normal(0.0, 1.0))
    samples = several.sample((3,)).asnumpy()
    assert samples.shape == (3, 2)
    assert not np.any(samples[:, 0] == samples[:, 1])
    called = msb.Exp()(msd.Normal(0.0, 1.0))
    assert isinstance(called, msd.TransformedDistribution)
    _close(called.cdf(ms.Tensor([1.0, math.e])), [0.5, 0.8413447])


def test_far_tails_are_exact():
    _close(msd.Normal(0.0, 1.0).log_cdf(ms.Tensor([-20.0])), [-203.91716])
    _close(msd.Normal(0.0, 1.0).log_survival(ms.Tensor([20.0])), [-203.91716])
    _close(msd.Logistic(0.0, 1.0).log_cdf(ms.Tensor([-200.0])), [-200.0])
    _close(msb.Softplus().forward_log_jacobian(ms.Tensor([-100.0])), [-100.0])


def test_half_precision_is_computed_in_float32():
    normal = msd.Normal(3.0, 4.0, dtype=ms.float16)
    x = ms.Tensor([0.5, 1.0], ms.float16)
    expected = msd.Normal(3.0, 4.0).cdf(x).asnumpy().astype(np.float16)
    assert np.array_equal(normal.cdf(x).asnumpy(), expected)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: msd.Normal(0.0, -1.0), ValueError, "For 'Normal', 'sd' must be greater than 0, but got -1.0"),
        (lambda: msd.Normal([0.0, 1.0], [1.0] * 3), ValueError, "For 'Normal', the parameters must be of shapes"),
        (lambda: msd.Normal().mean(), TypeError, "For 'Normal', 'mean' is missing"),
        (lambda: msd.Normal(0.0, 1.0, dtype=ms.int32), TypeError, "For 'Normal', 'dtype' must be one of float16"),
        (lambda: msd.Normal(0.0, 1.0).prob(1.0), TypeError, "For 'Normal', 'value' must be a Tensor"),
        (lambda: msd.Normal(0.0, 1.0).kl_loss("Beta"), ValueError, "For 'Normal', 'dist' must be 'Normal'"),
        (lambda: msd.Normal(0.0, 1.0).prob(ms.Tensor([1.0]), sigma=1), TypeError, "no parameter 'sigma'"),
        (lambda: msd.Normal([0.0, 1.0], 1.0).prob(ms.Tensor([1.0] * 3)), ValueError, "For 'Normal', The size"),
        (lambda: msd.Distribution(0, ms.float32, "a", None), TypeError, "'param' must be a dictionary"),
        (lambda: msd.Cauchy(0.0, 1.0).var(), ValueError, "For 'Cauchy', there is no mean"),
        (lambda: msd.Categorical([0.4, 0.4]), ValueError, "probabilities whose sum is 1"),
        (lambda: msb.Bijector(name="a").forward(ms.Tensor([1.0])), NotImplementedError, "'_forward' is not defined"),
        (lambda: msb.Exp().forward(ms.Tensor([1])), TypeError, "For 'Exp.forward', 'value' must be of floats"),
    ],
)
def test_errors_say_what_is_wrong(call, kind, message):
    with pytest.raises(kind) as error:
        call()
    assert message in str(error.value)
    assert str(error.value).startswith("For '")


@pytest.mark.slow
def test_imported_when_asked_for():
    """The package costs `import torchspore` nothing, and is reached by all of its names."""
    program = """
import sys, torchspore as ms
assert not [name for name in sys.modules if "probability" in name]
assert ms.nn.probability.bijector.Exp().name == "Exp"
import torchspore.as_mindspore
import mindspore.nn.probability.distribution as msd
from mindspore.nn.probability.bijector import Exp
import mindspore
assert msd is ms.nn.probability.distribution is mindspore.nn.probability.distribution
"""
    preloaded.output_of(program)


@pytest.mark.parametrize("name", ["prob", "log_cdf", "survival_function"])
def test_parameters_of_a_call_have_one_data_type(name):
    mean, sd = ms.Tensor([1.0]), ms.Tensor([2.0])
    with pytest.raises(TypeError, match=r"'Normal', 'mean', 'sd' must be of one data type, but got .*Float32.*Float16"):
        getattr(msd.Normal(), name)(mean, mean, sd.astype(ms.float16))


class Scaled(msb.Bijector):
    """A bijector that checks its values by the methods of the base class."""

    def __init__(self, factor):
        super().__init__(is_constant_jacobian=True, name="Scaled", param={"factor": factor})
        self.factor = self._add_parameter(factor, "factor")

    def _forward(self, x):
        return self._check_value_dtype(x) * self.cast_param_by_value(x, self.factor)

    def _inverse(self, y):
        return self._check_value(y, "y") / self.factor


def test_methods_that_subclasses_call():
    scaled = Scaled(2.0)
    assert scaled.forward(ms.Tensor([1.0, 2.0])).tolist() == scaled("forward", ms.Tensor([1.0, 2.0])).tolist() == [2, 4]
    assert scaled.inverse(ms.Tensor([1.0])).tolist() == [0.5]
    assert scaled._check_value(ms.Tensor([1]), "x").tolist() == [1]
    for call, message in (
        (lambda: scaled._check_value_dtype(ms.Tensor([1])), "For 'Scaled', 'value' must be of floats"),
        (lambda: scaled._check_value(1.0, "y"), "For 'Scaled', .*'y' must be"),
        (lambda: scaled.forward(ms.Tensor([1])), "For 'Scaled.forward', 'value' must be of floats"),
    ):
        with pytest.raises(TypeError, match=f"^{message}"):
            call()
    missing = msd.Normal(0.0, 1.0)._raise_not_implemented_error("mode")
    with pytest.raises(NotImplementedError, match=r"^For 'Normal', 'mode' is not defined"):
        missing(ms.Tensor(1.0))
