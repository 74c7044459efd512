"""More arithmetic: fractions, signs, neighbours, blends, safe quotients, sums of many tensors."""

_UNARY = ("frac", "positive", "sgn", "signbit", "deg2rad", "rad2deg", "exp2", "inv")
_ALIASES = ("arcsin", "arccos", "arctan", "arctanh")
_PRIMITIVES = (
    "Abs", "Acosh", "Asinh", "Atan", "Ceil", "Cos", "Cosh", "Erf", "Erfc", "Exp", "Expm1", "Floor", "IsFinite", "IsInf",
    "IsNan", "Log", "Log1p", "Neg", "Reciprocal", "Rint", "Round", "Rsqrt", "Sign", "Sin", "Sinh", "Sqrt", "Square",
    "Tan", "Trunc", "Inv",
)  # fmt: skip
_PAIRS = (
    "Add", "TensorAdd", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod",
    "Pow", "Maximum", "Minimum", "Atan2", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
    "SquaredDifference", "DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Hypot", "Heaviside", "NextAfter",
)  # fmt: skip
_OF_INTS = (
    "Add", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod", "Pow",
    "Maximum", "Equal", "Less", "SquaredDifference", "MulNoNan", "Heaviside",
)  # fmt: skip

CASES = [
    *[f"ops.{name}(q)" for name in _UNARY], *[f"ops.{name}(x)" for name in _UNARY],
    *[f"x.{name}()" for name in ( "frac", "positive", "sgn", "signbit", "deg2rad", "rad2deg", "inv", )],
    *[f"ops.{name}(p)" for name in _ALIASES], "ops.arcsinh(x)", "ops.arccosh(q + 1)", "ops.arctan2(x, y)",
    "ops.frac(i)", "ops.positive(i)", "ops.positive(b)", "ops.sgn(i)", "ops.sgn(w)", "ops.signbit(i)", "ops.exp2(i)",
    "ops.inv(j)", "ops.inv(w)", "ops.exp2(h)", "ops.deg2rad(d)", "ops.signbit(Tensor([0.0, -0.0]))",
    # two tensors
    "ops.fmax(x, y)", "ops.fmax(i, x)", "ops.fmax(nan, 0.0)", "ops.fmax(x, 2)", "x.fmax(y)", "ops.copysign(x, y)",
    "ops.copysign(x, -1.0)", "ops.copysign(i, y)", "ops.copysign(i, j)", "x.copysign(other=y)", "ops.hypot(x, y)",
    "ops.hypot(x, d)", "x.hypot(y)", "ops.ldexp(x, j)", "ops.ldexp(i, j)", "x.ldexp(j)", "ops.logaddexp(x, y)",
    "ops.logaddexp(x, d)", "ops.logaddexp2(x, y)", "ops.nextafter(x, y)", "x.nextafter(y)", "ops.heaviside(x, y)",
    "ops.heaviside(i, j)", "ops.heaviside(v * 0, v)", "x.heaviside(y)", "ops.xdivy(x, y)", "ops.xdivy(x, 0.0)",
    "ops.xdivy(0.0, x)", "ops.xdivy(v * 0, v * 0)", "x.xdivy(y)", "ops.float_power(x, 2)", "ops.float_power(i, j)",
    "ops.float_power(2, x)", "ops.float_power(w, w)", "q.float_power(2.5)", "q.float_power(other=v)",
    "ops.truncate_div(x, y)", "ops.truncate_div(i, j)", "ops.truncate_div(i, 2)", "ops.truncate_div(i, 2.0)",
    "ops.truncate_mod(x, y)", "ops.truncate_mod(i, j)", "ops.truncate_mod(i, 3)", "ops.floor_mod(x, y)",
    "ops.floor_mod(i, 3)", "ops.floor_mod(x=i, y=j)", "ops.pow(q, exponent=2)", "ops.eq(x, y)", "x.true_divide(y)",
    "ops.subtract(x, y, alpha=2)", "x.remainder(divisor=y)",
    # three
    "ops.lerp(x, y, 0.5)", "ops.lerp(x, y, p)", "ops.lerp(h, h, 0.5)", "ops.lerp(v, x, 0.25)", "x.lerp(y, 0.5)",
    "ops.addcdiv(x, y, q)", "ops.addcdiv(x, y, q, 2)", "ops.addcdiv(x, y, q, Tensor(2.0))",
    "ops.addcdiv(x, y, q, Tensor([2.0, 3.0, 4.0]))", "ops.addcmul(x, y, q)", "ops.addcmul(x, y, v, 0.5)",
    "ops.addcmul(i, j, j)", "ops.addcmul(i, j, j, 2)", "x.addcmul(y, q, 2.0)", "ops.nan_to_num(nan)",
    "ops.nan_to_num(nan, 1.0, 2.0, 3.0)", "nan.nan_to_num(nan=7.0)", "ops.nan_to_num(nan, nan=Tensor(1.0))",
    "ops.nan_to_num(h / 0)", "ops.clip(x, -0.5, 1)", "ops.clip_by_value([x, y], -0.5, 1)",
    "ops.clip_by_value((x, y), -0.5)", "ops.clip_by_value(((x, y), [x]), -0.5, 1)", "ops.clip_by_value([[x]], 0.5)",
    # many
    "ops.addn([x, y])", "ops.addn((x, y, x))", "ops.addn([x])", "ops.addn([i, j])", "ops.eps(x)", "ops.eps(h)",
    "ops.eps(d)",
    # primitives
    *[f"ops.{name}()(q)" for name in _PRIMITIVES], *[f"ops.{name}()(p)" for name in ("ACos", "Asin", "Atanh")],
    *[f"ops.{name}()(x, y)" for name in _PAIRS if name != "Pow"], *[f"ops.{name}()(i, j)" for name in _OF_INTS],
    *[f"ops.{name}()(x, 2.0)" for name in ("Add", "Sub", "Mul", "Div", "Pow", "Less", "Xdivy", "DivNoNan")],
    *[f"ops.{name}()(3, q)" for name in ("Add", "Sub", "RealDiv", "Pow", "Greater", "Maximum")],
    *[f"ops.Logical{name}()(b, c)" for name in ("And", "Or", "Xor")], "ops.LogicalNot()(b)",
    *[f"ops.Bitwise{name}()(i, j)" for name in ("And", "Or", "Xor")], "ops.RealDiv()(i, 2)", "ops.DivNoNan()(x, 0)",
    "ops.DivNoNan()(v, Tensor([0.0, 2.0, 1.0]))", "ops.MulNoNan()(nan, 0.0)",
    "ops.MulNoNan()(nan, Tensor([0.0, 0.0, 0.0, 0.0, 2.0]))", "ops.SquaredDifference()(i, x)",
    "ops.SquareSumAll()(x, y)", "ops.Addcdiv()(x, y, q, Tensor(2.0))", "ops.Addcmul()(x, y, q, Tensor(2.0))",
    "ops.AddN()([x, y])", "ops.Eps()(x)", "ops.Lerp()(x, y, p)", "ops.NanToNum(1.0)(nan)", "ops.Fmax()(x, y)",
    # names of the compiler
    "ops.tensor_add(x, y)", "ops.tensor_sub(x, y)", "ops.tensor_mul(x, y)", "ops.tensor_div(i, j)",
    "ops.tensor_pow(q, 2)", "ops.tensor_exp(x)", "ops.tensor_floordiv(i, j)", "ops.tensor_mod(i, j)",
    "ops.tensor_lt(x, y)", "ops.tensor_ge(x, y)", "ops.hyper_add((x, y), (y, x))", "ops.reshape_(x, (3, 2))",
    "ops.shape_(x)", "ops.scalar_add(1, 2)", "ops.scalar_div(1, 2)", "ops.scalar_floordiv(-7, 3)",
    "ops.augassign_add(7, 2)", "ops.augassign_sub(7, 2)", "ops.augassign_mul(7, 2)", "ops.augassign_div(7, 2)",
    "ops.augassign_floordiv(-7, 3)", "ops.augassign_mod(-7, 3)",
    "ops.scalar_mod(-7, 3)", "ops.scalar_log(2.0)", "ops.scalar_cast(3.7, ms.int64)", "ops.scalar_cast(3, ms.float64)",
    "ops.scalar_cast(3, ms.float32)", "ops.scalar_max(1, 2)", "ops.scalar_usub(2)", "ops.tuple_getitem((1, 2), 0)",
    "ops.tuple_setitem((1, 2), 0, 5)", "ops.list_setitem([1, 2], 0, 5)", "ops.tuple_equal((1, 2), (1, 2))",
    "ops.tuple_reversed((1, 2))", "ops.make_tuple(1, 2)", "ops.make_list(1, 2)", "ops.make_range(1, 5, 2)",
    "ops.in_dict(1, {1: 2})", "ops.not_in_dict(1, {1: 2})", "ops.shape_mul((2, 3))",
    "ops.reduced_shape((2, 3, 4), (1,))", "ops.reduced_shape((2, 3, 4), ())", "ops.augassign_add(1, 2)",
    "ops.augassign_mul(x, 2)", "ops.mixed_precision_cast(ms.float16, (x, k))", "ops.numel(x)", "ops.is_complex(w)",
    "ops.is_floating_point(i)", "ops.is_tensor(x)", "ops.is_tensor(3)",
    # errors
    "ops.frac('a')", "ops.fmax('a', x)", "ops.hypot(i, j)", "ops.hypot(x, m)", "ops.logaddexp(i, j)",
    "ops.lerp(x, d, 0.5)", "ops.lerp(x, m, 0.5)", "ops.lerp(x, y, 'a')", "ops.addcdiv(x, m, q)",
    "ops.addcmul(x, 'a', q)", "ops.addn([x, i])", "ops.addn([x, v])", "ops.addn('a')", "ops.eps(i)",
    "ops.fills(x, Tensor([3.0]))", "ops.nan_to_num('a')", "ops.SquareSumAll()(x, v)", "ops.numel(3)",
    "ops.clip_by_value([x, 3], 0, 1)", "ops.Add()(x, m)", "ops.Add()(x)",
]  # fmt: skip

DIFFERENCES = {
    "ops.scalar_cast(3, ms.float32)": ("MindSpore casts to float32 in graphs only", {"results": [{"python": "3.0"}]}),
    "ops.signbit(Tensor([0.0, -0.0]))": (
        "-0. has a minus",
        {"results": [{"shape": [2], "dtype": "Bool", "values": [0.0, 1.0]}]},
    ),
}
