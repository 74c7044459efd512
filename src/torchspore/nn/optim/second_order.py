"""THOR: gradients multiplied by the inverses of the layers' second moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import torch

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Limits, NotNegativeFloat, PositiveFloat, StrictFloat, Where, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.normalization import LayerNorm
from torchspore.nn.layer.thor_conversion import ConvertNetUtils
from torchspore.nn.layer.thor_layer import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor
from torchspore.nn.optim.fused import Bucket
from torchspore.nn.optim.momentum import Momentum
from torchspore.ops.updates.rules import decayed, sgd
from torchspore.ops.updates.tensor_lists import Scalar, Tensors, fitting, is_traced

__all__ = ["thor"]

_Numbers: TypeAlias = Annotated[Tensor, Where("of no or one dimension", lambda numbers: numbers.ndim <= 1)]

# Inverses are computed for blocks of this size along the diagonal.
_BLOCK = 128


class Thor(Momentum):
    r"""THOR, an optimizer of second order: gradients are multiplied by inverses of the layers' second moments.

    With the inputs :math:`a` of a layer and the gradients :math:`d` of its outputs, of the mean loss of a batch,

    .. math::
        A = E[a a^T], \quad G = n^2 E[d d^T], \quad
        u = (G + \sqrt{\lambda} I)^{-1} g (A + \sqrt{\lambda} I)^{-1}, \quad
        v \leftarrow \mu v + u, \quad p \leftarrow p - lr \cdot v

    This concerns the weights of the `Dense`, `Conv2d` and `Embedding` cells inside `net`, which are replaced by
    `DenseThor` and so on: those gather the moments. A matrix of more than 128 rows is inverted in blocks of 128
    along its diagonal. For a convolution :math:`\lambda` is divided by the number of its positions, and each
    inverse by the square root of that number. The gradient of a weight of `LayerNorm` is divided by :math:`g^2 / n +
    \sqrt{\lambda}`; for all other parameters :math:`u = g`. With several processes, each has its own moments.

    Args:
        net: the network, whose trainable parameters are trained.
        learning_rate: the learning rate, a Tensor of one number or of one for every step.
        damping: the number :math:`\lambda`, a Tensor of one number or of one for every step.
        momentum: the factor :math:`\mu`, a float >= 0.
        weight_decay: the multiple of a parameter that is added to :math:`u`. Default: 0.0.
        loss_scale: the number > 0 that the gradients are divided by. Default: 1.0.
        batch_size: the number :math:`n` of samples in a batch. Default: 32.
        use_nesterov: whether to use Nesterov momentum. Default: False.
        decay_filter: returns whether the weight decay concerns a Parameter. Default: it concerns all.
        split_indices: how the communication between processes is divided; must be None. Default: None.
        enable_clip_grad: whether updates are shortened to the norm 1. Default: False.
        frequency: the number of steps between computations of the inverses, an int >= 2. A training loop asks
            `get_frequency`, and sets the attribute `thor` of the optimizer and the layers to False for the other steps.
            Default: 100.

    Raises:
        NotImplementedError: `split_indices` is given.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 1, weight_init="ones", has_bias=False))
        >>> optimizer = ms.nn.thor(net, ms.Tensor(0.1), damping=ms.Tensor(0.04), momentum=0.9, batch_size=1)
        >>> train = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), optimizer)
        >>> inputs = ms.Tensor([[1.0, 2.0]]), ms.Tensor([[0.0]])
        >>> print(train(*inputs), train(*inputs) < 9)
        9.0 True

    MindSpore: `mindspore.nn.thor`.
    """

    @checked
    def __init__(
        self,
        net: Cell,
        learning_rate: _Numbers,
        damping: _Numbers,
        momentum: StrictFloat,
        weight_decay: NotNegativeFloat = 0.0,
        loss_scale: PositiveFloat = 1.0,
        batch_size: PositiveFloat = 32,
        use_nesterov: bool = False,
        decay_filter: Callable[[Parameter], bool] = lambda x: True,
        split_indices: Any = None,
        enable_clip_grad: bool = False,
        frequency: Annotated[int, Limits(2)] = 100,
    ) -> None:
        if split_indices is not None:
            raise NotImplementedError(
                "For 'thor', 'split_indices' is not supported: the moments stay in their process. Leave it out."
            )
        ConvertNetUtils().convert_to_thor_net(net)
        super().__init__(net.trainable_params(), learning_rate, momentum, weight_decay, loss_scale, use_nesterov)
        self.decay_flags = tuple(bool(decay_filter(parameter)) for parameter in self.parameters)
        self.damping, self.batch_size = damping, batch_size
        self.enable_clip_grad, self.frequency = enable_clip_grad, frequency
        self.thor = True
        self._layers = _layers_of(net, self.parameters)
        shapes = {position: _shapes(layer) for position, layer in self._layers.items() if not _is_norm(layer)}
        self._numbers = {position: number for number, position in enumerate(shapes)}
        self.matrix_a = ParameterTuple([_inverse_of("a", i, shape) for i, (shape, _) in enumerate(shapes.values())])
        self.matrix_g = ParameterTuple([_inverse_of("g", i, shape) for i, (_, shape) in enumerate(shapes.values())])

    def get_frequency(self) -> int:
        """Return the number of steps between computations of the inverses."""
        return self.frequency

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        root = self._current_damping().to(torch.float32).sqrt()
        positions = range(len(gradients)) if bucket.positions is None else bucket.positions
        updates = [self._of_second_order(i, gradient, root) for i, gradient in zip(positions, gradients)]
        updates = decayed(bucket.parameters, updates, decay)
        if self.enable_clip_grad:
            updates = [update / update.norm().clamp(min=1) for update in updates]
        updates = [fitting(update, value) for update, value in zip(updates, bucket.parameters)]
        momentum = self._read("momentum")
        moments = bucket.states[0]
        nesterov = self.use_nesterov
        sgd(bucket.parameters, updates, moments, rate=rate, momentum=momentum, nesterov=nesterov, fused=fused)

    def _current_damping(self) -> torch.Tensor:
        values = self.damping._t
        if values.dim() == 0:
            return values
        if is_traced():
            return values[self.global_step._t.long().clamp(max=len(values) - 1)].reshape(())
        step = self._read("global_step")
        if step >= len(values):
            raise RuntimeError(
                f"For 'thor', the numbers of 'damping' end after {len(values)} steps, and this is step {step + 1}. "
                "Give one for every step, or one without dimensions."
            )
        return values[step]

    def _of_second_order(self, position: int, gradient: torch.Tensor, root: torch.Tensor) -> torch.Tensor:
        """Return the gradient of a parameter, multiplied by the inverses of its layer."""
        layer = self._layers.get(position)
        if layer is None:
            return gradient
        if _is_norm(layer):
            return gradient / (gradient.square() / self.batch_size + root)
        number = self._numbers[position]
        of_inputs, of_outputs = self.matrix_a[number], self.matrix_g[number]
        is_table = isinstance(layer, (EmbeddingThor, EmbeddingLookupThor))
        if self.thor:
            inverses = self._table_inverses(layer, root) if is_table else self._inverses(layer, root)
            for kept, value in zip((of_inputs, of_outputs), inverses):
                writable(kept).copy_(value)
        if is_table:
            return of_inputs._t[:, None] * gradient @ of_outputs._t
        return _between(of_outputs._t, gradient, of_inputs._t)

    def _inverses(self, layer: Any, root: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if isinstance(layer, DenseThor):
            return _inverse(layer.matrix_a._t, root), _inverse(self._outputs(layer.matrix_g), root)
        of_inputs, of_outputs = layer.a_normalizer._t.sqrt(), layer.g_normalizer._t.sqrt()
        inverses = (
            _inverse(layer.matrix_a_cov._t, root / of_inputs),
            _inverse(self._outputs(layer.matrix_g_cov), root / of_outputs),
        )
        return inverses[0] / of_inputs, inverses[1] / of_inputs

    def _table_inverses(self, layer: Any, root: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        uses = layer.matrix_a._t / self.batch_size
        moments = self._outputs(layer.matrix_g)
        return 1 / (uses + root), torch.cholesky_inverse(torch.linalg.cholesky(_damped(moments, root)))

    def _outputs(self, matrix: Parameter) -> torch.Tensor:
        """Return the second moment of the gradients of outputs, as of one sample and a loss that is not scaled."""
        return matrix._t * (self.batch_size / self.loss_scale) ** 2


thor = Thor


def _layers_of(net: Cell, parameters: ParameterTuple) -> dict[int, Cell]:
    """Return the layers that concern THOR by the positions of their parameters."""
    positions = {id(parameter): position for position, parameter in enumerate(parameters)}
    found: dict[int, Cell] = {}
    cell: Any
    for _, cell in net.cells_and_names():
        if isinstance(cell, (DenseThor, Conv2dThor)):
            weights = [cell.weight]
        elif isinstance(cell, (EmbeddingThor, EmbeddingLookupThor)):
            weights = [cell.embedding_table]
        else:
            weights = [cell.gamma, cell.beta] if _is_norm(cell) else []
        found.update({positions[id(weight)]: cell for weight in weights if id(weight) in positions})
    return found


def _is_norm(layer: Any) -> bool:
    return isinstance(layer, LayerNorm)


def _shapes(layer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of a layer's inverses, of the inputs' moments and of the outputs'."""
    if isinstance(layer, (EmbeddingThor, EmbeddingLookupThor)):
        return (layer.vocab_size,), (layer.embedding_size, layer.embedding_size)
    rows, *columns = layer.weight.shape
    return _blocks(torch.Size(columns).numel()), _blocks(rows)


def _blocks(count: int) -> tuple[int, int, int]:
    """Return the number and the size of the blocks along the diagonal of a matrix."""
    size = min(count, _BLOCK)
    return -(-count // size), size, size


def _inverse_of(kind: str, number: int, shape: tuple[int, ...]) -> Parameter:
    value = torch.eye(shape[-1]).expand(shape) if len(shape) > 1 else torch.ones(shape)
    return Parameter(Tensor(value, mstype.float32), name=f"matrix_{kind}_inv_{number}", requires_grad=False)


def _damped(matrix: torch.Tensor, root: torch.Tensor) -> torch.Tensor:
    return matrix + root * torch.eye(len(matrix), dtype=matrix.dtype, device=matrix.device)


def _inverse(matrix: torch.Tensor, root: torch.Tensor) -> torch.Tensor:
    """Return the inverses of the blocks along the diagonal of matrix + root * I; the last one is padded."""
    count, size, _ = _blocks(len(matrix))
    rest = torch.eye(count * size - len(matrix), dtype=matrix.dtype, device=matrix.device)
    whole = torch.block_diag(_damped(matrix, root), rest)
    blocks = whole.reshape(count, size, count, size).diagonal(dim1=0, dim2=2).permute(2, 0, 1)
    return torch.cholesky_inverse(torch.linalg.cholesky(blocks))


def _between(left: torch.Tensor, gradient: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return left @ gradient @ right for matrices given by the blocks along their diagonals."""
    flat = gradient.reshape(len(gradient), -1)
    (high, tall, _), (wide, long, _) = left.shape, right.shape
    rows, columns = flat.shape
    filled = torch.nn.functional.pad(flat, (0, wide * long - columns, 0, high * tall - rows))
    pieces = filled.reshape(high, tall, wide, long).transpose(1, 2)
    product = (left[:, None] @ pieces @ right).transpose(1, 2).reshape(high * tall, wide * long)
    return product[:rows, :columns].reshape(gradient.shape)
