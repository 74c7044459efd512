"""One step of optimizers whose gradients are rows of a tensor, in place: only those rows are read and written.

Gradients of one row are added up first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.ops.updates.decorator import Gradient, Indices, Scalar, Written, update_rule
from torchspore.ops.updates.dense import adam_step
from torchspore.ops.updates.unfused_rules import adadelta, ftrl, proximal_adagrad, rms

__all__ = [
    "FusedSparseAdam", "FusedSparseFtrl", "FusedSparseLazyAdam", "FusedSparseProximalAdagrad", "SparseApplyAdadelta",
    "SparseApplyAdagrad", "SparseApplyAdagradV2", "SparseApplyFtrl", "SparseApplyFtrlV2",
    "SparseApplyProximalAdagrad", "SparseApplyRMSProp",
]  # fmt: skip


def _merged(grad: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rows' numbers in order, and for each the sum of the gradients of that row.

    A row may stand there several times, each time with the same sum: writing it twice does no harm, and nothing
    depends on how many different rows there are.
    """
    rows, order = indices.long().sort()
    first = torch.ones_like(rows, dtype=torch.bool)
    first[1:] = rows[1:] != rows[:-1]
    place = first.cumsum(0) - 1
    return rows, torch.zeros_like(grad).index_add_(0, place, grad[order])[place]


def _on_rows(
    step: Callable[..., None], written: tuple[Tensor, ...], grad: Tensor, indices: Tensor
) -> tuple[Tensor, ...]:
    """Apply `step`, a function of the variable's rows, the merged gradient and the slots' rows."""
    rows, total = _merged(grad, indices)
    parts = [tensor[rows] for tensor in written]
    step(parts[0], total, *parts[1:])
    for tensor, part in zip(written, parts):
        tensor[rows] = part
    return written


def _by_rule(
    rule: Callable[..., None], written: tuple[Tensor, ...], grad: Tensor, indices: Tensor, *settings: Any
) -> tuple[Tensor, ...]:
    """Apply an update rule over lists of tensors to some rows."""
    return _on_rows(lambda *parts: rule(*[[part] for part in parts], *settings), written, grad, indices)


def _adagrad(
    written: tuple[Tensor, ...], grad: Tensor, indices: Tensor, lr: float, epsilon: float, update_slots: bool
) -> tuple[Tensor, ...]:
    def step(var: Tensor, total: Tensor, accum: Tensor) -> None:
        if update_slots:
            accum.add_(total * total)
        var.sub_(lr * total / (accum + epsilon).sqrt())

    return _on_rows(step, written, grad, indices)


@update_rule
def SparseApplyAdagrad(
    var: Written,
    accum: Written,
    grad: Gradient,
    indices: Indices,
    *,
    lr: float,
    update_slots: bool = True,
    use_locking: bool = False,
) -> Any:
    r"""One step of Adagrad for some rows, in place: :math:`accum = accum + g^2, var = var - lr \cdot g / \sqrt{accum}`.

    The call takes (var, accum, grad, indices) and returns the new values of (var, accum).

    Args:
        lr: the learning rate.
        update_slots: whether `accum` is updated. Default: True.
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.

    Examples:
        >>> import torchspore as ms
        >>> var, accum = ms.Parameter(ms.Tensor([[1.0], [1.0]])), ms.Parameter(ms.Tensor([[0.0], [0.0]]))
        >>> update = ms.ops.SparseApplyAdagrad(0.1)
        >>> print(update(var, accum, ms.Tensor([[2.0]]), ms.Tensor([1], ms.int32))[0])
        [[1. ]
         [0.9]]
    """
    return _adagrad((var, accum), grad, indices, lr, 0.0, update_slots)


@update_rule
def SparseApplyAdagradV2(
    var: Written,
    accum: Written,
    grad: Gradient,
    indices: Indices,
    *,
    lr: float,
    epsilon: float,
    use_locking: bool = False,
    update_slots: bool = True,
) -> Any:
    """One step of Adagrad for some rows, in place; `SparseApplyAdagrad` with `epsilon` under the root.

    The call takes (var, accum, grad, indices) and returns the new values of (var, accum).

    Args:
        lr: the learning rate.
        epsilon: what is added to `accum` under the root.
        use_locking: without effect: updates are never disturbed.
        update_slots: whether `accum` is updated. Default: True.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """
    return _adagrad((var, accum), grad, indices, lr, epsilon, update_slots)


@update_rule
def SparseApplyAdadelta(
    var: Written,
    accum: Written,
    accum_updata: Written,
    lr: Scalar,
    rho: Scalar,
    grad: Gradient,
    indices: Indices,
    *,
    epsilon: float,
    use_locking: bool = False,
) -> Any:
    """One step of Adadelta for some rows, in place; see `ApplyAdadelta`.

    The call takes (var, accum, accum_update, lr, rho, grad, indices) and returns the new values of the first three.

    Args:
        epsilon: what is added under the roots.
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """
    return _by_rule(adadelta, (var, accum, accum_updata), grad, indices, lr, rho, epsilon)


@update_rule
def SparseApplyRMSProp(
    var: Written,
    ms: Written,
    mom: Written,
    lr: Scalar,
    grad: Gradient,
    indices: Indices,
    *,
    rho: float,
    momentum: float,
    epsilon: float,
    use_locking: bool = False,
) -> Any:
    """One step of RMSProp for some rows, in place; see `ApplyRMSProp`.

    The call takes (var, ms, mom, lr, grad, indices) and returns the new values of (var, ms, mom).

    Args:
        rho: the decay of the mean square.
        momentum: the momentum.
        epsilon: what is added under the root.
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """

    def step(*parts: Tensor) -> None:
        rms(*[[part] for part in parts], [], lr, rho, momentum, epsilon)

    return _on_rows(step, (var, ms, mom), grad, indices)


@update_rule
def SparseApplyFtrl(
    var: Written,
    accum: Written,
    linear: Written,
    grad: Gradient,
    indices: Indices,
    *,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
    use_locking: bool = False,
) -> Any:
    """One step of FTRL-proximal for some rows, in place; see `ApplyFtrl`.

    The call takes (var, accum, linear, grad, indices) and returns the new values of (var, accum, linear).

    Args:
        lr: the learning rate, > 0.
        l1, l2: the strengths of the penalties, >= 0.
        lr_power: the power of the accumulated squares that divides the learning rate, <= 0.
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """
    return _by_rule(ftrl, (var, accum, linear), grad, indices, lr, -lr_power, l1, l2)


@update_rule
def SparseApplyFtrlV2(
    var: Written,
    accum: Written,
    linear: Written,
    grad: Gradient,
    indices: Indices,
    *,
    lr: float,
    l1: float,
    l2: float,
    l2_shrinkage: float,
    lr_power: float,
    use_locking: bool = False,
) -> Any:
    """One step of FTRL-proximal for some rows, in place, with a shrinkage; see `SparseApplyFtrl`.

    The call takes (var, accum, linear, grad, indices) and returns the new values of (var, accum, linear).

    Args:
        lr, l1, l2, lr_power: as for `SparseApplyFtrl`.
        l2_shrinkage: the strength of the shrinkage, by which `2 * l2_shrinkage * var` is added to the gradient, but not
            to its square.
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """
    return _by_rule(ftrl, (var, accum, linear), grad, indices, lr, -lr_power, l1, l2, l2_shrinkage)


@update_rule
def SparseApplyProximalAdagrad(
    var: Written,
    accum: Written,
    lr: Scalar,
    l1: Scalar,
    l2: Scalar,
    grad: Gradient,
    indices: Indices,
    *,
    use_locking: bool = False,
) -> Any:
    """One step of proximal Adagrad for some rows, in place; see `ApplyProximalAdagrad`.

    The call takes (var, accum, lr, l1, l2, grad, indices) and returns the new values of (var, accum).

    Args:
        use_locking: without effect: updates are never disturbed.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """
    return _by_rule(proximal_adagrad, (var, accum), grad, indices, lr, l1, l2)


@update_rule
def FusedSparseProximalAdagrad(
    var: Written,
    accum: Written,
    lr: Scalar,
    l1: Scalar,
    l2: Scalar,
    grad: Gradient,
    indices: Indices,
    *,
    use_locking: bool = False,
) -> Any:
    """The same as `SparseApplyProximalAdagrad`.

    Args:
        use_locking: without effect: updates are never disturbed.
    """
    return _by_rule(proximal_adagrad, (var, accum), grad, indices, lr, l1, l2)


@update_rule
def FusedSparseFtrl(
    var: Written,
    accum: Written,
    linear: Written,
    grad: Gradient,
    indices: Indices,
    *,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
    use_locking: bool = False,
) -> Any:
    """The same as `SparseApplyFtrl`.

    Args:
        lr, l1, l2, lr_power, use_locking: as for `SparseApplyFtrl`.
    """
    return _by_rule(ftrl, (var, accum, linear), grad, indices, lr, -lr_power, l1, l2)


@update_rule
def FusedSparseLazyAdam(
    var: Written,
    m: Written,
    v: Written,
    beta1_power: Scalar,
    beta2_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
    grad: Gradient,
    indices: Indices,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """One step of Adam for some rows, in place; the others stay as they are.

    The call takes (var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, indices) and returns the new
    values of (var, m, v).

    Args:
        use_locking: without effect: updates are never disturbed.
        use_nesterov: whether the gradient is taken where the momentum leads to. Default: False.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """
    numbers = (beta1_power, beta2_power, lr, beta1, beta2, epsilon)
    return _on_rows(lambda w, g, a, s: adam_step(w, a, s, g, numbers, use_nesterov), (var, m, v), grad, indices)


@update_rule
def FusedSparseAdam(
    var: Written,
    m: Written,
    v: Written,
    beta1_power: Scalar,
    beta2_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
    grad: Gradient,
    indices: Indices,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """One step of Adam, in place, with a gradient that is zero but for some rows; all rows change.

    The call takes (var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, indices) and returns the new
    values of (var, m, v).

    Args:
        use_locking: without effect: updates are never disturbed.
        use_nesterov: whether the gradient is taken where the momentum leads to. Default: False.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an index is out of range.
    """
    whole = torch.zeros_like(var).index_add_(0, indices, grad)
    adam_step(var, m, v, whole, (beta1_power, beta2_power, lr, beta1, beta2, epsilon), use_nesterov)
    return var, m, v
