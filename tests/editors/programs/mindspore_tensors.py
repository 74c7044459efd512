"""Methods and operators of tensors."""

import numpy as np

import mindspore as ms
from mindspore import Tensor

x = Tensor(np.ones((2, 3)), ms.float32)
y = (x + 1) * 2 - x / 3 ** x @ x.T
y += 1
print((2 * x).shape, (-x).ndim, x[0, 1].item(), x[None, ..., :2].shape, x.size)
print(x.reshape(3, 2).shape, x.view(-1).shape, x.transpose(1, 0), x.astype(ms.int32).dtype, x.astype("float16"))
print(x.sum(axis=0), x.mean((0, 1), keep_dims=True), x.max(axis=1), x.argmax(axis=1), x.asnumpy().dtype)
values, indices = x.max(0)
top, where = x.topk(2)
parts = x.split(1)
print(values, indices, top, where, parts[0], x > 1, x == y, (x > 1).any(), len(x), x.tolist(), x.max().item())
for row in x:
    print(row.sum())
if x.sum() > 3:
    print(float(x.sum()), int(x.sum()), bool(x.any()))
x[0] = 3
x.sahpe  # error: attr-defined, reportAttributeAccessIssue
x.shape[0].bit  # error: attr-defined, reportAttributeAccessIssue
x.reshpe(2)  # error: attr-defined, reportAttributeAccessIssue
x.sum(axes=0)  # error: call-arg, reportCallIssue
x + "1"  # error: operator, reportOperatorIssue reportUnusedExpression
x.shape = (1,)  # error: misc, reportAttributeAccessIssue
