"""The rows whose cases do not agree, and the names without cases, with reasons."""

from __future__ import annotations

RANDOM = """
torch.nn.Dropout torch.nn.RReLU torch.nn.functional.rrelu torch.nn.functional.rrelu_ torch.empty torch.empty_like
torch.Tensor.new_empty torch.rand torch.randn torch.rand_like torch.randn_like torch.randint torch.randint_like
torch.randperm torch.normal torch.bernoulli torch.multinomial torch.poisson torch.Tensor.bernoulli torch.Tensor.multinomial
torch.Tensor.normal_ torch.Tensor.uniform_ torch.Tensor.random_ torch.Tensor.exponential_ torch.Tensor.bernoulli_
torch.nn.Dropout1d torch.nn.Dropout2d torch.nn.Dropout3d torch.nn.functional.dropout torch.nn.functional.dropout1d
torch.nn.functional.dropout2d torch.nn.functional.dropout3d torch.nn.functional.gumbel_softmax
torch.nn.FractionalMaxPool2d torch.nn.FractionalMaxPool3d torch.nn.functional.fractional_max_pool2d
torch.nn.functional.fractional_max_pool3d torch.nn.functional.fractional_max_pool2d_with_indices
torch.nn.functional.fractional_max_pool3d_with_indices
""".split()

DIFFERENT = {
    "torch.svd mindspore.ops.svd": "the order of the results differs",
}

NO_GRADIENTS = {
    "torch.index_add mindspore.ops.index_add": "MindSpore writes to its first input",
    "torch.nn.KLDivLoss mindspore.nn.KLDivLoss": "MindSpore has no gradient for the target",
    "torch.nn.functional.kl_div mindspore.ops.kl_div": "MindSpore has no gradient for the target",
}

WITHOUT_CASES: dict[str, str] = {}
