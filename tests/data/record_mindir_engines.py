"""Record what MindSpore and MindSpore Lite give for the MINDIR files of single operations.

`python record_mindir_engines.py write FOLDER`, run with TorchSpore, writes a file for each expression of
`mindir_engines.json`, with its inputs and results. `python record_mindir_engines.py ENGINE FOLDER NUMBER ...`, run with
MindSpore ("2.10", "2.0", "1.10") or MindSpore Lite ("lite"), runs the files of these numbers and writes what came out
to the table: "same", or how it differs. An engine that ends the process leaves "ends the process".
"""

import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "mindir_engines.json"


def write(folder):
    sys.path.insert(0, str(HERE.parent))
    import torchspore as ms
    from export.expressions import Network, leaves

    for number, expression in enumerate(json.loads(TABLE.read_text())):
        network = Network(expression)
        inputs = list(network.inputs.values())
        ms.export(network, *inputs, file_name=f"{folder}/{number}", file_format="MINDIR")
        arrays = {f"in{n}": x.asnumpy() for n, x in enumerate(inputs)}
        arrays.update({f"out{n}": x.asnumpy() for n, x in enumerate(leaves(network(*inputs)))})
        np.savez(f"{folder}/{number}.npz", **arrays)


def run_mindspore(path, inputs):
    import mindspore as ms

    ms.set_context(device_target="CPU", mode=0)
    found = []

    def flatten(tree):
        for part in tree if isinstance(tree, (tuple, list)) else ():
            flatten(part)
        if not isinstance(tree, (tuple, list)):
            found.append(tree.asnumpy())

    flatten(ms.nn.GraphCell(ms.load(path))(*[ms.Tensor(x) for x in inputs]))
    return found


def run_lite(path, inputs):
    import mindspore_lite as lite

    context, model = lite.Context(), lite.Model()
    context.target = ["cpu"]
    model.build_from_file(path, lite.ModelType.MINDIR, context)
    given = model.get_inputs()
    for tensor, x in zip(given, inputs):
        tensor.set_data_from_numpy(x)
    return [tensor.get_data_to_numpy() for tensor in model.predict(given)]


def verdict(run, path):
    arrays = np.load(path + ".npz")
    inputs, wanted = [
        [arrays[f"{kind}{n}"] for n in range(len(arrays.files)) if f"{kind}{n}" in arrays.files]
        for kind in ("in", "out")
    ]
    try:
        found = run(path + ".mindir", inputs)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split()):.120}"
    if [(x.shape, x.dtype) for x in found] != [(x.shape, x.dtype) for x in wanted]:
        return "other shapes or types: " + ", ".join(f"{x.shape} {x.dtype}" for x in found)
    for ours, theirs in zip(wanted, found):
        tolerance = 1e-2 if ours.dtype == np.float16 else 1e-4
        if not np.allclose(theirs.astype(complex), ours.astype(complex), tolerance, tolerance / 10, equal_nan=True):
            return "other values"
    return "same"


def record(engine, folder, *numbers):
    run = run_lite if engine == "lite" else run_mindspore
    expressions = list(json.loads(TABLE.read_text()))
    for number in map(int, numbers or range(len(expressions))):
        for found in ("ends the process", None):
            found = found or verdict(run, f"{folder}/{number}")
            table = json.loads(TABLE.read_text())
            table[expressions[number]][engine] = found
            lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in table.items()]
            TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    record(*sys.argv[1:])
