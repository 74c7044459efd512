"""Random programs of operations, views, aliases and writes: gradients are the same as in NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fuzz
import torchspore as ms
from torchspore import Parameter, Tensor
from write_steps import START, InNumPy, Ours, Program


def in_numpy(program, of=None, step=None, written=None):
    """Return the value of a program, the arrays afterwards and the value of the parameter."""
    arrays = {name: np.array(value) for name, value in START.items()}
    shift = np.zeros_like(arrays["p"])
    if of == "p":
        shift = step
        arrays["p"] += step
    elif of:
        arrays[of] += step
    api = InNumPy(arrays["p"], shift, written)
    return float(program.total(program.run(api, arrays))), arrays, api.written


def by_differences(program, of, written):
    found = np.zeros((2, 3))
    for place in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[place] = 1e-6
        up, down = (in_numpy(program, of, sign * step, written)[0] for sign in (1, -1))
        found[place] = (up - down) / 2e-6
    return found


def ours(program, captured):
    draw = None if captured else random.Random(len(program.steps))
    held = {name: Tensor(value, ms.float64) for name, value in START.items()}
    held["p"] = parameter = Parameter(held["p"], name="p")

    def function(x):
        return program.total(program.run(Ours(draw), {**held, "x": x}))

    called = ms.value_and_grad(function, 0, [parameter])
    value, (of_x, of_p) = (ms.jit(called) if captured else called)(held["x"])
    assert not any(tensor.torch.requires_grad for tensor in held.values())
    return float(value), of_x.asnumpy(), of_p[0].asnumpy(), {name: t.asnumpy() for name, t in held.items()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*runs eagerly:RuntimeWarning")
@pytest.mark.parametrize("captured", [False, True], ids=["plain", "captured"])
def test_gradients(captured):
    for seed in fuzz.seeds(6 if captured else 15):
        program = Program(seed)
        value, arrays, written = in_numpy(program)
        if not abs(value) < 1e6:
            continue
        found_value, of_x, of_p, held = ours(program, captured)
        where = f"seed {seed}: {program.steps}"
        np.testing.assert_allclose(found_value, value, rtol=1e-9, err_msg=where)
        for name, array in arrays.items():
            np.testing.assert_allclose(held[name], array, rtol=1e-9, atol=1e-12, err_msg=f"{name} after {where}")
        for of, gradient in (("x", of_x), ("p", of_p)):
            expected = by_differences(program, of, written)
            scale = 1 + np.abs(expected).max() + abs(value)
            np.testing.assert_allclose(gradient, expected, atol=2e-4 * scale, err_msg=f"{of} of {where}")
