"""Equal within a tolerance, counts of equal elements, kinds of numbers; integers and their bits."""

CASES = [
    "ops.isclose(x, y)", "ops.isclose(x, x + 1e-6)", "ops.isclose(x, y, 0.5, 0.5)", "ops.isclose(nan, nan)",
    "ops.isclose(nan, nan, equal_nan=True)", "ops.isclose(i, j)", "x.isclose(y)", "x.isclose(x2=y)", "x.allclose(x)",
    "x.allclose(y)", "nan.allclose(nan)", "nan.allclose(nan, equal_nan=True)", "ops.approximate_equal(x, y)",
    "ops.approximate_equal(x, y, 1.0)", "x.approximate_equal(y, 1.0)", "ops.isposinf(nan)", "ops.isneginf(nan)",
    "nan.isposinf()", "nan.isneginf()", "ops.isreal(w)", "ops.isreal(i)", "w.isreal()", "ops.isnan_ext(nan)",
    "ops.is_nonzero(s)", "ops.is_nonzero(s * 0)", "ops.is_nonzero(Tensor([False]))", "ops.ApproximateEqual(1.0)(x, y)",
    "ops.IsClose()(x, y)", "ops.IsClose(0.5, 0.5)(x, y)", "ops.EqualCount()(x, x)", "ops.EqualCount()(i, j)",
    "ops.CheckNumerics()(x)", "ops.CheckNumerics()(nan)",
    "ops.CompareAndBitpack()(Tensor(np.arange(16, dtype=np.float32)), Tensor(3.0))",
    "ops.CompareAndBitpack()(Tensor(np.arange(16).reshape(2, 8) % 3 == 0), Tensor(False))",
    # integers
    "ops.gcd(i, j)", "ops.gcd(i, k)", "i.gcd(j)", "ops.lcm(i, j)", "ops.lcm(i, k)", "i.lcm(j)",
    "ops.bitwise_left_shift(i, j)", "ops.bitwise_left_shift(i, 2)", "ops.bitwise_left_shift(2, j)",
    "ops.bitwise_right_shift(i, j)", "ops.bitwise_right_shift(u, 1)", "i.bitwise_left_shift(j)",
    "i.bitwise_right_shift(j)", "ops.invert(i)", "ops.invert(u)", "i.invert()", "ops.population_count(i)",
    "ops.population_count(u)", "ops.population_count(k)", "ops.population_count(Tensor([-1, 7, -2**63]))",
    "ops.population_count(Tensor([-1, 300], ms.int16))", "ops.Gcd()(i, j)", "ops.Lcm()(i, j)", "ops.LeftShift()(i, j)",
    "ops.RightShift()(i, j)", "ops.Invert()(i)", "ops.PopulationCount()(i)",
    # errors
    "ops.isclose(x, d)", "ops.isclose(x, m)", "ops.isclose(x, 'a')", "ops.isclose(x, y, -1.0)", "ops.is_nonzero(x)",
    "ops.is_nonzero(3)", "ops.EqualCount()(x, v)", "ops.CompareAndBitpack()(x, s)", "ops.gcd(x, y)", "ops.gcd(i, m)",
    "ops.bitwise_right_shift(x, 1)", "ops.invert(x)", "ops.population_count(x)", "ops.population_count('a')",
]  # fmt: skip

DIFFERENCES = {
    "ops.CompareAndBitpack()(Tensor(np.arange(16).reshape(2, 8) % 3 == 0), Tensor(False))": (
        "the first element is the highest bit for all data types; for bools MindSpore turns the order round",
        {"results": [{"shape": [2, 1], "dtype": "UInt8", "values": [146.0, 73.0]}]},
    ),
}
