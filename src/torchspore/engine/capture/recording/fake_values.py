"""Fake tensors in place of the values of parameters while a graph is traced, and what other threads see of them.

A traced function reads its parameters as usual, so the fake tensors are in the parameters themselves, visible to all
threads. If another thread uses one, its operation waits until the trace is over and then takes the real value.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from torchspore.common.conversion import fitted
from torchspore.common.private_torch import (
    DispatchMode,
    FakeTensor,
    FakeTensorMode,
    schema_of,
    tree_leaves,
    tree_map_only,
    unset_fake_temporarily,
)
from torchspore.common.private_torch.error_texts import BEYOND, says
from torchspore.engine.capture.recording.fake_results import open_result

__all__ = ["RecordingFakeMode", "note_real_value", "recording"]

# Held while a graph is traced, when parameters hold fake tensors, and while the inputs of a run are read.
recording = threading.RLock()


class RecordingFakeMode(FakeTensorMode):
    """The mode that makes the fake tensors of one trace."""

    def __init__(self, **options: Any) -> None:
        self._thread = threading.get_ident()
        self._is_in_kernel = False
        self._waiting = _Waiting()
        super().__init__(allow_non_fake_inputs=True, **options)

    @property
    def in_kernel_invocation(self) -> bool:
        """Whether this thread is inside a kernel that computes shapes."""
        return self._is_in_kernel and threading.get_ident() == self._thread

    @in_kernel_invocation.setter
    def in_kernel_invocation(self, value: bool) -> None:
        self._is_in_kernel = value

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Compute shapes; a number that the kernel would refuse is an error."""
        kwargs = kwargs or {}
        _convert_numbers(func, args, kwargs)
        result = open_result(self, func, args, kwargs)
        return result if result is not None else super().__torch_dispatch__(func, types, args, kwargs)

    def __enter__(self) -> Any:
        """Enter the mode; another thread enters a mode that waits."""
        if threading.get_ident() == self._thread:
            return super().__enter__()
        self._waiting.modes.append(_Values())
        return self._waiting.modes[-1].__enter__()

    def __exit__(self, *error: Any) -> None:
        """Leave the mode."""
        if threading.get_ident() == self._thread:
            super().__exit__(*error)
        else:
            self._waiting.modes.pop().__exit__(*error)


_NUMBER = ("number", "number]", "float", "float]")  # ends of types in schemas


@functools.cache
def _number_parameters(func: Any) -> tuple[tuple[int, str], ...]:
    parameters = schema_of(func).arguments
    return tuple((i, p.name) for i, p in enumerate(parameters) if str(p.type).endswith(_NUMBER))


def _convert_numbers(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Let a kernel on two elements convert numbers that a data type cannot hold, as kernels of fake tensors do not.

    Raises:
        RuntimeError: the kernel cannot convert a number.
    """
    numbers = [args[i] if i < len(args) else kwargs.get(name) for i, name in _number_parameters(func)]
    numbers = [number for number in numbers if number.__class__ in (int, float)]
    if not numbers:
        return
    leaves = tree_leaves((args, kwargs))
    dtypes: set[Any] = {leaf.dtype for leaf in leaves if isinstance(leaf, torch.Tensor)}
    dtypes |= {leaf for leaf in leaves if isinstance(leaf, torch.dtype)}
    if all(fitted(number, dtype) == number or number != number for dtype in dtypes for number in numbers):
        return

    def elements(fake: torch.Tensor) -> torch.Tensor:  # kernels convert the number for one element in another way
        return torch.zeros([2] * fake.dim(), dtype=fake.dtype, device=fake.device)

    with unset_fake_temporarily():
        real_args, real_kwargs = tree_map_only(torch.Tensor, elements, (tuple(args), dict(kwargs)))
        try:
            func(*real_args, **real_kwargs)
        except Exception as error:  # the elements may be no valid input
            if says(error, BEYOND):
                raise


def note_real_value(value: torch.Tensor, real: torch.Tensor) -> None:
    """Remember the real tensor that a fake one replaces."""
    value.real_tensor = weakref.ref(real)  # type: ignore[attr-defined]


class _Waiting(threading.local):
    def __init__(self) -> None:
        self.modes: list[_Values] = []


class _Values(DispatchMode):
    """Passes real values to operations in place of fake tensors, once the trace is over."""

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        with recording:
            real_args, real_kwargs = tree_map_only(FakeTensor, _value, (tuple(args), dict(kwargs or {})))
        return func(*real_args, **real_kwargs)


def _value(fake: torch.Tensor) -> torch.Tensor:
    value = getattr(fake, "real_tensor", lambda: None)()
    if value is None:
        raise RuntimeError(
            "a thread uses a tensor that another thread only records in a graph: call the captured function once "
            "before the threads start"
        )
    return value
