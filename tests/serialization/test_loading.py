"""`load_checkpoint`: which names it returns, and its errors."""

from __future__ import annotations

import importlib.util
import sys
import textwrap

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore import nn
from torchspore.engine.storage import files

KEY = b"0123456789ABCDEF"
NAMES = ["conv1.weight", "conv1.bias", "conv2.weight", "fc.weight", "moments.conv1.weight"]
ALL = [*NAMES, "conv_epoch", "s"]


def save(path, **options):
    parameters = [ms.Parameter(ms.Tensor([1.0]), name=name) for name in NAMES]
    ms.save_checkpoint(parameters, path, append_dict={"conv_epoch": 3, "s": "text"}, **options)
    return path


@pytest.fixture
def path(tmp_path):
    return save(tmp_path / "a.ckpt")


# As MindSpore 2.10 answers, except the last two: there a prefix outdoes the function.
CHOSEN = [
    ({}, ALL),
    ({"filter_prefix": "conv1"}, ["conv2.weight", "fc.weight", "moments.conv1.weight", "conv_epoch", "s"]),
    ({"filter_prefix": ["conv1", "fc"]}, ["conv2.weight", "moments.conv1.weight", "conv_epoch", "s"]),
    ({"filter_prefix": "weight"}, ALL),
    ({"specify_prefix": "conv1"}, ["conv1.weight", "conv1.bias"]),
    ({"specify_prefix": "conv1.w"}, ["conv1.weight"]),
    ({"specify_prefix": ("conv1", "fc")}, ["conv1.weight", "conv1.bias", "fc.weight"]),
    ({"filter_prefix": "conv1", "specify_prefix": "conv"}, ["conv2.weight", "conv_epoch"]),
    ({"choice_func": lambda name: "conv2" in name}, ["conv2.weight"]),
    ({"choice_func": lambda name: "conv" in name, "filter_prefix": ["conv2", "conv_"]}, [*NAMES[:2], NAMES[4]]),
    ({"choice_func": lambda name: "weight" in name, "specify_prefix": "conv1"}, ["conv1.weight"]),
]


@pytest.mark.parametrize(("options", "names"), CHOSEN)
def test_choice(options, names, path):
    assert list(ms.load_checkpoint(path, **options)) == names


def test_values_are_new_parameters_that_can_be_written(path):
    loaded = ms.load_checkpoint(str(path))
    parameter = loaded["fc.weight"]
    assert parameter.requires_grad
    parameter.set_data(ms.Tensor([5.0]))
    path.write_bytes(b"")
    np.testing.assert_array_equal(parameter.asnumpy(), [5.0])
    np.testing.assert_array_equal(loaded["conv1.bias"].asnumpy(), [1.0])
    assert loaded["s"] == "text"


def test_parameters_are_aligned_wherever_they_are_in_the_file(tmp_path):
    values = {"n" * i: ms.Tensor(np.arange(5.0) + i) for i in range(1, 20)}
    ms.save_checkpoint(values, tmp_path / "a.ckpt")
    for name, parameter in ms.load_checkpoint(tmp_path / "a.ckpt").items():
        assert parameter._t.data_ptr() % 8 == 0
        np.testing.assert_array_equal(parameter.asnumpy(), np.arange(5.0) + len(name))


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("options", [{}, {"format": "safetensors"}, {"enc_key": KEY}])
def test_tensors_that_are_read_in_many_steps(options, at_once, tmp_path, monkeypatch):
    """By threads, and in the way of systems that cannot read at a position."""
    monkeypatch.setattr(files, "_CHUNK", 1000)
    if not at_once:
        monkeypatch.delattr("os.preadv", raising=False)
    path = tmp_path / f"a.{options.get('format', 'ckpt')}"
    values = {name: np.random.default_rng(0).random((7, 11 * i)) for i, name in enumerate("abc")}
    ms.save_checkpoint(values, path, **options)
    loaded = ms.load_checkpoint(path, **{name.replace("enc", "dec"): value for name, value in options.items()})
    for name, value in values.items():
        np.testing.assert_array_equal(loaded[name].asnumpy(), value)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the counters of memory are Linux's")
@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_loading_takes_the_memory_of_the_parameters_alone(format, tmp_path):
    path = tmp_path / f"a.{format}"
    ms.save_checkpoint({name: np.ones(2**22) for name in "ab"}, path, format=format)
    program = textwrap.dedent(
        f"""
        import pathlib
        import torchspore as ms

        def memory(key):
            lines = pathlib.Path("/proc/self/status").read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith(key)) * 1024

        ms.load_checkpoint({str(path)!r}, format="{format}", choice_func=lambda name: name == "b")
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        before = memory("VmRSS")
        loaded = ms.load_checkpoint({str(path)!r}, format="{format}")
        print(memory("VmHWM") - before)
        """
    )
    assert int(preloaded.output_of(program)) < 1.2 * path.stat().st_size


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_checksum_is_compared_if_asked(format, tmp_path):
    path = tmp_path / f"a.{format}"
    ms.save_checkpoint([ms.Parameter(ms.Tensor([1.0, 2.0]), name="a")], path, crc_check=True, format=format)
    assert list(ms.load_checkpoint(path, crc_check=True, format=format)) == ["a"]
    data = bytearray(path.read_bytes())
    data[-1 if format == "safetensors" else 20] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="CRC-32 does not match: some of its bytes have changed"):
        ms.load_checkpoint(path, crc_check=True, format=format)
    assert list(ms.load_checkpoint(path, format=format)) == ["a"]
    ms.save_checkpoint([ms.Parameter(ms.Tensor([1.0, 2.0]), name="a")], path, format=format)
    with pytest.warns(RuntimeWarning, match="has no CRC-32"):
        assert list(ms.load_checkpoint(path, crc_check=True, format=format)) == ["a"]


def test_keys(tmp_path):
    path = save(tmp_path / "a.ckpt", enc_key=KEY)
    assert list(ms.load_checkpoint(path, dec_key=KEY)) == ALL
    for options, message in [
        ({}, "it is encrypted: give its key"),
        ({"dec_key": b"x" * 16}, "with another key"),
        ({"dec_key": KEY, "dec_mode": "AES-CBC"}, "its encryption is not AES-CBC"),
    ]:
        with pytest.raises(ValueError, match=message):
            ms.load_checkpoint(path, **options)
    with pytest.raises(ValueError, match="it is not encrypted"):
        ms.load_checkpoint(save(tmp_path / "plain.ckpt"), dec_key=KEY)


ERRORS = [
    (ValueError, "must be a non-empty string", {"filter_prefix": ""}),
    (ValueError, "must be a non-empty string", {"specify_prefix": ["a", ""]}),
    (TypeError, "'filter_prefix' must be a string, a tuple or a list", {"filter_prefix": 3}),
    (TypeError, "'specify_prefix\\[0\\]' must be a string", {"specify_prefix": [3]}),
    (ValueError, "there is nothing to load", {"specify_prefix": "nothing"}),
    (ValueError, "there is nothing to load", {"choice_func": lambda name: False}),
    (TypeError, "'choice_func' must be a function", {"choice_func": 3}),
    (TypeError, "'net' must be a Cell", {"net": 3}),
    (TypeError, "'crc_check' must be a bool", {"crc_check": 3}),
    (TypeError, "'remove_redundancy' must be a bool", {"remove_redundancy": 3}),
    (TypeError, "remove_redundancy=True is not supported", {"net": nn.Dense(2, 1), "remove_redundancy": True}),
    (TypeError, "'dec_key' must be bytes", {"dec_key": "a"}),
    (ValueError, "'dec_mode' must be one of", {"dec_key": KEY, "dec_mode": "a"}),
    (ValueError, "'format' must be", {"format": "abc"}),
    (ValueError, "name must end with 'safetensors'", {"format": "safetensors"}),
]


@pytest.mark.parametrize(("kind", "message", "options"), ERRORS)
def test_errors(kind, message, options, path):
    with pytest.raises(kind, match=f"^For 'load_checkpoint', .*{message}"):
        ms.load_checkpoint(path, **options)


@pytest.mark.parametrize(
    ("kind", "message", "name"),
    [
        (ValueError, "there is no file '.*b.ckpt'", "b.ckpt"),
        (ValueError, "there is no file", "folder.ckpt"),
        (ValueError, "name must end with 'ckpt'", "a.txt"),
        (TypeError, "must be a string or a path, but got 3", 3),
    ],
)
def test_files_that_are_none(kind, message, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.ckpt").mkdir()
    with pytest.raises(kind, match=message):
        ms.load_checkpoint(name)


def test_into_a_network(tmp_path):
    net, other = nn.Dense(2, 1), nn.Dense(2, 1)
    ms.save_checkpoint(net, tmp_path / "a.ckpt", append_dict={"epoch": 1})
    loaded = ms.load_checkpoint(tmp_path / "a.ckpt", other)
    assert list(loaded) == ["weight", "bias", "epoch"]
    np.testing.assert_array_equal(other.weight.asnumpy(), net.weight.asnumpy())
    assert other.weight.asnumpy() is not loaded["weight"].asnumpy()
    loaded["weight"].set_data(ms.Tensor([[9.0, 9.0]]))
    np.testing.assert_array_equal(other.weight.asnumpy(), net.weight.asnumpy())


def test_loading_while_the_program_goes_on(path, tmp_path):
    future = ms.load_checkpoint_async(path, filter_prefix="conv")
    assert list(future.result()) == ["fc.weight", "moments.conv1.weight", "s"]
    future = ms.load_checkpoint_async(tmp_path / "none.ckpt")
    with pytest.raises(ValueError, match="there is no file"):
        future.result()


@pytest.mark.parametrize(
    ("package", "extra", "options"),
    [("safetensors", "safetensors", {"format": "safetensors"}), ("cryptography", "crypto", {"dec_key": KEY})],
)
def test_a_missing_package_is_named(package, extra, options, tmp_path, monkeypatch):
    path = save_empty(tmp_path / f"a.{options.get('format', 'ckpt')}")
    real = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == package else real(name))
    with pytest.raises(ModuleNotFoundError, match=rf"{package}: pip install 'torchspore\[{extra}\]'"):
        ms.load_checkpoint(path, **options)


def save_empty(path):
    path.write_bytes(b"")
    return path


def test_options_for_several_devices_change_nothing_on_one(tmp_path):
    net = nn.Dense(2, 1)
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"), incremental=True, remove_redundancy=True)
    assert list(ms.load_checkpoint(str(tmp_path / "net.ckpt"), remove_redundancy=True)) == ["weight", "bias"]
