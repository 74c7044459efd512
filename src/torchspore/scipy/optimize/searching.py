"""Line search for a step that satisfies the strong Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.common.tensor import wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.differentiate import value_and_grad

__all__ = ["LineSearchResults", "differentiable", "line_search", "search"]

Point = tuple[float, float, Tensor]  # the value, the slope in the direction, and the gradient
ValueAndGradient = Callable[[Tensor], tuple[float, Tensor]]


class LineSearchResults(NamedTuple):
    """The result of a line search.

    Args:
        failed: whether no step satisfies the conditions.
        nit, k: the number of iterations.
        nfev, ngev: the numbers of evaluations of the function and of the gradient.
        a_k: the step size.
        f_k, g_k: the value of the function and its gradient after the step.
        status: 0, or 1 for a failure.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.optimize import line_search
        >>> found = line_search(lambda x: (x * x).sum(), ms.Tensor([1.0]), ms.Tensor([-2.0]))
        >>> type(found).__name__, bool(found.failed), float(found.a_k) > 0
        ('LineSearchResults', False, True)
    """

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: _Tensor
    status: int


def differentiable(
    f: Callable[..., Any], jac: Callable[..., Any] | None, args: tuple[Any, ...] = ()
) -> ValueAndGradient:
    """Return a function from a torch tensor to the value of `f` and its gradient, by `jac` if given."""
    both = value_and_grad(f) if jac is None else lambda x, *rest: (f(x, *rest), jac(x, *rest))

    def compute(x: Tensor) -> tuple[float, Tensor]:
        value, gradient = both(wrap(x), *args)
        return float(value), gradient._t

    return compute


def _minimum_of_cubic(a: float, fa: float, slope: float, b: float, fb: float, c: float, fc: float) -> float | None:
    """Return the minimizer of the cubic through three points with the slope at the first."""
    db, dc = b - a, c - a
    if not db or not dc or db == dc:
        return None
    rest_b, rest_c = fb - fa - slope * db, fc - fa - slope * dc
    scale = (db * dc) ** 2 * (db - dc)
    cubic = (dc**2 * rest_b - db**2 * rest_c) / scale
    square = (-(dc**3) * rest_b + db**3 * rest_c) / scale
    radicand = square**2 - 3 * cubic * slope
    return a + (-square + radicand**0.5) / (3 * cubic) if cubic and radicand >= 0 else None


def _minimum_of_parabola(a: float, fa: float, slope: float, b: float, fb: float) -> float | None:
    """Return the minimizer of the parabola through two points with the slope at the first."""
    curve = (fb - fa - slope * (b - a)) / (b - a) ** 2 if b != a else 0.0
    return a - slope / (2 * curve) if curve > 0 else None


class _Line:
    """A function along a line, which counts its evaluations."""

    def __init__(self, compute: ValueAndGradient, start: Tensor, direction: Tensor) -> None:
        self._compute, self._start, self._direction = compute, start, direction
        self.computed = 0

    def at(self, step: float) -> Point:
        self.computed += 1
        value, gradient = self._compute(self._start + step * self._direction)
        return value, float(torch.dot(gradient, self._direction)), gradient


def _zoom(
    line: _Line, low: float, high: float, at_low: Point, at_high: Point, start: Point, c1: float, c2: float
) -> Any:
    """Return (step, point) between two steps that satisfies the conditions, or None (algorithm 3.6, see `search`)."""
    last: tuple[float, float] | None = None
    for _ in range(40):
        width = high - low
        guess = None
        if last is not None:
            guess = _minimum_of_cubic(low, at_low[0], at_low[1], high, at_high[0], *last)
        near, far = sorted((low + 0.2 * width, high - 0.2 * width))
        if guess is None or not near <= guess <= far:
            guess = _minimum_of_parabola(low, at_low[0], at_low[1], high, at_high[0])
            near, far = sorted((low + 0.1 * width, high - 0.1 * width))
            if guess is None or not near <= guess <= far:
                guess = low + 0.5 * width
        found = line.at(guess)
        if found[0] > start[0] + c1 * guess * start[1] or found[0] >= at_low[0]:
            last = high, at_high[0]
            high, at_high = guess, found
            continue
        if abs(found[1]) <= -c2 * start[1]:
            return guess, found
        if found[1] * (high - low) >= 0:
            last = high, at_high[0]
            high, at_high = low, at_low
        else:
            last = low, at_low[0]
        low, at_low = guess, found
        if abs(high - low) < 1e-12:
            break
    return None


def search(
    compute: ValueAndGradient,
    position: Tensor,
    direction: Tensor,
    value: float,
    gradient: Tensor,
    first: float = 1.0,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """Find a step along `direction` (algorithm 3.5 of Wright and Nocedal, Numerical Optimization, 1999).

    Args:
        compute: returns the value and the gradient of the function.
        position: the start of the search.
        direction: a descent direction.
        value, gradient: the value and the gradient of the function at the start.
        first: the first step size. Default: 1.0.
        c1, c2, maxiter: as for `line_search`.
    """
    line = _Line(compute, position, direction)
    start: Point = value, float(torch.dot(gradient, direction)), gradient
    before, at_before, step = 0.0, start, first
    best, found, rounds = first, start, 0
    result: tuple[float, Point] | None = None
    for rounds in range(1, maxiter + 1):
        best, found = step, line.at(step)
        if found[0] > start[0] + c1 * step * start[1] or (rounds > 1 and found[0] >= at_before[0]):
            result = _zoom(line, before, step, at_before, found, start, c1, c2)
            break
        if abs(found[1]) <= -c2 * start[1]:
            result = step, found
            break
        if found[1] >= 0:
            result = _zoom(line, step, before, found, at_before, start, c1, c2)
            break
        before, at_before, step = step, found, 2 * step
    failed = result is None
    best, found = result or (best, found)
    computed = line.computed
    return LineSearchResults(failed, rounds, computed, computed, rounds, best, found[0], wrap(found[2]), int(failed))


def line_search(
    f: Callable[..., Any],
    xk: Any,
    pk: Any,
    jac: Callable[..., Any] | None = None,
    gfk: Any = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """Search along a line for a step that satisfies the strong Wolfe conditions.

    Args:
        f: the function, from a vector to a number.
        xk: the start of the search, a vector.
        pk: a descent direction, a vector.
        jac: the gradient of the function. Default: None, by differentiation.
        gfk: the gradient at `xk`. Default: None, it is computed.
        old_fval: the value at `xk`. Default: None, it is computed.
        old_old_fval: the previous value; only for SciPy's signature. Default: None.
        c1: the parameter of the sufficient-decrease condition. Default: 1e-4.
        c2: the parameter of the curvature condition. Default: 0.9.
        maxiter: the maximum number of steps before bounds are found. Default: 20.

    Returns:
        The results: `a_k` is the step size, `f_k` the value there, `failed` whether there is none.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.optimize import line_search
        >>> line_search(lambda x: (x * x).sum(), ms.Tensor([2.0, 2.0]), ms.Tensor([-4.0, -4.0])).a_k
        0.5
    """
    for name, given in (("xk", xk), ("pk", pk)):
        if not isinstance(given, _Tensor):
            raise TypeError(f"For 'line_search', '{name}' must be a Tensor, but got {describe(given)}.")
    compute = differentiable(f, jac)
    value, gradient = old_fval, gfk
    if value is None or gradient is None:
        value, computed = compute(xk._t)
        gradient = wrap(computed) if gradient is None else gradient
    return search(compute, xk._t, pk._t, float(value), gradient._t, c1=c1, c2=c2, maxiter=maxiter)
