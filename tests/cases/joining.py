"""Joining tensors and taking them apart."""

CASES = [
    "ops.concat((x, y))", "ops.concat([x, y], 1)", "ops.concat((x, y), -1)", "ops.cat((x, y), axis=1)",
    "ops.cat((x, y), axis=0)", "ops.concat((x,))", "ops.concat((e, x))", "ops.Concat()((x, y))",
    "ops.Concat(1)([x, y])", "ops.concat((z, z), axis=2)", "ops.concat((b, c))", "ops.concat((i, j))",
    "ops.stack((x, y))", "ops.stack([x, y], 1)", "ops.stack((x, y), -1)", "ops.stack((s, s))", "ops.Stack(1)((x, y))",
    "ops.Stack()([x, y])", "ops.stack((x,))", "ops.hstack((x, y))", "ops.hstack((v, v))", "ops.hstack((s, s))",
    "ops.vstack((x, y))", "ops.vstack((v, v))", "ops.vstack([s, s])", "ops.dstack((x, y))", "ops.dstack((v, v))",
    "ops.column_stack((v, v))", "ops.column_stack((x, y))", "ops.column_stack((v, x.T))", "ops.row_stack((v, x))",
    "ops.block_diag(x, v, s)", "ops.block_diag(x)",
    # apart
    "ops.split(z, 2, axis=2)", "ops.split(z, 3, 2)", "ops.split(z, [1, 3], 2)", "ops.split(z, (1, 2, 1), axis=-1)",
    "z.split(2, -1)", "z.split(2, axis=2)", "z.split(2, dim=2)", "z.split([1, 3], dim=2)", "x.split(1)",
    "ops.split(x, 2)", "ops.Split(1, 3)(x)", "ops.Split(axis=2, output_num=2)(z)", "ops.Split()(x)",
    "ops.chunk(z, 3, 2)", "ops.chunk(z, 2, axis=-1)", "ops.chunk(x, 5, 1)", "z.chunk(2, 2)", "z.chunk(2, axis=2)",
    "z.chunk(2, dim=2)", "x.chunk(2)", "ops.tensor_split(z, 3, 2)", "ops.tensor_split(z, (1, 3), axis=2)",
    "ops.tensor_split(z, [1, 1], 1)", "z.tensor_split(3, 2)", "ops.tensor_split(v, 2)", "ops.tensor_split(v, (1, 5))",
    "ops.hsplit(z, 3)", "ops.hsplit(z, (1,))", "z.hsplit(2)", "ops.vsplit(x, 2)", "x.vsplit((1,))", "ops.dsplit(z, 2)",
    "z.dsplit(4)", "ops.unstack(x)", "ops.unstack(x, 1)", "ops.unstack(z, -1)", "ops.Unstack(1)(x)",
    "ops.Unstack(axis=0, num=2)(x)", "ops.unbind(x)", "ops.unbind(x, 1)", "x.unbind()", "x.unbind(1)",
    "x.unbind(dim=-1)", "ops.meshgrid(v, k)", "ops.meshgrid(v, v, indexing='ij')", "ops.meshgrid(v)",
    "ops.meshgrid(v, v, v)", "ops.Meshgrid()((v, v))", "ops.Meshgrid('ij')((v, v))", "ops.meshgrid(s, v)",
    "ops.cartesian_prod(v, v)", "ops.cartesian_prod(v)", "ops.combinations(v)", "ops.combinations(v, 3)",
    "ops.combinations(v, 2, True)",
    # errors
    "ops.concat((x, z))", "ops.concat((x, m))", "ops.concat((x, y), 2)", "ops.concat((x, y), 'a')", "ops.concat(())",
    "ops.concat((x, 1))", "ops.concat('a')", "ops.stack((x, v))", "ops.stack((x, y), 3)", "ops.stack(())",
    "ops.stack((x, 1))", "ops.hstack((x, v))", "ops.hstack(())", "ops.vstack(())", "ops.vstack('a')",
    "ops.dstack((x, z))", "ops.column_stack(())", "ops.column_stack((z, z))", "ops.block_diag(z)",
    "ops.block_diag('a')", "ops.split(z, 0)", "ops.split(z, -1)", "ops.split(z, 2, 3)", "ops.split(z, (1, 1), 2)",
    "ops.split(z, 'a')", "ops.split(z, (1.0, 3), 2)", "ops.split(z, (-1, 5), 2)", "ops.split('a', 2)", "x.split(1.0)",
    "ops.chunk(z, 0)", "ops.chunk(z, -1)", "ops.chunk(z, 2, 3)", "ops.chunk(z, 1.0)", "ops.Split(1, 2)(x)",
    "ops.tensor_split(z, 0)", "ops.tensor_split(z, 'a')", "ops.tensor_split(z, 2, 5)", "ops.hsplit(s, 2)",
    "ops.vsplit(v, 2)", "ops.dsplit(x, 2)", "ops.unstack(x, 2)", "ops.unstack('a')", "ops.unbind(x, 5)",
    "ops.meshgrid(x, v)", "ops.meshgrid(v, v, indexing='a')", "ops.meshgrid()",
    "ops.meshgrid('a', v)", "ops.tensor_split(s, 2)", "ops.hsplit(z, 0)", "ops.combinations(x)",
    "ops.cartesian_prod(x)", "ops.unstack(s)",
]  # fmt: skip

DIFFERENCES = {
    "ops.concat((x, 1))": ("a number is a tensor, whose shape does not fit", {"error": "ValueError"}),
    "ops.vstack(())": ("as in hstack and stack", {"error": "ValueError"}),
    "ops.meshgrid(v, k)": ("a matter of data types", {"error": "TypeError"}),
    "ops.split(z, (-1, 5), 2)": ("the type is right, the value is wrong", {"error": "ValueError"}),
}
