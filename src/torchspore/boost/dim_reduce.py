"""Training in a low-dimensional subspace of earlier weights, with a quasi-Newton method."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import NotNegative, Positive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.optim import Optimizer
from torchspore.ops.array.assignment import assign
from torchspore.ops.linalg.products import matmul

__all__ = ["DimReduce", "principal_components"]

# The number of step lengths to try.
_MAX_SEARCHES = 2
_MIN_CURVATURE = 1e-20


class DimReduce(Cell):
    r"""A training step with a quasi-Newton method in a low-dimensional subspace, and momentum in the other directions.

    With the components :math:`P`, the gradient :math:`g`, :math:`g_k = P g` and the inverse Hessian :math:`B` of the
    BFGS method,

    .. math::
        d = -B g_k, \quad s = \rho^m d, \quad
        v \leftarrow \gamma v + g - P^T g_k, \quad w \leftarrow w - \alpha v + P^T s

    where :math:`m` is 0 or 1, the first with :math:`loss(w + P^T s) < loss(w) + \sigma g_k^T s`; otherwise s = 0.

    Args:
        network: a Cell whose output is the loss.
        optimizer: `nn.SGD` with the learning rate 1.
        weight: the weights, a ParameterTuple.
        pca_mat_local: the components :math:`P`, an array of shape (n_components, number of the weights' elements).
        n_components: the number of components.
        rho, gamma, alpha, sigma: the coefficients of the formulas.
        rank, rank_size: the rank of this process and the number of processes, which must be 1.

    Inputs:
        - loss: the loss.
        - old_grad: the gradients of the weights.
        - loss_scale: the divisor of the gradients.
        - weight: the weights.
        - weight_clone: Parameters with the same values.
        - inputs: the inputs of the network.

    Outputs:
        The loss.

    Raises:
        ValueError: the shape of the components does not fit.
        NotImplementedError: there are several processes.
    """

    @checked
    def __init__(
        self,
        network: Cell,
        optimizer: Optimizer,
        weight: Any,
        pca_mat_local: np.ndarray,
        n_components: Positive,
        rho: float,
        gamma: float,
        alpha: float,
        sigma: float,
        rank: NotNegative,
        rank_size: Any,
    ) -> None:
        super().__init__(auto_prefix=False)
        if rank_size != 1:
            raise NotImplementedError(
                f"For 'DimReduce', 'rank_size' must be 1, but got {rank_size}: the components stay in one process. "
                "Train in one process."
            )
        self.network, self.optimizer, self.n_components = network, optimizer, n_components
        self.gamma, self.alpha, self.sigma = gamma, alpha, sigma
        self.rho_list = [rho**m for m in range(_MAX_SEARCHES)]
        self.pca_list_local = _split_components(pca_mat_local, n_components, weight)
        column = np.zeros([n_components, 1], np.float32)
        self.gk_last = Parameter(Tensor(column), name="gk_last", requires_grad=False)
        self.gk_last_init = Parameter(Tensor(False), name="gk_last_init", requires_grad=False)
        self.bk = Parameter(Tensor(np.eye(n_components), mstype.float32), name="bk", requires_grad=False)
        self.sk = Parameter(Tensor(column), name="sk", requires_grad=False)
        self.grad_res_momentum = ParameterTuple(weight).clone(prefix="grad_res_momentum", init="zeros")

    def construct(
        self, loss: Tensor, old_grad: Any, loss_scale: Any, weight: Any, weight_clone: Any, *inputs: Any
    ) -> Any:
        gradients = [gradient.astype(mstype.float32) / loss_scale for gradient in old_grad]
        reduced = sum(matmul(part, gradient.reshape(-1, 1)) for part, gradient in zip(self.pca_list_local, gradients))
        inverse = self._inverse_hessian(reduced)
        direction = -matmul(inverse, reduced)
        steps = self._expanded(direction, weight)
        found, rho = self._search(loss, reduced, direction, steps, weight, weight_clone, inputs)
        if found:
            assign(self.sk, direction * rho)
            assign(self.gk_last, reduced)
            assign(self.bk, inverse)
        assign(self.gk_last_init, Tensor(True))
        projections = self._expanded(reduced, weight)
        deltas = []
        for momentum, gradient, projection, step in zip(self.grad_res_momentum, gradients, projections, steps):
            assign(momentum, momentum * self.gamma + gradient - projection)
            deltas.append(momentum * self.alpha - step * rho)
        self.optimizer(tuple(deltas))
        for saved, parameter in zip(weight_clone, weight):
            assign(saved, parameter)
        return loss

    def _inverse_hessian(self, reduced: Tensor) -> Tensor:
        """Return the inverse Hessian after the last step, by the BFGS formula."""
        if not self.gk_last_init:
            return self.bk.value()
        change = reduced - self.gk_last
        curvature = matmul(change.T, self.sk).reshape(())
        if curvature <= _MIN_CURVATURE:
            return self.bk.value()
        shift = Tensor(np.eye(self.n_components), mstype.float32) - matmul(change / curvature, self.sk.T)
        return matmul(matmul(shift.T, self.bk), shift) + matmul(self.sk / curvature, self.sk.T)

    def _expanded(self, values: Any, weight: Any) -> list[Tensor]:
        """Return a vector of the subspace as tensors of the weights' shapes."""
        return [matmul(part.T, values).reshape(parameter.shape) for part, parameter in zip(self.pca_list_local, weight)]

    def _search(
        self, loss: Tensor, reduced: Any, direction: Tensor, steps: Any, weight: Any, weight_clone: Any, inputs: Any
    ) -> tuple[bool, float]:
        """Return whether a step length decreases the loss, and the first that does, else 0."""
        slope = matmul(reduced.T, direction).reshape(())
        for rho in self.rho_list:
            self.optimizer(tuple([step * -rho for step in steps]))
            new_loss = self.network(*inputs)
            for parameter, saved in zip(weight, weight_clone):
                assign(parameter, saved)
            if loss + slope * (self.sigma * rho) > new_loss:
                return True, rho
        return False, 0.0


def principal_components(samples: np.ndarray, count: int) -> np.ndarray:
    """Return the first principal components of samples.

    Args:
        samples: an array of shape (samples, elements).
        count: the number of components.

    Returns:
        An array of shape (count, elements), whose rows are unit vectors.

    Raises:
        ValueError: there are fewer samples than components.

    Examples:
        >>> import numpy as np
        >>> from torchspore.boost.dim_reduce import principal_components
        >>> np.abs(principal_components(np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 6.0]]), 1)) + 0.0
        array([[0., 1.]])
    """
    if len(samples) < count:
        raise ValueError(
            f"For 'AutoBoost', there must be at least as many files of weights as components, {count}, "
            f"but got {len(samples)}."
        )
    return np.linalg.svd(samples - samples.mean(0), full_matrices=False)[2][:count]


def _split_components(components: np.ndarray, count: int, weight: Any) -> tuple[Tensor, ...]:
    """Split the components by weights."""
    sizes = [parameter.size for parameter in weight]
    if np.shape(components) != (count, sum(sizes)):
        raise ValueError(
            f"For 'DimReduce', 'pca_mat_local' must have the shape {(count, sum(sizes))}, "
            f"but got {np.shape(components)}."
        )
    return tuple(Tensor(part, mstype.float32) for part in np.split(components, np.cumsum(sizes)[:-1], axis=1))
