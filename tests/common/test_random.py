"""Seeds and generators: results of MindSpore 2.10, and streams that repeat exactly when they should."""

from __future__ import annotations

import inspect
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from torchspore.common import device
from torchspore.common import dtype as mstype
from torchspore.common import generator as generators
from torchspore.common import random as module
from torchspore.common.generator import Generator, default_generator
from torchspore.common.initializer import initializer
from torchspore.common.random import op_generator
from torchspore.common.tensor import Tensor

RECORD = json.loads((Path(__file__).parent.parent / "data" / "random.json").read_text(encoding="utf-8"))
MS = SimpleNamespace(
    Tensor=Tensor,
    **{name: getattr(mstype, name) for name in mstype.__all__},
    **{name: getattr(part, name) for part in (generators, module) for name in part.__all__},
)
NAMES = {"ms": MS, "np": np}

# MindSpore's RuntimeErrors about arguments, and a TypeError from inside NumPy.
OTHER_ERRORS = {
    "ms.set_seed(2 ** 64)": ValueError,
    "ms.manual_seed(2 ** 64)": ValueError,
    "ms.manual_seed(-2 ** 63 - 1)": ValueError,
    "ms.set_rng_state(None)": TypeError,
    "ms.set_rng_state([1, 2])": TypeError,
    "ms.set_rng_state(np.zeros(16, np.uint8))": TypeError,
    "ms.set_rng_state(ms.Tensor(np.zeros(15, np.uint8)))": ValueError,
    "ms.set_rng_state(ms.Tensor(np.zeros(16, np.float32)))": TypeError,
    "ms.Generator().manual_seed(2 ** 64)": ValueError,
    "ms.Generator().set_state(None)": TypeError,
    "ms.Generator().set_state(ms.Tensor(np.zeros(15, np.uint8)))": ValueError,
    "ms.Generator().set_state(ms.Tensor([1, 2]))": TypeError,
}

# MindSpore's default generator feeds only some operations; here all draw from it, so its seed reaches this one too.
OTHER_STREAMS = [["set 1", "uniform none", "set 1", "manual 9", "uniform none"]]


@pytest.fixture(autouse=True)
def leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restore every random state that a test changes."""
    numpy_state, python_state = np.random.get_state(), random.getstate()
    monkeypatch.setattr(module, "_global_seed", None)
    monkeypatch.setattr(module, "_op_generators", {})
    with torch.random.fork_rng(devices=[]):
        yield
    np.random.set_state(numpy_state)
    random.setstate(python_state)


def plain_signature(function: Any) -> str:
    signature = inspect.signature(function)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize("name", RECORD["signatures"])
def test_signature(name: str) -> None:
    assert plain_signature(getattr(MS, name)) == RECORD["signatures"][name]


@pytest.mark.parametrize("name", RECORD["methods"])
def test_method_signature(name: str) -> None:
    assert plain_signature(getattr(Generator, name)) == RECORD["methods"][name]


def test_recorded_values() -> None:
    for text, expected in RECORD["values"]:
        assert eval(text, NAMES) == expected, text


@pytest.mark.parametrize("text", RECORD["errors"])
def test_recorded_errors(text: str) -> None:
    error = OTHER_ERRORS.get(text) or {"TypeError": TypeError, "ValueError": ValueError}[RECORD["errors"][text]]
    torch.manual_seed(77)
    with pytest.raises(error) as raised:
        eval(text, NAMES)
    message = str(raised.value)
    assert message.startswith("For '") or "argument" in message  # Python's own words about missing arguments
    assert (MS.get_seed(), MS.initial_seed()) == (None, 77)


@pytest.mark.parametrize("text", RECORD["op_seed_errors"])
def test_recorded_op_seed_errors(text: str) -> None:
    error = {"TypeError": TypeError, "ValueError": ValueError}[RECORD["op_seed_errors"][text]]
    with pytest.raises(error, match=r"For 'uniform', 'seed' must be .*but got"):
        op_generator("uniform", eval(text))


def draw(kind: str, seed: int | None) -> tuple[float, ...]:
    if kind == "numpy":
        return tuple(np.random.rand(2))
    if kind == "python":
        return (random.random(),)
    if kind == "initializer":
        return tuple(initializer("normal", (2,)).init_data().asnumpy())
    return tuple(torch.rand(3, generator=op_generator(kind, seed), device=device.current()).tolist())


@pytest.mark.parametrize(("actions", "expected"), RECORD["streams"], ids=lambda value: " ".join(map(str, value)))
def test_recorded_streams(actions: list[str], expected: list[int]) -> None:
    seen: dict[tuple[float, ...], int] = {}
    answer = []
    for action in actions:
        kind, _, argument = action.partition(" ")
        if kind == "set":
            module.set_seed(int(argument))
        elif kind == "manual":
            generators.manual_seed(int(argument))
        else:
            answer.append(seen.setdefault(draw(kind, int(argument) if argument.isdigit() else None), len(seen)))
    assert answer == ([0, 1] if actions in OTHER_STREAMS else expected)


PROGRAM = """
import torch
from torchspore.common.random import get_seed, op_generator, set_seed

def draw(seed):
    print(torch.rand(2, generator=op_generator("uniform", seed)).tolist())

print(get_seed())
draw(1), draw(1), draw(2)
set_seed(0)
draw(1), draw(None)
"""
UNSEEDED = (
    "import torch; from torchspore.common.random import op_generator as g; print(torch.rand(2, generator=g('u', 0)))"
)


def run(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_a_program_run_again_repeats_its_numbers() -> None:
    lines = run(PROGRAM)
    assert lines == run(PROGRAM)
    assert lines[0] == "None"
    assert len(set(lines)) == len(lines)


@pytest.mark.slow
def test_a_program_without_seeds_does_not_repeat_its_numbers() -> None:
    assert run(UNSEEDED) != run(UNSEEDED)


def test_op_generator_is_kept_and_starts_anew_at_set_seed() -> None:
    first = op_generator("uniform", 1)
    assert isinstance(first, torch.Generator)
    assert op_generator("uniform", 1) is first
    assert op_generator("uniform", 2) is not first
    generators.manual_seed(3)
    assert op_generator("uniform", 1) is first
    module.set_seed(3)
    drawn = torch.rand(2, generator=first)
    module.set_seed(3)
    assert op_generator("uniform", 1) is first  # captured graphs hold it
    assert torch.equal(torch.rand(2, generator=first), drawn)


def test_operations_with_one_seed_have_streams_of_their_own() -> None:
    assert draw("uniform", 1) != draw("gamma", 1)


@pytest.mark.parametrize("seed", [None, 0])
def test_no_op_seed_means_the_default_generator(seed: int | None) -> None:
    assert op_generator("uniform", seed) is None


@pytest.mark.parametrize("seed", [1, 2**31, 2**64, 2**200])
def test_op_seeds_of_any_size(seed: int) -> None:
    assert draw("uniform", seed) != draw("uniform", seed + 1)


def test_set_seed_seeds_numpy_as_numpy_does() -> None:
    module.set_seed(7)
    drawn = np.random.rand()
    np.random.seed(7)
    assert drawn == np.random.rand()


def test_manual_seed_leaves_numpy_and_the_global_seed_alone() -> None:
    module.set_seed(5)
    before = np.random.get_state()[1].tolist()
    generators.manual_seed(6)
    assert np.random.get_state()[1].tolist() == before
    assert module.get_seed() == 5


def test_default_generator_is_torchs() -> None:
    generators.manual_seed(1)
    expected = torch.rand(3, generator=torch.Generator().manual_seed(1))
    assert torch.equal(torch.rand(3), expected)
    generators.manual_seed(1)
    assert torch.equal(torch.rand(3, generator=default_generator._g), expected)


def test_rng_state_is_a_snapshot() -> None:
    state = generators.get_rng_state()
    assert state.dtype is mstype.uint8
    assert state.shape == (5056,)
    first, second = torch.rand(3), torch.rand(3)
    generators.set_rng_state(state)
    assert torch.equal(torch.rand(3), first)
    assert torch.equal(torch.rand(3), second)


def test_generators_are_independent_and_share_states() -> None:
    one, two = Generator().manual_seed(5), Generator()
    torch.rand(4, generator=one._g)
    two.set_state(one.get_state())
    assert two.initial_seed() == 5
    default_before = generators.get_rng_state().asnumpy().copy()
    assert torch.equal(torch.rand(3, generator=one._g), torch.rand(3, generator=two._g))
    assert (generators.get_rng_state().asnumpy() == default_before).all()


def test_new_generators_start_alike() -> None:
    assert torch.equal(torch.rand(3, generator=Generator()._g), torch.rand(3, generator=Generator()._g))


def test_seed_changes_the_numbers() -> None:
    generator = Generator()
    seeds = {generator.seed() for _ in range(3)}
    assert len(seeds) == 3
    assert generator.initial_seed() in seeds


def test_messages() -> None:
    for call, words in [
        (lambda: module.set_seed(-1), "For 'set_seed', 'seed' must be in [0, 2**32), but got -1."),
        (lambda: module.set_seed(1.5), "For 'set_seed', 'seed' must be an int, but got 1.5 of type float."),
        (lambda: generators.manual_seed("a"), "For 'manual_seed', 'seed' must be an int, but got 'a' of type str."),
        (lambda: Generator().manual_seed(2**64), "For 'Generator.manual_seed', 'seed' must be in [-2**63, 2**64),"),
        (lambda: Generator().set_state(1), "For 'Generator.set_state', 'state' must be a Tensor of UInt8"),
        (
            lambda: generators.set_rng_state(Tensor([1.0])),
            "'state' must be a Tensor of UInt8 from 'get_state', but got a T",
        ),
        (lambda: op_generator("gamma", -2), "For 'gamma', 'seed' must be >= 0, but got -2."),
    ]:
        with pytest.raises((TypeError, ValueError)) as raised:
            call()
        assert words in str(raised.value)


def draw_all() -> tuple[Any, ...]:
    stream = torch.rand(2, generator=op_generator("uniform", 5), device=device.current()).tolist()
    return random.random(), random.gauss(0, 1), np.random.rand(), np.random.randn(), torch.rand(2).tolist(), stream


@pytest.mark.parametrize("seed", [None, 11])
def test_all_states_continue_every_stream(seed: int | None) -> None:
    if seed is not None:
        module.set_seed(seed)
    draw_all()
    states = module.all_states()
    expected = draw_all()
    module.set_seed(99)
    assert draw_all() != expected
    module.restore_all_states(states)
    assert draw_all() == expected
    if seed is not None:
        assert module.get_seed() == seed


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cpu", Tensor([1], mstype.uint8)),
        ("numpy", "[1, 2]"),
        ("python", "{"),
        ("seed", None),
        ("cuda:7", Tensor([1], mstype.uint8)),
        ("stream [", Tensor([1], mstype.uint8)),
    ],
)
def test_damaged_states_change_nothing(name: str, value: Any) -> None:
    states = module.all_states()
    expected = draw_all()
    module.restore_all_states(states)
    damaged = {k: v for k, v in {**states, name: value}.items() if v is not None}
    with pytest.raises(ValueError, match="These are not the states of random generators"):
        module.restore_all_states(damaged)
    assert draw_all() == expected
