"""Operations that ask for their tensors to be cut in a given way: `Primitive.shard`, `shard`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from torchspore.common import mode
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.cutting.changed_classes import change_class
from torchspore.engine.cutting.placements import Placements, cut, is_cut, of_strategies
from torchspore.engine.nested import map_tensors, tensors

__all__ = ["as_for", "cut_function", "make_cutting"]


def make_cutting(primitive: Any) -> None:
    """Make a primitive cut its tensors as its attributes `in_strategy` and `out_strategy` say."""
    change_class(primitive, _cutting)


def _cutting(parent: Any) -> Any:
    """Return the `__call__` of primitives that cut tensors."""
    name = parent.__name__

    def call(self: Any, *inputs: Any, **named: Any) -> Any:
        names = _names(name, self.__dict__)
        given = _cut_tree((inputs, named), self.in_strategy, names and names[0], self.name)
        result = parent.__call__(self, *given[0], **given[1])
        wanted = self.__dict__.get("out_strategy")
        return result if wanted is None else _cut_tree(result, wanted, names and names[1], self.name)

    return call


def _names(kind: str, settings: dict[str, Any]) -> Any:
    """Return the names of the dimensions of an operation's inputs and outputs; None: it is element-wise."""
    if kind not in ("MatMul", "BatchMatMul"):
        return None
    batch = ("b3", "b2", "b1", "b0")[: 4 if kind == "BatchMatMul" else 0]

    def matrix(rows: str, columns: str, transposed: Any) -> tuple[str, ...]:
        return (*batch, columns, rows) if transposed else (*batch, rows, columns)

    left = matrix("rows", "inner", settings.get("transpose_a"))
    return (left, matrix("inner", "columns", settings.get("transpose_b"))), (matrix("rows", "columns", False),)


def _cut_tree(tree: Any, strategies: Sequence[Any], names: Any, api: str) -> Any:
    """Return arguments or results, with their tensors cut; as they are outside a region."""
    found = tensors(tree)
    if mode.cut is None or not any(is_cut(tensor._t) for tensor in found):
        return tree
    shapes = [tensor.shape for tensor in found]
    if names is not None:  # of the last dimensions
        names = [name[len(name) - len(shape) :] for name, shape in zip(names, shapes)]
    given = iter(map(_cut, found, of_strategies(strategies, shapes, names, api)))
    return map_tensors(lambda _: next(given), tree)


def _cut(tensor: Tensor, placements: Placements) -> Tensor:
    if isinstance(tensor, Parameter) and is_cut(tensor._t):
        mode.cut.want(tensor, placements)
    value = cut(tensor._t, placements)
    return tensor if value is tensor._t else wrap(value)


def as_for(operation: Any, *inputs: Tensor) -> list[Tensor]:
    """Return the inputs of a layer, cut as the strategy of its operation says.

    A strategy of rows and columns also holds for an input with several dimensions of rows: the first of them is cut.
    """
    strategies = None if operation is None else operation.__dict__.get("in_strategy")
    if strategies is None or not is_cut(inputs[0]._t):
        return list(inputs)
    wide = len(inputs[0].shape) - len(strategies[0]) if isinstance(strategies[0], tuple) else 0
    names = _names(type(operation).__name__, operation.__dict__)
    if wide > 0 and names is not None:
        first, *others = strategies
        strategies = ((*first[:1], *[1] * wide, *first[1:]), *others)
        rows, columns = names[0][0]
        names = ((rows, *[f"rows{i}" for i in range(wide)], columns), *names[0][1:]), names[1]
    return _cut_tree(list(inputs), strategies, names and names[0], operation.name)


def cut_function(
    fn: Callable[..., Any], in_strategy: Any, out_strategy: Any, parameter_plan: dict[str, Any] | None, api: str
) -> Callable[..., Any]:
    """Return a function that cuts its arguments, its parameters and its results."""

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
