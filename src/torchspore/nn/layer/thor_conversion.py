"""Networks whose layers gather the statistics of THOR."""

from __future__ import annotations

from typing import Any

from torchspore.engine.parameters import checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.basic import Dense
from torchspore.nn.layer.conv import Conv2d
from torchspore.nn.layer.embedding import Embedding, EmbeddingLookup
from torchspore.nn.layer.thor_layer import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor

__all__ = ["ConvertNetUtils"]


class ConvertNetUtils:
    """Replaces layers of a network by ones that gather the statistics of the optimizer `nn.thor`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.layer.thor_conversion import ConvertNetUtils
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.ReLU())
        >>> ConvertNetUtils().convert_to_thor_net(net)
        >>> type(net[0]).__name__
        'DenseThor'
    """

    @checked
    def convert_to_thor_net(self, net: Cell) -> None:
        """Replace the layers inside a network, which keep their parameters and the parameters' names.

        These are `Dense`, `Conv2d` (without groups, "NCHW"), `Embedding`, and `EmbeddingLookup` with the target
        "DEVICE", but not their subclasses, if their weights are trained. `nn.thor` calls this itself. Unlike in
        MindSpore, they still compute in their own data type.

        Args:
            net: the network, a Cell.
        """
        for cell in [cell for _, cell in net.cells_and_names()]:
            for name, child in list(cell._cells.items()):
                if type(child) not in _CONVERSIONS or not next(iter(child._params.values())).requires_grad:
                    continue
                converted = _CONVERSIONS[type(child)](child)
                if converted is not None:
                    _adopt(converted, child)
                    cell.insert_child_to_cell(name, converted)
        net.update_cell_prefix()
        net.update_cell_type("second-order")


def _adopt(layer: Any, old: Cell) -> None:
    """Give a new layer the parameters of the old one, and names like theirs to its own."""
    for name, parameter in old._params.items():
        layer._params[name] = parameter
        if parameter is not None:
            prefix = parameter.name.removesuffix(name)
    for name, parameter in layer._params.items():
        if name not in old._params:
            parameter.name = prefix + parameter.name
    layer.set_train(old.training)
    layer._set_precision(old._precision)


def _dense(old: Dense) -> DenseThor:
    return DenseThor(old.in_channels, old.out_channels, has_bias=old.has_bias, activation=old.activation)


def _conv(old: Conv2d) -> Conv2dThor | None:
    if old.group > 1 or old.data_format != "NCHW":
        return None
    settings: Any = (old.kernel_size, old.stride, old.pad_mode, old.padding, old.dilation, old.group, old.has_bias)
    return Conv2dThor(old.in_channels, old.out_channels, *settings)


def _embedding(old: Embedding) -> EmbeddingThor:
    return EmbeddingThor(old.vocab_size, old.embedding_size, old.use_one_hot, dtype=old.dtype)


def _lookup(old: EmbeddingLookup) -> EmbeddingLookupThor | None:
    if old.target != "DEVICE":
        return None
    settings: Any = (old.slice_mode, old.manual_shapes, old.max_norm, old.sparse)
    return EmbeddingLookupThor(old.vocab_size, old.embedding_size, "zeros", old.target, *settings)


# By the type of a layer, whose first parameter is its weight.
_CONVERSIONS: dict[Any, Any] = {Dense: _dense, Conv2d: _conv, Embedding: _embedding, EmbeddingLookup: _lookup}
