"""The methods and attributes of tensors."""

from __future__ import annotations

from .row import Row, absent, same

__all__ = ["TENSOR"]

# Methods of torch that write to the tensor, where MindSpore has only the other form.
_IN_PLACE = """
    abs absolute acos acosh addbmm addcdiv addcmul addmv addr arccos arccosh arcsin arcsinh arctan2 arctan
    arctanh asin asinh atan2 atan atanh baddbmm bitwise_and bitwise_left_shift bitwise_not bitwise_or
    bitwise_right_shift bitwise_xor ceil clip copysign cos cosh cumprod cumsum deg2rad digamma divide eq erf
    erfc expm1 float_power fmod frac gcd ge greater greater_equal gt heaviside hypot i0 igamma igammac lcm
    ldexp le lerp less less_equal lgamma log10 log1p log2 logical_and logical_not logical_or logical_xor
    logit lt multiply mvlgamma nan_to_num ne neg negative nextafter not_equal pow rad2deg reciprocal renorm
    round rsqrt sgn sin sinc sinh sqrt square subtract tan tril triu true_divide trunc xlogy
"""

TENSOR: tuple[Row, ...] = (
    *same(
        "torch.Tensor",
        "mindspore.Tensor",
        """
        abs absolute acos acosh add add_ addbmm addcdiv addcmul addmm addmm_ addmv addr adjoint all allclose
        angle any arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere asin
        asinh atan atan2 atanh baddbmm bernoulli_ bfloat16 bincount bitwise_and bitwise_left_shift
        bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm bool broadcast_to byte ceil cholesky
        cholesky_solve chunk clamp clamp_ clip clone conj contiguous copysign cos cosh
        count_nonzero cov cross cumprod cumsum data_ptr deg2rad det diag diagflat diagonal_scatter digamma
        dim div div_ divide double eq equal erf erfc erfinv erfinv_ exp exp_ expand expand_as expm1
        exponential_ fill_ fill_diagonal_ flatten flip fliplr flipud float float_power floor floor_
        floor_divide floor_divide_ fmax fmin fmod frac gather gcd ge geqrf ger greater greater_equal gt half
        hardshrink heaviside histc hypot i0 igamma igammac index_add index_add_ index_fill_ index_put
        index_put_ index_select inner int inverse is_complex is_contiguous is_floating_point is_pinned
        is_shared is_signed isclose isfinite isinf isnan isneginf isposinf isreal item kthvalue lcm ldexp le
        lerp less less_equal lgamma log log10 log1p log2 log_ logaddexp logaddexp2 logdet logical_and
        logical_not logical_or logical_xor logit logsumexp long lt lu_solve masked_fill masked_fill_
        masked_scatter masked_scatter_ masked_select matrix_power maximum mean median minimum mm moveaxis
        movedim msort mul mul_ multinomial multiply mvlgamma nan_to_num nansum narrow ndimension ne neg
        negative nelement new_empty new_full new_ones new_zeros nextafter nonzero normal_ not_equal numel
        orgqr ormqr outer permute pin_memory positive pow prod put_ qr rad2deg random_ ravel reciprocal
        register_hook remainder remainder_ repeat repeat_interleave reshape reshape_as roll rot90 round
        rsqrt scatter_ scatter_add scatter_add_ select set_ sgn short sigmoid sigmoid_ sign sign_ signbit
        sin sinc sinh slogdet sort split sqrt square storage storage_offset stride sub sub_ subtract sum
        sum_to_size swapaxes swapdims t tan tanh tanh_ tile tolist topk trace triangular_solve tril triu
        true_divide trunc type type_as unbind uniform_ unique unique_consecutive unsqueeze untyped_storage
        view view_as xlogy zero_
    """,
    ),
    *same("torch.Tensor", "mindspore.Tensor", "T mT mH data dtype shape ndim itemsize nbytes"),
    *same("torch.Tensor", "mindspore.Tensor", "to", note="Leave devices out."),
    *same(
        "torch.Tensor",
        "mindspore.Tensor",
        "amax amin aminmax nanmean nanmedian",
        arguments={"dim": "axis", "keepdim": "keepdims"},
    ),
    Row("torch.Tensor.bernoulli", "mindspore.Tensor.bernoulli", only_torch={"p": "None"}),
    Row("torch.Tensor.copy_", "mindspore.Tensor.copy_", arguments={"other": "src"}),
    *same(
        "torch.Tensor",
        "mindspore.Tensor",
        """
        cummax cummin diff index_fill logcumsumexp renorm select_scatter slice_scatter softmax squeeze
    """,
        arguments={"dim": "axis"},
    ),
    Row("torch.Tensor.diagonal", "mindspore.Tensor.diagonal", only_torch={"dim1": "0", "dim2": "1"}),
    Row("torch.Tensor.dot", "mindspore.Tensor.dot", arguments={"tensor": "other"}),
    *same(
        "torch.Tensor",
        "mindspore.Tensor",
        "dsplit hsplit vsplit",
        arguments={"sections": "indices_or_sections", "indices": "indices_or_sections"},
    ),
    Row("torch.Tensor.index_copy_", "mindspore.Tensor.index_copy_", arguments={"source": "tensor"}),
    Row("torch.Tensor.matmul", "mindspore.Tensor.matmul", arguments={"other": "tensor2"}),
    *same("torch.Tensor", "mindspore.Tensor", "max min", only_torch={"other": "None"}),
    *same(
        "torch.Tensor",
        "mindspore.Tensor",
        "nanquantile quantile",
        arguments={"dim": "axis", "keepdim": "keepdims"},
        only_torch={"interpolation": "'linear'"},
    ),
    Row(
        "torch.Tensor.norm",
        "mindspore.Tensor.norm",
        arguments={"p": "ord"},
        note="MindSpore's `ord` of a matrix is a matrix norm.",
    ),
    Row("torch.Tensor.numpy", "mindspore.Tensor.numpy", only_torch={"force": "False"}),
    Row(
        "torch.Tensor.requires_grad_",
        "mindspore.Tensor.requires_grad_",
        {"mode": "requires_grad"},
        note="It returns None.",
    ),
    Row(
        "torch.Tensor.as_strided",
        "mindspore.ops.auto_generate.as_strided",
        only_torch={"storage_offset": "None"},
        mindspore_form="mindspore.ops.auto_generate.as_strided({input}, {size}, {stride}, {input}.storage_offset())",
    ),
    Row("torch.Tensor.scatter", "mindspore.Tensor.scatter", only_torch={"value": "None"}),
    *same("torch.Tensor", "mindspore.Tensor", "std var", to_mindspore={"correction": "int({unbiased})"}),
    Row(
        "torch.Tensor.svd",
        "mindspore.Tensor.svd",
        to_mindspore={"full_matrices": "not {some}"},
        to_torch={"some": "not {full_matrices}"},
        note="MindSpore returns (s, u, v), PyTorch (u, s, v).",
    ),
    Row("torch.Tensor.take", "mindspore.Tensor.take", arguments={"index": "indices"}),
    Row(
        "torch.Tensor.tensor_split",
        "mindspore.Tensor.tensor_split",
        arguments={
            "sections": "indices_or_sections",
            "indices": "indices_or_sections",
            "tensor_indices_or_sections": "indices_or_sections",
            "dim": "axis",
        },
    ),
    Row("torch.Tensor.where", "mindspore.Tensor.where", arguments={"other": "y"}),
    *(
        Row(
            f"torch.Tensor.{name}_",
            f"mindspore.Tensor.{name}",
            mindspore_form=f"{{input}}.copy_({{input}}.{name}({{arguments}}))",
        )
        for name in _IN_PLACE.split()
    ),
    Row("torch.Tensor.transpose", "mindspore.Tensor.swapaxes", {"dim0": "axis0", "dim1": "axis1"}),
    Row("torch.Tensor.permute", "mindspore.Tensor.transpose", {"dims": "axes"}),
    Row("torch.Tensor.to", "mindspore.Tensor.astype", note="Leave devices out."),
    Row("torch.Tensor.real", "mindspore.Tensor.real", mindspore_form="{input}.real()", torch_form="{input}.real"),
    Row("torch.Tensor.imag", "mindspore.Tensor.imag", mindspore_form="{input}.imag()", torch_form="{input}.imag"),
    Row("torch.Tensor.numpy", "mindspore.Tensor.asnumpy", only_torch={"force": "False"}),
    Row("torch.Tensor.clone", "mindspore.Tensor.copy"),
    Row("torch.Tensor.unsqueeze", "mindspore.Tensor.expand_dims", {"dim": "axis"}),
    Row("torch.Tensor.size", "mindspore.Tensor.shape", only_torch={"dim": "None"}, mindspore_form="{input}.shape"),
    Row("torch.Tensor.size", "mindspore.Tensor.shape", mindspore_form="{input}.shape[{dim}]"),
    Row("torch.Tensor.numel", "mindspore.Tensor.size", torch_form="{input}.numel()", mindspore_form="{input}.size"),
    Row("torch.Tensor.detach", "mindspore.ops.stop_gradient", mindspore_form="mindspore.ops.stop_gradient({input})"),
    Row(
        "torch.Tensor.requires_grad",
        "mindspore.Parameter.requires_grad",
        note="A tensor that is not a Parameter has no such attribute.",
    ),
    Row("torch.Tensor.device", "mindspore.Tensor.device", note="A text, such as 'CPU'."),
    Row("torch.Tensor.element_size", "mindspore.Tensor.itemsize", mindspore_form="{input}.itemsize"),
    Row("torch.Tensor.char", "mindspore.Tensor.to", mindspore_form="{input}.to(mindspore.int8)"),
    Row("torch.Tensor.cfloat", "mindspore.Tensor.to", mindspore_form="{input}.to(mindspore.complex64)"),
    Row("torch.Tensor.cdouble", "mindspore.Tensor.to", mindspore_form="{input}.to(mindspore.complex128)"),
    Row(
        "torch.Tensor.new_tensor",
        "mindspore.tensor",
        mindspore_form="mindspore.tensor({data}, {input}.dtype)",
        only_torch={"dtype": "None"},
    ),
    Row(
        "torch.Tensor.new",
        "mindspore.tensor",
        mindspore_form="mindspore.tensor({arguments}, {input}.dtype)",
        note="Of sizes, use new_empty.",
    ),
    Row("torch.Tensor.clamp_max", "mindspore.Tensor.clamp", mindspore_form="{input}.clamp(max={max})"),
    Row("torch.Tensor.clamp_min", "mindspore.Tensor.clamp", mindspore_form="{input}.clamp(min={min})"),
    Row("torch.Tensor.clamp_max_", "mindspore.Tensor.clamp_", mindspore_form="{input}.clamp_(max={max})"),
    Row("torch.Tensor.clamp_min_", "mindspore.Tensor.clamp_", mindspore_form="{input}.clamp_(min={min})"),
    Row("torch.Tensor.conj_physical", "mindspore.Tensor.conj", mindspore_form="{input}.conj()"),
    Row("torch.Tensor.exp2", "mindspore.mint.exp2", mindspore_form="mindspore.mint.exp2({input})"),
    Row("torch.Tensor.fix", "mindspore.mint.fix", mindspore_form="mindspore.mint.fix({input})"),
    Row("torch.Tensor.exp2_", "mindspore.mint.exp2", mindspore_form="{input}.copy_(mindspore.mint.exp2({input}))"),
    Row("torch.Tensor.fix_", "mindspore.mint.fix", mindspore_form="{input}.copy_(mindspore.mint.fix({input}))"),
    Row("torch.Tensor.conj_physical_", "mindspore.Tensor.conj", mindspore_form="{input}.copy_({input}.conj())"),
    Row(
        "torch.Tensor.polygamma_",
        "mindspore.ops.polygamma",
        mindspore_form="{input}.copy_(mindspore.ops.polygamma({n}, {input}))",
    ),
    Row("torch.Tensor.index", None, note="Index with brackets."),
    Row("torch.Tensor.kron", "mindspore.ops.kron", mindspore_form="mindspore.ops.kron({input}, {other})"),
    Row("torch.Tensor.mv", "mindspore.mint.mv", mindspore_form="mindspore.mint.mv({input}, {vec})"),
    Row("torch.Tensor.vdot", "mindspore.mint.vdot", mindspore_form="mindspore.mint.vdot({input}, {other})"),
    Row("torch.Tensor.dist", "mindspore.ops.dist", mindspore_form="mindspore.ops.dist({input}, {other}, {p})"),
    Row(
        "torch.Tensor.diag_embed",
        "mindspore.ops.diag_embed",
        mindspore_form="mindspore.ops.diag_embed({input}, {offset}, {dim1}, {dim2})",
    ),
    Row(
        "torch.Tensor.cholesky_inverse",
        "mindspore.Tensor.cholesky_inverse",
        note="MindSpore reads the whole matrix, PyTorch one triangle of it.",
    ),
    Row("torch.Tensor.matrix_exp", "mindspore.ops.matrix_exp", mindspore_form="mindspore.ops.matrix_exp({input})"),
    Row("torch.Tensor.polygamma", "mindspore.ops.polygamma", mindspore_form="mindspore.ops.polygamma({n}, {input})"),
    Row(
        "torch.Tensor.pinverse",
        "mindspore.ops.pinv",
        mindspore_form="mindspore.ops.pinv({input})",
        only_torch={"rcond": "1e-15"},
    ),
    Row(
        "torch.Tensor.relu",
        "mindspore.mint.nn.functional.relu",
        mindspore_form="mindspore.mint.nn.functional.relu({input})",
    ),
    Row(
        "torch.Tensor.relu_",
        "mindspore.mint.nn.functional.relu_",
        mindspore_form="mindspore.mint.nn.functional.relu_({input})",
    ),
    Row(
        "torch.Tensor.prelu",
        "mindspore.mint.nn.functional.prelu",
        mindspore_form="mindspore.mint.nn.functional.prelu({input}, {weight})",
    ),
    Row(
        "torch.Tensor.log_softmax",
        "mindspore.mint.nn.functional.log_softmax",
        mindspore_form="mindspore.mint.nn.functional.log_softmax({input}, {dim})",
        only_torch={"dtype": "None"},
    ),
    Row(
        "torch.Tensor.unflatten",
        "mindspore.nn.Unflatten",
        mindspore_form="mindspore.nn.Unflatten({dim}, {sizes})({input})",
    ),
    Row("torch.Tensor.unfold", None, note="Index with mint.arange: x[..., starts[:, None] + mint.arange(size)]."),
    *same(
        "torch.Tensor",
        "mindspore.Tensor",
        "split_with_sizes:split unsafe_split_with_sizes:split",
        mindspore_form="{input}.split({split_sizes}, {dim})",
    ),
    Row("torch.Tensor.unsafe_split", "mindspore.Tensor.split", mindspore_form="{input}.split({split_size}, {dim})"),
    Row("torch.Tensor.unsafe_chunk", "mindspore.Tensor.chunk", mindspore_form="{input}.chunk({chunks}, {dim})"),
    Row(
        "torch.Tensor.take_along_dim",
        "mindspore.Tensor.gather",
        mindspore_form="{input}.gather({dim}, {indices})",
        note="dim must be given.",
    ),
    Row(
        "torch.Tensor.index_copy",
        "mindspore.Tensor.index_copy_",
        mindspore_form="{input}.copy().index_copy_({dim}, {index}, {source})",
    ),
    Row(
        "torch.Tensor.narrow_copy",
        "mindspore.Tensor.narrow",
        mindspore_form="{input}.narrow({dim}, {start}, {length}).copy()",
    ),
    Row("torch.Tensor.is_nonzero", "mindspore.ops.is_nonzero", mindspore_form="mindspore.ops.is_nonzero({input})"),
    Row("torch.Tensor.is_same_size", "mindspore.Tensor.shape", mindspore_form="{input}.shape == {other}.shape"),
    Row("torch.Tensor.stft", "mindspore.ops.stft", mindspore_form="mindspore.ops.stft({input}, {arguments})"),
    *(
        Row(
            f"torch.Tensor.{name}",
            None,
            mindspore_form="{input}",
            note="Remove the call: mindspore.set_device chooses.",
        )
        for name in ("cuda", "cpu", "xpu", "ipu", "mtia")
    ),
    *(
        Row(f"torch.Tensor.{name}", None, mindspore_form="{input}", note="Remove the call: nothing corresponds to it.")
        for name in (
            "resolve_conj",
            "resolve_neg",
            "share_memory_",
            "retain_grad",
            "record_stream",
            "coalesce",
            "to_dense",
        )
    ),
    Row(
        "torch.Tensor.backward",
        None,
        note="Write the loss as a function, and call mindspore.value_and_grad(function, None, optimizer.parameters).",
    ),
    Row("torch.Tensor.grad", None, note="mindspore.value_and_grad returns the gradients; tensors do not hold them."),
    *absent(
        "torch.Tensor",
        "mindspore.value_and_grad returns gradients; tensors do not hold them or their graph.",
        """
        grad_fn grad_dtype is_leaf output_nr retains_grad detach_ register_post_accumulate_grad_hook
    """,
    ),
    *absent(
        "torch.Tensor",
        "Assign the result of the method without the underscore, or of reshape.",
        """
        squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_ resize_ resize_as_ resize resize_as
        as_strided_
    """,
    ),
    *absent(
        "torch.Tensor",
        "Fill with numbers of mindspore.nn.probability.distribution, or of NumPy.",
        """
        cauchy_ geometric_ log_normal_
    """,
    ),
    *absent(
        "torch.Tensor",
        "Tensors are on the device of mindspore.set_device.",
        """
        get_device is_cpu is_cuda is_xpu is_mps is_ipu is_mtia is_maia is_xla is_vulkan is_meta is_mkldnn to_mkldnn
    """,
    ),
    *absent(
        "torch.Tensor",
        "Sparse tensors are mindspore.COOTensor and mindspore.CSRTensor.",
        """
        to_sparse to_sparse_coo to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc is_sparse is_sparse_csr
        is_coalesced indices values crow_indices col_indices ccol_indices row_indices dense_dim sparse_dim sparse_mask
        sparse_resize_ sparse_resize_and_clear_ resize_as_sparse_ smm sspaddmm layout to_padded_tensor is_nested
    """,
    ),
    *absent(
        "torch.Tensor",
        "MindSpore quantizes with packages of its own.",
        """
        dequantize int_repr is_quantized q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale
        q_zero_point qscheme
    """,
    ),
    *absent(
        "torch.Tensor",
        "Compute it with asnumpy() and NumPy.",
        """
        apply_ map_ map2_ corrcoef frexp histogram istft lu lstsq mode hash_tensor nonzero_static slice_inverse
    """,
    ),
    *absent(
        "torch.Tensor",
        "Use ops.tensor_scatter_elements with its reduction.",
        """
        scatter_reduce scatter_reduce_ index_reduce index_reduce_ put
    """,
    ),
    *absent(
        "torch.Tensor",
        "A strided view has no counterpart; index, or reshape and transpose.",
        """
        as_strided_scatter new_empty_strided dim_order
    """,
    ),
    *absent(
        "torch.Tensor",
        "It belongs to the inside of PyTorch.",
        """
        as_subclass chalf const_data_ptr is_conj is_distributed is_inference is_neg is_set_to module_load name
        reinforce storage_type volatile
    """,
    ),
    *absent("torch.Tensor", "PyTorch itself has removed it.", "eig solve symeig"),
    *absent("torch.Tensor", "Use the conjugate transpose mH, or swapaxes.", "H"),
)
