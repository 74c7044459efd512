"""Hidden weights: not supported."""

from __future__ import annotations

from torchspore.common.unsupported import refusing

load_obf_params_into_net = refusing("safeguard", "load_obf_params_into_net")
obfuscate_ckpt = refusing("safeguard", "obfuscate_ckpt")

__all__ = ["load_obf_params_into_net", "obfuscate_ckpt"]
