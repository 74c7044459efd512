"""Custom backward: `Cell.bprop`, `InsertGradientOf`, `HookBackward`, `_Function`, and recomputation.

All of them stand on one torch autograd function, `_Custom`: a forward callable and a backward callable over tensors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

from torchspore.common.conversion import as_torch
from torchspore.common.error_classes import also
from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import functorch_level
from torchspore.common.scopes.scope import scope, written_again
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients import integer_gradients
from torchspore.engine.parameters import take_as
from torchspore.engine.values.nested import filled, map_tensors, tensors

__all__ = [
    "HookBackward", "InsertGradientOf", "_Function", "call_with_bprop", "call_with_hooks", "check_recompute_options",
    "recompute", "set_check_bprop",
]  # fmt: skip


_PLACE = Tensor(0)
_WRONG_NUMBER = also(TypeError, ValueError)

_settings = {"check_bprop": False}


def set_check_bprop(on: bool) -> None:
    """Set whether what a `bprop` returns must have the number, shapes and data types of the inputs."""
    _settings["check_bprop"] = on


def _nesting(output: Any) -> Any:
    """Return an output for `filled` without its tensors: their graph holds the function that keeps this.

    Such a cycle would keep all tensors of the graph until the garbage collector runs.
    """
    return map_tensors(lambda _: _PLACE, output)


class _Custom(torch.autograd.Function):
    """Computes `forward_call(values)` forward and `backward_call(inputs, outputs, gradients)` backward, over lists."""

    generate_vmap_rule = True

    @staticmethod
    def forward(forward_call: Any, backward_call: Any, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        outputs = forward_call(values)
        # An output that is an input would lose its own graph: torch wants a new tensor.
        return tuple([o.view_as(o) if any(o is v for v in values) else o for o in outputs])

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, ...]) -> None:
        _, ctx.backward_call, *values = inputs
        ctx.count = len(values)
        ctx.mark_non_differentiable(*[o for o in output if not (o.is_floating_point() or o.is_complex())])
        ctx.save_for_backward(*values, *output)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[Any, ...]:
        saved = ctx.saved_tensors  # read once: a recomputed tensor exists for one reading
        inputs, outputs = saved[: ctx.count], saved[ctx.count :]
        if getattr(ctx.backward_call, "materialize", True):
            gradients = tuple([torch.zeros_like(o) if g is None else g for g, o in zip(gradients, outputs)])
        return None, None, *ctx.backward_call(inputs, outputs, gradients)


def gradient_like(gradient: Any, value: torch.Tensor, api: str, what: str) -> torch.Tensor | None:
    """Return the gradient of `value` that a user's backward function returned: a Tensor, a number or None."""
    if gradient is None or (scope.integers is None and not (value.is_floating_point() or value.is_complex())):
        return None
    if not isinstance(gradient, (Tensor, int, float, complex)):
        raise TypeError(f"For '{api}', {what} must be a Tensor, a number or None, but got {describe(gradient)}.")
    result = as_torch(gradient, value.dtype)
    if result.shape == value.shape:
        return result
    try:
        fits = torch.broadcast_shapes(result.shape, value.shape)
        result = result.expand(value.shape) if fits == value.shape else result.sum_to_size(value.shape)
    except RuntimeError:
        raise ValueError(
            f"For '{api}', {what} must have the shape of what it is the gradient of, {tuple(value.shape)}, "
            f"but got {describe(gradient)}."
        ) from None
    if not isinstance(gradient, Tensor):
        result.from_number = True  # type: ignore[attr-defined]
    return result


class InsertGradientOf:
    """An identity whose gradient goes through a function: `InsertGradientOf(f)(x)` is `x`, with gradient `f(dout)`.

    Args:
        f: takes the gradient of the output, returns the gradient of the input (a Tensor, or a number for all elements),
            or None to keep it.

    Examples:
        >>> import torchspore as ms
        >>> double = ms.ops.InsertGradientOf(lambda dout: dout * 2)
        >>> print(ms.grad(lambda x: double(x) * x)(ms.Tensor([3.0])))
        [9.]
    """

    def __init__(self, f: Callable[[Tensor], Any]) -> None:
        take_as(Callable, f, "f", "InsertGradientOf")
        self.f = f

    def __call__(self, x: Tensor) -> Tensor:
        """Return `x`."""
        if not isinstance(x, Tensor):
            raise TypeError(f"For 'InsertGradientOf', 'x' must be a Tensor, but got {describe(x)}.")

        def backward(inputs: Sequence[torch.Tensor], outputs: Any, gradients: Sequence[torch.Tensor]) -> Any:
            gradient = self.f(wrap(gradients[0]))
            if gradient is None:
                return gradients
            return [gradient_like(gradient, inputs[0], "InsertGradientOf", "the result of 'f'")]

        return wrap(integer_gradients.apply(_Custom, _same, backward, x._t)[0])


class HookBackward:
    """An identity that shows its gradients to a hook, which may replace them.

    Args:
        hook_fn: gets the tuple of the gradients of the outputs; returns None to keep them, or the new gradient(s).
        cell_id: a name, kept as an attribute. Default: "".

    Examples:
        >>> import torchspore as ms
        >>> hook = ms.ops.HookBackward(lambda gradients: gradients[0] * 10)
        >>> print(ms.grad(lambda x: hook(x) * 2)(ms.Tensor([3.0])))
        [20.]
    """

    def __init__(self, hook_fn: Callable[[tuple[Tensor, ...]], Any], cell_id: str = "") -> None:
        take_as(Callable, hook_fn, "hook_fn", "HookBackward")
        self.hook_fn = hook_fn
        self.cell_id = take_as(str, cell_id, "cell_id", "HookBackward")

    def __call__(self, *inputs: Tensor) -> Any:
        """Return the inputs: one unchanged, several as a tuple."""
        outputs = _through_hook(inputs, self.hook_fn, "HookBackward")
        return outputs[0] if len(outputs) == 1 else outputs


def _same(values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [value.view_as(value) for value in values]


def _through_hook(inputs: tuple[Any, ...], hook: Callable[[tuple[Tensor, ...]], Any], api: str) -> tuple[Any, ...]:
    """Return `inputs` (tensors and other objects), whose gradients pass through `hook`."""
    found = [x for x in inputs if isinstance(x, Tensor)]
    if not found:
        return inputs

    def backward(values: Sequence[torch.Tensor], outputs: Any, gradients: Sequence[torch.Tensor]) -> Any:
        replaced = hook(tuple([wrap(g) for g in gradients]))
        if replaced is None:
            return gradients
        if not isinstance(replaced, (tuple, list)):
            replaced = (replaced,)
        if len(replaced) != len(gradients):
            raise _WRONG_NUMBER(f"For '{api}', the hook got {len(gradients)} gradients, but returned {len(replaced)}.")
        return [gradient_like(g, v, api, "a hook's result") for g, v in zip(replaced, values)]

    passed = iter(integer_gradients.apply(_Custom, _same, backward, *[x._t for x in found]))
    return tuple([wrap(next(passed)) if isinstance(x, Tensor) else x for x in inputs])


def call_with_hooks(
    call: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    before: Callable[[tuple[Tensor, ...]], Any] | None,
    after: Callable[[tuple[Tensor | None, ...], tuple[Tensor, ...]], Any] | None,
) -> Any:
    """Run `call` between two gradient hooks.

    `before` gets the gradients of the outputs and may replace them; `after` gets the gradients of the inputs and those
    of the outputs, and may replace the former. If no input has a gradient, `after` gets None for it.
    """
    of_outputs: list[tuple[Tensor, ...]] = []
    without_inputs = after is not None and not any(tensor._t.requires_grad for tensor in tensors(args))
    if after is not None and not without_inputs:
        args = _through_hook(args, lambda g: after(g, of_outputs[-1] if of_outputs else ()), "Cell backward hook")
    output = call(*args, **kwargs)

    def on_outputs(gradients: tuple[Tensor, ...]) -> Any:
        replaced = before(gradients) if before is not None else None
        if replaced is not None:
            gradients = replaced if isinstance(replaced, tuple) else (replaced,)
        of_outputs.append(gradients)
        if after is not None and without_inputs:
            after((None,), gradients)
        return replaced

    several = isinstance(output, (tuple, list))
    outputs = _through_hook(tuple(output) if several else (output,), on_outputs, "Cell backward hook")
    return outputs if several else outputs[0]


def call_with_bprop(
    name: str,
    construct: Callable[..., Any],
    bprop: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    weights: list[Parameter],
    signed: Callable[..., Any] | None = None,
) -> Any:
    """Run `construct` so that its gradient is what `bprop(*inputs, out, dout)` returns.

    Args:
        name: what errors name.
        construct, bprop: the functions.
        args, kwargs: the arguments of the call.
        weights: the parameters that also have gradients.
        signed: a function whose further parameters are also inputs of `bprop`, if it takes more than `args`, by their
            keywords or defaults. Default: None.

    Raises:
        TypeError: `bprop` does not take the inputs of `construct`, `out` and `dout`.
    """
    places = len(args)
    names: tuple[str, ...] = ()
    if signed is not None and not _takes(bprop, len(args)):
        try:
            bound = inspect.signature(signed).bind(*args, **kwargs)
        except TypeError:
            return construct(*args, **kwargs)  # which raises a better one
        bound.apply_defaults()
        places, names, kwargs = len(bound.args), tuple(bound.kwargs), {}
        args = (*bound.args, *bound.kwargs.values())
    _check_arity(name, bprop, len(args))
    inputs = tensors(args)
    shape: list[Any] = []  # the output's nesting, known after the forward pass

    def forward(values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        given = filled(args, values)
        output = construct(*given[:places], **kwargs, **dict(zip(names, given[places:])))
        shape[:] = [_nesting(output)]
        return [tensor._t for tensor in tensors(output)]

    def backward(
        values: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]
    ) -> list[Any]:
        out, dout = filled(shape[0], outputs), filled(shape[0], gradients)
        result = bprop(*filled(args, values), out, dout)
        of_weights: dict[Parameter, Any] = {}
        if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict):
            result, of_weights = result
        if _settings["check_bprop"]:
            _check_gradients(name, result, args)
        of_inputs = _spread(name, result, args)
        found = [gradient_like(g, v, f"{name}.bprop", "a gradient") for g, v in zip(of_inputs, values)]
        rest = values[len(inputs) :]
        return found + [
            gradient_like(of_weights.get(w), v, f"{name}.bprop", f"the gradient of '{w.name}'")
            for w, v in zip(weights, rest)
        ]

    values = [tensor._t for tensor in inputs] + [weight._t for weight in weights]
    return filled(shape, integer_gradients.apply(_Custom, forward, backward, *values))[0]


def _check_gradients(name: str, result: Any, args: tuple[Any, ...]) -> None:
    """Check what a `bprop` returns by the inputs.

    Raises:
        TypeError: it is not a tuple, has another number of elements, or one has another data type than its input.
        ValueError: an element has another shape than its input.
    """
    if not isinstance(result, tuple) or len(result) != len(args):
        raise TypeError(
            f"For '{name}', 'bprop' must return a tuple of the gradients of the {len(args)} inputs, but it returned "
            f"{describe(result)}."
        )
    for i, (gradient, argument) in enumerate(zip(result, args)):
        if not (isinstance(argument, Tensor) and isinstance(gradient, Tensor)):
            continue
        if gradient.shape != argument.shape:
            raise ValueError(
                f"For '{name}', 'bprop' must return a gradient of shape {argument.shape} for input {i}, but its shape "
                f"is {gradient.shape}."
            )
        if gradient.dtype != argument.dtype:
            raise TypeError(
                f"For '{name}', 'bprop' must return a gradient of dtype {argument.dtype} for input {i}, but its dtype "
                f"is {gradient.dtype}."
            )


def _spread(name: str, result: Any, args: tuple[Any, ...]) -> list[Any]:
    """Return one gradient per tensor in `args` from bprop's result.

    The result has one element for each argument, or all the gradients of what is in the arguments in sequence; or it is
    the gradient of the first argument alone.

    Raises:
        RuntimeError: there are fewer gradients than values in the arguments.
        TypeError: it is None.
    """
    if result is None:
        raise TypeError(f"For '{name}', 'bprop' must return the gradients of the inputs, but it returned None.")
    given = list(result) if isinstance(result, (tuple, list)) else [result] + [None] * (len(args) - 1)
    leaves = _leaves(args)
    if len(given) == len(args):
        pairs = zip(args, given)
        given = [each for pair in pairs for each in _gradients_of_leaves(*pair)]
    else:
        given = _leaves(given)
    if len(given) < len(leaves):
        raise RuntimeError(
            f"For '{name}', 'bprop' must return gradients of the {len(leaves)} inputs, but it returned {len(given)}."
        )
    gradients: list[Any] = []
    for leaf, gradient in zip(leaves, given):
        if isinstance(leaf, Tensor):
            gradients.append(gradient)
        else:  # it may be sparse
            count, parts = len(tensors(leaf)), tensors(gradient)
            gradients.extend(parts if len(parts) == count else [None] * count)
    return gradients


def _leaves(values: Any) -> list[Any]:
    """Return what is in nested tuples, lists and dicts."""
    if isinstance(values, dict):
        values = tuple(values.values())
    return [leaf for each in values for leaf in _leaves(each)] if isinstance(values, (tuple, list)) else [values]


def _gradients_of_leaves(argument: Any, gradient: Any) -> list[Any]:
    return [None] * len(_leaves(argument)) if gradient is None else _leaves(gradient)


def _check_arity(name: str, bprop: Callable[..., Any], count: int) -> None:
    if not _takes(bprop, count):
        wanted = len(_positional(bprop)) - 2
        raise TypeError(
            f"For '{name}', 'bprop' takes {wanted} inputs, but 'construct' was called with {count}: "
            f"the size of bprop's inputs must equal the size of the cell's inputs. "
            f"Define bprop(self, <the {count} inputs of construct>, out, dout)."
        )


def _takes(bprop: Callable[..., Any], count: int) -> bool:
    """Return whether a `bprop` can be called with this number of inputs."""
    if any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(bprop).parameters.values()):
        return True
    positional = _positional(bprop)
    required = [p for p in positional if p.default is p.empty]
    return len(required) <= count + 2 <= len(positional)


def _positional(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


class _Function:
    """A function with its own backward: subclasses define static `forward(ctx, ...)` and `backward(ctx, *gradients)`.

    `ctx` offers `save_for_backward(*tensors)`, `saved_tensors`, `needs_input_grad`, `set_materialize_grads(bool)`,
    `mark_dirty(*tensors)` and `mark_non_differentiable(*tensors)`, and takes attributes. `apply(*inputs)` runs it;
    `backward` returns one gradient per input of `forward`. A subclass may define `forward(*inputs)` without `ctx`, and
    a static `setup_context(ctx, inputs, output)`, which runs after it.

    MindSpore: `mindspore.common._grad_function._Function`.
    """

    def __init__(self) -> None:
        self.saved_tensors: tuple[Tensor, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = ()
        self._non_differentiable: set[int] = set()
        self._materialize = True
        self._saved_indices: list[int | None] = []

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Compute the outputs; to be defined by the subclass."""
        raise NotImplementedError("For '_Function', define the static method 'forward(ctx, ...)' in the subclass.")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Compute the gradients of the inputs; to be defined by the subclass."""
        raise NotImplementedError("For '_Function', define the static method 'backward(ctx, ...)' in the subclass.")

    def save_for_backward(self, *saved: Tensor) -> None:
        """Keep tensors for `backward`."""
        self.saved_tensors = saved

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """Declare outputs that have no gradient."""
        self._non_differentiable.update(id(output) for output in outputs)

    def mark_dirty(self, *changed: Tensor) -> None:
        """Declare inputs that `forward` changes in place and returns; their gradients are the outputs' gradients."""

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether missing gradients reach `backward` as zeros (True, the default) or as None."""
        self._materialize = take_as(bool, value, "value", "_Function")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward`, with `backward` for its gradient."""
        ctx = cls()
        recording = torch.is_grad_enabled()
        ctx.needs_input_grad = tuple(
            (recording and isinstance(a, Tensor) and a._t.requires_grad)
            or (isinstance(a, Parameter) and a.requires_grad)
            for a in args
        )
        inputs = [a for a in args if isinstance(a, Tensor)]
        shape: list[Any] = []
        non_differentiable: list[int] = []

        def forward(values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
            given = filled(args, values)
            if hasattr(cls, "setup_context"):
                output = cls.forward(*given)
                cls.setup_context(ctx, given, output)
            else:
                output = cls.forward(ctx, *given)
            found = tensors(output)
            non_differentiable[:] = [i for i, tensor in enumerate(found) if id(tensor) in ctx._non_differentiable]
            ctx._saved_indices = _indices(ctx.saved_tensors, [g for g in given if isinstance(g, Tensor)], found)
            shape[:] = [_nesting(output)]
            backward.materialize = ctx._materialize  # type: ignore[attr-defined]
            return [t._t.detach() if i in non_differentiable else t._t for i, t in enumerate(found)]

        def backward(
            values: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]
        ) -> list[Any]:
            live = [*values, *outputs]
            ctx.saved_tensors = tuple(
                saved if index is None else wrap(live[index])
                for saved, index in zip(ctx.saved_tensors, ctx._saved_indices)
            )
            wrapped = [None if g is None else wrap(g) for g in gradients]
            result = cls.backward(ctx, *wrapped)
            given = list(result) if isinstance(result, (tuple, list)) else [result]
            if len(given) < len(args):
                raise ValueError(
                    f"For '{cls.__name__}', 'backward' must return a gradient (or None) for each of the {len(args)} "
                    f"inputs of 'forward', but returned {len(given)}."
                )
            of_tensors = [g for g, a in zip(given, args) if isinstance(a, Tensor)]
            return [gradient_like(g, v, f"{cls.__name__}.backward", "a gradient") for g, v in zip(of_tensors, values)]

        results = list(integer_gradients.apply(_Custom, forward, backward, *[tensor._t for tensor in inputs]))
        for i in non_differentiable:
            results[i] = results[i].detach()
        return filled(shape, results)[0]


def _indices(saved: Sequence[Any], inputs: list[Tensor], outputs: list[Tensor]) -> list[int | None]:
    """Return the index of each saved tensor among inputs and outputs, so that backward gets the one in the graph."""
    known = [*inputs, *outputs]
    return [next((i for i, tensor in enumerate(known) if tensor is s), None) for s in saved]


def check_recompute_options(api: str, **options: Any) -> None:
    """Check options of MindSpore's engine that do not change results: all are bools."""
    for name, value in options.items():
        take_as(bool, value, name, api)


def recompute(block: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run `block` without keeping its intermediate results: the backward pass computes them again.

    Args:
        block: a Cell or function of tensors.
        args: its inputs; `use_reentrant`, `output_recompute`, `early_stop` and `context_fn` among the keyword
            arguments are MindSpore's options: the first three only tune its own engine, `context_fn` must be absent.

    Raises:
        NotImplementedError: `context_fn` is given.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.grad(lambda x: ms.recompute(ms.ops.relu, x) * x)(ms.Tensor([3.0])))
        [6.]
    """
    if not callable(block):
        raise TypeError(f"For 'recompute', 'block' must be a Cell or a function, but got {describe(block)}.")
    options = ("use_reentrant", "output_recompute", "early_stop")
    check_recompute_options("recompute", **{name: kwargs.pop(name) for name in options if name in kwargs})
    if kwargs.pop("context_fn", None) is not None:
        raise NotImplementedError("For 'recompute', 'context_fn' is not supported. Leave it out.")
    if functorch_level() is not None:  # torch's transforms do not let a graph drop what it saves
        return block(*args, **kwargs)
    shape: list[Any] = []
    outside, inside = scope.before, {tensor: tensor._t for tensor in scope.writes}

    def run(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        given = filled(args, values)
        if not shape:
            output = block(*given, **kwargs)
        else:
            with written_again({**outside, **inside}):
                output = block(*given, **kwargs)
        shape[:] = [_nesting(output)]
        return tuple([tensor._t for tensor in tensors(output)])

    values = [tensor._t for tensor in tensors(args)]
    return filled(shape, checkpoint(run, *values, use_reentrant=False))[0]
