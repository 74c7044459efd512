"""The parts of `amp.build_train_network` of 1.x and 2.0, which packages with training steps of their own import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.amp.mixed_precision import get_black_list, keep_in_full
from torchspore.amp.train_network import with_loss
from torchspore.common import dtype as mstype
from torchspore.nn.cell import Cell

__all__ = ["add_loss_network", "keep_batchnorm_fp32"]


def keep_batchnorm_fp32(network: Cell) -> None:
    """Have the normalisations of a network in float16 compute in float32.

    Args:
        network: a network that `to_float(mindspore.float16)` has lowered.

    Source: MindSpore 2.0, `train.amp._do_keep_batchnorm_fp32`.
    """
    keep_in_full(network, get_black_list(), torch.float16)


def add_loss_network(network: Cell, loss_fn: Callable[..., Any], cast_model_type: mstype.Type) -> Cell:
    """Return a network together with its loss, which is computed in float32.

    Args:
        network: the network.
        loss_fn: the loss, of the network's output and the label.
        cast_model_type: what the network computes in. Outputs and labels are converted if it is float16.

    Source: MindSpore 2.0, `train.amp._add_loss_network`.
    """
    return with_loss(network, loss_fn, cast_model_type == mstype.float16)
