"""Kernels of gradients that are the vjp of a forward operation of the same inputs: one table."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore import ops
from torchspore.common.tensor import wrap
from torchspore.engine.op import op
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.gradients.pull_back import pull_back

__all__ = ["KERNELS", "kernel"]


def _picked(x: Tensor, index: Tensor, count: int) -> Tensor:
    """Return the elements with the given indices into the last `count` dimensions."""
    return x.flatten(-count).gather(-1, index.flatten(-count).long()).view(index.shape)


_pick2d, _pick3d = functools.partial(_picked, count=2), functools.partial(_picked, count=3)


def _pick_in_image(x: Tensor, argmax: Tensor) -> Tensor:
    return _pick2d(x, argmax % x.shape[2:].numel())  # the indices count through all channels


def _unused(forward: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a forward that drops attributes, which the other inputs already determine."""
    return lambda *inputs, **attributes: forward(*inputs)


def _deformed(x: Tensor, offsets: Tensor, kernel_size: Any, **attributes: Any) -> Tensor:
    return _call("DeformableOffsets", [x, offsets], {"ksize": kernel_size, **attributes})


_POOL = {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "data_format": "NCHW"}
_WINDOWS = {
    "kernel_size": ..., "strides": None, "pads": 0, "dilation": (1, 1), "ceil_mode": False, "argmax_type": None,
}  # fmt: skip
_WINDOWS3D = {
    "ksize": ..., "strides": ..., "pads": ..., "dilation": (1, 1, 1), "ceil_mode": False, "data_format": "NCDHW",
}  # fmt: skip
_DEFORMED = {
    "strides": ..., "pads": ..., "kernel_size": ..., "dilations": (1, 1, 1, 1), "data_format": "NCHW",
    "deformable_groups": 1, "modulated": True,
}  # fmt: skip
_PLANES = {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "pad_list": 0, "data_format": "NCDHW"}
_DILATED = {"stride": ..., "dilation": ..., "pad_mode": "SAME", "data_format": "NCHW"}
_LRN = {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5}

# By name: what the call takes, the forward, and the attributes with their defaults (`...`: there is none).
# Of what the call takes, ^ marks the gradient of the forward's output, = what the forward takes and is not
# differentiated, - what is not needed, and a final ? what may be None; the result is the gradients of the rest. The
# forward is a primitive of `ops`, whose constructor takes the attributes, or a function of torch tensors.
KERNELS: dict[str, tuple[str, str | Callable[..., Any], dict[str, Any]]] = {
    "ACosGrad": ("x ^dout", torch.acos, {}),
    "AsinGrad": ("x ^dout", torch.asin, {}),
    "AtanGrad": ("x ^dout", torch.atan, {}),
    "FastGeLUGrad": ("^dy x", "FastGeLU", {}),
    "GeLUGrad": ("^dy x -y", "GeLU", {}),
    "HShrinkGrad": ("^gradients features", "HShrink", {"lambd": 0.5}),
    "HSigmoidGrad": ("^grads input_x", "HSigmoid", {}),
    "HSwishGrad": ("^y_grad x", "HSwish", {}),
    "LogSigmoidGrad": ("^dy input -buffer", functional.logsigmoid, {}),
    "MishGradExt": ("^dout x", functional.mish, {}),
    "MvlgammaGrad": ("^y_grad x", torch.mvlgamma, {"p": ...}),
    "PReLUGrad": ("^dy x weight", "PReLU", {}),
    "SiLUGrad": ("^dout x", functional.silu, {}),
    "SoftShrinkGrad": ("^input_grad input_x", "SoftShrink", {"lambd": 0.5}),
    "SoftplusGrad": ("^gradients features", "Softplus", {}),
    "GluGrad": ("^grads x", lambda x, axis: functional.glu(x, axis), {"axis": ...}),
    "L2NormalizeGrad": ("x -y ^dout", "L2Normalize", {"axis": 0, "epsilon": 1e-4}),
    "CdistGrad": ("^grad input_x =input_y -cdist", "Cdist", {"p": 2.0}),
    "PdistGrad": ("^y_grad x -y", functional.pdist, {"p": 2.0}),
    "LstsqV2Grad": ("^gX A B", lambda a, b: torch.linalg.lstsq(a, b).solution, {}),
    "MaskedSelectGrad": ("input =mask ^grad", torch.masked_select, {}),
    "BinaryCrossEntropyGrad": ("input =target ^grad_output =weight?", "BinaryCrossEntropy", {"reduction": "mean"}),
    "KLDivLossGrad": ("^grad input =target", "KLDivLoss", {"reduction": "mean"}),
    "MultiMarginLossGrad": (
        "^y_grad x =target =weight?", "MultiMarginLoss", {"p": 1, "margin": 1.0, "reduction": "mean"},
    ),
    "MultilabelMarginLossGrad": ("^y_grad x =target -is_target", "MultilabelMarginLoss", {"reduction": "mean"}),
    "SigmoidCrossEntropyWithLogitsGrad": ("x =y ^dout", "SigmoidCrossEntropyWithLogits", {}),
    "SoftMarginLossGrad": ("predict =label ^dout", "SoftMarginLoss", {"reduction": "mean"}),
    "AvgPoolGrad": ("x -out ^dout", "AvgPool", _POOL),
    "AvgPoolGradGe": ("x -out ^dout", "AvgPool", _POOL),
    "AvgPoolGradV1": ("x -out ^dout", "AvgPool", _POOL),
    "MaxPoolGrad": ("x -out ^dout", "MaxPool", _POOL),
    "MaxPoolGradV1": ("x -out ^dout", "MaxPool", _POOL),
    "MaxPool3DGrad": ("x -out ^dout", "MaxPool3D", _PLANES),
    "MaxPoolGradWithArgmax": ("x ^grad =argmax", _unused(_pick_in_image), _POOL),
    "MaxPoolGradWithArgmaxV2": ("x ^grad =argmax", _unused(_pick2d), _WINDOWS),
    "MaxPoolGradWithIndices": ("x ^grad =argmax", _unused(_pick2d), _WINDOWS),
    "MaxPool3DGradWithArgmax": ("x ^grads =argmax", _unused(_pick3d), _WINDOWS3D),
    "AdaptiveMaxPool2DGrad": ("^y_grad x =argmax", _pick2d, {}),
    "AdaptiveMaxPool3DGrad": ("^input_grad x =argmax", _pick3d, {}),
    "FractionalMaxPoolGradWithFixedKsize": (
        "origin_input ^out_backprop =argmax", _unused(_pick2d), {"data_format": "NCHW"},
    ),
    "FractionalMaxPool3DGradWithFixedKsize": (
        "origin_input ^out_backprop =argmax", _unused(_pick3d), {"data_format": "NCDHW"},
    ),
    "LRNGrad": ("^grads x -y", "LRN", _LRN),
    "DeformableOffsetsGrad": ("^out_backprop input offsets", _deformed, _DEFORMED),
    "Dilation2DBackpropInput": ("x =filter ^dout", "Dilation2D", _DILATED),
    "Dilation2DBackpropFilter": ("=x filter ^dout", "Dilation2D", _DILATED),
}  # fmt: skip


def kernel(name: str) -> type[Primitive]:
    """Return the primitive of a kernel in `KERNELS`."""
    inputs, forward, attributes = KERNELS[name]
    words = [(word[0] if word[0] in "^=-" else "", word.strip("^=-?"), word.endswith("?")) for word in inputs.split()]
    marks = [mark for mark, _, _ in words]

    def body(*args: Any, **given: Any) -> Any:
        primals = [arg for arg, mark in zip(args, marks) if mark == ""]
        cotangents = [arg for arg, mark in zip(args, marks) if mark == "^"]

        def fitting(arg: Any) -> Any:
            is_other_float = isinstance(arg, Tensor) and arg.is_floating_point() and primals[0].is_floating_point()
            return arg.to(primals[0].dtype) if is_other_float else arg

        def run(*values: Tensor) -> Any:
            rest = iter(values)
            passed = [next(rest) if mark == "" else fitting(arg) for arg, mark in zip(args, marks) if mark in ("", "=")]
            return _call(forward, passed, given)

        gradients = pull_back(run, primals, cotangents)
        return gradients[0] if len(gradients) == 1 else tuple(gradients)

    kinds = {"-": "Any", "": "Tensor", "^": "Tensor", "=": "Tensor"}
    parameter = inspect.Parameter
    taken = [
        parameter(title, parameter.POSITIONAL_OR_KEYWORD, default=None if optional else parameter.empty)
        for _, title, optional in words
    ]
    named = [
        parameter(title, parameter.KEYWORD_ONLY, default=parameter.empty if default is ... else default)
        for title, default in attributes.items()
    ]
    body.__name__ = body.__qualname__ = name
    body.__module__ = __name__
    body.__doc__ = f"The gradient of `{forward if isinstance(forward, str) else name.removesuffix('Grad')}`."
    body.__signature__ = inspect.Signature([*taken, *named])  # type: ignore[attr-defined]
    body.__annotations__ = {
        **{title: kinds[mark] + " | None" * optional for mark, title, optional in words},
        **dict.fromkeys(attributes, "Any"),
        "return": "Tensor" if marks.count("") == 1 else "tuple[Tensor, ...]",
    }
    required = [title for title, default in attributes.items() if default is ...]
    return primitive(name, op(body), *required, **{a: v for a, v in attributes.items() if a not in required})


def _call(forward: str | Callable[..., Any], inputs: list[Any], attributes: dict[str, Any]) -> Any:
    """Return what a function of torch tensors, or a primitive of `ops`, makes of torch tensors."""
    if not isinstance(forward, str):
        return forward(*inputs, **attributes)
    result = getattr(ops, forward)(**attributes)(*[None if value is None else wrap(value) for value in inputs])
    return tuple(part._t for part in result) if isinstance(result, tuple) else result._t
