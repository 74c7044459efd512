"""Methods and attributes of tensors that other families do not show."""

CASES = [
    "x.shape", "x.ndim", "x.dim()", "x.ndimension()", "x.size", "x.itemsize", "x.nbytes", "str(x.dtype)", "x.strides",
    "x.numel()", "x.nelement()", "x.stride()", "x.storage_offset()", "x.is_contiguous()", "x.is_floating_point()",
    "w.is_complex()", "x.is_signed()", "u.is_signed()", "x.has_init", "x.tolist()", "x[0, 0].item()", "k.tolist()",
    "x.asnumpy().tolist()", "x.numpy().tolist()", "x.value()", "x.get_bytes()", "i.get_bytes()",
    "Tensor.from_numpy(np.array([1.0, 2.0]))", "x.data", "x.contiguous()", "x.const_arg", "x.init", "x.hooks()",
    "x.is_pinned()", "x.device", "x.is_meta", "x.itemset(1, 9.0)", "x.itemset((1, 2), 9.0)", "x.where(b, y)",
    "Tensor([1, 2, 1, 3]).unique_with_pad(0)", "x.move_to('CPU')", "x.random_categorical(4).shape",
    "x.cauchy().shape", "x.log_normal().shape", "x.item()", "x.item(9)", "x.itemset(9, 1.0)", "x.kthvalue(9)",
    "x.quantile(2.0)",
]  # fmt: skip
