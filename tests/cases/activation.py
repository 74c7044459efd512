"""Activation functions and their primitives."""

_PLAIN = [
    "relu", "relu6", "sigmoid", "tanh", "silu", "selu", "softsign", "hardswish", "hardsigmoid", "mish", "logsigmoid",
    "tanhshrink", "fast_gelu",
]  # fmt: skip
_WITH_DEFAULTS = [
    "softmax", "log_softmax", "gelu", "elu", "celu", "leaky_relu", "softplus", "hardtanh", "hardshrink", "softshrink",
    "softmin",
]  # fmt: skip
_ALL = _PLAIN + _WITH_DEFAULTS
_FOR_FLOATS = [
    "silu", "mish", "logsigmoid", "softmax", "log_softmax", "gelu", "elu", "celu", "softplus", "hardshrink",
    "softshrink", "softmin",
]  # fmt: skip
_PRIMITIVES = [
    "ReLU", "ReLU6", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "GeLU", "Gelu", "FastGeLU", "FastGelu", "Elu",
    "SeLU", "HSwish", "HSigmoid", "Mish", "Softplus", "Softsign", "HShrink", "SoftShrink", "CeLU",
]  # fmt: skip

CASES = [
    *[f"ops.{name}(x)" for name in _ALL],
    *[f"ops.{name}(z)" for name in _ALL if name != "selu"],
    *[f"ops.{name}(h)" for name in _ALL],
    *[f"ops.{name}(d)" for name in _ALL if name not in ("relu6", "fast_gelu", "hardshrink", "softshrink")],
    *[f"ops.{name}(s)" for name in _ALL if "soft" not in name or name in ("softsign", "softplus", "softshrink")],
    *[f"ops.{name}(e)" for name in _ALL],
    *[f"ops.{name}([1.0, 2.0])" for name in _ALL],
    *[f"ops.{name}(3.0)" for name in _ALL],
    *[f"ops.{name}(i)" for name in _FOR_FLOATS],
    *[f"ops.{name}(i)" for name in ("relu", "hardtanh", "selu", "hardswish", "hardsigmoid", "leaky_relu")],
    *[f"ops.{name}(nan)" for name in ("relu", "sigmoid", "tanh", "silu", "elu")],
    *[f"ops.{name}(w)" for name in ("relu", "sigmoid", "tanh", "tanhshrink", "softmax", "gelu")],
    *[f"ops.{name}()(x)" for name in _PRIMITIVES],
    # axes
    "ops.softmax(z, 0)", "ops.softmax(z, axis=1)", "ops.softmax(z, -3)", "ops.softmax(z, 3)", "ops.softmax(z, 1.5)",
    "ops.softmax(z, (0, 1))", "ops.softmax(z, dtype=ms.float64)", "ops.softmax(h, 0, dtype=ms.float32)",
    "ops.softmax(i, dtype=ms.float32)", "ops.softmax(z, dtype='a')", "ops.softmax(z, True)", "ops.softmax(z, None)",
    "ops.softmax(z, 'a')", "ops.softmax(x, dtype=ms.int32)", "x.softmax(0)", "x.softmax(axis=1)", "x.softmax()",
    "x.softmax(0, ms.float64)", "x.softmax(dim=0)", "ops.Softmax(0)(x)", "ops.Softmax((-1,))(z)", "ops.Softmax('a')",
    "ops.Softmax(5)(x)", "ops.Softmax(1.5)", "repr(ops.Softmax())", "ops.log_softmax(z, 0)",
    "ops.log_softmax(z, axis=-2)", "ops.log_softmax(z, 3)", "ops.log_softmax(z, 'a')", "ops.log_softmax(logits=x)",
    "ops.LogSoftmax(0)(x)", "ops.LogSoftmax(axis=1)(z)", "ops.LogSoftmax('a')(x)", "ops.LogSoftmax(2)(x)",
    "ops.softmin(z, 0)", "ops.softmin(z, axis=1)", "ops.softmin(x, dtype=ms.float64)", "ops.softmin(z, 3)",
    "ops.glu(z)", "ops.glu(z, 0)", "ops.glu(z, axis=2)", "ops.glu(z, 1)", "ops.glu(z, 3)", "ops.glu(z, 'a')",
    "ops.glu(i[:, :2])", "ops.glu(h[:, :2])", "ops.glu(s)", "ops.GLU()(z)", "ops.GLU(axis=0)(z)", "ops.swiglu(z, 1)",
    # parameters
    "ops.relu(x, inplace=False)", "ops.gelu(x, 'tanh')", "ops.gelu(x, approximate='none')", "ops.gelu(x, 'a')",
    "ops.gelu(x, True)", "ops.gelu(h, 'tanh')", "ops.gelu(z * 3, 'tanh')", "ops.elu(x, 1.0)", "ops.elu(x, 'a')",
    "ops.Elu(1.0)(x)", "ops.Elu('a')(x)", "ops.celu(x, 2.0)", "ops.celu(x, alpha=0.5)", "ops.celu(x, -1.0)",
    "ops.celu(x, 0.0)", "ops.celu(x, 'a')", "ops.CeLU(0.5)(x)", "ops.CeLU(0.0)(x)", "ops.leaky_relu(x, 0.01)",
    "ops.leaky_relu(x, alpha=0.5)", "ops.leaky_relu(x, 2.0)", "ops.leaky_relu(x, -0.1)", "ops.leaky_relu(x, 1)",
    "ops.leaky_relu(x, 0)", "ops.leaky_relu(x, 'a')", "ops.prelu(x, v)", "ops.prelu(x, v[:1])", "ops.prelu(z, v)",
    "ops.prelu(z, v[:2])", "ops.prelu(img, m[0])", "ops.prelu(x, m)", "ops.prelu(v, v[:1])", "ops.prelu(v, v)",
    "ops.prelu(s, v[:1])", "ops.prelu(h, h[0])", "ops.prelu(i, v)", "ops.prelu(x, 0.25)",
    "ops.prelu(x, 'a')", "ops.PReLU()(z, v)", "ops.softplus(x, 2)", "ops.softplus(x, beta=0.5)",
    "ops.softplus(z * 20, 1, 20)", "ops.softplus(z, 2, 1)", "ops.softplus(z, threshold=0.5)", "ops.softplus(x, 'a')",
    "ops.softplus(x, 0)", "ops.softplus(x, -1.0)", "ops.hardtanh(x, -0.5, 0.5)", "ops.hardtanh(x, min_val=-1)",
    "ops.hardtanh(x, 0, 1)", "ops.hardtanh(i, -2, 2)", "ops.hardtanh(x, 1.0, -1.0)", "ops.hardtanh(x, 'a')",
    "ops.hardshrink(x, 1.0)", "ops.hardshrink(x, lambd=0.1)", "ops.hardshrink(x, -1.0)", "ops.hardshrink(x, 1)",
    "ops.hardshrink(x, 'a')", "x.hardshrink()", "x.hardshrink(0.1)", "ops.HShrink(0.1)(x)", "ops.HShrink('a')(x)",
    "ops.softshrink(x, 1.0)", "ops.softshrink(x, lambd=0.1)", "ops.softshrink(x, -1.0)", "ops.softshrink(x, 1)",
    "ops.softshrink(x, 'a')", "ops.soft_shrink(x)", "x.soft_shrink(0.1)", "ops.SoftShrink(0.1)(x)",
    "ops.SoftShrink('a')(x)", "ops.threshold(x, 0.1, 20.0)", "ops.threshold(x, thr=0.5, value=-1)",
    "ops.threshold(x, 1, 2)", "ops.threshold(i, 1, 20)", "ops.threshold(i, 1, 2.5)", "ops.threshold(i, 0.5, 2)",
    "ops.threshold(x)", "ops.threshold(x, 'a', 1)", "ops.threshold(x, 1, 'a')", "ops.threshold(x, 0.1, None)",
    "ops.threshold(h, 0.1, 20)", "ops.logit(p)", "ops.logit(p, 0.2)", "ops.logit(p, eps=1e-5)", "p.logit()",
    "p.logit(0.2)", "ops.logit(x, 0.1)", "ops.logit(x)", "ops.logit(p, 'a')", "ops.rrelu(x, 0.25, 0.25)",
    "ops.rrelu(x, lower=0.5, upper=0.5)", "ops.rrelu(x, 0.5, 0.1)", "ops.rrelu(x, 'a')", "ops.rrelu(x, -0.5, -0.5)",
    "ops.rrelu(h, 0.25, 0.25)", "x.sigmoid()", "x.tanh()", "repr(ops.ReLU())", "repr(ops.Elu())", "repr(ops.HShrink())",
    "ops.ReLU()(i)", "ops.ReLU(1)", "ops.relu()", "ops.relu(x, 1, 2)", "ops.relu('a')", "ops.relu(None)",
]  # fmt: skip

_ARGUMENT = ("a wrong argument is a ValueError", {"error": "ValueError"})
_SELU = [-1.5138991, -1.2146217, -0.5485676, 0.44759862, 1.2881594, 2.1287202]
_SELU_GRADIENT = [0.12527474, 0.4961951, 1.5881151, 1.7998509, 2.2201312, 2.6404116]

DIFFERENCES = {
    "ops.relu(nan)": (
        "MindSpore's 0 for nan hides errors",
        {"results": [{"shape": [5], "dtype": "Float32", "values": [1.0, float("nan"), float("inf"), 0.0, 0.0]}]},
    ),
    **{
        f"ops.{expression}(x)": (
            "MindSpore's gradient on the negative side is not the derivative",
            {
                "results": [{"shape": [2, 3], "dtype": "Float32", "values": _SELU}],
                "gradients": {"x": {"shape": [2, 3], "dtype": "Float32", "values": _SELU_GRADIENT}},
            },
        )
        for expression in ("selu", "SeLU()")
    },
    "ops.softshrink(x, -1.0)": _ARGUMENT,
}
