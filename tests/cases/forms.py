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
    # questions of the compiler
    "str([ops.broadcast_gradient_args(*shapes) for shapes in (((2, 3), (3,)), ((2, 3), (2, 3)), ((2, 1), (1, 3)), "
    "((1, 3), (1, 1)), ((2, 1, 3), (3,)), ((1, 1, 3), (1, 2, 3)), ((), (2,)))])",
    "ops.broadcast_gradient_args((2,), (3,))",
    "ops.tuple_div((4, 6), (2, 3))", "ops.tuple_div((4, 5), (2, 3))", "ops.tuple_div((4,), (2, 3))",
    "ops.isconstant(3)", "ops.isconstant(x)", "ops.is_sequence_value_unknown((1, 2))",
    "ops.is_sequence_shape_unknown((1, 2))", "ops.is_tensor_bool_cond(s)", "ops.is_tensor_bool_cond(v[:1] > 0)",
    "ops.is_tensor_bool_cond(x)", "ops.is_tensor_bool_cond(3)",
    "[str(ops.typeof(value)) for value in (x, i, 3, 3.0, True, 'a', ms.float32)]",
    "ops.CopyWithSlice()(x * 1, y)", "ops.CopyWithSlice()(x * 1, v)",
    "ops.list_len('a')", "ops.tuple_len({1})", "ops.bool_not('a')", "ops.bool_and(3, 5)", "ops.bool_eq(1, 2)",
    "ops.string_eq(1, 1)", "ops.string_concat([1], [2])", "ops.tuple_getitem('ab', 0)", "ops.list_getitem({1: 2}, 1)",
    "ops.dict_getitem([3], 0)", "ops.tuple_equal('a', 'a')", "ops.shape_mul(3)", "ops.in_dict('a', 'ab')",
    "ops.make_dict('ab', 'cd')", "ops.tuple_reversed('ab')", "ops.dropout(x, True)", "ops.elu(x, True)",
    "ops.leaky_relu(x, True)", "ops.hardtanh(x, True)", "ops.gumbel_softmax(x, True)", "ops.logit(x, True)",
    "x.data_sync()", "x.data_sync(True)", "x.wait_pipeline()", "x.offload_file_path()",
]  # fmt: skip

_REFUSED = [
    "ops.broadcast_gradient_args((2,), (3,))", "ops.tuple_div((4, 5), (2, 3))", "ops.tuple_div((4,), (2, 3))",
    "ops.CopyWithSlice()(x * 1, v)",
]  # fmt: skip

_OF_WRONG_TYPE = [
    "ops.list_len('a')", "ops.tuple_len({1})", "ops.bool_and(3, 5)", "ops.bool_eq(1, 2)", "ops.string_eq(1, 1)",
    "ops.string_concat([1], [2])", "ops.shape_mul(3)",
]  # fmt: skip

DIFFERENCES = {
    **dict.fromkeys(_REFUSED, ("a wrong argument is a ValueError", {"error": "ValueError"})),
    **dict.fromkeys(_OF_WRONG_TYPE, ("an argument of a wrong type is a TypeError", {"error": "TypeError"})),
}
