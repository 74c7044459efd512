"""Lion: steps of one size, in the direction that a momentum points."""

from __future__ import annotations

from typing import Any

from torchspore.engine.parameters import checked
from torchspore.experimental.optim.optimizer import Betas, ElementwiseOptimizer, NotNegativeNumber, Rate
from torchspore.ops.updates.rules import lion

__all__ = ["Lion"]


class Lion(ElementwiseOptimizer):
    r"""Lion: each element moves by the learning rate, in the direction of a mean of the gradients.

    .. math::
        u = \operatorname{sign}(\beta_1 m + (1 - \beta_1) g), \qquad
        p \leftarrow (1 - lr \lambda) p - lr \cdot u, \qquad m \leftarrow \beta_2 m + (1 - \beta_2) g

    Its steps are larger than AdamW's: a learning rate 3 to 10 times smaller and a `weight_decay` larger by the
    same factor train comparably. It keeps one state instead of two.

    Args:
        params, lr, maximize: see `Optimizer`.
        betas: the two factors, in [0, 1). Default: (0.9, 0.99).
        weight_decay: the multiple :math:`\lambda` of a parameter that is subtracted, times `lr`, >= 0. Default: 0.0.

    Raises:
        TypeError: `params` holds something other than Parameters or dicts, or an argument is of a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.experimental.optim.Lion([weight], lr=0.5)
        >>> optimizer((ms.Tensor([3.0, -0.1]),))
        True
        >>> print(weight.asnumpy())
        [0.5 2.5]

    Source: X. Chen et al., Symbolic Discovery of Optimization Algorithms, 2023, https://arxiv.org/abs/2302.06675.
    """

    _rule = staticmethod(lion)
    _decoupled = True
    _state_names = ("exp_avg",)

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-4,
        betas: Betas = (0.9, 0.99),
        weight_decay: NotNegativeNumber = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize})
