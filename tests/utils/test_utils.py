"""Helpers of `utils`."""

from __future__ import annotations

import numpy as np
import torch

import torchspore as ms
from torchspore.common import device


def test_run_check(capsys, monkeypatch):
    monkeypatch.setattr(device, "_current", torch.device("cpu"))
    ms.run_check()
    assert "is correct, TorchSpore has been installed on platform [CPU] successfully!" in capsys.readouterr().out
    monkeypatch.setattr(torch.Tensor, "__matmul__", lambda one, other: one + 1)
    ms.run_check()
    assert "is wrong on platform [CPU]" in capsys.readouterr().out


def test_dlpack():
    x = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    y = ms.utils.from_dlpack(ms.utils.to_dlpack(x))
    y[0, 0] = 7
    assert x[0, 0] == 7


def test_nothing_is_detected_and_said_so(capsys):
    ms.utils.sdc_detect_start()
    ms.utils.sdc_detect_stop()
    assert not ms.utils.get_sdc_detect_result()
    assert "nothing is looked for" in capsys.readouterr().err
