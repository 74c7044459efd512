# ruff: noqa: E501
"""The rows whose cases do not agree, and the names without cases, with reasons."""

from __future__ import annotations

RANDOM = """
    torch.nn.Dropout torch.nn.RReLU torch.nn.functional.rrelu torch.nn.functional.rrelu_ torch.empty torch.empty_like
    torch.Tensor.new_empty torch.rand torch.randn torch.rand_like torch.randn_like torch.randint torch.randint_like
    torch.randperm torch.normal torch.bernoulli torch.multinomial torch.poisson torch.Tensor.bernoulli
    torch.Tensor.multinomial torch.Tensor.normal_ torch.Tensor.uniform_ torch.Tensor.random_ torch.Tensor.exponential_
    torch.Tensor.bernoulli_ torch.nn.Dropout1d torch.nn.Dropout2d torch.nn.Dropout3d torch.nn.functional.dropout
    torch.nn.functional.dropout1d torch.nn.functional.dropout2d torch.nn.functional.dropout3d
    torch.nn.functional.gumbel_softmax torch.nn.FractionalMaxPool2d torch.nn.FractionalMaxPool3d
    torch.nn.functional.fractional_max_pool2d torch.nn.functional.fractional_max_pool3d
    torch.nn.functional.fractional_max_pool2d_with_indices torch.nn.functional.fractional_max_pool3d_with_indices
"""

DIFFERENT = {
    "torch.svd mindspore.ops.svd": "the order of the results differs",
    "torch.Tensor.svd mindspore.Tensor.svd": "the order of the results differs",
    "torch.linalg.svd mindspore.ops.svd": "the order of the results differs",
    "torch.linalg.lstsq mindspore.ops.lstsq": "MindSpore returns the solution alone",
    "torch.linalg.vander mindspore.ops.vander": "the powers decrease",
}

_WRITTEN = "PyTorch lets the gradient pass the old value"
NO_GRADIENTS = {
    "torch.Tensor.logical_and_": _WRITTEN,
    "torch.Tensor.logical_not_": _WRITTEN,
    "torch.Tensor.logical_or_": _WRITTEN,
    "torch.Tensor.logical_xor_": _WRITTEN,
    "torch.linalg.eigvalsh mindspore.scipy.linalg.eigh": "PyTorch divides the gradient among both triangles",
    "torch.linalg.eigh mindspore.scipy.linalg.eigh": "PyTorch divides the gradient among both triangles",
    "torch.index_add mindspore.ops.index_add": "MindSpore writes to its first input",
    "torch.nn.KLDivLoss mindspore.nn.KLDivLoss": "MindSpore has no gradient for the target",
    "torch.nn.functional.kl_div mindspore.ops.kl_div": "MindSpore has no gradient for the target",
}

# A name that ends with .* stands for all names of a package.
WITHOUT_CASES = {
    "compared in test_table_training.py": """
        torch.optim.* torch.optim.lr_scheduler.* torch.nn.init.*
    """,
    "needs several processes": "torch.distributed.* torch.nn.parallel.DistributedDataParallel",
    "needs a GPU": "torch.cuda.* torch.Tensor.pin_memory",
    "the package of torch is not installed with torch": """
        torchvision.datasets.* torchvision.transforms.* torchvision.ops.* torchaudio.datasets.* torchaudio.transforms.*
        torchtext.data.functional.* torchtext.data.utils.* torchtext.datasets.*
    """,
    "reads files or feeds programs, not tensors": """
        torch.utils.data.* torch.utils.data.distributed.* torch.utils.tensorboard.* torch.save torch.load torch.onnx.export
        torch.jit.*
    """,
    "takes functions or networks, which the tests of rewritten programs run": """
        torch.nn.Module torch.nn.Module.* torch.nn.Sequential torch.nn.ModuleList torch.nn.ModuleDict torch.func.* torch.vmap
        torch.compile torch.autograd.* torch.amp.* torch.cuda.amp.* torch.utils.checkpoint.* torch.nn.TransformerEncoder
        torch.nn.TransformerDecoder torch.optim.Optimizer.* torch.optim.lr_scheduler.LRScheduler.*
        torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_value_ torch.Tensor.register_hook
    """,
    "has a state or an object as its result": """
        torch.Generator torch.manual_seed torch.seed torch.initial_seed torch.get_rng_state torch.set_rng_state
        torch.use_deterministic_algorithms torch.Tensor.data_ptr torch.Tensor.storage torch.Tensor.untyped_storage
        torch.Tensor.set_ torch.Tensor.device torch.Tensor.requires_grad torch.Tensor.requires_grad_
    """,
    "has values that nothing determines": """
        torch.Tensor torch.FloatTensor torch.DoubleTensor torch.HalfTensor torch.IntTensor torch.LongTensor torch.BoolTensor
        torch.Tensor.new
    """,
    "the same as the case with one dimension": "torch.nn.MaxUnpool2d torch.nn.MaxUnpool3d torch.nn.functional.max_unpool3d",
}
