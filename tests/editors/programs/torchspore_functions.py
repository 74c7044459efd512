"""Operations."""

import torchspore as ts
from torchspore import ops

x = ts.Tensor([[1.0, -2.0]])
print(ops.relu(x).shape, ops.softmax(x, -1), ops.concat((x, x), 0), ops.stack([x, x]), ops.matmul(x, x.T))
print(ops.reduce_mean(x, 1) if hasattr(ops, "reduce_mean") else ops.mean(x, 1), ops.sum(x), ops.clamp(x, 0, 1))
values, indices = ops.topk(x, 1)
kept, where = ops.max(x, 1)
print(values, indices, kept, where, ops.argmax(x, 1), ops.cast(x, ts.int32), ops.nonzero(x), ops.one_hot(indices, 3))
print(ops.cross_entropy(x, ts.Tensor([1])), ops.max_pool2d(ops.ones((1, 1, 4, 4)), 2).shape, ops.where(x > 0, x, 0.0))
left, right = ops.split(x, 1, 1)
ops.relu()  # error: call-arg, reportCallIssue
ops.relu("x")  # error: arg-type, reportArgumentType
ops.softmax(x, axes=-1)  # error: call-arg, reportCallIssue
ops.concat(3)  # error: arg-type, reportArgumentType
ops.cast(x)  # error: call-arg, reportCallIssue
