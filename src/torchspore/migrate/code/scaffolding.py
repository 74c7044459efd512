"""What programs of PyTorch say to its compilers and its type system, and what remains of it in MindSpore."""

from __future__ import annotations

import re

__all__ = ["ANNOTATIONS", "DECORATORS", "QUESTIONS", "VALUES", "public_name"]

# Questions that have one answer outside PyTorch's compilers and its autocast.
QUESTIONS = {
    "torch.jit.is_scripting": "False", "torch.jit.is_tracing": "False", "torch.compiler.is_compiling": "False",
    "torch.compiler.is_exporting": "False", "torch.compiler.is_dynamo_compiling": "False",
    "torch._dynamo.is_compiling": "False", "torch.onnx.is_in_onnx_export": "False",
    "torch.is_autocast_enabled": "False", "torch.is_autocast_cpu_enabled": "False",
}  # fmt: skip

# Decorators that only these compilers read.
DECORATORS = frozenset(
    """
    torch.jit.ignore torch.jit.unused torch.jit.export torch.jit.script_if_tracing torch.fx.wrap
    torch.autograd.function.once_differentiable
    torch.compiler.disable torch.compiler.allow_in_graph torch._dynamo.disable torch._dynamo.allow_in_graph
    """.split()  # noqa: SIM905
)

# Types that are written in annotations.
ANNOTATIONS = {
    "torch.jit.Final": "typing.Final", "torch.dtype": "mindspore.Type", "torch.Size": "tuple", "torch.device": "str",
    **{
        f"torch.jit.annotations.{name}": f"typing.{name}"
        for name in ("Any", "Dict", "Final", "List", "Optional", "Tuple", "Union")
    },
}  # fmt: skip

# Values, not functions.
VALUES = {
    "torch.pi": "math.pi", "torch.e": "math.e", "torch.inf": "math.inf", "torch.nan": "math.nan",
    "torch.contiguous_format": "None", "torch.channels_last": "None", "torch.channels_last_3d": "None",
    "torch.preserve_format": "None",
}  # fmt: skip

# Modules of PyTorch whose classes are public one level above.
_INNER = re.compile(
    r"^torch\.(?:(nn)\.(?:modules(?:\.\w+)?|parameter)|(optim)\.(?!lr_scheduler|swa_utils)[a-z]\w*"
    r"|(utils\.data)\.(?:dataset|dataloader|sampler|distributed)|(autograd)\.function)\.(?=[A-Z]\w*$)"
)


def public_name(full: str) -> str:
    """Return the public name of a class that is named by the module that defines it."""
    found = _INNER.match(full)
    return f"torch.{found[1] or found[2] or found[3] or found[4]}.{full[found.end() :]}" if found else full
