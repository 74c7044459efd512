"""Networks rewritten by `rewrite` equal the originals: every layer, all gradients, three optimizer steps."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import torchspore as ms
from torchspore import migrate

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "networks"
NETWORKS = sorted(path.stem for path in FOLDER.glob("*.py"))
OF_MINDSPORE = sorted(path.stem for path in (FOLDER / "from_mindspore").glob("*.py"))


def program(source: str, name: str, path: Path) -> Any:
    """Return a module made from source code."""
    made = ModuleType(name)
    exec(compile(source, str(path), "exec", dont_inherit=True), vars(made))
    return made


@pytest.fixture(autouse=True)
def seeds():
    torch.manual_seed(1)
    ms.set_seed(1)


LEFT = {("crnn", "mindspore-cpu"): ["MindSpore has no kernel of mindspore.nn.CTCLoss for CPUs"]}


@pytest.mark.parametrize("target", ["torchspore", "mindspore-cpu"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_rewritten_network_is_equal(name, target):
    path = FOLDER / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    rewritten = migrate.rewrite(source, target=target)
    left = LEFT.get((name, target), [])
    assert [each.reason for each in rewritten.left] == left
    if left:
        rewritten = migrate.rewrite(source, api="classic")
    original, ours = program(source, name, path), program(rewritten.code.replace("mindspore", "torchspore"), name, path)
    module, cell = original.network(), ours.network()
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        report = migrate.compare(
            cell, module, *original.inputs(), loss=(ours.loss, original.loss), steps=3, mode=mode, training=True
        )
        report.assert_equal()


@pytest.mark.parametrize("name", OF_MINDSPORE)
def test_a_network_rewritten_to_pytorch_is_equal(name):
    path = FOLDER / "from_mindspore" / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    rewritten = migrate.rewrite(source, reverse=True)
    assert rewritten.left == []
    assert "mindspore." not in rewritten.code.replace("of MindSpore", "")
    ours = program(source.replace("mindspore", "torchspore"), name, path)
    theirs = program(rewritten.code, f"{name}_torch", path)
    inputs = ours.inputs()
    for training in (False, True):
        report = migrate.compare(
            ours.network(), theirs.network(), *inputs, loss=(ours.loss, theirs.loss), steps=3, training=training
        )
        report.assert_equal()
