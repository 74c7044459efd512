"""The state of random generators, restored after a run that is undone."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["RandomState", "draws"]


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


def draws(target: Any) -> bool:
    """Return whether an operation draws random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(target, "tags", ())
