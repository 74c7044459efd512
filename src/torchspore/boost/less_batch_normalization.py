"""Networks whose last fully connected layers compare directions by cosine similarity."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.initializer import initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.basic import Dense
from torchspore.ops.linalg.products import dense
from torchspore.ops.neural.normalization import L2Normalize

__all__ = ["CommonHeadLastFN", "LessBN"]

_normalized: Any = L2Normalize
_normalized = _normalized(axis=1)


class CommonHeadLastFN(Cell):
    r"""A fully connected layer that returns a multiple of the cosine similarities of inputs and rows of the weight.

    .. math::
        output = multiplier \cdot \left(\frac{x}{\|x\|} \cdot \frac{weight^T}{\|weight\|} + bias\right)

    Args:
        in_channels, out_channels: the sizes of the inputs and outputs.
        weight_init, bias_init: the initializers, as for `Dense`. Default: "normal" and "zeros".
        has_bias: whether there is a bias. Default: True.

    Inputs:
        A Tensor of shape (N, in_channels).

    Outputs:
        A Tensor of shape (N, out_channels).

    Raises:
        ValueError: a size that is not positive.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.boost.less_batch_normalization import CommonHeadLastFN
        >>> net = CommonHeadLastFN(2, 1, weight_init="ones")
        >>> print(net(ms.Tensor([[3.0, 3.0], [2.0, -2.0]])).round())
        [[1.]
         [0.]]
    """

    @checked
    def __init__(
        self,
        in_channels: Positive,
        out_channels: Positive,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
    ) -> None:
        super().__init__()
        self.weight = Parameter(initializer(weight_init, (out_channels, in_channels)), name="weight")
        self.multiplier = Parameter(Tensor(np.ones([1]), mstype.float32), name="multiplier")
        self.has_bias = has_bias
        self.bias = Parameter(initializer(bias_init, (out_channels,)), name="bias") if has_bias else None

    def construct(self, x: Tensor) -> Tensor:
        return self.multiplier * dense(_normalized(x), _normalized(self.weight), self.bias)


class LessBN(Cell):
    """A network from which MindSpore's compiler for Ascend cards may remove some batch normalisations.

    Here they are all kept. With `fn_flag` the last `Dense` of the network, and of each cell in it that has any, becomes
    a `CommonHeadLastFN` with the same weight, without its bias and activation.

    Args:
        network: the network, a Cell, which is changed.
        fn_flag: whether the last fully connected layers are replaced. Default: False.

    Inputs:
        The same as the network's.

    Outputs:
        The same as the network's.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.BatchNorm1d(4), ms.nn.Dense(4, 2))
        >>> [type(cell).__name__ for cell in ms.boost.LessBN(net, fn_flag=True).network]
        ['Dense', 'BatchNorm1d', 'CommonHeadLastFN']
    """

    @checked
    def __init__(self, network: Cell, fn_flag: bool = False) -> None:
        super().__init__()
        self.network = network
        if "less_bn" not in network.get_flags():
            network.set_boost("less_bn")
            if fn_flag:
                _replace_heads(network)

    def construct(self, *inputs: Any) -> Any:
        return self.network(*inputs)


def _replace_heads(net: Cell) -> None:
    last = None
    for name, child in net.name_cells().items():
        if isinstance(child, Dense):
            last = name, child
        else:
            _replace_heads(child)
    if last is not None:
        name, layer = last
        head = CommonHeadLastFN(layer.in_channels, layer.out_channels, has_bias=False)
        head.multiplier.name = layer.weight.name.removesuffix("weight") + "multiplier"
        head._params["weight"] = layer.weight  # itself: optimizers know it
        net.insert_child_to_cell(name, head.set_train(layer.training))
