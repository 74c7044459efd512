"""Data types that torch refuses (bools, wide unsigned integers, float16, integers as floats), and division by 0."""

import re

_BOOLS = (
    "1 - b", "b - 1", "b - c", "b - 1.5", "x - True", "True - x", "i - True", "b - i", "i - b", "b - h", "b - u",
    "1.5 - b", "b - Tensor(1)", "Tensor(1.5) - b", "b // c", "b // 2", "2 // (b | c | True)", "b % 2", "abs(b)",
    "ops.sub(1, b)", "ops.sub(b, 1)", "ops.sub(True, x)", "ops.Sub()(1, b)", "ops.Sub()(b, 1)",
    "mint.sub(b, c)", "mint.sub(1, b)", "mint.sub(b, 1, alpha=2)", "b.sub(1)", "b.sub(c)", "b.subtract(c)",
    "ops.subtract(1, b)", "mnp.subtract(1, b)", "mnp.subtract(b, 1.5)", "ops.abs(b)", "ops.Abs()(b)", "b.abs()",
    "mint.abs(b)", "mnp.abs(b)", "ops.relu(b)", "ops.ReLU()(b)", "F.relu(b)", "nn.ReLU()(b)", "ops.trunc(b)",
    "ops.Trunc()(b)", "b.trunc()", "mint.trunc(b)", "mint.fix(b)", "mnp.trunc(b)", "ops.floor_div(b, c)",
    "ops.FloorDiv()(b, c)", "b.floor_divide(c)", "mint.floor_divide(b, c)", "mnp.floor_divide(b, c)", "ops.fmod(b, 2)",
    "ops.hardtanh(b)", "ops.leaky_relu(b)", "ops.trapz(b)", "ops.trapz(x, b)", "b.approximate_equal(c)",
    "ops.SquaredDifference()(i, b)", "b.cumsum(0)",
)  # fmt: skip

_WIDE = ("uint16", "uint32", "uint64")
_UNSIGNED = [
    re.sub(r"\bt\b", f'made("{dtype}", (2, 3), "index")', expression)
    for dtype in _WIDE
    for expression in (
        "t - t", "t + t", "t * t", "t == t", "-t", "~t", "t.max()", "t.min(axis=0)",
        "t.argmax()", "t.sum()", "t.sum(0)", "t.prod()", "t.cumsum(0)", "mnp.cumsum(t, 0)", "ops.relu(t)", "mnp.abs(t)",
        "t.masked_select(b)", "t.argwhere()", "mint.sum(t)", "ops.sum(t, 0)", "mint.prod(t)", "t.tril()",
        "ops.rot90(t, 1, [0, 1])",
        "ops.reduce_max(t, 1)", "ops.gather_d(t, 1, Tensor([[1], [0]]))",
    )
]  # fmt: skip

_BY_ZERO = [
    re.sub(r"\bt\b", f'made("{dtype}", (2, 3))', expression)
    for dtype in ("int8", "int16", "int32", "int64")
    for expression in (
        "t // 0", "t // (0 * t)", "1 // (0 * t)", "ops.floor_div(t, 0 * t)", "mnp.floor_divide(t, 0 * t)",
        "ops.FloorDiv()(t, 0 * t)", "ops.remainder(t, 0 * t)", "t.remainder(0)", "mint.remainder(t, 0)",
        "ops.fmod(t, 0)", "mint.fmod(t, 0 * t)", "mnp.mod(t, 0 * t)", "mnp.remainder(t, 0 * t)",
        "mnp.divmod(t, 0 * t)", "t / 0",
    )
]  # fmt: skip

_SUMS = (
    *[f"made('{dtype}', (2, 3)).cumsum()" for dtype in ("int8", "int16", "int32", "uint8", "bool", "int64")],
    *[f"made('{dtype}', (2, 3)).cumsum(1)" for dtype in ("int8", "int16", "int32", "uint8", "bool", "int64")],
    "Tensor([100, 100], ms.int8).cumsum()", "Tensor([100, 100], ms.int8).cumsum(0, ms.int64)",
    "ops.cumsum(Tensor([100, 100], ms.int8), 0)", "Tensor([200, 100], ms.uint8).cumsum(0)",
    "ops.nansum(Tensor([1.5, 2.7, float('nan')]), dtype=ms.int32)", "ops.nansum(x, 0, dtype=ms.int32)",
    "ops.nansum(i, 0, dtype=ms.float32)", "ops.nansum(b)", "nan.nansum(dtype=ms.int64)", "mint.nansum(i, (-1,))",
)  # fmt: skip

_HALVES = (
    "ops.det(h[:, :2])", "ops.cdist(h, h)", "ops.cdist(h, h, 1.0)", "mnp.setdiff1d(x, d)", "mint.cdist(h, h)",
    "ops.norm(h)",
    "ops.norm(d, dtype=ms.float16)", "ops.vector_norm(d, dtype=ms.float16)", "mnp.corrcoef(h)", "mnp.cov(h)",
)  # fmt: skip

_INTEGERS = (
    "ops.rrelu(i)", "ops.leaky_relu(i, 0.5)", "ops.leaky_relu(i, 2.0)", "ops.leaky_relu(u)", "nn.SeLU()(i)",
    "nn.LeakyReLU()(i)",
    "ops.HSwish()(i)", "ops.HSigmoid()(i)", "ops.SeLU()(i)", "nn.HSwish()(i)", "F.hardswish(i)", "F.hardsigmoid(i * 2)",
    "ops.unfold(i.reshape(1, 1, 2, 3), 2)", "ops.gather(x, Tensor([0, 1, 2], ms.int16), 1)",
    "ops.gather_nd(x, Tensor([[1]], ms.int16))", "x.index_select(0, Tensor([1], ms.int16))",
    "mnp.matrix_power(i[:, :2], 2)",
    "mnp.matrix_power(u[:, :2], 3)", "mnp.matrix_power(i[:, :2], 0)", "i.amax(initial=2.5)",
    "i.max(axis=0, initial=2.5)",
    "ops.max(i, 0, initial=2.5)", "i.amin(initial=-2.5)", "k.bincount(Tensor([1, 2, 3], ms.int8))",
    "ops.bincount(k, d[0])", "ops.bincount(k, h[0])", "v.searchsorted(v)", "v.searchsorted(v, side='right')",
    "k.searchsorted(k)", "mnp.select([b], [i.astype(ms.int16)], 7)", "mnp.clip(u, Tensor([0.5]), 1.0)",
    "i.clamp(Tensor([0.5]), None)", "ops.clamp(i, Tensor(0.5), Tensor(1.5))",
    "ops.matrix_set_diag(i.astype(ms.int8), v[:2])",
    "ops.matrix_set_diag(h, v[:2])", "ops.matrix_set_diag(i, k[:2])",
)  # fmt: skip

# Parameters and inputs of two data types: which of them decides.
_MIXED = (
    *[
        f"ops.batch_norm({x}, *[Tensor([1, 2, 0.5], ms.{dtype}) for _ in range(4)], {training})"
        for x, dtype in (("ops.stop_gradient(z)", "float16"), ("h", "float32"))
        for training in (True, False)
    ],
    "ops.batch_norm(z, *[Tensor([1, 2, 0.5], ms.float16) for _ in range(4)]) * z",
    "nn.BatchNorm2d(4, dtype=ms.float16).set_train()(ops.stop_gradient(img))",
    "ops.cross(h[0], d[0])", "ops.cross(d[0], h[0])",
    *[f"ops.clip_by_value({x}, Tensor(-0.5), Tensor(1.5))" for x in "hdiv"],
    "ops.clip_by_value([h, h], Tensor(-0.5), Tensor(1.5))[1]", "ops.clip_by_value(h, s)", "ops.clip_by_value(s, d)",
    "ops.binary_cross_entropy_with_logits(x, h)", "ops.binary_cross_entropy_with_logits(h, p, reduction='sum')",
    "ops.BCEWithLogitsLoss('none')(x, h, q, q)",
    *[
        f"ops.NLLLoss()({x}, k[:2].astype(ms.int32), {weight})"
        for x, weight in (("h", "q[0]"), ("x", "d[0]"), ("d", "v"))
    ],
    "nn.BiDense(3, 3, 2, 'ones', 'ones')(x, h)", "nn.BiDense(3, 3, 2, 'ones', 'ones')(x, i)",
)  # fmt: skip

# Integers in operations that torch defines for floats, or only for some integers.
_OF_ALL_INTEGERS = (
    "ops.adaptive_max_pool3d(t.reshape((1, 4, 2, 2)), 1)", "ops.max_unpool1d(t, Tensor([[0, 3, 5, 7]] * 4), 2)",
    "mint.linalg.matrix_norm(t, 2)", "mnp.in1d(t, t[0])", "ops.matrix_band_part(t, 1, 1)", "t.copy().add_(t)",
    "t.copy().sub_(t, alpha=2)", "ops.assign_add(Parameter(t), t)", "ops.assign_sub(Parameter(t), t)",
    "ms.COOTensor(Tensor([[0, 1], [1, 2]]), t[0, :2], (3, 4)).to_dense()",
    "(-ms.COOTensor(Tensor([[0, 1], [1, 2]]), t[0, :2], (3, 4))).values",
)  # fmt: skip
_OF_SIGNED_INTEGERS = (
    "ops.adaptive_avg_pool3d(t.reshape((1, 1, 4, 2, 2)), 2)", "ops.lp_pool1d(abs(t), 2, 3)", "ops.hardtanh(t)",
    "ops.huber_loss(t, t // 2)", "ops.l1_loss(t, t * 2)", "ops.nll_loss(t, Tensor([1, 0, 3, 2]))",
    "ops.cosine_embedding_loss(t, t + 1, Tensor([1, -1, 1, 1]))", "mnp.gcd(t + 4, 2.0)", "mnp.lcm(t + 4, 2.5)",
    "ops.addmm(t, t, t, beta=0.5, alpha=2)", "ops.clip_by_value([t], -0.5, 1.5)", "ops.clip_by_value(t, 0.5)",
)  # fmt: skip
_WITHOUT_KERNELS = [
    re.sub(r"\bt\b", f'made("{dtype}", (4, 4){kind})', expression)
    for dtype, kind, expressions in (
        ("int8", "", (*_OF_SIGNED_INTEGERS, *_OF_ALL_INTEGERS)),
        ("int32", "", (*_OF_SIGNED_INTEGERS, *_OF_ALL_INTEGERS)),
        ("uint16", "", _OF_ALL_INTEGERS), ("uint32", "", _OF_ALL_INTEGERS), ("uint64", ', "index"', _OF_ALL_INTEGERS),
    )
    for expression in expressions
]  # fmt: skip

_TYPES_OF_RESULTS = (
    "ops.copysign(h, x)", "ops.copysign(i, d)", "d.copysign(d)", "mnp.nanmean(h)", "mnp.nanvar(h)", "mnp.nanstd(h)",
    "mnp.nansum(h)", "ops.addcmul(i, j, j, Tensor(2.0))", "ops.Addcmul()(i, j, j, Tensor(2.0))", "mnp.clip(k, k, 1.0)",
    "mnp.clip(i, j, 1.5)", "mnp.clip(i, 0.5, 2.5)", "ops.frac(b)", "b.frac()", "mnp.cumprod(Tensor([3, 2], ms.uint16))",
    "ops.truncate_mod(i, 0 * j)", "ops.TruncateMod()(i, 0 * j)", "mnp.fmod(i, 0 * j)", "mnp.fmod(u, 0 * u)",
    "ops.Mod()(i.astype(ms.int16), 0 * j.astype(ms.int16))", "ops.EmbeddingLookup()(b, Tensor([1, 5]), 4)",
    "ops.cov(h)",
    "ops.histc(h, 3)", "mnp.linspace(h, 5, 3)", "ops.prod(i, ())", "ops.prod(i, (0, 1))", "ops.prod(i, 0)",
    "ops.prod(b)", "mnp.gradient(h)", "mint.norm(i, 'nuc')",
    "mnp.histogram_bin_edges(h)",
)  # fmt: skip

_COMPLEX = (
    "ops.xlogy(w, w)", "ops.logsigmoid(w)", "mnp.deg2rad(w)", "mnp.radians(w)", "mnp.rad2deg(w)", "mnp.in1d(w, w)",
    "mnp.isin(w, w)", "mint.imag(x)", "mint.imag(i)", "mint.imag(w)",
)  # fmt: skip

_FORMS = (
    "ops.stack(x)", "ops.stack(x, 1)", "ops.Stack()(x)", "mnp.stack(x)", "mnp.stack(x, 1)", "mnp.stack(z, -1)",
    "ops.bucketize(x, v)",
    "ops.bucketize(x, Tensor([0.0, 1.0]), right=True)", "ops.bucketize(i, Tensor([0.0, 1.0]))",
    "ops.kron(x.T, y.T)", "ops.kron(x.T, Tensor([[1.0, 2.0, 3.0]]).T)", "ops.kron(z.swapaxes(0, 2), x)",
    "mnp.kron(z, y.T)",
    "x.kron(v)", "ops.kron(s, x.T)", "ops.scatter(x, 0, Tensor([[-2, 0, 1]]), 5.0)", "mnp.roll(x, 2, ())",
    "mnp.fft.fftshift(s)", "ops.fftshift(s)", "ops.fftshift(x, ())", "mnp.in1d(i.T, j.T)",
    "mnp.unique(Tensor([3, 1, 3, 2]))",
    "mnp.unique(Tensor([3, 1, 3, 2]), True)", "mnp.unique(i, True)", "mnp.unique(x)",
    "ops.subtract(x, y, alpha=Tensor(2))",
    "x.add(y, alpha=Tensor(2))",
)  # fmt: skip

CASES = [
    *_BOOLS,
    *_UNSIGNED,
    *_BY_ZERO,
    *_SUMS,
    *_HALVES,
    *_MIXED,
    *_INTEGERS,
    *_WITHOUT_KERNELS,
    *_TYPES_OF_RESULTS,
    *_COMPLEX,
    *_FORMS,
]
