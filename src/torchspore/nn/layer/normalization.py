"""Layers that normalize over batches, layers, groups and instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from torchspore.common import dtype as mstype
from torchspore.common.initializer import Initializer, initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import (
    AnyFloat,
    AnyNumber,
    Fraction,
    Length,
    Limits,
    NotNegative,
    Positive,
    StrictFloat,
    checked,
)
from torchspore.engine.parameters.limits import Strict
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import DIVISIBLE, rank
from torchspore.ops.array.reshaping import permute, reshape
from torchspore.ops.neural import normalization as ops

__all__ = [
    "LRN", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d", "LayerNorm", "LayerNormExt",
]  # fmt: skip


class _ChannelNorm(Cell):
    """The base of batch and instance normalization: parameters and running statistics of every channel."""

    _keeps_parameter_types = True
    _dims: tuple[int, ...]  # the numbers of dimensions that the input may have

    @checked
    def __init__(
        self,
        num_features: Positive,
        eps: AnyNumber,
        affine: bool,
        gamma_init: Any,
        beta_init: Any,
        moving_mean_init: Any,
        moving_var_init: Any,
        dtype: mstype.Type,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps

        def parameter(init: Any, name: str, trained: bool) -> Parameter:
            return Parameter(initializer(init, (num_features,), dtype), name=name, requires_grad=trained)

        self.moving_mean = parameter(moving_mean_init, "mean", False)
        self.moving_variance = parameter(moving_var_init, "variance", False)
        self.gamma = parameter(gamma_init, "gamma", affine)
        self.beta = parameter(beta_init, "beta", affine)

    def _refusal(self, x: Any) -> Exception:
        """Return the error for an input without the right number of dimensions."""
        rank(x, self.cls_name)  # which refuses what is not a tensor
        accepted = " or ".join(str(count) for count in self._dims)
        return ValueError(f"For '{self.cls_name}', the input must have {accepted} dimensions, but got {describe(x)}.")

    def _describe(self, momentum: float) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


class BatchNorm(_ChannelNorm):
    """The base of all batch normalizations."""

    @checked
    def __init__(
        self,
        num_features: int,
        eps: AnyNumber = 1e-5,
        momentum: Fraction = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: Annotated[bool | None, ValueError] = None,
        data_format: Annotated[Literal["NCHW", "NHWC"], ValueError] = "NCHW",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__(num_features, eps, affine, gamma_init, beta_init, moving_mean_init, moving_var_init, dtype)
        self.momentum = 1.0 - momentum
        self.use_batch_statistics = use_batch_statistics
        self.format = data_format

    def construct(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor) or x._t.dim() not in self._dims:
            raise self._refusal(x)
        of_batch = self._uses_batch()
        mean, variance = self.moving_mean, self.moving_variance
        if self.format == "NCHW":
            return ops.batch_norm(x, mean, variance, self.gamma, self.beta, of_batch, self.momentum, self.eps)
        x = permute(x, (0, 3, 1, 2))
        y = ops.batch_norm(x, mean, variance, self.gamma, self.beta, of_batch, self.momentum, self.eps)
        return permute(y, (0, 2, 3, 1))

    def _uses_batch(self) -> bool:
        """Return whether the statistics are computed from the batch."""
        return self.training if self.use_batch_statistics is None else self.use_batch_statistics

    def extend_repr(self) -> str:
        return self._describe(1.0 - self.momentum)


_BatchNorm = BatchNorm  # the name that packages import


class BatchNorm1d(BatchNorm):
    """Normalize every channel over the batch (and the length), then scale and shift it.

    In training the statistics come from the batch, and the running ones move towards them:
    moving = momentum * moving + (1 - momentum) * observed, with the unbiased variance. Otherwise the running ones are
    used.

    Args:
        num_features: the number of channels.
        eps: what is added to the variance. Default: 1e-5.
        momentum: the weight of the old running statistics, in [0, 1]. Default: 0.9.
        affine: whether `gamma` and `beta` are trained. Default: True.
        gamma_init: the factor's initializer, its name, a number, or a Tensor of shape (num_features,). Default: "ones".
        beta_init: the same for the shift. Default: "zeros".
        moving_mean_init: the same for the running mean. Default: "zeros".
        moving_var_init: the same for the running variance. Default: "ones".
        use_batch_statistics: whether the statistics are computed from the batch. Default: None, in training only.
        data_format: "NCHW". Default: "NCHW".
        dtype: the data type of the parameters. Default: float32.

    Inputs: a Tensor of shape (N, C) or (N, C, L), of the parameters' dtype, or of float16 or bfloat16.
    Outputs: a Tensor of the same shape and dtype.

    Examples:
        >>> import torchspore as ms
        >>> norm = ms.nn.BatchNorm1d(1).set_train()
        >>> print(norm(ms.Tensor([[1.0], [3.0]])))
        [[-0.999995]
         [ 0.999995]]
        >>> print(norm.moving_mean.asnumpy())
        [0.2]
    """

    _dims = (2, 3)


class BatchNorm2d(BatchNorm):
    """Normalize every channel of images over the batch and the space; see `BatchNorm1d`.

    The input has shape (N, C, H, W); with data_format="NHWC", (N, H, W, C).
    """

    _dims = (4,)


class BatchNorm3d(Cell):
    """Normalize every channel of an input of shape (N, C, D, H, W) over the batch and the space; see `BatchNorm1d`.

    The child `bn2d`, a `BatchNorm2d`, has the parameters.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        inits = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        self.bn2d = BatchNorm2d(num_features, eps, momentum, affine, *inits, use_batch_statistics, dtype=dtype)

    def construct(self, x: Tensor) -> Tensor:
        if rank(x, "BatchNorm3d") != 5:
            raise ValueError("the input must have 5 dimensions")
        shape = x.shape
        return reshape(self.bn2d(reshape(x, (*shape[:2], shape[2] * shape[3], shape[4]))), shape)


class LayerNorm(Cell):
    """Normalize over the last dimensions, then scale and shift.

    Args:
        normalized_shape: the shape of `gamma` and `beta`, a tuple or list: the input's from `begin_params_axis` on.
        begin_norm_axis: the first dimension to normalize over. Default: -1.
        begin_params_axis: the first dimension of the parameters. Default: -1.
        gamma_init: the factor's initializer, its name, a number, or a Tensor. Default: "ones".
        beta_init: the same for the shift. Default: "zeros".
        epsilon: what is added to the variance. Default: 1e-7.
        dtype: the data type of the parameters. Default: float32.

    The input is of a floating-point type; the output has its shape and dtype.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.LayerNorm((2,))(ms.Tensor([[1.0, 3.0], [2.0, 6.0]])))
        [[-1.  1.]
         [-1.  1.]]
    """

    _keeps_parameter_types = True

    @checked
    def __init__(
        self,
        normalized_shape: Annotated[Sequence[Any], Length(1)],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: AnyNumber = 1e-7,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.normalized_shape = normalized_shape
        self.begin_norm_axis = begin_norm_axis
        self.begin_params_axis = begin_params_axis
        self.epsilon = epsilon
        self.gamma = Parameter(initializer(gamma_init, tuple(normalized_shape), dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, tuple(normalized_shape), dtype), name="beta")

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.scaled_layer_norm(
            input_x, self.gamma, self.beta, self.begin_norm_axis, self.begin_params_axis, self.epsilon
        )

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


class LayerNormExt(Cell):
    """Normalize over the last dimensions, then scale and shift: `mint.nn.LayerNorm`.

    Args:
        normalized_shape: the sizes of the dimensions to normalize over, an int, a tuple or a list.
        eps: what is added to the variance. Default: 1e-5.
        elementwise_affine: whether there are parameters. Default: True.
        bias: whether there is a shift among them. Default: True.
        dtype: the data type of the parameters. Default: None, float32.
    """

    _shown = ("normalized_shape", "eps", "elementwise_affine")
    _keeps_parameter_types = True

    @checked
    def __init__(
        self,
        normalized_shape: int | Annotated[Sequence[int], Length(1)],
        eps: AnyNumber = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: mstype.Type | None = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = Parameter(initializer("ones", shape, dtype or mstype.float32), name="weight")
            if bias:
                self.bias = Parameter(initializer("zeros", shape, dtype or mstype.float32), name="bias")

    def construct(self, input: Tensor) -> Tensor:
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class GroupNorm(Cell):
    """Normalize over groups of channels and the space, then scale and shift every channel.

    Args:
        num_groups: the number of groups.
        num_channels: the number of channels, a multiple of `num_groups`.
        eps, affine, gamma_init, beta_init, dtype: as for `BatchNorm1d`; the parameters have shape (num_channels,).

    The input has shape (N, C, *) and a floating-point type; the output has the same.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.GroupNorm(2, 4, eps=0.0)(ms.Tensor([[1.0, 3.0, 2.0, 6.0]])))
        [[-1.  1. -1.  1.]]
    """

    _shown = ("num_groups", "num_channels")
    _keeps_parameter_types = True

    @checked(DIVISIBLE)
    def __init__(
        self,
        num_groups: Positive,
        num_channels: Positive,
        eps: StrictFloat = 1e-05,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps = eps
        self.affine = affine
        self.gamma = Parameter(initializer(gamma_init, (num_channels,), dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, (num_channels,), dtype), name="beta", requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        return ops.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    _cal_output = construct  # the name that subclasses call


class _InstanceNorm(_ChannelNorm):
    @checked
    def __init__(
        self,
        num_features: int,
        eps: Annotated[float, Strict(), Limits(maximum=1, above=0)] = 1e-5,
        momentum: Annotated[float, Strict(), Limits(0, 1)] = 0.1,
        affine: bool = True,
        gamma_init: Tensor | AnyFloat | str | Initializer = "ones",
        beta_init: Tensor | AnyFloat | str | Initializer = "zeros",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__(num_features, eps, affine, gamma_init, beta_init, "zeros", "ones", dtype)
        self.momentum = momentum

    def construct(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor) or x._t.dim() not in self._dims:
            raise self._refusal(x)
        mean, variance = self.moving_mean, self.moving_variance
        return ops.instance_norm(x, self.gamma, self.beta, mean, variance, self.training, self.momentum, self.eps)

    def extend_repr(self) -> str:
        return self._describe(self.momentum)


class InstanceNorm1d(_InstanceNorm):
    """Normalize every channel of every sample over the length, then scale and shift it.

    The statistics are computed from the sample in every mode. In training, running ones are kept:
    moving = (1 - momentum) * moving + momentum * observed, the mean over the samples.

    Args:
        momentum: the weight of the observed statistics, in [0, 1]. Default: 0.1.

    The other arguments are as for `BatchNorm1d`; the input has shape (N, C, L).
    """

    _dims = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Normalize every channel of every image of shape (N, C, H, W) over the space; see `InstanceNorm1d`."""

    _dims = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Normalize every channel of every sample of shape (N, C, D, H, W) over the space; see `InstanceNorm1d`."""

    _dims = (5,)


class LRN(Cell):
    """Divide every element by a power of the energy in the channels around it, `ops.lrn`.

    Args:
        depth_radius: the number of channels on either side, an int >= 0. Default: 5.
        bias: the offset, a float. Default: 1.0.
        alpha: the factor, a float. Default: 1.0.
        beta: the exponent, a float. Default: 0.5.
        norm_region: only "ACROSS_CHANNELS".

    The input has shape (N, C, H, W) and a floating-point type; the output has the same.
    """

    @checked
    def __init__(
        self,
        depth_radius: NotNegative = 5,
        bias: StrictFloat = 1.0,
        alpha: StrictFloat = 1.0,
        beta: StrictFloat = 0.5,
        norm_region: Annotated[Literal["ACROSS_CHANNELS"], ValueError] = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        self.depth_radius = depth_radius
        self.bias = bias
        self.alpha = alpha
        self.beta = beta

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.lrn(input_x, self.depth_radius, self.bias, self.alpha, self.beta)
