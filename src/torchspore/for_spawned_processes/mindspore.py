"""What `import mindspore` finds first in processes that Python spawned from one with `torchspore.as_mindspore`.

Such a process has nothing of the first one but its `sys.path`, where that module enters this folder.
"""

from __future__ import annotations

import importlib
import sys

del sys.modules[__name__]  # it is this module, which Python has begun to load
import torchspore.as_mindspore  # noqa: E402, F401

importlib.import_module("mindspore")  # Python answers the first import with what is in `sys.modules` now
