"""Operations that ask for their tensors to be cut in a given way: `Primitive.shard`, `shard`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from torchspore.common import mode
from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.distributed.agreement import differing
from torchspore.engine.distributed.cutting.changed_classes import change_class
from torchspore.engine.distributed.cutting.mistakes import checked
from torchspore.engine.distributed.cutting.placements import Placements, cut, group_of_mesh, is_cut, mesh, of_strategies
from torchspore.engine.distributed.cutting.region import agree_on_shapes
from torchspore.engine.distributed.cutting.rules import matrices
from torchspore.engine.values.nested import map_tensors, tensors

__all__ = ["cut_function", "has_strategies", "make_cutting", "strategies_given"]

_given = 0
_are_given = False


def has_strategies() -> bool:
    """Return whether the program has given strategies to an operation or a function."""
    return _are_given


def strategies_given() -> int:
    """Return how many times a primitive has been given strategies."""
    return _given


def make_cutting(primitive: Any) -> None:
    """Make a primitive cut its tensors as its attributes `in_strategy` and `out_strategy` say."""
    global _given, _are_given
    _given += 1
    _are_given = True
    change_class(primitive, _cutting)


def _cutting(parent: Any) -> Any:
    """Return the `__call__` of primitives that cut tensors."""

    def call(self: Any, *inputs: Any, **named: Any) -> Any:
        if mode.cut is None:
            return parent.__call__(self, *inputs, **named)
        if "_is_agreed" not in self.__dict__ and scope.tracing is None and _any_cut((inputs, named)):
            _agree_on_strategies(self)
        strategies = _of_inputs(self)
        names = _names(self, strategies, (*inputs, *named.values())) if _any_cut((inputs, named)) else None
        given = _cut_tree((inputs, named), strategies, names, self.name)
        result = parent.__call__(self, *given[0], **given[1])
        wanted = self.__dict__.get("out_strategy")
        return result if wanted is None else _cut_tree(result, wanted, _output_names(self, names), self.name)

    return call


def _agree_on_strategies(primitive: Any) -> None:
    """Refuse strategies of an operation that other processes do not give it, in its first call.

    Raises:
        ValueError: they differ, in all processes.
    """
    found = differing(_shown(primitive.in_strategy, primitive.__dict__.get("out_strategy")), group_of_mesh())
    if found:
        raise ValueError(
            f"For '{primitive.name}', the strategies of an operation must be the same in all processes, but by rank "
            f"they are {', '.join(found)}."
        )
    primitive.__dict__["_is_agreed"] = True


def _shown(*given: Any) -> str:
    kinds = [[one.to_dict() if hasattr(one, "to_dict") else one for one in kind] for kind in given if kind is not None]
    return " to ".join([f"({', '.join(map(str, kind))})" for kind in kinds])


def _of_inputs(primitive: Any) -> list[Any]:
    """Return the strategies of the inputs of an operation that have dimensions."""
    first, *others = primitive.in_strategy
    if primitive._shows_output and isinstance(first, tuple):
        classes = primitive.axis % len(first)
        first = (*first[:classes], *first[classes + 1 :])
    return [strategy for strategy in (first, *others) if strategy != ()]


def _names(primitive: Any, strategies: Sequence[Any], inputs: tuple[Any, ...]) -> Any:
    """Return the names of the dimensions of the inputs of an operation, or None if it has no rule.

    Raises:
        ValueError: the strategies do not fit the inputs, or each other.
    """
    agree_on_shapes()
    shapes = [tensor.shape for tensor in tensors(inputs) if tensor.shape]
    found = checked(primitive, strategies, inputs, shapes, mesh().size())
    return found and found.names


def _output_names(primitive: Any, names: Any) -> Any:
    """Return the names of the dimensions of the outputs of a product of matrices; None of other operations."""
    if names is None or primitive._cutting is not matrices:
        return None
    return [[*max((row[:-2] for row in names), key=len), "rows", "columns"]]


def _cut_tree(tree: Any, strategies: Sequence[Any], names: Any, api: str) -> Any:
    """Return arguments or results, with their tensors cut; unchanged outside a region."""
    if mode.cut is None or not _any_cut(tree):
        return tree
    agree_on_shapes()
    found = [tensor for tensor in tensors(tree) if tensor.shape]
    shapes = [tensor.shape for tensor in found]
    given = iter(map(_cut, found, of_strategies(strategies, shapes, names, api)))
    return map_tensors(lambda tensor: next(given) if tensor.shape else tensor, tree)


def _any_cut(tree: Any) -> bool:
    return any(is_cut(tensor._t) for tensor in tensors(tree))


def _cut(tensor: Tensor, placements: Placements) -> Tensor:
    if isinstance(tensor, Parameter) and is_cut(tensor._t):
        is_so_next = mode.cut.want(tensor, placements)
        if is_so_next or not tensor.requires_grad:  # an operation may write to it, which a copy would not keep
            return tensor
    value = cut(tensor._t, placements)
    return tensor if value is tensor._t else wrap(value)


def cut_function(
    fn: Callable[..., Any], in_strategy: Any, out_strategy: Any, parameter_plan: dict[str, Any] | None, api: str
) -> Callable[..., Any]:
    """Return a function that cuts its arguments, its parameters and its results."""

    global _are_given
    _are_given = True

    @functools.wraps(fn, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if parameter_plan:
            by_name = {parameter.name: parameter for parameter in fn.get_parameters()}  # type: ignore[attr-defined]
            for name, strategy in parameter_plan.items():
                _cut_tree([by_name[name]], [strategy], None, api)
        given = _cut_tree((args, kwargs), in_strategy, None, api)
        result = fn(*given[0], **given[1])
        return result if out_strategy is None else _cut_tree(result, out_strategy, None, api)

    return call
