"""Record what MindSpore 2.10's graphs do with writes to tensors: `python tests/data/record_graph_writes.py`.

For each program: the result of two calls, the arguments and the changed globals or attributes after each, and the same
for the gradient with respect to the first argument. A call that MindSpore refuses is recorded as null.
"""

import importlib.util
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "graph_write_programs.py"
_HELPERS = ("F", "set_first", "add_nine", "SetInCell", "AddInCell", "Attributes")


def programs(ms):
    """Return the names of a new module with the programs, with `ms` as the package."""
    spec = importlib.util.spec_from_file_location(PROGRAMS.stem, PROGRAMS)
    module = sys.modules[PROGRAMS.stem] = importlib.util.module_from_spec(spec)
    vars(module).update(ms=ms, nn=ms.nn, ops=ms.ops, Tensor=ms.Tensor, Parameter=ms.Parameter)
    spec.loader.exec_module(module)
    return vars(module)


def names_of(defined):
    """Return the names of the programs."""
    own = [
        name for name, value in defined.items() if getattr(value, "__module__", "") == PROGRAMS.stem and callable(value)
    ]
    return [name for name in own if name not in (*_HELPERS, "set_in_cell", "add_in_cell")]


def shown(value):
    """Return a result as JSON holds it: tensors as dtype and elements."""
    if hasattr(value, "asnumpy"):
        return [str(value.dtype).rpartition(".")[2], [round(number, 5) for number in value.asnumpy().ravel().tolist()]]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, (tuple, list)) else value


def observed(ms, name):
    """Run a program; return what it does."""
    defined = programs(ms)
    program = defined[name]
    is_cell = isinstance(program, type)

    def new():
        if is_cell:
            cell = program()
            return cell, [defined["ARGUMENTS"]["x"]()], {key: getattr(cell, key) for key in ("w", "t", "xs", "d")}
        arguments = [
            defined["ARGUMENTS"][key]() for key in program.__code__.co_varnames[: program.__code__.co_argcount]
        ]
        return ms.jit(program), arguments, {key: defined[key] for key in ("TABLE", "OTHER", "LISTED")}

    def seen(result, arguments, state):
        changed = {key: value for key, value in shown(state).items() if value != before[key]}
        return [shown(result), shown(arguments), changed]

    ms.set_context(mode=ms.GRAPH_MODE if is_cell else ms.PYNATIVE_MODE)
    try:
        function, arguments, state = new()
        before = shown(state)
        runs = [seen(function(*arguments), arguments, state) for _ in range(2)]
        if isinstance(arguments[0], ms.Tensor) and arguments[0].dtype == ms.float32:
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
    rows = [f"{json.dumps(name)}: {json.dumps(observed(mindspore, name))}" for name in names_of(programs(mindspore))]
    (HERE / "graph_writes.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")
    print(len(rows))
