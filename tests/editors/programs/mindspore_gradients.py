"""The ways to gradients."""

import mindspore as ms
from mindspore import Tensor, nn, ops


def cube(x: Tensor) -> Tensor:
    return x * x * x


x = ms.Tensor([2.0])
print(ms.grad(cube)(x).shape)
print(ms.grad(ms.grad(cube))(x).asnumpy())
value, gradient = ms.value_and_grad(cube)(x)
print(value.shape, gradient.shape)
net = nn.Dense(1, 1)
of_weights = ms.grad(net, None, net.trainable_params())(x)
print(len(of_weights), of_weights[0].shape)
print(ops.GradOperation(get_all=True)(cube)(x))
print(ms.jacrev(cube)(x), ms.vmap(cube)(x))
print(ops.stop_gradient(x).shape)
seeded = ms.grad(cube, sens_param=True)(x, x)
print(seeded)
ms.grad(cube)("x")  # error: arg-type, reportArgumentType
ms.grad(cube)(x, x)  # error: call-arg, reportCallIssue
ms.value_and_grad(cube, weigths=None)  # error: call-overload, reportCallIssue
