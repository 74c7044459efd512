"""Searching and counting, segments, and primitives that rearrange, gather and put."""

_ROWS = "Tensor([[1, 2, 2, 3], [4, 5, 6, 7]]), Tensor([[2, 9], [4, 5]])"
_SEGMENTS = "z.reshape(6, 4), Tensor([0, 0, 2, 2, 3, 3])"
_PLACES = "[Tensor([0, 1], ms.int32), Tensor([1, 2], ms.int32)]"
_NORMALIZED = (
    "ops.EditDistance()(Tensor([[0, 0], [0, 1], [0, 2]]), Tensor([1, 2, 3]), Tensor([2, 3]), "
    "Tensor([[0, 0], [0, 1], [1, 0]]), Tensor([1, 3, 5]), Tensor([2, 2]))"
)
_COUNTED = (
    "ops.EditDistance(False)(Tensor([[0, 0], [0, 1]]), Tensor([1, 2]), Tensor([1, 3]), "
    "Tensor([[0, 0], [0, 1]]), Tensor([2, 1]), Tensor([1, 2]))"
)

CASES = [
    f"ops.LowerBound()({_ROWS})", f"ops.UpperBound()({_ROWS})", f"ops.UpperBound(ms.int64)({_ROWS})",
    "ops.Bucketize([0.0, 1.0])(x)", "ops.Bucketize([0.0, 2.0, 5.0])(i)",
    "ops.ListDiff()(Tensor([1, 2, 3, 4, 2], ms.int32), Tensor([2, 4], ms.int32))", "ops.ListDiff(ms.int64)(k, k[:1])",
    "ops.NthElement()(x, 1)", "ops.NthElement(True)(x, Tensor(0, ms.int32))", "ops.NthElement()(i, 2)",
    "ops.UnravelIndex()(Tensor([2, 5]), Tensor([3, 3]))", "ops.UnravelIndex()(Tensor(5), Tensor([3, 3]))",
    "ops.UnravelIndex()(Tensor([7, 23], ms.int32), Tensor([2, 3, 4], ms.int32))",
    "ops.InvertPermutation()((3, 4, 0, 2, 1))", "i.reshape(6).unique_with_pad(-1)",
    # counting
    "ops.Bincount()(Tensor([1, 1, 4], ms.int32), Tensor(4, ms.int32), v)",
    "ops.Bincount()(Tensor([1, 1, 3], ms.int32), Tensor(6, ms.int32), Tensor([1, 2, 3], ms.int32))",
    "ops.Bincount()(Tensor([1, 1, 3], ms.int32), Tensor(2, ms.int32), Tensor([], ms.int32))", "ops.Histogram(4)(x)",
    "ops.Histogram(4, -1.0, 1.0)(x)", "ops.Histogram(4)(i)", "ops.Histogram(4)(h)",
    "ops.RaggedRange(ms.int64)(Tensor([2, 5, 8]), Tensor([3, 5, 12]), Tensor([1, 1, 2]))",
    "ops.RaggedRange(ms.int32)(Tensor([2.0, 5, 8]), Tensor([3.0, 3, 12]), Tensor([0.5, -1, 1]))",
    _NORMALIZED,
    _COUNTED,
    # segments
    *[f"ops.Segment{name}()({_SEGMENTS})" for name in ("Max", "Min", "Mean", "Prod", "Sum")],
    "ops.SegmentSum()(v, Tensor([0, 0, 1], ms.int32))",
    "ops.sparse_segment_mean(x, Tensor([0, 1, 1], ms.int32), Tensor([0, 0, 2], ms.int32))",
    "x.unsorted_segment_max(Tensor([1, 0], ms.int32), 2)", "x.unsorted_segment_min(Tensor([1, 1], ms.int32), 3)",
    "x.unsorted_segment_prod(Tensor([0, 0], ms.int32), 2)",
    # parts
    "ops.TrilIndices(3, 4)()", "ops.TriuIndices(3, 4, 1, ms.int64)()", "ops.TensorToTuple()(k)",
    "ops.EmbeddingLookup()(i, Tensor([0, 1]), 0)", "ops.EmbeddingLookup()(i, Tensor([4, 5]), 4)",
    "ops.SelectView()(x, 1, 0)", "x.argmax_with_value(axis=None)", "x.argmin_with_value(axis=None)",
    "x.argmax_with_value(1, True)", "ops.CumulativeLogsumexp(True)(x, Tensor(1))",
    "ops.CumulativeLogsumexp(True, True)(x, Tensor(1))",
    # arrangements
    "ops.TransposeView()(z, (2, 0, 1))", "ops.TransposeExtView()(z, 0, 2)", "ops.Pack()([x, y])", "ops.Pack(1)([x, y])",
    "ops.Unpack()(x)", "ops.IdentityN()([x, y])", "ops.Expand()(v, Tensor([2, 3]))", "x.reverse([0])",
    "x.reverse((0, 1))", "x.reverse_sequence(Tensor([2, 3]), 1)", "ops.ParallelConcat()([x[:1], y[:1]])",
    "ops.StopGradient()(x) * x", "ops.DataFormatDimMap()(Tensor([0, 1, 2, 3, -1], ms.int32))",
    "ops.DataFormatDimMap('NCHW', 'NHWC')(Tensor([0, 1, 2, 3], ms.int32))",
    "ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4], ms.int32))",
    "ops.DataFormatVecPermute('NCHW', 'NHWC')(Tensor([[1, 2], [3, 4], [5, 6], [7, 8]], ms.int32))", "ops.Cross()(x, y)",
    "ops.Cross(1)(x, y)", "ops.addbmm(x[0], x, y.T)", "ops.baddbmm(x[:, :2], x, y.T, beta=2, alpha=3)",
    "ops.vecdot(i, j)", "ops.vecdot(w, w)", "x.expand_as(x=z[0, :2, :3])",
    # puts
    f"ops.IndexPut()(x, v[:1], {_PLACES})", f"ops.IndexPut(1)(x, v[:2], {_PLACES})",
    "ops.InplaceIndexAdd(0)(x, Tensor([1], ms.int32), y[:1])", "ops.InplaceUpdateV2()(i, 1, j[:1])",
    "ops.InplaceUpdateV2()(i, (1, 0), j)", "i.inplace_update(j[:1], 1)",
    *[
        f"(lambda a: ({add}, a))({name} * 1)"
        for name in "iuh"
        for add in (
            f"ops.InplaceIndexAdd(0)(a, Tensor([1], ms.int32), {name}[:1])",
            f"ops.IndexAdd(0)(a, Tensor([1], ms.int32), {name}[:1])",
            f"ops.index_add(a, Tensor([1], ms.int32), {name}[:1], 0)",
            f"ops.inplace_index_add(a, Tensor([1], ms.int32), {name}[:1], 0)",
        )
    ],
    "ops.index_add(x, Tensor([1], ms.int32), w.reshape(1, 2), 0)", "ops.tensor_scatter_add(v, Tensor([[1], [0]]), w)",
    "ops.tensor_scatter_update(v, Tensor([[1], [0]]), w)", "ops.tensor_scatter_max(v, Tensor([[1], [0]]), w)",
    "ops.tensor_scatter_elements(v, Tensor([1, 0]), w)", "ops.scatter(v, 0, Tensor([1, 0]), w)",
    "ops.ScatterAddWithAxis(0)(x, Tensor([[1, 0, 1]], ms.int32), y[:1])",
    # errors
    "ops.LowerBound()(v, v)", "ops.LowerBound()(x, i)", "ops.ListDiff()(i, i)", "ops.ListDiff()(k, k.int())",
    "ops.NthElement()(x, 5)", "ops.UnravelIndex()(x, k)", "ops.UnravelIndex()(i, k)",
    "ops.InvertPermutation()((3, 4, 0, 2, 2))", "ops.InvertPermutation()(3)",
    "ops.Bincount()(x, Tensor(2, ms.int32), x)", "ops.Histogram(0)(x)", "ops.Histogram(4, 2.0, 1.0)(x)",
    "ops.SegmentSum()(z.reshape(6, 4), Tensor([0, 0, 2, 1, 3, 3]))", "ops.SegmentSum()(x, Tensor([0]))",
    "ops.SegmentSum()(x, x)", "ops.TensorToTuple()(x)", "ops.DataFormatVecPermute()(Tensor([1, 2, 3], ms.int32))",
    "ops.DataFormatVecPermute('A')(Tensor([1, 2, 3, 4], ms.int32))", "ops.ParallelConcat()([x, y])",
    "ops.EmbeddingLookup()(m, v, 0)", "ops.IndexPut()(x, v[:1], 3)",
]  # fmt: skip

DIFFERENCES = {"ops.TensorToTuple()(x)": ("MindSpore returns None", {"error": "ValueError"})}
