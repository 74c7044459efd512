"""Mixed precision."""

import mindspore as ms
from mindspore import Tensor, amp, nn

net = amp.auto_mixed_precision(nn.Dense(2, 1), "O2")
scaler = amp.DynamicLossScaler(1024, 2, 100)
loss_fn = nn.BCEWithLogitsLoss()


def forward(x: Tensor, y: Tensor) -> Tensor:
    return scaler.scale(loss_fn(net(x), y))


x, y = ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0]])
loss, grads = ms.value_and_grad(forward, None, net.trainable_params())(x, y)
grads = scaler.unscale(grads)
if amp.all_finite(grads):
    print(scaler.unscale(loss))
amp.all_finit(grads)  # error: attr-defined, reportAttributeAccessIssue
scaler.adjst(True)  # error: attr-defined, reportAttributeAccessIssue
