"""ONNX files: `export`."""

from __future__ import annotations

from typing import Any

from torchspore.engine.parameters import AnyPath, checked
from torchspore.serialization.exporting.onnx_file import check_packages, write_onnx
from torchspore.serialization.exporting.program import network_of
from torchspore.serialization.models import prepared_path

__all__ = ["export"]

_API = "onnx.export"


@checked
def export(
    net: Any,
    *inputs: Any,
    file_name: AnyPath,
    input_names: list[Any] | None = None,
    output_names: list[Any] | None = None,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: dict[Any, Any] | None = None,
) -> None:
    """Write a network to an ONNX file, as it computes in inference mode.

    The file appears whole or not at all. Weights of 2 GiB and more go to a second file, `FILE.data`.

    Args:
        net: a Cell or a function.
        inputs: its arguments, as for `mindspore.export`.
        file_name: the file; .onnx is added when it is missing, and folders are made.
        input_names: names for the first inputs. Default: None: the names of the network's arguments.
        output_names: names for the first outputs. Default: None: torch's.
        export_params: whether the weights are in the file; otherwise they are inputs. Default: True.
        keep_initializers_as_inputs: whether the weights are inputs, too, with the values in the file as defaults.
            Default: False.
        dynamic_axes: names of open dimensions, by dimension and by the input's name, as in `{"x": {0: "batch"}}`.
            Default: None: the sizes of the inputs hold.

    Raises:
        TypeError: an argument of another type, or inputs that the network does not take.
        ValueError: `dynamic_axes` names no input or dimension, or the network has no form in ONNX.
        ModuleNotFoundError: the packages for ONNX are missing.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.onnx.export(ms.nn.ReLU(), ms.Tensor([1.0]), file_name=f"{folder}/relu", input_names=["signal"])
        ...     os.listdir(folder)
        ['relu.onnx']
    """
    check_packages(_API)
    network = network_of(net, inputs, _API, input_names or [], dynamic_axes or {})
    with prepared_path(file_name, ".onnx") as path:
        write_onnx(
            network,
            path,
            _API,
            output_names=output_names,
            axis_names=dynamic_axes or {},
            with_weights=export_params,
            weights_are_inputs=keep_initializers_as_inputs or not export_params,
        )
