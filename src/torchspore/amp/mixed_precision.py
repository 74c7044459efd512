"""Networks that compute in float16 or bfloat16 where that is safe, and in float32 where it is not."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import torch

from torchspore import nn, ops
from torchspore.common import dtype as mstype
from torchspore.engine.parameters import Rule, checked, one_of
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell
from torchspore.nn.precision import OperationPrecision, Precision

__all__ = ["Level", "auto_mixed_precision", "custom_mixed_precision", "get_black_list", "get_white_list"]

Level: TypeAlias = Literal["O0", "O1", "O2", "O3", "auto"]
_LowType: TypeAlias = Annotated[mstype.Type, one_of(mstype.float16, mstype.bfloat16)]
_CALLABLE_NETWORK = Rule(
    "'network' must be a Cell, or a function at the level 'auto'",
    lambda network, amp_level: isinstance(network, Cell) or (amp_level == "auto" and callable(network)),
    TypeError,
)

_WITH_BIAS = (
    nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Conv1dTranspose, nn.Conv2dTranspose, nn.Conv3dTranspose, nn.Dense,
)  # fmt: skip
_WHITE_CELLS = [*_WITH_BIAS, nn.LSTMCell, nn.RNNCell, nn.GRUCell]
_WHITE_PRIMITIVES = [
    getattr(ops, name)
    for name in (
        "Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "Conv2DBackpropInput", "MatMul", "BatchMatMul",
        "PReLU", "ReLU", "Ger",
    )
]  # fmt: skip
_BLACK_CELLS = [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm]

# The torch functions of primitives with different names.
_TORCH_NAMES = {
    "Conv2D": "convolution conv2d",
    "Conv3D": "convolution conv3d",
    "Conv2DTranspose": "convolution conv_transpose2d",
    "Conv2DBackpropInput": "convolution conv_transpose2d",
    "Conv3DTranspose": "convolution conv_transpose3d",
    "MatMul": "matmul mm",
    "BatchMatMul": "matmul bmm",
    "PReLU": "prelu",
    "ReLU": "relu",
    "Ger": "ger outer",
}

# The level "auto", by the names of torch's functions.
_LOWERED = frozenset((
    "addbmm", "addmm", "addmv", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "convolution", "einsum", "linear", "matmul", "mm", "mv", "prelu",
))  # fmt: skip
_FULL = frozenset((
    "acos", "asin", "batch_norm", "binary_cross_entropy_with_logits", "cdist", "cosh", "cumprod", "cumsum", "erfinv",
    "exp", "expm1", "group_norm", "kl_div", "l1_loss", "layer_norm", "linalg_vector_norm", "log", "log10", "log1p",
    "log2", "log_softmax", "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "native_batch_norm",
    "native_group_norm", "native_layer_norm", "nll_loss", "nll_loss2d", "nll_loss_nd", "norm", "pdist", "pow", "prod",
    "reciprocal", "renorm", "rsqrt", "sinh", "smooth_l1_loss", "soft_margin_loss", "softmax", "softplus", "sum",
    "tan", "triplet_margin_loss",
))  # fmt: skip
_WIDEST = frozenset((
    "addcdiv", "addcmul", "cross", "dot", "grid_sample", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d",
))  # fmt: skip


def get_white_list() -> list[Any]:
    """Return the classes of cells and primitives that the level "O1" lowers, in a new list.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Dense in ms.amp.get_white_list()
        True
    """
    return [*_WHITE_CELLS, *_WHITE_PRIMITIVES]


def get_black_list() -> list[type[Cell]]:
    """Return the classes of cells that the level "O2" keeps in float32, in a new list.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.LayerNorm in ms.amp.get_black_list()
        True
    """
    return list(_BLACK_CELLS)


@checked(_CALLABLE_NETWORK)
def auto_mixed_precision(network: Any, amp_level: Level = "O0", dtype: _LowType = mstype.float16) -> Any:
    """Have a network compute in float16 or bfloat16 where a level says so.

    The network itself is changed; its parameters keep their type, and so do their gradients.

    Args:
        network: a Cell; with the level "auto" a function, too.
        amp_level: "O0" changes nothing. "O1" lowers the cells and primitives of `get_white_list`, with results in
            float32. "O2" lowers all cells except `get_black_list`; "O3" lowers all; both have results in
            float32. "auto" decides for each operation: matrix products and convolutions are lowered, exponentials,
            sums, losses and normalisations are in float32, and the others take what they get. Default: "O0".
        dtype: float16 or bfloat16. Default: float16.

    Returns:
        The network, or a function around the function.

    Raises:
        TypeError: `network` is not a Cell, or not callable at the level "auto".
        ValueError: another level or data type.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.amp.auto_mixed_precision(ms.nn.Dense(4, 2, has_bias=False), "auto", ms.bfloat16)
        >>> net(ms.ops.ones((1, 4))).dtype
        torchspore.bfloat16
    """
    api = "auto_mixed_precision"
    low = _torch(dtype)
    if not isinstance(network, Cell):
        return _lowered_function(network, low)
    if amp_level == "O1":
        _lower_listed(network, get_white_list(), low, api)
    elif amp_level in ("O2", "O3"):
        lower_all_but(network, get_black_list() if amp_level == "O2" else [], low)
        _widen_results(network)
    elif amp_level == "auto":
        rules = _by_operation(low)
        for cell in _outermost(network, _WITH_BIAS):
            cell._set_precision(Precision(operations=dataclasses.replace(rules, adds_bias=True)))
        if not isinstance(network, _WITH_BIAS):
            network._set_precision(Precision(operations=rules))
    return network


@checked(Rule(
    "one of 'white_list' and 'black_list' must be given, and not both",
    lambda white_list, black_list: (white_list is None) != (black_list is None),
))  # fmt: skip
def custom_mixed_precision(
    network: Cell,
    *,
    white_list: list[type[Cell | Primitive]] | None = None,
    black_list: list[type[Cell]] | None = None,
    dtype: _LowType = mstype.float16,
) -> Cell:
    """Have the cells and primitives of a list, or all cells not in a list, compute in float16 or bfloat16.

    The network itself is changed; its parameters keep their type, and so do their gradients.

    Args:
        network: a Cell.
        white_list: the classes of cells and primitives to lower; their results are in float32. Default: None.
        black_list: the classes of cells to keep in float32; the network's results are, too. Default: None.
        dtype: float16 or bfloat16. Default: float16.

    Raises:
        ValueError: none of the lists is given, or both, or another data type, or a primitive in `black_list`.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.amp.custom_mixed_precision(ms.nn.Dense(4, 2), white_list=[ms.nn.Dense])
        >>> net(ms.ops.ones((1, 4))).dtype
        torchspore.float32
    """
    low = _torch(dtype)
    if white_list is not None:
        _lower_listed(network, white_list, low, "custom_mixed_precision")
    else:
        lower_all_but(network, black_list or [], low)
        _widen_results(network)
    return network


# Parts that packages import from MindSpore, with which they arrange levels of their own

AMP_WHITE_LIST, AMP_BLACK_LIST = get_white_list(), get_black_list()


def _auto_black_list(network: Cell, black_list: list[Any], dtype: mstype.Type) -> Cell:
    return custom_mixed_precision(network, black_list=black_list, dtype=dtype)


def _auto_mixed_precision_rewrite(
    network: Cell, dtype: mstype.Type, white_list: list[Any] | None = None, black_list: list[Any] | None = None
) -> Cell:
    return custom_mixed_precision(network, white_list=white_list, black_list=black_list, dtype=dtype)


def _lower_listed(network: Cell, listed: list[Any], low: torch.dtype, api: str) -> None:
    cells = tuple(kind for kind in listed if issubclass(kind, Cell))
    names = [name for kind in listed if issubclass(kind, Primitive) for name in _torch_names(kind, api)]
    if names:
        rules = OperationPrecision(low, frozenset(names), restores=True)
        network._set_precision(Precision(operations=rules))
    for cell in _outermost(network, cells):
        _lower(cell, low)
        cell._set_precision(Precision(low, torch.float32))


def lower_all_but(network: Cell, kept: list[Any], low: torch.dtype) -> None:
    """Lower all cells of a network except some classes, which compute in float32; results are lowered, too."""
    _lower(network, low)
    keep_in_full(network, kept, low)


def keep_in_full(network: Cell, kept: list[Any], low: torch.dtype) -> None:
    """Have the cells of some classes compute in float32; their results are lowered."""
    for cell in _outermost(network, tuple(kept)):
        cell.to_float(mstype.float32)
        cell._set_precision(Precision(torch.float32, low))


def _widen_results(network: Cell) -> None:
    precision: Any = network._precision
    network._set_precision(dataclasses.replace(precision, result=torch.float32))


def _lower(network: Cell, low: torch.dtype) -> None:
    network.to_float(mstype.float16 if low is torch.float16 else mstype.bfloat16)


def _outermost(network: Cell, kinds: tuple[Any, ...]) -> list[Cell]:
    """Return the cells of some classes that are in no other such cell."""
    if isinstance(network, kinds):
        return [network]
    return [found for cell in network.cells() for found in _outermost(cell, kinds)]


def _by_operation(low: torch.dtype) -> OperationPrecision:
    return OperationPrecision(low, _LOWERED, _FULL, _WIDEST)


def _lowered_function(function: Callable[..., Any], low: torch.dtype) -> Callable[..., Any]:
    precision = Precision(operations=_by_operation(low))

    @functools.wraps(function)
    def lowered(*args: Any, **kwargs: Any) -> Any:
        return precision.call(lambda args, kwargs: function(*args, **kwargs), [], args, kwargs)

    return lowered


def _torch_names(primitive: type[Primitive], api: str) -> list[str]:
    """Return the names of the torch functions that compute a primitive.

    Raises:
        ValueError: torch computes it in another way.
    """
    name = primitive.__name__
    if name in _TORCH_NAMES:
        return _TORCH_NAMES[name].split()
    own = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if not hasattr(torch, own) and not hasattr(torch.nn.functional, own):
        raise ValueError(
            f"For '{api}', the primitive '{name}' cannot be lowered on its own, as it is not a single operation here. "
            "List the class of the cell that uses it instead."
        )
    return [own]


def _torch(dtype: mstype.Type) -> torch.dtype:
    assert dtype.torch is not None
    return dtype.torch
