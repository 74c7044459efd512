"""Steps of AdamW and parts of steps of CAME, which only `torchspore.ops.auto_generate` has."""

from __future__ import annotations

from typing import Annotated, Any

from torch import Tensor

from torchspore.engine.failures.errors import describe
from torchspore.engine.op import Operand, op
from torchspore.engine.parameters import Only
from torchspore.ops.updates.rules import corrected_adam
from torchspore.ops.updates.tensor_lists import check_real

__all__ = ["adamw", "apply_adamw", "apply_came_part1", "apply_came_part2", "apply_came_part3", "apply_came_part4"]


def _scalar(value: Any) -> Any:
    """Return a number, or a tensor of one element without dimensions: its value may change from call to call."""
    return value.reshape(()) if isinstance(value, Tensor) else value


def _adam_step(
    states: tuple[Tensor, ...], max_v: Tensor | None, gradient: Tensor, powers: tuple[Any, Any], **settings: Any
) -> tuple[Tensor, ...]:
    """Write a step of AdamW into `states`, the weights and both means; return them. `powers` are of the betas."""
    var, m, v = states
    max_squares = [] if max_v is None else [max_v]
    corrections = 1 - powers[0], 1 - powers[1]
    lists = [var], [gradient.to(m.dtype)], [m], [v], max_squares
    corrected_adam(*lists, corrections=corrections, decoupled=True, **settings)
    return states


@op(name="AdamW")
def adamw(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    max_v: Tensor,
    gradient: Tensor,
    step: Operand,
    lr: Operand,
    beta1: Operand,
    beta2: Operand,
    decay: Operand,
    eps: Operand,
    amsgrad: bool = False,
    maximize: bool = False,
) -> tuple[Tensor, ...]:
    """Do a step of AdamW in place: of the weights `var`, the moments `m` and `v`, and the largest `v`, `max_v`."""
    check_real(gradient, "AdamW")
    step, lr, beta1, beta2, decay, eps = map(_scalar, (step, lr, beta1, beta2, decay, eps))
    settings = {"rate": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "decay": decay}
    gradient = -gradient if maximize else gradient
    return _adam_step((var, m, v), max_v if amsgrad else None, gradient, (beta1**step, beta2**step), **settings)


@op(name="ApplyAdamW")
def apply_adamw(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    beta1_power: Operand,
    beta2_power: Operand,
    lr: Operand,
    weight_decay: Operand,
    beta1: Operand,
    beta2: Operand,
    epsilon: Operand,
    grad: Tensor,
    max_grad_norm: Tensor | None = None,
    amsgrad: bool = False,
    maximize: bool = False,
) -> tuple[Tensor, ...]:
    """Do a step of AdamW in place.

    Args:
        var: the weights, of a floating point type. They are written.
        m, v: the moments, of the shape of `var`. They are written.
        beta1_power, beta2_power: the powers of the betas in the step before this one: 1 in the first step.
        lr: the learning rate.
        weight_decay: the decay of the weights, times the learning rate.
        beta1, beta2: the decays of the moments.
        epsilon: the term that is added to the root of the second moment.
        grad: the gradient, of the shape of `var`.
        max_grad_norm: with `amsgrad`, the largest second moment so far. It is written. Default: None.
        amsgrad: whether to divide by that. Default: False.
        maximize: whether to ascend instead. Default: False.

    Returns:
        (var, m, v).

    Raises:
        ValueError: `max_grad_norm` is given without `amsgrad`, or missing with it.

    Examples:
        >>> import torchspore as ms
        >>> weight, m, v, step = ms.Tensor([1.0, -2.0]), ms.ops.zeros(2), ms.ops.zeros(2), ms.Tensor([0.5, 3.0])
        >>> result = ms.ops.auto_generate.ApplyAdamW()(weight, m, v, 1.0, 1.0, 0.5, 0.0, 0.9, 0.999, 1e-8, step)
        >>> print(weight.asnumpy().round(3))
        [ 0.5 -2.5]
    """
    check_real(grad, "ApplyAdamW", "grad")
    if amsgrad is (max_grad_norm is None):
        raise ValueError("'max_grad_norm' is needed with 'amsgrad' and only there")
    numbers = (beta1_power, beta2_power, lr, weight_decay, beta1, beta2, epsilon)
    power1, power2, lr, weight_decay, beta1, beta2, epsilon = map(_scalar, numbers)
    settings = {"rate": lr, "beta1": beta1, "beta2": beta2, "eps": epsilon, "decay": weight_decay}
    powers = power1 * beta1, power2 * beta2
    return _adam_step((var, m, v), max_grad_norm, -grad if maximize else grad, powers, **settings)


# CAME: Luo et al., "CAME: Confidence-guided Adaptive Memory Efficient Optimization", 2023. With sums instead of
# means, several processes can hold rows of one matrix: they add their sums, and divide by the global shape.


def _matrix(x: Tensor, name: str, api: str) -> None:
    if x.dim() != 2:
        raise ValueError(f"For '{api}', '{name}' must have 2 dimensions, but got {describe(x)}.")
    check_real(x, api, name)


def _shape(x: Tensor, global_shape: Any, api: str) -> tuple[int, int]:
    if global_shape is None:
        return x.shape[0], x.shape[1]
    if len(global_shape) != 2:
        raise ValueError(f"For '{api}', 'global_shape' must be two ints, but got {describe(global_shape)}.")
    return int(global_shape[0]), int(global_shape[1])


def _means(
    rows: Tensor, columns: Tensor, sums: tuple[Tensor, Tensor, Tensor], sum_r: Tensor | None, beta: Any, shape: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the new averages of rows and columns, and the reciprocal root of their product.

    Args:
        rows, columns: the averages so far.
        sums: of the averaged values, over rows, over columns and over all.
        sum_r: the sum of the averages of all processes' rows so far; None: there is one process.
        beta: the decay of the averages.
        shape: the shape of the matrix of all processes.
    """
    of_rows, of_columns, of_all = sums
    total = rows.float().sum() if sum_r is None else sum_r.reshape(())
    total = beta * total + (1 - beta) * of_all.reshape(()) / shape[1]
    rows = beta * rows.float() + (1 - beta) * of_rows / shape[1]
    columns = beta * columns.float() + (1 - beta) * of_columns / shape[0]
    return rows, columns, (rows * shape[0] / total).rsqrt().unsqueeze(1) * columns.rsqrt()


def _sums(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    rows = x.sum(1)
    return rows, x.sum(0), rows.sum()


@op(name="ApplyCamePart1")
def apply_came_part1(grad: Tensor, eps: Operand) -> tuple[Tensor, Tensor, Tensor]:
    """The first part of a step of the optimizer CAME: sums of the squares of the gradient.

    Args:
        grad: the gradient, a Tensor of a floating point type with 2 dimensions.
        eps: the term that is added to each square.

    Returns:
        float32 Tensors: the sums of the rows, of the columns, and of all elements.

    Raises:
        ValueError: `grad` does not have 2 dimensions.

    Examples:
        >>> import torchspore as ms
        >>> sums = ms.ops.auto_generate.ApplyCamePart1()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0.5)
        >>> print(*sums)
        [ 6. 26.] [11. 21.] 32.0
    """
    _matrix(grad, "grad", "ApplyCamePart1")
    return _sums(grad.float().square() + eps)


@op(name="ApplyCamePart2")
def apply_came_part2(
    grad: Tensor,
    sum_grad_r: Tensor,
    sum_grad_c: Tensor,
    sum_grad_rc: Tensor,
    r: Tensor,
    c: Tensor,
    beta2: Operand,
    sum_r: Tensor | None = None,
    global_shape: Any = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The second part of a step of the optimizer CAME: the update from the averages of squares.

    Args:
        grad: the gradient, a Tensor of a floating point type of shape (n, m).
        sum_grad_r, sum_grad_c, sum_grad_rc: what `ApplyCamePart1` returned; the last one with one element.
        r, c: the averages of the squares so far, of shapes (n,) and (m,).
        beta2: the decay of the averages.
        sum_r: the sum of the averages `r` of all processes. Default: None: there is one process.
        global_shape: the shape of the matrix of all processes, two ints. Default: None: the shape of `grad`.

    Returns:
        The new averages of the types of `r` and `c`, the update, a float32 Tensor of shape (n, m), and the sum of the
        squares of the update, of shape (1,).

    Examples:
        >>> import torchspore as ms
        >>> grad = ms.Tensor([[3.0, 3.0]])
        >>> sums = ms.Tensor([18.0]), ms.Tensor([9.0, 9.0]), ms.Tensor([18.0])
        >>> averages = ms.Tensor([0.0]), ms.Tensor([0.0, 0.0])
        >>> r, c, update, square = ms.ops.auto_generate.ApplyCamePart2()(grad, *sums, *averages, 0.0)
        >>> print(r, c, update, square)
        [9.] [9. 9.] [[1. 1.]] [2.]
    """
    _matrix(grad, "grad", "ApplyCamePart2")
    shape = _shape(grad, global_shape, "ApplyCamePart2")
    rows, columns, factor = _means(r, c, (sum_grad_r, sum_grad_c, sum_grad_rc), sum_r, beta2, shape)
    update = grad.float() * factor
    return rows.to(r.dtype), columns.to(c.dtype), update, update.square().sum().reshape(1)


@op(name="ApplyCamePart3")
def apply_came_part3(
    u: Tensor,
    m: Tensor,
    eps: Operand,
    beta1: Operand,
    clip_threshold: Operand,
    sum_square_u: Tensor,
    global_shape: Any = None,
    use_first_moment: Annotated[bool, Only(True)] = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The third part of a step of the optimizer CAME: the first moment, and its squared differences from the update.

    Args:
        u: the update of `ApplyCamePart2`, a Tensor of shape (n, m).
        m: the first moment, of that shape.
        eps: the term that is added to the squares of the differences.
        beta1: the decay of the moment.
        clip_threshold: the limit of the root of the mean square of the update.
        sum_square_u: the sum of the squares of the update, of all processes, with one element.
        global_shape: as for `ApplyCamePart2`.
        use_first_moment: True: the optimizer as it is published. MindSpore's default, False, is not supported.

    Returns:
        The new moment, of the data type of `m`, and float32 Tensors: the sums of the squares of the differences over
        rows, over columns, and over all.

    Raises:
        NotImplementedError: `use_first_moment` is False.

    Examples:
        >>> import torchspore as ms
        >>> part3 = ms.ops.auto_generate.ApplyCamePart3()
        >>> u, m, square = ms.Tensor([[2.0, 2.0]]), ms.Tensor([[0.0, 1.0]]), ms.Tensor([8.0])
        >>> print(*part3(u, m, 0.0, 0.5, 1.0, square, use_first_moment=True))
        [[0.5 1. ]] [0.25] [0.25 0.  ] 0.25
    """
    _matrix(u, "u", "ApplyCamePart3")
    rows, columns = _shape(u, global_shape, "ApplyCamePart3")
    mean_root = (sum_square_u.reshape(()) / (rows * columns)).sqrt()
    update = u.float() / (mean_root / _scalar(clip_threshold)).clamp(min=1)
    moment = beta1 * m.float() + (1 - beta1) * update
    return (moment.to(m.dtype), *_sums((update - moment).square() + eps))


@op(name="ApplyCamePart4")
def apply_came_part4(
    param: Tensor,
    m: Tensor,
    r: Tensor,
    c: Tensor,
    weight_decay: Operand,
    lr: Operand,
    beta3: Operand,
    sum_r: Tensor | None,
    sum_u_r: Tensor,
    sum_u_c: Tensor,
    sum_u_rc: Tensor,
    global_shape: Any = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The last part of a step of the optimizer CAME: the weights move by the moment, as far as it is reliable.

    Args:
        param: the weights, a Tensor of a floating point type of shape (n, m).
        m: the first moment that `ApplyCamePart3` returned.
        r, c: the averages of the squares of differences so far, of shapes (n,) and (m,).
        weight_decay: the decay of the weights, times the learning rate.
        lr: the learning rate.
        beta3: the decay of the averages.
        sum_r, global_shape: as for `ApplyCamePart2`.
        sum_u_r, sum_u_c, sum_u_rc: the sums that `ApplyCamePart3` returned.

    Returns:
        The new weights and averages, of the types of those given, which are not written.

    Examples:
        >>> import torchspore as ms
        >>> weight, m = ms.Tensor([[1.0, 1.0]]), ms.Tensor([[0.5, 0.25]])
        >>> sums = ms.Tensor([8.0]), ms.Tensor([4.0, 4.0]), ms.Tensor([8.0])
        >>> averages = ms.Tensor([0.0]), ms.Tensor([0.0, 0.0])
        >>> print(ms.ops.auto_generate.ApplyCamePart4()(weight, m, *averages, 0.0, 0.1, 0.0, None, *sums)[0])
        [[0.975  0.9875]]
    """
    _matrix(param, "param", "ApplyCamePart4")
    shape = _shape(param, global_shape, "ApplyCamePart4")
    rows, columns, factor = _means(r, c, (sum_u_r, sum_u_c, sum_u_rc), sum_r, beta3, shape)
    weight_decay, lr = _scalar(weight_decay), _scalar(lr)
    moved = param.float() * (1 - lr * weight_decay) - lr * m.float() * factor
    return moved.to(param.dtype), rows.to(r.dtype), columns.to(c.dtype)
