"""Cases of the functions of torch."""

from __future__ import annotations

from migrate.cases import family

CASES = {
    **family("torch.{}(p)", """
        abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil conj cos cosh
        deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac i0 isfinite isinf isnan isneginf isposinf isreal lgamma
        log log10 log1p log2 logit nan_to_num neg negative positive rad2deg real reciprocal round rsqrt selu sgn sigmoid
        sign signbit sin sinc sinh sqrt square tan tanh trunc is_complex is_floating_point is_tensor numel nonzero argwhere
        clone detach ravel t empty_like ones_like zeros_like rand_like randn_like all any flipud fliplr msort cov flatten
        count_nonzero trace hardshrink relu celu rrelu logical_not diagflat diag diag_embed diagonal
        argmax argmin max min mean sum prod std var std_mean var_mean median amax amin nansum nanmean nanmedian norm
        argsort sort unique_consecutive unique squeeze corrcoef std
    """),
    **family("torch.{}(p, q)", """
        add sub mul div divide subtract multiply true_divide floor_divide fmod remainder pow atan2 arctan2 copysign eq ne ge gt
        le lt greater greater_equal less less_equal not_equal equal allclose isclose fmax fmin heaviside hypot igamma igammac
        logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum nextafter xlogy float_power dist kron
        rsub trapz trapezoid cdist
    """),
    **family("torch.{}(i, j)", "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm"),
    **family("torch.{}(v, w)", "dot vdot inner outer ger"),
    **family("torch.{}(a, 1)", """
        cumsum cumprod cummax cummin logcumsumexp logsumexp softmax log_softmax unbind
    """),
    **family("torch.{}(m)", "det inverse logdet slogdet matrix_exp adjoint pinverse qr geqrf"),
    **family("torch.{}([a, b])", "cat concat concatenate stack hstack vstack row_stack column_stack dstack"),
    **family("torch.{}(3, 4)", "zeros ones rand randn empty"),
    **family("torch.{}(6)", "bartlett_window blackman_window hamming_window hann_window randperm arange"),
    **family("torch.{}(many, 1, 2)", "transpose swapaxes swapdims movedim moveaxis"),
    "torch.narrow": "torch.narrow(a, 1, 1, 2)",
    "torch.add": "torch.add(a, b, alpha=2)", "torch.sub": "torch.sub(a, b, alpha=2)",
    "torch.zeros": "torch.zeros((3, 4))", "torch.ones": "torch.ones((3, 4))", "torch.std_mean": "torch.std_mean(a, 1, keepdim=True)",
    "torch.var_mean": "torch.var_mean(a, 1, unbiased=False)",
    "torch.add mindspore.ops.add": "torch.add(a, b)", "torch.sub mindspore.ops.sub": "torch.sub(a, b)",
    "torch.diag mindspore.ops.diag": "torch.diag(v)",
    "torch.rsub": "torch.rsub(a, b)", "torch.addbmm": "torch.addbmm(rows, many, more)",
    "torch.addcdiv": "torch.addcdiv(a, b, p, value=2)", "torch.addcmul": "torch.addcmul(a, b, c, value=2)",
    "torch.addmm": "torch.addmm(m[:, :1], a, t, beta=0.5, alpha=2)", "torch.addmv": "torch.addmv(rows[:, 0], a, v)",
    "torch.addr": "torch.addr(a, rows[:, 0], v)", "torch.baddbmm": "torch.baddbmm(many[:, :, :1], many, more)",
    "torch.bmm": "torch.bmm(many, more)", "torch.mm": "torch.mm(a, t)", "torch.mv": "torch.mv(a, v)",
    "torch.matmul": "torch.matmul(many, more)", "torch.chain_matmul": "torch.chain_matmul(m, a, t)",
    "torch.amax": "torch.amax(a, 1, keepdim=True)", "torch.amin": "torch.amin(a, dim=(0, 1))",
    "torch.aminmax": "torch.aminmax(a, dim=1, keepdim=True)", "torch.argmax": "torch.argmax(a, 1, True)",
    "torch.argmin": "torch.argmin(a, dim=1)", "torch.argsort": "torch.argsort(a, 1, True)",
    "torch.all": "torch.all(mask, 1)", "torch.any": "torch.any(mask, dim=1, keepdim=True)",
    "torch.atleast_1d": "torch.atleast_1d(scalar)", "torch.atleast_2d": "torch.atleast_2d(v)",
    "torch.atleast_3d": "torch.atleast_3d(a)", "torch.arange": "torch.arange(1, 9, 2)",
    "torch.avg_pool1d": "torch.avg_pool1d(seq, 2)", "torch.adaptive_avg_pool1d": "torch.adaptive_avg_pool1d(seq, 3)",
    "torch.adaptive_max_pool1d": "torch.adaptive_max_pool1d(seq, 4)",
    "torch.bernoulli": "torch.bernoulli(p)", "torch.bincount": "torch.bincount(counts, minlength=5)",
    "torch.bitwise_not": "torch.bitwise_not(i)", "torch.block_diag": "torch.block_diag(a, m)",
    "torch.broadcast_to": "torch.broadcast_to(v, (3, 4))", "torch.bucketize": "torch.bucketize(a, sorted)",
    "torch.cartesian_prod": "torch.cartesian_prod(v, w)", "torch.channel_shuffle": "torch.channel_shuffle(images, 2)",
    "torch.cholesky": "torch.cholesky(spd)", "torch.cholesky_inverse": "torch.cholesky_inverse(spd)",
    "torch.cholesky_solve": "torch.cholesky_solve(a, spd)", "torch.chunk": "torch.chunk(a, 2, 1)",
    "torch.clamp": "torch.clamp(a, -0.5, max=0.5)", "torch.clip": "torch.clip(a, min=0)",
    "torch.clamp_max": "torch.clamp_max(a, 0.5)", "torch.clamp_min": "torch.clamp_min(a, 0.5)",
    "torch.combinations": "torch.combinations(v, 2)", "torch.complex": "torch.complex(a, b)",
    "torch.constant_pad_nd": "torch.constant_pad_nd(a, (1, 2), 0.5)",
    "torch.conv1d": "torch.conv1d(seq, more.permute(2, 1, 0))", "torch.conv2d": "torch.conv2d(images, images[:, :, :3, :3], padding=1)",
    "torch.conv3d": "torch.conv3d(volumes, volumes[:, :, :3, :3, :3], stride=1)",
    "torch.conv_tbc": "torch.conv_tbc(seq.permute(2, 0, 1).contiguous(), more.permute(2, 1, 0), v[:2], 1)",
    "torch.conv_transpose2d": "torch.conv_transpose2d(images, images.permute(1, 0, 2, 3)[:, :, :3, :3], stride=2)",
    "torch.cosine_similarity": "torch.cosine_similarity(a, b, dim=1)", "torch.cross": "torch.cross(m, spd, dim=1)",
    "torch.count_nonzero": "torch.count_nonzero(i, dim=1)", "torch.diag": "torch.diag(v, 1)",
    "torch.diagonal_scatter": "torch.diagonal_scatter(m, rows[:, 0])", "torch.diff": "torch.diff(a, n=2, dim=1)",
    "torch.div": "torch.div(a, b, rounding_mode='floor')", "torch.dsplit": "torch.dsplit(many, 2)",
    "torch.einsum": "torch.einsum('ij,jk->ik', a, t)", "torch.eye": "torch.eye(3, 4)",
    "torch.flatten": "torch.flatten(many, 1)", "torch.flip": "torch.flip(a, (0, 1))",
    "torch.from_numpy": "torch.from_numpy(np.ones((2, 3)))", "torch.full": "torch.full((2, 3), 0.5, dtype=torch.float32)",
    "torch.full_like": "torch.full_like(a, 0.5)", "torch.gather": "torch.gather(a, 1, i)",
    "torch.histc": "torch.histc(a, 4, min=-1, max=1)", "torch.hsplit": "torch.hsplit(a, 2)", "torch.vsplit": "torch.vsplit(a, 3)",
    "torch.imag": "torch.imag(z)", "torch.real": "torch.real(z)", "torch.view_as_real": "torch.view_as_real(z)",
    "torch.view_as_complex": "torch.view_as_complex(pairs)", "torch.polar": "torch.polar(p, a)",
    "torch.index_add": "torch.index_add(a, 0, permutation, b)", "torch.index_fill": "torch.index_fill(a, 0, labels, 2.0)",
    "torch.index_select": "torch.index_select(a, 0, labels)", "torch.is_nonzero": "torch.is_nonzero(scalar)",
    "torch.kaiser_window": "torch.kaiser_window(6)", "torch.kthvalue": "torch.kthvalue(a, 2)",
    "torch.ldexp": "torch.ldexp(a, b)", "torch.lerp": "torch.lerp(a, b, 0.3)", "torch.linspace": "torch.linspace(0, 1, 5)",
    "torch.logspace": "torch.logspace(0, 1, 5)", "torch.lu_solve": "torch.lu_solve(a, spd, (permutation * 0 + 3).to(torch.int32))",
    "torch.lu_unpack": "torch.lu_unpack(spd, (permutation + 1).to(torch.int32))", "torch.masked_fill": "torch.masked_fill(a, mask, 0.5)",
    "torch.masked_scatter": "torch.masked_scatter(a, mask, b)", "torch.masked_select": "torch.masked_select(a, mask)",
    "torch.matrix_power": "torch.matrix_power(m, 3)", "torch.max": "torch.max(a, 1)", "torch.min": "torch.min(a, dim=1, keepdim=True)",
    "torch.max_pool2d": "torch.max_pool2d(images, 2)", "torch.max_pool3d": "torch.max_pool3d(volumes, 2)",
    "torch.mean": "torch.mean(a, 1, keepdim=True)", "torch.median": "torch.median(a, 1)", "torch.meshgrid": "torch.meshgrid(v, w, indexing='ij')",
    "torch.multinomial": "torch.multinomial(p, 2)", "torch.mvlgamma": "torch.mvlgamma(p, 1)",
    "torch.nanmean": "torch.nanmean(a, 1)", "torch.nanmedian": "torch.nanmedian(a, 1)", "torch.nansum": "torch.nansum(a, 1)",
    "torch.nanquantile": "torch.nanquantile(a, 0.3, dim=1)", "torch.quantile": "torch.quantile(a, 0.3, dim=1, keepdim=True)",
    "torch.norm": "torch.norm(a, 2, 1)", "torch.normal": "torch.normal(0.0, 1.0, (3, 4))", "torch.poisson": "torch.poisson(p)",
    "torch.orgqr": "torch.orgqr(m, rows[:, 0])", "torch.ormqr": "torch.ormqr(m, rows[:, 0], a)",
    "torch.pdist": "torch.pdist(a)", "torch.permute": "torch.permute(many, (2, 0, 1))",
    "torch.pixel_shuffle": "torch.pixel_shuffle(images, 2)", "torch.pixel_unshuffle": "torch.pixel_unshuffle(images, 2)",
    "torch.polygamma": "torch.polygamma(1, p)", "torch.pow": "torch.pow(a, 2)", "torch.prelu": "torch.prelu(a, v)",
    "torch.prod": "torch.prod(a, 1)", "torch.randint": "torch.randint(2, 9, (3, 4))", "torch.randint_like": "torch.randint_like(a, 9)",
    "torch.range": "torch.range(0, 4, 1)", "torch.renorm": "torch.renorm(a, 2, 0, 1.0)",
    "torch.repeat_interleave": "torch.repeat_interleave(a, 2, dim=1)", "torch.reshape": "torch.reshape(a, (4, 3))",
    "torch.roll": "torch.roll(a, 1, 0)", "torch.rot90": "torch.rot90(a, 1, (0, 1))", "torch.round": "torch.round(a, decimals=1)",
    "torch.scatter": "torch.scatter(a, 0, i, b)", "torch.scatter_add": "torch.scatter_add(a, 0, i, b)",
    "torch.searchsorted": "torch.searchsorted(sorted, a, right=True)", "torch.select": "torch.select(a, 1, 2)",
    "torch.select_scatter": "torch.select_scatter(a, v, 0, 1)", "torch.slice_scatter": "torch.slice_scatter(a, rows, 1, 1, 2)",
    "torch.split": "torch.split(a, 2, dim=1)", "torch.squeeze": "torch.squeeze(rows, 1)", "torch.unsqueeze": "torch.unsqueeze(a, 1)",
    "torch.std": "torch.std(a, 1, keepdim=True)", "torch.var": "torch.var(a, dim=1, unbiased=False)",
    "torch.stft": "torch.stft(v, 4, 2, window=p[0], return_complex=False, center=False)", "torch.sum": "torch.sum(a, (0, 1))",
    "torch.svd": "torch.svd(spd)[1]", "torch.take": "torch.take(a, counts)", "torch.take_along_dim": "torch.take_along_dim(a, i, 1)",
    "torch.tensor": "torch.tensor([[1.5, 2.0]])", "torch.as_tensor": "torch.as_tensor([1, 2])", "torch.asarray": "torch.asarray([1.0])",
    "torch.scalar_tensor": "torch.scalar_tensor(2.0)", "torch.tensor_split": "torch.tensor_split(a, 2, dim=1)",
    "torch.tensordot": "torch.tensordot(many, more, dims=([0, 2], [0, 1]))", "torch.threshold": "torch.threshold(a, 0.1, 0.5)",
    "torch.tile": "torch.tile(a, (2, 1))", "torch.topk": "torch.topk(a, 2, dim=1)", "torch.tril": "torch.tril(a, 1)", "torch.triu": "torch.triu(a, -1)",
    "torch.tril_indices": "torch.tril_indices(3, 4)", "torch.triu_indices": "torch.triu_indices(3, 4, 1)",
    "torch.triangular_solve": "torch.triangular_solve(a, spd)", "torch.unflatten": "torch.unflatten(a, 1, (2, 2))",
    "torch.unique": "torch.unique(i)", "torch.unique_consecutive": "torch.unique_consecutive(i)", "torch.vander": "torch.vander(v, 3)",
    "torch.where": "torch.where(mask, a, b)", "torch.index_put": "torch.index_put(a, (permutation,), b)",
    "torch.isin": "torch.isin(i, j)", "torch.numel": "torch.numel(a)", "torch.is_tensor": "torch.is_tensor(a)",
    "torch.celu": "torch.celu(a, 0.5)", "torch.hardshrink": "torch.hardshrink(a, 0.3)",
    "torch.cov": "torch.cov(a)",
}  # fmt: skip
