"""DLPack, dispatch modes, checks of the installation and of the hardware."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.unsupported import refusing as _refusing
from torchspore.common.names.unsupported import unsupported as _unsupported
from torchspore.utils.dispatch_mode import MsDispatchMode
from torchspore.utils.dlpack import from_dlpack, to_dlpack
from torchspore.utils.sdc_detect import get_sdc_detect_result, sdc_detect_start, sdc_detect_stop

globals().update({name: _refusing("utils", name) for name in _unsupported("utils")})

__all__ = [
    "MsDispatchMode", "from_dlpack", "get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop", "to_dlpack",
]  # fmt: skip
__all__ += [*_unsupported("utils")]

_suggest_names(globals())
