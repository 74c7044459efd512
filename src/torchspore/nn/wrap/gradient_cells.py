"""Cells that return gradients or products with Jacobians, and a cell that writes a parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.gradients.differentiate import GradOperation, differentiate
from torchspore.engine.gradients.gradient_inputs import as_weights
from torchspore.engine.gradients.transforms import jvp, vjp
from torchspore.engine.parameters import AnyNumber, Rule, checked
from torchspore.nn.cell import Cell
from torchspore.nn.wrap.cell_wrapper import WithLossCell, calls_itself
from torchspore.ops.array.assignment import assign

__all__ = ["ForwardValueAndGrad", "Jvp", "ParameterUpdate", "Vjp", "WithGradCell"]


class ForwardValueAndGrad(Cell):
    """The value of a network together with its gradients.

    Args:
        network: a Cell or function.
        weights: the parameters to differentiate, needed with `get_by_list`. Default: None.
        get_all: whether all inputs are differentiated; else the first. Default: False.
        get_by_list: whether the weights are differentiated; without `get_all` no input is. Default: False.
        sens_param: whether the last input is the gradient of the output, to start from. Default: False, ones.

    Inputs: the inputs of the network; with `sens_param` then the gradient of the output.

    Outputs:
        A tuple of the value and the gradients: of the first input, or a tuple for all inputs, or for the
        weights, or with both flags a tuple of both.

    Examples:
        >>> import torchspore as ms
        >>> value, gradient = ms.nn.ForwardValueAndGrad(lambda x: x * x)(ms.Tensor([3.0]))
        >>> print(value, gradient)
        [9.] [6.]
    """

    @checked(Rule(
        "'weights' must be given with get_by_list=True, such as network.trainable_params()",
        lambda get_by_list, weights: not get_by_list or weights is not None,
        TypeError,
    ))  # fmt: skip
    def __init__(
        self,
        network: Callable[..., Any],
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        if isinstance(network, Cell) and calls_itself(self):
            network.set_grad()
        self.weights = as_weights(weights, "ForwardValueAndGrad") if get_by_list else []
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param
        self.grad = GradOperation(get_all, get_by_list, sens_param)  # for subclasses

    def construct(self, *inputs: Any) -> tuple[Any, Any]:
        sens = None
        if self.sens_param:
            *given, sens = inputs
            inputs = tuple(given)
        every = tuple(i for i, value in enumerate(inputs) if isinstance(value, Tensor))
        positions = every if self.get_all else () if self.get_by_list else (0,)
        value, of_inputs, of_weights = differentiate(self.network, inputs, {}, positions, self.weights, False, sens)
        if self.get_by_list:
            return value, (tuple(of_inputs), tuple(of_weights)) if self.get_all else tuple(of_weights)
        return value, tuple(of_inputs) if self.get_all else of_inputs[0]


class WithGradCell(Cell):
    """The gradients of a network's trainable parameters.

    Args:
        network: a Cell, which is set to training mode; without `loss_fn` its output is the loss.
        loss_fn: the loss, a Cell or function of the network's output and the label. Default: None.
        sens: the gradient of the loss, to start from: a number, a Tensor or a tuple of them. Default: None, ones.

    Inputs: the inputs of the network; with `loss_fn` the data and the label.
    Outputs: a tuple of one Tensor for each parameter.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones")
        >>> of_weight, of_bias = ms.nn.WithGradCell(net, lambda output, label: output - label)(
        ...     ms.Tensor([[2.0, 3.0]]), ms.Tensor([[1.0]]))
        >>> print(of_weight, of_bias)
        [[2. 3.]] [1.]
    """

    @checked
    def __init__(
        self, network: Cell, loss_fn: Any = None, sens: AnyNumber | Tensor | tuple[Any, ...] | None = None
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()
        self.weights = network.trainable_params()
        self.sens = sens

    def construct(self, *inputs: Any) -> Any:
        gradients = GradOperation(get_by_list=True, sens_param=self.sens is not None)
        sens = () if self.sens is None else (self.sens,)
        return gradients(self.network_with_loss, self.weights)(*inputs, *sens)


class _Product(Cell):
    """The base of products with a Jacobian: keeps the function."""

    @checked
    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__(auto_prefix=False)
        self.fn = fn


class Jvp(_Product):
    """The outputs of a network and the product of its Jacobian with a vector.

    Args:
        fn: a Cell or function of tensors.

    Inputs: the inputs, and then the vector for them: a Tensor, or a tuple of one Tensor for each input.
    Outputs: a tuple of the outputs and the product.

    Examples:
        >>> import torchspore as ms
        >>> output, product = ms.nn.Jvp(lambda x: x * x)(ms.Tensor([3.0]), ms.Tensor([2.0]))
        >>> print(output, product)
        [9.] [12.]
    """

    def construct(self, *args: Any) -> tuple[Any, ...]:
        *inputs, vector = args
        return jvp(self.fn, tuple(inputs), vector)


class Vjp(_Product):
    """The outputs of a network and the product of a vector with its Jacobian.

    Args:
        fn: a Cell or function of tensors.

    Inputs: the inputs, and then the vector: a Tensor, or a tuple of one Tensor for each output.
    Outputs: a tuple of the outputs and the gradients of the inputs; a single gradient is returned without a tuple.

    Examples:
        >>> import torchspore as ms
        >>> output, product = ms.nn.Vjp(lambda x: x * x)(ms.Tensor([3.0]), ms.Tensor([2.0]))
        >>> print(output, product)
        [9.] [12.]
    """

    def construct(self, *args: Any) -> tuple[Any, ...]:
        *inputs, vector = args
        output, product = vjp(self.fn, *inputs)
        gradients = product(*vector) if isinstance(vector, (tuple, list)) else product(vector)
        return output, gradients[0] if len(gradients) == 1 else gradients


class ParameterUpdate(Cell):
    """Write a parameter.

    Args:
        param: a Parameter.

    Inputs: a Tensor of the parameter's shape.
    Outputs: the new value.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]))
        >>> print(ms.nn.ParameterUpdate(weight)(ms.Tensor([3.0, 4.0])))
        [3. 4.]
    """

    @checked
    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        self._param = param

    def construct(self, x: Tensor) -> Tensor:
        assign(self._param, x)
        return x
