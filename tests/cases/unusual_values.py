"""Values and gradients that random programs found to differ: of methods, index operations and NumPy's functions."""

CASES = [
    # gradients through powers of 2 with negative integer exponents
    "ops.ldexp(x, i)", "x.ldexp(i)", "ops.ldexp(h, i)", "ops.ldexp(d, k)", "ops.ldexp(x, y)",
    # quotients rounded in place have the gradient 0
    "(x * 1).floor_divide_(2)", "(x * 1).floor_divide_(q)", "(i * 1).floor_divide_(2)",
    # remainders of numbers
    "2.5 % q", "-3 % x", "ops.remainder(2, x)", "mint.remainder(2.5, y)", "ops.floor_mod(3.5, q)", "7 % j",
    # indices that are not ints
    "ops.bincount(Tensor([1.7, 0.2, 2.0]))", "ops.bincount(Tensor([1.7, 0.2, 2.7]))",
    "ops.bincount(Tensor([1.7, 0.2, 2.0]), Tensor([1.0, 2.0, 3.0]), 5)", "ops.bincount(Tensor([True, False, True]))",
    "ops.bincount(Tensor([2.0, 0.0, 2.0], ms.float16))", "ops.bincount(Tensor([1.0, float('nan')]))",
    "Tensor([-1.7, 5.0]).choose([Tensor([1, 2]), Tensor([3, 4])])",
    "Tensor([-1.7, 5.0]).choose([Tensor([1, 2]), Tensor([3, 4])], 'wrap')",
    # a value that does not fit a part without elements is not written
    "(lambda t: (t.__setitem__(b & ~b, v), t)[1])(x * 1)", "(lambda t: (t.__setitem__(b & ~b, x[:, :2]), t)[1])(x * 1)",
    "(lambda t: (t.__setitem__(Tensor([False, False]), m), t)[1])(x * 1)",
    "(lambda t: (t.__setitem__((slice(3, 7), [1, 1]), v), t)[1])(x * 1)",
    "(lambda t: (t.__setitem__((b & ~b)[0], m), t)[1])(v * 1)", "(lambda t: (t.__setitem__(b, m), t)[1])(x * 1)",
    # real and complex numbers
    "ops.where(b, x, w[0])", "ops.real(ops.where(b, x, ops.cast(y, ms.complex64)))",
    "ops.real(x.where(b, ops.cast(y, ms.complex64)))", "ops.real(ops.select(b, x, ops.cast(y, ms.complex64)))",
    # counts of a distribution of integers
    "msd.Poisson([1.5], dtype=ms.int32).prob(x)", "msd.Poisson([1.5], dtype=ms.int32).cdf(x)",
    "msd.Poisson([1.5]).prob(x)",
    # gradients where a curve bends
    "ops.clip_by_value(x - ops.stop_gradient(x) + 1, -1, 1)", "ops.clip_by_value(x, -0.5, 0.5)",
    "ops.clip_by_value(x, ops.stop_gradient(x), 5)", "ops.clip_by_value(x, y, q)", "ops.clip_by_value(x, v, None)",
    "ops.hinge_embedding_loss(x - ops.stop_gradient(x) + 1, Tensor([-1.0, -1.0, 1.0]))",
    "nn.HingeEmbeddingLoss(2.0)(x, Tensor([-1.0, -1.0, 1.0]))",
    "nn.CosineEmbeddingLoss()(x[:, :2] - ops.stop_gradient(x[:, :2]) + Tensor([0.0, 1.0]), Tensor([[1.0, 0.0]] * 2), "
    "Tensor([-1, -1]))",
    # no elements
    "ops.pixel_shuffle(e.reshape(0, 4, 1, 3), 2)", "ops.pixel_unshuffle(e.reshape(0, 1, 3, 3), 3)",
    # sequences of parts
    "type(mnp.split(x, [1], 1)).__name__", "type(mnp.array_split(x, (1, 2), 1)).__name__",
    "type(mnp.hsplit(x, [1])).__name__", "type(mnp.split(x, 3, 1)).__name__", "mnp.split(x, [1], 1)",
]  # fmt: skip

WARNINGS = {
    "ops.bincount(Tensor([1.7, 0.2, 2.0]))": "elements that are not ints are not counted",
    "ops.bincount(Tensor([1.7, 0.2, 2.7]))": "elements that are not ints are not counted",
    "ops.bincount(Tensor([1.7, 0.2, 2.0]), Tensor([1.0, 2.0, 3.0]), 5)": "elements that are not ints are not counted",
    "ops.bincount(Tensor([1.0, float('nan')]))": "elements that are not ints are not counted",
}
