"""NumPy's functions."""

import numpy as np

import torchspore as ts
import torchspore.numpy as mnp
from torchspore.scipy import linalg

x = mnp.arange(6).reshape(2, 3)
print(mnp.sum(x, axis=0).shape, mnp.concatenate((x, x)).dtype, mnp.full((2, 2), 3), x.asnumpy() + np.ones(3))
print(linalg.inv(mnp.eye(3)), ts.from_numpy(np.ones(3)).shape, ts.Tensor(np.ones(3)) * np.float32(2))
mnp.aranje(3)  # error: attr-defined, reportAttributeAccessIssue
mnp.zeros()  # error: call-arg, reportCallIssue
ts.from_numpy("x")  # error: arg-type, reportArgumentType
