"""Record what MindSpore 2.10's graphs do with writes: `python tests/data/record_graph_writes.py [KIND]`.

KIND is "graph" (writes to tensors) or "list" (changes of lists and dicts); by default both. For each program: the
result of two calls, the arguments and the changed globals or attributes after each, and, of writes to tensors, the same
for the gradient with respect to the first argument. A call that MindSpore refuses is recorded as null.
"""

import importlib.util
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
_HELPERS = ("F", "set_first", "add_nine", "SetInCell", "AddInCell", "Attributes", "set_in_cell", "add_in_cell")


def programs(ms, kind):
    """Return the names of a new module with the programs of a kind, with `ms` as the package."""
    name = f"{kind}_write_programs"
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    vars(module).update(ms=ms, nn=ms.nn, ops=ms.ops, Tensor=ms.Tensor, Parameter=ms.Parameter)
    spec.loader.exec_module(module)
    return vars(module)


def names_of(defined):
    """Return the names of the programs."""
    module = defined["__name__"]
    own = [name for name, value in defined.items() if getattr(value, "__module__", "") == module and callable(value)]
    return [name for name in own if name not in _HELPERS and not name.startswith("_")]


def shown(value):
    """Return a result as JSON holds it: tensors as dtype and elements."""
    if hasattr(value, "asnumpy"):
        return [str(value.dtype).rpartition(".")[2], [round(number, 5) for number in value.asnumpy().ravel().tolist()]]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, (tuple, list)) else value


def observed(ms, name, kind):
    """Run a program of a kind; return what it does."""
    defined = programs(ms, kind)
    program = defined[name]
    is_cell = isinstance(program, type)

    def new():
        if is_cell:
            cell = program()
            return cell, [defined["ARGUMENTS"]["x"]()], {key: getattr(cell, key) for key in defined["ATTRIBUTES"]}
        arguments = [
            defined["ARGUMENTS"][key]() for key in program.__code__.co_varnames[: program.__code__.co_argcount]
        ]
        return ms.jit(program), arguments, {key: defined[key] for key in defined["GLOBALS"]}

    def seen(result, arguments, state):
        changed = {key: value for key, value in shown(state).items() if value != before[key]}
        return [shown(result), shown(arguments), changed]

    ms.set_context(mode=ms.GRAPH_MODE if is_cell else ms.PYNATIVE_MODE)
    try:
        function, arguments, state = new()
        before = shown(state)
        runs = [seen(function(*arguments), arguments, state) for _ in range(2)]
        if kind == "graph" and isinstance(arguments[0], ms.Tensor) and arguments[0].dtype == ms.float32:
            function, arguments, state = new()
            before = shown(state)
            runs.append(seen(ms.grad(function)(*arguments), arguments, state))
        return runs
    except Exception:
        return None
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


if __name__ == "__main__":
    import mindspore

    sys.path.insert(0, str(HERE))
    for kind in sys.argv[1:] or ("graph", "list"):
        names = names_of(programs(mindspore, kind))
        rows = [f"{json.dumps(name)}: {json.dumps(observed(mindspore, name, kind))}" for name in names]
        (HERE / f"{kind}_writes.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")
        print(len(rows))
