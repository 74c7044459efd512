"""Update rules of optimizers as passes over lists of torch tensors, for those without a fused kernel in PyTorch.

Each rule changes the parameters and the states in place. `rate` is a number or a tensor without dimensions, so that a
graph can be recorded and nothing waits for a device. The lists of one call hold tensors of one data type, on one
device, with the same shape and strides at each position.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from torchspore.engine.capture.decomposition import in_simple_operations
from torchspore.ops.updates.rules import (
    Scalar,
    Tensors,
    as_scalar,
    decayed,
    descend,
    fitting,
    has_tensors,
    is_recorded,
    is_traced,
    move_to,
    move_to_squares,
)

__all__ = [
    "Pieces", "adadelta", "adagrad", "adamax", "asgd", "corrected_adam", "descend_by", "ftrl", "lion",
    "proximal_adagrad", "rms", "rmsprop", "rprop", "shrink",
]  # fmt: skip

Setting: TypeAlias = Scalar  # a hyperparameter: a number for the optimizers, also a tensor for the primitives

_PIECE = 1 << 17  # elements, for each thread


class Pieces:
    """A division of tensors into lists of about as many elements as a processor's cache can hold.

    A rule that treats every element by itself goes over memory several times. When it finishes one piece before the
    next, memory is read once. On devices other than the CPU, and in graphs, there is one piece: everything.
    """

    def __init__(self, like: Tensors) -> None:
        self.bounds: list[tuple[int, int]] | None = None
        if is_traced() or not all(value.is_cpu for value in like):
            return
        self._size = _PIECE * torch.get_num_threads()
        self._splits = [value.numel() > self._size and _is_dense(value) for value in like]
        ends = [0]
        filled = 0
        count = 0
        for value in self._flat(like):
            if filled and filled + value.numel() > self._size:
                ends.append(count)
                filled = 0
            filled += value.numel()
            count += 1
        self.bounds = list(zip(ends, [*ends[1:], count]))

    def of(self, tensors: Tensors) -> list[Tensors]:
        """Return the pieces of tensors that lie in memory like those of the constructor."""
        if self.bounds is None:
            return [tensors]
        flat = self._flat(tensors)
        return [flat[start:stop] for start, stop in self.bounds]

    def _flat(self, tensors: Tensors) -> Tensors:
        flat: Tensors = []
        for value, splits in zip(tensors, self._splits):
            if splits:
                flat.extend(value.as_strided((value.numel(),), (1,)).split(self._size))
            else:
                flat.append(value)
        return flat


def _is_dense(value: torch.Tensor) -> bool:
    """Return whether the elements fill a stretch of memory, in any order."""
    size = 1
    for stride, length in sorted(zip(value.stride(), value.shape)):
        if length > 1 and stride != size:
            return False
        size *= length
    return True


_library = torch.library.Library("torchspore", "FRAGMENT")
_IN_SCHEMA = {
    "Scalar": "Tensor",
    "Setting": "float",
    "float": "float",
    "bool": "bool",
    "tuple[float, float]": "float[]",
}


def _as_operation(rule: Callable[..., None]) -> Callable[..., None]:
    """Make a rule one operation of recorded graphs: straight code runs it in pieces, a compiler gets the passes."""
    signature = inspect.signature(rule)
    kinds = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    lists = [name for name, kind in kinds.items() if kind == "Tensors"]
    scalars = [name for name, kind in kinds.items() if kind == "Scalar"]
    settings = [name for name, kind in kinds.items() if kind == "Setting"]
    schema = []
    for letter, (name, kind) in zip("abcdefghijkl", kinds.items()):
        written = "Tensor[]" if name == "gradients" else f"Tensor({letter}!)[]"
        schema.append(f"{_IN_SCHEMA.get(kind, written)} {name}")
    operation = f"{rule.__name__}_"
    _library.define(f"{operation}({', '.join(schema)}) -> ()")

    def run(*args: Any) -> None:
        given = dict(zip(kinds, args))
        given["gradients"] = [fitting(g, p) for g, p in zip(given["gradients"], given["parameters"])]
        for name in scalars:
            given[name] = given[name].item() if given[name].is_cpu else given[name]
        pieces = Pieces(given["parameters"])
        for piece in zip(*[pieces.of(given[name]) for name in lists]):
            rule(**{**given, **dict(zip(lists, piece))})

    _library.impl(operation, run, "CompositeExplicitAutograd")
    _library.impl(operation, lambda *args: None, "Meta")
    overload = getattr(torch.ops.torchspore, operation).default
    in_simple_operations[overload] = rule

    @functools.wraps(rule)
    def call(*args: Any, **kwargs: Any) -> None:
        if not is_recorded(args[0]):
            rule(*args, **kwargs)
            return
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if has_tensors(*[given[name] for name in settings]):
            rule(**given)
            return
        for name in scalars:
            given[name] = as_scalar(given[name], args[0][0])
        overload(**given)

    return call


def _for_each(scalar: Scalar, tensors: Tensors) -> Any:
    """Return a scalar as kernels take it that have no form for one tensor without dimensions."""
    return [scalar] * len(tensors) if isinstance(scalar, torch.Tensor) else scalar


def descend_by(parameters: Tensors, numerators: Tensors, denominators: Tensors, rate: Scalar) -> None:
    """Subtract `rate * numerators / denominators` from the parameters."""
    if isinstance(rate, torch.Tensor):
        descend(parameters, list(torch._foreach_div(numerators, denominators)), rate)
    else:
        torch._foreach_addcdiv_(parameters, numerators, denominators, -rate)


@_as_operation
def adadelta(
    parameters: Tensors, gradients: Tensors, squares: Tensors, steps: Tensors, rate: Scalar, rho: Setting, eps: Setting
) -> None:
    """Adadelta; `steps` are the running means of the squared steps."""
    move_to_squares(squares, gradients, rho)
    moves = list(torch._foreach_add(steps, eps))
    torch._foreach_div_(moves, torch._foreach_add(squares, eps))
    torch._foreach_sqrt_(moves)
    torch._foreach_mul_(moves, gradients)
    move_to_squares(steps, moves, rho)
    descend(parameters, moves, rate)


@_as_operation
def adagrad(
    parameters: Tensors, gradients: Tensors, squares: Tensors, rate: Scalar, eps: float = 0.0, update: bool = True
) -> None:
    """Adagrad; `update` tells whether the sums of the squares grow."""
    if update:
        torch._foreach_addcmul_(squares, gradients, gradients)
    scales = list(torch._foreach_sqrt(squares))
    if eps:
        torch._foreach_add_(scales, eps)
    descend_by(parameters, gradients, scales, rate)


def shrink(parameters: Tensors, rates: Tensors, l1: Scalar, l2: Scalar) -> None:
    """Move parameters towards 0 by the proximal operator of the two regularizations, times `rates`."""
    if isinstance(l1, torch.Tensor) or l1:
        sizes = list(torch._foreach_abs(parameters))
        descend(sizes, rates, l1)
        torch._foreach_clamp_min_(sizes, 0)
        torch._foreach_sign_(parameters)
        torch._foreach_mul_(parameters, sizes)
    if isinstance(l2, torch.Tensor) or l2:
        factors = list(torch._foreach_mul(rates, l2))
        torch._foreach_add_(factors, 1)
        torch._foreach_div_(parameters, factors)


@_as_operation
def proximal_adagrad(
    parameters: Tensors, gradients: Tensors, squares: Tensors, rate: Scalar, l1: Setting, l2: Setting
) -> None:
    """Adagrad, and then a step towards 0 by the proximal operator of the two regularizations."""
    torch._foreach_addcmul_(squares, gradients, gradients)
    rates = list(torch._foreach_sqrt(squares))
    torch._foreach_reciprocal_(rates)
    torch._foreach_mul_(rates, rate)
    torch._foreach_addcmul_(parameters, rates, gradients, -1)
    shrink(parameters, rates, l1, l2)


@_as_operation
def adamax(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    largest: Tensors,
    rate: Scalar,
    beta1: Setting,
    beta2: Setting,
    eps: Setting,
    kept: bool = False,
) -> None:
    """AdaMax; `kept` tells whether `eps` is added to the new gradients' sizes, and not to the largest at each step."""
    move_to(means, gradients, beta1)
    torch._foreach_mul_(largest, beta2)
    sizes = list(torch._foreach_abs(gradients))
    if kept:
        torch._foreach_add_(sizes, eps)
    torch._foreach_maximum_(largest, sizes)
    descend_by(parameters, means, largest if kept else list(torch._foreach_add(largest, eps)), rate)


def corrected_adam(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    largest: Tensors,
    *,
    rate: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    eps: Scalar,
    rests: tuple[Scalar, Scalar],
    decay: Scalar,
    decoupled: bool,
) -> None:
    """Adam that adds `eps` after the correction of the bias; `rests` are what the powers of the betas leave of 1."""
    if decoupled:
        torch._foreach_mul_(parameters, 1 - rate * decay)
    else:
        gradients = decayed(parameters, gradients, decay)
    move_to(means, gradients, beta1)
    move_to_squares(squares, gradients, beta2)
    if largest:
        torch._foreach_maximum_(largest, squares)
    scales = list(torch._foreach_sqrt(largest or squares))
    torch._foreach_div_(scales, rests[1] ** 0.5)
    torch._foreach_add_(scales, eps)
    descend_by(parameters, means, scales, rate / rests[0])


@_as_operation
def asgd(parameters: Tensors, gradients: Tensors, averages: Tensors, eta: Scalar, mu: Scalar, shrinkage: float) -> None:
    """Averaged stochastic gradient descent, with the rate `eta` and the weight `mu` of the new value."""
    torch._foreach_mul_(parameters, 1 - shrinkage * eta)
    descend(parameters, gradients, eta)
    if not isinstance(mu, torch.Tensor) and mu == 1:
        torch._foreach_copy_(averages, parameters)
        return
    changes = list(torch._foreach_sub(parameters, averages))
    torch._foreach_mul_(changes, mu)
    torch._foreach_add_(averages, changes)


@_as_operation
def ftrl(
    parameters: Tensors,
    gradients: Tensors,
    squares: Tensors,
    linear: Tensors,
    rate: Scalar,
    power: Setting,
    l1: Setting,
    l2: Setting,
    shrinkage: float = 0.0,
) -> None:
    """FTRL: the regularized leader of all gradients so far; `power` is what the sums are raised to, >= 0."""
    exponent = _for_each(power, squares)
    before = list(torch._foreach_pow(squares, exponent))
    torch._foreach_addcmul_(squares, gradients, gradients)
    scales = list(torch._foreach_pow(squares, exponent))
    changes = list(torch._foreach_sub(before, scales))
    torch._foreach_div_(changes, rate)
    torch._foreach_addcmul_(linear, changes, parameters)
    torch._foreach_add_(linear, gradients)
    if shrinkage:
        torch._foreach_add_(linear, parameters, alpha=2 * shrinkage)
    torch._foreach_div_(scales, rate)
    torch._foreach_add_(scales, 2 * l2)
    torch._foreach_clamp_min_(scales, torch.finfo(scales[0].dtype).tiny)  # 0 where there was no gradient yet
    moves = list(torch._foreach_clamp_min(linear, _for_each(-l1, linear)))
    torch._foreach_clamp_max_(moves, _for_each(l1, linear))
    torch._foreach_sub_(moves, linear)
    torch._foreach_div_(moves, scales)
    torch._foreach_copy_(parameters, moves)


@_as_operation
def lion(parameters: Tensors, gradients: Tensors, means: Tensors, rate: Scalar, beta1: float, beta2: float) -> None:
    """Lion: steps of one size, with the signs of means of the gradients."""
    signs = list(torch._foreach_lerp(means, gradients, 1 - beta1))
    torch._foreach_sign_(signs)
    descend(parameters, signs, rate)
    move_to(means, gradients, beta2)


@_as_operation
def rms(
    parameters: Tensors,
    gradients: Tensors,
    squares: Tensors,
    moments: Tensors,
    means: Tensors,
    rate: Scalar,
    decay: Setting,
    momentum: Setting,
    eps: Setting,
) -> None:
    """RMSProp; with `means` (not empty) centered."""
    move_to_squares(squares, gradients, decay)
    scales = list(torch._foreach_add(squares, eps))
    if means:
        move_to(means, gradients, decay)
        torch._foreach_addcmul_(scales, means, means, -1)
    torch._foreach_sqrt_(scales)
    torch._foreach_mul_(moments, momentum)
    if isinstance(rate, torch.Tensor):
        torch._foreach_add_(moments, torch._foreach_mul(torch._foreach_div(gradients, scales), rate))
    else:
        torch._foreach_addcdiv_(moments, gradients, scales, rate)
    torch._foreach_sub_(parameters, moments)


@_as_operation
def rmsprop(
    parameters: Tensors,
    gradients: Tensors,
    squares: Tensors,
    moments: Tensors,
    means: Tensors,
    rate: Scalar,
    decay: float,
    momentum: float,
    eps: float,
) -> None:
    """RMSProp as in PyTorch, with `eps` outside of the root; without momentum when `moments` is empty."""
    move_to_squares(squares, gradients, decay)
    if means:
        move_to(means, gradients, decay)
        scales = list(torch._foreach_addcmul(squares, means, means, -1))
        torch._foreach_sqrt_(scales)
    else:
        scales = list(torch._foreach_sqrt(squares))
    torch._foreach_add_(scales, eps)
    if moments:
        torch._foreach_mul_(moments, momentum)
        torch._foreach_addcdiv_(moments, gradients, scales)
        descend(parameters, moments, rate)
    else:
        descend_by(parameters, gradients, scales, rate)


@_as_operation
def rprop(
    parameters: Tensors,
    gradients: Tensors,
    previous: Tensors,
    sizes: Tensors,
    etas: tuple[float, float],
    limits: tuple[float, float],
) -> None:
    """Rprop: steps of `sizes`, which grow while gradients keep their signs, and shrink when they change."""
    shrink, grow = etas
    signs = list(torch._foreach_mul(gradients, previous))
    torch._foreach_sign_(signs)
    turned = list(torch._foreach_clamp_max(signs, 0))  # -1 where the sign has changed, else 0
    torch._foreach_clamp_min_(signs, 0)
    torch._foreach_mul_(signs, grow - 1)
    torch._foreach_add_(signs, turned, alpha=1 - shrink)
    torch._foreach_add_(signs, 1)
    torch._foreach_mul_(sizes, signs)
    torch._foreach_clamp_min_(sizes, limits[0])
    torch._foreach_clamp_max_(sizes, limits[1])
    torch._foreach_copy_(previous, gradients)
    torch._foreach_addcmul_(previous, gradients, turned)  # no step there, and the next one has no sign to compare
    torch._foreach_addcmul_(parameters, torch._foreach_sign(previous), sizes, -1)
