"""Cases of the methods and attributes of tensors that follow from no function."""

from __future__ import annotations

CASES = {
    **{f"torch.Tensor.{name}": f"a.{name}" for name in ["T", "mT", "data", "dtype", "shape", "ndim", "itemsize", "nbytes"]},
    **{f"torch.Tensor.{name}": f"z.{name}" for name in ["mH", "real", "imag"]},
    **{f"torch.Tensor.{name}": f"a.{name}()" for name in ["bfloat16", "bool", "byte", "char", "cdouble", "cfloat", "contiguous", "dim", "double", "element_size", "float", "half", "int", "is_contiguous", "is_signed", "long", "ndimension", "nelement", "short", "storage_offset", "stride", "tolist", "type", "fix", "exp2", "size", "relu", "numel", "is_pinned", "is_shared"]},
    **{f"torch.Tensor.{name}": f"a.clone().{name}()" for name in ["normal_", "uniform_", "random_", "exponential_", "bernoulli_"]},
    "torch.Tensor.numpy": "i.numpy()", "torch.Tensor.addmm_": "m.clone().addmm_(a, a.t())", "torch.Tensor.addbmm_": "m.clone().addbmm_(many, many.transpose(1, 2))",
    "torch.Tensor.baddbmm_": "many[:, :, :3].clone().baddbmm_(many, many.transpose(1, 2))",
    "torch.Tensor.relu_": "a.clone().relu_()", "torch.Tensor.zero_": "a.clone().zero_()", "torch.Tensor.item": "scalar.item()",
    "torch.Tensor.broadcast_to": "v.broadcast_to(3, 4)", "torch.Tensor.expand": "v.expand(3, 4)", "torch.Tensor.expand_as": "v.expand_as(a)",
    "torch.Tensor.repeat": "a.repeat(2, 1)", "torch.Tensor.reshape_as": "a.reshape_as(t[:3, :4])", "torch.Tensor.view": "a.view(4, 3)",
    "torch.Tensor.view_as": "a.view_as(b)", "torch.Tensor.sum_to_size": "a.sum_to_size(1, 4)", "torch.Tensor.to": "a.to(torch.float16)",
    "torch.Tensor.type": "a.type(torch.float16)", "torch.Tensor.type_as": "a.type_as(i)", "torch.Tensor.new_empty": "a.new_empty((2, 3))",
    "torch.Tensor.new_full": "a.new_full((2, 3), 0.5)", "torch.Tensor.new_ones": "a.new_ones((2, 3))", "torch.Tensor.new_zeros": "a.new_zeros((2, 3))",
    "torch.Tensor.new_tensor": "a.new_tensor([1.0, 2.0])", "torch.Tensor.copy_": "a.clone().copy_(b)", "torch.Tensor.fill_": "a.clone().fill_(0.5)",
    "torch.Tensor.fill_diagonal_": "m.clone().fill_diagonal_(0.5)", "torch.Tensor.put_": "a.clone().put_(counts, v)",
    "torch.Tensor.index_copy_": "a.clone().index_copy_(0, permutation, b)", "torch.Tensor.index_copy": "a.index_copy(0, permutation, b)",
    "torch.Tensor.is_same_size": "a.is_same_size(b)", "torch.Tensor.narrow_copy": "a.narrow_copy(1, 1, 2)",
    "torch.Tensor.split_with_sizes": "a.split_with_sizes([1, 3], 1)", "torch.Tensor.unsafe_split_with_sizes": "a.unsafe_split_with_sizes([1, 3], 1)",
    "torch.Tensor.unsafe_split": "a.unsafe_split(2, 1)", "torch.Tensor.unsafe_chunk": "a.unsafe_chunk(2, 1)",
    "torch.Tensor.where": "a.where(mask, b)", "torch.Tensor.conj_physical": "z.conj_physical()", "torch.Tensor.conj_physical_": "z.clone().conj_physical_()",
    "torch.Tensor.float_power_": "a.double().float_power_(2)", "torch.Tensor.exp2_": "a.clone().exp2_()", "torch.Tensor.fix_": "a.clone().fix_()", "torch.Tensor.polygamma": "p.polygamma(1)",
    "torch.Tensor.polygamma_": "p.clone().polygamma_(1)", "torch.Tensor.permute": "many.permute(2, 0, 1)", "torch.Tensor.size": "a.size()",
    "torch.Tensor.permute mindspore.Tensor.transpose": "many.permute((2, 0, 1))", "torch.Tensor.masked_scatter_": "a.clone().masked_scatter_(mask, b)",
    "torch.Tensor.scatter_add_": "a.clone().scatter_add_(0, i, b)", "torch.Tensor.reshape": "a.reshape(4, -1)", "torch.Tensor.tile": "a.tile((2, 1))",
    "torch.Tensor.clamp_max_": "a.clone().clamp_max_(0.5)", "torch.Tensor.clamp_min_": "a.clone().clamp_min_(0.5)", "torch.Tensor.detach": "a.detach()",
    "torch.Tensor.flip": "a.flip((0, 1))", "torch.Tensor.sum": "a.sum(1, keepdim=True)", "torch.Tensor.transpose": "many.transpose(1, 2)",
    "torch.Tensor.div_": "a.clone().div_(b)", "torch.Tensor.log_softmax": "a.log_softmax(1)", "torch.Tensor.softmax": "a.softmax(dim=1)",
    "torch.Tensor.index_put_": "a.clone().index_put_((permutation,), b)", "torch.Tensor.stft": "v.stft(4, 2, window=p[0], return_complex=False, center=False)",
}  # fmt: skip
