"""Record what MindSpore and MindSpore Lite give for the MINDIR files that TorchSpore writes.

There are two tables: `mindir_operations.json` of single operations, and `mindir_networks.json` of the networks in
`mindir/networks.py` and `mindir/programs.py`. With SUBJECT "operations" or "networks":

    python record_mindir_engines.py write SUBJECT FOLDER              # with TorchSpore: files, inputs and results
    python record_mindir_engines.py ENGINE SUBJECT FOLDER [NUMBER ...]

The second runs files and writes what came out: "same", or how it differs. ENGINE is the "2.10", "2.0" or "1.10" of
MindSpore that runs it, or "lite". An engine that ends the process leaves "ends the process". What TorchSpore itself
does not write has its reason under "written".
"""

import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def write_operations(folder):
    sys.path.insert(0, str(HERE.parent))
    import torchspore as ms
    from export.expressions import Network

    for number, expression in enumerate(read("operations")):
        network = Network(expression)
        inputs = list(network.inputs.values())
        ms.export(network, *inputs, file_name=f"{folder}/{number}", file_format="MINDIR")
        save(f"{folder}/{number}.npz", inputs, network(*inputs))


def write_networks(folder):
    import torchspore.as_mindspore  # noqa: F401

    sys.path.insert(0, str(HERE / "mindir"))
    import mindspore as ms
    from networks import NETWORKS
    from programs import PROGRAMS
    from record import set_weights, tensors

    table = {}
    for number, (name, (make, given, *options)) in enumerate({**NETWORKS, **PROGRAMS}.items()):
        table[name] = {}
        ms.set_seed(1)
        try:
            network = make()
            set_weights(network)
            network.set_train(False)
            inputs = [tensors(value) for value in given]
            shapes = options[0] if options and options[0] else [None] * len(inputs)
            declared = [
                x if shape is None else ms.Tensor(shape=shape, dtype=x.dtype) for x, shape in zip(inputs, shapes)
            ]
            ms.export(network, *declared, file_name=f"{folder}/{number}", file_format="MINDIR")
            save(f"{folder}/{number}.npz", inputs, network(*inputs))
        except Exception as error:
            table[name]["written"] = f"{type(error).__name__}: {str(error).split(': ', 1)[-1]:.160}"
    store("networks", table)


def leaves(tree, numbers=True):
    if isinstance(tree, (tuple, list, dict)):
        parts = tree.values() if isinstance(tree, dict) else tree
        return [leaf for part in parts for leaf in leaves(part, numbers)]
    if hasattr(tree, "asnumpy"):
        return [tree.asnumpy()]
    return [np.asarray(tree)] if numbers and isinstance(tree, (bool, int, float)) else []


def save(path, inputs, results):
    arrays = {f"in{n}": x for n, x in enumerate(leaves(list(inputs), numbers=False))}
    arrays.update({f"out{n}": x for n, x in enumerate(leaves(results))})
    np.savez(path, **arrays)


def read(subject):
    return json.loads((HERE / f"mindir_{subject}.json").read_text())


def store(subject, table):
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in table.items()]
    (HERE / f"mindir_{subject}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def run_mindspore(path, inputs):
    import mindspore as ms

    ms.set_context(device_target="CPU", mode=0)
    found = []

    def flatten(tree):
        for part in tree if isinstance(tree, (tuple, list)) else ():
            flatten(part)
        if not isinstance(tree, (tuple, list, str)):
            found.append(tree.asnumpy() if hasattr(tree, "asnumpy") else np.asarray(tree))

    flatten(ms.nn.GraphCell(ms.load(path))(*[ms.Tensor(x) for x in inputs]))
    return found


def run_lite(path, inputs):
    import mindspore_lite as lite

    context, model = lite.Context(), lite.Model()
    context.target = ["cpu"]
    model.build_from_file(path, lite.ModelType.MINDIR, context)
    given = model.get_inputs()
    if [tuple(tensor.shape) for tensor in given] != [x.shape for x in inputs]:
        model.resize(given, [list(x.shape) for x in inputs])
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
            return f"other values, by {np.abs(theirs.astype(complex) - ours.astype(complex)).max():.0e}"
    return "same"


def record(engine, subject, folder, *numbers):
    run = run_lite if engine == "lite" else run_mindspore
    names = list(read(subject))
    for number in map(int, numbers or range(len(names))):
        if "written" in read(subject)[names[number]]:
            continue
        for found in ("ends the process", None):
            found = found or verdict(run, f"{folder}/{number}")
            table = read(subject)
            table[names[number]][engine] = found
            store(subject, table)


if sys.argv[1] == "write":
    {"operations": write_operations, "networks": write_networks}[sys.argv[2]](sys.argv[3])
else:
    record(*sys.argv[1:])
