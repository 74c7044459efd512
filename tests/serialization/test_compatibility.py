"""Checkpoints that MindSpore 2.10 wrote load, and what is saved has the same bytes."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import torchspore as ms
from data.checkpoints import record
from torchspore.engine.storage import encryption
from torchspore.serialization import checkpoint_file

FILES = record.FOLDER
VALUES = np.array(record.VALUES).reshape(record.SHAPE)


def load(name, **options):
    format = name.rpartition(".")[2]
    return ms.load_checkpoint(FILES / name, format=format, **options)


def expected(name):
    """Return the values of the tensor that bears the name of its type."""
    if name in record.COMPLEX:
        return VALUES - 1j * VALUES
    return VALUES % 2 if name == "bool_" else VALUES


def check_types(loaded, names):
    for name in names:
        parameter = loaded.pop(name)
        assert isinstance(parameter, ms.Parameter)
        assert parameter.name == name
        assert parameter.dtype is getattr(ms, name)
        numbers = parameter if parameter.dtype is not ms.bfloat16 else parameter.astype(ms.float32)
        np.testing.assert_array_equal(numbers.asnumpy(), expected(name))


@pytest.mark.parametrize("name", ["types.ckpt", "crc.ckpt", "types.safetensors", "crc.safetensors"])
def test_types(name):
    loaded = load(name, crc_check=name.startswith("crc"))
    check_types(loaded, [dtype for dtype in record.TYPES if name != "crc.safetensors" or dtype != "bfloat16"])
    scalar = loaded.pop("scalar")
    assert (scalar.shape, scalar.dtype, scalar.asnumpy()) == ((), ms.float32, 2.5)
    if name == "types.ckpt":
        appended = {key: loaded.pop(key) for key in record.APPENDED}
        assert appended["note"] == record.APPENDED["note"]
        assert appended["none"] == ""
        assert (appended["epoch"].dtype, appended["epoch"].asnumpy()) == (ms.int64, 3)
        assert (appended["low"].dtype, appended["low"].asnumpy()) == (ms.int64, -(2**40))
        assert (appended["rate"].dtype, appended["rate"].asnumpy()) == (ms.float32, np.float32(0.1))
        assert (appended["done"].dtype, appended["done"].asnumpy()) == (ms.bool_, True)
    assert loaded == {}


def test_complex_numbers_which_mindspore_writes_but_does_not_read():
    loaded = load("complex.ckpt")
    check_types(loaded, record.COMPLEX)
    assert loaded == {}


@pytest.mark.parametrize("name", ["types.ckpt", "crc.ckpt", "complex.ckpt", "split.ckpt"])
def test_saved_files_have_the_same_bytes(name, tmp_path, monkeypatch):
    if name == "split.ckpt":
        monkeypatch.setattr(checkpoint_file, "_PIECE", 1024)
    ms.save_checkpoint(load(name), tmp_path / name, crc_check=name == "crc.ckpt")
    assert (tmp_path / name).read_bytes() == (FILES / name).read_bytes()


def test_what_append_dict_saves_has_the_same_bytes(tmp_path):
    loaded = load("types.ckpt")
    parameters = [loaded[name] for name in [*record.TYPES, "scalar"]]
    ms.save_checkpoint(parameters, tmp_path / "types.ckpt", append_dict=record.APPENDED)
    assert (tmp_path / "types.ckpt").read_bytes() == (FILES / "types.ckpt").read_bytes()


def test_pieces():
    long = load("split.ckpt")["long"]
    np.testing.assert_array_equal(long.asnumpy(), np.arange(record.SPLIT, dtype=np.float32))


@pytest.mark.parametrize(("mode", "length"), record.ENCRYPTED)
def test_encrypted(mode, length, tmp_path, monkeypatch):
    key, name = record.KEYS[length], f"{mode}-{length}.ckpt"
    loaded = load(name, dec_key=key, dec_mode=mode)
    np.testing.assert_array_equal(loaded["long"].asnumpy(), np.arange(record.SPLIT, dtype=np.float32))
    np.testing.assert_array_equal(loaded["after"].asnumpy(), VALUES)
    monkeypatch.setattr(checkpoint_file, "_PIECE", 1024)
    monkeypatch.setattr(encryption, "_BLOCK", 1024)
    ms.save_checkpoint(loaded, tmp_path / name, enc_key=key, enc_mode=mode)
    ours = (tmp_path / name).read_bytes()
    assert frame(ours, mode) == frame((FILES / name).read_bytes(), mode)
    again = ms.load_checkpoint(tmp_path / name, dec_key=key, dec_mode=mode)
    np.testing.assert_array_equal(again["long"].asnumpy(), loaded["long"].asnumpy())


def frame(data, mode):
    """Return what an encrypted file does not draw at random: marks and lengths."""
    found = []
    while data:
        tag = 16 if mode == "AES-GCM" else 0
        mark, data = data[:4], data[4 + tag :]
        (body,) = struct.unpack("<I", data[:4])
        (vector,) = struct.unpack("<I", data[4:8])
        (content,) = struct.unpack("<I", data[8 + vector : 12 + vector])
        found.append((mark, body, vector, content))
        data = data[4 + body :]
    return found


@pytest.mark.parametrize("name", ["types.safetensors", "crc.safetensors"])
def test_saved_safetensors_say_the_same(name, tmp_path):
    from safetensors import safe_open

    check = name.startswith("crc")
    ms.save_checkpoint(load(name), tmp_path / name, crc_check=check, format="safetensors")
    with safe_open(FILES / name, "np") as theirs, safe_open(tmp_path / name, "np") as ours:
        assert ours.metadata() == theirs.metadata()
        assert ours.keys() == theirs.keys()
        for key in theirs.keys():  # noqa: SIM118  (the file is not a mapping)
            if key != "bfloat16":  # which NumPy lacks
                np.testing.assert_array_equal(ours.get_tensor(key), theirs.get_tensor(key))
            assert ours.get_slice(key).get_dtype() == theirs.get_slice(key).get_dtype()
