"""Pooling over windows whose number is not a divisor of the size: drawn at random, or given."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchspore.common.private_torch import nn_kernels
from torchspore.common.random import op_generator
from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.windows import each
from torchspore.ops.pooling.windowed import check_rank
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
    batch = input.shape[0] if input.dim() == count + 2 else 1
    channels = input.shape[-count - 1]
    wide = input if input.is_floating_point() else input.double()  # torch has kernels for floats only
    if samples is None:
        samples = torch.rand((batch, channels, count), dtype=wide.dtype, device=input.device)
    elif tuple(samples.shape) != (batch, channels, count):
        raise ValueError(
            f"For '{api}', the random samples must be of shape {(batch, channels, count)}, but got "
            f"{tuple(samples.shape)}."
        )
    values, places = _FUNCTIONS[count](wide, kernel, sizes, samples.to(wide.dtype))
    return values.to(input.dtype), places


def _ratio_or_size(api: str, count: int, input: Tensor, output_size: Any, output_ratio: Any) -> Any:
    if (output_size is None) == (output_ratio is None):
        raise ValueError(f"For '{api}', give either 'output_size' or 'output_ratio'.")
    if output_ratio is None:
        return output_size
    ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * count
    if len(ratios) != count or not all(0 < ratio < 1 for ratio in ratios):
        raise ValueError(f"For '{api}', 'output_ratio' must be {count} numbers in (0, 1), but got {output_ratio}.")
    return tuple([int(size * ratio) for size, ratio in zip(input.shape[-count:], ratios)])


@op
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    output_size: int | tuple[int, ...] | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The maxima over windows of images that lie at random distances.

    Args:
        input: a Tensor of shape (N, C, H, W) or (C, H, W).
        kernel_size: the size of the window, an int or (height, width).
        output_size: the size of the output, an int or two; either this or `output_ratio`. Default: None.
        output_ratio: the same as a part of the input's, a number in (0, 1) or two. Default: None.
        return_indices: whether to return the places of the maxima too. Default: False.
        _random_samples: the random numbers, in [0, 1), of shape (N, C, 2). Default: None, they are drawn.

    Returns:
        A Tensor of shape (N, C, H', W'); with `return_indices`, that and the places, each an index in its image.

    Raises:
        ValueError: a shape does not fit, a number is out of its range, or not just one of size and ratio is given.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.fractional_max_pool2d(ms.ops.ones((1, 3, 9, 9)), 2, output_ratio=0.6).shape
        (1, 3, 5, 5)
    """
    sizes = _ratio_or_size("fractional_max_pool2d", 2, input, output_size, output_ratio)
    results = _fractional("fractional_max_pool2d", 2, input, kernel_size, sizes, _random_samples)
    return results if return_indices else results[0]


@op
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    output_size: int | tuple[int, ...] | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The same for volumes, shape (N, C, D, H, W) or (C, D, H, W); arguments as for `fractional_max_pool2d`."""
    sizes = _ratio_or_size("fractional_max_pool3d", 3, input, output_size, output_ratio)
    results = _fractional("fractional_max_pool3d", 3, input, kernel_size, sizes, _random_samples)
    return results if return_indices else results[0]


@as_primitive
def FractionalMaxPoolWithFixedKsize(
    input_x: Tensor,
    random_samples: Tensor,
    *,
    ksize: int | tuple[int, ...],
    output_shape: int | tuple[int, ...],
    data_format: str = "NCHW",
) -> Any:
    """The maxima over windows of images at random distances, and their places; see `fractional_max_pool2d`.

    Args:
        input_x: a Tensor of shape (N, C, H, W).
        random_samples: random numbers in [0, 1), of shape (N, C, 2).
        ksize: the size of the window, an int or two.
        output_shape: the size of the output, an int or two.
        data_format: "NCHW", nothing else.

    Returns:
        (maxima, places), each place an index in its image, in int64.
    """
    if data_format != "NCHW":
        raise ValueError(f"For 'FractionalMaxPoolWithFixedKsize', 'data_format' must be 'NCHW', but got {data_format}.")
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
    """The maxima over windows of volumes at random distances, and their places; see `fractional_max_pool3d`.

    Args:
        x: a Tensor of shape (N, C, D, H, W), or (N, D, H, W, C) by `data_format`.
        random_samples: random numbers in [0, 1), of shape (N, C, 3).
        ksize: the size of the window, an int or three.
        output_shape: the size of the output, an int or three.
        data_format: "NCDHW" or "NDHWC". Default: "NCDHW".

    Returns:
        (maxima, places), each place an index in its volume, in int64.
    """
    api = "FractionalMaxPool3DWithFixedKsize"
    if data_format == "NCDHW":
        return _fractional(api, 3, x, ksize, output_shape, random_samples)
    if data_format != "NDHWC":
        raise ValueError(f"For '{api}', 'data_format' must be 'NCDHW' or 'NDHWC', but got {data_format!r}.")
    values, places = _fractional(api, 3, x.movedim(-1, 1), ksize, output_shape, random_samples)
    return values.movedim(1, -1), places.movedim(1, -1)


def _bounds(size: int, count: int, way: str, source: torch.Generator | None, device: torch.device) -> Tensor:
    """Return where `count` cells of nearly equal sizes begin, and the end."""
    least = size // count
    if size % count == 0:
        return torch.arange(0, size + 1, least, device=device)
    if way != "random":
        ratio = size / count
        most = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
        fixed = torch.full((), 0.5, dtype=torch.float64, device=device)
        start = (fixed if way == "fixed" else torch.rand_like(fixed, generator=source)) * most
        inner = torch.ceil(ratio * (torch.arange(1, count, device=device) + start)).long() - 1
        ends = torch.tensor([0, size], device=device)
        return torch.cat((ends[:1], inner, ends[1:]))
    larger = torch.randperm(count, generator=source, device=device) < size % count
    return torch.cat((larger.new_zeros(1, dtype=torch.int64), (least + larger.long()).cumsum(0)))


def _cells(x: Tensor, dim: int, bounds: Tensor, least: int, overlapping: bool) -> tuple[Tensor, Tensor]:
    """Return the elements of the cells of a dimension, in a new one behind it, and which of them are real."""
    offsets = torch.arange(least + 1 + overlapping, device=x.device)
    places = bounds[:-1, None] + offsets
    real = (places < bounds[1:, None] + overlapping) & (places < x.shape[dim])
    taken = x.index_select(dim, places.clamp(max=x.shape[dim] - 1).flatten()).unflatten(dim, tuple(places.shape))
    return taken, real.reshape(*real.shape, *[1] * (x.dim() - dim - 1))


def _pooled(
    api: str,
    x: Tensor,
    pooling_ratio: Any,
    way: str,
    overlapping: bool,
    seeds: tuple[int, int],
    average: bool,
) -> Any:
    ratios = tuple(pooling_ratio)
    if x.dim() != 4 or len(ratios) != 4 or ratios[0] != 1 or ratios[3] != 1 or min(ratios) < 1:
        raise ValueError(
            f"For '{api}', the input must be of shape (N, H, W, C) and 'pooling_ratio' [1.0, rows >= 1, columns >= 1, "
            f"1.0], but got {tuple(x.shape)} and {pooling_ratio}."
        )
    source = op_generator(api, joined(*seeds))
    found, all_bounds = x, []
    weights: Any = None
    for dim in (1, 2):
        count = math.floor(x.shape[dim] / ratios[dim])
        bounds = _bounds(x.shape[dim], count, way, source, x.device)
        all_bounds.append(bounds)
        least = x.shape[dim] // count + (way != "random")
        taken, real = _cells(found, dim, bounds, least, overlapping)
        if average:
            found = (taken * real).sum(dim + 1)
            counts = real.sum(1).reshape(-1, *[1] * (3 - dim))
            found = found / counts if x.is_floating_point() else found
            weights = counts if dim == 1 else weights * counts.reshape(1, 1, -1, 1)
        else:
            lowest = -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
            found = torch.where(real, taken, lowest).amax(dim + 1)
    if average and not x.is_floating_point():
        found = torch.div(found, weights, rounding_mode="trunc")
    return found.to(x.dtype), *all_bounds


def _way(pseudo_random: bool, deterministic: bool) -> str:
    return "fixed" if deterministic else "pseudo" if pseudo_random else "random"


@as_primitive
def FractionalMaxPool(
    x: Tensor,
    *,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
) -> Any:
    """The maxima over cells of nearly equal sizes, drawn at random, of images with the channels last.

    Args:
        x: a Tensor of shape (N, H, W, C).
        pooling_ratio: [1.0, rows, columns, 1.0]: how many times smaller the output is, >= 1.
        pseudo_random: whether the sizes of the cells follow a line from a random start, else they are shuffled.
            Default: False.
        overlapping: whether a cell has the first row and column of the next one too. Default: False.
        deterministic: whether nothing is random: the line has a fixed start. Default: False.
        seed, seed2: the seeds, >= 0; both 0 follow `set_seed`. Default: 0.

    Returns:
        (maxima, rows, columns): the last two tell where the cells begin, and the end, in int64.

    Examples:
        >>> import torchspore as ms
        >>> maxima, rows, columns = ms.ops.FractionalMaxPool([1.0, 1.5, 2.0, 1.0])(ms.ops.ones((1, 6, 8, 3)))
        >>> maxima.shape, rows.shape
        ((1, 4, 4, 3), (5,))
    """
    way = _way(pseudo_random, deterministic)
    return _pooled("FractionalMaxPool", x, pooling_ratio, way, overlapping, (seed, seed2), average=False)


@as_primitive
def FractionalAvgPool(
    x: Tensor,
    *,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
) -> Any:
    """The averages over cells of nearly equal sizes, drawn at random; arguments as for `FractionalMaxPool`.

    Returns:
        (averages, rows, columns): of integers truncated to integers.
    """
    way = _way(pseudo_random, deterministic)
    return _pooled("FractionalAvgPool", x, pooling_ratio, way, overlapping, (seed, seed2), average=True)
