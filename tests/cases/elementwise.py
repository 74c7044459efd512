"""Arithmetic, comparison and logic."""

_BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "pow",
    "floor_divide",
    "remainder",
    "fmod",
    "maximum",
    "minimum",
    "atan2",
    "xlogy",
]
_COMPARE = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
_UNARY = [
    "abs",
    "neg",
    "sign",
    "ceil",
    "floor",
    "trunc",
    "reciprocal",
    "square",
    "exp",
    "expm1",
    "erf",
    "erfc",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "round",
]
_ON_POSITIVE = ["sqrt", "rsqrt", "log", "log1p", "log2", "log10"]

CASES = [
    *[f"ops.{name}(q, y)" for name in _BINARY],
    *[f"ops.{name}(q, 2.5)" for name in _BINARY if name != "xlogy"],
    *[f"ops.{name}(i, j)" for name in ("add", "sub", "mul", "div", "floor_divide", "maximum", "minimum")],
    *[f"ops.{name}(x, y)" for name in _COMPARE],
    *[f"ops.{name}(i, 2)" for name in _COMPARE],
    *[f"ops.{name}(x)" for name in _UNARY],
    *[f"ops.{name}(q)" for name in _ON_POSITIVE],
    *[f"ops.{name}(p)" for name in ("asin", "acos", "atanh")],
    "ops.acosh(q + 1)", "ops.isnan(nan)", "ops.isinf(nan)", "ops.isfinite(nan)",
    *[f"ops.logical_{name}(b, c)" for name in ("and", "or", "xor")],
    "ops.logical_not(b)", "ops.bitwise_and(i, j)", "ops.bitwise_or(i, j)", "ops.bitwise_xor(i, j)",
    # operators, numbers on either side
    "x + y", "x + 1", "1 + x", "x - y", "2 - x", "x * y", "2.5 * x", "x / y", "1 / q", "i / j", "i / 2", "1 / j",
    "x // 0.5", "i // 2", "7 // j", "x % 0.7", "i % 3", "q ** 2", "q ** 0.5", "2 ** x", "q ** y", "i ** 2", "j ** -1",
    "-x", "+x", "abs(x)", "~b", "~i", "x < y", "x <= 0", "0 < x", "x > y", "x >= 0", "x == y", "x != y", "i == 2",
    "x == None", "x != None", "x == 'a'", "b & c", "b | c", "b ^ c", "i & j", "round(x)", "x + [1, 2, 3]",
    # promotion
    "h + 1.0", "h + x", "h + s", "x + d", "s + d", "x + np.float64(1)", "i + x", "i + 1.5", "b + 1", "b + 1.0", "b + b",
    "b * x", "u + 1", "u + i", "k + h[0]", "x + Tensor(1)", "x + Tensor(1.0, ms.float64)", "h * Tensor(2.0)",
    "Tensor([1], ms.bfloat16) + Tensor([1], ms.float16)", "Tensor([1], ms.uint8) + Tensor([1], ms.int8)",
    "i.astype(ms.int64) + i", "w + 1", "w * w", "w + x[0, 0]", "e + 1", "e * v",
    # arguments
    "ops.clamp(x, -0.5, 1)", "ops.clamp(x, min=0)", "ops.clamp(x, max=v)", "ops.clamp(x)", "ops.where(b, x, y)",
    "ops.where(b, x, 0.0)", "x.clip(-1, 1)", "ops.clip_by_value(x, -1, 1)", "x.add(y)", "x.mul(2)", "x.sub(y)",
    "ops.div(x, y, rounding_mode='floor')", "ops.div(x, y, rounding_mode='trunc')", "ops.div(x, y, rounding_mode='a')",
    "ops.round(q)", "x.pow(2)", "x.abs()", "x.exp()",
    # errors
    "x + m", "x + 'a'", "x + None", "ops.add(x, 'a')", "ops.exp('a')", "ops.exp(3)", "ops.add(x)",
]  # fmt: skip
