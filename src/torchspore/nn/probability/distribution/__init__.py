"""Distributions: densities, probabilities, moments, divergences and samples."""
# ruff: noqa: F403

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.nn.probability.distribution.base import Distribution as Distribution
from torchspore.nn.probability.distribution.discrete import *
from torchspore.nn.probability.distribution.intervals import *
from torchspore.nn.probability.distribution.real_line import *
from torchspore.nn.probability.distribution.transformed import *

_set_public_names(globals())
_suggest_names(globals())
