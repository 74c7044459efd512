"""Parameters, initializers and names."""

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer


class Scale(nn.Cell):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = Parameter(initializer(Normal(0.02), (size,), ms.float32), name="weight")
        self.steps = Parameter(Tensor(0, ms.int32), requires_grad=False)
        self.bias = None

    def construct(self, x: Tensor) -> Tensor:
        self.steps += 1
        return x * self.weight


scale = Scale(3)
print(scale.weight.name, scale.weight.requires_grad, scale.weight.shape, scale.weight.asnumpy())
scale.weight.requires_grad = False
ops.assign(scale.weight, ms.Tensor([1.0, 1.0, 1.0]))
scale.weight.set_data(ms.Tensor([1.0, 1.0, 1.0]))
names = [parameter.name for parameter in scale.get_parameters()]
together = ParameterTuple(scale.trainable_params())
print(names, together[0].name, scale.parameters_dict()["weight"].shape)
scale.to_float(ms.float16).set_train().weight
scale.weight.nam  # error: attr-defined, reportAttributeAccessIssue
scale.set_train().wight  # error: attr-defined, reportAttributeAccessIssue
