"""Scattering: writing elements by index or mask."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.common import indexing
from torchspore.common.dtype import FROM_TORCH
from torchspore.common.error_classes import also
from torchspore.common.private_torch.error_texts import OUT_OF_RANGE, TOO_FEW_ELEMENTS, says
from torchspore.common.scopes.scope import replace_value
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.errors import of_value
from torchspore.engine.failures.naming import named
from torchspore.engine.op import Operand, Size, attach, op
from torchspore.engine.parameters import Bools, Dimensions, Ints, take_as
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.division import divided
from torchspore.ops.array.gathering import check_indices, is_checked, wrapped
from torchspore.ops.array.overloads import documented, renaming_method

__all__ = [
    "IndexAdd", "IndexFill", "IndexPut", "InplaceAdd", "InplaceIndexAdd", "InplaceSub", "InplaceUpdate",
    "InplaceUpdateV2", "MaskedScatter", "ScatterAddWithAxis", "ScatterNd", "ScatterNonAliasingAdd", "TensorScatterAdd",
    "TensorScatterDiv", "TensorScatterElements", "TensorScatterMax", "TensorScatterMin", "TensorScatterMul",
    "TensorScatterSub", "TensorScatterUpdate", "diagonal_scatter", "index_add", "index_fill", "inplace_add",
    "inplace_index_add", "inplace_sub", "inplace_update", "scatter", "scatter_nd", "select_scatter", "slice_scatter",
    "tensor_scatter_add", "tensor_scatter_div", "tensor_scatter_elements", "tensor_scatter_max", "tensor_scatter_min",
    "tensor_scatter_mul", "tensor_scatter_sub", "tensor_scatter_update",
]  # fmt: skip


def check_updates(api: str, indices: Tensor, updates: Tensor, shape: tuple[int, ...]) -> None:
    """Check shapes and dtypes that torch would broadcast or misread."""
    check_indices(indices, api)
    width = indices.shape[-1] if indices.dim() else 0
    expected = tuple(indices.shape[:-1]) + tuple(shape[width:])
    if width > len(shape) or tuple(updates.shape) != expected:
        raise ValueError(
            f"For '{api}', 'updates' must have the shape indices.shape[:-1] + shape[indices.shape[-1]:], "
            f"but got updates of shape {tuple(updates.shape)}, indices of shape {tuple(indices.shape)}, "
            f"for a tensor of shape {tuple(shape)}."
        )


def _alike(updates: Tensor, input_x: Tensor) -> Tensor:
    if updates.dtype is not input_x.dtype:
        raise TypeError(
            f"'input_x' and 'updates' must have the same data type, but got {FROM_TORCH[input_x.dtype]} and "
            f"{FROM_TORCH[updates.dtype]}; convert one of them: updates.astype(...)"
        )
    return updates


def _typed(updates: Tensor, input: Tensor) -> Tensor:
    """Return the updates in the dtype of the tensor they change."""
    if updates.is_complex() and not input.is_complex():
        raise TypeError("complex updates cannot change a tensor of real numbers: take their real part")
    return updates.to(input.dtype)


@op
def scatter_nd(indices: Tensor, updates: Tensor, shape: Size) -> Tensor:
    """Scatter elements or slices into a tensor of zeros; duplicates are added up.

    Args:
        indices: a Tensor of ints; its last dimension holds the indices of an element or slice.
        updates: a Tensor of shape `indices.shape[:-1] + shape[indices.shape[-1]:]`.
        shape: the shape of the result.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.scatter_nd(ms.Tensor([[0], [2]]), ms.Tensor([5, 6]), (4,)))
        [5 0 6 0]
    """
    check_updates("scatter_nd", indices, updates, shape)
    return updates.new_zeros(shape).index_put(indices.unbind(-1), updates, accumulate=True)


@op
def tensor_scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Replace elements or slices in a copy of a tensor.

    Args:
        input_x: a Tensor.
        indices: a Tensor of ints; its last dimension holds the indices of an element or slice.
        updates: a Tensor of shape `indices.shape[:-1] + input_x.shape[indices.shape[-1]:]`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.tensor_scatter_update(ms.Tensor([1, 2, 3]), ms.Tensor([[0], [2]]), ms.Tensor([5, 6])))
        [5 2 6]
    """
    check_updates("tensor_scatter_update", indices, updates, input_x.shape)
    return input_x.index_put(indices.unbind(-1), _alike(updates, input_x))


@op
def tensor_scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Add to elements or slices in a copy of a tensor; arguments as for `tensor_scatter_update`."""
    check_updates("tensor_scatter_add", indices, updates, input_x.shape)
    return input_x.index_put(indices.unbind(-1), _alike(updates, input_x), accumulate=True)


@op(method="scatter_sub")
def tensor_scatter_sub(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Subtract from elements or slices in a copy of a tensor; arguments as for `tensor_scatter_update`."""
    check_updates("tensor_scatter_sub", indices, updates, input_x.shape)
    return input_x.index_put(indices.unbind(-1), -_alike(updates, input_x), accumulate=True)


def _rows(indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the row numbers for `indices` in a tensor whose first dimensions are flattened into one."""
    result = indices.new_zeros((), dtype=torch.int64)
    for size, index in zip(shape, indices.long().unbind(-1)):
        result = result * size + index
    return result.reshape(-1)


def _reduced(input: Tensor, rows: Tensor, updates: Tensor, width: int, how: str) -> Tensor:
    """Reduce the rows of a tensor, flattened in its first `width` dimensions, with updates."""
    rest = math.prod(input.shape[width:])
    flat = input.reshape(-1, rest)
    index = rows.unsqueeze(1).expand(-1, rest)
    return flat.scatter_reduce(0, index, _alike(updates, input).reshape(-1, rest), how).reshape(input.shape)


def _reducing(name: str, method: str, how: str, verb: str) -> Any:
    """Make the operation that reduces elements of a tensor and updates by torch's reduction `how`."""

    def body(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        check_updates(name, indices, updates, input_x.shape)
        return _reduced(input_x, _rows(indices, input_x.shape), updates, indices.shape[-1], how)

    doc = f"{verb} in a copy of a tensor; arguments as for `tensor_scatter_update`."
    return op(documented(body, name, doc), method=method)


tensor_scatter_max = _reducing(
    "tensor_scatter_max", "scatter_max", "amax", "Take the maximum of updates and elements or slices"
)
tensor_scatter_min = _reducing(
    "tensor_scatter_min", "scatter_min", "amin", "Take the minimum of updates and elements or slices"
)
tensor_scatter_mul = _reducing("tensor_scatter_mul", "scatter_mul", "prod", "Multiply elements or slices by updates")


@op(method="scatter_div")
def tensor_scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Divide elements or slices in a copy, integers with truncation; arguments as for `tensor_scatter_update`.

    Raises:
        ValueError: `updates` contains 0, and the tensors are of integers.
    """
    check_updates("tensor_scatter_div", indices, updates, input_x.shape)
    if not input_x.is_floating_point() and is_checked(updates) and not updates.all():
        raise ValueError("'updates' must not contain 0: integers cannot be divided by it")
    return quotients(input_x, indices, updates)


def quotients(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return what `tensor_scatter_div` returns; integers divided by 0 are the limits of their type."""
    rows = _rows(indices, input_x.shape)
    divisors = _reduced(torch.ones_like(input_x), rows, updates, indices.shape[-1], "prod")
    return input_x / divisors if input_x.is_floating_point() else divided(input_x, divisors, "trunc")


def _scattered(function: Callable[..., Tensor], input: Tensor, dim: int, index: Tensor, values: Operand) -> Tensor:
    """Call a torch function that scatters; negative indices count from the end, those out of range are ignored."""
    if is_checked(index):
        try:
            return function(input, dim, index, values)
        except RuntimeError as error:
            if not says(error, OUT_OF_RANGE):
                raise
    size = input.shape[dim]
    index = wrapped(index, size)
    index = torch.where((index < 0) | (index >= size), size, index)
    further = input.new_zeros(()).expand([1 if d == dim % input.dim() else n for d, n in enumerate(input.shape)])
    return function(torch.cat((input, further), dim), dim, index, values).narrow(dim, 0, size)


def part_read(values: Any, index: Tensor) -> Any:
    """Return the part of the values that a scatter with `index` reads, which may be smaller than they are.

    In torch's kernels the gradient of the values has the shape of the index, and the gradient of products is wrong:
    https://github.com/pytorch/pytorch/issues/27614 and 94336.
    """
    if not isinstance(values, torch.Tensor) or values.shape == index.shape or values.dim() != index.dim():
        return values
    return values[tuple(map(slice, index.shape))]


@op
def tensor_scatter_elements(
    input_x: Tensor, indices: Ints, updates: Tensor, axis: int = 0, reduction: Literal["none", "add"] = "none"
) -> Tensor:
    """Scatter elements into a copy of a tensor: `result[indices[i][j]][j] = updates[i][j]` for `axis` 0, and so on.

    Args:
        input_x: a Tensor.
        indices: a Tensor of ints with the same number of dimensions; negative ones count from the end, and updates at
            those out of range are ignored.
        updates: a Tensor of the shape of `indices`.
        axis: the dimension that is indexed. Default: 0.
        reduction: "none" to replace, "add" to add. Default: "none".

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.tensor_scatter_elements(ms.Tensor([1, 2, 3]), ms.Tensor([2, 0]), ms.Tensor([8, 9])))
        [9 2 8]
    """
    function, values = torch.scatter if reduction == "none" else torch.scatter_add, _alike(updates, input_x)
    return _scattered(function, input_x, axis, indices.long(), part_read(values, indices))


@op
def scatter(input: Tensor, axis: int, index: Ints, src: Operand) -> Tensor:
    """Scatter elements into a copy of a tensor: `result[index[i][j]][j] = src[i][j]` for `axis` 0, and so on.

    Args:
        input: a Tensor.
        axis: the dimension that is indexed.
        index: a Tensor of ints with the same number of dimensions as `input`; negative ones count from the end, and
            values at those out of range are ignored.
        src: a Tensor at least as large as `index`, or a number.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.scatter(ms.Tensor([1, 2, 3]), 0, ms.Tensor([2, 0]), ms.Tensor([8, 9])))
        [9 2 8]
    """
    values = _typed(src, input) if isinstance(src, torch.Tensor) else src
    return _scattered(torch.scatter, input, axis, index.long(), part_read(values, index))


def _scatter(self: _Tensor, axis: int, index: _Tensor, src: Any, *, reduce: str = "none") -> _Tensor:
    """Scatter elements into a copy of this tensor, as `ops.scatter`, or combine them with its elements.

    Args:
        axis: the dimension that is indexed.
        index: a Tensor of ints with the same number of dimensions.
        src: a Tensor at least as large as `index`, or a number.
        reduce: "none" to replace, "add" or "multiply" to combine. Default: "none".
    """
    if reduce == "none":
        return scatter(self, axis, index, src)
    if reduce not in ("add", "multiply"):
        raise of_value(reduce, str)(
            f"For 'Tensor.scatter', 'reduce' must be 'none', 'add' or 'multiply', but got {reduce!r}."
        )
    return _combined(self, axis, index, src, "sum" if reduce == "add" else "prod")


renaming_method("scatter", documented(_scatter, "scatter"), dim="axis")


@op(name="scatter")
def _combined(input: Tensor, axis: int, index: Ints, src: Operand, how: str) -> Tensor:
    values = src if isinstance(src, torch.Tensor) else torch.full(index.shape, src, dtype=input.dtype)
    values = _typed(part_read(values, index), input).to(input.device)
    return input.scatter_reduce(axis, index.long(), values, how)


@op(name="Tensor.scatter_add")
def _scatter_add_elements(self: Tensor, dim: int, index: Ints, src: Tensor) -> Tensor:
    return tensor_scatter_elements.body(self, index, src, dim, "add")


def _scatter_add(self: _Tensor, *args: Any, **named: Any) -> _Tensor:
    """Add elements along a dimension, `x.scatter_add(dim, index, src)`, or by `x.scatter_add(indices, updates)`.

    See `ops.tensor_scatter_elements` and `ops.tensor_scatter_add`.
    """
    if "dim" in named or (args and not isinstance(args[0], _Tensor)):
        return _scatter_add_elements(self, *args, **named)
    return tensor_scatter_add(self, *args, **named)


attach(named(_scatter_add), "scatter_add")


@op(method="select_scatter")
def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """Replace the slice `index` of dimension `axis` in a copy."""
    return input.select_scatter(src, axis, index)


@op(method="slice_scatter")
def slice_scatter(
    input: Tensor, src: Tensor, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Replace the slices `start:end:step` of dimension `axis` in a copy."""
    return input.slice_scatter(src, axis, start, end, step)


@op(method="diagonal_scatter")
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Replace the diagonals of matrices in a copy, of the common data type; `src` has the shape of `ops.diagonal`."""
    return input.to(torch.promote_types(input.dtype, src.dtype)).diagonal_scatter(src, offset, dim1, dim2)


# Along one dimension


@op(name="index_add")
def _index_added(x: Tensor, axis: int, indices: Ints, y: Tensor, alpha: Operand = 1) -> Tensor:
    return x.index_add(axis, indices, _typed(y, x), alpha=alpha)


def _written(x: _Tensor, result: _Tensor) -> _Tensor:
    """Write the result into its first operand, as MindSpore's kernel does for any Tensor."""
    replace_value(x, result._t)
    return result


def index_add(
    x: _Tensor, indices: _Tensor, y: _Tensor, axis: int, use_lock: bool = True, check_index_bound: bool = True
) -> _Tensor:
    """Add slices of a tensor to slices of another at indices of one dimension, in place.

    Args:
        x: a Tensor, which is modified.
        indices: a Tensor of ints, of one dimension, possibly with duplicates.
        y: a Tensor of the shape of `x`, except that it has a slice for each index along `axis`.
        axis: the dimension.
        use_lock: of no effect: no update is lost in either case. Default: True.
        check_index_bound: of no effect: indices are checked in either case. Default: True.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.index_add(ms.Tensor([1, 2, 3]), ms.Tensor([0, 0]), ms.Tensor([10, 20]), 0))
        [31  2  3]
    """
    take_as(bool, use_lock, "use_lock", "index_add")
    take_as(bool, check_index_bound, "check_index_bound", "index_add")
    return _written(x, _index_added(x, axis, indices, y))


def inplace_index_add(var: _Tensor, indices: _Tensor, updates: _Tensor, axis: int) -> _Tensor:
    """Add slices of `updates` to slices of `var`, in place; see `index_add`."""
    return _written(var, _index_added(var, axis, indices, updates))


def _index_add(self: _Tensor, *args: Any, **named: Any) -> _Tensor:
    """Add slices: `x.index_add(indices, y, axis)` or `x.index_add(dim, index, source, *, alpha=1)`."""
    if "dim" in named or (args and not isinstance(args[0], _Tensor)):
        return _index_add_scaled(self, *args, **named)
    return index_add(self, *args, **named)


@op(name="Tensor.index_add")
def _index_add_scaled(self: Tensor, dim: int, index: Ints, source: Tensor, *, alpha: Operand = 1) -> Tensor:
    return _index_added.body(self, dim, index, source, alpha)


attach(named(_index_add), "index_add")


@op(method="index_fill")
def index_fill(x: Tensor, axis: int, index: Annotated[Ints, Dimensions(0, 1)], value: Operand) -> Tensor:
    """Fill the slices at indices of one dimension, in a copy.

    Args:
        x: a Tensor.
        axis: the dimension.
        index: a Tensor of ints, of one dimension or none.
        value: a number or a scalar Tensor.
    """
    return x.index_fill(axis, index.long(), value.to(x.dtype) if isinstance(value, Tensor) else value)


@op(method="index_put")
def _index_put(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Replace the elements `x[indices]` in a copy.

    Args:
        indices: a list or tuple of Tensors of ints or bools, one for each of the first dimensions.
        values: a Tensor that can be broadcast to the shape of `x[indices]`.
        accumulate: whether to add instead. Default: False.
    """
    return self.index_put(as_indices(indices, "index_put"), values, accumulate)


def as_indices(indices: Any, api: str) -> tuple[Tensor, ...]:
    """Return the torch tensors of a list or tuple of index tensors."""
    if not isinstance(indices, (list, tuple)) or not all(isinstance(index, _Tensor) for index in indices):
        raise TypeError(f"For '{api}', 'indices' must be a list or tuple of Tensors, but got {indices!r:.100}.")
    return tuple([index._t for index in indices])


@op(name="masked_scatter", method="masked_scatter")
def _masked_scatter(input: Tensor, mask: Bools, source: Tensor) -> Tensor:
    """Replace the elements where a mask is true by the elements of `source`, in order, in a copy.

    Args:
        input: a Tensor.
        mask: a Tensor of bools that can be broadcast to the shape of `input`.
        source: a Tensor with an element for each true one of the mask.

    Raises:
        ValueError: `source` has too few elements.
    """
    try:
        if source.is_floating_point() and input.is_floating_point():
            source = source.to(input.dtype)
        return input.masked_scatter(mask, source)
    except RuntimeError as error:
        if not says(error, TOO_FEW_ELEMENTS):
            raise
        raise ValueError(
            f"'source' must have an element for each true one of the mask, but has only {source.numel()}"
        ) from None


@op(method="itemset")
def _itemset(self: Tensor, *args: Any) -> Tensor:
    """Replace an element in a copy: `x.itemset(index, value)`, or `x.itemset(value)` if there is only one."""
    if len(args) not in (1, 2) or (len(args) == 1 and self.numel() != 1):
        raise also(IndexError, ValueError)(
            f"For 'itemset', give an index and a value, but got {args} for shape {tuple(self.shape)}."
        )
    index = args[0] if len(args) == 2 else (0,) * self.dim()
    if isinstance(index, tuple) and len(index) != self.dim():
        raise IndexError(
            f"For 'itemset', the index must have {self.dim()} ints, one for each dimension, but got {index}."
        )
    result = self.clone()
    if isinstance(index, numbers.Integral) and self.dim() != 1:
        indexing.put(result.reshape(-1), index, args[-1])
    else:
        indexing.put(result, index, args[-1])
    return result


def _first_rows(indices: Any, x: Tensor) -> Tensor:
    rows = indices._t if isinstance(indices, _Tensor) else torch.tensor(indices, device=x.device)
    return rows.reshape(-1)


@op
def inplace_add(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return `x` with the slices of `v` added at indices of dimension 0, an int or a tuple of ints."""
    return x.index_add(0, _first_rows(indices, x), v)


@op
def inplace_sub(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return `x` with the slices of `v` subtracted at indices of dimension 0; see `inplace_add`."""
    return x.index_add(0, _first_rows(indices, x), v, alpha=-1)


@op(method="inplace_update")
def inplace_update(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return `x` with the slices at indices of dimension 0 replaced by the slices of `v`; see `inplace_add`."""
    return x.index_copy(0, wrapped(_first_rows(indices, x).long(), len(x)), v)


@as_primitive
def InplaceUpdateV2(x: Tensor, indices: Any, v: Tensor) -> Tensor:
    """Return `x` with the slices at indices of dimension 0 replaced by the slices of `v`; see `inplace_add`."""
    return inplace_update.body(x, v, indices)


@as_primitive
def IndexPut(x1: Tensor, x2: Tensor, indices: Any, *, accumulate: Literal[0, 1] = 0) -> Tensor:
    """Return `x1` with the elements `x1[indices]` replaced by `x2`, or with `x2` added if `accumulate` is 1."""
    return x1.index_put(as_indices(indices, "IndexPut"), x2, accumulate == 1)


@as_primitive
def ScatterAddWithAxis(input_x: Tensor, indices: Ints, updates: Tensor, *, axis: int = 0) -> Tensor:
    """Add elements along dimension `axis`; see `tensor_scatter_elements`."""
    return tensor_scatter_elements.body(input_x, indices, updates, axis, "add")


InplaceIndexAdd = primitive("InplaceIndexAdd", inplace_index_add, "axis")
ScatterNonAliasingAdd = primitive("ScatterNonAliasingAdd", tensor_scatter_add)
ScatterNd = primitive("ScatterNd", scatter_nd)
TensorScatterUpdate = primitive("TensorScatterUpdate", tensor_scatter_update)
TensorScatterAdd = primitive("TensorScatterAdd", tensor_scatter_add)
TensorScatterSub = primitive("TensorScatterSub", tensor_scatter_sub)
TensorScatterMax = primitive("TensorScatterMax", tensor_scatter_max)
TensorScatterMin = primitive("TensorScatterMin", tensor_scatter_min)
TensorScatterMul = primitive("TensorScatterMul", tensor_scatter_mul)
TensorScatterDiv = primitive("TensorScatterDiv", tensor_scatter_div)
TensorScatterElements = primitive("TensorScatterElements", tensor_scatter_elements, axis=0, reduction="none")
MaskedScatter = primitive("MaskedScatter", _masked_scatter)
IndexAdd = primitive("IndexAdd", index_add, "axis", use_lock=True, check_index_bound=True)
IndexFill = primitive("IndexFill", index_fill)
InplaceAdd = primitive("InplaceAdd", inplace_add, "indices")
InplaceSub = primitive("InplaceSub", inplace_sub, "indices")
InplaceUpdate = primitive("InplaceUpdate", inplace_update, "indices")
rules.cut_by(rules.named("_ columns", "_ columns"), InplaceAdd)
rules.cut_by(rules.scattered(by_tuples=True, whole_rows=True), TensorScatterUpdate, TensorScatterMax, TensorScatterMin)
rules.cut_by(rules.scattered(True, False), TensorScatterAdd, TensorScatterSub, TensorScatterMul, TensorScatterDiv)
