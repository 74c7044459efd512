"""What a function for an operator of ONNX says about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Operation", "Table", "of_numbers"]


@dataclass(frozen=True)
class Operation:
    """How an operator is computed.

    Attributes:
        function: takes the inputs, None for absent ones, and the attributes by their names. It returns a tensor, a
            list for a sequence of tensors, or a tuple for several results.
        reads: the positions of the inputs that it takes as numbers: sizes, axes, scales.
        fixed: the positions of the inputs that are never trained, though they may be floating-point numbers.
        statistics: the positions of the inputs that are parameters, but are not trained.
        count: returns the number of elements of the results, given the inputs as the function gets them. Then the
            result on constants is computed once. Default: None, it is computed in each run.
        of_numbers: whether shapes are computed with it: where its inputs and its result are small, it runs on the CPU.
        given: what the function takes beside inputs and attributes: "outputs", how many results are wanted; "device",
            where to make tensors.
        raw: whether small values are passed to the function, and returned by it, as they are.
    """

    function: Callable[..., Any]
    reads: tuple[int, ...] = ()
    fixed: tuple[int, ...] = ()
    statistics: tuple[int, ...] = ()
    count: Callable[..., int] | None = None
    of_numbers: bool = False
    given: tuple[str, ...] = ()
    raw: bool = False


Table = dict[str, "Operation | dict[int, Operation]"]
"""Operations by the names of operators; where versions differ, by the first opset of each."""


def of_numbers(function: Callable[..., Any], count: Callable[..., int], *reads: int, **options: Any) -> Operation:
    """Return an operation that shapes are computed with."""
    return Operation(function, reads, count=count, of_numbers=True, **options)
