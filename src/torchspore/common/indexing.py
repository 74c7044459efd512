"""MindSpore's rules for `tensor[index]` and `tensor[index] = value`, over torch tensors.

They are NumPy's rules, also where torch differs: slices may step backwards, and an int next to an index array counts as
one of the arrays when it is decided where their dimensions go. MindSpore adds its own:

- a list that holds anything but numbers and bools (a list, a Tensor, a slice, ...) is a tuple written as a list;
- reading with `False` or an empty list is an error (assigning through them changes nothing);
- the values of an assignment are cast to the dtype of the tensor, and wrap around where they do not fit.
"""

from __future__ import annotations

from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np
import torch

from torchspore.common.error_classes import also
from torchspore.common.private_torch import is_functorch_wrapped_tensor, share_memory

_GET = "Tensor.__getitem__"
_SET = "Tensor.__setitem__"

# Python's `t[...]` reads the value of a 0-d index tensor, which neither a graph nor a GPU likes; these do not.
_index = torch.ops.aten.index.Tensor
_index_put = torch.ops.aten.index_put_.default

_PLAIN = frozenset({int, slice, type(None), EllipsisType, torch.SymInt})  # torch's rules are MindSpore's
_INTS = frozenset({int, torch.SymInt})
_INDEX_DTYPES = frozenset({torch.bool, torch.int64, torch.int32, torch.int16, torch.int8})
_TORCH_INDEX_DTYPES = frozenset({torch.bool, torch.int64, torch.int32})
_NUMBERS = frozenset({int, float, bool})
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
_SCALARS = (int, float, complex, str, bytes, np.generic)
_ARRAYS = (list, tuple, range, np.ndarray)
_TORCH_ERRORS = (IndexError, TypeError, ValueError, OverflowError, RuntimeError)


def get(t: torch.Tensor, index: Any) -> torch.Tensor:
    """Read the part of a tensor that an index names.

    Args:
        t (torch.Tensor): A tensor of any shape and dtype.
        index (Any): An int, bool, slice, None, Ellipsis, Tensor of ints or bools, NumPy array or number, range,
            (nested) list, or a tuple of those. Tensors are recognised by their attribute `_t`.

    Returns:
        torch.Tensor: A view that shares memory with `t` when only ints, forward slices, None and Ellipsis are used,
        else a copy.

    Raises:
        IndexError: An index is out of range, of a type or dtype that cannot index, or there are too many of them.
        TypeError: A float stands in a tuple or list, or a slice bound is not an int.
        ValueError: A mask has another shape than what it selects from, index arrays do not broadcast together, or a
            slice step is 0.

    Examples:
        >>> import torch
        >>> from torchspore.common.indexing import get
        >>> get(torch.arange(6), slice(None, None, -2))
        tensor([5, 3, 1])
    """
    if _is_plain(index):
        try:
            return t[index]
        except _TORCH_ERRORS:
            pass
    elif (key := _native(t, index)) is not None:
        try:
            return t[key]
        except (IndexError, TypeError, ValueError):
            pass
    selection = _select(t, index, _GET, reads=True)
    result = selection.view
    if selection.arrays:
        try:
            if not t.is_cpu:
                _check_range(selection)
            picked = _index(as_signed(result), [None] * selection.lead + selection.arrays)
            result = picked.view(t.dtype) if t.dtype in _SIGNED else picked
        except (IndexError, RuntimeError) as error:
            raise (_reason(selection, error) or error) from None
    return _flipped(result, selection.flips) if selection.flips else result


def put(t: torch.Tensor, index: Any, value: Any) -> None:
    """Write a value, in place, into the part of a tensor that an index names.

    Args:
        t (torch.Tensor): The tensor to write into, of any shape and dtype. A failed assignment leaves it as it was.
        index (Any): As `get` takes it. Where an index names an element several times, the last value is kept.
        value (Any): A number, bool, (nested) list or tuple, NumPy array or Tensor that broadcasts to the part named; it
            is cast to the dtype of `t`. Leading dimensions of size 1 may be more than the part has.

    Raises:
        IndexError: As `get`.
        TypeError: As `get`, or `value` is not made of numbers.
        ValueError: As `get`, or `value` does not broadcast to the part named.

    Examples:
        >>> import torch
        >>> from torchspore.common.indexing import put
        >>> t = torch.zeros(2, 3)
        >>> put(t, (slice(None), [0, 2]), [[1], [2]])
        >>> t
        tensor([[1., 0., 1.],
                [2., 0., 2.]])
    """
    value = getattr(value, "_t", value)
    if type(value) in _NUMBERS or _copies_directly(t, value):
        try:
            if _is_plain(index):
                t[index] = value
                return
            key = _native_array(t, index)
            if isinstance(key, torch.Tensor) and not share_memory(key, t):
                if key.dtype is torch.bool:
                    if _fills(value) and key.shape == t.shape[: key.dim()]:
                        _fill(t, key, value)
                        return
                elif t.is_cpu:
                    key.new_empty(()).expand(t.shape[0])[key]  # torch checks the range while it writes
                t[key] = value
                return
        except _TORCH_ERRORS:
            pass
    selection = _select(t, index, _SET)
    source = _prepare(t, value, selection)
    try:
        if selection.arrays:
            _check_range(selection)
            arrays: list[torch.Tensor | None] = [_without_overlap(array, t) for array in selection.arrays]
            mask, *others = arrays
            if mask is not None and mask.dtype is torch.bool and not others and _fills(source):
                _fill(as_signed(selection.view), mask, as_signed(source), selection.lead)
            else:
                _index_put(as_signed(selection.view), [None] * selection.lead + arrays, as_signed(source))
        elif not selection.view.numel() and t.numel():
            return  # slices name no element, so any value fits, as in MindSpore
        elif 0 in selection.view.stride():
            copy_to_shared(selection.view, source)
        else:
            selection.view.copy_(source)
    except (IndexError, RuntimeError) as error:
        reason = _reason(selection, error, tuple(source.shape)) or error
        try:
            if not isinstance(reason, _EmptyPart):
                raise reason from None
        finally:
            del reason  # which keeps this frame, and its tensors, alive


def _fills(value: Any) -> bool:
    """Return whether a value is a single number."""
    return not isinstance(value, torch.Tensor) or not value.dim()


def _fill(t: torch.Tensor, mask: torch.Tensor, value: Any, lead: int = 0) -> None:
    """Write a number where a mask says; the mask has the dimensions of `t` from `lead` on, or the first of these.

    The kernel that writes by index needs the number of elements, which `vmap` and graphs do not have.
    """
    missing = t.dim() - lead - mask.dim()
    mask = mask.reshape((*mask.shape, *(1,) * missing)) if missing else mask
    if isinstance(value, torch.Tensor) and is_functorch_wrapped_tensor(value):  # vmap has no rule for that kernel
        t.copy_(torch.where(mask, value, t))
    else:
        t.masked_fill_(mask, value)


class _EmptyPart(ValueError):
    """Raised for a value that does not fit a part without elements; MindSpore ignores such a write."""


def as_signed(t: torch.Tensor) -> torch.Tensor:
    """Return a tensor of unsigned integers of more than 8 bits, which torch moves in few kernels, as signed ones."""
    return t.view(_SIGNED[t.dtype]) if t.dtype in _SIGNED else t


def _flipped(t: torch.Tensor, dims: list[int]) -> torch.Tensor:
    return as_signed(t).flip(dims).view(t.dtype) if t.dtype in _SIGNED else t.flip(dims)


class _Selection(NamedTuple):
    """What an index names: a view of the tensor, index arrays to apply to it, dimensions of the result to reverse."""

    api: str
    shape: tuple[int, ...]  # of the tensor indexed
    view: torch.Tensor
    lead: int  # dimensions of the view before the index arrays', which stand together
    arrays: list[torch.Tensor]
    axes: list[int]  # the dimension of the tensor that each index array starts at
    rank: int  # of the result
    flips: list[int]  # dimensions of the result, counted from its end


def _is_plain(index: Any) -> bool:
    kind = type(index)
    if kind is not tuple:
        return kind in _PLAIN
    return _PLAIN.issuperset(map(type, index)) and index.count(Ellipsis) < 2  # torch takes more


def _native(t: torch.Tensor, index: Any) -> Any:
    """Return an index as torch takes it where torch follows the same rules, else None."""
    if type(index) is not tuple:
        return _native_array(t, index)
    key = []
    has_int, groups, in_group, ellipses = False, 0, False, 0
    for item in index:
        kind = type(item)
        if kind in _PLAIN:
            is_joined = kind in _INTS
            has_int |= is_joined
            ellipses += item is Ellipsis
        else:
            item = _native_array(t, item)
            if item is None:
                return None
            is_joined = True
        groups += is_joined and not in_group
        in_group = is_joined
        key.append(item)
    return None if (has_int and groups > 1) or ellipses > 1 else tuple(key)


def _native_array(t: torch.Tensor, item: Any) -> Any:
    if type(item) is list:  # on other devices the range is checked on the host, not by the kernel
        return item if item and t.is_cpu and _INTS.issuperset(map(type, item)) else None
    item = getattr(item, "_t", item)
    if isinstance(item, torch.Tensor) and item.dtype in _TORCH_INDEX_DTYPES and item.dim() and item.is_cpu is t.is_cpu:
        return item
    return None


def _copies_directly(t: torch.Tensor, value: Any) -> bool:
    # torch does not detect copies between overlapping parts of one tensor, and warns about complex to real.
    return isinstance(value, torch.Tensor) and value.dtype is t.dtype and not share_memory(t, value)


def _select(t: torch.Tensor, index: Any, api: str, reads: bool = False) -> _Selection:
    items = _spread(_items(index, t, api, reads), t, api)
    mixes = any(isinstance(item, torch.Tensor) for item in items)
    view = t
    axis = dim = 0  # the next dimension of the tensor, and of the view
    arrays: list[torch.Tensor] = []
    axes: list[int] = []
    places: list[int] = []  # the dimensions of the view that the index arrays select from
    backwards: list[int] = []  # indices among the other dimensions of the view
    groups, in_group = 0, False  # runs of adjacent ints and index arrays
    for item in items:
        is_basic = item is None or isinstance(item, slice)
        groups += not is_basic and not in_group
        in_group = not is_basic
        if item is None:
            view = view.unsqueeze(dim)
            dim += 1
            continue
        if isinstance(item, slice):
            view, is_backwards = _slice(view, dim, item, api)
            if is_backwards:
                backwards.append(dim - len(places))
            dim += 1
        elif isinstance(item, torch.Tensor):
            if _width(item) == 0:  # a bool scalar is a mask for a new dimension of size 1
                view, array = view.unsqueeze(dim), item.reshape(1)
            else:
                array = _checked_mask(item, t, axis, api) if item.dtype is torch.bool else item
            span = max(1, _width(item))
            arrays.append(array)
            axes.append(axis)
            places.extend(range(dim, dim + span))
            dim += span
        else:
            if not -t.shape[axis] <= item < t.shape[axis]:
                raise _out_of_range(api, item, axis, tuple(t.shape))
            view = view.select(dim, item)
        axis += _width(item)
    others = view.dim() - len(places)
    lead = places[0] if places else others
    if mixes and groups > 1:  # if not adjacent, they all move to the front
        lead = 0
        view = view.movedim(places, tuple(range(len(places))))
    array_rank = max((1 if array.dtype is torch.bool else array.dim() for array in arrays), default=0)
    flips = [place - others - (array_rank if place < lead else 0) for place in backwards]
    return _Selection(api, tuple(t.shape), view, lead, arrays, axes, others + array_rank, flips)


def _items(index: Any, t: torch.Tensor, api: str, reads: bool) -> list[Any]:
    """Return the parts of an index: ints, slices, None, Ellipsis and tensors of int64, int32 or bool."""
    index = getattr(index, "_t", index)
    if isinstance(index, list) and not all(isinstance(item, _SCALARS) for item in index):
        index = tuple(index)
    if isinstance(index, tuple):
        return [_item(item, t, api, reads, TypeError) for item in index]
    return [_item(index, t, api, reads, IndexError)]


def _item(item: Any, t: torch.Tensor, api: str, reads: bool, float_error: type[Exception]) -> Any:
    item = getattr(item, "_t", item)
    if item is None or item is Ellipsis or isinstance(item, (slice, torch.SymInt)):
        return item
    if isinstance(item, (bool, np.bool_)):
        if reads and not item:
            raise also(IndexError, ValueError)(
                f"For '{api}', the index False selects nothing. Use x[0:0], or a bool Tensor."
            )
        return torch.tensor(bool(item))
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, torch.Tensor):
        return _index_tensor(item, api)
    if isinstance(item, _ARRAYS):
        return _index_array(item, t, api, reads)
    error = float_error if isinstance(item, (float, np.floating)) else IndexError
    raise error(
        f"For '{api}', an index must be an int, bool, slice, None, Ellipsis, Tensor of ints or bools, NumPy array, "
        f"list, or a tuple of those, but got {item!r} of type '{type(item).__name__}'."
    )


def _index_tensor(item: torch.Tensor, api: str) -> torch.Tensor:
    if item.dtype not in _INDEX_DTYPES:
        raise also(IndexError, ValueError)(
            f"For '{api}', a Tensor index must have dtype bool, int8, int16, int32 or int64, "
            f"but got {str(item.dtype).removeprefix('torch.')} with shape {tuple(item.shape)}. Cast it first."
        )
    return item.long() if item.dtype in (torch.int8, torch.int16) else item


def _index_array(item: Any, t: torch.Tensor, api: str, reads: bool) -> torch.Tensor:
    if isinstance(item, np.ndarray):
        data = item
    else:
        if _holds_tensor(item):
            return _index_tensor(_from_nested(item, t.device), api)
        try:
            data = np.asarray(item)
        except ValueError:
            raise also(IndexError, ValueError)(
                f"For '{api}', an index list must be rectangular, but got {item!r}."
            ) from None
        if data.size == 0:
            if reads:
                raise also(IndexError, ValueError)(
                    f"For '{api}', the index list must not be empty. Use an empty int Tensor instead."
                )
            data = data.astype(np.int64)
    if data.dtype.kind not in "biu":
        error = TypeError if data.dtype.kind == "f" and not isinstance(item, np.ndarray) else IndexError
        raise error(f"For '{api}', an index list or array must hold ints or bools, but got {data.dtype} in {item!r}.")
    return torch.from_numpy(data.astype(np.bool_ if data.dtype.kind == "b" else np.int64))


def _width(item: Any) -> int:
    """Return the number of dimensions of the tensor that an item of an index consumes."""
    if item is None or item is Ellipsis:
        return 0
    return item.dim() if isinstance(item, torch.Tensor) and item.dtype is torch.bool else 1


def _spread(items: list[Any], t: torch.Tensor, api: str) -> list[Any]:
    """Expand the Ellipsis, or the implicit one at the end of an index."""
    used = sum(map(_width, items))
    if used > t.dim():
        raise also(IndexError, ValueError)(
            f"For '{api}', the index has too many items: it takes {used} dimension(s) of the tensor of shape "
            f"{tuple(t.shape)}, which has {t.dim()}. Remove {used - t.dim()} of them."
        )
    at = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(at) > 1:
        raise also(IndexError, ValueError)(
            f"For '{api}', an index may hold one Ellipsis, but got {len(at)}. Write ':' for single dimensions."
        )
    rest = [slice(None)] * (t.dim() - used)
    return items[: at[0]] + rest + items[at[0] + 1 :] if at else items + rest


def _slice(view: torch.Tensor, dim: int, item: slice, api: str) -> tuple[torch.Tensor, bool]:
    """Slice one dimension; a backwards slice returns its elements in ascending order, and True."""
    start, stop, step = (_bound(bound, api) for bound in (item.start, item.stop, item.step))
    if step == 0:
        raise ValueError(f"For '{api}', the step of a slice must not be 0, but got {item}.")
    is_backwards = step is not None and step < 0
    if is_backwards:
        places = range(*slice(start, stop, step).indices(view.shape[dim]))
        start, stop, step = (places[-1], places[0] + 1, -step) if places else (0, 0, 1)
    elif start is None and stop is None and step is None:
        return view, False
    return view[(slice(None),) * dim + (slice(start, stop, step),)], is_backwards


def _bound(bound: Any, api: str) -> Any:
    bound = getattr(bound, "_t", bound)
    if bound is None or isinstance(bound, (int, np.integer, torch.SymInt)):
        return bound
    if isinstance(bound, torch.Tensor) and not bound.dim() and bound.dtype in _INDEX_DTYPES - {torch.bool}:
        return int(bound)
    got = f"{bound!r} of type '{type(bound).__name__}'"
    if isinstance(bound, torch.Tensor):
        got = f"a Tensor of shape {tuple(bound.shape)} and dtype {str(bound.dtype).removeprefix('torch.')}"
    raise TypeError(
        f"For '{api}', the bounds and step of a slice must be ints, None or 0-d int Tensors, but got {got}."
    )


def _checked_mask(mask: torch.Tensor, t: torch.Tensor, axis: int, api: str) -> torch.Tensor:
    covered = t.shape[axis : axis + mask.dim()]
    if mask.shape != covered:
        raise ValueError(
            f"For '{api}', a bool index must have the shape of the dimensions it selects from, {tuple(covered)} at "
            f"dimension {axis} of the tensor of shape {tuple(t.shape)}, but got {tuple(mask.shape)}."
        )
    return mask


def _prepare(t: torch.Tensor, value: Any, selection: _Selection) -> torch.Tensor:
    """Return the value to write, in the dtype, on the device and in the order of what it is written to."""
    source = _from_value(t, value)
    if source.is_complex() and not t.is_complex():
        source = source.real
    source = _without_overlap(source.to(t.device, t.dtype), t)
    while source.dim() > selection.rank and source.shape[0] == 1:
        source = source[0]
    flips = [dim for dim in selection.flips if source.dim() + dim >= 0]
    return _flipped(source, flips) if flips else source


def _from_value(t: torch.Tensor, value: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value
    is_numeric = isinstance(value, (bool, int, float, list, tuple, np.ndarray, np.generic))
    if not is_numeric and not (isinstance(value, complex) and t.is_complex()):
        raise also(TypeError, IndexError)(
            f"For '{_SET}', the value must be a number, bool, list, tuple, NumPy array or Tensor, "
            f"but got {value!r} of type '{type(value).__name__}' for a tensor of dtype {t.dtype}."
        )
    try:
        return _from_nested(value, t.device)
    except TypeError:
        raise also(TypeError, RuntimeError)(
            f"For '{_SET}', the value must hold numbers of at most 64 bits, but got {value!r}."
        ) from None
    except (ValueError, RuntimeError):
        raise ValueError(f"For '{_SET}', the value must be rectangular, but got {value!r}.") from None


def copy_to_shared(view: torch.Tensor, source: torch.Tensor) -> None:
    """Copy to a broadcast view: of the values for the same memory the last one counts, as in MindSpore."""
    source = source.expand(view.shape)
    for dim, (size, stride) in enumerate(zip(view.shape, view.stride())):
        if size > 1 and stride == 0:
            view, source = view.narrow(dim, size - 1, 1), source.narrow(dim, size - 1, 1)
    view.copy_(source)


def _without_overlap(source: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """Return `source`, copied if it shares memory with `t`: torch reads it while it writes."""
    return source.clone() if share_memory(source, t) else source


def _holds_tensor(data: Any) -> bool:
    if isinstance(data, (list, tuple)):
        return any(map(_holds_tensor, data))
    return isinstance(getattr(data, "_t", data), torch.Tensor)


def _from_nested(data: Any, device: torch.device) -> torch.Tensor:
    """Build a tensor from numbers or lists, without cutting the gradient of the Tensors in them."""
    data = getattr(data, "_t", data)
    if isinstance(data, torch.Tensor):
        return data.to(device)
    if isinstance(data, (list, tuple)) and _holds_tensor(data):
        return torch.stack([_from_nested(item, device) for item in data])
    return torch.from_numpy(np.array(data, order="C")).to(device)


def _check_range(selection: _Selection) -> None:
    """Apply the host's int index arrays to a number spread over the same dimensions: torch checks while it writes."""
    start = selection.lead
    sizes, arrays = [], []
    for array in selection.arrays:
        if array.dtype is not torch.bool and array.is_cpu:
            sizes.append(selection.view.shape[start])
            arrays.append(array)
        start += array.dim() if array.dtype is torch.bool else 1
    if arrays:
        _index(arrays[0].new_empty(()).expand(sizes), arrays)


def _out_of_range(api: str, index: Any, axis: int, shape: tuple[int, ...]) -> Exception:
    size = shape[axis]
    accepted = f"Use {-size} to {size - 1}." if size else "It has no elements."
    return also(IndexError, ValueError)(
        f"For '{api}', index {index} is out of range for dimension {axis} of size {size} "
        f"of the tensor of shape {shape}. {accepted}"
    )


def _reason(selection: _Selection, error: Exception, source: tuple[int, ...] | None = None) -> Exception | None:
    """Return the error for an invalid index or shape; None if indices and shapes are valid."""
    if type(error) not in (IndexError, RuntimeError):  # its subclasses are used by tracers
        return None
    api, shape = selection.api, selection.shape
    arrays = [array.nonzero()[:, 0] if array.dtype is torch.bool else array for array in selection.arrays]
    try:
        index_shape = torch.broadcast_shapes(*(array.shape for array in arrays))
    except RuntimeError:
        shapes = ", ".join(str(tuple(array.shape)) for array in arrays)
        kind = _EmptyPart if source is not None and any(0 in array.shape for array in arrays) else ValueError
        return kind(f"For '{api}', the index arrays must broadcast together, but they have the shapes {shapes}.")
    for array, given, axis in zip(arrays, selection.arrays, selection.axes, strict=True):
        if given.dtype is torch.bool:
            continue
        outside = array[(array < -shape[axis]) | (array >= shape[axis])]
        if outside.numel():
            return _out_of_range(api, outside.flatten()[0].item(), axis, shape)
    if source is not None:
        taken = sum(array.dim() if array.dtype is torch.bool else 1 for array in selection.arrays)
        view = tuple(selection.view.shape)
        named = view[: selection.lead] + tuple(index_shape) + view[selection.lead + taken :]
        try:
            broadcast = torch.broadcast_shapes(named, source)
        except RuntimeError:
            broadcast = None
        if broadcast != named:
            kind = _EmptyPart if 0 in named and 0 not in shape else ValueError
            return kind(
                f"For '{api}', the value of shape {source} does not broadcast to the part of shape {named} "
                f"that the index names in the tensor of shape {shape}."
            )
    return None
