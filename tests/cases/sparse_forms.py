"""Functions of sparse tensors: element by element, and their parts."""

_CSR = "ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), y[0, :2], (3, 4))"

CASES = [
    "ops.coo_acos(ms.COOTensor(Tensor([[0, 1], [1, 2]]), p[0, :2], (3, 4))).values",
    "ops.csr_acos(ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), p[0, :2], (3, 4))).values",
    "ops.coo_asin(ms.COOTensor(Tensor([[0, 1], [1, 2]]), p[0, :2], (3, 4))).values",
    "ops.csr_asin(ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), p[0, :2], (3, 4))).values",
    "ops.coo_atanh(ms.COOTensor(Tensor([[0, 1], [1, 2]]), p[0, :2], (3, 4))).values",
    "ops.csr_atanh(ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), p[0, :2], (3, 4))).values",
    "ops.coo_acosh(ms.COOTensor(Tensor([[0, 1], [1, 2]]), q[0, :2], (3, 4))).values",
    "ops.csr_acosh(ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), q[0, :2], (3, 4))).values",
    "ops.coo_log(ms.COOTensor(Tensor([[0, 1], [1, 2]]), q[0, :2], (3, 4))).values",
    "ops.csr_log(ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), q[0, :2], (3, 4))).values",
    "ops.coo_log1p(ms.COOTensor(Tensor([[0, 1], [1, 2]]), q[0, :2], (3, 4))).values",
    "ops.csr_log1p(ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), q[0, :2], (3, 4))).values",
    "ops.coo_sqrt(ms.COOTensor(Tensor([[0, 1], [1, 2]]), q[0, :2], (3, 4))).values",
    "ops.csr_sqrt(ms.CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), q[0, :2], (3, 4))).values",
    "ops.coo_tensor_get_indices(ms.COOTensor(Tensor([[0, 1], [1, 2]]), y[0, :2], (3, 4)))",
    "ops.coo_tensor_get_values(ms.COOTensor(Tensor([[0, 1], [1, 2]]), y[0, :2], (3, 4)))",
    "ops.coo_tensor_get_dense_shape(ms.COOTensor(Tensor([[0, 1], [1, 2]]), y[0, :2], (3, 4)))",
    f"ops.csr_tensor_get_indptr({_CSR})",
    f"ops.csr_tensor_get_indices({_CSR})",
    f"ops.csr_tensor_get_values({_CSR})",
    f"ops.csr_tensor_get_dense_shape({_CSR})",
    f"ops.csr_to_dense({_CSR})",
    f"ops.csr_to_coo({_CSR}).indices",
]  # fmt: skip
