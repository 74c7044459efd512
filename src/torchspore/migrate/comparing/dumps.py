"""Dumps: what the layers of a network returned, in a file, for a comparison elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from torchspore.engine.failures.errors import describe
from torchspore.engine.storage.reading import check_regular
from torchspore.engine.storage.writing import replacing
from torchspore.migrate.comparing import plain_recorder
from torchspore.migrate.comparing.alignment import kind
from torchspore.migrate.comparing.calls import Call, Store
from torchspore.migrate.comparing.layers import Sides, forward
from torchspore.migrate.comparing.networks import network, restored
from torchspore.migrate.comparing.settings import settings_of
from torchspore.migrate.comparing.training import with_loss

__all__ = ["Dump", "read_dump", "record", "record_script"]

_VERSION = 1
_PLAIN = (bool, int, float, str)


@dataclass
class Dump:
    """The content of a dump.

    Attributes:
        calls: of the layers; their outputs are in `store`.
        inputs, labels: of the network and the loss.
        weights: by name; the values before the run.
        gradients: of the trained weights, by name; empty if not recorded.
        loss: the value that was differentiated; None if not recorded.
    """

    calls: list[Call]
    store: Store
    inputs: tuple[Any, ...]
    labels: tuple[Any, ...]
    weights: dict[str, torch.Tensor]
    gradients: dict[str, torch.Tensor]
    loss: float | None


def record(net: Any, path: str | os.PathLike[str], *inputs: Any, labels: Any = (), loss: Any = None) -> None:
    """Write what the layers of a network return, its weights and gradients to a file, for `compare`.

    The file has arrays only, and no pickles. On a machine without TorchSpore, the file that `record_script` writes does
    the same with plain MindSpore.

    Args:
        net: a Cell or a torch.nn.Module.
        path: the file, "....npz".
        inputs: the inputs: tensors, arrays or plain values.
        labels: what the loss gets after the output, a tuple or a tensor. Default: ().
        loss: a function or layer of (output, *labels). Default: None, as for `compare`.

    Raises:
        TypeError: `net` is not a network, or an input is of another kind.

    Examples:
        >>> import os, tempfile, torch, torchspore as ms
        >>> from torchspore import migrate
        >>> module, cell = torch.nn.Linear(4, 2), ms.nn.Dense(4, 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "dump.npz")
        ...     migrate.record(module, path, torch.ones(3, 4))
        ...     migrate.compare(cell, path).equal
        True
    """
    side = network(net, "the network")
    writer = _Writer()
    labels = tuple(labels) if isinstance(labels, (tuple, list)) else (labels,)
    given = [side.inputs(values) for values in (inputs, labels)]
    description: dict[str, Any] = {"version": _VERSION, "kind": "torchspore"}
    description["inputs"] = [writer.value(value) for value in given[0]]
    description["labels"] = [writer.value(value) for value in given[1]]
    slots = [slot for slot in side.slots() if slot.first is None]
    description["weights"] = {slot.name: {**writer.put(slot.tensor), "trained": slot.trained} for slot in slots}
    calls: list[dict[str, Any]] = []

    def keep(call: Call, found: list[torch.Tensor]) -> None:
        calls.append({
            "name": call.name, "count": call.count, "kinds": [call.kind], "leaf": call.leaf, "training": call.training,
            "settings": settings_of(call.layer), "outputs": [writer.put(tensor) for tensor in found],
        })  # fmt: skip

    with restored(side, pynative=True):
        run = forward(Sides(side, None, inputs, labels, (loss, loss), []), side, keep)
        if run.error is not None:
            raise run.error
        args, targets = side.inputs(inputs), side.inputs(labels)
        _, value, gradients, _ = side.gradients(with_loss(side, loss, targets), args)
    description["calls"], description["loss"] = calls, float(value)
    description["gradients"] = {
        slot.name: writer.put(gradients[id(slot.holder)]) for slot in slots if id(slot.holder) in gradients
    }
    with replacing(os.fspath(path)) as file:
        writer.arrays["description"] = np.array(json.dumps(description, default=str))
        np.savez_compressed(file, **writer.arrays)  # type: ignore[arg-type]  # the names are names of arrays


def record_script(path: str | os.PathLike[str]) -> None:
    """Write a file of Python that records a dump with plain MindSpore, on any device, without TorchSpore.

    Args:
        path: the file, such as "mindspore_recorder.py".

    Examples:
        >>> import pathlib, tempfile
        >>> from torchspore import migrate
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "mindspore_recorder.py")
        ...     migrate.record_script(path)
        ...     "def record(net" in path.read_text()
        True
    """
    with open(plain_recorder.__file__, "rb") as source, replacing(os.fspath(path)) as file:
        shutil.copyfileobj(source, file)


class _Writer:
    """Collects arrays under names."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}

    def put(self, tensor: torch.Tensor) -> dict[str, Any]:
        """Keep a copy, and return its description; NumPy has no bfloat16."""
        name = f"a{len(self.arrays)}"
        value = tensor.detach().cpu()
        self.arrays[name] = (value.float() if value.dtype == torch.bfloat16 else value.clone()).numpy()
        return {"array": name, "dtype": str(value.dtype).removeprefix("torch.")}

    def value(self, value: Any) -> dict[str, Any]:
        """Return the description of an input."""
        tensor = getattr(value, "_t", value)
        if isinstance(tensor, torch.Tensor):
            return self.put(tensor)
        if value is None or isinstance(value, _PLAIN):
            return {"value": value}
        raise TypeError(
            f"For 'record', an input must be a tensor, an array, a number, a str or None, but got {describe(value)}."
        )


def read_dump(path: str | os.PathLike[str]) -> Dump:
    """Return the content of a dump.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a dump.
    """
    check_regular(path)
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            return _dump(json.loads(str(arrays["description"])), arrays)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"For 'compare', {os.fspath(path)!r} is not a dump written by 'record' ({type(error).__name__}: {error})."
        ) from error


def _dump(description: dict[str, Any], arrays: Mapping[str, Any]) -> Dump:
    if description["version"] != _VERSION:
        raise ValueError(f"its version is {description['version']}, this reads {_VERSION}")

    def tensor(entry: dict[str, Any]) -> torch.Tensor:
        value = torch.from_numpy(np.array(arrays[entry["array"]]))
        return value.to(torch.bfloat16) if entry["dtype"] == "bfloat16" else value

    def value(entry: dict[str, Any]) -> Any:
        return tensor(entry) if "array" in entry else entry["value"]

    store = Store()
    calls = []
    for entry in description["calls"]:
        found = [tensor(one) for one in entry["outputs"]]
        name, kinds = entry["name"], entry["kinds"]
        call = Call(str(name), int(entry["count"]), str(kinds[0]), leaf=bool(entry["leaf"]), finished=True)
        call.training, call.settings = bool(entry["training"]), _settings(entry)
        call.shapes, call.dtypes = [tuple(t.shape) for t in found], [t.dtype for t in found]
        call.stored = [store.put(one) for one in found]
        calls.append(call)
    weights = {name: tensor(entry) for name, entry in description["weights"].items()}
    gradients = {name: tensor(entry) for name, entry in description["gradients"].items()}
    inputs, labels = (tuple(value(entry) for entry in description[part]) for part in ("inputs", "labels"))
    return Dump(calls, store, inputs, labels, weights, gradients, description.get("loss"))


def _settings(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a recorded layer; settings of MindSpore's layers are read as from a Cell."""
    if "settings" in entry:
        return {name: _as_tuples(value) for name, value in entry["settings"].items()}
    layer: type = object
    for name in reversed(entry["kinds"]):
        if name != "object":
            layer = type(kind(str(name)), (layer,), {})
    made = layer()
    made.__dict__.update({name: _as_tuples(value) for name, value in entry["attributes"].items()})
    made.__dict__.update(is_recorded=True, training=entry["training"])
    made.__dict__["bias"] = made if entry["attributes"].get("bias") else None
    return settings_of(made)


def _as_tuples(value: Any) -> Any:
    return tuple(_as_tuples(part) for part in value) if isinstance(value, list) else value
