"""Updates under `vmap`: one operation, which takes the step of each part in a loop, as the fused kernels need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.private_torch import functorch_level, is_functorch_wrapped_tensor, tree_leaves

__all__ = ["is_mapped", "run_mapped"]

_jobs: list[tuple[Callable[..., Any], dict[str, Any], bool, bool]] = []
_numbers: dict[Any, int] = {}


def is_mapped(values: Any) -> bool:
    """Return whether `vmap`, or another transformation of `torch.func`, has some of these tensors."""
    return functorch_level() is not None and any(
        is_functorch_wrapped_tensor(value._t) for value in values if hasattr(value, "_t")
    )


def run_mapped(
    rule: Callable[..., Any], arguments: dict[str, Any], written: list[str], *, numbers: bool, returns: bool
) -> Any:
    """Call an update rule in an open transformation.

    Args:
        rule: the rule.
        arguments: its arguments: lists of one tensor, tensors, and constants.
        written: the names of the lists that it writes.
        numbers: whether it takes numbers instead of tensors without dimensions.
        returns: whether it returns a tensor, which is like the first one that it writes.
    """
    lists: dict[str, list[torch.Tensor]] = {"written": [], "given": []}
    places: dict[str, Any] = {}
    for name, value in arguments.items():
        kind = "written" if name in written else "given"
        if isinstance(value, torch.Tensor) or (isinstance(value, list) and value):
            places[name] = (kind, len(lists[kind]), isinstance(value, list))
            lists[kind] += tree_leaves(value)
        else:
            places[name] = tuple(value) if isinstance(value, list) else value
    key = (rule, numbers, *places.items())
    if key not in _numbers:
        _numbers[key] = len(_jobs)
        _jobs.append((rule, places, numbers, returns))
    found = torch.ops.torchspore.update(lists["written"], lists["given"], _numbers[key])
    return found[0] if found else None


def _run(written: list[torch.Tensor], given: list[torch.Tensor], key: int) -> list[torch.Tensor]:
    rule, places, numbers, _ = _jobs[key]
    lists = {"written": [value.contiguous() for value in written], "given": [value.contiguous() for value in given]}

    def argument(place: Any) -> Any:
        if not (isinstance(place, tuple) and place and place[0] in lists):
            return place
        value = lists[place[0]][place[1]]
        if place[2]:
            return [value]
        return value.item() if numbers and value.dim() == 0 else value

    result = rule(**{name: argument(place) for name, place in places.items()})
    for value, new in zip(written, lists["written"]):
        if new is not value:
            value.copy_(new)
    return [] if result is None else [result]


def _each(info: Any, axes: Any, written: list[torch.Tensor], given: list[torch.Tensor], key: int) -> tuple[Any, Any]:
    """Take the step of each part; a part of nested mappings is taken apart in turn."""
    if None in axes[0]:
        raise ValueError(
            "For 'vmap', a tensor that the update writes must have an axis in 'in_axes' if another input has one, but "
            f"there is none for one of shape {tuple(written[axes[0].index(None)].shape)}."
        )

    def part(values: list[torch.Tensor], dims: Any, i: int) -> list[torch.Tensor]:
        return [value if dim is None else value.select(dim, i) for value, dim in zip(values, dims)]

    update = torch.ops.torchspore.update
    results = [update(part(written, axes[0], i), part(given, axes[1], i), key) for i in range(info.batch_size)]
    stacked = [torch.stack(each) for each in zip(*results)]
    return stacked, [0] * len(stacked)


_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define("update(Tensor(a!)[] written, Tensor[] given, int key) -> Tensor[]")
_library.impl("update", _run, "CompositeExplicitAutograd")
_library.impl("update", lambda written, given, key: [torch.empty_like(written[0])] * _jobs[key][3], "Meta")
torch.library.register_vmap("torchspore::update", _each, lib=_library)
