"""Methods and functions that write into their first tensor."""

CASES = [
    "x.copy().add_(y)", "x.copy().sub_(y)", "x.copy().mul_(y)", "x.copy().div_(y)", "x.copy().remainder_(y)",
    "x.copy().copy_(y)", "x.copy().exp_()", "x.copy().add_(y, alpha=2)",
    "ops.inplace_index_add(Parameter(x), Tensor([1], ms.int32), y[:1], 0)", "ops.assign_sub(Parameter(x), y)",
    "ops.AssignAdd()(Parameter(x), y)", "ops.AssignSub()(Parameter(x), y)",
]  # fmt: skip
