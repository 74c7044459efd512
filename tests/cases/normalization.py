"""Normalization: functions and primitives."""

from __future__ import annotations

_STATISTICS = "Tensor([0.1, -0.2, 0.3]), Tensor([1.0, 0.5, 2.0])"
_PARAMETERS = "Tensor([1.0, 2.0, -0.5]), Tensor([0.5, 0.0, -1.0])"

CASES = [
    *[f"ops.batch_norm({x}, {_STATISTICS}, {_PARAMETERS})" for x in ("x", "z", "h")],
    *[f"ops.batch_norm({x}, {_STATISTICS}, {_PARAMETERS}, True)" for x in ("x", "z", "h")],
    f"ops.batch_norm(z, {_STATISTICS}, {_PARAMETERS}, training=True, momentum=0.5, eps=0.1)",
    f"ops.batch_norm(i, {_STATISTICS}, {_PARAMETERS})", f"ops.batch_norm('a', {_STATISTICS}, {_PARAMETERS})",
    f"ops.batch_norm(x, {_STATISTICS}, None, None)", f"ops.batch_norm(d, {_STATISTICS}, {_PARAMETERS})",
    f"ops.batch_norm(logits, {_STATISTICS}, {_PARAMETERS})",
    "(lambda a, n: (ops.batch_norm(z, a, n, v, v, True), a, n))(Parameter(Tensor([0.1, -0.2, 0.3]), name='a'),"
    " Parameter(Tensor([1.0, 0.5, 2.0]), name='n'))",
    f"ops.BatchNorm()(x, {_PARAMETERS}, {_STATISTICS})[0]",
    f"ops.BatchNorm(True, 0.1, 0.3)(x, {_PARAMETERS}, {_STATISTICS})[0]",
    f"ops.BatchNorm(is_training=True)(z, {_PARAMETERS}, {_STATISTICS})[3:]", "ops.BatchNorm(data_format='a')",
    "repr(ops.BatchNorm())", "ops.layer_norm(x, (2,))", "ops.LayerNorm()(x, v, v)",
    "ops.LayerNorm(-1, -1)(x, v, v * 2)", "ops.LayerNorm(1, 1, 0.1)(z, m, m)", "ops.LayerNorm(-1, 1)(z, m, m)",
    "ops.LayerNorm(1, -1)(z, m[0], m[1])", "ops.LayerNorm(-1, -1)(h, h[0], h[1])", "repr(ops.LayerNorm())",
    "ops.LayerNorm()(3, v, v)", "ops.group_norm(x, 1, v, v * 2)", "ops.group_norm(z, 3, eps=0.1)",
    "ops.group_norm(img, 2)", "ops.group_norm(h, 1)", "ops.group_norm(img, 3)", "ops.group_norm(img, 2, v, v)",
    "ops.group_norm(img, 'a')", "ops.L2Normalize()(x)", "ops.L2Normalize(1)(z)",
    "ops.L2Normalize(axis=-1, epsilon=10.0)(h)", "ops.L2Normalize([1])(x)", "ops.L2Normalize(5)(x)",
    "ops.L2Normalize()(h)", "ops.L2Normalize()(3)", "ops.lrn(img)", "ops.lrn(img, 1, 2.0, 0.5, 0.75)",
    "ops.LRN(depth_radius=2)(img)", "ops.lrn(z)", "ops.lrn(img, norm_region='a')", "ops.lrn(3)",
]  # fmt: skip
