"""Branches and bodies of loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore.serialization.onnx_graph.program import Program

__all__ = ["Body"]


class Body:
    """A branch or the body of a loop.

    Args:
        program: takes its inputs and then what it uses of the values around it.
        own: the number of the inputs of the node that has it.
        used: the positions of the values around it, among all values that the node is given.
        sizes: the sizes of its results as the file declares them, None for unknown shapes.
    """

    def __init__(self, program: Program, own: int, used: tuple[int, ...], sizes: tuple[Any, ...]) -> None:
        self.own = own
        self.sizes = sizes
        self._program = program
        self._used = used

    def without_first(self) -> Body:
        """Return the body of a node that lacks the first input of this one."""
        return Body(self._program, self.own - 1, tuple([place - 1 for place in self._used]), self.sizes)

    def run(self, given: Sequence[Any], *inputs: Any) -> list[Any]:
        """Return the results.

        Args:
            given: all values that the node is given.
            inputs: the body's inputs.
        """
        return self._program.run([*inputs, *[given[place] for place in self._used]])
