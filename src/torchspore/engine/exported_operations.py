"""The operations that a graph from a file may use, by name.

They are what torch's exporter writes for MindSpore's functions and layers, and torch's core set. None of them takes
strides, offsets, storage or packed weights, and none is a backward operation. Torch checks their arguments; where it
does not, a function here replaces the operation and checks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.private_torch import FakeTensor, OpOverload, operation_name, overload_name, schema_of
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import wrap

__all__ = ["Loop", "is_allowed", "replaced"]

_ALLOWED = """
    __and__ __lshift__ __or__ __rshift__ __xor__ _adaptive_avg_pool2d _adaptive_avg_pool3d _assert_scalar
    _assert_tensor_metadata _cdist_forward _conj _conj_physical _ctc_loss _embedding_bag _fft_c2c _fft_c2r _fft_r2c
    _linalg_check_errors _linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd _log_softmax
    _native_batch_norm_legit_no_training _pdist_forward _prelu_kernel _safe_softmax _shape_as_tensor _softmax
    _standard_gamma _to_copy _unique2 _unsafe_view _upsample_bicubic2d_aa _upsample_bilinear2d_aa
    _upsample_lanczos2d_aa _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d
    abs absolute acos acosh adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d add addbmm addcdiv addcmul addmm addmv addr adjoint
    affine_grid_generator alias all alpha_dropout amax amin aminmax angle any arange arccos arccosh arcsin arcsinh
    arctan arctan2 arctanh argmax argmin argsort argwhere asin asinh atan atan2 atanh atleast_1d atleast_2d
    atleast_3d avg_pool1d avg_pool2d avg_pool3d baddbmm bartlett_window batch_norm bernoulli bilinear
    binary_cross_entropy binary_cross_entropy_with_logits bincount bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor blackman_window block_diag bmm broadcast_tensors broadcast_to
    bucketize cartesian_prod cat cdist ceil celu chain_matmul cholesky_inverse cholesky_solve chunk clamp clamp_max
    clamp_min clip clone col2im column_stack combinations complex concat concatenate conj conj_physical
    constant_pad_nd contiguous conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution
    copy copysign corrcoef cos cosh cosine_embedding_loss cosine_similarity count_nonzero cov cross
    cross_entropy_loss ctc_loss cummax cummin cumprod cumsum cumulative_trapezoid deg2rad det detach detach_copy
    diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter diff digamma div divide dot dropout dsplit
    dstack einsum elu embedding embedding_bag empty empty_like eq erf erfc erfinv exp exp2 expand expand_as expm1
    exponential eye fake_quantize_per_tensor_affine feature_alpha_dropout feature_dropout fft_fft fft_fft2
    fft_fftfreq fft_fftn fft_fftshift fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ifftshift
    fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn fill
    fix flatten flip fliplr flipud float_power floor floor_divide fmax fmod frac fractional_max_pool2d
    fractional_max_pool3d frobenius_norm full full_like gather gcd ge gelu geometric geqrf ger glu gradient greater
    greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gt hamming_window hann_window
    hardshrink hardsigmoid hardswish hardtanh heaviside hinge_embedding_loss histc hsplit hstack huber_loss hypot i0
    igamma igammac im2col imag index index_add index_copy index_fill index_put index_select inner instance_norm
    inverse isclose isfinite isin isinf isnan isneginf isposinf isreal istft kl_div kron kthvalue l1_loss layer_norm
    lcm ldexp le leaky_relu lerp less less_equal lgamma lift_fresh_copy linalg_cholesky linalg_cholesky_ex
    linalg_cond linalg_cross linalg_det linalg_diagonal linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh
    linalg_householder_product linalg_inv linalg_inv_ex linalg_ldl_factor linalg_lstsq linalg_lu linalg_lu_factor
    linalg_lu_factor_ex linalg_lu_solve linalg_matmul linalg_matrix_exp linalg_matrix_norm linalg_matrix_power
    linalg_matrix_rank linalg_multi_dot linalg_norm linalg_pinv linalg_qr linalg_slogdet linalg_solve
    linalg_solve_ex linalg_solve_triangular linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve
    linalg_vander linalg_vecdot linalg_vector_norm linear linspace log log10 log1p log2 log_normal log_sigmoid
    log_sigmoid_forward log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or
    logical_xor logit logspace logsumexp lstm lt lu_solve lu_unpack mH mT margin_ranking_loss masked_fill
    masked_scatter masked_select matmul matrix_H matrix_exp matrix_power max max_pool1d max_pool1d_with_indices
    max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool2d max_unpool3d maximum mean
    median meshgrid min minimum mish mm moveaxis movedim mse_loss msort mul multi_margin_loss multilabel_margin_loss
    multinomial multiply mv mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow native_batch_norm
    native_channel_shuffle native_dropout native_group_norm native_layer_norm ne neg negative new_empty new_full
    new_ones new_zeros nextafter nll_loss nll_loss2d nll_loss2d_forward nll_loss_forward nll_loss_nd nonzero norm
    normal not_equal nuclear_norm numpy_T one_hot ones ones_like orgqr outer pad pad_sequence pairwise_distance
    pdist permute pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu
    prod qr quantile rad2deg rand rand_like randint randn randperm ravel real reciprocal reflection_pad1d
    reflection_pad2d reflection_pad3d relu relu6 remainder repeat repeat_interleave replication_pad1d
    replication_pad2d replication_pad3d reshape reshape_as resolve_conj resolve_neg rms_norm rnn_relu rnn_tanh roll
    rot90 round row_stack rrelu rsqrt rsub scalar_tensor scaled_dot_product_attention scatter scatter_add
    scatter_reduce searchsorted select select_scatter selu sgn sigmoid sign signbit silu sin sinc sinh size slice
    slice_scatter slogdet smooth_l1_loss softmax softplus softshrink sort special_bessel_j0 special_bessel_j1
    special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t special_digamma special_entr special_erf
    special_erfc special_erfinv special_exp2 special_expit special_expm1 special_gammainc special_gammaincc
    special_gammaln special_i0 special_i0e special_i1 special_i1e special_log1p special_log_ndtr special_log_softmax
    special_logit special_logsumexp special_modified_bessel_k0 special_modified_bessel_k1 special_multigammaln
    special_ndtr special_polygamma special_psi special_round special_scaled_modified_bessel_k0
    special_scaled_modified_bessel_k1 special_sinc special_softmax special_xlog1py special_xlogy special_zeta split
    split_with_sizes sqrt square squeeze stack std std_mean stft sub subtract sum sum_to_size svd swapaxes swapdims
    sym_constrain_range sym_constrain_range_for_size sym_numel sym_size t take_along_dim tan tanh tensor_split
    tensordot threshold tile to topk trace transpose trapezoid trapz tril tril_indices triplet_margin_loss triu
    triu_indices true_divide trunc type_as unbind unflatten unfold uniform unique_consecutive unsafe_chunk
    unsafe_split unsqueeze upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d
    upsample_nearest2d upsample_nearest3d upsample_trilinear3d vander var var_mean view view_as view_as_complex
    view_as_real vsplit vstack where xlogy zero zeros zeros_like
"""
_IN_PLACE = """
        add sub mul div relu hardtanh relu6 silu hardswish hardsigmoid leaky_relu elu selu celu mish sigmoid
        tanh clamp clamp_min clamp_max clip exp sqrt neg abs pow copy fill zero masked_fill index_put
        index_add scatter scatter_add bernoulli uniform normal dropout
"""
_FUNCTIONS = frozenset(_ALLOWED.split())
_CHANGES = frozenset(f"{name}_" for name in _IN_PLACE.split())
# Overloads: recurrent layers over packed sequences, whose lengths are data, and types by their numbers.
_NOT_ALLOWED = {"data", "prim_Device", "prim_dtype", "prim_other"}


def is_allowed(function: Any) -> bool:
    """Return whether a file may call a function of torch."""
    if not isinstance(function, OpOverload) or function.namespace != "aten":
        return False
    schema, name = schema_of(function), operation_name(function)
    of_numbers = not any("Tensor" in str(each.type) for each in (*schema.arguments, *schema.returns))
    if of_numbers and not name.startswith(("_assert_", "sym_")):  # 1 % 0 ends the process
        return False
    if schema.is_mutable:
        return name in _CHANGES and not any(argument.is_out for argument in schema.arguments)
    return name in _FUNCTIONS and overload_name(function) not in _NOT_ALLOWED


def replaced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a graph from a file calls instead of a function: the function, or one that checks its arguments."""
    if not isinstance(function, OpOverload):
        return function
    return _REPLACED.get(str(function), function)


class Loop(torch.nn.Module):
    """A loop in a graph from a file; its values keep their shapes and types.

    Args:
        test: a graph that returns whether the loop goes on.
        body: a graph that returns the next values.
    """

    def __init__(self, test: torch.fx.GraphModule, body: torch.fx.GraphModule) -> None:
        super().__init__()
        self._test = test
        self._body = body

    def forward(self, carried: list[Tensor], given: list[Tensor]) -> list[Tensor]:
        """Return the last values; `given` stays the same."""
        if scope.tracing is None and any(isinstance(value, FakeTensor) for value in (*carried, *given)):
            return list(self._body(*carried, *given))  # only their shapes are asked for
        values = list(carried)
        while wrap(self._test(*values, *given)[0]):
            results = list(self._body(*values, *given))
            if [(value.shape, value.dtype) for value in results] != [(value.shape, value.dtype) for value in values]:
                raise ValueError("the values of a loop change their shapes or data types")
            values = results
        return values


# Torch's kernels do not check these arguments. Uninitialized memory is zeros.


def _check_channels(input: Tensor, *vectors: Tensor | None) -> None:
    for vector in vectors:
        if vector is not None and (input.ndim < 2 or vector.shape != input.shape[1:2]):
            raise ValueError(f"a vector of shape {tuple(vector.shape)} is not for the channels of {tuple(input.shape)}")


def _batch_norm_no_training(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    _check_channels(input, weight, bias, running_mean, running_var)
    function = torch.ops.aten._native_batch_norm_legit_no_training.default
    return function(input, weight, bias, running_mean, running_var, momentum, eps)


def _batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    _check_channels(input, weight, bias, running_mean, running_var)
    function = torch.ops.aten.native_batch_norm.default
    return function(input, weight, bias, running_mean, running_var, training, momentum, eps)


def _check_sampling(interpolation_mode: int, padding_mode: int) -> None:
    if interpolation_mode not in (0, 1, 2) or padding_mode not in (0, 1, 2):
        raise ValueError(f"the modes {interpolation_mode} and {padding_mode} of a grid sampler must be 0, 1 or 2")


def _sampling(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def sample(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
        _check_sampling(interpolation_mode, padding_mode)
        return function(input, grid, interpolation_mode, padding_mode, align_corners)

    return _named(sample, function)


def _fractional_pooling(function: Callable[..., Any]) -> Callable[..., Any]:
    def pool(self: Tensor, kernel_size: list[int], output_size: list[int], random_samples: Tensor) -> Any:
        return function(self, kernel_size, output_size, random_samples.clamp(0, 1))

    return _named(pool, function)


def _ctc(function: Callable[..., Any]) -> Callable[..., Any]:
    def loss(log_probs: Tensor, targets: Tensor, *lengths_and_options: Any, **options: Any) -> Any:
        return function(log_probs, targets.clamp(0, max(log_probs.shape[-1] - 1, 0)), *lengths_and_options, **options)

    return _named(loss, function)


def _check_dimensions(self: Tensor, dim: list[int], normalization: int) -> None:
    if not dim or len(set(dim)) < len(dim) or not all(0 <= each < self.ndim for each in dim):
        raise ValueError(f"the dimensions {dim} must be different ones of {tuple(self.shape)}")
    if normalization not in (0, 1, 2):
        raise ValueError(f"the normalization {normalization} must be 0, 1 or 2")


def _to_real(self: Tensor, dim: list[int], normalization: int, last_dim_size: int) -> Tensor:
    _check_dimensions(self, dim, normalization)
    if self.shape[dim[-1]] != last_dim_size // 2 + 1:
        raise ValueError(f"{tuple(self.shape)} has no {last_dim_size} real values in the dimensions {dim}")
    return torch.ops.aten._fft_c2r.default(self, dim, normalization, last_dim_size)


def _transform(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def transform(self: Tensor, dim: list[int], normalization: int, option: bool) -> Tensor:
        _check_dimensions(self, dim, normalization)
        return function(self, dim, normalization, option)

    return _named(transform, function)


def _pairs(self: Tensor, p: float = 2.0) -> Tensor:
    if self.ndim != 2 or not self.numel():
        raise ValueError(f"the distances of all pairs need rows of numbers, not the shape {tuple(self.shape)}")
    return torch.pdist(self, p)


def _unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Tensor, ...]:
    if LU_data.ndim < 2 or LU_pivots.shape != (*LU_data.shape[:-2], min(LU_data.shape[-2:])):
        raise ValueError(f"pivots of shape {tuple(LU_pivots.shape)} are not for {tuple(LU_data.shape)}")
    return torch.ops.aten.lu_unpack.default(LU_data, LU_pivots, unpack_data, unpack_pivots)


def _view_as(self: Tensor, dtype: torch.dtype) -> Tensor:
    return self.view(torch.uint8) != 0 if dtype is torch.bool else self.view(dtype)


def _zeros(size: list[int], *, memory_format: Any = None, **options: Any) -> Tensor:
    return torch.zeros(size, **options)


def _new_zeros(self: Tensor, size: list[int], **options: Any) -> Tensor:
    return self.new_zeros(size, **options)


def _named(function: Callable[..., Any], original: Any) -> Callable[..., Any]:
    """Give a function the name by which the source of a graph finds it in this module."""
    function.__name__ = function.__qualname__ = f"checked_{str(original).replace('.', '_')}"
    globals()[function.__name__] = function
    return function


_ATEN = torch.ops.aten
_REPLACED: dict[str, Callable[..., Any]] = {
    "aten._native_batch_norm_legit_no_training.default": _batch_norm_no_training,
    "aten.native_batch_norm.default": _batch_norm,
    "aten._fft_c2r.default": _to_real,
    "aten._pdist_forward.default": _pairs,
    "aten.pdist.default": _pairs,
    "aten.lu_unpack.default": _unpack,
    "aten.view.dtype": _view_as,
    "aten.empty.memory_format": _zeros,
    "aten.new_empty.default": _new_zeros,
    "aten.empty_like.default": _ATEN.zeros_like.default,
    **{
        str(function): make(function)
        for make, functions in (
            (_sampling, (_ATEN.grid_sampler.default, _ATEN.grid_sampler_2d.default, _ATEN.grid_sampler_3d.default)),
            (_transform, (_ATEN._fft_c2c.default, _ATEN._fft_r2c.default)),
            (_fractional_pooling, (_ATEN.fractional_max_pool2d.default, _ATEN.fractional_max_pool3d.default)),
            (_ctc, (_ATEN.ctc_loss.IntList, _ATEN.ctc_loss.Tensor, _ATEN._ctc_loss.default, _ATEN._ctc_loss.Tensor)),
        )
        for function in functions
    },
}
