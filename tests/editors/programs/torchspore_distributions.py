"""Distributions and other packages."""

import torchspore as ts
from torchspore import Tensor
from torchspore.nn.probability import distribution

normal = distribution.Normal(0.0, 1.0)
x: Tensor = ts.Tensor([0.5])
print(normal.log_prob(x), normal.sample((2,)), ts.COOTensor)
print(ts.ops.csr_add, ts.mutable([x])[0].shape, ts.is_tensor(x))
distribution.Normall  # error: attr-defined, reportAttributeAccessIssue
