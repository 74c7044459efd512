"""The arguments of gradient functions: positions and weights, and the structure of the returned gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common import mode
from torchspore.common.error_classes import WrongType, also
from torchspore.common.scopes.scope import scope
from torchspore.common.sparse_base import Sparse
from torchspore.common.tensor import Tensor, wrap
from torchspore.common.weights import is_weight
from torchspore.engine.arguments.mutable import Mutable
from torchspore.engine.capture.state.reachable_state import MAX_LOCATIONS, UntrackedState, find_reachable
from torchspore.engine.failures.errors import describe
from torchspore.engine.values.nested import map_tensors, rebuilt, tensors

__all__ = ["as_positions", "as_weights", "is_input", "like_inputs", "name_of", "trainable", "with_positions"]


def as_weights(weights: Any, api: str) -> list[Any]:
    """Return the parameters as a list, and other tensors, which have the gradient 0 unless packages made them weights.

    Raises:
        TypeError: `weights` is not a Parameter, nor a list or tuple of them.
    """
    if weights is None:
        return []
    if isinstance(weights, Tensor):
        weights = [weights]
    if not isinstance(weights, (list, tuple)):
        raise WrongType(
            f"For '{api}', 'weights' must be a Parameter, or a list or tuple of them, but got {describe(weights)}."
        )
    for weight in weights:
        if not isinstance(weight, Tensor):
            raise TypeError(f"For '{api}', every element of 'weights' must be a Parameter, but got {describe(weight)}.")
    if not all(map(is_weight, weights)):
        warnings.warn(
            f"For '{api}', a Tensor among 'weights' is not a Parameter: its gradient is 0. Make it an input.",
            RuntimeWarning,
            stacklevel=3,
        )
    return list(weights)


def as_positions(grad_position: Any, api: str) -> tuple[int, ...]:
    if grad_position is None:
        return ()
    positions = (grad_position,) if isinstance(grad_position, int) else grad_position
    if not isinstance(positions, tuple) or not all(isinstance(p, int) and not isinstance(p, bool) for p in positions):
        raise TypeError(
            f"For '{api}', 'grad_position' must be an int or a tuple of ints, but got {describe(grad_position)}."
        )
    if any(p < 0 for p in positions):
        raise ValueError(f"For '{api}', 'grad_position' must be >= 0, but got {grad_position}.")
    if len(set(positions)) != len(positions):
        raise ValueError(f"For '{api}', 'grad_position' names an input twice: {grad_position}.")
    return positions


def with_positions(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], wanted: tuple[int, ...], api: str
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], tuple[int, ...]]:
    """Return a call with the wanted inputs among the positional arguments, and the positions that hold tensors.

    Raises:
        ValueError: a position has no input.
    """
    count = len(args)
    if wanted and max(wanted) >= count:
        if not count and not kwargs:
            return fn, args, kwargs, ()
        if max(wanted) >= count + len(kwargs):
            raise also(ValueError, TypeError, RuntimeError, IndexError)(
                f"For '{api}', 'grad_position' {max(wanted)} has no input: "
                f"{name_of(fn)} was called with {count + len(kwargs)} inputs."
            )
        inner, names = fn, tuple(kwargs)

        def by_position(*every: Any) -> Any:
            return inner(*every[:count], **dict(zip(names, every[count:])))

        fn, args, kwargs = by_position, (*args, *kwargs.values()), {}
    for position in wanted:
        if args[position].__class__ is not Tensor and not _has_gradient(args[position]):
            return fn, args, kwargs, tuple([p for p in wanted if _has_gradient(args[p])])
    return fn, args, kwargs, wanted


def _has_gradient(argument: Any) -> bool:
    """Return whether an argument has a gradient; in MindSpore's graphs a mutable number's gradient is 0."""
    if mode.graph or scope.captured:
        return isinstance(argument, (Mutable, torch.SymInt, torch.SymFloat)) or bool(tensors(argument))
    return bool(tensors(argument))


def is_input(argument: Any) -> bool:
    """Return whether GradOperation differentiates an argument that is not a tensor."""
    return isinstance(argument, Mutable) and bool(tensors(argument))


def trainable(fn: Callable[..., Any]) -> list[Any]:
    """Return the trainable parameters that a function can reach.

    Raises:
        ValueError: they cannot be found.
    """
    if hasattr(fn, "trainable_params"):
        return fn.trainable_params()
    try:
        reachable = find_reachable(fn, locations=10 * MAX_LOCATIONS)
    except UntrackedState as reason:
        raise ValueError(
            "For 'GradOperation', get_by_list=True needs the weights: GradOperation(...)(fn, weights). "
            f"They cannot be found: {reason}."
        ) from None
    found: list[Any] = [parameter for cell in reversed(reachable.cells) for parameter in cell.trainable_params()]
    tensors_too: list[Any] = reachable.tensors
    found += [tensor for tensor in tensors_too if is_weight(tensor) and tensor.requires_grad]
    return list(dict.fromkeys(found))


def like_inputs(args: Sequence[Any], positions: Sequence[int], gradients: list[torch.Tensor]) -> list[Any]:
    remaining = iter(gradients)

    def gradient(_: Tensor) -> Tensor:
        value = next(remaining)
        # A plain number that a custom backward returned is passed on as a number.
        return wrap(value.reshape(-1)[0]) if hasattr(value, "from_number") else wrap(value)

    def gradients_of(argument: Any) -> Any:
        return gradient(argument) if isinstance(argument, Tensor) else _like(map_tensors(gradient, argument), argument)

    return [gradients_of(args[position]) for position in positions]


def _like(gradients: Any, argument: Any) -> Any:
    """Return the gradient in the structure of an argument: 0 for numbers, the values' gradient for a sparse tensor."""
    if isinstance(gradients, Sparse):
        # MindSpore's graphs return a sparse tensor, its PyNative mode the values.
        return argument.with_values(gradients.values) if mode.graph else gradients.values
    if isinstance(gradients, dict):
        return rebuilt(gradients, [_like(value, argument[key]) for key, value in gradients.items()])
    if isinstance(gradients, (tuple, list)):
        return rebuilt(gradients, [_like(value, part) for value, part in zip(gradients, argument)])
    if isinstance(gradients, (int, torch.SymInt)):
        return 0
    return 0.0 if isinstance(gradients, (float, torch.SymFloat)) else gradients


def name_of(fn: Any) -> str:
    return getattr(fn, "__name__", type(fn).__name__)
