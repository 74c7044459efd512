"""Record which strategies MindSpore 2.10 accepts, and the layouts that it finds, into `strategies.json`.

Run it in an environment with MindSpore 2.10 for Linux on x86: `python tests/data/record_strategies.py`. MindSpore's
compiler cuts networks for Ascend cards only, so that a CPU is entered here as one, and the number of devices is written
where its compiler asks for it. Nothing is run.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

os.environ |= {"MS_DEV_PRECOMPILE_ONLY": "1", "GLOG_v": "4"}
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import mindspore as ms  # noqa: E402
from mindspore import Parameter, Tensor, nn, ops  # noqa: E402
from mindspore._c_expression import MSContext  # noqa: E402
from mindspore.common.api import _cell_graph_executor  # noqa: E402
from strategy_cases import OPERATIONS, cuts_of, strategy_of  # noqa: E402

DEVICES = 8
# Grids of devices: strategies of products and sums whose layouts are recorded.
LAYOUTS = {
    "MatMul": [
        ((2, 2), (2, 2)), ((2, 2), (2, 1)), ((1, 2), (2, 2)), ((1, 4), (4, 1)), ((8, 1), (1, 1)), ((1, 1), (1, 1)),
        ((2, 1), (1, 2)), ((4, 1), (1, 2)),
    ],
    "Add": [((2, 2, 2), (2, 2, 2)), ((2, 1, 2), (2, 1, 2)), ((4, 1, 1), (4, 1, 1)), ((1, 1, 1), (1, 1, 1))],
    "Add:broadcast": [((2, 2, 2), (2,)), ((2, 2, 1), (1,)), ((1, 1, 4), (4,))],
    "BatchMatMul": [((2, 2, 1), (2, 1, 2)), ((2, 1, 2), (2, 2, 1))],
    "LayerNorm": [((2, 2, 1), (1,), (1,)), ((8, 1, 1), (1,), (1,))],
    "Conv2D": [((2, 2, 1, 1), (2, 2, 1, 1)), ((4, 1, 1, 1), (2, 1, 1, 1))],
    "Gather": [((2, 1), (1, 1)), ((1, 2), (2, 1)), ((1, 2), (4, 1))],
}  # fmt: skip


def _old_string(text: str) -> Any:
    """Return a `std::string` of GCC's older interface: a pointer behind its length, capacity and use count."""
    data = text.encode()
    memory = ctypes.create_string_buffer(24 + len(data) + 1)
    header = np.array([len(data), len(data), 2**64 - 1], np.uint64).tobytes()  # never shared
    memory[: 24 + len(data)] = header + data
    return ctypes.c_void_p(ctypes.addressof(memory) + 24), memory


_kept: list[Any] = []


def enter_ascend() -> None:
    """Enter "Ascend" as a device of this process, and make the number of devices 8."""
    library = Path(ms.__file__).parent / "lib"
    register = ctypes.CDLL(str(library / "libmindspore_core.so"))[
        "_ZN9mindspore9MsContext16RegisterInitFuncERKSsPFvPS0_E"
    ]
    name, memory = _old_string("Ascend")
    register(ctypes.byref(name), ctypes.CDLL(None).getpid)  # a function of a library that does nothing
    _kept.append(memory)
    MSContext.get_instance().set_device_target_inner("Ascend")
    code = (library / "libmindspore_common.so").read_bytes()
    (found,) = re.finditer(re.escape(b"\xc7\x02\x00\x08\x00\x00\x48\x8b\x44\x24\x08"), code)  # *size = 2048
    maps = Path("/proc/self/maps").read_text().splitlines()
    base = next(int(line.partition("-")[0], 16) for line in maps if "libmindspore_common.so" in line)
    address = base + found.start() + 2
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(address & ~4095), 8192, 7) == 0
    ctypes.c_uint32.from_address(address).value = DEVICES


class Call(nn.Cell):
    """One call of an operation; generated subclasses have its `construct`."""

    def __init__(self, primitive: Any, given: tuple[Any, ...]) -> None:
        super().__init__()
        self.primitive = primitive
        for number, value in enumerate(given):
            setattr(self, f"given{number}", value)


def compiled(name: str, strategy: Any, folder: str, is_parameter: bool = False) -> tuple[str, dict[str, Any]]:
    """Return the name of the error of a compilation, or "", and the layouts that it finds."""
    settings, inputs = OPERATIONS[name]
    shapes: list[tuple[int, ...]] = []

    def made(kind: Any, shape: tuple[int, ...], as_parameter: bool) -> Any:
        shapes.append(shape)
        value = Tensor(np.ones(shape), kind)
        return Parameter(value, name=f"p{len(shapes)}") if as_parameter or is_parameter else value

    names = {
        "f": lambda *shape: made(ms.float32, shape, False),
        "i": lambda *shape: made(ms.int32, shape, False),
        "b": lambda *shape: made(ms.bool_, shape, False),
        "p": lambda *shape: made(ms.float32, shape, True),
    }
    given = eval(f"({inputs},)", names)
    primitive = eval(f"P.{name.partition(':')[0]}{settings}", {"P": ops}).shard(strategy)
    packed = len(given) == 1 and isinstance(given[0], tuple)
    values = given[0] if packed else given
    tensors = [k for k, value in enumerate(values) if isinstance(value, Tensor) and not isinstance(value, Parameter)]
    passed = ", ".join(f"x{k}" if k in tensors else f"self.given{k}" for k in range(len(values)))
    taken = "".join(f", x{k}" for k in tensors)
    module = re.sub(r"\W", "_", f"call_{name}_{is_parameter}")
    text = f"def construct(self{taken}):\n    return self.primitive({f'({passed})' if packed else passed})\n"
    Path(folder, f"{module}.py").write_text(
        "from __main__ import Call\n\n\nclass One(Call):\n" + "".join(f"    {line}\n" for line in text.splitlines())
    )
    importlib.invalidate_caches()
    net = importlib.import_module(module).One(primitive, values)
    net.set_train()
    try:
        _cell_graph_executor.compile(net, *[values[k] for k in tensors], phase="train")
    except Exception as error:
        return type(error).__name__, {}
    return "", {key: layout for key, layout in net.parameter_layout_dict.items() if key[0] == "p"}


def record() -> dict[str, Any]:
    """Return the refused cuts of each operation, and the layouts of some strategies."""
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(
        device_num=DEVICES, global_rank=0, parallel_mode="semi_auto_parallel", dataset_strategy="full_batch"
    )
    found: dict[str, Any] = {"refused": {}, "layouts": {}}
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for name, (_, inputs) in OPERATIONS.items():
            shapes = [tuple(map(int, part.split(","))) for part in re.findall(r"\b[fibp]\(([\d, ]+)\)", inputs)]
            refused = []
            for cuts in cuts_of(shapes):
                error, _ = compiled(name, strategy_of(shapes, cuts), folder)
                if error:
                    refused.append(" ".join(f"{a}.{d}" for a, d in cuts))
            short = compiled(name, strategy_of(shapes, ())[:-1] or ((1,),), folder)[0]
            found["refused"][name] = [*refused, *(["short"] if short else [])]
            print(name, found["refused"][name], flush=True)
        for name, strategies in LAYOUTS.items():
            found["layouts"][name] = [[one, compiled(name, one, folder, True)[1]] for one in strategies]
    return found


if __name__ == "__main__":
    enter_ascend()
    (HERE / "strategies.json").write_text(
        json.dumps(record(), indent=0).replace("\n", " ").replace("}, ", "},\n") + "\n"
    )
