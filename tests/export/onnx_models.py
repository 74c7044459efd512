"""Models in ONNX for tests, made node by node, and what ONNX Runtime computes with them."""

from __future__ import annotations

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import torchspore as ms

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
IR_VERSION = 8


def value(name, array_or_type, shape=None):
    """Return the description of a value, like an array or of a type and shape."""
    if isinstance(array_or_type, np.ndarray):
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array_or_type.dtype), array_or_type.shape
        )
    return helper.make_tensor_value_info(name, array_or_type, shape)


def model(nodes, inputs, outputs, initializers=None, opset=17, **options):
    """Return a model.

    Args:
        nodes: its nodes.
        inputs: descriptions, or arrays by name.
        outputs: names, or descriptions.
        initializers: arrays by name.
    """
    if isinstance(inputs, dict):
        inputs = [value(name, array) for name, array in inputs.items()]
    outputs = [helper.make_empty_tensor_value_info(each) if isinstance(each, str) else each for each in outputs]
    stored = [numpy_helper.from_array(array, name) for name, array in (initializers or {}).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, stored)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, **options)


def single(operator, *inputs, opset=17, outputs=1, constant=(), domain="", **attributes):
    """Return a model with one node, its inputs by name, and its outputs' names.

    Args:
        operator: its operator.
        inputs: arrays; None for one that is absent.
        constant: the positions of inputs that are in the file.
    """
    names = ["" if array is None else f"x{number}" for number, array in enumerate(inputs)]
    given = {name: array for name, array in zip(names, inputs) if name}
    stored = {f"x{number}": given.pop(f"x{number}") for number in constant}
    results = [f"y{number}" for number in range(outputs)]
    node = helper.make_node(operator, names, results, domain=domain, **attributes)
    return model([node], given, results, stored, opset), given


def computed(content, inputs):
    """Return the results of ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip([given.name for given in session.get_inputs()], inputs)))


def saved(content, folder, name="net.onnx"):
    """Write a model to a file; return the path."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
    return folder / name


def cell_of(content, folder):
    """Return a cell that runs a model."""
    return ms.nn.GraphCell(ms.load(saved(content, folder)))


def arrays_of(results):
    """Return the results of a cell as arrays."""
    return [each.asnumpy() for each in (results if isinstance(results, tuple) else (results,))]


def assert_as_runtime(content, inputs, folder, rtol=1e-5):
    """Check that a cell computes what ONNX Runtime computes."""
    wanted = computed(content.SerializeToString(), inputs)
    got = arrays_of(cell_of(content, folder)(*map(ms.Tensor, inputs)))
    assert len(got) == len(wanted)
    for ours, theirs in zip(got, wanted):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        scale = np.abs(theirs).max(initial=1) if theirs.dtype.kind == "f" else 1
        np.testing.assert_allclose(ours, theirs, rtol, atol=1e-6 * scale)
