"""ONNX files, by torch's exporter."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.engine.storage.writing import replacing_several
from torchspore.serialization.exporting.program import Network, quiet

__all__ = ["check_packages", "write_onnx"]

_MAX_BYTES = 2**31 - 2**20  # of weights in a file; protobuf is limited to 2 GiB


def check_packages(api: str) -> None:
    """Check that the packages for ONNX are installed.

    Raises:
        ModuleNotFoundError: one is not.
    """
    missing = [name for name in ("onnx", "onnxscript") if importlib.util.find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"For '{api}', ONNX needs the packages {' and '.join(missing)}: pip install 'torchspore[onnx]'."
        )


def write_onnx(
    network: Network,
    path: str,
    api: str,
    *,
    output_names: Sequence[str] | None = None,
    axis_names: dict[str, dict[int, str]] | None = None,
    with_weights: bool = True,
    weights_are_inputs: bool = False,
) -> None:
    """Write a network to an ONNX file, whole or not at all; weights of 2 GiB and more go to a second file, `PATH.data`.

    Args:
        network: the network.
        path: the file.
        api: the name in messages.
        output_names: the names of the first outputs. Default: torch's.
        axis_names: names of open dimensions, by dimension and by the input's name. Default: torch's.
        with_weights, weights_are_inputs: whether the weights are in the file, and whether they are also inputs.

    Raises:
        ValueError: an operation of the network has no counterpart in ONNX.
    """
    for node in network.nodes():
        if node.target is torch.ops.aten.sort.stable:  # ONNX's sorting is stable; torch's exporter has the other name
            dim, descending = node.kwargs.get("dim", -1), node.kwargs.get("descending", False)
            node.target, node.args, node.kwargs = torch.ops.aten.sort.default, (node.args[0], dim, descending), {}
    with quiet():
        try:
            model: Any = torch.onnx.export(
                network.program, input_names=network.inputs, output_names=output_names, dynamo=True, verbose=False
            )
        except torch.onnx.OnnxExporterError as error:
            raise ValueError(f"For '{api}', the network has no form in ONNX: {_reason(error)}") from error
    renamed = {
        str(value.shape[dimension]): name
        for value in model.model.graph.inputs
        for dimension, name in (axis_names or {}).get(str(value.name), {}).items()
    }
    if renamed:
        model.rename_axes(renamed)
    _save(model, path, with_weights, weights_are_inputs)


def _save(model: Any, path: str, with_weights: bool, weights_are_inputs: bool) -> None:
    weights = sum(value.const_value.nbytes for value in model.model.graph.initializers.values())
    with replacing_several(path) as folder:
        model.save(
            os.path.join(folder, os.path.basename(os.path.realpath(path))),
            include_initializers=with_weights,
            keep_initializers_as_inputs=weights_are_inputs,
            external_data=with_weights and weights > _MAX_BYTES,
        )


def _reason(error: BaseException) -> str:
    """Return the message of the innermost cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).strip().split("\n")[0]
