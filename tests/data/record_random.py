"""Record what MindSpore 2.10's seeds and generators do, into `random.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_random.py`.

Cases are lines of Python text, evaluated here with MindSpore's names and in the tests with TorchSpore's.
"""

from __future__ import annotations

import inspect
import random
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import ops
from tables import dump

FUNCTIONS = ["set_seed", "get_seed", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state"]

# Each line starts from the state that the line before left.
VALUES = """
ms.set_seed(0)
ms.get_seed()
ms.set_seed(2 ** 31)
ms.get_seed()
ms.set_seed(2 ** 32 - 1)
ms.get_seed()
ms.set_seed(seed=5)
ms.get_seed()
ms.manual_seed(13).initial_seed()
ms.initial_seed()
ms.get_seed()
ms.manual_seed(seed=14) is ms.default_generator
ms.default_generator.initial_seed()
isinstance(ms.default_generator, ms.Generator)
ms.manual_seed(True).initial_seed()
ms.manual_seed(0).initial_seed()
ms.manual_seed(-1).initial_seed()
ms.manual_seed(2 ** 32).initial_seed()
ms.manual_seed(2 ** 63 - 1).initial_seed()
ms.manual_seed(2 ** 63).initial_seed()
ms.manual_seed(2 ** 64 - 1).initial_seed()
ms.manual_seed(-2 ** 63).initial_seed()
ms.seed() == ms.initial_seed()
0 <= ms.seed() < 2 ** 32
ms.seed() == ms.seed()
str(ms.get_rng_state().dtype)
ms.set_rng_state(ms.get_rng_state())
ms.Generator().initial_seed()
ms.Generator().manual_seed(5).initial_seed()
ms.Generator().manual_seed(-5).initial_seed()
ms.Generator().manual_seed(2 ** 63).initial_seed()
0 <= ms.Generator().seed() < 2 ** 32
str(ms.Generator().get_state().dtype)
ms.Generator().set_state(ms.Generator().get_state())
"""

ERRORS = """
ms.set_seed()
ms.set_seed(1.5)
ms.set_seed('a')
ms.set_seed(None)
ms.set_seed(True)
ms.set_seed(np.int64(3))
ms.set_seed(ms.Tensor(3))
ms.set_seed(-1)
ms.set_seed(2 ** 32)
ms.set_seed(2 ** 63)
ms.set_seed(2 ** 64)
ms.get_seed(1)
ms.manual_seed()
ms.manual_seed(1.5)
ms.manual_seed('a')
ms.manual_seed(None)
ms.manual_seed(np.int64(3))
ms.manual_seed(ms.Tensor(3))
ms.manual_seed(2 ** 64)
ms.manual_seed(-2 ** 63 - 1)
ms.seed(1)
ms.initial_seed(1)
ms.get_rng_state(1)
ms.set_rng_state()
ms.set_rng_state(None)
ms.set_rng_state([1, 2])
ms.set_rng_state(np.zeros(16, np.uint8))
ms.set_rng_state(ms.Tensor(np.zeros(15, np.uint8)))
ms.set_rng_state(ms.Tensor(np.zeros(16, np.float32)))
ms.Generator(1)
ms.Generator(device='cpu')
ms.Generator().seed(1)
ms.Generator().manual_seed()
ms.Generator().manual_seed(1.5)
ms.Generator().manual_seed('a')
ms.Generator().manual_seed(np.int64(3))
ms.Generator().manual_seed(2 ** 64)
ms.Generator().set_state(None)
ms.Generator().set_state(ms.Tensor(np.zeros(15, np.uint8)))
ms.Generator().set_state(ms.Tensor([1, 2]))
"""

OP_SEED_ERRORS = ["-1", "1.5", "True", "'a'"]

# Each is a list of global seeds and draws; draws that agree get the same number in the answer.
# "uniform 1" is ops.uniform with seed 1, "none" is no seed, "set 3" is set_seed(3), "manual 3" is manual_seed(3).
STREAMS = [
    ["set 1", "uniform 1", "uniform 1", "uniform 2", "set 1", "uniform 1", "uniform 1", "uniform 2"],
    ["set 1", "uniform 2", "uniform 1", "uniform 1", "set 1", "uniform 1", "uniform 2", "uniform 1"],
    ["set 1", "uniform 1", "normal 1", "uniform 1", "set 1", "uniform 1", "uniform 1", "normal 1"],
    ["set 1", "uniform 1", "set 2", "uniform 1", "set 0", "uniform 1"],
    ["set 1", "uniform none", "uniform none", "set 1", "uniform none", "uniform none"],
    ["set 1", "uniform none", "uniform 0", "set 1", "uniform 0", "uniform none"],
    ["set 1", "uniform 1", "set 1", "manual 9", "uniform 1"],
    ["set 1", "uniform none", "set 1", "manual 9", "uniform none"],
    ["set 1", "uniform 1", "set 1", "uniform none", "uniform 1"],
    ["set 1", "numpy", "set 1", "numpy", "set 2", "numpy"],
    ["set 1", "python", "set 1", "python", "set 2", "python"],
    ["set 1", "initializer", "initializer", "set 1", "initializer", "initializer", "set 2", "initializer"],
]


def lines(text: str) -> list[str]:
    """Return the lines that hold something."""
    return [line for line in text.splitlines() if line]


def error(text: str) -> str:
    """Return the name of the exception's type."""
    try:
        eval(text)
    except Exception as raised:
        return type(raised).__name__
    raise AssertionError(f"{text} works")


def draw(kind: str, seed: int | None = None) -> tuple[float, ...]:
    """Return a few numbers."""
    if kind == "numpy":
        return tuple(np.random.rand(2))
    if kind == "python":
        return (random.random(),)
    if kind == "initializer":
        return tuple(ms.common.initializer.initializer("normal", (2,)).init_data().asnumpy())
    function = getattr(ops, kind)
    return tuple(function((3,), ms.Tensor(1.0), ms.Tensor(2.0), seed=seed).asnumpy())


def stream(actions: list[str]) -> list[int]:
    """Return a number for each draw, the same for draws that agree."""
    seen: dict[tuple[float, ...], int] = {}
    answer = []
    for action in actions:
        kind, _, argument = action.partition(" ")
        if kind == "set":
            ms.set_seed(int(argument))
        elif kind == "manual":
            ms.manual_seed(int(argument))
        else:
            answer.append(seen.setdefault(draw(kind, int(argument) if argument.isdigit() else None), len(seen)))
    return answer


def main() -> None:
    """Write the file."""
    record = {
        "signatures": {name: str(inspect.signature(getattr(ms, name))) for name in FUNCTIONS},
        "methods": {
            name: str(inspect.signature(method))
            for name, method in vars(ms.Generator).items()
            if not name.startswith("_")
        },
        "values": [[text, eval(text)] for text in lines(VALUES)],
        "errors": {text: error(text) for text in lines(ERRORS)},
        "op_seed_errors": {
            text: error(f"ops.uniform((3,), ms.Tensor(1.0), ms.Tensor(2.0), seed={text})") for text in OP_SEED_ERRORS
        },
        "streams": [[actions, stream(actions)] for actions in STREAMS],
    }
    Path(__file__).with_name("random.json").write_text(dump(record), encoding="utf-8")


if __name__ == "__main__":
    main()
