"""Loading weights of torch into cells, and weights of MindSpore into torch modules and files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor as TorchTensor

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.storage.writing import replacing
from torchspore.migrate.weights.folding import without_weight_norm
from torchspore.migrate.weights.names import torch_names
from torchspore.migrate.weights.rules import Rules, checked_rules
from torchspore.migrate.weights.slots import slots_of
from torchspore.migrate.weights.torch_files import read_torch_weights, state_dict_in
from torchspore.migrate.weights.weight_map import WeightMap, mapped
from torchspore.nn.cell import Cell
from torchspore.serialization import load_checkpoint
from torchspore.serialization.safetensors_file import write_safetensors

__all__ = ["load_mindspore", "load_torch", "to_torch"]

_PICKLES = (".pth", ".pt", ".bin")


def load_torch(
    cell: Cell,
    path_or_state_dict: str | os.PathLike[str] | Mapping[str, Any] | torch.nn.Module,
    rules: Rules | None = None,
    strict: bool = True,
) -> WeightMap:
    """Load weights of torch into a cell.

    The names are matched as `map_weights` does. What torch's `weight_norm` keeps as lengths and directions becomes one
    weight, unless the cell has lengths (`weight_g`) too. Everything is checked before the first parameter changes.
    Values are converted to the parameters' data types. Nothing in a file is executed.

    Args:
        cell: the cell.
        path_or_state_dict: a `.pth`, `.pt` or `.bin` file that `torch.save` wrote, a `.safetensors` file, a folder as
            published on Hugging Face, or the `.index.json` of several files; or a dictionary of tensors, or a module. A
            dictionary in the file may be nested, as in `{"state_dict": ...}`.
        rules: as for `map_weights`. Default: None.
        strict: whether names without a counterpart are an error, else they are only in the result. Default: True.

    Returns:
        The WeightMap. Print it to see which names matched, and why.

    Raises:
        ValueError: the file does not exist, is damaged, or needs more than weights; or with `strict`, names do not
            match.
        ModuleNotFoundError: the package safetensors is missing.

    Examples:
        >>> import torch, torchspore as ms
        >>> from torchspore import migrate
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.LayerNorm([2]))
        >>> module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.LayerNorm(2))
        >>> print(migrate.load_torch(net, module.state_dict()))
        cell      torch     form      why
        0.weight  0.weight  identity  same name
        0.bias    0.bias    identity  same name
        1.gamma   2.weight  identity  names '1' and '2'
        1.beta    2.bias    identity  names '1' and '2'
    """
    api = "load_torch"
    if not isinstance(cell, Cell):
        raise TypeError(f"For '{api}', 'cell' must be a Cell, but got {describe(cell)}.")
    rename = checked_rules(rules, api)
    weights = _torch_weights(path_or_state_dict, api)
    if not any(name.endswith("_g") for name, _ in cell.parameters_and_names()):
        weights = without_weight_norm(weights)
    result = mapped(cell, weights, rename, api)
    result.copy_to_cell(strict)
    return result


def load_mindspore(
    module: torch.nn.Module,
    path_or_cell: str | os.PathLike[str] | Mapping[str, Any] | Cell,
    rules: Rules | None = None,
    strict: bool = True,
) -> WeightMap:
    """Load weights of MindSpore into a torch module, the reverse of `load_torch`.

    Args:
        module: the module.
        path_or_cell: a `.ckpt` or `.safetensors` file of MindSpore or TorchSpore, a dictionary as `load_checkpoint`
            returns it, or a Cell.
        rules, strict: as for `load_torch`, as are the result and the errors.

    Examples:
        >>> import torch, torchspore as ms
        >>> from torchspore import migrate
        >>> net, module = ms.nn.Dense(3, 2), torch.nn.Linear(3, 2)
        >>> weights = migrate.load_mindspore(module, {"weight": net.weight, "bias": net.bias})
        >>> bool((net.weight.torch == module.weight).all())
        True
    """
    api = "load_mindspore"
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"For '{api}', 'module' must be a torch.nn.Module, but got {describe(module)}.")
    rename = checked_rules(rules, api)
    result = mapped(_mindspore_weights(path_or_cell, api), module, rename, api)
    result.copy_to_torch(strict)
    return result


def to_torch(
    cell: Cell | str | os.PathLike[str] | Mapping[str, Any],
    module: torch.nn.Module | Mapping[str, TorchTensor] | None = None,
    path: str | os.PathLike[str] | None = None,
    rules: Rules | None = None,
    strict: bool = True,
) -> dict[str, TorchTensor]:
    """Return weights of MindSpore as torch's `state_dict`, and save them.

    Args:
        cell: a Cell; or a checkpoint, as for `load_mindspore`.
        module: the module, or a `state_dict`, with the names and shapes for the result; it does not change.
            Default: None, the cell's names, with torch's names for parameters of layers (`weight` for `gamma`).
        path: a `.pth`, `.pt`, `.bin` or `.safetensors` file to write; an old one is replaced at once. Default: None.
        rules, strict: as for `load_torch`, with a `module`.

    Returns:
        New tensors by name, with the data types and on the devices of `module`; without it, on the cell's devices.

    Raises:
        ValueError: with `strict`, names do not match; the checkpoint is damaged, or `path` has another ending.
        OSError: the file cannot be written.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import migrate
        >>> list(migrate.to_torch(ms.nn.BatchNorm2d(3)))
        ['running_mean', 'running_var', 'weight', 'bias']
    """
    api = "to_torch"
    if path is not None:
        _check_ending(path, api)
    rename = checked_rules(rules, api)
    source = _mindspore_weights(cell, api)
    if module is None:
        if rules is not None:
            raise ValueError(f"For '{api}', 'rules' are names of 'module', which is missing. Give both.")
        result = _renamed(source, api)
    else:
        weights = mapped(source, module, rename, api)
        weights.check(strict)
        result = _completed(weights.values("torch"), module, api)
    if path is not None:
        _write(os.fspath(path), result, api)
    return result


def _renamed(source: Any, api: str) -> dict[str, TorchTensor]:
    """Return the weights by torch's names for the parameters of layers, in torch's shapes."""
    slots = slots_of(source, api, "cell")
    names = torch_names([slot.name for slot in slots])
    return {
        name: (slot.tensor.squeeze(2) if _is_flat(slot.layer) and slot.tensor.dim() == 4 else slot.tensor).clone()
        for name, slot in zip(names, slots)
    }


def _is_flat(layer: str) -> bool:
    """Return whether a layer has one spatial dimension, to which MindSpore adds another."""
    return layer in ("Conv1d", "Conv1dTranspose")


def _completed(new: dict[str, TorchTensor], module: Any, api: str) -> dict[str, TorchTensor]:
    """Return all tensors of a module's `state_dict`, with the new values."""
    result = {}
    for slot in slots_of(module, api, "module"):
        old = slot.tensor
        value = new.get((slot.first or slot).name)
        result[slot.name] = old.clone() if value is None else value.to(old.dtype, copy=True)
    return result


# What is read


def _torch_weights(given: Any, api: str) -> Any:
    if isinstance(given, torch.nn.Module):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read_torch_weights(os.fspath(given), api)
    if isinstance(given, Mapping):
        return state_dict_in(given, api, "path_or_state_dict")
    raise TypeError(
        f"For '{api}', 'path_or_state_dict' must be a path, a dict of tensors or a torch.nn.Module, but got "
        f"{describe(given)}."
    )


def _mindspore_weights(given: Any, api: str) -> Any:
    if isinstance(given, Cell):
        return given
    if isinstance(given, (str, os.PathLike)):
        try:
            return _only_tensors(load_checkpoint(given))
        except ValueError as error:
            raise ValueError(str(error).replace("'load_checkpoint'", f"'{api}'", 1)) from error
    if isinstance(given, Mapping):
        return _only_tensors(given)
    raise TypeError(f"For '{api}', the weights must be a Cell, a path or a dict, but got {describe(given)}.")


def _only_tensors(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if isinstance(value, (Tensor, TorchTensor))}


# What is written


def _check_ending(path: Any, api: str) -> None:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"For '{api}', 'path' must be a string, but got {describe(path)}.")
    if not os.fspath(path).endswith((*_PICKLES, ".safetensors")):
        raise ValueError(
            f"For '{api}', 'path' must end with {', '.join(_PICKLES)} or .safetensors, but got '{path}'. MindSpore's "
            "checkpoints are written by save_checkpoint."
        )


def _write(path: str, values: dict[str, TorchTensor], api: str) -> None:
    with replacing(path) as file:
        if path.endswith(".safetensors"):
            write_safetensors(api, file, dict(values), framework="pt")
        else:
            torch.save(values, file)
