"""Record which results of MindSpore 2.10's graphs share memory with arguments and parameters, into `own_memory.json`.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_own_memory.py`. For each body of a cell: its
results, and the same results after the argument, the parameters and a tensor of the cell have been written.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

BODIES = """
return self.p
return self.p, x
return (self.p,)
return [self.p, x]
return {"a": self.p, "b": x}
return self.ps
return self.ps, x
return self.ps[0]
return self.p, self.p
self.p += x; return self.p
self.p += x; return self.p, x
self.p += x; return self.q
self.p += x; return self.p, self.q
ops.assign(self.p, x); return self.p
r = ops.assign(self.p, x); return r
return ops.assign_add(self.p, x)
return ops.assign_add(self.p, x), x
self.p[0] = 9; return self.p
return ops.relu(self.p), self.p
return self.p.value()
return self.p[:]
return self.p.reshape(1, 2)
return self.p.view(1, 2), self.p[0], x[1:]
return x
return x, x * 2
return [x, x]
return x[:]
return x[:1], x.view(1, 2)
return x.T, x * 1
x[0] = 9; return x
x += 1; return x
return self.t, x
return self.t
return self.t[:1], x
r = x * 2; return r, r + 1
return x.sum(), (self.p, [self.q])
""".strip().splitlines()

CELL = """
from {package} import Parameter, ParameterTuple, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([1.0, 2.0]), name="p")
        self.q = Parameter(Tensor([5.0]), name="q")
        self.ps = ParameterTuple([self.p, self.q])
        self.t = Tensor([3.0, 4.0])

    def construct(self, x):
        {body}
"""


def shown(ms: Any, value: Any) -> Any:
    """Return a result as JSON holds it."""
    if isinstance(value, ms.Tensor):
        return ["Parameter" if isinstance(value, ms.Parameter) else "Tensor", value.asnumpy().tolist()]
    if isinstance(value, dict):
        return {key: shown(ms, part) for key, part in value.items()}
    return [type(value).__name__, [shown(ms, part) for part in value]]


def observed(ms: Any, body: str, folder: str, captured: Callable[[Any], Any] = lambda net: net) -> list[Any]:
    """Return what the second call of a cell returns, and what that is after its inputs have been written."""
    path = Path(folder) / f"own_memory_{abs(hash(body))}.py"
    path.write_text(CELL.format(package=ms.__name__, body=body.replace("; ", "\n        ")), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    net = module.Net()
    call = captured(net)
    call(ms.Tensor([1.0, 1.0]))
    x = ms.Tensor([1.0, 1.0])
    result = call(x)
    before = shown(ms, result)
    for written in (x, net.t):
        written[0] = 50.0
    net.p.set_data(ms.Tensor([100.0, 100.0]))
    net.q.set_data(ms.Tensor([200.0]))
    return [before, shown(ms, result)]


def main() -> None:
    import mindspore as ms

    ms.set_context(mode=ms.GRAPH_MODE)
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"  {json.dumps(body)}: {json.dumps(observed(ms, body, folder))}" for body in BODIES]
    (HERE / "own_memory.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
