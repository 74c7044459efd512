"""The types of expressions of daily use, as both checkers show them; where they differ, mypy's comes first."""

import numpy as np

import torchspore as ms
import torchspore.dataset as ds
from torchspore import Tensor, amp, mint, nn, ops
from torchspore.common.initializer import initializer
from torchspore.train import Model


class Net(nn.Cell):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.fc = nn.Dense(size, 4)
        self.scale = ms.Parameter(ms.Tensor([1.0]))

    def construct(self, x: Tensor, keep: bool = True) -> tuple[Tensor, Tensor]:
        return self.fc(x), x


def loss_of(x: Tensor, y: Tensor) -> Tensor:
    return (x - y).mean()


net = Net(3)
x = ms.Tensor([[1.0, 2.0, 3.0]])
weights = net.trainable_params()
optimizer = nn.Adam(weights, 1e-3)
data = ds.NumpySlicesDataset([1, 2])
model = Model(net, nn.MSELoss(), optimizer)

# tensors
reveal_type(x + 1)  # Tensor
reveal_type(1 - x)  # Tensor
reveal_type(x * x)  # Tensor
reveal_type(x @ x.T)  # Tensor
reveal_type(x > 0)  # Tensor
reveal_type(x == 0)  # Tensor
reveal_type(-x)  # Tensor
reveal_type(x[0])  # Tensor
reveal_type(x.shape)  # tuple[int, ...]
reveal_type(x.shape[0])  # int
reveal_type(x.dtype)  # Type
reveal_type(x.ndim)  # int
reveal_type(x.size)  # int
reveal_type(x.T)  # Tensor
reveal_type(x.reshape(-1))  # Tensor
reveal_type(x.view(3))  # Tensor
reveal_type(x.astype(ms.int32))  # Tensor
reveal_type(x.sum(axis=0))  # Tensor
reveal_type(x.mean())  # Tensor
reveal_type(x.max())  # Tensor
reveal_type(x.max(axis=0))  # Tensor
reveal_type(x.max(0))  # tuple[Tensor, Tensor]
reveal_type(x.topk(1))  # tuple[Tensor, Tensor]
reveal_type(x.split(1))  # tuple[Tensor, ...]
reveal_type(x.asnumpy())  # ndarray[Any, Any]
reveal_type(x.nonzero())  # Tensor
reveal_type(x.to(ms.float16))  # Tensor
reveal_type(float(x.sum()))  # float
reveal_type(ms.Tensor(np.ones(3)))  # Tensor
reveal_type(ms.from_numpy(np.ones(3)))  # Tensor
reveal_type(ms.float32)  # Float
reveal_type(initializer("normal", [2, 3]))  # Tensor

# operations
reveal_type(ops.relu(x))  # Tensor
reveal_type(ops.add(x, 1))  # Tensor
reveal_type(ops.concat([x, x]))  # Tensor
reveal_type(ops.stack((x, x)))  # Tensor
reveal_type(ops.softmax(x, -1))  # Tensor
reveal_type(ops.max(x, 1))  # tuple[Tensor, Tensor]
reveal_type(ops.split(x, 1))  # tuple[Tensor, ...]
reveal_type(ops.where(x > 0, x, 0))  # Tensor
reveal_type(ops.zeros((2, 3), ms.float32))  # Tensor
reveal_type(ops.cross_entropy(x, x))  # Tensor
reveal_type(ops.max_pool2d(x, 2))  # Tensor
reveal_type(ops.max_pool2d(x, 2, return_indices=True))  # tuple[Tensor, Tensor]
reveal_type(ops.shape(x))  # tuple[int, ...]
reveal_type(ops.stop_gradient(x))  # Tensor
reveal_type(ops.ReLU()(x))  # Tensor
reveal_type(ops.MatMul()(x, x))  # Tensor
reveal_type(mint.matmul(x, x))  # Tensor
reveal_type(mint.max(x))  # Tensor
reveal_type(mint.max(x, 1))  # tuple[Tensor, Tensor]
reveal_type(mint.where(x > 0, x, x))  # Tensor
reveal_type(mint.nn.functional.gelu(x))  # Tensor

# cells
reveal_type(net(x))  # tuple[Tensor, Tensor]
reveal_type(net.fc)  # Dense
reveal_type(net.fc(x))  # Tensor
reveal_type(net.fc.weight)  # Parameter
reveal_type(net.scale)  # Parameter
reveal_type(net.training)  # bool
reveal_type(net.set_train())  # Net
reveal_type(weights)  # list[Parameter]
reveal_type(net.parameters_dict())  # OrderedDict[str, Parameter]
reveal_type(nn.ReLU()(x))  # Tensor
reveal_type(nn.Conv2d(1, 2, 3)(x))  # Tensor
reveal_type(nn.MSELoss()(x, x))  # Tensor
reveal_type(nn.SequentialCell(net)(x))  # Any
reveal_type(nn.CellList([net])[0])  # Any
reveal_type(nn.WithLossCell(net, nn.MSELoss()))  # WithLossCell

# gradients
reveal_type(ms.grad(loss_of))  # (x: Tensor, y: Tensor) -> Tensor
reveal_type(ms.grad(loss_of)(x, x))  # Tensor
reveal_type(ms.grad(loss_of, (0, 1))(x, x))  # Any
reveal_type(ms.grad(loss_of, None, weights)(x, x))  # tuple[Tensor, ...]
reveal_type(ms.value_and_grad(loss_of)(x, x))  # tuple[Tensor, Tensor]
reveal_type(ms.value_and_grad(loss_of, None, optimizer.parameters))  # (x: Tensor, y: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]
reveal_type(ms.value_and_grad(net, None, weights, has_aux=True)(x))  # tuple[tuple[Tensor, Tensor], tuple[Tensor, ...]]
reveal_type(ms.jit(loss_of))  # (x: Tensor, y: Tensor) -> Tensor
reveal_type(ms.jit(jit_level="O1")(loss_of)(x, x))  # Tensor
reveal_type(optimizer(weights))  # tuple[bool, ...] | bool
reveal_type(optimizer.parameters[0])  # Parameter
reveal_type(ms.ParameterTuple(weights))  # ParameterTuple

# training and data
reveal_type(ms.load_checkpoint("net.ckpt"))  # dict[str, Any]
reveal_type(ms.load_param_into_net(net, {}))  # tuple[list[str], list[str]]
reveal_type(ms.save_checkpoint(net, "net.ckpt"))  # None
reveal_type(model.train(1, data))  # None
reveal_type(model.eval(data))  # dict[str, Any]
reveal_type(data.batch(2))  # NumpySlicesDataset
reveal_type(data.map(lambda row: row).shuffle(4))  # NumpySlicesDataset
reveal_type(data.get_dataset_size())  # int
reveal_type(data.create_tuple_iterator())  # TupleIterator
reveal_type(next(data.create_dict_iterator()))  # dict[str, Any]
reveal_type(ds.GeneratorDataset([1], "x"))  # GeneratorDataset
reveal_type(ds.vision.Resize(2))  # Resize
reveal_type(amp.all_finite([x]))  # Any
reveal_type(ms.get_context("mode"))  # Any
