"""Integer functions: common divisors and multiples, bits."""

from __future__ import annotations

import operator

import torch
from torch import Tensor

from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import op, unary
from torchspore.engine.parameters import Ints
from torchspore.engine.primitive import primitive
from torchspore.ops.math.elementwise import binary, of_tensors

__all__ = [
    "Gcd", "Invert", "Lcm", "LeftShift", "PopulationCount", "RightShift", "bitwise_left_shift", "bitwise_right_shift",
    "gcd", "invert", "lcm", "population_count",
]  # fmt: skip

gcd = binary(of_tensors(torch.gcd), "gcd", "The greatest common divisor.", ("gcd",))
lcm = binary(of_tensors(torch.lcm), "lcm", "The least common multiple.", ("lcm",))
bitwise_left_shift = binary(
    operator.lshift, "bitwise_left_shift", "`input * 2**other`, of integers.", ("bitwise_left_shift",)
)
bitwise_right_shift = binary(
    operator.rshift,
    "bitwise_right_shift",
    "`input / 2**other`, of integers, rounded down.",
    ("bitwise_right_shift",),
)
invert = unary(torch.bitwise_not, "Bitwise not: `-1 - input`.", name="invert")
unary(torch.bitwise_not, "Bitwise not; of bools, logical not.", name="bitwise_not")


@op
def population_count(input_x: Ints) -> Tensor:
    """The number of bits that are 1, in two's complement for negative integers, as uint8.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.population_count(ms.Tensor([0, 7, -1], ms.int16)))
        [ 0  3 16]
    """
    bits = torch.iinfo(input_x.dtype).bits
    x = input_x.long() & (2 ** min(bits, 63) - 1)
    # Sums of adjacent bits, pairs and groups of four; then of all bytes, in the highest.
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    count = (x * 0x0101010101010101) >> 56
    return (count + (input_x < 0) if bits == 64 else count).to(torch.uint8)


Gcd = primitive("Gcd", gcd)
Lcm = primitive("Lcm", lcm)
LeftShift = primitive("LeftShift", bitwise_left_shift)
RightShift = primitive("RightShift", bitwise_right_shift)
Invert = primitive("Invert", invert)
PopulationCount = primitive("PopulationCount", population_count)
rules.cut_by(rules.aligned, Gcd)
