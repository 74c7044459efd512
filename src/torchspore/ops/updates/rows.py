"""Steps of optimizers for some rows that MindSpore keeps in private modules."""

from __future__ import annotations

from typing import Any

from torchspore.ops.updates import rules
from torchspore.ops.updates.primitives import on_rows, proximal_descent
from torchspore.ops.updates.update_primitive import update_primitive

__all__ = [
    "SparseApplyAdagradDA", "SparseApplyCenteredRMSProp", "SparseApplyMomentum", "SparseApplyProximalGradientDescent",
]  # fmt: skip


def _momentum(*, nesterov: Any, **given: Any) -> None:
    rules.sgd(fused=False, **given)


SparseApplyAdagradDA = update_primitive(
    "SparseApplyAdagradDA",
    "var grad_accum grad_square_accum grad indices lr l1 l2 global_step",
    on_rows(rules.adagrad_by_sums),
    "One step of `ApplyAdagradDA` for some rows, in place.",
    returns="var",
    names={"grad_accum": "sums", "grad_square_accum": "squares"},
    attributes={"use_locking": False},
)
SparseApplyCenteredRMSProp = update_primitive(
    "SparseApplyCenteredRMSProp",
    "var mg ms mom lr rho momentum epsilon grad indices",
    on_rows(rules.rms),
    "One step of `ApplyCenteredRMSProp` for some rows, in place.",
    returns="var",
    names={"mg": "means", "rho": "decay"},
    attributes={"use_locking": False},
)
SparseApplyMomentum = update_primitive(
    "SparseApplyMomentum",
    "var accum lr grad indices momentum",
    on_rows(_momentum),
    "One step of `ApplyMomentum` for some rows, in place; `use_nesterov` has no effect, as in MindSpore on a CPU.",
    returns="var",
    names={"accum": "moments"},
    attributes={"use_locking": False, "use_nesterov": False},
)
SparseApplyProximalGradientDescent = update_primitive(
    "SparseApplyProximalGradientDescent",
    "var alpha l1 l2 grad indices",
    on_rows(proximal_descent),
    "One step of `ApplyProximalGradientDescent` for some rows, in place.",
    names={"alpha": "rate"},
    attributes={"use_locking": False},
)
