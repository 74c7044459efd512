"""Muon: momentum with orthogonal updates, for matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from torchspore.engine.parameters import Length, Limits, NotNegative, Rule, checked
from torchspore.experimental.optim.optimizer import NotNegativeNumber, Optimizer, Rate, Step
from torchspore.ops.updates.rules import muon, shrink_by

__all__ = ["Muon"]

_SCALES = {
    "original": lambda rows, columns: math.sqrt(max(1.0, rows / columns)),
    "match_rms_adamw": lambda rows, columns: 0.2 * math.sqrt(max(rows, columns)),
}


class Muon(Optimizer):
    r"""Muon: momentum whose updates are made orthogonal, for the matrices of hidden layers.

    .. math::
        m \leftarrow \mu m + (1 - \mu) g, \qquad u = (1 - \mu) g + \mu m, \qquad
        p \leftarrow (1 - lr \lambda) p - lr \cdot s \cdot \operatorname{orthogonal}(u)

    Without `nesterov`, :math:`u = m`. For the singular value decomposition :math:`u = U S V^T`, :math:`U V^T` is
    :math:`\operatorname{orthogonal}(u)`: :math:`x = u / \max(\|u\|, \epsilon)` and then `ns_steps` Newton-Schulz
    iterations :math:`x \leftarrow a x + (b A + c A^2) x` with :math:`A = x x^T`, in bfloat16. They move the singular
    values near 1, with the default coefficients into about [0.7, 1.2]. As in `torch.optim.Muon`, the factor :math:`s`
    follows one of two conventions, for a matrix of n rows and m columns:

    - "original", :math:`\sqrt{\max(1, n / m)}`, the authors' choice: `lr` is about 0.02.
    - "match_rms_adamw", :math:`0.2 \sqrt{\max(n, m)}`: updates are about as large as AdamW's, whose `lr` and
      `weight_decay` fit then.

    Embeddings, the output layer, biases and gains are better trained by AdamW, even if they are matrices.

    Args:
        lr: see `Optimizer`.
        params: the Parameters to train, of 2 dimensions, or groups of them: dicts with "params" and any of the other
            arguments.
        weight_decay: the multiple :math:`\lambda` of a parameter that is subtracted, times `lr`, >= 0. Default: 0.1.
        momentum: the factor :math:`\mu`, in [0, 1]. Default: 0.95.
        nesterov: whether to use Nesterov momentum. Default: True.
        ns_coefficients: the coefficients a, b and c. Default: (3.4445, -4.775, 2.0315).
        eps: the smallest norm :math:`\epsilon` to divide by, >= 0. Default: 1e-7.
        ns_steps: the number of Newton-Schulz iterations, >= 0. Default: 5.
        adjust_lr_fn: the convention of :math:`s`. Default: None: "original".

    Raises:
        TypeError: `params` holds something other than Parameters or dicts, or an argument is of a wrong type.
        ValueError: a Parameter is not a matrix, or an argument is out of range.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.ops.zeros((2, 2)), name="weight")
        >>> optimizer = ms.experimental.optim.Muon([weight], lr=0.1, ns_coefficients=(2, -1.5, 0.5), ns_steps=10)
        >>> optimizer((ms.Tensor([[5.0, 0.0], [0.0, -3.0]]),))
        True
        >>> print(weight.asnumpy().round(2) + 0.0)
        [[-0.1  0. ]
         [ 0.   0.1]]

    Source: K. Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024,
    https://kellerjordan.github.io/posts/muon; "match_rms_adamw": J. Liu et al., Muon is Scalable for LLM Training,
    2025, https://arxiv.org/abs/2502.16982.
    """

    _state_names = ("momentum_buffer",)
    _is_elementwise = False
    _rules = (
        Rule(
            "all Parameters must be matrices; others are trained by another optimizer, such as AdamW",
            lambda params: all(parameter.ndim == 2 for parameter in params),
            shown=lambda params: ", ".join([f"'{p.name}' of shape {p.shape}" for p in params if p.ndim != 2]),
        ),
    )

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1e-3,
        weight_decay: NotNegativeNumber = 0.1,
        momentum: Annotated[int | float, Limits(0, 1)] = 0.95,
        nesterov: bool = True,
        ns_coefficients: Annotated[Sequence[int | float], Length(3, 3)] = (3.4445, -4.775, 2.0315),
        eps: NotNegativeNumber = 1e-7,
        ns_steps: NotNegative = 5,
        adjust_lr_fn: Literal["original", "match_rms_adamw"] | None = None,
    ) -> None:
        options: dict[str, Any] = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov}
        options |= {"ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn}
        super().__init__(params, options)

    def _update(self, step: Step) -> None:
        options = step.options
        shrink_by(step.parameters, step.rate, options["weight_decay"])
        scale = _SCALES[options["adjust_lr_fn"] or "original"]
        names = {"momentum": "momentum", "nesterov": "nesterov", "eps": "eps"}
        settings = step.hyperparameters({**names, "coefficients": "ns_coefficients", "iterations": "ns_steps"})
        settings["scales"] = [scale(*parameter.shape) for parameter in step.parameters]
        muon(step.parameters, step.gradients, *step.states, rate=step.rate, **settings)
