"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, Literal

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.scopes.scope import writable
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Positive, Rule, checked
from torchspore.experimental.optim.optimizer import NotNegativeNumber, Optimizer, Rate
from torchspore.ops.updates.tensor_lists import fitting, is_traced

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """L-BFGS: quasi-Newton steps for the parameters as a whole, from the gradients of the last steps.

    A step needs the loss and the gradients several times, so it takes a function that returns them. It reads their
    values, and therefore cannot be part of a graph; the function can be one, by `jit`.

    Args:
        params: the Parameters to train, in one group.
        lr: the learning rate, a number or a Tensor. Default: 1.
        max_iter: the maximum number of iterations in a step. Default: 20.
        max_eval: the maximum number of calls of the function in a step; None for `max_iter * 1.25`. Default: None.
        tolerance_grad: the step ends when no element of the gradient is larger. Default: 1e-7.
        tolerance_change: the step ends when parameters and loss change by less. Default: 1e-9.
        history_size: the number of iterations that are remembered. Default: 100.
        line_search_fn: None to go as far as `lr` says, or "strong_wolfe" to search how far. Default: None.

    Inputs:
        A function without arguments that returns (loss, gradients), such as `lambda: grad_fn(data, label)` with
        `grad_fn = value_and_grad(...)`. Of a tuple of several outputs, the first one is the loss.

    Outputs:
        What the function returned at first as the loss.

    Raises:
        ValueError: a number out of its range, an unknown line search, or more than one group.
        NotImplementedError: a step in a graph.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([3.0, -1.0]), name="weight")
        >>> optimizer = ms.experimental.optim.LBFGS([weight], line_search_fn="strong_wolfe")
        >>> bowl = ms.value_and_grad(lambda: ((weight - 1.0) ** 2).sum(), None, optimizer.parameters)
        >>> print(optimizer(bowl), weight.asnumpy())
        8.0 [1. 1.]
    """

    _solver: torch.optim.LBFGS | None = None

    _rules = (Rule("all Parameters must be in one group", lambda param_groups: not param_groups),)

    @checked
    def __init__(
        self,
        params: Any,
        lr: Rate = 1,
        max_iter: Positive = 20,
        max_eval: Positive | None = None,
        tolerance_grad: NotNegativeNumber = 1e-7,
        tolerance_change: NotNegativeNumber = 1e-9,
        history_size: Positive = 100,
        line_search_fn: Literal["strong_wolfe"] | None = None,
    ) -> None:
        options = {"lr": lr, "max_iter": max_iter, "max_eval": max_eval, "tolerance_grad": tolerance_grad}
        options |= {"tolerance_change": tolerance_change, "history_size": history_size}
        super().__init__(params, {**options, "line_search_fn": line_search_fn})

    def construct(self, closure: Callable[[], Any]) -> Any:
        """Take a step; see the class for `closure` and what is returned."""
        if is_traced():
            raise NotImplementedError(
                "For 'LBFGS', a step reads values and cannot be part of a graph. Capture 'closure'."
            )
        if not callable(closure):
            raise TypeError(
                f"For 'LBFGS', the input must be a function that returns (loss, gradients), "
                f"but got {describe(closure)}."
            )
        losses: list[Any] = []

        def evaluate() -> float:
            loss, gradients = closure()
            losses.append(loss[0] if isinstance(loss, tuple) else loss)
            given = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
            for value, gradient in zip(values, self._accepted(given)):
                value.grad = fitting(gradient, value)
            return float(losses[-1])

        values = [writable(parameter) for parameter in self.parameters]
        try:
            self._solver_of(values).step(evaluate)
        finally:
            for value in values:
                value.grad = None
        return losses[0]

    def _solver_of(self, values: list[torch.Tensor]) -> torch.optim.LBFGS:
        """Return what remembers the last steps, which goes on when parameters have new memory."""
        options = {name: value for name, value in self.param_groups[0].items() if name in self.defaults}
        solver = self._solver
        if solver is None or not all(map(is_, solver.param_groups[0]["params"], values)):
            known = solver
            solver = torch.optim.LBFGS(values, **{**options, "lr": 1.0})
            if known is not None:
                solver.load_state_dict(known.state_dict())
            self.__dict__["_solver"] = solver
        rate: Parameter = options["lr"]
        solver.param_groups[0].update({**options, "lr": rate.item()})
        if options["max_eval"] is None:
            solver.param_groups[0]["max_eval"] = options["max_iter"] * 5 // 4
        return solver
