"""Random operations that depend on a seed and an offset only, as `torchspore.ops.auto_generate` has them.

Element i of a draw is a hash of seed, offset and i, by the finalizer of SplitMix64. So the same seed and offset return
the same numbers on every device, also in captured graphs, and seeds may be tensors, whose values are not read.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.engine.op import Operand, Size, Type, op
from torchspore.engine.parameters import Dimensions
from torchspore.ops.array.assignment import update

__all__ = [
    "bernoulli_ext", "dropout2d_ext", "dropout_do_mask_ext", "dropout_ext", "dropout_gen_mask_ext", "func_dropout_ext",
    "inplace_bernoulli", "inplace_exponential", "inplace_normal", "inplace_random", "inplace_uniform",
    "multinomial_ext", "normal_float_float", "normal_float_tensor", "normal_tensor_float", "normal_tensor_tensor",
    "rand_ext", "rand_like_ext", "randint", "randint_like", "randn", "randn_like", "randperm_ext", "uniform_ext",
]  # fmt: skip

_DIGITS = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}


def _signed(number: int) -> int:
    """Return the int64 with the bits of a uint64."""
    return (number + 2**63) % 2**64 - 2**63


_STEP, _FIRST, _SECOND = map(_signed, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def _shifted(bits: Tensor, count: int) -> Tensor:
    """Shift to the right; zeros move in, also for negative numbers."""
    return (bits >> count) & (2 ** (64 - count) - 1)


def _mixed(bits: Tensor) -> Tensor:
    bits = (bits ^ _shifted(bits, 30)) * _FIRST
    bits = (bits ^ _shifted(bits, 27)) * _SECOND
    return bits ^ _shifted(bits, 31)


def _number(value: Any, device: torch.device) -> Tensor:
    """Return a seed or offset, an int or a Tensor with one, as an int64 tensor of shape (1,)."""
    if hasattr(value, "_t") and value._t.numel() == 1:
        return value._t.to(device, torch.int64).reshape(1)
    return torch.full((1,), _signed(operator.index(value)), dtype=torch.int64, device=device)


def _bits(shape: Any, seed: Any, offset: Any, device: torch.device) -> Tensor:
    """Return uniformly distributed int64 numbers."""
    key = _mixed(_mixed(_number(seed, device) + _STEP) + _number(offset, device) * _STEP)
    return _mixed(key + _mixed(torch.arange(math.prod(shape), device=device))).view(shape)


def _fractions(bits: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the uppermost bits that the type represents exactly as numbers in [0, 1)."""
    if dtype not in _DIGITS:
        raise TypeError(f"random numbers are of a floating-point type, not of {dtype}")
    return _shifted(bits, 64 - _DIGITS[dtype]).to(dtype) * 2.0 ** -_DIGITS[dtype]


def uniform(shape: Any, seed: Any, offset: Any, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
    """Return uniform numbers in [0, 1)."""
    return _fractions(_bits(shape, seed, offset, device), dtype or torch.float32)


def _normal(shape: Any, seed: Any, offset: Any, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
    """Return numbers of the standard normal distribution, by the Box-Muller transform."""
    wide = torch.float64 if dtype is torch.float64 else torch.float32
    bits = _bits(shape, seed, offset, device)
    first, second = _fractions(bits, wide), _fractions(_mixed(bits + _STEP), wide)
    return ((-2 * (1 - first).log()).sqrt() * (2 * math.pi * second).cos()).to(dtype or torch.float32)


def _integers(shape: Any, low: int, high: int, seed: Any, offset: Any, device: torch.device) -> Tensor:
    """Return uniform ints in [low, high)."""
    if not 1 <= high - low <= 2**63:
        raise ValueError(f"there must be 1 to 2**63 ints from the lower limit to below the upper one: {low}, {high}")
    drawn = _shifted(_bits(shape, seed, offset, device), 1)
    return low + (drawn if high - low == 2**63 else drawn % (high - low))


def _device(given: str | None, api: str, default: torch.device | None = None) -> torch.device:
    """Return the device of a name, "CPU", "GPU" or "Ascend"."""
    if given is None:
        return default or devices.current()
    return devices.choose(given, None, api)


@op(name="RandExt")
def rand_ext(shape: Size, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None) -> Tensor:
    """Uniform numbers from 0 to 1."""
    return uniform(shape, seed, offset, _device(device, "RandExt"), dtype)


@op(name="Randn")
def randn(shape: Size, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None) -> Tensor:
    """Numbers of the standard normal distribution."""
    return _normal(shape, seed, offset, _device(device, "Randn"), dtype)


@op(name="RandInt")
def randint(
    low: int, high: int, shape: Size, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None
) -> Tensor:
    """Uniform ints in [low, high)."""
    return _integers(shape, low, high, seed, offset, _device(device, "RandInt")).to(dtype or torch.int64)


@op(name="RandIntLike")
def randint_like(
    input: Tensor, low: int, high: int, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None
) -> Tensor:
    """Uniform ints in [low, high), in the shape of a tensor."""
    target = _device(device, "RandIntLike", input.device)
    return _integers(input.shape, low, high, seed, offset, target).to(dtype or input.dtype)


@op(name="RandpermExt")
def randperm_ext(n: int, seed: Any, offset: Any, dtype: Type | None = None) -> Tensor:
    """The ints below `n` in random order."""
    return _bits((n,), seed, offset, devices.current()).argsort().to(dtype or torch.int64)


def _like(draw: Callable[..., Tensor], name: str) -> Any:
    @op(name=name)
    def like(input: Tensor, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None) -> Tensor:
        return draw(input.shape, seed, offset, _device(device, name, input.device), dtype or input.dtype)

    return like


rand_like_ext, randn_like = _like(uniform, "RandLikeExt"), _like(_normal, "RandnLike")


@op(name="UniformExt")
def uniform_ext(tensor: Tensor, a: Operand, b: Operand, seed: Any, offset: Any) -> Tensor:
    """Uniform numbers from `a` to `b`, in the shape of a tensor."""
    return (a + (b - a) * uniform(tensor.shape, seed, offset, tensor.device, tensor.dtype)).to(tensor.dtype)


@op(name="NormalFloatFloat")
def normal_float_float(mean: float, std: float, size: Size, seed: Any, offset: Any) -> Tensor:
    """Numbers of a normal distribution."""
    return _spread(mean, std, size, seed, offset, devices.current(), torch.float32)


@op(name="NormalFloatTensor")
def normal_float_tensor(mean: float, std: Tensor, seed: Any, offset: Any) -> Tensor:
    """Numbers of normal distributions with the deviations `std`."""
    return _spread(mean, std, std.shape, seed, offset, std.device, std.dtype)


@op(name="NormalTensorFloat")
def normal_tensor_float(mean: Tensor, std: float, seed: Any, offset: Any) -> Tensor:
    """Numbers of normal distributions with the means `mean`."""
    return _spread(mean, std, mean.shape, seed, offset, mean.device, mean.dtype)


@op(name="NormalTensorTensor")
def normal_tensor_tensor(mean: Tensor, std: Tensor, seed: Any, offset: Any) -> Tensor:
    """Numbers of normal distributions with means and deviations of two tensors."""
    shape = torch.broadcast_shapes(mean.shape, std.shape)
    return _spread(mean, std, shape, seed, offset, mean.device, mean.dtype)


def _spread(
    mean: Any, std: Any, shape: Any, seed: Any, offset: Any, device: torch.device, dtype: torch.dtype
) -> Tensor:
    if not isinstance(std, Tensor) and std < 0:
        raise ValueError(f"'std' must be >= 0, but got {std}")
    return (mean + std * _normal(shape, seed, offset, device, dtype)).to(dtype).detach()


@op(name="BernoulliExt")
def bernoulli_ext(input: Tensor, seed: Any, offset: Any) -> Tensor:
    """1 with the probabilities of a tensor, else 0."""
    return (uniform(input.shape, seed, offset, input.device) < input).to(input.dtype)


@op(name="MultinomialExt")
def multinomial_ext(input: Tensor, num_samples: int, replacement: bool, seed: Any, offset: Any) -> Tensor:
    """Draw indices in proportion to the weights along the last dimension.

    Args:
        input: the weights, >= 0, a floating-point Tensor with 1 or 2 dimensions.
        num_samples: the number of indices to draw, >= 1; without replacement at most the number of weights.
        replacement: whether an index may be drawn again.
        seed, offset: the source of the random numbers, ints or Tensors of one.
    """
    if num_samples < 1 or (not replacement and num_samples > input.shape[-1]):
        raise ValueError(f"'num_samples' must be >= 1, and at most {input.shape[-1]}, but got {num_samples}")
    if replacement:
        ends = input.cumsum(-1)
        drawn = uniform((*input.shape[:-1], num_samples), seed, offset, input.device, input.dtype) * ends[..., -1:]
        return torch.searchsorted(ends, drawn, right=True).clamp(max=input.shape[-1] - 1)
    times = _waits(input.shape, seed, offset, input.device) / input
    return times.topk(num_samples, -1, largest=False, sorted=True).indices


def _waits(shape: Any, seed: Any, offset: Any, device: torch.device) -> Tensor:
    """Return numbers > 0 of the exponential distribution of rate 1."""
    return (-(1 - uniform(shape, seed, offset, device)).log()).clamp(min=torch.finfo(torch.float32).tiny)


# Dropout


def _packed(bits: Tensor) -> Tensor:
    """Pack 8 bits into each byte, the lowest first."""
    return (bits.view(-1, 8) * (1 << torch.arange(8, device=bits.device))).sum(1).to(torch.uint8)


def _kept(count: int, p: float, seed: Any, offset: Any, device: torch.device) -> Tensor:
    """Return the mask of the elements to keep; its length is rounded up to a multiple of 128."""
    if not 0 <= p <= 1:
        raise ValueError(f"'p' must be in [0, 1], but got {p}")
    return uniform(((count + 127) // 128 * 128,), seed, offset, device) >= p


def _dropped(input: Tensor, kept: Tensor, p: float, shape: Any) -> Tensor:
    return input * kept[: math.prod(shape)].view(shape) * (1 / (1 - p) if p < 1 else 0)


@op(name="DropoutExt")
def dropout_ext(input: Tensor, p: float, seed: Any, offset: Any) -> tuple[Tensor, Tensor]:
    """Zero elements with probability `p`, and scale the others; also return the bits of the mask.

    Args:
        input: a floating-point Tensor.
        p: the probability, in [0, 1].
        seed, offset: the source of the random numbers, ints or Tensors of one.

    Returns a Tensor of the shape of `input`, and the bits as `DropoutGenMaskExt` returns them.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.ones(1000)
        >>> dropped, mask = ms.ops.auto_generate.DropoutExt()(x, 0.5, 1, 2)
        >>> again = ms.ops.auto_generate.DropoutDoMaskExt()(x, mask, 0.5)
        >>> bool((dropped == again).all()), 400 < int((dropped == 2).sum()) < 600
        (True, True)
    """
    kept = _kept(input.numel(), p, seed, offset, input.device)
    return _dropped(input, kept, p, input.shape), _packed(kept)


@op(name="DropoutGenMaskExt")
def dropout_gen_mask_ext(shape: Size, p: float, seed: Any, offset: Any, dtype: Type) -> Tensor:
    """Draw the mask of a dropout, for `DropoutDoMaskExt`.

    Args:
        shape: the shape of the tensor to mask.
        p, seed, offset: as for `DropoutExt`.
        dtype: the data type of the tensor to mask. It does not change the bits.

    Returns a Tensor of uint8 with 1 dimension: the bits, the lowest of a byte first, up to a multiple of 128.
    """
    return _packed(_kept(math.prod(shape), p, seed, offset, devices.current()))


@op(name="DropoutDoMaskExt")
def dropout_do_mask_ext(input: Tensor, mask: Tensor, p: float) -> Tensor:
    """Zero elements where the bits of `DropoutGenMaskExt` are 0, and divide the others by 1 - p.

    Args:
        input: a floating-point Tensor.
        mask: the bits, a Tensor of uint8.
        p: the probability of a 0 bit, in [0, 1].

    Raises ValueError if the mask has too few bits or another data type, or `p` is out of its range.
    """
    if mask.dtype is not torch.uint8 or 8 * mask.numel() < input.numel() or not 0 <= p <= 1:
        raise ValueError(f"'mask' must have a bit of uint8 for each element, and 'p' must be in [0, 1], but got {p}")
    bits = (mask.reshape(-1, 1) >> torch.arange(8, device=mask.device, dtype=torch.uint8)) & 1
    return _dropped(input, bits.view(-1), p, input.shape)


@op(name="FuncDropoutExt")
def _dropout_of_elements(input: Tensor, p: float, seed: Any, offset: Any) -> Tensor:
    return _dropped(input, _kept(input.numel(), p, seed, offset, input.device), p, input.shape)


@op(name="Dropout2dExt")
def _dropout_of_channels(input: Annotated[Tensor, Dimensions(2, math.inf)], p: float, seed: Any, offset: Any) -> Tensor:
    shape = (*input.shape[:2], *[1] * (input.dim() - 2))
    return _dropped(input, _kept(math.prod(shape), p, seed, offset, input.device), p, shape)


def _apply(draw: Callable[..., Any], input: Any, p: float, training: Any, inplace: Any, *source: Any) -> Any:
    if not training:
        return input
    result = draw(input, p, *source)
    return update(input, "copy_", result) if inplace else result


def func_dropout_ext(input: Any, p: float, training: bool, inplace: bool, seed: Any, offset: Any) -> Any:
    """Zero elements with probability `p`, and scale the others.

    Args:
        input, p, seed, offset: as for `DropoutExt`.
        training: whether to apply the dropout; False returns the input.
        inplace: whether to write the result into the input and return that.
    """
    return _apply(_dropout_of_elements, input, p, training, inplace, seed, offset)


def dropout2d_ext(input: Any, p: float, training: bool, inplace: bool, seed: Any, offset: Any) -> Any:
    """`func_dropout_ext` of whole channels, the slices along the first two dimensions."""
    return _apply(_dropout_of_channels, input, p, training, inplace, seed, offset)


# In-place operations


def _in_place(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Make an operation write its result into its first argument and return that."""

    @functools.wraps(draw)
    def write(input: Any, *args: Any, **kwargs: Any) -> Any:
        return update(input, "copy_", draw(input, *args, **kwargs))

    return write


@_in_place
@op(name="InplaceUniform")
def inplace_uniform(input: Tensor, from_: Operand, to: Operand, seed: Any, offset: Any) -> Tensor:
    """Replace the elements by uniform numbers from `from_` to `to`."""
    return from_ + (to - from_) * uniform(input.shape, seed, offset, input.device, input.dtype)


@_in_place
@op(name="InplaceNormal")
def inplace_normal(input: Tensor, mean: Operand, std: Operand, seed: Any, offset: Any) -> Tensor:
    """Replace the elements by numbers of a normal distribution."""
    return _spread(mean, std, input.shape, seed, offset, input.device, input.dtype)


@_in_place
@op(name="InplaceBernoulli")
def inplace_bernoulli(input: Tensor, p: Operand, seed: Any, offset: Any) -> Tensor:
    """Replace the elements by 1 with probability `p`, a number or a tensor that broadcasts, else by 0."""
    if not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise ValueError(f"'p' must be in [0, 1], but got {p}")
    return uniform(input.shape, seed, offset, input.device) < p


@_in_place
@op(name="InplaceExponential")
def inplace_exponential(input: Tensor, lambd: Operand, seed: Any, offset: Any) -> Tensor:
    """Replace the elements by numbers of the exponential distribution of rate `lambd`."""
    if not isinstance(lambd, Tensor) and lambd <= 0:
        raise ValueError(f"'lambd' must be > 0, but got {lambd}")
    return _waits(input.shape, seed, offset, input.device) / lambd


@_in_place
@op(name="InplaceRandom")
def inplace_random(input: Tensor, from_: int = 0, to: int | None = None, seed: Any = 0, offset: Any = 0) -> Tensor:
    """Replace the elements by uniform ints in [from_, to), by default up to the largest range without gaps."""
    return _integers(input.shape, from_, _end(input.dtype) if to is None else to, seed, offset, input.device)


def _end(dtype: torch.dtype) -> int:
    if dtype in _DIGITS:
        return 2 ** _DIGITS[dtype] + 1
    return 2 if dtype is torch.bool else int(torch.iinfo(dtype).max) + 1
