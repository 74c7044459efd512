"""The primitives that nodes name: found by MindSpore's names, made with the attributes that a file gives."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchspore.common.names.class_modules import module_of
from torchspore.common.type_numbers import type_id_to_type
from torchspore.engine.primitive import Primitive
from torchspore.ops import auto_generate
from torchspore.serialization.mindir.messages import PrimitiveKind

__all__ = ["UNKNOWN", "NoSuchPrimitive", "calling", "class_of"]

UNKNOWN = object()
"""An input whose value is not known before the graph runs."""

# What a file may run: operations on tensors. Those that run Python, write files, print or talk to other processes are
# in other folders.
_FOLDERS = (
    "array", "attention", "conv", "experts", "gradients", "image", "linalg", "losses", "math", "neural", "pooling",
    "random", "recurrent", "sparse", "updates",
)  # fmt: skip
_COMPATIBLE = ("compiler_names", "generated_forms", "generated_names", "private_kernels", "private_primitives")
_ALLOWED = (
    *[f"torchspore.ops.{folder}." for folder in _FOLDERS], *[f"torchspore.ops.compat.{name}" for name in _COMPATIBLE],
    "torchspore.mint.", "torchspore.scipy.", "torchspore.numpy.",
)  # fmt: skip
_OF_PACKAGES = ("torchspore.ops", "torchspore.mint")  # operations with second names
_NOT_OF_MINT = "torchspore.mint.distributed"
# Parts of names, in lower case: strides reach what no element of a tensor is, and memory may have other programs' data.
_REFUSED = ("asstrided", "empty")
_OLD_NAMES = {"ResizeBilinear": "ResizeBilinearV2"}
# Attributes that have other names than the parameters.
_SOURCES = {
    "data_format": "format", "Seed0": "seed", "Seed1": "seed2", "dim": "axis", "return_inverse": "return_idx",
    "reduction": "reduce", "dtype": "dst_type",
}  # fmt: skip
# Sizes of windows, which files give for all dimensions of images and volumes, and constructors take for those of space.
_WINDOW_SIZES = ("kernel_size", "stride", "strides", "dilation")
_MAX_SPACE = 3
_CHANNELS_LAST = {"MaxPoolWithArgmax"}  # whatever their format is
# The numbers that stand for texts where attributes are inputs, by the parameter.
_WINDOWS = {0: "pad", 1: "same", 2: "valid"}
_REDUCTIONS = {0: "sum", 1: "mean", 2: "none"}
_EDGES = {0: "zeros", 1: "border", 2: "reflection"}
_LAYOUTS = {0: "BSH", 1: "BNSD", 2: "SBH", 3: "BSND", 4: "TND", 5: "TH"}
_TEXTS: dict[str, dict[int, str]] = {
    "data_format": {0: "NCHW", 1: "NHWC", 14: "NCDHW", 17: "NDHWC"},
    "pad_mode": _WINDOWS,
    "coordinate_transformation_mode": {0: "asymmetric", 1: "align_corners", 2: "half_pixel"},
    "driver": {0: "gels", 1: "gelsy", 2: "gelsd", 3: "gelss"},
    "indexing": {0: "ij", 1: "xy"},
    "layout": _LAYOUTS,
    "reduction": _REDUCTIONS,
    "interpolation_mode": {0: "bilinear", 1: "nearest"},
    "padding_mode": _EDGES,
    "norm": {0: "backward", 1: "forward", 2: "ortho"},
    "rounding_mode": {1: "trunc", 2: "floor"},
    "approximate": {2: "none", 10: "tanh"},
    "reduce": {1: "add", 2: "none"},
    "input_layout": _LAYOUTS,
}
_PADDED = {"Conv1DPadding", "Conv2DPadding", "Conv3DPadding", "ConvolutionStr", "ExtractImagePatches"}
_OF_PADDING = {"pad", "pad_list", "ceil_mode"}  # only for the mode "pad"
_FLAGS = {"ceil_mode", "count_include_pad"}  # bools that files have as numbers
_TYPES = ("dtype", "dst_type", "argmax_type", "output_type")  # and what ends so


class NoSuchPrimitive(ValueError):
    """There is no such primitive here, or files may not use it."""


@functools.cache
def class_of(name: str) -> type[Primitive]:
    """Return the class of the primitives of a name.

    Raises:
        NoSuchPrimitive: there is none that a file may use.
    """
    name = _OLD_NAMES.get(name, name)
    found = getattr(auto_generate, name, None) if name.isidentifier() and name[:1].isalpha() else None
    if not isinstance(found, type) or not issubclass(found, Primitive):
        raise NoSuchPrimitive("TorchSpore has none")
    module = module_of(found)
    allowed = module in _OF_PACKAGES or (module.startswith(_ALLOWED) and not module.startswith(_NOT_OF_MINT))
    if not allowed or any(part in name.replace("_", "").lower() for part in _REFUSED):
        raise NoSuchPrimitive("files may not use it")
    return found


def calling(
    name: str, kind: int, attributes: Mapping[str, Any], constants: Sequence[Any]
) -> tuple[Callable[..., Any], Sequence[Any]]:
    """Return what computes a node, and the constants for its inputs.

    Args:
        name: the primitive's name.
        kind: how it takes its attributes, a `PrimitiveKind`.
        attributes: its attributes.
        constants: the node's inputs as far as they are known, `UNKNOWN` for others.

    Raises:
        NoSuchPrimitive: there is none that a file may use.
        TypeError, ValueError: the attributes do not fit.
    """
    found = class_of(name)
    parameters = _named(found.__init__)
    if kind != PrimitiveKind.PRIMITIVE_FUNCTION:
        given = {p: value for p in parameters for value in _given(name, p, attributes)}
        taken = list(_named(found.__call__))
        known = [_as_taken(name, p, value) for p, value in zip(taken, constants)] + list(constants[len(taken) :])
        for parameter in taken[len(known) :]:  # attributes in older versions, inputs in ours
            value = _given(name, parameter, attributes)
            if not value:
                break
            known += value
        return found(**given), known
    inputs = _named(found.__call__)
    names = [*inputs, *parameters]
    known = [_as_taken(name, p, value) for p, value in zip(names, constants)]
    own = dict(zip(list(parameters), known[len(inputs) :]))
    if all(value is not UNKNOWN for value in own.values()):
        return found(**own), known[: len(inputs)]
    count = len(inputs)

    def call(*args: Any) -> Any:
        return found(**dict(zip(parameters, args[count:])))(*args[:count])

    return call, known


def _named(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a method that can be given by position, without `self`."""
    own = list(inspect.signature(function).parameters.values())[1:]
    return {p.name: p for p in own if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)}


def _given(primitive: str, parameter: str, attributes: Mapping[str, Any]) -> list[Any]:
    """Return the value of a parameter among the attributes, in a list; an empty one if it is not among them."""
    if parameter in _OF_PADDING and str(attributes.get("pad_mode", "pad")).lower() != "pad":
        return []  # what the mode pads, not what was given
    for name in (parameter, _SOURCES.get(parameter, parameter)):
        if name in attributes:
            value = attributes[name]
            if parameter in _WINDOW_SIZES and isinstance(value, tuple) and len(value) > _MAX_SPACE:
                last = primitive in _CHANNELS_LAST or str(attributes.get("format")).endswith("C")
                value = value[1:-1] if last else value[2:]
            return [_as_taken(primitive, parameter, value)]
    return []


def _as_taken(name: str, parameter: str, value: Any) -> Any:
    """Return a value as the parameter takes it: texts for the numbers that stand for them, types for theirs."""
    if type(value) is not int:
        return value
    if parameter in _TEXTS or (parameter == "padding" and name in _PADDED):
        return _TEXTS.get(parameter, _WINDOWS).get(value, value)
    if parameter in _FLAGS:
        return bool(value)
    return type_id_to_type(value) if parameter.endswith(_TYPES) else value
