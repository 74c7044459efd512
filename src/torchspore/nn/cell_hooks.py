"""The hooks of cells: functions that see, and may change, inputs, outputs and gradients."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from torchspore.common.scope import scope
from torchspore.engine.custom import call_with_hooks
from torchspore.engine.errors import describe

__all__ = ["CellHooks", "Handle"]


class Handle:
    """Takes a hook away again: `handle.remove()`."""

    def __init__(self, hooks: OrderedDict[Any, Any], changed: Callable[[], None]) -> None:
        self._hooks = hooks
        self._changed = changed

    def remove(self) -> None:
        """Remove the hook; a second call has no effect."""
        self._hooks.pop(self, None)
        self._changed()


class CellHooks:
    """The part of `Cell` that keeps and runs hooks."""

    _plain: bool
    _refresh_plain: Callable[[], None]

    def _init_hooks(self) -> None:
        for kind in ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks"):
            self.__dict__[kind] = OrderedDict()

    def _has_hooks(self) -> bool:
        attributes = self.__dict__
        return bool(
            attributes["_forward_pre_hooks"]
            or attributes["_forward_hooks"]
            or attributes["_backward_pre_hooks"]
            or attributes["_backward_hooks"]
        )

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Call `hook_fn(cell, inputs)` before `construct`; what it returns replaces the inputs.

        Args:
            hook_fn: returns None, the new inputs as a tuple, or a single input. With `with_kwargs` it is called as
                `hook_fn(cell, inputs, kwargs)` and returns None or (inputs, kwargs).
            prepend: whether it runs before the hooks registered earlier. Default: False.
            with_kwargs: whether it gets the keyword arguments. Default: False.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: `hook_fn` is not callable.
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
            always_call: whether it runs, with output None, when `construct` raises, too. Default: False.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: `hook_fn` is not callable.
        """
        return self._add_hook("_forward_hooks", hook_fn, (hook_fn, with_kwargs, always_call), prepend)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> Handle:
        """Call `hook_fn(cell, grad_output)` before the cell's gradient; it may return new gradients of the outputs.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: `hook_fn` is not callable.
        """
        return self._add_hook("_backward_pre_hooks", hook_fn, hook_fn, False)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> Handle:
        """Call `hook_fn(cell, grad_input, grad_output)` after the cell's gradient; it may return a new `grad_input`.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: `hook_fn` is not callable.
        """
        return self._add_hook("_backward_hooks", hook_fn, hook_fn, False)

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
        args, kwargs = self._run_pre_hooks(args, kwargs)
        try:
            output = self._with_backward_hooks(call, args, kwargs)
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

        def before(gradients: tuple[Any, ...]) -> Any:
            changed = False
            for hook in pre_hooks:
                replaced = hook(self, gradients)
                if replaced is not None:
                    gradients, changed = replaced if isinstance(replaced, tuple) else (replaced,), True
            return gradients if changed else None

        def after(of_inputs: tuple[Any, ...], of_outputs: tuple[Any, ...]) -> Any:
            changed = False
            for hook in hooks:
                replaced = hook(self, of_inputs, of_outputs)
                if replaced is not None:
                    of_inputs, changed = replaced if isinstance(replaced, tuple) else (replaced,), True
            return of_inputs if changed else None

        return call_with_hooks(call, args, kwargs, before if pre_hooks else None, after if hooks else None)
