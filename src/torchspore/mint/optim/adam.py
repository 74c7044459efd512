"""Adam, and Adam with decoupled weight decay, as in PyTorch."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.experimental.optim.adam import CorrectedAdam

__all__ = ["Adam", "AdamW", "FusedAdamW"]


class Adam(CorrectedAdam):
    r"""Adam: steps scaled by running means of the gradient and of its square.

    .. math::
        m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \qquad
        p \leftarrow p - lr \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}

    Args:
        params, lr, weight_decay, maximize: see `Optimizer`.
        betas: the two factors, in [0, 1). Default: (0.9, 0.999).
        eps: the term :math:`\epsilon`, >= 0. Default: 1e-8.
        amsgrad: whether the largest :math:`v` so far takes its place. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.Adam([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -3.0]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]

    MindSpore: `mindspore.mint.optim.Adam`.
    """


class AdamW(Adam):
    """Adam with a weight decay that does not go through the running means: p <- p - lr * weight_decay * p.

    The arguments are those of `Adam`, `weight_decay` being 0.01 by default.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.AdamW([weight], lr=0.1, weight_decay=0.5)
        >>> optimizer((ms.Tensor([0.0, 0.0]),))
        True
        >>> print(weight.asnumpy())
        [0.95 1.9 ]

    MindSpore: `mindspore.mint.optim.AdamW`.
    """

    _decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class FusedAdamW(AdamW):
    """`AdamW`; all optimizers use fused kernels where PyTorch has them.

    MindSpore: `mindspore.mint.optim.FusedAdamW`.
    """
