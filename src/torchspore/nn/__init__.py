"""Cells: layers, losses, optimizers and training steps.

`nn.Dense` is MindSpore's `mindspore.nn.Dense`, and so on. An argument of another type than documented raises TypeError;
a value or shape that does not fit raises ValueError. `Raises` in a docstring names what goes beyond that.

The packages and modules below say in their `__all__` what they add to this package.
"""
# ruff: noqa: F403

import typing as _typing

from torchspore import metrics as metrics
from torchspore.common.names.loading import load as _load
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.nn import cell_module as cell_module
from torchspore.nn import dynamic_lr as dynamic_lr
from torchspore.nn import learning_rate_schedule as learning_rate_schedule
from torchspore.nn.cell import Cell as Cell
from torchspore.nn.dynamic_lr import *
from torchspore.nn.initialization import *
from torchspore.nn.layer import *
from torchspore.nn.learning_rate_schedule import *
from torchspore.nn.loss import *
from torchspore.nn.optim import *
from torchspore.nn.unsupported import *
from torchspore.nn.wrap import *

_set_public_names(globals(), ("dynamic_lr", "learning_rate_schedule"), without=("LearningRateSchedule",))


def _found(name: str) -> _typing.Any:
    if name == "probability":  # imported when it is asked for
        return _load("torchspore.nn.probability")
    if name in metrics.__all__:  # MindSpore has them here too, but not among the public names
        return getattr(metrics, name)
    raise KeyError(name)


_suggest_names(globals(), _found, also=["probability", *metrics.__all__])
