"""Writing into parameters by index."""

_HOW = ["update", "add", "mul", "div", "min"]
_CLASSES = ["Update", "Add", "Sub", "Mul", "Div", "Min"]

CASES = [
    *[f"ops.scatter_{how}(Parameter(q), Tensor([1, 0]), x)" for how in _HOW],
    *[f"ops.scatter_nd_{how}(Parameter(q), Tensor([[0, 1], [1, 2]]), v[:2])" for how in [*_HOW, "sub", "max"]],
    *[f"ops.Scatter{name}()(Parameter(q), Tensor([1], ms.int32), x[:1])" for name in _CLASSES],
    *[f"ops.ScatterNd{name}()(Parameter(q), Tensor([[1]], ms.int32), x[:1])" for name in [*_CLASSES, "Max"]],
    "ops.scatter_max(Parameter(j), Tensor([1, 0]), i)", "ops.ScatterMax()(Parameter(j), Tensor([1], ms.int32), i[:1])",
    "ops.scatter_add(Parameter(m), Tensor([[0, 1], [1, 0]]), img[0, :2, :2, :4])",
    "ops.ScatterAdd(use_locking=True)(Parameter(q), Tensor([0]), x[:1])", "ops.scatter_add(q, Tensor([0]), x[:1])",
    "ops.scatter_nd_add(Parameter(v), Tensor([[0], [0]]), v[:2], use_locking=True)",
    "ops.ScatterNdDiv()(Parameter(i), Tensor([[0]]), j[:1] * 0)",
    "ops.scatter_nd_div(Parameter(i), Tensor([[1]]), -j[:1])",
    # errors
    "ops.scatter_add(Parameter(q), Tensor([0.0]), x[:1])", "ops.scatter_add(Parameter(q), Tensor([0]), x)",
    "ops.scatter_add('a', Tensor([0]), x[:1])", "ops.scatter_nd_add(Parameter(q), Tensor([[0.0]]), x[:1])",
    "ops.scatter_nd_update(Parameter(q), Tensor([[0, 1]]), v)", "ops.scatter_update(Parameter(q), Tensor([5]), x[:1])",
    "ops.ScatterDiv()(Parameter(i), Tensor([0], ms.int32), j[:1] * 0)",
    "[ops.AssignAdd()(Parameter(Tensor([1.0])), 2.0), ops.AssignSub()(Parameter(Tensor(1.0)), Tensor([2.0]))]",
]  # fmt: skip

DIFFERENCES = {
    "ops.scatter_update(Parameter(q), Tensor([5]), x[:1])": ("MindSpore's is a RuntimeError", {"error": "ValueError"}),
}
