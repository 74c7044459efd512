"""Checks of shapes, axes and sparse tensors, and repeated values, under the names of MindSpore's `_checkparam`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe

__all__ = [
    "check_and_canonicalize_axes", "check_astype_dtype", "check_axis_in_range", "check_axis_type", "check_axis_valid",
    "check_coo_tensor_dtype", "check_coo_tensor_input", "check_coo_tensor_shape", "check_csr_tensor_dtype",
    "check_csr_tensor_input", "check_csr_tensor_shape", "check_flatten_order", "check_pad_value_by_mode",
    "check_reduce_shape", "check_reshape_shp", "check_sparse_tensor_input", "check_swapaxes_axis",
    "check_transpose_axis", "expanded_shape", "infer_out_shape", "once", "once_sequence", "prepare_shape_for_squeeze",
    "triple", "triple_sequence", "twice", "twice_sequence",
]  # fmt: skip


def check_axis_in_range(axis: Any, ndim: int) -> int:
    """Return an axis, counted from the first."""
    if not isinstance(axis, int):
        raise TypeError(f"The axis must be an int, but got {describe(axis)}.")
    if not -ndim <= axis < ndim:
        raise ValueError(f"The axis must be in [{-ndim}, {ndim}), but got {axis}.")
    return axis % ndim


def check_and_canonicalize_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as a tuple, counted from the first; none twice."""
    found = tuple(check_axis_in_range(axis, ndim) for axis in (axes if isinstance(axes, (list, tuple)) else (axes,)))
    if len(set(found)) < len(found):
        raise ValueError(f"The axes must be unique, but got {axes}.")
    return found


def check_axis_valid(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as a tuple; None stands for all."""
    return tuple(range(ndim)) if axes is None else check_and_canonicalize_axes(axes, ndim)


def check_axis_type(axis: Any, type_int: bool = True, type_tuple: bool = True, type_list: bool = True) -> bool:
    """Return True for an axis of one of the types that are switched on."""
    kinds = tuple(kind for kind, wanted in ((int, type_int), (tuple, type_tuple), (list, type_list)) if wanted)
    if not isinstance(axis, kinds):
        raise TypeError(f"The axis must be {' or '.join(kind.__name__ for kind in kinds)}, but got {describe(axis)}.")
    return True


def _given(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the numbers of `f(1, 2)` as well as of `f((1, 2))`."""
    return tuple(arguments[0]) if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)) else tuple(arguments)


def check_transpose_axis(axes: tuple[Any, ...], ndim: int) -> tuple[int, ...]:
    """Return the order of axes that the arguments of `transpose` mean: reversed for none."""
    given = _given(axes)
    if given in ((), (None,)):
        return tuple(reversed(range(ndim)))
    if len(given) != ndim:
        raise ValueError(f"For 'Tensor.transpose', the number of axes must be {ndim}, but got {given}.")
    return tuple(check_axis_in_range(axis, ndim) for axis in given)


def check_swapaxes_axis(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes, counted from the first."""
    return tuple(check_axis_in_range(axis, ndim) for axis in (axes if isinstance(axes, (list, tuple)) else (axes,)))


def check_reshape_shp(shp: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape that the arguments of `reshape` mean."""
    return _given(shp)


def check_flatten_order(order: Any) -> None:
    """Check that an order is "C" or "F"."""
    if order not in ("C", "F"):
        raise ValueError(f"For 'Tensor.flatten', 'order' must be 'C' or 'F', but got {order!r}.")


def check_astype_dtype(dtype: Any) -> mstype.Type:
    """Return the data type for one, its name, or a type of Python or NumPy."""
    if dtype is float:
        return mstype.float64
    return mstype.FROM_TORCH[mstype.to_torch(dtype, "Tensor.astype")]


def expanded_shape(ndim: int, axis_size: int, axis: int) -> tuple[int, ...]:
    """Return a shape of ones with one other size."""
    return tuple(axis_size if number == axis else 1 for number in range(ndim))


def infer_out_shape(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape to which shapes broadcast."""
    sizes = [*zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1)]
    for column in sizes:
        if len({size for size in column if size != 1}) > 1:
            raise ValueError(f"The shapes {list(shapes)} do not broadcast: sizes must be equal or 1.")
    return tuple(next((size for size in column if size != 1), 1) for column in reversed(sizes))


def prepare_shape_for_squeeze(shape: Sequence[int], axes: Any) -> tuple[int, ...]:
    """Return a shape without some axes, whose sizes must be 1."""
    if not isinstance(axes, (int, list, tuple)):
        raise TypeError(f"For 'Tensor.squeeze', 'axis' must be an int, list or tuple, but got {describe(axes)}.")
    dropped = check_and_canonicalize_axes(axes, len(shape))
    for axis in dropped:
        if shape[axis] != 1:
            raise ValueError(f"For 'Tensor.squeeze', the size of axis {axis} must be 1, but got {shape[axis]}.")
    return tuple(size for axis, size in enumerate(shape) if axis not in dropped)


def check_reduce_shape(
    ori_shape: Sequence[int], shape: Sequence[int], axis: Sequence[int], prim_name: str, arg_name1: str, arg_name2: str
) -> None:
    """Check that a shape without some axes is another shape."""
    if [*shape] != [size for number, size in enumerate(ori_shape) if number not in axis]:
        raise ValueError(
            f"For '{prim_name}', '{arg_name1}' without the axes {[*axis]} must have the shape of '{arg_name2}', "
            f"{[*shape]}, but got {[*ori_shape]}."
        )


def check_pad_value_by_mode(pad_mode: str, padding: Any, prim_name: str) -> Any:
    """Return a padding, which only the mode "pad" has."""
    if pad_mode != "pad" and padding != 0:
        raise ValueError(f"For '{prim_name}', 'padding' must be 0 with pad_mode {pad_mode!r}, but got {padding}.")
    return padding


def _repeated(count: int, kinds: tuple[type, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that repeats an int, and checks the length of a sequence."""

    def repeat(m: Any) -> tuple[Any, ...]:
        if isinstance(m, int):
            return (m,) * count
        if type(m) not in kinds or len(m) != count:
            raise TypeError(f"The value must be an int or {count} ints in a tuple, but got {describe(m)}.")
        return tuple(m)

    return repeat


once, twice, triple = (_repeated(count, (tuple,)) for count in (1, 2, 3))
once_sequence, twice_sequence, triple_sequence = (_repeated(count, (tuple, list)) for count in (1, 2, 3))


def _check_index_dtype(kind: str, name: str, dtype: Any) -> None:
    if dtype not in (mstype.int16, mstype.int32, mstype.int64):
        raise TypeError(f"For '{kind}', '{name}' must be of type int16, int32 or int64, but got {dtype}.")


def check_coo_tensor_dtype(indices_dtype: Any) -> None:
    """Check the type of the indices of a COOTensor."""
    _check_index_dtype("COOTensor", "indices", indices_dtype)


def check_csr_tensor_dtype(indptr_dtype: Any, indices_dtype: Any) -> None:
    """Check the types of the indices of a CSRTensor."""
    _check_index_dtype("CSRTensor", "indptr", indptr_dtype)
    _check_index_dtype("CSRTensor", "indices", indices_dtype)


def _check_parts(kind: str, shape: Any, **parts: Any) -> None:
    for name, part in parts.items():
        if not isinstance(part, Tensor):
            raise TypeError(f"For '{kind}', '{name}' must be a Tensor, but got {describe(part)}.")
    if not isinstance(shape, tuple):
        raise TypeError(f"For '{kind}', 'shape' must be a tuple, but got {describe(shape)}.")


def check_sparse_tensor_input(indices: Any, values: Any, shape: Any) -> None:
    """Check the types of the parts of a sparse tensor."""
    _check_parts("SparseTensor", shape, indices=indices, values=values)


def check_coo_tensor_input(indices: Any, values: Any, shape: Any) -> None:
    """Check the types of the parts of a COOTensor."""
    _check_parts("COOTensor", shape, indices=indices, values=values)


def check_csr_tensor_input(indptr: Any, indices: Any, values: Any, shape: Any) -> None:
    """Check the types of the parts of a CSRTensor."""
    _check_parts("CSRTensor", shape, indptr=indptr, indices=indices, values=values)


def _check_that(holds: bool, kind: str, rule: str, *shapes: Any) -> None:
    if not holds:
        raise ValueError(f"For '{kind}', {rule}, but got the shapes {shapes}.")


def check_coo_tensor_shape(indices_shp: Any, values_shp: Any, coo_shp: Any) -> None:
    """Check the shapes of the parts of a COOTensor."""
    fits = len(indices_shp) == 2 and values_shp == indices_shp[:1] and indices_shp[1] == len(coo_shp)
    rule = "'indices' must be (count, ndim) and 'values' (count,)"
    _check_that(fits, "COOTensor", rule, indices_shp, values_shp, coo_shp)


def check_csr_tensor_shape(indptr_shp: Any, indices_shp: Any, values_shp: Any, csr_shp: Any) -> None:
    """Check the shapes of the parts of a CSRTensor."""
    fits = (
        len(indptr_shp) == len(indices_shp) == 1
        and values_shp[:1] == indices_shp
        and indptr_shp[0] == csr_shp[0] + 1
        and math.prod(values_shp[1:]) == math.prod(csr_shp[2:])
    )
    rule = "'indptr' must be (rows + 1,), and 'indices' and 'values' equally long"
    _check_that(fits, "CSRTensor", rule, indptr_shp, indices_shp, values_shp, csr_shp)
