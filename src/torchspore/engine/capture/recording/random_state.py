"""The state of random generators, restored after a run that is undone."""

from __future__ import annotations

from typing import Any

import torch

import torchspore.common.generator  # noqa: F401  # it defines the operations

__all__ = ["RandomState", "draws", "is_of_state"]

_GET_STATE, _SET_STATE = torch.ops.torchspore.get_rng_state.default, torch.ops.torchspore.set_rng_state.default


class RandomState:
    """A snapshot of the default generators, and of others once they are included."""

    def __init__(self) -> None:
        generators = [torch.default_generator]
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            generators.append(torch.cuda.default_generators[torch.cuda.current_device()])
        self._states = {generator: generator.get_state() for generator in generators}

    def include(self, args: Any, kwargs: dict[str, Any]) -> None:
        """Add the generators among the arguments of an operation that is about to run."""
        for value in (*args, *kwargs.values()):
            if isinstance(value, torch.Generator) and value not in self._states:
                self._states[value] = value.get_state()

    def restore(self) -> None:
        """Restore the generators."""
        for generator, state in self._states.items():
            generator.set_state(state)


def is_of_state(target: Any) -> bool:
    """Return whether an operation reads or sets the state of a generator; compilers know nothing of its order."""
    return target in (_GET_STATE, _SET_STATE)


def draws(target: Any) -> bool:
    """Return whether an operation draws random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(target, "tags", ())
