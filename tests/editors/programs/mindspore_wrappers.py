"""Cells around networks."""

import mindspore as ms
from mindspore import nn

net = nn.Dense(2, 1)
with_loss = nn.WithLossCell(net, nn.L1Loss())
step = nn.TrainOneStepCell(with_loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
x, y = ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0]])
print(step(x, y), with_loss(x, y))
print(nn.LSTM(2, 4, batch_first=True)(ms.Tensor([[[1.0, 2.0]]])))
print(nn.Conv2d(3, 4, 3)(ms.ops.ones((1, 3, 8, 8))).shape)
rates = nn.cosine_decay_lr(0.0, 0.1, 10, 5, 2)
schedule = nn.CosineDecayLR(0.0, 0.1, 10)
nn.AdamWeightDecay(net.trainable_params(), schedule)
print(rates[0] + 1.0)
nn.TrainOneStepCell(net)  # error: call-arg, reportCallIssue
nn.Conv2d(3, 4)  # error: call-arg, reportCallIssue
nn.LSTM(2)  # error: call-arg, reportCallIssue
