"""Random numbers and settings."""

import mindspore as ms
from mindspore import Tensor, ops

ms.set_seed(1)
ms.set_device("CPU")
print(ops.randn(2, 3).shape, ops.rand((2,)).shape, ops.standard_normal((2, 3)).shape)
noise: Tensor = ops.normal((2, 2), 0.0, 1.0)
steps = ops.arange(0, 10, 2)
print(noise + steps.sum(), ms.get_seed(), ms.get_context("mode"))
ms.set_sed(1)  # error: attr-defined, reportAttributeAccessIssue
ops.arrange(3)  # error: attr-defined, reportAttributeAccessIssue
