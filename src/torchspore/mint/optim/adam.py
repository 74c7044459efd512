"""Adam, and Adam with decoupled weight decay, as in PyTorch."""

from __future__ import annotations

from torchspore.experimental.optim import adam

__all__ = ["Adam", "AdamW", "FusedAdamW"]


class Adam(adam.CorrectedAdam):
    r"""Adam, as `experimental.optim.Adam`, but :math:`\epsilon` is added after the correction of the bias.

    .. math::
        p \leftarrow p - lr \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}

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
    """`AdamW`; all optimizers use fused kernels where PyTorch has them.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> optimizer = ms.mint.optim.FusedAdamW([weight], lr=0.05, weight_decay=0.0)
        >>> _ = optimizer((ms.Tensor([3.0, 3.0]),))
        >>> print(weight.asnumpy())
        [0.95 1.95]
    """
