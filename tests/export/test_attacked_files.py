"""Exports that fail, that other threads and processes disturb, and that end in links: files are whole or as before."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import preloaded
import torchspore as ms
from torchspore import nn
from torchspore.engine.exported_memory import check_memory
from torchspore.serialization.exporting import onnx_file
from torchspore.serialization.mindir import saving

pytest.importorskip("google.protobuf")

X = ms.Tensor(np.ones((2, 4), np.float32))
FORMATS = {"MINDIR": "net.mindir", "apart": "net_graph.mindir", "PT2": "net.pt2", "ONNX": "net.onnx"}


@pytest.fixture(params=FORMATS)
def kind(request, monkeypatch):
    """The format; "apart" has its weights in a file beside."""
    if request.param == "apart":
        monkeypatch.setattr(saving, "_MAX_TOGETHER", 10)
    if request.param == "ONNX":
        pytest.importorskip("onnxscript")
        monkeypatch.setattr(onnx_file, "_MAX_BYTES", 10)
    return request.param


class Net(nn.Cell):
    def __init__(self, value=1.0):
        super().__init__()
        self.dense = nn.Dense(4, 4, weight_init="ones", bias_init="zeros")
        self.dense.weight.set_data(ms.ops.ones((4, 4)) * value)
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(p=0.5)
        self.of_torch = torch.nn.Sequential(torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5))
        self.fails = False

    def construct(self, x):
        x = self.of_torch(self.drop(self.norm(self.dense(x))))
        if self.fails:
            raise KeyError("half way")
        return x


def export(net, kind, path, **options):
    ms.export(net, X, file_name=path, file_format="MINDIR" if kind == "apart" else kind, **options)


def of_file(kind, folder, **options):
    return nn.GraphCell(ms.load(folder / FORMATS[kind], **options))(X).asnumpy()


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def state(net):
    cells = [(cell.training, cell.phase, cell._mode_is_set, cell.requires_grad) for _, cell in net.cells_and_names()]
    parameters = [(each.name, each.requires_grad, each._t.data_ptr()) for each in net.get_parameters()]
    return cells, parameters, [module.training for module in net.of_torch.module.modules()]


def fail(*_):
    raise OSError(28, "No space left on device")


FAILURES = {
    "in the network": lambda patched, net: patched.setattr(net, "fails", True),
    "in a rename": lambda patched, net: patched.setattr(os, "replace", fail),
    "at the end": lambda patched, net: patched.setattr(os, "fsync", fail),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_failures_change_nothing(kind, failure, tmp_path):
    net = Net().set_train()
    net.norm.set_train(False)
    net.of_torch.module[0].eval()
    net.dense.weight.requires_grad = False
    before = state(net)
    export(net, kind, tmp_path / "net")
    assert state(net) == before
    files = content(tmp_path)
    for path in (tmp_path / "net", tmp_path / "new", tmp_path / "new/folder/net"):
        with pytest.MonkeyPatch.context() as patched:
            FAILURES[failure](patched, net)
            with pytest.raises((KeyError, OSError)):
                export(net, kind, path)
        assert content(tmp_path) == files
        assert {each.name for each in tmp_path.iterdir()} <= {FORMATS[kind], "net.onnx.data", "net_variables"}
        assert state(net) == before


def test_threads(kind, tmp_path):
    """They export one network in training, and others, and train it: no one disturbs another."""
    shared, errors, filters = Net().set_train(), [], list(warnings.filters)

    def work(number):
        try:
            export(shared if number % 2 else Net(float(number)), kind, tmp_path / str(number) / "net")
            export(shared, kind, tmp_path / "net")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert all(cell.training for _, cell in shared.cells_and_names())
    assert warnings.filters == filters
    wanted = shared.set_train(False)(X).asnumpy()
    for folder in (tmp_path, tmp_path / "1", tmp_path / "3"):
        np.testing.assert_allclose(of_file(kind, folder), wanted, rtol=1e-5)
    np.testing.assert_allclose(of_file(kind, tmp_path / "2"), 2 * wanted, rtol=1e-5)


def test_logs_of_what_fails_with_fake_tensors(caplog):
    """The run that checks the memory logs nothing: the real run raises the error."""
    check_memory(lambda x: torch.mm(x, x), [torch.ones(2, 3)], "api")
    assert not [each for each in caplog.records if each.levelname == "ERROR"]


def test_links(kind, tmp_path):
    """What a link leads to is written, and read with what is beside it."""
    real = tmp_path / "real"
    export(Net(), kind, real / "net")
    (tmp_path / FORMATS[kind]).symlink_to(real / FORMATS[kind])
    wanted = of_file(kind, tmp_path)
    export(Net(2.0), kind, tmp_path / "net")
    assert (tmp_path / FORMATS[kind]).is_symlink()
    for folder in (tmp_path, real):
        np.testing.assert_allclose(of_file(kind, folder), 2 * wanted, rtol=1e-5)


@pytest.mark.parametrize("kind", ["apart"], indirect=True)
@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC", lambda data, key: data[::-1]])
def test_encrypted_weights_in_another_file(kind, mode, tmp_path):
    pytest.importorskip("cryptography")
    key, net = b"0123456789abcdef", Net()
    export(net, kind, tmp_path / "net", enc_key=key, enc_mode=mode)
    data = (tmp_path / "net_variables/data_0").read_bytes()
    assert net.dense.weight.asnumpy().tobytes() not in data
    if callable(mode):
        mode = lambda name, key: Path(name).read_bytes()[::-1]  # noqa: E731
    wanted = net(X).asnumpy()
    np.testing.assert_allclose(of_file(kind, tmp_path, dec_key=key, dec_mode=mode), wanted, rtol=1e-5)
    with pytest.raises(ValueError, match=r"cannot be read"):
        of_file(kind, tmp_path)


@pytest.mark.parametrize("kind", ["MINDIR", "apart", "PT2"], indirect=True)
def test_functions_that_encrypt_return_bytes(kind, tmp_path):
    words = "function 'enc_mode' must return bytes, but it returned None"
    with pytest.raises(TypeError, match=words):
        export(Net(), kind, tmp_path / "net", enc_key=b"k", enc_mode=lambda data, key: None)
    assert not list(tmp_path.iterdir())
    export(Net(), kind, tmp_path / "net", enc_key=b"k", enc_mode=lambda data, key: data)
    with pytest.raises(TypeError, match="function 'dec_mode' must return bytes, but it returned None"):
        of_file(kind, tmp_path, dec_key=b"k", dec_mode=lambda name, key: None)


PROGRAM = """
import torchspore as ms
from torchspore.serialization.mindir import saving
saving._MAX_TOGETHER = 10 if {apart} else 2**30
x = ms.ops.ones((1, 64))
for number in range(10**9):
    net = ms.nn.Dense(64, 64, weight_init="ones", bias_init="zeros")
    net.weight.set_data(ms.ops.ones((64, 64)) * float(number % 7))
    ms.export(net, x, file_name={path!r}, file_format={format!r})
    print(number, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals and locks are POSIX's")
@pytest.mark.parametrize("kind", ["MINDIR", "apart", "PT2"], indirect=True)
def test_exporters_that_are_killed(kind, tmp_path, tmp_path_factory):
    """Two processes write one file again and again, and are killed: it is always one of theirs."""
    format_ = "MINDIR" if kind == "apart" else kind
    program = PROGRAM.format(apart=kind == "apart", path=str(tmp_path / "net"), format=format_)
    chance = random.Random(0)
    for _ in range(3):
        streams = [tmp_path_factory.mktemp("streams") for _ in range(2)]
        processes = [
            preloaded.start(program, [folder / name for name in ("stdin", "stdout", "stderr")]) for folder in streams
        ]
        while not all((folder / "stdout").exists() and (folder / "stdout").read_text() for folder in streams):
            assert all(process.is_alive() for process in processes), [
                (folder / "stderr").read_text() for folder in streams
            ]
            time.sleep(0.01)
        time.sleep(chance.random() / 2)
        for process in processes:
            os.kill(process.pid, signal.SIGKILL)
            process.join()
        result = nn.GraphCell(ms.load(tmp_path / FORMATS[kind]))(ms.ops.ones((1, 64))).asnumpy()
        assert result.min() == result.max()
        assert result.max() in range(0, 7 * 64, 64)
    if kind == "apart":  # the next one removes what they have left
        export(Net(), kind, tmp_path / "net")
        assert len(os.listdir(tmp_path / "net_variables")) == 1
