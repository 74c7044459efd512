"""Buffers and state dictionaries of cells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe

__all__ = ["CellState", "Mismatch"]


class Mismatch(NamedTuple):
    """The keys that `load_state_dict` did not find, and those that it had no place for."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class CellState:
    """The part of `Cell` that keeps buffers and makes and loads state dictionaries."""

    cells_and_names: Callable[..., Iterator[tuple[str, Any]]]
    _replace: Callable[..., None]

    def _init_state(self) -> None:
        self.__dict__["_transient_buffers"] = set()
        for kind in ("_state_pre_hooks", "_state_hooks", "_load_pre_hooks", "_load_hooks"):
            self.__dict__[kind] = OrderedDict()

    # Buffers

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the cell's state, but is no parameter.

        Args:
            name: the name of the attribute.
            tensor: the tensor, or None to declare an absent one.
            persistent: whether `state_dict` has it. Default: True.

        Raises:
            TypeError: an argument of the wrong type.
            KeyError: the name is empty or has a dot, or another attribute has it.
        """
        if not isinstance(name, str):
            raise TypeError(f"For 'register_buffer', 'name' must be a string, but got {describe(name)}.")
        if not name or "." in name:
            raise KeyError(f"For 'register_buffer', 'name' must have no dot and not be empty: {name!r}.")
        if name not in self.__dict__["_buffers"] and (name in self.__dict__ or hasattr(type(self), name)):
            raise KeyError(f"For 'register_buffer', the attribute '{name}' exists already.")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"For 'register_buffer', 'tensor' must be a Tensor or None, but got {describe(tensor)}.")
        self._replace("_buffers", name, tensor)
        transient = self.__dict__["_transient_buffers"]
        transient.discard(name) if persistent else transient.add(name)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"For '{type(self).__name__}', the attribute '{name}' is a buffer: assign a Tensor or None, "
                f"but got {describe(value)}."
            )
        self.__dict__["_buffers"][name] = self.__dict__[name] = value

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over (attribute path, buffer)."""
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]:
            for name, buffer in cell._buffers.items():
                if buffer is None or (remove_duplicate and id(buffer) in seen):
                    continue
                seen.add(id(buffer))
                yield (f"{path}.{name}" if path else name), buffer

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at an attribute path.

        Raises:
            AttributeError: there is no such buffer.
        """
        found = dict(self.named_buffers(remove_duplicate=False))
        if target not in found:
            raise AttributeError(f"For 'get_buffer', '{target}' is not a buffer. Buffers: {', '.join(found) or 'none'}.")
        return found[target]

    # State dictionaries

    def state_dict(
        self,
        *args: Any,
        destination: OrderedDict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> OrderedDict[str, Any]:
        """Return parameters and persistent buffers by attribute path.

        Args:
            args: `destination`, `prefix`, `keep_vars` as positional arguments.
            destination: the dictionary to fill, default: a new one.
            prefix: what the keys start with. Default: "".
            keep_vars: kept for compatibility: the dictionary holds the parameters themselves either way.
        """
        positional = dict(zip(("destination", "prefix", "keep_vars"), args))
        destination = positional.get("destination", destination)
        prefix = positional.get("prefix", prefix)
        state: OrderedDict[str, Any] = OrderedDict() if destination is None else destination
        for path, cell in self.cells_and_names():
            start = prefix + (f"{path}." if path else "")
            for hook in list(cell._state_pre_hooks.values()):
                hook(cell, start, keep_vars)
            for name, parameter in cell._params.items():
                if parameter is not None:
                    state[start + name] = parameter
            for name, buffer in cell._buffers.items():
                if buffer is not None and name not in cell._transient_buffers:
                    state[start + name] = buffer
            extra = cell.get_extra_state()
            if extra is not None:
                state[f"{start}_extra_state"] = extra
            for hook in list(cell._state_hooks.values()):
                hook(cell, state, start, {})
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Mismatch:
        """Set parameters and buffers from a dictionary that `state_dict` made; all of them, or none on an error.

        Args:
            state_dict: tensors by attribute path.
            strict: whether missing and unexpected keys are errors. Default: True.

        Returns:
            (missing_keys, unexpected_keys).

        Raises:
            TypeError: `state_dict` is no mapping.
            RuntimeError: keys do not match and `strict` is True, or a shape does not match.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"For 'load_state_dict', 'state_dict' must be a mapping, but got {describe(state_dict)}.")
        state = OrderedDict(state_dict)
        for path, cell in self.cells_and_names():
            for hook in list(cell._load_pre_hooks.values()):
                hook(cell, state, f"{path}." if path else "", {}, strict, [], [], [])
        targets = self.state_dict()
        missing = [key for key in targets if key not in state]
        unexpected = [key for key in state if key not in targets]
        problems = []
        if strict and missing:
            problems.append(f"missing keys: {', '.join(missing)}")
        if strict and unexpected:
            problems.append(f"unexpected keys: {', '.join(unexpected)}")
        matched = [(key, target, state[key]) for key, target in targets.items() if key in state]
        for key, target, value in matched:
            if isinstance(target, Tensor) and not (isinstance(value, Tensor) and value.shape == target.shape):
                problems.append(f"'{key}' must be a Tensor of shape {target.shape}, but got {describe(value)}")
        if problems:
            raise RuntimeError(f"For 'load_state_dict' of '{type(self).__name__}', {'; '.join(problems)}.")
        for key, target, value in matched:
            if isinstance(target, Parameter):
                target.set_data(value)
            elif isinstance(target, Tensor):
                target._t.copy_(value._t)
            else:
                cell_path = key.removesuffix("_extra_state").rstrip(".")
                dict(self.cells_and_names())[cell_path].set_extra_state(value)
        result = Mismatch(missing, unexpected)
        for _, cell in self.cells_and_names():
            for hook in list(cell._load_hooks.values()):
                hook(cell, result)
        return result

    def get_extra_state(self) -> Any:
        """Return more state to keep in `state_dict`, or None; cells with such state override it."""
        return None

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` returned; cells with such state override it."""
        raise RuntimeError(f"For '{type(self).__name__}', define 'set_extra_state' to load an extra state.")

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(cell, prefix, keep_vars)` before `state_dict` reads a cell; returns a handle with `remove()`."""
        return self._add_state_hook("_state_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(cell, state_dict, prefix, local_metadata)` after `state_dict` read a cell; returns a handle."""
        return self._add_state_hook("_state_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(cell, state_dict, prefix, metadata, strict, missing, unexpected, errors)` before loading."""
        return self._add_state_hook("_load_pre_hooks", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(cell, (missing_keys, unexpected_keys))` after loading; returns a handle with `remove()`."""
        return self._add_state_hook("_load_hooks", hook)

    def _add_state_hook(self, kind: str, hook: Callable[..., Any]) -> Any:
        from torchspore.nn.cell_hooks import Handle

        if not callable(hook):
            raise TypeError(f"For 'Cell', a hook must be a function, but got {describe(hook)}.")
        hooks = self.__dict__[kind]
        handle = Handle(hooks, lambda: None)
        hooks[handle] = hook
        return handle
