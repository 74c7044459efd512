"""Normalization layers."""

from __future__ import annotations

_BATCH = [("BatchNorm1d(3)", "x"), ("BatchNorm1d(3)", "z"), ("BatchNorm2d(4)", "img"), ("SyncBatchNorm(3)", "x")]
_WITH_STATISTICS = "(lambda n: (n({x}), n.moving_mean, n.moving_variance))(nn.{layer}.set_train())"
_5D = "img.reshape(2, 4, 3, 2, 6)"

CASES = [
    *[f"nn.{layer}({x})" for layer, x in _BATCH],
    *[f"nn.{layer}.set_train()({x})" for layer, x in _BATCH],
    *[_WITH_STATISTICS.format(layer=layer, x=x) for layer, x in _BATCH],
    f"nn.BatchNorm3d(4)({_5D})", f"nn.BatchNorm3d(4).set_train()({_5D})",
    _WITH_STATISTICS.format(layer="BatchNorm2d(4, 0.1, 0.3)", x="img"),
    _WITH_STATISTICS.format(layer="BatchNorm2d(4, momentum=1)", x="img"),
    _WITH_STATISTICS.format(layer="BatchNorm2d(4, momentum=0)", x="img"),
    _WITH_STATISTICS.format(layer="BatchNorm2d(4, use_batch_statistics=False)", x="img"),
    _WITH_STATISTICS.format(layer="BatchNorm1d(3, gamma_init=2, beta_init='ones', moving_mean_init=v,"
                            " moving_var_init=3)", x="x"),
    "(lambda n: (n(img), n.moving_mean, n.moving_variance))(nn.BatchNorm2d(4, use_batch_statistics=True))",
    "nn.BatchNorm2d(4, affine=False).set_train()(img)", "nn.BatchNorm1d(3)(h)", "nn.BatchNorm1d(3).set_train()(h)",
    "nn.BatchNorm1d(3, dtype=ms.float16).set_train()(h)", "nn.BatchNorm1d(3)(d)", "nn.BatchNorm1d(3)(i)",
    "nn.BatchNorm1d(3)('a')", "nn.BatchNorm1d(4)(x)", "nn.BatchNorm1d(4)(img)", "nn.BatchNorm2d(3)(x)",
    "nn.BatchNorm3d(4)(img)", "nn.SyncBatchNorm(3)(z)", "nn.BatchNorm2d(4, data_format='a')", "nn.BatchNorm2d(0)",
    "nn.BatchNorm2d(1.0)", "nn.BatchNorm2d(True)", "nn.BatchNorm2d(4, momentum=1.5)", "nn.BatchNorm2d(4, momentum='a')",
    "nn.BatchNorm2d(4, affine=1)", "nn.BatchNorm2d(4, use_batch_statistics=1)", "nn.BatchNorm2d(4, gamma_init=v)",
    "nn.BatchNorm2d(4, gamma_init='a')", "nn.BatchNorm2d(4).momentum", "nn.BatchNorm2d(4).use_batch_statistics",
    "nn.BatchNorm2d(4).num_features", "repr(nn.BatchNorm1d(3))", "repr(nn.BatchNorm2d(4, 0.1, 0.3, False))",
    "repr(nn.BatchNorm3d(4))", "[(p.name, p.requires_grad) for p in nn.BatchNorm2d(4).get_parameters()]",
    "[(p.name, p.requires_grad) for p in nn.BatchNorm3d(4).get_parameters()]",
    "[(p.name, p.requires_grad) for p in nn.SequentialCell(nn.BatchNorm2d(4, affine=False)).get_parameters()]",
    "nn.LayerNorm((3,))(x)", "nn.LayerNorm([3])(x)", "nn.LayerNorm((3, 4), 1, 1)(z)",
    "nn.LayerNorm((4,), 1, -1, gamma_init=2, beta_init='ones')(z)", "nn.LayerNorm((3, 4), -1, 1)(z)",
    "nn.LayerNorm((3,), gamma_init=v, epsilon=0.1)(x)", "nn.LayerNorm((3,))(h)", "nn.LayerNorm((3,))(d)",
    "nn.LayerNorm((3,), dtype=ms.float16)(x)", "nn.LayerNorm((3,))(i)", "nn.LayerNorm((3,))(3)",
    "nn.LayerNorm((4,))(x)", "nn.LayerNorm((3, 4))(z)", "nn.LayerNorm((3,), 1, 1)(z)", "nn.LayerNorm((3,), 9, 9)(x)",
    "nn.LayerNorm(3)", "nn.LayerNorm([])", "nn.LayerNorm((2, 'a'))", "nn.LayerNorm((2, 0))", "repr(nn.LayerNorm((3,)))",
    "repr(nn.LayerNorm([3, 4], 1, 1))", "[(p.name, p.requires_grad) for p in nn.LayerNorm((3,)).get_parameters()]",
    "nn.LayerNormExt('a')", "nn.LayerNormExt(())", "repr(nn.LayerNormExt(3))",
    "[p.name for p in nn.LayerNormExt(3, bias=False).get_parameters()]", "nn.GroupNorm(2, 4)(img)",
    "nn.GroupNorm(4, 4, 0.1)(img)", "nn.GroupNorm(1, 3, gamma_init=v, beta_init=2)(x)", "nn.GroupNorm(3, 3)(z)",
    "nn.GroupNorm(1, 3)(h)", "nn.GroupNorm(1, 3)(d)", "nn.GroupNorm(2, 4)(x)", "nn.GroupNorm(1, 3)(3)",
    "nn.GroupNorm(3, 4)", "nn.GroupNorm(0, 4)", "nn.GroupNorm('a', 4)", "nn.GroupNorm(1, 4, eps=1)",
    "nn.GroupNorm(1, 4, affine=1)", "repr(nn.GroupNorm(2, 4))", "nn.GroupNorm(2, 4, affine=False).trainable_params()",
    "nn.InstanceNorm2d(4)(z)", "nn.InstanceNorm2d(0)", "nn.InstanceNorm2d(4, eps=1)",
    "nn.InstanceNorm2d(4, momentum=1)", "nn.InstanceNorm2d(4, momentum=2.0)", "nn.InstanceNorm2d(4, affine=1)",
    "nn.InstanceNorm2d(4, gamma_init=[1])", "repr(nn.InstanceNorm2d(4))",
    "[(p.name, p.requires_grad) for p in nn.InstanceNorm1d(3).get_parameters()]",
]  # fmt: skip

DIFFERENCES = {
    "nn.LayerNorm((3,))(3)": ("MindSpore looks for the dtype of the number", {"error": "TypeError"}),
    "nn.GroupNorm(1, 3)(3)": ("MindSpore looks for the dtype of the number", {"error": "TypeError"}),
    "nn.LayerNorm((3, 4))(z)": ("about a shape", {"error": "ValueError"}),
    "nn.LayerNorm((3,), 9, 9)(x)": ("about an argument's value", {"error": "ValueError"}),
}
