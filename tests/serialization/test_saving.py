"""`save_checkpoint`: what it takes, what it writes, and that a file appears whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
import torch

import preloaded
import torchspore as ms
from torchspore import nn
from torchspore.engine.storage import files
from torchspore.serialization import background, checkpoint_file, parts

KEY = b"0123456789ABCDEF"


def parameter(name, value=1.0):
    return ms.Parameter(ms.Tensor([value]), name=name)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 3)
        self.norm = nn.BatchNorm1d(3)
        self.register_buffer("buffer", ms.Tensor([1]))


def saved(tmp_path, what, **options):
    ms.save_checkpoint(what, tmp_path / "saved", **options)
    format = options.get("format", "ckpt")
    return ms.load_checkpoint(tmp_path / f"saved.{format}", format=format)


NET = ["dense.weight", "dense.bias", "norm.moving_mean", "norm.moving_variance", "norm.gamma", "norm.beta"]
NAMES = [
    (lambda: Net(), {}, NET),
    (lambda: Net(), {"choice_func": lambda name: "bias" in name}, ["dense.bias"]),
    (lambda: Net(), {"choice_func": lambda name: False, "append_dict": {"step": 1}}, ["step"]),
    (lambda: [parameter("a"), parameter("b")], {}, ["a", "b"]),
    (lambda: [{"name": "x", "data": ms.Tensor([1.0])}, {"name": "y", "data": parameter("z")}], {}, ["x", "y"]),
    (lambda: {"k": parameter("other"), "t": ms.Tensor(1)}, {}, ["k", "t"]),
    (lambda: {"array": np.ones(2), "int": 1, "float": 0.5, "bool": True, "text": "x"}, {}, None),
    (lambda: Net().state_dict(), {}, None),
    (lambda: nn.Momentum(Net().trainable_params(), 0.1, 0.9), {}, None),
]


@pytest.mark.parametrize(("make", "options", "names"), NAMES)
def test_names(make, options, names, tmp_path):
    what = make()
    if names is None:
        names = list(what) if isinstance(what, dict) else [p.name for p in what.get_parameters()]
    loaded = saved(tmp_path, what, **options)
    assert list(loaded) == names
    assert all(value.name == name for name, value in loaded.items() if not isinstance(value, str))


def test_buffers_are_in_a_state_dict_only(tmp_path):
    net = Net()
    assert "buffer" not in saved(tmp_path, net)
    net.load_state_dict(saved(tmp_path, net.state_dict()))


def test_appended_values(tmp_path):
    generator = ms.Generator().manual_seed(3)
    loaded = saved(tmp_path, [], append_dict={"large": 1e300, "inf": float("inf"), "rate": 0.1, "generator": generator})
    assert loaded["large"].dtype is ms.float64
    assert loaded["large"].asnumpy() == 1e300
    assert (loaded["inf"].dtype, loaded["inf"].asnumpy()) == (ms.float32, np.inf)
    assert loaded["rate"].dtype is ms.float32
    other = ms.Generator()
    other.set_state(loaded["generator"])
    assert other.initial_seed() == 3


def test_the_last_of_several_values_with_one_name_is_saved(tmp_path, caplog):
    loaded = saved(tmp_path, [parameter("a", 1.0), parameter("b"), parameter("a", 2.0)])
    assert list(loaded) == ["a", "b"]
    assert loaded["a"].asnumpy() == 2.0
    assert "the same name" in caplog.text
    assert saved(tmp_path, [parameter("a", 1.0)], append_dict={"a": 5})["a"].asnumpy() == 5


LAYOUTS = {
    "scalar": torch.tensor(2.5),
    "empty": torch.zeros(0, 3),
    "empty list": torch.zeros(0),
    "transposed": torch.arange(6.0).reshape(2, 3).t(),
    "steps": torch.arange(12)[::3],
    "channels last": torch.arange(48.0).reshape(2, 3, 2, 4).to(memory_format=torch.channels_last),
    "conjugate": torch.tensor([1 + 2j]).conj(),
    "expanded": torch.tensor([1.0]).expand(3),
    "float8": torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
}


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_layouts(format, tmp_path):
    loaded = saved(tmp_path, {name: ms.Tensor(value) for name, value in LAYOUTS.items()}, format=format)
    for name, value in LAYOUTS.items():
        found = loaded[name]._t
        assert found.dtype is value.dtype
        assert found.shape == value.shape
        assert found.is_contiguous()
        assert torch.equal(found.float() if name == "float8" else found, value.float() if name == "float8" else value)


def test_a_parameter_inside_a_scope_saves_its_value(tmp_path):
    net = nn.Dense(1, 1)

    def forward(x):
        ms.save_checkpoint(net, tmp_path / "inside")
        return net(x)

    ms.grad(forward, None, net.trainable_params())(ms.Tensor([[1.0]]))
    inside = ms.load_checkpoint(tmp_path / "inside.ckpt")
    np.testing.assert_array_equal(inside["weight"].asnumpy(), net.weight.asnumpy())


@pytest.mark.parametrize(
    ("name", "format", "file"),
    [
        ("a", "ckpt", "a.ckpt"),
        ("a.ckpt", "ckpt", "a.ckpt"),
        ("a_ckpt", "ckpt", "a_ckpt"),
        ("a.CKPT", "ckpt", "a.CKPT.ckpt"),
        ("a.ckpt", "safetensors", "a.ckpt.safetensors"),
        ("a.safetensors", "safetensors", "a.safetensors"),
    ],
)
def test_endings(name, format, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ms.save_checkpoint([parameter("a")], name, format=format)
    assert os.listdir() == [file]


ERRORS = [
    (TypeError, "'save_obj' must be a Cell, a list", None, {}),
    (TypeError, "'save_obj' must be a Cell, a list", (parameter("a"),), {}),
    (TypeError, "must be a Parameter or a dict", [ms.Tensor([1.0])], {}),
    (TypeError, "must be a dict with a 'name' and a Tensor", [{"name": "x"}], {}),
    (TypeError, "must be a dict with a 'name' and a Tensor", [{"name": "x", "data": np.ones(2)}], {}),
    (TypeError, "'a key of save_obj' must be a string", {3: parameter("a")}, {}),
    (
        TypeError,
        "'save_obj\\['k'\\]' must be an array, a NumPy number, a Tensor",
        {"k": None},
        {},
    ),
    (ValueError, "must fit in 64 bits", [], {"append_dict": {"a": 2**70}}),
    (TypeError, "'append_dict' must be a dict", [], {"append_dict": [1]}),
    (
        TypeError,
        "'append_dict\\['a'\\]' must be a Tensor, a number, a string or",
        [],
        {"append_dict": {"a": [1]}},
    ),
    (TypeError, "'a key of append_dict' must be a string", [], {"append_dict": {3: 1}}),
    (TypeError, "'integrated_save' must be a bool", [], {"integrated_save": 3}),
    (TypeError, "'crc_check' must be a bool", [], {"crc_check": 3}),
    (TypeError, "'async_save' must be a bool", [], {"async_save": 3}),
    (ValueError, "'async_save' must be a bool", [], {"async_save": "later"}),
    (TypeError, "'choice_func' must be a function", [], {"choice_func": 3}),
    (ValueError, "'format' must be one of \\['ckpt', 'safetensors'\\]", [], {"format": "onnx"}),
    (RuntimeWarning, "no argument 'foo'", [], {"foo": 1}),
    (TypeError, "'remove_redundancy' must be a bool", [], {"remove_redundancy": 1}),
    (TypeError, "'incremental' must be a bool", [], {"incremental": "a"}),
    (TypeError, "'enc_key' must be bytes", [], {"enc_key": "0" * 16}),
    (TypeError, "'enc_mode' must be a string", [], {"enc_mode": 3}),
    (ValueError, "'enc_mode' must be one of", [], {"enc_key": KEY, "enc_mode": "ROT13"}),
    (ValueError, "must have 16 or 24 or 32 bytes", [], {"enc_key": b"abc"}),
    (ValueError, "must have 16 bytes for SM4-CBC", [], {"enc_key": KEY * 2, "enc_mode": "SM4-CBC"}),
    (ValueError, "cannot be combined with crc_check", [], {"enc_key": KEY, "crc_check": True}),
    (ValueError, "cannot be combined with format", [], {"enc_key": KEY, "format": "safetensors"}),
    (
        ValueError,
        "For 'save_checkpoint', .* hold no strings, as 's' is",
        {"s": "x"},
        {"format": "safetensors"},
    ),
    (ValueError, "hold no complex128", {"c": ms.Tensor(1j)}, {"format": "safetensors"}),
    (ValueError, "is reserved", {"__metadata__": 1}, {"format": "safetensors"}),
]


@pytest.mark.parametrize(("kind", "message", "what", "options"), ERRORS)
def test_errors(kind, message, what, options, tmp_path):
    with pytest.raises(kind, match=message):
        ms.save_checkpoint(what, tmp_path / "a", **options)
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist: make it first"):
        ms.save_checkpoint([], tmp_path / "folder" / "a.ckpt")
    (tmp_path / "a.ckpt").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        ms.save_checkpoint([], tmp_path / "a.ckpt")
    with pytest.raises(TypeError, match="'ckpt_file_name' must be a string"):
        ms.save_checkpoint([], 3)
    with pytest.raises(ValueError, match="must be a path that is not empty"):
        ms.save_checkpoint([], "")


def test_the_format_is_checked_before_the_file_is_begun(tmp_path):
    ms.save_checkpoint([parameter("old")], tmp_path / "a.safetensors", format="safetensors")
    with pytest.raises(ValueError, match="no strings"):
        ms.save_checkpoint({"s": "x"}, tmp_path / "a.safetensors", format="safetensors")
    assert list(ms.load_checkpoint(tmp_path / "a.safetensors", format="safetensors")) == ["old"]


# Whole or not at all


class _Full(Exception):
    pass


@pytest.mark.parametrize("options", [{}, {"crc_check": True}, {"enc_key": KEY}, {"format": "safetensors"}])
def test_an_error_at_any_byte_leaves_the_old_file(options, tmp_path, monkeypatch):
    """The disk is full after 0, 1, 2, ... bytes."""
    path = tmp_path / f"a.{options.get('format', 'ckpt')}"
    ms.save_checkpoint([parameter("old")], path, **options)
    before = path.read_bytes()
    for most in range(len(before)):
        with monkeypatch.context() as patch:
            patch.setattr("builtins.open", _opening(most))
            with pytest.raises(_Full):
                ms.save_checkpoint([parameter("new", 2.0)], path, **options)
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == [path.name]
    ms.save_checkpoint([parameter("new", 2.0)], path, **options)
    assert path.read_bytes() != before


def _opening(most):
    real = open

    def opening(name, mode="r", *args, **kwargs):
        file = real(name, mode, *args, **kwargs)
        return _Limited(file, most) if mode == "wb" else file

    return opening


class _Limited:
    """A file that takes so many bytes."""

    def __init__(self, file, most):
        self._file = file
        self._left = most

    def write(self, data):
        self._file.write(data[: self._left])
        self._left -= len(data)
        if self._left < 0:
            raise _Full

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()

    def __getattr__(self, name):
        return getattr(self._file, name)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no such signal")
def test_a_killed_program_leaves_the_old_file(tmp_path):
    """The program dies when one of two tensors is in the new file."""
    ms.save_checkpoint([parameter("old")], tmp_path / "a.ckpt")
    before = (tmp_path / "a.ckpt").read_bytes()
    program = textwrap.dedent(
        f"""
        import os, signal
        import torchspore as ms
        from torchspore.serialization import checkpoint_file

        real = checkpoint_file.as_bytes

        def deadly(tensor):
            if tensor.numel() == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(tensor)

        checkpoint_file.as_bytes = deadly
        ms.save_checkpoint({{"a": ms.Tensor([1.0] * 100000), "b": ms.Tensor([1.0])}}, {str(tmp_path / "a.ckpt")!r})
        """
    )
    done = preloaded.run(program)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (tmp_path / "a.ckpt").read_bytes() == before
    assert len(os.listdir(tmp_path)) == 2  # the rest of the new file, under another name
    ms.save_checkpoint([parameter("other")], tmp_path / "b.ckpt")
    assert len(os.listdir(tmp_path)) == 2  # the rest is gone
    ms.save_checkpoint([parameter("new")], tmp_path / "a.ckpt")
    assert list(ms.load_checkpoint(tmp_path / "a.ckpt")) == ["new"]
    assert sorted(os.listdir(tmp_path)) == ["a.ckpt", "b.ckpt"]


def test_a_link_stays_a_link(tmp_path):
    ms.save_checkpoint([parameter("old")], tmp_path / "real.ckpt")
    (tmp_path / "link.ckpt").symlink_to(tmp_path / "real.ckpt")
    ms.save_checkpoint([parameter("new")], tmp_path / "link.ckpt")
    assert (tmp_path / "link.ckpt").is_symlink()
    assert list(ms.load_checkpoint(tmp_path / "real.ckpt")) == ["new"]


# In the background


@pytest.fixture
def gate(monkeypatch):
    """Writing waits until the gate is opened."""
    opened = threading.Event()
    real = checkpoint_file.as_bytes

    def waiting(tensor):
        assert opened.wait(30)
        return real(tensor)

    monkeypatch.setattr(checkpoint_file, "as_bytes", waiting)
    yield opened
    opened.set()
    background.wait(report=False)


@pytest.mark.parametrize("how", [True, "thread", "process"])
def test_saving_in_the_background(how, gate, tmp_path):
    net = nn.Dense(1, 1)
    before = net.weight.asnumpy().copy()
    ms.save_checkpoint(net, tmp_path / "a.ckpt", async_save=how)
    assert ms.async_ckpt_thread_status()
    assert not (tmp_path / "a.ckpt").exists()
    net.weight.set_data(ms.Tensor([[7.0]]))  # after the call, so it is not in the file
    gate.set()
    loaded = ms.load_checkpoint(tmp_path / "a.ckpt")  # waits
    np.testing.assert_array_equal(loaded["weight"].asnumpy(), before)
    assert not ms.async_ckpt_thread_status()


def test_an_error_in_the_background_is_logged_and_raised_by_the_next_save(tmp_path, monkeypatch, caplog):
    def fail(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(files.os, "fsync", fail)
    ms.save_checkpoint([parameter("a")], tmp_path / "a.ckpt", async_save=True)
    background.wait(report=False)
    assert "no space left" in caplog.text
    assert os.listdir(tmp_path) == []
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match=r"a\.ckpt' in the background failed: .*no space left"):
        ms.save_checkpoint([parameter("b")], tmp_path / "b.ckpt")
    ms.save_checkpoint([parameter("b")], tmp_path / "b.ckpt")


@pytest.mark.slow
def test_a_program_ends_when_the_file_is_whole(tmp_path):
    program = textwrap.dedent(
        f"""
        import time
        import torchspore as ms
        from torchspore.serialization import checkpoint_file

        real = checkpoint_file.as_bytes
        checkpoint_file.as_bytes = lambda tensor: (time.sleep(0.5), real(tensor))[1]
        ms.save_checkpoint({{"a": ms.Tensor([1.0])}}, {str(tmp_path / "a.ckpt")!r}, async_save=True)
        """
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert list(ms.load_checkpoint(tmp_path / "a.ckpt")) == ["a"]


FLOATS = np.arange(4, dtype=np.float32)
PARTS = {
    "array": [[2, 2], "Float32", FLOATS],
    "tensor": [[2, 2], "Float16", ms.Tensor(FLOATS, ms.float16)],
    "parameter": [(4,), "Float32", ms.Parameter(ms.Tensor(FLOATS))],
    "number": [[0], "Int32", np.array(3, np.int32)],
    "a package's type": [[4], "mindspore.float32", FLOATS],
}


@pytest.mark.parametrize("crc_check", [False, True])
def test_parts(tmp_path, crc_check):
    path = str(tmp_path / "parts.ckpt")
    parts._exec_save(path, PARTS, crc_check=crc_check)
    entries = parts._parse_ckpt_proto(path, None, None, crc_check).value
    assert [(e.tag, list(e.tensor.dims), e.tensor.tensor_type) for e in entries] == [
        (name, list(dims), title) for name, (dims, title, _) in PARTS.items()
    ]
    assert [len(e.tensor.tensor_content) for e in entries] == [16, 8, 16, 4, 16]
    known = {name: part for name, part in PARTS.items() if "type" not in name}
    parts._exec_save(path, known)
    loaded = ms.load_checkpoint(path)
    assert [(value.shape, str(value.dtype)) for value in loaded.values()] == [
        ((2, 2), "Float32"), ((2, 2), "Float16"), ((4,), "Float32"), ((), "Int32"),
    ]  # fmt: skip
    assert loaded["tensor"].asnumpy().tolist() == [[0, 1], [2, 3]]


def test_parts_of_other_formats(tmp_path):
    parts._exec_save(tmp_path / "parts.safetensors", {"array": PARTS["array"]}, format="safetensors")
    assert ms.load_checkpoint(tmp_path / "parts.safetensors", format="safetensors")["array"].shape == (2, 2)
    ms.save_checkpoint([parameter("w")], tmp_path / "w.ckpt", append_dict={"epoch": 3, "text": "abc"})
    tags = [entry.tensor.tensor_type for entry in parts._parse_ckpt_proto(tmp_path / "w.ckpt", None, None).value]
    assert tags == ["Float32", "Int64", "str"]


def test_parts_that_are_wrong(tmp_path):
    path = tmp_path / "parts.ckpt"
    with pytest.raises(TypeError, match="must be an array or a Tensor"):
        parts._exec_save(path, {"x": [[], "Int64", 5]})
    assert not path.exists()
    with pytest.raises(ValueError, match="cannot be read"):
        parts._parse_ckpt_proto(path, None, None)
    path.write_bytes(b"abc")
    with pytest.raises(ValueError, match="cannot be read"):
        parts._parse_ckpt_proto(path, None, None)
