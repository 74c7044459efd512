"""The hooks of cells: functions that receive, and may change, inputs, outputs and gradients."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Annotated, Any, TypeAlias

import torch

from torchspore.common.hook_handle import HookHandle
from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.custom import call_with_hooks
from torchspore.engine.parameters import NotNegative, Where, checked, kind_of, take_as
from torchspore.nn.member_operations import by_operations
from torchspore.nn.saved_tensors import saved_tensors_hooks

__all__ = ["CellHooks", "Handle"]

_PARAMETER_HOOK = "register_parameter_forward_hook"
_TENSOR, _FUNCTION, _PARAMETERS = kind_of(Tensor), kind_of(Callable), kind_of(Iterable[Parameter])
_Entry: TypeAlias = Annotated[
    dict[str, Any], Where("a dict with the keys 'params' and 'hook'", lambda entry: {"params", "hook"} <= entry.keys())
]
_KINDS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")


class Handle(HookHandle):
    """Removes a hook: `handle.remove()`."""

    def __init__(self, hooks: OrderedDict[Any, Any], changed: Callable[[], None]) -> None:
        super().__init__(hooks)
        self._changed = changed

    def remove(self) -> None:
        """Remove the hook; a second call has no effect."""
        super().remove()
        self._changed()


class CellHooks:
    """The part of `Cell` that keeps and runs hooks."""

    _plain: bool
    _recompute: bool
    _operations: dict[str, Any] | None
    _refresh_plain: Callable[[], None]
    construct: Callable[..., Any]
    cells_and_names: Callable[..., Any]
    _params: OrderedDict[str, Parameter | None]

    def _init_hooks(self) -> None:
        for kind in _KINDS:
            self.__dict__[kind] = OrderedDict()
        # By the parameter's attribute; None stands for all others.
        self.__dict__["_parameter_hooks"] = {}
        self.__dict__["_saved_tensors_hooks"] = None
        self.__dict__["_module"] = None

    def _has_hooks(self) -> bool:
        kinds = ("_parameter_hooks", "_saved_tensors_hooks", "_module", *_KINDS)
        return any(self.__dict__[kind] for kind in kinds)

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Call `hook_fn(cell, inputs)` before `construct`; what it returns replaces the inputs.

        Args:
            hook_fn: returns None, the new inputs as a tuple, or a single input. With `with_kwargs` it is called as
                `hook_fn(cell, inputs, kwargs)` and returns None or (inputs, kwargs).
            prepend: whether it runs before the hooks registered earlier. Default: False.
            with_kwargs: whether it gets the keyword arguments. Default: False.

        The result is a handle with `remove()`.
        """
        return self._add_hook("_forward_pre_hooks", hook_fn, (hook_fn, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook_fn: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> Handle:
        """Call `hook_fn(cell, inputs, output)` after `construct`; what it returns, if not None, replaces the output.

        Args:
            hook_fn: with `with_kwargs` it is called as `hook_fn(cell, inputs, kwargs, output)`.
            prepend: whether it runs before the hooks registered earlier. Default: False.
            with_kwargs: whether it gets the keyword arguments. Default: False.
            always_call: whether it also runs, with output None, when `construct` raises. Default: False.

        The result is a handle with `remove()`.
        """
        return self._add_hook("_forward_hooks", hook_fn, (hook_fn, with_kwargs, always_call), prepend)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> Handle:
        """Call `hook_fn(cell, grad_output)` before the cell's gradient; it may return new gradients of the outputs."""
        return self._add_hook("_backward_pre_hooks", hook_fn, hook_fn, False)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> Handle:
        """Call `hook_fn(cell, grad_input, grad_output)` after the cell's gradient; it may return a new `grad_input`."""
        return self._add_hook("_backward_hooks", hook_fn, hook_fn, False)

    @checked(api=_PARAMETER_HOOK)
    def register_parameter_forward_hook(self, hook: Callable[..., Any] | list[_Entry]) -> None:
        """Make this cell, and all inside, compute with what functions return for their parameters.

        Unlike in MindSpore, this holds in both modes. A function applies in the cell that the parameter belongs to; a
        later function replaces an earlier one.

        Args:
            hook: a function that takes a Parameter and returns a Tensor, for all parameters; or, for some of them, a
                list of dicts with the keys "params", a list of Parameters, and "hook", the function.

        Examples:
            >>> import torchspore as ms
            >>> net = ms.nn.Dense(2, 1, weight_init="ones", has_bias=False)
            >>> net.register_parameter_forward_hook(lambda parameter: parameter * 10)
            >>> print(net(ms.Tensor([[1.0, 2.0]])))
            [[30.]]
        """
        api = _PARAMETER_HOOK
        if callable(hook):
            for _, cell in self.cells_and_names():
                cell._set_parameter_hook(None, hook)
            return
        owners = {id(p): (cell, name) for _, cell in self.cells_and_names() for name, p in cell._params.items()}
        entries = [
            (_PARAMETERS.take(entry["params"], "params", api), _FUNCTION.take(entry["hook"], "hook", api))
            for entry in hook
        ]
        for parameters, function in entries:
            for parameter in parameters:
                if id(parameter) not in owners:
                    raise ValueError(f"For '{api}', the parameter '{parameter.name}' is not in the cell.")
                cell, name = owners[id(parameter)]
                cell._set_parameter_hook(name, function)

    def _set_parameter_hook(self, name: str | None, hook: Callable[..., Any]) -> None:
        self.__dict__["_parameter_hooks"][name] = hook
        self._refresh_plain()

    def register_saved_tensors_hooks(self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        """Run `construct` in a block of `saved_tensors_hooks`.

        Args:
            pack_hook: takes a Tensor that is kept for the backward pass, and returns what is kept instead.
            unpack_hook: takes that, and returns the Tensor.

        Examples:
            >>> import torchspore as ms
            >>> net = ms.nn.Tanh()
            >>> net.register_saved_tensors_hooks(lambda x: x.astype(ms.float16), lambda x: x.astype(ms.float32))
            >>> print(ms.grad(net)(ms.Tensor([0.0])))
            [1.]
        """
        self.__dict__["_saved_tensors_hooks"] = saved_tensors_hooks(pack_hook, unpack_hook)
        self._refresh_plain()

    def offload(self, backward_prefetch: str | int = "Auto") -> None:
        """Keep what the backward pass of this cell needs in host memory instead of device memory.

        Args:
            backward_prefetch: how early MindSpore copies it back, "Auto" or a number >= 0; here that is when it is
                needed. Default: "Auto".
        """
        if isinstance(backward_prefetch, str):
            if backward_prefetch != "Auto":
                raise ValueError(
                    "For 'Cell.offload', 'backward_prefetch' must be 'Auto' or an int, "
                    f"but got {describe(backward_prefetch)}."
                )
        else:
            take_as(NotNegative, backward_prefetch, "backward_prefetch", "Cell.offload")
        self.register_saved_tensors_hooks(_to_host, _from_host)

    def _hooked_construct(self) -> Callable[..., Any]:
        """Return `construct`, with the hooks of parameters and saved tensors."""
        hooks, saved = self.__dict__["_parameter_hooks"], self.__dict__["_saved_tensors_hooks"]
        if not hooks and saved is None:
            module = self.__dict__["_module"] if self._recompute else None
            plain = self._computing()
            return plain if module is None else functools.partial(module.run_with_values, plain)

        def construct(*args: Any, **kwargs: Any) -> Any:
            with saved or nullcontext():
                own = {name: p for name, p in self._params.items() if p is not None}
                seen = {name: hooks.get(name, hooks.get(None)) for name in own}
                seen = {name: hook(own[name]) for name, hook in seen.items() if hook is not None}
                for value in seen.values():
                    _TENSOR.take(value, "result of the hook", _PARAMETER_HOOK)
                attributes = self.__dict__  # not by setattr: what `construct` reads changes, the cell does not
                attributes.update(seen)
                try:
                    return self._computing()(*args, **kwargs)
                finally:
                    attributes.update({name: own[name] for name in seen})

        return construct

    def _computing(self) -> Callable[..., Any]:
        """Return `construct`, or what computes by the operations of this cell."""
        return self.construct if self._operations is None else by_operations(self) or self.construct

    def _add_hook(self, kind: str, hook_fn: Any, entry: Any, prepend: bool) -> Handle:
        if not callable(hook_fn):
            raise TypeError(f"For 'Cell', a hook must be a function, but got {describe(hook_fn)}.")
        hooks = self.__dict__[kind]
        handle = Handle(hooks, self._refresh_plain)
        hooks[handle] = entry
        if prepend:
            hooks.move_to_end(handle, last=False)
        self._refresh_plain()
        return handle

    def _with_hooks(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run `call` between the hooks."""
        if not self._has_hooks():
            return call(*args, **kwargs)
        module = self.__dict__["_module"]
        if module is not None:
            call = functools.partial(module.run_between_hooks, call)
        args, kwargs = self._run_pre_hooks(args, kwargs)
        # The backward hooks enclose the forward hooks: they receive the gradient of what these return.
        return self._with_backward_hooks(lambda *a, **k: self._with_forward_hooks(call, a, k), args, kwargs)

    def _with_forward_hooks(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            output = call(*args, **kwargs)
        except Exception:
            for hook, with_kwargs, always_call in list(self.__dict__["_forward_hooks"].values()):
                if always_call:
                    hook(self, args, kwargs, None) if with_kwargs else hook(self, args, None)
            raise
        for hook, with_kwargs, _ in list(self.__dict__["_forward_hooks"].values()):
            replaced = hook(self, args, kwargs, output) if with_kwargs else hook(self, args, output)
            if replaced is not None:
                output = replaced
        return output

    def _run_pre_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for hook, with_kwargs in list(self.__dict__["_forward_pre_hooks"].values()):
            if not with_kwargs:
                replaced = hook(self, args)
                if replaced is not None:
                    args = replaced if isinstance(replaced, tuple) else (replaced,)
                continue
            replaced = hook(self, args, kwargs)
            if replaced is not None:
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise ValueError(
                        "For 'register_forward_pre_hook' with with_kwargs=True, the hook must return None or "
                        f"(inputs, kwargs), but returned {describe(replaced)}."
                    )
                args, kwargs = replaced
        return args, kwargs

    def _with_backward_hooks(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        pre_hooks = list(self.__dict__["_backward_pre_hooks"].values())
        hooks = list(self.__dict__["_backward_hooks"].values())
        if scope.depth == 0 or not (pre_hooks or hooks):
            return call(*args, **kwargs)

        def run(hooks: list[Any], gradients: tuple[Any, ...], *of_outputs: Any) -> Any:
            changed = False
            for hook in hooks:
                replaced = hook(self, gradients, *of_outputs)
                if replaced is not None:
                    gradients, changed = replaced if isinstance(replaced, tuple) else (replaced,), True
            return gradients if changed else None

        before = functools.partial(run, pre_hooks) if pre_hooks else None
        after = functools.partial(run, hooks) if hooks else None
        return call_with_hooks(call, args, kwargs, before, after)


def _to_host(tensor: Tensor) -> tuple[torch.device, torch.Tensor]:
    return tensor._t.device, tensor._t.to("cpu")


def _from_host(kept: tuple[torch.device, torch.Tensor]) -> Tensor:
    device, value = kept
    return wrap(value.to(device))
