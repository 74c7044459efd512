"""Gradients as scoped transformations of functions: `grad`, `value_and_grad`, `GradOperation`, `stop_gradient`.

A scope replaces the tensors to differentiate by aliases that require grad (the same storage), runs the function, asks
torch's autograd engine for the gradients and puts everything back. Outside scopes nothing requires grad, so plain
forward passes record nothing. Scopes nest: an inner one builds a graph of its own gradient computation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar, overload

import torch

from torchspore.common import mode
from torchspore.common.error_classes import WrongValue
from torchspore.common.frames.tracebacks import shorten
from torchspore.common.hook_handle import unwrap_gradient
from torchspore.common.names.torch_habits import note_called_size
from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import (
    functorch_level,
    is_multithreaded,
    is_zero_tensor,
    run_backward,
    set_grad_enabled,
    set_multithreading,
)
from torchspore.common.scopes import thread_values
from torchspore.common.scopes.scope import commit, discard, leave_transformation, scope
from torchspore.common.sparse_base import Sparse
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients import integer_gradients
from torchspore.engine.gradients.gradient_inputs import (
    as_positions,
    as_weights,
    is_input,
    like_inputs,
    name_of,
    trainable,
    with_positions,
)
from torchspore.engine.parameters import take_as
from torchspore.engine.values.nested import filled, map_tensors, tensors, with_rest
from torchspore.engine.values.torch_values import taken

__all__ = ["GradOperation", "get_grad", "grad", "stop_gradient", "value_and_grad"]

_Arguments = ParamSpec("_Arguments")
_Output = TypeVar("_Output")
PullBack: TypeAlias = Callable[[Any], tuple[list[Any], list[Tensor]]]


@overload
def grad(fn: Callable[_Arguments, Any], grad_position: int = 0) -> Callable[_Arguments, Tensor]: ...
@overload
def grad(
    fn: Callable[_Arguments, Any], grad_position: None, weights: Sequence[Parameter]
) -> Callable[_Arguments, tuple[Tensor, ...]]: ...
@overload
def grad(
    fn: Callable[_Arguments, Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[_Arguments, Any]: ...
@overload
def grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]: ...


def grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the gradient of `fn`.

    Args:
        fn: a function or Cell of tensors. Several outputs count as their sum.
        grad_position: the inputs to differentiate: an int (the result holds one gradient), a tuple of ints (a tuple of
            gradients; of one int the bare gradient), or None (weights alone). Default: 0.
        weights: a Parameter, or a list or tuple of them, to differentiate too. Default: None.
        has_aux: whether only the first output is differentiated; the others are returned with the gradients.
        return_ids: whether each gradient comes with the position of its input, or the name of its weight.
        sens_param: whether the last input is the gradient of the output, to start from. Default: False: ones.

    Returns:
        A function with `fn`'s arguments. It returns the gradients of the inputs; of the weights, when `grad_position`
        is None; or the pair of both. With `has_aux`: (gradients, other outputs). Unused inputs have zero gradients.

    Raises:
        ValueError: `grad_position` and `weights` are both None, or a position is negative or has no input.
        TypeError: in the first call: `fn` is not callable, or `weights` is not a Parameter or a list or tuple of them.

    Integers and bools are differentiated as real numbers, in their data type. Positions count keyword arguments
    after the others; an input without tensors, such as a number, has no gradient and is left out: `()` if it is the
    only one. The gradient is 0 for another tensor among the weights and, outside of graphs, for a parameter that does
    not require one.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.grad(lambda x, y: x * x * y)(ms.Tensor([3.0]), ms.Tensor([2.0])))
        [12.]
    """
    request = _Request("grad", fn, grad_position, weights, has_aux, return_ids, sens_param)

    @_keep_name(fn)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        try:
            output, gradients = request.call(*args, **kwargs)
            return (gradients, output[1:]) if has_aux else gradients
        except Exception as error:
            shorten(error)
            raise

    return gradient


@overload
def value_and_grad(
    fn: Callable[_Arguments, _Output], grad_position: int = 0, *, has_aux: bool = False
) -> Callable[_Arguments, tuple[_Output, Tensor]]: ...
@overload
def value_and_grad(
    fn: Callable[_Arguments, _Output], grad_position: None, weights: Sequence[Parameter], has_aux: bool = False
) -> Callable[_Arguments, tuple[_Output, tuple[Tensor, ...]]]: ...
@overload
def value_and_grad(
    fn: Callable[_Arguments, _Output],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[_Arguments, tuple[_Output, Any]]: ...
@overload
def value_and_grad(
    fn: Callable[..., _Output],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., tuple[_Output, Any]]: ...
def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the outputs of `fn` and its gradient, in one pass.

    Arguments as for `grad`; the returned function returns the pair (outputs of `fn`, gradients).

    Examples:
        >>> import torchspore as ms
        >>> value, gradient = ms.value_and_grad(lambda x: x * x)(ms.Tensor([3.0]))
        >>> print(value, gradient)
        [9.] [6.]
    """
    return _keep_name(fn)(_Request("value_and_grad", fn, grad_position, weights, has_aux, return_ids, sens_param).call)


class GradOperation:
    """Makes gradient functions: `GradOperation(...)(fn)(*inputs)`.

    Args:
        get_all: whether all tensor inputs are differentiated, and what `mutable` marks; else the first. Default: False.
        get_by_list: whether the weights, given as second argument, are differentiated; without one, the trainable
            parameters that the function can reach. Default: False. Together with `get_all` the result is the pair of
            both; without it only the weights' gradients are returned.
        sens_param: whether the last input is the gradient of the output, to start from. Default: False: ones.

    Raises:
        ValueError: there is no second argument, and the parameters cannot be found.

    Examples:
        >>> import torchspore as ms
        >>> gradients = ms.ops.GradOperation(get_all=True)(lambda x, y: x * y)(ms.Tensor([3.0]), ms.Tensor([2.0]))
        >>> print(gradients[0], gradients[1])
        [2.] [3.]
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for flag, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            take_as(bool, value, flag, "GradOperation")
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        """Return the gradient function of `fn`."""
        if self.get_by_list and weights is None:
            weights = trainable(fn)
        position: int | None = None if self.get_by_list and not self.get_all else 0
        request = _Request("GradOperation", fn, position, weights if self.get_by_list else None, False, False)

        @_keep_name(fn)
        def gradient(*args: Any, **kwargs: Any) -> Any:
            sens = None
            try:
                if self.sens_param:
                    args, sens = _without_sens(args, kwargs, "GradOperation")
                every = (*args, *kwargs.values()) if self.get_all else ()
                positions = tuple([i for i, a in enumerate(every) if isinstance(a, (Tensor, Sparse)) or is_input(a)])
                return request.run(args, kwargs, sens, positions if self.get_all else None)[1]
            except Exception as error:
                shorten(error)
                raise

        return gradient


def get_grad(gradients: Any, identifier: Any) -> Tensor:
    """Return one gradient from the result of `grad` with `return_ids=True`.

    Args:
        gradients: the (nested) tuples of (id, gradient).
        identifier: the position of an input, or a Parameter (or its name).

    Raises:
        ValueError: no gradient has that id.

    Examples:
        >>> import torchspore as ms
        >>> gradients = ms.grad(lambda x: x * x, 0, return_ids=True)(ms.Tensor([3.0]))
        >>> print(ms.get_grad(gradients, 0))
        [6.]
    """
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    if not isinstance(wanted, (int, str)) or isinstance(wanted, bool):
        raise TypeError(f"For 'get_grad', 'identifier' must be an int or a Parameter, but got {describe(identifier)}.")
    found = _find_gradient(gradients, wanted)
    if found is None:
        raise WrongValue(f"For 'get_grad', no gradient has the id {wanted!r}.")
    return found


def _find_gradient(gradients: Any, wanted: int | str) -> Tensor | None:
    if not isinstance(gradients, tuple):
        return None
    if len(gradients) == 2 and isinstance(gradients[0], (int, str)):
        return gradients[1] if gradients[0] == wanted else None
    return next((g for branch in gradients if (g := _find_gradient(branch, wanted)) is not None), None)


def stop_gradient(value: _Output) -> _Output:
    """Return `value` unchanged, but no gradient flows back through it.

    Args:
        value: a Tensor, or tuples, lists and dicts of them; anything else is returned unchanged.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor([3.0])))
        [3.]
    """
    return detached(value)


class _Request:
    """The arguments of `grad`. The function and the weights are checked by the first call, as in MindSpore."""

    _caches = frozenset(("_captured",))

    def __init__(
        self,
        api: str,
        fn: Callable[..., Any],
        grad_position: Any,
        weights: Any,
        has_aux: bool,
        return_ids: bool,
        sens_param: bool = False,
    ) -> None:
        for flag, value in (("has_aux", has_aux), ("return_ids", return_ids), ("sens_param", sens_param)):
            take_as(bool, value, flag, api)
        self.api = api
        self.fn = fn
        self.has_aux = has_aux
        self.return_ids = return_ids
        self.sens_param = sens_param
        self.positions = as_positions(grad_position, api)
        self.given_weights = weights
        self.single_weight = isinstance(weights, Tensor)
        self.has_weights = weights is not None
        if grad_position is None and not self.has_weights:
            raise ValueError(f"For '{api}', give 'grad_position' or 'weights': both are None, so nothing is asked for.")

    @functools.cached_property
    def weights(self) -> list[Any]:
        """The weights, in the order in which they were given."""
        return as_weights(self.given_weights, self.api)

    @functools.cached_property
    def unique_weights(self) -> list[Any]:
        """The weights, each of them once."""
        take_as(Callable, self.fn, "fn", self.api)
        return list(dict.fromkeys(self.weights))

    def call(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Return the outputs and the gradients."""
        try:
            if not self.sens_param:
                return self.run(args, kwargs)
            args, sens = _without_sens(args, kwargs, self.api)
            return self.run(args, kwargs, sens)
        except Exception as error:
            shorten(error)
            raise

    def run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], sens: Any = None, positions: tuple[int, ...] | None = None
    ) -> tuple[Any, Any]:
        """Return the outputs and the gradients; `positions` overrides `grad_position`."""
        for argument in args:
            if argument.__class__ is torch.Tensor:
                args = taken(args, self.api)
                break
        if kwargs:
            kwargs = taken(kwargs, self.api)
        if mode.graph and scope.depth == 0 and scope.tracing is None and getattr(self.fn, "_record", None) is None:
            return self._captured(args, kwargs, sens, positions)
        return self._run(args, kwargs, sens, positions)

    @functools.cached_property
    def _captured(self) -> CapturedFunction:
        """What runs in GRAPH_MODE."""
        return CapturedFunction(self._run, name=f"{self.api} of {name_of(self.fn)}")

    def _run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], sens: Any, positions: tuple[int, ...] | None
    ) -> tuple[Any, Any]:
        every = positions is not None
        wanted = self.positions if positions is None else positions
        fn = self.fn
        for position in wanted:
            if position >= len(args) or args[position].__class__ is not Tensor:
                fn, args, kwargs, wanted = with_positions(fn, args, kwargs, wanted, self.api)
                break
        output, inputs, of_weights = differentiate(fn, args, kwargs, wanted, self.unique_weights, self.has_aux, sens)
        if len(self.unique_weights) != len(self.weights):
            found = dict(zip(self.unique_weights, of_weights))
            of_weights = [found[w] for w in self.weights]
        if self.return_ids:
            inputs = [(position, gradient) for position, gradient in zip(wanted, inputs)]
            of_weights = [(w.name, gradient) for w, gradient in zip(self.weights, of_weights)]  # type: ignore[misc]
        of_inputs = inputs[0] if len(inputs) == 1 and not every else tuple(inputs)
        if not self.has_weights:
            return output, of_inputs
        by_weight = of_weights[0] if self.single_weight else tuple(of_weights)
        if not self.positions and not every:
            return output, by_weight
        return output, (of_inputs, by_weight)


def _without_sens(args: tuple[Any, ...], kwargs: dict[str, Any], api: str) -> tuple[tuple[Any, ...], Any]:
    """Return the inputs, and the gradient of the output: the last input, or `sens`, which is removed from kwargs."""
    if "sens" in kwargs:
        return args, kwargs.pop("sens")
    if not args:
        raise ValueError(f"For '{api}', sens_param=True needs the output's gradient as last input.")
    return args[:-1], args[-1]


def differentiate(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    positions: Sequence[int],
    weights: list[Parameter],
    has_aux: bool,
    sens: Any,
) -> tuple[Any, list[Any], list[Tensor]]:
    """Run `fn` in a scope; return its outputs, the gradients of the inputs at `positions`, and of `weights`."""
    if functorch_level() is not None:
        return _differentiate_functionally(fn, args, kwargs, positions, weights, has_aux, sens)
    outermost = scope.depth == 0
    if outermost:
        record = getattr(fn, "_record", None)
        if record is not None and record.answers(args, kwargs, positions, weights):
            fn._record = None  # type: ignore[attr-defined]
            return record.gradients(args, positions, weights, has_aux, sens)
    if scope.tracing is not None:
        scope.tracing.differentiate()

    def take_gradients(output: Any, inputs: list[torch.Tensor], aliases: list[torch.Tensor]) -> Any:
        main = with_rest(output)[0] if has_aux else output
        compute = compute_gradients if scope.integers is None else integer_gradients.through(compute_gradients)
        return output, compute(main, inputs + aliases, sens, create_graph=not outermost), len(inputs)

    output, gradients, count = in_scope(fn, args, kwargs, positions, weights, take_gradients)
    if outermost:
        output = wrap(output._t.detach()) if output.__class__ is Tensor else detached(output)
    return output, like_inputs(args, positions, gradients), [wrap(g) for g in gradients[count:]]


def in_scope(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    positions: Sequence[int],
    weights: list[Parameter],
    then: Callable[[Any, list[torch.Tensor], list[torch.Tensor]], Any],
) -> Any:
    """Run `fn` and then `then(output, inputs' aliases, weights' aliases)` in a scope; return the latter's result.

    A failure leaves every parameter as it was; success writes what was assigned inside, once.
    """
    depth = scope.depth
    was_enabled = torch.is_grad_enabled()
    previous: list[torch.Tensor] = []
    aliases: list[torch.Tensor] = []
    is_beside_others = False
    try:
        set_grad_enabled(True)  # a backward function, in which aliases are to be made, runs without
        if depth == 0:
            scope.begin = []
            is_beside_others = thread_values.begin()
        with_aliases, leaves = alias_inputs(args, positions)
        scope.depth = depth + 1
        alias_weights(weights, depth == 0, previous, aliases)
        result = then(fn(*with_aliases, **kwargs), leaves, aliases)
        leave(depth)
        restore(weights, previous, aliases)
        if depth == 0 and (scope.writes or scope.stashed):
            commit()
        return result
    except BaseException as error:
        leave(depth)
        restore(weights, previous, aliases)
        if depth == 0:
            discard()
        note_called_size(error)
        raise
    finally:
        set_grad_enabled(was_enabled)
        if is_beside_others:
            thread_values.end()


def leave(depth: int) -> None:
    scope.depth = depth
    if depth == 0 and scope.integers is not None:
        integer_gradients.finish()


def alias_inputs(args: Sequence[Any], positions: Sequence[int]) -> tuple[Sequence[Any], list[torch.Tensor]]:
    """Return `args` with aliases that require grad at `positions`, and those aliases' torch tensors."""
    leaves: list[torch.Tensor] = []
    if not positions:
        return args, leaves

    def alias(tensor: Tensor) -> Tensor:
        value = _alias(tensor._t)
        leaves.append(value)
        result = wrap(value)
        if "_hooks" in tensor.__dict__:
            _attach_hooks(tensor, value)
        return result

    with_aliases = list(args)
    for position in positions:
        argument = args[position]
        with_aliases[position] = alias(argument) if argument.__class__ is Tensor else map_tensors(alias, argument)
    return with_aliases, leaves


def alias_weights(
    weights: list[Parameter], outermost: bool, previous: list[torch.Tensor], aliases: list[torch.Tensor]
) -> None:
    """Put aliases that require grad into `weights`; append their old values to `previous`, and the aliases."""
    thread_values.protect(weights)
    previous.extend([w._t for w in weights])
    for weight, before in zip(weights, previous):
        if not weight.__dict__.get("requires_grad"):
            value = before.detach()  # its gradient is 0
        elif outermost and before.is_floating_point():
            value = before.detach().requires_grad_()
        else:
            value = _alias(before)
        aliases.append(value)
        weight._t = value
        if "_hooks" in weight.__dict__ and value.requires_grad and not value.is_meta:
            _attach_hooks(weight, value)


def _alias(value: torch.Tensor) -> torch.Tensor:
    if not (value.is_floating_point() or value.is_complex()):
        return integer_gradients.alias(value)
    # Under an outer scope the alias stays in the outer graph, for second derivatives.
    return Alias.apply(value) if value.requires_grad and scope.depth else value.detach().requires_grad_()


class Alias(torch.autograd.Function):
    """An alias in the graph that is not a view, so that a write to it does not affect the graph of the original."""

    @staticmethod
    def forward(_: Any, value: torch.Tensor) -> torch.Tensor:
        return value.detach()

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


def restore(weights: Sequence[Tensor], previous: list[torch.Tensor], aliases: list[torch.Tensor]) -> None:
    for weight, value, alias in zip(weights, previous, aliases):
        if weight._t is alias:  # else it was written: it keeps the new value for the rest of the outer scope
            weight._t = value


def _attach_hooks(tensor: Tensor, value: torch.Tensor) -> None:
    for hook in tensor.__dict__["_hooks"].values():
        value.register_hook(lambda g, hook=hook: None if g is None else unwrap_gradient(hook(wrap(g)), g))


def detached(tree: Any) -> Any:
    """Return `tree` with every tensor detached."""
    return map_tensors(lambda tensor: wrap(tensor._t.detach()), tree)


def compute_gradients(
    output: Any, inputs: list[torch.Tensor], sens: Any, *, create_graph: bool, keep_graph: bool = False
) -> list[torch.Tensor]:
    """Return the gradients of the sum of all tensors in `output`, zeros for inputs that it does not depend on."""
    if output.__class__ is Tensor and sens is None:
        roots, seeds = ([output._t], [torch.ones_like(output._t)]) if output._t.requires_grad else ([], [])
    else:
        roots, seeds = _roots_and_seeds(output, sens)
    differentiable = [value for value in inputs if value.requires_grad]
    if not roots or not differentiable:
        return [torch.zeros_like(value) for value in inputs]
    was_multithreaded = is_multithreaded()
    set_multithreading(False)  # scopes are thread-local, and a bprop or a hook must run in this one
    try:
        found = run_backward(
            tuple(roots),
            tuple(seeds),
            create_graph or keep_graph,
            create_graph,
            tuple(differentiable),
            allow_unreachable=True,
            accumulate_grad=False,
        )
    finally:
        set_multithreading(was_multithreaded)
    if mode.reader is not None:
        found = mode.reader.fit_gradients(found, differentiable, create_graph)
    if len(differentiable) == len(inputs):
        return [torch.zeros_like(v) if g is None or is_zero_tensor(g) else g for v, g in zip(inputs, found)]
    by_input = {id(value): gradient for value, gradient in zip(differentiable, found)}
    gradients = [by_input.get(id(value)) for value in inputs]
    return [torch.zeros_like(v) if g is None or is_zero_tensor(g) else g for v, g in zip(inputs, gradients)]


def _roots_and_seeds(output: Any, sens: Any) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    outputs = [tensor._t for tensor in tensors(output)]
    pairs = [(root, seed) for root, seed in zip(outputs, _seeds(outputs, sens)) if root.requires_grad]
    return [root for root, _ in pairs], [seed for _, seed in pairs]


def _seeds(outputs: Sequence[torch.Tensor], sens: Any) -> list[torch.Tensor]:
    """Return the gradients of the outputs to start from: ones, or what `sens` says."""
    if sens is None or isinstance(sens, (int, float)):
        return [torch.full_like(output, 1 if sens is None else sens) for output in outputs]
    given = tensors(sens)
    if len(given) != len(outputs):
        raise ValueError(
            f"For 'GradOperation', the function has {len(outputs)} outputs, but 'sens' {len(given)} tensors."
        )
    seeds = []
    for output, tensor in zip(outputs, given):
        seed = tensor._t
        if seed.shape != output.shape:
            if seed.numel() != 1:
                raise ValueError(
                    f"For 'GradOperation', 'sens' must have the shape of the output, {tuple(output.shape)}, "
                    f"but got {tensor.shape}."
                )
            seed = seed.reshape(()).expand(output.shape)
        seeds.append(seed.to(output.dtype))
    return seeds


def _differentiate_functionally(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    positions: Sequence[int],
    weights: list[Parameter],
    has_aux: bool,
    sens: Any,
) -> tuple[Any, list[Any], list[Tensor]]:
    with integer_gradients.transformation():  # which ends, with the writes, after the gradients are computed
        main, rest, pull_back = pulled_functionally(fn, args, kwargs, positions, weights, has_aux)
        of_inputs, of_weights = pull_back(sens)
    return (main, *rest) if has_aux else main, of_inputs, of_weights


def pulled_functionally(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    positions: Sequence[int],
    weights: list[Parameter],
    has_aux: bool,
) -> tuple[Any, Any, PullBack]:
    """Run `fn` inside vmap or jvp, where torch's own transforms must see the differentiation.

    Returns:
        The outputs that are differentiated, the other ones, and a function of the gradients of the former (None: ones),
        which returns the gradients of the inputs at `positions` and of `weights`.
    """
    inputs = [tensor._t for position in positions for tensor in tensors(args[position])]
    primals, dtypes = integer_gradients.lowered([*inputs, *[weight._t for weight in weights]], every=True)
    of_outputs: list[Any] = []
    outputs: list[Any] = []

    def run(*values: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], Any]:
        # Copies: of the outer tensors only views share the memory, and see what is written.
        remaining = iter(integer_gradients.raised([value.clone() for value in values], dtypes))
        replaced = list(args)
        for position in positions:
            replaced[position] = map_tensors(lambda _: wrap(next(remaining)), args[position])
        thread_values.protect(weights)
        before = [weight._t for weight in weights]
        given = []
        for weight in weights:
            weight._t = next(remaining)
            given.append(weight._t)
        try:
            output = fn(*replaced, **kwargs)
        finally:
            restore(weights, before, given)
        main, rest = with_rest(output) if has_aux else (output, ())
        outputs[:] = [main, rest]
        results, of_outputs[:] = integer_gradients.lowered([t._t for t in tensors(main)])
        leave_transformation()
        return tuple(results), [t._t for t in tensors(rest)]

    def pull_back(sens: Any) -> tuple[list[Any], list[Tensor]]:
        with integer_gradients.transformation():
            gradients = integer_gradients.raised(vjp_fn(tuple(_seeds(values, sens))), dtypes)
        of_weights = [
            wrap(gradient if weight.__dict__.get("requires_grad") else torch.zeros_like(gradient))
            for weight, gradient in zip(weights, gradients[len(inputs) :])
        ]
        return like_inputs(args, positions, gradients), of_weights

    with integer_gradients.transformation():
        vjp: Any = torch.func.vjp(run, *primals, has_aux=True)  # torch's stub forgets the third result
        values, vjp_fn, aux = vjp
        main = filled(outputs[0], integer_gradients.raised(values, of_outputs))
    if scope.depth == 0:
        main = map_tensors(lambda tensor: wrap(tensor._t.clone()), main)
    return main, filled(outputs[1], aux), pull_back


def _keep_name(fn: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    if not hasattr(fn, "__name__"):
        return lambda function: function
    return lambda function: function if hasattr(function, "__self__") else functools.wraps(fn)(function)
