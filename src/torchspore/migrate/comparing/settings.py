"""The settings of layers under one name for both frameworks: how they are read, and set for another run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from torchspore.migrate.comparing.alignment import kind
from torchspore.nn.cell import Cell

__all__ = ["Setting", "can_set", "changed", "settings_of"]

Read = Callable[[Any], Any]
Write = Callable[[Any, Any], "dict[str, Any]"]
_MISSING = object()


@dataclass(frozen=True)
class Setting:
    """A setting of some kinds of layers.

    Attributes:
        name: what the report calls it.
        kinds: the beginnings of names of classes that have it.
        cell, module: the attribute, or a function that reads the value from the layer.
        set_cell, set_module: return the attributes that give a layer a value; None: the attribute itself.
        others: values to try when the other side's is not known.
    """

    name: str
    kinds: tuple[str, ...]
    cell: str | Read
    module: str | Read
    set_cell: Write | None = None
    set_module: Write | None = None
    others: tuple[Any, ...] = ()

    def applies(self, layer: Any) -> bool:
        """Return whether a layer has the setting."""
        names = {kind(base.__name__) for base in type(layer).__mro__}
        return any(name in names or (name.endswith("*") and any(n.startswith(name[:-1]) for n in names))
                   for name in self.kinds)  # fmt: skip

    def read(self, layer: Any) -> Any:
        """Return the value in a layer, or `_MISSING`."""
        source = self.cell if _is_mindspore(layer) else self.module
        try:
            return getattr(layer, source) if isinstance(source, str) else source(layer)
        except (AttributeError, IndexError, TypeError):
            return _MISSING

    def attributes(self, layer: Any, value: Any) -> dict[str, Any]:
        """Return the attributes that give a layer the value; none if that is not possible."""
        is_cell = _is_mindspore(layer)
        write, source = (self.set_cell, self.cell) if is_cell else (self.set_module, self.module)
        if write is not None:
            return write(layer, value)
        return {source: value} if isinstance(source, str) else {}


def _is_mindspore(layer: Any) -> bool:
    """Return whether a layer has MindSpore's arguments; layers of `mint.nn` have torch's."""
    return hasattr(layer, "is_recorded") or (isinstance(layer, Cell) and ".mint." not in type(layer).__module__)


def settings_of(layer: Any) -> dict[str, Any]:
    """Return the settings of a layer by their names."""
    found = {setting.name: setting.read(layer) for setting in SETTINGS if setting.applies(layer)}
    return {name: value for name, value in found.items() if value is not _MISSING}


def can_set(layer: Any, name: str, value: Any) -> bool:
    """Return whether a layer can be given a setting."""
    return any(s.name == name and s.applies(layer) and s.attributes(layer, value) for s in SETTINGS)


@contextlib.contextmanager
def changed(layer: Any, values: dict[str, Any]) -> Iterator[None]:
    """Give a layer other settings in the block, those that `can_set`."""
    attributes: dict[str, Any] = {}
    for setting in SETTINGS:
        if setting.name in values and setting.applies(layer):
            attributes |= setting.attributes(layer, values[setting.name])
    previous = {name: getattr(layer, name) for name in attributes}
    try:
        for name, value in attributes.items():
            setattr(layer, name, value)
        yield
    finally:
        for name, value in previous.items():
            setattr(layer, name, value)


# Convolutions and pools: padding is "same", or the pairs (before, after) of the dimensions


def _count(layer: Any) -> int:
    return next((n for n in (1, 2, 3) if f"{n}d" in type(layer).__name__ or f"{n}d" in _bases(layer)), 2)


def _bases(layer: Any) -> str:
    return " ".join(base.__name__ for base in type(layer).__mro__)


def _each(value: Any, count: int) -> tuple[Any, ...]:
    return tuple(value)[-count:] if isinstance(value, (tuple, list)) else (value,) * count


def _sizes(name: str) -> Read:
    return lambda layer: _each(getattr(layer, name), _count(layer))


def _set_sizes(name: str) -> Write:
    def write(layer: Any, value: Any) -> dict[str, Any]:
        old = getattr(layer, name)
        extra = len(old) - len(value) if isinstance(old, tuple) else 0
        return {name: (1,) * max(extra, 0) + tuple(value)}

    return write


def _cell_padding(layer: Any) -> Any:
    pad_mode, count = layer.pad_mode.lower(), _count(layer)
    if pad_mode == "same":
        return "same"
    if pad_mode == "valid":
        return ((0, 0),) * count
    padding = layer.padding if isinstance(layer.padding, tuple) else (layer.padding,) * count
    if len(padding) >= 2 * count:
        padding = padding[-2 * count :]
        return tuple(zip(padding[::2], padding[1::2]))
    return tuple((n, n) for n in padding[-count:])


def _module_padding(layer: Any) -> Any:
    if layer.padding == "same":
        return "same"
    if layer.padding == "valid":
        return ((0, 0),) * _count(layer)
    return tuple((n, n) for n in _each(layer.padding, _count(layer)))


def _set_cell_padding(layer: Any, value: Any) -> dict[str, Any]:
    pooling, count = "Pool" in _bases(layer), _count(layer)
    if value == "same":
        return {"pad_mode": "SAME" if pooling else "same", "padding": 0}
    if not any(n for pair in value for n in pair):
        return {"pad_mode": "VALID" if pooling else "valid", "padding": 0}
    if pooling:
        return {"pad_mode": "PAD", "padding": tuple(before for before, _ in value)} if _even(value) else {}
    flat = tuple(n for pair in value for n in pair)
    return {"pad_mode": "pad", "padding": (0, 0, *flat) if count == 1 else flat}


def _set_module_padding(layer: Any, value: Any) -> dict[str, Any]:
    if value == "same":
        return {"padding": "same"} if "Pool" not in _bases(layer) else {}
    return {"padding": tuple(before for before, _ in value)} if _even(value) else {}


def _even(value: Any) -> bool:
    return all(before == after for before, after in value)


# Others


def _cell_rate(layer: Any) -> float:
    return float(layer.p if layer.p is not None else 1 - layer.keep_prob) if hasattr(layer, "keep_prob") else layer.p


def _set_cell_rate(layer: Any, value: Any) -> dict[str, Any]:
    return {"p": value, "keep_prob": 1 - value} if hasattr(layer, "keep_prob") else {"p": value}


def _softmax_axis(layer: Any) -> Any:
    axis = layer.softmax.axis if hasattr(layer, "softmax") else layer.axis
    return axis[0] if isinstance(axis, (tuple, list)) else axis


def _set_softmax_axis(layer: Any, value: Any) -> dict[str, Any]:
    if hasattr(layer, "softmax"):
        return {"softmax": type(layer.softmax)(value)}
    return {"axis": value}


def _align(layer: Any) -> Any:
    return bool(layer.align_corners)


def _plain(value: Any) -> Any:
    return _MISSING if value is None else value


def _has_bias(layer: Any) -> bool:
    return layer.bias is not None


def _without_bias(layer: Any, value: Any) -> dict[str, Any]:
    if value:
        return {}
    return {"bias": None} | ({"has_bias": False} if hasattr(layer, "has_bias") else {})


def _training(layer: Any) -> Any:
    used = getattr(layer, "use_batch_statistics", None)
    return layer.training if used is None else used


def _set_training(layer: Any, value: Any) -> dict[str, Any]:
    return {"training": value} | ({"use_batch_statistics": None} if hasattr(layer, "use_batch_statistics") else {})


_CONV, _POOL = ("Conv1d", "Conv2d", "Conv3d"), ("MaxPool*", "AvgPool*")
_TRANSPOSED = ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
_LOSSES = ("LossBase", "_Loss")
_EPSILONS = (1e-5, 1e-7, 1e-6, 1e-3, 1e-8, 1e-12)

SETTINGS = (
    Setting("training", ("BatchNorm*", "_BatchNorm", "Dropout*", "InstanceNorm*", "RReLU", "MultiheadAttention", "LSTM",
                         "GRU", "RNN"), _training, _training, _set_training, lambda layer, value: {"training": value},
            (True, False)),
    Setting("padding", (*_CONV, *_TRANSPOSED, *_POOL), _cell_padding, _module_padding, _set_cell_padding,
            _set_module_padding, ("same",)),
    Setting("padding_mode", _CONV, lambda layer: "zeros", "padding_mode", lambda layer, value: {}, ),
    Setting("stride", (*_CONV, *_TRANSPOSED, *_POOL), _sizes("stride"), _sizes("stride"), _set_sizes("stride"),
            _set_sizes("stride")),
    Setting("dilation", (*_CONV, *_TRANSPOSED, "MaxPool*"), _sizes("dilation"), _sizes("dilation"),
            _set_sizes("dilation"), _set_sizes("dilation")),
    Setting("bias", ("Linear", *_CONV, *_TRANSPOSED), _has_bias, _has_bias, _without_bias, _without_bias),
    Setting("groups", (*_CONV, *_TRANSPOSED), "group", "groups"),
    Setting("kernel_size", _POOL, _sizes("kernel_size"), _sizes("kernel_size"), _set_sizes("kernel_size"),
            _set_sizes("kernel_size")),
    Setting("ceil_mode", _POOL, "ceil_mode", "ceil_mode", others=(True, False)),
    Setting("count_include_pad", ("AvgPool*",), "count_include_pad", "count_include_pad", others=(True, False)),
    Setting("divisor_override", ("AvgPool2d", "AvgPool3d"), "divisor_override", "divisor_override"),
    Setting("eps", ("BatchNorm*", "_BatchNorm", "GroupNorm", "InstanceNorm*", "RMSNorm"),
            "eps", "eps", others=_EPSILONS),
    Setting("eps", ("LayerNorm",), lambda layer: getattr(layer, "epsilon", None) or layer.eps, "eps",
            lambda layer, value: {"epsilon" if hasattr(layer, "epsilon") else "eps": value}, others=_EPSILONS),
    Setting("momentum", ("BatchNorm*", "_BatchNorm", "InstanceNorm*"), "momentum", "momentum", others=(0.1, 0.9)),
    Setting("num_groups", ("GroupNorm",), "num_groups", "num_groups"),
    Setting("p", ("Dropout*",), _cell_rate, "p", _set_cell_rate),
    Setting("approximate", ("GELU",), "approximate", "approximate", others=("none", "tanh")),
    Setting("negative_slope", ("LeakyReLU",), "alpha", "negative_slope", others=(0.01, 0.2, 0.1)),
    Setting("alpha", ("ELU", "CELU"), "alpha", "alpha", others=(1.0,)),
    Setting("axis", ("Softmax", "LogSoftmax", "Softmin", "GLU"), _softmax_axis, "dim", _set_softmax_axis,
            others=(-1, 1, 0)),
    Setting("min_val", ("Hardtanh",), "min_val", "min_val"),
    Setting("max_val", ("Hardtanh",), "max_val", "max_val"),
    Setting("lambd", ("Hardshrink", "Softshrink"), "lambd", "lambd"),
    Setting("threshold", ("Threshold",), "threshold", "threshold"),
    Setting("padding", ("ConstantPad*", "ZeroPad*", "ReflectionPad*", "ReplicationPad*"), "padding", "padding"),
    Setting("value", ("ConstantPad*", "ZeroPad*"), "value", "value"),
    Setting("mode", ("Upsample",), "mode", "mode"),
    Setting("align_corners", ("Upsample",), _align, _align, lambda layer, value: {"align_corners": value},
            lambda layer, value: {"align_corners": value}, (True, False)),
    Setting("padding_idx", ("Embedding",), lambda layer: _plain(layer.padding_idx),
            lambda layer: _plain(layer.padding_idx)),
    Setting("start_dim", ("Flatten",), "start_dim", "start_dim"),
    Setting("end_dim", ("Flatten",), "end_dim", "end_dim"),
    Setting("upscale_factor", ("PixelShuffle",), "upscale_factor", "upscale_factor"),
    Setting("num_heads", ("MultiheadAttention",), "num_heads", "num_heads"),
    Setting("batch_first", ("MultiheadAttention", "LSTM", "GRU", "RNN"), "batch_first", "batch_first",
            others=(True, False)),
    Setting("nonlinearity", ("RNN",), "nonlinearity", "nonlinearity", others=("tanh", "relu")),
    Setting("reduction", _LOSSES, "reduction", "reduction", others=("mean", "sum", "none")),
    Setting("label_smoothing", _LOSSES, "label_smoothing", "label_smoothing", others=(0.1, 0.0)),
    Setting("ignore_index", _LOSSES, "ignore_index", "ignore_index", others=(-100, 0, -1)),
    Setting("beta", ("SmoothL1Loss",), "beta", "beta"),
    Setting("delta", ("HuberLoss",), "delta", "delta"),
)  # fmt: skip


def alternatives(layer: Any) -> Iterator[tuple[str, Any]]:
    """Return other common values of a layer's settings, to try when nothing is known of the other side."""
    for setting in SETTINGS:
        if setting.applies(layer):
            current = setting.read(layer)
            for value in setting.others:
                if current is not _MISSING and value != current:
                    yield setting.name, value
