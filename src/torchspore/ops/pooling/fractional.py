"""Pooling over windows whose number does not divide the size of the input: drawn at random, or given."""

from __future__ import annotations

import math
from typing import Any, Literal

import torch
from torch import Tensor

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.private_torch import nn_kernels
from torchspore.common.random import op_generator
from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive
from torchspore.ops.array.overloads import documented
from torchspore.ops.conv.windows import each
from torchspore.ops.pooling.windowed import check_rank, lowest_value
from torchspore.ops.random.distributions import joined

__all__ = [
    "FractionalAvgPool", "FractionalMaxPool", "FractionalMaxPool3DWithFixedKsize", "FractionalMaxPoolWithFixedKsize",
    "fractional_max_pool2d", "fractional_max_pool3d",
]  # fmt: skip

_FUNCTIONS: dict[int, Any] = {2: nn_kernels.fractional_max_pool2d, 3: nn_kernels.fractional_max_pool3d}


def _fractional(api: str, count: int, input: Tensor, kernel_size: Any, sizes: Any, samples: Tensor | None) -> Any:
    check_rank(input, count)
    kernel, sizes = each(kernel_size, count, "kernel_size", api), each(sizes, count, "output_size", api)
    beyond = 1 if count == 2 else 0
    if any(k + n > size + beyond for k, n, size in zip(kernel, sizes, input.shape[-count:])):
        raise ValueError(
            f"For '{api}', the windows, {kernel}, are too large for an output of {sizes} and an input of "
            f"{tuple(input.shape[-count:])}."
        )
    expected = (input.shape[0] if input.dim() == count + 2 else 1, input.shape[-count - 1], count)
    wide = input if input.is_floating_point() else input.double()  # torch has kernels for floats only
    if samples is None:
        samples = torch.rand(expected, dtype=wide.dtype, device=input.device)
    elif tuple(samples.shape) != expected:
        raise ValueError(
            f"For '{api}', the random samples must be of shape {expected}, but got {tuple(samples.shape)}."
        )
    values, indices = _FUNCTIONS[count](wide, kernel, sizes, samples.to(wide.dtype))
    return values.to(input.dtype), indices


def _ratio_or_size(api: str, count: int, input: Tensor, output_size: Any, output_ratio: Any) -> Any:
    if output_size is None and output_ratio is None:
        raise ValueError(f"For '{api}', give either 'output_size' or 'output_ratio'.")
    if output_size is not None:
        if output_ratio is not None:
            warn_user(f"For '{api}', 'output_ratio' has no effect, as 'output_size' is given.")
        return output_size
    ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * count
    if len(ratios) != count or not all(0 < ratio < 1 for ratio in ratios):
        raise ValueError(f"For '{api}', 'output_ratio' must be {count} numbers in (0, 1), but got {output_ratio}.")
    return tuple([int(size * ratio) for size, ratio in zip(input.shape[-count:], ratios)])


def _fractional_max_pool(count: int, doc: str | None = None) -> Any:
    name = f"fractional_max_pool{count}d"

    def body(
        input: Tensor,
        kernel_size: int | tuple[int, ...],
        output_size: int | tuple[int, ...] | None = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        """Max pooling of images over windows at random distances.

        Args:
            input: a Tensor of shape (N, C, H, W) or (C, H, W).
            kernel_size: the size of the window, an int or (height, width).
            output_size: the size of the output, an int or two; either this or `output_ratio`. Default: None.
            output_ratio: the size of the output relative to the input, a number in (0, 1) or two. Default: None.
            return_indices: whether to return the indices of the maxima, too. Default: False.
            _random_samples: the random numbers, in [0, 1), of shape (N, C, 2). Default: None, they are drawn.

        Returns:
            A Tensor of shape (N, C, H', W'); with `return_indices`, a tuple of it and each maximum's index in its
            image.

        Raises:
            ValueError: both or neither of `output_size` and `output_ratio` are given.

        Examples:
            >>> import torchspore as ms
            >>> ms.ops.fractional_max_pool2d(ms.ops.ones((1, 3, 9, 9)), 2, output_ratio=0.6).shape
            (1, 3, 5, 5)
        """
        sizes = _ratio_or_size(name, count, input, output_size, output_ratio)
        results = _fractional(name, count, input, kernel_size, sizes, _random_samples)
        return results if return_indices else results[0]

    return op(documented(body, name, doc))


fractional_max_pool2d = _fractional_max_pool(2)
fractional_max_pool3d = _fractional_max_pool(
    3, "`fractional_max_pool2d` for volumes, shape (N, C, D, H, W) or (C, D, H, W)."
)


@as_primitive
def FractionalMaxPoolWithFixedKsize(
    input_x: Tensor,
    random_samples: Tensor,
    *,
    ksize: int | tuple[int, ...],
    output_shape: int | tuple[int, ...],
    data_format: Literal["NCHW"] = "NCHW",
) -> Any:
    """`fractional_max_pool2d` with given random numbers; returns maxima and int64 indices.

    Args:
        input_x: a Tensor of shape (N, C, H, W).
        random_samples: random numbers in [0, 1), of shape (N, C, 2).
        ksize, output_shape: its `kernel_size` and `output_size`.
        data_format: must be "NCHW".
    """
    return _fractional("FractionalMaxPoolWithFixedKsize", 2, input_x, ksize, output_shape, random_samples)


@as_primitive
def FractionalMaxPool3DWithFixedKsize(
    x: Tensor,
    random_samples: Tensor,
    *,
    ksize: int | tuple[int, ...],
    output_shape: int | tuple[int, ...],
    data_format: str = "NCDHW",
) -> Any:
    """`FractionalMaxPoolWithFixedKsize` for volumes, in `data_format` "NCDHW" or "NDHWC"."""
    api = "FractionalMaxPool3DWithFixedKsize"
    if data_format == "NCDHW":
        return _fractional(api, 3, x, ksize, output_shape, random_samples)
    if data_format != "NDHWC":
        raise ValueError("'data_format' must be 'NCDHW' or 'NDHWC'")
    values, indices = _fractional(api, 3, x.movedim(-1, 1), ksize, output_shape, random_samples)
    return values.movedim(1, -1), indices.movedim(1, -1)


def _boundaries(size: int, count: int, mode: str, generator: torch.Generator | None, device: torch.device) -> Tensor:
    """Return where `count` cells of nearly equal sizes begin, and the end of the last."""
    smallest = size // count
    if size % count == 0:
        return torch.arange(0, size + 1, smallest, device=device)
    if mode != "random":
        ratio = size / count
        limit = min((smallest + 2) / ratio - 1, (size + 1 - smallest) / ratio - (count - 1))
        fixed = torch.full((), 0.5, dtype=torch.float64, device=device)
        start = (fixed if mode == "fixed" else torch.rand_like(fixed, generator=generator)) * limit
        inner = torch.ceil(ratio * (torch.arange(1, count, device=device) + start)).long() - 1
        ends = torch.tensor([0, size], device=device)
        return torch.cat((ends[:1], inner, ends[1:]))
    larger = torch.randperm(count, generator=generator, device=device) < size % count
    return torch.cat((larger.new_zeros(1, dtype=torch.int64), (smallest + larger.long()).cumsum(0)))


def _cells(x: Tensor, dim: int, boundaries: Tensor, length: int, overlapping: bool) -> tuple[Tensor, Tensor]:
    """Return the elements of the cells in a new dimension after `dim`, and a mask of those that belong to the cell."""
    positions = boundaries[:-1, None] + torch.arange(length + 1 + overlapping, device=x.device)
    mask = (positions < boundaries[1:, None] + overlapping) & (positions < x.shape[dim])
    elements = x.index_select(dim, positions.clamp(max=x.shape[dim] - 1).flatten())
    return elements.unflatten(dim, tuple(positions.shape)), mask.reshape(*mask.shape, *[1] * (x.dim() - dim - 1))


def _pooled(api: str, averages: bool, x: Tensor, pooling_ratio: Any, mode: str, overlapping: bool, *seeds: int) -> Any:
    ratios = tuple(pooling_ratio)
    if x.dim() != 4 or len(ratios) != 4 or ratios[0] != 1 or ratios[3] != 1 or min(ratios) < 1:
        raise ValueError(
            f"For '{api}', the input must be of shape (N, H, W, C) and 'pooling_ratio' [1.0, rows >= 1, columns >= 1, "
            f"1.0], but got {tuple(x.shape)} and {pooling_ratio}."
        )
    generator = op_generator(api, joined(*seeds))
    result, all_boundaries = x, []
    weights: Any = None
    for dim in (1, 2):
        count = math.floor(x.shape[dim] / ratios[dim])
        boundaries = _boundaries(x.shape[dim], count, mode, generator, x.device)
        all_boundaries.append(boundaries)
        length = x.shape[dim] // count + (mode != "random")
        elements, mask = _cells(result, dim, boundaries, length, overlapping)
        if averages:
            result = (elements * mask).sum(dim + 1)
            counts = mask.sum(1).reshape(-1, *[1] * (3 - dim))
            result = result / counts if x.is_floating_point() else result
            weights = counts if dim == 1 else weights * counts.reshape(1, 1, -1, 1)
        else:
            result = torch.where(mask, elements, lowest_value(x)).amax(dim + 1)
    if averages and not x.is_floating_point():
        result = torch.div(result, weights, rounding_mode="trunc")
    return result.to(x.dtype), *all_boundaries


def _cell_pool(name: str, averages: bool, doc: str | None = None) -> Any:
    def body(
        x: Tensor,
        *,
        pooling_ratio: Any,
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
    ) -> Any:
        """Max pooling of images, channels last, over randomly drawn cells of nearly equal sizes.

        Args:
            x: a Tensor of shape (N, H, W, C).
            pooling_ratio: [1.0, rows, columns, 1.0]: the size of the input relative to the output, >= 1.
            pseudo_random: whether the sizes of the cells follow a line from a random start, else they are shuffled.
                Default: False.
            overlapping: whether a cell has the first row and column of the next one too. Default: False.
            deterministic: whether nothing is random: the line has a fixed start. Default: False.
            seed, seed2: the seeds, >= 0; both 0 follow `set_seed`. Default: 0.

        Returns:
            (maxima, rows, columns): the last two hold the first index of each cell, and the end, in int64.

        Examples:
            >>> import torchspore as ms
            >>> maxima, rows, columns = ms.ops.FractionalMaxPool([1.0, 1.5, 2.0, 1.0])(ms.ops.ones((1, 6, 8, 3)))
            >>> maxima.shape, rows.shape
            ((1, 4, 4, 3), (5,))
        """
        mode = "fixed" if deterministic else "pseudo" if pseudo_random else "random"
        return _pooled(name, averages, x, pooling_ratio, mode, overlapping, seed, seed2)

    return as_primitive(documented(body, name, doc))


FractionalMaxPool = _cell_pool("FractionalMaxPool", False)
FractionalAvgPool = _cell_pool(
    "FractionalAvgPool", True, "`FractionalMaxPool` with averages; averages of integers are truncated to integers."
)
