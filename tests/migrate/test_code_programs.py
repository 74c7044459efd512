"""Programs before and after rewriting: equal losses and outputs from equal weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from torchspore import migrate

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))


def execute(code: str, name: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": f"program_{name}"}
    exec(compile(code.replace("mindspore", "torchspore"), f"<{name}>", "exec"), namespace)
    return namespace


def flat(value: Any) -> list[np.ndarray]:
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in flat(each)]
    return [np.asarray(value, dtype=np.float64)]


def results(namespace: dict[str, Any], weights: list[Any] | None) -> tuple[list[np.ndarray], list[Any]]:
    torch.manual_seed(0)
    networks = namespace["build"]()
    if weights is None:
        weights = [{name: value.clone() for name, value in network.state_dict().items()} for network in networks]
    else:
        for network, state in zip(networks, weights, strict=True):
            if isinstance(network, torch.nn.Module):
                network.load_state_dict(state)
            else:
                migrate.load_torch(network, state)
    return flat(namespace["run"](networks, np.random.default_rng(0))), weights


def assert_equal(one: list[np.ndarray], other: list[np.ndarray]) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=5e-4)


@pytest.mark.parametrize("api", ["mint", "classic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_the_same(name: str, api: Any) -> None:
    source = (FOLDER / f"{name}.py").read_text()
    rewritten = migrate.rewrite(source, api=api)
    assert not rewritten.left
    assert "torch" not in rewritten.code
    expected, weights = results(execute(source, name), None)
    got, _ = results(execute(rewritten.code, f"{name}_{api}"), weights)
    assert_equal(got, expected)


@pytest.mark.parametrize("api", ["mint", "classic"])
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "autoencoder"])
def test_a_round_trip_computes_the_same(name: str, api: Any) -> None:
    source = (FOLDER / f"{name}.py").read_text()
    there = migrate.rewrite(source, api=api)
    back = migrate.rewrite(there.code, reverse=True)
    assert not back.left
    assert "mindspore" not in back.code
    expected, weights = results(execute(source, name), None)
    got, _ = results(execute(back.code, f"{name}_back"), weights)
    assert_equal(got, expected)
