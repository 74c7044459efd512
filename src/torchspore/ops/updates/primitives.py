"""One step of an optimizer as a primitive, in place: a table of the update rules under MindSpore's names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.engine.arguments.conversions import as_float
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import Operand
from torchspore.engine.primitive import as_primitive
from torchspore.ops.updates import rules
from torchspore.ops.updates.tensor_lists import Scalar, Tensors, as_scalar, can_fuse
from torchspore.ops.updates.update_primitive import REQUIRED, update_primitive

__all__ = [
    "SGD", "Adam", "AdamNoUpdateParam", "AdamWeightDecay", "ApplyAdaMax", "ApplyAdadelta", "ApplyAdagrad",
    "ApplyAdagradDA", "ApplyAdagradV2", "ApplyAdamWithAmsgrad", "ApplyAdamWithAmsgradV2", "ApplyAddSign",
    "ApplyCenteredRMSProp", "ApplyFtrl", "ApplyGradientDescent", "ApplyKerasMomentum", "ApplyMomentum",
    "ApplyPowerSign", "ApplyProximalAdagrad", "ApplyProximalGradientDescent", "ApplyRMSProp", "FusedAdaFactor",
    "FusedAdaFactorWithGlobalNorm", "FusedCastAdamWeightDecay", "FusedSparseAdam", "FusedSparseFtrl",
    "FusedSparseLazyAdam", "FusedSparseProximalAdagrad", "FusedWeightScaleApplyMomentum", "LARSUpdate",
    "SparseApplyAdadelta", "SparseApplyAdagrad", "SparseApplyAdagradV2", "SparseApplyFtrl", "SparseApplyFtrlV2",
    "SparseApplyProximalAdagrad", "SparseApplyRMSProp",
]  # fmt: skip

_Rule = Callable[..., Any]


# Rules as the primitives need them


def _fused(rule: _Rule) -> _Rule:
    """Return a rule that uses a fused kernel where there is one."""

    def step(*, parameters: Tensors, **given: Any) -> None:
        rule(parameters=parameters, fused=can_fuse(parameters[0].device), **given)

    return step


def _momentum(*, gradients: Tensors, gradient_scale: float, **given: Any) -> None:
    if gradient_scale != 1.0:
        gradients = [gradient * gradient_scale for gradient in gradients]
    rules.sgd(gradients=gradients, **given)


def _adam(*, rate: Scalar, beta1_power: Scalar, beta2_power: Scalar, fused: bool = False, **given: Any) -> None:
    """Adam by the powers of the betas, of which the bias correction is made."""
    rules.adam(rate=rate * (1 - beta2_power) ** 0.5 / (1 - beta1_power), fused=fused, **given)


def _adam_update(*, means: Tensors, **given: Any) -> Tensor:
    update = torch.zeros_like(means[0])
    _adam(parameters=[update], means=means, **given)
    return update


def _adam_in_wide_type(
    *, parameters: Tensors, gradients: Tensors, means: Tensors, global_norm: Scalar, **given: Any
) -> None:
    """Adam in the data type of the means."""
    (parameter,), (gradient,), dtype = parameters, gradients, means[0].dtype
    wide = parameter.to(dtype, copy=True)
    scaled = [gradient.to(dtype) / global_norm]
    rules.adam(parameters=[wide], gradients=scaled, means=means, decoupled=True, fused=False, **given)
    parameter.copy_(wide)


def _adamax(*, rate: Scalar, beta1_power: Scalar, **given: Any) -> None:
    rules.adamax(rate=rate / (1 - beta1_power), **given)


def _ftrl(*, lr_power: Scalar, **given: Any) -> None:
    rules.ftrl(power=-lr_power, **given)


def _gradient_descent(*, parameters: Tensors, gradients: Tensors, rate: Scalar) -> None:
    rules.descend(parameters, gradients, rate)


def proximal_descent(*, parameters: Tensors, gradients: Tensors, rate: Scalar, l1: Scalar, l2: Scalar) -> None:
    rules.descend(parameters, gradients, rate)
    rules.shrink(parameters, [as_scalar(rate, parameters[0])], l1, l2)


def _scaled_momentum(*, gradients: Tensors, loss_scale: Scalar, **given: Any) -> None:
    rules.sgd(gradients=[gradient * loss_scale for gradient in gradients], fused=False, **given)


def _adafactor(*, parameters: Tensors, gradients: Tensors, eps: Any, global_norm: Scalar = None, **given: Any) -> None:
    gradient = gradients[0].to(parameters[0].dtype)
    if global_norm is not None:
        gradient = gradient / global_norm
    pair = eps.tolist() if hasattr(eps, "tolist") else eps
    rules.adafactor(parameters=parameters, gradients=[gradient], eps=pair, **given)


def on_rows(rule: _Rule) -> _Rule:
    """Return a rule for gradients of some rows, which reads and writes only these.

    Gradients of one row are added up; gradients of rows that do not exist are ignored.
    """

    def step(*, gradients: Tensors, indices: Tensor, **given: Any) -> None:
        states = {name: value[0] for name, value in given.items() if isinstance(value, list)}
        rows, grad, exist = _existing(gradients[0], indices, len(next(iter(states.values()))))
        rows, total = _merged(rows, grad)
        before = {name: state[rows] for name, state in states.items()}
        parts = {name: [part.clone()] for name, part in before.items()}
        rule(gradients=[total], **{**given, **parts})
        for name, state in states.items():
            state[rows] = torch.where(exist, parts[name][0], before[name])

    return step


def _existing(grad: Tensor, indices: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the row numbers, the gradients of these rows, and whether any row exists.

    Rows that do not exist become one that does, with a gradient of 0: no shape depends on their number.
    """
    if len(grad) != len(indices):
        raise ValueError(f"'grad' must have a row for each of the {len(indices)} indices, but got {describe(grad)}")
    exists = (indices >= 0) & (indices < count)
    kept = torch.where(exists, indices.long(), 0)
    rows = torch.where(exists, kept, torch.nn.functional.pad(kept, (0, 1)).amax())
    return rows, torch.where(exists.view(-1, *[1] * (grad.dim() - 1)), grad, 0), exists.any()


def _merged(rows: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Return the row numbers in order, and for each the sum of the gradients of that row.

    A row may occur several times, each time with the same sum: writing it twice does no harm, and no shape depends on
    the number of unique rows.
    """
    rows, order = rows.sort()
    first = torch.ones_like(rows, dtype=torch.bool)
    first[1:] = rows[1:] != rows[:-1]
    position = first.cumsum(0) - 1
    return rows, torch.zeros_like(grad).index_add_(0, position, grad[order])[position]


def _on_all_rows(rule: _Rule) -> _Rule:
    """Return a rule for gradients of some rows; the other rows have gradient 0."""

    def step(*, parameters: Tensors, gradients: Tensors, indices: Tensor, **given: Any) -> None:
        rows, grad, _ = _existing(gradients[0], indices, len(parameters[0]))
        rule(parameters=parameters, gradients=[torch.zeros_like(parameters[0]).index_add_(0, rows, grad)], **given)

    return step


def _check_scale(primitive: Any) -> None:
    primitive.gradient_scale = float(as_float(primitive.gradient_scale, "ApplyMomentum", "gradient_scale"))


def _check_sgd(primitive: Any) -> None:
    primitive.dampening = float(as_float(primitive.dampening, "SGD", "dampening"))
    primitive.weight_decay = float(as_float(primitive.weight_decay, "SGD", "weight_decay"))
    if primitive.nesterov and primitive.dampening:
        raise ValueError(f"For 'SGD', 'dampening' must be 0 when 'nesterov' is True, but got {primitive.dampening}.")


_ADAFACTOR_INPUTS = (
    "epsilon clip_threshold beta1 beta2 weight_decay learning_rate gradient param exp_avg exp_avg_sq_row "
    "exp_avg_sq_col exp_avg_sq"
)
_ADAFACTOR_ATTRIBUTES = dict.fromkeys(
    ("enable_scale_parameter", "enable_first_moment", "enable_weight_decay"), False
)  # fmt: skip
_ADAFACTOR_UNCHECKED = "epsilon gradient exp_avg exp_avg_sq_row exp_avg_sq_col exp_avg_sq"

# fmt: off
# Gradient descent

ApplyGradientDescent = update_primitive(
    "ApplyGradientDescent", "var alpha delta", _gradient_descent,
    "One step of gradient descent, in place: `var - alpha * delta`.", names={"alpha": "rate"},
)
ApplyProximalGradientDescent = update_primitive(
    "ApplyProximalGradientDescent", "var alpha l1 l2 delta", proximal_descent,
    r"""One step of proximal gradient descent, in place.

    .. math::
        p = var - alpha \cdot delta, \quad var = sign(p) \max(|p| - alpha \cdot l1, 0) / (1 + alpha \cdot l2)
    """, names={"alpha": "rate"},
)
ApplyMomentum = update_primitive(
    "ApplyMomentum", "variable accumulation learning_rate gradient momentum", _fused(_momentum),
    "One step of gradient descent with momentum, in place; see `nn.Momentum`.",
    returns="variable", numbers=True, check=_check_scale, example="""
    >>> import torchspore as ms
    >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
    >>> moment = ms.Parameter(ms.Tensor([0.0, 0.0]), name="moment")
    >>> print(ms.ops.ApplyMomentum()(weight, moment, 0.1, ms.Tensor([1.0, 1.0]), 0.9))
    [0.9 1.9]
    """, attributes={"use_nesterov": False, "use_locking": False, "gradient_scale": 1.0},
)
FusedWeightScaleApplyMomentum = update_primitive(
    "FusedWeightScaleApplyMomentum", "weight_decay loss_scale variable accumulation learning_rate gradient momentum",
    _scaled_momentum,
    "One step of momentum with weight decay, in place; the gradient is multiplied by `loss_scale`.",
    returns="variable", example="""
    >>> import torchspore as ms
    >>> weight, moment = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
    >>> update = ms.ops.FusedWeightScaleApplyMomentum()
    >>> print(update(0.0, 0.5, weight, moment, 0.1, ms.Tensor([2.0]), 0.9))
    [0.9]
    """,
)
ApplyKerasMomentum = update_primitive(
    "ApplyKerasMomentum", "var accum lr grad momentum",
    rules.keras_momentum,
    """One step of gradient descent with momentum, in place: `accum = accum * momentum - lr * grad`, added to `var`.

    With `use_nesterov`, `accum * momentum - lr * grad` with the new `accum` is added instead.
    """, names={"accum": "moments"}, attributes={"use_locking": False, "use_nesterov": False},
)
SGD = update_primitive(
    "SGD", "parameters gradient learning_rate accum momentum stat", rules.sgd_first,
    """One step of stochastic gradient descent with momentum, in place; see `nn.SGD`.

    Elements with a positive `stat` have their first step, which is not damped.
    """, returns="parameters", numbers=True, names={"accum": "moments"}, check=_check_sgd,
    attributes={"dampening": 0.0, "weight_decay": 0.0, "nesterov": False},
)

# Adam and its relatives

Adam = update_primitive(
    "Adam", "var m v beta1_power beta2_power lr beta1 beta2 epsilon gradient",
    _fused(_adam), "One step of Adam, in place; see `nn.Adam`.", numbers=True,
    attributes={"use_locking": False, "use_nesterov": False},
)
AdamNoUpdateParam = update_primitive(
    "AdamNoUpdateParam", "m v beta1_power beta2_power lr beta1 beta2 epsilon gradient", _adam_update,
    "One step of Adam that updates the means in place, and returns what to add to the variable.", returns="",
    attributes={"use_locking": False, "use_nesterov": False},
)
AdamWeightDecay = update_primitive(
    "AdamWeightDecay", "var m v lr beta1 beta2 epsilon decay gradient",
    _fused(partial(rules.adam, decoupled=True)),
    "One step of Adam with decoupled weight decay, in place; see `nn.AdamWeightDecay`.", numbers=True,
    attributes={"use_locking": False},
)
FusedCastAdamWeightDecay = update_primitive(
    "FusedCastAdamWeightDecay", "var m v lr beta1 beta2 epsilon decay gradient global_norm", _adam_in_wide_type,
    """One step of `AdamWeightDecay` for a variable of float16 with means of float32, in place.

    The gradient is divided by `global_norm`.
    """, unchecked="m v gradient", attributes={"use_locking": False},
)
ApplyAdamWithAmsgrad = update_primitive(
    "ApplyAdamWithAmsgrad", "var m v vhat beta1_power beta2_power lr grad", _adam,
    "One step of Adam with AMSGrad, in place; see `nn.Adam`, with `use_amsgrad`.",
    attributes={"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-08, "use_locking": False},
)
ApplyAdamWithAmsgradV2 = update_primitive(
    "ApplyAdamWithAmsgradV2", "var m v vhat beta1_power beta2_power lr beta1 beta2 epsilon grad", _adam,
    "One step of Adam with AMSGrad, in place: `ApplyAdamWithAmsgrad` with all numbers as inputs.",
    attributes={"use_locking": False},
)
ApplyAdaMax = update_primitive(
    "ApplyAdaMax", "var m v beta1_power lr beta1 beta2 epsilon grad", _adamax,
    "One step of AdaMax, in place; see `nn.AdaMax`.", names={"v": "maxima"},
)
FusedSparseAdam = update_primitive(
    "FusedSparseAdam", "var m v beta1_power beta2_power lr beta1 beta2 epsilon grad indices", _on_all_rows(_adam),
    "One step of Adam, in place, with a gradient that is zero except for some rows; all rows change.",
    attributes={"use_locking": False, "use_nesterov": False},
)
FusedSparseLazyAdam = update_primitive(
    "FusedSparseLazyAdam", "var m v beta1_power beta2_power lr beta1 beta2 epsilon grad indices", on_rows(_adam),
    "One step of Adam for some rows, in place; the others do not change.",
    attributes={"use_locking": False, "use_nesterov": False},
)

# Adagrad, Adadelta, RMSProp and FTRL

ApplyAdagrad = update_primitive(
    "ApplyAdagrad", "var accum lr grad", rules.adagrad,
    "One step of Adagrad, in place; see `nn.Adagrad`.", example="""
    >>> import torchspore as ms
    >>> var, accum = ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([0.0]))
    >>> print(ms.ops.ApplyAdagrad()(var, accum, 0.1, ms.Tensor([2.0]))[0], accum.asnumpy())
    [0.9] [4.]
    """, attributes={"update_slots": True},
)
ApplyAdagradV2 = update_primitive(
    "ApplyAdagradV2", "var accum lr grad", rules.adagrad,
    r"One step of `ApplyAdagrad` with :math:`\sqrt{accum} + \epsilon` as denominator, in place.",
    attributes={"epsilon": REQUIRED, "update_slots": True},
)
SparseApplyAdagrad = update_primitive(
    "SparseApplyAdagrad", "var accum grad indices",
    on_rows(rules.adagrad_eps_in_root), "One step of `ApplyAdagrad` for some rows, in place.", example="""
    >>> import torchspore as ms
    >>> var, accum = ms.Parameter(ms.Tensor([[1.0], [1.0]])), ms.Parameter(ms.Tensor([[0.0], [0.0]]))
    >>> update = ms.ops.SparseApplyAdagrad(0.1)
    >>> print(update(var, accum, ms.Tensor([[2.0]]), ms.Tensor([1], ms.int32))[0])
    [[1. ]
     [0.9]]
    """, attributes={"lr": REQUIRED, "update_slots": True, "use_locking": False},
)
SparseApplyAdagradV2 = update_primitive(
    "SparseApplyAdagradV2", "var accum grad indices",
    on_rows(rules.adagrad_eps_in_root), "One step of `SparseApplyAdagrad` with `epsilon` under the root, in place.",
    attributes={"lr": REQUIRED, "epsilon": REQUIRED, "use_locking": False, "update_slots": True},
)
ApplyAdagradDA = update_primitive(
    "ApplyAdagradDA", "var gradient_accumulator gradient_squared_accumulator grad lr l1 l2 global_step",
    rules.adagrad_by_sums,
    r"""One step of Adagrad with dual averaging, in place.

    .. math::
        G = G + g, \quad S = S + g^2, \quad
        var = -lr \cdot sign(G) \max(|G| - l1 \cdot t, 0) / (l2 \cdot t \cdot lr + \sqrt{S})
    """, returns="var", attributes={"use_locking": False},
)
ApplyProximalAdagrad = update_primitive(
    "ApplyProximalAdagrad", "var accum lr l1 l2 grad", rules.proximal_adagrad,
    "One step of proximal Adagrad, in place; see `nn.ProximalAdagrad`.", attributes={"use_locking": False},
)
SparseApplyProximalAdagrad = update_primitive(
    "SparseApplyProximalAdagrad", "var accum lr l1 l2 grad indices",
    on_rows(rules.proximal_adagrad), "One step of `ApplyProximalAdagrad` for some rows, in place.",
    attributes={"use_locking": False},
)
FusedSparseProximalAdagrad = update_primitive(
    "FusedSparseProximalAdagrad", "var accum lr l1 l2 grad indices",
    on_rows(rules.proximal_adagrad), "The same as `SparseApplyProximalAdagrad`.", attributes={"use_locking": False},
)
ApplyAdadelta = update_primitive(
    "ApplyAdadelta", "var accum accum_update lr rho epsilon grad", rules.adadelta,
    "One step of Adadelta, in place; see `nn.Adadelta`.",
)
SparseApplyAdadelta = update_primitive(
    "SparseApplyAdadelta", "var accum accum_updata lr rho grad indices",
    on_rows(rules.adadelta), "One step of `ApplyAdadelta` for some rows, in place.",
    attributes={"epsilon": REQUIRED, "use_locking": False},
)
ApplyRMSProp = update_primitive(
    "ApplyRMSProp", "var mean_square moment learning_rate grad decay momentum epsilon",
    rules.rms, "One step of RMSProp, in place; see `nn.RMSProp`.", returns="var", attributes={"use_locking": False},
)
ApplyCenteredRMSProp = update_primitive(
    "ApplyCenteredRMSProp", "var mean_gradient mean_square moment grad learning_rate decay momentum epsilon", rules.rms,
    "One step of RMSProp with an estimate of the variance, in place; see `nn.RMSProp`, with `centered`.", returns="var",
    attributes={"use_locking": False},
)
SparseApplyRMSProp = update_primitive(
    "SparseApplyRMSProp", "var ms mom lr grad indices",
    on_rows(rules.rms), "One step of `ApplyRMSProp` for some rows, in place.", names={"rho": "decay"},
    attributes={"rho": REQUIRED, "momentum": REQUIRED, "epsilon": REQUIRED, "use_locking": False},
)
ApplyFtrl = update_primitive(
    "ApplyFtrl", "var accum linear grad lr l1 l2 lr_power", _ftrl,
    "One step of FTRL-proximal, in place; see `nn.FTRL`, and H. B. McMahan et al., Ad Click Prediction, 2013.",
    returns="var", attributes={"use_locking": False},
)
SparseApplyFtrl = update_primitive(
    "SparseApplyFtrl", "var accum linear grad indices",
    on_rows(_ftrl), "One step of `ApplyFtrl` for some rows, in place.",
    attributes={"lr": REQUIRED, "l1": REQUIRED, "l2": REQUIRED, "lr_power": REQUIRED, "use_locking": False},
)
SparseApplyFtrlV2 = update_primitive(
    "SparseApplyFtrlV2", "var accum linear grad indices",
    on_rows(_ftrl), "One step of `SparseApplyFtrl` with a shrinkage, in place.",
    attributes={
        "lr": REQUIRED, "l1": REQUIRED, "l2": REQUIRED, "l2_shrinkage": REQUIRED, "lr_power": REQUIRED,
        "use_locking": False,
    },
)
FusedSparseFtrl = update_primitive(
    "FusedSparseFtrl", "var accum linear grad indices",
    on_rows(_ftrl), "The same as `SparseApplyFtrl`.",
    attributes={"lr": REQUIRED, "l1": REQUIRED, "l2": REQUIRED, "lr_power": REQUIRED, "use_locking": False},
)

# Steps by signs, Adafactor and LARS

ApplyAddSign = update_primitive(
    "ApplyAddSign", "var m lr alpha sign_decay beta grad", rules.add_sign,
    r"""One step of AddSign, in place.

    .. math::
        m = \beta m + (1 - \beta) g, \quad var = var - lr (\alpha + sign\_decay \cdot sign(g) sign(m)) g
    """,
)
ApplyPowerSign = update_primitive(
    "ApplyPowerSign", "var m lr logbase sign_decay beta grad", rules.power_sign,
    r"""One step of PowerSign, in place.

    .. math::
        m = \beta m + (1 - \beta) g, \quad var = var - lr \exp(logbase \cdot sign\_decay \cdot sign(g) sign(m)) g
    """,
)
FusedAdaFactor = update_primitive(
    "FusedAdaFactor", _ADAFACTOR_INPUTS, _adafactor,
    """One step of Adafactor, in place; see `nn.AdaFactor`.

    `epsilon` is a pair: a term added to the squared gradient, and the smallest scale of the parameter. For parameters
    with 2 dimensions or more, the means of the squared gradient over the last dimension and over the one before it are
    kept, else `exp_avg_sq`.
    """, attributes=_ADAFACTOR_ATTRIBUTES, returns="param", unchecked=_ADAFACTOR_UNCHECKED,
)
FusedAdaFactorWithGlobalNorm = update_primitive(
    "FusedAdaFactorWithGlobalNorm", f"{_ADAFACTOR_INPUTS} global_norm", _adafactor,
    "One step of `FusedAdaFactor` whose gradient is divided by a last input, `global_norm`, in place.",
    attributes=_ADAFACTOR_ATTRIBUTES, returns="param", unchecked=_ADAFACTOR_UNCHECKED,
)
# fmt: on


@as_primitive
def LARSUpdate(
    weight: Annotated[Tensor, "*S"],
    gradient: Annotated[Tensor, "*S"],
    norm_weight: Tensor,
    norm_gradient: Tensor,
    weight_decay: Operand,
    learning_rate: Operand,
    *,
    epsilon: float = 1e-05,
    hyperpara: float = 0.001,
    use_clip: bool = False,
) -> Tensor:
    """Scale a gradient by its size relative to its weight; Y. You et al., LARS, 2017.

    Args:
        weight: the weight, a Tensor of any shape.
        gradient: its gradient, of the same shape.
        norm_weight, norm_gradient: the sums of their squares, Tensors without dimensions.
        weight_decay: the multiple of the weight that is added to the gradient.
        learning_rate: the learning rate, for `use_clip`.
        epsilon: the term that is added to the denominator. Default: 1e-5.
        hyperpara: the trust coefficient. Default: 0.001.
        use_clip: whether the rate becomes `min(rate / learning_rate, 1)`. Default: False.

    Returns:
        The new gradient.

    Raises:
        ValueError: the shapes differ.
    """
    norms = norm_weight.sqrt(), norm_gradient.sqrt()
    clip_rate = learning_rate if use_clip else None
    settings = {"decay": weight_decay, "coefficient": hyperpara, "eps": epsilon, "clip_rate": clip_rate}
    return rules.lars_gradient(weight, gradient, norms=norms, **settings)
