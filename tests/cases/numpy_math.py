"""`numpy`: mathematics element by element, comparison and logic."""

_FLOAT = [
    "exp", "expm1", "exp2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "cbrt", "square", "abs",
    "negative", "positive", "sign", "signbit", "rint", "floor", "ceil", "trunc", "fix", "deg2rad", "rad2deg", "radians",
    "absolute", "fabs",
]  # fmt: skip
_ON_POSITIVE = ["sqrt", "log", "log1p", "log2", "log10", "reciprocal"]
_WITHIN_ONE = ["arcsin", "arccos", "arctanh"]
_INTEGER = [
    "abs", "negative", "positive", "sign", "signbit", "ceil", "trunc", "fix", "square", "sqrt", "cbrt", "exp2", "sin",
    "cos", "tan", "sinh", "cosh", "arctan", "arcsinh", "deg2rad", "isnan", "isneginf", "invert", "logical_not",
]  # fmt: skip
_BINARY = [
    "add", "subtract", "multiply", "divide", "true_divide", "power", "float_power", "floor_divide", "mod", "remainder",
    "fmod", "divmod", "maximum", "minimum", "arctan2", "hypot", "copysign", "heaviside", "logaddexp", "logaddexp2",
]  # fmt: skip
_ARITHMETIC = [
    "add", "subtract", "multiply", "divide", "floor_divide", "mod", "fmod", "divmod", "maximum", "minimum", "arctan2",
    "hypot", "copysign", "heaviside", "gcd", "lcm",
]  # fmt: skip
_COMPARE = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
_LOGIC = ["logical_and", "logical_or", "logical_xor"]
_BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]

CASES = [
    *[f"mnp.{name}(x)" for name in _FLOAT],
    *[f"mnp.{name}(q)" for name in _ON_POSITIVE],
    *[f"mnp.{name}(p)" for name in _WITHIN_ONE],
    "mnp.arccosh(q + 1)",
    *[f"mnp.{name}(i)" for name in _INTEGER],
    *[f"mnp.{name}(h)" for name in ("abs", "exp", "sin", "sqrt", "ceil", "trunc", "fix", "cbrt", "rint", "sign")],
    *[f"mnp.{name}(d)" for name in ("abs", "exp", "sin", "floor", "cbrt", "arctan", "sign", "trunc", "ceil")],
    *[f"mnp.{name}(u)" for name in ("sin", "tanh", "square", "invert", "signbit", "sqrt")],
    *[f"mnp.{name}(b)" for name in ("sin", "abs", "logical_not", "sqrt", "ceil", "isfinite")],
    *[f"mnp.{name}(nan)" for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "sign", "signbit")],
    *[f"mnp.{name}(q, y)" for name in _BINARY],
    *[f"mnp.{name}(x, v)" for name in _BINARY if name not in ("power", "float_power")],
    *[f"mnp.{name}(i, j)" for name in _ARITHMETIC],
    *[f"mnp.{name}(i, 2)" for name in _ARITHMETIC if name not in ("multiply", "arctan2", "gcd", "lcm")],
    *[f"mnp.{name}(x, 2)" for name in ("add", "subtract", "divide", "floor_divide", "mod", "fmod", "heaviside")],
    *[f"mnp.{name}(h, x)" for name in _ARITHMETIC if name not in ("gcd", "lcm")],
    *[f"mnp.{name}(x, j)" for name in _ARITHMETIC if name not in ("gcd", "lcm")],
    *[f"mnp.{name}(h, j)" for name in _ARITHMETIC if name not in ("gcd", "lcm")],
    *[f"mnp.{name}(u, i)" for name in ("add", "multiply", "divide", "maximum", "copysign", "heaviside")],
    *[f"mnp.{name}(d, x)" for name in ("add", "multiply", "divide", "power", "arctan2", "hypot", "copysign")],
    "mnp.divide(d, i)", "mnp.float_power(d, d)", "mnp.float_power(j, j)", "mnp.power(j, j)", "mnp.power(q, 2)",
    "mnp.power(j, 2)", "mnp.power(q, 0.5)", "mnp.add(1, 2)", "mnp.add([1, 2], 1.5)", "mnp.add(h, 1.5)",
    "mnp.arctan2(u, u)", "mnp.arctan2(h, u)", "mnp.arctan2(b, u)", "mnp.logaddexp2(h, i).dtype == ms.float16",
    "mnp.tanh(i).dtype == ms.float32", "mnp.gcd(i, k[:1])",
    "mnp.maximum(x, 0)", "mnp.maximum([mnp.nan, 2.0], 1.0)", "mnp.minimum([mnp.nan, 2.0], 1.0)",
    "mnp.maximum([1, 2], [2.5, 1.0])",
    *[f"mnp.{name}(x, y)" for name in _COMPARE],
    *[f"mnp.{name}(x, i)" for name in _COMPARE],
    "mnp.equal(i, 2)", "mnp.less(x, 0)", "mnp.greater(i, 0.5)",
    *[f"mnp.{name}(b, c)" for name in _LOGIC],
    *[f"mnp.{name}(i, j)" for name in _LOGIC],
    *[f"mnp.{name}(i, j)" for name in _BITS],
    *[f"mnp.{name}(b, c)" for name in _BITS],
    *[f"mnp.{name}(i, 3)" for name in _BITS],
    *[f"mnp.{name}(x, y)" for name in _BITS],
    # dtype=
    "mnp.add(x, y, dtype=ms.float16)", "mnp.add(i, j, dtype=ms.float32)", "mnp.sqrt(i, dtype=ms.float16)",
    "mnp.exp(x, dtype=ms.float64)", "mnp.divide(i, j, dtype=ms.int32)", "mnp.equal(i, j, dtype=ms.float32)",
    "mnp.maximum(x, y, dtype=ms.float16)", "mnp.divmod(i, j, dtype=ms.float32)",
    "mnp.isnan(nan, dtype=ms.int32)", "mnp.logical_and(b, c, dtype=ms.int32)", "mnp.arctan2(i, j, dtype=ms.float16)",
    # clip, isclose and the like
    "mnp.clip(x, -1, 1)", "mnp.clip(x, None, 1)", "mnp.clip(x, -0.5, None)", "mnp.clip(x, None, None)",
    "mnp.clip(x, v, 1.0)", "mnp.clip(i, 0, 2)", "mnp.clip(i, 0.5, 2)", "mnp.clip(x, -1, 1, dtype=ms.float16)",
    "mnp.clip([1, 5], 2, 4)", "mnp.isclose(x, y)", "mnp.isclose(x, x + 1e-6)", "mnp.isclose(x, x + 0.1, atol=0.2)",
    "mnp.isclose(nan, nan)", "mnp.isclose(nan, nan, equal_nan=True)", "mnp.isclose(i, j, rtol=0.5)",
    "mnp.isclose(x, y, rtol='a')",
    "mnp.array_equal(x, x)", "mnp.array_equal(x, y)", "mnp.array_equal(x, v)", "mnp.array_equal([1, 2], [1, 2])",
    "mnp.array_equal(nan, nan)", "mnp.array_equal(nan, nan, True)", "mnp.array_equiv(v, mnp.stack([v, v]))",
    "mnp.array_equiv(x, m)", "mnp.array_equiv(x, y)", "mnp.array_equal(1, 1)", "mnp.array_equal('a', 1)",
    "mnp.isin(i, [2, 5])", "mnp.isin(i, [2, 5], invert=True)", "mnp.in1d([1, 2, 3], [2])", "mnp.isin(2, [2, 3])",
    "mnp.in1d(i, j)", "mnp.isscalar(1)", "mnp.isscalar('a')", "mnp.isscalar(x)", "mnp.isscalar([1])",
    "mnp.isscalar(True)", "mnp.isscalar(None)", "mnp.sometrue(b)", "mnp.sometrue(b, axis=0)",
    "mnp.sometrue(i, axis=1, keepdims=True)", "mnp.isfinite(1)",
    # types
    "mnp.promote_types(ms.float16, ms.int32) == ms.float16", "mnp.promote_types('int8', 'uint8') == ms.int16",
    "mnp.promote_types(ms.int8, 1)",
    "mnp.promote_types('a', ms.int8)", "mnp.promote_types(ms.uint16, ms.int8) == ms.int32",
    "mnp.promote_types(ms.uint32, ms.int32) == ms.int64", "mnp.promote_types(ms.uint64, ms.int16) == ms.float64",
    "mnp.promote_types(ms.uint8, ms.uint32) == ms.uint32", "mnp.promote_types(ms.bool_, ms.uint16) == ms.uint16",
    "mnp.result_type(i, x) == ms.float32", "mnp.result_type('i2', ms.float32) == ms.float32",
    "mnp.result_type('int16') == ms.int16",
    "mnp.result_type(h, x, d) == ms.float64", "mnp.result_type(i, ms.float16) == ms.float16",
    "mnp.result_type(u) == ms.uint8", "mnp.result_type(1, 2.0) == ms.float32", "mnp.result_type(h, 1.0) == ms.float32",
    "mnp.float_ == ms.float32, mnp.int_ == ms.int32, mnp.bool_ == ms.bool_, mnp.uint == ms.uint32",
    # errors
    "mnp.invert(mnp.array([13], ms.uint16))", "mnp.add(x, m)", "mnp.add(x, 'a')", "mnp.exp('a')", "mnp.exp(None)",
    "mnp.sin()",
]  # fmt: skip


def _of(dtype, *values, shape=(2, 3), **gradients):
    record = {"results": [{"shape": list(shape), "dtype": dtype, "values": list(values)}]}
    if gradients:
        found = {name: {"shape": list(shape), "dtype": "Float32", "values": list(g)} for name, g in gradients.items()}
        record["gradients"] = found
    return record


DIFFERENCES = {
    "mnp.cbrt(i)": (
        "the cube root of 0 is 0",
        _of("Float32", 1.4422495, -1.0, 1.2599211, 0.0, 1.709976, -1.587401),
    ),
    "mnp.sign(nan)": (
        "infinity has a sign",
        _of("Float32", 1.0, float("nan"), 1.0, -1.0, 0.0, shape=(5,), nan=[0.0, 0.0, 0.0, 0.0, 0.0]),
    ),
    "mnp.divide(d, i)": (
        "float64 divided by integers stays float64",
        _of("Float64", -0.329, 0.587, -0.0935, float("inf"), 0.1226, -0.25325),
    ),
    "mnp.clip(x, -1, 1, dtype=ms.float16)": (
        "the result has the data type that is asked for",
        _of("Float16", -1.0, -1.0, -0.374, 0.426, 1.0, 1.0),
    ),
    "mnp.clip(i, 0.5, 2)": (
        "limits are not cut to integers before they are compared",
        _of("Int32", 2, 0, 2, 0, 2, 0),
    ),
}
