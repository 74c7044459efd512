"""Sparse tensors: parts, conversions, sums and products that MindSpore's CPU computes, and refusals."""

_COO = "ms.COOTensor(Tensor([[0, 1], [1, 2]]), y[0, :2], (3, 4))"
_OTHER = "ms.COOTensor(Tensor([[0, 1], [2, 3]]), x[0, :2], (3, 4))"
_TWICE = "ms.COOTensor(Tensor([[1, 2], [0, 3], [1, 2]]), v, (3, 4))"
_CSR = "ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), y[0, :2], (3, 4))"
_ROW = "ms.CSRTensor(Tensor([0, 0, 1, 1], ms.int32), Tensor([3], ms.int32), x[0, :1], (3, 4))"
_PARTS = "Tensor([[0, 1], [1, 2]]), v[:2]"
_ONE = "Tensor(1.0, ms.float32)"
_FUNCTIONS = [
    "abs", "asinh", "atan", "ceil", "cos", "cosh", "exp", "expm1", "floor", "inv", "isfinite", "isinf", "isnan",
    "neg", "relu", "relu6", "round", "sigmoid", "sin", "sinh", "softsign", "square", "tan", "tanh",
]  # fmt: skip

CASES = [
    *[f"ops.coo_{name}({_COO}).values" for name in _FUNCTIONS],
    *[f"ops.csr_{name}({_CSR}).values" for name in _FUNCTIONS],
    "ops.coo_abs(x)", f"ops.coo_abs({_CSR})", f"ops.csr_abs({_COO})",
    # attributes
    f"{_COO}.shape", f"{_COO}.size", f"{_COO}.ndim", f"{_COO}.itemsize", f"{_COO}.astype(ms.float16).values",
    f"{_COO}.to_tuple()[0]", f"{_CSR}.to_tuple()[0]", f"{_CSR}.astype(ms.int32).values", f"(-{_CSR}).values",
    # coordinates
    f"{_COO}.to_dense()", f"{_TWICE}.to_dense()",
    f"({_COO} + {_OTHER}).values", f"({_COO} + {_OTHER}).indices", f"({_COO} - {_OTHER}).values", f"{_COO} + m",
    f"{_COO} - m", f"({_COO} * m).values", f"({_COO} / m).values", f"({_COO} / m).indices", f"{_COO} * x",
    f"{_COO} + {_CSR}", f"{_COO} * {_COO}", f"{_COO} * np.ones((3, 4))",
    f"ops.coo_add({_COO}, {_OTHER}, Tensor(0.0, ms.float32)).values",
    f"ops.coo_concat(({_COO}, {_OTHER})).values", f"ops.coo_concat(({_COO}, {_OTHER}), 1).indices",
    f"ops.coo_concat(({_COO}, {_OTHER}), -1).shape", f"ops.coo_concat(({_COO},))",
    f"ops.coo_concat(({_COO}, {_COO}.astype(ms.float16)))",
    # rows
    f"({_CSR} + {_ROW}).values", f"({_CSR} + {_ROW}).indptr", f"({_ROW} - {_CSR}).values", f"({_CSR} + {_ROW}).indices",
    f"ops.csr_add({_CSR}, {_ROW}, {_ONE} * 2, {_ONE} * 3).values", f"ops.csr_add({_CSR}, {_ROW}, 1, 1)",
    f"ops.csr_add({_CSR}, {_COO}, {_ONE}, {_ONE})", f"{_CSR} + m", f"{_CSR} * 2", f"{_CSR} / 2", f"{_CSR} * {_CSR}",
    f"{_CSR} * v", f"{_CSR}.sum(0)", f"{_CSR}.to_dense()", f"ops.csr_softmax({_CSR}, ms.float32).values",
    f"ops.csr_softmax({_CSR}, ms.int32)", f"ops.csr_to_dense({_COO})", f"ops.csr_to_coo({_COO})",
    f"ops.csr_mm({_CSR}, {_COO})", f"ops.csr_mv({_CSR}, m)",
    # dense tensors
    "Tensor([[0, 1.5], [2, 0]]).to_coo().indices", "Tensor([[0, 1.5], [2, 0]]).to_coo().values",
    "Tensor([[0, 1.5], [2, 0]]).to_csr().indptr", "Tensor([[0, 1.5], [2, 0]]).to_csr().indices",
    "Tensor([[0, 0]]).to_coo().indices", "v.to_csr()", "z.to_coo()", "ops.dense_to_sparse_csr(3)",
    # constructors
    "ms.COOTensor()", "ms.COOTensor(k, v, (3, 4))", f"ms.COOTensor({_PARTS}, [3, 4])",
    f"ms.COOTensor({_PARTS}, (3, 0))",
    f"ms.COOTensor({_PARTS}, (3, 4, 5))", f"ms.COOTensor({_PARTS}, (1, 1))", "ms.COOTensor(coo_tensor=3)",
    f"ms.COOTensor({_PARTS}, (3, 1.0))", f"ms.COOTensor({_PARTS}, (3, 4), {_COO})", "ms.CSRTensor(k, k, v, [2, 4])",
    "ms.CSRTensor(k, k, v, (3, 4))", "ms.CSRTensor(k, k, v, (2,))", "ms.CSRTensor(k, b, v, (2, 4))", "ms.CSRTensor()",
    # primitives
    f"ops.SparseToDense()({_PARTS}, (3, 4))", f"ops.SparseToDense()({_PARTS}, (1, 2))",
    "ops.SparseToDense()(x, v, (3, 4))", "ops.SparseToDense()(k, v, (3, 4))",
    f"ops.SparseTensorDenseMatmul()({_PARTS}, (2, 3), m)",
    f"ops.SparseTensorDenseMatmul(adjoint_st=True)({_PARTS}, (2, 3), x)",
    f"ops.SparseTensorDenseMatmul(adjoint_dt=True)({_PARTS}, (2, 3), x)", "ops.SparseTensorDenseMatmul(1)",
    f"ops.SparseTensorDenseMatmul()({_PARTS}, (2, 3), v)", f"ops.SparseTensorDenseMatmul()({_PARTS}, (2, 3), d)",
    f"ops.SparseTensorDenseAdd()({_PARTS}, Tensor([3, 4]), m)",
    f"ops.SparseSlice()({_PARTS}, Tensor([3, 4]), Tensor([0, 1]), Tensor([2, 1]))",
    f"ops.SparseSlice()({_PARTS}, Tensor([3, 4]), Tensor([0, 1]), Tensor([9, 9]))",
    f"ops.SparseSlice()({_PARTS}, Tensor([3, 4]), Tensor([0]), Tensor([2, 2]))",
    f"nn.SparseTensorDenseMatmul()({_PARTS}, (2, 3), m)", f"nn.SparseToDense()({_COO})",
    "ops.coalesce(i, v, Tensor([2, 4]))", "ops.coalesce(i.astype(ms.int64), k, Tensor([2, 4]))",
]  # fmt: skip
