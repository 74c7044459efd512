"""The mathematical operations: gradients against differences, under `vmap`, as graphs, and what MindSpore 2.10 has no
kernel for on a CPU."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import torchspore as ms
from plain import values
from torchspore import ops

# Expressions of x and y, two matrices of shape (3, 3) with elements in (0.1, 0.9).
DIFFERENTIABLE = [
    # element by element
    *[f"ops.{name}(x)" for name in (
        "frac", "positive", "inv", "exp2", "deg2rad", "rad2deg", "digamma", "lgamma", "erfinv", "sinc", "bessel_i0",
        "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1",
        "bessel_k1e", "bessel_y0", "bessel_y1",
    )],
    *[f"ops.{name}(x, y)" for name in (
        "fmax", "fmin", "hypot", "copysign", "logaddexp", "logaddexp2", "xdivy", "float_power", "igamma", "igammac",
        "heaviside", "truncate_mod", "floor_mod",
    )],
    "ops.ldexp(x, 2)", "ops.lerp(x, y, 0.3)", "ops.lerp(x, y, x * y)", "ops.addcdiv(x, y, x + 1, 2.0)",
    "ops.addcmul(x, y, x, y)", "ops.addn([x, y, x])", "ops.nan_to_num(x)", "ops.polygamma(1, x)",
    "ops.mvlgamma(x + 2, 3)", "ops.zeta(3.5, x)", "ops.Betainc()(x + 1, y + 1, x * y)", "ops.Logit(0.2)(x)",
    "ops.DivNoNan()(x, y)", "ops.MulNoNan()(x, y)", "ops.SquaredDifference()(x, y)", "ops.SquareSumAll()(x, y)[0]",
    "ops.conj(x)", "ops.angle(ops.Complex()(x, y))", "ops.real(ops.polar(x, y))", "ops.imag(ops.polar(x, y))",
    "ops.view_as_real(ops.Complex()(x, y))", "ops.adjoint(x)",
    # matrices
    "ops.qr(x)[1]", "ops.svd(x, compute_uv=False)", "ops.svd(x)[0]", "ops.orgqr(x.tril(-1), y[0])",
    "ops.logdet(x @ x.T + ops.eye(3))", "ops.cond(x + 2 * ops.eye(3), 1)", "ops.cond(x + 2 * ops.eye(3))",
    "ops.cholesky_inverse(x.tril())", "ops.cholesky_inverse(x.triu(), True)", "ops.cholesky_solve(y, x.tril())",
    "ops.lu_solve(y, x + ops.eye(3), Tensor([2, 2, 3], ms.int32))", "ops.matrix_solve(x + ops.eye(3), y)",
    "ops.matrix_solve(x + ops.eye(3), y, True)", "ops.lstsq(x[:, :2], y)", "x.triangular_solve(y + ops.eye(3))[0]",
    "ops.MatrixInverse(True)(x + ops.eye(3))", "ops.MatrixTriangularSolve(False, True)(x + ops.eye(3), y)",
    "ops.lu_unpack(x, Tensor([2, 2, 3], ms.int32))[2]", "ops.NuclearNorm()(x)",
    "ops.eigvals(x @ x.T + ops.eye(3)).real().sum()",
    # diagonals
    "ops.matrix_diag(x, (-1, 1))", "ops.matrix_diag_part(x, (-1, 1), 0.0)", "ops.matrix_set_diag(x, y, (-1, 1))",
    "ops.matrix_band_part(x, 1, 0)", "x.fill_diagonal(2.0)", "ops.TridiagonalMatMul()(x[:1], y[:1], x[1:2], y)",
    # norms, series, blocks
    "ops.dist(x, y, 3)", "ops.pdist(x)", "ops.cosine_similarity(x, y)", "ops.renorm(x, 2, 0, 0.5)",
    "ops.clip_by_norm(x, 0.5, 3.0)", "ops.clip_by_global_norm([x, y], 0.5)[1]", "ops.LpNorm(0, 3)(x)",
    "ops.EuclideanNorm()(x, 0)", "ops.diff(x, 2)", "ops.cov(x)", "ops.cov(x, aweights=y[0])", "ops.trapz(x, y)",
    "ops.vander(x[0], 4)", "ops.unfold(x.reshape(1, 1, 3, 3), 2)", "ops.fold(x.reshape(1, 9, 1), (3, 3), 3)",
    "ops.bidense(x, y, x.reshape(1, 3, 3))", "ops.stft(x, 2, 1, window=y[0, :2])", "ops.add_rms_norm(x, y, x[0])[0]",
    "ops.add_layer_norm(x, y, x[0], y[0])[3]",
    "ops.vecdot(x, y)", "ops.addbmm(x, y, x)", "ops.baddbmm(x, y, x)",
    # segments and places
    "ops.SegmentMean()(x, Tensor([0, 0, 2]))", "ops.SegmentProd()(x, Tensor([0, 0, 2]))",
    "ops.sparse_segment_mean(x, Tensor([2, 0, 1]), Tensor([0, 0, 1]))", "x.kthvalue(2)[0]",
    "ops.NthElement(True)(x, 1)", "ops.EmbeddingLookup()(x, Tensor([0, 5]), 0)",
    "ops.IndexPut(1)(x, y[0], [Tensor([0, 1, 0]), Tensor([1, 2, 1])])",
    "ops.inplace_update(x, y[:1], 1)", "ops.ScatterAddWithAxis(0)(x, Tensor([[1, 0, 1]]), y[:1])",
    "ops.Quantile(0)(x, 0.4)", "ops.einsum(x, [0, 1], y, [1, 2], [0, 2])", "ops.clip_by_value([x, y], 0.3, 0.6)[0]",
]  # fmt: skip

NOT_MAPPED = ("ops.Quantile(0)(x, 0.4)",)  # torch warns that it maps it sample by sample


def _matrices(seed: int = 0, dtype: type = np.float64, *batch: int) -> list[np.ndarray]:
    random = np.random.RandomState(seed)
    return [random.uniform(0.1, 0.9, (*batch, 3, 3)).astype(dtype) for _ in "xy"]


def _function(expression):
    return eval(f"lambda x, y: {expression}", {"ops": ops, "ms": ms, "Tensor": ms.Tensor})


def _total(expression):
    function = _function(expression)

    def total(x, y):
        result = function(x, y)
        weights = np.linspace(0.5, 1.5, max(result.size, 1)).reshape(result.shape)
        return (result * ms.Tensor(weights).astype(result.dtype)).sum()

    return total


@pytest.mark.parametrize("expression", DIFFERENTIABLE)
def test_gradient_is_that_of_differences(expression):
    matrices = _matrices()
    total = _total(expression)
    found = ms.grad(total, (0, 1))(*map(ms.Tensor, matrices))
    step = 1e-5
    for which in (0, 1):
        expected = np.zeros((3, 3))
        for place in np.ndindex(3, 3):
            ends = []
            for sign in (1, -1):
                moved = [matrix.copy() for matrix in matrices]
                moved[which][place] += sign * step
                ends.append(float(total(*map(ms.Tensor, moved))))
            expected[place] = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(found[which].asnumpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("expression", DIFFERENTIABLE)
def test_graph_gives_the_same(expression):
    arguments = [ms.Tensor(matrix) for matrix in _matrices(1)]
    function = ms.value_and_grad(_total(expression), (0, 1))
    captured = ms.jit(function, fullgraph=True)
    for _ in range(2):
        np.testing.assert_equal(values(captured(*arguments)), values(function(*arguments)))


@pytest.mark.parametrize("expression", [row for row in DIFFERENTIABLE if row not in NOT_MAPPED])
def test_maps_over_samples(expression):
    function = _function(expression)
    batches = [ms.Tensor(matrix) for matrix in _matrices(2, np.float32, 2)]
    mapped = ms.vmap(function)(*batches)
    single = [function(*[batch[i] for batch in batches]).asnumpy() for i in range(2)]
    np.testing.assert_allclose(mapped.asnumpy(), np.stack(single), rtol=1e-4, atol=1e-5)


# What MindSpore 2.10 has no kernel for, or refuses: ours and NumPy's, over the inputs of `tests/cases`.
EQUAL = [
    ("ops.accumulate_n([x, y])", "x + y"),
    ("x.addcdiv(y, q, value=2.0)", "x + 2 * y / q"),
    ("ops.addcdiv(i, j, j)", "i + 1"),
    ("ops.fills(x, 2.0)", "np.full_like(x, 2)"),
    ("x.fills(Tensor(3.0))", "np.full_like(x, 3)"),
    ("ops.fmin(nan, 0.0)", "np.fmin(nan, np.float32(0))"),
    ("ops.Fmin()(i, j)", "np.fmin(i, j)"),
    ("x.fmin(y)", "np.fmin(x, y)"),
    ("ops.Round()(q, 1)", "np.round(q, 1)"),
    ("ops.DivNoNan()(i, k)", "np.where(k == 0, 0, i / np.where(k == 0, 1, k)).astype(np.float32)"),
    ("ops.nextafter(d, x)", "np.nextafter(d, x.astype(np.float64))"),
    ("ops.heaviside(x, d)", "np.heaviside(x, d)"),
    ("ops.inv(Tensor([2, -1, 1]))", "np.array([0, -1, 1])"),
    ("ops.positive(x)", "x"),
    ("ops.LerpScalar()(x, y, 0.5)", "(x + y) / 2"),
    ("i.bitwise_not()", "~i"),
    ("b.bitwise_not()", "~b"),
    ("ops.bitwise_left_shift(i, k)", "i << k"),
    ("ops.FloatStatus()(x)", "np.zeros(1, np.float32)"),
    ("ops.FloatStatus()(nan)", "np.ones(1, np.float32)"),
    ("ops.CountNonZero()(i)", "np.int32(5)"),
    ("ops.CountNonZero((0, 1))(x)", "np.int32(6)"),
    ("ops.CountNonZero(0)(i)", "(i != 0).sum(0).astype(np.int32)"),
    ("ops.EuclideanNorm()(x, Tensor([0, 1]))", "np.sqrt((x * x).sum())"),
    ("ops.EuclideanNorm(True)(x, Tensor([0]))", "np.sqrt((x * x).sum(0, keepdims=True))"),
    ("ops.EuclideanNorm()(i, Tensor([0]))", "np.sqrt((i * i).sum(0)).astype(np.int32)"),
    ("ops.clip_by_norm(x, 1.0, 3.0)", "x / np.cbrt((np.abs(x) ** 3).sum())"),
    ("ops.HistogramFixedWidth(4)(x, Tensor([-1.0, 1.0]))", "np.array([2, 1, 1, 2], np.int32)"),
    ("ops.HistogramFixedWidth(4)(i, Tensor([0, 4], ms.int32))", "np.array([3, 0, 1, 2], np.int32)"),
    ("ops.Quantile(0)(x, 0.5)", "np.median(x, 0)"),
    ("ops.Quantile(ignore_nan=True)(nan[:2], 0.5)", "np.float32(1)"),
    ("ops.SparseGatherV2()(m, k, 0)", "m[k]"),
    ("ops.GatherV2()(m, k, 1)", "m[:, k]"),
    ("ops.EmbeddingLookup()(m, Tensor([2, 5, -1]), 0)", "np.stack([m[2], 0 * m[0], 0 * m[0]])"),
    ("ops.SplitV([1, -1], 1, 2)(x)", "(x[:, :1], x[:, 1:])"),
    ("ops.BatchToSpace(2, [[0, 0], [0, 0]])(z[:, :, :2].reshape(4, 3, 1, 1))", "blocks(z[:, :, :2].reshape(4, 3))"),
    ("ops.SpaceToBatch(2, [[0, 0], [0, 0]])(img[:1, :1, :2, :2])", "img[0, 0, :2, :2].reshape(4, 1, 1, 1)"),
    ("ops.BatchToSpaceNDV2()(x[:, :2].reshape(4, 1, 1, 1), Tensor([2, 2]), [[0, 0], [0, 0]])", "x[None, None, :, :2]"),
    ("ops.ScatterNonAliasingAdd()(x, Tensor([[1]]), y[:1])", "np.stack([x[0], x[1] + y[0]])"),
    ("x.kthvalue(2)", "(np.sort(x)[:, 1], np.argsort(x)[:, 1])"),
    ("x.kthvalue(1, 0, True)", "(x.min(0, keepdims=True), x.argmin(0)[None])"),
    ("x.index([k[:2] % 2, k[:2]])", "x[k[:2] % 2, k[:2]]"),
    ("ops.BatchMatMul()(*ops.qr(z, 'complete'))", "z"),
    ("ops.eig(d[:, :2])[1] @ ops.ones(2, ms.complex128) != 0", "np.array([True, True])"),
    ("ops.eigvals(Tensor([[0.0, 1.0], [-1.0, 0.0]])).imag().sort()[0]", "np.array([-1, 1], np.float32)"),
    ("ops.Eig()(Tensor([[2.0]]))[0].real()", "np.array([2], np.float32)"),
    ("ops.Eig()(Tensor([[2.0]]))[1].shape", "(0,)"),
    ("ops.ormqr(*ops.geqrf(m.T), m.T, True, True)[3]", "np.zeros(3, np.float32)"),
    ("ops.Ormqr()(*ops.geqrf(m), ops.eye(3))", "np.linalg.qr(m)[0]"),
    ("m.geqrf()[0].ormqr(m.geqrf()[1], ops.eye(3), False)", "np.linalg.qr(m)[0]"),
    ("(lambda s, u, v: u * s @ v.T)(*ops.svd(m))", "m"),
    ("ops.svd(m, True)[2].shape", "(4, 4)"),
    ("ops.Svd(True)(m)[1].shape", "(3, 3)"),
    ("ops.qr(h)[1].dtype", "ms.float16"),
    ("m.triangular_solve(m[:, :3])[0]", "np.linalg.solve(np.triu(m[:, :3]), m)"),
    ("m.triangular_solve(m[:, :3], False, True)[0]", "np.linalg.solve(np.tril(m[:, :3]).T, m)"),
    ("ops.Lstsq(l2_regularizer=1.0)(m.T, m.T)", "np.linalg.solve(m @ m.T + np.eye(3, dtype=np.float32), m @ m.T)"),
    ("ops.MatrixExp()(Tensor(np.diag([0.0, 1.0])))", "np.diag(np.exp([0.0, 1.0]))"),
    ("ops.cond(m)", "np.linalg.cond(m)"),
    ("ops.cond(i[:, :2])", "np.float32(np.linalg.cond(i[:, :2]))"),
    ("ops.matrix_diag(v, -1)", "np.diag(v, -1)"),
    ("ops.matrix_diag(x, (-1, 0))", "np.diag(x[0]) + np.diag(x[1, :2], -1)"),
    ("ops.matrix_diag_part(m, 1, 0.0)", "np.diag(m, 1)"),
    ("ops.matrix_set_diag(z, z[:, 0, :3], 0)[1]", "np.where(np.eye(3, 4, dtype=bool), z[1, :1, :].T[:3], z[1])"),
    ("z[:, :2, :2].reshape(2, 2, 2).fill_diagonal(9.0)[1, 1, 1]", "np.float32(9)"),
    ("ops.diff(x, 2)", "np.diff(x, 2)"),
    ("ops.diff(i, 1, 0, j, j)", "np.diff(np.concatenate([j, i, j]), axis=0)"),
    ("ops.dist(x, y, 2.5)", "((np.abs(x - y) ** 2.5).sum() ** 0.4).astype(np.float32)"),
    ("ops.vander(v, 0).shape", "(3, 0)"),
    ("ops.fold(ops.unfold(img, 2, stride=2), (6, 6), 2, stride=2)", "img"),
    ("ops.bartlett_window(5, False)", "np.bartlett(5).astype(np.float32)"),
    ("ops.blackman_window(5, False, dtype=ms.float64)", "np.blackman(5)"),
    ("ops.hann_window(6, False)", "np.hanning(6)"),
    ("ops.kaiser_window(6, False, 3.0)", "np.kaiser(6, 3)"),
    ("ops.hamming_window(1)", "np.ones(1, np.float32)"),
    ("ops.bartlett_window(0)", "np.zeros(0, np.float32)"),
    ("ops.bessel_k1(h[:, 2:] ** 2).dtype", "ms.float16"),
    ("ops.polygamma(1, Tensor([1.0]))", "np.array([np.pi ** 2 / 6], np.float32)"),
    ("ops.zeta(2, Tensor([1.0]))", "np.array([np.pi ** 2 / 6], np.float32)"),
    ("ops.Betainc()(Tensor([1.0, 2.0]), Tensor([3.0, 1.0]), Tensor([0.2, 0.3]))", "np.float32([1 - 0.8**3, 0.3**2])"),
    ("ops.Betainc()(Tensor([0.5] * 2), Tensor([0.5] * 2), Tensor([0.0, 1.0]))", "np.float32([0, 1])"),
    ("ops.sgn(x)", "np.sign(x)"),
    ("ops.view_as_real(ops.polar(s, s))", "np.float32([0.7 * np.cos(0.7), 0.7 * np.sin(0.7)])"),
    # names of the compiler
    ("ops.scalar_ne(1, 2), ops.bool_and(True, False), ops.bool_or(True, False)", "(True, False, True)"),
    ("ops.string_concat('a', 'b'), ops.string_eq('a', 'b'), ops.is_(None, None)", "('ab', False, True)"),
    ("ops.dict_setitem({1: 2}, 3, 4), ops.make_dict((1,), (2,))", "({1: 2, 3: 4}, {1: 2})"),
    ("ops.move_to(Tensor([1, 2]), 'CPU')", "np.array([1, 2])"),
    ("ops.scalar_to_array(3.0), ops.ScalarToArray()(2.0)", "(np.float32(3), np.float32(2))"),
    ("ops.ScalarCast()(2.5, ms.int64)", "2"),
    ("ops.baddbmm_ext(x, x, y.T @ y).shape, ops.einsum_ext('ij->ji', x)", "((2, 3), x.T)"),
    ("v.dot(v)", "v @ v"),
    # forms that only mindspore.ops.auto_generate has
    ("ops.add_ext(i, x, 0.5), ops.sub_ext(x, y, 2)", "(i.astype(np.float32) + x / 2, x - 2 * y)"),
    ("ops.MaxDim()(x, 1)", "(x.max(1), x.argmax(1))"),
    ("ops.MinDim()(x, 0, True)", "(x.min(0, keepdims=True), x.argmin(0)[None])"),
    ("ops.NewOnes()(i, (2,)), ops.NewZeros()(i, 2, ms.float32)", "(np.ones(2, np.int32), np.zeros(2, np.float32))"),
    ("ops.TensorCopySlices()(x, y[:1], (1, 0), (2, 3), (1, 1))", "np.stack([x[0], y[0]])"),
    ("ops.SliceExt()(m, -1, 0, 4, 2), ops.SliceExtView()(m, 0, 1, 3)", "(m[:, ::2], m[1:])"),
    ("ops.InnerIndex()(m, [k, k]), ops.index(m, [k.int()])", "(m[[2, 0, 1], [2, 0, 1]], m[[2, 0, 1]])"),
    ("ops.InnerNonZero()(i)", "np.array(i.nonzero())"),
    ("ops.TypeAs()(x, d), ops.ExpandDimsView()(v, 0)", "(x.astype(np.float64), v[None])"),
    ("ops.LinSpaceExt()(1, 10, 5)", "np.linspace(1, 10, 5, dtype=np.float32)"),
    ("ops.ScatterAddExt()(x, 1, Tensor([[2, 2]]), y[:1, :2])", "x + np.float32([[0, 0, y[0, :2].sum()], [0] * 3])"),
    ("ops.XLogYScalarSelf()(2, q), ops.XLogYScalarOther()(q, 2.0)", "(2 * np.log(q), q * np.log(np.float32(2)))"),
    ("ops.clamp_scalar(x, 0, 1), ops.matrix_inverse_ext(m[:, :3])", "(x.clip(0, 1), np.linalg.inv(m[:, :3]))"),
    # fused for Ascend cards
    ("ops.add_rms_norm(x, y, v * 0 + 1)[0]", "(x + y) / np.sqrt(((x + y) ** 2).mean(1, keepdims=True) + 1e-6)"),
    ("ops.add_rms_norm(x, y, v)[2], ops.add_layer_norm(x, y, v, v)[3]", "(x + y, x + y)"),
    ("ops.add_layer_norm(x, y, v, v)[0]", "(n := x + y - (x + y).mean(1)[:, None]) / n.std(1)[:, None] * v + v"),
    ("ops.add_layer_norm(x, y, v, v)[1]", "(x + y).mean(1, keepdims=True)"),
    ("ops.rotary_position_embedding(m, m * 0, m * 0 + 1)", "np.concatenate([-m[:, 2:], m[:, :2]], 1)"),
    ("ops.rotary_position_embedding(m, m * 0, m * 0 + 1, 1)", "m[:, [1, 0, 3, 2]] * np.float32([-1, 1, -1, 1])"),
    # memory
    ("x.storage().nbytes(), x.untyped_storage().data_ptr() == x.data_ptr(), x.is_shared()", "(24, True, False)"),
    ("x.pin_memory(), x.to_('CPU'), x.to_(), x.is_meta, x.flush_from_cache()", "(x, x, x, False, None)"),
    ("x.data_sync(), x.wait_pipeline(), x", "(None, None, x)"),
    ("x.set_(v)", "v"),
    ("x.set_(v, 1, (2,), (1,))", "v[1:]"),
    ("x.set_()", "x[0, :0]"),
    ("Tensor(np.zeros(3, np.float32)).set_(v.storage(), 0, (3,))", "v"),
    ("Tensor.from_dlpack(v.to_dlpack())", "v"),
    ("x.is_init(), x.set_init_flag(True), x.is_init()", "(False, None, True)"),
    # in place
    ("ops.clamp_(x, 0, 1), x", "(np.clip(x, 0, 1),) * 2"),
    ("ops.zero_(x), x", "(0 * x,) * 2"),
    ("ops.put_(v, k, v[k] * 2), v", "(2 * v,) * 2"),
    ("ops.inplace_sigmoid(x), x", "(1 / (1 + np.exp(-x)),) * 2"),
    ("ops.stop_gradient_(x)", "x"),
    ("ms.grad(lambda a: a * ops.stop_gradient_(a * a))(v)", "v * v"),
]  # fmt: skip


def _arrays(tree):
    if isinstance(tree, (tuple, list)):
        return [_arrays(branch) for branch in tree]
    return tree.asnumpy().copy() if isinstance(tree, ms.Tensor) else tree


def _blocks(x):
    return x.reshape(2, 2, 3).transpose(2, 0, 1)[None]


@pytest.mark.parametrize(("ours", "theirs"), EQUAL, ids=[row[0] for row in EQUAL])
def test_equals_numpy(ours, theirs):
    found = _arrays(eval(ours, cases.namespace(ms)))
    inputs = {name: array.copy() for name, array in cases.INPUTS.items()}
    expected = eval(theirs, {"np": np, "ms": ms, "blocks": _blocks, **inputs})
    for one, other in zip(*[list(tree) if isinstance(expected, tuple) else [tree] for tree in (found, expected)]):
        if isinstance(other, (np.ndarray, np.generic)):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)
        else:
            assert (list(one) if isinstance(one, list) else one) == (list(other) if isinstance(one, list) else other)


ERRORS = [
    ("ops.addn([])", ValueError, "one shape"),
    ("ops.inplace_sigmoid(3)", TypeError, "must be a Tensor"),
    ("ops.stop_gradient_(3)", TypeError, "must be a Tensor"),
    ("ops.renorm(v, 2, 0, 1.0)", ValueError, "dimension 0 and at least one other"),
    ("ops.matrix_diag(m, (-1, 1), 9, 9)", ValueError, "do not fit"),
    ("ops.EditDistance()(k, k, k, k, k, k[:2])", ValueError, "as long"),
    ("ops.SplitV([1, 1], 1, 2)(x)", ValueError, "cannot be split"),
    ("ops.EuclideanNorm()(x, 5)", ValueError, "range"),
    ("ops.HistogramFixedWidth(0)(x, v[:2])", ValueError, "nbins"),
    ("x.kthvalue(9)", ValueError, "out of range"),
    ("x.index(k)", TypeError, "tuple or list"),
    ("x.set_(k)", TypeError, "Float32 Tensor"),
    ("x.set_(v, 0, (9,))", ValueError, "resize"),
    ("x.delete_()", NotImplementedError, "del x"),
    ("x.requires_grad_(False)", NotImplementedError, "stop_gradient"),
    ("ops.jet(3, x, x)", TypeError, "callable|function"),
    ("ops.jet(ops.exp, x, y)", ValueError, "each series"),
    ("ops.derivative(ops.exp, x, 0)", ValueError, ">= 1"),
    ("ops.derivative(ops.exp, x, 1.5)", TypeError, "an int"),
    ("ops.derivative(ops.exp, 3, 1)", TypeError, "a Tensor"),
    ("ops.clip_by_global_norm((x, y), 1.0, x)", ValueError, "use_norm"),
    ("ops.DataFormatDimMap('A')(k)", ValueError, "src_format"),
    ("ops.einsum(x, x)", TypeError, "list of its indices"),
    ("ops.bartlett_window(-1)", ValueError, ">= 0"),
    ("ops.rotary_position_embedding(m, m, m, 2)", ValueError, "0 or 1"),
    ("ops.RaggedRange(ms.int64)(k, k, x)", ValueError, "must have the shape of 'starts'"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "kind", "text"), ERRORS, ids=[row[0] for row in ERRORS])
def test_error(expression, kind, text):
    with pytest.raises(kind, match=text) as caught:
        eval(expression, cases.namespace(ms))
    assert str(caught.value).startswith("For '")


def test_derivatives_of_any_order():
    def function(a, b):
        return ops.sin(a) * b, a * a

    a, b = ms.Tensor([0.5, 1.0], ms.float64), ms.Tensor([2.0, 3.0], ms.float64)
    path = ms.Tensor([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]], ms.float64)
    still = ms.Tensor(np.zeros((3, 2)))
    outputs, series = ops.jet(function, (a, b), (path, still))
    x, factor = a.asnumpy(), b.asnumpy()
    np.testing.assert_allclose(outputs[0].asnumpy(), np.sin(x) * factor)
    expected = np.stack([np.cos(x), -np.sin(x), -np.cos(x)]) * factor
    np.testing.assert_allclose(series[0].asnumpy(), expected)
    np.testing.assert_allclose(series[1].asnumpy(), [2 * x, [2, 2], [0, 0]], atol=1e-12)
    value, third = ops.derivative(ops.exp, a, 3)
    np.testing.assert_allclose(third.asnumpy(), value.asnumpy())
    output, approximation = ops.linearize(function, (a, b))
    products = approximation([b, a])
    np.testing.assert_allclose(products[0].asnumpy(), np.cos(x) * factor**2 + np.sin(x) * x)
    np.testing.assert_allclose(output[1].asnumpy(), x * x)


@pytest.mark.parametrize("order", ["j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e"])
def test_second_derivatives_of_bessel_functions(order):
    """They solve Bessel's equation: x**2 * f'' + x * f' + (+-x**2 - n**2) * f = 0."""
    function = getattr(ops, f"bessel_{order}")
    scaled = order.endswith("e")
    plain = (lambda x: function(x) * ops.exp(-x)) if scaled else function
    x = ms.Tensor([0.5, 1.5, 4.0], ms.float64)
    first = ms.grad(lambda x: plain(x).sum())
    second = ms.grad(lambda x: first(x).sum())
    sign, n = (-1 if order[0] == "k" else 1), int(order[1])
    rest = x * x * second(x) + x * first(x) + (sign * x * x - n * n) * plain(x)
    np.testing.assert_allclose(rest.asnumpy(), 0, atol=1e-10)


def test_draws():
    ms.set_seed(3)
    like = ms.Tensor(np.zeros(20000, np.float32))
    np.testing.assert_allclose(np.median(like.cauchy(2.0, 0.5).asnumpy()), 2, atol=0.05)
    np.testing.assert_allclose(np.log(like.log_normal(0.5, 0.25).asnumpy()).std(), 0.25, atol=0.01)
    assert set(np.unique(ops.bernoulli_(like, 0.3).asnumpy())) == {0.0, 1.0}
    assert ops.uniform_(like, 1, 2).asnumpy().min() >= 1
    assert set(np.unique(ops.random_(like, 2, 5).asnumpy())) == {2.0, 3.0, 4.0}
    np.testing.assert_allclose(ops.exponential_(like, 4.0).asnumpy().mean(), 0.25, atol=0.01)
    logits = ms.Tensor(np.log(np.tile(np.float32([0.2, 0.8]), (5000, 1))))
    soft, hard = ops.gumbel_softmax(logits, 0.5).asnumpy(), ops.gumbel_softmax(logits, hard=True).asnumpy()
    np.testing.assert_allclose(soft.sum(-1), 1, rtol=1e-5)
    np.testing.assert_allclose(hard.mean(0), [0.2, 0.8], atol=0.03)
    assert set(np.unique(hard)) == {0.0, 1.0}
    with pytest.raises(ValueError, match="'tau' must be in"):
        ops.gumbel_softmax(logits, 0.0)


@pytest.mark.parametrize("form", [lambda x, y: ops.div(x, y, rounding_mode="trunc"), ops.truncate_div, ops.floor_div])
@pytest.mark.parametrize(("bits", "kind"), [(31, ms.int32), (63, ms.int64)])
def test_the_least_integer_by_minus_one(form, bits, kind):
    x, y = ms.Tensor([-(2**bits), 7, -7], kind), ms.Tensor([-1, -2, 2], kind)
    quotients = form(x, y).asnumpy().tolist()
    assert quotients[0] == -(2**bits)
    assert set(quotients[1:]) == ({-3} if form is not ops.floor_div else {-4})


def test_gradient_of_halves_without_a_kernel():
    x = ms.Tensor([0.5, -2.0], ms.float16)
    for function in (ops.bessel_i0e, ops.bessel_i1e):
        expected = ms.grad(function)(x.astype(ms.float32)).asnumpy()
        np.testing.assert_allclose(ms.grad(function)(x).asnumpy(), expected, rtol=2e-3)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_second_derivative_of_distances(p):
    x, y = ms.Tensor(np.cos(np.arange(6, dtype=np.float64)).reshape(2, 3)), ms.Tensor(np.full((1, 3), 0.3))

    def slope(x):
        return ms.grad(lambda x: ops.cdist(x, y, p))(x)

    step = ms.Tensor(np.full((2, 3), 1e-5))
    expected = (slope(x + step) - slope(x - step)).asnumpy() / 2e-5  # the matrix of second derivatives is symmetric
    np.testing.assert_allclose(ms.grad(slope)(x).asnumpy(), expected, rtol=1e-4, atol=1e-6)
