"""Recurrent layers, mirrored padding, and filters of words and numbers."""

_WEIGHTS = "Tensor((np.arange({0}) * 7 % {0} / {0} - 0.5).astype(np.float32).reshape(({0}, 1, 1)))"
_SEQUENCE = "sig.transpose(2, 0, 1)"  # of 8 times, 2 samples, 4 numbers
_STATE = "z[:1, :2, :3]"
_WORDS = "Tensor([[[1, 2, 1, 2, 0, 1, 2], [0, 3, 0, 3, 2, 1, 0]]], ms.int32)"

CASES = [
    f"ops.LSTM(4, 3, 1, False, False, 0.0)({_SEQUENCE}, {_STATE}, {_STATE} / 2, {_WEIGHTS.format(84)})[:3]",
    f"ops.LSTM(4, 3, 1, False, True, 0.0)({_SEQUENCE}, z[:, :2, :3], z[:, :2, 1:], {_WEIGHTS.format(168)})[:3]",
    *[f"ops.NoRepeatNGram({n})({_WORDS}, sig[:1, :2, :4])" for n in (1, 2, 3, 0, 8)],
    "ops.SubAndFilter()(Tensor([1, 3, 5, 8, 9, 16], ms.int32), 10, 5)",
    "ops.SubAndFilter()(Tensor([1, 3, 5, 8, 9, 16]), 11, 5)",
    "ops.MapUniform()(Tensor(np.arange(8)), 4, 2)", "ops.MapUniform()(Tensor([7, 0, 5], ms.int32), 3, 3)",
    "ops.mirror_pad(i, Tensor([[1, 1], [2, 0]]), 'REFLECT')",
    "ops.mirror_pad(x, Tensor([[2, 1], [0, 3]]), 'SYMMETRIC')",
    "ops.mirror_pad(x, Tensor([[1, 1]]), 'REFLECT')", "ops.mirror_pad(x, Tensor([[1, 1], [2, 2]]), 'EDGE')",
]  # fmt: skip
