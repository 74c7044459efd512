"""Paths and names of older programs."""

import mindspore.common.dtype as mstype
import mindspore.nn as nn
import mindspore.ops as ops
from mindspore import Model, Parameter, Tensor, context, load_checkpoint
from mindspore.common.tensor import Tensor as SameTensor
from mindspore.nn.layer.basic import Dense
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import LossMonitor
from mindspore.train.serialization import load_param_into_net

context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")
x = SameTensor([1.0], mstype.float32)
print(P.ReduceMean()(x).shape, F.relu(x).shape, C.GradOperation(), P.Concat(1)([x, x]).shape, P.MatMul()(x, x).shape)
print(nn.Accuracy(), Model, Parameter, load_checkpoint, LossMonitor, load_param_into_net, ops, Tensor)
Dense(1, 2)(x).shape
P.ReduceMeen()  # error: attr-defined, reportAttributeAccessIssue
F.rellu  # error: attr-defined, reportAttributeAccessIssue
from mindspore.nn.layer.basic import Dens  # error: attr-defined, reportAttributeAccessIssue
