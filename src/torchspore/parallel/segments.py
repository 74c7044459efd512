"""Checkpoints of one network in several files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from torchspore.common.parameter import Parameter
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell
from torchspore.serialization.loading import name_filter
from torchspore.train import load_checkpoint, load_param_into_net

__all__ = ["load_segmented_checkpoints"]


def load_segmented_checkpoints(
    ckpt_file_dir: str, net: Cell | None = None, strict_load: bool = False,
    filter_prefix: str | list[str] | tuple[str, ...] | None = None, dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM", specify_prefix: str | list[str] | tuple[str, ...] | None = None,
    choice_func: Callable[[str], bool] | None = None,
) -> dict[str, Parameter]:  # fmt: skip
    """Load all `.ckpt` files of a folder, the parts of one network, and return the parameters by name.

    Args:
        ckpt_file_dir: the folder. Later files, in the order of their names, override values of the same name.
        net: the network to load the values into. Default: None, none.
        strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func: as in `load_checkpoint`.

    Raises TypeError if `ckpt_file_dir` is not a string, ValueError if there is no such folder, it has no `.ckpt` file,
    or no value is chosen.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint([{"name": "a", "data": ms.Tensor([1.0])}], f"{folder}/part0.ckpt")
        ...     ms.save_checkpoint([{"name": "b", "data": ms.Tensor([2.0])}], f"{folder}/part1.ckpt")
        ...     sorted(ms.load_segmented_checkpoints(folder))
        ['a', 'b']
    """
    api = "load_segmented_checkpoints"
    if not isinstance(ckpt_file_dir, str):
        raise TypeError(f"For '{api}', 'ckpt_file_dir' must be a string, but got {describe(ckpt_file_dir)}.")
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(f"For '{api}', there is no folder '{ckpt_file_dir}'. Check 'ckpt_file_dir'.")
    files = sorted(name for name in os.listdir(ckpt_file_dir) if name.endswith(".ckpt"))
    if not files:
        raise ValueError(f"For '{api}', the folder '{ckpt_file_dir}' has no '.ckpt' file. Check 'ckpt_file_dir'.")
    chosen = name_filter(_tuple(filter_prefix), _tuple(specify_prefix), choice_func)
    loaded: dict[str, Any] = {}
    for name in files:
        loaded.update(load_checkpoint(os.path.join(ckpt_file_dir, name), dec_key=dec_key, dec_mode=dec_mode))
    loaded = {name: value for name, value in loaded.items() if chosen(name)}  # a file alone may have none of them
    if not loaded:
        raise ValueError(f"For '{api}', no value in '{ckpt_file_dir}' is chosen. Check the prefixes and 'choice_func'.")
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def _tuple(prefixes: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (prefixes,) if isinstance(prefixes, str) else tuple(prefixes or ())
