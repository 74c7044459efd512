"""The metrics where MindSpore has them: this name, and those below it, are the modules of `torchspore.metrics`."""

from __future__ import annotations

import sys

from torchspore import metrics

for _name, _module in [*sys.modules.items()]:
    if f"{_name}.".startswith(f"{metrics.__name__}."):
        sys.modules[__name__ + _name.removeprefix(metrics.__name__)] = _module
