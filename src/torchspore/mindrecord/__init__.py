"""MindRecord: files of rows with fields, an index beside each, and reading them in any order.

All check their arguments when called. What each raises beside that is in its documentation.

MindSpore: `mindspore.mindrecord`.
"""
# ruff: noqa: F403

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.mindrecord.categories import *
from torchspore.mindrecord.converters import *
from torchspore.mindrecord.encryption import *
from torchspore.mindrecord.enums import *
from torchspore.mindrecord.errors import *
from torchspore.mindrecord.reader import *
from torchspore.mindrecord.tfrecord import *
from torchspore.mindrecord.writer import *

_suggest_names(globals())
