"""Convolutions, pooling and resizing in terms of MindSpore's two-dimensional ones and of products."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.open_sizes import is_open
from torchspore.serialization.mindir.operations.expansions import expansion
from torchspore.serialization.mindir.operations.forms import form
from torchspore.serialization.mindir.operations.shapes import edged, padded, strided

aten = torch.ops.aten


@form(aten.convolution.default)
def _convolution(
    b: Builder, x: Value, weight: Value, bias: Value | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> Value:  # fmt: skip
    if x.rank != 4 or transposed or x.dtype not in (torch.float32, torch.float16):
        raise NoForm("it is not a convolution of images")
    result = _convolved(b, x, weight, stride, padding, dilation, groups)
    return result if bias is None else b.call("BiasAdd", result, bias, format="NCHW")


# What expansions call in place of torch's operations, which fix open sizes
torch.library.define(
    "torchspore::convolved",
    "(Tensor x, Tensor weight, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor",
)
torch.library.define("torchspore::pooled", "(Tensor x, int[] kernel, int[] stride, bool largest) -> Tensor")


@torch.library.impl("torchspore::convolved", "CompositeExplicitAutograd")
def _real_convolved(x: torch.Tensor, weight: torch.Tensor, *sizes: Any) -> torch.Tensor:
    return torch.nn.functional.conv2d(x, weight, None, *sizes)


@torch.library.impl("torchspore::pooled", "CompositeExplicitAutograd")
def _real_pooled(x: torch.Tensor, kernel: list[int], stride: list[int], largest: bool) -> torch.Tensor:
    return (torch.nn.functional.max_pool2d if largest else torch.nn.functional.avg_pool2d)(x, kernel, stride)


@torch.library.register_fake("torchspore::convolved")
def _fake_convolved(
    x: torch.Tensor, weight: torch.Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int
) -> torch.Tensor:
    sizes = [size + 2 * pad for size, pad in zip(x.shape[2:], padding)]
    reach = [gap * (size - 1) + 1 for size, gap in zip(weight.shape[2:], dilation)]
    return x.new_empty((x.shape[0], weight.shape[0], *_counts(sizes, reach, stride)))


@torch.library.register_fake("torchspore::pooled")
def _fake_pooled(x: torch.Tensor, kernel: list[int], stride: list[int], largest: bool) -> torch.Tensor:
    return x.new_empty((*x.shape[:2], *_counts(x.shape[2:], kernel, stride)))


def _counts(sizes: Sequence[int], reach: Sequence[int], stride: Sequence[int]) -> list[int]:
    """Return how many windows fit."""
    return [(size - width) // step + 1 for size, width, step in zip(sizes, reach, stride)]


@form(torch.ops.torchspore.convolved.default)
def _convolved(
    b: Builder, x: Value, weight: Value, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    groups: int,
) -> Value:  # fmt: skip
    pads = (padding[0], padding[0], padding[1], padding[1])
    with b.mode:
        example = _fake_convolved(x.example, weight.example, list(stride), list(padding), list(dilation), groups)
    return b.call(
        "Conv2D", x, weight, out_channel=weight.shape[0], kernel_size=tuple(weight.shape[2:]), mode=1, pad_mode="pad",
        pad=pads, pad_list=pads, stride=(1, 1, *stride), dilation=(1, 1, *dilation), group=groups, groups=groups,
        format="NCHW", example=example,
    )  # fmt: skip


@form(torch.ops.torchspore.pooled.default)
def _pooled(b: Builder, x: Value, kernel: Sequence[int], stride: Sequence[int], largest: bool) -> Value:
    if not largest:
        return _mean_of_windows(b, x, list(kernel), list(stride))
    with b.mode:
        example = _fake_pooled(x.example, list(kernel), list(stride), True)
    return b.call(
        "MaxPool", x, kernel_size=(1, 1, *kernel), strides=(1, 1, *stride), pad_mode=2, format="NCHW", example=example
    )


@expansion(aten.convolution.default)
def _other_convolution(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> torch.Tensor:  # fmt: skip
    count = weight.ndim - 2
    stride, padding, dilation, extra = [
        list(each) * (count if len(each) == 1 else 1) for each in (stride, padding, dilation, output_padding)
    ]
    if transposed:
        x = _spread(x, stride)
        reach = [step * (size - 1) - pad for step, size, pad in zip(dilation, weight.shape[2:], padding)]
        x = edged(x, [edge for r, more in zip(reach[::-1], extra[::-1]) for edge in (r, r + more)])
        inner = weight.shape[1]
        weight = weight.reshape((groups, -1, *weight.shape[1:])).transpose(1, 2)
        weight = weight.reshape((groups * inner, -1, *weight.shape[3:])).flip(list(range(2, 2 + count)))
        stride, padding = [1] * count, [0] * count
    if not x.dtype.is_floating_point or x.dtype == torch.float64:
        result = _convolution_of(x.float(), weight.float(), stride, padding, dilation, groups).to(x.dtype)
    else:
        result = _convolution_of(x, weight, stride, padding, dilation, groups)
    return result if bias is None else result + bias.reshape((-1, *[1] * count))


def _convolution_of(
    x: torch.Tensor, weight: torch.Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int
) -> torch.Tensor:
    count = weight.ndim - 2
    if count == 2:
        return torch.ops.torchspore.convolved(x, weight, stride, padding, dilation, groups)
    if count == 1:
        lengths = [[1, stride[0]], [0, padding[0]], [1, dilation[0]]]
        found: torch.Tensor = torch.ops.torchspore.convolved(x.unsqueeze(2), weight.unsqueeze(2), *lengths, groups)
        return found.squeeze(2)
    x = edged(x, [0, 0, 0, 0, padding[0], padding[0]])
    depth = (x.shape[2] - dilation[0] * (weight.shape[2] - 1) - 1) // stride[0] + 1
    parts = []
    for tap in range(weight.shape[2]):
        first = tap * dilation[0]
        layers = x[:, :, first : first + (depth - 1) * stride[0] + 1 : stride[0]].transpose(1, 2)
        images = layers.reshape((-1, *layers.shape[2:]))
        parts.append(
            torch.ops.torchspore.convolved(images, weight[:, :, tap], stride[1:], padding[1:], dilation[1:], groups)
        )
    total = functools.reduce(torch.add, parts)
    return total.reshape((-1, depth, *total.shape[1:])).transpose(1, 2)


def _spread(x: torch.Tensor, stride: Sequence[int]) -> torch.Tensor:
    """Return a tensor with zeros between its elements."""
    for dim, step in enumerate(stride, start=2):
        if step > 1:
            size = x.shape[dim]
            numbers = torch.arange((size - 1) * step + 1)
            places = torch.where(numbers % step == 0, numbers // step, size)
            x = edged(x, [*[0, 0] * (x.ndim - dim - 1), 0, 1]).index_select(dim, places)
    return x


# Pooling


def _sizes(given: Sequence[int], count: int, default: Sequence[int] = ()) -> list[int]:
    given = list(given) or list(default)
    return given * (count if len(given) == 1 else 1)


def _ends(
    sizes: Sequence[int], kernel: list[int], stride: list[int], pad: list[int], dilation: list[int], ceil: bool
) -> list[int]:
    """Return by how much each dimension is padded at its end; less than 0: it is cut."""
    found = []
    for size, window, step, low, gap in zip(sizes, kernel, stride, pad, dilation):
        reach = gap * (window - 1) + 1
        high = low + (step - 1) * ceil  # windows take no rest
        if ceil and reach < step + low:  # the last one may begin behind the elements
            if not isinstance(size, int):
                raise NoForm("whether its last windows count depends on an open size")
            count = -(-(size + 2 * low - reach) // step) + 1
            count -= (count - 1) * step >= size + low
            high = (count - 1) * step + reach - size - low
        found.append(high)
    return found


def _edges(pad: Sequence[int], ends: Sequence[int]) -> list[int]:
    return [edge for low, high in zip(reversed(pad), reversed(ends)) for edge in (low, high)]


def _lowest(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).min if dtype.is_floating_point else torch.iinfo(dtype).min


def _padded_image(
    b: Builder, x: Value, kernel_size: Sequence[int], stride: Sequence[int], padding: Sequence[int], ceil_mode: bool,
    value: float,
) -> tuple[Value, list[int], list[int], list[int]]:  # fmt: skip
    """Return images with the edges that a pool needs, its windows, its steps, and by how much the ends are padded."""
    kernel, pad = _sizes(kernel_size, 2), _sizes(padding, 2)
    steps = _sizes(stride, 2, kernel)
    if x.rank != 4:
        raise NoForm("it does not pool a batch of images")
    ends = _ends(x.shape[2:], kernel, steps, pad, [1, 1], ceil_mode)
    x = padded(b, x, _edges(pad, ends), value) if any(pad) or any(ends) else x
    return x, kernel, steps, ends


@form(aten.max_pool2d.default)
def _max_pool2d(
    b: Builder, x: Value, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,), ceil_mode: bool = False,
) -> Value:  # fmt: skip
    if set(dilation) != {1}:
        raise NoForm("it pools with dilation")
    x, kernel, steps, _ = _padded_image(b, x, kernel_size, stride, padding, ceil_mode, _lowest(x.dtype))
    return _pooled(b, x, kernel, steps, True)


@expansion(aten.max_pool1d.default, aten.max_pool2d.default, aten.max_pool3d.default)
def _max_pool(
    x: torch.Tensor, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,), ceil_mode: bool = False,
) -> torch.Tensor:  # fmt: skip
    count = len(kernel_size)
    kernel, pad, gaps = _sizes(kernel_size, count), _sizes(padding, count), _sizes(dilation, count)
    steps = _sizes(stride, count, kernel)
    ends = _ends(x.shape[-count:], kernel, steps, pad, gaps, ceil_mode)
    x = edged(x, _edges(pad, ends), _lowest(x.dtype))
    if set(gaps) != {1}:
        return functools.reduce(torch.maximum, [part for part, _ in _taps(x, kernel, steps, gaps)])
    return _over_images(x, kernel, steps, True)


def _over_images(x: torch.Tensor, kernel: list[int], steps: list[int], largest: bool) -> torch.Tensor:
    """Pool over the last dimensions by pools over images."""

    def pool(x: torch.Tensor, kernel: list[int], steps: list[int]) -> torch.Tensor:
        return torch.ops.torchspore.pooled(x, kernel, steps, largest)

    count = len(kernel)
    leading = x.shape[:-count]
    if count == 2 and x.ndim == 4:
        return pool(x, kernel, steps)
    if count == 1 and x.ndim == 3:
        return pool(x.unsqueeze(2), [1, *kernel], [1, *steps]).squeeze(2)
    if count == 1:
        found = pool(x.reshape((1, -1, 1, x.shape[-1])), [1, *kernel], [1, *steps])
    elif count == 2:
        found = pool(x.reshape((1, -1, *x.shape[-2:])), kernel, steps)
    else:
        depth = x.shape[-3]
        inner = pool(x.reshape((1, -1, *x.shape[-2:])), kernel[1:], steps[1:])
        sizes = inner.shape[-2:]
        found = pool(inner.reshape((1, -1, depth, math.prod(sizes))), [kernel[0], 1], [steps[0], 1])
        return found.reshape((*leading, found.shape[-2], *sizes))
    return found.reshape((*leading, *found.shape[-count:]))


def _taps(
    x: torch.Tensor, kernel: list[int], steps: list[int], gaps: list[int]
) -> list[tuple[torch.Tensor, tuple[int, ...]]]:
    """Return the elements at each place of the windows, with the place."""
    found = []
    first = x.ndim - len(kernel)
    counts = [(x.shape[first + n] - gaps[n] * (kernel[n] - 1) - 1) // steps[n] + 1 for n in range(len(kernel))]
    for place in itertools.product(*map(range, kernel)):
        part = x
        for n, index in enumerate(place):
            start = index * gaps[n]
            part = aten.slice(part, first + n, start, start + (counts[n] - 1) * steps[n] + 1, steps[n])
        found.append((part, place))
    return found


@expansion(
    aten.max_pool2d_with_indices.default, aten.max_pool3d_with_indices.default, aten.max_pool1d_with_indices.default
)
def _max_pool_with_indices(
    x: torch.Tensor, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,), ceil_mode: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    count = len(kernel_size)
    kernel, pad, gaps = _sizes(kernel_size, count), _sizes(padding, count), _sizes(dilation, count)
    steps = _sizes(stride, count, kernel)
    sizes = x.shape[-count:]
    ends = _edges(pad, _ends(sizes, kernel, steps, pad, gaps, ceil_mode))
    places = torch.arange(math.prod(sizes)).reshape(sizes)
    places = edged(places, ends)
    padded = edged(x, ends, _lowest(x.dtype))
    values = torch.stack([part for part, _ in _taps(padded, kernel, steps, gaps)], -1)
    numbers = torch.stack([part for part, _ in _taps(places, kernel, steps, gaps)], -1)
    found, taken = values.max(-1)
    numbers = numbers.expand(values.shape)
    return found, numbers.gather(-1, taken.unsqueeze(-1)).squeeze(-1)


def _mean_of_windows(b: Builder, x: Value, kernel: list[int], steps: list[int]) -> Value:
    """Return the means of windows: MindSpore 2.10 reads AvgPool's sizes in another form than other versions do."""
    channels = x.shape[1]
    if not isinstance(channels, int):
        raise NoForm("the number of its channels is open")
    weight = b.constant(torch.full((channels, 1, *kernel), 1 / math.prod(kernel), dtype=x.dtype))
    return _convolved(b, x, weight, steps, [0, 0], [1, 1], channels)


@form(aten.avg_pool2d.default)
def _avg_pool2d(
    b: Builder, x: Value, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Value:  # fmt: skip
    first, sizes, pad = x, x.shape[2:], _sizes(padding, 2)
    x, kernel, steps, ends = _padded_image(b, x, kernel_size, stride, padding, ceil_mode, 0)
    mean = _mean_of_windows(b, x, kernel, steps)
    if divisor_override:
        ratio = torch.tensor(divisor_override / math.prod(kernel), dtype=x.dtype)
    elif is_open(sizes) and (ceil_mode or (any(pad) and not count_include_pad)):
        return b.call("RealDiv", mean, _open_shares(b, first, kernel, steps, pad, ends, count_include_pad))
    elif (any(pad) or ceil_mode) and not is_open(sizes):
        ratio = _shares(sizes, kernel, steps, pad, ends, count_include_pad, x.dtype)
    else:
        return mean
    return b.call("RealDiv", mean, b.constant(ratio))


@expansion(aten.avg_pool1d.default, aten.avg_pool2d.default, aten.avg_pool3d.default)
def _avg_pool(
    x: torch.Tensor, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> torch.Tensor:  # fmt: skip
    count = len(kernel_size)
    kernel, pad = _sizes(kernel_size, count), _sizes(padding, count)
    steps, sizes = _sizes(stride, count, kernel), x.shape[-count:]
    ends = _ends(sizes, kernel, steps, pad, [1] * count, ceil_mode)
    mean = _over_images(edged(x, _edges(pad, ends)), kernel, steps, False)
    window = math.prod(kernel)
    if divisor_override:
        return mean * (window / divisor_override)
    if not any(pad) and not ceil_mode:
        return mean
    return mean / _shares(sizes, kernel, steps, pad, ends, count_include_pad, x.dtype)


def _open_shares(
    b: Builder, x: Value, kernel: list[int], steps: list[int], pad: list[int], ends: list[int], count_pad: bool
) -> Value:
    """Return the share of each window that counts in its mean, of images of an open size."""
    taken = b.call("OnesLike", strided(b, x, {0: (0, 1, 1), 1: (0, 1, 1)}))
    within = [[low, min(high, low)] if count_pad else [0, 0] for low, high in zip(pad, ends)]
    rest = [[low - a, high - b] for low, high, (a, b) in zip(pad, ends, within)]
    for pairs, value in ((within, 1), (rest, 0)):
        taken = padded(b, taken, [edge for pair in reversed(pairs) for edge in pair], value)
    return _mean_of_windows(b, taken, kernel, steps)


def _shares(
    sizes: Sequence[int], kernel: list[int], steps: list[int], pad: list[int], ends: list[int], count_pad: bool,
    dtype: torch.dtype,
) -> torch.Tensor:  # fmt: skip
    """Return the share of each window that counts in its mean."""
    ratio = torch.ones((), dtype=dtype)
    for dim, (size, width, step, low, high) in enumerate(zip(sizes, kernel, steps, pad, ends)):
        within = [low, min(high, low)] if count_pad else [0, 0]
        taken = edged(torch.ones(size, dtype=dtype), within, 1)
        taken = edged(taken, [low - within[0], high - within[1]])
        share = taken.unfold(0, width, step).sum(-1) / width
        ratio = ratio.unsqueeze(-1) * share if dim else share
    return ratio


def _bins(size: int, count: int) -> list[tuple[int, int]]:
    return [(number * size // count, -(-(number + 1) * size // count)) for number in range(count)]


@expansion(
    aten.adaptive_avg_pool1d.default, aten.adaptive_avg_pool2d.default, aten.adaptive_avg_pool3d.default,
    aten._adaptive_avg_pool2d.default, aten._adaptive_avg_pool3d.default,
)  # fmt: skip
def _adaptive_avg_pool(x: torch.Tensor, output_size: Sequence[int]) -> torch.Tensor:
    sizes = x.shape[-len(output_size) :]
    if set(output_size) == {1}:
        return x.mean(list(range(x.ndim - len(sizes), x.ndim)), keepdim=True)
    if all(size % wanted == 0 for size, wanted in zip(sizes, output_size)):
        kernel = [size // wanted for size, wanted in zip(sizes, output_size)]
        return _over_images(x, kernel, kernel, False)
    pools = [aten.adaptive_avg_pool1d] * len(sizes)
    return _by_products(x, output_size, [lambda eye, n, pool=pool: pool(eye, [n]) for pool in pools])


def _by_products(x: torch.Tensor, output_size: Sequence[int], along: Sequence[Callable[..., Any]]) -> torch.Tensor:
    """Compute what is linear and separate in the last dimensions by products with constant matrices."""
    first = x.ndim - len(output_size)
    for number, (size, function) in enumerate(zip(output_size, along)):
        dim = first + number
        before = x.shape[dim]
        matrix = function(torch.eye(before, dtype=x.dtype).unsqueeze(0), size).reshape(before, size)
        moved = x.transpose(dim, -1)
        product = (moved.reshape((-1, before)) @ matrix).reshape((*moved.shape[:-1], size))
        x = product.transpose(dim, -1)
    return x


@expansion(aten.adaptive_max_pool2d.default, aten.adaptive_max_pool3d.default, aten.adaptive_max_pool1d.default)
def _adaptive_max_pool(x: torch.Tensor, output_size: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    count = len(output_size)
    sizes = x.shape[-count:]
    places = torch.arange(math.prod(sizes)).reshape(sizes)
    values, numbers = [], []
    for window in itertools.product(*[_bins(size, wanted) for size, wanted in zip(sizes, output_size)]):
        cut, where = x, places
        for number, (start, end) in enumerate(window):
            cut = aten.slice(cut, x.ndim - count + number, start, end)
            where = aten.slice(where, number, start, end)
        found, taken = cut.reshape((*x.shape[:-count], -1)).max(-1)
        values.append(found)
        numbers.append(where.reshape(-1).index_select(0, taken.reshape(-1)).reshape(taken.shape))
    shape = (*x.shape[:-count], *output_size)
    return torch.stack(values, -1).reshape(shape), torch.stack(numbers, -1).reshape(shape)


# Resizing


def _resizing(operation: Any, count: int) -> None:
    def write(x: torch.Tensor, output_size: Any, *given: Any) -> torch.Tensor:
        *options, factors = given
        if output_size is None:
            output_size = [int(size * factor) for size, factor in zip(x.shape[2:], factors)]

        def along(number: int) -> Callable[..., Any]:
            def one(eye: torch.Tensor, size: int) -> torch.Tensor:
                own = [1.0] * count
                if factors is not None:
                    own[number] = factors[number]
                line, wanted = [1] * count, [1] * count
                line[number], wanted[number] = eye.shape[-1], size
                image = eye.reshape((1, eye.shape[-2], *line))
                if factors is None:
                    return operation(image, wanted, *options, None)
                return operation(image, None, *options, own)

            return one

        return _by_products(x, output_size, [along(number) for number in range(count)])

    expansion(operation)(write)


for _operation, _count in (
    (aten.upsample_linear1d.vec, 1), (aten.upsample_bilinear2d.vec, 2), (aten.upsample_trilinear3d.vec, 3),
    (aten.upsample_bicubic2d.vec, 2), (aten._upsample_bilinear2d_aa.vec, 2), (aten._upsample_bicubic2d_aa.vec, 2),
):  # fmt: skip
    _resizing(_operation, _count)
