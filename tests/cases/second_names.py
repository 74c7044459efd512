"""Second names of the arguments of methods, and the data types that updates of a tensor may have."""

_INDEX = "Tensor([[0, 1, 1], [1, 0, 1]])"
_TYPES = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8")
_UPDATES = [
    f"ops.{name}({tensor}(i.astype(ms.{first})), Tensor([[0], [1]]), i.astype(ms.{second}))"
    for name, tensor in (("tensor_scatter_add", ""), ("ScatterNdUpdate()", "Parameter"))
    for first in _TYPES
    for second in _TYPES
]

CASES = [
    "v.take(index=Tensor([1, 0]))", "v.take(Tensor([1, 0]))", "v.take(indices=Tensor([1]), axis=0)", "v.take()",
    "x.sub(y=y)", "x.sub(y)", "(x * 1).sub_(y=y)", "x.matmul(other=m[:3])",
    "x.where(b, other=y)", "x.where(condition=b, other=0.0)", "b.logical_and(y=b)", "b.logical_or(y=b)",
    "x.multiply(value=2)", "x.approximate_equal(other=y)",
    f"x.scatter(1, {_INDEX}, y, reduce='none')", f"x.scatter(dim=1, index={_INDEX}, src=y)",
    f"x.scatter(axis=0, index={_INDEX}, src=2.0)", f"x.scatter(1, {_INDEX}, y, axis=1)",
    "ops.scalar_cast(3, ms.int64)", "ops.scalar_cast(3.7, ms.bool_)", "ops.scalar_cast(3.7, ms.int32)",
    "ops.UniqueConsecutive()(Tensor([1, 1, 2]))[0]", "ops.UniqueConsecutive(False, True)(Tensor([1, 1, 2]))[2]",
    "ops.cholesky_inverse(Tensor([[2.0, 1.0], [0.5, 3.0]]))",
    "ops.cholesky_inverse(Tensor([[2.0, 1.0], [0.5, 3.0]]), True)",
    "ops.ResizeBicubic()(img[:1, :1], Tensor([3, 3], ms.int32))",
    *_UPDATES,
]  # fmt: skip
