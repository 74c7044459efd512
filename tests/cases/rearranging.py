"""Repeating, reversing, padding, and parts that follow a pattern."""

CASES = [
    "ops.tile(x, (2, 1))", "ops.tile(x, (2,))", "ops.tile(x, (2, 1, 2))", "x.tile((1, 2))", "ops.Tile()(v, (3,))", "x.tile(dims=(2, 2))",
    "x.tile(reps=(2, 2))", "ops.tile(s, (2,))", "ops.tile(v, Tensor([2, 2]))",
    "ops.tile(x, ())",
    "v.repeat(2, axis=0)",
    "ops.repeat_interleave(x, 2)", "ops.repeat_interleave(x, 2, 0)", "ops.repeat_interleave(x, 2, axis=1)",
    "ops.repeat_interleave(x, [1, 2], 0)", "ops.repeat_interleave(x, (1, 0, 2), -1)", "ops.repeat_interleave(x, Tensor([1, 2]), 0)",
    "x.repeat_interleave(2)", "x.repeat_interleave(2, 1)", "x.repeat_interleave(2, dim=0)", "x.repeat_interleave([1, 2], 0)",
    "x.repeat_interleave(Tensor([1, 2]), 0)", "ops.repeat_elements(x, 2)", "ops.repeat_elements(x, 2, 1)",

    "ops.flip(z, (0, 2))", "ops.flip(x, (1,))", "ops.flip(x, (-1,))", "x.flip((0, 1))", "x.flip((0,))", "ops.flip(x, [0])", "ops.flip(x, ())",
    "ops.fliplr(x)", "ops.flipud(x)", "x.fliplr()", "x.flipud()", "ops.flip(i, (0,))",
    "ops.reverse(x, [1])", "ops.ReverseV2([0, 1])(x)", "ops.rot90(x, 1, (0, 1))", "ops.rot90(x, 2, [0, 1])", "ops.rot90(z, -1, (1, 2))",
    "x.rot90(3, (0, 1))", "ops.rot90(x, 0, (1, 0))",


    "ops.reverse_sequence(m, Tensor([1, 2, 3]), 1)", "ops.ReverseSequence(1, 0)(m, Tensor([1, 2, 3]))",
    "ops.reverse_sequence(m, Tensor([1, 2, 3, 1]), 0, 1)",
    # padding
    "ops.pad(x, (1, 2))", "ops.pad(x, (1, 2, 0, 1))", "ops.pad(x, [1, 0], value=5)", "ops.pad(x, (1, 2), 'constant', 2.5)",
    "ops.pad(x, (-1, 1))", "ops.pad(img, (1, 2, 0, 1), mode='reflect')", "ops.pad(img, (1, 2, 0, 1), mode='replicate')",
    "ops.pad(img, (1, 2, 0, 1), mode='circular')", "ops.pad(sig, (1, 2), 'reflect')", "ops.pad(sig, (1, 2), 'replicate')",
    "ops.pad(sig, (1, 2), 'circular')", "ops.pad(x, (1, 2), 'replicate')", "ops.pad(x, (1, 2), 'reflect')", "ops.pad(i, (1, 1), value=7)",
    "ops.pad(b, (1, 1))", "ops.pad(x, ())", "ops.pad(v, (0, 2))", "ops.pad(x, Tensor([1, 1]))", "ops.pad(img, (1, 1, 1, 1, 1, 1))",
    "ops.pad(z, (1, 1, 1, 1), 'reflect')", "ops.pad(img[None], (1, 1, 1, 1, 1, 1), 'replicate')", "ops.pad(i, (1, 1), value=1.5)",
    "ops.Pad(((1, 2), (0, 1)))(x)", "ops.Pad(((1, 0),))(v)", "ops.PadV3()(x, Tensor([1, 1]), Tensor(2.0))",
    "ops.PadV3('constant')(x, (1, 1, 0, 1), 2.0)",
    "ops.PadV3('constant', False)(x, (1, 2, 0, 1), 0.0)", "ops.PadV3('edge')(sig, Tensor([1, 2]))",
    "ops.MirrorPad('REFLECT')(x, Tensor([[1, 1], [2, 1]]))", "ops.MirrorPad('SYMMETRIC')(x, Tensor([[1, 1], [2, 1]]))",
    "ops.padding(m[:, :1], 3)", "ops.Padding(4)(m[:, :1])", "ops.padding(m[:, :1])",
    # parts
    "ops.narrow(x, 1, 0, 2)", "ops.narrow(x, 0, 1, 1)", "x.narrow(1, 1, 2)", "ops.narrow(x, -1, 1, 2)", "x.narrow(axis=1, start=1, length=2)",

    "ops.slice(z, (0, 1, 1), (1, 2, 3))", "ops.slice(x, (0, 1), (-1, 2))", "ops.Slice()(x, (1, 0), (1, 2))", "ops.slice(x, [0, 0], [1, 1])",
    "ops.strided_slice(z, (0, 0, 0), (2, 3, 4), (1, 2, 2))",


    "ops.strided_slice(z, (1, 1), (2, 2), (1, 1), shrink_axis_mask=1)", "ops.StridedSlice()(z, (0, 1), (2, 3), (1, 1))",
    "ops.StridedSlice(shrink_axis_mask=2)(z, (0, 1), (2, 3), (1, 1))", "ops.strided_slice(z, (-1, 0, -3), (2, 3, -1), (1, 1, 1))",
    "ops.diag(v)", "ops.diag(x)", "ops.diag(i)", "v.diag()", "ops.Diag()(v)", "ops.DiagPart()(m[:, :3])", "m.diag()",
    "ops.diagonal(m)", "ops.diagonal(m, 1)", "ops.diagonal(m, offset=-1)", "ops.diagonal(z, 0, 1, 2)",
    "ops.diagonal(z, 0, 2, 0)", "m.diagonal()", "z.diagonal(1, 1, 2)", "z.diagonal(offset=0, axis1=0, axis2=1)", "ops.diagflat(x)",
    "ops.diagflat(v, 1)", "v.diagflat(-1)", "ops.diag_embed(x)", "ops.diag_embed(x, 1)", "ops.diag_embed(x, 0, 0, 2)", "ops.diag_embed(v, -1)",
    "ops.tril(m)", "ops.tril(m, 1)", "ops.tril(m, diagonal=-1)", "ops.tril(z)", "m.tril()", "m.tril(-1)", "ops.Tril()(m)", "ops.Tril(1)(m)",
    "ops.triu(m)", "ops.triu(m, 1)", "ops.triu(z, -1)", "m.triu()", "m.triu(diagonal=1)", "ops.Triu()(m)", "ops.Triu(diagonal=-1)(m)",
    "ops.tril(b)", "ops.tril(i)", "ops.triu(h)",
    "ops.tril_indices(3, 4)", "ops.tril_indices(3, 4, -1)", "ops.triu_indices(3, 4)", "ops.triu_indices(3, 3, 1, dtype=ms.int32)",
    # blocks
    "ops.SpaceToDepth(2)(img)", "ops.DepthToSpace(2)(img)", "ops.space_to_batch_nd(img, [2, 2], [[0, 0], [0, 0]])",
    "ops.space_to_batch_nd(img, [2, 2], [[1, 1], [0, 2]])", "ops.batch_to_space_nd(img.reshape(8, 1, 6, 6), [2, 2], [[0, 0], [0, 0]])",
    "ops.batch_to_space_nd(img.reshape(8, 1, 6, 6), [2, 2], [[1, 0], [0, 2]])", "ops.SpaceToBatchND([2, 2], [[0, 0], [0, 0]])(img)",
    "ops.BatchToSpaceND([2, 2], [[0, 0], [0, 0]])(img.reshape(8, 1, 6, 6))",
    # errors
    "ops.tile(x, 'a')", "ops.tile(x, (-1, 1))", "ops.tile(x, (1.0, 1))", "ops.tile('a', (1,))", "x.repeat('a')",
    "ops.repeat_interleave(x, -1)", "ops.repeat_interleave(x, 'a')", "ops.repeat_interleave(x, [1, 2, 3], 0)", "ops.repeat_interleave(x, 2, 2)",
    "ops.repeat_interleave(x, 1.0)", "ops.flip(x, (2,))", "ops.flip(x, (0, 0))", "ops.flip(x, 'a')", "ops.fliplr(v)",
    "ops.rot90(x, 1.0, (0, 1))", "ops.rot90(x, 1, (0,))", "ops.roll(x, 1.0)",
    "ops.pad(x, (1, 2, 3))", "ops.pad(x, (1, 1, 1, 1, 1, 1))", "ops.pad(x, (1, 1), 'foo')", "ops.pad(x, (1.0, 1))",
    "ops.pad(img, (7, 7, 0, 0), 'reflect')", "ops.pad(img, (7, 7), 'circular')", "ops.pad(img, (1, 1, 1, 1), 'reflect', value=2)", "ops.pad('a', (1, 1))",
    "ops.pad(x, (-2, -2))", "ops.Pad(((1, 2),))(x)", "ops.Pad('a')(x)", "ops.Pad(((-1, 2), (0, 0)))(x)", "ops.PadV3('foo')", "ops.MirrorPad('foo')",
    "ops.narrow(x, 2, 0, 1)", "ops.narrow(x, 1, 2, 2)", "ops.narrow(x, 1, 0, -1)", "ops.narrow(x, 1.0, 0, 1)",
    "ops.slice(x, (0, 2), (1, 2))", "ops.slice(x, (0,), (1,))", "ops.strided_slice(x, (0, 0), (1, 1), (0, 1))", "ops.strided_slice(x, (0,), (1, 1), (1, 1))",
    "ops.strided_slice(x, (0, 0), (1, 1), (1, 1), ellipsis_mask=3)",
    "ops.diag(z)", "ops.diag('a')", "ops.diagonal(v)", "ops.diagonal(m, 0, 0, 0)", "ops.diagonal(m, 0, 0, 2)", "ops.diagonal(m, 1.0)",
    "ops.tril(v)", "ops.tril(m, 1.0)", "ops.triu('a')", "ops.tril_indices(-1, 2)", "ops.tril_indices(2, 2.0)", "ops.diag_embed(x, 0, 0, 0)",
    "ops.SpaceToDepth(4)(img)", "ops.SpaceToDepth(1)", "ops.DepthToSpace(3)(img)", "ops.padding(x, 8)", "ops.reverse_sequence(m, Tensor([1, 2]), 1)",
    "ops.reverse_sequence(m, Tensor([1, 2, 3]), 0)", "ops.tril(m, 9)", "ops.diagonal(m, 9)",
]  # fmt: skip
