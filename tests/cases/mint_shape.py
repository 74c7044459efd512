"""`mint`: new tensors; joining, splitting, reshaping, gathering and scattering, with torch's signatures."""

CASES = [
    "mint.eye(2)", "mint.eye(2, 3, dtype=ms.int32)", "mint.zeros(3)", "mint.zeros((2, 3), dtype=ms.int32)",
    "mint.ones((2,))", "mint.ones([2, 1], dtype=ms.float16)", "mint.empty((2, 3)).shape", "mint.empty(2, 3).shape",
    "mint.empty_like(x).shape", "mint.cat([x, y])", "mint.cat((x, y), 1)", "mint.concat([x, y], dim=1)",
    "mint.hstack([x, y])", "mint.dstack([x, y])", "mint.split(m, 2)", "mint.split(m, 3, 1)",
    "mint.split(m, [1, 3], dim=1)", "mint.split(tensor=m, split_size_or_sections=2)", "mint.chunk(m, 2)",
    "mint.chunk(m, 3, dim=1)", "mint.unbind(x)", "mint.unbind(x, dim=1)", "mint.reshape(x, (3, 2))",
    "mint.reshape(x, (-1,))", "mint.ravel(x)", "mint.flatten(z)", "mint.flatten(z, 1)",
    "mint.flatten(z, start_dim=0, end_dim=1)", "mint.squeeze(x[:, :1], 1)", "mint.squeeze(x[:1])",
    "mint.unsqueeze(x, 0)", "mint.unsqueeze(x, -1)", "mint.permute(z, (2, 0, 1))", "mint.transpose(z, 0, 2)",
    "mint.swapaxes(z, 0, 1)", "mint.t(x)", "mint.t(v)", "mint.broadcast_to(v, (2, 3))", "mint.tile(x, (2, 1))",
    "mint.tile(v, (2, 2))", "mint.flip(x, (0,))", "mint.flip(z, (0, 2))", "mint.narrow(m, 1, 1, 2)",
    "mint.select(m, 1, 2)", "mint.select(m, 0, -1)", "mint.triu(m)", "mint.triu(m, diagonal=-1)",
    "mint.gather(m, 1, Tensor([[0, 1], [2, 0], [3, 3]]))", "mint.gather(m, dim=0, index=Tensor([[0, 1, 2, 0]]))",
    "mint.masked_select(x, b)", "mint.scatter(m, 1, Tensor([[0], [1], [2]]), m[:, 3:])",
    "mint.scatter(m, 1, Tensor([[0], [1], [2]]), 5.0)", "mint.reshape(x, (4, 2))", "mint.cat([])", "mint.cat(x, y)",
    "mint.stack([x, m])", "mint.permute(z, (0, 1))", "mint.squeeze(x, 5)", "mint.narrow(m, 0, 2, 5)",
    "mint.gather(m, 5, i)", "mint.zeros('a')", "mint.eye(-1)", "mint.linspace(0, 1, -1)", "mint.arange(5, 1)",
    "mint.chunk(m, 0)", "mint.index_select(m, 1, x)", "mint.tile(x, 'a')",
]  # fmt: skip
