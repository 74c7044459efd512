"""Hidden weights: not supported."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.unsupported import refusing as _refusing

load_obf_params_into_net = _refusing("safeguard", "load_obf_params_into_net")
obfuscate_ckpt = _refusing("safeguard", "obfuscate_ckpt")

__all__ = ["load_obf_params_into_net", "obfuscate_ckpt"]

_suggest_names(globals())
