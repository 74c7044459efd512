"""Record what a MindSpore network computes, for a comparison elsewhere.

This file runs alone: it needs MindSpore and NumPy only, on any device (Ascend, GPU, CPU). Import it beside a network:

    from mindspore_recorder import record
    record(net, "dump.npz", x)                                    # outputs of all layers, weights, gradients
    record(net, "dump.npz", x, labels=(y,), loss=nn.MSELoss())    # the same with a loss

Where TorchSpore is installed, `torchspore.migrate.compare(network, "dump.npz")` then names the first layer that
differs.
The dump has arrays only, and no pickles.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np

__all__ = ["record"]

_PLAIN = (bool, int, float, str)


def record(net: Any, path: str, *inputs: Any, labels: Any = (), loss: Any = None, gradients: bool = True) -> None:
    """Run a network in PYNATIVE mode and write the outputs of its layers, its weights and gradients to a file.

    Args:
        net: a Cell.
        path: the file, "....npz".
        inputs: the inputs: Tensors, arrays, or other plain values.
        labels: what the loss gets after the output, a tuple.
        loss: a function or Cell of (output, *labels). Without one, gradients are taken of a weighted mean of
            squares.
        gradients: whether the backward pass is recorded.
    """
    ms = importlib.import_module("mindspore")

    ms.set_context(mode=ms.PYNATIVE_MODE)
    arrays: dict[str, np.ndarray] = {}
    dump: dict[str, Any] = {"version": 1, "kind": "mindspore", "calls": [], "weights": {}, "gradients": {}}

    def keep(value: Any) -> dict[str, Any]:
        """Keep an array and return its description."""
        key = f"a{len(arrays)}"
        dtype = str(getattr(value, "dtype", "")).lower().rpartition(".")[2]
        arrays[key] = (value.astype(ms.float32) if dtype == "bfloat16" else value).asnumpy()
        return {"array": key, "dtype": dtype}

    dump["inputs"] = [_described(value, keep, ms) for value in inputs]
    labels = tuple(labels) if isinstance(labels, (tuple, list)) else (labels,)
    dump["labels"] = [_described(value, keep, ms) for value in labels]
    weights = list(net.parameters_and_names())
    dump["weights"] = {
        name: {**keep(parameter), "trained": bool(parameter.requires_grad)} for name, parameter in weights
    }

    counts: dict[str, int] = {}
    running: list[dict[str, Any]] = []
    handles: list[Any] = []

    def begin(name: str, cell: Any) -> None:
        running.append({"name": name, "count": counts.get(name, 0), **_layer(cell)})
        counts[name] = counts.get(name, 0) + 1

    def end(output: Any) -> None:
        call = running.pop()
        call["outputs"] = [keep(value) for value in _tensors(output, ms)]
        dump["calls"].append(call)

    tensors = [value if isinstance(value, ms.Tensor) else ms.Tensor(value) if isinstance(value, np.ndarray) else value
               for value in inputs]  # fmt: skip
    targets = [ms.Tensor(value) if isinstance(value, np.ndarray) else value for value in labels]
    before = [(parameter, parameter.asnumpy().copy()) for _, parameter in weights]
    try:
        for name, cell in net.cells_and_names():
            handles.append(cell.register_forward_pre_hook(lambda cell, _, name=name: begin(name, cell)))
            handles.append(cell.register_forward_hook(lambda cell, _, output: end(output)))
        output = net(*tensors)
        if loss is not None:
            value = loss(output, *targets)
            call = {"name": "loss", "count": 0, **_layer(loss), "outputs": [keep(value)]}
            dump["calls"].append(call)
    finally:
        for handle in handles:
            handle.remove()
        _restore(before, ms)
    if gradients:
        _record_gradients(net, tensors, targets, loss, keep, dump, ms)
        _restore(before, ms)
    arrays["description"] = np.array(json.dumps(dump))
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]  # the names are names of arrays


def _record_gradients(
    net: Any, inputs: list[Any], labels: list[Any], loss: Any, keep: Any, dump: dict[str, Any], ms: Any
) -> None:
    """Add the loss and the gradients of the trained weights."""
    trained = [(name, parameter) for name, parameter in net.parameters_and_names() if parameter.requires_grad]

    def forward(*values: Any) -> Any:
        output = net(*values)
        if loss is not None:
            return loss(output, *labels)
        total = ms.Tensor(0.0)
        for tensor in _tensors(output, ms):
            if "float" in str(tensor.dtype).lower():
                numbers = np.sin(np.arange(int(np.prod(tensor.shape)), dtype=np.float64)).reshape(tensor.shape)
                total = total + (tensor * (tensor + ms.Tensor(numbers).astype(tensor.dtype))).mean()
        return total

    if trained:
        function = ms.value_and_grad(forward, None, weights=[parameter for _, parameter in trained])
        value, found = function(*inputs)
        dump["loss"] = float(value.asnumpy())
        dump["gradients"] = {name: keep(gradient) for (name, _), gradient in zip(trained, found)}


def _restore(values: list[tuple[Any, np.ndarray]], ms: Any) -> None:
    """Undo what the run wrote to the weights: moving averages."""
    for parameter, value in values:
        if not np.array_equal(parameter.asnumpy(), value, equal_nan=value.dtype.kind == "f"):
            parameter.set_data(ms.Tensor(value))


def _described(value: Any, keep: Any, ms: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = ms.Tensor(value)
    if isinstance(value, ms.Tensor):
        return keep(value)
    if value is None or isinstance(value, _PLAIN):
        return {"value": value}
    raise TypeError(f"For 'record', an input must be a Tensor, an array, or a plain value, but got {type(value)}.")


def _layer(cell: Any) -> dict[str, Any]:
    """Return what a comparison needs to know of a layer."""
    kinds = [kind.__name__ for kind in type(cell).__mro__]
    if not hasattr(cell, "cells"):
        return {"kinds": [getattr(cell, "__name__", kinds[0])], "leaf": True, "attributes": {}, "training": False}
    attributes = {}
    for name, value in vars(cell).items():
        plain = isinstance(value, (tuple, list)) and all(isinstance(part, _PLAIN) for part in value)
        if not name.startswith("_") and (plain or isinstance(value, _PLAIN)):
            attributes[name] = value
    attributes["bias"] = getattr(cell, "bias", None) is not None
    leaf = not any(True for _ in cell.cells())
    return {"kinds": kinds, "leaf": leaf, "attributes": attributes, "training": bool(cell.training)}


def _tensors(value: Any, ms: Any) -> list[Any]:
    """Return the tensors in a nested value."""
    if isinstance(value, ms.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [part for one in value for part in _tensors(one, ms)] if isinstance(value, (tuple, list)) else []
