"""Activation layers."""

_WITHOUT_ARGUMENTS = [
    "ReLU", "ReLU6", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "GELU", "FastGelu", "SiLU", "ELU", "CELU",
    "LeakyReLU", "PReLU", "Softsign", "HSwish", "HSigmoid", "Hardtanh", "HShrink", "SoftShrink", "Mish", "LogSigmoid",
    "Softmin", "Tanhshrink",
]  # fmt: skip
_NAMES = [
    "softmin", "softmax", "softmax2d", "logsoftmax", "relu", "relu6", "rrelu", "silu", "tanh", "tanhshrink",
    "hardtanh", "gelu", "fast_gelu", "elu", "sigmoid", "softsign", "prelu", "leakyrelu", "hswish", "hsigmoid",
    "logsigmoid", "softshrink", "hshrink", "mish",
]  # fmt: skip

CASES = [
    *[f"nn.{name}()({tensor})" for name in _WITHOUT_ARGUMENTS for tensor in ("x", "z", "h")],
    *[f"repr(nn.{name}())" for name in (*_WITHOUT_ARGUMENTS, "SeLU", "GLU", "RReLU", "Softmax2d")],
    *[f"nn.{name}()(3.0)" for name in _WITHOUT_ARGUMENTS if name not in ("PReLU", "LogSigmoid")],
    *[f"nn.{name}(1)" for name in ("ReLU", "SiLU", "Softmax2d")],
    *[f"repr(nn.get_activation('{name}'))" for name in _NAMES],
    *[f"nn.get_activation('{name}')(img)" for name in _NAMES if name != "rrelu"],
    "nn.get_activation('a')", "nn.get_activation('a', 'Dense')", "nn.get_activation(3)", "nn.get_activation(None)",
    "nn.get_activation('')", "nn.Softmax(0)(z)", "nn.Softmax(axis=1)(z)", "nn.Softmax((1,))(z)", "nn.Softmax(3)(z)",
    "nn.Softmax('a')", "nn.Softmax(1.5)", "nn.Softmax2d()(img)", "nn.Softmax2d()(z)", "nn.Softmax2d()(x)",
    "nn.LogSoftmax(0)(z)", "nn.LogSoftmax(axis=1)(z)", "nn.LogSoftmax(3)(z)", "nn.Softmin(0)(z)",
    "nn.Softmin(axis=1)(z)", "nn.Softmin(3)(z)", "nn.GELU(False)(x)", "nn.GELU(approximate=True)(x)", "nn.GELU('a')",
    "nn.GELU(1)", "nn.ELU(1.0)(x)", "nn.CELU(0.5)(x)", "nn.CELU(alpha=2.0)(x)", "nn.CELU(0.0)(x)",
    "nn.LeakyReLU(0.1)(x)", "nn.LeakyReLU(alpha=2.0)(x)", "nn.LeakyReLU(1)(x)", "nn.LeakyReLU(h)(x)",
    "nn.PReLU(3)(x)", "nn.PReLU(3, 0.5)(z)", "nn.PReLU(3, [0.1, 0.2, 0.3])(z)",
    "nn.PReLU(3, Tensor([0.1, 0.2, 0.3]))(x)", "nn.PReLU(2)(x)", "nn.PReLU(0)", "nn.PReLU(-1)", "nn.PReLU(1.0)",
    "nn.PReLU(True)", "nn.PReLU(1, 'a')", "nn.PReLU(1, True)", "nn.PReLU(2, [0.1])", "nn.PReLU(2, Tensor([0.1]))",
    "nn.PReLU(2, Tensor([[0.1, 0.2]]))", "nn.PReLU(2, [0.1, 'a'])", "nn.PReLU(2, Tensor([1, 2]))",
    "nn.PReLU(2, Tensor([1, 2], ms.float16)).w", "nn.PReLU(3, [0.1, 0.2, 0.3]).w", "nn.PReLU().w",
    "[p.name for p in nn.SequentialCell(nn.PReLU(), nn.PReLU(3)).get_parameters()]",
    "[p.name for p in nn.PReLU().get_parameters()]", "nn.Hardtanh(-0.5, 0.5)(x)",
    "nn.Hardtanh(min_val=-1, max_val=0)(x)", "nn.Hardtanh(1.0, -1.0)", "nn.Hardtanh(1, 1)", "nn.Hardtanh('a')",
    "nn.HShrink(0.1)(x)", "nn.HShrink('a')", "nn.HShrink(-1)(x)", "nn.SoftShrink(0.1)(x)", "nn.SoftShrink('a')",
    "nn.SoftShrink(-1.0)(x)", "nn.Threshold(0.1, 20.0)(x)", "nn.Threshold(1, 2)(x)", "nn.Threshold(0.5, -1)(i)",
    "repr(nn.Threshold(0.1, 20))", "nn.Threshold('a', 1)(x)", "nn.Threshold(1)", "nn.GLU()(z)", "nn.GLU(0)(z)",
    "nn.GLU(axis=1)(z)", "nn.GLU('a')(z)", "nn.GLU(5)(z)", "nn.RReLU(0.25, 0.25)(x)",
    "nn.RReLU(0.25, 0.25).set_train()(x)", "nn.RReLU()(q)", "nn.RReLU('a')", "nn.RReLU(0.5, 0.1)", "nn.RReLU(0, 1)(q)",
    "nn.RReLU(0.25, 0.25)(h)", "nn.RReLU(None)", "nn.RReLU(0.1, 'a')", "nn.LogSigmoid()(i)", "nn.ReLU()(i)",
    "nn.ReLU()(x, y)", "nn.LeakyReLU().alpha", "nn.Hardtanh().min_val", "nn.GELU().approximate",
    "nn.GELU(False).approximate", "nn.Softmin().axis", "nn.Threshold(0.1, 20).threshold", "nn.Threshold(0.1, 20).value",
    "repr(nn.SequentialCell(nn.ReLU(), nn.GELU()))",
]  # fmt: skip

DIFFERENCES = {
    "nn.SoftShrink(-1.0)(x)": ("a wrong argument is a ValueError", {"error": "ValueError"}),
    **{
        expression: ("a value of the wrong type is a TypeError", {"error": "TypeError"})
        for expression in ("nn.PReLU(2, [0.1, 'a'])", "nn.PReLU(2, Tensor([1, 2]))")
    },
}
