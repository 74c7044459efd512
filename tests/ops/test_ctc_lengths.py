"""CTCLoss of sequences that are shorter than the longest."""

from __future__ import annotations

import numpy as np

import torchspore as ms
from torchspore import Tensor, ops


def test_frames_after_the_end_have_no_gradient() -> None:
    scores = Tensor(np.random.default_rng(0).normal(size=(5, 2, 4)).astype(np.float32))
    labels = Tensor([[0, 0], [0, 1], [1, 0]], ms.int64), Tensor([1, 2, 0], ms.int32)
    _, gradient = ops.CTCLoss()(scores, *labels, Tensor([5, 3], ms.int32))
    assert np.all(gradient[3:, 1].asnumpy() == 0)
    assert np.all(np.abs(gradient[:, 0].asnumpy()).sum(1) > 0)
