"""Derivatives of any order along a path, and linear approximations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.transforms import jvp
from torchspore.engine.parameters import take_as

__all__ = ["derivative", "jet", "linearize"]


def _inputs(given: Any, api: str, name: str) -> list[Tensor]:
    tensors = list(given) if isinstance(given, (tuple, list)) else [given]
    if not tensors or not all(isinstance(tensor, Tensor) for tensor in tensors):
        raise TypeError(f"For '{api}', '{name}' must be a Tensor or a tuple of Tensors, but got {describe(given)}.")
    return tensors


def _as_float(tensor: Tensor) -> torch.Tensor:
    return tensor._t if tensor._t.is_floating_point() else tensor._t.float()


def _derivatives(function: Callable[[Tensor], Any], order: int) -> list[Any]:
    """Return the value of a function at 0 and its derivatives up to an order, by nested `jvp`."""
    zero = wrap(torch.zeros(()))
    results = [function(zero)]
    for _ in range(order):
        function = _derivative(function)
        results.append(function(zero))
    return results


def _derivative(function: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    one = wrap(torch.ones(()))
    return lambda t: jvp(function, t, one)[1]


def _along_path(fn: Callable[..., Any], primals: list[torch.Tensor], series: list[torch.Tensor]) -> Any:
    """Return `fn` of the inputs as a function of t: primal + series[0] * t + series[1] * t**2 / 2! + ..."""

    def function(t: Tensor) -> Any:
        inputs = []
        for primal, terms in zip(primals, series):
            value, factor = primal, torch.ones((), device=primal.device)
            for i, term in enumerate(terms, 1):
                factor = factor * t._t.to(primal.device) / i
                value = value + term * factor
            inputs.append(wrap(value.to(primal.dtype)))
        return fn(*inputs)

    return function


def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """Compute a function and its derivatives along a path through its inputs.

    Args:
        fn: a function or Cell of tensors.
        primals: its input, or the tuple of its inputs; integers are computed in float32.
        series: for each input the derivatives 1 to n of the path, a Tensor of shape (n, input's shape). A first
            derivative of 1 and others of 0 make the path a straight line.

    Returns:
        The output, and its derivatives 1 to n, a Tensor of shape (n, output's shape); for several outputs, two lists.

    Raises:
        ValueError: the shapes or numbers of `primals` and `series` do not fit.

    Examples:
        >>> import torchspore as ms
        >>> value, series = ms.ops.jet(lambda x: x**3, ms.Tensor([2.0]), ms.Tensor([[1.0], [0.0]]))
        >>> print(value, series.reshape(-1))
        [8.] [12. 12.]
    """
    take_as(Callable, fn, "fn", "jet")
    values = [_as_float(x) for x in _inputs(primals, "jet", "primals")]
    terms = [_as_float(x) for x in _inputs(series, "jet", "series")]
    if [x.shape for x in values] != [x.shape[1:] for x in terms] or len({len(x) for x in terms}) != 1:
        raise ValueError(
            "For 'jet', each series must be of the shape of its input after the first dimension, which is the same for "
            f"all, but got {describe(primals)} and {describe(series)}."
        )
    first, *others = _derivatives(_along_path(fn, values, terms), len(terms[0]))
    if isinstance(first, (tuple, list)):
        return list(first), [wrap(torch.stack([each._t for each in orders])) for orders in zip(*others)]
    return first, wrap(torch.stack([each._t for each in others]))


def derivative(fn: Callable[..., Any], primals: Any, order: int) -> tuple[Any, Any]:
    """Compute a function and its derivative of a given order in the direction of ones.

    Args:
        fn, primals: as for `jet`.
        order: the order, >= 1.

    Returns:
        The output, and the derivative; for several outputs, two lists.

    Examples:
        >>> import torchspore as ms
        >>> value, second = ms.ops.derivative(lambda x: x**3, ms.Tensor([2.0]), 2)
        >>> print(value, second)
        [8.] [12.]
    """
    take_as(Callable, fn, "fn", "derivative")
    if not isinstance(order, int) or isinstance(order, bool):
        raise TypeError(f"For 'derivative', 'order' must be an int, but got {describe(order)}.")
    if order < 1:
        raise ValueError(f"For 'derivative', 'order' must be >= 1, but got {order}.")
    values = [_as_float(x) for x in _inputs(primals, "derivative", "primals")]
    results = _derivatives(_along_path(fn, values, [torch.ones_like(x).unsqueeze(0) for x in values]), order)
    first, last = [list(result) if isinstance(result, tuple) else result for result in (results[0], results[-1])]
    return first, last


def linearize(fn: Callable[..., Any], inputs: Any) -> tuple[Any, Callable[..., Any]]:
    """Compute a function and its linear approximation, the product of the Jacobian with vectors.

    Args:
        fn: a function or Cell of tensors.
        inputs: its input, or the tuple or list of its inputs.

    Returns:
        The output, and a function of a vector per input (a Tensor, or a tuple or list of Tensors).

    Examples:
        >>> import torchspore as ms
        >>> output, approximation = ms.ops.linearize(lambda x: x * x, ms.Tensor([3.0]))
        >>> print(output, approximation(ms.Tensor([0.5])))
        [9.] [3.]
    """
    take_as(Callable, fn, "fn", "linearize")
    output = fn(*_inputs(inputs, "linearize", "inputs"))
    return output, lambda v: jvp(fn, inputs, v)[1]
