"""The functions of torch itself."""

from __future__ import annotations

from .row import Row, absent, same

__all__ = ["FUNCTIONS"]

FUNCTIONS: tuple[Row, ...] = (
    *same(
        "torch",
        "mindspore.mint",
        """
        abs acos acosh add addbmm addcdiv addcmul addmv all allclose amax amin any arange arccos arccosh
        arcsinh arctan arctan2 arctanh argmax argmin argsort asin asinh atan atan2 atanh bincount
        bitwise_and bitwise_not bitwise_or bitwise_xor cat cdist ceil chunk clamp clip clone concat conv2d
        conv_tbc cos cosh count_nonzero cross cummax cummin cumprod cumsum diag diff div divide dstack
        einsum empty empty_like eq equal erf erfc erfinv exp exp2 expm1 eye fix flatten flip float_power
        floor floor_divide fmod frac full_like gcd ge greater greater_equal gt histc hstack imag index_add
        index_select inverse isclose isfinite isinf isneginf kthvalue le lerp less less_equal linspace log
        log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logsumexp lt
        masked_select matmul max maximum mean median meshgrid min minimum mul multinomial mv nan_to_num
        nansum narrow ne neg negative nonzero norm not_equal ones ones_like outer permute polar pow prod
        rand rand_like randint randint_like randn randn_like randperm ravel real reciprocal remainder
        repeat_interleave reshape roll round rsqrt scatter_add select sigmoid sign sin sinc sinh softmax
        sort split sqrt square squeeze stack sub sum swapaxes t take tan tanh tile topk trace transpose tril
        triu trunc unbind unique unique_consecutive unsqueeze vdot where xlogy zeros zeros_like
    """,
    ),
    *same(
        "torch",
        "mindspore.ops",
        """
        abs absolute acos acosh addbmm addcdiv addcmul addmv angle
        arange arccos arccosh arcsinh arctan arctan2 arctanh argmax argwhere asin asinh atan atan2 atanh
        bartlett_window bincount bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift
        bitwise_xor blackman_window ceil cholesky_solve clamp clip column_stack combinations conj
          conv_transpose2d cos cosh cosine_similarity cov cross cumprod det diag_embed diagflat
        diagonal diagonal_scatter digamma dist div divide dstack einsum eq equal erf erfc erfinv exp exp2
        expm1 eye flatten flip fliplr flipud float_power floor floor_divide fmax fmin fmod full_like gcd ge
        geqrf ger greater greater_equal gt hamming_window hann_window hardshrink heaviside histc hstack
        hypot i0 igamma igammac imag inner inverse is_complex is_floating_point is_nonzero is_tensor isclose
        isfinite isinf isnan isneginf isposinf isreal kaiser_window kron lcm le lerp less less_equal lgamma
        log log10 log1p log2 logaddexp logaddexp2 logdet logical_and logical_not logical_or logical_xor
        logit logspace logsumexp lt lu_unpack masked_select matmul matrix_exp matrix_power maximum minimum
        msort mul multinomial multiply mvlgamma nan_to_num ne neg negative nextafter nonzero not_equal
        ones_like orgqr outer pdist pixel_shuffle pixel_unshuffle polar polygamma positive pow prelu rand
        rand_like randint randn randn_like randperm ravel real reciprocal relu remainder
        reshape roll rot90 round row_stack rsqrt sgn sigmoid sign signbit sin sinc sinh slogdet square
        subtract sum swapaxes swapdims t take tan tanh tile topk trace trapz tril tril_indices triu
        triu_indices trunc unbind unique_consecutive unsqueeze view_as_real where xlogy zeros zeros_like
    """,
    ),
    *same("torch", "mindspore.ops", "add sub", only_torch={"alpha": "1"}),
    *same("torch", "mindspore.mint", "addmm baddbmm bmm mm", only_torch={"out_dtype": "None"}),
    *same("torch", "mindspore.ops", "addmm baddbmm mm", only_torch={"out_dtype": "None"}),
    *same(
        "torch",
        "mindspore.ops",
        """
        addr adjoint arcsin celu channel_shuffle copysign deg2rad frac ldexp moveaxis movedim rad2deg sqrt
    """,
        arguments={"input": "x"},
    ),
    *same("torch", "mindspore.ops", "all any prod", arguments={"dim": "axis", "keepdim": "keep_dims"}),
    *same(
        "torch",
        "mindspore.ops",
        "amax amin aminmax argmin median nanmean nanmedian nansum",
        arguments={"dim": "axis", "keepdim": "keepdims"},
    ),
    Row("torch.arcsin", "mindspore.mint.arcsin", arguments={"input": "x"}),
    Row("torch.argsort", "mindspore.ops.argsort", arguments={"dim": "axis"}, only_torch={"stable": "None"}),
    *same(
        "torch",
        "mindspore.ops",
        "atleast_1d atleast_2d atleast_3d",
        arguments={"tensors": "inputs"},
        note="Several tensors are one list.",
    ),
    Row(
        "torch.avg_pool1d",
        "mindspore.ops.avg_pool1d",
        arguments={"input": "input_x"},
        implied={"stride": "{kernel_size}"},
    ),
    Row("torch.bernoulli", "mindspore.mint.bernoulli", only_torch={"p": "None"}),
    *same("torch", "mindspore.ops", "block_diag cartesian_prod meshgrid vstack", arguments={"tensors": "inputs"}),
    Row("torch.bmm", "mindspore.ops.bmm", arguments={"input": "input_x"}, only_torch={"out_dtype": "None"}),
    Row("torch.broadcast_to", "mindspore.mint.broadcast_to", arguments={"size": "shape"}),
    Row("torch.broadcast_to", "mindspore.ops.broadcast_to", arguments={"size": "shape"}),
    Row("torch.bucketize", "mindspore.ops.bucketize", only_torch={"out_int32": "False"}),
    *same(
        "torch",
        "mindspore.ops",
        """
        cat chunk concat cummax cummin index_select logcumsumexp narrow renorm select_scatter slice_scatter
        softmax split squeeze stack
    """,
        arguments={"dim": "axis"},
    ),
    Row("torch.cdist", "mindspore.ops.cdist", only_torch={"compute_mode": "'use_mm_for_euclid_dist_if_necessary'"}),
    *same("torch", "mindspore.ops", "cholesky masked_fill selu", arguments={"input": "input_x"}),
    Row(
        "torch.cholesky_inverse",
        "mindspore.ops.cholesky_inverse",
        arguments={"input": "input_x"},
        note="MindSpore reads the whole matrix, PyTorch one triangle of it.",
    ),
    *same("torch", "mindspore.ops", "count_nonzero cumsum diff index_fill", arguments={"dim": "axis", "input": "x"}),
    Row("torch.diag", "mindspore.ops.diag", only_torch={"diagonal": "0"}),
    Row("torch.dot", "mindspore.mint.dot", arguments={"tensor": "other"}),
    *same(
        "torch",
        "mindspore.ops",
        "dsplit hsplit vsplit",
        arguments={"sections": "indices_or_sections", "indices": "indices_or_sections"},
    ),
    Row("torch.full", "mindspore.mint.full", only_torch={"names": "None"}),
    Row(
        "torch.full",
        "mindspore.ops.full",
        only_torch={"names": "None"},
        note="Name the type: without it, ops.full makes integers.",
    ),
    Row("torch.gather", "mindspore.mint.gather", only_torch={"sparse_grad": "False"}),
    Row("torch.gather", "mindspore.ops.gather_elements", only_torch={"sparse_grad": "False"}),
    Row(
        "torch.index_select", "mindspore.ops.gather", {"input": "input_params", "index": "input_indices", "dim": "axis"}
    ),
    *same("torch", "mindspore.ops", "conv1d conv2d conv3d", only_mindspore={"pad_mode": "'pad'"}),
    Row(
        "torch.index_add",
        "mindspore.ops.index_add",
        arguments={"dim": "axis", "input": "x", "index": "indices", "source": "y"},
        only_torch={"alpha": "1"},
        note="MindSpore writes the result to x as well.",
    ),
    Row("torch.isnan", "mindspore.mint.isnan", arguments={"input": "tensor"}),
    Row("torch.linspace", "mindspore.ops.linspace", only_torch={"dtype": "None"}),
    Row(
        "torch.log_softmax",
        "mindspore.ops.log_softmax",
        arguments={"dim": "axis", "input": "logits"},
        only_torch={"dtype": "None"},
    ),
    Row("torch.lu_solve", "mindspore.ops.lu_solve", arguments={"input": "b"}),
    *same(
        "torch",
        "mindspore.ops",
        "max min",
        arguments={"dim": "axis", "keepdim": "keepdims"},
        only_torch={"other": "None"},
    ),
    *same(
        "torch", "mindspore.ops", "max_pool2d max_pool3d", arguments={"input": "x"}, implied={"stride": "{kernel_size}"}
    ),
    Row(
        "torch.mean",
        "mindspore.ops.mean",
        arguments={"dim": "axis", "keepdim": "keep_dims", "input": "x"},
        only_torch={"dtype": "None"},
    ),
    Row("torch.mv", "mindspore.ops.mv", arguments={"input": "mat"}),
    *same(
        "torch",
        "mindspore.ops",
        "nanquantile quantile",
        arguments={"dim": "axis", "keepdim": "keepdims"},
        only_torch={"interpolation": "'linear'"},
    ),
    Row("torch.normal", "mindspore.mint.normal", only_torch={"dtype": "None"}),
    Row("torch.numel", "mindspore.ops.numel", arguments={"self": "input"}),
    Row("torch.ormqr", "mindspore.ops.ormqr", arguments={"input2": "tau", "input3": "other"}),
    Row("torch.permute", "mindspore.ops.permute", arguments={"dims": "axis"}),
    Row(
        "torch.qr",
        "mindspore.ops.qr",
        to_mindspore={"mode": "'reduced' if {some} else 'complete'"},
        to_torch={"some": "{mode} == 'reduced'"},
    ),
    Row(
        "torch.repeat_interleave",
        "mindspore.ops.repeat_interleave",
        arguments={"dim": "axis"},
        only_torch={"output_size": "None"},
    ),
    Row("torch.rrelu", "mindspore.ops.rrelu", only_torch={"training": "False"}),
    Row("torch.scatter", "mindspore.mint.scatter", only_torch={"value": "None"}),
    Row("torch.scatter", "mindspore.ops.scatter", arguments={"dim": "axis"}, only_torch={"value": "None"}),
    Row("torch.searchsorted", "mindspore.mint.searchsorted", arguments={"input": "values"}),
    Row("torch.searchsorted", "mindspore.ops.searchsorted", arguments={"input": "values"}),
    Row(
        "torch.sort", "mindspore.ops.sort", arguments={"dim": "axis", "input": "input_x"}, only_torch={"stable": "None"}
    ),
    *same("torch", "mindspore.mint", "std std_mean var var_mean", to_mindspore={"correction": "int({unbiased})"}),
    *same(
        "torch",
        "mindspore.ops",
        "std std_mean var var_mean",
        arguments={"dim": "axis", "keepdim": "keepdims", "correction": "ddof"},
        to_mindspore={"ddof": "int({unbiased})"},
    ),
    Row("torch.stft", "mindspore.ops.stft", arguments={"input": "x"}, only_torch={"align_to_window": "None"}),
    Row(
        "torch.svd",
        "mindspore.ops.svd",
        to_mindspore={"full_matrices": "not {some}"},
        to_torch={"some": "not {full_matrices}"},
        note="MindSpore returns (s, u, v), PyTorch (u, s, v).",
    ),
    Row(
        "torch.tensor_split",
        "mindspore.ops.tensor_split",
        arguments={
            "sections": "indices_or_sections",
            "indices": "indices_or_sections",
            "tensor_indices_or_sections": "indices_or_sections",
            "dim": "axis",
        },
    ),
    Row("torch.threshold", "mindspore.ops.threshold", arguments={"threshold": "thr"}),
    Row("torch.triangular_solve", "mindspore.mint.triangular_solve", arguments={"input": "b"}),
    Row("torch.true_divide", "mindspore.ops.true_divide", arguments={"input": "dividend", "other": "divisor"}),
    Row("torch.vander", "mindspore.ops.vander", only_torch={"increasing": "False"}),
    Row(
        "torch.nn.Flatten",
        "mindspore.mint.flatten",
        mindspore_form="(lambda input: mindspore.mint.flatten(input, {start_dim}, {end_dim}))",
        note="MindSpore's published mapping names this function; mint.nn.Flatten is the layer.",
    ),
    Row("torch.ones", "mindspore.ops.ones", {"size": "shape"}),
    Row("torch.adaptive_avg_pool1d", "mindspore.mint.nn.functional.adaptive_avg_pool1d"),
    Row(
        "torch.adaptive_max_pool1d",
        "mindspore.mint.nn.functional.adaptive_max_pool1d",
        mindspore_form="mindspore.mint.nn.functional.adaptive_max_pool1d({input}, {output_size}, True)",
    ),
    Row("torch.concatenate", "mindspore.mint.cat"),
    Row(
        "torch.norm",
        "mindspore.ops.norm",
        {"input": "A", "p": "ord"},
        note="MindSpore's `ord` of a matrix is a matrix norm.",
    ),
    Row("torch.normal", "mindspore.ops.normal", {"size": "shape", "std": "stddev"}, {"dtype": "None"}),
    Row("torch.permute", "mindspore.ops.transpose"),
    Row("torch.transpose", "mindspore.ops.swapaxes", {"dim0": "axis0", "dim1": "axis1"}),
    Row(
        "torch.poisson",
        "mindspore.ops.random_poisson",
        mindspore_form="mindspore.ops.random_poisson((), {input}, dtype={input}.dtype)",
    ),
    Row("torch.mode", None, note="Count the values with mint.unique(x, return_counts=True)."),
    Row("torch.clamp_max", "mindspore.mint.clamp", {"max": "max"}),
    Row("torch.clamp_min", "mindspore.mint.clamp", {"min": "min"}),
    Row("torch.rsub", "mindspore.mint.sub", mindspore_form="mindspore.mint.sub({other}, {input}, alpha={alpha})"),
    Row("torch.trapezoid", "mindspore.ops.trapz"),
    Row("torch.tensordot", "mindspore.ops.tensor_dot", {"a": "x1", "b": "x2", "dims": "axes"}),
    Row(
        "torch.view_as_complex",
        "mindspore.ops.Complex",
        mindspore_form="mindspore.ops.Complex()({input}[..., 0], {input}[..., 1])",
    ),
    Row("torch.complex", "mindspore.ops.Complex", mindspore_form="mindspore.ops.Complex()({real}, {imag})"),
    Row(
        "torch.pinverse",
        "mindspore.ops.pinv",
        {"input": "x"},
        {"rcond": "1e-15"},
        note="MindSpore's rtol is relative as well, with a default that follows the type and the shape.",
    ),
    Row(
        "torch.unflatten", "mindspore.Tensor.reshape", mindspore_form="mindspore.nn.Unflatten({dim}, {sizes})({input})"
    ),
    Row(
        "torch.take_along_dim",
        "mindspore.mint.gather",
        mindspore_form="mindspore.mint.gather({input}, {dim}, {indices})",
        note="dim must be given.",
    ),
    Row("torch.isin", None, note="Compare with broadcasting: (x[..., None] == values).any(-1)."),
    Row(
        "torch.masked_scatter",
        "mindspore.Tensor.masked_scatter",
        mindspore_form="{input}.masked_scatter({mask}, {source})",
    ),
    Row(
        "torch.index_put",
        "mindspore.Tensor.index_put",
        mindspore_form="{input}.index_put({indices}, {values}, {accumulate})",
    ),
    Row("torch.broadcast_tensors", None, note="Call mint.broadcast_to with the common shape for each."),
    Row(
        "torch.constant_pad_nd",
        "mindspore.mint.nn.functional.pad",
        mindspore_form="mindspore.mint.nn.functional.pad({input}, {pad}, 'constant', {value})",
    ),
    Row("torch.detach", "mindspore.ops.stop_gradient", {"input": "value"}),
    Row(
        "torch.range", "mindspore.mint.arange", mindspore_form="mindspore.mint.arange({start}, {end} + {step}, {step})"
    ),
    Row("torch.tensor", "mindspore.tensor", {"data": "input_data"}),
    Row("torch.tensor", "mindspore.Tensor", {"data": "input_data"}),
    Row("torch.as_tensor", "mindspore.tensor", {"data": "input_data"}, note="MindSpore copies."),
    Row("torch.asarray", "mindspore.tensor", {"obj": "input_data"}, {"copy": "None"}, note="MindSpore copies."),
    Row("torch.scalar_tensor", "mindspore.tensor", {"s": "input_data"}),
    Row("torch.from_numpy", "mindspore.from_numpy", {"ndarray": "array"}),
    Row("torch.frombuffer", None, note="Call mindspore.from_numpy(numpy.frombuffer(...))."),
    Row(
        "torch.Tensor",
        "mindspore.Tensor",
        {"data": "input_data"},
        note="torch.Tensor(2, 3) has the shape (2, 3) and no values: mindspore.mint.empty.",
    ),
    *same(
        "torch",
        "mindspore.mint",
        """
        FloatTensor:empty DoubleTensor:empty HalfTensor:empty IntTensor:empty LongTensor:empty BoolTensor:empty
    """,
        note="Of a list, these are mindspore.Tensor(list, type).",
    ),
    Row(
        "torch.vmap",
        "mindspore.vmap",
        {"func": "fn", "in_dims": "in_axes", "out_dims": "out_axes"},
        {"randomness": "'error'", "chunk_size": "None"},
    ),
    Row("torch.cond", None, note="Write an if statement; mindspore.jit captures it."),
    Row(
        "torch.compile",
        "mindspore.jit",
        mindspore_form="mindspore.jit({model})",
        only_torch={
            "fullgraph": "False",
            "dynamic": "None",
            "backend": "'inductor'",
            "mode": "None",
            "options": "None",
            "disable": "False",
        },
    ),
    Row("torch.manual_seed", "mindspore.set_seed"),
    Row("torch.manual_seed", "mindspore.manual_seed"),
    Row("torch.seed", "mindspore.seed"),
    Row("torch.initial_seed", "mindspore.initial_seed"),
    Row("torch.get_rng_state", "mindspore.get_rng_state"),
    Row("torch.set_rng_state", "mindspore.set_rng_state", {"new_state": "state"}),
    Row("torch.Generator", "mindspore.Generator"),
    Row(
        "torch.save",
        "mindspore.save_checkpoint",
        {"obj": "save_obj", "f": "ckpt_file_name"},
        {"pickle_module": "pickle", "pickle_protocol": "2", "_use_new_zipfile_serialization": "True"},
        note="MindSpore saves a cell, or a dict or list of parameters; not any object.",
    ),
    Row(
        "torch.load",
        "mindspore.load_checkpoint",
        {"f": "ckpt_file_name"},
        {
            "map_location": "None",
            "pickle_module": "None",
            "weights_only": "True",
            "mmap": "None",
            "pickle_load_args": "None",
        },
        note="Files of torch.save are read by torchspore.migrate.load_torch.",
    ),
    Row(
        "torch.use_deterministic_algorithms",
        "mindspore.set_deterministic",
        {"mode": "deterministic"},
        {"warn_only": "False"},
    ),
    Row("torch.set_printoptions", None, note="Call numpy.set_printoptions, and print tensor.asnumpy()."),
    Row("torch.histogram", None, note="mint.histc returns the counts; mint.linspace the edges."),
    *absent(
        "torch",
        "Remove the call, or bind threads with mindspore.runtime.set_cpu_affinity.",
        """
        set_num_threads get_num_threads
    """,
    ),
    Row("torch.is_tensor", "mindspore.is_tensor"),
    Row("torch.result_type", None, note="Promote with numpy.result_type of the types' NumPy counterparts."),
    Row("torch.promote_types", None, note="Promote with numpy.promote_types of the types' NumPy counterparts."),
    Row("torch.can_cast", None, note="Ask numpy.can_cast of the types' NumPy counterparts."),
    Row("torch.unravel_index", None, note="Divide with mint.floor_divide and mint.remainder by the sizes."),
    Row("torch.index_reduce", None, note="Use ops.tensor_scatter_elements, or Tensor.index_add for sums."),
    Row(
        "torch.scatter_reduce",
        None,
        note="Use ops.tensor_scatter_elements with its reduction, or mint.scatter_add for sums.",
    ),
    Row("torch.gradient", None, note="Use mindspore.numpy.gradient."),
    Row(
        "torch.as_strided",
        "mindspore.ops.auto_generate.as_strided",
        only_torch={"storage_offset": "None"},
        mindspore_form="mindspore.ops.auto_generate.as_strided({input}, {size}, {stride}, {input}.storage_offset())",
    ),
    Row("torch.corrcoef", "mindspore.numpy.corrcoef", {"input": "x"}),
    Row("torch.chain_matmul", None, note="Call mint.matmul for each product."),
    Row("torch.binomial", None, note="Sum draws of mint.bernoulli, or use ops.binomial."),
    *absent(
        "torch", "Use that of NumPy, of mindspore.dtype_to_nptype(type). Rewritten code gets a class.", "finfo iinfo"
    ),
    Row("torch.set_default_dtype", None, note="Name the type of each new tensor; the default is float32."),
    Row("torch.get_default_dtype", None, note="The default of MindSpore is mindspore.float32."),
    Row("torch.lobpcg", None, note="Use mindspore.scipy, or compute with asnumpy() and SciPy."),
    *absent(
        "torch",
        "A strided view has no counterpart; index, or reshape and transpose.",
        """
        as_strided_scatter empty_strided empty_permuted
    """,
    ),
    *absent("torch", "Compute it with asnumpy() and NumPy.", "cumulative_trapezoid frexp histogramdd istft"),
    *absent(
        "torch",
        "Complex views are values in MindSpore; leave it out.",
        "conj_physical resolve_conj resolve_neg is_conj is_neg",
    ),
    *absent(
        "torch", "Use mint.split or mint.chunk.", "split_with_sizes unsafe_chunk unsafe_split unsafe_split_with_sizes"
    ),
    *absent(
        "torch",
        "Call the function of the same name of torch.nn.functional; see its row.",
        """
        alpha_dropout affine_grid_generator batch_norm bilinear binary_cross_entropy_with_logits conv_transpose1d
        conv_transpose3d cosine_embedding_loss ctc_loss dropout embedding embedding_bag feature_alpha_dropout
        group_norm hinge_embedding_loss instance_norm kl_div layer_norm margin_ranking_loss max_pool1d
        pairwise_distance poisson_nll_loss rms_norm triplet_margin_loss
    """,
    ),
    *absent(
        "torch",
        "MindSpore has no such tensors on this path; use dense ones, or COOTensor and CSRTensor.",
        """
        sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor
        quantize_per_tensor quantize_per_channel dequantize
    """,
    ),
    *absent(
        "torch",
        "It belongs to PyTorch's devices. Use mindspore.set_device; tensors are on that device.",
        """
        device get_default_device set_default_device get_device
    """,
    ),
    *absent(
        "torch",
        "It belongs to PyTorch's settings. Remove the call.",
        """
        set_default_tensor_type set_float32_matmul_precision get_float32_matmul_precision
        are_deterministic_algorithms_enabled set_flush_denormal set_num_interop_threads get_num_interop_threads
    """,
    ),
)
