"""Adam, and Adam with decoupled weight decay, as in PyTorch."""

from __future__ import annotations

from torchspore.experimental.optim import adam

__all__ = ["Adam", "AdamW", "FusedAdamW"]


class Adam(adam.CorrectedAdam):
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
    """


class AdamW(adam.AdamW):
    """Adam with a weight decay that does not go through the running means, as `experimental.optim.AdamW`.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.AdamW([weight], lr=0.1, weight_decay=0.5)
        >>> optimizer((ms.Tensor([0.0, 0.0]),))
        True
        >>> print(weight.asnumpy())
        [0.95 1.9 ]
    """


class FusedAdamW(AdamW):
    """`AdamW`; all optimizers use fused kernels where PyTorch has them."""
