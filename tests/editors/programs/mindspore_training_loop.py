"""Training with `value_and_grad`."""

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn

net = nn.SequentialCell(nn.Dense(2, 8), nn.ReLU(), nn.Dense(8, 1))
loss_fn = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)


def forward(data: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
    logits = net(data)
    return loss_fn(logits, label), logits


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
rows = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
net.set_train()
for epoch in range(2):
    for data, label in ds.NumpySlicesDataset(rows, shuffle=False).batch(2).create_tuple_iterator():
        (loss, logits), grads = grad_fn(data, label)
        optimizer(grads)
        print(epoch, loss.asnumpy(), logits.shape)
grad_fn(rows[0])  # error: arg-type call-arg, reportCallIssue
optimizer.lr  # error: attr-defined, reportAttributeAccessIssue
optimizer.learning_rate
