"""Buffers and state dictionaries of cells."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

import torch

from torchspore.common import device as devices
from torchspore.common.conversion import converted
from torchspore.common.dtype import Type, to_torch
from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Where, kind_of

__all__ = ["MEMBER_NAME", "PATH", "CellState", "repeated_name"]


_EXTRA = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """The keys that `load_state_dict` did not find, and those that it did not expect."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not any(self):
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


MEMBER_NAME = kind_of(Annotated[str, Where("a name without dots", lambda name: name and "." not in name, KeyError)])
PATH = kind_of(Annotated[str, Where("a name, not empty", bool, KeyError)])


def repeated_name(parameters: Iterable[Parameter]) -> str | None:
    """Return the name that two of some parameters have, if there is one."""
    counts = Counter(parameter.name for parameter in parameters)
    return next((name for name, count in counts.items() if count > 1), None)


class CellState:
    """The part of `Cell` that keeps buffers, and makes and loads state dictionaries."""

    cells_and_names: Callable[..., Iterator[tuple[str, Any]]]
    get_parameters: Callable[..., Iterator[Parameter]]
    _replace: Callable[..., None]
    _check_free: Callable[..., None]
    _params: OrderedDict[str, Parameter | None]
    _buffers: OrderedDict[str, Tensor | None]
    _cells: OrderedDict[str, Any]

    def _init_state(self) -> None:
        self.__dict__["_transient_buffers"] = set()
        for kind in ("_state_pre_hooks", "_state_hooks", "_load_pre_hooks", "_load_hooks"):
            self.__dict__[kind] = OrderedDict()

    # Buffers

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the cell's state, but is not a parameter.

        Args:
            name: the name of the attribute.
            tensor: the tensor, or None to declare an absent one.
            persistent: whether `state_dict` has it. Default: True.

        Raises:
            KeyError: the name is empty or has a dot, or another attribute has it.
        """
        MEMBER_NAME.take(name, "name", "register_buffer")
        self._check_free("_buffers", name, new=True)
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
        self._buffers[name] = value

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
            raise AttributeError(
                f"For 'get_buffer', '{target}' is not a buffer. Buffers: {', '.join(found) or 'none'}."
            )
        return found[target]

    # State dictionaries

    def state_dict(
        self, *args: Any, destination: OrderedDict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """Return parameters and persistent buffers by attribute path.

        Args:
            args: `destination`, `prefix`, `keep_vars` as positional arguments.
            destination: the dictionary to fill. Default: a new one.
            prefix: what the keys start with. Default: "".
            keep_vars: kept for compatibility: the dictionary holds the parameters themselves either way.
        """
        positional = dict(zip(("destination", "prefix", "keep_vars"), args))
        destination = positional.get("destination", destination)
        prefix = positional.get("prefix", prefix)
        keep_vars = positional.get("keep_vars", keep_vars)
        if not (destination is None or isinstance(destination, dict)):
            raise TypeError(f"For 'state_dict', 'destination' must be a dict or None, but got {describe(destination)}.")
        state: OrderedDict[str, Any] = OrderedDict() if destination is None else destination
        for hook in list(self.__dict__["_state_pre_hooks"].values()):
            hook(self, prefix, keep_vars)
        state.update({prefix + name: value for name, value in self._own_state()})
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in list(self.__dict__["_state_hooks"].values()):
            if hook(self, state, prefix, {}) is not None:
                raise RuntimeError("For 'state_dict', a hook must change the dictionary that it gets and return None.")
        return state

    def _own_state(self) -> list[tuple[str, Any]]:
        """Return the part of the state dictionary of the cell without its children."""
        own: list[tuple[str, Any]] = [(name, p) for name, p in self._params.items() if p is not None]
        transient = self.__dict__["_transient_buffers"]
        own += [(name, b) for name, b in self._buffers.items() if b is not None and name not in transient]
        if type(self).get_extra_state is not CellState.get_extra_state:
            own.append((_EXTRA, self.get_extra_state()))
        return own

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> _IncompatibleKeys:
        """Set parameters and buffers from a dictionary that `state_dict` made; all or, on an error, none.

        Args:
            state_dict: tensors by attribute path.
            strict: whether missing and unexpected keys are errors. Default: True.

        Returns:
            (missing_keys, unexpected_keys).

        Raises:
            RuntimeError: keys do not match and `strict` is True, a value is not a Tensor, or its shape does not match.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"For 'load_state_dict', 'state_dict' must be a mapping, but got {describe(state_dict)}.")
        result = _IncompatibleKeys([], [])
        problems: list[str] = []
        matched: list[tuple[Any, Any]] = []
        self._match_state(OrderedDict(state_dict), "", matched, *result, problems)
        hooks = [(cell, hook) for _, cell in self.cells_and_names() for hook in cell.__dict__["_load_hooks"].values()]
        if problems or not hooks:  # hooks run after loading and may still take keys out of `result`
            self._raise_mismatch(result, problems, strict)
        tensors = [target for target, _ in matched if isinstance(target, Tensor)] if hooks and strict else []
        before = [tensor._t.clone() for tensor in tensors]
        for target, value in matched:
            _load(target, value)
        for cell, hook in hooks:
            hook(cell, result)
        try:
            self._raise_mismatch(result, problems, strict)
        except RuntimeError:
            for tensor, old in zip(tensors, before):
                _load(tensor, wrap(old))
            raise
        return result

    def _match_state(
        self,
        state: OrderedDict[str, Any],
        prefix: str,
        matched: list[tuple[Any, Any]],
        missing: list[str],
        unexpected: list[str],
        problems: list[str],
    ) -> None:
        """Note which values of `state` go where (`matched`), and what does not fit."""
        for hook in list(self.__dict__["_load_pre_hooks"].values()):
            hook(self, state, prefix, {}, True, missing, unexpected, problems)
        own = dict(self._own_state())
        for name, target in own.items():
            key = prefix + name
            if key not in state:
                missing.append(key)
            elif not isinstance(target, Tensor):
                matched.append((self, state[key]))
            elif isinstance(state[key], Tensor) and state[key].shape == target.shape:
                matched.append((target, state[key]))
            else:
                problems.append(f"'{key}' must be a Tensor of shape {target.shape}, but got {describe(state[key])}")
        children = {name: cell for name, cell in self._cells.items() if cell is not None}
        for key in state:
            path = key.removeprefix(prefix)
            if key.startswith(prefix) and path not in own and path.split(".")[0] not in children:
                unexpected.append(key)
        for name, cell in children.items():
            inside = f"{prefix}{name}."
            of_child = OrderedDict((key, value) for key, value in state.items() if key.startswith(inside))
            cell._match_state(of_child, inside, matched, missing, unexpected, problems)

    def _raise_mismatch(self, result: _IncompatibleKeys, problems: list[str], strict: bool) -> None:
        problems = list(problems)
        for what, keys in (("missing", result.missing_keys), ("unexpected", result.unexpected_keys)):
            if strict and keys:
                problems.append(f"{what} keys: {', '.join(keys)}")
        if problems:
            raise RuntimeError(f"For 'load_state_dict' of '{type(self).__name__}', {'; '.join(problems)}.")

    def get_extra_state(self) -> Any:
        """Return more state for `state_dict`; cells with such state override it."""
        raise RuntimeError(f"For '{type(self).__name__}', define 'get_extra_state' to have an extra state.")

    def set_extra_state(self, state: Any) -> None:
        """Restore what `get_extra_state` returned; cells with such state override it."""
        raise RuntimeError(f"For '{type(self).__name__}', define 'set_extra_state' to load an extra state.")

    # Data types and devices

    def to(
        self, *args: Any, device: str | None = None, dtype: Type | None = None, non_blocking: bool = False
    ) -> CellState:
        """Convert the parameters and buffers of the cell and of all cells inside, and return the cell.

        Args:
            args: the options below in this order, or from `dtype` on, or a Tensor whose data type and device to take.
            device: "CPU", "GPU", "GPU:1" or "Ascend". Default: None, unchanged.
            dtype: a floating-point or complex type; tensors of other types keep theirs. Default: None, unchanged.
            non_blocking: whether a copy to another device may be asynchronous. Default: False.

        Examples:
            >>> import torchspore as ms
            >>> net = ms.nn.Cell()
            >>> net.weight = ms.Parameter(ms.Tensor([1.0]))
            >>> net.to(ms.float16).weight.dtype
            torchspore.float16
        """
        options: dict[str, Any] = {"device": device, "dtype": dtype, "non_blocking": non_blocking}
        if args:
            first, *rest = args
            if isinstance(first, Tensor):
                given = [first.device, first.dtype, *rest]
            else:
                given = [None, *args] if isinstance(first, Type) else list(args)
            if len(given) > 3 or any(options[name] for name, _ in zip(options, given)):
                raise TypeError(f"For 'Cell.to', an option is given twice, or there are too many: {describe(args)}.")
            options.update(zip(options, given))
        device, dtype, non_blocking = options.values()
        if not (device is None or isinstance(device, str)) or not isinstance(non_blocking, bool):
            raise TypeError(
                "For 'Cell.to', the arguments must be (device, dtype, non_blocking), (dtype, non_blocking) or "
                f"(Tensor, non_blocking), but got {describe(tuple(options.values()))}."
            )
        place = None if device is None else devices.parse(device, "Cell.to")
        torch_dtype = None if dtype is None else to_torch(dtype, "Cell.to")
        if torch_dtype is not None and not (torch_dtype.is_floating_point or torch_dtype.is_complex):
            raise TypeError(f"For 'Cell.to', 'dtype' must be a floating-point or complex type, but got {dtype}.")

        def convert(value: torch.Tensor) -> torch.Tensor:
            if value.is_floating_point() or value.is_complex():
                value = converted(value, torch_dtype)
            return value if place is None else value.to(place, non_blocking=non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device: str | None = None, recurse: bool = True) -> CellState:
        """Replace the parameters and buffers by uninitialized ones on a device, and return the cell."""
        place = None if device is None else devices.parse(device, "Cell.to_empty")
        return self._apply(lambda value: torch.empty_like(value, device=place or value.device), recurse)

    def _apply(self, function: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> CellState:
        """Replace the torch tensors of the parameters and buffers."""
        for tensor in [*self.get_parameters(expand=recurse), *self.buffers(recurse)]:
            tensor.data = wrap(function(tensor._t))
        return self

    # Hooks

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(cell, prefix, keep_vars)` before `state_dict` reads a cell; returns a handle with `remove()`."""
        return self._add_state_hook("_state_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(cell, state_dict, prefix, local_metadata)` after `state_dict` read a cell; returns a handle."""
        return self._add_state_hook("_state_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(cell, state_dict, prefix, {}, True, missing, unexpected, errors)` before a cell's part is matched.

        The hook may change the dictionary, which holds the keys of the cell and those inside, and the lists.
        """
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


def _load(target: Any, value: Any) -> None:
    """Write a value into a parameter or buffer, or set it as the extra state of a cell."""
    if isinstance(target, Parameter):
        target.set_data(value)
    elif isinstance(target, Tensor):
        if value.has_init:
            value.init_data()
        writable(target).copy_(converted(value._t, target._t.dtype))
    else:
        target.set_extra_state(value)
