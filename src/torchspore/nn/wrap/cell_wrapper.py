"""Cells around a network: loss, evaluation and training step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from torchspore.common import dtype as mstype
from torchspore.common.error_classes import also
from torchspore.common.tensor import Tensor
from torchspore.engine.gradients.differentiate import GradOperation, differentiate
from torchspore.engine.parameters import AnyNumber, Where, checked, kind_of
from torchspore.nn.cell import Cell
from torchspore.nn.layer.basic import Identity
from torchspore.nn.wrap.batch_parts import _MicroBatch, _VirtualDatasetCell  # noqa: F401 - MindSpore has them here
from torchspore.nn.wrap.gradient_reducer import data_parallel_reducer
from torchspore.parallel_context import get_auto_parallel_context

_Optimizer: TypeAlias = Annotated[
    Any,
    Where(
        "an Optimizer, or a cell with the attribute 'parameters'",
        lambda optimizer: callable(optimizer) and hasattr(optimizer, "parameters"),
        also(TypeError, AttributeError),
    ),
]
_Start: TypeAlias = Annotated[
    AnyNumber | Tensor, Where("a number other than 0", lambda sens: isinstance(sens, Tensor) or sens != 0)
]
_FUNCTION = kind_of(
    Cell | Callable[..., Any]
)  # taken when they are called, as by MindSpore: attributes may be set in between
__all__ = ["TrainOneStepCell", "VirtualDatasetCellTriple", "WithEvalCell", "WithLossCell"]


class WithLossCell(Cell):
    """A network together with its loss.

    Args:
        backbone: the network, a Cell or function of the data.
        loss_fn: the loss, a Cell or function of the network's output and the label.

    Inputs: the data and the label.
    Outputs: the loss.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.WithLossCell(lambda x: x * 2, lambda output, label: (output - label).abs())
        >>> print(net(ms.Tensor([1.0]), ms.Tensor([5.0])))
        [3.]
    """

    def __init__(self, backbone: Any, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    @property
    def backbone_network(self) -> Any:
        """The network."""
        return self._backbone

    def construct(self, data: Any, label: Any) -> Any:
        output = _FUNCTION.take(self._backbone, "backbone", "WithLossCell")(data)
        return _FUNCTION.take(self._loss_fn, "loss_fn", "WithLossCell")(output, label)


class WithEvalCell(Cell):
    """A network that returns what metrics need: its loss, its output and the label.

    Args:
        network: the network, a Cell or function of the data.
        loss_fn: the loss, a Cell or function of the network's output and the label.
        add_cast_fp32: whether the output and the label are cast to float32. Default: False.

    Inputs: the data and the label.
    Outputs: a tuple of the loss, the output and the label.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.WithEvalCell(lambda x: x * 2, lambda output, label: (output - label).abs())
        >>> loss, output, label = net(ms.Tensor([1.0]), ms.Tensor([5.0]))
        >>> print(loss, output, label)
        [3.] [2.] [5.]
    """

    @checked
    def __init__(self, network: Any, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network, self._loss_fn, self.add_cast_fp32 = network, loss_fn, add_cast_fp32

    def construct(self, data: Any, label: Any) -> tuple[Any, Any, Any]:
        output = _FUNCTION.take(self._network, "network", "WithEvalCell")(data)
        if self.add_cast_fp32:
            output, label = self.cast_inputs((output, label), mstype.float32)
        return _FUNCTION.take(self._loss_fn, "loss_fn", "WithEvalCell")(output, label), output, label


class VirtualDatasetCellTriple(Cell):
    """A network of three inputs, unchanged: MindSpore's automatic parallel modes split them over devices.

    Args:
        backbone: the network.

    Inputs: the three inputs.
    Outputs: the outputs of the network.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.VirtualDatasetCellTriple(lambda a, b, c: a + b * c)(1, 2, 3))
        7
    """

    @checked
    def __init__(self, backbone: Callable[..., Any]) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, a: Any, b: Any, c: Any) -> Any:
        return self._backbone(a, b, c)


class TrainOneStepCell(Cell):
    """One training step: the loss, its gradients, and the optimizer's update of the parameters.

    In the modes "data_parallel" and "hybrid_parallel" of `set_auto_parallel_context` the gradients come from all
    processes, see `DistributedGradReducer`.

    Args:
        network: a Cell whose output is the loss; several outputs count as their sum.
        optimizer: an `Optimizer` of the network's parameters, also of `experimental.optim` or `mint.optim`; or any cell
            that has its Parameters as `parameters`, and takes their gradients.
        sens: the gradient of the loss to start from: a number or a Tensor, not 0. Default: None, 1.
        return_grad: whether to return the gradients too. Default: False.

    Inputs: the inputs of the network.
    Outputs: the loss; with `return_grad` a tuple of the loss and a dict of the gradients by the parameters' names.

    Examples:
        >>> import torchspore as ms
        >>> class Net(ms.nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.weight = ms.Parameter(ms.Tensor([2.0]))
        ...     def construct(self, x):
        ...         return x * self.weight
        >>> net = Net()
        >>> train = ms.nn.TrainOneStepCell(net, ms.nn.SGD(net.trainable_params(), 0.5))
        >>> print(train(ms.Tensor([3.0])), net.weight.asnumpy())
        [6.] [0.5]
    """

    use_graceful_exit = False  # read by subclasses: the end of a training on Ascend cards by a signal

    @checked
    def __init__(
        self, network: Cell, optimizer: _Optimizer, sens: _Start | None = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        if calls_itself(self):
            network.set_grad()
        self.optimizer = optimizer
        self.sens = 1.0 if sens is None else sens
        self.sense_flag = sens is not None
        self.parallel_mode = get_auto_parallel_context("parallel_mode")
        self.return_grad = return_grad
        self.weights = optimizer.parameters
        # For subclasses that compute the gradients themselves.
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        reducer = data_parallel_reducer(network, self.weights)
        self.reducer_flag = reducer is not None
        self.grad_reducer = reducer or Identity()

    def construct(self, *inputs: Any) -> Any:
        sens = self.sens
        start = sens if isinstance(sens, Tensor) else float(sens) if sens != 1 else None
        loss, gradients = self._loss_and_gradients(inputs, start)
        gradients = self.grad_reducer(gradients)
        self._update(loss, gradients, inputs)
        if not self.return_grad:
            return loss
        return loss, {weight.name: gradient for weight, gradient in zip(self.weights, gradients)}

    def _loss_and_gradients(self, inputs: tuple[Any, ...], start: Any) -> tuple[Any, tuple[Tensor, ...]]:
        """Return the loss, and the gradients of the weights if `start` is the gradient of the loss."""
        loss, _, gradients = differentiate(self.network, inputs, {}, (), list(self.weights), False, start)
        return loss, tuple(gradients)

    def _update(self, loss: Any, gradients: tuple[Tensor, ...], inputs: tuple[Any, ...]) -> None:
        """Update the weights; subclasses may need the loss and the inputs for that."""
        self.optimizer(gradients)


def calls_itself(step: Cell) -> bool:
    """Return whether a step is a user's, which calls its network and then `self.grad` of it: one forward pass suffices.

    The library's own steps need no record of the forward pass; it would only slow down the network elsewhere.
    """
    return type(step).construct.__module__.partition(".")[0] != __name__.partition(".")[0]
