"""Files of weights: what torch programs write, and what they read; damaged and hostile ones."""

# ruff: noqa: E501
from __future__ import annotations

import argparse
import json
import os
import pathlib
import random

import numpy as np
import pytest
import torch

import hostile_files
import torchspore as ms
from torchspore import migrate

nn, tnn = ms.nn, torch.nn


def cell():
    return nn.SequentialCell(nn.Conv2d(1, 2, 3, pad_mode="valid"), nn.BatchNorm2d(2), nn.Identity(), nn.Dense(3, 2))


def module():
    torch.manual_seed(1)
    return tnn.Sequential(tnn.Conv2d(1, 2, 3, bias=False), tnn.BatchNorm2d(2), tnn.Linear(3, 2))


STATE = module().state_dict()


def is_loaded(net):
    weights = migrate.map_weights(net, STATE)
    return all(torch.equal(value, STATE[name]) for name, value in weights.values("torch").items())


def as_safetensors(path, state=None):
    from safetensors.torch import save_file

    save_file(STATE if state is None else state, path, {"format": "pt"})


def sharded(folder, save, ending, changes=None):
    """Write a folder with two files and an index."""
    names = list(STATE)
    files = {f"model-{i + 1}-of-2{ending}": names[i::2] for i in range(2)}
    for file, part in files.items():
        save({name: STATE[name] for name in part}, folder / file)
    index = {name: file for file, part in files.items() for name in part} | (changes or {})
    (folder / f"model{ending}.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    return folder


def save_shard(state, path):
    as_safetensors(path, state)


# Writing functions of a folder, which return what `load_torch` takes
GOOD = {
    "state_dict": lambda folder: torch.save(STATE, folder / "a.pth"),
    "nested": lambda folder: torch.save({"epoch": 3, "state_dict": STATE, "optimizer": {"state": {}}}, folder / "a.pt"),
    "other nested": lambda folder: torch.save({"generator_weights": STATE, "step": 1}, folder / "a.pt"),
    "beside an average": lambda folder: torch.save({"model": STATE, "ema": STATE}, folder / "a.bin"),
    "of DistributedDataParallel": lambda folder: torch.save({f"module.{n}": v for n, v in STATE.items()}, folder / "a.pth"),
    "the old format": lambda folder: torch.save(STATE, folder / "a.pth", _use_new_zipfile_serialization=False),
    "safetensors": lambda folder: as_safetensors(folder / "a.safetensors"),
    "a folder": lambda folder: as_safetensors(folder / "model.safetensors"),
    "a folder of .bin": lambda folder: torch.save(STATE, folder / "pytorch_model.bin"),
    "shards of safetensors": lambda folder: sharded(folder, save_shard, ".safetensors"),
    "shards of .bin": lambda folder: sharded(folder, torch.save, ".bin"),
}  # fmt: skip


@pytest.mark.parametrize("kind", GOOD)
def test_files_of_torch_are_loaded(kind, tmp_path):
    GOOD[kind](tmp_path)
    found = list(tmp_path.iterdir())
    net = cell()
    report = migrate.load_torch(net, found[0] if len(found) == 1 and "folder" not in kind else str(tmp_path))
    assert report.complete
    assert is_loaded(net)


def test_an_index_is_a_path_too(tmp_path):
    sharded(tmp_path, save_shard, ".safetensors")
    net = cell()
    migrate.load_torch(net, tmp_path / "model.safetensors.index.json")
    assert is_loaded(net)


def test_links_as_in_the_cache_of_hugging_face(tmp_path):
    (tmp_path / "blobs").mkdir()
    as_safetensors(tmp_path / "blobs" / "0a1b")
    (tmp_path / "snapshot").mkdir()
    os.rename(tmp_path / "blobs" / "0a1b", tmp_path / "blobs" / "0a1b")
    os.symlink(tmp_path / "blobs" / "0a1b", tmp_path / "snapshot" / "model.safetensors")
    net = cell()
    migrate.load_torch(net, tmp_path / "snapshot")
    assert is_loaded(net)
    assert set(ms.load_checkpoint(str(tmp_path / "snapshot" / "model.safetensors"))) == set(STATE)


def test_of_a_file_only_the_pages_in_use_are_read(tmp_path):
    from torchspore.serialization.safetensors_file import map_safetensors

    as_safetensors(tmp_path / "a.safetensors", {"a": torch.arange(3.0), "b": torch.zeros(0), "c": torch.tensor(True)})
    found = map_safetensors(str(tmp_path / "a.safetensors"))
    assert {name: value.tolist() for name, value in found.items()} == {"a": [0, 1, 2], "b": [], "c": True}
    assert found["a"].untyped_storage().nbytes() == os.path.getsize(tmp_path / "a.safetensors")


# Refused files


class _Runs:
    ran = False

    def __reduce__(self):
        return (_run, ())


def _run():
    _Runs.ran = True


def _cut(folder, ending=".pth", half=0.5):
    GOOD["safetensors" if ending == ".safetensors" else "state_dict"](folder)
    path = folder / f"a{ending}"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * half)])


BAD = {
    "nothing": (lambda f: None, "the folder has no .safetensors"),
    "cut pickle": (_cut, "damaged"),
    "cut safetensors": (lambda f: _cut(f, ".safetensors"), "cannot be loaded"),
    "empty": (lambda f: (f / "a.pth").write_bytes(b""), "damaged"),
    "text": (lambda f: (f / "a.pth").write_text("<html>404</html>"), "damaged"),
    "code": (lambda f: torch.save({"a": _Runs(), "w": torch.ones(2)}, f / "a.pth"), "needs more than weights, '.*_run'"),
    "a module": (lambda f: torch.save(module(), f / "a.pth"), "needs more than weights, 'torch.nn"),
    "settings": (lambda f: torch.save({"args": argparse.Namespace(a=1), "model": STATE}, f / "a.pth"), "argparse.Namespace.*weights_only=False"),
    "a program": (lambda f: torch.jit.save(torch.jit.script(module()), f / "a.pth"), "is a TorchScript program"),
    "a tensor": (lambda f: torch.save(torch.ones(2), f / "a.pth"), "has no tensors by name, but holds"),
    "no tensors": (lambda f: torch.save({"a": 3}, f / "a.pth"), "has no tensors by name"),
    "two networks": (lambda f: torch.save({"g": STATE, "d": STATE}, f / "a.pth"), "several dictionaries of tensors: 'g', 'd'"),
    "several files": (lambda f: [torch.save(STATE, f / f"{n}.pth") for n in "ab"], "several files of weights without an index: a.pth, b.pth"),
    "missing shards": (lambda f: sharded(f, torch.save, ".bin", {"x": "model-3-of-2.bin"}), "1 of 3 files are missing: model-3"),
    "outside": (lambda f: sharded(f, torch.save, ".bin", {"x": "../a.bin"}), r"may only name files beside it, but names '\.\./a.bin'"),
    "absolute": (lambda f: sharded(f, torch.save, ".bin", {"x": "/etc/passwd"}), "may only name files beside it"),
    "itself": (lambda f: sharded(f, torch.save, ".bin", {"x": "model.bin.index.json"}), "may only name files beside it"),
    "absent tensors": (lambda f: sharded(f, torch.save, ".bin", {"x": "model-1-of-2.bin"}), "names tensors that are not there: 'x'"),
    "index of numbers": (lambda f: sharded(f, torch.save, ".bin", {"x": 3}), "must have a 'weight_map'"),
    "index of nothing": (lambda f: (f / "a.bin.index.json").write_text("[]"), "must hold a dict"),
    "other shapes": (lambda f: torch.save(STATE | {"2.weight": torch.ones(5, 5)}, f / "a.pth"), "nothing was copied"),
    "missing names": (lambda f: torch.save({n: v for n, v in STATE.items() if "2." not in n}, f / "a.pth"), "only in the cell: 3.weight"),
    "more names": (lambda f: torch.save(STATE | {"new.scale": torch.ones(9)}, f / "a.pth"), "only in torch: new.scale"),
    "ints": (lambda f: torch.save(STATE | {"2.bias": torch.ones(2, dtype=torch.int64)}, f / "a.pth"), "2.bias"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:`torch.jit")
@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_named_and_change_nothing(kind, tmp_path):
    write, message = BAD[kind]
    write(tmp_path)
    found = [path for path in tmp_path.iterdir() if path.name.startswith("a.")]
    net = cell()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    with pytest.raises(ValueError, match=f"^For 'load_torch', .*{message}"):
        migrate.load_torch(net, str(found[0]) if len(found) == 1 and kind != "several files" else str(tmp_path))
    assert not _Runs.ran
    assert all((p.asnumpy() == old).all() for p, old in zip(net.get_parameters(), before))


def test_what_matches_is_loaded_without_strict():
    net = cell()
    report = migrate.load_torch(net, STATE | {"2.weight": torch.ones(5, 5)}, strict=False)
    assert report.only_in_cell == ["3.weight", "3.bias"]
    assert report.only_in_torch == ["2.weight", "2.bias"]
    assert torch.equal(net[0].weight.torch.detach().cpu(), STATE["0.weight"])


def test_missing_files_and_other_values_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"^For 'load_torch', '.*none.pth' cannot be loaded: No such file"):
        migrate.load_torch(cell(), tmp_path / "none.pth")
    for wrong in (3, None, [STATE]):
        with pytest.raises(TypeError, match=r"^For 'load_torch', 'path_or_state_dict' must be a path"):
            migrate.load_torch(cell(), wrong)
    with pytest.raises(TypeError, match=r"^For 'load_torch', 'cell' must be a Cell"):
        migrate.load_torch(module(), STATE)
    with pytest.raises(TypeError, match=r"^For 'load_mindspore', 'module' must be a torch.nn.Module"):
        migrate.load_mindspore(cell(), STATE)


@pytest.mark.parametrize(
    "kind", ["state_dict", "the old format", "safetensors", "shards of .bin", "shards of safetensors"]
)
def test_randomly_damaged_files(kind, tmp_path):
    GOOD[kind](tmp_path)
    chance = random.Random(kind)
    path = min(tmp_path.iterdir(), key=lambda path: (path.suffix != ".json", path.name))
    content = path.read_bytes()
    for _ in range(40):
        path.write_bytes(hostile_files.damaged(content, chance))
        net = cell()
        try:
            migrate.load_torch(net, str(path) if "shards" not in kind else str(tmp_path), strict=False)
        except (ValueError, OSError) as error:
            assert str(error).startswith("For 'load_torch', ")  # noqa: PT017 - both outcomes are right


# Checkpoints of MindSpore


def trained():
    net = cell()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    step(ms.ops.ones((2, 1, 5, 5)), ms.ops.zeros((2, 2, 3, 2)))
    return net, step


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_checkpoints_with_states_of_the_optimizer(format, tmp_path):
    net, step = trained()
    path = str(tmp_path / f"a.{format}")
    ms.save_checkpoint(step, path, format=format)
    target = module()
    report = migrate.load_mindspore(target, path)
    assert report.complete, str(report)
    assert report.unneeded["moments.3.bias"] == "'moments' of '3.bias'"
    assert report.unneeded["global_step"] == "a number of the training"
    x = np.random.default_rng(0).normal(size=(2, 1, 5, 5)).astype(np.float32)
    net.set_train(False)
    expected = net(ms.Tensor(x)).torch.detach().cpu()
    found = target.eval()(torch.from_numpy(x)).detach()
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


def test_a_checkpoint_becomes_a_file_of_torch(tmp_path):
    net = cell()
    ms.save_checkpoint(net, str(tmp_path / "a.ckpt"))
    for name in ("b.pth", "b.safetensors"):
        migrate.to_torch(tmp_path / "a.ckpt", module(), tmp_path / name)
        target = module()
        state = torch.load(tmp_path / name) if name == "b.pth" else __import__("safetensors.torch").torch.load_file(tmp_path / name)  # fmt: skip
        assert not any(target.load_state_dict(state))
        assert torch.equal(target[2].weight, net[3].weight.torch.cpu())


def test_names_without_a_module():
    net = nn.SequentialCell(nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), nn.Embedding(4, 2), nn.LayerNorm([2]), nn.PReLU())
    state = migrate.to_torch(net)
    like = tnn.Sequential(tnn.Conv1d(2, 3, 3, bias=False), tnn.BatchNorm1d(3), tnn.Embedding(4, 2), tnn.LayerNorm(2), tnn.PReLU())  # fmt: skip
    result = like.load_state_dict(state, strict=False)
    assert result.unexpected_keys == []
    assert result.missing_keys == []


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"path": "a.ckpt"}, ValueError, "'path' must end with .pth"),
        ({"path": 3}, TypeError, "'path' must be a string"),
        ({"rules": {"a": "b"}}, ValueError, "'rules' are names of 'module', which is missing"),
        ({"module": tnn.Linear(2, 2)}, ValueError, "nothing was copied"),
    ],
)
def test_wrong_arguments_of_to_torch(arguments, kind, message):
    with pytest.raises(kind, match=f"^For 'to_torch', {message}"):
        migrate.to_torch(cell(), **arguments)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the device is Linux's")
@pytest.mark.parametrize("ending", [".pth", ".safetensors"])
def test_a_full_disk_is_named(ending, tmp_path):
    os.symlink("/dev/full", tmp_path / f"a{ending}")
    with pytest.raises(OSError, match="No space left"):
        migrate.to_torch(cell(), path=tmp_path / f"a{ending}")


def test_the_old_file_stays_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "a.pth"
    path.write_bytes(b"old")
    monkeypatch.setattr(torch, "save", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left on device"):
        migrate.to_torch(cell(), path=path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


# load_checkpoint


def test_load_checkpoint_knows_safetensors_by_the_name(tmp_path):
    as_safetensors(tmp_path / "a.safetensors")
    assert set(ms.load_checkpoint(tmp_path / "a.safetensors")) == set(STATE)


@pytest.mark.parametrize(
    "name", ["a.pth", "a.pt", "pytorch_model.bin", "model.safetensors.index.json", "lightning.ckpt"]
)
def test_load_checkpoint_says_who_loads_files_of_torch(name, tmp_path):
    torch.save(STATE, tmp_path / name)
    with pytest.raises(
        ValueError, match=r"^For 'load_checkpoint', .*load it by torchspore.migrate.load_torch\(net, path\)"
    ):
        ms.load_checkpoint(tmp_path / name)


# Against MindSpore: tests/data/record_moved_weights.py wrote the checkpoint and the outputs

DATA = pathlib.Path(__file__).parents[1] / "data"


class Network(tnn.Module):
    """The counterpart of the recorded network, with other names."""

    def __init__(self):
        super().__init__()
        self.embedding = tnn.Embedding(5, 4)
        self.conv, self.bn = tnn.Conv2d(1, 2, 3, padding=1), tnn.BatchNorm2d(2)
        self.conv1d = tnn.Conv1d(2, 2, 3, padding=1, bias=False)
        self.rnn = tnn.LSTM(8, 3, 2, batch_first=True, bidirectional=True)
        self.layer_norm, self.act, self.head = tnn.LayerNorm(6), tnn.PReLU(), tnn.Linear(6, 2)

    def forward(self, ids):
        x = self.bn(self.conv(self.embedding(ids).reshape(2, 1, 6, 4)))
        x = self.conv1d(x.reshape(2, 2, 24)).reshape(2, 2, 6, 4)
        x = x.transpose(1, 2).reshape(2, 6, 8)
        return self.head(self.act(self.layer_norm(self.rnn(x)[0])))


def test_a_checkpoint_of_mindspore_in_a_module():
    record = json.loads((DATA / "moved_weights.json").read_text(encoding="utf-8"))
    net = Network().eval()
    report = migrate.load_mindspore(net, DATA / "checkpoints" / "moved.ckpt")
    assert report.complete
    found = net(torch.tensor(record["ids"])).detach()
    torch.testing.assert_close(found, torch.tensor(record["output"]), rtol=1e-4, atol=1e-5)


def test_that_checkpoint_written_from_a_module(tmp_path):
    old = ms.load_checkpoint(DATA / "checkpoints" / "moved.ckpt")
    net = Network()
    migrate.load_mindspore(net, old)
    empty = {name: ms.Parameter(ms.ops.zeros_like(value), name=name) for name, value in old.items()}
    migrate.map_weights(empty, net).copy_to_cell()
    ms.save_checkpoint(empty, str(tmp_path / "new.ckpt"))
    assert (tmp_path / "new.ckpt").read_bytes() == (DATA / "checkpoints" / "moved.ckpt").read_bytes()
