"""Shapes: views, permutations, broadcasting, copies."""

CASES = [
    "ops.reshape(z, (4, 6))", "ops.reshape(z, (-1, 4))", "ops.reshape(z, [2, -1])", "ops.reshape(e, (3, 0))",
    "ops.reshape(e, (-1, 3))", "ops.reshape(s, (1, 1))", "ops.reshape(s, ())", "z.reshape(4, 6)", "z.reshape((4, 6))",
    "z.reshape([4, -1])", "z.reshape(-1)", "z.reshape(24)", "s.reshape(())", "z.reshape(Tensor([4, 6]))",
    "ops.reshape(z, Tensor([4, 6]))", "ops.Reshape()(z, (4, 6))", "z.reshape(shape=(4, 6))", "z.view(shape=(4, 6))",
    "x.view(ms.int32)", "z.reshape_as(ops.ones((4, 6)))", "z.view(4, 6)", "z.view((4, 6))", "z.view(-1)",
    "z.view([4, 6])", "z.view_as(ops.ones((6, 4)))", "ops.view_as(z, ops.ones((6, 4)))",
    "ops.reshape(x, (3, 2)).T.view(6)",
    # permutations
    "ops.transpose(z, (2, 0, 1))", "ops.transpose(z, (-1, 0, 1))", "ops.transpose(z, [1, 0, 2])",
    "ops.Transpose()(x, (1, 0))", "z.transpose(2, 0, 1)", "z.transpose((2, 0, 1))", "z.transpose([2, 0, 1])",
    "z.transpose(0, 2)", "z.transpose(-1, 0)", "z.transpose()", "z.transpose(None)", "x.transpose(1, 0)",
    "x.transpose((1, 0))", "v.transpose()", "s.transpose()", "x.transpose(0, 1)", "z.transpose(dim0=0, dim1=1)",
    "z.transpose(axes=(2, 1, 0))", "ops.permute(z, (2, 0, 1))", "z.permute(2, 0, 1)", "z.permute((2, 0, 1))",
    "z.permute([2, -3, 1])", "z.permute(dims=(2, 0, 1))", "z.T", "x.T", "v.T", "s.T",
    "z.mT", "w.mT", "x.H", "z.mH", "w.reshape(1, 2).H", "v.H", "z.H", "v.mT", "v.mH", "ops.swapaxes(z, 0, 2)",
    "ops.swapaxes(z, -1, 1)", "z.swapaxes(0, 1)", "ops.swapdims(z, 0, 2)", "z.swapdims(0, 1)", "ops.movedim(z, 0, 2)",
    "ops.movedim(z, (0, 1), (1, 2))", "ops.moveaxis(z, 0, -1)", "z.movedim(0, 2)", "z.moveaxis((0, 1), (2, 0))",
    "ops.t(x)", "ops.t(v)", "x.t()", "s.t()",
    # dimensions of size 1
    "ops.expand_dims(x, 0)", "ops.expand_dims(x, -1)", "ops.expand_dims(s, 0)", "x.expand_dims(1)",
    "ops.ExpandDims()(x, 1)", "ops.unsqueeze(x, 1)", "ops.unsqueeze(x, -3)", "x.unsqueeze(0)", "x.unsqueeze(dim=0)",
    "x.unsqueeze(axis=1)", "ops.squeeze(z[:1])", "ops.squeeze(z[:1], 0)", "ops.squeeze(z[:1, :1], (0, 1))",
    "ops.squeeze(z[:1, :1], -2)", "z[:1].squeeze()", "z[:1].squeeze(0)", "z[:1, :1].squeeze((0, 1))",
    "z[:1].squeeze(axis=0)", "ops.Squeeze()(z[:1])", "ops.Squeeze(0)(z[:1])", "ops.squeeze(z, 0)", "z.squeeze(0)",
    "ops.squeeze(z[:1], [0])",
    # merged and split
    "ops.flatten(z)", "ops.flatten(z, start_dim=0)", "ops.flatten(z, start_dim=0, end_dim=1)",
    "ops.flatten(z, start_dim=-2, end_dim=-1)", "ops.flatten(x, 'F')", "ops.flatten(z, 'F')", "ops.flatten(v)",
    "ops.flatten(s)", "ops.flatten(s, start_dim=0)", "ops.flatten(v, start_dim=0)", "z.flatten()", "z.flatten(1)",
    "z.flatten('F')", "z.flatten('C', start_dim=1)", "z.flatten(start_dim=1)",
    "z.flatten(order='C', start_dim=1, end_dim=2)", "z.flatten(0, 1)", "s.flatten()", "ops.flatten(e)",
    "ops.Flatten()(z)", "ops.Flatten()(v)", "ops.flatten(z, start_dim=2, end_dim=1)", "ops.flatten(z, 'X')",
    "ops.flatten(z, 1)", "ops.flatten(z, start_dim=3)", "ops.flatten(z, start_dim=True)", "ops.ravel(z)", "z.ravel()",
    "ops.ravel(s)", "ops.ravel(z.T)",
    # broadcast
    "ops.broadcast_to(v, (2, 3))", "ops.broadcast_to(v, (2, -1))", "ops.broadcast_to(s, (2,))",
    "ops.broadcast_to(x, (4, 2, 3))", "v.broadcast_to((2, 3))", "v.broadcast_to(2, 3)", "ops.BroadcastTo((2, 3))(v)",
    "v.expand(2, 3)", "v.expand((2, -1))", "v.expand(2, -1)", "v.expand_as(x)", "ops.expand_as(v, x)",
    "ops.broadcast_to(e, (2, 0, 3))", "s.expand(2)", "ops.broadcast_to(v, [2, 3])", "v.broadcast_to(shape=(2, 3))",
    # facts
    "ops.shape(z)", "ops.rank(z)", "ops.size(z)", "str(ops.dtype(z))", "ops.Shape()(z)", "ops.Rank()(z)",
    "ops.Size()(z)", "str(ops.DType()(z))", "ops.size(s)", "ops.shape(s)", "ops.shape(e)", "ops.dyn_shape(z)",
    "ops.TensorShape()(z)", "ops.shape(2)", "ops.rank('a')", "ops.size(3)", "ops.dtype(3)",
    # copies
    "ops.deepcopy(x)", "ops.identity(x) is x", "x.copy()", "x.contiguous()", "x.T.contiguous()",
    "x.T.contiguous().is_contiguous()", "ops.Identity()(x)", "x.T.is_contiguous()", "x.copy() is x",
    "ops.deepcopy(x) is x", "b.copy()", "ops.deepcopy(3)", "ops.atleast_1d(s)", "ops.atleast_1d(x)",
    "ops.atleast_1d([s, v])", "ops.atleast_2d(v)", "ops.atleast_2d([s, v])", "ops.atleast_3d(v)", "ops.atleast_3d(x)",
    "ops.atleast_3d(s)", "ops.atleast_3d([x, z])", "ops.atleast_1d('a')", "ops.atleast_2d(z)",
    "ops.atleast_2d((s, 'a'))", "v.resize(5)", "x.resize(2, 2)", "x.resize((4, 2))", "x.resize('a')",
    # errors
    "ops.reshape(z, (5, 5))", "ops.reshape(z, (-1, -1))", "ops.reshape(z, (5, -1))", "ops.reshape(z, (2.0, 12))",
    "ops.reshape('a', (1,))", "ops.reshape(z, 'a')", "ops.reshape(z, None)", "z.reshape(5)", "z.reshape('a')",
    "z.view(5, 5)", "ops.reshape(z, (-2, 12))", "ops.transpose(z, (0, 1))", "ops.transpose(z, (0, 0, 1))",
    "ops.transpose(z, (0, 1, 3))", "ops.transpose(x, 'a')", "z.transpose(0, 3)", "z.transpose('a')", "z.permute(0, 1)",
    "z.permute(0, 1, 1)", "ops.swapaxes(z, 0, 3)", "ops.swapaxes(z, 0.0, 1)", "ops.movedim(z, 0, 5)",
    "ops.movedim(z, (0, 1), (2,))", "ops.movedim(z, (0, 0), (1, 2))", "ops.t(z)", "ops.expand_dims(x, 3)",
    "ops.expand_dims(x, 1.0)", "ops.expand_dims(x, (0, 1))", "ops.expand_dims('a', 0)", "x.unsqueeze(5)",
    "ops.squeeze(z, 3)", "ops.squeeze(z, 'a')", "ops.squeeze(z, 1.0)", "ops.broadcast_to(x, (2, 4))",
    "ops.broadcast_to(x, (3,))", "ops.broadcast_to(v, (-1, 3))", "ops.broadcast_to(x, 'a')", "v.expand(2, 4)",
    "x.expand_as(v)", "x.view_as(v)", "x.reshape_as(v)", "ops.expand_dims(x, True)",
]  # fmt: skip

DIFFERENCES = {
    "ops.flatten(z, 1)": ("another value, of whatever type, is refused in one way", {"error": "ValueError"}),
}
