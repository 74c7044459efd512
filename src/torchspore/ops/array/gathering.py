"""Gathering and selecting elements: by index, by mask, by condition."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.private_torch import open_modes
from torchspore.common.private_torch.error_texts import OUT_OF_RANGE, says
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.naming import named
from torchspore.engine.op import Operand, attach, op, renamed
from torchspore.engine.parameters import Bools, Dimensions, Ints, NotNegative
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.engine.widening import wrapping
from torchspore.ops.array.casting import aligned
from torchspore.ops.array.overloads import renaming_method

__all__ = [
    "EmbeddingLookup", "Gather", "GatherD", "GatherNd", "GatherV2", "MaskedFill", "MaskedSelect", "NonZero", "OneHot",
    "Select", "SparseGatherV2", "argwhere", "gather", "gather_d", "gather_elements", "gather_nd", "index_select",
    "masked_fill", "masked_select", "nonzero", "one_hot", "select", "sequence_mask", "take",
]  # fmt: skip


_INTS = frozenset(t.torch for t in (*mstype.int_type, *mstype.uint_type))


def check_indices(index: Tensor, api: str) -> None:
    """Raise TypeError unless `index` holds ints."""
    if index.dtype not in _INTS:
        raise TypeError(
            f"For '{api}', the indices must be ints, but got {mstype.FROM_TORCH[index.dtype]}. Cast them first."
        )


def wrapped(index: Tensor, size: int) -> Tensor:
    """Count negative indices from the end."""
    return torch.where(index < 0, index + size, index)


def is_checked(index: Tensor) -> bool:
    """Return whether torch raises an error for an index out of range, in all calls: only on the CPU, not in graphs."""
    return index.__class__ is torch.Tensor and index.is_cpu and not open_modes()


def _indices(index: Tensor) -> Tensor:
    """Return indices in a dtype that torch supports: it rejects others, or reads uint8 as a mask."""
    return index if index.dtype is torch.int64 or index.dtype is torch.int32 else index.long()


def _indexed(function: Callable[..., Tensor], input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Call a torch function that does not support negative indices, which MindSpore supports."""
    index = _indices(index)
    if not is_checked(index):
        return _wrapping(function, input, dim, index)
    try:
        return function(input, dim, index)
    except (IndexError, RuntimeError):  # for torch a negative index is out of range, too
        return _wrapping(function, input, dim, index)


def _wrapping(function: Callable[..., Tensor], input: Tensor, dim: int, index: Tensor) -> Tensor:
    size = input.shape[dim]
    try:
        return function(input, dim, wrapped(index, size))
    except RuntimeError as error:
        if not says(error, OUT_OF_RANGE):
            raise
        raise IndexError(f"an index is out of range for dimension {dim} of size {size}") from None


@op
def gather(input_params: Tensor, input_indices: Ints, axis: int, batch_dims: int = 0) -> Tensor:
    """Select slices of a tensor by their indices in one dimension.

    Args:
        input_params: a Tensor.
        input_indices: a Tensor of ints, of any shape; negative ones count from the end.
        axis: the dimension.
        batch_dims: how many dimensions in front the two tensors have in common: every batch has its own indices; a
            negative number counts from the number of dimensions of `input_indices`. Default: 0.

    Returns:
        A Tensor of shape `input_params.shape[:axis] + input_indices.shape[batch_dims:] + input_params.shape[axis+1:]`.

    Raises:
        ValueError: `axis`, `batch_dims` or an index is out of range, or the batches differ.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.gather(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([2, 0]), 1))
        [[3 1]
         [6 4]]
    """
    if batch_dims:
        return _gather_batches(input_params, input_indices, axis, batch_dims)
    if input_indices.dim() == 1:
        return _indexed(torch.index_select, input_params, axis, input_indices)
    rows = _indexed(torch.index_select, input_params, axis, input_indices.reshape(-1))
    shape = input_params.shape
    axis %= len(shape)
    return rows.reshape(shape[:axis] + input_indices.shape + shape[axis + 1 :])


def _gather_batches(x: Tensor, index: Tensor, axis: int, batch_dims: int) -> Tensor:
    axis = axis + x.dim() if axis < 0 else axis
    batch_dims = batch_dims + index.dim() if batch_dims < 0 else batch_dims
    if not 0 <= batch_dims <= min(index.dim(), axis, x.dim() - 1) or x.shape[:batch_dims] != index.shape[:batch_dims]:
        raise ValueError(
            "the two tensors must agree in the first 'batch_dims' dimensions, which exclude 'axis', but got "
            f"batch_dims={batch_dims}, axis={axis} and the shapes {tuple(x.shape)}, {tuple(index.shape)}"
        )
    batches = math.prod(x.shape[:batch_dims])
    before, after = x.shape[batch_dims:axis], x.shape[axis + 1 :]
    flat = x.reshape(batches, before.numel(), x.shape[axis], after.numel())
    chosen = index.reshape(batches, 1, -1, 1).expand(-1, flat.shape[1], -1, flat.shape[3])
    return _indexed(torch.gather, flat, 2, chosen.long()).reshape(
        x.shape[:batch_dims] + before + index.shape[batch_dims:] + after
    )


@op(method="gather_elements")
def gather_elements(input: Tensor, dim: int, index: Ints) -> Tensor:
    """Gather elements: `result[i][j] = input[index[i][j]][j]` for `dim` 0, and so on.

    Args:
        input: a Tensor.
        dim: the dimension that is indexed.
        index: a Tensor of ints with the same number of dimensions as `input`, not larger except in `dim`; negative ones
            count from the end.

    Returns:
        A Tensor of the shape of `index`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.gather_elements(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[0, 0], [1, 0]])))
        [[1 1]
         [4 3]]
    """
    return _indexed(torch.gather, input, dim, index.long())


@op
def gather_d(x: Tensor, dim: int, index: Ints) -> Tensor:
    """Gather elements; see `gather_elements`."""
    return gather_elements.body(x, dim, index)


def _gather(self: _Tensor, *args: Any, **named: Any) -> _Tensor:
    """Gather elements, `x.gather(dim, index)`, or slices, `x.gather(input_indices, axis, batch_dims=0)`.

    See `ops.gather_elements` and `ops.gather`.
    """
    if "dim" in named or (args and not isinstance(args[0], _Tensor)):
        return gather_elements(self, *args, **named)
    return gather(self, *args, **named)


attach(named(_gather), "gather")


@op(method="gather_nd")
def gather_nd(input_x: Tensor, indices: Ints) -> Tensor:
    """Gather elements or slices by the indices in the last dimension of a tensor: `result[i] = input_x[indices[i]]`.

    Args:
        input_x: a Tensor.
        indices: a Tensor of ints; the size of its last dimension is at most the number of dimensions of `input_x`.

    Returns:
        A Tensor of shape `indices.shape[:-1] + input_x.shape[indices.shape[-1]:]`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.gather_nd(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[0, 1], [1, 0]])))
        [2 3]
    """
    return input_x[_indices(indices).unbind(-1)]


@op
def index_select(input: Tensor, axis: int, index: Annotated[Ints, Dimensions(1)]) -> Tensor:
    """Select slices of a tensor by their indices in one dimension.

    Args:
        input: a Tensor.
        axis: the dimension.
        index: a Tensor of ints, of one dimension.
    """
    return _indexed(torch.index_select, input, axis, index)


renaming_method("index_select", index_select, dim="axis")


@op
def take(input: Tensor, index: Ints) -> Tensor:
    """Select elements by their indices in the flattened tensor."""
    return input.take(index.long())


@op(name="take")
def _take(
    self: Tensor, indices: Ints, axis: int | None = None, mode: Literal["clip", "wrap", "raise"] = "clip"
) -> Tensor:
    """Select slices by their indices in one dimension, or elements of the flattened tensor.

    Args:
        indices: a Tensor of ints, of any shape.
        axis: the dimension. Default: None, the tensor is flattened.
        mode: the treatment of indices out of range: "clip" clamps them, "wrap" takes them modulo the size, "raise"
            raises ValueError. Default: "clip".
    """
    if axis is None:
        self, axis = self.reshape(-1), 0
    size = self.shape[axis]
    if mode == "wrap":
        indices = indices % size
    elif mode == "clip":
        indices = indices.clamp(-size, size - 1)
    return gather.body(self, indices, axis)


renaming_method("take", renamed(_take, "take"), index="indices")


@op(method="choose")
def _choose(self: Tensor, choices: Any, mode: Any = "clip") -> Tensor:
    """Select each element from the tensor of `choices` at the index in this tensor.

    Args:
        choices: a list or tuple of Tensors or numbers, or a Tensor with the choices along its first dimension.
        mode: the treatment of indices out of range, as for `take`. Default: "clip".

    Floating-point indices are truncated.
    """
    if self.is_complex():
        check_indices(self, "choose")
    if mode not in ("clip", "wrap", "raise"):
        warn_user(
            f"For 'choose', 'mode' is not 'clip', 'wrap' or 'raise' but {mode!r}: 'clip' is used, as in MindSpore."
        )
        mode = "clip"
    if isinstance(choices, _Tensor):
        tensors = list(choices._t.unbind(0))
    else:
        tensors = [c._t if isinstance(c, _Tensor) else torch.tensor(c, device=self.device) for c in choices]
    index, *tensors = torch.broadcast_tensors(self.long(), *tensors)
    count = len(tensors)
    if mode != "raise":
        index = index % count if mode == "wrap" else index.clamp(0, count - 1)
    return torch.stack(tensors).gather(0, index.unsqueeze(0)).squeeze(0)


# Masks and conditions


def check_mask(mask: Tensor, api: str, name: str = "mask") -> None:
    """Raise TypeError unless `mask` holds bools."""
    if mask.dtype is not torch.bool:
        raise TypeError(f"For '{api}', '{name}' must hold bools, but got {mask.dtype}.")


@op(method="masked_select")
def masked_select(input: Tensor, mask: Bools) -> Tensor:
    """Select the elements where a mask is true, as a tensor of one dimension.

    Args:
        input: a Tensor.
        mask: a Tensor of bools; the two are broadcast.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.masked_select(ms.Tensor([1, 2, 3]), ms.Tensor([True, False, True])))
        [1 3]
    """
    return input.masked_select(mask)


@op(method="masked_fill")
def masked_fill(input_x: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """Replace the elements where a mask is true.

    Args:
        input_x: a Tensor.
        mask: a Tensor of bools; the two are broadcast.
        value: a number or a scalar Tensor.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.masked_fill(ms.Tensor([1, 2, 3]), ms.Tensor([True, False, True]), 0))
        [0 2 0]
    """
    return input_x.masked_fill(mask, value.to(input_x.dtype) if isinstance(value, Tensor) else value)


@op(method="nonzero", trait=wrapping)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the indices of the elements that are not zero.

    Args:
        input: a Tensor.
        as_tuple: whether to return a tuple of a Tensor per dimension, else an int64 Tensor with a row per element.
            Default: False.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.nonzero(ms.Tensor([[0, 5], [6, 0]])))
        [[0 1]
         [1 0]]
    """
    return torch.nonzero(input, as_tuple=True) if as_tuple else torch.nonzero(input)


@op(method="argwhere")
def argwhere(input: Tensor) -> Tensor:
    """Return the indices of the elements that are not zero, a row per element; see `nonzero`."""
    return input.argwhere()


@op
def select(condition: Bools, input: Operand, other: Operand) -> Tensor:
    """Select elements of `input` where `condition` is true, else of `other`; all three are broadcast.

    Args:
        condition: a Tensor of bools.
        input, other: Tensors or numbers.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.select(ms.Tensor([True, False]), ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [1 4]
    """
    return torch.where(condition, *aligned(input, other))


@op(name="Tensor.select")
def _select_where(self: Tensor, condition: Bools, y: Operand) -> Tensor:
    return select.body(condition, self, y)


@op(name="Tensor.select")
def _select_slice(self: Tensor, dim: int, index: int) -> Tensor:
    return self.select(dim, index)


def _select(self: _Tensor, *args: Any, **named: Any) -> _Tensor:
    """Select a slice, `x.select(dim, index)`, or elements of two tensors, `x.select(condition, y)`."""
    if "condition" in named or (args and isinstance(args[0], _Tensor)):
        return _select_where(self, *args, **named)
    return _select_slice(self, *args, **named)


attach(named(_select), "select")


_OF_NUMBERS = {int: torch.Tensor.long, float: torch.Tensor.float}  # a cast to the dtype that `where` yields for numbers


@op
def one_hot(indices: Ints, depth: NotNegative, on_value: Operand = 1, off_value: Operand = 0, axis: int = -1) -> Tensor:
    """One-hot encoding of indices.

    Args:
        indices: a Tensor of ints; the vector of one outside [0, `depth`) has no `on_value`.
        depth: the length of the vectors.
        on_value, off_value: the values at the index and elsewhere, numbers or scalar Tensors. Default: 1, 0.
        axis: the position of the new dimension in the result. Default: -1.

    Returns:
        A Tensor in the data type of the values.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.one_hot(ms.Tensor([0, 2]), 3, 1.0, 0.0))
        [[1. 0. 0.]
         [0. 0. 1.]]
    """
    classes = torch.arange(depth, device=indices.device)
    if axis != -1:
        classes = classes.reshape([depth] + [1] * ((indices.dim() - axis) % (indices.dim() + 1)))
    mask = indices.unsqueeze(axis) == classes
    kind = on_value.__class__
    if kind is off_value.__class__ and kind in _OF_NUMBERS and on_value == 1 and off_value == 0:
        return _OF_NUMBERS[kind](mask)  # the result of `where`, but faster
    return torch.where(mask, on_value, off_value)


@op
def sequence_mask(lengths: Ints, maxlen: int | None = None) -> Tensor:
    """Return a mask of the first elements, up to each length.

    Args:
        lengths: a Tensor of ints.
        maxlen: the size of the last dimension of the result. Default: None, the maximum length.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.sequence_mask(ms.Tensor([1, 2])))
        [[ True False]
         [ True  True]]
    """
    length = int(lengths.max()) if maxlen is None else maxlen
    return torch.arange(length, device=lengths.device) < lengths.unsqueeze(-1)


@as_primitive
def EmbeddingLookup(input_params: Tensor, input_indices: Ints, offset: int) -> Tensor:
    """The rows of a table at indices minus `offset`; zeros for rows out of range."""
    rows = input_indices.long() - offset
    is_valid = (rows >= 0) & (rows < input_params.shape[0])
    found = input_params[torch.where(is_valid, rows, 0)]
    return torch.where(is_valid.reshape(*rows.shape, *[1] * (input_params.dim() - 1)), found, torch.zeros_like(found))


Gather = primitive("Gather", gather, batch_dims=0)
GatherV2 = primitive("GatherV2", gather)
SparseGatherV2 = primitive("SparseGatherV2", gather)
GatherD = primitive("GatherD", gather_d)
GatherNd = primitive("GatherNd", gather_nd)
MaskedSelect = primitive("MaskedSelect", masked_select)
MaskedFill = primitive("MaskedFill", masked_fill)
NonZero = primitive("NonZero", nonzero)
Select = primitive("Select", select)
OneHot = primitive("OneHot", one_hot, axis=-1)
rules.cut_by(rules.aligned, MaskedFill, Select)
rules.cut_by(rules.gather, Gather)
rules.cut_by(rules.gather_elements, GatherD)
rules.cut_by(rules.indices_of_elements, GatherNd)
OneHot._shows_output = True
