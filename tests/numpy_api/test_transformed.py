"""Functions of `torchspore.numpy` in graphs, under `vmap` and differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor
from torchspore import numpy as mnp

# Functions of a matrix of float64 (3, 4).
FUNCTIONS = {
    "arithmetic": lambda x: mnp.divide(mnp.add(x, 1.5), mnp.hypot(x, [1.0, 2.0, 3.0, 4.0])),
    "remainders": lambda x: mnp.divmod(x, 0.7)[1] + mnp.fmod(x, 0.3),
    "elementary": lambda x: mnp.cbrt(x) + mnp.sin(x) + mnp.exp2(x) + mnp.arctan2(x, 2.0) + mnp.logaddexp2(x, 1.0),
    "copysign": lambda x: mnp.copysign(x, mnp.flip(x)),
    "heaviside": lambda x: mnp.heaviside(x, 0.5) * x,
    "clip": lambda x: mnp.clip(x, -0.5, mnp.mean(x) + 0.4),
    "sums": lambda x: mnp.sum(x, axis=0) + mnp.nansum(x, axis=0) + mnp.cumsum(x, axis=1)[0],
    "deviations": lambda x: mnp.var(x, axis=1) + mnp.nanvar(x, axis=1) + mnp.std(x, 1, ddof=1),
    "extremes": lambda x: mnp.amax(x, axis=1, initial=-3) + mnp.nanmin(x, axis=1) + mnp.ptp(x, 1),
    "masked": lambda x: mnp.amax(x, axis=0, initial=-3.0, where=x > 0),
    "average": lambda x: mnp.average(x, axis=1, weights=[1.0, 2.0, 3.0, 4.0]),
    "products of elements": lambda x: mnp.cumprod(x, axis=1),
    "cov": lambda x: mnp.cov(x, aweights=[1.0, 2.0, 3.0, 4.0]) + mnp.corrcoef(x),
    "diff": lambda x: mnp.diff(x, axis=1, prepend=0, append=1),
    "gradient": lambda x: mnp.gradient(x, 0.5, axis=1),
    "trapz": lambda x: mnp.trapz(x, x=mnp.cumsum(x * x, 1), axis=1),
    "interp": lambda x: mnp.interp(x, [-1.0, 0.1, 1.0], [2.0, 3.0, 1.0]),
    "unwrap": lambda x: mnp.unwrap(x * 5, axis=1),
    "rearranged": lambda x: mnp.rot90(mnp.rollaxis(mnp.roll(x, (1, 2), (0, 1)), 1)),
    "joined": lambda x: mnp.concatenate((mnp.hstack((x, x)), mnp.tile(x, (1, 2)), mnp.repeat(x, [1, 3, 2, 2], 1))),
    "split": lambda x: mnp.stack(mnp.split(x, 2, axis=1)) + mnp.array_split(x, [1, 3], axis=1)[1],
    "taken": lambda x: mnp.take(x, mnp.array([0, -1, 7]), axis=1) + mnp.take_along_axis(x, mnp.array([[2, 1, 0]]), 1),
    "chosen": lambda x: mnp.choose([1, 0, 1, 1], [x, 2 * x]) + mnp.select([x > 0.5, x < 0], [x * x, -x], 3.0),
    "where": lambda x: mnp.where(x > 0, x, 0.5) + mnp.piecewise(x, [x < 0], [lambda a: a * a, 1.0]),
    "along axes": lambda x: mnp.apply_along_axis(lambda a: a[:2] * a[2], 1, x),
    "padded": lambda x: mnp.pad(x, ((1, 2), (2, 1)), mode="reflect") + mnp.pad(x, ((1, 2), (2, 1)), mode="linear_ramp"),
    "padded by means": lambda x: mnp.pad(x, 2, mode="mean") + mnp.pad(x, 2, mode="symmetric", reflect_type="odd"),
    "triangles": lambda x: mnp.tril(x, 1) @ mnp.vander(x[0], 3) + mnp.diag(x[:, 0]),
    "spaced": lambda x: mnp.linspace(x, 2.0, 3) + mnp.geomspace(x * x + 1, 9.0, 3),
    "matrix products": lambda x: mnp.multi_dot([x, x.T, x]) + mnp.dot(mnp.inner(x, x), x) + mnp.kron(x[:1], x[:, :1]),
    "cross": lambda x: mnp.cross(x[:, :3], x[:, 1:]) + mnp.cross(x[:, :2], x[:, 1:]),
    "norms": lambda x: mnp.norm(x, axis=1) + mnp.norm(x) + mnp.norm(x, 1) + mnp.norm(x[0], 3),
    "convolve": lambda x: mnp.convolve(x[0], x[1, :3]) + mnp.correlate(x[0], x[1, :3], "full"),
    "polynomials": lambda x: mnp.polyval(x[0], x) + mnp.polyder(mnp.polyint(mnp.polymul(x[0], x[1])))[:4],
    "transform": lambda x: mnp.fft.irfft(mnp.fft.rfft(x) * 2) + mnp.fft.hfft(x, 4),
    "spectrum": lambda x: mnp.abs(mnp.fft.fftshift(mnp.fft.fft2(x))),
    "traces": lambda x: mnp.trace(x, 1) + mnp.diagonal(x, 1),
    "bins": lambda x: mnp.histogram(x, [-2.0, 0.0, 2.0], weights=x * x)[0],
    "counts": lambda x: mnp.bincount([0, 2, 1, 2], weights=x[0], length=4),
    "grids": lambda x: sum(mnp.meshgrid(x[0], x[1], indexing="ij")),
}
# Their gradients are cut off or wrong where elements move from bin to bin, or results are in float32.
ONLY_VALUES = {"bins", "counts"}
X = np.array([[0.31, -1.12, 1.73, 0.62], [-0.43, 0.94, -0.21, -1.54], [1.27, 0.16, -0.85, 0.57]])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_graph_gives_the_same(name):
    function = FUNCTIONS[name]
    captured = ms.jit(function, fullgraph=True)
    for scale in (1.0, 0.7):
        x = Tensor(X * scale)
        np.testing.assert_allclose(captured(x).asnumpy(), function(x).asnumpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vmap_gives_what_a_loop_gives(name):
    function = FUNCTIONS[name]
    stacked = np.stack([X, 0.7 * X])
    expected = np.stack([function(Tensor(one)).asnumpy() for one in stacked])
    np.testing.assert_allclose(ms.vmap(function)(Tensor(stacked)).asnumpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ONLY_VALUES])
def test_gradients_are_the_limits_of_differences(name):
    function = FUNCTIONS[name]

    def total(x):
        result = function(x)
        weights = np.arange(1, result.size + 1).reshape(result.shape) / result.size
        return (result * Tensor(weights).astype(result.dtype)).sum()

    gradient = ms.grad(total)(Tensor(X)).asnumpy()
    assert gradient.any()
    expected = np.zeros_like(X)
    for place in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[place] = 1e-5
        expected[place] = float((total(Tensor(X + step)) - total(Tensor(X - step))).asnumpy()) / 2e-5
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)
