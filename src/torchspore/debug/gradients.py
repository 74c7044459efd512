"""`check_gradients`: gradients compared with central differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.private_torch import DispatchMode, tree_leaves
from torchspore.common.scopes import thread_values
from torchspore.common.showing.markup import page, table, text
from torchspore.common.tensor import wrap
from torchspore.debug.trial import cells_of, parameters_of, tensors_of, try_out, undone
from torchspore.engine.gradients.differentiate import compute_gradients
from torchspore.engine.parameters import NotNegativeFloat, Positive, PositiveFloat, checked
from torchspore.engine.values.nested import filled, tensors

__all__ = ["GradientReport", "GradientRow", "check_gradients"]

_API = "check_gradients"
_HEAD = ("", "shape", "checked", "worst at", "gradient", "difference quotient", "tolerance", "")


@dataclass(frozen=True)
class GradientRow:
    """The gradient of one input or parameter.

    Attributes:
        name: "input 0", or the name of a parameter.
        shape: its shape.
        checked: the number of elements that were compared.
        index: the element that differs most relative to its tolerance, None if there are no elements.
        gradient: its gradient; of complex elements, the real or imaginary part that differs more.
        expected: its difference quotient.
        tolerance: the difference that rounding and the step explain.
        equal: whether no element differs by more.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> row = debug.check_gradients(lambda x: x * x, ms.Tensor([1.0, 2.0])).rows[0]
        >>> row.name, row.shape, row.checked, row.equal
        ('input 0', (2,), 2, True)
    """

    name: str
    shape: tuple[int, ...]
    checked: int
    index: tuple[int, ...] | None = None
    gradient: float = math.nan
    expected: float = math.nan
    tolerance: float = math.nan
    equal: bool = True


@dataclass(frozen=True, repr=False)
class GradientReport:
    """The result of `check_gradients`, true if all gradients agree. It prints as a table.

    Attributes:
        rows: a `GradientRow` for each input and parameter.
        dtype: the data type of the computation with the fewest digits.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> report = debug.check_gradients(lambda x: x * x, ms.Tensor([1.0, 2.0]))
        >>> bool(report), len(report.rows), report.worst.name
        (True, 1, 'input 0')
    """

    rows: tuple[GradientRow, ...]
    dtype: str

    def __bool__(self) -> bool:
        return all(row.equal for row in self.rows)

    @property
    def worst(self) -> GradientRow:
        """The row with the greatest difference relative to its tolerance, of those that differ if there are any."""
        rows = [row for row in self.rows if not row.equal] or [row for row in self.rows if row.checked] or self.rows
        return max(rows, key=lambda row: abs(row.gradient - row.expected) / row.tolerance)

    def _texts(self) -> list[tuple[str, ...]]:
        return [
            (
                row.name, str(row.shape), f"{row.checked:,}", str(list(row.index or ())), f"{row.gradient:.6g}",
                f"{row.expected:.6g}", f"{row.tolerance:.1g}", "equal" if row.equal else "DIFFERENT",
            )
            for row in self.rows
        ]  # fmt: skip

    def _verdict(self) -> str:
        if self:
            return f"The gradients agree with difference quotients, in {self.dtype}."
        return f"The gradient of {self.worst.name} differs, most at {list(self.worst.index or ())}, in {self.dtype}."

    def __str__(self) -> str:
        rows = [_HEAD, *self._texts()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, self._verdict()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        bad = [number for number, row in enumerate(self.rows) if not row.equal]
        return page(table(_HEAD, self._texts(), bad), text(self._verdict()))


@checked
def check_gradients(
    function: Callable[..., Any],
    *inputs: Any,
    epsilon: PositiveFloat | None = None,
    rtol: NotNegativeFloat | None = None,
    atol: NotNegativeFloat | None = None,
    max_elements: Positive = 100,
) -> GradientReport:
    """Compare the gradients of a function, `bprop`s among them, with central differences.

    All outputs are multiplied by random numbers and summed, so that no gradient cancels. Inputs and parameters are
    converted to float64 for the check, if the function accepts that. At a kink each value between the two one-sided
    differences is accepted. The function runs as Python, twice for each element, each time with the same random
    numbers; cells are not changed.

    Args:
        function: a Cell, or a function of tensors.
        inputs: its inputs. Inputs of floating-point and complex types are checked, and the trainable parameters.
        epsilon: the step for elements of up to 1, relative for larger ones. Default: None, the cube root of the
            precision: 6e-6 in float64.
        rtol: the accepted relative difference. Default: None, 4 times the cube root of the precision.
        atol: the accepted absolute difference, to which what rounding explains is added. Default: None, the precision
            to the power of 2/3.
        max_elements: the number of elements of each tensor that are checked, chosen at random if there are more.
            Default: 100.

    Raises:
        ValueError: there is nothing to differentiate; or the result has no floating-point tensor, is not finite, or
            differs between runs.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> class Double(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return 2 * x
        ...     def bprop(self, x, out, dout):
        ...         return (3 * dout,)
        >>> report = debug.check_gradients(Double(), ms.Tensor([1.0, 2.0]))
        >>> bool(report), report.worst.name, round(report.worst.gradient / report.worst.expected, 3)
        (False, 'input 0', 1.5)
    """
    cells = cells_of(function)
    try:
        check = _Check(function, inputs, cells, torch.float64)
    except Exception:  # the function does not take float64
        check = _Check(function, inputs, cells, None)
    precision = torch.finfo(check.lowest).eps
    step = precision ** (1 / 3) if epsilon is None else epsilon
    relative = 4 * precision ** (1 / 3) if rtol is None else rtol
    absolute = precision ** (2 / 3) if atol is None else atol
    rows = [check.compare(i, step, relative, absolute, max_elements) for i in range(len(check.names))]
    return GradientReport(tuple(rows), str(FROM_TORCH[check.lowest]))


class _Check:
    """A function with the values at which it is checked, and its gradients there.

    Args:
        function: the function.
        inputs: its inputs.
        cells: the cells that it reaches.
        wide: the data type that its values are converted to; None for their own.
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Sequence[Any], cells: list[Any], wide: torch.dtype | None
    ) -> None:
        self._function, self._inputs, self._cells = function, inputs, cells
        self._held = tensors_of(cells)  # parameters, and other tensors that the cells compute with
        trained = {id(p) for p in parameters_of(cells) if p.requires_grad}
        given = [tensor._t for tensor in tensors(inputs)]
        self._values = [_converted(value, wide) for value in (*given, *[tensor._t for tensor in self._held])]
        names = [f"input {number}" for number in range(len(given))]
        names += [str(getattr(tensor, "name", "")) for tensor in self._held]
        chosen = [*[True] * len(given), *[id(tensor) in trained for tensor in self._held]]
        self._checked = [
            i for i, value in enumerate(self._values) if chosen[i] and (value.is_floating_point() or value.is_complex())
        ]
        if not self._checked:
            raise ValueError(f"For '{_API}', there is no floating-point input or trainable parameter to differentiate.")
        self.names = [names[i] for i in self._checked]
        self._seeds: list[torch.Tensor] = []
        dtypes = _Dtypes()
        with dtypes:
            self._gradients = self._run(self._values, self._differentiate)
        self.lowest = max(dtypes.found or {torch.float64}, key=lambda dtype: torch.finfo(dtype).eps)
        self._total, self._magnitude = self._run(self._values, self._sum)
        if not math.isfinite(self._total):
            raise ValueError(f"For '{_API}', the result is not finite. Use find_nonfinite to see why.")
        if self._run(self._values, self._sum)[0] != self._total:
            raise ValueError(f"For '{_API}', the function returns different results for the same inputs.")

    def compare(self, number: int, step: float, rtol: float, atol: float, max_elements: int) -> GradientRow:
        """Return the comparison of one tensor."""
        place = self._checked[number]
        value, gradient = self._values[place], self._gradients[number]
        count = value.numel()
        generator = torch.Generator().manual_seed(0)
        chosen = (
            range(count)
            if count <= max_elements
            else torch.randperm(count, generator=generator)[:max_elements].tolist()
        )
        most, row = -1.0, GradientRow(self.names[number], tuple(value.shape), len(chosen))
        for element in chosen:
            for part in range(2 if value.is_complex() else 1):
                size = max(1.0, abs(value.flatten()[element].item())) * step
                found = _component(gradient, element, part)
                up, down = (
                    self._run(self._with(place, element, part, signed), self._sum)[0] for signed in (size, -size)
                )
                sides = ((up - self._total) / size, (self._total - down) / size)
                central = (up - down) / (2 * size)
                rounding = 4 * torch.finfo(self.lowest).eps * self._magnitude / size
                tolerance = atol + rtol * max(abs(found), abs(central)) + rounding
                beyond = (
                    max(min(sides) - found, found - max(sides), 0.0) if math.isfinite(found + central) else math.inf
                )
                if beyond / tolerance > most:
                    most = beyond / tolerance
                    row = replace(
                        row, index=_index(element, value.shape), gradient=found, expected=central, tolerance=tolerance,
                        equal=most <= 1.0,
                    )  # fmt: skip
        return row

    def _with(self, place: int, element: int, part: int, change: float) -> list[torch.Tensor]:
        values = list(self._values)
        values[place] = changed = values[place].detach().clone(memory_format=torch.contiguous_format)
        flat = torch.view_as_real(changed).view(-1, 2)[:, part] if changed.is_complex() else changed.view(-1)
        flat[element] += change
        return values

    def _run(self, values: list[torch.Tensor], then: Callable[[Any, list[torch.Tensor]], Any]) -> Any:
        """Run the function on values, and return `then(output, the checked values)`."""
        leaves = [value.detach() for value in values]
        for place in self._checked:
            leaves[place].requires_grad_()
        count = len(leaves) - len(self._held)
        before: list[torch.Tensor] = []

        def run(*inputs: Any) -> Any:
            thread_values.protect(self._held)
            before.extend(tensor._t for tensor in self._held)
            for tensor, leaf in zip(self._held, leaves[count:]):
                tensor._t = leaf
            return self._function(*inputs)

        with undone(self._cells):
            try:
                inputs = filled(list(self._inputs), leaves[:count])
                return try_out(run, inputs, (), lambda output, _: then(output, [leaves[i] for i in self._checked]))
            finally:
                for tensor, value in zip(self._held, before):
                    tensor._t = value

    def _outputs(self, output: Any) -> list[torch.Tensor]:
        found = [tensor._t for tensor in tensors(output)]
        if not any(value.is_floating_point() or value.is_complex() for value in found):
            raise ValueError(f"For '{_API}', the function must return a floating-point tensor, but returns none.")
        return found

    def _differentiate(self, output: Any, leaves: list[torch.Tensor]) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(1)
        for value in self._outputs(output):
            seed = torch.rand(value.shape, generator=generator, dtype=torch.float64) + 0.5
            self._seeds.append(seed.to(value.device, value.dtype))
        return compute_gradients(output, leaves, [wrap(seed) for seed in self._seeds], create_graph=False)

    def _sum(self, output: Any, leaves: list[torch.Tensor]) -> tuple[float, float]:
        """Return the sum of the outputs times the seeds, and the sum of the magnitudes."""
        total = magnitude = 0.0
        for value, seed in zip(self._outputs(output), self._seeds):
            if value.is_floating_point() or value.is_complex():
                wide = torch.complex128 if value.is_complex() else torch.float64
                product = (seed.to(wide) * value.detach().to(wide)).real
                total, magnitude = total + product.sum().item(), magnitude + product.abs().sum().item()
        return total, magnitude


class _Dtypes(DispatchMode):
    """Notes the floating-point types of results."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for value in tree_leaves(result):
            if isinstance(value, torch.Tensor) and value.numel():
                self.found |= {value.dtype.to_real()} if value.is_floating_point() or value.is_complex() else set()
        return result


def _converted(value: torch.Tensor, wide: torch.dtype | None) -> torch.Tensor:
    if wide is None or not (value.is_floating_point() or value.is_complex()):
        return value
    return value.detach().to(wide.to_complex() if value.is_complex() else wide)


def _component(value: torch.Tensor, element: int, part: int) -> float:
    number = value.flatten()[element].item()
    return float((number.real, number.imag)[part]) if isinstance(number, complex) else float(number)


def _index(element: int, shape: torch.Size) -> tuple[int, ...]:
    found: list[int] = []
    for size in reversed(shape):
        element, position = divmod(element, size)
        found.insert(0, position)
    return tuple(found)
