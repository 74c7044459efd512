"""Graphs as lists of steps over a list of values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from torchspore.common import device as devices
from torchspore.engine.failures.errors import describe
from torchspore.serialization.onnx_graph.small import LIMIT, Small, as_tensor, numbers, outside, small

__all__ = ["Program", "RawStep", "SmallStep", "Step"]

# Errors of operations, to which the node is added. Subclasses belong to what records the operations.
_ERRORS = (RuntimeError, ValueError, TypeError, IndexError, AttributeError, KeyError, ZeroDivisionError, OverflowError)


class Step:
    """One node: a function, and where its inputs and results are in the list of values.

    Args:
        call: the function, with its attributes.
        inputs: the positions of the inputs.
        outputs: the positions of the results; -1 for one that is not used.
        node: what messages call the node.
        reads: which inputs are passed as numbers, where their values are known only in the run.
        tensors: which inputs may be small values in the run, and are passed as tensors.
        on_device: whether the function makes tensors, and takes the device for them.
    """

    __slots__ = ("call", "inputs", "last_uses", "node", "on_device", "outputs", "reads", "tensors")

    def __init__(
        self,
        call: Callable[..., Any],
        inputs: tuple[int, ...],
        outputs: tuple[int, ...],
        node: str,
        reads: tuple[int, ...] = (),
        tensors: tuple[int, ...] = (),
        on_device: bool = False,
    ) -> None:
        self.call = call
        self.inputs = inputs
        self.outputs = outputs
        self.node = node
        self.reads = reads
        self.tensors = tensors
        self.on_device = on_device
        self.last_uses: tuple[int, ...] = ()  # the positions of values that no later step uses

    def run(self, args: list[Any]) -> Any:
        """Return the result for values."""
        for place in self.reads:
            args[place] = numbers(args[place])
        for place in self.tensors:
            args[place] = as_tensor(args[place])
        return self.call(*args, device=devices.current()) if self.on_device else self.call(*args)


class RawStep(Step):
    """A step whose function takes values as they are, small ones too."""

    __slots__ = ()

    def run(self, args: list[Any]) -> Any:
        """Return the result for values."""
        return self.call(*args)


class SmallStep(Step):
    """A step that is computed on the CPU if all its inputs are small values, and its result is.

    It keeps its last result: for inputs of the same shapes, a graph computes the same small values again.

    Args:
        step: the step on tensors; `reads` and `tensors` have all inputs.
        count: returns the number of elements of the result.
    """

    __slots__ = ("_count", "_last")

    def __init__(self, step: Step, count: Callable[..., int]) -> None:
        super().__init__(step.call, step.inputs, step.outputs, step.node, step.reads, step.tensors, step.on_device)
        self._count = count
        self._last: tuple[list[Any], Any] = ([], None)  # inputs, and the result

    def run(self, args: list[Any]) -> Any:
        """Return the result for values."""
        last_args, last = self._last
        if last is not None and all(map(operator.is_, args, last_args)):
            return last
        for arg in args:
            if isinstance(arg, (Tensor, list)):
                return super().run(args)
        result = self._small_result(args)
        if type(result) is Small or isinstance(result, tuple):
            self._last = (args, result)
        return result

    def _small_result(self, args: list[Any]) -> Any:
        given = [arg.tensor if type(arg) is Small else arg for arg in args]
        for place in self.reads:
            given[place] = numbers(args[place])
        if self._count(*given) > LIMIT:
            return super().run(list(args))
        options = {"device": "cpu"} if self.on_device else {}
        result = outside(lambda: self.call(*given, **options))
        return outside(lambda: tuple(map(small, result)) if isinstance(result, tuple) else small(result))


class Program:
    """A graph.

    Args:
        steps: its steps, in order.
        values: the list of values before the run: constants at their positions, None at the others.
        inputs: the positions of the inputs.
        outputs: the positions of the results.

    Attributes:
        steps: its steps.
    """

    def __init__(
        self, steps: Sequence[Step], values: Sequence[Any], inputs: Sequence[int], outputs: Sequence[int]
    ) -> None:
        self.steps = tuple(steps)
        self._values = tuple(values)
        self._inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self._constants = {place for place, value in enumerate(values) if value is not None}
        self._note_last_uses()

    def _note_last_uses(self) -> None:
        used = {*self._outputs, *self._constants}
        for step in reversed(self.steps):
            places = dict.fromkeys([*step.inputs, *step.outputs])
            step.last_uses = tuple([place for place in places if place not in used and place >= 0])
            used.update(step.last_uses)

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the results, of which some may be small values.

        Raises:
            ValueError: an operation refuses its inputs.
        """
        values = list(self._values)
        for place, value in zip(self._inputs, inputs):
            values[place] = value
        for step in self.steps:
            try:
                result = step.run([values[place] for place in step.inputs])
                outputs = step.outputs
                if len(outputs) == 1:
                    values[outputs[0]] = result[0] if isinstance(result, tuple) else result
                else:
                    for place, part in zip(outputs, result if isinstance(result, tuple) else (result,)):
                        if place >= 0:
                            values[place] = part
            except Exception as error:
                if type(error) in _ERRORS and not str(error).startswith("in the node"):
                    raise ValueError(f"in the node {step.node}: {error!s:.500}") from error
                raise
            for place in step.last_uses:
                values[place] = None
        return [values[place] for place in self._outputs]

    def __call__(self, *inputs: Any) -> list[Any]:
        """Return the results as tensors."""
        results: list[Any] = []
        for place, result in zip(self._outputs, self.run(inputs)):
            value = as_tensor(result)
            if not isinstance(value, (Tensor, list)):
                raise ValueError(f"a result of the graph has no value, but is {describe(value)}")
            is_constant = type(result) is Small or place in self._constants
            results.append(value.clone() if is_constant and isinstance(value, Tensor) else value)
        return results
