"""The rows whose cases do not agree, and the names without cases, with reasons."""

from __future__ import annotations

RANDOM = """
""".split()

DIFFERENT = {
    "torch.svd mindspore.ops.svd": "the order of the results differs",
}

NO_GRADIENTS = {
    "torch.index_add mindspore.ops.index_add": "MindSpore writes to its first input",
    "torch.nn.KLDivLoss mindspore.nn.KLDivLoss": "MindSpore has no gradient for the target",
    "torch.nn.functional.kl_div mindspore.ops.kl_div": "MindSpore has no gradient for the target",
}

WITHOUT_CASES: dict[str, str] = {
}
