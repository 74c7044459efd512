"""Dumps: recorded here, and by plain MindSpore with the script that needs nothing of TorchSpore."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn as tnn

import preloaded
import torchspore as ms
from torchspore import nn
from torchspore.migrate import compare, record, record_script

DATA = Path(__file__).resolve().parent.parent / "data"


def rows(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).standard_normal(shape or (6, 8)).astype(np.float32))


def module(eps: float = 1e-5) -> tnn.Module:
    torch.manual_seed(0)
    return tnn.Sequential(tnn.Linear(8, 8), tnn.LayerNorm(8, eps), tnn.GELU(), tnn.Linear(8, 2))


def cell(eps: float = 1e-5) -> nn.Cell:
    ours = (nn.Dense(8, 8), nn.LayerNorm((8,), epsilon=eps), nn.GELU(False), nn.Dense(8, 2))
    return nn.SequentialCell(*ours)


@pytest.mark.parametrize("make", [module, cell])
def test_a_dump_of_either_kind(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "dump.npz"
    record(make(), path, rows())
    for net in (cell(), module()):
        report = compare(net, path)
        report.assert_equal()
        assert {row.part for row in report.rows} == {"layers", "outputs", "gradients"}
        first = compare(net.__class__(*_changed(net)), path).first
        assert (first.name, first.cause.setting, first.cause.verified) == ("1", "eps", True)


def _changed(net: Any) -> Any:
    other = cell(1e-2) if isinstance(net, nn.Cell) else module(1e-2)
    return list(other.cells()) if isinstance(other, nn.Cell) else list(other.children())


def test_losses_labels_and_bfloat16(tmp_path: Path) -> None:
    path = tmp_path / "dump.npz"
    theirs = module().to(torch.bfloat16)
    labels = torch.tensor([0, 1, 0, 1, 1, 0])
    record(theirs, path, rows().to(torch.bfloat16), labels=labels, loss=tnn.CrossEntropyLoss())
    ours = cell().to(ms.bfloat16)
    compare(ours, path, loss=nn.CrossEntropyLoss()).assert_equal()
    first = compare(ours, path, loss=nn.CrossEntropyLoss(reduction="sum")).first
    assert (first.name, first.cause.setting, first.cause.verified) == ("loss", "reduction", True)


def recorder(tmp_path: Path) -> Any:
    """Return the module of the script."""
    path = tmp_path / "mindspore_recorder.py"
    record_script(path)
    spec = importlib.util.spec_from_file_location("mindspore_recorder", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_script_writes_the_same(tmp_path: Path) -> None:
    """In a process in which `import mindspore` is TorchSpore."""
    (tmp_path / "run.py").write_text(
        "import mindspore as ms, numpy as np\n"
        "from mindspore import nn\n"
        "from mindspore_recorder import record\n"
        "net = nn.SequentialCell(nn.Dense(8, 8), nn.BatchNorm1d(8), nn.LeakyReLU(), nn.Dense(8, 2)).set_train()\n"
        "x = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)\n"
        "record(net, 'dump.npz', x, labels=np.ones((6, 2), np.float32), loss=nn.MSELoss())\n"
    )
    record_script(tmp_path / "mindspore_recorder.py")
    ran = preloaded.run_module("torchspore", "run.py", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    theirs = tnn.Sequential(tnn.Linear(8, 8), tnn.BatchNorm1d(8), tnn.LeakyReLU(0.2), tnn.Linear(8, 2))
    compare(theirs, tmp_path / "dump.npz", loss=tnn.MSELoss()).assert_equal()
    theirs[2].negative_slope = 0.01
    first = compare(theirs, tmp_path / "dump.npz", loss=tnn.MSELoss()).first
    assert (first.name, first.cause.setting, first.cause.verified) == ("2", "negative_slope", True)


def recorded_module() -> tnn.Module:
    """Return the network of `tests/data/record_dump.py` in torch."""
    return tnn.Sequential(
        tnn.Conv2d(2, 4, 3, padding=1), tnn.BatchNorm2d(4), tnn.LeakyReLU(0.2), tnn.AvgPool2d(2), tnn.Flatten(),
        tnn.Linear(16, 3), tnn.LayerNorm(3, 1e-7), tnn.GELU("tanh"), tnn.Softmax(-1),
    )  # fmt: skip


CHANGES = {"0": ("padding", (0, 0)), "1": ("eps", 1e-3), "2": ("negative_slope", 0.01), "6": ("eps", 1e-5),
           "7": ("approximate", "none"), "8": ("dim", 0)}  # fmt: skip


def test_a_dump_of_mindspore() -> None:
    compare(recorded_module(), DATA / "dump_of_mindspore.npz").assert_equal()


@pytest.mark.parametrize("name", CHANGES)
def test_differences_from_a_dump_of_mindspore(name: str) -> None:
    net = recorded_module()
    setattr(net[int(name)], *CHANGES[name])
    first = compare(net, DATA / "dump_of_mindspore.npz").first
    assert (first.name, first.cause.setting.replace("axis", "dim"), first.cause.verified) == (
        name, CHANGES[name][0], True
    )  # fmt: skip


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04", b"\x93NUMPY"])
def test_files_that_are_no_dump(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dump.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a dump written by 'record'"):
        compare(cell(), path)


def test_pickles_in_a_dump_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "dump.npz"
    np.savez(path, description=np.array([object()], dtype=object))
    with pytest.raises(ValueError, match="is not a dump"):
        compare(cell(), path)
    np.savez(path, description=np.array("[1]"))
    with pytest.raises(ValueError, match="is not a dump"):
        compare(cell(), path)


def test_steps_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        compare(cell(), tmp_path / "nothing.npz")
    record(cell(), tmp_path / "dump.npz", rows())
    with pytest.raises(ValueError, match="'steps' must be 0 with a dump"):
        compare(cell(), tmp_path / "dump.npz", steps=2)


def test_inputs_that_cannot_be_recorded(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="For 'record', an input must be"):
        record(cell(), tmp_path / "dump.npz", object())
