"""NumPy's functions on tensors, with MindSpore's rules for data types: Python's numbers are int32 and float32.

The names are from `mindspore.numpy`. "An array" is anything that `asarray` takes. All functions raise a TypeError
if an argument has the wrong type, and a ValueError if shapes do not match, a dimension does not exist, or an argument
has none of the documented values. Their documentation lists further errors.
"""
# ruff: noqa: F403

from __future__ import annotations

from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.engine.op import publish as _publish
from torchspore.numpy import fft as fft
from torchspore.numpy.calculus import *
from torchspore.numpy.creation import *
from torchspore.numpy.grids import *
from torchspore.numpy.histograms import *
from torchspore.numpy.linear_algebra import *
from torchspore.numpy.logic import *
from torchspore.numpy.manipulation import *
from torchspore.numpy.math import *
from torchspore.numpy.padding import *
from torchspore.numpy.polynomials import *
from torchspore.numpy.random import *
from torchspore.numpy.selection import *
from torchspore.numpy.statistics import *
from torchspore.numpy.types import *
from torchspore.numpy.windows import *

_set_public_names(globals(), ("fft",))
_publish(globals())
