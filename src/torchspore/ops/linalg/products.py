"""Products of matrices and vectors, and sums of such products."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common.private_torch import einsum_of_two
from torchspore.common.private_torch.error_texts import ABOUT_TYPES, says
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_size
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.naming import named
from torchspore.engine.op import Operand, attach, op
from torchspore.engine.parameters import NotNegativeFloat
from torchspore.engine.primitive import Primitive, as_primitive, primitive
from torchspore.engine.widening import UNSIGNED

__all__ = [
    "BatchMatMul", "BiasAdd", "Cross", "Dense", "Einsum", "Ger", "MatMul", "addbmm", "addmm", "addmv", "addr",
    "baddbmm", "batch_dot", "bias_add", "bidense", "bmm", "cdist", "cross", "dense", "dot", "einsum", "ger", "inner",
    "kron", "matmul", "mm", "mv", "outer", "tensor_dot", "vecdot",
]  # fmt: skip


def _require_rank(rank: int, **given: Tensor) -> None:
    for name, x in given.items():
        if x.dim() != rank:
            raise ValueError(f"'{name}' must have {rank} dimension{'s' * (rank > 1)}, but got shape {tuple(x.shape)}")


# Products


@op
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Product of matrices, of batches of them, or of vectors.

    Args:
        input, other: Tensors of the same dtype with at least one dimension. A vector on the left is a row, on the right
            a column, and the result lacks that dimension; dimensions before the last two are broadcast.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.matmul(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 1.0])))
        [3. 7.]
    """
    return torch.matmul(input, other)


@op(method="matmul")  # not a `renaming_method`, which takes 0.3 microseconds more
def _matmul(self: Tensor, tensor2: Tensor | None = None, *, other: Tensor | None = None) -> Tensor:
    """Product of matrices; see `ops.matmul`. The second argument has two names."""
    if tensor2 is not None and other is not None:
        raise TypeError("'tensor2' and 'other' are the same; give one of them")
    return torch.matmul(self, tensor2 if other is None else other)  # type: ignore[arg-type]


@op(method="__rmatmul__", name="matmul")
def _rmatmul(self: Tensor, other: Tensor) -> Tensor:
    return torch.matmul(other, self)


attach(matmul, "__matmul__")


@op(method="mm")
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Product of two matrices, of shapes (n, k) and (k, m)."""
    _require_rank(2, input=input, mat2=mat2)
    return torch.mm(input, mat2)


@op
def mv(mat: Tensor, vec: Tensor) -> Tensor:
    """Product of a matrix of shape (n, k) and a vector of shape (k,)."""
    _require_rank(2, mat=mat)
    _require_rank(1, vec=vec)
    return torch.mv(mat, vec)


@op(method="bmm")
def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """Products of batches of matrices, of shapes (..., n, k) and (..., k, m)."""
    return _batched(input_x, mat2)


def _batched(x: Tensor, y: Tensor, transpose_x: bool = False, transpose_y: bool = False) -> Tensor:
    if x.dim() < 2 or y.dim() < 2:
        shapes = f"{tuple(x.shape)} and {tuple(y.shape)}"
        raise ValueError(f"both tensors must have at least 2 dimensions, but got shapes {shapes}")
    x, y = x.mT if transpose_x else x, y.mT if transpose_y else y
    if x.dim() == y.dim() == 3:
        try:
            return torch.bmm(x, y)  # faster than matmul, but does not broadcast
        except RuntimeError:
            pass
    return torch.matmul(x, y)


@op
def dot(input: Tensor, other: Tensor) -> Tensor:
    """Sum of products over the last dimension of `input` and the second to last of `other`.

    Args:
        input: a Tensor of shape (..., k), with at least two dimensions.
        other: a Tensor of shape (..., k, m).

    Returns:
        A Tensor with the remaining dimensions of `input`, then of `other`.
    """
    if input.dim() < 2 or other.dim() < 2:
        raise ValueError(
            f"both tensors must have at least 2 dimensions, but got shapes {tuple(input.shape)} and "
            f"{tuple(other.shape)}. Use ops.inner or ops.matmul for vectors."
        )
    return torch.tensordot(input, other, dims=([-1], [-2]))


@op(method="dot")
def _dot(self: Tensor, other: Tensor) -> Tensor:
    """Sum of the products of two vectors; of other tensors, see `ops.dot`."""
    return torch.dot(self, other) if self.dim() == other.dim() == 1 else dot.body(self, other)


@op(method="inner")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sum of products over the last dimension of both; a scalar tensor multiplies."""
    return torch.inner(input, other)


@op(method="outer")
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of `input`, flattened, and the vector `vec2`; other shapes of `vec2` are broadcast."""
    if vec2.dim() == 1:
        return torch.outer(input.flatten(), vec2)
    return input.reshape(-1, 1) * vec2


@op(method="ger")
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of the vectors `input` and `vec2`."""
    _require_rank(1, input=input, vec2=vec2)
    return torch.outer(input, vec2)


@op
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product of two tensors."""
    dims = max(input.dim(), other.dim())
    x, y = [t.reshape([1] * (dims - t.dim()) + list(t.shape)) for t in (input, other)]
    # torch.kron fails for some strides, as it views the products.
    products = x.reshape([size for n in x.shape for size in (n, 1)]) * y.reshape(
        [size for n in y.shape for size in (1, n)]
    )
    return products.reshape([n * m for n, m in zip(x.shape, y.shape)])


@op
def vecdot(x: Tensor, y: Tensor, *, axis: int = -1) -> Tensor:
    """Sum along `axis` of the products of `y` and the conjugate of `x`."""
    products = x.conj() * y
    total = products.sum(axis)
    return total.to(products.dtype) if products.dtype in UNSIGNED else total


@op
def tensor_dot(x1: Tensor, x2: Tensor, axes: Any) -> Tensor:
    """Sum of products over chosen dimensions.

    Args:
        x1, x2: Tensors of the same dtype.
        axes: an int n, for the last n dimensions of `x1` and the first n of `x2`; or a pair of the dimension or list of
            dimensions of `x1`, and of `x2`.

    Returns:
        A Tensor with the remaining dimensions of `x1`, then of `x2`.
    """
    if isinstance(axes, int) and not isinstance(axes, bool):
        if not 0 <= axes <= min(x1.dim(), x2.dim()):
            limit = min(x1.dim(), x2.dim())
            raise ValueError(f"'axes' must be in [0, {limit}] for these tensors")
        return torch.tensordot(x1, x2, dims=axes)
    if not isinstance(axes, (tuple, list)) or len(axes) != 2:
        raise TypeError("'axes' must be an int or a pair of ints or lists")
    first, second = [list(as_size(axis, "tensor_dot", "axes")) for axis in axes]
    if len(first) != len(second):
        raise ValueError("'axes' must have the same number of dimensions for both tensors")
    return torch.tensordot(x1, x2, dims=(first, second))


@op
def batch_dot(x1: Tensor, x2: Tensor, axes: Any = None) -> Tensor:
    """Sum of products over one dimension of each, for every sample of a batch.

    Args:
        x1: a Tensor of shape (batch, ...), with at least two dimensions.
        x2: likewise, with the same batch size.
        axes: the dimension to sum over, an int for both or a pair. Default: None: the last of `x1`, and the second to
            last of `x2` (the last, if `x2` has two).

    Returns:
        A Tensor of shape (batch, remaining dimensions of `x1`, then of `x2`), with at least two dimensions.

    Raises:
        ValueError: the batch sizes differ, or an axis is the batch dimension.
    """
    if x1.dim() < 2 or x2.dim() < 2 or x1.shape[0] != x2.shape[0]:
        shapes = f"{tuple(x1.shape)} and {tuple(x2.shape)}"
        raise ValueError(f"both tensors need a batch dimension of one size, but got shapes {shapes}")
    if axes is None:
        axes = (x1.dim() - 1, max(x2.dim() - 2, 1))
    first, second = (axes, axes) if isinstance(axes, int) else axes
    first, second = first % x1.dim(), second % x2.dim()
    if 0 in (first, second):
        raise ValueError("'axes' must not be the batch dimension")
    left, right = x1.movedim(first, -1), x2.movedim(second, 1)
    batch, rows, columns = x1.shape[0], left.shape[1:-1], right.shape[2:]
    result = torch.bmm(
        left.reshape(batch, rows.numel(), left.shape[-1]), right.reshape(batch, right.shape[1], columns.numel())
    )
    return result.reshape(batch, *rows, *columns) if rows or columns else result[:, 0]


@named
def einsum(equation: Any, *operands: Any) -> _Tensor:
    """Sum of products over the indices that `equation` names.

    Args:
        equation: the indices of the operands, a letter per dimension, separated by commas; then `->` and the indices
            of the result. Without an arrow these are, sorted, the letters that appear once; `...` stands for
            broadcast dimensions.
        operands: the tensors. Instead of an equation, each may be followed by the list of its indices, ints or
            Ellipsis; the list of the result's indices may come last. The tensors may also be in one list or tuple.

    Raises:
        ValueError: the equation does not fit the operands.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.einsum("ij->i", x), ms.ops.einsum(x, [0, 1], [1]))
        [3. 7.] [4. 6.]
    """
    if isinstance(equation, _Tensor):
        tensors, indices = [equation, *operands[1::2]], list(operands[::2])
        if len(operands) % 2 == 0:  # the last list is for the result
            indices.append(tensors.pop())
        return _einsum(_equation(indices, len(tensors)), *tensors)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):  # as torch takes them, too
        operands = tuple(operands[0])
    return _einsum(equation, *operands)


def _equation(indices: list[Any], count: int) -> str:
    """Return the equation for lists of indices, one per operand and optionally one for the result."""
    if not all(isinstance(row, (list, tuple)) for row in indices):
        raise TypeError("each tensor must be followed by the list of its indices")
    terms = ["".join("..." if i is Ellipsis else string.ascii_letters[i] for i in row) for row in indices]
    return ",".join(terms[:count]) + ("->" + terms[count] if len(terms) > count else "")


@op(name="einsum")
def _einsum(equation: Any, *operands: Tensor) -> Tensor:
    if not isinstance(equation, str):
        raise TypeError("'equation' must be a string such as 'ij,jk->ik'")
    try:
        return einsum_of_two(equation, operands) if len(operands) < 3 else torch.einsum(equation, *operands)
    except RuntimeError as error:
        if says(error, ABOUT_TYPES):
            raise
        raise ValueError(str(error)) from None


@as_primitive
def Einsum(inputs: list[Tensor], *, equation: str) -> Tensor:
    """`einsum` with a fixed equation, called with a tuple of tensors."""
    return _einsum.body(equation, *inputs)


@op(method="cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Cross product of vectors along `dim`; by default the first dimension of size 3. Shapes are broadcast."""
    if input.shape != other.shape:
        input, other = torch.broadcast_tensors(input, other)
    if dim is None:
        sizes = list(input.shape)
        if 3 not in sizes:
            raise ValueError(f"'input' must have a dimension of size 3, but got shape {tuple(sizes)}")
        dim = sizes.index(3)
    elif input.shape[dim] != 3:
        raise ValueError(f"dimension {dim} must have size 3")
    if other.dtype is not input.dtype and other.is_floating_point() and input.is_floating_point():
        other = other.to(input.dtype)
    return torch.linalg.cross(input, other, dim=dim)


@op
def cdist(x1: Annotated[Tensor, "... P M"], x2: Annotated[Tensor, "... R M"], p: NotNegativeFloat = 2.0) -> Tensor:
    """`p`-norm distances between all rows of `x1` and of `x2`, for each sample of a batch."""
    if scope.depth > 1:  # the derivative of torch's kernel has none
        return torch.linalg.vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)
    return torch.cdist(x1, x2, p)


# Products added to a tensor


def _added(fused: Callable[..., Tensor], product: Callable[..., Tensor], rank: int) -> Callable[..., Tensor]:
    """Return a function for `beta * input + alpha * product(x, y)`, where the product has `rank` dimensions.

    The fused function needs a single dtype, and an input of no more dimensions.
    """

    def function(input: Tensor, x: Tensor, y: Tensor, beta: Any, alpha: Any) -> Tensor:
        is_cut = not input.is_floating_point() and (beta.__class__ is float or alpha.__class__ is float)
        if input.dtype is x.dtype and not is_cut and input.dim() <= rank:  # else torch truncates the factors
            return fused(input, x, y, beta=beta, alpha=alpha)
        return beta * input + alpha * product(x, y)

    return function


_addmm = _added(torch.addmm, torch.mm, 2)
_addmv = _added(torch.addmv, torch.mv, 1)
_baddbmm = _added(torch.baddbmm, torch.bmm, 3)
_addbmm = _added(torch.addbmm, lambda x, y: torch.bmm(x, y).sum(0), 2)
_addr = _added(torch.addr, torch.outer, 2)


@op(method="addmm")
def addmm(input: Operand, mat1: Tensor, mat2: Tensor, *, beta: Operand = 1, alpha: Operand = 1) -> Tensor:
    """`beta * input + alpha * (mat1 @ mat2)`; they are broadcast to each other."""
    _require_rank(2, mat1=mat1, mat2=mat2)
    if not isinstance(input, Tensor):
        input = torch.as_tensor(input, device=mat1.device)
    return _addmm(input, mat1, mat2, beta, alpha)


@op(method="addmv")
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Operand = 1, alpha: Operand = 1) -> Tensor:
    """`beta * input + alpha * (mat @ vec)`; they are broadcast to each other."""
    _require_rank(2, mat=mat)
    _require_rank(1, vec=vec)
    if not input.is_floating_point() and not input.is_complex():  # as in MindSpore, factors of integers are integers
        beta, alpha = [int(factor) if isinstance(factor, float) else factor for factor in (beta, alpha)]
    return _addmv(input, mat, vec, beta, alpha)


@op(method="baddbmm")
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: Operand = 1, alpha: Operand = 1) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2)`, for each matrix of a batch; they are broadcast to each other."""
    if batch1.dim() == batch2.dim() == 3:
        return _baddbmm(input, batch1, batch2, beta, alpha)
    return beta * input + alpha * _batched(batch1, batch2)


@op(method="addbmm")
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Operand = 1, alpha: Operand = 1) -> Tensor:
    """`beta * input + alpha * ` the sum over dimension 0 of the products `batch1 @ batch2`."""
    if not batch1.is_floating_point() and not batch1.is_complex() and batch1.dtype not in UNSIGNED:
        batch1, batch2 = batch1.long(), batch2.long()  # as in other sums of integers
    if batch1.dim() == batch2.dim() == 3:
        return _addbmm(input, batch1, batch2, beta, alpha)
    return beta * input + alpha * _batched(batch1, batch2).sum(0)


@op
def addr(x: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Operand = 1, alpha: Operand = 1) -> Tensor:
    """`beta * x + alpha * outer(vec1, vec2)`; they are broadcast to each other."""
    _require_rank(1, vec1=vec1, vec2=vec2)
    return _addr(x, vec1, vec2, beta, alpha)


@op(method="addr")
def _addr_of(self: Tensor, vec1: Tensor, vec2: Tensor, beta: Operand = 1, alpha: Operand = 1) -> Tensor:
    """`beta * self + alpha * outer(vec1, vec2)`; see `ops.addr`."""
    return addr.body(self, vec1, vec2, beta=beta, alpha=alpha)


@op
def dense(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`, a dense layer.

    Args:
        input: a Tensor of shape (..., in_channels).
        weight: a Tensor of shape (out_channels, in_channels), or (in_channels,).
        bias: a Tensor of shape (out_channels,). Default: None.
    """
    try:
        return torch.nn.functional.linear(input, weight, bias)
    except RuntimeError as error:
        if input.ndim and input.shape[-1] != weight.shape[-1]:
            raise ValueError(f"the last dimension of 'input' must be {weight.shape[-1]}, as in 'weight'") from None
        raise RuntimeError(str(error).replace("mat1 and mat2", "'input' and 'weight'")) from None


@op
def bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x1 @ weight[i] @ x2 + bias[i]` for vectors x1 of `input1` and x2 of `input2`.

    Args:
        input1: a Tensor of shape (..., in1_channels).
        input2: a Tensor of shape (..., in2_channels).
        weight: a Tensor of shape (out_channels, in1_channels, in2_channels).
        bias: a Tensor of shape (out_channels,). Default: None.

    Returns:
        A Tensor of shape (..., out_channels).
    """
    if not input1.is_floating_point() and not input1.is_complex():
        input1 = input1.long()  # as in other sums of integers
    result = torch.einsum("...i,oij,...j->...o", input1, weight.to(input1.dtype), input2.to(input1.dtype))
    return result if bias is None else (result + bias).to(bias.dtype)


_CHANNEL = {"NCHW": 1, "NHWC": -1, "NCDHW": 1}


@op
def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """Add `bias`, a vector with an element per channel, to `input_x` of shape (N, C) or (N, C, ...)."""
    return _with_bias(input_x, bias, 1)


def _with_bias(x: Tensor, bias: Tensor, channel: int) -> Tensor:
    if bias.dim() != 1 or x.dim() < 2 or x.shape[channel] != bias.shape[0]:
        raise ValueError(
            f"'bias' must be a vector with an element per channel of 'input_x', but got shapes {tuple(bias.shape)} and "
            f"{tuple(x.shape)}"
        )
    if bias.dtype is not x.dtype:
        raise TypeError(f"'bias' and 'input_x' must be of one dtype, but got {bias.dtype} and {x.dtype}")
    return x + (bias if channel == -1 else bias.reshape(-1, *[1] * (x.dim() - 2)))


@op(name="BiasAdd")
def _bias_add(input_x: Tensor, bias: Tensor, data_format: str = "NCHW") -> Tensor:
    return _with_bias(input_x, bias, _CHANNEL[data_format])


class BiasAdd(Primitive):
    """`ops.bias_add` for a data format: "NCHW", "NHWC" or "NCDHW"."""

    def __init__(self, data_format: str = "NCHW") -> None:
        super().__init__()
        if data_format not in _CHANNEL:
            raise ValueError(f"'data_format' must be one of {list(_CHANNEL)}")
        self.data_format = data_format

    def __call__(self, input_x: _Tensor, bias: _Tensor) -> _Tensor:
        return _bias_add(input_x, bias, self.data_format)


@as_primitive
def MatMul(input: Tensor, mat2: Tensor, *, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """Product of two matrices, each optionally transposed."""
    _require_rank(2, input=input, mat2=mat2)
    return torch.mm(input.t() if transpose_a else input, mat2.t() if transpose_b else mat2)


@as_primitive
def BatchMatMul(x: Tensor, y: Tensor, *, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """Products of batches of matrices, each optionally transposed."""
    return _batched(x, y, transpose_a, transpose_b)


Dense = primitive("Dense", dense)
Ger = primitive("Ger", ger)


@as_primitive
def Cross(input: Tensor, other: Tensor, *, dim: int = -65530) -> Tensor:
    """Cross product along `dim`; -65530: the first dimension of size 3."""
    return cross.body(input, other, None if dim == -65530 else dim)


rules.cut_by(rules.matrices, MatMul, BatchMatMul)
rules.cut_by(rules.channels, BiasAdd)
