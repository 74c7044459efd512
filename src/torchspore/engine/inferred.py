"""Primitives that have rules for shapes and data types, but nothing that computes: they can be compiled, not run.

Programs compile networks with such primitives to see whether the compilation succeeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common.dtype import TensorType, get_py_obj_dtype
from torchspore.common.private_torch import FakeTensor
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.gradients.custom import call_with_bprop
from torchspore.engine.values.nested import tensors

__all__ = ["compiled_call", "described_outputs"]


def described_outputs(primitive: Any, inputs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the shape, the data type and the value of a primitive's output, by its rules.

    Args:
        primitive: has the rules `infer_shape`, `infer_dtype` and `infer_value`.
        inputs: the shape, the data type and the value of each input, by the names "shape", "dtype" and "value".
    """
    rules = {"dtype": primitive.infer_dtype, "shape": primitive.infer_shape, "value": primitive.infer_value}
    return {name: rule(*[given[name] for given in inputs]) for name, rule in rules.items()}


def _description(value: Any) -> dict[str, Any]:
    if isinstance(value, Tensor):
        return {"shape": list(value.shape), "dtype": TensorType(value.dtype), "value": None}
    return {"shape": [], "dtype": get_py_obj_dtype(value), "value": value}


def compiled_call(primitive: Any, inputs: tuple[Any, ...]) -> Any:
    """Return the output of a primitive that cannot compute, in a trace with tensors without values.

    The graph raises NotImplementedError if it runs. Outside of traces, NotImplemented is returned.
    """
    if scope.tracing is None:
        return NotImplemented
    if not any(isinstance(tensor._t, FakeTensor) for tensor in tensors(inputs)):
        scope.tracing.refuse(f"'{primitive.name}' has rules for shapes only")  # a trace with such tensors follows
        return NotImplemented
    described = described_outputs(primitive, [_description(value) for value in inputs])
    if described["value"] is not None:
        return described["value"]

    def compute(*given: Any) -> Any:
        values = [tensor._t for tensor in tensors(given)]
        shape, kind = described["shape"], described["dtype"]
        if isinstance(kind, (tuple, list)):
            return tuple([_output(values, size, one, primitive.name) for size, one in zip(shape, kind)])
        return _output(values, shape, kind, primitive.name)

    bprop: Callable[[], Any] | None = getattr(primitive, "get_bprop", None)
    return compute(*inputs) if bprop is None else call_with_bprop(primitive.name, compute, bprop(), inputs, {}, [])


def _output(values: list[torch.Tensor], shape: Sequence[int], kind: Any, name: str) -> Tensor:
    dtype: Any = kind.element if isinstance(kind, TensorType) else kind
    return wrap(torch.ops.torchspore.only_compiled(values, list(shape), dtype.torch, name))


def _run(values: list[torch.Tensor], shape: list[int], dtype: torch.dtype, name: str) -> torch.Tensor:
    raise NotImplementedError(f"For '{name}', define '__call__' in the subclass: it can be compiled, but not run.")


_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define("only_compiled(Tensor[] values, int[] shape, ScalarType dtype, str name) -> Tensor")
_library.impl("only_compiled", _run, "CompositeExplicitAutograd")
_library.impl(
    "only_compiled", lambda values, shape, dtype, name: values[0].new_empty(shape, dtype=dtype, device="meta"), "Meta"
)
