"""`mint`: torch's signatures."""

import mindspore as ms
from mindspore import mint
from mindspore.mint import nn
from mindspore.mint.nn import functional as F

x = mint.ones((2, 3))
values, indices = mint.max(x, dim=1)
print(mint.max(x).item(), values.shape, indices.shape)
y = mint.matmul(x, x.T) + mint.zeros((2, 2), dtype=ms.float32)
z = F.relu(nn.Linear(3, 4)(x))
print(mint.where(y > 0, y, 0.0).sum(), z.mean(dim=0), mint.cat([x, x], dim=0).shape)
split = mint.split(x, 1, dim=0)
print(split[0].shape, F.softmax(z, dim=-1), mint.nonzero(x).shape)
mint.cat(x, axis=0)  # error: call-arg, reportCallIssue
F.gellu(x)  # error: attr-defined, reportAttributeAccessIssue
nn.Linear("3", 4)  # error: arg-type, reportArgumentType
