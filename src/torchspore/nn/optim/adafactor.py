"""Adafactor."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import torch

from torchspore.common import dtype as mstype
from torchspore.common.frames.user_lines import user_stack_level
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.parameters import Fraction, Length, PositiveFloat, Rule, StrictNotNegative, checked
from torchspore.nn.optim.fused import Bucket, FusedOptimizer
from torchspore.nn.optim.optimizer import opt_init_args_register
from torchspore.ops.updates.rules import adafactor
from torchspore.ops.updates.tensor_lists import Scalar, Tensors, is_traced

__all__ = ["AdaFactor"]

_WARM_UP = Rule(
    "'warmup_init' needs 'relative_step' True", lambda warmup_init, relative_step: relative_step or not warmup_init
)


class AdaFactor(FusedOptimizer):
    r"""Adafactor: Adam with little memory, and with learning rates derived from the step and the parameters.

    For parameters with two or more dimensions, the mean of the squared gradient is approximated by the product of its
    means over rows and columns, and only these are kept.

    .. math::
        \hat\beta = 1 - t^{-d}, \qquad v \leftarrow \hat\beta v + (1 - \hat\beta)(g^2 + \epsilon_1), \qquad
        u = g / \sqrt v, \qquad u \leftarrow \alpha \frac{u}{\max(1, RMS(u) / c)}, \qquad p \leftarrow p - u

    where :math:`\alpha = \rho \max(\epsilon_2, RMS(p))` and :math:`\rho = \min(10^{-2}, 1/\sqrt t)`.

    Args:
        params, loss_scale: see `Optimizer`.
        learning_rate: with `relative_step` False :math:`\rho`: a number, the numbers for every step, or a schedule;
            see `Optimizer`. Default: None.
        eps: the numbers :math:`\epsilon_1` and :math:`\epsilon_2`. Default: (1e-30, 1e-3).
        clip_threshold: the limit :math:`c`, a float >= 0. Default: 1.0.
        decay_rate: the exponent :math:`d`, a float in [0, 1]. Default: 0.8.
        beta1: the factor of the running mean of the steps, a float in [0, 1]; None for no mean. Default: 0.9.
        weight_decay: the multiple of :math:`\alpha p` that is subtracted as well, a float >= 0. It applies to all
            groups: theirs have no effect, as in MindSpore. Default: 0.0.
        scale_parameter: whether the size of the parameter enters :math:`\alpha`. Default: True.
        relative_step: whether :math:`\rho` is derived from the step. Default: True.
        warmup_init: whether :math:`10^{-6} t` replaces :math:`10^{-2}`. Default: False.
        compression: whether the means of parameters with less than two dimensions are kept in float16. Default: False.

    Raises:
        ValueError: `learning_rate` together with `relative_step`, or neither of them;
            `warmup_init` without `relative_step`.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([3.0, -3.0]), name="weight")
        >>> optimizer = ms.nn.AdaFactor([weight], learning_rate=0.5, beta1=None, relative_step=False)
        >>> optimizer((ms.Tensor([2.0, -2.0]),))
        (True,)
        >>> print(weight.asnumpy())
        [ 1.5 -1.5]
    """

    _is_elementwise = False
    _centralizes = False

    @opt_init_args_register
    @checked(_WARM_UP)
    def __init__(
        self,
        params: Any,
        learning_rate: Any = None,
        eps: Annotated[Sequence[StrictNotNegative], Length(2, 2)] = (1e-30, 1e-3),
        clip_threshold: StrictNotNegative = 1.0,
        decay_rate: Fraction = 0.8,
        beta1: Fraction | None = 0.9,
        weight_decay: StrictNotNegative = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: PositiveFloat = 1.0,
    ) -> None:
        if relative_step != (learning_rate is None):
            raise ValueError("give either 'learning_rate' or 'relative_step' True")
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        self.relative_step = relative_step
        self.warmup_init = warmup_init
        self.eps = (eps[0], eps[1])
        self.clip_threshold, self.decay_rate, self.beta1 = clip_threshold, decay_rate, beta1
        self.scale_parameter, self.compression = scale_parameter, compression
        self._decay_of_all = weight_decay
        if self.is_group and any(decay != weight_decay for decay in self.group_weight_decay):
            warnings.warn(
                "For 'AdaFactor', the 'weight_decay' of a group has no effect. Give it to the optimizer, or use an "
                "optimizer for each group.",
                stacklevel=user_stack_level(),
            )
        if beta1 is not None:
            self.exp_avg = self._states("exp_avg", 0.0)
        shapes = [tuple(p.shape) if p.ndim > 1 else None for p in self.parameters]
        self.exp_avg_sq_row = self._slots("exp_avg_sq_row_", [shape and shape[:-1] for shape in shapes])
        self.exp_avg_sq_col = self._slots("exp_avg_sq_col_", [shape and shape[:-2] + shape[-1:] for shape in shapes])
        whole = [None if p.ndim > 1 else tuple(p.shape) for p in self.parameters]
        self.exp_avg_sq = self._slots("exp_avg_sq_", whole, compression)
        self.afactor_step = Parameter(Tensor([0.0], mstype.float32), name="afactor_step")

    def _note_decay(self) -> None:
        super()._note_decay()
        if not self.is_group:
            self._decay_of_all = float(self.weight_decay) / self.loss_scale

    def _slots(self, prefix: str, shapes: list[Any], compress: bool = False) -> ParameterTuple:
        """Return new states, of one element where there is no shape: that parameter does not use the state."""
        slots = []
        for parameter, shape in zip(self.parameters, shapes):
            value = parameter._t.new_zeros((1,) if shape is None else shape)
            if compress and shape is not None:
                value = value.half()
            slots.append(Parameter(wrap(value), name=f"{prefix}{parameter.name}"))
        return ParameterTuple(slots)

    def _begin_step(self) -> float:
        if is_traced():
            writable(self.afactor_step).add_(1)
        else:
            self._write("afactor_step", self._read("afactor_step") + 1)
        return 1.0

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        step = self.afactor_step._t.reshape(()) if is_traced() else self._read("afactor_step")
        if self.relative_step:
            rate = _smaller(1e-6 * step if self.warmup_init else 1e-2, 1 / step**0.5)
        decay = self._decay_of_all
        positions = range(len(gradients)) if bucket.positions is None else bucket.positions
        rows, columns, squares = (
            [writable(kind[position]) for position in positions]
            for kind in (self.exp_avg_sq_row, self.exp_avg_sq_col, self.exp_avg_sq)
        )
        with_mean = self.beta1 is not None
        means = [writable(self.exp_avg[position]) for position in positions] if with_mean else bucket.parameters
        adafactor(
            bucket.parameters,
            gradients,
            means,
            rows,
            columns,
            squares,
            rate=rate,
            eps=self.eps,
            clip_threshold=self.clip_threshold,
            beta1=self.beta1,
            beta2=1 - step**-self.decay_rate,
            decay=decay,
            by_parameter=self.scale_parameter,
            with_mean=with_mean,
            with_decay=isinstance(decay, torch.Tensor) or decay > 0,
        )


def _smaller(a: Scalar, b: Scalar) -> Scalar:
    return torch.clamp(b, max=a) if isinstance(b, torch.Tensor) else min(a, b)
