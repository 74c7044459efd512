"""Files in the other format, slices in one piece, and the names as MindSpore has them."""

from __future__ import annotations

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore.train import serialization

CONVERT = [
    (ms.ckpt_to_safetensors, "ckpt", "safetensors"),
    (ms.safetensors_to_ckpt, "safetensors", "ckpt"),
]


def save(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {"w": ms.Tensor([[1.0, 2.0]]), "n": ms.Tensor(3), "half": ms.Tensor([1.0], ms.bfloat16)}
    ms.save_checkpoint(values, path, format=path.suffix[1:])
    return values


def check(path, values, names=None):
    loaded = ms.load_checkpoint(path, format=path.suffix[1:])
    for name, value in values.items():
        found = loaded.pop((names or {}).get(name, name))
        assert (found.dtype, found.shape) == (value.dtype, value.shape)
        np.testing.assert_array_equal(found.astype(ms.float32).asnumpy(), value.astype(ms.float32).asnumpy())
    assert loaded == {}


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(("convert", "old", "new"), CONVERT)
def test_files(convert, old, new, tmp_path):
    values = save(tmp_path / f"a.{old}")
    convert(str(tmp_path / f"a.{old}"))
    check(tmp_path / f"a.{new}", values)
    convert(str(tmp_path / f"a.{old}"), str(tmp_path / "new" / "folder"), {"w": "weight"})
    check(tmp_path / "new" / "folder" / f"a.{new}", values, {"w": "weight"})


@pytest.mark.parametrize("processes_num", [1, 3])
@pytest.mark.parametrize(("convert", "old", "new"), CONVERT)
def test_folders(convert, old, new, processes_num, tmp_path):
    values = save(tmp_path / "in" / "rank0" / f"a.{old}")
    save(tmp_path / "in" / "rank1" / "deep" / f"b.{old}")
    save(tmp_path / "in" / f"c.{old}")
    (tmp_path / "in" / "notes.txt").write_text("no checkpoint")
    convert(str(tmp_path / "in"), str(tmp_path / "out"), processes_num=processes_num)
    assert tree(tmp_path / "out") == [f"c.{new}", f"rank0/a.{new}", f"rank1/deep/b.{new}"]
    check(tmp_path / "out" / "rank0" / f"a.{new}", values)
    convert(str(tmp_path / "in"), str(tmp_path / "some"), None, "[ab]\\.", processes_num)
    assert tree(tmp_path / "some") == [f"rank0/a.{new}", f"rank1/deep/b.{new}"]
    convert(str(tmp_path / "in"))
    assert len(tree(tmp_path / "in")) == 7


ERRORS = [
    (TypeError, "'file_path' must be a string", (3,)),
    (ValueError, "there is no file or folder 'nope'", ("nope",)),
    (ValueError, "must end with '.ckpt'", ("a.txt",)),
    (ValueError, "has no '.ckpt' files", ("empty",)),
    (TypeError, "'save_path' must be a string", ("a.ckpt", 3)),
    (TypeError, "'name_map' must be a dict", ("a.ckpt", None, 3)),
    (TypeError, "'file_name_regex' must be a string", ("a.ckpt", None, None, 3)),
    (ValueError, "'processes_num' must be > 0", ("a.ckpt", None, None, None, 0)),
    (ValueError, "maps two values of 'a.ckpt' to the same name", ("a.ckpt", None, {"w": "n"})),
    (ValueError, "hold no strings, as 's' is", ("text.ckpt",)),
    (ValueError, "'damaged.ckpt' cannot be loaded", ("damaged.ckpt",)),
]


@pytest.mark.parametrize(("kind", "message", "arguments"), ERRORS)
def test_errors(kind, message, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "a.ckpt")
    ms.save_checkpoint({"s": "text"}, "text.ckpt")
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "damaged.ckpt").write_text("text")
    before = tree(tmp_path)
    with pytest.raises(kind, match=f"^For 'ckpt_to_safetensors', .*{message}"):
        ms.ckpt_to_safetensors(*arguments)
    assert tree(tmp_path) == before


def test_merging_slices():
    slices = [ms.Parameter(ms.Tensor([[float(i)]]), name="w", requires_grad=False) for i in range(3)]
    merged = ms.merge_sliced_parameter(slices)
    np.testing.assert_array_equal(merged.asnumpy(), [[0.0], [1.0], [2.0]])
    assert (merged.name, merged.requires_grad) == ("w", False)
    uneven = [ms.Parameter(ms.Tensor([1.0] * n), name="w") for n in (2, 1)]
    assert ms.merge_sliced_parameter(uneven).shape == (3,)


@pytest.mark.parametrize(
    ("kind", "message", "arguments"),
    [
        (TypeError, "must be a (list of Parameters|Parameter, but)", (3,)),
        (TypeError, "must be a (list of Parameters|Parameter, but)", ([ms.Tensor([1.0])],)),
        (ValueError, "one name, one data type and one shape", ([],)),
        (ValueError, "one name, one data type and one shape", ([ms.Parameter(1.0, "w")],)),
        (ValueError, "one name", ([ms.Parameter(ms.Tensor([1.0]), n) for n in "ab"],)),
        (ValueError, "one name", ([ms.Parameter(ms.Tensor([[1.0] * n]), "w") for n in (1, 2)],)),
        (TypeError, "'strategy' must be a dict", ([ms.Parameter(ms.Tensor([1.0]), "w")], 3)),
    ],
)
def test_slices_that_do_not_fit(kind, message, arguments):
    with pytest.raises(kind, match=message):
        ms.merge_sliced_parameter(*arguments)


@pytest.mark.slow
def test_paths_of_mindspore():
    program = """
import torchspore.as_mindspore
import mindspore as ms, torchspore
from mindspore import save_checkpoint, load_checkpoint, load_param_into_net
from mindspore.train.serialization import load_checkpoint as deep
from mindspore.train import save_checkpoint as short
assert deep is load_checkpoint is torchspore.load_checkpoint and short is save_checkpoint
import mindspore.train.serialization as module
assert module is ms.train.serialization is torchspore.serialization
"""
    preloaded.output_of(program)


def test_names_are_exported():
    assert [name for name in serialization.__all__ if getattr(ms, name) is not getattr(serialization, name)] == []
    assert set(serialization.__all__) <= set(ms.train.__all__)
