"""Gradients of integers and bools: derivatives as for real numbers, in the data type of the integers.

torch's autograd ignores integers. So while such a gradient is computed, a function mode tracks them: an integer tensor
that depends on the differentiated inputs has a twin in float64, which is part of autograd's graph. An operation runs on
the integers for its result, then on the twins for the gradient. Where it does not accept real numbers (an index, a
mask), the gradient is 0. The integers themselves stay plain tensors, so nothing outlives the scope, and a scope without
such gradients has no mode.

As in MindSpore, the gradient of an integer is an integer at every step: a gradient that flows back through a conversion
to floats is truncated to the data type of the integers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import torch
from torch.overrides import TorchFunctionMode

from torchspore.common.private_torch import (
    base_of,
    fake_mode,
    function_modes,
    functorch_level,
    is_forward_grad_enabled,
    no_modes,
    pop_function_mode,
    push_function_mode,
    tree_flatten,
    tree_unflatten,
)
from torchspore.common.scopes import scope as scopes
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import wrap
from torchspore.engine.values.nested import map_tensors

__all__ = [
    "alias", "apply", "cast", "finish", "is_integer", "lowered", "raised", "reduced", "through", "transformation",
]  # fmt: skip

_Compute: TypeAlias = Callable[..., list[torch.Tensor]]
_REAL = torch.float64
_TORCH_ERRORS = (RuntimeError, TypeError, IndexError, ValueError)  # for operands that may not be real numbers
_MAX_OPERANDS = 6  # for more, only single ones are tried instead of all combinations
_T = torch.Tensor
_CASTS = {
    _T.to, _T.bool, _T.byte, _T.char, _T.short, _T.int, _T.long, _T.type, _T.type_as, _T.half, _T.bfloat16, _T.float,
    _T.double,
}  # fmt: skip


@functools.cache
def _constant() -> frozenset[Any]:
    """Return the functions whose results are constant, random, or depend on the bits of integers."""
    return _forms(
        torch.empty_like, torch.full_like, torch.ones_like, torch.rand_like, torch.randint_like, torch.randn_like,
        torch.zeros_like, _T.new_empty, _T.new_full, _T.new_ones, _T.new_tensor, _T.new_zeros, torch.bernoulli,
        torch.multinomial, _T.__lshift__, _T.__rshift__, torch.bitwise_left_shift, torch.bitwise_right_shift,
        torch.bincount, torch.embedding, torch.nn.functional.one_hot, torch.unique, torch.unique_consecutive,
        torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge, _T.__eq__, _T.__ne__, _T.__lt__, _T.__le__,
        _T.__gt__, _T.__ge__,
    )  # fmt: skip


@functools.cache
def _indexed() -> frozenset[Any]:
    """Return the functions with a gradient with respect to the first argument only; the others are indices."""
    getitem, index = _T.__getitem__, torch.ops.aten.index
    return _forms(getitem, index, torch.gather, torch.index_select, torch.take, torch.take_along_dim)


def _forms(*functions: Callable[..., Any]) -> frozenset[Any]:
    """Return functions of torch with their other forms: functions, methods and operators have one name."""
    spaces = (torch, _T, torch.nn.functional, torch.ops.aten)
    return frozenset(getattr(space, each.__name__, None) for each in functions for space in spaces)


def _is_one_of(func: object, functions: frozenset[Any]) -> bool:
    return getattr(func, "overloadpacket", func) in functions


def is_integer(dtype: torch.dtype) -> bool:
    """Return whether a data type is one of integers or bools."""
    return not (dtype.is_floating_point or dtype.is_complex)


def finish() -> None:
    """Stop tracking integers, at the end of the outermost scope."""
    tracker, scope.integers = scope.integers, None
    if tracker is not None:
        _at_bottom_of_modes(lambda below: below.remove(tracker))


@contextmanager
def transformation() -> Iterator[None]:
    """Open a scope for one of torch's own transformations; integers are tracked until the outermost one ends."""
    with scopes.transformation():
        try:
            yield
        finally:
            if scope.depth == 1:
                finish()


def _tracker() -> _IntegerTracker:
    """Return the tracker of the open scope."""
    if scope.integers is None:
        scope.integers = tracker = _IntegerTracker()
        _at_bottom_of_modes(lambda below: below.insert(0, tracker))
    return scope.integers


def _at_bottom_of_modes(change: Callable[[list[Any]], None]) -> None:
    # The mode goes below all others, so that a block that was entered earlier can still remove its own mode first.
    modes = function_modes()
    for _ in modes:
        pop_function_mode()
    change(modes)
    for mode in modes:
        push_function_mode(mode)


def alias(value: torch.Tensor) -> torch.Tensor:
    """Return an alias of integers, with respect to which the gradient is taken."""
    return _tracker().leaf(value)


def through(compute: _Compute) -> _Compute:
    """Return `compute(output, inputs, ...)`, which returns the gradients of `inputs`, extended to integers."""
    tracker = scope.integers
    if tracker is None:
        return compute
    return lambda *args, **options: tracker.gradients(compute, *args, **options)


def cast(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return floats converted to integers through which the gradient flows."""
    result = value.to(dtype)
    if scope.depth and _records():
        _tracker().track(result, value)
    return result


def reduced(value: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    """Return what a reduction computes with: `value`, in `dtype` already if torch has no gradient of the reduction."""
    if dtype is None or not value.requires_grad or dtype.is_floating_point:
        return value
    return value.to(dtype) if dtype.is_complex else cast(value, dtype)


def lowered(values: Iterable[torch.Tensor], *, every: bool = False) -> tuple[list[torch.Tensor], list[Any]]:
    """Return values with real numbers in place of tracked integers (or of all), and the replaced data types."""
    found: list[torch.Tensor] = []
    dtypes: list[torch.dtype | None] = []
    for value in values:
        tracker = scope.integers
        real = None if tracker is None else tracker.real(value)
        if real is None and every and is_integer(value.dtype):
            real = value.to(_REAL)
        found.append(value if real is None else real)
        dtypes.append(None if real is None else value.dtype)
    return found, dtypes


def raised(values: Iterable[torch.Tensor], dtypes: Sequence[torch.dtype | None]) -> list[torch.Tensor]:
    """Undo `lowered`: return integers, which are tracked again."""
    return [value if dtype is None else _raised(value, dtype) for value, dtype in zip(values, dtypes)]


def _raised(real: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    value = _converted(real.detach(), dtype)
    if scope.depth and _is_differentiable(real):
        _tracker().track(value, real)
    return value


def apply(
    function: type[torch.autograd.Function],
    forward: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]],
    backward: Callable[..., Sequence[torch.Tensor | None]],
    *values: torch.Tensor,
) -> tuple[torch.Tensor, ...]:
    """Return `function.apply(forward, backward, *values)`, whose forward and backward see integers as such."""
    reals, dtypes = (values, ()) if scope.integers is None else lowered(values)
    of_outputs: list[torch.dtype | None] = []

    def forward_of_reals(given: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        outputs = forward(_plain(given, dtypes))
        if not getattr(backward, "materialize", True):
            backward_of_reals.materialize = False  # type: ignore[attr-defined]
        for output in outputs:
            if is_integer(output.dtype) and scope.depth:
                of_outputs[:] = [o.dtype if is_integer(o.dtype) else None for o in outputs]
                return [o if dtype is None else o.to(_REAL) for o, dtype in zip(outputs, of_outputs)]
        return outputs

    def backward_of_reals(given: Sequence[Any], outputs: Sequence[Any], gradients: Sequence[Any]) -> Sequence[Any]:
        found = backward(_plain(given, dtypes), _plain(outputs, of_outputs), _plain(gradients, of_outputs))
        if not dtypes:
            return found
        return [g if g is None or dtype is None else g.to(_REAL) for g, dtype in zip(found, dtypes)]

    results = function.apply(forward_of_reals, backward_of_reals, *reals)
    return tuple(raised(results, of_outputs)) if of_outputs else results


def _plain(values: Sequence[Any], dtypes: Sequence[torch.dtype | None]) -> Sequence[Any]:
    if not dtypes:
        return values
    return [v if v is None or dtype is None else _converted(v, dtype) for v, dtype in zip(values, dtypes)]


def _converted(real: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return real numbers as integers: truncated towards 0, wrapped around; as bools, nonzero is True."""
    if real.is_complex():
        real = real.real
    return real.to(dtype) if dtype in (torch.bool, torch.int64) else real.to(torch.int64).to(dtype)


class _Twin(torch.autograd.Function):
    """The twin of integers: their values; its gradient is truncated and passed on to what they were computed from."""

    generate_vmap_rule = True

    @staticmethod
    def forward(source: torch.Tensor, integers: torch.Tensor) -> torch.Tensor:
        return integers.to(_REAL)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
        ctx.dtype, ctx.source = inputs[1].dtype, inputs[0].dtype

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return _cut(gradient, ctx.dtype).to(ctx.source), None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, _: Any) -> torch.Tensor:
        return _converted(tangent, ctx.dtype).to(_REAL)


class _Operand(torch.autograd.Function):
    """A twin as floats: the gradient that flows back is truncated to the data type of the integers."""

    generate_vmap_rule = True

    @staticmethod
    def forward(twin: torch.Tensor, dtype: torch.dtype, integers: torch.dtype) -> torch.Tensor:
        return twin.to(dtype, copy=True)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, Any, Any], output: torch.Tensor) -> None:
        _, ctx.target, ctx.dtype = inputs

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, None, None]:
        return _cut(gradient, ctx.dtype), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *_: Any) -> torch.Tensor:
        return tangent.to(ctx.target)


def _cut(gradient: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a gradient truncated to a data type of integers, as differentiable real numbers."""
    integers = _converted(gradient.detach(), dtype)
    return _Twin.apply(gradient, integers) if _is_differentiable(gradient) else integers.to(_REAL)


class _IntegerTracker(TorchFunctionMode):
    """Tracks integers through torch's functions."""

    def __init__(self) -> None:
        super().__init__()
        # By the id of the integers, which are kept so that no other tensor gets it.
        self._twins: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._leaves: dict[int, torch.Tensor] = {}

    def leaf(self, value: torch.Tensor) -> torch.Tensor:
        """Return an alias of integers whose twin is differentiated."""
        twin = self.real(value)
        if twin is None or scope.depth == 0:
            twin = value.detach().to(_REAL).requires_grad_()
        else:
            twin = twin.view_as(twin)  # it stays in the graph of the outer scope
        result = value.detach()
        self._twins[id(result)] = result, twin
        self._leaves[id(result)] = twin
        return result

    def real(self, value: torch.Tensor) -> torch.Tensor | None:
        """Return the twin of tracked integers, else None."""
        found = self._twins.get(id(value))
        return None if found is None else found[1]

    def track(self, value: torch.Tensor, source: torch.Tensor) -> None:
        """Track integers that were computed from a tensor in the graph."""
        self._twins[id(value)] = value, _Twin.apply(source, value)

    def gradients(
        self, compute: _Compute, output: Any, inputs: list[torch.Tensor], *args: Any, **options: Any
    ) -> list[torch.Tensor]:
        """Return the gradients of `inputs`, with a function that computes gradients of floats."""

        def as_root(tensor: Any) -> Any:
            twin = self.real(tensor._t)
            return tensor if twin is None else wrap(twin)

        roots = as_root(output) if hasattr(output, "_t") else map_tensors(as_root, output)
        found = compute(roots, [self._leaves.get(id(value), value) for value in inputs], *args, **options)
        return [self._in_dtype(g, v) if id(v) in self._leaves else g for g, v in zip(found, inputs)]

    def _in_dtype(self, gradient: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        result = _converted(gradient.detach(), value.dtype)
        if _is_differentiable(gradient):
            self.track(result, gradient)
        return result

    def _register_hook(self, value: torch.Tensor, hook: Callable[[torch.Tensor], torch.Tensor | None]) -> Any:
        def on_reals(gradient: torch.Tensor) -> torch.Tensor | None:
            replaced = hook(_converted(gradient, value.dtype))
            return None if replaced is None else replaced.to(_REAL)

        return self._twins[id(value)][1].register_hook(on_reals)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in _CASTS:
            return self._cast(func, args, kwargs)
        if func is _T.register_hook and id(args[0]) in self._twins:
            return self._register_hook(*args)
        if _records():
            args, kwargs = self._in_given_dtype(func, args, kwargs)
            if any(id(tensor) in self._twins for tensor in _tensors(args, kwargs)):
                if _writes(func):
                    return self._write(func, args, kwargs)
                is_index = _is_one_of(func, _indexed()) and id(args[0]) not in self._twins
                if not is_index and not _is_one_of(func, _constant()):
                    return self._run(func, args, kwargs)
        return func(*args, **kwargs)

    def _cast(self, func: Any, args: Any, kwargs: Any) -> Any:
        source = args[0]
        result = func(*args, **kwargs)
        twin = self.real(source)
        if result is source or not _records() or not (twin is not None or source.requires_grad):
            return result
        if is_integer(result.dtype):
            self.track(result, source if twin is None else twin)
        elif twin is not None:
            return self._operand(source, result.dtype).to(result.device)
        return result

    def _in_given_dtype(self, func: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Return arguments with floats converted to tracked integers, for a reduction with an integer `dtype`."""
        given = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.dtype) and is_integer(a)]
        source = args[0] if args else None
        if not given or not isinstance(source, torch.Tensor) or is_integer(source.dtype) or not source.requires_grad:
            return args, kwargs
        if _writes(func) or _is_one_of(func, _constant()):
            return args, kwargs
        integers = source.to(given[0])
        self.track(integers, source)
        return (integers, *args[1:]), kwargs

    def _run(self, func: Any, args: Any, kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        outputs, spec = tree_flatten(result)
        dtypes = [output.dtype for output in outputs if isinstance(output, torch.Tensor)]
        if not dtypes:
            return result
        dtype = next((dtype for dtype in dtypes if not is_integer(dtype)), None)
        of_reals = self._of_reals(func, args, kwargs, dtype, outputs)
        if of_reals is None:
            return result
        for place, (output, real) in enumerate(zip(outputs, of_reals)):
            if not isinstance(real, torch.Tensor) or not _is_differentiable(real) or any(output is a for a in args):
                continue
            if is_integer(output.dtype):
                self.track(output, real)
            else:
                outputs[place] = real.to(output.dtype)
        return result if dtype is None else tree_unflatten(outputs, spec)

    def _of_reals(self, func: Any, args: Any, kwargs: Any, dtype: Any, outputs: list[Any]) -> list[Any] | None:
        """Return the results for real numbers in place of the integers; None if the function does not accept them."""
        for given in self._combinations(args, kwargs, dtype):
            try:
                _check_accepts(func, *given)
                found = tree_flatten(func(*given[0], **given[1]))[0]
            except _TORCH_ERRORS:
                continue
            return found if _shapes(found) == _shapes(outputs) else None
        return None

    def _combinations(self, args: Any, kwargs: Any, dtype: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the arguments with real numbers in place of all tracked integers, then of other combinations."""
        leaves, spec = tree_flatten((args, kwargs))
        leaves = [_REAL if isinstance(leaf, torch.dtype) and is_integer(leaf) else leaf for leaf in leaves]
        tensors = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor) and is_integer(leaf.dtype)]
        followed = [i for i in tensors if id(leaves[i]) in self._twins]
        reals = {i: self._operand(leaves[i], dtype) for i in tensors}
        for chosen in (followed, *_subsets(tensors)):
            if not set(chosen).isdisjoint(followed):
                yield tree_unflatten([reals[i] if i in chosen else leaf for i, leaf in enumerate(leaves)], spec)

    def _operand(self, integers: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
        """Return integers as real numbers, for a function with a result of a floating type, or of integers (None)."""
        twin = self.real(integers)
        if twin is None:
            return integers.to(dtype or _REAL)
        return twin if dtype is None else _Operand.apply(twin, dtype, integers.dtype)

    def _write(self, func: Any, args: Any, kwargs: Any) -> Any:
        target, *rest = args
        if is_integer(target.dtype):
            return self._write_integers(func, target, rest, kwargs)
        for given in self._combinations(rest, kwargs, target.dtype):
            try:
                _check_accepts(func, (target, *given[0]), given[1])
                return func(target, *given[0], **given[1])
            except _TORCH_ERRORS:
                continue
        return func(*args, **kwargs)

    def _write_integers(self, func: Any, target: torch.Tensor, rest: Any, kwargs: Any) -> Any:
        base = base_of(target)
        base = target if base is None else base
        before = self._operand(base, None)
        result = func(target, *rest, **kwargs)
        plain = [(tuple(rest), kwargs)] if id(base) in self._twins or id(target) in self._twins else []
        for given in (*self._combinations(rest, kwargs, None), *plain):
            after = before.clone()
            place = after if base is target else _same_place(after, base, target)
            try:
                _check_accepts(func, (place, *given[0]), given[1])
                func(place, *given[0], **given[1])
            except _TORCH_ERRORS:
                continue
            break
        else:
            after = place = base.to(_REAL)  # the write is not differentiable
        for integers, real in ((base, after), (target, place)):
            self._twins.pop(id(integers), None)
            if real.requires_grad:
                self.track(integers, real)
        return result


def _check_accepts(func: Any, args: Any, kwargs: Any) -> None:
    """During a trace, raise what a function raises for real tensors: fake tensors accept more."""
    if fake_mode() is None:
        return
    leaves, spec = tree_flatten((args, kwargs))
    with no_modes(), torch.no_grad():
        given = [_of_ones(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = tree_unflatten(given, spec)
        func(*args, **kwargs)


def _of_ones(value: torch.Tensor) -> torch.Tensor:
    shape = [size if isinstance(size, int) else size.node.hint for size in value.shape]
    return (torch.zeros if is_integer(value.dtype) else torch.ones)(shape, dtype=value.dtype)


def _tensors(args: Any, kwargs: Any) -> Iterator[torch.Tensor]:
    for argument in itertools.chain(args, kwargs.values()):
        if isinstance(argument, torch.Tensor):
            yield argument
        elif isinstance(argument, (tuple, list)):
            yield from _tensors(argument, {})


def _subsets(operands: list[int]) -> Iterator[Sequence[int]]:
    """Yield the combinations of operands, large ones first; only single ones if there are many."""
    max_bytes = len(operands) if len(operands) <= _MAX_OPERANDS else 1
    return itertools.chain.from_iterable(itertools.combinations(operands, n) for n in range(max_bytes, 0, -1))


def _shapes(outputs: list[Any]) -> list[Any]:
    return [output.shape for output in outputs if isinstance(output, torch.Tensor)]


def _records() -> bool:
    """Return whether results get a gradient, backward or (inside torch's transforms) forward."""
    return torch.is_grad_enabled() or (functorch_level() is not None and is_forward_grad_enabled())


def _is_differentiable(real: torch.Tensor) -> bool:
    if not real.requires_grad:
        return functorch_level() is not None and not is_integer(real.dtype)
    return type(real.grad_fn).__name__ != "NotImplemented"


def _writes(func: Callable[..., Any]) -> bool:
    name = func.__name__.partition(".")[0]
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def _same_place(real: torch.Tensor, base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
    """Return the view of `real` that corresponds to the view `view` of `base`."""
    if real.stride() != base.stride():
        return real.new_empty(view.shape)  # overlapping integers: a write to them has no gradient
    return real.as_strided(view.shape, view.stride(), view.storage_offset() - base.storage_offset())
