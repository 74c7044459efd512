"""Blocks on another device, memory that is given back, and a service that is not there."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch

import torchspore as ms
from torchspore.common import device


def test_a_block_on_another_device(monkeypatch):
    other = torch.device("meta")  # stands for a card
    monkeypatch.setattr(device, "choose", lambda name, index, api: other if name == "GPU" else torch.device("cpu"))
    monkeypatch.setattr(device, "_current", torch.device("cpu"))
    block = ms.DeviceCtx("GPU")
    assert device.current().type == "cpu"
    monkeypatch.setattr(device, "use", lambda chosen: monkeypatch.setattr(device, "_current", chosen))
    with block:
        assert device.current() is other
        with ms.DeviceCtx("CPU"):
            assert device.current().type == "cpu"
        assert device.current() is other
    assert device.current().type == "cpu"


def test_the_device_is_there_again_after_an_error(monkeypatch):
    monkeypatch.setattr(device, "_current", torch.device("cpu"))
    before = device.current()
    with pytest.raises(KeyError), ms.DeviceCtx("CPU", 0):
        raise KeyError
    assert device.current() == before


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("cpu", ValueError, "For 'DeviceCtx'"),
        (3, TypeError, "For 'DeviceCtx'"),
        ("meta", NotImplementedError, "tensors without memory"),
    ],
)
def test_devices_that_are_not_there(name, error, message):
    with pytest.raises(error, match=message):
        ms.DeviceCtx(name)


@pytest.mark.slow
def test_memory_is_given_back(monkeypatch):
    class Loop:
        pass

    loop = Loop()
    loop.itself = loop
    gone, emptied = weakref.ref(loop), []
    del loop
    monkeypatch.setattr(ms.hal.memory, "empty_cache", lambda: emptied.append(True))
    gc.disable()
    try:
        ms.ms_memory_recycle()
    finally:
        gc.enable()
    assert gone() is None
    assert emptied == [True]


def test_nothing_is_loaded_ahead():
    assert ms.mindio_preload("net.ckpt") is False
    assert ms.set_mindio_server_info(3) is None
    with pytest.raises(TypeError, match="'ckpt_file_name' must be a string, but got int"):
        ms.mindio_preload(3)
    with pytest.raises(TypeError, match="must be an int, but got str"):
        ms.set_mindio_server_info("a")
