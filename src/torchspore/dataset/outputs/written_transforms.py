"""The JSON form of transforms, as MindSpore has it: a name, and the arguments as plain values.

Enums are numbers, floats have 32 bits, and arrays are their elements with a shape and a type. MindSpore leaves out the
arguments of some transforms, which are written here, so that these can be read again.
"""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from torchspore.common.dtype import Type, pytype_to_dtype
from torchspore.dataset import audio, text, transforms, vision
from torchspore.dataset.pipeline.given_arguments import given_arguments
from torchspore.dataset.transforms.base import TensorOperation
from torchspore.dataset.transforms.operations import TEXT_TYPES, numpy_type

__all__ = ["read_transform", "written_transforms"]

_FUNCTIONS = "mindspore.dataset.transforms.py_transforms_util"  # the module that MindSpore names for any function

# The numbers that enums have in files, where they differ from Python's and from the enums' order.
_NUMBERS: dict[type[enum.Enum], list[str]] = {
    vision.Inter: ["BILINEAR", "NEAREST", "BICUBIC", "AREA", "PILCUBIC", "ANTIALIAS"],
    transforms.Relational: ["EQ", "NE", "LT", "LE", "GT", "GE"],
    audio.FadeShape: ["LINEAR", "EXPONENTIAL", "LOGARITHMIC", "QUARTER_SINE", "HALF_SINE"],
    audio.NormMode: ["NONE", "ORTHO"],
    audio.NormType: ["NONE", "SLANEY"],
    audio.ScaleType: ["MAGNITUDE", "POWER"],
}
_TYPES = [
    "unknown", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
    "float64", "string", "bytes",
]  # fmt: skip

_NAMES = {"HWC2CHW": "HwcToChw", "SentencePieceTokenizer": "SentencepieceTokenizer", "ToType": "TypeCast"}
_CLASSES = {name: written for written, name in _NAMES.items() if name != "ToType"}
_RENAMED = {
    "BertTokenizer": {"normalization_form": "normalize_form"},
    "FrequencyMasking": {"freq_mask_param": "frequency_mask_param"},
    "Mask": {"operator": "op"},
    "Rotate": {"degrees": "degree"},
}
_DOUBLE = {"OneHot", "RandomApply", "RandomSelectSubpolicy"}  # transforms whose floats keep 64 bits
_WITH_DEVICE = {
    "AdjustBrightness", "AdjustContrast", "AdjustHue", "AdjustSaturation", "AdjustSharpness", "Affine", "AutoContrast",
    "ConvertColor", "Crop", "Decode", "Equalize", "Erase", "GaussianBlur", "HorizontalFlip", "Invert", "Normalize",
    "Pad", "Perspective", "Posterize", "Resize", "ResizedCrop", "Rotate", "Solarize", "VerticalFlip",
}  # fmt: skip
# What MindSpore runs as Python code and writes as the attributes of its objects, and the attributes without arguments.
_PYTHON: dict[str, dict[str, Any]] = {
    "FiveCrop": {"random": False},
    "Grayscale": {"random": False},
    "HsvToRgb": {"random": False},
    "LinearTransformation": {"random": False},
    "MixUp": {"random": False, "image": 0, "label": 0, "is_first": True},
    "RandomErasing": {},
    "RandomGrayscale": {},
    "RandomPerspective": {},
    "RgbToHsv": {"random": False},
    "TenCrop": {"random": False},
    "ToNumpy": {"random": False, "implementation": 0},
    "ToPIL": {"random": False},
}
_PYTHON_SHARED = {"implementation": 1, "output_type": "float64", "transforms": []}
_NOT_ARGUMENTS = {
    "device_target",
    "image",
    "implementation",
    "is_first",
    "label",
    "output_type",
    "random",
    "transforms",
}
_DEFAULTS = [("center", []), ("ignore", []), ("offset", []), ("sigma", [0.0])]  # what stands for None

# Transforms whose size stays one number: the length of the shorter edge.
_SHORTER_EDGE = {"RandomResize", "RandomResizeWithBBox", "Resize", "ResizeWithBBox"}


def written_transforms(operations: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the form of each of several transforms, or of what they are composed of."""
    return [form for operation in operations for form in _forms(operation)]


def _forms(operation: Any) -> Iterator[dict[str, Any]]:
    if type(operation) is transforms.Compose:
        yield from written_transforms(operation.transforms)
    else:
        yield _written(operation)


def _written(operation: Any) -> dict[str, Any]:
    name = type(operation).__name__
    package, kind = _class_of(name)
    if kind is not type(operation) or isinstance(operation, (transforms.PyTransform, text.PythonTokenizer)):
        return {"python_module": _FUNCTIONS, "tensor_op_name": getattr(operation, "__name__", name)}
    params = _WRITERS.get(name, _arguments)(name, given_arguments(operation))
    if name in _WITH_DEVICE:
        params["device_target"] = "CPU"
    form = {"tensor_op_name": _NAMES.get(name, name), "tensor_op_params": params or None}
    if name in _PYTHON or (name == "Decode" and params.get("to_pil")) or "py_size" in params:
        form["python_module"] = f"mindspore.dataset.{package}.transforms"
        form["tensor_op_params"] = {**_PYTHON_SHARED, **_PYTHON.get(name, {}), **params}
    return form


def _class_of(name: str) -> tuple[str, type | None]:
    """Return (package, class) of a transform, which is None if there is none with this name."""
    for package in (transforms, vision, text, audio):
        found = vars(package).get(name)
        if isinstance(found, type) and issubclass(found, TensorOperation):
            return package.__name__.rpartition(".")[2], found
    return "", None


def _arguments(name: str, given: dict[str, Any]) -> dict[str, Any]:
    renamed = _RENAMED.get(name, {})
    return {renamed.get(key, key): _plain(_completed(name, key, value), name) for key, value in given.items()}


def _completed(name: str, key: str, value: Any) -> Any:
    """Return an argument with the elements that one number, two or none stand for."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if key == "fill_value" and number and name != "SlicePatches":
        return [value] * 3
    if key == "size" and number and name not in _PYTHON:
        return [value] if name in _SHORTER_EDGE else [value, value]
    if key == "padding" and name != "PadToSize":
        pair = [value, value] if number else list(value or [0, 0])
        return pair if len(pair) == 4 else pair * 2
    if key in ("ignore", "offset", "center") and (value is None or number):
        return [] if value is None else value if key == "center" else [value]
    if (name, key) == ("RandomAffine", "shear") and value is not None and len(value) == 2:
        return [*value, 0.0, 0.0]
    complete = _COMPLETED.get((name, key))
    return complete(value) if complete and (value is None or number) else value


_JITTER = {("RandomColorAdjust", key): lambda x: [max(0.0, 1 - x), 1 + x] for key in ("brightness", "contrast")}
_COMPLETED: dict[tuple[str, str], Callable[[Any], Any]] = {
    **_JITTER,
    ("RandomColorAdjust", "saturation"): lambda x: [max(0.0, 1 - x), 1 + x],
    ("RandomColorAdjust", "hue"): lambda x: [-x, x],
    ("RandomRotation", "degrees"): lambda x: [-float(x), float(x)],
    ("RandomAffine", "degrees"): lambda x: [-float(x), float(x)],
    ("RandomAffine", "translate"): lambda x: [0.0] * 4,
    ("RandomAffine", "scale"): lambda x: [1.0, 1.0],
    ("RandomAffine", "shear"): lambda x: [0.0] * 4,
    ("Affine", "shear"): lambda x: [float(x), 0.0],
    ("Erase", "value"): lambda x: [float(x)],
    ("GaussianBlur", "kernel_size"): lambda x: [x],
    ("GaussianBlur", "sigma"): lambda x: [0.0 if x is None else x],
    ("RandomPosterize", "bits"): lambda x: [x, x],
    ("Solarize", "threshold"): lambda x: [float(x), float(x)],
}


def _plain(value: Any, name: str) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, enum.Enum):
        return value.value if name in _PYTHON else _number(value)
    if isinstance(value, TensorOperation):
        return _written(value)
    if isinstance(value, (list, tuple)):
        return [_plain(each, name) for each in value]
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, text.Vocab):
        return value.vocab()
    if isinstance(value, (float, np.floating)):
        return float(value) if name in _DOUBLE or name in _PYTHON else float(np.float32(value))
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, (Type, np.dtype, type)):
        return "string" if value in TEXT_TYPES else numpy_type(name, value).name
    return _written(value) if callable(value) else value


def _number(value: enum.Enum) -> int:
    kind = type(value)
    if kind in _NUMBERS:
        return _NUMBERS[kind].index(value.name)
    return int(value) if isinstance(value, int) else list(kind).index(value)


def _array(value: Any) -> dict[str, Any]:
    array = np.asarray(value)
    kind = "string" if array.dtype.kind in "US" else array.dtype.name
    return {"data": array.reshape(-1).tolist(), "shape": list(array.shape), "type": kind}


def _features(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of MFCC and LFCC, and the spectrogram's arguments."""
    key, kind = _INNER[name]
    own = {each: value for each, value in given.items() if each != key}
    inner = {each: p.default for each, p in inspect.signature(kind).parameters.items()} | (given[key] or {})
    inner = {"norm_mel" if each == "norm" else each: value for each, value in inner.items()}
    return _arguments(name, {**inner, **own})


_INNER: dict[str, tuple[str, type]] = {
    "MFCC": ("melkwargs", audio.MelSpectrogram),
    "LFCC": ("speckwargs", audio.Spectrogram),
}


def _decode(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return dict(given) if given["to_pil"] else {"rgb": True}


def _crop(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return _arguments(name, {**given, "coordinates": given["coordinates"][::-1]})


def _mask(name: str, given: dict[str, Any]) -> dict[str, Any]:
    dtype = _TYPES.index(numpy_type(name, given["dtype"]).name)
    return {"op": _number(given["operator"]), "constant": _array(given["constant"]), "dtype": dtype}


def _policy(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"policy": [[{"tensor_op": _written(op), "prob": prob} for op, prob in each] for each in given["policy"]]}


def _resize(name: str, given: dict[str, Any]) -> dict[str, Any]:
    if given["interpolation"] is not vision.Inter.ANTIALIAS:
        return _arguments(name, given)
    size = given["size"]
    return {"py_size": size, "c_size": _completed(name, "size", size), "interpolation": 1, "random": False}


def _slices(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"slices": [_slice(each) for each in given["slices"]]}


def _slice(value: Any) -> Any:
    if isinstance(value, slice):
        return {"start": value.start, "stop": value.stop, "step": value.step}
    return "..." if value is Ellipsis else value


_WRITERS: dict[str, Callable[[str, dict[str, Any]], dict[str, Any]]] = {
    "Concatenate": lambda name, given: {
        **given,
        **{key: _array(given[key]) for key in ("prepend", "append") if given[key] is not None},
    },
    "Crop": _crop,
    "Decode": _decode,
    "Fill": lambda name, given: _array(given["fill_value"]),
    "LFCC": _features,
    "MFCC": _features,
    "Mask": _mask,
    "PadEnd": lambda name, given: {
        **_arguments(name, given),
        "pad_value": None if given["pad_value"] is None else _array(given["pad_value"]),
    },
    "RandomSelectSubpolicy": _policy,
    "Resize": _resize,
    "Slice": _slices,
    "ToVectors": lambda name, given: {},  # the vectors are too many
}


def read_transform(form: Any) -> Any:
    """Return the transform of a form, MindSpore's or ours.

    Raises:
        RuntimeError: it is a function of Python, there is no such transform, or its arguments are not written.
        ValueError, TypeError, KeyError: its arguments are wrong.
    """
    name = form["tensor_op_name"]
    name = _CLASSES.get(name, name)
    _, kind = _class_of(name)
    if kind is None or form.get("python_module") == _FUNCTIONS:
        raise RuntimeError(f"For 'deserialize', a function of Python cannot be read, but got {name!r:.100}.")
    params = form.get("tensor_op_params")
    parameters = inspect.signature(kind).parameters
    if params is None and parameters:
        raise RuntimeError(f"For 'deserialize', the arguments of '{name}' are not written: MindSpore leaves them out.")
    if name in _READERS:
        return kind(*_READERS[name](params))
    if name in _INNER:
        params = _with_inner(name, params)
    back = {written: own for own, written in _RENAMED.get(name, {}).items()}
    named = {back.get(key, key): value for key, value in (params or {}).items()}
    enums = _enums(kind)
    return kind(**{
        key: _member(enums[key], value, by_value=name in _PYTHON) if key in enums else _argument(key, value)
        for key, value in named.items()
        if (key in parameters or key not in _NOT_ARGUMENTS) and (key, value) not in _DEFAULTS and value is not None
    })  # fmt: skip


def _enums(kind: type) -> dict[str, type[enum.Enum]]:
    """Return the enums among the types of the arguments of a class."""
    init: Any = kind.__init__  # type: ignore[misc]
    hints = typing.get_type_hints(inspect.unwrap(init))
    return {key: found for key, hint in hints.items() if (found := _enum(hint)) is not None}


def _enum(hint: Any) -> type[enum.Enum] | None:
    """Return the enum that an annotation names, or of which it lists members."""
    if isinstance(hint, enum.Enum):
        return type(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint
    return next(filter(None, map(_enum, typing.get_args(hint))), None)


def _argument(key: str, value: Any) -> Any:
    """Return an argument from its plain value."""
    if key in ("size", "kernel_size", "sigma", "value") and isinstance(value, list) and len(value) == 1:
        return value[0]
    if key in ("left_pad", "right_pad", "fill_value", "value", "center") and isinstance(value, list):
        return tuple(value)
    if key == "hop_length":  # a float in files
        return int(value)
    return pytype_to_dtype(np.dtype(value)) if key == "data_type" and value != "string" else _read(value)


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        if "tensor_op_name" in value:
            return read_transform(value)
        if value.keys() == {"data", "shape", "type"}:
            return _read_array(value)
        if value and all(isinstance(number, int) for number in value.values()):
            return text.Vocab.from_dict(value)
        return {key: _read(each) for key, each in value.items()}
    return [_read(each) for each in value] if isinstance(value, list) else value


def _member(kind: type[enum.Enum], number: Any, by_value: bool = False) -> Any:
    if by_value or isinstance(number, str):  # in what MindSpore writes as attributes
        return kind(number)
    return kind[_NUMBERS[kind][number]] if kind in _NUMBERS else list(kind)[number]


def _read_array(form: dict[str, Any]) -> Any:
    kind = np.str_ if form["type"] == "string" else np.dtype(form["type"])
    array = np.array(form["data"], kind).reshape(form["shape"])
    return array if array.ndim else array.item()


def _with_inner(name: str, params: dict[str, Any]) -> dict[str, Any]:
    key, kind = _INNER[name]
    outer = inspect.signature(_class_of(name)[1] or object).parameters
    enums = _enums(kind)
    inner = {each: value for each, value in params.items() if each not in outer}
    inner = {"norm" if each == "norm_mel" else each: value for each, value in inner.items() if value is not None}
    inner = {each: _member(enums[each], value) if each in enums else value for each, value in inner.items()}
    return {key: inner, **{each: value for each, value in params.items() if each in outer}}


def _read_policy(params: dict[str, Any]) -> list[Any]:
    return [[[(read_transform(each["tensor_op"]), each["prob"]) for each in chain] for chain in params["policy"]]]


def _read_slice(value: Any) -> Any:
    if isinstance(value, dict):
        return slice(value["start"], value["stop"], value["step"])
    return Ellipsis if value == "..." else value


_READERS: dict[str, Callable[[dict[str, Any]], list[Any]]] = {
    "Compose": lambda params: [[read_transform(each) for each in params["transforms"]]],
    "Crop": lambda params: [params["coordinates"][::-1], params["size"]],
    "Decode": lambda params: [params.get("to_pil", False)],
    "Fill": lambda params: [_read_array(params)],
    "Mask": lambda params: [
        _member(transforms.Relational, params["op"]), _read_array(params["constant"]),
        pytype_to_dtype(np.dtype(_TYPES[params["dtype"]])),
    ],
    "RandomErasing": lambda params: [
        *[params[key] for key in ("prob", "scale", "ratio")], _argument("value", params["value"]), params["inplace"],
        params["max_attempts"],
    ],
    "RandomSelectSubpolicy": _read_policy,
    "Resize": lambda params: [
        _argument("size", params.get("size", params.get("py_size"))),
        _member(vision.Inter, params["interpolation"], by_value="py_size" in params),
    ],
    "Slice": lambda params: [_read_slice(each) for each in params["slices"]],
}  # fmt: skip
