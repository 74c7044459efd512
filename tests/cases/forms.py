"""Functions and primitives that are other forms of operations of other families, and names of the compiler."""

CASES = [
    "ops.upsample(sig, 4)", "ops.eigvals(m[:, :3])", "ops.eig(Tensor([[2.0, 0.0], [0.0, 3.0]]))",
    "ops.set_comm_ops_inplace(True)", "ops.UniqueConsecutive(True, True)(Tensor([1, 1, 2, 2, 1]))",
    "ops.MaxPoolWithArgmax(2, 2)(img[:1, :1])",
    "ops.ExtractGlimpse()(img[:1, :, :, :1], Tensor([2, 2], ms.int32), Tensor([[0.0, 0.0]]))",
    "ops.ExtractVolumePatches((1, 1, 2, 2, 2), (1, 1, 1, 1, 1), 'VALID')(sig.reshape((1, 2, 2, 4, 4)))",
    "ops.Reusing()(x)", "ops.augassign_sub(3, 2)", "ops.is_(1, 1)", "ops.is_not(1, 1)", "ops.scalar_sub(3, 2)",
    "ops.scalar_ge(1, 2)", "ops.scalar_gt(1, 2)", "ops.scalar_le(1, 2)", "ops.scalar_lt(1, 2)", "ops.scalar_eq(1, 2)",
    "ops.scalar_pow(3, 2)", "ops.scalar_mul(3, 2)", "ops.scalar_uadd(2)", "ops.scalar_min(1, 2)",
    "ops.list_len([1, 2])", "ops.tuple_len((1, 2))", "ops.make_slice(1, 5, 2)", "ops.dict_getitem({'a': 1}, 'a')",
    "ops.list_getitem([1, 2], 0)", "msp.linalg.det(m[:, :3])",
]  # fmt: skip
