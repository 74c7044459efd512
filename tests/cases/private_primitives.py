"""Primitives that MindSpore keeps in private modules: `K` finds them."""

_I = "Tensor([[0, 1], [1, 0], [1, 2]])"
_J = "Tensor([[0, 1], [1, 1], [1, 2]])"
_S = "Tensor([2, 3])"
_CSR = "Tensor([2, 3]), Tensor([0, 3]), Tensor([0, 1, 3]), Tensor([1, 0, 2])"
_X = "Tensor(np.arange(6).reshape(2, 3).astype(np.float32))"
_CSR32 = "Tensor([2, 3], ms.int32), Tensor([0, 3], ms.int32), Tensor([0, 1, 3], ms.int32), Tensor([1, 0, 2], ms.int32)"
_CSRB = "Tensor([2, 3], ms.int32), Tensor([0, 2], ms.int32), Tensor([0, 1, 2], ms.int32), Tensor([1, 1], ms.int32)"
_CSRT = (
    "Tensor([3, 2], ms.int32), Tensor([0, 3], ms.int32), Tensor([0, 1, 2, 3], ms.int32), Tensor([1, 0, 1], ms.int32)"
)
_SEG = "m, Tensor([0, 2, 1], ms.int32), Tensor([0, 0, 1], ms.int32)"
_SPARSE = [
    f"K.SparseAdd()({_I}, v, {_S}, {_J}, v, {_S}, Tensor(0.0, ms.float32))",
    f"K.SparseAdd()({_I}, v, {_S}, {_J}, v, {_S}, Tensor(1.5, ms.float32))",
    f"K.SparseAdd()({_I}, k.astype(ms.int8), {_S}, {_J}, k.astype(ms.int8), {_S}, Tensor(1, ms.int8))",
    f"K.SparseAddmm()({_I}, v, {_S}, m, x[:, :1].broadcast_to((2, 4)), Tensor([2.0], ms.float32), "
    "Tensor([0.5], ms.float32))",
    f"K.SparseConcat(0)([{_I}, {_J}], [v, v], [{_S}, {_S}])",
    f"K.SparseConcat(1)([{_I}, {_J}], [v, v], [{_S}, {_S}])", f"K.SparseDenseCwiseAdd()({_I}, v, {_S}, x)",
    f"K.SparseDenseCwiseMul()({_I}, v, {_S}, x)", f"K.SparseDenseCwiseMul()({_I}, v, {_S}, v)",
    "K.SparseFillEmptyRows()(Tensor([[0, 1], [2, 0]]), v[:2], Tensor([4, 3]), s)",
    "K.SparseReorder()(Tensor([[1, 2], [0, 1], [1, 0]]), v, Tensor([2, 3]))",
    f"K.SparseReshape()({_I}, {_S}, Tensor([6]))", f"K.SparseSoftmax()({_I}, d[0], {_S})",
    f"K.SparseSoftmax()({_I}, v, {_S})", f"K.SparseSparseMaximum()({_I}, v, {_S}, {_J}, v + 1, {_S})",
    f"K.SparseSparseMinimum()({_I}, v, {_S}, {_J}, v + 1, {_S})",
    "K.SparseToDenseV2()(Tensor([[0, 1], [1, 2]]), Tensor([2, 3]), v[:2], s)",
    "K.SparseToDenseV2()(Tensor([1, 2]), Tensor([4]), v[:2], s)",
    f"K.SparseSegmentSum()({_SEG})",
    f"K.SparseSegmentSqrtN()({_SEG})", f"K.SparseSegmentSumWithNumSegments()({_SEG}, Tensor([4], ms.int32))",
    f"K.SparseSegmentSqrtNWithNumSegments()({_SEG}, Tensor([4], ms.int32))",
    f"K.SparseSegmentMeanWithNumSegments()({_SEG}, Tensor([4], ms.int32))",
    f"K.Sspaddmm()({_I}.T, {_X}[0], {_S}, Tensor([[0, 1], [1, 0]]), {_X}[1, :2], Tensor([2, 2]), {_X}, Tensor([2], "
    "ms.int32), Tensor([3], ms.int32))",
    f"K.DenseToCSRSparseMatrix()(x, {_I})", f"K.DenseToCSRSparseMatrix()(x, {_I}.astype(ms.int32))",
    f"K.CSRSparseMatrixToDense()({_CSR32}, v)", f"K.CSRSparseMatrixToDense()({_CSR}, v)",
    f"K.CSRSparseMatrixToSparseTensor()({_CSR32}, v)", f"K.SparseTensorToCSRSparseMatrix()({_I}, v, {_S})",
    f"K.SparseTensorToCSRSparseMatrix()({_I}.astype(ms.int32), v, {_S}.astype(ms.int32))",
    f"K.SparseMatrixAdd()({_CSR32}, v, {_CSRB}, v[:2], Tensor(1.0, ms.float32), Tensor(2.0, ms.float32))",
    f"K.SparseMatrixNNZ()({_CSR32}, v)", f"K.SparseMatrixMatMul()({_CSR32}, v, m)",
    f"K.SparseMatrixMatMul(transpose_x1=True)({_CSR32}, v, x)",
    f"K.SparseMatrixMatMul(transpose_output=True)({_CSR32}, v, m)", f"K.SparseMatrixTranspose()({_CSR32}, v)",
    f"K.SparseMatrixSoftmax(ms.float32)({_CSR32}, v)",
    "K.DenseToDenseSetOperation('a-b')(j, Tensor([[2, 7], [3, 1]], ms.int32))",
    "K.DenseToDenseSetOperation('intersection')(j, Tensor([[2, 7], [3, 1]], ms.int32))",
    "K.DenseToDenseSetOperation('union')(j, Tensor([[2, 7], [3, 1]], ms.int32))",
    "K.DenseToDenseSetOperation('b-a')(j, Tensor([[2, 7], [3, 1]], ms.int32))",
    f"K.SetSize()({_I}, Tensor([2, 5, 5], ms.int32), {_S})[:2]",
    "K.RaggedTensorToSparse(Tsplits=ms.int64)([Tensor([0, 2, 3])], v)",
    f"K.SparseCountSparseOutput()({_I}, Tensor([2, 0, 2], ms.int32), {_S}, v)",
    f"K.SparseCountSparseOutput(True)({_I}, Tensor([2, 0, 2], ms.int32), {_S}, v)",
]  # fmt: skip
_SCALARS = (
    [
        f"K.Scalar{name}()({x}, {y})"
        for name in ("Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Eq", "Ge", "Gt", "Le", "Lt", "Max", "Min", "Pow")
        for x, y in (("7", "2"), ("-7", "2"), ("2.5", "2"), ("True", "2"))
    ]
    + [f"K.Scalar{name}()({x})" for name in ("Bool", "Log", "Uadd", "Usub") for x in ("3", "2.5", "True")]
    + [
        "K.ScalarFloorDiv()(1, 0)",
        "K.ScalarMod()(1, 0)",
    ]
)
_SEQUENCES = [
    "K.InSequence()(2, (1, 2))", "K.InSequence()(5, [1, 2])", "K.ListAppend()([1, 2], 3)",
    "K.ListInsert()([1, 2], 1, 3)", "K.ListToTensor()([1, 2], ms.float32)", "K.TupleToTensor()((1, 2), ms.int64)",
    "K.TensorToList()(v)", "K.SequenceAdd()((1, 2), (3,))", "K.SequenceCount()((1, 2, 1), 1)",
    "K.SequenceIndex()((1, 2, 1), 1, 1, 3)", "K.SequenceMax()((1, 3, 2))", "K.SequenceMin()((1, 3, 2))",
    "K.SequenceMul()((1, 2), 2)", "K.SequenceSlice()((1, 2, 3, 4), 0, 4, 2)", "K.SequenceZerosLike()((1, 2.5))",
    "K.list_greater_equal()([1, 2], [1, 3])", "K.list_greater_than()([2], [1, 3])", "K.list_le()([1, 2], [1, 2])",
    "K.list_lt()([1], [1, 2])", "K.sequence_len()((1, 2))", "K.tuple_greater_equal()((1, 2), (1, 3))",
    "K.tuple_greater_than()((2,), (1, 3))", "K.tuple_le()((1, 2), (1, 2))", "K.tuple_lt()((1,), (1, 2))",
]  # fmt: skip
_SYM = "Tensor([[2, 0.5, 0], [0.5, 3, 1], [0, 1, 4]], ms.float32)"
_OTHERS = [
    "K.ReLUV3()(x)", "K.AddV2()(x, y)", "K.RangeV2()(Tensor(1), Tensor(9), Tensor(3))",
    "K.ConcatOffsetV1()(Tensor(1, ms.int32), [Tensor([2, 3], ms.int32), Tensor([2, 1], ms.int32)])",
    "K.ConcatOffset(2, 1)((x, y))", f"K.SelfAdjointEig(False)({_SYM})[0]", f"ops.abs(K.SelfAdjointEig()({_SYM})[1])",
    "K.Eigh()(m[:, :3])[0]", "K.Eigh(True, False)(m[:, :3])[0]",
    f"K.Eigh(False)({_SYM})", f"K.Eigh()({_SYM})[0]", f"ops.abs(K.Eigh()({_SYM})[1])",
    "K.TridiagonalSolve()(Tensor([[1.0, 2, 0], [4, 5, 6], [0, 1, 2]], ms.float32), m[:3, :2])",
    "K.TridiagonalSolve(False)(Tensor([[1.0, 2, 0], [4, 5, 6], [0, 1, 2]], ms.float32), m[:3, :2])",
    "K.InstanceNormV2(True)(img, img[:, :, :1, :1], img[:, :, 1:2, :1], img[:, :, 2:3, :1], img[:, :, 1:2, 1:2] + 4)",
    "K.InstanceNormV2(False)(img, img[:, :, :1, :1], img[:, :, 1:2, :1], img[:, :, 2:3, :1], img[:, :, 1:2, 1:2] + 4)",
    "K.SparseSoftmaxCrossEntropyWithLogitsV2()(logits, labels)", "K.AdjustContrastv2()(img[:, :, :, :3], s)",
    "K.DynamicBroadcastTo()(v, (2, 3))", "K.ConvertToDynamic()(x)", "K.SameTypeShape()(x, y)",
    "K.SameTypeShape()(x, v)", "int(K.bit_and(6, 3))", "int(K.bit_or(6, 3))", "K.string_mul('ab', 2)",
    "K.string_getitem('abc', 1)", "K.Format()('a{}b{}', 1, 2)", "K.IsParameter()(x)", "K.Load()(x, y)",
    "K.scalar_bool(3)", "nn.Dropout(p=0.0).set_train()(i)", "nn.Dropout(p=0.5)(i)", "F.dropout(i, 0.0)",
]  # fmt: skip
CASES = _SPARSE + _SCALARS + _SEQUENCES + _OTHERS
