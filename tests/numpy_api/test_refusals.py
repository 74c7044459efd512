"""Arguments that are refused: the error's type, and that its message names the function and what is wrong."""

from __future__ import annotations

import pytest

from cases import INPUTS
from torchspore import Tensor, ops
from torchspore import numpy as mnp

REFUSED = [
    ("mnp.array({1: 2})", TypeError, "For 'array', expected a Tensor, a number"),
    ("mnp.add(x, object())", TypeError, "For 'add', expected a Tensor"),
    ("mnp.exp(['a'])", TypeError, "For 'exp', expected a Tensor"),
    ("mnp.add(x, m)", ValueError, "For 'add', .* Given: x1=Tensor"),
    ("mnp.clip(x, None, None)", ValueError, "For 'clip', 'xmin' and 'xmax' are both None"),
    ("mnp.zeros((2, -1))", ValueError, "For 'zeros'"),
    ("mnp.arange(0, 5, 0)", ZeroDivisionError, "For 'arange', 'step' must not be 0"),
    ("mnp.arange('a')", TypeError, "For 'arange', expected a number"),
    ("mnp.linspace(0, 1, 0)", ValueError, "For 'linspace', 'num' must be positive, but got 0"),
    ("mnp.diag(z)", ValueError, "For 'diag', 'v' must have one or two dimensions, but has 3"),
    ("mnp.vander(x)", ValueError, "For 'vander', 'x' must be a vector"),
    ("mnp.ix_(x)", ValueError, "For 'ix_', every argument must be a vector"),
    ("mnp.mgrid[1:2, 3]", TypeError, "For 'mgrid', every index must be a slice"),
    ("mnp.ogrid['a':2]", TypeError, "For 'ogrid', start and stop must be numbers"),
    ("mnp.meshgrid(v, indexing='a')", TypeError, "For 'meshgrid', 'indexing' must be 'xy' or 'ij'"),
    ("mnp.unravel_index(1, (2, 2), 'a')", ValueError, "For 'unravel_index', 'order' must be 'C' or 'F'"),
    ("mnp.ravel_multi_index(k, (2, 2))", ValueError, "For 'ravel_multi_index', .* each of the 2 dimensions"),
    ("mnp.ravel_multi_index(k, (2, 2, 2), 'a')", ValueError, "For 'ravel_multi_index', 'mode' must be"),
    ("mnp.moveaxis(x, 0, 5)", ValueError, r"For 'moveaxis', 'destination' must be in \[-2, 2\), but got 5"),
    ("mnp.expand_dims(x, (0, 0))", ValueError, "For 'expand_dims', 'axis' must not have a dimension twice"),
    ("mnp.split(v, 2)", ValueError, "For 'split', a dimension of size 3 cannot be split into 2 equal parts"),
    ("mnp.hsplit(v, 3)", ValueError, "For 'hsplit'"),
    ("mnp.repeat(x, [1, 2], 1)", ValueError, "For 'repeat', 'repeats' must have a number for each of the 3 elements"),
    ("mnp.fliplr(v)", ValueError, "For 'fliplr', 'm' must have at least two dimensions"),
    ("mnp.vstack(())", ValueError, "For 'vstack', at least one array is needed"),
    ("mnp.where(b)", TypeError, "For 'where', 'x' and 'y' must both be given"),
    ("mnp.take(x, v)", TypeError, "For 'take', 'indices' must be integers"),
    ("mnp.take(x, 1, mode='raise')", ValueError, "For 'take', 'mode' must be 'clip' or 'wrap'"),
    ("mnp.select([b, c], [x])", ValueError, "For 'select', there must be as many choices as conditions"),
    ("mnp.piecewise(x, [x > 0], [])", ValueError, "For 'piecewise', 1 conditions need as many functions"),
    ("mnp.searchsorted(x, 1)", ValueError, "For 'searchsorted', 'a' must be a vector"),
    ("mnp.digitize(x, m)", ValueError, "For 'digitize', 'bins' must be a vector"),
    ("mnp.argwhere(s)", ValueError, "For 'argwhere', 'a' must have at least one dimension"),
    ("mnp.apply_along_axis(len, 2, x)", ValueError, r"For 'apply_along_axis', 'axis' must be in \[-2, 2\)"),
    ("mnp.apply_over_axes(lambda a, axis: a[0, 0], x, 0)", ValueError, "For 'apply_over_axes', the function must keep"),
    ("mnp.pad(x, 1, 'median')", NotImplementedError, "For 'pad', the mode 'median' is not supported"),
    ("mnp.pad(x, 1, further=1)", TypeError, "For 'pad', unknown arguments: further"),
    ("mnp.pad(x, ((1, 2), (3, 4), (5, 6)))", ValueError, "For 'pad', 'pad_width' must be a number"),
    ("mnp.sum(x, axis=2)", ValueError, r"For 'sum', 'axis' must be in \[-2, 2\), but got 2"),
    ("mnp.amax(x, where=b)", ValueError, "For 'amax', 'where' requires 'initial'"),
    ("mnp.average(x, weights=v)", TypeError, "For 'average', 'axis' must be an int when the shapes"),
    ("mnp.cov(x, fweights=v)", TypeError, "For 'cov', 'fweights' must be integers"),
    ("mnp.bincount([1], minlength=2**63)", ValueError, "For 'bincount', 'minlength' must be less than 2"),
    ("mnp.bincount(i)", ValueError, "For 'bincount', 'x' must be a vector"),
    ("mnp.gradient(x, edge_order=2)", NotImplementedError, "For 'gradient', 'edge_order' must be 1"),
    ("mnp.gradient(x, 1, 2, 3)", ValueError, "For 'gradient', spacings must be numbers"),
    ("mnp.diff(x, -1)", ValueError, "For 'diff', 'n' must be >= 0"),
    ("mnp.interp(1, [1, 2], [3])", ValueError, "For 'interp', 'xp' and 'fp' must be vectors of the same length"),
    ("mnp.histogram(x, 'auto')", NotImplementedError, "For 'histogram', 'bins' must be an int or edges"),
    ("mnp.histogram(x, 2, (1, 0))", ValueError, "For 'histogram', 'range' must be ascending"),
    ("mnp.histogramdd(m, [2])", ValueError, "For 'histogramdd', 'bins' must be an int or have an element for each"),
    ("mnp.polyval(x, 1)", ValueError, "For 'polyval', coefficients must be arrays of at most one dimension"),
    ("mnp.polyint(v, 2, [1, 2, 3])", ValueError, "For 'polyint', 'k' must be a number or have 2 numbers, but has 3"),
    ("mnp.multi_dot([x])", ValueError, "For 'multi_dot', 'arrays' must hold at least two arrays"),
    ("mnp.norm(x, 5)", ValueError, "For 'norm', norms need one dimension"),
    ("mnp.cross(x, m)", ValueError, "For 'cross', vectors must have two or three components"),
    ("mnp.convolve(v, x)", ValueError, "For 'convolve', both arguments must be vectors"),
    ("mnp.matrix_power(x, 2)", ValueError, "For 'matrix_power', 'a' must hold square matrices"),
    ("mnp.promote_types('a', 'int8')", TypeError, "For 'promote_types', 'dtype' must be a data type"),
    ("mnp.result_type()", TypeError, "For 'result_type', at least one array or data type"),
    ("mnp.rand(2, dtype='int32')", ValueError, "For 'rand'"),
    ("mnp.randint(3, 3)", ValueError, "For 'randint'"),
    ("mnp.fft.fft(x, norm='a')", ValueError, "For 'fft', 'norm' must be one of"),
    ("ops.fft(x, 0)", ValueError, r"For 'fft', lengths must be positive, but got \(0,\)"),
    ("ops.irfftn(z, (2, 2), (0, 1, 2))", ValueError, "For 'irfftn'"),
    ("ops.fft([1.0])", TypeError, "For 'fft', 'input' must be a Tensor"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "error", "message"), REFUSED)
def test_refused(expression, error, message):
    names = {name: Tensor(value) for name, value in INPUTS.items()}
    with pytest.raises(error, match=message):
        eval(expression, {"mnp": mnp, "ops": ops, **names})
