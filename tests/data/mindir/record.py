"""Have MindSpore write the archives next to this file: networks as MINDIR files, their inputs and what they compute.

Run it in environments that have MindSpore 1.10, 2.0 and 2.10: `python tests/data/mindir/record.py FOLDER [NAME ...]`.
The networks' files come into the folder, and the archive has all that are there: for each network NAME.mindir, and
NAME.npz with the inputs, the results and the gradients. The text in it is JSON: how inputs and results are nested, with
the numbers of their arrays.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))
from networks import NETWORKS  # noqa: E402
from programs import PROGRAMS  # noqa: E402

VERSION = ".".join(ms.__version__.split(".")[:2])
TRAINED = [
    "lenet",
    "resnet",
    "vit",
    "bert",
    "lstm",
    "gru",
    "unet",
    "generator",
    "gnn",
    "norms",
    "if_elif_high",
    "while_break",
]
OLD = (1, 2)


def set_weights(net: Any) -> None:
    """Give all parameters numbers that are multiples of 1/16, positive ones for variances."""
    for number, parameter in enumerate(net.get_parameters()):
        values = np.random.RandomState(number).randint(-8, 9, parameter.shape) / 16
        if "variance" in parameter.name:
            values = np.abs(values) + 0.5
        if parameter.requires_grad or "moving" in parameter.name:
            parameter.set_data(ms.Tensor(values, parameter.dtype))


def nested(value: Any, arrays: list[Any]) -> Any:
    """Return how a value is nested, as JSON; add its arrays to a list."""
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [nested(part, arrays) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[key, nested(part, arrays)] for key, part in value.items()]}
    if hasattr(value, "asnumpy") or isinstance(value, (np.ndarray, np.generic)):
        arrays.append(value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value))
        return {"array": len(arrays) - 1}
    return {"value": value}


def tensors(value: Any) -> Any:
    """Return the value with tensors for arrays."""
    if isinstance(value, (tuple, list)):
        return type(value)([tensors(part) for part in value])
    return ms.Tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value


def record(name: str, into: Path) -> None:
    """Export a network and run it."""
    make, given, *options = {**NETWORKS, **PROGRAMS}[name]
    shapes = options[0] if options else None
    ms.set_seed(1)
    net = make()
    set_weights(net)
    net.set_train(name == "dropout")
    inputs = [tensors(value) for value in given]
    declared = inputs
    if shapes:
        declared = [ms.Tensor(shape=shape, dtype=value.dtype) for shape, value in zip(shapes, inputs)]
    if name == "dynamic_image":
        net.set_inputs(*declared)
    if any(isinstance(value, (tuple, list)) for value in inputs) and hasattr(ms, "mutable"):
        declared = [ms.mutable(value) if isinstance(value, (tuple, list)) else value for value in inputs]
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/net.mindir"
        ms.export(net, *declared, file_name=path, file_format="MINDIR")
        content = Path(path).read_bytes()
        graph = ms.nn.GraphCell(ms.load(path))
    arrays: list[Any] = []
    described = {"inputs": nested(list(given), arrays)}
    described["parameters"] = [[each.name, each.requires_grad] for each in graph.get_parameters()]
    expected = net(*inputs)
    described["results"] = nested(expected, arrays)
    try:
        described["of_graph"] = nested(graph(*inputs), arrays)
    except Exception as error:
        print(name, "GraphCell:", str(error)[:200].replace("\n", " "))
    described["after"] = nested(
        {each.name: each for each in net.get_parameters() if not each.name.endswith("_unused")}
        if name in ("counter", "counter_in_loop", "optimizing", "scatter_writes")
        else {},
        arrays,
    )
    if name in TRAINED:
        set_weights(net)
        weights = ms.ParameterTuple(net.trainable_params())
        sensitive = ms.ops.GradOperation(get_by_list=True)
        gradients = sensitive(FirstSum(net), weights)(*inputs)
        described["gradients"] = nested({each.name: value for each, value in zip(weights, gradients)}, arrays)
    (into / f"{name}.mindir").write_bytes(content)
    with open(into / f"{name}.npz", "wb") as file:
        np.savez(
            file, json.dumps(described), *[a.astype(np.float32) if a.dtype.name == "bfloat16" else a for a in arrays]
        )


class FirstSum(ms.nn.Cell):
    """The sum of the squares of a network's first result."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net = net

    def construct(self, *args: Any) -> Any:
        """Return the number."""
        result = self.net(*args)
        if isinstance(result, tuple):
            result = result[0]
        return (result * result).sum()


def main(folder: str, *names: str) -> None:
    """Write the networks' files, and the archive."""
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    into = Path(folder) / VERSION
    into.mkdir(parents=True, exist_ok=True)
    for name, (_, _, *options) in {**NETWORKS, **PROGRAMS}.items():
        if (names and name not in names) or (len(options) > 1 and VERSION not in options[1]):
            continue
        try:
            record(name, into)
        except Exception as error:
            print(name, "FAILS", type(error).__name__, str(error)[:300].replace("\n", " "), flush=True)
    with zipfile.ZipFile(FOLDER / f"mindspore_{VERSION}.zip", "w", zipfile.ZIP_LZMA) as archive:
        for path in sorted(into.iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(*sys.argv[1:])
