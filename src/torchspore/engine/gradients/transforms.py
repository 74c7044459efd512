"""Function transformations besides `grad`: `vjp`, `jvp`, `jacrev`, `jacfwd`, `vmap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from torchspore.common.error_classes import WrongValue, also
from torchspore.common.frames.tracebacks import shortens_tracebacks
from torchspore.common.private_torch import functorch_level, functorch_level_of, is_batchedtensor
from torchspore.common.scopes.scope import leave_transformation
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients import integer_gradients
from torchspore.engine.gradients.gradient_inputs import as_positions, as_weights
from torchspore.engine.gradients.recording import pulled
from torchspore.engine.parameters import take_as
from torchspore.engine.values.nested import filled, map_tensors, rebuilt, tensors, with_rest
from torchspore.engine.values.torch_values import taken

__all__ = ["jacfwd", "jacrev", "jvp", "vjp", "vmap"]

_WrongUse = also(ValueError, RuntimeError)  # of vmap: a RuntimeError in MindSpore


@shortens_tracebacks
def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False) -> tuple[Any, ...]:
    """Return the outputs of `fn` and the function that multiplies a vector by its Jacobian.

    Args:
        fn: a function or Cell of tensors.
        inputs: its inputs; all tensors among them are differentiated.
        weights: a Parameter, or a list or tuple of them, to differentiate too. Default: None.
        has_aux: whether only the first output is differentiated; the others come third. Default: False.

    Returns:
        (outputs, vjp_fn) or, with `has_aux`, (first output, vjp_fn, other outputs). `vjp_fn(*vectors)` takes one vector
        per output and returns the tuple of the inputs' gradients; with `weights` the pair (inputs', weights').

    Raises:
        TypeError: `fn` is not callable, or `weights` holds other things than parameters.
        ValueError: the vectors that `vjp_fn` gets do not match the outputs.

    Examples:
        >>> import torchspore as ms
        >>> output, vjp_fn = ms.vjp(lambda x: x * x, ms.Tensor([3.0]))
        >>> print(output, vjp_fn(ms.Tensor([1.0]))[0])
        [9.] [6.]
    """
    take_as(Callable, fn, "fn", "vjp")
    take_as(bool, has_aux, "has_aux", "vjp")
    parameters = as_weights(weights, "vjp")
    inputs = taken(inputs, "vjp")
    every = tuple(i for i, x in enumerate(inputs) if tensors(x))
    main, aux, pull_back = pulled(fn, inputs, every, parameters, has_aux)

    @shortens_tracebacks
    def vjp_fn(*vectors: Any) -> Any:
        given, outputs = tensors(vectors), tensors(main)
        if len(given) != len(outputs):
            raise ValueError(
                f"For 'vjp', the function has {len(outputs)} outputs, but {len(given)} vectors were given."
            )
        of_inputs, of_weights = pull_back(given)
        if weights is None:
            return tuple(of_inputs)
        return tuple(of_inputs), tuple(of_weights) if isinstance(weights, (list, tuple)) else of_weights[0]

    if not has_aux:
        return main, vjp_fn
    return main, vjp_fn, aux[0] if len(aux) == 1 else aux


@shortens_tracebacks
def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Return the outputs of `fn` and the product of its Jacobian with a vector.

    Args:
        fn: a function or Cell of tensors.
        inputs: its input, or the tuple or list of its inputs.
        v: the vector for each input, of the same shape and dtype.
        has_aux: whether only the first output is differentiated; the others come third. Default: False.

    Raises:
        ValueError: the shapes of `inputs` and `v` differ.

    Examples:
        >>> import torchspore as ms
        >>> output, product = ms.jvp(lambda x: x * x, ms.Tensor([3.0]), ms.Tensor([1.0]))
        >>> print(output, product)
        [9.] [6.]
    """
    take_as(Callable, fn, "fn", "jvp")
    take_as(bool, has_aux, "has_aux", "jvp")
    primals = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    vectors = list(v) if isinstance(v, (tuple, list)) else [v]
    if not all(isinstance(x, Tensor) for x in (*primals, *vectors)):
        raise TypeError(f"For 'jvp', 'inputs' and 'v' must be Tensors, but got {describe(inputs)} and {describe(v)}.")
    if [x.shape for x in primals] != [x.shape for x in vectors]:
        raise ValueError(
            f"For 'jvp', 'inputs' and 'v' must have the same shapes, but got {describe(inputs)} and {describe(v)}."
        )
    given, dtypes = integer_gradients.lowered([x._t for x in primals], every=True)
    run, kept = _over_torch(fn, has_aux, dtypes)
    tangents = tuple([x._t.to(p.dtype) for p, x in zip(given, vectors)])

    with integer_gradients.transformation():
        result: Any = torch.func.jvp(run, tuple(given), tangents, has_aux=True)  # torch's stub lacks the third result
        values, products, aux = result
        main = filled(kept[0], integer_gradients.raised(values, kept[2]))
        product = filled(kept[0], integer_gradients.raised(products, kept[2]))
    if not has_aux:
        return main, product
    rest = filled(kept[1], aux)
    return main, product, rest[0] if len(rest) == 1 else rest


def jacrev(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `fn`, row by row in reverse mode: best for few outputs.

    Args:
        fn: a function or Cell of tensors.
        grad_position: the input, or the tuple of inputs, to differentiate. Default: 0.
        has_aux: whether only the first output is differentiated; the others are returned with it. Default: False.

    Returns:
        A function with `fn`'s arguments, which returns Tensors of shape (*output shape, *input shape): nested as the
        outputs are and, inside, a tuple with one for each position if there are several.

    Raises:
        ValueError: a position is negative or has no input.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.jacrev(lambda x: x * x)(ms.Tensor([2.0, 3.0])))
        [[4. 0.]
         [0. 6.]]
    """
    return _jacobian("jacrev", torch.func.jacrev, fn, grad_position, has_aux)


def jacfwd(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `fn`, column by column in forward mode: best for few inputs.

    Arguments and results as for `jacrev`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.jacfwd(lambda x: x * x)(ms.Tensor([2.0, 3.0])))
        [[4. 0.]
         [0. 6.]]
    """
    return _jacobian("jacfwd", torch.func.jacfwd, fn, grad_position, has_aux)


def _jacobian(
    api: str, transform: Callable[..., Any], fn: Callable[..., Any], grad_position: Any, has_aux: bool
) -> Callable[..., Any]:
    take_as(bool, has_aux, "has_aux", api)

    @shortens_tracebacks
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        take_as(Callable, fn, "fn", api)
        positions = as_positions(grad_position, api)
        for position in positions:
            if position >= len(args):
                raise WrongValue(f"For '{api}', 'grad_position' {position} has no input: {len(args)} were given.")
            if not isinstance(args[position], Tensor):
                raise TypeError(
                    f"For '{api}', the input at position {position} must be a Tensor, but got "
                    f"{describe(args[position])}. Wrap it in a Tensor, or choose another position."
                )

        def partial(*inputs: Tensor) -> Any:
            replaced = list(args)
            for position, value in zip(positions, inputs):
                replaced[position] = value
            return fn(*replaced, **kwargs)

        inputs, dtypes = integer_gradients.lowered([args[position]._t for position in positions], every=True)
        run, kept = _over_torch(partial, has_aux, dtypes)

        with integer_gradients.transformation():
            rows, aux = transform(run, argnums=tuple(range(len(inputs))), has_aux=True)(*inputs)
            rows = [[wrap(block) for block in integer_gradients.raised(row, dtypes)] for row in rows]
        remaining = iter(row[0] if len(row) == 1 else tuple(row) for row in rows)
        result = map_tensors(lambda _: next(remaining), kept[0])
        if not has_aux:
            return result
        rest = filled(kept[1], aux)
        return result, rest[0] if len(rest) == 1 else rest

    return jacobian


def vmap(fn: Any, in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Return a function that applies `fn` along an axis of its inputs, all at once.

    Args:
        fn: a function or Cell of tensors; or a CellList, whose cells are each applied to their slice.
        in_axes: the axis of every input (None: the same value for all), as one int or a tuple nested like the inputs.
            Default: 0.
        out_axes: the axis of the outputs where the results are stacked, one int or a tuple. Default: 0.

    Raises:
        ValueError: the inputs have different sizes along their axes, or no input has an axis.

    Examples:
        >>> import torchspore as ms
        >>> dot = lambda x, y: (x * y).sum()
        >>> print(ms.vmap(dot, in_axes=(0, None))(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 1.0])))
        [3. 7.]
    """

    in_axes, out_axes = _in_ints(in_axes), _in_ints(out_axes)

    @shortens_tracebacks
    def mapped(*args: Any) -> Any:
        take_as(Callable, fn, "fn", "vmap")
        _check_axes("in_axes", in_axes)
        _check_axes("out_axes", out_axes)
        args = taken(args, "vmap")
        if hasattr(fn, "append") and len(fn) > 0:
            return _each_cell(fn, args, in_axes, out_axes)
        axes = _as_tuples(in_axes)
        if axes is None or (isinstance(axes, tuple) and not _has_axis(axes)):
            raise _WrongUse(f"For 'vmap', 'in_axes' must give at least one input an axis, but got {in_axes}.")

        out = _as_tuples(out_axes)
        given, dtypes = integer_gradients.lowered([tensor._t for tensor in tensors(args)])
        kept: list[Any] = []

        def run(*values: Any) -> Any:
            output = _with_tensors(fn(*_raised(filled(args, values), dtypes)), out)
            results, of_outputs = integer_gradients.lowered([tensor._t for tensor in tensors(output)])
            each = _spread(out, output, "out_axes")
            kept[:] = [output, of_outputs, each, [r for r, axis in zip(results, each) if axis is None]]
            if any(is_batchedtensor(r) and functorch_level_of(r) == functorch_level() for r in kept[3]):
                raise _WrongUse("For 'vmap', an output without an axis in 'out_axes' must not depend on the samples.")
            return tuple([r for r, axis in zip(results, each) if axis is not None])

        try:
            flat = _spread(axes, args, "in_axes")
            stacked = iter(torch.func.vmap(run, tuple(flat), randomness="different")(*given))
            output, of_outputs, each, constants = kept
            same = iter(constants)
            results = [next(same) if axis is None else _moved(next(stacked), axis) for axis in each]
        except (ValueError, RuntimeError, IndexError) as error:
            if str(error).startswith("For '"):
                raise
            raise _WrongUse(
                f"For 'vmap', {str(error).splitlines()[0]} Given: in_axes={in_axes}, {describe(args)}."
            ) from error
        return _raised(filled(output, results), of_outputs)

    return mapped


def _spread(axes: Any, tree: Any, name: str) -> list[int | None]:
    """Return the axis of each tensor in nested arguments or results.

    Raises:
        ValueError: the axes are nested in another way, or a number has one.
    """
    if isinstance(axes, tuple) and len(axes) == 1 and not isinstance(tree, (tuple, list, dict)):
        axes = axes[0]
    is_nested = isinstance(axes, tuple)
    if isinstance(tree, (tuple, list)) and (not is_nested or len(axes) == len(tree)):
        each = axes if is_nested else (axes,) * len(tree)
        return [found for axis, part in zip(each, tree) for found in _spread(axis, part, name)]
    if is_nested:
        raise _WrongUse(
            f"For 'vmap', {axes} in '{name}' must be an int, or nested as what it is for: {describe(tree)}."
        )
    if isinstance(tree, dict):
        return [found for part in tree.values() for found in _spread(axes, part, name)]
    if isinstance(tree, (bool, int, float)) and axes is not None:
        raise _WrongUse(f"For 'vmap', a number among the inputs has no axis. Give None for {describe(tree)}.")
    return [axes] * len(tensors(tree))


def _raised(tree: Any, dtypes: Sequence[Any]) -> Any:
    """Return tensors with the real numbers that replaced integers converted back."""
    return filled(tree, integer_gradients.raised([tensor._t for tensor in tensors(tree)], dtypes))


def _moved(stacked: torch.Tensor, axis: int) -> torch.Tensor:
    return stacked.movedim(0, axis) if axis else stacked


def _with_tensors(output: Any, axes: Any) -> Any:
    """Return outputs with tensors in place of the numbers that have an axis, and tuples in place of lists."""
    if isinstance(output, (bool, int, float)):
        return output if axes is None else Tensor(output)
    if isinstance(output, (tuple, list)):
        each = axes if isinstance(axes, tuple) and len(axes) == len(output) else (axes,) * len(output)
        parts = [_with_tensors(part, axis) for part, axis in zip(output, each)]
        return tuple(parts) if isinstance(output, list) else rebuilt(output, parts)
    if isinstance(output, dict):
        return rebuilt(output, [_with_tensors(part, axes) for part in output.values()])
    return output


def _each_cell(cells: Any, args: tuple[Any, ...], in_axes: Any, out_axes: Any) -> Any:
    axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
    results = []
    for i, cell in enumerate(cells):
        results.append(cell(*[a if axis is None else wrap(a._t.select(axis, i)) for a, axis in zip(args, axes)]))
    if isinstance(results[0], Tensor):
        return wrap(torch.stack([result._t for result in results], out_axes))
    out = out_axes if isinstance(out_axes, (tuple, list)) else (out_axes,) * len(results[0])
    return tuple([wrap(torch.stack([r._t for r in column], axis)) for column, axis in zip(zip(*results), out)])


def _over_torch(fn: Callable[..., Any], has_aux: bool, dtypes: Sequence[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """Return `fn` over torch tensors, as (main outputs, other outputs), and a list that gets its last outputs.

    Integers among the inputs and outputs are real numbers outside; the list's last element is the outputs' types.
    """
    kept: list[Any] = []

    def run(*values: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], list[torch.Tensor]]:
        # Copies: of the outer tensors only views share the memory, and see what is written.
        output = fn(*[wrap(value) for value in integer_gradients.raised([v.clone() for v in values], dtypes)])
        main, rest = with_rest(output) if has_aux else (output, ())
        results, of_outputs = integer_gradients.lowered([t._t for t in tensors(main)])
        kept[:] = [main, rest, of_outputs]
        leave_transformation()
        return tuple(results), [t._t for t in tensors(rest)]

    return run, kept


def _in_ints(axes: Any) -> Any:
    """Return axes with Python's ints for NumPy's."""
    if isinstance(axes, (tuple, list)):
        return type(axes)(map(_in_ints, axes))
    return int(axes) if isinstance(axes, np.integer) else axes


def _check_axes(name: str, axes: Any) -> None:
    if isinstance(axes, (tuple, list)):
        for axis in axes:
            _check_axes(name, axis)
    elif axes is not None and (not isinstance(axes, int) or isinstance(axes, bool)):
        raise also(TypeError, RuntimeError)(
            f"For 'vmap', '{name}' must be an int, None or nested tuples of them, but got {describe(axes)}."
        )


def _has_axis(axes: Any) -> bool:
    return any(map(_has_axis, axes)) if isinstance(axes, tuple) else axes is not None


def _as_tuples(axes: Any) -> Any:
    return tuple(map(_as_tuples, axes)) if isinstance(axes, (tuple, list)) else axes
