"""One expression, two libraries: `torchspore.numpy` gives NumPy's numbers (data types have MindSpore's rules)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest

import torchspore
from cases import INPUTS
from torchspore import Tensor
from torchspore import numpy as ours

# NumPy has given some functions other names or places.
RENAMED = {
    "trapz": numpy.trapezoid,
    "norm": numpy.linalg.norm,
    "multi_dot": numpy.linalg.multi_dot,
    "matrix_power": numpy.linalg.matrix_power,
    "in1d": lambda a, b, invert=False: numpy.isin(numpy.ravel(a), b, invert=invert),
}
theirs = SimpleNamespace(
    **{name: getattr(numpy, name) for name in ours.__all__ if name not in RENAMED and hasattr(numpy, name)}, **RENAMED
)

ROWS = [
    # numbers, lists and arrays of every type are arguments
    "f.add(1, 2)", "f.exp(i)", "f.log([1, 2, 4])", "f.sqrt((4, 9))", "f.sin(2)", "f.positive(x)", "f.abs([-1.5, 2])",
    "f.add(array, 1)", "f.multiply(x, [1, 2, 3])", "f.float_power(2, [1, 2])", "f.gcd(12, [8, 18])",
    "f.lcm(4, [6, 10])",
    "f.maximum(i, 0.5)", "f.minimum(0.5, i)", "f.clip(x, v, 0.9)", "f.around(x, 1)", "f.divmod(x, 0.7)",
    "f.copysign([1, -2], [-0.0, 3])", "f.copysign(i, x)", "f.logaddexp(x, 200)", "f.logaddexp2(1, [2, 300])",
    "f.heaviside([-1.0, 0.0, 2.0], 0.5)", "f.hypot(3, [4, 5])", "f.arctan2(1, [-1.0, 1.0])",
    "f.cbrt([-8.0, 0.0, 27.0])",
    "f.fmod([-3, 3], 2)", "f.remainder([-3, 3], 2)", "f.floor_divide([-3, 3], 2)", "f.power([2, 3], [3, 2])",
    "f.isclose([1.0, 2.0], [1.0, 2.1])", "f.isposinf(nan)", "f.array_equiv(v, x)", "f.invert([1, -5])",
    "f.count_nonzero(b, axis=1, keepdims=True)",
    # sums, means and their like
    "f.sum(x, axis=(0, 1), keepdims=True)", "f.mean(z, axis=(0, -1))", "f.var(i)", "f.std(i, axis=1)",
    "f.amax(x, axis=0, initial=0.5)", "f.amin(x, initial=9, where=b)", "f.amax(b, axis=0)", "f.argmax(b, axis=1)",
    "f.nanmean(i, axis=0)", "f.nansum(nan[:2])", "f.nanmax(nan[:2])", "f.nanvar(nan[:2])",
    "f.nanstd(z, axis=1, ddof=1)",
    "f.cumsum(z, axis=1)", "f.cumprod([1, 2, 3])", "f.nancumsum(nan[:2])", "f.ptp(z, axis=(0, 2))",
    "f.average(x, axis=1, weights=[1, 2, 3])", "f.average(z, weights=z * z)",
    "f.cov(x, aweights=[0.5, 1.0, 2.0])", "f.cov(x, fweights=[1, 2, 3], aweights=[0.5, 1.0, 2.0])",
    "f.cov(m, rowvar=False, ddof=2)", "f.corrcoef(m, z[0])", "f.bincount([3, 1, 1], minlength=6)",
    "f.bincount([3, 1, 1], weights=[0.5, 1.0, 2.0])",
    # differences, interpolation
    "f.diff(z, n=2, axis=0, append=z)", "f.diff(x, axis=0, prepend=0, append=1)", "f.ediff1d([1, 2, 4], 9, [7, 8])",
    "f.gradient(z, 2.0, axis=1)", "f.gradient(m, 0.5, 2.0)", "f.trapz(z, axis=1, dx=0.1)",
    "f.trapz(m, x=m * m, axis=0)",
    "f.interp(x, v, [1.0, 2.0, 4.0])", "f.interp(x, v, [1.0, 2.0, 4.0], left=-9.0, right=9.0)", "f.interp(3, [1], [2])",
    "f.unwrap(x * 5)", "f.unwrap(z * 4, axis=1)", "f.unwrap([0.0, 3.5, 7.0, 10.5, 0.0])",
    # shapes
    "f.rollaxis(z, 2, 1)", "f.rollaxis(z, 0, 2)", "f.rollaxis(z, -2, -1)", "f.moveaxis(z, (2, 0), (0, 1))",
    "f.transpose([[1, 2], [3, 4]])", "f.expand_dims(v, (0, -1))", "f.squeeze([[[1], [2]]], -1)", "f.roll(z, (1, 2))",
    "f.roll(z, 2, (0, 2))", "f.rot90(z, 3, (0, 2))", "f.flip(z, (0, -1))", "f.fliplr(x)", "f.flipud(v)",
    "f.repeat(v, 0)", "f.repeat(z, [2, 0, 1], 1)", "f.tile(v, (2, 1, 2))", "f.hstack(([1, 2], [3.5]))",
    "f.column_stack((v, k))", "f.vstack((i, x))", "f.dstack((v, k))", "f.stack([v, k], -1)",
    "f.append(x, [[1, 2, 3]], 0)",
    "f.concatenate(([[1]], [[2.5]]), axis=None)", "f.split(v, [1, 1, 5])", "f.split(v, [2, 1])", "f.array_split(v, 5)",
    "f.array_split(z, 3, axis=-1)", "f.hsplit(z, 3)", "f.broadcast_arrays(v, x[:, :1])", "f.atleast_3d(3, [1, 2])",
    # padding
    *[
        f"f.pad(x, ((2, 3), (1, 4)), mode={mode!r})"
        for mode in ("edge", "wrap", "reflect", "symmetric", "maximum", "minimum", "mean", "linear_ramp")
    ],
    "f.pad(x, 7, mode='reflect', reflect_type='odd')", "f.pad(x, 7, mode='symmetric', reflect_type='odd')",
    "f.pad(v, (0, 9), mode='reflect', reflect_type='odd')", "f.pad(i, 3, mode='mean', stat_length=((1, 2), (2, 1)))",
    "f.pad(i, (2, 1), mode='linear_ramp', end_values=9)", "f.pad([5], 2, mode='symmetric')",
    "f.pad([5], 2, mode='reflect')",
    "f.pad(z, ((0, 1), (2, 0), (1, 1)), constant_values=((1, 2), (3, 4), (5, 6)))",
    # choosing
    "f.where(b, [1, 2, 3], 0.5)", "f.take(x, [[0, 2], [1, 1]], axis=1)", "f.take([4, 5, 6], 1)",
    "f.take(v, [-4, 9, 2], mode='wrap')", "f.take_along_axis(x, f.argmax(x, 1)[:, None], 1)",
    "f.choose([0, 1, 0], [v, k], mode='clip')", "f.choose([-1, 3, 0], [v, k], mode='wrap')",
    "f.select([i > 1, i < 0], [i, -i], 7)", "f.select([b, c], [x, y])",
    "f.searchsorted([3, 1, 2], [2, 3], sorter=[1, 2, 0])",
    "f.searchsorted(v, x, side='right')", "f.digitize(i, [5, 2, -1])", "f.digitize(i, [5, 2, -1], right=True)",
    "f.digitize(i, [-1, 2, 5], right=True)", "f.argwhere(i > 1)", "f.intersect1d(i, j, return_indices=True)",
    "f.setdiff1d(i, j)", "f.in1d(i, [3, 5], invert=True)", "f.isin(x, [[1.5]])",
    "f.unravel_index([5, 11], (2, 3, 2), 'F')",
    "f.apply_along_axis(lambda a: a[:2] * a[2], 1, z)", "f.apply_along_axis(lambda a: a.sum(), 0, i)",
    "f.apply_over_axes(f.sum, z, (0, 1))", "f.piecewise(x, [x < -1, x > 1], [lambda a: -a, 9.0, lambda a: a * a])",
    # grids
    "f.meshgrid([1, 2], [3, 4, 5])", "f.meshgrid(v, k, [1, 2], indexing='ij')", "f.ix_([1, 0], [2, 1, 0])",
    "f.mgrid[0:4, 2:0:-1]", "f.mgrid[0:1:5j]", "f.ogrid[0:3, 0:1:3j]", "f.tril_indices(3, -1, 4)",
    "f.diag_indices(3, 3)",
    "f.triu_indices_from(m, -1)", "list(f.indices((2, 1, 3)))", "f.tri(3, 4, -1)",
    "f.vander([1.5, 2, 3], 2, increasing=True)",
    "f.linspace([1, 2], 5, 4, endpoint=False, axis=1)", "f.logspace(0, [1, 2], 4)", "f.geomspace(1, 1000, 4)",
    "f.geomspace([-1, 2], [-8, 16], 4, axis=-1)", "f.arange(1, 2, 0.3)", "f.arange(3, 1)", "f.full((2, 2), [3, 4])",
    *[f"f.{window}({points})" for window in ("bartlett", "blackman", "hamming", "hanning") for points in (1, 2, 7, 12)],
    # products
    "f.dot(i, [1, 2, 3])", "f.dot(d, x.T)", "f.dot(z, z.transpose(0, 2, 1))", "f.dot(2, x)", "f.inner(i, x)",
    "f.outer([1, 2], v)", "f.matmul(h, x.T)", "f.kron([[1, 2]], [[3], [4]])", "f.kron(v, z)", "f.cross([1, 2, 3], x)",
    "f.trace(z, 1, 2, 0)", "f.diagonal(z, -1, 0, 2)", "f.multi_dot([v, m, m.T])", "f.matrix_power(m[:, :3], -2)",
    "f.tensordot(z, m, ([1, 2], [0, 1]))", "f.norm(z, axis=(0, 2))", "f.norm(m, -1, axis=(1, 0), keepdims=True)",
    "f.norm(v, 2.5)", "f.norm(i)",
    *[f"f.convolve({a}, v, mode={mode!r})" for mode in ("full", "same", "valid") for a in ("m[0]", "v[:2]", "[1, 2]")],
    *[f"f.correlate({a}, v, mode={mode!r})" for mode in ("full", "same", "valid") for a in ("m[0]", "v[:2]", "[1, 2]")],
    "f.correlate(w, [1j, 2, 3.0], mode='full')", "f.correlate(w, [1j, 2, 3.0], mode='same')",
    # polynomials and histograms
    "f.polymul(v, v)", "f.polyadd(3, v)", "f.polysub([1], v)", "f.polyval(v, 3)", "f.polyval(v, [[1, 2], [3, 4]])",
    "f.polyder([4, 3, 2, 1], 2)", "f.polyint([4, 3], 3, [1, 2, 3])", "f.polyint(v, 2, 5)",
    "f.histogram(x, 4)", "f.histogram(x, [-2.0, 0.0, 0.5, 3.0], density=True)", "f.histogram([], 2)",
    "f.histogram(x, 3, range=(-1.0, 0.5), weights=q)", "f.histogram([1.0, 1.0], 3)", "f.histogram_bin_edges(i, 4)",
    "f.histogram2d(x[0], y[0], 3)", "f.histogram2d(x[0], y[0], [-2.0, 0.0, 2.0])",
    "f.histogram2d(x[0], y[0], [2, [-2.0, 0.0, 2.0]], density=True)",
    # Fourier transforms
    "f.fft.fft(b)", "f.fft.rfft(u, 5)", "f.fft.irfft(w, 5)", "f.fft.fftn(z, (2, 2), (0, 2))",
    "f.fft.fftshift(z, (0, 1))",
    "f.fft.fftfreq(7, 0.25)", "f.fft.rfftfreq(6)", "f.fft.ihfft(v, norm='ortho')",
]  # fmt: skip


def _plain(value):
    """Return results as nested lists of NumPy arrays."""
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    return value.asnumpy() if isinstance(value, Tensor) else numpy.asarray(value)


def _compare(found, expected):
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            _compare(one, other)
        return
    assert found.shape == expected.shape
    tolerance = 5e-3 if found.dtype == numpy.float16 else 2e-5
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("expression", ROWS)
def test_numbers(expression):
    arrays = {**INPUTS, "array": numpy.array([[1.5, 2.0], [3.0, 4.0]])}
    tensors = {name: Tensor(value) for name, value in INPUTS.items()}
    expected = eval(expression, {"f": theirs, **arrays})
    found = eval(expression, {"f": ours, **tensors, "array": arrays["array"]})
    _compare(_plain(found), _plain(expected))


def test_random_numbers_follow_the_seed_and_their_bounds():
    def draw():
        torchspore.set_seed(5)
        return [ours.rand(300).asnumpy(), ours.randn(300).asnumpy(), ours.randint(-2, 3, (300,)).asnumpy()]

    first, again = draw(), draw()
    for one, other in zip(first, again):
        numpy.testing.assert_array_equal(one, other)
    uniform, normal, integers = first
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.1
    assert abs(normal.mean()) < 0.3
    assert abs(normal.std() - 1) < 0.2
    assert set(integers) == {-2, -1, 0, 1, 2}
    assert len({*ours.rand(50).tolist()}) == 50


def test_large_integers_are_kept():
    assert ours.array(2**40).asnumpy() == 2**40
    assert ours.array([2**40, 1]).tolist() == [2**40, 1]


def test_the_sign_of_complex_numbers():
    found = ours.sign(torchspore.Tensor([1 - 2j, -3 + 1j, -3j, 4j, 0]))
    assert found.asnumpy().tolist() == [1, -1, -1, 1, 0]


def test_shapes_and_masks_may_be_arrays():
    a, shape, mask = ours.ones((2, 2)), numpy.array([2, 3]), numpy.array([True, False])
    assert ours.zeros_like(a, shape=shape).shape == ours.full_like(a, 1, shape=shape).shape == (2, 3)
    assert Tensor([[1.0, 2.0], [3.0, 4.0]]).max(1, initial=0.0, where=mask).asnumpy().tolist() == [1.0, 3.0]
