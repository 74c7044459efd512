"""Optimizers, called with gradients."""

import torchspore as ts
from torchspore import nn
from torchspore.experimental import optim
from torchspore.nn import Optimizer

net = nn.Dense(2, 1)
groups = [{"params": net.trainable_params(), "lr": 0.1}]
optimizers: list[Optimizer] = [nn.SGD(net.trainable_params(), 0.1), nn.Adam(groups), nn.Lamb(net.trainable_params(), 0.1)]
gradients = ts.grad(net, None, net.trainable_params())(ts.Tensor([[1.0, 2.0]]))
for optimizer in optimizers:
    optimizer(gradients)
    print(optimizer.get_lr(), optimizer.parameters[0].name, optimizer.global_step)
newer = optim.AdamW(net.trainable_params(), lr=1e-3)
newer(gradients)
print(newer.param_groups[0]["lr"])
nn.Adam()  # error: call-arg, reportCallIssue
nn.SGD(net.trainable_params(), learning_rat=0.1)  # error: call-arg, reportCallIssue
newer.step_size  # error: attr-defined, reportAttributeAccessIssue
